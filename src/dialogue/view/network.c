/* network.c - a dialogue as a network; see network.h.
 *
 *     all nodes, all edges   ->   which nodes fit   ->   which experts come along   ->   what is near the focus
 *                            ->   the rest left out, numbered again
 */
#include "dialogue/view/network.h"

#include "base/groups.h"
#include "dialogue/people.h"
#include "dialogue/register/cascade.h"

static const cv_str edge_words[] = {
    [CV_EDGE_REFERENCE] = CV_STR_INIT("reference"),
    [CV_EDGE_VERDICT] = CV_STR_INIT("verdict"),
    [CV_EDGE_MOVE] = CV_STR_INIT("move"),
    [CV_EDGE_RAISED] = CV_STR_INIT("raised"),
};
_Static_assert(CV_COUNT(edge_words) == CV_EDGE_COUNT, "a word per edge");
const cv_words cv_edge_words = {edge_words, CV_EDGE_COUNT};

typedef struct {
    cv_arena *arena;
    const cv_state *s;
    const cv_network_query *query;
    cv_network all;
    cv_map at;  /* id -> node + 1 */
    bool *kept; /* per node */
} drawing;

/* ---- everything -------------------------------------------------------------------------------------------------- */

static void add_node(drawing *d, cv_node node)
{
    *CV_PUSH(d->arena, &d->all.nodes) = node;
    *cv_map_put(&d->at, d->arena, node.id, NULL) = d->all.nodes.count;
}

static void add_entities(drawing *d)
{
    for (size_t i = 0; i < d->s->entities.count; i++) {
        const cv_rec_entity *e = &d->s->entities.items[i];
        cv_kind kind = (cv_kind)cv_kind_of_letter(e->kind.p[0]);
        add_node(d, (cv_node){.id = cv_entity_id(d->arena, e),
                              .label = e->label,
                              .status = e->status,
                              .thing = CV_THING_ENTITY,
                              .kind = kind,
                              .type = cv_kinds[kind].word,
                              .contributors = e->contributors,
                              .round = e->round});
    }
}

static void add_verdicts(drawing *d)
{
    for (size_t i = 0; i < d->s->verdicts.count; i++) {
        const cv_rec_verdict *v = &d->s->verdicts.items[i];
        cv_str author = v->author_expert.p ? v->author_expert : cv_judge_slug;
        add_node(d, (cv_node){.id = cv_arena_printf(d->arena, "verdict-%.*s", CV_FMT(v->verdict_id)),
                              .label = v->recommendation,
                              .thing = CV_THING_VERDICT,
                              .type = CV_STR("verdict"),
                              .contributors = cv_json_texts(d->arena, &author, 1),
                              .round = v->round});
    }
}

static void add_experts(drawing *d)
{
    for (size_t i = 0; i < d->s->experts.count; i++) {
        const cv_rec_expert *e = &d->s->experts.items[i];
        add_node(d, (cv_node){.id = cv_arena_printf(d->arena, "@%.*s", CV_FMT(e->expert_slug)),
                              .label = e->role,
                              .thing = CV_THING_EXPERT,
                              .type = CV_STR("expert"),
                              .round = CV_ABSENT});
    }
}

/* Nothing when one of its ends is not a node: a move may name what is not there. */
static void add_edge(drawing *d, cv_edge_kind kind, cv_str source, cv_str type, cv_str target, int64_t round)
{
    const uintptr_t *from = cv_map_get(&d->at, source), *to = cv_map_get(&d->at, target);
    if (from && to)
        *CV_PUSH(d->arena, &d->all.edges) = (cv_edge){(uint32_t)(*from - 1), (uint32_t)(*to - 1), kind, type, round};
}

static void add_edges_of_verdict(drawing *d, const cv_rec_verdict *v)
{
    cv_str id = cv_arena_printf(d->arena, "verdict-%.*s", CV_FMT(v->verdict_id));
    for (int list = 0; list < CV_LIST_COUNT; list++) {
        cv_words names = cv_json_list(d->arena, cv_verdict_list_json(v, (cv_verdict_list)list));
        for (size_t i = 0; i < names.count; i++)
            add_edge(d, CV_EDGE_VERDICT, id, cv_verdict_lists[list].word, names.items[i], v->round);
    }
}

static void add_edges_of_move(drawing *d, const cv_rec_move *m)
{
    cv_words targets = cv_json_list(d->arena, m->targets);
    cv_str id = cv_arena_printf(d->arena, "@%.*s", CV_FMT(m->expert_slug));
    for (size_t i = 0; i < targets.count; i++)
        add_edge(d, CV_EDGE_MOVE, id, m->move_type, targets.items[i], m->round);
}

static void add_edges_to(drawing *d, const cv_rec_entity *e)
{
    cv_words by = cv_json_list(d->arena, e->contributors);
    cv_str id = cv_entity_id(d->arena, e);
    for (size_t i = 0; i < by.count; i++)
        add_edge(d, CV_EDGE_RAISED, cv_arena_printf(d->arena, "@%.*s", CV_FMT(by.items[i])), edge_words[CV_EDGE_RAISED],
                 id, e->round);
}

static void add_edges(drawing *d)
{
    const cv_state *s = d->s;
    for (size_t i = 0; i < s->references.count; i++) {
        const cv_rec_reference *r = &s->references.items[i];
        add_edge(d, CV_EDGE_REFERENCE, r->source_id, r->ref_type, r->target_id, r->round);
    }
    for (size_t i = 0; d->query->verdicts && i < s->verdicts.count; i++)
        add_edges_of_verdict(d, &s->verdicts.items[i]);
    for (size_t i = 0; d->query->moves && i < s->moves.count; i++)
        add_edges_of_move(d, &s->moves.items[i]);
    for (size_t i = 0; d->query->experts && i < s->entities.count; i++)
        add_edges_to(d, &s->entities.items[i]);
}

/* ---- what fits --------------------------------------------------------------------------------------------------- */

/* Are verdicts and experts wanted, so far as they are connected with what fits? */
static bool may_come(const cv_network_query *q, const cv_node *node)
{
    if (node->thing == CV_THING_EXPERT)
        return true;
    return q->verdicts && (q->round == CV_ABSENT || node->round == q->round);
}

/* … or only so far as? A verdict does when entities are chosen. */
static bool needs_company(const cv_network_query *q, const cv_node *node)
{
    return node->thing == CV_THING_EXPERT ? !q->experts : q->kinds != 0 || q->statuses.count > 0;
}

static bool fits(const drawing *d, const cv_node *node)
{
    const cv_network_query *q = d->query;
    if (q->focus && cv_str_eq(*q->focus, node->id))
        return true;
    if (node->thing != CV_THING_ENTITY)
        return may_come(q, node) && !needs_company(q, node);
    if (q->round != CV_ABSENT && node->round != q->round)
        return false;
    return (q->kinds == 0 || (q->kinds & (1u << node->kind))) &&
           (q->statuses.count == 0 || cv_words_find(q->statuses, node->status) >= 0);
}

static void keep_fitting(drawing *d)
{
    d->kept = CV_NEW_ARRAY(d->arena, d->all.nodes.count, bool);
    for (size_t i = 0; i < d->all.nodes.count; i++)
        d->kept[i] = fits(d, &d->all.nodes.items[i]);
}

static void keep_with(drawing *d, uint32_t node, uint32_t other)
{
    const cv_node *one = &d->all.nodes.items[node];
    if (one->thing != CV_THING_ENTITY && d->all.nodes.items[other].thing == CV_THING_ENTITY && d->kept[other] &&
        may_come(d->query, one))
        d->kept[node] = true;
}

/* Experts and verdicts at the other end of an edge from an entity that fits. */
static void keep_company(drawing *d)
{
    for (size_t i = 0; i < d->all.edges.count; i++) {
        keep_with(d, d->all.edges.items[i].source, d->all.edges.items[i].target);
        keep_with(d, d->all.edges.items[i].target, d->all.edges.items[i].source);
    }
}

/* ---- what is near ------------------------------------------------------------------------------------------------ */

/* Every edge twice: 2i leads from its source to its target, 2i + 1 back. */
static cv_groups edges_by_node(const drawing *d)
{
    size_t count = d->all.edges.count;
    uint32_t *keys = CV_NEW_ARRAY(d->arena, 2 * count, uint32_t);
    for (size_t i = 0; i < count; i++) {
        keys[2 * i] = d->all.edges.items[i].source;
        keys[2 * i + 1] = d->all.edges.items[i].target;
    }
    return cv_groups_of(d->arena, keys, 2 * count, d->all.nodes.count);
}

static void keep_near(drawing *d, uint32_t focus)
{
    size_t count = d->all.nodes.count, done = 0, end = 1;
    cv_groups edges = edges_by_node(d);
    bool *near = CV_NEW_ARRAY(d->arena, count, bool);
    uint32_t *queue = CV_NEW_ARRAY(d->arena, count, uint32_t);
    queue[0] = focus;
    near[focus] = true;
    for (size_t depth = 0; depth < d->query->depth && done < end; depth++)
        for (size_t stop = end; done < stop; done++)
            for (const uint32_t *i = cv_group_begin(&edges, queue[done]); i < cv_group_end(&edges, queue[done]); i++) {
                const cv_edge *e = &d->all.edges.items[*i / 2];
                uint32_t other = *i % 2 ? e->source : e->target;
                if (d->kept[other] && !near[other]) {
                    near[other] = true;
                    queue[end++] = other;
                }
            }
    d->kept = near;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static void copy_kept(const drawing *d, cv_network *ret)
{
    uint32_t *number = CV_NEW_ARRAY(d->arena, d->all.nodes.count, uint32_t);
    for (size_t i = 0; i < d->all.nodes.count; i++)
        if (d->kept[i]) {
            number[i] = (uint32_t)ret->nodes.count;
            *CV_PUSH(d->arena, &ret->nodes) = d->all.nodes.items[i];
        }
    for (size_t i = 0; i < d->all.edges.count; i++) {
        cv_edge edge = d->all.edges.items[i];
        if (!d->kept[edge.source] || !d->kept[edge.target])
            continue;
        edge.source = number[edge.source];
        edge.target = number[edge.target];
        *CV_PUSH(d->arena, &ret->edges) = edge;
    }
}

void cv_network_of(cv_arena *a, const cv_state *s, const cv_network_query *query, cv_network *ret)
{
    drawing d = {.arena = a, .s = s, .query = query};
    add_entities(&d);
    add_verdicts(&d);
    add_experts(&d);
    add_edges(&d);
    keep_fitting(&d);
    keep_company(&d);
    const uintptr_t *focus = query->focus ? cv_map_get(&d.at, *query->focus) : NULL;
    if (focus)
        keep_near(&d, (uint32_t)(*focus - 1));
    *ret = (cv_network){0};
    copy_kept(&d, ret);
}
