/* id.h - the names of things: display ids, local ids, short ids, slugs.
 *
 *     P0102            display id: perspective, round 1, number 2 of the whole dialogue
 *     MUFFIN-P0102     local id: the second perspective of Muffin in round 1
 *     P02              short id, as the assembled documents use it: the second of its speaker or table
 *     T04-R1, T1.1     short ids with a suffix, as found in real files
 *     @muffin          an expert's overall position
 */
#ifndef CV_DIALOGUE_WORDS_ID_H
#define CV_DIALOGUE_WORDS_ID_H

#include "base/arena.h"
#include "dialogue/words/words.h"

typedef enum { CV_ID_NONE, CV_ID_DISPLAY, CV_ID_LOCAL, CV_ID_SHORT, CV_ID_EXPERT } cv_id_form;

typedef struct {
    cv_id_form form;
    cv_kind kind;      /* not for EXPERT */
    int round, number; /* DISPLAY, LOCAL; SHORT has number only, -1 when it has none (T-NEW) */
    cv_str expert;     /* LOCAL, EXPERT: as written */
    cv_str suffix;     /* SHORT: what follows the number, with its dot or dash */
} cv_id;

/* The whole of `s` as an id of any form; false when it is none. */
bool cv_id_parse(cv_str s, cv_id *ret_id);

/* An id at the beginning of `s`, ending before white space or punctuation; *ret_length bytes long. Also
 * reads `MUFFIN R1-T01`, the way some experts write a local id. */
bool cv_id_at(cv_str s, cv_id *ret_id, size_t *ret_length);

/* The one spelling of an id: P1 and P001 become P01, experts' names upper case in local ids and lower case behind @. */
cv_str cv_id_print(cv_arena *a, const cv_id *id);

/* `s` in its one spelling when it is an id, else `s` itself. */
cv_str cv_id_normal(cv_arena *a, cv_str s);

/* [a-z0-9][a-z0-9-]{0,31}, accepted in any case. */
bool cv_slug_ok(cv_str s);

/* The slug of a title: marks dropped from Latin letters, other scripts kept, case folded, the rest dashes. */
cv_str cv_slug_of_title(cv_arena *a, cv_str title);

/* The local id that words of a query are, in any case; absent: they are none. */
cv_str cv_id_local_of(cv_arena *a, cv_str words);

#endif
