/* phrases.h - does a file still hold something of a text, in whatever form?
 *
 *     the text      Nobody pays 40 "pounds"\t for it.
 *     a file        {"copy":"Nobody pays\n> 40 \"pounds\"\t fo redacted-sha256-…"}
 *     letters       Nobodypays40poundsfo            the phrases of both are compared by letters and digits alone
 *
 * Wrapping, quoting, escaping or cutting a text keeps letters in a row. A phrase is CV_PHRASE of them anywhere in a
 * line of the text, or a whole line that has fewer. Texts are read as they are and with the escapes of JSON undone,
 * once and twice. The time is linear in the text and in the file: a phrase is known by a hash of 64 bits. Where hashes
 * meet by chance, a file seems to have a phrase; a phrase that a file has is never missed.
 *
 * A line of few letters is in many files by chance: it is weak, and counts only where other lines of the text
 * stood.
 */
#ifndef CV_PROJECT_PHRASES_H
#define CV_PROJECT_PHRASES_H

#include "base/arena.h"

enum {
    CV_PHRASE = 24,       /* letters: two texts that share so many in a row share a phrase */
    CV_PHRASE_STRONG = 8, /* letters of a line that are enough alone */
    CV_PHRASE_FEWEST = 4  /* letters of a line that say something */
};

typedef struct {
    uint64_t *slots; /* hashes; a power of two of them; 0: free */
    size_t capacity, count;
    uint32_t lengths; /* bit n: there are phrases of n letters */
} cv_phrases;

/* Adds the phrases of a line to those that are strong or weak. A line of fewer than `strong_bytes` is weak. */
void cv_phrases_add(cv_arena *a, cv_phrases *strong, cv_phrases *weak, cv_str line, size_t strong_bytes);

/* Is one of them in `bytes`? */
bool cv_phrases_in(cv_arena *a, const cv_phrases *p, cv_str bytes);

#endif
