/* complete.c - what can follow on a command line; see cli_parts.h. The shells ask through `conclave completion words`.
 *
 *     dialogue expand nvidia-decision P0001 --js        the last word is the one to be completed
 *     room     verb   argument        argument
 *
 * Everything comes from the table of commands and the schemas, except values that the record knows (cv_completion):
 * an operation of their room is asked for them, in the project when there is one. Nothing is ever an error: a shell has
 * nobody to tell.
 */
#include "base/clock.h"
#include "door/cli_parts.h"
#include "door/install/client.h"
#include "project/project.h"

typedef struct {
    cv_arena *arena;
    cv_buf *out;
    cv_cli_table table;
    const char *const *words;
    size_t count;
    cv_str current; /* the last word */
    cv_cli_command command;
    const char *root;  /* as far as the words have said it */
    const cv_room *in; /* whose scope the words have named */
    const char *scope;
    size_t places;       /* arguments before the last word */
    size_t waiting;      /* the option whose value the last word is; SIZE_MAX: none */
    bool only_arguments; /* behind "--" */
} line;

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* What a word means may be any text: one line of it. */
static void offer(line *l, cv_str word, cv_str about)
{
    if (!cv_str_starts(word, l->current))
        return;
    cv_buf_add(l->out, word);
    cv_buf_add_char(l->out, '\t');
    for (size_t i = 0; i < about.n; i++)
        cv_buf_add_char(l->out, cv_is_space(about.p[i]) ? ' ' : about.p[i]);
    cv_buf_add_char(l->out, '\n');
}

static void offer_z(line *l, const char *word, const char *about)
{
    offer(l, cv_str_of(word), cv_str_of(about));
}

static void offer_commands(line *l, const char *room)
{
    for (size_t i = 0; i < l->table.count; i++)
        if (strcmp(l->table.items[i].room, room) == 0)
            offer_z(l, l->table.items[i].name, l->table.items[i].summary);
}

static void offer_rooms(line *l)
{
    for (size_t i = 0; i < cv_room_count(); i++)
        offer_z(l, cv_room_at(i)->name, cv_room_at(i)->summary);
}

/* ---- from the project -------------------------------------------------------------------------------------------- */

/* What an operation answers in the project of the line; NULL: there is none, or it refuses. */
static const cv_json *ask(line *l, const char *operation, cv_str input)
{
    cv_err err = {.arena = l->arena};
    cv_errs errs = {0};
    cv_buf reply = {0};
    cv_json *tree = CV_NEW(l->arena, cv_json), given;
    cv_call call = {.arena = l->arena, .clock = cv_clock_system(), .input = &given, .out = &reply, .errs = &errs};
    if (!cv_json_parse(l->arena, input, &given, &err) ||
        !cv_project_find(l->arena, cv_cli_wanted_root(l->root), &call.root, &err) ||
        !cv_project_open(l->arena, call.root, &call.record, &err))
        return NULL;
    bool done = cv_op_call(cv_op_called(cv_str_of(operation)), &call);
    cv_record_close(call.record);
    cv_str text = cv_buf_take(&reply, l->arena);
    return done && cv_json_parse(l->arena, text, tree, &err) ? tree : NULL;
}

/* The input of the operation that knows the values: what the row says, and the scope of the line. Empty: the line has
 * not named one of this room. */
static cv_str input_for(const line *l, const cv_room *room, const cv_completion *row)
{
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    const char *more = row->input ? row->input : "";
    if (row->in_scope && l->in != room)
        return CV_STR("");
    if (row->in_scope) {
        cv_json_str(&w, cv_str_of(l->scope));
        cv_str scope = cv_buf_take(&input, l->arena);
        return cv_arena_printf(l->arena, "{\"%s\":%.*s%s%s}", room->scope.field, CV_FMT(scope), *more ? "," : "", more);
    }
    return cv_arena_printf(l->arena, "{%s}", more);
}

static void offer_known(line *l, const cv_room *room, const cv_completion *row)
{
    cv_str input = input_for(l, room, row);
    const cv_json *reply = input.n ? ask(l, row->operation, input) : NULL;
    const cv_json *list = reply ? cv_json_get(reply, cv_str_of(row->list)) : NULL;
    for (uint32_t i = 0; list && i < list->count; i++)
        offer(l, cv_json_get_text(&list->items[i], row->word), cv_json_get_text(&list->items[i], row->about));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void offer_choices(line *l, const char *choices)
{
    cv_str rest = cv_str_of(choices), choice;
    while (cv_str_split(&rest, ' ', &choice))
        offer(l, choice, CV_STR(""));
}

/* The value that begins behind `keep` bytes of the last word. */
static void offer_value(line *l, const cv_cli_option *o, size_t keep)
{
    cv_buf inner = {0}, *out = l->out;
    cv_str whole = l->current, word;
    bool is_folder = strcmp(o->value, CV_VALUE_FOLDER) == 0, is_json = strcmp(o->value, CV_VALUE_JSON) == 0;
    l->current = cv_str_from(whole, keep);
    bool at = l->current.n > 0 && l->current.p[0] == '@';
    if (is_folder || strcmp(o->value, CV_VALUE_FILE) == 0)
        cv_buf_printf(out, ":%s %zu \n", is_folder ? "folders" : "files", keep);
    else if ((is_json && l->current.n == 0) || (at && (is_json || strcmp(o->value, CV_VALUE_TEXT_OR_FILE) == 0)))
        cv_buf_printf(out, ":files %zu %s\n", keep + at, at ? "" : "@");
    l->out = &inner;
    if (o->choices)
        offer_choices(l, o->choices);
    for (size_t i = 0; i < cv_room_count(); i++)
        for (const cv_completion *row = cv_room_at(i)->completions; row && row->value; row++)
            if (strcmp(o->value, row->value) == 0)
                offer_known(l, cv_room_at(i), row);
    cv_str lines = cv_buf_take(&inner, l->arena);
    l->out = out;
    l->current = whole;
    while (cv_str_split(&lines, '\n', &word))
        if (word.n)
            cv_buf_printf(out, "%.*s%.*s\n", (int)keep, whole.p, CV_FMT(word));
}

static void offer_options(line *l)
{
    for (size_t i = 0; i < cv_cli_option_count(&l->command); i++) {
        const cv_cli_option *o = cv_cli_option_at(&l->command, i);
        offer(l, cv_arena_printf(l->arena, "--%s", o->name), cv_str_of(o->summary));
        if (cv_flag_is_negatable(&l->command, i))
            offer(l, cv_arena_printf(l->arena, "--no-%s", o->name), cv_str_of(o->summary));
    }
}

/* ---- a command --------------------------------------------------------------------------------------------------- */

static size_t option_named(const line *l, cv_str name)
{
    for (size_t i = 0; i < cv_cli_option_count(&l->command); i++)
        if (cv_str_eq(name, cv_str_of(cv_cli_option_at(&l->command, i)->name)))
            return i;
    return SIZE_MAX;
}

static void note_value(line *l, size_t option, const char *value)
{
    const char *name = cv_cli_option_at(&l->command, option)->name;
    if (strcmp(name, "root") == 0)
        l->root = value;
    for (size_t i = 0; i < cv_room_count(); i++) {
        const char *field = cv_room_at(i)->scope.field;
        if (field && strcmp(name, cv_flag_name(l->arena, cv_str_of(field))) == 0) {
            l->in = cv_room_at(i);
            l->scope = value;
        }
    }
}

static void note_argument(line *l, const char *word)
{
    size_t property = l->command.op ? cv_cli_property_at(&l->command, l->places) : SIZE_MAX;
    if (property != SIZE_MAX)
        note_value(l, property, word);
    l->places++;
}

/* A word before the last one: an option, the value of one, an argument. */
static void pass(line *l, const char *word)
{
    cv_str text = cv_str_of(word);
    if (l->waiting != SIZE_MAX) {
        note_value(l, l->waiting, word);
        l->waiting = SIZE_MAX;
    } else if (!l->only_arguments && strcmp(word, "--") == 0) {
        l->only_arguments = true;
    } else if (!l->only_arguments && cv_str_starts(text, CV_STR("--"))) {
        size_t equals = cv_str_find_char(text, '=');
        size_t option = option_named(l, cv_str_from(cv_str_head(text, equals), 2));
        if (option != SIZE_MAX && equals != SIZE_MAX)
            note_value(l, option, word + equals + 1);
        else if (option != SIZE_MAX && cv_cli_option_at(&l->command, option)->value)
            l->waiting = option;
    } else {
        note_argument(l, word);
    }
}

/* Arguments of commands that have no schema: "FILE...", "bash|zsh|fish", "CLIENT". */
static void offer_plain_argument(line *l)
{
    cv_str arguments = cv_str_of(l->command.arguments);
    if (cv_str_find(arguments, CV_STR(CV_VALUE_FILE)) != SIZE_MAX || cv_str_find(arguments, CV_STR("PATH")) != SIZE_MAX)
        cv_buf_add_z(l->out, ":files 0 \n");
    else if (l->command.run == cv_cmd_completion.run && l->places == 0)
        offer_choices(l, "bash zsh fish");
    else if (l->command.run == cv_cmd_install.run && l->places == 0)
        for (size_t i = 0; i < cv_client_count; i++)
            offer_z(l, cv_clients[i].name, cv_clients[i].config[CV_SCOPE_PROJECT]);
    else if (l->command.run == cv_cmd_man.run && l->places == 0) {
        offer_commands(l, "");
        offer_rooms(l);
    } else if (l->command.run == cv_cmd_man.run && l->places == 1)
        offer_commands(l, l->words[l->count - 2]);
}

static void complete_command(line *l, const cv_cli_command *command, size_t from)
{
    l->command = cv_cli_complete(l->arena, command);
    l->waiting = SIZE_MAX;
    for (size_t i = from; i + 1 < l->count; i++)
        pass(l, l->words[i]);
    size_t equals = cv_str_find_char(l->current, '=');
    bool is_option = !l->only_arguments && cv_str_starts(l->current, CV_STR("-"));
    if (l->waiting != SIZE_MAX) {
        offer_value(l, cv_cli_option_at(&l->command, l->waiting), 0);
    } else if (is_option && equals != SIZE_MAX) {
        size_t option = option_named(l, cv_str_from(cv_str_head(l->current, equals), 2));
        if (option != SIZE_MAX && cv_cli_option_at(&l->command, option)->value)
            offer_value(l, cv_cli_option_at(&l->command, option), equals + 1);
    } else if (is_option) {
        offer_options(l);
    } else if (!l->command.op) {
        offer_plain_argument(l);
    } else {
        size_t property = cv_cli_property_at(&l->command, l->places);
        if (property != SIZE_MAX)
            offer_value(l, &l->command.options[property], 0);
    }
}

/* ---- the beginning of the line ----------------------------------------------------------------------------------- */

static void complete_help(line *l)
{
    if (l->count > 2) {
        offer_commands(l, l->words[1]);
        return;
    }
    offer_commands(l, "");
    offer_rooms(l);
    for (size_t i = 0; cv_help_topic_at(i); i++)
        offer_z(l, cv_help_topic_at(i)->name, "a topic");
}

static void complete_first(line *l)
{
    offer_commands(l, "");
    offer_rooms(l);
    offer_z(l, "help", "what can be called, and how");
    if (l->current.n > 0) {
        offer_options(l);
        offer_z(l, "--version", "print the version");
    }
}

/* Passes the options before the command. False: the last word is the value of one. */
static bool pass_before(line *l)
{
    size_t before = (size_t)cv_cli_before((int)l->count - 1, l->words, 0);
    l->command = cv_cli_any;
    l->waiting = SIZE_MAX;
    for (size_t i = 0; i < before; i++)
        pass(l, l->words[i]);
    if (l->waiting != SIZE_MAX)
        offer_value(l, cv_cli_option_at(&l->command, l->waiting), 0);
    l->words += before;
    l->count -= before;
    return l->waiting == SIZE_MAX;
}

void cv_complete(cv_buf *out, cv_arena *a, const char *const *words, size_t count)
{
    line l = {.arena = a, .out = out, .table = cv_cli_commands(a), .words = words, .count = count};
    l.current = cv_str_of(count > 0 ? words[count - 1] : "");
    if (!pass_before(&l))
        return;
    words = l.words;
    count = l.count;
    const char *first = count > 1 ? words[0] : "";
    bool in_room = count > 1 && cv_room_find(cv_str_of(first));
    const cv_cli_command *same = in_room ? cv_cli_find(&l.table, CV_STR(""), cv_str_of(first)) : NULL;
    if (same && count > 2 && !cv_cli_find(&l.table, cv_str_of(first), cv_str_of(words[1])))
        in_room = false; /* a command has the name of the room, and this is not a verb */
    if (count < 2) {
        complete_first(&l);
    } else if (strcmp(first, "help") == 0) {
        complete_help(&l);
    } else if (in_room && count == 2) {
        offer_commands(&l, first);
        if (same)
            complete_command(&l, same, 1);
        else
            offer_z(&l, "--help", "show the help");
    } else {
        const cv_cli_command *command = in_room ? cv_cli_find(&l.table, cv_str_of(first), cv_str_of(words[1]))
                                                : cv_cli_find(&l.table, CV_STR(""), cv_str_of(first));
        if (command)
            complete_command(&l, command, in_room ? 2 : 1);
    }
}
