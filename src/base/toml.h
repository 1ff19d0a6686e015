/* toml.h - TOML in, as the tree that JSON gives.
 *
 *     [agents.opus]                           {"agents": {"opus": {"command": "claude -p", "timeout": 600}}}
 *     command = "claude -p"
 *     timeout = 600
 *
 * So one schema, and one reader of fields, serves both; every value knows where it is in the text. It is TOML 1.0
 * except dates, times, inf and nan, which no JSON value stands for: they are errors that say so. A name that is given
 * twice, and a table that is opened twice, is an error as well. Linear in the text; every refusal has line and column.
 */
#ifndef CV_BASE_TOML_H
#define CV_BASE_TOML_H

#include "base/json.h"

/* The text is UTF-8 and outlives the tree. */
bool cv_toml_parse(cv_arena *a, cv_str text, cv_json *ret_value, cv_err *err);

#endif
