/* mark.c - one mark, read; see mark.h. Writing is in mark_print.c. */
#include "dialogue/text/mark.h"

#include "base/utf8.h"
#include "dialogue/words/limits.h"

static const cv_str style_words[] = {CV_STR_INIT("classic"), CV_STR_INIT("local"), CV_STR_INIT("global"),
                                     CV_STR_INIT("brace")};
_Static_assert(CV_COUNT(style_words) == CV_STYLE_COUNT, "a word per style");
const cv_words cv_style_words = {style_words, CV_STYLE_COUNT};

/* The bracket that closes s.p[0], or SIZE_MAX. It looks no further than the bracket that it finds or the depth that no
 * label has: a search for a closer that may be at the other end of the line would cost each opener the whole line.
 */
static size_t closing(cv_str s, char open, char close)
{
    int depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\') {
            i++;
        } else if (c == open) {
            if (++depth > CV_MAX_LABEL_DEPTH)
                return SIZE_MAX;
        } else if (c == close && --depth == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* ---- targets --------------------------------------------------------------------------------- */

static cv_str skip_word(cv_str s, cv_str word)
{
    return cv_str_starts_nocase(s, word) && s.n > word.n && cv_is_blank(s.p[word.n]) ? cv_str_from(s, word.n + 1) : s;
}

/* "to Strudel": a name without an @. */
static bool named_expert(cv_str s, cv_id *id, size_t *length)
{
    size_t n = 0;
    while (n < s.n && cv_is_alpha(s.p[n]))
        n++;
    if (n < 2 || !cv_is_upper(s.p[0]) || !cv_slug_ok(cv_str_head(s, n)))
        return false;
    *id = (cv_id){CV_ID_EXPERT, CV_KIND_PERSPECTIVE, -1, -1, cv_str_head(s, n), {0}};
    *length = n;
    return true;
}

bool cv_target_next(cv_str *rest, cv_id *ret_id)
{
    cv_str s = *rest;
    size_t length;
    while (s.n > 0 && (cv_is_blank(s.p[0]) || s.p[0] == ',' || s.p[0] == '/' || s.p[0] == '&'))
        s = cv_str_from(s, 1);
    if (s.n == 0 || !(cv_is_alnum(s.p[0]) || s.p[0] == '@'))
        return false;
    if (!cv_id_at(s, ret_id, &length)) {
        s = cv_str_trim_left(skip_word(s, CV_STR("and")));
        s = cv_str_trim_left(skip_word(s, CV_STR("on")));
        cv_str after_to = cv_str_trim_left(skip_word(s, CV_STR("to")));
        bool to = after_to.p != s.p;
        s = after_to;
        if (!cv_id_at(s, ret_id, &length) && !(to && named_expert(s, ret_id, &length)))
            return false;
    }
    *rest = cv_str_from(s, length);
    return true;
}

/* Cuts the targets off the front of `*in`. */
static cv_str take_targets(cv_str *in)
{
    cv_id id;
    cv_str rest = *in;
    while (cv_target_next(&rest, &id))
        ;
    cv_str taken = cv_str_range(in->p, rest.p);
    if (taken.n > 0)
        *in = rest;
    return cv_str_trim(taken);
}

/* ---- the parts between the brackets ------------------------------------------------------------ */

static const cv_str separators[] = {CV_STR_INIT("--"), CV_STR_INIT("—"), CV_STR_INIT("–"),
                                    CV_STR_INIT("-"),  CV_STR_INIT("/"), CV_STR_INIT(",")};

/* Drops one colon or dash between an id and its label; says whether it was a colon. */
static cv_str skip_separator(cv_str s, bool *colon)
{
    s = cv_str_trim_left(s);
    *colon = s.n > 0 && s.p[0] == ':';
    if (*colon)
        return cv_str_trim_left(cv_str_from(s, 1));
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++)
        if (cv_str_starts(s, separators[i]))
            return cv_str_trim_left(cv_str_from(s, separators[i].n));
    return s;
}

static void read_label(cv_mark *m, cv_str in)
{
    m->label = cv_str_trim_right(skip_separator(in, &m->colon));
}

/* [PERSPECTIVE P01: label]: the id may be short, local or global. */
static void read_entity(cv_mark *m, cv_str in)
{
    cv_id id;
    size_t length;
    in = cv_str_trim_left(in);
    if (cv_id_at(in, &id, &length) && id.form != CV_ID_EXPERT) {
        m->id = cv_str_head(in, length);
        in = cv_str_from(in, length);
    }
    read_label(m, in);
}

/* A list of targets in front of a label; behind a colon only when a separator follows: "T03 - why" names a target,
 * "T03 is wrong" is a sentence. */
static void read_targets(cv_mark *m, cv_str in)
{
    in = cv_str_trim_left(in);
    if (in.n > 0 && in.p[0] == ':') {
        cv_str rest = cv_str_trim_left(cv_str_from(in, 1)), label = rest;
        cv_str targets = take_targets(&rest);
        rest = cv_str_trim_left(rest);
        bool ends = rest.n == 0 || strchr("-:(,/", rest.p[0]) || cv_str_starts(rest, CV_STR("—"));
        if (targets.n == 0 || !ends) {
            m->colon = true;
            m->label = cv_str_trim_right(label);
            return;
        }
        m->targets = targets;
        in = rest;
    } else {
        m->targets = take_targets(&in);
    }
    read_label(m, in);
}

/* The word behind RE:, MOVE: or VERDICT:, which may also be followed by a colon. */
static cv_str take_sub_word(cv_str *in)
{
    cv_str s = cv_str_trim_left(*in);
    size_t n = 0;
    while (n < s.n && (cv_is_alpha(s.p[n]) || (n > 0 && (s.p[n] == '-' || s.p[n] == '_'))))
        n++;
    if (n < s.n && !cv_is_blank(s.p[n]) && s.p[n] != ':' && s.p[n] != ',' && s.p[n] != ']')
        n = 0;
    if (n > 1 && s.p[1] == '-')
        n = 0; /* T-NEW is an id */
    *in = cv_str_from(s, n);
    return cv_str_head(s, n);
}

/* [RE:SUPPORT P0001]; an id right behind the colon means that the type is missing: [RE: DONUT-R0001]. */
static void read_reference(cv_mark *m, cv_str in)
{
    cv_id id;
    size_t length;
    if (!cv_id_at(cv_str_trim_left(in), &id, &length))
        m->word = take_sub_word(&in);
    m->sub = cv_words_find(cv_ref_words, m->word);
    bool colon;
    if (m->word.n > 0)
        in = skip_separator(in, &colon);
    m->targets = take_targets(&in);
    read_label(m, in);
}

static void read_move(cv_mark *m, cv_str in)
{
    cv_id id;
    size_t length;
    if (!cv_id_at(cv_str_trim_left(in), &id, &length))
        m->word = take_sub_word(&in);
    m->sub = cv_words_find(cv_move_words, m->word);
    if (m->sub != CV_MOVE_REQUEST)
        m->targets = take_targets(&in);
    read_label(m, in);
}

/* [VERDICT:FINAL: label]; a word that is not a type of verdict belongs to the label. */
static void read_verdict(cv_mark *m, cv_str in)
{
    cv_str rest = cv_str_from(in, 1), word = {NULL, 0};
    if (in.n > 0 && in.p[0] == ':')
        word = take_sub_word(&rest);
    m->sub = cv_words_find(cv_verdict_words, word);
    if (m->sub >= 0) {
        m->word = word;
        in = rest;
    }
    read_label(m, in);
}

static void read_inside(cv_mark *m, cv_str in)
{
    switch (cv_marks_table[m->type].shape) {
    case CV_SHAPE_ENTITY:
        read_entity(m, in);
        break;
    case CV_SHAPE_TARGETS:
        read_targets(m, in);
        break;
    case CV_SHAPE_LABEL:
        read_label(m, in);
        break;
    case CV_SHAPE_REF:
        read_reference(m, cv_str_from(in, 1));
        break;
    case CV_SHAPE_MOVE:
        read_move(m, cv_str_from(in, 1));
        break;
    case CV_SHAPE_VERDICT:
        read_verdict(m, in);
        break;
    }
}

/* ---- which mark is it -------------------------------------------------------------------------- */

/* What may follow a mark's word: the rest of a mark, not of an ordinary word in brackets. */
static bool word_goes_on(cv_mark_type type, cv_str after)
{
    cv_mark_shape shape = cv_marks_table[type].shape;
    char next = after.n ? after.p[0] : '\0';
    if (shape == CV_SHAPE_REF || shape == CV_SHAPE_MOVE)
        return next == ':';
    if (next == '\0' || next == ']' || next == ':')
        return true;
    if (!cv_is_blank(next))
        return false;
    if (cv_marks_table[type].purpose.n > 0)
        return shape != CV_SHAPE_VERDICT;
    cv_id id; /* words that only real files use are common words too: they need a target */
    return shape == CV_SHAPE_TARGETS && cv_target_next(&after, &id);
}

/* Recognises the beginning of a mark behind the bracket: its type, style and where its inside begins. */
static bool begins_mark(cv_str s, cv_mark *m, size_t *inside)
{
    cv_str in = cv_str_from(s, 1);
    cv_id id;
    size_t length;
    bool alias;
    if (in.n < 2 || !cv_is_alnum(in.p[0]))
        return false;
    if (cv_is_upper(in.p[0]) && cv_is_upper(in.p[1])) {
        int type = cv_mark_word_at(in, &length, &alias);
        if (type >= 0 && word_goes_on((cv_mark_type)type, cv_str_from(in, length))) {
            *m = (cv_mark){.type = (cv_mark_type)type, .style = CV_STYLE_CLASSIC, .sub = -1, .alias = alias};
            *inside = 1 + length;
            return true;
        }
    }
    if (!cv_id_at(in, &id, &length) || (id.form != CV_ID_LOCAL && id.form != CV_ID_DISPLAY))
        return false;
    *m = (cv_mark){.type = (cv_mark_type)id.kind, .sub = -1};
    m->style = id.form == CV_ID_LOCAL ? CV_STYLE_LOCAL : CV_STYLE_GLOBAL;
    *inside = 1;
    return true;
}

static bool are_slugs(cv_str list)
{
    for (cv_str slug; cv_str_split(&list, ',', &slug);)
        if (!cv_slug_ok(cv_str_trim(slug)))
            return false;
    return true;
}

/* Contributors behind a global mark: (muffin) or (muffin, cupcake). The search ends at the first character that no list
 * of slugs has, so a line of marks is walked once. */
static void read_contributors(cv_str s, cv_mark *m)
{
    cv_str rest = cv_str_trim_left(cv_str_from(s, m->end));
    size_t close = 1;
    if (rest.n == 0 || rest.p[0] != '(')
        return;
    while (close < rest.n &&
           (cv_is_alnum(rest.p[close]) || cv_is_blank(rest.p[close]) || rest.p[close] == '-' || rest.p[close] == ','))
        close++;
    if (close == rest.n || rest.p[close] != ')')
        return;
    cv_str by = cv_str_trim(cv_str_range(rest.p + 1, rest.p + close));
    if (are_slugs(by)) {
        m->by = by;
        m->end = (size_t)(rest.p + close + 1 - s.p);
    }
}

static bool brace_at(cv_str s, cv_mark *m)
{
    size_t n = 1;
    while (n < s.n && (cv_is_upper(s.p[n]) || s.p[n] == ' ' || s.p[n] == '-'))
        n++;
    size_t close = closing(s, '{', '}');
    cv_str word = cv_str_trim(cv_str_range(s.p + 1, s.p + n));
    if (word.n < 3 || n >= s.n || s.p[n] != ':' || close == SIZE_MAX || !cv_is_upper(s.p[1]))
        return false;
    *m = (cv_mark){.type = CV_MARK_OTHER, .style = CV_STYLE_BRACE, .sub = -1, .end = close + 1};
    m->word = word;
    m->label = cv_str_trim(cv_str_range(s.p + n + 1, s.p + close));
    m->colon = true;
    return true;
}

bool cv_mark_begins(cv_str s)
{
    cv_mark m;
    size_t inside;
    return begins_mark(s, &m, &inside);
}

bool cv_mark_at(cv_str s, bool line_start, cv_mark *m)
{
    size_t inside;
    if (s.p[0] == '{')
        return line_start && brace_at(s, m);
    if (!begins_mark(s, m, &inside))
        return false;
    size_t close = closing(s, '[', ']');
    m->unclosed = close == SIZE_MAX;
    if (m->unclosed && !line_start)
        return false;
    m->end = m->unclosed ? s.n : close + 1;
    read_inside(m, cv_str_range(s.p + inside, s.p + (m->unclosed ? s.n : close)));
    if (m->style != CV_STYLE_CLASSIC && !m->colon) {
        /* [P0001] cites; only a local id alone on its line may lack the label. */
        bool alone = cv_str_trim_left(cv_str_from(s, m->end)).n == 0;
        if (m->style == CV_STYLE_GLOBAL || !line_start || !alone || m->label.n > 0)
            return false;
    }
    if (m->style == CV_STYLE_GLOBAL)
        read_contributors(s, m);
    return true;
}

/* ---- nearly a mark ------------------------------------------------------------------------------ */

/* [RE SUPPORT P0001], [MOVE CONVERGE]: a blank where the colon belongs. */
static bool near_colon(cv_arena *a, cv_str in, cv_near *near)
{
    bool re = cv_str_starts(in, CV_STR("RE ")), move = cv_str_starts(in, CV_STR("MOVE "));
    if (!re && !move)
        return false;
    cv_str head = cv_str_head(in, re ? 2 : 4), rest = cv_str_head(cv_str_from(in, head.n), CV_MAX_SLUG);
    rest = cv_str_head(rest, cv_str_find_char(rest, ']'));
    cv_str word = take_sub_word(&rest);
    if (cv_words_find(re ? cv_ref_words : cv_move_words, word) < 0)
        return false;
    near->where = cv_str_range(head.p, word.p + word.n);
    near->fix = cv_arena_printf(a, "%.*s:%.*s", CV_FMT(head), CV_FMT(word));
    return true;
}

static bool is_upper_word(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!cv_is_upper(s.p[i]))
            return false;
    return true;
}

/* [muffin-p0101: x], [MUFFIN-P101: x], and [MUFFIN-P0101 x] at the beginning of a line: a local id, not quite. */
static bool near_local(cv_arena *a, cv_str in, bool first, cv_near *near)
{
    size_t n = 0, dash = 0;
    for (; n < in.n && n <= CV_MAX_SLUG + 8 && (cv_is_alnum(in.p[n]) || in.p[n] == '-'); n++)
        dash = in.p[n] == '-' ? n : dash;
    cv_str token = cv_str_head(in, n), digits = cv_str_from(token, dash + 2);
    int number;
    if (dash == 0 || digits.n == 0 || n >= in.n || cv_kind_of_letter(cv_upper(in.p[dash + 1])) < 0 ||
        !cv_str_to_int(digits, &number) || !cv_slug_ok(cv_str_head(token, dash)))
        return false;
    bool colon = in.p[n] == ':', exact = digits.n == 4, capital = cv_is_upper(in.p[dash + 1]);
    if (colon ? exact && capital : !first || !exact || !cv_is_blank(in.p[n]))
        return false;
    char *fix = cv_arena_copy_z(a, token);
    for (size_t i = 0; i < n; i++)
        fix[i] = cv_upper(fix[i]);
    *near = (cv_near){token, {NULL, 0}};
    if (exact)
        near->fix = colon ? (cv_str){fix, n} : cv_arena_printf(a, "%s:", fix);
    return true;
}

bool cv_mark_near(cv_arena *a, cv_str s, bool first, cv_near *ret_near)
{
    enum { SHORTEST = 5, LONGEST = 24 };
    cv_str in = cv_str_from(s, 1);
    size_t n = 0;
    while (n < in.n && n < LONGEST && cv_is_alpha(in.p[n]))
        n++;
    if (n >= in.n)
        return false;
    if (n > 0 && (in.p[n] == '-' || cv_is_digit(in.p[n])))
        return near_local(a, in, first, ret_near);
    if (n < SHORTEST)
        return n >= 2 && cv_is_upper(in.p[1]) && near_colon(a, in, ret_near);
    cv_str word = cv_str_head(in, n), rest = cv_str_from(in, n);
    cv_id id;
    size_t length;
    char next = in.p[n];
    if (next != ':' && next != ']' && !cv_is_blank(next))
        return false;
    /* In other letters than capitals only an id tells a mark from an ordinary word in brackets. */
    if (!is_upper_word(word) &&
        !(cv_is_blank(next) && cv_id_at(cv_str_trim_left(rest), &id, &length) && id.form == CV_ID_SHORT))
        return false;
    cv_str known = cv_mark_word_nearest(word);
    if (known.n == 0 || cv_str_distance(word, known, 2) > 2 || cv_str_eq(word, known))
        return false;
    *ret_near = (cv_near){word, known};
    return true;
}

bool cv_mark_verdict(const cv_mark *m, cv_verdict *ret_type)
{
    if (m->type == CV_MARK_VERDICT && m->sub >= 0)
        *ret_type = (cv_verdict)m->sub;
    else if (m->type == CV_MARK_MINORITY_VERDICT)
        *ret_type = CV_VERDICT_MINORITY;
    else if (m->type == CV_MARK_DISSENT)
        *ret_type = CV_VERDICT_DISSENT;
    else
        return false;
    return true;
}
