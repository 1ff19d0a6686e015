/* valid_part.h - a request with faults of form, without the faulty places: so that what the rest means can be checked,
 * too.
 *
 *     {"score": "ten", "items": [{"label": "a"}, 5]}     faults at score, items[1]
 *     {"items": [{"label": "a"}, {"label": ""}]}         the valid part: items keep their places
 *
 * What is required and not there is empty, so that a reader of the valid part finds every required field except
 * numbers.
 */
#ifndef CV_KIT_VALID_PART_H
#define CV_KIT_VALID_PART_H

#include "base/json.h"
#include "base/map.h"

/* The valid part of `value`, every property under its own name, whose faults are those of cv_schema_check(); NULL when
 * there is none: another fault than a missing field is left, or one of the faults is about a property on which the
 * meaning of all others depends (x-base, x-argument). `ret_faulty` has the paths of the faults. */
const cv_json *cv_valid_part(cv_arena *a, const cv_json *schema, const cv_json *value, const cv_errs *faults,
                             cv_map *ret_faulty);

/* Is the path one of the faulty places, below one, or above one? What is missing there may have been cut out. */
bool cv_valid_part_lacks(const cv_map *faulty, cv_str path);

/* Does a message that something is missing name, in quotes, a property that has a faulty place? That was given. */
bool cv_valid_part_was_given(const cv_map *faulty, cv_str message);

#endif
