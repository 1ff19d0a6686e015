/* batch_answer.c - what became of a round: the answer of round-register; see batch.h. */
#include "dialogue/answer.h"
#include "dialogue/dynamics.h"
#include "dialogue/register/batch.h"

static void print_mapping(const cv_batch *b, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("id_mapping"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        cv_json_key(w, draft->local_id);
        cv_json_str(w, draft->subject->id);
        for (size_t k = 0; k < draft->also_count; k++) {
            cv_json_key(w, draft->also[k]);
            cv_json_str(w, draft->subject->id);
        }
    }
    cv_json_end_object(w);
}

static void print_entities(const cv_batch *b, cv_json_writer *w)
{
    const cv_draft *draft = b->drafts.items;
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_begin_array(w);
        for (size_t i = 0; i < b->counts[kind]; i++, draft++) {
            cv_json_begin_object(w);
            cv_json_key_str(w, "local_id", draft->local_id);
            cv_json_key_str(w, "id", draft->subject->id);
            cv_json_key_str(w, "label", draft->label);
            cv_json_end_object(w);
        }
        cv_json_end_array(w);
    }
}

/* The lists of updates that were given, and tension_updates always, as the specification prints it. */
static void print_updates(const cv_batch *b, cv_json_writer *w)
{
    const cv_draft_update *updates = b->updates.items;
    size_t i = 0, count = b->updates.count;
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        bool any = i < count && updates[i].kind == (cv_kind)kind;
        if (!any && kind != CV_KIND_TENSION)
            continue;
        cv_json_key(w, cv_arena_join(b->call->arena, cv_kinds[kind].word, CV_STR("_updates")));
        cv_json_begin_array(w);
        for (; i < count && updates[i].kind == (cv_kind)kind; i++) {
            cv_json_begin_object(w);
            cv_json_key_str(w, "id", updates[i].target.id);
            cv_json_key_str(w, "status", cv_statuses[updates[i].status].word);
            cv_json_key_str_if(w, "via", updates[i].via.id);
            cv_json_end_object(w);
        }
        cv_json_end_array(w);
    }
}

static cv_state state_after(const cv_batch *b)
{
    cv_state after;
    cv_arena *a = b->call->arena;
    cv_subjects_after(&b->subjects, &after);
    after.moves.items = b->entered.items; /* only those of the last round count */
    after.moves.count = b->entered.count;
    after.rounds.items = CV_NEW_ARRAY(a, after.rounds.count + 1, cv_rec_round);
    if (after.rounds.count)
        memcpy(after.rounds.items, b->state->rounds.items, after.rounds.count * sizeof *after.rounds.items);
    after.rounds.items[after.rounds.count++] = (cv_rec_round){.round = b->round, .score = b->score};
    return after;
}

static void print_dynamics(const cv_batch *b, cv_json_writer *w)
{
    cv_state after = state_after(b);
    cv_convergence convergence;
    cv_arena *a = b->call->arena;
    int64_t delta = cv_round_score_delta(&after, b->round);
    cv_convergence_of(a, &after, &convergence);
    cv_json_key_int(w, "velocity", cv_state_velocity(&after));
    cv_answer_int(w, "score_delta", delta);
    cv_json_key(w, CV_STR("convergence"));
    cv_shape_write(w, cv_convergence_shape, &convergence);
}

cv_str cv_batch_answer(cv_batch *b)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", b->state->id);
    cv_json_key_int(&w, "round", b->round);
    print_mapping(b, &w);
    print_entities(b, &w);
    print_updates(b, &w);
    cv_changes changes = cv_subjects_changes(&b->subjects);
    cv_shape_write_members(&w, cv_changes_shape, &changes);
    print_dynamics(b, &w);
    cv_notices_answer(&b->warnings, &w);
    cv_json_end_object(&w);
    return cv_buf_take(&text, b->call->arena);
}
