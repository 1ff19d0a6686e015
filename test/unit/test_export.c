/* test_export.c - a dialogue as one JSON file: both shapes, byte for byte, streamed, durable. */
#include "interpose.h"
#include "sample.h"
#include "slow.h"

#include <sys/stat.h>

#include "base/file.h"
#include "dialogue/export/csv.h"
#include "dialogue/operations.h"
#include "dialogue/words/errors.h"

static int set_up(void **state)
{
    static cv_sample s;
    cv_sample_make(&s);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    cv_sample_close(*state);
    return 0;
}

/* Calls the export; the answer or the first error. */
static cv_str export(cv_sample *s, const char *input, bool expected)
{
    cv_sample_input(s, input);
    bool ok = cv_dialogue_export(&s->call);
    if (!ok && expected)
        print_error("%.*s\n", CV_FMT(cv_err_text(&s->errs.items[0])));
    assert_int_equal(ok, expected);
    return ok ? cv_arena_copy(&s->arena, cv_buf_str(&s->out)) : s->errs.items[0].message;
}

static const char *in_folder(cv_sample *s, const char *name)
{
    return cv_arena_printf(&s->arena, "%s/%s", s->folder, name).p;
}

static cv_str export_to(cv_sample *s, const char *path)
{
    return export(s, cv_arena_printf(&s->arena, "{\"dialogue_id\":\"nvidia-decision\",\"output_path\":\"%s\"}", path).p,
                  true);
}

static void check_golden(cv_sample *s, const char *path, cv_str found)
{
    cv_err err = {.arena = &s->arena};
    if (cv_test_update())
        assert_ok(cv_file_write(path, found, &err), &err);
    assert_view_eq(found, cv_test_read(&s->arena, path));
}

/* ---- what is written ------------------------------------------------------------------------- */

static void the_document_is_the_golden_one(void **state)
{
    cv_sample *s = *state;
    export_to(s, in_folder(s, "out.json"));
    cv_str document = cv_test_read(&s->arena, in_folder(s, "out.json"));
    check_golden(s, "test/golden/export/nvidia.json", document);
}

static void the_answer_is_the_golden_one(void **state)
{
    cv_sample *s = *state;
    cv_str answer = export_to(s, in_folder(s, "out.json"));
    size_t at = cv_str_find(answer, CV_STR(",\"rev\"")); /* the path before it is another one each time */
    assert_true(at != SIZE_MAX);
    check_golden(s, "test/golden/export/nvidia-answer.json",
                 cv_arena_printf(&s->arena, "{%.*s\n", CV_FMT(cv_str_from(answer, at + 1))));
}

static void the_document_may_be_the_answer(void **state)
{
    cv_sample *s = *state;
    export_to(s, in_folder(s, "out.json"));
    cv_str file = cv_test_read(&s->arena, in_folder(s, "out.json"));
    assert_view_eq(cv_arena_join(&s->arena, export_to(s, "-"), CV_STR("\n")), file);
}

static void the_same_record_gives_the_same_bytes(void **state)
{
    cv_sample *s = *state, other;
    cv_str first = export_to(s, "-");
    s->now += 86400000; /* another day */
    assert_view_eq(export_to(s, "-"), first);
    cv_sample_make(&other);
    assert_view_eq(export_to(&other, "-"), first);
    cv_sample_close(&other);
}

/* ---- both shapes ----------------------------------------------------------------------------- */

static cv_json document(cv_sample *s)
{
    cv_json value;
    cv_err err = {.arena = &s->arena};
    assert_ok(cv_json_parse(&s->arena, export_to(s, "-"), &value, &err), &err);
    return value;
}

/* A value by a path like "perspectives/0/events/1/result". */
static const cv_json *at(const cv_json *value, const char *path)
{
    cv_str rest = cv_str_of(path), piece;
    while (cv_str_split(&rest, '/', &piece)) {
        int index;
        if (value->type == CV_JSON_ARRAY && cv_str_to_int(piece, &index))
            value = (uint32_t)index < value->count ? &value->items[index] : NULL;
        else
            value = cv_json_get(value, piece);
        if (!value) {
            print_error("no %s\n", path);
            fail();
        }
    }
    return value;
}

static void assert_at(cv_sample *s, const cv_json *doc, const char *path, const char *json)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_value(&w, at(doc, path));
    cv_str found = cv_arena_copy(&s->arena, cv_buf_str(&text));
    cv_buf_release(&text);
    if (!cv_str_eq(found, cv_str_of(json)))
        print_error("%s\n", path);
    assert_str_eq(found, json);
}

static void the_later_shape_is_there(void **state)
{
    cv_sample *s = *state;
    cv_json doc = document(s);
    assert_at(s, &doc, "id", "\"nvidia-decision\"");
    assert_at(s, &doc, "date", "\"2026-02-02\"");
    assert_at(s, &doc, "totalRounds", "2");
    assert_at(s, &doc, "totalAlignment", "67");
    assert_at(s, &doc, "experts/3/creationReason", "\"T0001 requires geopolitics\"");
    assert_at(s, &doc, "experts/0/scores", "{\"0\":12,\"1\":8}");
    assert_at(s, &doc, "rounds/0/experts/muffin/mapping/MUFFIN-P0001", "\"P0001\"");
    assert_at(s, &doc, "rounds/0/experts/donut/raw", "\"[DONUT-R0001: Income Collar Structure]\"");
    assert_at(s, &doc, "perspectives/2/references",
              "[{\"type\":\"refine\",\"target\":\"P0001\"},{\"type\":\"address\",\"target\":\"T0001\"}]");
    assert_at(s, &doc, "perspectives/0/events/1",
              "{\"type\":\"refined\",\"round\":1,\"by\":[\"muffin\"],\"result\":\"P0101\"}");
    assert_at(s, &doc, "claims/0/events/1/reason", "\"the premium covers it\"");
    assert_at(s, &doc, "recommendations/1/adoptedInVerdict", "\"final\"");
    assert_at(s, &doc, "recommendations/0/parameters", "{\"dte\":\"30-45\"}");
    assert_at(s, &doc, "tensions/0/description", "\"Zero dividend against 4 % income.\"");
    assert_at(s, &doc, "moves/2",
              "{\"expert\":\"muffin\",\"round\":1,\"type\":\"converge\",\"targets\":[],"
              "\"context\":\"Ready to conclude\"}");
    assert_at(s, &doc, "verdicts/0/tensionsResolved", "[\"T0001\"]");
    assert_at(s, &doc, "verdicts/0/author", "null");
    assert_at(s, &doc, "verdicts/1/supportingExperts", "[\"palmier\"]");
}

static void the_first_shape_is_there(void **state)
{
    cv_sample *s = *state;
    cv_json doc = document(s);
    assert_at(s, &doc, "calibration",
              "{\"calibrated\":true,\"domain\":\"fiduciary-investment\",\"ethos_id\":\"ethos-nvidia-001\","
              "\"rules_count\":2,\"compliance\":{\"fully_compliant\":false,\"exceptions\":1,\"violations\":0}}");
    assert_at(s, &doc, "rounds_data/0/experts/donut",
              "{\"score\":15,\"actions\":[{\"type\":\"recommendation\",\"action\":\"created\",\"id\":\"R0001\"}]}");
    assert_at(s, &doc, "rounds_data/1/experts/muffin/actions",
              "[{\"type\":\"perspective\",\"action\":\"refined\",\"id\":\"P0101\",\"refines\":\"P0001\"},"
              "{\"type\":\"recommendation\",\"action\":\"amended\",\"id\":\"R0101\",\"amends\":\"R0001\"},"
              "{\"type\":\"tension\",\"action\":\"addressed\",\"id\":\"T0001\",\"via\":\"P0101\"}]");
    assert_at(s, &doc, "perspectives/0/origin", "{\"round\":0,\"contributors\":[\"muffin\",\"cupcake\"]}");
    assert_at(s, &doc, "recommendations/0/addresses_tensions", "[\"T0001\"]");
    assert_at(s, &doc, "recommendations/0/builds_on", "[\"P0001\"]");
    assert_at(s, &doc, "recommendations/1/builds_on", "[\"R0001\"]");
    assert_at(s, &doc, "tensions/0/relatedPerspectives", "[\"P0001\",\"P0101\"]");
    assert_at(s, &doc, "evidence/0/supports", "[\"P0001\",\"T0001\"]");
    assert_at(s, &doc, "claims/0/depends_on", "[\"E0001\"]");
    assert_at(s, &doc, "references",
              "[{\"source\":\"@cupcake\",\"round\":0,\"type\":\"oppose\",\"target\":\"P0001\"}]");
}

static void rounds_tell_their_dynamics(void **state)
{
    cv_sample *s = *state;
    cv_json doc = document(s);
    cv_err err = {.arena = &s->arena};
    cv_wanted everything = {0};
    cv_state full;
    assert_ok(cv_state_load(&s->call, s->id, &everything, &full, &err), &err);
    for (int round = 0; round < 2; round++) {
        const cv_json *told = at(&doc, round ? "rounds/1" : "rounds/0");
        int64_t velocity = -1, open = -1;
        assert_true(cv_json_to_int(at(told, "velocity"), &velocity) && cv_json_to_int(at(told, "openTensions"), &open));
        assert_int_equal(velocity, cv_slow_velocity(&s->arena, &full, round));
        assert_int_equal(open, cv_slow_open(&s->arena, &full, round));
    }
    assert_at(s, &doc, "rounds/0/velocity", "4");
    assert_at(s, &doc, "rounds/0/scoreDelta", "null");
    assert_at(s, &doc, "rounds/1/scoreDelta", "-7");
}

static void an_empty_dialogue_has_all_lists(void **state)
{
    (void)state;
    cv_sample s;
    cv_sample_open(&s);
    cv_sample_create(&s);
    cv_json doc = document(&s);
    static const char *const lists[] = {"rounds",   "rounds_data", "perspectives", "recommendations", "tensions",
                                        "evidence", "claims",      "references",   "moves",           "verdicts"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_at(&s, &doc, lists[i], "[]");
    cv_sample_close(&s);
}

/* ---- as a table ------------------------------------------------------------------------------ */

enum { CELLS = 15 };

/* One line of a table, as RFC 4180 has it; false: it is not one. */
static bool read_line(cv_arena *a, cv_str *rest, cv_str cells[CELLS])
{
    size_t count = 0;
    for (bool more = true; more; count++) {
        cv_buf cell = {0};
        bool quoted = cv_str_starts(*rest, CV_STR("\""));
        *rest = cv_str_from(*rest, quoted);
        for (; rest->n > 0; *rest = cv_str_from(*rest, 1)) {
            char c = rest->p[0];
            if (quoted && c == '"' && rest->n > 1 && rest->p[1] == '"')
                *rest = cv_str_from(*rest, 1);
            else if (quoted && c == '"')
                break;
            else if (!quoted && strchr(",\r\n\"", c))
                break;
            cv_buf_add_char(&cell, c);
        }
        if (quoted && !cv_str_starts(*rest, CV_STR("\"")))
            return false;
        *rest = cv_str_from(*rest, quoted);
        if (count == CELLS)
            return false;
        cells[count] = cv_buf_take(&cell, a);
        more = cv_str_starts(*rest, CV_STR(","));
        *rest = cv_str_from(*rest, more);
    }
    bool ends = cv_str_starts(*rest, CV_STR("\r\n"));
    *rest = cv_str_from(*rest, ends ? 2 : 0);
    return ends && count == CELLS;
}

static void a_table_has_a_line_for_each_thing(void **state)
{
    cv_sample *s = *state;
    const char *path = in_folder(s, "table.csv");
    cv_str answer = export(s,
                           cv_arena_printf(&s->arena,
                                           "{\"dialogue_id\":\"nvidia-decision\",\"format\":\"csv\","
                                           "\"output_path\":\"%s\"}",
                                           path)
                               .p,
                           true);
    assert_str_has(answer, "\"tensions\":");
    cv_str rest = cv_test_read(&s->arena, path), cells[CELLS];
    check_golden(s, "test/golden/export/nvidia.csv", rest);
    cv_json doc = document(s);
    size_t counts[CV_KIND_COUNT] = {0}, scores = 0;
    assert_true(read_line(&s->arena, &rest, cells));
    assert_str_eq(cells[0], "dialogue_id");
    while (rest.n > 0) {
        assert_true(read_line(&s->arena, &rest, cells));
        assert_str_eq(cells[0], "nvidia-decision");
        scores += cv_str_eq(cells[1], CV_STR("score"));
        for (int kind = 0; kind < CV_KIND_COUNT; kind++)
            counts[kind] += cv_str_eq(cells[1], cv_kinds[kind].word) && cells[3].n == 5;
    }
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        assert_int_equal(counts[kind], cv_json_get(&doc, cv_kinds[kind].plural)->count);
    assert_true(scores > 0);
    /* It is ours and may be written again; a stranger's table is not. */
    cv_err err = {.arena = &s->arena};
    const char *request = cv_arena_printf(&s->arena,
                                          "{\"dialogue_id\":\"nvidia-decision\",\"format\":\"csv\","
                                          "\"output_path\":\"%s\"}",
                                          path)
                              .p;
    export(s, request, true);
    assert_ok(cv_file_write(path, CV_STR("id,name\r\n1,mine\r\n"), &err), &err);
    export(s, request, false);
}

/* Any text comes back as it was, except for the apostrophe that keeps it from being a formula. */
static void any_text_is_one_cell(void **state)
{
    static const char *const pieces[] = {"=", "+", "-", "@", "\t", "\r", "\n", "\"",         ",",
                                         ";", "'", " ", "a", "0",  "＝", "é",  "HYPERLINK(", "\r\n"};
    (void)state;
    cv_test_random r = {cv_test_seed()};
    for (int i = 0; i < 5000; i++) {
        cv_arena a = {0};
        cv_buf text = {0}, out = {0};
        cv_str cells[CELLS];
        for (size_t n = cv_test_below(&r, 6); n > 0; n--)
            cv_buf_add_z(&text, pieces[cv_test_below(&r, CV_COUNT(pieces))]);
        cv_csv_text(&out, cv_buf_str(&text));
        for (int k = 1; k < CELLS; k++)
            cv_buf_add_char(&out, ',');
        cv_buf_add_z(&out, "\r\n");
        cv_str rest = cv_buf_str(&out), kept = cv_buf_str(&text);
        assert_true(read_line(&a, &rest, cells) && rest.n == 0);
        bool formula = kept.n > 0 && (strchr("=+-@\t\r\n", kept.p[0]) || cv_str_starts(kept, CV_STR("＝")));
        assert_int_equal(cells[0].n, kept.n + formula);
        assert_true(!formula || cells[0].p[0] == '\'');
        assert_true(cv_str_eq(cv_str_from(cells[0], formula), kept));
        cv_buf_release(&text);
        cv_buf_release(&out);
        cv_arena_release(&a);
    }
}

/* ---- where to -------------------------------------------------------------------------------- */

static void by_default_it_goes_to_the_dialogues_folder(void **state)
{
    cv_sample *s = *state;
    cv_str answer = export(s, "{\"dialogue_id\":\"nvidia-decision\"}", true);
    assert_str_has(answer, "/.conclave/dialogues/nvidia-decision/dialogue.json\"");
    assert_true(cv_test_read(&s->arena, in_folder(s, ".conclave/dialogues/nvidia-decision/dialogue.json")).n > 1000);
    s->call.confined = true;
    export(s, "{\"dialogue_id\":\"nvidia-decision\"}", true);
}

static void confined_callers_stay_below_the_root(void **state)
{
    cv_sample *s = *state;
    s->call.confined = true;
    export_to(s, "below.json");
    assert_true(cv_test_read(&s->arena, in_folder(s, "below.json")).n > 1000);
    export_to(s, in_folder(s, "absolute.json"));
    assert_int_equal(symlink("/tmp", in_folder(s, "out")), 0);
    assert_int_equal(symlink("/tmp/conclave-test-nowhere.json", in_folder(s, "dangling.json")), 0);
    static const char *const outside[] = {"/tmp/x.json", "../x.json",     "a/../../x.json",
                                          "out/x.json",  "dangling.json", "no/such/../../../x.json"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        cv_str input =
            cv_arena_printf(&s->arena, "{\"dialogue_id\":\"nvidia-decision\",\"output_path\":\"%s\"}", outside[i]);
        bool link = strcmp(outside[i], "out/x.json") == 0 || strcmp(outside[i], "dangling.json") == 0;
        assert_str_has(export(s, input.p, false), link ? "is a symbolic link" : "the path leads");
        assert_str_eq(s->errs.items[0].field, "output_path");
    }
}

static void what_is_missing_is_told(void **state)
{
    cv_sample *s = *state;
    export(s, "{\"dialogue_id\":\"nvidia-decisio\"}", false);
    assert_int_equal(s->errs.items[0].code, CV_ERR_DIALOGUE_NOT_FOUND);
    assert_str_has(s->errs.items[0].suggestion, "nvidia-decision");
    cv_str input =
        cv_arena_printf(&s->arena, "{\"dialogue_id\":\"nvidia-decision\",\"output_path\":\"%s/no/x.json\"}", s->folder);
    export(s, input.p, false);
    assert_int_equal(s->errs.items[0].code, CV_ERR_NOT_FOUND);
}

/* ---- others write meanwhile ------------------------------------------------------------------- */

/* A dialogue that moves on between the first readings. */
typedef struct {
    cv_sample *sample;
    int moves;
    bool read;
} moving;

static void move(void *ctx, bool to_write)
{
    moving *m = ctx;
    (void)to_write;
    bool between = m->read;
    m->read = true;
    if (!between || m->moves == 0)
        return;
    m->moves--;
    cv_json input = m->sample->input;
    cv_sample_begin(m->sample);
    cv_sample_event(m->sample, "P0002", "commented", 1, "donut");
    cv_sample_commit(m->sample);
    m->sample->input = input;
}

static void an_export_is_of_one_moment(void **state)
{
    cv_sample *s = *state;
    cv_interposed x;
    for (int moves = 1; moves < 8; moves++) {
        moving m = {s, moves, false};
        cv_interpose(&x, s->record, move, &m);
        const char *path = in_folder(s, "out.json");
        cv_str answer = export_to(s, path);
        cv_interpose_end(&x);
        assert_int_equal(m.moves, 0);
        size_t tries =
            1 + ((size_t)moves + 1) / 2; /* each but the last one sees at its second reading that it is late */
        assert_int_equal(strlen(x.begun), 2 * (tries - 1) + 4);
        cv_json doc = document(s); /* at rest */
        assert_str_has(answer, cv_arena_printf(&s->arena, "\"rev\":%d,", s->writes).p);
        assert_view_eq(cv_test_read(&s->arena, path), cv_arena_join(&s->arena, cv_buf_str(&s->out), CV_STR("\n")));
        assert_int_equal(at(&doc, "perspectives/1/events")->count, 2 + s->writes - 9);
    }
}

/* ---- the engine fails ------------------------------------------------------------------------- */

static void count_readings(void *ctx, const char *call, cv_scope_id scope, size_t rows, cv_write_result result)
{
    (void)scope, (void)rows, (void)result;
    *(size_t *)ctx += strcmp(call, "begin") == 0;
}

static void a_failing_engine_leaves_the_old_file(void **state)
{
    cv_sample *s = *state;
    const char *path = in_folder(s, "out.json");
    cv_err err = {.arena = &s->arena};
    cv_str old = CV_STR("{\n  \"format\": \"conclave-dialogue 1\",\n  \"id\": \"an earlier export\"");
    assert_ok(cv_file_write(path, old, &err), &err);
    cv_str input = cv_arena_printf(&s->arena, "{\"dialogue_id\":\"nvidia-decision\",\"output_path\":\"%s\"}", path);
    for (size_t n = 1; n < 100; n++) {
        size_t readings = 0;
        cv_record_tracing tracing = {.trace = count_readings, .ctx = &readings, .fail_at = n};
        s->call.record = cv_record_traced(&s->arena, s->record, &tracing);
        cv_sample_input(s, input.p);
        bool ok = cv_dialogue_export(&s->call);
        s->call.record = s->record;
        if (ok) {
            assert_int_equal(tracing.calls, n - 1);
            assert_int_equal(readings, 4);
            assert_int_equal(n, 41); /* the beginnings of four readings, and 36 finds */
            return;
        }
        assert_int_equal(s->errs.count, 1);
        assert_int_equal(s->out.n, 0);
        assert_view_eq(cv_test_read(&s->arena, path), old);
    }
    fail_msg("the export never succeeded");
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warnings_are_told(void **state)
{
    cv_sample *s = *state;
    cv_str answer = export_to(s, in_folder(s, "out.json"));
    assert_str_has(answer, "{\"type\":\"missing_score\",\"expert\":\"donut\",\"round\":1,"
                           "\"message\":\"Expert in panel but no score registered\"}");
    assert_str_has(answer, "{\"type\":\"unresolved_tension\",\"id\":\"T0002\","
                           "\"message\":\"Dialogue converged with open tension (accepted)\"}");
    assert_str_has(answer, "{\"type\":\"orphaned_contribution\",\"id\":\"T0002\",\"expert\":\"ghost\"");
    assert_str_has(answer, "{\"type\":\"verdict_incomplete\",\"id\":\"minority-timing\",\"field\":\"author\"");
    assert_str_has(answer, "{\"type\":\"round_score_mismatch\",\"round\":1");
    assert_str_has(answer, "not found in any response: 1 of 9 entities");
    assert_str_has(answer, "unregistered_responses");
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Contents of a hundred kilobytes each pass through: neither the arena nor a buffer holds them. */
static void contents_are_streamed(void **state)
{
    (void)state;
    enum { ENTITIES = 60, BYTES = 100000 };
    cv_sample s;
    cv_sample_open(&s);
    cv_sample_create(&s);
    cv_sample_begin(&s);
    char *content = cv_arena_alloc(&s.arena, BYTES + 1);
    memset(content, 'x', BYTES);
    for (int i = 1; i <= ENTITIES; i++)
        cv_sample_entity(&s, cv_arena_printf(&s.arena, "P00%02d", i).p, "Long", content, "muffin", "");
    cv_sample_round(&s, 0, "Opening", 5, "muffin=5");
    cv_sample_commit(&s);
    cv_arena fresh = {0};
    const char *path = in_folder(&s, "out.json");
    cv_sample_input(&s,
                    cv_arena_printf(&s.arena, "{\"dialogue_id\":\"nvidia-decision\",\"output_path\":\"%s\"}", path).p);
    s.call.arena = &fresh;
    assert_true(cv_dialogue_export(&s.call));
    assert_true(fresh.bytes < 4 << 20); /* tables over all places; 6 MB of contents are not among them */
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > ENTITIES * BYTES);
    s.call.arena = &s.arena;
    cv_arena_release(&fresh);
    cv_sample_close(&s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_document_is_the_golden_one),
        TEST(the_answer_is_the_golden_one),
        TEST(the_document_may_be_the_answer),
        TEST(the_same_record_gives_the_same_bytes),
        TEST(the_later_shape_is_there),
        TEST(a_table_has_a_line_for_each_thing),
        cmocka_unit_test(any_text_is_one_cell),
        TEST(the_first_shape_is_there),
        TEST(rounds_tell_their_dynamics),
        cmocka_unit_test(an_empty_dialogue_has_all_lists),
        TEST(by_default_it_goes_to_the_dialogues_folder),
        TEST(confined_callers_stay_below_the_root),
        TEST(what_is_missing_is_told),
        TEST(an_export_is_of_one_moment),
        TEST(a_failing_engine_leaves_the_old_file),
        TEST(warnings_are_told),
        cmocka_unit_test(contents_are_streamed),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
