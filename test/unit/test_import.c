/* test_import.c - dialogues from files: tables, dates, requests that fail at any point, exports that come back. */
#include "rounds.h"
#include "world.h"

#include "base/folder.h"
#include "dialogue/import/dates.h"
#include "dialogue/import/grid.h"
#include "dialogue/import/script.h"

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static cv_grid one_grid(cv_arena *a, const char *text)
{
    cv_grids grids = cv_grids_find(a, cv_str_of(text), 1);
    assert_int_equal(grids.count, 1);
    return grids.items[0];
}

static void tables_are_found_outside_of_code(void **state)
{
    cv_arena a = {0};
    cv_grids grids = cv_grids_find(&a, CV_STR("x\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```\n| C |\n```\n|D|\n"), 10);
    (void)state;
    assert_int_equal(grids.count, 2);
    assert_int_equal(grids.items[0].rows.count, 1);
    assert_int_equal(grids.items[0].head.line, 11);
    assert_int_equal(grids.items[0].rows.items[0].line, 13);
    assert_view_eq(grids.items[1].head.cells[0], CV_STR("D"));
    cv_arena_release(&a);
}

static void numbers_are_read_as_boards_write_them(void **state)
{
    static const struct {
        const char *cell;
        int64_t number;
    } cases[] = {{"38", 38},         {"**38**", 38},           {"~83%", 83},    {"+7", 7},
                 {"-3", -3},         {"—", CV_ABSENT},         {"", CV_ABSENT}, {"SUPPORT", CV_ABSENT},
                 {"1.5", CV_ABSENT}, {"9999999999", CV_ABSENT}};
    cv_arena a = {0};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        assert_int_equal(cv_grid_number(&a, cv_str_of(cases[i].cell)), cases[i].number);
    assert_int_equal(cv_grid_round(CV_STR("**Resolved R1**")), 1);
    assert_int_equal(cv_grid_round(CV_STR("R0 (all)")), 0);
    assert_int_equal(cv_grid_round(CV_STR("RFC 12")), -1);
    assert_int_equal(cv_grid_round(CV_STR("PR2")), -1);
    cv_arena_release(&a);
}

static void boards_of_every_shape(void **state)
{
    static const struct {
        const char *text;
        size_t rows;
        const char *agent; /* of the first */
        int round;
        int64_t total, first;
    } cases[] = {
        {"| Round | W | C | T | R | Score | S |\n|---|---|---|---|---|---|---|\n| 0 | 1 | 2 | 3 | 4 | 10 |10 |\n", 1,
         "", 0, 10, 1},
        {"| Agent | Wisdom | Consistency | Truth | Relationships | **Total** |\n|---|\n| 🧁 Muffin | 4 | 4 | 4 | 4 | "
         "**16** |\n",
         1, "Muffin", -1, 16, 4},
        {"| Agent | R0 | R1 | Total |\n|---|\n| Muffin | 9 | — | 9 |\n| Scone | 1 | 2 | 3 |\n", 5, "Muffin", 0, 9,
         CV_ABSENT},
        {"| Pastry | R0 | R1 | R1 Bonus |\n|---|\n| Muffin | 9 | 4 | 2 |\n", 2, "Muffin", 0, 9, CV_ABSENT},
        {"| Member | W | C | T | R | R1 Bonus | Total |\n|---|\n| Muffin | 1 | 2 | 3 | 4 | 5 | 15 |\n", 3, "Muffin", 0,
         10, 1},
        {"| Who | Score |\n|---|\n| Muffin | R0: 99 → R1: 202 |\n", 2, "Muffin", 0, 99, CV_ABSENT},
        {"| Who | Score (R0 → R1) |\n|---|\n| Muffin | 99 → 202 |\n", 2, "Muffin", 0, 99, CV_ABSENT},
        {"| Persona | Round | Score |\n|---|\n| Muffin | 2 | 7 |\n", 1, "Muffin", 2, 7, CV_ABSENT},
        {"| Expert | Role | Total |\n|---|\n| Ada | API | 12 |\n| **Total** | | **12** |\n", 2, "Ada", -1, 12,
         CV_ABSENT},
        {"| Round | Score |\n|---|\n| Round 3 | 8 |\n| **Total** | 8 |\n", 2, "", 3, 8, CV_ABSENT},
        {"| Agent | W | C | T | R |\n|---|\n| Muffin | 1 | 1 | 1 | 1 |\n", 1, "Muffin", -1, 4, 1},
        {"| Expert | R1 | R2 | Final |\n|---|\n| Ada | SUPPORT | OPPOSE | OPPOSE |\n", 0, "", 0, 0, 0},
        {"| Expert | Position | Confidence |\n|---|\n| Ada | Yes | 0.7 |\n", 0, "", 0, 0, 0},
    };
    cv_arena a = {0};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_board_rows rows = {0};
        cv_grid grid = one_grid(&a, cases[i].text);
        assert_int_equal(cv_board_read(&a, &grid, &rows), cases[i].rows > 0);
        assert_int_equal(rows.count, cases[i].rows);
        if (rows.count == 0)
            continue;
        assert_view_eq(rows.items[0].agent, cv_str_of(cases[i].agent));
        assert_int_equal(rows.items[0].round, cases[i].round);
        assert_int_equal(rows.items[0].points.total, cases[i].total);
        assert_int_equal(rows.items[0].points.parts[0], cases[i].first);
    }
    cv_arena_release(&a);
}

static void trackers_say_what_became_of_tensions(void **state)
{
    static const struct {
        const char *word, *status; /* NULL: none */
    } cases[] = {
        {"Resolved", "resolved"},
        {"**RESOLVED**", "resolved"},
        {"✅ Resolved", "resolved"},
        {"Partially Resolved", "addressed"},
        {"ACCEPTED UNRESOLVED", "accepted"},
        {"Deferred to RFC", "accepted"},
        {"Open", "open"},
        {"Active", "open"},
        {"Unresolved", "open"},
        {"Reopened R2", "reopened"},
        {"SUPERSEDED", "resolved"},
        {"Resolved: a new way is open", "resolved"},
        {"whatever", NULL},
    };
    cv_arena a = {0};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_tracker rows = {0};
        cv_grid grid =
            one_grid(&a, cv_arena_printf(&a, "| ID | Tension | Status |\n|---|\n| T1 | Space | %s |\n| — | x | y |\n",
                                         cases[i].word)
                             .p);
        assert_true(cv_tracker_read(&a, &grid, &rows));
        assert_int_equal(rows.count, 1);
        assert_view_eq(rows.items[0].id, CV_STR("T01"));
        if (cases[i].status)
            assert_view_eq(cv_statuses[rows.items[0].status].word, cv_str_of(cases[i].status));
        else
            assert_int_equal(rows.items[0].status, -1);
    }
    static const struct {
        const char *text, *status;
        int raised;
    } forms[] = {
        {"## Tensions Resolved\n\n| ID | Tension | Resolution |\n|---|\n| T01 | X | done |\n", "resolved", -1},
        {"**Open tensions**\n\n| # | Tension | Owner |\n|---|\n| T01 | X | Muffin |\n", "open", -1},
        {"| Tension | Owner | Status |\n|---|\n| X | Muffin (R1) | Accepted |\n", "accepted", 1},
        {"| ID | Issue | State | Raised |\n|---|\n| MUFFIN-T0101 | X | closed | |\n", "resolved", 1},
    };
    for (size_t i = 0; i < CV_COUNT(forms); i++) {
        cv_tracker found = {0};
        cv_grid form = one_grid(&a, forms[i].text);
        assert_true(cv_tracker_read(&a, &form, &found));
        assert_int_equal(found.count, 1);
        assert_view_eq(cv_statuses[found.items[0].status].word, cv_str_of(forms[i].status));
        assert_int_equal(found.items[0].raised, forms[i].raised);
    }
    cv_tracker rows = {0};
    cv_grid grid = one_grid(
        &a, "| ID | Tension | Status | Raised | Resolved |\n|---|\n| T01 | X | Resolved | R0 (all) | R2 — done |\n");
    assert_true(cv_tracker_read(&a, &grid, &rows));
    assert_int_equal(rows.items[0].raised, 0);
    assert_int_equal(rows.items[0].closed, 2);
    cv_arena_release(&a);
}

static void panels_are_known_by_their_columns(void **state)
{
    static const struct {
        const char *text, *name, *role;
    } cases[] = {
        {"| Agent | Role | Tier |\n|---|\n| 🧁 Muffin | UX | Core |\n", "Muffin", "UX"},
        {"| ID | Expert | Perspective |\n|---|\n| DS | **Distributed Systems** | x |\n", "DS", "Distributed Systems"},
        {"| Expert | Domain |\n|---|\n| **Ada** | API |\n", "Ada", "API"},
        {"| # | Role | Score |\n|---|\n| 12 | Systems Thinker | 37 |\n", "Systems Thinker", "Systems Thinker"},
        {"| Pastry | Role | Tier |\n|---|\n| Muffin | UX | Core |\n", "Muffin", "UX"},
        {"| ID | Expert | Tier |\n|---|\n| 1 | Ada Lovelace | Core |\n", "Ada Lovelace", ""},
        {"| Member | Discipline |\n|---|\n| Ada | API |\n", "Ada", "API"},
        {"| Persona | Specialty |\n|---|\n| The Skeptic | Doubt |\n", "The Skeptic", "Doubt"},
        {"| Who | Role |\n|---|\n| **Ada** | API |\n", "Ada", "API"},
        {"| Panel Member | Role |\n|---|\n| Ada (API) | — |\n", "Ada", "—"},
    };
    cv_arena a = {0};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_panelists panel = {0};
        cv_grid grid = one_grid(&a, cases[i].text);
        assert_true(cv_panel_read(&a, &grid, NULL, &panel));
        assert_view_eq(panel.items[0].name, cv_str_of(cases[i].name));
        assert_view_eq(panel.items[0].role, cv_str_of(cases[i].role));
    }
    cv_arena_release(&a);
}

static void dates_of_names_and_metadata(void **state)
{
    static const struct {
        const char *text, *time;
    } cases[] = {
        {"2026-01-26T1829Z-blue", "2026-01-26T18:29:00.000Z"},
        {"2026-01-26 10:10", "2026-01-26T10:10:00.000Z"},
        {"on 2026-01-26", "2026-01-26T00:00:00.000Z"},
        {"2026-01-26T10:10:30Z", "2026-01-26T10:10:30.000Z"},
        {"2026-13-26", NULL},
        {"soon", NULL},
    };
    cv_arena a = {0};
    char text[CV_TIME_LEN + 1];
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        int64_t ms = cv_date_find(&a, cv_str_of(cases[i].text));
        assert_int_equal(ms == CV_ABSENT, cases[i].time == NULL);
        if (!cases[i].time)
            continue;
        cv_time_print(ms, text);
        assert_string_equal(text, cases[i].time);
    }
    assert_int_equal(cv_date_prefix(CV_STR("2026-01-26T1829Z-blue")), 17);
    assert_int_equal(cv_date_prefix(CV_STR("blue")), 0);
    cv_arena_release(&a);
}

/* A table as wide as it is long costs no more than its bytes. */
static void wide_tables_are_no_boards(void **state)
{
    cv_arena a = {0};
    cv_buf text = {0};
    (void)state;
    cv_buf_add_z(&text, "| Agent |");
    for (int i = 0; i < 20000; i++)
        cv_buf_add_z(&text, " R1 |");
    for (int i = 0; i < 20000; i++)
        cv_buf_add_z(&text, "\n| x | 1 |");
    cv_grids grids = cv_grids_find(&a, cv_buf_str(&text), 1);
    cv_board_rows rows = {0};
    assert_int_equal(grids.count, 1);
    assert_false(cv_board_read(&a, &grids.items[0], &rows));
    cv_buf_release(&text);
    cv_arena_release(&a);
}

/* ---- whole imports ----------------------------------------------------------------------------------------------- */

static void put_file(cv_world *w, const char *name, const char *text)
{
    cv_err err = {.arena = &w->a};
    const char *path = cv_arena_printf(&w->a, "%s/%s", w->folder, name).p;
    const char *slash = strrchr(path, '/');
    assert_ok(cv_folder_make(cv_arena_printf(&w->a, "%.*s", (int)(slash - path), path).p, &err), &err);
    assert_ok(cv_file_write(path, cv_str_of(text), &err), &err);
}

static void put_dialogue(cv_world *w)
{
    put_file(w, "in/2026-02-02T0900Z-oven/round-0/muffin.md",
             "[PERSPECTIVE P01: Queue]\nLong.\n\n[TENSION T01: Space]\nNone.\n");
    put_file(w, "in/2026-02-02T0900Z-oven/round-0/scone.md",
             "[PERSPECTIVE P01: Heat]\nToo much.\n\n[TENSION T01: Gas]\nDear.\n");
    put_file(w, "in/2026-02-02T0900Z-oven/round-1/muffin.md", "[RESOLVED T01: two decks]\n\n[MOVE:CONVERGE]\n");
    put_file(w, "in/2026-02-02T0900Z-oven/round-1/eclair.md", "[RESOLVED T02: savings]\n\n[DISSENT] Not now.\n");
    put_file(w, "in/2026-02-02T0900Z-oven/tensions.md",
             "| ID | Tension | Status |\n|---|---|---|\n| T01 | Space | Resolved R1 |\n| T02 | Loan | Deferred |\n");
    put_file(w, "in/2026-02-02T0900Z-oven/verdict.md", "Buy it.\n");
}

static bool import(cv_world *w, cv_record *record, cv_str request)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.record = record;
    call.input_text = cv_world_request(&w->turn, request);
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    bool done = cv_op_call(cv_op_find(CV_STR(""), CV_STR("import")), &call);
    return done && !call.unwell;
}

static cv_str import_folder(cv_world *w)
{
    return cv_arena_printf(&w->a, "{'path': '%s/in'}", w->folder);
}

static cv_str exported(cv_world *w, const char *id)
{
    cv_str request = cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'output_path': '-'}", id);
    assert_true(cv_world_call_text(w, "export", request));
    return cv_arena_copy(&w->a, cv_buf_str(&w->out));
}

static void an_import_that_fails_anywhere_goes_on(void **state)
{
    cv_world whole, broken;
    (void)state;
    cv_world_open(&whole);
    put_dialogue(&whole);
    cv_record_tracing counting = {0};
    assert_true(import(&whole, cv_record_traced(&whole.a, whole.record, &counting), import_folder(&whole)));
    cv_str expected = exported(&whole, "oven");
    assert_true(counting.calls > 20);
    cv_test_random random = {cv_test_seed()};
    for (size_t n = 1; n <= counting.calls; n++) {
        if (!cv_test_drawn(&random, 4))
            continue;
        cv_record_tracing tracing = {.fail_at = n};
        cv_world_open(&broken);
        put_dialogue(&broken);
        import(&broken, cv_record_traced(&broken.a, broken.record, &tracing), import_folder(&broken));
        assert_true(import(&broken, broken.record, import_folder(&broken)));
        assert_view_eq(exported(&broken, "oven"), expected);
        cv_world_close(&broken);
    }
    cv_world_close(&whole);
}

static void a_dry_run_writes_nothing(void **state)
{
    cv_world w;
    (void)state;
    cv_world_open(&w);
    put_dialogue(&w);
    cv_str request = import_folder(&w);
    cv_str dry = cv_arena_printf(&w.a, "%.*s, 'dry_run': true}", CV_FMT(cv_str_head(request, request.n - 1)));
    assert_true(import(&w, w.record, dry));
    cv_str report = cv_arena_copy(&w.a, cv_str_from(cv_buf_str(&w.out), cv_str_find_char(cv_buf_str(&w.out), ',')));
    assert_true(cv_str_find(report, CV_STR("\"outcome\":\"imported\"")) != SIZE_MAX);
    assert_view_eq(cv_arena_copy(&w.a, cv_world_do(&w, "list", "{}")), cv_world_do(&w, "list", "{}"));
    assert_true(cv_str_find(cv_world_do(&w, "list", "{}"), CV_STR("oven")) == SIZE_MAX);
    assert_true(import(&w, w.record, request));
    assert_view_eq(cv_str_from(cv_buf_str(&w.out), cv_str_find_char(cv_buf_str(&w.out), ',')), report);
    cv_world_close(&w);
}

static bool leave(void *ctx, size_t done, size_t total, cv_str what)
{
    (void)ctx, (void)done, (void)total, (void)what;
    return false;
}

static void nobody_who_waits_ends_it(void **state)
{
    cv_world w;
    (void)state;
    cv_world_open(&w);
    put_dialogue(&w);
    cv_call call = cv_world_begin(&w);
    cv_err err = {.arena = &w.turn};
    cv_json input;
    call.follower.tell = leave;
    call.input_text = cv_world_request(&w.a, import_folder(&w));
    assert_true(cv_json_parse(&w.turn, call.input_text, &input, &err));
    call.input = &input;
    assert_false(cv_op_call(cv_op_find(CV_STR(""), CV_STR("import")), &call));
    assert_int_equal(w.errs.items[0].code, CV_ERR_CANCELLED);
    assert_true(cv_str_find(cv_world_do(&w, "list", "{}"), CV_STR("oven")) == SIZE_MAX);
    cv_world_close(&w);
}

static void confined_callers_stay_below_the_root(void **state)
{
    cv_world w;
    (void)state;
    cv_world_open(&w);
    put_dialogue(&w);
    cv_call call = cv_world_begin(&w);
    cv_err err = {.arena = &w.turn};
    cv_json input;
    call.confined = true;
    call.input_text = CV_STR("{\"path\": [\"in\", \"/etc\", \"../x\"]}");
    assert_ok(cv_json_parse(&w.turn, call.input_text, &input, &err), &err);
    call.input = &input;
    assert_false(cv_op_call(cv_op_find(CV_STR(""), CV_STR("import")), &call));
    assert_int_equal(w.errs.count, 2);
    assert_view_eq(w.errs.items[0].field, CV_STR("path[1]"));
    assert_view_eq(w.errs.items[1].field, CV_STR("path[2]"));
    cv_world_close(&w);
}

/* ---- exports ----------------------------------------------------------------------------------------------------- */

/* Rounds, a response that waits, a correction, verdicts, an abandoned end: all that a dialogue can have. */
static cv_str full_export(cv_world *w)
{
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    for (int round = 0; round < 3; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "a", "")));
    cv_world_do(w, "update",
                "{'dialogue_id': 'bread', 'updates': [{'id': 'P0001', 'label': 'Better', 'reason': 'clearer'}]}");
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'bread', 'verdict_id': 'v1', 'verdict_type': 'interim', 'recommendation': 'Go on', "
                "'description': 'Text', 'recommendations_adopted': ['R0001']}");
    cv_world_do(w, "abandon", "{'dialogue_id': 'bread', 'reason': 'the oven broke'}");
    return exported(w, "bread");
}

static bool import_text(cv_world *w, cv_str text)
{
    cv_err err = {.arena = &w->a};
    const char *path = cv_arena_printf(&w->a, "%s/one.json", w->folder).p;
    assert_ok(cv_file_write(path, text, &err), &err);
    return import(w, w->record, cv_arena_printf(&w->a, "{'path': ['%s']}", path));
}

static void exports_come_back_byte_for_byte(void **state)
{
    cv_world here, there;
    (void)state;
    cv_world_open(&here);
    cv_world_open(&there);
    cv_str document = full_export(&here);
    assert_true(import_text(&there, document));
    assert_view_eq(exported(&there, "bread"), document);
    cv_position x = cv_world_position(&here, "bread"), y = cv_world_position(&there, "bread");
    assert_int_equal(x.rev, y.rev);
    assert_view_eq(x.head, y.head);
    assert_true(import_text(&there, document));
    assert_int_equal(cv_world_position(&there, "bread").rev, x.rev);
    cv_world_close(&there);
    cv_world_close(&here);
}

/* Whatever byte of a text or number is changed, nothing of it is recorded. */
static void changed_exports_are_refused(void **state)
{
    cv_world here, there;
    (void)state;
    cv_world_open(&here);
    cv_world_open(&there);
    cv_str document = full_export(&here);
    size_t tried = 0;
    cv_test_random random = {cv_test_seed()};
    for (size_t i = 7; i < document.n; i += document.n / 97) {
        if (!cv_test_drawn(&random, 4))
            continue;
        char *changed = cv_arena_copy_z(&here.a, document);
        size_t at = i;
        while (at < document.n && !cv_is_alnum(changed[at]))
            at++;
        if (at == document.n)
            break;
        changed[at] = changed[at] == '9' ? '8' : cv_is_digit(changed[at]) ? '9' : changed[at] == 'x' ? 'y' : 'x';
        assert_false(import_text(&there, (cv_str){changed, document.n}));
        tried++;
    }
    assert_true(tried > (cv_test_soak() ? 80 : 8));
    assert_true(cv_str_find(cv_world_do(&there, "list", "{}"), CV_STR("bread")) == SIZE_MAX);
    cv_world_close(&there);
    cv_world_close(&here);
}

/* ---- what files say ---------------------------------------------------------------------------------------------- */

static cv_json *import_path(cv_world *w, const char *path)
{
    cv_json *report = CV_NEW(&w->a, cv_json);
    cv_err err = {.arena = &w->a};
    import(w, w->record, cv_arena_printf(&w->a, "{'path': '%s/%s'}", w->folder, path));
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, cv_buf_str(&w->out)), report, &err), &err);
    return &cv_json_get(report, CV_STR("dialogues"))->items[0];
}

static cv_json *import_all(cv_world *w)
{
    return import_path(w, "in");
}

static cv_str status_of(cv_world *w, const char *label, const char *by)
{
    cv_state s = cv_world_state(w, "oven");
    cv_str found = {NULL, 0};
    for (size_t i = 0; i < s.entities.count; i++)
        if (cv_str_eq(s.entities.items[i].label, cv_str_of(label)) &&
            cv_str_find(s.entities.items[i].contributors, cv_str_of(by)) != SIZE_MAX)
            found = cv_arena_copy(&w->a, s.entities.items[i].status);
    return found;
}

static bool is_told(const cv_json *d, const char *list, const char *member, const char *text)
{
    const cv_json *entries = cv_json_get(d, cv_str_of(list));
    for (uint32_t i = 0; i < entries->count; i++)
        if (cv_str_find(cv_json_get_text(&entries->items[i], member), cv_str_of(text)) != SIZE_MAX)
            return true;
    return false;
}

#define OVEN "in/2026-02-02T0900Z-oven/"

static void a_report_claims_only_what_is_written(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/panel.json", "[{\"name\": \"Muffin\", \"role\": \"Baker\"}]");
    put_file(w, OVEN "round-1/panel.json", "[{\"name\": \"Muffin\", \"role\": \"Baker\"}]");
    put_file(w, OVEN "scoreboard.md", "| Agent | Total |\n|---|---|\n| Muffin | 9 |\n\n**Rounds**: 2\n");
    const cv_json *d = import_all(w);
    assert_int_equal(cv_json_get_int(d, "rounds", -1), 0);
    assert_int_equal(cv_json_get_int(d, "scores", -1), 0);
    assert_true(is_told(d, "differences", "what", "number of rounds"));
    assert_true(is_told(d, "differences", "what", "total score of Muffin"));
    assert_true(is_told(d, "decided", "why", "it is not registered"));
}

static void rows_mean_whom_they_name(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[TENSION T01: Cost]\nx\n\n[TENSION T02: Heat]\ny\n");
    put_file(w, OVEN "round-0/scone.md", "[TENSION T01: Cost]\nother\n");
    put_file(w, OVEN "round-1/muffin.md", "Nothing new.\n");
    put_file(w, OVEN "tensions.md",
             "| ID | Tension | Raised by | Round | Status |\n|---|---|---|---|---|\n| T07 | Cost | Scone | R0 | "
             "Resolved |\n");
    put_file(w, OVEN "round-1.summary.md", "## Tensions Resolved\n\n| ID | Resolution |\n|---|---|\n| T02 | a fan |\n");
    const cv_json *d = import_all(w);
    assert_int_equal(cv_json_get_int(d, "tensions", -1), 3);
    assert_str_eq(status_of(w, "Cost", "scone"), "resolved");
    assert_str_eq(status_of(w, "Cost", "muffin"), "open");
    assert_str_eq(status_of(w, "Heat", "muffin"), "resolved"); /* T02 is muffin's alone; others share T01 */
}

static void trackers_may_be_lists(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md",
             "[TENSION T01: Cost]\nx\n\n[TENSION T02: Heat]\ny\n\n[TENSION T03: Space]\nz\n");
    put_file(w, OVEN "round-0/scone.md", "[TENSION T01: Gas]\nx\n");
    put_file(w, OVEN "tensions.md",
             "# Tensions\n\n### T01: Cost\n\n**Raised by**: Muffin (R0)\n**Status**: Accepted\n\n- **T02**: Heat — "
             "RESOLVED\n- T01 Gas (Scone, R0) — addressed\n- [ ] T03: Space\n");
    const cv_json *d = import_all(w);
    assert_int_equal(cv_json_get_int(d, "tensions", -1), 4);
    assert_int_equal(cv_json_get_int(d, "tracked", -1), 4);
    assert_str_eq(status_of(w, "Cost", "muffin"), "accepted");
    assert_str_eq(status_of(w, "Heat", "muffin"), "resolved");
    assert_str_eq(status_of(w, "Gas", "scone"), "addressed");
    assert_str_eq(status_of(w, "Space", "muffin"), "open");
}

static void resolved_means_ones_own_latest_open(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[TENSION T01: First]\nx\n");
    put_file(w, OVEN "round-0/scone.md", "[TENSION T01: Scones]\nx\n");
    put_file(w, OVEN "round-1/muffin.md", "[TENSION T01: Second]\nx\n");
    put_file(w, OVEN "round-2/muffin.md", "[RESOLVED T01: the second]\n");
    put_file(w, OVEN "round-3/muffin.md", "[RESOLVED T01: then the first]\n");
    put_file(w, OVEN "round-3/scone.md", "[RESOLVED T01: mine]\n");
    import_all(w);
    assert_str_eq(status_of(w, "Second", "muffin"), "resolved");
    assert_str_eq(status_of(w, "First", "muffin"), "resolved");
    assert_str_eq(status_of(w, "Scones", "scone"), "resolved");
}

static void panel_files_decide_who_is_an_expert(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/panel.json", "{\"agents\": [{\"name\": \"🧁 Muffin\", \"role\": \"Baker\"}]}");
    put_file(w, OVEN "round-0/muffin.md", "# Muffin (Cook)\n\n[PERSPECTIVE P01: Yes]\nx\n");
    put_file(w, OVEN "round-0/context-brief.md", "[PERSPECTIVE P01: Not mine]\nx\n");
    const cv_json *d = import_all(w);
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(cv_json_get_int(d, "perspectives", -1), 1);
    assert_int_equal(s.experts.count, 1);
    assert_str_eq(s.experts.items[0].role, "Baker");
    assert_true(is_told(d, "differences", "says", "Cook"));
    assert_true(is_told(d, "decided", "why", "'context-brief' is not on the panel"));
}

static void speakers_in_bold(void **state)
{
    cv_world *w = *state;
    put_file(w, "in/oven.dialogue.md",
             "# Oven\n\n## Round 0\n\n**Expert 1 (Architect):** [PERSPECTIVE P01: Decks]\nTwo.\n\n**Expert 2 "
             "(Accountant):** Gas is dear.\n\n"
             "## Round 1\n\n**Expert 1 (Architect):** [MOVE:CONVERGE]\n\n## Final Ruling\n\n### Decision\n\nBuy two "
             "decks.\n");
    const cv_json *d = import_all(w);
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.experts.count, 2);
    assert_str_eq(s.experts.items[0].role, "Architect");
    assert_int_equal(cv_json_get_int(d, "moves", -1), 1);
    assert_int_equal(s.verdicts.count, 1);
    assert_str_eq(s.verdicts.items[0].recommendation, "Buy two decks.");
}

static void full_names_in_bold(void **state)
{
    cv_world *w = *state;
    put_file(w, "in/oven.dialogue.md",
             "# Oven\n\n## Round 0\n\n**Ada Lovelace (Systems):** Yes.\n\n**Charles Babbage (Engines):** No.\n\n## "
             "Convergence Declared\n\n- **Go** ahead.\n\n"
             "## Minority Verdict\n\nNever.\n");
    import_all(w);
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.experts.count, 2);
    assert_str_eq(s.experts.items[1].expert_slug, "charles-babbage");
    assert_int_equal(s.verdicts.count, 1);
    assert_str_eq(s.verdicts.items[0].recommendation, "**Go** ahead.");
}

#define LONG_DECISION "Buy it in the spring, from the maker who repairs it for ten years, and sell the old one"

static void the_judges_marks_are_verdicts(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[PERSPECTIVE P01: Yes]\nx\n");
    put_file(w, OVEN "round-0.summary.md", "Well.\n\n[VERDICT:INTERIM: Go on]\nBut slowly.\n");
    put_file(w, OVEN "round-1/muffin.md", "[MOVE:CONVERGE]\n");
    put_file(w, OVEN "round-1.summary.md", "[VERDICT:FINAL: " LONG_DECISION "]\nAll agree.\n");
    import_all(w);
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.verdicts.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_str_eq(s.verdicts.items[i].recommendation,
                      cv_str_eq(s.verdicts.items[i].verdict_type, CV_STR("final")) ? LONG_DECISION : "Go on");
}

static void marks_in_a_verdict_file_are_verdicts(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[PERSPECTIVE P01: Yes]\nx\n");
    put_file(
        w, OVEN "verdict.md",
        "# Verdict\n\n[VERDICT:INTERIM: Slowly]\nBut.\n\n[VERDICT:FINAL: Buy it]\nAll agree.\n\n[DISSENT: Never]\n");
    const cv_json *d = import_all(w);
    assert_true(is_told(d, "not_understood", "text", "Never"));
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.verdicts.count, 2);
    assert_str_eq(cv_state_verdict(&s, CV_STR("interim-0"))->recommendation, "Slowly");
    assert_str_eq(cv_state_verdict(&s, CV_STR("final"))->recommendation, "Buy it");
    assert_str_has(cv_state_verdict(&s, CV_STR("final"))->description, "[DISSENT: Never]");
}

/* What an import has registered is not proposed a second time: both call it the same. */
static void registered_verdicts_are_not_proposed(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[PERSPECTIVE P01: Yes]\nx\n");
    put_file(w, OVEN "round-0.summary.md",
             "[VERDICT:INTERIM: Go on]\nBut slowly.\n\n[VERDICT:INTERIM: Or not]\n\n[VERDICT:DISSENT: Well]\n");
    const cv_json *d = import_all(w);
    assert_true(is_told(d, "not_understood", "text", "Well"));
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.verdicts.count, 2);
    assert_true(cv_state_verdict(&s, CV_STR("interim-0")) && cv_state_verdict(&s, CV_STR("interim-0-2")));
    cv_str answer = cv_world_do(w, "draft", "{'dialogue_id': 'oven'}");
    assert_true(cv_str_find(answer, CV_STR("\"verdict_id\":\"interim-")) == SIZE_MAX);
}

/* [VERDICT: …] is what draft proposes as the final one: so it is, unless rounds follow it or another one says so. */
static void a_verdict_without_a_type_is_final(void **state)
{
    static const struct {
        const char *last, *final;
        bool told;
    } tries[] = {{"[VERDICT: Buy it]\nAll agree.\n", "Buy it", false},
                 {"[VERDICT:FINAL: Buy it]\nAll agree.\n\n[VERDICT: Or not]\n", "Buy it", true},
                 {"Nothing.\n", NULL, false}};
    cv_world *w = *state;
    for (size_t i = 0; i < CV_COUNT(tries); i++) {
        const char *folder = cv_arena_printf(&w->a, "%s%zu", "oven", i).p;
        put_file(w, cv_arena_printf(&w->a, "%s/round-0/muffin.md", folder).p, "[PERSPECTIVE P01: Yes]\nx\n");
        put_file(w, cv_arena_printf(&w->a, "%s/round-0.summary.md", folder).p, "[VERDICT: Early]\nToo.\n");
        put_file(w, cv_arena_printf(&w->a, "%s/round-1/muffin.md", folder).p, "[MOVE:CONVERGE]\n");
        put_file(w, cv_arena_printf(&w->a, "%s/round-1.summary.md", folder).p, tries[i].last);
        const cv_json *d = import_path(w, folder);
        cv_state s = cv_world_state(w, folder);
        assert_true(is_told(d, "not_understood", "text", "Early"));
        assert_int_equal(is_told(d, "not_understood", "text", "Or not"), tries[i].told);
        assert_int_equal(s.verdicts.count, tries[i].final != NULL);
        if (tries[i].final)
            assert_str_eq(cv_state_verdict(&s, CV_STR("final"))->recommendation, tries[i].final);
    }
}

/* Files are read as leniently as responses of experts, and what was read so is reported. */
static void files_are_read_like_responses(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/alice.md", "[ALICE-P0001: Alpha]\nAlpha body.\n");
    put_file(w, OVEN "round-0/bob.md",
             "[BOB-P0001: Beta]\nBeta body.\n\n[bob-t0001: Price]\nToo dear.\n\n**BOB-R0001: Wait**\nA year.\n\n"
             "MOVE: CHALLENGE ALICE-P0001\nweak\n\n[SUPPORT ALICE-P0001]\nfine\n\n[ENDORSE ALICE-P0001]\nyes\n\n"
             "```\n[BOB-E0001: Proof]\nProof body.\n```\n");
    const cv_json *d = import_all(w);
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(cv_json_get_int(d, "perspectives", -1), 2);
    assert_int_equal(cv_json_get_int(d, "tensions", -1), 1);
    assert_int_equal(cv_json_get_int(d, "recommendations", -1), 1);
    assert_int_equal(s.moves.count, 1);
    assert_int_equal(s.references.count, 1);
    assert_true(is_told(d, "decided", "why", "BOB-T0001"));
    assert_true(is_told(d, "not_understood", "text", "[ENDORSE ALICE-P0001]"));
    const cv_json *entries = cv_json_get(d, CV_STR("not_understood"));
    assert_int_equal(cv_json_get_int(&entries->items[0], "line", 0), 16);
    assert_int_equal(cv_json_get_int(d, "evidence", -1), 1);
}

/* Sections with verdicts that are not the final one: with their authors, or named. */
static void sections_of_other_verdicts(void **state)
{
    cv_world *w = *state;
    put_file(w, "oven.dialogue.md",
             "# Oven\n\n## Panel\n\n| Advisor | Role | Tier |\n|---|---|---|\n| Muffin | Baker | Core |\n| Cupcake | "
             "Miller | Lead |\n\n## Round 0\n\n### Muffin 🧁\n\n[PERSPECTIVE P01: Yes]\nx\n\n### Cupcake 🧁\n\n"
             "[PERSPECTIVE P01: No]\nx\n\n## Interim Verdict\n\nWait.\n\n## Round 1\n\n### Muffin 🧁\n\nYes.\n\n"
             "## Decision\n\nBuy.\n\n**Total:** 7 weeks\n\n## Minority View: Cupcake and Muffin\n\nSell.\n\n## "
             "Dissenting Opinion\n\n"
             "**Author**: Muffin\n\nNever.\n\n## Dissents\n\nSomebody disagreed.\n\n## Minority Report\n\nNone.\n");
    const cv_json *d = import_path(w, "oven.dialogue.md");
    cv_state s = cv_world_state(w, "oven");
    assert_false(is_told(d, "differences", "says", "7"));
    assert_int_equal(s.experts.count, 2);
    assert_int_equal(s.verdicts.count, 4);
    assert_str_eq(cv_state_verdict(&s, CV_STR("interim-0"))->recommendation, "Wait.");
    assert_str_eq(cv_state_verdict(&s, CV_STR("final"))->recommendation, "Buy.");
    assert_str_eq(cv_state_verdict(&s, CV_STR("minority-cupcake"))->supporting_experts, "[\"muffin\"]");
    assert_str_eq(cv_state_verdict(&s, CV_STR("dissent-muffin"))->recommendation, "Never.");
    assert_true(is_told(d, "not_understood", "text", "Dissents"));
    assert_true(is_told(d, "differences", "what", "tier of Cupcake"));
    assert_str_has(s.dialogue.background, "Somebody disagreed.");
}

/* A file or section with the final verdict may hold others: each with its type and author, or named. */
static void verdicts_inside_a_verdict(void **state)
{
    static const struct {
        const char *text, *final; /* its recommendation */
        const char *id, *says;    /* the other one, or … */
        const char *named;        /* … what is named */
    } cases[] = {
        {"## Verdict (interim)\nHold on.\n\n## Verdict (final)\nBuild.\n\n## Verdict (minority — Bob)\nNever.\n",
         "Build.", "minority-bob", "Never.", NULL},
        {"# Final Verdict\n\nBuild.\n\n## Minority View: Bob\n\nNever.\n\n### Why\n\nDear.\n", "Build.", "minority-bob",
         "Never.", NULL},
        {"# Verdict\n\nBuild.\n\n## Dissenting Opinion: Builder\n\nNever.\n", "Build.", "dissent-bob", "Never.", NULL},
        {"# Verdict\n\nBuild.\n\n**Dissent (Bob):** Never.\nNot once.\n\n**Conditions:** none\n", "Build.",
         "dissent-bob", "Never.", NULL},
        {"# Verdict\n\nBuild.\n\n**Minority view (Bob)**:\n\n- Never.\n\nGo on.\n", "Build.", "minority-bob", "Never.",
         NULL},
        {"# Verdict\n\nBuild.\n\n## Dissent\n\nSomebody said never.\n\n## Next\n\nGo.\n", "Build.", NULL, NULL,
         "Dissent"},
        {"# Verdict\n\nBuild.\n\n## Dissent\n\nNone.\n", "Build.", NULL, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_world w;
        cv_world_open(&w);
        put_file(&w, OVEN "round-0/panel.json",
                 "[{\"name\": \"Alice\", \"role\": \"Analyst\"}, {\"name\": \"Bob\", \"role\": \"Builder\"}]");
        put_file(&w, OVEN "round-0/alice.md", "[PERSPECTIVE P01: Yes]\nx\n");
        put_file(&w, OVEN "round-0/bob.md", "[PERSPECTIVE P01: No]\nx\n");
        put_file(&w, OVEN "verdict.md", cases[i].text);
        const cv_json *d = import_path(&w, "in");
        cv_state s = cv_world_state(&w, "oven");
        const cv_rec_verdict *final = cv_state_verdict(&s, CV_STR("final"));
        const cv_rec_verdict *other = cases[i].id ? cv_state_verdict(&s, cv_str_of(cases[i].id)) : NULL;
        assert_str_eq(final->recommendation, cases[i].final);
        assert_true((other != NULL) == (cases[i].id != NULL));
        if (other) {
            assert_str_eq(other->recommendation, cases[i].says);
            assert_str_eq(other->author_expert, "bob");
        }
        if (other || cases[i].named)
            assert_true(cv_str_find_nocase(final->description, CV_STR("never")) == SIZE_MAX);
        if (cases[i].named) {
            assert_true(is_told(d, "not_understood", "text", cases[i].named));
            assert_str_has(s.dialogue.background, "Somebody said never.");
        }
        assert_int_equal(s.verdicts.count, i == 0 ? 3 : 1 + (other != NULL));
        cv_world_close(&w);
    }
}

/* Panels in tables of other forms: the people are those who speak, and nothing of the table is lost. */
static void panels_name_those_who_speak(void **state)
{
    static const struct {
        const char *panel, *focus; /* what ada's focus has */
        bool meets;
    } cases[] = {
        {"## Panel\n\n| Seat | Delegate | Expertise | Weight |\n|---|---|---|---|\n| 1 | Ada | Law | high |\n| 2 | Bob "
         "| "
         "Tax | low |\n",
         "Weight: high", true},
        {"## Panel\n\n| Nr | Expertise | Delegate | Stance |\n|---|---|---|---|\n| 1 | Law | Ada | against |\n| 2 | "
         "Tax | Bob "
         "| for |\n",
         "Stance: against", true},
        {"## Panel\n\n| # | Person | Role | Lens | Bias | Model |\n|---|---|---|---|---|---|\n| 1 | @Ada | Law | risk "
         "| old | opus "
         "|\n| 2 | @Bob | Tax | cost | new | opus |\n",
         "risk; Bias: old; Model: opus", true},
        {"| Person | Role |\n|---|---|\n| Ada | Law |\n| Bob | Tax |\n", "", true},
        {"## Panel\n\n| Agent | Role |\n|---|---|\n| Muffin | Law |\n| Scone | Tax |\n", "", false},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_world w;
        cv_world_open(&w);
        put_file(&w, "oven.dialogue.md",
                 cv_arena_printf(&w.a,
                                 "# Oven\n\n%s\n## Round 0\n\n### Ada\n\n[PERSPECTIVE P01: Yes]\nx\n\n### Bob\n\n"
                                 "[PERSPECTIVE P01: No]\ny\n",
                                 cases[i].panel)
                     .p);
        const cv_json *d = import_path(&w, "oven.dialogue.md");
        cv_state s = cv_world_state(&w, "oven");
        const cv_rec_expert *ada = cv_state_expert(&s, CV_STR("ada"));
        if (cases[i].meets) {
            assert_int_equal(s.experts.count, 2);
            assert_int_equal(s.responses.count, 2);
            assert_str_eq(ada->role, "Law");
            assert_str_has(ada->focus, cases[i].focus);
        } else {
            assert_true(s.responses.count == 0 || is_told(d, "differences", "what", "people of the panel"));
        }
        cv_world_close(&w);
    }
}

/* Who is not on the panel is nobody else. */
static void guests_speak_for_themselves(void **state)
{
    cv_world *w = *state;
    put_file(w, "oven.dialogue.md",
             "# Oven\n\n## Expert Panel\n\n| Agent | Role |\n|---|---|\n| Ada | Law |\n| Bob | Tax |\n\n## Round 0\n\n"
             "### Ada\n\nYes.\n\n### Carol (guest)\n\nA platypus.\n\n### Bob\n\nNo.\n\n### Why not\n\nMore of it.\n");
    const cv_json *d = import_path(w, "oven.dialogue.md");
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.experts.count, 3);
    assert_int_equal(s.responses.count, 3);
    assert_non_null(cv_state_expert(&s, CV_STR("carol")));
    assert_true(is_told(d, "decided", "why", "speaks as a guest"));
}

/* Boards that have experts as columns, or lines, or count rounds in their own way. */
static void boards_count_in_their_own_way(void **state)
{
    static const struct {
        const char *board, *says; /* the difference */
        int first, muffin;        /* the first round of the files; muffin's points in all */
    } cases[] = {
        {"| Round | Muffin | Scone | Round total |\n|---|---|---|---|\n| 0 | 5 | 6 | 12 |\n| 1 | 7 | 8 | 15 |\n", "12",
         0, 12},
        {"**Muffin** R0: 5 → R1: 7\n**Scone** R0: 6 → R1: 8\n\n- Round 1: 99 points\n", "99", 0, 12},
        {"**Muffin** R1: 5 → R2: 7\n**Scone** R1: 6 → R2: 8\n\nFinal: 27/100\n", "27", 0, 12},
        {"**Muffin** R0: 5 → R1: 7\n**Scone** R0: 6 → R1: 8\n\nFinal: 27/100\n", "27", 1, 12},
        {"| Agent | R1 | R2 | Total |\n|---|---|---|---|\n| Muffin | 5 | 7 | 13 |\n", "13", 1, 12},
        {"| Agent | R0 | R1 | Total |\n|---|---|---|---|\n| Muffin | 5 | 7 | 13 |\n", "13", 1, 12},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_world w;
        cv_world_open(&w);
        for (int round = 0; round < 2; round++) {
            put_file(&w, cv_arena_printf(&w.a, OVEN "round-%d/muffin.md", round + cases[i].first).p, "Yes.\n");
            put_file(&w, cv_arena_printf(&w.a, OVEN "round-%d/scone.md", round + cases[i].first).p, "No.\n");
        }
        put_file(&w, OVEN "scoreboard.md", cases[i].board);
        const cv_json *d = import_path(&w, "in");
        cv_state s = cv_world_state(&w, "oven");
        assert_int_equal(cv_state_expert(&s, CV_STR("muffin"))->total_score, cases[i].muffin);
        assert_true(is_told(d, "differences", "says", cases[i].says));
        assert_false(is_told(d, "not_understood", "why", "round -1"));
        assert_int_equal(s.rounds.count, 2);
        cv_world_close(&w);
    }
}

/* Folders and files of rounds are called in many ways. */
static void rounds_lie_in_many_folders(void **state)
{
    static const char *const cases[][2] = {
        {"R0/ada.md", "R0/bob.md"},
        {"round_0/ada.md", "round_0/bob-response.md"},
        {"round-0/responses/ada.md", "round-0/responses/response-bob.md"},
        {"round-0/ada.md", "round-0/bob.txt"},
        {"round 0/ada.response.md", "round0/bob_response.txt"},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_world w;
        cv_world_open(&w);
        put_file(&w, cv_arena_printf(&w.a, OVEN "%s", cases[i][0]).p, "Yes.\n");
        put_file(&w, cv_arena_printf(&w.a, OVEN "%s", cases[i][1]).p, "No.\n");
        import_path(&w, "in");
        cv_state s = cv_world_state(&w, "oven");
        assert_int_equal(s.experts.count, 2);
        assert_int_equal(s.rounds.count, 1);
        assert_non_null(cv_state_expert(&s, CV_STR("ada")));
        assert_non_null(cv_state_expert(&s, CV_STR("bob")));
        cv_world_close(&w);
    }
}

/* What a tracker says beyond its tensions is kept. */
static void trackers_that_say_more(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[TENSION T01: Cost]\nx\n");
    put_file(w, OVEN "round-0/scone.md", "[TENSION T01: Heat]\ny\n");
    put_file(
        w, OVEN "tensions.md",
        "## Tensions\n\n| # | Headline | Owner | Raised | State | How | Severity |\n|---|---|---|---|---|---|---|\n"
        "| 1 | Cost | Muffin & Scone | R0 | Resolved | cheaper | high porcupine |\n| 2 | Heat | Scone | R0 | Open | | "
        "low |\n");
    const cv_json *d = import_all(w);
    assert_str_eq(status_of(w, "Cost", "muffin"), "resolved");
    cv_state s = cv_world_state(w, "oven");
    assert_str_has(s.dialogue.background, "porcupine");
    assert_str_has(s.dialogue.background, "Muffin & Scone");
    assert_true(is_told(d, "decided", "why", "kept as background"));
}

/* A heading with a number speaks of the tension that has it. */
static void numbers_in_headings_are_spoken_of(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[TENSION T01: Cost]\nx\n");
    put_file(w, OVEN "round-1/scone.md",
             "### T01: Cost\n\nIt is fine.\n\n**T01** — Cost\n\n[scone-p0101: View]\nSo.\n");
    const cv_json *d = import_all(w);
    assert_int_equal(cv_json_get_int(d, "tensions", -1), 1);
    assert_int_equal(cv_json_get_int(d, "perspectives", -1), 1);
    assert_false(is_told(d, "decided", "why", "T01: Cost is read as"));
}

/* Headings of a tracker that end in a status. */
static void headings_say_the_status(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[TENSION T01: Cost]\nx\n");
    put_file(w, OVEN "round-0/scone.md", "[TENSION T02: Speed]\ny\n");
    put_file(w, OVEN "tensions.md",
             "# Tracker\n\n### T01 — Cost (Muffin) 🟢 RESOLVED\n\n### T02 — Speed (Scone) 🔴 OPEN\n\n"
             "### T03 — Trust (Muffin) ⚪ DEFERRED\nReason: a ferret.\n\n### T04 — Ghost\n");
    const cv_json *d = import_all(w);
    assert_str_eq(status_of(w, "Cost", "muffin"), "resolved");
    assert_str_eq(status_of(w, "Speed", "scone"), "open");
    assert_str_eq(status_of(w, "Trust", "muffin"), "accepted");
    assert_true(is_told(d, "not_understood", "text", "Ghost"));
    cv_state s = cv_world_state(w, "oven");
    assert_str_has(s.dialogue.background, "ferret");
}

/* Rows that are only numbered are known by their labels; a status that nobody knows is told. */
static void trackers_with_numbered_rows(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[TENSION T01: Cost]\nx\n\n[TENSION T02: Heat]\ny\n");
    put_file(w, OVEN "tensions.md",
             "| # | Tension | Owner | Status |\n|---|---|---|---|\n| 1 | Heat | Muffin | Resolved |\n| 2 | Cost | "
             "Muffin | Simmering |\n");
    const cv_json *d = import_all(w);
    assert_int_equal(cv_json_get_int(d, "tensions", -1), 2);
    assert_str_eq(status_of(w, "Heat", "muffin"), "resolved");
    assert_str_eq(status_of(w, "Cost", "muffin"), "open");
    assert_true(is_told(d, "not_understood", "text", "Simmering"));
}

/* Who speaks is said in bold, with a colon, a dash or alone; by a part of the name, too. A sentence is none. */
static void bold_speakers_in_all_forms(void **state)
{
    cv_world *w = *state;
    put_file(w, "oven.dialogue.md",
             "# Oven\n\n## Round 1\n\n**Grace Hopper (Compilers):** Go.\n\n**Alan M. Turing (Theory)** — No.\n\n"
             "## Round 2\n\n**Grace**\nGo on.\n**Turing** agrees.\n\n**Turing:** Fine.\n");
    import_path(w, "oven.dialogue.md");
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.experts.count, 2);
    assert_int_equal(s.positions.count, 4);
    for (size_t i = 0; i < s.positions.count; i++) {
        bool grace = cv_str_eq(s.positions.items[i].expert_slug, CV_STR("grace-hopper"));
        cv_str said = s.positions.items[i].content;
        assert_int_equal(grace, cv_str_find(said, CV_STR("Go")) != SIZE_MAX);
        assert_int_equal(grace && s.positions.items[i].round == 1, cv_str_find(said, CV_STR("agrees")) != SIZE_MAX);
    }
}

/* A bold name that nobody has does not go to the one before without a word; what each expert's text is divided by is
 * not a name. */
static void strangers_in_bold_are_told(void **state)
{
    cv_world *w = *state;
    put_file(w, "oven.dialogue.md",
             "# Oven\n\n## Panel\n\n| Agent | Role |\n|---|---|\n| Rust | Systems |\n| Sql | Data |\n\n## Round 0\n\n"
             "**Rust:**\n\n**Position:**\nGo.\n\n**Mallory:**\nNo!\n\n**Sql:**\n\n**Position:**\nGo.\n\n"
             "**Eve (Guest):** Wait.\n");
    const cv_json *d = import_path(w, "oven.dialogue.md");
    assert_true(is_told(d, "not_understood", "text", "**Mallory:**"));
    assert_true(is_told(d, "not_understood", "text", "**Eve (Guest):** Wait."));
    assert_false(is_told(d, "not_understood", "text", "**Position:**"));
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.experts.count, 2);
    assert_str_has(s.positions.items[0].content, "No!");
}

/* A cell may name several owners, in any way that names are joined. */
static void rows_of_several_owners(void **state)
{
    static const char *const cells[] = {"Rust & Sql", "Rust, Sql", "Rust/Sql", "Rust and Sql", "Rust + Sql (R0)"};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cells); i++) {
        cv_world w;
        cv_world_open(&w);
        put_file(
            &w, "oven.dialogue.md",
            cv_arena_printf(&w.a,
                            "# Oven\n\n## Panel\n\n| Agent | Role |\n|---|---|\n| Rust | Systems |\n| Sql | Data "
                            "|\n\n## Round 0\n\n### Rust\n\nGo.\n\n### Sql\n\nGo.\n\n## Tensions Tracker\n\n| ID | "
                            "Tension | Owner | Status |\n|---|---|---|---|\n| T01 | Taste | %s | open |\n",
                            cells[i])
                .p);
        import_path(&w, "oven.dialogue.md");
        cv_state s = cv_world_state(&w, "oven");
        assert_int_equal(s.entities.count, 1);
        assert_str_eq(s.entities.items[0].contributors, "[\"rust\",\"sql\"]");
        cv_world_close(&w);
    }
}

/* A table of keys and numbers is read row by row; a key that nobody knows is a number that nothing is compared with. */
static void rows_without_known_keys_are_told(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[TENSION T01: Cost]\nx\n");
    put_file(w, OVEN "round-0.summary.md",
             "| Measure | Value |\n|---|---|\n| Open tensions | 1 |\n| Quorum | 7 |\n| Mood | good |\n");
    const cv_json *d = import_all(w);
    assert_true(is_told(d, "differences", "what", "Quorum"));
    assert_false(is_told(d, "differences", "what", "Mood"));
    assert_false(is_told(d, "differences", "what", "open tensions"));
}

static void scores_that_are_no_numbers_are_told(void **state)
{
    cv_world *w = *state;
    put_file(w, OVEN "round-0/muffin.md", "[PERSPECTIVE P01: Yes]\nx\n");
    put_file(w, OVEN "scoreboard.md",
             "| Agent | R0 | Total |\n|---|---|---|\n| Muffin | 7.5 | 8 |\n| Walter | 3 | 3 |\n");
    const cv_json *d = import_all(w);
    assert_true(is_told(d, "not_understood", "text", "7.5"));
    assert_true(is_told(d, "differences", "derives", "nobody of this name"));
}

/* What is under no mark, why somebody refers, and that a text is not the expert's own. */
static void dialogue_json_with_positions(void **state)
{
    cv_world *w = *state;
    put_file(
        w, "in/oven/dialogue.json",
        "{\"id\": \"oven\", \"title\": \"Oven\", \"experts\": [{\"slug\": \"muffin\", \"role\": \"Baker\"}],"
        "\"rounds\": [{\"round\": 0, \"score\": 1, \"experts\": {\"muffin\": {\"raw\": \"Raw.\", \"position\": "
        "\"So [P0001: it] is\"}}}, {\"round\": 1, \"score\": 1, \"experts\": {\"muffin\": {\"raw\": \"Raw.\"}}}],"
        "\"perspectives\": [{\"id\": \"P0001\", \"label\": \"Old\", \"content\": \"x\", \"round\": 0, "
        "\"contributors\": [\"muffin\"], \"correction\": {\"by\": [\"judge\", \"muffin\"], \"reason\": \"typo\"}},"
        "{\"id\": \"P0101\", \"label\": \"New\", \"content\": \"y\", \"round\": 1, \"contributors\": [\"muffin\"],"
        "\"references\": [{\"type\": \"support\", \"target\": \"P0001\", \"reason\": \"tight\"}]}],"
        "\"references\": [{\"source\": \"@muffin\", \"round\": 1, \"type\": \"oppose\", \"target\": \"P0001\", "
        "\"reason\": \"loose\"}, {\"source\": \"@muffin\", \"round\": 1, \"type\": \"so\", \"target\": \"P0009\"}]}");
    const cv_json *d = import_all(w);
    assert_true(is_told(d, "not_understood", "text", "P0009"));
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.positions.count, 1);
    assert_str_eq(s.positions.items[0].content, "So [P0001: it] is");
    assert_int_equal(s.references.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_str_eq(s.references.items[i].reason, s.references.items[i].source_id.p[0] == '@' ? "loose" : "tight");
    const cv_rec_entity *row = cv_state_entity(&s, CV_STR("P0001"));
    assert_str_eq(cv_correction_text(&w->a, row), "corrected by judge, muffin: typo");
    assert_str_eq(row->label, "Old");
    assert_true(is_told(d, "decided", "why",
                        "corrected texts: 1; the file does not have the earlier wording, so the history "
                        "has the present one in its place"));
}

/* The two shapes of dialogue.json, as short as they may be, with the comments that documentation has. */
static void dialogue_json_of_the_specification(void **state)
{
    cv_world *w = *state;
    put_file(
        w, "in/oven/dialogue.json",
        "{\"id\": \"oven\", \"title\": \"Oven\", \"date\": \"2026-02-02\", \"status\": \"converged\", "
        "\"totalAlignment\": 20, // a comment\n\"calibration\": {\"calibrated\": true, \"domain\": \"rye\"},\n"
        "\"experts\": [{\"slug\": \"muffin\", \"role\": \"Baker\", \"tier\": \"Core\", \"scores\": {\"0\": 12, \"1\": "
        "8}, \"total\": 20}],\n"
        "\"rounds_data\": [{\"round\": 0, \"score\": 12, \"experts\": {\"muffin\": {\"score\": 12, \"actions\": "
        "[{\"type\": \"tension\", \"action\": \"created\", \"id\": \"T0001\"}, "
        "{\"type\": \"evidence\", \"action\": \"created\", \"id\": \"E0001\"}], \"mapping\": {\"MUFFIN-C0001\": "
        "\"C0001\"}}}},"
        "{\"round\": 1, \"score\": 9, \"experts\": {\"muffin\": {\"score\": 8}}}],\n"
        "\"perspectives\": [{\"id\": \"P0001\", \"label\": \"Old\", \"content\": \"x\", \"status\": \"refined\", "
        "\"origin\": {\"round\": 0, \"contributors\": [\"muffin\"]},"
        "\"events\": [{\"type\": \"created\", \"round\": 0, \"by\": [\"muffin\"]}, {\"type\": \"refined\", \"round\": "
        "1, \"by\": [\"muffin\"], \"result\": \"P0101\"}]},"
        "{\"id\": \"P0101\", \"label\": \"New\", \"content\": \"y\", \"status\": \"open\", \"origin\": {\"round\": 1, "
        "\"contributors\": [\"muffin\"]}}],\n"
        "\"tensions\": [{\"id\": \"T0001\", \"label\": \"Cost\", \"description\": \"z\", \"status\": \"resolved\", "
        "\"origin\": {\"round\": 0, \"contributors\": [\"muffin\"]},"
        "\"events\": [{\"type\": \"resolved\", \"round\": 1, \"by\": [\"judge\"], \"reference\": \"final\"}], "
        "\"relatedPerspectives\": [\"P0001\"]}],\n"
        "\"verdicts\": [{\"id\": \"final\", \"type\": \"final\", \"round\": 1, \"author\": null, \"recommendation\": "
        "\"Buy\", \"description\": \"All of it.\","
        "\"conditions\": [\"soon\"], \"tensionsResolved\": [\"T0001\"], \"vote\": \"1-0\"}]}");
    const cv_json *d = import_all(w);
    assert_str_eq(cv_json_get_text(d, "outcome"), "imported");
    assert_str_eq(status_of(w, "Old", "muffin"), "refined");
    assert_str_eq(status_of(w, "Cost", "muffin"), "resolved");
    cv_state s = cv_world_state(w, "oven");
    assert_int_equal(s.references.count, 2);
    assert_int_equal(s.scores.count, 2);
    assert_str_eq(s.verdicts.items[0].vote, "1-0");
    assert_int_equal(cv_json_get(d, CV_STR("differences"))->count, 1); /* 12 + 9 are not 20 */
    assert_true(is_told(d, "differences", "says", "20"));
    assert_true(is_told(d, "not_understood", "text", "E0001"));
    assert_true(is_told(d, "not_understood", "text", "C0001"));
    assert_false(is_told(d, "not_understood", "text", "T0001"));
    assert_true(is_told(d, "not_understood", "why", "calibration"));
    assert_str_has(s.dialogue.background, "rye");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_found_outside_of_code),
        cmocka_unit_test(numbers_are_read_as_boards_write_them),
        cmocka_unit_test(boards_of_every_shape),
        cmocka_unit_test(trackers_say_what_became_of_tensions),
        cmocka_unit_test(panels_are_known_by_their_columns),
        cmocka_unit_test(dates_of_names_and_metadata),
        cmocka_unit_test(wide_tables_are_no_boards),
        cmocka_unit_test(an_import_that_fails_anywhere_goes_on),
        cmocka_unit_test(a_dry_run_writes_nothing),
        cmocka_unit_test(nobody_who_waits_ends_it),
        cmocka_unit_test(confined_callers_stay_below_the_root),
        cmocka_unit_test(exports_come_back_byte_for_byte),
        cmocka_unit_test(changed_exports_are_refused),
        cmocka_unit_test_setup_teardown(a_report_claims_only_what_is_written, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(rows_mean_whom_they_name, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(trackers_may_be_lists, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(resolved_means_ones_own_latest_open, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(panel_files_decide_who_is_an_expert, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(speakers_in_bold, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(full_names_in_bold, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(the_judges_marks_are_verdicts, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(dialogue_json_with_positions, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(marks_in_a_verdict_file_are_verdicts, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(registered_verdicts_are_not_proposed, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_verdict_without_a_type_is_final, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(files_are_read_like_responses, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test(verdicts_inside_a_verdict),
        cmocka_unit_test(panels_name_those_who_speak),
        cmocka_unit_test_setup_teardown(numbers_in_headings_are_spoken_of, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(headings_say_the_status, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test(rounds_lie_in_many_folders),
        cmocka_unit_test_setup_teardown(trackers_that_say_more, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test(boards_count_in_their_own_way),
        cmocka_unit_test_setup_teardown(guests_speak_for_themselves, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(sections_of_other_verdicts, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(trackers_with_numbered_rows, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(bold_speakers_in_all_forms, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(strangers_in_bold_are_told, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(rows_without_known_keys_are_told, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test(rows_of_several_owners),
        cmocka_unit_test_setup_teardown(scores_that_are_no_numbers_are_told, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(dialogue_json_of_the_specification, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
