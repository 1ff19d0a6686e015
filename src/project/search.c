/* search.c - words in all rooms: one search over everything that is kept.
 *
 *     words -> terms (kit/query.h) -> hits of the record -> room, scope, kind, id, title, the part that shows why
 *
 * All words must occur in a hit. When nothing has them all, hits that have any of them are better than none: `match`
 * says which it was. A room's own search knows more of its things and has filters of its own; this one knows what every
 * room's types tell about a row (record/type.h, cv_search_text).
 */
#include <stdio.h>

#include "kit/fault.h"
#include "kit/query.h"
#include "kit/snippet.h"
#include "project/operations.h"
#include "project/scope_input.h"

enum { USUAL_PAGE = 20 };

typedef struct {
    cv_str room, scope, kind, id, title, status, people, snippet;
    double score;
} found;

typedef struct {
    cv_call *call;
    cv_query terms;
    cv_word_query query;
    size_t limit, behind;
    struct {
        found *items;
        size_t count, capacity;
    } hits; /* one more than the page: is there another one? */
} searching;

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static cv_str copy_or_none(cv_arena *a, cv_str text)
{
    return text.p ? cv_arena_copy(a, text) : text;
}

static bool keep(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    searching *s = ctx;
    cv_arena *a = s->call->arena;
    (void)err;
    bool sound = cv_json_is_valid(hit->people, 1); /* the index is made from rows: verify tells what is wrong there */
    *CV_PUSH(a, &s->hits) = (found){.room = cv_arena_copy(a, hit->scope.room),
                                    .scope = cv_arena_copy(a, hit->scope.name),
                                    .kind = cv_arena_copy(a, hit->kind),
                                    .id = cv_arena_copy(a, hit->id),
                                    .title = cv_arena_copy(a, hit->title),
                                    .status = copy_or_none(a, hit->status),
                                    .people = sound ? cv_arena_copy(a, hit->people) : CV_STR("[]"),
                                    .snippet = cv_snippet(a, hit->body, &hit->in_body),
                                    .score = hit->score};
    return true;
}

static bool ask(searching *s, const cv_word_query *query, cv_err *err)
{
    cv_record *record = s->call->record;
    s->hits.count = 0;
    return record->calls->search(record, s->call->arena, query, keep, s, &s->behind, err);
}

/* All words first; any of them when nothing has all. On a later page the first one decides which it was. */
static bool ask_both(searching *s, cv_err *err)
{
    cv_word_query first = s->query;
    if (!ask(s, &s->query, err))
        return false;
    if (s->hits.count > 0 || s->terms.wanted < 2)
        return true;
    first.limit = 1;
    first.offset = 0;
    if (s->query.offset > 0 && !ask(s, &first, err))
        return false;
    s->query.any = s->hits.count == 0;
    s->hits.count = 0;
    return !s->query.any || ask(s, &s->query, err);
}

static cv_str list_of(cv_arena *a, const cv_json *input, const char *key)
{
    cv_str word = cv_json_get_text(input, key);
    cv_buf out = {0};
    if (!word.p)
        return (cv_str){NULL, 0};
    cv_json_strs(&(cv_json_writer){.out = &out}, &word, 1);
    return cv_buf_take(&out, a);
}

static bool read_input(searching *s)
{
    cv_arena *a = s->call->arena;
    const cv_json *in = s->call->input;
    cv_scope_id scope;
    if (!cv_scopes_given(s->call, &scope))
        return false;
    cv_query_parse(a, cv_json_get_text(in, "query"), cv_query_any_id, &s->terms);
    s->limit = (size_t)cv_json_get_int(in, "limit", USUAL_PAGE);
    s->query = (cv_word_query){.terms = s->terms.items,
                               .count = s->terms.count,
                               .room = scope.room,
                               .scope = scope.name,
                               .kinds = list_of(a, in, "kind"),
                               .statuses = list_of(a, in, "status"),
                               .person = cv_json_get_text(in, "person"),
                               .limit = s->limit + 1,
                               .offset = (size_t)cv_json_get_int(in, "offset", 0)};
    return true;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void print_hit(cv_json_writer *w, const found *f)
{
    char score[64];
    int n = snprintf(score, sizeof score, "%.3f", f->score);
    cv_json_begin_object(w);
    cv_json_key_str(w, "room", f->room);
    cv_json_key_str(w, "scope", f->scope);
    cv_json_key_str(w, "kind", f->kind);
    cv_json_key_str(w, "id", f->id);
    cv_json_key_str_if(w, "title", f->title);
    cv_json_key_str_if(w, "status", f->status);
    cv_json_key(w, CV_STR("people"));
    cv_json_raw(w, f->people);
    cv_json_key(w, CV_STR("score"));
    cv_json_raw(w, (cv_str){score, (size_t)n});
    cv_json_key_str(w, "snippet", f->snippet);
    cv_json_end_object(w);
}

static void answer(const searching *s)
{
    size_t count = s->hits.count < s->limit ? s->hits.count : s->limit;
    cv_notices warnings = {0};
    cv_json_writer w = {.out = s->call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "query", cv_query_print(s->call->arena, &s->terms));
    cv_json_key_str(&w, "match", s->query.any ? CV_STR("any") : CV_STR("all"));
    cv_json_key(&w, CV_STR("results"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < count; i++)
        print_hit(&w, &s->hits.items[i]);
    cv_json_end_array(&w);
    cv_json_key_int(&w, "count", (int64_t)count);
    if (s->hits.count > count)
        cv_json_key_int(&w, "next", (int64_t)(s->query.offset + count));
    cv_query_warn(&warnings, s->call->arena, &s->terms, s->behind);
    cv_notices_answer(&warnings, &w);
    cv_json_end_object(&w);
}

bool cv_project_search(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    searching s = {.call = call};
    if (!read_input(&s))
        return false;
    if (!ask_both(&s, &err))
        return cv_call_fail(call, &err);
    answer(&s);
    return true;
}
