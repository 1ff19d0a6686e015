/* enter.c - a sound batch becomes rows and events; see batch.h.
 *
 * The order of the events tells the story of the round: the round itself, what was created, what the judge decided,
 * then what references and moves did, in the order of the request.
 */
#include <assert.h>

#include "dialogue/register/batch.h"
#include "dialogue/register/tally.h"
#include "dialogue/text/doc.h"
#include "record/hash.h"

/* ---- the round, its scores, the experts ------------------------------------------------------ */

static void enter_scores(cv_batch *b, cv_journal *j, cv_rec_event *event)
{
    for (size_t i = 0; i < b->scores.count; i++) {
        const cv_draft_score *draft = &b->scores.items[i];
        cv_rec_score row = {.round = b->round,
                            .expert_slug = draft->expert,
                            .score = draft->score,
                            .score_components = draft->components.json};
        cv_journal_covers(j, event, CV_REC_SCORE, cv_journal_put(j, CV_REC_SCORE, &row));
    }
}

/* An expert with a score, a contribution or a move has taken part. */
static void find_participants(cv_batch *b, cv_map *ret_scores)
{
    cv_arena *a = b->call->arena;
    for (size_t i = 0; i < b->scores.count; i++)
        *cv_map_put(ret_scores, a, b->scores.items[i].expert, NULL) = (uintptr_t)b->scores.items[i].score;
    for (size_t i = 0; i < b->drafts.count; i++)
        for (size_t k = 0; k < b->drafts.items[i].by.count; k++)
            cv_map_put(ret_scores, a, b->drafts.items[i].by.items[k], NULL);
    for (size_t i = 0; i < b->moves.count; i++)
        cv_map_put(ret_scores, a, b->moves.items[i].expert, NULL);
}

static void enter_experts(cv_batch *b, cv_journal *j, cv_rec_event *event)
{
    cv_map scores = {0}; /* participant -> score */
    find_participants(b, &scores);
    for (size_t i = 0; i < b->state->experts.count; i++) {
        cv_rec_expert row = b->state->experts.items[i];
        const uintptr_t *score = cv_map_get(&scores, row.expert_slug);
        bool joins = score && row.first_round == CV_ABSENT;
        if (!score || (*score == 0 && !joins))
            continue;
        row.total_score = (row.total_score == CV_ABSENT ? 0 : row.total_score) + (int64_t)*score;
        row.first_round = joins ? b->round : row.first_round;
        cv_journal_covers(j, event, CV_REC_EXPERT, cv_journal_put(j, CV_REC_EXPERT, &row));
    }
}

static bool has_signal(const cv_batch *b)
{
    for (size_t i = 0; i < b->moves.count; i++)
        if (b->moves.items[i].type == CV_MOVE_CONVERGE)
            return true;
    return false;
}

static bool turns_converging(const cv_batch *b)
{
    return cv_str_eq(b->state->dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_OPEN]) && has_signal(b);
}

static void enter_dialogue(cv_batch *b, cv_journal *j, cv_rec_event *event)
{
    cv_rec_dialogue row = b->state->dialogue;
    row.total_rounds = b->round + 1;
    row.total_alignment = (row.total_alignment == CV_ABSENT ? 0 : row.total_alignment) + b->score;
    if (turns_converging(b))
        row.status = cv_dialogue_words.items[CV_DIALOGUE_CONVERGING];
    cv_journal_covers(j, event, CV_REC_DIALOGUE, cv_journal_put(j, CV_REC_DIALOGUE, &row));
}

/* What the event must remember: a change of the dialogue's status. */
static cv_str round_data(const cv_batch *b)
{
    return turns_converging(b) ? CV_STR("{\"dialogue_status\":\"converging\"}") : (cv_str){NULL, 0};
}

static void enter_responses(cv_batch *b, cv_journal *j, cv_rec_event *event)
{
    for (size_t i = 0; i < b->responses.count; i++) {
        const cv_draft_response *draft = &b->responses.items[i];
        if (draft->stored)
            continue;
        cv_rec_response row = {.round = b->round,
                               .expert_slug = draft->expert,
                               .content = draft->content,
                               .sha256 = cv_hash_text(b->call->arena, draft->content),
                               .created_at = j->now};
        cv_journal_covers(j, event, CV_REC_RESPONSE, cv_journal_put(j, CV_REC_RESPONSE, &row));
    }
}

static void enter_round(cv_batch *b, cv_journal *j)
{
    cv_rec_round row = {.round = b->round,
                        .title = b->title,
                        .score = b->score,
                        .score_components = b->components.json,
                        .summary = b->summary,
                        .status = cv_round_completed,
                        .created_at = j->now,
                        .completed_at = j->now};
    cv_str id = cv_arena_printf(b->call->arena, "%lld", (long long)b->round);
    cv_rec_event *event =
        cv_journal_event(j, 'O', id, cv_event_words.items[CV_EVENT_CREATED], b->round, cv_judge_alone.json);
    event->data = round_data(b);
    cv_journal_covers(j, event, CV_REC_ROUND, cv_journal_put(j, CV_REC_ROUND, &row));
    enter_scores(b, j, event);
    enter_experts(b, j, event);
    enter_responses(b, j, event);
    enter_dialogue(b, j, event);
}

/* Who contributes should have been asked: a seat on the round's panel. Without any panel there is none to miss. */
static void warn_seats(cv_batch *b)
{
    cv_arena *a = b->call->arena;
    cv_map seated = {0};
    cv_tally standing = {0};
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(b->state, b->round, &seats);
    for (size_t i = 0; i < count; i++)
        cv_map_put(&seated, a, seats[i].expert_slug, NULL);
    cv_map_put(&seated, a, cv_judge_slug, NULL);
    for (size_t i = 0; count && i < b->drafts.count; i++)
        for (size_t k = 0; k < b->drafts.items[i].by.count; k++)
            if (!cv_map_get(&seated, b->drafts.items[i].by.items[k]))
                cv_tally_add(a, &standing, b->drafts.items[i].by.items[k], b->drafts.items[i].local_id);
    for (size_t i = 0; i < standing.rows.count; i++) {
        const cv_tally_row *row = &standing.rows.items[i];
        cv_notice *warning = cv_notice_add(&b->warnings, a, CV_STR("no_seat"), "%.*s is not on the panel of round %lld",
                                           CV_FMT(row->expert), (long long)b->round);
        cv_notice_expert(warning, row->expert);
        warning->ids = cv_json_texts(a, row->ids.items, row->ids.count);
    }
}

/* The round's score is the judge's; that it fits the others is worth a look, not a rule. */
static void warn_scores(cv_batch *b)
{
    int64_t sum = 0, of_components = b->components.sum;
    for (size_t i = 0; i < b->scores.count; i++) {
        const cv_draft_score *score = &b->scores.items[i];
        sum += score->score;
        if (score->components.sum != CV_ABSENT && score->components.sum != score->score)
            cv_notice_expert(cv_notice_add(&b->warnings, b->call->arena, CV_STR("score_mismatch"),
                                           "the components of %.*s add up to %lld, the score is %lld",
                                           CV_FMT(score->expert), (long long)score->components.sum,
                                           (long long)score->score),
                             score->expert);
    }
    bool experts_differ = b->scores.count && sum != b->score;
    bool components_differ = of_components != CV_ABSENT && of_components != b->score;
    if ((!b->scores.count || experts_differ) && (of_components == CV_ABSENT || components_differ) &&
        (experts_differ || components_differ))
        cv_notice_add(&b->warnings, b->call->arena, CV_STR("score_mismatch"),
                      "the round's score %lld is neither the sum of the expert scores nor of its components",
                      (long long)b->score);
}

/* ---- what is only added ---------------------------------------------------------------------- */

static cv_rec_origin origin_of(const cv_batch *b, const cv_draft *draft, cv_str local_id)
{
    assert(draft->subject && draft->subject->id.n > 0 && "ids are given out before rows are made");
    cv_id id;
    cv_id_parse(local_id, &id);
    return (cv_rec_origin){.local_id = local_id,
                           .display_id = draft->subject->id,
                           .expert_slug = cv_arena_lower(b->call->arena, id.expert),
                           .round = b->round,
                           .range_start = CV_ABSENT,
                           .range_end = CV_ABSENT};
}

static void enter_origins(cv_batch *b, cv_journal *j)
{
    CV_STATE_LIST(cv_rec_origin) origins = {0};
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        *CV_PUSH(b->call->arena, &origins) = origin_of(b, draft, draft->local_id);
        for (size_t k = 0; k < draft->also_count; k++)
            *CV_PUSH(b->call->arena, &origins) = origin_of(b, draft, draft->also[k]);
    }
    cv_receipts_find(b, origins.items, origins.count);
    for (size_t i = 0; i < origins.count; i++)
        cv_journal_put(j, CV_REC_ORIGIN, &origins.items[i]);
}

static void enter_positions(cv_batch *b, cv_journal *j)
{
    for (size_t i = 0; i < b->positions.count; i++) {
        cv_rec_position row = {.round = b->round,
                               .expert_slug = b->positions.items[i].expert,
                               .content = b->positions.items[i].content,
                               .created_at = j->now};
        if (cv_str_trim(row.content).n)
            cv_journal_put(j, CV_REC_POSITION, &row);
    }
}

/* What is said of a reference or a move as a document keeps it, for its row and the event that it causes alike: both
 * are reported, the one in a text, the other on a line. */
static cv_str reason_of(cv_arena *a, cv_str reason)
{
    cv_str text = cv_fence_closed(a, cv_text_tidy(a, reason));
    return text.n ? text : (cv_str){NULL, 0};
}

static void enter_moves(cv_batch *b, cv_journal *j)
{
    cv_arena *a = b->call->arena;
    cv_map seqs = {0}; /* expert -> moves so far */
    for (size_t i = 0; i < b->moves.count; i++) {
        const cv_draft_move *draft = &b->moves.items[i];
        assert(draft->type >= 0 && draft->type < CV_MOVE_COUNT);
        cv_str *ids = CV_NEW_ARRAY(a, draft->target_count, cv_str);
        for (size_t k = 0; k < draft->target_count; k++)
            ids[k] = draft->targets[k].id;
        cv_rec_move row = {.round = b->round,
                           .expert_slug = draft->expert,
                           .seq = (int64_t)++ * cv_map_put(&seqs, a, draft->expert, NULL),
                           .position = (int64_t)i + 1,
                           .move_type = cv_move_words.items[draft->type],
                           .targets = cv_json_texts(a, ids, draft->target_count),
                           .context = draft->type == CV_MOVE_REQUEST ? draft->context : reason_of(a, draft->context),
                           .created_at = j->now};
        cv_journal_put(j, CV_REC_MOVE, &row);
        *CV_PUSH(a, &b->entered) = row;
    }
}

/* ---- references and what they do ------------------------------------------------------------- */

typedef struct {
    cv_batch *batch;
    cv_status_writer *writer;
    cv_map seen; /* source, type, target */
    int64_t position;
} entering;

static bool is_new_reference(entering *e, cv_str source, int type, cv_str target)
{
    cv_arena *a = e->batch->call->arena;
    char *key = cv_arena_alloc(a, source.n + 1 + target.n);
    bool is_new;
    memcpy(key, source.p, source.n);
    key[source.n] = (char)type;
    memcpy(key + source.n + 1, target.p, target.n);
    cv_map_put(&e->seen, a, (cv_str){key, source.n + 1 + target.n}, &is_new);
    return is_new;
}

static void enter_reference(entering *e, cv_str source, const cv_people *by, const cv_draft_ref *ref)
{
    assert(source.n > 0 && ref->target.id.n > 0 && ref->type >= 0 && ref->type < CV_REF_COUNT);
    cv_journal *j = e->writer->journal;
    if (cv_str_eq(source, ref->target.id)) {
        cv_notice_add(&e->batch->warnings, j->call->arena, CV_STR("self_reference"),
                      "%.*s refers to itself; the reference is left out", CV_FMT(source))
            ->id = source;
        return;
    }
    if (!is_new_reference(e, source, ref->type, ref->target.id))
        return;
    cv_rec_reference row = {.source_id = source,
                            .ref_type = cv_ref_words.items[ref->type],
                            .target_id = ref->target.id,
                            .source_type = cv_str_head(source, 1),
                            .target_type = cv_str_head(ref->target.id, 1),
                            .round = e->batch->round,
                            .position = ++e->position,
                            .created_at = j->now,
                            .reason = reason_of(j->call->arena, ref->reason)};
    cv_journal_put(j, CV_REC_REFERENCE, &row);
    *CV_PUSH(j->call->arena, &e->batch->linked) = row;
    if (ref->target.subject)
        cv_subject_touch(e->writer, (cv_cause){CV_CAUSE_REFERENCE, ref->type}, ref->target.subject, by, source,
                         row.reason);
}

static void enter_references(cv_batch *b, cv_status_writer *writer)
{
    entering e = {.batch = b, .writer = writer};
    for (size_t i = 0; i < b->state->references.count; i++) {
        const cv_rec_reference *known = &b->state->references.items[i];
        is_new_reference(&e, known->source_id, cv_words_find(cv_ref_words, known->ref_type), known->target_id);
    }
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        for (size_t k = 0; k < draft->ref_count; k++)
            enter_reference(&e, draft->subject->id, &draft->by, &draft->refs[k]);
    }
    for (size_t i = 0; i < b->links.count; i++) {
        const cv_draft_link *link = &b->links.items[i];
        enter_reference(&e, link->source.id, &link->by, &link->ref);
    }
}

static void touch_by_moves(cv_batch *b, cv_status_writer *writer)
{
    for (size_t i = 0; i < b->moves.count; i++) {
        const cv_draft_move *move = &b->moves.items[i];
        cv_people by = cv_people_of(b->call->arena, &move->expert, 1);
        for (size_t k = 0; k < move->target_count; k++)
            if (move->targets[k].subject)
                cv_subject_touch(writer, (cv_cause){CV_CAUSE_MOVE, move->type}, move->targets[k].subject, &by,
                                 (cv_str){NULL, 0}, reason_of(b->call->arena, move->context));
    }
}

void cv_batch_enter(cv_batch *b, cv_journal *j)
{
    assert(b->call->errs->count == 0 && "a batch with faults is not entered");
    cv_status_writer writer = {j, &b->warnings, b->round};
    warn_scores(b);
    warn_seats(b);
    enter_round(b, j);
    enter_origins(b, j);
    enter_positions(b, j);
    enter_moves(b, j);
    for (size_t i = 0; i < b->drafts.count; i++) {
        b->drafts.items[i].subject->row->created_at = j->now;
        cv_subject_create(&writer, b->drafts.items[i].subject);
    }
    for (size_t i = 0; i < b->updates.count; i++) {
        const cv_draft_update *update = &b->updates.items[i];
        cv_subject_rule(&writer, update->target.subject, (cv_status)update->status, &update->by, update->via.id,
                        update->reason);
    }
    enter_references(b, &writer);
    touch_by_moves(b, &writer);
}
