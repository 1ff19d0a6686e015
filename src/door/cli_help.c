/* cli_help.c - what can be called, and how; see cli_parts.h.
 *
 * All of it is made from tables: commands, rooms, schemas, error codes, kinds.
 */
#include "base/plain.h"
#include "base/utf8.h"
#include "door/cli_parts.h"
#include "door/conditions.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 40, MOST_WIDTH = 120 };
enum { NAME_COLUMN = 20, OPTION_COLUMN = 26, FIELD_INDENT = 6, EXAMPLE_INDENT = 6, LEAST_TEXT = 24 };

/* Where help is written, and how wide it may be. */
typedef struct {
    cv_buf *out;
    size_t width;
} output;

/* Wider lines than MOST_WIDTH are not read well. */
static output output_of(cv_buf *out, size_t terminal)
{
    size_t width = terminal == 0 ? USUAL_WIDTH : terminal < LEAST_WIDTH ? LEAST_WIDTH : terminal;
    return (output){out, width < MOST_WIDTH ? width : MOST_WIDTH};
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void spaces(cv_buf *out, size_t count)
{
    while (count-- > 0)
        cv_buf_add_char(out, ' ');
}

/* Words from column `indent` on, broken before the width; the first line is at `indent` already. */
static void print_wrapped(const output *p, size_t indent, cv_str text)
{
    size_t column = indent;
    cv_str rest = text, word;
    while (cv_str_split(&rest, ' ', &word)) {
        size_t width = cv_utf8_width(word);
        if (column > indent && column + 1 + width > p->width) {
            cv_buf_add_char(p->out, '\n');
            spaces(p->out, indent);
            column = indent;
        } else if (column > indent) {
            cv_buf_add_char(p->out, ' ');
            column++;
        }
        cv_buf_add(p->out, word);
        column += width;
    }
    cv_buf_add_char(p->out, '\n');
}

/* The column of a text behind something that ends in `column`: there, or on a line of its own when it would
 * be squeezed. */
static size_t text_column(const output *p, size_t column)
{
    if (column + LEAST_TEXT <= p->width)
        return column;
    cv_buf_add_char(p->out, '\n');
    spaces(p->out, FIELD_INDENT);
    return FIELD_INDENT;
}

/* A line of a table: what is too long goes on below the last column, which is parted by two blanks. */
static void print_row(const output *p, cv_str line)
{
    size_t column = line.n;
    while (column > 2 && !(line.p[column - 1] == ' ' && line.p[column - 2] == ' '))
        column--;
    bool fits = cv_utf8_width(line) <= p->width || cv_str_starts(cv_str_trim(line), CV_STR("conclave "));
    cv_str left = cv_str_head(line, column);
    if (fits) {
        cv_buf_printf(p->out, "%.*s\n", CV_FMT(line));
        return;
    }
    bool indented = cv_str_trim(left).n == 0;
    cv_buf_add(p->out, indented ? left : cv_str_trim_right(left));
    if (!indented && cv_utf8_width(left) + LEAST_TEXT <= p->width)
        spaces(p->out, cv_utf8_width(left) - cv_utf8_width(cv_str_trim_right(left)));
    print_wrapped(p, indented ? left.n : text_column(p, cv_utf8_width(left)), cv_str_from(line, column));
}

/* Paragraphs, whose lines end in the source where they like; a line that begins with a blank stands for itself. */
static void print_paragraphs(const output *p, cv_arena *a, cv_str text)
{
    cv_str rest = text, line, joined = CV_STR("");
    while (rest.n > 0 && cv_str_split(&rest, '\n', &line)) {
        bool stays = line.n == 0 || line.p[0] == ' ';
        if (stays && joined.n > 0) {
            print_wrapped(p, 0, joined);
            joined = CV_STR("");
        }
        if (stays)
            print_row(p, line);
        else
            joined = cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(joined), joined.n ? " " : "", CV_FMT(line));
    }
    if (joined.n > 0)
        print_wrapped(p, 0, joined);
}

/* "  left      right", the right side on a line of its own when the left is long. */
static void print_pair_at(const output *p, size_t indent, cv_str left, size_t column, cv_str right)
{
    size_t width = cv_utf8_width(left) + indent;
    spaces(p->out, indent);
    cv_buf_add(p->out, left);
    if (right.n == 0) {
        cv_buf_add_char(p->out, '\n');
        return;
    }
    if (column + LEAST_TEXT > p->width) {
        column = text_column(p, column);
    } else {
        if (width + 1 > column)
            cv_buf_add_char(p->out, '\n');
        spaces(p->out, column - (width + 1 > column ? 0 : width));
    }
    print_wrapped(p, column, right);
}

static void print_pair(const output *p, cv_str left, size_t column, cv_str right)
{
    print_pair_at(p, 2, left, column, right);
}

/* "Usage: conclave COMMAND …" */
static void print_usage(const output *p, const char *before, cv_str usage)
{
    cv_buf_add_z(p->out, before);
    print_wrapped(p, strlen(before), usage);
}

/* ---- all commands ----------------------------------------------------------------------------------------------- */

static void print_commands(const output *p, const cv_cli_table *table, const char *title, const char *room,
                           cv_cli_group group)
{
    cv_buf_printf(p->out, "%s:\n", title);
    for (size_t i = 0; i < table->count; i++) {
        const cv_cli_command *c = &table->items[i];
        if (strcmp(c->room, room) == 0 && c->group == group)
            print_pair(p, cv_str_of(c->name), NAME_COLUMN, cv_str_of(c->summary));
    }
    cv_buf_add_char(p->out, '\n');
}

static void print_topics(const output *p)
{
    cv_buf text = {0};
    cv_buf_add_z(&text, "Topics:");
    for (size_t i = 0; cv_help_topic_at(i); i++)
        cv_buf_printf(&text, "%s %s", i ? "," : "", cv_help_topic_at(i)->name);
    cv_buf_add_z(&text, ", and every command and room ('conclave help TOPIC')");
    print_wrapped(p, 0, cv_buf_str(&text));
    cv_buf_release(&text);
}

static void print_first_line(cv_buf *out, const char *lines)
{
    cv_buf_add(out, cv_str_head(cv_str_of(lines), cv_str_find_char(cv_str_of(lines), '\n') + 1));
}

/* One of each group, and how to get more help. */
static void print_examples(cv_buf *out, const cv_cli_table *table)
{
    for (int in_rooms = 0; in_rooms < 2; in_rooms++)
        for (size_t i = 0; cv_rooms[i]; i++)
            if (cv_rooms[i]->examples && (*cv_rooms[i]->name != '\0') == in_rooms)
                print_first_line(out, cv_rooms[i]->examples);
    for (size_t i = 0; i < table->count; i++)
        if (table->items[i].group == CV_GROUP_FILES) {
            print_first_line(out, table->items[i].examples);
            break;
        }
    for (size_t i = 0; i < cv_room_count() && i < 1; i++)
        cv_buf_printf(out, "  conclave help %s %s\n", cv_room_at(i)->name, cv_room_at(i)->ops->verb);
}

static void print_beginning(const output *p)
{
    print_wrapped(p, 0, CV_STR("Conclave: rooms where AI agents work together, on one verified record."));
    cv_buf_add_char(p->out, '\n');
    print_usage(p, "Usage: ", CV_STR("conclave COMMAND [OPTION...] [ARGUMENT...]"));
    print_usage(p, "       ", CV_STR("conclave ROOM VERB [OPTION...] [ARGUMENT...]"));
    cv_buf_add_char(p->out, '\n');
}

void cv_help_all(cv_buf *out, size_t terminal, const cv_cli_table *table)
{
    const output p = output_of(out, terminal);
    print_beginning(&p);
    print_commands(&p, table, "The project", "", CV_GROUP_OPERATIONS);
    for (size_t i = 0; i < cv_room_count(); i++)
        print_commands(&p, table, cv_room_at(i)->name, cv_room_at(i)->name, CV_GROUP_OPERATIONS);
    print_commands(&p, table, "Files", "", CV_GROUP_FILES);
    print_commands(&p, table, "Agents", "", CV_GROUP_SERVERS);
    print_commands(&p, table, "The program", "", CV_GROUP_PROGRAM);
    cv_buf_add_z(out, "Options:\n");
    print_pair(&p, CV_STR("--version"), NAME_COLUMN, CV_STR("print the version"));
    print_pair(&p, CV_STR("--help"), NAME_COLUMN, CV_STR("show this help, or with a command the help for it"));
    print_pair(&p, CV_STR("--json, --root DIR, --as AGENT"), NAME_COLUMN,
               CV_STR("as after the command, whose help has them"));
    cv_buf_add_char(out, '\n');
    print_topics(&p);
    cv_buf_add_z(out, "\nExamples:\n");
    print_examples(out, table);
    cv_buf_add_char(out, '\n');
    print_wrapped(&p, 0,
                  CV_STR("Exit status: 0 fine, 1 findings or a refused request, 2 the command could not run, or its "
                         "answer was lost. The help of a command names other meanings."));
}

/* What somebody needs who calls the program for the first time: less than a screen. */
void cv_help_first(cv_buf *out, size_t terminal)
{
    const output p = output_of(out, terminal);
    print_beginning(&p);
    cv_buf_add_z(out, "Rooms:\n");
    for (size_t i = 0; i < cv_room_count(); i++)
        print_pair(&p, cv_str_of(cv_room_at(i)->name), NAME_COLUMN, cv_str_of(cv_room_at(i)->summary));
    cv_buf_add_z(out, "\nBegin with:\n");
    print_pair(&p, CV_STR("conclave init"), OPTION_COLUMN, CV_STR("make a project in this folder"));
    print_pair(&p, CV_STR("conclave ask --help"), OPTION_COLUMN, CV_STR("put a question to your agents"));
    print_pair(&p, CV_STR("conclave help ROOM"), OPTION_COLUMN, CV_STR("what a room is for, and its verbs"));
    print_pair(&p, CV_STR("conclave help"), OPTION_COLUMN, CV_STR("all commands and topics"));
    print_pair(&p, CV_STR("conclave open"), OPTION_COLUMN, CV_STR("see the project in a browser"));
    print_pair(&p, CV_STR("conclave doctor"), OPTION_COLUMN, CV_STR("check it, and learn what to do"));
}

void cv_help_room(cv_buf *out, cv_arena *a, size_t terminal, const cv_cli_table *table, const cv_room *room)
{
    const output p = output_of(out, terminal);
    print_wrapped(&p, 0, cv_arena_printf(a, "conclave %s - %s", room->name, room->summary));
    cv_buf_add_char(out, '\n');
    print_usage(&p, "Usage: ", cv_arena_printf(a, "conclave %s VERB [OPTION...] [ARGUMENT...]", room->name));
    cv_buf_add_char(out, '\n');
    print_paragraphs(&p, a, cv_str_of(room->details));
    cv_buf_add_char(out, '\n');
    print_commands(&p, table, "Verbs", room->name, CV_GROUP_OPERATIONS);
    print_wrapped(&p, 0, cv_arena_printf(a, "'conclave %s VERB --help' explains a verb.", room->name));
}

/* ---- one command ------------------------------------------------------------------------------------------------ */

static void print_choices(cv_buf *out, const char *choices)
{
    cv_buf_add_z(out, " (");
    for (const char *c = choices; *c; c++)
        cv_buf_add_z(out, *c == ' ' ? ", " : (char[]){*c, '\0'});
    cv_buf_add_char(out, ')');
}

cv_str cv_help_option(cv_arena *a, const cv_cli_option *o)
{
    cv_buf text = {0};
    cv_buf_add_z(&text, o->summary);
    if (o->choices)
        print_choices(&text, o->choices);
    return cv_str_trim(cv_buf_take(&text, a));
}

static void print_option(const output *p, cv_arena *a, const cv_cli_option *o, bool negatable)
{
    cv_str left = cv_arena_printf(a, "--%s%s%s%s", negatable ? "[no-]" : "", o->name, o->value ? " " : "",
                                  o->value ? o->value : "");
    print_pair(p, left, OPTION_COLUMN, cv_help_option(a, o));
}

/* ---- the fields of an option that takes JSON ---- */

/* "string or null", "array of string"; "" when anything may be there. */
static void print_type(cv_buf *out, const cv_json *schema)
{
    const cv_json *type = cv_json_get(schema, CV_STR("type")), *items = cv_json_get(schema, CV_STR("items"));
    uint32_t count = !type ? 0 : type->type == CV_JSON_ARRAY ? type->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        cv_str word = type->type == CV_JSON_ARRAY ? type->items[i].text : type->text;
        const cv_json *inner = cv_str_eq(word, CV_STR("array")) && items ? cv_json_get(items, CV_STR("type")) : NULL;
        cv_buf_add_z(out, i ? " or " : "");
        cv_buf_add(out, word);
        if (inner && inner->type == CV_JSON_STRING)
            cv_buf_printf(out, " of %.*s", CV_FMT(inner->text));
    }
}

cv_str cv_help_field(cv_arena *a, const cv_json *object, const cv_json_member *field)
{
    const cv_json *about = cv_json_get(&field->value, CV_STR("description"));
    const char *choices = cv_schema_choices(a, &field->value);
    cv_buf text = {0};
    print_type(&text, &field->value);
    if (choices)
        print_choices(&text, choices);
    if (cv_schema_requires(object, field->key))
        cv_buf_add_z(&text, text.n ? ", required" : "required");
    if (about)
        cv_buf_printf(&text, "%s%.*s", text.n ? "; " : "", CV_FMT(about->text));
    return cv_buf_take(&text, a);
}

const cv_json *cv_help_fields(const cv_json *schema, const char **ret_title)
{
    const cv_json *items = cv_json_get(schema, CV_STR("items"));
    const cv_json *values = cv_json_get(schema, CV_STR("additionalProperties"));
    const cv_json *object = cv_json_get(schema, CV_STR("properties"))           ? schema
                            : items && cv_json_get(items, CV_STR("properties")) ? items
                                                                                : values;
    const cv_json *fields = object ? cv_json_get(object, CV_STR("properties")) : NULL;
    *ret_title = object == schema ? "its fields:" : object == items ? "of each item:" : "of each value:";
    return fields && fields->count > 0 ? object : NULL;
}

static void print_fields(const output *p, cv_arena *a, const cv_json *schema)
{
    const char *title;
    const cv_json *object = cv_help_fields(schema, &title);
    const cv_json *fields = object ? cv_json_get(object, CV_STR("properties")) : NULL;
    if (!fields)
        return;
    spaces(p->out, FIELD_INDENT - 2);
    cv_buf_printf(p->out, "%s\n", title);
    for (uint32_t i = 0; i < fields->count; i++)
        print_pair_at(p, FIELD_INDENT, fields->members[i].key, OPTION_COLUMN,
                      cv_help_field(a, object, &fields->members[i]));
}

/* How much of the line fits: up to an option, or all of it. What is in quotes stays together. */
static size_t fitting(cv_str line, size_t width)
{
    char quote = '\0';
    size_t best = 0;
    if (cv_plain_width(line) <= width)
        return line.n;
    for (size_t i = 1; i < line.n; i++) {
        char c = line.p[i];
        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? '\0' : c;
        bool ends = !quote && cv_str_starts(cv_str_from(line, i), CV_STR(" --"));
        if (ends && (best == 0 || cv_plain_width(cv_str_head(line, i)) + 2 <= width))
            best = i;
    }
    return best ? best : line.n;
}

/* A command that is longer than a line goes on in the next, as a shell reads it. */
static void print_example(const output *p, cv_str line)
{
    size_t indent = 0;
    for (size_t n; line.n > 0; line = cv_str_from(line, n + 1), indent = EXAMPLE_INDENT) {
        n = fitting(line, p->width - indent);
        spaces(p->out, indent);
        cv_buf_add(p->out, cv_str_head(line, n));
        cv_buf_add_z(p->out, n < line.n ? " \\\n" : "\n");
        if (n == line.n)
            return;
    }
}

void cv_help_command(cv_buf *out, cv_arena *a, size_t terminal, const cv_cli_command *command)
{
    const output p = output_of(out, terminal);
    cv_cli_command c = cv_cli_complete(a, command);
    const char *title = cv_cli_title(a, &c);
    print_wrapped(&p, 0, cv_arena_printf(a, "%s - %s", title, c.summary));
    cv_buf_add_char(out, '\n');
    print_usage(&p, "Usage: ", cv_arena_printf(a, "%s [OPTION...]%s%s", title, *c.arguments ? " " : "", c.arguments));
    cv_buf_add_char(out, '\n');
    print_paragraphs(&p, a, cv_str_of(c.details));
    cv_buf_add_z(out, "\nOptions:\n");
    const cv_json *all = c.input ? cv_json_get(c.input, CV_STR("properties")) : NULL;
    for (size_t i = 0; i < cv_cli_option_count(&c); i++) {
        print_option(&p, a, cv_cli_option_at(&c, i), cv_flag_is_negatable(&c, i));
        if (all && i < all->count)
            print_fields(&p, a, &all->members[i].value);
    }
    cv_buf_add_z(out, "\nExamples:\n");
    cv_str examples = cv_str_of(c.examples), line;
    while (examples.n > 0 && cv_str_split(&examples, '\n', &line))
        print_example(&p, line);
}

/* ---- for programs ----------------------------------------------------------------------------------------------- */

void cv_help_schema(cv_buf *out, const cv_operation *op)
{
    cv_op_schemas schemas = cv_op_schema(op);
    cv_json_writer w = {.out = out, .indent = 2};
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("input"));
    cv_json_value(&w, schemas.input);
    cv_json_key(&w, CV_STR("output"));
    cv_json_value(&w, schemas.output);
    cv_json_end_object(&w);
    cv_buf_add_char(out, '\n');
}

static void print_option_json(cv_json_writer *w, const cv_cli_option *o, bool negatable)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "name", cv_str_of(o->name));
    if (o->value)
        cv_json_key_str(w, "value", cv_str_of(o->value));
    cv_json_key_str(w, "summary", cv_str_of(o->summary));
    if (o->choices)
        cv_json_key_str(w, "choices", cv_str_of(o->choices));
    if (negatable)
        cv_json_key_bool(w, "negatable", true);
    cv_json_end_object(w);
}

static void print_command_json(cv_json_writer *w, cv_arena *a, const cv_cli_command *command)
{
    cv_cli_command c = cv_cli_complete(a, command);
    cv_json_begin_object(w);
    cv_json_key_str(w, "room", cv_str_of(c.room));
    cv_json_key_str(w, "verb", cv_str_of(c.name));
    if (c.op && c.op->tool)
        cv_json_key_str(w, "tool", cv_str_of(c.op->tool));
    cv_json_key_bool(w, "operation", c.op != NULL);
    cv_json_key_str(w, "summary", cv_str_of(c.summary));
    cv_json_key_str(w, "arguments", cv_str_of(c.arguments));
    cv_json_key(w, CV_STR("options"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < cv_cli_option_count(&c); i++)
        print_option_json(w, cv_cli_option_at(&c, i), cv_flag_is_negatable(&c, i));
    cv_json_end_array(w);
    cv_json_key_str(w, "examples", cv_str_of(c.examples));
    cv_json_end_object(w);
}

void cv_help_all_json(cv_buf *out, cv_arena *a, const cv_cli_table *table)
{
    cv_json_writer w = {.out = out, .indent = 2};
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("commands"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < table->count; i++)
        print_command_json(&w, a, &table->items[i]);
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    cv_buf_add_char(out, '\n');
}

/* ---- topics ----------------------------------------------------------------------------------------------------- */

static void print_code(cv_buf *out, cv_err_code code)
{
    cv_buf_printf(out, "  %-26.*s %d     %.*s\n", CV_FMT(cv_err_word(code)), cv_err_exit(code),
                  CV_FMT(cv_err_meaning(code)));
}

static void topic_errors(cv_buf *out)
{
    cv_buf_add_z(out,
                 "Every error has a code. With --json it is in 'error_code' on standard output, several faults of\n"
                 "one request in 'errors'; without it each fault is one line on standard error.\n\n"
                 "Status 1: the request was refused; also when the record does not have what it names. Status 2: the\n"
                 "command could not run; also when a file, a folder or the command itself is not there.\n\n"
                 "  code                       exit  meaning\n");
    print_code(out, CV_ERR_NONE);
    for (const cv_err_code *code = cv_err_codes; *code; code++)
        print_code(out, *code);
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_err_code *code = cv_rooms[i]->codes; code && *code; code++)
            print_code(out, *code);
}

static void topic_conditions(cv_buf *out)
{
    cv_buf_add_z(out, "The conditions of 'conclave watch --when'. If rooms share a name, it means all of them.\n\n");
    cv_conditions_print(out);
}

const cv_topic *cv_help_topic_at(size_t i)
{
    static const cv_topic own[] = {{"errors", topic_errors}, {"conditions", topic_conditions}};
    if (i < CV_COUNT(own))
        return &own[i];
    i -= CV_COUNT(own);
    for (size_t k = 0; cv_rooms[k]; k++)
        for (const cv_topic *topic = cv_rooms[k]->topics; topic && topic->name; topic++)
            if (i-- == 0)
                return topic;
    return NULL;
}

bool cv_help_topic(cv_buf *out, cv_arena *a, size_t terminal, cv_str topic)
{
    const output p = output_of(out, terminal);
    size_t i = 0;
    while (cv_help_topic_at(i) && !cv_str_eq(topic, cv_str_of(cv_help_topic_at(i)->name)))
        i++;
    if (!cv_help_topic_at(i))
        return false;
    cv_buf text = {0};
    cv_help_topic_at(i)->print(&text);
    print_paragraphs(&p, a, cv_buf_str(&text));
    cv_buf_release(&text);
    return true;
}
