/* api.c - operations as routes: a request, its call on a worker, its answer; see api.h. */
#include <assert.h>

#include "base/err_json.h"
#include "base/heap.h"
#include "base/monotonic.h"
#include "door/api/parts.h"

static const char json_type[] = "application/json";

/* ---- answering --------------------------------------------------------------------------------------------------- */

/* A fault in the shape of every door, with the status of its code; then the exchange is given up. */
static void __attribute__((format(printf, 4, 5)))
refuse(cv_http_exchange *x, int status, cv_err_code code, const char *format, ...)
{
    cv_arena a = {0};
    va_list args;
    va_start(args, format);
    cv_http_refuse(x, status, code, cv_arena_vprintf(&a, format, args).p);
    va_end(args);
    cv_http_release(x);
    cv_arena_release(&a);
}

static void refuse_fault(cv_http_exchange *x, const cv_err *err)
{
    cv_http_refuse_fault(x, cv_api_status(err->code), err);
    cv_http_release(x);
}

/* Takes the call off the list and gives its memory back. */
static void free_call(cv_api_call *call)
{
    cv_api *api = call->api;
    pthread_mutex_lock(&api->lock);
    if (call->prev)
        call->prev->next = call->next;
    else
        api->first = call->next;
    if (call->next)
        call->next->prev = call->prev;
    pthread_mutex_unlock(&api->lock);
    cv_arena_release(&call->arena);
    cv_buf_release(&call->text);
    cv_heap_free(call);
}

void cv_api_answer(cv_api_call *call, int status, cv_str body)
{
    cv_api_count_call(call, status);
    if (call->actor.p)
        cv_http_name_actor(call->x, call->actor);
    cv_http_answer(call->x, status, status == 304 ? NULL : json_type, body);
    cv_http_release(call->x);
}

/* ---- one call, on a worker --------------------------------------------------------------------------------------- */

static bool is_awaited(void *ctx, size_t done, size_t total, cv_str what)
{
    cv_api_call *call = ctx;
    (void)done, (void)total, (void)what;
    return !atomic_load(&call->gone) && !cv_http_has_left(call->x);
}

static bool run(cv_api_call *call, cv_arena *a, void *mine, cv_json *input, cv_errs *errs, cv_str *ret_reply)
{
    cv_err err = {.arena = a};
    cv_str text = call->text.n ? cv_buf_str(&call->text) : CV_STR("{}");
    if (!cv_json_parse(a, text, input, &err)) {
        cv_errs_keep(errs, a, &err);
        return false;
    }
    const cv_service_call asked = {.op = call->op,
                                   .arena = a,
                                   .input = input,
                                   .input_text = text,
                                   .bearer = call->bearer,
                                   .as = call->as,
                                   .looks_on = call->has_query,
                                   .follower = {.tell = is_awaited, .ctx = call},
                                   .ret_seen = call->question.p ? &call->seen : NULL,
                                   .ret_who = &call->actor};
    return cv_service_run(call->api->service, mine, &asked, errs, ret_reply);
}

static cv_api_call *call_of(cv_work *work)
{
    return (cv_api_call *)((char *)work - offsetof(cv_api_call, work));
}

static void serve(cv_work *work, cv_arena *a, void *mine)
{
    cv_api_call *call = call_of(work);
    cv_errs errs = {0};
    cv_json input = {0};
    cv_str reply;
    if (run(call, a, mine, &input, &errs, &reply)) {
        cv_api_answer_read(call, reply);
    } else {
        cv_http_add_header(call->x, "Cache-Control", CV_STR("no-store"));
        cv_api_answer(call, cv_api_faults_status(&input, &errs), cv_service_faults(a, call->op, &errs));
    }
    free_call(call);
}

/* The feed knows whether the position is one of its own, and where it ends now. */
static void open_stream(cv_work *work, cv_arena *a, void *mine)
{
    cv_api_call *call = call_of(work);
    cv_errs errs = {0};
    cv_err err = {.arena = a};
    cv_json input = {0}, tree;
    cv_str reply;
    if (run(call, a, mine, &input, &errs, &reply) && cv_json_parse(a, reply, &tree, &err)) {
        cv_api_count_call(call, 200);
        if (call->actor.p)
            cv_http_name_actor(call->x, call->actor);
        cv_api_events_add(call, call->after.p ? call->after : cv_json_get_text(&tree, "position"));
    } else {
        cv_api_answer(call, cv_api_faults_status(&input, &errs), cv_service_faults(a, call->op, &errs));
    }
    free_call(call);
}

/* ---- a request --------------------------------------------------------------------------------------------------- */

static size_t number_of(const cv_operation *op)
{
    size_t i = 0;
    while (cv_op_at(i) != op)
        i++;
    return i;
}

static cv_str copy_header(cv_arena *a, const cv_http_exchange *x, const char *name)
{
    cv_str value = cv_http_header(x, name);
    return value.p ? cv_arena_copy(a, value) : value;
}

static cv_api_call *call_new(cv_api *api, cv_http_exchange *x, const cv_operation *op)
{
    cv_api_call *call = CV_HEAP_NEW(cv_api_call);
    cv_str bearer = cv_http_bearer(x);
    call->api = api;
    call->x = x;
    call->op = op;
    call->number = number_of(op);
    call->since_us = cv_monotonic_us();
    call->bearer = bearer.p ? cv_arena_copy(&call->arena, bearer) : bearer;
    call->as = copy_header(&call->arena, x, CV_API_AS);
    call->tag = copy_header(&call->arena, x, "If-None-Match");
    pthread_mutex_lock(&api->lock);
    call->next = api->first;
    if (api->first)
        api->first->prev = call;
    api->first = call;
    pthread_mutex_unlock(&api->lock);
    return call;
}

static void queue(cv_api_call *call, void (*run_it)(cv_work *work, cv_arena *arena, void *mine))
{
    call->work = (cv_work){.serve = run_it, .slow_at = &call->api->slow_at[call->number]};
    cv_workers_queue(call->api->workers, &call->work);
}

/* "dialogue/list" is an operation of a room, "verify" one of the top level. */
static const cv_operation *find(cv_str path)
{
    size_t slash = cv_str_find_char(path, '/');
    cv_str room = cv_str_head(path, slash == SIZE_MAX ? 0 : slash);
    return cv_op_find(room, cv_str_from(path, slash == SIZE_MAX ? 0 : slash + 1));
}

/* The room alone makes nothing similar: of an operation in a room that is there, the verb counts. */
static cv_str nearest_path(cv_arena *a, cv_str path)
{
    cv_str *paths = CV_NEW_ARRAY(a, cv_op_count(), cv_str), *verbs = CV_NEW_ARRAY(a, cv_op_count(), cv_str);
    size_t slash = cv_str_find_char(path, '/'), count = 0;
    cv_str room = cv_str_head(path, slash == SIZE_MAX ? 0 : slash);
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        paths[i] = cv_arena_printf(a, "%s%s%s", op->room, *op->room ? "/" : "", op->verb);
        if (room.n && cv_str_eq(room, cv_str_of(op->room)))
            verbs[count++] = cv_str_of(op->verb);
    }
    if (count == 0)
        return cv_str_nearest(path, paths, cv_op_count());
    cv_str verb = cv_str_nearest(cv_str_from(path, slash + 1), verbs, count);
    return verb.n ? cv_arena_printf(a, "%.*s/%.*s", CV_FMT(room), CV_FMT(verb)) : verb;
}

static void refuse_path(cv_http_exchange *x, cv_str path)
{
    cv_arena a = {0};
    cv_str near = nearest_path(&a, path);
    refuse(x, 404, CV_ERR_NOT_FOUND, "there is no operation '%.*s'%s%.*s%s /api/openapi.json has all of them",
           CV_FMT(cv_str_head(path, 100)), near.n ? ": did you mean /api/" : "", CV_FMT(near), near.n ? "?" : ";");
    cv_arena_release(&a);
}

static void refuse_method(cv_http_exchange *x, const char *allowed)
{
    cv_http_add_header(x, "Allow", cv_str_of(allowed));
    refuse(x, 405, CV_ERR_USAGE, "%.*s is not possible at %.*s; possible: %s",
           CV_FMT(cv_str_head(cv_http_method(x), 20)), CV_FMT(cv_str_head(cv_http_path(x), 100)), allowed);
}

/* A link, an image or a page that is fetched early must not change anything. */
static void refuse_get(cv_http_exchange *x, const cv_operation *op)
{
    cv_http_add_header(x, "Allow", CV_STR("POST"));
    refuse(x, 405, CV_ERR_USAGE,
           "'%s%s%s' writes or takes something: send it with POST, its input as a JSON object in the body", op->room,
           *op->room ? " " : "", op->verb);
}

/* HEAD is a GET of which only the headers are sent: the HTTP server leaves the body out. */
static bool is_get(const cv_http_exchange *x)
{
    return cv_str_eq(cv_http_method(x), CV_STR("GET")) || cv_str_eq(cv_http_method(x), CV_STR("HEAD"));
}

static bool reads_only(const cv_operation *op)
{
    return !(op->flags & (CV_OP_WRITES | CV_OP_FILES));
}

/* What was answered before, and is still true, needs no worker. */
static void serve_or_recall(cv_api_call *call)
{
    if (cv_api_recall(call))
        free_call(call);
    else
        queue(call, serve);
}

static void take_post(cv_api *api, cv_http_exchange *x, const cv_operation *op)
{
    cv_str type = cv_http_header(x, "Content-Type");
    if (!type.p || !cv_str_starts_nocase(cv_str_trim(type), CV_STR("application/json"))) {
        refuse(x, 415, CV_ERR_USAGE, "Content-Type must be application/json");
        return;
    }
    cv_api_call *call = call_new(api, x, op);
    cv_http_take_body(x, &call->text);
    serve_or_recall(call);
}

static void take_get(cv_api *api, cv_http_exchange *x, const cv_operation *op)
{
    cv_api_call *call = call_new(api, x, op);
    cv_err err = {.arena = &call->arena};
    call->has_query = true;
    if (cv_api_query(x, cv_op_schema(op).input, &call->arena, &call->text, &err)) {
        serve_or_recall(call);
        return;
    }
    refuse_fault(x, &err);
    free_call(call);
}

static void take_operation(cv_api *api, cv_http_exchange *x, cv_str path)
{
    const cv_operation *op = find(path);
    if (!op)
        refuse_path(x, path);
    else if (cv_str_eq(cv_http_method(x), CV_STR("POST")))
        take_post(api, x, op);
    else if (!is_get(x))
        refuse_method(x, reads_only(op) ? "GET, HEAD, POST" : "POST");
    else if (reads_only(op))
        take_get(api, x, op);
    else
        refuse_get(x, op);
}

/* ---- what is not an operation ------------------------------------------------------------------------------------ */

/* Where a parameter of /api/events belongs; NULL: it has none of this name. */
static cv_str *parameter_of(cv_api_call *call, cv_str name)
{
    return cv_str_eq(name, CV_STR("after"))   ? &call->after
           : cv_str_eq(name, CV_STR("room"))  ? &call->room
           : cv_str_eq(name, CV_STR("scope")) ? &call->scope
                                              : NULL;
}

static void find_parameter(void *ctx, cv_str name, cv_str value)
{
    cv_api_call *call = ctx;
    cv_str *to = parameter_of(call, name);
    if (to)
        *to = value.p ? value : CV_STR("");
    else
        call->stranger = name;
}

/* What was given empty is refused like any other value that nobody knows. */
static void print_given(cv_json_writer *w, const char *key, cv_str value)
{
    if (value.p)
        cv_json_key_str(w, key, value);
}

/* A browser that comes back says where it was. The feed is asked for its end, and whether it knows the position. */
static void take_events(cv_api *api, cv_http_exchange *x)
{
    if (!cv_str_eq(cv_http_method(x), CV_STR("GET"))) {
        refuse_method(x, "GET");
        return;
    }
    cv_api_call *call = call_new(api, x, cv_op_called(CV_STR("feed")));
    cv_json_writer w = {.out = &call->text};
    cv_err err = {.arena = &call->arena};
    if (!cv_http_each_parameter(x, &call->arena, find_parameter, call, &err)) {
        refuse_fault(x, &err);
        free_call(call);
        return;
    }
    if (call->stranger.p) {
        refuse(x, 400, CV_ERR_UNKNOWN_FIELD, "unknown parameter '%.*s'; possible: after, room, scope",
               CV_FMT(cv_str_head(call->stranger, 100)));
        free_call(call);
        return;
    }
    cv_str last = copy_header(&call->arena, x, "Last-Event-ID");
    if (last.n)
        call->after = last;
    cv_json_begin_object(&w);
    cv_json_key_int(&w, "limit", 0);
    print_given(&w, "after", call->after);
    print_given(&w, "room", call->room);
    print_given(&w, "scope", call->scope);
    cv_json_end_object(&w);
    queue(call, open_stream);
}

static void take_description(cv_http_exchange *x)
{
    cv_arena a = {0};
    cv_api_answer_tagged(x, cv_api_describe(&a));
    cv_arena_release(&a);
}

/* The token has opened the door already. From here on the browser sends it by itself, and no script can read it. */
static void take_session(cv_http_exchange *x)
{
    cv_arena a = {0};
    cv_str bearer = cv_http_bearer(x), method = cv_http_method(x);
    bool leaves = cv_str_eq(method, CV_STR("DELETE"));
    if (!leaves && !cv_str_eq(method, CV_STR("POST"))) {
        refuse_method(x, "POST, DELETE");
    } else if (!leaves && !bearer.p) {
        refuse(x, 401, CV_ERR_TOKEN, "send the header 'Authorization: Bearer TOKEN'");
    } else {
        cv_http_add_header(x, "Set-Cookie",
                           cv_arena_printf(&a, CV_HTTP_COOKIE "=%.*s; Path=/; HttpOnly; SameSite=Strict%s",
                                           CV_FMT(leaves ? CV_STR("") : bearer), leaves ? "; Max-Age=0" : ""));
        cv_http_add_header(x, "Cache-Control", CV_STR("no-store"));
        cv_http_answer(x, 204, NULL, CV_STR(""));
        cv_http_release(x);
    }
    cv_arena_release(&a);
}

/* ---- routes ------------------------------------------------------------------------------------------------------ */

/* A page of this server itself: of the same name and the same port. Others may run on this machine, too. A browser says
 * so of requests that have no origin as well: of an image, say, or of a link that somebody follows. */
static bool is_own_origin(const cv_http_exchange *x)
{
    cv_str origin = cv_http_header(x, "Origin"), host = cv_http_header(x, "Host"),
           site = cv_http_header(x, "Sec-Fetch-Site");
    size_t scheme = origin.p ? cv_str_find(origin, CV_STR("://")) : 0;
    if (site.p && !cv_str_eq(site, CV_STR("same-origin")) && !cv_str_eq(site, CV_STR("none")))
        return false;
    return !origin.p || (scheme != SIZE_MAX && host.p && cv_str_eq_nocase(cv_str_from(origin, scheme + 3), host));
}

static void refuse_origin(cv_http_exchange *x)
{
    refuse(x, 403, CV_ERR_NOT_ALLOWED, "pages of other origins may not use this server");
}

/* Where everything else is. */
static void take_index(cv_http_exchange *x)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out, .indent = 2};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "openapi", CV_STR("/api/openapi.json"));
    cv_json_key_str(&w, "events", CV_STR("/api/events"));
    cv_json_key(&w, CV_STR("rooms"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < cv_room_count(); i++)
        if (!cv_room_at(i)->of_project)
            cv_json_str(&w, cv_str_of(cv_room_at(i)->name));
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    cv_buf_add_char(&out, '\n');
    cv_http_add_header(x, "Cache-Control", CV_STR("no-cache"));
    cv_http_answer(x, 200, json_type, cv_buf_str(&out));
    cv_http_release(x);
    cv_buf_release(&out);
}

static void handle_api(cv_http_exchange *x, void *ctx)
{
    cv_str whole = cv_http_path(x), path = cv_str_from(whole, whole.n < strlen("/api/") ? whole.n : strlen("/api/"));
    if (!is_own_origin(x))
        refuse_origin(x);
    else if (!is_get(x) && (!path.n || cv_str_eq(path, CV_STR("openapi.json"))))
        refuse_method(x, "GET, HEAD");
    else if (!path.n)
        take_index(x);
    else if (cv_str_eq(path, CV_STR("events")))
        take_events(ctx, x);
    else if (cv_str_eq(path, CV_STR("openapi.json")))
        take_description(x);
    else if (cv_str_eq(path, CV_STR("session")))
        take_session(x);
    else
        take_operation(ctx, x, path);
}

/* It answers, so it is alive; whether the record can be read is said beside it. */
static void handle_health(cv_http_exchange *x, void *ctx)
{
    cv_api *api = ctx;
    if (!is_get(x)) {
        refuse_method(x, "GET, HEAD");
        return;
    }
    bool readable = cv_service_is_readable(api->service);
    cv_http_add_header(x, "Cache-Control", CV_STR("no-store"));
    cv_http_answer(x, readable ? 200 : 503, json_type,
                   readable ? CV_STR("{\"status\":\"success\"}")
                            : CV_STR("{\"status\":\"error\",\"message\":\"the record cannot be read\"}"));
    cv_http_release(x);
}

/* Not counted among the calls: who measures does not change what is measured. */
static void serve_metrics(cv_work *work, cv_arena *a, void *mine)
{
    cv_api_call *call = call_of(work);
    cv_buf out = {0};
    cv_api_print_metrics(call->api, mine, a, &out);
    cv_http_add_header(call->x, "Cache-Control", CV_STR("no-store"));
    cv_http_answer(call->x, 200, "text/plain; version=0.0.4; charset=utf-8", cv_buf_str(&out));
    cv_http_release(call->x);
    cv_buf_release(&out);
    free_call(call);
}

static void handle_metrics(cv_http_exchange *x, void *ctx)
{
    if (!is_own_origin(x))
        refuse_origin(x);
    else if (!is_get(x))
        refuse_method(x, "GET, HEAD");
    else
        queue(call_new(ctx, x, cv_op_called(CV_STR("feed"))), serve_metrics);
}

/* Who has left is not answered any more; what it asked for goes on, unless it looks. */
static void gone(cv_http_exchange *x, void *ctx)
{
    cv_api *api = ctx;
    pthread_mutex_lock(&api->lock);
    for (cv_api_call *call = api->first; call; call = call->next)
        if (call->x == x)
            atomic_store(&call->gone, true);
    pthread_mutex_unlock(&api->lock);
    cv_api_events_gone(api->events, x);
}

void cv_api_routes(cv_api *api, cv_http_route ret_routes[CV_API_ROUTES])
{
    const cv_http_route routes[CV_API_ROUTES] = {
        {.path = "/api/", .handle = handle_api, .gone = gone, .ctx = api, .prompt = true},
        {.path = "/api", .handle = handle_api, .gone = gone, .ctx = api},
        {.path = "/healthz", .handle = handle_health, .ctx = api, .open = true},
        {.path = "/metrics", .handle = handle_metrics, .gone = gone, .ctx = api},
    };
    memcpy(ret_routes, routes, sizeof routes);
}

cv_api *cv_api_new(cv_service *service, cv_workers *workers, unsigned patience_seconds)
{
    cv_api *api = CV_HEAP_NEW(cv_api);
    api->service = service;
    api->workers = workers;
    api->started_ms = cv_monotonic_ms();
    api->slow_at = CV_NEW_ARRAY(&api->arena, cv_op_count(), int64_t);
    api->counts = CV_NEW_ARRAY(&api->arena, cv_op_count(), cv_api_count);
    api->events = cv_api_events_new(service, patience_seconds);
    api->kept = cv_answer_cache_new();
    pthread_mutex_init(&api->lock, NULL);
    return api;
}

/* A call that no worker has; NULL: there is none. */
static cv_api_call *left_over(cv_api *api)
{
    pthread_mutex_lock(&api->lock);
    cv_api_call *call = api->first;
    while (call && call->work.served)
        call = call->next;
    pthread_mutex_unlock(&api->lock);
    return call;
}

void cv_api_end(cv_api *api)
{
    cv_api_call *call;
    assert(api->workers->closed);
    while ((call = left_over(api))) {
        refuse(call->x, 503, CV_ERR_CANCELLED, "the server ends: the call was not begun");
        free_call(call);
    }
    cv_api_events_end(api->events);
}

void cv_api_free(cv_api *api)
{
    cv_api_events_free(api->events);
    cv_answer_cache_free(api->kept);
    pthread_mutex_destroy(&api->lock);
    cv_arena_release(&api->arena);
    cv_heap_free(api);
}
