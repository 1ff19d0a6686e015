/* toml.h - one table in somebody else's TOML file, without touching another byte of it.
 *
 *     [mcp_servers.conclave]
 *     command = "conclave"
 *     args = ["mcp"]
 *
 * Set replaces the values of the given keys in the table and leaves its other keys alone; remove takes the table and
 * those below it ([mcp_servers.conclave.env]).
 */
#ifndef CV_DOOR_INSTALL_TOML_H
#define CV_DOOR_INSTALL_TOML_H

#include "base/err.h"

typedef struct {
    cv_str key, value; /* as written: "conclave", ["mcp"] */
} cv_toml_entry;

cv_str cv_toml_set(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count);
cv_str cv_toml_remove(cv_arena *a, cv_str text, cv_str table);

#endif
