/* state.h - a dialogue as it is at one rev, in memory.
 *
 * Read once at the beginning of an operation, never written: changes go into a journal (journal.h) that is committed
 * against the rev of this state. Lists are in the order of the snapshot; maps lead from ids to places in them.
 */
#ifndef CV_DIALOGUE_STATE_H
#define CV_DIALOGUE_STATE_H

#include "base/json.h"
#include "base/map.h"
#include "dialogue/snapshot.h"
#include "dialogue/words/id.h"
#include "record/stored.h"

#define CV_STATE_LIST(type)                                                                                            \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

typedef struct {
    cv_str id;
    cv_position position; /* rev 0: the dialogue does not exist */
    cv_rec_dialogue dialogue;
    bool imported;                        /* put here from an export: its folders are those of another project */
    CV_STATE_LIST(cv_rec_expert) experts; /* by position */
    CV_STATE_LIST(cv_rec_seat) seats;     /* by round, position; of each round the panel that stands */
    CV_STATE_LIST(cv_rec_seat) lost;      /* seats of panels that others replaced */
    CV_STATE_LIST(cv_rec_round) rounds;
    CV_STATE_LIST(cv_rec_score) scores;
    CV_STATE_LIST(cv_rec_response) responses;
    CV_STATE_LIST(cv_rec_entity) entities;
    CV_STATE_LIST(cv_rec_origin) origins;
    CV_STATE_LIST(cv_rec_reference) references;
    CV_STATE_LIST(cv_rec_move) moves;
    CV_STATE_LIST(cv_rec_position) positions; /* by round, expert */
    CV_STATE_LIST(cv_rec_verdict) verdicts;
    CV_STATE_LIST(cv_rec_event) events;
    cv_map expert_at;  /* slug -> index + 1 */
    cv_map entity_at;  /* display id -> index + 1 */
    cv_map origin_at;  /* local id -> index + 1 */
    cv_map verdict_at; /* verdict id -> index + 1 */
} cv_state;

/* Everything of the dialogue that `wanted` asks for. A missing dialogue is an error (dialogue_not_found, with the
 * nearest ids). */
bool cv_state_load(cv_call *call, cv_str dialogue_id, const cv_wanted *wanted, cv_state *ret_state, cv_err *err);

/* The same, but every row is shown to `keep` as it comes, and those for which it says no are not kept: for what can be
 * counted or folded on the way. The row's texts live until it returns. */
typedef bool (*cv_keep)(void *ctx, cv_rec_kind kind, const void *row);
bool cv_state_load_some(cv_call *call, cv_str dialogue_id, const cv_wanted *wanted, cv_keep keep, void *ctx,
                        cv_state *ret_state, cv_err *err);

/* Tables over rounds and places (place.h) rely on what the record promises about them. False, with an error, for a row
 * that cannot be; the rows of a state have been asked. */
bool cv_row_check(cv_rec_kind kind, const void *row, cv_err *err);

/* The error of a reader whose readings were CV_MAX_READINGS times not of one rev. Always false. */
bool cv_state_kept_moving(cv_call *call);

/* Sorts the lists and makes the maps again, after rows were left out. */
void cv_state_index(cv_arena *a, cv_state *s);

/* Calls `visit` for the id of every dialogue, in their order. False ends the walk with the visitor's error. The visitor
 * may use the store; the call's follower hears how far it is. */
bool cv_state_each(cv_call *call, bool (*visit)(void *ctx, cv_str id, cv_err *err), void *ctx, cv_err *err);

cv_rec_expert *cv_state_expert(const cv_state *s, cv_str slug);           /* any case; NULL: none */
cv_rec_entity *cv_state_entity(const cv_state *s, cv_str display_id);     /* NULL: none */
const cv_rec_origin *cv_state_origin(const cv_state *s, cv_str local_id); /* any case of the expert's name */
const cv_rec_verdict *cv_state_verdict(const cv_state *s, cv_str verdict_id);
const cv_rec_round *cv_state_round(const cv_state *s, int64_t round);

/* The panel of a round: the seats of the latest round up to it that has any. */
size_t cv_state_panel(const cv_state *s, int64_t round, const cv_rec_seat **ret_seats);

/* The slugs of all experts, for suggestions. */
size_t cv_state_slugs(cv_arena *a, const cv_state *s, cv_str **ret_slugs);

/* The next round to be registered. */
int64_t cv_state_next_round(const cv_state *s);

/* The n-th id that a title can have: its slug, then slug-2 …, never longer than an id may be. */
cv_str cv_dialogue_nth_id(cv_arena *a, cv_str slug, int n);

/* "P0101" of an entity, in the arena. */
cv_str cv_entity_id(cv_arena *a, const cv_rec_entity *entity);

/* "corrected by judge: a typo", when label or content are not those that were registered; else empty. */
cv_str cv_correction_text(cv_arena *a, const cv_rec_entity *entity);

/* "2/muffin": an expert's part in a round. Events about responses have it as their subject. */
cv_str cv_turn_key(cv_arena *a, int64_t round, cv_str expert_slug);

bool cv_tension_is_open(const cv_rec_entity *entity);

#endif
