/* test_full_dialogue.c - transcript -> import -> transcript: the same bytes, for generated dialogues.
 *
 * All kinds, statuses and verdicts, panels that change, equal labels, updates with a round and behind it, positions,
 * reasons of references, corrections, and texts that plant every form of mark at every place (hostile.h). Only the line
 * that names the state of the record may differ.
 */
#include "hostile.h"
#include "world.h"

#include "base/folder.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/limits.h"

static const char *const roles[] = {"Baker", "Miller [P0001: x]", "Buyer | seller", "Cook", "Critic"};
static const char *const pool[] = {"muffin", "cupcake", "scone", "eclair", "donut"};
enum { POOL = 5, CREATED = 2, PEOPLE = POOL + CREATED };

typedef struct {
    cv_world *w;
    cv_test_random *r;
    bool there[PEOPLE];          /* takes part */
    int items[CV_KIND_COUNT][8]; /* by round */
    int round;
    cv_buf text;
    cv_json_writer out;
} making;

static const char *slug(size_t i)
{
    static const char *const created[] = {"palmier", "kouign-amann"};
    return i < POOL ? pool[i] : created[i - POOL];
}

static bool chance(making *m, size_t n)
{
    return cv_test_below(m->r, n) == 0;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void begin(making *m)
{
    m->text = (cv_buf){0};
    m->out = (cv_json_writer){.out = &m->text};
    cv_json_begin_object(&m->out);
}

static void key_text(making *m, const char *key, cv_str text)
{
    cv_json_key_str(&m->out, key, text);
}

/* True when it was done; a request that is refused must say so in a way that the test expects. */
static bool send(making *m, const char *verb, bool must)
{
    cv_json_end_object(&m->out);
    bool done = cv_world_call_json(m->w, verb, cv_buf_str(&m->text));
    if (!done && must) {
        print_error("%s: %.*s\n%.*s\n", verb, CV_FMT(cv_err_text(&m->w->errs.items[0])), CV_FMT(cv_buf_str(&m->text)));
        fail();
    }
    cv_buf_release(&m->text);
    return done;
}

static void create(making *m)
{
    begin(m);
    key_text(m, "title", CV_STR("Bread"));
    if (!chance(m, 3))
        key_text(m, "question", chance(m, 2) ? cv_hostile_random(m->r, &m->w->a) : CV_STR("Which [RE:OPPOSE P0001]?"));
    if (chance(m, 2)) {
        cv_json_key(&m->out, CV_STR("background"));
        cv_json_begin_object(&m->out);
        key_text(m, "subject", cv_hostile_random(m->r, &m->w->a));
        cv_json_end_object(&m->out);
    }
    cv_json_key(&m->out, CV_STR("expert_pool"));
    cv_json_begin_object(&m->out);
    key_text(m, "domain", CV_STR("Bread"));
    cv_json_key(&m->out, CV_STR("experts"));
    cv_json_begin_array(&m->out);
    for (size_t i = 0; i < POOL; i++) {
        cv_json_begin_object(&m->out);
        key_text(m, "slug", cv_str_of(pool[i]));
        key_text(m, "role", cv_str_of(roles[i]));
        key_text(m, "tier", cv_tier_words.items[i % 3]);
        cv_json_key(&m->out, CV_STR("relevance"));
        cv_json_raw(&m->out, i ? CV_STR("0.75") : CV_STR("1"));
        if (i % 2)
            key_text(m, "focus", CV_STR("so [MOVE:CONVERGE] | x"));
        cv_json_end_object(&m->out);
    }
    cv_json_end_array(&m->out);
    cv_json_end_object(&m->out);
    cv_json_key_int(&m->out, "panel_size", 0);
    send(m, "create", true);
}

static void seat(making *m)
{
    bool picked[PEOPLE] = {false};
    size_t count = 1 + cv_test_below(m->r, PEOPLE);
    if (m->round > 0 && chance(m, 2))
        return;
    begin(m);
    key_text(m, "dialogue_id", CV_STR("bread"));
    cv_json_key_int(&m->out, "round", m->round);
    cv_json_key(&m->out, CV_STR("panel"));
    cv_json_begin_array(&m->out);
    cv_state s = m->round ? cv_world_state(m->w, "bread") : (cv_state){0};
    for (size_t i = 0; i < count; i++) {
        size_t who = cv_test_below(m->r, PEOPLE);
        bool sat = false;
        for (size_t k = 0; k < s.seats.count; k++)
            sat |= cv_str_eq(s.seats.items[k].expert_slug, cv_str_of(slug(who)));
        if (picked[who])
            continue;
        picked[who] = m->there[who] = true;
        cv_json_begin_object(&m->out);
        key_text(m, "slug", cv_str_of(slug(who)));
        key_text(m, "source", sat ? CV_STR("retained") : who < POOL ? CV_STR("pool") : CV_STR("created"));
        if (!sat && who >= POOL) {
            key_text(m, "role", CV_STR("Made up"));
            key_text(m, "tier", CV_STR("Wildcard"));
            key_text(m, "reason", cv_hostile_label(m->r, &m->w->a));
        }
        cv_json_end_object(&m->out);
    }
    cv_json_end_array(&m->out);
    send(m, "evolve-panel", true);
}

static cv_str somebody(making *m)
{
    for (;;) {
        size_t who = cv_test_below(m->r, PEOPLE);
        if (m->there[who])
            return cv_str_of(slug(who));
    }
}

/* An id that is there; `now`: of this round as well. Empty: there is none. */
static cv_str some_id(making *m, cv_kind kind, bool now)
{
    for (int tries = 0; tries < 4; tries++) {
        int round = (int)cv_test_below(m->r, (size_t)m->round + (now ? 1 : 0) + (m->round + (now ? 1 : 0) == 0));
        if (round <= m->round && m->items[kind][round])
            return cv_arena_printf(&m->w->a, "%c%02d%02d", cv_kinds[kind].letter, round,
                                   1 + (int)cv_test_below(m->r, (size_t)m->items[kind][round]));
    }
    return (cv_str){NULL, 0};
}

static cv_kind any_kind(making *m)
{
    return (cv_kind)cv_test_below(m->r, CV_KIND_COUNT);
}

static void add_reference(making *m, cv_kind from)
{
    cv_ref type = (cv_ref)cv_test_below(m->r, CV_REF_COUNT);
    cv_kind to = cv_refs[type].targets == CV_TARGETS_TENSION ? CV_KIND_TENSION
                 : cv_refs[type].targets == CV_TARGETS_SAME  ? from
                                                             : any_kind(m);
    cv_str target = m->round && chance(m, 2) ? some_id(m, to, false) : (cv_str){NULL, 0};
    if (chance(m, 8) && cv_refs[type].targets == CV_TARGETS_ANY)
        target = cv_arena_join(&m->w->a, CV_STR("@"), somebody(m));
    if (!target.n || !cv_ref_joins(type, cv_kinds[from].letter, target.p[0]))
        return;
    cv_json_begin_object(&m->out);
    key_text(m, "type", cv_ref_words.items[type]);
    key_text(m, "target", target);
    if (chance(m, 2))
        key_text(m, "reason", cv_hostile_random(m->r, &m->w->a));
    cv_json_end_object(&m->out);
}

static void add_item(making *m, cv_kind kind, int number)
{
    cv_str first = chance(m, 9) ? CV_STR("judge") : somebody(m), second = somebody(m);
    cv_json_begin_object(&m->out);
    key_text(m, "local_id",
             cv_arena_printf(&m->w->a, "%.*s-%c%02d%02d", CV_FMT(first), cv_kinds[kind].letter, m->round, number));
    key_text(m, "label", cv_hostile_label(m->r, &m->w->a));
    key_text(m, kind == CV_KIND_TENSION ? "description" : "content", cv_hostile_random(m->r, &m->w->a));
    cv_json_key(&m->out, CV_STR("contributors"));
    cv_json_begin_array(&m->out);
    cv_json_str(&m->out, first);
    if (chance(m, 2) && !cv_str_eq(first, second))
        cv_json_str(&m->out, second);
    cv_json_end_array(&m->out);
    if (kind == CV_KIND_RECOMMENDATION && chance(m, 2)) {
        cv_json_key(&m->out, CV_STR("parameters"));
        cv_json_begin_object(&m->out);
        key_text(m, "a|b", cv_hostile_label(m->r, &m->w->a));
        cv_json_key_int(&m->out, "n", 5);
        cv_json_end_object(&m->out);
    }
    cv_json_key(&m->out, CV_STR("references"));
    cv_json_begin_array(&m->out);
    for (size_t i = cv_test_below(m->r, 3); i > 0; i--)
        add_reference(m, kind);
    cv_json_end_array(&m->out);
    cv_json_end_object(&m->out);
}

static void add_moves(making *m)
{
    cv_json_key(&m->out, CV_STR("moves"));
    cv_json_begin_array(&m->out);
    for (size_t i = cv_test_below(m->r, 4); i > 0; i--) {
        cv_move type = (cv_move)cv_test_below(m->r, CV_MOVE_COUNT);
        bool wants_id = cv_str_starts(cv_moves[type].argument, CV_STR("{id"));
        cv_str target = some_id(m, type == CV_MOVE_CONCEDE ? CV_KIND_PERSPECTIVE : any_kind(m), false);
        bool has = target.n && m->round && (wants_id || chance(m, 2)) && type != CV_MOVE_CONVERGE;
        if (wants_id && !has)
            continue;
        cv_json_begin_object(&m->out);
        key_text(m, "expert", somebody(m));
        key_text(m, "type", cv_move_words.items[type]);
        if (has) {
            cv_json_key(&m->out, CV_STR("targets"));
            cv_json_raw(&m->out, cv_arena_printf(&m->w->a, "[\"%.*s\"]", CV_FMT(target)));
        }
        if (!chance(m, 4))
            key_text(m, "context", chance(m, 2) ? cv_hostile_random(m->r, &m->w->a) : cv_hostile_label(m->r, &m->w->a));
        cv_json_end_object(&m->out);
    }
    cv_json_end_array(&m->out);
}

static cv_str some_status(making *m, cv_kind kind)
{
    for (;;) {
        size_t status = cv_test_below(m->r, CV_STATUS_COUNT);
        if (cv_statuses[status].kind == kind)
            return cv_statuses[status].word;
    }
}

static void write_update(making *m, cv_str id, cv_kind kind)
{
    cv_json_begin_object(&m->out);
    key_text(m, "id", id);
    key_text(m, "status", some_status(m, kind));
    if (chance(m, 2)) {
        cv_json_key(&m->out, CV_STR("by"));
        cv_json_raw(&m->out,
                    cv_arena_printf(&m->w->a, "[\"%.*s\"%s]", CV_FMT(somebody(m)), chance(m, 2) ? ",\"judge\"" : ""));
    }
    cv_str via = chance(m, 3) && m->round ? some_id(m, any_kind(m), false) : (cv_str){NULL, 0};
    if (via.n)
        key_text(m, "via", via);
    if (chance(m, 2))
        key_text(m, "reason", cv_hostile_label(m->r, &m->w->a));
    cv_json_end_object(&m->out);
}

static void add_updates(making *m)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(&m->out, cv_arena_printf(&m->w->a, "%.*s_updates", CV_FMT(cv_kinds[kind].word)));
        cv_json_begin_array(&m->out);
        cv_str id = chance(m, 3) && m->round ? some_id(m, (cv_kind)kind, false) : (cv_str){NULL, 0};
        if (id.n)
            write_update(m, id, (cv_kind)kind);
        cv_json_end_array(&m->out);
    }
}

static void add_scores(making *m)
{
    cv_json_key(&m->out, CV_STR("expert_scores"));
    cv_json_begin_object(&m->out);
    for (size_t i = 0; i < PEOPLE; i++) {
        if (!m->there[i] || chance(m, 3))
            continue;
        cv_json_key(&m->out, cv_str_of(slug(i)));
        if (chance(m, 2))
            cv_json_int(&m->out, (int64_t)cv_test_below(m->r, 20) - 3);
        else
            cv_json_raw(&m->out, chance(m, 2)
                                     ? CV_STR("{\"score\":9,\"score_components\":{\"W\":2,\"C\":2,\"T\":2,\"R\":2}}")
                                     : CV_STR("{\"score\":3,\"score_components\":{\"T\":3}}"));
    }
    cv_json_end_object(&m->out);
    if (chance(m, 2)) {
        cv_json_key(&m->out, CV_STR("score_components"));
        cv_json_raw(&m->out, CV_STR("{\"W\":5,\"C\":4,\"T\":3,\"R\":2}"));
    }
}

/* Some begin with a mark, others with a line of their own. */
static void add_positions(making *m)
{
    cv_json_key(&m->out, CV_STR("positions"));
    cv_json_begin_object(&m->out);
    for (size_t i = 0; i < PEOPLE; i++)
        if (m->there[i] && chance(m, 2)) {
            cv_json_key(&m->out, cv_str_of(slug(i)));
            cv_json_str(&m->out, chance(m, 3) ? cv_hostile_one(m->r, &m->w->a) : cv_hostile_random(m->r, &m->w->a));
        }
    cv_json_end_object(&m->out);
}

static bool add_round(making *m, bool updates)
{
    int items[CV_KIND_COUNT];
    begin(m);
    key_text(m, "dialogue_id", CV_STR("bread"));
    cv_json_key_int(&m->out, "round", m->round);
    cv_json_key_int(&m->out, "score", (int64_t)cv_test_below(m->r, 50));
    if (chance(m, 2))
        key_text(m, "title", cv_hostile_label(m->r, &m->w->a));
    if (!chance(m, 3))
        key_text(m, "summary", cv_hostile_random(m->r, &m->w->a));
    add_scores(m);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        items[kind] = (int)cv_test_below(m->r, 3);
        cv_json_key(&m->out, cv_kinds[kind].plural);
        cv_json_begin_array(&m->out);
        for (int i = 1; i <= items[kind]; i++)
            add_item(m, (cv_kind)kind, i);
        cv_json_end_array(&m->out);
    }
    cv_json_key(&m->out, CV_STR("references"));
    cv_json_begin_array(&m->out);
    cv_str target = m->round ? some_id(m, any_kind(m), false) : (cv_str){NULL, 0};
    if (target.n) {
        cv_json_begin_object(&m->out);
        key_text(m, "source", cv_arena_join(&m->w->a, CV_STR("@"), somebody(m)));
        key_text(m, "type", target.p[0] == 'T' ? cv_ref_words.items[3 + cv_test_below(m->r, 3)] : CV_STR("oppose"));
        key_text(m, "target", target);
        if (chance(m, 2))
            key_text(m, "reason", cv_hostile_random(m->r, &m->w->a));
        cv_json_end_object(&m->out);
    }
    cv_json_end_array(&m->out);
    add_positions(m);
    add_moves(m);
    if (updates)
        add_updates(m);
    if (!send(m, "round-register", !updates))
        return false;
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        m->items[kind][m->round] = items[kind];
    return true;
}

static void update(making *m)
{
    cv_kind kind = any_kind(m);
    cv_str id = some_id(m, kind, true);
    if (!id.n)
        return;
    begin(m);
    key_text(m, "dialogue_id", CV_STR("bread"));
    cv_json_key(&m->out, CV_STR("updates"));
    cv_json_begin_array(&m->out);
    write_update(m, id, kind);
    cv_json_end_array(&m->out);
    send(m, "update", false);
}

static void correct(making *m)
{
    cv_kind kind = any_kind(m);
    cv_str id = some_id(m, kind, true);
    bool label = chance(m, 2);
    if (!id.n)
        return;
    begin(m);
    key_text(m, "dialogue_id", CV_STR("bread"));
    cv_json_key(&m->out, CV_STR("updates"));
    cv_json_begin_array(&m->out);
    cv_json_begin_object(&m->out);
    key_text(m, "id", id);
    if (label)
        key_text(m, "label", cv_hostile_label(m->r, &m->w->a));
    if (!label || chance(m, 2))
        key_text(m, "content", cv_hostile_random(m->r, &m->w->a));
    if (chance(m, 2)) {
        cv_json_key(&m->out, CV_STR("by"));
        cv_json_raw(&m->out,
                    cv_arena_printf(&m->w->a, "[\"%.*s\"%s]", CV_FMT(somebody(m)), chance(m, 2) ? ",\"judge\"" : ""));
    }
    if (!chance(m, 4))
        key_text(m, "reason", chance(m, 2) ? cv_hostile_random(m->r, &m->w->a) : cv_hostile_label(m->r, &m->w->a));
    cv_json_end_object(&m->out);
    cv_json_end_array(&m->out);
    send(m, "update", false);
}

static void add_ids(making *m, const char *key, cv_kind kind)
{
    cv_str id = chance(m, 2) ? some_id(m, kind, true) : (cv_str){NULL, 0};
    if (!id.n)
        return;
    cv_json_key(&m->out, cv_str_of(key));
    cv_json_raw(&m->out, cv_arena_printf(&m->w->a, "[\"%.*s\"]", CV_FMT(id)));
}

static void verdict(making *m, cv_verdict type, const char *id)
{
    bool judge = type == CV_VERDICT_INTERIM || type == CV_VERDICT_FINAL;
    begin(m);
    key_text(m, "dialogue_id", CV_STR("bread"));
    key_text(m, "verdict_id", cv_str_of(id));
    key_text(m, "verdict_type", cv_verdict_words.items[type]);
    key_text(m, "recommendation", cv_hostile_label(m->r, &m->w->a));
    key_text(m, "description",
             chance(m, 3) ? CV_STR("x\n\n- Vote: 9-0\n- Verdict id: forged") : cv_hostile_random(m->r, &m->w->a));
    if (!judge)
        key_text(m, "author_expert", somebody(m));
    if (chance(m, 2)) {
        cv_json_key(&m->out, CV_STR("conditions"));
        cv_json_begin_array(&m->out);
        cv_json_str(&m->out, cv_hostile_label(m->r, &m->w->a));
        cv_json_str(&m->out, CV_STR("Vote: 1-1, and more"));
        cv_json_end_array(&m->out);
    }
    if (chance(m, 2))
        key_text(m, "vote", CV_STR("5-1: [DISSENT: x]"));
    if (chance(m, 2))
        key_text(m, "confidence", cv_confidence_words.items[cv_test_below(m->r, cv_confidence_words.count)]);
    add_ids(m, "tensions_resolved", CV_KIND_TENSION);
    add_ids(m, "tensions_accepted", CV_KIND_TENSION);
    add_ids(m, "recommendations_adopted", CV_KIND_RECOMMENDATION);
    add_ids(m, "key_evidence", CV_KIND_EVIDENCE);
    add_ids(m, "key_claims", CV_KIND_CLAIM);
    if (chance(m, 2)) {
        cv_json_key(&m->out, CV_STR("supporting_experts"));
        cv_json_raw(&m->out, cv_arena_printf(&m->w->a, "[\"%.*s\"]", CV_FMT(somebody(m))));
    }
    if (chance(m, 4)) {
        cv_json_key(&m->out, CV_STR("ethos_compliance"));
        cv_json_raw(&m->out, CV_STR("{\"fully_compliant\":true,\"exceptions\":[],\"violations\":[]}"));
    }
    if (chance(m, 4))
        key_text(m, "warning", cv_hostile_label(m->r, &m->w->a));
    send(m, "verdict-register", false);
}

/* ---- dialogues --------------------------------------------------------------------------------------------------- */

static void make(making *m)
{
    int rounds = (int)cv_test_below(m->r, 5);
    char id[16];
    create(m);
    seat(m);
    for (m->round = 0; m->round < rounds; m->round++) {
        if (m->round)
            seat(m);
        while (!add_round(m, chance(m, 2)))
            ;
        if (chance(m, 3)) {
            snprintf(id, sizeof id, "V%02d", m->round);
            verdict(m, CV_VERDICT_INTERIM, id);
        }
        for (size_t i = cv_test_below(m->r, 4); i > 0; i--)
            update(m);
        for (size_t i = cv_test_below(m->r, 3); i > 0; i--)
            correct(m);
    }
    if (rounds == 0)
        return;
    m->round = rounds - 1;
    if (chance(m, 2))
        verdict(m, CV_VERDICT_MINORITY, "minority-one");
    if (!chance(m, 3))
        verdict(m, CV_VERDICT_FINAL, "final");
    if (chance(m, 2))
        verdict(m, CV_VERDICT_DISSENT, "dissent-1");
    if (chance(m, 2))
        correct(m);
    if (chance(m, 6))
        cv_world_call(m->w, "abandon", "{'dialogue_id': 'bread', 'reason': 'no flour'}");
}

static cv_str transcript(cv_world *w)
{
    cv_json answer;
    cv_err err = {.arena = &w->a};
    cv_str text = cv_world_do(w, "transcript", "{'dialogue_id': 'bread'}");
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, text), &answer, &err), &err);
    return cv_json_get_text(&answer, "markdown");
}

/* Without the line that names the state of the record. */
static cv_str content(cv_arena *a, cv_str text)
{
    size_t at = cv_str_find(text, CV_STR("\n**Record**: ")), end = cv_str_find(cv_str_from(text, at + 1), CV_STR("\n"));
    assert_true(at != SIZE_MAX && end != SIZE_MAX);
    return cv_arena_join(a, cv_str_head(text, at), cv_str_from(text, at + 1 + end));
}

static void import_op(cv_world *w, cv_str request)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.input_text = cv_world_request(&w->turn, request);
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    assert_true(cv_op_call(cv_op_find(CV_STR(""), CV_STR("import")), &call));
}

static cv_str import_again(cv_world *w, cv_str text, cv_json *ret_report)
{
    cv_err err = {.arena = &w->a};
    const char *path = cv_arena_printf(&w->a, "%s/bread.dialogue.md", w->folder).p;
    assert_ok(cv_file_write(path, text, &err), &err);
    import_op(w, cv_arena_printf(&w->a, "{'path': '%s'}", path));
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, cv_buf_str(&w->out)), ret_report, &err), &err);
    return cv_arena_copy(&w->a, cv_buf_str(&w->out));
}

static const cv_json *first_dialogue(const cv_json *report)
{
    return &cv_json_get(report, CV_STR("dialogues"))->items[0];
}

/* The marks that a reader finds are those of the record: none of them was written into a text. */
static void check_marks(cv_world *w, cv_str text)
{
    cv_state s = cv_world_state(w, "bread");
    cv_doc doc;
    size_t counts[CV_MARK_COUNT] = {0}, items = 0, references = 0;
    cv_doc_parse(&w->a, text, &doc, NULL);
    cv_marks marks = cv_doc_marks(&w->a, &doc);
    for (size_t i = 0; i < doc.sections.count; i++) {
        const cv_section *section = &doc.sections.items[i];
        for (size_t k = 0; k < section->agents.count; k++)
            for (size_t n = 0; n < section->agents.items[k].content.count; n++) {
                const cv_block *b = &section->agents.items[k].content.items[n];
                references += b->kind == CV_BLOCK_MARK && b->mark->type == CV_MARK_REFERENCE;
            }
    }
    for (size_t i = 0; i < marks.count; i++) {
        assert_false(marks.items[i].inlined);
        counts[marks.items[i].type]++;
        items += marks.items[i].type < (cv_mark_type)CV_KIND_COUNT;
    }
    assert_int_equal(items, s.entities.count);
    assert_int_equal(references, s.references.count);
    assert_int_equal(counts[CV_MARK_MOVE], s.moves.count);
    assert_int_equal(counts[CV_MARK_VERDICT] + counts[CV_MARK_MINORITY_VERDICT] + counts[CV_MARK_DISSENT],
                     s.verdicts.count);
    assert_int_equal(doc.mark_count, marks.count);
}

/* Imports what the dialogue's transcript says into another record, twice. */
static void check_return(cv_world *w, uint64_t seed)
{
    cv_world other;
    cv_json report;
    cv_str said = transcript(w);
    check_marks(w, said);
    cv_world_open(&other);
    cv_str text = import_again(&other, said, &report);
    cv_str told = transcript(&other);
    if (!cv_str_eq(content(&w->a, said), content(&w->a, told)) ||
        cv_json_get(first_dialogue(&report), CV_STR("differences"))->count) {
        print_error("seed %llu\n%.*s\n", (unsigned long long)seed, CV_FMT(text));
        assert_view_eq(content(&w->a, told), content(&w->a, said));
        fail();
    }
    assert_int_equal(cv_json_get(first_dialogue(&report), CV_STR("not_understood"))->count, 0);
    import_again(&other, said, &report);
    assert_str_eq(cv_json_get_text(first_dialogue(&report), "outcome"), "unchanged");
    assert_view_eq(transcript(&other), told);
    cv_world_close(&other);
}

static void check(uint64_t seed)
{
    cv_test_random r = {seed};
    cv_world w;
    cv_world_open(&w);
    making m = {.w = &w, .r = &r};
    make(&m);
    check_return(&w, seed);
    cv_world_close(&w);
}

static void transcripts_come_back(void **state)
{
    uint64_t seed = cv_test_seed();
    (void)state;
    for (uint64_t i = 0; i < (cv_test_soak() ? 2000 : 12); i++)
        check(seed * 1000 + i);
}

/* A reason is told below its reference or move and, on one line, where the status is that it led to. */
static void an_open_fence_in_a_reason(void **state)
{
    static const char *const reasons[] = {"~~~ x", "~~~ x ~~~", "so\\n```", " \\n", "```\\n[MOVE:CONVERGE]"};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(reasons); i++) {
        cv_world w;
        cv_world_open(&w);
        cv_world_do(&w, "create", "{'title': 'Bread'}");
        cv_world_do(&w, "evolve-panel",
                    "{'dialogue_id': 'bread', 'round': 0, 'panel': [{'slug': 'muffin', 'source': 'created', 'role': "
                    "'Baker', 'tier': 'Core', 'reason': 'x'}]}");
        cv_world_do(&w, "round-register",
                    "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'perspectives': [{'local_id': 'MUFFIN-P0001', "
                    "'label': 'A', 'content': 'a', 'contributors': ['muffin']}, {'local_id': 'MUFFIN-P0002', "
                    "'label': 'A', 'content': 'a', 'contributors': ['muffin']}]}");
        cv_world_do(&w, "round-register",
                    cv_arena_printf(
                        &w.a,
                        "{'dialogue_id': 'bread', 'round': 1, 'score': 1, 'perspectives': [{'local_id': "
                        "'MUFFIN-P0101', 'label': 'B', 'content': 'b', 'contributors': ['muffin'],"
                        "'references': [{'type': 'refine', 'target': 'P0001', 'reason': '%s'}]}], 'moves': [{'expert': "
                        "'muffin', 'type': 'concede', 'targets': ['P0002'], 'context': '%s'}]}",
                        reasons[i], reasons[i])
                        .p);
        cv_world_do(&w, "update",
                    cv_arena_printf(&w.a,
                                    "{'dialogue_id': 'bread', 'updates': [{'id': 'P0101', 'label': 'C', "
                                    "'reason': '%s'}]}",
                                    reasons[i])
                        .p);
        check_return(&w, i);
        cv_world_close(&w);
    }
}

/* A transcript does not show a tension that is only addressed when the round is over. What the references of the
 * round would have made of it must not come back in its place. */
static void what_the_judge_took_back(void **state)
{
    static const char *const taken_back[][2] = {
        {"reopen", "addressed"}, {"resolve", "reopened"}, {"reopen", "resolved"}, {"address", "resolved"}};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(taken_back); i++) {
        cv_world w;
        cv_world_open(&w);
        cv_world_do(&w, "create", "{'title': 'Bread'}");
        cv_world_do(&w, "evolve-panel",
                    "{'dialogue_id': 'bread', 'round': 0, 'panel': [{'slug': 'muffin', 'source': 'created', 'role': "
                    "'Baker', 'tier': 'Core', 'reason': 'x'}]}");
        cv_world_do(&w, "round-register",
                    "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'tensions': [{'local_id': 'MUFFIN-T0001', "
                    "'label': 'A', 'description': 'a', 'contributors': ['muffin']}]}");
        cv_world_do(&w, "round-register",
                    cv_arena_printf(&w.a,
                                    "{'dialogue_id': 'bread', 'round': 1, 'score': 1, 'claims': [{'local_id': "
                                    "'MUFFIN-C0101', 'label': 'B', 'content': 'b', 'contributors': ['muffin'],"
                                    "'references': [{'type': 'address', 'target': 'T0001'}, {'type': 'resolve', "
                                    "'target': 'T0001'}, {'type': '%s', 'target': 'T0001'}]}]}",
                                    taken_back[i][0])
                        .p);
        cv_world_call(&w, "update", "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'status': 'reopened'}]}");
        cv_world_call(&w, "update",
                      cv_arena_printf(&w.a, "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'status': '%s'}]}",
                                      taken_back[i][1])
                          .p);
        for (int round = 2; round < 4; round++)
            cv_world_do(&w, "round-register",
                        cv_arena_printf(&w.a,
                                        "{'dialogue_id': 'bread', 'round': %d, 'score': 1, 'tension_updates': [{'id': "
                                        "'T0001', 'status': 'resolved', 'reason': 'so'}]}",
                                        round)
                            .p);
        check_return(&w, i);
        cv_world_close(&w);
    }
}

/* A concession and the judge's word for it may differ in what they say; a verdict may be taken back in its round. */
static void what_the_judge_said_otherwise(void **state)
{
    static const char *const rounds[] = {
        "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'A', "
        "'content': 'a', 'contributors': ['muffin']}, {'local_id': 'MUFFIN-P0002', 'label': 'A', 'content': 'a', "
        "'contributors': ['muffin']}], 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'A', 'description': 'a', "
        "'contributors': ['muffin']}]}",
        "{'dialogue_id': 'bread', 'round': 1, 'score': 1, 'perspective_updates': [{'id': 'P0001', 'status': "
        "'conceded', 'by': ['muffin']}, {'id': 'P0002', 'status': 'conceded', 'by': ['muffin'], 'reason': 'so'}], "
        "'moves': [{'expert': 'muffin', 'type': 'concede', 'targets': ['P0001', 'P0002'], 'context': 'other'}]}"};
    static const char verdict[] =
        "{'dialogue_id': 'bread', 'verdict_id': 'v', 'verdict_type': 'interim', 'recommendation': 'r', 'description': "
        "'d', 'tensions_resolved': ['T0001']}";
    static const char *const taken_back[] = {"reopened", "addressed"};
    cv_world w;
    (void)state;
    cv_world_open(&w);
    cv_world_do(&w, "create", "{'title': 'Bread'}");
    cv_world_do(&w, "evolve-panel",
                "{'dialogue_id': 'bread', 'round': 0, 'panel': [{'slug': 'muffin', 'source': 'created', 'role': "
                "'Baker', 'tier': 'Core', 'reason': 'x'}]}");
    cv_world_do(&w, "round-register", rounds[0]);
    cv_world_do(&w, "verdict-register", verdict);
    for (size_t i = 0; i < CV_COUNT(taken_back); i++)
        cv_world_do(&w, "update",
                    cv_arena_printf(&w.a, "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'status': '%s'}]}",
                                    taken_back[i])
                        .p);
    cv_world_do(&w, "round-register", rounds[1]);
    cv_world_do(&w, "update",
                "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'status': 'resolved', 'reason': 'so'}]}");
    check_return(&w, 0);
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transcripts_come_back),
        cmocka_unit_test(an_open_fence_in_a_reason),
        cmocka_unit_test(what_the_judge_took_back),
        cmocka_unit_test(what_the_judge_said_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
