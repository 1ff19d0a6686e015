/* fuzz_address.c - any bytes as an address: refused with an error, or read into parts that say the same again. Where
 * libpq would see a password in what is left, the address was refused. */
#include <stdlib.h>

#include "record/postgres/address.h"
#include "record/postgres/library.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

/* What libpq makes of the address, where it can be loaded. */
static void check_libpq(const char *libpq, cv_err *err)
{
    char *message = NULL;
    if (!cv_postgres_library_load(err))
        return;
    PQconninfoOption *options = PQconninfoParse(libpq, &message);
    for (PQconninfoOption *it = options; it && it->keyword; it++)
        need(!it->val || (strcmp(it->keyword, "password") != 0 && strcmp(it->keyword, "sslpassword") != 0));
    PQconninfoFree(options);
    PQfreemem(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size};
    cv_postgres_address address, again;
    if (cv_postgres_address_parse(&a, text, &address, &err)) {
        size_t n = strlen(address.schema);
        need(cv_postgres_is_address(text) && n >= 1 && n <= CV_POSTGRES_MAX_SCHEMA);
        need(address.partitions == 0 ||
             (address.partitions >= CV_POSTGRES_MIN_PARTITIONS && address.partitions <= CV_POSTGRES_MAX_PARTITIONS));
        need(cv_postgres_address_parse(&a, cv_str_of(address.libpq), &again, &err)); /* without anything of ours */
        need(strcmp(again.libpq, address.libpq) == 0 && strcmp(again.schema, "conclave") == 0 && again.pipeline);
        check_libpq(address.libpq, &err);
    } else
        need(err.code == CV_ERR_INVALID_VALUE && err.message.n > 0 && err.suggestion.n > 0);
    cv_str masked = cv_postgres_address_masked(&a, text);
    need(cv_str_eq(masked, cv_postgres_address_masked(&a, masked)));
    cv_arena_release(&a);
    return 0;
}
