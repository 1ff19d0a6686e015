/* stats.c - all dialogues of a project in numbers; see stats.h. */
#include "dialogue/view/stats.h"

#include <stdlib.h>

#include "base/limits.h"
#include "dialogue/faults.h"
#include "dialogue/operations.h"

enum { USUAL_LIMIT = 10 };

/* ---- counting ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_call *call;
    cv_arena *a;
    cv_stats *s;
    cv_str id;        /* of the dialogue that is read now */
    bool counts;      /* … and is one of those that were asked for */
    cv_map expert_at; /* slug -> index + 1 */
    size_t dialogue;  /* the dialogue that is counted now: 1, 2, 3 … */
    struct {
        size_t *items; /* of each expert, the dialogue in which it was last counted */
        size_t count, capacity;
    } seen;
} counting;

/* Counts the word; one that is not in the vocabulary has no counter. */
static void add_word(int64_t *counters, cv_words words, cv_str word)
{
    int at = cv_words_find(words, word);
    if (at >= 0)
        counters[at]++;
}

/* Sums that no record of ours has are cut, not wrong. */
static int64_t sum_of(int64_t x, int64_t y)
{
    int64_t sum;
    if (y == CV_ABSENT)
        return x;
    return __builtin_add_overflow(x, y, &sum) ? (y > 0 ? INT64_MAX : INT64_MIN + 1) : sum;
}

static void take_entity(cv_stats *s, const cv_rec_entity *row)
{
    int kind = row->kind.n == 1 ? cv_kind_of_letter(row->kind.p[0]) : -1;
    int status = kind < 0 ? -1 : cv_status_find((cv_kind)kind, row->status);
    if (status >= 0)
        s->entities[status]++;
}

static void take_verdict(cv_stats *s, const cv_rec_verdict *row)
{
    add_word(s->verdicts, cv_verdict_words, row->verdict_type);
    if (row->confidence.n)
        add_word(s->confidence, cv_confidence_words, row->confidence);
    else
        s->no_confidence++;
}

static void take_score(counting *c, const cv_rec_score *row)
{
    uintptr_t *at = cv_map_get(&c->expert_at, row->expert_slug);
    if (!at) {
        cv_str slug = cv_arena_copy(c->a, row->expert_slug);
        *CV_PUSH(c->a, &c->s->experts) = (cv_stats_expert){.slug = slug};
        *CV_PUSH(c->a, &c->seen) = 0;
        at = cv_map_put(&c->expert_at, c->a, slug, NULL);
        *at = c->s->experts.count;
    }
    cv_stats_expert *expert = &c->s->experts.items[*at - 1];
    expert->dialogues += c->seen.items[*at - 1] != c->dialogue;
    c->seen.items[*at - 1] = c->dialogue;
    expert->score = sum_of(expert->score, row->score);
}

static bool take_dialogue(counting *c, const cv_rec_dialogue *row)
{
    cv_stats *s = c->s;
    if ((s->status.n && !cv_str_eq(row->status, s->status)) || cv_str_order(row->created_at, s->since) < 0)
        return false;
    c->dialogue++;
    add_word(s->dialogues, cv_dialogue_words, row->status);
    s->total++;
    s->begun += row->total_rounds > 0;
    s->rounds = sum_of(s->rounds, row->total_rounds);
    s->score = sum_of(s->score, row->total_alignment);
    *CV_PUSH(c->a, &s->recent) =
        (cv_stats_dialogue){cv_arena_copy(c->a, c->id),
                            {.title = cv_arena_copy(c->a, row->title),
                             .status = cv_arena_copy(c->a, row->status),
                             .created_at = cv_arena_copy(c->a, row->created_at),
                             .total_rounds = row->total_rounds == CV_ABSENT ? 0 : row->total_rounds,
                             .total_alignment = row->total_alignment == CV_ABSENT ? 0 : row->total_alignment}};
    return true;
}

/* The dialogue's own row comes first. */
static bool take_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    counting *c = ctx;
    (void)err;
    if (kind == CV_REC_DIALOGUE)
        c->counts = take_dialogue(c, row);
    else if (!c->counts)
        return true;
    else if (kind == CV_REC_ENTITY)
        take_entity(c->s, row);
    else if (kind == CV_REC_VERDICT)
        take_verdict(c->s, row);
    else
        take_score(c, row);
    return true;
}

static bool read_dialogue(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    const uint32_t kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(VERDICT) | CV_REC_BIT(SCORE);
    const cv_wanted wanted = {.kinds = kinds, .outline = kinds};
    counting *c = ctx;
    cv_position at;
    bool found;
    (void)row, (void)rev;
    c->id = id;
    c->counts = false;
    return cv_snapshot(c->call, id, &wanted, take_row, c, &at, &found, err);
}

static int by_time(const void *x, const void *y)
{
    const cv_stats_dialogue *a = x, *b = y;
    int order = cv_str_order(b->row.created_at, a->row.created_at);
    return order ? order : cv_str_order(a->id, b->id);
}

static int by_score(const void *x, const void *y)
{
    const cv_stats_expert *a = x, *b = y;
    int order = CV_ORDER(b->score, a->score);
    return order ? order : cv_str_order(a->slug, b->slug);
}

static bool count(cv_call *call, cv_str status, cv_str since, size_t limit, cv_stats *ret, cv_err *err)
{
    counting c = {.call = call, .a = call->arena, .s = ret};
    const cv_list_query query = {.status = status, .since = since, .names = true};
    *ret = (cv_stats){.status = status, .since = since};
    if (!cv_list_dialogues(call->record, call->arena, &query, read_dialogue, &c, err))
        return false;
    if (ret->experts.count > 1)
        qsort(ret->experts.items, ret->experts.count, sizeof *ret->experts.items, by_score);
    if (ret->recent.count > 1)
        qsort(ret->recent.items, ret->recent.count, sizeof *ret->recent.items, by_time);
    for (size_t i = 0; i < ret->experts.count; i++)
        ret->experts.items[i].rank = (int64_t)i + 1;
    if (limit > 0 && ret->experts.count > limit)
        ret->experts.count = limit;
    if (limit > 0 && ret->recent.count > limit)
        ret->recent.count = limit;
    return true;
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

typedef struct {
    cv_stats s;
    cv_str average_rounds, average_alignment, text;
    int64_t open, closed, verdicts;
} told;

static void write_counts(cv_json_writer *w, cv_words words, const int64_t *counters)
{
    cv_json_begin_object(w);
    for (size_t i = 0; i < words.count; i++) {
        cv_json_key(w, words.items[i]);
        cv_json_int(w, counters[i]);
    }
    cv_json_end_object(w);
}

static void write_dialogues(cv_json_writer *w, const void *counters)
{
    write_counts(w, cv_dialogue_words, counters);
}

static void write_verdicts(cv_json_writer *w, const void *counters)
{
    write_counts(w, cv_verdict_words, counters);
}

static void write_confidence(cv_json_writer *w, const void *counters)
{
    write_counts(w, cv_confidence_words, counters);
}

static void write_entities(cv_json_writer *w, const void *stats)
{
    const cv_stats *s = stats;
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
}

#define COUNTS_SCHEMA "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\",\"minimum\":0}}"
#define ENTITIES_SCHEMA                                                                                                \
    "{\"type\":\"object\",\"description\":\"by kind\",\"additionalProperties\":{\"type\":\"object\",\"properties\":{"  \
    "\"total\":{\"type\":\"integer\",\"minimum\":0},\"by_status\":" COUNTS_SCHEMA                                      \
    "},\"required\":[\"total\",\"by_status\"],\"additionalProperties\":false}}"

#define CV_THIS_TYPE cv_stats_expert
static const cv_shape expert_shape[] = {
    CV_NUMBER(ALWAYS, "rank", rank, 1, CV_NO_LIMIT, ""),
    CV_FIELD_AS(ALWAYS, "expert_slug", slug, ""),
    CV_NUMBER(ALWAYS, "dialogues", dialogues, 1, CV_NO_LIMIT, "in which it was scored"),
    CV_FIELD_AS(ALWAYS, "total_score", score, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_stats_dialogue
static const cv_shape dialogue_shape[] = {
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_FIELD_AS(ALWAYS, "title", row.title, ""),
    CV_FIELD_AS(ALWAYS, "status", row.status, ""),
    CV_FIELD_AS(ALWAYS, "created_at", row.created_at, ""),
    CV_FIELD_AS(ALWAYS, "total_rounds", row.total_rounds, ""),
    CV_FIELD_AS(ALWAYS, "total_alignment", row.total_alignment, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told
static const cv_shape dialogues_shape[] = {
    CV_NUMBER(ALWAYS, "total", s.total, 0, CV_NO_LIMIT, ""),
    CV_BY_HAND_AT("by_status", s.dialogues, write_dialogues, COUNTS_SCHEMA),
    CV_NUMBER(ALWAYS, "with_rounds", s.begun, 0, CV_NO_LIMIT, ""),
    CV_NUMBER(ALWAYS, "rounds", s.rounds, 0, CV_NO_LIMIT, "of all"),
    CV_FIELD_AS(ALWAYS, "alignment", s.score, "of all"),
    CV_JSON_AS(OR_NULL, NUMBER, "average_rounds", average_rounds, "of those with rounds"),
    CV_JSON_AS(OR_NULL, NUMBER, "average_alignment", average_alignment, "of those with rounds"),
    {0},
};
static const cv_shape verdicts_shape[] = {
    CV_NUMBER(ALWAYS, "total", verdicts, 0, CV_NO_LIMIT, ""),
    CV_BY_HAND_AT("by_type", s.verdicts, write_verdicts, COUNTS_SCHEMA),
    CV_BY_HAND_AT("by_confidence", s.confidence, write_confidence, COUNTS_SCHEMA),
    CV_NUMBER(ALWAYS, "without_confidence", s.no_confidence, 0, CV_NO_LIMIT, ""),
    {0},
};
const cv_shape cv_stats_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(IF_ANY, "dialogue_status", s.status, "only these were counted"),
    CV_FIELD_AS(IF_ANY, "since", s.since, "only those created then or later were counted"),
    CV_GROUP("dialogues", dialogues_shape, ""),
    CV_BY_HAND_AT("entities", s, write_entities, ENTITIES_SCHEMA),
    CV_NUMBER(ALWAYS, "open_tensions", open, 0, CV_NO_LIMIT, "open, addressed, reopened"),
    CV_NUMBER(ALWAYS, "closed_tensions", closed, 0, CV_NO_LIMIT, "resolved, accepted"),
    CV_GROUP("verdicts", verdicts_shape, ""),
    CV_LIST("top_experts", s.experts.items, s.experts.count, expert_shape,
            "by all their scores, then by name; the same name is the same expert"),
    CV_LIST("recent", s.recent.items, s.recent.count, dialogue_shape, "the newest first"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

/* To one decimal; absent of nothing. */
static cv_str average(cv_arena *a, int64_t sum, int64_t count)
{
    return count ? cv_arena_printf(a, "%.1f", (double)sum / (double)count) : (cv_str){NULL, 0};
}

static void answer(cv_call *call, const cv_stats *s)
{
    told t = {.s = *s,
              .average_rounds = average(call->arena, s->rounds, s->begun),
              .average_alignment = average(call->arena, s->score, s->begun),
              .open = open_tensions(s)};
    t.closed = cv_stats_of_kind(s, CV_KIND_TENSION) - t.open;
    for (size_t i = 0; i < CV_VERDICT_COUNT; i++)
        t.verdicts += s->verdicts[i];
    if (call->for_people)
        t.text = cv_stats_text(cv_chart_for(call), s);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_stats_shape, &t);
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
    answer(call, &stats);
    return true;
}
