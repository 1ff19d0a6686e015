/* test_openers.c - every reader of outside bytes is attacked with every opener there is: the steps grow with the size.
 *
 *     start  (guard opener closer) × n, on one line or many  end
 *
 * One text is the sum of a choice for each part: what is before all, what is before each opener, the opener,
 * how it is closed (not, once, twice, by another closer), what parts the pieces, and what ends them. The openers come
 * from the tables of the domain and from the list of signs below. Each text is made with n and with 4n pieces and given
 * to each reader; the larger one may take at most GROWTH times the steps.
 */
#include "steps.h"
#include "testing.h"

#include "dialogue/import/script.h"
#include "dialogue/import/threads.h"
#include "dialogue/intake/diagnosis.h"
#include "dialogue/intake/duplicates.h"
#include "dialogue/lint/lint.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/id.h"
#include "door/install/jsonc.h"
#include "door/install/toml_block.h"
#include "kit/query.h"
#include "kit/snippet.h"

typedef struct {
    cv_str *items;
    size_t count, capacity;
} pieces;

static void add_piece(cv_arena *a, pieces *list, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_piece(cv_arena *a, pieces *list, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *CV_PUSH(a, list) = cv_arena_vprintf(a, format, args);
    va_end(args);
}

/* What markdown and its relatives open. */
static const char *const signs[] = {"[",
                                    "{",
                                    "(",
                                    "<",
                                    "<!-- ",
                                    "<a b=\"",
                                    "`",
                                    "``",
                                    "```",
                                    "~~~",
                                    "\"",
                                    "'",
                                    "*",
                                    "**",
                                    "_",
                                    "__",
                                    "\\",
                                    "|",
                                    "| ",
                                    "\\|",
                                    "# ",
                                    "## ",
                                    "### ",
                                    "###### ",
                                    "#",
                                    "- ",
                                    "1. ",
                                    "+ ",
                                    "> ",
                                    "---",
                                    "**Key**: ",
                                    "**Key:** ",
                                    "- **Move**: ",
                                    "@x ",
                                    "→ ",
                                    "— ",
                                    "-- ",
                                    ": ",
                                    "/* ",
                                    "// ",
                                    "\"a\": ",
                                    "{\"a\": ",
                                    "[1, ",
                                    "a = ",
                                    "a.",
                                    "\"\"\"",
                                    "'''",
                                    "[[a]]\n",
                                    "[a.b]\n",
                                    "\\u00e9",
                                    "\r",
                                    "\t",
                                    " ",
                                    "a",
                                    "a ",
                                    "1",
                                    ".1",
                                    "-A",
                                    ", ",
                                    "🧁 ",
                                    "e\u0301",
                                    "漢",
                                    "OR ",
                                    "-\"",
                                    "NOT ",
                                    "&",
                                    "/",
                                    "to Aa ",
                                    "P01 ",
                                    "**Status**:\n",
                                    "| **A** | "};

/* … and what the tables of the domain open: a new row is attacked without being named here. */
static pieces openers_of_tables(cv_arena *a)
{
    pieces all = {0};
    for (size_t i = 0; i < CV_COUNT(signs); i++)
        add_piece(a, &all, "%s", signs[i]);
#define MARK(id, word, json, shape, purpose) add_piece(a, &all, "[%s", word);
#define ALIAS(word, id) add_piece(a, &all, "[%s T01: ", word);
#include "dialogue/words/marks.def"
#undef MARK
#undef ALIAS
    for (size_t i = 0; i < CV_MARK_COUNT; i++) {
        add_piece(a, &all, "[%.*s %c01: ", CV_FMT(cv_marks_table[i].word), cv_kinds[i % CV_KIND_COUNT].letter);
        add_piece(a, &all, "{%.*s: ", CV_FMT(cv_marks_table[i].word));
    }
    for (size_t i = 0; i < CV_KIND_COUNT; i++) {
        add_piece(a, &all, "[MUFFIN-%c0101: ", cv_kinds[i].letter);
        add_piece(a, &all, "[%c0101 ", cv_kinds[i].letter);
        add_piece(a, &all, "[%c0101: x] (muffin, ", cv_kinds[i].letter);
        add_piece(a, &all, "%c01, ", cv_kinds[i].letter);
    }
    for (size_t i = 0; i < cv_ref_words.count; i++)
        add_piece(a, &all, "[RE:%.*s T01 ", CV_FMT(cv_ref_words.items[i]));
    for (size_t i = 0; i < cv_move_words.count; i++)
        add_piece(a, &all, "[MOVE:%.*s T01 ", CV_FMT(cv_move_words.items[i]));
    for (size_t i = 0; i < cv_verdict_words.count; i++)
        add_piece(a, &all, "[VERDICT:%.*s ", CV_FMT(cv_verdict_words.items[i]));
    for (size_t i = 0; i < cv_section_titles.count; i++)
        add_piece(a, &all, "## %.*s ", CV_FMT(cv_section_titles.items[i]));
    for (size_t i = 0; i < CV_MARK_COUNT; i++) /* words that are nearly marks */
        add_piece(a, &all, "[%.*sX T01: ", CV_FMT(cv_marks_table[i].word));
    return all;
}

static const char *const starts[] = {"x ",
                                     "",
                                     "- ",
                                     "[CLAIM C01: ",
                                     "**Key**: ",
                                     "## Round 0\n### Muffin 🧁\n",
                                     "## Scoreboard\n| a | b |\n|---|---|\n| ",
                                     "## Round 0\n| Expert | Position |\n|---|---|\n| Muffin | ",
                                     "```\n",
                                     "{\"mcpServers\": {\"conclave\": {\"a\": ",
                                     "[mcp_servers.conclave]\na = "};
static const char *const guards[] = {"", "\\", "`", "x ", "**", "\"", "| "};
static const char *const closes[] = {"", "]", "]]", ")", "x]", "`", "}", "x] (a) ", "\"", " |"};
static const char *const joints[] = {"", " ", "\n", "\n\n"};
static const char *const ends[] = {"\n", "]\n", "`\n", "\n[RESOLVED T01]\n", "}\n", "\"\n", ")"};

/* ---- readers -------------------------------------------------------------------------------------------- */

static void read_document(cv_arena *a, cv_str text)
{
    cv_doc doc, back;
    cv_findings findings = {0};
    cv_err err = {.arena = a};
    cv_errs errs = {0};
    cv_json tree;
    cv_buf markdown = {0}, json = {0};
    cv_json_writer w = {.out = &json};
    cv_lint_parse(a, text, &doc, &findings);
    cv_doc_render(a, &doc, &markdown);
    cv_json_begin_object(&w);
    cv_doc_print_json(&doc, true, &w);
    cv_json_end_object(&w);
    if (cv_json_parse(a, cv_buf_str(&json), &tree, &err))
        cv_doc_read_json(a, cv_buf_str(&json), &tree, &back, &errs);
    cv_buf_release(&markdown);
    cv_buf_release(&json);
}

/* What respond, draft and round-verify make of a response: the judge's and an expert's. */
static void read_responses(cv_arena *a, cv_str text)
{
    static const char *const who[] = {"judge", "muffin"};
    cv_state *state = CV_NEW(a, cv_state);
    for (size_t i = 0; i < CV_COUNT(who); i++) {
        cv_extract extract;
        cv_duplicate_groups twins;
        cv_diagnostics diagnostics = {0};
        cv_summary summary;
        cv_buf out = {0};
        cv_json_writer w = {.out = &out};
        cv_extract_responses(a, state, 1, &(cv_response_text){cv_str_of(who[i]), text}, 1, &extract);
        cv_duplicates_find(a, &extract, &twins);
        cv_json_begin_object(&w);
        cv_extract_print_members(&extract, &w);
        cv_json_key(&w, CV_STR("summary"));
        cv_summarize(a, &extract, cv_str_of(who[i]), &summary);
        cv_shape_write(&w, cv_summary_shape, &summary);
        cv_json_key(&w, CV_STR("diagnosis"));
        cv_json_begin_array(&w);
        cv_diagnose(a, &extract, 0, &diagnostics);
        for (size_t k = 0; k < diagnostics.count; k++)
            cv_shape_write(&w, cv_named_diagnostic_shape, &diagnostics.items[k]);
        cv_json_end_array(&w);
        cv_json_end_object(&w);
        cv_buf_release(&out);
    }
}

static void lint_dialogue(cv_arena *a, cv_str text)
{
    cv_lint lint = {0};
    cv_lint_text(a, text, CV_STR("x.dialogue.md"), CV_LINT_DIALOGUE, &lint);
}

static void lint_compatibly(cv_arena *a, cv_str text)
{
    cv_compat compat;
    cv_compat_check(a, text, &compat);
}

static void fix_dialogue(cv_arena *a, cv_str text)
{
    cv_lint_fix(a, text, CV_STR("x.dialogue.md"), CV_LINT_DIALOGUE, &text);
}

static void import_document(cv_arena *a, cv_str text)
{
    cv_script *script = CV_NEW(a, cv_script);
    cv_threads threads;
    *script = (cv_script){.arena = a, .date_ms = CV_ABSENT};
    *CV_PUSH(a, &script->sheets) = (cv_sheet){.name = CV_STR("x.dialogue.md")};
    cv_script_read_doc(script, 0, text);
    cv_script_finish(script);
    cv_threads_find(script, &threads);
}

static void search(cv_arena *a, cv_str text)
{
    cv_query query;
    cv_search_marks marks = {0};
    cv_query_parse(a, text, cv_id_local_of, &query);
    cv_query_print(a, &query);
    cv_query_of_question(a, text, &query);
    cv_snippet(a, text, &marks);
}

static void parse_json(cv_arena *a, cv_str text)
{
    cv_json tree;
    cv_json_parse(a, text, &tree, &(cv_err){.arena = a});
    cv_buf quoted = {0};
    cv_json_writer w = {.out = &quoted};
    cv_json_str(&w, text);
    cv_json_parse(a, cv_buf_str(&quoted), &tree, &(cv_err){.arena = a});
    cv_buf_release(&quoted);
}

static void edit_json(cv_arena *a, cv_str text)
{
    cv_str ret;
    cv_jsonc_set(a, text, CV_STR("mcpServers"), CV_STR("conclave"), CV_STR("{}"), &ret, &(cv_err){.arena = a});
    cv_jsonc_remove(a, text, CV_STR("mcpServers"), CV_STR("conclave"), &ret, &(cv_err){.arena = a});
}

static void edit_toml(cv_arena *a, cv_str text)
{
    static const cv_toml_block block = {.name = CV_STR_INIT("conclave"), .table = CV_STR_INIT("mcp_servers.conclave")};
    cv_str ret;
    cv_toml_block_set(a, &block, text, CV_STR("x = 1\n"), &ret, &(cv_err){.arena = a});
    cv_toml_block_remove(a, &block, text, &ret, &(cv_err){.arena = a});
}

static void match_word(cv_arena *a, cv_str text)
{
    (void)a;
    cv_str_nearest(text, cv_ref_words.items, cv_ref_words.count);
    cv_mark_word_nearest(text);
}

static const struct {
    const char *name;
    void (*read)(cv_arena *, cv_str);
} readers[] = {
    {"document", read_document}, {"responses", read_responses}, {"lint", lint_dialogue},
    {"compat", lint_compatibly}, {"fix", fix_dialogue},         {"import", import_document},
    {"search", search},          {"json", parse_json},          {"edit json", edit_json},
    {"edit toml", edit_toml},    {"nearest word", match_word},
};

/* ---- the test --------------------------------------------------------------------------------------------- */

typedef struct {
    size_t start, guard, opener, close, joint, end;
} choice;

static void make(cv_buf *out, const pieces *openers, const choice *c, size_t n)
{
    cv_buf_add_z(out, starts[c->start]);
    while (n-- > 0) {
        cv_buf_add_z(out, guards[c->guard]);
        cv_buf_add(out, openers->items[c->opener]);
        cv_buf_add_z(out, closes[c->close]);
        cv_buf_add_z(out, joints[c->joint]);
    }
    cv_buf_add_z(out, ends[c->end]);
}

static uint64_t count(size_t reader, cv_str text)
{
    cv_arena a = {0};
    steps = 0;
    readers[reader].read(&a, text);
    uint64_t taken = steps;
    cv_arena_release(&a);
    return taken;
}

enum { LEAST = 400, FEW = 40, BASE = 60000 };
static const double GROWTH = 5;

/* How many times the steps; 0 when there are too few to tell. */
static double growth(size_t reader, cv_str few, cv_str many)
{
    uint64_t x = count(reader, few), y = count(reader, many);
    return y <= BASE ? 0 : (double)y / (double)(x ? x : 1);
}

/* What grows too fast is asked again with four times as much of everything, and again: a list that outgrows its first
 * block is copied once, and what looks ahead a bounded way (CV_MAX_HEAD) looks further until it meets the bound. Both
 * fade; what is not linear grows faster still. */
static bool grows_evenly(const pieces *openers, const choice *c)
{
    enum { SIZES = 4 };
    cv_buf texts[SIZES] = {0};
    bool ok = true;
    for (size_t k = 0; k < 2; k++)
        make(&texts[k], openers, c, (size_t)FEW << 2 * k);
    for (size_t i = 0; i < CV_COUNT(readers); i++) {
        double ratio = GROWTH + 1;
        for (size_t k = 1; k < SIZES && ratio > GROWTH; k++) {
            if (texts[k].n == 0)
                make(&texts[k], openers, c, (size_t)FEW << 2 * k);
            ratio = growth(i, cv_buf_str(&texts[k - 1]), cv_buf_str(&texts[k]));
        }
        if (ratio <= GROWTH)
            continue;
        print_error("%s: %.1f times the steps for 4 times \"%s\" (\"%s%.*s%s%s\")* \"%s\"\n", readers[i].name, ratio,
                    starts[c->start], guards[c->guard], CV_FMT(openers->items[c->opener]), closes[c->close],
                    joints[c->joint], ends[c->end]);
        ok = false;
    }
    for (size_t i = 0; i < SIZES; i++)
        cv_buf_release(&texts[i]);
    return ok;
}

/* Each opener with every fourth closer; the other parts are drawn, other ones for each commit. The soak takes them all
 * together.
 */
static void test_openers(void **state)
{
    (void)state;
    cv_arena a = {0};
    pieces openers = openers_of_tables(&a);
    size_t made = 0, bad = 0, all = CV_COUNT(starts) * CV_COUNT(guards) * CV_COUNT(ends) * CV_COUNT(joints);
    cv_test_random random = {cv_test_seed()};
    for (size_t o = 0; o < openers.count; o++)
        for (size_t k = cv_test_soak() ? 0 : cv_test_below(&random, 4); k < CV_COUNT(closes);
             k += cv_test_soak() ? 1 : 4)
            for (size_t t = 0; t < (cv_test_soak() ? all : 1); t++, made++) {
                size_t turn = cv_test_soak() ? t : cv_test_below(&random, all);
                choice c = {.opener = o, .close = k};
                c.start = turn % CV_COUNT(starts), turn /= CV_COUNT(starts);
                c.guard = turn % CV_COUNT(guards), turn /= CV_COUNT(guards);
                c.joint = turn % CV_COUNT(joints), turn /= CV_COUNT(joints);
                c.end = turn;
                bad += !grows_evenly(&openers, &c);
            }
    print_message("%zu texts of %zu openers for %zu readers\n", made, openers.count, CV_COUNT(readers));
    assert_true(made >= LEAST);
    assert_int_equal(bad, 0);
    cv_arena_release(&a);
}

/* Two parts that grow together: what is said once and might be copied or walked for each of what follows. */
static const struct {
    const char *name, *before, *once, *between, *piece, *after;
} pairs[] = {
    {"targets and a body", "[RESOLVED ", "T01, ", ": settled]\n", "word ", "\n"},
    {"tensions that are accepted and a body", "[TENSION T01: a]\n[ACCEPTED UNRESOLVED ", "T01, ", ": so be it]\n",
     "word ", "\n"},
    {"the name of an agent and marks", "## Round 0\n### ", "A", " 🧁\n", "[CLAIM C01: x]\n", ""},
    {"the name of an agent and ids", "## Tensions Tracker\n| Agent | ID | Status |\n|---|---|---|\n| ", "A", " | ",
     "T1/", " | open |\n"},
    {"columns and rows of a board", "## Scoreboard\n| Agent | Total |", " R1 |", "\n|---|---|\n", "| a | 1 |\n", ""},
    {"the head of a table and its rows", "## Round 0\n| Expert | ", "said ", "|\n|---|---|\n", "| Muffin | x |\n", ""},
    {"a span of rounds", "## Expert Panel\n| Agent | Rounds |\n|---|---|\n| Muffin | ", "1", "", "1", " |\n"},
    {"suffixes that end no id", "## Round 0\n### Muffin 🧁\n", "T1.", "", "T1.", "T1_\n"},
    {"a heading and tensions", "## Tensions Tracker ", "x", "\n| ID | Status |\n|---|---|\n| T99 | open |\n",
     "[TENSION T01: x]\n", ""},
    {"tables of an entry", "[mcp_servers.conclave]\na = 1\n", "[mcp_servers.conclave.a]\n", "",
     "[mcp_servers.conclave.a]\nb = 1\n\n", ""},
    {"a comment and members", "{\"mcpServers\": {/* ", "x", " */", "\"a\": {}, // x\n", "}}"},
    {"an entry's name and members", "{\"mcpServers\": {\"", "\\u0061", "\": {", "\"\\u0061\": 1,", "}}}"},
};

static void test_pairs(void **state)
{
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < CV_COUNT(pairs); i++) {
        cv_buf texts[2] = {{0}, {0}};
        for (size_t k = 0; k < 2; k++) {
            size_t n = k ? 2400 : 600;
            cv_buf_add_z(&texts[k], pairs[i].before);
            for (size_t t = 0; t < n; t++)
                cv_buf_add_z(&texts[k], pairs[i].once);
            cv_buf_add_z(&texts[k], pairs[i].between);
            for (size_t t = 0; t < n; t++)
                cv_buf_add_z(&texts[k], pairs[i].piece);
            cv_buf_add_z(&texts[k], pairs[i].after);
        }
        for (size_t r = 0; r < CV_COUNT(readers); r++) {
            double ratio = growth(r, cv_buf_str(&texts[0]), cv_buf_str(&texts[1]));
            if (ratio > GROWTH)
                print_error("%s: %s takes %.1f times the steps for 4 times the size\n", pairs[i].name, readers[r].name,
                            ratio);
            ok = ok && ratio <= GROWTH;
        }
        cv_buf_release(&texts[0]);
        cv_buf_release(&texts[1]);
    }
    assert_true(ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openers),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
