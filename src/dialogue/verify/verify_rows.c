/* verify_rows.c - every row against the digest that vouches for it; see verifier.h. */
#include "dialogue/verify/verifier.h"

static cv_str digest_of(cv_verify *v, cv_rec_kind kind, const void *row)
{
    cv_digest *digest = cv_digest_begin(&v->scratch);
    cv_digest_row(digest, kind, row);
    return cv_digest_end(digest);
}

/* The rows added by the write `rev`, made when it is new. */
static cv_added_proof *added_by(cv_verify *v, int64_t rev)
{
    cv_str key = cv_arena_printf(&v->scratch, "%lld", (long long)rev);
    uintptr_t *at = cv_map_get(&v->added_at, key);
    if (!at) {
        cv_added_proof *made = CV_PUSH(&v->arena, &v->added);
        *made = (cv_added_proof){.rev = rev, .digest = cv_digest_begin(&v->arena)};
        at = cv_map_put(&v->added_at, &v->arena, cv_arena_copy(&v->arena, key), NULL);
        *at = v->added.count;
    }
    return &v->added.items[*at - 1];
}

void cv_verify_row(cv_verify *v, cv_rec_kind kind, const void *row)
{
    int64_t rev;
    memcpy(&rev, row, sizeof rev); /* the first member of every row */
    if (cv_rec_is_fixed(kind)) {
        cv_added_proof *added = added_by(v, rev);
        cv_digest_row(added->digest, kind, row);
        added->counts[kind]++;
        return;
    }
    cv_row_proof *proof = CV_PUSH(&v->arena, &v->rows);
    *proof = (cv_row_proof){.key = cv_arena_copy(&v->arena, cv_row_key(&v->scratch, kind, row)), .rev = rev};
    memcpy(proof->digest, digest_of(v, kind, row).p, CV_HASH_LEN);
    *cv_map_put(&v->row_at, &v->arena, proof->key, NULL) = v->rows.count;
}

/* ---- what an event vouches for ----------------------------------------------------------------------------------- */

static cv_str event_place(cv_arena *a, const cv_rec_event *event)
{
    return cv_arena_printf(a, "event/%lld", (long long)event->event_seq);
}

static bool cover_row(cv_verify *v, const cv_rec_event *event, const cv_json_member *m, cv_err *err)
{
    const uintptr_t *at = cv_map_get(&v->row_at, m->key);
    if (!at)
        return cv_verify_fail(v, m->key, err, "event %lld vouches for it: expected a row, found none",
                              (long long)event->event_seq);
    cv_row_proof *proof = &v->rows.items[*at - 1];
    proof->event_seq = event->event_seq;
    proof->event_rev = event->rev;
    memcpy(proof->expected, m->value.text.p, CV_HASH_LEN);
    return true;
}

static bool cover_added(cv_verify *v, const cv_rec_event *event, const cv_json_member *m, cv_err *err)
{
    cv_added_proof *added = added_by(v, event->rev);
    if (added->event_seq)
        return cv_verify_fail(v, event_place(&v->scratch, event), err,
                              "expected one event that vouches for what rev %lld added, found event %lld, too",
                              (long long)event->rev, (long long)added->event_seq);
    added->event_seq = event->event_seq;
    memcpy(added->expected, m->value.text.p, CV_HASH_LEN);
    return true;
}

bool cv_verify_covers(cv_verify *v, const cv_rec_event *event, cv_err *err)
{
    cv_json covers;
    cv_err broken = {.arena = &v->scratch};
    if (!event->covers.n)
        return true;
    if (!cv_json_parse(&v->scratch, event->covers, &covers, &broken) || covers.type != CV_JSON_OBJECT)
        return cv_verify_fail(v, event_place(&v->scratch, event), err,
                              "covers: expected a JSON object, found other text");
    for (uint32_t i = 0; i < covers.count; i++) {
        const cv_json_member *m = &covers.members[i];
        bool added = cv_str_eq(m->key, CV_STR("added")), op = cv_str_eq(m->key, CV_STR("op"));
        if (m->value.type != CV_JSON_STRING || m->value.text.n != CV_HASH_LEN)
            return cv_verify_fail(v, event_place(&v->scratch, event), err, "covers: expected a digest of %.*s",
                                  CV_FMT(m->key));
        if (op      ? !cv_verify_cover_op(v, event, m->value.text, err)
            : added ? !cover_added(v, event, m, err)
                    : !cover_row(v, event, m, err))
            return false;
    }
    return true;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

bool cv_verify_rows(cv_verify *v, cv_err *err)
{
    for (size_t i = 0; i < v->rows.count; i++) {
        const cv_row_proof *p = &v->rows.items[i];
        if (!p->event_seq)
            return cv_verify_fail(v, p->key, err, "expected an event that vouches for the row, found none");
        if (memcmp(p->digest, p->expected, CV_HASH_LEN) != 0)
            return cv_verify_fail(v, p->key, err,
                                  "the row was changed behind event %lld: expected digest %.*s, found %.*s",
                                  (long long)p->event_seq, CV_HASH_LEN, p->expected, CV_HASH_LEN, p->digest);
        if (p->rev != p->event_rev)
            return cv_verify_fail(v, p->key, err, "rev: expected %lld as event %lld has, found %lld",
                                  (long long)p->event_rev, (long long)p->event_seq, (long long)p->rev);
    }
    return true;
}

/* "rev 3 added 2 seat, 5 response" */
static cv_str describe(cv_verify *v, const cv_added_proof *p)
{
    cv_str text = cv_arena_printf(&v->scratch, "rev %lld added", (long long)p->rev);
    bool any = false;
    for (int kind = 0; kind < CV_REC_COUNT; kind++) {
        if (p->counts[kind] == 0)
            continue;
        text = cv_arena_printf(&v->scratch, "%.*s%s %zu %.*s", CV_FMT(text), any ? "," : "", p->counts[kind],
                               CV_FMT(cv_rec_types[kind].name));
        any = true;
    }
    return any ? text : cv_arena_printf(&v->scratch, "%.*s nothing", CV_FMT(text));
}

bool cv_verify_added(cv_verify *v, cv_err *err)
{
    for (size_t i = 0; i < v->added.count; i++) {
        const cv_added_proof *p = &v->added.items[i];
        cv_str place = cv_arena_printf(&v->scratch, "rev/%lld", (long long)p->rev), what = describe(v, p);
        if (!p->event_seq)
            return cv_verify_fail(v, place, err, "%.*s: expected an event that vouches for them, found none",
                                  CV_FMT(what));
        cv_str found = cv_digest_end(p->digest);
        if (memcmp(found.p, p->expected, CV_HASH_LEN) != 0)
            return cv_verify_fail(v, place, err,
                                  "%.*s; one of them was changed, added or removed behind event %lld: "
                                  "expected digest %.*s, found %.*s",
                                  CV_FMT(what), (long long)p->event_seq, CV_HASH_LEN, p->expected, CV_FMT(found));
    }
    return true;
}
