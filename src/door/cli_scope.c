/* cli_scope.c - what a command is about, when its name is shortened or left out; see cli_parts.h.
 *
 *     conclave ROOM show nvi          the one scope whose name begins so
 *     conclave ROOM show              the one of CONCLAVE_SCOPE (CONCLAVE_ and what the room calls it), or the only one
 *     conclave ROOM history T0001     likewise: the first argument is not a scope, and there is place for it behind
 *     conclave ROOM compare nvi job   every other name of a scope, too: in lists, and where a room is named beside it
 *
 * Only people who type get this, and only in rooms that say so (scope.abbreviated; scope.only: a name may be left out,
 * not shortened): other doors and --data take whole names. What cannot be found stays as it is; the operation says so,
 * with what is near.
 */
#include <stdlib.h>

#include "door/cli_parts.h"
#include "project/project.h"

typedef struct {
    cv_cli *cli;
    const cv_call *call;
    const cv_room *room;
    cv_str field;
    cv_scope_list all;
} search;

/* ---- which ------------------------------------------------------------------------------------------------------- */

static bool exists(const search *s, cv_str name, bool *ret_found, cv_err *err)
{
    cv_scope_position at;
    const cv_record_calls *calls = s->call->record->calls;
    if (!calls->begin(s->call->record, s->cli->arena, (cv_scope_id){cv_str_of(s->room->name), name}, &at, err))
        return false;
    calls->end(s->call->record);
    *ret_found = at.rev > 0;
    return true;
}

/* The name that begins so; `name` itself when it is one, or when none does. False: several do. */
static bool whole_name(const search *s, cv_str field, cv_str name, cv_str *ret_name, cv_err *err)
{
    enum { MOST_NAMED = 8 };
    cv_str found = name, names = CV_STR("");
    size_t count = 0;
    for (size_t i = 0; i < s->all.count; i++) {
        cv_str one = s->all.items[i].scope.name;
        if (!cv_str_starts(one, name))
            continue;
        found = one;
        if (one.n == name.n) {
            count = 1;
            break;
        }
        if (count++ < MOST_NAMED)
            names = cv_arena_printf(s->cli->arena, "%.*s%s%.*s", CV_FMT(names), count > 1 ? ", " : "", CV_FMT(one));
    }
    *ret_name = found;
    if (count < 2)
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "%zu %s begin with '%.*s': %.*s%s", count, s->room->scope.many, CV_FMT(name),
               CV_FMT(names), count > MOST_NAMED ? ", …" : "");
    cv_err_field(err, field);
    cv_err_suggest(err, CV_STR("write more of the name"));
    return false;
}

/* The scope that is meant when none is named; empty: any may be. */
static bool usual_name(const search *s, cv_str *ret_name, cv_err *err)
{
    cv_buf variable = {0};
    cv_buf_add_z(&variable, "CONCLAVE_");
    for (const char *c = s->room->scope.one; *c; c++)
        cv_buf_add_char(&variable, cv_upper(*c));
    cv_buf_add_char(&variable, '\0');
    const char *named = getenv(cv_buf_take(&variable, s->cli->arena).p);
    *ret_name = s->all.count == 1 ? s->all.items[0].scope.name : CV_STR("");
    return !named || !*named || whole_name(s, s->field, cv_str_of(named), ret_name, err);
}

/* ---- into the input ---------------------------------------------------------------------------------------------- */

/* At the end of the text, so that places in it stay; or in the place of the name that was given as an option. */
static bool put_name(const search *s, cv_str name, cv_cli_input *input, cv_json *tree, cv_err *err)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    if (cv_json_get(tree, s->field)) {
        cv_json_begin_object(&w);
        for (uint32_t i = 0; i < tree->count; i++) {
            cv_json_key(&w, tree->members[i].key);
            if (cv_str_eq(tree->members[i].key, s->field))
                cv_json_str(&w, name);
            else
                cv_json_value(&w, &tree->members[i].value);
        }
        cv_json_end_object(&w);
    } else {
        size_t end = input->text.n;
        while (end > 0 && input->text.p[end - 1] != '}')
            end--;
        cv_buf_add(&text, cv_str_head(input->text, end - 1));
        cv_buf_printf(&text, "%s\"%.*s\":", tree->count ? "," : "", CV_FMT(s->field));
        cv_json_str(&w, name);
        cv_buf_add_char(&text, '}');
    }
    input->text = cv_buf_take(&text, s->cli->arena);
    return cv_json_parse(s->cli->arena, input->text, tree, err);
}

/* The first argument is not a scope but what comes behind it: the scope is put before it. */
static bool read_shifted(const search *s, cv_str name, cv_cli_input *input, cv_json *tree, cv_err *err)
{
    cv_cli *cli = s->cli;
    const char **arguments = CV_NEW_ARRAY(cli->arena, cli->argument_count + 1, const char *);
    arguments[0] = cv_arena_copy_z(cli->arena, name);
    for (size_t i = 0; i < cli->argument_count; i++)
        arguments[i + 1] = cli->arguments[i];
    cli->given.count -= cli->argument_count;
    cli->arguments = arguments;
    cli->argument_count++;
    cv_errs errs = {0};
    if (!cv_cli_read_input(cli, input, &errs)) {
        cv_err_copy(err, &errs.items[0]);
        return false;
    }
    return cv_json_parse(cli->arena, input->text, tree, err);
}

/* Is the name an argument, has the command another one behind it, and is it not a scope that is misspelt? */
static bool may_shift(const search *s, cv_str name)
{
    const cv_cli *cli = s->cli;
    cv_err ignored = {.arena = cli->arena};
    cv_str *names = CV_NEW_ARRAY(cli->arena, s->all.count, cv_str);
    for (size_t i = 0; i < s->all.count; i++)
        names[i] = s->all.items[i].scope.name;
    if (cv_err_nearest(&ignored, name, names, s->all.count))
        return false;
    return cli->argument_count > 0 && cv_str_eq(cv_str_of(cli->arguments[0]), name) &&
           cv_cli_property_at(cli->command, 1) != SIZE_MAX;
}

static bool complete_name(search *s, cv_str given, cv_cli_input *input, cv_json *tree, cv_err *err)
{
    cv_str name, usual;
    bool found;
    if (!exists(s, given, &found, err))
        return false;
    if (found)
        return true;
    if (!cv_record_scopes(s->call->record, s->cli->arena, cv_str_of(s->room->name), &s->all, err) ||
        !whole_name(s, s->field, given, &name, err))
        return false;
    if (name.n != given.n)
        return put_name(s, name, input, tree, err);
    if (!may_shift(s, given))
        return true;
    if (!usual_name(s, &usual, err))
        return false;
    return usual.n == 0 || read_shifted(s, usual, input, tree, err);
}

/* "name one of 12, in full or by its beginning: bread, cake, …": for a user who left out the name. */
static cv_str which_of_all(const search *s)
{
    enum { MOST_NAMED = 5 };
    cv_arena *a = s->cli->arena;
    cv_str names = CV_STR("");
    if (s->all.count == 0)
        return cv_arena_printf(a, "there are no %s yet", s->room->scope.many);
    for (size_t i = 0; i < s->all.count && i < MOST_NAMED; i++)
        names = cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(names), i ? ", " : "", CV_FMT(s->all.items[i].scope.name));
    return cv_arena_printf(a, "name one of %zu %s, in full or by its beginning: %.*s%s", s->all.count,
                           s->room->scope.many, CV_FMT(names), s->all.count > MOST_NAMED ? ", …" : "");
}

static bool add_name(search *s, cv_cli_input *input, cv_json *tree, cv_err *err)
{
    cv_str usual;
    if (!cv_record_scopes(s->call->record, s->cli->arena, cv_str_of(s->room->name), &s->all, err) ||
        !usual_name(s, &usual, err))
        return false;
    if (usual.n > 0)
        return put_name(s, usual, input, tree, err);
    s->cli->left_out = s->field;
    s->cli->which = which_of_all(s);
    return true;
}

/* ---- the other names --------------------------------------------------------------------------------------------- */

/* Does the property hold names of scopes: by its own name, or by what its values are called? */
static bool holds_names(const search *s, cv_str property)
{
    const cv_json *all = cv_json_get(s->cli->command->input, CV_STR("properties"));
    const cv_json *schema = all ? cv_json_get(all, property) : NULL;
    return cv_str_eq(property, s->field) ||
           (schema && cv_str_eq(cv_json_get_text(schema, "x-value"), cv_str_of(s->room->scope.value)));
}

/* In the place of the beginning of a name comes the whole one. */
static bool complete_text(search *s, cv_str field, cv_json *value, bool *changed, cv_err *err)
{
    cv_str name;
    bool found;
    if (value->type != CV_JSON_STRING || value->text.n == 0)
        return true;
    if (!exists(s, value->text, &found, err))
        return false;
    if (found)
        return true;
    if (!cv_record_scopes(s->call->record, s->cli->arena, cv_str_of(s->room->name), &s->all, err) ||
        !whole_name(s, field, value->text, &name, err))
        return false;
    *changed = *changed || name.n != value->text.n;
    value->text = name;
    return true;
}

static bool complete_member(search *s, cv_json_member *m, bool *changed, cv_err *err)
{
    if (m->value.type != CV_JSON_ARRAY)
        return complete_text(s, m->key, &m->value, changed, err);
    for (uint32_t i = 0; i < m->value.count; i++) {
        cv_str field = cv_arena_printf(s->cli->arena, "%.*s[%u]", CV_FMT(m->key), (unsigned)i);
        if (!complete_text(s, field, &m->value.items[i], changed, err))
            return false;
    }
    return true;
}

/* Names that were typed as options or arguments: the text of such an input is our own. */
static bool complete_others(search *s, cv_cli_input *input, cv_json *tree, cv_err *err)
{
    bool changed = false;
    for (uint32_t i = 0; i < tree->count; i++)
        if (holds_names(s, tree->members[i].key) && cv_cli_is_given(s->cli, tree->members[i].key) &&
            !complete_member(s, &tree->members[i], &changed, err))
            return false;
    if (!changed)
        return true;
    cv_buf text = {0};
    cv_json_value(&(cv_json_writer){.out = &text}, tree);
    input->text = cv_buf_take(&text, s->cli->arena);
    return cv_json_parse(s->cli->arena, input->text, tree, err);
}

/* The room that has the command; of one that has no scopes to name, the room that is named in it, or whose scope it
 * wants. */
static const cv_room *room_meant(const cv_cli *cli, const cv_json *tree)
{
    const cv_room *own = cv_room_find(cv_str_of(cli->command->op->room));
    if (own && own->scope.field)
        return own;
    const cv_room *named = cv_room_find(cv_json_get_text(tree, "room"));
    for (size_t i = 0; !named && i < cv_room_count(); i++)
        if (cv_room_at(i)->scope.abbreviated &&
            cv_schema_requires(cli->command->input, cv_str_of(cv_room_at(i)->scope.field)))
            return cv_room_at(i);
    return named;
}

/* In a room without shortened names: what is left out is the only one that may be meant. */
static bool add_only(const search *s, cv_cli_input *input, cv_json *tree, cv_err *err)
{
    cv_errs errs = {0};
    cv_call own = *s->call;
    cv_str name;
    if (cv_json_get(tree, s->field) || !cv_schema_requires(s->cli->command->input, s->field))
        return true;
    own.input = tree;
    own.errs = &errs;
    if (!s->room->scope.only(&own, &name)) {
        cv_err_copy(err, &errs.items[0]);
        return false;
    }
    return name.n == 0 || put_name(s, name, input, tree, err);
}

bool cv_cli_find_scope(cv_cli *cli, const cv_call *call, cv_cli_input *input, cv_json *tree, cv_err *err)
{
    const cv_room *room = tree->type == CV_JSON_OBJECT ? room_meant(cli, tree) : NULL;
    if (!room || (!room->scope.abbreviated && !room->scope.only) || !call->record)
        return true;
    search s = {.cli = cli, .call = call, .room = room, .field = cv_str_of(room->scope.field)};
    if (room->scope.only)
        return add_only(&s, input, tree, err);
    if (cv_json_get(tree, CV_STR("room")))
        s.field = CV_STR("scope"); /* beside the name of its room */
    const cv_json *given = cv_json_get(tree, s.field);
    bool required = cv_schema_requires(cli->command->input, s.field);
    if (required && !given)
        return add_name(&s, input, tree, err);
    if (!required || given->type != CV_JSON_STRING || given->text.n == 0 || !cv_cli_is_given(cli, s.field))
        return complete_others(&s, input, tree, err);
    return complete_name(&s, given->text, input, tree, err);
}
