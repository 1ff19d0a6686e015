/* export.c - `notes export`: the log for others, as JSON, Markdown or SQL.
 *
 *     spec      dialog_messages as the specification maps it: agent_name, target, message_text, … ; any SQL database
 *     current   lupo_dialog_messages as upstream has it now (MySQL): actors are numbers there, which the log does not
 *               know, so names go into metadata_json; text beyond 1,000 characters goes into message_body
 *
 * The statements of each dialect are in sql/export/: what comes first, then what is written for each message, with
 * :names for its values. Nothing is cut and nothing is run: they are for people to read. Rows come in the order of
 * their numbers.
 */
#include "base/file.h"
#include "base/utf8.h"
#include "kit/destination.h"
#include "notes/document.h"
#include "notes/found.h"
#include "notes/log.h"
#include "notes/operations.h"

#define FORMAT "conclave notes 1"
enum { MOST_TEXT = 1000 }; /* characters of message_text in the current dialect */

typedef struct {
    cv_call *call;
    cv_str format, path, speaker, output, document;
    bool current_dialect, only_current;
    int64_t thread, since;
    cv_buf out;
    cv_json_writer json;
    cv_note_entries entries; /* Markdown */
    size_t messages;
    const void *as_file, *as_document;
} exporting;

#define CV_THIS_TYPE exporting
static const cv_shape file_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, messages, "that were written"),
    CV_FIELD(ALWAYS, output, "the file"),
    {0},
};
static const cv_shape document_shape[] = {
    CV_DOCUMENT(document, "Markdown or SQL; JSON is the answer itself"),
    CV_LATER(IF_ANY, "format", TEXT, CV_NO_LIMIT, "of the document: " FORMAT),
    CV_LATER(IF_ANY, "dialog_messages", ANY, CV_NO_LIMIT, "a list of rows"),
    {0},
};
const cv_shape cv_notes_export_shape[] = {CV_CASE(as_file, file_shape), CV_CASE(as_document, document_shape), {0}};
#undef CV_THIS_TYPE

/* ---- SQL --------------------------------------------------------------------------------------------------------- */

static void add_text(exporting *x, cv_str text)
{
    cv_buf_add_char(&x->out, '\'');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\'' || (text.p[i] == '\\' && x->current_dialect)) /* a backslash escapes in MySQL */
            cv_buf_add_char(&x->out, text.p[i]);
        cv_buf_add_char(&x->out, text.p[i]);
    }
    cv_buf_add_char(&x->out, '\'');
}

static void add_text_or_null(exporting *x, cv_str text)
{
    if (text.p)
        add_text(x, text);
    else
        cv_buf_add_z(&x->out, "NULL");
}

static void add_number(exporting *x, int64_t number)
{
    if (number == CV_ABSENT)
        cv_buf_add_z(&x->out, "NULL");
    else
        cv_buf_printf(&x->out, "%lld", (long long)number);
}

/* Where it comes from and what the table has no column for. */
static cv_str metadata_of(const exporting *x, const cv_note_row *r)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    if (x->current_dialect) {
        cv_json_key_str(&w, "speaker", r->agent_name);
        cv_json_key_str(&w, "target", r->target);
        cv_json_key_bool(&w, "is_broadcast", r->is_broadcast == 1);
        cv_json_key_int(&w, "node_id", r->node_id);
    }
    cv_json_key_str(&w, "source_path", r->path);
    cv_json_key_str(&w, "source_kind", r->source_kind);
    cv_json_key_int(&w, "line_start", r->line_start);
    cv_json_key_int(&w, "line_end", r->line_end);
    cv_json_key_str(&w, "ts_source", r->ts_source);
    cv_json_key_str(&w, "status", r->status);
    cv_json_key_raw_if(&w, "fields", r->metadata_json);
    cv_json_end_object(&w);
    return cv_buf_take(&text, x->call->arena);
}

static cv_str beginning(cv_str text)
{
    cv_str rest = text;
    for (size_t n = 0; rest.n && n < MOST_TEXT; n++) {
        size_t step = cv_utf8_first(rest);
        rest = cv_str_from(rest, step ? step : 1);
    }
    return cv_str_head(text, text.n - rest.n);
}

/* ":name" of a statement: a number, or a text. */
typedef struct {
    const char *name;
    bool is_number;
    int64_t number;
    cv_str text; /* absent: NULL */
} parameter;

static void add_value(exporting *x, const parameter *p)
{
    if (p->is_number)
        add_number(x, p->number);
    else
        add_text_or_null(x, p->text);
}

/* A statement with its parameters; every ":name" of the files is one of them. */
static void add_statement(exporting *x, cv_str statement, const parameter *all, size_t count)
{
    for (size_t at; (at = cv_str_find_char(statement, ':')) != SIZE_MAX;) {
        cv_buf_add(&x->out, cv_str_head(statement, at));
        statement = cv_str_from(statement, at + 1);
        size_t i = 0, n = 0;
        while (n < statement.n && cv_is_alpha(statement.p[n]))
            n++;
        while (i < count && !cv_str_eq(cv_str_of(all[i].name), cv_str_head(statement, n)))
            i++;
        assert(i < count && "sql/export/ names a value that there is");
        add_value(x, &all[i]);
        statement = cv_str_from(statement, n);
    }
    cv_buf_add(&x->out, statement);
}

/* What comes first, and what is written for each message. */
static void find_statements(const exporting *x, cv_str *ret_begin, cv_str *ret_each)
{
    static const cv_str mark = CV_STR_INIT("-- each message\n");
    cv_str dialect = x->current_dialect ? CV_STR("current") : CV_STR("spec"), text = {NULL, 0};
    for (size_t i = 0; i < cv_export_files_count; i++)
        if (cv_str_eq(cv_str_of(cv_export_files[i].name), dialect))
            text = cv_export_files[i].text;
    size_t at = cv_str_find(text, mark);
    assert(at != SIZE_MAX && "sql/export/ has the dialect, in two parts");
    *ret_begin = cv_str_head(text, at);
    *ret_each = cv_str_from(text, at + mark.n);
}

static void add_sql(exporting *x, const cv_note_row *r)
{
    cv_str begin, each, head = x->current_dialect ? beginning(r->message_text) : r->message_text;
    const parameter all[] = {
        {"number", true, r->dialog_message_id, {0}},
        {"thread", true, r->dialog_threads_id, {0}},
        {"created", true, r->created_ymdhis, {0}},
        {"node", true, r->node_id, {0}},
        {"broadcast", true, r->is_broadcast == 1, {0}},
        {"agent", false, 0, r->agent_name},
        {"target", false, 0, r->target},
        {"type", false, 0, r->message_type},
        {"mood", false, 0, r->mood_rgb},
        {"metadata", false, 0, metadata_of(x, r)},
        {"text", false, 0, head},
        {"body", false, 0, head.n < r->message_text.n ? r->message_text : (cv_str){NULL, 0}},
    };
    find_statements(x, &begin, &each);
    add_statement(x, each, all, CV_COUNT(all));
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void add_json(exporting *x, const cv_note_row *r)
{
    cv_json_writer *w = &x->json;
    cv_json_begin_object(w);
    cv_json_key_int(w, "dialog_message_id", r->dialog_message_id);
    cv_json_key_str(w, "agent_name", r->agent_name);
    cv_json_key_str(w, "target", r->target);
    cv_json_key_str(w, "message_text", r->message_text);
    cv_json_key_int(w, "created_ymdhis", r->created_ymdhis);
    cv_json_key_str(w, "mood_rgb", r->mood_rgb);
    cv_json_key_int(w, "node_id", r->node_id);
    cv_json_key(w, CV_STR("dialog_threads_id"));
    if (r->dialog_threads_id == CV_ABSENT)
        cv_json_null(w);
    else
        cv_json_int(w, r->dialog_threads_id);
    cv_json_key_str(w, "message_type", r->message_type);
    cv_json_key_int(w, "is_broadcast", r->is_broadcast == 1);
    cv_json_key(w, CV_STR("metadata_json"));
    cv_json_raw(w, metadata_of(x, r));
    cv_json_end_object(w);
}

static bool visit(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    exporting *x = ctx;
    const cv_note_row *r = row;
    cv_arena *a = x->call->arena;
    (void)scope;
    if ((x->path.p && !cv_str_eq(r->path, x->path)) || (x->speaker.p && !cv_str_eq(r->speaker, x->speaker)) ||
        (x->thread != CV_ABSENT && r->dialog_threads_id != x->thread) ||
        (x->since != CV_ABSENT && r->created_ymdhis < x->since) ||
        (x->only_current && !cv_str_eq(r->status, cv_note_current)))
        return true;
    x->messages++;
    if (cv_str_eq(x->format, CV_STR("sql"))) {
        add_sql(x, r);
    } else if (cv_str_eq(x->format, CV_STR("md"))) {
        *CV_PUSH(a, &x->entries) = cv_note_entry_of(cv_row_copy(a, &cv_note_row_type, row));
    } else {
        add_json(x, r);
    }
    return cv_buf_ok(&x->out) || cv_err_set(err, CV_ERR_TOO_LARGE, "the document is too large");
}

static bool make_document(exporting *x, cv_err *err)
{
    const cv_find find = {.type = &cv_note_row_type, .index = cv_notes_by_number, .scope = cv_notes_scope()};
    bool is_json = cv_str_eq(x->format, CV_STR("json"));
    if (cv_str_eq(x->format, CV_STR("sql"))) {
        cv_str begin, each;
        find_statements(x, &begin, &each);
        cv_buf_add(&x->out, begin);
    }
    if (is_json) {
        cv_json_begin_object(&x->json);
        cv_json_key_str(&x->json, "format", CV_STR(FORMAT));
        cv_json_key(&x->json, CV_STR("dialog_messages"));
        cv_json_begin_array(&x->json);
    }
    if (!x->call->record->calls->find(x->call->record, &find, visit, x, err))
        return false;
    if (is_json) {
        cv_json_end_array(&x->json);
        cv_json_end_object(&x->json);
    }
    if (cv_str_eq(x->format, CV_STR("md")))
        cv_notes_print_md(&x->out, CV_STR("Dialog history"), &x->entries);
    return true;
}

static bool read_request(exporting *x, cv_where *ret_where, cv_err *err)
{
    cv_call *call = x->call;
    cv_str format = cv_json_get_text(call->input, "format"), path = cv_json_get_text(call->input, "path");
    cv_str since = cv_json_get_text(call->input, "since");
    cv_where where;
    x->format = format.p ? format : CV_STR("json");
    x->current_dialect = cv_str_eq(cv_json_get_text(call->input, "dialect"), CV_STR("current"));
    x->only_current = cv_json_get_true(call->input, "current");
    x->thread = cv_json_get_int(call->input, "thread", CV_ABSENT);
    x->output = cv_json_get_text(call->input, "output");
    x->speaker = cv_json_get_text(call->input, "speaker");
    x->speaker = x->speaker.p ? cv_arena_lower(call->arena, x->speaker) : x->speaker;
    x->since = CV_ABSENT;
    if (since.p && !cv_notes_since(since, &x->since, err))
        return false;
    if (path.p) {
        if (!cv_notes_where(call, path, &where, err)) {
            cv_err_field(err, CV_STR("path"));
            return false;
        }
        x->path = cv_str_of(where.path);
    }
    if (!x->output.p || cv_str_eq(x->output, CV_STR("-"))) {
        x->output = (cv_str){NULL, 0};
        return true;
    }
    if (cv_destination_where(call, x->output, ret_where, err))
        return true;
    cv_err_field(err, CV_STR("output"));
    return false;
}

bool cv_notes_op_export(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    exporting x = {.call = call};
    cv_where where = {0};
    x.json = (cv_json_writer){.out = &x.out, .indent = 2};
    bool ok = read_request(&x, &where, &err) && make_document(&x, &err);
    cv_str text = cv_buf_take(&x.out, call->arena);
    if (!ok)
        return cv_call_fail(call, &err);
    if (!x.output.p && cv_str_eq(x.format, CV_STR("json"))) {
        call->verbatim = true;
        cv_buf_add(call->out, text);
        return true;
    }
    x.document = text;
    x.as_document = x.output.p ? NULL : &x;
    x.as_file = x.output.p ? &x : NULL;
    bool ends = text.n && text.p[text.n - 1] == '\n';
    if (x.output.p &&
        !cv_notes_write_document(call, where, ends ? text : cv_arena_join(call->arena, text, CV_STR("\n")), &err)) {
        cv_err_field(&err, CV_STR("output"));
        return cv_call_fail(call, &err);
    }
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_export_shape, &x);
    return true;
}
