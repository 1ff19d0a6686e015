/* panel.h - who sits on a panel: pure choices without store and clock.
 *
 *     candidates + rotation + size + seed   ->   who is kept, who is drawn, and with which chance
 *
 * Drawing is weighted by relevance, without replacement, first for the places of each tier, then for what is left over.
 * Weights are whole millionths and the generator is splitmix64, so the same seed gives the same panel on every machine.
 * Each draw keeps the chance it had: anyone who doubts a panel can draw it again.
 */
#ifndef CV_DIALOGUE_PANEL_PANEL_H
#define CV_DIALOGUE_PANEL_PANEL_H

#include "base/map.h"
#include "dialogue/words/words.h"

/* ---- rotation: what happens to the panel between rounds ---------------------------------------------------------- */

#define CV_ROTATIONS(X)                                                                                                \
    X(NONE, "none", "The panel of round 0 stays.")                                                                     \
    X(WILDCARDS, "wildcards", "Core and Adjacent stay; Wildcards are drawn from experts who have not spoken yet.")     \
    X(FULL, "full", "The whole panel is drawn again by relevance, without regard to tiers.")                           \
    X(GRADUATED, "graduated", "The judge decides; sampling only fills what is asked for.")

typedef enum {
#define X(id, word, meaning) CV_ROTATION_##id,
    CV_ROTATIONS(X)
#undef X
        CV_ROTATION_COUNT
} cv_rotation;

extern const cv_words cv_rotation_words;
extern const cv_str cv_rotation_meanings[CV_ROTATION_COUNT];

/* ---- chance ------------------------------------------------------------------------------------------------------ */

/* The algorithm's name as selections record it. Another way of drawing gets another name. */
#define CV_PANEL_ALGORITHM "splitmix64-tiers-1"

enum { CV_WEIGHT_ONE = 1000000 };      /* the weight of relevance 1 */
#define CV_SEED_MAX (INT64_C(1) << 53) /* what JSON carries exactly */

typedef struct {
    uint64_t state; /* the seed */
} cv_random;

uint64_t cv_random_next(cv_random *r);
uint64_t cv_random_below(cv_random *r, uint64_t limit); /* without bias; limit is not 0 */

/* The seed of a dialogue that was given none, and the one that a later round uses. */
int64_t cv_panel_seed(cv_str dialogue_id);
int64_t cv_panel_round_seed(int64_t seed, int64_t round);

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* How many of a panel come from each tier: a third Core, a quarter Wildcard, the rest Adjacent; small panels by hand.
 */
typedef struct {
    size_t of[CV_TIER_COUNT];
} cv_tier_split;
cv_tier_split cv_panel_split(size_t size);

typedef struct {
    cv_str role, relevance; /* for the reader of the selection */
    cv_tier tier;
    uint32_t weight;
    bool opened; /* sat in round 0 */
    bool heard;  /* sat in any round */
    bool sits;   /* sits in the panel before */
    bool asked;  /* the judge wants to keep it */
    bool barred; /* … or to leave it out */
    bool kept;   /* result: it stays, nobody drew it */
    bool seated; /* result: kept or drawn */
} cv_candidate;

typedef struct {
    cv_candidate *items;
    size_t count, capacity;
} cv_candidates;

typedef struct {
    size_t candidate;
    size_t among;    /* how many could have been drawn */
    uint32_t chance; /* of this one among them, in millionths */
} cv_draw;

typedef struct {
    cv_draw *items;
    size_t count, capacity;
} cv_draws;

/* Seats those whom the rotation keeps and the judge asked for; returns how many. */
size_t cv_panel_keep(cv_candidates *candidates, cv_rotation rotation);

/* Draws until `size` are seated or nobody is left. */
void cv_panel_draw(cv_arena *a, cv_candidates *candidates, cv_rotation rotation, size_t size, int64_t seed,
                   cv_draws *draws);

/* The first panel: nobody is kept, tiers decide whatever the rotation is. */
void cv_panel_open(cv_arena *a, cv_candidates *candidates, size_t size, int64_t seed, cv_draws *draws);

/* The seated ones as they are named and listed: Core, Adjacent, Wildcard; in a tier the kept ones first, then in the
 * order in which they were drawn. Where everybody sits, chance has decided nothing: a tier is in the order of its
 * candidates. Returns how many. */
size_t cv_panel_order(cv_arena *a, const cv_candidates *candidates, const cv_draws *draws, size_t **ret_order);

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The i-th name, from 0: muffin, cupcake … religieuse, pastry21, pastry22 … */
cv_str cv_panel_name(cv_arena *a, size_t i);

/* The first name that nobody has, which is then taken. */
cv_str cv_panel_deal(cv_arena *a, cv_map *taken);

/* "Muffin" for "muffin". */
cv_str cv_panel_display_name(cv_arena *a, cv_str slug);

#endif
