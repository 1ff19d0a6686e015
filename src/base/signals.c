/* signals.c - what the program does with signals; see signals.h. */
#include "base/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

bool cv_signals_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Nobody here sets them to be ignored: one that is was so from the start. */
static sigset_t all(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (!cv_signals_ignored(ending[i]))
            sigaddset(&set, ending[i]);
    return set;
}

static void handle_all(const struct sigaction *action)
{
    sigset_t set = all();
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigismember(&set, ending[i]) == 1)
            sigaction(ending[i], action, NULL);
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

void cv_signals_begin(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* ignored, the status of a child would be lost */
}

void cv_signals_hold(void)
{
    sigset_t set = all();
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
    struct sigaction action = {.sa_handler = end_at_once};
    int number;
    sigwait(&set, &number);
    handle_all(&action);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void cv_signals_note(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    noted = 0;
    handle_all(&action);
}

bool cv_signals_came(void)
{
    return noted != 0;
}
