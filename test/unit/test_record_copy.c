/* test_record_copy.c - one record into another: the same bytes, in pieces, again, after a failure, and never over
 * another history.
 *
 * Generated writes (rows that change, rows that are added, texts that are redacted) go to one record; from time to time
 * it is copied to others on every engine, which must then print the same scopes, verify, and be left alone by a second
 * copy.
 */
#include "board.h"

#include <pthread.h>
#include <time.h>

#include "record/copy.h"
#include "testing_postgres.h"

enum { SCOPES = 4, MOST_TARGETS = 3 };

typedef struct {
    cv_arena arena, turn;
    cv_err err;
    const char *folder;
    cv_record *from, *to[MOST_TARGETS];
    const char *places[MOST_TARGETS]; /* where another handle finds it; NULL: nowhere */
    size_t targets;
    cv_test_random random;
    size_t made;
} fixture;

static const cv_scope_id scopes[SCOPES] = {{CV_STR_INIT("board"), CV_STR_INIT("one")},
                                           {CV_STR_INIT("board"), CV_STR_INIT("b/%\"x'")},
                                           {CV_STR_INIT("board"), CV_STR_INIT("漢字")},
                                           {CV_STR_INIT("board"), CV_STR_INIT("four")}};

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}, .random = {cv_test_seed()}};
    f.folder = board_folder(&f.arena);
    f.from = board_memory(&f.arena, &f.err);
    f.to[f.targets++] = board_memory(&f.arena, &f.err);
    f.places[f.targets] = cv_arena_printf(&f.arena, "%s/copy.db", f.folder).p;
    f.to[f.targets] = board_open(&f.arena, f.places[f.targets], &f.err);
    f.targets++;
    *state = &f;
    return 0;
}

static int set_up_postgres(void **state)
{
    set_up(state);
    fixture *f = *state;
    f->places[f->targets] = cv_test_postgres(&f->arena);
    f->to[f->targets] = board_postgres(&f->arena, f->places[f->targets], NULL, &f->err);
    f->targets++;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->from);
    for (size_t i = 0; i < f->targets; i++)
        cv_record_close(f->to[i]);
    cv_test_remove(f->folder);
    cv_arena_release(&f->turn);
    cv_arena_release(&f->arena);
    return 0;
}

/* ---- writes -------------------------------------------------------------------------------------------------------
 */

static bool take_card(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    fixture *f = ctx;
    (void)scope, (void)err;
    const card *c = row;
    if (c->body.p && !cv_is_redacted(c->body, NULL) && !f->err.message.n)
        f->err.message = cv_arena_printf(&f->turn, "%lld", (long long)c->number);
    return true;
}

/* A card whose text can be redacted; CV_ABSENT: there is none. */
static int64_t some_card(fixture *f, cv_record *record, cv_scope_id scope)
{
    const cv_find find = {.type = &card_type, .scope = scope};
    cv_err err = {.arena = &f->turn};
    f->err.message = (cv_str){NULL, 0};
    assert_ok(record->calls->find(record, &find, take_card, f, &err), &err);
    int64_t number = f->err.message.n ? strtoll(f->err.message.p, NULL, 10) : CV_ABSENT;
    f->err.message = (cv_str){NULL, 0};
    return number;
}

static void write_to(fixture *f, cv_record *record, const char *word, cv_scope_id scope)
{
    cv_writing w;
    cv_written done;
    cv_arena *a = &f->turn;
    int64_t redacted = cv_test_below(&f->random, 4) == 0 ? some_card(f, record, scope) : CV_ABSENT;
    assert_ok(cv_writing_begin(&w, record, a, scope, CV_STR(""), NOW, &f->err), &f->err);
    cv_event_row *event = cv_writing_event(&w, CV_STR("board"), scope.name, CV_STR("changed"));
    for (size_t i = cv_test_below(&f->random, 4); i > 0; i--) {
        card c;
        cv_row_clear(&card_type, &c);
        c.number = (int64_t)cv_test_below(&f->random, 6);
        if (c.number == redacted) /* not both in one write */
            continue;
        c.title = CV_STR("title");
        c.body = cv_arena_printf(a, "%s %zu %zu", word, f->made, i);
        cv_writing_put(&w, &card_type, &c);
    }
    line l;
    cv_row_clear(&line_type, &l);
    l = (line){.thread = CV_STR("t"), .seq = (int64_t)f->made, .author = CV_STR("ann"), .text = CV_STR("said")};
    cv_writing_put(&w, &line_type, &l);
    card key = {.number = redacted};
    bool found = false;
    if (redacted != CV_ABSENT) {
        assert_ok(cv_record_get(record, a, scope, &card_type, &key, &found, &f->err), &f->err);
        cv_writing_redact(&w, event, &card_type, &key, CV_STR("body"));
    }
    const cv_request request = {cv_arena_printf(a, "%s-%zu", word, ++f->made), CV_STR("d"), CV_STR("board write")};
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
}

static void write_one(fixture *f, cv_record *record, const char *word)
{
    write_to(f, record, word, scopes[cv_test_below(&f->random, SCOPES)]);
}

/* ---- copies -------------------------------------------------------------------------------------------------------
 */

static void assert_same(fixture *f, cv_record *to)
{
    for (size_t i = 0; i < SCOPES; i++) {
        cv_scope_position at;
        assert_ok(f->from->calls->begin(f->from, &f->turn, scopes[i], &at, &f->err), &f->err);
        f->from->calls->end(f->from);
        if (at.rev == 0)
            continue;
        assert_view_eq(board_print(to, &f->turn, scopes[i], &f->err),
                       board_print(f->from, &f->turn, scopes[i], &f->err));
        assert_ok(cv_scope_verify(to, &f->turn, scopes[i], NULL, &at, &f->err), &f->err);
    }
    assert_ok(to->calls->check(to, &f->turn, &f->err), &f->err);
}

static void copies_are_the_same(void **state)
{
    fixture *f = *state;
    size_t caught_up = 0;
    for (size_t round = 0; round < (cv_test_soak() ? 200 : 8); round++) {
        for (size_t n = cv_test_below(&f->random, 12); n > 0; n--)
            write_one(f, f->from, "word");
        for (size_t i = 0; i < f->targets; i++) {
            cv_copying first = {0}, again = {0};
            assert_ok(cv_record_copy(f->from, f->to[i], &first, &f->err), &f->err);
            assert_same(f, f->to[i]);
            assert_ok(cv_record_copy(f->from, f->to[i], &again, &f->err), &f->err);
            assert_int_equal(again.added + again.caught_up, 0);
            caught_up += first.caught_up;
        }
        cv_arena_reset(&f->turn);
    }
    assert_true(caught_up > 0);
}

/* From another engine back again. */
static void copies_come_back(void **state)
{
    fixture *f = *state;
    for (size_t n = 0; n < 30; n++)
        write_one(f, f->from, "word");
    cv_record *back = board_memory(&f->arena, &f->err);
    cv_copying there = {0}, here = {0};
    assert_ok(cv_record_copy(f->from, f->to[f->targets - 1], &there, &f->err), &f->err);
    assert_ok(cv_record_copy(f->to[f->targets - 1], back, &here, &f->err), &f->err);
    assert_same(f, back);
    cv_record_close(back);
}

/* Each call fails once: what is there then is whole, and the next copy goes on. */
static void copies_go_on_after_a_failure(void **state)
{
    fixture *f = *state;
    for (size_t n = 0; n < 12; n++)
        write_one(f, f->from, "word");
    size_t failures = 0;
    for (size_t i = 0; i < f->targets; i++)
        for (size_t at = 1;; at++) {
            cv_err err = {.arena = &f->turn};
            cv_record_tracing tracing = {.fail_at = at};
            cv_copying c = {0};
            cv_record *traced = cv_record_traced(&f->turn, f->to[i], &tracing);
            if (cv_record_copy(f->from, traced, &c, &err))
                break;
            failures++;
            assert_int_equal(err.code, CV_ERR_STORE);
            if (at % 3 == 0)
                write_one(f, f->from, "word");
        }
    for (size_t i = 0; i < f->targets; i++) {
        cv_copying c = {0};
        assert_ok(cv_record_copy(f->from, f->to[i], &c, &f->err), &f->err);
        assert_same(f, f->to[i]);
    }
    assert_true(failures > 5);
}

static void another_history_is_left_alone(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < f->targets; i++) {
        cv_copying c = {0};
        cv_err err = {.arena = &f->turn};
        cv_str before[SCOPES];
        for (size_t n = 0; n < 2 * SCOPES; n++) {
            write_to(f, f->to[i], "other", scopes[n % SCOPES]);
            write_to(f, f->from, "word", scopes[n % SCOPES]);
        }
        for (size_t s = 0; s < SCOPES; s++)
            before[s] = board_print(f->to[i], &f->turn, scopes[s], &err);
        err = (cv_err){.arena = &f->turn};
        assert_fails(cv_record_copy(f->from, f->to[i], &c, &err), &err, CV_ERR_REV_CONFLICT);
        assert_str_has(cv_err_text(&err), "another history");
        for (size_t s = 0; s < SCOPES; s++)
            assert_view_eq(board_print(f->to[i], &f->turn, scopes[s], &err), before[s]);
    }
}

/* ---- moving -------------------------------------------------------------------------------------------------------
 */

static void note(fixture *f, cv_record *record, const char *to, bool keep)
{
    assert_ok(record->calls->hold(record, &f->err), &f->err);
    assert_ok(cv_record_note_moved(record, &f->turn, cv_str_of(to), &f->err), &f->err);
    assert_ok(record->calls->release(record, keep, &f->err), &f->err);
}

/* A copy may still be made in it: it is a mirror, or the record comes back. */
static void a_record_that_was_moved_takes_no_writes(void **state)
{
    fixture *f = *state;
    write_to(f, f->from, "word", scopes[0]);
    for (size_t i = 0; i < f->targets; i++) {
        cv_record *to = f->to[i];
        cv_copying c = {0};
        cv_err err = {.arena = &f->turn};
        cv_str place;
        assert_ok(cv_record_copy(f->from, to, &c, &f->err), &f->err);
        note(f, to, "elsewhere", false);
        assert_int_equal(board_write(to, &f->turn, scopes[1], "kept-1", &f->err), CV_WRITE_DONE);
        note(f, to, "elsewhere", true);
        assert_ok(cv_record_moved_to(to, &f->turn, &place, &f->err), &f->err);
        assert_str_eq(place, "elsewhere");
        assert_int_equal(board_write(to, &f->turn, scopes[1], "kept-2", &err), CV_WRITE_FAILED);
        assert_int_equal(err.code, CV_ERR_MOVED);
        assert_str_has(cv_err_text(&err), "moved to elsewhere");
        assert_int_equal(board_write(to, &f->turn, BOARD("new"), "kept-3", &err), CV_WRITE_FAILED);
        assert_int_equal(err.code, CV_ERR_MOVED);
        write_to(f, f->from, "word", scopes[0]); /* one that it has, and one that it lacks */
        write_to(f, f->from, "word", scopes[2 + i % 2]);
        assert_ok(cv_record_copy(f->from, to, &c, &f->err), &f->err);
        note(f, to, "", true);
        assert_int_equal(board_write(to, &f->turn, scopes[1], "kept-2", &f->err), CV_WRITE_DONE);
    }
}

typedef struct {
    const char *place, *op;
    cv_scope_id scope;
    cv_write_result result;
    cv_err_code code;
} waiting;

static void *write_in_turn(void *ctx)
{
    waiting *w = ctx;
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_record *record = cv_str_starts(cv_str_of(w->place), CV_STR("postgresql:"))
                            ? board_postgres(&a, w->place, NULL, &err)
                            : board_open(&a, w->place, &err);
    w->result = board_write(record, &turn, w->scope, w->op, &err);
    w->code = err.code;
    cv_record_close(record);
    cv_arena_release(&turn);
    cv_arena_release(&a);
    return NULL;
}

/* Writers of a scope that is there, and of one that is not, ask while another handle holds the record. */
static void who_waits_while_it_moves_is_refused(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < f->targets; i++) {
        if (!f->places[i])
            continue;
        waiting w[] = {{.place = f->places[i], .op = "op-1", .scope = scopes[0]},
                       {.place = f->places[i], .op = "op-2", .scope = BOARD("new")}};
        pthread_t threads[CV_COUNT(w)];
        cv_record *to = f->to[i];
        assert_int_equal(board_write(to, &f->turn, scopes[0], "first", &f->err), CV_WRITE_DONE);
        assert_ok(to->calls->hold(to, &f->err), &f->err);
        for (size_t k = 0; k < CV_COUNT(w); k++)
            assert_int_equal(pthread_create(&threads[k], NULL, write_in_turn, &w[k]), 0);
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* they wait by then, or come later */
        assert_ok(cv_record_note_moved(to, &f->turn, CV_STR("elsewhere"), &f->err), &f->err);
        assert_ok(to->calls->release(to, true, &f->err), &f->err);
        for (size_t k = 0; k < CV_COUNT(w); k++) {
            pthread_join(threads[k], NULL);
            assert_int_equal(w[k].result, CV_WRITE_FAILED);
            assert_int_equal(w[k].code, CV_ERR_MOVED);
        }
    }
}

#define TEST(name)                                                                                                     \
    cmocka_unit_test_setup_teardown(name, set_up, tear_down),                                                          \
    {                                                                                                                  \
#name "_postgres", name, set_up_postgres, tear_down, NULL                                                      \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies_are_the_same),
        TEST(copies_come_back),
        TEST(copies_go_on_after_a_failure),
        TEST(another_history_is_left_alone),
        TEST(a_record_that_was_moved_takes_no_writes),
        TEST(who_waits_while_it_moves_is_refused),
    };
    return cmocka_run_group_tests_name("record_copy", tests, NULL, NULL);
}
