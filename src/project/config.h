/* config.h - what a project has chosen for itself, in .conclave/config.
 *
 *     # Where the record of this project is kept.
 *     store = "postgresql://db.example/work?schema=team"
 *
 * One setting a line, `name = "value"`; a line that begins with # says nothing. Without the file, or without `store`,
 * the record is the file conclave.db beside it. A setting that is not known is an error: what somebody has decided must
 * not be passed over. An address never has a password in it.
 */
#ifndef CV_PROJECT_CONFIG_H
#define CV_PROJECT_CONFIG_H

#include "record/store.h"

typedef struct {
    cv_str store; /* the address of a server; empty: conclave.db */
} cv_config;

/* The error names the line. And back. */
bool cv_config_parse(cv_arena *a, cv_str text, cv_config *ret_config, cv_err *err);
cv_str cv_config_print(cv_arena *a, const cv_config *config);

/* Of the project in `root`; one that has no such file has chosen nothing. */
bool cv_config_read(cv_arena *a, const char *root, cv_config *ret_config, cv_err *err);

/* Its name. */
const char *cv_config_path(cv_arena *a, const char *root);

/* Writes the file, durably. */
bool cv_config_write(cv_arena *a, const char *root, const cv_config *config, cv_err *err);

/* Where the record of the project is kept. */
bool cv_project_store(cv_arena *a, const char *root, cv_store *ret_store, cv_err *err);

/* Was it on a server, and the project does not say any more on which? Then that is the error. */
bool cv_project_check_address(cv_arena *a, const char *root, const cv_store *store, cv_err *err);

#endif
