/* scan.c - `notes scan`: the dialogs of files, as they are; nothing is kept. */
#include "kit/notice.h"
#include "notes/found.h"
#include "notes/log.h"
#include "notes/operations.h"

/* ---- the answer -------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str path;
    size_t line, last_line;
    cv_str kind, speaker, target, mood_rgb, message;
    int64_t created_ymdhis;
    bool is_broadcast, fenced;
    cv_str reason, container, form, fields;
    cv_str before, after; /* lines around it; absent: not asked for */
} scanned;

typedef struct {
    cv_str path, problem, message;
    size_t line;
} problem;

typedef struct {
    size_t files, ignored, binary, too_large, links;
    struct {
        scanned *items;
        size_t count, capacity;
    } notes;
    struct {
        problem *items;
        size_t count, capacity;
    } problems;
} answer;

#define CV_THIS_TYPE scanned
static const cv_shape scanned_shape[] = {
    CV_FIELD(ALWAYS, path, ""),
    CV_NUMBER(ALWAYS, "line", line, 1, CV_NO_LIMIT, "its first line"),
    CV_WORD(ALWAYS, "kind", kind, &cv_note_kinds, ""),
    CV_FIELD(ALWAYS, speaker, ""),
    CV_FIELD(ALWAYS, target, ""),
    CV_FIELD(ALWAYS, mood_rgb, "666666 when it has none, or none that is six hex digits"),
    CV_FIELD(OR_NULL, created_ymdhis, "null: neither it nor what is around it says when"),
    CV_FIELD(ALWAYS, is_broadcast, "@everyone is among its targets"),
    CV_FIELD(IF_ANY, fenced, "an example, not a dialog: in a code fence, a string, or with placeholders"),
    CV_FIELD(IF_ANY, reason, "why it does not count: fenced, in_string, placeholder"),
    CV_FIELD(ALWAYS, container, "bare, block, dashes, hash, slashes, html, docstring"),
    CV_FIELD(ALWAYS, form, "map, list, flat"),
    CV_NUMBER(ALWAYS, "last_line", last_line, 1, CV_NO_LIMIT, ""),
    CV_JSON_AS(IF_ANY, MAP, "fields", fields, "its other fields"),
    CV_FIELD(IF_ANY, before, "with context: the lines before it"),
    CV_FIELD(IF_ANY, after, "with context: the lines that follow it"),
    CV_BELOW(ALWAYS, message, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE problem
static const cv_shape problem_shape[] = {
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(IF_ANY, line, ""),
    CV_FIELD(ALWAYS, problem, "unreadable, unsafe_header, incomplete, not_closed"),
    CV_FIELD(ALWAYS, message, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE answer
const cv_shape cv_notes_scan_shape[] = {
    CV_FIELD(ALWAYS, files, "that were read"),
    CV_LIST("notes", notes.items, notes.count, scanned_shape, "in the order of paths and lines"),
    CV_LIST_WHEN(CV_IF_ANY, "problems", problems.items, problems.count, problem_shape,
                 "texts that look like a dialog, but are not one"),
    CV_FIELD(IF_ANY, ignored, "files and folders that .gitignore names, or that are others' (node_modules, vendor …)"),
    CV_FIELD(IF_ANY, binary, "files"),
    CV_FIELD(IF_ANY, too_large, "files above 64 MB"),
    CV_FIELD(IF_ANY, links, "and other things that are not files: skipped"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- making it --------------------------------------------------------------------------------------------------- */

static int64_t ymdhis(cv_str date)
{
    int64_t n = 0;
    for (size_t i = 0; i < date.n; i++)
        n = n * 10 + (date.p[i] - '0');
    return n;
}

static int64_t created(const cv_found_note *n)
{
    if (n->of[CV_NOTE_DATE].p && cv_notes_date_valid(n->of[CV_NOTE_DATE]))
        return ymdhis(n->of[CV_NOTE_DATE]);
    return n->date.p ? ymdhis(n->date) : CV_ABSENT;
}

static void add_note(cv_arena *a, answer *ans, const cv_notes_file_found *f, const cv_found_note *n)
{
    *CV_PUSH(a, &ans->notes) = (scanned){
        .path = f->path,
        .line = n->line,
        .last_line = n->last_line,
        .kind = cv_note_kind_list[n->kind],
        .speaker = n->of[CV_NOTE_SPEAKER],
        .target = n->of[CV_NOTE_TARGET],
        .mood_rgb = cv_mood_valid(n->of[CV_NOTE_MOOD]) ? n->of[CV_NOTE_MOOD] : cv_mood_default,
        .message = n->of[CV_NOTE_MESSAGE],
        .created_ymdhis = created(n),
        .is_broadcast = cv_note_is_broadcast(a, n->of[CV_NOTE_TARGET]),
        .fenced = n->reason != CV_COUNTS,
        .reason = cv_note_reasons[n->reason],
        .container = cv_notes_containers[n->container].word,
        .form = cv_note_forms[n->form],
        .fields = n->further,
    };
}

static cv_str missing_fields(cv_arena *a, const cv_found_note *n)
{
    cv_buf out = {0};
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        if (cv_note_fields[i].required && cv_str_trim(n->of[i]).n == 0)
            cv_buf_printf(&out, "%s%.*s", out.n ? ", " : "", CV_FMT(cv_note_fields[i].key));
    return cv_buf_take(&out, a);
}

static void add_problem(cv_arena *a, answer *ans, cv_str path, size_t line, cv_str what, cv_str message)
{
    *CV_PUSH(a, &ans->problems) = (problem){.path = path, .line = line, .problem = what, .message = message};
}

static void tell_note(cv_arena *a, answer *ans, const cv_notes_file_found *f, const cv_found_note *n, bool examples)
{
    bool is_example = n->reason == CV_FENCED || n->reason == CV_IN_STRING || n->reason == CV_PLACEHOLDER;
    if (n->reason == CV_COUNTS || (is_example && examples))
        add_note(a, ans, f, n);
    else if (n->reason == CV_INCOMPLETE)
        add_problem(a, ans, f->path, n->line, CV_STR("incomplete"),
                    cv_arena_printf(a, "the dialog lacks: %.*s", CV_FMT(missing_fields(a, n))));
    else if (n->reason == CV_UNCLOSED)
        add_problem(a, ans, f->path, n->line, CV_STR("not_closed"),
                    CV_STR("the line '---' after the dialog is missing"));
}

static void tell_file(cv_arena *a, answer *ans, const cv_notes_file_found *f, bool examples)
{
    bool is_odd = f->header != CV_HEADER_NONE && f->header != CV_HEADER_WHOLE && f->header != CV_HEADER_FOREIGN &&
                  f->header != CV_HEADER_FENCED;
    if (f->trouble.p)
        add_problem(a, ans, f->path, 0, CV_STR("unreadable"), f->trouble);
    if (is_odd)
        add_problem(a, ans, f->path, f->header_line, CV_STR("unsafe_header"), cv_header_states[f->header]);
    if (f->dialogs > 1)
        add_problem(a, ans, f->path, f->header_line, CV_STR("unsafe_header"),
                    CV_STR("its header has the key 'dialog' more than once"));
    if (f->headers > 1)
        add_problem(a, ans, f->path, f->header_line, CV_STR("unsafe_header"),
                    CV_STR("it has a second WOLFIE header further down"));
    for (size_t i = 0; i < f->count; i++)
        tell_note(a, ans, f, &f->notes[i], examples);
}

/* The lines from one number up to another, as far as the text has them. */
static cv_str lines_of(cv_str text, size_t from, size_t to)
{
    cv_str rest = text, line = {text.p, 0};
    const char *begin = NULL;
    for (size_t i = 1; i <= to && cv_str_split(&rest, '\n', &line); i++)
        if (i == from)
            begin = line.p;
    return begin ? cv_str_range(begin, line.p + line.n) : (cv_str){NULL, 0};
}

/* What stands around the notes of one file, which is read again for it. */
static bool add_context(cv_arena *a, answer *ans, size_t first, const cv_notes_file_found *f, size_t lines, cv_err *err)
{
    cv_str text;
    if (lines == 0 || first == ans->notes.count)
        return true;
    if (!cv_notes_load(a, f->where, &text, err))
        return false;
    for (size_t i = first; i < ans->notes.count; i++) {
        scanned *n = &ans->notes.items[i];
        n->before = n->line > 1 ? lines_of(text, n->line > lines ? n->line - lines : 1, n->line - 1) : n->before;
        n->after = lines_of(text, n->last_line + 1, n->last_line + lines);
    }
    return true;
}

bool cv_notes_op_scan(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_notes_found found;
    answer ans = {0};
    unsigned flags = cv_json_get_true(call->input, "markdown") ? CV_FIND_MARKDOWN : 0;
    if (!cv_notes_find(call, flags, &found, &err))
        return cv_call_fail(call, &err);
    size_t lines = (size_t)cv_json_get_int(call->input, "context", 0);
    for (size_t i = 0; i < found.count; i++) {
        size_t first = ans.notes.count;
        tell_file(call->arena, &ans, &found.items[i], cv_json_get_true(call->input, "include_fenced"));
        if (!add_context(call->arena, &ans, first, &found.items[i], lines, &err))
            return cv_call_fail(call, &err);
    }
    ans.files = found.looked;
    ans.ignored = found.ignored;
    ans.binary = found.binary;
    ans.too_large = found.too_large;
    ans.links = found.links;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_scan_shape, &ans);
    return true;
}
