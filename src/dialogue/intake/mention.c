/* mention.c - is a mark meant, or spoken of; see mention.h.
 *
 * Only the sentence counts: what is before the mark on its line or in its cell, back to the end of the sentence
 * before, and how the text goes on behind it.
 */
#include "dialogue/intake/mention.h"

#include "base/utf8.h"

/* How the text goes on behind a mark. */
typedef enum {
    ENDS,    /* nothing more, the end of the sentence, another mark, a new sentence */
    REASONS, /* a dash, a colon, or a word that a reason begins with */
    COMMA,
    GOES_ON, /* the mark is a part of the sentence */
    DENIES   /* "?", "not yet" */
} sequel;

static bool is_among(cv_str words, cv_str word)
{
    for (cv_str one; cv_str_split(&words, ' ', &one);)
        if (cv_str_eq_nocase(one, word))
            return true;
    return false;
}

static cv_str first_word(cv_str s)
{
    size_t n = 0;
    while (n < s.n && (cv_is_alpha(s.p[n]) || s.p[n] == '\'' || (unsigned char)s.p[n] >= 0x80))
        n++;
    return cv_str_head(s, n);
}

static bool has_word(cv_str s)
{
    cv_str word;
    bool alone;
    return cv_utf8_next_word(&s, &word, &alone);
}

/* ---- before the mark --------------------------------------------------------------------------------------------- */

/* Stars, quotation marks, blanks and the open tags that stand directly before a mark. */
static cv_str without_openers(cv_str s, bool *ret_bracket)
{
    static const cv_str signs[] = {CV_STR_INIT("“"), CV_STR_INIT("„"), CV_STR_INIT("«"), CV_STR_INIT("‘")};
    *ret_bracket = false;
    for (size_t n = s.n + 1; n != s.n;) {
        n = s.n;
        while (s.n && strchr(" \t*_~\"'({`", s.p[s.n - 1])) {
            *ret_bracket = *ret_bracket || s.p[s.n - 1] == '(';
            s.n--;
        }
        for (size_t i = 0; i < CV_COUNT(signs); i++)
            if (cv_str_ends(s, signs[i]))
                s.n -= signs[i].n;
        bool tag = s.n && s.p[s.n - 1] == '>';
        size_t open = s.n;
        while (tag && open > 0 && s.p[open - 1] != '<' && s.n - open < 24)
            open--;
        if (tag && open > 0 && s.p[open - 1] == '<')
            s.n = open - 1;
    }
    return s;
}

static bool ends_sentence(cv_str s)
{
    static const cv_str ends[] = {CV_STR_INIT("."),  CV_STR_INIT("!"),  CV_STR_INIT("?"), CV_STR_INIT(":"),
                                  CV_STR_INIT(";"),  CV_STR_INIT("…"),  CV_STR_INIT("—"), CV_STR_INIT("–"),
                                  CV_STR_INIT("。"), CV_STR_INIT("："), CV_STR_INIT("→"), CV_STR_INIT(" -"),
                                  CV_STR_INIT("->"), CV_STR_INIT("=")};
    static const cv_str none[] = {CV_STR_INIT("e.g."), CV_STR_INIT("i.e."), CV_STR_INIT("z.B."), CV_STR_INIT("z. B.")};
    for (size_t i = 0; i < CV_COUNT(none); i++)
        if (cv_str_ends(s, none[i]))
            return false;
    for (size_t i = 0; i < CV_COUNT(ends); i++)
        if (cv_str_ends(s, ends[i]))
            return true;
    return false;
}

/* From behind the last full stop. */
static cv_str last_sentence(cv_str s)
{
    for (size_t i = s.n; i > 1; i--)
        if (cv_is_blank(s.p[i - 1]) && strchr(".!?", s.p[i - 2]))
            return cv_str_from(s, i);
    return s;
}

/* Words with which a sentence does not say what the mark says. */
static bool withholds(cv_str sentence)
{
    static const cv_str words = CV_STR_INIT(
        "not never no nor neither nobody cannot without refuse refused refuses refusing decline declined declines "
        "withhold instead against premature if unless until before when once would could should might may say "
        "saying write writes wrote written writing tempted ask asks asked asking others experts everybody "
        "everyone wait avoid option options either choose choice choices considered considering rejected rejecting "
        "possible alternatives alternatively nicht nie niemals kein keine keinen würde falls bevor ne pas jamais nunca "
        "não");
    bool alone;
    if (cv_str_find_nocase(sentence, CV_STR("n't")) != SIZE_MAX || cv_str_find(sentence, CV_STR("n’t")) != SIZE_MAX)
        return true;
    for (cv_str word; cv_utf8_next_word(&sentence, &word, &alone);)
        if (is_among(words, word))
            return true;
    return false;
}

/* "I signal [MOVE:CONVERGE]": one of the last words says that this is it. */
static bool announces(cv_str sentence)
{
    static const cv_str words =
        CV_STR_INIT("signal signals signalling signaling hereby move moves vote declare therefore thus hence so "
                    "accordingly concede converge challenge defend bridge request concession");
    enum { LAST = 3 };
    cv_str last[LAST] = {{NULL, 0}};
    size_t count = 0;
    bool alone;
    for (cv_str word; cv_utf8_next_word(&sentence, &word, &alone); count++)
        last[count % LAST] = word;
    for (size_t i = 0; i < LAST; i++)
        if (last[i].n && is_among(words, last[i]))
            return true;
    return false;
}

/* "- ", "1. ", "[x] ", "a) " and pictures at the beginning of a line are no words of a sentence. */
static bool is_only_lead(cv_str s)
{
    cv_str rest = cv_str_trim(s), word;
    bool alone;
    if (!has_word(rest))
        return true;
    if (!cv_utf8_next_word(&rest, &word, &alone) || has_word(rest) || word.n > 3 || !rest.n)
        return false;
    bool number = true;
    for (size_t i = 0; i < word.n; i++)
        number = number && cv_is_digit(word.p[i]);
    return strchr(".)]", rest.p[0]) && (number || word.n == 1);
}

/* ---- behind the mark --------------------------------------------------------------------------------------------- */

static cv_str without_closers(cv_str s)
{
    static const cv_str signs[] = {CV_STR_INIT("”"), CV_STR_INIT("“"), CV_STR_INIT("»"), CV_STR_INIT("’")};
    for (size_t n = s.n + 1; n != s.n;) {
        n = s.n;
        while (s.n && strchr(" \t*_~\"')}`", s.p[0]))
            s = cv_str_from(s, 1);
        for (size_t i = 0; i < CV_COUNT(signs); i++)
            if (cv_str_starts(s, signs[i]))
                s = cv_str_from(s, signs[i].n);
        size_t close = cv_str_starts(s, CV_STR("</")) ? cv_str_find_char(cv_str_head(s, 24), '>') : SIZE_MAX;
        if (close != SIZE_MAX)
            s = cv_str_from(s, close + 1);
    }
    return s;
}

/* "no, not yet", "not ready", "false": what follows a mark takes it back. */
static bool denies(cv_str s)
{
    static const cv_str words = CV_STR_INIT("no false never nein non none");
    static const cv_str phrases[] = {CV_STR_INIT("not yet"),   CV_STR_INIT("not now"),    CV_STR_INIT("not ready"),
                                     CV_STR_INIT("not until"), CV_STR_INIT("noch nicht"), CV_STR_INIT("pas encore")};
    size_t n = 0;
    while (s.n && !cv_is_alpha(s.p[0]) && (unsigned char)s.p[0] < 0x80)
        s = cv_str_from(s, 1);
    for (cv_str dash = CV_STR("—"); cv_str_starts(s, dash) || cv_str_starts(s, CV_STR("–"));)
        s = cv_str_trim_left(cv_str_from(s, dash.n));
    for (size_t i = 0; i < CV_COUNT(phrases); i++)
        if (cv_str_starts_nocase(s, phrases[i]))
            return true;
    while (n < s.n && cv_is_alpha(s.p[n]))
        n++;
    return is_among(words, cv_str_head(s, n)) && (n == s.n || (!cv_is_blank(s.p[n]) && !cv_is_alnum(s.p[n])));
}

static sequel sequel_of(cv_str s, bool in_list, bool deniable)
{
    static const cv_str reasons = CV_STR_INIT(
        "because since as for given with and but so on if provided once due by though although while where to that "
        "this these those the a an it its it's we i my our they he she there yes agreed agree fully partly partially "
        "mostly strongly subject weil da denn mit und aber wenn ich wir der die das es car parce avec et je nous le "
        "la les");
    static const cv_str verbs = CV_STR_INIT(
        "is was are were be isn't wasn't would wouldn't will won't should shouldn't could couldn't can can't cannot "
        "may might must has had have does did do don't doesn't seems remains needs means makes or nor ist war wäre "
        "wird est serait sera");
    s = without_closers(s);
    if (s.n == 0)
        return ENDS;
    if (s.p[0] == '?' || (deniable && denies(s)) || cv_str_starts_nocase(s, CV_STR("not yet")) ||
        cv_str_starts_nocase(s, CV_STR("not now")))
        return DENIES;
    if (s.p[0] == ',')
        return COMMA;
    if (!cv_is_alpha(s.p[0]))
        return strchr(".!;[|", s.p[0]) ? ENDS : REASONS;
    cv_str word = first_word(s);
    if (is_among(verbs, word))
        return GOES_ON;
    if (cv_is_upper(s.p[0]))
        return ENDS;
    return in_list || is_among(reasons, word) ? REASONS : GOES_ON;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* Only what is counted can be spoken of: items have ids that tell which mark makes them. */
static bool cites(cv_mark_type type)
{
    return type == CV_MARK_REFERENCE || type == CV_MARK_RESOLVED;
}

static bool counts(cv_mark_type type)
{
    static const cv_mark_type types[] = {CV_MARK_MOVE,    CV_MARK_CONCESSION,       CV_MARK_CHALLENGE,
                                         CV_MARK_DISSENT, CV_MARK_MINORITY_VERDICT, CV_MARK_CONVERGENCE_CONFIRMED};
    for (size_t i = 0; i < CV_COUNT(types); i++)
        if (types[i] == type)
            return true;
    return cites(type);
}

/* What "no" takes back; of others it may be the reason. */
static bool is_signal(cv_mark_type type)
{
    return type == CV_MARK_MOVE || type == CV_MARK_CONVERGENCE_CONFIRMED || type == CV_MARK_RESOLVED;
}

/* Is nothing but a comma, "and" or a sign between two marks? */
static bool joins(cv_str between)
{
    bool alone;
    for (cv_str word; cv_utf8_next_word(&between, &word, &alone);)
        if (!is_among(CV_STR("and und et plus or"), word))
            return false;
    return cv_str_find_char(between, '\n') == SIZE_MAX && cv_str_find_char(between, '.') == SIZE_MAX &&
           cv_str_find_char(between, '|') == SIZE_MAX;
}

/* ~~[MOVE:CONVERGE]~~, <!-- [MOVE:CONVERGE] -->, <del>[MOVE:CONVERGE]</del>, - [ ] [MOVE:CONVERGE], ❌ [MOVE:CONVERGE]
 */
static bool is_struck_out(cv_str lead, cv_str tail)
{
    static const cv_str signs[] = {CV_STR_INIT("<!--"),     CV_STR_INIT("<del>"), CV_STR_INIT("<s>"),
                                   CV_STR_INIT("<strike>"), CV_STR_INIT("[ ]"),   CV_STR_INIT("☐"),
                                   CV_STR_INIT("❌"),        CV_STR_INIT("✗"),     CV_STR_INIT("✘"),
                                   CV_STR_INIT("🚫"),        CV_STR_INIT("⛔")};
    for (size_t i = 0; i < CV_COUNT(signs); i++)
        if (cv_str_ends(cv_str_trim_right(lead), signs[i]))
            return true;
    return cv_str_ends(cv_str_trim_right(lead), CV_STR("~~")) && cv_str_starts(cv_str_trim_left(tail), CV_STR("~~"));
}

bool cv_says_none(cv_str text)
{
    static const cv_str words[] = {CV_STR_INIT("none"),    CV_STR_INIT("nothing"),     CV_STR_INIT("n/a"),
                                   CV_STR_INIT("keine"),   CV_STR_INIT("keiner"),      CV_STR_INIT("none identified"),
                                   CV_STR_INIT("aucun"),   CV_STR_INIT("none raised"), CV_STR_INIT("none at this time"),
                                   CV_STR_INIT("ninguno"), CV_STR_INIT("no dissent")};
    text = cv_str_trim(text);
    while (text.n && strchr(".!*_ ", text.p[text.n - 1]))
        text.n--;
    return cv_words_find((cv_words){words, CV_COUNT(words)}, text) >= 0;
}

/* [MOVE:CONVERGE: not yet], [RESOLVED T0001?], [DISSENT: none]: the mark's own words take it back. */
static bool denies_itself(const cv_mark_place *m)
{
    if (is_signal(m->type))
        return denies(m->label) || (m->label.n && m->label.p[0] == '?');
    return cv_says_none(m->label.n ? m->label : m->body);
}

/* "Donut: [MOVE:CONVERGE]", "Donut said: …": the sentence begins with the name of somebody else, who is not spoken to.
 */
static bool is_of_another(const cv_speaker *who, cv_str sentence)
{
    cv_str name;
    bool alone;
    if (cv_str_starts(cv_str_trim(sentence), CV_STR("@")) || !cv_utf8_next_word(&sentence, &name, &alone) ||
        cv_str_eq_nocase(name, who->expert) || (sentence.n && sentence.p[0] == ','))
        return false;
    return cv_state_expert(who->s, cv_arena_lower(who->a, name)) != NULL;
}

bool cv_is_mention(cv_str text, const cv_mark_place *m)
{
    enum { FAR = 400 }; /* no sentence is longer; a line may be, and have thousands of marks */
    size_t first = m->start, last = m->end;
    bool bracket;
    if (m->hidden || !counts(m->type) || denies_itself(m))
        return counts(m->type);
    while (first > m->line_start && m->start - first < FAR && text.p[first - 1] != '\n' && text.p[first - 1] != '|')
        first--;
    while (first < m->start && cv_utf8_continues(text.p[first]))
        first++;
    while (last < text.n && last - m->end < FAR && text.p[last] != '\n' && text.p[last] != '\r' && text.p[last] != '|')
        last++;
    cv_str tail = cv_str_range(text.p + m->end, text.p + last);
    if (is_struck_out(cv_str_range(text.p + first, text.p + m->start), tail))
        return true;
    bool in_a_row =
        m->before > first && m->before <= m->start && joins(cv_str_range(text.p + m->before, text.p + m->start));
    cv_str lead = without_openers(cv_str_range(text.p + first, text.p + m->start), &bracket);
    bool alone = is_only_lead(lead);
    sequel behind = sequel_of(tail, alone && cv_str_trim(lead).n > 0, is_signal(m->type));
    if (behind == DENIES || behind == GOES_ON)
        return true;
    if (in_a_row)
        return m->is_mention;
    if (alone)
        return false;
    cv_str sentence = last_sentence(lead);
    if (is_of_another(m->who, sentence))
        return true;
    if (ends_sentence(lead))
        return strchr(".!?", lead.p[lead.n - 1]) ? false : withholds(sentence);
    if (behind == COMMA || withholds(sentence))
        return true;
    return !cites(m->type) && !bracket && !announces(sentence);
}
