/* service.c - a project as servers have it; see service.h. */
#include "door/service.h"

#include "base/err_json.h"
#include "base/heap.h"
#include "base/log.h"
#include "kit/who.h"

enum { KEPT_BYTES = 1 << 18 }; /* of the memory for answers, from one to the next */

void cv_service_init(cv_service *service, const char *root, const char *as)
{
    *service = (cv_service){.root = root, .as = as, .health = cv_health_new(root)};
    pthread_mutex_init(&service->window_lock, NULL);
}

void cv_service_end(cv_service *service)
{
    cv_health_end(service->health);
    cv_record_handle_close(&service->window);
    pthread_mutex_destroy(&service->window_lock);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

static void *enter(void *ctx)
{
    (void)ctx;
    return CV_HEAP_NEW(cv_service_worker);
}

static void leave(void *ctx, void *mine)
{
    cv_service_worker *w = mine;
    (void)ctx;
    cv_record_handle_close(&w->handle);
    cv_buf_release(&w->out);
    cv_heap_free(w);
}

const cv_workers_own cv_service_own = {enter, leave, NULL};

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Asks the handle that is open; false: there is none, or it cannot say, as when another file is in its place. */
static bool has_seen(cv_service *service)
{
    cv_record *record = service->window.record;
    if (record && record->calls->changed(record, &service->window_seen))
        service->data_version++;
    return record && service->window_seen != 0;
}

/* With the lock. What was seen of another handle says nothing about this one. */
static bool open_window(cv_service *service, cv_err *err)
{
    size_t before = service->window.opened;
    bool ok = cv_record_handle_open(&service->window, service->root, err);
    if (service->window.opened != before)
        service->window_seen = 0;
    return ok;
}

/* The handle is open, and what it can say of changes has been seen; with the lock. */
static bool look_through(cv_service *service, bool *ret_known, cv_err *err)
{
    *ret_known = has_seen(service);
    if (*ret_known)
        return true;
    bool ok = open_window(service, err);
    *ret_known = ok && has_seen(service);
    return ok;
}

/* Counts what was seen to change: a commit by anybody, or another file in the place of the record. */
bool cv_service_data_version(cv_service *service, uint64_t *ret_version)
{
    cv_arena arena = {0};
    cv_err err = {.arena = &arena};
    bool known;
    pthread_mutex_lock(&service->window_lock);
    look_through(service, &known, &err);
    *ret_version = service->data_version;
    pthread_mutex_unlock(&service->window_lock);
    cv_arena_release(&arena);
    return known;
}

bool cv_service_admits(void *ctx, cv_str token, const char **ret_why)
{
    cv_service *service = ctx;
    cv_arena arena = {0};
    cv_err err = {.arena = &arena};
    if (!cv_str_starts(token, CV_STR(CV_TOKEN_PREFIX)))
        return false;
    pthread_mutex_lock(&service->window_lock);
    bool known = open_window(service, &err) && cv_token_admits(service->window.record, &arena, token, &err);
    pthread_mutex_unlock(&service->window_lock);
    if (!known)
        *ret_why = err.code == CV_ERR_TOKEN || err.code == CV_ERR_AGENT_REMOVED
                       ? "the token is not one of an agent that may act in this project, or it was revoked"
                       : "the token cannot be checked: the record of the project cannot be read";
    cv_arena_release(&arena);
    return known;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

/* Lines and columns of a message that a program has written help nobody, where the field says which value it is; those
 * in a file do, and those of a text that is not JSON, in which there are no fields. */
cv_str cv_service_faults(cv_arena *a, const cv_operation *op, const cv_errs *errs)
{
    for (size_t i = 0; i < errs->count; i++)
        if (errs->items[i].file.n == 0 && errs->items[i].code != CV_ERR_JSON)
            errs->items[i].line = errs->items[i].column = 0;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_errs_print_json(errs->items, errs->count, op->flags & CV_OP_BATCH, &w);
    return cv_buf_take(&out, a);
}

/* A token of an agent decides who acts; without one the user who started the server, then the client itself. */
static cv_who who_acts(const cv_service *service, const cv_service_call *asked)
{
    if (asked->bearer.p && cv_str_starts(asked->bearer, CV_STR(CV_TOKEN_PREFIX)))
        return (cv_who){.token = asked->bearer};
    return (cv_who){.name = service->as ? cv_str_of(service->as) : asked->as};
}

bool cv_service_refuses(cv_service *service, cv_str bearer, cv_str room)
{
    static const cv_err_code refusals[] = {CV_ERR_TOKEN, CV_ERR_AGENT_REMOVED, CV_ERR_NOT_ALLOWED};
    cv_arena a = {0};
    cv_err unopened = {.arena = &a};
    cv_errs errs = {0};
    bool refused = false;
    cv_call call = {.arena = &a, .errs = &errs, .who = who_acts(service, &(cv_service_call){.bearer = bearer})};
    pthread_mutex_lock(&service->window_lock);
    bool open = open_window(service, &unopened);
    call.record = service->window.record;
    if (open && !cv_admit(&call, &(cv_act){.room = room.p ? room : CV_STR("")}))
        for (size_t i = 0; i < CV_COUNT(refusals); i++)
            refused = refused || errs.items[0].code == refusals[i];
    pthread_mutex_unlock(&service->window_lock);
    cv_arena_release(&a);
    return refused;
}

/* The user who started the server decides whether others may start programs through it. */
static bool may_start(const cv_service *service, const cv_service_call *asked, cv_errs *errs)
{
    if (service->starts || !(asked->op->flags & CV_OP_STARTS))
        return true;
    cv_err *fault =
        cv_errs_add(errs, asked->arena, CV_ERR_NOT_ALLOWED, "this server does not start programs for its clients");
    cv_err_suggest(fault, CV_STR("start it with --allow-run, or use the command line"));
    return false;
}

bool cv_service_run(cv_service *service, cv_service_worker *mine, const cv_service_call *asked, cv_errs *errs,
                    cv_str *ret_reply)
{
    cv_err err = {.arena = asked->arena};
    cv_call call = {.arena = asked->arena,
                    .who = who_acts(service, asked),
                    .clock = cv_clock_system(),
                    .follower = asked->follower,
                    .confined = true,
                    .looks_on = asked->looks_on,
                    .input = asked->input,
                    .input_text = asked->input_text,
                    .out = &mine->out,
                    .most = asked->most,
                    .errs = errs,
                    .seen = asked->ret_seen,
                    .name = asked->name};
    bool open = cv_record_handle_open(&mine->handle, service->root, &err) ||
                (mine->handle.root && asked->op->flags & CV_OP_PROJECT);
    if (!open)
        cv_errs_keep(errs, asked->arena, &err);
    call.root = mine->handle.root;
    call.record = mine->handle.record;
    bool done = open && may_start(service, asked, errs) && cv_op_call(asked->op, &call);
    if (asked->ret_who)
        *asked->ret_who = call.who.name;
    if (done)
        *ret_reply = cv_arena_copy(asked->arena, cv_buf_str(&mine->out));
    if (mine->out.capacity > KEPT_BYTES)
        cv_buf_release(&mine->out);
    cv_buf_clear(&mine->out);
    return done;
}

void cv_service_take_in(const cv_record_handle *handle, cv_buf *told)
{
    cv_arena a = {0};
    cv_buf complaint = {0};
    cv_watermark_state watermark;
    cv_err lost = {.arena = &a};
    const cv_call call = {.arena = &a, .record = handle->record, .clock = cv_clock_system(), .root = handle->root};
    bool whole = call.record->calls->acknowledged(call.record, &a, &watermark, &lost);
    for (size_t i = 0; whole && i < cv_room_count(); i++) {
        cv_err err = {.arena = &a};
        if (!cv_room_intake(cv_room_at(i), &call, &err))
            cv_buf_printf(&complaint, "%s%.*s", complaint.n ? "; " : "", CV_FMT(cv_err_text(&err)));
    }
    if (complaint.n && !cv_str_eq(cv_buf_str(&complaint), cv_buf_str(told)))
        cv_log_line("files were not read in: %.*s", CV_FMT(cv_buf_str(&complaint)));
    cv_buf_release(told);
    *told = complaint;
    cv_arena_release(&a);
}
