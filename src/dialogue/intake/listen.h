/* listen.h - the walk over all voices, inside: what hearing.c, heard.c and meant.c share.
 *
 *     hearing.c   the items of all voices first, so that references may point forward and across; then mark by mark
 *     heard.c     what a mark that is no item says
 *     meant.c     what an id in a response means
 */
#ifndef CV_DIALOGUE_INTAKE_LISTEN_H
#define CV_DIALOGUE_INTAKE_LISTEN_H

#include "dialogue/intake/hearing.h"

typedef struct {
    cv_arena *a;
    const cv_state *s;
    int64_t round;
    const cv_map *names;
    cv_hearing *h;
    CV_STATE_LIST(cv_heard_entity *) made; /* in the order of the voices and texts */
    size_t counts[CV_KIND_COUNT];
    cv_map entity_at; /* local id -> cv_heard_entity * */
    cv_map voice_at;  /* who is heard */
    cv_map seen;      /* source, type, target of every reference so far */
    cv_map planned;   /* tension -> its status after the updates so far, plus one */
    cv_map verdicts;  /* verdict id -> how often it was asked for */
    /* where we are */
    const cv_speech *speech;
    const cv_said *said;
    bool noted;            /* a note has the mark's text already */
    cv_str reason;         /* label and body of the mark, once somebody asked for both */
    cv_map updated;        /* tensions that the mark has said something of */
    bool is_judge;         /* … speaks */
    cv_heard_entity *last; /* the expert's own item that was spoken of last */
    cv_map shorts;         /* short ids of this voice -> cv_meaning * */
} cv_listener;

/* A note about the mark at hand; `id` may be empty. */
cv_heard_note *cv_listen_note(cv_listener *l, cv_str type, cv_str id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What the mark at hand says, when it makes no item. An item that refines others makes its references here, too. */
void cv_listen_mark(cv_listener *l);

typedef struct {
    cv_str id;      /* as round-register takes it; empty: nothing */
    char letter;    /* of its kind; '@' for an expert */
    bool pending;   /* an id of this round by somebody who is not heard here */
    cv_str others;  /* nothing, because it may mean these: "T0001 or T0002" */
    bool by_number; /* a short id that was looked up in the dialogue */
} cv_meaning;

cv_meaning cv_listen_meaning(cv_listener *l, const cv_id *id);

#endif
