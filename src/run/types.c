/* types.c - the tables behind types.h, and what a search sees of a run. */
#include "run/types.h"

static bool search_run(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_run_row *run = row;
    (void)a;
    *ret = (cv_search_text){.kind = CV_STR("run"),
                            .id = run->dialogue_id,
                            .ids = run->dialogue_id,
                            .title = run->dialogue_id,
                            .body = run->message.p ? run->message : CV_STR(""),
                            .status = run->state};
    return true;
}

static const cv_index run_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_run_row, rev))};

#define CV_THIS_TYPE cv_run_row
CV_TYPE_TABLE(cv_run_row, "run", "runs", CV_RUN_FIELDS, REPLACED, search_run, CV_INDEXES(run_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_attempt_row
CV_TYPE_TABLE(cv_attempt_row, "attempt", "run_attempts", CV_RUN_ATTEMPT_FIELDS, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_lease_row
CV_TYPE_TABLE(cv_lease_row, "lease", "run_leases", CV_RUN_LEASE_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE

static const cv_type *const types[] = {&cv_run_row_type, &cv_attempt_row_type, &cv_lease_row_type};
const cv_room_types cv_run_records = {CV_STR_INIT("run"), types, CV_COUNT(types)};

cv_scope_id cv_run_scope(cv_str dialogue_id)
{
    return (cv_scope_id){CV_STR("run"), dialogue_id};
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static const cv_str attempt_words[] = {
#define STATE(id, word, meaning) CV_STR_INIT(word),
#include "run/attempts.def"
#undef STATE
#define OUTCOME(id, word, again, meaning) CV_STR_INIT(word),
#include "run/outcomes.def"
#undef OUTCOME
};
_Static_assert(CV_COUNT(attempt_words) == CV_ATTEMPT_STATE_COUNT, "a word for each");
const cv_words cv_attempt_words = {attempt_words, CV_ATTEMPT_STATE_COUNT};

static const cv_str task_words[] = {CV_STR_INIT("response"), CV_STR_INIT("round"), CV_STR_INIT("verdict"),
                                    CV_STR_INIT("control")};
_Static_assert(CV_COUNT(task_words) == CV_TASK_COUNT, "a word for each");
const cv_words cv_task_words = {task_words, CV_TASK_COUNT};

static const cv_str run_words[] = {CV_STR_INIT("running"), CV_STR_INIT("waiting"), CV_STR_INIT("stopped"),
                                   CV_STR_INIT("ended")};
_Static_assert(CV_COUNT(run_words) == CV_RUN_STATE_COUNT, "a word for each");
const cv_words cv_run_words = {run_words, CV_RUN_STATE_COUNT};
