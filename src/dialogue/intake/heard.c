/* heard.c - what a mark says that makes no item: references, moves, resolutions, verdicts; see listen.h.
 *
 * A table leads from the mark's type to the function that hears it; what has no row, or cannot be registered, is noted
 * with its text.
 */
#include "base/limits.h"
#include "base/utf8.h"
#include "dialogue/intake/listen.h"
#include "dialogue/people.h"

/* ---- what is not known ------------------------------------------------------------------------------------------- */

static void note_meaning(cv_listener *l, cv_str written, const cv_meaning *meaning)
{
    if (meaning->others.n)
        cv_listen_note(l, CV_STR("ambiguous_target"), written, "%.*s may mean %.*s", CV_FMT(written),
                       CV_FMT(meaning->others))
            ->suggestion = CV_STR("write the id in full: T0001");
    else if (meaning->pending)
        cv_listen_note(l, CV_STR("pending_target"), written, "%.*s is not there: its expert has not been heard",
                       CV_FMT(written))
            ->suggestion = CV_STR("add the reference once that response is there");
    else if (meaning->id.n == 0)
        cv_listen_note(l, CV_STR("unknown_target"), written, "there is no %.*s", CV_FMT(written))->suggestion =
            CV_STR("use an id of the dialogue (P0001), a local id of this round (MUFFIN-P0101) or @expert");
    else if (meaning->by_number)
        cv_listen_note(l, CV_STR("short_target"), meaning->id, "%.*s is read as %.*s", CV_FMT(written),
                       CV_FMT(meaning->id))
            ->suggestion = CV_STR("write the id in full");
}

static cv_meaning look_up(cv_listener *l, const cv_id *id, cv_str *ret_written)
{
    cv_meaning meaning = cv_listen_meaning(l, id);
    *ret_written = cv_id_print(l->a, id);
    note_meaning(l, *ret_written, &meaning);
    return meaning;
}

static void note_unused(cv_listener *l)
{
    cv_str word = cv_marks_table[l->said->mark->type].word;
    cv_listen_note(l, CV_STR("unregistered_mark"), (cv_str){NULL, 0}, "%.*s cannot be registered",
                   CV_FMT(word.n ? word : cv_excerpt(l->a, l->said->mark->word)))
        ->suggestion = CV_STR("say it with an item, a reference or a move, if it is meant to count");
}

static bool has_targets(cv_listener *l)
{
    if (l->said->mark->targets.n)
        return true;
    cv_listen_note(l, CV_STR("no_target"), (cv_str){NULL, 0}, "the mark names nothing that it is about")->suggestion =
        CV_STR("name an id behind the word");
    return false;
}

/* ---- updates: the judge's word about a tension ------------------------------------------------------------------- */

/* The tension's id in the dialogue, or its local id when it is new. */
static cv_str tension_of(const cv_listener *l, cv_str id)
{
    const cv_rec_origin *origin = cv_map_get(&l->entity_at, id) ? NULL : cv_state_origin(l->s, id);
    return origin ? origin->display_id : id;
}

static cv_status *planned_status(cv_listener *l, cv_str id)
{
    bool is_new;
    uintptr_t *place = cv_map_put(&l->planned, l->a, id, &is_new);
    if (is_new) {
        const cv_rec_entity *row = cv_state_entity(l->s, id);
        int stored = row ? cv_status_find(CV_KIND_TENSION, row->status) : -1;
        cv_status *status = CV_NEW(l->a, cv_status);
        *status = stored >= 0 ? (cv_status)stored : cv_status_first(CV_KIND_TENSION);
        *place = (uintptr_t)status;
    }
    return (cv_status *)*place;
}

/* Made once: a mark may have thousands of targets. */
static cv_str reason_of(cv_listener *l)
{
    const cv_mark *m = l->said->mark;
    if (m->label.n == 0 || m->body.n == 0)
        return m->label.n ? m->label : m->body;
    if (!l->reason.n)
        l->reason = cv_arena_join(l->a, cv_arena_join(l->a, m->label, CV_STR("\n\n")), m->body);
    return l->reason;
}

/* A mark says what becomes of a tension once, however often it names it. */
static bool is_new_update(cv_listener *l, cv_str id)
{
    bool is_new;
    cv_map_put(&l->updated, l->a, id, &is_new);
    return is_new;
}

static void add_update(cv_listener *l, const cv_meaning *meaning, cv_status to)
{
    cv_str id = tension_of(l, meaning->id);
    cv_status *planned = planned_status(l, id);
    if (!is_new_update(l, id))
        return;
    if (!cv_status_may_become(*planned, to)) {
        cv_listen_note(l, CV_STR("invalid_update"), id, "%.*s is %.*s and cannot become %.*s", CV_FMT(id),
                       CV_FMT(cv_statuses[*planned].word), CV_FMT(cv_statuses[to].word));
        return;
    }
    *planned = to;
    *CV_PUSH(l->a, &l->h->updates) = (cv_heard_update){
        .expert = l->speech->expert, .id = id, .reason = reason_of(l), .status = to, .line = l->said->mark->line};
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static bool is_new_reference(cv_listener *l, cv_str source, cv_ref type, cv_str target)
{
    bool is_new;
    cv_str key = cv_arena_printf(l->a, "%.*s %d %.*s", CV_FMT(source), (int)type, CV_FMT(target));
    cv_map_put(&l->seen, l->a, key, &is_new);
    return is_new;
}

/* The judge refers from items only; about tensions the judge decides. */
static void judge_refers(cv_listener *l, cv_ref type, const cv_meaning *meaning)
{
    static const cv_status becomes[CV_REF_COUNT] = {[CV_REF_ADDRESS] = CV_STATUS_TENSION_ADDRESSED,
                                                    [CV_REF_RESOLVE] = CV_STATUS_TENSION_RESOLVED,
                                                    [CV_REF_REOPEN] = CV_STATUS_TENSION_REOPENED};
    if (becomes[type] && meaning->letter == cv_kinds[CV_KIND_TENSION].letter && !meaning->pending)
        add_update(l, meaning, becomes[type]);
    else
        note_unused(l);
}

static void note_misfit(cv_listener *l, cv_ref type, const cv_meaning *meaning)
{
    cv_str word = cv_ref_words.items[type];
    bool tension = meaning->letter == cv_kinds[CV_KIND_TENSION].letter;
    cv_listen_note(l, CV_STR("invalid_reference"), meaning->id, "'%.*s' cannot go from %.*s to %.*s", CV_FMT(word),
                   CV_FMT(l->last ? l->last->local_id : cv_arena_join(l->a, CV_STR("@"), l->speech->expert)),
                   CV_FMT(meaning->id))
        ->suggestion = cv_refs[type].targets == CV_TARGETS_TENSION
                           ? CV_STR("only tensions can be addressed, resolved or reopened; use support or oppose")
                       : tension ? CV_STR("if it proposes a solution, the reference is of type address")
                                 : CV_STR("refine goes to an item of the same kind; use support or depend");
}

static void refer(cv_listener *l, cv_ref type, const cv_id *id)
{
    cv_str written, source = l->last ? l->last->local_id : cv_arena_join(l->a, CV_STR("@"), l->speech->expert);
    cv_meaning meaning = look_up(l, id, &written);
    cv_heard_ref ref = {type, meaning.id, l->said->mark->line, meaning.pending};
    char from = l->last ? cv_kinds[l->last->kind].letter : '@';
    if (meaning.id.n == 0)
        return;
    if (l->is_judge && !l->last)
        judge_refers(l, type, &meaning);
    else if (!cv_ref_joins(type, from, meaning.letter))
        note_misfit(l, type, &meaning);
    else if (cv_str_eq(source, meaning.id))
        cv_listen_note(l, CV_STR("self_reference"), source, "%.*s refers to itself", CV_FMT(source));
    else if (!is_new_reference(l, source, type, meaning.id))
        return;
    else if (l->last)
        *CV_PUSH(l->a, &l->last->refs) = ref;
    else
        *CV_PUSH(l->a, &l->h->links) = (cv_heard_link){l->speech->expert, ref};
}

static void refer_to_all(cv_listener *l, cv_ref type)
{
    cv_str rest = l->said->mark->targets;
    if (!has_targets(l))
        return;
    for (cv_id id; cv_target_next(&rest, &id);)
        refer(l, type, &id);
}

static void hear_reference(cv_listener *l)
{
    const cv_mark *m = l->said->mark;
    if (m->sub >= 0)
        refer_to_all(l, (cv_ref)m->sub);
    else if (m->word.n)
        cv_listen_note(l, CV_STR("unknown_reference_type"), m->targets, "there is no reference type '%.*s'",
                       CV_FMT(cv_excerpt(l->a, m->word)))
            ->suggestion = CV_STR("support oppose refine address resolve reopen question depend");
    else
        cv_listen_note(l, CV_STR("untyped_reference"), m->targets, "the reference does not say of which type it is")
            ->suggestion =
            CV_STR("write it as [RE:SUPPORT …], or oppose refine address resolve reopen question depend");
}

/* An expert's claim; who may resolve a tension is asked when it is registered. */
static void hear_resolved(cv_listener *l)
{
    refer_to_all(l, CV_REF_RESOLVE);
}

static void hear_refinement(cv_listener *l)
{
    bool made = l->said->local_id.n && l->last && cv_str_eq(l->last->local_id, l->said->local_id);
    if (!made && !l->said->note.n)
        note_unused(l);
    else if (made && l->said->mark->targets.n)
        refer_to_all(l, CV_REF_REFINE);
}

/* Acceptance has no reference: it is the judge's to write down. */
static void hear_accepted(cv_listener *l)
{
    cv_str rest = l->said->mark->targets, written;
    if (!has_targets(l))
        return;
    for (cv_id id; cv_target_next(&rest, &id);) {
        cv_meaning meaning = look_up(l, &id, &written);
        if (meaning.id.n == 0 || meaning.pending)
            continue;
        if (meaning.letter != cv_kinds[CV_KIND_TENSION].letter)
            note_unused(l);
        else if (l->is_judge)
            add_update(l, &meaning, CV_STATUS_TENSION_ACCEPTED);
        else
            cv_listen_note(l, CV_STR("needs_judge"), meaning.id, "%.*s accepts %.*s as it is: the judge decides",
                           CV_FMT(l->speech->expert), CV_FMT(meaning.id))
                ->suggestion = cv_arena_printf(
                l->a, "tension_updates: {\"id\": \"%.*s\", \"status\": \"%.*s\", \"by\": [\"%.*s\"]}",
                CV_FMT(meaning.id), CV_FMT(cv_statuses[CV_STATUS_TENSION_ACCEPTED].word), CV_FMT(l->speech->expert));
    }
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

static void add_move(cv_listener *l, cv_move type)
{
    const cv_mark *m = l->said->mark;
    cv_heard_move move = {.expert = l->speech->expert, .context = reason_of(l), .type = type, .line = m->line};
    cv_str rest = m->targets, written;
    for (cv_id id; cv_target_next(&rest, &id);) {
        cv_meaning meaning = look_up(l, &id, &written);
        if (meaning.id.n && !meaning.pending)
            *CV_PUSH(l->a, &move.targets) = meaning.id;
    }
    bool wants_id = cv_str_starts(cv_moves[type].argument, CV_STR("{id"));
    if (wants_id && move.targets.count == 0)
        cv_listen_note(l, CV_STR("move_without_target"), (cv_str){NULL, 0}, "the move '%.*s' is about no known item",
                       CV_FMT(cv_move_words.items[type]))
            ->suggestion = CV_STR("name an id behind the word");
    else
        *CV_PUSH(l->a, &l->h->moves) = move;
}

static void hear_move(cv_listener *l)
{
    const cv_mark *m = l->said->mark;
    if (m->unclosed) /* what it would have said is not known */
        note_unused(l);
    else if (m->sub >= 0)
        add_move(l, (cv_move)m->sub);
    else
        cv_listen_note(l, CV_STR("unknown_move"), (cv_str){NULL, 0}, "there is no move '%.*s'",
                       CV_FMT(cv_excerpt(l->a, m->word)))
            ->suggestion = CV_STR("defend challenge bridge request concede converge");
}

static void hear_concession(cv_listener *l)
{
    if (l->said->mark->targets.n)
        add_move(l, CV_MOVE_CONCEDE);
    else if (!l->said->local_id.n && !l->said->note.n)
        note_unused(l);
}

static void hear_challenge(cv_listener *l)
{
    if (has_targets(l))
        add_move(l, CV_MOVE_CHALLENGE);
}

static void hear_convergence(cv_listener *l)
{
    add_move(l, CV_MOVE_CONVERGE);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* Is this very verdict in the record? Then it keeps its id, and registering it again is a replay. */
static bool is_stored(const cv_listener *l, const cv_heard_verdict *verdict, const cv_rec_verdict *stored)
{
    return cv_str_eq(stored->verdict_type, cv_verdict_words.items[verdict->type]) &&
           cv_str_eq(stored->author_expert, verdict->expert) && stored->round == l->round &&
           cv_str_eq(stored->recommendation, verdict->label) && cv_str_eq(stored->description, verdict->text);
}

/* dissent-muffin, dissent-muffin-2 …: cut so that number and dash fit in, too. */
static cv_str free_verdict_id(cv_listener *l, const cv_heard_verdict *verdict)
{
    enum { ROOM = 24 };
    cv_str base =
        cv_arena_printf(l->a, "%.*s-%.*s", CV_FMT(cv_verdict_words.items[verdict->type]), CV_FMT(verdict->expert));
    base = cv_str_head(base, ROOM);
    uintptr_t *count = cv_map_put(&l->verdicts, l->a, base, NULL);
    for (;;) {
        cv_str id = ++*count == 1 ? base : cv_arena_printf(l->a, "%.*s-%llu", CV_FMT(base), (unsigned long long)*count);
        const cv_rec_verdict *stored = cv_state_verdict(l->s, id);
        if (!stored || is_stored(l, verdict, stored))
            return id;
    }
}

static void add_verdict(cv_listener *l, cv_verdict type)
{
    const cv_mark *m = l->said->mark;
    cv_heard_verdict verdict = {.expert = l->speech->expert, .type = type, .line = m->line};
    verdict.label = cv_mark_headline(l->a, m);
    verdict.text = m->body.n ? m->body : verdict.label;
    if (l->is_judge || verdict.label.n == 0) {
        note_unused(l);
        return;
    }
    verdict.verdict_id = free_verdict_id(l, &verdict);
    *CV_PUSH(l->a, &l->h->verdicts) = verdict;
}

static void hear_dissent(cv_listener *l)
{
    add_verdict(l, CV_VERDICT_DISSENT);
}

static void hear_minority(cv_listener *l)
{
    add_verdict(l, CV_VERDICT_MINORITY);
}

/* ---- which is which ---------------------------------------------------------------------------------------------- */

void cv_listen_mark(cv_listener *l)
{
    static void (*const hear[CV_MARK_COUNT])(cv_listener *) = {
        [CV_MARK_REFERENCE] = hear_reference,       [CV_MARK_MOVE] = hear_move,
        [CV_MARK_REFINEMENT] = hear_refinement,     [CV_MARK_CONCESSION] = hear_concession,
        [CV_MARK_RESOLVED] = hear_resolved,         [CV_MARK_DISSENT] = hear_dissent,
        [CV_MARK_MINORITY_VERDICT] = hear_minority, [CV_MARK_CONVERGENCE_CONFIRMED] = hear_convergence,
        [CV_MARK_CHALLENGE] = hear_challenge,       [CV_MARK_ACCEPTED_UNRESOLVED] = hear_accepted,
    };
    cv_mark_type type = l->said->mark->type;
    if (hear[type])
        hear[type](l);
    else if (type >= (cv_mark_type)CV_KIND_COUNT) /* items have been heard before */
        note_unused(l);
}
