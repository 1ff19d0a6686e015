/* signals.c - the signals that end a server; see signals.h. */
#include "base/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static sigset_t all(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&set, ending[i]);
    return set;
}

static volatile sig_atomic_t noted;

static void note(int number)
{
    noted = number;
}

static void end_at_once(int number)
{
    _exit(128 + number);
}

void cv_signals_hold(void)
{
    sigset_t set = all();
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void cv_signals_let_go(void)
{
    sigset_t set = all();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void cv_signals_wait(void)
{
    sigset_t set = all();
    int number;
    sigwait(&set, &number);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        signal(ending[i], end_at_once);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void cv_signals_note(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    noted = 0;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaction(ending[i], &action, NULL);
}

bool cv_signals_came(void)
{
    return noted != 0;
}
