/* hearing.c - the voices of a round; see hearing.h. */
#include "dialogue/intake/hearing.h"

#include "base/utf8.h"
#include "dialogue/intake/listen.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

cv_heard_note *cv_listen_note(cv_listener *l, cv_str type, cv_str id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_heard_note *note = CV_PUSH(l->a, &l->h->notes);
    *note = (cv_heard_note){.type = type,
                            .expert = l->speech->expert,
                            .id = id,
                            .message = cv_arena_vprintf(l->a, format, args),
                            .line = l->said->mark->line};
    va_end(args);
    /* Once is enough: a mark may have thousands of targets. */
    note->text = l->noted ? id : cv_said_text(l->speech, l->said);
    l->noted = true;
    return note;
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static void add_others(cv_listener *l, cv_heard_entity *entity, cv_str names)
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

static void add_entity(cv_listener *l, const cv_said *said)
{
    const cv_mark *m = said->mark;
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

static void note_label(cv_listener *l, const cv_heard_entity *entity)
{
    size_t length = cv_utf8_count(l->said->mark->label);
    if (length == 0)
        cv_listen_note(l, CV_STR("no_label"), entity->local_id, "%.*s has no label: its first line stands in for it",
                       CV_FMT(entity->local_id))
            ->suggestion = CV_STR("write a label of a few words between the brackets");
    else if (length > CV_LONG_LABEL)
        cv_listen_note(l, CV_STR("long_label"), entity->local_id, "the label of %.*s has %zu characters%s",
                       CV_FMT(entity->local_id), length,
                       length > CV_MAX_LABEL ? ": it is cut, and stands in the text as a whole" : "")
            ->suggestion = CV_STR("a few words between the brackets, the rest below them");
}

/* What was said of the item earlier without any text may be said now. */
static void spoken_of(cv_listener *l)
{
    const uintptr_t *at = cv_map_get(&l->entity_at, l->said->local_id);
    const cv_mark *m = l->said->mark;
    if (!at) {
        cv_listen_note(l, CV_STR("too_many"), l->said->local_id, "more than %d %.*s in one round", CV_MAX_SEQ,
                       CV_FMT(cv_kinds[l->said->kind].plural))
            ->suggestion = CV_STR("merge what says the same, or leave the lesser ones out");
        return;
    }
    l->last = (cv_heard_entity *)*at;
    if (l->said->first)
        note_label(l, l->last);
    else if (m->body.n && l->last->content.p == l->last->label.p)
        l->last->content = content_of(l->a, l->last->content, m->body);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void listen_to(cv_listener *l, cv_speech *speech)
{
    speech->first_note = l->h->notes.count;
    l->speech = speech;
    l->last = NULL;
    l->is_judge = cv_str_eq(speech->expert, cv_judge_slug);
    l->shorts = (cv_map){0};
    for (size_t i = 0; i < speech->count; i++) {
        l->said = &speech->items[i];
        l->noted = false;
        l->reason = (cv_str){NULL, 0};
        l->updated = (cv_map){0};
        if (l->said->note.n)
            cv_listen_note(l, l->said->note, l->said->local_id, "%.*s", CV_FMT(l->said->message))->suggestion =
                l->said->suggestion;
        if (l->said->local_id.n)
            spoken_of(l);
        cv_listen_mark(l);
    }
    if (speech->count == 0)
        *CV_PUSH(l->a, &l->h->notes) =
            (cv_heard_note){.type = CV_STR("no_marks"),
                            .expert = speech->expert,
                            .text = cv_excerpt(l->a, cv_str_trim(speech->text)),
                            .message = CV_STR("the response has no mark: nothing of it can be registered"),
                            .suggestion = CV_STR("mark what is meant, as 'conclave spec' (conclave://spec) teaches"),
                            .line = 1};
    speech->note_count = l->h->notes.count - speech->first_note;
}

static void sort_by_kind(cv_listener *l)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        for (size_t i = 0; i < l->made.count; i++)
            if ((int)l->made.items[i]->kind == kind)
                *CV_PUSH(l->a, &l->h->entities) = *l->made.items[i];
}

void cv_hear(cv_arena *a, const cv_state *s, int64_t round, const cv_voice *voices, size_t count, const cv_map *names,
             cv_hearing *ret_hearing)
{
    *ret_hearing = (cv_hearing){.dialogue_id = s->id, .round = round, .speech_count = count};
    ret_hearing->speeches = CV_NEW_ARRAY(a, count, cv_speech);
    cv_listener l = {.a = a, .s = s, .round = round, .names = names, .h = ret_hearing};
    for (size_t i = 0; i < count; i++) {
        l.speech = &ret_hearing->speeches[i];
        cv_speech_read(a, s, round, voices[i].expert, voices[i].text, &ret_hearing->speeches[i]);
        cv_map_put(&l.voice_at, a, voices[i].expert, NULL);
        for (size_t k = 0; k < l.speech->count; k++)
            if (l.speech->items[k].first)
                add_entity(&l, &l.speech->items[k]);
    }
    for (size_t i = 0; i < count; i++)
        listen_to(&l, &ret_hearing->speeches[i]);
    sort_by_kind(&l);
}
