/* agent_import.c - many agents from one list; see registry.h.
 *
 *     [{"agent_id": "muffin", …}, …]      {"agents": […]}, as `agent list --json` prints it      one object per line
 *     [agents.muffin] … in a file whose name ends in .toml (kit/reach/agents_file.h)
 *       -> items, each with its line, compared with the schema of the operation
 *       -> the request, as if the items were in it: so an op_id stands for what the file said
 *       -> registrations, all checked before one is written; one write
 */
#include "base/file.h"
#include "base/path.h"
#include "kit/reach/agents_file.h"
#include "kit/schema.h"
#include "project/registry.h"

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* The schema of the list, as the operation has it. */
static const cv_json *list_schema(const cv_call *call)
{
    return cv_json_get(cv_json_get(call->schema, CV_STR("properties")), CV_STR("agents"));
}

typedef struct {
    cv_call *call;
    cv_str path;
    cv_json *items;
    size_t count, capacity;
} reading;

/* Faults from `from` on are about this part of the file: `item` is before their fields. */
static void place(const reading *r, size_t from, const char *item, size_t lines_before)
{
    for (size_t i = from; i < r->call->errs->count; i++) {
        cv_err *err = &r->call->errs->items[i];
        const char *dot = err->field.n && err->field.p[0] != '[' ? "." : "";
        cv_err_file(err, r->path);
        cv_err_field(err, cv_arena_printf(r->call->arena, "%s%s%.*s", item, dot, CV_FMT(err->field)));
        err->line += err->line ? lines_before : 0;
    }
}

/* One document: a list, or an object with one. */
static bool read_document(reading *r, cv_str text, const cv_json *document)
{
    const cv_json *list = document->type == CV_JSON_OBJECT ? cv_json_get(document, CV_STR("agents")) : document;
    size_t faults = r->call->errs->count;
    if (!cv_schema_check(r->call->arena, list_schema(r->call), text, list, r->call->errs))
        place(r, faults, "agents", 0);
    else
        list = cv_schema_named(r->call->arena, list_schema(r->call), list);
    for (uint32_t i = 0; r->call->errs->count == faults && i < list->count; i++)
        *CV_PUSH(r->call->arena, r) = list->items[i];
    return r->call->errs->count == faults;
}

/* One object per line; every line is looked at. */
static bool read_lines(reading *r, cv_str text)
{
    const cv_json *schema = cv_json_get(list_schema(r->call), CV_STR("items"));
    cv_arena *a = r->call->arena;
    size_t faults = r->call->errs->count, number = 0;
    cv_str line;
    for (; cv_str_split(&text, '\n', &line); number++) {
        cv_err err = {.arena = a};
        cv_json *item = CV_NEW(a, cv_json);
        size_t before = r->call->errs->count;
        const char *name = cv_arena_printf(a, "agents[%zu]", r->count).p;
        if (cv_str_trim(line).n == 0)
            continue;
        if (!cv_json_parse(a, line, item, &err))
            cv_call_fail(r->call, &err);
        else if (cv_schema_check(a, schema, line, item, r->call->errs))
            *item = *cv_schema_named(a, schema, item);
        place(r, before, name, number);
        *CV_PUSH(a, r) = *item;
    }
    return r->call->errs->count == faults;
}

static bool is_document(const cv_json *value)
{
    return value->type == CV_JSON_ARRAY || (value->type == CV_JSON_OBJECT && cv_json_get(value, CV_STR("agents")));
}

static bool read_toml(reading *r, cv_str text)
{
    cv_agents_file file;
    if (!cv_agents_file_parse(r->call->arena, text, r->path, &file, r->call->errs))
        return false;
    for (size_t i = 0; i < file.agents.count; i++)
        *CV_PUSH(r->call->arena, r) = file.agents.items[i].fields;
    return true;
}

static bool read_file(reading *r)
{
    cv_call *call = r->call;
    cv_err err = {.arena = call->arena}, one = {.arena = call->arena};
    cv_where where;
    cv_str text;
    cv_json document;
    if (!cv_path_allowed(call->arena, call->root, call->confined, r->path, &where, &err) ||
        !cv_file_read_text_at(call->arena, where, &text, &err)) {
        cv_err_field(&err, CV_STR("path"));
        return cv_call_fail(call, &err);
    }
    if (cv_str_ends(r->path, CV_STR(".toml")))
        return read_toml(r, text);
    cv_str trimmed = cv_str_trim(text);
    if (trimmed.n && trimmed.p[0] == '[' && !cv_json_parse(call->arena, text, &document, &one)) {
        cv_err_file(&one, r->path);
        return cv_call_fail(call, &one);
    }
    if (cv_json_parse(call->arena, text, &document, &one) && is_document(&document))
        return read_document(r, text, &document);
    return read_lines(r, text);
}

/* The request with the items in it, instead of the file's name. */
static const cv_json *request_with(const reading *r)
{
    const cv_json *input = r->call->input;
    cv_json *whole = CV_NEW(r->call->arena, cv_json);
    *whole = (cv_json){.type = CV_JSON_OBJECT};
    whole->members = CV_NEW_ARRAY(r->call->arena, input->count + 1, cv_json_member);
    for (uint32_t i = 0; i < input->count; i++)
        if (!cv_str_eq(input->members[i].key, CV_STR("path")))
            whole->members[whole->count++] = input->members[i];
    whole->members[whole->count++] =
        (cv_json_member){CV_STR("agents"), {.type = CV_JSON_ARRAY, .count = (uint32_t)r->count, .items = r->items}};
    return whole;
}

/* ---- the write --------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str agent_id, outcome;
} entry;

typedef struct {
    entry *items;
    size_t count, counts[3];
} entries;

#define CV_THIS_TYPE entry
static const cv_shape entry_shape[] = {
    CV_FIELD(ALWAYS, agent_id, ""),
    CV_WORD(ALWAYS, "outcome", outcome, &cv_entry_words, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE entries
const cv_shape cv_agent_import_shape[] = {
    CV_SUCCESS,
    CV_LIST("agents", items, count, entry_shape, ""),
    CV_FIELD_AS(ALWAYS, "added", counts[CV_ENTRY_ADDED], ""),
    CV_FIELD_AS(ALWAYS, "changed", counts[CV_ENTRY_CHANGED], ""),
    CV_FIELD_AS(ALWAYS, "unchanged", counts[CV_ENTRY_UNCHANGED], ""),
    CV_REGISTERED,
    {0},
};
#undef CV_THIS_TYPE

static cv_str answer(cv_arena *a, const cv_registration *all, size_t count)
{
    entries e = {.items = CV_NEW_ARRAY(a, count, entry), .count = count};
    for (size_t i = 0; i < count; i++) {
        e.items[i] = (entry){all[i].row.id, cv_entry_words.items[all[i].outcome]};
        e.counts[all[i].outcome]++;
    }
    return cv_shape_text(a, cv_agent_import_shape, &e);
}

static bool import(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    (void)ctx;
    const cv_json *list = cv_json_get(call->input, CV_STR("agents"));
    bool replace = cv_json_get_true(call->input, "replace");
    cv_err err = {.arena = call->arena};
    cv_registration *all = CV_NEW_ARRAY(call->arena, list->count, cv_registration);
    cv_map taken = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        cv_str at = cv_arena_printf(call->arena, "agents[%u]", i);
        cv_registration_read(call, &list->items[i], at, w->now, &all[i]);
        if (!cv_registration_check(call, &all[i], at, replace, &taken, i, &err))
            return cv_call_fail(call, &err);
    }
    if (call->errs->count > 0)
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (!cv_registration_enter(call, w, &all[i], &err))
            return cv_call_fail(call, &err);
    w->idle = list->count == 0;
    *ret_result = answer(call->arena, all, list->count);
    return true;
}

static bool read_list(cv_call *call)
{
    reading r = {.call = call, .path = cv_json_get_text(call->input, "path")};
    bool given = cv_json_get(call->input, CV_STR("agents"));
    if ((r.path.p != NULL) == given) {
        cv_refuse(call, given ? CV_ERR_INVALID_VALUE : CV_ERR_MISSING_FIELD, CV_STR(""), "path", r.path,
                  given ? "'path' and 'agents' exclude each other"
                        : "there are no agents: give a file as 'path', or 'agents' themselves");
        return false;
    }
    if (given)
        return true;
    if (!read_file(&r))
        return false;
    call->input = request_with(&r);
    return true;
}

bool cv_agent_op_import(cv_call *call)
{
    return cv_registry_may_change(call) && read_list(call) &&
           cv_request_locked(call, CV_STR("agent import"), cv_agents_scope(), import, NULL);
}
