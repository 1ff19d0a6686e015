/* export_entities.c - perspectives, recommendations, tensions, evidence and claims, one line each; see exporter.h.
 *
 * Entities come from the store by kind, round and number, and each is written when it comes. Around its own text stand
 * its references and events from the graph, and lists that the specification's first shape has for its kind, derived
 * from the references:
 *
 *     recommendations   addresses_tensions, builds_on          evidence   supports
 *     tensions          relatedPerspectives                    claims     depends_on
 */
#include <stdlib.h>

#include "dialogue/export/exporter.h"
#include "dialogue/words/limits.h"

/* Round numbers are most of the numbers of an export; printf is slow for them. */
static void key_round(cv_export *x, int64_t value)
{
    char digits[2] = {(char)('0' + value / 10 % 10), (char)('0' + value % 10)};
    if (value < 0 || value > 99) {
        cv_json_key_int(&x->w, "round", value);
        return;
    }
    cv_json_key(&x->w, CV_STR("round"));
    cv_json_raw(&x->w, value < 10 ? (cv_str){digits + 1, 1} : (cv_str){digits, 2});
}

static void key_name(cv_export *x, const char *key, cv_name name)
{
    char id[6];
    if (name != CV_NO_NAME)
        cv_json_key_str(&x->w, key, cv_name_text(&x->g, name, id));
}

/* ---- references -------------------------------------------------------------------------------------------------- */

void cv_export_reference(cv_export *x, const cv_link *link, bool with_source)
{
    cv_json_begin_object(&x->w);
    if (with_source) {
        cv_export_line(x, true);
        key_name(x, "source", link->source);
        key_round(x, link->round);
    }
    cv_json_key_str(&x->w, "type", cv_ref_words.items[link->type]);
    key_name(x, "target", link->target);
    key_name(x, "reason", link->reason);
    cv_json_end_object(&x->w);
    if (with_source)
        cv_export_line(x, false);
}

static void write_references(cv_export *x, uint32_t place)
{
    const cv_groups *from = &x->g.links_from;
    cv_json_key(&x->w, CV_STR("references"));
    cv_json_begin_array(&x->w);
    for (uint32_t i = from->starts[place]; i < from->starts[place + 1]; i++)
        cv_export_reference(x, &x->g.links.items[from->order[i]], false);
    cv_json_end_array(&x->w);
}

/* Which references make which list: types and kinds of targets are sets of bits. */
#define REFS(ref) (1u << CV_REF_##ref)
#define ALL_KINDS ((1u << CV_KIND_COUNT) - 1)
static const struct {
    cv_kind kind;
    const char *key;
    unsigned refs, targets;
} derived[] = {
    {CV_KIND_RECOMMENDATION, "addresses_tensions", REFS(ADDRESS) | REFS(RESOLVE), 1u << CV_KIND_TENSION},
    {CV_KIND_RECOMMENDATION, "builds_on", REFS(DEPEND) | REFS(REFINE), ALL_KINDS & ~(1u << CV_KIND_TENSION)},
    {CV_KIND_EVIDENCE, "supports", REFS(SUPPORT), ALL_KINDS},
    {CV_KIND_CLAIM, "depends_on", REFS(DEPEND), ALL_KINDS},
};

static int by_name(const void *x, const void *y)
{
    const cv_name *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* The collected ids, sorted, each once; the list is empty again afterwards. */
static void write_collected(cv_export *x)
{
    char id[6];
    if (x->ids.count > 1)
        qsort(x->ids.items, x->ids.count, sizeof *x->ids.items, by_name);
    cv_json_begin_array(&x->w);
    for (size_t i = 0; i < x->ids.count; i++)
        if (i == 0 || x->ids.items[i] != x->ids.items[i - 1])
            cv_json_str(&x->w, cv_name_text(&x->g, x->ids.items[i], id));
    cv_json_end_array(&x->w);
    x->ids.count = 0;
}

static void collect_if(cv_export *x, cv_name name, unsigned kinds)
{
    if (name < CV_PLACES && (kinds >> cv_place_kind(name) & 1))
        *CV_PUSH(x->call->arena, &x->ids) = name;
}

static void collect_targets(cv_export *x, uint32_t place, unsigned refs, unsigned kinds)
{
    const cv_groups *from = &x->g.links_from;
    for (uint32_t i = from->starts[place]; i < from->starts[place + 1]; i++) {
        const cv_link *link = &x->g.links.items[from->order[i]];
        if (refs >> link->type & 1)
            collect_if(x, link->target, kinds);
    }
}

/* The perspectives that a tension refers to or that refer to it. */
static void write_related(cv_export *x, uint32_t place)
{
    const cv_groups *to = &x->g.links_to;
    const unsigned perspectives = 1u << CV_KIND_PERSPECTIVE;
    collect_targets(x, place, ~0u, perspectives);
    for (uint32_t i = to->starts[place]; i < to->starts[place + 1]; i++)
        collect_if(x, x->g.links.items[to->order[i]].source, perspectives);
    cv_json_key(&x->w, CV_STR("relatedPerspectives"));
    write_collected(x);
}

static void write_derived(cv_export *x, cv_kind kind, uint32_t place)
{
    if (kind == CV_KIND_TENSION)
        write_related(x, place);
    for (size_t i = 0; i < CV_COUNT(derived); i++) {
        if (derived[i].kind != kind)
            continue;
        cv_json_key(&x->w, cv_str_of(derived[i].key));
        collect_targets(x, place, derived[i].refs, derived[i].targets);
        write_collected(x);
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* What a correction replaced: {"old": {"label": …}} in the event's data. */
static void write_corrected(cv_export *x, const cv_happening *event)
{
    char unused[6];
    cv_str data = cv_name_text(&x->g, event->data, unused);
    cv_json json;
    cv_err err = {.arena = x->call->arena};
    const cv_json *old =
        data.n && cv_json_parse(x->call->arena, data, &json, &err) ? cv_json_get(&json, CV_STR("old")) : NULL;
    if (!old)
        return;
    cv_json_key(&x->w, CV_STR("old"));
    cv_json_value(&x->w, old);
}

static void write_events(cv_export *x, uint32_t place)
{
    const cv_graph *g = &x->g;
    char unused[6];
    cv_json_key(&x->w, CV_STR("events"));
    cv_json_begin_array(&x->w);
    for (uint32_t i = g->events_of.starts[place]; i < g->events_of.starts[place + 1]; i++) {
        const cv_happening *event = &g->events.items[g->events_of.order[i]];
        cv_json_begin_object(&x->w);
        key_name(x, "type", event->type);
        if (event->round <= CV_MAX_ROUND)
            key_round(x, event->round);
        cv_export_key_list(x, "by", cv_name_text(g, event->actors, unused));
        key_name(x, "result", event->result);
        key_name(x, "reference", event->reference);
        key_name(x, "reason", event->reason);
        write_corrected(x, event);
        cv_json_end_object(&x->w);
    }
    cv_json_end_array(&x->w);
}

/* ---- entities ---------------------------------------------------------------------------------------------------- */

/* Begins the lists up to that of `kind`; those in between are empty. */
static void begin_section(cv_export *x, int kind)
{
    for (; x->section <= kind; x->section++) {
        if (x->section > 0)
            cv_json_end_array(&x->w);
        cv_json_key(&x->w, cv_kinds[x->section].plural);
        cv_json_begin_array(&x->w);
    }
}

static void write_entity(cv_export *x, const cv_rec_entity *e, cv_kind kind, uint32_t place, cv_str id)
{
    cv_json_key_str(&x->w, "id", id);
    cv_json_key_str(&x->w, "label", e->label);
    cv_export_key_text(x, kind == CV_KIND_TENSION ? "description" : "content", e->content);
    cv_export_key_list(x, "contributors", e->contributors);
    key_round(x, e->round);
    cv_json_key_str(&x->w, "status", e->status);
    cv_json_key_raw_if(&x->w, "parameters", e->parameters);
    cv_json_key_raw_if(&x->w, "correction", e->correction);
    write_references(x, place);
    cv_json_key_str_if(&x->w, "adoptedInVerdict", e->adopted_in_verdict);
    write_events(x, place);
    cv_json_key(&x->w, CV_STR("origin"));
    cv_json_begin_object(&x->w);
    key_round(x, e->round);
    cv_export_key_list(x, "contributors", e->contributors);
    cv_json_end_object(&x->w);
    write_derived(x, kind, place);
}

void cv_export_entity(cv_export *x, const cv_rec_entity *entity)
{
    cv_kind kind = (cv_kind)cv_kind_of_letter(entity->kind.p[0]);
    uint32_t place = cv_place_of_entity(entity);
    char text[6];
    cv_str id = cv_name_text(&x->g, place, text);
    begin_section(x, (int)kind);
    cv_json_begin_object(&x->w);
    cv_export_line(x, true);
    write_entity(x, entity, kind, place, id);
    cv_json_end_object(&x->w);
    cv_export_line(x, false);
    x->counts[kind]++;
    if (!(x->g.marks[place] & CV_MARK_SOURCED))
        x->unsourced++;
    cv_export_warn_entity(x, entity, id);
}

void cv_export_entities_end(cv_export *x)
{
    begin_section(x, CV_KIND_COUNT - 1);
    cv_json_end_array(&x->w);
}
