/* transcript_boards.c - the tables of a transcript: scores by round, by expert, and by both; and everything that was
 * said, one per kind; see transcript.h.
 *
 *     | Round | W | C | T | R | Bonus | Score | Σ | Open T | New P | Velocity | Signals | Converged |
 *     | Agent | R0 | R1 | Total |
 *     | Agent | Round | W | C | T | R | Bonus | Score |
 *
 * Scores are kept as the judge gave them. W, C, T and R are there when any were given; where a score is not their
 * sum, the rest of it is the bonus. The third board needs components of experts.
 */
#include "dialogue/dynamics.h"
#include "dialogue/transcript/parts.h"
#include "dialogue/transcript/transcript.h"
#include "dialogue/words/limits.h"

enum { COMPONENTS = 4 };
static const char *const component_names[] = {"W", "C", "T", "R"};
_Static_assert(CV_COUNT(component_names) == COMPONENTS, "a letter per component");

typedef struct {
    int64_t parts[COMPONENTS]; /* CV_ABSENT: not given */
    int64_t bonus;             /* CV_ABSENT: no part was given */
} split;

static split split_score(cv_arena *a, int64_t score, cv_str components)
{
    cv_json object = {.type = CV_JSON_NULL};
    cv_err ignored = {.arena = a};
    split s = {.bonus = CV_ABSENT};
    if (components.n > 0 && !cv_json_parse(a, components, &object, &ignored))
        object = (cv_json){.type = CV_JSON_NULL};
    for (size_t i = 0; i < COMPONENTS; i++) {
        s.parts[i] = cv_json_get_int(&object, component_names[i], CV_ABSENT);
        if (s.parts[i] == CV_ABSENT || score == CV_ABSENT)
            continue;
        s.bonus = (s.bonus == CV_ABSENT ? score : s.bonus) - s.parts[i];
    }
    return s;
}

/* Which columns a board needs. */
typedef struct {
    bool parts, bonus;
} columns;

static void widen(columns *c, const split *s)
{
    for (size_t i = 0; i < COMPONENTS; i++)
        c->parts = c->parts || s->parts[i] != CV_ABSENT;
    c->bonus = c->bonus || (s->bonus != CV_ABSENT && s->bonus != 0);
}

static void name_split(cv_part_table *table, columns c)
{
    for (size_t i = 0; c.parts && i < COMPONENTS; i++)
        cv_part_cell(table, cv_str_of(component_names[i]));
    if (c.bonus)
        cv_part_cell(table, CV_STR("Bonus"));
}

static void add_split(cv_part_table *table, columns c, const split *s)
{
    for (size_t i = 0; c.parts && i < COMPONENTS; i++)
        cv_part_number(table, s->parts[i]);
    if (c.bonus)
        cv_part_number(table, s->bonus);
}

/* ---- by round --------------------------------------------------------------------------------------------------- */

/* Who stood by a signal, of how many, and how far the dialogue had converged: as progress tells it. The final verdict
 * ends the last round, whatever it leaves open. */
static void add_convergence(cv_transcript *t, const cv_stances *st, int64_t round, cv_part_table *table)
{
    cv_agreement g = cv_agreement_in(st, round);
    const cv_pace_round *pace = cv_pace_at(&t->pace, round);
    size_t tensions = cv_pace_tensions(pace), open = (size_t)pace->open_tensions;
    bool decided = t->whole && round == t->last && cv_state_is_closed(&t->s);
    double reached = decided ? 1 : cv_convergence_reached(tensions - open, tensions, g.signals, g.panel + g.outside);
    cv_part_cell(table, cv_arena_printf(t->arena, "%zu/%zu", g.signals, g.panel));
    cv_part_cell(table, cv_arena_printf(t->arena, "%d%%", cv_convergence_percentage(reached)));
}

static void add_by_round(cv_transcript *t, cv_blocks *into)
{
    split *splits = CV_NEW_ARRAY(t->arena, (size_t)(t->last + 1), split);
    columns c = {false, false};
    cv_part_table table = cv_part_table_begin(t->arena);
    cv_stances stances = cv_stances_of(t->arena, &t->s);
    int64_t sum = 0;
    for (int64_t i = 0; i <= t->last; i++) {
        splits[i] = split_score(t->arena, t->s.rounds.items[i].score, t->s.rounds.items[i].score_components);
        widen(&c, &splits[i]);
    }
    cv_part_cells(&table, "Round");
    name_split(&table, c);
    cv_part_cells(&table, "Score|Σ|Open T|New P|Velocity|Signals|Converged");
    cv_part_row(&table);
    for (int64_t i = 0; i <= t->last; i++) {
        int64_t score = t->s.rounds.items[i].score;
        const cv_pace_round *pace = cv_pace_at(&t->pace, i);
        sum += score == CV_ABSENT ? 0 : score;
        cv_part_number(&table, i);
        add_split(&table, c, &splits[i]);
        cv_part_number(&table, score);
        cv_part_number(&table, sum);
        cv_part_number(&table, pace->open_tensions);
        cv_part_number(&table, pace->new_perspectives);
        cv_part_number(&table, cv_pace_velocity(pace));
        add_convergence(t, &stances, i, &table);
        cv_part_row(&table);
    }
    cv_part_add_table(&table, into);
}

/* ---- by expert -------------------------------------------------------------------------------------------------- */

/* The score of an expert in a round: an index into s.scores + 1, by expert and round. */
static const uint32_t *score_table(cv_transcript *t)
{
    uint32_t *at = CV_NEW_ARRAY(t->arena, t->speakers * (CV_MAX_ROUND + 1), uint32_t);
    for (size_t i = 0; i < t->s.scores.count; i++) {
        const cv_rec_score *score = &t->s.scores.items[i];
        if (score->round >= 0 && score->round <= t->last)
            at[cv_transcript_speaker(t, score->expert_slug) * (CV_MAX_ROUND + 1) + (size_t)score->round] =
                (uint32_t)i + 1;
    }
    return at;
}

static void add_by_expert(cv_transcript *t, const uint32_t *at, cv_blocks *into)
{
    cv_part_table table = cv_part_table_begin(t->arena);
    cv_part_cells(&table, "Agent");
    for (int64_t round = 0; round <= t->last; round++)
        cv_part_cell(&table, cv_arena_printf(t->arena, "R%lld", (long long)round));
    cv_part_cells(&table, "Total");
    cv_part_row(&table);
    for (size_t i = 0; i + 1 < t->speakers; i++) {
        int64_t total = CV_ABSENT;
        cv_part_cell(&table, t->faces[i]);
        for (int64_t round = 0; round <= t->last; round++) {
            uint32_t index = at[i * (CV_MAX_ROUND + 1) + (size_t)round];
            int64_t score = index ? t->s.scores.items[index - 1].score : CV_ABSENT;
            cv_part_number(&table, score);
            if (score != CV_ABSENT)
                total = (total == CV_ABSENT ? 0 : total) + score;
        }
        cv_part_number(&table, total);
        cv_part_row(&table);
    }
    cv_part_add_table(&table, into);
}

/* ---- by expert and round ---------------------------------------------------------------------------------------- */

static void add_components(cv_transcript *t, const uint32_t *at, cv_blocks *into)
{
    split *splits = CV_NEW_ARRAY(t->arena, t->s.scores.count, split);
    columns c = {false, false};
    cv_part_table table = cv_part_table_begin(t->arena);
    for (size_t i = 0; i < t->s.scores.count; i++) {
        const cv_rec_score *score = &t->s.scores.items[i];
        splits[i] = split_score(t->arena, score->score, score->score_components);
        if (score->round <= t->last)
            widen(&c, &splits[i]);
    }
    if (!c.parts)
        return;
    cv_part_cells(&table, "Agent|Round");
    name_split(&table, c);
    cv_part_cells(&table, "Score");
    cv_part_row(&table);
    for (size_t i = 0; i < t->speakers * (CV_MAX_ROUND + 1); i++) {
        const cv_rec_score *score = at[i] ? &t->s.scores.items[at[i] - 1] : NULL;
        if (!score || score->score_components.n == 0)
            continue;
        cv_part_cell(&table, t->faces[i / (CV_MAX_ROUND + 1)]);
        cv_part_number(&table, score->round);
        add_split(&table, c, &splits[at[i] - 1]);
        cv_part_number(&table, score->score);
        cv_part_row(&table);
    }
    cv_part_add_table(&table, into);
}

void cv_transcript_add_boards(cv_transcript *t, cv_doc *doc)
{
    cv_section *section = cv_part_add_section(t->arena, doc, CV_SECTION_SCOREBOARD);
    const uint32_t *at = score_table(t);
    add_by_round(t, &section->content);
    add_by_expert(t, at, &section->content);
    add_components(t, at, &section->content);
}

/* ---- the inventory: everything that was said, a table per kind --------------------------------------------------- */

cv_str cv_transcript_how(cv_transcript *t, uint32_t event, bool whole)
{
    const cv_happening *h = &t->g.events.items[event];
    cv_arena *a = t->arena;
    char unused[6];
    cv_str how = whole ? cv_arena_printf(a, "Round %d", (int)t->happened[event]) : (cv_str){NULL, 0};
    cv_str actors = cv_part_list(a, cv_name_text(&t->g, h->actors, unused), " and ");
    cv_str via = cv_arena_copy(a, cv_name_text(&t->g, h->reference, unused));
    cv_str result = cv_name_text(&t->g, h->result, unused);
    if (actors.n > 0)
        how = cv_part_join(a, how, ", ", cv_arena_printf(a, "by %.*s", CV_FMT(actors)));
    if (via.n > 0)
        how = cv_part_join(a, how, ", ", cv_arena_printf(a, "via %.*s", CV_FMT(via)));
    if (result.n > 0)
        how = cv_part_join(a, how, ", ", cv_arena_printf(a, "now %.*s", CV_FMT(result)));
    return cv_part_join(a, how, ": ", cv_squeeze(a, cv_name_text(&t->g, h->reason, unused)));
}

/* ---- one row ---------------------------------------------------------------------------------------------------- */

static bool has_parameters(const cv_transcript *t, cv_kind kind)
{
    for (size_t i = 0; i < t->told.count; i++)
        if (t->told.items[i].kind == kind && t->told.items[i].row->parameters.n > 0)
            return true;
    return false;
}

/* ID, what, status, by whom, round; how it came to its status; parameters when any have some. */
static bool make_table(cv_transcript *t, cv_kind kind, const char *by, cv_part_table *table)
{
    bool any = false, parameters = has_parameters(t, kind);
    *table = cv_part_table_begin(t->arena);
    cv_part_cells(table, "ID");
    cv_part_cell(table, cv_part_title(t->arena, cv_kinds[kind].word));
    cv_part_cells(table, "Status");
    cv_part_cells(table, by);
    cv_part_cells(table, parameters ? "Round|Outcome|Parameters" : "Round|Outcome");
    cv_part_row(table);
    for (size_t i = 0; i < t->told.count; i++) {
        const cv_written_entity *told = &t->told.items[i];
        if (told->kind != kind)
            continue;
        cv_part_cell(table, told->id);
        cv_part_cell(table, told->row->label);
        cv_part_cell(table, cv_part_title(t->arena, told->status));
        cv_part_cell(table, told->faces);
        cv_part_number(table, told->row->round);
        cv_part_cell(table, told->became ? cv_transcript_how(t, told->became - 1, true) : (cv_str){NULL, 0});
        if (parameters)
            cv_part_cell(table, told->row->parameters);
        cv_part_row(table);
        any = true;
    }
    return any;
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

void cv_transcript_add_perspectives(cv_transcript *t, cv_doc *doc)
{
    cv_part_table table;
    make_table(t, CV_KIND_PERSPECTIVE, "Agent", &table);
    cv_part_add_table(&table, &cv_part_add_section(t->arena, doc, CV_SECTION_PERSPECTIVES)->content);
}

void cv_transcript_add_tensions(cv_transcript *t, cv_doc *doc)
{
    cv_part_table table;
    make_table(t, CV_KIND_TENSION, "Raised by", &table);
    cv_part_add_table(&table, &cv_part_add_section(t->arena, doc, CV_SECTION_TENSIONS)->content);
}

/* Sections that the format does not know: their tables are text to it. */
void cv_transcript_add_others(cv_transcript *t, cv_doc *doc)
{
    static const cv_kind kinds[] = {CV_KIND_RECOMMENDATION, CV_KIND_EVIDENCE, CV_KIND_CLAIM};
    for (size_t i = 0; i < CV_COUNT(kinds); i++) {
        cv_part_table table;
        if (!make_table(t, kinds[i], "Agent", &table))
            continue;
        cv_section *section = cv_part_add_section(t->arena, doc, CV_SECTION_OTHER);
        section->label = cv_part_title(t->arena, cv_kinds[kinds[i]].plural);
        cv_part_add_table_text(&table, &section->content);
    }
}
