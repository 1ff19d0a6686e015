/* hearing.c - the voices of a round; see hearing.h.
 *
 * The items of all voices come first, so that references may point forward and across; then the walk goes from mark to
 * mark:
 *
 *     an id in a mark      what it means
 *     a mark of an item    makes it, or speaks of it again
 *     any other mark       a reference, a move, an update, a verdict, by a table from its type; what has no row there,
 *                          or cannot be registered, is noted with its text
 */
#include "dialogue/intake/hearing.h"

#include <assert.h>

#include "base/utf8.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_arena *a;
    const cv_state *s;
    int64_t round;
    const cv_map *names;
    bool lenient; /* responses, not files */
    cv_hearing *h;
    CV_STATE_LIST(cv_heard_entity *) made; /* in the order of the voices and texts */
    size_t counts[CV_KIND_COUNT];
    cv_map entity_at; /* local id -> cv_heard_entity * */
    cv_map voice_at;  /* who is heard */
    cv_map seen;      /* source, type, target of every reference so far */
    cv_map planned;   /* tension -> cv_status *: what it is after the updates so far */
    cv_map verdicts;  /* verdict id -> how often it was asked for */
    /* where we are */
    const cv_speech *speech;
    const cv_said *said;
    bool noted;                  /* a note has the mark's text already */
    bool kept;                   /* the mark's text is part of something that is registered */
    cv_unmarked_pieces position; /* what the voice says besides */
    cv_str reason;               /* label and body of the mark, once somebody asked for both */
    cv_map updated;              /* tensions that the mark has said something of */
    bool is_judge;               /* … speaks */
    cv_heard_entity *last;       /* the expert's own item that was spoken of last */
    cv_map shorts;               /* short ids of this voice -> found_id * */
} listener;

/* What becomes of a mark that has such a note; all others are lost. */
static cv_fate fate_of(cv_str type)
{
    static const cv_str repaired[] = {CV_STR_INIT("renumbered"), CV_STR_INIT("duplicate_id"),
                                      CV_STR_INIT("short_target")};
    static const cv_str notes[] = {CV_STR_INIT("foreign_id"),       CV_STR_INIT("other_round"),
                                   CV_STR_INIT("no_label"),         CV_STR_INIT("long_label"),
                                   CV_STR_INIT("verdict_proposed"), CV_STR_INIT("said_again"),
                                   CV_STR_INIT("kept_in_position")};
    if (cv_words_find((cv_words){repaired, CV_COUNT(repaired)}, type) >= 0)
        return CV_FATE_REPAIRED;
    return cv_words_find((cv_words){notes, CV_COUNT(notes)}, type) >= 0 ? CV_FATE_NOTE : CV_FATE_LOST;
}

__attribute__((format(printf, 4, 5))) static cv_heard_note *add_note(listener *l, cv_str type, cv_str id,
                                                                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_heard_note *note = CV_PUSH(l->a, &l->h->notes);
    *note = (cv_heard_note){.type = type,
                            .expert = l->speech->expert,
                            .id = id,
                            .message = cv_arena_vprintf(l->a, format, args),
                            .fate = fate_of(type),
                            .line = l->said->mark->line};
    va_end(args);
    /* Once is enough: a mark may have thousands of targets. */
    note->text = !l->noted ? l->said->text : id.p ? id : CV_STR("");
    l->noted = true;
    return note;
}

/* ---- what an id means -------------------------------------------------------------------------------------------- */

/*     T0001           the tension of the dialogue, if there is one
 *     DONUT-R0101     donut's item of this round, if donut is heard; of an earlier one, if it was registered
 *     T01             the expert's own T01 in this response; else the only one with this number: the expert's of an
 *                     earlier round or the dialogue's. When these differ, nobody can know.
 */
typedef struct {
    cv_str id;      /* as round-register takes it; empty: nothing */
    char letter;    /* of its kind; '@' for an expert */
    bool pending;   /* an id of this round by somebody who is not heard here */
    cv_str others;  /* nothing, because it may mean these: "T0001 or T0002" */
    bool by_number; /* a short id that was looked up in the dialogue */
} found_id;

static found_id means(cv_str id, char letter)
{
    return (found_id){.id = id, .letter = letter};
}

static found_id mean_name(const cv_str *name)
{
    cv_id id;
    if (!cv_id_parse(*name, &id))
        return (found_id){0};
    return means(*name, id.form == CV_ID_EXPERT ? '@' : cv_kinds[id.kind].letter);
}

static found_id mean_expert(const listener *l, const cv_id *id)
{
    const cv_rec_expert *row = cv_state_expert(l->s, id->expert);
    return row ? means(cv_arena_join(l->a, CV_STR("@"), row->expert_slug), '@') : (found_id){0};
}

static bool has_responded(const listener *l, cv_str expert)
{
    for (size_t i = 0; i < l->s->responses.count; i++)
        if (l->s->responses.items[i].round == l->round && cv_str_eq(l->s->responses.items[i].expert_slug, expert))
            return true;
    return false;
}

static found_id mean_local(const listener *l, const cv_id *id, cv_str written)
{
    const cv_rec_expert *row = cv_state_expert(l->s, id->expert);
    char letter = cv_kinds[id->kind].letter;
    if (cv_map_get(&l->entity_at, written) || cv_state_origin(l->s, written))
        return means(written, letter);
    bool pending = row && id->round == l->round && !cv_map_get(&l->voice_at, row->expert_slug);
    l->h->needs_others = l->h->needs_others || (pending && has_responded(l, row->expert_slug));
    return (found_id){.id = pending ? written : (cv_str){NULL, 0}, .letter = letter, .pending = pending};
}

typedef struct {
    cv_str id;
    size_t count;
} candidates;

static void consider(candidates *c, cv_str id)
{
    c->id = id;
    c->count++;
}

static found_id find_number(const listener *l, const cv_id *id)
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
    found_id meaning = {.letter = cv_kinds[id->kind].letter, .by_number = true};
    bool agree = own.count == 0 || all.count == 0 || cv_str_eq(own.id, all.id);
    if (own.count <= 1 && all.count <= 1 && agree)
        meaning.id = own.count ? own.id : all.id;
    else if (own.count == 1 && all.count == 1)
        meaning.others = cv_arena_printf(l->a, "%.*s or %.*s", CV_FMT(own.id), CV_FMT(all.id));
    else
        meaning.others = CV_STR("several items of earlier rounds");
    return meaning;
}

static found_id mean_short(listener *l, const cv_id *id, cv_str written)
{
    if (id->suffix.n || id->number <= 0 || id->number > CV_MAX_SEQ)
        return (found_id){0};
    bool is_new;
    uintptr_t *place = cv_map_put(&l->shorts, l->a, written, &is_new);
    if (is_new) {
        found_id *meaning = CV_NEW(l->a, found_id);
        *meaning = find_number(l, id);
        *place = (uintptr_t)meaning;
    }
    return *(const found_id *)*place;
}

cv_str cv_hear_own_name(cv_arena *a, cv_str expert, cv_str id)
{
    return cv_arena_printf(a, "%.*s/%.*s", CV_FMT(expert), CV_FMT(id));
}

static const uintptr_t *find_name(const listener *l, cv_str written)
{
    const uintptr_t *own = cv_map_get(l->names, cv_hear_own_name(l->a, l->speech->expert, written));
    return own ? own : cv_map_get(l->names, written);
}

static found_id meaning_of(listener *l, const cv_id *id)
{
    cv_str written = cv_id_print(l->a, id);
    const uintptr_t *name = l->names ? find_name(l, written) : NULL;
    if (name)
        return mean_name((const cv_str *)*name);
    if (id->form == CV_ID_EXPERT)
        return mean_expert(l, id);
    const uintptr_t *own = cv_map_get(&l->speech->meant, written);
    const cv_said *said = own ? (const cv_said *)*own : NULL;
    if (said && cv_map_get(&l->entity_at, said->local_id))
        return means(said->local_id, cv_kinds[said->kind].letter);
    if (id->form == CV_ID_LOCAL)
        return mean_local(l, id, written);
    if (id->form == CV_ID_SHORT)
        return mean_short(l, id, written);
    return cv_state_entity(l->s, written) ? means(written, cv_kinds[id->kind].letter) : (found_id){0};
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static void add_others(listener *l, cv_heard_entity *entity, cv_str names)
{
    for (cv_str name; cv_str_split(&names, ',', &name);) {
        const cv_rec_expert *expert = cv_state_expert(l->s, cv_str_trim(name));
        if (expert && !cv_str_eq(expert->expert_slug, l->speech->expert))
            *CV_PUSH(l->a, &entity->others) = expert->expert_slug;
    }
}

/* A label without a text is the text; what is too long for a label is not lost either. */
static cv_str content_of(cv_arena *a, cv_str headline, cv_str body)
{
    if (body.n == 0)
        return headline;
    if (cv_utf8_limit(headline, CV_MAX_LABEL).n == headline.n)
        return body;
    return cv_arena_join(a, cv_arena_join(a, headline, CV_STR("\n\n")), body);
}

static void add_entity(listener *l, const cv_said *said)
{
    const cv_mark *m = said->mark;
    assert(said->first && said->local_id.n > 0);
    if (l->counts[said->kind] >= CV_MAX_SEQ)
        return;
    l->counts[said->kind]++;
    cv_str headline = cv_mark_headline(l->a, m);
    cv_heard_entity *entity = CV_NEW(l->a, cv_heard_entity);
    *entity = (cv_heard_entity){.kind = said->kind,
                                .local_id = said->local_id,
                                .expert = l->speech->expert,
                                .label = cv_utf8_limit(headline, CV_MAX_LABEL),
                                .line = m->line};
    entity->content = content_of(l->a, headline, m->body);
    if (cv_said_is_by(said, l->speech->expert))
        add_others(l, entity, m->by);
    *CV_PUSH(l->a, &l->made) = entity;
    *cv_map_put(&l->entity_at, l->a, said->local_id, NULL) = (uintptr_t)entity;
}

static void note_label(listener *l, const cv_heard_entity *entity)
{
    size_t length = cv_utf8_count(l->said->mark->label);
    if (length == 0)
        add_note(l, CV_STR("no_label"), entity->local_id, "%.*s has no label: its first line stands in for it",
                 CV_FMT(entity->local_id))
            ->suggestion = CV_STR("write a label of a few words between the brackets");
    else if (length > CV_LONG_LABEL)
        add_note(l, CV_STR("long_label"), entity->local_id, "the label of %.*s has %zu characters%s",
                 CV_FMT(entity->local_id), length,
                 length > CV_MAX_LABEL ? ": it is cut, and stands in the text as a whole" : "")
            ->suggestion = CV_STR("a few words between the brackets, the rest below them");
}

/* Made once: a mark may have thousands of targets. */
static cv_str reason_of(listener *l)
{
    const cv_mark *m = l->said->mark;
    if (m->label.n == 0 || m->body.n == 0)
        return m->label.n ? m->label : m->body;
    if (!l->reason.n)
        l->reason = cv_arena_join(l->a, cv_arena_join(l->a, m->label, CV_STR("\n\n")), m->body);
    return l->reason;
}

/* What was said of the item earlier without any text may be said now; what is said of it again goes on with its text.
 */
static void spoken_of(listener *l)
{
    const uintptr_t *at = cv_map_get(&l->entity_at, l->said->local_id);
    const cv_mark *m = l->said->mark;
    if (!at) {
        add_note(l, CV_STR("too_many"), l->said->local_id, "more than %d %.*s in one round", CV_MAX_SEQ,
                 CV_FMT(cv_kinds[l->said->kind].plural))
            ->suggestion = CV_STR("merge what says the same, or leave the lesser ones out");
        return;
    }
    cv_heard_entity *entity = (cv_heard_entity *)*at;
    l->kept = true;
    bool labelled = m->label.n && !cv_str_eq_nocase(cv_one_line(l->a, m->label), entity->label);
    cv_str more = labelled ? reason_of(l) : m->body;
    if (!m->inlined || entity->line <= m->line) /* else it is only announced */
        l->last = entity;
    if (l->said->first)
        note_label(l, entity);
    else if (more.n && !m->inlined && cv_str_eq(entity->content, entity->label))
        entity->content = content_of(l->a, entity->content, more);
    else if (more.n && !m->inlined)
        *CV_PUSH(l->a, &entity->more) = more;
}

/* ---- what is not known ------------------------------------------------------------------------------------------- */

static void note_meaning(listener *l, cv_str written, const found_id *meaning)
{
    if (meaning->others.n)
        add_note(l, CV_STR("ambiguous_target"), written, "%.*s may mean %.*s", CV_FMT(written), CV_FMT(meaning->others))
            ->suggestion = CV_STR("write the id in full: T0001");
    else if (meaning->pending)
        add_note(l, CV_STR("pending_target"), written, "%.*s is not there: its expert has not been heard",
                 CV_FMT(written))
            ->suggestion = CV_STR("it counts once that response is there");
    else if (meaning->id.n == 0)
        add_note(l, CV_STR("unknown_target"), written, "there is no %.*s", CV_FMT(written))->suggestion =
            CV_STR("use an id of the dialogue (P0001), a local id of this round (MUFFIN-P0101) or @expert");
    else if (meaning->by_number)
        add_note(l, CV_STR("short_target"), meaning->id, "%.*s is read as %.*s", CV_FMT(written), CV_FMT(meaning->id))
            ->suggestion = CV_STR("write the id in full");
}

static found_id look_up(listener *l, const cv_id *id, cv_str *ret_written)
{
    found_id meaning = meaning_of(l, id);
    *ret_written = cv_id_print(l->a, id);
    note_meaning(l, *ret_written, &meaning);
    return meaning;
}

static void note_unused(listener *l)
{
    cv_str word = cv_marks_table[l->said->mark->type].word;
    add_note(l, CV_STR("unregistered_mark"), (cv_str){NULL, 0}, "%.*s cannot be registered",
             CV_FMT(word.n ? word : cv_excerpt(l->a, l->said->mark->word)))
        ->suggestion = CV_STR("say it with an item, a reference or a move, if it is meant to count");
}

static bool has_targets(listener *l)
{
    if (l->said->mark->targets.n)
        return true;
    add_note(l, CV_STR("no_target"), (cv_str){NULL, 0}, "the mark names nothing that it is about")->suggestion =
        CV_STR("name an id behind the word");
    return false;
}

/* ---- updates: the judge's word about a tension ------------------------------------------------------------------- */

/* The tension's id in the dialogue, or its local id when it is new. */
static cv_str tension_of(const listener *l, cv_str id)
{
    const cv_rec_origin *origin = cv_map_get(&l->entity_at, id) ? NULL : cv_state_origin(l->s, id);
    return origin ? origin->display_id : id;
}

static cv_status *planned_status(listener *l, cv_str id)
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

/* A mark says what becomes of a tension once, however often it names it. */
static bool is_new_update(listener *l, cv_str id)
{
    bool is_new;
    cv_map_put(&l->updated, l->a, id, &is_new);
    return is_new;
}

static void add_update(listener *l, const found_id *meaning, cv_status to)
{
    cv_str id = tension_of(l, meaning->id);
    cv_status *planned = planned_status(l, id);
    if (!is_new_update(l, id))
        return;
    if (!cv_status_may_become(*planned, to)) {
        add_note(l, CV_STR("invalid_update"), id, "%.*s is %.*s and cannot become %.*s", CV_FMT(id),
                 CV_FMT(cv_statuses[*planned].word), CV_FMT(cv_statuses[to].word));
        return;
    }
    *planned = to;
    l->kept = true;
    *CV_PUSH(l->a, &l->h->updates) = (cv_heard_update){
        .expert = l->speech->expert, .id = id, .reason = reason_of(l), .status = to, .line = l->said->mark->line};
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static bool is_new_reference(listener *l, cv_str source, cv_ref type, cv_str target)
{
    bool is_new;
    cv_str key = cv_arena_printf(l->a, "%.*s %d %.*s", CV_FMT(source), (int)type, CV_FMT(target));
    cv_map_put(&l->seen, l->a, key, &is_new);
    return is_new;
}

/* The judge refers from items only; about tensions the judge decides. */
static void judge_refers(listener *l, cv_ref type, const found_id *meaning)
{
    static const cv_status becomes[CV_REF_COUNT] = {[CV_REF_ADDRESS] = CV_STATUS_TENSION_ADDRESSED,
                                                    [CV_REF_RESOLVE] = CV_STATUS_TENSION_RESOLVED,
                                                    [CV_REF_REOPEN] = CV_STATUS_TENSION_REOPENED};
    if (becomes[type] && meaning->letter == cv_kinds[CV_KIND_TENSION].letter && !meaning->pending)
        add_update(l, meaning, becomes[type]);
    else
        note_unused(l);
}

static void note_misfit(listener *l, cv_ref type, const found_id *meaning)
{
    cv_str word = cv_ref_words.items[type];
    bool tension = meaning->letter == cv_kinds[CV_KIND_TENSION].letter;
    add_note(l, CV_STR("invalid_reference"), meaning->id, "'%.*s' cannot go from %.*s to %.*s", CV_FMT(word),
             CV_FMT(l->last ? l->last->local_id : cv_arena_join(l->a, CV_STR("@"), l->speech->expert)),
             CV_FMT(meaning->id))
        ->suggestion = cv_refs[type].targets == CV_TARGETS_TENSION
                           ? CV_STR("only tensions can be addressed, resolved or reopened; use support or oppose")
                       : tension ? CV_STR("if it proposes a solution, the reference is of type address")
                                 : CV_STR("refine goes to an item of the same kind; use support or depend");
}

static void refer(listener *l, cv_ref type, const cv_id *id, cv_str reason)
{
    cv_str written, source = l->last ? l->last->local_id : cv_arena_join(l->a, CV_STR("@"), l->speech->expert);
    found_id meaning = look_up(l, id, &written);
    cv_heard_ref ref = {type, meaning.id, l->said->mark->line, meaning.pending, reason};
    char from = l->last ? cv_kinds[l->last->kind].letter : '@';
    if (meaning.id.n == 0)
        return;
    if (l->is_judge && !l->last) {
        judge_refers(l, type, &meaning);
    } else if (!cv_ref_joins(type, from, meaning.letter)) {
        note_misfit(l, type, &meaning);
    } else if (cv_str_eq(source, meaning.id)) {
        add_note(l, CV_STR("self_reference"), source, "%.*s refers to itself", CV_FMT(source));
    } else if (!is_new_reference(l, source, type, meaning.id)) {
        if (reason.n)
            add_note(l, CV_STR("said_again"), meaning.id,
                     "%.*s has this reference already: its text is kept in the position", CV_FMT(source));
    } else {
        l->kept = l->kept || !meaning.pending;
        if (l->last)
            *CV_PUSH(l->a, &l->last->refs) = ref;
        else
            *CV_PUSH(l->a, &l->h->links) = (cv_heard_link){l->speech->expert, ref};
    }
}

/* Why goes with each of a few targets, of many with the first. */
static void refer_to_all(listener *l, cv_ref type, cv_str reason)
{
    enum { FEW = 8 };
    cv_str rest = l->said->mark->targets;
    size_t count = 0;
    if (!has_targets(l))
        return;
    for (cv_id id; cv_target_next(&rest, &id);)
        count++;
    rest = l->said->mark->targets;
    for (cv_id id; cv_target_next(&rest, &id);)
        refer(l, type, &id, count > FEW && l->kept ? (cv_str){NULL, 0} : reason);
}

static void hear_reference(listener *l)
{
    const cv_mark *m = l->said->mark;
    if (m->sub >= 0)
        refer_to_all(l, (cv_ref)m->sub, reason_of(l));
    else if (m->word.n)
        add_note(l, CV_STR("unknown_reference_type"), m->targets, "there is no reference type '%.*s'",
                 CV_FMT(cv_excerpt(l->a, m->word)))
            ->suggestion = CV_STR("support oppose refine address resolve reopen question depend");
    else
        add_note(l, CV_STR("untyped_reference"), m->targets, "the reference does not say of which type it is")
            ->suggestion =
            CV_STR("write it as [RE:SUPPORT …], or oppose refine address resolve reopen question depend");
}

/* An expert's claim; who may resolve a tension is asked when it is registered. */
static void hear_resolved(listener *l)
{
    refer_to_all(l, CV_REF_RESOLVE, reason_of(l));
}

static void hear_refinement(listener *l)
{
    bool made = l->said->local_id.n && l->last && cv_str_eq(l->last->local_id, l->said->local_id);
    if (!made && !l->said->note.n)
        note_unused(l);
    else if (made && l->said->mark->targets.n)
        refer_to_all(l, CV_REF_REFINE, (cv_str){NULL, 0});
}

/* Acceptance has no reference: it is the judge's to write down. */
static void hear_accepted(listener *l)
{
    cv_str rest = l->said->mark->targets, written;
    if (!has_targets(l))
        return;
    for (cv_id id; cv_target_next(&rest, &id);) {
        found_id meaning = look_up(l, &id, &written);
        if (meaning.id.n == 0 || meaning.pending)
            continue;
        if (meaning.letter != cv_kinds[CV_KIND_TENSION].letter)
            note_unused(l);
        else if (l->is_judge)
            add_update(l, &meaning, CV_STATUS_TENSION_ACCEPTED);
        else
            add_note(l, CV_STR("needs_judge"), meaning.id, "%.*s accepts %.*s as it is: the judge decides",
                     CV_FMT(l->speech->expert), CV_FMT(meaning.id))
                ->suggestion = cv_arena_printf(
                l->a, "tension_updates: {\"id\": \"%.*s\", \"status\": \"%.*s\", \"by\": [\"%.*s\"]}",
                CV_FMT(meaning.id), CV_FMT(cv_statuses[CV_STATUS_TENSION_ACCEPTED].word), CV_FMT(l->speech->expert));
    }
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

static void add_move(listener *l, cv_move type)
{
    const cv_mark *m = l->said->mark;
    cv_heard_move move = {.expert = l->speech->expert, .context = reason_of(l), .type = type, .line = m->line};
    cv_str rest = m->targets, written;
    for (cv_id id; cv_target_next(&rest, &id);) {
        found_id meaning = look_up(l, &id, &written);
        if (meaning.id.n && meaning.pending)
            *CV_PUSH(l->a, &move.waiting) = meaning.id;
        else if (meaning.id.n)
            *CV_PUSH(l->a, &move.targets) = meaning.id;
    }
    bool wants_id = cv_str_starts(cv_moves[type].argument, CV_STR("{id"));
    move.pending = wants_id && move.targets.count == 0 && move.waiting.count > 0;
    if (wants_id && move.targets.count == 0 && !move.pending) {

        add_note(l, CV_STR("move_without_target"), (cv_str){NULL, 0}, "the move '%.*s' is about no known item",
                 CV_FMT(cv_move_words.items[type]))
            ->suggestion = CV_STR("name an id behind the word");
        return;
    }
    l->kept = l->kept || !move.pending;
    *CV_PUSH(l->a, &l->h->moves) = move;
}

static void hear_move(listener *l)
{
    const cv_mark *m = l->said->mark;
    if (m->unclosed) /* what it would have said is not known */
        note_unused(l);
    else if (m->sub >= 0)
        add_move(l, (cv_move)m->sub);
    else
        add_note(l, CV_STR("unknown_move"), (cv_str){NULL, 0}, "there is no move '%.*s'",
                 CV_FMT(cv_excerpt(l->a, m->word)))
            ->suggestion = CV_STR("defend challenge bridge request concede converge");
}

static void hear_concession(listener *l)
{
    if (l->said->mark->targets.n)
        add_move(l, CV_MOVE_CONCEDE);
    else if (!l->said->local_id.n && !l->said->note.n)
        note_unused(l);
}

static void hear_challenge(listener *l)
{
    if (has_targets(l))
        add_move(l, CV_MOVE_CHALLENGE);
}

static void hear_convergence(listener *l)
{
    add_move(l, CV_MOVE_CONVERGE);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

bool cv_heard_verdict_read(cv_arena *a, const cv_mark *mark, cv_heard_verdict *ret)
{
    cv_verdict type = CV_VERDICT_FINAL;
    bool typed = cv_mark_verdict(mark, &type);
    cv_str label = typed || mark->type == CV_MARK_VERDICT ? cv_mark_headline(a, mark) : (cv_str){NULL, 0};
    *ret = (cv_heard_verdict){
        .label = label, .text = mark->body.n ? mark->body : label, .type = type, .untyped = !typed, .line = mark->line};
    return label.n > 0;
}

cv_str cv_proposal_id(cv_arena *a, cv_verdict type, int64_t round, size_t number)
{
    cv_str word = cv_verdict_words.items[type];
    if (type != CV_VERDICT_INTERIM)
        return word;
    cv_str id = cv_arena_printf(a, "%.*s-%lld", CV_FMT(word), (long long)round);
    return number > 1 ? cv_arena_printf(a, "%.*s-%zu", CV_FMT(id), number) : id;
}

/* Is this very verdict in the record? Then it keeps its id, and registering it again is a replay. */
static bool is_stored(const listener *l, const cv_heard_verdict *verdict, const cv_rec_verdict *stored)
{
    return cv_str_eq(stored->verdict_type, cv_verdict_words.items[verdict->type]) &&
           cv_str_eq(stored->author_expert, verdict->expert) && stored->round == l->round &&
           cv_str_eq(stored->recommendation, verdict->label) && cv_str_eq(stored->description, verdict->text);
}

/* dissent-muffin, dissent-muffin-2 …: cut so that number and dash fit in, too. */
static cv_str free_verdict_id(listener *l, const cv_heard_verdict *verdict)
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

/* Dissents and minority verdicts are the expert's own. The position of a response keeps the
 * text, too: the judge may leave the verdict out. */
static void add_verdict(listener *l, cv_heard_verdict *verdict)
{
    if (l->is_judge) {
        note_unused(l);
        return;
    }
    verdict->verdict_id = free_verdict_id(l, verdict);
    l->kept = !l->lenient;
    *CV_PUSH(l->a, &l->h->verdicts) = *verdict;
}

/* Final and interim verdicts are the judge's to give: a text may only propose one. */
static void propose_verdict(listener *l, cv_heard_verdict *verdict)
{
    size_t number = 1;
    for (size_t i = 0; i < l->h->proposals.count; i++)
        number += l->h->proposals.items[i].type == verdict->type &&
                  cv_str_eq(l->h->proposals.items[i].expert, verdict->expert);
    verdict->verdict_id = cv_proposal_id(l->a, verdict->type, l->round, number);
    *CV_PUSH(l->a, &l->h->proposals) = *verdict;
    add_note(l, CV_STR("verdict_proposed"), verdict->verdict_id,
             "%.*s proposes a verdict of type '%.*s': the judge decides", CV_FMT(verdict->expert),
             CV_FMT(cv_verdict_words.items[verdict->type]))
        ->suggestion = CV_STR("register it with verdict-register, or leave it in the position");
}

static void hear_verdict(listener *l)
{
    cv_heard_verdict verdict;
    if (!cv_heard_verdict_read(l->a, l->said->mark, &verdict)) {
        note_unused(l);
        return;
    }
    verdict.expert = l->speech->expert;
    (verdict.type == CV_VERDICT_DISSENT || verdict.type == CV_VERDICT_MINORITY ? add_verdict
                                                                               : propose_verdict)(l, &verdict);
}

/* [FINAL POSITION]: what the position of a round is. */
static void hear_position(listener *l)
{
    if (cv_mark_headline(l->a, l->said->mark).n)
        add_note(l, CV_STR("kept_in_position"), (cv_str){NULL, 0}, "the text is kept in the position of this round");
    else
        note_unused(l);
}

/* ---- which is which ---------------------------------------------------------------------------------------------- */

static void hear_mark(listener *l)
{
    static void (*const hear[CV_MARK_COUNT])(listener *) = {
        [CV_MARK_REFERENCE] = hear_reference,      [CV_MARK_MOVE] = hear_move,
        [CV_MARK_REFINEMENT] = hear_refinement,    [CV_MARK_CONCESSION] = hear_concession,
        [CV_MARK_RESOLVED] = hear_resolved,        [CV_MARK_DISSENT] = hear_verdict,
        [CV_MARK_MINORITY_VERDICT] = hear_verdict, [CV_MARK_CONVERGENCE_CONFIRMED] = hear_convergence,
        [CV_MARK_CHALLENGE] = hear_challenge,      [CV_MARK_ACCEPTED_UNRESOLVED] = hear_accepted,
        [CV_MARK_VERDICT] = hear_verdict,          [CV_MARK_FINAL_POSITION] = hear_position,
    };
    cv_mark_type type = l->said->mark->type;
    assert(type < CV_MARK_COUNT);
    if (hear[type])
        hear[type](l);
    else if (type >= (cv_mark_type)CV_KIND_COUNT) /* items have been heard before */
        note_unused(l);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static cv_str words_of(cv_arena *a, cv_str text)
{
    cv_buf words = {0};
    bool alone;
    for (cv_str word; cv_utf8_next_word(&text, &word, &alone);)
        cv_buf_printf(&words, "%.*s ", CV_FMT(cv_arena_lower(a, word)));
    return cv_buf_take(&words, a);
}

/* A mark in the middle of a sentence that does not say what the mark says. */
static void hear_mention(listener *l)
{
    add_note(l, CV_STR("quoted_mark"), (cv_str){NULL, 0},
             "the mark is a part of a sentence: it is read as text and counts for nothing")
        ->suggestion = CV_STR("if it is meant, write it on a line of its own, and why below it; if it is only "
                              "mentioned, write it in backticks");
}

/* Does a quotation say what is registered, or a part of it? What the state has no text of is not known. */
static bool is_verbatim(listener *l, const cv_rec_entity *row, const cv_mark *m)
{
    cv_str body = words_of(l->a, m->body), label = words_of(l->a, m->label);
    if (m->body.n && !row->content.p)
        l->h->needs_content = true;
    cv_str content = words_of(l->a, row->content), known = words_of(l->a, row->label);
    bool same_label = label.n == 0 || cv_str_eq(label, known) || cv_str_find(content, label) != SIZE_MAX;
    return same_label && (body.n == 0 || cv_str_find(content, body) != SIZE_MAX);
}

/* [P0001: Mandate] with another text: what is registered does not change by it. */
static void hear_quotation(listener *l)
{
    const cv_mark *m = l->said->mark;
    const cv_rec_entity *row = cv_state_entity(l->s, l->said->quoted);
    if (!row || m->inlined || is_verbatim(l, row, m)) {
        l->kept = true;
        return;
    }
    cv_str word = cv_marks_table[cv_kind_of_letter(l->said->quoted.p[0])].word;
    add_note(l, CV_STR("restatement"), l->said->quoted,
             "%.*s is registered with another text and does not change; what is new is kept in the position",
             CV_FMT(l->said->quoted))
        ->suggestion =
        cv_arena_printf(l->a, "write it as an item of your own, [%.*s: …], and [RE:REFINE %.*s] below it", CV_FMT(word),
                        CV_FMT(l->said->quoted));
}

/* What nothing else keeps: the mark with its text, as it stands. One that says nothing and is not told of is not kept.
 */
static void keep_text(listener *l)
{
    const cv_mark *m = l->said->mark;
    if (l->kept || m->inlined || l->is_judge || (m->body.n == 0 && m->label.n == 0 && !l->noted))
        return;
    *CV_PUSH(l->a, &l->position) = (cv_unmarked_piece){l->said->text, m->line, m->line, 0};
}

static void add_position(listener *l)
{
    cv_str text = l->is_judge ? (cv_str){NULL, 0} : cv_unmarked_join(l->a, &l->position);
    if (text.n)
        *CV_PUSH(l->a, &l->h->positions) = (cv_heard_position){l->speech->expert, text};
}

static void listen_to(listener *l, cv_speech *speech)
{
    speech->first_note = l->h->notes.count;
    l->speech = speech;
    l->last = NULL;
    l->is_judge = cv_str_eq(speech->expert, cv_judge_slug);
    l->shorts = (cv_map){0};
    l->position = (cv_unmarked_pieces){0};
    for (size_t i = 0; i < speech->unmarked.count; i++)
        *CV_PUSH(l->a, &l->position) = speech->unmarked.items[i];
    for (size_t i = 0; i < speech->count; i++) {
        l->said = &speech->items[i];
        l->noted = l->kept = false;
        l->reason = (cv_str){NULL, 0};
        l->updated = (cv_map){0};
        if (l->said->note.n)
            add_note(l, l->said->note, l->said->local_id, "%.*s", CV_FMT(l->said->message))->suggestion =
                l->said->suggestion;
        if (l->said->local_id.n)
            spoken_of(l);
        if (l->said->quoted.n)
            hear_quotation(l);
        (l->said->spoken_of ? hear_mention : hear_mark)(l);
        keep_text(l);
    }
    add_position(l);
    if (speech->count == 0)
        *CV_PUSH(l->a, &l->h->notes) = (cv_heard_note){
            .type = CV_STR("no_marks"),
            .expert = speech->expert,
            .text = cv_excerpt(l->a, cv_str_trim(speech->text)),
            .message = CV_STR("the response has no mark: all of it is kept as a position, nothing as an item"),
            .suggestion = CV_STR("mark what is meant, as 'conclave spec' (conclave://spec) teaches"),
            .fate = CV_FATE_LOST,
            .line = 1};
    speech->note_count = l->h->notes.count - speech->first_note;
}

/* Made once: an item may be spoken of thousands of times. */
static void join_more(cv_arena *a, cv_heard_entity *entity)
{
    cv_buf text = {0};
    if (entity->more.count == 0)
        return;
    cv_buf_add(&text, entity->content);
    for (size_t i = 0; i < entity->more.count; i++) {
        cv_buf_add_z(&text, "\n\n");
        cv_buf_add(&text, entity->more.items[i]);
    }
    entity->content = cv_buf_take(&text, a);
}

static void sort_by_kind(listener *l)
{
    for (size_t i = 0; i < l->made.count; i++)
        join_more(l->a, l->made.items[i]);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        for (size_t i = 0; i < l->made.count; i++)
            if ((int)l->made.items[i]->kind == kind)
                *CV_PUSH(l->a, &l->h->entities) = *l->made.items[i];
    assert(l->h->entities.count == l->made.count);
}

static void hear(cv_arena *a, const cv_state *s, int64_t round, const cv_voice *voices, size_t count,
                 const cv_map *names, bool lenient, cv_hearing *ret_hearing)
{
    *ret_hearing = (cv_hearing){.dialogue_id = s->id, .round = round, .speech_count = count};
    ret_hearing->speeches = CV_NEW_ARRAY(a, count, cv_speech);
    listener l = {.a = a, .s = s, .round = round, .names = names, .lenient = lenient, .h = ret_hearing};
    for (size_t i = 0; i < count; i++) {
        l.speech = &ret_hearing->speeches[i];
        cv_speech_read(a, s, round, voices[i].expert, voices[i].text, lenient, &ret_hearing->speeches[i]);
        cv_map_put(&l.voice_at, a, voices[i].expert, NULL);
        for (size_t k = 0; k < l.speech->count; k++)
            if (l.speech->items[k].first)
                add_entity(&l, &l.speech->items[k]);
    }
    for (size_t i = 0; i < count; i++)
        listen_to(&l, &ret_hearing->speeches[i]);
    sort_by_kind(&l);
}

void cv_hear(cv_arena *a, const cv_state *s, int64_t round, const cv_voice *voices, size_t count, const cv_map *names,
             cv_hearing *ret_hearing)
{
    hear(a, s, round, voices, count, names, false, ret_hearing);
}

void cv_hear_responses(cv_arena *a, const cv_state *s, int64_t round, const cv_voice *voices, size_t count,
                       cv_hearing *ret_hearing)
{
    hear(a, s, round, voices, count, NULL, true, ret_hearing);
}
