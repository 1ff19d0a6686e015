/* network_text.c - a network as Mermaid flowchart and as Graphviz DOT; see network.h.
 *
 *     flowchart LR                                   digraph "bread" {
 *         P0001["P0001 Rye rises slowly (open)"]         "P0001" [label="P0001\nRye rises slowly\nopen", …];
 *         R0001 -->|address| T0001                       "R0001" -> "T0001" [label="address"];
 */
#include "base/plain.h"
#include "base/utf8.h"
#include "dialogue/text/mark.h"
#include "dialogue/view/network.h"

/* How each kind of node looks: Mermaid's brackets, DOT's shape, and a colour that dark text can be read on. */
typedef struct {
    const char *open, *close, *shape, *fill;
} look;

static const look of_kinds[] = {
    [CV_KIND_PERSPECTIVE] = {"[", "]", "box", "#dbeafe"},
    [CV_KIND_RECOMMENDATION] = {"(", ")", "ellipse", "#dcfce7"},
    [CV_KIND_TENSION] = {"{{", "}}", "hexagon", "#fee2e2"},
    [CV_KIND_EVIDENCE] = {"[(", ")]", "cylinder", "#fef9c3"},
    [CV_KIND_CLAIM] = {"[/", "/]", "parallelogram", "#f3e8ff"},
};
_Static_assert(CV_COUNT(of_kinds) == CV_KIND_COUNT, "a look per kind");
static const look of_expert = {"([", "])", "oval", "#e5e7eb"}, of_verdict = {"[[", "]]", "doubleoctagon", "#ffedd5"};

static const look *look_of(const cv_node *node)
{
    return node->thing == CV_THING_EXPERT    ? &of_expert
           : node->thing == CV_THING_VERDICT ? &of_verdict
                                             : &of_kinds[node->kind];
}

/* How each kind of edge is drawn. */
static const struct {
    const char *mermaid, *dot;
} lines[CV_EDGE_COUNT] = {
    [CV_EDGE_REFERENCE] = {"-->", "solid"},
    [CV_EDGE_VERDICT] = {"==>", "bold"},
    [CV_EDGE_MOVE] = {"-.->", "dashed"},
    [CV_EDGE_RAISED] = {"-.->", "dotted"},
};

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Control characters and whatever else ends a line somewhere: of a label they are blanks. */
static bool is_blank_code(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff;
}

static bool is_plain(uint32_t code)
{
    return code >= 0x80 || cv_is_alnum((char)code) || (code && memchr(" .,:-_'()/+*=!?@", (int)code, 16));
}

/* Hands every code point on as the format writes it. */
static void each_code(cv_buf *out, cv_str text, void (*put)(cv_buf *out, uint32_t code, cv_str bytes))
{
    cv_str rest = text;
    uint32_t code;
    while (rest.n > 0) {
        const char *from = rest.p;
        if (!cv_utf8_next(&rest, &code))
            return;
        if (is_blank_code(code))
            cv_buf_add_char(out, ' ');
        else
            put(out, code, cv_str_range(from, rest.p));
    }
}

static void put_mermaid(cv_buf *out, uint32_t code, cv_str bytes)
{
    if (is_plain(code))
        cv_buf_add(out, bytes);
    else
        cv_buf_printf(out, "#%u;", (unsigned)code);
}

void cv_mermaid_text(cv_buf *out, cv_str text)
{
    each_code(out, text, put_mermaid);
}

/* Of a label DOT reads quotes, backslashes and HTML's entities. */
static void put_dot(cv_buf *out, uint32_t code, cv_str bytes)
{
    if (code == '&')
        cv_buf_add_z(out, "&amp;");
    else if (code == '"' || code == '\\')
        cv_buf_printf(out, "\\%c", (int)code);
    else
        cv_buf_add(out, bytes);
}

void cv_dot_text(cv_buf *out, cv_str text)
{
    each_code(out, text, put_dot);
}

static cv_str short_label(cv_arena *a, const cv_node *node)
{
    cv_buf plain = {0};
    cv_plain_add(&plain, cv_squeeze(a, node->label));
    return cv_excerpt(a, cv_buf_take(&plain, a));
}

/* ---- Mermaid ----------------------------------------------------------------------------------------------------- */

/* Entities are called by their ids; other names could mean something to Mermaid. */
static void mermaid_id(cv_buf *out, const cv_network *n, uint32_t node)
{
    const cv_node *one = &n->nodes.items[node];
    if (one->thing == CV_THING_ENTITY)
        cv_buf_add(out, one->id);
    else
        cv_buf_printf(out, "n%u", (unsigned)node + 1);
}

static void mermaid_node(const cv_network *n, uint32_t node, cv_arena *a, cv_buf *out)
{
    const cv_node *one = &n->nodes.items[node];
    const look *l = look_of(one);
    cv_buf_add_z(out, "    ");
    mermaid_id(out, n, node);
    cv_buf_printf(out, "%s\"", l->open);
    cv_mermaid_text(out, one->id);
    cv_buf_add_char(out, ' ');
    cv_mermaid_text(out, short_label(a, one));
    if (one->status.n) {
        cv_buf_add_z(out, " (");
        cv_mermaid_text(out, one->status);
        cv_buf_add_char(out, ')');
    }
    cv_buf_printf(out, "\"%s:::%.*s\n", l->close, CV_FMT(one->type));
}

static void mermaid_class(cv_buf *out, cv_str name, const look *l)
{
    cv_buf_printf(out, "    classDef %.*s fill:%s,stroke:#6b7280,color:#111827\n", CV_FMT(name), l->fill);
}

void cv_network_mermaid(const cv_network *n, cv_arena *a, cv_buf *out)
{
    cv_buf_add_z(out, "flowchart LR\n");
    for (uint32_t i = 0; i < n->nodes.count; i++)
        mermaid_node(n, i, a, out);
    for (size_t i = 0; i < n->edges.count; i++) {
        const cv_edge *e = &n->edges.items[i];
        cv_buf_add_z(out, "    ");
        mermaid_id(out, n, e->source);
        cv_buf_printf(out, " %s|\"", lines[e->kind].mermaid);
        cv_mermaid_text(out, e->type);
        cv_buf_add_z(out, "\"| ");
        mermaid_id(out, n, e->target);
        cv_buf_add_char(out, '\n');
    }
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        mermaid_class(out, cv_kinds[kind].word, &of_kinds[kind]);
    mermaid_class(out, CV_STR("expert"), &of_expert);
    mermaid_class(out, CV_STR("verdict"), &of_verdict);
}

/* ---- DOT --------------------------------------------------------------------------------------------------------- */

static void dot_quoted(cv_buf *out, cv_str text)
{
    cv_buf_add_char(out, '"');
    cv_dot_text(out, text);
    cv_buf_add_char(out, '"');
}

static void dot_node(const cv_node *node, cv_arena *a, cv_buf *out)
{
    const look *l = look_of(node);
    cv_buf_add_z(out, "    ");
    dot_quoted(out, node->id);
    cv_buf_add_z(out, " [label=\"");
    cv_dot_text(out, node->id);
    cv_buf_add_z(out, "\\n");
    cv_dot_text(out, short_label(a, node));
    if (node->status.n) {
        cv_buf_add_z(out, "\\n");
        cv_dot_text(out, node->status);
    }
    cv_buf_printf(out, "\", shape=%s, fillcolor=\"%s\"];\n", l->shape, l->fill);
}

void cv_network_dot(const cv_network *n, cv_arena *a, cv_str title, cv_buf *out)
{
    cv_buf_add_z(out, "digraph ");
    dot_quoted(out, title);
    cv_buf_add_z(out,
                 " {\n    rankdir=LR;\n    charset=\"UTF-8\";\n    node [style=filled, fontname=\"sans-serif\"];\n");
    for (size_t i = 0; i < n->nodes.count; i++)
        dot_node(&n->nodes.items[i], a, out);
    for (size_t i = 0; i < n->edges.count; i++) {
        const cv_edge *e = &n->edges.items[i];
        cv_buf_add_z(out, "    ");
        dot_quoted(out, n->nodes.items[e->source].id);
        cv_buf_add_z(out, " -> ");
        dot_quoted(out, n->nodes.items[e->target].id);
        cv_buf_add_z(out, " [label=");
        dot_quoted(out, e->type);
        cv_buf_printf(out, ", style=%s];\n", lines[e->kind].dot);
    }
    cv_buf_add_z(out, "}\n");
}
