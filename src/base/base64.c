/* base64.c - bytes as base64 and back; see base64.h. */
#include "base/base64.h"

#include <nettle/base64.h>

typedef void decode_init(struct base64_decode_ctx *ctx);

static bool decode(cv_arena *a, cv_str text, decode_init *init, cv_str *ret_bytes)
{
    struct base64_decode_ctx ctx;
    uint8_t *to = cv_arena_alloc(a, BASE64_DECODE_LENGTH(text.n) + 1);
    size_t n = BASE64_DECODE_LENGTH(text.n);
    init(&ctx);
    if (!base64_decode_update(&ctx, &n, to, text.n, text.p) || !base64_decode_final(&ctx))
        return false;
    *ret_bytes = (cv_str){(const char *)to, n};
    return true;
}

cv_str cv_base64_url(cv_arena *a, cv_str bytes)
{
    struct base64_encode_ctx ctx;
    char *to = cv_arena_alloc(a, BASE64_ENCODE_LENGTH(bytes.n) + BASE64_ENCODE_FINAL_LENGTH);
    base64url_encode_init(&ctx);
    size_t n = base64_encode_update(&ctx, to, bytes.n, (const uint8_t *)bytes.p);
    n += base64_encode_final(&ctx, to + n);
    while (n > 0 && to[n - 1] == '=')
        n--;
    return (cv_str){to, n};
}

bool cv_base64_decode(cv_arena *a, cv_str text, cv_str *ret_bytes)
{
    return decode(a, text, base64_decode_init, ret_bytes);
}

/* The library wants the padding that the text leaves out. */
bool cv_base64_url_decode(cv_arena *a, cv_str text, cv_str *ret_bytes)
{
    static const cv_str padding = CV_STR_INIT("===");
    return text.n % 4 != 1 && decode(a, cv_arena_join(a, text, cv_str_head(padding, (4 - text.n % 4) % 4)),
                                     base64url_decode_init, ret_bytes);
}
