/* test_folders.c - generated folders of dialogues: panels, boards and trackers in all forms of tables.
 *
 * Each folder is made from a model of what was said. What the report counts must be what the export of the record has;
 * every figure that was planted wrong must stand among the differences with its file and line, and nothing else may.
 */
#include "world.h"

#include "base/folder.h"

enum { MOST_EXPERTS = 5, MOST_ROUNDS = 3, MOST_TENSIONS = 2 };

static const char *const names[] = {"Muffin", "Scone", "Eclair", "Donut", "Brioche"};
static const char *const roles[] = {"Baker", "Miller", "Buyer", "Cook", "Critic"};
static const char *const name_heads[] = {"Agent",   "Pastry", "Expert",   "Name",      "Member",
                                         "Persona", "Who",    "Panelist", "**Agent**", "Agent Name"};

typedef struct {
    const char *file;
    int line;
    char says[16];
} planted;

typedef struct {
    cv_world *w;
    cv_test_random *r;
    size_t experts, rounds;
    int scores[MOST_EXPERTS][MOST_ROUNDS];
    int tensions[MOST_EXPERTS];              /* raised in round 0 */
    int closed[MOST_EXPERTS][MOST_TENSIONS]; /* the round in which it was resolved; -1: open */
    bool responses;
    planted plants[16];
    size_t plant_count;
    cv_buf text;
    int line;
} folder;

static bool chance(folder *f, size_t n)
{
    return cv_test_below(f->r, n) == 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void begin(folder *f)
{
    cv_buf_clear(&f->text);
    f->line = 0;
}

__attribute__((format(printf, 2, 3))) static void add(folder *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str text = cv_arena_vprintf(&f->w->a, format, args);
    va_end(args);
    cv_buf_add(&f->text, text);
    cv_buf_add_char(&f->text, '\n');
    f->line++;
}

static void end(folder *f, const char *name)
{
    cv_err err = {.arena = &f->w->a};
    const char *path = cv_arena_printf(&f->w->a, "%s/in/2026-02-02T0900Z-oven/%s", f->w->folder, name).p;
    const char *slash = strrchr(path, '/');
    assert_ok(cv_folder_make(cv_arena_printf(&f->w->a, "%.*s", (int)(slash - path), path).p, &err), &err);
    assert_ok(cv_file_write(path, cv_buf_str(&f->text), &err), &err);
}

/* A figure, or a wrong one that must be found: in the line that is written next. */
static int figure(folder *f, const char *file, int right)
{
    if (!chance(f, 12) || f->plant_count >= CV_COUNT(f->plants))
        return right;
    planted *p = &f->plants[f->plant_count++];
    *p = (planted){.file = file, .line = f->line + 1};
    snprintf(p->says, sizeof p->says, "%d", right + 100);
    return right + 100;
}

/* The same for words. */
static const char *words(folder *f, const char *file, const char *right, const char *wrong)
{
    if (!chance(f, 12) || f->plant_count >= CV_COUNT(f->plants))
        return right;
    planted *p = &f->plants[f->plant_count++];
    *p = (planted){.file = file, .line = f->line + 1};
    snprintf(p->says, sizeof p->says, "%s", wrong);
    return wrong;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void write_panels(folder *f)
{
    for (size_t round = 0; round < f->rounds; round++) {
        begin(f);
        add(f, chance(f, 2) ? "[" : "{\"agents\": [");
        bool object = cv_str_starts(cv_buf_str(&f->text), CV_STR("{"));
        for (size_t i = 0; i < f->experts; i++)
            add(f, "{\"name\": \"%s\", \"role\": \"%s\", \"tier\": \"Core\"}%s", names[i], roles[i],
                i + 1 < f->experts ? "," : "");
        add(f, object ? "]}" : "]");
        end(f, cv_arena_printf(&f->w->a, "round-%zu/panel.json", round).p);
        if (chance(f, 2)) {
            begin(f);
            add(f, "What everybody should know, [TENSION T01: not one].");
            end(f, cv_arena_printf(&f->w->a, "round-%zu/context-brief.md", round).p);
        }
    }
}

/* A mark as it should be, or as people write it. */
static const char *mark(folder *f, const char *inside)
{
    cv_str lower = cv_arena_lower(&f->w->a, cv_str_of(inside));
    switch (cv_test_below(f->r, 5)) {
    case 0:
        return cv_arena_printf(&f->w->a, "**%s**", inside).p;
    case 1:
        return cv_arena_printf(&f->w->a, "> [%s]", inside).p;
    case 2:
        return cv_arena_printf(&f->w->a, "[%.3s%s]", lower.p, inside + 3).p;
    default:
        return cv_arena_printf(&f->w->a, "[%s]", inside).p;
    }
}

static void write_responses(folder *f)
{
    for (size_t i = 0; i < f->experts; i++)
        for (size_t round = 0; f->responses && round < f->rounds; round++) {
            begin(f);
            if (chance(f, 3))
                add(f, "# Round %zu: %s (%s)\n", round, names[i], roles[i]);
            for (int t = 0; round == 0 && t < f->tensions[i]; t++)
                add(f, "%s\nIt may burn.\n",
                    mark(f, cv_arena_printf(&f->w->a, "TENSION T%02d: Worry %zu.%d", t + 1, i, t).p));
            if (round > 0)
                add(f, "%s\nSo it is.\n",
                    mark(f, cv_arena_printf(&f->w->a, "PERSPECTIVE P%02zu: View %zu.%zu", round, i, round).p));
            for (int t = 0; t < f->tensions[i]; t++)
                if (f->closed[i][t] == (int)round)
                    add(f, "[RESOLVED T%02d: settled]\n", t + 1);
            add(f, "That is what %s says.", names[i]);
            cv_str lower = cv_arena_lower(&f->w->a, cv_str_of(names[i]));
            end(f, cv_arena_printf(&f->w->a, "round-%zu/%.*s.md", round, CV_FMT(lower)).p);
        }
}

static int sum_of_round(const folder *f, size_t round)
{
    int sum = 0;
    for (size_t i = 0; i < f->experts; i++)
        sum += f->scores[i][round];
    return sum;
}

static int sum_of_expert(const folder *f, size_t i)
{
    int sum = 0;
    for (size_t round = 0; round < f->rounds; round++)
        sum += f->scores[i][round];
    return sum;
}

static int sum_of_all(const folder *f)
{
    int sum = 0;
    for (size_t round = 0; round < f->rounds; round++)
        sum += sum_of_round(f, round);
    return sum;
}

static int all_tensions(const folder *f)
{
    int sum = 0;
    for (size_t i = 0; i < f->experts; i++)
        sum += f->tensions[i];
    return sum;
}

/* | Who | Role | R0 | R1 | … | Total |, with a bonus of the last round in a column of its own. */
static void write_by_round(folder *f, bool bonus, bool role)
{
    const char *file = "scoreboard.md";
    cv_str head = cv_arena_printf(&f->w->a, "| %s |%s", name_heads[cv_test_below(f->r, CV_COUNT(name_heads))],
                                  role ? " Role |" : "");
    for (size_t round = 0; round < f->rounds; round++)
        head = cv_arena_printf(&f->w->a, "%.*s %s%zu |", CV_FMT(head), round % 2 ? "R" : "Round ", round);
    add(f, "%.*s%s Total |", CV_FMT(head), bonus ? cv_arena_printf(&f->w->a, " R%zu Bonus |", f->rounds - 1).p : "");
    add(f, "|---|");
    for (size_t i = 0; i < f->experts; i++) {
        cv_str row = cv_arena_printf(&f->w->a, "| %s%s |%s%s%s", chance(f, 2) ? "🧁 " : "", names[i], role ? " " : "",
                                     role ? words(f, file, roles[i], "Plumber") : "", role ? " |" : "");
        for (size_t round = 0; round < f->rounds; round++)
            row = cv_arena_printf(&f->w->a, "%.*s %d |", CV_FMT(row),
                                  f->scores[i][round] - (bonus && round + 1 == f->rounds ? 2 : 0));
        add(f, "%.*s%s **%d** |", CV_FMT(row), bonus ? " 2 |" : "", figure(f, file, sum_of_expert(f, i)));
    }
    if (chance(f, 2)) {
        cv_str row = cv_arena_printf(&f->w->a, "| **Total** |%s", role ? " |" : "");
        for (size_t round = 0; round < f->rounds; round++)
            row = cv_arena_printf(&f->w->a, "%.*s |", CV_FMT(row));
        add(f, "%.*s%s %d |", CV_FMT(row), bonus ? " |" : "", figure(f, file, sum_of_all(f)));
    }
}

/* | Name | Round | Score | */
static void write_rows(folder *f)
{
    add(f, "| Round | %s | Score |", name_heads[cv_test_below(f->r, CV_COUNT(name_heads))]);
    add(f, "|---|---|---|");
    for (size_t i = 0; i < f->experts; i++)
        for (size_t round = 0; round < f->rounds; round++)
            add(f, "| %zu | %s | %d |", round, names[i], f->scores[i][round]);
}

/* | Round | Muffin | Scone | Round total | */
static void write_columns(folder *f)
{
    cv_str head = CV_STR("| Round |");
    for (size_t i = 0; i < f->experts; i++)
        head = cv_arena_printf(&f->w->a, "%.*s %s |", CV_FMT(head), names[i]);
    add(f, "%.*s Round total |", CV_FMT(head));
    add(f, "|---|");
    for (size_t round = 0; round < f->rounds; round++) {
        cv_str row = cv_arena_printf(&f->w->a, "| %s%zu |", round % 2 ? "R" : "", round);
        for (size_t i = 0; i < f->experts; i++)
            row = cv_arena_printf(&f->w->a, "%.*s %d |", CV_FMT(row), f->scores[i][round]);
        add(f, "%.*s %d |", CV_FMT(row), sum_of_round(f, round));
    }
}

/* **Muffin** R0: 3 → R1: 4 */
static void write_lines(folder *f)
{
    for (size_t i = 0; i < f->experts; i++) {
        cv_str line = cv_arena_printf(&f->w->a, "**%s** ", names[i]);
        for (size_t round = 0; round < f->rounds; round++)
            line = cv_arena_printf(&f->w->a, "%.*s%sR%zu: %d", CV_FMT(line), round ? " → " : "", round,
                                   f->scores[i][round]);
        add(f, "%.*s", CV_FMT(line));
    }
    for (size_t round = 0; round < f->rounds; round++)
        add(f, "- Round %zu: %d points", round, figure(f, "scoreboard.md", sum_of_round(f, round)));
    add(f, "- Final: %d/1000", figure(f, "scoreboard.md", sum_of_all(f)));
}

/* | Name | R0: 3 → R1: 4 | */
static void write_arrows(folder *f)
{
    add(f, "| %s | Score |", name_heads[cv_test_below(f->r, CV_COUNT(name_heads))]);
    add(f, "|---|---|");
    for (size_t i = 0; i < f->experts; i++) {
        cv_str cell = CV_STR("");
        for (size_t round = 0; round < f->rounds; round++)
            cell = cv_arena_printf(&f->w->a, "%.*s%sR%zu: %d", CV_FMT(cell), round ? " → " : "", round,
                                   f->scores[i][round]);
        add(f, "| %s | %.*s |", names[i], CV_FMT(cell));
    }
}

static int open_after(const folder *f, size_t round)
{
    int open = 0;
    for (size_t i = 0; i < f->experts; i++)
        for (int t = 0; f->responses && t < f->tensions[i]; t++)
            open += f->closed[i][t] < 0 || f->closed[i][t] > (int)round;
    return open;
}

static void write_board(folder *f)
{
    int so_far = 0;
    begin(f);
    add(f, "# Scoreboard");
    if (chance(f, 2))
        add(f, "**Rounds**: %d", figure(f, "scoreboard.md", (int)f->rounds));
    if (chance(f, 2))
        add(f, "- Total ALIGNMENT: %d", figure(f, "scoreboard.md", sum_of_all(f)));
    add(f, "%s", "");
    switch (cv_test_below(f->r, 6)) {
    case 4:
        write_columns(f);
        break;
    case 5:
        if (f->rounds > 1)
            write_lines(f);
        else
            write_rows(f);
        break;
    case 0:
        write_rows(f);
        break;
    case 1:
        write_arrows(f);
        break;
    default:
        write_by_round(f, chance(f, 3), chance(f, 2));
    }
    add(f, "%s", "");
    if (chance(f, 2)) {
        add(f, "| Round | Score | Cumulative | Open Tensions |");
        add(f, "|---|---|---|---|");
        for (size_t round = 0; round < f->rounds; round++) {
            so_far += sum_of_round(f, round);
            add(f, "| R%zu | %d | %d | %d |", round, sum_of_round(f, round), figure(f, "scoreboard.md", so_far),
                figure(f, "scoreboard.md", open_after(f, round)));
        }
    }
    add(f, "%s", "");
    if (chance(f, 3)) {
        f->plants[f->plant_count++] = (planted){.file = "scoreboard.md", .line = f->line + 1, .says = "?"};
        add(f, "| Flavour | Crumb |");
        add(f, "|---|---|");
        add(f, "| sour | fine |");
    }
    end(f, "scoreboard.md");
}

static void write_tracker(folder *f)
{
    static const char *const label_heads[] = {"Tension", "Description", "Issue"}, *const by_heads[] = {"Raised by",
                                                                                                       "Agent", "Owner",
                                                                                                       "Expert"};
    int number = 0, shift = (int)cv_test_below(f->r, 3);
    if (!f->responses)
        return;
    begin(f);
    add(f, "| ID | %s | %s | Round | Status |", label_heads[cv_test_below(f->r, 3)], by_heads[cv_test_below(f->r, 4)]);
    add(f, "|---|---|---|---|---|");
    for (size_t i = 0; i < f->experts; i++)
        for (int t = 0; t < f->tensions[i]; t++) {
            bool wrong_words = chance(f, 3); /* the same wording for all, but agent and round say whose it is */
            cv_str label = wrong_words && f->tensions[i] == 1 ? CV_STR("A worry")
                                                              : cv_arena_printf(&f->w->a, "Worry %zu.%d", i, t);
            number = shift == 0 ? t + 1 : number + 1;
            add(f, "| T%02d | %.*s | %s | R0 | %s |", number, CV_FMT(label), names[i],
                f->closed[i][t] < 0    ? "Open"
                : f->closed[i][t] == 0 ? "Resolved R0"
                                       : "✅ Resolved");
        }
    end(f, "tensions.md");
    if (chance(f, 2)) {
        begin(f);
        add(f, "**Tensions**: %d", figure(f, "round-0.summary.md", all_tensions(f)));
        add(f, "## Open Tensions (%d)", figure(f, "round-0.summary.md", open_after(f, 0)));
        add(f, "So %d of %d tensions are open.", figure(f, "round-0.summary.md", open_after(f, 0)), all_tensions(f));
        add(f, "Alignment this round: %d", figure(f, "round-0.summary.md", sum_of_round(f, 0)));
        end(f, "round-0.summary.md");
    }
}

/* Another file that knows the tensions: the folder's tracker counts, and what this one says otherwise is reported. */
static void write_notes(folder *f)
{
    if (!f->responses)
        return;
    begin(f);
    add(f, "| Tension | Owner | State |");
    add(f, "|---|---|---|");
    for (size_t i = 0; i < f->experts; i++)
        for (int t = 0; t < f->tensions[i]; t++)
            add(f, "| Worry %zu.%d | %s (R0) | %s |", i, t, names[i],
                words(f, "notes.md", f->closed[i][t] < 0 ? "open" : "resolved", "accepted"));
    end(f, "notes.md");
}

static void make(folder *f)
{
    f->experts = 1 + cv_test_below(f->r, MOST_EXPERTS);
    f->rounds = 1 + cv_test_below(f->r, MOST_ROUNDS);
    f->responses = !chance(f, 4);
    for (size_t i = 0; i < f->experts; i++) {
        for (size_t round = 0; round < f->rounds; round++)
            f->scores[i][round] = 3 + (int)cv_test_below(f->r, 20);
        f->tensions[i] = (int)cv_test_below(f->r, MOST_TENSIONS + 1);
        for (int t = 0; t < f->tensions[i]; t++)
            f->closed[i][t] = f->rounds > 1 && chance(f, 2) ? 1 + (int)cv_test_below(f->r, f->rounds - 1) : -1;
    }
    write_panels(f);
    write_responses(f);
    write_board(f);
    write_tracker(f);
    if (chance(f, 2))
        write_notes(f);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static const cv_json *list(const cv_json *object, const char *key)
{
    const cv_json *found = cv_json_get(object, cv_str_of(key));
    assert_true(found && found->type == CV_JSON_ARRAY);
    return found;
}

static bool stands_in(const planted *p, const cv_json *entries, const char *says)
{
    for (uint32_t i = 0; i < entries->count; i++) {
        const cv_json *e = &entries->items[i];
        if (cv_str_ends(cv_json_get_text(e, "file"), cv_str_of(p->file)) && cv_json_get_int(e, "line", 0) == p->line &&
            (!says || cv_str_eq(cv_json_get_text(e, "says"), cv_str_of(says))))
            return true;
    }
    return false;
}

static void check_count(const cv_json *report, const char *key, size_t count)
{
    if (cv_json_get_int(report, key, -1) != (int64_t)count)
        print_error("%s\n", key);
    assert_int_equal(cv_json_get_int(report, key, -1), count);
}

static void check_counts(folder *f, const cv_json *d)
{
    cv_state s = cv_world_state(f->w, "oven");
    size_t tensions = 0;
    for (size_t i = 0; i < s.entities.count; i++)
        tensions += s.entities.items[i].kind.p[0] == 'T';
    check_count(d, "rounds", s.rounds.count);
    check_count(d, "agents", s.experts.count);
    check_count(d, "responses", s.responses.count);
    check_count(d, "scores", s.scores.count);
    check_count(d, "tensions", tensions);
    check_count(d, "references", s.references.count);
    check_count(d, "moves", s.moves.count);
    check_count(d, "verdicts", s.verdicts.count);
    /* … and the record has what was written. */
    assert_int_equal(s.rounds.count, f->rounds);
    assert_int_equal(s.experts.count, f->experts);
    assert_int_equal(s.scores.count, f->experts * f->rounds);
    size_t written = 0;
    for (size_t i = 0; i < f->experts; i++)
        written += f->responses ? (size_t)f->tensions[i] : 0;
    assert_int_equal(tensions, written);
    for (size_t i = 0; i < s.scores.count; i++)
        for (size_t k = 0; k < f->experts; k++)
            if (cv_str_eq_nocase(s.scores.items[i].expert_slug, cv_str_of(names[k])))
                assert_int_equal(s.scores.items[i].score, f->scores[k][s.scores.items[i].round]);
    for (size_t i = 0; i < s.experts.count; i++)
        for (size_t k = 0; k < f->experts; k++)
            if (cv_str_eq_nocase(s.experts.items[i].expert_slug, cv_str_of(names[k])))
                assert_view_eq(s.experts.items[i].role, cv_str_of(roles[k]));
}

static void check(uint64_t seed)
{
    cv_test_random r = {seed};
    cv_world w;
    cv_json report;
    cv_world_open(&w);
    folder f = {.w = &w, .r = &r};
    make(&f);
    cv_err err = {.arena = &w.a};
    cv_call call = cv_world_begin(&w);
    cv_json *input = CV_NEW(&w.turn, cv_json);
    call.input_text = cv_arena_printf(&w.turn, "{\"path\": \"%s/in\"}", w.folder);
    assert_ok(cv_json_parse(&w.turn, call.input_text, input, &err), &err);
    call.input = input;
    assert_true(cv_op_call(cv_op_find(CV_STR(""), CV_STR("import")), &call));
    cv_str text = cv_arena_copy(&w.a, cv_buf_str(&w.out));
    assert_ok(cv_json_parse(&w.a, text, &report, &err), &err);
    const cv_json *d = &list(&report, "dialogues")->items[0];
    size_t expected = 0;
    for (size_t i = 0; i < f.plant_count; i++) {
        bool table = f.plants[i].says[0] == '?';
        expected += !table;
        if (!stands_in(&f.plants[i], list(d, table ? "not_understood" : "differences"),
                       table ? NULL : f.plants[i].says)) {
            print_error("seed %llu: %s:%d says %s\n%.*s\n", (unsigned long long)seed, f.plants[i].file,
                        f.plants[i].line, f.plants[i].says, CV_FMT(text));
            fail();
        }
    }
    if (list(d, "differences")->count != expected)
        print_error("seed %llu\n%.*s\n", (unsigned long long)seed, CV_FMT(text));
    assert_int_equal(list(d, "differences")->count, expected);
    check_counts(&f, d);
    cv_buf_release(&f.text);
    cv_world_close(&w);
}

static void reports_are_true_and_complete(void **state)
{
    uint64_t seed = cv_test_seed();
    (void)state;
    for (uint64_t i = 0; i < (cv_test_soak() ? 3000 : 40); i++)
        check(seed * 1000 + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_true_and_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
