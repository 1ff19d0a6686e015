/* listen.c - who wants to be told of changes, and telling them; see host.h.
 *
 *     modern   subscriptions/listen: a request that stays open; what it is told carries its id
 *     legacy   lists: every client that is there; resources: those that it has subscribed to
 */
#include <time.h>

#include "base/map.h"
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

/* ---- the watcher: runs while somebody has subscribed to resources --------------------------------------------------
 */

typedef struct {
    cv_str *items;
    size_t count, capacity;
} uri_list;

static void collect(cv_arena *a, uri_list *all, cv_map *known, const cv_str *some, size_t count)
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

/* Every resource that somebody has subscribed to, once. */
static uri_list subscribed(cv_mcp_host *host, cv_arena *a)
{
    uri_list all = {0};
    cv_map known = {0};
    pthread_mutex_lock(&host->lock);
    for (const cv_mcp_job *job = host->active; job; job = job->next_active)
        collect(a, &all, &known, job->uris, job->uri_count);
    for (const cv_mcp_session *session = host->sessions; session; session = session->next)
        collect(a, &all, &known, session->uris.items, session->uris.count);
    pthread_mutex_unlock(&host->lock);
    return all;
}

static void *watch(void *argument)
{
    cv_mcp_host *host = argument;
    const struct timespec beat = {.tv_nsec = BEAT_MS * 1000000L};
    cv_arena arena = {0};
    for (;;) {
        pthread_mutex_lock(&host->lock);
        bool ending = host->ending, needed = host->watching > 0;
        pthread_mutex_unlock(&host->lock);
        if (ending)
            break;
        uri_list all = needed ? subscribed(host, &arena) : (uri_list){0};
        if (all.count > 0)
            host->server->watch(host->server->ctx, host, all.items, all.count);
        cv_arena_reset(&arena);
        nanosleep(&beat, NULL);
    }
    cv_arena_release(&arena);
    return NULL;
}

/* With the lock held. */
static void begin_watching(cv_mcp_host *host)
{
    host->watching++;
    if (host->server->watch && !host->watcher_runs)
        host->watcher_runs = pthread_create(&host->watcher, NULL, watch, host) == 0;
}

/* ---- modern ----------------------------------------------------------------------------------------------------- */

static bool read_uris(cv_mcp_job *job, const cv_json *list)
{
    if (list->type != CV_JSON_ARRAY || list->count > CV_MCP_MAX_SUBSCRIPTIONS)
        return false;
    cv_str *uris = CV_NEW_ARRAY(&job->arena, list->count + 1, cv_str);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].type != CV_JSON_STRING)
            return false;
        uris[i] = list->items[i].text;
    }
    job->uris = uris;
    job->uri_count = list->count;
    return true;
}

/* Changes that this server tells of at all. */
static bool is_told(const cv_mcp_server *server, size_t change)
{
    return change == CV_MCP_RESOURCE_UPDATED ? server->watch || server->lists_change : server->lists_change;
}

static bool read_wishes(cv_mcp_job *job, const cv_json *wishes, unsigned *ret_wants)
{
    *ret_wants = 0;
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        const cv_json *wish = cv_json_get(wishes, cv_str_of(changes[i].wanted));
        if (!wish || wish->type == CV_JSON_FALSE || wish->type == CV_JSON_NULL)
            continue;
        if (i == CV_MCP_RESOURCE_UPDATED ? !read_uris(job, wish) : wish->type != CV_JSON_TRUE)
            return false;
        if (is_told(job->host->server, i))
            *ret_wants |= 1u << i;
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

static void acknowledge(cv_mcp_job *job, unsigned wants)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_rpc_begin_call(&w, (cv_str){0}, CV_STR("notifications/subscriptions/acknowledged"));
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("notifications"));
    cv_json_begin_object(&w);
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        if (!(wants & 1u << i))
            continue;
        cv_json_key(&w, cv_str_of(changes[i].wanted));
        if (i != CV_MCP_RESOURCE_UPDATED) {
            cv_json_bool(&w, true);
            continue;
        }
        cv_json_begin_array(&w);
        for (size_t u = 0; u < job->uri_count; u++)
            cv_json_str(&w, job->uris[u]);
        cv_json_end_array(&w);
    }
    cv_json_end_object(&w);
    print_id(&w, job);
    cv_json_end_object(&w);
    cv_rpc_end(&w);
    job->transport->send(job, cv_buf_str(&out));
    cv_buf_release(&out);
}

enum { OPEN = 1 << 30 }; /* marks a subscription even when nothing that it wants is told */

bool cv_mcp_listen(cv_mcp_job *job, const cv_json *params)
{
    const cv_json *wishes = cv_json_get(params, CV_STR("notifications"));
    unsigned wants;
    if (!wishes || wishes->type != CV_JSON_OBJECT || !read_wishes(job, wishes, &wants)) {
        cv_mcp_refuse(job, 200, CV_RPC_PARAMS,
                      CV_STR("params.notifications must be an object of toolsListChanged, promptsListChanged, "
                             "resourcesListChanged (true) and resourceSubscriptions (a list of URIs)"),
                      (cv_str){0});
        return false;
    }
    acknowledge(job, wants); /* before it is found by cv_mcp_changed: the first message of its stream */
    pthread_mutex_lock(&job->host->lock);
    job->wants = wants | (unsigned)OPEN;
    if (job->uri_count > 0)
        begin_watching(job->host);
    pthread_mutex_unlock(&job->host->lock);
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
        *place = cv_arena_copy(&session->arena, uri);
        begin_watching(r->host);
    }
    pthread_mutex_unlock(&r->host->lock);
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
            session->uris.items[i] = (cv_str){NULL, 0};
            r->host->watching--;
        }
    pthread_mutex_unlock(&r->host->lock);
    return done(r);
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

void cv_mcp_changed(cv_mcp_host *host, cv_mcp_change change, cv_str uri)
{
    pthread_mutex_lock(&host->lock);
    for (cv_mcp_job *job = host->active; job; job = job->next_active) {
        if (!(job->wants & 1u << change) || !is_wanted(job->uris, job->uri_count, change, uri))
            continue;
        cv_buf out = {0};
        print_change(&out, change, uri, job);
        job->transport->send(job, cv_buf_str(&out));
        cv_buf_release(&out);
    }
    for (cv_mcp_session *session = host->sessions; session; session = session->next) {
        if (!session->version.n || !is_wanted(session->uris.items, session->uris.count, change, uri))
            continue;
        cv_buf out = {0};
        print_change(&out, change, uri, NULL);
        session->notify(session, cv_buf_str(&out));
        cv_buf_release(&out);
    }
    pthread_mutex_unlock(&host->lock);
}
