/* test_writes.c - acknowledged means done: random writes against a model that knows the rules in its own words.
 *
 * Requests are drawn from few texts, so that the same ones come again and again: alternating, repeated, with and
 * without an op_id, their keys in any order, as dry runs, with the right and with a wrong expect_rev, while the clock
 * jumps back and forth. The model says of each whether it is done, replayed, tried only, or refused, and what stands
 * afterwards. Then the same with several processes at once, and with writers who are slower than all others.
 */
#include "dialogue/words/errors.h"
#include "interpose.h"
#include "rounds.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

/* ---- the model ----------------------------------------------------------------------------------------------- */

enum { OPS = 6, ROUNDS = 8, EXPERTS = 2, VERDICTS = 3, NAMES = 3, TEXT = 400, ANSWER = 4096, MOST_STEPS = 60 };

static const char *const bakers[] = {"muffin", "cupcake", NULL};

/* A request that was carried out, and what it was answered. */
typedef struct {
    char request[TEXT]; /* verb and content, in the order in which the model writes them; empty: none */
    char answer[ANSWER];
} act;

typedef struct {
    act made;
    char label[8], label_now[8];
    int score, score_now;
} model_round;

typedef struct {
    int64_t rev;
    act ops[OPS]; /* by op_id */
    int rounds;
    model_round round[ROUNDS];
    const char *response[ROUNDS + 1][EXPERTS];
    act verdicts[VERDICTS], named[NAMES], panels[ROUNDS + 1], end;
    int experts, seats;
    const char *tension;
} model;

typedef enum { DONE, REPLAYED, DRY, REFUSED, OP_CONFLICT, REV_CONFLICT, OUTCOMES } outcome;
static const char *const outcome_words[] = {"done", "replayed", "dry run", "refused", "op_id_conflict", "rev_conflict"};

static bool may_become(const char *from, const char *to)
{
    static const char *const steps[][2] = {{"open", " addressed resolved accepted "},
                                           {"addressed", " resolved reopened accepted "},
                                           {"resolved", " reopened "},
                                           {"reopened", " addressed resolved accepted "},
                                           {"accepted", " reopened "}};
    char word[20];
    snprintf(word, sizeof word, " %s ", to);
    for (size_t i = 0; i < CV_COUNT(steps); i++)
        if (strcmp(steps[i][0], from) == 0 && strstr(steps[i][1], word))
            return true;
    return strcmp(from, to) == 0;
}

/* ---- requests ------------------------------------------------------------------------------------------------ */

typedef enum { STATUS, LABEL, SCORE, RESPOND, ROUND, VERDICT, EXPERT, PANEL, ABANDON, KINDS } kind;
static const struct {
    const char *verb;
    bool may_be_dry;
} kinds[] = {{"update", true},         {"update", true},         {"update", true},
             {"respond", true},        {"round-register", true}, {"verdict-register", true},
             {"expert-create", false}, {"evolve-panel", false},  {"abandon", false}};

enum { MOST_MEMBERS = 12 };

typedef struct {
    kind kind;
    int round, which, value;
    const char *text;
    bool replace, names_round;
    int op; /* -1: none */
    bool dry, insists;
    int64_t expect_rev;
    char members[MOST_MEMBERS][120];
    int count;
    char content[TEXT]; /* what the model knows it by */
} request;

static __attribute__((format(printf, 2, 3))) void add(request *q, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(q->members[q->count++], sizeof q->members[0], format, args);
    va_end(args);
}

static void shuffle(cv_test_random *random, char (*items)[120], int count)
{
    for (int i = count - 1; i > 0; i--) {
        char swap[120];
        int k = (int)cv_test_below(random, (size_t)i + 1);
        memcpy(swap, items[i], sizeof swap);
        memcpy(items[i], items[k], sizeof swap);
        memcpy(items[k], swap, sizeof swap);
    }
}

/* {'id': …, 'status': …} in any order. */
static void add_pair(cv_test_random *random, request *q, const char *key, const char *x, const char *y)
{
    bool swapped = cv_test_below(random, 2);
    add(q, "'%s': [{%s, %s}]", key, swapped ? y : x, swapped ? x : y);
}

static void draw_members(cv_test_random *random, request *q)
{
    static const char *const statuses[] = {"resolved", "reopened", "addressed"};
    static const char *const texts[] = {"one", "two"}, *const names[] = {"bagel", "bun", "dealt"};
    char x[60], y[60];
    q->text = texts[cv_test_below(random, 2)];
    q->value = (int)cv_test_below(random, 2);
    q->which = (int)cv_test_below(random, 2);
    snprintf(q->content, sizeof q->content, "%s", kinds[q->kind].verb);
    switch (q->kind) {
    case STATUS:
        q->text = statuses[cv_test_below(random, 3)];
        snprintf(x, sizeof x, "'status': '%s'", q->text);
        add_pair(random, q, "updates", "'id': 'T0001'", x);
        break;
    case LABEL:
        snprintf(x, sizeof x, "'id': 'P%02d01'", q->round);
        snprintf(y, sizeof y, "'label': '%s'", q->text);
        add_pair(random, q, "updates", x, y);
        break;
    case SCORE:
        snprintf(x, sizeof x, "'round': %d", q->round);
        snprintf(y, sizeof y, "'score': %d", q->value);
        add_pair(random, q, "scores", x, y);
        break;
    case RESPOND:
        q->replace = cv_test_below(random, 2);
        add(q, "'expert': '%s'", bakers[q->which]);
        add(q, "'content': '%s'", q->text);
        if (q->replace)
            add(q, "'replace': true");
        if (q->names_round)
            add(q, "'round': %d", q->round);
        break;
    case ROUND:
        add(q, "'round': %d", q->round);
        add(q, "'score': %d", q->value);
        add(q, "'perspectives': [{'local_id': 'MUFFIN-P%02d01', 'label': '%s', 'content': 'c'}]", q->round, q->text);
        break;
    case VERDICT:
        q->which = (int)cv_test_below(random, VERDICTS);
        add(q, "'verdict_id': 'V%d'", q->which);
        add(q, "'verdict_type': 'interim'");
        add(q, "'recommendation': '%s'", q->text);
        add(q, "'description': 'd'");
        break;
    case EXPERT:
        q->which = (int)cv_test_below(random, NAMES);
        if (q->which < 2)
            add(q, "'expert_slug': '%s'", names[q->which]);
        add(q, "'role': 'Role %s'", q->text);
        add(q, "'tier': 'Core'");
        add(q, "'reason': 'r'");
        break;
    case PANEL:
        add(q, "'round': %d", q->round);
        add(q, "'panel': [{'slug': '%s', 'source': 'retained'}]", bakers[q->which]);
        break;
    default:
        add(q, "'reason': '%s'", q->text);
    }
}

static void draw_request(cv_test_random *random, const model *m, request *q)
{
    *q = (request){.kind = (kind)cv_test_below(random, KINDS - 1), .op = -1};
    if (cv_test_below(random, 80) == 0)
        q->kind = ABANDON;
    q->names_round = cv_test_below(random, 2);
    q->round = m->rounds - (int)cv_test_below(random, 3);
    bool registered = q->kind == LABEL || q->kind == SCORE;
    if (q->round >= m->rounds && registered)
        q->round = m->rounds - 1;
    if (q->round < 0 || (q->kind == RESPOND && !q->names_round))
        q->round = q->kind == RESPOND && !q->names_round ? m->rounds : 0;
    draw_members(random, q);
    if (q->kind == STATUS || q->kind == LABEL || q->kind == SCORE) /* pairs are shuffled inside: known by meaning */
        snprintf(q->content + strlen(q->content), 80, " %d %d %s %d", q->kind, q->kind == STATUS ? 0 : q->round,
                 q->kind == SCORE ? "" : q->text, q->kind == SCORE ? q->value : 0);
    else
        for (int i = 0; i < q->count; i++)
            snprintf(q->content + strlen(q->content), TEXT - strlen(q->content), " %s", q->members[i]);
    if (cv_test_below(random, 3) == 0)
        q->op = (int)cv_test_below(random, OPS);
    q->dry = kinds[q->kind].may_be_dry && cv_test_below(random, 6) == 0;
    q->insists = cv_test_below(random, 5) == 0;
    q->expect_rev = m->rev - (int)cv_test_below(random, 2);
    if (q->op >= 0)
        add(q, "'op_id': 'op-%d'", q->op);
    if (q->dry)
        add(q, "'dry_run': true");
    if (q->insists)
        add(q, "'expect_rev': %lld", (long long)q->expect_rev);
}

static void print_request(cv_test_random *random, const request *q, const char *id, cv_buf *out)
{
    request shuffled = *q;
    add(&shuffled, "'dialogue_id': '%s'", id);
    shuffle(random, shuffled.members, shuffled.count);
    cv_buf_clear(out);
    for (int i = 0; i < shuffled.count; i++)
        cv_buf_printf(out, "%s%s", i ? ", " : "{", shuffled.members[i]);
    cv_buf_add_char(out, '}');
}

/* ---- what the model expects ------------------------------------------------------------------------------------ */

static bool same(const act *a, const request *q)
{
    return a->request[0] && strcmp(a->request, q->content) == 0;
}

/* What the room says of the request as things stand: DONE, REPLAYED or REFUSED. *ret_first: answered as then. */
static outcome judge(const model *m, const request *q, const act **ret_first)
{
    const model_round *r = &m->round[q->round < ROUNDS ? q->round : 0];
    const char *stands = m->response[q->round][q->which < EXPERTS ? q->which : 0];
    const act *made = q->kind == ROUND && q->round < m->rounds ? &r->made
                      : q->kind == VERDICT                     ? &m->verdicts[q->which]
                      : q->kind == EXPERT && q->which < 2      ? &m->named[q->which]
                      : q->kind == PANEL                       ? &m->panels[q->round]
                      : q->kind == ABANDON                     ? &m->end
                                                               : NULL;
    bool corrected = q->kind == ROUND && (strcmp(r->label, r->label_now) != 0 || r->score != r->score_now);
    bool keeps_op = q->op >= 0 && q->replace && q->round == m->rounds && !m->end.request[0];
    if (q->kind == RESPOND && stands && strcmp(stands, q->text) == 0 && !keeps_op)
        return REPLAYED;
    if (made && same(made, q) && !corrected) {
        *ret_first = made;
        return REPLAYED;
    }
    bool answered = false; /* until then a panel replaces another one */
    for (int i = 0; i < EXPERTS; i++)
        answered |= m->response[q->round][i] != NULL;
    bool stays = made && made->request[0] && (q->kind != PANEL || answered);
    if (stays || m->end.request[0])
        return REFUSED;
    if (q->kind == STATUS)
        return may_become(m->tension, q->text) ? DONE : REFUSED;
    if (q->kind == RESPOND)
        return !stands || (q->replace && q->round == m->rounds) ? DONE : REFUSED;
    if (q->kind == ROUND || q->kind == PANEL)
        return q->round == m->rounds ? DONE : REFUSED;
    return DONE;
}

static outcome expect(const model *m, const request *q, const act **ret_first)
{
    *ret_first = NULL;
    if (q->op >= 0 && m->ops[q->op].request[0]) {
        *ret_first = &m->ops[q->op];
        return same(&m->ops[q->op], q) ? REPLAYED : OP_CONFLICT;
    }
    outcome o = judge(m, q, ret_first);
    if (o != DONE)
        return o;
    return q->insists && q->expect_rev != m->rev ? REV_CONFLICT : q->dry ? DRY : DONE;
}

static void apply(model *m, const request *q, cv_str answer)
{
    act a;
    snprintf(a.request, sizeof a.request, "%s", q->content);
    assert_true(answer.n < ANSWER);
    snprintf(a.answer, sizeof a.answer, "%.*s", CV_FMT(answer));
    m->rev++;
    if (q->op >= 0)
        m->ops[q->op] = a;
    if (q->kind == STATUS)
        m->tension = q->text;
    else if (q->kind == LABEL)
        snprintf(m->round[q->round].label_now, 8, "%s", q->text);
    else if (q->kind == SCORE)
        m->round[q->round].score_now = q->value;
    else if (q->kind == RESPOND)
        m->response[q->round][q->which] = q->text;
    else if (q->kind == VERDICT)
        m->verdicts[q->which] = a;
    else if (q->kind == ABANDON)
        m->end = a;
    else if (q->kind == ROUND) {
        model_round *r = &m->round[m->rounds++];
        *r = (model_round){.made = a, .score = q->value, .score_now = q->value};
        snprintf(r->label, 8, "%s", q->text);
        snprintf(r->label_now, 8, "%s", q->text);
    } else if (q->kind == EXPERT) {
        m->experts++;
        if (q->which < 2)
            m->named[q->which] = a;
    } else if (q->kind == PANEL) {
        m->seats += !m->panels[q->round].request[0];
        m->panels[q->round] = a;
    }
}

/* ---- what the record says ---------------------------------------------------------------------------------------- */

static outcome told(cv_world *w, bool accepted)
{
    if (!accepted)
        return w->errs.items[0].code == CV_ERR_OP_CONFLICT    ? OP_CONFLICT
               : w->errs.items[0].code == CV_ERR_REV_CONFLICT ? REV_CONFLICT
                                                              : REFUSED;
    cv_str answer = cv_buf_str(&w->out);
    return cv_str_find(answer, CV_STR("\"replayed\":true")) != SIZE_MAX  ? REPLAYED
           : cv_str_find(answer, CV_STR("\"dry_run\":true")) != SIZE_MAX ? DRY
                                                                         : DONE;
}

static void compare(cv_world *w, const model *m, const char *id)
{
    cv_state s = cv_world_state(w, id);
    size_t responses = 0, verdicts = 0;
    assert_int_equal(s.position.rev, m->rev);
    assert_int_equal(s.rounds.count, m->rounds);
    assert_str_eq(cv_state_entity(&s, CV_STR("T0001"))->status, m->tension);
    for (int i = 0; i < m->rounds; i++) {
        char name[16];
        snprintf(name, sizeof name, "P%02d01", i);
        assert_str_eq(cv_state_entity(&s, cv_str_of(name))->label, m->round[i].label_now);
        assert_int_equal(s.rounds.items[i].score, m->round[i].score_now);
    }
    for (int i = 0; i <= m->rounds; i++)
        for (int k = 0; k < EXPERTS; k++)
            responses += m->response[i][k] != NULL;
    assert_int_equal(s.responses.count, responses);
    for (size_t i = 0; i < s.responses.count; i++) {
        const cv_rec_response *row = &s.responses.items[i];
        assert_str_eq(row->content, m->response[row->round][cv_str_eq(row->expert_slug, CV_STR("cupcake"))]);
    }
    for (int i = 0; i < VERDICTS; i++)
        verdicts += m->verdicts[i].request[0] != 0;
    assert_int_equal(s.verdicts.count, verdicts);
    assert_int_equal(s.experts.count, m->experts);
    assert_int_equal(s.seats.count, m->seats);
    for (size_t i = 0; i < s.events.count; i++)
        assert_int_equal(s.events.items[i].seq, i + 1);
}

/* One request, sent and judged. */
static outcome step(cv_world *w, cv_test_random *random, model *m, const char *id, cv_buf *text)
{
    request q;
    const act *first;
    draw_request(random, m, &q);
    print_request(random, &q, id, text);
    outcome expected = expect(m, &q, &first);
    if (cv_test_below(random, 4) == 0) /* the clock is set, mostly back */
        w->now += (int64_t)cv_test_below(random, 3000000) - 2000000;
    bool accepted = cv_world_call_text(w, kinds[q.kind].verb, cv_buf_str(text));
    outcome found = told(w, accepted);
    if (found != expected) {
        print_error("%s, expected: %s\n%s %.*s\n", outcome_words[found], outcome_words[expected], kinds[q.kind].verb,
                    CV_FMT(cv_buf_str(text)));
        print_error("%.*s\n", CV_FMT(accepted ? cv_buf_str(&w->out) : cv_err_text(&w->errs.items[0])));
        fail();
    }
    if (found == DONE)
        apply(m, &q, cv_buf_str(&w->out));
    /* Answered as the first time; the answer of `respond` goes on with what is found again. */
    if (found == REPLAYED && first && q.kind != RESPOND)
        assert_view_eq(cv_buf_str(&w->out), cv_arena_printf(&w->turn, "%.*s,\"replayed\":true}",
                                                            (int)strlen(first->answer) - 1, first->answer));
    return found;
}

static void begin(cv_world *w, model *m, const char *id)
{
    cv_world_dialogue(w, id, bakers, false);
    cv_str first = cv_world_request(
        &w->a, cv_arena_printf(&w->a,
                               "{'dialogue_id': '%s', 'round': 0, 'score': 7, 'perspectives': [{'local_id': "
                               "'MUFFIN-P0001', 'label': 'first', 'content': 'c'}], 'tensions': [{'local_id': "
                               "'MUFFIN-T0001', 'label': 't', 'content': 'c'}]}",
                               id));
    assert_true(cv_world_call_json(w, "round-register", first));
    *m = (model){.rev = 2, .rounds = 1, .experts = 2, .seats = 2, .tension = "open"};
    m->round[0] = (model_round){.made.request = "another", .label = "first", .label_now = "first", 7, 7};
    snprintf(m->panels[0].request, TEXT, "another");
}

static void acknowledged_is_done(void **state)
{
    (void)state;
    cv_world w;
    cv_test_random random = {cv_test_seed()};
    cv_buf text = {0};
    size_t counts[OUTCOMES] = {0}, cases = cv_test_soak() ? 200000 : 4000, done = 0;
    model *m = test_calloc(1, sizeof *m);
    print_message("# %zu requests\n", cases);
    cv_world_open(&w);
    for (int number = 0; done < cases; number++) {
        char id[32];
        snprintf(id, sizeof id, "d%d", number);
        begin(&w, m, id);
        for (int i = 0; i < MOST_STEPS && m->rounds < ROUNDS; i++, done++) {
            counts[step(&w, &random, m, id, &text)]++;
            compare(&w, m, id);
        }
        cv_rounds_verify(&w, id);
        if (number % 20 == 19) { /* a new store now and then: large ones make fsync slow */
            cv_world_close(&w);
            cv_world_open(&w);
        }
    }
    for (int i = 0; i < OUTCOMES; i++) {
        print_message("# %s %zu\n", outcome_words[i], counts[i]);
        assert_true(counts[i] > cases / 100);
    }
    cv_world_close(&w);
    cv_buf_release(&text);
    test_free(m);
}

/* ---- the cases that led here ------------------------------------------------------------------------------------- */

static outcome call(cv_world *w, const char *verb, const char *text)
{
    return told(w, cv_world_call(w, verb, text));
}

#define SET(status, more) "{'dialogue_id': 'd', 'updates': [{'id': 'T0001', 'status': '" status "'}]" more "}"

static void assert_tension(cv_world *w, const char *status)
{
    cv_state s = cv_world_state(w, "d");
    assert_str_eq(cv_state_entity(&s, CV_STR("T0001"))->status, status);
}

static void the_third_of_alternating_updates_is_done(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
    static const char *const turns[] = {SET("resolved", ""), SET("reopened", ""), SET("resolved", "")};
    static const char *const statuses[] = {"resolved", "reopened", "resolved"};
    for (size_t i = 0; i < CV_COUNT(turns); i++) {
        assert_int_equal(call(w, "update", turns[i]), DONE);
        assert_tension(w, statuses[i]);
    }
    assert_int_equal(call(w, "update", turns[2]), DONE); /* the same status again is an event, too */
    assert_int_equal(cv_world_position(w, "d").rev, m.rev + 4);
}

static void an_op_id_belongs_to_one_request(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
    static const char round[] = "{'dialogue_id': 'd', 'round': 1, 'score': 1, 'title': 'a', 'op_id': 'x'}";
    assert_int_equal(call(w, "round-register", round), DONE);
    assert_int_equal(
        call(w, "round-register", "{'op_id': 'x', 'title': 'a', 'score': 1, 'round': 1, 'dialogue_id': 'd'}"),
        REPLAYED);
    assert_int_equal(
        call(w, "round-register", "{'op_id': 'x', 'title': 'a', 'score': 1, 'round': 2, 'dialogue_id': 'd'}"),
        OP_CONFLICT);
    /* Two operations that take the same input. */
    static const char reason[] = "{'dialogue_id': 'd', 'reason': 'r', 'role': 'R', 'tier': 'Core', 'op_id': 'y'}";
    assert_int_equal(call(w, "expert-create", reason), DONE);
    assert_int_equal(call(w, "abandon", "{'dialogue_id': 'd', 'reason': 'r', 'op_id': 'y'}"), OP_CONFLICT);
    static const char update[] = SET("resolved", ", 'op_id': 'z'");
    assert_int_equal(call(w, "update", update), DONE);
    assert_int_equal(call(w, "update", SET("reopened", "")), DONE);
    assert_int_equal(call(w, "update", update), REPLAYED);
    assert_tension(w, "reopened");
    /* Names that the program itself might give. */
    assert_int_equal(call(w, "update", SET("resolved", ", 'op_id': 'rev-7'")), DONE);
    assert_int_equal(call(w, "update", SET("reopened", "")), DONE);
}

/* The same digest for two operations: nothing but the operation tells them apart. */
static void the_operation_is_a_part_of_the_request(void **state)
{
    cv_world *w = *state;
    cv_call one = cv_world_begin(w);
    cv_json input;
    cv_err err = {.arena = &w->turn};
    assert_ok(cv_json_parse(&w->turn, CV_STR("{\"b\":{\"y\":1,\"x\":[{\"d\":2,\"c\":3}]},\"a\":1}"), &input, &err),
              &err);
    one.input = &input;
    cv_request_begin(&one, CV_STR("dialogue update"));
    cv_str update = cv_request_digest(&one);
    cv_request_begin(&one, CV_STR("dialogue abandon"));
    assert_false(cv_str_eq(cv_request_digest(&one), update));
    static const char *const alike[] = {
        "{\"a\":1,\"b\":{\"x\":[{\"c\":3,\"d\":2}],\"y\":1}}",
        "{\"b\":{\"x\":[{\"d\":2,\"c\":3}],\"y\":1},\"op_id\":\"o\",\"a\":1}",
        "{\"dry_run\":true,\"expect_rev\":3,\"a\":1,\"b\":{\"y\":1,\"x\":[{\"c\":3,\"d\":2}]}}"};
    static const char *const others[] = {"{\"a\":1,\"b\":{\"x\":[{\"c\":2,\"d\":3}],\"y\":1}}",
                                         "{\"a\":1,\"b\":{\"x\":[{\"c\":3},{\"d\":2}],\"y\":1}}", "{\"a\":1}", "{}",
                                         "{\"a\":1.0,\"b\":{\"x\":[{\"c\":3,\"d\":2}],\"y\":1}}" /* as written */};
    for (size_t i = 0; i < CV_COUNT(alike) + CV_COUNT(others); i++) {
        bool is_alike = i < CV_COUNT(alike);
        const char *text = is_alike ? alike[i] : others[i - CV_COUNT(alike)];
        assert_ok(cv_json_parse(&w->turn, cv_str_of(text), &input, &err), &err);
        cv_request_begin(&one, CV_STR("dialogue update"));
        assert_int_equal(cv_str_eq(cv_request_digest(&one), update), is_alike);
    }
}

static void a_dry_run_answers_what_the_call_would(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
    assert_int_equal(call(w, "update", SET("resolved", ", 'op_id': 'x'")), DONE);
    static const struct {
        const char *text;
        outcome expected;
    } cases[] = {
        {SET("reopened", ", 'dry_run': true"), DRY},
        {SET("reopened", ", 'dry_run': true, 'expect_rev': 3"), DRY},
        {SET("reopened", ", 'dry_run': true, 'expect_rev': 2"), REV_CONFLICT},
        {SET("reopened", ", 'dry_run': true, 'expect_rev': 4"), REV_CONFLICT},
        {SET("resolved", ", 'dry_run': true, 'op_id': 'x'"), REPLAYED},
        {SET("resolved", ", 'dry_run': true, 'op_id': 'x', 'expect_rev': 1"), REPLAYED},
        {SET("reopened", ", 'dry_run': true, 'op_id': 'x'"), OP_CONFLICT},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        assert_int_equal(call(w, "update", cases[i].text), cases[i].expected);
    assert_int_equal(cv_world_position(w, "d").rev, 3);
}

/* What stands now is the same, or it is not. */
/* A retry that comes late must not undo what was written since. */
static void a_replacement_with_an_op_id_is_done_once(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
#define RESPOND(text, more) "{'dialogue_id': 'd', 'round': 1, 'expert': 'muffin', 'content': '" text "'" more "}"
    assert_int_equal(call(w, "respond", RESPOND("one", "")), DONE);
    assert_int_equal(call(w, "respond", RESPOND("one", "")), REPLAYED);
    assert_int_equal(call(w, "respond", RESPOND("one", ", 'replace': true, 'op_id': 'q'")), DONE);
    assert_int_equal(call(w, "respond", RESPOND("two", ", 'replace': true")), DONE);
    int64_t rev = cv_world_position(w, "d").rev;
    assert_int_equal(call(w, "respond", RESPOND("one", ", 'replace': true, 'op_id': 'q'")), REPLAYED);
    assert_int_equal(cv_world_position(w, "d").rev, rev);
#undef RESPOND
}

static void what_was_changed_since_is_not_replayed(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
    static const char round[] =
        "{'dialogue_id': 'd', 'round': 1, 'score': 3, 'title': 'a', 'summary': 's', 'expert_scores':"
        "{'muffin': 1}, 'claims': [{'local_id': 'MUFFIN-C0101', 'label': 'l', 'content': 'c'}]}";
    static const char *const corrections[][2] = {
        {"{'dialogue_id': 'd', 'updates': [{'id': 'C0101', 'label': 'k'}]}",
         "{'dialogue_id': 'd', 'updates': [{'id': 'C0101', 'label': 'l'}]}"},
        {"{'dialogue_id': 'd', 'updates': [{'id': 'C0101', 'content': 'k'}]}",
         "{'dialogue_id': 'd', 'updates': [{'id': 'C0101', 'content': 'c'}]}"},
        {"{'dialogue_id': 'd', 'scores': [{'round': 1, 'score': 4}]}",
         "{'dialogue_id': 'd', 'scores': [{'round': 1, 'score': 3}]}"},
        {"{'dialogue_id': 'd', 'scores': [{'round': 1, 'expert': 'muffin', 'score': 4}]}",
         "{'dialogue_id': 'd', 'scores': [{'round': 1, 'expert': 'muffin', 'score': 1}]}"},
        {"{'dialogue_id': 'd', 'summaries': [{'round': 1, 'title': 'b'}]}",
         "{'dialogue_id': 'd', 'summaries': [{'round': 1, 'title': 'a'}]}"},
        {"{'dialogue_id': 'd', 'summaries': [{'round': 1, 'summary': 'b'}]}",
         "{'dialogue_id': 'd', 'summaries': [{'round': 1, 'summary': 's'}]}"},
    };
    assert_int_equal(call(w, "round-register", round), DONE);
    for (size_t i = 0; i < CV_COUNT(corrections); i++) {
        assert_int_equal(call(w, "update", corrections[i][0]), DONE);
        assert_int_equal(call(w, "round-register", round), REFUSED);
        assert_int_equal(w->errs.items[0].code, CV_ERR_ROUND_REGISTERED);
        assert_str_has(w->errs.items[0].message, "corrected");
        assert_int_equal(call(w, "update", corrections[i][1]), DONE);
        assert_int_equal(call(w, "round-register", round), REPLAYED);
    }
    assert_int_equal(call(w, "update", "{'dialogue_id': 'd', 'updates': [{'id': 'C0101', 'status': 'supported'}]}"),
                     DONE);
    assert_int_equal(call(w, "round-register", round), REPLAYED); /* a status moves on */
    assert_int_equal(
        call(w, "update", "{'dialogue_id': 'd', 'scores': [{'round': 1, 'expert': 'cupcake', 'score': 0}]}"), DONE);
    assert_int_equal(call(w, "round-register", round), REFUSED);
    /* An expert who was made for round 2 and sits in another one first. */
    static const char expert[] =
        "{'dialogue_id': 'd', 'expert_slug': 'bun', 'role': 'R', 'tier': 'Core', 'reason': 'r',"
        "'first_round': 3}";
    assert_int_equal(call(w, "expert-create", expert), DONE);
    assert_int_equal(call(w, "expert-create", expert), REPLAYED);
    static const char panel[] = "{'dialogue_id': 'd', 'round': 2, 'panel': [{'slug': 'bun', 'source': 'created'}]}";
    assert_int_equal(call(w, "evolve-panel", panel), DONE);
    assert_int_equal(call(w, "evolve-panel", panel), REPLAYED);
    assert_int_equal(call(w, "expert-create", expert), REFUSED);
    assert_int_equal(w->errs.items[0].code, CV_ERR_EXPERT_EXISTS);
    /* A verdict that leaves out its round. */
    static const char verdict[] =
        "{'dialogue_id': 'd', 'verdict_id': 'V', 'verdict_type': 'interim', 'recommendation': 'r',"
        "'description': 'd'}";
    assert_int_equal(call(w, "verdict-register", verdict), DONE);
    assert_int_equal(call(w, "round-register", "{'dialogue_id': 'd', 'round': 2, 'score': 0}"), DONE);
    assert_int_equal(call(w, "verdict-register", verdict), REPLAYED);
    assert_int_equal(call(w, "evolve-panel", panel), REPLAYED); /* also once its round is registered */
    cv_rounds_verify(w, "d");
}

/* The panel that `get` shows, as "muffin,scone,". */
static cv_str panel_shown(cv_world *w)
{
    cv_json answer;
    cv_err err = {.arena = &w->turn};
    cv_buf names = {0};
    assert_int_equal(call(w, "get", "{'dialogue_id': 'd'}"), DONE);
    assert_ok(cv_json_parse(&w->turn, cv_buf_str(&w->out), &answer, &err), &err);
    const cv_json *panel = cv_json_get(&answer, CV_STR("panel"));
    for (uint32_t i = 0; i < panel->count; i++)
        cv_buf_printf(&names, "%.*s,", CV_FMT(cv_json_get_text(&panel->items[i], "slug")));
    return cv_buf_take(&names, &w->a);
}

/* Any panel replaces any other, as often as the judge wants, until somebody has answered. */
static void a_panel_is_replaced_until_somebody_answers(void **state)
{
    enum { PEOPLE = 5, TIMES = 12 };
    static const char *const people[PEOPLE] = {"bun", "roll", "bap", "loaf", "naan"};
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed()};
    cv_world_dialogue(w, "d", (const char *[]){"bun", "roll", "bap", "loaf", "naan", NULL}, false);
    for (int round = 0; round < 3; round++) {
        cv_str last = {NULL, 0}, wanted = {NULL, 0};
        for (size_t time = 0; time <= cv_test_below(&r, TIMES); time++) {
            cv_buf places = {0}, names = {0};
            size_t seats = 1 + cv_test_below(&r, PEOPLE), first = cv_test_below(&r, PEOPLE);
            for (size_t i = 0; i < seats; i++) {
                cv_buf_printf(&places, "%s{'slug': '%s'}", i ? ", " : "", people[(first + i) % PEOPLE]);
                cv_buf_printf(&names, "%s,", people[(first + i) % PEOPLE]);
            }
            last = cv_arena_printf(&w->a, "{'dialogue_id': 'd', 'round': %d, 'panel': [%.*s]}", round,
                                   CV_FMT(cv_buf_str(&places)));
            bool same = cv_str_eq(wanted, cv_buf_str(&names));
            wanted = cv_buf_take(&names, &w->a);
            cv_buf_release(&places);
            assert_int_equal(call(w, "evolve-panel", last.p), same ? REPLAYED : DONE);
            assert_int_equal(call(w, "evolve-panel", last.p), REPLAYED);
            cv_str shown = panel_shown(w);
            assert_int_equal(shown.n, wanted.n);
            assert_memory_equal(shown.p, wanted.p, shown.n);
        }
        assert_int_equal(
            call(w, "respond",
                 cv_arena_printf(&w->a, "{'dialogue_id': 'd', 'round': %d, 'expert': 'bun', 'no_contribution': true}",
                                 round)
                     .p),
            DONE);
        assert_int_equal(call(w, "evolve-panel", last.p), REPLAYED);
        assert_int_equal(
            call(w, "evolve-panel",
                 cv_arena_printf(
                     &w->a, "{'dialogue_id': 'd', 'round': %d, 'panel': [{'slug': 'bun', 'focus': 'another'}]}", round)
                     .p),
            REFUSED);
        assert_int_equal(w->errs.items[0].code, CV_ERR_PANEL_EXISTS);
        cv_rounds_verify(w, "d");
        assert_int_equal(
            call(w, "round-register", cv_arena_printf(&w->a, "{'dialogue_id': 'd', 'round': %d, 'score': 0}", round).p),
            DONE);
        assert_int_equal(call(w, "evolve-panel", last.p), REPLAYED);
    }
    cv_rounds_verify(w, "d");
}

/* Whether a response was late is a question of order, not of clocks. */
static void the_clock_may_be_set_back(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
    assert_int_equal(call(w, "respond", "{'dialogue_id': 'd', 'expert': 'muffin', 'content': 'one'}"), DONE);
    w->now -= 86400000;
    assert_int_equal(call(w, "round-register", "{'dialogue_id': 'd', 'round': 1, 'score': 0}"), DONE);
    static const char early[] = "{'dialogue_id': 'd', 'expert': 'muffin', 'content': 'one', 'round': 1}";
    assert_int_equal(call(w, "respond", early), REPLAYED);
    assert_true(cv_str_find(cv_buf_str(&w->out), CV_STR("late_response")) == SIZE_MAX);
    w->now -= 86400000;
    static const char late[] = "{'dialogue_id': 'd', 'expert': 'cupcake', 'content': 'two', 'round': 1}";
    assert_int_equal(call(w, "respond", late), DONE);
    assert_str_has(cv_buf_str(&w->out), "late_response");
    cv_state s = cv_world_state(w, "d");
    for (size_t i = 0; i < s.events.count; i++)
        assert_int_equal(s.events.items[i].seq, i + 1);
    cv_rounds_verify(w, "d");
    assert_true(cv_world_call(w, "list", "{}"));
}

/* ---- memory of tries that were overtaken ----------------------------------------------------------------------------
 */

typedef struct {
    cv_world rival;
    int left;
} overtaker;

static void overtake(void *ctx, bool to_write)
{
    overtaker *o = ctx;
    if (!to_write || o->left == 0)
        return;
    o->left--;
    assert_int_equal(call(&o->rival, "update", SET("addressed", "")), DONE);
}

static size_t memory_of_update(cv_world *w, int overtaken)
{
    overtaker o = {.left = overtaken};
    cv_interposed x;
    cv_rounds_open(&o.rival, w->folder);
    cv_interpose(&x, w->record, overtake, &o);
    cv_arena_release(&w->turn);
    assert_int_equal(call(w, "update", "{'dialogue_id': 'd', 'updates': [{'id': 'P0001', 'label': 'new'}]}"), DONE);
    cv_interpose_end(&x);
    assert_int_equal(o.left, 0);
    cv_rounds_close(&o.rival);
    return w->turn.bytes;
}

static void tries_that_were_overtaken_give_their_memory_back(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
    cv_buf text = {0};
    cv_buf_add_z(&text, "{'dialogue_id': 'd', 'round': 1, 'score': 0, 'perspectives': [");
    for (int i = 1; i <= 60; i++)
        cv_buf_printf(&text, "%s{'local_id': 'MUFFIN-P01%02d', 'label': 'l', 'content': '%04000d'}", i > 1 ? "," : "",
                      i, i);
    cv_buf_add_z(&text, "]}");
    assert_true(cv_world_call_text(w, "round-register", cv_buf_str(&text)));
    cv_buf_release(&text);
    size_t once = memory_of_update(w, 0), often = memory_of_update(w, 3);
    print_message("# bytes: %zu, after three lost tries %zu\n", once, often);
    assert_true(once > 100000 && often < once * 3 / 2);
}

/* ---- many processes ------------------------------------------------------------------------------------------------
 */

enum { WRITERS = 6, SHARED_OPS = 8, SLOW = 12, FAST = 4, PATIENCE_S = 120 };

/* The answers of all processes together. */
typedef struct {
    atomic_int done[KINDS], by_op[SHARED_OPS], slow_left, lost;
    atomic_int revs[20000]; /* how many were told that they made this rev */
} tellings;

typedef struct {
    const char *folder;
    int who, writes;
    uint64_t seed;
    tellings *told;
} writer;

static tellings *run_processes(cv_world *w, int count, int writes, uint64_t seed, void (*run)(const writer *),
                               tellings *told)
{
    cv_world_leave(w);
    pid_t children[SLOW + FAST];
    for (int i = 0; i < count; i++)
        if ((children[i] = fork()) == 0) {
            alarm(PATIENCE_S);
            run(&(writer){w->folder, i, writes, seed + (uint64_t)i, told});
        }
    int failed = 0;
    for (int i = 0; i < count; i++) {
        int status;
        waitpid(children[i], &status, 0);
        failed += status != 0;
    }
    assert_int_equal(failed, 0);
    cv_world_return(w);
    return told;
}

static tellings *new_tellings(void)
{
    tellings *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    return told;
}

/* Sends it; counts it when it was done. */
static outcome send(cv_world *w, const writer *me, kind k, cv_str text)
{
    outcome o = told(w, cv_world_call_text(w, kinds[k].verb, text));
    cv_json answer;
    cv_err err = {.arena = &w->turn};
    if (o != DONE)
        return o;
    if (!cv_json_parse(&w->turn, cv_buf_str(&w->out), &answer, &err))
        cv_rounds_die("an answer is not JSON", NULL);
    me->told->done[k]++;
    me->told->revs[cv_json_get_int(&answer, "rev", 0)]++;
    return o;
}

/* Equal updates, with and without op_ids that all share; texts of one expert that replace each other. */
static _Noreturn void write_among_others(const writer *me)
{
    cv_world w;
    cv_test_random random = {me->seed};
    cv_rounds_open(&w, me->folder);
    for (int i = 0; i < me->writes; i++) {
        const char *text = cv_test_below(&random, 2) ? "one" : "two";
        int op = (int)cv_test_below(&random, SHARED_OPS);
        size_t what = cv_test_below(&random, 4);
        outcome o;
        if (what == 0) {
            o = send(&w, me, RESPOND,
                     cv_arena_printf(&w.a, "{'dialogue_id': 'd', 'expert': 'muffin', 'content': '%s', 'replace': true}",
                                     text));
        } else if (what == 1) {
            bool swapped = cv_test_below(&random, 2);
            o = send(&w, me, SCORE,
                     cv_arena_printf(&w.a, "{'dialogue_id': 'd', 'scores': [{%s, %s}], 'op_id': 'op-%d'}",
                                     swapped ? "'score': 1" : "'round': 0", swapped ? "'round': 0" : "'score': 1", op));
            me->told->by_op[op] += o == DONE;
        } else
            o = send(&w, me, LABEL,
                     cv_arena_printf(&w.a, "{'dialogue_id': 'd', 'updates': [{'id': 'P0001', 'label': '%s'}]}", text));
        if (o != DONE && (o != REPLAYED || what > 1))
            cv_rounds_die("a write was not done", &w.errs);
    }
    cv_rounds_close(&w);
    _exit(0);
}

static void many_writers_are_told_the_truth(void **state)
{
    cv_world *w = *state;
    model m;
    int writes = cv_test_soak() ? 1500 : 40, commented = 0, replaced = 0, expected = 0;
    begin(w, &m, "d");
    print_message("# %d processes, %d requests each\n", WRITERS, writes);
    tellings *told = run_processes(w, WRITERS, writes, cv_test_seed(), write_among_others, new_tellings());
    cv_state s = cv_world_state(w, "d");
    for (size_t i = 0; i < s.events.count; i++) {
        commented += cv_str_eq(s.events.items[i].event_type, CV_STR("commented"));
        replaced += cv_str_eq(s.events.items[i].subject_type, CV_STR("S"));
    }
    assert_int_equal(commented, told->done[LABEL] + told->done[SCORE]);
    assert_int_equal(replaced, told->done[RESPOND]);
    for (int i = 0; i < SHARED_OPS; i++) {
        assert_true(told->by_op[i] <= 1);
        expected += told->by_op[i];
    }
    assert_int_equal(told->done[SCORE], expected);
    assert_int_equal(s.position.rev, m.rev + told->done[LABEL] + told->done[SCORE] + told->done[RESPOND]);
    for (int64_t rev = m.rev + 1; rev <= s.position.rev; rev++)
        assert_int_equal(told->revs[rev], 1);
    cv_rounds_verify(w, "d");
    munmap(told, sizeof *told);
}

/* ---- writers who are slower than all others
 * -------------------------------------------------------------------------- */

static void take_long(void *ctx, const char *name, cv_scope_id scope, size_t rows, cv_write_result result)
{
    (void)ctx, (void)scope, (void)rows, (void)result;
    if (strcmp(name, "begin") == 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* The fast ones do not stop before the last of the slow ones is done: who only tries again loses for ever. */
static _Noreturn void write_slowly_or_fast(const writer *me)
{
    cv_world w;
    cv_record_tracing tracing = {.trace = take_long};
    bool slow = me->who >= FAST;
    cv_rounds_open(&w, me->folder);
    cv_record *record = w.record;
    if (slow)
        w.record = cv_record_traced(&w.a, record, &tracing);
    for (int i = 0; slow ? i < me->writes : me->told->slow_left > 0; i++)
        if (send(&w, me, LABEL, CV_STR("{'dialogue_id': 'd', 'updates': [{'id': 'P0001', 'label': 'equal'}]}")) != DONE)
            cv_rounds_die("a write was refused", &w.errs);
    me->told->slow_left -= slow;
    w.record = record;
    cv_rounds_close(&w);
    _exit(0);
}

static void nobody_starves(void **state)
{
    cv_world *w = *state;
    model m;
    begin(w, &m, "d");
    tellings *told = new_tellings();
    told->slow_left = SLOW;
    run_processes(w, SLOW + FAST, cv_test_soak() ? 20 : 2, 0, write_slowly_or_fast, told);
    assert_int_equal(cv_world_position(w, "d").rev, m.rev + told->done[LABEL]);
    print_message("# %d writes\n", told->done[LABEL]);
    cv_rounds_verify(w, "d");
    munmap(told, sizeof *told);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cv_world_set_up, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acknowledged_is_done),
        TEST(the_third_of_alternating_updates_is_done),
        TEST(a_replacement_with_an_op_id_is_done_once),
        TEST(an_op_id_belongs_to_one_request),
        TEST(the_operation_is_a_part_of_the_request),
        TEST(a_dry_run_answers_what_the_call_would),
        TEST(what_was_changed_since_is_not_replayed),
        TEST(a_panel_is_replaced_until_somebody_answers),
        TEST(the_clock_may_be_set_back),
        TEST(tries_that_were_overtaken_give_their_memory_back),
        TEST(many_writers_are_told_the_truth),
        TEST(nobody_starves),
    };
    if (access("/dev/shm", W_OK) == 0) /* thousands of syncs are not what is tested here */
        setenv("TMPDIR", "/dev/shm", 1);
    return cmocka_run_group_tests_name("writes", tests, NULL, NULL);
}
