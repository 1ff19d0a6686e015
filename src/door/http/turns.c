/* turns.c - who moves the bytes of a server; see turns.h. */
#include "door/http/turns.h"

#include <assert.h>

#include "base/monotonic.h"

bool cv_turns_init(cv_turns *t)
{
    *t = (cv_turns){0};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->given, NULL);
    cv_monotonic_cond_init(&t->called);
    return cv_os_wake_open(&t->poke);
}

void cv_turns_release(cv_turns *t)
{
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->given);
    pthread_cond_destroy(&t->called);
    cv_os_wake_close(&t->poke);
}

void cv_turns_poke(const cv_turns *t)
{
    cv_os_wake_up(&t->poke);
}

/* With the lock held. */
static void wait_for_turn(cv_turns *t)
{
    uint64_t count = t->count;
    t->waiting++;
    if (t->kept)
        cv_turns_poke(t);
    while (t->count == count && !t->closed)
        pthread_cond_wait(&t->given, &t->lock);
    t->waiting--;
}

cv_turn cv_turns_take(cv_turns *t, bool wait)
{
    pthread_mutex_lock(&t->lock);
    cv_turn turn = t->closed ? CV_TURN_CLOSED : t->taken ? CV_TURN_ANOTHERS : CV_TURN_MINE;
    if (turn == CV_TURN_MINE)
        t->taken = true;
    else if (turn == CV_TURN_ANOTHERS && wait)
        wait_for_turn(t);
    pthread_mutex_unlock(&t->lock);
    return turn;
}

void cv_turns_give(cv_turns *t, bool serves)
{
    pthread_mutex_lock(&t->lock);
    assert(t->taken && "only who has the turn gives it");
    t->taken = false;
    t->count++;
    bool waited = t->waiting > 0, call = t->asleep && (serves || t->closed);
    if (call)
        t->asleep = false;
    pthread_mutex_unlock(&t->lock);
    if (waited)
        pthread_cond_broadcast(&t->given);
    if (call)
        pthread_cond_signal(&t->called);
}

/* ---- the server ------------------------------------------------------------------------------------------------- */

/* It moves bytes itself; looks every beat whether somebody has had a turn; or sleeps while somebody waits for bytes. */
typedef enum { MOVES, WATCHES, SLEEPS } state;

/* All with the lock held. */

/* One turn of the server's. `due` is when what waits to be served has done so for too long. */
static state keep_turn(cv_turns *t, const cv_turns_server *k, int64_t *due)
{
    assert(!t->taken && !t->kept);
    bool waits = *due < INT64_MAX;
    t->taken = t->kept = true;
    pthread_mutex_unlock(&t->lock);
    k->move(k->ctx, waits ? CV_TURN_BEAT_MS : CV_TURN_LOOK_MS);
    int64_t now = cv_monotonic_ms();
    pthread_mutex_lock(&t->lock);
    assert(t->taken && t->kept);
    t->taken = t->kept = false;
    t->count++;
    if (t->waiting > 0) { /* who waits for the turn looks first at what there is to serve */
        pthread_cond_broadcast(&t->given);
        return WATCHES;
    }
    pthread_mutex_unlock(&t->lock);
    waits = k->hurry(k->ctx, *due <= now);
    pthread_mutex_lock(&t->lock);
    if (!waits)
        *due = INT64_MAX;
    else if (*due <= now || *due == INT64_MAX)
        *due = now + CV_TURN_BEAT_MS;
    return MOVES;
}

static state watch(cv_turns *t)
{
    uint64_t count = t->count;
    cv_monotonic_wait(&t->called, &t->lock, CV_TURN_BEAT_MS);
    if (t->count != count)
        return WATCHES;
    return t->taken ? SLEEPS : MOVES;
}

static state sleep_until_called(cv_turns *t)
{
    if (!t->taken)
        return WATCHES;
    assert(!t->asleep && "there is one server");
    t->asleep = true;
    cv_monotonic_wait(&t->called, &t->lock, CV_TURN_LOOK_MS);
    bool called = !t->asleep;
    t->asleep = false;
    return called || !t->taken ? WATCHES : SLEEPS;
}

void cv_turns_keep(cv_turns *t, const cv_turns_server *server)
{
    state now = MOVES;
    int64_t due = INT64_MAX;
    pthread_mutex_lock(&t->lock);
    while (!t->over) {
        if (now == MOVES && !t->taken) {
            now = keep_turn(t, server, &due);
        } else if (now == SLEEPS) {
            now = sleep_until_called(t);
        } else {
            now = watch(t);
            due = 0; /* if it comes to moving, a beat is over */
        }
        pthread_mutex_unlock(&t->lock);
        server->look(server->ctx);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

void cv_turns_close(cv_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->closed = true;
    t->asleep = false;
    cv_turns_poke(t);
    pthread_cond_broadcast(&t->given);
    pthread_cond_signal(&t->called);
    pthread_mutex_unlock(&t->lock);
}

void cv_turns_end(cv_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->over = true;
    cv_turns_poke(t);
    pthread_cond_signal(&t->called);
    pthread_mutex_unlock(&t->lock);
}
