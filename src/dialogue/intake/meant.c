/* meant.c - what an id in a response means; see listen.h.
 *
 *     T0001           the tension of the dialogue, if there is one
 *     DONUT-R0101     donut's item of this round, if donut is heard; of an earlier one, if it was registered
 *     T01             the expert's own T01 in this response; else the only one with this number: the expert's of an
 *                     earlier round or the dialogue's. When these differ, nobody can know.
 */
#include "dialogue/intake/listen.h"
#include "dialogue/words/limits.h"

static cv_meaning means(cv_str id, char letter)
{
    return (cv_meaning){.id = id, .letter = letter};
}

static cv_meaning by_name(const cv_str *name)
{
    cv_id id;
    if (!cv_id_parse(*name, &id))
        return (cv_meaning){0};
    return means(*name, id.form == CV_ID_EXPERT ? '@' : cv_kinds[id.kind].letter);
}

static cv_meaning expert(const cv_listener *l, const cv_id *id)
{
    const cv_rec_expert *row = cv_state_expert(l->s, id->expert);
    return row ? means(cv_arena_join(l->a, CV_STR("@"), row->expert_slug), '@') : (cv_meaning){0};
}

static cv_meaning local(const cv_listener *l, const cv_id *id, cv_str written)
{
    const cv_rec_expert *row = cv_state_expert(l->s, id->expert);
    char letter = cv_kinds[id->kind].letter;
    if (cv_map_get(&l->entity_at, written) || cv_state_origin(l->s, written))
        return means(written, letter);
    bool pending = row && id->round == l->round && !cv_map_get(&l->voice_at, row->expert_slug);
    return (cv_meaning){.id = pending ? written : (cv_str){NULL, 0}, .letter = letter, .pending = pending};
}

/* ---- short ids --------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str id;
    size_t count;
} candidates;

static void consider(candidates *c, cv_str id)
{
    c->id = id;
    c->count++;
}

static cv_meaning look_up(const cv_listener *l, const cv_id *id)
{
    candidates own = {0}, all = {0};
    for (int round = 0; round < (int)l->round && round <= CV_MAX_ROUND; round++) {
        cv_id display = {CV_ID_DISPLAY, id->kind, round, id->number, {NULL, 0}, {NULL, 0}}, mine = display;
        mine.form = CV_ID_LOCAL;
        mine.expert = l->speech->expert;
        const cv_rec_origin *origin = cv_state_origin(l->s, cv_id_print(l->a, &mine));
        cv_str there = cv_id_print(l->a, &display);
        if (origin)
            consider(&own, origin->display_id);
        if (cv_state_entity(l->s, there))
            consider(&all, there);
    }
    cv_meaning meaning = {.letter = cv_kinds[id->kind].letter, .by_number = true};
    bool agree = own.count == 0 || all.count == 0 || cv_str_eq(own.id, all.id);
    if (own.count <= 1 && all.count <= 1 && agree)
        meaning.id = own.count ? own.id : all.id;
    else if (own.count == 1 && all.count == 1)
        meaning.others = cv_arena_printf(l->a, "%.*s or %.*s", CV_FMT(own.id), CV_FMT(all.id));
    else
        meaning.others = CV_STR("several items of earlier rounds");
    return meaning;
}

static cv_meaning short_id(cv_listener *l, const cv_id *id, cv_str written)
{
    if (id->suffix.n || id->number <= 0 || id->number > CV_MAX_SEQ)
        return (cv_meaning){0};
    bool is_new;
    uintptr_t *place = cv_map_put(&l->shorts, l->a, written, &is_new);
    if (is_new) {
        cv_meaning *meaning = CV_NEW(l->a, cv_meaning);
        *meaning = look_up(l, id);
        *place = (uintptr_t)meaning;
    }
    return *(const cv_meaning *)*place;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

cv_str cv_hear_own_name(cv_arena *a, cv_str expert, cv_str id)
{
    return cv_arena_printf(a, "%.*s/%.*s", CV_FMT(expert), CV_FMT(id));
}

static const uintptr_t *find_name(const cv_listener *l, cv_str written)
{
    const uintptr_t *own = cv_map_get(l->names, cv_hear_own_name(l->a, l->speech->expert, written));
    return own ? own : cv_map_get(l->names, written);
}

cv_meaning cv_listen_meaning(cv_listener *l, const cv_id *id)
{
    cv_str written = cv_id_print(l->a, id);
    const uintptr_t *name = l->names ? find_name(l, written) : NULL;
    if (name)
        return by_name((const cv_str *)*name);
    if (id->form == CV_ID_EXPERT)
        return expert(l, id);
    const uintptr_t *own = cv_map_get(&l->speech->meant, written);
    const cv_said *said = own ? (const cv_said *)*own : NULL;
    if (said && cv_map_get(&l->entity_at, said->local_id))
        return means(said->local_id, cv_kinds[said->kind].letter);
    if (id->form == CV_ID_LOCAL)
        return local(l, id, written);
    if (id->form == CV_ID_SHORT)
        return short_id(l, id, written);
    return cv_state_entity(l->s, written) ? means(written, cv_kinds[id->kind].letter) : (cv_meaning){0};
}
