/* lists.c - which dialogues there are, what one of them looks like, and the end of one that leads nowhere. */
#include <assert.h>

#include "dialogue/answer.h"
#include "dialogue/dynamics.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/person.h"
#include "dialogue/words/limits.h"

/* ---- list -------------------------------------------------------------------------------------------------------- */

enum { USUAL_PAGE = 50 };

typedef struct {
    cv_arena *a;
    cv_json_writer w;
    size_t limit, count;
    cv_str last;
    bool more;
} page;

static bool list_one(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    page *p = ctx;
    (void)err;
    p->more = p->count == p->limit;
    if (p->more)
        return true;
    cv_json_begin_object(&p->w);
    cv_json_key_str(&p->w, "dialogue_id", id);
    cv_json_key_str(&p->w, "title", row->title);
    cv_json_key_str(&p->w, "status", row->status);
    cv_json_key_str(&p->w, "created_at", row->created_at);
    cv_json_key_int(&p->w, "total_rounds", row->total_rounds == CV_ABSENT ? 0 : row->total_rounds);
    cv_json_key_int(&p->w, "total_alignment", row->total_alignment == CV_ABSENT ? 0 : row->total_alignment);
    cv_json_key_int(&p->w, "rev", rev);
    cv_json_end_object(&p->w);
    p->last = cv_arena_copy(p->a, id);
    p->count++;
    return true;
}

bool cv_dialogue_list(cv_call *call)
{
    int64_t limit = cv_json_get_int(call->input, "limit", USUAL_PAGE);
    assert(limit > 0 && limit <= CV_MAX_PAGE); /* the schema's bounds */
    page p = {.a = call->arena, .w = {.out = call->out}, .limit = (size_t)limit};
    cv_list_query query = {.status = cv_json_get_text(call->input, "status"),
                           .after = cv_json_get_text(call->input, "after"),
                           .limit = p.limit + 1};
    cv_err err = {.arena = call->arena};
    cv_json_begin_object(&p.w);
    cv_json_key_str(&p.w, "status", CV_STR("success"));
    cv_json_key(&p.w, CV_STR("dialogues"));
    cv_json_begin_array(&p.w);
    if (!cv_list_dialogues(call->record, call->arena, &query, list_one, &p, &err))
        return cv_call_fail(call, &err);
    cv_json_end_array(&p.w);
    cv_json_key_int(&p.w, "count", (int64_t)p.count);
    if (p.more)
        cv_json_key_str(&p.w, "next", p.last);
    cv_json_end_object(&p.w);
    return true;
}

/* ---- get --------------------------------------------------------------------------------------------------------- */

static void write_experts(cv_json_writer *w, const cv_state *s)
{
    cv_json_key(w, CV_STR("experts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->experts.count; i++) {
        cv_json_begin_object(w);
        cv_answer_row(w, CV_REC_EXPERT, &s->experts.items[i], true);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

/* The panel of the round that comes next: its own, or the last one, which stands. */
static void write_panel(cv_json_writer *w, cv_arena *a, const cv_state *s)
{
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(s, CV_MAX_ROUND, &seats);
    cv_json_key(w, CV_STR("panel"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        cv_answer_seat(w, a, cv_state_expert(s, seats[i].expert_slug), &seats[i]);
    cv_json_end_array(w);
}

static void write_rounds(cv_json_writer *w, const cv_state *s)
{
    cv_json_key(w, CV_STR("rounds"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->rounds.count; i++) {
        cv_json_begin_object(w);
        cv_answer_row(w, CV_REC_ROUND, &s->rounds.items[i], true);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    cv_json_key_int(w, "next_round", cv_state_next_round(s));
}

static void write_counts(cv_json_writer *w, const cv_state *s)
{
    int64_t counts[CV_KIND_COUNT] = {0}, open = 0;
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *entity = &s->entities.items[i];
        int kind = cv_kind_of_letter(entity->kind.p[0]);
        counts[kind]++;
        open += kind == CV_KIND_TENSION && cv_tension_is_open(entity);
    }
    cv_json_key(w, CV_STR("counts"));
    cv_json_begin_object(w);
    for (size_t kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_int(w, counts[kind]);
    }
    cv_json_key_int(w, "open_tensions", open);
    cv_json_key_int(w, "references", (int64_t)s->references.count);
    cv_json_key_int(w, "moves", (int64_t)s->moves.count);
    cv_json_key_int(w, "verdicts", (int64_t)s->verdicts.count);
    cv_json_key_int(w, "events", s->position.event_count);
    cv_json_end_object(w);
}

static void write_open_tensions(cv_json_writer *w, cv_arena *a, const cv_state *s)
{
    cv_json_key(w, CV_STR("open_tensions"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *entity = &s->entities.items[i];
        if (cv_kind_of_letter(entity->kind.p[0]) != CV_KIND_TENSION || !cv_tension_is_open(entity))
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "id", cv_entity_id(a, entity));
        cv_json_key_str(w, "label", entity->label);
        cv_json_key_str(w, "status", entity->status);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_convergence(cv_json_writer *w, cv_arena *a, const cv_state *s)
{
    cv_convergence convergence;
    cv_convergence_of(a, s, &convergence);
    cv_json_key(w, CV_STR("convergence"));
    cv_shape_write(w, cv_convergence_shape, &convergence);
}

static void write_position(cv_json_writer *w, const cv_position *position)
{
    cv_json_key(w, CV_STR("position"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "rev", position->rev);
    cv_json_key_str(w, "head", position->head);
    cv_json_key_int(w, "event_count", position->event_count);
    cv_json_end_object(w);
}

static void write_dialogue(cv_call *call, const cv_state *s, bool changed)
{
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", s->id);
    cv_json_key_int(&w, "rev", s->position.rev);
    cv_json_key_bool(&w, "changed", changed);
    if (changed) {
        cv_json_key(&w, CV_STR("dialogue"));
        cv_answer_dialogue(&w, s->id, &s->dialogue, true);
        write_experts(&w, s);
        write_panel(&w, call->arena, s);
        write_rounds(&w, s);
        write_open_tensions(&w, call->arena, s);
        write_convergence(&w, call->arena, s);
        write_counts(&w, s);
        write_position(&w, &s->position);
    }
    cv_json_end_object(&w);
}

bool cv_dialogue_get(cv_call *call)
{
    const uint32_t kinds = (1u << CV_REC_COUNT) - 1;
    const uint32_t unasked = CV_REC_BIT(EVENT) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(RESPONSE) | CV_REC_BIT(SCORE);
    cv_wanted wanted = {.kinds = kinds & ~unasked,
                        .outline = CV_REC_BIT(ENTITY) | CV_REC_BIT(MOVE) | CV_REC_BIT(VERDICT)};
    cv_err err = {.arena = call->arena};
    cv_state s;
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &s, &err))
        return cv_call_fail(call, &err);
    write_dialogue(call, &s, cv_json_get_int(call->input, "since_rev", CV_ABSENT) != s.position.rev);
    return true;
}

/* ---- abandon ----------------------------------------------------------------------------------------------------- */

static cv_str print_abandoned(cv_call *call, cv_str id, cv_str reason)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", id);
    cv_json_key_str(&w, "dialogue_status", cv_dialogue_words.items[CV_DIALOGUE_ABANDONED]);
    cv_json_key_str(&w, "reason", reason);
    cv_json_end_object(&w);
    return cv_buf_take(&text, call->arena);
}

static bool enter_abandoned(cv_call *call, const cv_state *s, cv_str reason, cv_outcome *outcome)
{
    cv_journal j;
    cv_rec_dialogue row = s->dialogue;
    row.status = cv_event_words.items[CV_EVENT_ABANDONED];
    cv_journal_begin(&j, call, s);
    cv_journal_put(&j, CV_REC_DIALOGUE, &row);
    cv_rec_event *event = cv_journal_event(&j, 'D', s->id, row.status, CV_ABSENT, cv_judge_alone.json);
    event->reason = reason;
    cv_journal_covers(&j, event, CV_REC_DIALOGUE, &row);
    return cv_journal_commit(&j, print_abandoned(call, s->id, reason), outcome);
}

static bool abandon(cv_call *call, cv_outcome *outcome)
{
    cv_str id = cv_json_get_text(call->input, "dialogue_id");
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE), .no_content = true};
    cv_err err = {.arena = call->arena};
    cv_state s;
    if (!cv_state_load(call, id, &wanted, &s, &err))
        return cv_call_fail(call, &err);
    /* Nothing follows it: the last write abandoned the dialogue. */
    if (cv_str_eq(s.dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_ABANDONED])) {
        if (!cv_request_made(call, cv_dialogue_scope(id), s.position.rev, outcome, &err))
            return cv_call_fail(call, &err);
        if (outcome->replayed)
            return true;
    }
    cv_str reason = cv_text_read(call, call->input, CV_STR(""), "reason", CV_MAX_PROSE, CV_TEXT_PROSE);
    return cv_journal_open(call, &s, false) && call->errs->count == 0 && enter_abandoned(call, &s, reason, outcome);
}

bool cv_dialogue_abandon(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue abandon"), abandon);
}
