/* doctor_store.c - what the store says about itself: does it open, is it whole, does it agree with its history; see
 * doctor.h. */
#include "project/doctor.h"

#include "kit/destination.h"
#include "kit/scopes.h"
#include "record/seal.h"

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* The ways out of trouble with a file that the engine's own advice does not know. */
static const struct {
    cv_err_code code;
    const char *remedy;
} ways_out[] = {
    {CV_ERR_CORRUPT,
     "put the last backup back with 'conclave restore FILE', which keeps the damaged record and its log; "
     "without one, 'sqlite3 conclave.db .recover' saves what is left"},
    {CV_ERR_BUSY, "find the process that holds it ('fuser -v .conclave/conclave.db'), wait until it ends, and try "
                  "again; nothing is lost"},
};

static void add_way_out(const cv_doctor *d, cv_doctor_finding *f, const cv_err *err)
{
    for (size_t i = 0; i < CV_COUNT(ways_out) && d->store.address.n == 0; i++)
        if (ways_out[i].code == err->code)
            f->remedy = cv_str_of(ways_out[i].remedy);
}

bool cv_doctor_open(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    cv_record_about about;
    if (!d->call.record &&
        !cv_store_open(d->call.arena, &d->store, CV_RECORD_EXISTING, &cv_program_types, &d->call.record, &err)) {
        add_way_out(d, cv_doctor_fail(d, "engine", CV_DOCTOR_ERROR, &err), &err);
        cv_doctor_say(d, "engine", CV_DOCTOR_NOTE, "the %.*s and their files cannot be checked",
                      CV_FMT(cv_scopes_nouns(d->call.arena)));
        return false;
    }
    assert(d->call.record);
    d->call.record->calls->about(d->call.record, d->call.arena, &about);
    cv_doctor_say(d, "engine", CV_DOCTOR_OK, "%.*s, schema %lld, conclave %s", CV_FMT(about.engine),
                  (long long)about.schema, CV_VERSION);
    return true;
}

/* ---- the place where it is kept --------------------------------------------------------------------------------- */

_Static_assert((int)CV_EXAMINED_OK == CV_DOCTOR_OK && (int)CV_EXAMINED_NOTE == CV_DOCTOR_NOTE &&
                   (int)CV_EXAMINED_WARNING == CV_DOCTOR_WARNING && (int)CV_EXAMINED_ERROR == CV_DOCTOR_ERROR,
               "the levels of an engine are those of the doctor");

static void say_examined(void *ctx, const cv_examined *found)
{
    cv_doctor_say(ctx, found->check, (cv_doctor_level)found->level, "%.*s", CV_FMT(found->message))->remedy =
        found->remedy;
}

void cv_doctor_server(cv_doctor *d)
{
    const cv_record_calls *calls = d->call.record->calls;
    if (calls->examine)
        calls->examine(d->call.record, d->call.arena, say_examined, d);
}

/* ---- whole and true --------------------------------------------------------------------------------------------- */

void cv_doctor_integrity(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    if (d->call.record->calls->check(d->call.record, d->call.arena, &err))
        cv_doctor_say(d, "integrity", CV_DOCTOR_OK,
                      d->store.address.n ? "the tables are as they should be, and no commit is missing"
                                         : "no page of the database is damaged");
    else
        add_way_out(d, cv_doctor_fail(d, "integrity", CV_DOCTOR_ERROR, &err), &err);
}

/* Has the record all that was acknowledged? */
void cv_doctor_watermark(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    cv_watermark_state state;
    if (!d->call.record->calls->acknowledged(d->call.record, d->call.arena, &state, &err))
        cv_doctor_fail(d, "watermark", CV_DOCTOR_ERROR, &err);
    else if (state == CV_WATERMARK_MISSING)
        cv_doctor_say(d, "watermark", CV_DOCTOR_NOTE, "the record has no watermark, which names the last commit")
            ->remedy =
            CV_STR("compare the record with your last seal ('conclave verify --seal FILE'); the next write makes the "
                   "watermark");
    else
        cv_doctor_say(d, "watermark", CV_DOCTOR_OK,
                      d->store.address.n ? "the record has everything that this project has seen"
                                         : "the record has the last acknowledged commit");
}

typedef struct {
    cv_doctor *d;
    cv_scopes_tally whole;
} verifying;

static bool verify_next(void *ctx, cv_scope_id scope, cv_err *unused)
{
    verifying *v = ctx;
    cv_scope_position position;
    cv_err err = {.arena = v->d->call.arena};
    (void)unused;
    if (cv_scopes_verify(v->d->call.record, v->d->call.arena, scope, &position, &err)) {
        cv_scopes_count(&v->whole, v->d->call.arena, scope.room);
        return true;
    }
    cv_doctor_finding *f = cv_doctor_fail(v->d, "history", CV_DOCTOR_ERROR, &err);
    add_way_out(v->d, f, &err);
    f->what = scope.name;
    return true;
}

void cv_doctor_history(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    verifying v = {.d = d};
    size_t before = d->findings.count;
    cv_seal last;
    if (!cv_scopes_each(&d->call, CV_STR(""), verify_next, &v, &err) ||
        !cv_seal_record(d->call.record, NULL, &last, &err))
        add_way_out(d, cv_doctor_fail(d, "history", CV_DOCTOR_ERROR, &err), &err);
    else if (v.whole.total > 0)
        cv_doctor_say(d, "history", CV_DOCTOR_OK, "%.*s match%s the history",
                      CV_FMT(cv_scopes_counted(d->call.arena, &v.whole)), v.whole.total == 1 ? "es" : "");
    else if (d->findings.count == before)
        cv_doctor_say(d, "history", CV_DOCTOR_OK, "there are no %.*s yet", CV_FMT(cv_scopes_nouns(d->call.arena)));
}

/* ---- the search index ------------------------------------------------------------------------------------------- */

static bool pass_over(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    (void)ctx, (void)hit, (void)err;
    return true;
}

/* Any question brings the index up to date, or tells that it cannot be. */
void cv_doctor_search(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    cv_search_term word = {.text = CV_STR("conclave")};
    cv_word_query query = {.terms = &word, .count = 1, .limit = 1};
    cv_record *record = d->call.record;
    size_t behind = 0;
    bool rebuilt = d->repair && record->calls->search_rebuild(record, d->call.arena, &err);
    if (d->repair && !rebuilt) {
        cv_doctor_fail(d, "search", CV_DOCTOR_WARNING, &err);
    } else if (!record->calls->search(record, d->call.arena, &query, pass_over, NULL, &behind, &err) ||
               !record->calls->search_check(record, d->call.arena, &err)) {
        cv_doctor_fail(d, "search", CV_DOCTOR_WARNING, &err)->remedy = CV_STR("conclave doctor --repair");
    } else if (behind > 0) {
        cv_doctor_say(d, "search", CV_DOCTOR_NOTE, "%zu commit%s came since the index was made", behind,
                      CV_PLURAL(behind))
            ->remedy = CV_STR("nothing: the next search that can write brings the index up to date");
    } else {
        cv_doctor_say(d, "search", CV_DOCTOR_OK, rebuilt ? "the index was rebuilt" : "the index is up to date");
    }
}
