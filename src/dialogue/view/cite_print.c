/* cite_print.c - citations in answers; see cite.h. What does not apply to a thing is left out. */
#include "dialogue/view/cite.h"

/* ---- what a thing is --------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_rec_entity
static const cv_shape entity[] = {
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD(ALWAYS, label, "of an expert the role, of a verdict the recommendation, of a round the title"),
    CV_FIELD(ALWAYS, status, ""),
    CV_FIELD(ALWAYS, content, "of a verdict and an expert the description, of a round the summary"),
    CV_JSON_AS(OR_EMPTY, NAMES, "contributors", contributors, ""),
    CV_JSON_AS(IF_ANY, MAP, "parameters", parameters, ""),
    CV_JSON_AS(IF_ANY, MAP, "correction", correction, "who changed label or content since, and why"),
    CV_FIELD(IF_ANY, adopted_in_verdict, ""),
    CV_FIELD(ALWAYS, created_at, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_rec_expert
static const cv_shape expert[] = {
    CV_FIELD_AS(ALWAYS, "label", role, ""),
    CV_FIELD(ALWAYS, tier, ""),
    CV_FIELD(ALWAYS, source, ""),
    CV_JSON_AS(IF_ANY, NUMBER, "relevance", relevance, ""),
    CV_FIELD(IF_ANY, focus, ""),
    CV_FIELD_AS(IF_ANY, "content", description, ""),
    CV_FIELD(IF_ANY, creation_reason, ""),
    CV_FIELD(IF_ANY, first_round, ""),
    CV_FIELD(OR_ZERO, total_score, ""),
    CV_FIELD(ALWAYS, created_at, ""),
    {0},
};
#undef CV_THIS_TYPE

/* ---- what surrounds it ------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_rec_origin
static const cv_shape receipt[] = {
    CV_FIELD(ALWAYS, response_sha256, ""),
    CV_FIELD_AS(IF_ANY, "start", range_start, ""),
    CV_FIELD_AS(IF_ANY, "end", range_end, ""),
    {0},
};
static const cv_shape origin[] = {
    CV_FIELD(ALWAYS, local_id, ""),
    CV_FIELD_AS(IF_ANY, "expert", expert_slug, ""),
    CV_GROUP_IF(response_sha256, "receipt", receipt, "its place in the expert's response, in bytes"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_cite_link
static const cv_shape link_out[] = {
    CV_FIELD(ALWAYS, type, ""),  CV_FIELD_AS(ALWAYS, "target", id, ""), CV_FIELD(ALWAYS, label, ""),
    CV_FIELD(ALWAYS, round, ""), CV_FIELD(IF_ANY, reason, ""),          {0},
};
static const cv_shape link_in[] = {
    CV_FIELD(ALWAYS, type, ""),
    CV_FIELD_AS(ALWAYS, "source", id, ""),
    CV_FIELD(ALWAYS, label, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "by", by, ""),
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD(IF_ANY, reason, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_rec_move
static const cv_shape move[] = {
    CV_FIELD_AS(ALWAYS, "type", move_type, ""),
    CV_FIELD_AS(ALWAYS, "expert", expert_slug, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "targets", targets, ""),
    CV_FIELD(IF_ANY, context, ""),
    CV_FIELD(ALWAYS, round, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_mention
static const cv_shape mention[] = {
    CV_FIELD_OF(ALWAYS, verdict, verdict_id, ""),
    CV_FIELD_OF(ALWAYS, verdict, verdict_type, ""),
    CV_FIELD(ALWAYS, list, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_named
static const cv_shape named[] = {
    CV_FIELD(ALWAYS, list, ""),
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD(ALWAYS, label, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_raised
static const cv_shape raised[] = {
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD_OF(ALWAYS, entity, label, ""),
    CV_FIELD_OF(ALWAYS, entity, status, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_rec_score
static const cv_shape score[] = {
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD_AS(ALWAYS, "expert", expert_slug, ""),
    CV_FIELD(IF_ANY, score, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_rec_position
static const cv_shape position[] = {
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD_AS(ALWAYS, "expert", expert_slug, ""),
    CV_FIELD(ALWAYS, content, ""),
    {0},
};
#undef CV_THIS_TYPE

/* ---- the whole --------------------------------------------------------------------------------------------------- */

#define REFERENCES                                                                                                     \
    CV_LIST("references_out", from.items, from.count, link_out, "from it"),                                            \
        CV_LIST("references_in", to.items, to.count, link_in, "to it")
#define MOVES                                                                                                          \
    CV_LIST_AT("moves", moves.items, moves.count, move, "that name it; of an expert and a round their own too")
#define RAISED                                                                                                         \
    CV_LIST("raised", raised.items, raised.count, raised, "by an expert, in a round"),                                 \
        CV_LIST_AT("scores", scores.items, scores.count, score, ""),                                                   \
        CV_LIST_AT("positions", positions.items, positions.count, position, "text under no mark")

#define CV_THIS_TYPE cv_citation
static const cv_shape of_entity[] = {
    CV_SPREAD_AT(entity, entity),
    CV_LIST_AT("local_ids", origins.items, origins.count, origin, ""),
    REFERENCES,
    MOVES,
    CV_LIST("verdicts", mentions.items, mentions.count, mention, "that name it"),
    {0},
};

static const cv_shape of_expert[] = {
    CV_SPREAD_AT(expert, expert), REFERENCES, MOVES, RAISED, {0},
};

static const cv_shape of_verdict[] = {
    CV_FIELD_OF(ALWAYS, verdict, round, ""),
    CV_FIELD_OF(ALWAYS, verdict, verdict_id, ""),
    CV_FIELD_OF(ALWAYS, verdict, verdict_type, ""),
    CV_FIELD_OF_AS(ALWAYS, "label", verdict, recommendation, ""),
    CV_FIELD_OF_AS(ALWAYS, "content", verdict, description, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "contributors", author, ""),
    CV_JSON_OF_AS(IF_ANY, NAMES, "supporting_experts", verdict, supporting_experts, ""),
    CV_JSON_OF_AS(IF_ANY, NAMES, "conditions", verdict, conditions, ""),
    CV_FIELD_OF(IF_ANY, verdict, vote, ""),
    CV_FIELD_OF(IF_ANY, verdict, confidence, ""),
    CV_JSON_OF_AS(IF_ANY, ANY, "ethos_compliance", verdict, ethos_compliance, ""),
    CV_FIELD_OF(IF_ANY, verdict, warning, ""),
    CV_FIELD_OF(ALWAYS, verdict, created_at, ""),
    CV_LIST("names", names.items, names.count, named, "what a verdict names"),
    {0},
};

static const cv_shape of_round[] = {
    CV_FIELD_OF(ALWAYS, round, round, ""),
    CV_FIELD_OF_AS(IF_ANY, "label", round, title, ""),
    CV_FIELD_OF(ALWAYS, round, status, ""),
    CV_FIELD_OF_AS(IF_ANY, "content", round, summary, ""),
    CV_FIELD_OF_AS(ALWAYS, "total_score", round, score, ""),
    CV_JSON_OF_AS(IF_ANY, MAP, "score_components", round, score_components, ""),
    CV_TEXTS("panel", panel.items, panel.count, ""),
    CV_FIELD_OF(ALWAYS, round, created_at, ""),
    MOVES,
    RAISED,
    {0},
};

const cv_shape cv_citation_shape[] = {
    CV_FIELD_AS(ALWAYS, "id", what.id, "in its one spelling: P0101, @muffin, verdict-final, round-1"),
    CV_FIELD(ALWAYS, kind, "perspective … claim, expert, verdict, round"),
    CV_TEXTS("asked", asked.items, asked.count, "the spellings of the request"),
    CV_CASE(entity, of_entity),
    CV_CASE(expert, of_expert),
    CV_CASE(verdict, of_verdict),
    CV_CASE(round, of_round),
    CV_OBJECT_AT(IF_ANY, "last_event", last, cv_moment_shape, "as in 'history'"),
    CV_FIELD(ALWAYS, event_count, ""),
    {0},
};
#undef CV_THIS_TYPE
