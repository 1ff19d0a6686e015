/* template.c - panels that can be begun with; see template.h. */
#include "dialogue/panel/template.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "dialogue/notices.h"
#include "dialogue/operations.h"
#include "dialogue/view/chart.h"
#include "kit/fault.h"
#include "kit/schema.h"

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* At its place in the order of names; in the place of one with the same name. */
static void enter(cv_arena *a, cv_panel_templates *all, cv_panel_template one)
{
    size_t at = 0;
    while (at < all->count && cv_str_order(all->items[at].name, one.name) < 0)
        at++;
    if (at < all->count && cv_str_eq(all->items[at].name, one.name)) {
        all->items[at] = one;
        return;
    }
    CV_PUSH(a, all);
    memmove(&all->items[at + 1], &all->items[at], (all->count - 1 - at) * sizeof *all->items);
    all->items[at] = one;
}

/* A folder that is not there has none. */
static bool find_own(cv_call *call, cv_panel_templates *all, cv_err *err)
{
    cv_folder_entries entries = {0};
    cv_where folder;
    struct stat st;
    if (!cv_where_below(call->arena, call->root, CV_STR(CV_PANELS_FOLDER), &folder, err))
        return false;
    if (!cv_where_look(folder, &st))
        return true;
    if (!cv_folder_list(call->arena, folder, &entries, err))
        return false;
    for (size_t i = 0; i < entries.count; i++) {
        cv_str file = cv_str_of(entries.items[i].name);
        if (!entries.items[i].is_regular || !cv_str_ends(file, CV_STR(".json")) || file.p[0] == '.')
            continue;
        cv_panel_template one = {
            .name = cv_str_head(file, file.n - 5),
            .source = cv_arena_printf(call->arena, CV_PANELS_FOLDER "/%.*s", CV_FMT(file)),
        };
        cv_err fault = {.arena = call->arena};
        if (!cv_file_read_text_at(call->arena, cv_where_in(call->arena, folder, entries.items[i].name), &one.text,
                                  &fault))
            one.fault = cv_arena_dup(call->arena, &fault, sizeof fault);
        enter(call->arena, all, one);
    }
    return true;
}

/* All of them, by name. */
static bool find_templates(cv_call *call, cv_panel_templates *ret, cv_err *err)
{
    *ret = (cv_panel_templates){0};
    for (size_t i = 0; i < cv_panel_files_count; i++)
        enter(call->arena, ret,
              (cv_panel_template){.name = cv_str_of(cv_panel_files[i].name),
                                  .source = CV_STR("program"),
                                  .text = cv_panel_files[i].text});
    return find_own(call, ret, err);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The schema of a pool: that of `create`. */
static const cv_json *pool_schema(cv_arena *a)
{
    cv_json *both = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    const cv_json *schema = NULL;
    for (size_t i = 0; i < cv_schema_files_count && !schema; i++)
        if (strcmp(cv_schema_files[i].name, "dialogue_create") == 0 &&
            cv_json_parse(a, cv_schema_files[i].text, both, &err))
            schema = cv_json_get(cv_json_get(cv_json_get(both, CV_STR("input")), CV_STR("properties")),
                                 CV_STR("expert_pool"));
    return schema;
}

/* NULL: `errs` has the faults of the file, with their places in it. */
static const cv_json *read_pool(cv_call *call, const cv_panel_template *one, cv_errs *errs)
{
    cv_json *pool = CV_NEW(call->arena, cv_json);
    const cv_json *schema = pool_schema(call->arena);
    cv_err err = {.arena = call->arena};
    size_t before = errs->count;
    bool sound = !one->fault && cv_json_parse(call->arena, one->text, pool, &err);
    if (!sound)
        cv_errs_keep(errs, call->arena, one->fault ? one->fault : &err);
    else
        sound = cv_schema_check(call->arena, schema, one->text, pool, errs);
    for (size_t i = before; i < errs->count; i++)
        cv_err_file(&errs->items[i], one->source);
    return sound ? cv_schema_named(call->arena, schema, pool) : NULL;
}

const cv_json *cv_template_pool(cv_call *call, cv_str name, const char *field, cv_panel_template *ret)
{
    cv_panel_templates all;
    cv_err err = {.arena = call->arena};
    if (!find_templates(call, &all, &err)) {
        cv_call_fail(call, &err);
        return NULL;
    }
    cv_str *names = CV_NEW_ARRAY(call->arena, all.count, cv_str);
    for (size_t i = 0; i < all.count; i++) {
        names[i] = all.items[i].name;
        if (cv_str_eq(names[i], name)) {
            *ret = all.items[i];
            return read_pool(call, ret, call->errs);
        }
    }
    cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), field, name, "there is no panel '%.*s'",
                              CV_FMT(cv_excerpt(call->arena, name)));
    cv_refuse_words(fault, names, all.count);
    if (!fault->suggestion.n) {
        cv_err_operation(fault, CV_STR("dialogue panel-list"));
        cv_err_suggest(fault, CV_STR("shows what each is for"));
    }
    return NULL;
}

/* ---- the operations ---------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str name, source, domain;
    cv_str json; /* its experts */
    size_t expert_count;
} told;

typedef struct {
    CV_STATE_LIST(told) panels;
    cv_notices warnings;
    cv_str text;
} told_list;

typedef struct {
    told one;
    cv_str text;
} told_one;

#define CV_THIS_TYPE told
static const cv_shape told_shape[] = {
    CV_FIELD(ALWAYS, name, "for `panel` of create"),
    CV_FIELD(ALWAYS, domain, ""),
    CV_FIELD(ALWAYS, source, "program, or the path of the project's own file"),
    CV_FIELD(ALWAYS, expert_count, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told_list
const cv_shape cv_panel_list_shape[] = {
    CV_SUCCESS,
    CV_LIST("panels", panels.items, panels.count, told_shape, "by name"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "files of the project that could not be read as a panel"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told_one
const cv_shape cv_panel_show_shape[] = {
    CV_SUCCESS,
    CV_SPREAD(one, told_shape),
    CV_JSON_AS(ALWAYS, ANY, "experts", one.json, "as in `expert_pool` of create"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

static told tell(cv_call *call, const cv_panel_template *one, const cv_json *pool)
{
    const cv_json *experts = cv_json_get(pool, CV_STR("experts"));
    cv_buf json = {0};
    cv_json_value(&(cv_json_writer){.out = &json}, experts);
    return (told){.name = one->name,
                  .source = one->source,
                  .domain = cv_json_get_text(pool, "domain"),
                  .json = cv_buf_take(&json, call->arena),
                  .expert_count = experts->count};
}

/* A broken file hides no other one. */
static void warn(cv_call *call, const cv_errs *faults, const cv_panel_template *one, told_list *list, cv_chart *c)
{
    for (size_t i = 0; i < faults->count; i++) {
        cv_notice *warning = cv_notice_add(&list->warnings, call->arena, CV_STR("broken_panel"), "%.*s",
                                           CV_FMT(cv_err_text(&faults->items[i])));
        warning->id = one->name;
        cv_chart_prose(c, "warning: ", warning->message);
    }
}

/* As many as the longest name needs, and at most so many. */
static size_t name_columns(const cv_panel_templates *all, size_t most)
{
    size_t longest = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t n = cv_utf8_width(all->items[i].name);
        longest = n > longest ? n : longest;
    }
    return longest < most ? longest : most;
}

/* The name, where what is behind it begins in a column; a longer one has a line of its own. */
static const char *name_cell(cv_chart *c, cv_str name, size_t columns)
{
    size_t used = cv_utf8_width(name);
    bool fits = used <= columns;
    if (!fits)
        cv_chart_prose(c, "", name);
    return cv_arena_printf(c->arena, "%.*s%*s  ", CV_FMT(fits ? name : CV_STR("")),
                           (int)(fits ? columns - used : columns), "")
        .p;
}

bool cv_dialogue_panel_list(cv_call *call)
{
    cv_panel_templates all;
    told_list list = {0};
    cv_err err = {.arena = call->arena};
    cv_chart c = cv_chart_for(call);
    cv_json_writer w = {.out = call->out};
    if (!find_templates(call, &all, &err))
        return cv_call_fail(call, &err);
    size_t columns = name_columns(&all, cv_chart_width(&c) / 3);
    for (size_t i = 0; i < all.count; i++) {
        cv_errs faults = {0};
        const cv_json *pool = read_pool(call, &all.items[i], &faults);
        if (!pool) {
            warn(call, &faults, &all.items[i], &list, &c);
            continue;
        }
        told one = tell(call, &all.items[i], pool);
        *CV_PUSH(call->arena, &list.panels) = one;
        cv_chart_prose(&c, name_cell(&c, one.name, columns),
                       cv_arena_printf(call->arena, "%.*s, %zu expert%s%s%.*s", CV_FMT(one.domain), one.expert_count,
                                       CV_PLURAL(one.expert_count),
                                       cv_str_eq(one.source, CV_STR("program")) ? "" : ", ",
                                       CV_FMT(cv_str_eq(one.source, CV_STR("program")) ? CV_STR("") : one.source)));
    }
    list.text = cv_chart_take(&c);
    if (!call->for_people)
        list.text = (cv_str){NULL, 0};
    cv_shape_write(&w, cv_panel_list_shape, &list);
    return true;
}

/*     Core      System Architect: boundaries, dependencies */
static cv_str page_of(cv_call *call, const told *one, const cv_json *experts)
{
    cv_chart c = cv_chart_for(call);
    cv_chart_prose(
        &c, "",
        cv_arena_printf(call->arena, "%.*s: %.*s (%.*s)", CV_FMT(one->name), CV_FMT(one->domain), CV_FMT(one->source)));
    for (uint32_t i = 0; i < experts->count; i++) {
        const cv_json *e = &experts->items[i];
        cv_str focus = cv_json_get_text(e, "focus"), tier = cv_json_get_text(e, "tier");
        cv_chart_prose(&c, cv_arena_printf(call->arena, "  %-9.*s ", CV_FMT(tier)).p,
                       cv_arena_printf(call->arena, "%.*s%s%.*s", CV_FMT(cv_json_get_text(e, "role")),
                                       focus.n ? ": " : "", CV_FMT(focus)));
    }
    return cv_chart_take(&c);
}

bool cv_dialogue_panel_show(cv_call *call)
{
    cv_panel_template found;
    cv_json_writer w = {.out = call->out};
    const cv_json *pool = cv_template_pool(call, cv_json_get_text(call->input, "name"), "name", &found);
    if (!pool)
        return false;
    told_one one = {.one = tell(call, &found, pool)};
    if (call->for_people)
        one.text = page_of(call, &one.one, cv_json_get(pool, CV_STR("experts")));
    cv_shape_write(&w, cv_panel_show_shape, &one);
    return true;
}
