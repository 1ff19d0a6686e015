/* stats.c - all dialogues of a project in numbers; see stats.h. */
#include "dialogue/view/stats.h"

#include "base/limits.h"
#include "dialogue/fault.h"
#include "dialogue/operations.h"

enum { USUAL_LIMIT = 10 };

/* ---- counting ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *a;
    cv_stats *s;
} counting;

/* Adds to the counter of the word; one that is not in the vocabulary has none. */
static void add_word(int64_t *counters, cv_words words, cv_str word, int64_t count)
{
    int at = cv_words_find(words, word);
    if (at >= 0)
        counters[at] += count;
}

static void take_dialogues(cv_stats *s, const cv_tallied *t)
{
    add_word(s->dialogues, cv_dialogue_words, t->word, t->count);
    s->total += t->count;
    s->begun += t->begun;
    s->rounds += t->rounds;
    s->score += t->score;
}

static void take_entities(cv_stats *s, const cv_tallied *t)
{
    int status = cv_status_find((cv_kind)cv_kind_of_letter(t->letter), t->word);
    if (status >= 0)
        s->entities[status] += t->count;
}

static void take_verdicts(cv_stats *s, const cv_tallied *t)
{
    add_word(s->verdicts, cv_verdict_words, t->word, t->count);
    if (t->detail.n)
        add_word(s->confidence, cv_confidence_words, t->detail, t->count);
    else
        s->no_confidence += t->count;
}

static bool take(void *ctx, const cv_tallied *t, cv_err *err)
{
    counting *c = ctx;
    (void)err;
    if (t->kind == CV_REC_DIALOGUE)
        take_dialogues(c->s, t);
    else if (t->kind == CV_REC_ENTITY)
        take_entities(c->s, t);
    else if (t->kind == CV_REC_VERDICT)
        take_verdicts(c->s, t);
    else
        *CV_PUSH(c->a, &c->s->experts) = (cv_stats_expert){cv_arena_copy(c->a, t->word), t->count, t->score};
    return true;
}

static bool take_recent(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    counting *c = ctx;
    (void)rev, (void)err;
    *CV_PUSH(c->a, &c->s->recent) =
        (cv_stats_dialogue){cv_arena_copy(c->a, id),
                            {.title = cv_arena_copy(c->a, row->title),
                             .status = cv_arena_copy(c->a, row->status),
                             .created_at = cv_arena_copy(c->a, row->created_at),
                             .total_rounds = row->total_rounds == CV_ABSENT ? 0 : row->total_rounds,
                             .total_alignment = row->total_alignment == CV_ABSENT ? 0 : row->total_alignment}};
    return true;
}

static bool count(cv_call *call, cv_str status, cv_str since, size_t limit, cv_stats *ret, cv_err *err)
{
    cv_store *store = call->store;
    counting c = {call->arena, ret};
    const cv_tally_query counted = {.status = status, .since = since, .experts = limit};
    const cv_list_query newest = {.status = status, .since = since, .limit = limit, .newest = true};
    *ret = (cv_stats){.status = status, .since = since};
    return store->calls->tally(store, call->arena, &counted, take, &c, err) &&
           store->calls->list(store, call->arena, &newest, take_recent, &c, err);
}

int64_t cv_stats_of_kind(const cv_stats *s, cv_kind kind)
{
    int64_t sum = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        sum += cv_statuses[status].kind == kind ? s->entities[status] : 0;
    return sum;
}

static int64_t open_tensions(const cv_stats *s)
{
    int64_t sum = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        sum += cv_tension_status_is_open((cv_status)status) ? s->entities[status] : 0;
    return sum;
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

static void write_words(cv_json_writer *w, const char *key, cv_words words, const int64_t *counters)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_object(w);
    for (size_t i = 0; i < words.count; i++) {
        cv_json_key(w, words.items[i]);
        cv_json_int(w, counters[i]);
    }
    cv_json_end_object(w);
}

/* To one decimal; null of nothing. */
static void write_average(cv_json_writer *w, cv_arena *a, const char *key, int64_t sum, int64_t count)
{
    cv_json_key(w, cv_str_of(key));
    if (count == 0)
        cv_json_null(w);
    else
        cv_json_raw(w, cv_arena_printf(a, "%.1f", (double)sum / (double)count));
}

static void write_dialogues(cv_json_writer *w, cv_arena *a, const cv_stats *s)
{
    cv_json_key(w, CV_STR("dialogues"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "total", s->total);
    write_words(w, "by_status", cv_dialogue_words, s->dialogues);
    cv_json_key_int(w, "with_rounds", s->begun);
    cv_json_key_int(w, "rounds", s->rounds);
    cv_json_key_int(w, "alignment", s->score);
    write_average(w, a, "average_rounds", s->rounds, s->begun);
    write_average(w, a, "average_alignment", s->score, s->begun);
    cv_json_end_object(w);
}

static void write_entities(cv_json_writer *w, const cv_stats *s)
{
    cv_json_key(w, CV_STR("entities"));
    cv_json_begin_object(w);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_begin_object(w);
        cv_json_key_int(w, "total", cv_stats_of_kind(s, (cv_kind)kind));
        cv_json_key(w, CV_STR("by_status"));
        cv_json_begin_object(w);
        for (int status = 0; status < CV_STATUS_COUNT; status++)
            if (cv_statuses[status].kind == (cv_kind)kind) {
                cv_json_key(w, cv_statuses[status].word);
                cv_json_int(w, s->entities[status]);
            }
        cv_json_end_object(w);
        cv_json_end_object(w);
    }
    cv_json_end_object(w);
    int64_t open = open_tensions(s);
    cv_json_key_int(w, "open_tensions", open);
    cv_json_key_int(w, "closed_tensions", cv_stats_of_kind(s, CV_KIND_TENSION) - open);
}

static void write_verdicts(cv_json_writer *w, const cv_stats *s)
{
    int64_t total = 0;
    for (size_t i = 0; i < CV_VERDICT_COUNT; i++)
        total += s->verdicts[i];
    cv_json_key(w, CV_STR("verdicts"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "total", total);
    write_words(w, "by_type", cv_verdict_words, s->verdicts);
    write_words(w, "by_confidence", cv_confidence_words, s->confidence);
    cv_json_key_int(w, "without_confidence", s->no_confidence);
    cv_json_end_object(w);
}

static void write_people(cv_json_writer *w, const cv_stats *s)
{
    cv_json_key(w, CV_STR("top_experts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->experts.count; i++) {
        cv_json_begin_object(w);
        cv_json_key_int(w, "rank", (int64_t)i + 1);
        cv_json_key_str(w, "expert_slug", s->experts.items[i].slug);
        cv_json_key_int(w, "dialogues", s->experts.items[i].dialogues);
        cv_json_key_int(w, "total_score", s->experts.items[i].score);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_recent(cv_json_writer *w, const cv_stats *s)
{
    cv_json_key(w, CV_STR("recent"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->recent.count; i++) {
        const cv_stats_dialogue *d = &s->recent.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "dialogue_id", d->id);
        cv_json_key_str(w, "title", d->row.title);
        cv_json_key_str(w, "status", d->row.status);
        cv_json_key_str(w, "created_at", d->row.created_at);
        cv_json_key_int(w, "total_rounds", d->row.total_rounds);
        cv_json_key_int(w, "total_alignment", d->row.total_alignment);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_stats(cv_call *call, const cv_stats *s)
{
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str_if(&w, "dialogue_status", s->status);
    cv_json_key_str_if(&w, "since", s->since);
    write_dialogues(&w, call->arena, s);
    write_entities(&w, s);
    write_verdicts(&w, s);
    write_people(&w, s);
    write_recent(&w, s);
    if (call->for_people)
        cv_json_key_str(&w, "text", cv_stats_text(call->arena, s));
    cv_json_end_object(&w);
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

/* 2026-02-03 or 2026-02-03T04:05:06Z, in the form of the record. */
static bool read_since(cv_call *call, cv_str *ret_since)
{
    cv_str given = cv_json_get_text(call->input, "since");
    int64_t ms;
    if (!given.p)
        return true;
    if (!cv_time_parse(given, &ms) &&
        !cv_time_parse(cv_arena_join(call->arena, cv_str_head(given, CV_TIME_LEN), CV_STR("T00:00:00Z")), &ms)) {
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "since", given, "this is not a date"),
                       CV_STR("write a day (2026-02-03) or a time in UTC (2026-02-03T04:05:06Z)"));
        return false;
    }
    char *text = cv_arena_alloc(call->arena, CV_TIME_LEN + 1);
    cv_time_print(ms, text);
    *ret_since = (cv_str){text, CV_TIME_LEN};
    return true;
}

bool cv_dialogue_stats(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_str since = {NULL, 0};
    cv_stats stats;
    if (!read_since(call, &since))
        return false;
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", USUAL_LIMIT);
    if (!count(call, cv_json_get_text(call->input, "status"), since, limit, &stats, &err))
        return cv_call_fail(call, &err);
    write_stats(call, &stats);
    return true;
}
