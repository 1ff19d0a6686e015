/* types.c - the tables behind types.h, and what a search sees of a dialogue.
 *
 *     P R T E C   label             content
 *     dialogue    title             question, texts of the background
 *     round       title             summary
 *     response                      the response
 *     position                      what is under no mark in it
 *     verdict     recommendation    description, conditions
 *
 * Local ids are further words by which an entity is found.
 */
#include "dialogue/types.h"

#include "base/json.h"
#include "dialogue/words/id.h"

/* ---- what a search sees ------------------------------------------------------------------------------------------ */

/* Every text in a JSON value, each on a line of its own. */
static void add_texts(cv_buf *out, const cv_json *value)
{
    if (value->type == CV_JSON_STRING) {
        cv_buf_add_char(out, '\n');
        cv_buf_add(out, value->text);
    }
    for (uint32_t i = 0; value->type == CV_JSON_ARRAY && i < value->count; i++)
        add_texts(out, &value->items[i]);
    for (uint32_t i = 0; value->type == CV_JSON_OBJECT && i < value->count; i++)
        add_texts(out, &value->members[i].value);
}

static cv_str with_texts(cv_arena *a, cv_str text, cv_str json)
{
    cv_json value;
    cv_err ignored = {.arena = a}; /* what is not JSON has no texts; verify reports it */
    cv_buf out = {0};
    cv_buf_add(&out, text);
    if (json.n && cv_json_parse(a, json, &value, &ignored))
        add_texts(&out, &value);
    return cv_buf_take(&out, a);
}

static cv_str or_empty(cv_str text)
{
    return text.p ? text : CV_STR("");
}

static bool search_dialogue(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_rec_dialogue *d = row;
    *ret = (cv_search_text){.kind = CV_STR("dialogue"),
                            .id = d->id,
                            .title = or_empty(d->title),
                            .body = with_texts(a, d->question, d->background),
                            .status = d->status};
    return true;
}

static bool search_round(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_rec_round *r = row;
    *ret = (cv_search_text){.kind = CV_STR("round"),
                            .id = cv_arena_printf(a, "%lld", (long long)r->round),
                            .title = or_empty(r->title),
                            .body = r->summary,
                            .status = r->status};
    return true;
}

static bool search_response(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_rec_response *r = row;
    *ret = (cv_search_text){.kind = CV_STR("response"),
                            .id = cv_arena_printf(a, "%lld/%.*s", (long long)r->round, CV_FMT(r->expert_slug)),
                            .title = CV_STR(""),
                            .body = r->content,
                            .people = cv_arena_printf(a, "[\"%.*s\"]", CV_FMT(r->expert_slug))};
    return true;
}

static bool search_position(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_rec_position *p = row;
    *ret = (cv_search_text){.kind = CV_STR("position"),
                            .id = cv_arena_printf(a, "%lld/%.*s", (long long)p->round, CV_FMT(p->expert_slug)),
                            .title = CV_STR(""),
                            .body = p->content,
                            .people = cv_arena_printf(a, "[\"%.*s\"]", CV_FMT(p->expert_slug))};
    return true;
}

/* False: the letter is none of ours. */
static bool display_id(cv_arena *a, cv_str letter, int64_t round, int64_t seq, cv_str *ret_kind, cv_str *ret_id)
{
    int kind = letter.n == 1 ? cv_kind_of_letter(letter.p[0]) : -1;
    if (kind < 0)
        return false;
    *ret_kind = cv_kinds[kind].word;
    *ret_id = cv_arena_printf(a, "%.*s%02lld%02lld", CV_FMT(letter), (long long)round, (long long)seq);
    return true;
}

static bool search_entity(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_rec_entity *e = row;
    *ret = (cv_search_text){
        .title = or_empty(e->label), .body = e->content, .status = e->status, .people = e->contributors};
    if (!display_id(a, e->kind, e->round, e->seq, &ret->kind, &ret->id)) {
        ret->kind = ret->id = CV_STR("unknown");
        return false;
    }
    ret->ids = ret->id;
    return true;
}

/* A local id is a further name of its entity. */
static bool search_origin(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_rec_origin *o = row;
    int kind = o->display_id.n ? cv_kind_of_letter(o->display_id.p[0]) : -1;
    (void)a;
    *ret = (cv_search_text){
        .kind = kind < 0 ? CV_STR("unknown") : cv_kinds[kind].word, .id = o->display_id, .ids = o->local_id};
    return kind >= 0;
}

static bool search_verdict(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_rec_verdict *v = row;
    cv_json supporting;
    cv_err ignored = {.arena = a};
    cv_buf people = {0};
    cv_json_writer w = {.out = &people};
    cv_str author = v->author_expert.p ? v->author_expert : CV_STR("judge");
    cv_json_begin_array(&w);
    cv_json_str(&w, author);
    if (v->supporting_experts.n && cv_json_parse(a, v->supporting_experts, &supporting, &ignored) &&
        supporting.type == CV_JSON_ARRAY)
        for (uint32_t i = 0; i < supporting.count; i++)
            if (supporting.items[i].type == CV_JSON_STRING && !cv_str_eq(supporting.items[i].text, author))
                cv_json_str(&w, supporting.items[i].text);
    cv_json_end_array(&w);
    *ret = (cv_search_text){.kind = CV_STR("verdict"),
                            .id = v->verdict_id,
                            .title = or_empty(v->recommendation),
                            .body = with_texts(a, v->description, v->conditions),
                            .status = v->verdict_type,
                            .people = cv_buf_take(&people, a)};
    return true;
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static const cv_index dialogue_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(cv_rec_dialogue, rev)),
    CV_INDEX("status", ACROSS, CV_AT(cv_rec_dialogue, status), CV_AT(cv_rec_dialogue, id)),
    CV_INDEX("created", ACROSS, CV_AT(cv_rec_dialogue, created_at)),
    CV_INDEX("archived", ACROSS, CV_AT(cv_rec_dialogue, archived), CV_AT(cv_rec_dialogue, id)),
};
static const cv_index round_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_rec_round, rev))};
static const cv_index response_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_rec_response, rev))};
static const cv_index entity_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_rec_entity, rev))};
static const cv_index origin_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(cv_rec_origin, rev)),
    CV_INDEX("display", SCOPE, CV_AT(cv_rec_origin, display_id)),
};
static const cv_index reference_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(cv_rec_reference, rev)),
    CV_INDEX("target", SCOPE, CV_AT(cv_rec_reference, target_id)),
};
static const cv_index position_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_rec_position, rev))};
static const cv_index verdict_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_rec_verdict, rev))};

const cv_index *const cv_dialogues_by_status = &dialogue_indexes[1];
const cv_index *const cv_dialogues_by_time = &dialogue_indexes[2];
const cv_index *const cv_dialogues_archived = &dialogue_indexes[3];
const cv_index *const cv_origins_by_display = &origin_indexes[1];
const cv_index *const cv_references_by_target = &reference_indexes[1];

#define CV_THIS_TYPE cv_rec_dialogue
CV_TYPE_TABLE(cv_rec_dialogue, "dialogue", "dialogues", CV_DIALOGUE_FIELDS, REPLACED, search_dialogue,
              CV_INDEXES(dialogue_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_expert
CV_TYPE_TABLE(cv_rec_expert, "expert", "experts", CV_EXPERT_FIELDS, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_seat
CV_TYPE_TABLE(cv_rec_seat, "seat", "panels", CV_SEAT_FIELDS, GROUPED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_round
CV_TYPE_TABLE(cv_rec_round, "round", "rounds", CV_ROUND_FIELDS, REPLACED, search_round, CV_INDEXES(round_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_score
CV_TYPE_TABLE(cv_rec_score, "score", "scores", CV_SCORE_FIELDS, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_response
CV_TYPE_TABLE(cv_rec_response, "response", "responses", CV_RESPONSE_FIELDS, REPLACED, search_response,
              CV_INDEXES(response_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_entity
CV_TYPE_TABLE(cv_rec_entity, "entity", "entities", CV_ENTITY_FIELDS, REPLACED, search_entity,
              CV_INDEXES(entity_indexes), .whole = true);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_origin
CV_TYPE_TABLE(cv_rec_origin, "origin", "origins", CV_ORIGIN_FIELDS, ADDED, search_origin, CV_INDEXES(origin_indexes),
              .whole = true);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_reference
CV_TYPE_TABLE(cv_rec_reference, "reference", "refs", CV_REFERENCE_FIELDS, ADDED, NULL, CV_INDEXES(reference_indexes),
              .whole = true);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_move
CV_TYPE_TABLE(cv_rec_move, "move", "moves", CV_MOVE_FIELDS, ADDED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_verdict
CV_TYPE_TABLE(cv_rec_verdict, "verdict", "verdicts", CV_VERDICT_FIELDS, REPLACED, search_verdict,
              CV_INDEXES(verdict_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_position
CV_TYPE_TABLE(cv_rec_position, "position", "positions", CV_POSITION_FIELDS, ADDED, search_position,
              CV_INDEXES(position_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_rec_imported
CV_TYPE_TABLE(cv_rec_imported, "imported", "imports", CV_IMPORTED_FIELDS, VOLATILE, NULL, .lasting = true);
#undef CV_THIS_TYPE

const cv_type *const cv_kind_types[] = {
#define X(id, name, fields) [CV_REC_##id] = &cv_rec_##name##_type,
    CV_RECORDS(X)
#undef X
        [CV_REC_EVENT] = &cv_event_row_type,
};
_Static_assert(CV_COUNT(cv_kind_types) == CV_REC_COUNT, "a type per kind of row");

static const cv_type *const dialogue_types[] = {
#define X(id, name, fields) &cv_rec_##name##_type,
    CV_RECORDS(X)
#undef X
        & cv_rec_imported_type,
};
const cv_room_types cv_dialogue_records = {CV_STR_INIT("dialogue"), dialogue_types, CV_COUNT(dialogue_types)};
