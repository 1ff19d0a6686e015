/* store.c - where a record is kept; see store.h. */
#include "record/store.h"

#include <assert.h>

#include "record/postgres/engine.h"

bool cv_store_is_address(cv_str text)
{
    return cv_postgres_is_address(text);
}

cv_str cv_store_masked(cv_arena *a, cv_str text)
{
    return cv_postgres_address_masked(a, text);
}

bool cv_store_check(cv_arena *a, cv_str address, cv_err *err)
{
    cv_postgres_address parsed;
    return cv_postgres_address_parse(a, address, &parsed, err);
}

bool cv_store_open(cv_arena *a, const cv_store *store, cv_record_mode mode, const cv_types *types,
                   cv_record **ret_record, cv_err *err)
{
    if (store->address.n == 0)
        return cv_record_open(a, store->path, mode, types, types->sqlite, ret_record, err);
    assert(mode != CV_RECORD_COPY && types->postgres);
    return cv_postgres_open(a, store->address, store->seen, mode, types, types->postgres, ret_record, err);
}
