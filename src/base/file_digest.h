/* file_digest.h - sixteen characters by which a text is known again: they show whether somebody has edited a file, not
 * who has. It is quick, and protects from nobody; what must not be forged has a hash (record/hash.h).
 */
#ifndef CV_BASE_FILE_DIGEST_H
#define CV_BASE_FILE_DIGEST_H

#include <stdint.h>

#include "base/str.h"

enum { CV_FILE_DIGEST_LANES = 4, CV_FILE_DIGEST_LEN = 16 };

/* {0}: nothing yet. Eight bytes at a time. */
typedef struct {
    uint64_t lanes[CV_FILE_DIGEST_LANES]; /* word by word in turn: they do not wait for each other */
    uint64_t word;
    unsigned filled; /* bytes of the word that are there */
    unsigned next;   /* the lane that it goes to */
} cv_file_digest;

/* More of the text. The pieces in which it comes make no difference. */
void cv_file_digest_add(cv_file_digest *d, cv_str bytes);

/* The digest of all that was added, which is a view into `to`. */
cv_str cv_file_digest_print(const cv_file_digest *d, char to[CV_FILE_DIGEST_LEN + 1]);

#endif
