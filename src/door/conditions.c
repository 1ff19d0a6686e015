/* conditions.c - which conditions of rooms have begun to hold; see conditions.h. */
#include "door/conditions.h"

#include "base/heap.h"
#include "base/log.h"
#include "base/monotonic.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Names of conditions, or of rooms that have one; each once. */
static void add_name(cv_arena *a, cv_texts *list, const char *name)
{
    if (cv_words_find((cv_words){list->items, list->count}, cv_str_of(name)) < 0)
        *CV_PUSH(a, list) = cv_str_of(name);
}

/* Is the room meant? Without a name all of them are. */
static bool is_of(const cv_room *room, cv_str name)
{
    return !name.p || (room->records && cv_str_eq(room->records->room, name));
}

static bool is_room(cv_str name)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->records && is_of(cv_rooms[i], name))
            return true;
    return false;
}

/* The conditions of a room in the order of the rooms; the rooms that have a condition. */
static cv_texts conditions_of(cv_arena *a, cv_str room)
{
    cv_texts all = {0};
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_condition *one = cv_rooms[i]->conditions; one && one->name && is_of(cv_rooms[i], room); one++)
            add_name(a, &all, one->name);
    return all;
}

static cv_texts rooms_with(cv_arena *a, cv_str condition)
{
    cv_texts all = {0};
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_condition *one = cv_rooms[i]->conditions; one && one->name; one++)
            if (cv_str_eq(condition, cv_str_of(one->name)))
                add_name(a, &all, cv_rooms[i]->name);
    return all;
}

static bool pick(cv_conditions *c, cv_arena *a, cv_str name, cv_str room)
{
    size_t before = c->count;
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_condition *one = cv_rooms[i]->conditions; one && one->name && is_of(cv_rooms[i], room); one++)
            if (cv_str_eq(name, cv_str_of(one->name)))
                *CV_PUSH(a, c) = (cv_condition_pick){cv_rooms[i], one};
    return c->count > before;
}

static void refuse(cv_err *err, cv_str name, cv_str room)
{
    cv_arena *a = err->arena;
    cv_texts rooms = rooms_with(a, name), all = conditions_of(a, rooms.count ? room : (cv_str){NULL, 0});
    if (rooms.count)
        cv_err_set(err, CV_ERR_USAGE, "the condition '%.*s' never holds in %.*s: it belongs to %.*s", CV_FMT(name),
                   CV_FMT(room), CV_FMT(cv_arena_list(a, rooms.items, rooms.count)));
    else
        cv_err_set(err, CV_ERR_USAGE, "there is no condition '%.*s'", CV_FMT(cv_str_head(name, 100)));
    cv_err_field(err, CV_STR("--when"));
    cv_err_options(err, all.items, all.count);
    if (!cv_err_nearest(err, name, all.items, all.count))
        cv_err_suggest(err, CV_STR("'conclave help conditions' explains each"));
}

bool cv_conditions_pick(cv_conditions *c, cv_arena *a, cv_str list, cv_str room, cv_errs *errs)
{
    cv_str name;
    size_t before = errs->count;
    c->end = &c->first;
    if (!is_room(room))
        room = (cv_str){NULL, 0}; /* reading its feed reports that, with the rooms that there are */
    while (cv_str_split(&list, ',', &name)) {
        cv_err err = {.arena = a};
        if (pick(c, a, cv_str_trim(name), room))
            continue;
        refuse(&err, cv_str_trim(name), room);
        cv_errs_keep(errs, a, &err);
    }
    return errs->count == before;
}

void cv_conditions_print(cv_buf *out)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_condition *one = cv_rooms[i]->conditions; one && one->name; one++)
            cv_buf_printf(out, "  %-16s %-10s %s\n", one->name, cv_rooms[i]->name, one->about);
}

/* ---- scopes that were touched ------------------------------------------------------------------------------------ */

/* What held when it was looked at last: a condition and a key, in an arena of their own. */
typedef struct {
    struct {
        const cv_condition *condition;
        cv_str key;
    } * items;
    size_t count, capacity;
    cv_arena arena;
} known;

struct cv_touched {
    cv_touched *next;
    const cv_room *room;
    char *scope;
    int64_t at_ms; /* when it was touched last */
    bool due[2];   /* to be looked at; [1]: once there is silence */
    known held[2]; /* the same */
};

static const cv_room *room_of(const cv_conditions *c, cv_str room)
{
    for (size_t i = 0; i < c->count; i++)
        if (cv_str_eq(c->items[i].room->records->room, room))
            return c->items[i].room;
    return NULL;
}

void cv_conditions_touch(cv_conditions *c, cv_scope_id scope)
{
    const cv_room *room = room_of(c, scope.room);
    cv_touched *t = c->first;
    while (t && !(t->room == room && cv_str_eq(cv_str_of(t->scope), scope.name)))
        t = t->next;
    if (!room)
        return;
    if (!t) {
        t = CV_HEAP_NEW(cv_touched);
        t->room = room;
        t->scope = cv_heap_copy(scope.name);
        *c->end = t;
        c->end = &t->next;
    }
    t->at_ms = cv_monotonic_ms();
    t->due[0] = t->due[1] = true;
}

void cv_conditions_release(cv_conditions *c)
{
    while (c->first) {
        cv_touched *t = c->first;
        c->first = t->next;
        cv_arena_release(&t->held[0].arena);
        cv_arena_release(&t->held[1].arena);
        cv_heap_free(t->scope);
        cv_heap_free(t);
    }
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static bool is_known(const known *k, const cv_condition *condition, cv_str key)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->items[i].condition == condition && cv_str_eq(k->items[i].key, key))
            return true;
    return false;
}

static bool is_wanted(const cv_conditions *c, const cv_held *held)
{
    return !c->who.p || !held->who.p || cv_str_eq_nocase(c->who, held->who);
}

/* All picked conditions of one scope: those that are reported at once, or those of silence. */
static bool look_at(const cv_conditions *c, cv_touched *t, bool silent, const cv_asker *asker,
                    cv_condition_news_list *ret, cv_err *err)
{
    known now = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < c->count; i++) {
        const cv_condition_pick of = c->items[i];
        cv_held_list found = {0};
        if (of.room != t->room || of.condition->in_silence != silent)
            continue;
        fine = of.condition->look(asker, cv_str_of(t->scope), &found, err);
        for (size_t k = 0; fine && k < found.count; k++) {
            if (!is_wanted(c, &found.items[k]))
                continue;
            if (!is_known(&t->held[silent], of.condition, found.items[k].key))
                *CV_PUSH(asker->arena, ret) = (cv_condition_news){of, cv_str_of(t->scope), found.items[k]};
            CV_PUSH(&now.arena, &now)->condition = of.condition;
            now.items[now.count - 1].key = cv_arena_copy(&now.arena, found.items[k].key);
        }
    }
    if (fine) {
        cv_arena_release(&t->held[silent].arena);
        t->held[silent] = now;
    } else {
        cv_arena_release(&now.arena);
    }
    return fine;
}

static bool is_silent(const cv_conditions *c, const cv_touched *t)
{
    return cv_monotonic_ms() - t->at_ms >= c->patience_ms;
}

void cv_conditions_look(cv_conditions *c, const cv_asker *asker, cv_condition_news_list *ret)
{
    for (cv_touched *t = c->first; t; t = t->next)
        for (int silent = 0; silent < 2; silent++) {
            cv_err err = {.arena = asker->arena};
            if (!t->due[silent] || (silent && !is_silent(c, t)))
                continue;
            t->due[silent] = false;
            if (!look_at(c, t, silent, asker, ret, &err))
                cv_log_line("the state of %s is not known: %.*s", t->scope, CV_FMT(cv_err_text(&err)));
        }
}

int64_t cv_conditions_wait_ms(const cv_conditions *c, int64_t most)
{
    int64_t now = cv_monotonic_ms();
    for (const cv_touched *t = c->first; t; t = t->next)
        if (t->due[1] && t->at_ms + c->patience_ms - now < most)
            most = t->at_ms + c->patience_ms - now;
    return most > 0 ? most : 0;
}
