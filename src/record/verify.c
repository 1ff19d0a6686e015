/* verify.c - does a scope agree with its own history? See verify.h. */
#include "record/verify.h"

#include <assert.h>

#include "base/json.h"
#include "base/map.h"
#include "record/hash.h"

/* What the last event about a row says. */
typedef struct {
    cv_str key;
    char expected[CV_HASH_DIGITS];
    int64_t event_seq, event_rev;
    bool seen; /* there is such a row */
} row_proof;

/* All rows of one type and one write that never change, or only all together. */
typedef struct {
    cv_str key; /* "line@3" */
    cv_hash found;
    char expected[CV_HASH_DIGITS];
    int64_t event_seq;   /* 0: no event covers them */
    int64_t replaced_by; /* the event that says that they were all put again; 0: none */
    size_t count;
} added_proof;

/* A write: what its last event says. */
typedef struct {
    char head[CV_HASH_DIGITS], commit[CV_HASH_DIGITS];
    int64_t event_seq; /* the event that covers the commit; 0: none does */
} write_proof;

typedef struct {
    char hash[CV_HASH_DIGITS];
    int64_t event_rev;
} redaction_proof;

#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

struct cv_scope_verifier {
    cv_record *record;
    cv_scope_id scope;
    const cv_room_verify *room;
    cv_arena arena;   /* lives as long as the scope is looked at */
    cv_arena scratch; /* … as one row */
    const cv_type *type;

    int64_t events, last_rev;
    char last_hash[CV_HASH_DIGITS];
    cv_str last_time;

    LIST(row_proof) rows;
    LIST(added_proof) added;
    LIST(write_proof) writes; /* by rev - 1 */
    LIST(redaction_proof) redactions;
    cv_map row_at, added_at, redacted_at; /* key -> index + 1 */
    int64_t commits;
};

bool cv_verify_disagree(const cv_scope_verifier *v, cv_str place, cv_err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(err->arena, format, args);
    va_end(args);
    cv_err_set(err, CV_ERR_VERIFY, "%.*s '%.*s': %.*s: %.*s", CV_FMT(v->scope.room), CV_FMT(v->scope.name),
               CV_FMT(place), CV_FMT(message));
    cv_err_value(err, place);
    cv_err_suggest(err, CV_STR("keep this copy, restore the last backup that verifies, and compare the two"));
    return false;
}

static cv_str number(cv_scope_verifier *v, int64_t n)
{
    return n == CV_ABSENT ? CV_STR("nothing") : cv_arena_printf(&v->scratch, "%lld", (long long)n);
}

/* ---- events -------------------------------------------------------------------------------------------------------
 */

static bool fail_event(cv_scope_verifier *v, const cv_event_row *event, cv_err *err, const char *what, cv_str expected,
                       cv_str found)
{
    return cv_verify_disagree(v, cv_row_name(&v->scratch, &cv_event_row_type, event), err,
                              "%s: expected %.*s, found %.*s", what, CV_FMT(expected), CV_FMT(found));
}

/* Every write leaves at least one event, all of its events have one time, and revs rise by one. */
static bool check_write(cv_scope_verifier *v, const cv_event_row *event, cv_err *err)
{
    bool same = v->events > 0 && event->rev == v->last_rev;
    if (!same && event->rev != v->last_rev + 1)
        return fail_event(
            v, event, err, "rev",
            cv_arena_printf(&v->scratch, "%lld or %lld", (long long)v->last_rev, (long long)v->last_rev + 1),
            number(v, event->rev));
    if (same && !cv_str_eq(event->created_at, v->last_time))
        return fail_event(v, event, err, "created_at, as the other events of its write", v->last_time,
                          event->created_at);
    if (!same) {
        *CV_PUSH(&v->arena, &v->writes) = (write_proof){0};
        v->last_time = cv_arena_copy(&v->arena, event->created_at);
    }
    return true;
}

static added_proof *added_by(cv_scope_verifier *v, cv_str type, int64_t rev)
{
    cv_str key = cv_arena_printf(&v->scratch, "%.*s@%lld", CV_FMT(type), (long long)rev);
    uintptr_t *at = cv_map_get(&v->added_at, key);
    if (!at) {
        added_proof *made = CV_PUSH(&v->arena, &v->added);
        *made = (added_proof){.key = cv_arena_copy(&v->arena, key)};
        cv_hash_begin(&made->found);
        at = cv_map_put(&v->added_at, &v->arena, made->key, NULL);
        *at = v->added.count;
    }
    return &v->added.items[*at - 1];
}

static void cover_row(cv_scope_verifier *v, const cv_event_row *event, cv_str key, cv_str digest)
{
    assert(digest.n == CV_HASH_DIGITS && event->rev == (int64_t)v->writes.count);
    uintptr_t *at = cv_map_get(&v->row_at, key);
    if (!at) {
        row_proof *made = CV_PUSH(&v->arena, &v->rows);
        *made = (row_proof){.key = cv_arena_copy(&v->arena, key)};
        at = cv_map_put(&v->row_at, &v->arena, made->key, NULL);
        *at = v->rows.count;
    }
    row_proof *proof = &v->rows.items[*at - 1];
    proof->event_seq = event->seq;
    proof->event_rev = event->rev;
    memcpy(proof->expected, digest.p, CV_HASH_DIGITS);
}

static bool cover_added(cv_scope_verifier *v, const cv_event_row *event, cv_str type, cv_str digest, cv_err *err)
{
    added_proof *added = added_by(v, type, event->rev);
    if (added->event_seq)
        return fail_event(v, event, err, "covers", CV_STR("one event that covers what a write added"),
                          cv_arena_printf(&v->scratch, "event %lld, too", (long long)added->event_seq));
    added->event_seq = event->seq;
    memcpy(added->expected, digest.p, CV_HASH_DIGITS);
    return true;
}

/* "seat/5": what write 5 put, and nobody has replaced since. */
static bool cover_replaced(cv_scope_verifier *v, const cv_event_row *event, cv_str group, cv_str digest, cv_err *err)
{
    char *key = cv_arena_copy_z(&v->scratch, group);
    char *slash = strchr(key, '/');
    if (slash)
        *slash = '@';
    const uintptr_t *at = cv_map_get(&v->added_at, cv_str_of(key));
    added_proof *added = at ? &v->added.items[*at - 1] : NULL;
    if (!added || added->replaced_by || memcmp(added->expected, digest.p, CV_HASH_DIGITS) != 0)
        return fail_event(v, event, err, "covers", CV_STR("rows that a write before it put"), group);
    added->replaced_by = event->seq;
    return true;
}

static void cover_redaction(cv_scope_verifier *v, const cv_event_row *event, cv_str key, cv_str hash)
{
    uintptr_t *at = cv_map_put(&v->redacted_at, &v->arena, cv_arena_copy(&v->arena, key), NULL);
    redaction_proof *proof = CV_PUSH(&v->arena, &v->redactions);
    proof->event_rev = event->rev;
    memcpy(proof->hash, hash.p, CV_HASH_DIGITS);
    *at = v->redactions.count;
}

static bool cover(cv_scope_verifier *v, const cv_event_row *event, const cv_json_member *m, cv_err *err)
{
    cv_str added = CV_STR("added/"), replaced = CV_STR("replaced/"), redacted = CV_STR("redacted/");
    cv_str digest = m->value.text;
    if (m->value.type != CV_JSON_STRING || digest.n != CV_HASH_DIGITS)
        return fail_event(v, event, err, "covers", CV_STR("a digest"), m->key);
    assert(v->writes.count > 0 && "check_write has seen the event");
    if (cv_str_eq(m->key, CV_STR("commit"))) {
        write_proof *write = &v->writes.items[v->writes.count - 1];
        memcpy(write->commit, digest.p, CV_HASH_DIGITS);
        write->event_seq = event->seq;
    } else if (cv_str_starts(m->key, added)) {
        return cover_added(v, event, cv_str_from(m->key, added.n), digest, err);
    } else if (cv_str_starts(m->key, replaced)) {
        return cover_replaced(v, event, cv_str_from(m->key, replaced.n), digest, err);
    } else if (cv_str_starts(m->key, redacted)) {
        cover_redaction(v, event, m->key, digest);
    } else {
        cover_row(v, event, m->key, digest);
    }
    return true;
}

static bool check_covers(cv_scope_verifier *v, const cv_event_row *event, cv_err *err)
{
    cv_json covers;
    cv_err broken = {.arena = &v->scratch};
    if (!cv_json_parse(&v->scratch, event->covers, &covers, &broken) || covers.type != CV_JSON_OBJECT)
        return fail_event(v, event, err, "covers", CV_STR("a JSON object"), CV_STR("other text"));
    for (uint32_t i = 0; i < covers.count; i++)
        if (!cover(v, event, &covers.members[i], err))
            return false;
    return true;
}

static bool check_event(cv_scope_verifier *v, const cv_event_row *event, cv_err *err)
{
    if (event->seq != v->events + 1)
        return fail_event(v, event, err, "seq", number(v, v->events + 1), number(v, event->seq));
    cv_str hash = cv_hash_event(&v->scratch, (cv_str){v->last_hash, CV_HASH_DIGITS}, event);
    if (!cv_str_eq(hash, event->hash))
        return fail_event(v, event, err, "hash of the event and the one before it", hash, event->hash);
    if (!check_write(v, event, err) || !check_covers(v, event, err))
        return false;
    memcpy(v->last_hash, hash.p, CV_HASH_DIGITS);
    memcpy(v->writes.items[v->writes.count - 1].head, hash.p, CV_HASH_DIGITS);
    v->last_rev = event->rev;
    v->events++;
    assert(v->last_rev == (int64_t)v->writes.count && v->events >= v->last_rev && "a write has an event or more");
    return !v->room || !v->room->event || v->room->event(v->room->ctx, v, event, err);
}

static bool see_event(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_scope_verifier *v = ctx;
    (void)scope;
    bool ok = check_event(v, row, err);
    cv_arena_reset(&v->scratch);
    return ok;
}

static bool check_position(cv_scope_verifier *v, const cv_scope_position *at, cv_err *err)
{
    cv_str place = CV_STR("position"), head = {v->last_hash, CV_HASH_DIGITS};
    if (at->event_count != v->events)
        return cv_verify_disagree(v, place, err, "event_count: expected %lld, found %lld events",
                                  (long long)at->event_count, (long long)v->events);
    if (!cv_str_eq(at->head, head))
        return cv_verify_disagree(v, place, err, "head: expected the last event's hash %.*s, found %.*s", CV_FMT(head),
                                  CV_FMT(at->head));
    if (at->rev != v->last_rev)
        return cv_verify_disagree(v, place, err, "rev: expected the last event's %lld, found %lld",
                                  (long long)v->last_rev, (long long)at->rev);
    return true;
}

/* ---- redacted texts -----------------------------------------------------------------------------------------------
 */

/* A text that stands for another needs an event that says so; one that is there although it was redacted, too. */
static bool check_redactions(cv_scope_verifier *v, const cv_type *type, const void *row, cv_err *err)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        cv_str text = cv_field_is_int(field) ? CV_STR("") : cv_row_text(row, field->offset), hash = {NULL, 0};
        bool redacted = cv_is_redacted(text, &hash);
        if (!redacted && (field->role != CV_LONG || !text.p || !v->redactions.count))
            continue;
        cv_str key = cv_redacted_name(&v->scratch, type, row, field);
        const uintptr_t *at = cv_map_get(&v->redacted_at, key);
        const redaction_proof *proof = at ? &v->redactions.items[*at - 1] : NULL;
        if (redacted && (field->role != CV_LONG || !proof || memcmp(proof->hash, hash.p, CV_HASH_DIGITS) != 0))
            return cv_verify_disagree(v, cv_row_name(&v->scratch, type, row), err,
                                      "%.*s: the text is redacted: expected an event that says so, found none",
                                      CV_FMT(field->name));
        if (!redacted && proof && proof->event_rev > cv_row_rev(row))
            return cv_verify_disagree(v, cv_row_name(&v->scratch, type, row), err,
                                      "%.*s: the text was redacted, but it is there again", CV_FMT(field->name));
    }
    return true;
}

/* ---- commits ------------------------------------------------------------------------------------------------------
 */

static bool check_commit(cv_scope_verifier *v, const cv_commit_row *row, cv_err *err)
{
    cv_str place = cv_arena_printf(&v->scratch, "commit/%lld", (long long)row->rev);
    if (row->rev != v->commits + 1)
        return cv_verify_disagree(v, place, err, "expected the commit of rev %lld, found that of rev %lld",
                                  (long long)v->commits + 1, (long long)row->rev);
    if (row->rev > (int64_t)v->writes.count)
        return cv_verify_disagree(v, place, err, "expected no commit after rev %zu, the last event's, found one",
                                  v->writes.count);
    const write_proof *write = &v->writes.items[row->rev - 1];
    cv_str digest = cv_hash_commit(&v->scratch, row);
    if (!write->event_seq)
        return cv_verify_disagree(v, place, err, "expected an event that covers the row, found none");
    if (memcmp(write->commit, digest.p, CV_HASH_DIGITS) != 0)
        return cv_verify_disagree(v, place, err,
                                  "the row was changed after event %lld: expected digest %.*s, found %.*s",
                                  (long long)write->event_seq, CV_HASH_DIGITS, write->commit, CV_FMT(digest));
    if (!cv_str_eq(row->head, (cv_str){write->head, CV_HASH_DIGITS}))
        return cv_verify_disagree(v, place, err, "head: expected the hash of its last event %.*s, found %.*s",
                                  CV_HASH_DIGITS, write->head, CV_FMT(row->head));
    v->commits++;
    return check_redactions(v, &cv_commit_row_type, row, err);
}

static bool see_commit(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_scope_verifier *v = ctx;
    (void)scope;
    bool ok = check_commit(v, row, err);
    cv_arena_reset(&v->scratch);
    return ok;
}

static bool check_commits(cv_scope_verifier *v, cv_err *err)
{
    if (v->commits == (int64_t)v->writes.count)
        return true;
    return cv_verify_disagree(v, CV_STR("commits"), err, "expected one for each of %zu writes, found %lld",
                              v->writes.count, (long long)v->commits);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

static bool check_changing(cv_scope_verifier *v, const void *row, cv_err *err)
{
    cv_str key = cv_row_name(&v->scratch, v->type, row), digest = cv_hash_one(&v->scratch, v->type, row);
    uintptr_t *at = cv_map_get(&v->row_at, key);
    row_proof *p = at ? &v->rows.items[*at - 1] : NULL;
    if (!p)
        return cv_verify_disagree(v, key, err, "expected an event that covers the row, found none");
    if (memcmp(p->expected, digest.p, CV_HASH_DIGITS) != 0)
        return cv_verify_disagree(v, key, err, "the row was changed after event %lld: expected digest %.*s, found %.*s",
                                  (long long)p->event_seq, CV_HASH_DIGITS, p->expected, CV_FMT(digest));
    if (cv_row_rev(row) != p->event_rev)
        return cv_verify_disagree(v, key, err, "rev: expected %lld as event %lld has, found %lld",
                                  (long long)p->event_rev, (long long)p->event_seq, (long long)cv_row_rev(row));
    p->seen = true;
    return true;
}

static bool see_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_scope_verifier *v = ctx;
    assert(v->type->life != CV_VOLATILE);
    (void)scope;
    bool ok = true;
    if (v->type->life == CV_REPLACED) {
        ok = check_changing(v, row, err);
    } else if (v->type != &cv_event_row_type) {
        added_proof *added = added_by(v, v->type->name, cv_row_rev(row));
        cv_hash_row(&added->found, v->type, row);
        added->count++;
    }
    ok = ok && check_redactions(v, v->type, row, err);
    if (ok && v->type != &cv_event_row_type && v->room && v->room->row)
        ok = v->room->row(v->room->ctx, v, v->type, row, err);
    cv_arena_reset(&v->scratch);
    return ok;
}

/* Every row that an event covers is there. */
static bool check_missing(cv_scope_verifier *v, cv_err *err)
{
    for (size_t i = 0; i < v->rows.count; i++)
        if (!v->rows.items[i].seen)
            return cv_verify_disagree(v, v->rows.items[i].key, err, "event %lld covers it: expected a row, found none",
                                      (long long)v->rows.items[i].event_seq);
    return true;
}

static bool check_added(cv_scope_verifier *v, cv_err *err)
{
    for (size_t i = 0; i < v->added.count; i++) {
        added_proof *p = &v->added.items[i];
        if (!p->event_seq)
            return cv_verify_disagree(v, p->key, err, "expected an event that covers %zu added rows, found none",
                                      p->count);
        if (p->replaced_by && p->count == 0)
            continue;
        if (p->replaced_by)
            return cv_verify_disagree(v, p->key, err, "event %lld says that its rows were replaced: found %zu of them",
                                      (long long)p->replaced_by, p->count);
        cv_str found = cv_hash_end(&p->found, &v->scratch);
        if (memcmp(found.p, p->expected, CV_HASH_DIGITS) != 0)
            return cv_verify_disagree(v, p->key, err,
                                      "%zu rows; one of them was changed, added or removed after event %lld: "
                                      "expected digest %.*s, found %.*s",
                                      p->count, (long long)p->event_seq, CV_HASH_DIGITS, p->expected, CV_FMT(found));
    }
    return true;
}

/* ---- the whole scope ----------------------------------------------------------------------------------------------
 */

static bool each(cv_scope_verifier *v, const cv_type *type, const cv_index *index, cv_row_visit visit, cv_err *err)
{
    const cv_find find = {.type = type, .index = index, .scope = v->scope, .flat = true};
    v->type = type;
    return v->record->calls->find(v->record, &find, visit, v, err);
}

static bool each_type(cv_scope_verifier *v, cv_err *err)
{
    const cv_room_types *room = cv_types_of(v->record->types, v->scope.room);
    for (size_t i = 0; room && i < room->count; i++)
        if (room->types[i]->life != CV_VOLATILE && !each(v, room->types[i], NULL, see_row, err))
            return false;
    /* Again, now that all redactions are known: an event may be redacted by a later one. */
    return each(v, &cv_event_row_type, NULL, see_row, err);
}

bool cv_scope_verify(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_room_verify *room,
                     cv_scope_position *ret_at, cv_err *err)
{
    cv_scope_verifier v = {.record = record, .scope = scope, .room = room};
    cv_scope_position at;
    if (!record->calls->begin(record, a, scope, &at, err))
        return false;
    cv_str start = cv_hash_scope(&v.arena, scope.room, scope.name);
    memcpy(v.last_hash, start.p, CV_HASH_DIGITS);
    bool ok = at.rev > 0 || cv_verify_disagree(&v, CV_STR("scope"), err, "expected a scope, found none");
    ok = ok && each(&v, &cv_event_row_type, NULL, see_event, err)             /* the chain             */
         && check_position(&v, &at, err)                                      /* … and its end         */
         && each_type(&v, err)                                                /* rows as events say    */
         && check_missing(&v, err)                                            /* … all of them         */
         && check_added(&v, err)                                              /* … and no others       */
         && each(&v, &cv_commit_row_type, cv_commits_by_rev, see_commit, err) /* one for every write   */
         && check_commits(&v, err)                                            /* … and no others       */
         && (!room || !room->end || room->end(room->ctx, &v, err));           /* what the events imply */
    record->calls->end(record);
    if (ok)
        *ret_at = at;
    cv_arena_release(&v.scratch);
    cv_arena_release(&v.arena);
    return ok;
}
