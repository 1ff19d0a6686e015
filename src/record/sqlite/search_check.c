/* search_check.c - are the words of the search index those of the texts?
 *
 *     search_seen_texts   the texts, as they were indexed, and how many words the index counts in each
 *     search_all_words    the words of the index, each at its place
 *     search_one_word     one of them, found the way that a search goes: through the pages' own index
 *     search_averages     how many there are
 *
 * The words are compared by sums: every (word, row, column, place) of the index is hashed and added up, and so is every
 * word that the tokenizer finds in the texts. The index is read, never written, so that nobody waits and a record that
 * can only be read is checked as well. */

#include <stdlib.h>

#include "base/buf.h"
#include "record/sqlite/search.h"

enum {
    COLUMNS = 3,          /* ids, title, body */
    MOST_OF_WORD = 32768, /* bytes of a word that FTS5 keeps: FTS5_MAX_TOKEN_SIZE */
};

/* A row of the statement is what is wrong. */
static bool audit_statement(const cv_search_index *x, cv_sqlite *s, const char *statement, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    int got = st ? cv_sqlite_step(st) : -1;
    if (got > 0)
        cv_search_disagrees(x, cv_sqlite_column_str(st, 0), err);
    else if (got < 0)
        cv_sqlite_fail(s, "check the search index", err);
    if (st)
        sqlite3_reset(st);
    return got == 0;
}

typedef struct {
    uint64_t sum, count;
} words;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void add_word(words *w, cv_str stem, int64_t row, uint64_t column, uint64_t place)
{
    w->sum += mix(mix(mix(cv_str_hash(stem)) ^ (uint64_t)row) ^ (place * COLUMNS + column));
    w->count++;
}

typedef struct {
    words *words;
    int64_t row;
    uint64_t column, place;
} reading;

static void see_word(void *ctx, cv_str stem)
{
    reading *r = ctx;
    add_word(r->words, cv_str_head(stem, MOST_OF_WORD), r->row, r->column, r->place++);
}

/* A number as FTS5 keeps it: seven bits to a byte, the first ones first. Texts have less than 2^35 words. */
static void add_varint(cv_buf *out, uint64_t n)
{
    int bytes = 1;
    while (bytes < 5 && n >> (7 * bytes))
        bytes++;
    while (bytes-- > 0)
        cv_buf_add_char(out, (char)(((n >> (7 * bytes)) & 0x7f) | (bytes ? 0x80 : 0)));
}

/* The words of one row; false: the index counts others. */
static bool read_row(cv_sqlite *s, sqlite3_stmt *st, words *w, uint64_t totals[COLUMNS])
{
    reading r = {.words = w, .row = sqlite3_column_int64(st, 0)};
    cv_buf sizes = {0};
    for (r.column = 0; r.column < COLUMNS; r.column++) {
        r.place = 0;
        cv_sqlite_words_of(&s->tokenizer, cv_sqlite_column_str(st, (int)r.column + 1), see_word, &r);
        totals[r.column] += r.place;
        add_varint(&sizes, r.place);
    }
    bool same = cv_str_eq(cv_sqlite_column_str(st, COLUMNS + 1), cv_buf_str(&sizes));
    cv_buf_release(&sizes);
    return same;
}

static bool read_texts(const cv_search_index *x, cv_sqlite *s, words *ret_words, cv_buf *averages, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "search_seen_texts");
    uint64_t totals[COLUMNS] = {0}, rows = 0;
    bool ok = st != NULL;
    int got = -1;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        rows++;
        ok = read_row(s, st, ret_words, totals) ||
             cv_search_disagrees(
                 x, cv_arena_printf(err->arena, "row %lld has another length", (long long)sqlite3_column_int64(st, 0)),
                 err);
    }
    if (ok && got < 0)
        ok = cv_sqlite_fail(s, "check the search index", err);
    add_varint(averages, rows);
    for (int i = 0; i < COLUMNS; i++)
        add_varint(averages, totals[i]);
    if (st)
        sqlite3_reset(st);
    return ok && st;
}

/* One word, as often as it was met in the walk along all of them. */
typedef struct {
    cv_buf word;
    int64_t count;
} run_of_word;

static bool is_found(const cv_search_index *x, cv_sqlite *s, const run_of_word *run, cv_err *err)
{
    if (!run->count)
        return true;
    sqlite3_stmt *st = cv_sqlite_use(s, "search_one_word");
    bool ok = st && cv_sqlite_bind_str(st, ":term", cv_buf_str(&run->word)) && cv_sqlite_step(st) > 0;
    bool same = ok && sqlite3_column_int64(st, 0) == run->count;
    bool damaged = !ok && (sqlite3_errcode(s->db) & 0xff) == SQLITE_CORRUPT;
    if (st)
        sqlite3_reset(st);
    if (!ok && !damaged)
        return cv_sqlite_fail(s, "check the search index", err);
    return same || cv_search_disagrees(x, CV_STR("a search does not find all words that it has"), err);
}

/* The walk gives the words in order: when the next one comes, the last one is complete. */
static bool follow_word(const cv_search_index *x, cv_sqlite *s, run_of_word *run, cv_str word, cv_err *err)
{
    if (!run->count || !cv_str_eq(word, cv_buf_str(&run->word))) {
        if (!is_found(x, s, run, err))
            return false;
        cv_buf_clear(&run->word);
        cv_buf_add(&run->word, word);
        run->count = 0;
    }
    run->count++;
    return true;
}

static bool read_index(const cv_search_index *x, cv_sqlite *s, words *ret_words, cv_err *err)
{
    static const char *const names[] = {"ids", "title", "body"};
    _Static_assert(CV_COUNT(names) == COLUMNS, "a name per column");
    sqlite3_stmt *st = cv_sqlite_use(s, "search_all_words");
    run_of_word run = {0};
    bool found = true;
    int got = -1;
    while (st && found && (got = cv_sqlite_step(st)) > 0) {
        cv_str column = cv_sqlite_column_str(st, 2);
        uint64_t i = 0;
        while (i < COLUMNS && !cv_str_eq(column, cv_str_of(names[i])))
            i++;
        add_word(ret_words, cv_sqlite_column_str(st, 0), sqlite3_column_int64(st, 1), i,
                 (uint64_t)sqlite3_column_int64(st, 3));
        found = follow_word(x, s, &run, cv_sqlite_column_str(st, 0), err);
    }
    found = found && (got != 0 || is_found(x, s, &run, err));
    cv_buf_release(&run.word);
    if (got < 0 && (sqlite3_errcode(s->db) & 0xff) == SQLITE_CORRUPT)
        cv_search_disagrees(x, CV_STR("its words cannot be read"), err);
    else if (got < 0)
        cv_sqlite_fail(s, "check the search index", err);
    if (st)
        sqlite3_reset(st);
    return got == 0 && found;
}

/* The index keeps how many rows it has, and how many words in each column. An index without rows keeps nothing. */
static bool check_averages(const cv_search_index *x, cv_sqlite *s, cv_str expected, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "search_averages");
    int got = st ? cv_sqlite_step(st) : -1;
    if (got < 0)
        return cv_sqlite_fail(s, "check the search index", err);
    cv_str found = got > 0 ? cv_sqlite_column_str(st, 0) : (cv_str){"", 0};
    bool same = cv_str_eq(found, expected) || (found.n == 0 && expected.n > 0 && expected.p[0] == 0);
    sqlite3_reset(st);
    return same || cv_search_disagrees(x, CV_STR("search_index has other totals"), err);
}

static bool audit_words(const cv_search_index *x, cv_sqlite *s, cv_err *err)
{
    words in_texts = {0}, in_index = {0};
    cv_buf averages = {0};
    bool ok = cv_sqlite_tokenizer_ready(s, err) && read_texts(x, s, &in_texts, &averages, err) &&
              read_index(x, s, &in_index, err) && check_averages(x, s, cv_buf_str(&averages), err);
    cv_buf_release(&averages);
    if (!ok || (in_texts.sum == in_index.sum && in_texts.count == in_index.count))
        return ok;
    return cv_search_disagrees(x,
                               cv_arena_printf(err->arena, "its %llu words are not the %llu of the texts",
                                               (unsigned long long)in_index.count, (unsigned long long)in_texts.count),
                               err);
}

bool cv_sqlite_check_words(cv_search_index *base, cv_arena *a, cv_err *err)
{
    cv_sqlite *s = ((cv_sqlite_search *)base)->r->s;
    (void)a;
    return audit_statement(base, s, "search_check_sizes", err) && audit_words(base, s, err);
}
