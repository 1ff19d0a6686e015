/* report.h - what an import tells: for programs as JSON, for people as text.
 *
 *     {"dialogues": [{"dialogue_id", "outcome", "files": [...], "not_understood": [...], "differences": [...]}], …}
 *
 * Both are written dialogue by dialogue, so that the memory of one is free before the next begins.
 */
#ifndef CV_DIALOGUE_IMPORT_REPORT_H
#define CV_DIALOGUE_IMPORT_REPORT_H

#include "dialogue/import/play.h"

/* X(id, word) */
#define CV_OUTCOMES(X)                                                                                                 \
    X(IMPORTED, "imported")                                                                                            \
    X(CONTINUED, "continued")                                                                                          \
    X(UNCHANGED, "unchanged")                                                                                          \
    X(CONFLICT, "conflict")                                                                                            \
    X(SKIPPED, "skipped")                                                                                              \
    X(FAILED, "failed")

typedef enum {
#define X(id, word) CV_OUTCOME_##id,
    CV_OUTCOMES(X)
#undef X
        CV_OUTCOME_COUNT
} cv_import_outcome;
extern const cv_words cv_import_outcomes;

typedef struct {
    cv_json_writer w; /* the answer, its list of dialogues open */
    bool for_people;
    cv_buf text; /* the same for them */
    size_t outcomes[CV_OUTCOME_COUNT];
    cv_tally total;
} cv_report;

void cv_report_begin(cv_report *r, const cv_call *call, bool dry_run);

/* One dialogue. */
void cv_report_dialogue(cv_report *r, const cv_script *s, const cv_played *played, cv_import_outcome outcome,
                        cv_str why);

/* Was something imported, and did nothing fail or conflict? */
bool cv_report_is_whole(const cv_report *r);

void cv_report_end(cv_report *r, size_t ignored);

#endif
