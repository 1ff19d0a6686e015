/* feed.c - what was committed, in every room, in the one order of the record.
 *
 *     conclave feed                              the first page
 *     conclave feed --after POSITION             … behind a position
 *     conclave feed --last 20                    … of the newest ones
 *     conclave feed --after POSITION --wait 60   … as soon as there is something, for a minute at most
 *
 * Each commit comes once. A position is the store's own text: the answer gives one, the next call gives it back. With a
 * room or a scope the others are skipped, and the position moves on behind them. A record without a commit has no
 * position of its own, so `start` stands for the beginning.
 */
#include <assert.h>
#include <time.h>

#include "base/monotonic.h"
#include "base/plain.h"
#include "kit/fault.h"
#include "kit/notice.h"
#include "kit/scopes.h"
#include "project/operations.h"
#include "project/scope_input.h"
#include "record/feed.h"

enum { USUAL_PAGE = 50, LOOK_MS = 300 };

typedef struct {
    cv_call *call;
    cv_scope_id scope; /* only this; parts may be absent */
    cv_str after;      /* empty: from the first */
    size_t limit;
    cv_feed_entries entries;
    struct told *told; /* each entry */
    cv_str position, text;
    bool more;
    cv_notices warnings;
} page;

/* A commit, and who acted: a JSON list. */
typedef struct told {
    cv_feed_entry entry;
    cv_str who;
} told;

#define CV_THIS_TYPE told
static const cv_shape told_shape[] = {
    CV_FIELD_AS(ALWAYS, "room", entry.scope.room, ""),
    CV_FIELD_AS(ALWAYS, "scope", entry.scope.name, ""),
    CV_FIELD_AS(ALWAYS, "rev", entry.rev, "of the scope, after the commit"),
    CV_FIELD_AS(IF_ANY, "operation", entry.operation, ""),
    CV_FIELD_AS(ALWAYS, "op_id", entry.op_id, ""),
    CV_JSON_AS(ALWAYS, NAMES, "who", who, "agents or actors of its events"),
    CV_FIELD_AS(ALWAYS, "created_at", entry.created_at, ""),
    CV_FIELD_AS(ALWAYS, "head", entry.head, "hash of its last event"),
    CV_FIELD_AS(ALWAYS, "position", entry.position, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE page
const cv_shape cv_feed_shape[] = {
    CV_LIST("entries", told, entries.count, told_shape, "commits, the oldest first"),
    CV_FIELD(ALWAYS, position, "the position after the last entry; give it as `after`"),
    CV_FIELD(ALWAYS, more, "there is another page now"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings"),
    CV_PRINTED(text, "lines for people; not with --json"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool is_wanted(void *ctx, const cv_feed_entry *entry)
{
    const page *p = ctx;
    return (!p->scope.room.p || cv_str_eq(entry->scope.room, p->scope.room)) &&
           (!p->scope.name.p || cv_str_eq(entry->scope.name, p->scope.name));
}

static bool read_page(page *p, cv_err *err)
{
    cv_call *call = p->call;
    if (!cv_feed_read(call->record, call->arena, p->after, p->limit, p->scope.room.p ? is_wanted : NULL, p, &p->entries,
                      err))
        return false;
    p->more = p->entries.more;
    p->position = p->entries.position;
    return true;
}

/* Without a limit there is nothing to read: the position behind everything. */
static bool read_end(page *p, cv_err *err)
{
    cv_record *record = p->call->record;
    if (p->after.n && !cv_feed_read(record, p->call->arena, p->after, 1, NULL, NULL, &p->entries, err))
        return false;
    p->entries.count = 0;
    return record->calls->newest(record, p->call->arena, 0, &p->position, err);
}

static void doze(int64_t ms)
{
    nanosleep(&(struct timespec){ms / 1000, (ms % 1000) * 1000000}, NULL);
}

/* `changed` is asked before the feed is read, so that a commit in between is not missed. */
static bool wait_for_page(page *p, int64_t ms, cv_err *err)
{
    cv_record *record = p->call->record;
    int64_t begin = cv_monotonic_ms(), passed = 0;
    uint64_t seen = 0;
    record->calls->changed(record, &seen);
    if (!read_page(p, err))
        return false;
    while (p->entries.count == 0 && (passed = cv_monotonic_ms() - begin) < ms) {
        if (!cv_call_tell(p->call, (size_t)(passed / 1000), (size_t)(ms / 1000), CV_STR("waiting for a commit"), err))
            return false;
        doze(ms - passed < LOOK_MS ? ms - passed : LOOK_MS);
        if (record->calls->changed(record, &seen)) {
            p->after = p->position;
            if (!read_page(p, err))
                return false;
        }
    }
    return true;
}

/* The newest ones: those behind a position that lies so far back. */
static bool find_last(page *p)
{
    cv_call *call = p->call;
    cv_err err = {.arena = call->arena};
    int64_t last = cv_json_get_int(call->input, "last", 0);
    if (last == 0)
        return true;
    if (p->after.p) {
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "last", CV_STR(""), "'last' and 'after' exclude each other");
        return false;
    }
    p->limit = (size_t)last;
    return call->record->calls->newest(call->record, call->arena, (size_t)last, &p->after, &err) ||
           cv_call_fail(call, &err);
}

static bool read_input(page *p)
{
    const cv_json *in = p->call->input;
    p->after = cv_json_get_text(in, "after");
    if (cv_str_eq(p->after, cv_feed_start))
        p->after = CV_STR("");
    p->limit = (size_t)cv_json_get_int(in, "limit", USUAL_PAGE);
    return cv_scopes_given(p->call, &p->scope) && find_last(p);
}

static bool read_people(page *p, cv_err *err)
{
    p->told = CV_NEW_ARRAY(p->call->arena, p->entries.count, told);
    for (size_t i = 0; i < p->entries.count; i++) {
        const cv_feed_entry *entry = &p->entries.items[i];
        p->told[i].entry = *entry;
        if (!cv_scopes_who(p->call, entry->scope, entry->rev, &p->told[i].who, err))
            return false;
    }
    return true;
}

/* A scope that has no commit may come to be one, or be misspelt. `follows`: the caller waits for what comes, and is
 * warned. */
static bool check_scope(page *p, bool follows, cv_err *err)
{
    cv_call *call = p->call;
    cv_err near = {.arena = call->arena};
    cv_scope_list all;
    if (!p->scope.name.p || p->entries.count || cv_scope_rev(call->record, call->arena, p->scope) > 0)
        return true;
    if (!cv_record_scopes(call->record, call->arena, p->scope.room, &all, err))
        return false;
    cv_str *names = CV_NEW_ARRAY(call->arena, all.count, cv_str);
    for (size_t i = 0; i < all.count; i++)
        names[i] = all.items[i].scope.name;
    cv_err *fault = follows ? &near : err;
    cv_err_set(fault, CV_ERR_SCOPE_NOT_FOUND, "nothing was committed yet in a scope '%.*s' of %.*s",
               CV_FMT(cv_excerpt(call->arena, p->scope.name)), CV_FMT(p->scope.room));
    cv_err_field(fault, CV_STR("scope"));
    cv_err_value(fault, p->scope.name);
    if (!cv_err_nearest(fault, p->scope.name, names, all.count) && !follows)
        cv_err_suggest(fault, CV_STR("to wait for it, give 'wait', or 'after' with a position"));
    if (follows)
        cv_notice_add(&p->warnings, call->arena, CV_STR("unknown_scope"), "%.*s", CV_FMT(cv_err_text(&near)))->field =
            CV_STR("scope");
    return follows;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* `cell` in so many columns, cut where it is longer. */
static void add_cell(cv_buf *out, cv_str cell, size_t columns, bool last)
{
    assert(columns > 0);
    cv_str fit = cv_plain_fit(cell, columns);
    if (fit.n < cell.n) {
        fit = cv_plain_fit(cell, columns - 1);
        cv_plain_add(out, fit);
        cv_buf_add_z(out, "…");
    } else {
        cv_plain_add(out, cell);
    }
    for (size_t used = cv_plain_width(fit) + (fit.n < cell.n); !last && used < columns + 1; used++)
        cv_buf_add_char(out, ' ');
}

/* ["muffin","scone"] as "muffin, scone". */
static cv_str joined(cv_arena *a, cv_str list)
{
    cv_json tree;
    cv_err never = {.arena = a};
    cv_buf out = {0};
    bool printed_here = cv_json_parse(a, list, &tree, &never);
    assert(printed_here && tree.type == CV_JSON_ARRAY);
    (void)printed_here;
    for (uint32_t i = 0; i < tree.count; i++) {
        cv_buf_add_z(&out, i ? ", " : "");
        cv_buf_add(&out, tree.items[i].text);
    }
    return cv_buf_take(&out, a);
}

/* time 19, room 8, scope 20, rev 4, operation 16, who 8: 80 columns with the gaps; "room verb" without its room. */
static void add_line(cv_buf *out, cv_arena *a, const cv_feed_entry *e, cv_str who)
{
    cv_str verb = e->operation, room = cv_arena_join(a, e->scope.room, CV_STR(" "));
    if (cv_str_starts(verb, room))
        verb = cv_str_from(verb, room.n);
    add_cell(out, cv_time_short(a, e->created_at), 19, false);
    add_cell(out, e->scope.room, 8, false);
    add_cell(out, e->scope.name, 20, false);
    add_cell(out, cv_arena_printf(a, "%4lld", (long long)e->rev), 4, false);
    add_cell(out, verb, 16, false);
    add_cell(out, joined(a, who), 8, true);
    while (out->n && out->p[out->n - 1] == ' ')
        out->n--;
    cv_buf_add_char(out, '\n');
}

static cv_str text_of(const page *p)
{
    cv_buf out = {0};
    cv_arena *a = p->call->arena;
    for (size_t i = 0; i < p->entries.count; i++)
        add_line(&out, a, &p->told[i].entry, p->told[i].who);
    if (p->entries.count == 0)
        cv_buf_add_z(&out, "nothing new\n");
    for (size_t i = 0; i < p->warnings.count; i++)
        cv_buf_printf(&out, "warning: %.*s\n", CV_FMT(p->warnings.items[i].message));
    cv_buf_printf(&out, "%s: --after %.*s\n", p->more ? "more" : "next", CV_FMT(p->position));
    return cv_buf_take(&out, a);
}

static void answer(page *p)
{
    if (p->position.n == 0)
        p->position = cv_feed_start;
    if (p->call->for_people)
        p->text = text_of(p);
    cv_shape_write(&(cv_json_writer){.out = p->call->out}, cv_feed_shape, p);
}

bool cv_project_feed(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    page p = {.call = call};
    if (!read_input(&p))
        return false;
    int64_t wait = cv_json_get_int(call->input, "wait", 0) * 1000;
    bool ok = p.limit == 0 ? read_end(&p, &err) : wait_for_page(&p, wait, &err);
    bool follows = wait > 0 || p.limit == 0 || cv_json_get(call->input, CV_STR("after"));
    if (!ok || !read_people(&p, &err) || !check_scope(&p, follows, &err))
        return cv_call_fail(call, &err);
    answer(&p);
    return true;
}
