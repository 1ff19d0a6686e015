/* walk_tell.c - what has happened, for those who watch; see walk.h.
 *
 *     {"event":"attempt","dialogue_id":"job-queue","time":"…","round":0,"who":"muffin","attempt":1,"state":"started",…}
 *
 * Lines for people say the same. On a terminal every expert has a line that is drawn again while it thinks.
 */
#include "base/clock.h"
#include "base/utf8.h"
#include "kit/request.h"
#include "run/walk.h"

enum { NAME_WIDTH = 10, STATE_WIDTH = 28 };

static void tell(cv_walk *w, const char *event, cv_str members, cv_str line, bool drawn)
{
    cv_buf json = {0};
    cv_json_writer writer = {.out = &json};
    cv_json_begin_object(&writer);
    cv_json_key_str(&writer, "event", cv_str_of(event));
    cv_json_key_str(&writer, "dialogue_id", w->facts.dialogue_id);
    cv_json_key_str(&writer, "time", cv_call_now(w->call));
    if (members.n)
        cv_buf_printf(&json, ",%.*s", CV_FMT(members));
    cv_json_end_object(&writer);
    w->call->follower.event(w->call->follower.ctx, cv_buf_str(&json), line, drawn);
    cv_buf_release(&json);
}

void cv_walk_tell_json(cv_walk *w, const char *event, cv_str members)
{
    if (w->call->follower.event)
        tell(w, event, members, CV_STR(""), false);
}

void cv_walk_tell(cv_walk *w, const char *event, cv_str members, const char *format, ...)
{
    va_list args;
    if (!w->call->follower.event)
        return;
    va_start(args, format);
    tell(w, event, members, cv_arena_vprintf(&w->step, format, args), false);
    va_end(args);
}

cv_str cv_walk_json_text(cv_walk *w, cv_str text)
{
    cv_buf out = {0};
    cv_json_str(&(cv_json_writer){.out = &out}, text);
    return cv_buf_take(&out, &w->step);
}

void cv_walk_tell_response(cv_walk *w, const cv_attempt_row *row)
{
    cv_arena *a = &w->step;
    long long markers = row->markers == CV_ABSENT ? 0 : (long long)row->markers;
    if (!w->call->follower.event)
        return;
    tell(w, "responded",
         cv_arena_printf(a, "\"round\":%lld,\"expert\":\"%.*s\",\"attempt\":%lld,\"markers\":%lld",
                         (long long)row->round, CV_FMT(row->who), (long long)row->attempt, markers),
         cv_arena_printf(a, "%.*s has answered: %lld marker%s", CV_FMT(row->who), markers, CV_PLURAL(markers)), true);
}

void cv_walk_tell_warning(cv_walk *w, const cv_notice *one)
{
    cv_str message = cv_walk_json_text(w, one->message);
    cv_walk_tell(w, "warning",
                 cv_arena_printf(&w->step, "\"type\":\"%.*s\",\"message\":%.*s", CV_FMT(one->type), CV_FMT(message)),
                 "warning: %.*s", CV_FMT(one->message));
}

static cv_str seconds(cv_arena *a, int64_t ms)
{
    return ms < 60000 ? cv_arena_printf(a, "%lld.%lld s", (long long)(ms / 1000), (long long)(ms % 1000 / 100))
                      : cv_arena_printf(a, "%lld min %lld s", (long long)(ms / 60000), (long long)(ms / 1000 % 60));
}

/* Who has failed for the same cause in this walk: the one who is asked again, or else another; NULL: nobody. What is
 * new is remembered. */
static const cv_walk_told *told_before(cv_walk *w, cv_str who, cv_str message)
{
    const cv_walk_told *other = NULL;
    for (size_t i = 0; i < w->told.count; i++) {
        const cv_walk_told *one = &w->told.items[i];
        if (!cv_str_eq(one->message, message))
            continue;
        if (cv_str_eq(one->who, who))
            return one;
        other = other ? other : one;
    }
    *CV_PUSH(w->arena, &w->told) = (cv_walk_told){cv_arena_copy(w->arena, who), cv_arena_copy(w->arena, message)};
    return other;
}

/* The answer has each cause with the number of attempts: a line for every attempt would say nothing new. */
static cv_str ended_line(cv_walk *w, const cv_attempt_row *row, cv_str number)
{
    cv_arena *a = &w->step;
    const cv_walk_told *before = row->message.n ? told_before(w, row->who, row->message) : NULL;
    cv_str took = row->duration_ms == CV_ABSENT
                      ? CV_STR("")
                      : cv_arena_printf(a, " after %.*s", CV_FMT(seconds(a, row->duration_ms)));
    cv_str why = before           ? cv_arena_printf(a, ", like %.*s", CV_FMT(before->who))
                 : row->message.n ? cv_arena_printf(a, ": %.*s", CV_FMT(row->message))
                                  : CV_STR("");
    return before && cv_str_eq(before->who, row->who)
               ? CV_STR("")
               : cv_arena_printf(a, "%.*s%.*s: %.*s%.*s%.*s", CV_FMT(row->who), CV_FMT(number), CV_FMT(row->state),
                                 CV_FMT(took), CV_FMT(why));
}

void cv_walk_tell_attempt(cv_walk *w, const cv_attempt_row *row)
{
    cv_arena *a = &w->step;
    bool started = cv_str_eq(row->state, cv_attempt_words.items[CV_ATTEMPT_STARTED]);
    if (!w->call->follower.event)
        return;
    cv_str all = cv_shape_text(a, cv_attempt_shape, row);
    size_t tried = cv_run_rows_tried(&w->run_rows, row);
    cv_str number = tried > 1 ? cv_arena_printf(a, " (attempt %zu)", tried) : CV_STR("");
    cv_str line = started ? cv_arena_printf(a, "%.*s%.*s is asked: %.*s", CV_FMT(row->who), CV_FMT(number),
                                            CV_FMT(cv_excerpt(a, row->agent)))
                          : ended_line(w, row, number);
    bool answered = cv_str_eq(row->state, cv_attempt_words.items[CV_ATTEMPT_ANSWERED]);
    tell(w, "attempt", cv_str_head(cv_str_from(all, 1), all.n - 2), line, started || answered);
}

/* ---- lines that are drawn again ------------------------------------------------------------------------------------
 */

static void pad(cv_buf *out, cv_str text, size_t width)
{
    size_t used = cv_utf8_width(text);
    cv_buf_add(out, text);
    for (; used < width; used++)
        cv_buf_add_char(out, ' ');
    cv_buf_add_z(out, "  ");
}

/* How long an attempt has been under way, or took; empty: that is not known. */
static cv_str time_text(const cv_walk *w, cv_arena *a, const cv_attempt_row *row)
{
    int64_t began;
    if (!row)
        return CV_STR("");
    if (row->duration_ms != CV_ABSENT)
        return seconds(a, row->duration_ms);
    return cv_time_parse(row->started_at, &began) ? seconds(a, w->call->clock.now_ms(w->call->clock.ctx) - began)
                                                  : CV_STR("");
}

/* A started attempt, a finished one, or nobody asked yet. */
static cv_str state_text(cv_walk *w, const cv_seat *seat)
{
    cv_arena *a = &w->step;
    cv_str time = time_text(w, a, seat->last);
    switch (seat->state) {
    case CV_SEAT_OPEN:
        return seat->last ? cv_arena_printf(a, "%.*s; asked again soon", CV_FMT(seat->last->state)) : CV_STR("waiting");
    case CV_SEAT_RUNNING:
        return cv_arena_printf(a, "%s  %.*s", seat->awaited ? "awaited" : "thinking", CV_FMT(time));
    case CV_SEAT_ANSWERED:
    case CV_SEAT_DONE:
        if (!seat->last || seat->last->markers == CV_ABSENT)
            return cv_arena_printf(a, "answered  %.*s", CV_FMT(time));
        return cv_arena_printf(a, "answered  %lld marker%s  %.*s", (long long)seat->last->markers,
                               CV_PLURAL(seat->last->markers), CV_FMT(time));
    case CV_SEAT_ABSENT:
        return cv_arena_printf(a, "absent: %.*s", CV_FMT(seat->why));
    }
    return CV_STR("");
}

/* What matters most comes first: a narrow terminal cuts the rest off. */
static cv_str line_of(cv_walk *w, cv_str name, cv_str role, const cv_seat *seat)
{
    cv_buf line = {0};
    cv_buf_add_z(&line, "  ");
    pad(&line, name, NAME_WIDTH);
    pad(&line, state_text(w, seat), STATE_WIDTH);
    cv_buf_add(&line, role);
    return cv_str_trim_right(cv_buf_take(&line, &w->step));
}

/* The panel while it is asked and judged, and the judge once it is asked. */
void cv_walk_draw(cv_walk *w, bool stays)
{
    const cv_facts *f = &w->facts;
    cv_str *lines = CV_NEW_ARRAY(&w->step, f->seat_count + 1, cv_str);
    cv_part part = cv_plan_part(&w->plan);
    size_t count = 0;
    if (!w->call->follower.draw)
        return;
    for (size_t i = 0; (part == CV_PART_ASKING || part == CV_PART_JUDGING) && i < f->seat_count; i++)
        lines[count++] = line_of(w, f->seats[i].name, f->seats[i].role, &w->folded[i]);
    if (part != CV_PART_ASKING && w->settings->judge == CV_JUDGE_AGENT)
        lines[count++] =
            line_of(w, CV_STR("judge"), CV_STR(""), part == CV_PART_JUDGING ? &w->plan.round : &w->plan.verdict);
    w->call->follower.draw(w->call->follower.ctx, lines, count, stays);
}
