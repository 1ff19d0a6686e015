/* subject.c - the entities that a write touches; see subject.h. */
#include "dialogue/register/subject.h"

#include <assert.h>

static cv_subject *keep(cv_subjects *subjects, cv_str id, cv_subject subject)
{
    assert(id.n > 0 && !cv_map_get(&subjects->at, id) && "a subject is kept once");
    cv_subject *kept = cv_arena_dup(subjects->arena, &subject, sizeof subject);
    kept->id = id;
    *cv_map_put(&subjects->at, subjects->arena, id, NULL) = (uintptr_t)kept;
    *CV_PUSH(subjects->arena, &subjects->all) = kept;
    return kept;
}

cv_subject *cv_subjects_find(cv_subjects *subjects, cv_str id)
{
    const uintptr_t *known = cv_map_get(&subjects->at, id);
    if (known)
        return (cv_subject *)*known;
    cv_rec_entity *row = cv_state_entity(subjects->state, id);
    if (!row)
        return NULL;
    cv_kind kind = (cv_kind)cv_kind_of_letter(row->kind.p[0]);
    cv_status status = (cv_status)cv_status_find(kind, row->status);
    assert(kind < CV_KIND_COUNT && status < CV_STATUS_COUNT && "cv_row_check has seen the row");
    return keep(subjects, id,
                (cv_subject){.kind = kind,
                             .status = status,
                             .planned = status,
                             .row = row,
                             .stored = (size_t)(row - subjects->state->entities.items) + 1});
}

cv_subject *cv_subjects_add(cv_subjects *subjects, cv_kind kind, cv_rec_entity *row, const cv_people *by)
{
    assert(kind < CV_KIND_COUNT);
    cv_status first = cv_status_first(kind);
    row->status = cv_statuses[first].word;
    return keep(subjects, cv_entity_id(subjects->arena, row),
                (cv_subject){.kind = kind, .status = first, .planned = first, .row = row, .by = by});
}

/* ---- writing --------------------------------------------------------------------------------- */

/* An event has the word of the status it leads to; what leads to none, or to one that no event is named after, is
 * reported in other words that change nothing. */
static cv_str event_of(cv_status status, cv_event otherwise)
{
    assert(status < CV_STATUS_COUNT && otherwise < CV_EVENT_COUNT);
    int event = cv_words_find(cv_event_words, cv_statuses[status].word);
    return cv_event_words.items[event >= 0 ? event : (int)otherwise];
}

static cv_rec_event *tell(cv_status_writer *writer, const cv_subject *subject, cv_str type, cv_str actors)
{
    char letter = cv_kinds[subject->kind].letter;
    return cv_journal_event(writer->journal, letter, subject->id, type, writer->round, actors);
}

cv_rec_entity *cv_subject_write(cv_status_writer *writer, cv_subject *subject, cv_rec_event *event)
{
    if (!subject->written) {
        subject->row =
            (subject->stored ? cv_journal_put : cv_journal_add)(writer->journal, CV_REC_ENTITY, subject->row);
        cv_journal_covers(writer->journal, event, CV_REC_ENTITY, subject->row);
        subject->written = true;
    }
    return subject->row;
}

static void become(cv_status_writer *writer, cv_subject *subject, cv_status status, cv_rec_event *event)
{
    assert(cv_statuses[status].kind == subject->kind && "a subject stays in its lifecycle");
    if (status == subject->status)
        return;
    subject->status = status;
    cv_subject_write(writer, subject, event)->status = cv_statuses[status].word;
}

void cv_subject_create(cv_status_writer *writer, cv_subject *subject)
{
    assert(!subject->stored && !subject->written);
    cv_str first = event_of(subject->status, CV_EVENT_CREATED);
    cv_subject_write(writer, subject, tell(writer, subject, first, subject->row->contributors));
}

void cv_subject_rule(cv_status_writer *writer, cv_subject *subject, cv_status to, const cv_people *by, cv_str via,
                     cv_str reason)
{
    cv_rec_event *event = tell(writer, subject, event_of(to, CV_EVENT_COMMENTED), by->json);
    event->reference = via;
    event->reason = reason;
    become(writer, subject, to, event);
    subject->ruled = true;
    subject->ruled_via = via;
}

static unsigned who_acts(const cv_people *by, cv_str authors)
{
    unsigned who = 0;
    for (size_t i = 0; i < by->count; i++)
        who |= cv_people_json_has(authors, by->items[i]) ? CV_BY_AUTHOR
               : cv_str_eq(by->items[i], cv_judge_slug)  ? CV_BY_JUDGE
                                                         : CV_BY_OTHER;
    return who;
}

static void warn_refused(cv_status_writer *writer, const cv_subject *subject, cv_status to, cv_cause cause)
{
    cv_str word = cv_cause_words(cause.type).items[cause.word];
    cv_notice_add(writer->warnings, writer->journal->call->arena, CV_STR("status_unchanged"),
                  "'%.*s' does not make %.*s %.*s: it stays %.*s", CV_FMT(word), CV_FMT(subject->id),
                  CV_FMT(cv_statuses[to].word), CV_FMT(cv_statuses[subject->status].word))
        ->id = subject->id;
}

static void warn_authority(cv_status_writer *writer, const cv_subject *subject, const cv_people *by)
{
    cv_arena *a = writer->journal->call->arena;
    cv_notice_add(
        writer->warnings, a, CV_STR("resolution_needs_author"),
        "%.*s is addressed, not resolved: only the judge and the experts who raised it can resolve it, not %.*s",
        CV_FMT(subject->id), CV_FMT(cv_arena_list(a, by->items, by->count)))
        ->id = subject->id;
}

/* What the judge has decided in the same write stands: a cascade may agree with it, otherwise it is a comment. */
static cv_effect under_ruling(const cv_subject *subject, cv_effect effect)
{
    bool agrees = effect.type != CV_EFFECT_COMMENT && effect.status == subject->status;
    effect.type = agrees ? CV_EFFECT_STATUS : CV_EFFECT_COMMENT;
    effect.needs_author = false;
    return effect;
}

cv_effect cv_subject_touch(cv_status_writer *writer, cv_cause cause, cv_subject *subject, const cv_people *by,
                           cv_str source, cv_str reason)
{
    unsigned who = who_acts(by, subject->row->contributors);
    cv_effect effect = cv_cascade(cause, subject->kind, subject->status, who);
    if (effect.type == CV_EFFECT_NONE)
        return effect;
    if (subject->ruled)
        effect = under_ruling(subject, effect);
    if (subject->ruled && source.n && cv_str_eq(source, subject->ruled_via))
        return effect; /* the update has told what became of it */
    cv_str commented = cv_event_words.items[CV_EVENT_COMMENTED];
    cv_str type = effect.type == CV_EFFECT_STATUS ? event_of(effect.status, CV_EVENT_COMMENTED) : commented;
    cv_rec_event *event = tell(writer, subject, type, by->json);
    *(effect.is_result ? &event->result_id : &event->reference) = source;
    event->reason = reason;
    if (effect.type == CV_EFFECT_REFUSED)
        warn_refused(writer, subject, effect.status, cause);
    else if (effect.needs_author)
        warn_authority(writer, subject, by);
    if (effect.type == CV_EFFECT_STATUS)
        become(writer, subject, effect.status, event);
    return effect;
}

/* ---- after the write ------------------------------------------------------------------------- */

static cv_status status_before(const cv_subjects *subjects, const cv_subject *subject)
{
    if (!subject->stored)
        return cv_status_first(subject->kind);
    return (cv_status)cv_status_find(subject->kind, subjects->state->entities.items[subject->stored - 1].status);
}

cv_changes cv_subjects_changes(const cv_subjects *subjects)
{
    cv_changes changes = {0};
    for (size_t i = 0; i < subjects->all.count; i++) {
        const cv_subject *subject = subjects->all.items[i];
        cv_status before = status_before(subjects, subject);
        if (before != subject->status)
            *CV_PUSH(subjects->arena, &changes) =
                (cv_change){subject->id, cv_statuses[before].word, cv_statuses[subject->status].word};
    }
    return changes;
}

#define CV_THIS_TYPE cv_change
static const cv_shape change[] = {
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD(ALWAYS, from, ""),
    CV_FIELD(ALWAYS, to, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_changes
const cv_shape cv_changes_shape[] = {
    CV_LIST("status_changes", items, count, change, ""),
    {0},
};
#undef CV_THIS_TYPE

void cv_subjects_after(const cv_subjects *subjects, cv_state *ret_after)
{
    const cv_state *before = subjects->state;
    size_t most = before->entities.count + subjects->all.count, count = before->entities.count;
    cv_rec_entity *entities = CV_NEW_ARRAY(subjects->arena, most, cv_rec_entity);
    if (count)
        memcpy(entities, before->entities.items, count * sizeof *entities);
    for (size_t i = 0; i < subjects->all.count; i++) {
        const cv_subject *subject = subjects->all.items[i];
        entities[subject->stored ? subject->stored - 1 : count++] = *subject->row;
    }
    *ret_after = *before;
    ret_after->entities.items = entities;
    ret_after->entities.count = ret_after->entities.capacity = count;
}
