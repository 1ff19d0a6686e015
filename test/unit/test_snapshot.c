/* test_snapshot.c - parts of a dialogue: whatever is asked for is what the whole has of it, in the same order. */
#include "rounds.h"

#include "dialogue/snapshot.h"

/* The rows of a reading, one line each: kind, key and rev. */
typedef struct {
    cv_arena *a;
    cv_buf out;
    const cv_wanted *filter; /* keep only what this wants; NULL: everything */
    bool texts;              /* were all long texts there? */
} listing;

static bool is_about(const cv_wanted *w, cv_str id)
{
    for (size_t i = 0; i < w->about_count; i++)
        if (cv_str_eq(w->about[i], id))
            return true;
    return false;
}

/* What snapshot.h says of a row. */
static bool is_wanted(cv_arena *a, const cv_wanted *w, cv_rec_kind kind, const void *row)
{
    if ((w->kinds && !(w->kinds & 1u << kind)) || cv_row_rev(row) <= w->since_rev)
        return false;
    if (kind == CV_REC_ENTITY && w->letters && !strchr(w->letters, ((const cv_rec_entity *)row)->kind.p[0]))
        return false;
    if (!w->about_count)
        return true;
    const cv_rec_origin *origin = row;
    const cv_rec_reference *reference = row;
    switch (kind) {
    case CV_REC_ENTITY:
        return is_about(w, cv_entity_id(a, row));
    case CV_REC_ORIGIN:
        return is_about(w, origin->local_id) || is_about(w, origin->display_id);
    case CV_REC_REFERENCE:
        return is_about(w, reference->source_id) || is_about(w, reference->target_id);
    case CV_REC_EVENT:
        return is_about(w, ((const cv_rec_event *)row)->subject_id);
    default:
        return true;
    }
}

static bool note_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    listing *l = ctx;
    (void)err;
    if (l->filter && !is_wanted(l->a, l->filter, kind, row))
        return true;
    if (kind == CV_REC_ENTITY)
        l->texts = l->texts && ((const cv_rec_entity *)row)->content.n > 0;
    cv_buf_printf(&l->out, "%d %.*s %lld\n", (int)kind, CV_FMT(cv_row_name(l->a, cv_kind_types[kind], row)),
                  (long long)cv_row_rev(row));
    return true;
}

/* The rows that `wanted` gives, of those that `filter` lets through. */
static listing read_rows(cv_world *w, const cv_wanted *wanted, const cv_wanted *filter)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    listing l = {.a = &w->turn, .filter = filter, .texts = true};
    cv_position at;
    bool found;
    assert_ok(cv_snapshot(&call, CV_STR("bread"), wanted, note_row, &l, &at, &found, &err), &err);
    assert_true(found);
    return l;
}

static void parts_are_those_of_the_whole(void **state)
{
    cv_world *w = *state;
    static const cv_str ids[] = {CV_STR_INIT("P0001"),         CV_STR_INIT("T0101"),   CV_STR_INIT("MUFFIN-P0101"),
                                 CV_STR_INIT("CUPCAKE-R0001"), CV_STR_INIT("@muffin"), CV_STR_INIT("E0201"),
                                 CV_STR_INIT("P0777"),         CV_STR_INIT("nobody")};
    static const char *const letters[] = {NULL, "T", "PC", ""};
    cv_test_random r = {17};
    size_t some = 0;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    for (int round = 0; round < 3; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "w", "")));
    cv_world_do(w, "update", "{'dialogue_id': 'bread', 'updates': [{'id': 'P0001', 'label': 'Anew', 'reason': 'r'}]}");
    for (int i = 0; i < (cv_test_soak() ? 20000 : 600); i++) {
        size_t from = cv_test_below(&r, CV_COUNT(ids));
        const cv_wanted wanted = {.since_rev = (int64_t)cv_test_below(&r, 7) - 1,
                                  .kinds = (uint32_t)cv_test_below(&r, 1u << CV_REC_COUNT) *
                                           (uint32_t)(cv_test_below(&r, 3) > 0),
                                  .no_content = cv_test_below(&r, 2),
                                  .outline = (uint32_t)cv_test_below(&r, 1u << CV_REC_COUNT),
                                  .letters = letters[cv_test_below(&r, CV_COUNT(letters))],
                                  .about = ids + from,
                                  .about_count = cv_test_below(&r, 2) * cv_test_below(&r, CV_COUNT(ids) - from + 1)};
        listing part = read_rows(w, &wanted, NULL);
        cv_str found = cv_buf_take(&part.out, &w->a);
        listing whole = read_rows(w, &(cv_wanted){0}, &wanted);
        cv_str expected = cv_buf_take(&whole.out, &w->a);
        if (!cv_str_eq(found, expected))
            print_error("since %lld, kinds %x, letters %s, %zu ids from %zu\n", (long long)wanted.since_rev,
                        wanted.kinds, wanted.letters ? wanted.letters : "all", wanted.about_count, from);
        assert_view_eq(found, expected);
        assert_true(wanted.no_content || wanted.outline & CV_REC_BIT(ENTITY) || part.texts);
        some += found.n > 0 && found.n < 4000;
    }
    assert_true(some > 100);
}

static bool stop_at_third(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    (void)kind, (void)row;
    return ++*(int *)ctx < 3 || cv_err_set(err, CV_ERR_INVALID_VALUE, "enough");
}

static void a_visitor_may_end_the_walk(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_position at;
    bool found;
    int seen = 0;
    assert_fails(cv_snapshot(&call, CV_STR("bread"), &(cv_wanted){0}, stop_at_third, &seen, &at, &found, &err), &err,
                 CV_ERR_INVALID_VALUE);
    assert_str_eq(err.message, "enough");
    assert_int_equal(seen, 3);
    cv_world_do(w, "abandon", "{'dialogue_id': 'bread', 'reason': 'and the record goes on'}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cv_world_set_up, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(parts_are_those_of_the_whole), TEST(a_visitor_may_end_the_walk)};
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
