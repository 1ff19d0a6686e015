/* playing.h - an import under way: what play.c, play_round.c and play_verdict.c share. */
#ifndef CV_DIALOGUE_IMPORT_PLAYING_H
#define CV_DIALOGUE_IMPORT_PLAYING_H

#include "dialogue/import/play.h"
#include "dialogue/intake/extract.h"
#include "kit/invoke.h"

typedef struct {
    cv_extract extract;
    size_t which; /* of its verdicts */
} cv_late_verdict;

typedef struct {
    const cv_call *call;
    cv_record *record;
    cv_script *s;
    cv_played *played;
    cv_str identity;                         /* a hash of what the dialogue is called */
    bool failed;                             /* something was refused that is not a conflict */
    CV_STATE_LIST(cv_late_verdict) verdicts; /* dissents and minorities: they may follow all rounds */
    cv_map verdict_ids;
} cv_playing;

/* A request with its op_id and dialogue: members follow, send ends and sends it. */
cv_json_writer cv_playing_begin(cv_playing *p, cv_buf *text, const char *step);
cv_json_writer cv_playing_begin_bare(cv_playing *p, cv_buf *text,
                                     const char *step); /* what is heard names the dialogue */
bool cv_playing_send(cv_playing *p, cv_json_writer *w, const char *step, cv_handler run, cv_reply *ret_reply);

/* Sends `create`: its members are in `w`. True when the dialogue is there, made now or by an earlier import. */
bool cv_playing_create(cv_playing *p, cv_json_writer *w);

/* What the dialogue is called, and so its op_ids, from the script's key and title. */
void cv_playing_identify(cv_playing *p);

/* The dialogue as it was before the round. */
bool cv_playing_load(cv_playing *p, int round, cv_state *ret_state);

void cv_playing_round(cv_playing *p, int round);
void cv_playing_verdict(cv_playing *p, const cv_late_verdict *verdict);

/* Verdicts (play_verdict.c): those that the judge's texts have are found before the dialogue is made; the final one and
 * those in sections of their own are registered when all rounds are there. */
void cv_script_find_verdicts(cv_script *s);
void cv_playing_endings(cv_playing *p);

/* The pool of the script, as `create` wants it; nothing when there is none. */
void cv_playing_pool(const cv_script *s, cv_json_writer *w);

#endif
