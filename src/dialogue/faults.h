/* faults.h - what is wrong with a request about a dialogue (kit/fault.h), in the words of the specification. */
#ifndef CV_DIALOGUE_FAULTS_H
#define CV_DIALOGUE_FAULTS_H

#include "dialogue/state.h"
#include "kit/fault.h"

void cv_fault_letter(const cv_spot *at, cv_str side, char letter);
void cv_fault_expert(const cv_spot *at, const cv_state *s, cv_str slug);

/* "did you mean 'muffin', the Value Analyst?"; false: nobody is meant. */
bool cv_suggest_expert(cv_err *err, const cv_state *s, cv_str name, const char *before);

/* Has an expert of any dialogue this name? Else the fault is among those of the call. */
bool cv_require_known(cv_call *call, cv_str slug);

/* A status that is none of `known` is a fault of `field`. */
void cv_refuse_unless_status(cv_call *call, const char *field, cv_str status, cv_words known);

void cv_fault_not_found(const cv_spot *at, const cv_state *s, cv_str id);

/* `side` is "source" or "target": which id does not begin with the letter of `wanted`. */
void cv_fault_kind(const cv_spot *at, cv_str side, cv_kind wanted, cv_str id);

/* A reference that does not fit: from `source` (a letter, '@' for an expert) to `target`. */
void cv_fault_reference(const cv_spot *at, cv_ref ref, cv_str source_id, char source, cv_str target_id, char target);
void cv_fault_transition(const cv_spot *at, cv_str id, cv_status from, cv_status to);

/* Is it an id with a letter that is not a kind: X0001, MUFFIN-p0101? Then which. */
bool cv_id_bad_letter(cv_str id, char *ret_letter);

#endif
