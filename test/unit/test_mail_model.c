/* test_mail_model.c - mail against a small model of it: generated sends, claims, outcomes and passing time.
 *
 * The model is a few arrays and the rules as they are written down: what is claimed next, what a lease is worth, what
 * expires. After every act the answer is compared, from time to time every delivery and every counter.
 */
#include "mail.h"

enum { AGENTS = 3, MOST = 4000, LEASE = 20 };

static const char *const agents[AGENTS] = {"muffin", "cupcake", "donut"};

typedef struct {
    int sender;
    int64_t expires; /* CV_ABSENT: never */
} message;

typedef struct {
    int message, superseded_by; /* -1: by none */
    cv_mail_state state;
    int64_t priority, attempts, token, lease, expires;
} delivery;

typedef struct {
    delivery items[MOST];
    int count;
    int seen;
} mailbox;

typedef struct {
    cv_world *w;
    cv_test_random random;
    message messages[MOST];
    int message_count;
    mailbox boxes[AGENTS];
    size_t claims, refusals, takeovers;
} model;

static size_t below(model *m, size_t limit)
{
    return cv_test_below(&m->random, limit);
}

static cv_json act(model *m, const char *operation, cv_str input, cv_err_code expected)
{
    m->w->now = mail_clock;
    if (expected == CV_ERR_NONE)
        return actor_do(m->w, NOBODY, operation, input.p);
    actor_refused(m->w, NOBODY, operation, input.p, expected);
    m->refusals++;
    return (cv_json){0};
}

/* ---- the rules --------------------------------------------------------------------------------------------------- */

static cv_mail_state now_state(const delivery *d)
{
    cv_mail_state s = d->state;
    if (s == CV_MAIL_CLAIMED && d->lease <= mail_clock)
        s = d->attempts >= CV_MAIL_MAX_ATTEMPTS ? CV_MAIL_DEAD : CV_MAIL_NEW;
    if ((s == CV_MAIL_NEW || s == CV_MAIL_FAILED) && d->superseded_by >= 0)
        return CV_MAIL_SUPERSEDED;
    if ((s == CV_MAIL_NEW || s == CV_MAIL_FAILED) && d->expires != CV_ABSENT && d->expires <= mail_clock)
        return CV_MAIL_EXPIRED;
    return s;
}

static bool can_be_claimed(cv_mail_state s)
{
    return s == CV_MAIL_NEW || s == CV_MAIL_FAILED;
}

static bool is_open(cv_mail_state s)
{
    return can_be_claimed(s) || s == CV_MAIL_CLAIMED;
}

/* The first delivery by this order that is not `done` yet; -1: none. */
static int next_by(const mailbox *b, bool by_lease, const bool *done)
{
    int best = -1;
    for (int i = 0; i < b->count; i++) {
        const delivery *d = &b->items[i], *x = best < 0 ? NULL : &b->items[best];
        if (done[i] || (by_lease ? d->state != CV_MAIL_CLAIMED || d->lease > mail_clock : !can_be_claimed(d->state)))
            continue;
        if (!x || (by_lease ? d->lease < x->lease : d->priority < x->priority))
            best = i;
    }
    return best;
}

/* What a claim takes, and settles on its way. */
static int pick(mailbox *b)
{
    int found[2] = {-1, -1};
    for (int by_lease = 0; by_lease < 2; by_lease++) {
        bool done[MOST] = {false};
        for (int i; (i = next_by(b, by_lease, done)) >= 0;) {
            cv_mail_state s = now_state(&b->items[i]);
            done[i] = true;
            if (can_be_claimed(s)) {
                found[by_lease] = i;
                break;
            }
            b->items[i].state = s;
        }
    }
    if (found[0] < 0 || found[1] < 0)
        return found[0] < 0 ? found[1] : found[0];
    const delivery *x = &b->items[found[0]], *y = &b->items[found[1]];
    bool second = y->priority < x->priority || (y->priority == x->priority && found[1] < found[0]);
    return found[second];
}

/* ---- acts -------------------------------------------------------------------------------------------------------- */

static void do_send(model *m)
{
    int from = (int)below(m, AGENTS), id = m->message_count++, old = -1;
    unsigned to = 1 + (unsigned)below(m, (1U << AGENTS) - 1);
    int64_t priority = 1 + (int64_t)below(m, 4);
    message *x = &m->messages[id];
    *x = (message){from, below(m, 4) ? CV_ABSENT : mail_clock + 1000 * (1 + (int64_t)below(m, 40))};
    cv_buf input = {0};
    cv_buf_printf(&input, "{'from': '%s', 'message_id': 'm%d', 'command': 'c', 'priority': %lld, 'to': [", agents[from],
                  id, (long long)priority);
    for (int i = 0, n = 0; i < AGENTS; i++)
        if (to >> i & 1)
            cv_buf_printf(&input, "%s'%s'", n++ ? ", " : "", agents[i]);
    cv_buf_add_z(&input, "]");
    if (x->expires != CV_ABSENT) {
        char time[CV_TIME_LEN + 1];
        cv_time_print(x->expires, time);
        cv_buf_printf(&input, ", 'expires_at': '%s'", time);
    }
    if (id > 0 && below(m, 8) == 0) {
        old = (int)below(m, (size_t)id);
        cv_buf_printf(&input, ", 'supersedes': 'm%d'", old);
    }
    cv_buf_add_z(&input, "}");
    bool allowed = old < 0 || m->messages[old].sender == from;
    act(m, "mail send", cv_buf_take(&input, &m->w->a), allowed ? CV_ERR_NONE : CV_ERR_NOT_ALLOWED);
    if (!allowed) {
        m->message_count--;
        return;
    }
    for (int i = 0; i < AGENTS; i++) {
        mailbox *b = &m->boxes[i];
        for (int k = 0; old >= 0 && k < b->count; k++)
            if (b->items[k].message == old && is_open(b->items[k].state)) {
                b->items[k].superseded_by = id;
                if (b->items[k].state != CV_MAIL_CLAIMED)
                    b->items[k].state = CV_MAIL_SUPERSEDED;
            }
        if (to >> i & 1)
            b->items[b->count++] = (delivery){
                .message = id, .superseded_by = -1, .state = CV_MAIL_NEW, .priority = priority, .expires = x->expires};
    }
}

static void do_claim(model *m)
{
    int agent = (int)below(m, AGENTS);
    mailbox *b = &m->boxes[agent];
    int64_t lease = 1 + (int64_t)below(m, LEASE);
    int i = pick(b);
    cv_json reply =
        act(m, "mail claim",
            cv_arena_printf(&m->w->a, "{'agent': '%s', 'lease_seconds': %lld}", agents[agent], (long long)lease),
            CV_ERR_NONE);
    const cv_json *told = cv_json_get(&reply, CV_STR("message"));
    if (i < 0) {
        assert_int_equal(told->type, CV_JSON_NULL);
        return;
    }
    delivery *d = &b->items[i];
    assert_int_equal(cv_json_get_int(told, "seq", 0), i + 1);
    m->takeovers += d->state == CV_MAIL_CLAIMED;
    m->claims++;
    int64_t token = cv_json_get_int(&reply, "token", 0);
    assert_true(token > d->token); /* it grows with every claim */
    d->state = CV_MAIL_CLAIMED;
    d->attempts++;
    d->token = token;
    d->lease = mail_clock + lease * 1000;
}

/* The token is the right one, an old one, or none that was ever given. */
static void do_finish(model *m)
{
    int agent = (int)below(m, AGENTS);
    mailbox *b = &m->boxes[agent];
    if (b->count == 0)
        return;
    int i = (int)below(m, (size_t)b->count), tries = 10;
    while (tries-- > 0 && b->items[i].state != CV_MAIL_CLAIMED)
        i = (int)below(m, (size_t)b->count);
    delivery *d = &b->items[i];
    bool fails = below(m, 3) == 0, wrong = below(m, 5) == 0;
    int64_t token = wrong || d->token == 0 ? d->token + 1 : d->token;
    cv_err_code expected = CV_ERR_NONE;
    if (d->state == CV_MAIL_CLAIMED)
        expected = token != d->token || d->lease <= mail_clock ? CV_ERR_LEASE_LOST : CV_ERR_NONE;
    else if (token == d->token && d->token > 0 &&
             (fails ? d->state == CV_MAIL_FAILED || (d->state == CV_MAIL_DEAD && d->lease < 0)
                    : d->state == CV_MAIL_DONE))
        expected = CV_ERR_NONE; /* the same outcome again */
    else
        expected = is_open(d->state) ? CV_ERR_NOT_CLAIMED : CV_ERR_MESSAGE_SETTLED;
    cv_json reply =
        act(m, fails ? "mail fail" : "mail done",
            cv_arena_printf(&m->w->a, "{'agent': '%s', 'message_id': 'm%d', 'token': %lld%s}", agents[agent],
                            d->message, (long long)token, fails ? ", 'error_details': 'no'" : ""),
            expected);
    if (expected != CV_ERR_NONE)
        return;
    if (d->state != CV_MAIL_CLAIMED) {
        assert_true(cv_json_get_true(&reply, "replayed"));
        return;
    }
    d->state = !fails ? CV_MAIL_DONE : d->attempts >= CV_MAIL_MAX_ATTEMPTS ? CV_MAIL_DEAD : CV_MAIL_FAILED;
    d->lease = -1; /* it ended by a word, not by time */
}

static void do_requeue(model *m)
{
    int agent = (int)below(m, AGENTS);
    mailbox *b = &m->boxes[agent];
    if (b->count == 0)
        return;
    delivery *d = &b->items[below(m, (size_t)b->count)];
    cv_mail_state s = now_state(d);
    bool can = s == CV_MAIL_DEAD || s == CV_MAIL_FAILED || s == CV_MAIL_EXPIRED;
    act(m, "mail requeue", cv_arena_printf(&m->w->a, "{'agent': '%s', 'message_id': 'm%d'}", agents[agent], d->message),
        can ? CV_ERR_NONE : CV_ERR_MESSAGE_SETTLED);
    if (!can)
        return;
    d->state = CV_MAIL_NEW;
    d->attempts = 0;
    d->expires = CV_ABSENT;
    d->lease = 0;
}

static void do_wait(model *m)
{
    int agent = (int)below(m, AGENTS), expected = 0;
    mailbox *b = &m->boxes[agent];
    cv_json reply = act(
        m, "mail wait",
        cv_arena_printf(&m->w->a, "{'agent': '%s', 'timeout_seconds': 0, 'limit': 1000}", agents[agent]), CV_ERR_NONE);
    const cv_json *told = cv_json_get(&reply, CV_STR("messages"));
    int last = b->seen;
    for (int i = b->seen; i < b->count; i++) {
        if (!is_open(b->items[i].state))
            continue;
        last = i + 1;
        if (now_state(&b->items[i]) != CV_MAIL_NEW)
            continue;
        assert_true((int)told->count > expected);
        assert_int_equal(cv_json_get_int(&told->items[expected++], "seq", 0), i + 1);
    }
    assert_int_equal(told->count, expected);
    if (expected > 0)
        b->seen = last;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void compare(model *m)
{
    for (int agent = 0; agent < AGENTS; agent++) {
        mailbox *b = &m->boxes[agent];
        cv_err err = {.arena = &m->w->turn};
        int64_t waiting = 0, now_waiting = 0, told = 0;
        for (int i = 0; i < b->count; i++) {
            cv_mail_delivery row;
            bool found;
            assert_ok(
                cv_mail_delivery_get(m->w->record, &m->w->turn, cv_str_of(agents[agent]), i + 1, &row, &found, &err),
                &err);
            assert_true(found);
            assert_view_eq(row.state, cv_mail_states[b->items[i].state].word);
            assert_int_equal(cv_mail_state_at(&row, mail_clock), now_state(&b->items[i]));
            waiting += is_open(b->items[i].state);
            now_waiting += is_open(now_state(&b->items[i]));
        }
        cv_mail_mailbox row;
        bool found;
        assert_ok(cv_mail_mailbox_get(m->w->record, &m->w->turn, cv_str_of(agents[agent]), &row, &found, &err), &err);
        assert_int_equal(found ? row.waiting : 0, waiting);
        if (found)
            assert_ok(cv_mail_waiting_of(m->w->record, &row, mail_clock, &told, &err), &err);
        assert_int_equal(told, now_waiting);
        assert_int_equal(found ? row.next_seq : 1, b->count + 1);
    }
}

static void mail_is_what_the_model_says(void **state)
{
    cv_world *w = *state;
    const char *folder = w->folder;
    w->folder = NULL; /* no files: they have a model of their own (test_mail_door.c) */
    model *m = calloc(1, sizeof *m);
    m->w = w;
    m->random.state = cv_test_seed();
    mail_clock = 1767323045678;
    mail_set_clock(w);
    mail_agents(w, agents, AGENTS);
    size_t turns = cv_test_soak() ? 6000 : 700;
    void (*const acts[])(model *) = {do_send,   do_send,   do_claim,   do_claim, do_claim,
                                     do_finish, do_finish, do_requeue, do_wait};
    for (size_t turn = 0; turn < turns && m->message_count < MOST - 1; turn++) {
        if (below(m, 3) == 0)
            mail_clock += (int64_t)below(m, 6000);
        acts[below(m, CV_COUNT(acts))](m);
        if (turn % 50 == 0)
            compare(m);
    }
    compare(m);
    mail_verify(w);
    print_message("# %d messages, %zu claims, %zu takeovers, %zu refusals\n", m->message_count, m->claims, m->takeovers,
                  m->refusals);
    assert_true(m->takeovers > 0 && m->refusals > 0);
    free(m);
    w->folder = folder;
}

/* An error that was reported once is not reported again by somebody whose lease has run out. */
static void a_late_failure_is_refused_like_an_early_one(void **state)
{
    cv_world *w = *state;
    mail_clock = 1767323045678;
    mail_set_clock(w);
    mail_agents(w, agents, AGENTS);
    actor_do(w, NOBODY, "mail send", "{'from': 'muffin', 'to': 'donut', 'command': 'c', 'message_id': 'm'}");
    int64_t token = 0;
    for (int i = 0; i < CV_MAIL_MAX_ATTEMPTS; i++) {
        cv_json reply = actor_do(w, NOBODY, "mail claim", "{'agent': 'donut', 'lease_seconds': 10}");
        token = cv_json_get_int(&reply, "token", 0);
        if (i + 1 < CV_MAIL_MAX_ATTEMPTS)
            actor_do(w, NOBODY, "mail fail",
                     cv_arena_printf(&w->a,
                                     "{'agent': 'donut', 'message_id': 'm', 'token': %lld, 'error_details': 'no'}",
                                     (long long)token)
                         .p);
    }
    mail_clock += 10001;
    actor_do(w, NOBODY, "mail claim", "{'agent': 'donut'}"); /* finds it used up */
    actor_refused(w, NOBODY, "mail fail",
                  cv_arena_printf(&w->a, "{'agent': 'donut', 'message_id': 'm', 'token': %lld, 'error_details': 'no'}",
                                  (long long)token)
                      .p,
                  CV_ERR_MESSAGE_SETTLED);
    mail_verify(w);
}

/* ---- signs of life ----------------------------------------------------------------------------------------------- */

/* Asked by nobody: to look at others is not a sign of their life. */
static cv_json life_of(cv_world *w, const char *agent)
{
    w->now = mail_clock;
    cv_json reply = actor_do(w, NOBODY, "mail stats", "{}");
    const cv_json *all = cv_json_get(&reply, CV_STR("mailboxes"));
    for (uint32_t i = 0; i < all->count; i++)
        if (cv_str_eq(cv_json_get_text(&all->items[i], "agent"), cv_str_of(agent)))
            return all->items[i];
    fail();
    return reply;
}

static void after(cv_world *w, int64_t ms, const char *operation, const char *input)
{
    mail_clock += ms;
    w->now = mail_clock;
    actor_do(w, NOBODY, operation, input);
}

/* checklist 41, 43: every act moves the time, and after five minutes without one the agent is offline. */
static void an_agent_that_is_silent_is_offline(void **state)
{
    cv_world *w = *state;
    const int64_t silence = (int64_t)CV_MAIL_SILENCE_SECONDS * 1000;
    mail_clock = 1767323045678;
    mail_set_clock(w);
    mail_agents(w, agents, AGENTS);
    cv_json life = life_of(w, "donut");
    assert_view_eq(cv_json_get_text(&life, "status"), CV_STR("offline")); /* never seen */
    assert_false(cv_json_get_text(&life, "last_seen").n > 0);
    after(w, 0, "mail send", "{'from': 'donut', 'to': 'muffin', 'body': 'x'}");
    life = life_of(w, "donut");
    assert_view_eq(cv_json_get_text(&life, "status"), CV_STR("online"));
    cv_str seen = cv_arena_copy(&w->a, cv_json_get_text(&life, "last_seen"));
    after(w, 20000, "mail wait", "{'agent': 'donut', 'timeout_seconds': 0}");
    life = life_of(w, "donut");
    assert_view_eq(cv_json_get_text(&life, "status"), CV_STR("idle"));
    assert_false(cv_str_eq(seen, cv_json_get_text(&life, "last_seen")));
    after(w, 20000, "mail claim", "{'agent': 'muffin', 'lease_seconds': 3600}");
    life = life_of(w, "muffin");
    assert_view_eq(cv_json_get_text(&life, "status"), CV_STR("busy"));
    mail_clock += silence - 1000;
    life = life_of(w, "muffin");
    assert_view_eq(cv_json_get_text(&life, "status"), CV_STR("busy"));
    mail_clock += 2000;
    life = life_of(w, "muffin"); /* its lease is not over */
    assert_view_eq(cv_json_get_text(&life, "status"), CV_STR("offline"));
    life = life_of(w, "donut");
    assert_view_eq(cv_json_get_text(&life, "status"), CV_STR("offline"));
}

/* ---- a record that fails ----------------------------------------------------------------------------------------- */

static int64_t office_rev(cv_world *w, cv_record *record)
{
    cv_err err = {.arena = &w->turn};
    cv_scope_position at;
    assert_ok(record->calls->begin(record, &w->turn, cv_mail_scope(), &at, &err), &err);
    record->calls->end(record);
    return at.rev;
}

/* Every call of the record fails once: nothing is written then, and the error is told; then it is done. */
static size_t fail_at_every_call(cv_world *w, const char *operation, const char *input, cv_json *ret_reply)
{
    cv_record *inner = w->record;
    int64_t before = office_rev(w, inner);
    for (size_t n = 1;; n++) {
        cv_record_tracing tracing = {.fail_at = n};
        w->record = cv_record_traced(&w->a, inner, &tracing);
        bool done = actor_call(w, NOBODY, false, operation, input);
        for (cv_record_companion *c = w->record->companions, *next; c; c = next) { /* the record itself stays open */
            next = c->next;
            c->close(c);
        }
        w->record = inner;
        inner->calls->end(inner);
        if (!done) {
            assert_true(w->errs.count > 0 && w->errs.items[0].message.n > 0);
            assert_int_equal(office_rev(w, inner), before);
            continue;
        }
        cv_err err = {.arena = &w->a};
        assert_int_equal(office_rev(w, inner), before + 1);
        assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, cv_buf_str(&w->out)), ret_reply, &err), &err);
        return n - 1;
    }
}

static void a_record_that_fails_leaves_nothing_half_done(void **state)
{
    cv_world *w = *state;
    cv_json reply;
    size_t calls = 0;
    const char *folder = w->folder;
    w->folder = NULL; /* no files: what fails there refuses nothing */
    mail_agents(w, agents, AGENTS);
    actor_do(w, NOBODY, "mail send", "{'from': 'muffin', 'to': 'donut', 'body': 'first', 'message_id': 'm'}");
    calls += fail_at_every_call(w, "mail send",
                                "{'from': 'donut', 'to': ['muffin', 'cupcake'], 'body': 'x', 'reply_to': 'm'}", &reply);
    calls +=
        fail_at_every_call(w, "mail plan",
                           "{'from': 'muffin', 'plan': 'p', 'tasks': [{'task_id': 'a', 'action': 'A', 'target_agent': "
                           "'donut', 'priority': 1}, {'task_id': 'b', 'action': 'B', 'target_agent': 'donut', "
                           "'depends_on': ['a']}]}",
                           &reply);
    calls += fail_at_every_call(w, "mail claim", "{'agent': 'donut'}", &reply);
    cv_str done = cv_arena_printf(&w->a, "{'agent': 'donut', 'task_id': 'a', 'token': %lld, 'output': {'n': 1}}",
                                  (long long)cv_json_get_int(&reply, "token", 0));
    calls += fail_at_every_call(w, "mail done", done.p, &reply);
    assert_int_equal(cv_json_get(&reply, CV_STR("delivered"))->count, 1);
    calls += fail_at_every_call(w, "mail wait", "{'agent': 'cupcake', 'timeout_seconds': 0}", &reply);
    calls += fail_at_every_call(w, "mail slot", "{'action': 'release', 'agent': 'donut'}", &reply);
    mail_verify(w);
    print_message("# %zu calls failed\n", calls);
    assert_true(calls > 40);
    w->folder = folder;
}

/* ---- whatever is asked ------------------------------------------------------------------------------------------- */

/* Values that a property has by turns: what it may be, other types, nothing. */
static const char *const values[] = {"'muffin'",
                                     "'cupcake'",
                                     "''",
                                     "'a/../b'",
                                     "0",
                                     "-1",
                                     "1.5",
                                     "1e400",
                                     "true",
                                     "null",
                                     "{}",
                                     "{'goal': 'x'}",
                                     "[]",
                                     "['muffin']",
                                     "[[]]",
                                     "{'results': [1, {}]}",
                                     "{'task_id': 't', 'results': {}}",
                                     "[{'task_id': 't', 'action': 'A', 'target_agent': 'donut', 'depends_on': ['t']}]",
                                     "'set'",
                                     "'list'",
                                     "'TASK_COMPLETED'",
                                     "'GENERATE_TASK_SEQUENCE'"};

static cv_str asked(cv_world *w, cv_test_random *r, const cv_json *properties)
{
    cv_buf text = {0};
    cv_buf_add_z(&text, "{'dry_run': true");
    for (uint32_t i = 0; i < properties->count; i++) {
        cv_str name = properties->members[i].key;
        if (cv_str_eq(name, CV_STR("dry_run")) || cv_test_below(r, 3) == 0)
            continue;
        bool waits = cv_str_ends(name, CV_STR("seconds"));
        cv_buf_printf(&text, ", '%.*s': %s", CV_FMT(name), waits ? "0" : values[cv_test_below(r, CV_COUNT(values))]);
    }
    cv_buf_add_char(&text, '}');
    return cv_buf_take(&text, &w->a);
}

/* A request may be anything: it is answered or refused with a reason, and says so in every operation of the room. */
static void whatever_is_asked_is_answered(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed()};
    size_t calls = 0, refused = 0, each = cv_test_soak() ? 2000 : 40;
    mail_agents(w, agents, AGENTS);
    actor_do(w, NOBODY, "mail send", "{'from': 'muffin', 'to': 'cupcake', 'body': 'x'}");
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        if (strcmp(op->room, "mail") != 0 || strcmp(op->verb, "watch") == 0)
            continue;
        const cv_json *properties = cv_json_get(cv_op_schema(op).input, CV_STR("properties"));
        for (size_t k = 0; k < each; k++) {
            cv_str text = k == 0 ? CV_STR("{}") : asked(w, &r, properties);
            const char *name = cv_arena_printf(&w->a, "mail %s", op->verb).p;
            bool done = actor_call(w, NOBODY, false, name, cv_arena_copy_z(&w->a, text));
            assert_int_equal(done, w->errs.count == 0);
            calls++;
            refused += !done;
        }
    }
    print_message("# %zu requests, %zu refused\n", calls, refused);
    assert_true(refused > 0 && refused < calls);
    mail_verify(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_late_failure_is_refused_like_an_early_one, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_record_that_fails_leaves_nothing_half_done, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(an_agent_that_is_silent_is_offline, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(whatever_is_asked_is_answered, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(mail_is_what_the_model_says, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
