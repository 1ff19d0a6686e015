/* graph_op.c - the operation `graph`: a dialogue, or a part of it, as a network; see network.h. */
#include "base/json.h"
#include "dialogue/faults.h"
#include "dialogue/operations.h"
#include "dialogue/view/network.h"

typedef enum { FORMAT_JSON, FORMAT_MERMAID, FORMAT_DOT, FORMAT_COUNT } format;
static const cv_str format_words[] = {CV_STR_INIT("json"), CV_STR_INIT("mermaid"), CV_STR_INIT("dot")};
_Static_assert(CV_COUNT(format_words) == FORMAT_COUNT, "a word per format");

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
    cv_str *known = CV_NEW_ARRAY(call->arena, CV_STATUS_COUNT, cv_str);
    size_t known_count = 0;
    for (size_t i = 0; i < CV_STATUS_COUNT; i++) /* a word of two kinds is offered once */
        if (cv_words_find((cv_words){known, known_count}, cv_statuses[i].word) < 0)
            known[known_count++] = cv_statuses[i].word;
    cv_str *wanted = CV_NEW_ARRAY(call->arena, given ? given->count : 0, cv_str);
    for (uint32_t i = 0; given && i < given->count; i++) {
        wanted[i] = given->items[i].text;
        if (cv_words_find((cv_words){known, known_count}, wanted[i]) < 0)
            cv_refuse_words(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "status", wanted[i],
                                      "'%.*s' is not a status", CV_FMT(wanted[i])),
                            known, known_count);
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
    r->format = word.p ? (format)cv_words_find((cv_words){format_words, FORMAT_COUNT}, word) : FORMAT_JSON;
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

static void print_node(const cv_node *node, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", node->id);
    cv_json_key_str(w, "type", node->type);
    if (node->round != CV_ABSENT)
        cv_json_key_int(w, "round", node->round);
    cv_json_key_str(w, "label", node->label);
    cv_json_key_str_if(w, "status", node->status);
    cv_json_key_raw_if(w, "contributors", node->contributors);
    cv_json_end_object(w);
}

static void print_edge(const cv_network *n, const cv_edge *edge, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "source", n->nodes.items[edge->source].id);
    cv_json_key_str(w, "target", n->nodes.items[edge->target].id);
    cv_json_key_str(w, "type", edge->type);
    cv_json_key_str(w, "kind", cv_edge_words.items[edge->kind]);
    cv_json_key_int(w, "round", edge->round);
    cv_json_end_object(w);
}

static void print_network(const cv_network *n, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("nodes"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < n->nodes.count; i++)
        print_node(&n->nodes.items[i], w);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("edges"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < n->edges.count; i++)
        print_edge(n, &n->edges.items[i], w);
    cv_json_end_array(w);
}

static void print_text(const request *r, const cv_network *n, cv_json_writer *w)
{
    cv_buf text = {0};
    if (r->format == FORMAT_MERMAID)
        cv_network_mermaid(n, r->call->arena, &text);
    else
        cv_network_dot(n, r->call->arena, r->s.id, &text);
    cv_json_key_str(w, "text", cv_buf_str(&text));
    cv_buf_release(&text);
}

bool cv_dialogue_graph(cv_call *call)
{
    request r = {.call = call};
    cv_network n;
    if (!read_request(&r))
        return false;
    cv_network_of(call->arena, &r.s, &r.query, &n);
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", r.s.id);
    cv_json_key_int(&w, "rev", r.s.position.rev);
    cv_json_key_str(&w, "format", format_words[r.format]);
    cv_json_key_int(&w, "node_count", (int64_t)n.nodes.count);
    cv_json_key_int(&w, "edge_count", (int64_t)n.edges.count);
    if (r.format == FORMAT_JSON)
        print_network(&n, &w);
    else
        print_text(&r, &n, &w);
    cv_json_end_object(&w);
    return true;
}
