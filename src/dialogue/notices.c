/* notices.c - what answers say about a warning; see notices.h. */
#include "dialogue/notices.h"

#include "dialogue/words/limits.h"

#define CV_THIS_TYPE cv_notice
const cv_shape cv_notice_shape[] = {
    CV_FIELD(ALWAYS, type, ""),
    CV_FIELD(IF_ANY, id, ""),
    CV_FIELD_AS(IF_ANY, "expert", who.text, ""),
    CV_FIELD(IF_ANY, field, ""),
    CV_NUMBER(IF_ANY, "round", step.number, 0, CV_MAX_ROUND, ""),
    CV_JSON_AS(IF_ANY, NAMES, "ids", ids, ""),
    CV_FIELD(ALWAYS, message, ""),
    {0},
};
#undef CV_THIS_TYPE
