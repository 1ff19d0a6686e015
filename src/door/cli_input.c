/* cli_input.c - the input of an operation from its options; see cli_parts.h.
 *
 *     --data '{"title": "A", "panel_size": 4}'  --panel-size 8  "B"
 *                                       ->  {"panel_size": 8, "title": "B"}
 *
 * Nothing is judged here: a number that is none becomes a string, so that the schema can refuse it together with
 * everything else that is wrong.
 */
#include "base/file.h"
#include "base/limits.h"
#include "door/cli_parts.h"
#include "kit/schema.h"

static const cv_json *properties_of(const cv_cli_command *c)
{
    static const cv_json none = {.type = CV_JSON_OBJECT};
    const cv_json *all = cv_json_get(c->input, CV_STR("properties"));
    return all ? all : &none;
}

/* "@FILE" and "-" are read, everything else is the text itself. */
static bool read_text(cv_cli *cli, const char *value, bool dash, cv_str *ret_text, const char **ret_file, cv_err *err)
{
    *ret_file = value[0] == '@' ? value + 1 : dash && strcmp(value, "-") == 0 ? "-" : NULL;
    *ret_text = cv_str_of(value);
    return !*ret_file || cv_file_read(cli->arena, *ret_file, CV_MAX_JSON_BYTES, ret_text, err);
}

static void name_file(cv_err *err, const char *file)
{
    if (file && err->file.n == 0)
        cv_err_file(err, cv_str_of(strcmp(file, "-") == 0 ? "<stdin>" : file));
}

/* ---- --data ----------------------------------------------------------------------------------------------------- */

static bool read_data(cv_cli *cli, cv_cli_input *ret, cv_json *ret_tree, cv_err *err)
{
    const char *given = cv_cli_get(cli, "data");
    *ret = (cv_cli_input){.text = CV_STR("{}"), .as_written = given != NULL};
    if (given && !read_text(cli, given, true, &ret->text, &ret->file, err))
        return false;
    if (!cv_cli_edited(cli->arena, ret->text, &ret->text, err) ||
        !cv_json_parse(cli->arena, ret->text, ret_tree, err)) {
        name_file(err, ret->file);
        if (!ret->file && err->suggestion.n == 0)
            cv_err_suggest(err, CV_STR("--data takes JSON, @FILE, or - for standard input"));
        return false;
    }
    if (ret_tree->type == CV_JSON_OBJECT)
        return true;
    cv_str found = cv_json_type_word(ret_tree->type);
    cv_err_set(err, CV_ERR_INVALID_VALUE, "--data must be a JSON object, found: %.*s", CV_FMT(found));
    name_file(err, ret->file);
    return false;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* "215 files": an object that a text is enough for. The schema says which member it is (x-text). */
static void write_member(cv_json_writer *w, cv_str member, cv_str value)
{
    cv_json_begin_object(w);
    cv_json_key(w, member);
    cv_json_str(w, value);
    cv_json_end_object(w);
}

/* "muffin,scone": a list of objects that a name is enough for. The schema says which member it is (x-names). */
static void write_names(cv_json_writer *w, cv_str member, cv_str value)
{
    cv_str rest = value, name;
    cv_json_begin_array(w);
    while (cv_str_split(&rest, ',', &name)) {
        if (cv_str_trim(name).n)
            write_member(w, member, cv_str_trim(name));
    }
    cv_json_end_array(w);
}

/* Not JSON with a fault. */
static bool is_text(cv_str given)
{
    cv_str text = cv_str_trim(given);
    return text.n > 0 && !strchr("[{\"", text.p[0]);
}

static bool write_json(cv_cli *cli, cv_json_writer *w, const cv_json_member *of, const char *value, cv_err *err)
{
    cv_str text, property = of->key, names = cv_json_get_text(&of->value, "x-names");
    cv_str member = cv_json_get_text(&of->value, "x-text");
    cv_json tree;
    const char *file;
    if (names.p && !strchr("[{@\"", value[0])) {
        write_names(w, names, cv_str_of(value));
        return true;
    }
    if (!read_text(cli, value, false, &text, &file, err))
        return false;
    if (!cv_json_parse(cli->arena, text, &tree, err)) {
        bool any = !cv_json_get(&of->value, CV_STR("type")); /* of JSON, also a text */
        if ((member.p || any) && !file && is_text(text)) {
            cv_err_clear(err);
            if (any)
                cv_json_str(w, text);
            else
                write_member(w, member, text);
            return true;
        }
        name_file(err, file);
        cv_err_field(err, property);
        if (!file && err->suggestion.n == 0)
            cv_err_suggest(err, cv_arena_printf(err->arena, "'--%s' takes JSON or @FILE",
                                                cv_cli_option_name(cli->arena, properties_of(cli->command), property)));
        return false;
    }
    cv_json_value(w, &tree);
    return true;
}

/* As a number when it is one, and null where that is allowed. */
static void write_number(cv_cli *cli, cv_json_writer *w, const cv_json *schema, const char *value)
{
    cv_json tree;
    cv_err ignored = {.arena = cli->arena};
    bool ok = cv_json_parse(cli->arena, cv_str_of(value), &tree, &ignored);
    bool null = ok && tree.type == CV_JSON_NULL && cv_schema_allows(schema, CV_STR("null"));
    if (null || (ok && tree.type == CV_JSON_NUMBER))
        cv_json_value(w, &tree);
    else
        cv_json_str(w, cv_str_of(value));
}

/* A text that may be long: itself, @FILE, or standard input. What is read must be text. */
static bool write_long_text(cv_cli *cli, cv_json_writer *w, cv_str property, const char *value, cv_err *err)
{
    cv_str text;
    const char *file;
    if (!read_text(cli, value, true, &text, &file, err))
        return false;
    if (!cv_text_check(text, err)) {
        name_file(err, file);
        cv_err_field(err, property);
        return false;
    }
    cv_json_str(w, text);
    return true;
}

static bool write_value(cv_cli *cli, cv_json_writer *w, const cv_json_member *property, const char *value, cv_err *err)
{
    switch (cv_flag_of(&property->value)) {
    case CV_FLAG_SWITCH:
        cv_json_raw(w, cv_str_of(value));
        return true;
    case CV_FLAG_NUMBER:
        write_number(cli, w, &property->value, value);
        return true;
    case CV_FLAG_JSON:
        return write_json(cli, w, property, value, err);
    default:
        if (cv_json_get(&property->value, CV_STR("x-file")))
            return write_long_text(cli, w, property->key, value, err);
        cv_json_str(w, cv_str_of(value));
        return true;
    }
}

/* The arguments of the command line must be text: JSON has no other strings. */
static bool check_text(const char *value, cv_str property, cv_err *err)
{
    if (cv_text_check(cv_str_of(value), err))
        return true;
    cv_err_field(err, property);
    return false;
}

/* Ids, slugs and words have no commas: "tension,claim" are two of them. Of an empty value the schema shall tell. */
static void write_items(cv_json_writer *w, const cv_json_member *property, cv_str value)
{
    cv_str rest = value, item;
    bool any = false;
    while (!cv_json_get(&property->value, CV_STR("x-whole")) && cv_str_split(&rest, ',', &item)) {
        item = cv_str_trim(item);
        if (item.n > 0)
            cv_json_str(w, item);
        any = any || item.n > 0;
    }
    if (!any)
        cv_json_str(w, value);
}

/* An argument is one of the two when its option is given, too. */
static bool twice(const cv_cli *cli, size_t option, cv_err *err)
{
    const char *name = cli->command->options[option].name;
    cv_err_set(err, CV_ERR_USAGE, "'--%s' is given twice", name);
    for (size_t i = 0; i < cli->argument_count; i++)
        if (cv_cli_property_at(cli->command, i) == option) {
            cv_err_set(err, CV_ERR_USAGE, "'--%s' is given twice: '%s' was taken for it, too", name, cli->arguments[i]);
            cv_err_suggest(err, CV_STR("it takes one value: leave the argument or the option out"));
            return false;
        }
    cv_err_suggest(err, CV_STR("it takes one value"));
    return false;
}

/* A value that cannot be read leaves null in its place, and a fault: then nobody reads what was written. */
static void write_property(cv_cli *cli, cv_json_writer *w, size_t option, const cv_json_member *property, cv_errs *errs)
{
    bool list = cv_flag_of(&property->value) == CV_FLAG_TEXTS, ok = true;
    size_t times = 0;
    for (size_t i = 0; i < cli->given.count && ok; i++) {
        const cv_cli_given *given = &cli->given.items[i];
        cv_err err = {.arena = cli->arena};
        if (given->option != option)
            continue;
        if (++times == 1) {
            cv_json_key(w, property->key);
            if (list)
                cv_json_begin_array(w);
        }
        ok = (times == 1 || list || twice(cli, option, &err)) && check_text(given->value, property->key, &err);
        if (ok && list)
            write_items(w, property, cv_str_of(given->value));
        else if (ok)
            ok = write_value(cli, w, property, given->value, &err);
        if (!ok)
            cv_errs_keep(errs, cli->arena, &err);
        if (!ok && !list && times == 1)
            cv_json_raw(w, CV_STR("null"));
    }
    if (times > 0 && list)
        cv_json_end_array(w);
}

size_t cv_cli_property_at(const cv_cli_command *c, size_t place)
{
    if (place < c->taken_count)
        return c->taken[place];
    size_t last = c->taken_count ? c->taken[c->taken_count - 1] : SIZE_MAX;
    return last != SIZE_MAX && cv_flag_of(&properties_of(c)->members[last].value) == CV_FLAG_TEXTS ? last : SIZE_MAX;
}

/* More words than the command takes: those of a text without quotes, or values that need their options. */
static bool refuse_argument(const cv_cli *cli, size_t i, cv_err *err)
{
    const cv_cli_command *c = cli->command;
    const char *title = cv_cli_title(cli->arena, c);
    cv_err_set(err, CV_ERR_USAGE, "unexpected argument '%s'", cli->arguments[i]);
    const cv_json_member *last = i > 0 ? &properties_of(c)->members[c->taken[i - 1]] : NULL;
    const char *option = last ? cv_flag_name(cli->arena, last->key) : "";
    if (!last)
        cv_err_suggest(err,
                       cv_arena_printf(err->arena, "all values are given with options here; see '%s --help'", title));
    else if (strchr(cli->arguments[i - 1], ' '))
        cv_err_suggest(err, cv_arena_printf(err->arena, "all values after --%s are given with options; see '%s --help'",
                                            option, title));
    else
        cv_err_suggest(err, cv_arena_printf(err->arena,
                                            "'%s' was taken for --%s: put quotes around a text with spaces, and give "
                                            "other values with their options; see '%s --help'",
                                            cli->arguments[i - 1], option, title));
    return false;
}

/* Arguments without flags become ones with them. */
static bool place_arguments(cv_cli *cli, cv_err *err)
{
    for (size_t i = 0; i < cli->argument_count; i++) {
        size_t property = cv_cli_property_at(cli->command, i);
        if (property == SIZE_MAX) {
            return refuse_argument(cli, i, err);
        }
        *CV_PUSH(cli->arena, &cli->given) = (cv_cli_given){property, cli->arguments[i]};
    }
    return true;
}

static bool is_given(const cv_cli *cli, size_t option)
{
    for (size_t i = 0; i < cli->given.count; i++)
        if (cli->given.items[i].option == option)
            return true;
    return false;
}

bool cv_cli_is_given(const cv_cli *cli, cv_str name)
{
    const cv_json *all = properties_of(cli->command);
    for (uint32_t i = 0; i < all->count; i++)
        if (cv_str_eq(all->members[i].key, name))
            return is_given(cli, i);
    return false;
}

static void write_all(cv_cli *cli, cv_json_writer *w, const cv_json *data, cv_errs *errs)
{
    const cv_json *all = properties_of(cli->command);
    cv_json_begin_object(w);
    for (uint32_t i = 0; i < data->count; i++) {
        if (cv_cli_is_given(cli, data->members[i].key)) /* then the option counts */
            continue;
        cv_json_key(w, data->members[i].key);
        cv_json_value(w, &data->members[i].value);
    }
    for (uint32_t i = 0; i < all->count; i++)
        write_property(cli, w, i, &all->members[i], errs);
    cv_json_end_object(w);
}

bool cv_cli_read_input(cv_cli *cli, cv_cli_input *ret_input, cv_errs *errs)
{
    cv_json data;
    cv_err err = {.arena = cli->arena};
    if (!place_arguments(cli, &err) || !read_data(cli, ret_input, &data, &err)) {
        cv_errs_keep(errs, cli->arena, &err);
        return false;
    }
    bool any = false;
    for (size_t i = 0; i < cli->given.count; i++)
        any = any || cli->given.items[i].option < properties_of(cli->command)->count;
    if (!any)
        return true;
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    size_t faults = errs->count;
    write_all(cli, &w, &data, errs);
    if (!cv_buf_ok(&text))
        cv_errs_add(errs, cli->arena, CV_ERR_TOO_LARGE, "the input is too large");
    *ret_input = (cv_cli_input){.text = cv_arena_copy(cli->arena, cv_buf_str(&text))};
    cv_buf_release(&text);
    return errs->count == faults;
}
