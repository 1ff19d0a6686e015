/* compare.c - what files state against what the record derives, and what it has of each file; see import_script.h.
 *
 * Nothing is mended: the record keeps what was said and done, and a board that was added up wrongly, or left behind,
 * stays what it is. Every statement is compared with the record, and every difference is reported with both figures and
 * the reason when it is known: where there is none, the files and the record agree.
 *
 * What the report counts is counted here, from the rows of the record when all is written: it cannot report anything
 * that is not there.
 */
#include "base/utf8.h"
#include "dialogue/dynamics.h"
#include "dialogue/import/import_script.h"
#include "dialogue/pace.h"
#include "dialogue/people.h"

typedef struct {
    cv_script *s;
    cv_imported *imported;
    cv_state state;
    cv_pace pace;
    size_t own_tensions;     /* that experts raised, besides the tracker's */
    cv_import_tally nowhere; /* what comes from no file */
    cv_map told;             /* what was told already: the same figure of the same place */
} comparing;

/* ---- what the record derives ------------------------------------------------------------------------------------- */

static int64_t signals_in(const cv_state *s, int64_t round)
{
    cv_map signalled = {0};
    cv_arena a = {0};
    for (size_t i = 0; i < s->moves.count; i++)
        if (s->moves.items[i].round == round && cv_move_signals(&s->moves.items[i]))
            cv_map_put(&signalled, &a, s->moves.items[i].expert_slug, NULL);
    int64_t count = (int64_t)signalled.count;
    cv_arena_release(&a);
    return count;
}

static int64_t converge_percent(const cv_state *s, int64_t round)
{
    const cv_rec_seat *seats;
    size_t panel = cv_state_panel(s, round, &seats);
    return panel ? signals_in(s, round) * 100 / (int64_t)panel : 0;
}

/* Up to a round; -1: all of them. */
static int64_t count_kind(const cv_state *s, cv_kind kind, int round)
{
    int64_t count = 0;
    for (size_t i = 0; i < s->entities.count; i++)
        count += s->entities.items[i].kind.p[0] == cv_kinds[kind].letter &&
                 (round < 0 || s->entities.items[i].round <= round);
    return count;
}

/* Those who sat in the round, or all who took part: a file may mean either. */
static int64_t count_experts(const comparing *c, const cv_statement *st)
{
    const cv_rec_seat *seats;
    int64_t all = (int64_t)c->state.experts.count;
    return st->round >= 0 && st->number != all ? (int64_t)cv_state_panel(&c->state, st->round, &seats) : all;
}

static int64_t count_open(const cv_state *s)
{
    int64_t count = 0;
    for (size_t i = 0; i < s->entities.count; i++)
        count += s->entities.items[i].kind.p[0] == cv_kinds[CV_KIND_TENSION].letter &&
                 cv_tension_is_open(&s->entities.items[i]);
    return count;
}

/* Up to a round; -1: all of them. */
static int64_t score_so_far(const cv_state *s, int round)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->rounds.count; i++)
        if ((round < 0 || s->rounds.items[i].round <= round) && s->rounds.items[i].score != CV_ABSENT)
            sum += s->rounds.items[i].score;
    return sum;
}

static const cv_rec_expert *expert_called(const comparing *c, cv_str name)
{
    size_t participant = cv_script_known(c->s, name);
    if (c->s->participants.count == 0)
        return cv_state_expert(&c->state, name);
    return participant < c->s->participants.count
               ? cv_state_expert(&c->state, c->s->participants.items[participant].slug)
               : NULL;
}

static const cv_rec_score *score_of(const cv_state *s, const cv_rec_expert *expert, int round)
{
    for (size_t i = 0; i < s->scores.count; i++)
        if (s->scores.items[i].round == round && cv_str_eq(s->scores.items[i].expert_slug, expert->expert_slug))
            return &s->scores.items[i];
    return NULL;
}

static int64_t part_of(cv_arena *a, cv_str components, int part)
{
    cv_json object;
    cv_err ignored = {.arena = a};
    return components.n && cv_json_parse(a, components, &object, &ignored)
               ? cv_json_get_int(&object, cv_score_letters[part], CV_ABSENT)
               : CV_ABSENT;
}

static int64_t expert_number(const comparing *c, const cv_statement *st, const cv_rec_expert *expert)
{
    const cv_rec_score *score = st->round >= 0 ? score_of(&c->state, expert, st->round) : NULL;
    if (st->what == CV_SAYS_PART)
        return score ? part_of(c->s->arena, score->score_components, st->part) : CV_ABSENT;
    if (st->round < 0)
        return expert->total_score == CV_ABSENT ? 0 : expert->total_score;
    return score ? score->score : CV_ABSENT;
}

/* What the record has in the place of a statement about a round or the whole; CV_ABSENT: nothing. */
static int64_t common_number(const comparing *c, const cv_statement *st)
{
    const cv_state *s = &c->state;
    const cv_rec_round *round = st->round >= 0 ? cv_state_round(s, st->round) : NULL;
    const cv_pace_round *pace = round ? cv_pace_at(&c->pace, st->round) : NULL;
    if (st->round >= 0 && !round)
        return CV_ABSENT;
    switch (st->what) {
    case CV_SAYS_SCORE:
        return round ? round->score : score_so_far(s, -1);
    case CV_SAYS_SUM:
        return score_so_far(s, st->round);
    case CV_SAYS_OPEN:
        return pace ? pace->open_tensions : count_open(s);
    case CV_SAYS_FRESH:
        return pace ? pace->new_perspectives : CV_ABSENT;
    case CV_SAYS_VELOCITY:
        return pace ? cv_pace_velocity(pace) : CV_ABSENT;
    case CV_SAYS_CONVERGE:
        return converge_percent(s, st->round);
    case CV_SAYS_ROUNDS:
        return round && st->number == st->round + 1 ? st->number : (int64_t)s->rounds.count;
    case CV_SAYS_TENSIONS:
        return count_kind(s, CV_KIND_TENSION, st->round);
    case CV_SAYS_CLOSED:
        return count_kind(s, CV_KIND_TENSION, st->round) - (pace ? pace->open_tensions : count_open(s));
    case CV_SAYS_PERSPECTIVES:
        return count_kind(s, CV_KIND_PERSPECTIVE, st->round);
    case CV_SAYS_EXPERTS:
        return count_experts(c, st);
    case CV_SAYS_PART:
    case CV_SAYS_ROLE:
    case CV_SAYS_TIER:
    case CV_SAYS_EXPERT:
    case CV_SAYS_DECISION:
    case CV_SAYS_VOTE:
    case CV_SAYS_CONFIDENCE:
    case CV_SAYS_COUNT:
        break;
    }
    return CV_ABSENT;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static cv_str what_of(const comparing *c, const cv_statement *st)
{
#define X(id, word) CV_STR_INIT(word),
    static const cv_str words[] = {CV_STATEMENTS(X)};
#undef X
    _Static_assert(CV_COUNT(words) == CV_SAYS_COUNT, "a word for each");
    cv_arena *a = c->s->arena;
    cv_str what = st->what == CV_SAYS_PART                     ? cv_arena_printf(a, "%s", cv_score_letters[st->part])
                  : st->what == CV_SAYS_SCORE && st->round < 0 ? CV_STR("total score")
                                                               : words[st->what];
    if (st->agent.n)
        what = cv_arena_printf(a, "%.*s of %.*s", CV_FMT(what), CV_FMT(cv_excerpt(a, st->agent)));
    return st->round >= 0 ? cv_arena_printf(a, "round %d: %.*s", st->round, CV_FMT(what)) : what;
}

static cv_str why_of(const comparing *c, const cv_statement *st)
{
    bool sums = c->s->sums.count > 0;
    switch (st->what) {
    case CV_SAYS_OPEN:
    case CV_SAYS_TENSIONS:
    case CV_SAYS_CLOSED:
        if (c->imported->threads.threads.count && c->own_tensions)
            return cv_arena_printf(c->s->arena,
                                   "the files count the tracker's tensions; the experts raised %zu of their own",
                                   c->own_tensions);
        return (cv_str){NULL, 0};
    case CV_SAYS_FRESH:
    case CV_SAYS_PERSPECTIVES:
        return CV_STR("the record counts every marked perspective, refinements included");
    case CV_SAYS_VELOCITY:
        return CV_STR("open tensions plus new perspectives");
    case CV_SAYS_CONVERGE:
        return CV_STR("experts of the panel with MOVE:CONVERGE");
    case CV_SAYS_SCORE:
        return sums && st->agent.n && st->round < 0 && c->s->act_count > 1
                   ? CV_STR("the board gives sums over all rounds; it does not say to which rounds they belong")
                   : (cv_str){NULL, 0};
    default:
        return (cv_str){NULL, 0};
    }
}

static void tell(comparing *c, const cv_statement *st, cv_str says, cv_str derives, cv_str why)
{
    cv_arena *a = c->s->arena;
    bool is_new;
    cv_str what = what_of(c, st);
    cv_map_put(&c->told, a, cv_arena_printf(a, "%zu:%zu %.*s %.*s", st->sheet, st->line, CV_FMT(what), CV_FMT(says)),
               &is_new);
    if (!is_new)
        return;
    cv_difference *d = cv_script_differ(c->s, st->sheet, st->line, what);
    d->says = says;
    d->derives = derives;
    d->why = why;
}

/* What the final verdict says of itself in another place. */
static void compare_verdict(comparing *c, const cv_statement *st)
{
    cv_arena *a = c->s->arena;
    const cv_rec_verdict *final = NULL;
    for (size_t i = 0; i < c->state.verdicts.count; i++)
        if (cv_str_eq(c->state.verdicts.items[i].verdict_type, cv_verdict_words.items[CV_VERDICT_FINAL]))
            final = &c->state.verdicts.items[i];
    cv_str derived = !final                         ? (cv_str){NULL, 0}
                     : st->what == CV_SAYS_DECISION ? final->recommendation
                     : st->what == CV_SAYS_VOTE     ? final->vote
                                                    : final->confidence;
    cv_str says = cv_excerpt(a, st->text);
    if (!cv_str_eq_nocase(says, cv_excerpt(a, cv_squeeze(a, derived))))
        tell(c, st, says, derived.n ? derived : CV_STR("nothing"),
             CV_STR("the verdict of the folder counts, then that of the best heading"));
}

static void compare_statement(comparing *c, const cv_statement *st)
{
    cv_arena *a = c->s->arena;
    const cv_rec_expert *expert = st->agent.n ? expert_called(c, st->agent) : NULL;
    if (st->what == CV_SAYS_DECISION || st->what == CV_SAYS_VOTE || st->what == CV_SAYS_CONFIDENCE) {
        compare_verdict(c, st);
        return;
    }
    if (st->what == CV_SAYS_EXPERT) {
        if (c->state.experts.count && !expert_called(c, st->text)) /* where nobody takes part, their number says so */
            tell(c, st, cv_excerpt(a, st->text), CV_STR("nobody of this name"),
                 CV_STR("panel files say who takes part, then those who speak"));
        return;
    }
    if (st->what == CV_SAYS_ROLE) {
        if (expert && !cv_str_eq_nocase(expert->role, st->text))
            tell(c, st, cv_excerpt(a, st->text), expert->role,
                 CV_STR("roles come from the panel, then from boards, then from headings"));
        return;
    }
    if (st->what == CV_SAYS_TIER) {
        if (expert && !cv_str_eq_nocase(expert->tier, st->text))
            tell(
                c, st, cv_excerpt(a, st->text), expert->tier,
                CV_STR("the pool's tier counts, then the first that a panel gives; one that is not known is Adjacent"));
        return;
    }
    int64_t derived = !st->agent.n ? common_number(c, st) : expert ? expert_number(c, st, expert) : CV_ABSENT;
    if (derived == st->number ||
        (st->so_far && st->round >= 0 && st->what == CV_SAYS_SCORE && score_so_far(&c->state, st->round) == st->number))
        return;
    cv_str says = cv_arena_printf(a, "%lld", (long long)st->number);
    if (st->agent.n && !expert)
        tell(c, st, says, CV_STR("nobody of this name"), (cv_str){NULL, 0});
    else if (derived == CV_ABSENT)
        tell(c, st, says, CV_STR("nothing"),
             st->round >= 0 && !cv_state_round(&c->state, st->round) ? CV_STR("the round is not registered")
                                                                     : (cv_str){NULL, 0});
    else
        tell(c, st, says, cv_arena_printf(a, "%lld", (long long)derived), why_of(c, st));
}

/* A round's score that a board gives beside those of the experts. */
static void compare_sum_of_experts(comparing *c, size_t round)
{
    const cv_import_act *act = &c->s->acts[round];
    int64_t sum = 0;
    for (size_t i = 0; i < act->scores.count; i++)
        sum += act->scores.items[i].points.total;
    if (act->said.line == 0 || act->scores.count == 0 || act->said.points.total == sum ||
        !cv_state_round(&c->state, (int64_t)round))
        return;
    cv_difference *d = cv_script_differ(c->s, act->said_sheet, act->said.line,
                                        cv_arena_printf(c->s->arena, "round %zu: sum of the experts", round));
    d->says = cv_arena_printf(c->s->arena, "%lld", (long long)act->said.points.total);
    d->derives = cv_arena_printf(c->s->arena, "%lld", (long long)sum);
    d->why = cv_arena_printf(c->s->arena, "the scores of the experts add up to %lld, the board says %lld",
                             (long long)sum, (long long)act->said.points.total);
}

/* ---- tensions ---------------------------------------------------------------------------------------------------- */

/* The status of a tension when a round was over; `round` -1: now. */
static cv_str status_after(const comparing *c, const cv_rec_entity *row, cv_str id, int round)
{
    cv_str status = cv_statuses[cv_status_first(CV_KIND_TENSION)].word;
    if (round < 0)
        return row->status;
    for (size_t i = 0; i < c->state.events.count; i++) {
        const cv_rec_event *event = &c->state.events.items[i];
        if (event->step <= round && cv_str_eq(event->subject_id, id) &&
            cv_status_find(CV_KIND_TENSION, event->event_type) >= 0)
            status = event->event_type;
    }
    return status;
}

static void compare_thread(comparing *c, const cv_thread *thread)
{
    const cv_rec_origin *origin = cv_state_origin(&c->state, thread->local_id);
    const cv_rec_entity *row = origin ? cv_state_entity(&c->state, origin->display_id) : NULL;
    const cv_tracked *said = &thread->from->row;
    cv_str name = said->id.n ? said->id : cv_excerpt(c->s->arena, said->label);
    if (said->status < 0) {
        if (said->word.n)
            cv_script_misunderstand(c->s, thread->from->sheet, said->line, said->word,
                                    "%.*s: this is not a known status", CV_FMT(name));
        return;
    }
    cv_str derived = row ? status_after(c, row, origin->display_id, thread->from->as_of) : CV_STR("nothing");
    if (cv_str_eq(derived, cv_statuses[said->status].word))
        return;
    cv_difference *d = cv_script_differ(
        c->s, thread->from->sheet, said->line,
        row ? cv_arena_printf(c->s->arena, "%.*s (%.*s)", CV_FMT(name), CV_FMT(origin->display_id)) : name);
    d->says = cv_statuses[said->status].word;
    d->derives = derived;
    d->why = row ? CV_STR("what the experts and later rounds say about it decides")
                 : CV_STR("the tension is not registered");
}

static void compare_status(comparing *c)
{
    bool says = cv_str_starts_nocase(c->s->status, CV_STR("converge")) ||
                cv_str_starts_nocase(c->s->status, CV_STR("complete"));
    if (!says || cv_str_eq(c->state.dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_CONVERGED]))
        return;
    cv_difference *d = cv_script_differ(c->s, CV_NO_SHEET, 0, CV_STR("status"));
    d->says = cv_excerpt(c->s->arena, c->s->status);
    d->derives = c->state.dialogue.status;
    d->why = CV_STR("a dialogue is converged by its final verdict, and no section is one");
}

/* ---- what the record has ----------------------------------------------------------------------------------------- */

static cv_import_tally *tally_at(comparing *c, size_t sheet)
{
    return sheet < c->s->sheets.count ? &c->s->sheets.items[sheet].tally : &c->nowhere;
}

/* The file that has what an expert said in a round. */
static size_t sheet_of_part(const comparing *c, int64_t round, cv_str slug)
{
    const cv_import_act *act = round >= 0 && (size_t)round < c->s->act_count ? &c->s->acts[round] : NULL;
    for (size_t i = 0; act && i < act->parts.count; i++)
        if (cv_str_eq_nocase(c->s->participants.items[act->parts.items[i].participant].slug, slug))
            return act->parts.items[i].sheet;
    return CV_NO_SHEET;
}

static size_t sheet_of_score(const comparing *c, const cv_rec_score *row)
{
    const cv_import_act *act = row->round >= 0 && (size_t)row->round < c->s->act_count ? &c->s->acts[row->round] : NULL;
    for (size_t i = 0; act && i < act->scores.count; i++)
        if (cv_str_eq(c->s->participants.items[act->scores.items[i].participant].slug, row->expert_slug))
            return act->scores.items[i].sheet;
    for (size_t i = 0; i < c->s->sums.count; i++)
        if (cv_str_eq(c->s->participants.items[c->s->sums.items[i].participant].slug, row->expert_slug))
            return c->s->sums.items[i].sheet;
    return CV_NO_SHEET;
}

/* The files that items come from, by their ids: plus one. */
static void find_sheets(comparing *c, cv_map *ret_sheets)
{
    const cv_threads *threads = &c->imported->threads;
    for (size_t i = 0; i < c->state.origins.count; i++) {
        const cv_rec_origin *origin = &c->state.origins.items[i];
        size_t sheet = sheet_of_part(c, origin->round, origin->expert_slug);
        for (size_t k = 0; sheet == CV_NO_SHEET && k < threads->threads.count; k++)
            if (threads->threads.items[k].by_judge && cv_str_eq(threads->threads.items[k].local_id, origin->local_id))
                sheet = threads->threads.items[k].from->sheet;
        *cv_map_put(ret_sheets, c->s->arena, origin->display_id, NULL) = sheet + 1;
    }
}

static size_t sheet_of_id(const comparing *c, const cv_map *sheets, cv_str id, int64_t round)
{
    const uintptr_t *at = cv_map_get(sheets, id);
    if (at)
        return (size_t)*at - 1;
    return id.n > 1 && id.p[0] == '@' ? sheet_of_part(c, round, cv_str_from(id, 1)) : CV_NO_SHEET;
}

static void count_files(comparing *c)
{
    const cv_state *s = &c->state;
    cv_map sheets = {0};
    find_sheets(c, &sheets);
    for (size_t i = 0; i < c->s->sheets.count; i++)
        c->s->sheets.items[i].tally = (cv_import_tally){0};
    for (size_t i = 0; i < s->rounds.count; i++)
        if ((size_t)s->rounds.items[i].round < c->s->act_count && c->s->acts[s->rounds.items[i].round].written >= 0)
            tally_at(c, c->s->acts[s->rounds.items[i].round].sheet)->rounds++;
    for (size_t i = 0; i < c->s->participants.count; i++)
        if (cv_state_expert(s, c->s->participants.items[i].slug))
            tally_at(c, c->s->participants.items[i].sheet)->agents++;
    for (size_t i = 0; i < s->responses.count; i++)
        tally_at(c, sheet_of_part(c, s->responses.items[i].round, s->responses.items[i].expert_slug))->responses++;
    for (size_t i = 0; i < s->entities.count; i++) {
        int kind = cv_kind_of_letter(s->entities.items[i].kind.p[0]);
        tally_at(c, sheet_of_id(c, &sheets, cv_entity_id(c->s->arena, &s->entities.items[i]), 0))->entities[kind]++;
    }
    for (size_t i = 0; i < s->references.count; i++)
        tally_at(c, sheet_of_id(c, &sheets, s->references.items[i].source_id, s->references.items[i].round))
            ->references++;
    for (size_t i = 0; i < s->moves.count; i++)
        tally_at(c, sheet_of_part(c, s->moves.items[i].round, s->moves.items[i].expert_slug))->moves++;
    for (size_t i = 0; i < s->scores.count; i++)
        tally_at(c, sheet_of_score(c, &s->scores.items[i]))->scores++;
    for (size_t i = 0; i < s->verdicts.count; i++) {
        const cv_rec_verdict *v = &s->verdicts.items[i];
        const uintptr_t *at = cv_map_get(&c->s->verdict_at, v->verdict_id);
        tally_at(c, at ? (size_t)*at - 1 : sheet_of_part(c, v->round, v->author_expert))->verdicts++;
    }
    for (size_t i = 0; i < c->imported->threads.threads.count; i++) {
        const cv_thread *thread = &c->imported->threads.threads.items[i];
        bool there = cv_state_origin(s, thread->local_id) != NULL;
        tally_at(c, thread->from->sheet)->tracked += there;
        tally_at(c, thread->from->sheet)->updates += there && thread->given;
    }
}

static cv_import_tally tally_of(const cv_state *s)
{
    cv_import_tally t = {.rounds = s->rounds.count,
                         .agents = s->experts.count,
                         .responses = s->responses.count,
                         .references = s->references.count,
                         .moves = s->moves.count,
                         .scores = s->scores.count,
                         .verdicts = s->verdicts.count};
    for (size_t i = 0; i < s->entities.count; i++)
        t.entities[cv_kind_of_letter(s->entities.items[i].kind.p[0])]++;
    return t;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void tell_tempo(comparing *c)
{
    cv_pace_begin(&c->pace, c->s->arena);
    for (size_t i = 0; i < c->state.events.count; i++) {
        const cv_rec_event *event = &c->state.events.items[i];
        uint32_t place = cv_place_of(event->subject_id);
        if (place != CV_NO_PLACE && cv_kind_of_letter(event->subject_type.p[0]) >= 0)
            cv_pace_tell(&c->pace, place, event->event_type, event->step);
    }
    cv_pace_end(&c->pace);
}

static void count_own_tensions(comparing *c)
{
    cv_map tracked = {0};
    for (size_t i = 0; i < c->imported->threads.threads.count; i++)
        cv_map_put(&tracked, c->s->arena, c->imported->threads.threads.items[i].local_id, NULL);
    int64_t own = count_kind(&c->state, CV_KIND_TENSION, -1) - (int64_t)tracked.count;
    c->own_tensions = own > 0 ? (size_t)own : 0;
}

bool cv_script_count(const cv_call *call, cv_record *record, cv_script *s, cv_imported *imported, cv_state *ret_state)
{
    const cv_wanted wanted = {.no_content = true};
    cv_call own = *call;
    cv_err err = {.arena = s->arena};
    own.arena = s->arena;
    own.record = record;
    if (!cv_state_load(&own, imported->dialogue_id, &wanted, ret_state, &err)) {
        *CV_PUSH(s->arena, &imported->failures) = (cv_remark){CV_NO_SHEET, 0, CV_STR("compare"), cv_err_text(&err)};
        return false;
    }
    imported->rev = ret_state->position.rev;
    imported->tally = tally_of(ret_state);
    imported->counted = true;
    return true;
}

/* Those of a file that tells everything: its people are those of the record. */
bool cv_script_statements(const cv_call *call, cv_record *record, cv_script *s, cv_imported *imported,
                          cv_state *ret_state)
{
    comparing *c = CV_NEW(s->arena, comparing);
    c->s = s;
    c->imported = imported;
    if (!cv_script_count(call, record, s, imported, &c->state))
        return false;
    tell_tempo(c);
    for (size_t i = 0; i < s->statements.count; i++)
        compare_statement(c, &s->statements.items[i]);
    compare_status(c);
    *ret_state = c->state;
    return true;
}

bool cv_script_compare(const cv_call *call, cv_record *record, cv_script *s, cv_imported *imported)
{
    comparing *c = CV_NEW(s->arena, comparing);
    c->s = s;
    c->imported = imported;
    if (!cv_script_count(call, record, s, imported, &c->state))
        return false;
    count_files(c);
    for (size_t i = 0; i < s->sheets.count; i++) {
        imported->tally.tracked += s->sheets.items[i].tally.tracked;
        imported->tally.updates += s->sheets.items[i].tally.updates;
    }
    count_own_tensions(c);
    tell_tempo(c);
    for (size_t i = 0; i < s->statements.count; i++)
        compare_statement(c, &s->statements.items[i]);
    for (size_t round = 0; round < s->act_count; round++)
        compare_sum_of_experts(c, round);
    for (size_t i = 0; i < imported->threads.threads.count; i++)
        compare_thread(c, &imported->threads.threads.items[i]);
    compare_status(c);
    return true;
}
