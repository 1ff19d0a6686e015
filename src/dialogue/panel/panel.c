/* panel.c - who sits on a panel; see panel.h. */
#include "dialogue/panel/panel.h"

static const cv_str rotation_words[] = {
#define X(id, word, meaning) CV_STR_INIT(word),
    CV_ROTATIONS(X)
#undef X
};
_Static_assert(CV_COUNT(rotation_words) == CV_ROTATION_COUNT, "a word per rotation");
const cv_words cv_rotation_words = {rotation_words, CV_ROTATION_COUNT};
const cv_str cv_rotation_meanings[] = {
#define X(id, word, meaning) CV_STR_INIT(meaning),
    CV_ROTATIONS(X)
#undef X
};
_Static_assert(CV_COUNT(cv_rotation_meanings) == CV_ROTATION_COUNT, "a meaning per rotation");

/* ---- chance ------------------------------------------------------------------------------------------------------ */

uint64_t cv_random_next(cv_random *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t cv_random_below(cv_random *r, uint64_t limit)
{
    uint64_t uneven = (0 - limit) % limit; /* numbers below this would make some results likelier than others */
    uint64_t n = cv_random_next(r);
    while (n < uneven)
        n = cv_random_next(r);
    return n % limit;
}

int64_t cv_panel_seed(cv_str dialogue_id)
{
    return (int64_t)(cv_str_hash(dialogue_id) & (uint64_t)(CV_SEED_MAX - 1));
}

int64_t cv_panel_round_seed(int64_t seed, int64_t round)
{
    return (seed + round) % CV_SEED_MAX;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

cv_tier_split cv_panel_split(size_t size)
{
    if (size <= 2)
        return (cv_tier_split){{[CV_TIER_CORE] = size}};
    if (size <= 5)
        return (cv_tier_split){{[CV_TIER_CORE] = 1, [CV_TIER_ADJACENT] = size - 2, [CV_TIER_WILDCARD] = 1}};
    size_t core = size / 3, wild = size / 4;
    return (cv_tier_split){{[CV_TIER_CORE] = core, [CV_TIER_ADJACENT] = size - core - wild, [CV_TIER_WILDCARD] = wild}};
}

enum { ANY_TIER = CV_TIER_COUNT };

/* Which candidates a draw is about. */
typedef struct {
    int tier;
    bool unheard; /* only those who have not sat yet */
} range;

static bool within(const cv_candidate *c, range from)
{
    return !c->seated && !c->barred && (from.tier == ANY_TIER || (int)c->tier == from.tier) &&
           !(from.unheard && c->heard);
}

/* Where nobody has any weight, all have the same. */
static uint64_t weight_of(const cv_candidate *c, uint64_t total)
{
    return total ? c->weight : 1;
}

/* Draws one; false when nobody is there to be drawn. */
static bool draw_one(cv_arena *a, cv_candidates *list, range from, cv_random *r, cv_draws *draws)
{
    uint64_t total = 0;
    size_t among = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (within(&list->items[i], from)) {
            total += list->items[i].weight;
            among++;
        }
    }
    if (among == 0)
        return false;
    uint64_t whole = total ? total : among, at = cv_random_below(r, whole);
    for (size_t i = 0; i < list->count; i++) {
        cv_candidate *c = &list->items[i];
        if (!within(c, from))
            continue;
        uint64_t weight = weight_of(c, total);
        if (at < weight) {
            c->seated = true;
            *CV_PUSH(a, draws) = (cv_draw){i, among, (uint32_t)((weight * CV_WEIGHT_ONE + whole / 2) / whole)};
            return true;
        }
        at -= weight;
    }
    return false; /* not reached: the weights add up to `whole` */
}

/* Draws up to `want`; returns how many are still wanted. */
static size_t draw_some(cv_arena *a, cv_candidates *list, range from, size_t want, cv_random *r, cv_draws *draws)
{
    while (want > 0 && draw_one(a, list, from, r, draws))
        want--;
    return want;
}

static size_t seated_in(const cv_candidates *list, int tier)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++)
        n += list->items[i].seated && (tier == ANY_TIER || (int)list->items[i].tier == tier);
    return n;
}

static bool is_kept(const cv_candidate *c, cv_rotation rotation, bool judge_chose)
{
    switch (rotation) {
    case CV_ROTATION_NONE:
        return c->opened;
    case CV_ROTATION_WILDCARDS:
        return c->sits && c->tier != CV_TIER_WILDCARD;
    case CV_ROTATION_GRADUATED:
        return c->sits && !judge_chose;
    case CV_ROTATION_FULL:
    case CV_ROTATION_COUNT:
        break;
    }
    return false;
}

size_t cv_panel_keep(cv_candidates *list, cv_rotation rotation)
{
    bool judge_chose = false;
    for (size_t i = 0; i < list->count; i++)
        judge_chose |= list->items[i].asked;
    for (size_t i = 0; i < list->count; i++) {
        cv_candidate *c = &list->items[i];
        c->kept = c->seated = !c->barred && (c->asked || is_kept(c, rotation, judge_chose));
    }
    return seated_in(list, ANY_TIER);
}

/* The places of each tier, less those taken already; then the others of the pool. */
static void draw_by_tier(cv_arena *a, cv_candidates *list, size_t size, cv_random *r, cv_draws *draws)
{
    cv_tier_split split = cv_panel_split(size);
    size_t left = size - seated_in(list, ANY_TIER);
    for (int tier = 0; tier < CV_TIER_COUNT; tier++) {
        size_t taken = seated_in(list, tier);
        size_t want = split.of[tier] > taken ? split.of[tier] - taken : 0;
        want = want < left ? want : left;
        left -= want - draw_some(a, list, (range){tier, false}, want, r, draws);
    }
    draw_some(a, list, (range){ANY_TIER, false}, left, r, draws);
}

void cv_panel_draw(cv_arena *a, cv_candidates *list, cv_rotation rotation, size_t size, int64_t seed, cv_draws *draws)
{
    cv_random r = {(uint64_t)seed};
    size_t seated = seated_in(list, ANY_TIER);
    size_t left = size > seated ? size - seated : 0;
    if (left == 0)
        return;
    if (rotation == CV_ROTATION_WILDCARDS) {
        left = draw_some(a, list, (range){CV_TIER_WILDCARD, true}, left, &r, draws);
        left = draw_some(a, list, (range){CV_TIER_WILDCARD, false}, left, &r, draws);
        draw_some(a, list, (range){ANY_TIER, false}, left, &r, draws);
    } else if (rotation == CV_ROTATION_FULL) {
        draw_some(a, list, (range){ANY_TIER, false}, left, &r, draws);
    } else {
        draw_by_tier(a, list, size, &r, draws);
    }
}

void cv_panel_open(cv_arena *a, cv_candidates *list, size_t size, int64_t seed, cv_draws *draws)
{
    cv_panel_draw(a, list, CV_ROTATION_NONE, size, seed, draws);
}

size_t cv_panel_order(cv_arena *a, const cv_candidates *list, const cv_draws *draws, size_t **ret_order)
{
    size_t *order = CV_NEW_ARRAY(a, list->count, size_t), n = 0;
    bool everybody = seated_in(list, ANY_TIER) == list->count;
    for (int tier = 0; tier < CV_TIER_COUNT; tier++) {
        for (size_t i = 0; i < list->count; i++)
            if ((everybody || list->items[i].kept) && (int)list->items[i].tier == tier)
                order[n++] = i;
        for (size_t i = 0; !everybody && i < draws->count; i++)
            if ((int)list->items[draws->items[i].candidate].tier == tier)
                order[n++] = draws->items[i].candidate;
    }
    *ret_order = order;
    return n;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

cv_str cv_panel_name(cv_arena *a, size_t i)
{
    return i < cv_panel_names.count ? cv_panel_names.items[i] : cv_arena_printf(a, "pastry%zu", i + 1);
}

cv_str cv_panel_deal(cv_arena *a, cv_map *taken)
{
    for (size_t i = 0;; i++) {
        bool fresh;
        cv_str name = cv_panel_name(a, i);
        cv_map_put(taken, a, name, &fresh);
        if (fresh)
            return name;
    }
}

cv_str cv_panel_display_name(cv_arena *a, cv_str slug)
{
    char *name = cv_arena_copy_z(a, slug);
    name[0] = cv_upper(name[0]);
    return (cv_str){name, slug.n};
}
