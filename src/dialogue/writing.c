/* writing.c - what all writing operations do alike; see writing.h. */
#include "dialogue/writing.h"

#include "dialogue/dynamics.h"
#include "dialogue/fault.h"
#include "vocab/errors.h"

enum { FREE_TRIES = 3 }; /* then the turn is taken */

bool cv_write_open(cv_call *call, const cv_state *state, bool final_is_fine)
{
    cv_spot at = {call, state, CV_STR("dialogue"), {NULL, 0}, CV_STR("dialogue_id")};
    bool abandoned = cv_str_eq(state->dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_ABANDONED]);
    if (!abandoned && (final_is_fine || !cv_state_is_closed(state)))
        return true;
    cv_err_suggest(cv_fault(&at, CV_ERR_DIALOGUE_CLOSED, CV_STR("closed"), state->id, "dialogue '%.*s' %s",
                            CV_FMT(state->id), abandoned ? "was abandoned" : "has its final verdict"),
                   CV_STR("Create a new dialogue to go on"));
    return false;
}

bool cv_write_commit(cv_journal *journal, cv_str result, cv_outcome *outcome)
{
    cv_call *call = journal->call;
    cv_err err = {.arena = call->arena};
    if (!cv_json_get_true(call->input, "dry_run"))
        return cv_journal_commit(journal, result, outcome, &err) || cv_call_fail(call, &err);
    if (!cv_journal_expected(journal, &err))
        return cv_call_fail(call, &err);
    cv_str open = cv_str_head(result, result.n - 1);
    outcome->result = cv_arena_join(call->arena, open, CV_STR(",\"dry_run\":true}"));
    outcome->rev = journal->state->position.rev;
    return true;
}

/* Was the request refused only because it had been done by then? What stood in its way is then forgotten. */
static bool done_by_a_rival(cv_call *call, cv_str id, size_t faults_before, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena}; /* the refusal stands when this cannot be answered */
    if (!cv_err_is_refusal(call->errs->items[faults_before].code) || !cv_journal_replayed(call, id, outcome, &err) ||
        !outcome->replayed)
        return false;
    call->errs->count = faults_before;
    return true;
}

/* One try: answered as before, done, refused, or overtaken (outcome->conflict). */
static bool try_once(cv_call *call, cv_str id, cv_work work, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    size_t faults = call->errs->count;
    if (!cv_journal_replayed(call, id, outcome, &err))
        return cv_call_fail(call, &err);
    return outcome->replayed || work(call, outcome) || done_by_a_rival(call, id, faults, outcome);
}

/* The last try, while nobody else can write: it is overtaken only by what cannot be. */
static bool try_alone(cv_call *call, cv_str id, cv_work work, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    cv_scope_position at;
    if (!call->record->calls->begin(call->record, call->arena, cv_dialogue_scope(id), CV_WRITE, &at, &err))
        return cv_call_fail(call, &err);
    call->holds = &at;
    bool ok = try_once(call, id, work, outcome);
    call->holds = NULL;
    call->record->calls->end(call->record);
    if (!ok || !outcome->conflict)
        return ok;
    cv_stored_corrupt(&err, "a write of the dialogue '%.*s' that lies ahead of its rev", CV_FMT(id));
    return cv_call_fail(call, &err);
}

bool cv_write_run(cv_call *call, cv_str operation, cv_work work)
{
    cv_str id = cv_json_get_text(call->input, "dialogue_id");
    cv_outcome outcome = {0};
    cv_journal_request(call, operation);
    const cv_arena mark = *call->arena;
    const cv_errs before = *call->errs;
    for (int tries = 0; tries < FREE_TRIES; tries++) {
        if (!try_once(call, id, work, &outcome))
            return false;
        if (!outcome.conflict)
            break;
        *call->errs = before; /* nothing of a try that was overtaken is kept */
        cv_arena_rewind(call->arena, mark);
    }
    if (outcome.conflict && !try_alone(call, id, work, &outcome))
        return false;
    cv_journal_answer(call, &outcome);
    return true;
}
