/* seal.c - one line that stands for everything committed so far; see seal.h. */
#include "record/seal.h"

#include <assert.h>

#define FIRST_WORD "conclave-seal-1"

enum { MOST_SHOWN = 80 }; /* bytes of a value in an error */

/* ---- the line ---------------------------------------------------------------------------------------------------- */

cv_str cv_seal_print(cv_arena *a, const cv_seal *seal)
{
    return cv_arena_printf(a, FIRST_WORD " %lld %.*s %.*s", (long long)seal->number, CV_SEAL_ORIGIN, seal->origin,
                           CV_HASH_DIGITS, seal->hash);
}

static bool malformed(cv_err *err, const char *what, cv_str value)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "this is not a seal: %s", what);
    cv_err_field(err, CV_STR("seal"));
    cv_err_value(err, cv_str_head(value, MOST_SHOWN));
    cv_err_suggest(err, CV_STR("give the whole line: " FIRST_WORD " NUMBER and two hashes"));
    return false;
}

/* The next word; empty at the end. Mails break lines, so a line break is a blank. */
static cv_str next_word(cv_str *rest)
{
    size_t start = 0, end;
    while (start < rest->n && strchr(" \t\r\n", rest->p[start]))
        start++;
    for (end = start; end < rest->n && !strchr(" \t\r\n", rest->p[end]);)
        end++;
    cv_str word = cv_str_head(cv_str_from(*rest, start), end - start);
    *rest = cv_str_from(*rest, end);
    return word;
}

static bool read_number(cv_str word, int64_t *ret_number)
{
    *ret_number = 0;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] < '0' || word.p[i] > '9' || word.n > 18)
            return false;
        *ret_number = *ret_number * 10 + (word.p[i] - '0');
    }
    return *ret_number > 0 && word.p[0] != '0';
}

static bool read_hex(cv_str word, char *ret_digits, size_t n)
{
    for (size_t i = 0; i < word.n; i++)
        if (!word.p[i] || !strchr("0123456789abcdef", word.p[i]))
            return false;
    if (word.n != n)
        return false;
    memcpy(ret_digits, word.p, n);
    return true;
}

bool cv_seal_read(cv_str text, cv_seal *ret_seal, cv_err *err)
{
    cv_str any = CV_STR("conclave-seal-");
    size_t at = cv_str_find(text, any);
    if (at == SIZE_MAX)
        return malformed(err, "it has no word '" FIRST_WORD "'", text);
    cv_str rest = cv_str_from(text, at), found = rest;
    cv_str version = next_word(&rest), number = next_word(&rest), origin = next_word(&rest), hash = next_word(&rest);
    if (!cv_str_eq(version, CV_STR(FIRST_WORD)))
        return malformed(err, "its first word must be '" FIRST_WORD "'", version);
    if (!read_number(number, &ret_seal->number))
        return malformed(err, "its second word must be the number of a commit", number);
    if (!read_hex(origin, ret_seal->origin, CV_SEAL_ORIGIN))
        return malformed(err, "its third word must be 16 hex digits in lower case", origin);
    if (!read_hex(hash, ret_seal->hash, CV_HASH_DIGITS))
        return malformed(err, "its fourth word must be 64 hex digits in lower case", hash);
    if (cv_str_find(rest, any) != SIZE_MAX)
        return malformed(err, "the text has more than one seal; give one of them", found);
    return true;
}

/* ---- the commits ------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena scratch;
    const cv_seal *until;
    cv_seal now, sealed; /* as of the last commit that was seen, and as of `until` */
} folding;

static bool fold(void *ctx, const cv_feed_entry *e, cv_err *err)
{
    folding *f = ctx;
    int64_t number = ++f->now.number;
    cv_str before = {f->now.hash, number > 1 ? CV_HASH_DIGITS : 0};
    (void)err;
    cv_str line = cv_arena_printf(&f->scratch, "%.*s %lld %zu %.*s %zu %.*s %lld %.*s", CV_FMT(before),
                                  (long long)number, e->scope.room.n, CV_FMT(e->scope.room), e->scope.name.n,
                                  CV_FMT(e->scope.name), (long long)e->rev, CV_FMT(e->head));
    cv_str hash = cv_hash_text(&f->scratch, line);
    memcpy(f->now.hash, hash.p, CV_HASH_DIGITS);
    if (number == 1)
        memcpy(f->now.origin, hash.p, CV_SEAL_ORIGIN);
    if (f->until && number == f->until->number)
        f->sealed = f->now;
    cv_arena_reset(&f->scratch);
    return true;
}

static bool broken(cv_err *err, cv_str message, const char *suggestion)
{
    cv_err_set(err, CV_ERR_VERIFY, "%.*s", CV_FMT(message));
    cv_err_field(err, CV_STR("seal"));
    cv_err_suggest(err, cv_str_of(suggestion));
    return false;
}

static bool compare(const folding *f, cv_err *err)
{
    const cv_seal *seal = f->until;
    cv_arena *a = err->arena;
    assert(seal->number > 0);
    if (f->now.number > 0 && memcmp(seal->origin, f->now.origin, CV_SEAL_ORIGIN) != 0)
        return broken(err,
                      cv_arena_printf(a, "the seal is of another project: it began with %.*s, this one with %.*s",
                                      CV_SEAL_ORIGIN, seal->origin, CV_SEAL_ORIGIN, f->now.origin),
                      "name the project with --root; if it is this one, its first commit was changed or removed");
    if (seal->number > f->now.number)
        return broken(err,
                      cv_arena_printf(a,
                                      "the seal is newer than the record: it was made at commit %lld, the record ends "
                                      "at commit %lld",
                                      (long long)seal->number, (long long)f->now.number),
                      "the end of the record was cut off, or this is an older copy: restore a newer one");
    if (memcmp(seal->hash, f->sealed.hash, CV_HASH_DIGITS) != 0)
        return broken(
            err,
            cv_arena_printf(a,
                            "something before the seal was changed, added or removed, or the seal was copied "
                            "wrongly: expected %.*s at commit %lld, found %.*s",
                            CV_HASH_DIGITS, seal->hash, (long long)seal->number, CV_HASH_DIGITS, f->sealed.hash),
            "compare the seal with its original; if it is right, keep this copy, restore the last backup that "
            "agrees with the seal, and compare the two");
    return true;
}

bool cv_seal_record(cv_record *record, const cv_seal *until, cv_seal *ret_last, cv_err *err)
{
    folding f = {.until = until};
    bool ok = record->calls->feed(record, CV_STR(""), 0, fold, &f, err) && (!until || compare(&f, err));
    *ret_last = f.now;
    cv_arena_release(&f.scratch);
    return ok;
}
