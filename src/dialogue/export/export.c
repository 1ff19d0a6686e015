/* export.c - a dialogue as one file: JSON, a page that opens anywhere (report.h), or a table (csv.h).
 *
 *     record -> state + graph -> head | rounds (responses streamed) | entities (contents streamed) | moves, verdicts
 *               | rows
 *
 * The file has every field of both shapes that the specification shows, so that readers of either are served. It holds
 * nothing but the record: the same record gives the same bytes, on every engine and at any time. It is written while it
 * is read, one page at a time, and appears under its name only when it is whole and on disk.
 *
 * Reading takes up to four snapshots. When somebody writes to the dialogue between them, what was written so far is
 * thrown away and the export begins again.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "dialogue/export/csv.h"
#include "dialogue/export/exporter.h"
#include "dialogue/export/report.h"
#include "dialogue/files.h"
#include "dialogue/operations.h"
#include "kit/destination.h"

enum { AS_JSON, AS_HTML, AS_CSV };

typedef struct {
    cv_str dialogue_id;
    cv_where where; /* path NULL: the document is the answer */
    size_t format;  /* in `formats` */
    bool moved;     /* somebody wrote meanwhile */
} job;

static const cv_str formats[] = {
    [AS_JSON] = CV_STR_INIT("json"),
    [AS_HTML] = CV_STR_INIT("html"),
    [AS_CSV] = CV_STR_INIT("csv"),
};

/* ---- where to ---------------------------------------------------------------------------------------------------- */

static bool default_place(cv_call *call, const cv_export *x, const job *j, cv_where *ret_where, cv_err *err)
{
    static const char *const names[] = {
        [AS_JSON] = "dialogue.json", [AS_HTML] = "report.html", [AS_CSV] = "dialogue.csv"};
    cv_where folder;
    if (!cv_dialogue_folder(call, &x->s, &folder, err) || !cv_folder_make_at(folder, err))
        return false;
    *ret_where = cv_where_in(call->arena, folder, names[j->format]);
    return true;
}

/* An export names its format first, as nobody else's file does; so does a report, and a table has our columns. */
static bool is_export(cv_str bytes)
{
    if (cv_report_is_one(bytes) || cv_csv_is_one(bytes))
        return true;
    cv_str word = cv_str_from(bytes, sizeof "{\n  \"format\": \"" - 1);
    return cv_str_starts(bytes, CV_STR("{\n  \"format\": \"")) && cv_str_starts(word, cv_export_format) &&
           cv_str_starts(cv_str_from(word, cv_export_format.n), CV_STR("\",\n"));
}

static bool is_ours(void *ctx, cv_str bytes, bool unmarked)
{
    return cv_destination_forced(ctx) || (unmarked && is_export(bytes));
}

/* An earlier export is replaced; any other file only with `force`. */
static bool may_replace(cv_call *call, cv_where where, cv_err *err)
{
    char beginning[512];
    cv_err unread = {.arena = call->arena};
    if (cv_destination_forced(call) || !cv_where_is_regular(where))
        return true; /* nothing there, or the writer will say why it cannot be written */
    int fd = cv_where_open(where, O_RDONLY, "open the file", &unread);
    ssize_t n = fd >= 0 ? read(fd, beginning, sizeof beginning) : -1;
    if (fd >= 0)
        close(fd);
    if (n == 0 || (n > 0 && is_export((cv_str){beginning, (size_t)n})))
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "there is another file of this name");
    cv_err_value(err, cv_str_of(cv_where_path(call->arena, where)));
    cv_err_suggest(err, cv_destination_advice(call));
    return false;
}

static bool choose_place(cv_call *call, const cv_export *x, job *j, cv_err *err)
{
    cv_str given = cv_json_get_text(call->input, "output_path");
    j->where = cv_where_named(NULL);
    if (cv_str_eq(given, CV_STR("-")))
        return true;
    if (!given.p)
        return default_place(call, x, j, &j->where, err) && may_replace(call, j->where, err);
    if (cv_destination_where(call, given, &j->where, err) && may_replace(call, j->where, err))
        return true;
    cv_err_field(err, CV_STR("output_path"));
    return false;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

/* Responses come before entities: the first entity ends the rounds. */
static bool write_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    cv_export *x = ctx;
    if (!cv_row_check(kind, row, err))
        return false;
    if (kind == CV_REC_RESPONSE) {
        cv_export_response(x, row);
    } else if (kind == CV_REC_ENTITY) {
        if (x->section == 0)
            cv_export_rounds_end(x);
        cv_export_entity(x, row);
    }
    return cv_buf_ok(x->w.out) || cv_err_set(err, CV_ERR_IO, "cannot write the export");
}

static bool write_document(cv_export *x, job *j, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY)};
    cv_position position;
    bool found;
    cv_export_head(x);
    cv_export_rounds_begin(x);
    if (!cv_snapshot(x->call, x->s.id, &wanted, write_row, x, &position, &found, err))
        return false;
    j->moved = !found || position.rev != x->s.position.rev;
    if (x->section == 0)
        cv_export_rounds_end(x);
    cv_export_entities_end(x);
    cv_export_tail(x);
    if (!cv_export_record(x, j->format == AS_HTML || cv_json_get_true(x->call->input, "plain"), &position, err))
        return false;
    j->moved |= position.rev != x->s.position.rev;
    cv_json_end_object(&x->w);
    cv_export_warn_rest(x);
    return true;
}

static bool write_table(cv_export *x, job *j, cv_buf *out, cv_err *err)
{
    cv_position position;
    bool ok = cv_csv_print(x, out, &position, err);
    j->moved = ok && position.rev != x->s.position.rev;
    return ok;
}

/* The document itself, or the page that carries it; or the table. */
static bool write_format(cv_export *x, job *j, cv_buf *out, cv_err *err)
{
    cv_buf document = {0};
    bool html = j->format == AS_HTML;
    if (j->format == AS_CSV)
        return write_table(x, j, out, err);
    x->w.out = html ? &document : out;
    bool ok = write_document(x, j, err);
    if (ok && !j->moved && html)
        cv_report_print(x->call->arena, x->s.id, x->s.dialogue.title, cv_buf_str(&document), out);
    cv_buf_release(&document);
    return ok;
}

static bool write_file(cv_export *x, job *j, cv_err *err)
{
    cv_call *call = x->call;
    cv_file_writer writer;
    cv_file_rules rules = {.arena = call->arena, .is_ours = is_ours, .ctx = call};
    if (!cv_file_begin(&writer, NULL, j->where, &rules, err))
        return false;
    bool ok = write_format(x, j, &writer.out, err);
    if (j->format == AS_JSON)
        cv_buf_add_char(&writer.out, '\n'); /* an answer gets its own from the door */
    if (ok && !j->moved) {
        ok = cv_file_commit(&writer, err);
        cv_dialogue_file_warn(call, &rules, (cv_str){NULL, 0}, &x->warnings);
        return ok;
    }
    if (!cv_buf_ok(&writer.out))
        return cv_file_commit(&writer, err); /* fails, and tells why */
    cv_file_rollback(&writer);
    return ok;
}

/* A report and a table are a text in the answer: people get the text alone. */
static bool answer_text(cv_export *x, job *j, cv_err *err)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = x->call->out};
    bool ok = write_format(x, j, &text, err);
    if (ok && !j->moved) {
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "status", CV_STR("success"));
        cv_json_key_str(&w, "dialogue_id", x->s.id);
        cv_json_key_int(&w, "rev", x->s.position.rev);
        cv_json_key(&w, formats[j->format]);
        cv_json_str(&w, cv_buf_str(&text));
        cv_json_end_object(&w);
    }
    cv_buf_release(&text);
    return ok;
}

static bool write_answer(cv_export *x, job *j, cv_err *err)
{
    cv_buf *out = x->call->out;
    size_t before = out->n;
    x->w.out = out;
    if (!write_document(x, j, err))
        return false;
    if (!cv_buf_ok(out))
        return cv_err_set(err, CV_ERR_TOO_LARGE, "the document is too large for an answer: name an output_path");
    if (j->moved && out->sink)
        return cv_err_set(err, CV_ERR_REV_CONFLICT, "the dialogue was changed while it was exported: try again");
    if (j->moved)
        out->n = before;
    x->call->verbatim = true;
    return true;
}

/* One try: everything is read and written, or j->moved. */
static bool attempt(cv_call *call, job *j, cv_export *x, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) |
                                       CV_REC_BIT(ROUND) | CV_REC_BIT(SCORE) | CV_REC_BIT(MOVE) | CV_REC_BIT(VERDICT) |
                                       CV_REC_BIT(POSITION)};
    cv_position position;
    x->call = call;
    if (!cv_state_load(call, j->dialogue_id, &wanted, &x->s, err) || !choose_place(call, x, j, err) ||
        !cv_graph_load(call, &x->s, &x->g, &position, err))
        return false;
    j->moved = position.rev != x->s.position.rev;
    if (j->moved)
        return true;
    if (j->where.path)
        return write_file(x, j, err);
    return j->format == AS_JSON ? write_answer(x, j, err) : answer_text(x, j, err);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void write_stats(const cv_export *x, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("stats"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "rounds", (int64_t)x->s.rounds.count);
    cv_json_key_int(w, "experts", (int64_t)x->s.experts.count);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_int(w, (int64_t)x->counts[kind]);
    }
    cv_json_key_int(w, "verdicts", (int64_t)x->s.verdicts.count);
    cv_json_key_int(w, "totalAlignment",
                    x->s.dialogue.total_alignment == CV_ABSENT ? 0 : x->s.dialogue.total_alignment);
    cv_json_end_object(w);
}

static void answer(const cv_export *x, const char *path)
{
    cv_json_writer w = {.out = x->call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", x->s.id);
    cv_json_key_str(&w, "path", cv_str_of(path));
    cv_json_key_int(&w, "rev", x->s.position.rev);
    write_stats(x, &w);
    cv_notices_answer(&x->warnings, &w);
    cv_json_end_object(&w);
}

bool cv_dialogue_export(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    job j = {.dialogue_id = cv_json_get_text(call->input, "dialogue_id")};
    for (size_t i = 0; i < CV_COUNT(formats); i++)
        if (cv_str_eq(cv_json_get_text(call->input, "format"), formats[i]))
            j.format = i;
    if (j.format == AS_HTML && !cv_report_possible(&err)) {
        cv_err_field(&err, CV_STR("format"));
        return cv_call_fail(call, &err);
    }
    for (int tries = 0; tries < CV_MAX_READINGS; tries++) {
        cv_export *x = CV_NEW(call->arena, cv_export);
        j.moved = false;
        if (!attempt(call, &j, x, &err))
            return cv_call_fail(call, &err);
        if (j.moved)
            continue;
        if (j.where.path)
            answer(x, cv_where_path(call->arena, j.where));
        return true;
    }
    return cv_state_kept_moving(call);
}
