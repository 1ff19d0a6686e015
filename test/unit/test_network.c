/* test_network.c - a dialogue as a network: which nodes and edges, and texts that no label can break. */
#include "rounds.h"

#include "base/utf8.h"
#include "dialogue/operations.h"
#include "dialogue/view/network.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* ---- labels ------------------------------------------------------------------------------------- */

static cv_str written(cv_arena *a, void (*write)(cv_buf *, cv_str), cv_str text)
{
    cv_buf out = {0};
    write(&out, text);
    return cv_buf_take(&out, a);
}

static void labels_are_written_as_the_format_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *mermaid, *dot;
    } rows[] = {
        {"plain", "plain", "plain"},
        {"", "", ""},
        {"a \"b\"", "a #34;b#34;", "a \\\"b\\\""},
        {"a]b[c{d}e|f", "a#93;b#91;c#123;d#125;e#124;f", "a]b[c{d}e|f"},
        {"x\ny\r\tz", "x y  z", "x y  z"},
        {"\\n \\\"", "#92;n #92;#34;", "\\\\n \\\\\\\""},
        {"ends with \\", "ends with #92;", "ends with \\\\"},
        {"<b>&amp;</b>", "#60;b#62;#38;amp#59;#60;/b#62;", "<b>&amp;amp;</b>"},
        {"#quot; %%{init}%%", "#35;quot#59; #37;#37;#123;init#125;#37;#37;", "#quot; %%{init}%%"},
        {"`md`; end", "#96;md#96;#59; end", "`md`; end"},
        {"\xe6\xbc\xa2 \xf0\x9f\xa7\x81 \xc3\xa4", "\xe6\xbc\xa2 \xf0\x9f\xa7\x81 \xc3\xa4",
         "\xe6\xbc\xa2 \xf0\x9f\xa7\x81 \xc3\xa4"},
        {"l\xe2\x80\xa8p\xe2\x80\xa9n\xc2\x85", "l p n ", "l p n "},
        {"\x01\x1b[31m\x7f", "  #91;31m ", "  [31m "},
    };
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        assert_view_eq(written(&a, cv_mermaid_text, cv_str_of(rows[i].text)), cv_str_of(rows[i].mermaid));
        assert_view_eq(written(&a, cv_dot_text, cv_str_of(rows[i].text)), cv_str_of(rows[i].dot));
    }
    cv_arena_release(&a);
}

/* ---- a reader of the Mermaid that we write: strict, so that nothing of a label can be anything else ---- */

static bool takes(cv_str *rest, const char *text)
{
    if (!cv_str_starts(*rest, cv_str_of(text)))
        return false;
    *rest = cv_str_from(*rest, strlen(text));
    return true;
}

static bool takes_name(cv_str *rest)
{
    size_t n = 0;
    while (n < rest->n && (cv_is_alnum(rest->p[n]) || rest->p[n] == '_'))
        n++;
    *rest = cv_str_from(*rest, n);
    return n > 0;
}

/* "…" of characters that mean nothing, and of codes: #34; */
static bool takes_quoted(cv_str *rest)
{
    if (!takes(rest, "\""))
        return false;
    while (rest->n > 0 && rest->p[0] != '"') {
        unsigned char c = (unsigned char)rest->p[0];
        if (c == '#') {
            size_t n = 1;
            while (n < rest->n && cv_is_digit(rest->p[n]))
                n++;
            if (n < 2 || n >= rest->n || rest->p[n] != ';')
                return false;
            *rest = cv_str_from(*rest, n);
        } else if (c < 0x80 && !cv_is_alnum((char)c) && !memchr(" .,:-_'()/+*=!?@", c, 16)) {
            return false;
        }
        *rest = cv_str_from(*rest, 1);
    }
    return takes(rest, "\"");
}

static bool is_mermaid_node(cv_str line)
{
    static const char *const brackets[][2] = {{"([", "])"}, {"[[", "]]"}, {"[(", ")]"}, {"[/", "/]"},
                                              {"{{", "}}"}, {"[", "]"},   {"(", ")"}};
    if (!takes(&line, "    ") || !takes_name(&line))
        return false;
    for (size_t i = 0; i < CV_COUNT(brackets); i++)
        if (takes(&line, brackets[i][0]))
            return takes_quoted(&line) && takes(&line, brackets[i][1]) && takes(&line, ":::") && takes_name(&line) &&
                   line.n == 0;
    return false;
}

static bool is_mermaid_edge(cv_str line)
{
    return takes(&line, "    ") && takes_name(&line) && takes(&line, " ") &&
           (takes(&line, "-->") || takes(&line, "==>") || takes(&line, "-.->")) && takes(&line, "|") &&
           takes_quoted(&line) && takes(&line, "| ") && takes_name(&line) && line.n == 0;
}

static void assert_mermaid(cv_str text, size_t nodes, size_t edges)
{
    cv_str line;
    assert_true(cv_str_split(&text, '\n', &line));
    assert_str_eq(line, "flowchart LR");
    size_t seen_nodes = 0, seen_edges = 0;
    while (cv_str_split(&text, '\n', &line)) {
        bool node = is_mermaid_node(line), edge = is_mermaid_edge(line);
        if (line.n && !node && !edge && !cv_str_starts(line, CV_STR("    classDef ")))
            fail_msg("no Mermaid: %.*s", CV_FMT(line));
        seen_nodes += node;
        seen_edges += edge;
    }
    assert_int_equal(seen_nodes, nodes);
    assert_int_equal(seen_edges, edges);
}

/* ---- … and of the DOT ---- */

static bool takes_string(cv_str *rest)
{
    if (!takes(rest, "\""))
        return false;
    while (rest->n > 0 && rest->p[0] != '"') {
        if (rest->p[0] == '&' && !cv_str_starts(*rest, CV_STR("&amp;")))
            return false;
        if (rest->p[0] == '\\') {
            if (rest->n < 2 || !memchr("\\\"n", rest->p[1], 3))
                return false;
            *rest = cv_str_from(*rest, 1);
        }
        *rest = cv_str_from(*rest, 1);
    }
    return takes(rest, "\"");
}

static bool is_dot_node(cv_str line)
{
    return takes(&line, "    ") && takes_string(&line) && takes(&line, " [label=") && takes_string(&line) &&
           takes(&line, ", shape=") && takes_name(&line) && takes(&line, ", fillcolor=") && takes_string(&line) &&
           takes(&line, "];") && line.n == 0;
}

static bool is_dot_edge(cv_str line)
{
    return takes(&line, "    ") && takes_string(&line) && takes(&line, " -> ") && takes_string(&line) &&
           takes(&line, " [label=") && takes_string(&line) && takes(&line, ", style=") && takes_name(&line) &&
           takes(&line, "];") && line.n == 0;
}

static void assert_dot(cv_str text, size_t nodes, size_t edges)
{
    cv_str line;
    size_t seen_nodes = 0, seen_edges = 0, others = 0;
    while (cv_str_split(&text, '\n', &line)) {
        seen_nodes += is_dot_node(line);
        seen_edges += is_dot_edge(line);
        others += line.n && !is_dot_node(line) && !is_dot_edge(line);
    }
    assert_int_equal(seen_nodes, nodes);
    assert_int_equal(seen_edges, edges);
    assert_int_equal(others, 5); /* digraph, three settings, the closing brace */
}

/* ---- networks ----------------------------------------------------------------------------------- */

static int open_world(void **state)
{
    cv_world_set_up(state);
    cv_world_dialogue(*state, "bread", cv_rounds_bakers, false);
    return 0;
}

static void register_rounds(cv_world *w, int count)
{
    for (int round = 0; round < count; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "us", "")));
}

static cv_json graph_of(cv_world *w, const char *more)
{
    cv_str request = cv_arena_printf(&w->a, "{'dialogue_id': 'bread'%s}", more);
    cv_str reply = cv_arena_copy(&w->a, cv_world_do(w, "graph", request.p));
    cv_json tree;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_json_parse(&w->a, reply, &tree, &err), &err);
    return tree;
}

static size_t count_of(const cv_json *graph, const char *key)
{
    return (size_t)cv_json_get_int(graph, key, -1);
}

static bool has_node(const cv_json *graph, const char *id)
{
    const cv_json *nodes = cv_json_get(graph, CV_STR("nodes"));
    for (uint32_t i = 0; i < nodes->count; i++)
        if (cv_str_eq(cv_json_get_text(&nodes->items[i], "id"), cv_str_of(id)))
            return true;
    return false;
}

/* Every edge has both of its ends among the nodes, and the counts are right. */
static void assert_whole(const cv_json *graph)
{
    const cv_json *edges = cv_json_get(graph, CV_STR("edges"));
    cv_arena a = {0};
    assert_int_equal(count_of(graph, "node_count"), cv_json_get(graph, CV_STR("nodes"))->count);
    assert_int_equal(count_of(graph, "edge_count"), edges->count);
    for (uint32_t i = 0; i < edges->count; i++) {
        assert_true(has_node(graph, cv_arena_copy_z(&a, cv_json_get_text(&edges->items[i], "source"))));
        assert_true(has_node(graph, cv_arena_copy_z(&a, cv_json_get_text(&edges->items[i], "target"))));
    }
    cv_arena_release(&a);
}

static void an_empty_dialogue_is_an_empty_network(void **state)
{
    cv_world *w = *state;
    cv_json g = graph_of(w, "");
    assert_whole(&g);
    assert_int_equal(count_of(&g, "node_count"), 0);
    g = graph_of(w, ", 'format': 'mermaid'");
    assert_mermaid(cv_json_get_text(&g, "text"), 0, 0);
    g = graph_of(w, ", 'format': 'dot'");
    assert_dot(cv_json_get_text(&g, "text"), 0, 0);
    g = graph_of(w, ", 'experts': true");
    assert_int_equal(count_of(&g, "node_count"), 3);
}

static void filters_choose_nodes_and_edges_follow(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 4);
    cv_json g = graph_of(w, "");
    assert_whole(&g);
    assert_int_equal(count_of(&g, "node_count"), 4 * CV_ROUND_ITEMS);
    assert_int_equal(count_of(&g, "edge_count"), 4 * CV_ROUND_REFS + 3 * 2);
    g = graph_of(w, ", 'round': 2");
    assert_whole(&g);
    assert_int_equal(count_of(&g, "node_count"), CV_ROUND_ITEMS);
    assert_int_equal(count_of(&g, "edge_count"), CV_ROUND_REFS);
    g = graph_of(w, ", 'kinds': ['tension']");
    assert_int_equal(count_of(&g, "node_count"), 4 * CV_ROUND_T);
    assert_int_equal(count_of(&g, "edge_count"), 3);
    g = graph_of(w, ", 'kinds': ['tension'], 'status': ['resolved']");
    assert_int_equal(count_of(&g, "node_count"), 3);
    g = graph_of(w, ", 'kinds': ['evidence', 'claim'], 'round': 0, 'experts': true");
    assert_whole(&g);
    assert_int_equal(count_of(&g, "node_count"), 2 + 3);
    assert_int_equal(count_of(&g, "edge_count"), 2);
}

/* P0301 refines P0201 refines P0101 …, and each has three others of its round around it. */
static void a_focus_shows_what_is_near(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 4);
    cv_json g = graph_of(w, ", 'focus': 'P0301', 'depth': 0");
    assert_int_equal(count_of(&g, "node_count"), 1);
    g = graph_of(w, ", 'focus': 'P0301'");
    assert_whole(&g);
    assert_int_equal(count_of(&g, "node_count"), 1 + 3 + 1);
    assert_true(has_node(&g, "P0201"));
    g = graph_of(w, ", 'focus': 'muffin-p0301', 'depth': 2");
    assert_int_equal(count_of(&g, "node_count"), 1 + 3 + 1 + 3 + 1);
    g = graph_of(w, ", 'focus': 'P0301', 'depth': 100");
    assert_int_equal(count_of(&g, "node_count"), 4 * (1 + 3));
    g = graph_of(w, ", 'focus': 'P0301', 'depth': 100, 'kinds': ['evidence']"); /* through what is shown only */
    assert_int_equal(count_of(&g, "node_count"), 2);
    g = graph_of(w, ", 'focus': '@muffin', 'experts': true");
    assert_int_equal(count_of(&g, "node_count"), 1 + 4 * CV_ROUND_P);
    g = graph_of(w, ", 'focus': '@scone'");
    assert_int_equal(count_of(&g, "node_count"), 1);
}

static void wrong_questions_are_answered(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 1);
    static const struct {
        const char *more, *field, *says;
    } rows[] = {
        {", 'focus': 'P0009'", "focus", "the last perspective of round 0 is 'P0004'"},
        {", 'focus': '@mufin'", "focus", "'@muffin'"},
        {", 'focus': 'round-0'", "focus", "an entity, an expert or a verdict"},
        {", 'focus': '][\"'", "focus", "is neither an id"},
        {", 'depth': 3", "depth", "give a focus"},
        {", 'status': ['opem']", "status", "'open'"},
        {", 'round': 5", "round", "round-0"},
    };
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        cv_str text = cv_world_request(&w->a, cv_arena_printf(&w->a, "{'dialogue_id': 'bread'%s}", rows[i].more));
        if (i == 3)
            text = CV_STR("{\"dialogue_id\": \"bread\", \"focus\": \"][\\\"\"}");
        assert_false(cv_world_call_text(w, "graph", text));
        assert_int_equal(w->errs.count, 1);
        assert_str_eq(w->errs.items[0].field, rows[i].field);
        assert_str_has(cv_err_text(&w->errs.items[0]), rows[i].says);
    }
    assert_false(cv_world_call(w, "graph", "{'dialogue_id': 'bred'}"));
    assert_int_equal(w->errs.items[0].code, CV_ERR_DIALOGUE_NOT_FOUND);
    assert_false(cv_world_call(w, "graph", "{'dialogue_id': 'bread', 'kinds': ['song'], 'format': 'png'}"));
    assert_int_equal(w->errs.count, 2);
}

/* Any label at all leaves both formats whole. */
static void no_label_breaks_the_formats(void **state)
{
    static const char *const pieces[] = {"\"",   "\\",     "]",   "[",   "}}",  "{{",   "|",        "&",   "&quot;",
                                         "#",    ";",      "%%",  "%%{", "\n",  "\r",   "--",       "-->", "<script",
                                         ">",    "`",      "(",   ")]",  "end", "\x7f", "\xc2\x85", "ä",   "漢",
                                         "🧁", "\u202e", "a b", "\\n", "'",   "\\\""};
    cv_world *w = *state;
    cv_test_random random = {42};
    cv_rec_entity entities[CV_MAX_SEQ];
    cv_state s = {.id = CV_STR("hostile")};
    cv_network_query query = {.round = CV_ABSENT, .verdicts = true};
    cv_network n;
    for (int64_t i = 0; i < CV_MAX_SEQ; i++) {
        cv_str label = CV_STR("");
        for (size_t k = 0; k < 12; k++)
            label = cv_arena_join(&w->a, label, cv_str_of(pieces[cv_test_below(&random, CV_COUNT(pieces))]));
        entities[i] = (cv_rec_entity){.kind = {&"PRTEC"[i % 5], 1},
                                      .seq = i + 1,
                                      .label = label,
                                      .contributors = CV_STR("[]"),
                                      .status = CV_STR("open")};
    }
    s.entities.items = entities;
    s.entities.count = CV_MAX_SEQ;
    cv_network_of(&w->a, &s, &query, &n);
    assert_int_equal(n.nodes.count, CV_MAX_SEQ);
    cv_buf text = {0};
    cv_network_mermaid(&n, &w->a, &text);
    assert_mermaid(cv_buf_str(&text), CV_MAX_SEQ, 0);
    assert_int_equal(cv_utf8_valid(cv_buf_str(&text)), text.n);
    cv_buf_clear(&text);
    cv_network_dot(&n, &w->a, CV_STR("a \"title\" \\"), &text);
    assert_dot(cv_buf_str(&text), CV_MAX_SEQ, 0);
    assert_int_equal(cv_utf8_valid(cv_buf_str(&text)), text.n);
    cv_buf_release(&text);
}

#define IN_WORLD(name) cmocka_unit_test_setup_teardown(name, open_world, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_written_as_the_format_reads_them),
        IN_WORLD(an_empty_dialogue_is_an_empty_network),
        IN_WORLD(filters_choose_nodes_and_edges_follow),
        IN_WORLD(a_focus_shows_what_is_near),
        IN_WORLD(wrong_questions_are_answered),
        IN_WORLD(no_label_breaks_the_formats),
    };
    return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
