/* verify_events.c - the chain of events and the position at its end; see verifier.h. */
#include "dialogue/verify/verifier.h"

static bool fail_event(cv_verify *v, const cv_rec_event *event, cv_err *err, const char *what, cv_str expected,
                       cv_str found)
{
    return cv_verify_fail(v, cv_arena_printf(&v->scratch, "event/%lld", (long long)event->event_seq), err,
                          "%s: expected %.*s, found %.*s", what, CV_FMT(expected), CV_FMT(found));
}

static cv_str number(cv_verify *v, int64_t n)
{
    return n == CV_ABSENT ? CV_STR("nothing") : cv_arena_printf(&v->scratch, "%lld", (long long)n);
}

/* Every write leaves at least one event, all of its events have one time, and revs rise by one. */
static bool check_write(cv_verify *v, const cv_rec_event *event, cv_err *err)
{
    cv_str last_time = {v->last_time, v->events ? CV_TIME_LEN : 0};
    bool same = v->events > 0 && event->rev == v->last_rev;
    if (!same && event->rev != v->last_rev + 1)
        return fail_event(
            v, event, err, "rev",
            cv_arena_printf(&v->scratch, "%lld or %lld", (long long)v->last_rev, (long long)v->last_rev + 1),
            number(v, event->rev));
    if (same && event->created_at.n == CV_TIME_LEN && !cv_str_eq(event->created_at, last_time))
        return fail_event(v, event, err, "created_at, as the other events of its write", last_time, event->created_at);
    return true;
}

bool cv_verify_event(cv_verify *v, const cv_rec_event *event, cv_err *err)
{
    cv_str before = v->events ? (cv_str){v->last_hash, CV_HASH_LEN} : cv_chain_root(&v->scratch, v->id);
    if (event->event_seq != v->events + 1)
        return fail_event(v, event, err, "event_seq", number(v, v->events + 1), number(v, event->event_seq));
    cv_str hash = cv_event_hash(&v->scratch, before, event);
    if (!cv_str_eq(hash, event->hash))
        return fail_event(v, event, err,
                          v->events ? "hash of the event and the one before it"
                                    : "hash of the event and the dialogue's id",
                          hash, event->hash);
    if (!check_write(v, event, err) || !cv_verify_covers(v, event, err))
        return false;
    cv_place_fold(v->folded, event);
    memcpy(v->last_hash, hash.p, CV_HASH_LEN);
    if (event->created_at.n == CV_TIME_LEN)
        memcpy(v->last_time, event->created_at.p, CV_TIME_LEN);
    v->last_rev = event->rev;
    v->events++;
    return true;
}

bool cv_verify_position(cv_verify *v, const cv_position *position, cv_err *err)
{
    cv_str head = {v->last_hash, v->events ? CV_HASH_LEN : 0}, place = CV_STR("position");
    if (position->event_count != v->events)
        return cv_verify_fail(v, place, err, "event_count: expected %lld, found %lld events",
                              (long long)position->event_count, (long long)v->events);
    if (!cv_str_eq(position->head, head))
        return cv_verify_fail(v, place, err, "head: expected the last event's hash %.*s, found %.*s", CV_FMT(head),
                              CV_FMT(position->head));
    if (position->rev != v->last_rev)
        return cv_verify_fail(v, place, err, "rev: expected the last event's %lld, found %lld", (long long)v->last_rev,
                              (long long)position->rev);
    return true;
}
