/* test_tokens.c - secrets that say who acts: what opens, what does not, and that a secret is nowhere but in its answer.
 */
#include "actors.h"

#include <sqlite3.h>

#include "record/hash.h"
#include "record/scope.h"

/* ---- where a secret is ------------------------------------------------------------------------------------------- */

/* Bytes of a file of the record; none when it is not there. */
static cv_str bytes_of(cv_world *w, const char *name)
{
    FILE *file = fopen(cv_arena_printf(&w->a, "%s/%s", w->folder, name).p, "rb");
    cv_buf all = {0};
    char piece[4096];
    for (size_t n; file && (n = fread(piece, 1, sizeof piece, file)) > 0;)
        cv_buf_add(&all, (cv_str){piece, n});
    if (file)
        fclose(file);
    return cv_buf_take(&all, &w->a);
}

static void assert_nowhere(cv_world *w, cv_str secret)
{
    static const char *const files[] = {"conclave.db", "conclave.db-wal", "conclave.db-watermark"};
    cv_err err = {.arena = &w->a};
    cv_str part = cv_str_from(secret, 12); /* the middle, too, is nowhere */
    cv_buf text = {0};
    for (size_t i = 0; i < CV_COUNT(files); i++)
        assert_int_equal(cv_str_find(bytes_of(w, files[i]), part), SIZE_MAX);
    assert_ok(cv_scope_print(w->record, &w->a, cv_agents_scope(), &(cv_json_writer){.out = &text}, &err), &err);
    assert_int_equal(cv_str_find(cv_buf_str(&text), part), SIZE_MAX);
    cv_buf_release(&text);
}

static void a_secret_is_shown_once_and_kept_nowhere(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    cv_json reply = actor_do(w, NOBODY, "token add", "{'agent_id': 'Muffin', 'op_id': 'o'}");
    cv_str secret = cv_arena_copy(&w->a, cv_json_get_text(&reply, "secret"));
    assert_true(cv_str_starts(secret, CV_STR("cvt_")));
    assert_nowhere(w, secret);
    reply = actor_do(w, NOBODY, "token add", "{'agent_id': 'Muffin', 'op_id': 'o'}");
    assert_true(cv_json_get_true(&reply, "replayed"));
    assert_false(cv_json_get_text(&reply, "secret").p);
    assert_str_has(cv_json_get_text(&reply, "note"), "cannot be shown again");
    reply = actor_do(w, NOBODY, "token add", "{'agent_id': 'muffin', 'dry_run': true}");
    assert_false(cv_json_get_text(&reply, "secret").p);
    actor_do(w, NOBODY, "token list", "{'revoked': true}");
    assert_int_equal(cv_str_find(cv_buf_str(&w->out), cv_str_from(secret, 12)), SIZE_MAX);
    actor_do(w, WITH(secret), "dialogue create", "{'title': 'Bread'}");
    actor_do(w, NOBODY, "token revoke", "{'token_id': 't2', 'reason': 'lost'}");
    actor_refused(w, NOBODY, "token revoke", cv_arena_printf(&w->a, "{'token_id': '%.*s'}", CV_FMT(secret)).p,
                  CV_ERR_TOKEN_NOT_FOUND);
    assert_int_equal(cv_str_find(cv_err_text(&w->errs.items[0]), cv_str_from(secret, 12)), SIZE_MAX);
    assert_nowhere(w, secret);
    actor_verify(w);
    actor_do(w, NOBODY, "verify", "{}");
}

/* ---- what opens -------------------------------------------------------------------------------------------------- */

static void only_the_secret_itself_opens(void **state)
{
    cv_world *w = *state;
    cv_err err = {.arena = &w->a};
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    cv_str secret = actor_token(w, "{'agent_id': 'muffin'}");
    cv_str other = actor_token(w, "{'agent_id': 'muffin'}");
    assert_false(cv_str_eq(secret, other));
    assert_ok(cv_token_admits(w->record, &w->a, secret, &err), &err);
    for (size_t i = 0; i < secret.n; i++) { /* one letter is another, is missing, is there twice */
        char *forged = cv_arena_copy_z(&w->a, secret);
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        cv_str pieces[3] = {cv_str_of(forged), cv_arena_join(&w->a, cv_str_head(secret, i), cv_str_from(secret, i + 1)),
                            cv_arena_join(&w->a, cv_str_head(secret, i + 1), cv_str_from(secret, i))};
        for (size_t k = 0; k < 3; k++)
            actor_refused(w, WITH(pieces[k]), "dialogue list", "{}", CV_ERR_TOKEN);
    }
    actor_refused(w, WITH(CV_STR("")), "dialogue list", "{}", CV_ERR_TOKEN);
    actor_refused(w, WITH(cv_hash_text(&w->a, secret)), "dialogue list", "{}", CV_ERR_TOKEN);
}

/* The token decides, whatever name is given besides. */
static void a_token_decides_who_acts(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'Muffin'}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'scone'}");
    cv_str secret = actor_token(w, "{'agent_id': 'muffin'}");
    actor_do(w, (cv_who){.name = CV_STR("scone"), .token = secret}, "dialogue create", "{'title': 'Bread'}");
    actor_do(w, NOBODY, "dialogue history", "{'dialogue_id': 'bread'}");
    assert_str_has(cv_buf_str(&w->out), "\"agent\":\"Muffin\",\"standing\":\"verified\"");
}

static void what_a_token_may_is_limited_twice(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'scone', 'rooms': []}");
    actor_do(w, NOBODY, "dialogue create", "{'title': 'Bread'}");
    cv_str any = actor_token(w, "{'agent_id': 'muffin'}"),
           reads = actor_token(w, "{'agent_id': 'muffin', 'read_only': true}");
    cv_str room = actor_token(w, "{'agent_id': 'muffin', 'rooms': ['dialogue']}");
    cv_str none = actor_token(w, "{'agent_id': 'muffin', 'rooms': []}");
    cv_str limited = actor_token(w, "{'agent_id': 'scone', 'rooms': ['dialogue']}");
    actor_do(w, WITH(reads), "dialogue list", "{}");
    actor_do(w, WITH(reads), "verify", "{}");
    actor_refused(w, WITH(reads), "dialogue create", "{'title': 'No'}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, WITH(reads), "dialogue create", "{'title': 'No', 'dry_run': true}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, WITH(reads), "dialogue export", "{'dialogue_id': 'bread'}", CV_ERR_NOT_ALLOWED);
    actor_do(w, WITH(room), "dialogue create", "{'title': 'Yes'}");
    actor_refused(w, WITH(room), "verify", "{}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, WITH(room), "token list", "{}", CV_ERR_NOT_ALLOWED);
    actor_do(w, WITH(room), "agent list", "{}");
    actor_refused(w, WITH(none), "dialogue list", "{}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, WITH(limited), "dialogue list", "{}", CV_ERR_NOT_ALLOWED);
    actor_do(w, WITH(any), "verify", "{}");
    actor_refused(w, NOBODY, "token add", "{'agent_id': 'muffin', 'rooms': ['dialog']}", CV_ERR_INVALID_VALUE);
}

static void what_was_revoked_opens_nothing(void **state)
{
    cv_world *w = *state;
    cv_err err = {.arena = &w->a};
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    cv_str one = actor_token(w, "{'agent_id': 'muffin'}"), two = actor_token(w, "{'agent_id': 'muffin'}");
    actor_do(w, WITH(one), "dialogue list", "{}");
    actor_do(w, NOBODY, "token revoke", "{'token_id': 't2'}");
    actor_refused(w, WITH(one), "dialogue list", "{}", CV_ERR_TOKEN);
    assert_str_has(w->errs.items[0].message, "revoked");
    cv_json again = actor_do(w, NOBODY, "token revoke", "{'token_id': 't2'}");
    assert_true(cv_json_get_true(&again, "replayed"));
    actor_do(w, WITH(two), "dialogue list", "{}");
    actor_do(w, NOBODY, "agent remove", "{'agent_id': 'muffin'}");
    actor_refused(w, WITH(two), "dialogue list", "{}", CV_ERR_TOKEN);
    /* An agent that takes over the id does not get its tokens. */
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin', 'replace': true}");
    actor_refused(w, WITH(two), "dialogue list", "{}", CV_ERR_TOKEN);
    assert_fails(cv_token_admits(w->record, &w->a, two, &err), &err, CV_ERR_TOKEN);
    cv_json list = actor_do(w, NOBODY, "token list", "{}");
    assert_int_equal(cv_json_get_int(&list, "count", -1), 0);
    list = actor_do(w, NOBODY, "token list", "{'agent_id': 'muffin', 'revoked': true}");
    assert_int_equal(cv_json_get_int(&list, "count", -1), 2);
    actor_verify(w);
}

/* ---- who makes them ---------------------------------------------------------------------------------------------- */

static void agents_do_not_make_tokens(void **state)
{
    cv_world *w = *state;
    const char *add = "{'agent_id': 'ada'}";
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'ada', 'kind': 'human'}");
    cv_str of_agent = actor_token(w, "{'agent_id': 'muffin'}"), of_person = actor_token(w, add);
    actor_refused(w, AS("muffin"), "token add", add, CV_ERR_NOT_ALLOWED);
    actor_refused(w, WITH(of_agent), "token add", add, CV_ERR_NOT_ALLOWED);
    actor_refused(w, AS("muffin"), "token revoke", "{'token_id': 't4'}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, WITH(of_agent), "agent limit", "{'agent_id': 'muffin', 'all_rooms': true}", CV_ERR_NOT_ALLOWED);
    actor_refused(w, WITH(of_agent), "agent add", "{'agent_id': 'new', 'kind': 'human'}", CV_ERR_NOT_ALLOWED);
    actor_do(w, AS("ada"), "token add", add);
    /* Through a server it must be certain that a person asks. */
    const struct {
        cv_who who;
        bool may;
    } cases[] = {
        {NOBODY, false}, {AS("ada"), false}, {AS("muffin"), false}, {WITH(of_agent), false}, {WITH(of_person), true}};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        assert_int_equal(actor_call(w, cases[i].who, true, "token add", add), cases[i].may);
        if (!cases[i].may)
            assert_view_eq(cv_err_word(w->errs.items[0].code), cv_err_word(CV_ERR_NOT_VERIFIED));
    }
}

static void assert_not_repeated(cv_world *w, cv_who who, const char *operation, cv_str input, cv_str secret)
{
    actor_refused(w, who, operation, input.p, CV_ERR_INVALID_VALUE);
    for (size_t i = 0; i < w->errs.count; i++) {
        assert_int_equal(cv_str_find(cv_err_text(&w->errs.items[i]), cv_str_from(secret, 12)), SIZE_MAX);
        assert_int_equal(cv_str_find(w->errs.items[i].value, cv_str_from(secret, 12)), SIZE_MAX);
    }
}

/* Where a name is asked for, a secret is neither kept nor repeated. */
static void a_secret_is_no_name(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    cv_str secret = actor_token(w, "{'agent_id': 'muffin'}");
    const char *inputs[][2] = {{"agent add", "{'agent_id': '%.*s'}"},
                               {"agent add", "{'agent_id': 'scone', 'aliases': ['%.*s']}"},
                               {"agent alias", "{'agent_id': 'muffin', 'aliases': ['%.*s']}"},
                               {"token add", "{'agent_id': '%.*s'}"},
                               {"agent show", "{'agent_id': '%.*s'}"}};
    for (size_t i = 0; i < CV_COUNT(inputs); i++) {
        const char *mark = strstr(inputs[i][1], "%.*s");
        cv_str input =
            cv_arena_printf(&w->a, "%.*s%.*s%s", (int)(mark - inputs[i][1]), inputs[i][1], CV_FMT(secret), mark + 4);
        assert_not_repeated(w, NOBODY, inputs[i][0], input, secret);
    }
    assert_not_repeated(w, (cv_who){.name = secret}, "dialogue list", CV_STR("{}"), secret);
    assert_nowhere(w, secret);
}

/* Else an agent would become a person whose token is believed, by a request that names nobody. */
static void a_token_does_not_outlive_a_change_of_kind(void **state)
{
    cv_world *w = *state;
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin'}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'scone'}");
    cv_str muffin = actor_token(w, "{'agent_id': 'muffin'}"), scone = actor_token(w, "{'agent_id': 'scone'}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin', 'summary': 'bakes', 'replace': true}");
    actor_do(w, WITH(muffin), "dialogue list", "{}");
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'muffin', 'kind': 'human', 'replace': true}");
    actor_refused(w, WITH(muffin), "dialogue list", "{}", CV_ERR_TOKEN);
    actor_refused(w, WITH(muffin), "token add", "{'agent_id': 'scone'}", CV_ERR_TOKEN);
    actor_do(w, NOBODY, "agent import", "{'agents': [{'agent_id': 'scone', 'kind': 'human'}], 'replace': true}");
    actor_refused(w, WITH(scone), "dialogue list", "{}", CV_ERR_TOKEN);
    actor_verify(w);
}

/* ---- behind the program's back ----------------------------------------------------------------------------------- */

/* A statement on the record's file. */
static void tamper(cv_world *w, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    cv_world_leave(w);
    assert_int_equal(sqlite3_open(cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        print_error("%s: %s\n", sql, why);
    assert_int_equal(sqlite3_changes(db), 1);
    sqlite3_close(db);
    cv_world_return(w);
}

/* A token, a person or a limit that somebody writes into the file is noticed. */
static void what_was_put_into_the_file_is_found(void **state)
{
    static const char *const deeds[] = {
        "UPDATE tokens SET revoked_at = NULL WHERE id = 't3'",
        "UPDATE tokens SET agent = 'ada' WHERE id = 't4'",
        "UPDATE tokens SET read_only = 0 WHERE id = 't4'",
        "UPDATE tokens SET rooms = NULL WHERE id = 't4'",
        ("INSERT INTO tokens SELECT scope, 't9', rev, 'ada', 'abc', NULL, 0, created_at, NULL FROM tokens "
         "WHERE id = 't4'"),
        "DELETE FROM tokens WHERE id = 't3'",
        "UPDATE agents SET kind = 'human' WHERE name = 'muffin'",
        "UPDATE agents SET removed_at = '2026-01-01T00:00:00.000Z' WHERE name = 'muffin'",
        "UPDATE aliases SET agent = 'ada' WHERE name = 'm'",
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(deeds); i++) {
        cv_world w;
        cv_world_open(&w);
        actor_do(&w, NOBODY, "agent add", "{'agent_id': 'muffin', 'aliases': ['m']}");
        actor_do(&w, NOBODY, "agent add", "{'agent_id': 'ada', 'kind': 'human'}");
        actor_token(&w, "{'agent_id': 'muffin'}");
        actor_token(&w, "{'agent_id': 'muffin', 'read_only': true, 'rooms': ['dialogue']}");
        actor_do(&w, NOBODY, "token revoke", "{'token_id': 't3'}");
        actor_do(&w, NOBODY, "verify", "{}");
        tamper(&w, deeds[i]);
        actor_refused(&w, NOBODY, "verify", "{}", CV_ERR_VERIFY);
        cv_world_close(&w);
    }
}

#define WORLD(test) cmocka_unit_test_setup_teardown(test, cv_world_set_up, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD(a_secret_is_shown_once_and_kept_nowhere),
        WORLD(only_the_secret_itself_opens),
        WORLD(a_token_decides_who_acts),
        WORLD(what_a_token_may_is_limited_twice),
        WORLD(what_was_revoked_opens_nothing),
        WORLD(agents_do_not_make_tokens),
        WORLD(a_token_does_not_outlive_a_change_of_kind),
        WORLD(a_secret_is_no_name),
        cmocka_unit_test(what_was_put_into_the_file_is_found),
    };
    return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
