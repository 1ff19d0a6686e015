/* header.c - `notes header`, `notes add`, `notes create`: what each makes of a file; edit.h does the rest.
 *
 *     header   the file's, or `content` with the file's header -> dialog set -> notes put in
 *     add      a note at a line or before a heading; the header stays as it is
 *     create   `content` in a file that is not there -> header made -> notes put in
 */
#include "base/limits.h"
#include "base/utf8.h"
#include "kit/fault.h"
#include "kit/who.h"
#include "notes/edit.h"
#include "notes/git.h"
#include "notes/operations.h"
#include "notes/words/errors.h"

typedef struct {
    cv_note_values values;
    cv_note_insertion *notes;
    size_t note_count;
    cv_str content; /* absent: the file's own */
    bool force;
} wanted;

/* ---- reading the request ----------------------------------------------------------------------------------------- */

typedef struct {
    cv_call *call;
    cv_str at; /* "notes[2]" */
    const cv_note_values *values;
} telling;

static const char *const inputs[CV_NOTE_FIELDS] = {[CV_NOTE_SPEAKER] = "speaker",
                                                   [CV_NOTE_TARGET] = "target",
                                                   [CV_NOTE_MESSAGE] = "message",
                                                   [CV_NOTE_DATE] = "date_ymdhis",
                                                   [CV_NOTE_MOOD] = "mood_rgb"};

/* What somebody may have meant who wrote a colour as others do: "#ff0000", "f00", the name of a mood. */
static cv_str mood_meant(cv_arena *a, cv_str value)
{
    cv_str digits = cv_str_from(value, value.n && value.p[0] == '#');
    if (digits.n == 3)
        digits = cv_arena_printf(a, "%c%c%c%c%c%c", digits.p[0], digits.p[0], digits.p[1], digits.p[1], digits.p[2],
                                 digits.p[2]);
    for (size_t i = 0; i < cv_mood_count; i++)
        if (cv_str_eq_nocase(cv_moods[i].name, value))
            digits = cv_moods[i].hex;
    return cv_mood_valid(digits) ? digits : CV_STR("");
}

/* `message` begins with "it ": what it is about is named here. */
static void tell_fault(void *ctx, cv_note_field_id field, cv_err_code code, const char *message, const char *advice)
{
    telling *t = ctx;
    cv_arena *a = t->call->arena;
    cv_str value = t->values->of[field], meant = field == CV_NOTE_MOOD ? mood_meant(a, value) : CV_STR("");
    bool empty = cv_str_trim(value).n == 0;
    cv_str about = empty ? cv_str_of(inputs[field]) : cv_arena_printf(a, "'%.*s'", CV_FMT(cv_excerpt(a, value)));
    cv_err *err = cv_refuse(t->call, code, t->at, inputs[field], value, "%.*s%s", CV_FMT(about), message + 2);
    if (field == CV_NOTE_MESSAGE && value.p && cv_notes_length(value) > CV_NOTES_MAX_MESSAGE)
        cv_err_message(err, "the message has %zu characters, %d are allowed; nothing is cut", cv_notes_length(value),
                       CV_NOTES_MAX_MESSAGE);
    if (!meant.n || !cv_err_nearest(err, meant, &meant, 1))
        cv_err_suggest(err, cv_str_of(advice));
}

/* A speaker who is not named is the caller; a caller with a name speaks for nobody else. */
static bool read_speaker(cv_call *call, cv_note_values *values, cv_str otherwise)
{
    cv_str name, given = cv_json_get_text(call->input, "speaker");
    cv_agent_row agent;
    if (call->who.name.p && !cv_call_as(call, "speaker", &name, &agent))
        return false;
    if (!values->of[CV_NOTE_SPEAKER].p)
        values->of[CV_NOTE_SPEAKER] = otherwise.p ? otherwise : given.p ? given : call->who.name;
    return true;
}

static bool read_values(cv_call *call, const cv_json *input, cv_str at, cv_str speaker, cv_note_values *ret)
{
    telling t = {call, at, ret};
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        ret->of[i] = cv_json_get_text(input, inputs[i]);
    return read_speaker(call, ret, speaker) && cv_note_values_check(ret, tell_fault, &t);
}

/* Notes have the time when they were made, so that a log elsewhere has it. */
static void set_time(cv_call *call, cv_note_values *values)
{
    if (!values->of[CV_NOTE_DATE].p)
        values->of[CV_NOTE_DATE] = cv_arena_printf(call->arena, "%lld", (long long)cv_notes_ymdhis(cv_call_now(call)));
}

static bool read_place(cv_call *call, const cv_json *input, cv_str at, cv_note_insertion *ret)
{
    ret->line = (size_t)cv_json_get_int(input, "line", 0);
    ret->before = cv_json_get_text(input, "before");
    if ((ret->line > 0) != (ret->before.p != NULL))
        return true;
    cv_err *err =
        cv_refuse(call, CV_ERR_MISSING_FIELD, at, "line", CV_STR(""),
                  "a note goes before a line or before a heading: %s", ret->line ? "both are given" : "none is given");
    cv_err_suggest(err, CV_STR("give `line` (a number) or `before` (a heading or a whole line)"));
    return false;
}

static bool read_notes(cv_call *call, wanted *w)
{
    const cv_json *list = cv_json_get(call->input, CV_STR("notes"));
    bool ok = true;
    w->note_count = list ? list->count : 0;
    w->notes = CV_NEW_ARRAY(call->arena, w->note_count, cv_note_insertion);
    for (uint32_t i = 0; i < w->note_count; i++) {
        cv_str at = cv_arena_printf(call->arena, "notes[%u]", i);
        cv_note_insertion *one = &w->notes[i];
        ok &= read_values(call, &list->items[i], at, w->values.of[CV_NOTE_SPEAKER], &one->values);
        ok &= read_place(call, &list->items[i], at, one);
        set_time(call, &one->values);
    }
    return ok;
}

/* ---- what is made of the file ------------------------------------------------------------------------------------ */

static bool refuse_unchanged(cv_err *err, const char *since)
{
    cv_err_set(err, CV_ERR_NOTES_UNCHANGED, "the file has not changed since %s; a header dialog describes a change",
               since);
    cv_err_suggest(err, CV_STR("send the new 'content' along, leave a note instead, or give 'force': true"));
    return false;
}

/* Has the text changed since its header dialog, as the log has it, or else since its last commit? Without both it
 * counts as `unknown` says. */
static bool has_changed(cv_notes_edit *e, const cv_notes_file *now, bool unknown, bool *ret, const char **ret_since,
                        cv_err *err)
{
    cv_note_file row;
    bool known;
    cv_arena *a = e->call->arena;
    if (!cv_notes_file_row(e->call->record, a, e->path, &row, &known, err))
        return false;
    *ret = unknown;
    *ret_since = "its last commit";
    if (known && row.body_sha256.p) {
        *ret = !cv_str_eq(row.body_sha256, cv_notes_body_digest(a, now));
        *ret_since = "its header dialog";
    } else if (!cv_git_is_modified(e->call, e->path, ret)) {
        *ret = unknown;
    }
    return true;
}

/* Is there anything that the new header could tell of? */
static bool is_modified(cv_notes_edit *e, const wanted *w, const cv_notes_file *now, cv_err *err)
{
    bool changed;
    const char *since;
    cv_arena *a = e->call->arena;
    if (w->force || !e->exists || !cv_notes_header_dialog(&e->file) || w->note_count)
        return true;
    if (w->content.p && !cv_str_eq(cv_notes_body_digest(a, now), cv_notes_body_digest(a, &e->file)))
        return true;
    return has_changed(e, now, true, &changed, &since, err) && (changed || refuse_unchanged(err, since));
}

/* Nothing is done. That needs no message, unless the text has changed: then its header is still the old one. */
static bool leave_header(cv_notes_edit *e, const cv_notes_file *now, cv_err *err)
{
    bool changed;
    const char *since;
    if (!has_changed(e, now, false, &changed, &since, err))
        return false;
    if (changed)
        cv_notice_add(&e->own_warnings, e->call->arena, CV_STR("header_unchanged"),
                      "the file has changed since %s, but its header says this already and stays as it is: say what "
                      "has changed, or give 'force': true for the same message with a new date",
                      since);
    return true;
}

/* Does the header say this already? The date is the time when it was said, not what is said. */
static bool says_already(const cv_notes_file *file, const cv_note_values *values)
{
    const cv_note *dialog = cv_notes_header_dialog(file);
    for (int i = 0; dialog && i < CV_NOTE_FIELDS; i++) {
        cv_str said = cv_note_value(dialog, (cv_note_field_id)i), want = values->of[i];
        if (i == CV_NOTE_MOOD)
            want = want.p ? want : cv_mood_default, said = said.p ? said : cv_mood_default;
        if (i != CV_NOTE_DATE && !cv_str_eq(said, want))
            return false;
    }
    return dialog != NULL;
}

/* Every note that the file has must be in what it becomes. */
static bool keeps_notes(cv_notes_edit *e, const cv_notes_file *now, cv_err *err)
{
    bool *used = CV_NEW_ARRAY(e->call->arena, now->count, bool);
    for (size_t i = 0; i < e->file.count; i++) {
        const cv_note *old = &e->file.items[i];
        size_t k = 0;
        if (old->kind != CV_NOTE_KIND_INLINE || old->reason != CV_COUNTS)
            continue;
        for (; k < now->count; k++) {
            bool same = !used[k] && now->items[k].kind == CV_NOTE_KIND_INLINE && now->items[k].reason == CV_COUNTS;
            for (int f = 0; same && f < CV_NOTE_FIELDS; f++)
                same = cv_str_eq(cv_note_value(old, (cv_note_field_id)f),
                                 cv_note_value(&now->items[k], (cv_note_field_id)f));
            if (same)
                break;
        }
        if (k < now->count) {
            used[k] = true;
            continue;
        }
        cv_err_at(err, CV_ERR_NOTES_LOST, old->line, 1, "the new content lacks the note of %.*s at line %zu: \"%.*s\"",
                  CV_FMT(cv_note_value(old, CV_NOTE_SPEAKER)), old->line,
                  CV_FMT(cv_utf8_excerpt(e->call->arena, cv_note_value(old, CV_NOTE_MESSAGE), 80)));
        cv_err_field(err, CV_STR("content"));
        cv_err_suggest(err, CV_STR("keep every note of the file, wherever it goes; notes are never overwritten"));
        return false;
    }
    return true;
}

/* Lines count in the text as the caller knows it: before a header is put in. */
static bool put_notes(cv_notes_edit *e, const wanted *w, cv_err *err)
{
    cv_notes_file now;
    size_t bad = 0;
    if (!w->note_count)
        return true;
    cv_notes_read(e->call->arena, e->after, e->file.language, 0, &now);
    if (cv_notes_insert(e->call->arena, &now, w->notes, w->note_count, &e->after, &bad, err))
        return true;
    bool is_list = cv_json_get(e->call->input, CV_STR("notes")) != NULL;
    cv_str field = err->field.n ? err->field : cv_str_of(w->notes[bad].line ? "line" : "before");
    cv_err_field(err, is_list ? cv_arena_printf(e->call->arena, "notes[%zu].%.*s", bad, CV_FMT(field)) : field);
    return false;
}

enum { AHEAD_S = 60 }; /* a header may be dated so far ahead of the clock */

/* A header that says what the old one says differs from it by its date alone: one that has none gets it, and within the
 * same second it is the next one. A date that the caller gives stays. */
static void date_apart(const cv_notes_edit *e, const cv_notes_file *now, cv_note_values *values)
{
    const cv_note *dialog = cv_notes_header_dialog(now);
    int64_t ms;
    if (!says_already(now, values))
        return;
    values->adds_date = true;
    if (cv_json_get(e->call->input, CV_STR("date_ymdhis")) || !cv_time_parse(cv_call_now(e->call), &ms))
        return;
    cv_str old = cv_note_value(dialog, CV_NOTE_DATE);
    for (int i = 0; i <= AHEAD_S; i++) {
        char text[CV_TIME_LEN + 1];
        cv_time_print(ms + i * 1000, text);
        cv_str date = cv_arena_printf(e->call->arena, "%lld", (long long)cv_notes_ymdhis((cv_str){text, CV_TIME_LEN}));
        if (cv_str_order(date, old) > 0) {
            values->of[CV_NOTE_DATE] = date;
            return;
        }
    }
}

static bool make_header(cv_notes_edit *e, cv_err *err)
{
    const wanted *w = e->own;
    cv_note_values values = w->values;
    cv_arena *a = e->call->arena;
    cv_notes_file now;
    if (!e->exists) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "there is no file '%.*s'", CV_FMT(e->path));
        cv_err_field(err, CV_STR("path"));
        cv_err_operation(err, CV_STR("notes create"));
        cv_err_suggest(err, CV_STR("makes a file with its header"));
        return false;
    }
    if (!cv_notes_may_set(&e->file, err))
        return false;
    e->after = w->content.p ? w->content : e->before;
    if (!put_notes(e, w, err) || (w->content.p && !cv_notes_with_header(a, &e->file, e->after, &e->after, err)))
        return false;
    cv_notes_read(a, e->after, e->file.language, 0, &now);
    if (!w->force && cv_str_eq(e->after, e->before) && says_already(&now, &w->values))
        return leave_header(e, &now, err);
    date_apart(e, &now, &values);
    e->describes = true;
    return keeps_notes(e, &now, err) && cv_notes_may_set(&now, err) && is_modified(e, w, &now, err) &&
           cv_notes_set_header(a, &now, &values, &e->after, err);
}

static bool make_note(cv_notes_edit *e, cv_err *err)
{
    if (!e->exists) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "there is no file '%.*s'", CV_FMT(e->path));
        cv_err_field(err, CV_STR("path"));
        return false;
    }
    return put_notes(e, e->own, err);
}

static bool make_file(cv_notes_edit *e, cv_err *err)
{
    const wanted *w = e->own;
    cv_arena *a = e->call->arena;
    cv_notes_file now;
    if (e->exists) {
        cv_err_set(err, CV_ERR_NOTES_EXISTS, "'%.*s' is there already", CV_FMT(e->path));
        cv_err_field(err, CV_STR("path"));
        cv_err_operation(err, CV_STR("notes header"));
        cv_err_suggest(err, CV_STR("changes it, with `content` and a new header dialog"));
        return false;
    }
    e->after = w->content.p ? w->content : CV_STR("");
    if (e->after.n && e->after.p[e->after.n - 1] != '\n') /* a text file ends with a line break */
        e->after = cv_arena_join(a, e->after, CV_STR("\n"));
    if (!put_notes(e, w, err))
        return false;
    cv_notes_read(a, e->after, e->file.language, 0, &now);
    return cv_notes_set_header(a, &now, &w->values, &e->after, err);
}

/* ---- the operations ---------------------------------------------------------------------------------------------- */

static bool check_content(cv_call *call, cv_str content)
{
    if (!content.p || !cv_notes_is_binary(content))
        return true;
    cv_refuse(call, CV_ERR_NOT_TEXT, CV_STR(""), "content", CV_STR(""), "the content is binary or UTF-16");
    return false;
}

/* Any name may be there: of an agent, an editor, a person, a subsystem. One that is like an agent's is warned of. */
static void warn_names(cv_call *call, const cv_note_values *values, cv_notices *warnings)
{
    cv_note_names targets = {0};
    cv_agents_warn_like(call->record, call->arena, values->of[CV_NOTE_SPEAKER], CV_STR("speaker"), warnings);
    cv_note_addressees(call->arena, values->of[CV_NOTE_TARGET], &targets);
    for (size_t i = 0; i < targets.count; i++)
        if (!cv_str_eq(targets.items[i], CV_STR("everyone")))
            cv_agents_warn_like(call->record, call->arena, targets.items[i], CV_STR("target"), warnings);
}

static bool run(cv_call *call, const char *operation, const char *event, bool (*make)(cv_notes_edit *edit, cv_err *err))
{
    wanted w = {.content = cv_json_get_text(call->input, "content"), .force = cv_json_get_true(call->input, "force")};
    cv_notes_edit e = {.what = cv_str_of(event), .make = make, .own = &w};
    bool ok = read_values(call, call->input, CV_STR(""), (cv_str){NULL, 0}, &w.values);
    if (make == make_note) {
        w.notes = CV_NEW(call->arena, cv_note_insertion);
        w.note_count = 1;
        e.is_note = true;
        set_time(call, &w.values);
        w.notes->values = w.values;
        ok &= read_place(call, call->input, CV_STR(""), w.notes);
    } else {
        ok &= read_notes(call, &w);
        ok &= check_content(call, w.content);
        set_time(call, &w.values);
    }
    if (!ok)
        return false;
    warn_names(call, &w.values, &e.name_warnings);
    for (size_t i = 0; make != make_note && i < w.note_count; i++)
        warn_names(call, &w.notes[i].values, &e.name_warnings);
    return cv_edit_run(call, cv_str_of(operation), &e);
}

bool cv_notes_op_header(cv_call *call)
{
    return run(call, "notes header", "header", make_header);
}

bool cv_notes_op_add(cv_call *call)
{
    return run(call, "notes add", "note", make_note);
}

bool cv_notes_op_create(cv_call *call)
{
    return run(call, "notes create", "created", make_file);
}
