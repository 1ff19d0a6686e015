/* words.h - the words of the mail room as tables. */
#ifndef CV_MAIL_WORDS_WORDS_H
#define CV_MAIL_WORDS_WORDS_H

#include "base/str.h"

typedef enum {
#define STATE(id, word, open, claimable, receipt, task) CV_MAIL_##id,
#include "mail/words/states.def"
#undef STATE
    CV_MAIL_STATE_COUNT
} cv_mail_state;

typedef struct {
    cv_str word, receipt, task;
    bool open, claimable;
} cv_mail_state_row;

extern const cv_mail_state_row cv_mail_states[CV_MAIL_STATE_COUNT + 1]; /* the last: of a word that is none of them */
extern const cv_words cv_mail_state_words;
extern const cv_words cv_mail_receipt_words; /* accepted, delivered, claimed, done, … */
extern const cv_words cv_mail_status_words;  /* of an agent: online, offline, idle, busy */
extern const cv_words cv_mail_writing_words; /* mailbox, envelope */

/* The state with this word; a word that is not one of them is CV_MAIL_STATE_COUNT. */
cv_mail_state cv_mail_state_of(cv_str word);

#endif
