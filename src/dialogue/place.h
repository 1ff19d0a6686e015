/* place.h - an entity's display id as one small number, for tables over all entities of a dialogue.
 *
 *     P0102   kind 0, round 1, number 2   ->      102
 *     T0001   kind 2, round 0, number 1   ->   20,001
 *
 * Places sort as snapshots do: by kind, round and number. A dialogue has at most CV_PLACES of them.
 */
#ifndef CV_DIALOGUE_PLACE_H
#define CV_DIALOGUE_PLACE_H

#include "dialogue/types.h"
#include "dialogue/words/words.h"

enum { CV_PLACES_PER_KIND = 10000, CV_PLACES = CV_KIND_COUNT * CV_PLACES_PER_KIND };
#define CV_NO_PLACE UINT32_MAX

uint32_t cv_place_of(cv_str display_id); /* CV_NO_PLACE: it is none */
uint32_t cv_place_of_entity(const cv_rec_entity *entity);
cv_kind cv_place_kind(uint32_t place);
cv_str cv_place_print(uint32_t place, char to[6]);

/* What its events say about an entity's status: the last one that they name. `statuses` has a cell for every place: 0
 * before the first event, else a cv_status plus one. The place of the event's subject; CV_NO_PLACE: it is not an
 * entity. */
uint32_t cv_place_fold(uint8_t *statuses, const cv_rec_event *event);

#endif
