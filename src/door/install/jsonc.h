/* jsonc.h - one entry in somebody else's JSON file, without touching another byte of it.
 *
 *     {
 *       // servers of the team                     comments, trailing commas and the order stay as they are
 *       "mcpServers": {
 *         "other": {"command": "x"},
 *         "conclave": {"command": "conclave"}      <- this one is set or removed
 *       }
 *     }
 *
 * Editors write JSON with comments and trailing commas into their configuration; reading it and writing it again would
 * lose them. What is set is on lines of its own, indented like its neighbours.
 */
#ifndef CV_DOOR_INSTALL_JSONC_H
#define CV_DOOR_INSTALL_JSONC_H

#include "door/install/edit.h"

/* text[key][name] = value (JSON, on one line); objects that are missing are made; an empty text is an empty object. */
bool cv_jsonc_set(cv_arena *a, cv_str text, cv_str key, cv_str name, cv_str value, cv_str *ret_text, cv_err *err);

/* Where text[key][name][member] is; in an entry that is not an object there is none. */
bool cv_jsonc_find(cv_str text, cv_str key, cv_str name, cv_str member, cv_edit_found *ret, cv_err *err);

/* Where text[key][name] itself is, of any type. */
bool cv_jsonc_value(cv_str text, cv_str key, cv_str name, bool *ret_found, cv_edit_range *ret, cv_err *err);

/* Without text[key][name]. */
bool cv_jsonc_remove(cv_arena *a, cv_str text, cv_str key, cv_str name, cv_str *ret_text, cv_err *err);

#endif
