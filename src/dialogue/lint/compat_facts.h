/* compat_facts.h - what the checks of profile compat want to know about a text; only they include it. */
#ifndef CV_DIALOGUE_LINT_COMPAT_FACTS_H
#define CV_DIALOGUE_LINT_COMPAT_FACTS_H

#include "base/arena.h"

typedef struct {
    int64_t *items;
    size_t count, capacity;
} cv_compat_numbers;

typedef struct {
    cv_str *items;
    size_t count, capacity;
} cv_compat_texts;

/* What the checks want to know. */
typedef struct {
    cv_arena *a;
    cv_str text;
    cv_compat_numbers rounds; /* ascending */
    bool draft, participants, has_status, scoreboard, perspectives, tensions_tracker, panel;
    cv_str status;
    cv_compat_texts perspective_ids, tension_ids, resolved_ids;
    size_t emoji_agents;
    size_t score_rows;
    int64_t score_sum, claimed;
} cv_compat_facts;

cv_compat_facts cv_compat_read(cv_arena *a, cv_str text);

/* Moves `*s` to behind the next `start`; false when there is none. */
bool cv_compat_next(cv_str *s, cv_str start);

#endif
