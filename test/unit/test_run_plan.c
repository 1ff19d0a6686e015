/* test_run_plan.c - what is next in a run: seats folded from attempts, and whole runs in a world of chance, each step
 * of which is compared with what must never happen. */
#include "run/plan.h"
#include "testing.h"

static cv_arena arena;

static cv_attempt_row attempt(int number, cv_attempt_state state)
{
    cv_attempt_row row;
    cv_row_clear(&cv_attempt_row_type, &row);
    row.who = CV_STR("muffin");
    row.attempt = row.rev = number;
    row.state = cv_attempt_words.items[state];
    row.ended_at = CV_STR("2026-01-01T00:00:00.000Z");
    return row;
}

/* ---- seats ---------------------------------------------------------------------------------------------------------
 */

/* Letters for states: s started, a answered, l lost, c cancelled, u unmarked, e empty, f faulty, x failed, t timeout,
 * r refused, d denied. */
static cv_attempt_state state_of(char letter)
{
    static const struct {
        char letter;
        cv_attempt_state state;
    } all[] = {{'s', CV_ATTEMPT_STARTED},   {'a', CV_ATTEMPT_ANSWERED}, {'l', CV_ATTEMPT_LOST},
               {'c', CV_ATTEMPT_CANCELLED}, {'u', CV_ATTEMPT_UNMARKED}, {'e', CV_ATTEMPT_EMPTY},
               {'f', CV_ATTEMPT_FAULTY},    {'x', CV_ATTEMPT_FAILED},   {'t', CV_ATTEMPT_TIMEOUT},
               {'r', CV_ATTEMPT_REFUSED},   {'d', CV_ATTEMPT_DENIED}};
    for (size_t i = 0; i < CV_COUNT(all); i++)
        if (all[i].letter == letter)
            return all[i].state;
    fail_msg("no state '%c'", letter);
    return CV_ATTEMPT_LOST;
}

static cv_seat fold_since(const char *letters, int64_t since_rev, bool done)
{
    cv_attempt_row rows[16];
    size_t n = strlen(letters);
    for (size_t i = 0; i < n; i++)
        rows[i] = attempt((int)i + 1, state_of(letters[i]));
    return cv_seat_fold(&arena, cv_arena_dup(&arena, rows, sizeof rows), n, &cv_retry_usual, CV_MOST_FAULTY, since_rev,
                        done);
}

static cv_seat fold(const char *letters, bool done)
{
    return fold_since(letters, 0, done);
}

static void seats_are_folded_from_attempts(void **state)
{
    (void)state;
    static const struct {
        const char *attempts;
        cv_seat_state state;
        int answer;
    } cases[] = {
        {"", CV_SEAT_OPEN, 0},
        {"s", CV_SEAT_RUNNING, 0},
        {"a", CV_SEAT_ANSWERED, 1},
        {"xa", CV_SEAT_ANSWERED, 2},
        /* a lost or cancelled call does not count as a try */
        {"l", CV_SEAT_OPEN, 0},
        {"lclclclc", CV_SEAT_OPEN, 0},
        {"lllls", CV_SEAT_RUNNING, 0},
        /* failures are tried three times */
        {"x", CV_SEAT_OPEN, 0},
        {"xt", CV_SEAT_OPEN, 0},
        {"xtx", CV_SEAT_ABSENT, 0},
        {"xlxlx", CV_SEAT_ABSENT, 0},
        /* … some are the end at once */
        {"r", CV_SEAT_ABSENT, 0},
        {"d", CV_SEAT_ABSENT, 0},
        /* empty and unmarked answers are asked for once more; what has no marks is better than nothing */
        {"e", CV_SEAT_OPEN, 0},
        {"ee", CV_SEAT_ABSENT, 0},
        {"u", CV_SEAT_OPEN, 0},
        {"uu", CV_SEAT_ANSWERED, 2},
        {"ue", CV_SEAT_ANSWERED, 1},
        {"eu", CV_SEAT_ANSWERED, 2},
        {"uxtx", CV_SEAT_ANSWERED, 1},
        {"ua", CV_SEAT_ANSWERED, 2},
        /* refused answers go back three times */
        {"ff", CV_SEAT_OPEN, 0},
        {"fff", CV_SEAT_ABSENT, 0},
        {"ffa", CV_SEAT_ANSWERED, 3},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_seat seat = fold(cases[i].attempts, false);
        if (seat.state != cases[i].state || seat.answer != cases[i].answer)
            fail_msg("'%s': state %d, answer %d", cases[i].attempts, (int)seat.state, seat.answer);
        assert_int_equal(seat.attempts, strlen(cases[i].attempts));
        assert_int_equal(fold(cases[i].attempts, true).state, CV_SEAT_DONE);
    }
}

static void failures_pause_before_the_next_try(void **state)
{
    (void)state;
    int64_t ended;
    assert_true(cv_time_parse(CV_STR("2026-01-01T00:00:00.000Z"), &ended));
    cv_seat once = fold("x", false), twice = fold("xx", false);
    assert_true(once.from_ms > ended && once.from_ms <= ended + cv_retry_usual.first_ms);
    assert_true(twice.from_ms > ended + cv_retry_usual.first_ms / 2 &&
                twice.from_ms <= ended + 2 * cv_retry_usual.first_ms);
    assert_int_equal(fold("l", false).from_ms, 0);
    assert_int_equal(fold("u", false).from_ms, 0);
}

/* All of them ended at the same time: revs, not a clock, show what came before the second command. */
static void what_failed_before_is_forgiven(void **state)
{
    (void)state;
    assert_int_equal(fold("xxx", false).state, CV_SEAT_ABSENT);
    cv_seat all = fold_since("xxx", 3, false), some = fold_since("xxx", 2, false);
    assert_true(all.state == CV_SEAT_OPEN && all.from_ms == 0 && all.attempts == 3);
    assert_true(some.state == CV_SEAT_OPEN && some.from_ms > 0);
    assert_int_equal(fold_since("xxxxxx", 3, false).state, CV_SEAT_ABSENT);
    assert_int_equal(fold_since("dd", 1, false).state, CV_SEAT_ABSENT);
    assert_int_equal(fold_since("a", 1, false).state, CV_SEAT_ANSWERED);
}

/* ---- whole runs in a world of chance -------------------------------------------------------------------------------
 */

enum { MOST_SEATS = 6, MOST_STEPS = 5000 };

/* What is true outside of the plan. */
typedef struct {
    cv_test_random random;
    cv_plan plan;
    cv_seat seats[MOST_SEATS];
    cv_attempt_row rows[MOST_SEATS + 2][64];
    size_t counts[MOST_SEATS + 2];
    bool responded[MOST_SEATS];

    int64_t calls, most_calls;
    int steps, registered;
} world;

enum { ROUND_JUDGE = MOST_SEATS, VERDICT_JUDGE };

static uint64_t dice(world *w, uint64_t sides)
{
    return cv_test_next(&w->random) % sides;
}

static cv_seat fold_of(world *w, size_t who, bool done)
{
    return cv_seat_fold(&arena, w->rows[who], w->counts[who], &cv_retry_usual, CV_MOST_FAULTY, 0, done);
}

static void look(world *w)
{
    cv_plan *p = &w->plan;
    p->running = 0;
    for (size_t i = 0; i < p->seat_count; i++) {
        bool awaited = w->seats[i].awaited;
        w->seats[i] = fold_of(w, i, w->responded[i]);
        w->seats[i].awaited = awaited;
        p->running += w->seats[i].state == CV_SEAT_RUNNING && !awaited;
    }
    p->round = fold_of(w, ROUND_JUDGE, false);
    p->verdict = fold_of(w, VERDICT_JUDGE, false);
    p->running += p->round.state == CV_SEAT_RUNNING;
    p->running += p->verdict.state == CV_SEAT_RUNNING;
    p->spent = w->calls >= w->most_calls ? CV_REASON_MAX_TOKENS : CV_REASON_COUNT;
}

static void begin(world *w, size_t who)
{
    assert_true(w->counts[who] < CV_COUNT(w->rows[who]));
    size_t n = w->counts[who]++;
    w->rows[who][n] = attempt((int)n + 1, CV_ATTEMPT_STARTED);
}

/* One of those who are asked answers, fails, or the runner is killed. */
static void something_happens(world *w)
{
    static const char ends[] = "aaaaaaaaauexxtrfl";
    size_t who = dice(w, MOST_SEATS + 2);
    for (size_t i = 0; i < MOST_SEATS + 2; i++, who = (who + 1) % (MOST_SEATS + 2)) {
        cv_attempt_row *last = w->counts[who] ? &w->rows[who][w->counts[who] - 1] : NULL;
        if (!last || !cv_str_eq(last->state, cv_attempt_words.items[CV_ATTEMPT_STARTED]))
            continue;
        char end = ends[dice(w, sizeof ends - 1)];
        if (who >= MOST_SEATS && end == 'u')
            end = 'f';
        last->state = cv_attempt_words.items[state_of(end)];
        return;
    }
}

static void new_round(world *w)
{
    cv_plan *p = &w->plan;
    p->next_round++;
    p->converged = dice(w, 4) == 0;
    w->registered++;
    memset(w->responded, 0, sizeof w->responded);
    memset(w->counts, 0, sizeof w->counts);
}

static void hold_seat(const world *w, size_t seat, cv_seat_state wanted)
{
    assert_true(seat < w->plan.seat_count);
    assert_int_equal(w->seats[seat].state, wanted);
    assert_false(w->responded[seat]);
}

static size_t heard(const world *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->plan.seat_count; i++)
        n += w->responded[i];
    return n;
}

/* Does the step, if it may be done. */
static void hold_step(world *w, const cv_step *step)
{
    cv_plan *p = &w->plan;
    bool calls = step->kind == CV_STEP_JUDGE || step->kind == CV_STEP_VERDICT ||
                 (step->kind == CV_STEP_ASK && !w->seats[step->seat].awaited);
    if (calls) { /* never beyond the budget or the limit, never after the end */
        assert_int_equal(p->spent, CV_REASON_COUNT);
        assert_true(p->running < p->parallel);
        assert_false(p->decided || p->abandoned || p->stopping);
        w->calls++;
    }
    switch (step->kind) {
    case CV_STEP_SETTLE:
        assert_true(p->settled < p->next_round);
        p->settled = p->next_round;
        break;
    case CV_STEP_ASK:
        hold_seat(w, step->seat, CV_SEAT_OPEN);
        assert_true(w->seats[step->seat].from_ms <= p->now_ms);
        begin(w, step->seat);
        break;
    case CV_STEP_HAND_IN:
        hold_seat(w, step->seat, CV_SEAT_ANSWERED);
        w->responded[step->seat] = true;
        break;
    case CV_STEP_JUDGE:
        assert_int_equal(p->judge, CV_JUDGE_AGENT);
        begin(w, ROUND_JUDGE);
        break;
    case CV_STEP_REGISTER: /* nobody is under way, enough have answered, and the judge has, if there is one */
        assert_int_equal(p->running, 0);
        assert_true(heard(w) > 0 && heard(w) >= (p->quorum && p->quorum < p->seat_count ? p->quorum : p->seat_count));
        assert_true(p->judge == CV_JUDGE_MECHANICAL || p->round.state == CV_SEAT_ANSWERED || p->judge_may_fail);
        assert_true(p->next_round < p->rounds && !p->converged);
        new_round(w);
        break;
    case CV_STEP_VERDICT:
        assert_true(p->judge == CV_JUDGE_AGENT && (p->converged || p->next_round >= p->rounds));
        begin(w, VERDICT_JUDGE);
        break;
    case CV_STEP_DECIDE:
        assert_int_equal(p->verdict.state, CV_SEAT_ANSWERED);
        p->decided = true;
        break;
    case CV_STEP_CONTROL:
        fail_msg("nobody wanted a control");
        break;
    case CV_STEP_WAIT: /* there must be something to wait for */
        assert_true(p->running || step->until_ms < INT64_MAX || step->for_human);
        if (p->running == 0 && step->until_ms < INT64_MAX)
            p->now_ms = step->until_ms;
        if (step->for_human && p->judge == CV_JUDGE_HUMAN && cv_plan_part(p) == CV_PART_JUDGING)
            new_round(w);
        else if (step->for_human && cv_plan_part(p) == CV_PART_DECIDING)
            p->decided = true;
        else
            something_happens(w);
        break;
    case CV_STEP_END:
        break;
    }
}

static void hold_end(const world *w, cv_reason reason)
{
    const cv_plan *p = &w->plan;
    assert_int_equal(p->running, 0);
    if (reason == CV_REASON_DECIDED)
        assert_true(p->decided);
    if (reason == CV_REASON_MAX_TOKENS)
        assert_true(w->calls >= w->most_calls);
    if (reason == CV_REASON_QUORUM)
        assert_true(heard(w) < p->seat_count);
    if (reason == CV_REASON_CONVERGED || reason == CV_REASON_ROUNDS)
        assert_true(p->converged || p->next_round >= p->rounds);
    if (reason == CV_REASON_JUDGE) /* whoever named it, there is no verdict without it */
        assert_true(p->round.state == CV_SEAT_ABSENT || p->verdict.state == CV_SEAT_ABSENT);
    if (reason == CV_REASON_CONVERGED || reason == CV_REASON_ROUNDS)
        assert_true(p->judge != CV_JUDGE_AGENT);
    if (p->judge == CV_JUDGE_MECHANICAL)
        assert_false(p->decided); /* it never gives a verdict */
    assert_int_equal(p->settled, p->next_round);
}

static cv_reason one_run(uint64_t seed, int *ret_registered)
{
    world *w = CV_NEW(&arena, world);
    w->random.state = seed;
    w->plan = (cv_plan){.rounds = 1 + (int64_t)dice(w, 4),
                        .parallel = 1 + dice(w, 4),
                        .quorum = dice(w, MOST_SEATS),
                        .judge = (cv_judge)dice(w, 3),
                        .judge_may_fail = dice(w, 2),
                        .until = CV_UNTIL_VERDICT,
                        .seats = w->seats,
                        .seat_count = 1 + dice(w, MOST_SEATS)};
    w->most_calls = dice(w, 3) ? INT64_MAX : (int64_t)dice(w, 30);
    for (size_t i = 0; i < w->plan.seat_count; i++)
        w->seats[i].awaited = dice(w, 5) == 0;
    for (;;) {
        look(w);
        cv_step step = cv_plan_next(&w->plan);
        if (step.kind == CV_STEP_END) {
            hold_end(w, step.reason);
            *ret_registered = w->registered;
            return step.reason;
        }
        hold_step(w, &step);
        if (++w->steps > MOST_STEPS)
            fail_msg("seed %llu does not end", (unsigned long long)seed);
    }
}

static void runs_end_and_never_do_what_they_must_not(void **state)
{
    (void)state;
    size_t reasons[CV_REASON_COUNT] = {0};
    int registered, rounds = 0, runs = cv_test_soak() ? 200000 : 3000;
    uint64_t seed = cv_test_seed() * 1000003u;
    for (int i = 0; i < runs; i++) {
        cv_arena mark = arena;
        reasons[one_run(seed + (uint64_t)i, &registered)]++;
        rounds += registered;
        cv_arena_rewind(&arena, mark);
    }
    assert_true(rounds > runs);
    assert_true(reasons[CV_REASON_DECIDED] && reasons[CV_REASON_CONVERGED] && reasons[CV_REASON_ROUNDS] &&
                reasons[CV_REASON_QUORUM] && reasons[CV_REASON_JUDGE] && reasons[CV_REASON_MAX_TOKENS]);
}

/* ---- how far -------------------------------------------------------------------------------------------------------
 */

static void it_goes_as_far_as_it_is_told(void **state)
{
    (void)state;
    cv_seat seats[1] = {{.state = CV_SEAT_DONE}};
    cv_plan p = {.rounds = 3,
                 .parallel = 1,
                 .until = CV_UNTIL_RESPONSES,
                 .seats = seats,
                 .seat_count = 1,
                 .spent = CV_REASON_COUNT};
    assert_int_equal(cv_plan_next(&p).reason, CV_REASON_UNTIL);
    p.until = CV_UNTIL_REGISTERED;
    assert_int_equal(cv_plan_next(&p).kind, CV_STEP_REGISTER);
    p.next_round = p.settled = 1;
    seats[0].state = CV_SEAT_OPEN;
    assert_int_equal(cv_plan_next(&p).reason, CV_REASON_UNTIL);
    p.until = CV_UNTIL_CONVERGED;
    p.judge = CV_JUDGE_AGENT;
    p.converged = true;
    assert_int_equal(cv_plan_next(&p).reason, CV_REASON_CONVERGED);
    p.until = CV_UNTIL_VERDICT;
    assert_int_equal(cv_plan_next(&p).kind, CV_STEP_VERDICT);

    /* one step is one part of the walk */
    p = (cv_plan){.rounds = 3,
                  .parallel = 1,
                  .until = CV_UNTIL_VERDICT,
                  .step = true,
                  .seats = seats,
                  .seat_count = 1,
                  .spent = CV_REASON_COUNT};
    p.from_part = cv_plan_part(&p);
    assert_int_equal(p.from_part, CV_PART_ASKING);
    assert_int_equal(cv_plan_next(&p).kind, CV_STEP_ASK);
    seats[0].state = CV_SEAT_DONE;
    assert_int_equal(cv_plan_next(&p).reason, CV_REASON_STEP);
    p.from_part = CV_PART_JUDGING;
    assert_int_equal(cv_plan_next(&p).kind, CV_STEP_REGISTER);

    /* who is asked to stop stops, whatever is next */
    p.stopping = true;
    assert_int_equal(cv_plan_next(&p).reason, CV_REASON_STOPPED);
    p.interrupted = true;
    assert_int_equal(cv_plan_next(&p).reason, CV_REASON_INTERRUPTED);
}

static int release(void **state)
{
    (void)state;
    cv_arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seats_are_folded_from_attempts), cmocka_unit_test(failures_pause_before_the_next_try),
        cmocka_unit_test(what_failed_before_is_forgiven), cmocka_unit_test(runs_end_and_never_do_what_they_must_not),
        cmocka_unit_test(it_goes_as_far_as_it_is_told),
    };
    return cmocka_run_group_tests_name("run plan", tests, NULL, release);
}
