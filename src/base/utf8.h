/* utf8.h - UTF-8: is it valid, which code points, how wide on a terminal. */
#ifndef CV_BASE_UTF8_H
#define CV_BASE_UTF8_H

#include "base/str.h"

/* Bytes of valid UTF-8 at the beginning of `s`: s.n when all of it is. Overlong forms, surrogates and anything
 * beyond U+10FFFF are invalid. Runs at memory speed over ASCII. */
size_t cv_utf8_valid(cv_str s);

/* Cuts one code point off the front of valid UTF-8; false at the end. */
bool cv_utf8_next(cv_str *rest, uint32_t *ret_code);

/* Code points in valid UTF-8. */
size_t cv_utf8_count(cv_str s);

/* Writes `code` as 1-4 bytes to `to`, returns how many. */
size_t cv_utf8_put(uint32_t code, char to[4]);

/* Columns on a terminal (wide and combining characters counted as such; control characters as 0). */
size_t cv_utf8_width(cv_str s);

/* Emoji as they stand in headings and tables: pictographs, dingbats, their joiners and selectors. */
bool cv_utf8_is_emoji(uint32_t code);

#endif
