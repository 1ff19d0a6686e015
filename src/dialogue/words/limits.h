/* limits.h - the ceilings of the dialogue room, with their reasons; those of all are in base/limits.h. */
#ifndef CV_DIALOGUE_WORDS_LIMITS_H
#define CV_DIALOGUE_WORDS_LIMITS_H

#include "base/limits.h"

enum {
    /* Brackets inside a marker's label. More is not a label, and the bound keeps the scan linear. */
    CV_MAX_LABEL_DEPTH = 8,
    /* Bytes of what is nearly a mark that are looked at: words and ids, not the label. */
    CV_MAX_HEAD = 200,
    /* Backticks that open a code span; longer runs are text, so that each length is searched for once per line. */
    CV_MAX_TICKS = 32,
    /* An expert's slug, as the record stores it. */
    CV_MAX_SLUG = 32,
    /* A dialogue id: fits a file name with suffixes on every file system. */
    CV_MAX_DIALOGUE_ID = 80,
    /* Rounds and entities per round and kind: display ids have two digits for each. */
    CV_MAX_ROUND = 99,
    CV_MAX_SEQ = 99,
    /* The title of a dialogue or a round in characters: it becomes a heading, a line of a list and the id. */
    CV_MAX_TITLE = 500,
    /* A tag in characters, and tags of one dialogue: words of a line in a list. */
    CV_MAX_TAG = 40,
    CV_MAX_TAGS = 30,
    /* A label in characters: a cell of tables and a line of lists, in every later prompt. The longest that is known has
     * 192; above the second number its writer gets a warning. */
    CV_MAX_LABEL = 500,
    CV_LONG_LABEL = 200,
    /* A role, a focus, a domain: one line of a prompt or a cell of a table. */
    CV_MAX_PHRASE = 1000,
    /* A question, a description, a reason: pages, but not books; every expert reads them. */
    CV_MAX_PROSE = 100000,
    /* Experts in one pool and in one dialogue; real pools have 8 to 30. */
    CV_MAX_EXPERTS = 500,
    /* Background and calibration as JSON, in bytes: they go into every expert's prompt. */
    CV_MAX_BACKGROUND = 1 << 20,
    /* … and how deeply they nest: answers that contain them stay below CV_MAX_JSON_DEPTH. */
    CV_MAX_BACKGROUND_DEPTH = 32,
    /* Dialogues with the same title: the id's suffix has two digits. */
    CV_MAX_SAME_TITLE = 99,
    /* Hits that the likeness of dialogues is made from: the best of the whole record. */
    CV_MAX_SIMILAR_HITS = 500,
    /* Words of a label and of a text by which items are compared; what says the same begins alike. */
    CV_MAX_TWIN_WORDS = 500,
};

/* An expert's response, in bytes: ten times the longest that an agent is known to have written. */
#define CV_MAX_RESPONSE ((size_t)4 << 20)

#endif
