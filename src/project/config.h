/* config.h - where the record of a project is kept: the setting `store` of .conclave/config (kit/settings.h).
 *
 *     store = "postgresql://db.example/work?schema=team"
 *
 * Without it the record is the file conclave.db beside it. An address never has a password in it.
 */
#ifndef CV_PROJECT_CONFIG_H
#define CV_PROJECT_CONFIG_H

#include "record/store.h"

/* The name of the file. */
const char *cv_config_path(cv_arena *a, const char *root);

/* Writes the address, durably; empty: the record is in a file. Other settings stay. */
bool cv_config_write_store(cv_arena *a, const char *root, cv_str address, cv_err *err);

/* Where the record of the project is kept. */
bool cv_project_store(cv_arena *a, const char *root, cv_store *ret_store, cv_err *err);

/* Was it on a server, and the project does not say any more on which? Then that is the error. */
bool cv_project_check_address(cv_arena *a, const char *root, const cv_store *store, cv_err *err);

#endif
