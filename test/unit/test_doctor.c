/* test_doctor.c - findings that need a hand inside the database, or a call as other doors make it. The rest is in
 * test/e2e/doctor.sh. */
#include "world.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "dialogue/operations.h"
#include "kit/room.h"
#include "project/doctor.h"
#include "record/sql.h"

typedef struct {
    cv_arena a;
    const char *folder, *database;
    cv_buf out;
    cv_errs errs;
    bool unwell;
} patient;

static bool call_op(patient *p, const char *room, const char *verb, cv_record *record, bool confined,
                    const char *request)
{
    cv_json *input = CV_NEW(&p->a, cv_json);
    cv_err err = {.arena = &p->a};
    cv_buf_clear(&p->out);
    p->errs = (cv_errs){0};
    cv_call call = {.arena = &p->a,
                    .record = record,
                    .clock = cv_clock_system(),
                    .root = p->folder,
                    .confined = confined,
                    .for_people = true,
                    .input = input,
                    .input_text = cv_world_request(&p->a, cv_str_of(request)),
                    .out = &p->out,
                    .errs = &p->errs};
    assert_ok(cv_json_parse(&p->a, call.input_text, input, &err), &err);
    bool done = cv_op_call(cv_op_find(cv_str_of(room), cv_str_of(verb)), &call);
    p->unwell = call.unwell;
    return done;
}

static int set_up(void **state)
{
    static patient p;
    p = (patient){0};
    p.folder = cv_test_folder(&p.a);
    p.database = cv_arena_printf(&p.a, "%s/.conclave/conclave.db", p.folder).p;
    setenv("CV_CHECK_REPLIES", "1", 1);
    *state = &p;
    return !call_op(&p, "", "init", NULL, false, cv_arena_printf(&p.a, "{'dir': '%s'}", p.folder).p);
}

static int tear_down(void **state)
{
    patient *p = *state;
    cv_test_remove(p->folder);
    cv_buf_release(&p->out);
    cv_arena_release(&p->a);
    return 0;
}

/* The doctor's answer. */
static cv_json examine(patient *p, const char *request)
{
    cv_json reply;
    cv_err err = {.arena = &p->a};
    assert_true(call_op(p, "", "doctor", NULL, false, request));
    assert_ok(cv_json_parse(&p->a, cv_arena_copy(&p->a, cv_buf_str(&p->out)), &reply, &err), &err);
    return reply;
}

/* The first finding of this check that is not ok. */
static const cv_json *finding(const cv_json *reply, const char *check)
{
    const cv_json *all = cv_json_get(reply, CV_STR("findings"));
    for (uint32_t i = 0; i < all->count; i++)
        if (cv_str_eq(cv_json_get_text(&all->items[i], "check"), cv_str_of(check)) &&
            !cv_str_eq(cv_json_get_text(&all->items[i], "level"), CV_STR("ok")))
            return &all->items[i];
    print_error("no finding about %s\n", check);
    fail();
    return NULL;
}

static void run_sql(patient *p, const char *sql)
{
    sqlite3 *raw;
    char *message = NULL;
    assert_int_equal(sqlite3_open(p->database, &raw), SQLITE_OK);
    if (sqlite3_exec(raw, sql, NULL, NULL, &message) != SQLITE_OK) {
        print_error("%s\n", message);
        fail();
    }
    sqlite3_close(raw);
}

static void a_newer_record_is_told_with_the_way_out(void **state)
{
    patient *p = *state;
    run_sql(p, "INSERT INTO schema_migrations (version, name, checksum, program) VALUES (99, 'n', 'c', '9.8.7')");
    cv_json reply = examine(p, "{}");
    const cv_json *f = finding(&reply, "engine");
    assert_str_eq(cv_json_get_text(f, "level"), "error");
    assert_str_has(cv_json_get_text(f, "message"), "made by a newer conclave");
    assert_str_has(cv_json_get_text(f, "do"), "9.8.7 or later");
    assert_true(p->unwell);
}

static void rows_without_counterpart_are_damage(void **state)
{
    patient *p = *state;
    run_sql(p, "PRAGMA foreign_keys = OFF; INSERT INTO rounds (scope, round, rev, score, status, created_at) "
               "VALUES (99, 0, 1, 5, 'open', 'c')");
    cv_json reply = examine(p, "{}");
    const cv_json *f = finding(&reply, "integrity");
    assert_str_has(cv_json_get_text(f, "message"), "no counterpart");
    assert_str_has(cv_json_get_text(f, "do"), "conclave restore FILE");
    assert_true(p->unwell);
}

static void add_dialogue(patient *p)
{
    cv_record *record;
    cv_err err = {.arena = &p->a};
    assert_ok(
        cv_record_open(&p->a, p->database, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record, &err),
        &err);
    assert_true(call_op(p, "dialogue", "create", record, false, "{'title': 'Bread'}"));
    cv_record_close(record);
}

/* Told, and mended when that is wanted; what only lags is mended by looking. */
static void a_damaged_index_is_made_anew(void **state)
{
    patient *p = *state;
    static const struct {
        const char *sql, *told;
    } damages[] = {
        {"DELETE FROM readers", NULL},
        {"UPDATE readers SET position = '1-0123456789abcdef'", NULL},
        {"UPDATE search_texts SET title = 'another'", "search_texts has another text of dialogue 'bread'"},
        {"DELETE FROM search_index_docsize", "the search index does not agree with the record: "},
    };
    add_dialogue(p);
    for (size_t i = 0; i < CV_COUNT(damages); i++) {
        cv_json reply = examine(p, "{}"); /* which searches */
        run_sql(p, damages[i].sql);
        reply = examine(p, "{}");
        if (damages[i].told) {
            assert_str_has(cv_json_get_text(finding(&reply, "search"), "message"), damages[i].told);
            assert_str_has(cv_json_get_text(finding(&reply, "search"), "do"), "conclave doctor --repair");
        } else {
            assert_str_has(cv_json_get_text(&reply, "report"), "✓ search     the index is up to date");
        }
        reply = examine(p, "{'repair': true}");
        assert_str_has(cv_json_get_text(&reply, "report"), "✓ search     the index was rebuilt");
        reply = examine(p, "{}");
        assert_str_has(cv_json_get_text(&reply, "report"), "✓ search     the index is up to date");
        assert_false(p->unwell);
    }
}

/* Held by another process in such a way that nobody can read: only then the doctor has to wait and give up. */
static void a_locked_record_is_told(void **state)
{
    patient *p = *state;
    sqlite3 *raw;
    if (!cv_test_soak())
        cv_test_skip("only in the soak"); /* it waits for ten seconds */
    assert_int_equal(sqlite3_open(p->database, &raw), SQLITE_OK);
    assert_int_equal(sqlite3_exec(raw, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", NULL, NULL, NULL),
                     SQLITE_OK);
    cv_json reply = examine(p, "{}");
    assert_str_has(cv_json_get_text(finding(&reply, "engine"), "do"), "fuser");
    sqlite3_close(raw);
}

static void an_open_record_is_used_and_stays_open(void **state)
{
    patient *p = *state;
    cv_record *record;
    cv_err err = {.arena = &p->a};
    cv_position position;
    bool found;
    assert_ok(
        cv_record_open(&p->a, p->database, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record, &err),
        &err);
    assert_true(call_op(p, "", "doctor", record, true, "{'repair': true}"));
    assert_str_has(cv_buf_str(&p->out), "\"healthy\":true");
    assert_ok(cv_position_of(record, &p->a, CV_STR("x"), &position, &found, &err), &err);
    cv_record_close(record);
}

static void little_room_is_a_warning(void **state)
{
    patient *p = *state;
    cv_doctor d = {.call = {.arena = &p->a}};
    cv_doctor_room(&d, (uint64_t)50 << 20, 1000);
    cv_doctor_room(&d, (uint64_t)200 << 20, 1000);
    cv_doctor_room(&d, (uint64_t)200 << 20, (uint64_t)3 << 30);
    assert_int_equal(d.findings.items[0].level, CV_DOCTOR_WARNING);
    assert_str_eq(d.findings.items[0].message, "52 MB free");
    assert_int_equal(d.findings.items[1].level, CV_DOCTOR_OK);
    assert_int_equal(d.findings.items[2].level, CV_DOCTOR_WARNING);
    assert_str_has(d.findings.items[2].remedy, "3.2 GB");
}

/* ---- what it is made of ----------------------------------------------------------------------------------------- */

static void folders_are_listed_in_order(void **state)
{
    patient *p = *state;
    cv_folder_entries entries;
    cv_err err = {.arena = &p->a};
    assert_ok(cv_folder_list(&p->a, (cv_where){p->folder, ".conclave"}, &entries, &err), &err);
    assert_int_equal(entries.count, 8);
    assert_string_equal(entries.items[0].name, ".gitignore");
    assert_string_equal(entries.items[1].name, "chat");
    assert_string_equal(entries.items[2].name, "conclave.db");
    assert_string_equal(entries.items[3].name, "conclave.db-turn");
    assert_string_equal(entries.items[4].name, "conclave.db-watermark");
    assert_string_equal(entries.items[5].name, "dialogues");
    assert_string_equal(entries.items[6].name, "mail");
    assert_string_equal(entries.items[7].name, "runs");
    assert_false(entries.items[2].is_folder);
    assert_true(entries.items[5].is_folder);
    assert_false(cv_folder_list(&p->a, cv_where_named("/nowhere/at/all"), &entries, &err));
    assert_int_equal(err.code, CV_ERR_NOT_FOUND);
}

static void leftovers_are_known_by_their_process(void **state)
{
    char own[64];
    (void)state;
    snprintf(own, sizeof own, ".conclave-%ld-0.tmp", (long)getpid());
    assert_true(cv_file_is_leftover(".conclave-99999999-3.tmp"));
    assert_false(cv_file_is_leftover(own));
    assert_false(cv_file_is_leftover(".conclave-0-0.tmp"));
    assert_false(cv_file_is_leftover(".conclave-x-0.tmp"));
    assert_false(cv_file_is_leftover(".conclave-99999999-3"));
    assert_false(cv_file_is_leftover("notes.tmp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_newer_record_is_told_with_the_way_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_without_counterpart_are_damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_index_is_made_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_locked_record_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_open_record_is_used_and_stays_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(little_room_is_a_warning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_are_listed_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leftovers_are_known_by_their_process, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
