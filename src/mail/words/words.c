/* words.c - the words of the mail room; see words.h. */
#include "mail/words/words.h"

const cv_mail_state_row cv_mail_states[CV_MAIL_STATE_COUNT + 1] = {
#define STATE(id, word, open, claimable, receipt, task)                                                                \
    {CV_STR_INIT(word), CV_STR_INIT(receipt), CV_STR_INIT(task), open, claimable},
#include "mail/words/states.def"
#undef STATE
    [CV_MAIL_STATE_COUNT] = {CV_STR_INIT(""), CV_STR_INIT(""), CV_STR_INIT(""), false, false},
};

static const cv_str state_words[] = {
#define STATE(id, word, open, claimable, receipt, task) CV_STR_INIT(word),
#include "mail/words/states.def"
#undef STATE
};
const cv_words cv_mail_state_words = {state_words, CV_COUNT(state_words)};
_Static_assert(CV_COUNT(state_words) == CV_MAIL_STATE_COUNT, "every state has its word");

static const cv_str receipt_words[] = {
    CV_STR_INIT("delivered"), /* accepted, and the recipient has seen it */
#define STATE(id, word, open, claimable, receipt, task) CV_STR_INIT(receipt),
#include "mail/words/states.def"
#undef STATE
};
const cv_words cv_mail_receipt_words = {receipt_words, CV_COUNT(receipt_words)};
_Static_assert(CV_COUNT(receipt_words) == CV_MAIL_STATE_COUNT + 1, "a receipt for every state, and one more");

static const cv_str status_words[] = {CV_STR_INIT("online"), CV_STR_INIT("offline"), CV_STR_INIT("idle"),
                                      CV_STR_INIT("busy")};
const cv_words cv_mail_status_words = {status_words, CV_COUNT(status_words)};

static const cv_str writing_words[] = {CV_STR_INIT("mailbox"), CV_STR_INIT("envelope")};
const cv_words cv_mail_writing_words = {writing_words, CV_COUNT(writing_words)};

cv_mail_state cv_mail_state_of(cv_str word)
{
    int at = cv_words_find(cv_mail_state_words, word);
    return at < 0 ? CV_MAIL_STATE_COUNT : (cv_mail_state)at;
}
