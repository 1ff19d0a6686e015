/* test_rooms.c - what the project does for every room: verify, doctor, import, the places that may be written.
 *
 * The program of this test has two rooms of its own, the board and the desk of board.h, and no other: nothing here may
 * know a room by name. The board says what its events imply, looks at its files and imports; the desk only imports.
 */
#include "board.h"

#include "base/file.h"
#include "kit/destination.h"
#include "kit/scopes.h"
#include "project/operations.h"
#include "project/room.h"

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* What the board has seen of one scope: each card that is written has an event. */
typedef struct {
    cv_arena *scratch;
    size_t events, cards;
} seen;

static bool see_event(void *ctx, const cv_scope_verifier *v, const cv_event_row *event, cv_err *err)
{
    seen *s = ctx;
    (void)v, (void)err;
    s->events += cv_str_eq(event->subject_type, CV_STR("card"));
    return true;
}

static bool see_row(void *ctx, const cv_scope_verifier *v, const cv_type *type, const void *row, cv_err *err)
{
    seen *s = ctx;
    s->cards += type == &card_type;
    cv_str name = cv_row_name(s->scratch, type, row);
    bool ok = type != &card_type || !cv_str_eq(((const card *)row)->title, CV_STR("wrong")) ||
              cv_verify_disagree(v, name, err, "title: expected a right one, found 'wrong'");
    cv_arena_reset(s->scratch);
    return ok;
}

static bool see_end(void *ctx, const cv_scope_verifier *v, cv_err *err)
{
    const seen *s = ctx;
    return (s->events > 0 && s->cards == 1) || cv_verify_disagree(v, CV_STR("cards"), err, "expected one with events");
}

static cv_room_verify board_verify(cv_arena *a, cv_arena *scratch)
{
    seen *s = CV_NEW(a, seen);
    s->scratch = scratch;
    return (cv_room_verify){.event = see_event, .row = see_row, .end = see_end, .ctx = s};
}

static void board_doctor(cv_doctor *d)
{
    cv_doctor_say(d, "pins", CV_DOCTOR_WARNING, "a pin is loose")->what = CV_STR("pin 3");
}

/* Both know files by the end of their names, the desk reads any other text as well. */
static cv_import_fit board_fit(cv_arena *a, cv_where path)
{
    (void)a;
    cv_str name = cv_str_of(path.path);
    return cv_str_ends(name, CV_STR(".board")) || cv_str_ends(name, CV_STR(".both")) ? CV_FIT_OWN : CV_FIT_NONE;
}

static cv_import_fit desk_fit(cv_arena *a, cv_where path)
{
    (void)a;
    cv_str name = cv_str_of(path.path);
    if (cv_str_ends(name, CV_STR(".bin")))
        return CV_FIT_NONE;
    return cv_str_ends(name, CV_STR(".both")) ? CV_FIT_OWN : CV_FIT_PERHAPS;
}

typedef struct {
    cv_str name, outcome;
} taken;

#define CV_THIS_TYPE taken
static const cv_shape taken_shape[] = {
    CV_FIELD(ALWAYS, name, ""), CV_WORD(ALWAYS, "outcome", outcome, &cv_import_outcomes, ""), {0}};
#undef CV_THIS_TYPE

typedef struct {
    int64_t number;
} counted;

#define CV_THIS_TYPE counted
static const cv_shape board_counts[] = {CV_FIELD_AS(ALWAYS, "pins", number, ""), {0}};
static const cv_shape desk_counts[] = {CV_FIELD_AS(ALWAYS, "sheets", number, ""), {0}};
#undef CV_THIS_TYPE

static bool take_all(cv_import *import)
{
    counted *counts = CV_NEW(import->call->arena, counted);
    for (size_t i = 0; i < import->count; i++)
        cv_import_add(
            import, CV_OUTCOME_IMPORTED,
            &(taken){cv_str_of(cv_where_name(import->paths[i])), cv_import_outcomes.items[CV_OUTCOME_IMPORTED]});
    counts->number = (int64_t)import->count;
    import->counted = counts;
    return true;
}

static bool desk_import(cv_import *import)
{
    if (cv_json_get(import->call->input, CV_STR("fail"))) {
        cv_errs_add(import->call->errs, import->call->arena, CV_ERR_INVALID_VALUE, "the desk is full");
        return false;
    }
    return take_all(import);
}

static const cv_room board_room = {.name = "board",
                                   .records = &board_records,
                                   .scope = {.one = "board", .many = "boards"},
                                   .folder = "boards",
                                   .verify = board_verify,
                                   .doctor = board_doctor,
                                   .import = {board_fit, take_all, NULL, taken_shape, board_counts}};
static const cv_room desk_room = {.name = "desk",
                                  .records = &desk_records,
                                  .scope = {.one = "desk", .many = "desks"},
                                  .folder = "desks",
                                  .import = {desk_fit, desk_import, NULL, taken_shape, desk_counts}};
const cv_room *const cv_rooms[] = {&board_room, &desk_room, &cv_room_project, NULL};
static const cv_room_types *const rooms[] = {&board_records, &desk_records, &cv_project_records};
const cv_types cv_program_types = {.rooms = rooms, .count = CV_COUNT(rooms)};

/* ---- calls ------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena a;
    const char *folder;
    cv_record *record;
    cv_buf out;
    cv_errs errs;
} fixture;

static int set_up(void **state)
{
    fixture *f = test_calloc(1, sizeof *f);
    cv_err err = {.arena = &f->a};
    f->folder = cv_test_folder(&f->a);
    f->record = board_memory(&f->a, &err);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->record);
    cv_buf_release(&f->out);
    cv_test_remove(f->folder);
    cv_arena_release(&f->a);
    test_free(f);
    return 0;
}

/* The answer, or with `fault` the message of the first fault. */
static cv_str call(fixture *f, cv_handler run, cv_str input, bool fault)
{
    cv_err err = {.arena = &f->a};
    cv_json json;
    f->errs = (cv_errs){0};
    cv_buf_clear(&f->out);
    assert_ok(cv_json_parse(&f->a, input, &json, &err), &err);
    cv_call c = {.arena = &f->a,
                 .record = f->record,
                 .clock = cv_clock_system(),
                 .root = f->folder,
                 .input = &json,
                 .input_text = input,
                 .out = &f->out,
                 .errs = &f->errs};
    bool ok = run(&c);
    if (ok == fault)
        print_error("%.*s\n", CV_FMT(f->errs.count ? f->errs.items[0].message : cv_buf_str(&f->out)));
    assert_int_equal(ok, !fault);
    return fault ? f->errs.items[0].message : cv_arena_copy(&f->a, cv_buf_str(&f->out));
}

static void put_board(fixture *f, const char *name, const char *title)
{
    cv_err err = {.arena = &f->a};
    assert_int_equal(board_write(f->record, &f->a, (cv_scope_id){CV_STR("board"), cv_str_of(name)}, title, &err),
                     CV_WRITE_DONE);
}

static void put_paper(fixture *f, const char *desk)
{
    cv_writing w;
    cv_written done;
    cv_err err = {.arena = &f->a};
    const cv_request request = {cv_str_of(desk), CV_STR("digest"), CV_STR("desk put")};
    assert_ok(
        cv_writing_begin(&w, f->record, &f->a, (cv_scope_id){CV_STR("desk"), cv_str_of(desk)}, CV_STR(""), NOW, &err),
        &err);
    cv_writing_put(&w, &paper_type, &(paper){.name = CV_STR("a"), .title = CV_STR("A"), .text = CV_STR("t")});
    cv_writing_event(&w, CV_STR("paper"), CV_STR("a"), CV_STR("put"));
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &err), &err);
}

/* ---- verify ------------------------------------------------------------------------------------------------------ */

/* "board/x desk/y " */
static cv_str scopes_in(fixture *f, cv_str answer)
{
    cv_err err = {.arena = &f->a};
    cv_json json;
    cv_buf names = {0};
    assert_ok(cv_json_parse(&f->a, answer, &json, &err), &err);
    const cv_json *scopes = cv_json_get(&json, CV_STR("scopes"));
    for (uint32_t i = 0; i < scopes->count; i++)
        cv_buf_printf(&names, "%.*s/%.*s ", CV_FMT(cv_json_get_text(&scopes->items[i], "room")),
                      CV_FMT(cv_json_get_text(&scopes->items[i], "name")));
    return cv_buf_take(&names, &f->a);
}

static void scopes_of_all_rooms_are_verified(void **state)
{
    fixture *f = *state;
    assert_str_eq(scopes_in(f, call(f, cv_record_verify, CV_STR("{}"), false)), "");
    put_paper(f, "oak");
    put_board(f, "x", "one");
    put_board(f, "x", "two");
    put_board(f, "ash", "one");
    put_paper(f, "x");
    cv_str all = call(f, cv_record_verify, CV_STR("{}"), false);
    assert_str_eq(scopes_in(f, all), "board/ash board/x desk/oak desk/x ");
    assert_str_has(all, "\"name\":\"x\",\"rev\":2,\"events\":2,");
    assert_str_has(all, "\"commits\":5");
    assert_str_eq(scopes_in(f, call(f, cv_record_verify, CV_STR("{\"room\":\"desk\"}"), false)), "desk/oak desk/x ");
    assert_str_eq(scopes_in(f, call(f, cv_record_verify, CV_STR("{\"room\":\"desk\",\"scope\":\"x\"}"), false)),
                  "desk/x ");
    assert_str_eq(call(f, cv_record_verify, CV_STR("{\"room\":\"desk\",\"scope\":\"ash\"}"), true),
                  "there is no desk 'ash'");
    assert_str_has(call(f, cv_record_verify, CV_STR("{\"room\":\"shelf\"}"), true), "there is no room 'shelf'");
    assert_int_equal(f->errs.items[0].option_count, 2); /* the project keeps nothing */
    assert_str_has(call(f, cv_record_verify, CV_STR("{\"scope\":\"x\"}"), true), "a scope belongs to a room");
}

static void a_room_says_what_its_events_imply(void **state)
{
    fixture *f = *state;
    put_board(f, "ash", "one");
    put_board(f, "x", "wrong");
    put_paper(f, "oak");
    assert_str_eq(call(f, cv_record_verify, CV_STR("{}"), true),
                  "board 'x': card/1: title: expected a right one, found 'wrong'");
    call(f, cv_record_verify, CV_STR("{\"room\":\"board\",\"scope\":\"ash\"}"), false);
    put_board(f, "x", "right again");
    call(f, cv_record_verify, CV_STR("{}"), false);
}

/* ---- doctor ------------------------------------------------------------------------------------------------------ */

/* The record is open already: the folder need not be a project. */
static void the_doctor_speaks_of_scopes_by_their_names(void **state)
{
    fixture *f = *state;
    assert_str_has(call(f, cv_record_doctor, CV_STR("{}"), false), "there are no boards, desks yet");
    put_board(f, "x", "one");
    assert_str_has(call(f, cv_record_doctor, CV_STR("{}"), false), "1 board matches the history");
    put_board(f, "ash", "one");
    put_paper(f, "oak");
    cv_str well = call(f, cv_record_doctor, CV_STR("{}"), false);
    assert_str_has(well, "2 boards, 1 desk match the history");
    assert_str_has(well,
                   "{\"check\":\"pins\",\"level\":\"warning\",\"message\":\"a pin is loose\",\"what\":\"pin 3\"}");
    put_board(f, "x", "wrong");
    cv_str ill = call(f, cv_record_doctor, CV_STR("{}"), false);
    assert_str_has(ill, "found 'wrong'\",\"what\":\"x\"");
    assert_str_has(ill, "1 board, 1 desk match the history");
}

/* ---- import ------------------------------------------------------------------------------------------------------ */

static cv_str paths(fixture *f, const char *names, const char *more)
{
    cv_buf text = {0};
    cv_str rest = cv_str_of(names), name;
    cv_err err = {.arena = &f->a};
    cv_buf_add_z(&text, "{\"path\":[");
    for (size_t i = 0; cv_str_split(&rest, ' ', &name); i++) {
        const char *path = cv_arena_printf(&f->a, "%s/%.*s", f->folder, CV_FMT(name)).p;
        assert_ok(cv_file_write(path, CV_STR("text"), &err), &err);
        cv_buf_printf(&text, "%s\"%s\"", i ? "," : "", path);
    }
    cv_buf_printf(&text, "]%s}", more);
    return cv_buf_take(&text, &f->a);
}

static void paths_go_to_the_rooms_that_they_fit(void **state)
{
    fixture *f = *state;
    cv_str answer = call(f, cv_project_import, paths(f, "a.board b.txt c.both", ""), false);
    assert_str_has(answer, "\"boards\":[{\"name\":\"a.board\",\"outcome\":\"imported\"},{\"name\":\"c.both\",");
    assert_str_has(answer, "\"desks\":[{\"name\":\"b.txt\",\"outcome\":\"imported\"},{\"name\":\"c.both\",");
    assert_str_has(answer, "\"counts\":{\"imported\":4,");
    assert_str_has(answer, "\"pins\":2,\"sheets\":2}");
    answer = call(f, cv_project_import, paths(f, "a.board", ",\"dry_run\":true"), false);
    assert_str_has(answer, "{\"dry_run\":true,\"boards\":[");
    assert_true(cv_str_find(answer, CV_STR("desks")) == SIZE_MAX);
    /* What no room knows is refused before anything is done, all such paths at once. */
    assert_str_has(call(f, cv_project_import, paths(f, "a.board x.bin y.bin", ""), true),
                   "no room can read these files");
    assert_int_equal(f->errs.count, 2);
    assert_str_eq(f->errs.items[0].field, "path[1]");
    assert_str_eq(f->errs.items[1].field, "path[2]");
    assert_str_eq(call(f, cv_project_import, paths(f, "a.board b.txt", ",\"fail\":1"), true), "the desk is full");
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Every path of some parts: it may be written unless it lies in .conclave and in no folder of a room there. */
static void only_the_folders_of_rooms_may_be_written(void **state)
{
    static const char *const first[] = {"", ".conclave", ".conclavex", "docs"};
    static const char *const second[] = {"", "boards", "desks", "dialogues", "board", "boardsx", "conclave.db", "x"};
    static const char *const third[] = {"", "boards", "conclave.db", ".conclave"};
    fixture *f = *state;
    cv_call c = {.arena = &f->a, .root = f->folder, .confined = true, .errs = &f->errs};
    for (size_t i = 0; i < CV_COUNT(first); i++)
        for (size_t j = 0; j < CV_COUNT(second); j++)
            for (size_t k = 0; k < CV_COUNT(third); k++) {
                cv_err err = {.arena = &f->a};
                cv_where where;
                cv_str path = cv_arena_printf(&f->a, "%s%s%s%s%s", first[i], *first[i] && *second[j] ? "/" : "",
                                              second[j], (*first[i] || *second[j]) && *third[k] ? "/" : "", third[k]);
                cv_str rest = path, top = {NULL, 0}, below = {NULL, 0};
                cv_str_split(&rest, '/', &top);
                cv_str_split(&rest, '/', &below);
                bool own = cv_str_eq(top, CV_STR(".conclave")) && !cv_str_eq(below, CV_STR("boards")) &&
                           !cv_str_eq(below, CV_STR("desks"));
                if (path.n == 0)
                    continue;
                bool allowed = cv_destination_where(&c, path, &where, &err);
                if (allowed == own)
                    print_error("%.*s: %d\n", CV_FMT(path), allowed);
                assert_int_equal(allowed, !own);
                if (own)
                    assert_str_eq(err.suggestion, "name a path outside .conclave, or one below .conclave/boards or "
                                                  ".conclave/desks");
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scopes_of_all_rooms_are_verified, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_room_says_what_its_events_imply, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_doctor_speaks_of_scopes_by_their_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(paths_go_to_the_rooms_that_they_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_folders_of_rooms_may_be_written, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("rooms", tests, NULL, NULL);
}
