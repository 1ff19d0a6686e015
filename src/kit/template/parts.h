/* parts.h - what the files of the template engine share: tokens, the tree, values, a render in progress.
 *
 * A value is what an expression evaluates to. Values never change once they are made (except namespaces, loops and
 * generators), so nothing holds itself and sharing is free. They live in the arena of the render.
 */
#ifndef CV_KIT_TEMPLATE_PARTS_H
#define CV_KIT_TEMPLATE_PARTS_H

#include "base/map.h"
#include "kit/template.h"

enum {
    CV_T_HEIGHT = 200,      /* levels of a tree: what parsing and evaluating may take of the stack */
    CV_T_BYTES_A_STEP = 64, /* copied or compared bytes that count as a step */
};

typedef struct cv_run cv_run;
typedef struct cv_tnode cv_tnode;

/* ---- tokens (lex.c) ---------------------------------------------------------------------------------- */

typedef enum {
    CV_TOK_END,
    CV_TOK_DATA,
    CV_TOK_PRINT_BEGIN,
    CV_TOK_PRINT_END,
    CV_TOK_TAG_BEGIN,
    CV_TOK_TAG_END,
    CV_TOK_NAME,
    CV_TOK_STRING, /* text: between the quotes, not decoded */
    CV_TOK_INT,
    CV_TOK_FLOAT,
    CV_TOK_OP
} cv_tok_kind;

/* An operator by its one or two characters. */
#define CV_OP2(c, d) ((int)(unsigned char)(c) | (int)(unsigned char)(d) << 8)
#define CV_OP1(c) CV_OP2(c, 0)

typedef struct {
    cv_tok_kind kind;
    int op;
    cv_str text;
    size_t at; /* offset in the source */
} cv_tok;

/* One template: its name, its source with line ends made "\n" and the last one gone, its statements. */
typedef struct cv_tsource {
    cv_str name;
    cv_str text;
} cv_tsource;

typedef struct {
    cv_tok *items; /* the last one is CV_TOK_END */
    size_t count, capacity;
} cv_toks;

cv_str cv_t_normalise(cv_arena *a, cv_str text);
bool cv_t_lex(cv_arena *a, const cv_tsource *source, cv_toks *ret_toks, cv_err *err);

/* Adds what is between quotes, escapes decoded (escapes.c); returns what is wrong with it, or NULL. */
const char *cv_t_decode(cv_str raw, cv_buf *out);

/* An error at a place of a source; always false. */
bool cv_t_fail_at(cv_err *err, const cv_tsource *source, size_t at, cv_err_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Bytes of the white space character (as Python has them) that `s` begins or ends with; 0: none. */
size_t cv_t_space_first(cv_str s);
size_t cv_t_space_last(cv_str s);

/* ---- values (value.c, print.c) ----------------------------------------------------------------------- */

typedef enum {
    CV_TV_UNDEFINED,
    CV_TV_NONE,
    CV_TV_BOOL,
    CV_TV_INT,
    CV_TV_FLOAT,
    CV_TV_STR,
    CV_TV_LIST,
    CV_TV_TUPLE,
    CV_TV_DICT,
    CV_TV_VIEW, /* d.items(), d.keys(), d.values() */
    CV_TV_RANGE,
    CV_TV_GENERATOR,
    CV_TV_LOOP,
    CV_TV_SPACE, /* namespace() */
    CV_TV_TIME,  /* now() */
    CV_TV_CALLABLE
} cv_tv_kind;

typedef struct cv_tv cv_tv;

typedef struct {
    cv_tv *items;
    size_t count, capacity;
} cv_tlist;

typedef struct {
    cv_tlist keys, values;
    cv_map texts, others; /* key -> index + 1; other keys by cv_tv_key() */
} cv_tdict;

typedef struct {
    cv_tdict *dict;
    char part; /* 'i'tems, 'k'eys, 'v'alues */
} cv_tview;

typedef struct {
    int64_t start, stop, step, count;
} cv_trange;

typedef struct cv_tgen cv_tgen;
typedef struct cv_tloop cv_tloop;

/* What can be called: a global function, or a method of `self`. `name` is a row's. */
typedef struct {
    const struct cv_tmethod *row;
    cv_tv *self;
} cv_tcallable;

struct cv_tv {
    cv_tv_kind kind;
    bool markup; /* of a text: escaped already, as markupsafe.Markup has it; of what is undefined: noted already */
    union {
        bool truth;
        int64_t number;
        double real;
        cv_str text;
        cv_tlist *list;
        cv_tdict *dict;
        const cv_tview *view;
        const cv_trange *range;
        cv_tgen *generator;
        cv_tloop *loop;
        const cv_tcallable *callable;
        const cv_tnode *node; /* of what is undefined: the expression */
    };
};

static inline cv_tv cv_tv_none(void)
{
    return (cv_tv){.kind = CV_TV_NONE};
}
static inline cv_tv cv_tv_bool(bool truth)
{
    return (cv_tv){.kind = CV_TV_BOOL, .truth = truth};
}
static inline cv_tv cv_tv_int(int64_t number)
{
    return (cv_tv){.kind = CV_TV_INT, .number = number};
}
static inline cv_tv cv_tv_float(double real)
{
    return (cv_tv){.kind = CV_TV_FLOAT, .real = real};
}
static inline cv_tv cv_tv_str(cv_str text)
{
    return (cv_tv){.kind = CV_TV_STR, .text = text};
}
static inline cv_tv cv_tv_undefined(const cv_tnode *node)
{
    return (cv_tv){.kind = CV_TV_UNDEFINED, .node = node};
}

/* … whose missing name was noted already. */
static inline cv_tv cv_tv_noted(const cv_tnode *node)
{
    return (cv_tv){.kind = CV_TV_UNDEFINED, .markup = true, .node = node};
}

/* Whole numbers, as Python sees them: True is 1. */
static inline bool cv_tv_is_int(const cv_tv *v)
{
    return v->kind == CV_TV_INT || v->kind == CV_TV_BOOL;
}
static inline bool cv_tv_is_number(const cv_tv *v)
{
    return cv_tv_is_int(v) || v->kind == CV_TV_FLOAT;
}
static inline int64_t cv_tv_whole(const cv_tv *v)
{
    return v->kind == CV_TV_BOOL ? v->truth : v->number;
}
static inline double cv_tv_real(const cv_tv *v)
{
    return v->kind == CV_TV_FLOAT ? v->real : (double)cv_tv_whole(v);
}

cv_str cv_tv_word(const cv_tv *v); /* "list": Python's name of the type */

bool cv_tv_of_json(cv_run *run, const cv_json *json, cv_tv *ret);
cv_tv cv_tv_new_list(cv_run *run, cv_tv_kind kind, size_t room);
void cv_tv_add(cv_run *run, cv_tv *list, cv_tv item);
cv_tv cv_tv_pair(cv_run *run, cv_tv first, cv_tv second);
cv_tv cv_tv_new_dict(cv_run *run);
bool cv_tv_put(cv_run *run, cv_tdict *dict, cv_tv key, cv_tv value); /* false: the key cannot be one */

/* The value of a key, or NULL. A key that cannot be one (a list) is met by none: *ret_hashable false, if not NULL. */
const cv_tv *cv_tv_get(cv_run *run, const cv_tdict *dict, const cv_tv *key, bool *ret_hashable);

/* A text that is the same for equal values, for sets; absent: the value cannot be a key. */
cv_str cv_tv_key(cv_run *run, const cv_tv *v);

/* What can fail is asked with a result; a failure is reported in run->err. */
bool cv_tv_truth(cv_run *run, const cv_tv *v, bool *ret);
bool cv_tv_equal(cv_run *run, const cv_tv *x, const cv_tv *y, bool *ret);
bool cv_tv_less(cv_run *run, const cv_tv *x, const cv_tv *y, bool *ret); /* x < y */
bool cv_tv_order(cv_run *run, const cv_tv *x, const cv_tv *y, int op, bool *ret);
bool cv_tv_in(cv_run *run, const cv_tv *item, const cv_tv *all, bool *ret);
bool cv_tv_length(cv_run *run, const cv_tv *v, int64_t *ret);

/* str(v): into a buffer, as a text (a text is itself), and "v is a text or becomes one, still marked as escaped". */
bool cv_tv_print(cv_run *run, const cv_tv *v, cv_buf *out);
bool cv_tv_text(cv_run *run, const cv_tv *v, cv_str *ret);
bool cv_tv_soft(cv_run *run, const cv_tv *v, cv_tv *ret);
bool cv_tv_repr(cv_run *run, const cv_tv *v, cv_buf *out);
bool cv_tv_json(cv_run *run, const cv_tv *v, const cv_tv *indent, cv_buf *out);
void cv_t_print_float(double real, cv_buf *out);

/* Python's int(text, base) and float(text). CV_T_OTHER: the text is not a number; CV_T_BEYOND: above 64 bits. */
typedef enum { CV_T_FINE, CV_T_OTHER, CV_T_BEYOND } cv_t_reading;
cv_t_reading cv_t_read_int(cv_str text, int64_t base, int64_t *ret);
cv_t_reading cv_t_read_float(cv_arena *a, cv_str text, double *ret);

/* ---- texts (letters.c) ------------------------------------------------------------------------------- */

typedef enum { CV_T_LOWER, CV_T_UPPER, CV_T_CAPITAL, CV_T_TITLE } cv_t_case;
bool cv_t_recase(cv_run *run, cv_str text, cv_t_case way, cv_str *ret);
bool cv_t_is_cased(cv_str text, bool upper); /* islower(), isupper() */
bool cv_t_is_word(uint32_t code);            /* a letter, a digit or "_" */
bool cv_t_is_printable(uint32_t code);
cv_str cv_t_strip(cv_str text, const cv_str *set, bool left, bool right); /* set NULL: white space */
bool cv_t_escape(cv_run *run, cv_str text, cv_str *ret);                  /* for HTML */
bool cv_t_replace(cv_run *run, cv_str text, cv_str old, cv_str new_, int64_t most, cv_str *ret);
bool cv_t_next_line(cv_str *rest, cv_str *ret_line); /* splitlines() */
size_t cv_t_offset(cv_str text, int64_t characters); /* where that character begins; the end, when there are fewer */

/* ---- the tree (parse.c) ------------------------------------------------------------------------------ */

typedef enum {
    CV_N_CONST,
    CV_N_NAME,
    CV_N_LIST,
    CV_N_TUPLE,
    CV_N_DICT, /* kids: key, value, key, value … */
    CV_N_ATTRIBUTE,
    CV_N_ITEM,
    CV_N_SLICE, /* kids: of what, from, to, step; each but the first may be NULL */
    CV_N_CALL,
    CV_N_FILTER, /* kids[0] is NULL where a body is filtered */
    CV_N_TEST,
    CV_N_NOT,
    CV_N_SIGN,
    CV_N_MATHS,
    CV_N_AND,
    CV_N_OR,
    CV_N_COMPARE, /* ops: one less than kids */
    CV_N_CONCAT,
    CV_N_CHOICE /* kids: then, if, else; the last may be NULL */
} cv_n_kind;

enum { CV_OP_IN = 256 * 256, CV_OP_NOT_IN }; /* beside the operators of tokens */

struct cv_tnode {
    cv_n_kind kind;
    int op;
    unsigned height;
    size_t at, end; /* in its source */
    const cv_tsource *source;
    cv_tv value;     /* const */
    cv_str name;     /* name, attribute, filter, test */
    size_t symbol;   /* name */
    const void *row; /* filter, test: its row */
    cv_tnode **kids;
    size_t count;
    size_t positional; /* call, filter, test: kids[1] … are so many arguments; then those with names */
    cv_str *names;
    int *ops;
};

typedef enum {
    CV_S_DATA,
    CV_S_PRINT,
    CV_S_IF, /* exprs[i] with bodies[i]; one body more is the else */
    CV_S_FOR,
    CV_S_SET,
    CV_S_SET_BODY,
    CV_S_WITH,
    CV_S_FILTER,
    CV_S_INCLUDE
} cv_s_kind;

typedef struct cv_tstmt cv_tstmt;

/* A scope: a template, the body of a loop, of with, filter or set. Jinja decides before a template runs which names a
 * scope has: one that it sets before it reads it is nothing until then, even if the context has it, also for the scopes
 * within. Names in an if are read, whatever is done with them. */
typedef struct cv_tframe cv_tframe;
struct cv_tframe {
    cv_tframe *parent;
    cv_map names; /* that the scope itself mentions */
    unsigned ifs; /* that are open */
    struct {
        size_t *items;
        size_t count, capacity;
    } hidden; /* symbols that are set first */
};

typedef struct {
    cv_tstmt *items;
    size_t count, capacity;
    const cv_tframe *frame; /* NULL: it is not a scope */
} cv_tbody;

struct cv_tstmt {
    cv_s_kind kind;
    size_t at;
    cv_str text; /* data */
    cv_tnode *target, *expr, *condition;
    struct {
        cv_tnode **items;
        size_t count, capacity;
    } exprs, assigned;
    struct {
        cv_tbody *items;
        size_t count, capacity;
    } bodies;
    bool has_loop;       /* for: the body names `loop` */
    bool ignore_missing; /* include */
    bool without_context;
};

typedef struct {
    const cv_tsource *source;
    cv_tbody body;
} cv_ttree;

/* Names are numbered over all templates of a render. */
typedef struct {
    cv_map numbers; /* name -> number + 1 */
    cv_texts names;
} cv_tsymbols;

bool cv_t_parse(cv_arena *a, const cv_tsource *source, cv_tsymbols *symbols, cv_ttree *ret_tree, cv_err *err);

/* ---- a render (render.c, eval.c) --------------------------------------------------------------------- */

/* What a name stands for: what was set, else what it was first. */
typedef struct {
    cv_tv value, first;
    bool bound, has_first;
    const cv_tsource *hidden_in; /* it is not set yet in this template */
} cv_tbinding;

typedef struct {
    size_t symbol;
    cv_tv before;
    bool was_bound;
    const cv_tsource *hidden_in;
} cv_tundo;

struct cv_run {
    cv_arena arena; /* of this render alone */
    const cv_template_rules *rules;
    cv_template_limits limits;
    const cv_json *context;
    cv_tsymbols symbols;
    struct {
        cv_tbinding *items;
        size_t count, capacity;
    } bindings; /* of every name that was read */
    struct {
        cv_tundo *items;
        size_t count, capacity;
    } undo; /* what scopes that are open have hidden */
    cv_map trees;
    cv_buf *out, *template_out; /* where text goes; … of the template that is rendered, outside of captured bodies */
    uint64_t steps;
    unsigned depth;     /* of recursion in values */
    unsigned includes;  /* that are open */
    const cv_tnode *at; /* what is evaluated: the place of an error */
    const cv_tsource *source;
    struct {
        cv_template_name *items;
        size_t count, capacity;
    } missing;
    cv_map missing_names;
    size_t loop_symbol;       /* 0: the number of `loop` */
    unsigned without_context; /* includes without context that are open */
    cv_tv filtered;           /* what a filter without a value works on: a body */
    cv_err *err;
};

/* At run->at; always false. */
bool cv_run_fail(cv_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool cv_run_limit(cv_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool cv_run_unsupported(cv_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool cv_run_step(cv_run *run, uint64_t steps);
bool cv_run_bytes(cv_run *run, size_t bytes); /* so many are about to be made */
bool cv_run_grown(cv_run *run, const cv_buf *out, size_t from); /* bytes were added to what had `from` of them */
bool cv_run_deeper(cv_run *run);              /* then run->depth-- */

/* Something undefined is used. True: as nothing, which in strict mode is noted. False: it fails (`harmless` false). */
bool cv_run_missing(cv_run *run, const cv_tv *v, bool harmless);

bool cv_run_ready(cv_run *run); /* names of a template that was read have their first values */
void cv_run_bind(cv_run *run, size_t symbol, cv_tv value);
void cv_run_unbind(cv_run *run, size_t mark); /* everything bound since undo.count was `mark` */
void cv_run_hide(cv_run *run, size_t symbol);
void cv_run_hide_all(cv_run *run);
bool cv_run_lookup(cv_run *run, const cv_tnode *node, cv_tv *ret);

bool cv_t_eval(cv_run *run, const cv_tnode *node, cv_tv *ret);
bool cv_t_attribute(cv_run *run, const cv_tv *of, cv_str name, cv_tv *ret); /* of.name */
bool cv_t_item(cv_run *run, const cv_tv *of, const cv_tv *key, cv_tv *ret); /* of[key] */
bool cv_t_add(cv_run *run, const cv_tv *x, const cv_tv *y, cv_tv *ret);     /* x + y */
bool cv_t_modulo(cv_run *run, const cv_tv *x, const cv_tv *y, cv_tv *ret);  /* x % y */
bool cv_t_slice(cv_run *run, const cv_tv *of, const int64_t *from, const int64_t *to, int64_t step, cv_tv *ret);

/* ---- what can be iterated (items.c) ------------------------------------------------------------------ */

typedef struct {
    cv_tv of;
    size_t index;
    cv_str rest; /* of a text */
} cv_titer;

/* Fails for what cannot be iterated. What is undefined has no items. */
bool cv_t_iterate(cv_run *run, const cv_tv *v, cv_titer *ret);
bool cv_t_can_iterate(const cv_tv *v);
/* The next one: true with *ret_more, false for a failure. */
bool cv_t_next(cv_run *run, cv_titer *iter, cv_tv *ret, bool *ret_more);
bool cv_t_list(cv_run *run, const cv_tv *v, cv_tv *ret);                      /* list(v) */
bool cv_t_sort(cv_run *run, cv_tv *list, const cv_tlist *keys, bool reverse); /* stable, by keys[i] of items[i] */
bool cv_t_sorted_items(cv_run *run, const cv_tv *dict, cv_tv *ret);           /* pairs, by key */
bool cv_t_reversed(cv_run *run, const cv_tv *v, cv_tv *ret);

/* Arguments as they were written: by place, then by name. */
typedef struct {
    const cv_tv *items;
    size_t positional, count;
    const cv_str *names; /* of those behind the positional ones */
} cv_targs;

/* A generator takes items of another value when it is asked for one. */
typedef enum {
    CV_G_FILTER,    /* map("upper") */
    CV_G_ATTRIBUTE, /* map(attribute="x") */
    CV_G_SELECT,    /* select, reject, selectattr, rejectattr */
    CV_G_UNIQUE,
    CV_G_BATCH,
    CV_G_PLAIN /* the items as they are: items, reverse */
} cv_g_kind;

struct cv_tgen {
    cv_g_kind kind;
    cv_titer from;
    const void *row;        /* of the filter or test; NULL with SELECT: truth */
    cv_targs args;          /* for it */
    bool by_attribute;      /* SELECT, UNIQUE: asked of the attribute */
    cv_tv attribute, other; /* ATTRIBUTE: what stands for an undefined one */
    bool reject, case_sensitive;
    cv_map seen;
    int64_t lines; /* BATCH */
    cv_tv pending; /* BATCH: what did not fit any more */
    bool has_pending, started, done;
    const char *trouble; /* told when the first item is asked for, and there is one */
};

bool cv_tgen_next(cv_run *run, cv_tgen *gen, cv_tv *ret, bool *ret_more); /* filters_items.c */

struct cv_tloop {
    cv_titer iter;
    cv_tv of;
    int64_t index0;
    int64_t length; /* -1: not known */
    cv_tv before, current, after, changed;
    bool has_after, at_end, was_called;
};

bool cv_tloop_attribute(cv_run *run, cv_tloop *loop, cv_str name, const cv_tnode *node, cv_tv *ret, bool *ret_found);
bool cv_tloop_next(cv_run *run, cv_tloop *loop, cv_tv *ret, bool *ret_more);
bool cv_tloop_length(cv_run *run, cv_tloop *loop, int64_t *ret);

/* ---- what can be called (filters_*.c, tests.c, methods.c) --------------------------------------------- */

enum { CV_T_PARAMS = 6 };

/* `args[0]` is what is before the bar; an argument that was not given is undefined, with .node NULL. */
typedef bool (*cv_t_work)(cv_run *run, cv_tv *args, cv_tv *ret);

typedef struct {
    const char *name;
    const char *params[CV_T_PARAMS]; /* without the value itself */
    size_t required;
    cv_t_work work;
    bool (*raw)(cv_run *run, const cv_tv *value, const cv_targs *args, cv_tv *ret); /* instead: any arguments */
} cv_tfilter;

extern const cv_tfilter cv_tfilters_text[], cv_tfilters_items[], cv_tfilters_other[], cv_ttests[];
const cv_tfilter *cv_tfilter_find(cv_str name);
const cv_tfilter *cv_ttest_find(cv_str name);
bool cv_t_jinja_has(cv_str name, bool test); /* a filter or test of Jinja that is not supported here */
bool cv_t_fit(cv_run *run, const char *name, const char *const params[CV_T_PARAMS], size_t required,
              const cv_targs *args, cv_tv *to);
bool cv_tfilter_call(cv_run *run, const cv_tfilter *row, const char *what, const cv_tv *value, const cv_targs *args,
                     cv_tv *ret);

static inline bool cv_targ_given(const cv_tv *v)
{
    return v->kind != CV_TV_UNDEFINED || v->node;
}

typedef struct cv_tmethod {
    cv_tv_kind of;
    const char *name;
    const char *params[CV_T_PARAMS];
    size_t required;
    cv_t_work work; /* args[0]: self */
    bool (*raw)(cv_run *run, const cv_tv *self, const cv_targs *args, cv_tv *ret);
} cv_tmethod;

const cv_tmethod *cv_tmethod_find(cv_tv_kind of, cv_str name);
const cv_tmethod *cv_tglobal_find(cv_str name);
bool cv_t_python_has(const cv_tv *of, cv_str name); /* an attribute in Python that is not one here */
bool cv_tmethod_call(cv_run *run, const cv_tcallable *callable, const cv_targs *args, cv_tv *ret);

/* An argument as a number or a truth, or a failure; `otherwise`, or false, when it was not given. */
bool cv_targ_int(cv_run *run, const cv_tv *v, const char *name, int64_t otherwise, int64_t *ret);
bool cv_targ_truth(cv_run *run, const cv_tv *v, bool *ret);

#endif
