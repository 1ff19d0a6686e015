/* parse_expr.c - expressions as a tree, by recursive descent in Jinja's own order of precedence:
 *
 *     a if c else b      choice
 *     or  and  not
 *     < == in …          compare: a < b < c is one node
 *     + -
 *     ~                  concat: a ~ b ~ c is one node
 *     * / // %
 *     **                 from left to right, unlike Python
 *     - +                before a primary; filters and tests bind less tightly than a sign
 *     x.y x[y] x(y)  x|f  x is t
 *
 * A tree is at most CV_T_HEIGHT levels high, so that nobody who walks along it runs out of stack; the parser counts its
 * own levels for the same reason.
 */
#include "base/utf8.h"

#include "kit/template/parser.h"
#include <assert.h>

typedef struct {
    cv_tnode **items;
    size_t count, capacity;
} node_list;

static bool parse_unary(cv_tparser *p, bool with_filter, cv_tnode **ret);

/* ---- tokens ------------------------------------------------------------------------------------------ */

static cv_str describe(const cv_tparser *p, const cv_tok *tok)
{
    switch (tok->kind) {
    case CV_TOK_END:
        return CV_STR("the end of the template");
    case CV_TOK_PRINT_END:
        return CV_STR("'}}'");
    case CV_TOK_TAG_END:
        return CV_STR("'%}'");
    case CV_TOK_STRING:
        return CV_STR("a text");
    default:
        return cv_arena_printf(p->err->arena, "'%.*s'", CV_FMT(cv_excerpt(p->err->arena, tok->text)));
    }
}

bool cv_tp_fail(cv_tparser *p, const char *expected)
{
    cv_str found = describe(p, p->tok);
    return cv_t_fail_at(p->err, p->source, p->tok->at, CV_ERR_TEMPLATE, "%s expected, found %.*s", expected,
                        CV_FMT(found));
}

bool cv_tp_unsupported(cv_tparser *p, size_t at, const char *what)
{
    cv_t_fail_at(p->err, p->source, at, CV_ERR_TEMPLATE, "%s is not supported", what);
    cv_err_suggest(p->err, CV_STR("docs/templates.md lists what templates can use"));
    return false;
}

void cv_tp_take(cv_tparser *p)
{
    assert(p->tok->kind != CV_TOK_END && "nothing follows the end");
    p->end = p->tok->at + p->tok->text.n + (p->tok->kind == CV_TOK_STRING ? 2 : 0);
    p->tok++;
}

bool cv_tp_is_name(const cv_tok *tok, const char *name)
{
    return tok->kind == CV_TOK_NAME && cv_str_eq(tok->text, cv_str_of(name));
}

bool cv_tp_is_op(const cv_tparser *p, int op)
{
    return p->tok->kind == CV_TOK_OP && p->tok->op == op;
}

bool cv_tp_skip_name(cv_tparser *p, const char *name)
{
    if (!cv_tp_is_name(p->tok, name))
        return false;
    cv_tp_take(p);
    return true;
}

bool cv_tp_skip_op(cv_tparser *p, int op)
{
    if (!cv_tp_is_op(p, op))
        return false;
    cv_tp_take(p);
    return true;
}

bool cv_tp_expect_op(cv_tparser *p, char op)
{
    char expected[] = {'\'', op, '\'', '\0'};
    return cv_tp_skip_op(p, CV_OP1(op)) || cv_tp_fail(p, expected);
}

bool cv_tp_expect_name(cv_tparser *p, cv_str *ret_name)
{
    if (p->tok->kind != CV_TOK_NAME)
        return cv_tp_fail(p, "a name");
    *ret_name = p->tok->text;
    cv_tp_take(p);
    return true;
}

bool cv_tp_expect_tag_end(cv_tparser *p)
{
    if (p->tok->kind != CV_TOK_TAG_END)
        return cv_tp_fail(p, "'%}'");
    cv_tp_take(p);
    return true;
}

/* ---- node_list ------------------------------------------------------------------------------------------- */

static bool make(cv_tparser *p, cv_n_kind kind, size_t at, const node_list *kids, cv_tnode **ret)
{
    cv_tnode *node = CV_NEW(p->arena, cv_tnode);
    *node = (cv_tnode){.kind = kind, .at = at, .end = p->end, .source = p->source, .height = 1};
    if (kids) {
        node->kids = kids->items;
        node->count = kids->count;
        for (size_t i = 0; i < kids->count; i++)
            if (kids->items[i] && kids->items[i]->height >= node->height)
                node->height = kids->items[i]->height + 1;
    }
    *ret = node;
    return node->height <= CV_T_HEIGHT ||
           cv_t_fail_at(p->err, p->source, at, CV_ERR_TOO_LARGE, "the expression is nested more than %d levels deep",
                        CV_T_HEIGHT);
}

static void add(cv_tparser *p, node_list *list, cv_tnode *node)
{
    *CV_PUSH(p->arena, list) = node;
}

static bool join(cv_tparser *p, cv_n_kind kind, int op, cv_tnode *left, cv_tnode *right, cv_tnode **ret)
{
    node_list kids = {0};
    add(p, &kids, left);
    if (right)
        add(p, &kids, right);
    if (!make(p, kind, left->at, &kids, ret))
        return false;
    (*ret)->op = op;
    return true;
}

bool cv_tp_deeper(cv_tparser *p)
{
    return ++p->depth <= CV_T_HEIGHT || cv_t_fail_at(p->err, p->source, p->tok->at, CV_ERR_TOO_LARGE,
                                                     "the template is nested more than %d levels deep", CV_T_HEIGHT);
}

static bool constant(cv_tparser *p, size_t at, cv_tv value, cv_tnode **ret)
{
    if (!make(p, CV_N_CONST, at, NULL, ret))
        return false;
    (*ret)->value = value;
    return true;
}

static size_t symbol(cv_tparser *p, cv_str name)
{
    bool new_;
    uintptr_t *number = cv_map_put(&p->symbols->numbers, p->arena, name, &new_);
    if (new_) {
        *CV_PUSH(p->arena, &p->symbols->names) = name;
        *number = p->symbols->names.count;
    }
    return *number - 1;
}

/* ---- literals ---------------------------------------------------------------------------------------- */

/* "a" "b" is "ab". */
static bool parse_string(cv_tparser *p, cv_tnode **ret)
{
    size_t at = p->tok->at;
    cv_buf out = {0};
    const char *trouble = NULL;
    while (!trouble && p->tok->kind == CV_TOK_STRING) {
        trouble = cv_t_decode(p->tok->text, &out);
        cv_tp_take(p);
    }
    cv_str text = cv_buf_take(&out, p->arena);
    return trouble ? cv_t_fail_at(p->err, p->source, at, CV_ERR_TEMPLATE, "%s", trouble)
                   : constant(p, at, cv_tv_str(text), ret);
}

static bool parse_number(cv_tparser *p, cv_tnode **ret)
{
    const cv_tok *tok = p->tok;
    cv_tv value;
    if (tok->kind == CV_TOK_FLOAT) {
        double real;
        cv_t_read_float(p->arena, tok->text, &real);
        value = cv_tv_float(real);
    } else {
        int64_t number;
        if (cv_t_read_int(tok->text, 0, &number) != CV_T_FINE)
            return cv_tp_unsupported(p, tok->at, "a whole number above 64 bits");
        value = cv_tv_int(number);
    }
    cv_tp_take(p);
    return constant(p, tok->at, value, ret);
}

/* ---- primaries --------------------------------------------------------------------------------------- */

static bool is_tuple_end(const cv_tparser *p, const char *word)
{
    return p->tok->kind == CV_TOK_PRINT_END || p->tok->kind == CV_TOK_TAG_END || cv_tp_is_op(p, CV_OP1(')')) ||
           (word && cv_tp_is_name(p->tok, word));
}

/* Expressions with commas between them make a tuple; one without a comma is itself. `until` may end it, too. */
bool cv_tp_tuple(cv_tparser *p, bool (*one)(cv_tparser *p, cv_tnode **ret), const char *until, bool in_parentheses,
                 cv_tnode **ret)
{
    size_t at = p->tok->at;
    node_list items = {0};
    bool is_tuple = false;
    while (!is_tuple_end(p, until)) {
        cv_tnode *item;
        if (!one(p, &item))
            return false;
        add(p, &items, item);
        if (!cv_tp_skip_op(p, CV_OP1(',')))
            break;
        is_tuple = true;
    }
    if (!is_tuple && items.count > 0) {
        *ret = items.items[0];
        return true;
    }
    if (!is_tuple && !in_parentheses)
        return cv_tp_fail(p, "an expression");
    return make(p, CV_N_TUPLE, at, &items, ret);
}

static bool parse_list(cv_tparser *p, cv_tnode **ret)
{
    size_t at = p->tok->at;
    node_list items = {0};
    cv_tp_take(p);
    while (!cv_tp_is_op(p, CV_OP1(']'))) {
        cv_tnode *item;
        if (items.count > 0 && !cv_tp_expect_op(p, ','))
            return false;
        if (cv_tp_is_op(p, CV_OP1(']')))
            break;
        if (!cv_tp_expression(p, &item))
            return false;
        add(p, &items, item);
    }
    cv_tp_take(p);
    return make(p, CV_N_LIST, at, &items, ret);
}

static bool parse_dict(cv_tparser *p, cv_tnode **ret)
{
    size_t at = p->tok->at;
    node_list items = {0};
    cv_tp_take(p);
    while (!cv_tp_is_op(p, CV_OP1('}'))) {
        cv_tnode *key, *value;
        if (items.count > 0 && !cv_tp_expect_op(p, ','))
            return false;
        if (cv_tp_is_op(p, CV_OP1('}')))
            break;
        if (!cv_tp_expression(p, &key) || !cv_tp_expect_op(p, ':') || !cv_tp_expression(p, &value))
            return false;
        add(p, &items, key);
        add(p, &items, value);
    }
    cv_tp_take(p);
    return make(p, CV_N_DICT, at, &items, ret);
}

bool cv_tp_name(cv_tparser *p, cv_tnode **ret)
{
    static const struct {
        const char *word;
        cv_tv value;
    } words[] = {
        {"true", {.kind = CV_TV_BOOL, .truth = true}},
        {"True", {.kind = CV_TV_BOOL, .truth = true}},
        {"false", {.kind = CV_TV_BOOL, .truth = false}},
        {"False", {.kind = CV_TV_BOOL, .truth = false}},
        {"none", {.kind = CV_TV_NONE}},
        {"None", {.kind = CV_TV_NONE}},
    };
    const cv_tok *tok = p->tok;
    cv_tp_take(p);
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_tp_is_name(tok, words[i].word))
            return constant(p, tok->at, words[i].value, ret);
    if (!make(p, CV_N_NAME, tok->at, NULL, ret))
        return false;
    (*ret)->name = tok->text;
    (*ret)->symbol = symbol(p, tok->text);
    if (!p->quiet)
        cv_tp_mention(p, tok->text, (*ret)->symbol, false);
    p->loops += cv_tp_is_name(tok, "loop");
    return true;
}

bool cv_tp_primary(cv_tparser *p, cv_tnode **ret)
{
    const cv_tok *tok = p->tok;
    if (tok->kind == CV_TOK_NAME)
        return cv_tp_name(p, ret);
    if (tok->kind == CV_TOK_STRING)
        return parse_string(p, ret);
    if (tok->kind == CV_TOK_INT || tok->kind == CV_TOK_FLOAT)
        return parse_number(p, ret);
    if (!cv_tp_deeper(p))
        return false;
    bool good;
    if (cv_tp_skip_op(p, CV_OP1('(')))
        good = cv_tp_tuple(p, cv_tp_expression, NULL, true, ret) && cv_tp_expect_op(p, ')');
    else if (cv_tp_is_op(p, CV_OP1('[')))
        good = parse_list(p, ret);
    else if (cv_tp_is_op(p, CV_OP1('{')))
        good = parse_dict(p, ret);
    else
        good = cv_tp_fail(p, "an expression");
    p->depth--;
    return good;
}

/* ---- behind a primary -------------------------------------------------------------------------------- */

/* One side of a colon in a slice, or nothing. */
static bool parse_bound(cv_tparser *p, cv_tnode **ret)
{
    *ret = NULL;
    return cv_tp_is_op(p, CV_OP1(':')) || cv_tp_is_op(p, CV_OP1(']')) || cv_tp_is_op(p, CV_OP1(',')) ||
           cv_tp_expression(p, ret);
}

static bool parse_subscript(cv_tparser *p, cv_tnode *of, cv_tnode **ret)
{
    node_list kids = {0};
    cv_tnode *first, *second = NULL, *third = NULL;
    cv_tp_take(p);
    if (cv_tp_is_op(p, CV_OP1(']')))
        return cv_tp_unsupported(p, p->tok->at, "an empty subscript");
    if (!parse_bound(p, &first))
        return false;
    bool is_slice = cv_tp_skip_op(p, CV_OP1(':'));
    if (is_slice && (!parse_bound(p, &second) || (cv_tp_skip_op(p, CV_OP1(':')) && !parse_bound(p, &third))))
        return false;
    if (cv_tp_is_op(p, CV_OP1(',')))
        return cv_tp_unsupported(p, p->tok->at, "a subscript with a comma");
    if (!cv_tp_expect_op(p, ']'))
        return false;
    add(p, &kids, of);
    add(p, &kids, first);
    if (is_slice) {
        add(p, &kids, second);
        add(p, &kids, third);
    }
    return make(p, is_slice ? CV_N_SLICE : CV_N_ITEM, of->at, &kids, ret);
}

bool cv_tp_dot(cv_tparser *p, cv_tnode *of, cv_tnode **ret)
{
    cv_tp_take(p);
    const cv_tok *tok = p->tok;
    if (tok->kind == CV_TOK_INT) {
        cv_tnode *index;
        return parse_number(p, &index) && join(p, CV_N_ITEM, 0, of, index, ret);
    }
    if (tok->kind != CV_TOK_NAME)
        return cv_tp_fail(p, "a name or a number");
    cv_tp_take(p);
    if (!join(p, CV_N_ATTRIBUTE, 0, of, NULL, ret))
        return false;
    (*ret)->name = tok->text;
    return true;
}

/* "(a, b, name=c)": behind what is called, or behind a filter or test. */
static bool parse_arguments(cv_tparser *p, node_list *kids, size_t *ret_positional, cv_str **ret_names)
{
    cv_texts names = {0};
    size_t before = kids->count;
    cv_tp_take(p);
    while (!cv_tp_is_op(p, CV_OP1(')'))) {
        cv_tnode *value;
        if (kids->count > before && (!cv_tp_expect_op(p, ',') || cv_tp_is_op(p, CV_OP1(')'))))
            break;
        if (cv_tp_is_op(p, CV_OP1('*')) || cv_tp_is_op(p, CV_OP2('*', '*')))
            return cv_tp_unsupported(p, p->tok->at, "a list of arguments (* or **)");
        if (p->tok->kind == CV_TOK_NAME && p->tok[1].kind == CV_TOK_OP && p->tok[1].op == CV_OP1('=')) {
            for (size_t i = 0; i < names.count; i++)
                if (cv_str_eq(names.items[i], p->tok->text))
                    return cv_t_fail_at(p->err, p->source, p->tok->at, CV_ERR_TEMPLATE,
                                        "the argument '%.*s' is given twice", CV_FMT(p->tok->text));
            *CV_PUSH(p->arena, &names) = p->tok->text;
            cv_tp_take(p);
            cv_tp_take(p);
        } else if (names.count > 0)
            return cv_tp_fail(p, "an argument with a name");
        if (!cv_tp_expression(p, &value))
            return false;
        add(p, kids, value);
    }
    if (!cv_tp_expect_op(p, ')'))
        return false;
    *ret_positional = kids->count - before - names.count;
    *ret_names = names.items;
    return true;
}

static bool parse_call(cv_tparser *p, cv_tnode *of, cv_tnode **ret)
{
    node_list kids = {0};
    size_t positional = 0;
    cv_str *names = NULL;
    add(p, &kids, of);
    if (!parse_arguments(p, &kids, &positional, &names) || !make(p, CV_N_CALL, of->at, &kids, ret))
        return false;
    (*ret)->positional = positional;
    (*ret)->names = names;
    return true;
}

static bool parse_postfix(cv_tparser *p, cv_tnode **node)
{
    for (;;) {
        if (cv_tp_is_op(p, CV_OP1('.'))   ? !cv_tp_dot(p, *node, node)
            : cv_tp_is_op(p, CV_OP1('[')) ? !parse_subscript(p, *node, node)
            : cv_tp_is_op(p, CV_OP1('(')) ? !parse_call(p, *node, node)
                                          : false)
            return false;
        if (!cv_tp_is_op(p, CV_OP1('.')) && !cv_tp_is_op(p, CV_OP1('[')) && !cv_tp_is_op(p, CV_OP1('(')))
            return true;
    }
}

static bool unknown(cv_tparser *p, size_t at, cv_str name, bool test)
{
    const char *what = test ? "test" : "filter";
    bool known = cv_t_jinja_has(name, test);
    cv_t_fail_at(p->err, p->source, at, CV_ERR_TEMPLATE,
                 known ? "the %s '%.*s' of Jinja is not supported" : "there is no %s '%.*s'", what,
                 CV_FMT(cv_excerpt(p->err->arena, name)));
    cv_err_suggest(p->err, CV_STR("docs/templates.md lists what templates can use"));
    return false;
}

/* A filter or a test with its arguments; `of` NULL: a body is filtered. */
bool cv_tp_applied(cv_tparser *p, cv_tnode *of, bool test, cv_tnode **ret)
{
    node_list kids = {0};
    size_t positional = 0, at = p->tok->at;
    cv_str name = {0}, *names = NULL;
    if (!cv_tp_expect_name(p, &name))
        return false;
    if (cv_tp_is_op(p, CV_OP1('.')))
        return cv_tp_unsupported(p, at, "a filter or test with a dot in its name");
    const cv_tfilter *row = test ? cv_ttest_find(name) : cv_tfilter_find(name);
    if (!row)
        return unknown(p, at, name, test);
    add(p, &kids, of);
    if (cv_tp_is_op(p, CV_OP1('('))) {
        if (!parse_arguments(p, &kids, &positional, &names))
            return false;
    } else if (test &&
               (p->tok->kind == CV_TOK_NAME || p->tok->kind == CV_TOK_STRING || p->tok->kind == CV_TOK_INT ||
                p->tok->kind == CV_TOK_FLOAT || cv_tp_is_op(p, CV_OP1('[')) || cv_tp_is_op(p, CV_OP1('{'))) &&
               !cv_tp_is_name(p->tok, "else") && !cv_tp_is_name(p->tok, "or") && !cv_tp_is_name(p->tok, "and")) {
        cv_tnode *argument;
        if (cv_tp_is_name(p->tok, "is"))
            return cv_tp_fail(p, "something else than a second 'is'");
        if (!cv_tp_primary(p, &argument) || !parse_postfix(p, &argument))
            return false;
        add(p, &kids, argument);
        positional = 1;
    }
    if (!make(p, test ? CV_N_TEST : CV_N_FILTER, of ? of->at : at, &kids, ret))
        return false;
    (*ret)->positional = positional;
    (*ret)->names = names;
    (*ret)->name = name;
    (*ret)->row = row;
    return true;
}

static bool parse_test(cv_tparser *p, cv_tnode *of, cv_tnode **ret)
{
    cv_tp_take(p);
    bool negated = cv_tp_skip_name(p, "not");
    return cv_tp_applied(p, of, true, ret) && (!negated || join(p, CV_N_NOT, 0, *ret, NULL, ret));
}

static bool parse_filters(cv_tparser *p, cv_tnode **node)
{
    for (;;) {
        bool good = true;
        if (cv_tp_skip_op(p, CV_OP1('|')))
            good = cv_tp_applied(p, *node, false, node);
        else if (cv_tp_is_name(p->tok, "is"))
            good = parse_test(p, *node, node);
        else if (cv_tp_is_op(p, CV_OP1('(')))
            good = parse_call(p, *node, node);
        else
            return true;
        if (!good)
            return false;
    }
}

/* ---- operators --------------------------------------------------------------------------------------- */

static bool parse_unary(cv_tparser *p, bool with_filter, cv_tnode **ret)
{
    if (cv_tp_is_op(p, CV_OP1('-')) || cv_tp_is_op(p, CV_OP1('+'))) {
        int op = p->tok->op;
        size_t at = p->tok->at;
        cv_tp_take(p);
        if (!cv_tp_deeper(p) || !parse_unary(p, false, ret) || !join(p, CV_N_SIGN, op, *ret, NULL, ret))
            return false;
        (*ret)->at = at;
        p->depth--;
    } else if (!cv_tp_primary(p, ret))
        return false;
    return parse_postfix(p, ret) && (!with_filter || parse_filters(p, ret));
}

static bool parse_operand(cv_tparser *p, cv_tnode **ret)
{
    return parse_unary(p, true, ret);
}

/* x op y op z, from left to right, where `ops` ends with 0. */
static bool parse_row(cv_tparser *p, const int *ops, bool (*operand)(cv_tparser *p, cv_tnode **ret), cv_tnode **ret)
{
    if (!operand(p, ret))
        return false;
    for (;;) {
        const int *op = ops;
        while (*op && !cv_tp_is_op(p, *op))
            op++;
        if (!*op)
            return true;
        cv_tnode *right;
        cv_tp_take(p);
        if (!operand(p, &right) || !join(p, CV_N_MATHS, *op, *ret, right, ret))
            return false;
    }
}

static bool parse_power(cv_tparser *p, cv_tnode **ret)
{
    static const int ops[] = {CV_OP2('*', '*'), 0};
    return parse_row(p, ops, parse_operand, ret);
}

static bool parse_product(cv_tparser *p, cv_tnode **ret)
{
    static const int ops[] = {CV_OP1('*'), CV_OP1('/'), CV_OP2('/', '/'), CV_OP1('%'), 0};
    return parse_row(p, ops, parse_power, ret);
}

static bool parse_concat(cv_tparser *p, cv_tnode **ret)
{
    node_list kids = {0};
    if (!parse_product(p, ret))
        return false;
    if (!cv_tp_is_op(p, CV_OP1('~')))
        return true;
    size_t at = (*ret)->at;
    add(p, &kids, *ret);
    while (cv_tp_skip_op(p, CV_OP1('~'))) {
        if (!parse_product(p, ret))
            return false;
        add(p, &kids, *ret);
    }
    return make(p, CV_N_CONCAT, at, &kids, ret);
}

static bool parse_sum(cv_tparser *p, cv_tnode **ret)
{
    static const int ops[] = {CV_OP1('+'), CV_OP1('-'), 0};
    return parse_row(p, ops, parse_concat, ret);
}

/* The operator of a comparison, taken; 0: there is none. */
static int take_comparison(cv_tparser *p)
{
    static const int ops[] = {CV_OP2('=', '='), CV_OP2('!', '='), CV_OP1('<'),
                              CV_OP2('<', '='), CV_OP1('>'),      CV_OP2('>', '=')};
    for (size_t i = 0; i < CV_COUNT(ops); i++)
        if (cv_tp_skip_op(p, ops[i]))
            return ops[i];
    if (cv_tp_skip_name(p, "in"))
        return CV_OP_IN;
    if (!cv_tp_is_name(p->tok, "not") || !cv_tp_is_name(p->tok + 1, "in"))
        return 0;
    cv_tp_take(p);
    cv_tp_take(p);
    return CV_OP_NOT_IN;
}

static bool parse_compare(cv_tparser *p, cv_tnode **ret)
{
    node_list kids = {0};
    struct {
        int *items;
        size_t count, capacity;
    } ops = {0};
    if (!parse_sum(p, ret))
        return false;
    size_t at = (*ret)->at;
    add(p, &kids, *ret);
    for (int op; (op = take_comparison(p)) != 0;) {
        if (!parse_sum(p, ret))
            return false;
        add(p, &kids, *ret);
        *CV_PUSH(p->arena, &ops) = op;
    }
    if (ops.count == 0)
        return true;
    if (!make(p, CV_N_COMPARE, at, &kids, ret))
        return false;
    (*ret)->ops = ops.items;
    return true;
}

static bool parse_not(cv_tparser *p, cv_tnode **ret)
{
    size_t at = p->tok->at;
    if (!cv_tp_skip_name(p, "not"))
        return parse_compare(p, ret);
    if (!cv_tp_deeper(p) || !parse_not(p, ret) || !join(p, CV_N_NOT, 0, *ret, NULL, ret))
        return false;
    (*ret)->at = at;
    p->depth--;
    return true;
}

static bool parse_and(cv_tparser *p, cv_tnode **ret)
{
    cv_tnode *right;
    if (!parse_not(p, ret))
        return false;
    while (cv_tp_skip_name(p, "and"))
        if (!parse_not(p, &right) || !join(p, CV_N_AND, 0, *ret, right, ret))
            return false;
    return true;
}

bool cv_tp_or(cv_tparser *p, cv_tnode **ret)
{
    cv_tnode *right;
    if (!parse_and(p, ret))
        return false;
    while (cv_tp_skip_name(p, "or"))
        if (!parse_and(p, &right) || !join(p, CV_N_OR, 0, *ret, right, ret))
            return false;
    return true;
}

bool cv_tp_expression(cv_tparser *p, cv_tnode **ret)
{
    if (!cv_tp_deeper(p) || !cv_tp_or(p, ret))
        return false;
    while (cv_tp_skip_name(p, "if")) {
        node_list kids = {0};
        cv_tnode *condition, *other = NULL;
        if (!cv_tp_or(p, &condition) || (cv_tp_skip_name(p, "else") && !cv_tp_expression(p, &other)))
            return false;
        add(p, &kids, *ret);
        add(p, &kids, condition);
        add(p, &kids, other);
        if (!make(p, CV_N_CHOICE, (*ret)->at, &kids, ret))
            return false;
    }
    p->depth--;
    return true;
}
