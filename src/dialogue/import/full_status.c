/* full_status.c - how the items of a full dialogue get their statuses again; see full_importing.h.
 *
 *     a reference, a move, a verdict that explains it    nothing is done: it has the same effect as before
 *     nothing explains it                                the judge's word, given with the round
 *     it would become what it did not become             the judge's word, too: it was kept
 *     the record still says otherwise                    the judge's word, given behind the round or before a verdict
 */
#include "dialogue/import/full_importing.h"
#include "dialogue/operations.h"
#include "dialogue/register/cascade.h"

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

static const cv_full_turn *turn_in(const cv_full_item *item, int round)
{
    for (size_t i = 0; i < item->turns.count; i++)
        if (item->turns.items[i].round == round)
            return &item->turns.items[i];
    return NULL;
}

/* The shortest way from one status to another, at least one step: what is between them, then `to`. 0: there is
 * none. */
static size_t find_way(cv_kind kind, cv_status from, cv_status to, cv_status way[CV_STATUS_COUNT])
{
    int before[CV_STATUS_COUNT];
    cv_status queue[CV_STATUS_COUNT + 1];
    size_t head = 0, tail = 0, n = 0;
    for (int i = 0; i < CV_STATUS_COUNT; i++)
        before[i] = -1;
    queue[tail++] = from;
    while (head < tail && before[to] < 0) {
        cv_status at = queue[head++];
        for (int next = 0; next < CV_STATUS_COUNT; next++)
            if (cv_statuses[next].kind == kind && next != (int)at && before[next] < 0 &&
                (next != (int)from || from == to) && cv_status_may_become(at, (cv_status)next)) {
                before[next] = (int)at;
                if (next != (int)from)
                    queue[tail++] = (cv_status)next;
            }
    }
    if (before[to] < 0)
        return 0;
    cv_status back[CV_STATUS_COUNT];
    cv_status at = to;
    do {
        back[n++] = at;
        at = (cv_status)before[at];
    } while (at != from && n < CV_STATUS_COUNT);
    for (size_t i = 0; i < n; i++)
        way[i] = back[n - 1 - i];
    return n;
}

static void write_update(cv_full_importing *p, cv_json_writer *w, const cv_full_item *item, const cv_full_turn *turn,
                         cv_status status)
{
    const cv_full_item *via = cv_full_find(p->t, turn->via);
    bool known = true;
    for (size_t i = 0; i < turn->by.count; i++)
        known &= cv_str_eq(turn->by.items[i], cv_judge_slug) || cv_state_expert(&p->state, turn->by.items[i]);
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", item->round == p->round ? item->local_id : item->known);
    cv_json_key_str(w, "status", cv_statuses[status].word);
    cv_json_key(w, CV_STR("by"));
    cv_json_raw(w, known ? turn->by.json : cv_judge_alone.json);
    if (via)
        cv_json_key_str(w, "via", via->round == p->round ? via->local_id : via->known);
    else if (turn->via.n > 1 && turn->via.p[0] == '@' && cv_state_expert(&p->state, cv_str_from(turn->via, 1)))
        cv_json_key_str(w, "via", turn->via);
    cv_json_key_str_if(w, "reason", turn->reason);
    cv_json_end_object(w);
}

static bool write_way(cv_full_importing *p, cv_json_writer *w, const cv_full_item *item, const cv_full_turn *turn,
                      cv_status from)
{
    cv_status way[CV_STATUS_COUNT];
    size_t steps = find_way(item->kind, from, turn->status, way);
    for (size_t i = 0; i < steps; i++)
        write_update(p, w, item, turn, way[i]);
    return steps > 0;
}

static cv_status status_before(const cv_full_importing *p, const cv_full_item *item)
{
    const cv_rec_entity *row = item->round < p->round ? cv_state_entity(&p->state, item->known) : NULL;
    int status = row ? cv_status_find(item->kind, row->status) : -1;
    return status >= 0 ? (cv_status)status : cv_status_first(item->kind);
}

/* What the references and moves of the round make of an item, one after the other; the last that changes it. */
typedef struct {
    const cv_full_item *item;
    cv_status status;
    bool changed;
    cv_people by;
    cv_str via, reason;
} effects;

static void apply(effects *e, cv_cause cause, cv_str target, const cv_people *by, cv_str via, cv_str reason)
{
    unsigned who = 0;
    if (!cv_str_eq(target, e->item->id))
        return;
    for (size_t i = 0; i < by->count; i++)
        who |= cv_people_json_has(e->item->by.json, by->items[i]) ? CV_BY_AUTHOR
               : cv_str_eq(by->items[i], cv_judge_slug)           ? CV_BY_JUDGE
                                                                  : CV_BY_OTHER;
    cv_effect effect = cv_cascade(cause, e->item->kind, e->status, who);
    if (effect.type == CV_EFFECT_STATUS && effect.status != e->status)
        *e = (effects){e->item, effect.status, true, *by, via, reason};
}

/* In the order in which a round is entered: the references of items, kind by kind, those of experts, moves. */
static effects effects_of_round(const cv_full_importing *p, const cv_full_item *item, cv_status from)
{
    const cv_full_dialogue *t = p->t;
    cv_arena *a = t->s->arena;
    effects e = {.item = item, .status = from};
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        for (size_t i = 0; i < t->items.count; i++) {
            const cv_full_item *source = &t->items.items[i];
            for (size_t k = 0; (int)source->kind == kind && source->round == p->round && k < source->refs.count; k++) {
                const cv_full_ref *ref = &source->refs.items[k];
                apply(&e, (cv_cause){CV_CAUSE_REFERENCE, (int)ref->type}, ref->target, &source->by, source->id,
                      ref->reason);
            }
        }
    for (size_t i = 0; i < t->links.count; i++) {
        const cv_full_link *link = &t->links.items[i];
        cv_people by = cv_people_of(a, &link->expert, 1);
        if (link->round == p->round)
            apply(&e, (cv_cause){CV_CAUSE_REFERENCE, (int)link->ref.type}, link->ref.target, &by,
                  cv_arena_join(a, CV_STR("@"), link->expert), link->ref.reason);
    }
    for (size_t i = 0; i < t->moves.count; i++) {
        const cv_full_move *move = &t->moves.items[i];
        cv_people by = cv_people_of(a, &move->expert, 1);
        for (size_t k = 0; move->round == p->round && k < move->targets.count; k++)
            apply(&e, (cv_cause){CV_CAUSE_MOVE, (int)move->type}, move->targets.items[k], &by, (cv_str){NULL, 0},
                  move->context);
    }
    return e;
}

static bool same_list(const cv_str *x, size_t x_count, const cv_people *people)
{
    for (size_t i = 0; x_count == people->count && i < x_count; i++)
        if (!cv_str_eq(x[i], people->items[i]))
            return false;
    return x_count == people->count;
}

/* Does a reference or a move of the round explain it, or a verdict? */
static bool is_explained(const cv_full_importing *p, const cv_full_item *item, const cv_full_turn *turn, cv_status from)
{
    if (turn->result.n || cv_str_starts(turn->via, CV_STR("verdict-")))
        return true;
    effects e = effects_of_round(p, item, from);
    if (!e.changed || e.status != turn->status || !p->t->exact)
        return e.changed && e.status == turn->status;
    return same_list(e.by.items, e.by.count, &turn->by) && cv_str_eq(e.via, turn->via) &&
           cv_str_eq(cv_squeeze(p->t->s->arena, e.reason), turn->reason);
}

/* Did the judge keep an item from what the round would have made of it? It became so never, or only later, or a
 * transcript would have told it with the round, or nothing leads from there to what it became later. */
static bool was_kept(const cv_full_importing *p, const cv_full_item *item, cv_status from)
{
    effects e = p->t->exact ? effects_of_round(p, item, from) : (effects){.changed = false};
    cv_status way[CV_STATUS_COUNT];
    if (!e.changed)
        return false;
    if (cv_transcript_is_standing((int)e.status, (int)from))
        return true;
    for (size_t i = 0; i < item->turns.count; i++)
        if (item->turns.items[i].round > p->round)
            return item->turns.items[i].status == e.status ||
                   find_way(item->kind, e.status, item->turns.items[i].status, way) == 0;
    return true;
}

/* The judge's word, given with the round: what no reference, move or verdict explains. */
void cv_full_write_updates(cv_full_importing *p, cv_json_writer *w)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_arena_printf(p->t->s->arena, "%.*s_updates", CV_FMT(cv_kinds[kind].word)));
        cv_json_begin_array(w);
        for (size_t i = 0; i < p->t->items.count; i++) {
            const cv_full_item *item = &p->t->items.items[i];
            const cv_full_turn *turn =
                (int)item->kind == kind && item->round <= p->round ? turn_in(item, p->round) : NULL;
            cv_status before = status_before(p, item);
            if (turn && !is_explained(p, item, turn, before))
                write_way(p, w, item, turn, before);
            else if (!turn && (int)item->kind == kind && item->round <= p->round && was_kept(p, item, before))
                write_update(p, w, item, &(cv_full_turn){.by = cv_judge_alone}, before);
        }
        cv_json_end_array(w);
    }
}

/* Does the record say the same of an item at the end of the round? */
static bool says_the_same(const cv_full_importing *p, const cv_transcript *told, const cv_written_entity *now,
                          const cv_full_turn *turn)
{
    cv_arena *a = p->t->s->arena;
    char id[3][6];
    if (!cv_str_eq(now->status, cv_statuses[turn->status].word))
        return false;
    if (!p->t->exact)
        return true;
    if (!now->became || told->happened[now->became - 1] != turn->round)
        return false;
    const cv_happening *h = &told->g.events.items[now->became - 1];
    cv_words by = cv_json_list(a, cv_name_text(&told->g, h->actors, id[0]));
    return same_list(by.items, by.count, &turn->by) &&
           cv_str_eq(cv_name_text(&told->g, h->reference, id[0]), turn->via) &&
           cv_str_eq(cv_name_text(&told->g, h->result, id[1]), turn->result) &&
           cv_str_eq(cv_squeeze(a, cv_name_text(&told->g, h->reason, id[2])), turn->reason);
}

bool cv_full_load(cv_full_importing *p, int64_t round, cv_transcript *ret)
{
    cv_call own = *p->p.call;
    cv_err err = {.arena = p->t->s->arena};
    own.arena = p->t->s->arena;
    own.record = p->p.record;
    if (cv_transcript_load(&own, p->p.imported->dialogue_id, round, ret, &err))
        return true;
    *CV_PUSH(p->t->s->arena, &p->p.imported->failures) = (cv_remark){CV_NO_SHEET, 0, CV_STR("read"), cv_err_text(&err)};
    p->p.failed = true;
    return false;
}

/* Does the record have a change of a tension that the file does not have with the round? An interim verdict closed it,
 * and the judge took that back: what is left is that it was addressed. */
static bool was_taken_back(const cv_full_importing *p, const cv_transcript *told, const cv_written_entity *now)
{
    for (size_t i = 0; p->t->exact && now->became && i < told->settled.count; i++)
        if (told->settled.items[i] == now->became - 1)
            return told->happened[now->became - 1] == p->round;
    return false;
}

static cv_json_writer begin_updates(cv_full_importing *p, cv_buf *text, const char *step)
{
    cv_json_writer w = cv_importing_begin(&p->p, text, step);
    cv_json_key(&w, CV_STR("updates"));
    cv_json_begin_array(&w);
    return w;
}

static void send_updates(cv_full_importing *p, cv_json_writer *w, const char *step, bool any)
{
    cv_json_end_array(w);
    if (any)
        cv_importing_send(&p->p, w, step, cv_dialogue_update, NULL);
    else
        cv_buf_release(w->out);
}

/* What the round has not brought about as the file says is given behind it. */
void cv_full_mend(cv_full_importing *p)
{
    cv_transcript *told = CV_NEW(p->t->s->arena, cv_transcript);
    const char *step = cv_arena_printf(p->t->s->arena, "statuses-%d", p->round).p;
    cv_buf text;
    bool any = false;
    int round = p->round;
    if (!cv_full_load(p, p->round, told) || (int64_t)p->round + 1 < cv_state_next_round(&told->s))
        return;
    cv_json_writer w = begin_updates(p, &text, step);
    for (size_t i = 0; i < told->told.count; i++) {
        const cv_written_entity *now = &told->told.items[i];
        const cv_full_item *item = NULL;
        for (size_t k = 0; k < p->t->items.count && !item; k++)
            item = cv_str_eq(p->t->items.items[k].known, now->id) ? &p->t->items.items[k] : NULL;
        const cv_full_turn *turn = item ? turn_in(item, round) : NULL;
        const cv_full_turn addressed = {.status = CV_STATUS_TENSION_ADDRESSED, .by = cv_judge_alone};
        if (item && !turn && was_taken_back(p, told, now))
            turn = &addressed;
        int from = turn ? cv_status_find(item->kind, now->status) : -1;
        bool by_verdict = turn && cv_str_starts(turn->via, CV_STR("verdict-"));
        p->round = round + 1; /* ids of this round are known now */
        if (turn && from >= 0 && !by_verdict && !turn->result.n && !says_the_same(p, told, now, turn))
            any |= write_way(p, &w, item, turn, (cv_status)from);
        p->round = round;
    }
    send_updates(p, &w, step, any);
}

/* What a verdict made of an item it can make of it again only from another status: it was changed before, in the same
 * round, and that is not told. */
void cv_full_prepare(cv_full_importing *p, const cv_full_verdict *v)
{
    cv_arena *a = p->t->s->arena;
    cv_transcript *told = CV_NEW(a, cv_transcript);
    cv_str name = cv_arena_join(a, CV_STR("verdict-"), v->row.verdict_id);
    const char *step = cv_arena_printf(a, "before-%.*s", CV_FMT(name)).p;
    cv_buf text;
    bool any = false;
    if (!p->t->exact || !cv_full_load(p, CV_ABSENT, told) || cv_state_verdict(&told->s, v->row.verdict_id))
        return;
    cv_json_writer w = begin_updates(p, &text, step);
    int round = p->round;
    p->round = CV_MAX_ROUND + 1; /* ids of all rounds are known */
    for (size_t i = 0; i < p->t->items.count; i++) {
        const cv_full_item *item = &p->t->items.items[i];
        const cv_rec_entity *row = cv_state_entity(&told->s, item->known);
        int from = row ? cv_status_find(item->kind, row->status) : -1;
        cv_status way[CV_STATUS_COUNT];
        for (size_t k = 0; from >= 0 && k < item->turns.count; k++) {
            const cv_full_turn *turn = &item->turns.items[k];
            bool caused = cv_str_eq(turn->via, name);
            size_t steps = caused ? find_way(item->kind, (cv_status)from, turn->status, way) : 0;
            for (size_t n = 0; n + 1 < steps; n++, any = true)
                write_update(p, &w, item, &(cv_full_turn){.by = cv_judge_alone}, way[n]);
        }
    }
    p->round = round;
    send_updates(p, &w, step, any);
}
