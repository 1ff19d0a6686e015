/* render.c - a template as text: statements in their order, and the interface of the engine; see template.h.
 *
 *     cv_template_render -> run_template -> run_body -> run_statement -> run_for … -> run_body
 *
 * Loops, with, filter and the body of a set are scopes; if is none. A template that is included sees what is visible
 * where it is included, and leaves nothing behind.
 */
#include <assert.h>
#include <errno.h>

#include "base/file.h"
#include "base/utf8.h"
#include "kit/template/parts.h"

const cv_template_limits cv_template_usual = {
    .steps = 5000000, .depth = 32, .output = (size_t)16 << 20, .memory = (size_t)256 << 20};

static bool run_body(cv_run *run, const cv_tbody *body);
static bool run_template(cv_run *run, cv_str name, bool ignore_missing, bool *ret_there);

/* ---- output ------------------------------------------------------------------------------------------ */

static bool within_output(cv_run *run)
{
    return run->out->n <= run->limits.output ||
           cv_run_limit(run, "its text is longer than %zu bytes", run->limits.output);
}

/* A body as a text of its own. */
static bool capture(cv_run *run, const cv_tbody *body, cv_str *ret)
{
    cv_buf own = {0}, *before = run->out;
    size_t mark = run->undo.count;
    run->out = &own;
    bool good = run_body(run, body);
    run->out = before;
    cv_run_unbind(run, mark);
    assert(run->undo.count == mark && "a scope leaves nothing behind");
    *ret = cv_buf_take(&own, &run->arena);
    return good;
}

/* ---- assigning --------------------------------------------------------------------------------------- */

static bool assign(cv_run *run, const cv_tnode *target, const cv_tv *value);

static bool unpack(cv_run *run, const cv_tnode *target, const cv_tv *value)
{
    cv_titer iter;
    cv_tv item;
    bool more = true;
    if (!cv_t_iterate(run, value, &iter))
        return false;
    size_t count = 0;
    for (; more; count += more) {
        if (!cv_t_next(run, &iter, &item, &more))
            return false;
        if (more && count < target->count && !assign(run, target->kids[count], &item))
            return false;
        if (count > target->count)
            break;
    }
    run->at = target;
    return count == target->count || (run->rules->strict && value->kind == CV_TV_UNDEFINED) ||
           cv_run_fail(run, "%zu names are assigned to, and there are %s items", target->count,
                       count > target->count ? "more" : "fewer");
}

static bool assign_attribute(cv_run *run, const cv_tnode *target, const cv_tv *value)
{
    cv_tv space;
    if (!cv_t_eval(run, target->kids[0], &space))
        return false;
    run->at = target;
    if (space.kind != CV_TV_SPACE)
        return cv_run_fail(run, "only attributes of a namespace() can be set");
    cv_tv_put(run, space.dict, cv_tv_str(target->name), *value);
    return true;
}

static bool assign(cv_run *run, const cv_tnode *target, const cv_tv *value)
{
    run->at = target;
    if (target->kind == CV_N_TUPLE)
        return unpack(run, target, value);
    if (target->kind == CV_N_ATTRIBUTE)
        return assign_attribute(run, target, value);
    cv_run_bind(run, target->symbol, *value);
    return true;
}

/* ---- statements -------------------------------------------------------------------------------------- */

static bool run_if(cv_run *run, const cv_tstmt *stmt)
{
    for (size_t i = 0; i < stmt->exprs.count; i++) {
        cv_tv test;
        bool truth;
        if (!cv_t_eval(run, stmt->exprs.items[i], &test) || !cv_tv_truth(run, &test, &truth))
            return false;
        if (truth)
            return run_body(run, &stmt->bodies.items[i]);
    }
    return stmt->bodies.count == stmt->exprs.count || run_body(run, &stmt->bodies.items[stmt->exprs.count]);
}

/* What the names of a target stand for now: an item as a loop with a condition hands it on. */
static cv_tv value_of(cv_run *run, const cv_tnode *target)
{
    if (target->kind == CV_N_NAME)
        return run->bindings.items[target->symbol].value;
    cv_tv tuple = cv_tv_new_list(run, CV_TV_TUPLE, target->count);
    for (size_t i = 0; i < target->count; i++)
        cv_tv_add(run, &tuple, value_of(run, target->kids[i]));
    return tuple;
}

/* The items that the condition of a loop lets through. */
static bool select_items(cv_run *run, const cv_tstmt *stmt, const cv_tv *of, cv_tv *ret)
{
    cv_tv all, test;
    if (!cv_t_list(run, of, &all))
        return false;
    cv_tv list = cv_tv_new_list(run, CV_TV_LIST, 0);
    for (size_t i = 0; i < all.list->count; i++) {
        size_t mark = run->undo.count;
        bool truth = false;
        bool good = assign(run, stmt->target, &all.list->items[i]) && cv_t_eval(run, stmt->condition, &test) &&
                    cv_tv_truth(run, &test, &truth);
        if (truth)
            cv_tv_add(run, &list, value_of(run, stmt->target));
        cv_run_unbind(run, mark);
        if (!good)
            return false;
    }
    *ret = list;
    return true;
}

static bool run_loop(cv_run *run, const cv_tstmt *stmt, cv_tloop *loop)
{
    cv_tv item;
    for (bool more = true; more;) {
        if (!cv_tloop_next(run, loop, &item, &more))
            return false;
        if (!more)
            break;
        size_t mark = run->undo.count;
        if (stmt->has_loop)
            cv_run_bind(run, run->loop_symbol, (cv_tv){.kind = CV_TV_LOOP, .loop = loop});
        bool good = assign(run, stmt->target, &item) && run_body(run, &stmt->bodies.items[0]);
        cv_run_unbind(run, mark);
        if (!good)
            return false;
    }
    return true;
}

static bool run_for(cv_run *run, const cv_tstmt *stmt)
{
    cv_tv of;
    if (!cv_t_eval(run, stmt->expr, &of))
        return false;
    if (stmt->condition && !select_items(run, stmt, &of, &of))
        return false;
    run->at = stmt->expr;
    cv_tloop *loop = CV_NEW(&run->arena, cv_tloop);
    *loop = (cv_tloop){.of = of, .index0 = -1, .length = -1};
    if (!cv_t_iterate(run, &of, &loop->iter) || !run_loop(run, stmt, loop))
        return false;
    if (loop->index0 >= 0 || stmt->bodies.count < 2)
        return true;
    size_t mark = run->undo.count;
    bool good = run_body(run, &stmt->bodies.items[1]);
    cv_run_unbind(run, mark);
    return good;
}

static bool run_set(cv_run *run, const cv_tstmt *stmt)
{
    cv_tv value;
    if (stmt->kind == CV_S_SET)
        return cv_t_eval(run, stmt->expr, &value) && assign(run, stmt->target, &value);
    cv_str text;
    if (!capture(run, &stmt->bodies.items[0], &text))
        return false;
    value = run->filtered = cv_tv_str(text);
    return (!stmt->expr || cv_t_eval(run, stmt->expr, &value)) && assign(run, stmt->target, &value);
}

/* All values are made before the first name is bound. */
static bool run_with(cv_run *run, const cv_tstmt *stmt)
{
    size_t mark = run->undo.count;
    cv_tv *values = CV_NEW_ARRAY(&run->arena, stmt->exprs.count, cv_tv);
    for (size_t i = 0; i < stmt->exprs.count; i++)
        if (!cv_t_eval(run, stmt->exprs.items[i], &values[i]))
            return false;
    for (size_t i = 0; i < stmt->exprs.count; i++)
        if (!assign(run, stmt->assigned.items[i], &values[i]))
            return false;
    bool good = run_body(run, &stmt->bodies.items[0]);
    cv_run_unbind(run, mark);
    return good;
}

static bool run_filter(cv_run *run, const cv_tstmt *stmt)
{
    cv_str text;
    cv_tv value;
    if (!capture(run, &stmt->bodies.items[0], &text))
        return false;
    run->filtered = cv_tv_str(text);
    if (!cv_t_eval(run, stmt->expr, &value))
        return false;
    run->at = stmt->expr;
    if (value.kind != CV_TV_STR)
        return cv_run_fail(run, "a filter makes a value of type %.*s of a body: only a text can be printed there",
                           CV_FMT(cv_tv_word(&value)));
    return cv_tv_print(run, &value, run->out) && within_output(run);
}

/* ---- including --------------------------------------------------------------------------------------- */

/* One of several names: the first that is there. */
static bool run_included(cv_run *run, const cv_tstmt *stmt, const cv_tv *name)
{
    bool there = false;
    const cv_tv *names = name;
    size_t count = 1;
    if (name->kind == CV_TV_LIST || name->kind == CV_TV_TUPLE) {
        names = name->list->items;
        count = name->list->count;
    }
    for (size_t i = 0; !there && i < count; i++) {
        run->at = stmt->expr;
        if (names[i].kind == CV_TV_UNDEFINED)
            return cv_run_missing(run, &names[i], false);
        if (names[i].kind != CV_TV_STR)
            return cv_run_fail(run, "the name of a template is a text, not a value of type %.*s",
                               CV_FMT(cv_tv_word(&names[i])));
        if (!run_template(run, names[i].text, stmt->ignore_missing || i + 1 < count, &there))
            return false;
    }
    return there || stmt->ignore_missing || cv_run_fail(run, "there is no template to include");
}

static bool run_include(cv_run *run, const cv_tstmt *stmt)
{
    cv_tv name;
    if (!cv_t_eval(run, stmt->expr, &name))
        return false;
    size_t mark = run->undo.count;
    cv_buf *before = run->out;
    run->without_context += stmt->without_context;
    if (stmt->without_context) {
        cv_run_hide_all(run);
        run->out = run->template_out; /* as Jinja does it, also where a body is captured */
    }
    bool good = run_included(run, stmt, &name);
    run->out = before;
    run->without_context -= stmt->without_context;
    cv_run_unbind(run, mark);
    return good;
}

static bool run_statement(cv_run *run, const cv_tstmt *stmt)
{
    cv_tv value;
    switch (stmt->kind) {
    case CV_S_DATA:
        cv_buf_add(run->out, stmt->text);
        return within_output(run) && cv_run_step(run, 1 + stmt->text.n / CV_T_BYTES_A_STEP);
    case CV_S_PRINT:
        return cv_t_eval(run, stmt->expr, &value) && (run->at = stmt->expr, cv_tv_print(run, &value, run->out)) &&
               within_output(run);
    case CV_S_IF:
        return run_if(run, stmt);
    case CV_S_FOR:
        return run_for(run, stmt);
    case CV_S_SET:
    case CV_S_SET_BODY:
        return run_set(run, stmt);
    case CV_S_WITH:
        return run_with(run, stmt);
    case CV_S_FILTER:
        return run_filter(run, stmt);
    case CV_S_INCLUDE:
        return run_include(run, stmt);
    }
    return true;
}

static bool run_body(cv_run *run, const cv_tbody *body)
{
    for (size_t i = 0; body->frame && i < body->frame->hidden.count; i++)
        cv_run_hide(run, body->frame->hidden.items[i]);
    for (size_t i = 0; i < body->count; i++)
        if (!run_statement(run, &body->items[i]))
            return false;
    return true;
}

/* ---- templates --------------------------------------------------------------------------------------- */

static bool parse(cv_run *run, cv_str name, cv_str source, const cv_ttree **ret_tree)
{
    cv_tsource *own = CV_NEW(&run->arena, cv_tsource);
    cv_ttree *tree = CV_NEW(&run->arena, cv_ttree);
    *own = (cv_tsource){.name = cv_arena_copy(&run->arena, name), .text = cv_t_normalise(&run->arena, source)};
    if (!cv_t_parse(&run->arena, own, &run->symbols, tree, run->err))
        return false;
    *ret_tree = tree;
    return cv_run_step(run, source.n / CV_T_BYTES_A_STEP) && cv_run_ready(run);
}

/* The tree of an included template, read once. *ret_tree NULL: it is not there, and need not be. */
static bool find_tree(cv_run *run, cv_str name, bool ignore_missing, const cv_ttree **ret_tree)
{
    cv_str key = cv_arena_copy(&run->arena, name), source;
    uintptr_t *known = cv_map_get(&run->trees, key);
    *ret_tree = NULL;
    if (known) {
        *ret_tree = (const cv_ttree *)*known;
        return true;
    }
    const cv_tnode *at = run->at;
    if (!run->rules->load)
        return cv_run_unsupported(run, "including another template here");
    if (!run->rules->load(run->rules->load_ctx, &run->arena, name, &source, run->err)) {
        if (run->err->code == CV_ERR_NOT_FOUND && ignore_missing) {
            cv_err_clear(run->err);
            return true;
        }
        cv_str message = cv_arena_copy(run->err->arena, run->err->message);
        return cv_t_fail_at(run->err, at->source, at->at, run->err->code, "%.*s", CV_FMT(message));
    }
    if (cv_utf8_valid(source) != source.n)
        return cv_run_fail(run, "the template '%.*s' is not valid UTF-8", CV_FMT(cv_excerpt(run->err->arena, name)));
    if (!parse(run, name, source, ret_tree))
        return false;
    *cv_map_put(&run->trees, &run->arena, key, NULL) = (uintptr_t)*ret_tree;
    return true;
}

static bool run_template(cv_run *run, cv_str name, bool ignore_missing, bool *ret_there)
{
    const cv_ttree *tree;
    if (run->includes >= run->limits.depth)
        return cv_run_limit(run, "more than %zu templates include each other", run->limits.depth);
    if (!find_tree(run, name, ignore_missing, &tree))
        return false;
    *ret_there = tree != NULL;
    if (!tree)
        return true;
    const cv_tsource *before = run->source;
    cv_buf *out = run->template_out;
    size_t mark = run->undo.count;
    run->includes++;
    run->source = tree->source;
    run->template_out = run->out;
    bool good = run_body(run, &tree->body);
    run->template_out = out;
    run->includes--;
    run->source = before;
    cv_run_unbind(run, mark);
    return good;
}

/* ---- the interface ----------------------------------------------------------------------------------- */

static bool list_missing(cv_run *run, cv_arena *a, cv_template_made *ret)
{
    cv_template_name *names = CV_NEW_ARRAY(a, run->missing.count, cv_template_name);
    cv_buf text = {0};
    for (size_t i = 0; i < run->missing.count; i++) {
        names[i] = run->missing.items[i];
        names[i].name = cv_arena_copy(a, names[i].name);
        names[i].file = cv_arena_copy(a, names[i].file);
        cv_buf_printf(&text, "%s%.*s", i > 0 ? ", " : "", CV_FMT(cv_excerpt(a, names[i].name)));
    }
    ret->missing = names;
    ret->missing_count = run->missing.count;
    cv_str list = cv_buf_take(&text, a);
    cv_err_at(run->err, CV_ERR_TEMPLATE_NAMES, names[0].line, names[0].column,
              run->missing.count == 1 ? "a name is missing in the context: %.*s"
                                      : "names are missing in the context: %.*s",
              CV_FMT(list));
    cv_err_file(run->err, names[0].file);
    cv_err_suggest(run->err, CV_STR("put them into the context, or give them a value with |default(...)"));
    return false;
}

static bool render(cv_run *run, cv_str name, cv_str source)
{
    const cv_ttree *tree;
    if (!parse(run, name, source, &tree))
        return false;
    run->source = tree->source;
    return run_body(run, &tree->body);
}

bool cv_template_render(cv_arena *a, cv_str name, cv_str source, const cv_json *context, const cv_template_rules *rules,
                        cv_template_made *ret_made, cv_err *err)
{
    static const cv_template_rules plain = {0};
    cv_buf out = {0};
    cv_run run = {.rules = rules ? rules : &plain, .context = context, .out = &out, .template_out = &out, .err = err};
    run.limits = run.rules->limits ? *run.rules->limits : cv_template_usual;
    cv_tsource whole = {.name = name, .text = source};
    run.source = &whole;
    *ret_made = (cv_template_made){0};
    *CV_PUSH(&run.arena, &run.symbols.names) = CV_STR("loop"); /* its number is 0 */
    *cv_map_put(&run.symbols.numbers, &run.arena, CV_STR("loop"), NULL) = 1;
    bool good = cv_text_check(source, err) && render(&run, name, source);
    if (run.missing.count > 0)
        good = list_missing(&run, a, ret_made);
    if (good)
        ret_made->text = cv_buf_take(&out, a);
    ret_made->steps = run.steps;
    cv_buf_release(&out);
    cv_arena_release(&run.arena);
    return good;
}

bool cv_template_load(void *folder, cv_arena *a, cv_str name, cv_str *ret_source, cv_err *err)
{
    const cv_where *in = folder;
    cv_where where;
    const char *root = cv_where_path(a, *in);
    if (!cv_where_below(a, root, name, &where, err))
        return false;
    cv_where below = cv_where_in(a, *in, where.path);
    struct stat st;
    if (!cv_where_look(below, &st) && errno == ENOENT)
        return cv_err_set(err, CV_ERR_NOT_FOUND, "there is no template %s", cv_where_path(a, below));
    return cv_file_read_text_at(a, below, ret_source, err);
}
