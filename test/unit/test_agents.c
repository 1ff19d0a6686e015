/* test_agents.c - who can act: ids, names that nobody else has, lists of agents, and what events say about who acted.
 */
#include "actors.h"

#include <sys/wait.h>

#include "dialogue/words/errors.h"

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static const char *const pieces[] = {"a",
                                     "Z",
                                     "0",
                                     "9",
                                     ".",
                                     "-",
                                     "_",
                                     " ",
                                     "/",
                                     "\\",
                                     "\xc3\xa9",
                                     "\xe2\x80\x8b",
                                     "\xf0\x9f\xa7\x81",
                                     "@",
                                     "~",
                                     "\t",
                                     "\n",
                                     "..",
                                     "muffin",
                                     "A-1",
                                     "\xcc\x81",
                                     "\x7f",
                                     ":",
                                     "%"};

/* The rule as it is written down: [A-Za-z0-9][A-Za-z0-9._-]{0,63}, and no dot at the end. */
static bool is_id(cv_str id)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t i = 0; i < id.n; i++)
        if (!memchr(first, id.p[i], sizeof first - 1) && (i == 0 || !strchr("._-", id.p[i])))
            return false;
    return id.n >= 1 && id.n <= 64 && id.p[id.n - 1] != '.';
}

static void an_id_is_what_the_rule_says(void **state)
{
    (void)state;
    cv_test_random r = {cv_test_seed()};
    cv_arena a = {0};
    for (size_t turn = 0; turn < 20000; turn++) {
        cv_buf text = {0};
        size_t count = turn % 3 ? cv_test_below(&r, 5) : 60 + cv_test_below(&r, 8);
        for (size_t i = 0; i < count; i++)
            cv_buf_add_z(&text, pieces[count > 8 ? cv_test_below(&r, 7) : cv_test_below(&r, CV_COUNT(pieces))]);
        cv_str id = cv_buf_str(&text);
        cv_err err = {.arena = &a};
        assert_int_equal(cv_agent_id_valid(id), is_id(id));
        if (!is_id(id))
            assert_fails(cv_agent_id_refuse(id, &err), &err, CV_ERR_INVALID_VALUE);
        cv_buf_release(&text);
        cv_arena_reset(&a);
    }
    cv_arena_release(&a);
}

static void what_is_not_an_id_is_refused_with_the_place(void **state)
{
    cv_world *w = *state;
    actor_refused(w, NOBODY, "agent add", "{'agent_id': 'caf\xc3\xa9'}", CV_ERR_INVALID_VALUE);
    assert_str_has(w->errs.items[0].message, "byte 4 of the name");
    assert_str_eq(w->errs.items[0].field, "agent_id");
    actor_refused(w, NOBODY, "agent add", "{'agent_id': '.a'}", CV_ERR_INVALID_VALUE);
    actor_refused(w, NOBODY, "agent add", "{'agent_id': 'a b', 'aliases': ['c/d', 'ok', '-'], 'rooms': ['kitchen']}",
                  CV_ERR_INVALID_VALUE);
    assert_int_equal(w->errs.count, 4);
    actor_refused(w, AS("no name"), "agent list", "{}", CV_ERR_INVALID_VALUE);
    actor_refused(w, (cv_who){.name = CV_STR("")}, "agent list", "{}", CV_ERR_INVALID_VALUE);
    assert_int_equal(actor_rev(w), 0);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

enum { NAMES = 12, TURNS = 600 };

/* What stands: for each name (folded) the agent that has it, -1: nobody. */
typedef struct {
    int owner[NAMES]; /* index of the name that is the owner's id */
    bool is_agent[NAMES], removed[NAMES];
} model;

static const char *const words[NAMES] = {"muffin", "scone", "donut", "a", "a.b",  "a-b",
                                         "x1",     "x2",    "x_3",   "0", "long", "cupcake"};

/* The word in some case. */
static cv_str cased(cv_arena *a, cv_test_random *r, size_t word)
{
    char *text = cv_arena_copy_z(a, cv_str_of(words[word]));
    for (char *p = text; *p; p++)
        *p = cv_test_below(r, 2) ? cv_upper(*p) : *p;
    return cv_str_of(text);
}

static void compare(cv_world *w, cv_test_random *r, const model *m)
{
    for (size_t i = 0; i < NAMES; i++) {
        cv_err err = {.arena = &w->turn};
        cv_agent_row agent;
        bool found;
        assert_ok(cv_agent_find(w->record, &w->turn, cased(&w->turn, r, i), &agent, &found, &err), &err);
        assert_int_equal(found, m->owner[i] >= 0);
        if (!found)
            continue;
        assert_str_eq(agent.name, words[m->owner[i]]);
        assert_true(cv_str_eq_nocase(agent.id, agent.name));
        assert_int_equal(cv_agent_is_removed(&agent), m->removed[m->owner[i]]);
    }
}

/* Agents and aliases come and go under names in any case; no two agents ever have the same one. */
static void names_are_unique_without_regard_to_case(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed() + 1};
    model m = {0};
    memset(m.owner, -1, sizeof m.owner);
    for (size_t turn = 0; turn < TURNS; turn++) {
        size_t x = cv_test_below(&r, NAMES), y = cv_test_below(&r, NAMES), act = cv_test_below(&r, 8);
        char text[256];
        cv_arena own = {0};
        cv_str one = cased(&own, &r, x), two = cased(&own, &r, y);
        int had = m.owner[x];
        bool known = had >= 0 && !m.removed[had], done;
        if (act < 2) { /* a different summary each time: never the same agent again */
            snprintf(text, sizeof text, "{'agent_id': '%s', 'summary': '%zu'}", one.p, turn);
            done = actor_call(w, NOBODY, false, "agent add", text);
            assert_int_equal(done, had < 0);
            if (done)
                m.owner[x] = (int)x, m.is_agent[x] = true;
        } else if (act == 2) {
            snprintf(text, sizeof text, "{'agent_id': '%s', 'summary': '%zu', 'replace': true}", one.p, turn);
            done = actor_call(w, NOBODY, false, "agent add", text);
            assert_int_equal(done, had < 0 || had == (int)x);
            if (done)
                m.owner[x] = (int)x, m.is_agent[x] = true, m.removed[x] = false;
        } else if (act < 6) {
            snprintf(text, sizeof text, "{'agent_id': '%s', 'aliases': ['%s']}", one.p, two.p);
            done = actor_call(w, NOBODY, false, "agent alias", text);
            bool fits = known && (m.owner[y] < 0 || (m.owner[y] == had && (int)y != had));
            assert_int_equal(done, fits);
            if (done)
                m.owner[y] = had;
        } else if (act == 6) {
            snprintf(text, sizeof text, "{'agent_id': '%s', 'aliases': ['%s'], 'remove': true}", one.p, two.p);
            done = actor_call(w, NOBODY, false, "agent alias", text);
            assert_int_equal(done, known && m.owner[y] == had && (int)y != had);
            if (done)
                m.owner[y] = -1;
        } else {
            snprintf(text, sizeof text, "{'agent_id': '%s'}", one.p);
            done = actor_call(w, NOBODY, false, "agent remove", text);
            assert_int_equal(done, had >= 0); /* twice is once */
            if (done)
                m.removed[had] = true;
        }
        cv_arena_release(&own);
        if (turn % 10 == 0)
            compare(w, &r, &m);
    }
    compare(w, &r, &m);
    actor_verify(w);
}

static void errors_name_the_nearest(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin', 'aliases': ['planner']}");
    actor_refused(w, AS("mufin"), "dialogue list", "{}", CV_ERR_UNKNOWN_AGENT);
    assert_str_eq(w->errs.items[0].suggestion, "did you mean 'muffin'?");
    actor_refused(w, NOBODY, "agent show", "{'agent_id': 'Planer'}", CV_ERR_UNKNOWN_AGENT);
    assert_str_eq(w->errs.items[0].suggestion, "did you mean 'planner'?");
    actor_refused(w, NOBODY, "token add", "{'agent_id': 'zzzzzz'}", CV_ERR_UNKNOWN_AGENT);
    assert_str_has(w->errs.items[0].suggestion, "conclave agent list");
    actor_do(w, NOBODY, "agent remove", "{'agent_id': 'PLANNER', 'reason': 'done'}");
    actor_refused(w, AS("planner"), "dialogue list", "{}", CV_ERR_AGENT_REMOVED);
    actor_refused(w, NOBODY, "agent alias", "{'agent_id': 'muffin', 'aliases': ['x']}", CV_ERR_AGENT_REMOVED);
    cv_json again = actor_do(w, NOBODY, "agent remove", "{'agent_id': 'muffin'}");
    assert_true(cv_json_get_true(&again, "replayed"));
    actor_refused(w, NOBODY, "agent add", "{'agent_id': 'Muffin'}", CV_ERR_AGENT_EXISTS);
    assert_str_has(w->errs.items[0].message, "which was removed");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'Muffin', 'replace': true}");
    actor_do(w, AS("planner"), "dialogue list", "{}");
}

/* Two processes want the same id at the same time: one has it, the other is told so. */
static void of_rivals_for_one_id_one_wins(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'first'}");
    for (int round = 0; round < 8; round++) {
        int ends[2], wins = 0;
        pid_t children[4];
        assert_int_equal(pipe(ends), 0);
        cv_world_leave(w);
        for (int i = 0; i < 4; i++)
            if ((children[i] = fork()) == 0) {
                char nothing, text[128];
                close(ends[1]);
                while (read(ends[0], &nothing, 1) > 0)
                    ;
                cv_world_return(w);
                snprintf(text, sizeof text,
                         i % 2 ? "{'agent_id': 'Rival%d', 'summary': '%d'}"
                               : "{'agent_id': 'own%d-%d', 'aliases': ['rival%d']}",
                         round, i, round);
                bool done = actor_call(w, NOBODY, false, "agent add", text);
                _exit(done ? 10 : w->errs.items[0].code == CV_ERR_AGENT_EXISTS ? 11 : 12);
            }
        close(ends[0]);
        close(ends[1]);
        for (int i = 0; i < 4; i++) {
            int status;
            waitpid(children[i], &status, 0);
            assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 10 || WEXITSTATUS(status) == 11));
            wins += WEXITSTATUS(status) == 10;
        }
        cv_world_return(w);
        assert_int_equal(wins, 1);
    }
    actor_verify(w);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void the_same_twice_is_one(void **state)
{
    cv_world *w = *state;
    const char *add = "{'agent_id': 'muffin', 'capabilities': ['Plan', 'plan', 'test'], 'limits': {'quota': 5}}";
    cv_json reply = actor_do(w, NOBODY, "agent add", add);
    assert_int_equal(cv_json_get_int(&reply, "rev", 0), 1);
    assert_int_equal(cv_json_get(cv_json_get(&reply, CV_STR("agent")), CV_STR("capabilities"))->count, 2);
    reply = actor_do(w, NOBODY, "agent add", add);
    assert_true(cv_json_get_true(&reply, "replayed"));
    reply = actor_do(w, NOBODY, "agent limit", "{'agent_id': 'muffin', 'quota': 5}");
    assert_true(cv_json_get_true(&reply, "replayed"));
    assert_int_equal(actor_rev(w), 1);
    reply = actor_do(w, NOBODY, "agent add", "{'agent_id': 'scone', 'dry_run': true}");
    assert_true(cv_json_get_true(&reply, "dry_run"));
    assert_int_equal(actor_rev(w), 1);
    actor_refused(w, NOBODY, "agent add", "{'agent_id': 'scone', 'expect_rev': 7}", CV_ERR_REV_CONFLICT);
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'scone', 'expect_rev': 1, 'op_id': 'o'}");
    reply = actor_do(w, NOBODY, "agent add", "{'agent_id': 'scone', 'expect_rev': 1, 'op_id': 'o'}");
    assert_true(cv_json_get_true(&reply, "replayed"));
    assert_int_equal(actor_rev(w), 2);
}

/* An op_id stands for one request of one agent, however sure it is who it is. */
static void an_op_id_belongs_to_whoever_used_it(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'ada', 'kind': 'human', 'aliases': ['boss']}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    const char *create = "{'title': 'Bread', 'op_id': 'once'}";
    actor_do(w, AS("ada"), "dialogue create", create);
    cv_json again = actor_do(w, AT_TERMINAL("Boss"), "dialogue create", create);
    assert_true(cv_json_get_true(&again, "replayed"));
    actor_refused(w, AS("muffin"), "dialogue create", create, CV_ERR_OP_CONFLICT);
    actor_refused(w, NOBODY, "dialogue create", create, CV_ERR_OP_CONFLICT);
    const char *locked = "{'agent_id': 'scone', 'op_id': 'locked'}";
    actor_do(w, AS("muffin"), "agent add", locked);
    actor_refused(w, AS("ada"), "agent add", locked, CV_ERR_OP_CONFLICT);
    actor_refused(w, NOBODY, "agent add", locked, CV_ERR_OP_CONFLICT);
}

/* Every call of the record fails once: the registry is as before or as asked for, and says which. */
static void a_failing_record_leaves_nothing_half(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    cv_record *whole = w->record;
    bool done = false;
    for (size_t n = 1; !done && n < 100; n++) {
        cv_record_tracing tracing = {.fail_at = n};
        int64_t before = actor_rev(w);
        w->record = cv_record_traced(&w->a, whole, &tracing);
        done = actor_call(w, AS("muffin"), false, "agent add", "{'agent_id': 'new', 'aliases': ['n1', 'n2']}");
        w->record = whole;
        assert_int_equal(actor_rev(w), before + done);
    }
    assert_true(done);
    actor_verify(w);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void write_file(cv_world *w, const char *name, const char *text)
{
    cv_err err = {.arena = &w->a};
    cv_str all = cv_world_request(&w->a, cv_str_of(text));
    assert_ok(cv_file_write(cv_arena_printf(&w->a, "%s/%s", w->folder, name).p, all, &err), &err);
}

static bool import(cv_world *w, const char *name, const char *more)
{
    cv_str text = cv_arena_printf(&w->a, "{'path': '%s/%s'%s}", w->folder, name, more);
    return actor_call(w, NOBODY, false, "agent import", text.p);
}

static void a_list_is_taken_whole_or_not_at_all(void **state)
{
    cv_world *w = *state;
    write_file(w, "good.json", "[{'agent_id': 'a', 'aliases': ['b']}, {'agent_id': 'c', 'kind': 'human'}]");
    write_file(w, "good.jsonl",
               "{'id': 'a', 'aliases': ['b']}\n\n{'agent_id': 'c', 'kind': 'human'}\r\n{'agent_id': 'd'}");
    write_file(w, "bad.json", "{'agents': [{'agent_id': 'x', 'kind': 'robot'},\n {'agent_id': 'y', 'age': 3},\n {}]}");
    write_file(w, "bad.jsonl", "{'agent_id': 'x'}\n{'agent_id': \n{'agent_id': 'y', 'kind': 'robot'}\n");
    write_file(w, "clash.json",
               "[{'agent_id': 'A1', 'aliases': ['q', 'a 1']}, {'agent_id': 'a1'}, {'agent_id': 'z', "
               "'aliases': ['Z', 'Q'], 'rooms': ['nowhere']}]");
    assert_false(import(w, "bad.json", ""));
    assert_int_equal(w->errs.count, 3);
    assert_int_equal(w->errs.items[1].line, 2);
    assert_str_eq(w->errs.items[0].field, "agents[0].kind");
    assert_false(import(w, "bad.jsonl", ""));
    assert_int_equal(w->errs.count, 2);
    assert_int_equal(w->errs.items[0].line, 2);
    assert_int_equal(w->errs.items[1].line, 3);
    assert_str_eq(w->errs.items[1].field, "agents[2].kind");
    assert_false(import(w, "clash.json", ""));
    assert_int_equal(w->errs.count, 5);
    for (size_t i = 0; i < w->errs.count; i++)
        assert_str_has(w->errs.items[i].field, "agents[");
    assert_false(import(w, "absent.json", ""));
    assert_int_equal(actor_rev(w), 0);
    assert_true(import(w, "good.json", ", 'dry_run': true"));
    assert_int_equal(actor_rev(w), 0);
    assert_true(import(w, "good.json", ", 'op_id': 'o'"));
    assert_int_equal(actor_rev(w), 1);
    assert_true(import(w, "good.json", ""));
    assert_str_has(cv_buf_str(&w->out), "\"unchanged\":2,\"rev\":1,\"replayed\":true");
    assert_true(import(w, "good.jsonl", ""));
    assert_str_has(cv_buf_str(&w->out), "\"added\":1,\"changed\":0,\"unchanged\":2,\"rev\":2");
    write_file(w, "good.json", "[{'agent_id': 'a', 'summary': 'changed'}]");
    assert_false(import(w, "good.json", ", 'op_id': 'o'")); /* an op_id stands for what the file said */
    assert_view_eq(cv_err_word(w->errs.items[0].code), cv_err_word(CV_ERR_OP_CONFLICT));
    assert_false(import(w, "good.json", ""));
    assert_true(import(w, "good.json", ", 'replace': true"));
    actor_do(w, NOBODY, "agent show", "{'agent_id': 'B'}");
    assert_str_has(cv_buf_str(&w->out), "\"summary\":\"changed\"");
    actor_verify(w);
}

/* What `agent list` prints can be taken back. */
static void a_list_goes_from_project_to_project(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add",
             "{'agent_id': 'muffin', 'aliases': ['x', 'y'], 'rooms': ['dialogue'], 'limits': {'hops': 3, 'quota': 0}}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'ada', 'kind': 'human'}");
    actor_do(w, NOBODY, "agent list", "{}");
    write_file(w, "list.json", cv_arena_copy_z(&w->a, cv_buf_str(&w->out)));
    assert_true(import(w, "list.json", ""));
    assert_str_has(cv_buf_str(&w->out), "\"unchanged\":2");
}

static void pages_have_everybody_once(void **state)
{
    cv_world *w = *state;
    for (int i = 0; i < 23; i++) {
        char text[96];
        snprintf(text, sizeof text, "{'agent_id': 'Agent-%02d', 'kind': '%s'}", i, i % 3 ? "agent" : "human");
        actor_do(w, NOBODY, "agent add", text);
    }
    actor_do(w, NOBODY, "agent remove", "{'agent_id': 'agent-07'}");
    size_t seen = 0;
    cv_str after = {NULL, 0};
    do {
        cv_str text = cv_arena_printf(
            &w->a, after.p ? "{'limit': 4, 'kind': 'agent', 'after': '%.*s'}" : "{'limit': 4, 'kind': 'agent'}",
            CV_FMT(after));
        cv_json reply = actor_do(w, NOBODY, "agent list", text.p);
        seen += (size_t)cv_json_get_int(&reply, "count", 0);
        after = cv_json_get_text(&reply, "next");
        after = after.p ? cv_arena_copy(&w->a, after) : after;
    } while (after.p);
    assert_int_equal(seen, 14);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void limits_are_kept_and_lifted(void **state)
{
    cv_world *w = *state;
    cv_err err = {.arena = &w->a};
    cv_agent_row agent;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin', 'capabilities': ['planning']}");
    actor_do(w, NOBODY, "agent limit", "{'agent_id': 'muffin', 'send_rate': 30, 'quota': 0, 'rooms': ['Dialogue']}");
    actor_do(w, NOBODY, "agent limit", "{'agent_id': 'muffin', 'hops': 8, 'lift': ['send_rate']}");
    assert_ok(cv_agent_get(w->record, &w->a, CV_STR("MUFFIN"), &agent, &err), &err);
    assert_int_equal(cv_agent_limit(&w->a, &agent, CV_STR("quota"), -1), 0);
    assert_int_equal(cv_agent_limit(&w->a, &agent, CV_STR("hops"), -1), 8);
    assert_int_equal(cv_agent_limit(&w->a, &agent, CV_STR("send_rate"), -1), -1);
    assert_true(cv_agent_may_enter(&w->a, &agent, CV_STR("dialogue")));
    assert_false(cv_agent_may_enter(&w->a, &agent, CV_STR("mail")));
    assert_true(cv_agent_can(&w->a, &agent, CV_STR("Planning")));
    assert_false(cv_agent_can(&w->a, &agent, CV_STR("plan")));
    actor_do(w, AS("muffin"), "dialogue list", "{}");
    actor_do(w, AS("muffin"), "agent list", "{}"); /* whom it can write to */
    actor_refused(w, AS("muffin"), "verify", "{}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, AS("muffin"), "agent limit", "{'agent_id': 'muffin', 'all_rooms': true}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, NOBODY, "agent limit", "{'agent_id': 'muffin', 'all_rooms': true, 'rooms': ['dialogue']}",
                  CV_ERR_INVALID_VALUE);
    actor_do(w, NOBODY, "agent limit", "{'agent_id': 'muffin', 'rooms': []}");
    actor_refused(w, AS("muffin"), "dialogue list", "{}", CV_ERR_NOT_ALLOWED);
    assert_str_has(w->errs.items[0].message, "limited to no room");
    actor_do(w, NOBODY, "agent limit", "{'agent_id': 'muffin', 'all_rooms': true}");
    actor_do(w, AS("muffin"), "verify", "{}");
}

/* ---- who acted --------------------------------------------------------------------------------------------------- */

static bool check_event(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const cv_event_row *event = row, *wanted = ctx;
    (void)scope, (void)err;
    assert_view_eq(event->agent, wanted->agent);
    assert_view_eq(event->standing, wanted->standing);
    assert_int_equal(event->agent.p != NULL, wanted->agent.p != NULL);
    return true;
}

/* All events of a scope name this agent, with this standing. */
static void assert_acted(cv_world *w, cv_scope_id scope, const char *agent, const char *standing)
{
    cv_err err = {.arena = &w->a};
    cv_event_row wanted = {.agent = cv_str_of(agent), .standing = cv_str_of(standing)};
    const cv_find find = {.type = &cv_event_row_type, .scope = scope};
    assert_ok(w->record->calls->find(w->record, &find, check_event, &wanted, &err), &err);
}

static void events_say_who_acted(void **state)
{
    cv_world *w = *state;
    actor_do(w, AS("Early"), "dialogue create", "{'title': 'early'}"); /* nobody is registered yet */
    assert_acted(w, cv_dialogue_scope(CV_STR("early")), "Early", "claimed");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin', 'aliases': ['m']}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'Ada', 'kind': 'human'}");
    assert_acted(w, cv_agents_scope(), NULL, NULL);
    actor_refused(w, AS("Early"), "dialogue create", "{'title': 'late'}", CV_ERR_UNKNOWN_AGENT);
    actor_do(w, AS("M"), "dialogue create", "{'title': 'one'}");
    assert_acted(w, cv_dialogue_scope(CV_STR("one")), "muffin", "claimed");
    actor_do(w, AT_TERMINAL("m"), "dialogue create", "{'title': 'two'}"); /* an agent is not a person */
    assert_acted(w, cv_dialogue_scope(CV_STR("two")), "muffin", "claimed");
    actor_do(w, AS("ada"), "dialogue create", "{'title': 'three'}");
    assert_acted(w, cv_dialogue_scope(CV_STR("three")), "Ada", "claimed");
    actor_do(w, AT_TERMINAL("ada"), "dialogue create", "{'title': 'four'}");
    assert_acted(w, cv_dialogue_scope(CV_STR("four")), "Ada", "verified");
    actor_do(w, NOBODY, "dialogue create", "{'title': 'five'}");
    assert_acted(w, cv_dialogue_scope(CV_STR("five")), NULL, NULL);
    actor_do(w, NOBODY, "dialogue history", "{'dialogue_id': 'four'}");
    assert_str_has(cv_buf_str(&w->out), "\"agent\":\"Ada\",\"standing\":\"verified\"");
    actor_do(w, NOBODY, "verify", "{}");
}

/* ---- for rooms --------------------------------------------------------------------------------------------------- */

/* A call of a room that has been admitted. */
static cv_call admitted(cv_world *w, cv_who who, const char *text)
{
    cv_call call = cv_world_begin(w);
    cv_json *input = CV_NEW(&w->turn, cv_json);
    cv_err err = {.arena = &w->turn};
    call.who = who;
    call.input_text = cv_world_request(&w->turn, cv_str_of(text));
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    assert_true(cv_admit(&call, &(cv_act){.room = CV_STR("dialogue")}));
    return call;
}

static void a_field_speaks_for_whoever_acts(void **state)
{
    cv_world *w = *state;
    static const struct {
        cv_who who;
        const char *input, *name;
        const cv_err_kind *code;
    } cases[] = {
        {{.name = CV_STR_INIT("m")}, "{}", "Muffin", NULL},
        {{.name = CV_STR_INIT("m")}, "{'from': 'MUFFIN'}", "Muffin", NULL},
        {{.name = CV_STR_INIT("muffin")}, "{'from': 'm'}", "Muffin", NULL},
        {{.name = CV_STR_INIT("muffin")}, "{'from': 'scone'}", NULL, CV_ERR_IDENTITY},
        {{.name = CV_STR_INIT("muffin")}, "{'from': 'nobody'}", NULL, CV_ERR_UNKNOWN_AGENT},
        {{.name = CV_STR_INIT("muffin")}, "{'from': 'a b'}", NULL, CV_ERR_INVALID_VALUE},
        {{.at_terminal = false}, "{'from': 'SCONE'}", "scone", NULL},
        {{.at_terminal = false}, "{}", NULL, NULL},
        {{.at_terminal = false}, "{'from': 'gone'}", NULL, CV_ERR_AGENT_REMOVED},
    };
    cv_str name;
    cv_agent_row row;
    cv_call call = admitted(w, AS("anybody"), "{'from': 'Anybody'}"); /* before anybody is registered */
    assert_true(cv_call_as(&call, "from", &name, &row));
    assert_str_eq(name, "Anybody");
    assert_null(row.name.p);
    call = admitted(w, AS("anybody"), "{'from': 'other'}");
    assert_false(cv_call_as(&call, "from", &name, &row));
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'Muffin', 'aliases': ['m']}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'scone'}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'gone'}");
    actor_do(w, NOBODY, "agent remove", "{'agent_id': 'gone'}");
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        call = admitted(w, cases[i].who, cases[i].input);
        assert_int_equal(cv_call_as(&call, "from", &name, &row), cases[i].code == NULL);
        if (cases[i].code)
            assert_view_eq(cv_err_word(w->errs.items[0].code), cv_err_word(cases[i].code));
        else
            assert_view_eq(name, cv_str_of(cases[i].name));
        if (!cases[i].code && cv_json_get(call.input, CV_STR("from"))) /* it was read */
            assert_view_eq(row.id, name);
        if (cases[i].code)
            assert_str_eq(w->errs.items[0].field, "from");
    }
}

static void overriding_needs_a_person(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'ada', 'kind': 'human'}");
    cv_str of_agent = actor_token(w, "{'agent_id': 'muffin'}"), of_person = actor_token(w, "{'agent_id': 'ada'}");
    const struct {
        cv_who who;
        bool may;
    } cases[] = {{NOBODY, false},
                 {AS("ada"), false},
                 {AT_TERMINAL("ada"), true},
                 {AS("muffin"), false},
                 {AT_TERMINAL("muffin"), false},
                 {WITH(of_agent), false},
                 {WITH(of_person), true}};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_call call = admitted(w, cases[i].who, "{}");
        assert_int_equal(cv_call_needs_verified(&call, "overriding a blocker"), cases[i].may);
        if (!cases[i].may)
            assert_view_eq(cv_err_word(w->errs.items[0].code), cv_err_word(CV_ERR_NOT_VERIFIED));
    }
}

#define WORLD(test) cmocka_unit_test_setup_teardown(test, cv_world_set_up, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_what_the_rule_says),
        WORLD(what_is_not_an_id_is_refused_with_the_place),
        WORLD(names_are_unique_without_regard_to_case),
        WORLD(errors_name_the_nearest),
        WORLD(of_rivals_for_one_id_one_wins),
        WORLD(the_same_twice_is_one),
        WORLD(an_op_id_belongs_to_whoever_used_it),
        WORLD(a_failing_record_leaves_nothing_half),
        WORLD(a_list_is_taken_whole_or_not_at_all),
        WORLD(a_list_goes_from_project_to_project),
        WORLD(pages_have_everybody_once),
        WORLD(limits_are_kept_and_lifted),
        WORLD(events_say_who_acted),
        WORLD(a_field_speaks_for_whoever_acts),
        WORLD(overriding_needs_a_person),
    };
    return cmocka_run_group_tests_name("agents", tests, NULL, NULL);
}
