/* schema.h - is a request what it claims to be? JSON Schema, the part of it that we use.
 *
 *     {"type": "object", "required": ["title"], "additionalProperties": false,
 *      "properties": {"title": {"type": "string", "minLength": 1, "description": "…"},
 *                     "recommendations": {"type": "array", "items": {…}, "x-also": ["proposals"]}}}
 *
 * Known are type (a word or a list of them), enum, properties, required, additionalProperties (false or a schema),
 * items, minimum, maximum, minLength, maxLength, minItems, maxItems; description and default, which are for people; and
 * our own: x-also, other names under which a property is accepted; x-argument, the property that the command line takes
 * without its flag; x-value, what its value is called there and completed from (EXPERT); x-file, a text that it also
 * takes as @FILE or, from standard input, as -; x-print, the text of a reply that it shows; x-document, one of which it
 * breaks no line; x-below, a member of a row that it shows below the row; x-more, where the next page begins, and the
 * option that takes it; x-whole, a list whose texts may have commas; x-item, the property by which faults name an
 * object; x-rare, a property that models are not shown unasked; x-known, one whose description they are not shown
 * unless it is required; x-says, what they read in place of the description; x-like, in what the items of a list differ
 * from those of another, which they are shown instead of them; x-enum, the words of a text that the operation takes in
 * any case, or checks itself; x-names, the member that a name stands for where the command line takes a list of
 * objects; x-text, the member that a text stands for where it takes an object; x-base, a property on which the meaning
 * of the others depends; and x-secret, a member of a reply that is shown there and nowhere else.
 *
 * All faults are found in one walk, in the order of the text, each with its path, value, line and column:
 * missing_field, unknown_field, invalid_value. The walk is linear in the request. A NUL is refused wherever it is:
 * neither files nor the record could keep it. Schemas are part of the program and trusted; cv_schema_lint() is for the
 * tests.
 */
#ifndef CV_KIT_SCHEMA_H
#define CV_KIT_SCHEMA_H

#include "base/json.h"

/* True when `value` fits. `text` is what it was read from, for the places; empty: no places. */
bool cv_schema_check(cv_arena *a, const cv_json *schema, cv_str text, const cv_json *value, cv_errs *errs);

/* The same value with every property under its own name: what a handler looks for. The value has been checked. */
const cv_json *cv_schema_named(cv_arena *a, const cv_json *schema, const cv_json *value);

/* Does the schema allow this type ("string")? One without types allows all. */
bool cv_schema_allows(const cv_json *schema, cv_str type);

/* The property that a command line takes first without its flag: the first with x-argument, else the first required
 * text. Empty: none. */
cv_str cv_schema_argument(const cv_json *input);

/* True when the schema keeps to the keywords above. */
bool cv_schema_lint(const cv_json *schema, cv_err *err);

#endif
