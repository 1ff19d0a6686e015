/* plan.c - what is next in a run; see plan.h. */
#include "run/plan.h"

#include <assert.h>

#include "base/clock.h"

static const cv_str until_words[] = {CV_STR_INIT("responses"), CV_STR_INIT("registered"), CV_STR_INIT("converged"),
                                     CV_STR_INIT("verdict")};
_Static_assert(CV_COUNT(until_words) == CV_UNTIL_COUNT, "a word for each");
const cv_words cv_until_words = {until_words, CV_UNTIL_COUNT};

static const cv_str judge_words[] = {CV_STR_INIT("mechanical"), CV_STR_INIT("human")};
_Static_assert(CV_COUNT(judge_words) == CV_JUDGE_AGENT, "a word for each that is not an agent");
const cv_words cv_judge_words = {judge_words, CV_JUDGE_AGENT};

const cv_reason_row cv_reasons[CV_REASON_COUNT] = {
#define REASON(id, word, state, fine, meaning, advice)                                                                 \
    {CV_STR_INIT(word), CV_RUN_##state, fine, CV_STR_INIT(meaning), CV_STR_INIT(advice)},
#include "run/reasons.def"
#undef REASON
};
static const cv_str reason_words[] = {
#define REASON(id, word, state, fine, meaning, advice) CV_STR_INIT(word),
#include "run/reasons.def"
#undef REASON
};
_Static_assert(CV_COUNT(reason_words) == CV_REASON_COUNT, "a word for each");
const cv_words cv_reason_words = {reason_words, CV_REASON_COUNT};

void cv_reason_say(cv_buf *out, cv_str text, bool options)
{
    bool inside = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '{' || text.p[i] == '}') {
            inside = text.p[i] == '{';
            cv_buf_add_z(out, inside && options ? "--" : "");
        } else {
            cv_buf_add_char(out, inside && options && text.p[i] == '_' ? '-' : text.p[i]);
        }
    }
}

_Static_assert(CV_ATTEMPT_ANSWERED + CV_CALL_COUNT == CV_ATTEMPT_STATE_COUNT,
               "the outcomes of calls are the last states");

/* ---- one who is asked ----------------------------------------------------------------------------------------------
 */

/* The row as the call ended, for the policy. */
static cv_calls_result result_of(const cv_attempt_row *row, cv_attempt_state state)
{
    assert(state >= CV_ATTEMPT_ANSWERED && state < CV_ATTEMPT_STATE_COUNT);
    return (cv_calls_result){.outcome = (cv_calls_outcome)(state - CV_ATTEMPT_ANSWERED),
                             .retry_after_ms = row->retry_after_ms,
                             .exit_status = row->exit_status,
                             .http_status = row->http_status};
}

static int64_t ended_ms(const cv_attempt_row *row)
{
    int64_t ms;
    return cv_time_parse(row->ended_at, &ms) ? ms : 0;
}

static cv_attempt_state state_of(const cv_attempt_row *row)
{
    int state = cv_words_find(cv_attempt_words, row->state);
    return state < 0 ? CV_ATTEMPT_LOST : (cv_attempt_state)state; /* a newer program's word: as if it were lost */
}

/* How often what was asked for came, or did not. */
typedef struct {
    int tries, unreadable, faulty;
} tally;

static tally count(const cv_attempt_row *attempts, size_t n, int64_t since_rev)
{
    tally t = {0};
    for (size_t i = 0; i < n; i++) {
        if (attempts[i].rev <= since_rev)
            continue;
        cv_attempt_state state = state_of(&attempts[i]);
        bool unreadable = state == CV_ATTEMPT_UNMARKED || state == CV_ATTEMPT_EMPTY;
        bool faulty = state == CV_ATTEMPT_FAULTY;
        bool counts = state != CV_ATTEMPT_LOST && state != CV_ATTEMPT_CANCELLED && !unreadable && !faulty;
        t.unreadable += unreadable;
        t.faulty += faulty;
        t.tries += counts;
    }
    return t;
}

/* The last answer that could be sent although it has no marks; 0: none. */
static int unmarked_answer(const cv_attempt_row *attempts, size_t n)
{
    for (size_t i = n; i > 0; i--)
        if (state_of(&attempts[i - 1]) == CV_ATTEMPT_UNMARKED)
            return (int)attempts[i - 1].attempt;
    return 0;
}

/* No more attempts: what there is without marks is better than nothing; it is what the expert said. */
static void give_up(cv_seat *s, const cv_attempt_row *attempts, size_t n, cv_str why)
{
    s->answer = unmarked_answer(attempts, n);
    s->state = s->answer ? CV_SEAT_ANSWERED : CV_SEAT_ABSENT;
    s->why = why;
    assert(s->answer <= s->attempts && why.n > 0);
}

cv_seat cv_seat_fold(cv_arena *a, const cv_attempt_row *attempts, size_t n, const cv_retry_policy *policy,
                     int most_faulty, int64_t since_rev, bool done)
{
    cv_seat s = {.state = CV_SEAT_OPEN, .attempts = n ? (int)attempts[n - 1].attempt : 0};
    assert(most_faulty > 0 && (n == 0 || attempts));
    if (n)
        s.last = &attempts[n - 1];
    if (done) {
        s.state = CV_SEAT_DONE;
        return s;
    }
    if (!n)
        return s;
    tally t = count(attempts, n, since_rev);
    cv_attempt_state state = state_of(s.last);
    if (state != CV_ATTEMPT_STARTED && state != CV_ATTEMPT_ANSWERED && s.last->rev <= since_rev)
        return s;
    int64_t pause = 0;
    cv_str why = {NULL, 0};
    switch (state) {
    case CV_ATTEMPT_STARTED:
        s.state = CV_SEAT_RUNNING;
        break;
    case CV_ATTEMPT_ANSWERED:
        s.state = CV_SEAT_ANSWERED;
        s.answer = (int)s.last->attempt;
        break;
    case CV_ATTEMPT_LOST:
    case CV_ATTEMPT_CANCELLED:
        break;
    case CV_ATTEMPT_UNMARKED:
    case CV_ATTEMPT_EMPTY:
        if (t.unreadable >= CV_MOST_UNREADABLE)
            give_up(&s, attempts, n, CV_STR("its answers were empty or had no marks"));
        break;
    case CV_ATTEMPT_FAULTY:
        if (t.faulty >= most_faulty)
            give_up(&s, attempts, n, CV_STR("its answers were refused"));
        break;
    default: {
        cv_calls_result last = result_of(s.last, state);
        uint64_t random = cv_str_hash(s.last->who) ^ (uint64_t)s.last->attempt * 0x9e3779b97f4a7c15u;
        if (cv_retry_next(policy, t.tries, &last, random, &pause, &why))
            s.from_ms = ended_ms(s.last) + pause;
        else
            give_up(&s, attempts, n, cv_arena_copy(a, why));
    }
    }
    return s;
}

/* ---- the whole run -------------------------------------------------------------------------------------------------
 */

static size_t seats_in(const cv_plan *p, cv_seat_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < p->seat_count; i++)
        n += p->seats[i].state == state;
    return n;
}

/* Will nobody of the panel say more in this round? */
static bool all_heard(const cv_plan *p)
{
    return seats_in(p, CV_SEAT_DONE) + seats_in(p, CV_SEAT_ABSENT) == p->seat_count;
}

/* Is the deliberation itself over: nothing is left but verdicts? */
static bool talked_out(const cv_plan *p)
{
    return p->next_round > 0 && (p->converged || p->next_round >= p->rounds);
}

cv_part cv_plan_part(const cv_plan *p)
{
    if (p->decided || p->abandoned)
        return CV_PART_OVER;
    if (talked_out(p))
        return CV_PART_DECIDING;
    return p->seat_count && all_heard(p) ? CV_PART_JUDGING : CV_PART_ASKING;
}

static cv_step end(cv_reason reason)
{
    assert(reason < CV_REASON_COUNT);
    return (cv_step){.kind = CV_STEP_END, .reason = reason};
}

static cv_step wait_until(int64_t until_ms)
{
    return (cv_step){.kind = CV_STEP_WAIT, .until_ms = until_ms};
}

/* A call would begin: is there money and time for it, and a place? Otherwise what to do instead. */
static bool may_call(const cv_plan *p, cv_step *ret_instead)
{
    bool spent = p->spent != CV_REASON_COUNT;
    *ret_instead = spent && !p->running ? end(p->spent) : wait_until(INT64_MAX);
    return !spent && p->running < p->parallel;
}

/* Somebody who is asked for one thing: the judge, the control. NULL view: there is nothing to do but what follows. */
static bool ask_one(const cv_plan *p, const cv_seat *s, cv_step_kind kind, cv_step *ret_step)
{
    assert(kind == CV_STEP_JUDGE || kind == CV_STEP_VERDICT || kind == CV_STEP_CONTROL);
    if (s->state != CV_SEAT_OPEN && s->state != CV_SEAT_RUNNING)
        return false;
    if (s->state == CV_SEAT_RUNNING)
        *ret_step = wait_until(INT64_MAX);
    else if (s->from_ms > p->now_ms)
        *ret_step = wait_until(s->from_ms);
    else if (s->awaited || may_call(p, ret_step))
        *ret_step = (cv_step){.kind = kind};
    return true;
}

/* Nothing is left to do for the dialogue. Without a budget for it, there is no answer to compare with. */
static cv_step over(const cv_plan *p, cv_reason reason)
{
    cv_step step;
    bool ask = p->control && p->next_round > 0 && ask_one(p, &p->other, CV_STEP_CONTROL, &step);
    return ask && step.kind != CV_STEP_END ? step : end(reason);
}

/* ---- asking the panel ---- */

static cv_step ask_panel(const cv_plan *p)
{
    cv_step instead = wait_until(INT64_MAX);
    int64_t soonest = INT64_MAX;
    for (size_t i = 0; i < p->seat_count; i++)
        if (p->seats[i].state == CV_SEAT_ANSWERED)
            return (cv_step){.kind = CV_STEP_HAND_IN, .seat = i};
    bool can_call = may_call(p, &instead), waits = false;
    for (size_t i = 0; i < p->seat_count; i++) {
        const cv_seat *s = &p->seats[i];
        waits = waits || s->state == CV_SEAT_RUNNING;
        if (s->state != CV_SEAT_OPEN)
            continue;
        if (s->from_ms > p->now_ms)
            soonest = s->from_ms < soonest ? s->from_ms : soonest;
        else if (s->awaited || can_call)
            return (cv_step){.kind = CV_STEP_ASK, .seat = i};
    }
    if (instead.kind == CV_STEP_END && !waits)
        return instead; /* the budget is used up, and nobody is awaited */
    bool for_human = !p->running && soonest == INT64_MAX;
    return (cv_step){.kind = CV_STEP_WAIT, .until_ms = soonest, .for_human = for_human};
}

/* ---- judging a round ---- */

static cv_step judge_round(const cv_plan *p)
{
    assert(all_heard(p) && "a round is judged when nobody says more");
    size_t heard = seats_in(p, CV_SEAT_DONE), wanted = p->quorum ? p->quorum : p->seat_count;
    cv_step step;
    if (heard == 0 || heard < (wanted < p->seat_count ? wanted : p->seat_count))
        return end(CV_REASON_QUORUM);
    if (p->until == CV_UNTIL_RESPONSES)
        return end(CV_REASON_UNTIL);
    if (p->judge == CV_JUDGE_HUMAN)
        return (cv_step){.kind = CV_STEP_WAIT, .until_ms = INT64_MAX, .for_human = true};
    if (p->judge == CV_JUDGE_AGENT) {
        if (ask_one(p, &p->round, CV_STEP_JUDGE, &step))
            return step;
        if (p->round.state == CV_SEAT_ABSENT && !p->judge_may_fail)
            return end(CV_REASON_JUDGE);
    }
    return (cv_step){.kind = CV_STEP_REGISTER};
}

/* ---- deciding ---- */

static cv_step decide(const cv_plan *p)
{
    assert(talked_out(p));
    cv_reason undecided = p->converged ? CV_REASON_CONVERGED : CV_REASON_ROUNDS;
    cv_step step;
    if (p->judge == CV_JUDGE_MECHANICAL || p->until != CV_UNTIL_VERDICT)
        return over(p, undecided);
    if (p->judge == CV_JUDGE_HUMAN)
        return p->converged ? (cv_step){.kind = CV_STEP_WAIT, .until_ms = INT64_MAX, .for_human = true}
                            : over(p, undecided);
    if (ask_one(p, &p->verdict, CV_STEP_VERDICT, &step))
        return step;
    if (p->verdict.state == CV_SEAT_ANSWERED)
        return (cv_step){.kind = CV_STEP_DECIDE};
    if (p->verdict.state == CV_SEAT_ABSENT)
        return end(CV_REASON_JUDGE);
    return over(p, CV_REASON_UNDECIDED); /* that was its answer */
}

/* Has this walk come as far as it was to? */
static bool is_far_enough(const cv_plan *p, cv_reason *ret_reason)
{
    bool moved = p->next_round != p->from_round || cv_plan_part(p) != p->from_part;
    *ret_reason = p->step ? CV_REASON_STEP : CV_REASON_UNTIL;
    if (p->step && moved && !p->running)
        return true;
    return p->until == CV_UNTIL_REGISTERED && p->next_round != p->from_round;
}

static cv_step next(const cv_plan *p)
{
    cv_reason enough;
    if (p->interrupted)
        return end(CV_REASON_INTERRUPTED);
    if (p->stopping)
        return end(CV_REASON_STOPPED);
    if (p->settled < p->next_round)
        return (cv_step){.kind = CV_STEP_SETTLE};
    if (p->abandoned)
        return end(CV_REASON_ABANDONED);
    if (p->decided)
        return over(p, CV_REASON_DECIDED);
    if (is_far_enough(p, &enough))
        return end(enough);
    if (talked_out(p))
        return decide(p);
    if (p->senseless && seats_in(p, CV_SEAT_OPEN) == p->seat_count)
        return end(CV_REASON_UNMARKED);
    return all_heard(p) ? judge_round(p) : ask_panel(p);
}

/* What a step may take for granted. */
static void check(const cv_plan *p, const cv_step *step)
{
    bool of_seat = step->kind == CV_STEP_ASK || step->kind == CV_STEP_HAND_IN;
    const cv_seat *seat = of_seat ? &p->seats[step->seat] : NULL;
    assert(!of_seat || step->seat < p->seat_count);
    assert(step->kind != CV_STEP_HAND_IN || (seat->state == CV_SEAT_ANSWERED && seat->answer > 0));
    assert(step->kind != CV_STEP_ASK || (seat->state == CV_SEAT_OPEN && seat->from_ms <= p->now_ms));
    assert(step->kind != CV_STEP_ASK || seat->awaited || p->running < p->parallel);
    assert(step->kind != CV_STEP_REGISTER || seats_in(p, CV_SEAT_DONE) > 0);
    assert(step->kind != CV_STEP_DECIDE || p->verdict.answer > 0);
    (void)p, (void)seat;
}

cv_step cv_plan_next(const cv_plan *p)
{
    assert(p->seat_count == 0 || p->seats);
    cv_step step = next(p);
    check(p, &step);
    bool late = step.kind == CV_STEP_WAIT && p->spent == CV_REASON_MAX_TIME && !p->running;
    return late ? end(CV_REASON_MAX_TIME) : step; /* people and mailboxes are not waited for any longer, either */
}
