/* test_store.c - what every engine must do, written against store.h alone.
 *
 * All tests run for every row of `engines`. A small model in memory says what a dialogue holds; a seeded generator
 * makes writes of every outcome, and after each the engine must return what the model has, row by row.
 */
#include "testing.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "record/sqlite_engine.h"
#include "record/store.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- engines --------------------------------------------------------------------------------- */

typedef struct {
    size_t steps, pages; /* what a call costs, if the engine can tell */
} work;

typedef struct {
    const char *name;
    cv_store *(*open)(cv_arena *a, const char *folder, cv_err *err);
    work (*taken)(cv_store *store); /* since the last time; NULL: it cannot tell */
} engine;

static cv_store *open_sqlite(cv_arena *a, const char *folder, cv_err *err)
{
    cv_store *store = NULL;
    assert_ok(cv_sqlite_open(a, cv_arena_printf(a, "%s/conclave.db", folder).p, true, &store, err), err);
    return store;
}

static work sqlite_taken(cv_store *store)
{
    sqlite3 *db = ((cv_sqlite *)store)->db;
    work w = {0};
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(db, st));)
        w.steps += (size_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    static const int counters[] = {SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS};
    for (size_t i = 0; i < COUNT(counters); i++) {
        int now, high;
        sqlite3_db_status(db, counters[i], &now, &high, 1);
        w.pages += (size_t)now;
    }
    return w;
}

static cv_store *behind_trace;

static cv_store *open_traced(cv_arena *a, const char *folder, cv_err *err)
{
    behind_trace = open_sqlite(a, folder, err);
    return cv_store_traced(a, behind_trace, CV_NEW(a, cv_tracing));
}

static work traced_taken(cv_store *store)
{
    (void)store;
    return sqlite_taken(behind_trace);
}

static const engine engines[] = {
    {"sqlite", open_sqlite, sqlite_taken},
    {"traced", open_traced, traced_taken},
};

typedef struct {
    const engine *engine;
    cv_arena arena;
    cv_err err;
    const char *folder;
    cv_store *store;
    cv_test_random random;
} fixture;

/* Where nothing waits for a disk, if there is such a place: thousands of syncs are not what is tested here. */
static const char *make_folder(cv_arena *a)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return cv_test_folder(a);
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.engine = *state, .err = {.arena = &f.arena}, .random = {7}};
    f.folder = make_folder(&f.arena);
    f.store = f.engine->open(&f.arena, f.folder, &f.err);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_store_close(f->store);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Per kind: how many fields are the key, may a row be replaced, and which fields are never absent. */
static const struct {
    size_t keys;
    bool replaced;
    const char *required;
} shapes[CV_REC_COUNT] = {
    [CV_REC_DIALOGUE] = {0, true, "title status created_at"},
    [CV_REC_EXPERT] = {1, true, "expert_slug role tier source created_at"},
    [CV_REC_SEAT] = {2, false, "round expert_slug source"},
    [CV_REC_ROUND] = {1, true, "round score status created_at"},
    [CV_REC_SCORE] = {2, true, "round expert_slug score"},
    [CV_REC_RESPONSE] = {2, true, "round expert_slug created_at"},
    [CV_REC_ENTITY] = {3, true, "kind round seq label content contributors status created_at"},
    [CV_REC_ORIGIN] = {1, false, "local_id display_id round"},
    [CV_REC_REFERENCE] = {3, false, "source_id ref_type target_id source_type target_type round created_at"},
    [CV_REC_MOVE] = {3, false, "round expert_slug seq move_type targets created_at"},
    [CV_REC_VERDICT] = {1, false, "verdict_id verdict_type round recommendation description created_at"},
    [CV_REC_EVENT] = {1, false, "event_seq subject_type subject_id event_type created_at"},
};

/* Fields with few valid values. */
static const struct {
    const char *field, *values;
} choices[] = {
    {"dialogue.status", "open converging converged abandoned"},
    {"dialogue.calibrated", "0 1"},
    {"dialogue.strict_convergence", "0 1"},
    {"expert.tier", "Core Adjacent Wildcard"},
    {"expert.source", "pool created"},
    {"expert.first_round", "0 1 99"},
    {"seat.source", "retained pool created"},
    {"round.status", "open in_progress completed"},
    {"origin.display_id", "P0001 R0199 T9901 E0002 C1234"},
    {"origin.range_start", "0 17"},
    {"origin.range_end", "17 18 99999"},
    {"move.move_type", "defend challenge bridge request concede converge"},
    {"verdict.verdict_type", "interim minority dissent"},
    {"event.subject_type", "P R T E C D X N O S V"},
    {"event.event_type", "created refined converged_early"},
    {"event.event_round", "0 50 99"},
    {"round", "0 1 2 3 4 99"},
    {"seq", "1 2 3 4 5 6 7 98 99"},
};

static const char *const texts[] = {
    "",
    "plain",
    "'; DROP TABLE dialogues; --",
    "a \"quoted\" :name ?1 @x $y %s \\ backslash",
    "Zwölf Boxkämpfer, \xe6\xbc\xa2\xe5\xad\x97, \xf0\x9f\xa7\x81, e\xcc\x81",
    "line one\nline two\r\n\ttab",
    " leading and trailing ",
    "NULL",
    "0123",
    "1e5",
};
static const char *const jsons[] = {"[]", "{}", "[\"muffin\",\"cupcake\"]", "{\"a\":1.50,\"\xc3\xa4\":null}", "\"x\""};
static const int64_t numbers[] = {0, 1, -1, 127, 128, 65536, INT64_MAX, INT64_MIN + 1};
static const char *const slugs[] = {"muffin", "cupcake", "scone", "eclair-2"};

static void set_int(void *row, const cv_field *f, int64_t value)
{
    memcpy((char *)row + f->offset, &value, sizeof value);
}

static void set_text(void *row, const cv_field *f, cv_str value)
{
    memcpy((char *)row + f->offset, &value, sizeof value);
}

static int64_t get_int(const void *row, const cv_field *f)
{
    int64_t value;
    memcpy(&value, (const char *)row + f->offset, sizeof value);
    return value;
}

static cv_str get_text(const void *row, const cv_field *f)
{
    cv_str value;
    memcpy(&value, (const char *)row + f->offset, sizeof value);
    return value;
}

static bool has_word(const char *words, cv_str word)
{
    cv_str rest = cv_str_of(words), piece;
    while (cv_str_split(&rest, ' ', &piece))
        if (cv_str_eq(piece, word))
            return true;
    return false;
}

static cv_str pick_word(cv_test_random *r, const char *words)
{
    cv_str rest = cv_str_of(words), piece = {0}, chosen = {0};
    for (size_t n = 1; cv_str_split(&rest, ' ', &piece); n++)
        if (cv_test_below(r, n) == 0)
            chosen = piece;
    return chosen;
}

static const char *choices_of(cv_arena *a, cv_rec_kind kind, cv_str field)
{
    cv_str full = cv_arena_printf(a, "%.*s.%.*s", CV_FMT(cv_rec_types[kind].name), CV_FMT(field));
    for (size_t i = 0; i < COUNT(choices); i++)
        if (cv_str_eq(full, cv_str_of(choices[i].field)) || cv_str_eq(field, cv_str_of(choices[i].field)))
            return choices[i].values;
    return NULL;
}

static void fill_field(cv_test_random *r, cv_arena *a, cv_rec_kind kind, const cv_field *f, void *row)
{
    const char *words = choices_of(a, kind, f->name);
    bool absent = !has_word(shapes[kind].required, f->name) && cv_test_below(r, 3) == 0;
    if (f->type == CV_FIELD_INT) {
        int64_t value = numbers[cv_test_below(r, COUNT(numbers))];
        if (words)
            value = strtoll(cv_arena_copy_z(a, pick_word(r, words)), NULL, 10);
        set_int(row, f, absent ? CV_ABSENT : value);
    } else if (absent) {
        set_text(row, f, (cv_str){NULL, 0});
    } else if (words) {
        set_text(row, f, pick_word(r, words));
    } else {
        bool json = f->type == CV_FIELD_JSON;
        set_text(row, f,
                 cv_str_of(json ? jsons[cv_test_below(r, COUNT(jsons))] : texts[cv_test_below(r, COUNT(texts))]));
    }
}

/* Entities and references: what their fields allow depends on each other. */
static void fit_entity(cv_test_random *r, cv_rec_entity *e)
{
    static const char *const statuses[] = {"open refined conceded merged", "proposed amended adopted rejected",
                                           "open addressed resolved reopened accepted",
                                           "cited challenged confirmed refuted",
                                           "asserted supported opposed adopted withdrawn"};
    size_t kind = cv_test_below(r, 5);
    e->kind = (cv_str){&"PRTEC"[kind], 1};
    e->status = pick_word(r, statuses[kind]);
}

static void fit_reference(cv_test_random *r, cv_rec_reference *ref)
{
    static const char *const rows[][3] = {
        {"P0001", "support", "R0002"}, {"P0001", "refine", "P0002"},      {"@muffin", "oppose", "T0101"},
        {"C0101", "address", "T0101"}, {"E0101", "question", "@cupcake"}, {"T9999", "depend", "T0001"},
        {"R0001", "resolve", "T0001"}, {"R0001", "reopen", "T0001"},      {"R0001", "support", "P0101"},
    };
    size_t i = cv_test_below(r, COUNT(rows));
    ref->source_id = cv_str_of(rows[i][0]);
    ref->ref_type = cv_str_of(rows[i][1]);
    ref->target_id = cv_str_of(rows[i][2]);
    ref->source_type = cv_str_head(ref->source_id, 1);
    ref->target_type = cv_str_head(ref->target_id, 1);
}

/* A valid row with anything in it. Keys come from small ranges, so rows meet again. */
static void *make_row(cv_test_random *r, cv_arena *a, cv_rec_kind kind)
{
    const cv_rec_type *type = &cv_rec_types[kind];
    void *row = cv_arena_alloc(a, type->size);
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_field *f = &type->fields[i];
        fill_field(r, a, kind, f, row);
        if (cv_str_eq(f->name, CV_STR("expert_slug")))
            set_text(row, f, cv_str_of(slugs[cv_test_below(r, COUNT(slugs))]));
        if (i == 0 && (kind == CV_REC_ORIGIN || kind == CV_REC_VERDICT))
            set_text(row, f, cv_arena_printf(a, "%c-%zu", (int)'A' + (int)kind, cv_test_below(r, 300)));
        if (i == 0 && kind == CV_REC_EVENT)
            set_int(row, f, (int64_t)cv_test_below(r, 1000) + 1);
    }
    if (kind == CV_REC_ENTITY)
        fit_entity(r, row);
    if (kind == CV_REC_REFERENCE)
        fit_reference(r, row);
    return row;
}

/* ---- the model -------------------------------------------------------------------------------- */

typedef struct {
    cv_rec_kind kind;
    int64_t rev;
    const void *row;
} model_row;

typedef struct {
    cv_str op_id, digest, result;
    int64_t rev;
} model_op;

typedef struct {
    cv_str id, head;
    int64_t rev, event_count;
    struct {
        model_row *items;
        size_t count, capacity;
    } rows;
    struct {
        model_op *items;
        size_t count, capacity;
    } ops;
} model;

static int compare_fields(cv_rec_kind kind, const cv_field *f, const void *x, const void *y)
{
    if (f->type == CV_FIELD_INT) {
        int64_t m = get_int(x, f), n = get_int(y, f);
        return m < n ? -1 : m > n;
    }
    cv_str s = get_text(x, f), t = get_text(y, f);
    if (kind == CV_REC_ENTITY && cv_str_eq(f->name, CV_STR("kind")))
        return (int)(strchr("PRTEC", s.p[0]) - strchr("PRTEC", t.p[0]));
    int order = memcmp(s.p, t.p, s.n < t.n ? s.n : t.n);
    return order ? order : s.n < t.n ? -1 : s.n > t.n;
}

static int compare_rows(const void *x, const void *y)
{
    const model_row *m = x, *n = y;
    if (m->kind != n->kind)
        return m->kind < n->kind ? -1 : 1;
    for (size_t i = 0; i < shapes[m->kind].keys; i++) {
        int order = compare_fields(m->kind, &cv_rec_types[m->kind].fields[i], m->row, n->row);
        if (order)
            return order;
    }
    return 0;
}

static model_row *model_find(model *m, cv_rec_kind kind, const void *row)
{
    model_row wanted = {kind, 0, row};
    for (size_t i = 0; i < m->rows.count; i++)
        if (compare_rows(&m->rows.items[i], &wanted) == 0)
            return &m->rows.items[i];
    return NULL;
}

static void model_put(model *m, cv_arena *a, cv_rec_kind kind, const void *row, int64_t rev)
{
    model_row *old = model_find(m, kind, row);
    if (old)
        *old = (model_row){kind, rev, row};
    else
        *CV_PUSH(a, &m->rows) = (model_row){kind, rev, row};
}

static void assert_field_eq(cv_rec_kind kind, const cv_field *f, const void *found, const void *expected)
{
    bool same;
    if (f->type == CV_FIELD_INT)
        same = get_int(found, f) == get_int(expected, f);
    else
        same = (get_text(found, f).p == NULL) == (get_text(expected, f).p == NULL) &&
               cv_str_eq(get_text(found, f), get_text(expected, f));
    if (!same)
        print_error("%.*s.%.*s differs\n", CV_FMT(cv_rec_types[kind].name), CV_FMT(f->name));
    assert_true(same);
}

typedef struct {
    model *m;
    const cv_wanted *wanted;
    size_t next, seen;
} comparison;

static bool is_asked(const cv_wanted *w, cv_str id)
{
    for (size_t i = 0; i < w->about_count; i++)
        if (cv_str_eq(w->about[i], id))
            return true;
    return false;
}

static bool is_about(const cv_wanted *w, cv_rec_kind kind, const void *row)
{
    const cv_rec_entity *e = row;
    const cv_rec_reference *ref = row;
    const cv_rec_origin *origin = row;
    char id[32];
    switch (kind) {
    case CV_REC_ENTITY:
        snprintf(id, sizeof id, "%c%02d%02d", e->kind.p[0], (int)e->round, (int)e->seq);
        return is_asked(w, cv_str_of(id));
    case CV_REC_ORIGIN:
        return is_asked(w, origin->display_id) || is_asked(w, origin->local_id);
    case CV_REC_REFERENCE:
        return is_asked(w, ref->source_id) || is_asked(w, ref->target_id);
    case CV_REC_EVENT:
        return is_asked(w, ((const cv_rec_event *)row)->subject_id);
    default:
        return true;
    }
}

static bool is_wanted(const cv_wanted *w, const model_row *row)
{
    bool other_letter =
        row->kind == CV_REC_ENTITY && w->letters && !strchr(w->letters, ((const cv_rec_entity *)row->row)->kind.p[0]);
    return row->rev > w->since_rev && (w->kinds == 0 || (w->kinds & (1u << row->kind))) && !other_letter &&
           (w->about_count == 0 || is_about(w, row->kind, row->row));
}

static bool is_absent(const void *row, const cv_field *f)
{
    int64_t number;
    memcpy(&number, (const char *)row + f->offset, sizeof number);
    return f->type == CV_FIELD_INT ? number == CV_ABSENT : !get_text(row, f).p;
}

static bool is_in_outline(const cv_rec_type *type, cv_str name)
{
    for (size_t i = 0; i < type->outline_count; i++)
        if (cv_str_eq(type->outline[i].name, name))
            return true;
    return false;
}

static bool compare_next(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    (void)err;
    comparison *c = ctx;
    while (c->next < c->m->rows.count && !is_wanted(c->wanted, &c->m->rows.items[c->next]))
        c->next++;
    assert_true(c->next < c->m->rows.count);
    const model_row *expected = &c->m->rows.items[c->next++];
    assert_int_equal(kind, expected->kind);
    assert_int_equal(((const cv_rec_dialogue *)row)->rev, expected->rev);
    const cv_rec_type *type = &cv_rec_types[kind];
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_field *f = &type->fields[i];
        bool left_out = c->wanted->no_content && cv_str_eq(f->name, CV_STR("content"));
        bool may_lack = c->wanted->outline & (1u << kind) && !is_in_outline(type, f->name);
        if (left_out)
            assert_null(get_text(row, f).p);
        else if (!may_lack || !is_absent(row, f))
            assert_field_eq(kind, f, row, expected->row);
    }
    c->seen++;
    return true;
}

/* The engine returns exactly what the model has. */
static void assert_same(fixture *f, model *m, const cv_wanted *wanted)
{
    if (m->rows.count)
        qsort(m->rows.items, m->rows.count, sizeof(model_row), compare_rows);
    comparison c = {m, wanted, 0, 0};
    cv_position at = {0};
    bool found = false;
    assert_ok(f->store->calls->snapshot(f->store, &f->arena, m->id, wanted, compare_next, &c, &at, &found, &f->err),
              &f->err);
    assert_int_equal(found, m->rev > 0);
    size_t expected = 0;
    for (size_t i = 0; i < m->rows.count; i++)
        expected += is_wanted(wanted, &m->rows.items[i]);
    assert_int_equal(c.seen, expected);
    if (!found)
        return;
    assert_int_equal(at.rev, m->rev);
    assert_view_eq(at.head, m->head);
    assert_int_equal(at.event_count, m->event_count);
}

/* ---- writes ----------------------------------------------------------------------------------- */

static cv_op next_op(fixture *f, const model *m)
{
    return (cv_op){.dialogue_id = m->id,
                   .op_id = cv_arena_printf(&f->arena, "op-%.*s-%lld", CV_FMT(m->id), (long long)m->rev),
                   .op_digest = cv_arena_printf(&f->arena, "%064lld", (long long)m->rev),
                   .expect_rev = m->rev,
                   .now = CV_STR("2026-02-03T04:05:06.789Z"),
                   .result = cv_arena_printf(&f->arena, "{\"rev\":%lld}", (long long)m->rev + 1),
                   .head = cv_arena_printf(&f->arena, "head-%lld", (long long)m->rev + 1),
                   .event_count = m->event_count + 3};
}

static cv_store_result commit(fixture *f, const cv_op *op, const cv_changes *changes, int64_t *ret_rev,
                              cv_str *ret_result)
{
    return f->store->calls->commit(f->store, &f->arena, op, changes, ret_rev, ret_result, &f->err);
}

/* Sends the changes and does the same to the model. */
static void commit_both(fixture *f, model *m, const cv_changes *changes)
{
    cv_op op = next_op(f, m);
    int64_t rev = 0;
    cv_str result = {0};
    cv_store_result outcome = commit(f, &op, changes, &rev, &result);
    if (outcome != CV_STORE_DONE)
        print_error("%.*s\n", CV_FMT(cv_err_text(&f->err)));
    assert_int_equal(outcome, CV_STORE_DONE);
    assert_int_equal(rev, m->rev + 1);
    assert_view_eq(result, op.result);
    m->rev = rev;
    m->head = op.head;
    m->event_count = op.event_count;
    *CV_PUSH(&f->arena, &m->ops) = (model_op){op.op_id, op.op_digest, op.result, rev};
    for (cv_rec_kind kind = 0; kind < CV_REC_COUNT; kind++)
        for (size_t i = 0; i < changes->counts[kind]; i++)
            model_put(m, &f->arena, kind, (const char *)changes->items[kind] + i * cv_rec_types[kind].size, m->rev);
}

static void add_change(cv_arena *a, cv_changes *c, cv_rec_kind kind, const void *row)
{
    size_t size = cv_rec_types[kind].size, n = c->counts[kind];
    char *items = cv_arena_alloc(a, (n + 1) * size);
    if (n)
        memcpy(items, c->items[kind], n * size);
    memcpy(items + n * size, row, size);
    c->items[kind] = items;
    c->counts[kind]++;
}

static bool in_changes(const cv_changes *c, cv_rec_kind kind, const void *row)
{
    for (size_t i = 0; i < c->counts[kind]; i++)
        if (compare_rows(&(model_row){kind, 0, (const char *)c->items[kind] + i * cv_rec_types[kind].size},
                         &(model_row){kind, 0, row}) == 0)
            return true;
    return false;
}

/* A row that the dialogue as it stands may take. */
static void add_random(fixture *f, model *m, cv_changes *c, cv_rec_kind kind)
{
    const void *row = make_row(&f->random, &f->arena, kind);
    bool fits = !in_changes(c, kind, row) && (shapes[kind].replaced || !model_find(m, kind, row));
    if (kind == CV_REC_DIALOGUE)
        fits = c->counts[kind] == 0;
    if (kind == CV_REC_SCORE) { /* of a round that exists */
        cv_rec_round round = {.round = ((const cv_rec_score *)row)->round};
        fits = fits && (model_find(m, CV_REC_ROUND, &round) || in_changes(c, CV_REC_ROUND, &round));
    }
    if (fits)
        add_change(&f->arena, c, kind, row);
}

static cv_changes random_changes(fixture *f, model *m, size_t most)
{
    cv_changes c = {0};
    if (m->rev == 0) {
        add_random(f, m, &c, CV_REC_DIALOGUE);
        for (size_t i = 0; i < COUNT(slugs); i++) {
            cv_rec_expert *e = make_row(&f->random, &f->arena, CV_REC_EXPERT);
            e->expert_slug = cv_str_of(slugs[i]);
            add_change(&f->arena, &c, CV_REC_EXPERT, e);
        }
    }
    for (size_t n = cv_test_below(&f->random, most + 1); n > 0; n--)
        add_random(f, m, &c, (cv_rec_kind)cv_test_below(&f->random, CV_REC_COUNT));
    return c;
}

/* ---- rows come back as they went ---------------------------------------------------------------- */

static void every_row_comes_back(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("first")};
    assert_same(f, &m, &(cv_wanted){0}); /* not there: found is false, no row */
    for (int i = 0; i < 12; i++) {
        cv_changes c = random_changes(f, &m, 60);
        commit_both(f, &m, &c);
    }
    assert_same(f, &m, &(cv_wanted){0});
    bool seen[CV_REC_COUNT] = {0};
    for (size_t i = 0; i < m.rows.count; i++)
        seen[m.rows.items[i].kind] = true;
    for (size_t i = 0; i < CV_REC_COUNT; i++)
        assert_true(seen[i]);
}

static void long_texts_come_back(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("long")};
    cv_changes c = random_changes(f, &m, 0);
    char *megabyte = cv_arena_alloc(&f->arena, 1 << 20);
    for (size_t i = 0; i < 1 << 20; i++)
        megabyte[i] = (char)('a' + (i * i) % 26);
    cv_rec_response *response = make_row(&f->random, &f->arena, CV_REC_RESPONSE);
    response->content = (cv_str){megabyte, 1 << 20};
    add_change(&f->arena, &c, CV_REC_RESPONSE, response);
    cv_rec_entity *entity = make_row(&f->random, &f->arena, CV_REC_ENTITY);
    entity->content = (cv_str){megabyte, (1 << 20) - 1};
    add_change(&f->arena, &c, CV_REC_ENTITY, entity);
    commit_both(f, &m, &c);
    assert_same(f, &m, &(cv_wanted){0});
    assert_same(f, &m, &(cv_wanted){.no_content = true});
}

static void dialogues_do_not_mix(void **state)
{
    fixture *f = *state;
    model one = {.id = CV_STR("same-rows")}, two = {.id = CV_STR("same-rows-2")};
    cv_changes c = random_changes(f, &one, 30);
    commit_both(f, &one, &c);
    commit_both(f, &two, &c);
    assert_same(f, &one, &(cv_wanted){0});
    assert_same(f, &two, &(cv_wanted){0});
}

static void parts_can_be_asked_for(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("parts")};
    for (int i = 0; i < 8; i++) {
        cv_changes c = random_changes(f, &m, 40);
        commit_both(f, &m, &c);
    }
    for (int64_t since = 0; since <= 9; since++)
        for (uint32_t kind = 0; kind < CV_REC_COUNT; kind++) {
            assert_same(f, &m, &(cv_wanted){.since_rev = since});
            assert_same(f, &m, &(cv_wanted){.since_rev = since, .kinds = 1u << kind});
            assert_same(f, &m, &(cv_wanted){.since_rev = since, .kinds = 3u << kind, .no_content = true});
            assert_same(f, &m, &(cv_wanted){.since_rev = since, .outline = 5u << kind});
            assert_same(f, &m, &(cv_wanted){.since_rev = since, .letters = "TC", .outline = CV_REC_BIT(ENTITY)});
        }
}

/* Ids of rows that are there, of rows that are not, and what is no id at all. */
static const cv_str some_ids[] = {
    CV_STR_INIT("P0001"), CV_STR_INIT("R0002"), CV_STR_INIT("T0101"),    CV_STR_INIT("E0101"), CV_STR_INIT("@muffin"),
    CV_STR_INIT("T9999"), CV_STR_INIT("plain"), CV_STR_INIT("P\"01'\\"), CV_STR_INIT(""),      CV_STR_INIT("P00010"),
    CV_STR_INIT("p0001"), CV_STR_INIT("C0101"), CV_STR_INIT("P0000"),    CV_STR_INIT("H-17"),
};

static void what_is_about_some_ids_can_be_asked_for(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("about")}, other = {.id = CV_STR("about-2")};
    for (int i = 0; i < 12; i++) {
        cv_changes c = random_changes(f, &m, 60);
        commit_both(f, &m, &c);
    }
    cv_changes c = random_changes(f, &other, 60);
    commit_both(f, &other, &c);
    for (size_t from = 0; from < COUNT(some_ids); from++)
        for (size_t count = 1; from + count <= COUNT(some_ids); count++) {
            cv_wanted w = {.about = some_ids + from, .about_count = count};
            assert_same(f, &m, &w);
            w.no_content = true;
            w.since_rev = (int64_t)(from % 12);
            assert_same(f, &m, &w);
            w.kinds = 1u << (count % CV_REC_COUNT);
            assert_same(f, &m, &w);
        }
}

static bool stop_at_third(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    (void)kind, (void)row;
    return ++*(int *)ctx < 3 || cv_err_set(err, CV_ERR_INVALID_VALUE, "enough");
}

static void a_visitor_may_end_the_walk(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("enough")};
    cv_changes c = random_changes(f, &m, 0);
    commit_both(f, &m, &c);
    int seen = 0;
    cv_position at = {.rev = 77};
    bool found = false;
    assert_fails(f->store->calls->snapshot(f->store, &f->arena, m.id, &(cv_wanted){0}, stop_at_third, &seen, &at,
                                           &found, &f->err),
                 &f->err, CV_ERR_INVALID_VALUE);
    assert_str_eq(f->err.message, "enough");
    assert_int_equal(seen, 3);
    assert_int_equal(at.rev, 77); /* results are written on success only */
    c = random_changes(f, &m, 5);
    commit_both(f, &m, &c); /* and the store goes on */
    assert_same(f, &m, &(cv_wanted){0});
}

/* ---- revs and operations ------------------------------------------------------------------------ */

static void another_rev_is_a_conflict(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("revs")};
    cv_changes c = random_changes(f, &m, 10);
    int64_t rev = -5;
    cv_str result = CV_STR("untouched");
    cv_op op = next_op(f, &m);
    op.expect_rev = 1; /* a dialogue that is not there */
    assert_int_equal(commit(f, &op, &c, &rev, &result), CV_STORE_CONFLICT);
    commit_both(f, &m, &c);
    commit_both(f, &m, &(cv_changes){0});
    for (int64_t expected = 0; expected < 5; expected++) {
        op = next_op(f, &m);
        op.expect_rev = expected;
        op.op_id = cv_arena_printf(&f->arena, "other-%lld", (long long)expected);
        if (expected == m.rev)
            continue;
        cv_changes dialogue = {0};
        add_change(&f->arena, &dialogue, CV_REC_DIALOGUE, make_row(&f->random, &f->arena, CV_REC_DIALOGUE));
        assert_int_equal(commit(f, &op, &dialogue, &rev, &result), CV_STORE_CONFLICT);
        assert_view_eq(cv_err_word(f->err.code), CV_STR("rev_conflict"));
        assert_true(f->err.suggestion.n > 0);
    }
    assert_int_equal(rev, -5);
    assert_str_eq(result, "untouched");
    assert_same(f, &m, &(cv_wanted){0});
}

static void an_operation_happens_once(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("ops")}, other = {.id = CV_STR("ops-2")};
    cv_changes c = random_changes(f, &m, 20);
    cv_op op = next_op(f, &m);
    commit_both(f, &m, &c);
    commit_both(f, &m, &(cv_changes){0});
    int64_t rev = 0;
    cv_str result = {0}, digest = {0};
    assert_int_equal(commit(f, &op, &c, &rev, &result), CV_STORE_REPLAYED);
    assert_int_equal(rev, 1);
    assert_view_eq(result, op.result);
    op.op_digest = CV_STR("another request");
    rev = 77;
    assert_int_equal(commit(f, &op, &c, &rev, &result), CV_STORE_FAILED);
    assert_view_eq(cv_err_word(f->err.code), CV_STR("op_id_conflict"));
    assert_int_equal(rev, 77);
    bool found;
    assert_ok(f->store->calls->op_result(f->store, &f->arena, m.id, op.op_id, &rev, &digest, &result, &found, &f->err),
              &f->err);
    assert_true(found && rev == 1);
    assert_view_eq(result, op.result);
    assert_ok(
        f->store->calls->op_result(f->store, &f->arena, other.id, op.op_id, &rev, &digest, &result, &found, &f->err),
        &f->err);
    assert_false(found); /* op_ids belong to their dialogue */
    cv_str op_id = {0};
    assert_ok(f->store->calls->op_at(f->store, &f->arena, m.id, 1, &op_id, &digest, &result, &found, &f->err), &f->err);
    assert_true(found);
    assert_view_eq(op_id, op.op_id);
    assert_view_eq(result, op.result);
    assert_ok(f->store->calls->op_at(f->store, &f->arena, m.id, 3, &op_id, &digest, &result, &found, &f->err), &f->err);
    assert_false(found);
    assert_same(f, &m, &(cv_wanted){0});
}

/* After the failure nothing of the write is there, and the same op_id can still be used. */
static void assert_refused(fixture *f, model *m, const cv_changes *bad)
{
    cv_op op = next_op(f, m);
    int64_t rev;
    cv_str result;
    assert_int_equal(commit(f, &op, bad, &rev, &result), CV_STORE_FAILED);
    assert_true(f->err.message.n > 0);
    assert_same(f, m, &(cv_wanted){0});
}

static void a_write_is_whole_or_nothing(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("whole")};
    cv_changes c = random_changes(f, &m, 0);
    cv_rec_entity entities[60];
    for (size_t i = 0; i < COUNT(entities); i++) {
        entities[i] = *(cv_rec_entity *)make_row(&f->random, &f->arena, CV_REC_ENTITY);
        entities[i].round = 1;
        entities[i].seq = (int64_t)i + 1;
    }
    c.items[CV_REC_ENTITY] = entities;
    c.counts[CV_REC_ENTITY] = COUNT(entities);
    for (size_t bad = 0; bad < COUNT(entities); bad += 29) {
        cv_rec_entity good = entities[bad];
        entities[bad].status = CV_STR("no such status");
        assert_refused(f, &m, &c);
        assert_str_eq(f->err.field, cv_arena_printf(&f->arena, "entity[%zu]", bad).p);
        entities[bad] = good;
        entities[bad].kind = CV_STR("Q");
        assert_refused(f, &m, &c);
        entities[bad] = good;
        entities[bad].label = (cv_str){NULL, 0};
        assert_refused(f, &m, &c);
        entities[bad] = good;
    }
    commit_both(f, &m, &c);
    assert_same(f, &m, &(cv_wanted){0});
}

/* What is only added cannot be added again, in one write or in two. */
static void history_is_not_replaced(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("history")};
    cv_changes c = random_changes(f, &m, 400);
    commit_both(f, &m, &c);
    for (cv_rec_kind kind = 0; kind < CV_REC_COUNT; kind++) {
        if (shapes[kind].replaced)
            continue;
        assert_true(c.counts[kind] > 0);
        cv_changes again = {0};
        add_random(f, &m, &again, kind == CV_REC_EVENT ? CV_REC_ORIGIN : CV_REC_EVENT);
        again.items[kind] = c.items[kind];
        again.counts[kind] = 1;
        assert_refused(f, &m, &again);
        assert_view_eq(cv_err_word(f->err.code), CV_STR("store_error"));
    }
}

static void mistakes_of_the_caller_are_told(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("mistakes")};
    assert_refused(f, &m, &(cv_changes){0}); /* a new dialogue without its row */
    cv_changes c = random_changes(f, &m, 0);
    cv_op op = next_op(f, &m);
    op.op_id = (cv_str){NULL, 0};
    int64_t rev;
    cv_str result;
    assert_int_equal(commit(f, &op, &c, &rev, &result), CV_STORE_FAILED);
    assert_view_eq(cv_err_word(f->err.code), CV_STR("missing_field"));
    assert_same(f, &m, &(cv_wanted){0});
}

/* ---- anything, in any order --------------------------------------------------------------------- */

enum { DIALOGUES = 4 };

static void replay_some_op(fixture *f, model *m)
{
    if (m->ops.count == 0)
        return;
    const model_op *old = &m->ops.items[cv_test_below(&f->random, m->ops.count)];
    bool same = cv_test_below(&f->random, 2);
    cv_op op = next_op(f, m);
    op.op_id = old->op_id;
    op.op_digest = same ? old->digest : CV_STR("other");
    cv_changes c = random_changes(f, m, 10);
    int64_t rev = 0;
    cv_str result = {0};
    assert_int_equal(commit(f, &op, &c, &rev, &result), same ? CV_STORE_REPLAYED : CV_STORE_FAILED);
    if (same) {
        assert_int_equal(rev, old->rev);
        assert_view_eq(result, old->result);
    }
}

static void conflict_somehow(fixture *f, model *m)
{
    cv_changes c = random_changes(f, m, 10);
    if (c.counts[CV_REC_DIALOGUE] == 0)
        add_random(f, m, &c, CV_REC_DIALOGUE);
    cv_op op = next_op(f, m);
    op.op_id = CV_STR("never used");
    op.expect_rev = m->rev + 1 + (int64_t)cv_test_below(&f->random, 3);
    int64_t rev;
    cv_str result;
    assert_int_equal(commit(f, &op, &c, &rev, &result), CV_STORE_CONFLICT);
}

static void fail_somehow(fixture *f, model *m)
{
    cv_changes c = random_changes(f, m, 20);
    cv_rec_move *move = make_row(&f->random, &f->arena, CV_REC_MOVE);
    move->move_type = CV_STR("sing");
    add_change(&f->arena, &c, CV_REC_MOVE, move);
    cv_op op = next_op(f, m);
    int64_t rev;
    cv_str result;
    assert_int_equal(commit(f, &op, &c, &rev, &result), CV_STORE_FAILED);
}

static void check_somehow(fixture *f, model *m)
{
    cv_wanted w = {.since_rev = (int64_t)cv_test_below(&f->random, (size_t)m->rev + 2),
                   .kinds = (uint32_t)cv_test_below(&f->random, 1u << CV_REC_COUNT),
                   .no_content = cv_test_below(&f->random, 2),
                   .outline = (uint32_t)cv_test_below(&f->random, 1u << CV_REC_COUNT),
                   .letters = cv_test_below(&f->random, 4) ? NULL : "PE",
                   .about = some_ids,
                   .about_count = cv_test_below(&f->random, 2) ? cv_test_below(&f->random, COUNT(some_ids)) : 0};
    if (cv_test_below(&f->random, 2))
        w.since_rev = 0;
    assert_same(f, m, &w);
}

static void anything_in_any_order(void **state)
{
    fixture *f = *state;
    model m[DIALOGUES] = {
        {.id = CV_STR("a")}, {.id = CV_STR("a-2")}, {.id = CV_STR("\xe6\xbc\xa2")}, {.id = CV_STR("z")}};
    size_t steps = cv_test_soak() ? 20000 : 400;
    for (size_t i = 0; i < steps; i++) {
        model *one = &m[cv_test_below(&f->random, DIALOGUES)];
        size_t action = cv_test_below(&f->random, 20);
        if (action < 6) {
            cv_changes c = random_changes(f, one, 12);
            commit_both(f, one, &c);
        } else if (action < 9)
            replay_some_op(f, one);
        else if (action < 11)
            conflict_somehow(f, one);
        else if (action < 13)
            fail_somehow(f, one);
        else if (action == 13) {
            cv_store_close(f->store);
            f->store = f->engine->open(&f->arena, f->folder, &f->err);
        } else
            check_somehow(f, one);
    }
    for (size_t i = 0; i < DIALOGUES; i++)
        assert_same(f, &m[i], &(cv_wanted){0});
    assert_ok(f->store->calls->check(f->store, &f->arena, &f->err), &f->err);
}

/* ---- lists -------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *arena;
    char seen[4000];
    size_t n, count;
    cv_str last;
} listing;

static bool note_dialogue(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    (void)err;
    listing *l = ctx;
    assert_int_equal(rev, 1);
    assert_true(row->rev == 1 && row->title.p != NULL);
    l->n += (size_t)snprintf(l->seen + l->n, sizeof l->seen - l->n, "%.*s ", CV_FMT(id));
    l->last = cv_arena_copy(l->arena, id);
    l->count++;
    return true;
}

static void lists_come_in_pages(void **state)
{
    fixture *f = *state;
    static const char *const ids[] = {"b", "a-2", "a", "c-10", "c-9", "Z"};
    for (size_t i = 0; i < COUNT(ids); i++) {
        model m = {.id = cv_str_of(ids[i])};
        cv_rec_dialogue *row = make_row(&f->random, &f->arena, CV_REC_DIALOGUE);
        row->status = i % 2 ? CV_STR("open") : CV_STR("converged");
        cv_changes c = {0};
        add_change(&f->arena, &c, CV_REC_DIALOGUE, row);
        commit_both(f, &m, &c);
    }
    for (size_t limit = 1; limit < 8; limit++) {
        listing l = {.arena = &f->arena};
        for (size_t before = 1; before != l.count;) {
            before = l.count;
            cv_list_query q = {.after = l.last, .limit = limit};
            assert_ok(f->store->calls->list(f->store, &f->arena, &q, note_dialogue, &l, &f->err), &f->err);
            assert_true(l.count - before <= limit);
        }
        assert_str_eq(cv_str_of(l.seen), "Z a a-2 b c-10 c-9 ");
    }
    listing l = {.arena = &f->arena};
    cv_list_query q = {.status = CV_STR("open"), .after = CV_STR("Z")};
    assert_ok(f->store->calls->list(f->store, &f->arena, &q, note_dialogue, &l, &f->err), &f->err);
    assert_str_eq(cv_str_of(l.seen), "a-2 c-10 ");
}

/* ---- search ------------------------------------------------------------------------------------- */

/* The fields that can be found by, as store.h's search.h lists them. */
static bool says(const model_row *r, cv_str word)
{
    static const struct {
        cv_rec_kind kind;
        const char *fields;
    } searched[] = {
        {CV_REC_DIALOGUE, "title question"},
        {CV_REC_ROUND, "title summary"},
        {CV_REC_RESPONSE, "content"},
        {CV_REC_ENTITY, "label content"},
        {CV_REC_VERDICT, "recommendation description"},
    };
    const cv_rec_type *type = &cv_rec_types[r->kind];
    for (size_t i = 0; i < COUNT(searched); i++)
        for (size_t k = 0; searched[i].kind == r->kind && k < type->field_count; k++)
            if (has_word(searched[i].fields, type->fields[k].name) &&
                cv_str_find(get_text(r->row, &type->fields[k]), word) != SIZE_MAX)
                return true;
    return false;
}

typedef struct {
    cv_arena *arena;
    cv_buf keys; /* of the hits, in their order */
    size_t count, most, of_dialogue[2];
    double score;
} hits;

static bool note_hit(void *ctx, const cv_search_hit *hit, cv_err *err)
{
    hits *h = ctx;
    if (h->most && h->count == h->most)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "enough");
    assert_non_null(strchr("PRTECDOSV", hit->kind));
    assert_true(hit->score > 0 && (h->count == 0 || hit->score <= h->score));
    for (size_t i = 0; i < hit->in_title.count; i++)
        assert_true(hit->in_title.items[i].start < hit->in_title.items[i].end &&
                    hit->in_title.items[i].end <= hit->title.n);
    for (size_t i = 0; i < hit->in_body.count; i++)
        assert_true(hit->in_body.items[i].start < hit->in_body.items[i].end &&
                    hit->in_body.items[i].end <= hit->body.n);
    cv_buf_printf(&h->keys, "%.*s %c %lld %lld %.*s\n", CV_FMT(hit->dialogue_id), hit->kind, (long long)hit->round,
                  (long long)hit->seq, CV_FMT(hit->name));
    h->of_dialogue[cv_str_eq(hit->dialogue_id, CV_STR("second"))]++;
    h->score = hit->score;
    h->count++;
    return true;
}

static cv_search_term term_of(const char *text)
{
    return (cv_search_term){.text = cv_str_of(text)};
}

/* Hits of a query, which saw everything. */
static hits search_for(fixture *f, const cv_search_query *query)
{
    hits h = {.arena = &f->arena};
    size_t behind = 99;
    assert_ok(f->store->calls->search(f->store, &f->arena, query, note_hit, &h, &behind, &f->err), &f->err);
    assert_int_equal(behind, 0);
    return h;
}

/* After every write each word is found where the model has it, and nowhere else. */
static void words_are_found(void **state)
{
    fixture *f = *state;
    static const char *const words[] = {"plain", "Boxkämpfer", "漢字", "line two", "trailing", "nowhere"};
    model m[] = {{.id = CV_STR("first")}, {.id = CV_STR("second")}};
    for (int step = 0; step < 30; step++) {
        model *one = &m[cv_test_below(&f->random, COUNT(m))];
        cv_changes c = random_changes(f, one, 40);
        commit_both(f, one, &c);
        const char *word = words[cv_test_below(&f->random, COUNT(words))];
        cv_search_term term = term_of(word);
        hits h = search_for(f, &(cv_search_query){.terms = &term, .count = 1, .limit = 10000});
        for (size_t i = 0; i < COUNT(m); i++) {
            size_t expected = 0;
            for (size_t k = 0; k < m[i].rows.count; k++)
                expected += says(&m[i].rows.items[k], cv_str_of(word));
            assert_int_equal(h.of_dialogue[i], expected);
        }
        cv_buf_release(&h.keys);
    }
}

/* The same hits in the same order: in one go, in pages, and after the index was made anew. */
static void hits_have_one_order(void **state)
{
    fixture *f = *state;
    model m[] = {{.id = CV_STR("first")}, {.id = CV_STR("second")}};
    for (int i = 0; i < 10; i++) {
        cv_changes c = random_changes(f, &m[i % 2], 60);
        commit_both(f, &m[i % 2], &c);
    }
    cv_search_term terms[] = {term_of("plain"), term_of("line"), term_of("trailing"), term_of("quoted")};
    for (size_t i = 1; i < COUNT(terms); i++)
        terms[i].either = true;
    cv_search_query query = {.terms = terms, .count = COUNT(terms), .limit = 10000};
    hits all = search_for(f, &query);
    assert_true(all.count > 20);
    hits pages = {0};
    for (query.limit = 7; query.offset < all.count; query.offset += 7) {
        hits page = search_for(f, &query);
        cv_buf_add(&pages.keys, cv_buf_str(&page.keys));
        cv_buf_release(&page.keys);
    }
    assert_view_eq(cv_buf_str(&pages.keys), cv_buf_str(&all.keys));
    assert_ok(f->store->calls->search_rebuild(f->store, &f->arena, &f->err), &f->err);
    query = (cv_search_query){.terms = terms, .count = COUNT(terms), .limit = 10000};
    hits again = search_for(f, &query);
    assert_view_eq(cv_buf_str(&again.keys), cv_buf_str(&all.keys));
    cv_buf_release(&again.keys);
    cv_buf_release(&pages.keys);
    cv_buf_release(&all.keys);
}

static cv_rec_entity *labelled(fixture *f, const char *kind, int64_t seq, const char *label, const char *status,
                               const char *by)
{
    cv_rec_entity *e = make_row(&f->random, &f->arena, CV_REC_ENTITY);
    e->kind = cv_str_of(kind);
    e->round = 0;
    e->seq = seq;
    e->label = cv_str_of(label);
    e->content = CV_STR("");
    e->status = cv_str_of(status);
    e->contributors = cv_str_of(by);
    return e;
}

static size_t count_hits(fixture *f, const cv_search_query *query)
{
    hits h = search_for(f, query);
    cv_buf_release(&h.keys);
    return h.count;
}

static void searches_can_be_narrowed(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("d")}, other = {.id = CV_STR("other")};
    cv_changes c = random_changes(f, &m, 0), o = random_changes(f, &other, 0);
    add_change(&f->arena, &c, CV_REC_ENTITY, labelled(f, "P", 1, "rye bread", "open", "[\"muffin\"]"));
    add_change(&f->arena, &c, CV_REC_ENTITY, labelled(f, "T", 1, "rye flour", "open", "[\"muffin-2\"]"));
    add_change(&f->arena, &c, CV_REC_ENTITY, labelled(f, "T", 2, "baking breads", "resolved", "[\"scone\"]"));
    add_change(&f->arena, &o, CV_REC_ENTITY, labelled(f, "C", 1, "rye", "asserted", "[]"));
    cv_rec_origin *origin = make_row(&f->random, &f->arena, CV_REC_ORIGIN);
    origin->local_id = CV_STR("SCONE-T0007");
    origin->display_id = CV_STR("T0002");
    add_change(&f->arena, &c, CV_REC_ORIGIN, origin);
    commit_both(f, &m, &c);
    commit_both(f, &other, &o);
    cv_search_term rye = term_of("rye"), bread = term_of("bread"), id = term_of("T0002");
    cv_search_term local = {.text = CV_STR("SCONE-T0007"), .id = CV_STR("SCONE-T0007")};
    cv_search_term no_flour = {.text = CV_STR("flour"), .exclude = true}, bak = {.text = CV_STR("bak"), .prefix = true};
    cv_search_term both[] = {rye, bread}, without[] = {rye, no_flour};
#define SEARCH(t, n, ...) count_hits(f, &(cv_search_query){.terms = (t), .count = (n), .limit = 10, __VA_ARGS__})
    assert_int_equal(SEARCH(&rye, 1, .any = false), 3);
    assert_int_equal(SEARCH(&rye, 1, .dialogue_id = m.id), 2);
    assert_int_equal(SEARCH(&rye, 1, .without = CV_STR("[\"d\",\"e\"]")), 1);
    assert_int_equal(SEARCH(&rye, 1, .kinds = CV_STR("TC")), 2);
    assert_int_equal(SEARCH(&rye, 1, .statuses = CV_STR("[\"open\",\"resolved\"]")), 2);
    assert_int_equal(SEARCH(&rye, 1, .expert = CV_STR("muffin")), 1); /* not muffin-2 */
    assert_int_equal(SEARCH(both, 2, .any = false), 1);
    assert_int_equal(SEARCH(both, 2, .any = true), 4);
    assert_int_equal(SEARCH(without, 2, .any = true), 2);
    assert_int_equal(SEARCH(&no_flour, 1, .any = false), 0);
    assert_int_equal(SEARCH(&bak, 1, .any = false), 1);
    assert_int_equal(SEARCH(NULL, 0, .any = false), 0);
    hits h = search_for(f, &(cv_search_query){.terms = &id, .count = 1, .limit = 1});
    assert_str_eq(cv_buf_str(&h.keys), "d T 0 2 \n");
    cv_buf_release(&h.keys);
    assert_int_equal(SEARCH(&local, 1, .any = false), 1);
#undef SEARCH
}

static void a_visitor_may_end_the_search(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("d")};
    cv_changes c = random_changes(f, &m, 200);
    commit_both(f, &m, &c);
    cv_search_term term = term_of("plain");
    cv_search_query query = {.terms = &term, .count = 1, .limit = 1000};
    hits h = {.arena = &f->arena, .most = 2};
    size_t behind;
    assert_fails(f->store->calls->search(f->store, &f->arena, &query, note_hit, &h, &behind, &f->err), &f->err,
                 CV_ERR_INVALID_VALUE);
    assert_int_equal(h.count, 2);
    cv_buf_release(&h.keys);
    commit_both(f, &m, &(cv_changes){0}); /* no transaction is left open */
}

static void the_newest_come_first(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *id, *created_at, *status;
    } rows[] = {{"a", "2026-02-03T00:00:00.000Z", "open"},
                {"b", "2026-02-01T00:00:00.000Z", "open"},
                {"c", "2026-02-04T00:00:00.000Z", "converged"},
                {"d", "2026-02-03T00:00:00.000Z", "open"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        model m = {.id = cv_str_of(rows[i].id)};
        cv_rec_dialogue *row = make_row(&f->random, &f->arena, CV_REC_DIALOGUE);
        row->status = cv_str_of(rows[i].status);
        row->created_at = cv_str_of(rows[i].created_at);
        cv_changes c = {0};
        add_change(&f->arena, &c, CV_REC_DIALOGUE, row);
        commit_both(f, &m, &c);
    }
    static const struct {
        cv_list_query query;
        const char *seen;
    } cases[] = {
        {{.newest = true}, "c a d b "},
        {{.newest = true, .limit = 2}, "c a "},
        {{.newest = true, .status = CV_STR_INIT("open")}, "a d b "},
        {{.newest = true, .since = CV_STR_INIT("2026-02-03T00:00:00.000Z")}, "c a d "},
        {{.newest = true, .since = CV_STR_INIT("2026-02-05T00:00:00.000Z")}, ""},
        {{.since = CV_STR_INIT("2026-02-02T00:00:00.000Z")}, "a c d "},
        {{.since = CV_STR_INIT("2026-02-02T00:00:00.000Z"), .status = CV_STR_INIT("open")}, "a d "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        listing l = {.arena = &f->arena};
        assert_ok(f->store->calls->list(f->store, &f->arena, &cases[i].query, note_dialogue, &l, &f->err), &f->err);
        assert_str_eq(cv_str_of(l.seen), cases[i].seen);
    }
}

/* ---- counts ------------------------------------------------------------------------------------- */

enum { MOST_TALLIES = 256 };

typedef struct {
    fixture *f;
    const cv_tally_query *query;
    bool chosen;      /* the dialogue whose rows are being seen, */
    int64_t dialogue; /* and its number, from 1 on */
    cv_tallied items[MOST_TALLIES];
    size_t count;
} tallies;

static cv_tallied *tally_at(tallies *t, cv_rec_kind kind, char letter, cv_str word, cv_str detail)
{
    for (size_t i = 0; i < t->count; i++) {
        cv_tallied *one = &t->items[i];
        if (one->kind == kind && one->letter == letter && cv_str_eq(one->word, word) &&
            (one->detail.p != NULL) == (detail.p != NULL) && cv_str_eq(one->detail, detail))
            return one;
    }
    assert_true(t->count < MOST_TALLIES);
    t->items[t->count] = (cv_tallied){.kind = kind,
                                      .letter = letter,
                                      .word = cv_arena_copy(&t->f->arena, word),
                                      .detail = detail.p ? cv_arena_copy(&t->f->arena, detail) : detail};
    return &t->items[t->count++];
}

static int64_t or_zero(int64_t value)
{
    return value == CV_ABSENT ? 0 : value;
}

/* Counts a row the slow way. */
static bool count_slowly(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    (void)err;
    tallies *t = ctx;
    const cv_str none = {NULL, 0};
    cv_tallied *one = NULL;
    if (kind == CV_REC_DIALOGUE) {
        const cv_rec_dialogue *d = row;
        t->chosen = (t->query->status.n == 0 || cv_str_eq(d->status, t->query->status)) &&
                    cv_str_order(d->created_at, t->query->since) >= 0;
        if (!t->chosen)
            return true;
        one = tally_at(t, kind, 0, d->status, none);
        one->begun += or_zero(d->total_rounds) > 0;
        one->rounds += or_zero(d->total_rounds);
        one->score += or_zero(d->total_alignment);
    } else if (t->chosen && kind == CV_REC_ENTITY) {
        const cv_rec_entity *e = row;
        one = tally_at(t, kind, e->kind.p[0], e->status, none);
    } else if (t->chosen && kind == CV_REC_VERDICT) {
        const cv_rec_verdict *v = row;
        one = tally_at(t, kind, 0, v->verdict_type, v->confidence);
    } else if (t->chosen && kind == CV_REC_SCORE) {
        const cv_rec_score *x = row;
        cv_tallied *scored = tally_at(t, kind, 0, x->expert_slug, none);
        scored->score += x->score;
        scored->count += scored->begun != t->dialogue; /* once per dialogue: `begun` remembers which was the last */
        scored->begun = t->dialogue;
    }
    if (one)
        one->count++;
    return true;
}

static bool note_tally(void *ctx, const cv_tallied *tally, cv_err *err)
{
    (void)err;
    tallies *t = ctx;
    if (t->count > 0) { /* in order */
        const cv_tallied *before = &t->items[t->count - 1];
        if (before->kind == CV_REC_SCORE)
            assert_true(before->score > tally->score ||
                        (before->score == tally->score && cv_str_order(before->word, tally->word) < 0));
        else if (before->kind == tally->kind && before->letter == tally->letter)
            assert_true(cv_str_order(before->word, tally->word) <= 0);
    }
    size_t known = t->count;
    cv_tallied *one = tally_at(t, tally->kind, tally->letter, tally->word, tally->detail);
    assert_int_equal(t->count, known + 1); /* told once */
    cv_str word = one->word, detail = one->detail;
    *one = *tally;
    one->word = word;
    one->detail = detail;
    return true;
}

static void assert_counts(fixture *f, const model *models, size_t count, const cv_tally_query *query)
{
    tallies *slow = CV_NEW(&f->arena, tallies), *found = CV_NEW(&f->arena, tallies);
    cv_wanted everything = {0};
    cv_position position;
    bool there;
    slow->f = found->f = f;
    slow->query = query;
    for (size_t i = 0; i < count; i++) {
        slow->dialogue = (int64_t)i + 1;
        assert_ok(f->store->calls->snapshot(f->store, &f->arena, models[i].id, &everything, count_slowly, slow,
                                            &position, &there, &f->err),
                  &f->err);
    }
    assert_ok(f->store->calls->tally(f->store, &f->arena, query, note_tally, found, &f->err), &f->err);
    assert_int_equal(found->count, slow->count);
    for (size_t i = 0; i < found->count; i++) {
        cv_tallied *one = &found->items[i], *other = tally_at(slow, one->kind, one->letter, one->word, one->detail);
        assert_int_equal(slow->count, found->count);
        assert_int_equal(one->count, other->count);
        assert_int_equal(one->begun, one->kind == CV_REC_SCORE ? 0 : other->begun);
        assert_int_equal(one->rounds, other->rounds);
        assert_int_equal(one->score, other->score);
    }
}

static bool refuse_tally(void *ctx, const cv_tallied *tally, cv_err *err)
{
    (void)ctx, (void)tally;
    return cv_err_set(err, CV_ERR_USAGE, "enough");
}

static bool count_experts(void *ctx, const cv_tallied *tally, cv_err *err)
{
    (void)err;
    *(size_t *)ctx += tally->kind == CV_REC_SCORE;
    return true;
}

static void rows_are_counted_where_they_lie(void **state)
{
    fixture *f = *state;
    model models[6] = {0};
    cv_tally_query all = {0};
    assert_counts(f, models, 0, &all);
    for (size_t i = 0; i < COUNT(models); i++) {
        models[i].id = cv_arena_printf(&f->arena, "d-%zu", i);
        cv_changes c = random_changes(f, &models[i], 400);
        cv_rec_dialogue *row = make_row(&f->random, &f->arena, CV_REC_DIALOGUE);
        row->created_at = cv_arena_printf(&f->arena, "2026-02-0%zuT00:00:00.000Z", i + 1);
        row->total_alignment = (int64_t)i * 10 - 20;
        row->total_rounds = (int64_t)i % 3;
        c.items[CV_REC_DIALOGUE] = row;
        for (size_t k = 0; k < c.counts[CV_REC_SCORE]; k++)
            ((cv_rec_score *)(uintptr_t)c.items[CV_REC_SCORE])[k].score = (int64_t)cv_test_below(&f->random, 9) - 4;
        commit_both(f, &models[i], &c);
    }
    assert_counts(f, models, COUNT(models), &all);
    static const char *const statuses[] = {"open", "converging", "converged", "abandoned"};
    for (size_t i = 0; i < COUNT(statuses); i++)
        assert_counts(f, models, COUNT(models), &(cv_tally_query){.status = cv_str_of(statuses[i])});
    assert_counts(f, models, COUNT(models), &(cv_tally_query){.since = CV_STR("2026-02-03T00:00:00.000Z")});
    assert_counts(f, models, COUNT(models), &(cv_tally_query){.since = CV_STR("2026-03")});
    size_t experts = 0;
    cv_tally_query two = {.experts = 2};
    assert_ok(f->store->calls->tally(f->store, &f->arena, &two, count_experts, &experts, &f->err), &f->err);
    assert_int_equal(experts, 2);
    assert_fails(f->store->calls->tally(f->store, &f->arena, &all, refuse_tally, NULL, &f->err), &f->err, CV_ERR_USAGE);
    assert_counts(f, models, COUNT(models), &all); /* and the store is as it was */
}

/* ---- streams ------------------------------------------------------------------------------------ */

typedef struct {
    cv_arena *arena;
    int64_t next;
    size_t count;
    size_t of_writer[16];
    cv_buf seen;
} reading;

static bool note_message(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err)
{
    (void)created_at, (void)err;
    reading *r = ctx;
    assert_int_equal(seq, r->next++);
    cv_buf_add(&r->seen, message);
    cv_buf_add_char(&r->seen, '|');
    r->count++;
    return true;
}

static cv_store_result append(fixture *f, const char *stream, const char *op_id, const cv_str *messages, size_t n,
                              int64_t *ret_first)
{
    return f->store->calls->stream_append(f->store, &f->arena, cv_str_of(stream), cv_str_of(op_id), messages, n,
                                          CV_STR("2026-02-03T04:05:06.789Z"), ret_first, &f->err);
}

static void streams_keep_order_and_happen_once(void **state)
{
    fixture *f = *state;
    cv_str two[] = {CV_STR("one"), CV_STR("zw\xc3\xb6lf '; --")}, three[] = {CV_STR(""), CV_STR("x"), CV_STR("y")};
    int64_t first = 0;
    assert_int_equal(append(f, "mail/muffin", "a", two, 2, &first), CV_STORE_DONE);
    assert_int_equal(first, 1);
    assert_int_equal(append(f, "mail/muffin", "b", three, 3, &first), CV_STORE_DONE);
    assert_int_equal(first, 3);
    assert_int_equal(append(f, "mail/cupcake", "a", three, 3, &first), CV_STORE_DONE);
    assert_int_equal(first, 1);
    assert_int_equal(append(f, "mail/muffin", "b", three, 3, &first), CV_STORE_REPLAYED);
    assert_int_equal(first, 3);
    assert_int_equal(append(f, "mail/muffin", "b", two, 2, &first), CV_STORE_FAILED);
    assert_int_equal(append(f, "mail/muffin", "b", three, 2, &first), CV_STORE_FAILED);
    assert_view_eq(cv_err_word(f->err.code), CV_STR("op_id_conflict"));
    assert_int_equal(append(f, "mail/muffin", "c", two, 0, &first), CV_STORE_FAILED);
    assert_int_equal(append(f, "mail/muffin", "", two, 1, &first), CV_STORE_DONE);
    assert_int_equal(append(f, "mail/muffin", "", two, 1, &first), CV_STORE_DONE); /* no op_id, no replay */
    assert_int_equal(first, 7);
    for (size_t limit = 0; limit < 9; limit++) {
        reading r = {.next = 3};
        assert_ok(f->store->calls->stream_read(f->store, &f->arena, CV_STR("mail/muffin"), 2, limit, note_message, &r,
                                               &f->err),
                  &f->err);
        assert_int_equal(r.count, limit > 0 && limit < 5 ? limit : 5);
        if (limit == 0)
            assert_str_eq(cv_buf_str(&r.seen), "|x|y|one|one|");
        cv_buf_release(&r.seen);
    }
}

static void cursors_only_move_forward(void **state)
{
    fixture *f = *state;
    static const int64_t moves[][2] = {{0, 0},        {3, 3}, {2, 3}, {3, 3}, {10, 10}, {INT64_MAX, INT64_MAX},
                                       {1, INT64_MAX}};
    int64_t seq = -1;
    assert_ok(f->store->calls->cursor_get(f->store, CV_STR("s"), CV_STR("muffin"), &seq, &f->err), &f->err);
    assert_int_equal(seq, 0);
    for (size_t i = 0; i < COUNT(moves); i++) {
        assert_ok(f->store->calls->cursor_advance(f->store, CV_STR("s"), CV_STR("muffin"), moves[i][0], CV_STR("now"),
                                                  &f->err),
                  &f->err);
        assert_ok(f->store->calls->cursor_get(f->store, CV_STR("s"), CV_STR("muffin"), &seq, &f->err), &f->err);
        assert_true(seq == moves[i][1]);
    }
    assert_ok(f->store->calls->cursor_get(f->store, CV_STR("s"), CV_STR("cupcake"), &seq, &f->err), &f->err);
    assert_int_equal(seq, 0);
    assert_false(f->store->calls->cursor_advance(f->store, CV_STR("s"), CV_STR("scone"), -1, CV_STR("now"), &f->err));
}

enum { WRITERS = 6, APPENDS = 25 };

/* In a process of its own: appends "w.i" for i = 0, 1, 2 …; the exit status tells how it went. */
static _Noreturn void append_many(fixture *f, int writer)
{
    cv_arena a = {0};
    f->err = (cv_err){.arena = &a};
    f->store = f->engine->open(&a, f->folder, &f->err);
    for (int i = 0; i < APPENDS; i++) {
        char text[2][32];
        cv_str messages[2];
        for (int k = 0; k < 2; k++)
            messages[k] = (cv_str){text[k], (size_t)snprintf(text[k], sizeof text[k], "%d.%d", writer, 2 * i + k)};
        int64_t first = 0;
        if (append(f, "shared", "", messages, 2, &first) != CV_STORE_DONE || first < 1)
            _exit(1);
    }
    cv_store_close(f->store);
    _exit(0);
}

static bool note_writer(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err)
{
    (void)created_at, (void)err;
    reading *r = ctx;
    assert_int_equal(seq, r->next++);
    cv_str rest = message, writer, number;
    assert_true(cv_str_split(&rest, '.', &writer) && cv_str_split(&rest, '.', &number));
    int w = 0, n = 0;
    assert_true(cv_str_to_int(writer, &w) && cv_str_to_int(number, &n));
    assert_int_equal(n, r->of_writer[w]++); /* each writer's own order is kept */
    return true;
}

static void stream_numbers_have_no_gaps(void **state)
{
    fixture *f = *state;
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        if ((children[i] = fork()) == 0)
            append_many(f, i);
    for (int i = 0; i < WRITERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    reading r = {.next = 1};
    assert_ok(f->store->calls->stream_read(f->store, &f->arena, CV_STR("shared"), 0, 0, note_writer, &r, &f->err),
              &f->err);
    assert_int_equal(r.next, WRITERS * APPENDS * 2 + 1);
}

/* ---- the whole store ------------------------------------------------------------------------------ */

static void backups_are_whole(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("kept")};
    cv_changes c = random_changes(f, &m, 50);
    commit_both(f, &m, &c);
    const char *copies = cv_arena_printf(&f->arena, "%s/copies", f->folder).p;
    assert_int_equal(mkdir(copies, 0700), 0);
    const char *path = cv_arena_printf(&f->arena, "%s/conclave.db", copies).p;
    assert_ok(f->store->calls->backup(f->store, path, &f->err), &f->err);
    assert_fails(f->store->calls->backup(f->store, path, &f->err), &f->err, CV_ERR_IO);
    assert_str_has(f->err.suggestion, "does not exist yet");
    assert_false(f->store->calls->backup(f->store, cv_arena_printf(&f->arena, "%s/no/such", copies).p, &f->err));
    assert_true(f->err.suggestion.n > 0);
    model later = m;
    later.rows.items = cv_arena_dup(&f->arena, m.rows.items, m.rows.count * sizeof(model_row));
    c = random_changes(f, &later, 20);
    commit_both(f, &later, &c);
    cv_store *original = f->store;
    f->store = f->engine->open(&f->arena, copies, &f->err);
    assert_same(f, &m, &(cv_wanted){0});
    assert_ok(f->store->calls->check(f->store, &f->arena, &f->err), &f->err);
    cv_store_close(f->store);
    f->store = original;
    assert_same(f, &later, &(cv_wanted){0});
}

static cv_stamp stamp_of(fixture *f)
{
    cv_stamp stamp;
    assert_true(f->store->calls->stamp(f->store, &stamp));
    return stamp;
}

static cv_stamp assert_moved(fixture *f, cv_stamp before)
{
    cv_stamp now = stamp_of(f);
    assert_false(cv_stamp_eq(&before, &now));
    return now;
}

static cv_store *enter_as_another(fixture *f)
{
    cv_store *mine = f->store;
    f->store = f->engine->open(&f->arena, f->folder, &f->err);
    return mine;
}

static void leave_as_another(fixture *f, cv_store *mine)
{
    cv_store_close(f->store);
    f->store = mine;
}

/* Who has the turn reads and writes as ever; others wait, and then are told that the store is busy. A turn ends with
 * the write, or when it is let go; what was not committed was never there. */
static void a_turn_keeps_others_out(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("turns")};
    cv_changes c = random_changes(f, &m, 10);
    commit_both(f, &m, &c);
    f->store->calls->let_go(f->store); /* harmless */
    cv_store *mine = enter_as_another(f), *other = f->store;
    ((cv_sqlite *)(strcmp(f->engine->name, "traced") == 0 ? behind_trace : other))->wait_us = 2000;
    for (int i = 0; i < 3; i++) {
        f->store = mine;
        assert_int_equal(mine->calls->hold(mine, &f->err), CV_STORE_DONE);
        assert_int_equal(mine->calls->hold(mine, &f->err), CV_STORE_DONE); /* it has it already */
        assert_same(f, &m, &(cv_wanted){0});
        f->store = other;
        cv_op op = next_op(f, &m);
        int64_t rev = 0;
        cv_str result = {0};
        assert_int_equal(commit(f, &op, &(cv_changes){0}, &rev, &result), CV_STORE_BUSY);
        assert_int_equal(other->calls->hold(other, &f->err), CV_STORE_BUSY);
        assert_same(f, &m, &(cv_wanted){0}); /* reading goes on */
        f->store = mine;
        if (i == 0)
            mine->calls->let_go(mine);
        else if (i == 1)
            commit_both(f, &m, &(cv_changes){0});
        else {
            op.expect_rev = 99; /* a write that is refused ends the turn, too */
            assert_int_equal(commit(f, &op, &(cv_changes){0}, &rev, &result), CV_STORE_CONFLICT);
        }
        f->store = other;
        commit_both(f, &m, &(cv_changes){0});
    }
    leave_as_another(f, mine);
    assert_same(f, &m, &(cv_wanted){0});
}

/* Reading leaves the stamp as it is, every commit moves it, whoever makes it: another handle, another process. */
static void a_stamp_tells_of_commits(void **state)
{
    fixture *f = *state;
    model m = {.id = CV_STR("stamped")};
    cv_changes c = random_changes(f, &m, 10);
    cv_stamp stamp = stamp_of(f), again;
    commit_both(f, &m, &c);
    stamp = assert_moved(f, stamp);
    assert_same(f, &m, &(cv_wanted){0});
    again = stamp_of(f);
    assert_true(cv_stamp_eq(&stamp, &again));
    conflict_somehow(f, &m);
    again = stamp_of(f);
    assert_true(cv_stamp_eq(&stamp, &again));
    cv_store *mine = enter_as_another(f);
    c = random_changes(f, &m, 10);
    commit_both(f, &m, &c);
    leave_as_another(f, mine);
    stamp = assert_moved(f, stamp);
    assert_same(f, &m, &(cv_wanted){0});
    pid_t child = fork();
    if (child == 0) {
        enter_as_another(f);
        int64_t first;
        _exit(f->store->calls->stream_append(f->store, &f->arena, CV_STR("s"), CV_STR(""), &m.id, 1,
                                             CV_STR("2026-01-01T00:00:00.000Z"), &first, &f->err) != CV_STORE_DONE);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_moved(f, stamp);
}

/* A store in memory has nothing that others could see. */
static void a_scratch_store_has_no_stamp(void **state)
{
    fixture *f = *state;
    cv_store *scratch;
    cv_stamp stamp;
    assert_ok(f->store->calls->scratch(f->store, &f->arena, true, &scratch, &f->err), &f->err);
    assert_false(scratch->calls->stamp(scratch, &stamp));
    cv_store_close(scratch);
}

/* A commit costs the same however many dialogues there are: steps exactly, pages up to the depth of a tree. */
static work work_of_commit(fixture *f, int number)
{
    model m = {.id = cv_arena_printf(&f->arena, "dialogue-%05d", number)};
    f->random.state = 7;
    cv_changes c = random_changes(f, &m, 100);
    f->engine->taken(f->store);
    commit_both(f, &m, &c);
    return f->engine->taken(f->store);
}

static void many_dialogues_cost_nothing(void **state)
{
    fixture *f = *state;
    if (!f->engine->taken)
        cv_test_skip("not with this engine");
    for (int i = 0; i < 3; i++)
        work_of_commit(f, i * 3000);
    work few = work_of_commit(f, 5500);
    for (int i = 0; i < 10000; i++) {
        model m = {.id = cv_arena_printf(&f->arena, "dialogue-%05d-x", i)};
        cv_changes c = {0};
        add_change(&f->arena, &c, CV_REC_DIALOGUE, make_row(&f->random, &f->arena, CV_REC_DIALOGUE));
        commit_both(f, &m, &c);
    }
    f->engine->taken(f->store);
    work many = work_of_commit(f, 5501);
    assert_int_equal(many.steps, few.steps);
    assert_true(many.pages <= few.pages * 2);
}

/* ---- all tests for all engines -------------------------------------------------------------------- */

#define TEST(name)                                                                                                     \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const struct {
    const char *name;
    CMUnitTestFunction run;
} suite[] = {
    TEST(every_row_comes_back),
    TEST(long_texts_come_back),
    TEST(dialogues_do_not_mix),
    TEST(parts_can_be_asked_for),
    TEST(what_is_about_some_ids_can_be_asked_for),
    TEST(a_visitor_may_end_the_walk),
    TEST(another_rev_is_a_conflict),
    TEST(an_operation_happens_once),
    TEST(a_turn_keeps_others_out),
    TEST(a_write_is_whole_or_nothing),
    TEST(history_is_not_replaced),
    TEST(mistakes_of_the_caller_are_told),
    TEST(anything_in_any_order),
    TEST(lists_come_in_pages),
    TEST(the_newest_come_first),
    TEST(rows_are_counted_where_they_lie),
    TEST(a_stamp_tells_of_commits),
    TEST(a_scratch_store_has_no_stamp),
    TEST(words_are_found),
    TEST(hits_have_one_order),
    TEST(searches_can_be_narrowed),
    TEST(a_visitor_may_end_the_search),
    TEST(streams_keep_order_and_happen_once),
    TEST(cursors_only_move_forward),
    TEST(stream_numbers_have_no_gaps),
    TEST(backups_are_whole),
    TEST(many_dialogues_cost_nothing),
};

int main(void)
{
    static struct CMUnitTest tests[COUNT(engines) * COUNT(suite)];
    cv_arena names = {0};
    size_t n = 0;
    for (size_t e = 0; e < COUNT(engines); e++)
        for (size_t t = 0; t < COUNT(suite); t++)
            tests[n++] = (struct CMUnitTest){cv_arena_printf(&names, "%s_%s", engines[e].name, suite[t].name).p,
                                             suite[t].run, set_up, tear_down, (void *)(uintptr_t)&engines[e]};
    int failed = cmocka_run_group_tests_name("store", tests, NULL, NULL);
    cv_arena_release(&names);
    return failed;
}
