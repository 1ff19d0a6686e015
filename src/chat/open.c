/* open.c - a new chat file, under an id that nobody has.
 *
 *     yymmdd_hhmm            the minute, in UTC
 *     yymmdd_hhmm_2 …        the second one of that minute
 *
 * The record says first what will be there (kit/intent.h), then the file is made without overwriting: who dies in
 * between has opened the chat anyway, and the next call makes the file.
 */
#include <time.h>

#include "base/folder.h"
#include "base/utf8.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/policy.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"
#include "kit/fault.h"
#include "kit/intent.h"

typedef struct {
    cv_str chat_id, path, workflow;
} answer;

#define CV_THIS_TYPE answer
const cv_shape cv_chat_open_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, path, "of the file"),
    CV_FIELD(IF_ANY, workflow, "whose folder it is in"),
    CV_WRITTEN_FROM(0, "chat"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

typedef struct {
    cv_chat_place place;
    cv_str purpose;
    cv_str *people;
    size_t count;
    bool taken; /* somebody has the id */
} opening;

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* `policy`: of the folder; NULL: there is no such folder. */
static void check_people(cv_call *call, const cv_chat_policy *policy, opening *o)
{
    const cv_json *list = cv_json_get(call->input, CV_STR("participants"));
    if (!list) /* the schema has said so */
        return;
    o->people = CV_NEW_ARRAY(call->arena, list->count, cv_str);
    for (uint32_t i = 0; i < list->count; i++) {
        cv_str who = cv_str_trim(list->items[i].text);
        const char *field = cv_arena_printf(call->arena, "participants[%u]", (unsigned)i).p;
        if (!cv_chat_person_form(call, field, who))
            continue;
        if (policy)
            cv_chat_policy_role(call, policy, field, who);
        for (size_t k = 0; k < o->count; k++)
            if (cv_str_eq(o->people[k], who))
                cv_refuse(call, CV_ERR_PERSON_EXISTS, CV_STR(""), field, who, "'%.*s' is named twice",
                          CV_FMT(cv_excerpt(call->arena, who)));
        o->people[o->count++] = who;
    }
}

static void check_purpose(cv_call *call, opening *o)
{
    cv_spot spot = {.call = call}, at = cv_spot_in(&spot, CV_STR("purpose"));
    o->purpose = cv_str_trim(cv_json_get_text(call->input, "purpose"));
    if (!o->purpose.n)
        cv_fault_missing(&at);
    else
        cv_fault_unless_line(&at, o->purpose, CV_MAX_PURPOSE);
}

static void check_id(cv_call *call, cv_str id)
{
    if (!id.p || cv_chat_id_valid(id))
        return;
    cv_err *fault =
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "id", id,
                  "'%.*s' is not a chat id: letters, digits, '_' and '-', at most %d of them, not ending with "
                  "_editing",
                  CV_FMT(cv_excerpt(call->arena, id)), CV_MAX_CHAT_ID);
    cv_err_suggest(fault, CV_STR("leave it out: then it is made from the time"));
}

/* ---- making it --------------------------------------------------------------------------------------------------- */

static bool is_free(const cv_call *call, const cv_chat_place *p)
{
    struct stat st;
    return !cv_where_look(cv_where_in(call->arena, p->folder.where, p->name), &st) &&
           !cv_where_look(cv_where_in(call->arena, p->folder.where, p->editing), &st);
}

static bool work(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    opening *o = ctx;
    cv_buf text = {0};
    cv_arena *a = call->arena;
    o->taken = w->at.rev > 0 || !is_free(call, &o->place);
    if (o->taken) {
        cv_err *fault = cv_refuse(call, CV_ERR_CHAT_EXISTS, CV_STR(""), "id", o->place.id,
                                  "there is a chat '%.*s' already", CV_FMT(o->place.id));
        cv_err_suggest(fault, CV_STR("choose another id, or leave it out"));
        return false;
    }
    cv_chat_header_print(&text, o->place.id, o->purpose, o->people, o->count);
    cv_str bytes = cv_buf_take(&text, a);
    cv_chat_view view = {.call = call, .place = &o->place, .arena = a, .fd = -1};
    cv_err err = {.arena = a};
    bool ok = cv_chat_header_parse(a, bytes, &view.header, &err) && cv_chat_header_check(&view.header, &err);
    assert(ok && "what is written is a header");
    (void)ok;
    cv_chat_row_put(w, &view, &view.header, 0, CV_STR(""));
    cv_intent_keep(w, &cv_chat_intent_type, o->place.scope.name, (cv_str){NULL, 0}, bytes);
    cv_writing_event(w, CV_STR("chat"), o->place.id, CV_STR("opened"))->reason = o->purpose;
    const answer told = {o->place.id, o->place.scope.name, o->place.folder.workflow};
    *ret_result = cv_shape_text(a, cv_chat_open_shape, &told);
    return true;
}

/* One try under this id. */
static bool try_id(cv_call *call, const cv_chat_folder *folder, cv_str id, opening *o)
{
    o->place = cv_chat_place_in(call, folder, id);
    o->taken = false;
    bool ok = cv_request_locked(call, CV_STR("chat open"), o->place.scope, work, o);
    return ok;
}

/* The next free id of this minute. */
static bool try_all(cv_call *call, const cv_chat_folder *folder, opening *o)
{
    enum { MOST = 10000 };
    time_t now = (time_t)(call->clock.now_ms(call->clock.ctx) / 1000);
    struct tm tm;
    char minute[32];
    size_t faults = call->errs->count;
    gmtime_r(&now, &tm);
    strftime(minute, sizeof minute, "%y%m%d_%H%M", &tm);
    for (int i = 1; i <= MOST; i++) {
        cv_str id = i == 1 ? cv_str_of(minute) : cv_arena_printf(call->arena, "%s_%d", minute, i);
        if (try_id(call, folder, id, o))
            return true;
        if (!o->taken)
            return false;
        call->errs->count = faults;
    }
    cv_errs_add(call->errs, call->arena, CV_ERR_CHAT_EXISTS,
                "%d chats were opened in this minute: wait for the next one", MOST);
    return false;
}

/* The file, from what the record says. */
static bool make_file(cv_call *call, const cv_chat_place *place)
{
    cv_err err = {.arena = call->arena};
    if (cv_chat_make_file(call, place, &err) == CV_INTENT_DONE)
        return true;
    cv_intent_suggest(&err);
    return cv_call_fail(call, &err);
}

/* Was a chat opened under this op_id before? */
static bool replay(cv_call *call, opening *o, bool *ret_done)
{
    cv_str op_id = cv_json_get_text(call->input, "op_id"), scope;
    cv_err err = {.arena = call->arena};
    cv_commit_row row;
    *ret_done = false;
    if (!op_id.p)
        return true;
    if (!cv_record_op_first(call->record, call->arena, CV_STR("chat"), op_id, &scope, &row, ret_done, &err))
        return cv_call_fail(call, &err);
    if (!*ret_done)
        return true;
    return (cv_chat_place_of(call, scope, &o->place, &err) || cv_call_fail(call, &err)) &&
           try_id(call, &o->place.folder, o->place.id, o);
}

bool cv_chat_open(cv_call *call)
{
    opening o = {0};
    cv_chat_folders folders;
    cv_chat_policy policy;
    cv_str id = cv_json_get_text(call->input, "id");
    bool done;
    if (!replay(call, &o, &done))
        return false;
    if (done)
        return make_file(call, &o.place);
    bool placed = cv_chat_folders_of(call, &folders) && cv_chat_policy_load(call, &folders.items[0], &policy);
    check_purpose(call, &o);
    check_people(call, placed ? &policy : NULL, &o);
    check_id(call, id);
    if (!placed || call->errs->count)
        return false;
    if (!(id.p ? try_id(call, &folders.items[0], id, &o) : try_all(call, &folders.items[0], &o)))
        return false;
    if (cv_json_get_true(call->input, "dry_run"))
        return true;
    return make_file(call, &o.place);
}
