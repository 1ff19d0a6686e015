/* graph_op.c - the operation `graph`: a dialogue, or a part of it, as a network; see network.h. */
#include "base/json.h"
#include "dialogue/faults.h"
#include "dialogue/operations.h"
#include "dialogue/view/network.h"

typedef enum { FORMAT_JSON, FORMAT_MERMAID, FORMAT_DOT, FORMAT_TEXT, FORMAT_COUNT } format;
static const cv_str format_words[] = {CV_STR_INIT("json"), CV_STR_INIT("mermaid"), CV_STR_INIT("dot"),
                                      CV_STR_INIT("text")};
_Static_assert(CV_COUNT(format_words) == FORMAT_COUNT, "a word per format");
static const cv_words formats = {format_words, FORMAT_COUNT};

typedef struct {
    cv_call *call;
    cv_state s;
    cv_network_query query;
    cv_address focus;
    format format;
} request;

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

static bool load(request *r)
{
    cv_call *call = r->call;
    cv_err err = {.arena = call->arena};
    cv_str focus = cv_json_get_text(call->input, "focus");
    cv_wanted wanted = {.kinds = CV_ADDRESS_NAMES | CV_REC_BIT(ENTITY) | CV_REC_BIT(REFERENCE), .no_content = true};
    wanted.kinds |= r->query.moves ? CV_REC_BIT(MOVE) : 0;
    if (focus.p && cv_address_parse(call->arena, focus, &r->focus) && r->focus.is_local)
        wanted.kinds |= CV_REC_BIT(ORIGIN);
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &r->s, &err))
        return cv_call_fail(call, &err);
    return true;
}

static bool find_focus(request *r, cv_str focus, cv_err *err)
{
    cv_address *at = &r->focus;
    if (!cv_address_parse(r->call->arena, focus, at))
        return cv_address_invalid(&r->s, focus, err);
    if (at->thing > CV_THING_VERDICT) {
        cv_str kind = cv_address_kind(at);
        cv_err_set(err, CV_ERR_INVALID_VALUE, "a %.*s is not a node", CV_FMT(kind));
        cv_err_suggest(err, CV_STR("the focus is an entity, an expert or a verdict"));
        return false;
    }
    if (!cv_address_find(r->call->arena, &r->s, at, err))
        return false;
    return at->thing != CV_THING_ENTITY || cv_state_entity(&r->s, at->id) || cv_address_missing(&r->s, at, err);
}

static void read_focus(request *r)
{
    cv_call *call = r->call;
    cv_str focus = cv_json_get_text(call->input, "focus");
    cv_err err = {.arena = call->arena};
    int64_t depth = cv_json_get_int(call->input, "depth", CV_ABSENT);
    r->query.depth = depth == CV_ABSENT ? 1 : (size_t)depth;
    if (!focus.p && depth != CV_ABSENT)
        cv_err_suggest(
            cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "depth", CV_STR(""), "depth is counted from a focus"),
            CV_STR("give a focus, or leave the depth out"));
    if (!focus.p)
        return;
    if (find_focus(r, focus, &err)) {
        r->query.focus = &r->focus.id;
        r->query.verdicts = r->query.verdicts || r->focus.thing == CV_THING_VERDICT;
        return;
    }
    cv_err_field(&err, CV_STR("focus"));
    cv_call_fail(call, &err);
}

static void read_kinds(request *r)
{
    const cv_json *given = cv_json_get(r->call->input, CV_STR("kinds"));
    for (uint32_t i = 0; given && i < given->count; i++)
        for (int kind = 0; kind < CV_KIND_COUNT; kind++)
            if (cv_str_eq(given->items[i].text, cv_kinds[kind].word))
                r->query.kinds |= 1u << kind;
}

static void read_statuses(request *r)
{
    cv_call *call = r->call;
    const cv_json *given = cv_json_get(call->input, CV_STR("status"));
    cv_str known[CV_STATUS_COUNT];
    size_t known_count = cv_status_words(known);
    cv_str *wanted = CV_NEW_ARRAY(call->arena, given ? given->count : 0, cv_str);
    for (uint32_t i = 0; given && i < given->count; i++) {
        wanted[i] = given->items[i].text;
        cv_refuse_unless_status(call, "status", wanted[i], (cv_words){known, known_count});
    }
    r->query.statuses = (cv_words){wanted, given ? given->count : 0};
}

static void read_round(request *r)
{
    int64_t round = cv_json_get_int(r->call->input, "round", CV_ABSENT);
    r->query.round = round;
    if (round == CV_ABSENT || cv_state_round(&r->s, round))
        return;
    cv_address at;
    cv_err err = {.arena = r->call->arena};
    cv_address_parse(r->call->arena, cv_arena_printf(r->call->arena, "round-%lld", (long long)round), &at);
    cv_address_find(r->call->arena, &r->s, &at, &err);
    cv_err_field(&err, CV_STR("round"));
    cv_call_fail(r->call, &err);
}

static bool read_request(request *r)
{
    const cv_json *in = r->call->input, *verdicts = cv_json_get(in, CV_STR("verdicts"));
    cv_str word = cv_json_get_text(in, "format");
    r->format = word.p ? (format)cv_words_find(formats, word) : r->call->for_people ? FORMAT_TEXT : FORMAT_JSON;
    r->query.verdicts = !verdicts || verdicts->type == CV_JSON_TRUE;
    r->query.experts = cv_json_get_true(in, "experts");
    r->query.moves = cv_json_get_true(in, "moves");
    if (!load(r))
        return false;
    read_focus(r);
    read_kinds(r);
    read_statuses(r);
    read_round(r);
    return r->call->errs->count == 0;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* An edge with the ids of its ends. */
typedef struct {
    cv_str source, target, type, kind;
    int64_t round;
} edge_answer;

typedef struct {
    cv_str id, format;
    int64_t rev;
    const cv_network *network; /* with the format json; NULL: it is a text */
    cv_node *nodes;
    edge_answer *edges;
    size_t node_count, edge_count;
    const cv_str *picture; /* with the others: `text` */
    cv_str text;
} graph_answer;

#define CV_THIS_TYPE cv_node
static const cv_shape node_shape[] = {
    CV_FIELD(ALWAYS, id, "P0101, @muffin, verdict-final"),
    CV_FIELD(ALWAYS, type, "perspective … claim, expert, verdict"),
    CV_FIELD(IF_ANY, round, ""),
    CV_FIELD(ALWAYS, label, ""),
    CV_FIELD(IF_ANY, status, ""),
    CV_JSON_AS(IF_ANY, NAMES, "contributors", contributors, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE edge_answer
static const cv_shape edge_shape[] = {
    CV_FIELD(ALWAYS, source, ""),
    CV_FIELD(ALWAYS, target, ""),
    CV_FIELD(ALWAYS, type, "refine, recommendations_adopted, defend, raised …"),
    CV_WORD(ALWAYS, "kind", kind, &cv_edge_words, ""),
    CV_FIELD(ALWAYS, round, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE graph_answer
static const cv_shape network_shape[] = {
    CV_LIST("nodes", nodes, node_count, node_shape, "with format json"),
    CV_LIST("edges", edges, edge_count, edge_shape, "with format json"),
    {0},
};
static const cv_shape picture_shape[] = {CV_DOCUMENT(text, "with the other formats"), {0}};
const cv_shape cv_graph_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_FIELD(ALWAYS, rev, ""),
    CV_WORD(ALWAYS, "format", format, &formats, ""),
    CV_FIELD(ALWAYS, node_count, ""),
    CV_FIELD(ALWAYS, edge_count, ""),
    CV_CASE(network, network_shape),
    CV_CASE(picture, picture_shape),
    {0},
};
#undef CV_THIS_TYPE

static edge_answer *name_ends(cv_arena *a, const cv_network *n)
{
    edge_answer *all = CV_NEW_ARRAY(a, n->edges.count, edge_answer);
    for (size_t i = 0; i < n->edges.count; i++) {
        const cv_edge *edge = &n->edges.items[i];
        all[i] = (edge_answer){.source = n->nodes.items[edge->source].id,
                               .target = n->nodes.items[edge->target].id,
                               .type = edge->type,
                               .kind = cv_edge_words.items[edge->kind],
                               .round = edge->round};
    }
    return all;
}

static cv_str draw(const request *r, const cv_network *n)
{
    cv_buf text = {0};
    if (r->format == FORMAT_TEXT)
        return cv_network_draw(n, cv_chart_for(r->call));
    if (r->format == FORMAT_MERMAID)
        cv_network_mermaid(n, r->call->arena, &text);
    else
        cv_network_dot(n, r->call->arena, r->s.id, &text);
    return cv_buf_take(&text, r->call->arena);
}

bool cv_dialogue_graph(cv_call *call)
{
    request r = {.call = call};
    cv_network n;
    if (!read_request(&r))
        return false;
    cv_network_of(call->arena, &r.s, &r.query, &n);
    graph_answer answer = {.id = r.s.id,
                           .format = format_words[r.format],
                           .rev = r.s.position.rev,
                           .nodes = n.nodes.items,
                           .node_count = n.nodes.count,
                           .edge_count = n.edges.count};
    if (r.format == FORMAT_JSON) {
        answer.network = &n;
        answer.edges = name_ends(call->arena, &n);
    } else {
        answer.text = draw(&r, &n);
        answer.picture = &answer.text;
    }
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_graph_shape, &answer);
    return true;
}
