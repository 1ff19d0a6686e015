/* room.h - the dialogue room for everybody else: its descriptor, and the tables that it is put together from. */
#ifndef CV_DIALOGUE_ROOM_H
#define CV_DIALOGUE_ROOM_H

#include "dialogue/types.h"
#include "kit/room.h"

extern const cv_room cv_room_dialogue;

/* ---- its parts: ops.c, resources.c, prompts.c and others ---- */
extern const cv_operation cv_dialogue_ops[];
extern const cv_resource cv_dialogue_resources[];
extern const cv_room_prompt cv_dialogue_prompts[];
extern const cv_condition cv_dialogue_conditions[];
extern const cv_cli_command cv_cmd_lint, cv_cmd_parse, cv_cmd_render, cv_cmd_spec; /* commands/ */
void cv_dialogue_doctor(cv_doctor *d);                                             /* doctor_files.c */
cv_import_fit cv_dialogue_import_fit(cv_arena *a, cv_where path);                  /* import/import.c */
bool cv_dialogue_import(cv_import *import);

#endif
