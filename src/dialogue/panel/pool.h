/* pool.h - the expert pool of a dialogue: who could be asked.
 *
 * A pool comes with `create` and is kept with the dialogue as it was given, tiers and slugs in their one spelling. Its
 * members are known by their roles, which differ without regard to case. A member gets a name (slug) and a row among
 * the experts when it first joins a panel, and keeps both; until then it is only in the pool. One that brought a slug
 * along has it reserved from the beginning.
 */
#ifndef CV_DIALOGUE_PANEL_POOL_H
#define CV_DIALOGUE_PANEL_POOL_H

#include "dialogue/panel/panel.h"
#include "dialogue/person.h"

typedef struct {
    cv_str domain, question;
    cv_person *items;
    size_t count, capacity;
} cv_pool;

/* Reads and checks the pool of a request, its member "expert_pool"; from the `own`-th on they come from its texts
 * "expert". False: faults were added to the call. */
bool cv_pool_read(cv_call *call, const cv_json *from, size_t own, cv_pool *ret_pool);

/* The pool as it is stored, and back; an absent text is an empty pool. */
cv_str cv_pool_print(cv_arena *a, const cv_pool *pool);
bool cv_pool_load(cv_call *call, cv_str stored, cv_pool *ret_pool);

/* Roles of a list of people, as `add` of evolve-panel takes them: with commas between, at most as many as a usual panel
 * has. A role that has a comma itself is left out. */
enum { CV_USUAL_PANEL = 12 };
cv_str cv_pool_roles(cv_arena *a, const cv_json *people);

const cv_person *cv_pool_by_role(const cv_pool *pool, cv_str role); /* NULL: none */
const cv_person *cv_pool_by_slug(const cv_pool *pool, cv_str slug);

/* The expert's row of a member, when it has joined a panel; of two experts with the role, the one from the pool. */
const cv_rec_expert *cv_pool_expert(const cv_state *s, const cv_person *member);

/* All names that are in use or reserved: what dealing must pass over. */
void cv_pool_taken(cv_arena *a, const cv_state *s, const cv_pool *pool, cv_map *ret_taken);

/* The row of someone who joins. */
cv_rec_expert cv_person_row(const cv_person *person, cv_str slug, cv_source source, int64_t position, int64_t round,
                            cv_str now);

#endif
