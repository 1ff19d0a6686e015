/* test_rivals.c - many processes and many dialogues in one record.
 *
 * Sixteen processes, each in a dialogue of its own or all in the same one: every write that was answered is there, once
 * and whole, and a late request is refused. One process beside a rival who writes between its reading and its
 * writing, at every such moment. And what an operation costs in a record with ten and with ten thousand dialogues.
 */
#include "rounds.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "dialogue/words/errors.h"
#include "record/sqlite/engine.h"

/* ---- sixteen processes ------------------------------------------------------------------------------- */

enum { PROCESSES = 16, ROUNDS = 3, UPDATES = 2, MOST_WRITES = 3 * ROUNDS + UPDATES + 2, PATIENCE_S = 90 };

/* What one process has been answered: the revs of its writes, and how often it came too late. */
typedef struct {
    int64_t revs[MOST_WRITES];
    int writes, rounds, updates;
    int registered, out_of_order, conflicts, verdicts_late;
    bool won_verdict;
} report;

typedef struct {
    const char *folder, *id;
    int who;
    int start; /* readable when everybody is there */
    report *told;
} rival;

static void wait_for_the_start(const rival *r)
{
    char nothing;
    while (read(r->start, &nothing, 1) > 0)
        ;
}

/* Calls all of them at once and waits; each must end well, and in time. */
static report *run_rivals(cv_world *w, const char *const *ids, void (*run)(const rival *))
{
    pid_t children[PROCESSES];
    int ends[2];
    report *told = mmap(NULL, PROCESSES * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    assert_int_equal(pipe(ends), 0);
    cv_world_leave(w);
    for (int i = 0; i < PROCESSES; i++)
        if ((children[i] = fork()) == 0) {
            close(ends[1]);
            alarm(PATIENCE_S);
            run(&(rival){w->folder, ids[i], i, ends[0], &told[i]});
        }
    close(ends[0]);
    close(ends[1]);
    int failed = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        failed += status != 0;
    }
    assert_int_equal(failed, 0);
    cv_world_return(w);
    return told;
}

static void forget(report *told)
{
    munmap(told, PROCESSES * sizeof *told);
}

/* One call; true when it was done, false when it was refused with one error, *ret_code. */
static bool ask(cv_world *w, const rival *r, const char *verb, cv_str request, cv_err_code *ret_code)
{
    *ret_code = CV_ERR_NONE;
    if (!cv_world_call_text(w, verb, request)) {
        if (w->errs.count != 1 || w->errs.items[0].message.n == 0 || w->errs.items[0].suggestion.n == 0)
            cv_rounds_die("a refusal is not clear", &w->errs);
        *ret_code = w->errs.items[0].code;
        return false;
    }
    cv_json answer;
    cv_err err = {.arena = &w->turn};
    int64_t rev;
    if (!cv_json_parse(&w->turn, cv_buf_str(&w->out), &answer, &err) || cv_json_get(&answer, CV_STR("replayed")) ||
        !cv_json_to_int(cv_json_get(&answer, CV_STR("rev")), &rev) || r->told->writes == MOST_WRITES)
        cv_rounds_die("an answer is not that of a first write", NULL);
    r->told->revs[r->told->writes++] = rev;
    return true;
}

/* ---- … in sixteen dialogues ---------------------------------------------------------------------------- */

static _Noreturn void work_alone(const rival *r)
{
    cv_world w;
    cv_err_code code;
    wait_for_the_start(r);
    cv_rounds_open(&w, r->folder);
    for (int round = 0; round < 2 * ROUNDS; round++)
        if (!ask(&w, r, "round-register", cv_rounds_request(&w.a, r->id, round, r->id, ""), &code))
            cv_rounds_die("a round was refused", &w.errs);
    cv_rounds_close(&w);
    _exit(0);
}

static void sixteen_processes_in_sixteen_dialogues(void **state)
{
    cv_world *w = *state;
    const char *ids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        ids[i] = cv_arena_printf(&w->a, "own-%d", i).p;
        cv_world_dialogue(w, ids[i], cv_rounds_bakers, false);
    }
    report *told = run_rivals(w, ids, work_alone);
    for (int i = 0; i < PROCESSES; i++) {
        cv_state s = cv_world_state(w, ids[i]);
        const char *broken = cv_rounds_broken(&s);
        if (broken)
            print_error("%s: %s\n", ids[i], broken);
        assert_null(broken);
        assert_int_equal(s.rounds.count, 2 * ROUNDS);
        for (int k = 0; k < told[i].writes; k++)
            assert_int_equal(told[i].revs[k], k + 2);
        for (size_t k = 0; k < s.entities.count; k++)
            assert_str_has(s.entities.items[k].label, cv_arena_printf(&w->turn, "%s:", ids[i]).p);
    }
    cv_rounds_verify(w, NULL);
    forget(told);
}

/* ---- … in one dialogue --------------------------------------------------------------------------------- */

/* Registers the round, or learns that another one did. */
static void try_round(cv_world *w, const rival *r, int round)
{
    cv_err_code code;
    const char *writer = cv_arena_printf(&w->a, "w%d", r->who).p;
    if (ask(w, r, "round-register", cv_rounds_request(&w->a, r->id, round, writer, ""), &code))
        r->told->rounds++;
    else if (code == CV_ERR_ROUND_REGISTERED)
        r->told->registered++;
    else if (code == CV_ERR_ROUND_ORDER)
        r->told->out_of_order++;
    else
        cv_rounds_die("a round was refused for another reason", &w->errs);
}

/* The label and the reason are the same text, so the history tells both sides of every change. */
static cv_str label_request(cv_world *w, const rival *r, int number, const char *more)
{
    return cv_arena_printf(&w->a,
                           "{'dialogue_id': '%s', 'updates': [{'id': 'P0002', 'label': 'by %d, %d', 'reason': 'by %d, "
                           "%d'}]%s}",
                           r->id, r->who, number, r->who, number, more);
}

static void update_once(cv_world *w, const rival *r, int number)
{
    cv_err_code code;
    if (!ask(w, r, "update", label_request(w, r, number, ""), &code))
        cv_rounds_die("an update was refused", &w->errs);
    r->told->updates++;
}

/* Insists on the rev that it has read, until nobody came in between. */
static void update_insisting(cv_world *w, const rival *r, int number)
{
    for (;;) {
        cv_position at;
        bool found;
        cv_err err = {.arena = &w->a};
        cv_err_code code;
        if (!cv_position_of(w->record, &w->a, cv_str_of(r->id), &at, &found, &err))
            cv_rounds_die("the position cannot be read", NULL);
        const char *more = cv_arena_printf(&w->a, ", 'expect_rev': %lld", (long long)at.rev).p;
        if (ask(w, r, "update", label_request(w, r, number, more), &code)) {
            if (r->told->revs[r->told->writes - 1] != at.rev + 1)
                cv_rounds_die("written, but not at the rev that was insisted on", NULL);
            r->told->updates++;
            return;
        }
        if (code != CV_ERR_REV_CONFLICT)
            cv_rounds_die("refused for another reason than its rev", &w->errs);
        r->told->conflicts++;
    }
}

static bool verdict(cv_world *w, const rival *r, const char *verdict_id, cv_err_code *ret_code)
{
    return ask(w, r, "verdict-register",
               cv_arena_printf(&w->a,
                               "{'dialogue_id': '%s', 'verdict_id': '%s', 'verdict_type': 'interim', 'recommendation': "
                               "'Ask %d', 'description': 'It knows.'}",
                               r->id, verdict_id, r->who),
               ret_code);
}

static _Noreturn void work_together(const rival *r)
{
    cv_world w;
    cv_err_code code;
    wait_for_the_start(r);
    cv_rounds_open(&w, r->folder);
    for (int round = 0; round < ROUNDS; round++) {
        if (r->who % 4 == 0)
            try_round(&w, r, round + 2); /* too early, unless the others are fast */
        try_round(&w, r, round);
        update_once(&w, r, round);
    }
    for (int i = 0; i < UPDATES - 1; i++)
        update_insisting(&w, r, ROUNDS + i);
    if (!verdict(&w, r, cv_arena_printf(&w.a, "V%02d", r->who).p, &code))
        cv_rounds_die("a verdict was refused", &w.errs);
    if (verdict(&w, r, "shared", &code))
        r->told->won_verdict = true;
    else if (code == CV_ERR_VERDICT_EXISTS)
        r->told->verdicts_late++;
    else
        cv_rounds_die("a verdict was refused for another reason", &w.errs);
    cv_rounds_close(&w);
    _exit(0);
}

/* Every rev between the first and the last was answered to exactly one process. */
static void check_revs(const report *told, int64_t first, int64_t last)
{
    static int seen[4 * PROCESSES * MOST_WRITES];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < PROCESSES; i++)
        for (int k = 0; k < told[i].writes; k++) {
            assert_in_range(told[i].revs[k], first, last);
            seen[told[i].revs[k]]++;
        }
    for (int64_t rev = first; rev <= last; rev++)
        assert_int_equal(seen[rev], 1);
}

/* Each change of the label tells the one before it as the old value: none was lost. Returns their number. */
static int check_labels(cv_world *w, const cv_state *s)
{
    cv_str before = {NULL, 0};
    int changes = 0;
    for (size_t i = 0; i < s->events.count; i++) {
        const cv_rec_event *event = &s->events.items[i];
        if (!cv_str_eq(event->subject_id, CV_STR("P0002")) || !cv_str_eq(event->event_type, CV_STR("commented")))
            continue;
        cv_json data;
        cv_err err = {.arena = &w->turn};
        assert_ok(cv_json_parse(&w->turn, event->data, &data, &err), &err);
        cv_str old = cv_json_get(cv_json_get(&data, CV_STR("old")), CV_STR("label"))->text;
        if (before.p)
            assert_view_eq(old, before);
        before = event->reason;
        changes++;
    }
    assert_view_eq(cv_state_entity(s, CV_STR("P0002"))->label, before);
    return changes;
}

/* All items of a round name the same writer. */
static void check_writers(const cv_state *s)
{
    cv_str writers[ROUNDS + 2] = {{NULL, 0}};
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *e = &s->entities.items[i];
        if (e->kind.p[0] == 'P' && e->round == 0 && e->seq == 2)
            continue; /* whose label they change */
        cv_str writer = cv_str_head(e->label, cv_str_find_char(e->label, ':'));
        if (!writers[e->round].p)
            writers[e->round] = writer;
        assert_view_eq(writer, writers[e->round]);
    }
}

static void sixteen_processes_in_one_dialogue(void **state)
{
    cv_world *w = *state;
    const char *ids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        ids[i] = "shared";
    cv_world_dialogue(w, "shared", cv_rounds_bakers, false);
    report *told = run_rivals(w, ids, work_together), sum = {0};
    for (int i = 0; i < PROCESSES; i++) {
        sum.rounds += told[i].rounds;
        sum.updates += told[i].updates;
        sum.registered += told[i].registered;
        sum.out_of_order += told[i].out_of_order;
        sum.conflicts += told[i].conflicts;
        sum.writes += told[i].won_verdict;
        sum.verdicts_late += told[i].verdicts_late;
    }
    cv_state s = cv_world_state(w, "shared");
    const char *broken = cv_rounds_broken(&s);
    if (broken)
        print_error("%s\n", broken);
    assert_null(broken);
    assert_int_equal(s.rounds.count, sum.rounds);       /* each was registered by one */
    assert_true(sum.registered + sum.out_of_order > 0); /* they met; in which of the ways is up to the machine */
    assert_int_equal(sum.updates, PROCESSES * (ROUNDS + UPDATES - 1));
    assert_int_equal(check_labels(w, &s), sum.updates);
    check_writers(&s);
    assert_int_equal(s.verdicts.count, PROCESSES + 1);
    assert_int_equal(sum.writes, 1);
    assert_int_equal(sum.verdicts_late, PROCESSES - 1);
    check_revs(told, 2, s.position.rev);
    print_message("# refused: round_already_registered %d, round_out_of_order %d, rev_conflict %d, verdict_exists %d\n",
                  sum.registered, sum.out_of_order, sum.conflicts, sum.verdicts_late);
    cv_rounds_verify(w, NULL);
    forget(told);
}

/* ---- a rival at a chosen moment ---------------------------------------------------------------------------- */

/* Writes once, through a handle of its own, right after a chosen call of the record: the first "find" asks whether the
 * request was done before, "end" is behind the reading of the dialogue. */
typedef struct {
    cv_world world;
    const char *moment, *verb;
    cv_str request;
    bool came;
} intruder;

static void come_in_between(void *ctx, const char *call, cv_scope_id dialogue_id, size_t rows, cv_write_result result)
{
    (void)dialogue_id, (void)rows, (void)result;
    intruder *i = ctx;
    if (i->came || strcmp(call, i->moment) != 0)
        return;
    i->came = true;
    assert_true(cv_world_call_text(&i->world, i->verb, i->request));
}

static bool call_with_intruder(cv_world *w, const char *verb, cv_str request, intruder i)
{
    cv_rounds_open(&i.world, w->folder);
    cv_record_tracing tracing = {.trace = come_in_between, .ctx = &i};
    cv_record *inner = w->record;
    w->record = cv_record_traced(&w->a, inner, &tracing);
    bool done = cv_world_call_text(w, verb, request);
    w->record = inner;
    assert_true(i.came);
    cv_rounds_close(&i.world);
    return done;
}

static bool call_with_rival(cv_world *w, const char *verb, cv_str request, const char *rival_verb, cv_str rival_request)
{
    return call_with_intruder(w, verb, request,
                              (intruder){.moment = "end", .verb = rival_verb, .request = rival_request});
}

#define RENAME(label) "{'dialogue_id': 'd', 'updates': [{'id': 'P0001', 'label': '" label "'}]"

static void who_comes_second_sees_what_the_first_did(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "d", cv_rounds_bakers, false);
    cv_str mine = cv_rounds_request(&w->a, "d", 0, "mine", ""), theirs = cv_rounds_request(&w->a, "d", 0, "theirs", "");
    assert_false(call_with_rival(w, "round-register", mine, "round-register", theirs));
    assert_view_eq(cv_err_word(w->errs.items[0].code), CV_STR("round_already_registered"));
    cv_str next = cv_rounds_request(&w->a, "d", 1, "mine", "");
    assert_true(call_with_rival(w, "round-register", next, "round-register", next)); /* the same: done once */
    assert_str_has(cv_buf_str(&w->out), "\"replayed\":true");
    assert_true(call_with_rival(w, "update", CV_STR(RENAME("second") "}"), "update", CV_STR(RENAME("first") "}")));
    cv_state s = cv_world_state(w, "d");
    assert_str_eq(cv_state_entity(&s, CV_STR("P0001"))->label, "second");
    assert_str_has(s.events.items[s.events.count - 1].data, "\"first\"");
    assert_int_equal(s.position.rev, 5);
    cv_rounds_verify(w, "d");
}

/* Done once, whenever the rival makes the same request; both get the same answer. */
static void the_same_request_at_any_moment_is_done_once(void **state)
{
    cv_world *w = *state;
    static const struct {
        const char *verb, *request; /* … behind the id of the dialogue */
    } requests[] = {
        {"round-register", "'round': 0, 'score': 3, 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'Old',"
                           "'content': 'c'}]}"},
        {"expert-create", "'expert_slug': 'newcomer', 'role': 'Auditor', 'tier': 'core',"
                          "'relevance': 0.5, 'reason': 'nobody audits'}"},
        {"evolve-panel", "'round': 1, 'panel': [{'slug': 'muffin', 'source': 'retained'},"
                         "{'slug': 'newcomer', 'source': 'created'}]}"},
        {"round-register", "'round': 1, 'score': 3, 'op_id': 'mine'}"},
        {"update", "'updates': [{'id': 'P0001', 'label': 'Anew'}], 'op_id': 'again'}"},
        {"verdict-register", "'verdict_id': 'V1', 'verdict_type': 'interim', 'recommendation': 'r',"
                             "'description': 'd'}"},
        {"abandon", "'reason': 'sold'}"},
    };
    static const char *const moments[] = {"find", "end"};
    for (size_t k = 0; k < CV_COUNT(moments); k++) {
        cv_world_dialogue(w, moments[k], cv_rounds_bakers, false);
        for (size_t i = 0; i < CV_COUNT(requests); i++) {
            cv_str request = cv_arena_printf(&w->a, "{'dialogue_id': '%s', %s", moments[k], requests[i].request);
            int64_t rev = cv_world_position(w, moments[k]).rev;
            if (k == 0 && cv_str_find(request, CV_STR("op_id")) == SIZE_MAX) { /* nobody asks */
                assert_true(cv_world_call_text(w, requests[i].verb, request));
                continue;
            }
            intruder same = {.moment = moments[k], .verb = requests[i].verb, .request = request};
            if (!call_with_intruder(w, requests[i].verb, request, same))
                fail_msg("%s after %s: %.*s", requests[i].verb, moments[k], CV_FMT(cv_err_text(&w->errs.items[0])));
            assert_str_has(cv_buf_str(&w->out), "\"replayed\":true");
            assert_int_equal(cv_world_position(w, moments[k]).rev, rev + 1);
        }
        cv_rounds_verify(w, moments[k]);
    }
}

static void who_insists_on_a_rev_is_told_the_present_one(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "d", cv_rounds_bakers, false);
    assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "d", 0, "w", "")));
    cv_str mine = CV_STR(RENAME("mine") ", 'expect_rev': 2}");
    assert_false(call_with_rival(w, "update", mine, "update", CV_STR(RENAME("theirs") "}")));
    assert_int_equal(w->errs.count, 1);
    assert_view_eq(cv_err_word(w->errs.items[0].code), CV_STR("rev_conflict"));
    assert_str_has(w->errs.items[0].message, "at rev 3, not");
    assert_view_eq(w->errs.items[0].field, CV_STR("expect_rev"));
    assert_false(cv_world_call_text(w, "update", mine)); /* and when the rival was there before */
    assert_view_eq(cv_err_word(w->errs.items[0].code), CV_STR("rev_conflict"));
    assert_str_has(w->errs.items[0].message, "at rev 3, not");
    cv_state s = cv_world_state(w, "d");
    assert_str_eq(cv_state_entity(&s, CV_STR("P0001"))->label, "theirs");
    cv_rounds_verify(w, "d");
}

/* ---- ten thousand dialogues --------------------------------------------------------------------------------- */

enum { FEW = 10, MANY = 10000 };

static void run(sqlite3 *db, char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_free(sql);
}

/* Every table with rows of scopes, its columns, and what is in them for the copy `name` of a scope: the scope comes
 * first, its number and that of a commit are new ones. The search index is left out: it is made by searching. */
static const char tables_of_scopes[] =
    "SELECT m.name, group_concat(c.name), group_concat(CASE c.name WHEN 'number' THEN 'NULL' WHEN 'name' THEN"
    " 'copies.name' WHEN 'scope' THEN 'copies.number' WHEN 'id' THEN 'copies.name' WHEN 'op_id' THEN"
    " 't.op_id || copies.name' ELSE 't.' || c.name END), sum(c.name = 'scope')"
    " FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'search%'"
    " AND m.name NOT IN ('agents', 'aliases', 'tokens', 'agent_commands') AND m.name NOT GLOB 'dialog_*'"
    " AND m.name NOT GLOB 'mail*' AND m.name NOT GLOB 'chat*' AND m.name NOT GLOB 'run*' GROUP BY m.name HAVING "
    "sum(c.name = 'scope') OR m.name = "
    "'scopes' ORDER BY m.name <> 'scopes'";

/* Copies the dialogue 'template', row by row, under `count` other ids; half of them sort before all ids used here. */
static void fill(cv_world *w, int from, int count)
{
    sqlite3 *db;
    sqlite3_stmt *tables;
    assert_int_equal(sqlite3_open(cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, &db), SQLITE_OK);
    run(db, sqlite3_mprintf("PRAGMA synchronous = OFF; BEGIN IMMEDIATE"));
    run(db, sqlite3_mprintf("CREATE TEMP VIEW copies AS WITH RECURSIVE numbers (n) AS (SELECT %d UNION ALL SELECT n + 1"
                            " FROM numbers WHERE n + 1 < %d), names (name) AS (SELECT printf('%%s-%%05d', CASE WHEN"
                            " n %% 2 THEN 'aa' ELSE 'zz' END, n) FROM numbers)"
                            " SELECT n.name, s.number FROM names n LEFT JOIN scopes s ON s.name = n.name"
                            " AND s.room = 'dialogue'",
                            from, from + count));
    assert_int_equal(sqlite3_prepare_v2(db, tables_of_scopes, -1, &tables, NULL), SQLITE_OK);
    int done = 0;
    for (; sqlite3_step(tables) == SQLITE_ROW; done++) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        run(db, sqlite3_mprintf("INSERT INTO %s (%s) SELECT %s FROM copies CROSS JOIN %s t WHERE t.%s ="
                                " (SELECT number FROM scopes WHERE name = 'template')",
                                table, sqlite3_column_text(tables, 1), sqlite3_column_text(tables, 2), table,
                                sqlite3_column_int(tables, 3) ? "scope" : "number"));
        assert_true(sqlite3_changes(db) >= count); /* every table has rows of each of them */
    }
    assert_int_equal(done, CV_REC_COUNT + 3); /* scopes, commits, imports; those of other rooms are left out */
    sqlite3_finalize(tables);
    run(db, sqlite3_mprintf("COMMIT"));
    sqlite3_close(db);
}

typedef struct {
    size_t steps, pages;
} work;

/* What SQLite has done since the last time: steps of its machine, pages looked at. */
static work taken(cv_world *w)
{
    sqlite3 *db = ((cv_sqlite_record *)w->record)->s->db;
    work done = {0};
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(db, st));)
        done.steps += (size_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    static const int counters[] = {SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS};
    for (size_t i = 0; i < 2; i++) {
        int now, high;
        sqlite3_db_status(db, counters[i], &now, &high, 1);
        done.pages += (size_t)now;
    }
    return done;
}

/* In this order: the first one makes the dialogue that the others are about. */
static const struct {
    const char *verb, *request;
} chores[] = {
    {"create", "{'title': '%s', 'question': 'Which?', 'seed': 1, 'panel_size': 3, 'expert_pool': {'domain': 'Baking', "
               "'experts': [{'role': 'Baker', 'tier': 'Core', 'relevance': 0.9}, {'role': 'Miller', 'tier': 'Core', "
               "'relevance': 0.9}, {'role': 'Eater', 'tier': 'Core', 'relevance': 0.9}]}}"},
    {"round-register", NULL}, /* a whole one */
    {"expert-create", "{'dialogue_id': '%s', 'role': 'Geologist', 'tier': 'Adjacent', 'reason': 'T0001'}"},
    {"evolve-panel", "{'dialogue_id': '%s', 'round': 1, 'panel': [{'slug': 'muffin', 'source': 'retained'}]}"},
    {"update", "{'dialogue_id': '%s', 'updates': [{'id': 'P0001', 'label': 'Better'}]}"},
    {"verdict-register", "{'dialogue_id': '%s', 'verdict_id': 'V01', 'verdict_type': 'interim', 'recommendation': "
                         "'Wait', 'description': 'A week.'}"},
    {"get", "{'dialogue_id': '%s'}"},
    {"export", "{'dialogue_id': '%s', 'output_path': '-'}"},
    {"list", "{'limit': 10}"},
    {"list", "{'status': 'open', 'limit': 10}"},
    {"list", "{'status': 'open', 'limit': 3, 'after': 'm'}"},
    {"abandon", "{'dialogue_id': '%s', 'reason': 'nobody asks any more'}"},
};
enum { CHORES = sizeof chores / sizeof chores[0] };

static void do_chores(cv_world *w, const char *id, work *ret_costs)
{
    taken(w);
    for (size_t i = 0; i < CHORES; i++) {
        char text[1000];
        int n = snprintf(text, sizeof text, chores[i].request ? chores[i].request : "%s", id);
        cv_str request = chores[i].request ? (cv_str){text, (size_t)n} : cv_rounds_request(&w->a, id, 0, "w", "");
        if (!cv_world_call_text(w, chores[i].verb, request)) {
            cv_str why = cv_err_text(&w->errs.items[0]);
            fail_msg("%s: %.*s", chores[i].verb, CV_FMT(why));
        }
        ret_costs[i] = taken(w);
    }
}

#define ITEM(letter) "{'local_id': 'MUFFIN-" letter "0001', 'label': 'L', 'content': 'C', 'contributors': ['muffin']}"

/* A dialogue with rows of every type. */
static void set_up_template(cv_world *w)
{
    sqlite3 *db;
    cv_world_dialogue(w, "template", cv_rounds_bakers, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'template', 'round': 0, 'score': 1, 'expert_scores': {'muffin': 1}, 'responses': "
                "{'muffin': 'Yes.'}, 'perspectives': [" ITEM("P") "], 'tensions': [" ITEM(
                    "T") "], 'recommendations': "
                         "[" ITEM("R") "], 'evidence': [" ITEM("E") "], 'claims': [" ITEM(
                             "C") "], 'references': [{'source': "
                                  "'MUFFIN-P0001', 'type': 'depend', 'target': 'MUFFIN-E0001'}], 'moves': [{'expert': "
                                  "'muffin', 'type': 'request', 'context': 'more'}]}");
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'template', 'verdict_id': 'V01', 'verdict_type': 'interim', 'recommendation': 'Wait', "
                "'description': 'A week.'}");
    assert_int_equal(sqlite3_open(cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, &db), SQLITE_OK);
    run(db, sqlite3_mprintf("INSERT INTO imports (scope, digest) SELECT number, 'd' FROM scopes"));
    sqlite3_close(db);
}

/* Steps are the same except for chance; pages grow with the depth of the trees: those of ten dialogues
 * have one page, those of ten thousand three levels. */
static void costs_do_not_depend_on_other_dialogues(void **state)
{
    cv_world *w = *state;
    work few[CHORES], many[CHORES], warm[CHORES];
    set_up_template(w);
    do_chores(w, "m-warm", warm);
    fill(w, 0, FEW);
    do_chores(w, "m-few", few);
    fill(w, FEW, MANY - FEW);
    do_chores(w, "m-warm-again", warm);
    do_chores(w, "m-many", many);
    for (size_t i = 0; i < CHORES; i++) {
        double steps = (double)many[i].steps / (double)few[i].steps;
        double pages = (double)many[i].pages / (double)few[i].pages;
        print_message("# %-16s steps %7zu -> %7zu (%.2f)   pages %6zu -> %6zu (%.2f)\n", chores[i].verb, few[i].steps,
                      many[i].steps, steps, few[i].pages, many[i].pages, pages);
        assert_true(few[i].steps > 0 && steps <= 1.1);
        assert_true(many[i].pages <= 3 * few[i].pages + 20);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cv_world_set_up, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sixteen_processes_in_sixteen_dialogues),       TEST(sixteen_processes_in_one_dialogue),
        TEST(who_comes_second_sees_what_the_first_did),     TEST(the_same_request_at_any_moment_is_done_once),
        TEST(who_insists_on_a_rev_is_told_the_present_one), TEST(costs_do_not_depend_on_other_dialogues),
    };
    return cmocka_run_group_tests_name("rivals", tests, NULL, NULL);
}
