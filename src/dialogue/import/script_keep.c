/* script_keep.c - what a script keeps beside what was said: the report, background, opinions, the ending; see script.h.
 */
#include "dialogue/import/script.h"

#include "base/utf8.h"
#include "dialogue/lint/lint.h"
#include "dialogue/people.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/limits.h"

/* ---- the report -------------------------------------------------------------------------------------------------- */

void cv_script_decide(cv_script *s, size_t sheet, size_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *CV_PUSH(s->arena, &s->decided) =
        (cv_remark){.sheet = sheet, .line = line, .why = cv_arena_vprintf(s->arena, format, args)};
    va_end(args);
}

cv_str cv_script_fit(cv_script *s, size_t sheet, size_t line, const char *what, cv_str text, size_t most)
{
    cv_str kept = cv_utf8_limit(text, most);
    if (kept.n < text.n)
        cv_script_decide(s, sheet, line, "%s is longer than %zu characters and cut there", what, most);
    return kept;
}

void cv_script_misunderstand(cv_script *s, size_t sheet, size_t line, cv_str text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *CV_PUSH(s->arena, &s->not_understood) =
        (cv_remark){sheet, line, cv_excerpt(s->arena, cv_str_trim(text)), cv_arena_vprintf(s->arena, format, args)};
    va_end(args);
}

cv_difference *cv_script_differ(cv_script *s, size_t sheet, size_t line, cv_str what)
{
    cv_difference *d = CV_PUSH(s->arena, &s->differences);
    *d = (cv_difference){.sheet = sheet, .line = line, .what = what};
    return d;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

void cv_script_keep(cv_script *s, cv_str heading, cv_str text)
{
    text = cv_text_tidy(s->arena, cv_script_without_rule(text));
    if (text.n > 0 && !cv_is_placeholder(text))
        *CV_PUSH(s->arena, &s->background) = (cv_fact){cv_squeeze(s->arena, heading), text};
}

static bool has_words(cv_str heading, const char *words)
{
    for (size_t k = 0; k < heading.n; k++)
        if ((k == 0 || !cv_is_alnum(heading.p[k - 1])) &&
            cv_str_starts_nocase(cv_str_from(heading, k), cv_str_of(words)))
            return true;
    return false;
}

/* Headings that announce how it ended: words that say so, and, for the weaker ones, words that must be beside them.
 * The strongest come first. */
static int rank_of(cv_str heading)
{
    static const char *const others[] = {"interim", "minority",   "dissent",   "preliminary",
                                         "draft",   "ruling out", "no verdict"};
    for (size_t i = 0; i < CV_COUNT(others); i++)
        if (has_words(heading, others[i]))
            return 0;
    static const struct {
        const char *words, *beside[10];
        int rank;
    } ranks[] = {
        {"verdict", {NULL}, 4},
        {"ruling", {NULL}, 4},
        {"final",
         {"recommendation", "decision", "resolution", "answer", "outcome", "judgment", "judgement", "aligned", "agreed",
          NULL},
         3},
        {"final", {"converged", "consensus", "position of the panel", "agreement", NULL}, 3},
        {"converged", {"recommendation", "amendments", "decision", "position", "design", "answer", NULL}, 3},
        {"convergence", {"declaration", "declared", "achieved", "reached", "complete", "confirmed", "final", NULL}, 2},
        {"consensus", {"reached", "achieved", "declared", NULL}, 2},
    };
    for (size_t i = 0; i < CV_COUNT(ranks); i++)
        for (size_t k = 0; has_words(heading, ranks[i].words) && (k == 0 || ranks[i].beside[k]); k++)
            if (!ranks[i].beside[k] || has_words(heading, ranks[i].beside[k]))
                return ranks[i].rank;
    return 0;
}

bool cv_script_is_closing(cv_str heading)
{
    static const cv_str headings[] = {
        CV_STR_INIT("decision"),   CV_STR_INIT("the decision"), CV_STR_INIT("decisions"),  CV_STR_INIT("outcome"),
        CV_STR_INIT("conclusion"), CV_STR_INIT("conclusions"),  CV_STR_INIT("resolution"), CV_STR_INIT("judgment"),
        CV_STR_INIT("judgement"),  CV_STR_INIT("consensus"),    CV_STR_INIT("the outcome")};
    cv_str name = cv_str_trim(cv_str_head(heading, cv_str_find_char(heading, ':')));
    return cv_words_find((cv_words){headings, CV_COUNT(headings)}, name) >= 0;
}

int cv_script_opinion_type(cv_str heading)
{
    static const char *const beside[] = {"verdict", "ruling",   "decision", "recommendation", "view",     "opinion",
                                         "report",  "position", "judgment", "judgement",      "statement"};
    bool named = false;
    for (size_t i = 0; i < CV_COUNT(beside); i++)
        named |= has_words(heading, beside[i]);
    if (has_words(heading, "no dissent") || has_words(heading, "without dissent"))
        return -1;
    if (has_words(heading, "dissent"))
        return CV_VERDICT_DISSENT;
    if (named && has_words(heading, "minority"))
        return CV_VERDICT_MINORITY;
    return named && (has_words(heading, "interim") || has_words(heading, "preliminary")) ? CV_VERDICT_INTERIM : -1;
}

bool cv_script_opinion(cv_script *s, cv_str heading, cv_str text, size_t sheet, size_t line, int round)
{
    int type = cv_script_opinion_type(heading);
    text = cv_text_tidy(s->arena, cv_script_without_rule(text));
    if (type < 0 || text.n == 0 || cv_is_placeholder(text) || cv_str_starts_nocase(text, CV_STR("none")))
        return false;
    *CV_PUSH(s->arena, &s->opinions) = (cv_opinion){.type = (cv_verdict)type,
                                                    .heading = cv_squeeze(s->arena, heading),
                                                    .text = text,
                                                    .sheet = sheet,
                                                    .line = line,
                                                    .round = round};
    return true;
}

bool cv_script_is_ending(cv_str heading)
{
    return rank_of(heading) > 0;
}

static void keep_lesser(cv_script *s, const cv_ending *ending)
{
    if (!ending->alone || ending->text.n == 0)
        return;
    cv_script_keep(s, ending->heading, ending->text);
    cv_script_decide(s, ending->sheet, ending->line, "'%.*s' is kept as background: there is a better verdict",
                     CV_FMT(cv_excerpt(s->arena, ending->heading)));
}

void cv_script_end_with(cv_script *s, const cv_ending *ending)
{
    keep_lesser(s, &s->ending);
    s->ending = *ending;
}

static const cv_str decisions[] = {
    CV_STR_INIT("recommendation"),       CV_STR_INIT("decision"),      CV_STR_INIT("verdict"), CV_STR_INIT("ruling"),
    CV_STR_INIT("final recommendation"), CV_STR_INIT("final decision")};
const cv_words cv_script_decisions = {decisions, CV_COUNT(decisions)};

/* "**Decision**: Buy.", "**Vote**: 3-1", "**Confidence**: strong": what a verdict states of itself. `line`: where its
 * text begins. */
static void state_verdict(cv_script *s, cv_str text, size_t sheet, size_t line)
{
    const cv_str nobody = {NULL, 0};
    bool decided = false;
    cv_lines lines = {.text = text};
    for (cv_line at; cv_lines_next(&lines, &at);) {
        size_t number = line + at.number - 1;
        if (at.fenced || at.kind != CV_LINE_METADATA || !at.value.n)
            continue;
        cv_str value = cv_squeeze(s->arena, at.value);
        if (!decided && cv_words_find(cv_script_decisions, at.name) >= 0)
            cv_script_state_text(s, CV_SAYS_DECISION, nobody, value, sheet, number);
        decided = decided || cv_words_find(cv_script_decisions, at.name) >= 0;
        if (cv_str_eq_nocase(at.name, CV_STR("vote")) || cv_str_eq_nocase(at.name, CV_STR("votes")))
            cv_script_state_text(s, CV_SAYS_VOTE, nobody, value, sheet, number);
        int confidence = cv_words_find(cv_confidence_words, value);
        if (cv_str_eq_nocase(at.name, CV_STR("confidence")) && confidence >= 0)
            cv_script_state_text(s, CV_SAYS_CONFIDENCE, nobody, cv_confidence_words.items[confidence], sheet, number);
    }
}

/* The text of a section begins on the line below its heading, or with the end of that line; a file of its own is all
 * text. */
static size_t first_line(const cv_script *s, cv_str text, size_t sheet, size_t line)
{
    bool file = line == 1 && cv_str_eq(s->sheets.items[sheet].role, CV_STR("verdict"));
    return !file && text.p[-1] == '\n' ? line + 1 : line;
}

void cv_script_ending(cv_script *s, cv_str heading, cv_str text, size_t sheet, size_t line, bool alone)
{
    cv_ending found = {cv_squeeze(s->arena, heading),
                       cv_text_tidy(s->arena, cv_script_without_rule(text)),
                       sheet,
                       line,
                       rank_of(heading),
                       alone};
    if (found.rank == 0 && cv_script_is_closing(heading))
        found.rank = 1;
    bool better = found.rank > s->ending.rank || (found.rank == s->ending.rank && s->ending.sheet == sheet);
    if (found.rank == 0 || found.text.n == 0 || cv_is_placeholder(found.text))
        return;
    state_verdict(s, text, sheet, first_line(s, text, sheet, line));
    if (better)
        cv_script_end_with(s, &found);
    else
        keep_lesser(s, &found);
}

void cv_script_endings(cv_script *s, size_t sheet, cv_str text, size_t first)
{
    cv_lines lines = {.text = text};
    cv_str heading = {NULL, 0};
    const char *from = NULL;
    int level = 0;
    size_t at = 0;
    for (cv_line line; cv_lines_next(&lines, &line);) {
        cv_str name = cv_str_trim(cv_str_from(line.trimmed, (size_t)line.level));
        if (line.fenced || line.level == 0)
            continue;
        if (from && line.level <= level) {
            cv_script_ending(s, heading, cv_str_range(from, line.text.p), sheet, at, false);
            from = NULL;
        }
        if (!from && cv_script_is_ending(name)) {
            heading = name;
            from = cv_str_end(line.text);
            level = line.level;
            at = first + line.number - 1;
        }
    }
    if (from)
        cv_script_ending(s, heading, cv_str_range(from, cv_str_end(text)), sheet, at, false);
}

void cv_script_keep_table(cv_script *s, const cv_grid *grid, size_t sheet, const char *why)
{
    cv_buf text = {0};
    cv_buf_add(&text, grid->head.raw);
    for (size_t i = 0; i < grid->rows.count; i++) {
        cv_buf_add_char(&text, '\n');
        cv_buf_add(&text, grid->rows.items[i].raw);
    }
    cv_str title = grid->title;
    while (title.n && strchr("#* ", title.p[0]))
        title = cv_str_from(title, 1);
    cv_script_keep(s, title.n ? title : CV_STR("Table"), cv_buf_take(&text, s->arena));
    cv_script_decide(s, sheet, grid->head.line, "the table %s: it is kept as background, too", why);
}

cv_str cv_script_cut_name(cv_str *rest)
{
    static const cv_str signs[] = {CV_STR_INIT(","), CV_STR_INIT("/"), CV_STR_INIT("&"),
                                   CV_STR_INIT("+"), CV_STR_INIT(";"), CV_STR_INIT(" and ")};
    size_t at = SIZE_MAX, length = 0;
    for (size_t i = 0; i < CV_COUNT(signs); i++) {
        size_t found = cv_str_find_nocase(*rest, signs[i]);
        if (found < at) {
            at = found;
            length = signs[i].n;
        }
    }
    cv_str name = cv_str_head(*rest, at);
    *rest = at == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(*rest, at + length);
    return name;
}
