/* cite_print.c - citations as JSON; see cite.h. What does not apply to a thing is left out. */
#include "base/json.h"
#include "dialogue/people.h"
#include "dialogue/view/cite.h"

static void key_int_if(cv_json_writer *w, const char *key, int64_t value)
{
    if (value != CV_ABSENT)
        cv_json_key_int(w, key, value);
}

/* A list that is there even when it is empty. */
static void key_list(cv_json_writer *w, const char *key, cv_str json)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_raw(w, json.p ? json : CV_STR("[]"));
}

/* ---- what a thing is --------------------------------------------------------------------------------------------- */

static void print_entity(const cv_rec_entity *e, cv_json_writer *w)
{
    cv_json_key_int(w, "round", e->round);
    cv_json_key_str(w, "label", e->label);
    cv_json_key_str(w, "status", e->status);
    cv_json_key_str(w, "content", e->content);
    key_list(w, "contributors", e->contributors);
    cv_json_key_raw_if(w, "parameters", e->parameters);
    cv_json_key_str_if(w, "adopted_in_verdict", e->adopted_in_verdict);
    cv_json_key_str(w, "created_at", e->created_at);
}

static void print_expert(const cv_rec_expert *e, cv_json_writer *w)
{
    cv_json_key_str(w, "label", e->role);
    cv_json_key_str(w, "tier", e->tier);
    cv_json_key_str(w, "source", e->source);
    cv_json_key_raw_if(w, "relevance", e->relevance);
    cv_json_key_str_if(w, "focus", e->focus);
    cv_json_key_str_if(w, "content", e->description);
    cv_json_key_str_if(w, "creation_reason", e->creation_reason);
    key_int_if(w, "first_round", e->first_round);
    cv_json_key_int(w, "total_score", e->total_score == CV_ABSENT ? 0 : e->total_score);
    cv_json_key_str(w, "created_at", e->created_at);
}

static void print_verdict(const cv_rec_verdict *v, cv_arena *a, cv_json_writer *w)
{
    cv_str author = v->author_expert.p ? v->author_expert : cv_judge_slug;
    cv_json_key_int(w, "round", v->round);
    cv_json_key_str(w, "verdict_id", v->verdict_id);
    cv_json_key_str(w, "verdict_type", v->verdict_type);
    cv_json_key_str(w, "label", v->recommendation);
    cv_json_key_str(w, "content", v->description);
    key_list(w, "contributors", cv_json_texts(a, &author, 1));
    cv_json_key_raw_if(w, "supporting_experts", v->supporting_experts);
    cv_json_key_raw_if(w, "conditions", v->conditions);
    cv_json_key_str_if(w, "vote", v->vote);
    cv_json_key_str_if(w, "confidence", v->confidence);
    cv_json_key_raw_if(w, "ethos_compliance", v->ethos_compliance);
    cv_json_key_str_if(w, "warning", v->warning);
    cv_json_key_str(w, "created_at", v->created_at);
}

static void print_round(const cv_citations *c, const cv_rec_round *r, cv_json_writer *w)
{
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(&c->names, r->round, &seats);
    cv_json_key_int(w, "round", r->round);
    cv_json_key_str_if(w, "label", r->title);
    cv_json_key_str(w, "status", r->status);
    cv_json_key_str_if(w, "content", r->summary);
    cv_json_key_int(w, "total_score", r->score);
    cv_json_key_raw_if(w, "score_components", r->score_components);
    cv_json_key(w, CV_STR("panel"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        cv_json_str(w, seats[i].expert_slug);
    cv_json_end_array(w);
    cv_json_key_str(w, "created_at", r->created_at);
}

/* ---- what surrounds it ------------------------------------------------------------------------------------------- */

static void print_origins(const cv_citation *one, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("local_ids"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->origins.count; i++) {
        const cv_rec_origin *origin = one->origins.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "local_id", origin->local_id);
        cv_json_key_str_if(w, "expert", origin->expert_slug);
        if (origin->response_sha256.p) {
            cv_json_key(w, CV_STR("receipt"));
            cv_json_begin_object(w);
            cv_json_key_str(w, "response_sha256", origin->response_sha256);
            key_int_if(w, "start", origin->range_start);
            key_int_if(w, "end", origin->range_end);
            cv_json_end_object(w);
        }
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_references(const cv_citations *c, const cv_citation *one, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("references_out"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->from.count; i++) {
        const cv_rec_reference *ref = one->from.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", ref->ref_type);
        cv_json_key_str(w, "target", ref->target_id);
        cv_json_key_str(w, "label", cv_citations_label(c, ref->target_id));
        cv_json_key_int(w, "round", ref->round);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("references_in"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->to.count; i++) {
        const cv_rec_reference *ref = one->to.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", ref->ref_type);
        cv_json_key_str(w, "source", ref->source_id);
        cv_json_key_str(w, "label", cv_citations_label(c, ref->source_id));
        key_list(w, "by", cv_citations_by(c, ref->source_id));
        cv_json_key_int(w, "round", ref->round);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_moves(const cv_citation *one, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("moves"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->moves.count; i++) {
        const cv_rec_move *move = one->moves.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", move->move_type);
        cv_json_key_str(w, "expert", move->expert_slug);
        key_list(w, "targets", move->targets);
        cv_json_key_str_if(w, "context", move->context);
        cv_json_key_int(w, "round", move->round);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_mentions(const cv_citation *one, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("verdicts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->mentions.count; i++) {
        const cv_mention *mention = &one->mentions.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "verdict_id", mention->verdict->verdict_id);
        cv_json_key_str(w, "verdict_type", mention->verdict->verdict_type);
        cv_json_key_str(w, "list", cv_verdict_lists[mention->list].word);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_names(const cv_citations *c, const cv_citation *one, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("names"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->names.count; i++) {
        cv_json_begin_object(w);
        cv_json_key_str(w, "list", cv_verdict_lists[one->names.items[i].list].word);
        cv_json_key_str(w, "id", one->names.items[i].id);
        cv_json_key_str(w, "label", cv_citations_label(c, one->names.items[i].id));
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_raised(const cv_citations *c, const cv_citation *one, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("raised"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->raised.count; i++) {
        const cv_rec_entity *entity = one->raised.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "id", cv_entity_id(c->call->arena, entity));
        cv_json_key_str(w, "label", entity->label);
        cv_json_key_str(w, "status", entity->status);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("scores"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < one->scores.count; i++) {
        cv_json_begin_object(w);
        cv_json_key_int(w, "round", one->scores.items[i]->round);
        cv_json_key_str(w, "expert", one->scores.items[i]->expert_slug);
        key_int_if(w, "score", one->scores.items[i]->score);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_thing(const cv_citations *c, const cv_citation *one, cv_json_writer *w)
{
    if (one->entity)
        print_entity(one->entity, w);
    else if (one->expert)
        print_expert(one->expert, w);
    else if (one->verdict)
        print_verdict(one->verdict, c->call->arena, w);
    else
        print_round(c, one->round, w);
}

void cv_citation_print(const cv_citations *c, const cv_citation *one, cv_json_writer *w)
{
    bool is_wide = one->expert || one->round;
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", one->what.id);
    cv_json_key_str(w, "kind", cv_address_kind(&one->what));
    cv_json_key(w, CV_STR("asked"));
    cv_json_raw(w, cv_json_texts(c->call->arena, one->asked.items, one->asked.count));
    print_thing(c, one, w);
    if (one->entity)
        print_origins(one, w);
    if (one->entity || one->expert)
        print_references(c, one, w);
    if (one->entity || is_wide)
        print_moves(one, w);
    if (one->entity)
        print_mentions(one, w);
    if (one->verdict)
        print_names(c, one, w);
    if (is_wide)
        print_raised(c, one, w);
    if (one->event_count) {
        cv_json_key(w, CV_STR("last_event"));
        cv_moment_print(w, c->call->arena, &one->last);
    }
    cv_json_key_int(w, "event_count", (int64_t)one->event_count);
    cv_json_end_object(w);
}
