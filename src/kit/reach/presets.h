/* presets.h - programs that we know how to call: their words, where their answer is, which variables they need.
 *
 *     claude -p --model opus   ->   claude -p --model opus --output-format json
 *                                   the answer, tokens, cost and model are read from that JSON
 *
 * `preset = "claude"` stands for the words of its row; a command that is written out and begins like a preset is taken
 * for it. Options that are there already stay as they are.
 */
#ifndef CV_KIT_REACH_PRESETS_H
#define CV_KIT_REACH_PRESETS_H

#include "kit/reach/reach.h"

/* What is on the standard output of a program. */
typedef enum {
    CV_OUTPUT_TEXT,   /* the answer */
    CV_OUTPUT_CLAUDE, /* {"type": "result", "result": "…", "usage": {…}, "total_cost_usd": 0.01} */
    CV_OUTPUT_CODEX,  /* events, one per line; the answer is in {output_file} */
    CV_OUTPUT_GEMINI, /* {"response": "…", "stats": {"models": {…}}} */
} cv_preset_output;

struct cv_preset {
    cv_str name, with, words, adds, model;
    cv_preset_output reads;
    cv_str keys, env; /* names with blanks between them */
};

extern const cv_preset cv_presets[];
extern const cv_words cv_preset_names;

/* The preset that these words begin like; NULL: none. */
const cv_preset *cv_preset_of(cv_words argv);

/* The words with everything that the preset adds. */
cv_words cv_preset_complete(cv_arena *a, const cv_preset *preset, cv_words argv);

/* What the program will print: an option of the user's own may ask for something else. */
cv_preset_output cv_preset_output_of(const cv_preset *preset, cv_words argv);

#endif
