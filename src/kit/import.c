/* import.c - what an import reports; see import.h. */
#include "kit/import.h"

#include <assert.h>

#define X(id, word) CV_STR_INIT(word),
static const cv_str outcome_words[] = {CV_OUTCOMES(X)};
#undef X
const cv_words cv_import_outcomes = {outcome_words, CV_OUTCOME_COUNT};
_Static_assert(CV_COUNT(outcome_words) == CV_OUTCOME_COUNT, "every outcome has its word");

void cv_import_add(cv_import *im, cv_import_outcome outcome, const void *found)
{
    assert((unsigned)outcome < CV_OUTCOME_COUNT);
    im->outcomes[outcome]++;
    cv_shape_write(im->w, im->found, found);
}

/* ---- a file that is one call --------------------------------------------------------------------------------------
 */

typedef struct {
    cv_str name, outcome, message;
} imported_file;

#define CV_THIS_TYPE imported_file
const cv_shape cv_import_file_shape[] = {
    CV_FIELD(ALWAYS, name, ""),
    CV_WORD(ALWAYS, "outcome", outcome, &cv_import_outcomes, ""),
    CV_FIELD(IF_ANY, message, "why it failed"),
    {0},
};
#undef CV_THIS_TYPE

void cv_import_file(cv_import *im, cv_where path, cv_handler run, cv_str input, cv_reply *ret_reply)
{
    assert(im->found == cv_import_file_shape && "the room's descriptor says what it tells");
    cv_invoke_handler(im->call, im->call->arena, im->record, CV_ABSENT, run, input, ret_reply);
    int told = ret_reply->done ? cv_words_find(cv_import_outcomes, cv_json_get_text(&ret_reply->json, "outcome")) : -1;
    cv_import_outcome outcome = !ret_reply->done ? CV_OUTCOME_FAILED
                                : told >= 0      ? (cv_import_outcome)told
                                                 : CV_OUTCOME_IMPORTED;
    imported_file file = {.name = cv_str_of(cv_where_name(path)), .outcome = cv_import_outcomes.items[outcome]};
    if (!ret_reply->done)
        file.message = ret_reply->errs.items[0].message;
    cv_import_add(im, outcome, &file);
    if (im->text)
        cv_buf_printf(im->text, "%.*s  %.*s%s%.*s\n", CV_FMT(file.outcome), CV_FMT(file.name),
                      file.message.n ? ": " : "", CV_FMT(file.message));
}
