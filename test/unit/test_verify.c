/* test_verify.c - no field of the record can be changed without verify naming the place; and backups.
 *
 * The tampering goes past everything that protects the tables: triggers are dropped, constraints ignored, the engine's
 * own check silenced. What remains is the history.
 */
#include "sample.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/file.h"
#include "kit/room.h"
#include "project/operations.h"
#include "record/sql.h"

/* The sample's database as bytes, and a place for copies of it. */
typedef struct {
    cv_arena arena, scratch;
    const char *folder, *copy;
    cv_str bytes;
    cv_buf out;
    cv_errs errs;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){0};
    cv_sample s;
    cv_sample_make(&s);
    cv_record_close(s.record);
    f.folder = cv_test_folder(&f.arena);
    f.copy = cv_arena_printf(&f.arena, "%s/copy.db", f.folder).p;
    f.bytes = cv_test_read(&f.arena, s.path);
    s.record = NULL;
    cv_sample_close(&s);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_test_remove(f->folder);
    cv_buf_release(&f->out);
    cv_arena_release(&f->scratch);
    cv_arena_release(&f->arena);
    return 0;
}

/* ---- tampering ------------------------------------------------------------------------------- */

static sqlite3 *open_raw(fixture *f)
{
    sqlite3 *db;
    FILE *file = fopen(f->copy, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(f->bytes.p, 1, f->bytes.n, file), f->bytes.n);
    fclose(file);
    unlink(cv_arena_printf(&f->scratch, "%s-wal", f->copy).p);
    unlink(cv_arena_printf(&f->scratch, "%s-shm", f->copy).p);
    assert_int_equal(sqlite3_open(f->copy, &db), SQLITE_OK);
    return db;
}

static int keep_name(void *ctx, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    cv_buf *list = ctx;
    cv_buf_printf(list, "%s;", values[0]);
    return 0;
}

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        print_error("%s: %s\n", sql, message);
    assert_null(message);
}

/* The first value of the answer. */
static cv_str text_of(fixture *f, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    cv_str text = cv_arena_copy(&f->scratch, cv_str_of((const char *)sqlite3_column_text(st, 0)));
    sqlite3_finalize(st);
    return text;
}

static void unprotect(sqlite3 *db)
{
    cv_buf drops = {0};
    sqlite3_exec(db, "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'", keep_name, &drops,
                 NULL);
    cv_buf_add_char(&drops, '\0');
    run(db, drops.p);
    cv_buf_release(&drops);
    run(db, "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF");
}

static bool all_is_well(cv_record *record, cv_arena *a, cv_err *err)
{
    (void)record, (void)a, (void)err;
    return true;
}

/* Verifies the copy; the message of the fault, or an empty view. */
static cv_str verify(fixture *f, bool with_check)
{
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_err err = {.arena = &f->scratch};
    cv_record *record;
    f->errs = (cv_errs){0};
    cv_buf_clear(&f->out);
    assert_ok(cv_record_open(&f->scratch, f->copy, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema,
                             &record, &err),
              &err);
    cv_record_calls calls = *record->calls;
    if (!with_check)
        calls.check = all_is_well;
    const cv_record_calls *real = record->calls;
    record->calls = &calls;
    cv_call call = {
        .arena = &f->scratch, .record = record, .root = f->folder, .input = &input, .out = &f->out, .errs = &f->errs};
    bool ok = cv_record_verify(&call);
    record->calls = real;
    cv_record_close(record);
    assert_int_equal(f->errs.count, ok ? 0 : 1);
    return ok ? (cv_str){NULL, 0} : f->errs.items[0].message;
}

/* Runs the SQL on a copy; verify must name `place`, or the `other` one. */
static void expect_either(fixture *f, const char *sql, const char *place, const char *other)
{
    sqlite3 *db = open_raw(f);
    unprotect(db);
    run(db, sql);
    sqlite3_close(db);
    cv_str message = verify(f, false);
    if (!message.p)
        print_error("not noticed: %s\n", sql);
    assert_non_null(message.p);
    if (cv_str_find(message, cv_str_of(other)) == SIZE_MAX) {
        if (cv_str_find(message, cv_str_of(place)) == SIZE_MAX)
            print_error("after: %s\n", sql);
        assert_str_has(message, place);
    }
    assert_int_equal(f->errs.items[0].code, CV_ERR_VERIFY);
    assert_true(f->errs.items[0].value.n > 0);
}

static void expect(fixture *f, const char *sql, const char *place)
{
    expect_either(f, sql, place, place);
}

static void the_sample_is_sound(void **state)
{
    fixture *f = *state;
    sqlite3_close(open_raw(f));
    assert_null(verify(f, true).p);
    assert_str_has(cv_buf_str(&f->out), "{\"status\":\"success\",\"scopes\":[{\"room\":\"dialogue\",\"name\":"
                                        "\"nvidia-decision\",\"rev\":9,\"events\":31,\"head\":\"");
}

/* ---- every column of every table -------------------------------------------------------------- */

static int keep_column(void *ctx, int columns, char **values, char **names)
{
    cv_buf *list = ctx;
    (void)columns, (void)names;
    cv_buf_printf(list, "%s %s\n", values[1], values[2]);
    return 0;
}

/* Which rows, and where the fault is found: the row itself, the write that added it, the event, or the end of the
 * chain.
 */
typedef struct {
    const char *table, *place, *other;
    const char *where; /* NULL: all rows */
} tampering;

/* Another value of the type that the column wants, in the first and in the last of these rows. */
static void tamper_column(fixture *f, const tampering *t, cv_str column, cv_str type)
{
    static const char *const which[] = {"min", "max"};
    bool text = cv_str_eq(type, CV_STR("TEXT"));
    for (size_t i = 0; i < 2; i++) {
        cv_str sql =
            cv_arena_printf(&f->scratch,
                            "CREATE TEMP TABLE numbered AS SELECT *, row_number() OVER () AS row_number FROM %s;"
                            "DELETE FROM %s;"
                            "UPDATE numbered SET %.*s = coalesce(%.*s, %s) %s WHERE row_number = "
                            "(SELECT %s(row_number) FROM numbered WHERE %s);"
                            "ALTER TABLE numbered DROP COLUMN row_number;"
                            "INSERT INTO %s SELECT * FROM numbered",
                            t->table, t->table, CV_FMT(column), CV_FMT(column), text ? "''" : "0",
                            text ? "|| 'x'" : "+ 50", which[i], t->where ? t->where : "true", t->table);
        expect_either(f, sql.p, t->place, t->other);
        cv_arena_reset(&f->scratch);
    }
}

static void every_changed_field_is_noticed(void **state)
{
    fixture *f = *state;
    static const tampering tables[] = {
        {"dialogues", ": dialogue/", ": dialogue/", NULL},
        {"experts", ": expert/", ": expert/", NULL},
        {"panels", ": seat@", ": seat/", NULL},
        {"rounds", ": round/", ": round/", NULL},
        {"scores", ": score/", ": score/", NULL},
        {"responses", ": response/", ": response/", NULL},
        {"entities", ": entity/P/", ": entity/Px/", "kind = 'P'"},
        {"entities", ": entity/R/", ": entity/Rx/", "kind = 'R'"},
        {"entities", ": entity/T/", ": entity/Tx/", "kind = 'T'"},
        {"entities", ": entity/E/", ": entity/Ex/", "kind = 'E'"},
        {"entities", ": entity/C/", ": entity/Cx/", "kind = 'C'"},
        {"origins", ": origin@", ": origin/", NULL},
        {"refs", ": reference@", ": reference/", NULL},
        {"moves", ": move@", ": move/", NULL},
        {"verdicts", ": verdict/", ": verdict/", NULL},
        {"events", ": event/", ": position: ", NULL},
        {"commits", ": commit", " commits in all of them", NULL},
    };
    size_t cases = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        cv_buf columns = {0};
        sqlite3 *db = open_raw(f);
        sqlite3_exec(db, cv_arena_printf(&f->arena, "PRAGMA table_info(%s)", tables[i].table).p, keep_column, &columns,
                     NULL);
        sqlite3_close(db);
        cv_str rest = cv_buf_str(&columns), line;
        while (cv_str_split(&rest, '\n', &line) && line.n > 0) {
            size_t space = cv_str_find_char(line, ' ');
            tamper_column(f, &tables[i], cv_str_head(line, space), cv_str_from(line, space + 1));
            cases += 2;
        }
        cv_buf_release(&columns);
    }
    assert_true(cases > 400);
}

static void a_changed_scope_is_noticed(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *sql, *place;
    } changes[] = {
        {"number = number + 50", "position: event_count: expected 31, found 0 events"},
        {"room = room || 'x'", "scopes: expected 9 commits in all of them, found 0"},
        {"name = name || 'x'", "dialogue 'nvidia-decisionx': event/1: hash of the event and the one before it: "},
        {"rev = rev + 50", "position: rev: expected the last event's 9, found 59"},
        {"head = head || 'x'", "position: head: expected the last event's hash "},
        {"event_count = event_count + 50", "position: event_count: expected 81, found 31 events"},
    };
    for (size_t i = 0; i < CV_COUNT(changes); i++)
        expect(f, cv_arena_printf(&f->arena, "UPDATE scopes SET %s", changes[i].sql).p, changes[i].place);
}

/* ---- rows and events that come and go --------------------------------------------------------- */

static void removed_and_added_rows_are_noticed(void **state)
{
    fixture *f = *state;
    expect(f, "DELETE FROM entities WHERE kind = 'P' AND round = 0 AND seq = 2",
           "entity/P/0/2: event 8 covers it: expected a row, found none");
    expect(f, "DELETE FROM entities WHERE kind = 'C'", "entity/C/0/1");
    expect(f, "DELETE FROM scores WHERE expert_slug = 'palmier'", "score/1/palmier");
    expect(f, "DELETE FROM panels WHERE round = 1 AND expert_slug = 'donut'",
           "seat@5: 2 rows; one of them was changed, added or removed after event 15: expected digest ");
    expect(f, "DELETE FROM refs WHERE source_id = '@cupcake'",
           "reference@4: 6 rows; one of them was changed, added or removed after event 14");
    expect(f, "DELETE FROM moves", "move@6: 0 rows; one of them was changed, added or removed after event 24");
    expect(f, "DELETE FROM responses WHERE round = 2", "response/2/muffin: event 25 covers it: expected a row");
    expect(f, "INSERT INTO panels SELECT scope, 9, expert_slug, rev, position, source, focus FROM panels LIMIT 1",
           "seat@1: 4 rows; one of them was changed, added or removed after event 4");
    expect(f,
           "INSERT INTO entities SELECT scope, kind, round, 2, rev, label, contributors, status, adopted_in_verdict, "
           "created_at, parameters, content, correction FROM entities WHERE kind = 'C'",
           "entity/C/0/2: expected an event that covers the row, found none");
}

static void cut_and_swapped_events_are_noticed(void **state)
{
    fixture *f = *state;
    const char *last = "seq = (SELECT max(seq) FROM events)";
    const char *cut = cv_arena_printf(&f->arena, "DELETE FROM events WHERE %s;", last).p;
    const char *mend = cv_arena_printf(&f->arena,
                                       "%sUPDATE scopes SET event_count = event_count - 1, "
                                       "head = (SELECT hash FROM events WHERE %s);",
                                       cut, last)
                           .p;
    const char *deny = cv_arena_printf(&f->arena, "%sUPDATE scopes SET rev = rev - 1", mend).p;
    expect(f, cut, "position: event_count: expected 31, found 30 events");
    expect(f, mend, "position: rev: expected the last event's 8, found 9");
    expect(f, deny, "verdict/minority-timing: expected an event that covers the row, found none");
    expect(f, cv_arena_printf(&f->arena, "%s; DELETE FROM verdicts WHERE verdict_id = 'minority-timing'", deny).p,
           "commit/9: expected no commit after rev 8, the last event's, found one");
    expect(f, "DELETE FROM events WHERE seq = 7", "event/8: seq: expected 7, found 8");
    expect(f, "DELETE FROM events WHERE seq = 1", "event/2: seq: expected 1, found 2");
    expect(f,
           "UPDATE events SET seq = 1000 WHERE seq = 10;"
           "UPDATE events SET seq = 10 WHERE seq = 11;"
           "UPDATE events SET seq = 11 WHERE seq = 1000",
           "event/10: hash of the event and the one before it: expected ");
    expect(f, "UPDATE commits SET result = '{}' WHERE rev = 4",
           "commit/4: the row was changed after event 14: expected ");
    expect(f, "DELETE FROM events", "position: event_count: expected 31, found 0 events");
    expect(
        f,
        "UPDATE entities SET content = (SELECT content FROM entities WHERE kind = 'C') WHERE kind = 'P' AND round = 1",
        "dialogue 'nvidia-decision': entity/P/1/1: the row was changed after event 16: expected digest ");
    expect(f, "UPDATE commits SET result = '{}' WHERE rev = 4",
           "dialogue 'nvidia-decision': commit/4: the row was changed after event 14: expected digest ");
    expect(f, "DELETE FROM commits WHERE rev = 4", "commit/5: expected the commit of rev 4, found that of rev 5");
    expect(f, "DELETE FROM commits WHERE rev = 9", "commits: expected one for each of 9 writes, found 8");
}

/* The engine sees what was only broken, too. */
static void the_engine_is_asked_as_well(void **state)
{
    fixture *f = *state;
    sqlite3 *db = open_raw(f);
    cv_str trigger = text_of(f, db, "SELECT sql FROM sqlite_schema WHERE name = 'experts_same_key'");
    run(db, "DROP TRIGGER experts_same_key; PRAGMA foreign_keys = OFF;"
            "UPDATE experts SET scope = 99 WHERE expert_slug = 'palmier'");
    run(db, trigger.p);
    sqlite3_close(db);
    cv_str message = verify(f, true);
    assert_int_equal(f->errs.items[0].code, CV_ERR_CORRUPT);
    assert_str_has(message, "experts");
}

/* ---- facts: what was written soundly but makes no sense ---------------------------------------- */

static cv_str verify_sample(cv_sample *s, const char *input, bool expected)
{
    cv_sample_input(s, input);
    bool ok = cv_record_verify(&s->call);
    if (!ok && expected)
        print_error("%.*s\n", CV_FMT(s->errs.items[0].message));
    assert_int_equal(ok, expected);
    return ok ? cv_buf_str(&s->out) : s->errs.items[0].message;
}

static void wrong_total(cv_sample *s)
{
    cv_rec_dialogue row = s->state.dialogue;
    row.total_rounds = 7;
    cv_sample_put(s, cv_sample_event(s, "D", "updated", 1, "judge"), CV_REC_DIALOGUE, &row);
}

static void wrong_alignment(cv_sample *s)
{
    cv_rec_dialogue row = s->state.dialogue;
    row.total_alignment--;
    cv_sample_put(s, cv_sample_event(s, "D", "updated", 1, "judge"), CV_REC_DIALOGUE, &row);
}

static void wrong_score(cv_sample *s)
{
    cv_rec_expert row = *cv_state_expert(&s->state, CV_STR("donut"));
    row.total_score = 99;
    cv_sample_put(s, cv_sample_event(s, "Xdonut", "updated", 1, "judge"), CV_REC_EXPERT, &row);
}

static void wrong_status(cv_sample *s)
{
    cv_rec_entity row = *cv_state_entity(&s->state, CV_STR("P0002"));
    row.status = CV_STR("merged");
    cv_sample_put(s, cv_sample_event(s, "P0002", "commented", 1, "judge"), CV_REC_ENTITY, &row);
}

static void gap_in_numbers(cv_sample *s)
{
    cv_sample_entity(s, "P0104", "Late", "Too late.", "muffin", "");
}

static void missing_target(cv_sample *s)
{
    cv_sample_reference(s, 9, "P0101", "support", "E0909", 1);
    cv_sample_event(s, "P0101", "commented", 1, "muffin");
}

static void missing_move_target(cv_sample *s)
{
    cv_sample_move(s, 9, 1, "muffin", "defend", "P0101 @nobody", NULL);
    cv_sample_event(s, "P0101", "commented", 1, "muffin");
}

static void what_makes_no_sense_is_noticed(void **state)
{
    (void)state;
    static const struct {
        void (*write)(cv_sample *s);
        const char *message;
    } cases[] = {
        {wrong_total, "dialogue: total_rounds: expected 2 rounds, found 7"},
        {wrong_alignment, "dialogue: total_alignment: expected 67 as the rounds add up, found 66"},
        {wrong_score, "expert/donut: total_score: expected 15 as the scores add up, found 99"},
        {wrong_status, "P0002: status: expected 'open' as its events say, found 'merged'"},
        {gap_in_numbers, "entity/P/1/4: expected numbers without gaps, found 4 after 1"},
        {missing_target, "reference/P0101/support/E0909: expected ids that exist, found 'E0909'"},
        {missing_move_target, "move/1/muffin/10: targets: expected ids that exist, found '@nobody'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_sample s;
        cv_sample_make(&s);
        verify_sample(&s, "{\"room\":\"dialogue\",\"scope\":\"nvidia-decision\"}", true);
        cv_sample_begin(&s);
        cases[i].write(&s);
        cv_sample_commit(&s);
        assert_str_has(verify_sample(&s, "{}", false), cases[i].message);
        cv_sample_close(&s);
    }
}

static void several_dialogues_are_verified(void **state)
{
    (void)state;
    cv_sample s;
    cv_sample_make(&s);
    s.id = CV_STR("another");
    s.writes = 0;
    cv_sample_create(&s);
    cv_str answer = verify_sample(&s, "{}", true);
    assert_str_has(answer, "[{\"room\":\"dialogue\",\"name\":\"another\",\"rev\":1,");
    assert_str_has(answer, "},{\"room\":\"dialogue\",\"name\":\"nvidia-decision\",\"rev\":9,");
    cv_str one = verify_sample(&s, "{\"room\":\"dialogue\",\"scope\":\"another\"}", true);
    assert_str_has(one, "[{\"room\":\"dialogue\",\"name\":\"another\",\"rev\":1,");
    assert_true(cv_str_find(one, CV_STR("nvidia-decision")) == SIZE_MAX);
    assert_str_has(verify_sample(&s, "{\"room\":\"dialogue\"}", true), "nvidia-decision");
    cv_sample_close(&s);
}

/* What is not there is refused with what would be right. */
static void scopes_are_named_with_their_room(void **state)
{
    static const struct {
        const char *input, *field, *message, *suggestion;
        cv_err_code code;
    } cases[] = {
        {"{\"room\":\"dialogue\",\"scope\":\"nvidia-decisoin\"}", "scope", "there is no dialogue 'nvidia-decisoin'",
         "did you mean 'nvidia-decision'?", CV_ERR_SCOPE_NOT_FOUND},
        {"{\"room\":\"dialogue\",\"scope\":\"x\"}", "scope", "there is no dialogue 'x'", "", CV_ERR_SCOPE_NOT_FOUND},
        {"{\"room\":\"dialog\"}", "room", "there is no room 'dialog'", "did you mean 'dialogue'?",
         CV_ERR_INVALID_VALUE},
        {"{\"scope\":\"nvidia-decision\"}", "room", "a scope belongs to a room: name it, too", "",
         CV_ERR_MISSING_FIELD},
    };
    cv_sample s;
    (void)state;
    cv_sample_make(&s);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        verify_sample(&s, cases[i].input, false);
        const cv_err *err = &s.errs.items[0];
        assert_ptr_equal(err->code, cases[i].code);
        assert_str_eq(err->field, cases[i].field);
        assert_str_has(err->message, cases[i].message);
        assert_str_eq(err->suggestion, cases[i].suggestion);
        if (cv_str_eq(err->field, CV_STR("room"))) {
            assert_int_equal(err->option_count, 6);
            assert_str_eq(err->options[0], "dialogue");
            assert_str_eq(err->options[1], "mail");
            assert_str_eq(err->options[2], "chat");
            assert_str_eq(err->options[3], "notes");
            assert_str_eq(err->options[4], "project");
        }
    }
    cv_sample_close(&s);
}

typedef struct {
    size_t heard, patience;
    cv_str whats[2];
} follower;

static bool follow(void *ctx, size_t done, size_t total, cv_str what)
{
    follower *f = ctx;
    assert_int_equal(done, f->heard);
    assert_int_equal(total, 2);
    f->whats[f->heard++] = what;
    return f->heard <= f->patience;
}

/* Who follows hears of each dialogue before its turn; who leaves ends it. */
static void it_can_be_followed_and_left(void **state)
{
    (void)state;
    cv_sample s;
    follower patient = {.patience = 2}, hasty = {.patience = 1};
    cv_sample_make(&s);
    s.id = CV_STR("another");
    s.writes = 0;
    cv_sample_create(&s);
    s.call.follower = (cv_follower){.tell = follow, .ctx = &patient};
    verify_sample(&s, "{}", true);
    assert_int_equal(patient.heard, 2);
    assert_str_eq(patient.whats[0], "another");
    assert_str_eq(patient.whats[1], "nvidia-decision");
    s.call.follower.ctx = &hasty;
    verify_sample(&s, "{}", false);
    assert_int_equal(s.errs.items[0].code, CV_ERR_CANCELLED);
    assert_str_eq(s.errs.items[0].message, "cancelled: 1 of 2 were done");
    cv_sample_close(&s);
}

/* ---- backup ---------------------------------------------------------------------------------- */

static bool back_up(cv_sample *s, const char *path, bool force)
{
    cv_sample_input(s, cv_arena_printf(&s->arena, "{\"path\":\"%s\",\"force\":%s}", path, force ? "true" : "false").p);
    return cv_record_backup(&s->call);
}

static void backups_are_whole_and_verify(void **state)
{
    (void)state;
    cv_sample s, copy;
    cv_sample_make(&s);
    const char *path = cv_arena_printf(&s.arena, "%s/backup.db", s.folder).p;
    assert_true(back_up(&s, path, false));
    assert_str_has(cv_buf_str(&s.out), "{\"status\":\"success\",\"path\":\"");
    cv_sample_open(&copy);
    cv_record_close(copy.record);
    cv_err err = {.arena = &copy.arena};
    assert_ok(cv_record_open(&copy.arena, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema,
                             &copy.record, &err),
              &err);
    copy.call.record = copy.record;
    cv_str answer = cv_arena_copy(&s.arena, verify_sample(&s, "{}", true)), end = CV_STR(",\"watermark\":\"agrees\"}");
    assert_true(cv_str_ends(answer, end));
    answer = cv_str_head(answer, answer.n - end.n);
    /* Nothing but the watermark, which a copy does not have. */
    assert_view_eq(
        verify_sample(&copy, "{}", true),
        cv_arena_printf(&s.arena,
                        "%.*s,\"watermark\":\"missing\",\"warnings\":[{\"type\":\"no_watermark\",\"message\":"
                        "\"the record has no watermark: only a seal can prove that its end was not cut off\"}]}",
                        CV_FMT(answer)));
    cv_sample_close(&copy);
    cv_sample_close(&s);
}

static void backups_are_replaced_only_by_force(void **state)
{
    (void)state;
    cv_sample s;
    struct stat before, after;
    cv_sample_make(&s);
    const char *path = cv_arena_printf(&s.arena, "%s/backup.db", s.folder).p;
    assert_true(back_up(&s, path, true)); /* nothing there yet */
    assert_int_equal(stat(path, &before), 0);
    assert_false(back_up(&s, path, false));
    assert_str_eq(s.errs.items[0].field, "path");
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_true(back_up(&s, path, true));
    assert_int_equal(stat(path, &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
    assert_false(back_up(&s, s.folder, true));
    assert_false(back_up(&s, cv_arena_printf(&s.arena, "%s/no/backup.db", s.folder).p, true));
    s.call.confined = true; /* then the copy begins in the record's folder */
    assert_int_equal(mkdir(cv_arena_printf(&s.arena, "%s/.conclave", s.folder).p, 0700), 0);
    assert_false(back_up(&s, "/tmp/conclave-test-outside.db", true));
    assert_true(back_up(&s, "inside.db", false));
    cv_sample_close(&s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0); /* hundreds of copies: the disk is not what is tested here */
    const struct CMUnitTest tests[] = {
        TEST(the_sample_is_sound),
        TEST(every_changed_field_is_noticed),
        TEST(a_changed_scope_is_noticed),
        TEST(removed_and_added_rows_are_noticed),
        TEST(cut_and_swapped_events_are_noticed),
        TEST(the_engine_is_asked_as_well),
        cmocka_unit_test(what_makes_no_sense_is_noticed),
        cmocka_unit_test(several_dialogues_are_verified),
        cmocka_unit_test(scopes_are_named_with_their_room),
        cmocka_unit_test(it_can_be_followed_and_left),
        cmocka_unit_test(backups_are_whole_and_verify),
        cmocka_unit_test(backups_are_replaced_only_by_force),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
