/* test_pages.c - what people read: every operation once, on terminals of 80 and 120 columns, as golden files.
 *
 *     test/pages.txt -> requests -> answers -> pages -> test/golden/pages/80.txt, 120.txt
 *
 * What is different in every run is taken out afterwards: ids, hashes and secrets keep their length, so that lines are
 * broken at the same places. Of every page is looked at, too: is it a page (no key of the answer with an underscore, no
 * brace), does every line fit the terminal, do numbers agree with their nouns ("1 rounds"), and does the template
 * name only members that the schema has? Answers made from the schemas, with 0, 1 and 2 of everything, are tried as
 * well, and so are names as long as they may be and words of wide and combined characters, on 60 columns, too.
 */
#include "world.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/plain.h"
#include "door/page.h"
#include "kit/diff.h"
#include "project/project.h"

enum { COLUMNS = 256 };

typedef struct {
    cv_world world;
    const char *home; /* the repository */
    size_t width;
    cv_str token, number; /* of the last answers: the id of a token, the token of a claim */
    cv_buf golden;
    bool stretched; /* names and words of the requests are longer and wider */
    bool unsteady;  /* the page has numbers of this machine: it is not among the golden ones */
    bool called[CV_MAX_OPERATIONS];
    size_t faults;
} gallery;

/* The store's clock is that of the system: it shows the time of the world. */
static const cv_world *shown_world;
int clock_gettime(clockid_t which, struct timespec *ret)
{
    if (which != CLOCK_REALTIME || !shown_world)
        return (int)syscall(SYS_clock_gettime, which, ret);
    *ret = (struct timespec){shown_world->now / 1000, 0};
    return 0;
}

static cv_str text_of(gallery *g, cv_str path)
{
    return cv_test_read(&g->world.a, cv_arena_printf(&g->world.a, "%s/%.*s", g->home, CV_FMT(path)).p);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void write_value(gallery *g, cv_json_writer *w, const cv_json *value)
{
    if (value->type == CV_JSON_OBJECT || value->type == CV_JSON_ARRAY) {
        bool object = value->type == CV_JSON_OBJECT;
        object ? cv_json_begin_object(w) : cv_json_begin_array(w);
        for (uint32_t i = 0; i < value->count; i++) {
            if (object)
                cv_json_key(w, value->members[i].key);
            write_value(g, w, object ? &value->members[i].value : &value->items[i]);
        }
        object ? cv_json_end_object(w) : cv_json_end_array(w);
    } else if (value->type == CV_JSON_STRING && cv_str_starts(value->text, CV_STR("@examples/"))) {
        cv_json_str(w, text_of(g, cv_str_from(value->text, 1)));
    } else if (value->type == CV_JSON_STRING && cv_str_eq(value->text, CV_STR("$token"))) {
        cv_json_str(w, g->token);
    } else if (value->type == CV_JSON_STRING && cv_str_eq(value->text, CV_STR("$number"))) {
        cv_json_raw(w, g->number);
    } else {
        cv_json_value(w, value);
    }
}

static void write_members(gallery *g, cv_json_writer *w, cv_str text)
{
    cv_json tree;
    cv_err err = {.arena = &g->world.a};
    assert_ok(cv_json_parse(&g->world.a, text, &tree, &err), &err);
    for (uint32_t i = 0; i < tree.count; i++) {
        cv_json_key(w, tree.members[i].key);
        write_value(g, w, &tree.members[i].value);
    }
}

/* "dialogue create @FILE {…}" behind the operation. */
static cv_str request_of(gallery *g, cv_str rest)
{
    cv_arena *a = &g->world.a;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    size_t brace = cv_str_find_char(rest, '{');
    cv_str file = cv_str_trim(cv_str_head(rest, brace));
    cv_json_begin_object(&w);
    if (file.n > 0)
        write_members(g, &w, text_of(g, cv_str_from(file, 1)));
    write_members(g, &w, cv_world_request(a, cv_str_from(rest, brace)));
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* ---- what differs in every run ----------------------------------------------------------------------------------- */

static bool is_hex(char c)
{
    return cv_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Hex digits that are neither a number nor a word: an id, a hash. */
static size_t random_length(cv_str text)
{
    size_t n = 0, digits = 0, groups = 0;
    for (; n < text.n && (is_hex(text.p[n]) || (text.p[n] == '-' && n >= 8)); n++) {
        digits += cv_is_digit(text.p[n]);
        groups += text.p[n] == '-';
    }
    bool ends = n == text.n || !cv_is_alnum(text.p[n]);
    return n >= 8 && digits > 0 && (digits + groups < n || n == 64) && ends ? n : 0;
}

static void add_steady(gallery *g, cv_str text)
{
    cv_str folder = cv_str_of(g->world.folder);
    for (size_t i = 0, n; i < text.n; i += n) {
        cv_str rest = cv_str_from(text, i);
        bool begins = i == 0 || !cv_is_alnum(text.p[i - 1]),
             hash = i > 0 && text.p[i - 1] == '[' && rest.n > 8 && rest.p[8] == ']';
        n = 1;
        if (cv_str_starts(rest, folder)) {
            n = folder.n;
            cv_buf_add_z(&g->golden, "PROJECT");
        } else if (begins && cv_str_starts(rest, CV_STR("cvt_"))) {
            for (n = 4; n < rest.n && (cv_is_alnum(rest.p[n]) || rest.p[n] == '_' || rest.p[n] == '-'); n++)
                ;
            cv_buf_add_z(&g->golden, "SECRET");
        } else if (hash || (begins && random_length(rest) > 0)) {
            n = hash ? 8 : random_length(rest);
            for (size_t k = 0; k < n; k++)
                cv_buf_add_char(&g->golden, rest.p[k] == '-' ? '-' : 'x');
        } else {
            cv_buf_add_char(&g->golden, rest.p[0]);
        }
    }
}

/* ---- what must hold of a page ------------------------------------------------------------------------------------ */

static void complain(gallery *g, const cv_operation *op, const char *what, cv_str text)
{
    print_error("%s %s, %zu columns: %s: %.*s\n", op->room, op->verb, g->width, what, CV_FMT(text));
    g->faults++;
}

/* Documents are printed as they are; one word may be longer than a line, and so may a command, also as the next step. */
static void check_width(gallery *g, const cv_operation *op, cv_str page)
{
    cv_str line;
    while (page.n > 0 && cv_str_split(&page, '\n', &line)) {
        cv_str trimmed = cv_str_trim(line), next = CV_STR("Next: ");
        trimmed = cv_str_from(trimmed, cv_str_starts(trimmed, next) ? next.n : 0);
        bool whole = cv_str_find_char(trimmed, ' ') == SIZE_MAX || cv_str_starts(trimmed, CV_STR("conclave "));
        if (cv_plain_width(line) > g->width && !whole)
            complain(g, op, "a line is too long", line);
    }
}

/* What only programs want. */
static void check_keys(gallery *g, const cv_operation *op, cv_str page)
{
    cv_str line;
    while (page.n > 0 && cv_str_split(&page, '\n', &line)) {
        cv_str trimmed = cv_str_trim(line);
        if (cv_str_starts(trimmed, CV_STR("status:")) || cv_str_starts(trimmed, CV_STR("rev:")))
            complain(g, op, "a key of the answer", line);
        if (cv_str_find(line, CV_STR("{\"")) != SIZE_MAX)
            complain(g, op, "JSON", line);
    }
}

/* The word behind the next number that is exactly `count`, from *rest on; an empty one: there is no more. */
static cv_str counted(cv_str *rest, char count)
{
    bool begins = true;
    while (rest->n > 2) {
        bool found = begins && rest->p[0] == count && rest->p[1] == ' ' && rest->p[2] >= 'a' && rest->p[2] <= 'z';
        begins = strchr(" \n(", rest->p[0]) != NULL;
        *rest = cv_str_from(*rest, found ? 2 : 1);
        size_t n = 0;
        while (found && n < rest->n && rest->p[n] >= 'a' && rest->p[n] <= 'z')
            n++;
        if (found)
            return cv_str_head(*rest, n);
    }
    return CV_STR("");
}

static void check_numbers(gallery *g, const cv_operation *op, cv_str page)
{
    static const char verbs[] = " is was has does says stands ";
    cv_str word;
    while ((word = counted(&page, '1')).n > 0)
        if (word.n > 1 && word.p[word.n - 1] == 's' &&
            !strstr(verbs, cv_arena_printf(&g->world.turn, " %.*s ", CV_FMT(word)).p))
            complain(g, op, "of one there is a plural", word);
}

static bool names_member(const cv_json *schema, cv_str name)
{
    if (schema->type == CV_JSON_OBJECT)
        for (uint32_t i = 0; i < schema->count; i++)
            if (cv_str_eq(schema->members[i].key, name) || names_member(&schema->members[i].value, name))
                return true;
    for (uint32_t i = 0; schema->type == CV_JSON_ARRAY && i < schema->count; i++)
        if (names_member(&schema->items[i], name))
            return true;
    return false;
}

/* Names that the answer does not have may be those of optional members, but no others. */
static void check_names(gallery *g, const cv_operation *op, const cv_json *reply)
{
    cv_arena *a = &g->world.turn;
    cv_err err = {.arena = a};
    cv_buf out = {0};
    if (cv_page_source(a, op).p && !cv_page_print(&out, a, op, reply, g->width, false, true, &err)) {
        cv_str rest = err.message, name;
        while (rest.n > 0) { /* 'a', 'b.c' … */
            size_t from = cv_str_find_char(rest, '\'');
            if (from == SIZE_MAX)
                break;
            rest = cv_str_from(rest, from + 1);
            size_t to = cv_str_find_char(rest, '\'');
            name = cv_str_head(rest, to);
            rest = cv_str_from(rest, to == SIZE_MAX ? rest.n : to + 1);
            while (cv_str_find_char(name, '.') != SIZE_MAX)
                name = cv_str_from(name, cv_str_find_char(name, '.') + 1);
            if (!names_member(cv_op_schema(op).output, name) && !cv_str_eq(name, CV_STR("option")))
                complain(g, op, "the answer never has", name);
        }
    }
    cv_buf_release(&out);
}

/* ---- the pages --------------------------------------------------------------------------------------------------- */

/* Documents have golden files of their own. */
static bool is_long(cv_str text)
{
    enum { FEW = 40 };
    size_t lines = 0;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    return lines > FEW || cv_str_find(text, CV_STR("# CHAT")) != SIZE_MAX;
}

static void show(gallery *g, const cv_operation *op, const cv_json *reply)
{
    cv_buf page = {0};
    bool document;
    const cv_json *text = cv_page_text(op, reply, &document);
    cv_page_answer(&page, &g->world.turn, op, reply, g->width, false);
    check_names(g, op, reply);
    if (!text || !document) {
        check_width(g, op, cv_buf_str(&page));
        if (!g->stretched) /* a table that is too wide becomes a list, which names its columns */
            check_keys(g, op, cv_buf_str(&page));
        check_numbers(g, op, cv_buf_str(&page));
    }
    if (!text && !cv_page_source(&g->world.turn, op).p)
        complain(g, op, "it has no page", CV_STR(""));
    if (!g->unsteady)
        cv_buf_printf(&g->golden, "%s$ conclave %s%s%s\n", g->golden.n ? "\n" : "", op->room, *op->room ? " " : "",
                      op->verb);
    if (!g->unsteady)
        add_steady(g, text && document && is_long(cv_buf_str(&page)) ? CV_STR("(a document)\n") : cv_buf_str(&page));
    cv_buf_release(&page);
}

static void keep_ids(gallery *g, const cv_json *reply)
{
    const cv_json *token = cv_json_get(reply, CV_STR("token"));
    if (token && token->type == CV_JSON_NUMBER)
        g->number = cv_arena_copy(&g->world.a, token->text);
    if (token && token->type == CV_JSON_OBJECT)
        g->token = cv_arena_copy(&g->world.a, cv_json_get_text(token, "token_id"));
}

/* Names as long as they may be; words of characters that take no column, one, or two. */
static cv_str stretched(cv_arena *a, cv_str line)
{
    static const struct {
        const char *word, *text;
    } rows[] = {
        {"builder", "builder-with-a-name-that-is-as-long-as-the-name-of-anybody-may-b"},
        {"tester", "tester-with-a-name-that-is-as-long-as-the-name-of-anybody-may-be"},
        {"planner", "planner-with-a-name-that-is-as-long-as-the-name-of-anybody-may-b"},
        {"cut-over", "cut-over-with-a-name-that-is-as-long-as-the-name-of-anybody-mayx"},
        {"m1", "m1-with-a-name-that-is-as-long-as-the-name-of-anybody-may-be"},
        {"m2", "m2-with-a-name-that-is-as-long-as-the-name-of-anybody-may-be"},
        {"m3", "m3-with-a-name-that-is-as-long-as-the-name-of-anybody-may-be"},
        {"queue-move", "queue-move-with-a-name-that-is-as-long-as-the-name-of-anybod"},
        {"keys", "keys-with-a-name-that-is-as-long-as-the-name-of-anybody-mayx"},
        {"table", "table-with-a-name-that-is-as-long-as-the-name-of-anybody-may"},
        {"focus", "focus-with-a-name-that-is-as-long-as-the-name-of-anybody-may"},
        {"interim-1", "interim-1-with-a-name-that-is"},
        {"dissent-sam", "dissent-sam-with-a-name-that-i"},
        {"tara", "tara-with-a-name-that-is-as-long"},
        {"maintenance",
         "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332\u6c38\u9060"
         "\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332\u6c38\u9060\u306e\u6642"
         "\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"},
        {"Sunday", "\U0001f680 \U0001f469\u200d\U0001f4bb \u2705 \u26a0\ufe0f \U0001f1e9\U0001f1ea"},
        {"product", "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"},
        {"idempotent", "e\u0301te\u0301 a\u0308u\u0308o\u0308 n\u0303"},
        {"Tax", "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"},
        {"Keys", "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"
                 "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"},
        {"Ask", "\U0001f680 \U0001f469\u200d\U0001f4bb \u2705 \u26a0\ufe0f \U0001f1e9\U0001f1ea"},
        {"opposite", "e\u0301te\u0301 a\u0308u\u0308o\u0308 n\u0303"},
        {"hour", "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"
                 "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"
                 "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"
                 "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"},
        {"Drains", "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"
                   "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"},
        {"worker", "\U0001f680 \U0001f469\u200d\U0001f4bb \u2705 \u26a0\ufe0f \U0001f1e9\U0001f1ea"},
    };
    cv_buf out = {0};
    for (size_t i = 0, n; i < line.n; i += n) {
        n = 1;
        bool begins = i == 0 || (!cv_is_alnum(line.p[i - 1]) && !strchr("-_.", line.p[i - 1]));
        for (size_t k = 0; begins && n == 1 && k < CV_COUNT(rows); k++) {
            cv_str word = cv_str_of(rows[k].word), rest = cv_str_from(line, i);
            bool found = cv_str_starts(rest, word) &&
                         (rest.n == word.n || (!cv_is_alnum(rest.p[word.n]) && !strchr("-_", rest.p[word.n])));
            n = found ? word.n : 1;
            if (found)
                cv_buf_add_z(&out, rows[k].text);
        }
        if (n == 1)
            cv_buf_add_char(&out, line.p[i]);
    }
    return cv_buf_take(&out, a);
}

static void run(gallery *g, cv_str line)
{
    cv_world *w = &g->world;
    line = g->stretched ? stretched(&w->a, line) : line;
    bool quiet = cv_str_starts(line, CV_STR("- "));
    bool made_up = cv_str_starts(line, CV_STR("= "));
    g->unsteady = cv_str_starts(line, CV_STR("~ "));
    cv_str rest = cv_str_from(line, quiet || made_up || g->unsteady ? 2 : 0);
    size_t end = 0;
    while (rest.p[end] != '{' && rest.p[end] != '@')
        end++;
    const cv_operation *op = cv_op_called(cv_str_trim(cv_str_head(rest, end)));
    cv_err err = {.arena = &w->turn};
    cv_json input, reply;
    w->now += 60000;
    cv_str request = request_of(g, cv_str_from(rest, end));
    for (size_t i = 0; i < cv_op_count(); i++)
        g->called[i] = g->called[i] || cv_op_at(i) == op;
    if (made_up) {
        assert_ok(cv_json_parse(&w->a, request, &reply, &err), &err);
        show(g, op, &reply);
        return;
    }
    cv_call call = cv_world_begin(w);
    assert_ok(cv_json_parse(&w->turn, request, &input, &err), &err);
    call.input = &input;
    call.input_text = request;
    call.width = g->width;
    call.record = op->flags & CV_OP_STORE ? w->record : NULL;
    if (!cv_op_call(op, &call)) {
        complain(g, op, "refused", w->errs.count ? cv_err_text(&w->errs.items[0]) : CV_STR(""));
        return;
    }
    if (call.verbatim)
        return;
    assert_ok(cv_json_parse(&w->turn, cv_buf_str(&w->out), &reply, &err), &err);
    keep_ids(g, &reply);
    if (!quiet)
        show(g, op, &reply);
}

/* ---- the project ------------------------------------------------------------------------------------------------- */

static void put(gallery *g, const char *path, const char *text)
{
    cv_err err = {.arena = &g->world.a};
    const char *full = cv_arena_printf(&g->world.a, "%s/%s", g->world.folder, path).p;
    assert_ok(cv_file_write(full, cv_str_of(text), &err), &err);
}

static void make_project(gallery *g)
{
    cv_world *w = &g->world;
    cv_err err = {.arena = &w->a};
    *w = (cv_world){.now = 1767323045678, .for_people = true};
    shown_world = w;
    w->folder = cv_test_folder(&w->a);
    setenv("CV_CHECK_REPLIES", "1", 1);
    cv_call call = cv_world_begin(w);
    cv_json nothing = {.type = CV_JSON_OBJECT};
    call.input = &nothing;
    assert_true(cv_op_call(cv_op_called(CV_STR("init")), &call));
    assert_ok(cv_project_open(&w->a, w->folder, &w->record, &err), &err);
    assert_int_equal(mkdir(cv_arena_printf(&w->a, "%s/docs", w->folder).p, 0700), 0);
    assert_int_equal(system(cv_arena_printf(&w->a, "git init -q %s", w->folder).p), 0);
    assert_int_equal(mkdir(cv_arena_printf(&w->a, "%s/.conclave/mail/templates", w->folder).p, 0700), 0);
    put(g, ".conclave/mail/templates/greet.j2", "Hello {{ name }}!\n");
    put(g, "drain.py", "def drain(source, target):\n    pass\n\n\ndef retry(job):\n    return True\n");
    put(g, "old-chat.txt",
        "# CHAT v3\n# Chat ID: old\n# Status: OPEN\n# Participants:\n# - A@x\n# - B@y\n# Last read:\n"
        "# - A@x: 0\n# - B@y: 0\n# Purpose: old times\n");
    put(g, "decision.dialogue.md", cv_arena_copy_z(&w->a, text_of(g, CV_STR("examples/decision.dialogue.md"))));
    assert_int_equal(chdir(w->folder), 0);
}

static void check_all_called(gallery *g)
{
    for (size_t i = 0; i < cv_op_count(); i++)
        if (!g->called[i])
            complain(g, cv_op_at(i), "test/pages.txt does not call it", CV_STR(""));
}

/* Shows what differs, not both of them whole. */
static void compare(gallery *g)
{
    cv_arena *a = &g->world.a;
    cv_err err = {.arena = a};
    cv_str golden = cv_arena_printf(a, "test/golden/pages/%zu.txt", g->width), found = cv_buf_str(&g->golden);
    if (cv_test_update()) {
        assert_ok(cv_file_write(golden.p, found, &err), &err);
        return;
    }
    cv_str kept = cv_test_read(a, golden.p);
    cv_buf out = {0};
    if (!cv_str_eq(kept, found))
        cv_diff_print(&out, a, false, golden.p, kept, found);
    cv_str rest = cv_buf_str(&out), line;
    while (rest.n > 0 && cv_str_split(&rest, '\n', &line))
        print_error("%.*s\n", CV_FMT(line));
    g->faults += out.n > 0;
    cv_buf_release(&out);
}

static void pages_at(size_t width, bool stretched)
{
    gallery g = {.width = width, .stretched = stretched, .home = getcwd(NULL, 0)};
    make_project(&g);
    cv_str script = text_of(&g, CV_STR("test/pages.txt")), line;
    while (script.n > 0 && cv_str_split(&script, '\n', &line))
        if (line.n > 0 && line.p[0] != '#')
            run(&g, line);
    check_all_called(&g);
    assert_int_equal(chdir(g.home), 0);
    if (!stretched)
        compare(&g);
    shown_world = NULL;
    assert_int_equal(g.faults, 0);
    free((void *)(uintptr_t)g.home);
    cv_buf_release(&g.golden);
    cv_world_close(&g.world);
}

static void test_pages_of_80_columns(void **state)
{
    (void)state;
    pages_at(80, false);
}

static void test_pages_of_120_columns(void **state)
{
    (void)state;
    pages_at(120, false);
}

static void test_pages_with_long_names_and_wide_words(void **state)
{
    static const size_t widths[] = {60, 80, 120};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(widths); i++)
        pages_at(widths[i], true);
}

/* ---- 0, 1 and 2 of everything ------------------------------------------------------------------------------------ */

static bool is_of(const cv_json *schema, const char *word)
{
    const cv_json *type = cv_json_get(schema, CV_STR("type"));
    for (uint32_t i = 0; type && type->type == CV_JSON_ARRAY && i < type->count; i++)
        if (cv_str_eq(type->items[i].text, cv_str_of(word)))
            return true;
    return type && type->type == CV_JSON_STRING && cv_str_eq(type->text, cv_str_of(word));
}

/* What every text of the answer is. */
static const char *made_text = "word";

/* A value of this schema: every number is `count`, every list has as many items. */
static void make_value(cv_json_writer *w, const cv_json *schema, int count, bool yes)
{
    static const char *const keys[] = {"one", "other"};
    const cv_json *members = cv_json_get(schema, CV_STR("properties")), *words = cv_json_get(schema, CV_STR("enum")),
                  *items = cv_json_get(schema, CV_STR("items")),
                  *others = cv_json_get(schema, CV_STR("additionalProperties"));
    if (words) {
        cv_json_value(w, &words->items[0]);
    } else if (is_of(schema, "object")) {
        cv_json_begin_object(w);
        for (uint32_t i = 0; members && i < members->count; i++) {
            cv_json_key(w, members->members[i].key);
            make_value(w, &members->members[i].value, count, yes);
        }
        for (int i = 0; others && others->type == CV_JSON_OBJECT && i < count; i++) {
            cv_json_key(w, cv_str_of(keys[i]));
            make_value(w, others, count, yes);
        }
        cv_json_end_object(w);
    } else if (is_of(schema, "array")) {
        cv_json_begin_array(w);
        for (int i = 0; i < count; i++)
            items ? make_value(w, items, count, yes) : cv_json_str(w, cv_str_of(made_text));
        cv_json_end_array(w);
    } else if (is_of(schema, "integer") || is_of(schema, "number")) {
        cv_json_int(w, count);
    } else if (is_of(schema, "boolean")) {
        cv_json_bool(w, yes);
    } else {
        cv_json_str(w, cv_str_of(made_text));
    }
}

static cv_str page_of(gallery *g, const cv_operation *op, int count, bool yes)
{
    cv_arena *a = &g->world.turn;
    cv_buf text = {0}, page = {0};
    cv_json_writer w = {.out = &text};
    cv_json reply;
    cv_err err = {.arena = a};
    make_value(&w, cv_op_schema(op).output, count, yes);
    assert_ok(cv_json_parse(a, cv_buf_take(&text, a), &reply, &err), &err);
    if (cv_page_source(a, op).p && !cv_page_print(&page, a, op, &reply, g->width, false, false, &err))
        complain(g, op, "a page cannot be made", err.message);
    return cv_buf_take(&page, a);
}

/* A noun that is the same behind 1 and behind `count` is wrong behind one of them. */
static void compare_numbers(gallery *g, const cv_operation *op, cv_str one, cv_str many, char count)
{
    static const char alike[] =
        " of in at new kept more to for s min h d from was not without evidence done dead sent written gone "
        "withdrawn that binary too word ";
    cv_str single, other;
    while ((single = counted(&one, '1')).n > 0)
        for (cv_str rest = many; (other = counted(&rest, count)).n > 0;)
            if (cv_str_eq(single, other) && !cv_str_ends(single, CV_STR("ed")) && !cv_str_ends(single, CV_STR("ing")) &&
                !strstr(alike, cv_arena_printf(&g->world.turn, " %.*s ", CV_FMT(single)).p))
                complain(g, op, count == '0' ? "the same of none and of one" : "the same of one and of two", single);
}

static void test_numbers_agree_with_their_nouns(void **state)
{
    (void)state;
    gallery g = {.width = 100};
    for (size_t i = 0; i < cv_op_count(); i++)
        for (int yes = 0; yes < 2; yes++) {
            const cv_operation *op = cv_op_at(i);
            cv_str none = page_of(&g, op, 0, yes), one = page_of(&g, op, 1, yes), two = page_of(&g, op, 2, yes);
            check_numbers(&g, op, one);
            compare_numbers(&g, op, one, none, '0');
            compare_numbers(&g, op, one, two, '2');
            cv_arena_reset(&g.world.turn);
        }
    assert_int_equal(g.faults, 0);
    cv_arena_release(&g.world.turn);
}

/* Ids, names and texts as long as they may be, of characters that take no column, one, or two. */
static void test_long_and_wide_texts_stay_within_the_line(void **state)
{
    static const char
        id[] = "an-id-of-sixty-four-characters-as-long-as-a-name-of-one-may-beXY",
        cjk[] = "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"
                "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332"
                "\u6c38\u9060\u306e\u6642\u9593\u3092\u8d85\u3048\u3066\u7d9a\u304f\u5bfe\u8a71\u306e\u8a18\u9332",
        emoji[] = "\U0001f680 \U0001f469\u200d\U0001f4bb ship it \U0001f680\U0001f680\U0001f680 and \u2705 then "
                  "\u26a0\ufe0f wait "
                  "for \U0001f1e9\U0001f1ea and others, until it is done",
        marks[] =
            "e\u0301te\u0301 a\u0308u\u0308o\u0308 n\u0303 e\u0301te\u0301e\u0301te\u0301 a\u0308 e\u0301te\u0301 "
            "e\u0301te\u0301 a\u0308u\u0308o\u0308 e\u0301te\u0301 n\u0303 e\u0301te\u0301 e\u0301te\u0301 "
            "e\u0301te\u0301",
        words[] = "a text of several words that is longer than a line of a narrow terminal is wide, and goes on";
    static const char *const texts[] = {id, cjk, emoji, marks, words};
    static const size_t widths[] = {60, 80, 120};
    (void)state;
    gallery g = {0};
    for (size_t t = 0; t < CV_COUNT(texts); t++)
        for (size_t k = 0; k < CV_COUNT(widths); k++)
            for (size_t i = 0; i < cv_op_count(); i++)
                for (int yes = 0; yes < 2; yes++) {
                    made_text = texts[t];
                    g.width = widths[k];
                    check_width(&g, cv_op_at(i), page_of(&g, cv_op_at(i), 2, yes));
                    cv_arena_reset(&g.world.turn);
                }
    made_text = "word";
    assert_int_equal(g.faults, 0);
    cv_arena_release(&g.world.turn);
}

int main(void)
{
    unsetenv("TMPDIR"); /* prompts name the folder, and pages show their length */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_agree_with_their_nouns),
        cmocka_unit_test(test_long_and_wide_texts_stay_within_the_line),
        cmocka_unit_test(test_pages_with_long_names_and_wide_words),
        cmocka_unit_test(test_pages_of_80_columns),
        cmocka_unit_test(test_pages_of_120_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
