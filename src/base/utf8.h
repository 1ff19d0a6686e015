/* utf8.h - UTF-8: is it valid, which code points, how wide on a terminal, where it may be cut. */
#ifndef CV_BASE_UTF8_H
#define CV_BASE_UTF8_H

#include "base/arena.h"

/* Bytes of valid UTF-8 at the beginning of `s`: s.n when all of it is. Overlong forms, surrogates and anything
 * beyond U+10FFFF are invalid. Runs at memory speed over ASCII. */
size_t cv_utf8_valid(cv_str s);

/* Bytes of the valid code point that `s`, which is not empty, begins with; 0 when there is none. */
size_t cv_utf8_first(cv_str s);

/* Is it the second, third or fourth byte of a character? No text may be cut before it. */
static inline bool cv_utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* At most `most` bytes of `s`, cut between characters. */
cv_str cv_utf8_head(cv_str s, size_t most);

/* At most so many characters of valid UTF-8. */
cv_str cv_utf8_limit(cv_str s, size_t characters);

/* At most `most` bytes for a message: an ellipsis stands for what was cut off. */
cv_str cv_utf8_excerpt(cv_arena *a, cv_str s, size_t most);

/* The same, as short as a value in the middle of a sentence. */
cv_str cv_excerpt(cv_arena *a, cv_str s);

/* Cuts one code point off the front of valid UTF-8; false at the end. */
bool cv_utf8_next(cv_str *rest, uint32_t *ret_code);

/* Code points in valid UTF-8. */
size_t cv_utf8_count(cv_str s);

/* Moves a place, 1-based line and column in code points, on from the beginning of `s` to its end. */
void cv_utf8_advance(cv_str s, size_t *line, size_t *column);

/* Writes `code` as 1-4 bytes to `to`, returns how many. */
size_t cv_utf8_put(uint32_t code, char to[4]);

/* Columns on a terminal (wide and combining characters counted as such; control characters as 0). */
size_t cv_utf8_width(cv_str s);

/* Characters of scripts that are written without spaces between words. */
bool cv_utf8_is_unspaced(uint32_t code);

/* Cuts the next word off valid UTF-8: a run of letters and digits with their marks, or (`*ret_alone`) one character of
 * a script without spaces. False at the end. */
bool cv_utf8_next_word(cv_str *rest, cv_str *ret_word, bool *ret_alone);

/* Emoji as they are in headings and tables: pictographs, dingbats, their joiners and selectors. */
bool cv_utf8_is_emoji(uint32_t code);

#endif
