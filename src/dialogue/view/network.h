/* network.h - a dialogue as a network: who and what, and what leads from one to the other.
 *
 *     nodes   entities, verdicts, experts       in the order of their ids
 *     edges   references   R0101 --refine--> R0001
 *             verdicts     verdict-final --recommendations_adopted--> R0101
 *             moves        @donut --defend--> R0001
 *             raised       @muffin --raised--> P0101
 *
 * A query leaves out what does not fit it; an edge is there when both of its ends are. Experts come when they are asked
 * for, or when an edge that is shown leads to them; so do verdicts when kinds or statuses are chosen. With a focus,
 * only what is at most `depth` edges away from it, in whichever direction, is left. A pure function of a state, linear
 * in its rows.
 */
#ifndef CV_DIALOGUE_NETWORK_H
#define CV_DIALOGUE_NETWORK_H

#include "dialogue/view/address.h"
#include "dialogue/view/chart.h"

typedef enum { CV_EDGE_REFERENCE, CV_EDGE_VERDICT, CV_EDGE_MOVE, CV_EDGE_RAISED, CV_EDGE_COUNT } cv_edge_kind;
extern const cv_words cv_edge_words; /* "reference", "verdict", "move", "raised" */

typedef struct {
    cv_str id, label, status; /* status: of entities only */
    cv_thing thing;           /* entity, expert or verdict */
    cv_kind kind;             /* of an entity */
    cv_str type;              /* "perspective", "expert", "verdict" */
    cv_str contributors;      /* JSON; absent for experts */
    int64_t round;            /* CV_ABSENT for experts */
} cv_node;

typedef struct {
    uint32_t source, target; /* nodes */
    cv_edge_kind kind;
    cv_str type; /* "refine", "recommendations_adopted", "defend", "raised" */
    int64_t round;
} cv_edge;

typedef struct {
    int64_t round;       /* only what was raised or decided in it; CV_ABSENT: any */
    uint32_t kinds;      /* bits of cv_kind; 0: all */
    cv_words statuses;   /* of entities; none: all */
    const cv_str *focus; /* the id of a node; NULL: none */
    size_t depth;        /* edges from the focus */
    bool verdicts, experts, moves;
} cv_network_query;

typedef struct {
    CV_STATE_LIST(cv_node) nodes;
    CV_STATE_LIST(cv_edge) edges;
} cv_network;

/* `s` has entities, references, experts, verdicts and, when they are asked for, moves. */
void cv_network_of(cv_arena *a, const cv_state *s, const cv_network_query *query, cv_network *ret);

/* As text for programs that draw. Labels may hold anything: whatever means something in the format is written as its
 * code, line ends become blanks, and long labels are cut. */
void cv_network_mermaid(const cv_network *n, cv_arena *a, cv_buf *out);
void cv_network_dot(const cv_network *n, cv_arena *a, cv_str title, cv_buf *out);

/* For people: nodes below each other, with lines between them, on an empty chart. */
cv_str cv_network_draw(const cv_network *n, cv_chart paper);

/* `text` between the quotes of a label. */
void cv_mermaid_text(cv_buf *out, cv_str text);
void cv_dot_text(cv_buf *out, cv_str text);

#endif
