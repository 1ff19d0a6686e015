/* view.h - a dialogue as the experts of one round are to see it: all that was said before that round, and by whom.
 *
 *     rows of a state     ->  items        entities of the rounds before, each with its contributors and its status
 *                             ties         what refers to what, in the order in which it was said
 *                             moves        who did what, with its targets
 *                             speakers     everybody who said something: experts, the judge
 *                             members      the panel of the round: who is going to be asked
 *
 * An entity is under its first contributor; the others are listed with it, and it is listed with them ("shared").
 * The view of a round that is registered already shows statuses and scores as they were then, by the events; texts that
 * were corrected since are shown as they are now.
 *
 * Built once in linear time (and a sort), then only read. Everything that experts and judges are given is printed from
 * it: as JSON (view_json.c), as sentences (story.h), as prompts (prompt.h).
 */
#ifndef CV_DIALOGUE_BRIEF_VIEW_H
#define CV_DIALOGUE_BRIEF_VIEW_H

#include <assert.h>

#include "base/groups.h"
#include "dialogue/people.h"
#include "dialogue/state.h"

#define CV_NO_ITEM UINT32_MAX

typedef struct {
    const cv_rec_entity *row;
    cv_str id;
    cv_kind kind;
    cv_str status;
    const cv_people *by;
    bool touched; /* made or changed by the last round or after it */
} cv_view_item;

typedef struct {
    cv_ref type;
    cv_str source, target; /* display ids, or @muffin */
    uint32_t from, to;     /* the items; CV_NO_ITEM: an expert's position */
    const cv_people *by;   /* who says so */
    const cv_rec_reference *row;
} cv_view_tie;

typedef struct {
    cv_move type;
    cv_str *targets;
    size_t target_count;
    const cv_rec_move *row;
} cv_view_move;

typedef struct {
    cv_str slug, name, role;
    const cv_rec_expert *expert; /* NULL: the judge, or somebody whom the record names without knowing */
} cv_view_speaker;

typedef struct {
    const cv_rec_expert *expert;
    cv_str slug, name, focus;
    size_t speaker;
    cv_source source;
    int64_t score;
} cv_view_member;

/* A round before: who spoke in it, its panel in the order of the seats and then others; who of the panel did not; and
 * the verdicts that came with it, in their order. */
typedef struct {
    const cv_rec_round *row;
    size_t *voices, *silent; /* speakers */
    size_t voice_count, silent_count;
    const cv_rec_verdict **verdicts;
    size_t verdict_count;
} cv_view_round;

typedef struct {
    uint32_t a, b;
} cv_view_pair;

typedef struct {
    cv_arena *a;
    cv_state s;
    int64_t round;
    cv_naming name;       /* how the caller names operations; those who are prompted name them so, too */
    cv_str status;        /* the dialogue's, before the round */
    int64_t total;        /* of the scores before */
    bool anonymous;       /* experts have numbers in the place of names, and no roles */
    size_t open_tensions; /* of the items */
    CV_STATE_LIST(cv_view_round) rounds;
    CV_STATE_LIST(cv_view_item) items; /* by kind, round and number */
    CV_STATE_LIST(cv_view_tie) ties;   /* by round and position */
    CV_STATE_LIST(cv_view_move) moves; /* by round and position */
    CV_STATE_LIST(cv_view_speaker) speakers;
    CV_STATE_LIST(cv_view_member) members;

    /* By cv_view_key(): what a speaker said in a round. */
    cv_groups items_of;  /* items that are under the speaker */
    cv_groups shared_of; /* shares.items[i].a: items that are under somebody else */
    cv_groups loose_of;  /* loose.items[i].a: ties from the speaker's position, not from an item */
    cv_groups moves_of;
    /* By item. */
    cv_groups ties_from, ties_to; /* the last group: those from or to no item */
    cv_groups moves_to;           /* aims.items[i].a: moves at the item; the last group: at experts */
    CV_STATE_LIST(cv_view_pair) shares, loose, aims;

    uint32_t *item_of; /* by index of the state's entities */
    cv_map speaker_at; /* slug -> index + 1 */
    cv_map people_at;  /* stored list -> cv_people * */
} cv_view;

/* Reads the dialogue and the round that the request names ("dialogue_id", "round"; without one: the next). False: the
 * call has the faults. One snapshot; for a round that is registered a second one, of the events. */
bool cv_view_load(cv_call *call, cv_view *ret_view);

/* The view of a state that has all rows but responses and origins; events only for a registered round. */
void cv_view_make(cv_arena *a, const cv_state *s, int64_t round, cv_view *ret_view);

/* From now on nobody is called by name. */
void cv_view_anonymise(cv_view *v);

static inline size_t cv_view_key(const cv_view *v, int64_t round, size_t speaker)
{
    assert(round >= 0 && speaker < v->speakers.count);
    return (size_t)round * v->speakers.count + speaker;
}

uint32_t cv_view_find(const cv_view *v, cv_str display_id); /* CV_NO_ITEM: none before the round */
bool cv_view_is_open(const cv_view_item *item);             /* a tension that is open; another kind as it was said */
bool cv_view_has_by(const cv_people *people, cv_str slug);
bool cv_view_spoke(const cv_view *v, int64_t round, size_t speaker);
cv_str cv_view_name(const cv_view *v, cv_str slug); /* "Muffin" */
cv_str cv_view_slug(const cv_view *v, cv_str slug); /* as others are to see it: "muffin", "expert-3" */
const cv_view_member *cv_view_member_of(const cv_view *v, cv_str slug); /* NULL: not on the panel */

/* ---- view_json.c ------------------------------------------------------------------------------------------------- */

/* The members dialogue, calibration, prior_rounds, active_tensions of the open object. With since_rev > 0 the dialogue
 * without a background that has not changed, and of prior_rounds what is newer: rounds, items, ties and moves. */
void cv_view_print_shared(const cv_view *v, int64_t since_rev, cv_json_writer *w);

/* What one expert also reads, as members of the open object. `round_context` empty: null. */
void cv_view_print_member(const cv_view_member *member, cv_str round_context, cv_json_writer *w);

#endif
