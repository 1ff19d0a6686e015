/* run.c - a render in progress: its limits, its failures, which names stand for what.
 *
 * Every name of every template has a number, and the number its value: looking one up costs the same however many there
 * are. A scope remembers what it has hidden and puts it back when it ends.
 */
#include "base/utf8.h"

#include "kit/template/parts.h"
#include <assert.h>

/* ---- failures ---------------------------------------------------------------------------------------- */

static bool fail_at_node(cv_run *run, cv_err_code code, cv_str message)
{
    if (run->at)
        return cv_t_fail_at(run->err, run->at->source, run->at->at, code, "%.*s", CV_FMT(message));
    cv_err_set(run->err, code, "%.*s", CV_FMT(message));
    cv_err_file(run->err, run->source->name);
    return false;
}

bool cv_run_fail(cv_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(run->err->arena, format, args);
    va_end(args);
    return fail_at_node(run, CV_ERR_TEMPLATE, message);
}

bool cv_run_limit(cv_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(run->err->arena, format, args);
    va_end(args);
    return fail_at_node(run, CV_ERR_TOO_LARGE,
                        cv_arena_printf(run->err->arena, "the template is stopped: %.*s", CV_FMT(message)));
}

bool cv_run_unsupported(cv_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(run->err->arena, format, args);
    va_end(args);
    fail_at_node(run, CV_ERR_TEMPLATE, cv_arena_printf(run->err->arena, "%.*s is not supported", CV_FMT(message)));
    cv_err_suggest(run->err, CV_STR("docs/templates.md lists what templates can use"));
    return false;
}

/* ---- limits ------------------------------------------------------------------------------------------ */

bool cv_run_step(cv_run *run, uint64_t steps)
{
    run->steps += steps;
    if (run->steps > run->limits.steps)
        return cv_run_limit(run, "it takes more than %llu steps", (unsigned long long)run->limits.steps);
    return run->arena.bytes <= run->limits.memory ||
           cv_run_limit(run, "its values take more than %zu bytes", run->limits.memory);
}

/* `bytes` more than the `had`, which were counted before. */
static bool has_room(cv_run *run, size_t had, size_t bytes)
{
    size_t used = run->arena.bytes, most = run->limits.memory;
    return used <= most && had <= most - used && bytes <= most - used - had
               ? cv_run_step(run, bytes / CV_T_BYTES_A_STEP)
               : cv_run_limit(run, "its values take more than %zu bytes", most);
}

bool cv_run_bytes(cv_run *run, size_t bytes)
{
    return has_room(run, 0, bytes);
}

bool cv_run_grown(cv_run *run, const cv_buf *out, size_t from)
{
    assert(from <= out->n);
    return has_room(run, from, out->n - from);
}

bool cv_run_deeper(cv_run *run)
{
    return ++run->depth <= CV_T_HEIGHT || cv_run_limit(run, "a value is nested more than %d levels deep", CV_T_HEIGHT);
}

/* ---- names ------------------------------------------------------------------------------------------- */

static void note(cv_run *run, const cv_tnode *node)
{
    assert(node->at <= node->end && node->end <= node->source->text.n);
    cv_str name = {node->source->text.p + node->at, node->end - node->at};
    bool new_;
    cv_map_put(&run->missing_names, &run->arena, name, &new_);
    if (!new_)
        return;
    cv_template_name row = {.name = name, .file = node->source->name, .line = 1, .column = 1};
    cv_utf8_advance(cv_str_head(node->source->text, node->at), &row.line, &row.column);
    *CV_PUSH(&run->arena, &run->missing) = row;
}

bool cv_run_missing(cv_run *run, const cv_tv *v, bool harmless)
{
    if (run->rules->strict && v->node && !v->markup)
        note(run, v->node);
    if (harmless || run->rules->strict)
        return true;
    cv_str name = {v->node->source->text.p + v->node->at, v->node->end - v->node->at};
    cv_run_fail(run, "'%.*s' is undefined", CV_FMT(cv_excerpt(run->err->arena, name)));
    cv_err_suggest(run->err, CV_STR("put it into the context, or give it a value with |default(...)"));
    return false;
}

static bool global_value(cv_run *run, cv_str name, cv_tv *ret)
{
    const cv_tmethod *row = cv_tglobal_find(name);
    if (!row)
        return false;
    cv_tcallable *callable = CV_NEW(&run->arena, cv_tcallable);
    *callable = (cv_tcallable){.row = row};
    *ret = (cv_tv){.kind = CV_TV_CALLABLE, .callable = callable};
    return true;
}

/* What a name stands for where nobody has set it: in the context, or for every template. */
static bool first_value(cv_run *run, size_t symbol)
{
    cv_tbinding *binding = &run->bindings.items[symbol];
    cv_str name = run->symbols.names.items[symbol];
    const cv_json *given = run->context ? cv_json_get(run->context, name) : NULL;
    *binding = (cv_tbinding){.has_first = given != NULL};
    if (given)
        return cv_tv_of_json(run, given, &binding->first);
    binding->has_first = global_value(run, name, &binding->first);
    return true;
}

static bool grow_bindings(cv_run *run)
{
    while (run->bindings.count < run->symbols.names.count) {
        size_t symbol = run->bindings.count;
        *CV_PUSH(&run->arena, &run->bindings) = (cv_tbinding){0};
        if (!first_value(run, symbol))
            return false;
    }
    return true;
}

bool cv_run_ready(cv_run *run)
{
    return run->bindings.count >= run->symbols.names.count || grow_bindings(run);
}

void cv_run_bind(cv_run *run, size_t symbol, cv_tv value)
{
    assert(symbol < run->bindings.count && "cv_run_ready has made its place");
    cv_tbinding *binding = &run->bindings.items[symbol];
    *CV_PUSH(&run->arena, &run->undo) = (cv_tundo){symbol, binding->value, binding->bound, binding->hidden_in};
    binding->value = value;
    binding->bound = true;
    binding->hidden_in = NULL;
}

/* Nothing, in this template, until it is set. */
void cv_run_hide(cv_run *run, size_t symbol)
{
    cv_run_bind(run, symbol, (cv_tv){0});
    run->bindings.items[symbol].hidden_in = run->source;
}

void cv_run_unbind(cv_run *run, size_t mark)
{
    assert(mark <= run->undo.count && "scopes end in the order in which they began, from the last");
    while (run->undo.count > mark) {
        const cv_tundo *last = &run->undo.items[--run->undo.count];
        run->bindings.items[last->symbol].value = last->before;
        run->bindings.items[last->symbol].bound = last->was_bound;
        run->bindings.items[last->symbol].hidden_in = last->hidden_in;
    }
}

/* For an include without context: nothing is set. */
void cv_run_hide_all(cv_run *run)
{
    for (size_t i = 0; i < run->bindings.count; i++)
        if (run->bindings.items[i].bound) {
            cv_run_bind(run, i, (cv_tv){0});
            run->bindings.items[i].bound = false;
        }
}

bool cv_run_lookup(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    assert(node->kind == CV_N_NAME && node->symbol < run->bindings.count);
    const cv_tbinding *binding = &run->bindings.items[node->symbol];
    *ret = cv_tv_undefined(node);
    if (binding->bound && !binding->hidden_in)
        *ret = binding->value;
    else if (binding->hidden_in == node->source)
        return true;
    else if (run->without_context > 0)
        global_value(run, node->name, ret);
    else if (binding->has_first)
        *ret = binding->first;
    return true;
}
