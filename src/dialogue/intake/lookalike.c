/* lookalike.c - lines that look like marks and are none; see lookalike.h. */
#include "dialogue/intake/lookalike.h"

#include "base/utf8.h"
#include "dialogue/text/line.h"

typedef struct {
    cv_arena *a;
    const cv_speech *speech;
    cv_line line;
    cv_str text;   /* the line behind its list dash, heading and bold marks */
    cv_str inside; /* what stands between the brackets that it begins with; absent: none */
    cv_lookalikes *found;
} looking;

static bool tell(looking *l, cv_str type, cv_str message, cv_str suggestion)
{
    *CV_PUSH(l->a, l->found) = (cv_lookalike){type, message, suggestion, l->line.number};
    return true;
}

static cv_str upper(cv_arena *a, cv_str s)
{
    char *copy = cv_arena_copy_z(a, s);
    for (size_t i = 0; i < s.n; i++)
        copy[i] = copy[i] >= 'a' && copy[i] <= 'z' ? (char)(copy[i] - 'a' + 'A') : copy[i];
    return (cv_str){copy, s.n};
}

/* ---- the forms: each says whether it was this one -----------------------------------------------------------------
 */

/* An id of the expert's own that no mark of the response makes: one that is made may be spoken of in any way. */
static bool is_unmade_id(const looking *l, cv_str text, cv_str *ret_id)
{
    cv_id id;
    if (!cv_id_parse(cv_str_trim(text), &id) || id.form != CV_ID_LOCAL ||
        !cv_str_eq_nocase(id.expert, l->speech->expert))
        return false;
    *ret_id = cv_id_print(l->a, &id);
    return !cv_map_get(&l->speech->meant, *ret_id);
}

static bool closed_too_early(looking *l)
{
    cv_str id;
    return l->inside.p && is_unmade_id(l, l->inside, &id) &&
           tell(l, CV_STR("closed_too_early"),
                cv_arena_printf(l->a, "the bracket closes behind %.*s: it has no label, and is not a mark", CV_FMT(id)),
                cv_arena_printf(l->a, "write [%.*s: label], and the text below it", CV_FMT(id)));
}

static bool move_without_word(looking *l)
{
    cv_str rest = cv_str_trim(l->inside), word = {NULL, 0};
    if (!l->inside.p || !cv_str_split(&rest, ' ', &word))
        return false;
    int move = cv_words_find(cv_move_words, cv_arena_lower(l->a, word));
    if (move < 0)
        return false;
    cv_str name = upper(l->a, word);
    return tell(l, CV_STR("move_without_word"), cv_arena_printf(l->a, "[%.*s] looks like a move", CV_FMT(name)),
                cv_arena_printf(l->a, "write [MOVE:%.*s%s]", CV_FMT(name), rest.n ? " …" : ""));
}

static bool lower_case(looking *l)
{
    cv_mark m;
    if (!l->inside.p)
        return false;
    cv_str raised = upper(l->a, (cv_str){l->text.p, l->inside.n + 2});
    if (cv_str_eq(raised, (cv_str){l->text.p, raised.n}) || !cv_mark_at(raised, true, &m) || m.type == CV_MARK_OTHER ||
        m.unclosed)
        return false;
    return tell(l, CV_STR("lower_case"), CV_STR("marks are written in capitals"),
                cv_arena_printf(l->a, "write %.*s", CV_FMT(cv_excerpt(l->a, raised))));
}

static bool short_id(looking *l)
{
    cv_str rest = l->inside, head;
    cv_id id;
    if (!rest.p || cv_str_find_char(rest, ':') == SIZE_MAX || !cv_str_split(&rest, ':', &head) ||
        !cv_id_parse(cv_str_trim(head), &id) || id.form != CV_ID_SHORT)
        return false;
    cv_str written = cv_id_print(l->a, &id);
    return tell(
        l, CV_STR("short_id"), cv_arena_printf(l->a, "[%.*s: …] is not a mark", CV_FMT(written)),
        cv_arena_printf(l->a, "write [%.*s %.*s: label]", CV_FMT(cv_marks_table[id.kind].word), CV_FMT(written)));
}

static bool no_brackets(looking *l)
{
    cv_str rest = l->text, head, id;
    size_t colon = cv_str_find_char(rest, ':');
    if (l->inside.p || colon == SIZE_MAX)
        return false;
    head = cv_str_head(rest, colon);
    return is_unmade_id(l, head, &id) &&
           tell(l, CV_STR("no_brackets"),
                cv_arena_printf(l->a, "%.*s stands without brackets: it is not a mark", CV_FMT(id)),
                cv_arena_printf(l->a, "write [%.*s: label], and the text below it", CV_FMT(id)));
}

/* ---- the walk -----------------------------------------------------------------------------------------------------
 */

static void look_at_line(looking *l)
{
    static bool (*const forms[])(looking *) = {closed_too_early, move_without_word, short_id, lower_case, no_brackets};
    l->text = l->line.trimmed;
    while (l->text.n && strchr("#*_-+> \t", l->text.p[0]))
        l->text = cv_str_from(l->text, 1);
    size_t close = l->text.n && l->text.p[0] == '[' ? cv_str_find_char(l->text, ']') : SIZE_MAX;
    bool link = close != SIZE_MAX && close + 1 < l->text.n && l->text.p[close + 1] == '(';
    l->inside = close == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(cv_str_head(l->text, close), 1);
    for (size_t i = 0; !link && i < CV_COUNT(forms); i++)
        if (forms[i](l))
            return;
}

/* From the first line that is not blank to the last: one fence. */
static void look_at_fence(looking *l, size_t first, size_t fenced, size_t lines)
{
    l->line.number = first;
    if (fenced && fenced == lines)
        tell(l, CV_STR("in_code_block"), CV_STR("everything stands in a code block: nothing in it counts"),
             CV_STR("hand the response in without the fence around it"));
}

void cv_lookalikes_find(cv_arena *a, const cv_speech *speech, cv_lookalikes *ret_found)
{
    looking l = {.a = a, .speech = speech, .found = ret_found};
    cv_lines lines = {.text = speech->text};
    size_t next = 0, first = 0, fenced = 0, count = 0;
    *ret_found = (cv_lookalikes){0};
    while (cv_lines_next(&lines, &l.line)) {
        size_t number = l.line.number;
        if (l.line.trimmed.n) {
            first = first ? first : number;
            fenced += l.line.fenced;
            count++;
        }
        while (next < speech->count && speech->items[next].mark->line < number)
            next++;
        bool marked = next < speech->count && speech->items[next].mark->line == number;
        if (!marked && !l.line.fenced)
            look_at_line(&l);
    }
    look_at_fence(&l, first, fenced, count);
}
