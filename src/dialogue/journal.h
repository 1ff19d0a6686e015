/* journal.h - one write: the rows it makes and the events that describe them, committed together.
 *
 *     cv_journal j;
 *     cv_journal_begin(&j, call, &state);
 *     cv_journal_put(&j, CV_REC_ENTITY, &entity);
 *     cv_rec_event *e = cv_journal_event(&j, 'P', id, CV_EVENT_CREATED, round, actors);
 *     cv_journal_covers(&j, e, CV_REC_ENTITY, &entity);
 *     cv_journal_commit(&j, result, &outcome);
 *
 * It is a write of the record (kit/writing.h) in the words of dialogues. A row put again under the same key replaces
 * the one put before.
 */
#ifndef CV_DIALOGUE_JOURNAL_H
#define CV_DIALOGUE_JOURNAL_H

#include "dialogue/state.h"
#include "dialogue/words/words.h"
#include "kit/request.h"

typedef struct {
    cv_call *call;
    const cv_state *state;
    cv_str now; /* one time for the whole write */
    cv_writing writing;
} cv_journal;

void cv_journal_begin(cv_journal *j, cv_call *call, const cv_state *state);

/* The row in the journal, to be changed further until commit. */
void *cv_journal_put(cv_journal *j, cv_rec_kind kind, const void *row);
/* The same, of a row that may change and is not stored yet. */
void *cv_journal_add(cv_journal *j, cv_rec_kind kind, const void *row);

/* An event about a subject: 'P' 'R' 'T' 'E' 'C' entity, 'D' dialogue, 'X' expert, 'N' panel, 'O' round, 'S' response,
 * 'V' verdict. `actors` is a JSON array of slugs. The caller may fill in reason, result_id, reference and data. */
cv_rec_event *cv_journal_event(cv_journal *j, char subject_type, cv_str subject_id, cv_str event_type, int64_t round,
                               cv_str actors);

/* The event covers this row as it will be at commit. */
void cv_journal_covers(cv_journal *j, cv_rec_event *event, cv_rec_kind kind, const void *row);

/* The write puts all these rows again, which one write has put; see kit/writing.h. */
void cv_journal_replaces(cv_journal *j, cv_rec_event *event, cv_rec_kind kind, const void *rows, size_t count);

/* The event that says how the subject was made; its rev is that of the write. Rev 0: the history does not say. */
bool cv_journal_creation(cv_call *call, cv_str dialogue_id, char subject_type, cv_str subject_id, cv_rec_event *ret,
                         cv_err *err);

/* May something be written: the dialogue was not abandoned, and it has no final verdict (unless that is `fine`). */
bool cv_journal_open(cv_call *call, const cv_state *state, bool final_is_fine);

/* Commits against the state's rev, or with dry_run says what would have been (kit/request.h). */
static inline bool cv_journal_commit(cv_journal *j, cv_str result, cv_outcome *ret)
{
    return cv_request_commit(j->call, &j->writing, result, ret);
}

/* Runs the work of an operation on the dialogue that the input names. */
static inline bool cv_journal_run(cv_call *call, cv_str operation, cv_work work)
{
    return cv_request_run(call, operation, cv_dialogue_scope(cv_json_get_text(call->input, "dialogue_id")), work);
}

#endif
