/* spent.c - what the calls of a run have used; see spent.h. */
#include "run/spent.h"

#include "kit/reach/reach.h"

enum { BYTES_PER_TOKEN = 4 }; /* where nobody counts: as prompts are measured */

static int64_t or_zero(int64_t value)
{
    return value == CV_ABSENT ? 0 : value;
}

static bool is_state(const cv_attempt_row *row, cv_attempt_state state)
{
    return cv_str_eq(row->state, cv_attempt_words.items[state]);
}

static bool is_call(const cv_attempt_row *row, cv_spent_part part)
{
    bool control = cv_str_eq(row->task, cv_task_words.items[CV_TASK_CONTROL]);
    int way = cv_words_find(cv_reach_words, row->reach);
    return (part == CV_SPENT_ALL || control == (part == CV_SPENT_CONTROL)) && way <= CV_REACH_ENDPOINT &&
           !is_state(row, CV_ATTEMPT_NOT_STARTED);
}

cv_spent cv_spent_of(const cv_attempts *attempts, cv_spent_part part)
{
    cv_spent t = {0};
    int64_t priced = 0, prompts = 0;
    for (size_t i = 0; i < attempts->count; i++) {
        const cv_attempt_row *row = &attempts->items[i];
        int64_t prompt = or_zero(row->prompt_bytes) / BYTES_PER_TOKEN;
        if (!is_call(row, part))
            continue;
        t.calls++;
        if (is_state(row, CV_ATTEMPT_STARTED)) {
            t.running++;
            prompts += prompt;
            continue;
        }
        bool counted = row->tokens_in != CV_ABSENT || row->tokens_out != CV_ABSENT;
        t.ended++;
        t.tokens_in += or_zero(row->tokens_in);
        t.tokens_out += or_zero(row->tokens_out);
        t.estimated += counted ? 0 : prompt + or_zero(row->answer_bytes) / BYTES_PER_TOKEN;
        t.cost += or_zero(row->cost);
        priced += row->cost != CV_ABSENT;
    }
    t.reserved_tokens = t.ended ? (t.tokens_in + t.tokens_out + t.estimated) / t.ended * t.running : prompts;
    t.reserved_cost = priced ? t.cost / priced * t.running : 0;
    return t;
}

cv_reason cv_budget_spent(const cv_budget *budget, const cv_spent *t, int64_t elapsed_ms)
{
    if (budget->cost != CV_ABSENT && t->cost + t->reserved_cost >= budget->cost)
        return CV_REASON_MAX_COST;
    if (budget->tokens != CV_ABSENT &&
        t->tokens_in + t->tokens_out + t->estimated + t->reserved_tokens >= budget->tokens)
        return CV_REASON_MAX_TOKENS;
    if (budget->time_ms != CV_ABSENT && elapsed_ms >= budget->time_ms)
        return CV_REASON_MAX_TIME;
    return CV_REASON_COUNT;
}

size_t cv_budget_parallel(const cv_budget *budget, const cv_spent *t, size_t most)
{
    bool limited = budget->cost != CV_ABSENT || budget->tokens != CV_ABSENT;
    return limited && t->ended == 0 ? 1 : most;
}
