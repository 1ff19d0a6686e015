/* policy.h - what a workflow has decided about its chats: a file beside them, no code.
 *
 *     chat_policy.json in the chat's folder, else in .conclave/chat:
 *
 *     {"types": ["QUESTION", "ANSWER"],                  other types are refused; absent: any type
 *      "other_types": "refuse",                          or "accept", "warn"
 *      "roles": ["Specifier", "Implementer", "Validator", "Consultant"],
 *      "combos": ["Specifier+Validator"],                allowed joined roles; absent: all that are not disallowed
 *      "disallowed_combos": ["Implementer+Validator"],
 *      "consult": "refuse",                              incomplete consult messages: or "warn", "off"
 *      "archive": true}                                  may a digest be written when both sides say so
 *
 * Types of the protocol itself (CLOSE_REQUEST, CLOSE_ACK, USER_OVERRIDE, CONSULT_…) are always allowed.
 */
#ifndef CV_CHAT_POLICY_H
#define CV_CHAT_POLICY_H

#include "chat/place.h"
#include "kit/notice.h"

typedef enum { CV_POLICY_REFUSE, CV_POLICY_WARN, CV_POLICY_ACCEPT } cv_policy_measure;

typedef struct {
    bool has_types, has_roles, has_combos;
    cv_words types, roles, combos, disallowed;
    cv_policy_measure other_types, consult;
    bool archive;
} cv_chat_policy;

/* Without a file: everything is allowed, consult messages must be complete. False: the file cannot be read or is not
 * one; call->errs says so. */
bool cv_chat_policy_load(cv_call *call, const cv_chat_folder *folder, cv_chat_policy *ret);

/* Faults or warnings about a type, about the role of a participant. */
void cv_chat_policy_type(cv_call *call, const cv_chat_policy *policy, cv_str type, cv_notices *warnings);
void cv_chat_policy_role(cv_call *call, const cv_chat_policy *policy, const char *field, cv_str who);

#endif
