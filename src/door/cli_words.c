/* cli_words.c - what an operation says of its fields, in errors, warnings and help, in the words of the command line;
 * see cli_parts.h.
 *
 *     updates[0].id                        --updates [0].id
 *     'tasks' is required                  --tasks is required
 *     give 'force': true, or replace: true give --force, or --replace
 *     its file as content_path             its file as --content-path
 *     with dir: also of folders below it   with --dir: also of folders below it
 *
 * The texts of operations name fields, as programs know them that send JSON, and put them in quotes. A person who
 * typed options knows those. A word is taken for a field only if the schema has it and the sentence shows that it is
 * one: quoted, with an underscore, set to true, asked for, a condition ("with dir:"), or missing. Values are quoted,
 * too: a word that was typed or would be valid is not taken for a field.
 */
#include "door/cli_parts.h"

static bool is_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_behind(cv_str text, size_t at, cv_str words)
{
    return cv_str_ends(cv_str_head(text, at), words);
}

/* "--panel-size" for "panel_size"; nothing: the request has no such field. */
static cv_str option_of(const cv_cli *cli, const cv_json *properties, cv_str field)
{
    for (uint32_t i = 0; properties && i < properties->count; i++)
        if (cv_str_eq(properties->members[i].key, field))
            return cv_arena_printf(cli->arena, "--%s", cli->command->options[i].name);
    return CV_STR("");
}

static bool is_in(const cv_str *words, size_t count, cv_str word)
{
    for (size_t i = 0; i < count; i++)
        if (cv_str_eq(words[i], word))
            return true;
    return false;
}

/* Is this word a value: one that was typed, alone or in a list, or one that would be valid? */
static bool is_value(const cv_cli *cli, const cv_err *err, cv_str word)
{
    cv_str item;
    for (size_t i = 0; i < cli->given.count; i++)
        for (cv_str rest = cv_str_of(cli->given.items[i].value); cv_str_split(&rest, ',', &item);)
            if (cv_str_eq(cv_str_trim(item), word))
                return true;
    return err && (cv_str_eq(err->value, word) || is_in(err->options, err->option_count, word));
}

/* How much of the sentence belongs to the field that begins at `at`: from *ret_from to *ret_to; false: it is none. */
static bool find_field(cv_str text, size_t at, cv_str name, size_t *ret_from, size_t *ret_to)
{
    cv_str rest = cv_str_from(text, at + name.n);
    char quote = at > 0 && rest.n > 0 && (text.p[at - 1] == '\'' || text.p[at - 1] == '`') ? text.p[at - 1] : '\0';
    bool quoted = quote && rest.p[0] == quote;
    rest = cv_str_from(rest, quoted);
    bool set = cv_str_starts(rest, CV_STR(": true"));
    *ret_from = at - quoted;
    *ret_to = at + name.n + quoted + (set ? strlen(": true") : 0);
    return quoted || set || cv_str_find_char(name, '_') != SIZE_MAX || is_behind(text, at, CV_STR("ive ")) ||
           (is_behind(text, at, CV_STR("with ")) && cv_str_starts(rest, CV_STR(":"))) ||
           cv_str_starts(rest, CV_STR(" is missing")) || cv_str_starts(rest, CV_STR(" is required"));
}

/* The text with its fields as options; `err`: whose text it is, or NULL. */
static cv_str in_options(const cv_cli *cli, const cv_json *properties, const cv_err *err, cv_str text)
{
    cv_buf out = {0};
    size_t done = 0, from, to;
    for (size_t at = 0, end; at < text.n; at = end) {
        for (end = at; end < text.n && is_part(text.p[end]); end++)
            ;
        cv_str name = {text.p + at, end - at};
        bool is_field = name.n > 0 && find_field(text, at, name, &from, &to) && !is_value(cli, err, name);
        cv_str option = is_field ? option_of(cli, properties, name) : CV_STR("");
        if (option.n) {
            cv_buf_add(&out, (cv_str){text.p + done, from - done});
            cv_buf_add(&out, option);
            done = end = to;
        }
        end += end == at;
    }
    cv_buf_add(&out, cv_str_from(text, done));
    return cv_buf_take(&out, cli->arena);
}

/* Who acts is said by the variable, unless the option or the input says it. */
static bool is_of_variable(const cv_cli *cli, cv_str value)
{
    const char *option = cv_cli_get(cli, "as"), *variable = cv_cli_wanted_agent(NULL);
    return variable && cv_str_eq(value, cv_str_of(variable)) && !(option && strcmp(option, variable) == 0);
}

/* `elsewhere`: what the operation itself has found in a file; a field within it ("seats[0].agent"), or one that the
 * command line does not have, is not one of the request, but "path[0]" is the file itself. */
static cv_str field_as_option(const cv_cli *cli, const cv_json *properties, const cv_err *err)
{
    size_t end = 0;
    cv_str field = err->field;
    bool elsewhere = err->file.n > 0;
    while (end < field.n && field.p[end] != '.' && field.p[end] != '[')
        end++;
    cv_str name = cv_str_head(field, end), rest = cv_str_from(field, end);
    cv_str option = option_of(cli, properties, name);
    if (cv_str_eq(field, CV_STR("as")) && (!option.n || is_of_variable(cli, err->value))) /* who acts */
        return cv_cli_get(cli, "as") && !is_of_variable(cli, err->value) ? CV_STR("--as") : CV_STR("CONCLAVE_AGENT");
    if (!option.n || (elsewhere && (cv_str_find_char(rest, '.') != SIZE_MAX || !cv_cli_is_given(cli, name))))
        return field;
    return cv_arena_printf(cli->arena, "%.*s%s%.*s", CV_FMT(option), rest.n ? " " : "", CV_FMT(rest));
}

/* An argument that is missing behind others: perhaps the first one was left out, and each stands for its neighbour. */
static void tell_taken(const cv_cli *cli, const cv_json *properties, cv_err *err)
{
    const cv_cli_command *c = cli->command;
    size_t last = cli->argument_count - 1;
    for (size_t i = cli->argument_count; i < c->taken_count; i++)
        if (cv_str_eq(properties->members[c->taken[i]].key, err->field))
            cv_err_suggest(err, cv_arena_printf(cli->arena, "'%s' was taken for --%s", cli->arguments[last],
                                                c->options[c->taken[last]].name));
}

void cv_cli_tell_options(const cv_cli *cli, const cv_json *properties, cv_errs *errs)
{
    for (size_t i = 0; properties && i < errs->count; i++) {
        cv_err *err = &errs->items[i];
        if (err->code == CV_ERR_MISSING_FIELD && cli->argument_count > 0 && !err->suggestion.n)
            tell_taken(cli, properties, err);
        cv_str option = field_as_option(cli, properties, err);
        cv_str rest = cv_str_from(err->message, err->field.n);
        if (err->file.n > 0 && err->line > 0) { /* it speaks of what is in that file */
            cv_err_field(err, option);
            continue;
        }
        bool named = !cv_json_get(properties, err->field) && err->field.n && cv_str_starts(err->message, err->field) &&
                     rest.n && !is_part(rest.p[0]);
        cv_str message = in_options(cli, properties, err, named ? rest : err->message);
        cv_err_message(err, "%.*s%.*s", CV_FMT(named ? option : CV_STR("")), CV_FMT(message));
        cv_err_suggest(err, in_options(cli, properties, err, err->suggestion));
        cv_err_field(err, option);
    }
}

void cv_cli_tell_warnings(const cv_cli *cli, const cv_json *properties, cv_json *reply)
{
    for (uint32_t i = 0; i < reply->count; i++) {
        cv_json_member *m = &reply->members[i];
        if (!cv_str_eq(m->key, CV_STR("warnings")) || m->value.type != CV_JSON_ARRAY)
            continue;
        for (uint32_t k = 0; k < m->value.count; k++) {
            cv_json *message = (cv_json *)cv_json_get(&m->value.items[k], CV_STR("message"));
            if (message && message->type == CV_JSON_STRING)
                message->text = in_options(cli, properties, NULL, message->text);
        }
    }
}

cv_str cv_cli_tell_help(cv_arena *a, const cv_cli_command *command, cv_str text)
{
    const cv_cli cli = {.arena = a, .command = command};
    return in_options(&cli, cv_json_get(command->input, CV_STR("properties")), NULL, text);
}
