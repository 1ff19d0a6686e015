/* redact.c - a long text that must not be kept: its hash takes its place, and the history still verifies.
 *
 *     conclave redact ROOM SCOPE KIND ID --field F --reason TEXT
 *
 *     the row            by its type and key, or by kind and id as a search names it
 *     where else         every long text of the scope that holds the text; answers and events that hold a line of it
 *     files              beside the record: the text is replaced there, first of all (redact_files.h)
 *     one commit         the texts by their hashes, an event `redacted` that says who, when and why
 *     the database       pages and log are written again, so that no freed byte holds the text
 *
 * Files come first because they are found by the text: after a crash anywhere, the same command again does the rest.
 * The write touches one scope. What holds the text and cannot be redacted (a title, another scope, a backup) is named
 * in the answer, and so are long texts that are a part of the redacted one.
 */
#include <assert.h>
#include <pwd.h>
#include <unistd.h>

#include "kit/fault.h"
#include "kit/request.h"
#include "kit/room.h"
#include "kit/scopes.h"
#include "project/operations.h"
#include "project/redact_files.h"
#include "project/scope_input.h"
#include "record/hash.h"

enum {
    MOST_NAMED = 200,   /* of each list in the answer */
    FEWEST_REPEATED = 4 /* bytes of a text that a reason must not have in it */
};

typedef struct {
    cv_call *call;
    cv_scope_id scope;
    cv_str kind, id;
    cv_texts kinds; /* of the rows that were seen, as a search names them */

    const cv_type *type; /* the row that is asked for */
    const void *row;
    const cv_type_field *field;
    cv_str text; /* what it holds; a redacted one holds its hash */
    cv_trace trace;

    cv_where folder;      /* of the scope's files; path NULL: none */
    cv_room_files single; /* elsewhere */
    cv_writing *w;        /* NULL: only look */
    cv_event_row *event;
    cv_redact_names texts, parts, left;
    cv_redact_files files;
    cv_str name, sha256; /* of the row, of the text */
    cv_str note;         /* what is out of reach */
} redaction;

#define CV_THIS_TYPE redaction
const cv_shape cv_redact_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "room", scope.room, ""),
    CV_FIELD_AS(ALWAYS, "scope", scope.name, ""),
    CV_FIELD_AS(ALWAYS, "row", name, "type and key"),
    CV_FIELD_OF_AS(ALWAYS, "field", field, name, ""),
    CV_FIELD(ALWAYS, sha256, "of the text: it replaces the text"),
    CV_TEXTS("texts", texts.items, texts.count, "what was replaced in the record: type, key, field"),
    CV_TEXTS("files", files.replaced.items, files.replaced.count, "files in which the text was replaced"),
    CV_TEXTS("parts", parts.items, parts.count,
             "long texts that are a part of it, and were not changed: redact them, too"),
    CV_TEXTS("left", left.items, left.count,
             "places that have the text and were not changed: fields, other scopes, files"),
    CV_TEXTS("backups", files.backups.items, files.backups.count, "other records below .conclave: not touched"),
    CV_FIELD(ALWAYS, note, "what Conclave cannot reach: backups, exports, a server's logs and copies"),
    CV_WRITTEN("scope"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

/* ---- which types there are ----------------------------------------------------------------------------------------
 */

static bool has_long(const cv_type *type)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].role == CV_LONG)
            return true;
    return false;
}

/* The types of the room, then events and commits. */
static size_t types_of(const cv_call *call, cv_str room, const cv_type *ret[CV_MAX_TYPES])
{
    const cv_room_types *own = cv_types_of(call->record->types, room);
    size_t count = 0;
    assert((own ? own->count : 0) + 2 <= CV_MAX_TYPES);
    for (size_t i = 0; own && i < own->count; i++)
        ret[count++] = own->types[i];
    ret[count++] = &cv_event_row_type;
    ret[count++] = &cv_commit_row_type;
    return count;
}

/* ---- finding the row ----------------------------------------------------------------------------------------------
 */

/* "entity/T/1/2" without its type. */
static cv_str key_of(cv_arena *a, const cv_type *type, const void *row)
{
    return cv_str_from(cv_row_name(a, type, row), type->name.n + 1);
}

static void know_kind(redaction *r, cv_str kind)
{
    for (size_t i = 0; i < r->kinds.count; i++)
        if (cv_str_eq(r->kinds.items[i], kind))
            return;
    *CV_PUSH(r->call->arena, &r->kinds) = cv_arena_copy(r->call->arena, kind);
}

static bool is_named(redaction *r, cv_arena *a, const cv_type *type, const void *row)
{
    cv_search_text seen = {0};
    if (cv_str_eq(type->name, r->kind) && cv_str_eq(key_of(a, type, row), r->id))
        return true;
    if (!type->search || !type->search(a, row, &seen) || !(seen.title.p || seen.body.p))
        return false;
    know_kind(r, seen.kind);
    return cv_str_eq(seen.kind, r->kind) && cv_str_eq(seen.id, r->id);
}

typedef struct {
    redaction *r;
    const cv_type *type;
    cv_arena scratch;
} visiting;

static bool see_candidate(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    visiting *v = ctx;
    (void)scope, (void)err;
    if (!v->r->row && is_named(v->r, &v->scratch, v->type, row)) {
        v->r->type = v->type;
        v->r->row = cv_row_copy(v->r->call->arena, v->type, row);
    }
    cv_arena_reset(&v->scratch);
    return true;
}

static bool each_row(redaction *r, cv_scope_id scope, cv_row_visit see, cv_err *err)
{
    const cv_type *types[CV_MAX_TYPES];
    size_t count = types_of(r->call, scope.room, types);
    visiting v = {.r = r};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const cv_find find = {.type = types[i], .scope = scope};
        v.type = types[i];
        ok = r->call->record->calls->find(r->call->record, &find, see, &v, err);
    }
    cv_arena_release(&v.scratch);
    return ok;
}

/* The kinds of a scope are the types of its room and what its rows say of themselves: the rows were seen. */
static bool refuse_row(redaction *r)
{
    const cv_type *types[CV_MAX_TYPES];
    size_t count = types_of(r->call, r->scope.room, types);
    bool is_kind = false;
    for (size_t i = 0; i < count; i++) {
        is_kind = is_kind || cv_str_eq(types[i]->name, r->kind);
        if (has_long(types[i]) && types[i]->life != CV_VOLATILE)
            know_kind(r, types[i]->name);
    }
    for (size_t i = 0; i < r->kinds.count; i++)
        is_kind = is_kind || cv_str_eq(r->kinds.items[i], r->kind);
    cv_err *fault =
        cv_refuse(r->call, CV_ERR_INVALID_VALUE, CV_STR(""), is_kind ? "id" : "kind", is_kind ? r->id : r->kind,
                  "the %.*s '%.*s' has no %.*s '%.*s'", CV_FMT(cv_scopes_noun(r->scope.room, 1)),
                  CV_FMT(cv_excerpt(r->call->arena, r->scope.name)), CV_FMT(cv_excerpt(r->call->arena, r->kind)),
                  CV_FMT(cv_excerpt(r->call->arena, r->id)));
    if (!is_kind)
        cv_refuse_words(fault, r->kinds.items, r->kinds.count);
    if (fault->suggestion.n)
        return false;
    cv_err_operation(fault, CV_STR("search"));
    cv_err_suggest(fault, CV_STR("shows the kind and id of what it finds"));
    return false;
}

/* ---- which field --------------------------------------------------------------------------------------------------
 */

static bool refuse_field(redaction *r, cv_str given, const char *why)
{
    cv_str names[CV_MAX_TYPE_FIELDS];
    size_t count = 0;
    assert(r->type->field_count <= CV_MAX_TYPE_FIELDS);
    for (size_t i = 0; i < r->type->field_count; i++)
        if (r->type->fields[i].role == CV_LONG && r->type->life != CV_VOLATILE)
            names[count++] = r->type->fields[i].name;
    cv_err *fault = cv_refuse(r->call, given.p ? CV_ERR_INVALID_VALUE : CV_ERR_MISSING_FIELD, CV_STR(""), "field",
                              given, "%s", why);
    if (count)
        cv_refuse_words(fault, names, count);
    else
        cv_err_suggest(fault, cv_arena_printf(r->call->arena, "no field of a %.*s can be redacted: only long texts can",
                                              CV_FMT(r->type->name)));
    return false;
}

/* The field that is named, or the only long text that there is. */
static bool choose_field(redaction *r)
{
    cv_str given = cv_json_get_text(r->call->input, "field");
    size_t there = 0;
    for (size_t i = 0; i < r->type->field_count; i++) {
        const cv_type_field *f = &r->type->fields[i];
        bool counts = given.p ? cv_str_eq(given, f->name) : f->role == CV_LONG && cv_row_has(f, r->row);
        r->field = counts ? f : r->field;
        there += counts;
    }
    if (given.p && there == 0)
        return refuse_field(r, given, "there is no such field");
    if (there == 0)
        return refuse_field(r, given, "it has no long text");
    if (there > 1)
        return refuse_field(r, given, "it has several long texts: name the field");
    if (r->field->role != CV_LONG || r->type->life == CV_VOLATILE)
        return refuse_field(r, given, "only a long text can be redacted: the hashes need the others as they are");
    r->text = cv_row_text(r->row, r->field->offset);
    return r->text.p || refuse_field(r, given, "there is no text in this field");
}

/* A reason is short: what is not looked for elsewhere, because it is everywhere by chance, is found here. */
static bool is_repeated(const redaction *r, cv_str reason)
{
    cv_str text = cv_str_trim(r->text);
    return cv_trace_part_in(&r->trace, reason) || (text.n >= FEWEST_REPEATED && cv_str_find(reason, text) != SIZE_MAX);
}

static bool check_reason(redaction *r)
{
    cv_str reason = cv_json_get_text(r->call->input, "reason");
    if (cv_str_trim(reason).n > 0 && (cv_is_redacted(r->text, NULL) || !is_repeated(r, reason)))
        return true;
    cv_refuse(r->call, CV_ERR_INVALID_VALUE, CV_STR(""), "reason", (cv_str){NULL, 0},
              cv_str_trim(reason).n ? "the reason repeats what is to be redacted, and it is kept"
                                    : "say why, in words: the reason is kept");
    return false;
}

/* ---- where else the text is ---------------------------------------------------------------------------------------
 */

static void name_text(redaction *r, cv_redact_names *list, cv_scope_id scope, const cv_type *type, const void *row,
                      const cv_type_field *field)
{
    cv_arena *a = r->call->arena;
    bool other = !cv_str_eq(scope.name, r->scope.name) || !cv_str_eq(scope.room, r->scope.room);
    if (list->count >= MOST_NAMED)
        return;
    *CV_PUSH(a, list) = cv_arena_printf(a, "%.*s%s%.*s%s%.*s/%.*s", CV_FMT(other ? scope.room : CV_STR("")),
                                        other ? " " : "", CV_FMT(other ? scope.name : CV_STR("")), other ? " " : "",
                                        CV_FMT(cv_row_name(a, type, row)), CV_FMT(field->name));
}

/* Answers and events repeat lines of texts: one line is enough there. The answer of the write that made the row goes in
 * any case: it may repeat it in words that are shorter than a line. */
static bool holds_text(const redaction *r, const cv_type *type, const void *row, cv_str text)
{
    if (type == &cv_commit_row_type && cv_row_rev(row) == cv_row_rev(r->row) && r->type != &cv_commit_row_type)
        return true;
    return type == &cv_commit_row_type || type == &cv_event_row_type ? cv_trace_part_in(&r->trace, text)
                                                                     : cv_trace_in(&r->trace, text);
}

static bool is_target(const redaction *r, const cv_type *type, const void *row, const cv_type_field *field)
{
    return type == r->type && field == r->field && cv_row_order(type, row, r->row) == 0;
}

static void see_field(redaction *r, const cv_type *type, const void *row, const cv_type_field *field)
{
    cv_str text = cv_row_text(row, field->offset);
    if (!text.p || cv_is_redacted(text, NULL))
        return;
    if (field->role != CV_LONG || type->life == CV_VOLATILE) {
        if (cv_trace_in(&r->trace, text))
            name_text(r, &r->left, r->scope, type, row, field);
    } else if (is_target(r, type, row, field) || holds_text(r, type, row, text)) {
        name_text(r, &r->texts, r->scope, type, row, field);
        if (r->w)
            cv_writing_redact(r->w, r->event, type, row, field->name);
    } else if (cv_trace_has(&r->trace, text)) {
        name_text(r, &r->parts, r->scope, type, row, field);
    }
}

static bool see_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    visiting *v = ctx;
    (void)scope, (void)err;
    for (size_t i = 0; i < v->type->field_count; i++)
        if (!cv_field_is_int(&v->type->fields[i]))
            see_field(v->r, v->type, row, &v->type->fields[i]);
    return true;
}

/* Rows of other scopes are named only. */
static bool see_other_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    visiting *v = ctx;
    (void)err;
    for (size_t i = 0; i < v->type->field_count; i++) {
        const cv_type_field *field = &v->type->fields[i];
        if (!cv_field_is_int(field) && cv_trace_in(&v->r->trace, cv_row_text(row, field->offset)))
            name_text(v->r, &v->r->left, scope, v->type, row, field);
    }
    return true;
}

static bool see_other_scope(void *ctx, cv_scope_id scope, cv_err *err)
{
    redaction *r = ctx;
    bool own = cv_str_eq(scope.room, r->scope.room) && cv_str_eq(scope.name, r->scope.name);
    return own || each_row(r, scope, see_other_row, err);
}

/* The folder where the room keeps files of the scope, and those that it has elsewhere, if it says so. Rooms read the
 * record for it, so this is before the write. */
static bool find_files(redaction *r, cv_err *err)
{
    cv_err none = {.arena = r->call->arena}; /* a folder that cannot be had has no files of ours */
    for (size_t i = 0; cv_rooms[i]; i++) {
        const cv_room *room = cv_rooms[i];
        if (!cv_str_eq(cv_str_of(room->name), r->scope.room))
            continue;
        if (room->scope_folder && !room->scope_folder(r->call, r->scope.name, &r->folder, &none))
            r->folder = (cv_where){NULL, NULL};
        if (room->scope_files && !room->scope_files(r->call, r->scope.name, &r->single, err))
            return false;
    }
    return true;
}

static bool see_files(redaction *r, cv_err *err)
{
    bool ok = cv_redact_files_walk(&r->files, r->folder, err);
    for (size_t i = 0; ok && i < r->single.count; i++)
        ok = cv_redact_files_look(&r->files, &r->single.items[i], err);
    return ok;
}

/* ---- the answer ---------------------------------------------------------------------------------------------------
 */

/* What is stored: nothing of the text. */
static cv_str result_of(redaction *r)
{
    cv_arena *a = r->call->arena;
    cv_record_about about;
    r->call->record->calls->about(r->call->record, a, &about);
    r->name = cv_row_name(a, r->type, r->row);
    r->note = cv_arena_printf(a, "backups and exports outside of the project are not touched%s%.*s",
                              about.beyond.n ? "; " : "", CV_FMT(about.beyond));
    if (!cv_is_redacted(r->text, &r->sha256))
        r->sha256 = cv_hash_text(a, r->text);
    for (size_t i = 0; i < r->files.left.count; i++)
        *CV_PUSH(a, &r->left) = r->files.left.items[i];
    return cv_shape_text(a, cv_redact_shape, r);
}

/* ---- the write ----------------------------------------------------------------------------------------------------
 */

/* The caller; without a name the user who runs the program. */
static void name_actor(cv_call *call)
{
    const struct passwd *user = getpwuid(geteuid());
    if (call->who.name.p)
        return;
    call->who.name = user ? cv_arena_copy(call->arena, cv_str_of(user->pw_name))
                          : cv_arena_printf(call->arena, "user-%u", (unsigned)geteuid());
    call->who.standing = CV_STR("claimed");
}

static bool find_row(redaction *r, cv_err *err)
{
    if (r->w->at.rev == 0)
        return cv_scopes_missing(r->call, r->scope);
    if (!each_row(r, r->scope, see_candidate, err))
        return cv_call_fail(r->call, err);
    return (r->row || refuse_row(r)) && choose_field(r);
}

/* In the order that the head of this file gives. False: call->errs says why. */
static bool plan(redaction *r, cv_err *err)
{
    bool dry = cv_json_get_true(r->call->input, "dry_run");
    cv_writing *w = r->w;
    assert(r->row && r->field->role == CV_LONG && r->text.p && "the row and its text were found");
    r->trace = cv_trace_of(r->call->arena, r->field, r->text);
    if (!check_reason(r))
        return false;
    r->event = cv_writing_event(w, r->type->name, key_of(r->call->arena, r->type, r->row), CV_STR("redacted"));
    r->event->reason = cv_json_get_text(r->call->input, "reason");
    r->files = (cv_redact_files){.call = r->call,
                                 .trace = &r->trace,
                                 .mark = cv_redacted(r->call->arena, r->text),
                                 .change = !dry,
                                 .single = &r->single};
    r->w = dry ? NULL : w;
    bool ok = each_row(r, r->scope, see_row, err) && cv_scopes_each(r->call, CV_STR(""), see_other_scope, r, err) &&
              see_files(r, err);
    r->w = w;
    return ok || cv_call_fail(r->call, err);
}

/* Under the lock of the scope. */
static bool write_it(redaction *r, cv_outcome *outcome, cv_err *err)
{
    if (!cv_request_replayed(r->call, r->scope, outcome, err))
        return cv_call_fail(r->call, err);
    if (outcome->replayed)
        return true;
    if (!find_row(r, err))
        return false;
    if (cv_is_redacted(r->text, NULL)) { /* done before: what is left is the database, and backups that may have it */
        r->files = (cv_redact_files){.call = r->call, .trace = &r->trace, .mark = r->text, .single = &r->single};
        if (!see_files(r, err))
            return cv_call_fail(r->call, err);
        *outcome = (cv_outcome){.rev = r->w->at.rev, .result = result_of(r)};
        return true;
    }
    return plan(r, err) && cv_request_commit(r->call, r->w, result_of(r), outcome);
}

static bool lock_and_write(redaction *r, cv_outcome *outcome, cv_err *err)
{
    cv_call *call = r->call;
    if (!find_files(r, err) || !cv_writing_begin(r->w, call->record, call->arena, r->scope,
                                                 cv_json_get_text(call->input, "op_id"), cv_call_now(call), err))
        return cv_call_fail(call, err);
    bool ok = write_it(r, outcome, err);
    cv_writing_end(r->w);
    return ok;
}

bool cv_project_redact(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_writing w;
    cv_outcome outcome = {0};
    redaction r = {.call = call,
                   .kind = cv_json_get_text(call->input, "kind"),
                   .id = cv_json_get_text(call->input, "id"),
                   .w = &w};
    if (!cv_scopes_given(call, &r.scope))
        return false;
    name_actor(call);
    cv_request_begin(call, CV_STR("redact"));
    bool ok = lock_and_write(&r, &outcome, &err);
    if (r.single.release)
        r.single.release(r.single.hold);
    if (!ok)
        return false;
    if (!cv_json_get_true(call->input, "dry_run") && !call->record->calls->scrub(call->record, call->arena, &err))
        return cv_call_fail(call, &err);
    cv_request_answer(call, &outcome);
    return true;
}
