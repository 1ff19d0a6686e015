/* threads.c - what the numbers in a script mean; see threads.h. */
#include "dialogue/import/threads.h"

#include "dialogue/intake/hearing.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

/* Who uses a short id first. */
typedef struct {
    cv_str written, local_id;
    size_t player;
    int round;
    cv_kind kind;
} numbered;

typedef struct {
    cv_script *s;
    cv_threads *t;
    CV_STATE_LIST(numbered *) all, owned; /* the first with a number, of all and of each player */
    cv_map by_id;                         /* "T01" -> numbered * */
    cv_map by_player;                     /* "3/T01" -> numbered * */
    cv_map by_label;                      /* a tension's label -> numbered * */
    cv_map mentioned;                     /* "T01" -> the first round that speaks of it, plus one */
    cv_map rows;                          /* "T01" -> how many rows of the tracker have it */
    bool per_agent[CV_KIND_COUNT];
    int judged[CV_MAX_ROUND + 1]; /* tensions of the judge's so far */
} tracing;

/* ---- what the experts number ------------------------------------------------------------------------------------- */

static cv_str player_key(cv_arena *a, size_t player, cv_str id)
{
    return cv_arena_printf(a, "%zu/%.*s", player, CV_FMT(id));
}

static cv_str label_key(cv_arena *a, cv_str label)
{
    return cv_agent_key(a, cv_squeeze(a, label));
}

static void put_first(cv_map *map, cv_arena *a, cv_str key, numbered *n)
{
    uintptr_t *at = cv_map_put(map, a, key, NULL);
    if (!*at)
        *at = (uintptr_t)n;
}

static void add_alias(tracing *t, cv_str written, cv_str meant, int since)
{
    *CV_PUSH(t->s->arena, &t->t->aliases) = (cv_alias){written, meant, since};
}

static void trace_item(tracing *t, const cv_said *said, size_t player, int round)
{
    cv_arena *a = t->s->arena;
    cv_id id;
    if (!cv_id_parse(said->mark->id, &id))
        return;
    t->t->in_full[round] |= id.form == CV_ID_DISPLAY;
    numbered *n = CV_NEW(a, numbered);
    *n = (numbered){cv_id_print(a, &id), said->local_id, player, round, said->kind};
    if (said->kind == CV_KIND_TENSION)
        put_first(&t->by_label, a, label_key(a, said->mark->label), n);
    if (id.form == CV_ID_DISPLAY)
        add_alias(t, n->written, n->local_id, round); /* the others of the round mean it, too */
    if (id.form != CV_ID_SHORT)
        return;
    bool is_new;
    uintptr_t *own = cv_map_put(&t->by_player, a, player_key(a, player, n->written), &is_new);
    if (is_new) {
        *own = (uintptr_t)n;
        *CV_PUSH(a, &t->owned) = n;
    }
    uintptr_t *first = cv_map_put(&t->by_id, a, n->written, NULL);
    if (!*first) {
        *first = (uintptr_t)n;
        *CV_PUSH(a, &t->all) = n;
    } else if (((numbered *)*first)->player != player) {
        t->per_agent[said->kind] = true;
    }
}

static void trace_part(tracing *t, const cv_part *part, int round)
{
    static const cv_state nothing = {0};
    cv_speech speech;
    cv_speech_read(t->s->arena, &nothing, round, t->s->players.items[part->player].slug, part->text, false,
                   &speech);
    for (size_t i = 0; i < speech.count; i++)
        if (speech.items[i].first && speech.items[i].mark->type < (cv_mark_type)CV_KIND_COUNT)
            trace_item(t, &speech.items[i], part->player, round);
}

/* ---- what is spoken of ------------------------------------------------------------------------------------------- */

static bool is_id_part(char c)
{
    return cv_is_upper(c) || cv_is_digit(c) || c == '.' || c == '-';
}

/* An expert can only speak of a tension that was there before; the judge may name a new one. */
static void trace_mentions(tracing *t, cv_str text, int round)
{
    for (size_t i = 0; i < text.n; i++) {
        cv_id id;
        size_t length;
        if (text.p[i] != 'T' || (i > 0 && (cv_is_alnum(text.p[i - 1]) || text.p[i - 1] == '-')))
            continue;
        if (!cv_id_at(cv_str_from(text, i), &id, &length) || id.form != CV_ID_SHORT) {
            while (i + 1 < text.n && is_id_part(text.p[i + 1])) /* what was one suffix to it has no other id in it */
                i++;
            continue;
        }
        uintptr_t *first = cv_map_put(&t->mentioned, t->s->arena, cv_id_print(t->s->arena, &id), NULL);
        if (!*first)
            *first = (uintptr_t)round + 1;
        i += length - 1;
    }
}

static void trace_act(tracing *t, int round)
{
    const cv_act *act = &t->s->acts[round];
    for (size_t i = 0; i < act->parts.count; i++) {
        trace_part(t, &act->parts.items[i], round);
        trace_mentions(t, act->parts.items[i].text, round > 0 ? round - 1 : 0);
    }
    for (size_t i = 0; i < act->notes.count; i++)
        trace_mentions(t, act->notes.items[i], round);
}

/* ---- the tracker's rows ------------------------------------------------------------------------------------------ */

/* The expert's tension that a row is about; NULL: nobody's. */
static const numbered *raised_by(const tracing *t, const cv_tracked *row)
{
    cv_arena *a = t->s->arena;
    cv_str names = row->by, name;
    while (cv_str_split(&names, ',', &name)) {
        const uintptr_t *player = cv_map_get(&t->s->player_at, cv_agent_key(a, cv_plain_name(a, name)));
        const uintptr_t *own = player ? cv_map_get(&t->by_player, player_key(a, (size_t)*player - 1, row->id)) : NULL;
        if (own)
            return (const numbered *)*own;
    }
    const uintptr_t *labelled = cv_map_get(&t->by_label, label_key(a, row->label));
    const uintptr_t *only = t->per_agent[CV_KIND_TENSION] ? NULL : cv_map_get(&t->by_id, row->id);
    return labelled ? (const numbered *)*labelled : only ? (const numbered *)*only : NULL;
}

static int first_mention(const tracing *t, cv_str id)
{
    const uintptr_t *round = cv_map_get(&t->mentioned, id);
    return round ? (int)*round - 1 : 0;
}

static int clamp(int round, int low, int high)
{
    return round < low ? low : round > high ? high : round;
}

static cv_str judges_id(tracing *t, const cv_tracked_row *row, int round)
{
    cv_id id = {.form = CV_ID_LOCAL,
                .kind = CV_KIND_TENSION,
                .round = round,
                .number = ++t->judged[round],
                .expert = cv_judge_slug};
    if (id.number <= CV_MAX_SEQ)
        return cv_id_print(t->s->arena, &id);
    cv_script_misunderstand(t->s, row->sheet, row->row.line, row->row.label,
                            "more than %d tensions of a tracker in one round", CV_MAX_SEQ);
    return (cv_str){NULL, 0};
}

static void trace_row(tracing *t, const cv_tracked_row *row)
{
    int last = (int)t->s->act_count - 1;
    const numbered *own = raised_by(t, &row->row);
    cv_thread thread = {.from = row, .by_judge = !own};
    int raised = own ? own->round : row->row.raised >= 0 ? row->row.raised : first_mention(t, row->row.id);
    thread.raised = clamp(raised, 0, last);
    thread.closed = row->row.closed >= 0 ? clamp(row->row.closed, thread.raised, last) : last;
    thread.local_id = own ? own->local_id : judges_id(t, row, thread.raised);
    if (thread.local_id.n == 0)
        return;
    *CV_PUSH(t->s->arena, &t->t->threads) = thread;
    if (*cv_map_get(&t->rows, row->row.id) == 1)
        add_alias(t, row->row.id, thread.local_id, thread.raised + 1);
}

/* Where everybody begins at 1, a number is the expert's own, unless the tracker says which one has it. */
static void name_own(tracing *t)
{
    for (size_t i = 0; i < t->owned.count; i++) {
        const numbered *n = t->owned.items[i];
        const uintptr_t *rows = cv_map_get(&t->rows, n->written);
        if (t->per_agent[n->kind] && !(rows && *rows == 1))
            add_alias(t, cv_hear_own_name(t->s->arena, t->s->players.items[n->player].slug, n->written), n->local_id,
                      n->round + 1);
    }
}

static void name_all(tracing *t)
{
    for (size_t i = 0; i < t->all.count; i++)
        if (!t->per_agent[t->all.items[i]->kind])
            add_alias(t, t->all.items[i]->written, t->all.items[i]->local_id, t->all.items[i]->round);
}

void cv_threads_find(cv_script *s, cv_threads *ret_threads)
{
    tracing *t = CV_NEW(s->arena, tracing);
    *ret_threads = (cv_threads){0};
    t->s = s;
    t->t = ret_threads;
    for (size_t round = 0; round < s->act_count; round++)
        trace_act(t, (int)round);
    name_all(t);
    for (size_t i = 0; i < s->tracker.count; i++)
        ++*cv_map_put(&t->rows, s->arena, s->tracker.items[i].row.id, NULL);
    for (size_t i = 0; i < s->tracker.count; i++) {
        const cv_tracked_row *row = &s->tracker.items[i];
        if (s->act_count > 0)
            trace_row(t, row);
        else
            cv_script_misunderstand(s, row->sheet, row->row.line, row->row.label,
                                    "%.*s has no round in which it could be registered", CV_FMT(row->row.id));
    }
    name_own(t);
}

void cv_threads_names(const cv_threads *threads, cv_arena *a, int round, cv_map *ret_names)
{
    *ret_names = (cv_map){0};
    for (size_t i = 0; i < threads->aliases.count; i++) {
        const cv_alias *alias = &threads->aliases.items[i];
        if (alias->since <= round)
            *cv_map_put(ret_names, a, alias->written, NULL) = (uintptr_t)&alias->meant;
    }
}
