/* timeline.c - events as people read them; see timeline.h. */
#include "dialogue/view/timeline.h"

#include "kit/who.h"

#include "base/json.h"
#include "base/plain.h"
#include "dialogue/people.h"
#include "dialogue/text/mark.h"
#include "dialogue/view/address.h"

static cv_str status_word(uint8_t cell)
{
    return cell ? cv_statuses[cell - 1].word : (cv_str){NULL, 0};
}

cv_moment cv_timeline_next(cv_timeline *line, const cv_rec_event *event)
{
    cv_moment moment = {.event = *event};
    uint32_t place = cv_place_of(event->subject_id);
    cv_str from = place == CV_NO_PLACE ? (cv_str){NULL, 0} : status_word(line->statuses[place]);
    if (cv_place_fold(line->statuses, event) == CV_NO_PLACE)
        return moment;
    moment.from = from;
    moment.to = status_word(line->statuses[place]);
    return moment;
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

void cv_moment_complete(cv_arena *a, cv_moment *m)
{
    cv_json tree;
    cv_err ignored = {.arena = a};
    bool changed = !cv_str_eq(m->from, m->to);
    bool corrects =
        m->event.data.p && cv_json_parse(a, m->event.data, &tree, &ignored) && cv_json_get(&tree, CV_STR("old"));
    m->id = cv_address_of_subject(a, &m->event);
    m->old_status = changed ? m->from : (cv_str){NULL, 0};
    m->new_status = changed ? m->to : (cv_str){NULL, 0};
    m->expert = corrects ? cv_json_get_text(&tree, "expert") : (cv_str){NULL, 0};
    m->old = corrects ? cv_json_get_json(a, &tree, "old") : (cv_str){NULL, 0};
    m->data = corrects ? (cv_str){NULL, 0} : m->event.data;
}

#define CV_THIS_TYPE cv_moment
const cv_shape cv_moment_shape[] = {
    CV_NUMBER(ALWAYS, "event", event.seq, 1, CV_NO_LIMIT, "its number in the dialogue"),
    CV_NUMBER(ALWAYS, "rev", event.rev, 1, CV_NO_LIMIT, ""),
    CV_FIELD_AS(ALWAYS, "at", event.created_at, ""),
    CV_FIELD_AS(IF_ANY, "round", event.step, ""),
    CV_FIELD(ALWAYS, id,
             "what it is about: P0101, @muffin, verdict-final, round-1, panel-1, response-1-muffin, dialogue"),
    CV_FIELD_AS(ALWAYS, "type", event.event_type, "created, addressed, adopted …"),
    CV_JSON_AS(OR_EMPTY, NAMES, "by", event.actors, ""),
    CV_FIELD_AS(IF_ANY, "from", old_status, "the status before, when it changed"),
    CV_FIELD_AS(IF_ANY, "to", new_status, ""),
    CV_FIELD_AS(IF_ANY, "agent", event.agent, "who acted, if somebody was named"),
    CV_WORD(IF_ANY, "standing", event.standing, &cv_standing_words, "how certain that is"),
    CV_FIELD_AS(IF_ANY, "via", event.reference, "the entity or verdict that did it"),
    CV_FIELD_AS(IF_ANY, "result", event.result_id, "what it became"),
    CV_FIELD_AS(IF_ANY, "reason", event.reason, ""),
    CV_FIELD(IF_ANY, expert, "whose score was corrected"),
    CV_JSON_AS(IF_ANY, MAP, "old", old, "the values before a correction"),
    CV_JSON_AS(IF_ANY, MAP, "data", data, "other details"),
    CV_FIELD_AS(IF_ANY, "hash", event.hash, ""),
    {0},
};
#undef CV_THIS_TYPE

/* ---- in words ---------------------------------------------------------------------------------------------------- */

void cv_tell_text(cv_buf *out, cv_arena *a, cv_str text)
{
    cv_plain_add(out, cv_squeeze(a, text));
}

void cv_tell_list(cv_buf *out, cv_arena *a, cv_str json)
{
    cv_words list = cv_json_list(a, json);
    for (size_t i = 0; i < list.count; i++) {
        cv_buf_add_z(out, i ? ", " : "");
        cv_tell_text(out, a, list.items[i]);
    }
}

static void tell_status(cv_buf *out, const cv_moment *m)
{
    bool changed = m->from.p && !cv_str_eq(m->from, m->to);
    if (changed) {
        cv_buf_printf(out, "%.*s -> %.*s", CV_FMT(m->from), CV_FMT(m->to));
        return;
    }
    bool corrected = m->event.data.p && m->from.p; /* only corrections of entities note something */
    cv_buf_add(out, corrected ? CV_STR("corrected") : m->event.event_type);
    if (m->to.p && !m->from.p && !cv_str_eq(m->event.event_type, m->to))
        cv_buf_printf(out, ", %.*s", CV_FMT(m->to));
    else if (m->from.p &&
             cv_status_find((cv_kind)cv_kind_of_letter(m->event.subject_type.p[0]), m->event.event_type) >= 0)
        cv_buf_add_z(out, " again");
}

void cv_moment_tell(cv_buf *out, cv_arena *a, const cv_moment *m)
{
    tell_status(out, m);
    if (m->event.actors.p) {
        cv_buf_add_z(out, ", by ");
        cv_tell_list(out, a, m->event.actors);
    }
    if (m->event.agent.p)
        cv_buf_printf(out, ", as %.*s (%.*s)", CV_FMT(m->event.agent), CV_FMT(m->event.standing));
    if (m->event.reference.p)
        cv_buf_printf(out, ", via %.*s", CV_FMT(m->event.reference));
    if (m->event.result_id.p)
        cv_buf_printf(out, ", now %.*s", CV_FMT(m->event.result_id));
}
