/* json.h - strict JSON in, streamed JSON out.
 *
 * Reading turns a whole document into a tree in the arena. It is strict on purpose (RFC 8259 and more): valid
 * UTF-8, paired surrogates, no leading zeros, no raw control characters, no trailing bytes, no duplicate keys,
 * depth and size below the ceilings. Every refusal carries line and column.
 *
 *     {"round": 1, "score": 45}        object -> key, value, key, value … in the order of the text
 *
 * Strings without escapes are views into the caller's text, which must outlive the tree. Numbers keep the text they
 * were written in; a caller that needs an integer asks for one and gets it exactly, or an error (beyond 2^53).
 *
 * Writing streams into a cv_buf and places commas and indentation itself; nothing is built as a tree.
 */
#ifndef CV_BASE_JSON_H
#define CV_BASE_JSON_H

#include "base/buf.h"
#include "base/err.h"

typedef enum {
    CV_JSON_NULL,
    CV_JSON_FALSE,
    CV_JSON_TRUE,
    CV_JSON_NUMBER,
    CV_JSON_STRING,
    CV_JSON_ARRAY,
    CV_JSON_OBJECT
} cv_json_type;

typedef struct cv_json cv_json;
typedef struct cv_json_member cv_json_member;

struct cv_json {
    cv_json_type type;
    uint32_t count;  /* array: items; object: members */
    uint32_t offset; /* of the value's first byte in the text: cv_utf8_advance() makes line and column of it */
    union {
        cv_str text;             /* string: decoded; number: as written */
        cv_json *items;          /* array */
        cv_json_member *members; /* object */
    };
};

struct cv_json_member {
    cv_str key;
    cv_json value;
};

/* The whole text as one value. On failure: code, message, line, column. */
bool cv_json_parse(cv_arena *a, cv_str text, cv_json *ret_value, cv_err *err);

/* Is the text one value, nested at most so deeply? For what is passed on as it is; takes no memory. */
bool cv_json_is_valid(cv_str text, size_t depth);

/* The value of the member. NULL: it is absent, or `object` is absent (NULL) or not an object, so that a member of a
 * member can be asked for at once. */
const cv_json *cv_json_get(const cv_json *object, cv_str key);

/* What an optional member holds. A text that is absent, null or no string is an absent view. */
cv_str cv_json_get_text(const cv_json *object, const char *key);
int64_t cv_json_get_int(const cv_json *object, const char *key, int64_t otherwise);
bool cv_json_get_true(const cv_json *object, const char *key);
cv_str cv_json_get_json(cv_arena *a, const cv_json *object, const char *key); /* printed again; absent or null: none */

/* A number that is a whole one within ±2^53, exactly. "1.0" and "1e2" are numbers, but not integers. */
bool cv_json_to_int(const cv_json *value, int64_t *ret_value);
bool cv_json_to_double(const cv_json *value, double *ret_value);

/* The escape that `at` begins with, as bytes in `to`: returns how many, or 0 when it is not one. *ret_used: its length.
 */
size_t cv_json_escape(cv_str at, char to[4], size_t *ret_used);

/* "object", "array", "string" … for messages. */
cv_str cv_json_type_word(cv_json_type type);

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct {
    cv_buf *out;
    int indent;          /* spaces per level; 0: all on one line */
    int depth;           /* open arrays and objects */
    bool need_comma;     /* something is before the next value on this level */
    bool after_key;      /* the next value follows its key */
    uint64_t objects[4]; /* one bit per level: it is an object. Enough for a whole tree inside a deep reply */
} cv_json_writer;

/* A zeroed writer with `out` (and `indent`) set is ready; it writes one value, the document.
 * Begin and end nest; keys only inside objects. The caller keeps the order right: it is asserted. */
void cv_json_begin_object(cv_json_writer *w);
void cv_json_end_object(cv_json_writer *w);
void cv_json_begin_array(cv_json_writer *w);
void cv_json_end_array(cv_json_writer *w);
void cv_json_key(cv_json_writer *w, cv_str key);
void cv_json_str(cv_json_writer *w, cv_str value); /* escapes what JSON requires; other UTF-8 stays as it is */
void cv_json_int(cv_json_writer *w, int64_t value);
void cv_json_bool(cv_json_writer *w, bool value);
void cv_json_null(cv_json_writer *w);
void cv_json_raw(cv_json_writer *w, cv_str text);            /* an already valid value, e.g. a number as written */
void cv_json_value(cv_json_writer *w, const cv_json *value); /* a whole tree again */
/* … with the members of every object in the order of their keys, so that the order in which they were written does not
 * show; numbers stay as written. */
void cv_json_canonical(cv_json_writer *w, cv_arena *a, const cv_json *value);
/* … Are they equal when written so? */
bool cv_json_is_equal(cv_arena *a, const cv_json *x, const cv_json *y);
void cv_json_strs(cv_json_writer *w, const cv_str *items, size_t count);

/* A key that is a word of the program, and so is UTF-8. */
void cv_json_key_word(cv_json_writer *w, cv_str key);

/* Such a key and its value in one go. Inline, because a key is a literal and its length known to the compiler. */
static inline void cv_json_key_str(cv_json_writer *w, const char *key, cv_str value)
{
    cv_json_key_word(w, cv_str_of(key));
    cv_json_str(w, value);
}

static inline void cv_json_key_int(cv_json_writer *w, const char *key, int64_t value)
{
    cv_json_key_word(w, cv_str_of(key));
    cv_json_int(w, value);
}

static inline void cv_json_key_bool(cv_json_writer *w, const char *key, bool value)
{
    cv_json_key_word(w, cv_str_of(key));
    cv_json_bool(w, value);
}

void cv_json_key_strs(cv_json_writer *w, const char *key, const cv_str *items, size_t count);

/* The same, only when there is something to say: nothing at all for an empty text. */
void cv_json_key_str_if(cv_json_writer *w, const char *key, cv_str text);
void cv_json_key_raw_if(cv_json_writer *w, const char *key, cv_str json); /* an already valid value */

#endif
