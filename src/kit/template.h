/* template.h - text made from a template in Jinja's language and a JSON context.
 *
 *     Hello {{ user.name|default("you") }}!       + {"user": {"name": "Ada"}}   ->   Hello Ada!
 *     {% for t in tasks if t.open %}
 *     - {{ loop.index }}. {{ t.title|truncate(60) }}
 *     {% endfor %}
 *
 * The language is the part of Jinja 3.1 that prompts use: expressions with Python's meaning, if, for, set, with,
 * filter, include, raw, comments, white space control, 45 filters and 39 tests; docs/templates.md lists all of it.
 * Autoescape is off, trim_blocks and lstrip_blocks are on. What is supported gives the bytes that Jinja gives; what is
 * not supported is an error that says so. Every error has file, line and column.
 *
 *     template.h                                 this interface
 *     template/lex.c                             source -> tokens: white space control is decided here
 *     template/parse.c, parse_expr.c             tokens -> tree: tags, expressions
 *     template/render.c, run.c                   statements; names, limits, failures
 *     template/eval.c, items.c                   expressions; what can be iterated
 *     template/value.c, print.c, letters.c       values as Python has them: equal, less, true; as text; letters
 *     template/filters_*.c, tests.c, methods.c   tables of what can be called
 *
 * Templates come from outside. A render has limits for steps, nesting, output and memory, so that no template runs for
 * ever; the tree is not deeper than a limit either. A template reaches nothing but its context and what `load` returns.
 */
#ifndef CV_KIT_TEMPLATE_H
#define CV_KIT_TEMPLATE_H

#include "base/json.h"
#include "base/where.h"

typedef struct {
    uint64_t steps; /* nodes evaluated, items taken, and one for every 64 bytes that are copied */
    size_t depth;   /* includes in each other */
    size_t output;  /* bytes */
    size_t memory;  /* bytes of all values made on the way */
} cv_template_limits;

/* What a prompt needs at most, a hundred times over; a template at every limit ends within a second or two. */
extern const cv_template_limits cv_template_usual;

/* A name that the template uses and the context does not have. */
typedef struct {
    cv_str name; /* as it is written: "user.email" */
    cv_str file;
    size_t line, column;
} cv_template_name;

typedef struct {
    /* The source of an included template. False with CV_ERR_NOT_FOUND: there is none. NULL: nothing can be included. */
    bool (*load)(void *ctx, cv_arena *a, cv_str name, cv_str *ret_source, cv_err *err);
    void *load_ctx;
    bool strict;                      /* what is missing is an error, not an empty text; all of it is listed */
    int64_t now_ms;                   /* what now() returns */
    const cv_template_limits *limits; /* NULL: cv_template_usual */
} cv_template_rules;

typedef struct {
    cv_str text;
    const cv_template_name *missing; /* strict: each name once, in the order of their use */
    size_t missing_count;
    uint64_t steps;
} cv_template_made;

/* `context` is an object, or NULL. On failure in strict mode `missing` may be set, too: then the error lists them. */
bool cv_template_render(cv_arena *a, cv_str name, cv_str source, const cv_json *context, const cv_template_rules *rules,
                        cv_template_made *ret_made, cv_err *err);

/* A load for templates in a folder: load_ctx is its cv_where. Names lead nowhere else, by their words or by links. */
bool cv_template_load(void *folder, cv_arena *a, cv_str name, cv_str *ret_source, cv_err *err);

#endif
