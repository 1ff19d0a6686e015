/* ops.c - the rows of all rooms as one table; see op.h. */
#include <assert.h>
#include <pthread.h>

#include "ops/op.h"

static struct {
    const cv_operation *ops[CV_MAX_OPERATIONS];
    const cv_room *named[CV_MAX_OPERATIONS];
    size_t op_count, room_count;
} all;

static void join(void)
{
    for (size_t i = 0; cv_rooms[i]; i++) {
        for (const cv_operation *op = cv_rooms[i]->ops; op && op->verb; op++) {
            assert(all.op_count < CV_MAX_OPERATIONS && "the table has room for the rows of all rooms");
            assert(strcmp(op->room, cv_rooms[i]->name) == 0 && "a row names its room");
            all.ops[all.op_count++] = op;
        }
        if (*cv_rooms[i]->name)
            all.named[all.room_count++] = cv_rooms[i];
    }
}

static void be_joined(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, join);
}

size_t cv_op_count(void)
{
    be_joined();
    return all.op_count;
}

const cv_operation *cv_op_at(size_t i)
{
    be_joined();
    return all.ops[i];
}

const cv_operation *cv_op_find(cv_str room, cv_str verb)
{
    for (size_t i = 0; i < cv_op_count(); i++)
        if (cv_str_eq(room, cv_str_of(all.ops[i]->room)) && cv_str_eq(verb, cv_str_of(all.ops[i]->verb)))
            return all.ops[i];
    return NULL;
}

size_t cv_room_count(void)
{
    be_joined();
    return all.room_count;
}

const cv_room *cv_room_at(size_t i)
{
    be_joined();
    return all.named[i];
}

const cv_room *cv_room_find(cv_str name)
{
    for (size_t i = 0; i < cv_room_count(); i++)
        if (cv_str_eq(cv_str_of(all.named[i]->name), name))
            return all.named[i];
    return NULL;
}

bool cv_room_names_scope(const cv_room *room, cv_str field)
{
    return room->scope.field && cv_str_eq(field, cv_str_of(room->scope.field));
}
