/* test_address.c - addresses of PostgreSQL servers: what is taken, what is refused, and that no password is shown. */
#include "testing.h"

#include "record/postgres/address.h"

static void good_addresses_are_taken(void **state)
{
    static const struct {
        const char *text, *libpq, *schema;
        bool pipeline;
        int partitions;
    } cases[] = {
        {"postgresql://", "postgresql://", "conclave", true, 0},
        {"postgres://db/work", "postgresql://db/work", "conclave", true, 0},
        {"POSTGRES://db/work", "postgresql://db/work", "conclave", true, 0},
        {"postgresql://me@db1:5433,db2/work?schema=team_2", "postgresql://me@db1:5433,db2/work", "team_2", true, 0},
        {"postgresql:///?service=record&schema=a&pipeline=off&sslmode=verify-full&partitions=64",
         "postgresql:///?service=record&sslmode=verify-full", "a", false, 64},
        {"postgresql:///db?pipeline=on&host=/run/pg&port=5433", "postgresql:///db?host=/run/pg&port=5433", "conclave",
         true, 0},
        {"postgresql:///db?", "postgresql:///db", "conclave", true, 0},
        {"postgresql:///db?%73chema=x%5fy", "postgresql:///db", "x_y", true, 0},
        {"postgresql://[::1]:5432/db?application_name=a@b", "postgresql://[::1]:5432/db?application_name=a@b",
         "conclave", true, 0},
        {"postgresql://host:5432/db?user=a@b", "postgresql://host:5432/db?user=a@b", "conclave", true, 0},
        {"postgresql://host/db?user=a@b&options=-c%20x:y", "postgresql://host/db?user=a@b&options=-c%20x:y", "conclave",
         true, 0},
        {"postgresql://me@[::1]/db?passfile=/x", "postgresql://me@[::1]/db?passfile=/x", "conclave", true, 0},
    };
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_postgres_address got;
        assert_ok(cv_postgres_address_parse(&a, cv_str_of(cases[i].text), &got, &err), &err);
        assert_str_eq(got.text, cases[i].text);
        assert_string_equal(got.libpq, cases[i].libpq);
        assert_string_equal(got.schema, cases[i].schema);
        assert_int_equal(got.pipeline, cases[i].pipeline);
        assert_int_equal(got.partitions, cases[i].partitions);
        assert_str_eq(cv_postgres_address_masked(&a, got.text),
                      cv_str_ends(got.text, CV_STR("?")) ? "postgresql:///db" : cases[i].text);
    }
    cv_arena_release(&a);
}

static void bad_addresses_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "postgresql://"},
        {"mysql://db/work", "postgresql://"},
        {"host=db dbname=work", "postgresql://"},
        {"postgresql:/db", "postgresql://"},
        {"postgresql://db/work?schema=", "schema="},
        {"postgresql://db/work?schema=Team", "schema=Team"},
        {"postgresql://db/work?schema=1st", "schema=1st"},
        {"postgresql://db/work?schema=pg_x", "schema=pg_x"},
        {"postgresql://db/work?schema=a%22b", "schema=a\"b"},
        {"postgresql://db/work?schema=a%00b", "schema=a"},
        {"postgresql://db/work?schema=abcdefghijabcdefghijabcdefghijabcdefghijk", "schema=abc"},
        {"postgresql://db/work?pipeline=maybe", "on or off"},
        {"postgresql://db/work?partitions=1", "2 to 64"},
        {"postgresql://db/work?partitions=65", "2 to 64"},
        {"postgresql://db/work?partitions=-4", "2 to 64"},
        {"postgresql://db/work?schema=a&schema=a", "schema is given twice"},
        {"postgresql://db/work?schema", "KEY=VALUE"},
        {"postgresql://db/work?&schema=a", "KEY=VALUE"},
        {"postgresql://db/work?=a", "KEY=VALUE"},
        {"postgresql://db/wo\nrk", "line breaks"},
    };
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_err err = {.arena = &a};
        cv_postgres_address got;
        assert_fails(cv_postgres_address_parse(&a, cv_str_of(cases[i].text), &got, &err), &err, CV_ERR_INVALID_VALUE);
        assert_str_has(cv_err_text(&err), cases[i].says);
        assert_true(err.suggestion.n > 0);
    }
    cv_arena_release(&a);
}

/* Wherever it stands, and however it is written: it is refused, it is not in the error, and not in the masked text. */
static void passwords_are_refused_and_never_shown(void **state)
{
    static const char *const cases[] = {
        "postgresql://me:hunter2@db/work",
        "postgresql://me:hunter2@db",
        "postgresql://:hunter2@db/work",
        "postgresql://me:p@hunter2@db/work",
        "postgresql://me:hunter2/x@db/work",
        "postgresql://me:12/hunter2@db/work",
        "postgresql://me:hunter2?x@db/work",
        "postgresql://me:hunter2?x/y@db/work",
        "postgresql://me:x?hunter2=1@db",
        "POSTGRESQL://me:hunter2@db",
        "postgresql://me:hunter2%zz@db/work",
        "postgresql://me:hunter2@",
        "postgresql://[:hunter2]x@db/work",
        "postgresql://ann:hunter2",
        "postgresql://ann:hunter2/work",
        "postgresql://ann:hunter2?user=x@y",
        "postgresql://ann@db:hunter2/work",
        "postgresql://ann@db1:5432,db2:hunter2/work?user=x@y",
        "postgresql://db/work?password=hunter2",
        "postgresql://db/work?PASSWORD=hunter2",
        "postgresql://db/work?schema=x&pass%77ord=hunter2&sslmode=require",
        "postgresql://db/work?sslpassword=hunter2",
        "postgresql://db/work?scram_client_key=hunter2",
        "postgresql://db/work?oauth_client_secret=hunter2",
        "postgresql://db/work;password=hunter2",
        "postgresql://db/work?sslmode=require%3BPWD=hunter2",
        "postgresql://db/work?passwd=hunter2",
        "postgresql://db/work?pwd=hunter2",
    };
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_err err = {.arena = &a};
        cv_postgres_address got;
        assert_fails(cv_postgres_address_parse(&a, cv_str_of(cases[i]), &got, &err), &err, CV_ERR_INVALID_VALUE);
        assert_str_has(cv_err_text(&err), "has a password");
        assert_str_has(err.suggestion, "PGPASSWORD");
        assert_int_equal(cv_str_find(cv_err_text(&err), CV_STR("hunter2")), SIZE_MAX);
        assert_int_equal(cv_str_find(cv_postgres_address_masked(&a, cv_str_of(cases[i])), CV_STR("hunter2")), SIZE_MAX);
    }
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_addresses_are_taken),
        cmocka_unit_test(bad_addresses_are_refused),
        cmocka_unit_test(passwords_are_refused_and_never_shown),
    };
    return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
