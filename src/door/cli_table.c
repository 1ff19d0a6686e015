/* cli_table.c - the one table of commands, and options made from schemas; see cli_parts.h. */
#include "door/cli_parts.h"
#include "kit/schema.h"

/* Those that serve others, and those about the program. */
static const struct {
    const cv_cli_command *command;
    cv_cli_group group;
} own_commands[] = {
    {&cv_cmd_mcp, CV_GROUP_SERVERS},   {&cv_cmd_serve, CV_GROUP_SERVERS},   {&cv_cmd_open, CV_GROUP_SERVERS},
    {&cv_cmd_watch, CV_GROUP_SERVERS}, {&cv_cmd_install, CV_GROUP_SERVERS}, {&cv_cmd_completion, CV_GROUP_PROGRAM},
    {&cv_cmd_man, CV_GROUP_PROGRAM},
};

/* What every room has to say about an operation is behind what it does for all. */
static const char *details_of(cv_arena *a, const cv_operation *op)
{
    cv_str details = cv_str_of(op->details);
    for (size_t i = 0; op->room_details && cv_rooms[i]; i++)
        if (op->room_details(cv_rooms[i]))
            details = cv_arena_printf(a, "%.*s\n%s", CV_FMT(details), op->room_details(cv_rooms[i]));
    return op->room_details ? cv_arena_copy_z(a, details) : op->details;
}

/* Its own lines, then those that rooms give for it. */
static const char *examples_of(cv_arena *a, const cv_operation *op)
{
    cv_str begins = cv_arena_printf(a, "  conclave %s%s%s ", op->room, *op->room ? " " : "", op->verb), line;
    cv_str lines = cv_str_of(op->examples ? op->examples : "");
    for (size_t i = 0; cv_rooms[i]; i++) {
        cv_str rest = cv_str_of(cv_rooms[i]->examples ? cv_rooms[i]->examples : "");
        for (bool first = true; cv_str_split(&rest, '\n', &line); first = false)
            if (!first && cv_str_starts(line, begins))
                lines = cv_arena_printf(a, "%.*s%.*s\n", CV_FMT(lines), CV_FMT(line));
    }
    return cv_arena_copy_z(a, lines);
}

/* A command that is not an operation. */
static void add_command(cv_arena *a, cv_cli_table *table, const cv_cli_command *command, cv_cli_group group)
{
    cv_cli_command *row = CV_PUSH(a, table);
    *row = *command;
    row->group = group;
    row->room = "";
}

cv_cli_table cv_cli_commands(cv_arena *a)
{
    cv_cli_table table = {0};
    for (int in_rooms = 0; in_rooms < 2; in_rooms++)
        for (size_t i = 0; i < cv_op_count(); i++) {
            const cv_operation *op = cv_op_at(i);
            if ((*op->room != '\0') == in_rooms)
                *CV_PUSH(a, &table) = (cv_cli_command){.room = op->room,
                                                       .name = op->verb,
                                                       .summary = op->summary,
                                                       .arguments = "",
                                                       .details = details_of(a, op),
                                                       .examples = examples_of(a, op),
                                                       .op = op,
                                                       .run = cv_cli_run_operation};
        }
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_cli_command *const *c = cv_rooms[i]->commands; c && *c; c++)
            add_command(a, &table, *c, CV_GROUP_FILES);
    for (size_t i = 0; i < CV_COUNT(own_commands); i++)
        add_command(a, &table, own_commands[i].command, own_commands[i].group);
    return table;
}

const cv_cli_command *cv_cli_find(const cv_cli_table *table, cv_str room, cv_str name)
{
    for (size_t i = 0; i < table->count; i++) {
        const cv_cli_command *c = &table->items[i];
        if (cv_str_eq(room, cv_str_of(c->room)) && cv_str_eq(name, cv_str_of(c->name)))
            return c;
    }
    return NULL;
}

const char *cv_cli_title(cv_arena *a, const cv_cli_command *c)
{
    const char *room = c->room ? c->room : "";
    return cv_arena_copy_z(a, cv_arena_printf(a, "conclave %s%s%s", room, *room ? " " : "", c->name));
}

/* ---- options from schemas --------------------------------------------------------------------------------------- */

cv_flag_kind cv_flag_of(const cv_json *schema)
{
    const cv_json *items = cv_json_get(schema, CV_STR("items"));
    bool any = !cv_json_get(schema, CV_STR("type"));
    if (any)
        return cv_json_get(schema, CV_STR("enum")) ? CV_FLAG_TEXT : CV_FLAG_JSON;
    if (cv_schema_allows(schema, CV_STR("array")))
        return items && cv_schema_allows(items, CV_STR("string")) ? CV_FLAG_TEXTS : CV_FLAG_JSON;
    if (cv_schema_allows(schema, CV_STR("string")))
        return CV_FLAG_TEXT;
    if (cv_schema_allows(schema, CV_STR("integer")) || cv_schema_allows(schema, CV_STR("number")))
        return CV_FLAG_NUMBER;
    return cv_schema_allows(schema, CV_STR("boolean")) ? CV_FLAG_SWITCH : CV_FLAG_JSON;
}

bool cv_flag_is_negatable(const cv_cli_command *c, size_t i)
{
    const cv_json *all = c->input ? cv_json_get(c->input, CV_STR("properties")) : NULL;
    return all && i < all->count && cv_flag_of(&all->members[i].value) == CV_FLAG_SWITCH &&
           !cv_str_starts(all->members[i].key, CV_STR("no_"));
}

const char *cv_flag_name(cv_arena *a, cv_str property)
{
    char *name = cv_arena_copy_z(a, property);
    for (char *p = name; *p; p++)
        *p = *p == '_' ? '-' : *p;
    return name;
}

bool cv_schema_requires(const cv_json *schema, cv_str name)
{
    const cv_json *required = cv_json_get(schema, CV_STR("required"));
    for (uint32_t i = 0; required && i < required->count; i++)
        if (cv_str_eq(required->items[i].text, name))
            return true;
    return false;
}

const char *cv_schema_choices(cv_arena *a, const cv_json *schema)
{
    const cv_json *all = cv_json_get(schema, CV_STR("enum"));
    if (!all)
        return NULL;
    cv_str words = {NULL, 0};
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i].type == CV_JSON_STRING)
            words = words.n ? cv_arena_printf(a, "%.*s %.*s", CV_FMT(words), CV_FMT(all->items[i].text))
                            : all->items[i].text;
    return cv_arena_copy_z(a, words);
}

/* "default: 50", or nothing: a switch is off unless given. */
static cv_str default_of(cv_arena *a, const cv_json *schema)
{
    const cv_json *value = cv_json_get(schema, CV_STR("default"));
    bool said = value && (value->type == CV_JSON_NUMBER || value->type == CV_JSON_STRING);
    return said ? cv_arena_printf(a, "default: %.*s", CV_FMT(value->text)) : CV_STR("");
}

/* What a property's value is called: people read it in the help, completion goes by it. The schema says so (x-value),
 * or its name does. */
static const char *value_name(cv_arena *a, const cv_json_member *option, cv_flag_kind kind)
{
    cv_str property = option->key, said = cv_json_get_text(&option->value, "x-value");
    static const struct {
        cv_str name; /* or the ending of one: "output_path" */
        const char *value;
    } names[] = {
        {CV_STR_INIT("path"), CV_VALUE_FILE},
        {CV_STR_INIT("dir"), CV_VALUE_FOLDER},
    };
    static const char *const kinds[] = {NULL, "TEXT", "N", "TEXT", CV_VALUE_JSON};
    _Static_assert(CV_COUNT(kinds) == CV_FLAG_JSON + 1, "a name for every kind of flag");
    if (said.n)
        return cv_arena_copy_z(a, said);
    for (size_t i = 0; kind == CV_FLAG_TEXT && i < cv_room_count(); i++)
        if (cv_room_names_scope(cv_room_at(i), property))
            return cv_room_at(i)->scope.value;
    for (size_t i = 0; (kind == CV_FLAG_TEXT || kind == CV_FLAG_TEXTS) && i < CV_COUNT(names); i++) {
        size_t n = names[i].name.n;
        bool ends = property.n > n && property.p[property.n - n - 1] == '_';
        if (cv_str_eq(property, names[i].name) || (ends && cv_str_ends(property, names[i].name)))
            return names[i].value;
    }
    return cv_json_get(&option->value, CV_STR("x-file")) ? CV_VALUE_TEXT_OR_FILE : kinds[kind];
}

static const cv_cli_option for_operations[] = {
    {"data", CV_VALUE_JSON,
     "the whole input: JSON, @FILE, or - for standard input; other options add to it or override it", NULL},
    CV_CLI_ROOT,
    CV_CLI_AS,
    {"schema", NULL, "print the JSON schemas of input and output, and do nothing else", NULL},
};
enum { FOR_OPERATIONS = sizeof for_operations / sizeof *for_operations };

/* A property that is called like an option of every operation is not that option: "data" is given as --data-value. One
 * whose values have a name of their own (x-value) takes its place instead. */
static bool takes_place(const cv_json *property)
{
    return property && cv_json_get(property, CV_STR("x-value"));
}

/* The option of a property of an operation: --data-value where every operation has an option of that name. */
const char *cv_cli_option_name(cv_arena *a, const cv_json *properties, cv_str key)
{
    const char *name = cv_flag_name(a, key);
    for (size_t i = 0; i < FOR_OPERATIONS; i++)
        if (strcmp(name, for_operations[i].name) == 0 && !takes_place(cv_json_get(properties, key)))
            return cv_arena_copy_z(a, cv_arena_printf(a, "%s-value", name));
    return name;
}

static cv_cli_option option_of(cv_arena *a, const cv_json *input, const cv_json_member *property)
{
    const cv_json *schema = &property->value, *about = cv_json_get(schema, CV_STR("description"));
    const cv_json *items = cv_json_get(schema, CV_STR("items"));
    cv_flag_kind kind = cv_flag_of(schema);
    bool file = cv_json_get(schema, CV_STR("x-file")), whole = cv_json_get(schema, CV_STR("x-whole"));
    const char *list = kind != CV_FLAG_TEXTS ? ""
                       : whole               ? " (may be repeated)"
                                             : " (several: with commas, or repeated)";
    cv_str usual = default_of(a, schema);
    cv_str summary =
        cv_arena_printf(a, "%.*s%s%.*s%s%s%s", CV_FMT(about ? about->text : CV_STR("")), about && usual.n ? "; " : "",
                        CV_FMT(usual), list, file ? " (@FILE and - for standard input are read)" : "",
                        cv_schema_requires(input, property->key) ? " (required)" : "");
    return (cv_cli_option){.name = cv_cli_option_name(a, cv_json_get(input, CV_STR("properties")), property->key),
                           .value = value_name(a, property, kind),
                           .summary = cv_arena_copy_z(a, cv_str_trim(summary)),
                           .choices = cv_schema_choices(a, kind == CV_FLAG_TEXTS ? items : schema)};
}

/* The properties marked as arguments, or the first required one that is plain text: *ret_count places. */
static const size_t *arguments_of(cv_arena *a, const cv_json *input, size_t *ret_count)
{
    const cv_json *all = cv_json_get(input, CV_STR("properties"));
    size_t *taken = CV_NEW_ARRAY(a, all ? all->count : 0, size_t), count = 0;
    cv_str first = cv_schema_argument(input);
    for (uint32_t i = 0; all && i < all->count; i++)
        if (cv_str_eq(all->members[i].key, first) || cv_json_get(&all->members[i].value, CV_STR("x-argument")))
            taken[count++] = i;
    *ret_count = count;
    return taken;
}

/* "[ID] [NAMES...]" */
static const char *argument_names(cv_arena *a, const cv_cli_command *c)
{
    const cv_json *all = cv_json_get(c->input, CV_STR("properties"));
    cv_str names = CV_STR("");
    for (size_t i = 0; i < c->taken_count; i++) {
        const cv_json_member *property = &all->members[c->taken[i]];
        bool list = cv_flag_of(&property->value) == CV_FLAG_TEXTS;
        names =
            cv_arena_printf(a, "%.*s%s[%.*s%s]", CV_FMT(names), i ? " " : "", CV_FMT(property->key), list ? "..." : "");
    }
    char *upper = cv_arena_copy_z(a, names);
    for (char *p = upper; *p; p++)
        *p = cv_upper(*p);
    return upper;
}

cv_cli_command cv_cli_complete(cv_arena *a, const cv_cli_command *command)
{
    cv_cli_command c = *command;
    if (!c.op)
        return c;
    c.input = cv_op_schema(c.op).input;
    const cv_json *all = cv_json_get(c.input, CV_STR("properties"));
    size_t count = all ? all->count : 0;
    cv_cli_option *options = CV_NEW_ARRAY(a, count + 1 + FOR_OPERATIONS, cv_cli_option);
    const cv_room_edit *edit = cv_cli_edit_of(c.op);
    for (size_t i = 0; i < count; i++)
        options[i] = option_of(a, c.input, &all->members[i]);
    c.options = options;
    c.option_count = count;
    for (size_t i = 0; i < count; i++)
        options[i].summary = cv_arena_copy_z(a, cv_cli_tell_help(a, &c, cv_str_of(options[i].summary)));
    c.details = cv_arena_copy_z(a, cv_cli_tell_help(a, &c, cv_str_of(c.details)));
    if (edit)
        options[c.option_count++] = (cv_cli_option){
            "edit", NULL, cv_arena_printf(a, "edit it in $VISUAL or $EDITOR; saved, it goes to %s", edit->then).p,
            NULL};
    for (size_t i = 0; i < FOR_OPERATIONS; i++)
        if (!takes_place(all ? cv_json_get(all, cv_str_of(for_operations[i].name)) : NULL))
            options[c.option_count++] = for_operations[i];
    c.taken = arguments_of(a, c.input, &c.taken_count);
    c.arguments = argument_names(a, &c);
    return c;
}
