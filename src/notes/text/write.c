/* write.c - the new text of a file with another header dialog; see write.h.
 *
 *     values -> checked -> fit the container -> each in the style of its field -> spliced -> read again: as asked for
 */
#include "notes/text/write.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "notes/text/splice.h"
#include "notes/words/errors.h"

/* ---- what a dialog may say ------------------------------------------------------------------------------------------
 */

static bool is_target(cv_str word)
{
    return word.n >= 2 && word.p[0] == '@' && word.n <= CV_NOTES_MAX_NAME;
}

static bool targets_valid(cv_str target)
{
    cv_str rest = cv_str_trim(target), one;
    bool any = false;
    while (cv_str_split(&rest, ' ', &one)) {
        one = cv_str_ends(one, CV_STR(",")) ? cv_str_head(one, one.n - 1) : one;
        if (one.n && !is_target(one))
            return false;
        any |= one.n > 0;
    }
    return any;
}

/* U+0085, U+2028, U+2029: they end the line comments of some languages. */
static bool has_line_separator(cv_str value)
{
    return cv_str_find(value, CV_STR("\xc2\x85")) != SIZE_MAX ||
           cv_str_find(value, CV_STR("\xe2\x80\xa8")) != SIZE_MAX ||
           cv_str_find(value, CV_STR("\xe2\x80\xa9")) != SIZE_MAX;
}

static const char *trouble_of(cv_note_field_id id, cv_str value, const char **ret_advice)
{
    *ret_advice = cv_note_fields[id].rule.p;
    if (cv_utf8_valid(value) < value.n)
        return "it is not valid UTF-8";
    if (cv_str_trim(value).n == 0)
        return cv_note_fields[id].required ? "it is missing or empty" : NULL;
    if (cv_str_has_control(value) || has_line_separator(value))
        return "it has a line break or another control character";
    if (id == CV_NOTE_SPEAKER && value.n > CV_NOTES_MAX_NAME)
        return "it is longer than 200 bytes";
    if (id == CV_NOTE_TARGET && (value.n > CV_NOTES_MAX_TARGET || !targets_valid(value)))
        return "it is not a target: each begins with '@'";
    if (id == CV_NOTE_MOOD && !cv_mood_valid(value))
        return "it is not a mood";
    if (id == CV_NOTE_DATE && !cv_notes_date_valid(value))
        return "it is not a date";
    if (id == CV_NOTE_MESSAGE && cv_notes_length(value) > CV_NOTES_MAX_MESSAGE)
        return "it has more than 272 characters; nothing is cut";
    return NULL;
}

bool cv_note_values_check(const cv_note_values *values, cv_note_fault tell, void *ctx)
{
    bool ok = true;
    for (int i = 0; i < CV_NOTE_FIELDS; i++) {
        const char *advice = NULL,
                   *trouble = values->of[i].p ? trouble_of((cv_note_field_id)i, values->of[i], &advice) : NULL;
        if (!values->of[i].p && cv_note_fields[i].required)
            trouble = "it is missing or empty", advice = cv_note_fields[i].rule.p;
        if (trouble) {
            tell(ctx, (cv_note_field_id)i, CV_ERR_NOTES_VALUE, trouble, advice);
            ok = false;
        }
    }
    return ok;
}

/* ---- what a comment can hold
 * ----------------------------------------------------------------------------------------- */

static bool refuse_value(cv_note_field_id field, cv_str what, cv_str why, cv_note_field_id *ret_field, cv_err *err)
{
    *ret_field = field;
    cv_err_set(err, CV_ERR_NOTES_ESCAPE, "the value has '%.*s', which %.*s", CV_FMT(what), CV_FMT(why));
    cv_err_field(err, cv_note_fields[field].key);
    cv_err_suggest(err, CV_STR("say it in other words, without these characters"));
    return false;
}

bool cv_note_values_fit(const cv_note_values *values, cv_notes_language language, cv_notes_container container,
                        cv_note_field_id *ret_field, cv_err *err)
{
    for (int i = 0; i < CV_NOTE_FIELDS; i++) {
        cv_str value = values->of[i], never = cv_notes_containers[container].never, one;
        cv_note_field_id id = (cv_note_field_id)i;
        if (!value.p)
            continue;
        if (cv_str_has_control(value) || has_line_separator(value))
            return refuse_value(id, CV_STR("\\n"), CV_STR("ends the line"), ret_field, err);
        if (cv_str_eq(cv_str_trim(value), CV_STR("---")))
            return refuse_value(id, CV_STR("---"), CV_STR("ends the block"), ret_field, err);
        while (cv_str_split(&never, ' ', &one))
            if (one.n && cv_str_find(value, one) != SIZE_MAX)
                return refuse_value(id, one, cv_notes_containers[container].why, ret_field, err);
        if (language == CV_LANG_PHP && cv_str_find(value, CV_STR("?>")) != SIZE_MAX)
            return refuse_value(id, CV_STR("?>"), CV_STR("ends PHP code"), ret_field, err);
        if (language == CV_LANG_PHP && cv_str_find(value, CV_STR("<?")) != SIZE_MAX)
            return refuse_value(id, CV_STR("<?"), CV_STR("begins PHP code"), ret_field, err);
        if (container == CV_IN_DOCSTRING && cv_str_find_char(value, '\\') != SIZE_MAX)
            return refuse_value(id, CV_STR("\\"), CV_STR("is an escape in a docstring"), ret_field, err);
    }
    return true;
}

/* ---- a value in the style of its field
 * ------------------------------------------------------------------------------- */

static bool is_plain_enough(cv_str value)
{
    return value.n && !strchr("\"'|>#&*!%`{}[],?-", value.p[0]) && !cv_is_blank(value.p[0]) &&
           !cv_is_blank(value.p[value.n - 1]) && cv_str_find(value, CV_STR(" #")) == SIZE_MAX &&
           cv_str_find(value, CV_STR(": ")) == SIZE_MAX && value.p[value.n - 1] != ':' &&
           value.p[value.n - 1] != '\\'; /* it would join the next line to the comment */
}

static cv_str in_double(cv_arena *a, cv_str value)
{
    cv_buf out = {0};
    cv_buf_add_char(&out, '"');
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '"' || value.p[i] == '\\')
            cv_buf_add_char(&out, '\\');
        cv_buf_add_char(&out, value.p[i]);
    }
    cv_buf_add_char(&out, '"');
    return cv_buf_take(&out, a);
}

static cv_str in_single(cv_arena *a, cv_str value)
{
    cv_buf out = {0};
    cv_buf_add_char(&out, '\'');
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '\'')
            cv_buf_add_char(&out, '\'');
        cv_buf_add_char(&out, value.p[i]);
    }
    cv_buf_add_char(&out, '\'');
    return cv_buf_take(&out, a);
}

cv_str cv_note_encode(cv_arena *a, cv_note_style style, cv_str value)
{
    if (style == CV_STYLE_PLAIN && is_plain_enough(value))
        return value;
    return style == CV_STYLE_SINGLE ? in_single(a, value) : in_double(a, value);
}

bool cv_note_is_misread(cv_note_field_id id, cv_str value)
{
    if (id == CV_NOTE_MOOD) { /* a number, which loses its zeroes */
        bool digits = true;
        for (size_t i = 0; i < value.n; i++)
            digits &= cv_is_digit(value.p[i]) || cv_lower(value.p[i]) == 'e';
        return digits;
    }
    return value.n && (strchr("@`&*!%{}[]|>,", value.p[0]) || cv_str_find(value, CV_STR(": ")) != SIZE_MAX ||
                       value.p[value.n - 1] == ':');
}

/* How new lines write it: messages and moods in quotes, names and targets where YAML asks for them. */
cv_note_style cv_note_usual_style(cv_note_field_id id, cv_str value)
{
    bool quoted = id == CV_NOTE_MESSAGE || id == CV_NOTE_MOOD || cv_note_is_misread(id, value);
    return quoted ? CV_STYLE_DOUBLE : CV_STYLE_PLAIN;
}

/* How a line that is there writes another value: as it does, unless that makes a flaw which it did not have. */
static cv_note_style style_of(const cv_note_field *f, cv_note_field_id id, cv_str value)
{
    assert(f->style != CV_STYLE_BROKEN && "cv_notes_may_set refuses it");
    bool spoils = f->style == CV_STYLE_PLAIN && cv_note_is_misread(id, value) && !cv_note_is_misread(id, f->value);
    return spoils ? CV_STYLE_DOUBLE : f->style;
}

/* ---- splicing
 * -------------------------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const cv_splice *a = x, *b = y;
    int order = CV_ORDER(a->at.start, b->at.start);
    return order ? order : CV_ORDER(a->order, b->order);
}

void cv_splice_add(cv_arena *a, cv_splices *all, cv_span at, cv_str bytes)
{
    assert(at.start <= at.end);
    *CV_PUSH(a, all) = (cv_splice){at, bytes, all->count};
}

cv_str cv_splice_text(cv_arena *a, cv_str text, cv_splices *all)
{
    cv_buf out = {0};
    size_t at = 0;
    if (all->count)
        qsort(all->items, all->count, sizeof *all->items, by_place);
    for (size_t i = 0; i < all->count; i++) {
        assert(all->items[i].at.start >= at && all->items[i].at.end <= text.n && "splices do not overlap");
        cv_buf_add(&out, cv_span_of(text, (cv_span){at, all->items[i].at.start}));
        cv_buf_add(&out, all->items[i].bytes);
        at = all->items[i].at.end;
    }
    cv_buf_add(&out, cv_str_from(text, at));
    return cv_buf_take(&out, a);
}

/* ---- the header dialog
 * ----------------------------------------------------------------------------------------------- */

static bool refuse_header(const cv_notes_file *file, cv_str why, const char *advice, cv_err *err)
{
    cv_err_at(err, CV_ERR_NOTES_HEADER, file->header.line ? file->header.line : 1, 1,
              "the header of this file cannot be changed: %.*s", CV_FMT(why));
    cv_err_suggest(err, cv_str_of(advice));
    return false;
}

bool cv_notes_may_set(const cv_notes_file *file, cv_err *err)
{
    const cv_notes_header *h = &file->header;
    const cv_note *dialog = cv_notes_header_dialog(file);
    if (h->state != CV_HEADER_NONE && h->state != CV_HEADER_WHOLE) {
        cv_err_operation(err, CV_STR("notes lint"));
        return refuse_header(file, cv_header_states[h->state], "shows where; correct the header by hand", err);
    }
    if (h->dialogs > 1)
        return refuse_header(file, CV_STR("it has the key 'dialog' more than once"),
                             "keep one of them, by hand: only you know which one counts", err);
    if (file->headers > 1)
        return refuse_header(file, CV_STR("the file has a second WOLFIE header further down"),
                             "remove one of them, by hand", err);
    for (int i = 0; dialog && i < CV_NOTE_FIELDS; i++)
        if (dialog->of[i] && dialog->of[i]->style == CV_STYLE_BROKEN)
            return refuse_header(file, CV_STR("a quote in its dialog is not closed on its line"),
                                 "close the quote, by hand", err);
    return true;
}

/* A line for a field that the dialog lacks, behind the one that comes before it. */
static void add_line(cv_arena *a, const cv_notes_file *file, const cv_note *dialog, cv_note_field_id id, cv_str value,
                     cv_splices *all)
{
    assert(id < CV_NOTE_FIELDS && !dialog->of[id]);
    const cv_note_field *after = &dialog->fields[0];
    for (int i = 0; i < (int)id; i++)
        if (dialog->of[i] && dialog->of[i]->lines.start >= after->lines.start &&
            dialog->of[i]->lines.end <= dialog->at.end)
            after = dialog->of[i];
    bool is_flat = dialog->form == CV_FORM_FLAT;
    cv_str dot = is_flat ? cv_str_head(after->key, cv_str_find_char(after->key, '.') + 1) : CV_STR("");
    bool ends = after->lines.end > 0 && file->text.p[after->lines.end - 1] == '\n';
    cv_str bytes =
        cv_arena_printf(a, "%s%.*s%.*s%.*s: %.*s%s", ends ? "" : file->eol.p, CV_FMT(dialog->lead), CV_FMT(dot),
                        CV_FMT(cv_note_fields[id].key),
                        CV_FMT(cv_note_encode(a, cv_note_usual_style(id, value), value)), ends ? file->eol.p : "");
    cv_splice_add(a, all, (cv_span){after->lines.end, after->lines.end}, bytes);
}

static void set_field(cv_arena *a, const cv_notes_file *file, const cv_note *dialog, cv_note_field_id id, cv_str value,
                      cv_splices *all)
{
    const cv_note_field *f = dialog->of[id];
    assert(!f || (f->value_at.start <= f->value_at.end && f->value_at.end <= file->text.n));
    if (!f) {
        add_line(a, file, dialog, id, value, all);
        return;
    }
    if (cv_str_eq(f->value, value))
        return;
    cv_str bytes = cv_note_encode(a, style_of(f, id, value), value);
    bool touches = f->value_at.start > 0 && file->text.p[f->value_at.start - 1] == ':';
    bool meets_comment = f->value_at.end < file->text.n && file->text.p[f->value_at.end] == '#';
    cv_splice_add(a, all, f->value_at,
                  cv_arena_printf(a, "%s%.*s%s", touches ? " " : "", CV_FMT(bytes), meets_comment ? " " : ""));
}

/* Mood and date are replaced where they are, so that nobody inherits another's; else they are only added when given. */
static void set_dialog(cv_arena *a, const cv_notes_file *file, const cv_note *dialog, const cv_note_values *values,
                       cv_splices *all)
{
    for (int i = 0; i < CV_NOTE_FIELDS; i++) {
        cv_note_field_id id = (cv_note_field_id)i;
        cv_str value = values->of[i];
        if (!value.p && id == CV_NOTE_MOOD && dialog->of[id])
            value = cv_mood_default;
        if (value.p && (dialog->of[id] || id != CV_NOTE_DATE || values->adds_date))
            set_field(a, file, dialog, id, value, all);
    }
}

/* A quote in a value can turn what follows into a string, where the header is in no comment of the language. */
static size_t count_inline(const cv_notes_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++)
        count += file->items[i].kind == CV_NOTE_KIND_INLINE && file->items[i].reason == CV_COUNTS;
    return count;
}

/* Does the text say what was asked for, and is the rest as it was? */
static bool reads_back(cv_arena *a, const cv_notes_file *file, cv_str text, const cv_note_values *values, cv_err *err)
{
    cv_notes_file again;
    cv_notes_read(a, text, file->language, 0, &again);
    const cv_note *dialog = cv_notes_header_dialog(&again);
    bool ok = dialog && dialog->reason == CV_COUNTS && count_inline(&again) == count_inline(file) &&
              again.header.state == CV_HEADER_WHOLE && again.header.dialogs <= 1 &&
              again.headers == (file->headers ? file->headers : 1);
    for (int i = 0; ok && i < CV_NOTE_FIELDS; i++) {
        cv_str wanted = values->of[i].p || i != CV_NOTE_MOOD ? values->of[i] : cv_mood_default;
        if (wanted.p && (dialog->of[i] || (i != CV_NOTE_DATE && values->of[i].p)))
            ok = cv_str_eq(cv_note_value(dialog, (cv_note_field_id)i), wanted);
    }
    if (ok)
        return true;
    return refuse_header(file, CV_STR("the changed header would not read back as written"),
                         "put the header into the form of 'conclave notes create', by hand", err);
}

bool cv_notes_set_header(cv_arena *a, const cv_notes_file *file, const cv_note_values *values, cv_str *ret_text,
                         cv_err *err)
{
    const cv_note *dialog = cv_notes_header_dialog(file);
    cv_note_field_id bad;
    cv_splices all = {0};
    if (!cv_notes_may_set(file, err))
        return false;
    cv_notes_container container =
        file->header.state == CV_HEADER_WHOLE ? file->header.container : cv_notes_languages[file->language].header;
    if (!cv_note_values_fit(values, file->language, container, &bad, err))
        return false;
    if (dialog)
        set_dialog(a, file, dialog, values, &all);
    else if (file->header.state == CV_HEADER_WHOLE)
        cv_splice_dialog(a, file, values, &all);
    else if (!cv_splice_header(a, file, values, &all, err))
        return false;
    *ret_text = cv_splice_text(a, file->text, &all);
    if (!dialog) { /* a mood that was beside it belongs to the new dialog now, and is not its own */
        cv_notes_file now;
        cv_splices rest = {0};
        cv_notes_read(a, *ret_text, file->language, 0, &now);
        if (cv_notes_header_dialog(&now))
            set_dialog(a, &now, cv_notes_header_dialog(&now), values, &rest);
        *ret_text = cv_splice_text(a, *ret_text, &rest);
    }
    return reads_back(a, file, *ret_text, values, err);
}
