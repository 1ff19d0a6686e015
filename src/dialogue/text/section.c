/* section.c - which section a heading opens, and questions to a parsed document; see doc.h. */
#include "dialogue/text/doc.h"

static const cv_str section_words[] = {CV_STR_INIT("panel"),    CV_STR_INIT("scoreboard"), CV_STR_INIT("perspectives"),
                                       CV_STR_INIT("tensions"), CV_STR_INIT("round"),      CV_STR_INIT("judge"),
                                       CV_STR_INIT("other")};
_Static_assert(CV_COUNT(section_words) == CV_SECTION_KIND_COUNT, "a word per kind of section");
const cv_words cv_section_words = {section_words, CV_SECTION_KIND_COUNT};

static const cv_str section_titles[] = {CV_STR_INIT("Expert Panel"),
                                        CV_STR_INIT("Alignment Scoreboard"),
                                        CV_STR_INIT("Perspectives Inventory"),
                                        CV_STR_INIT("Tensions Tracker"),
                                        CV_STR_INIT("Round"),
                                        CV_STR_INIT("Judge"),
                                        CV_STR_INIT("")};
_Static_assert(CV_COUNT(section_titles) == CV_SECTION_KIND_COUNT, "a title per kind of section");
const cv_words cv_section_titles = {section_titles, CV_SECTION_KIND_COUNT};

/* Other headings in real files for the sections about tables. */
static const struct {
    cv_str title;
    cv_section_kind kind;
} synonyms[] = {
    {CV_STR_INIT("Expert Panel"), CV_SECTION_PANEL},
    {CV_STR_INIT("Alignment Scoreboard"), CV_SECTION_SCOREBOARD},
    {CV_STR_INIT("Scoreboard"), CV_SECTION_SCOREBOARD},
    {CV_STR_INIT("Perspectives Inventory"), CV_SECTION_PERSPECTIVES},
    {CV_STR_INIT("Perspective Inventory"), CV_SECTION_PERSPECTIVES},
    {CV_STR_INIT("Tensions Tracker"), CV_SECTION_TENSIONS},
    {CV_STR_INIT("Tension Tracker"), CV_SECTION_TENSIONS},
};

/* Punctuation that ties the parts of a judge's heading together. */
static cv_str strip_joints(cv_str s)
{
    for (bool again = true; again;) {
        again = false;
        s = cv_str_trim(s);
        if (s.n > 0 && (s.p[0] == ':' || s.p[0] == '-')) {
            s = cv_str_from(s, 1);
            again = true;
        }
        if (cv_str_starts(s, CV_STR("—")) || cv_str_starts(s, CV_STR("–"))) {
            s = cv_str_from(s, 3);
            again = true;
        }
        if (s.n > 0 && (s.p[s.n - 1] == ':' || s.p[s.n - 1] == '-')) {
            s.n--;
            again = true;
        }
        if (cv_str_ends(s, CV_STR("—")) || cv_str_ends(s, CV_STR("–"))) {
            s.n -= 3;
            again = true;
        }
    }
    return s;
}

/* "💙 Judge: Round 0 Assessment", "Judge Summary: Round 1", "Judge — Round 2 Summary", "Judge". */
static bool judge_heading(cv_arena *a, cv_str heading, int *ret_round, cv_str *ret_label)
{
    cv_str rest = heading, before, after;
    if (cv_str_starts(rest, cv_judge_emoji))
        rest = cv_str_trim_left(cv_str_from(rest, cv_judge_emoji.n));
    if (!cv_str_starts(rest, cv_judge_name) || (rest.n > cv_judge_name.n && cv_is_alnum(rest.p[cv_judge_name.n])))
        return false;
    rest = cv_str_from(rest, cv_judge_name.n);
    *ret_round = -1;
    if (cv_str_starts(rest, CV_STR(": \\"))) { /* a label that is not to be looked into */
        *ret_label = cv_squeeze(a, cv_str_from(rest, 3));
        return true;
    }
    if (!cv_find_round(rest, ret_round, &before, &after)) {
        *ret_label = cv_squeeze(a, strip_joints(rest));
        return true;
    }
    before = strip_joints(before);
    if (before.n == 0 && cv_str_starts(after, CV_STR("\\"))) {
        *ret_label = cv_squeeze(a, cv_str_from(after, 1));
        return true;
    }
    after = strip_joints(after);
    cv_str both = before.n && after.n ? cv_arena_printf(a, "%.*s %.*s", CV_FMT(before), CV_FMT(after))
                  : before.n          ? before
                                      : after;
    *ret_label = cv_squeeze(a, both);
    return true;
}

/* "Opening Arguments (Round 0)". */
static bool trailing_round(cv_arena *a, cv_str heading, int *ret_round, cv_str *ret_label)
{
    cv_str before, after;
    if (heading.n < 10 || heading.p[heading.n - 1] != ')' || !cv_find_round(heading, ret_round, &before, &after))
        return false;
    if (after.n != 1 || before.n < 2 || before.p[before.n - 1] != '(')
        return false;
    *ret_label = cv_squeeze(a, cv_str_head(before, before.n - 1));
    return true;
}

cv_section_kind cv_section_read(cv_arena *a, cv_str heading, int *ret_round, cv_str *ret_label)
{
    *ret_round = -1;
    if (heading.n > 1 && heading.p[0] == '\\') {
        *ret_label = cv_squeeze(a, cv_str_from(heading, 1));
        return CV_SECTION_OTHER;
    }
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        cv_str title = synonyms[i].title, rest = cv_str_from(heading, title.n);
        if (!cv_str_starts_nocase(heading, title))
            continue;
        *ret_label = (cv_str){NULL, 0};
        if (rest.n == 0)
            return synonyms[i].kind;
        if (cv_heading_note(rest, ret_label)) {
            cv_str inner;
            if (ret_label->n && ret_label->p[0] == '(' && cv_heading_note(*ret_label, &inner) &&
                cv_str_trim(rest).p[0] != '(')
                *ret_label = inner;
            *ret_label = cv_squeeze(a, *ret_label);
            return synonyms[i].kind;
        }
    }
    if (judge_heading(a, heading, ret_round, ret_label))
        return CV_SECTION_JUDGE;
    if (trailing_round(a, heading, ret_round, ret_label))
        return CV_SECTION_ROUND;
    *ret_label = cv_squeeze(a, heading);
    return CV_SECTION_OTHER;
}

/* ---- questions to a document --------------------------------------------------------------------- */

const cv_section *cv_doc_section(const cv_doc *doc, cv_section_kind kind)
{
    for (size_t i = 0; i < doc->sections.count; i++)
        if (doc->sections.items[i].kind == kind)
            return &doc->sections.items[i];
    return NULL;
}

const cv_table *cv_section_table(const cv_section *section)
{
    for (size_t i = 0; section && i < section->content.count; i++)
        if (section->content.items[i].kind == CV_BLOCK_TABLE)
            return section->content.items[i].table;
    return NULL;
}

cv_str cv_doc_meta(const cv_doc *doc, cv_str key)
{
    for (size_t i = 0; i < doc->metadata.count; i++)
        if (cv_str_eq_nocase(doc->metadata.items[i].key, key))
            return doc->metadata.items[i].value;
    return (cv_str){NULL, 0};
}

int cv_table_column(const cv_table *table, const cv_str *names, size_t count)
{
    const cv_row *header = table && table->count ? &table->items[0] : NULL;
    for (size_t i = 0; i < count; i++)
        for (size_t column = 0; header && column < header->count; column++) {
            cv_str cell = header->cells[column];
            while (cell.n > 1 && cell.p[0] == '*' && cell.p[cell.n - 1] == '*')
                cell = (cv_str){cell.p + 1, cell.n - 2};
            if (cv_str_eq_nocase(cv_str_trim(cell), names[i]))
                return (int)column;
        }
    return -1;
}

static void learn_name(cv_arena *a, cv_str cell, cv_map *agents)
{
    cv_str name = cv_plain_name(a, cell);
    name = cv_str_head(name, cv_str_find(name, CV_STR(" ("))); /* Muffin (Platform Architect): the role is no name */
    if (name.n > 0)
        cv_map_put(agents, a, cv_agent_key(a, name), NULL);
}

void cv_agents_learn(cv_arena *a, const cv_doc *doc, const cv_section *section, cv_map *agents)
{
    static const cv_str names[] = {CV_STR_INIT("agent"),    CV_STR_INIT("pastry"), CV_STR_INIT("expert"),
                                   CV_STR_INIT("name"),     CV_STR_INIT("member"), CV_STR_INIT("persona"),
                                   CV_STR_INIT("panelist"), CV_STR_INIT("who"),    CV_STR_INIT("participant")};
    if (!section) {
        cv_str people = cv_doc_meta(doc, CV_STR("Participants")), name;
        for (char sep = cv_str_find_char(people, '|') != SIZE_MAX ? '|' : ','; cv_str_split(&people, sep, &name);)
            learn_name(a, name, agents);
        return;
    }
    const cv_table *table = section->kind == CV_SECTION_PANEL ? cv_section_table(section) : NULL;
    int found = cv_table_column(table, names, sizeof names / sizeof *names);
    size_t column = found < 0 ? 0 : (size_t)found;
    for (size_t i = 1; table && i < table->count; i++)
        if (table->items[i].count > column)
            learn_name(a, table->items[i].cells[column], agents);
}

const cv_section *cv_rounds_rebase(cv_doc *doc)
{
    const cv_section *first = NULL;
    for (size_t i = 0; i < doc->sections.count; i++) {
        const cv_section *s = &doc->sections.items[i];
        if (s->kind == CV_SECTION_ROUND && (!first || s->round < first->round))
            first = s;
    }
    if (!first || first->round != 1)
        return NULL;
    for (size_t i = 0; i < doc->sections.count; i++) {
        cv_section *s = &doc->sections.items[i];
        if ((s->kind == CV_SECTION_ROUND || s->kind == CV_SECTION_JUDGE) && s->round > 0)
            s->round--;
    }
    return first;
}

static void gather(cv_arena *a, const cv_blocks *blocks, cv_marks *marks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        const cv_block *b = &blocks->items[i];
        if (b->kind == CV_BLOCK_MARK)
            *CV_PUSH(a, marks) = *b->mark;
        for (size_t k = 0; k < b->inline_marks.count; k++)
            *CV_PUSH(a, marks) = b->inline_marks.items[k];
    }
}

cv_marks cv_doc_marks(cv_arena *a, const cv_doc *doc)
{
    cv_marks marks = {0};
    gather(a, &doc->intro, &marks);
    for (size_t i = 0; i < doc->sections.count; i++) {
        const cv_section *s = &doc->sections.items[i];
        gather(a, &s->content, &marks);
        for (size_t k = 0; k < s->agents.count; k++)
            gather(a, &s->agents.items[k].content, &marks);
    }
    return marks;
}
