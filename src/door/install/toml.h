/* toml.h - one table in somebody else's TOML file, without touching another byte of it.
 *
 *     [mcp_servers.conclave]
 *     command = "conclave"
 *     args = ["mcp"]
 *
 * Set replaces the values of the given keys in the table and leaves its other keys and its comments alone; remove takes
 * the table and those below it ([mcp_servers.conclave.env]). A table that is written in another way (as a value, with
 * dotted keys) is refused, with its line: a second one of the name would break the file. So is a file with a line that
 * is no TOML.
 */
#ifndef CV_DOOR_INSTALL_TOML_H
#define CV_DOOR_INSTALL_TOML_H

#include "door/install/edit.h"

typedef struct {
    cv_str key, value; /* as written: "conclave", ["mcp"] */
} cv_toml_entry;

/* Where the value of a key of the table stands. */
bool cv_toml_find(cv_arena *a, cv_str text, cv_str table, cv_str key, cv_edit_found *ret, cv_err *err);

bool cv_toml_set(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count, cv_str *ret_text,
                 cv_err *err);
bool cv_toml_remove(cv_arena *a, cv_str text, cv_str table, cv_str *ret_text, cv_err *err);

#endif
