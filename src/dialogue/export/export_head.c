/* export_head.c - the short parts of an export: the dialogue, its experts, its moves and verdicts; see exporter.h.
 *
 * Keys are those of the specification's single dialogue.json, in its order. What the record does not have is null where
 * the specification shows the key for every dialogue, and left out where it shows it for some.
 */
#include <stdlib.h>

#include "dialogue/export/exporter.h"
#include "record/hash.h"

const cv_str cv_export_format = CV_STR_INIT("conclave-dialogue 1");

void cv_export_line(cv_export *x, bool one)
{
    x->w.indent = one ? 0 : 2;
}

void cv_export_key_text(cv_export *x, const char *key, cv_str text)
{
    cv_json_key(&x->w, cv_str_of(key));
    if (text.p)
        cv_json_str(&x->w, text);
    else
        cv_json_null(&x->w);
}

void cv_export_key_int(cv_export *x, const char *key, int64_t value)
{
    cv_json_key(&x->w, cv_str_of(key));
    if (value == CV_ABSENT)
        cv_json_null(&x->w);
    else
        cv_json_int(&x->w, value);
}

static void key_text_if(cv_export *x, const char *key, cv_str text)
{
    if (text.p)
        cv_export_key_text(x, key, text);
}

void cv_export_key_list(cv_export *x, const char *key, cv_str json)
{
    cv_json_key(&x->w, cv_str_of(key));
    cv_json_raw(&x->w, json.n ? json : CV_STR("[]"));
}

/* ---- calibration ------------------------------------------------------------------------------------------------- */

/* The value of a stored JSON text; null when it is absent. */
static cv_json stored(cv_export *x, cv_str json)
{
    cv_json value = {.type = CV_JSON_NULL};
    cv_err ignored = {.arena = x->call->arena};
    if (json.n > 0 && !cv_json_parse(x->call->arena, json, &value, &ignored))
        value = (cv_json){.type = CV_JSON_NULL};
    return value;
}

static int64_t list_length(const cv_json *object, cv_str key)
{
    const cv_json *list = cv_json_get(object, key);
    return list && list->type == CV_JSON_ARRAY ? list->count : 0;
}

/* How far the last verdict that says so keeps to the rules. */
static void write_compliance(cv_export *x)
{
    cv_json found = {.type = CV_JSON_NULL};
    int64_t last = -1;
    for (size_t i = 0; i < x->s.verdicts.count; i++) {
        const cv_rec_verdict *v = &x->s.verdicts.items[i];
        if (v->ethos_compliance.n > 0 && v->position > last) {
            found = stored(x, v->ethos_compliance);
            last = v->position;
        }
    }
    if (found.type != CV_JSON_OBJECT)
        return;
    const cv_json *full = cv_json_get(&found, CV_STR("fully_compliant"));
    cv_json_key(&x->w, CV_STR("compliance"));
    cv_json_begin_object(&x->w);
    cv_json_key_bool(&x->w, "fully_compliant", full && full->type == CV_JSON_TRUE);
    cv_json_key_int(&x->w, "exceptions", list_length(&found, CV_STR("exceptions")));
    cv_json_key_int(&x->w, "violations", list_length(&found, CV_STR("violations")));
    cv_json_end_object(&x->w);
}

static void write_calibration(cv_export *x)
{
    const cv_rec_dialogue *d = &x->s.dialogue;
    if (d->calibrated != 1)
        return;
    cv_json calibration = stored(x, d->calibration);
    cv_json_key(&x->w, CV_STR("calibration"));
    cv_json_begin_object(&x->w);
    cv_export_line(x, true);
    cv_json_key_bool(&x->w, "calibrated", true);
    cv_export_key_text(x, "domain", d->domain_id);
    cv_export_key_text(x, "ethos_id", d->ethos_id);
    cv_json_key_int(&x->w, "rules_count", list_length(&calibration, CV_STR("rules")));
    write_compliance(x);
    cv_json_end_object(&x->w);
    cv_export_line(x, false);
}

/* ---- experts ----------------------------------------------------------------------------------------------------- */

static void write_scores(cv_export *x, cv_str slug)
{
    cv_json_key(&x->w, CV_STR("scores"));
    cv_json_begin_object(&x->w);
    for (size_t i = 0; i < x->s.scores.count; i++) {
        const cv_rec_score *score = &x->s.scores.items[i];
        if (!cv_str_eq(score->expert_slug, slug))
            continue;
        cv_json_key(&x->w, cv_arena_printf(x->call->arena, "%lld", (long long)score->round));
        cv_json_int(&x->w, score->score);
    }
    cv_json_end_object(&x->w);
}

static void write_expert(cv_export *x, const cv_rec_expert *e)
{
    cv_json_begin_object(&x->w);
    cv_export_line(x, true);
    cv_json_key_str(&x->w, "slug", e->expert_slug);
    cv_export_key_text(x, "role", e->role);
    cv_export_key_text(x, "tier", e->tier);
    cv_export_key_text(x, "source", e->source);
    key_text_if(x, "creationReason", e->creation_reason);
    key_text_if(x, "description", e->description);
    key_text_if(x, "focus", e->focus);
    write_scores(x, e->expert_slug);
    cv_export_key_int(x, "total", e->total_score);
    key_text_if(x, "color", e->color);
    cv_json_end_object(&x->w);
    cv_export_line(x, false);
}

void cv_export_head(cv_export *x)
{
    const cv_rec_dialogue *d = &x->s.dialogue;
    cv_export_line(x, false);
    cv_json_begin_object(&x->w);
    cv_json_key_str(&x->w, "format", cv_export_format);
    cv_json_key_str(&x->w, "id", x->s.id);
    cv_export_key_text(x, "title", d->title);
    cv_export_key_text(x, "question", d->question);
    cv_export_key_text(x, "date", cv_str_head(d->created_at, 10));
    cv_export_key_text(x, "status", d->status);
    cv_export_key_int(x, "totalRounds", d->total_rounds);
    cv_export_key_int(x, "totalAlignment", d->total_alignment);
    write_calibration(x);
    cv_json_key_raw_if(&x->w, "expert_pool", d->expert_pool);
    cv_json_key(&x->w, CV_STR("experts"));
    cv_json_begin_array(&x->w);
    for (size_t i = 0; i < x->s.experts.count; i++)
        write_expert(x, &x->s.experts.items[i]);
    cv_json_end_array(&x->w);
}

/* ---- moves and verdicts ------------------------------------------------------------------------------------------ */

static int by_round_and_position(const void *x, const void *y)
{
    const cv_rec_move *a = x, *b = y;
    int order = CV_ORDER(a->round, b->round);
    order = order ? order : CV_ORDER(a->position, b->position);
    return order ? order : cv_row_order(&cv_rec_move_type, x, y);
}

static void write_move(cv_export *x, const cv_rec_move *m)
{
    cv_json_begin_object(&x->w);
    cv_export_line(x, true);
    cv_json_key_str(&x->w, "expert", m->expert_slug);
    cv_json_key_int(&x->w, "round", m->round);
    cv_json_key_str(&x->w, "type", m->move_type);
    cv_export_key_list(x, "targets", m->targets);
    key_text_if(x, "context", m->context);
    cv_json_end_object(&x->w);
    cv_export_line(x, false);
}

static int by_verdict_position(const void *x, const void *y)
{
    const cv_rec_verdict *a = x, *b = y;
    int order = CV_ORDER(a->position, b->position);
    return order ? order : cv_row_order(&cv_rec_verdict_type, x, y);
}

static void write_verdict(cv_export *x, const cv_rec_verdict *v)
{
    cv_json_begin_object(&x->w);
    cv_export_line(x, true);
    cv_json_key_str(&x->w, "id", v->verdict_id);
    cv_export_key_text(x, "type", v->verdict_type);
    cv_export_key_int(x, "round", v->round);
    cv_export_key_text(x, "author", v->author_expert);
    cv_export_key_text(x, "recommendation", v->recommendation);
    cv_export_key_text(x, "description", v->description);
    cv_export_key_list(x, "conditions", v->conditions);
    cv_export_key_list(x, "tensionsResolved", v->tensions_resolved);
    cv_export_key_list(x, "tensionsAccepted", v->tensions_accepted);
    cv_export_key_list(x, "recommendationsAdopted", v->recommendations_adopted);
    cv_export_key_list(x, "keyEvidence", v->key_evidence);
    cv_export_key_list(x, "keyClaims", v->key_claims);
    cv_json_key_raw_if(&x->w, "supportingExperts", v->supporting_experts);
    cv_export_key_text(x, "vote", v->vote);
    cv_export_key_text(x, "confidence", v->confidence);
    cv_json_key_raw_if(&x->w, "ethosCompliance", v->ethos_compliance);
    key_text_if(x, "warning", v->warning);
    cv_json_end_object(&x->w);
    cv_export_line(x, false);
}

/* What experts said about others before any entity of their own: references from @muffin. */
static void write_loose_references(cv_export *x)
{
    const cv_groups *from = &x->g.links_from;
    cv_json_key(&x->w, CV_STR("references"));
    cv_json_begin_array(&x->w);
    for (uint32_t i = from->starts[CV_PLACES]; i < from->starts[CV_PLACES + 1]; i++)
        cv_export_reference(x, &x->g.links.items[from->order[i]], true);
    cv_json_end_array(&x->w);
}

void cv_export_tail(cv_export *x)
{
    cv_state *s = &x->s;
    write_loose_references(x);
    if (s->moves.count > 1)
        qsort(s->moves.items, s->moves.count, sizeof *s->moves.items, by_round_and_position);
    cv_json_key(&x->w, CV_STR("moves"));
    cv_json_begin_array(&x->w);
    for (size_t i = 0; i < s->moves.count; i++)
        write_move(x, &s->moves.items[i]);
    cv_json_end_array(&x->w);
    if (s->verdicts.count > 1)
        qsort(s->verdicts.items, s->verdicts.count, sizeof *s->verdicts.items, by_verdict_position);
    cv_json_key(&x->w, CV_STR("verdicts"));
    cv_json_begin_array(&x->w);
    for (size_t i = 0; i < s->verdicts.count; i++)
        write_verdict(x, &s->verdicts.items[i]);
    cv_json_end_array(&x->w);
}
