/* events.c - every commit as it happens, as server-sent events; see api.h.
 *
 *     id: POSITION                  of the feed; a client that comes back sends it as Last-Event-ID
 *     event: commit
 *     data: {"room": …, "scope": …, "rev": …, "operation": …, "who": […], …}     as `conclave feed` tells it
 *
 * One thread reads the feed for all streams, while there are any: when the store's files change, and from time to time.
 * Streams that are at the same position share one reading, so a commit costs one query however many listen. Nobody
 * waits for a client that reads slowly: the feed keeps what it has not got yet, not we. One that reads nothing at all
 * is cut off, and may come back.
 */
#include <assert.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/monotonic.h"
#include "base/notify.h"
#include "base/os.h"
#include "door/api/parts.h"

enum {
    LOOK_MS = 300,           /* what other machines commit is found by looking */
    PAGE = 100,              /* commits at once */
    SLOW_LOOK_MS = 50,       /* while somebody has not read yet what was sent */
    MAX_UNSENT = 256 * 1024, /* bytes that wait for a client: with more it gets nothing new */
    MAX_POSITION = 200,
};

typedef struct stream {
    cv_http_exchange *x;
    char position[MAX_POSITION + 1];
    cv_arena arena;
    cv_str bearer;      /* whose right to listen is looked at again and again; absent: none came */
    cv_str room, scope; /* only these; absent: all */
    int64_t since_ms;   /* when it came: older commits were not late for it */
    uint64_t sent;      /* how much the client had got when it was last looked at, */
    int64_t stalled_ms; /*   and since when it has not taken more, though something waits for it */
    bool pending;       /* there may be something for it */
    bool over;
    bool stalled; /* … because its client does not read */
    struct stream *next;
} stream;

struct cv_api_events {
    cv_service *service;
    int64_t patience_ms;  /* with who does not read anything of what waits */
    pthread_mutex_t lock; /* of all that follows, except for what the thread has for itself */
    stream *first;
    size_t count;
    int64_t lag_ms; /* from the last commit that was told until it was */
    bool ending, runs;
    pthread_t thread;
    cv_os_wake poke; /* somebody has come, or it ends */
    /* ---- the thread's own ---- */
    cv_service_worker *mine;
    cv_notify notify;
    const char *watched; /* the project whose folder is watched; NULL: none */
    cv_buf complaint;    /* why files were not taken in, if they were not */
    uint64_t version;
};

cv_api_events *cv_api_events_new(cv_service *service, unsigned patience_seconds)
{
    cv_api_events *events = CV_HEAP_NEW(cv_api_events);
    events->service = service;
    events->patience_ms = 1000 * (int64_t)patience_seconds;
    cv_os_wake_open(&events->poke);
    pthread_mutex_init(&events->lock, NULL);
    return events;
}

/* ---- one page of the feed ---------------------------------------------------------------------------------------- */

typedef struct {
    const cv_json *entries;
    cv_str position; /* behind it */
    bool more;
} page;

static bool read_page(cv_api_events *events, cv_arena *a, const char *after, page *ret)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json *input = CV_NEW(a, cv_json), *reply = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    cv_errs errs = {0};
    cv_str answer;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "after", cv_str_of(after));
    cv_json_key_int(&w, "limit", PAGE);
    cv_json_end_object(&w);
    const cv_service_call asked = {
        .op = cv_op_called(CV_STR("feed")), .arena = a, .input = input, .input_text = cv_buf_take(&text, a)};
    if (!cv_json_parse(a, asked.input_text, input, &err) ||
        !cv_service_run(events->service, events->mine, &asked, &errs, &answer) ||
        !cv_json_parse(a, answer, reply, &err))
        return false;
    ret->entries = cv_json_get(reply, CV_STR("entries"));
    ret->position = cv_json_get_text(reply, "position");
    ret->more = cv_json_get_true(reply, "more");
    return ret->position.n <= MAX_POSITION;
}

/* ---- telling, with the lock held --------------------------------------------------------------------------------- */

static bool is_wanted(const stream *s, const cv_json *entry)
{
    return (!s->room.p || cv_str_eq(s->room, cv_json_get_text(entry, "room"))) &&
           (!s->scope.p || cv_str_eq(s->scope, cv_json_get_text(entry, "scope")));
}

static void print_event(cv_buf *out, const cv_json *entry)
{
    cv_buf_printf(out, "id: %.*s\nevent: commit\ndata: ", CV_FMT(cv_json_get_text(entry, "position")));
    cv_json_value(&(cv_json_writer){.out = out}, entry);
    cv_buf_add_z(out, "\n\n");
}

static bool is_slow(const stream *s)
{
    return cv_http_unsent(s->x) > MAX_UNSENT;
}

static void measure_lag(cv_api_events *events, const stream *s, const cv_json *entry)
{
    int64_t made, now = cv_clock_system().now_ms(NULL);
    if (cv_time_parse(cv_json_get_text(entry, "created_at"), &made) && made >= s->since_ms)
        events->lag_ms = now > made ? now - made : 0;
}

static void tell(cv_api_events *events, stream *s, const page *p)
{
    cv_buf out = {0};
    for (uint32_t i = 0; i < p->entries->count; i++)
        if (is_wanted(s, &p->entries->items[i])) {
            print_event(&out, &p->entries->items[i]);
            measure_lag(events, s, &p->entries->items[i]);
        }
    if (out.n && !cv_http_write(s->x, cv_buf_str(&out)))
        s->over = true;
    cv_buf_release(&out);
    memcpy(s->position, p->position.p, p->position.n);
    s->position[p->position.n] = '\0';
    s->pending = p->more;
}

static void drop_over(cv_api_events *events)
{
    for (stream **at = &events->first; *at;) {
        stream *s = *at;
        if (!s->over) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        events->count--;
        if (s->stalled)
            cv_http_cut(s->x);
        else
            cv_http_end(s->x);
        cv_http_release(s->x);
        cv_arena_release(&s->arena);
        cv_heap_free(s);
    }
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* The position of a stream for which there may be something; false: there is none. */
static bool next_pending(cv_api_events *events, char to[MAX_POSITION + 1])
{
    bool found = false;
    pthread_mutex_lock(&events->lock);
    for (const stream *s = events->first; s && !found; s = s->next)
        if (s->pending && !s->over && !is_slow(s)) {
            memcpy(to, s->position, sizeof s->position);
            found = true;
        }
    pthread_mutex_unlock(&events->lock);
    return found;
}

/* Everything that was committed goes to all listeners that are before it. A record that cannot be read now is read
 * later. */
static void tell_all(cv_api_events *events)
{
    char position[MAX_POSITION + 1];
    while (next_pending(events, position)) {
        cv_arena a = {0};
        page p = {0};
        bool read = read_page(events, &a, position, &p);
        pthread_mutex_lock(&events->lock);
        for (stream *s = events->first; s; s = s->next)
            if (strcmp(s->position, position) == 0 && !s->over && !is_slow(s)) {
                if (read)
                    tell(events, s, &p);
                else
                    s->pending = false;
            }
        drop_over(events);
        pthread_mutex_unlock(&events->lock);
        cv_arena_release(&a);
    }
}

/* Streams of one client usually lie beside each other, and are asked about once. */
static void check_rights(cv_api_events *events)
{
    const stream *asked = NULL;
    bool refused = false;
    pthread_mutex_lock(&events->lock);
    for (stream *s = events->first; s; s = s->next) {
        if (!s->bearer.p || s->over)
            continue;
        if (!asked || !cv_str_eq(asked->bearer, s->bearer) || !cv_str_eq(asked->room, s->room))
            refused = cv_service_refuses(events->service, s->bearer, s->room);
        asked = s;
        s->over = refused;
    }
    drop_over(events);
    pthread_mutex_unlock(&events->lock);
}

static void watch_store(cv_api_events *events)
{
    const char *root = events->mine->handle.root;
    cv_arena a = {0};
    cv_err unseen = {.arena = &a}; /* what cannot be watched is looked at */
    if (root && root != events->watched) {
        cv_notify_add(&events->notify, (cv_where){root, ".conclave"}, &unseen);
        events->watched = root;
    }
    cv_arena_release(&a);
}

/* Has anybody committed? What was committed after the question is found by the next one. */
static void look(cv_api_events *events)
{
    uint64_t version = 0;
    cv_arena a = {0};
    cv_err closed = {.arena = &a};
    if (cv_record_handle_open(&events->mine->handle, events->service->root, &closed))
        cv_service_take_in(&events->mine->handle, &events->complaint);
    cv_arena_release(&a);
    bool known = cv_service_data_version(events->service, &version);
    bool changed = !known || version != events->version;
    events->version = version;
    pthread_mutex_lock(&events->lock);
    for (stream *s = events->first; changed && s; s = s->next)
        s->pending = true;
    pthread_mutex_unlock(&events->lock);
    if (changed)
        check_rights(events);
}

/* Who takes nothing of what waits for them is cut off in the end. Is anybody slow? */
static bool watch_slow(cv_api_events *events)
{
    int64_t now = cv_monotonic_ms();
    bool any = false;
    pthread_mutex_lock(&events->lock);
    for (stream *s = events->first; s; s = s->next) {
        uint64_t sent = cv_http_sent(s->x);
        if (sent != s->sent || cv_http_unsent(s->x) == 0)
            s->stalled_ms = now;
        s->sent = sent;
        s->stalled = now - s->stalled_ms >= events->patience_ms;
        s->over = s->over || s->stalled;
        any = any || is_slow(s);
    }
    drop_over(events);
    pthread_mutex_unlock(&events->lock);
    return any;
}

static bool goes_on(cv_api_events *events)
{
    pthread_mutex_lock(&events->lock);
    bool ending = events->ending;
    pthread_mutex_unlock(&events->lock);
    return !ending;
}

static void *listen_to_feed(void *argument)
{
    cv_api_events *events = argument;
    int64_t next_look = 0;
    bool changed = true;
    events->mine = cv_service_own.enter(NULL);
    while (goes_on(events)) {
        if (changed || cv_monotonic_ms() >= next_look) {
            look(events);
            next_look = cv_monotonic_ms() + LOOK_MS;
        }
        tell_all(events);
        watch_store(events);
        int64_t until = watch_slow(events) ? cv_monotonic_ms() + SLOW_LOOK_MS : next_look;
        changed = cv_notify_wait_also(&events->notify, until, events->poke.in);
        cv_os_wake_clear(&events->poke);
    }
    cv_notify_close(&events->notify);
    cv_buf_release(&events->complaint);
    cv_service_own.leave(NULL, events->mine);
    return NULL;
}

/* ---- streams that come and go ------------------------------------------------------------------------------------ */

static cv_str keep(cv_arena *a, cv_str text)
{
    return text.p ? cv_arena_copy(a, text) : text;
}

void cv_api_events_add(cv_api_call *call, cv_str position)
{
    cv_api_events *events = call->api->events;
    stream *s = CV_HEAP_NEW(stream);
    assert(position.n <= MAX_POSITION && "the schema of the feed sees to it");
    *s = (stream){
        .x = call->x, .pending = true, .since_ms = cv_clock_system().now_ms(NULL), .stalled_ms = cv_monotonic_ms()};
    memcpy(s->position, position.p, position.n);
    s->bearer = keep(&s->arena, call->bearer);
    s->room = keep(&s->arena, call->room);
    s->scope = keep(&s->arena, call->scope);
    cv_http_add_header(call->x, "Cache-Control", CV_STR("no-cache"));
    cv_http_add_header(call->x, "X-Accel-Buffering", CV_STR("no"));
    cv_http_begin(call->x, ": still here\n\n");
    pthread_mutex_lock(&events->lock);
    s->next = events->first;
    events->first = s;
    events->count++;
    s->over = events->ending || atomic_load(&call->gone);
    if (!events->runs && !events->ending)
        events->runs = pthread_create(&events->thread, NULL, listen_to_feed, events) == 0;
    s->over = s->over || !events->runs;
    drop_over(events);
    pthread_mutex_unlock(&events->lock);
    cv_os_wake_up(&events->poke);
}

void cv_api_events_gone(cv_api_events *events, cv_http_exchange *x)
{
    pthread_mutex_lock(&events->lock);
    for (stream *s = events->first; s; s = s->next)
        s->over = s->over || s->x == x;
    drop_over(events);
    pthread_mutex_unlock(&events->lock);
}

cv_api_events_state cv_api_events_look(cv_api_events *events)
{
    pthread_mutex_lock(&events->lock);
    cv_api_events_state state = {.streams = events->count, .lag_ms = events->lag_ms};
    for (const stream *s = events->first; s; s = s->next)
        state.behind += s->pending;
    pthread_mutex_unlock(&events->lock);
    return state;
}

void cv_api_events_end(cv_api_events *events)
{
    pthread_mutex_lock(&events->lock);
    events->ending = true;
    for (stream *s = events->first; s; s = s->next)
        s->over = true;
    drop_over(events);
    bool runs = events->runs;
    pthread_mutex_unlock(&events->lock);
    cv_os_wake_up(&events->poke);
    if (runs)
        pthread_join(events->thread, NULL);
}

void cv_api_events_free(cv_api_events *events)
{
    cv_os_wake_close(&events->poke);
    pthread_mutex_destroy(&events->lock);
    cv_heap_free(events);
}
