/* export.c - `notes export`: the log for others, as JSON, Markdown or SQL.
 *
 *     spec      dialog_messages as the specification maps it: agent_name, target, message_text, … ; any SQL database
 *     current   lupo_dialog_messages as upstream has it now (MySQL): actors are numbers there, which the log does not
 *               know, so names go into metadata_json; text beyond 1,000 characters goes into message_body
 *
 * Nothing is cut and nothing is run: the statements are for whoever reads them. Rows come in the order of their
 * numbers.
 */
#include "base/file.h"
#include "base/utf8.h"
#include "kit/outlet.h"
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

typedef enum {
    ID,
    THREAD,
    AGENT,
    TARGET,
    TEXT,
    BODY,
    TYPE,
    CREATED,
    MOOD,
    NODE,
    BROADCAST,
    META,
    DELETED,
    FRAMEWORK,
    NONE
} column_of;

typedef struct {
    const char *name, *type;
    column_of of;
} column;

static const column spec_columns[] = {
    {"dialog_message_id", "BIGINT PRIMARY KEY", ID},
    {"agent_name", "VARCHAR(255) NOT NULL", AGENT},
    {"target", "VARCHAR(1000) NOT NULL", TARGET},
    {"message_text", "TEXT NOT NULL", TEXT},
    {"created_ymdhis", "BIGINT NOT NULL", CREATED},
    {"mood_rgb", "CHAR(6) NOT NULL DEFAULT '666666'", MOOD},
    {"node_id", "BIGINT NOT NULL DEFAULT 1", NODE},
    {"dialog_threads_id", "BIGINT", THREAD},
    {"message_type", "VARCHAR(20) NOT NULL DEFAULT 'text'", TYPE},
    {"is_broadcast", "SMALLINT NOT NULL DEFAULT 0", BROADCAST},
    {"metadata_json", "TEXT", META},
};

static const column current_columns[] = {
    {"dialog_message_id", "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY", ID},
    {"dialog_thread_id", "bigint", THREAD},
    {"channel_id", "bigint", NONE},
    {"from_actor_id", "bigint", NONE},
    {"to_actor_id", "bigint", NONE},
    {"message_text", "varchar(1000) NOT NULL", TEXT},
    {"message_type", "enum('text','command','system','error') DEFAULT 'text'", TYPE},
    {"metadata_json", "json", META},
    {"mood_rgb", "char(6)", MOOD},
    {"mood_framework", "varchar(32) DEFAULT 'western_analytical'", FRAMEWORK},
    {"created_ymdhis", "bigint NOT NULL", CREATED},
    {"updated_ymdhis", "bigint NOT NULL", CREATED},
    {"is_deleted", "tinyint NOT NULL DEFAULT 0", DELETED},
    {"deleted_ymdhis", "bigint", NONE},
    {"message_body", "mediumtext", BODY},
};

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

static void add_column(exporting *x, const column *c, const cv_note_row *r)
{
    cv_str head = x->current_dialect ? beginning(r->message_text) : r->message_text;
    switch (c->of) {
    case ID:
        add_number(x, r->dialog_message_id);
        return;
    case THREAD:
        add_number(x, r->dialog_threads_id);
        return;
    case CREATED:
        add_number(x, r->created_ymdhis);
        return;
    case NODE:
        add_number(x, r->node_id);
        return;
    case BROADCAST:
        add_number(x, r->is_broadcast == 1);
        return;
    case DELETED: /* rows are never removed; what left its file says so in its metadata */
        add_number(x, 0);
        return;
    case AGENT:
        add_text(x, r->agent_name);
        return;
    case TARGET:
        add_text(x, r->target);
        return;
    case TYPE:
        add_text(x, r->message_type);
        return;
    case MOOD:
        add_text(x, r->mood_rgb);
        return;
    case META:
        add_text(x, metadata_of(x, r));
        return;
    case TEXT:
        add_text(x, head);
        return;
    case BODY:
        add_text_or_null(x, head.n < r->message_text.n ? r->message_text : (cv_str){NULL, 0});
        return;
    case FRAMEWORK:
        add_text(x, CV_STR("western_analytical"));
        return;
    case NONE:
        cv_buf_add_z(&x->out, "NULL");
        return;
    }
}

static const column *columns_of(const exporting *x, size_t *ret_count, const char **ret_table)
{
    *ret_count = x->current_dialect ? CV_COUNT(current_columns) : CV_COUNT(spec_columns);
    *ret_table = x->current_dialect ? "lupo_dialog_messages" : "dialog_messages";
    return x->current_dialect ? current_columns : spec_columns;
}

static void begin_sql(exporting *x)
{
    size_t count;
    const char *table;
    const column *all = columns_of(x, &count, &table);
    cv_buf_printf(&x->out, "-- conclave notes: %s\n\nCREATE TABLE IF NOT EXISTS %s (", table, table);
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(&x->out, "%s\n    %s %s", i ? "," : "", all[i].name, all[i].type);
    cv_buf_add_z(&x->out, "\n);\n");
}

static void add_sql(exporting *x, const cv_note_row *r)
{
    size_t count;
    const char *table;
    const column *all = columns_of(x, &count, &table);
    cv_buf_printf(&x->out, "INSERT INTO %s (", table);
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(&x->out, "%s%s", i ? ", " : "", all[i].name);
    cv_buf_add_z(&x->out, ") VALUES (");
    for (size_t i = 0; i < count; i++) {
        cv_buf_add_z(&x->out, i ? ", " : "");
        add_column(x, &all[i], r);
    }
    cv_buf_add_z(&x->out, ");\n");
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
        r = cv_row_copy(a, &cv_note_row_type, row);
        *CV_PUSH(a, &x->entries) = (cv_note_entry){.speaker = r->agent_name,
                                                   .target = r->target,
                                                   .mood_rgb = r->mood_rgb,
                                                   .message = r->message_text,
                                                   .source = r->path,
                                                   .date = r->created_ymdhis,
                                                   .line = r->line_start,
                                                   .last_line = r->line_end};
    } else {
        add_json(x, r);
    }
    return cv_buf_ok(&x->out) || cv_err_set(err, CV_ERR_TOO_LARGE, "the document is too large");
}

static bool make_document(exporting *x, cv_err *err)
{
    const cv_find find = {.type = &cv_note_row_type, .index = cv_notes_by_number, .scope = cv_notes_scope()};
    bool is_json = cv_str_eq(x->format, CV_STR("json"));
    if (cv_str_eq(x->format, CV_STR("sql")))
        begin_sql(x);
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
    if (cv_outlet_where(call, x->output, ret_where, err))
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
