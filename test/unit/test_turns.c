/* test_turns.c - who moves the bytes: the rules against workers that come, go and stay away. What must happen sooner
 * or later is waited for; how soon is not asked.
 */
#include "testing.h"

#include <poll.h>
#include <stdatomic.h>

#include "base/monotonic.h"
#include "door/http/turns.h"

enum { PATIENCE_MS = 20000 };

/* A server that has no bytes: moving is waiting for a poke. */
typedef struct {
    cv_turns turns;
    pthread_t thread;
    atomic_int moves, looks, hurries; /* hurries: that were urgent */
    atomic_bool waits;                /* something has been read that nobody serves */
    atomic_int inside;                /* who is in the turn: never two */
    atomic_bool crowded;
} world;

static void move(void *ctx, int ms)
{
    world *w = ctx;
    struct pollfd poked = {.fd = w->turns.poke.in, .events = POLLIN};
    if (atomic_fetch_add(&w->inside, 1) != 0)
        w->crowded = true;
    poll(&poked, 1, ms);
    if (poked.revents)
        cv_os_wake_clear(&w->turns.poke);
    w->moves++;
    atomic_fetch_sub(&w->inside, 1);
}

static void look(void *ctx)
{
    ((world *)ctx)->looks++;
}

static bool hurry(void *ctx, bool now)
{
    world *w = ctx;
    w->hurries += now;
    return w->waits;
}

static void *keep(void *ctx)
{
    world *w = ctx;
    cv_turns_keep(&w->turns, &(cv_turns_server){.move = move, .look = look, .hurry = hurry, .ctx = w});
    return NULL;
}

static void begin(world *w)
{
    *w = (world){0};
    assert_true(cv_turns_init(&w->turns));
    assert_int_equal(pthread_create(&w->thread, NULL, keep, w), 0);
}

static void end(world *w)
{
    cv_turns_end(&w->turns);
    pthread_join(w->thread, NULL);
    cv_turns_release(&w->turns);
    assert_false(w->crowded);
}

static void wait_until_more(atomic_int *count, int than)
{
    int64_t until = cv_monotonic_ms() + PATIENCE_MS;
    while (atomic_load(count) <= than && cv_monotonic_ms() < until)
        poll(NULL, 0, 1);
    assert_true(atomic_load(count) > than);
}

/* The turn, however often the rules has it first. */
static void take(world *w)
{
    cv_turn turn;
    while ((turn = cv_turns_take(&w->turns, true)) == CV_TURN_ANOTHERS)
        ;
    assert_int_equal(turn, CV_TURN_MINE);
    assert_int_equal(atomic_fetch_add(&w->inside, 1), 0);
}

static void give(world *w, bool serves)
{
    atomic_fetch_sub(&w->inside, 1);
    cv_turns_give(&w->turns, serves);
}

static void the_keeper_moves_what_nobody_else_does(void **state)
{
    (void)state;
    world w;
    begin(&w);
    wait_until_more(&w.moves, 2);
    wait_until_more(&w.looks, 2);
    assert_int_equal(w.hurries, 0);
    end(&w);
}

static void a_worker_has_the_turn_for_itself(void **state)
{
    (void)state;
    world w;
    begin(&w);
    take(&w);
    int moves = w.moves, looks = w.looks;
    wait_until_more(&w.looks, looks + 1); /* the rules goes on to look at the clock … */
    assert_int_equal(w.moves, moves);     /* … and moves nothing */
    assert_int_equal(cv_turns_take(&w.turns, false), CV_TURN_ANOTHERS);
    give(&w, false);
    end(&w);
}

static void the_keeper_takes_over_from_one_who_stays_away(void **state)
{
    (void)state;
    world w;
    begin(&w);
    take(&w);
    wait_until_more(&w.looks, w.looks + 1); /* it sleeps by now */
    w.waits = true;
    int moves = w.moves;
    give(&w, true);
    wait_until_more(&w.moves, moves);
    wait_until_more(&w.hurries, 0);
    take(&w); /* the worker comes back */
    give(&w, false);
    end(&w);
}

static void what_waits_for_long_is_hurried_again(void **state)
{
    (void)state;
    world w;
    begin(&w);
    w.waits = true;
    wait_until_more(&w.hurries, 2);
    w.waits = false;
    end(&w);
}

static void *come_and_go(void *ctx)
{
    world *w = ctx;
    for (int i = 0; i < 2000; i++) {
        cv_turn turn = cv_turns_take(&w->turns, i % 3 != 0);
        if (turn == CV_TURN_CLOSED)
            break;
        if (turn == CV_TURN_ANOTHERS)
            continue;
        if (atomic_fetch_add(&w->inside, 1) != 0)
            w->crowded = true;
        give(w, i % 2 == 0);
    }
    return NULL;
}

static void many_take_turns_one_at_a_time(void **state)
{
    (void)state;
    enum { MANY = 4 };
    pthread_t threads[MANY];
    world w;
    begin(&w);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &w), 0);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
    end(&w);
}

static void closed_turns_are_the_keepers(void **state)
{
    (void)state;
    world w;
    pthread_t waiting;
    begin(&w);
    take(&w);
    assert_int_equal(pthread_create(&waiting, NULL, come_and_go, &w), 0);
    cv_turns_close(&w.turns);
    pthread_join(waiting, NULL); /* though nobody has given the turn back */
    int moves = w.moves;
    give(&w, false);
    assert_int_equal(cv_turns_take(&w.turns, true), CV_TURN_CLOSED);
    wait_until_more(&w.moves, moves);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_keeper_moves_what_nobody_else_does),
        cmocka_unit_test(a_worker_has_the_turn_for_itself),
        cmocka_unit_test(the_keeper_takes_over_from_one_who_stays_away),
        cmocka_unit_test(what_waits_for_long_is_hurried_again),
        cmocka_unit_test(many_take_turns_one_at_a_time),
        cmocka_unit_test(closed_turns_are_the_keepers),
    };
    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
