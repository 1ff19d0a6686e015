/* parse.c - a template as a tree: text, prints and tags with their bodies. Each tag has a function that reads it. */
#include "base/utf8.h"

#include "kit/template/parser.h"
#include <assert.h>

static bool parse_body(cv_tparser *p, const char *const *ends, size_t opened_at, cv_tbody *ret);

/* ---- scopes ------------------------------------------------------------------------------------------ */

static void open_frame(cv_tparser *p)
{
    cv_tframe *frame = CV_NEW(p->arena, cv_tframe);
    *frame = (cv_tframe){.parent = p->frame};
    *CV_PUSH(p->arena, &p->frames) = frame;
    p->frame = frame;
}

void cv_tp_mention(cv_tparser *p, cv_str name, size_t symbol, bool sets)
{
    assert(p->frame && symbol < p->symbols->names.count);
    bool new_;
    cv_map_put(&p->frame->names, p->arena, name, &new_);
    if (new_ && sets && p->frame->ifs == 0)
        *CV_PUSH(p->arena, &p->frame->hidden) = symbol;
}

/* All names of a target: set, or given from outside. */
static void mention_target(cv_tparser *p, const cv_tnode *target, bool sets)
{
    if (target->kind == CV_N_NAME)
        cv_tp_mention(p, target->name, target->symbol, sets);
    for (size_t i = 0; target->kind == CV_N_TUPLE && i < target->count; i++)
        mention_target(p, target->kids[i], sets);
}

/* A name that a scope around it mentions anywhere has the value that it has there. */
static void settle_frames(cv_tparser *p)
{
    for (size_t i = 0; i < p->frames.count; i++) {
        cv_tframe *frame = p->frames.items[i];
        size_t kept = 0;
        for (size_t k = 0; k < frame->hidden.count; k++) {
            cv_str name = p->symbols->names.items[frame->hidden.items[k]];
            const cv_tframe *around = frame->parent;
            while (around && !cv_map_get(&around->names, name))
                around = around->parent;
            if (!around)
                frame->hidden.items[kept++] = frame->hidden.items[k];
        }
        frame->hidden.count = kept;
    }
}

/* ---- tags -------------------------------------------------------------------------------------------- */

/* "%}", the body, and the tag that ends it: *ret_end is the index of its word in `ends`. The body of an if is not a
 * scope. */
static bool parse_block(cv_tparser *p, const char *const *ends, size_t at, cv_tstmt *stmt, size_t *ret_end)
{
    cv_tbody body;
    cv_tframe *outer = p->frame;
    bool scope = stmt->kind != CV_S_IF;
    cv_tp_skip_op(p, CV_OP1(':'));
    if (!cv_tp_expect_tag_end(p))
        return false;
    if (scope)
        open_frame(p);
    if (stmt->kind == CV_S_FOR && stmt->bodies.count == 0)
        mention_target(p, stmt->target, false);
    for (size_t i = 0; i < stmt->assigned.count; i++)
        mention_target(p, stmt->assigned.items[i], false);
    p->frame->ifs += !scope;
    if (!parse_body(p, ends, at, &body))
        return false;
    p->frame->ifs -= !scope;
    assert((scope ? p->frame->parent : p->frame) == outer && "every scope that was opened within is closed");
    body.frame = scope ? p->frame : NULL;
    p->frame = outer;
    *CV_PUSH(p->arena, &stmt->bodies) = body;
    for (*ret_end = 0; !cv_tp_is_name(p->tok, ends[*ret_end]); ++*ret_end)
        assert(ends[*ret_end] && "parse_body() stops at one of them");
    cv_tp_take(p);
    return true;
}

static bool can_assign(cv_tparser *p, const cv_tnode *target)
{
    bool good = target->kind == CV_N_NAME || target->kind == CV_N_TUPLE;
    for (size_t i = 0; good && target->kind == CV_N_TUPLE && i < target->count; i++)
        if (!can_assign(p, target->kids[i]))
            return false;
    if (good && target->kind == CV_N_NAME && cv_str_eq(target->name, CV_STR("loop")))
        return cv_t_fail_at(p->err, p->source, target->at, CV_ERR_TEMPLATE,
                            "'loop' cannot be assigned: it is the state of the loop");
    return good || cv_t_fail_at(p->err, p->source, target->at, CV_ERR_TEMPLATE,
                                "nothing can be assigned to this: a name is expected");
}

static bool parse_target(cv_tparser *p, const char *until, cv_tnode **ret)
{
    size_t loops = p->loops;
    p->quiet = true;
    if (!cv_tp_tuple(p, cv_tp_primary, until, false, ret))
        return false;
    p->quiet = false;
    p->loops = loops;
    if (p->end > 0 && p->source->text.p[p->end - 1] == ',')
        return cv_tp_fail(p, "another name after the comma");
    return can_assign(p, *ret);
}

static bool parse_for(cv_tparser *p, cv_tstmt *stmt)
{
    static const char *const ends[] = {"else", "endfor", NULL}, *const end[] = {"endfor", NULL};
    size_t which;
    if (!parse_target(p, "in", &stmt->target))
        return false;
    if (!cv_tp_skip_name(p, "in"))
        return cv_tp_fail(p, "'in'");
    if (!cv_tp_tuple(p, cv_tp_or, "recursive", false, &stmt->expr))
        return false;
    cv_tframe *outer = p->frame;
    open_frame(p); /* a condition is a scope of its own */
    if (cv_tp_skip_name(p, "if") && !cv_tp_expression(p, &stmt->condition))
        return false;
    p->frame = outer;
    if (cv_tp_is_name(p->tok, "recursive"))
        return cv_tp_unsupported(p, p->tok->at, "a recursive loop");
    size_t loops = p->loops;
    if (!parse_block(p, ends, stmt->at, stmt, &which))
        return false;
    stmt->has_loop = p->loops > loops;
    return which == 1 || parse_block(p, end, stmt->at, stmt, &which);
}

static bool parse_if(cv_tparser *p, cv_tstmt *stmt)
{
    static const char *const ends[] = {"elif", "else", "endif", NULL}, *const end[] = {"endif", NULL};
    size_t which = 0;
    while (which == 0) {
        cv_tnode *test;
        if (!cv_tp_tuple(p, cv_tp_or, NULL, false, &test))
            return false;
        *CV_PUSH(p->arena, &stmt->exprs) = test;
        if (!parse_block(p, ends, stmt->at, stmt, &which))
            return false;
    }
    return which == 2 || parse_block(p, end, stmt->at, stmt, &which);
}

/* name|filter|filter, from what is there on; NULL: there is none. */
static bool parse_chain(cv_tparser *p, cv_tnode **ret)
{
    *ret = NULL;
    while (cv_tp_skip_op(p, CV_OP1('|')))
        if (!cv_tp_applied(p, *ret, false, ret))
            return false;
    return true;
}

static bool parse_set(cv_tparser *p, cv_tstmt *stmt)
{
    static const char *const end[] = {"endset", NULL};
    size_t which;
    if (p->tok->kind == CV_TOK_NAME && p->tok[1].kind == CV_TOK_OP && p->tok[1].op == CV_OP1('.')) {
        if (!cv_tp_name(p, &stmt->target) || !cv_tp_dot(p, stmt->target, &stmt->target))
            return false;
        if (stmt->target->kind != CV_N_ATTRIBUTE || stmt->target->kids[0]->kind != CV_N_NAME)
            return cv_tp_fail(p, "a name");
    } else if (!parse_target(p, NULL, &stmt->target))
        return false;
    bool plain = cv_tp_skip_op(p, CV_OP1('='));
    if (plain && !cv_tp_tuple(p, cv_tp_expression, NULL, false, &stmt->expr))
        return false;
    mention_target(p, stmt->target, true);
    if (plain)
        return true;
    stmt->kind = CV_S_SET_BODY;
    return parse_chain(p, &stmt->expr) && parse_block(p, end, stmt->at, stmt, &which);
}

static bool parse_with(cv_tparser *p, cv_tstmt *stmt)
{
    static const char *const end[] = {"endwith", NULL};
    size_t which;
    while (p->tok->kind != CV_TOK_TAG_END) {
        cv_tnode *target, *value;
        if (stmt->exprs.count > 0 && !cv_tp_expect_op(p, ','))
            return false;
        if (!parse_target(p, NULL, &target) || !cv_tp_expect_op(p, '=') || !cv_tp_expression(p, &value))
            return false;
        *CV_PUSH(p->arena, &stmt->assigned) = target;
        *CV_PUSH(p->arena, &stmt->exprs) = value;
    }
    return parse_block(p, end, stmt->at, stmt, &which);
}

static bool parse_filter_body(cv_tparser *p, cv_tstmt *stmt)
{
    static const char *const end[] = {"endfilter", NULL};
    size_t which;
    if (!cv_tp_applied(p, NULL, false, &stmt->expr))
        return false;
    while (cv_tp_skip_op(p, CV_OP1('|')))
        if (!cv_tp_applied(p, stmt->expr, false, &stmt->expr))
            return false;
    return parse_block(p, end, stmt->at, stmt, &which);
}

static bool parse_include(cv_tparser *p, cv_tstmt *stmt)
{
    if (!cv_tp_expression(p, &stmt->expr))
        return false;
    if (cv_tp_is_name(p->tok, "ignore") && cv_tp_is_name(p->tok + 1, "missing")) {
        cv_tp_take(p);
        cv_tp_take(p);
        stmt->ignore_missing = true;
    }
    if ((cv_tp_is_name(p->tok, "with") || cv_tp_is_name(p->tok, "without")) && cv_tp_is_name(p->tok + 1, "context")) {
        stmt->without_context = cv_tp_is_name(p->tok, "without");
        cv_tp_take(p);
        cv_tp_take(p);
    }
    return true;
}

/* A tag: its word decides. */
static bool parse_statement(cv_tparser *p, cv_tstmt *stmt)
{
    static const struct {
        const char *word;
        cv_s_kind kind;
        bool (*parse)(cv_tparser *p, cv_tstmt *stmt);
    } rows[] = {
        {"if", CV_S_IF, parse_if},
        {"for", CV_S_FOR, parse_for},
        {"set", CV_S_SET, parse_set},
        {"with", CV_S_WITH, parse_with},
        {"filter", CV_S_FILTER, parse_filter_body},
        {"include", CV_S_INCLUDE, parse_include},
    };
    static const char *const others[] = {"macro",      "call",  "import", "from",  "extends",  "block",
                                         "autoescape", "print", "do",     "break", "continue", "trans"};
    const cv_tok *tok = p->tok;
    if (tok->kind != CV_TOK_NAME)
        return cv_tp_fail(p, "the name of a tag");
    cv_tp_take(p);
    for (size_t i = 0; i < CV_COUNT(rows); i++)
        if (cv_tp_is_name(tok, rows[i].word)) {
            stmt->kind = rows[i].kind;
            return cv_tp_deeper(p) && rows[i].parse(p, stmt) && (p->depth--, cv_tp_expect_tag_end(p));
        }
    cv_str name = cv_excerpt(p->err->arena, tok->text);
    for (size_t i = 0; i < CV_COUNT(others); i++)
        if (cv_tp_is_name(tok, others[i])) {
            cv_str what = cv_arena_printf(p->arena, "{%% %.*s %%}", CV_FMT(name));
            return cv_tp_unsupported(p, tok->at, cv_arena_copy_z(p->arena, what));
        }
    cv_t_fail_at(p->err, p->source, tok->at, CV_ERR_TEMPLATE, "unexpected tag '%.*s'", CV_FMT(name));
    cv_err_suggest(p->err,
                   CV_STR("tags are if, for, set, with, filter, include, raw; each end tag follows its own tag"));
    return false;
}

/* Statements up to a tag with one of the words (the last one is the end tag), which is not taken except for its "{%";
 * NULL: up to the end. */
static bool parse_body(cv_tparser *p, const char *const *ends, size_t opened_at, cv_tbody *ret)
{
    *ret = (cv_tbody){0};
    while (p->tok->kind != CV_TOK_END) {
        cv_tstmt stmt = {.kind = CV_S_DATA, .at = p->tok->at, .text = p->tok->text};
        if (p->tok->kind == CV_TOK_PRINT_BEGIN) {
            cv_tp_take(p);
            stmt.kind = CV_S_PRINT;
            if (!cv_tp_tuple(p, cv_tp_expression, NULL, false, &stmt.expr))
                return false;
            if (p->tok->kind != CV_TOK_PRINT_END)
                return cv_tp_fail(p, "'}}'");
            cv_tp_take(p);
        } else if (p->tok->kind == CV_TOK_TAG_BEGIN) {
            cv_tp_take(p);
            for (size_t i = 0; ends && ends[i]; i++)
                if (cv_tp_is_name(p->tok, ends[i]))
                    return true;
            if (!parse_statement(p, &stmt))
                return false;
        } else
            cv_tp_take(p);
        *CV_PUSH(p->arena, ret) = stmt;
    }
    if (!ends)
        return true;
    while (ends[1])
        ends++;
    return cv_t_fail_at(p->err, p->source, opened_at, CV_ERR_TEMPLATE, "the tag is not closed: {%% %s %%} is missing",
                        ends[0]);
}

bool cv_t_parse(cv_arena *a, const cv_tsource *source, cv_tsymbols *symbols, cv_ttree *ret_tree, cv_err *err)
{
    cv_toks toks;
    if (!cv_t_lex(a, source, &toks, err))
        return false;
    cv_tparser p = {.arena = a, .source = source, .symbols = symbols, .tok = toks.items, .err = err};
    ret_tree->source = source;
    open_frame(&p);
    cv_tframe *whole = p.frame;
    if (!parse_body(&p, NULL, 0, &ret_tree->body))
        return false;
    ret_tree->body.frame = whole;
    settle_frames(&p);
    return true;
}
