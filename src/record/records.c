/* records.c - the field tables behind records.h. */
#include "record/records.h"

#define FIELD(ftype, fname) {CV_STR_INIT(#fname), CV_FIELD_##ftype, offsetof(CV_THIS, fname)},
#define NO_FIELD(ftype, fname)

#define CV_THIS cv_rec_dialogue
static const cv_field dialogue_fields[] = {CV_DIALOGUE_FIELDS(FIELD, FIELD)};
static const cv_field dialogue_outline[] = {CV_DIALOGUE_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_expert
static const cv_field expert_fields[] = {CV_EXPERT_FIELDS(FIELD, FIELD)};
static const cv_field expert_outline[] = {CV_EXPERT_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_seat
static const cv_field seat_fields[] = {CV_SEAT_FIELDS(FIELD, FIELD)};
static const cv_field seat_outline[] = {CV_SEAT_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_round
static const cv_field round_fields[] = {CV_ROUND_FIELDS(FIELD, FIELD)};
static const cv_field round_outline[] = {CV_ROUND_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_score
static const cv_field score_fields[] = {CV_SCORE_FIELDS(FIELD, FIELD)};
static const cv_field score_outline[] = {CV_SCORE_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_response
static const cv_field response_fields[] = {CV_RESPONSE_FIELDS(FIELD, FIELD)};
static const cv_field response_outline[] = {CV_RESPONSE_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_entity
static const cv_field entity_fields[] = {CV_ENTITY_FIELDS(FIELD, FIELD)};
static const cv_field entity_outline[] = {CV_ENTITY_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_origin
static const cv_field origin_fields[] = {CV_ORIGIN_FIELDS(FIELD, FIELD)};
static const cv_field origin_outline[] = {CV_ORIGIN_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_reference
static const cv_field reference_fields[] = {CV_REFERENCE_FIELDS(FIELD, FIELD)};
static const cv_field reference_outline[] = {CV_REFERENCE_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_move
static const cv_field move_fields[] = {CV_MOVE_FIELDS(FIELD, FIELD)};
static const cv_field move_outline[] = {CV_MOVE_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_verdict
static const cv_field verdict_fields[] = {CV_VERDICT_FIELDS(FIELD, FIELD)};
static const cv_field verdict_outline[] = {CV_VERDICT_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS
#define CV_THIS cv_rec_event
static const cv_field event_fields[] = {CV_EVENT_FIELDS(FIELD, FIELD)};
static const cv_field event_outline[] = {CV_EVENT_FIELDS(NO_FIELD, FIELD)};
#undef CV_THIS

#define X(id, name, fields)                                                                                            \
    [CV_REC_##id] = {CV_STR_INIT(#name),       name##_fields,        name##_outline, CV_COUNT(name##_fields),          \
                     CV_COUNT(name##_outline), sizeof(cv_rec_##name)},
const cv_rec_type cv_rec_types[CV_REC_COUNT] = {CV_RECORDS(X)};
#undef X
