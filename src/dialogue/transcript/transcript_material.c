/* transcript_material.c - what a transcript is made of: read at one rev, grouped by round and speaker; see
 * transcript.h. */
#include "dialogue/panel/panel.h"
#include "dialogue/people.h"
#include "dialogue/transcript/parts.h"
#include "dialogue/transcript/transcript.h"
#include "dialogue/words/limits.h"

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static bool read_once(cv_call *call, cv_str id, cv_transcript *t, bool *ret_moved, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) |
                                       CV_REC_BIT(ROUND) | CV_REC_BIT(SCORE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(MOVE) |
                                       CV_REC_BIT(VERDICT) | CV_REC_BIT(POSITION)};
    cv_position position;
    *t = (cv_transcript){.arena = call->arena};
    if (!cv_state_load(call, id, &wanted, &t->s, err) || !cv_graph_load(call, &t->s, &t->g, &position, err))
        return false;
    *ret_moved = position.rev != t->s.position.rev;
    return true;
}

static bool read_rows(cv_call *call, cv_str id, cv_transcript *t, cv_err *err)
{
    bool moved = true;
    for (int tries = 0; moved && tries < CV_MAX_READINGS; tries++)
        if (!read_once(call, id, t, &moved, err))
            return false;
    if (!moved)
        return true;
    cv_err_set(err, CV_ERR_REV_CONFLICT, "others kept changing the dialogue (%d tries)", CV_MAX_READINGS);
    cv_err_suggest(err, CV_STR("try again"));
    return false;
}

/* Rounds are found by their number: one that is missing in a record that was tampered with must not go unnoticed. */
static bool check_rounds(const cv_transcript *t, cv_err *err)
{
    for (size_t i = 0; i < t->s.rounds.count; i++)
        if (t->s.rounds.items[i].round != (int64_t)i)
            return cv_stored_corrupt(err, "no round %zu, but a later one", i);
    return true;
}

static bool choose_round(cv_transcript *t, int64_t round, cv_err *err)
{
    int64_t last = (int64_t)t->s.rounds.count - 1;
    t->last = round == CV_ABSENT ? last : round;
    t->whole = t->last == last;
    if (t->last <= last)
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "round %lld is not registered", (long long)round);
    cv_err_field(err, CV_STR("round"));
    cv_err_value(err, cv_arena_printf(err->arena, "%lld", (long long)round));
    cv_err_suggest(err, last < 0 ? CV_STR("the dialogue has no rounds yet")
                                 : cv_arena_printf(err->arena, "the last one is %lld", (long long)last));
    return false;
}

/* ---- speakers --------------------------------------------------------------------------------------------------- */

size_t cv_transcript_speaker(const cv_transcript *t, cv_str slug)
{
    const cv_rec_expert *expert = cv_state_expert(&t->s, slug);
    return expert ? (size_t)(expert - t->s.experts.items) : t->speakers - 1;
}

static void name_speakers(cv_transcript *t)
{
    t->speakers = t->s.experts.count + 1;
    cv_str *names = CV_NEW_ARRAY(t->arena, t->speakers, cv_str), *faces = CV_NEW_ARRAY(t->arena, t->speakers, cv_str);
    for (size_t i = 0; i < t->speakers; i++) {
        bool judge = i + 1 == t->speakers;
        names[i] = judge ? cv_judge_name : cv_panel_display_name(t->arena, t->s.experts.items[i].expert_slug);
        faces[i] = cv_part_join(t->arena, judge ? cv_judge_emoji : cv_expert_emoji, " ", names[i]);
    }
    t->names = names;
    t->faces = faces;
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

/* Events follow each other: what was said about an earlier round, once a later one had begun, took effect in the later
 * one. */
static void date_events(cv_transcript *t)
{
    uint8_t *happened = CV_NEW_ARRAY(t->arena, t->g.events.count, uint8_t), now = 0;
    for (size_t i = 0; i < t->g.events.count; i++) {
        uint8_t round = t->g.events.items[i].round;
        now = round <= CV_MAX_ROUND && round > now ? round : now;
        happened[i] = now;
    }
    t->happened = happened;
}

/* The status that an event leads to, or -1. */
static int status_after(const cv_transcript *t, const cv_written_entity *told, uint32_t event)
{
    char unused[6];
    return cv_status_find(told->kind, cv_name_text(&t->g, t->g.events.items[event].type, unused));
}

static bool is_closed(int status)
{
    return status == CV_STATUS_TENSION_RESOLVED || status == CV_STATUS_TENSION_ACCEPTED;
}

/* How a tension stood when the round began. */
typedef struct {
    uint8_t round;
    int status, before;
} standing;

bool cv_transcript_is_standing(int status, int before)
{
    return is_closed(status) || status == CV_STATUS_TENSION_REOPENED ||
           (status == CV_STATUS_TENSION_ADDRESSED && is_closed(before));
}

/* The last status event of each round has the status of a tension at its end. */
static void note_settled(cv_transcript *t, const cv_written_entity *told, standing *s, uint32_t event)
{
    uint32_t before = told->became;
    bool same_round = before > 0 && t->happened[before - 1] == t->happened[event];
    size_t count = t->settled.count;
    int status = status_after(t, told, event);
    if (t->happened[event] != s->round)
        *s = (standing){t->happened[event], s->status, s->status};
    s->status = status;
    if (same_round && count > 0 && t->settled.items[count - 1] == before - 1)
        t->settled.count--;
    if (cv_transcript_is_standing(status, s->before))
        *CV_PUSH(t->arena, &t->settled) = event;
}

static void follow_events(cv_transcript *t, cv_written_entity *told)
{
    const cv_groups *of = &t->g.events_of;
    cv_status first = cv_status_first(told->kind);
    standing stood = {0, (int)first, (int)first};
    told->status = cv_statuses[first].word;
    for (const uint32_t *i = cv_group_begin(of, told->place); i < cv_group_end(of, told->place); i++) {
        uint32_t event = *i;
        int status = status_after(t, told, event);
        bool birth = told->became == 0 && status == (int)first;
        if (status < 0 || birth || t->happened[event] > t->last)
            continue;
        if (told->became && cv_str_eq(told->status, cv_statuses[status].word))
            continue; /* said again: who said it first made it so */
        if (told->kind == CV_KIND_TENSION)
            note_settled(t, told, &stood, event);
        told->status = cv_statuses[status].word;
        told->became = event + 1;
    }
}

/* ---- entities --------------------------------------------------------------------------------------------------- */

static void name_contributors(cv_transcript *t, cv_written_entity *told, uint32_t *ret_key)
{
    cv_json list = {.type = CV_JSON_NULL};
    cv_err ignored = {.arena = t->arena};
    if (told->row->contributors.n > 0 && !cv_json_parse(t->arena, told->row->contributors, &list, &ignored))
        list = (cv_json){.type = CV_JSON_NULL};
    cv_people people = cv_people_read(t->arena, &list);
    size_t first = t->speakers - 1;
    for (size_t i = people.count; i-- > 0;)
        first = cv_state_expert(&t->s, people.items[i]) ? cv_transcript_speaker(t, people.items[i]) : first;
    cv_buf faces = {0};
    for (size_t i = 0; i < people.count; i++) {
        cv_buf_add_z(&faces, i ? ", " : "");
        cv_buf_add(&faces, t->faces[cv_transcript_speaker(t, people.items[i])]);
    }
    told->by = cv_arena_list(t->arena, people.items, people.count);
    told->faces = cv_buf_take(&faces, t->arena);
    *ret_key = (uint32_t)cv_transcript_group(t, told->row->round, first);
}

static void tell_entities(cv_transcript *t, size_t groups)
{
    uint32_t *keys = CV_NEW_ARRAY(t->arena, t->s.entities.count, uint32_t);
    for (size_t i = 0; i < t->s.entities.count; i++) {
        const cv_rec_entity *row = &t->s.entities.items[i];
        if (row->round > t->last)
            continue;
        cv_written_entity told = {.row = row, .place = cv_place_of_entity(row), .id = cv_entity_id(t->arena, row)};
        told.kind = cv_place_kind(told.place);
        name_contributors(t, &told, &keys[t->told.count]);
        follow_events(t, &told);
        *CV_PUSH(t->arena, &t->told) = told;
    }
    t->told_by = cv_groups_of(t->arena, keys, t->told.count, groups);
}

/* ---- moves and references --------------------------------------------------------------------------------------- */

/* What belongs to no round that is told goes into the last group. */
static uint32_t group_of(const cv_transcript *t, int64_t round, cv_str slug, size_t groups)
{
    if (round < 0 || round > t->last)
        return (uint32_t)(groups - 1);
    return (uint32_t)cv_transcript_group(t, round, cv_transcript_speaker(t, slug));
}

static void group_moves(cv_transcript *t, size_t groups)
{
    uint32_t *keys = CV_NEW_ARRAY(t->arena, t->s.moves.count, uint32_t);
    for (size_t i = 0; i < t->s.moves.count; i++)
        keys[i] = group_of(t, t->s.moves.items[i].round, t->s.moves.items[i].expert_slug, groups);
    t->moves_by = cv_groups_of(t->arena, keys, t->s.moves.count, groups);
}

static void group_positions(cv_transcript *t, size_t groups)
{
    uint32_t *keys = CV_NEW_ARRAY(t->arena, t->s.positions.count, uint32_t);
    for (size_t i = 0; i < t->s.positions.count; i++)
        keys[i] = group_of(t, t->s.positions.items[i].round, t->s.positions.items[i].expert_slug, groups);
    t->positions_by = cv_groups_of(t->arena, keys, t->s.positions.count, groups);
}

/* References whose source is an expert's whole position. */
static void group_links(cv_transcript *t, size_t groups)
{
    uint32_t *keys = CV_NEW_ARRAY(t->arena, t->g.links.count, uint32_t);
    for (size_t i = 0; i < t->g.links.count; i++) {
        const cv_link *link = &t->g.links.items[i];
        char unused[6];
        cv_str source = cv_name_text(&t->g, link->source, unused);
        bool loose = link->source >= CV_PLACES;
        keys[i] = loose ? group_of(t, link->round, cv_str_from(source, 1), groups) : (uint32_t)(groups - 1);
    }
    t->links_by = cv_groups_of(t->arena, keys, t->g.links.count, groups);
}

static void group_settled(cv_transcript *t)
{
    uint32_t *keys = CV_NEW_ARRAY(t->arena, t->settled.count, uint32_t);
    for (size_t i = 0; i < t->settled.count; i++)
        keys[i] = t->happened[t->settled.items[i]];
    t->settled_in = cv_groups_of(t->arena, keys, t->settled.count, CV_MAX_ROUND + 1);
}

bool cv_transcript_load(cv_call *call, cv_str dialogue_id, int64_t round, cv_transcript *t, cv_err *err)
{
    if (!read_rows(call, dialogue_id, t, err) || !check_rounds(t, err) || !choose_round(t, round, err))
        return false;
    name_speakers(t);
    size_t groups = (size_t)(t->last + 1) * t->speakers + 1;
    cv_graph_pace(&t->g, &t->pace);
    date_events(t);
    tell_entities(t, groups);
    group_moves(t, groups);
    group_positions(t, groups);
    group_links(t, groups);
    group_settled(t);
    return true;
}
