/* journal.c - one write; see journal.h. */
#include "dialogue/journal.h"

#include <assert.h>

#include "dialogue/dynamics.h"
#include "dialogue/faults.h"
#include "dialogue/words/errors.h"

void cv_journal_begin(cv_journal *j, cv_call *call, const cv_state *state)
{
    *j = (cv_journal){.call = call, .state = state, .now = cv_call_now(call)};
    cv_writing_from(&j->writing, call->record, call->arena, cv_dialogue_scope(state->id), &state->position, j->now);
    j->writing.locked = call->holds != NULL;
}

/* The row as it is written: that of the dialogue has its id. */
static const void *keyed(const cv_journal *j, cv_rec_kind kind, const void *row)
{
    if (kind != CV_REC_DIALOGUE)
        return row;
    cv_rec_dialogue *dialogue = cv_arena_dup(j->call->arena, row, sizeof *dialogue);
    dialogue->id = j->state->id;
    return dialogue;
}

void *cv_journal_put(cv_journal *j, cv_rec_kind kind, const void *row)
{
    assert(kind < CV_REC_COUNT && kind != CV_REC_EVENT && "events are made, not put");
    return cv_writing_put(&j->writing, cv_kind_types[kind], keyed(j, kind, row));
}

void *cv_journal_add(cv_journal *j, cv_rec_kind kind, const void *row)
{
    return cv_writing_add(&j->writing, cv_kind_types[kind], keyed(j, kind, row));
}

cv_rec_event *cv_journal_event(cv_journal *j, char subject_type, cv_str subject_id, cv_str event_type, int64_t round,
                               cv_str actors)
{
    assert(subject_id.n > 0 && event_type.n > 0);
    cv_str letter = cv_arena_copy(j->call->arena, (cv_str){&subject_type, 1});
    cv_rec_event *event = cv_writing_event(&j->writing, letter, subject_id, event_type);
    event->step = round;
    event->actors = actors;
    return event;
}

void cv_journal_covers(cv_journal *j, cv_rec_event *event, cv_rec_kind kind, const void *row)
{
    assert(kind < CV_REC_COUNT && kind != CV_REC_EVENT);
    cv_writing_covers(&j->writing, event, cv_kind_types[kind], keyed(j, kind, row));
}

void cv_journal_replaces(cv_journal *j, cv_rec_event *event, cv_rec_kind kind, const void *rows, size_t count)
{
    assert(kind < CV_REC_COUNT);
    cv_writing_replaces(&j->writing, event, cv_kind_types[kind], rows, count);
}

bool cv_journal_creation(cv_call *call, cv_str dialogue_id, char subject_type, cv_str subject_id, cv_rec_event *ret,
                         cv_err *err)
{
    cv_state history;
    cv_wanted wanted = {.kinds = CV_REC_BIT(EVENT), .about = &subject_id, .about_count = 1};
    *ret = (cv_rec_event){0};
    if (!cv_state_load(call, dialogue_id, &wanted, &history, err))
        return false;
    for (size_t i = 0; i < history.events.count && !ret->rev; i++) {
        const cv_rec_event *event = &history.events.items[i];
        if (cv_str_eq(event->subject_type, (cv_str){&subject_type, 1}) &&
            cv_str_eq(event->event_type, cv_event_words.items[CV_EVENT_CREATED]))
            *ret = *event;
    }
    return true;
}

bool cv_journal_open(cv_call *call, const cv_state *state, bool final_is_fine)
{
    cv_spot at = {.call = call, .item_type = CV_STR("dialogue"), .field = CV_STR("dialogue_id")};
    bool abandoned = cv_state_is_abandoned(state);
    if (!abandoned && (final_is_fine || !cv_state_is_closed(state)))
        return true;
    for (size_t i = 0; i < call->errs->count; i++) /* several checks ask, and one fault is enough */
        if (call->errs->items[i].code == CV_ERR_DIALOGUE_CLOSED)
            return false;
    cv_err_suggest(cv_fault(&at, CV_ERR_DIALOGUE_CLOSED, CV_STR("closed"), state->id, "dialogue '%.*s' %s",
                            CV_FMT(state->id), abandoned ? "was abandoned" : "has its final verdict"),
                   CV_STR("Create a new dialogue to continue"));
    return false;
}
