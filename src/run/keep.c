/* keep.c - an answer on its way to disk; see keep.h. */
#include "run/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "base/os.h"
#include "kit/shape.h"
#include "record/hash.h"

/* ---- in pieces --------------------------------------------------------------------------------------------------- */

bool cv_spool_open(cv_spool *spool, const char *folder, cv_err *err)
{
    *spool = (cv_spool){.fd = cv_os_open_unnamed(folder)};
    return spool->fd >= 0 || cv_system_fail(err, folder, "keep an answer", errno);
}

bool cv_spool_add(cv_spool *spool, cv_str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(spool->fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        spool->bytes += n;
        bytes = cv_str_from(bytes, (size_t)n);
    }
    return true;
}

bool cv_spool_read(cv_arena *a, const cv_spool *spool, cv_str *ret_bytes, cv_err *err)
{
    char *bytes = cv_arena_alloc(a, (size_t)spool->bytes);
    for (int64_t at = 0; at < spool->bytes;) {
        ssize_t n = pread(spool->fd, bytes + at, (size_t)(spool->bytes - at), at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? cv_system_fail(err, NULL, "read an answer back", errno)
                     : cv_err_set(err, CV_ERR_IO, "cannot read an answer back: it is shorter");
        at += n;
    }
    *ret_bytes = (cv_str){bytes, (size_t)spool->bytes};
    return true;
}

void cv_spool_close(cv_spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}

/* ---- whole ------------------------------------------------------------------------------------------------------- */

/* The same outcome word as in every other answer. */
typedef struct {
    cv_str outcome;
    cv_calls_result result;
} report;

#define CV_THIS_TYPE report
static const cv_shape report_shape[] = {
    CV_FIELD(ALWAYS, outcome, ""),
    CV_FIELD_AS(IF_ANY, "model", result.model, ""),
    CV_FIELD_AS(IF_ANY, "exit_status", result.exit_status, ""),
    CV_FIELD_AS(IF_ANY, "http_status", result.http_status, ""),
    CV_FIELD_AS(IF_ANY, "tokens_in", result.tokens_in, ""),
    CV_FIELD_AS(IF_ANY, "tokens_out", result.tokens_out, ""),
    CV_FIELD_AS(IF_ANY, "cost", result.cost, ""),
    CV_FIELD_AS(ALWAYS, "duration_ms", result.duration_ms, ""),
    CV_FIELD_AS(ALWAYS, "bytes", result.bytes, ""),
    CV_FIELD_AS(IF_ANY, "tail", result.tail, ""),
    CV_FIELD_AS(ALWAYS, "prompt_hash", result.prompt_hash, ""),
    CV_FIELD_AS(ALWAYS, "answer_hash", result.answer_hash, ""),
    {0},
};
#undef CV_THIS_TYPE

static const cv_str mark = CV_STR_INIT("\n<!-- conclave: "), mark_end = CV_STR_INIT(" -->\n");

/* '>' is in strings only, and nothing in them may end the comment. */
static void add_report(cv_arena *a, cv_buf *out, const cv_calls_result *result)
{
    const report all = {cv_outcome_words.items[result->outcome], *result};
    cv_str json = cv_shape_text(a, report_shape, &all), piece;
    for (bool first = true; cv_str_split(&json, '>', &piece); first = false) {
        cv_buf_add_z(out, first ? "" : "\\u003e");
        cv_buf_add(out, piece);
    }
}

bool cv_keep_answer(cv_arena *a, const char *output, const cv_calls_result *result, cv_err *err)
{
    cv_buf whole = {0};
    cv_buf_add(&whole, result->answer);
    cv_buf_add(&whole, mark);
    add_report(a, &whole, result);
    cv_buf_add(&whole, mark_end);
    bool ok = cv_file_write_private(cv_where_named(output), cv_buf_str(&whole), err);
    cv_buf_release(&whole);
    return ok;
}

const char *cv_keep_beside(cv_arena *a, const char *output, const char *what)
{
    return cv_arena_printf(a, "%s.%s", output, what).p;
}

static bool read_report(cv_arena *a, cv_str text, cv_calls_result *ret)
{
    size_t at = text.n;
    cv_json json;
    cv_err err = {.arena = a};
    if (!cv_str_ends(text, mark_end))
        return false;
    while (at > 0 && !cv_str_starts(cv_str_from(text, at), mark))
        at--;
    cv_str tail = cv_str_from(text, at + mark.n);
    if (!cv_str_starts(cv_str_from(text, at), mark) ||
        !cv_json_parse(a, cv_str_head(tail, tail.n - mark_end.n), &json, &err))
        return false;
    *ret = (cv_calls_result){
        .outcome = CV_CALL_ANSWERED,
        .answer = cv_str_head(text, at),
        .answer_hash = cv_json_get_text(&json, "answer_hash"),
        .prompt_hash = cv_json_get_text(&json, "prompt_hash"),
        .model = cv_json_get_text(&json, "model"),
        .tail = cv_json_get_text(&json, "tail"),
        .exit_status = cv_json_get_int(&json, "exit_status", CV_ABSENT),
        .http_status = cv_json_get_int(&json, "http_status", CV_ABSENT),
        .tokens_in = cv_json_get_int(&json, "tokens_in", CV_ABSENT),
        .tokens_out = cv_json_get_int(&json, "tokens_out", CV_ABSENT),
        .cost = cv_json_get_int(&json, "cost", CV_ABSENT),
        .retry_after_ms = CV_ABSENT,
        .duration_ms = cv_json_get_int(&json, "duration_ms", 0),
        .bytes = cv_json_get_int(&json, "bytes", 0),
    };
    return cv_str_eq(ret->answer_hash, cv_hash_text(a, ret->answer));
}

bool cv_keep_read(cv_arena *a, const char *output, cv_calls_result *ret_result, bool *ret_found, cv_err *err)
{
    cv_where where = cv_where_named(output);
    struct stat st;
    cv_str text;
    *ret_found = false;
    if (!cv_where_look(where, &st))
        return errno == ENOENT || cv_system_fail(err, output, "look for an answer", errno);
    if (!cv_file_read_at(a, where, CV_MAX_MESSAGE_BYTES, &text, err))
        return false;
    *ret_found = read_report(a, text, ret_result);
    return true;
}

bool cv_calls_recover(cv_arena *a, const char *output, cv_calls_result *ret_result, bool *ret_found, cv_err *err)
{
    static const char *const beside[] = {"prompt", "out"};
    cv_folder_sweep(a, cv_folder_of(a, output));
    for (size_t i = 0; i < CV_COUNT(beside); i++)
        unlink(cv_keep_beside(a, output, beside[i]));
    return cv_keep_read(a, output, ret_result, ret_found, err) &&
           (*ret_found || unlink(output) == 0 || errno == ENOENT ||
            cv_system_fail(err, output, "remove what is not an answer", errno));
}
