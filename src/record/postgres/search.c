/* search.c - finding words. */
#include "record/postgres/engine.h"

bool cv_postgres_search(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                        size_t *ret_behind, cv_err *err)
{
    (void)record, (void)a, (void)query, (void)visit, (void)ctx, (void)ret_behind;
    return cv_err_set(err, CV_ERR_STORE, "not yet");
}
bool cv_postgres_search_forget(cv_postgres_record *r, cv_arena *a, const cv_redaction *redaction, cv_err *err)
{
    (void)r, (void)a, (void)redaction, (void)err;
    return true;
}
bool cv_postgres_search_rebuild(cv_record *record, cv_arena *a, cv_err *err)
{
    (void)record, (void)a;
    return cv_err_set(err, CV_ERR_STORE, "not yet");
}
bool cv_postgres_search_check(cv_record *record, cv_arena *a, cv_err *err)
{
    (void)record, (void)a, (void)err;
    return true;
}
