/* err.h - what went wrong, where, and what would be right.
 *
 * A fallible function returns bool and takes `cv_err *err` last. On failure it fills err and returns false;
 * on success it leaves err alone. An error is made in two breaths:
 *
 *     cv_err_set(err, CV_ERR_INVALID_VALUE, "round is %d, the last one is %d", round, last);
 *     cv_err_field(err, CV_STR("round"));
 *     return false;
 *
 * An error owns its texts: they live in err->arena, which the caller sets, and whatever fills a field copies into it.
 * Nobody assigns a field: with CV_ERR_SEALED the compiler refuses that, and test/checks/layers.sh asks it to.
 */
#ifndef CV_BASE_ERR_H
#define CV_BASE_ERR_H

#include "base/naming.h"

/* A code is the address of its row. Those of err.def are everybody's; a room has a table of its own and declares its
 * codes in the same way: arrays of one, so that the name is the address. */
typedef struct {
    cv_str word;    /* "invalid_json" */
    int exit;       /* status of the command line */
    cv_str meaning; /* one sentence for the manual */
} cv_err_kind;
typedef const cv_err_kind *cv_err_code;

#define CV_ERR_NONE ((cv_err_code)NULL)
#define ERR(id, word, exit, meaning) extern const cv_err_kind CV_ERR_##id[1];
#include "base/err.def"
#undef ERR

/* All of err.def; after the last there is CV_ERR_NONE. */
extern const cv_err_code cv_err_codes[];

#ifdef CV_ERR_SEALED
#define CV_ERR_KEPT const
#else
#define CV_ERR_KEPT
#endif

typedef struct {
    cv_arena *arena;
    cv_err_code code;
    CV_ERR_KEPT cv_str message;
    CV_ERR_KEPT cv_str field;          /* like perspectives[0].references[1].target */
    CV_ERR_KEPT cv_str value;          /* what was found there */
    const cv_str *CV_ERR_KEPT options; /* what would be valid */
    CV_ERR_KEPT size_t option_count;
    CV_ERR_KEPT cv_str suggestion; /* what to do */
    CV_ERR_KEPT cv_str operation;  /* that helps: "dialogue list"; then the suggestion goes on with what it does */
    CV_ERR_KEPT cv_str file;
    size_t line;   /* 1-based; 0: not about a place */
    size_t column; /* in code points, 1-based */
    /* Of a fault in a batch, and what the rule was; all of them may be empty. */
    CV_ERR_KEPT cv_str item_type;  /* "perspective"; else told by the field */
    CV_ERR_KEPT cv_str item_key;   /* what the request calls the id of the item: a word of the room */
    CV_ERR_KEPT cv_str item_id;    /* … and the id: "MUFFIN-P0101" */
    CV_ERR_KEPT cv_str constraint; /* the rule that was broken: "required", "semantic" */
    CV_ERR_KEPT cv_str context;    /* a JSON object with what else is known: {"source_id":"P0101"} */
} cv_err;

typedef struct {
    cv_err *items;
    size_t count, capacity;
} cv_errs;

/* Adds an error to a list and returns it for the rest of its fields. */
cv_err *cv_errs_add(cv_errs *errs, cv_arena *a, cv_err_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets code and message, clears the rest but the arena; always returns false. */
bool cv_err_set(cv_err *err, cv_err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same with the place in a file. */
bool cv_err_at(cv_err *err, cv_err_code code, size_t line, size_t column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The fields, each copied into err->arena. */
void cv_err_message(cv_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cv_err_field(cv_err *err, cv_str field);
void cv_err_value(cv_err *err, cv_str value);
void cv_err_options(cv_err *err, const cv_str *options, size_t count);
void cv_err_suggest(cv_err *err, cv_str suggestion);
void cv_err_operation(cv_err *err, cv_str operation);
void cv_err_file(cv_err *err, cv_str file);
void cv_err_item_type(cv_err *err, cv_str item_type);
void cv_err_item(cv_err *err, cv_str key, cv_str id);
void cv_err_constraint(cv_err *err, cv_str constraint);
void cv_err_context(cv_err *err, cv_str context);

/* As if nothing had happened: before something is tried again. */
void cv_err_clear(cv_err *err);

/* All of `from`, copied into the arena of `to`: the one way to hand an error on to somebody with another arena. */
void cv_err_copy(cv_err *to, const cv_err *from);

/* Adds a copy to a list. */
cv_err *cv_errs_keep(cv_errs *errs, cv_arena *a, const cv_err *err);

/* Suggests the one of `words` that is near what was `found`: "did you mean 'x'?". False: none is. */
bool cv_err_nearest(cv_err *err, cv_str found, const cv_str *words, size_t count);

/* Names the operation that helps in the suggestion, as this caller calls it (NULL: by its words). */
void cv_err_advise(cv_err *err, cv_naming name);

cv_str cv_err_word(cv_err_code code);     /* "invalid_json" */
int cv_err_exit(cv_err_code code);        /* exit status of the command line */
bool cv_err_is_refusal(cv_err_code code); /* the request is at fault, not the system or the record below */
cv_str cv_err_meaning(cv_err_code code);  /* one sentence for the manual */

/* "file:line:column: message (valid: a, b); suggestion", in the error's arena. */
cv_str cv_err_text(const cv_err *err);

#endif
