/* conditions.h - which conditions of rooms (kit/room.h) have begun to hold.
 *
 *     commits -> scopes that were touched -> what holds there now, but did not before -> news
 *
 * What is worth a word only in silence is looked for when nothing was committed in the scope for a while.
 */
#ifndef CV_DOOR_CONDITIONS_H
#define CV_DOOR_CONDITIONS_H

#include "kit/room.h"

typedef struct {
    const cv_room *room;
    const cv_condition *condition;
} cv_condition_pick;

typedef struct cv_touched cv_touched;

typedef struct {
    cv_condition_pick *items;
    size_t count, capacity;
    int64_t patience_ms; /* the silence */
    cv_str who;          /* only what concerns this one, or everybody; absent: everything */
    cv_touched *first, **end;
} cv_conditions;

/* One that has begun to hold. */
typedef struct {
    cv_condition_pick of;
    cv_str scope;
    cv_held held;
} cv_condition_news;

typedef struct {
    cv_condition_news *items;
    size_t count, capacity;
} cv_condition_news_list;

/* Picks by names with commas between, of this room (absent: of all). Each that it does not have is a fault that tells
 * those that it has. */
bool cv_conditions_pick(cv_conditions *c, cv_arena *a, cv_str names, cv_str room, cv_errs *errs);
void cv_conditions_release(cv_conditions *c);

/* Something was committed in the scope. Rooms of which nothing was picked are skipped. */
void cv_conditions_touch(cv_conditions *c, cv_scope_id scope);

/* Looks at what was touched. What cannot be looked at is logged, and looked at after the next commit. */
void cv_conditions_look(cv_conditions *c, const cv_asker *asker, cv_condition_news_list *ret);

/* Until there is something to look at without a commit, at most so many milliseconds. */
int64_t cv_conditions_wait_ms(const cv_conditions *c, int64_t most);

/* For people: every name, its room, when it holds. */
void cv_conditions_print(cv_buf *out);

#endif
