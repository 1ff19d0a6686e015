/* attendance.c - who is asked and who has answered; see attendance.h. */
#include "dialogue/intake/attendance.h"

#include "dialogue/faults.h"
#include "dialogue/journal.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

static void index_responses(cv_arena *a, const cv_state *s, int64_t round, cv_map *ret_at)
{
    for (size_t i = 0; i < s->responses.count; i++)
        if (s->responses.items[i].round == round)
            *cv_map_put(ret_at, a, s->responses.items[i].expert_slug, NULL) = (uintptr_t)&s->responses.items[i];
}

static const cv_rec_response *response_of(const cv_map *at, cv_str expert)
{
    const uintptr_t *row = cv_map_get(at, expert);
    return row ? (const cv_rec_response *)*row : NULL;
}

void cv_attendance_of(cv_arena *a, const cv_state *s, int64_t round, cv_attendance *ret_attendance)
{
    cv_map at = {0}, seated = {0};
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(s, round, &seats);
    *ret_attendance = (cv_attendance){0};
    index_responses(a, s, round, &at);
    for (size_t i = 0; i < count; i++) {
        cv_map_put(&seated, a, seats[i].expert_slug, NULL);
        *CV_PUSH(a, ret_attendance) = (cv_attendee){seats[i].expert_slug, true, response_of(&at, seats[i].expert_slug)};
    }
    for (size_t i = 0; i < s->experts.count; i++) {
        cv_str slug = s->experts.items[i].expert_slug;
        const cv_rec_response *response = response_of(&at, slug);
        if (response && !cv_map_get(&seated, slug))
            *CV_PUSH(a, ret_attendance) = (cv_attendee){slug, false, response};
    }
}

bool cv_response_speaks(const cv_rec_response *response)
{
    return response && response->sha256.p;
}

bool cv_attendance_round(cv_call *call, const cv_state *s, int64_t *ret_round)
{
    int64_t next = cv_state_next_round(s);
    cv_spot at = {.call = call, .field = CV_STR("round")};
    *ret_round = cv_json_get_int(call->input, "round", next);
    cv_str value = cv_arena_printf(call->arena, "%lld", (long long)*ret_round);
    if (*ret_round > CV_MAX_ROUND) {
        cv_err_suggest(cv_fault(&at, CV_ERR_TOO_LARGE, CV_STR("limit"), value,
                                "round %.*s: ids have two digits, the last round is %d", CV_FMT(value), CV_MAX_ROUND),
                       CV_STR("Close this dialogue with a verdict and create another one"));
        return false;
    }
    if (*ret_round > next && !cv_journal_open(call, s, false)) /* there is no next one */
        return false;
    if (*ret_round > next) {
        cv_err_suggest(cv_fault(&at, CV_ERR_ROUND_ORDER, CV_STR("order"), value,
                                "round %.*s has not begun: the next one is %lld", CV_FMT(value), (long long)next),
                       cv_arena_printf(call->arena, "Register round %lld first", (long long)next));
        return false;
    }
    return true;
}

void cv_attendance_extract(cv_arena *a, const cv_state *s, int64_t round, const cv_attendance *attendance,
                           cv_extract *ret_extract)
{
    cv_response_text *texts = CV_NEW_ARRAY(a, attendance->count, cv_response_text);
    size_t count = 0;
    for (size_t i = 0; i < attendance->count; i++)
        if (cv_response_speaks(attendance->items[i].response))
            texts[count++] = (cv_response_text){attendance->items[i].expert, attendance->items[i].response->content};
    cv_extract_responses(a, s, round, texts, count, ret_extract);
}

void cv_attendance_warn(cv_arena *a, const cv_attendance *attendance, int64_t round, cv_notices *warnings)
{
    if (attendance->count == 0 || !attendance->items[0].seated)
        return;
    for (size_t i = 0; i < attendance->count; i++)
        if (!attendance->items[i].seated)
            cv_notice_expert(cv_notice_add(warnings, a, CV_STR("no_seat"), "%.*s is not on the panel of round %lld",
                                           CV_FMT(attendance->items[i].expert), (long long)round),
                             attendance->items[i].expert);
}
