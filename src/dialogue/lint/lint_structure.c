/* lint_structure.c - title, metadata, sections, rounds and agents: is everything there, once, and in order? And what
 * did a scaffold leave behind that nobody replaced?
 *
 *     [Awaiting response]     a whole line, list item or table cell, anywhere outside of fences
 *     TBD                     only where a scaffold puts it: all that an agent says, or a cell of a known table
 */
#include "base/limits.h"
#include "base/utf8.h"
#include "dialogue/lint/linter.h"

/* The first line that says something: what is missing in the head of a document is reported there. */
static cv_str head_line(cv_str text)
{
    cv_str rest = text, line;
    if (cv_str_starts(rest, CV_STR("\xEF\xBB\xBF")))
        rest = cv_str_from(rest, 3);
    while (cv_str_split(&rest, '\n', &line))
        if (cv_str_trim(line).n > 0)
            return cv_str_trim(line);
    return cv_str_head(text, 0);
}

/* "Status", "Status and Participants", "A, B and C". */
static cv_str name_all(cv_arena *a, const cv_str *names, size_t count)
{
    cv_str all = count ? names[0] : (cv_str){NULL, 0};
    for (size_t i = 1; i < count; i++)
        all = cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(all), i + 1 == count ? " and " : ", ", CV_FMT(names[i]));
    return all;
}

/* ---- head ------------------------------------------------------------------------------------------------------- */

static void check_head(cv_linter *l)
{
    static const cv_str wanted[] = {CV_STR_INIT("Status"), CV_STR_INIT("Participants")};
    cv_str where = head_line(l->doc->text), missing[CV_COUNT(wanted)];
    size_t count = 0;
    if (l->doc->title.n == 0)
        CV_LINT(l, where, CV_RULE_TITLE_MISSING, "the dialogue has no title")->hint =
            CV_STR("begin with a line like '# Alignment Dialogue: topic'");
    for (size_t i = 0; i < CV_COUNT(wanted); i++)
        if (cv_doc_meta(l->doc, wanted[i]).n == 0)
            missing[count++] = wanted[i];
    if (count == 0)
        return;
    cv_finding *f =
        CV_LINT(l, where, CV_RULE_METADATA_MISSING, "the head lacks %.*s", CV_FMT(name_all(l->a, missing, count)));
    f->hint = cv_arena_printf(l->a, "add '**%.*s**: ...' below the title%s", CV_FMT(missing[0]),
                              count > 1 ? ", and a line for each of the others" : "");
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

static bool has_mark(const cv_linter *l, cv_mark_type type)
{
    for (size_t i = 0; i < l->marks.count; i++)
        if (l->marks.items[i].mark->type == type && l->marks.items[i].leads)
            return true;
    return false;
}

/* The panel may as well be named by the participants; inventory and tracker are wanted when there is something to list.
 */
static void check_present(cv_linter *l)
{
    const struct {
        cv_section_kind kind;
        bool wanted;
    } sections[] = {
        {CV_SECTION_PANEL, cv_doc_meta(l->doc, CV_STR("Participants")).n == 0},
        {CV_SECTION_SCOREBOARD, true},
        {CV_SECTION_PERSPECTIVES, has_mark(l, CV_MARK_PERSPECTIVE)},
        {CV_SECTION_TENSIONS, has_mark(l, CV_MARK_TENSION)},
    };
    cv_str missing[CV_COUNT(sections)];
    size_t count = 0;
    for (size_t i = 0; i < CV_COUNT(sections); i++)
        if (sections[i].wanted && !cv_doc_section(l->doc, sections[i].kind))
            missing[count++] = cv_section_titles.items[sections[i].kind];
    if (count == 0)
        return;
    cv_finding *f = CV_LINT(l, head_line(l->doc->text), CV_RULE_SECTION_MISSING, "%s missing: %.*s",
                            count > 1 ? "sections are" : "a section is", CV_FMT(name_all(l->a, missing, count)));
    f->hint = cv_arena_printf(l->a, "add '## %.*s' with its table%s", CV_FMT(missing[0]),
                              count > 1 ? ", and one for each of the others" : "");
}

/* Two boards with different labels ("Round 0", "Final") are two boards. */
static void check_twice(cv_linter *l)
{
    cv_map seen = {0};
    for (size_t i = 0; i < l->doc->sections.count; i++) {
        const cv_section *s = &l->doc->sections.items[i];
        if (s->kind > CV_SECTION_TENSIONS)
            continue;
        bool is_new;
        cv_str key = cv_lint_key(l->a, cv_section_words.items[s->kind], cv_agent_key(l->a, s->label));
        uintptr_t *first = cv_map_put(&seen, l->a, key, &is_new);
        if (is_new) {
            *first = s->line;
            continue;
        }
        cv_finding *f = CV_LINT(l, s->heading, CV_RULE_SECTION_DUPLICATE, "line %zu has a section %.*s already",
                                (size_t)*first, CV_FMT(cv_section_titles.items[s->kind]));
        f->hint = CV_STR("keep one, or tell them apart: '## Alignment Scoreboard (Final)'");
    }
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

static bool is_blank_round(const cv_section *s)
{
    return s->kind == CV_SECTION_ROUND && s->content.count == 0 && s->agents.count == 0;
}

/* Numbers as they are written: the parser counts from 0 where the text counts from 1. */
static int written_round(const cv_section *s)
{
    int round = s->round;
    cv_str before, after;
    cv_find_round(s->heading, &round, &before, &after);
    return round;
}

static void check_order(cv_linter *l, const cv_section *s, const cv_section *last)
{
    int expected = last ? last->round + 1 : 0, shift = written_round(s) - s->round;
    if (s->round == expected)
        return;
    const char *how = !last                     ? "is the first one"
                      : s->round == last->round ? "is here again"
                      : s->round < last->round  ? "comes after a later one"
                                                : "follows a gap";
    cv_finding *f = CV_LINT(l, s->heading, CV_RULE_ROUND_ORDER, "round %d %s; %d was expected", s->round + shift, how,
                            expected + shift);
    f->hint = CV_STR("number rounds 0, 1, 2, ... in the order of the text");
}

/* A dialogue that says itself that it has no rounds yet is not a scaffold that somebody forgot. */
static bool is_unbegun(const cv_doc *doc)
{
    return cv_str_eq(cv_doc_meta(doc, CV_STR("Rounds")), CV_STR("0"));
}

static void check_rounds(cv_linter *l)
{
    const cv_section *last = NULL;
    for (size_t i = 0; i < l->doc->sections.count; i++) {
        const cv_section *s = &l->doc->sections.items[i];
        if (s->kind != CV_SECTION_ROUND)
            continue;
        check_order(l, s, last);
        last = s;
        if (is_blank_round(s))
            CV_LINT(l, s->heading, CV_RULE_ROUND_EMPTY, "nobody says anything in round %d", written_round(s))->hint =
                CV_STR("add what the agents said, or remove the round");
    }
    if (!last && !is_unbegun(l->doc))
        CV_LINT(l, head_line(l->doc->text), CV_RULE_ROUND_MISSING, "the dialogue has no round")->hint =
            cv_str_find(l->doc->text, CV_STR("\n### Round ")) == SIZE_MAX
                ? CV_STR("add a section '## Round 0: Opening Arguments' with what the agents said")
                : CV_STR("rounds are sections: write '## Round 0: Label' with two number signs");
}

/* ---- agents ----------------------------------------------------------------------------------------------------- */

/* "muffin (platform architect)" among the participants makes muffin known. */
static cv_str without_role(cv_str name)
{
    static const cv_str joints[] = {CV_STR_INIT("("), CV_STR_INIT(" - "), CV_STR_INIT(" — "), CV_STR_INIT(" – "),
                                    CV_STR_INIT(":")};
    for (size_t i = 0; i < CV_COUNT(joints); i++)
        name = cv_str_head(name, cv_str_find(name, joints[i]));
    return cv_str_trim(name);
}

static cv_map read_panel(cv_linter *l)
{
    cv_map panel = {0};
    for (size_t i = 0; i < l->doc->agents.capacity; i++) {
        cv_str name = l->doc->agents.slots[i].key;
        if (name.p && without_role(name).n > 0)
            cv_map_put(&panel, l->a, without_role(name), NULL);
    }
    return panel;
}

static bool is_known(cv_linter *l, const cv_map *panel, const cv_agent *agent)
{
    return cv_str_eq(agent->emoji, cv_judge_emoji) || cv_str_starts_nocase(agent->name, cv_judge_name) ||
           cv_map_get(panel, cv_agent_key(l->a, without_role(agent->name)));
}

typedef void (*agent_visit)(cv_linter *l, const cv_agent *agent, void *ctx);

static void each_agent(cv_linter *l, agent_visit visit, void *ctx)
{
    for (size_t i = 0; i < l->doc->sections.count; i++)
        for (size_t k = 0; k < l->doc->sections.items[i].agents.count; k++)
            visit(l, &l->doc->sections.items[i].agents.items[k], ctx);
}

typedef struct {
    cv_map panel;
    cv_str names[64]; /* for suggestions; a panel has far fewer */
    size_t name_count;
    cv_map emoji; /* of those who are known: "### ✅ Consensus" is not an agent */
} roster;

static void learn(cv_linter *l, const cv_agent *agent, void *ctx)
{
    roster *r = ctx;
    if (cv_map_get(&r->panel, cv_agent_key(l->a, without_role(agent->name))))
        cv_map_put(&r->emoji, l->a, agent->emoji, NULL);
}

static void check_agent(cv_linter *l, const cv_agent *agent, void *ctx)
{
    const roster *r = ctx;
    if (agent->content.count == 0)
        CV_LINT(l, agent->heading, CV_RULE_AGENT_EMPTY, "%.*s says nothing here", CV_FMT(cv_excerpt(l->a, agent->name)))
            ->hint = CV_STR("add the response, or remove the heading");
    if (!cv_map_get(&r->emoji, agent->emoji) || is_known(l, &r->panel, agent))
        return;
    bool shown = l->findings->count < CV_MAX_FINDINGS; /* a suggestion costs more than a finding */
    cv_str near = cv_str_nearest(agent->name, r->names, shown ? r->name_count : 0);
    cv_finding *f = CV_LINT(l, agent->heading, CV_RULE_AGENT_UNKNOWN, "%.*s is not on the panel",
                            CV_FMT(cv_excerpt(l->a, agent->name)));
    f->hint = near.n ? cv_arena_printf(l->a, "did you mean '%.*s'? otherwise add the name to the panel", CV_FMT(near))
                     : CV_STR("add the name to the panel and the participants, or correct the heading");
}

/* Without a panel, or with one that names nobody who speaks ("12 experts"), there is nothing to compare with. */
static void check_agents(cv_linter *l)
{
    roster r = {.panel = read_panel(l)};
    for (size_t i = 0; i < r.panel.capacity && r.name_count < CV_COUNT(r.names); i++)
        if (r.panel.slots[i].key.p)
            r.names[r.name_count++] = r.panel.slots[i].key;
    each_agent(l, learn, &r);
    each_agent(l, check_agent, &r);
}

void cv_lint_structure(cv_linter *l)
{
    check_head(l);
    check_present(l);
    check_twice(l);
    check_rounds(l);
    check_agents(l);
}

/* ---- placeholders ----------------------------------------------------------------------------------------------- */

/* Inside the brackets, in lower case; a star stands for any text. */
static const cv_str bracketed[] = {
    CV_STR_INIT("awaiting *"),
    CV_STR_INIT("topic"),
    CV_STR_INIT("outcome"),
    CV_STR_INIT("key insight from this dialogue"),
    CV_STR_INIT("* to be added"),
    CV_STR_INIT("* to be written"),
    CV_STR_INIT("* to be determined"),
    CV_STR_INIT("to be *"),
    CV_STR_INIT("insert *"),
    CV_STR_INIT("fill in *"),
    CV_STR_INIT("* goes here"),
    CV_STR_INIT("placeholder"),
    CV_STR_INIT("tbd"),
    CV_STR_INIT("tba"),
    CV_STR_INIT("todo"),
    CV_STR_INIT("..."),
};

static const cv_str bare[] = {CV_STR_INIT("tbd"),         CV_STR_INIT("tba"),
                              CV_STR_INIT("todo"),        CV_STR_INIT("..."),
                              CV_STR_INIT("…"),           CV_STR_INIT("to be determined"),
                              CV_STR_INIT("to be added"), CV_STR_INIT("to be written"),
                              CV_STR_INIT("placeholder")};

static bool ends_nocase(cv_str s, cv_str suffix)
{
    return s.n >= suffix.n && cv_str_eq_nocase(cv_str_from(s, s.n - suffix.n), suffix);
}

static bool fits(cv_str s, cv_str pattern)
{
    if (pattern.p[0] == '*')
        return ends_nocase(s, cv_str_from(pattern, 1));
    if (pattern.p[pattern.n - 1] == '*')
        return cv_str_starts_nocase(s, cv_str_head(pattern, pattern.n - 1));
    return cv_str_eq_nocase(s, pattern);
}

static bool is_bracketed(cv_str s)
{
    if (s.n < 3 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return false;
    cv_str inside = cv_str_trim((cv_str){s.p + 1, s.n - 2});
    if (cv_str_find_char(inside, ']') != SIZE_MAX)
        return false;
    for (size_t i = 0; i < CV_COUNT(bracketed); i++)
        if (fits(inside, bracketed[i]))
            return true;
    return false;
}

static bool is_bare(cv_str s)
{
    while (s.n > 0 && s.p[s.n - 1] == '.' && !cv_str_ends(s, CV_STR("...")))
        s.n--;
    for (size_t i = 0; i < CV_COUNT(bare); i++)
        if (cv_str_eq_nocase(s, bare[i]))
            return true;
    return false;
}

static void report(cv_linter *l, cv_str where)
{
    CV_LINT(l, where, CV_RULE_PLACEHOLDER, "'%.*s' was never replaced", CV_FMT(cv_excerpt(l->a, where)))->hint =
        CV_STR("write what belongs there, or remove the part");
}

/* Bullets, numbers, quotation marks and emphasis around a line's text. */
static cv_str line_core(cv_str s)
{
    for (bool again = true; again;) {
        again = s.n > 1 && strchr("-+>#", s.p[0]) && (cv_is_blank(s.p[1]) || s.p[1] == '#');
        if (again)
            s = cv_str_trim_left(cv_str_from(s, 1));
    }
    while (s.n > 2 && (s.p[0] == '*' || s.p[0] == '_')) /* bold, italic, or the bullet * */
        s = cv_str_trim_left(cv_str_from(s, 1));
    while (s.n > 0 && (s.p[s.n - 1] == '*' || s.p[s.n - 1] == '_'))
        s.n--;
    return cv_str_trim(s);
}

static void check_row(cv_linter *l, const cv_line *line, size_t *walk)
{
    const cv_section *section = cv_section_at(l->doc, (size_t)(line->text.p - l->doc->text.p), walk);
    bool known = section && section->kind <= CV_SECTION_TENSIONS;
    cv_str rest = cv_row_inside(line->trimmed), cell;
    while (cv_cell_next(&rest, &cell)) {
        cv_str core = cv_cell_plain(cell);
        if (is_bracketed(core) || (known && is_bare(core)))
            report(l, core);
    }
}

static void check_lines(cv_linter *l)
{
    const cv_sections *sections = &l->doc->sections;
    size_t walk = SIZE_MAX, head = sections->count ? (size_t)(sections->items[0].heading.p - l->doc->text.p) : SIZE_MAX;
    cv_lines lines = {.text = l->doc->text, .agents = &l->doc->agents};
    for (cv_line line; cv_lines_next(&lines, &line);) {
        if (line.kind == CV_LINE_TABLE_ROW) {
            check_row(l, &line, &walk);
        } else if (line.kind == CV_LINE_METADATA && (size_t)(line.text.p - l->doc->text.p) < head) {
            if (is_bracketed(line.value) || is_bare(line.value))
                report(l, line.value);
        } else if (line.brackets && !line.fenced) {
            cv_str core = line_core(line.trimmed);
            if (is_bracketed(core))
                report(l, core);
        }
    }
}

bool cv_is_placeholder(cv_str text)
{
    cv_str core = line_core(cv_str_trim(text));
    return cv_str_find_char(core, '\n') == SIZE_MAX && (is_bracketed(core) || is_bare(core));
}

/* All that the agent says is one word that stands for nothing. */
static void check_answer(cv_linter *l, const cv_agent *agent)
{
    cv_str text = l->doc->text;
    const cv_block *only = agent->content.count == 1 ? &agent->content.items[0] : NULL;
    if (!only || only->kind != CV_BLOCK_TEXT)
        return;
    cv_str core = line_core(cv_str_trim(only->text));
    if (core.n == 0 || !is_bare(core))
        return;
    bool inside = (uintptr_t)core.p >= (uintptr_t)text.p && (uintptr_t)core.p < (uintptr_t)cv_str_end(text);
    report(l, inside ? core : agent->heading); /* texts with carriage returns are copies */
}

void cv_lint_placeholders(cv_linter *l)
{
    check_lines(l);
    for (size_t i = 0; i < l->doc->sections.count; i++)
        for (size_t k = 0; k < l->doc->sections.items[i].agents.count; k++)
            check_answer(l, &l->doc->sections.items[i].agents.items[k]);
}
