/* fuzz_address.c - any bytes as an address: refused with an error, or read into parts that say the same again. Where
 * libpq would see a password in what is left, the address was refused; one that is put into it is never shown. */
#include <stdlib.h>

#include "base/buf.h"
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

static void check_hidden(cv_arena *a, cv_buf *text)
{
    cv_err err = {.arena = a};
    cv_postgres_address address;
    cv_str planted = cv_buf_take(text, a);
    need(!cv_postgres_address_parse(a, planted, &address, &err));
    need(cv_str_find(cv_err_text(&err), CV_STR("SECRET")) == SIZE_MAX);
    need(cv_str_find(cv_postgres_address_masked(a, planted), CV_STR("SECRET")) == SIZE_MAX);
}

/* A password among any bytes. Where a '?' comes before it nobody could tell it from a parameter. */
static void check_planted(cv_arena *a, cv_str x, cv_str y)
{
    cv_buf text = {0};
    if (cv_str_find_char(x, '?') != SIZE_MAX || cv_str_find(x, CV_STR("SECRET")) != SIZE_MAX ||
        cv_str_find(y, CV_STR("SECRET")) != SIZE_MAX)
        return;
    cv_buf_add_z(&text, "postgresql://me:");
    cv_buf_add(&text, x);
    cv_buf_add_z(&text, "SECRET@");
    cv_buf_add(&text, y);
    check_hidden(a, &text);
    cv_buf_add_z(&text, "postgresql://db/");
    cv_buf_add(&text, x);
    cv_buf_add_z(&text, "?password=SECRET&");
    cv_buf_add(&text, y);
    check_hidden(a, &text);
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
    cv_postgres_address_masked(&a, text);
    check_planted(&a, cv_str_head(text, size / 2), cv_str_from(text, size / 2));
    cv_arena_release(&a);
    return 0;
}
