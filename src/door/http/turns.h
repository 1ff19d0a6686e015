/* turns.h - who moves the bytes of a server: one thread at a time, in turns.
 *
 *     a worker without work    takes the turn, moves what there is, gives the turn back, serves what it has read
 *     the server               takes it when nobody has for a beat, until somebody wants it again
 *
 * So a request is mostly read, served and answered by one thread: nothing is passed and nobody is woken. And a
 * request that takes long holds up no other: then the server's own thread reads the next ones and calls
 * more workers for them. While workers have nothing to do they sit in the turn and wait for bytes, and the server
 * sleeps.
 *
 * Who moves bytes holds no lock, so all of this is passed on under one that nobody holds for long. Whatever only the
 * one in the turn touches needs no other.
 */
#ifndef CV_DOOR_HTTP_TURNS_H
#define CV_DOOR_HTTP_TURNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/os.h"

enum { CV_TURN_BEAT_MS = 2, CV_TURN_LOOK_MS = 200 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t given;  /* the turn has been given back: for those who wait for it */
    pthread_cond_t called; /* for the server: somebody has left the turn with something to serve */
    cv_os_wake poke;       /* for the one who waits for bytes */
    uint64_t count;        /* turns so far */
    unsigned waiting;      /* for the turn */
    bool taken, kept;      /* … by the server */
    bool asleep;           /* the server, until it is called */
    bool closed;           /* for all but the server */
    bool over;
} cv_turns;

/* What the server does. `move` is what is done in a turn: it waits for bytes for at most so long. `look` is called at
 * least every CV_TURN_LOOK_MS. `hurry` says whether something that was read waits to be served; `now`: it has waited
 * for a beat, somebody else shall serve it. */
typedef struct {
    void (*move)(void *ctx, int ms);
    void (*look)(void *ctx);
    bool (*hurry)(void *ctx, bool now);
    void *ctx;
} cv_turns_server;

typedef enum { CV_TURN_MINE, CV_TURN_ANOTHERS, CV_TURN_CLOSED } cv_turn;

bool cv_turns_init(cv_turns *t); /* false: errno says why */
void cv_turns_release(cv_turns *t);

/* The turn; or another has it, and `wait` means until it has been given back. */
cv_turn cv_turns_take(cv_turns *t, bool wait);
void cv_turns_give(cv_turns *t, bool serves); /* … and goes away to serve what it has read */

/* Who waits for bytes in its turn shall look for something else, or give the turn back. */
void cv_turns_poke(const cv_turns *t);

void cv_turns_keep(cv_turns *t, const cv_turns_server *server); /* until it is over */
void cv_turns_close(cv_turns *t);                               /* from here on the server has all turns */
void cv_turns_end(cv_turns *t);

#endif
