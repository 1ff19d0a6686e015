/* search.c - words in all rooms: one search over everything that is kept.
 *
 *     words -> terms (kit/query.h) -> hits of the record -> room, scope, kind, id, title, the part that shows why
 *
 * All words must occur in a hit. When nothing has them all, hits that have any of them are better than none: `match`
 * says which it was. A room's own search knows more of its things and has filters of its own; this one knows what every
 * room's types say about a row (record/type.h, cv_search_text).
 */
#include "kit/fault.h"
#include "kit/query.h"
#include "kit/room.h"
#include "kit/scopes.h"
#include "kit/snippet.h"
#include "project/operations.h"
#include "project/scope_input.h"

enum { USUAL_PAGE = 20 };

typedef struct {
    cv_str room, scope, kind, id, title, status, people, score, snippet, changed;
} found;

typedef struct {
    cv_call *call;
    cv_query terms;
    cv_word_query query;
    size_t limit, behind;
    struct {
        found *items;
        size_t count, capacity;
    } hits;       /* one more than the page: is there another one? */
    int64_t next; /* CV_ABSENT: there is no next page */
    cv_str understood, match;
    cv_notices warnings;
} searching;

#define CV_THIS_TYPE found
static const cv_shape found_shape[] = {
    CV_FIELD(ALWAYS, room, ""),
    CV_FIELD(ALWAYS, scope, ""),
    CV_FIELD(ALWAYS, kind, ""),
    CV_FIELD(ALWAYS, id, "in its scope and kind"),
    CV_FIELD(IF_ANY, title, ""),
    CV_FIELD(IF_ANY, status, ""),
    CV_JSON_AS(ALWAYS, NAMES, "people", people, ""),
    CV_JSON_AS(ALWAYS, NUMBER, "score", score, "higher is better, within one answer"),
    CV_JSON_AS(IF_ANY, MAP, "changed", changed, "who changed the text since, and why"),
    CV_BELOW(ALWAYS, snippet, "the best part of the text, hits as ⟦hit⟧"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE searching
const cv_shape cv_search_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "query", understood, "as it was understood"),
    CV_WORD(ALWAYS, "match", match, &cv_match_words, "any: nothing has all the words"),
    CV_LIST("results", hits.items, hits.count, found_shape, "the best first"),
    CV_FIELD_AS(ALWAYS, "count", hits.count, ""),
    CV_MORE("next", next, "offset", "only when there are more: give it as `offset`"),
    CV_QUERY_WARNINGS(warnings),
    {0},
};
#undef CV_THIS_TYPE

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
    bool sound = cv_json_is_valid(hit->people, 1); /* the index is made from rows: verify reports what is wrong there */
    *CV_PUSH(a, &s->hits) = (found){.room = cv_arena_copy(a, hit->scope.room),
                                    .scope = cv_arena_copy(a, hit->scope.name),
                                    .kind = cv_arena_copy(a, hit->kind),
                                    .id = cv_arena_copy(a, hit->id),
                                    .title = cv_arena_copy(a, hit->title),
                                    .status = copy_or_none(a, hit->status),
                                    .people = sound ? cv_arena_copy(a, hit->people) : CV_STR("[]"),
                                    .snippet = cv_snippet(a, hit->body, &hit->in_body),
                                    .score = cv_arena_printf(a, "%.3f", hit->score)};
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

/* Nothing was found of this kind, with this status or of this person: the name may be a slip of the pen. Then the
 * answer says what there is without it. */
static bool warn_of_filters(searching *s, cv_err *err)
{
    static const char *const filters[] = {"kind", "status", "person"};
    cv_arena *a = s->call->arena;
    cv_word_query wide = s->query;
    cv_str given[CV_COUNT(filters)];
    size_t count = cv_query_filters(a, s->call->input, filters, CV_COUNT(filters), given);
    if (s->hits.count > 0 || count == 0 || wide.offset > 0)
        return true;
    wide.kinds = wide.statuses = wide.person = (cv_str){NULL, 0};
    wide.any = false;
    if (!ask(s, &wide, err))
        return false;
    cv_str *hits = CV_NEW_ARRAY(a, s->hits.count, cv_str);
    for (size_t i = 0; i < s->hits.count; i++)
        hits[i] = cv_query_hit(a, s->hits.items[i].kind, s->hits.items[i].status);
    if (s->hits.count > 0)
        cv_query_warn_filtered(&s->warnings, a, given, count, hits, s->hits.count);
    s->hits.count = 0;
    return true;
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

/* Writes what was put away, "ROOM/NAME", and what is about it. */
static void write_archived(cv_arena *a, cv_str scope, cv_json_writer *w)
{
    cv_str name = scope, room;
    cv_json_str(w, scope);
    cv_str_split(&name, '/', &room);
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->about_room && cv_str_eq(room, cv_str_of(cv_rooms[i]->about_room)))
            cv_json_str(w, cv_arena_printf(a, "%s/%.*s", cv_rooms[i]->name, CV_FMT(name)));
}

/* What was put away is found only by those who ask for it, or for its scope. */
static bool leave_out_archived(searching *s, cv_err *err)
{
    cv_arena *a = s->call->arena;
    cv_buf text = {0}, all = {0};
    cv_json_writer w = {.out = &text}, every = {.out = &all};
    bool ok = true;
    cv_json_begin_array(&w);
    for (size_t i = 0; cv_rooms[i] && ok; i++)
        ok = !cv_rooms[i]->archived || cv_rooms[i]->archived(s->call, &w, err);
    cv_json_end_array(&w);
    cv_json list;
    ok = ok && cv_json_parse(a, cv_buf_take(&text, a), &list, err);
    cv_json_begin_array(&every);
    for (uint32_t i = 0; ok && i < list.count; i++)
        write_archived(a, list.items[i].text, &every);
    cv_json_end_array(&every);
    s->query.without = all.n > 2 ? cv_buf_take(&all, a) : (cv_str){NULL, 0};
    cv_buf_release(&text);
    cv_buf_release(&all);
    return ok;
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

/* Asks each room which of its texts were changed since they were written. */
static bool find_changed(searching *s, cv_err *err)
{
    cv_room_hit *hits = CV_NEW_ARRAY(s->call->arena, s->hits.count, cv_room_hit);
    found **of = CV_NEW_ARRAY(s->call->arena, s->hits.count, found *);
    for (size_t i = 0; cv_rooms[i]; i++) {
        size_t count = 0;
        for (size_t k = 0; cv_rooms[i]->changed && k < s->hits.count; k++) {
            found *one = &s->hits.items[k];
            if (!cv_str_eq(one->room, cv_str_of(cv_rooms[i]->name)))
                continue;
            of[count] = one;
            hits[count++] = (cv_room_hit){.scope = one->scope, .kind = one->kind, .id = one->id};
        }
        if (count && !cv_rooms[i]->changed(s->call, hits, count, err))
            return false;
        for (size_t k = 0; k < count; k++)
            of[k]->changed = hits[k].changed;
    }
    return true;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void answer(searching *s)
{
    cv_arena *a = s->call->arena;
    s->next = CV_ABSENT;
    if (s->hits.count > s->limit) {
        s->hits.count = s->limit;
        s->next = (int64_t)(s->query.offset + s->limit);
    }
    s->understood = cv_query_print(a, &s->terms);
    s->match = cv_match_words.items[s->query.any];
    cv_query_warn(&s->warnings, a, &s->terms, s->behind);
    cv_shape_write(&(cv_json_writer){.out = s->call->out}, cv_search_shape, s);
}

bool cv_project_search(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    searching s = {.call = call};
    if (!read_input(&s))
        return false;
    bool all = s.query.scope.n || cv_json_get_true(call->input, "archived");
    if (!(all || leave_out_archived(&s, &err)) || !ask_both(&s, &err) || !warn_of_filters(&s, &err) ||
        !find_changed(&s, &err))
        return cv_call_fail(call, &err);
    const cv_scope_id scope = {s.query.room, s.query.scope};
    if (s.hits.count == 0 && scope.name.n && cv_scope_rev(call->record, call->arena, scope) == 0)
        return cv_scopes_missing(call, scope);
    answer(&s);
    return true;
}
