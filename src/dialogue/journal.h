/* journal.h - one write: the rows it makes and the events that tell about them, committed together.
 *
 *     cv_journal j;
 *     cv_journal_begin(&j, call, &state);
 *     cv_journal_put(&j, CV_REC_ENTITY, &entity);
 *     cv_rec_event *e = cv_journal_event(&j, 'P', id, CV_EVENT_CREATED, round, actors);
 *     cv_journal_covers(&j, e, CV_REC_ENTITY, &entity);
 *     cv_journal_commit(&j, result, &outcome, err);
 *
 * It is a write of the record (kit/writing.h) with what requests about dialogues have in common: op_id, expect_rev,
 * replays. A row put again under the same key replaces the one put before.
 */
#ifndef CV_DIALOGUE_JOURNAL_H
#define CV_DIALOGUE_JOURNAL_H

#include "dialogue/state.h"
#include "vocab/vocab.h"

typedef struct {
    cv_call *call;
    const cv_state *state;
    cv_str now;    /* one time for the whole write */
    bool is_dated; /* not, when the clock shows a time that cannot be written: then commit refuses */
    struct cv_journal_write *write;
} cv_journal;

void cv_journal_begin(cv_journal *j, cv_call *call, const cv_state *state);

/* The row in the journal, to be changed further until commit. */
void *cv_journal_put(cv_journal *j, cv_rec_kind kind, const void *row);

/* An event about a subject: 'P' 'R' 'T' 'E' 'C' entity, 'D' dialogue, 'X' expert, 'N' panel, 'O' round, 'S' response,
 * 'V' verdict. `actors` is a JSON array of slugs. The caller may fill in reason, result_id, reference and data. */
cv_rec_event *cv_journal_event(cv_journal *j, char subject_type, cv_str subject_id, cv_str event_type, int64_t round,
                               cv_str actors);

/* The event vouches for this row as it will be at commit. */
void cv_journal_covers(cv_journal *j, cv_rec_event *event, cv_rec_kind kind, const void *row);

/* ---- op_id, expect_rev, replays ---------------------------------------------------------------------------------- */

typedef struct {
    bool replayed;
    bool conflict; /* the dialogue moved on and the caller gave no expect_rev: load again and try again */
    int64_t rev;
    cv_str result; /* the stored result: the caller's own, or that of the first time */
} cv_outcome;

/* Says which operation is called ("dialogue update"), before anything below: the digest of a request is that of its
 * operation and its input, whatever the order of keys. */
void cv_journal_request(cv_call *call, cv_str operation);

/* With an op_id: was this request committed under it before? True and ret->replayed: print ret->result with "replayed":
 * true. False only on error (op_id_conflict, store errors). Without an op_id nothing is a replay, unless the operation
 * finds with cv_journal_made() that the thing which the request names was made by the same request, and that it stands
 * as it was made. */
bool cv_journal_replayed(cv_call *call, cv_str dialogue_id, cv_outcome *ret, cv_err *err);

/* Was the write of this rev the same request? As above. */
bool cv_journal_made(cv_call *call, cv_str dialogue_id, int64_t rev, cv_outcome *ret, cv_err *err);

/* The event that tells how the subject was made; its rev is that of the write. Rev 0: the history does not tell. */
bool cv_journal_creation(cv_call *call, cv_str dialogue_id, char subject_type, cv_str subject_id, cv_rec_event *ret,
                         cv_err *err);

/* Is the dialogue at the rev that the caller expects, if any? Else rev_conflict. Commit asks, too. */
bool cv_journal_expected(const cv_journal *j, cv_err *err);

/* Commits against the state's rev. `result` is the JSON object of the answer without rev and replayed. */
bool cv_journal_commit(cv_journal *j, cv_str result, cv_outcome *ret, cv_err *err);

/* The answer: the stored result's members plus "rev", and "replayed": true when it was. */
void cv_journal_answer(cv_call *call, const cv_outcome *outcome);

#endif
