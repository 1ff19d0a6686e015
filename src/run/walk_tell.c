/* walk_tell.c - what has happened, for whoever looks on; see walk.h.
 *
 *     {"event":"attempt","dialogue_id":"job-queue","time":"…","round":0,"who":"muffin","attempt":1,"state":"started",…}
 *
 * Lines for people say the same. On a terminal every expert has a line that is drawn again while it thinks.
 */
#include "base/steady.h"
#include "base/utf8.h"
#include "kit/request.h"
#include "run/walk.h"

enum { NAME_WIDTH = 14, ROLE_WIDTH = 28, DRAW_MS = 200 };

void cv_walk_tell(cv_walk *w, const char *event, cv_str members, const char *format, ...)
{
    cv_buf json = {0};
    cv_json_writer writer = {.out = &json};
    va_list args;
    if (!w->call->follower.event)
        return;
    va_start(args, format);
    cv_str line = cv_arena_vprintf(&w->step, format, args);
    va_end(args);
    cv_json_begin_object(&writer);
    cv_json_key_str(&writer, "event", cv_str_of(event));
    cv_json_key_str(&writer, "dialogue_id", w->facts.dialogue_id);
    cv_json_key_str(&writer, "time", cv_call_now(w->call));
    if (members.n)
        cv_buf_printf(&json, ",%.*s", CV_FMT(members));
    cv_json_end_object(&writer);
    w->call->follower.event(w->call->follower.ctx, cv_buf_str(&json), line);
    cv_buf_release(&json);
}

static cv_str seconds(cv_arena *a, int64_t ms)
{
    return ms < 60000 ? cv_arena_printf(a, "%lld.%lld s", (long long)(ms / 1000), (long long)(ms % 1000 / 100))
                      : cv_arena_printf(a, "%lld min %lld s", (long long)(ms / 60000), (long long)(ms / 1000 % 60));
}

void cv_walk_tell_attempt(cv_walk *w, const cv_attempt_row *row)
{
    cv_arena *a = &w->step;
    bool started = cv_str_eq(row->state, cv_attempt_words.items[CV_ATTEMPT_STARTED]);
    if (!w->call->follower.event)
        return;
    cv_str all = cv_shape_text(a, cv_attempt_shape, row);
    size_t tried = cv_ledger_tried(&w->ledger, row);
    cv_str number = tried > 1 ? cv_arena_printf(a, " (attempt %zu)", tried) : CV_STR("");
    cv_str took = row->duration_ms == CV_ABSENT
                      ? CV_STR("")
                      : cv_arena_printf(a, " after %.*s", CV_FMT(seconds(a, row->duration_ms)));
    cv_str why = row->message.n ? cv_arena_printf(a, ": %.*s", CV_FMT(row->message)) : CV_STR("");
    cv_walk_tell(w, "attempt", cv_str_head(cv_str_from(all, 1), all.n - 2), "%.*s%.*s%s%.*s%.*s%.*s", CV_FMT(row->who),
                 CV_FMT(number), started ? " is asked: " : ": ",
                 CV_FMT(started ? cv_excerpt(a, row->agent) : row->state), CV_FMT(took), CV_FMT(why));
}

/* ---- lines that are drawn again
 * -------------------------------------------------------------------------------------- */

static void pad(cv_buf *out, cv_str text, size_t width)
{
    size_t used = cv_utf8_width(text);
    cv_buf_add(out, text);
    for (; used < width; used++)
        cv_buf_add_char(out, ' ');
    cv_buf_add_z(out, "  ");
}

/* A started attempt, a finished one, or nobody asked yet. */
static cv_str state_text(cv_walk *w, const cv_seat *seat, int64_t since_ms)
{
    cv_arena *a = &w->step;
    int64_t markers = seat->last && seat->last->markers != CV_ABSENT ? seat->last->markers : 0;
    switch (seat->state) {
    case CV_SEAT_OPEN:
        return seat->last ? cv_arena_printf(a, "%.*s; asked again soon", CV_FMT(seat->last->state)) : CV_STR("waiting");
    case CV_SEAT_RUNNING:
        return cv_arena_printf(a, "%s  %.*s", seat->awaited ? "awaited" : "thinking",
                               CV_FMT(since_ms ? seconds(a, cv_steady_ms() - since_ms) : CV_STR("")));
    case CV_SEAT_ANSWERED:
    case CV_SEAT_DONE:
        return cv_arena_printf(a, "answered  %lld markers  %.*s", (long long)markers,
                               CV_FMT(seat->last && seat->last->duration_ms != CV_ABSENT
                                          ? seconds(a, seat->last->duration_ms)
                                          : CV_STR("")));
    case CV_SEAT_ABSENT:
        return cv_arena_printf(a, "absent: %.*s", CV_FMT(seat->why));
    }
    return CV_STR("");
}

void cv_walk_draw(cv_walk *w)
{
    cv_str *lines = CV_NEW_ARRAY(&w->step, w->facts.seat_count + 1, cv_str);
    size_t count = 0;
    if (!w->call->follower.draw)
        return;
    for (size_t i = 0; i < w->facts.seat_count; i++) {
        cv_buf line = {0};
        cv_buf_add_z(&line, "  ");
        pad(&line, w->facts.seats[i].name, NAME_WIDTH);
        pad(&line, cv_utf8_limit(w->facts.seats[i].role, ROLE_WIDTH), ROLE_WIDTH);
        cv_buf_add(&line, state_text(w, &w->folded[i], w->seats[i].asked_ms));
        lines[count++] = cv_buf_take(&line, &w->step);
    }
    if (cv_plan_part(&w->plan) != CV_PART_ASKING && w->settings->judge == CV_JUDGE_AGENT)
        lines[count++] = CV_STR("  judge           thinking");
    w->call->follower.draw(w->call->follower.ctx, lines, count);
}
