/* markdown.c - the entries of dialog files, which the specification does not know but most real dialogs are.
 *
 *     ## 2026-01-14 15:30:00 UTC          the date of what follows, as far as it is given
 *     **Speaker:** KIRO
 *     **Target:** @everyone
 *     **Mood:** `0066FF`                  with or without backticks, quotes, words behind it
 *     **Message:** "…"                    up to the next field, heading, rule or blank line
 */
#include "notes/text/reading.h"

/* "**Speaker:** value" and "**Speaker**: value"; false: it is none. */
static bool split_bold(cv_str content, cv_str *ret_key, cv_str *ret_value)
{
    cv_str s = cv_str_trim(content);
    if (!cv_str_starts(s, CV_STR("**")))
        return false;
    size_t end = cv_str_find(cv_str_from(s, 2), CV_STR("**"));
    if (end == SIZE_MAX || end == 0)
        return false;
    cv_str key = cv_str_head(cv_str_from(s, 2), end), value = cv_str_from(s, 2 + end + 2);
    bool inside = cv_str_ends(key, CV_STR(":")), outside = cv_str_starts(value, CV_STR(":"));
    if (inside == outside)
        return false;
    *ret_key = inside ? cv_str_head(key, key.n - 1) : key;
    *ret_value = cv_str_trim(outside ? cv_str_from(value, 1) : value);
    return true;
}

/* Without the backticks or quotes around it. */
static cv_str unwrapped(cv_str value)
{
    bool quoted = value.n >= 2 && (value.p[0] == '`' || value.p[0] == '"') && value.p[value.n - 1] == value.p[0];
    return quoted ? cv_str_head(cv_str_from(value, 1), value.n - 2) : value;
}

/* The six hex digits at the beginning, if there are. */
static cv_str mood_of(cv_str value)
{
    cv_str s = value;
    while (s.n && strchr("`\"'#", s.p[0]))
        s = cv_str_from(s, 1);
    cv_str six = cv_str_head(s, 6);
    return cv_mood_valid(six) && (s.n == 6 || !cv_is_alnum(s.p[6])) ? six : value;
}

/* "## 2026-01-14 15:30:00 …" -> 20260114153000; absent: there is no date. */
static cv_str date_of(cv_arena *a, cv_str line)
{
    cv_str s = cv_str_trim(line);
    while (s.n && (s.p[0] == '#' || s.p[0] == ' '))
        s = cv_str_from(s, 1);
    if (s.n < 10 || s.p[4] != '-' || s.p[7] != '-')
        return (cv_str){NULL, 0};
    cv_str time = cv_str_from(s, 11);
    bool minutes = time.n >= 5 && time.p[2] == ':', seconds = minutes && time.n >= 8 && time.p[5] == ':';
    cv_str date = cv_arena_printf(a, "%.4s%.2s%.2s%.2s%.2s%.2s", s.p, s.p + 5, s.p + 8, minutes ? time.p : "00",
                                  minutes ? time.p + 3 : "00", seconds ? time.p + 6 : "00");
    return cv_notes_date_valid(date) ? date : (cv_str){NULL, 0};
}

typedef struct {
    cv_note_field *items;
    size_t count, capacity;
} fields;

static cv_note_field field_of(const cv_cursor *c, cv_str key, cv_str value)
{
    int id = cv_note_field_of(key);
    cv_note_field f = {.key = key, .field = id, .line = c->number, .lines = {c->line.start, c->line.next}};
    f.value = id == CV_NOTE_MOOD ? mood_of(value) : unwrapped(value);
    f.key_at = (cv_span){(size_t)(key.p - c->text.p), (size_t)(key.p - c->text.p) + key.n};
    f.value_at = (cv_span){(size_t)(value.p - c->text.p), (size_t)(value.p - c->text.p) + value.n};
    return f;
}

/* The entry whose "**Speaker:**" the cursor is on. */
static void read_entry(cv_cursor *c, cv_notes_file *file, cv_str date)
{
    fields all = {0};
    cv_str key, value;
    size_t first = c->number, start = c->line.start, end = c->line.next, last = first;
    for (; !cv_cursor_ended(c) && split_bold(c->content, &key, &value); cv_cursor_next(c)) {
        if (all.count && cv_str_eq_nocase(key, CV_STR("speaker")))
            break;
        *CV_PUSH(c->arena, &all) = field_of(c, key, value);
        end = c->line.next;
        last = c->number;
    }
    cv_note note = {.kind = CV_NOTE_KIND_MARKDOWN,
                    .at = {start, end},
                    .line = first,
                    .last_line = last,
                    .fields = all.items,
                    .field_count = all.count,
                    .heading_date = date};
    cv_note_settle(&note);
    *CV_PUSH(c->arena, file) = note;
}

static bool is_speaker(const cv_cursor *c)
{
    cv_str key, value;
    return split_bold(c->content, &key, &value) && cv_str_eq_nocase(key, CV_STR("speaker"));
}

typedef struct {
    size_t *items;
    size_t count, capacity;
} places;

static cv_cursor begin(cv_arena *a, const cv_notes_file *file, size_t from)
{
    return cv_cursor_at(a, file->text, CV_IN_BARE, (cv_span){from, file->text.n}, cv_notes_line_of(file->text, from));
}

void cv_notes_read_markdown(cv_arena *a, cv_notes_file *file)
{
    size_t from = file->header.state == CV_HEADER_NONE ? 0 : file->header.at.end, next = 0;
    places at = {0};
    cv_str date = {NULL, 0};
    if (cv_notes_languages[file->language].reader != CV_READ_MARKDOWN)
        return;
    for (cv_cursor c = begin(a, file, from); !cv_cursor_ended(&c); cv_cursor_next(&c))
        if (is_speaker(&c))
            *CV_PUSH(a, &at) = c.line.start;
    cv_at *states = CV_NEW_ARRAY(a, at.count, cv_at);
    cv_notes_states(file->text, CV_READ_MARKDOWN, false, from, at.items, at.count, states);
    for (cv_cursor c = begin(a, file, from); next < at.count && !cv_cursor_ended(&c);) {
        if (cv_str_starts(c.content, CV_STR("#")))
            date = date_of(a, c.content);
        if (c.line.start < at.items[next])
            cv_cursor_next(&c);
        else if (states[next++] == CV_AT_CODE)
            read_entry(&c, file, date);
    }
}
