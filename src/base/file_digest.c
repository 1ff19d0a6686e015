/* file_digest.c - a digest of a text, eight bytes at a time; see file_digest.h. */
#include "base/file_digest.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static void add_word(cv_file_digest *d, uint64_t word)
{
    d->lanes[d->next] = mix(d->lanes[d->next], word);
    d->next = (d->next + 1) % CV_FILE_DIGEST_LANES;
}

static void add_byte(cv_file_digest *d, char byte)
{
    assert(d->filled < sizeof d->word && d->next < CV_FILE_DIGEST_LANES);
    d->word |= (uint64_t)(unsigned char)byte << 8 * d->filled;
    if (++d->filled == sizeof d->word) {
        add_word(d, d->word);
        d->word = d->filled = 0;
    }
}

static uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return le64toh(word);
}

/* Whole words at once: an export has tens of megabytes. */
void cv_file_digest_add(cv_file_digest *d, cv_str bytes)
{
    enum { WORD = sizeof(uint64_t), BLOCK = WORD * CV_FILE_DIGEST_LANES };
    size_t i = 0;
    for (; i < bytes.n && d->filled > 0; i++)
        add_byte(d, bytes.p[i]);
    for (; bytes.n - i >= WORD && d->next > 0; i += WORD)
        add_word(d, word_at(bytes.p + i));
    for (; bytes.n - i >= BLOCK && d->filled == 0; i += BLOCK)
        for (size_t lane = 0; lane < CV_FILE_DIGEST_LANES; lane++)
            d->lanes[lane] = mix(d->lanes[lane], word_at(bytes.p + i + lane * WORD));
    for (; i < bytes.n; i++)
        add_byte(d, bytes.p[i]);
}

cv_str cv_file_digest_print(const cv_file_digest *d, char to[CV_FILE_DIGEST_LEN + 1])
{
    uint64_t digest = mix(mix(d->next, d->word), d->filled);
    for (size_t lane = 0; lane < CV_FILE_DIGEST_LANES; lane++)
        digest = mix(digest, d->lanes[lane]);
    snprintf(to, CV_FILE_DIGEST_LEN + 1, "%016llx", (unsigned long long)digest);
    return (cv_str){to, CV_FILE_DIGEST_LEN};
}
