/* fields.c - the fields of a consult message; see fields.h. */
#include "chat/text/fields.h"

const cv_consult_row cv_consults[CV_CONSULT_COUNT] = {
#define CONSULT(id, type, from, to) {CV_STR_INIT(type), CV_STR_INIT(from), CV_STR_INIT(to)},
#define FIELD(of, name, need, spellings)
#include "chat/words/consult.def"
#undef CONSULT
#undef FIELD
};

#define REQUIRED true
#define SHOULD false
const cv_consult_field cv_consult_fields[] = {
#define CONSULT(id, type, from, to)
#define FIELD(of, name, need, spellings) {CV_CONSULT_##of, CV_STR_INIT(name), need, CV_STR_INIT(spellings)},
#include "chat/words/consult.def"
#undef CONSULT
#undef FIELD
};
#undef REQUIRED
#undef SHOULD
const size_t cv_consult_field_count = CV_COUNT(cv_consult_fields);

int cv_consult_of(cv_str type)
{
    for (int i = 0; i < CV_CONSULT_COUNT; i++)
        if (cv_str_eq(cv_consults[i].type, type))
            return i;
    return -1;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

enum { MAX_KEY = 80 };

/* "  - **Risks/unknowns** (if any): x" -> "risks_unknowns", and the rest of the line. False: the line has no key. */
static bool read_key(cv_str line, char to[MAX_KEY], cv_str *ret_key, cv_str *ret_value)
{
    size_t n = 0, i = 0, depth = 0;
    bool gap = false;
    for (; i < line.n && (line.p[i] != ':' || depth); i++) {
        char c = line.p[i];
        if (c == '(' || c == ')') {
            depth += c == '(' ? 1 : 0;
            depth -= c == ')' && depth ? 1 : 0;
        } else if (!depth && cv_is_alnum(c)) {
            if (n + 2 > MAX_KEY)
                return false;
            if (gap && n)
                to[n++] = '_';
            to[n++] = cv_lower(c);
            gap = false;
        } else if (!depth) {
            gap = true;
        }
    }
    if (i == line.n || n == 0)
        return false;
    *ret_key = (cv_str){to, n};
    *ret_value = cv_str_from(line, i + 1);
    while (ret_value->n && (cv_is_blank(ret_value->p[0]) || ret_value->p[0] == '*'))
        *ret_value = cv_str_from(*ret_value, 1); /* the bold of **key:** */
    return true;
}

static bool is_among(cv_str spellings, cv_str key)
{
    cv_str one;
    while (cv_str_split(&spellings, ' ', &one))
        if (cv_str_eq(one, key))
            return true;
    return false;
}

static bool is_known_key(cv_str key)
{
    for (size_t i = 0; i < cv_consult_field_count; i++)
        if (is_among(cv_consult_fields[i].spellings, key))
            return true;
    return false;
}

/* A line that repeats what somebody else said says nothing of its own. */
static bool is_quoted(cv_str line)
{
    return cv_str_starts(cv_str_trim_left(line), CV_STR(">"));
}

/* The lines of the first field with this key. */
static cv_str find_key(cv_str body, cv_str wanted)
{
    char room[MAX_KEY];
    cv_str rest = body, line, key, value, found = {NULL, 0};
    while (cv_str_split(&rest, '\n', &line)) {
        bool keyed = !is_quoted(line) && read_key(line, room, &key, &value);
        if (found.p && keyed && is_known_key(key))
            break;
        if (found.p)
            found = cv_str_range(found.p, cv_str_end(line));
        else if (keyed && cv_str_eq(key, wanted))
            found = value;
    }
    found = found.p ? cv_str_trim(found) : found;
    return found.n ? found : (cv_str){NULL, 0};
}

cv_str cv_field_find(cv_str body, cv_str spellings)
{
    cv_str one, found = {NULL, 0};
    while (!found.n && cv_str_split(&spellings, ' ', &one))
        found = find_key(body, one);
    return found;
}

cv_str cv_field_line(cv_str value)
{
    size_t end = cv_str_find_char(value, '\n');
    return cv_str_trim(cv_str_head(value, end == SIZE_MAX ? value.n : end));
}

cv_str cv_consult_get(cv_consult_kind kind, cv_str body, const char *name)
{
    for (size_t i = 0; i < cv_consult_field_count; i++)
        if (cv_consult_fields[i].of == kind && cv_str_eq(cv_consult_fields[i].name, cv_str_of(name)))
            return cv_field_find(body, cv_consult_fields[i].spellings);
    return (cv_str){NULL, 0};
}

/* "Yes, but slowly" is a yes; "yes/no" and "yes or no" have not been filled in. */
static cv_consult_answer answer_of(cv_str value)
{
    size_t n = 0;
    while (n < value.n && !cv_is_alpha(value.p[n])) /* **yes** */
        n++;
    cv_str word = cv_str_from(value, n);
    for (n = 0; n < word.n && cv_is_alpha(word.p[n]);)
        n++;
    cv_str rest = cv_str_trim_left(cv_str_from(word, n));
    bool offers = rest.n && (strchr("/|", rest.p[0]) || cv_str_starts_nocase(rest, CV_STR("or ")));
    word = cv_str_head(word, n);
    return offers                                  ? CV_ANSWER_UNCLEAR
           : cv_str_eq_nocase(word, CV_STR("yes")) ? CV_ANSWER_YES
           : cv_str_eq_nocase(word, CV_STR("no"))  ? CV_ANSWER_NO
                                                   : CV_ANSWER_UNCLEAR;
}

cv_consult_answer cv_consult_answer_of(cv_str body)
{
    char room[MAX_KEY];
    cv_str rest = body, line, key, value;
    cv_consult_answer all = CV_ANSWER_NONE;
    while (cv_str_split(&rest, '\n', &line)) {
        if (is_quoted(line) || !read_key(line, room, &key, &value) || !cv_str_eq(key, CV_STR("ok_to_proceed")))
            continue;
        cv_consult_answer one = cv_str_trim(value).n ? answer_of(value) : all;
        all = all == CV_ANSWER_NONE || all == one ? one : CV_ANSWER_UNCLEAR;
    }
    return all;
}

uint64_t cv_consult_batch(cv_str text, unsigned *ret_of)
{
    uint64_t there = 0;
    *ret_of = 0;
    for (size_t i = 0; i + 4 < text.n; i++) {
        unsigned part = 0, of = 0;
        size_t at = i + 1;
        if (text.p[i] != '(')
            continue;
        while (at < text.n && cv_is_digit(text.p[at]) && part < 100)
            part = part * 10 + (unsigned)(text.p[at++] - '0');
        if (part == 0 || at >= text.n || text.p[at++] != '/')
            continue;
        while (at < text.n && cv_is_digit(text.p[at]) && of < 100)
            of = of * 10 + (unsigned)(text.p[at++] - '0');
        if (at >= text.n || text.p[at] != ')' || of == 0 || of > 64 || part > of)
            continue;
        there |= UINT64_C(1) << (part - 1);
        *ret_of = of > *ret_of ? of : *ret_of;
    }
    return there;
}
