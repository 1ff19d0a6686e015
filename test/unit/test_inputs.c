/* test_inputs.c - every operation with generated input: it answers, or refuses in words that help.
 *
 *     the schema of an operation
 *       -> a request: right values, values of another kind, fields left out, edges, names of what is there
 *       -> the operation, as a server calls it, in a project where every room has something
 *       -> an answer that fits its schema, or errors that name a field or say what to do
 *
 * Afterwards the record verifies, and what lies beside the project's folder is as it was: links, pipes and paths that
 * lead out of it are among the names. A request that its schema refuses still reaches the handler, without its
 * faulty part (ops/call.c), so each required field is left out in turn.
 *
 * CV_SEED repeats a run, CV_ONLY="mail send" takes one operation, CV_CALLS is the number of calls of each one,
 * CV_VERIFY verifies the record after every call.
 */
#include "world.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/utf8.h"
#include "kit/agents.h"
#include "kit/schema.h"
#include "project/project.h"

enum { MAX_MESSAGE = 4000, MAX_DEPTH = 4, ENOUGH = 60 };

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* Values that mean something, by the name of their field. */
static const struct {
    const char *fields; /* with blanks around each */
    const char *values[14];
} known[] = {
    {" dialogue_id dialogue_ids scope exclude ", {"bread", "bread", "post", "c1", "notes", "agents", "nothing"}},
    {" agent agent_id from to as participant participants person target_agent speaker target agent_source on_behalf_of "
     "for experts expert expert_slug retain author_expert contributors supporting_experts aliases ",
     {"muffin", "cupcake", "scone", "@muffin", "A@x", "B@y", "@everyone", "everybody", "capability:baking"}},
    {" chat_id ", {"c1", "c2", "c1"}},
    {" id ids target source ", {"P0001", "T0001", "MUFFIN-P0001", "m1", "c1", "c9", "1"}},
    {" message_id reply_to thread_id correlation_id supersedes parent request_id ", {"m1", "m2", "$request", "c1#1"}},
    {" plan parent_plan ", {"p1", "p2"}},
    {" task_id depends_on ", {"t1", "t2", "t3"}},
    {" template name ", {"greet", "greet.j2", "bad", "self", "../greet.j2", "focus"}},
    {" room rooms ", {"dialogue", "mail", "chat", "notes"}},
    {" kind kinds status statuses ", {"tension", "perspective", "message", "open", "response", "dialog_message"}},
    {" type ", {"status", "CONSULT_REQUEST", "question", "oppose", "support", "TASK_COMPLETED"}},
    {" path paths file output output_path baseline content_path dir output_dir before ",
     {"notes/a.md", "notes/b.py", "new.md", "pipe.md", "link.md", "link/x.md", "round/x.md", "notes", ".",
      ".conclave/conclave.db", "backup.db", "scope.json", "closed.md", ".conclave/chat/temp_chat_c1.txt"}},
    {" since after date_ymdhis expires_at sent_at created_at ",
     {"2026-01-01", "2026-01-01T00:00:00Z", "20260101000000", "0", "1"}},
    {" mood_rgb color ", {"FF00FF", "#ff00ff", "666666"}},
    {" thread thread_name from_thread_name ", {"baking", "1"}},
    {" token_id ", {"$token"}},
    {" local_id references ", {"MUFFIN-P0001", "SCONE-T0001", "MUFFIN-P0101", "MUFFIN-T0101"}},
    {" action step tier ", {"claim", "release", "set", "get", "Core", "Adjacent", "Wildcard"}},
};

/* Texts that are hard somewhere, as JSON. */
static const char *const edges[] = {
    "\"\"",
    "\" \"",
    "\"..\"",
    "\"../outside.md\"",
    "\"../beside\"",
    "\"/\"",
    "\"a/b/c\"",
    "\"/etc/passwd\"",
    "\"/dev/zero\"",
    "\"nul\\u0000byte\"",
    "\"\\u001b[31mred\"",
    "\"two\\nlines\"",
    "\"\\r\\n\"",
    "\"\\ud83d\\ude00\"",
    "\"\\u202eright to left\"",
    "\"\\ufeff\"",
    "\"--option\"",
    "\"-\"",
    "\".\"",
    "\"@link.md\"",
    "\"%s%n%d\"",
    "\"'; DROP TABLE scopes; --\"",
    "\"{{ 7 * 7 }}\"",
    "\"{% for\"",
    "\"<!-- --> */ ]]> ``` --- #\"",
    "\"---\\nDIALOG:\\n  speaker: A\\n---\\n\"",
    "\"[PERSPECTIVE P01: A]\"",
    "\"\\u0001\\u007f\"",
    "\"\\u00e9e\\u0301\"",
    "\"con.txt \"",
    "\"~\"",
    "\"*\"",
    "\"99999999999999999999\"",
    "\"postgresql\"",
};

static const char *const numbers[] = {
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "255",
    "4096",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1e308",
    "-0.0",
    "0.5",
    "1e-320",
    "1e400",
    "123456789012345678901234567890",
};

/* ---- requests ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_test_random random;
    cv_buf out;
    bool wild;                   /* values of another kind, edges, unknown fields */
    cv_str left_out;             /* the field of the request that is not there */
    const char *given, *value;   /* … and one that is there, with this value; NULL: none is */
    const char *request, *token; /* ids that the project has made */
} generator;

static bool one_in(generator *g, size_t n)
{
    return cv_test_below(&g->random, n) == 0;
}

static void add_json_text(generator *g, const char *text)
{
    cv_json_writer w = {.out = &g->out};
    cv_json_str(&w, cv_str_of(text));
}

static void add_repeated(generator *g, char c, size_t count)
{
    cv_buf_add_char(&g->out, '"');
    for (size_t i = 0; i < count; i++)
        cv_buf_add_char(&g->out, c);
    cv_buf_add_char(&g->out, '"');
}

static void add_known(generator *g, cv_str field)
{
    cv_arena a = {0};
    cv_str word = cv_arena_printf(&a, " %.*s ", CV_FMT(field));
    size_t row = 0;
    while (row < CV_COUNT(known) && cv_str_find(cv_str_of(known[row].fields), word) == SIZE_MAX)
        row++;
    if (row == CV_COUNT(known))
        row = one_in(g, 2) ? cv_test_below(&g->random, CV_COUNT(known)) : row;
    cv_arena_release(&a);
    if (row == CV_COUNT(known)) {
        add_json_text(g, one_in(g, 2) ? "Bread keeps for two days." : "word");
        return;
    }
    size_t count = 0;
    while (count < CV_COUNT(known[row].values) && known[row].values[count])
        count++;
    const char *value = known[row].values[cv_test_below(&g->random, count)];
    add_json_text(g, strcmp(value, "$request") == 0 ? g->request : strcmp(value, "$token") == 0 ? g->token : value);
}

static void add_text(generator *g, cv_str field, const cv_json *schema)
{
    const cv_json *words = cv_json_get(schema, CV_STR("enum"));
    if (words && words->count && !(g->wild && one_in(g, 4)))
        cv_json_str(&(cv_json_writer){.out = &g->out}, words->items[cv_test_below(&g->random, words->count)].text);
    else if (!g->wild || !one_in(g, 3))
        add_known(g, field);
    else if (one_in(g, 12))
        add_repeated(g, 'x', one_in(g, 4) ? 100000 : 300);
    else
        cv_buf_add_z(&g->out, edges[cv_test_below(&g->random, CV_COUNT(edges))]);
}

static void add_number(generator *g, const cv_json *schema)
{
    int64_t least = cv_json_get_int(schema, "minimum", 0), most = cv_json_get_int(schema, "maximum", 5);
    if (g->wild && one_in(g, 3))
        cv_buf_add_z(&g->out, numbers[cv_test_below(&g->random, CV_COUNT(numbers))]);
    else
        cv_buf_printf(&g->out, "%lld",
                      (long long)(one_in(g, 8) ? most : least + (int64_t)cv_test_below(&g->random, 4)));
}

static void add_value(generator *g, cv_str field, const cv_json *schema, size_t depth);

static void add_anything(generator *g, cv_str field, size_t depth)
{
    static const cv_json none = {.type = CV_JSON_OBJECT};
    switch (cv_test_below(&g->random, depth < MAX_DEPTH ? 8 : 5)) {
    case 0:
        cv_buf_add_z(&g->out, one_in(g, 2) ? "true" : "false");
        break;
    case 1:
        cv_buf_add_z(&g->out, "null");
        break;
    case 2:
        add_number(g, &none);
        break;
    case 3:
    case 4:
        add_text(g, field, &none);
        break;
    case 5:
        for (size_t i = 0; i < 100; i++)
            cv_buf_add_z(&g->out, i % 2 ? "[" : "{\"a\":");
        cv_buf_add_char(&g->out, '1');
        for (size_t i = 100; i-- > 0;)
            cv_buf_add_char(&g->out, i % 2 ? ']' : '}');
        break;
    case 6:
        cv_buf_add_char(&g->out, '[');
        add_anything(g, field, depth + 1);
        cv_buf_add_char(&g->out, ',');
        add_anything(g, field, depth + 1);
        cv_buf_add_char(&g->out, ']');
        break;
    default:
        cv_buf_add_z(&g->out, "{\"id\":");
        add_anything(g, CV_STR("id"), depth + 1);
        cv_buf_add_z(&g->out, ",\"\":");
        add_anything(g, field, depth + 1);
        cv_buf_add_char(&g->out, '}');
    }
}

/* Does an operation wait as long as this field says? */
static bool is_wait(cv_str field)
{
    return cv_str_find(CV_STR(" wait timeout_seconds seconds duration "), field) != SIZE_MAX && field.n > 3;
}

static bool is_required(const cv_json *schema, cv_str field)
{
    const cv_json *required = cv_json_get(schema, CV_STR("required"));
    for (uint32_t i = 0; required && i < required->count; i++)
        if (cv_str_eq(required->items[i].text, field))
            return true;
    return false;
}

static void add_member(generator *g, bool *first, cv_str name)
{
    if (!*first)
        cv_buf_add_char(&g->out, ',');
    *first = false;
    cv_json_str(&(cv_json_writer){.out = &g->out}, name);
    cv_buf_add_char(&g->out, ':');
}

static bool is_given(const generator *g, cv_str name)
{
    return g->given && cv_str_eq(name, cv_str_of(g->given));
}

static bool is_wanted(generator *g, const cv_json *schema, cv_str name, size_t depth)
{
    if (depth == 0 && (cv_str_eq(name, g->left_out)))
        return false;
    if (depth == 0 && is_given(g, name))
        return true;
    if (depth == 0 && is_wait(name))
        return true;
    if (is_required(schema, name))
        return !g->wild || !one_in(g, 10);
    return one_in(g, cv_str_eq(name, CV_STR("dry_run")) ? 2 : 4);
}

static void add_object(generator *g, const cv_json *schema, size_t depth)
{
    const cv_json *properties = cv_json_get(schema, CV_STR("properties"));
    const cv_json *others = cv_json_get(schema, CV_STR("additionalProperties"));
    bool first = true;
    cv_buf_add_char(&g->out, '{');
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        const cv_json_member *p = &properties->members[i];
        if (!is_wanted(g, schema, p->key, depth))
            continue;
        add_member(g, &first, p->key);
        if (depth == 0 && is_given(g, p->key))
            add_json_text(g, g->value);
        else if (depth == 0 && is_wait(p->key))
            cv_buf_add_char(&g->out, '0');
        else
            add_value(g, p->key, &p->value, depth + 1);
    }
    if (!properties || (others && others->type == CV_JSON_OBJECT)) {
        add_member(g, &first, CV_STR("muffin"));
        if (others && others->type == CV_JSON_OBJECT)
            add_value(g, CV_STR("to"), others, depth + 1);
        else
            add_anything(g, CV_STR("to"), depth + 1);
    }
    if (g->wild && one_in(g, 20)) {
        add_member(g, &first, CV_STR("unknown\n\x1b"));
        add_anything(g, CV_STR("path"), depth + 1);
    }
    cv_buf_add_char(&g->out, '}');
}

static void add_array(generator *g, cv_str field, const cv_json *schema, size_t depth)
{
    const cv_json *items = cv_json_get(schema, CV_STR("items"));
    size_t count = 1 + cv_test_below(&g->random, 3);
    if (g->wild && one_in(g, 8))
        count = one_in(g, 4) ? 1200 : 0;
    cv_buf_add_char(&g->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            cv_buf_add_char(&g->out, ',');
        if (count > 3)
            cv_buf_printf(&g->out, "\"x%zu\"", i);
        else if (items)
            add_value(g, field, items, depth + 1);
        else
            add_anything(g, field, depth + 1);
    }
    cv_buf_add_char(&g->out, ']');
}

static void add_value(generator *g, cv_str field, const cv_json *schema, size_t depth)
{
    static const char *const types[] = {"string", "integer", "number", "boolean", "object", "array", "null"};
    if (!cv_json_get(schema, CV_STR("type")) || (g->wild && one_in(g, 8))) {
        add_anything(g, field, depth);
        return;
    }
    size_t type;
    do
        type = cv_test_below(&g->random, CV_COUNT(types));
    while (!cv_schema_allows(schema, cv_str_of(types[type])));
    switch (type) {
    case 0:
        add_text(g, field, schema);
        break;
    case 1:
    case 2:
        add_number(g, schema);
        break;
    case 3:
        cv_buf_add_z(&g->out, one_in(g, 2) ? "true" : "false");
        break;
    case 4:
        add_object(g, schema, depth);
        break;
    case 5:
        add_array(g, field, schema, depth);
        break;
    default:
        cv_buf_add_z(&g->out, "null");
    }
}

/* ---- the project ------------------------------------------------------------------------------------------------- */

static const char *around; /* a folder with the project in it, and what must not be touched */

static void put(cv_world *w, const char *path, const char *text)
{
    cv_err err = {.arena = &w->a};
    assert_ok(cv_file_write(cv_arena_printf(&w->a, "%s/%s", around, path).p, cv_str_of(text), &err), &err);
}

static void make_folder(cv_world *w, const char *path)
{
    assert_int_equal(mkdir(cv_arena_printf(&w->a, "%s/%s", around, path).p, 0700), 0);
}

static void make_files(cv_world *w)
{
    make_folder(w, "beside");
    make_folder(w, "project/notes");
    make_folder(w, "project/.conclave/mail/templates");
    put(w, "outside.md", "outside\n");
    put(w, "beside/x.md", "beside\n");
    put(w, "project/notes/a.md",
        "---\nwolfie.headers.version: 4.0.1\ndialog:\n  speaker: A\n  target: B\n"
        "  message: \"C\"\n---\n\n# Bread\n");
    put(w, "project/notes/b.py", "# Bread\nx = 1\n");
    put(w, "project/closed.md", "closed\n");
    put(w, "project/.conclave/mail/templates/greet.j2", "Hello {{ name }}!\n");
    put(w, "project/.conclave/mail/templates/bad.j2", "{{ 1 +\n");
    put(w, "project/.conclave/mail/templates/self.j2", "{% include \"self.j2\" %}");
    assert_int_equal(chmod(cv_arena_printf(&w->a, "%s/project/closed.md", around).p, 0), 0);
    assert_int_equal(mkfifo(cv_arena_printf(&w->a, "%s/project/pipe.md", around).p, 0600), 0);
    assert_int_equal(symlink("../outside.md", cv_arena_printf(&w->a, "%s/project/link.md", around).p), 0);
    assert_int_equal(symlink("../beside", cv_arena_printf(&w->a, "%s/project/link", around).p), 0);
    assert_int_equal(symlink(".", cv_arena_printf(&w->a, "%s/project/round", around).p), 0);
}

static cv_str member(cv_world *w, cv_str reply, const char *name)
{
    cv_json tree;
    cv_err err = {.arena = &w->turn};
    assert_ok(cv_json_parse(&w->turn, reply, &tree, &err), &err);
    return cv_arena_copy(&w->a, cv_json_get_text(&tree, name));
}

static void reopen(cv_world *w)
{
    cv_err err = {.arena = &w->a};
    if (w->record)
        cv_record_close(w->record);
    assert_ok(cv_project_open(&w->a, w->folder, &w->record, &err), &err);
}

static void make_things(cv_world *w, generator *g)
{
    static const char *const agents[] = {"muffin", "cupcake", "scone"};
    for (size_t i = 0; i < CV_COUNT(agents); i++)
        cv_world_do(w, "agent add", cv_arena_printf(&w->a, "{'agent_id':'%s','capabilities':['baking']}", agents[i]).p);
    g->token = member(w, cv_world_do(w, "token add", "{'agent_id':'scone'}"), "token_id").p;
    cv_world_do(w, "create",
                "{'title':'Bread','expert_pool':{'domain':'Baking','experts':[{'slug':'muffin','role':'Baker','tier':"
                "'Core','relevance':0.9},{'slug':'scone','role':'Miller','tier':'Adjacent','relevance':0.5}]}}");
    cv_world_do(w, "respond", "{'dialogue_id':'bread','expert':'muffin','content':'[PERSPECTIVE P01: Sour]'}");
    cv_world_do(w, "round-register",
                "{'dialogue_id':'bread','round':0,'score':3,'expert_scores':{'muffin':3},'perspectives':[{'local_id':"
                "'MUFFIN-P0001','label':'Sour','content':'It keeps.','contributors':['muffin']}],'tensions':[{"
                "'local_id':'SCONE-T0001','label':'Time','content':'It takes two days.','contributors':['scone'],"
                "'references':[{'type':'oppose','target':'MUFFIN-P0001'}]}]}");
    cv_world_do(w, "mail send", "{'from':'muffin','to':'scone','body':'The oven is free','message_id':'m1'}");
    cv_world_do(w, "mail send", "{'from':'scone','to':['muffin','cupcake'],'body':'Good','message_id':'m2'}");
    cv_world_do(w, "mail plan",
                "{'plan':'p1','from':'muffin','tasks':[{'task_id':'t1','action':'BAKE','target_agent':'scone'},"
                "{'task_id':'t2','action':'EAT','target_agent':'muffin','depends_on':['t1']}]}");
    cv_world_do(w, "mail state", "{'action':'set','name':'focus','value':{'n':1}}");
    cv_world_do(w, "mail report", "{'name':'greet','text':'Done'}");
    g->request = member(w, cv_world_do(w, "mail stage", "{'text':'Hello'}"), "request_id").p;
    cv_world_do(w, "chat open", "{'purpose':'Bread','participants':['A@x','B@y'],'id':'c1'}");
    cv_world_do(w, "chat send", "{'chat_id':'c1','from':'A@x','type':'status','body':'It rises.'}");
    cv_world_do(w, "notes log", "{}");
    cv_world_do(w, "notes header", "{'path':'notes/a.md','speaker':'A','target':'@muffin','message':'D','force':true}");
}

static void open_project(cv_world *w, generator *g)
{
    *w = (cv_world){.now = 1767323045678, .for_people = true};
    around = cv_test_folder(&w->a);
    w->folder = cv_arena_printf(&w->a, "%s/project", around).p;
    setenv("CV_CHECK_REPLIES", "1", 1);
    unsetenv("CV_CALL_LOG"); /* what is called here is not tested otherwise */
    make_folder(w, "project");
    assert_int_equal(chdir(around), 0); /* whatever is written relative to this folder is found */
    cv_call call = cv_world_begin(w);
    cv_json nothing = {.type = CV_JSON_OBJECT};
    call.input = &nothing;
    assert_true(cv_op_call(cv_op_called(CV_STR("init")), &call));
    reopen(w);
    make_files(w);
    assert_int_equal(chdir(w->folder), 0);
    make_things(w, g);
    assert_int_equal(chdir(around), 0);
}

static void close_project(cv_world *w, generator *g)
{
    cv_buf_release(&g->out);
    assert_int_equal(chmod(cv_arena_printf(&w->a, "%s/project/closed.md", around).p, 0600), 0);
    assert_int_equal(chdir("/"), 0);
    w->folder = around;
    cv_world_close(w);
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static void complain(const cv_world *w, const cv_operation *op, cv_str input, const char *what)
{
    print_error("%s: conclave %s %s <<< %.*s\n", what, op->room, op->verb, (int)(input.n < 3000 ? input.n : 3000),
                input.p);
    for (size_t i = 0; i < w->errs.count && i < 5; i++)
        print_error("  [%.*s] %.*s\n", CV_FMT(cv_err_word(w->errs.items[i].code)),
                    CV_FMT(cv_err_text(&w->errs.items[i])));
}

/* A refusal is about the request, and says where or what to do. */
static const char *fault_of(const cv_err *e)
{
    static const cv_err_kind *const ours[] = {CV_ERR_STORE, CV_ERR_CORRUPT, CV_ERR_REGRESSED,
                                              CV_ERR_BUSY,  CV_ERR_SCHEMA,  CV_ERR_MOVED};
    for (size_t i = 0; i < CV_COUNT(ours); i++)
        if (e->code == ours[i] && !e->field.n && !(e->file.n && e->suggestion.n))
            return "the record is not at fault";
    if (!e->field.n && !e->suggestion.n && !e->option_count && !e->file.n)
        return "a refusal neither names a field nor says what to do";
    if (e->message.n == 0 || e->message.n > MAX_MESSAGE || e->field.n > MAX_MESSAGE || e->value.n > MAX_MESSAGE)
        return "a refusal without words, or with too many";
    if (cv_utf8_valid(e->message) != e->message.n || memchr(e->message.p, '\0', e->message.n))
        return "a message with bytes that nobody can show";
    return NULL;
}

static const cv_operation *running; /* for the alarm */
static cv_str running_input;

static void waits_too_long(int number)
{
    (void)number;
    print_error("waits: conclave %s %s <<< %.*s\n", running->room, running->verb, CV_FMT(running_input));
    abort();
}

static void verify(cv_world *w, cv_str last)
{
    cv_call call = cv_world_begin(w);
    cv_json nothing = {.type = CV_JSON_OBJECT};
    call.input = &nothing;
    const cv_operation *op = cv_op_called(CV_STR("verify"));
    bool done = cv_op_call(op, &call);
    if (!done)
        complain(w, running ? running : op, last, "the record does not verify");
    assert_true(done);
}

static size_t answered, refused;

static void call_one(cv_world *w, const cv_operation *op, cv_str input)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *tree = CV_NEW(&w->turn, cv_json);
    running = op;
    running_input = call.input_text = cv_arena_copy(&w->turn, input);
    if (!cv_json_parse(&w->turn, call.input_text, tree, &err))
        return; /* doors refuse it */
    call.input = tree;
    call.confined = strcmp(op->room, "token") != 0;
    if (!(op->flags & CV_OP_STORE))
        call.record = NULL;
    alarm(ENOUGH);
    bool done = cv_op_call(op, &call);
    alarm(0);
    *(done ? &answered : &refused) += 1;
    if (done && cv_json_get_true(tree, "dry_run") && getenv("CV_SHOW"))
        print_message("%s %s %.*s\n", op->room, op->verb, CV_FMT(input));
    for (size_t i = 0; i < w->errs.count; i++) {
        const char *fault = fault_of(&w->errs.items[i]);
        if (fault) {
            complain(w, op, input, fault);
            fail();
        }
    }
    if (done && !(op->flags & CV_OP_STORE))
        reopen(w);
    if (getenv("CV_VERIFY"))
        verify(w, input);
}

static cv_str listing(cv_world *w)
{
    cv_buf out = {0};
    const char *const names[] = {"", "beside", "outside.md", "beside/x.md"};
    for (size_t i = 0; i < CV_COUNT(names); i++) {
        struct stat st;
        const char *path = cv_arena_printf(&w->a, "%s/%s", around, names[i]).p;
        assert_int_equal(stat(path, &st), 0);
        cv_buf_printf(&out, "%s %lld %lld.%09ld\n", names[i], (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                      st.st_mtim.tv_nsec);
    }
    return cv_buf_take(&out, &w->a);
}

static void check_project(cv_world *w, cv_str before)
{
    cv_str after = listing(w);
    assert_view_eq(after, before);
}

/* ---- the campaign ------------------------------------------------------------------------------------------------ */

static cv_str request(generator *g, const cv_operation *op)
{
    cv_buf_clear(&g->out);
    add_object(g, cv_op_schema(op).input, 0);
    return cv_buf_str(&g->out);
}

/* Each required field left out, then requests that are right, and wild ones. */
static void call_all(cv_world *w, generator *g, const cv_operation *op, size_t calls)
{
    const cv_json *required = cv_json_get(cv_op_schema(op).input, CV_STR("required"));
    for (uint32_t i = 0; required && i < required->count; i++) {
        g->left_out = required->items[i].text;
        call_one(w, op, request(g, op));
    }
    g->left_out = (cv_str){NULL, 0};
    for (size_t i = 0; i < calls; i++) {
        g->wild = one_in(g, 2);
        call_one(w, op, request(g, op));
    }
    g->wild = false;
}

static void test_generated(void **state)
{
    (void)state;
    const char *only = getenv("CV_ONLY"), *count = getenv("CV_CALLS");
    size_t calls = count ? strtoul(count, NULL, 10) : cv_test_soak() ? 100 : 10;
    cv_world w;
    generator g = {.random = {cv_test_seed()}};
    signal(SIGALRM, waits_too_long);
    open_project(&w, &g);
    cv_str before = listing(&w);
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        cv_str words = cv_arena_printf(&w.a, "%s%s%s", op->room, *op->room ? " " : "", op->verb);
        if (only && !cv_str_eq(words, cv_str_of(only)))
            continue;
        g.left_out = (cv_str){NULL, 0};
        if (cv_str_eq(words, CV_STR("init")))
            continue; /* its folder may lie anywhere */
        call_all(&w, &g, op, calls);
        check_project(&w, before);
    }
    verify(&w, CV_STR(""));
    print_message("# %zu answered, %zu refused\n", answered, refused);
    close_project(&w, &g);
}

/* The search index keeps the beginning of a very long word; the record still verifies. */
static void test_long_word(void **state)
{
    (void)state;
    cv_world w;
    generator g = {.random = {1}};
    open_project(&w, &g);
    for (size_t n = 32766; n < 32772; n++) {
        cv_buf_clear(&g.out);
        cv_buf_add_z(&g.out, "{\"from\":\"muffin\",\"to\":\"scone\",\"body\":");
        add_repeated(&g, 'x', n);
        cv_buf_add_z(&g.out, "}");
        assert_true(cv_world_call_json(&w, "mail send", cv_buf_str(&g.out)));
    }
    call_one(&w, cv_op_called(CV_STR("search")), CV_STR("{\"query\":\"bread\"}"));
    verify(&w, CV_STR(""));
    close_project(&w, &g);
}

/* ---- who acts ---------------------------------------------------------------------------------------------------- */

static bool has_error(const cv_world *w, cv_err_code code)
{
    for (size_t i = 0; i < w->errs.count; i++)
        if (w->errs.items[i].code == code)
            return true;
    return false;
}

static bool call_as(cv_world *w, const cv_operation *op, cv_who who, cv_str input)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *tree = CV_NEW(&w->turn, cv_json);
    call.who = who;
    call.input_text = cv_arena_copy(&w->turn, input);
    assert_ok(cv_json_parse(&w->turn, call.input_text, tree, &err), &err);
    call.input = tree;
    call.confined = true;
    if (!(op->flags & CV_OP_STORE))
        call.record = NULL;
    return cv_op_call(op, &call);
}

static void must_refuse(cv_world *w, const cv_operation *op, cv_who who, cv_err_code code)
{
    bool done = call_as(w, op, who, CV_STR("{}"));
    if (done || !has_error(w, code))
        complain(w, op, CV_STR("{}"), cv_err_word(code).p);
    assert_true(!done && has_error(w, code));
}

/* A caller that is unknown, not allowed there, or may only read is refused by every operation, before it looks at its
 * input. */
static void test_admission(void **state)
{
    (void)state;
    cv_world w;
    generator g = {.random = {1}};
    open_project(&w, &g);
    cv_world_do(&w, "agent add", "{'agent_id':'loaf','rooms':['chat']}");
    cv_world_do(&w, "agent add", "{'agent_id':'bun','rooms':['mail']}");
    cv_str secret = member(&w, cv_world_do(&w, "token add", "{'agent_id':'scone','read_only':true}"), "secret");
    assert_true(secret.n > 0);
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        if (!(op->flags & (CV_OP_STORE | CV_OP_PROJECT)))
            continue;
        must_refuse(&w, op, (cv_who){.name = CV_STR("stranger")}, CV_ERR_UNKNOWN_AGENT);
        cv_str elsewhere = strcmp(op->room, "chat") == 0 ? CV_STR("bun") : CV_STR("loaf");
        if (!(op->flags & CV_OP_FOR_ALL))
            must_refuse(&w, op, (cv_who){.name = elsewhere}, CV_ERR_NOT_ALLOWED);
        if (op->flags & (CV_OP_WRITES | CV_OP_FILES))
            must_refuse(&w, op, (cv_who){.token = secret}, CV_ERR_NOT_ALLOWED);
    }
    close_project(&w, &g);
}

/* Fields that say in whose name a write speaks. */
static const char *const speaking[] = {"from", "as", "agent", "speaker", "participant", "agent_source"};

/* … and writes where such a field says about whom they are, or who is to be called. */
static const char *const about_others[] = {"chat join participant",
                                           "notes extract speaker",
                                           "mail requeue agent",
                                           "mail state agent",
                                           "run agent",
                                           "ask agent"};

static bool is_about_others(cv_arena *a, const cv_operation *op, const char *field)
{
    cv_str words = cv_str_trim(cv_arena_printf(a, "%s %s %s", op->room, op->verb, field));
    for (size_t i = 0; i < CV_COUNT(about_others); i++)
        if (cv_str_eq(words, cv_str_of(about_others[i])))
            return true;
    return false;
}

static cv_str last_commit(cv_world *w)
{
    cv_err err = {.arena = &w->a};
    cv_str position;
    assert_ok(w->record->calls->newest(w->record, &w->a, 0, &position, &err), &err);
    return position;
}

/* Who acts as muffin cannot write as somebody else; and is not taken for somebody else when it names itself. */
static void check_speaking(cv_world *w, generator *g, const cv_operation *op, const char *field)
{
    enum { CALLS = 12, MOST_CALLS = 500 }; /* a generated request may be refused for something else */
    bool in_chat = strcmp(op->room, "chat") == 0, refused_once = false;
    const cv_who muffin = {.name = CV_STR("muffin")};
    g->given = field;
    for (size_t i = 0; i < CALLS || (!refused_once && i < MOST_CALLS); i++) {
        g->value = in_chat ? "A@x" : "cupcake";
        cv_str before = last_commit(w), input = request(g, op);
        bool wrote = call_as(w, op, muffin, input) && !cv_str_eq(last_commit(w), before);
        if (wrote)
            complain(w, op, input, "it wrote as somebody else");
        assert_false(wrote);
        refused_once = refused_once || has_error(w, CV_ERR_IDENTITY);
        g->value = in_chat ? "C@muffin" : "muffin";
        input = request(g, op);
        call_as(w, op, muffin, input);
        if (has_error(w, CV_ERR_IDENTITY))
            complain(w, op, input, "it is not taken for itself");
        assert_false(has_error(w, CV_ERR_IDENTITY));
    }
    if (!refused_once)
        print_error("%s %s: nothing is said about '%s'\n", op->room, op->verb, field);
    assert_true(refused_once);
    g->given = NULL;
}

static void test_in_whose_name(void **state)
{
    (void)state;
    cv_world w;
    generator g = {.random = {cv_test_seed()}};
    size_t fields = 0;
    open_project(&w, &g);
    cv_world_do(&w, "chat join", "{'chat_id':'c1','participant':'C@muffin'}");
    for (size_t i = 0; i < cv_op_count(); i++)
        for (size_t k = 0; k < CV_COUNT(speaking); k++) {
            const cv_operation *op = cv_op_at(i);
            const cv_json *properties = cv_json_get(cv_op_schema(op).input, CV_STR("properties"));
            bool has = properties && cv_json_get(properties, cv_str_of(speaking[k]));
            if (!has || !(op->flags & CV_OP_WRITES) || is_about_others(&w.a, op, speaking[k]))
                continue;
            check_speaking(&w, &g, op, speaking[k]);
            fields++;
        }
    assert_true(fields > 15);
    close_project(&w, &g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_generated), cmocka_unit_test(test_long_word),
                                       cmocka_unit_test(test_admission), cmocka_unit_test(test_in_whose_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
