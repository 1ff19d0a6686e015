/* lint.c - the rules for headers and dialogs; see lint.h.
 *
 *     the header   its state, its keys
 *     each dialog  what is missing, then each value: its form, then how it is written
 */
#include "notes/lint.h"

#include "base/map.h"
#include "base/utf8.h"
#include "notes/text/reading.h"
#include "notes/text/splice.h"

const cv_rule_row cv_notes_rules[] = {
#define RULE(id, word, severity, profile, fixable, summary)                                                            \
    {CV_STR_INIT(word), CV_##severity, fixable, CV_STR_INIT(summary)},
#include "notes/words/rules.def"
#undef RULE
};
_Static_assert(CV_COUNT(cv_notes_rules) == CV_NOTES_RULE_COUNT, "a row per rule");

static const cv_notes_profile profile_of[] = {
#define RULE(id, word, severity, profile, fixable, summary) CV_NOTES_PROFILE_##profile,
#include "notes/words/rules.def"
#undef RULE
};

static const cv_str profile_words[] = {CV_STR_INIT("core"), CV_STR_INIT("spec"), CV_STR_INIT("strict")};
_Static_assert(CV_COUNT(profile_words) == CV_NOTES_PROFILE_COUNT, "a word per profile");
const cv_words cv_notes_profiles = {profile_words, CV_COUNT(profile_words)};

#define SIGNATURE "explicit architecture with structured clarity for every file."
enum { MOST_HEADER = 10000 };

typedef struct {
    cv_arena *arena;
    const cv_notes_file *file;
    cv_notes_profile profile;
    cv_findings *found;
} linter;

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* NULL: the profile does not have the rule. */
static cv_finding *tell(linter *l, cv_notes_rule rule, cv_span at, const char *message, const char *hint)
{
    if (profile_of[rule] > l->profile)
        return NULL;
    cv_finding *f =
        cv_finding_add(l->found, l->arena, l->file->text, cv_span_of(l->file->text, at), rule, "%s", message);
    f->hint = cv_str_of(hint);
    return f;
}

static void fix(linter *l, cv_finding *f, cv_span at, cv_str bytes)
{
    if (!f || cv_utf8_valid(bytes) < bytes.n)
        return;
    assert(cv_notes_rules[f->rule].fixable);
    f->start = at.start;
    f->end = at.end;
    f->has_fix = true;
    f->fix = cv_arena_copy(l->arena, bytes);
}

/* The line that begins here, without its break. */
static cv_span line_at(const linter *l, size_t start)
{
    cv_notes_line line = cv_line_at(l->file->text, start < l->file->text.n ? start : l->file->text.n);
    return (cv_span){line.start, line.end};
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static void judge_state(linter *l)
{
    static const struct {
        cv_notes_rule rule;
        const char *hint;
    } rows[CV_HEADER_STATE_COUNT] = {
        [CV_HEADER_UNCLOSED] = {CV_NOTES_RULE_HEADER_UNCLOSED, "put a line '---' after the last key of the header"},
        [CV_HEADER_UNOPENED] = {CV_NOTES_RULE_HEADER_UNOPENED, "put a line '---' before the first key of the header"},
        [CV_HEADER_MISTYPED] = {CV_NOTES_RULE_HEADER_MISTYPED, "make the line '---'"},
        [CV_HEADER_UNFENCED] = {CV_NOTES_RULE_HEADER_UNFENCED, "put a line '---' before the header and one after it"},
        [CV_HEADER_FENCED] = {CV_NOTES_RULE_HEADER_FENCED,
                              "if it is the file's own header, move it to the top and remove the fence"},
    };
    const cv_notes_header *h = &l->file->header;
    if (!rows[h->state].hint)
        return;
    cv_span at = line_at(l, h->at.start);
    for (size_t i = 0; h->state == CV_HEADER_FENCED && i < l->file->count; i++)
        if (l->file->items[i].is_header_further_down) {
            at = line_at(l, l->file->items[i].at.start);
            break;
        }
    tell(l, rows[h->state].rule, at, cv_header_states[h->state].p, rows[h->state].hint);
}

static void judge_keys(linter *l)
{
    const cv_notes_header *h = &l->file->header;
    cv_map seen = {0};
    for (size_t i = 0; i < h->key_count; i++) {
        const cv_note_field *f = &h->keys[i];
        uintptr_t *line = cv_map_put(&seen, l->arena, f->key, NULL);
        if (*line && !cv_str_eq_nocase(f->key, CV_STR("dialog")))
            tell(l, CV_NOTES_RULE_KEY_REPEATED, f->key_at,
                 cv_arena_printf(l->arena, "line %zu has the key already", (size_t)*line).p,
                 "join the two, or remove one: readers of YAML keep the last one only");
        *line = *line ? *line : f->line;
    }
    size_t dialogs = 0;
    for (size_t i = 0; i < h->key_count && h->dialogs > 1; i++)
        if (cv_str_eq_nocase(h->keys[i].key, CV_STR("dialog")) && ++dialogs > 1)
            tell(l, CV_NOTES_RULE_DIALOG_REPEATED, h->keys[i].key_at, "the header has a second key 'dialog'",
                 "leave one dialog; older ones are in 'conclave notes history'");
}

static bool is_atom(cv_str value)
{
    for (size_t i = 0; i < value.n; i++)
        if (!cv_is_upper(value.p[i]) && value.p[i] != '_' && !cv_is_digit(value.p[i]))
            return false;
    return value.n > 0 && cv_is_upper(value.p[0]);
}

static void judge_doctrine(linter *l)
{
    const cv_notes_header *h = &l->file->header;
    const cv_note_field *signature = cv_header_key(h, CV_STR("wolfie.headers"));
    const cv_note_field *version = cv_header_key(h, CV_STR("file.last_modified_system_version"));
    const cv_note_field *time = cv_header_key(h, CV_STR("file.last_modified_utc"));
    cv_span top = line_at(l, h->inside.start);
    if (!signature || !cv_str_eq(signature->value, CV_STR(SIGNATURE)))
        tell(l, CV_NOTES_RULE_HEADER_SIGNATURE, signature ? line_at(l, signature->lines.start) : top,
             signature ? "the signature is altered" : "the header has no signature",
             "write 'wolfie.headers: " SIGNATURE "'");
    if (!version || is_atom(version->value))
        tell(l, CV_NOTES_RULE_HEADER_VERSION, version ? version->value_at : top,
             version ? "the version is an atom" : "the header does not say for which version it was written",
             "write 'file.last_modified_system_version: 4.0.1' with the number of the system");
    if (!time || !cv_notes_date_valid(time->value))
        tell(l, CV_NOTES_RULE_HEADER_TIME, time ? time->value_at : top,
             time ? "the time is not YYYYMMDDHHMMSS" : "the header does not say when the file was changed",
             "write 'file.last_modified_utc: YYYYMMDDHHMMSS' in UTC");
    if (h->at.end - h->at.start > MOST_HEADER)
        tell(l, CV_NOTES_RULE_HEADER_SIZE, top, "the header has more than 10,000 characters",
             "move what describes the content into the content");
    if (l->file->has_bom)
        tell(l, CV_NOTES_RULE_BYTE_ORDER_MARK, (cv_span){0, 3}, "there is a byte order mark before the header",
             "save the file as UTF-8 without one; other readers do not find the header");
}

/* A bare header in a language that has comments is text to its compiler. */
static void judge_host(linter *l)
{
    const cv_notes_header *h = &l->file->header;
    cv_notes_reader reader = cv_notes_languages[l->file->language].reader;
    bool is_text = reader == CV_READ_MARKDOWN || reader == CV_READ_YAML || reader == CV_READ_LINES;
    if (h->container == CV_IN_BARE && !is_text)
        tell(l, CV_NOTES_RULE_HEADER_BREAKS, line_at(l, h->at.start),
             cv_arena_printf(l->arena, "the header is not in a comment, so the file is not %.*s any more",
                             CV_FMT(cv_notes_languages[l->file->language].word))
                 .p,
             "put it into a comment of the language");
}

static void judge_header(linter *l)
{
    const cv_notes_header *h = &l->file->header;
    if (h->state == CV_HEADER_NONE) {
        if (cv_notes_languages[l->file->language].header != CV_IN_NONE)
            tell(l, CV_NOTES_RULE_HEADER_MISSING, line_at(l, 0), "the file has no WOLFIE header",
                 "'conclave notes header' makes one");
        return;
    }
    judge_state(l);
    if (h->state == CV_HEADER_FOREIGN || h->state == CV_HEADER_FENCED)
        return;
    judge_host(l);
    judge_keys(l);
    if (!cv_notes_header_dialog(l->file))
        tell(l, CV_NOTES_RULE_DIALOG_MISSING, line_at(l, h->inside.start), "the header has no dialog",
             "'conclave notes header' says what was changed");
    judge_doctrine(l);
}

/* ---- dialogs ----------------------------------------------------------------------------------------------------- */

static void judge_missing(linter *l, const cv_note *n)
{
    static const struct {
        cv_note_field_id field;
        cv_notes_rule rule;
        const char *message, *hint;
    } rows[] = {
        {CV_NOTE_SPEAKER, CV_NOTES_RULE_SPEAKER_MISSING, "the dialog does not say who speaks",
         "write 'speaker: NAME', an agent, an IDE or a person"},
        {CV_NOTE_TARGET, CV_NOTES_RULE_TARGET_MISSING, "the dialog does not say whom it addresses",
         "write 'target: \"@everyone\"', or the name of an agent or subsystem with '@'"},
        {CV_NOTE_MESSAGE, CV_NOTES_RULE_MESSAGE_MISSING, "the dialog has no message",
         "write 'message: \"…\"', one line of plain text, at most 272 characters"},
    };
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        const cv_note_field *f = n->of[rows[i].field];
        if (!f || cv_notes_is_blank(f->value))
            tell(l, rows[i].rule, f ? line_at(l, f->lines.start) : line_at(l, n->at.start), rows[i].message,
                 rows[i].hint);
    }
}

static bool targets_valid(cv_str target, size_t *ret_count)
{
    cv_str rest = target, one;
    *ret_count = 0;
    while (cv_str_split(&rest, ' ', &one)) {
        one = cv_str_ends(one, CV_STR(",")) ? cv_str_head(one, one.n - 1) : one;
        *ret_count += one.n > 0;
        if (one.n && (one.p[0] != '@' || one.n < 2))
            return false;
    }
    return true;
}

/* **bold**, __bold__, `code`, [text](link), a heading. */
static bool has_markup(cv_str text)
{
    static const cv_str pairs[] = {CV_STR_INIT("**"), CV_STR_INIT("__"), CV_STR_INIT("`")};
    size_t link = cv_str_find(text, CV_STR("]("));
    for (size_t i = 0; i < CV_COUNT(pairs); i++) {
        size_t at = cv_str_find(text, pairs[i]);
        cv_str rest = cv_str_from(text, at == SIZE_MAX ? text.n : at + pairs[i].n);
        size_t close = cv_str_find(rest, pairs[i]);
        if (close != SIZE_MAX && close > 0 && !cv_is_blank(rest.p[0]) && !cv_is_blank(rest.p[close - 1]))
            return true;
    }
    return cv_str_starts(text, CV_STR("# ")) || cv_str_starts(text, CV_STR("## ")) ||
           (link != SIZE_MAX && cv_str_find_char(cv_str_head(text, link), '[') != SIZE_MAX &&
            cv_str_find_char(cv_str_from(text, link), ')') != SIZE_MAX);
}

static void judge_target(linter *l, const cv_note_field *f)
{
    size_t count;
    if (!targets_valid(cv_str_trim(f->value), &count))
        tell(l, CV_NOTES_RULE_TARGET_FORM, f->value_at, "the target does not begin with '@'",
             "write @everyone, or @NAME of an agent or subsystem; several with spaces between");
    else if (count > 1)
        tell(l, CV_NOTES_RULE_TARGET_SEVERAL, f->value_at, "the dialog has several targets",
             "other readers take them for one name");
}

static void judge_message(linter *l, const cv_note_field *f)
{
    size_t length = cv_notes_length(f->value);
    cv_span at = {f->value_at.start, line_at(l, f->value_at.start).end};
    at.end = at.end < f->value_at.end ? at.end : f->value_at.end;
    if (length > CV_NOTES_MAX_MESSAGE)
        tell(
            l, CV_NOTES_RULE_MESSAGE_LENGTH, at,
            cv_arena_printf(l->arena, "the message has %zu characters, %d are allowed", length, CV_NOTES_MAX_MESSAGE).p,
            "say it in fewer words; put details into the file");
    if (cv_str_find_char(f->value, '\n') != SIZE_MAX)
        tell(l, CV_NOTES_RULE_MESSAGE_LINES, at, "the message has more than one line",
             "make it one line of plain text");
    if (has_markup(f->value))
        tell(l, CV_NOTES_RULE_MESSAGE_MARKUP, at, "the message has Markdown in it", "write plain text");
}

/* "2026-01-06T12:00:00Z", "2026-01-06 12:00": the same time in 14 digits. Empty: it is not known. */
static cv_str date_of(cv_arena *a, cv_str value)
{
    char digits[15];
    size_t n = 0;
    cv_str rest = cv_str_trim(value);
    for (; rest.n && (cv_is_digit(rest.p[0]) || strchr("-:T ", rest.p[0])); rest = cv_str_from(rest, 1))
        if (cv_is_digit(rest.p[0]) && n < sizeof digits)
            digits[n++] = rest.p[0];
    if (rest.n && rest.p[0] == '.')
        for (rest = cv_str_from(rest, 1); rest.n && cv_is_digit(rest.p[0]);)
            rest = cv_str_from(rest, 1);
    bool is_utc =
        !rest.n || cv_str_eq(rest, CV_STR("Z")) || cv_str_eq(rest, CV_STR("UTC")) || cv_str_eq(rest, CV_STR("+00:00"));
    if (n == 12)
        memcpy(digits + n, "00", 2), n = 14;
    return is_utc && n == 14 && cv_notes_date_valid((cv_str){digits, n}) ? cv_arena_copy(a, (cv_str){digits, n})
                                                                         : CV_STR("");
}

static void judge_date(linter *l, const cv_note_field *f)
{
    if (cv_notes_date_valid(f->value))
        return;
    cv_str date = date_of(l->arena, f->value);
    cv_finding *found = tell(l, CV_NOTES_RULE_DATE_FORM, f->value_at, "the date is not YYYYMMDDHHMMSS",
                             "write fourteen digits of a date in the calendar, in UTC");
    if (date.n)
        fix(l, found, f->value_at, cv_note_encode(l->arena, f->style, date));
}

static void judge_mood(linter *l, const cv_note_field *f)
{
    cv_str trimmed = cv_str_trim(f->value);
    cv_str bare = cv_str_starts(trimmed, CV_STR("#")) ? cv_str_from(trimmed, 1) : trimmed;
    if (!cv_mood_valid(f->value)) {
        cv_finding *found = tell(l, CV_NOTES_RULE_MOOD_FORM, f->value_at, "the mood is not six hex digits",
                                 "write RRGGBB without '#', like 00CC88; 666666 is neutral");
        if (cv_mood_valid(bare) && f->value_at.end > f->value_at.start)
            fix(l, found, f->value_at, cv_note_encode(l->arena, CV_STYLE_DOUBLE, bare));
    }
    if (cv_str_eq_nocase(f->key, CV_STR("mood")) || cv_str_eq(f->key, CV_STR("mood_rgb"))) {
        cv_finding *found =
            tell(l, CV_NOTES_RULE_MOOD_KEY, f->key_at, "the key of the mood is not mood_RGB", "write 'mood_RGB'");
        fix(l, found, f->key_at, CV_STR("mood_RGB"));
    }
}

static void judge_quotes(linter *l, cv_note_field_id id, const cv_note *n, const cv_note_field *f)
{
    if (f->style != CV_STYLE_PLAIN || !f->value.n || !cv_note_is_misread(id, f->value))
        return;
    bool is_target = id == CV_NOTE_TARGET;
    cv_finding *found = tell(l, is_target ? CV_NOTES_RULE_TARGET_QUOTES : CV_NOTES_RULE_VALUE_QUOTES, f->value_at,
                             is_target ? "the target has no quotes, so the header is not YAML"
                                       : "YAML would not read this value as it is written",
                             "put it into double quotes");
    cv_str quoted = cv_note_encode(l->arena, CV_STYLE_DOUBLE, f->value);
    if (n->container != CV_IN_DOCSTRING || cv_str_find_char(quoted, '\\') == SIZE_MAX)
        fix(l, found, f->value_at, quoted);
}

static void judge_values(linter *l, const cv_note *n)
{
    for (int i = 0; i < CV_NOTE_FIELDS; i++) {
        const cv_note_field *f = n->of[i];
        size_t before = l->found->count;
        if (!f || cv_notes_is_blank(f->value))
            continue;
        if (f->style == CV_STYLE_BROKEN) {
            tell(l, CV_NOTES_RULE_QUOTE_UNCLOSED, f->value_at, "the quote is not closed on its line",
                 "close the quote");
            continue;
        }
        if (i == CV_NOTE_TARGET)
            judge_target(l, f);
        else if (i == CV_NOTE_MESSAGE)
            judge_message(l, f);
        else if (i == CV_NOTE_DATE)
            judge_date(l, f);
        else if (i == CV_NOTE_MOOD)
            judge_mood(l, f);
        bool rewritten = false; /* one fix per value */
        for (size_t k = before; k < l->found->count; k++)
            rewritten |= l->found->items[k].has_fix && l->found->items[k].start == f->value_at.start;
        if (!rewritten)
            judge_quotes(l, (cv_note_field_id)i, n, f);
    }
    if (!n->of[CV_NOTE_MOOD])
        tell(l, CV_NOTES_RULE_MOOD_MISSING, line_at(l, n->at.start), "the dialog has no mood",
             "write 'mood_RGB: \"666666\"', or the colour that fits");
}

/* "dialog:" where the specification writes "DIALOG:". */
static void judge_key(linter *l, const cv_note *n)
{
    cv_str text = l->file->text;
    cv_notes_line line = cv_line_at(text, cv_line_at(text, n->at.start).next);
    size_t at = cv_str_find_nocase(cv_line_text(text, line), CV_STR("dialog"));
    if (at == SIZE_MAX || n->form == CV_FORM_FLAT)
        return;
    cv_span key = {line.start + at, line.start + at + 6};
    if (cv_str_eq(cv_span_of(text, key), CV_STR("DIALOG")))
        return;
    fix(l, tell(l, CV_NOTES_RULE_NOTE_KEY, key, "the key of an inline dialog is not DIALOG", "write 'DIALOG:'"), key,
        CV_STR("DIALOG"));
}

static void judge_dialog(linter *l, const cv_note *n)
{
    if (n->reason == CV_FENCED || n->reason == CV_IN_STRING || n->kind == CV_NOTE_KIND_MARKDOWN)
        return;
    if (n->reason == CV_PLACEHOLDER) {
        tell(l, CV_NOTES_RULE_PLACEHOLDER, line_at(l, n->at.start), "the dialog has a placeholder instead of a value",
             "fill it in, or put the example into a code fence");
        return;
    }
    if (n->reason == CV_UNCLOSED)
        tell(l, CV_NOTES_RULE_NOTE_UNCLOSED, line_at(l, n->at.start), "the note has no closing line '---'",
             "put a line '---' after its last field");
    if (n->is_header_further_down)
        tell(l, CV_NOTES_RULE_HEADER_REPEATED, line_at(l, n->at.start), "there is a second WOLFIE header here",
             "remove one of them");
    else if (n->kind == CV_NOTE_KIND_INLINE && n->reason == CV_COUNTS && n->place == 0)
        judge_key(l, n);
    judge_missing(l, n);
    judge_values(l, n);
}

static bool is_fixable(const linter *l, const cv_finding *f)
{
    const cv_notes_header *h = &l->file->header;
    bool in_header = f->start >= h->at.start && f->start < h->at.end;
    return !in_header || h->state == CV_HEADER_WHOLE;
}

void cv_notes_lint(cv_arena *a, const cv_notes_file *file, cv_notes_profile profile, cv_findings *ret)
{
    linter l = {a, file, profile, ret};
    *ret = (cv_findings){0};
    judge_header(&l);
    for (size_t i = 0; i < file->count; i++)
        judge_dialog(&l, &file->items[i]);
    for (size_t i = 0; i < ret->count; i++)
        ret->items[i].has_fix = ret->items[i].has_fix && is_fixable(&l, &ret->items[i]);
    cv_findings_place(ret, file->text);
}

/* ---- fixing ------------------------------------------------------------------------------------------------------ */

/* Does a fix of this rule write a value in another form? */
static bool says_same(const cv_note_field *x, const cv_note_field *y, int id)
{
    if (!x != !y)
        return false;
    bool rewritten = id == CV_NOTE_DATE   ? !x || !cv_notes_date_valid(x->value)
                     : id == CV_NOTE_MOOD ? !x || !cv_mood_valid(x->value)
                                          : false;
    return !x || rewritten || cv_str_eq(x->value, y->value);
}

static bool reads_alike(const cv_notes_file *x, const cv_notes_file *y)
{
    if (x->count != y->count || x->header.state != y->header.state)
        return false;
    for (size_t i = 0; i < x->count; i++) {
        bool same = x->items[i].reason == y->items[i].reason && x->items[i].kind == y->items[i].kind;
        for (int k = 0; same && k < CV_NOTE_FIELDS; k++)
            same = says_same(x->items[i].of[k], y->items[i].of[k], k);
        if (!same)
            return false;
    }
    return true;
}

size_t cv_notes_lint_fix(cv_arena *a, cv_str text, cv_notes_language language, cv_notes_profile profile,
                         cv_str *ret_text)
{
    cv_notes_file file, again;
    cv_findings found;
    cv_splices all = {0};
    size_t end = 0;
    *ret_text = text;
    cv_notes_read(a, text, language, 0, &file);
    cv_notes_lint(a, &file, profile, &found);
    for (size_t i = 0; i < found.count; i++) {
        const cv_finding *f = &found.items[i];
        if (!f->has_fix || f->start < end)
            continue;
        cv_splice_add(a, &all, (cv_span){f->start, f->end}, f->fix);
        end = f->end;
    }
    if (!all.count)
        return 0;
    cv_str fixed = cv_splice_text(a, text, &all);
    cv_notes_read(a, fixed, language, 0, &again);
    if (!reads_alike(&file, &again))
        return 0;
    *ret_text = fixed;
    return all.count;
}
