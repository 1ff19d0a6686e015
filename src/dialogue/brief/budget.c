/* budget.c - as much of a prompt as a budget of tokens holds; see budget.h. */
#include "dialogue/brief/budget.h"

/* The cut after so many steps; `old` rounds can be shortened. */
static cv_prompt_cut cut_after(int64_t steps, int64_t old)
{
    int64_t taken[3];
    for (int i = 0; i < 3; i++) {
        taken[i] = steps < old ? steps : old;
        steps -= taken[i];
    }
    return (cv_prompt_cut){taken[0], taken[1], taken[2]};
}

static int64_t write_cut(cv_prompt *p, int64_t steps, int64_t old)
{
    p->cut = cut_after(steps, old);
    cv_buf_clear(p->out);
    cv_prompt_write(p);
    return cv_prompt_tokens(p->out->n);
}

bool cv_budget_fit(cv_prompt *p, int64_t *ret_least)
{
    int64_t old = p->v->rounds.count > 1 ? (int64_t)p->v->rounds.count - 1 : 0;
    int64_t too_few = 0, enough = 3 * old, tried = 0;
    *ret_least = write_cut(p, 0, old);
    if (p->token_budget == 0 || *ret_least <= p->token_budget)
        return true;
    *ret_least = write_cut(p, tried = enough, old);
    if (*ret_least > p->token_budget)
        return false;
    while (enough - too_few > 1) {
        tried = (too_few + enough) / 2;
        if (write_cut(p, tried, old) <= p->token_budget)
            enough = tried;
        else
            too_few = tried;
    }
    if (tried != enough)
        write_cut(p, enough, old);
    return true;
}
