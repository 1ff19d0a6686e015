/* parser.h - what the two halves of the parser share: parse_expr.c reads expressions, parse.c tags and templates. */
#ifndef CV_KIT_TEMPLATE_PARSER_H
#define CV_KIT_TEMPLATE_PARSER_H

#include "kit/template/parts.h"

typedef struct {
    cv_arena *arena;
    const cv_tsource *source;
    cv_tsymbols *symbols;
    const cv_tok *tok;
    size_t end; /* of the token that was taken last */
    unsigned depth;
    size_t loops;     /* how often `loop` was named so far */
    cv_tframe *frame; /* the scope that is read */
    bool quiet;       /* names are assigned to: they are mentioned later */
    struct {
        cv_tframe **items;
        size_t count, capacity;
    } frames; /* all of them */
    cv_err *err;
} cv_tparser;

/* Tokens: what the next one is, taking it, or an error. */
bool cv_tp_fail(cv_tparser *p, const char *expected);
bool cv_tp_unsupported(cv_tparser *p, size_t at, const char *what);
void cv_tp_take(cv_tparser *p);
bool cv_tp_is_name(const cv_tok *tok, const char *name);
bool cv_tp_is_op(const cv_tparser *p, int op);
bool cv_tp_skip_name(cv_tparser *p, const char *name);
bool cv_tp_skip_op(cv_tparser *p, int op);
bool cv_tp_expect_op(cv_tparser *p, char op);
bool cv_tp_expect_name(cv_tparser *p, cv_str *ret_name);
bool cv_tp_expect_tag_end(cv_tparser *p);

/* The scope mentions the name: it reads it, or sets it. */
void cv_tp_mention(cv_tparser *p, cv_str name, size_t symbol, bool sets);

/* One level deeper in the template, which is not nested without end; then depth--. */
bool cv_tp_deeper(cv_tparser *p);

/* Expressions: whole ones, without a choice, and parts of them. */
bool cv_tp_expression(cv_tparser *p, cv_tnode **ret);
bool cv_tp_or(cv_tparser *p, cv_tnode **ret);
bool cv_tp_primary(cv_tparser *p, cv_tnode **ret);
bool cv_tp_tuple(cv_tparser *p, bool (*one)(cv_tparser *p, cv_tnode **ret), const char *until, bool in_parentheses,
                 cv_tnode **ret);
bool cv_tp_name(cv_tparser *p, cv_tnode **ret);
bool cv_tp_dot(cv_tparser *p, cv_tnode *of, cv_tnode **ret);
bool cv_tp_applied(cv_tparser *p, cv_tnode *of, bool test, cv_tnode **ret);

#endif
