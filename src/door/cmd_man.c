/* cmd_man.c - conclave man: manual pages, made from the same table as the help.
 *
 *     conclave(1)                      all commands
 *     conclave-dialogue(1)             a room
 *     conclave-dialogue-create(1)      a command
 *
 * Pages are roff with the macros of man(7). They have no date: the same program gives the same bytes.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/utf8.h"
#include "door/cli.h"
#include "door/cli_parts.h"
#include "door/version.h"

/* ---- roff -------------------------------------------------------------------------------------------------------- */

/* Signs that roff would turn into others, or read as its own. */
static const struct {
    uint32_t code;
    const char *roff;
} signs[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

/* Text that means nothing to roff: no escapes, no requests at the beginning of a line; other scripts by their codes. */
static void put(cv_buf *out, cv_str text)
{
    bool start = out->n == 0 || out->p[out->n - 1] == '\n';
    const char *from = text.p;
    for (uint32_t code; text.n > 0 && cv_utf8_next(&text, &code); from = text.p) {
        size_t sign = 0;
        while (sign < CV_COUNT(signs) && signs[sign].code != code)
            sign++;
        if (start && (code == '.' || code == '\''))
            cv_buf_add_z(out, "\\&");
        if (sign < CV_COUNT(signs))
            cv_buf_add_z(out, signs[sign].roff);
        else if (code >= 0x80)
            cv_buf_printf(out, "\\[u%04X]", (unsigned)code);
        else
            cv_buf_add(out, cv_str_range(from, text.p));
        start = code == '\n';
    }
}

static void put_z(cv_buf *out, const char *text)
{
    put(out, cv_str_of(text));
}

static void put_line(cv_buf *out, const char *request, const char *text)
{
    cv_buf_add_z(out, request);
    put_z(out, text);
    cv_buf_add_char(out, '\n');
}

/* Paragraphs: blank lines part them. */
static void put_paragraphs(cv_buf *out, const char *text)
{
    cv_str rest = cv_str_of(text), one;
    while (cv_str_split(&rest, '\n', &one)) {
        if (cv_str_trim(one).n == 0) {
            cv_buf_add_z(out, rest.n ? ".PP\n" : "");
            continue;
        }
        put(out, cv_str_trim(one));
        cv_buf_add_char(out, '\n');
    }
}

static void put_head(cv_buf *out, cv_arena *a, const char *page, const char *title, const char *summary)
{
    char *upper = cv_arena_copy_z(a, cv_str_of(page));
    for (char *p = upper; *p; p++)
        *p = cv_upper(*p);
    cv_buf_add_z(out, ".TH \"");
    put_z(out, upper);
    cv_buf_add_z(out, "\" \"1\" \"\" \"conclave " CV_VERSION "\" \"Conclave\"\n.SH NAME\n");
    put_z(out, page);
    cv_buf_add_z(out, " \\- ");
    put_z(out, summary);
    cv_buf_add_z(out, "\n.SH SYNOPSIS\n.B ");
    put_z(out, title);
    cv_buf_add_char(out, '\n');
}

static const char *page_name(cv_arena *a, const char *title)
{
    char *name = cv_arena_copy_z(a, cv_str_of(title));
    for (char *p = name; *p; p++)
        *p = *p == ' ' ? '-' : *p;
    return name;
}

static void put_status(cv_buf *out)
{
    cv_buf_add_z(out, ".SH EXIT STATUS\n0 fine, 1 findings or a refused request, 2 the command could not run, or its "
                      "answer was lost.\n");
}

/* ---- one command ------------------------------------------------------------------------------------------------- */

static void put_option(cv_buf *out, cv_arena *a, const cv_cli_option *o, bool negatable)
{
    cv_buf_add_z(out, ".TP\n\\fB");
    put(out, cv_arena_printf(a, "--%s%s", negatable ? "[no-]" : "", o->name));
    cv_buf_add_z(out, "\\fR");
    if (o->value) {
        cv_buf_add_z(out, " \\fI");
        put_z(out, o->value);
        cv_buf_add_z(out, "\\fR");
    }
    cv_buf_add_char(out, '\n');
    put(out, cv_help_option(a, o));
    cv_buf_add_char(out, '\n');
}

static void put_fields(cv_buf *out, cv_arena *a, const cv_json *schema)
{
    const char *title;
    const cv_json *object = cv_help_fields(schema, &title);
    const cv_json *fields = object ? cv_json_get(object, CV_STR("properties")) : NULL;
    if (!fields)
        return;
    cv_buf_add_z(out, ".RS\n.PP\n");
    put_line(out, "", title);
    for (uint32_t i = 0; i < fields->count; i++) {
        cv_buf_add_z(out, ".TP\n.I ");
        put(out, fields->members[i].key);
        cv_buf_add_char(out, '\n');
        cv_str about = cv_help_field(a, object, &fields->members[i]);
        put(out, about.n ? about : CV_STR("any value"));
        cv_buf_add_char(out, '\n');
    }
    cv_buf_add_z(out, ".RE\n");
}

static void put_options(cv_buf *out, cv_arena *a, const cv_cli_command *c)
{
    const cv_json *all = c->input ? cv_json_get(c->input, CV_STR("properties")) : NULL;
    cv_buf_add_z(out, ".SH OPTIONS\n");
    for (size_t i = 0; i < cv_cli_option_count(c); i++) {
        put_option(out, a, cv_cli_option_at(c, i), cv_flag_is_negatable(c, i));
        if (all && i < all->count)
            put_fields(out, a, &all->members[i].value);
    }
}

static void put_examples(cv_buf *out, const char *examples)
{
    cv_str rest = cv_str_of(examples), one;
    cv_buf_add_z(out, ".SH EXAMPLES\n.nf\n");
    while (cv_str_split(&rest, '\n', &one))
        if (one.n) {
            put(out, cv_str_trim(one));
            cv_buf_add_char(out, '\n');
        }
    cv_buf_add_z(out, ".fi\n");
}

static void put_commands(cv_buf *out, cv_arena *a, const cv_cli_table *table, const char *room)
{
    for (size_t i = 0; i < table->count; i++) {
        const cv_cli_command *c = &table->items[i];
        if (strcmp(c->room, room) != 0)
            continue;
        cv_buf_add_z(out, ".TP\n.BR ");
        put_z(out, page_name(a, cv_cli_title(a, c)));
        cv_buf_add_z(out, " (1)\n");
        put_line(out, "", c->summary);
    }
}

/* A command may have the name of a room: then its page has the verbs, too. */
static void put_command(cv_buf *out, cv_arena *a, const cv_cli_table *table, const cv_cli_command *command)
{
    cv_cli_command c = cv_cli_complete(a, command);
    const char *title = cv_cli_title(a, &c);
    put_head(out, a, page_name(a, title), title, c.summary);
    put_line(out, "", *c.arguments ? cv_arena_printf(a, "[OPTION...] %s", c.arguments).p : "[OPTION...]");
    cv_buf_add_z(out, ".SH DESCRIPTION\n");
    put_paragraphs(out, c.details);
    if (!*c.room && cv_room_find(cv_str_of(c.name))) {
        cv_buf_add_z(out, ".SH VERBS\n");
        put_commands(out, a, table, c.name);
    }
    put_options(out, a, &c);
    put_examples(out, c.examples);
    put_status(out);
    cv_buf_add_z(out, ".SH SEE ALSO\n.BR conclave (1)");
    if (*c.room) {
        cv_buf_add_z(out, ",\n.BR ");
        put_z(out, page_name(a, cv_arena_printf(a, "conclave-%s", c.room).p));
        cv_buf_add_z(out, " (1)");
    }
    cv_buf_add_char(out, '\n');
}

/* ---- a room, all of them ----------------------------------------------------------------------------------------- */

static void put_room(cv_buf *out, cv_arena *a, const cv_cli_table *table, const cv_room *room)
{
    const char *title = cv_arena_printf(a, "conclave %s", room->name).p;
    put_head(out, a, page_name(a, title), title, room->summary);
    put_line(out, "", "VERB [OPTION...] [ARGUMENT...]");
    cv_buf_add_z(out, ".SH DESCRIPTION\n");
    put_paragraphs(out, room->details);
    cv_buf_add_z(out, ".SH VERBS\n");
    put_commands(out, a, table, room->name);
    put_status(out);
    cv_buf_add_z(out, ".SH SEE ALSO\n.BR conclave (1)\n");
}

static void put_all(cv_buf *out, cv_arena *a, const cv_cli_table *table)
{
    put_head(out, a, "conclave", "conclave", "rooms where AI agents work together, on one verified record");
    put_line(out, "", "COMMAND [OPTION...] [ARGUMENT...]");
    put_line(out, ".br\n.B conclave\n", "ROOM VERB [OPTION...] [ARGUMENT...]");
    cv_buf_add_z(out, ".SH COMMANDS\n");
    put_commands(out, a, table, "");
    for (size_t i = 0; i < cv_room_count(); i++) {
        put_line(out, ".SS ", cv_room_at(i)->name);
        put_commands(out, a, table, cv_room_at(i)->name);
    }
    cv_buf_add_z(out,
                 ".SH OPTIONS\n.TP\n.B \\-\\-version\nprint the version\n.TP\n.B \\-\\-help\n"
                 "show the help, or with a command the help for it\n"
                 ".TP\n.BR \\-\\-json \", \" \\-\\-root \", \" \\-\\-as\nas after the command, whose page has them\n"
                 ".SH ENVIRONMENT\n.TP\n.B CONCLAVE_ROOT\nthe project\\(aqs folder, unless \\-\\-root is given\n"
                 ".TP\n.B CONCLAVE_AGENT\nwho acts, unless \\-\\-as is given\n"
                 ".TP\n.B NO_COLOR\nno colours on a terminal\n"
                 ".SH FILES\n.TP\n.I .conclave/conclave.db\nthe record of a project\n");
    put_status(out);
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

static bool write_page(cv_arena *a, const char *folder, const char *title, cv_buf *page, cv_err *err)
{
    const char *path = cv_arena_printf(a, "%s/%s.1", folder, page_name(a, title)).p;
    bool ok = cv_file_write(path, cv_buf_str(page), err);
    cv_buf_release(page);
    *page = (cv_buf){0};
    return ok;
}

static bool write_all(cv_arena *a, const char *folder, cv_err *err)
{
    cv_cli_table table = cv_cli_commands(a);
    cv_buf page = {0};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cv_system_fail(err, folder, "make the folder", errno);
    put_all(&page, a, &table);
    bool ok = write_page(a, folder, "conclave", &page, err);
    for (size_t i = 0; ok && i < cv_room_count(); i++) {
        put_room(&page, a, &table, cv_room_at(i));
        ok = write_page(a, folder, cv_arena_printf(a, "conclave %s", cv_room_at(i)->name).p, &page, err);
    }
    for (size_t i = 0; ok && i < table.count; i++) {
        put_command(&page, a, &table, &table.items[i]);
        ok = write_page(a, folder, cv_cli_title(a, &table.items[i]), &page, err);
    }
    return ok;
}

/* A page goes by the words of its command and by the name of its file: "dialogue create", "conclave-dialogue-create",
 * and "dialogue-create" between the two. */
static const char *page_wanted(const cv_cli *cli)
{
    cv_buf name = {0};
    cv_buf_add_z(&name, "conclave");
    for (size_t i = 0; i < cli->argument_count; i++) {
        cv_str word = cv_str_of(cli->arguments[i]);
        if (i == 0 && cv_str_starts(word, CV_STR("conclave-")))
            word = cv_str_from(word, strlen("conclave-"));
        if (i > 0 || !cv_str_eq(word, CV_STR("conclave")))
            cv_buf_printf(&name, "-%.*s", CV_FMT(word));
    }
    return cv_arena_copy_z(cli->arena, cv_buf_take(&name, cli->arena));
}

static const char *room_page(cv_arena *a, const cv_room *room)
{
    return cv_arena_printf(a, "conclave-%s", room->name).p;
}

/* False: there is no such page. */
static bool put_page(cv_buf *out, cv_arena *a, const cv_cli_table *table, const char *page)
{
    if (strcmp(page, "conclave") == 0)
        return put_all(out, a, table), true;
    for (size_t i = 0; i < cv_room_count(); i++)
        if (strcmp(page, room_page(a, cv_room_at(i))) == 0 &&
            !cv_cli_find(table, CV_STR(""), cv_str_of(cv_room_at(i)->name)))
            return put_room(out, a, table, cv_room_at(i)), true;
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(page, page_name(a, cv_cli_title(a, &table->items[i]))) == 0)
            return put_command(out, a, table, &table->items[i]), true;
    return false;
}

/* What is there beside the page that is not: the verbs of its room, or all commands and rooms. */
static int unknown_page(cv_cli *cli, const cv_cli_table *table, const char *page)
{
    cv_err err = {.arena = cli->arena};
    cv_str name = cv_str_from(cv_str_of(page), strlen("conclave-")), *known;
    const char *room = "";
    size_t count = 0;
    for (size_t i = 0; i < cv_room_count(); i++)
        if (cv_str_starts(cv_str_of(page), cv_arena_printf(cli->arena, "conclave-%s-", cv_room_at(i)->name))) {
            room = cv_room_at(i)->name;
            name = cv_str_from(name, strlen(room) + 1);
        }
    known = CV_NEW_ARRAY(cli->arena, cv_room_count() + table->count, cv_str);
    for (size_t i = 0; !*room && i < cv_room_count(); i++)
        known[count++] = cv_str_of(cv_room_at(i)->name);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->items[i].room, room) == 0)
            known[count++] = cv_str_of(table->items[i].name);
    cv_err_set(&err, CV_ERR_USAGE, "there is no page '%s'", page);
    if (!cv_err_nearest(&err, name, known, count))
        cv_err_suggest(&err, CV_STR("'conclave --help' lists the commands"));
    return cv_cli_fail(cli, &err);
}

static int run_man(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    const char *folder = cv_cli_get(cli, "all"), *page = page_wanted(cli);
    if (folder)
        return write_all(cli->arena, folder, &err) ? 0 : cv_cli_fail(cli, &err);
    cv_cli_table table = cv_cli_commands(cli->arena);
    cv_buf text = {0}; /* whole: roff's escapes look back at what was written */
    if (!put_page(&text, cli->arena, &table, page))
        return unknown_page(cli, &table, page);
    cv_buf out = cv_cli_stdout();
    cv_buf_add(&out, cv_buf_str(&text));
    cv_buf_release(&text);
    return cv_cli_finish(cli, &out, 0);
}

static const cv_cli_option options[] = {
    {"all", CV_VALUE_FOLDER, "write every page into this folder: conclave.1, conclave-verify.1 ...", NULL},
};

const cv_cli_command cv_cmd_man = {
    .name = "man",
    .summary = "print a manual page",
    .arguments = "[COMMAND | ROOM [VERB] | PAGE]",
    .details = "The page is roff for man(1), made from the same tables as the help. 'make install' puts all of them "
               "where man\n"
               "looks for them; the names that they have there (conclave-verify) are understood here, too.\n",
    .examples = "  conclave man verify > conclave-verify.1\n"
                "  conclave man --all man1\n",
    .options = options,
    .option_count = CV_COUNT(options),
    .run = run_man,
};
