/* rounds.h - whole rounds for tests with several processes: their requests, and what must be there afterwards.
 *
 * All rounds have the same shape, so halves show: ITEMS of every kind, their references, a response, a move, a score.
 * Each round refines the first perspective and resolves the first tension of the one before. Every label names the
 * writer.
 *
 * A process that was forked must not return into the test: what goes wrong in it ends it with cv_rounds_die(). No store
 * is open while processes are forked; each opens its own with cv_rounds_open().
 */
#ifndef CV_TEST_ROUNDS_H
#define CV_TEST_ROUNDS_H

#include "kit/room.h"
#include "record/sql.h"
#include "world.h"

enum {
    CV_ROUND_P = 4,
    CV_ROUND_T = 2,
    CV_ROUND_ITEMS = CV_ROUND_P + CV_ROUND_T + 3,
    CV_ROUND_REFS = 3, /* and two more that lead to the round before */
};

static const char *const cv_rounds_bakers[] = {"muffin", "cupcake", "scone", NULL};

/* ---- requests ---------------------------------------------------------------------------------- */

static inline void cv_rounds_item(cv_buf *b, const char *sep, const char *expert, char letter, int round, int number,
                                  const char *writer)
{
    cv_buf_printf(b,
                  "%s{'local_id': '%s-%c%02d%02d', 'label': '%s: %c%d of round %d', 'content': 'What %s has to say.', "
                  "'contributors': ['%s'], 'references': [",
                  sep, expert, letter, round, number, writer, letter, number, round, expert, expert);
}

static inline void cv_rounds_add_p(cv_buf *b, int round, const char *writer)
{
    cv_buf_add_z(b, ",'perspectives': [");
    for (int i = 1; i <= CV_ROUND_P; i++) {
        cv_rounds_item(b, i > 1 ? "," : "", "muffin", 'P', round, i, writer);
        if (i == 1 && round > 0)
            cv_buf_printf(b, "{'type': 'refine', 'target': 'P%02d01'}", round - 1);
        cv_buf_add_z(b, "]}");
    }
    cv_buf_add_char(b, ']');
}

static inline void cv_rounds_add_t(cv_buf *b, int round, const char *writer)
{
    cv_buf_add_z(b, ",'tensions': [");
    for (int i = 1; i <= CV_ROUND_T; i++) {
        cv_rounds_item(b, i > 1 ? "," : "", "scone", 'T', round, i, writer);
        if (i == 1 && round > 0)
            cv_buf_printf(b, "{'type': 'resolve', 'target': 'T%02d01'}", round - 1);
        cv_buf_add_z(b, "]}");
    }
    cv_buf_add_char(b, ']');
}

/* The rest points to the first perspective of the same round. */
static inline void cv_rounds_add_rest(cv_buf *b, int round, const char *writer)
{
    static const struct {
        const char *plural, *type;
        char letter;
    } kinds[] = {{"recommendations", "depend", 'R'}, {"evidence", "support", 'E'}, {"claims", "question", 'C'}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        cv_buf_printf(b, ",'%s': [", kinds[i].plural);
        cv_rounds_item(b, "", "cupcake", kinds[i].letter, round, 1, writer);
        cv_buf_printf(b, "{'type': '%s', 'target': 'MUFFIN-P%02d01'}]}]", kinds[i].type, round);
    }
}

/* `more` is appended as it is: ", 'expect_rev': 7". */
static inline cv_str cv_rounds_request(cv_arena *a, const char *id, int round, const char *writer, const char *more)
{
    cv_buf b = {0};
    cv_buf_printf(&b, "{'dialogue_id': '%s', 'round': %d, 'score': %d, 'expert_scores': {'muffin': 2, 'scone': 3}", id,
                  round, 10 + round);
    cv_buf_printf(&b, ",'responses': {'muffin': '[MUFFIN-P%02d01: First] by %s'}", round, writer);
    cv_buf_add_z(&b, ",'moves': [{'expert': 'muffin', 'type': 'request', 'context': 'more'}]");
    cv_rounds_add_p(&b, round, writer);
    cv_rounds_add_t(&b, round, writer);
    cv_rounds_add_rest(&b, round, writer);
    cv_buf_printf(&b, "%s}", more);
    cv_str request = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return request;
}

/* ---- what is there ------------------------------------------------------------------------------ */

static inline const cv_rec_entity *cv_rounds_find(const cv_state *s, char letter, int round, int number)
{
    char id[32];
    int n = snprintf(id, sizeof id, "%c%02d%02d", letter, round, number);
    return cv_state_entity(s, (cv_str){id, (size_t)n});
}

static inline bool cv_rounds_statuses(const cv_state *s, int round)
{
    bool last = (size_t)round + 1 == s->rounds.count;
    const cv_rec_entity *p = cv_rounds_find(s, 'P', round, 1), *t = cv_rounds_find(s, 'T', round, 1);
    return p && t && cv_str_eq(p->status, last ? CV_STR("open") : CV_STR("refined")) &&
           cv_str_eq(t->status, last ? CV_STR("open") : CV_STR("resolved"));
}

/* Counts the rows of this round. */
#define CV_ROUNDS_COUNT(list, number)                                                                                  \
    do {                                                                                                               \
        for (size_t i_ = 0; i_ < (list).count; i_++)                                                                   \
            found += (list).items[i_].round == (number);                                                               \
    } while (0)

/* Why this round is not all there; NULL: it is. */
static inline const char *cv_rounds_lacks(const cv_state *s, int round)
{
    size_t found = 0;
    CV_ROUNDS_COUNT(s->entities, round);
    if (found != CV_ROUND_ITEMS)
        return "a round lacks entities, or has too many";
    CV_ROUNDS_COUNT(s->origins, round);
    if (found != CV_ROUND_ITEMS * 2)
        return "a round lacks origins";
    CV_ROUNDS_COUNT(s->references, round);
    if (found != CV_ROUND_ITEMS * 2 + CV_ROUND_REFS + (round > 0 ? 2 : 0))
        return "a round lacks references";
    found = 0;
    CV_ROUNDS_COUNT(s->scores, round);
    CV_ROUNDS_COUNT(s->moves, round);
    CV_ROUNDS_COUNT(s->responses, round);
    if (found != 4)
        return "a round lacks scores, moves or responses";
    for (int i = 1; i <= CV_ROUND_P; i++)
        if (!cv_rounds_find(s, 'P', round, i))
            return "the numbers of a round have a gap";
    return cv_rounds_statuses(s, round) ? NULL : "a status does not follow from the rounds";
}

/* Why the dialogue is not as its rounds made it; NULL: it is whole. Needs everything but verdicts. */
static inline const char *cv_rounds_broken(const cv_state *s)
{
    size_t n = s->rounds.count;
    if (s->entities.count != n * CV_ROUND_ITEMS || s->origins.count != n * CV_ROUND_ITEMS || s->moves.count != n ||
        s->dialogue.total_rounds != (int64_t)n)
        return "there are rows of a round that is not there";
    if ((int64_t)s->events.count != s->position.event_count)
        return "the number of events is another one";
    for (size_t i = 0; i < n; i++) {
        if (s->rounds.items[i].round != (int64_t)i)
            return "the rounds have a gap";
        const char *lack = cv_rounds_lacks(s, (int)i);
        if (lack)
            return lack;
    }
    return NULL;
}

/* ---- processes ---------------------------------------------------------------------------------- */

static inline _Noreturn void cv_rounds_die(const char *what, const cv_errs *errs)
{
    fprintf(stderr, "process %d: %s\n", (int)getpid(), what);
    for (size_t i = 0; errs && i < errs->count; i++) {
        cv_str text = cv_err_text(&errs->items[i]);
        fprintf(stderr, "  %.*s\n", CV_FMT(text));
    }
    fflush(stderr);
    _exit(1);
}

/* A world of one's own over the record that the test has made. */
static inline void cv_rounds_open(cv_world *w, const char *folder)
{
    *w = (cv_world){.now = 1767400000000, .folder = folder};
    cv_err err = {.arena = &w->a};
    if (!cv_record_open(&w->a, cv_arena_printf(&w->a, "%s/conclave.db", folder).p, CV_RECORD_EXISTING,
                        &cv_program_types, &cv_sql_sqlite_schema, &w->record, &err)) {
        cv_errs errs = {.items = &err, .count = 1};
        cv_rounds_die("the record does not open", &errs);
    }
}

/* Gives up the handle and the memory; the record stays. */
static inline void cv_rounds_close(cv_world *w)
{
    cv_record_close(w->record);
    w->record = NULL;
    cv_buf_release(&w->out);
    cv_arena_release(&w->turn);
    cv_arena_release(&w->a);
}

static inline cv_state cv_rounds_state(cv_world *w, const char *id)
{
    cv_call call = cv_world_begin(w);
    cv_errs errs = {0};
    cv_err err = {.arena = &w->turn};
    cv_state state;
    cv_wanted all = {0};
    if (!cv_state_load(&call, cv_str_of(id), &all, &state, &err)) {
        *CV_PUSH(&w->turn, &errs) = err;
        cv_rounds_die("the dialogue cannot be read", &errs);
    }
    return state;
}

/* ---- verify ------------------------------------------------------------------------------------- */

/* The record agrees with its history: one dialogue, or with NULL all of them. */
static inline void cv_rounds_verify(cv_world *w, const char *id)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json input;
    call.input_text = id ? cv_arena_printf(&w->turn, "{\"room\":\"dialogue\",\"scope\":\"%s\"}", id) : CV_STR("{}");
    assert_ok(cv_json_parse(&w->turn, call.input_text, &input, &err), &err);
    call.input = &input;
    if (cv_op_call(cv_op_find(CV_STR(""), CV_STR("verify")), &call))
        return;
    cv_str text = cv_err_text(&w->errs.items[0]);
    print_error("%.*s\n", CV_FMT(text));
    fail();
}

#endif
