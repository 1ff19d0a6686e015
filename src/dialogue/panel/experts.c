/* experts.c - a new expert in the middle of a dialogue.
 *
 * The judge creates an expert before a round, because a tension needs knowledge that neither panel nor pool have. The
 * expert takes part from then on, and sits once evolve-panel gives it a seat.
 */
#include "base/utf8.h"
#include "dialogue/answer.h"
#include "dialogue/journal.h"
#include "dialogue/notices.h"
#include "dialogue/operations.h"
#include "dialogue/panel/pool.h"
#include "dialogue/people.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* A name that was asked for must be free: neither an expert's nor reserved for a member of the pool. */
static cv_str named_or_dealt(cv_call *call, const cv_state *s, const cv_pool *pool, cv_str slug)
{
    const cv_rec_expert *expert = cv_state_expert(s, slug);
    const cv_person *member = cv_pool_by_slug(pool, slug);
    cv_map taken;
    cv_pool_taken(call->arena, s, pool, &taken);
    cv_str unused = cv_panel_deal(call->arena, &taken);
    if (!slug.p)
        return unused;
    if (!expert && !member)
        return slug;
    cv_str role = expert ? expert->role : member->role;
    cv_err *err = cv_refuse(call, CV_ERR_EXPERT_EXISTS, CV_STR(""), "expert_slug", slug, "'%.*s' is the %.*s%s",
                            CV_FMT(slug), CV_FMT(role), expert ? "" : " of the pool");
    cv_err_operation(err, expert ? (cv_str){NULL, 0} : CV_STR("dialogue evolve-panel"));
    cv_err_suggest(err, expert ? cv_arena_printf(call->arena, "the next free name is '%.*s'", CV_FMT(unused))
                               : CV_STR("seats the one of the pool; or choose another name"));
    return slug;
}

static int64_t read_first_round(cv_call *call, const cv_state *s)
{
    const cv_json *given = cv_json_get(call->input, CV_STR("first_round"));
    int64_t next = cv_state_next_round(s), round = next < CV_MAX_ROUND ? next : CV_MAX_ROUND;
    if (given && cv_json_to_int(given, &round) && round < next)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "first_round", given->text,
                                 "round %lld is registered: nobody can join it", (long long)round),
                       cv_arena_printf(call->arena, "the next round is %lld", (long long)next));
    return round;
}

static void check_room(cv_call *call, const cv_state *s)
{
    if (s->experts.count >= CV_MAX_EXPERTS)
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), "expert_slug", (cv_str){NULL, 0},
                  "a dialogue has at most %d experts", CV_MAX_EXPERTS);
}

/* Who speaks for the same thing twice counts twice. */
static void warn_of_role(cv_call *call, const cv_state *s, const cv_rec_expert *expert, cv_notices *warnings)
{
    cv_str role = cv_squeeze(call->arena, expert->role);
    for (size_t i = 0; i < s->experts.count; i++) {
        const cv_rec_expert *other = &s->experts.items[i];
        if (cv_str_eq_nocase(cv_squeeze(call->arena, other->role), role))
            cv_notice_expert(cv_notice_add(warnings, call->arena, CV_STR("similar_role"),
                                           "%.*s has the same role: %.*s", CV_FMT(other->expert_slug),
                                           CV_FMT(cv_excerpt(call->arena, role))),
                             other->expert_slug);
    }
}

static void warn_of_seat(cv_call *call, const cv_state *s, const cv_rec_expert *expert, cv_notices *warnings)
{
    const cv_argument seat[] = {
        {"round", cv_arena_printf(call->arena, "%lld", (long long)cv_state_next_round(s)), CV_ARGUMENT_JSON},
        {"add", expert->expert_slug, CV_ARGUMENT_COMMAND}};
    cv_str evolve = cv_call_name(call, CV_STR("dialogue evolve-panel"), s->id, seat, CV_COUNT(seat));
    cv_notice_expert(cv_notice_add(warnings, call->arena, CV_STR("no_seat"),
                                   "%.*s takes part, but is on no panel and gets no prompt; give a seat: %.*s",
                                   CV_FMT(expert->expert_slug), CV_FMT(evolve)),
                     expert->expert_slug);
}

typedef struct {
    cv_str dialogue_id;
    const cv_rec_expert *expert;
    bool seated;
    cv_notices warnings;
} joined;

#define CV_THIS_TYPE cv_rec_expert
static const cv_shape new_expert[] = {
    CV_ROW_SAYS(ALWAYS, INT, "total_score", NULL, ""),
    CV_SPREAD_SAME(cv_expert_shape),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE joined
const cv_shape cv_expert_create_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, dialogue_id, ""),
    CV_OBJECT_AT(ALWAYS, "expert", expert, new_expert, ""),
    CV_FIELD(ALWAYS, seated, "false: evolve-panel gives seats"),
    CV_WARNINGS(warnings, ""),
    CV_WRITTEN("dialogue"),
    {0},
};
#undef CV_THIS_TYPE

static cv_str print_result(cv_call *call, const cv_state *s, const cv_rec_expert *expert)
{
    joined told = {.dialogue_id = s->id, .expert = expert};
    warn_of_seat(call, s, expert, &told.warnings);
    warn_of_role(call, s, expert, &told.warnings);
    return cv_shape_text(call->arena, cv_expert_create_shape, &told);
}

/* An expert who was asked for by name, and stands as this request made it. A seat in another round than the one that it
 * was made for changes it (evolve.c). */
static bool find_same(cv_call *call, const cv_state *s, cv_outcome *outcome, cv_err *err)
{
    const cv_rec_expert *expert = cv_state_expert(s, cv_json_get_text(call->input, "expert_slug"));
    cv_rec_event created;
    *outcome = (cv_outcome){0};
    return !expert || (cv_journal_creation(call, s->id, 'X', expert->expert_slug, &created, err) &&
                       (created.step != expert->first_round ||
                        cv_request_made(call, cv_dialogue_scope(s->id), created.rev, outcome, err)));
}

static bool enter(cv_call *call, const cv_state *s, const cv_person *person, int64_t round, cv_outcome *outcome)
{
    cv_journal j;
    cv_journal_begin(&j, call, s);
    cv_rec_expert row =
        cv_person_row(person, person->slug, CV_SOURCE_CREATED, (int64_t)s->experts.count + 1, round, j.now);
    cv_journal_put(&j, CV_REC_EXPERT, &row);
    cv_rec_event *event =
        cv_journal_event(&j, 'X', row.expert_slug, cv_event_words.items[CV_EVENT_CREATED], round, cv_judge_alone.json);
    event->reason = person->reason;
    cv_journal_covers(&j, event, CV_REC_EXPERT, &row);
    return cv_journal_commit(&j, print_result(call, s, &row), outcome);
}

static bool create_expert(cv_call *call, cv_outcome *outcome)
{
    cv_str id = cv_json_get_text(call->input, "dialogue_id");
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(ROUND), .no_content = true};
    cv_err err = {.arena = call->arena};
    cv_state s;
    cv_pool pool;
    cv_person person;
    if (!cv_state_load(call, id, &wanted, &s, &err) || !find_same(call, &s, outcome, &err))
        return cv_call_fail(call, &err);
    if (outcome->replayed)
        return true;
    if (!cv_journal_open(call, &s, false) || !cv_pool_load(call, s.dialogue.expert_pool, &pool))
        return false;
    cv_person_read(call, call->input, CV_STR(""), &person);
    person.slug = named_or_dealt(call, &s, &pool, person.slug);
    check_room(call, &s);
    int64_t round = read_first_round(call, &s);
    return call->errs->count == 0 && enter(call, &s, &person, round, outcome);
}

bool cv_dialogue_expert_create(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue expert-create"), create_expert);
}
