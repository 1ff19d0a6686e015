/* test_error_words.c - every operation with faulty requests: each door reports them in its caller's words.
 *
 *     the schema of an operation
 *       -> requests with one kind of fault: nothing given, values of another type, unknown words, texts that
 *          are too long, a field that is misspelled, things that are not there, everything switched on
 *       -> as a server calls it: texts with fields and tools, no "--option" and no "conclave ROOM VERB"
 *       -> as a command line: texts with options, no field of the request, no "field: true"; with --json one document
 *
 * What is one letter off is suggested: a choice, a field, an option, a verb, an id. CV_SEED chooses what of it is tried
 * on the command line, CV_SOAK tries all of it.
 */
#include "world.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "door/cli_parts.h"
#include "kit/schema.h"
#include "project/project.h"

typedef struct {
    cv_world world;
    const cv_operation *op;
    const cv_json *properties;
    cv_str kind, request; /* what is tried now */
    size_t told, faults;  /* errors that were looked at; those that are wrong */
    cv_test_random random;
    int home; /* the folder that we were in */
} trial;

static void complain(trial *t, const char *what, cv_str text)
{
    print_error("%s %s, %.*s: %s: %.*s\n", t->op->room, t->op->verb, CV_FMT(t->kind), what, CV_FMT(text));
    t->faults++;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *field, *value;
} there[] = {{"dialogue_id", "\"bread\""},
             {"round", "0"},
             {"expert", "\"muffin\""},
             {"agent", "\"muffin\""},
             {"agent_id", "\"muffin\""},
             {"from", "\"muffin\""},
             {"chat_id", "\"c1\""},
             {"path", "\"a.md\""},
             {"message_id", "\"m1\""},
             {"timeout_seconds", "0"},
             {"seconds", "0"},
             {"duration", "0"},
             {"wait", "0"},
             {"message", "\"Bread keeps\""}};

static bool has_type(const cv_json *schema, const char *type)
{
    return cv_schema_allows(schema, cv_str_of(type));
}

/* A value that the schema takes. */
static void add_sound(cv_json_writer *w, cv_str field, const cv_json *schema)
{
    const cv_json *words = cv_json_get(schema, CV_STR("enum")), *items = cv_json_get(schema, CV_STR("items"));
    for (size_t i = 0; i < CV_COUNT(there); i++)
        if (cv_str_eq(field, cv_str_of(there[i].field)) && !has_type(schema, "array")) {
            cv_json_raw(w, cv_str_of(there[i].value));
            return;
        }
    if (words) {
        cv_json_value(w, &words->items[0]);
    } else if (has_type(schema, "array")) {
        cv_json_begin_array(w);
        if (items && has_type(items, "string"))
            add_sound(w, field, items);
        cv_json_end_array(w);
    } else if (has_type(schema, "object")) {
        cv_json_raw(w, CV_STR("{}"));
    } else if (has_type(schema, "integer") || has_type(schema, "number")) {
        cv_json_int(w, cv_json_get_int(schema, "minimum", 1));
    } else if (has_type(schema, "boolean")) {
        cv_json_bool(w, true);
    } else {
        cv_json_str(w, CV_STR("xx"));
    }
}

typedef enum { NOTHING, TYPES, CHOICES, LONG, MISSPELLED, ABSENT, SWITCHES, KINDS } fault_kind;
static const char *const kind_words[] = {"nothing given", "types",  "choices",    "long texts",
                                         "misspelled",    "absent", "switched on"};
static_assert(CV_COUNT(kind_words) == KINDS, "each kind has its words");

static const cv_json *words_of(const cv_json *schema)
{
    const cv_json *words = cv_json_get(schema, CV_STR("enum")), *items = cv_json_get(schema, CV_STR("items"));
    words = words || !items ? words : cv_json_get(items, CV_STR("enum"));
    return words && words->items[0].type == CV_JSON_STRING ? words : NULL;
}

/* The field with this kind of fault; false: it cannot have it. */
static bool add_faulty(cv_arena *a, cv_json_writer *w, fault_kind kind, const cv_json_member *p)
{
    const cv_json *schema = &p->value, *words = words_of(schema);
    bool list = has_type(schema, "array"), text = !list && has_type(schema, "string") && !words;
    int64_t most = cv_json_get_int(schema, "maxLength", 0);
    if ((kind == TYPES && (has_type(schema, "string") || has_type(schema, "boolean"))) || (kind == CHOICES && !words) ||
        (kind == LONG && (!text || most == 0 || most > 2000)) || (kind == ABSENT && !text) ||
        (kind == SWITCHES && (!has_type(schema, "boolean") || cv_str_eq(p->key, CV_STR("dry_run")))))
        return false;
    cv_json_key(w, p->key);
    if (kind == TYPES)
        list || has_type(schema, "object") ? cv_json_int(w, 7) : cv_json_str(w, CV_STR("many"));
    else if (kind == CHOICES && list)
        cv_json_begin_array(w);
    if (kind == CHOICES)
        cv_json_str(w, cv_arena_printf(a, "%.*sx", CV_FMT(words->items[0].text)));
    if (kind == CHOICES && list)
        cv_json_end_array(w);
    if (kind == LONG) {
        char *text_of = memset(CV_NEW_ARRAY(a, (size_t)most + 1, char), 'y', (size_t)most + 1);
        cv_json_str(w, (cv_str){text_of, (size_t)most + 1});
    }
    if (kind == ABSENT)
        cv_json_str(w, CV_STR("no-such-thing"));
    if (kind == SWITCHES)
        cv_json_bool(w, true);
    return true;
}

/* The request with this kind of fault, in the field `only` (SIZE_MAX: in all that can have it). False: none can. */
static bool make_request(trial *t, fault_kind kind, size_t only)
{
    cv_arena *a = &t->world.turn;
    const cv_json *schema = cv_op_schema(t->op).input;
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    bool any = kind == MISSPELLED || (kind == NOTHING && cv_json_get(schema, CV_STR("required")));
    cv_json_begin_object(&w);
    for (uint32_t i = 0; kind != NOTHING && i < t->properties->count; i++) {
        const cv_json_member *p = &t->properties->members[i];
        if ((only == SIZE_MAX || only == i) && kind != MISSPELLED && add_faulty(a, &w, kind, p)) {
            any = true;
        } else if (kind == MISSPELLED && only == i) {
            cv_json_key(&w, cv_str_head(p->key, p->key.n - 1));
            add_sound(&w, p->key, &p->value);
        } else if (cv_schema_requires(schema, p->key) || strstr(" dry_run wait timeout_seconds seconds duration ",
                                                                cv_arena_printf(a, " %.*s ", CV_FMT(p->key)).p)) {
            cv_json_key(&w, p->key);
            add_sound(&w, p->key, &p->value);
        }
    }
    cv_json_end_object(&w);
    t->request = cv_buf_take(&text, &t->world.a);
    t->kind = cv_str_of(kind_words[kind]);
    return any;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Is there an option? "--" alone, and what somebody gave, are none. */
static bool has_option(cv_str text)
{
    for (size_t i = 0; i + 2 < text.n; i++)
        if (text.p[i] == '-' && text.p[i + 1] == '-' && is_letter(text.p[i + 2]) && (i == 0 || text.p[i - 1] != '-'))
            return true;
    return false;
}

/* Is there the command of an operation that is a tool, too? */
static bool has_command(cv_str text)
{
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        char line[100];
        snprintf(line, sizeof line, "conclave %s%s%s", op->room, *op->room ? " " : "", op->verb);
        if (op->tool && cv_str_find(text, cv_str_of(line)) != SIZE_MAX)
            return true;
    }
    return false;
}

/* The text without lists of what would be valid, and without what is in a nested value: "[0].local_id". */
static cv_str without_values(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    for (size_t i = 0; i < text.n; i++) {
        cv_str rest = cv_str_from(text, i);
        if (cv_str_starts(rest, CV_STR("(valid: ")))
            i += cv_str_find_char(rest, ')');
        else if (cv_str_starts(rest, CV_STR("did you mean '")))
            i += cv_str_find_char(rest, '?');
        else if (cv_str_starts(rest, CV_STR("].")))
            while (i + 1 < text.n && text.p[i + 1] != ' ' && text.p[i + 1] != ':')
                i++;
        else
            cv_buf_add_char(&out, text.p[i]);
    }
    return cv_buf_take(&out, a);
}

/* Is there a field of the request: quoted, with an underscore, or set to true? */
static bool has_field(trial *t, cv_str text, cv_str *ret_field)
{
    text = without_values(&t->world.turn, text);
    for (size_t i = 0, end; i < text.n; i = end) {
        for (end = i; end < text.n && (is_letter(text.p[end]) || text.p[end] == '-'); end++)
            ;
        *ret_field = (cv_str){text.p + i, end - i};
        end += end == i;
        if (!ret_field->n || !cv_json_get(t->properties, *ret_field))
            continue;
        bool quoted = i > 0 && text.p[i - 1] == '\'' && end < text.n && text.p[end] == '\'';
        if (quoted || cv_str_find_char(*ret_field, '_') != SIZE_MAX ||
            cv_str_starts(cv_str_from(text, end), CV_STR(": true")))
            return true;
    }
    return false;
}

/* ---- a server ---------------------------------------------------------------------------------------------------- */

static void look_at(trial *t, const cv_err *err)
{
    cv_str text = cv_arena_printf(&t->world.turn, "%.*s; %.*s", CV_FMT(err->message), CV_FMT(err->suggestion));
    t->told++;
    if (!err->code || !err->message.n)
        complain(t, "no code or no message", text);
    if (!err->field.n && !err->suggestion.n)
        complain(t, "neither a field nor a suggestion", text);
    if (has_option(text))
        complain(t, "a server tells of an option", text);
    if (has_command(text))
        complain(t, "a server tells of a command", text);
    if (cv_str_eq(t->kind, CV_STR("choices")) && err->code == CV_ERR_INVALID_VALUE &&
        cv_str_ends(err->value, CV_STR("x")) &&
        (!err->option_count || !cv_str_starts(err->suggestion, CV_STR("did you mean '"))))
        complain(t, "the nearest choice is not suggested", text);
    if (err->code == CV_ERR_UNKNOWN_FIELD && !cv_str_starts(err->suggestion, CV_STR("did you mean '")))
        complain(t, "the nearest field is not suggested", text);
}

static void ask_server(trial *t, cv_naming name)
{
    cv_call call = cv_world_begin(&t->world);
    cv_err err = {.arena = &t->world.turn};
    cv_json *input = CV_NEW(&t->world.turn, cv_json);
    assert_ok(cv_json_parse(&t->world.turn, t->request, input, &err), &err);
    call.record = t->op->flags & CV_OP_STORE ? t->world.record : NULL;
    call.confined = true;
    call.name = name;
    call.input = input;
    call.input_text = t->request;
    cv_op_call(t->op, &call);
    for (size_t i = 0; i < t->world.errs.count; i++)
        look_at(t, &t->world.errs.items[i]);
}

/* ---- a command line ---------------------------------------------------------------------------------------------- */

enum { MOST_WORDS = 120 };

typedef struct {
    char *words[MOST_WORDS + 1];
    int count, status;
    cv_str out, err;
} line;

static void add_word(trial *t, line *l, cv_str word)
{
    assert_true(l->count < MOST_WORDS);
    l->words[l->count++] = cv_arena_copy_z(&t->world.turn, word);
}

static line begin_line(trial *t, const char *verb)
{
    line l = {0};
    add_word(t, &l, CV_STR("conclave"));
    if (*t->op->room)
        add_word(t, &l, cv_str_of(t->op->room));
    add_word(t, &l, cv_str_of(verb));
    return l;
}

static cv_str value_of(cv_arena *a, const cv_json *value)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    if (value->type == CV_JSON_STRING)
        return value->text;
    cv_json_value(&w, value);
    return cv_buf_take(&text, a);
}

static void add_request(trial *t, line *l)
{
    cv_arena *a = &t->world.turn;
    cv_json input;
    cv_err err = {.arena = a};
    assert_ok(cv_json_parse(a, t->request, &input, &err), &err);
    for (uint32_t i = 0; i < input.count; i++) {
        const cv_json_member *m = &input.members[i];
        const char *flag = cv_flag_name(a, m->key);
        bool list = m->value.type == CV_JSON_ARRAY && m->value.count && m->value.items[0].type == CV_JSON_STRING;
        if (m->value.type == CV_JSON_TRUE)
            add_word(t, l, cv_arena_printf(a, "--%s", flag));
        else
            add_word(t, l,
                     cv_arena_printf(a, "--%s=%.*s", flag, CV_FMT(value_of(a, list ? &m->value.items[0] : &m->value))));
    }
}

static cv_str read_back(trial *t, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *bytes = CV_NEW_ARRAY(&t->world.turn, (size_t)size + 1, char);
    assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
    close(fd);
    return (cv_str){bytes, (size_t)size};
}

/* The program's main function, in this process: thousands of processes would take minutes. */
static void run_line(trial *t, line *l)
{
    int out = memfd_create("out", 0), err = memfd_create("err", 0), nothing = open("/dev/null", O_RDONLY);
    int kept[] = {dup(STDIN_FILENO), dup(STDOUT_FILENO), dup(STDERR_FILENO)}, fds[] = {nothing, out, err};
    fflush(NULL);
    for (int i = 0; i < 3; i++)
        dup2(fds[i], i);
    l->status = cv_cli_main(l->count, l->words);
    fflush(NULL);
    for (int i = 0; i < 3; i++) {
        dup2(kept[i], i);
        close(kept[i]);
    }
    close(nothing);
    l->out = read_back(t, out);
    l->err = read_back(t, err);
}

static void look_at_line(trial *t, cv_str text)
{
    cv_str field;
    t->told++;
    if (!cv_str_starts(text, CV_STR("conclave: ")))
        complain(t, "an error of another form", text);
    if (has_field(t, cv_str_from(text, strlen("conclave: ")), &field))
        complain(t, cv_arena_printf(&t->world.turn, "the command line tells of the field '%.*s'", CV_FMT(field)).p,
                 text);
}

static void ask_line(trial *t)
{
    line l = begin_line(t, t->op->verb);
    cv_str rest, one;
    add_request(t, &l);
    run_line(t, &l);
    if (l.status == 0)
        return;
    if (l.err.n > 0 && l.status != 1 && l.status != 2)
        complain(t, "an exit status of its own", l.err);
    for (rest = l.err; rest.n > 0 && cv_str_split(&rest, '\n', &one);)
        look_at_line(t, one);
}

/* The same as JSON: one document, an error or an answer that fits its schema. */
static void ask_line_json(trial *t)
{
    line l = begin_line(t, t->op->verb);
    cv_json document;
    cv_errs errs = {0};
    cv_err err = {.arena = &t->world.turn};
    add_request(t, &l);
    add_word(t, &l, CV_STR("--json"));
    run_line(t, &l);
    if (!cv_json_parse(&t->world.turn, l.out, &document, &err) || document.type != CV_JSON_OBJECT)
        complain(t, "--json is not one document", l.out);
    else if (cv_json_get_text(&document, "error_code").n
                 ? l.status == 0 || !cv_json_get_text(&document, "message").n
                 : !cv_schema_check(&t->world.turn, cv_op_schema(t->op).output, l.out, &document, &errs))
        complain(t, "--json is neither an answer nor an error", l.out);
}

/* ---- what is one letter off -------------------------------------------------------------------------------------- */

static void want(trial *t, const char *what, cv_str text, cv_str wanted)
{
    t->told++;
    if (cv_str_find(text, wanted) == SIZE_MAX)
        complain(t, what, cv_arena_printf(&t->world.turn, "%.*s, without: %.*s", CV_FMT(text), CV_FMT(wanted)));
}

static void misspell_verb(trial *t)
{
    cv_arena *a = &t->world.turn;
    line l = begin_line(t, cv_arena_printf(a, "%sx", t->op->verb).p);
    if (cv_op_find(CV_STR(""), cv_str_of(t->op->room))) /* a command, too: another word is its argument */
        return;
    t->kind = CV_STR("verb");
    run_line(t, &l);
    if (l.status != 2)
        complain(t, "an unknown verb has another status than 2", l.err);
    want(t, "the nearest verb is not suggested", l.err, cv_arena_printf(a, "%s", t->op->verb));
}

static void misspell_options(trial *t)
{
    cv_arena *a = &t->world.turn;
    for (uint32_t i = 0; i < t->properties->count; i++) {
        const char *flag = cv_flag_name(a, t->properties->members[i].key);
        if (strlen(flag) < 4)
            continue;
        line l = begin_line(t, t->op->verb);
        t->kind = CV_STR("option");
        add_word(t, &l, cv_arena_printf(a, "--%sx=1", flag));
        run_line(t, &l);
        if (l.status != 2)
            complain(t, "an unknown option has another status than 2", l.err);
        want(t, "the nearest option is not suggested", l.err, cv_arena_printf(a, "did you mean '--%s'?", flag));
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* These make a project, move the record, or start programs. */
static bool is_tried(const cv_operation *op)
{
    static const char not_here[] = " init copy restore accept ";
    return !(op->flags & CV_OP_STARTS) && (*op->room || !strstr(not_here, op->verb));
}

static void begin(trial *t)
{
    cv_world *w = &t->world;
    cv_err err = {.arena = &w->a};
    *w = (cv_world){.now = 1767323045678};
    w->folder = cv_test_folder(&w->a);
    setenv("CV_CHECK_REPLIES", "1", 1);
    t->home = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(w->folder), 0);
    cv_call call = cv_world_begin(w);
    cv_json nothing = {.type = CV_JSON_OBJECT};
    call.input = &nothing;
    assert_true(cv_op_call(cv_op_called(CV_STR("init")), &call));
    assert_ok(cv_project_open(&w->a, w->folder, &w->record, &err), &err);
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", "cupcake", NULL}, false);
    cv_world_dialogue(w, "salt", (const char *[]){"muffin", NULL}, false);
    cv_world_do(w, "agent add", "{'agent_id':'muffin'}");
    cv_world_do(w, "chat open", "{'id':'c1','purpose':'bread','participants':['A@muffin','B@cupcake']}");
    t->random = (cv_test_random){cv_test_seed()};
}

static void end(trial *t)
{
    print_message("%zu errors looked at\n", t->told);
    assert_int_equal(t->faults, 0);
    assert_int_equal(fchdir(t->home), 0);
    close(t->home);
    cv_world_close(&t->world);
}

static void each(trial *t, void (*try)(trial *))
{
    for (size_t i = 0; i < cv_op_count(); i++) {
        t->op = cv_op_at(i);
        t->properties = cv_json_get(cv_op_schema(t->op).input, CV_STR("properties"));
        if (is_tried(t->op) && t->properties)
            try(t);
        cv_arena_reset(&t->world.turn);
    }
}

/* Every kind of fault: those of form in all fields at once, those of meaning in one field after the other. */
static void each_request(trial *t, void (*ask)(trial *))
{
    for (int kind = 0; kind < KINDS; kind++) {
        bool alone = kind == ABSENT || kind == SWITCHES || kind == MISSPELLED;
        for (size_t i = 0; i < (alone ? t->properties->count : 1); i++) {
            if (kind == MISSPELLED && t->properties->members[i].key.n < 5)
                continue;
            if (make_request(t, (fault_kind)kind, alone ? i : SIZE_MAX))
                ask(t);
        }
    }
}

static void ask_both_servers(trial *t)
{
    ask_server(t, cv_op_tool);
    ask_server(t, NULL);
}

static void try_servers(trial *t)
{
    each_request(t, ask_both_servers);
}

static void servers_speak_of_fields_and_tools(void **state)
{
    (void)state;
    trial t = {0};
    begin(&t);
    each(&t, try_servers);
    end(&t);
}

/* A line takes a few milliseconds: some of them, others for each commit. */
static void ask_some_lines(trial *t)
{
    if (cv_str_eq(t->kind, CV_STR("misspelled")) || !cv_test_drawn(&t->random, 4))
        return;
    ask_line(t);
    if (cv_test_below(&t->random, 3) == 0)
        ask_line_json(t);
}

static void try_lines(trial *t)
{
    each_request(t, ask_some_lines);
}

static void command_lines_speak_of_options(void **state)
{
    (void)state;
    trial t = {0};
    begin(&t);
    each(&t, try_lines);
    end(&t);
}

static void what_is_one_letter_off_is_suggested(void **state)
{
    (void)state;
    trial t = {0};
    begin(&t);
    each(&t, misspell_verb);
    each(&t, misspell_options);
    end(&t);
}

/* A value that is called like a field, or a choice that is, stays what it is. */
static void values_are_no_fields(void **state)
{
    (void)state;
    static const struct {
        const char *room, *verb, *words[4], *wanted;
    } rows[] = {
        {"", "export-scope", {"--room=scope", "--scope=x"}, "there is no room 'scope'"},
        {"dialogue", "export", {"bread", "--format=format"}, "'format' is not a valid value"},
        {"agent", "limit", {"muffin", "--lift=send_ratee"}, "did you mean 'send_rate'?"},
        {"mail", "send", {"--from=muffin"}, "--command, --type and --body are missing"},
        {"dialogue",
         "respond",
         {"bread", "--expert=muffin"},
         "Give the text as --content, or its file as --content-path"},
        {"mail", "answer", {"[xx"}, "--answer: expected a value"},
    };
    trial t = {0};
    begin(&t);
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        t.op = cv_op_find(cv_str_of(rows[i].room), cv_str_of(rows[i].verb));
        t.kind = CV_STR("values");
        line l = begin_line(&t, rows[i].verb);
        for (size_t k = 0; k < CV_COUNT(rows[i].words) && rows[i].words[k]; k++)
            add_word(&t, &l, cv_str_of(rows[i].words[k]));
        run_line(&t, &l);
        cv_str lower = cv_str_of(rows[i].wanted);
        want(&t, "the words differ", l.err, cv_str_starts(lower, CV_STR("Give")) ? cv_str_from(lower, 1) : lower);
    }
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_speak_of_fields_and_tools),
        cmocka_unit_test(command_lines_speak_of_options),
        cmocka_unit_test(what_is_one_letter_off_is_suggested),
        cmocka_unit_test(values_are_no_fields),
    };
    return cmocka_run_group_tests_name("error_words", tests, NULL, NULL);
}
