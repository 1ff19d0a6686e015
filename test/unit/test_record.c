/* test_record.c - what every engine of the record must do, written against record.h alone.
 *
 * The same seeded operations go to SQLite in a file, SQLite in memory, PostgreSQL in several ways and a model made of
 * plain lists (record_model.h): both ways of writing, replays, conflicts, refused rows, redactions, volatile rows,
 * finds of every shape, the feed. After each, all three must have given the same answer; from time to time they must
 * export the same bytes, verify, and be copied into each other without a difference.
 */
#include "board.h"
#include "record_model.h"

#include "record/seal.h"
#include "testing_postgres.h"

enum { MOST_ENGINES = 4, SCOPES = 5 };

typedef struct {
    cv_arena arena, turn;
    cv_err err;
    const char *folder;
    cv_record *records[MOST_ENGINES]; /* the model first */
    size_t engines;
    const char *way; /* of PostgreSQL, when it is among them */
    cv_test_random random;
    uint64_t seen[MOST_ENGINES];
    struct {
        cv_str id, digest;
        size_t scope;
        int64_t rev;
    } ops[64]; /* that were committed: some of them */
    size_t op_count, made;
} fixture;

static const cv_scope_id scopes[SCOPES] = {
    {CV_STR_INIT("board"), CV_STR_INIT("one")},     {CV_STR_INIT("board"), CV_STR_INIT("two")},
    {CV_STR_INIT("board"), CV_STR_INIT("b/%\"x'")}, {CV_STR_INIT("board"), CV_STR_INIT("漢字")},
    {CV_STR_INIT("desk"), CV_STR_INIT("one")},
};

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}, .random = {20260102}};
    f.folder = board_folder(&f.arena);
    f.records[f.engines++] = model_open(&f.arena, &all_types);
    f.records[f.engines++] = board_memory(&f.arena, &f.err);
    f.records[f.engines++] = board_open(&f.arena, cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p, &f.err);
    *state = &f;
    return 0;
}

/* ---- the ways to PostgreSQL ----------------------------------------------------------------------------------------
 */

static const char *start_pooler(fixture *f)
{
    const char *pooler = cv_arena_printf(&f->arena, "%s/pooler", f->folder).p;
    const char *server = cv_arena_printf(&f->arena, "%s/server", f->folder).p;
    cv_test_postgres_run(&f->arena, "start %s --memory --owner %d", server, (int)getpid());
    cv_test_postgres_run(&f->arena, "pgbouncer %s %s --owner %d", pooler, server, (int)getpid());
    const char *address = cv_test_postgres_run(&f->arena, "address %s", pooler);
    return cv_arena_printf(&f->arena, "%s&schema=%s", address, cv_test_postgres_schema(&f->arena)).p;
}

static const char *address_of(fixture *f)
{
    if (strcmp(f->way, "pooler") == 0)
        return start_pooler(f);
    const char *address = cv_test_postgres(&f->arena);
    return cv_arena_printf(&f->arena, "%s%s", address, f->way).p;
}

static int set_up_postgres(void **state, const char *way)
{
    set_up(state);
    fixture *f = *state;
    cv_record_close(f->records[2]);
    f->way = way;
    f->records[2] = board_postgres(&f->arena, address_of(f), NULL, &f->err);
    return 0;
}
#define WAY(name, text)                                                                                                \
    static int set_up_##name(void **state)                                                                             \
    {                                                                                                                  \
        return set_up_postgres(state, text);                                                                           \
    }
WAY(plain, "")
WAY(without_pipeline, "&pipeline=off")
WAY(partitioned, "&partitions=3")
WAY(serializable, "&options=-cdefault_transaction_isolation%3Dserializable")
WAY(pooled, "pooler")

static int tear_down(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < f->engines; i++)
        cv_record_close(f->records[i]);
    cv_test_remove(f->folder);
    cv_arena_release(&f->turn);
    cv_arena_release(&f->arena);
    return 0;
}

/* ---- random rows --------------------------------------------------------------------------------------------------
 */

static size_t below(fixture *f, size_t limit)
{
    return cv_test_below(&f->random, limit);
}

static cv_str pick(fixture *f)
{
    static const cv_str texts[] = {
        CV_STR_INIT(""),     CV_STR_INIT("open"),          CV_STR_INIT("done"),      CV_STR_INIT("a/b%c"),
        CV_STR_INIT("ann"),  CV_STR_INIT("bob"),           CV_STR_INIT("a\"quote'"), CV_STR_INIT("line\nbreak"),
        CV_STR_INIT("漢字"), CV_STR_INIT("\xC3\xA4 long"), CV_STR_INIT("open2"),     CV_STR_INIT("{\"redacted\":1}"),
    };
    return texts[below(f, CV_COUNT(texts))];
}

static cv_str maybe(fixture *f)
{
    return below(f, 4) ? pick(f) : (cv_str){NULL, 0};
}

static int64_t few(fixture *f)
{
    return (int64_t)below(f, 12) - 2;
}

/* A row of any type. `key` below 0: a random key from a small range; else one that no other row has. */
static void *random_row(fixture *f, const cv_type *type, int64_t key)
{
    void *row = cv_arena_alloc(&f->turn, type->size);
    cv_row_clear(type, row);
    if (type == &card_type) {
        *(card *)row = (card){.number = few(f),
                              .title = maybe(f),
                              .status = maybe(f),
                              .owner = maybe(f),
                              .rank = below(f, 4) ? few(f) : CV_ABSENT,
                              .labels = below(f, 2) ? CV_STR("[\"x\",1]") : (cv_str){NULL, 0},
                              .body = maybe(f)};
    } else if (type == &line_type) {
        *(line *)row =
            (line){.thread = pick(f), .seq = key < 0 ? few(f) : 100 + key, .author = pick(f), .text = maybe(f)};
    } else if (type == &cursor_type) {
        *(cursor *)row = (cursor){.reader = pick(f), .seen = below(f, 3) ? few(f) : CV_ABSENT, .note = maybe(f)};
    } else if (type == &paper_type) {
        cv_str name = key < 0 ? pick(f) : cv_arena_printf(&f->turn, "p%lld", (long long)key);
        *(paper *)row = (paper){.name = name, .title = maybe(f), .text = maybe(f)};
    } else if (type == &cv_event_row_type) {
        ((cv_event_row *)row)->seq = few(f);
        ((cv_event_row *)row)->subject_id = pick(f);
    } else {
        ((cv_commit_row *)row)->op_id = below(f, 2) ? CV_STR("op-1") : CV_STR("op-7");
    }
    return row;
}

/* ---- the same on every engine --------------------------------------------------------------------------------------
 */

static void note_row(cv_buf *out, const cv_type *type, const void *row)
{
    cv_buf_printf(out, "%lld", (long long)cv_row_rev(row));
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        if (!cv_row_has(field, row))
            cv_buf_add_z(out, "|-");
        else if (cv_field_is_int(field))
            cv_buf_printf(out, "|%lld", (long long)cv_row_int(row, field->offset));
        else
            cv_buf_printf(out, "|%zu:%.*s", cv_row_text(row, field->offset).n, CV_FMT(cv_row_text(row, field->offset)));
    }
    cv_buf_add_char(out, '\n');
}

static void compare(fixture *f, cv_str *answers, const char *what)
{
    for (size_t i = 1; i < f->engines; i++)
        if (!cv_str_eq(answers[i], answers[0])) {
            print_error("%s\n%.*s:\n%.*s\n%.*s:\n%.*s\n", what, CV_FMT(f->records[0]->calls->name), CV_FMT(answers[0]),
                        CV_FMT(f->records[i]->calls->name), CV_FMT(answers[i]));
            fail();
        }
}

/* ---- writing -------------------------------------------------------------------------------------------------------
 */

/* What one write does, decided before the engines are asked. */
typedef struct {
    size_t scope;
    bool locked, stale, duplicate;
    const cv_type *types[12];
    void *rows[12];
    size_t count, events;
    struct {
        const cv_type *type;
        cv_str field;
        void *row; /* the stored one */
    } redacted;
    cv_request request;
} plan;

typedef struct {
    cv_arena *arena;
    const cv_type *type;
    void *row;
} taking;

static bool take_first(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)err;
    taking *t = ctx;
    t->row = cv_row_copy(t->arena, t->type, row);
    return false;
}

/* A row that is there, for redaction. */
static void plan_redaction(fixture *f, plan *p)
{
    static const struct {
        const cv_type *type;
        const char *field;
    } texts[] = {
        {&card_type, "body"}, {&line_type, "text"}, {&cv_event_row_type, "reason"}, {&cv_commit_row_type, "result"}};
    size_t k = below(f, CV_COUNT(texts));
    taking t = {&f->turn, texts[k].type, NULL};
    if (cv_str_eq(scopes[p->scope].room, CV_STR("desk")) && k < 2)
        return;
    const cv_find find = {.type = texts[k].type,
                          .scope = scopes[p->scope],
                          .after = below(f, 2) ? random_row(f, texts[k].type, -1) : NULL};
    f->records[0]->calls->find(f->records[0], &find, take_first, &t, &f->err);
    if (!t.row)
        return;
    /* The rows of this write must not touch it. */
    for (size_t i = 0; i < p->count; i++)
        if (p->types[i] == texts[k].type && cv_row_order(texts[k].type, p->rows[i], t.row) == 0)
            return;
    p->redacted.type = texts[k].type;
    p->redacted.field = cv_str_of(texts[k].field);
    p->redacted.row = t.row;
}

static plan make_plan(fixture *f)
{
    plan p = {.scope = below(f, SCOPES), .locked = below(f, 2), .stale = below(f, 10) == 0};
    bool desk = cv_str_eq(scopes[p.scope].room, CV_STR("desk"));
    p.count = below(f, CV_COUNT(p.rows));
    p.events = 1 + below(f, 3);
    p.duplicate = below(f, 12) == 0;
    for (size_t i = 0; i < p.count; i++) {
        p.types[i] = desk ? &paper_type : below(f, 2) ? &card_type : &line_type;
        p.rows[i] = random_row(f, p.types[i], p.duplicate ? -1 : (int64_t)(f->made * 100 + i));
    }
    if (below(f, 5) == 0)
        plan_redaction(f, &p);
    f->made++;
    p.request = (cv_request){cv_arena_printf(&f->arena, "op-%zu", f->made),
                             cv_arena_printf(&f->arena, "digest-%zu", f->made), CV_STR("board change")};
    if (f->op_count && below(f, 6) == 0) { /* one that was done before, or used for something else */
        size_t k = below(f, f->op_count < CV_COUNT(f->ops) ? f->op_count : CV_COUNT(f->ops));
        p.request.op_id = f->ops[k].id;
        if (below(f, 2))
            p.request.digest = f->ops[k].digest;
        p.scope = below(f, 3) ? f->ops[k].scope : p.scope;
        p.count = 0;
        p.redacted.row = NULL;
    }
    return p;
}

static void fill(cv_writing *w, const plan *p)
{
    cv_event_row *event = NULL;
    for (size_t i = 0; i < p->events; i++) {
        event = cv_writing_event(w, CV_STR("thing"), CV_STR("a"), i ? CV_STR("changed") : CV_STR("made"));
        event->step = i ? CV_ABSENT : 7;
        event->reason = i ? CV_STR("because") : (cv_str){NULL, 0};
        for (size_t k = i; k < p->count; k += p->events) {
            void *row = cv_writing_put(w, p->types[k], p->rows[k]);
            if (p->types[k]->life == CV_REPLACED && k % 3)
                cv_writing_covers(w, event, p->types[k], row);
        }
    }
    if (p->redacted.row)
        cv_writing_redact(w, event, p->redacted.type, p->redacted.row, p->redacted.field);
}

/* Performs the plan on one engine; what came of it, as text. */
static cv_str perform(fixture *f, cv_record *record, const plan *p, cv_written *ret)
{
    cv_arena *a = &f->turn;
    cv_err err = {.arena = a};
    cv_writing w;
    cv_scope_position at;
    bool ok = true;
    *ret = (cv_written){0};
    if (p->locked) {
        assert_ok(cv_writing_begin(&w, record, a, scopes[p->scope], CV_STR(""), NOW, &err), &err);
        ok = cv_writing_done_before(&w, &p->request, ret, &err);
        if (!ok || ret->how == CV_WRITE_REPLAYED)
            cv_writing_end(&w);
    } else {
        assert_ok(record->calls->begin(record, a, scopes[p->scope], &at, &err), &err);
        record->calls->end(record);
        if (p->stale)
            at = (cv_scope_position){.rev = at.rev + 1, .head = CV_STR("elsewhere"), .event_count = at.event_count + 1};
        cv_writing_from(&w, record, a, scopes[p->scope], &at, NOW);
    }
    if (ok && ret->how != CV_WRITE_REPLAYED) {
        fill(&w, p);
        ok = cv_writing_commit(&w, &p->request, cv_arena_printf(a, "{\"made\":%zu}", f->made), ret, &err);
    }
    bool written = ret->how == CV_WRITE_DONE || ret->how == CV_WRITE_REPLAYED;
    return cv_arena_printf(a, "%s %d %lld %.*s", ok ? "ok" : "failed", (int)ret->how, written ? (long long)ret->rev : 0,
                           CV_FMT(written ? ret->result : CV_STR("")));
}

static size_t outcomes[CV_WRITE_UNKNOWN + 1];

static void write_something(fixture *f)
{
    plan p = make_plan(f);
    cv_str answers[MOST_ENGINES];
    cv_written done = {0};
    for (size_t i = 0; i < f->engines; i++)
        answers[i] = perform(f, f->records[i], &p, &done);
    compare(f, answers, "a write");
    outcomes[done.how]++;
    if (done.how != CV_WRITE_DONE)
        return;
    size_t k = f->op_count++ % CV_COUNT(f->ops);
    f->ops[k].id = p.request.op_id;
    f->ops[k].digest = p.request.digest;
    f->ops[k].scope = p.scope;
}

static void begin_and_leave(fixture *f)
{
    cv_str answers[MOST_ENGINES];
    cv_scope_id scope = scopes[below(f, SCOPES)];
    bool to_write = below(f, 2);
    for (size_t i = 0; i < f->engines; i++) {
        cv_scope_position at;
        cv_record *r = f->records[i];
        assert_ok(to_write ? r->calls->lock(r, &f->turn, scope, CV_STR(""), &at, &f->err)
                           : r->calls->begin(r, &f->turn, scope, &at, &f->err),
                  &f->err);
        answers[i] =
            cv_arena_printf(&f->turn, "%lld %lld %.*s", (long long)at.rev, (long long)at.event_count, CV_FMT(at.head));
        r->calls->end(r);
        r->calls->end(r); /* may always be called */
    }
    compare(f, answers, "a position");
}

static void keep_or_drop(fixture *f)
{
    cv_scope_id scope = scopes[below(f, 4)];
    cv_rows rows = {&cursor_type, NULL, below(f, 3)};
    cursor *list = CV_NEW_ARRAY(&f->turn, rows.count, cursor);
    for (size_t i = 0; i < rows.count; i++)
        list[i] = *(cursor *)random_row(f, &cursor_type, -1);
    rows.rows = list;
    bool keep = below(f, 3), inside = below(f, 3) == 0, alone = below(f, 2);
    cv_str answers[MOST_ENGINES];
    for (size_t i = 0; i < f->engines; i++) {
        cv_record *r = f->records[i];
        cv_scope_position at;
        cv_err err = {.arena = &f->turn};
        if (inside)
            assert_ok(r->calls->lock(r, &f->turn, scope, CV_STR(""), &at, &err), &err);
        if (inside && at.rev > 0 && alone) {
            assert_ok(keep ? r->calls->keep(r, scope, &rows, &err) : r->calls->drop(r, scope, &rows, &err), &err);
            assert_int_equal(r->calls->commit(r, &f->turn, NULL, &err), CV_WRITE_DONE);
            answers[i] = CV_STR("kept");
            continue;
        }
        if (inside && at.rev > 0) { /* with a write that is committed */
            cv_writing w;
            cv_written done;
            cv_writing_from(&w, r, &f->turn, scope, &at, NOW);
            w.locked = true;
            cv_writing_event(&w, CV_STR("cursor"), CV_STR("x"), CV_STR("moved"));
            assert_ok(keep ? r->calls->keep(r, scope, &rows, &err) : r->calls->drop(r, scope, &rows, &err), &err);
            cv_request request = {cv_arena_printf(&f->turn, "keep-%zu", f->made), CV_STR("d"), CV_STR("board keep")};
            assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &err), &err);
            answers[i] = CV_STR("kept");
            continue;
        }
        r->calls->end(r);
        bool ok = keep ? r->calls->keep(r, scope, &rows, &err) : r->calls->drop(r, scope, &rows, &err);
        answers[i] = ok ? CV_STR("kept") : CV_STR("refused");
    }
    f->made++;
    compare(f, answers, "volatile rows");
}

/* ---- finding -------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_buf out;
    const cv_find *find;
    cv_arena *arena;
    void *last;
    cv_str last_scope;
    size_t count;
} finding;

/* By the fields of the index, if there is one. */
static bool follows(const cv_find *find, const void *before, const void *row)
{
    int order = 0;
    for (size_t i = 0; find->index && i < find->index->count && order == 0; i++) {
        const cv_type_field *field = cv_type_at(find->type, find->index->at[i]);
        order = field ? cv_row_compare_field(field, before, row) : CV_ORDER(cv_row_rev(before), cv_row_rev(row));
    }
    return find->descending ? order >= 0 : order <= 0;
}

static bool note_found(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    finding *x = ctx;
    (void)err;
    if (x->last)
        assert_true(follows(x->find, x->last, row));
    cv_buf_printf(&x->out, "%.*s/%.*s ", CV_FMT(scope.room), CV_FMT(scope.name));
    note_row(&x->out, x->find->type, row);
    x->last = cv_row_copy(x->arena, x->find->type, row);
    x->last_scope = cv_arena_copy(x->arena, scope.name);
    x->count++;
    return true;
}

static cv_find random_find(fixture *f)
{
    static const cv_type *const types[] = {&card_type,   &card_type,         &line_type,          &line_type,
                                           &cursor_type, &cv_event_row_type, &cv_commit_row_type, &paper_type};
    const cv_type *type = types[below(f, CV_COUNT(types))];
    cv_find find = {.type = type, .scope = scopes[type == &paper_type ? 4 : below(f, 4)]};
    size_t which = below(f, type->index_count + 1);
    find.index = which < type->index_count ? &type->indexes[which] : NULL;
    find.equal = below(f, (find.index ? find.index->count : type->key_count) + 1u);
    find.like = random_row(f, type, -1);
    for (size_t i = 0; i < find.equal; i++) /* what is absent cannot be equal */
        if (find.index && find.index->at[i] && !cv_row_has(cv_type_at(type, find.index->at[i]), find.like))
            find.equal = i;
    memcpy((void *)find.like, &(int64_t){1 + (int64_t)below(f, 9)}, sizeof(int64_t));
    find.since_rev = type == &cursor_type || below(f, 3) ? 0 : (int64_t)below(f, 30);
    find.limit = below(f, 3) ? 1 + below(f, 5) : 0;
    find.descending = below(f, 2);
    find.outline = below(f, 4) == 0;
    return find;
}

/* Page by page, as a reader of a list does. */
static cv_str find_pages(fixture *f, cv_record *record, cv_find find)
{
    finding x = {.find = &find, .arena = &f->turn};
    cv_err err = {.arena = &f->turn};
    for (size_t pages = 0, before = 1; x.count != before && pages < 1000; pages++) {
        before = x.count;
        assert_ok(record->calls->find(record, &find, note_found, &x, &err), &err);
        if (!find.limit)
            break;
        find.after = x.last;
        find.after_scope = x.last_scope;
        cv_buf_add_z(&x.out, "--\n");
    }
    return cv_buf_take(&x.out, &f->turn);
}

static size_t rows_found;

static int by_text(const void *x, const void *y)
{
    return cv_str_order(*(const cv_str *)x, *(const cv_str *)y);
}

/* Which of two scopes comes first where the fields of an index are equal is the engine's own. */
static cv_str without_order(cv_arena *a, cv_str text)
{
    cv_str *lines = CV_NEW_ARRAY(a, text.n + 1, cv_str);
    cv_buf out = {0};
    size_t count = 0;
    for (size_t end; text.n > 0; text = cv_str_from(text, end)) {
        end = cv_str_find(text, CV_STR("\n")) + 1;
        if (!cv_str_eq(cv_str_head(text, end), CV_STR("--\n")))
            lines[count++] = cv_str_head(text, end);
    }
    qsort(lines, count, sizeof *lines, by_text);
    for (size_t i = 0; i < count; i++)
        cv_buf_add(&out, lines[i]);
    return cv_buf_take(&out, a);
}

static void find_something(fixture *f)
{
    cv_str answers[MOST_ENGINES];
    cv_find find = random_find(f);
    for (size_t i = 0; i < f->engines; i++)
        answers[i] = find_pages(f, f->records[i], find);
    for (size_t i = 0; f->way && find.index && find.index->across && i < f->engines; i++)
        answers[i] = without_order(&f->turn, answers[i]);
    cv_str what =
        cv_arena_printf(&f->turn, "%.*s by %s, %zu equal, limit %zu, since %lld%s%s", CV_FMT(find.type->name),
                        find.index ? find.index->name : "key", find.equal, find.limit, (long long)find.since_rev,
                        find.descending ? ", descending" : "", find.outline ? ", outline" : "");
    compare(f, answers, what.p);
    rows_found += answers[0].n > 3;
}

/* ---- feed ----------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_buf out;
    cv_arena *arena;
    cv_str position;
    size_t count, stop_at;
} reading;

static bool note_entry(void *ctx, const cv_feed_entry *e, cv_err *err)
{
    reading *r = ctx;
    (void)err;
    cv_buf_printf(&r->out, "%.*s/%.*s %lld %.*s %.*s %.*s %.*s\n", CV_FMT(e->scope.room), CV_FMT(e->scope.name),
                  (long long)e->rev, CV_FMT(e->op_id), CV_FMT(e->operation), CV_FMT(e->created_at), CV_FMT(e->head));
    r->position = cv_arena_copy(r->arena, e->position);
    r->count++;
    return true;
}

/* On a server that others use, too, a commit is in the feed when those who began before it have ended. */
static void settle(fixture *f)
{
    cv_commit last = {0}, expected = {0};
    cv_record *r = f->records[f->engines - 1];
    assert_ok(f->records[1]->calls->last_commit(f->records[1], &expected, &f->err), &f->err);
    for (int tries = 0; f->way && last.number != expected.number && tries < 3000; tries++) {
        assert_ok(r->calls->last_commit(r, &last, &f->err), &f->err);
        if (last.number != expected.number)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

static void read_feed(fixture *f)
{
    settle(f);
    cv_str answers[MOST_ENGINES];
    size_t limit = 1 + below(f, 40);
    for (size_t i = 0; i < f->engines; i++) {
        cv_record *r = f->records[i];
        reading x = {.arena = &f->turn};
        cv_str newest;
        for (size_t before = 1; before != x.count;) {
            before = x.count;
            assert_ok(r->calls->feed(r, x.position, limit, note_entry, &x, &f->err), &f->err);
        }
        assert_ok(r->calls->newest(r, &f->turn, 0, &newest, &f->err), &f->err);
        assert_view_eq(x.position, newest);
        reading last = {.arena = &f->turn};
        size_t back = below(f, x.count + 3);
        assert_ok(r->calls->newest(r, &f->turn, back, &last.position, &f->err), &f->err);
        assert_ok(r->calls->feed(r, last.position, 0, note_entry, &last, &f->err), &f->err);
        assert_int_equal(last.count, back < x.count ? back : x.count);
        cv_buf_release(&last.out);
        answers[i] = cv_buf_take(&x.out, &f->turn);
    }
    compare(f, answers, "the feed");
}

static bool take_entries(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    reading *r = ctx;
    for (size_t i = 0; i < count && r->count < r->stop_at; i++)
        note_entry(r, &entries[i], err);
    return r->count < r->stop_at || cv_err_set(err, CV_ERR_CANCELLED, "enough");
}

/* A reader with a kept position, which breaks off at some place: what it missed comes again. */
static void catch_up(fixture *f)
{
    cv_str answers[MOST_ENGINES];
    size_t stop = 1 + below(f, 50), batch = 1 + below(f, 7);
    cv_str name = below(f, 2) ? CV_STR("reader") : CV_STR("other reader");
    settle(f);
    for (size_t i = 0; i < f->engines; i++) {
        reading x = {.arena = &f->turn, .stop_at = stop};
        cv_err err = {.arena = &f->turn};
        const cv_feed_reader reader = {.name = name, .batch = batch, .take = take_entries, .ctx = &x};
        bool ok = cv_feed_catch_up(f->records[i], &f->turn, &reader, &err);
        cv_buf_add_z(&x.out, ok ? "all" : "stopped");
        answers[i] = cv_buf_take(&x.out, &f->turn);
    }
    compare(f, answers, "catching up with the feed");
}

static bool note_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    (void)err;
    cv_buf_printf(ctx, "%.*s %lld %.*s %lld\n", CV_FMT(scope.name), (long long)at->rev, CV_FMT(at->head),
                  (long long)at->event_count);
    return true;
}

static void list_scopes(fixture *f)
{
    cv_str answers[MOST_ENGINES], after = pick(f);
    size_t limit = below(f, 4);
    for (size_t i = 0; i < f->engines; i++) {
        cv_buf out = {0};
        cv_record *r = f->records[i];
        assert_ok(r->calls->scopes(r, CV_STR("board"), after, limit, note_scope, &out, &f->err), &f->err);
        answers[i] = cv_buf_take(&out, &f->turn);
    }
    compare(f, answers, "a list of scopes");
}

/* ---- all of it -----------------------------------------------------------------------------------------------------
 */

/* The same bytes, whole histories, and copies that are the same. */
static void compare_all(fixture *f)
{
    for (size_t s = 0; s < SCOPES; s++) {
        cv_str answers[MOST_ENGINES];
        cv_scope_position at;
        cv_scope_rows rows;
        cv_record *from = f->records[below(f, f->engines)];
        assert_ok(cv_scope_load(from, &f->turn, scopes[s], &rows, &f->err), &f->err);
        if (rows.at.rev == 0)
            continue;
        for (size_t i = 0; i < f->engines; i++) {
            answers[i] = board_print(f->records[i], &f->turn, scopes[s], &f->err);
            assert_ok(cv_scope_verify(f->records[i], &f->turn, scopes[s], NULL, &at, &f->err), &f->err);
            assert_int_equal(at.rev, rows.at.rev);
        }
        compare(f, answers, "a whole scope");
        cv_json document;
        cv_errs errs = {0};
        cv_scope_rows parsed;
        cv_record *copies[2] = {model_open(&f->turn, &all_types), board_memory(&f->turn, &f->err)};
        assert_ok(cv_json_parse(&f->turn, answers[0], &document, &f->err), &f->err);
        assert_true(cv_scope_parse(&all_types, &f->turn, &document, &parsed, &errs));
        assert_int_equal(cv_scope_restore(copies[0], &f->turn, &rows, false, &f->err), CV_WRITE_DONE);
        assert_int_equal(cv_scope_restore(copies[1], &f->turn, &parsed, false, &f->err), CV_WRITE_DONE);
        for (size_t i = 0; i < 2; i++) {
            assert_view_eq(board_print(copies[i], &f->turn, scopes[s], &f->err), answers[0]);
            assert_ok(cv_scope_verify(copies[i], &f->turn, scopes[s], NULL, &at, &f->err), &f->err);
            assert_int_equal(cv_scope_restore(copies[i], &f->turn, &rows, false, &f->err), CV_WRITE_CONFLICT);
            cv_record_close(copies[i]);
        }
    }
    assert_ok(f->records[2]->calls->check(f->records[2], &f->turn, &f->err), &f->err);
    assert_ok(f->records[2]->calls->search_check(f->records[2], &f->turn, &f->err), &f->err);
    settle(f);
    cv_seal seals[MOST_ENGINES] = {0};
    for (size_t i = 0; i < f->engines; i++) {
        assert_ok(cv_seal_record(f->records[i], NULL, &seals[i], &f->err), &f->err);
        assert_memory_equal(&seals[i], &seals[0], sizeof seals[0]);
    }
}

/* ---- search --------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} found;

static bool note_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    found *f = ctx;
    (void)err;
    assert_true(hit->score > 0);
    *CV_PUSH(f->arena, f) =
        cv_arena_printf(f->arena, "%.*s/%.*s/%.*s/%.*s %.*s", CV_FMT(hit->scope.room), CV_FMT(hit->scope.name),
                        CV_FMT(hit->kind), CV_FMT(hit->id), CV_FMT(hit->body));
    return true;
}

/* The hits of all engines but the model, which has no index. On a server that others use, too, the last commits may not
 * be in the feed yet. */
static void search_something(fixture *f)
{
    const cv_search_term terms[] = {{.text = pick(f), .prefix = below(f, 3) == 0},
                                    {.text = pick(f), .exclude = below(f, 2)}};
    const cv_word_query query = {
        .terms = terms, .count = 1 + below(f, 2), .any = below(f, 2), .limit = 10000, .room = scopes[0].room};
    cv_str answers[MOST_ENGINES];
    for (size_t i = 1; i < f->engines; i++) {
        cv_record *r = f->records[i];
        size_t behind = 1;
        found hits = {0};
        for (int tries = 0; behind > 0 && tries < 100; tries++) {
            hits = (found){.arena = &f->turn};
            assert_ok(r->calls->search(r, &f->turn, &query, note_hit, &hits, &behind, &f->err), &f->err);
        }
        assert_int_equal(behind, 0);
        if (hits.count)
            qsort(hits.items, hits.count, sizeof *hits.items, by_text);
        answers[i] = cv_arena_list(&f->turn, hits.items, hits.count);
    }
    answers[0] = answers[1];
    compare(f, answers, "search");
}

static void run_steps(fixture *f, size_t steps)
{
    static void (*const acts[])(fixture *) = {write_something, write_something, write_something, find_something,
                                              find_something,  find_something,  find_something,  keep_or_drop,
                                              begin_and_leave, list_scopes,     catch_up};
    for (size_t i = 0; i < steps; i++) {
        if (below(f, 120) == 0)
            read_feed(f);
        else if (below(f, 60) == 0)
            search_something(f);
        else
            acts[below(f, CV_COUNT(acts))](f);
        if (i % (steps / 5) == steps / 5 - 1)
            compare_all(f);
        cv_arena_reset(&f->turn);
    }
}

static void engines_agree(void **state)
{
    enum { STEPS = 2500 };
    uint64_t seed = cv_test_seed();
    for (int runs = cv_test_soak() ? 60 : 1; runs > 0; runs--, seed++) {
        fixture *f = *state;
        const char *way = f->way;
        f->random.state = seed;
        print_message("# seed %llu\n", (unsigned long long)seed);
        run_steps(f, way && !cv_test_soak() ? STEPS / 5 : STEPS);
        if (runs > 1) {
            tear_down(state);
            way ? set_up_postgres(state, way) : set_up(state);
        }
    }
    if (((fixture *)*state)->way)
        return;
    /* The generator has reached every outcome that can be had here. */
    for (int how = CV_WRITE_DONE; how <= CV_WRITE_FAILED; how++)
        assert_true(how == CV_WRITE_BUSY || outcomes[how] > 10);
    assert_true(rows_found > STEPS / 20);
}

static void changed_tells_commits(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < f->engines; i++) {
        cv_record *r = f->records[i];
        assert_true(r->calls->changed(r, &f->seen[i]));
        assert_false(r->calls->changed(r, &f->seen[i]));
    }
    plan p = {.scope = 0, .locked = true, .events = 1, .request = {CV_STR("o"), CV_STR("d"), CV_STR("board x")}};
    for (size_t i = 0; i < f->engines; i++) {
        cv_record *r = f->records[i];
        cv_written done;
        perform(f, r, &p, &done);
        assert_int_equal(done.how, CV_WRITE_DONE);
        assert_true(r->calls->changed(r, &f->seen[i]));
        assert_false(r->calls->changed(r, &f->seen[i]));
    }
    /* … those of others, too. */
    cv_record *other = board_open(&f->arena, cv_arena_printf(&f->arena, "%s/conclave.db", f->folder).p, &f->err);
    cv_written done;
    p.request.op_id = CV_STR("o2");
    perform(f, other, &p, &done);
    assert_int_equal(done.how, CV_WRITE_DONE);
    assert_true(f->records[2]->calls->changed(f->records[2], &f->seen[2]));
    assert_false(f->records[2]->calls->changed(f->records[2], &f->seen[2]));
    cv_record_close(other);
}

/* A position belongs to the record that gave it. */
static void foreign_positions_are_refused(void **state)
{
    fixture *f = *state;
    plan p = {.scope = 0, .locked = true, .events = 1, .request = {CV_STR("o"), CV_STR("d"), CV_STR("board x")}};
    cv_written done;
    cv_str here, there;
    reading x = {.arena = &f->turn};
    perform(f, f->records[1], &p, &done);
    p.request.op_id = CV_STR("another");
    perform(f, f->records[2], &p, &done);
    assert_ok(f->records[1]->calls->newest(f->records[1], &f->turn, 0, &here, &f->err), &f->err);
    assert_ok(f->records[2]->calls->newest(f->records[2], &f->turn, 0, &there, &f->err), &f->err);
    assert_ok(f->records[1]->calls->feed(f->records[1], here, 0, note_entry, &x, &f->err), &f->err);
    const cv_str wrong[] = {there, CV_STR("2-"), CV_STR("1"), CV_STR("x"), CV_STR("99999999999999999999-ab")};
    for (size_t i = 0; i < CV_COUNT(wrong); i++)
        assert_fails(f->records[1]->calls->feed(f->records[1], wrong[i], 0, note_entry, &x, &f->err), &f->err,
                     CV_ERR_INVALID_VALUE);
    assert_int_equal(x.count, 0);
}

#define AS_KEPT(F) F(INT, KEY, n) F(TEXT, OUTLINE, share) F(INT, PLAIN, yes)
#define AS_SHOWN(F) F(INT, KEY, n) F(DECIMAL, OUTLINE, share) F(FLAG, PLAIN, yes)
CV_TYPE_STRUCT(as_kept, AS_KEPT)
CV_TYPE_STRUCT(as_shown, AS_SHOWN)
#define CV_THIS_TYPE as_kept
CV_TYPE_TABLE(as_kept, "thing", "things", AS_KEPT, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE as_shown
CV_TYPE_TABLE(as_shown, "thing", "things", AS_SHOWN, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE

/* A text that becomes a decimal, a number that becomes a flag: no hash changes, nor what is absent, nor the order. */
static void decimals_and_flags_are_kept_as_before(void **state)
{
    fixture *f = *state;
    const cv_str shares[] = {{NULL, 0}, CV_STR_INIT(""), CV_STR_INIT("0.50"), CV_STR_INIT("1e3")};
    const int64_t flags[] = {CV_ABSENT, 0, 1, 7};
    for (size_t i = 0; i < CV_COUNT(shares) * CV_COUNT(flags); i++) {
        as_kept kept, other;
        as_shown shown;
        cv_row_clear(&as_kept_type, &kept);
        cv_row_clear(&as_shown_type, &shown);
        assert_memory_equal(&kept, &shown, sizeof kept);
        kept = other = (as_kept){1, 2, shares[i % 4], flags[i / 4]};
        memcpy(&shown, &kept, sizeof shown);
        other.share = CV_STR("0.7");
        assert_view_eq(cv_hash_one(&f->turn, &as_shown_type, &shown), cv_hash_one(&f->turn, &as_kept_type, &kept));
        for (size_t k = 0; k < as_kept_type.field_count; k++) {
            const cv_type_field *x = &as_kept_type.fields[k], *y = &as_shown_type.fields[k];
            assert_int_equal(cv_row_has(x, &kept), cv_row_has(y, &shown));
            assert_int_equal(cv_row_compare_field(x, &kept, &other), cv_row_compare_field(y, &shown, &other));
        }
        assert_true(cv_row_valid(&as_shown_type, &shown, &f->err));
        assert_memory_equal(cv_row_copy(&f->turn, &as_shown_type, &shown), &shown, offsetof(as_shown, share));
    }
}

#define WITH(way)                                                                                                      \
    {                                                                                                                  \
        "engines_agree_" #way, engines_agree, set_up_##way, tear_down, NULL                                            \
    }
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(engines_agree),
        WITH(plain),
        WITH(without_pipeline),
        WITH(partitioned),
        WITH(serializable),
        WITH(pooled),
        TEST(changed_tells_commits),
        TEST(foreign_positions_are_refused),
        TEST(decimals_and_flags_are_kept_as_before),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
