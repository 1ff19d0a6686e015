/* register.c - a whole round into the record: all of it, or nothing and every reason.
 *
 * The walk is one function, work(): parse, resolve, check, enter, answer, commit. It runs again from the beginning when
 * somebody else has written to the dialogue in the meantime.
 */
#include "dialogue/dynamics.h"
#include "dialogue/faults.h"
#include "dialogue/intake/response_files.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/register/batch.h"
#include "dialogue/register/from_draft.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"
#include "record/hash.h"

/* Moves and references of earlier rounds say who stands by a signal. */
static bool load(cv_call *call, const cv_batch *b, cv_state *state)
{
    cv_err err = {.arena = call->arena};
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                                 CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN) |
                                 CV_REC_BIT(REFERENCE) | CV_REC_BIT(MOVE) | CV_REC_BIT(VERDICT),
                        .outline = CV_REC_BIT(MOVE)};
    return cv_state_load(call, b->dialogue_id, &wanted, state, &err) || cv_call_fail(call, &err);
}

/* ---- may this round be registered? ----------------------------------------------------------- */

/* Do the record's round, scores and entities say what the request says? `update` may have corrected them since; a
 * status that has moved on is not a correction. The request is known to be the one that made them. */
static bool still_stands(const cv_batch *b, const cv_state *state, const cv_state *scores)
{
    const cv_rec_round *round = cv_state_round(state, b->round);
    size_t left = b->scores.count;
    if (!round || round->score != b->score || !cv_str_eq(round->score_components, b->components.json) ||
        !cv_str_eq(round->title, b->title) || !cv_str_eq(round->summary, b->summary))
        return false;
    for (size_t i = 0; i < scores->scores.count; i++) {
        const cv_rec_score *row = &scores->scores.items[i];
        size_t k = 0;
        if (row->round != b->round)
            continue;
        while (k < b->scores.count && !cv_str_eq(b->scores.items[k].expert, row->expert_slug))
            k++;
        if (k == b->scores.count || b->scores.items[k].score != row->score ||
            !cv_str_eq(b->scores.items[k].components.json, row->score_components))
            return false;
        left--;
    }
    for (size_t i = 0; b->use_draft && i < state->entities.count; i++) /* the request does not hold their texts */
        if (state->entities.items[i].round == b->round && state->entities.items[i].correction.n)
            return false;
    for (size_t i = 0; !b->use_draft && i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        cv_id id = {CV_ID_DISPLAY, .kind = draft->kind, .round = (int)b->round, .number = (int)draft->index + 1};
        const cv_rec_entity *row = cv_state_entity(state, cv_id_print(b->call->arena, &id));
        if (!row || !cv_str_eq(row->label, draft->label) || !cv_str_eq(row->content, draft->content))
            return false;
    }
    return left == 0;
}

/* Was it registered by this request? Whether it also stands as it was registered is asked only then. */
static bool find_same(cv_call *call, const cv_batch *b, const cv_state *state, cv_outcome *outcome, cv_err *err)
{
    cv_rec_event created;
    cv_state scores;
    cv_wanted wanted = {.kinds = CV_REC_BIT(SCORE)};
    cv_str round = cv_arena_printf(call->arena, "%lld", (long long)b->round);
    if (!cv_journal_creation(call, state->id, 'O', round, &created, err) ||
        !cv_request_made(call, cv_dialogue_scope(state->id), created.rev, outcome, err))
        return false;
    if (!outcome->replayed)
        return true;
    if (!cv_state_load(call, state->id, &wanted, &scores, err))
        return false;
    outcome->replayed = still_stands(b, state, &scores);
    return true;
}

static bool already_registered(cv_call *call, const cv_batch *b, const cv_state *state, const cv_spot *at,
                               cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    if (!find_same(call, b, state, outcome, &err))
        return cv_call_fail(call, &err);
    if (outcome->replayed)
        return true;
    bool corrected = outcome->result.p;
    *outcome = (cv_outcome){0};
    cv_err *fault = cv_fault(at, CV_ERR_ROUND_REGISTERED, CV_STR("order"),
                             cv_arena_printf(call->arena, "%lld", (long long)b->round),
                             corrected ? "round %lld was registered like this, and has been corrected since"
                                       : "round %lld was registered with other content",
                             (long long)b->round);
    cv_err_operation(fault, CV_STR("dialogue update"));
    cv_err_suggest(fault, CV_STR("corrects what is registered; register what is new as the next round"));
    return false;
}

/* True and outcome->replayed: there is nothing more to do. */
static bool may_register(cv_call *call, const cv_batch *b, const cv_state *state, cv_outcome *outcome)
{
    int64_t next = cv_state_next_round(state);
    cv_spot at = {.call = call, .item_type = CV_STR("round"), .field = CV_STR("round")};
    cv_str value = cv_arena_printf(call->arena, "%lld", (long long)b->round);
    if (b->round >= 0 && b->round < next)
        return already_registered(call, b, state, &at, outcome);
    if (!cv_journal_open(call, state, false))
        return false;
    if (b->round > CV_MAX_ROUND || next > CV_MAX_ROUND) {
        cv_err_suggest(cv_fault(&at, CV_ERR_TOO_LARGE, CV_STR("limit"), value,
                                "round %lld: ids have two digits, the last round is %d", (long long)b->round,
                                CV_MAX_ROUND),
                       CV_STR("Close this dialogue with a verdict and create another one"));
        return false;
    }
    if (b->round != next) {
        cv_err_suggest(cv_fault(&at, CV_ERR_ROUND_ORDER, CV_STR("order"), value,
                                "round %lld cannot be registered: the next one is %lld", (long long)b->round,
                                (long long)next),
                       cv_arena_printf(call->arena, "Register round %lld first", (long long)next));
        return false;
    }
    return true;
}

/* ---- what is left lying ---------------------------------------------------------------------- */

/* "muffin, cupcake"; nobody: empty. */
static cv_str silent_of(cv_arena *a, const cv_attendance *attendance)
{
    cv_map present = {0}; /* who is listed twice has one of the two in the request */
    cv_buf names = {0};
    for (size_t i = 0; i < attendance->count; i++)
        if (attendance->items[i].response)
            cv_map_put(&present, a, attendance->items[i].expert, NULL);
    for (size_t i = 0; i < attendance->count; i++) {
        cv_str expert = attendance->items[i].expert;
        if (!cv_map_get(&present, expert))
            cv_buf_printf(&names, "%s%.*s", names.n ? ", " : "", CV_FMT(expert));
    }
    return cv_buf_take(&names, a);
}

static void warn_if_empty(cv_batch *b, const cv_attendance *attendance)
{
    cv_arena *a = b->call->arena;
    cv_str silent = silent_of(a, attendance);
    if (b->drafts.count + b->links.count + b->moves.count + b->updates.count)
        return;
    cv_notice_round(cv_notice_add(&b->warnings, a, CV_STR("empty_round"), "nothing is registered in round %lld%s%.*s",
                                  (long long)b->round, silent.n ? "; there is no response of " : "", CV_FMT(silent)),
                    b->round);
}

/* A verdict in the summary is only text: it has to be registered. */
static void warn_of_verdicts(cv_batch *b, const cv_state *state)
{
    cv_extract h;
    if (!b->summary.n)
        return;
    cv_extract_files(b->call->arena, state, b->round, &(cv_response_text){cv_judge_slug, b->summary}, 1, NULL, &h);
    for (size_t i = 0; i < h.proposals.count; i++)
        cv_notice_add(
            &b->warnings, b->call->arena, CV_STR("verdict_in_summary"),
            "the summary has a verdict of type '%.*s', which is not registered by it: draft of this round prints "
            "the request to verdict-register",
            CV_FMT(cv_verdict_words.items[h.proposals.items[i].type]))
            ->id = h.proposals.items[i].verdict_id;
}

/* The responses of the request count as sent. */
static void warn_of_responses(cv_batch *b, const cv_state *state)
{
    cv_arena *a = b->call->arena;
    cv_attendance attendance;
    cv_attendance_of(a, state, b->round, &attendance);
    for (size_t i = 0; i < b->responses.count; i++) {
        cv_rec_response *row = CV_NEW(a, cv_rec_response);
        row->sha256 = cv_hash_text(a, b->responses.items[i].content);
        *CV_PUSH(a, &attendance) = (cv_attendee){.expert = b->responses.items[i].expert, .response = row};
    }
    cv_response_files_warn(b->call, state, b->round, &attendance, true, &b->warnings);
    warn_if_empty(b, &attendance);
}

/* A round has a score: its own, or the sum of its experts'. */
static bool has_score(cv_call *call, const cv_batch *b)
{
    cv_spot at = {.call = call, .item_type = CV_STR("round"), .field = CV_STR("score")};
    if (b->scores.count || cv_json_get(call->input, CV_STR("score")))
        return true;
    cv_err_suggest(cv_fault(&at, CV_ERR_MISSING_FIELD, CV_STR("required"), (cv_str){0},
                            "the round has no score: 'expert_scores' has none, and 'score' is not given"),
                   CV_STR("give 'expert_scores' a number for each expert; their sum is the score"));
    return false;
}

static bool take_draft(cv_call *call, const cv_state *state, cv_batch *b)
{
    const cv_json *request, *remove = cv_json_get(call->input, CV_STR("remove"));
    if (!b->use_draft && remove && remove->count) {
        cv_spot at = {.call = call, .item_type = CV_STR("round"), .field = CV_STR("remove")};
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("form"), (cv_str){NULL, 0},
                                "'remove' leaves out items of the draft, and the request does not use the draft"),
                       CV_STR("Give 'use_draft': true, or leave 'remove' out"));
        return false;
    }
    if (!b->use_draft)
        return true;
    if (!cv_request_with_draft(call, state, b->round, &request))
        return false;
    cv_batch_parse(call, request, b);
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool work(cv_call *call, cv_outcome *outcome)
{
    cv_batch batch;
    cv_state state;
    cv_journal journal;
    cv_batch_parse(call, call->input, &batch);
    if (!load(call, &batch, &state) || !may_register(call, &batch, &state, outcome))
        return false;
    if (outcome->replayed)
        return true;
    bool scored = has_score(call, &batch);
    if (!take_draft(call, &state, &batch))
        return false;
    cv_batch_resolve(&batch, &state);
    if (!cv_batch_check(&batch) || !scored)
        return false;
    cv_journal_begin(&journal, call, &state);
    cv_batch_enter(&batch, &journal);
    warn_of_responses(&batch, &state);
    warn_of_verdicts(&batch, &state);
    return cv_journal_commit(&journal, cv_batch_answer(&batch), outcome);
}

bool cv_dialogue_round_register(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue round-register"), work);
}
