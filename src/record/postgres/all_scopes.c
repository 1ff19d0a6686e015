/* all_scopes.c - what is read across scopes: their names, the feed, its readers, what was seen of them.
 *
 *     position     "1.4711.3-9f86d081884c": era, transaction, rev, and the beginning of the commit's head, by which
 *                  another store's is known
 *
 * A commit is in the feed when all transactions with a smaller number have ended: nothing can come before it any more.
 * So readers that begin at any time see each commit once, in the same order. A transaction that somebody leaves open
 * delays the feed of all; `conclave doctor` names it.
 */
#include <assert.h>
#include <stdio.h>

#include "record/postgres/engine.h"

/* ---- scopes -------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_str room;
    cv_scope_visit visit;
    void *ctx;
} naming;

static bool see_scope(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const naming *n = ctx;
    const cv_scope_position at = {.rev = cv_postgres_column_int(row, 1),
                                  .head = cv_postgres_column(row, 2),
                                  .event_count = cv_postgres_column_int(row, 3)};
    return n->visit(n->ctx, (cv_scope_id){n->room, cv_postgres_column(row, 0)}, &at, err);
}

bool cv_postgres_scopes(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                        cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    naming n = {room, visit, ctx};
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "list the scopes", "scopes");
    cv_postgres_text(st, room);
    cv_postgres_text(st, after.p ? after : CV_STR(""));
    cv_postgres_limit(st, limit);
    cv_postgres_stream(st, see_scope, &n);
    bool ok = cv_postgres_read(r, &batch, err);
    cv_arena_release(&scratch);
    return ok;
}

/* ---- the feed -----------------------------------------------------------------------------------------------------
 */

enum { HEAD_DIGITS = 12, POSITION_BYTES = 3 * 21 + HEAD_DIGITS + 1 };

typedef struct {
    int64_t era, rev;
    cv_str xid; /* its digits */
} place;

static cv_str print_position(char to[POSITION_BYTES], const place *at, cv_str head)
{
    head = cv_str_head(head, HEAD_DIGITS);
    int n = snprintf(to, POSITION_BYTES, "%lld.%.*s.%lld-%.*s", (long long)at->era, CV_FMT(at->xid), (long long)at->rev,
                     CV_FMT(head));
    return (cv_str){to, (size_t)n};
}

static bool bad_position(cv_str position, cv_err *err)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the position '%.*s' is not one of this record's feed",
               CV_FMT(cv_str_head(position, 60)));
    cv_err_field(err, CV_STR("after"));
    cv_err_suggest(err, CV_STR("read the feed again from its beginning"));
    return false;
}

/* Digits up to `stop`; false: it is something else, or more than a number has. */
static bool take_digits(cv_str *rest, char stop, cv_str *ret_digits)
{
    size_t n = 0;
    while (n < rest->n && cv_is_digit(rest->p[n]))
        n++;
    if (n == 0 || n > 18 || n == rest->n || rest->p[n] != stop)
        return false;
    *ret_digits = cv_str_head(*rest, n);
    *rest = cv_str_from(*rest, n + 1);
    return true;
}

static int64_t number_of(cv_str digits)
{
    int64_t number = 0;
    for (size_t i = 0; i < digits.n; i++)
        number = number * 10 + (digits.p[i] - '0');
    return number;
}

static bool parse_position(cv_str position, place *ret)
{
    cv_str rest = position, era, rev;
    if (!take_digits(&rest, '.', &era) || !take_digits(&rest, '.', &ret->xid) || !take_digits(&rest, '-', &rev))
        return false;
    ret->era = number_of(era);
    ret->rev = number_of(rev);
    return true;
}

typedef struct {
    cv_feed_visit visit;
    void *ctx;
    cv_str after; /* the position that it begins behind */
    place from;
    bool is_known; /* it is a commit of this record */
} feeding;

/* The commit at the position; its head must begin as the position says. */
static bool see_from(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    feeding *f = ctx;
    char expected[POSITION_BYTES];
    (void)err;
    f->is_known |= cv_str_eq(print_position(expected, &f->from, cv_postgres_column(row, 0)), f->after);
    return true;
}

static place place_of(const cv_postgres_row *row)
{
    return (place){cv_postgres_column_int(row, 0), cv_postgres_column_int(row, 2), cv_postgres_column(row, 1)};
}

static bool see_commit(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const feeding *f = ctx;
    const place at = place_of(row);
    char position[POSITION_BYTES];
    if (!f->is_known)
        return bad_position(f->after, err);
    const cv_feed_entry entry = {.position = print_position(position, &at, cv_postgres_column(row, 3)),
                                 .scope = {cv_postgres_column(row, 4), cv_postgres_column(row, 5)},
                                 .rev = at.rev,
                                 .op_id = cv_postgres_column(row, 6),
                                 .operation = cv_postgres_column(row, 7),
                                 .created_at = cv_postgres_column(row, 8),
                                 .head = cv_postgres_column(row, 3)};
    return f->visit(f->ctx, &entry, err);
}

static void add_place(cv_postgres_statement *st, const place *at)
{
    cv_postgres_int(st, at->era);
    cv_postgres_text(st, at->xid);
    cv_postgres_int(st, at->rev);
}

bool cv_postgres_feed(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    feeding f = {visit, ctx, after, {0, 0, CV_STR("0")}, after.n == 0};
    if (after.n > 0 && !parse_position(after, &f.from))
        return bad_position(after, err);
    if (after.n > 0) {
        cv_postgres_statement *st = cv_postgres_ask(r, &batch, "read the feed", "feed_at");
        add_place(st, &f.from);
        cv_postgres_rows(st, see_from, &f);
    }
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "read the feed", "feed");
    add_place(st, &f.from);
    cv_postgres_limit(st, limit);
    if (limit)
        cv_postgres_rows(st, see_commit, &f);
    else
        cv_postgres_stream(st, see_commit, &f);
    bool ok = cv_postgres_read(r, &batch, err) && (f.is_known || bad_position(after, err));
    cv_arena_release(&scratch);
    return ok;
}

typedef struct {
    cv_arena *arena;
    cv_str position;
    cv_commit commit;
    size_t back; /* so many before the newest */
} last;

static bool see_last(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    last *l = ctx;
    char position[POSITION_BYTES];
    const place at = place_of(row);
    cv_str head = cv_postgres_column(row, 3);
    (void)err;
    if (l->arena)
        l->position = cv_arena_copy(l->arena, print_position(position, &at, head));
    if (head.n == CV_HASH_DIGITS)
        memcpy(l->commit.head, head.p, CV_HASH_DIGITS);
    return true;
}

static bool see_number(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    last *l = ctx;
    (void)err;
    l->commit.number = cv_postgres_column_int(row, 0);
    return true;
}

static bool ask_last(cv_postgres_record *r, last *l, bool counted, cv_err *err)
{
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    bool alone = counted && !r->open && !r->still; /* both are of one moment */
    if (alone)
        cv_postgres_ask(r, &batch, "begin to read", "begin_read");
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "read the feed", "feed_last");
    cv_postgres_int(st, l->back > INT64_MAX ? INT64_MAX : (int64_t)l->back);
    cv_postgres_rows(st, see_last, l);
    if (counted)
        cv_postgres_rows(cv_postgres_ask(r, &batch, "count the commits", "feed_count"), see_number, l);
    bool ok = cv_postgres_read(r, &batch, err);
    if (alone)
        cv_postgres_rollback(r->c);
    cv_arena_release(&scratch);
    return ok;
}

bool cv_postgres_newest(cv_record *record, cv_arena *a, size_t back, cv_str *ret_position, cv_err *err)
{
    last l = {.arena = a, .position = CV_STR(""), .back = back};
    bool ok = ask_last((cv_postgres_record *)record, &l, false, err);
    *ret_position = l.position;
    return ok;
}

bool cv_postgres_last_commit(cv_record *record, cv_commit *ret_commit, cv_err *err)
{
    last l = {0};
    memset(l.commit.head, '0', CV_HASH_DIGITS);
    bool ok = ask_last((cv_postgres_record *)record, &l, true, err);
    *ret_commit = l.commit;
    return ok;
}

/* ---- readers of the feed ------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *arena;
    cv_str position;
} reader;

static bool see_reader(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    reader *at = ctx;
    (void)err;
    at->position = cv_arena_copy(at->arena, cv_postgres_column(row, 0));
    return true;
}

bool cv_postgres_reader_at(cv_record *record, cv_arena *a, cv_str name, cv_str *ret_position, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    reader at = {a, CV_STR("")};
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "read the position of the feed", "reader");
    cv_postgres_text(st, name);
    cv_postgres_rows(st, see_reader, &at);
    bool ok = cv_postgres_read(r, &batch, err);
    *ret_position = at.position;
    cv_arena_release(&scratch);
    return ok;
}

bool cv_postgres_reader_move(cv_record *record, cv_str name, cv_str from, cv_str to, bool *ret_moved, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    cv_postgres_statement *st =
        cv_postgres_ask(r, &batch, "store the position of the feed", from.n ? "reader_move" : "reader_add");
    cv_postgres_text(st, name);
    cv_postgres_text(st, from.p ? from : CV_STR(""));
    cv_postgres_text(st, to);
    bool ok = cv_postgres_read(r, &batch, err);
    *ret_moved = ok && st->changed == 1;
    cv_arena_release(&scratch);
    return ok;
}

/* ---- what was seen ------------------------------------------------------------------------------------------------
 */

static bool see_missing(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)ctx;
    cv_str room = cv_postgres_column(row, 2), name = cv_postgres_column(row, 3);
    if (name.p)
        cv_err_set(err, CV_ERR_REGRESSED,
                   "the record has lost writes: rev %lld of the %.*s '%.*s' was seen, now it is at %lld",
                   (long long)cv_postgres_column_int(row, 1), CV_FMT(room), CV_FMT(name),
                   (long long)cv_postgres_column_int(row, 4));
    else
        cv_err_set(err, CV_ERR_REGRESSED,
                   "the record has lost writes: rev %lld was seen of something that no longer exists",
                   (long long)cv_postgres_column_int(row, 1));
    return false;
}

void cv_postgres_advise_regressed(cv_postgres_record *r, cv_err *err)
{
    cv_err ignored = {.arena = err->arena};
    cv_commit end = {0};
    assert(!r->open && err->code == CV_ERR_REGRESSED);
    if (!cv_postgres_last_commit(&r->base, &end, &ignored))
        return;
    cv_err_suggest(err,
                   cv_arena_printf(err->arena,
                                   "an older standby took over, or a backup was put back: make the server with the "
                                   "newer record the primary again; or continue with what is left: 'conclave accept "
                                   "--commit %lld'",
                                   (long long)end.number));
}

/* One mark, as the columns of a list. */
typedef struct {
    cv_str key, head;
    int64_t rev;
} mark;

/* So many are asked about at once. */
enum { COMPARED = 1000 };

static bool compare(cv_postgres_record *r, const cv_known_rev *const *list, size_t count, cv_err *err)
{
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    mark *marks = CV_NEW_ARRAY(&scratch, count, mark);
    for (size_t i = 0; i < count; i++)
        marks[i] = (mark){{list[i]->key, CV_KNOWN_REV_KEY_DIGITS}, {list[i]->head, CV_HASH_DIGITS}, list[i]->rev};
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "compare what was seen", "seen_missing");
    cv_postgres_texts(st, marks, count, sizeof *marks, offsetof(mark, key));
    cv_postgres_ints(st, marks, count, sizeof *marks, offsetof(mark, rev));
    cv_postgres_texts(st, marks, count, sizeof *marks, offsetof(mark, head));
    cv_postgres_rows(st, see_missing, NULL);
    bool ok = cv_postgres_read(r, &batch, err);
    cv_arena_release(&scratch);
    return ok;
}

/* A server that has less lacks what came last: the latest marks are compared, and each scope when it is used. A server
 * cannot lose anything while a connection stands: it is asked once for each. A pooler's connection may go to another
 * server at any time, which the comparison of every scope finds out. */
bool cv_postgres_compare_latest(cv_postgres_record *r, cv_err *err)
{
    cv_arena scratch = {0};
    uint64_t connection = r->c->costs.connects;
    size_t count = r->seen.marks.count < COMPARED ? r->seen.marks.count : COMPARED;
    bool ok = count == 0 || r->compared == connection || compare(r, cv_known_revs_list(&r->seen, &scratch), count, err);
    r->compared = ok ? connection : 0;
    cv_arena_release(&scratch);
    return ok;
}

bool cv_postgres_compare_all(cv_postgres_record *r, cv_err *err)
{
    cv_arena scratch = {0};
    const cv_known_rev **list = cv_known_revs_list(&r->seen, &scratch);
    size_t count = r->seen.marks.count;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i += COMPARED)
        ok = compare(r, list + i, count - i < COMPARED ? count - i : COMPARED, err);
    cv_arena_release(&scratch);
    return ok;
}

bool cv_postgres_acknowledged(cv_record *record, cv_arena *a, cv_watermark_state *ret_state, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    (void)a;
    *ret_state = CV_WATERMARK_UNREADABLE;
    if (!cv_known_revs_refresh(&r->seen, err))
        return false;
    *ret_state = r->seen.fd < 0 ? CV_WATERMARK_MISSING : CV_WATERMARK_THERE;
    if (cv_postgres_ready(r->c, err) == CV_POSTGRES_OK && cv_postgres_compare_latest(r, err))
        return true;
    if (err->code == CV_ERR_REGRESSED) {
        r->told = r->c->costs.connects;
        cv_postgres_advise_regressed(r, err);
    }
    return false;
}

bool cv_postgres_accept(cv_record *record, cv_arena *a, cv_commit *ret_commit, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    (void)a;
    r->told = 0;
    return cv_postgres_last_commit(record, ret_commit, err) && cv_known_revs_forget(&r->seen, err);
}
