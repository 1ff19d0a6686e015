/* texts.c - statements by name, with words in the place of $names. */
#include <assert.h>

#include "base/buf.h"
#include "record/postgres/connection.h"

const char *cv_postgres_fill(cv_arena *a, const char *text, const cv_postgres_word *words, size_t count)
{
    cv_buf out = {0};
    while (*text) {
        size_t length = 0, i = 0;
        if (*text == '$' && cv_is_lower(text[1]))
            for (length = 1; cv_is_lower(text[length]) || text[length] == '_'; length++)
                ;
        while (length && i < count && (strlen(words[i].name) != length || memcmp(words[i].name, text, length) != 0))
            i++;
        if (length && i < count)
            cv_buf_add(&out, words[i].text);
        else
            cv_buf_add(&out, (cv_str){text, length ? length : 1});
        text += length ? length : 1;
    }
    return cv_arena_copy_z(a, cv_buf_take(&out, a));
}

const char *cv_postgres_statement_text(const char *name)
{
    size_t i = 0;
    while (i < cv_sql_postgres_statement_count && strcmp(cv_sql_postgres_statements[i].name, name) != 0)
        i++;
    assert(i < cv_sql_postgres_statement_count);
    return cv_sql_postgres_statements[i].text;
}

cv_str cv_postgres_quoted(cv_arena *a, const char *name)
{
    return cv_arena_printf(a, "\"%s\"", name);
}

static void add_limit(cv_postgres_batch *batch, const char *doing, const char *name, int64_t ms)
{
    const cv_postgres_word word = {"$ms", cv_arena_printf(batch->arena, "%lld", (long long)ms)};
    cv_postgres_add(batch, doing, cv_postgres_fill(batch->arena, cv_postgres_statement_text(name), &word, 1));
}

void cv_postgres_limits(cv_postgres_batch *batch, const char *doing, int64_t wait_ms, int64_t idle_ms)
{
    add_limit(batch, doing, "lock_timeout", wait_ms);
    add_limit(batch, doing, "idle_timeout", idle_ms);
}

const char *cv_postgres_statement_in(cv_arena *a, const char *schema, const char *name)
{
    const cv_postgres_word words[] = {{"$schema", cv_postgres_quoted(a, schema)}};
    return cv_postgres_fill(a, cv_postgres_statement_text(name), words, CV_COUNT(words));
}
