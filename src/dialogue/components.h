/* components.h - what a score is made of: wisdom, consistency, truth, relationships.
 *
 *     {"W": 3, "consistency": 2}  ->  W 3, C 2; sum 5; kept as {"W":3,"C":2}
 *
 * All four are unbounded and optional. They need not add up to the score; a view that shows both says so when they do
 * not.
 */
#ifndef CV_DIALOGUE_COMPONENTS_H
#define CV_DIALOGUE_COMPONENTS_H

#include "base/json.h"

enum { CV_COMPONENT_COUNT = 4 };
extern const cv_str cv_component_letters[CV_COMPONENT_COUNT];

typedef struct {
    int64_t of[CV_COMPONENT_COUNT]; /* CV_ABSENT: not given */
    int64_t sum;                    /* CV_ABSENT: there are no components */
    cv_str json;                    /* as it is kept; empty: there are none */
} cv_components;

/* From a request: letters or words. No object: none. */
cv_components cv_components_read(cv_arena *a, const cv_json *value);

/* From the record; what is not readable there counts as none. */
cv_components cv_components_parse(cv_arena *a, cv_str json);

/* Those of several scores together; what some of them lack is not added. */
void cv_components_add(cv_components *sum, const cv_components *more);
extern const cv_components cv_no_components;

/* An object with those that are given, or null. */
void cv_components_print(const cv_components *c, cv_json_writer *w);

#endif
