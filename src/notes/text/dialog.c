/* dialog.c - the dialogs below a key "dialog:", and the keys of a header; see reading.h.
 *
 *     dialog:                 dialog:                      dialog.speaker: KIRO          wolfie.header.dialog:
 *       speaker: KIRO           - speaker: KIRO            dialog.message: "…"             speaker: KIRO
 *       message: "…"              message: "…"                                           wolfie.header.mood.rgb: "…"
 *
 *     map                     list, the newest first       flat                          a mood beside the map
 */
#include "notes/text/reading.h"

const cv_str cv_note_forms[CV_FORM_COUNT] = {CV_STR_INIT("map"), CV_STR_INIT("list"), CV_STR_INIT("flat")};
const cv_str cv_note_reasons[CV_REASON_COUNT] = {
    CV_STR_INIT(""),           CV_STR_INIT("fenced"),     CV_STR_INIT("in_string"), CV_STR_INIT("placeholder"),
    CV_STR_INIT("incomplete"), CV_STR_INIT("not_closed"),
};

typedef struct {
    cv_note_field *items;
    size_t count, capacity;
} fields;

/* ---- what can be said of the fields alone ------------------------------------------------------------------------ */

static bool is_between(cv_str s, cv_str open, cv_str close)
{
    return s.n > open.n + close.n && cv_str_starts(s, open) && cv_str_ends(s, close);
}

static bool is_placeholder(cv_str value)
{
    cv_str s = cv_str_trim(value);
    return is_between(s, CV_STR("<"), CV_STR(">")) || is_between(s, CV_STR("["), CV_STR("]")) ||
           is_between(s, CV_STR("{"), CV_STR("}"));
}

void cv_note_settle(cv_note *note)
{
    static const cv_note_field_id wanted[] = {CV_NOTE_SPEAKER, CV_NOTE_TARGET, CV_NOTE_MESSAGE};
    memset(note->of, 0, sizeof note->of);
    for (size_t i = 0; i < note->field_count; i++)
        if (note->fields[i].field >= 0 && !note->of[note->fields[i].field])
            note->of[note->fields[i].field] = &note->fields[i];
    for (size_t i = 0; i < CV_COUNT(wanted) && note->reason == CV_COUNTS; i++) {
        cv_str value = cv_note_value(note, wanted[i]);
        if (cv_notes_is_blank(value))
            note->reason = CV_INCOMPLETE;
        else if (is_placeholder(value))
            note->reason = CV_PLACEHOLDER;
    }
}

static bool has_any(const fields *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].field >= 0)
            return true;
    return false;
}

static cv_note note_of(const cv_cursor *c, const fields *f, cv_note_form form, size_t place)
{
    const cv_note_field *first = &f->items[0], *last = &f->items[f->count - 1];
    size_t lines = cv_notes_line_of(cv_span_of(c->text, last->lines), last->lines.end - last->lines.start);
    bool ends_in_break = last->lines.end > last->lines.start && c->text.p[last->lines.end - 1] == '\n';
    return (cv_note){.container = c->container,
                     .form = form,
                     .place = place,
                     .at = {first->lines.start, last->lines.end},
                     .line = first->line,
                     .last_line = last->line + lines - (ends_in_break ? 2 : 1),
                     .fields = f->items,
                     .field_count = f->count};
}

/* ---- below "dialog:" --------------------------------------------------------------------------------------------- */

static bool is_item(cv_str content)
{
    cv_str s = cv_str_from(content, cv_notes_indent(content));
    return s.n >= 2 && s.p[0] == '-' && s.p[1] == ' ';
}

static void skip_blanks(cv_cursor *c)
{
    while (!cv_cursor_ended(c) && cv_notes_is_blank(c->content))
        cv_cursor_next(c);
}

/* Is the cursor still below a key with this indentation? Items of a list may stand as far left as their key. */
static bool is_below(const cv_cursor *c, size_t indent)
{
    size_t own = cv_notes_indent(c->content);
    return !cv_cursor_ended(c) && !cv_notes_is_rule(c->content) &&
           (own > indent || (own == indent && is_item(c->content)));
}

/* What the lines of the fields begin with: the line up to the key, an item's dash as blanks. */
static cv_str lead_of(cv_arena *a, cv_str text, const cv_note_field *f)
{
    cv_str lead = cv_span_of(text, (cv_span){f->lines.start, f->key_at.start});
    size_t dash = lead.n;
    if (lead.n >= 2 && cv_str_ends(cv_str_trim_right(lead), CV_STR("-")) && cv_notes_indent(lead) < lead.n) {
        char *copy = cv_arena_copy_z(a, lead);
        while (dash > 0 && copy[dash - 1] != '-')
            dash--;
        if (dash > 0 && (dash == 1 || copy[dash - 2] != '-'))
            copy[dash - 1] = ' ';
        return (cv_str){copy, lead.n};
    }
    return lead;
}

static void add_note(cv_cursor *c, cv_note_list *notes, const fields *f, cv_note_form form, size_t place)
{
    if (f->count == 0 || !has_any(f))
        return;
    cv_note *note = CV_PUSH(c->arena, notes);
    *note = note_of(c, f, form, place);
    note->lead = lead_of(c->arena, c->text, &f->items[0]);
    cv_note_settle(note);
}

/* Fields at one indentation; deeper lines belong to the value before them. */
static void read_map(cv_cursor *c, size_t below, bool in_list, fields *ret)
{
    size_t column = SIZE_MAX;
    while (!cv_cursor_ended(c)) {
        skip_blanks(c);
        if (!is_below(c, below) || (in_list && ret->count && is_item(c->content)))
            return;
        cv_str key, rest;
        bool item = in_list && ret->count == 0;
        bool is_field = cv_notes_split_key(c->content, item, &key, &rest);
        size_t own = is_field ? (size_t)(key.p - c->content.p) : cv_notes_indent(c->content);
        if (column == SIZE_MAX && is_field)
            column = own;
        if (!is_field || own != column) {
            cv_cursor_next(c);
            continue;
        }
        *CV_PUSH(c->arena, ret) = cv_notes_read_field(c, key, rest, column);
    }
}

/* The dialogs below a key "dialog:" whose line the cursor is behind: those that are indented more than `indent`. */
static void read_dialogs(cv_cursor *c, size_t indent, cv_note_list *ret_notes)
{
    skip_blanks(c);
    if (!is_below(c, indent))
        return;
    if (!is_item(c->content)) {
        fields map = {0};
        read_map(c, indent, false, &map);
        add_note(c, ret_notes, &map, CV_FORM_MAP, 0);
        return;
    }
    for (size_t place = 0; is_below(c, indent); skip_blanks(c)) {
        fields item = {0};
        size_t start = c->line.start, notes = ret_notes->count;
        read_map(c, indent, true, &item);
        add_note(c, ret_notes, &item, CV_FORM_LIST, place);
        place += ret_notes->count > notes;
        if (c->line.start == start)
            cv_cursor_next(c);
    }
}

/* ---- the keys of a header ---------------------------------------------------------------------------------------- */

const cv_note_field *cv_header_key(const cv_notes_header *header, cv_str key)
{
    for (size_t i = 0; i < header->key_count; i++)
        if (cv_str_eq_nocase(header->keys[i].key, key))
            return &header->keys[i];
    return NULL;
}

static bool is_dialog_key(cv_str key)
{
    return cv_str_eq_nocase(key, CV_STR("dialog")) || cv_str_eq_nocase(key, CV_STR("wolfie.header.dialog"));
}

/* "dialog.speaker" -> "speaker"; empty: it is not flat. */
static cv_str flat_name(cv_str key)
{
    static const cv_str heads[] = {CV_STR_INIT("dialog."), CV_STR_INIT("wolfie.header.dialog.")};
    for (size_t i = 0; i < CV_COUNT(heads); i++)
        if (cv_str_starts_nocase(key, heads[i]))
            return cv_str_from(key, heads[i].n);
    return CV_STR("");
}

/* One dialog from keys "dialog.speaker:" that stand one by one. */
static void gather_flat(cv_cursor *c, const fields *keys, cv_note_list *notes)
{
    fields flat = {0};
    for (size_t i = 0; i < keys->count; i++) {
        cv_str name = flat_name(keys->items[i].key);
        if (name.n) {
            cv_note_field *f = CV_PUSH(c->arena, &flat);
            *f = keys->items[i];
            f->field = cv_note_field_of(name);
        }
    }
    add_note(c, notes, &flat, CV_FORM_FLAT, 0);
}

/* A mood beside the map belongs to it. */
static void adopt_mood(cv_arena *a, const fields *keys, cv_note_list *notes)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (!cv_str_eq_nocase(keys->items[i].key, CV_STR("wolfie.header.mood.rgb")))
            continue;
        cv_note *first = notes->count ? &notes->items[0] : NULL;
        if (!first || first->of[CV_NOTE_MOOD])
            return;
        cv_note_field *all = CV_NEW_ARRAY(a, first->field_count + 1, cv_note_field);
        memcpy(all, first->fields, first->field_count * sizeof *all);
        all[first->field_count] = keys->items[i];
        first->fields = all;
        first->field_count++;
        cv_note_settle(first);
        return;
    }
}

void cv_notes_read_keys(cv_arena *a, cv_str text, cv_notes_header *header, cv_note_list *ret_notes)
{
    cv_cursor c = cv_cursor_at(a, text, header->container, header->inside, header->line);
    bool items = header->container == CV_IN_DOCSTRING;
    fields keys = {0};
    size_t base = SIZE_MAX;
    while (!cv_cursor_ended(&c)) {
        cv_str key, rest;
        size_t own = cv_notes_indent(c.content);
        bool is_key = cv_notes_split_key(c.content, items, &key, &rest);
        if (base == SIZE_MAX && is_key)
            base = own;
        if (!is_key || own > base) {
            cv_cursor_next(&c);
            continue;
        }
        header->is_wolfie |= cv_str_starts_nocase(key, CV_STR("wolfie.header"));
        cv_note_field *f = CV_PUSH(a, &keys);
        *f = cv_notes_read_field(&c, key, rest, own);
        if (keys.count == 1)
            header->lead = cv_span_of(text, (cv_span){f->lines.start, f->key_at.start});
        if (is_dialog_key(key) && f->value.n == 0) {
            header->dialogs++;
            read_dialogs(&c, own, ret_notes);
        }
    }
    if (!ret_notes->count)
        gather_flat(&c, &keys, ret_notes);
    adopt_mood(a, &keys, ret_notes);
    header->keys = keys.items;
    header->key_count = keys.count;
    for (size_t i = 0; i < ret_notes->count; i++)
        ret_notes->items[i].kind = CV_NOTE_KIND_HEADER;
}
