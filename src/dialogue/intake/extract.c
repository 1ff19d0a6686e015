/* extract.c - the texts of a round; see extract.h.
 *
 * The items of all texts come first, so that references may point forward and across; then the walk goes from mark to
 * mark:
 *
 *     an id in a mark      what it means
 *     a mark of an item    makes it, or is about it again
 *     any other mark       a reference, a move, an update, a verdict, by a table from its type; what has no row there,
 *                          or cannot be registered, is noted with its text
 */
#include "dialogue/intake/extract.h"

#include <assert.h>

#include "base/utf8.h"
#include "dialogue/intake/mention.h"
#include "dialogue/intake/opening.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_arena *a;
    const cv_state *s;
    int64_t round;
    const cv_map *names;
    bool lenient; /* responses, not files */
    cv_extract *h;
    CV_STATE_LIST(cv_extracted_entity *) made; /* in the order of the texts and texts */
    size_t counts[CV_KIND_COUNT];
    cv_map entity_at; /* local id -> cv_extracted_entity * */
    cv_map present;   /* who is among the texts */
    cv_map seen;      /* source, type, target of every reference so far */
    cv_map planned;   /* tension -> cv_status *: what it is after the updates so far */
    cv_map verdicts;  /* verdict id -> how often it was asked for */
    /* where we are */
    const cv_parsed_response *response;
    const cv_parsed_mark *item;
    bool noted;                  /* a note has the mark's text already */
    bool kept;                   /* the mark's text is part of something that is registered */
    cv_unmarked_pieces position; /* what the response says besides */
    cv_str reason;               /* label and body of the mark, once somebody asked for both */
    cv_map updated;              /* tensions that the mark has said something of */
    bool is_judge;               /* … speaks */
    cv_extracted_entity *last;   /* the expert's own item that was spoken of last */
    cv_map shorts;               /* short ids of this response -> found_id * */
} extractor;

/* What becomes of a mark that has such a note; all others are lost. */
static cv_diagnosis_severity severity_of(cv_str type)
{
    static const cv_str repaired[] = {CV_STR_INIT("renumbered"), CV_STR_INIT("duplicate_id"),
                                      CV_STR_INIT("short_target")};
    static const cv_str notes[] = {CV_STR_INIT("foreign_id"),       CV_STR_INIT("other_round"),
                                   CV_STR_INIT("no_label"),         CV_STR_INIT("long_label"),
                                   CV_STR_INIT("verdict_proposed"), CV_STR_INIT("said_again"),
                                   CV_STR_INIT("kept_in_position"), CV_STR_INIT("says_none")};
    if (cv_words_find((cv_words){repaired, CV_COUNT(repaired)}, type) >= 0)
        return CV_DIAGNOSIS_REPAIRED;
    return cv_words_find((cv_words){notes, CV_COUNT(notes)}, type) >= 0 ? CV_DIAGNOSIS_NOTE : CV_DIAGNOSIS_LOST;
}

__attribute__((format(printf, 4, 5))) static cv_extracted_note *add_note(extractor *x, cv_str type, cv_str id,
                                                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_extracted_note *note = CV_PUSH(x->a, &x->h->notes);
    *note = (cv_extracted_note){.type = type,
                                .expert = x->response->expert,
                                .id = id,
                                .message = cv_arena_vprintf(x->a, format, args),
                                .severity = severity_of(type),
                                .line = x->item->mark->line};
    va_end(args);
    /* Once is enough: a mark may have thousands of targets. */
    note->text = !x->noted ? x->item->text : id.p ? id : CV_STR("");
    x->noted = true;
    return note;
}

/* ---- what an id means -------------------------------------------------------------------------------------------- */

/*     T0001           the tension of the dialogue, if there is one
 *     DONUT-R0101     donut's item of this round, if donut's response is read; of an earlier one, if it was registered
 *     T01             the expert's own T01 in this response; else the only one with this number: the expert's of an
 *                     earlier round or the dialogue's. When these differ, nobody can know.
 */
typedef struct {
    cv_str id;      /* as round-register takes it; empty: nothing */
    char letter;    /* of its kind; '@' for an expert */
    bool pending;   /* an id of this round by somebody whose response is not read here */
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

static found_id mean_expert(const extractor *x, const cv_id *id)
{
    const cv_rec_expert *row = cv_state_expert(x->s, id->expert);
    return row ? means(cv_arena_join(x->a, CV_STR("@"), row->expert_slug), '@') : (found_id){0};
}

static bool has_responded(const extractor *x, cv_str expert)
{
    for (size_t i = 0; i < x->s->responses.count; i++)
        if (x->s->responses.items[i].round == x->round && cv_str_eq(x->s->responses.items[i].expert_slug, expert))
            return true;
    return false;
}

static found_id mean_local(const extractor *x, const cv_id *id, cv_str written)
{
    const cv_rec_expert *row = cv_state_expert(x->s, id->expert);
    char letter = cv_kinds[id->kind].letter;
    if (cv_map_get(&x->entity_at, written) || cv_state_origin(x->s, written))
        return means(written, letter);
    bool pending = row && id->round == x->round && !cv_map_get(&x->present, row->expert_slug);
    x->h->needs_others = x->h->needs_others || (pending && has_responded(x, row->expert_slug));
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

static found_id find_number(const extractor *x, const cv_id *id)
{
    candidates own = {0}, all = {0};
    for (int round = 0; round < (int)x->round && round <= CV_MAX_ROUND; round++) {
        cv_id display = {CV_ID_DISPLAY, id->kind, round, id->number, {NULL, 0}, {NULL, 0}}, mine = display;
        mine.form = CV_ID_LOCAL;
        mine.expert = x->response->expert;
        const cv_rec_origin *origin = cv_state_origin(x->s, cv_id_print(x->a, &mine));
        cv_str there = cv_id_print(x->a, &display);
        if (origin)
            consider(&own, origin->display_id);
        if (cv_state_entity(x->s, there))
            consider(&all, there);
    }
    found_id meaning = {.letter = cv_kinds[id->kind].letter, .by_number = true};
    bool agree = own.count == 0 || all.count == 0 || cv_str_eq(own.id, all.id);
    if (own.count <= 1 && all.count <= 1 && agree)
        meaning.id = own.count ? own.id : all.id;
    else if (own.count == 1 && all.count == 1)
        meaning.others = cv_arena_printf(x->a, "%.*s or %.*s", CV_FMT(own.id), CV_FMT(all.id));
    else
        meaning.others = CV_STR("several items of earlier rounds");
    return meaning;
}

static found_id mean_short(extractor *x, const cv_id *id, cv_str written)
{
    if (id->suffix.n || id->number <= 0 || id->number > CV_MAX_SEQ)
        return (found_id){0};
    bool is_new;
    uintptr_t *place = cv_map_put(&x->shorts, x->a, written, &is_new);
    if (is_new) {
        found_id *meaning = CV_NEW(x->a, found_id);
        *meaning = find_number(x, id);
        *place = (uintptr_t)meaning;
    }
    return *(const found_id *)*place;
}

cv_str cv_extract_own_name(cv_arena *a, cv_str expert, cv_str id)
{
    return cv_arena_printf(a, "%.*s/%.*s", CV_FMT(expert), CV_FMT(id));
}

static const uintptr_t *find_name(const extractor *x, cv_str written)
{
    const uintptr_t *own = cv_map_get(x->names, cv_extract_own_name(x->a, x->response->expert, written));
    return own ? own : cv_map_get(x->names, written);
}

static found_id meaning_of(extractor *x, const cv_id *id)
{
    cv_str written = cv_id_print(x->a, id);
    const uintptr_t *name = x->names ? find_name(x, written) : NULL;
    if (name)
        return mean_name((const cv_str *)*name);
    if (id->form == CV_ID_EXPERT)
        return mean_expert(x, id);
    const uintptr_t *own = cv_map_get(&x->response->ids, written);
    const cv_parsed_mark *item = own ? (const cv_parsed_mark *)*own : NULL;
    if (item && cv_map_get(&x->entity_at, item->local_id))
        return means(item->local_id, cv_kinds[item->kind].letter);
    if (id->form == CV_ID_LOCAL)
        return mean_local(x, id, written);
    if (id->form == CV_ID_SHORT)
        return mean_short(x, id, written);
    return cv_state_entity(x->s, written) ? means(written, cv_kinds[id->kind].letter) : (found_id){0};
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static void add_others(extractor *x, cv_extracted_entity *entity, cv_str names)
{
    for (cv_str name; cv_str_split(&names, ',', &name);) {
        const cv_rec_expert *expert = cv_state_expert(x->s, cv_str_trim(name));
        if (expert && !cv_str_eq(expert->expert_slug, x->response->expert))
            *CV_PUSH(x->a, &entity->others) = expert->expert_slug;
    }
}

/* A label without a text is the text; what is too long for a label is not lost either. */
static cv_str content_of(cv_arena *a, cv_str headline, cv_str body)
{
    if (cv_only_signs(body))
        return headline;
    if (cv_utf8_limit(headline, CV_MAX_LABEL).n == headline.n)
        return body;
    return cv_arena_join(a, cv_arena_join(a, headline, CV_STR("\n\n")), body);
}

static void add_entity(extractor *x, const cv_parsed_mark *item)
{
    const cv_mark *m = item->mark;
    assert(item->first && item->local_id.n > 0);
    if (x->counts[item->kind] >= CV_MAX_SEQ)
        return;
    x->counts[item->kind]++;
    cv_str headline = cv_mark_headline(x->a, m);
    cv_extracted_entity *entity = CV_NEW(x->a, cv_extracted_entity);
    *entity = (cv_extracted_entity){.kind = item->kind,
                                    .local_id = item->local_id,
                                    .expert = x->response->expert,
                                    .label = cv_utf8_limit(headline, CV_MAX_LABEL),
                                    .line = m->line};
    entity->content = content_of(x->a, headline, m->body);
    if (cv_parsed_mark_is_by(item, x->response->expert))
        add_others(x, entity, m->by);
    *CV_PUSH(x->a, &x->made) = entity;
    *cv_map_put(&x->entity_at, x->a, item->local_id, NULL) = (uintptr_t)entity;
}

static void note_label(extractor *x, const cv_extracted_entity *entity)
{
    size_t length = cv_utf8_count(x->item->mark->label);
    if (length == 0)
        add_note(x, CV_STR("no_label"), entity->local_id, "%.*s has no label: its first line is used",
                 CV_FMT(entity->local_id))
            ->suggestion = CV_STR("write a label of a few words between the brackets");
    else if (length > CV_LONG_LABEL)
        add_note(x, CV_STR("long_label"), entity->local_id, "the label of %.*s has %zu characters%s",
                 CV_FMT(entity->local_id), length,
                 length > CV_MAX_LABEL ? ": it is cut, and the text has all of it" : "")
            ->suggestion = CV_STR("a few words between the brackets, the rest below them");
}

/* The text behind a mark in a sentence begins with what closes the sentence: ").", "**, and". */
static cv_str body_of(const cv_mark *m)
{
    cv_str body = m->body;
    while (m->inlined && body.n && strchr(" \t).,;:*_~`", body.p[0]))
        body = cv_str_from(body, 1);
    return body;
}

/* Made once: a mark may have thousands of targets. */
static cv_str reason_of(extractor *x)
{
    const cv_mark *m = x->item->mark;
    cv_str body = body_of(m);
    if (m->label.n == 0 || body.n == 0)
        return m->label.n ? m->label : body;
    if (!x->reason.n)
        x->reason = cv_arena_join(x->a, cv_arena_join(x->a, m->label, CV_STR("\n\n")), body);
    return x->reason;
}

/* What was said of the item earlier without any text may be said now; what is said of it again goes on with its text.
 */
static void take_item(extractor *x)
{
    const uintptr_t *at = cv_map_get(&x->entity_at, x->item->local_id);
    const cv_mark *m = x->item->mark;
    if (!at) {
        add_note(x, CV_STR("too_many"), x->item->local_id, "more than %d %.*s in one round", CV_MAX_SEQ,
                 CV_FMT(cv_kinds[x->item->kind].plural))
            ->suggestion = CV_STR("merge what says the same, or leave the lesser ones out");
        return;
    }
    cv_extracted_entity *entity = (cv_extracted_entity *)*at;
    x->kept = true;
    bool labelled = m->label.n && !cv_str_eq_nocase(cv_one_line(x->a, m->label), entity->label);
    cv_str more = labelled ? reason_of(x) : m->body;
    if (!m->inlined || entity->line <= m->line) /* else it is only announced */
        x->last = entity;
    if (x->item->first)
        note_label(x, entity);
    else if (more.n && !m->inlined && cv_str_eq(entity->content, entity->label))
        entity->content = content_of(x->a, entity->content, more);
    else if (more.n && !m->inlined)
        *CV_PUSH(x->a, &entity->more) = more;
}

/* ---- what is not known ------------------------------------------------------------------------------------------- */

static void note_meaning(extractor *x, cv_str written, const found_id *meaning)
{
    if (meaning->others.n)
        add_note(x, CV_STR("ambiguous_target"), written, "%.*s may mean %.*s", CV_FMT(written), CV_FMT(meaning->others))
            ->suggestion = CV_STR("write the id in full: T0001");
    else if (meaning->pending)
        add_note(x, CV_STR("pending_target"), written, "%.*s is not there: its expert has not responded",
                 CV_FMT(written))
            ->suggestion = CV_STR("it counts when that response has come");
    else if (meaning->id.n == 0)
        add_note(x, CV_STR("unknown_target"), written, "there is no %.*s", CV_FMT(written))->suggestion =
            CV_STR("use an id of the dialogue (P0001), a local id of this round (MUFFIN-P0101) or @expert");
    else if (meaning->by_number)
        add_note(x, CV_STR("short_target"), meaning->id, "%.*s is read as %.*s", CV_FMT(written), CV_FMT(meaning->id))
            ->suggestion = CV_STR("write the id in full");
}

static found_id look_up(extractor *x, const cv_id *id, cv_str *ret_written)
{
    found_id meaning = meaning_of(x, id);
    *ret_written = cv_id_print(x->a, id);
    note_meaning(x, *ret_written, &meaning);
    return meaning;
}

static void note_unused(extractor *x)
{
    cv_str word = cv_marks_table[x->item->mark->type].word;
    add_note(x, CV_STR("unregistered_mark"), (cv_str){NULL, 0}, "%.*s cannot be registered",
             CV_FMT(word.n ? word : cv_excerpt(x->a, x->item->mark->word)))
        ->suggestion = CV_STR("use an item, a reference or a move, if it should count");
}

static bool has_targets(extractor *x)
{
    if (x->item->mark->targets.n)
        return true;
    add_note(x, CV_STR("no_target"), (cv_str){NULL, 0}, "the mark has no target")->suggestion =
        CV_STR("write an id after the word");
    return false;
}

/* ---- updates: the judge's word about a tension ------------------------------------------------------------------- */

/* The tension's id in the dialogue, or its local id when it is new. */
static cv_str tension_of(const extractor *x, cv_str id)
{
    const cv_rec_origin *origin = cv_map_get(&x->entity_at, id) ? NULL : cv_state_origin(x->s, id);
    return origin ? origin->display_id : id;
}

static cv_status *planned_status(extractor *x, cv_str id)
{
    bool is_new;
    uintptr_t *place = cv_map_put(&x->planned, x->a, id, &is_new);
    if (is_new) {
        const cv_rec_entity *row = cv_state_entity(x->s, id);
        int stored = row ? cv_status_find(CV_KIND_TENSION, row->status) : -1;
        cv_status *status = CV_NEW(x->a, cv_status);
        *status = stored >= 0 ? (cv_status)stored : cv_status_first(CV_KIND_TENSION);
        *place = (uintptr_t)status;
    }
    return (cv_status *)*place;
}

/* A mark says what becomes of a tension once, however often it names it. */
static bool is_new_update(extractor *x, cv_str id)
{
    bool is_new;
    cv_map_put(&x->updated, x->a, id, &is_new);
    return is_new;
}

static void add_update(extractor *x, const found_id *meaning, cv_status to)
{
    cv_str id = tension_of(x, meaning->id);
    cv_status *planned = planned_status(x, id);
    if (!is_new_update(x, id))
        return;
    if (!cv_status_may_become(*planned, to)) {
        add_note(x, CV_STR("invalid_update"), id, "%.*s is %.*s and cannot become %.*s", CV_FMT(id),
                 CV_FMT(cv_statuses[*planned].word), CV_FMT(cv_statuses[to].word));
        return;
    }
    *planned = to;
    x->kept = true;
    *CV_PUSH(x->a, &x->h->updates) = (cv_extracted_update){
        .expert = x->response->expert, .id = id, .reason = reason_of(x), .status = to, .line = x->item->mark->line};
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static bool is_new_reference(extractor *x, cv_str source, cv_ref type, cv_str target)
{
    bool is_new;
    cv_str key = cv_arena_printf(x->a, "%.*s %d %.*s", CV_FMT(source), (int)type, CV_FMT(target));
    cv_map_put(&x->seen, x->a, key, &is_new);
    return is_new;
}

/* The judge refers from items only; about tensions the judge decides. */
static void judge_refers(extractor *x, cv_ref type, const found_id *meaning)
{
    static const cv_status becomes[CV_REF_COUNT] = {[CV_REF_ADDRESS] = CV_STATUS_TENSION_ADDRESSED,
                                                    [CV_REF_RESOLVE] = CV_STATUS_TENSION_RESOLVED,
                                                    [CV_REF_REOPEN] = CV_STATUS_TENSION_REOPENED};
    if (becomes[type] && meaning->letter == cv_kinds[CV_KIND_TENSION].letter && !meaning->pending)
        add_update(x, meaning, becomes[type]);
    else
        note_unused(x);
}

static void note_misfit(extractor *x, cv_ref type, const found_id *meaning)
{
    cv_str word = cv_ref_words.items[type];
    bool tension = meaning->letter == cv_kinds[CV_KIND_TENSION].letter;
    add_note(x, CV_STR("invalid_reference"), meaning->id, "'%.*s' cannot go from %.*s to %.*s", CV_FMT(word),
             CV_FMT(x->last ? x->last->local_id : cv_arena_join(x->a, CV_STR("@"), x->response->expert)),
             CV_FMT(meaning->id))
        ->suggestion = cv_refs[type].targets == CV_TARGETS_TENSION
                           ? CV_STR("only tensions can be addressed, resolved or reopened; use support or oppose")
                       : tension ? CV_STR("if it proposes a solution, the reference is of type address")
                                 : CV_STR("refine goes to an item of the same kind; use support or depend");
}

static void refer(extractor *x, cv_ref type, const cv_id *id, cv_str reason)
{
    cv_str written, source = x->last ? x->last->local_id : cv_arena_join(x->a, CV_STR("@"), x->response->expert);
    found_id meaning = look_up(x, id, &written);
    cv_extracted_ref ref = {type, meaning.id, x->item->mark->line, meaning.pending, reason};
    char from = x->last ? cv_kinds[x->last->kind].letter : '@';
    if (meaning.id.n == 0)
        return;
    if (x->is_judge && !x->last) {
        judge_refers(x, type, &meaning);
    } else if (!cv_ref_joins(type, from, meaning.letter)) {
        note_misfit(x, type, &meaning);
    } else if (cv_str_eq(source, meaning.id)) {
        add_note(x, CV_STR("self_reference"), source, "%.*s refers to itself", CV_FMT(source));
    } else if (!is_new_reference(x, source, type, meaning.id)) {
        if (reason.n)
            add_note(x, CV_STR("said_again"), meaning.id,
                     "%.*s has this reference already: its text is kept in the position", CV_FMT(source));
    } else {
        x->kept = x->kept || !meaning.pending;
        if (x->last)
            *CV_PUSH(x->a, &x->last->refs) = ref;
        else
            *CV_PUSH(x->a, &x->h->links) = (cv_extracted_link){x->response->expert, ref};
    }
}

/* Why goes with each of a few targets, of many with the first. */
static void refer_to_all(extractor *x, cv_ref type, cv_str reason)
{
    enum { FEW = 8 };
    cv_str rest = x->item->mark->targets;
    size_t count = 0;
    if (!has_targets(x))
        return;
    for (cv_id id; cv_target_next(&rest, &id);)
        count++;
    rest = x->item->mark->targets;
    for (cv_id id; cv_target_next(&rest, &id);)
        refer(x, type, &id, count > FEW && x->kept ? (cv_str){NULL, 0} : reason);
}

static void take_reference(extractor *x)
{
    const cv_mark *m = x->item->mark;
    if (m->sub >= 0)
        refer_to_all(x, (cv_ref)m->sub, reason_of(x));
    else if (m->word.n)
        add_note(x, CV_STR("unknown_reference_type"), m->targets, "there is no reference type '%.*s'",
                 CV_FMT(cv_excerpt(x->a, m->word)))
            ->suggestion = CV_STR("support oppose refine address resolve reopen question depend");
    else
        add_note(x, CV_STR("untyped_reference"), m->targets, "the reference does not say of which type it is")
            ->suggestion =
            CV_STR("write it as [RE:SUPPORT …], or oppose refine address resolve reopen question depend");
}

/* An expert's claim; who may resolve a tension is asked when it is registered. */
static void take_resolved(extractor *x)
{
    refer_to_all(x, CV_REF_RESOLVE, reason_of(x));
}

static void take_refinement(extractor *x)
{
    bool made = x->item->local_id.n && x->last && cv_str_eq(x->last->local_id, x->item->local_id);
    if (!made && !x->item->note.n)
        note_unused(x);
    else if (made && x->item->mark->targets.n)
        refer_to_all(x, CV_REF_REFINE, (cv_str){NULL, 0});
}

/* Acceptance has no reference: it is the judge's to write down. */
static void take_accepted(extractor *x)
{
    cv_str rest = x->item->mark->targets, written;
    if (!has_targets(x))
        return;
    for (cv_id id; cv_target_next(&rest, &id);) {
        found_id meaning = look_up(x, &id, &written);
        if (meaning.id.n == 0 || meaning.pending)
            continue;
        if (meaning.letter != cv_kinds[CV_KIND_TENSION].letter)
            note_unused(x);
        else if (x->is_judge)
            add_update(x, &meaning, CV_STATUS_TENSION_ACCEPTED);
        else
            add_note(x, CV_STR("needs_judge"), meaning.id, "%.*s accepts %.*s as it is: the judge decides",
                     CV_FMT(x->response->expert), CV_FMT(meaning.id))
                ->suggestion = cv_arena_printf(
                x->a, "tension_updates: {\"id\": \"%.*s\", \"status\": \"%.*s\", \"by\": [\"%.*s\"]}",
                CV_FMT(meaning.id), CV_FMT(cv_statuses[CV_STATUS_TENSION_ACCEPTED].word), CV_FMT(x->response->expert));
    }
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

static void add_move(extractor *x, cv_move type)
{
    const cv_mark *m = x->item->mark;
    cv_extracted_move move = {.expert = x->response->expert, .context = reason_of(x), .type = type, .line = m->line};
    cv_str rest = m->targets, written;
    for (cv_id id; cv_target_next(&rest, &id);) {
        found_id meaning = look_up(x, &id, &written);
        if (meaning.id.n && meaning.pending)
            *CV_PUSH(x->a, &move.waiting) = meaning.id;
        else if (meaning.id.n)
            *CV_PUSH(x->a, &move.targets) = meaning.id;
    }
    bool wants_id = cv_str_starts(cv_moves[type].argument, CV_STR("{id"));
    move.pending = wants_id && move.targets.count == 0 && move.waiting.count > 0;
    if (wants_id && move.targets.count == 0 && !move.pending) {

        add_note(x, CV_STR("move_without_target"), (cv_str){NULL, 0}, "the move '%.*s' is about no known item",
                 CV_FMT(cv_move_words.items[type]))
            ->suggestion = CV_STR("write an id after the word");
        return;
    }
    x->kept = x->kept || !move.pending;
    *CV_PUSH(x->a, &x->h->moves) = move;
}

static void take_move(extractor *x)
{
    const cv_mark *m = x->item->mark;
    if (m->unclosed) /* what it would have said is not known */
        note_unused(x);
    else if (m->sub >= 0)
        add_move(x, (cv_move)m->sub);
    else
        add_note(x, CV_STR("unknown_move"), (cv_str){NULL, 0}, "there is no move '%.*s'",
                 CV_FMT(cv_excerpt(x->a, m->word)))
            ->suggestion = CV_STR("defend challenge bridge request concede converge");
}

static void take_concession(extractor *x)
{
    if (x->item->mark->targets.n)
        add_move(x, CV_MOVE_CONCEDE);
    else if (!x->item->local_id.n && !x->item->note.n)
        note_unused(x);
}

static void take_challenge(extractor *x)
{
    if (has_targets(x))
        add_move(x, CV_MOVE_CHALLENGE);
}

static void take_convergence(extractor *x)
{
    add_move(x, CV_MOVE_CONVERGE);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

bool cv_extracted_verdict_read(cv_arena *a, const cv_mark *mark, cv_extracted_verdict *ret)
{
    cv_verdict type = CV_VERDICT_FINAL;
    bool typed = cv_mark_verdict(mark, &type);
    cv_str label = typed || mark->type == CV_MARK_VERDICT ? cv_mark_headline(a, mark) : (cv_str){NULL, 0};
    *ret = (cv_extracted_verdict){
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
static bool is_stored(const extractor *x, const cv_extracted_verdict *verdict, const cv_rec_verdict *stored)
{
    return cv_str_eq(stored->verdict_type, cv_verdict_words.items[verdict->type]) &&
           cv_str_eq(stored->author_expert, verdict->expert) && stored->round == x->round &&
           cv_str_eq(stored->recommendation, verdict->label) && cv_str_eq(stored->description, verdict->text);
}

/* dissent-muffin, dissent-muffin-2 …: cut so that number and dash fit in, too. */
static cv_str free_verdict_id(extractor *x, const cv_extracted_verdict *verdict)
{
    enum { ROOM = 24 };
    cv_str base =
        cv_arena_printf(x->a, "%.*s-%.*s", CV_FMT(cv_verdict_words.items[verdict->type]), CV_FMT(verdict->expert));
    base = cv_str_head(base, ROOM);
    uintptr_t *count = cv_map_put(&x->verdicts, x->a, base, NULL);
    for (;;) {
        cv_str id = ++*count == 1 ? base : cv_arena_printf(x->a, "%.*s-%llu", CV_FMT(base), (unsigned long long)*count);
        const cv_rec_verdict *stored = cv_state_verdict(x->s, id);
        if (!stored || is_stored(x, verdict, stored))
            return id;
    }
}

/* Dissents and minority verdicts are the expert's own. The position of a response keeps the
 * text, too: the judge may leave the verdict out. */
static void add_verdict(extractor *x, cv_extracted_verdict *verdict)
{
    if (x->is_judge) {
        note_unused(x);
        return;
    }
    verdict->verdict_id = free_verdict_id(x, verdict);
    x->kept = !x->lenient;
    *CV_PUSH(x->a, &x->h->verdicts) = *verdict;
}

/* Final and interim verdicts are the judge's to give: a text may only propose one. */
static void propose_verdict(extractor *x, cv_extracted_verdict *verdict)
{
    size_t number = 1;
    for (size_t i = 0; i < x->h->proposals.count; i++)
        number += x->h->proposals.items[i].type == verdict->type &&
                  cv_str_eq(x->h->proposals.items[i].expert, verdict->expert);
    verdict->verdict_id = cv_proposal_id(x->a, verdict->type, x->round, number);
    *CV_PUSH(x->a, &x->h->proposals) = *verdict;
    add_note(x, CV_STR("verdict_proposed"), verdict->verdict_id,
             "%.*s proposes a verdict of type '%.*s': the judge decides", CV_FMT(verdict->expert),
             CV_FMT(cv_verdict_words.items[verdict->type]))
        ->suggestion = CV_STR("register it with verdict-register, or leave it in the position");
}

static void take_verdict(extractor *x)
{
    cv_extracted_verdict verdict;
    if (!cv_extracted_verdict_read(x->a, x->item->mark, &verdict)) {
        note_unused(x);
        return;
    }
    verdict.expert = x->response->expert;
    (verdict.type == CV_VERDICT_DISSENT || verdict.type == CV_VERDICT_MINORITY ? add_verdict
                                                                               : propose_verdict)(x, &verdict);
}

/* [FINAL POSITION]: what the position of a round is. */
static void take_position(extractor *x)
{
    if (cv_mark_headline(x->a, x->item->mark).n)
        add_note(x, CV_STR("kept_in_position"), (cv_str){NULL, 0}, "the text is kept in the position of this round");
    else
        note_unused(x);
}

/* ---- which is which ---------------------------------------------------------------------------------------------- */

static void take_mark(extractor *x)
{
    static void (*const take[CV_MARK_COUNT])(extractor *) = {
        [CV_MARK_REFERENCE] = take_reference,      [CV_MARK_MOVE] = take_move,
        [CV_MARK_REFINEMENT] = take_refinement,    [CV_MARK_CONCESSION] = take_concession,
        [CV_MARK_RESOLVED] = take_resolved,        [CV_MARK_DISSENT] = take_verdict,
        [CV_MARK_MINORITY_VERDICT] = take_verdict, [CV_MARK_CONVERGENCE_CONFIRMED] = take_convergence,
        [CV_MARK_CHALLENGE] = take_challenge,      [CV_MARK_ACCEPTED_UNRESOLVED] = take_accepted,
        [CV_MARK_VERDICT] = take_verdict,          [CV_MARK_FINAL_POSITION] = take_position,
    };
    cv_mark_type type = x->item->mark->type;
    assert(type < CV_MARK_COUNT);
    if (take[type])
        take[type](x);
    else if (type >= (cv_mark_type)CV_KIND_COUNT) /* items are made before */
        note_unused(x);
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
static void note_mention(extractor *x)
{
    const cv_mark *m = x->item->mark;
    if (cv_says_none(m->label.n ? m->label : m->body)) {
        add_note(x, CV_STR("says_none"), (cv_str){NULL, 0}, "the mark says that there is nothing")->suggestion =
            CV_STR("leave the mark out");
        return;
    }
    add_note(x, CV_STR("quoted_mark"), (cv_str){NULL, 0},
             "the mark is a part of a sentence: it is read as text and counts for nothing")
        ->suggestion =
        CV_STR("if it should count, write it on a line of its own, and the reason below it; if it is only "
               "mentioned, write it in backticks");
}

/* Does a quotation say what is registered, or a part of it? What the state has no text of is not known. */
static bool is_verbatim(extractor *x, const cv_rec_entity *row, const cv_mark *m)
{
    cv_str body = words_of(x->a, m->body), label = words_of(x->a, m->label);
    if (m->body.n && !row->content.p)
        x->h->needs_content = true;
    cv_str content = words_of(x->a, row->content), known = words_of(x->a, row->label);
    bool same_label = label.n == 0 || cv_str_eq(label, known) || cv_str_find(content, label) != SIZE_MAX;
    return same_label && (body.n == 0 || cv_str_find(content, body) != SIZE_MAX);
}

/* [P0001: Mandate] with another text: what is registered does not change by it. */
static void take_quotation(extractor *x)
{
    const cv_mark *m = x->item->mark;
    const cv_rec_entity *row = cv_state_entity(x->s, x->item->quoted);
    if (!row || m->inlined || is_verbatim(x, row, m)) {
        x->kept = true;
        return;
    }
    cv_str word = cv_marks_table[cv_kind_of_letter(x->item->quoted.p[0])].word;
    add_note(x, CV_STR("restatement"), x->item->quoted,
             "%.*s is registered with another text and does not change; the new text is kept in the position",
             CV_FMT(x->item->quoted))
        ->suggestion =
        cv_arena_printf(x->a, "write it as an item of your own, [%.*s: …], and [RE:REFINE %.*s] below it", CV_FMT(word),
                        CV_FMT(x->item->quoted));
}

/* What nothing else keeps: the mark with its text, as it is. One that says nothing and is not reported is not kept.
 */
static void keep_text(extractor *x)
{
    const cv_mark *m = x->item->mark;
    if (x->kept || m->inlined || x->is_judge || (m->body.n == 0 && m->label.n == 0 && !x->noted))
        return;
    *CV_PUSH(x->a, &x->position) = (cv_unmarked_piece){x->item->text, m->line, m->line, 0};
}

static void add_position(extractor *x)
{
    cv_str text = x->is_judge ? (cv_str){NULL, 0} : cv_unmarked_join(x->a, &x->position);
    if (text.n)
        *CV_PUSH(x->a, &x->h->positions) = (cv_extracted_position){x->response->expert, text};
}

static void take_response(extractor *x, cv_parsed_response *response)
{
    response->first_note = x->h->notes.count;
    x->response = response;
    x->last = NULL;
    x->is_judge = cv_str_eq(response->expert, cv_judge_slug);
    x->shorts = (cv_map){0};
    x->position = (cv_unmarked_pieces){0};
    for (size_t i = 0; i < response->unmarked.count; i++)
        *CV_PUSH(x->a, &x->position) = response->unmarked.items[i];
    for (size_t i = 0; i < response->count; i++) {
        x->item = &response->items[i];
        x->noted = x->kept = false;
        x->reason = (cv_str){NULL, 0};
        x->updated = (cv_map){0};
        if (x->item->note.n)
            add_note(x, x->item->note, x->item->local_id, "%.*s", CV_FMT(x->item->message))->suggestion =
                x->item->suggestion;
        if (x->item->local_id.n)
            take_item(x);
        if (x->item->quoted.n)
            take_quotation(x);
        (x->item->mentioned ? note_mention : take_mark)(x);
        keep_text(x);
    }
    add_position(x);
    if (response->count == 0)
        *CV_PUSH(x->a, &x->h->notes) = (cv_extracted_note){
            .type = CV_STR("no_marks"),
            .expert = response->expert,
            .text = cv_excerpt(x->a, cv_str_trim(response->text)),
            .message = CV_STR("the response has no mark: all of it is kept as a position, nothing as an item"),
            .suggestion = CV_STR("write markers; 'conclave spec' (conclave://spec) shows them"),
            .severity = CV_DIAGNOSIS_LOST,
            .line = 1};
    response->note_count = x->h->notes.count - response->first_note;
}

/* Made once: an item may be spoken of thousands of times. */
static void join_more(cv_arena *a, cv_extracted_entity *entity)
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

static void sort_by_kind(extractor *x)
{
    for (size_t i = 0; i < x->made.count; i++)
        join_more(x->a, x->made.items[i]);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        for (size_t i = 0; i < x->made.count; i++)
            if ((int)x->made.items[i]->kind == kind)
                *CV_PUSH(x->a, &x->h->entities) = *x->made.items[i];
    assert(x->h->entities.count == x->made.count);
}

static void extract(cv_arena *a, const cv_state *s, int64_t round, const cv_response_text *texts, size_t count,
                    const cv_map *names, bool lenient, cv_extract *ret_extract)
{
    *ret_extract = (cv_extract){.dialogue_id = s->id, .round = round, .response_count = count};
    ret_extract->responses = CV_NEW_ARRAY(a, count, cv_parsed_response);
    extractor x = {.a = a, .s = s, .round = round, .names = names, .lenient = lenient, .h = ret_extract};
    for (size_t i = 0; i < count; i++) {
        x.response = &ret_extract->responses[i];
        cv_response_parse(a, s, round, texts[i].expert, texts[i].text, lenient, &ret_extract->responses[i]);
        cv_map_put(&x.present, a, texts[i].expert, NULL);
        for (size_t k = 0; k < x.response->count; k++)
            if (x.response->items[k].first)
                add_entity(&x, &x.response->items[k]);
    }
    for (size_t i = 0; i < count; i++)
        take_response(&x, &ret_extract->responses[i]);
    sort_by_kind(&x);
}

void cv_extract_files(cv_arena *a, const cv_state *s, int64_t round, const cv_response_text *texts, size_t count,
                      const cv_map *names, cv_extract *ret_extract)
{
    extract(a, s, round, texts, count, names, false, ret_extract);
}

void cv_extract_responses(cv_arena *a, const cv_state *s, int64_t round, const cv_response_text *texts, size_t count,
                          cv_extract *ret_extract)
{
    extract(a, s, round, texts, count, NULL, true, ret_extract);
}
