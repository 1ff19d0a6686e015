/* agents_file.c - a file of agents, in TOML; see agents_file.h. */
#include "kit/reach/agents_file.h"

#include "base/toml.h"
#include "base/utf8.h"
#include "kit/reach/form.h"
#include "kit/schema.h"

typedef struct {
    cv_arena *a;
    cv_str text, path;
    cv_errs *errs;
    const cv_json *form; /* of one agent */
    cv_agents_file *file;
} reading;

/* A fault at a value of the file, with `field` as its name there. */
static cv_err *fault(const reading *r, cv_err_code code, const cv_json *at, cv_str field, const char *what)
{
    cv_err *err = cv_errs_add(r->errs, r->a, code, "%s", what);
    cv_err_file(err, r->path);
    cv_err_field(err, field);
    err->line = err->column = 1;
    cv_utf8_advance(cv_str_head(r->text, at->offset), &err->line, &err->column);
    return err;
}

/* The fields of the table, and its name as agent_id. */
static cv_json with_id(const reading *r, const cv_json_member *table)
{
    const cv_json *from = &table->value;
    cv_json whole = {.type = CV_JSON_OBJECT, .offset = from->offset, .count = from->count + 1};
    whole.members = CV_NEW_ARRAY(r->a, whole.count, cv_json_member);
    whole.members[0] =
        (cv_json_member){CV_STR("agent_id"), {.type = CV_JSON_STRING, .offset = from->offset, .text = table->key}};
    for (uint32_t i = 0; i < from->count; i++)
        whole.members[i + 1] = from->members[i];
    return whole;
}

static void read_agent(const reading *r, const cv_json_member *table)
{
    cv_str at = cv_arena_printf(r->a, "agents.%.*s", CV_FMT(cv_excerpt(r->a, table->key)));
    const cv_reach_faults faults = {r->a, r->errs, at, r->text, r->path};
    cv_file_agent agent = {.id = table->key};
    cv_err why = {.arena = r->a};
    cv_str way;
    if (table->value.type != CV_JSON_OBJECT) {
        cv_err_suggest(fault(r, CV_ERR_INVALID_VALUE, &table->value, at, "an agent is a table"),
                       CV_STR("write [agents.NAME], and its fields below"));
        return;
    }
    if (cv_json_get(&table->value, CV_STR("agent_id")) || cv_json_get(&table->value, CV_STR("id"))) {
        fault(r, CV_ERR_INVALID_VALUE, &table->value, at, "the name in [agents.NAME] is its id: leave the field out");
        return;
    }
    agent.fields = with_id(r, table);
    if (!cv_agent_id_valid(table->key)) {
        cv_agent_id_refuse(table->key, &why);
        fault(r, why.code, &table->value, at, cv_arena_copy_z(r->a, why.message));
    }
    size_t before = r->errs->count;
    if (!cv_schema_check(r->a, r->form, r->text, &agent.fields, r->errs)) {
        cv_reach_place(&faults, before);
        return;
    }
    agent.fields = *cv_schema_named(r->a, r->form, &agent.fields);
    bool human = cv_str_eq(cv_json_get_text(&agent.fields, "kind"), CV_STR("human"));
    const cv_json *details = cv_reach_gather(&faults, &agent.fields, human, &way);
    if (cv_reach_read(&faults, way, details, &agent.reach))
        *CV_PUSH(r->a, &r->file->agents) = agent;
}

static void read_place(const reading *r, const cv_json_member *entry)
{
    cv_str at = cv_arena_printf(r->a, "seats.%.*s", CV_FMT(cv_excerpt(r->a, entry->key)));
    size_t line = 1, column = 1;
    if (entry->value.type != CV_JSON_STRING || !entry->value.text.n) {
        fault(r, CV_ERR_INVALID_VALUE, &entry->value, at, "the name of an agent is expected, in quotes");
        return;
    }
    cv_utf8_advance(cv_str_head(r->text, entry->value.offset), &line, &column);
    *CV_PUSH(r->a, &r->file->seats) = (cv_agents_place){entry->key, entry->value.text, line, column};
}

/* The tables that a file may have. */
static const struct {
    cv_str name;
    void (*read)(const reading *r, const cv_json_member *member);
} tables[] = {{CV_STR_INIT("agents"), read_agent}, {CV_STR_INIT("seats"), read_place}};

static void read_table(const reading *r, const cv_json_member *top)
{
    static const cv_str names[] = {CV_STR_INIT("agents"), CV_STR_INIT("seats")};
    size_t i = 0;
    while (i < CV_COUNT(tables) && !cv_str_eq(tables[i].name, top->key))
        i++;
    if (i == CV_COUNT(tables)) {
        cv_err *err = fault(r, CV_ERR_UNKNOWN_FIELD, &top->value, cv_excerpt(r->a, top->key),
                            "a file of agents has the tables [agents.NAME] and [seats], and nothing else");
        cv_err_options(err, names, CV_COUNT(names));
        cv_err_nearest(err, top->key, names, CV_COUNT(names));
    } else if (top->value.type != CV_JSON_OBJECT) {
        fault(r, CV_ERR_INVALID_VALUE, &top->value, top->key, "a table is expected");
    } else {
        for (uint32_t k = 0; k < top->value.count; k++)
            tables[i].read(r, &top->value.members[k]);
    }
}

bool cv_agents_file_parse(cv_arena *a, cv_str text, cv_str path, cv_agents_file *ret_file, cv_errs *errs)
{
    cv_err err = {.arena = a};
    cv_json tree;
    size_t before = errs->count;
    *ret_file = (cv_agents_file){.path = path};
    if (!cv_toml_parse(a, text, &tree, &err)) {
        cv_err_file(&err, path);
        cv_errs_keep(errs, a, &err);
        return false;
    }
    const reading r = {a, text, path, errs, cv_form_of_agent(a), ret_file};
    for (uint32_t i = 0; i < tree.count; i++)
        read_table(&r, &tree.members[i]);
    return errs->count == before;
}

const cv_file_agent *cv_agents_file_find(const cv_agents_file *file, cv_str id)
{
    for (size_t i = 0; i < file->agents.count; i++)
        if (cv_str_eq_nocase(file->agents.items[i].id, id))
            return &file->agents.items[i];
    return NULL;
}

cv_str cv_agents_file_place(const cv_agents_file *file, cv_str name)
{
    for (size_t i = 0; i < file->seats.count; i++)
        if (cv_str_eq_nocase(file->seats.items[i].name, name))
            return file->seats.items[i].agent;
    return (cv_str){NULL, 0};
}
