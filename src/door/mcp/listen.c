/* listen.c - clients that listen for changes, and what is sent to them; see host.h.
 *
 *     modern   subscriptions/listen: a request that stays open; what is sent to it carries its id
 *     legacy   lists: every client that is there; resources: those that it has subscribed to
 */
#include "base/heap.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/monotonic.h"
#include "door/mcp/host.h"

enum { BEAT_MS = 250 };

#define SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

static const struct {
    const char *wanted, *method;
} changes[] = {
    [CV_MCP_TOOLS_CHANGED] = {"toolsListChanged", "notifications/tools/list_changed"},
    [CV_MCP_PROMPTS_CHANGED] = {"promptsListChanged", "notifications/prompts/list_changed"},
    [CV_MCP_RESOURCES_CHANGED] = {"resourcesListChanged", "notifications/resources/list_changed"},
    [CV_MCP_RESOURCE_UPDATED] = {"resourceSubscriptions", "notifications/resources/updated"},
};

/* ---- the watcher: runs while somebody has subscribed to resources ------------------------------------------------ */

static void collect(cv_arena *a, cv_texts *all, cv_map *known, const cv_str *some, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_new = false;
        cv_str copy = some[i].p ? cv_arena_copy(a, some[i]) : some[i];
        if (copy.p)
            cv_map_put(known, a, copy, &is_new);
        if (is_new)
            *CV_PUSH(a, all) = copy;
    }
}

/* Every resource that somebody has subscribed to, once; with the lock held. */
static cv_texts subscribed(cv_mcp_host *host, cv_arena *a)
{
    cv_texts all = {0};
    cv_map known = {0};
    for (const cv_mcp_job *job = host->active; job; job = job->next_active)
        collect(a, &all, &known, job->uris, job->uri_count);
    for (const cv_mcp_session *session = host->sessions; session; session = session->next)
        collect(a, &all, &known, session->uris.items, session->uris.count);
    return all;
}

/* Waits for the next beat, or for somebody who waits for it. False: it is over. */
static bool begin_look(cv_mcp_host *host, cv_arena *a, cv_texts *ret_all)
{
    int64_t beat = cv_monotonic_ms() + BEAT_MS, left = BEAT_MS;
    pthread_mutex_lock(&host->lock);
    while (!host->ending && !host->awaited && (host->watching == 0 || left > 0)) {
        if (host->watching == 0)
            pthread_cond_wait(&host->look, &host->lock);
        else
            cv_monotonic_wait(&host->look, &host->lock, (int)left);
        left = beat - cv_monotonic_ms();
    }
    bool go_on = !host->ending;
    host->awaited = false;
    for (cv_mcp_job *job = host->active; job; job = job->next_active)
        if (job->look == CV_MCP_AWAITS_LOOK)
            job->look = CV_MCP_IN_LOOK;
    *ret_all = go_on ? subscribed(host, a) : (cv_texts){0};
    pthread_mutex_unlock(&host->lock);
    return go_on;
}

static void open_subscription(cv_mcp_job *job);

static void finish_all(cv_mcp_job *jobs)
{
    while (jobs) {
        cv_mcp_job *job = jobs;
        jobs = job->next;
        cv_mcp_finish(job);
    }
}

/* Those who waited for the look are answered. A subscription is opened with the lock held, like every message to it. */
static void end_look(cv_mcp_host *host)
{
    cv_mcp_job *answered = NULL;
    pthread_mutex_lock(&host->lock);
    for (cv_mcp_job *job = host->active; job; job = job->next_active) {
        if (job->look != CV_MCP_IN_LOOK)
            continue;
        job->look = CV_MCP_NO_LOOK;
        if (job->wishes && !atomic_load(&job->cancelled)) {
            open_subscription(job);
            continue;
        }
        job->work.served = true;
        job->next = answered;
        answered = job;
    }
    pthread_mutex_unlock(&host->lock);
    finish_all(answered);
}

static void *watch(void *argument)
{
    cv_mcp_host *host = argument;
    cv_arena arena = {0};
    cv_texts all;
    while (begin_look(host, &arena, &all)) {
        if (all.count > 0)
            host->server->watch(host->server->ctx, host, all.items, all.count);
        end_look(host);
        cv_arena_reset(&arena);
    }
    cv_arena_release(&arena);
    pthread_mutex_lock(&host->lock);
    host->watcher_ended = true;
    pthread_cond_signal(&host->over);
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

void cv_mcp_await_look(cv_mcp_job *job)
{
    cv_mcp_host *host = job->host;
    pthread_mutex_lock(&host->lock);
    if (host->server->watch && !host->watcher_runs)
        host->watcher_runs = pthread_create(&host->watcher, NULL, watch, host) == 0;
    bool awaits = host->watcher_runs;
    if (awaits) {
        job->look = CV_MCP_AWAITS_LOOK;
        host->awaited = true;
        pthread_cond_signal(&host->look);
    } else if (job->wishes) {
        open_subscription(job);
    }
    bool opened = job->wants != 0;
    pthread_mutex_unlock(&host->lock);
    if (!awaits && !opened)
        cv_mcp_finish(job);
}

/* ---- modern ----------------------------------------------------------------------------------------------------- */

static bool read_uris(cv_mcp_job *job, const cv_json *list)
{
    if (list->type != CV_JSON_ARRAY || list->count > CV_MCP_MAX_SUBSCRIPTIONS)
        return false;
    cv_str *uris = CV_NEW_ARRAY(&job->arena, list->count + 1, cv_str);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].type != CV_JSON_STRING || list->items[i].text.n > CV_MAX_URI)
            return false;
        uris[i] = list->items[i].text;
    }
    job->uris = uris;
    job->uri_count = list->count;
    return true;
}

/* Changes that this server reports at all. */
static bool is_told(const cv_mcp_server *server, size_t change)
{
    return change == CV_MCP_RESOURCE_UPDATED ? server->watch || server->lists_change : server->lists_change;
}

static bool read_wishes(cv_mcp_job *job, const cv_json *wishes, unsigned *ret_wishes)
{
    *ret_wishes = 0;
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        const cv_json *wish = cv_json_get(wishes, cv_str_of(changes[i].wanted));
        if (!wish || wish->type == CV_JSON_FALSE || wish->type == CV_JSON_NULL)
            continue;
        if (i == CV_MCP_RESOURCE_UPDATED ? !read_uris(job, wish) : wish->type != CV_JSON_TRUE)
            return false;
        if (is_told(job->host->server, i))
            *ret_wishes |= 1u << i;
    }
    return true;
}

static void print_id(cv_json_writer *w, const cv_mcp_job *job)
{
    cv_json_key(w, CV_STR("_meta"));
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR(SUBSCRIPTION_ID));
    cv_json_raw(w, job->message.id);
    cv_json_end_object(w);
}

static void acknowledge(cv_mcp_job *job)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_rpc_begin_call(&w, (cv_str){0}, CV_STR("notifications/subscriptions/acknowledged"));
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("notifications"));
    cv_json_begin_object(&w);
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        if (!(job->wishes & 1u << i))
            continue;
        cv_json_key(&w, cv_str_of(changes[i].wanted));
        if (i == CV_MCP_RESOURCE_UPDATED)
            cv_json_strs(&w, job->uris, job->uri_count);
        else
            cv_json_bool(&w, true);
    }
    cv_json_end_object(&w);
    print_id(&w, job);
    cv_json_end_object(&w);
    cv_rpc_end(&w);
    job->transport->send(job, cv_buf_str(&out));
    cv_buf_release(&out);
}

enum { OPEN = 1 << 30 }; /* marks a subscription even when nothing that it wants is told */

/* Acknowledged before it is found by cv_mcp_changed: that is the first message of its stream. */
static void open_subscription(cv_mcp_job *job)
{
    acknowledge(job);
    job->wants = job->wishes;
}

bool cv_mcp_listen(cv_mcp_job *job, const cv_json *params)
{
    const cv_json *all = cv_json_get(params, CV_STR("notifications"));
    cv_mcp_host *host = job->host;
    unsigned wishes;
    if (!all || all->type != CV_JSON_OBJECT || !read_wishes(job, all, &wishes)) {
        cv_mcp_refuse(job, 200, CV_RPC_PARAMS,
                      CV_STR("params.notifications must be an object of toolsListChanged, promptsListChanged, "
                             "resourcesListChanged (true) and resourceSubscriptions (a list of URIs)"),
                      (cv_str){0});
        return false;
    }
    pthread_mutex_lock(&host->lock);
    job->wishes = wishes | (unsigned)OPEN;
    job->watched = job->uri_count > 0;
    host->watching += job->watched;
    if (!job->watched)
        open_subscription(job);
    bool opened = job->wants != 0;
    pthread_mutex_unlock(&host->lock);
    if (!opened)
        cv_mcp_await_look(job);
    return true;
}

static bool is_wanted(const cv_str *uris, size_t count, cv_mcp_change change, cv_str uri)
{
    for (size_t i = 0; i < count && change == CV_MCP_RESOURCE_UPDATED; i++)
        if (cv_str_eq(uris[i], uri))
            return true;
    return change != CV_MCP_RESOURCE_UPDATED;
}

static void print_change(cv_buf *out, cv_mcp_change change, cv_str uri, const cv_mcp_job *job)
{
    cv_json_writer w = {.out = out};
    cv_rpc_begin_call(&w, (cv_str){0}, cv_str_of(changes[change].method));
    cv_json_begin_object(&w);
    if (change == CV_MCP_RESOURCE_UPDATED)
        cv_json_key_str(&w, "uri", uri);
    if (job)
        print_id(&w, job);
    cv_json_end_object(&w);
    cv_rpc_end(&w);
}

/* ---- legacy ----------------------------------------------------------------------------------------------------- */

static bool read_uri(cv_mcp_request *r, const cv_json *params, cv_str *ret_uri)
{
    *ret_uri = cv_json_get_text(params, "uri");
    if (!ret_uri->p)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "params.uri is missing");
    if (ret_uri->n > CV_MAX_URI)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "params.uri is longer than %d bytes", CV_MAX_URI);
    return r->job->session || cv_mcp_fail(r, CV_RPC_INVALID, "subscriptions need a session");
}

static bool done(cv_mcp_request *r)
{
    cv_buf_clear(&r->job->out);
    r->w = (cv_json_writer){.out = &r->job->out};
    cv_rpc_begin_result(&r->w, r->job->message.id);
    cv_json_begin_object(&r->w);
    cv_mcp_end_result(r, false);
    return true;
}

/* The place of the URI among those subscribed to, or a free one, or one more; NULL: there are too many. */
static cv_str *place_of(cv_mcp_session *session, cv_str uri)
{
    cv_str *free = NULL;
    for (size_t i = 0; i < session->uris.count; i++) {
        if (cv_str_eq(session->uris.items[i], uri) && session->uris.items[i].p)
            return &session->uris.items[i];
        if (!session->uris.items[i].p)
            free = &session->uris.items[i];
    }
    if (free || session->uris.count >= CV_MCP_MAX_SUBSCRIPTIONS)
        return free;
    cv_str *place = CV_PUSH(&session->arena, &session->uris);
    *place = (cv_str){NULL, 0};
    return place;
}

bool cv_mcp_subscribe(cv_mcp_request *r, const cv_json *params)
{
    cv_str uri;
    if (!read_uri(r, params, &uri))
        return false;
    cv_mcp_session *session = r->job->session;
    pthread_mutex_lock(&r->host->lock);
    cv_str *place = place_of(session, uri);
    if (place && !place->p) {
        *place = (cv_str){cv_heap_copy(uri), uri.n};
        r->host->watching++;
    }
    pthread_mutex_unlock(&r->host->lock);
    r->job->subscribes = place != NULL;
    return place ? done(r)
                 : cv_mcp_fail(r, CV_RPC_PARAMS, "too many subscriptions: at most %d", CV_MCP_MAX_SUBSCRIPTIONS);
}

bool cv_mcp_unsubscribe(cv_mcp_request *r, const cv_json *params)
{
    cv_str uri;
    if (!read_uri(r, params, &uri))
        return false;
    cv_mcp_session *session = r->job->session;
    pthread_mutex_lock(&r->host->lock);
    for (size_t i = 0; i < session->uris.count; i++)
        if (session->uris.items[i].p && cv_str_eq(session->uris.items[i], uri)) {
            cv_heap_free((char *)(uintptr_t)session->uris.items[i].p);
            session->uris.items[i] = (cv_str){NULL, 0};
            r->host->watching--;
        }
    pthread_mutex_unlock(&r->host->lock);
    return done(r);
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

static bool is_initialised(cv_mcp_session *session)
{
    pthread_mutex_lock(&session->lock);
    bool initialised = session->version.n > 0;
    pthread_mutex_unlock(&session->lock);
    return initialised;
}

static bool is_refused(const cv_mcp_host *host, cv_str bearer, cv_mcp_change change, cv_str uri)
{
    return change == CV_MCP_RESOURCE_UPDATED && host->server->refuses &&
           host->server->refuses(host->server->ctx, bearer, uri);
}

/* A client that may not hear of it any more, because its token was revoked or limited, has its stream ended instead. */
void cv_mcp_changed(cv_mcp_host *host, cv_mcp_change change, cv_str uri)
{
    cv_mcp_job *refused = NULL;
    pthread_mutex_lock(&host->lock);
    for (cv_mcp_job *job = host->active; job; job = job->next_active) {
        if (!(job->wants & 1u << change) || !is_wanted(job->uris, job->uri_count, change, uri))
            continue;
        if (is_refused(host, job->bearer, change, uri)) {
            job->wants = 0; /* nobody else ends it */
            job->work.served = true;
            job->next = refused;
            refused = job;
            continue;
        }
        cv_buf out = {0};
        print_change(&out, change, uri, job);
        job->transport->send(job, cv_buf_str(&out));
        cv_buf_release(&out);
    }
    for (cv_mcp_session *session = host->sessions; session; session = session->next) {
        if (!is_initialised(session) || !is_wanted(session->uris.items, session->uris.count, change, uri))
            continue;
        if (is_refused(host, session->bearer, change, uri)) {
            if (session->hang_up)
                session->hang_up(session);
            continue;
        }
        cv_buf out = {0};
        print_change(&out, change, uri, NULL);
        session->notify(session, cv_buf_str(&out));
        cv_buf_release(&out);
    }
    pthread_mutex_unlock(&host->lock);
    finish_all(refused);
}
