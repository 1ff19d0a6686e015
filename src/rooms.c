/* rooms.c - the rooms of this program: one word each. Every door is made from them (kit/room.h). */
#include "chat/room.h"
#include "dialogue/room.h"
#include "mail/room.h"
#include "notes/room.h"
#include "project/room.h"
#include "record/sql.h"
#include "run/room.h"

#define KEEPING(X) X(dialogue) X(mail) X(chat) X(notes) X(project) X(run)
#define ROOMS(X) KEEPING(X) X(agent) X(token) X(running) /* these keep what they have in others */

const cv_room *const cv_rooms[] = {
#define X(room) &cv_room_##room,
    ROOMS(X)
#undef X
        NULL,
};

static const cv_room_types *const records[] = {
#define X(room) &cv_##room##_records,
    KEEPING(X)
#undef X
};
const cv_types cv_program_types = {records, CV_COUNT(records), &cv_sql_sqlite_schema, &cv_sql_postgres_schema};
