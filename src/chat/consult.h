/* consult.h - the rules of the consultant overlay: what its messages need, and what they hold up.
 *
 *     CONSULT_REQUEST    holds up its requester until a CONSULT_RESPONSE of its domain says OK_TO_PROCEED: yes
 *     CONSULT_BLOCKER    holds up everybody it goes to, until the same
 *     USER_OVERRIDE      of a verified person, which names one of them, clears it
 *
 * A response answers a request when it says so (RE) and has its domain, or says nothing and has its domain. The last
 * one counts: a `no` after a `yes` holds up again. Which fields are needed is data: words/consult.def.
 */
#ifndef CV_CHAT_CONSULT_H
#define CV_CHAT_CONSULT_H

#include "chat/chat.h"
#include "chat/policy.h"
#include "chat/text/fields.h"

typedef struct {
    struct {
        cv_chat_message_row *items; /* by number */
        size_t count, capacity;
    } kinds[CV_CONSULT_COUNT], overrides;
    cv_arena *arena;
} cv_consult_state;

/* The consult messages of a chat that the record has seen. */
bool cv_consult_load(cv_call *call, const cv_chat_place *place, cv_consult_state *ret, cv_err *err);

/* Is the message answered, or overridden? Else it holds up whom it concerns. */
bool cv_consult_is_cleared(const cv_consult_state *state, cv_consult_kind kind, const cv_chat_message_row *m);

/* Does the message hold up this participant? */
bool cv_consult_concerns(cv_consult_kind kind, const cv_chat_message_row *m, cv_str who);

/* What would clear it, for people. */
cv_str cv_consult_remedy(cv_arena *a, cv_consult_kind kind, const cv_chat_message_row *m);

/* A consult message that is to be sent: faults in call->errs, or warnings where the policy says so. */
void cv_consult_check(cv_call *call, const cv_chat_place *place, const cv_chat_policy *policy,
                      const cv_chat_draft *draft, cv_notices *warnings);

/* All that is wrong with one message, as sentences: for `check`. `required`: it must be there. */
typedef void (*cv_consult_tell)(void *ctx, const char *code, bool required, cv_str text);
void cv_consult_lint(const cv_call *call, const cv_consult_state *state, cv_consult_kind kind,
                     const cv_chat_message_row *m, cv_consult_tell tell, void *ctx);

#endif
