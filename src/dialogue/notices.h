/* notices.h - warnings (kit/notice.h) about an expert or a round. */
#ifndef CV_DIALOGUE_NOTICES_H
#define CV_DIALOGUE_NOTICES_H

#include "kit/notice.h"
#include "kit/shape.h"

static inline void cv_notice_expert(cv_notice *warning, cv_str slug)
{
    warning->who.key = "expert";
    warning->who.text = slug;
}

static inline void cv_notice_round(cv_notice *warning, int64_t round)
{
    warning->step.key = "round";
    warning->step.number = round;
}

/* The warnings of an answer, kept as cv_notices in `member`. */
extern const cv_shape cv_notice_shape[];
#define CV_WARNINGS(member, about) CV_WARNINGS_AS(CV_ALWAYS, member, cv_notice_shape, about)
#define CV_WARNINGS_IF_ANY(member, about) CV_WARNINGS_AS(CV_IF_ANY, member, cv_notice_shape, about)
#define CV_TO_BE_KNOWN "warnings: the operation was done"

#endif
