/* cached_reads.c - reads that were answered before, and clients that have the answer already; see api.h.
 *
 *     GET /api/dialogue/progress?dialogue_id=a
 *        -> the question: operation, who, input      answered before, and nothing has changed: the same at once
 *        <- ETag: "24-9f86d081884c7d65"              the rev, where the answer names one, and a digest of its bytes
 *     If-None-Match: "24-9f86d081884c7d65"
 *        <- 304, no bytes
 *
 * Only cacheable operations (kit/room.h) are answered from what is kept; if they have looked into folders, only as long
 * as nothing has changed there.
 */
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>

#include "door/api/parts.h"

enum { MAX_TAG = 48 };

/* ---- the tag of an answer ---------------------------------------------------------------------------------------- */

/* Where a text that begins with a quote ends: behind the second one. */
static size_t skip_text(cv_str s, size_t at)
{
    for (at++; at < s.n && s.p[at] != '"'; at++)
        at += s.p[at] == '\\';
    return at + 1;
}

/* The digits of the member "rev" of the answer itself, not of something in it. Empty: it has none. */
static cv_str rev_of(cv_str reply)
{
    const cv_str key = CV_STR("\"rev\":");
    int depth = 0;
    for (size_t at = 0; at < reply.n;) {
        char c = reply.p[at];
        if (c == '"' && depth == 1 && cv_str_starts(cv_str_from(reply, at), key)) {
            cv_str rest = cv_str_trim_left(cv_str_from(reply, at + key.n));
            size_t n = 0;
            while (n < rest.n && n < 19 && cv_is_digit(rest.p[n]))
                n++;
            return cv_str_head(rest, n);
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        at = c == '"' ? skip_text(reply, at) : at + 1;
    }
    return CV_STR("");
}

static void make_tag(cv_str reply, char to[MAX_TAG])
{
    uint8_t hash[SHA256_DIGEST_SIZE];
    struct sha256_ctx ctx;
    cv_str rev = rev_of(reply);
    uint64_t digest = 0;
    sha256_init(&ctx);
    sha256_update(&ctx, reply.n, (const uint8_t *)reply.p);
    sha256_digest(&ctx, sizeof hash, hash);
    for (size_t i = 0; i < sizeof digest; i++)
        digest = digest << 8 | hash[i];
    snprintf(to, MAX_TAG, "\"%.*s%s%016" PRIx64 "\"", CV_FMT(rev), rev.n ? "-" : "", digest);
}

/* A client that has the same already needs no bytes. */
static void answer_tagged(cv_api_call *call, cv_str tag, cv_str reply)
{
    bool known = call->has_query && cv_http_has_tag(call->tag, tag);
    if (call->has_query)
        cv_http_add_header(call->x, "ETag", tag);
    cv_http_add_header(call->x, "Cache-Control", call->has_query ? CV_STR("no-cache") : CV_STR("no-store"));
    cv_http_add_header(call->x, "Vary", CV_STR("Authorization, Cookie, " CV_API_AS));
    cv_api_answer(call, known ? 304 : 200, known ? (cv_str){NULL, 0} : reply);
}

void cv_api_answer_tagged(cv_http_exchange *x, cv_str reply)
{
    char tag[MAX_TAG];
    make_tag(reply, tag);
    bool known = cv_http_has_tag(cv_http_header(x, "If-None-Match"), cv_str_of(tag));
    cv_http_add_header(x, "ETag", cv_str_of(tag));
    cv_http_add_header(x, "Cache-Control", CV_STR("no-cache"));
    cv_http_answer(x, known ? 304 : 200, known ? NULL : "application/json", known ? CV_STR("") : reply);
    cv_http_release(x);
}

/* ---- what is kept: the tag, who acted, the answer; a line each ----------------------------------------------------
 */

static void give(void *ctx, cv_str kept)
{
    cv_api_call *call = ctx;
    cv_str rest = kept, tag, actor;
    cv_str_split(&rest, '\n', &tag);
    cv_str_split(&rest, '\n', &actor);
    call->actor = actor.n ? cv_arena_copy(&call->arena, actor) : (cv_str){NULL, 0};
    answer_tagged(call, tag, rest);
}

bool cv_api_recall(cv_api_call *call)
{
    cv_buf question = {0};
    if (!cv_op_is_cacheable(call->op) || call->text.n > CV_ANSWER_CACHE_MAX_QUESTION ||
        !cv_service_data_version(call->api->service, &call->version))
        return false;
    cv_buf_add(&question, (cv_str){(const char *)&call->number, sizeof call->number});
    cv_answer_cache_add_secret(&question, call->bearer);
    cv_buf_printf(&question, "%d%.*s\n", call->as.p != NULL, CV_FMT(call->as)); /* a header is one line */
    cv_buf_add(&question, cv_buf_str(&call->text));
    call->question = cv_buf_take(&question, &call->arena);
    return cv_answer_cache_find(call->api->kept, call->version, 0, call->question, give, call);
}

void cv_api_answer_read(cv_api_call *call, cv_str reply)
{
    char tag[MAX_TAG] = "";
    if (call->has_query || call->question.p)
        make_tag(reply, tag);
    if (call->question.p) {
        cv_buf kept = {0};
        cv_buf_printf(&kept, "%s\n%.*s\n", tag, CV_FMT(call->actor));
        cv_buf_add(&kept, reply);
        cv_answer_cache_add(call->api->kept, call->version, call->question, cv_buf_str(&kept), &call->seen);
        cv_buf_release(&kept);
    }
    answer_tagged(call, cv_str_of(tag), reply);
}
