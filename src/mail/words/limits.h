/* limits.h - the ceilings of the mail room, with their reasons. An agent may have others: kit/agents.h. */
#ifndef CV_MAIL_WORDS_LIMITS_H
#define CV_MAIL_WORDS_LIMITS_H

#include <stdint.h>

enum {
    CV_MAIL_MAX_RECIPIENTS = 10000,  /* of one message: a write of that many rows still takes a second */
    CV_MAIL_MAX_ATTEMPTS = 3,        /* claims of one delivery; then it is a dead letter */
    CV_MAIL_MAX_HOPS = 32,           /* answers to answers, if the sender has no limit of its own */
    CV_MAIL_LEASE_SECONDS = 600,     /* of a claim that names none: a model works for minutes on one thing */
    CV_MAIL_SILENCE_SECONDS = 300,   /* without a sign of life: then an agent is offline */
    CV_MAIL_SIGN_SECONDS = 10,       /* signs of life that are closer to each other are one */
    CV_MAIL_WAIT_SECONDS = 30,       /* a wait that names none */
    CV_MAIL_MAX_SECONDS = 315360000, /* until a message expires, as in schemas/mail_send.json: ten years */
    CV_MAIL_PAGE = 50,               /* messages on a page that names no limit */
    CV_MAIL_MAX_SETTLED = 1000,      /* deliveries that one claim finds expired or used up, and settles */
    CV_MAIL_MAX_TASKS = 10000,       /* of one request */
    CV_MAIL_MAX_DEPTH = 16,          /* plans within plans */
};

/* Bytes of one message, if the sender has no limit of its own, and at most. */
#define CV_MAIL_SIZE ((int64_t)1 << 20)
#define CV_MAIL_MAX_SIZE ((int64_t)64 << 20)

/* Bytes of a prompt, an answer, a report or a state: as many as a template may give. */
#define CV_MAIL_MAX_TEXT ((int64_t)16 << 20)

#endif
