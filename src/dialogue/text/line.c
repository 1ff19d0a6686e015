/* line.c - the eight kinds of lines; see line.h. */
#include "dialogue/text/line.h"

#include "base/limits.h"
#include "base/utf8.h"

static const cv_str line_words[] = {CV_STR_INIT("content"), CV_STR_INIT("heading1"), CV_STR_INIT("metadata"),
                                    CV_STR_INIT("section"), CV_STR_INIT("round"),    CV_STR_INIT("agent"),
                                    CV_STR_INIT("table"),   CV_STR_INIT("marker")};
const cv_words cv_line_words = {line_words, CV_LINE_KIND_COUNT};
_Static_assert(sizeof line_words / sizeof *line_words == CV_LINE_KIND_COUNT, "a word per kind of line");

/* ---- small readers ----------------------------------------------------------------------------- */

char cv_line_fence(cv_str trimmed, bool closing, size_t *ret_length)
{
    char c = trimmed.n ? trimmed.p[0] : '\0';
    if (c != '`' && c != '~')
        return 0;
    size_t n = 0;
    while (n < trimmed.n && trimmed.p[n] == c)
        n++;
    cv_str info = cv_str_from(trimmed, n);
    if (n < 3 || (closing && cv_str_trim(info).n > 0))
        return 0;
    if (c == '`' && cv_str_find_char(info, '`') != SIZE_MAX)
        return 0; /* a code span on one line */
    *ret_length = n;
    return c;
}

static bool is_rule(cv_str trimmed)
{
    size_t marks = 0;
    char c = trimmed.n ? trimmed.p[0] : '\0';
    if (c != '-' && c != '*' && c != '_')
        return false;
    for (size_t i = 0; i < trimmed.n; i++) {
        if (trimmed.p[i] == c)
            marks++;
        else if (!cv_is_blank(trimmed.p[i]))
            return false;
    }
    return marks >= 3;
}

bool cv_heading_note(cv_str s, cv_str *ret_note)
{
    static const cv_str marks[] = {CV_STR_INIT("--"), CV_STR_INIT("—"), CV_STR_INIT("–"),
                                   CV_STR_INIT("-"),  CV_STR_INIT(":"), CV_STR_INIT("→")};
    s = cv_str_trim(s);
    if (s.n >= 2 && s.p[0] == '(' && s.p[s.n - 1] == ')') {
        *ret_note = cv_str_trim((cv_str){s.p + 1, s.n - 2});
        return true;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (cv_str_starts(s, marks[i])) {
            *ret_note = cv_str_trim(cv_str_from(s, marks[i].n));
            return true;
        }
    return false;
}

bool cv_find_round(cv_str s, int *ret_round, cv_str *ret_before, cv_str *ret_after)
{
    static const cv_str word = CV_STR_INIT("Round");
    for (size_t from = 0;;) {
        size_t hit = cv_str_find(cv_str_from(s, from), word);
        if (hit == SIZE_MAX)
            return false;
        size_t at = from + hit, digits = at + word.n;
        while (digits < s.n && cv_is_blank(s.p[digits]))
            digits++;
        size_t end = digits;
        while (end < s.n && cv_is_digit(s.p[end]))
            end++;
        bool alone =
            (at == 0 || !cv_is_alnum(s.p[at - 1])) && digits > at + word.n && (end == s.n || !cv_is_alnum(s.p[end]));
        if (alone && cv_str_to_int(cv_str_range(s.p + digits, s.p + end), ret_round)) {
            *ret_before = cv_str_trim(cv_str_head(s, at));
            *ret_after = cv_str_trim(cv_str_from(s, end));
            return true;
        }
        from = at + word.n;
    }
}

/* ---- names and emoji ----------------------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 64 }; /* a longer name is never looked up */

static bool is_emoji_token(cv_str token)
{
    uint32_t code;
    bool any = false;
    for (; cv_utf8_next(&token, &code); any = true)
        if (!cv_utf8_is_emoji(code))
            return false;
    return any;
}

static cv_str take_token(cv_str *rest)
{
    *rest = cv_str_trim_left(*rest);
    size_t n = 0;
    while (n < rest->n && !cv_is_space(rest->p[n]))
        n++;
    cv_str token = cv_str_head(*rest, n);
    *rest = cv_str_from(*rest, n);
    return token;
}

static cv_str first_token(cv_str s)
{
    return take_token(&s);
}

cv_str cv_plain_name(cv_arena *a, cv_str cell)
{
    cv_str name = {NULL, 0};
    for (cv_str token; name.n <= NAME_MAX_BYTES && (token = take_token(&cell)).n > 0;) {
        if (is_emoji_token(token))
            continue;
        while (token.n > 0 && token.p[0] == '*')
            token = cv_str_from(token, 1);
        while (token.n > 0 && token.p[token.n - 1] == '*')
            token.n--;
        if (token.n > 0)
            name = name.n ? cv_arena_printf(a, "%.*s %.*s", CV_FMT(name), CV_FMT(token)) : token;
    }
    return name;
}

cv_str cv_agent_key(cv_arena *a, cv_str name)
{
    char *p = cv_arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++)
        p[i] = cv_lower(name.p[i]);
    return (cv_str){p, name.n};
}

static bool is_known(const cv_map *agents, cv_str name)
{
    char key[NAME_MAX_BYTES];
    if (cv_str_eq_nocase(name, cv_judge_name))
        return true;
    if (!agents || agents->count == 0 || name.n == 0 || name.n > sizeof key)
        return false;
    for (size_t i = 0; i < name.n; i++)
        key[i] = cv_lower(name.p[i]);
    return cv_map_get(agents, (cv_str){key, name.n}) != NULL;
}

/* Splits "Muffin (Platform Architect)" or "Muffin → 12:00Z" behind the longest known name, else before the first
 * parenthesis or dash. False when no known name begins it. */
static bool split_name(cv_str s, const cv_map *agents, cv_str *name, cv_str *role)
{
    for (size_t n = s.n < NAME_MAX_BYTES ? s.n : NAME_MAX_BYTES; n > 0; n--)
        if ((n == s.n || cv_is_blank(s.p[n])) && is_known(agents, cv_str_head(s, n))) {
            *name = cv_str_head(s, n);
            *role = cv_str_trim(cv_str_from(s, n));
            return true;
        }
    *name = s;
    *role = (cv_str){cv_str_end(s), 0};
    for (size_t i = 1; i < s.n; i++) {
        cv_str rest = cv_str_from(s, i), note;
        if (!cv_is_space(s.p[i - 1]) || cv_is_space(rest.p[0]))
            continue;
        if (rest.p[0] == '(' || is_emoji_token(first_token(rest)) ||
            (rest.p[0] != ':' && cv_heading_note(rest, &note))) {
            *name = cv_str_trim(cv_str_head(s, i));
            *role = rest;
            break;
        }
    }
    return false;
}

static bool is_mark(cv_str s);

/* ### Muffin 🧁 (Role), ### 🧁 Muffin (Role), ### Muffin (Role) when Muffin is on the panel. */
static bool agent_heading(cv_str heading, const cv_map *agents, cv_line *line)
{
    cv_str rest = heading, note;
    cv_str first = take_token(&rest);
    line->role = (cv_str){NULL, 0};
    if (is_emoji_token(first)) {
        line->value = first;
        line->deviant = true;
        rest = cv_str_trim(rest);
        if (is_emoji_token(first_token(rest)))
            return false;
        split_name(rest, agents, &line->name, &line->role);
        if (is_mark(line->name)) /* written name first it would not be a heading */
            return false;
    } else {
        bool emoji = false;
        rest = heading;
        for (cv_str token; !emoji && (token = take_token(&rest)).n > 0;)
            if (is_emoji_token(token)) {
                emoji = true;
                line->name = cv_str_trim(cv_str_range(heading.p, token.p));
                line->value = token;
                line->role = cv_str_trim(rest);
            }
        if (!emoji) {
            line->deviant = true;
            line->value = (cv_str){NULL, 0};
            if (!split_name(heading, agents, &line->name, &line->role))
                return false;
        }
    }
    if (cv_heading_note(line->role, &note) && line->role.n > 0 && line->role.p[0] == '(')
        line->role = note;
    else if (line->role.n > 0)
        line->deviant = true;
    return line->name.n > 0;
}

/* ---- table rows ---------------------------------------------------------------------------------- */

/* The next '|' that has no backslash of its own in front. */
static size_t next_bar(cv_str s)
{
    for (size_t from = 0; from < s.n;) {
        const char *hit = memchr(s.p + from, '|', s.n - from);
        if (!hit)
            break;
        size_t at = (size_t)(hit - s.p), slashes = 0;
        while (slashes < at - from && s.p[at - 1 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            return at;
        from = at + 1;
    }
    return s.n;
}

bool cv_cell_next(cv_str *rest, cv_str *ret_cell)
{
    if (!rest->p)
        return false;
    size_t bar = next_bar(*rest);
    *ret_cell = cv_str_trim(cv_str_head(*rest, bar));
    bool more = bar < rest->n && cv_str_trim_left(cv_str_from(*rest, bar + 1)).n > 0;
    *rest = more ? cv_str_from(*rest, bar + 1) : (cv_str){NULL, 0};
    return true;
}

cv_str cv_row_inside(cv_str row)
{
    row = cv_str_trim(row);
    return row.n && row.p[0] == '|' ? cv_str_from(row, 1) : row;
}

cv_str *cv_row_cells(cv_arena *a, cv_str row, size_t *ret_count)
{
    size_t count = 0;
    cv_str rest = cv_row_inside(row), cell;
    while (cv_cell_next(&rest, &cell))
        count++;
    cv_str *cells = CV_NEW_ARRAY(a, count, cv_str);
    rest = cv_row_inside(row);
    for (*ret_count = 0; *ret_count < count && cv_cell_next(&rest, &cells[*ret_count]); ++*ret_count)
        ;
    return cells;
}

bool cv_row_is_separator(cv_str row)
{
    bool dash = false;
    for (size_t i = 0; i < row.n; i++) {
        char c = row.p[i];
        dash = dash || c == '-';
        if (c != '|' && c != '-' && c != ':' && !cv_is_blank(c))
            return false;
    }
    return dash;
}

/* ---- classification ------------------------------------------------------------------------------ */

/* **Key**: value, and **Key:** value as found in real files. */
static bool metadata(cv_str s, cv_line *line)
{
    if (s.n < 6 || s.p[1] != '*' || s.p[2] == '*' || cv_is_blank(s.p[2]))
        return false;
    cv_str rest = cv_str_from(s, 2);
    size_t end = cv_str_find(cv_str_head(rest, NAME_MAX_BYTES + 2), CV_STR("**"));
    if (end == SIZE_MAX || end == 0 || cv_str_find_char(cv_str_head(rest, end), '[') != SIZE_MAX)
        return false;
    cv_str key = cv_str_head(rest, end), after = cv_str_from(rest, end + 2);
    if (after.n > 0 && after.p[0] == ':') {
        after = cv_str_from(after, 1);
    } else if (key.p[key.n - 1] == ':') {
        key.n--;
        line->deviant = true;
    } else {
        return false;
    }
    line->name = cv_str_trim(key);
    line->value = cv_str_trim(after);
    /* A star at the key's end could not be told from the bold marks that are written behind it. */
    return line->name.n > 0 && line->name.p[line->name.n - 1] != '*';
}

/* Bullets, numbers, heading marks, emphasis and "**Moves**:" that may be before a mark: its offset, or SIZE_MAX. */
static size_t mark_lead(cv_str s)
{
    size_t i = 0;
    for (;;) {
        while (i < s.n && cv_is_blank(s.p[i]))
            i++;
        if (i >= s.n)
            return SIZE_MAX;
        char c = s.p[i];
        if (c == '[')
            return i;
        if (cv_is_digit(c)) {
            size_t end = i;
            while (end < s.n && end < i + 3 && cv_is_digit(s.p[end]))
                end++;
            if (end + 1 >= s.n || (s.p[end] != '.' && s.p[end] != ')') || !cv_is_blank(s.p[end + 1]))
                return SIZE_MAX;
            i = end + 1;
        } else if (c == 'M' && i >= 2 && s.p[i - 1] == '*') {
            cv_str rest = cv_str_from(s, i);
            size_t n = cv_str_starts(rest, CV_STR("Moves")) ? 5 : cv_str_starts(rest, CV_STR("Move")) ? 4 : 0;
            cv_str after = cv_str_trim_left(cv_str_from(rest, n));
            if (n == 0 || (!cv_str_starts(after, CV_STR("**:")) && !cv_str_starts(after, CV_STR(":**"))))
                return SIZE_MAX;
            i = (size_t)(after.p - s.p) + 3;
        } else if (c == '*' || c == '_' || c == '#' ||
                   ((c == '-' || c == '+') && i + 1 < s.n && cv_is_blank(s.p[i + 1]))) {
            i++;
        } else {
            return SIZE_MAX;
        }
    }
}

static bool is_mark(cv_str s)
{
    cv_mark mark;
    size_t at = mark_lead(s);
    return at != SIZE_MAX && cv_mark_at(cv_str_from(s, at), true, &mark);
}

static bool marker_line(cv_line *line)
{
    size_t at = line->trimmed.p[0] == '{' || line->trimmed.p[0] == '[' ? (size_t)(line->trimmed.p - line->text.p)
                                                                       : mark_lead(line->text);
    if (at == SIZE_MAX || !cv_mark_at(cv_str_from(line->text, at), true, &line->mark))
        return false;
    line->mark_at = at;
    line->kind = CV_LINE_MARKER;
    return true;
}

/* ## Round N, ## Round N: Label, ## Round N (Label), ## Round N - Label; not ## Round 0 Scoreboard. */
static bool round_heading(cv_str heading, cv_line *line)
{
    cv_str before, after, label;
    int round;
    if (!cv_str_starts(heading, CV_STR("Round")) || !cv_find_round(heading, &round, &before, &after) || before.n > 0)
        return false;
    if (after.n == 0) {
        label = after;
    } else if (!cv_heading_note(after, &label)) {
        return false;
    } else if (after.p[0] != ':') {
        line->deviant = true;
    }
    line->round = round;
    line->name = label;
    return true;
}

static void heading(const cv_map *agents, cv_line *line)
{
    cv_str s = line->trimmed;
    size_t level = 0;
    while (level < s.n && s.p[level] == '#')
        level++;
    if (level > 6 || (level < s.n && !cv_is_blank(s.p[level])) || cv_str_trim(cv_str_from(s, level)).n == 0)
        return;
    if (line->brackets && marker_line(line))
        return;
    line->level = (int)level;
    line->name = cv_str_trim(cv_str_from(s, level));
    if (level == 1)
        line->kind = CV_LINE_HEADING1;
    else if (level == 2)
        line->kind = round_heading(line->name, line) ? CV_LINE_ROUND : CV_LINE_SECTION;
    else if (level == 3 && agent_heading(line->name, agents, line))
        line->kind = CV_LINE_AGENT;
}

/* What the first character of a line allows; everything else is content. */
static void classify(const cv_map *agents, cv_line *line)
{
    switch (line->trimmed.p[0]) {
    case '#':
        heading(agents, line);
        break;
    case '|':
        line->kind = CV_LINE_TABLE_ROW;
        break;
    case '*':
        if (line->brackets && marker_line(line))
            break;
        line->rule = is_rule(line->trimmed);
        if (metadata(line->trimmed, line))
            line->kind = CV_LINE_METADATA;
        break;
    case '-':
    case '_':
        line->rule = is_rule(line->trimmed);
        if (line->brackets)
            marker_line(line);
        break;
    case '[':
    case '{':
    case '+':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        if (line->brackets || line->trimmed.p[0] == '{')
            marker_line(line);
        break;
    default:
        break;
    }
}

void cv_lines_open_fence(cv_lines *l, cv_str rest)
{
    size_t length;
    char c = cv_line_fence(rest, false, &length);
    if (!c)
        return;
    l->fence = c;
    l->fence_length = length;
    l->fence_at = (size_t)(rest.p - l->text.p);
}

/* Opens or closes a fence; everything from one end to the other is content. */
static void track_fence(cv_lines *l, cv_line *line)
{
    size_t length;
    char c = line->trimmed.n ? line->trimmed.p[0] : '\0';
    if (l->fence) {
        line->fenced = true;
        if (c == l->fence && cv_line_fence(line->trimmed, true, &length) && length >= l->fence_length)
            l->fence = 0;
    } else if (c == '`' || c == '~') {
        cv_lines_open_fence(l, line->trimmed);
        line->fenced = l->fence != 0;
    }
}

/* The parts that every line has; the rest is set by its kind. */
static void begin_line(cv_line *line, size_t number, cv_str text)
{
    line->kind = CV_LINE_CONTENT;
    line->level = 0;
    line->fenced = line->rule = line->deviant = line->brackets = false;
    line->number = number;
    line->text = cv_str_trim_right(text);
    line->trimmed = cv_str_trim_left(line->text);
}

/* One search for '[' serves all the lines before it. */
static void find_bracket(cv_lines *l)
{
    if (l->bracket_known && l->bracket >= l->at)
        return;
    const char *hit = memchr(l->text.p + l->at, '[', l->text.n - l->at);
    l->bracket = hit ? (size_t)(hit - l->text.p) : SIZE_MAX;
    l->bracket_known = true;
}

bool cv_lines_next(cv_lines *l, cv_line *ret_line)
{
    if (l->at >= l->text.n)
        return false;
    const char *start = l->text.p + l->at;
    const char *nl = memchr(start, '\n', l->text.n - l->at);
    const char *end = nl ? nl : cv_str_end(l->text);
    begin_line(ret_line, ++l->number, cv_str_range(start, end));
    l->carriage_returns |= end > start && end[-1] == '\r';
    find_bracket(l);
    ret_line->brackets = l->bracket < (size_t)(end - l->text.p);
    l->at = (size_t)(end - l->text.p) + (nl != NULL);
    if (ret_line->trimmed.n > 0) {
        track_fence(l, ret_line);
        if (!ret_line->fenced)
            classify(l->agents, ret_line);
    }
    return true;
}

/* Can a line without brackets that begins with these characters only be content? classify() has the last word about
 * the others; digits and plus signs are structure only in front of a mark. */
static bool is_plain_start(cv_str s)
{
    char c = s.p[0], next = s.n > 1 ? s.p[1] : '\n';
    if (cv_is_alnum(c) || (unsigned char)c >= 0x80)
        return true;
    if (c == '-')
        return next == ' ' && s.n > 2 && s.p[2] != '-' && !cv_is_space(s.p[2]);
    if (c == '`')
        return next != '`';
    return c == '(' || c == '"' || c == '\'' || c == '+' || c == '>' || c == '=';
}

static size_t skip_indentation(cv_str text, size_t at)
{
    while (at < text.n && cv_is_blank(text.p[at]))
        at++;
    return at;
}

bool cv_lines_pass(cv_lines *l, size_t *ret_start, size_t *ret_end)
{
    size_t start = SIZE_MAX, end = 0;
    find_bracket(l);
    while (l->at < l->text.n) {
        size_t at = skip_indentation(l->text, l->at);
        if (at >= l->text.n)
            break;
        if (l->text.p[at] == '\n') {
            l->carriage_returns |= at > l->at && l->text.p[at - 1] == '\r';
            l->at = at + 1;
            l->number++;
            continue;
        }
        if (l->fence ? l->text.p[at] == l->fence : !is_plain_start(cv_str_from(l->text, at)))
            break;
        const char *nl = memchr(l->text.p + at, '\n', l->text.n - at);
        size_t line_end = nl ? (size_t)(nl - l->text.p) : l->text.n;
        if (!l->fence && l->bracket < line_end)
            break;
        start = start == SIZE_MAX ? l->at : start;
        end = line_end;
        l->carriage_returns |= l->text.p[end - 1] == '\r';
        l->at = line_end + (nl != NULL);
        l->number++;
    }
    *ret_start = start;
    *ret_end = end;
    return end > 0;
}

void cv_line_classify(cv_str text, const cv_map *agents, cv_line *ret_line)
{
    begin_line(ret_line, 1, text);
    ret_line->brackets = cv_str_find_char(text, '[') != SIZE_MAX;
    if (ret_line->trimmed.n > 0)
        classify(agents, ret_line);
}
