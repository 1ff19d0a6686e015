/* corrections.c - sound corrections become rows and events; see corrections.h. */
#include "dialogue/register/corrections.h"

/* ---- old values for the events, new ones for the rows ------------------------------- */

typedef struct {
    cv_buf text;
    cv_json_writer w;
} old_values;

static void old_begin(old_values *old, cv_str expert)
{
    *old = (old_values){.w = {.out = NULL}};
    old->w.out = &old->text;
    cv_json_begin_object(&old->w);
    cv_json_key_str_if(&old->w, "expert", expert);
    cv_json_key(&old->w, CV_STR("old"));
    cv_json_begin_object(&old->w);
}

static cv_str old_end(old_values *old, cv_arena *a)
{
    cv_json_end_object(&old->w);
    cv_json_end_object(&old->w);
    return cv_buf_take(&old->text, a);
}

static void old_text(old_values *old, const char *key, cv_str value)
{
    cv_json_key(&old->w, cv_str_of(key));
    if (value.p)
        cv_json_str(&old->w, value);
    else
        cv_json_null(&old->w);
}

static void old_score(old_values *old, int64_t score, cv_str components)
{
    cv_json_key(&old->w, CV_STR("score"));
    if (score == CV_ABSENT)
        cv_json_null(&old->w);
    else
        cv_json_int(&old->w, score);
    cv_json_key_raw_if(&old->w, "score_components", components);
}

/* {"by": ["judge"], "reason": "…"}: stays with the text wherever it is shown. */
static cv_str correction_of(cv_arena *a, const cv_edit *edit)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_raw_if(&w, "by", edit->by.json);
    cv_json_key_str_if(&w, "reason", edit->reason);
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

static void enter_edit(cv_status_writer *writer, const cv_edit *edit)
{
    cv_journal *j = writer->journal;
    cv_subject *subject = edit->target.subject;
    if (edit->status >= 0)
        cv_subject_rule(writer, subject, (cv_status)edit->status, &edit->by, edit->via.id, edit->reason);
    if (!edit->label.p && !edit->content.p)
        return;
    old_values old;
    old_begin(&old, (cv_str){NULL, 0});
    if (edit->label.p)
        old_text(&old, "label", subject->row->label);
    if (edit->content.p)
        old_text(&old, "content", subject->row->content);
    cv_rec_event *event = cv_journal_event(j, cv_kinds[subject->kind].letter, subject->id,
                                           cv_event_words.items[CV_EVENT_COMMENTED], writer->round, edit->by.json);
    event->reason = edit->reason;
    event->reference = edit->via.id;
    event->data = old_end(&old, j->call->arena);
    cv_rec_entity *row = cv_subject_write(writer, subject, event);
    row->label = edit->label.p ? cv_str_trim(edit->label) : row->label;
    row->content = edit->content.p ? edit->content : row->content;
    row->correction = correction_of(j->call->arena, edit);
}

static cv_rec_event *tell_round(cv_update *u, cv_journal *j, int64_t round, cv_str reason, cv_str data)
{
    cv_str id = cv_arena_printf(u->ids.call->arena, "%lld", (long long)round);
    cv_rec_event *event =
        cv_journal_event(j, 'O', id, cv_event_words.items[CV_EVENT_COMMENTED], round, cv_judge_alone.json);
    event->reason = reason;
    event->data = data;
    return event;
}

static cv_rec_round *round_row(cv_update *u, int64_t round)
{
    return &u->rounds[cv_state_round(&u->state, round) - u->state.rounds.items];
}

static void enter_round_score(cv_update *u, cv_journal *j, const cv_score_edit *draft)
{
    cv_rec_round *row = round_row(u, draft->round);
    old_values old;
    old_begin(&old, (cv_str){NULL, 0});
    old_score(&old, row->score, row->score_components);
    cv_rec_event *event = tell_round(u, j, draft->round, draft->reason, old_end(&old, j->call->arena));
    u->dialogue.total_alignment += draft->score - row->score;
    row->score = draft->score;
    row->score_components = draft->components.json; /* those of the old score do not fit the new one */
    cv_journal_covers(j, event, CV_REC_ROUND, cv_journal_put(j, CV_REC_ROUND, row));
    cv_journal_covers(j, event, CV_REC_DIALOGUE, cv_journal_put(j, CV_REC_DIALOGUE, &u->dialogue));
}

cv_rec_score *cv_update_score(cv_update *u, int64_t round, cv_str expert)
{
    cv_arena *a = u->ids.call->arena;
    uintptr_t *place = cv_map_put(&u->score_at, a, cv_turn_key(a, round, expert), NULL);
    if (!*place) {
        cv_rec_score row = {.round = round, .expert_slug = expert, .score = CV_ABSENT};
        *place = (uintptr_t)cv_arena_dup(a, &row, sizeof row);
    }
    return (cv_rec_score *)*place;
}

static void enter_expert_score(cv_update *u, cv_journal *j, const cv_score_edit *draft)
{
    cv_rec_score *row = cv_update_score(u, draft->round, draft->expert);
    cv_rec_expert *expert = &u->experts[cv_state_expert(&u->state, draft->expert) - u->state.experts.items];
    int64_t before = row->score == CV_ABSENT ? 0 : row->score;
    old_values old;
    old_begin(&old, draft->expert);
    old_score(&old, row->score, row->score_components);
    cv_rec_event *event = tell_round(u, j, draft->round, draft->reason, old_end(&old, j->call->arena));
    expert->total_score = (expert->total_score == CV_ABSENT ? 0 : expert->total_score) + draft->score - before;
    row->score = draft->score;
    row->score_components = draft->components.json;
    cv_journal_covers(j, event, CV_REC_SCORE, cv_journal_put(j, CV_REC_SCORE, row));
    cv_journal_covers(j, event, CV_REC_EXPERT, cv_journal_put(j, CV_REC_EXPERT, expert));
}

static void enter_text(cv_update *u, cv_journal *j, const cv_text_edit *draft)
{
    cv_rec_round *row = round_row(u, draft->round);
    old_values old;
    old_begin(&old, (cv_str){NULL, 0});
    if (draft->title.p)
        old_text(&old, "title", row->title);
    if (draft->summary.p)
        old_text(&old, "summary", row->summary);
    cv_rec_event *event = tell_round(u, j, draft->round, draft->reason, old_end(&old, j->call->arena));
    row->title = draft->title.p ? draft->title : row->title;
    row->summary = draft->summary.p ? draft->summary : row->summary;
    cv_journal_covers(j, event, CV_REC_ROUND, cv_journal_put(j, CV_REC_ROUND, row));
}

void cv_update_enter(cv_update *u, cv_journal *j)
{
    int64_t last = cv_state_next_round(&u->state) - 1;
    cv_status_writer writer = {j, &u->warnings, last > 0 ? last : 0};
    for (size_t i = 0; i < u->edits.count; i++)
        enter_edit(&writer, &u->edits.items[i]);
    for (size_t i = 0; i < u->scores.count; i++)
        (u->scores.items[i].expert.p ? enter_expert_score : enter_round_score)(u, j, &u->scores.items[i]);
    for (size_t i = 0; i < u->texts.count; i++)
        enter_text(u, j, &u->texts.items[i]);
}
