/* notices.h - warnings (kit/notice.h) about an expert or a round. */
#ifndef CV_DIALOGUE_NOTICES_H
#define CV_DIALOGUE_NOTICES_H

#include "kit/notice.h"

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

#endif
