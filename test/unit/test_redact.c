/* test_redact.c - a redacted text is nowhere any more, the history verifies, and everything that refuses says why.
 *
 * The generator places random texts in every long field of every type that the program keeps, in answers, events and
 * files, redacts one after the other, and searches the bytes of all files for each.
 */
#include "world.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "project/phrases.h"
#include "project/traces.h"
#include "record/hash.h"
#include "record/scope.h"
#include "record/sql.h"
#include "record/sqlite/engine.h"
#include "record/verify.h"

#define SCOPE(word) ((cv_scope_id){CV_STR("dialogue"), CV_STR(word)})

static bool call_project(cv_world *w, const char *verb, cv_str text)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.input_text = cv_arena_copy(&w->turn, text);
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    call.who.name = CV_STR("ann");
    return cv_op_call(cv_op_find(CV_STR(""), cv_str_of(verb)), &call);
}

static cv_str do_project(cv_world *w, const char *verb, cv_str text)
{
    if (!call_project(w, verb, text)) {
        for (size_t i = 0; i < w->errs.count; i++)
            print_error("%.*s\n", CV_FMT(cv_err_text(&w->errs.items[i])));
        fail();
    }
    return cv_buf_str(&w->out);
}

static cv_str request(cv_arena *a, const char *kind, cv_str id, const char *field, const char *more)
{
    return cv_arena_printf(a,
                           "{\"room\":\"dialogue\",\"scope\":\"x\",\"kind\":\"%s\",\"id\":\"%.*s\",\"field\":\"%s\","
                           "\"reason\":\"must go\"%s}",
                           kind, CV_FMT(id), field, more);
}

/* ---- looking into files -------------------------------------------------------------------------------------------
 */

static cv_str wanted_bytes;
static char found_in[512];

static int look(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    cv_arena a = {0};
    (void)st, (void)ftw;
    if (type == FTW_F && cv_str_find(cv_test_read(&a, path), wanted_bytes) != SIZE_MAX)
        snprintf(found_in, sizeof found_in, "%s", path);
    cv_arena_release(&a);
    return 0;
}

/* The name of a file below the folder that has the bytes; NULL: none. */
static const char *file_with(const char *folder, cv_str bytes)
{
    wanted_bytes = bytes;
    found_in[0] = '\0';
    nftw(folder, look, 16, FTW_PHYS);
    return found_in[0] ? found_in : NULL;
}

static void assert_nowhere(const char *folder, cv_str bytes)
{
    const char *file = file_with(folder, bytes);
    if (file)
        print_error("'%.*s' is still in %s\n", CV_FMT(bytes), file);
    assert_null(file);
}

/* … except for files that the answer names as left: where another redaction had a part of the same line, the text does
 * not be there as a whole any more, and only a person can say what of it must go. */
static void assert_nowhere_untold(const char *folder, cv_str bytes, cv_str reply)
{
    size_t at = cv_str_find(reply, CV_STR("\"left\":["));
    cv_str left = at == SIZE_MAX ? CV_STR("") : cv_str_from(reply, at);
    const char *file;
    while ((file = file_with(folder, bytes)) && cv_str_find(left, cv_str_of(strrchr(file, '/'))) != SIZE_MAX)
        assert_int_equal(unlink(file), 0);
    assert_nowhere(folder, bytes);
}

static void verify(cv_world *w, const char *id)
{
    cv_scope_position at;
    cv_err err = {.arena = &w->turn};
    assert_ok(cv_scope_verify(w->record, &w->turn, (cv_scope_id){CV_STR("dialogue"), cv_str_of(id)}, NULL, &at, &err),
              &err);
}

/* ---- random texts -------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_str text;  /* the whole */
    cv_str token; /* a word of it that stands nowhere else */
} secret;

static secret make_secret(cv_arena *a, cv_test_random *random)
{
    static const char *const bits[] = {"one ", "\"two\" ", "\n",    "\r\n", "\t",    "back\\slash ", "ü ö 漢字 ",
                                       "[x] ", "| cell ",  "> q\n", "\\n ", "\x01 ", "\x7f ",        "{\"a\":1} ",
                                       "    ", "# head\n", "😀 ",    "/",    "% ",    "'; -- "};
    cv_buf out = {0};
    secret s;
    s.token = cv_arena_printf(a, "zq%016llxqz%08llx", (unsigned long long)cv_test_next(random),
                              (unsigned long long)(cv_test_next(random) & 0xffffffffu));
    size_t before = cv_test_below(random, 12), behind = cv_test_below(random, 12);
    for (size_t i = 0; i < before; i++)
        cv_buf_add_z(&out, bits[cv_test_below(random, CV_COUNT(bits))]);
    cv_buf_add(&out, s.token);
    for (size_t i = 0; i < behind; i++)
        cv_buf_add_z(&out, bits[cv_test_below(random, CV_COUNT(bits))]);
    if (cv_test_below(random, 20) == 0) /* long enough for pages of its own */
        for (size_t i = 0; i < 2000; i++)
            cv_buf_add_z(&out, "filling words \n");
    s.text = cv_buf_take(&out, a);
    return s;
}

static cv_str json_of(cv_arena *a, const char *key, cv_str text)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, key, text);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* ---- the campaign --------------------------------------------------------------------------------------------------
 */

typedef struct {
    const cv_type *type;
    const cv_type_field *field;
    cv_str id;
    secret s;
} placed;

typedef struct {
    cv_world *w;
    cv_arena *a;
    cv_test_random random;
    struct {
        placed *items;
        size_t count, capacity;
    } all;
} campaign;

/* A row with something in each field, and a secret in each long one. */
static void place_row(campaign *c, cv_writing *writing, const cv_type *type, int64_t number)
{
    char *row = cv_arena_alloc(c->a, type->size);
    cv_row_clear(type, row);
    size_t first = c->all.count;
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *f = &type->fields[i];
        cv_str text = f->type == CV_JSON      ? CV_STR("[]")
                      : f->type == CV_DECIMAL ? CV_STR("1")
                      : i > 0                 ? CV_STR("x")
                      : number == 1           ? CV_STR("P")
                                              : CV_STR("R");
        if (f->role == CV_LONG) {
            placed p = {type, f, {NULL, 0}, make_secret(c->a, &c->random)};
            text = f->type == CV_JSON ? json_of(c->a, "deep", p.s.text) : p.s.text;
            *CV_PUSH(c->a, &c->all) = p;
        }
        if (cv_field_is_int(f))
            memcpy(row + f->offset, &number, sizeof number);
        else
            memcpy(row + f->offset, &text, sizeof text);
    }
    for (size_t i = first; i < c->all.count; i++)
        c->all.items[i].id = cv_str_from(cv_row_name(c->a, type, row), type->name.n + 1);
    cv_writing_put(writing, type, row);
}

/* Some file below the project's folder that repeats the text. */
static void place_file(campaign *c, const secret *s, size_t number)
{
    cv_err err = {.arena = c->a};
    const char *folder = cv_arena_printf(c->a, "%s/.conclave", c->w->folder).p;
    mkdir(folder, 0700);
    const char *path = cv_arena_printf(c->a, "%s/file-%zu.%s", folder, number, number % 2 ? "json" : "md").p;
    cv_str bytes =
        number % 2 ? json_of(c->a, "copy", s->text) : cv_arena_printf(c->a, "before\n%.*s\nbehind\n", CV_FMT(s->text));
    assert_ok(cv_file_write(path, bytes, &err), &err);
}

/* Two writes: rows of every type, then an event and an answer that repeat some of the texts. */
static void fill(campaign *c)
{
    cv_err err = {.arena = c->a};
    cv_written done;
    cv_writing w;
    assert_ok(
        cv_writing_begin(&w, c->w->record, c->a, SCOPE("x"), CV_STR(""), CV_STR("2026-01-02T03:04:05.678Z"), &err),
        &err);
    for (size_t i = 0; i < cv_dialogue_records.count; i++)
        if (cv_dialogue_records.types[i]->life != CV_VOLATILE)
            for (int64_t n = 1; n <= 2; n++)
                place_row(c, &w, cv_dialogue_records.types[i], n);
    size_t rows = c->all.count;
    for (int i = 0; i < 3; i++) {
        cv_event_row *e = cv_writing_event(&w, CV_STR("P"), CV_STR("x"), CV_STR("created"));
        placed reason = {&cv_event_row_type, cv_type_field_named(&cv_event_row_type, CV_STR("reason")),
                         cv_arena_printf(c->a, "%d", i + 1), make_secret(c->a, &c->random)};
        placed data = {&cv_event_row_type, cv_type_field_named(&cv_event_row_type, CV_STR("data")), reason.id,
                       make_secret(c->a, &c->random)};
        e->reason = reason.s.text;
        e->data = json_of(c->a, "old", json_of(c->a, "inner", data.s.text));
        *CV_PUSH(c->a, &c->all) = reason;
        *CV_PUSH(c->a, &c->all) = data;
    }
    const cv_request first = {CV_STR("one"), CV_STR("d"), CV_STR("dialogue test")};
    assert_ok(cv_writing_commit(&w, &first, json_of(c->a, "answer", c->all.items[0].s.text), &done, &err), &err);
    assert_ok(
        cv_writing_begin(&w, c->w->record, c->a, SCOPE("x"), CV_STR(""), CV_STR("2026-01-02T03:04:06.678Z"), &err),
        &err);
    cv_writing_event(&w, CV_STR("P"), CV_STR("x"), CV_STR("told"))->data =
        json_of(c->a, "again", c->all.items[cv_test_below(&c->random, rows)].s.text);
    const cv_request second = {CV_STR("two"), CV_STR("d"), CV_STR("dialogue test")};
    cv_str inner = json_of(c->a, "inner", c->all.items[cv_test_below(&c->random, rows)].s.text);
    assert_ok(cv_writing_commit(&w, &second, json_of(c->a, "answer", inner), &done, &err), &err);
    for (size_t i = 0; i < 4; i++)
        place_file(c, &c->all.items[cv_test_below(&c->random, rows)].s, i);
}

static void assert_not_found(campaign *c, cv_str token)
{
    cv_str query = cv_arena_printf(c->a, "{\"query\":\"%.*s\"}", CV_FMT(token));
    assert_str_has(do_project(c->w, "search", query), "\"count\":0");
}

/* The scope as a document, and from it in another store. */
static void copy_and_verify(campaign *c)
{
    cv_err err = {.arena = c->a};
    cv_errs errs = {0};
    cv_buf text = {0};
    cv_json document;
    cv_scope_rows rows;
    cv_scope_position at;
    cv_record *other;
    assert_ok(cv_scope_print(c->w->record, c->a, SCOPE("x"), &(cv_json_writer){.out = &text}, &err), &err);
    cv_str printed = cv_buf_take(&text, c->a);
    for (size_t i = 0; i < c->all.count; i++)
        assert_int_equal(cv_str_find(printed, c->all.items[i].s.token), SIZE_MAX);
    assert_ok(cv_json_parse(c->a, printed, &document, &err), &err);
    assert_true(cv_scope_parse(&cv_program_types, c->a, &document, &rows, &errs));
    assert_ok(c->w->record->calls->scratch(c->w->record, c->a, true, &other, &err), &err);
    assert_int_equal(cv_scope_restore(other, c->a, &rows, false, &err), CV_WRITE_DONE);
    assert_ok(cv_scope_verify(other, c->a, SCOPE("x"), NULL, &at, &err), &err);
    cv_record_close(other);
}

static void run_campaign(uint64_t seed)
{
    cv_world w;
    cv_world_open(&w);
    cv_arena a = {0};
    campaign c = {.w = &w, .a = &a, .random = {seed}};
    size_t seen = 0;
    /* Some builds of SQLite overwrite what is freed; the program must not rely on that. */
    sqlite3_exec(((cv_sqlite_record *)w.record)->s->db, "PRAGMA secure_delete = OFF", NULL, NULL, NULL);
    fill(&c);
    if (cv_test_below(&c.random, 2)) /* the words are in the index already */
        do_project(&w, "search", cv_arena_printf(&a, "{\"query\":\"%.*s\"}", CV_FMT(c.all.items[0].s.token)));
    for (size_t i = 0; i < c.all.count; i++) {
        const placed *p = &c.all.items[i];
        char kind[64];
        seen += file_with(w.folder, p->s.token) != NULL; /* pages may part it, or an event shares a line with it */
        snprintf(kind, sizeof kind, "%.*s", CV_FMT(p->type->name));
        const char *field = cv_arena_copy_z(&a, p->field->name);
        cv_str reply = do_project(&w, "redact", request(&a, kind, p->id, field, ""));
        assert_int_equal(cv_str_find(reply, p->s.token), SIZE_MAX);
        assert_nowhere_untold(w.folder, p->s.token, reply);
        if (i % 8 == 0) {
            assert_not_found(&c, p->s.token);
            verify(&w, "x");
        }
    }
    assert_true(seen > c.all.count / 2);
    verify(&w, "x");
    cv_err err = {.arena = &a};
    assert_ok(w.record->calls->check(w.record, &a, &err), &err);
    assert_ok(w.record->calls->search_check(w.record, &a, &err), &err);
    copy_and_verify(&c);
    cv_arena_release(&a);
    cv_world_close(&w);
}

static void test_every_long_field(void **state)
{
    (void)state;
    uint64_t seed = cv_test_seed();
    run_campaign(14395493001); /* another redaction has parted a line that stands escaped in a file */
    run_campaign(20152002);    /* … and in two files */
    for (uint64_t i = 0; i < (cv_test_soak() ? 200 : 3); i++)
        run_campaign(seed * 1000 + i);
}

/* ---- the files of a room ------------------------------------------------------------------------------------------
 */

/* Words, quotes, marks and lines, such as experts write; the token somewhere in them. */
static secret make_prose(cv_arena *a, cv_test_random *random)
{
    static const char *const bits[] = {
        "and the bread ", "| price ", "*soft* ", "\n",       "\n\n", "> said ", "`code` ", "<b> ",
        "\"so\" ",        "[old] ",   "- one\n", "1. two\n", "ü ",   "漢字 ",   "\\ ",     "# not a head "};
    cv_buf out = {0};
    secret s;
    s.token = cv_arena_printf(a, "zq%016llxqz%08llx", (unsigned long long)cv_test_next(random),
                              (unsigned long long)(cv_test_next(random) & 0xffffffffu));
    size_t before = cv_test_below(random, 14), behind = cv_test_below(random, 14);
    cv_buf_add_z(&out, "It is ");
    for (size_t i = 0; i < before; i++)
        cv_buf_add_z(&out, bits[cv_test_below(random, CV_COUNT(bits))]);
    cv_buf_add(&out, s.token);
    cv_buf_add_z(&out, " ");
    for (size_t i = 0; i < behind; i++)
        cv_buf_add_z(&out, bits[cv_test_below(random, CV_COUNT(bits))]);
    s.text = cv_buf_take(&out, a);
    return s;
}

static cv_str token_held;
static struct {
    const char *paths[64];
    size_t count;
} holders; /* files that hold the token */
static size_t files_clean;

static int note_holder(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    cv_arena a = {0};
    (void)st, (void)ftw;
    if (type == FTW_F && cv_str_find(cv_test_read(&a, path), token_held) != SIZE_MAX) {
        assert_true(holders.count < CV_COUNT(holders.paths));
        holders.paths[holders.count++] = strdup(path);
    }
    cv_arena_release(&a);
    return 0;
}

static bool is_named_in(const cv_json *reply, const char *list, const char *path)
{
    const cv_json *names = cv_json_get(reply, cv_str_of(list));
    bool named = false;
    assert_non_null(names);
    for (uint32_t i = 0; i < names->count; i++)
        named = named || cv_str_ends(cv_str_of(path), names->items[i].text);
    return named;
}

static void forget_holders(void)
{
    while (holders.count > 0)
        free((char *)holders.paths[--holders.count]);
}

static void note_holders(const char *folder, cv_str token)
{
    forget_holders();
    token_held = token;
    nftw(folder, note_holder, 16, FTW_PHYS);
}

/* Each was changed, or is left; one that holds the token is left. */
static void assert_holders_named(const cv_json *reply)
{
    bool all = true;
    for (size_t i = 0; i < holders.count; i++) {
        cv_arena a = {0};
        const char *path = holders.paths[i];
        bool held = cv_str_find(cv_test_read(&a, path), token_held) != SIZE_MAX,
             left = is_named_in(reply, "left", path);
        bool ok = left || (!held && is_named_in(reply, "files", path));
        if (!ok)
            print_error("%s %s '%.*s', and nobody says so\n", path, held ? "holds" : "held", CV_FMT(token_held));
        all = all && ok;
        cv_arena_release(&a);
    }
    assert_true(all);
}

/* A dialogue with random texts, and all the files that are made of it: a file is clean, or it is named. */
static void run_files(uint64_t seed)
{
    cv_world w;
    cv_world_open(&w);
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_test_random random = {seed};
    secret s[3];
    cv_buf text = {0};
    cv_json_writer out = {.out = &text};
    cv_json_begin_object(&out);
    cv_json_key_str(&out, "dialogue_id", CV_STR("x"));
    cv_json_key_int(&out, "round", 0);
    cv_json_key_int(&out, "score", 3);
    s[0] = make_prose(&a, &random);
    cv_json_key_str(&out, "summary", s[0].text);
    cv_json_key(&out, CV_STR("tensions"));
    cv_json_begin_array(&out);
    for (int i = 1; i < 3; i++) {
        s[i] = make_prose(&a, &random);
        cv_json_begin_object(&out);
        cv_json_key_str(&out, "local_id", cv_arena_printf(&a, "MUFFIN-T000%d", i));
        cv_json_key_str(&out, "label", CV_STR("Price"));
        cv_json_key_str(&out, "content", s[i].text);
        cv_json_key_strs(&out, "contributors", (const cv_str[]){CV_STR("muffin")}, 1);
        cv_json_end_object(&out);
    }
    cv_json_end_array(&out);
    cv_json_end_object(&out);
    cv_world_dialogue(&w, "x", (const char *[]){"muffin", "cupcake", NULL}, false);
    if (!cv_world_call_json(&w, "round-register", cv_buf_str(&text)))
        print_error("%.*s\n", CV_FMT(cv_err_text(&w.errs.items[0])));
    assert_int_equal(w.errs.count, 0);
    cv_buf_release(&text);
    cv_world_do(&w, "transcript", "{'dialogue_id': 'x', 'write': true}");
    cv_world_do(&w, "round-prompts", "{'dialogue_id': 'x'}");
    cv_world_do(&w, "export", "{'dialogue_id': 'x'}");
    for (int i = 0; i < 3; i++) {
        cv_str id = i ? cv_arena_printf(&a, "T000%d", i) : CV_STR("0");
        note_holders(cv_arena_printf(&a, "%s/.conclave", w.folder).p, s[i].token);
        assert_true(holders.count > 0);
        cv_str reply =
            do_project(&w, "redact", request(&a, i ? "tension" : "round", id, i ? "content" : "summary", ""));
        cv_json tree;
        assert_ok(cv_json_parse(&a, cv_arena_copy(&a, reply), &tree, &err), &err);
        files_clean += cv_json_get(&tree, CV_STR("left"))->count == 0;
        /* Later ones may find each of their lines parted by what was replaced before: then all files are left. */
        assert_true(i > 0 || cv_json_get(&tree, CV_STR("files"))->count > 0);
        assert_holders_named(&tree);
        note_holders(w.folder, s[i].token); /* the record's own files, too */
        assert_holders_named(&tree);
    }
    verify(&w, "x");
    forget_holders();
    cv_arena_release(&a);
    cv_world_close(&w);
}

static void test_files_of_a_room(void **state)
{
    (void)state;
    uint64_t seed = cv_test_seed();
    run_files(1057001); /* two texts share the end of a line: the first redaction parts the line of the second */
    run_files(1193000);
    for (uint64_t i = 0; i < (cv_test_soak() ? 300 : 6); i++)
        run_files(seed * 1000 + i);
    assert_true(files_clean > 0);
    print_message("# %zu redactions left nothing\n", files_clean);
}

/* ---- cases ---------------------------------------------------------------------------------------------------------
 */

static void open_bread(cv_world *w)
{
    cv_world_open(w);
    cv_world_dialogue(w, "x", (const char *[]){"muffin", "cupcake", NULL}, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'x', 'round': 0, 'score': 0, 'op_id': 'r0',"
                " 'responses': {'muffin': '[MUFFIN-T0001: Price] The baker of Avebury owes us.'},"
                " 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'Price',"
                "   'content': 'The baker of Avebury owes us.', 'contributors': ['muffin']}]}");
}

/* A kind and an id as a search names them; the response that holds the text goes with it; who, when and why stay. */
static void test_names_of_a_search(void **state)
{
    (void)state;
    cv_world w;
    open_bread(&w);
    cv_str reply = do_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", ""));
    assert_str_has(reply, "\"texts\":[\"response/0/muffin/content\",\"entity/T/0/1/content\"");
    assert_str_has(reply, "\"rev\":3}");
    assert_nowhere(w.folder, CV_STR("Avebury"));
    cv_state s = cv_world_state(&w, "x");
    const cv_rec_event *last = &s.events.items[s.events.count - 1];
    assert_str_eq(last->event_type, "redacted");
    assert_str_eq(last->reason, "must go");
    assert_str_eq(last->agent, "ann");
    assert_str_eq(last->standing, "claimed");
    cv_str again = do_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", ""));
    assert_str_has(again, "\"texts\":[]");
    assert_str_has(again, "\"rev\":3}");
    cv_world_close(&w);
}

static void test_dry_run(void **state)
{
    (void)state;
    cv_world w;
    open_bread(&w);
    cv_str reply = do_project(&w, "redact", request(&w.a, "entity", CV_STR("T/0/1"), "content", ",\"dry_run\":true"));
    assert_str_has(reply, "entity/T/0/1/content");
    assert_str_has(reply, "\"dry_run\":true");
    assert_non_null(file_with(w.folder, CV_STR("Avebury")));
    assert_int_equal(cv_world_position(&w, "x").rev, 2);
    cv_world_close(&w);
}

/* A row with a redacted text may change otherwise; nobody can write such a text where none is stored. */
static void test_row_changes_afterwards(void **state)
{
    (void)state;
    cv_world w;
    open_bread(&w);
    do_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", ""));
    cv_world_do(&w, "update",
                "{'dialogue_id': 'x', 'updates': [{'id': 'T0001', 'label': 'Cost', 'reason': 'better'}]}");
    verify(&w, "x");
    cv_state s = cv_world_state(&w, "x");
    assert_true(cv_is_redacted(s.entities.items[0].content, NULL));
    assert_str_eq(s.entities.items[0].label, "Cost");
    cv_str form = cv_redacted(&w.a, CV_STR("something else"));
    cv_buf text = {0};
    cv_json_writer out = {.out = &text};
    cv_json_begin_object(&out);
    cv_json_key_str(&out, "dialogue_id", CV_STR("x"));
    cv_json_key(&out, CV_STR("updates"));
    cv_json_begin_array(&out);
    cv_json_begin_object(&out);
    cv_json_key_str(&out, "id", CV_STR("T0001"));
    cv_json_key_str(&out, "content", form);
    cv_json_key_str(&out, "reason", CV_STR("r"));
    cv_json_end_object(&out);
    cv_json_end_array(&out);
    cv_json_end_object(&out);
    assert_false(cv_world_call_json(&w, "update", cv_buf_str(&text)));
    assert_str_has(cv_err_text(&w.errs.items[0]), "redacted text");
    cv_buf_release(&text);
    cv_world_close(&w);
}

/* The answer of the first time is gone; the request is not done again, and says so. */
static void test_replay(void **state)
{
    (void)state;
    cv_world w;
    open_bread(&w);
    do_project(&w, "redact", request(&w.a, "commit", CV_STR("r0"), "result", ""));
    assert_false(cv_world_call(&w, "round-register",
                               "{'dialogue_id': 'x', 'round': 0, 'score': 0, 'op_id': 'r0',"
                               " 'responses': {'muffin': '[MUFFIN-T0001: Price] The baker of Avebury owes us.'},"
                               " 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'Price',"
                               "   'content': 'The baker of Avebury owes us.', 'contributors': ['muffin']}]}"));
    assert_view_eq(cv_err_word(w.errs.items[0].code), CV_STR("redacted"));
    assert_str_has(w.errs.items[0].message, "was done, at rev 2");
    cv_str body = request(&w.a, "tension", CV_STR("T0001"), "content", ",\"op_id\":\"gone\"");
    do_project(&w, "redact", body);
    assert_str_has(do_project(&w, "redact", body), "\"replayed\":true");
    cv_world_close(&w);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *scope, *kind, *id, *field, *reason, *code, *says;
    } cases[] = {
        {"y", "tension", "T0001", "content", "r", "scope_not_found", "there is no dialogue 'y' (valid: x)"},
        {"x", "tension", "T0009", "content", "r", "invalid_value", "the dialogue 'x' has no tension 'T0009'"},
        {"x", "entity", "T/0/9", "content", "r", "invalid_value", "has no entity 'T/0/9'"},
        {"x", "tension", "T0001", "label", "r", "invalid_value", "only a long text can be redacted"},
        {"x", "tension", "T0001", "label", "r", "invalid_value", "(valid: content, correction)"},
        {"x", "tension", "T0001", "nothing", "r", "invalid_value",
         "there is no such field (valid: content, correction)"},
        {"x", "dialogue", "x", "question", "r", "invalid_value", "there is no text in this field"},
        {"x", "score", "0/muffin", "score", "r", "invalid_value", "has no score"},
        {"x", "seat", "0/muffin", "focus", "r", "invalid_value", "no field of a seat can be redacted"},
        {"x", "tension", "T0001", "content", " \t ", "invalid_value", "say why"},
        {"x", "tension", "T0001", "content", "The baker of Avebury owes us.", "invalid_value", "the reason repeats"},
    };
    cv_world w;
    open_bread(&w);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_buf text = {0};
        cv_json_writer out = {.out = &text};
        cv_json_begin_object(&out);
        cv_json_key_str(&out, "room", CV_STR("dialogue"));
        cv_json_key_str(&out, "scope", cv_str_of(cases[i].scope));
        cv_json_key_str(&out, "kind", cv_str_of(cases[i].kind));
        cv_json_key_str(&out, "id", cv_str_of(cases[i].id));
        cv_json_key_str(&out, "field", cv_str_of(cases[i].field));
        cv_json_key_str(&out, "reason", cv_str_of(cases[i].reason));
        cv_json_end_object(&out);
        assert_false(call_project(&w, "redact", cv_buf_str(&text)));
        assert_str_eq(cv_err_word(w.errs.items[0].code), cases[i].code);
        assert_str_has(cv_err_text(&w.errs.items[0]), cases[i].says);
        cv_buf_release(&text);
    }
    assert_int_equal(cv_world_position(&w, "x").rev, 2);
    assert_non_null(file_with(w.folder, CV_STR("Avebury")));
    cv_world_do(&w, "create", "{'title': 'short', 'question': 'hunter2'}");
    assert_false(call_project(&w, "redact",
                              CV_STR("{\"room\": \"dialogue\", \"scope\": \"short\", \"kind\": \"dialogue\","
                                     " \"id\": \"short\", \"field\": \"question\", \"reason\": \"it says hunter2\"}")));
    assert_str_has(cv_err_text(&w.errs.items[0]), "the reason repeats");
    cv_world_close(&w);
}

/* What cannot be replaced is named: other scopes, fields that are not long texts; a part of the text is named, too. */
static void test_what_is_left(void **state)
{
    (void)state;
    cv_world w;
    open_bread(&w);
    cv_world_dialogue(&w, "y", (const char *[]){"muffin", NULL}, false);
    cv_world_do(&w, "round-register",
                "{'dialogue_id': 'y', 'round': 0, 'score': 0, 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'L',"
                " 'content': 'The baker of Avebury owes us.', 'contributors': ['muffin']}]}");
    cv_str reply = do_project(&w, "redact", request(&w.a, "response", CV_STR("0/muffin"), "content", ""));
    assert_str_has(reply, "\"parts\":[\"entity/T/0/1/content\"]");
    reply = do_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", ""));
    assert_str_has(reply, "\"left\":[\"dialogue y entity/T/0/1/content\"");
    cv_world_close(&w);
}

/* A file has some lines of a text, not the whole: what is too short to be looked for, or one of too many, is left. */
static void assert_rest_named(const char *rest)
{
    cv_world w;
    cv_world_open(&w);
    cv_world_dialogue(&w, "x", (const char *[]){"muffin", NULL}, false);
    cv_world_do(
        &w, "round-register",
        cv_arena_printf(&w.a,
                        "{'dialogue_id': 'x', 'round': 0, 'score': 0,"
                        " 'responses': {'muffin': '[MUFFIN-T0001: Price]\\nThe baker of Avebury owes us.\\n%s'},"
                        " 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'Price', 'contributors': ['muffin'],"
                        "   'content': 'The baker of Avebury owes us.\\n%s'}]}",
                        rest, rest)
            .p);
    cv_world_do(&w, "export", "{'dialogue_id': 'x'}");
    cv_str reply = do_project(&w, "redact", request(&w.a, "response", CV_STR("0/muffin"), "content", ""));
    assert_str_has(reply, "\"left\":[\".conclave/dialogues/x/dialogue.json\"]");
    cv_world_close(&w);
}

static void test_short_lines_in_files(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf many = {0};
    assert_rest_named("pin: 4711");
    for (int i = 0; i < 600; i++)
        cv_buf_printf(&many, "%d owed by the mill\\n", i);
    assert_rest_named(cv_arena_copy_z(&a, cv_buf_str(&many)));
    cv_buf_release(&many);
    cv_arena_release(&a);
}

/* Every call of the record fails once: the text is there as before, or it is redacted; never half of it. */
static void test_failures(void **state)
{
    (void)state;
    bool done = false;
    for (size_t n = 1; !done; n++) {
        cv_world w;
        open_bread(&w);
        cv_record *inner = w.record;
        cv_record_tracing tracing = {.fail_at = n};
        w.record = cv_record_traced(&w.a, inner, &tracing);
        done = call_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", ""));
        w.record = inner;
        verify(&w, "x");
        do_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", ""));
        assert_nowhere(w.folder, CV_STR("Avebury"));
        verify(&w, "x");
        cv_world_close(&w);
        assert_true(n < 200);
    }
}

/* Somebody reads an older moment: the text is redacted, the log cannot be emptied, and the error says what to do. */
static void test_a_reader_in_the_way(void **state)
{
    (void)state;
    cv_world w;
    open_bread(&w);
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *reader;
    cv_scope_position at;
    const char *path = cv_arena_printf(&a, "%s/conclave.db", w.folder).p;
    assert_ok(cv_record_open(&a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &reader, &err),
              &err);
    ((cv_sqlite_record *)w.record)->s->wait_us = 50000;
    assert_ok(reader->calls->begin(reader, &a, SCOPE("x"), &at, &err), &err);
    assert_false(call_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", "")));
    assert_view_eq(cv_err_word(w.errs.items[0].code), CV_STR("store_busy"));
    assert_str_has(cv_err_text(&w.errs.items[0]), "give the same command again");
    reader->calls->end(reader);
    do_project(&w, "redact", request(&w.a, "tension", CV_STR("T0001"), "content", ""));
    assert_nowhere(w.folder, CV_STR("Avebury"));
    cv_record_close(reader);
    cv_arena_release(&a);
    cv_world_close(&w);
}

/* ---- traces --------------------------------------------------------------------------------------------------------
 */

static void test_traces(void **state)
{
    (void)state;
    static const struct {
        const char *text, *in;
        bool whole, part;
    } cases[] = {
        {"a long enough sentence", "before a long enough sentence behind", true, true},
        {" a long enough sentence\n", "before a long enough sentence behind", true, true},
        {"short", "short", true, true},
        {"short", " short\n", true, true},
        {"short", "in short, no", false, false},
        {"short", "{\"a\":\"short\"}", true, true},
        {"short", "{\"a\":\"shorter\"}", false, false},
        {"", "anything", false, false},
        {"two \"quoted\" words here", "{\"a\":\"two \\\"quoted\\\" words here\"}", true, true},
        {"two \"quoted\" words here", "{\"a\":\"{\\\"b\\\":\\\"two \\\\\\\"quoted\\\\\\\" words here\\\"}\"}", true,
         true},
        {"a long enough sentence\nand another one of them", "> and another one of them", false, true},
        {"a long enough sentence\nshort", "short", false, false},
    };
    cv_arena a = {0};
    const cv_type_field *field = cv_type_field_named(&cv_event_row_type, CV_STR("reason"));
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_trace t = cv_trace_of(&a, field, cv_str_of(cases[i].text));
        assert_int_equal(cv_trace_in(&t, cv_str_of(cases[i].in)), cases[i].whole);
        assert_int_equal(cv_trace_part_in(&t, cv_str_of(cases[i].in)), cases[i].part);
    }
    cv_arena_release(&a);
}

/* ---- phrases -------------------------------------------------------------------------------------------------------
 */

static bool has_phrase(const char *line, const char *in, bool weak)
{
    cv_arena a = {0};
    cv_phrases strong = {0}, weaker = {0};
    cv_phrases_add(&a, &strong, &weaker, cv_str_of(line), CV_TRACE_SHORT);
    bool found = cv_phrases_in(&a, weak ? &weaker : &strong, cv_str_of(in));
    cv_arena_release(&a);
    return found;
}

static void test_phrases(void **state)
{
    (void)state;
    static const struct {
        const char *line, *in;
        bool strong, weak;
    } cases[] = {
        {"the baker of Avebury owes us money", "> the baker of Avebury\n> owes us money", true, false},
        {"the baker of Avebury owes us money", "the *baker* of Ave redacted-sha256-", false, false},
        {"the baker of Avebury owes us money", "redacted-sha256-00 aker of Avebury owes us mo…", true, false},
        {"x \x01 zqd9293f51d52a8d26qza85d5305\tone", "x \\u0001 zqd9293f51d52a8d26qza85d5305\\tredacted-", true, false},
        {"a\tb\tc\td\te\tf\tg\th\ti", "{\"x\":\"a\\tb\\tc\\td\\te\\tf\\tg\\th\\ti\"}", true, false},
        {"a\tb\tc\td\te\tf\tg\th\ti", "a\\\\tb\\\\tc\\\\td\\\\te\\\\tf\\\\tg\\\\th\\\\ti", true, false},
        {"{\"x\":\"a\\tb\\tc\\td\\te\\tf\\tg\\th\"}", "x a b c d e f g h", true, false},
        {"kümmel und schöne brötchen", "k\\u00fcmmel und sch\\u00f6ne br\\u00f6tchen", true, false},
        {"The baker owes us", "The baker\nowes us", true, false},
        {"pin: 4711", "pin 4711", false, true},
        {"*** ******* 4711 ***", "4711", false, true},
        {"a 1", "a 1", false, false},
        {"", "anything", false, false},
        {"the end is a backslash, and it is long\\", "the end is a backslash, and it is long\\", true, false},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        if (has_phrase(cases[i].line, cases[i].in, false) != cases[i].strong)
            fail_msg("'%s' in '%s'", cases[i].line, cases[i].in);
        assert_int_equal(has_phrase(cases[i].line, cases[i].in, true), cases[i].weak);
    }
}

/* `length` letters in a row of both, by trying all. */
static bool share(cv_str x, cv_str y, size_t length)
{
    for (size_t i = 0; i + length <= x.n; i++)
        if (cv_str_find(y, cv_str_head(cv_str_from(x, i), length)) != SIZE_MAX)
            return true;
    return false;
}

/* Two texts of few letters share rows of any length: CV_PHRASE are always found, fewer than three quarters never are.
 */
static void test_phrases_by_trying(void **state)
{
    (void)state;
    cv_test_random random = {cv_test_seed()};
    size_t found_some = 0, found_none = 0;
    for (int round = 0; round < (cv_test_soak() ? 200000 : 3000); round++) {
        cv_arena a = {0};
        cv_phrases strong = {0}, weak = {0};
        char line[160], file[400];
        size_t n = CV_PHRASE + cv_test_below(&random, sizeof line - CV_PHRASE), m = 0;
        for (size_t i = 0; i < n; i++)
            line[i] = (char)('a' + cv_test_below(&random, 3));
        while (m + 40 < sizeof file) { /* rows of the line between other letters */
            size_t from = cv_test_below(&random, n), length = cv_test_below(&random, 14 + (size_t)round % 16);
            for (size_t i = from; i < n && i < from + length; i++)
                file[m++] = line[i];
            file[m++] = 'z';
        }
        cv_phrases_add(&a, &strong, &weak, (cv_str){line, n}, CV_TRACE_SHORT);
        bool found = cv_phrases_in(&a, &strong, (cv_str){file, m});
        found_some += found;
        found_none += !found;
        if (share((cv_str){line, n}, (cv_str){file, m}, CV_PHRASE))
            assert_true(found);
        if (!share((cv_str){line, n}, (cv_str){file, m}, CV_PHRASE * 3 / 4))
            assert_false(found);
        cv_arena_release(&a);
    }
    assert_true(found_some > 0 && found_none > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_phrases),
        cmocka_unit_test(test_phrases_by_trying),
        cmocka_unit_test(test_names_of_a_search),
        cmocka_unit_test(test_dry_run),
        cmocka_unit_test(test_row_changes_afterwards),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_is_left),
        cmocka_unit_test(test_short_lines_in_files),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_a_reader_in_the_way),
        cmocka_unit_test(test_every_long_field),
        cmocka_unit_test(test_files_of_a_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
