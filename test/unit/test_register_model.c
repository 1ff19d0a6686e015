/* test_register_model.c - random rounds, sound and faulty, against a small model that knows the rules in its own words.
 *
 * After each request: a sound one is accepted and every status, number, reference and total is the model's, also when
 * folded from the events; a faulty one is refused and leaves no trace. The seed is fixed, so a failure repeats.
 */
#include "world.h"

#include <string.h>

enum { EXPERTS = 4, JUDGE = 4, MOST_ROUNDS = 4, MOST_PER_KIND = 4, MOST = 5 * MOST_ROUNDS * MOST_PER_KIND };

static const char *const experts[] = {"muffin", "cupcake", "scone", "donut", NULL};
static const char *const upper[] = {"MUFFIN", "CUPCAKE", "SCONE", "DONUT"};
static const char letters[] = "PRTEC";
static const char *const lists[] = {"perspectives", "recommendations", "tensions", "evidence", "claims"};
static const char *const updates[] = {"perspective_updates", "recommendation_updates", "tension_updates",
                                      "evidence_updates", "claim_updates"};
static const char *const refs[] = {"support", "oppose",   "refine", "address", "resolve",
                                   "reopen",  "question", "depend", "resort"};
enum { SUPPORT, OPPOSE, REFINE, ADDRESS, RESOLVE, REOPEN, QUESTION, DEPEND, NO_REF };
enum { KIND_P, KIND_R, KIND_T, KIND_E, KIND_C };

static const char *const statuses[5][6] = {{"open", "refined", "conceded", "merged"},
                                           {"proposed", "amended", "adopted", "rejected"},
                                           {"open", "addressed", "resolved", "reopened", "accepted"},
                                           {"cited", "challenged", "confirmed", "refuted"},
                                           {"asserted", "supported", "opposed", "adopted", "withdrawn"}};

/* What may follow what: kind, from, and the words it may become. */
static const struct {
    int kind;
    const char *from, *to;
} rules[] = {
    {KIND_P, "open", " refined conceded merged "},
    {KIND_P, "refined", " conceded merged "},
    {KIND_R, "proposed", " amended adopted rejected "},
    {KIND_R, "amended", " adopted rejected "},
    {KIND_T, "open", " addressed resolved accepted "},
    {KIND_T, "addressed", " resolved reopened accepted "},
    {KIND_T, "resolved", " reopened "},
    {KIND_T, "reopened", " addressed resolved accepted "},
    {KIND_T, "accepted", " reopened "},
    {KIND_E, "cited", " challenged confirmed refuted "},
    {KIND_E, "challenged", " confirmed refuted "},
    {KIND_E, "confirmed", " challenged "},
    {KIND_C, "asserted", " supported opposed adopted withdrawn "},
    {KIND_C, "supported", " asserted opposed adopted withdrawn "},
    {KIND_C, "opposed", " asserted supported adopted withdrawn "},
};

static bool may(int kind, const char *from, const char *to)
{
    char word[16];
    if (strcmp(from, to) == 0)
        return true;
    snprintf(word, sizeof word, " %s ", to);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].kind == kind && strcmp(rules[i].from, from) == 0 && strstr(rules[i].to, word))
            return true;
    return false;
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef struct {
    int kind, round, seq, expert, number; /* expert and number: its local id */
    unsigned by;                          /* a bit per expert, and the judge */
    const char *status;
    bool ruled;
    int via; /* the entity that an update named, or -1 */
} thing;

typedef struct {
    thing things[MOST];
    int count;
    char pairs[4096][24]; /* references that exist */
    int pair_count;
    int rounds;
    int64_t alignment, totals[EXPERTS];
} model;

typedef struct {
    int source, type, target, expert; /* target < 0: the expert, or nothing at all when that is < 0, too */
} ref;

typedef struct {
    int list, target, status_kind, status, via;
} change;

typedef struct {
    ref refs[64];
    int ref_count;
    change changes[4];
    int change_count;
    struct {
        int expert, target; /* concede; target < 0: converge */
    } moves[4];
    int move_count;
    int64_t score, scores[EXPERTS];
    bool sound;
} request;

static void become(thing *t, const char *status)
{
    if (may(t->kind, t->status, status))
        t->status = status;
}

/* The same reference twice is one: false. */
static bool add_pair(model *m, const ref *r)
{
    char pair[24];
    const thing *s = &m->things[r->source], *t = r->target >= 0 ? &m->things[r->target] : NULL;
    if (t)
        snprintf(pair, sizeof pair, "%c%02d%02d %d %c%02d%02d", letters[s->kind], s->round, s->seq, r->type,
                 letters[t->kind], t->round, t->seq);
    else
        snprintf(pair, sizeof pair, "%c%02d%02d %d @%d", letters[s->kind], s->round, s->seq, r->type, r->expert);
    for (int i = 0; i < m->pair_count; i++)
        if (strcmp(m->pairs[i], pair) == 0)
            return false;
    memcpy(m->pairs[m->pair_count++], pair, sizeof pair);
    return true;
}

static void refer(model *m, const ref *r)
{
    if (r->source == r->target || !add_pair(m, r) || r->target < 0 || m->things[r->target].ruled)
        return;
    thing *t = &m->things[r->target];
    unsigned by = m->things[r->source].by;
    if (t->kind == KIND_P && r->type == REFINE)
        become(t, "refined");
    else if (t->kind == KIND_R && r->type == REFINE)
        become(t, "amended");
    else if (t->kind == KIND_T && r->type == ADDRESS)
        become(t, "addressed");
    else if (t->kind == KIND_T && r->type == RESOLVE)
        become(t, by & (t->by | 1u << JUDGE) ? "resolved" : "addressed");
    else if (t->kind == KIND_T && r->type == REOPEN)
        become(t, "reopened");
    else if (t->kind == KIND_C && r->type == SUPPORT)
        become(t, "supported");
    else if (t->kind == KIND_C && r->type == OPPOSE)
        become(t, "opposed");
    else if (t->kind == KIND_E && r->type == SUPPORT && by & ~t->by)
        become(t, "confirmed");
    else if (t->kind == KIND_E && (r->type == OPPOSE || r->type == QUESTION))
        become(t, "challenged");
}

static void apply(model *m, const request *q)
{
    for (int i = 0; i < m->count; i++)
        m->things[i].ruled = false;
    for (int i = 0; i < q->change_count; i++) {
        thing *t = &m->things[q->changes[i].target];
        t->status = statuses[q->changes[i].status_kind][q->changes[i].status];
        t->ruled = true;
    }
    for (int i = 0; i < q->ref_count; i++)
        refer(m, &q->refs[i]);
    for (int i = 0; i < q->move_count; i++) {
        thing *t = q->moves[i].target >= 0 ? &m->things[q->moves[i].target] : NULL;
        if (t && t->kind == KIND_P && !t->ruled && t->by & 1u << q->moves[i].expert)
            become(t, "conceded");
    }
    m->rounds++;
    m->alignment += q->score;
    for (int i = 0; i < EXPERTS; i++)
        m->totals[i] += q->scores[i];
}

/* ---- random requests ------------------------------------------------------------------------- */

typedef struct {
    cv_test_random random;
    cv_buf text;
    bool faulty; /* this request may have faults */
} maker;

static bool chance(maker *k, size_t of)
{
    return cv_test_below(&k->random, of) == 0;
}

static bool fault(maker *k, request *q)
{
    if (!k->faulty || !chance(k, 12))
        return false;
    q->sound = false;
    return true;
}

/* An id for a thing: of the batch by its local id, an older one by either. */
static void print_id(maker *k, const model *m, int at)
{
    const thing *t = &m->things[at];
    if (t->round == m->rounds || chance(k, 3))
        cv_buf_printf(&k->text, "'%s-%c%02d%02d'", chance(k, 2) ? upper[t->expert] : experts[t->expert],
                      letters[t->kind], t->round, t->number);
    else
        cv_buf_printf(&k->text, "'%c%02d%02d'", letters[t->kind], t->round, t->seq);
}

static void make_people(maker *k, unsigned by)
{
    const char *comma = "";
    cv_buf_add_char(&k->text, '[');
    for (int i = 0; i <= EXPERTS; i++)
        if (by & 1u << i) {
            cv_buf_printf(&k->text, "%s'%s'", comma, i == JUDGE ? "judge" : experts[i]);
            comma = ", ";
        }
    cv_buf_add_char(&k->text, ']');
}

static void make_ref(maker *k, const model *m, request *q, int source)
{
    ref r = {source, (int)cv_test_below(&k->random, 8), (int)cv_test_below(&k->random, (size_t)m->count), -1};
    if (fault(k, q))
        r.type = NO_REF;
    if (chance(k, 8))
        r = (ref){source, r.type, -1, (int)cv_test_below(&k->random, EXPERTS)};
    const thing *s = &m->things[source], *t = r.target >= 0 ? &m->things[r.target] : NULL;
    bool fits =
        r.type == REFINE ? t && t->kind == s->kind : r.type < ADDRESS || r.type > REOPEN || (t && t->kind == KIND_T);
    if (!fits && !k->faulty) { /* keep it sound */
        r.type = DEPEND;
        fits = true;
    }
    q->sound = q->sound && fits;
    cv_buf_printf(&k->text, "{'type': '%s', 'target': ", refs[r.type]);
    if (fault(k, q))
        cv_buf_add_z(&k->text, "'P9901'");
    else if (t)
        print_id(k, m, r.target);
    else
        cv_buf_printf(&k->text, "'@%s'", experts[r.expert]);
    cv_buf_add_char(&k->text, '}');
    q->refs[q->ref_count++] = r;
}

/* The new things first, so that references may point forward. */
static void add_things(maker *k, model *m)
{
    int numbers[EXPERTS][5] = {0};
    for (int kind = 0; kind < 5; kind++) {
        int count = (int)cv_test_below(&k->random, MOST_PER_KIND);
        for (int seq = 1; seq <= count; seq++) {
            int expert = (int)cv_test_below(&k->random, EXPERTS);
            unsigned by = 1u << expert | (unsigned)cv_test_below(&k->random, 32);
            m->things[m->count++] =
                (thing){kind, m->rounds, seq, expert, ++numbers[expert][kind], by, statuses[kind][0], false, -1};
        }
    }
}

static void make_things(maker *k, const model *m, request *q, int first)
{
    for (int kind = 0; kind < 5; kind++) {
        cv_buf_printf(&k->text, ", '%s': [", lists[kind]);
        const char *comma = "";
        for (int i = first; i < m->count; i++) {
            const thing *t = &m->things[i];
            if (t->kind != kind)
                continue;
            bool doubled = t->number > 1 && fault(k, q), elsewhere = fault(k, q);
            cv_buf_printf(&k->text,
                          "%s{'local_id': '%s-%c%02d%02d', 'label': '%s', 'content': 'c', 'contributors': ", comma,
                          upper[t->expert], letters[elsewhere ? (kind + 1) % 5 : kind], t->round,
                          doubled ? t->number - 1 : t->number, fault(k, q) ? " " : "l");
            make_people(k, t->by);
            cv_buf_add_z(&k->text, ", 'references': [");
            size_t count = cv_test_below(&k->random, 4);
            for (size_t n = 0; n < count && q->ref_count < 64; n++) {
                cv_buf_add_z(&k->text, n ? ", " : "");
                make_ref(k, m, q, i);
            }
            cv_buf_add_z(&k->text, "]}");
            comma = ", ";
        }
        cv_buf_add_char(&k->text, ']');
    }
}

static void make_changes(maker *k, const model *m, request *q)
{
    const char *planned[MOST];
    for (int i = 0; i < m->count; i++)
        planned[i] = m->things[i].status;
    for (int list = 0; list < 5; list++) {
        int target = (int)cv_test_below(&k->random, (size_t)m->count), kind = m->things[target].kind;
        int status = (int)cv_test_below(&k->random, 6);
        if (q->change_count == 4 || !chance(k, 2) || kind != list || !statuses[kind][status])
            continue;
        bool allowed = may(kind, planned[target], statuses[kind][status]);
        if (!allowed && !k->faulty)
            continue;
        q->sound = q->sound && allowed;
        planned[target] = statuses[kind][status];
        cv_buf_printf(&k->text, ", '%s': [{'id': ", updates[list]);
        print_id(k, m, target);
        cv_buf_printf(&k->text, ", 'status': '%s', 'by': '%s'}]", statuses[kind][status],
                      fault(k, q) ? "bagel" : "judge");
        q->changes[q->change_count++] = (change){list, target, kind, status, -1};
    }
}

static void make_moves(maker *k, const model *m, request *q)
{
    cv_buf_add_z(&k->text, ", 'moves': [");
    q->move_count = (int)cv_test_below(&k->random, 4);
    for (int i = 0; i < q->move_count; i++) {
        q->moves[i].expert = (int)cv_test_below(&k->random, EXPERTS);
        q->moves[i].target = chance(k, 4) ? -1 : (int)cv_test_below(&k->random, (size_t)m->count);
        cv_buf_printf(&k->text, "%s{'expert': '%s', 'type': '%s'", i ? ", " : "",
                      fault(k, q) ? "scon" : experts[q->moves[i].expert],
                      q->moves[i].target < 0 ? "converge" : "concede");
        if (q->moves[i].target >= 0) {
            cv_buf_add_z(&k->text, ", 'target': ");
            print_id(k, m, q->moves[i].target);
        }
        cv_buf_add_char(&k->text, '}');
    }
    cv_buf_add_char(&k->text, ']');
}

static void make_request(maker *k, model *m, const char *id, request *q)
{
    int first = m->count, round = m->rounds;
    *q = (request){.sound = true, .score = (int64_t)cv_test_below(&k->random, 100)};
    add_things(k, m);
    if (m->count == 0)
        m->things[m->count++] = (thing){KIND_P, 0, 1, 0, 1, 1, "open", false, -1};
    cv_buf_clear(&k->text);
    if (fault(k, q))
        round += chance(k, 2) && round > 0 ? -1 : 1;
    cv_buf_printf(&k->text, "{'dialogue_id': '%s', 'round': %d, 'score': %lld, 'expert_scores': {", id, round,
                  (long long)q->score);
    for (int i = 0; i < EXPERTS; i++) {
        q->scores[i] = (int64_t)cv_test_below(&k->random, 20) - 5;
        cv_buf_printf(&k->text, "%s'%s': %lld", i ? ", " : "", experts[i], (long long)q->scores[i]);
    }
    cv_buf_add_char(&k->text, '}');
    make_things(k, m, q, first);
    make_changes(k, m, q);
    make_moves(k, m, q);
    cv_buf_add_char(&k->text, '}');
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The status that the events tell, one after the other. */
static const char *folded(const cv_state *s, cv_str id, int kind)
{
    const char *status = NULL;
    for (size_t i = 0; i < s->events.count; i++) {
        if (!cv_str_eq(s->events.items[i].subject_id, id))
            continue;
        if (!status)
            status = statuses[kind][0];
        for (int n = 0; n < 6 && statuses[kind][n]; n++)
            if (cv_str_eq(s->events.items[i].event_type, cv_str_of(statuses[kind][n])))
                status = statuses[kind][n];
    }
    return status;
}

static void compare(cv_world *w, const model *m, const char *id)
{
    cv_state s = cv_world_state(w, id);
    assert_int_equal(s.entities.count, m->count);
    assert_int_equal(s.entity_at.count, m->count); /* all ids are different */
    assert_int_equal(s.origins.count, m->count);
    assert_int_equal(s.references.count, m->pair_count);
    assert_int_equal(s.rounds.count, m->rounds);
    assert_int_equal(s.dialogue.total_rounds, m->rounds);
    assert_int_equal(s.dialogue.total_alignment, m->alignment);
    for (int i = 0; i < EXPERTS; i++)
        assert_int_equal(cv_state_expert(&s, cv_str_of(experts[i]))->total_score, m->totals[i]);
    for (int i = 0; i < m->count; i++) {
        const thing *t = &m->things[i];
        cv_str name = cv_arena_printf(&w->turn, "%c%02d%02d", letters[t->kind], t->round, t->seq);
        const cv_rec_entity *row = cv_state_entity(&s, name);
        assert_non_null(row);
        if (!cv_str_eq(row->status, cv_str_of(t->status)))
            print_error("%.*s\n", CV_FMT(name));
        assert_str_eq(row->status, t->status);
        assert_str_eq(row->status, folded(&s, name, t->kind));
    }
}

static void one_dialogue(cv_world *w, maker *k, int number, int *sound, int *faulty)
{
    char id[32];
    model m = {.rounds = 0};
    snprintf(id, sizeof id, "d%d", number);
    cv_world_dialogue(w, id, experts, false);
    while (m.rounds < MOST_ROUNDS) {
        request q;
        model next = m;
        k->faulty = !k->faulty;
        make_request(k, &next, id, &q);
        cv_position before = cv_world_position(w, id);
        bool accepted = cv_world_call_text(w, "round-register", cv_buf_str(&k->text));
        if (accepted != q.sound) {
            print_error("%s, but it is %s:\n%.*s\n", accepted ? "accepted" : "refused", q.sound ? "sound" : "faulty",
                        CV_FMT(cv_buf_str(&k->text)));
            for (size_t i = 0; i < w->errs.count; i++)
                print_error("%.*s\n", CV_FMT(cv_err_text(&w->errs.items[i])));
        }
        assert_int_equal(accepted, q.sound);
        ++*(accepted ? sound : faulty);
        if (accepted) {
            apply(&next, &q);
            m = next;
        }
        cv_position after = cv_world_position(w, id);
        assert_int_equal(after.rev, before.rev + accepted);
        assert_true(accepted || cv_str_eq(after.head, before.head));
        if (accepted || chance(k, 8))
            compare(w, &m, id);
    }
}

static void rounds_are_what_the_model_says(void **state)
{
    (void)state;
    cv_world w;
    maker k = {.random = {20260203}};
    int sound = 0, faulty = 0, cases = cv_test_soak() ? 100000 : 2000;
    cv_world_open(&w);
    for (int i = 0; sound + faulty < cases; i++) {
        one_dialogue(&w, &k, i, &sound, &faulty);
        if (i % 50 == 49) { /* a new store now and then: large ones make fsync slow */
            cv_world_close(&w);
            cv_world_open(&w);
        }
    }
    assert_true(sound > cases / 4 && faulty > cases / 4);
    cv_world_close(&w);
    cv_buf_release(&k.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_are_what_the_model_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
