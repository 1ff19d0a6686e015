/* settings.h - what a project has chosen, in .conclave/config.
 *
 *     # Where the record of this project is kept.
 *     store = "postgresql://db.example/work?schema=team"
 *     mail.root = "bus"
 *
 * One setting a line, `name = "value"`; a line that begins with # says nothing. `store` is the project's own
 * (project/config.h); `ROOM.root` is the folder, below that of the project, in which a room has its files that would
 * lie in .conclave else (kit/room.h: folder_moves). A setting that is not known is an error: what somebody has decided
 * must not be skipped.
 */
#ifndef CV_KIT_SETTINGS_H
#define CV_KIT_SETTINGS_H

#include "base/where.h"

typedef struct {
    cv_str name, value;
} cv_setting;

typedef struct {
    cv_setting *items;
    size_t count, capacity;
} cv_settings;

/* The error names the line. And back, with a comment in front. */
bool cv_settings_parse(cv_arena *a, cv_str text, cv_settings *ret, cv_err *err);
cv_str cv_settings_print(cv_arena *a, const cv_settings *settings);

/* Of the project in `root`; one that has no such file has chosen nothing. */
bool cv_settings_read(cv_arena *a, const char *root, cv_settings *ret, cv_err *err);

/* Absent: it is not set. */
cv_str cv_settings_get(const cv_settings *settings, cv_str name);

/* Sets it, or with an empty value takes it away. */
void cv_settings_set(cv_arena *a, cv_settings *settings, cv_str name, cv_str value);

/* Where it is: ".conclave/config". */
cv_where cv_settings_where(cv_arena *a, const char *root);

/* The folder of a room in the project of this root: where the project says, else in .conclave. */
cv_where cv_room_place(cv_arena *a, const char *root, cv_str room);

#endif
