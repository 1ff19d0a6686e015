/* threads.c - what the numbers in a script mean; see threads.h. */
#include "dialogue/import/threads.h"

#include "dialogue/intake/extract.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

enum { MOST_ROWS = 2000 }; /* of all trackers: each is compared with all items and all other rows */

typedef struct {
    cv_script *s;
    cv_threads *t;
    cv_map mentioned; /* "T01" -> the first round that speaks of it, plus one */
    cv_map judges;    /* what a row that nobody marked is called -> its thread, plus one */
    bool *taken;      /* by item: a row of the table under way is about it */
    size_t taken_sheet;
    int judged[CV_MAX_ROUND + 1]; /* tensions of the judge's so far */
} tracing;

/* ---- what the experts number ------------------------------------------------------------------------------------- */

/* Letters and digits of a label: punctuation and markup make no other tension of it. */
static cv_str label_key(cv_arena *a, cv_str label)
{
    char *to = cv_arena_alloc(a, label.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < label.n; i++) {
        if (cv_is_alnum(label.p[i]) || (unsigned char)label.p[i] >= 0x80)
            to[n++] = cv_lower(label.p[i]);
        else if (n > 0 && to[n - 1] != ' ')
            to[n++] = ' ';
    }
    return cv_str_trim((cv_str){to, n});
}

static void trace_item(tracing *t, const cv_parsed_mark *item, size_t participant, int round)
{
    cv_arena *a = t->s->arena;
    cv_id id = {.form = CV_ID_EXPERT};
    bool is_new, numbered = cv_id_parse(item->mark->id, &id);
    t->t->in_full[round] |= numbered && id.form == CV_ID_DISPLAY;
    cv_str written = numbered ? cv_id_print(a, &id) : (cv_str){NULL, 0};
    *CV_PUSH(a, &t->t->items) = (cv_numbered){
        written, item->local_id, label_key(a, item->mark->label), participant, round, item->kind, id.form};
    if (!numbered || id.form != CV_ID_SHORT)
        return;
    uintptr_t *user = cv_map_put(&t->t->users, a, written, &is_new);
    *user = is_new ? participant + 1 : *user == participant + 1 ? *user : SIZE_MAX;
}

static void trace_part(tracing *t, const cv_import_part *part, int round)
{
    static const cv_state nothing = {0};
    cv_parsed_response response;
    cv_response_parse(t->s->arena, &nothing, round, t->s->participants.items[part->participant].slug, part->plain.text,
                      false, &response);
    for (size_t i = 0; i < response.count; i++)
        if (response.items[i].first && response.items[i].mark->type < (cv_mark_type)CV_KIND_COUNT)
            trace_item(t, &response.items[i], part->participant, round);
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
    const cv_import_act *act = &t->s->acts[round];
    for (size_t i = 0; i < act->parts.count; i++) {
        trace_part(t, &act->parts.items[i], round);
        trace_mentions(t, act->parts.items[i].plain.text, round > 0 ? round - 1 : 0);
    }
    for (size_t i = 0; i < act->notes.count; i++)
        trace_mentions(t, act->notes.items[i], round);
}

/* ---- the tracker's rows ------------------------------------------------------------------------------------------ */

/* The participants whom a row names; false: nobody who takes part. */
static bool find_named(const tracing *t, const cv_tracked *row, bool *named)
{
    cv_str names = row->by;
    bool any = false;
    memset(named, 0, CV_MAX_EXPERTS * sizeof *named);
    for (size_t participant; cv_script_next_named(t->s, &names, &participant);)
        if (participant < t->s->participants.count)
            named[participant] = any = true;
    return any;
}

/* How many of the words of two labels are the same, in percent of all. */
static int alike(cv_str x, cv_str y)
{
    enum { MOST_WORDS = 16 };
    size_t same = 0, all = 0, others_count = 0;
    cv_str rest = x, word;
    for (; all < MOST_WORDS && cv_str_split(&rest, ' ', &word); all++) {
        cv_str others = y, other;
        for (size_t i = 0; i < MOST_WORDS && cv_str_split(&others, ' ', &other); i++)
            if (word.n > 0 && cv_str_eq(word, other)) {
                same++;
                break;
            }
    }
    for (rest = y; others_count < MOST_WORDS && cv_str_split(&rest, ' ', &word); others_count++)
        all++;
    return all > same ? (int)(same * 100 / (all - same)) : 0;
}

/* How well an item fits a row, among those that may be meant; 0: not at all. */
static int fit(const tracing *t, const cv_tracked *row, cv_str label, size_t item, const bool *named)
{
    enum { SAME_LABEL = 1000, SAME_NUMBER = 500, IN_ROUND = 200, FREE = 50, ALIKE = 55, ALIKE_OF_ONE = 15 };
    const cv_numbered *n = &t->t->items.items[item];
    bool by_name = named != NULL;
    if (by_name && !named[n->participant])
        return 0;
    const uintptr_t *user = row->id.n ? cv_map_get(&t->t->users, row->id) : NULL;
    bool same_number = row->id.n && cv_str_eq(n->written, row->id), same_label = label.n && cv_str_eq(n->label, label);
    bool only_user = user && *user != SIZE_MAX;
    int words = same_label ? 0 : alike(n->label, label), score = 0;
    if (by_name && row->raised >= 0 && n->round != row->raised)
        return 0;
    if (same_label)
        score += SAME_LABEL;
    if (same_number && (by_name || only_user || n->form != CV_ID_SHORT))
        score += SAME_NUMBER;
    if (words >= (by_name ? ALIKE_OF_ONE : ALIKE) && (by_name || row->raised < 0 || row->raised == n->round))
        score += words;
    if (score == 0 && !(by_name && row->raised >= 0))
        return 0;
    score += row->raised == n->round ? IN_ROUND : 0;
    return score + (t->taken[item] ? 1 : FREE);
}

/* The marked tension that a row is about; NULL: nobody's. A row that names somebody is nobody else's. */
static const cv_numbered *marked(tracing *t, const cv_tracked_row *row, bool *ret_sure)
{
    bool named[CV_MAX_EXPERTS], by_name = find_named(t, &row->row, named);
    cv_str label = label_key(t->s->arena, row->row.label);
    size_t best = SIZE_MAX;
    int most = 0;
    if (row->sheet != t->taken_sheet)
        memset(t->taken, 0, t->t->items.count * sizeof *t->taken);
    t->taken_sheet = row->sheet;
    for (size_t i = 0; i < t->t->items.count; i++) {
        int score =
            t->t->items.items[i].kind == CV_KIND_TENSION ? fit(t, &row->row, label, i, by_name ? named : NULL) : 0;
        if (score > most) {
            most = score;
            best = i;
        }
    }
    *ret_sure = best != SIZE_MAX && (by_name || cv_str_eq(t->t->items.items[best].label, label));
    if (best == SIZE_MAX)
        return NULL;
    t->taken[best] = true;
    return &t->t->items.items[best];
}

static int first_mention(const tracing *t, cv_str id)
{
    const uintptr_t *round = id.n ? cv_map_get(&t->mentioned, id) : NULL;
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
                            "a tracker has more than %d tensions in one round", CV_MAX_SEQ);
    return (cv_str){NULL, 0};
}

/* The tension that another row made already: of the same number in another table, or of the same wording. */
static const cv_thread *made_before(tracing *t, const cv_tracked_row *row, cv_str key)
{
    const uintptr_t *at = key.n ? cv_map_get(&t->judges, key) : NULL;
    const cv_thread *thread = at && *at ? &t->t->threads.items[*at - 1] : NULL;
    if (!thread || row->row.label.n == 0 || thread->from->row.label.n == 0)
        return thread;
    cv_arena *a = t->s->arena;
    bool same_table = thread->from->sheet == row->sheet && thread->from->as_of == row->as_of;
    bool same_label = cv_str_eq(label_key(a, row->row.label), label_key(a, thread->from->row.label));
    return same_label || !same_table ? thread : NULL;
}

/* What the other files call by the same id, when they agree. */
static const cv_thread *called_so(tracing *t, const cv_tracked_row *row)
{
    const cv_thread *found = NULL;
    for (size_t i = 0; row->row.id.n && i < t->t->threads.count; i++) {
        const cv_thread *thread = &t->t->threads.items[i];
        bool same_table = thread->from->sheet == row->sheet && thread->from->as_of == row->as_of;
        if ((same_table && row->row.label.n) || !cv_str_eq(thread->from->row.id, row->row.id))
            continue;
        if (found && !cv_str_eq(found->local_id, thread->local_id))
            return NULL;
        found = thread;
    }
    return found;
}

static void trace_row(tracing *t, const cv_tracked_row *row)
{
    cv_arena *a = t->s->arena;
    int last = (int)t->s->act_count - 1;
    bool sure;
    const cv_numbered *own = marked(t, row, &sure);
    const cv_thread *called = sure ? NULL : called_so(t, row);
    own = called ? NULL : own;
    cv_str label = label_key(a, row->row.label);
    const cv_thread *before = called || own ? called : made_before(t, row, row->row.id);
    before = before || own ? before : made_before(t, row, label);
    int raised = own                    ? own->round
                 : before               ? before->raised
                 : row->row.raised >= 0 ? row->row.raised
                                        : first_mention(t, row->row.id);
    cv_thread thread = {.from = row, .by_judge = !own && !before, .raised = clamp(raised, 0, last)};
    int closed = row->row.closed >= 0 ? row->row.closed : row->as_of >= 0 ? row->as_of : last;
    thread.closed = clamp(closed, thread.raised, last);
    if (thread.by_judge && row->row.label.n == 0) {
        cv_script_misunderstand(t->s, row->sheet, row->row.line, row->row.id,
                                "nobody raised this tension, and no table says what it is");
        return;
    }
    thread.local_id = own ? own->local_id : before ? before->local_id : judges_id(t, row, thread.raised);
    if (thread.local_id.n == 0)
        return;
    *CV_PUSH(a, &t->t->threads) = thread;
    if (!thread.by_judge)
        return;
    if (row->row.id.n)
        *cv_map_put(&t->judges, a, row->row.id, NULL) = t->t->threads.count;
    if (label.n)
        *cv_map_put(&t->judges, a, label, NULL) = t->t->threads.count;
}

/* Of the rows about one tension: those of round summaries hold for their round; of those that speak of the whole
 * dialogue the first file's does, and in it the last. */
static void choose_rulers(cv_threads *t)
{
    for (size_t i = 0; i < t->threads.count; i++) {
        cv_thread *thread = &t->threads.items[i];
        thread->rules = thread->from->row.status >= 0;
        for (size_t k = 0; thread->rules && k < t->threads.count; k++) {
            const cv_thread *other = &t->threads.items[k];
            if (k == i || other->from->row.status < 0 || !cv_str_eq(other->local_id, thread->local_id) ||
                (other->from->as_of < 0) != (thread->from->as_of < 0))
                continue;
            bool same_place = other->from->sheet == thread->from->sheet && other->from->as_of == thread->from->as_of;
            bool whole = thread->from->as_of < 0;
            if (same_place ? k > i
                : whole    ? k < i && other->from->sheet != thread->from->sheet
                           : other->from->as_of == thread->from->as_of && k < i)
                thread->rules = false;
        }
    }
}

static void trace_rows(tracing *t, bool bare)
{
    cv_script *s = t->s;
    for (size_t i = 0; i < s->tracker.count; i++) {
        const cv_tracked_row *row = &s->tracker.items[i];
        if ((row->row.label.n == 0) != bare)
            continue;
        if (i >= MOST_ROWS)
            cv_script_misunderstand(s, row->sheet, row->row.line, row->row.label, "trackers have more than %d rows",
                                    MOST_ROWS);
        else if (s->act_count > 0)
            trace_row(t, row);
        else
            cv_script_misunderstand(s, row->sheet, row->row.line, row->row.label,
                                    "%.*s has no round in which it could be registered", CV_FMT(row->row.id));
    }
}

void cv_threads_find(cv_script *s, cv_threads *ret_threads)
{
    tracing *t = CV_NEW(s->arena, tracing);
    *ret_threads = (cv_threads){0};
    t->s = s;
    t->t = ret_threads;
    for (size_t round = 0; round < s->act_count; round++)
        trace_act(t, (int)round);
    t->taken = CV_NEW_ARRAY(s->arena, ret_threads->items.count, bool);
    t->taken_sheet = CV_NO_SHEET;
    trace_rows(t, false);
    trace_rows(t, true); /* rows that say no more than an id come last */
    for (size_t i = 0; i < ret_threads->threads.count; i++) {
        const cv_thread *thread = &ret_threads->threads.items[i];
        bool is_new;
        uintptr_t *called =
            thread->from->row.id.n ? cv_map_put(&ret_threads->called, s->arena, thread->from->row.id, &is_new) : NULL;
        if (called)
            *called = is_new || (*called && cv_str_eq(*(const cv_str *)*called, thread->local_id))
                          ? (uintptr_t)&thread->local_id
                          : 0;
    }
    choose_rulers(ret_threads);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_open(const cv_state *state, cv_str local_id)
{
    const cv_rec_origin *origin = cv_state_origin(state, local_id);
    const cv_rec_entity *row = origin ? cv_state_entity(state, origin->display_id) : NULL;
    return row && cv_tension_is_open(row);
}

static void put_name(cv_map *names, cv_arena *a, cv_str written, const cv_str *meant)
{
    *cv_map_put(names, a, written, NULL) = (uintptr_t)meant;
}

/* The later of two items counts, unless it is closed and the earlier one is not. */
static void put_latest(cv_map *names, cv_arena *a, const cv_state *state, cv_str written, const cv_numbered *n)
{
    const uintptr_t *at = cv_map_get(names, written);
    const cv_str *known = at ? (const cv_str *)*at : NULL;
    bool keeps = known && n->kind == CV_KIND_TENSION && !is_open(state, n->local_id) && is_open(state, *known);
    if (!keeps)
        put_name(names, a, written, &n->local_id);
}

/* "3/2/T01": what an expert calls something in a round. */
static cv_str given_key(cv_arena *a, size_t participant, int round, cv_str written)
{
    return cv_arena_printf(a, "%zu/%d/%.*s", participant, round, CV_FMT(written));
}

void cv_threads_names(const cv_threads *t, const cv_script *s, const cv_state *state, int round, cv_map *ret_names)
{
    cv_arena *a = s->arena;
    cv_map given = {0}; /* numbers that experts give to something new in the round: that is meant by them */
    *ret_names = (cv_map){0};
    for (size_t i = 0; i < t->items.count; i++)
        if (t->items.items[i].round == round)
            cv_map_put(&given, a, given_key(a, t->items.items[i].participant, round, t->items.items[i].written), NULL);
    for (size_t i = 0; i < t->items.count; i++) {
        const cv_numbered *n = &t->items.items[i];
        const uintptr_t *user = n->written.n ? cv_map_get(&t->users, n->written) : NULL;
        if (n->form == CV_ID_DISPLAY && n->round <= round)
            put_name(ret_names, a, n->written, &n->local_id); /* the others of the round mean it, too */
        if (n->form == CV_ID_SHORT && n->round <= round && user && *user != SIZE_MAX)
            put_latest(ret_names, a, state, n->written, n);
    }
    for (size_t i = 0; i < t->threads.count; i++) {
        const cv_thread *thread = &t->threads.items[i];
        const uintptr_t *called = thread->from->row.id.n ? cv_map_get(&t->called, thread->from->row.id) : NULL;
        if (called && *called && thread->raised < round)
            put_name(ret_names, a, thread->from->row.id, &thread->local_id);
    }
    for (size_t i = 0; i < t->items.count; i++) {
        const cv_numbered *n = &t->items.items[i];
        if (n->form == CV_ID_SHORT && n->round < round &&
            !cv_map_get(&given, given_key(a, n->participant, round, n->written)))
            put_latest(ret_names, a, state,
                       cv_extract_own_name(a, s->participants.items[n->participant].slug, n->written), n);
    }
}
