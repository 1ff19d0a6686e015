/* words.h - a command line as its words: split as a shell would do it, but without a shell.
 *
 *     claude -p --model 'claude opus'      ->  claude | -p | --model | claude opus
 *
 * Quotes and backslashes mean what they mean to a POSIX shell. What only a shell can do (pipes, redirections,
 * variables, patterns, several commands) is an error with its column: nothing is handed to a command that somebody
 * meant for a shell.
 */
#ifndef CV_KIT_REACH_WORDS_H
#define CV_KIT_REACH_WORDS_H

#include "base/err.h"

/* The words are in the arena; there is at least one. The error has the column, in code points. */
bool cv_command_split(cv_arena *a, cv_str line, cv_words *ret_words, cv_err *err);

/* The line that gives these words, with as few quotes as possible: for people, and to be split again. */
cv_str cv_command_join(cv_arena *a, cv_words words);

/* The word with `by` in the place of a placeholder, as often as it is there; *used: it is. */
cv_str cv_command_fill(cv_arena *a, cv_str word, cv_str placeholder, cv_str by, bool *used);

#endif
