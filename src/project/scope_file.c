/* scope_file.c - one scope of any room as a file, and back.
 *
 *     conclave export-scope ROOM SCOPE --output FILE      rows, events and commits, as record/scope.h prints them
 *     conclave import-scope FILE                          … in a record where the scope does not exist yet
 *
 *     {"format": "conclave-scope 1", "scope": {"room": …, "name": …, "rev": …, "types": {…}}}
 *
 * Nothing is lost: the same events and hashes, so that the copy verifies as the original does and a seal of one can be
 * compared with the other. What comes in is tried in a store of its own first, and verified there. A scope that is here
 * already with the same head is unchanged; with another one it is a conflict, and nothing is written.
 */
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "kit/destination.h"
#include "kit/fault.h"
#include "kit/scopes.h"
#include "project/operations.h"
#include "project/scope_input.h"
#include "record/scope.h"
#include "record/verify.h"

static const cv_str format = CV_STR_INIT("conclave-scope 1");

/* ---- out ----------------------------------------------------------------------------------------------------------
 */

static bool print_document(cv_call *call, cv_scope_id scope, cv_buf *out, cv_err *err)
{
    cv_json_writer w = {.out = out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "format", format);
    cv_json_key(&w, CV_STR("scope"));
    if (!cv_scope_print(call->record, call->arena, scope, &w, err))
        return false;
    cv_json_end_object(&w);
    return true;
}

/* Only an earlier document of this kind is replaced, or with `force` anything. */
static bool is_ours(void *ctx, cv_str bytes, bool unmarked)
{
    (void)unmarked;
    return cv_destination_forced(ctx) || cv_str_starts(bytes, CV_STR("{\"format\":\"conclave-scope "));
}

static bool may_replace(cv_call *call, cv_where where, cv_err *err)
{
    cv_str bytes;
    cv_err unread = {.arena = call->arena}; /* nothing there, or the writer says why it cannot be written */
    if (!cv_file_read_at(call->arena, where, CV_MAX_FILE_BYTES, &bytes, &unread) || bytes.n == 0 ||
        is_ours(call, bytes, false))
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "there is another file of this name");
    cv_err_value(err, cv_str_of(cv_where_path(call->arena, where)));
    cv_err_suggest(err, cv_destination_advice(call));
    return false;
}

static bool write_file(cv_call *call, cv_scope_id scope, cv_where where, cv_err *err)
{
    cv_file_writer writer;
    cv_file_rules rules = {.arena = call->arena, .is_ours = is_ours, .ctx = call};
    if (!may_replace(call, where, err) || !cv_file_begin(&writer, NULL, where, &rules, err))
        return false;
    bool ok = print_document(call, scope, &writer.out, err);
    cv_buf_add_char(&writer.out, '\n');
    if (ok || !cv_buf_ok(&writer.out))
        return cv_file_commit(&writer, err);
    cv_file_rollback(&writer);
    return false;
}

/* What is told of a scope that went out or came in. */
typedef struct {
    cv_str status, output;
    cv_scope_id scope;
    cv_scope_position at;
    bool dry_run;
    const void *document; /* is printed without this struct: NULL */
} moved;

static const cv_str outcome_words[] = {CV_STR_INIT("restored"), CV_STR_INIT("unchanged")};
static const cv_words outcomes = {outcome_words, CV_COUNT(outcome_words)};

#define CV_THIS_TYPE moved
const cv_shape cv_import_scope_shape[] = {
    CV_WORD(ALWAYS, "status", status, &outcomes, ""),
    CV_FIELD_AS(ALWAYS, "room", scope.room, ""),
    CV_FIELD_AS(ALWAYS, "scope", scope.name, ""),
    CV_FIELD_AS(ALWAYS, "rev", at.rev, ""),
    CV_FIELD_AS(ALWAYS, "head", at.head, ""),
    CV_FIELD(IF_ANY, dry_run, ""),
    {0},
};

/* To a file, or the document itself, which is printed as it is read. */
static void write_name(cv_json_writer *w, const void *name)
{
    cv_json_str(w, *(const cv_str *)name);
}

static const cv_shape to_file[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "room", scope.room, ""),
    CV_BY_HAND_AT("scope", scope.name, write_name,
                  "{\"type\":[\"string\",\"object\"],\"description\":\"its name; in the document: all of it\"}"),
    CV_FIELD_AS(ALWAYS, "rev", at.rev, ""),
    CV_FIELD_AS(ALWAYS, "head", at.head, ""),
    CV_FIELD(ALWAYS, output, ""),
    {0},
};
static const cv_shape as_document[] = {
    CV_LATER(ALWAYS, "format", TEXT, CV_NO_LIMIT, "of the document: conclave-scope 1"),
    CV_LATER(ALWAYS, "scope", MAP, CV_NO_LIMIT, ""),
    {0},
};
const cv_shape cv_export_scope_shape[] = {CV_CASE(output.p, to_file), CV_CASE(document, as_document), {0}};
#undef CV_THIS_TYPE

/* The position of the scope; rev 0: there is none. */
static bool position_of(cv_call *call, cv_record *record, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    bool ok = record->calls->begin(record, call->arena, scope, ret_at, err);
    record->calls->end(record);
    return ok;
}

bool cv_project_export_scope(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_str output = cv_json_get_text(call->input, "output");
    cv_scope_id scope;
    cv_scope_position at;
    cv_where where;
    if (!cv_scopes_given(call, &scope))
        return false;
    if (!position_of(call, call->record, scope, &at, &err))
        return cv_call_fail(call, &err);
    if (at.rev == 0)
        return cv_scopes_missing(call, scope);
    if (!output.p || cv_str_eq(output, CV_STR("-"))) {
        call->verbatim = true;
        return print_document(call, scope, call->out, &err) || cv_call_fail(call, &err);
    }
    if (!cv_destination_where(call, output, &where, &err) || !write_file(call, scope, where, &err)) {
        cv_err_field(&err, CV_STR("output"));
        return cv_call_fail(call, &err);
    }
    const moved m = {.output = cv_str_of(cv_where_path(call->arena, where)), .scope = scope, .at = at};
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_export_scope_shape, &m);
    return true;
}

/* ---- in -----------------------------------------------------------------------------------------------------------
 */

static bool refuse_file(cv_call *call, cv_str path, const char *what)
{
    cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "path", path, "%s", what);
    cv_err_operation(fault, CV_STR("export-scope"));
    cv_err_suggest(fault, CV_STR("writes such files; other files come in by an import"));
    return false;
}

/* False: call->errs says why. */
static bool read_document(cv_call *call, cv_scope_rows *ret_rows)
{
    cv_err err = {.arena = call->arena};
    cv_str path = cv_json_get_text(call->input, "path"), text;
    cv_json *document = CV_NEW(call->arena, cv_json);
    cv_where where;
    if (!cv_path_allowed(call->arena, call->root, call->confined, path, &where, &err) ||
        !cv_file_read_text_at(call->arena, where, &text, &err)) {
        cv_err_field(&err, CV_STR("path"));
        return cv_call_fail(call, &err);
    }
    if (!cv_json_parse(call->arena, text, document, &err)) {
        cv_err_file(&err, path);
        cv_call_fail(call, &err);
        return refuse_file(call, path, "the file is not an exported scope");
    }
    cv_str found = cv_json_get_text(document, "format");
    const cv_json *scope = cv_json_get(document, CV_STR("scope"));
    if (!cv_str_starts(found, CV_STR("conclave-scope ")) || !scope)
        return refuse_file(call, path, "the file is not an exported scope");
    if (!cv_str_eq(found, format))
        return refuse_file(call, path, "the scope was exported by a later version of conclave");
    return cv_scope_parse(call->record->types, call->arena, scope, ret_rows, call->errs);
}

/* In a store of its own: do rows, events and commits agree with each other? */
static bool check_rows(cv_call *call, const cv_scope_rows *rows, cv_err *err)
{
    cv_record *trial;
    cv_scope_position at;
    if (!call->record->calls->scratch(call->record, call->arena, true, &trial, err))
        return false;
    bool ok = cv_scope_restore(trial, call->arena, rows, false, err) == CV_WRITE_DONE &&
              cv_scopes_verify(trial, call->arena, rows->scope, &at, err);
    if (!ok && err->code == CV_ERR_VERIFY)
        cv_err_suggest(err, CV_STR("the file was changed, or it is not whole: export the scope again"));
    cv_record_close(trial);
    return ok;
}

static bool refuse_other(const cv_scope_rows *rows, const cv_scope_position *at, cv_err *err)
{
    cv_err_set(err, CV_ERR_REV_CONFLICT, "the %.*s '%.*s' is here already, at rev %lld with another history",
               CV_FMT(rows->scope.room), CV_FMT(rows->scope.name), (long long)at->rev);
    cv_err_value(err, rows->scope.name);
    cv_err_suggest(err, CV_STR("import it into another project: two histories are not merged"));
    return false;
}

static bool put(cv_call *call, const cv_scope_rows *rows, bool *ret_restored, cv_err *err)
{
    cv_scope_position at;
    bool dry = cv_json_get_true(call->input, "dry_run");
    if (!position_of(call, call->record, rows->scope, &at, err))
        return false;
    *ret_restored = at.rev == 0;
    if (!check_rows(call, rows, err))
        return false;
    if (at.rev > 0)
        return cv_str_eq(at.head, rows->at.head) || refuse_other(rows, &at, err);
    cv_write_result result = dry ? CV_WRITE_DONE : cv_scope_restore(call->record, call->arena, rows, false, err);
    return result == CV_WRITE_DONE || (result == CV_WRITE_CONFLICT && refuse_other(rows, &at, err));
}

bool cv_project_import_scope(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_scope_rows rows;
    bool restored;
    if (!read_document(call, &rows))
        return false;
    if (!put(call, &rows, &restored, &err))
        return cv_call_fail(call, &err);
    const moved m = {.status = outcome_words[!restored],
                     .scope = rows.scope,
                     .at = rows.at,
                     .dry_run = cv_json_get_true(call->input, "dry_run")};
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_import_scope_shape, &m);
    return true;
}
