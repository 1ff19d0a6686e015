/* history.c - what happened to a thing, or to all of them: the events in their order, told for people and programs.
 *
 *     names    who and what there is           -> is the id one of them?
 *     events   those of the subject, or all    -> folded from the first one on, a page of them kept
 *
 * Events are only added, so the two readings need not be of one rev.
 */
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "dialogue/operations.h"
#include "dialogue/view/address.h"
#include "dialogue/view/timeline.h"

enum { USUAL_EVENTS = 200 };

typedef struct {
    cv_call *call;
    cv_state names;
    cv_address subject; /* when has_subject */
    bool has_subject;
    cv_str label, status; /* of the subject, as it is now */
    int64_t after;
    size_t limit;
    cv_timeline line;
    struct {
        cv_moment *items;
        size_t count, capacity;
    } page;
    bool more;
    cv_state found; /* the events of the page; the entity that they are about */
    cv_str kind;    /* of the subject */
    int64_t next;   /* where the next page begins; CV_ABSENT: there is none */
    cv_str text;    /* for people, if they have asked */
} history;

/* ---- which ------------------------------------------------------------------------------------------------------- */

static bool load_names(history *h, cv_err *err)
{
    cv_wanted wanted = {.kinds = CV_ADDRESS_NAMES | CV_REC_BIT(DIALOGUE)};
    if (h->has_subject && h->subject.is_local) {
        wanted.kinds |= CV_REC_BIT(ORIGIN);
        wanted.about = &h->subject.subject_id;
        wanted.about_count = 1;
    }
    return cv_state_load(h->call, cv_json_get_text(h->call->input, "dialogue_id"), &wanted, &h->names, err);
}

static bool choose_subject(history *h, cv_err *err)
{
    cv_arena *a = h->call->arena;
    cv_str asked = cv_json_get_text(h->call->input, "id");
    h->has_subject = asked.p != NULL;
    bool is_id = h->has_subject && cv_address_parse(a, asked, &h->subject);
    if (!load_names(h, err))
        return false;
    if (!h->has_subject)
        return true;
    bool found = is_id ? cv_address_find(a, &h->names, &h->subject, err) : cv_address_invalid(&h->names, asked, err);
    if (!found)
        cv_err_field(err, CV_STR("id"));
    return found;
}

/* ---- the events -------------------------------------------------------------------------------------------------- */

static bool is_asked(const history *h, const cv_rec_event *event)
{
    return !h->has_subject ||
           (event->subject_type.p[0] == h->subject.subject_type && cv_str_eq(event->subject_id, h->subject.subject_id));
}

/* Whether the event is of the page; all of the subject's count for its statuses. */
static bool keep_row(void *ctx, cv_rec_kind kind, const void *row)
{
    history *h = ctx;
    const cv_rec_event *event = row;
    if (kind != CV_REC_EVENT)
        return true;
    if (!is_asked(h, event))
        return false;
    cv_moment moment = cv_timeline_next(&h->line, event);
    if (event->seq <= h->after)
        return false;
    h->more = h->page.count == h->limit;
    if (!h->more)
        *CV_PUSH(h->call->arena, &h->page) = moment;
    return !h->more;
}

static bool load_events(history *h, cv_err *err)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(EVENT), .no_content = true};
    if (h->has_subject) {
        wanted.about = &h->subject.subject_id;
        wanted.about_count = 1;
        wanted.kinds |= h->subject.thing == CV_THING_ENTITY ? CV_REC_BIT(ENTITY) : 0;
    }
    if (!cv_state_load_some(h->call, h->names.id, &wanted, keep_row, h, &h->found, err))
        return false;
    for (size_t i = 0; i < h->page.count; i++)
        h->page.items[i].event = h->found.events.items[i]; /* whose texts are kept */
    return true;
}

static bool missing(history *h, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(ENTITY), .no_content = true};
    cv_state all;
    if (!cv_state_load(h->call, h->names.id, &wanted, &all, err))
        return false;
    cv_address_missing(&all, &h->subject, err);
    cv_err_field(err, CV_STR("id"));
    return false;
}

/* What the subject is called and how it stands. */
static void describe(history *h)
{
    const cv_state *s = &h->names;
    const cv_address *of = &h->subject;
    const cv_rec_round *round = cv_state_round(s, of->round);
    const cv_rec_verdict *verdict = cv_state_verdict(s, of->subject_id);
    const cv_rec_expert *expert = cv_state_expert(s, of->thing == CV_THING_RESPONSE ? of->expert : of->subject_id);
    if (of->thing == CV_THING_ENTITY) {
        h->label = h->found.entities.items[0].label;
        h->status = h->found.entities.items[0].status;
    } else if (of->thing == CV_THING_DIALOGUE) {
        h->label = s->dialogue.title;
        h->status = s->dialogue.status;
    } else if (of->thing == CV_THING_VERDICT) {
        h->label = verdict->recommendation;
    } else if ((of->thing == CV_THING_EXPERT || of->thing == CV_THING_RESPONSE) && expert) {
        h->label = expert->role;
    } else if (of->thing == CV_THING_ROUND) {
        h->label = round->title;
        h->status = round->status;
    }
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

enum { REASON_COLUMN = 8 }; /* where what belongs to an event is below it */

static void tell_old_values(cv_buf *out, cv_arena *a, cv_str data)
{
    cv_json tree;
    cv_err ignored = {.arena = a};
    const cv_json *old = data.p && cv_json_parse(a, data, &tree, &ignored) ? cv_json_get(&tree, CV_STR("old")) : NULL;
    cv_str expert = old ? cv_json_get_text(&tree, "expert") : (cv_str){NULL, 0};
    for (uint32_t i = 0; old && old->type == CV_JSON_OBJECT && i < old->count; i++) {
        const cv_json_member *m = &old->members[i];
        cv_buf_printf(out, "%*sold %.*s%s%.*s: ", REASON_COLUMN, "", CV_FMT(m->key), expert.p ? " of " : "",
                      CV_FMT(expert));
        if (m->value.type == CV_JSON_STRING)
            cv_tell_text(out, a, m->value.text);
        else
            cv_json_value(&(cv_json_writer){.out = out}, &m->value);
        cv_buf_add_char(out, '\n');
    }
}

/* Columns of what is before the event: its number, and the id of what it is about. */
typedef struct {
    int number, id;
} columns;

enum { BEHIND_NUMBER = 32 }; /* time and round */

/* As many as the longest needs; but an id gets no more than a fifth of the line. */
static columns columns_of(const history *h)
{
    enum { LEAST = 12, MOST = 24 };
    size_t most = h->call->width ? h->call->width / 5 : MOST, longest = LEAST;
    columns c = {.number = 1};
    for (size_t i = 0; i < h->page.count; i++) {
        const cv_rec_event *e = &h->page.items[i].event;
        size_t n = cv_utf8_width(cv_address_of_subject(h->call->arena, e));
        longest = n > longest ? n : longest;
    }
    for (int64_t n = h->page.count ? h->page.items[h->page.count - 1].event.seq : 0; n > 9; n /= 10)
        c.number++;
    c.id = (int)(longest < most ? longest : most);
    return c;
}

/* What happened to a longer one has a line of its own, in the same column. */
static void tell_id(cv_buf *out, cv_str id, columns c)
{
    int used = (int)cv_utf8_width(id);
    cv_buf_add(out, id);
    if (used <= c.id)
        cv_buf_printf(out, "%*s", c.id - used + 1, "");
    else
        cv_buf_printf(out, "\n%*s", c.number + BEHIND_NUMBER + c.id + 1, "");
}

static void tell_moment(const history *h, cv_buf *out, const cv_moment *m, columns c)
{
    cv_arena *a = h->call->arena;
    const cv_rec_event *e = &m->event;
    cv_buf_printf(out, "%*lld  %.*s  ", c.number, (long long)e->seq, CV_FMT(cv_time_short(a, e->created_at)));
    if (e->step != CV_ABSENT)
        cv_buf_printf(out, "round %-2lld ", (long long)e->step);
    else
        cv_buf_add_z(out, "         ");
    if (!h->has_subject)
        tell_id(out, cv_address_of_subject(a, e), c);
    cv_moment_tell(out, a, m);
    cv_buf_printf(out, "  [%.*s]\n", CV_FMT(cv_str_head(e->hash, 8)));
    if (e->reason.p) {
        cv_buf_printf(out, "%*s", REASON_COLUMN, "");
        cv_tell_text(out, a, e->reason);
        cv_buf_add_char(out, '\n');
    }
    tell_old_values(out, a, e->data);
}

/* Every line fits the terminal; what does not goes on below it, where reasons stand. */
static cv_str wrapped(cv_arena *a, cv_str text, size_t width)
{
    cv_buf out = {0};
    cv_str line;
    while (cv_str_split(&text, '\n', &line)) {
        cv_plain_wrap(&out, line, width, 0, REASON_COLUMN);
        cv_buf_add_z(&out, text.n ? "\n" : "");
    }
    return cv_buf_take(&out, a);
}

static cv_str tell(const history *h)
{
    cv_buf out = {0};
    cv_arena *a = h->call->arena;
    if (h->has_subject) {
        cv_buf_printf(&out, "%.*s  %.*s", CV_FMT(h->subject.id), CV_FMT(cv_address_kind(&h->subject)));
        if (h->status.p)
            cv_buf_printf(&out, ", %.*s", CV_FMT(h->status));
        if (h->label.p) {
            cv_buf_add_z(&out, ": ");
            cv_tell_text(&out, a, h->label);
        }
        cv_buf_add_z(&out, "\n");
    }
    columns c = columns_of(h);
    for (size_t i = 0; i < h->page.count; i++)
        tell_moment(h, &out, &h->page.items[i], c);
    if (h->page.count == 0)
        cv_buf_add_z(&out, "no events\n");
    if (h->more)
        cv_buf_printf(&out, "more: --after %lld\n", (long long)h->page.items[h->page.count - 1].event.seq);
    cv_str text = cv_buf_take(&out, a);
    return h->call->width ? wrapped(a, text, h->call->width) : text;
}

#define CV_THIS_TYPE history
static const cv_shape subject_shape[] = {
    CV_FIELD_AS(ALWAYS, "id", subject.id, ""),
    CV_FIELD(ALWAYS, kind, ""),
    CV_FIELD(IF_ANY, label, ""),
    CV_FIELD(IF_ANY, status, ""),
    {0},
};

const cv_shape cv_history_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", names.id, ""),
    CV_FIELD_AS(ALWAYS, "rev", found.position.rev, ""),
    CV_GROUP_IF(kind, "subject", subject_shape, ""),
    CV_LIST("events", page.items, page.count, cv_moment_shape, "in their order"),
    CV_FIELD_AS(ALWAYS, "count", page.count, ""),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    CV_PRINTED(text, "a timeline, for people"),
    {0},
};
#undef CV_THIS_TYPE

static void answer(history *h)
{
    cv_json_writer w = {.out = h->call->out};
    h->next = h->more ? h->page.items[h->page.count - 1].event.seq : CV_ABSENT;
    for (size_t i = 0; i < h->page.count; i++)
        cv_moment_complete(h->call->arena, &h->page.items[i]);
    if (h->has_subject)
        h->kind = cv_address_kind(&h->subject);
    if (h->call->for_people)
        h->text = tell(h);
    cv_shape_write(&w, cv_history_shape, h);
}

bool cv_dialogue_history(cv_call *call)
{
    history *h = CV_NEW(call->arena, history);
    cv_err err = {.arena = call->arena};
    h->call = call;
    h->after = cv_json_get_int(call->input, "after", 0);
    h->limit = (size_t)cv_json_get_int(call->input, "limit", USUAL_EVENTS);
    if (!choose_subject(h, &err) || !load_events(h, &err))
        return cv_call_fail(call, &err);
    bool is_entity = h->has_subject && h->subject.thing == CV_THING_ENTITY;
    if (is_entity && h->found.entities.count == 0) {
        missing(h, &err);
        return cv_call_fail(call, &err);
    }
    if (h->has_subject)
        describe(h);
    answer(h);
    return true;
}
