/* extract.c - `notes extract`: dialogs taken out of files, or out of a thread of the log, as one document.
 *
 *     files and folders -> found -> filtered, ordered, limited -> Markdown, JSON or YAML, printed or written
 *                                                              -> with to_db: logged, and given to a thread
 *
 * What is malformed and what is missing is reported as a warning and skipped; nothing is skipped silently.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "kit/destination.h"
#include "kit/fault.h"
#include "kit/invoke.h"
#include "kit/notice.h"
#include "kit/request.h"
#include "notes/document.h"
#include "notes/found.h"
#include "notes/log.h"
#include "notes/operations.h"
#include "notes/threads.h"
#include "notes/words/errors.h"

typedef struct {
    cv_call *call;
    cv_note_entries all;
    size_t count, files, logged;
    int64_t since, thread;
    cv_str format, text, output, what; /* what it is an extract of, for its file's name */
    cv_notices warnings;
} extracting;

#define CV_THIS_TYPE cv_note_entry
static void write_lines(cv_json_writer *w, const void *value)
{
    const cv_note_entry *e = value;
    char lines[48];
    int n = snprintf(lines, sizeof lines, "%lld-%lld", (long long)e->line, (long long)e->last_line);
    cv_json_str(w, (cv_str){lines, (size_t)n});
}
static const cv_shape entry_shape[] = {
    CV_FIELD(ALWAYS, speaker, ""),
    CV_FIELD(ALWAYS, target, ""),
    CV_FIELD_AS(ALWAYS, "mood_RGB", mood_rgb, ""),
    CV_FIELD(ALWAYS, message, ""),
    CV_FIELD_AS(OR_NULL, "date_ymdhis", date, "null: it is not known"),
    CV_FIELD(ALWAYS, source, "the file"),
    CV_BY_HAND("source_lines", write_lines, "{\"type\":\"string\"}"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE extracting
const cv_shape cv_notes_extract_shape[] = {
    CV_SUCCESS,
    CV_FIELD(IF_ANY, files, "that were read"),
    CV_FIELD(ALWAYS, count, "dialogs in the extract"),
    CV_LIST("dialogs", all.items, all.count, entry_shape, "in their order"),
    CV_FIELD(IF_ANY, output, "the file that was written"),
    CV_FIELD(IF_ANY, logged, "of them, new in dialog_messages"),
    CV_FIELD(IF_ANY, thread, "dialog_threads_id that they were given to"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "what was skipped"),
    CV_DOCUMENT(text, "the document, for people"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- out of files ------------------------------------------------------------------------------------------------ */

static bool addresses(cv_arena *a, cv_str target, cv_str name)
{
    cv_note_names names = {0}, wanted = {0};
    cv_note_addressees(a, target, &names);
    cv_note_addressees(a, name, &wanted);
    for (size_t i = 0; i < names.count; i++)
        for (size_t k = 0; k < wanted.count; k++)
            if (cv_str_eq(names.items[i], wanted.items[k]))
                return true;
    return false;
}

static void take(extracting *x, const cv_note_entry *e)
{
    const cv_json *in = x->call->input;
    cv_str speaker = cv_json_get_text(in, "speaker"), target = cv_json_get_text(in, "target");
    if ((speaker.p && !cv_str_eq_nocase(speaker, e->speaker)) ||
        (target.p && !addresses(x->call->arena, e->target, target)) ||
        (x->since != CV_ABSENT && (e->date == CV_ABSENT || e->date < x->since)))
        return;
    *CV_PUSH(x->call->arena, &x->all) = *e;
}

static int64_t number_of(cv_str digits)
{
    int64_t n = 0;
    for (size_t i = 0; i < digits.n; i++)
        n = n * 10 + (digits.p[i] - '0');
    return n;
}

static void take_note(extracting *x, const cv_notes_file_found *f, const cv_found_note *n)
{
    cv_arena *a = x->call->arena;
    cv_str own = n->of[CV_NOTE_DATE], mood = n->of[CV_NOTE_MOOD];
    if (n->reason == CV_FENCED || n->reason == CV_IN_STRING)
        return;
    if (n->reason != CV_COUNTS) {
        cv_notice_add(&x->warnings, a, CV_STR("malformed_dialog"), "%.*s:%zu: skipped: %.*s", CV_FMT(f->path), n->line,
                      CV_FMT(cv_note_reasons[n->reason]));
        return;
    }
    bool has_date = own.p && cv_notes_date_valid(own);
    if (cv_notes_length(n->of[CV_NOTE_MESSAGE]) > CV_NOTES_MAX_MESSAGE)
        cv_notice_add(&x->warnings, a, CV_STR("long_message"), "%.*s:%zu: the message has more than %d characters",
                      CV_FMT(f->path), n->line, CV_NOTES_MAX_MESSAGE);
    take(x, &(cv_note_entry){.speaker = n->of[CV_NOTE_SPEAKER],
                             .target = n->of[CV_NOTE_TARGET],
                             .mood_rgb = mood.p && cv_mood_valid(mood) ? mood : cv_mood_default,
                             .message = n->of[CV_NOTE_MESSAGE],
                             .source = f->path,
                             .date = has_date    ? number_of(own)
                                     : n->date.p ? number_of(n->date)
                                                 : CV_ABSENT,
                             .line = (int64_t)n->line,
                             .last_line = (int64_t)n->last_line,
                             .path = f->path,
                             .digest = cv_note_digest(a, n)});
}

/* Is the file in this folder itself? */
static bool is_directly_in(cv_str path, cv_str folder)
{
    cv_str below = folder.n && cv_str_starts(path, folder) ? cv_str_from(path, folder.n) : path;
    below = below.n && below.p[0] == '/' ? cv_str_from(below, 1) : below;
    return cv_str_find_char(below, '/') == SIZE_MAX;
}

/* A path that is there goes on; one that is not is a warning. */
static void add_path(extracting *x, cv_json_writer *w, cv_str path, size_t *count)
{
    cv_where where;
    cv_err err = {.arena = x->call->arena};
    if (!path.p)
        return;
    if (cv_notes_where(x->call, path, &where, &err) && cv_where_check(where, &err) && cv_file_is_there(where, &err)) {
        cv_json_str(w, path);
        ++*count;
    } else {
        cv_notice_add(&x->warnings, x->call->arena, CV_STR("missing_path"), "%.*s: skipped: %.*s", CV_FMT(path),
                      CV_FMT(err.message));
    }
}

/* The input of the search: the paths that are there. False: there are none of those that were named. */
static bool make_input(extracting *x, cv_json *ret, cv_str *ret_text, cv_err *err)
{
    const cv_json *in = x->call->input, *paths = cv_json_get(in, CV_STR("paths"));
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    size_t count = 0;
    cv_str file = cv_json_get_text(in, "file"), dir = cv_json_get_text(in, "dir");
    bool named = paths || file.p || dir.p;
    cv_json_begin_object(&w);
    if (named) {
        cv_json_key(&w, CV_STR("paths"));
        cv_json_begin_array(&w);
        for (uint32_t i = 0; paths && i < paths->count; i++)
            add_path(x, &w, paths->items[i].text, &count);
        add_path(x, &w, file, &count);
        add_path(x, &w, dir, &count);
        cv_json_end_array(&w);
    }
    cv_json_end_object(&w);
    *ret_text = cv_buf_take(&text, x->call->arena);
    return (!named || count) && cv_json_parse(x->call->arena, *ret_text, ret, err);
}

static bool take_files(extracting *x, cv_str *ret_input, cv_err *err)
{
    cv_json input;
    cv_call sub = *x->call;
    cv_notes_found found;
    cv_where dir = {0};
    cv_str folder = cv_json_get_text(x->call->input, "dir"), file = cv_json_get_text(x->call->input, "file");
    bool only = folder.p && !cv_json_get_true(x->call->input, "recursive");
    if (!make_input(x, &input, ret_input, err))
        return !err->code;
    sub.input = &input;
    if (!cv_notes_find(&sub, CV_FIND_IN_PROJECT, &found, err) || (only && !cv_notes_where(x->call, folder, &dir, err)))
        return false;
    x->files = found.looked;
    x->what = file.p ? file : CV_STR("");
    for (size_t i = 0; i < found.count; i++) {
        const cv_notes_file_found *f = &found.items[i];
        if (f->trouble.p)
            cv_notice_add(&x->warnings, x->call->arena, CV_STR("unreadable"), "%.*s: skipped: %.*s", CV_FMT(f->path),
                          CV_FMT(f->trouble));
        bool is_below = only && cv_str_starts(f->path, cv_str_of(dir.path));
        if (is_below && !is_directly_in(f->path, cv_str_of(dir.path)))
            continue;
        for (size_t k = 0; k < f->count; k++)
            take_note(x, f, &f->notes[k]);
    }
    return true;
}

/* ---- out of a thread --------------------------------------------------------------------------------------------- */

static bool take_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    extracting *x = ctx;
    const cv_note_entry entry = cv_note_entry_of(cv_row_copy(x->call->arena, &cv_note_row_type, row));
    (void)scope, (void)err;
    take(x, &entry);
    return true;
}

static bool take_thread(extracting *x, cv_str name, cv_err *err)
{
    cv_note_row like = {.dialog_threads_id = CV_ABSENT};
    const cv_find find = {
        .type = &cv_note_row_type, .index = cv_notes_by_thread, .scope = cv_notes_scope(), .like = &like, .equal = 1};
    x->what = name;
    if (!cv_notes_thread_known(x->call, name, &like.dialog_threads_id, err)) {
        bool by_id = cv_json_get(x->call->input, CV_STR("from_thread_id"));
        cv_err_field(err, by_id ? CV_STR("from_thread_id") : CV_STR("from_thread_name"));
        return false;
    }
    return x->call->record->calls->find(x->call->record, &find, take_row, x, err);
}

/* ---- into the log ------------------------------------------------------------------------------------------------ */

typedef struct {
    extracting *x;
    cv_writing *w;
    cv_str digest;
    size_t given;
} giving;

static bool give_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    giving *g = ctx;
    cv_note_row r;
    (void)scope, (void)err;
    memcpy(&r, cv_row_copy(g->x->call->arena, &cv_note_row_type, row), sizeof r);
    if (!cv_str_eq(r.digest, g->digest) || r.dialog_threads_id == g->x->thread)
        return true;
    r.dialog_threads_id = g->x->thread;
    cv_writing_put(g->w, &cv_note_row_type, &r);
    g->given++;
    return true;
}

/* What was extracted and is in its file is given to the thread. */
static bool give_all(extracting *x, cv_writing *w, cv_err *err)
{
    cv_str name = cv_json_get_text(x->call->input, "thread_name");
    int64_t id = cv_json_get_int(x->call->input, "thread_id", CV_ABSENT);
    giving g = {.x = x, .w = w};
    cv_map seen = {0};
    if (id != CV_ABSENT)
        name = cv_arena_printf(x->call->arena, "%lld", (long long)id);
    if (!name.p)
        name = cv_arena_printf(x->call->arena, "extract %.*s", CV_FMT(cv_call_now(x->call)));
    if (!cv_notes_thread_find(x->call, w, name, &x->thread, err)) {
        cv_err_field(err, id == CV_ABSENT ? CV_STR("thread_name") : CV_STR("thread_id"));
        return false;
    }
    for (size_t i = 0; i < x->all.count; i++) {
        const cv_note_row like = {.path = x->all.items[i].path, .status = cv_note_current};
        const cv_find find = {.type = &cv_note_row_type,
                              .index = cv_notes_by_status,
                              .scope = cv_notes_scope(),
                              .like = &like,
                              .equal = 2};
        bool is_new; /* equal notes of a file are found together */
        g.digest = x->all.items[i].digest;
        cv_map_put(&seen, x->call->arena,
                   cv_arena_printf(x->call->arena, "%.*s %.*s", CV_FMT(g.digest), CV_FMT(like.path)), &is_new);
        if (is_new && !x->call->record->calls->find(x->call->record, &find, give_row, &g, err))
            return false;
    }
    return true;
}

static bool put_into_log(extracting *x, cv_str input, cv_err *err)
{
    cv_call *call = x->call;
    cv_reply reply = {0};
    cv_writing w;
    cv_written written;
    cv_invoke(call, CV_STR("notes"), CV_STR("log"), input, &reply);
    if (!reply.done) {
        for (size_t i = 0; i < reply.errs.count; i++)
            cv_call_fail(call, &reply.errs.items[i]);
        return false;
    }
    x->logged = (size_t)cv_json_get_int(&reply.json, "logged", 0);
    if (!x->all.count)
        return true;
    if (!cv_writing_begin(&w, call->record, call->arena, cv_notes_scope(), CV_STR(""), cv_call_now(call), err))
        return false;
    bool ok = give_all(x, &w, err);
    const cv_request request = {.op_id = cv_arena_printf(call->arena, "extract-%lld", (long long)w.at.rev + 1),
                                .digest = CV_STR("extract"),
                                .operation = CV_STR("notes extract")};
    cv_writing_event(&w, CV_STR("thread"), cv_arena_printf(call->arena, "%lld", (long long)x->thread), CV_STR("given"));
    w.agent = call->who.name;
    w.standing = call->who.standing;
    ok = ok && cv_writing_commit(&w, &request, CV_STR("{}"), &written, err);
    cv_writing_end(&w);
    return ok;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static int newest_first(const void *p, const void *q)
{
    const cv_note_entry *a = p, *b = q;
    int order = CV_ORDER(b->date, a->date);
    order = order ? order : cv_str_order(a->source, b->source);
    return order ? order : CV_ORDER(a->line, b->line);
}

static int oldest_first(const void *p, const void *q)
{
    const cv_note_entry *a = p, *b = q;
    int order = CV_ORDER(a->date, b->date);
    order = order ? order : cv_str_order(a->source, b->source);
    return order ? order : CV_ORDER(a->line, b->line);
}

static void arrange(extracting *x)
{
    size_t limit = (size_t)cv_json_get_int(x->call->input, "limit", 0);
    bool oldest = cv_json_get_true(x->call->input, "oldest_first");
    if (x->all.count)
        qsort(x->all.items, x->all.count, sizeof *x->all.items, oldest ? oldest_first : newest_first);
    if (limit && x->all.count > limit)
        x->all.count = limit;
    x->count = x->all.count;
}

/* "docs/Garden.md" -> "Garden_md" */
static cv_str plain_name(cv_arena *a, cv_str what)
{
    char *name;
    size_t at = what.n;
    while (at > 0 && what.p[at - 1] != '/')
        at--;
    name = cv_arena_copy_z(a, cv_str_from(what, at));
    for (char *p = name; *p; p++)
        if (!cv_is_alnum(*p) && *p != '-')
            *p = '_';
    return cv_str_of(name);
}

static cv_str default_name(extracting *x)
{
    cv_arena *a = x->call->arena;
    const cv_json *in = x->call->input;
    cv_str ending = cv_str_eq(x->format, CV_STR("md")) ? CV_STR("md") : x->format;
    bool thread = cv_json_get(in, CV_STR("from_thread_id")) || cv_json_get(in, CV_STR("from_thread_name"));
    if (!x->what.n)
        return cv_arena_printf(a, "changelog_dialog.%.*s", CV_FMT(ending));
    return cv_arena_printf(a, "dialog_%s_%.*s.%.*s", thread ? "thread" : "file", CV_FMT(plain_name(a, x->what)),
                           CV_FMT(ending));
}

static bool write_output(extracting *x, cv_err *err)
{
    cv_call *call = x->call;
    cv_str output = cv_json_get_text(call->input, "output"), name = cv_json_get_text(call->input, "name");
    cv_where where;
    struct stat st;
    if (!output.p && !name.p)
        return true;
    output = output.p ? output : CV_STR(".");
    if (!cv_destination_where(call, output, &where, err))
        goto wrong;
    bool is_folder = cv_where_look(where, &st) && S_ISDIR(st.st_mode);
    if (is_folder || name.p) {
        name = name.p ? name : default_name(x);
        if (!cv_destination_where(call, cv_arena_printf(call->arena, "%.*s/%.*s", CV_FMT(output), CV_FMT(name)), &where,
                                  err))
            goto wrong;
    }
    if (!cv_notes_write_document(call, where, x->text, err))
        goto wrong;
    x->output = cv_str_of(cv_where_path(call->arena, where));
    x->text = (cv_str){NULL, 0};
    return true;
wrong:
    cv_err_field(err, CV_STR("output"));
    return false;
}

static void print(extracting *x)
{
    cv_buf out = {0};
    if (cv_str_eq(x->format, CV_STR("json")))
        cv_notes_print_json(&out, &x->all);
    else if (cv_str_eq(x->format, CV_STR("yaml")))
        cv_notes_print_yaml(&out, &x->all);
    else
        cv_notes_print_md(&out, CV_STR("Dialogs"), &x->all);
    x->text = cv_buf_take(&out, x->call->arena);
}

static bool check_request(extracting *x, cv_str *ret_thread, cv_err *err)
{
    cv_call *call = x->call;
    const cv_json *in = call->input;
    cv_str since = cv_json_get_text(in, "since"), format = cv_json_get_text(in, "format");
    int64_t id = cv_json_get_int(in, "from_thread_id", CV_ABSENT);
    bool to_thread = cv_json_get(in, CV_STR("thread_id")) || cv_json_get(in, CV_STR("thread_name")) ||
                     cv_json_get_true(in, "new_thread");
    x->format = format.p ? format : CV_STR("md");
    *ret_thread = cv_json_get_text(in, "from_thread_name");
    if (id != CV_ABSENT)
        *ret_thread = cv_arena_printf(call->arena, "%lld", (long long)id);
    if (cv_json_get_true(in, "to_db") && !to_thread) {
        cv_err *fault = cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "thread_name", CV_STR(""),
                                  "it is not clear which thread gets the dialogs; nothing was done");
        cv_err_suggest(fault, CV_STR("give thread_id, thread_name or new_thread"));
        return false;
    }
    return !since.p || cv_notes_since(since, &x->since, err);
}

bool cv_notes_op_extract(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    extracting x = {.call = call, .since = CV_ABSENT, .thread = CV_ABSENT};
    cv_str thread, input = CV_STR("{}");
    size_t faults = call->errs->count;
    bool ok =
        check_request(&x, &thread, &err) && (thread.p ? take_thread(&x, thread, &err) : take_files(&x, &input, &err));
    if (ok) {
        arrange(&x);
        print(&x);
        ok = (!cv_json_get_true(call->input, "to_db") || thread.p || put_into_log(&x, input, &err)) &&
             write_output(&x, &err);
    }
    if (!ok)
        return call->errs->count > faults ? false : cv_call_fail(call, &err);
    if (!call->for_people)
        x.text = (cv_str){NULL, 0};
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_extract_shape, &x);
    return true;
}
