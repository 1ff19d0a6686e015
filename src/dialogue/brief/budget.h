/* budget.h - as much of a prompt as a budget of tokens holds.
 *
 * What is left out, in this order, until the prompt fits; each step from the oldest round on, and never from the last:
 *
 *     1 the texts of items     their labels stay
 *     2 evidence and claims    altogether
 *     3 the judge's syntheses
 *
 * Open tensions, and what the expert said itself and still stands, are never shortened. Steps are halved, not tried one
 * by one: a prompt is written about ten times at most.
 */
#ifndef CV_DIALOGUE_BRIEF_BUDGET_H
#define CV_DIALOGUE_BRIEF_BUDGET_H

#include "dialogue/brief/prompt.h"

/* Writes the prompt into its buffer, cut so that it fits p->token_budget (0: whole), and leaves the cut in p->cut.
 * False: even the shortest is too long; *ret_least is how many tokens that has. */
bool cv_budget_fit(cv_prompt *p, int64_t *ret_least);

#endif
