/* world.h - a record in a temporary folder, dialogues in it, and calls of operations as a door makes them.
 *
 *     cv_world w;
 *     cv_world_open(&w);
 *     cv_world_dialogue(&w, "bread", (const char *[]){"muffin", "cupcake", NULL}, false);
 *     cv_world_call(&w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 0}");   ' stands for "
 *     cv_world_close(&w);
 */
#ifndef CV_TEST_WORLD_H
#define CV_TEST_WORLD_H

#include "testing.h"

#include "base/err_json.h"
#include "base/file.h"
#include "dialogue/journal.h"
#include "kit/room.h"
#include "ops/op.h"
#include "record/sql.h"

typedef struct {
    cv_arena a;    /* for the whole test */
    cv_arena turn; /* for one call and what is looked at after it */
    const char *folder;
    cv_record *record;
    int64_t now;
    bool for_people; /* answers have their texts */
    cv_buf out;
    cv_errs errs;
} cv_world;

static inline int64_t cv_world_now(void *ctx)
{
    return ((cv_world *)ctx)->now++;
}

static inline void cv_world_open(cv_world *w)
{
    *w = (cv_world){.now = 1767323045678};
    w->folder = cv_test_folder(&w->a);
    cv_err err = {.arena = &w->a};
    assert_ok(cv_record_open(&w->a, cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, CV_RECORD_CREATE,
                             &cv_program_types, &cv_sql_sqlite_schema, &w->record, &err),
              &err);
    setenv("CV_CHECK_REPLIES", "1", 1);
}

static inline void cv_world_close(cv_world *w)
{
    cv_record_close(w->record);
    cv_test_remove(w->folder);
    cv_buf_release(&w->out);
    cv_arena_release(&w->turn);
    cv_arena_release(&w->a);
}

/* A world for one cmocka test, which finds it in *state. */
static inline int cv_world_set_up(void **state)
{
    static cv_world w;
    cv_world_open(&w);
    *state = &w;
    return 0;
}

static inline int cv_world_tear_down(void **state)
{
    cv_world_close(*state);
    return 0;
}

/* Gives the record's file up, as before a fork, and takes it again. */
static inline void cv_world_leave(cv_world *w)
{
    cv_record_close(w->record);
    w->record = NULL;
}

static inline void cv_world_return(cv_world *w)
{
    cv_err err = {.arena = &w->a};
    const char *path = cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p;
    assert_ok(
        cv_record_open(&w->a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &w->record, &err),
        &err);
}

static inline cv_call cv_world_begin(cv_world *w)
{
    cv_arena_reset(&w->turn);
    cv_buf_clear(&w->out);
    w->errs = (cv_errs){0};
    return (cv_call){.arena = &w->turn,
                     .record = w->record,
                     .clock = {cv_world_now, w},
                     .root = w->folder,
                     .for_people = w->for_people,
                     .out = &w->out,
                     .errs = &w->errs,
                     .name = cv_op_command};
}

/* A request with ' for ", which JSON does not need inside our texts. */
static inline cv_str cv_world_request(cv_arena *a, cv_str text)
{
    char *p = cv_arena_copy_z(a, text);
    for (size_t i = 0; i < text.n; i++)
        p[i] = p[i] == '\'' ? '"' : p[i];
    return (cv_str){p, text.n};
}

/* A request that is JSON already; it must outlive the call. `verb` is one of the dialogue room, or the words of another
 * operation: "agent show". */
static inline bool cv_world_call_json(cv_world *w, const char *verb, cv_str text)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.input_text = cv_arena_copy(&w->turn, text);
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    const cv_operation *op =
        strchr(verb, ' ') ? cv_op_called(cv_str_of(verb)) : cv_op_find(CV_STR("dialogue"), cv_str_of(verb));
    assert_non_null(op);
    return cv_op_call(op, &call);
}

static inline bool cv_world_call_text(cv_world *w, const char *verb, cv_str text)
{
    cv_arena own = {0};
    bool done = cv_world_call_json(w, verb, cv_world_request(&own, text));
    cv_arena_release(&own);
    return done;
}

static inline bool cv_world_call(cv_world *w, const char *verb, const char *text)
{
    return cv_world_call_text(w, verb, cv_str_of(text));
}

/* A call that must succeed; the answer. */
static inline cv_str cv_world_do(cv_world *w, const char *verb, const char *text)
{
    if (!cv_world_call(w, verb, text)) {
        for (size_t i = 0; i < w->errs.count; i++)
            print_error("%.*s\n", CV_FMT(cv_err_text(&w->errs.items[i])));
        fail();
    }
    return cv_buf_str(&w->out);
}

static inline cv_state cv_world_state(cv_world *w, const char *id)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_state state;
    cv_wanted all = {0};
    assert_ok(cv_state_load(&call, cv_str_of(id), &all, &state, &err), &err);
    return state;
}

static inline cv_position cv_world_position(cv_world *w, const char *id)
{
    cv_position position;
    cv_err err = {.arena = &w->a};
    bool found;
    assert_ok(cv_position_of(w->record, &w->a, cv_str_of(id), &position, &found, &err), &err);
    assert_true(found);
    return position;
}

/* A dialogue with these experts, all of them on the panel of round 0. */
static inline void cv_world_dialogue(cv_world *w, const char *id, const char *const *experts, bool strict)
{
    cv_call call = cv_world_begin(w);
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_state state = {.id = cv_str_of(id)};
    cv_journal j;
    cv_outcome outcome;
    call.input = &input;
    cv_journal_begin(&j, &call, &state);
    cv_rec_event *event = cv_journal_event(&j, 'D', state.id, CV_STR("created"), 0, CV_STR("[\"judge\"]"));
    cv_rec_dialogue row = {.title = state.id,
                           .status = CV_STR("open"),
                           .created_at = j.now,
                           .total_rounds = 0,
                           .total_alignment = 0,
                           .calibrated = 0,
                           .panel_size = CV_ABSENT,
                           .seed = CV_ABSENT,
                           .strict_convergence = strict,
                           .archived = CV_ABSENT};
    cv_journal_covers(&j, event, CV_REC_DIALOGUE, cv_journal_put(&j, CV_REC_DIALOGUE, &row));
    for (int64_t i = 0; experts[i]; i++) {
        cv_rec_expert expert = {.expert_slug = cv_str_of(experts[i]),
                                .position = i + 1,
                                .role = CV_STR("Baker"),
                                .tier = CV_STR("Core"),
                                .source = CV_STR("pool"),
                                .total_score = 0,
                                .first_round = CV_ABSENT,
                                .created_at = j.now};
        cv_rec_seat seat = {.expert_slug = expert.expert_slug, .position = i + 1, .source = CV_STR("pool")};
        cv_journal_covers(&j, event, CV_REC_EXPERT, cv_journal_put(&j, CV_REC_EXPERT, &expert));
        cv_journal_put(&j, CV_REC_SEAT, &seat);
    }
    cv_request_begin(j.call, CV_STR("dialogue create"));
    assert_true(cv_journal_commit(&j, CV_STR("{}"), &outcome));
}

/* ---- golden files ---------------------------------------------------------------------------- */

static inline void cv_world_golden(cv_arena *a, const char *path, cv_str found)
{
    cv_err err = {.arena = a};
    if (cv_test_update())
        assert_ok(cv_file_write(path, found, &err), &err);
    else
        assert_view_eq(found, cv_test_read(a, path));
}

/* The errors of the last call as a door prints them. */
static inline cv_str cv_world_errors(cv_world *w, bool batch)
{
    cv_buf text = {0};
    cv_json_writer out = {.out = &text, .indent = 2};
    cv_errs_print_json(w->errs.items, w->errs.count, batch, &out);
    cv_buf_add_char(&text, '\n');
    cv_str copy = cv_arena_copy(&w->a, cv_buf_str(&text));
    cv_buf_release(&text);
    return copy;
}

#endif
