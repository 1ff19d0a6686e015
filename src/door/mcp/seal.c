/* seal.c - what a handler keeps with the client between two rounds; see host.h.
 *
 *     base64url(time, text) "." base64url(HMAC-SHA256(key, time, text, binding))
 *
 * The client carries it and could change it: the seal tells. It holds for the request it was made for (binding) and for
 * a while, and only in the process that made it.
 */
#include <nettle/hmac.h>
#include <nettle/memops.h>

#include "base/base64.h"
#include "door/mcp/host.h"

enum { LIFE_MS = 60 * 60 * 1000, TIME = 8 };

static void sign(const cv_mcp_host *host, cv_str stamped, cv_str binding, uint8_t to[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx ctx;
    uint8_t length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (uint8_t)((uint64_t)stamped.n >> (8 * i));
    hmac_sha256_set_key(&ctx, sizeof host->key, host->key);
    hmac_sha256_update(&ctx, sizeof length, length);
    hmac_sha256_update(&ctx, stamped.n, (const uint8_t *)stamped.p);
    hmac_sha256_update(&ctx, binding.n, (const uint8_t *)binding.p);
    hmac_sha256_digest(&ctx, SHA256_DIGEST_SIZE, to);
}

cv_str cv_mcp_seal(const cv_mcp_host *host, cv_arena *a, int64_t now_ms, cv_str text, cv_str binding)
{
    uint8_t signature[SHA256_DIGEST_SIZE];
    char *stamped = cv_arena_alloc(a, TIME + text.n);
    for (int i = 0; i < TIME; i++)
        stamped[i] = (char)((uint64_t)now_ms >> (8 * i));
    if (text.n)
        memcpy(stamped + TIME, text.p, text.n);
    sign(host, (cv_str){stamped, TIME + text.n}, binding, signature);
    cv_str body = cv_base64_url(a, (cv_str){stamped, TIME + text.n});
    cv_str seal = cv_base64_url(a, (cv_str){(const char *)signature, sizeof signature});
    return cv_arena_printf(a, "%.*s.%.*s", CV_FMT(body), CV_FMT(seal));
}

bool cv_mcp_unseal(const cv_mcp_host *host, cv_arena *a, int64_t now_ms, cv_str sealed, cv_str binding,
                   cv_str *ret_text)
{
    uint8_t signature[SHA256_DIGEST_SIZE];
    cv_str stamped, seal;
    size_t dot = cv_str_find_char(sealed, '.');
    if (dot == SIZE_MAX || !cv_base64_url_decode(a, cv_str_head(sealed, dot), &stamped) ||
        !cv_base64_url_decode(a, cv_str_from(sealed, dot + 1), &seal) || stamped.n < TIME || seal.n != sizeof signature)
        return false;
    sign(host, stamped, binding, signature);
    if (!memeql_sec(signature, seal.p, sizeof signature))
        return false;
    uint64_t made = 0;
    for (int i = 0; i < TIME; i++)
        made |= (uint64_t)(uint8_t)stamped.p[i] << (8 * i);
    *ret_text = cv_str_from(stamped, TIME);
    return now_ms - (int64_t)made < LIFE_MS;
}
