/* test_falsified.c - files that agree with each other, and then one stated fact at a time that does not.
 *
 * A folder and an assembled document tell the same generated dialogue; the document states everything once more:
 * totals, scores, counts, statuses, roles, the decision. As it is, an import has no differences. With one fact changed
 * it has exactly that one, with its line and both figures.
 */
#include "world.h"

#include "base/folder.h"

enum { MOST_EXPERTS = 4, MOST_ROUNDS = 3 };

static const char *const names[] = {"Muffin", "Scone", "Eclair", "Donut"};
static const char *const roles[] = {"Baker", "Miller", "Buyer", "Cook"};
static const char *const tiers[] = {"Core", "Adjacent", "Wildcard", "Core"};

typedef struct {
    cv_world *w;
    cv_test_random r;
    size_t experts, rounds;
    int parts[MOST_EXPERTS][MOST_ROUNDS][4];
    int closed[MOST_EXPERTS]; /* each raises one tension in round 0: the round in which it was resolved; -1: open */
    int site, falsified;      /* which of the stated facts is being written, and which one is changed */
    cv_str file, what;        /* where the changed one stands, and what it says */
    int line;
    cv_str name; /* of the file that is being written */
    cv_buf text;
    int lines;
} telling;

static bool chance(telling *t, size_t n)
{
    return cv_test_below(&t->r, n) == 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void begin(telling *t, const char *name)
{
    cv_buf_clear(&t->text);
    t->lines = 0;
    t->name = cv_str_of(name);
}

__attribute__((format(printf, 2, 3))) static void add(telling *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str text = cv_arena_vprintf(&t->w->a, format, args);
    va_end(args);
    cv_buf_add(&t->text, text);
    cv_buf_add_char(&t->text, '\n');
    for (size_t i = 0; i <= text.n; i++)
        t->lines += i == text.n || text.p[i] == '\n';
}

static void end(telling *t)
{
    cv_err err = {.arena = &t->w->a};
    const char *path = cv_arena_printf(&t->w->a, "%s/in/%.*s", t->w->folder, CV_FMT(t->name)).p;
    const char *slash = strrchr(path, '/');
    assert_ok(cv_folder_make(cv_arena_printf(&t->w->a, "%.*s", (int)(slash - path), path).p, &err), &err);
    assert_ok(cv_file_write(path, cv_buf_str(&t->text), &err), &err);
}

/* A fact of the line that is written next: as it is, or the wrong one. `told`: how the report says that. */
static const char *fact(telling *t, const char *right, const char *wrong, const char *told)
{
    if (t->site++ != t->falsified)
        return right;
    t->file = t->name;
    t->line = t->lines + 1;
    t->what = cv_arena_copy(&t->w->a, cv_str_of(told));
    return wrong;
}

static const char *number(telling *t, int right)
{
    const char *wrong = cv_arena_printf(&t->w->a, "%d", right + 100).p;
    return fact(t, cv_arena_printf(&t->w->a, "%d", right).p, wrong, wrong);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static int score(const telling *t, size_t i, size_t round)
{
    const int *p = t->parts[i][round];
    return p[0] + p[1] + p[2] + p[3];
}

static int round_score(const telling *t, size_t round)
{
    int sum = 0;
    for (size_t i = 0; i < t->experts; i++)
        sum += score(t, i, round);
    return sum;
}

static int expert_score(const telling *t, size_t i)
{
    int sum = 0;
    for (size_t round = 0; round < t->rounds; round++)
        sum += score(t, i, round);
    return sum;
}

static int so_far(const telling *t, size_t round)
{
    int sum = 0;
    for (size_t r = 0; r <= round; r++)
        sum += round_score(t, r);
    return sum;
}

static int open_after(const telling *t, size_t round)
{
    int open = 0;
    for (size_t i = 0; i < t->experts; i++)
        open += t->closed[i] < 0 || t->closed[i] > (int)round;
    return open;
}

static int fresh(const telling *t, size_t round)
{
    return round ? (int)t->experts : 0;
}

/* ---- the folder: what counts ------------------------------------------------------------------------------------- */

static void write_folder(telling *t)
{
    for (size_t round = 0; round < t->rounds; round++) {
        begin(t, cv_arena_printf(&t->w->a, "2026-02-02T0900Z-oven/round-%zu/panel.json", round).p);
        add(t, "[");
        for (size_t i = 0; i < t->experts; i++)
            add(t, "{\"name\": \"%s\", \"role\": \"%s\", \"tier\": \"%s\"}%s", names[i], roles[i], tiers[i],
                i + 1 < t->experts ? "," : "");
        add(t, "]");
        end(t);
        for (size_t i = 0; i < t->experts; i++) {
            cv_str lower = cv_arena_lower(&t->w->a, cv_str_of(names[i]));
            begin(t, cv_arena_printf(&t->w->a, "2026-02-02T0900Z-oven/round-%zu/%.*s.md", round, CV_FMT(lower)).p);
            if (round == 0)
                add(t, "[TENSION T01: Worry of %s]\nIt may burn.\n", names[i]);
            else
                add(t, "[PERSPECTIVE P01: View %zu of %s]\nSo it is.\n", round, names[i]);
            if (t->closed[i] == (int)round)
                add(t, "[RESOLVED T01: settled]");
            if (round + 1 == t->rounds)
                add(t, "[MOVE:CONVERGE]");
            end(t);
        }
    }
    begin(t, "2026-02-02T0900Z-oven/scoreboard.md");
    for (size_t round = 0; round < t->rounds; round++) {
        add(t, "## Round %zu", round);
        add(t, "| Round | Agent | W | C | T | R | Total |\n|---|---|---|---|---|---|---|");
        for (size_t i = 0; i < t->experts; i++)
            add(t, "| %zu | %s | %d | %d | %d | %d | %d |", round, names[i], t->parts[i][round][0],
                t->parts[i][round][1], t->parts[i][round][2], t->parts[i][round][3], score(t, i, round));
        add(t, "%s", "");
    }
    add(t, "| Round | Score |\n|---|---|");
    for (size_t round = 0; round < t->rounds; round++)
        add(t, "| %zu | %d |", round, round_score(t, round));
    end(t);
    begin(t, "2026-02-02T0900Z-oven/tensions.md");
    add(t, "| ID | Tension | Raised by | Round | Status |\n|---|---|---|---|---|");
    for (size_t i = 0; i < t->experts; i++)
        add(t, "| T%02zu | Worry of %s | %s | R0 | %s |", i + 1, names[i], names[i],
            t->closed[i] < 0 ? "Open" : "Resolved");
    end(t);
    begin(t, "2026-02-02T0900Z-oven/verdict.md");
    add(t, "# Verdict\n\n**Decision**: Buy the large oven.\n**Vote**: 3-1\n**Confidence**: strong\n\nIt is cheaper.");
    end(t);
}

/* ---- the document: the same once more ---------------------------------------------------------------------------- */

static void write_head(telling *t)
{
    add(t, "# Oven\n");
    add(t, "**Status**: Converged");
    cv_str list = CV_STR("");
    for (size_t i = 0; i < t->experts; i++)
        list = cv_arena_printf(&t->w->a, "%.*s%s🧁 %s", CV_FMT(list), i ? ", " : "", names[i]);
    add(t, "**Participants**: %.*s%s", CV_FMT(list), fact(t, "", ", 🧁 Walter", "Walter"));
    add(t, "**%s**: %s", chance(t, 2) ? "Rounds" : "Total Rounds", number(t, (int)t->rounds));
    add(t, "**%s**: %s%s", chance(t, 2) ? "Total ALIGNMENT" : "Final Score", number(t, so_far(t, t->rounds - 1)),
        chance(t, 3) ? " points" : "");
    add(t, "**%s**: %s", chance(t, 2) ? "Experts" : "Panel size", number(t, (int)t->experts));
    add(t, "**Tensions**: %s (%s open)", number(t, (int)t->experts), number(t, open_after(t, t->rounds - 1)));
    add(t, "%s", "");
}

static void write_panel(telling *t)
{
    static const char *const heads[] = {"Agent", "Pastry", "Expert", "Member", "Persona", "Who"};
    add(t, "## Expert Panel\n");
    add(t, "| %s | Role | Tier |\n|---|---|---|", heads[cv_test_below(&t->r, CV_COUNT(heads))]);
    for (size_t i = 0; i < t->experts; i++)
        add(t, "| %s%s | %s | %s |", chance(t, 2) ? "🧁 " : "", names[i], fact(t, roles[i], "Plumber", "Plumber"),
            fact(t, tiers[i], i == 1 ? "Core" : "Adjacent", i == 1 ? "Core" : "Adjacent"));
    const char *guest = fact(t, "", "| Zorro | Guest | Core |", "Zorro");
    if (*guest)
        add(t, "%s", guest);
    add(t, "%s", "");
}

/* | Agent | R0 | R1 | Total | */
static void write_by_agent(telling *t)
{
    cv_str head = CV_STR("| Agent |");
    for (size_t round = 0; round < t->rounds; round++)
        head = cv_arena_printf(&t->w->a, "%.*s R%zu |", CV_FMT(head), round);
    add(t, "%.*s Total |\n|---|", CV_FMT(head));
    for (size_t i = 0; i < t->experts; i++) {
        cv_str row = cv_arena_printf(&t->w->a, "| %s |", names[i]);
        for (size_t round = 0; round < t->rounds; round++)
            row = cv_arena_printf(&t->w->a, "%.*s %s |", CV_FMT(row), number(t, score(t, i, round)));
        add(t, "%.*s **%s** |", CV_FMT(row), number(t, expert_score(t, i)));
    }
    cv_str row = CV_STR("| **Total** |");
    for (size_t round = 0; round < t->rounds; round++)
        row = cv_arena_printf(&t->w->a, "%.*s %s |", CV_FMT(row), number(t, round_score(t, round)));
    add(t, "%.*s %s |", CV_FMT(row), number(t, so_far(t, t->rounds - 1)));
}

/* | Round | W | C | T | R | Score | Σ | Open T | New P | Velocity | Converge % | */
static void write_by_round(telling *t)
{
    add(t, "| Round | W | C | T | R | Score | %s | Open T | New P | Velocity | Converge %% |\n|---|",
        chance(t, 2) ? "Σ" : "Cumulative");
    for (size_t round = 0; round < t->rounds; round++) {
        int sums[4] = {0};
        for (size_t i = 0; i < t->experts; i++)
            for (size_t k = 0; k < 4; k++)
                sums[k] += t->parts[i][round][k];
        add(t, "| R%zu | %d | %d | %d | %d | %s | %s | %s | %s | %s | %s%% |", round, sums[0], sums[1], sums[2],
            sums[3], number(t, round_score(t, round)), number(t, so_far(t, round)), number(t, open_after(t, round)),
            number(t, fresh(t, round)), number(t, open_after(t, round) + fresh(t, round)),
            number(t, round + 1 == t->rounds ? 100 : 0));
    }
}

/* | Round | Muffin | Scone | Round total | */
static void write_columns(telling *t)
{
    cv_str head = CV_STR("| Round |");
    for (size_t i = 0; i < t->experts; i++)
        head = cv_arena_printf(&t->w->a, "%.*s %s |", CV_FMT(head), names[i]);
    add(t, "%.*s Round total |\n|---|", CV_FMT(head));
    for (size_t round = 0; round < t->rounds; round++) {
        cv_str row = cv_arena_printf(&t->w->a, "| %zu |", round);
        for (size_t i = 0; i < t->experts; i++)
            row = cv_arena_printf(&t->w->a, "%.*s %s |", CV_FMT(row), number(t, score(t, i, round)));
        add(t, "%.*s %s |", CV_FMT(row), number(t, round_score(t, round)));
    }
}

/* | Agent | Role | W | C | T | R | Total | of one round */
static void write_parts(telling *t)
{
    for (size_t round = 0; round < t->rounds; round++) {
        add(t, "| Round | Agent | W | C | T | R | Total |\n|---|");
        for (size_t i = 0; i < t->experts; i++) {
            cv_str row = cv_arena_printf(&t->w->a, "| %zu | %s |", round, names[i]);
            for (size_t k = 0; k < 4; k++)
                row = cv_arena_printf(&t->w->a, "%.*s %s |", CV_FMT(row), number(t, t->parts[i][round][k]));
            add(t, "%.*s %s |", CV_FMT(row), number(t, score(t, i, round)));
        }
        add(t, "%s", "");
    }
}

/* | Agent | R0: 3 → R1: 4 |, or lines */
static void write_arrows(telling *t, bool table)
{
    if (table)
        add(t, "| Agent | Score |\n|---|---|");
    for (size_t i = 0; i < t->experts; i++) {
        cv_str cell = CV_STR("");
        for (size_t round = 0; round < t->rounds; round++)
            cell = cv_arena_printf(&t->w->a, "%.*s%sR%zu: %s", CV_FMT(cell), round ? " → " : "", round,
                                   number(t, score(t, i, round)));
        if (table)
            add(t, "| %s | %.*s |", names[i], CV_FMT(cell));
        else
            add(t, "**%s** %.*s", names[i], CV_FMT(cell));
    }
}

static void write_boards(telling *t)
{
    add(t, "## Alignment Scoreboard\n");
    switch (cv_test_below(&t->r, 6)) {
    case 0:
        write_by_agent(t);
        break;
    case 1:
        write_by_round(t);
        break;
    case 2:
        write_columns(t);
        break;
    case 3:
        write_parts(t);
        break;
    default:
        write_arrows(t, chance(t, 2));
    }
    add(t, "%s", "");
}

/* What a tracker says of a tension, and what it does not. */
static const char *status(telling *t, size_t i, const char *open, const char *resolved)
{
    return t->closed[i] < 0 ? fact(t, open, resolved, "resolved") : fact(t, resolved, open, "open");
}

static void write_tracker(telling *t)
{
    size_t form = cv_test_below(&t->r, 5);
    static const char *const resolved[] = {"Resolved", "**RESOLVED**", "✅ Resolved", "closed"};
    add(t, "## Tensions Tracker\n");
    if (form == 0)
        add(t, "| ID | Tension | Raised by | Round | Status |\n|---|---|---|---|---|");
    else if (form == 1)
        add(t, "| Tension | Owner | State |\n|---|---|---|");
    else if (form == 2)
        add(t, "| # | Description | Agent | Since | Status | Resolution |\n|---|---|---|---|---|---|");
    for (size_t i = 0; i < t->experts; i++) {
        const char *word = form < 3 ? resolved[cv_test_below(&t->r, CV_COUNT(resolved))] : "Resolved";
        if (form == 0)
            add(t, "| T%02zu | Worry of %s | %s | R0 | %s |", i + 1, names[i], names[i], status(t, i, "Open", word));
        else if (form == 1)
            add(t, "| Worry of %s | %s (R0) | %s |", names[i], names[i], status(t, i, "open", word));
        else if (form == 2)
            add(t, "| %zu | Worry of %s | %s | 0 | %s | — |", i + 1, names[i], names[i], status(t, i, "Open", word));
        else if (form == 3)
            add(t, "- **T%02zu** Worry of %s (%s, R0) — %s", i + 1, names[i], names[i],
                status(t, i, "OPEN", "RESOLVED"));
        else
            add(t, "### T%02zu: Worry of %s\n**Raised by**: %s (R0)\n**Status**: %s\n", i + 1, names[i], names[i],
                status(t, i, "Open", word));
    }
    add(t, "%s", "");
}

static void write_rounds(telling *t)
{
    for (size_t round = 0; round < t->rounds; round++) {
        add(t, "## Round %zu: Talk\n", round);
        for (size_t i = 0; i < t->experts; i++)
            add(t, "### %s 🧁\n\nAs in the folder.\n", names[i]);
        add(t, "## 💙 Judge: Round %zu Assessment\n", round);
        add(t, "Round score: %s", number(t, round_score(t, round)));
        add(t, "Open tensions: %s of %s", number(t, open_after(t, round)), number(t, (int)t->experts));
        add(t, "%s", "");
    }
}

static void write_document(telling *t)
{
    begin(t, "2026-02-02T0900Z-oven.dialogue.md");
    write_head(t);
    write_panel(t);
    write_boards(t);
    write_rounds(t);
    write_tracker(t);
    add(t, "## Final Verdict\n");
    add(t, "**Decision**: %s", fact(t, "Buy the large oven.", "Buy the small oven.", "Buy the small oven."));
    add(t, "**Vote**: %s", fact(t, "3-1", "2-2", "2-2"));
    add(t, "**Confidence**: %s", fact(t, "strong", "split", "split"));
    add(t, "**Rounds**: %s", number(t, (int)t->rounds));
    add(t, "%s", "");
    end(t);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static void make(telling *t)
{
    t->experts = 2 + cv_test_below(&t->r, MOST_EXPERTS - 1);
    t->rounds = 2 + cv_test_below(&t->r, MOST_ROUNDS - 1);
    for (size_t i = 0; i < t->experts; i++) {
        for (size_t round = 0; round < t->rounds; round++)
            for (size_t k = 0; k < 4; k++)
                t->parts[i][round][k] = 1 + (int)cv_test_below(&t->r, 6);
        t->closed[i] = chance(t, 2) ? 1 + (int)cv_test_below(&t->r, t->rounds - 1) : -1;
    }
    write_folder(t);
    write_document(t);
}

static cv_str import_all(cv_world *w)
{
    cv_err err = {.arena = &w->a};
    cv_call call = cv_world_begin(w);
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.input_text = cv_arena_printf(&w->turn, "{\"path\": \"%s/in\"}", w->folder);
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    assert_true(cv_op_call(cv_op_find(CV_STR(""), CV_STR("import")), &call));
    return cv_arena_copy(&w->a, cv_buf_str(&w->out));
}

static bool is_it(const telling *t, const cv_json *d)
{
    return cv_str_ends(cv_json_get_text(d, "file"), t->file) && cv_json_get_int(d, "line", 0) == t->line &&
           cv_str_eq(cv_json_get_text(d, "says"), t->what);
}

static void tell(const char *how, const cv_json *d)
{
    print_error("  %s: line %lld, %.*s: says %.*s, derives %.*s; %.*s %.*s\n", how,
                (long long)cv_json_get_int(d, "line", 0), CV_FMT(cv_json_get_text(d, "what")),
                CV_FMT(cv_json_get_text(d, "says")), CV_FMT(cv_json_get_text(d, "derives")),
                CV_FMT(cv_json_get_text(d, "text")), CV_FMT(cv_json_get_text(d, "why")));
}

/* How many facts the files state; the falsified one must be reported, and nothing else. */
static int check(uint64_t seed, int falsified, size_t *failed)
{
    cv_world w;
    cv_json report;
    cv_world_open(&w);
    cv_err err = {.arena = &w.a};
    telling t = {.w = &w, .r = {seed}, .falsified = falsified};
    make(&t);
    cv_str text = import_all(&w);
    assert_ok(cv_json_parse(&w.a, text, &report, &err), &err);
    const cv_json *dialogues = cv_json_get(&report, CV_STR("dialogues"));
    assert_int_equal(dialogues->count, 1);
    const cv_json *differences = cv_json_get(&dialogues->items[0], CV_STR("differences"));
    const cv_json *unclear = cv_json_get(&dialogues->items[0], CV_STR("not_understood"));
    bool told = falsified < 0 ? differences->count == 0 && unclear->count == 0
                              : differences->count == 1 && is_it(&t, &differences->items[0]);
    if (!told) {
        ++*failed;
        print_error("seed %llu, fact %d: %.*s:%d says %.*s\n", (unsigned long long)seed, falsified, CV_FMT(t.file),
                    t.line, CV_FMT(t.what));
        for (uint32_t i = 0; i < differences->count; i++)
            tell("told", &differences->items[i]);
        for (uint32_t i = 0; i < unclear->count; i++)
            tell("unclear", &unclear->items[i]);
    }
    cv_buf_release(&t.text);
    cv_world_close(&w);
    return t.site;
}

static void every_changed_fact_is_told(void **state)
{
    uint64_t seed = cv_test_seed();
    size_t failed = 0;
    (void)state;
    for (uint64_t i = 0; i < (cv_test_soak() ? 300 : 3); i++) {
        int facts = check(seed * 1000 + i, -1, &failed);
        assert_true(facts > 20);
        for (int fact = 0; fact < facts; fact++)
            check(seed * 1000 + i, fact, &failed);
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_changed_fact_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
