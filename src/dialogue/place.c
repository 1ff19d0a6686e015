/* place.c - display ids as small numbers; see place.h. */
#include "dialogue/place.h"
#include "dialogue/words/limits.h"

uint32_t cv_place_of(cv_str id)
{
    int kind = id.n == 5 ? cv_kind_of_letter(id.p[0]) : -1, number;
    if (kind < 0 || !cv_str_to_int(cv_str_from(id, 1), &number) || number % 100 == 0)
        return CV_NO_PLACE;
    return (uint32_t)(kind * CV_PLACES_PER_KIND + number);
}

uint32_t cv_place_of_entity(const cv_rec_entity *entity)
{
    int kind = entity->kind.n == 1 ? cv_kind_of_letter(entity->kind.p[0]) : -1;
    if (kind < 0 || entity->round < 0 || entity->round > CV_MAX_ROUND || entity->seq < 1 || entity->seq > CV_MAX_SEQ)
        return CV_NO_PLACE;
    return (uint32_t)(kind * CV_PLACES_PER_KIND + (int)entity->round * 100 + (int)entity->seq);
}

cv_kind cv_place_kind(uint32_t place)
{
    return (cv_kind)(place / CV_PLACES_PER_KIND);
}

cv_str cv_place_print(uint32_t place, char to[6])
{
    to[0] = cv_kinds[place / CV_PLACES_PER_KIND].letter;
    for (int i = 4; i > 0; i--, place /= 10)
        to[i] = (char)('0' + place % 10);
    to[5] = '\0';
    return (cv_str){to, 5};
}

uint32_t cv_place_fold(uint8_t *statuses, const cv_rec_event *event)
{
    uint32_t place = cv_place_of(event->subject_id);
    if (place == CV_NO_PLACE || event->subject_type.n != 1 || cv_kind_of_letter(event->subject_type.p[0]) < 0)
        return CV_NO_PLACE;
    cv_kind kind = cv_place_kind(place);
    int status = cv_status_find(kind, event->event_type);
    if (status >= 0)
        statuses[place] = (uint8_t)(status + 1);
    else if (statuses[place] == 0)
        statuses[place] = (uint8_t)(cv_status_first(kind) + 1);
    return place;
}
