/* metrics.c - what the API has done, in the text format of Prometheus; see api.h. */
#include <inttypes.h>

#include "base/log.h"
#include "base/monotonic.h"
#include "door/api/parts.h"

/* Where the histogram of latencies is cut, in microseconds; what took longer than all of them is in the last part. */
static const struct {
    uint64_t us;
    const char *seconds;
} cuts[CV_API_LATENCIES] = {{1000, "0.001"}, {5000, "0.005"}, {20000, "0.02"},     {100000, "0.1"},
                            {500000, "0.5"}, {2000000, "2"},  {UINT64_MAX, "+Inf"}};

void cv_api_count_call(const cv_api_call *call, int status)
{
    cv_api_count *count = &call->api->counts[call->number];
    atomic_fetch_add(status >= 500 ? &count->failed : status >= 400 ? &count->refused : &count->done, 1);
    uint64_t us = (uint64_t)(cv_monotonic_us() - call->since_us);
    size_t i = 0;
    while (us > cuts[i].us)
        i++;
    atomic_fetch_add(&call->api->latencies[i], 1);
    atomic_fetch_add(&count->microseconds, us);
}

static void name(cv_buf *out, const char *metric, const char *type, const char *help)
{
    cv_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", metric, help, metric, type);
}

static void print_operation(cv_buf *out, const char *metric, const cv_operation *op, const char *more, uint64_t value)
{
    cv_buf_printf(out, "%s{operation=\"%s%s%s\"%s} %" PRIu64 "\n", metric, op->room, *op->room ? " " : "", op->verb,
                  more, value);
}

static void print_calls(cv_api *api, cv_buf *out)
{
    static const char calls[] = "conclave_calls_total", time[] = "conclave_call_microseconds_total";
    name(out, calls, "counter", "Calls of an operation over the API, by outcome.");
    for (size_t i = 0; i < cv_op_count(); i++) {
        cv_api_count *c = &api->counts[i];
        uint64_t done = atomic_load(&c->done), refused = atomic_load(&c->refused), failed = atomic_load(&c->failed);
        if (done)
            print_operation(out, calls, cv_op_at(i), ",outcome=\"done\"", done);
        if (refused)
            print_operation(out, calls, cv_op_at(i), ",outcome=\"refused\"", refused);
        if (failed)
            print_operation(out, calls, cv_op_at(i), ",outcome=\"failed\"", failed);
    }
    name(out, time, "counter", "Time from the request to the answer, of all calls of an operation.");
    for (size_t i = 0; i < cv_op_count(); i++)
        if (atomic_load(&api->counts[i].microseconds))
            print_operation(out, time, cv_op_at(i), "", atomic_load(&api->counts[i].microseconds));
}

static void print_latencies(cv_api *api, cv_buf *out)
{
    uint64_t answers = 0, us = 0;
    for (size_t i = 0; i < cv_op_count(); i++)
        us += atomic_load(&api->counts[i].microseconds);
    name(out, "conclave_request_seconds", "histogram", "Time from a request to its answer.");
    for (size_t i = 0; i < CV_API_LATENCIES; i++) {
        answers += atomic_load(&api->latencies[i]);
        cv_buf_printf(out, "conclave_request_seconds_bucket{le=\"%s\"} %" PRIu64 "\n", cuts[i].seconds, answers);
    }
    cv_buf_printf(out, "conclave_request_seconds_sum %.6f\n", (double)us / 1e6);
    cv_buf_printf(out, "conclave_request_seconds_count %" PRIu64 "\n", answers);
}

static void print_gauge(cv_buf *out, const char *metric, const char *help, int64_t value)
{
    name(out, metric, "gauge", help);
    cv_buf_printf(out, "%s %" PRId64 "\n", metric, value);
}

static void print_rooms(cv_api *api, cv_service_worker *mine, cv_arena *a, cv_buf *out)
{
    cv_err err = {.arena = a};
    bool open = cv_record_handle_open(&mine->handle, api->service->root, &err);
    cv_call call = {.arena = a, .record = mine->handle.record, .root = mine->handle.root, .clock = cv_clock_system()};
    for (size_t i = 0; open && i < cv_room_count(); i++) {
        cv_metrics metrics = {0};
        const cv_room *room = cv_room_at(i);
        if (room->measure && !room->measure(&call, &metrics, &err))
            cv_log_line("%s is not measured: %.*s", room->name, CV_FMT(cv_err_text(&err)));
        for (size_t k = 0; k < metrics.count; k++)
            print_gauge(out, cv_arena_printf(a, "conclave_%s", metrics.items[k].name).p, metrics.items[k].about,
                        metrics.items[k].value);
    }
}

void cv_api_print_metrics(cv_api *api, cv_service_worker *mine, cv_arena *a, cv_buf *out)
{
    cv_api_events_state events = cv_api_events_look(api->events);
    print_calls(api, out);
    print_latencies(api, out);
    print_gauge(out, "conclave_calls_waiting", "Calls that wait for a worker.",
                (int64_t)atomic_load(&api->workers->queued));
    print_gauge(out, "conclave_event_streams", "Clients that listen to events.", (int64_t)events.streams);
    print_gauge(out, "conclave_event_streams_behind", "Clients that may not have received every commit yet.",
                (int64_t)events.behind);
    name(out, "conclave_feed_lag_seconds", "gauge", "Time from the last commit to its delivery to clients.");
    cv_buf_printf(out, "conclave_feed_lag_seconds %.3f\n", (double)events.lag_ms / 1e3);
    print_gauge(out, "conclave_record_readable", "1 when the record can be read.",
                cv_service_is_readable(api->service));
    print_gauge(out, "conclave_uptime_seconds", "Since the server was started.",
                (cv_monotonic_ms() - api->started_ms) / 1000);
    print_rooms(api, mine, a, out);
}
