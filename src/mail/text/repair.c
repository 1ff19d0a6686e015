/* repair.c - what may be around a text, and its form as a whole; see repair.h. The pass over the value itself is in
 * rewrite.c.
 *
 *     bytes -> valid? done -> UTF-16 -> UTF-8? -> NULs behind it -> byte order mark -> fence -> another language?
 *           -> rewrite -> the strict reader
 */
#include "mail/text/repair.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "mail/text/rewrite.h"

const cv_mtext_repair_row cv_mtext_repairs[CV_MTEXT_REPAIR_COUNT] = {
#define REPAIR(id, word, about) [CV_MTEXT_REPAIR_##id] = {CV_STR_INIT(word), CV_STR_INIT(about)},
#include "mail/text/repairs.def"
#undef REPAIR
};

static const cv_str state_words[CV_MTEXT_STATE_COUNT] = {
    [CV_MTEXT_VALID] = CV_STR_INIT("valid"),     [CV_MTEXT_REPAIRED] = CV_STR_INIT("repaired"),
    [CV_MTEXT_EMPTY] = CV_STR_INIT("empty"),     [CV_MTEXT_NULS] = CV_STR_INIT("nuls"),
    [CV_MTEXT_TORN] = CV_STR_INIT("torn"),       [CV_MTEXT_DAMAGED] = CV_STR_INIT("damaged"),
    [CV_MTEXT_FOREIGN] = CV_STR_INIT("foreign"),
};
const cv_words cv_mtext_states = {state_words, CV_MTEXT_STATE_COUNT};

/* ---- notes ------------------------------------------------------------------------------------------------------- */

cv_mtext_note *cv_mtext_note_add(cv_mtext_notes *notes, cv_arena *a, cv_mtext_repair kind, size_t offset, cv_str what)
{
    static _Thread_local cv_mtext_note aside;
    if (notes->count == CV_MTEXT_MAX_NOTES) {
        notes->left_out++;
        return &aside;
    }
    cv_mtext_note *note = CV_PUSH(a, notes);
    *note = (cv_mtext_note){.kind = kind, .offset = offset, .what = what};
    return note;
}

static int by_offset(const void *x, const void *y)
{
    const cv_mtext_note *a = x, *b = y;
    return CV_ORDER(a->offset, b->offset);
}

void cv_mtext_place_notes(cv_str text, cv_mtext_notes *notes)
{
    size_t line = 1, column = 1, at = 0;
    if (notes->count)
        qsort(notes->items, notes->count, sizeof *notes->items, by_offset);
    for (size_t i = 0; i < notes->count; i++) {
        cv_mtext_note *note = &notes->items[i];
        assert(note->offset <= text.n);
        cv_utf8_advance(cv_str_head(cv_str_from(text, at), note->offset - at), &line, &column);
        at = note->offset;
        note->line = line;
        note->column = column;
    }
}

cv_str cv_mtext_notes_text(cv_arena *a, const cv_mtext_notes *notes)
{
    cv_buf out = {0};
    for (size_t i = 0; i < notes->count; i++) {
        const cv_mtext_note *note = &notes->items[i];
        cv_buf_printf(&out, "%s%.*s", i ? ", " : "", CV_FMT(cv_mtext_repairs[note->kind].word));
        if (note->what.n)
            cv_buf_printf(&out, " '%.*s'", CV_FMT(cv_excerpt(a, note->what)));
        if (note->line)
            cv_buf_printf(&out, " at %zu:%zu", note->line, note->column);
    }
    if (notes->left_out)
        cv_buf_printf(&out, " and %zu more", notes->left_out);
    return cv_buf_take(&out, a);
}

/* ---- placeholders ------------------------------------------------------------------------------------------------ */

static const struct {
    cv_str open, close;
} forms[] = {
    {CV_STR_INIT("{{"), CV_STR_INIT("}}")}, {CV_STR_INIT("${"), CV_STR_INIT("}")},
    {CV_STR_INIT("$("), CV_STR_INIT(")")},  {CV_STR_INIT("<"), CV_STR_INIT(">")},
    {CV_STR_INIT("["), CV_STR_INIT("]")},
};

/* Of square brackets and angles only names count: "[AUTO_TIMESTAMP]", "<unique_uuid>", not "[true]" or "<b>". */
static bool is_name(cv_str inside, bool square)
{
    size_t letters = 0, bars = 0;
    for (size_t i = 0; i < inside.n; i++) {
        char c = inside.p[i];
        if (!cv_is_alnum(c) && c != '_' && c != '-' && c != ' ')
            return false;
        if (square && !cv_is_upper(c) && c != '_' && !cv_is_digit(c))
            return false;
        letters += cv_is_alpha(c);
        bars += c == '_';
    }
    return letters >= 3 && (bars > 0 || !square);
}

/* The length of the placeholder that `s` begins with, or 0. It is on one line. */
size_t cv_mtext_placeholder_at(cv_str s)
{
    for (size_t f = 0; f < CV_COUNT(forms); f++) {
        if (!cv_str_starts(s, forms[f].open))
            continue;
        cv_str rest = cv_str_head(cv_str_from(s, forms[f].open.n), CV_MAX_EXCERPT);
        size_t close = cv_str_find(rest, forms[f].close);
        if (close == SIZE_MAX)
            return 0;
        cv_str inside = cv_str_trim(cv_str_head(rest, close));
        bool named = forms[f].open.p[0] == '<' || forms[f].open.p[0] == '[';
        bool open = inside.n == 0 || cv_str_find_char(inside, '\n') != SIZE_MAX ||
                    cv_str_find_char(inside, '"') != SIZE_MAX || cv_str_find_char(inside, '{') != SIZE_MAX ||
                    (forms[f].open.n == 2 && cv_str_find(inside, CV_STR(": ")) != SIZE_MAX);
        if (open || (named && !is_name(inside, forms[f].open.p[0] == '[')))
            return 0;
        return forms[f].open.n + close + forms[f].close.n;
    }
    return 0;
}

size_t cv_mtext_call_at(cv_str s)
{
    const char *p = s.p + (cv_str_starts(s, CV_STR("new ")) ? 4 : 0), *end = cv_str_end(s), *behind = NULL;
    while (p < end && (cv_is_alpha(*p) || (behind && *p == '.'))) {
        int depth = 0;
        while (p < end && (cv_is_alnum(*p) || *p == '_' || *p == '.'))
            p++;
        if (p == end || *p != '(')
            break;
        for (; p < end && *p != '\n' && *p != '{' && *p != '}'; p++) {
            depth += (*p == '(') - (*p == ')');
            if (depth == 0)
                break;
        }
        if (p == end || *p != ')')
            break;
        behind = ++p;
    }
    return behind ? (size_t)(behind - s.p) : 0;
}

bool cv_mtext_is_placeholder(cv_str text)
{
    cv_str s = cv_str_trim(text);
    return s.n > 0 && (cv_mtext_placeholder_at(s) == s.n || cv_mtext_call_at(s) == s.n);
}

bool cv_mtext_has_placeholder(cv_str text)
{
    if (cv_mtext_is_placeholder(text))
        return true;
    for (size_t i = 0; i < text.n; i++)
        if ((text.p[i] == '{' || text.p[i] == '$' || text.p[i] == '<' || text.p[i] == '[') &&
            cv_mtext_placeholder_at(cv_str_from(text, i)))
            return true;
    return false;
}

/* ---- the bytes of a value ---------------------------------------------------------------------------------------- */

static const char *string_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        p += *p == '\\';
    return p < end ? p + 1 : end;
}

cv_str cv_mtext_raw(cv_str text, const cv_json *value)
{
    const char *begin = text.p + value->offset, *p = begin, *end = cv_str_end(text);
    int depth = 0;
    if (value->type == CV_JSON_STRING)
        return cv_str_range(begin, string_end(p, end));
    if (value->type == CV_JSON_NUMBER)
        return (cv_str){begin, value->text.n};
    if (value->type != CV_JSON_ARRAY && value->type != CV_JSON_OBJECT)
        return (cv_str){begin, value->type == CV_JSON_FALSE ? 5 : 4};
    for (; p < end; p++) {
        if (*p == '"')
            p = string_end(p, end) - 1;
        else if (*p == '{' || *p == '[')
            depth++;
        else if ((*p == '}' || *p == ']') && --depth == 0)
            break;
    }
    return cv_str_range(begin, p < end ? p + 1 : end);
}

/* ---- around the value -------------------------------------------------------------------------------------------- */

static bool refuse(cv_mtext *ret, cv_mtext_state state, cv_err *err, cv_str text, size_t offset, const char *message,
                   const char *suggestion)
{
    size_t line = 1, column = 1;
    cv_utf8_advance(cv_str_head(text, offset), &line, &column);
    ret->state = state;
    cv_err_at(err, CV_ERR_JSON, line, column, "%s", message);
    cv_err_suggest(err, cv_str_of(suggestion));
    return false;
}

static bool is_all(cv_str s, bool (*is)(char))
{
    size_t i = 0;
    while (i < s.n && is(s.p[i]))
        i++;
    return i == s.n;
}

static bool is_nul_or_space(char c)
{
    return c == 0 || cv_is_space(c);
}

/* UTF-16 with a byte order mark, or one whose every second byte of the first four is zero, as UTF-8. */
static bool from_utf16(cv_arena *a, cv_str s, cv_str *ret)
{
    const unsigned char *u = (const unsigned char *)s.p;
    if (s.n < 4 || s.n % 2)
        return false;
    bool little = (u[0] == 0xff && u[1] == 0xfe) || (u[0] && !u[1] && u[2] && !u[3]);
    bool big = (u[0] == 0xfe && u[1] == 0xff) || (!u[0] && u[1] && !u[2] && u[3]);
    if (little == big)
        return false;
    cv_buf out = {0};
    for (size_t i = 0; i + 1 < s.n; i += 2) {
        uint32_t code = little ? u[i] | (uint32_t)u[i + 1] << 8 : u[i + 1] | (uint32_t)u[i] << 8;
        if (code >= 0xd800 && code < 0xdc00 && i + 3 < s.n) {
            uint32_t low = little ? u[i + 2] | (uint32_t)u[i + 3] << 8 : u[i + 3] | (uint32_t)u[i + 2] << 8;
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        char bytes[4];
        bool lone = code >= 0xd800 && code < 0xe000;
        cv_buf_add(&out, (cv_str){bytes, cv_utf8_put(lone ? 0xfffd : code, bytes)});
    }
    *ret = cv_buf_take(&out, a);
    return true;
}

/* {\"type\": \"NOTE\"}: an object as it is inside a string, without the quotes around it. */
static bool unescape(cv_arena *a, cv_str s, cv_str *ret)
{
    cv_str text = cv_str_trim(s), inside = cv_str_trim_left(cv_str_from(text, 1));
    cv_json value;
    cv_err ignored = {.arena = a};
    if (!cv_str_starts(text, CV_STR("{")) || !cv_str_starts(inside, CV_STR("\\\"")) ||
        !cv_json_parse(a, cv_arena_printf(a, "\"%.*s\"", CV_FMT(text)), &value, &ignored))
        return false;
    *ret = value.text;
    return true;
}

static cv_str line_at(cv_str s)
{
    return cv_str_head(s, cv_str_find_char(s, '\n'));
}

/* Where the next line begins whose first mark is one of a fence; SIZE_MAX: none does. *mark absent: any of the two. */
static size_t fence_in(cv_str s, cv_str *mark)
{
    for (size_t at = 0; at < s.n; at += line_at(cv_str_from(s, at)).n + 1) {
        cv_str line = cv_str_trim_left(line_at(cv_str_from(s, at)));
        cv_str found = cv_str_head(line, 3);
        if (mark->p ? cv_str_eq(found, *mark) : cv_str_eq(found, CV_STR("```")) || cv_str_eq(found, CV_STR("~~~"))) {
            *mark = found;
            return (size_t)(line.p - s.p);
        }
    }
    return SIZE_MAX;
}

/* What a model thought before it wrote. */
static void skip_thoughts(cv_mtext *ret, cv_arena *a, cv_str whole, cv_str *s)
{
    cv_str text = cv_str_trim_left(*s), end = CV_STR("</think");
    size_t close = cv_str_starts(text, CV_STR("<think")) ? cv_str_find(text, end) : SIZE_MAX;
    size_t behind = close == SIZE_MAX ? SIZE_MAX : cv_str_find_char(cv_str_from(text, close), '>');
    if (behind == SIZE_MAX)
        return;
    cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_TEXT_BEFORE, (size_t)(text.p - whole.p), line_at(text));
    *s = cv_str_from(text, close + behind + 1);
}

/* The block in ``` or ~~~ marks, if the text is prose with one of them. More than one is not a message but a page. */
static bool unfence(cv_mtext *ret, cv_arena *a, cv_str whole, cv_str *s, cv_err *err)
{
    static const char close_it[] = "close the block, or write the JSON alone";
    cv_str mark = {NULL, 0}, head = cv_str_trim_left(*s);
    if (head.n == 0 || head.p[0] == '{' || head.p[0] == '[')
        return true;
    size_t base = (size_t)(s->p - whole.p), open = fence_in(*s, &mark);
    if (open == SIZE_MAX)
        return true;
    size_t begin = open + line_at(cv_str_from(*s, open)).n;
    cv_str inside = cv_str_from(*s, begin + 1);
    size_t close = fence_in(inside, &mark);
    if (close == SIZE_MAX)
        return refuse(ret, CV_MTEXT_TORN, err, whole, base + open, "this fenced block is not closed", close_it);
    cv_str behind = cv_str_from(inside, close + mark.n);
    size_t second = fence_in(behind, &mark);
    if (second != SIZE_MAX)
        return refuse(ret, CV_MTEXT_DAMAGED, err, whole, (size_t)(behind.p - whole.p) + second,
                      "there is a second fenced block", "write one message into one file");
    cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_FENCE, base + open, (cv_str){0});
    if (cv_str_trim(cv_str_head(*s, open)).n)
        cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_TEXT_BEFORE, base, line_at(head));
    if (cv_str_trim(behind).n)
        cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_TEXT_AFTER, (size_t)(behind.p - whole.p),
                          line_at(cv_str_trim(behind)));
    *s = cv_str_head(inside, close);
    return true;
}

/* Everything before the pass over the value; *s is what is left to read, a part of `whole`. */
static bool strip(cv_mtext *ret, cv_arena *a, cv_str whole, cv_str *s, cv_err *err)
{
    size_t valid = cv_utf8_valid(*s);
    if (valid < s->n) {
        refuse(ret, CV_MTEXT_DAMAGED, err, whole, valid, "expected UTF-8, found another byte",
               "save the text as UTF-8");
        err->code = CV_ERR_NOT_UTF8;
        return false;
    }
    size_t n = s->n;
    while (n > 0 && is_nul_or_space(s->p[n - 1]))
        n--;
    if (cv_str_find_char(cv_str_from(*s, n), '\0') != SIZE_MAX) {
        cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_NULS, n, (cv_str){0});
        *s = cv_str_head(*s, n);
    }
    size_t nul = cv_str_find_char(*s, '\0');
    if (nul != SIZE_MAX)
        return refuse(ret, CV_MTEXT_DAMAGED, err, whole, nul, "there is a NUL byte in the middle of the text",
                      "write the file again; a crash of the machine leaves such bytes");
    if (cv_str_starts(*s, CV_STR("\xEF\xBB\xBF"))) {
        cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_BOM, 0, (cv_str){0});
        *s = cv_str_from(*s, 3);
    }
    skip_thoughts(ret, a, whole, s);
    return unfence(ret, a, whole, s, err);
}

static bool repair(cv_arena *a, cv_str whole, cv_mtext *ret, cv_err *err)
{
    cv_str s = whole;
    if (!strip(ret, a, whole, &s, err) || !cv_mtext_rewrite(a, whole, s, ret, err))
        return false;
    if (!cv_json_parse(a, ret->text, &ret->value, err)) {
        ret->state = CV_MTEXT_DAMAGED;
        return false;
    }
    ret->state = CV_MTEXT_REPAIRED;
    cv_mtext_place_notes(whole, &ret->notes);
    return true;
}

bool cv_mtext_read(cv_arena *a, cv_str bytes, cv_mtext *ret, cv_err *err)
{
    *ret = (cv_mtext){.state = CV_MTEXT_VALID, .text = bytes};
    if (is_all(bytes, cv_is_space))
        return refuse(ret, CV_MTEXT_EMPTY, err, bytes, 0, "the text is empty",
                      "write the message, then put the file here");
    if (is_all(bytes, is_nul_or_space))
        return refuse(ret, CV_MTEXT_NULS, err, bytes, 0, "the text is NUL bytes only",
                      "write it again; a crash of the machine before a sync leaves such a file");
    cv_err strict = {.arena = a};
    if (cv_json_parse(a, bytes, &ret->value, &strict))
        return true;
    if (bytes.n > CV_MAX_JSON_BYTES) {
        ret->state = CV_MTEXT_DAMAGED;
        cv_err_copy(err, &strict);
        return false;
    }
    cv_str text = bytes;
    if (from_utf16(a, bytes, &text))
        cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_ENCODING, 0, (cv_str){0});
    else if (unescape(a, bytes, &text))
        cv_mtext_note_add(&ret->notes, a, CV_MTEXT_REPAIR_ESCAPE, 0, (cv_str){0});
    if (text.p != bytes.p && cv_json_parse(a, text, &ret->value, &strict)) {
        ret->text = text;
        ret->state = CV_MTEXT_REPAIRED;
        cv_mtext_place_notes(text, &ret->notes);
        return true;
    }
    return repair(a, text, ret, err);
}
