/* cli_args.c - options and arguments; see cli_parts.h. */
#include "door/cli_parts.h"
#include "kit/schema.h"

static const cv_cli_option for_all[] = {CV_CLI_ROOT, CV_CLI_AS};
const cv_cli_command cv_cli_any = {.options = for_all, .option_count = CV_COUNT(for_all)};

int cv_cli_before(int argc, const char *const *argv, int at)
{
    int end = at;
    while (end < argc && cv_str_starts(cv_str_of(argv[end]), CV_STR("--"))) {
        cv_str option = cv_str_of(argv[end] + 2);
        size_t equals = cv_str_find_char(option, '='), i = cv_cli_option_find(&cv_cli_any, cv_str_head(option, equals));
        const cv_cli_option *found = i == SIZE_MAX ? NULL : cv_cli_option_at(&cv_cli_any, i);
        if (!found || strcmp(found->name, "help") == 0)
            break;
        end += found->value && equals == SIZE_MAX && end + 1 < argc ? 2 : 1;
    }
    return end - at;
}

/* The name that begins with these letters; nothing: none does, or several do. */
static cv_str begun(cv_str letters, const cv_str *names, size_t count)
{
    cv_str found = {NULL, 0};
    for (size_t i = 0; letters.n && i < count; i++)
        if (cv_str_starts(names[i], letters)) {
            if (found.n)
                return (cv_str){NULL, 0};
            found = names[i];
        }
    return found;
}

/* The name that has this word: "type" is in "verdict-type". Nothing: none has it, or several do. */
static cv_str worded(cv_str word, const cv_str *names, size_t count)
{
    cv_str found = {NULL, 0};
    for (size_t i = 0; word.n && i < count; i++) {
        cv_str rest = names[i], part;
        bool has = false;
        while (cv_str_split(&rest, '-', &part))
            has = has || cv_str_eq(part, word);
        if (has && found.n)
            return (cv_str){NULL, 0};
        found = has ? names[i] : found;
    }
    return found;
}

/* Perhaps it is a value: so is every word with a blank in it. */
static bool not_an_option(const cv_cli *cli, const char *arg, cv_err *err)
{
    cv_err_set(err, CV_ERR_USAGE, "unknown option '%s'", arg);
    cv_err_suggest(err, cv_arena_printf(err->arena,
                                        "options begin with two dashes: see '%s --help'; before a value that begins "
                                        "with a dash, write --",
                                        cv_cli_title(cli->arena, cli->command)));
    return false;
}

static bool unknown_option(const cv_cli *cli, cv_str name, cv_err *err)
{
    const cv_cli_command *c = cli->command;
    size_t count = cv_cli_option_count(c);
    cv_str *names = CV_NEW_ARRAY(cli->arena, count, cv_str);
    for (size_t i = 0; i < count; i++)
        names[i] = cv_str_of(cv_cli_option_at(c, i)->name);
    cv_str near = cv_str_nearest(name, names, count), whole = begun(name, names, count);
    near = whole.n ? whole : near.n ? near : worded(name, names, count);
    cv_err_set(err, CV_ERR_USAGE, "unknown option '--%.*s'", CV_FMT(name));
    cv_err_suggest(err, near.n ? cv_arena_printf(err->arena, "did you mean '--%.*s'?", CV_FMT(near))
                               : cv_arena_printf(err->arena, "see '%s --help'", cv_cli_title(cli->arena, c)));
    return false;
}

static bool is_choice(const char *choices, cv_str value)
{
    cv_str rest = cv_str_of(choices), choice;
    while (cv_str_split(&rest, ' ', &choice))
        if (cv_str_eq(choice, value))
            return true;
    return false;
}

/* Choices of an operation are left to its schema, which reports them together with everything else. */
static bool check_choice(const cv_cli *cli, const cv_cli_option *o, const char *value, cv_err *err)
{
    if (!o->choices || cli->command->op || is_choice(o->choices, cv_str_of(value)))
        return true;
    cv_err_set(err, CV_ERR_USAGE, "'%s' is not a valid value of '--%s'", value, o->name);
    cv_err_suggest(err, cv_arena_printf(err->arena, "use one of: %s", o->choices));
    return false;
}

static void give(cv_cli *cli, size_t option, const char *value)
{
    cli->values[option] = value;
    *CV_PUSH(cli->arena, &cli->given) = (cv_cli_given){option, value};
}

static bool take_switch(cv_cli *cli, size_t i, bool has_value, bool on, cv_err *err)
{
    const cv_cli_option *o = cv_cli_option_at(cli->command, i);
    if (has_value)
        return cv_err_set(err, CV_ERR_USAGE, "option '--%s' takes no value", o->name);
    give(cli, i, on ? "true" : "false");
    return true;
}

/* One "--name", "--no-name", "--name=value" or "--name value" at argv[*at]. */
static bool take_option(cv_cli *cli, int argc, char **argv, int *at, cv_err *err)
{
    cv_str arg = cv_str_of(argv[*at] + 2);
    size_t equals = cv_str_find_char(arg, '=');
    cv_str name = cv_str_head(arg, equals);
    size_t i = cv_cli_option_find(cli->command, name);
    if (i == SIZE_MAX && cv_str_starts(name, CV_STR("no-"))) {
        i = cv_cli_option_find(cli->command, cv_str_from(name, 3));
        if (i != SIZE_MAX && cv_flag_is_negatable(cli->command, i))
            return take_switch(cli, i, equals != SIZE_MAX, false, err);
        i = SIZE_MAX;
    }
    if (i == SIZE_MAX)
        return cv_str_find_char(name, ' ') != SIZE_MAX ? not_an_option(cli, argv[*at], err)
                                                       : unknown_option(cli, name, err);
    const cv_cli_option *o = cv_cli_option_at(cli->command, i);
    if (!o->value)
        return take_switch(cli, i, equals != SIZE_MAX, true, err);
    if (equals == SIZE_MAX && *at + 1 >= argc)
        return cv_err_set(err, CV_ERR_USAGE, "option '--%s' needs a value: --%s %s", o->name, o->name, o->value);
    const char *value = equals != SIZE_MAX ? arg.p + equals + 1 : argv[++*at];
    if (!check_choice(cli, o, value, err))
        return false;
    give(cli, i, value);
    return true;
}

/* What is behind an option that nobody knows is perhaps its value, and no argument. */
static void skip_value(int argc, char **argv, int *at)
{
    if (!strchr(argv[*at], '=') && *at + 1 < argc && argv[*at + 1][0] != '-')
        ++*at;
}

void cv_cli_take(cv_cli *cli, int argc, char **argv, int from, cv_errs *errs)
{
    bool options = true;
    for (int i = from; i < argc; i++) {
        const char *arg = argv[i];
        cv_err err = {.arena = cli->arena};
        int at = i;
        if (options && strcmp(arg, "--") == 0)
            options = false;
        else if (options && strcmp(arg, "-h") == 0)
            give(cli, cv_cli_option_find(cli->command, CV_STR("help")), "true");
        else if (options && arg[0] == '-' && arg[1] == '-') {
            if (take_option(cli, argc, argv, &i, &err))
                continue;
            cv_errs_keep(errs, cli->arena, &err);
            if (i == at)
                skip_value(argc, argv, &i);
        } else if (options && arg[0] == '-' && arg[1] != '\0') {
            not_an_option(cli, arg, &err);
            cv_errs_keep(errs, cli->arena, &err);
        } else
            cli->arguments[cli->argument_count++] = arg;
    }
}
