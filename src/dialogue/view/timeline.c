/* timeline.c - events as they are told; see timeline.h. */
#include "dialogue/view/timeline.h"

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

/* A correction keeps the old values, with the expert whose score it was; everything else is data as it was noted. */
static void print_data(cv_json_writer *w, cv_arena *a, cv_str data)
{
    cv_json tree;
    cv_err ignored = {.arena = a};
    if (!data.p)
        return;
    const cv_json *old = cv_json_parse(a, data, &tree, &ignored) ? cv_json_get(&tree, CV_STR("old")) : NULL;
    if (!old) {
        cv_json_key_raw_if(w, "data", data);
        return;
    }
    cv_json_key_str_if(w, "expert", cv_json_get_text(&tree, "expert"));
    cv_json_key(w, CV_STR("old"));
    cv_json_value(w, old);
}

void cv_moment_print(cv_json_writer *w, cv_arena *a, const cv_moment *moment)
{
    const cv_rec_event *e = &moment->event;
    cv_json_begin_object(w);
    cv_json_key_int(w, "event", e->seq);
    cv_json_key_int(w, "rev", e->rev);
    cv_json_key_str(w, "at", e->created_at);
    if (e->step != CV_ABSENT)
        cv_json_key_int(w, "round", e->step);
    cv_json_key_str(w, "id", cv_address_of_subject(a, e));
    cv_json_key_str(w, "type", e->event_type);
    cv_json_key(w, CV_STR("by"));
    cv_json_raw(w, e->actors.p ? e->actors : CV_STR("[]"));
    if (!cv_str_eq(moment->from, moment->to)) {
        cv_json_key_str_if(w, "from", moment->from);
        cv_json_key_str_if(w, "to", moment->to);
    }
    cv_json_key_str_if(w, "agent", e->agent);
    cv_json_key_str_if(w, "standing", e->standing);
    cv_json_key_str_if(w, "via", e->reference);
    cv_json_key_str_if(w, "result", e->result_id);
    cv_json_key_str_if(w, "reason", e->reason);
    print_data(w, a, e->data);
    cv_json_key_str_if(w, "hash", e->hash);
    cv_json_end_object(w);
}

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
