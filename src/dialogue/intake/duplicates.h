/* duplicates.h - items of one round that different experts bring and that seem to say the same.
 *
 *     MUFFIN-P0101   "Income mandate mismatch"     the same label, case and punctuation aside
 *     DONUT-P0102    "Income Mandate: mismatch"
 *
 * Two items are duplicates when they are of one kind and of different experts, and their labels have the same words,
 * or, when both have at least CV_DUPLICATE_WORDS, their words (label and text, each once) overlap: shared ÷ all of
 * either is at least CV_DUPLICATE_PERCENT in a hundred. A group is the first item and all later ones that are
 * duplicates of it.
 *
 * Overlaps are counted along an index from words to items, not by comparing texts; the words per item have a ceiling
 * (limits.h), and so have the items of a kind that a extract holds: it notes the rest (too_many). Pure; nothing is
 * merged here: only the judge does that.
 */
#ifndef CV_DIALOGUE_INTAKE_DUPLICATES_H
#define CV_DIALOGUE_INTAKE_DUPLICATES_H

#include "dialogue/intake/extract.h"

enum { CV_DUPLICATE_PERCENT = 60, CV_DUPLICATE_WORDS = 6 };

typedef struct {
    const cv_extracted_entity **items; /* the first one and its duplicates */
    size_t count;
    bool same_label; /* all of them */
    int similarity;  /* in a hundred: the lowest with the first one */
} cv_duplicates;

typedef CV_STATE_LIST(cv_duplicates) cv_duplicate_groups;

void cv_duplicates_find(cv_arena *a, const cv_extract *h, cv_duplicate_groups *ret_groups);

/* {"ids", "why", "similarity", "merge": {"local_id", "also", "contributors"}}: the last is what the first item has to
 * say in round-register for all of them; the others are then left out. */
void cv_duplicates_print(const cv_duplicates *duplicates, cv_json_writer *w);

#endif
