/* tool_schema.h - the schema of an operation as models are shown it: the same request, in fewer words.
 *
 * Every client puts the schemas of all tools before its model, so each byte of them costs with every call. And clients
 * map them onto dialects of their own, some of which know one type per value. So what is shown is a plain subset: one
 * type, what is required, the choices, each description and each kind of item once. It leaves out lengths, other
 * names, unknown fields, null, and, unless `whole`, what few requests have (x-rare). The check of a request knows all
 * of it.
 */
#ifndef CV_DOOR_TOOL_SCHEMA_H
#define CV_DOOR_TOOL_SCHEMA_H

#include "base/json.h"

/* `input` is the whole schema of an operation's input, an object. */
void cv_tool_schema_print(cv_arena *a, const cv_json *input, bool whole, cv_json_writer *w);

#endif
