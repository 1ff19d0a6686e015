/* state.c - states under names: get, set, list; see state.h.
 *
 *     temp/NAME.json              general
 *     runtime/AGENT/NAME.json     of an agent
 *     runtime/supervisor_state.json
 *
 * A state is set whole or merged, by anybody who knows what it was: `expect` is the value, `expect_version` the version
 * that it must have; of several who set it at the same time one succeeds. The record is the truth; the file shows it. A
 * file that somebody else has written is taken in as the next value (files/states.c), and never overwritten before.
 */
#include "mail/state.h"

#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "mail/files.h"
#include "mail/files/door.h"
#include "mail/operations.h"
#include "mail/prompt.h"
#include "mail/writing.h"

static const cv_str supervisor = CV_STR_INIT("supervisor_state"), general = CV_STR_INIT("-");

typedef struct {
    cv_mail_agent agent; /* id absent: none */
    cv_str owner, name;
    const cv_json *given, *expect;
    int64_t expect_version;
    bool merge;
    cv_str before; /* the value that it takes the place of; absent: it is not known */
    /* the answer */
    cv_str value, path, set_by, set_at, agent_id;
    int64_t version;
} setting;

typedef struct {
    cv_str name, agent, set_at;
    int64_t version;
} listed;

typedef struct {
    setting one;
    const setting *is_one; /* NULL: a list */
    struct {
        listed *items;
        size_t count, capacity;
    } states;
    const void *is_list;
} getting;

#define CV_THIS_TYPE setting
static const cv_shape value_shape[] = {
    CV_FIELD(ALWAYS, name, ""),
    CV_FIELD_AS(IF_ANY, "agent", agent_id, "whose state it is"),
    CV_JSON_AS(ALWAYS, ANY, "value", value, ""),
    CV_FIELD(ALWAYS, version, "grows by one whenever it is set"),
    CV_FIELD(IF_ANY, set_by, ""),
    CV_FIELD(ALWAYS, set_at, ""),
    CV_FIELD(ALWAYS, path, "the file that shows it"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE listed
static const cv_shape listed_shape[] = {
    CV_FIELD(ALWAYS, name, ""),
    CV_FIELD(IF_ANY, agent, "whose state it is"),
    CV_FIELD(ALWAYS, version, ""),
    CV_FIELD(ALWAYS, set_at, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE getting
static const cv_shape one_shape[] = {CV_SPREAD(one, value_shape), {0}};
static const cv_shape list_shape[] = {CV_LIST("states", states.items, states.count, listed_shape, "by name"), {0}};
const cv_shape cv_mail_state_shape[] = {
    CV_SUCCESS, CV_CASE(is_one, one_shape), CV_CASE(is_list, list_shape), CV_PROMPT_WRITTEN, {0},
};
#undef CV_THIS_TYPE

/* ---- names ------------------------------------------------------------------------------------------------------- */

bool cv_mail_state_is_name(cv_str name)
{
    static const cv_str taken[] = {CV_STR_INIT("cursor_output"), CV_STR_INIT("cursor_input")};
    if (cv_words_find((cv_words){taken, CV_COUNT(taken)}, name) >= 0)
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (!cv_is_alnum(name.p[i]) && (i == 0 || !strchr("._-", name.p[i])))
            return false;
    return name.n > 0 && name.n <= 64 && name.p[name.n - 1] != '.' && cv_str_find(name, CV_STR("..")) == SIZE_MAX;
}

static bool read_name(cv_call *call, setting *s)
{
    cv_agent_row row;
    cv_err err = {.arena = call->arena};
    s->name = cv_json_get_text(call->input, "name");
    s->owner = general;
    if (cv_json_get(call->input, CV_STR("agent"))) {
        if (!cv_mail_whose(call, &s->agent))
            return false;
        if (!s->agent.is_word && !cv_agent_get(call->record, call->arena, s->agent.id, &row, &err)) {
            cv_err_field(&err, CV_STR("agent"));
            return cv_call_fail(call, &err);
        }
        s->owner = s->agent.name;
        s->agent_id = s->agent.id;
    }
    if (!s->name.p)
        return true;
    if (cv_str_ends(s->name, CV_STR(".json")))
        s->name.n -= strlen(".json");
    if (cv_mail_state_is_name(s->name))
        return true;
    cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "name", s->name,
                             "this is not a name for a state: up to 64 letters, digits, '.', '_' and '-', and not that "
                             "of a prompt's file"),
                   CV_STR("use a name like current_focus; supervisor_state is the supervisor's"));
    return false;
}

static const char *path_of(cv_call *call, const setting *s)
{
    if (s->agent_id.p)
        return cv_arena_printf(call->arena, "runtime/%.*s/%.*s.json", CV_FMT(s->agent_id), CV_FMT(s->name)).p;
    const char *folder = cv_str_eq(s->name, supervisor) ? "runtime" : "temp";
    return cv_arena_printf(call->arena, "%s/%.*s.json", folder, CV_FMT(s->name)).p;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool get(cv_record *record, cv_arena *a, cv_str owner, cv_str name, cv_mail_value *ret, bool *ret_found,
                cv_err *err)
{
    cv_row_clear(&cv_mail_value_type, ret);
    ret->owner = owner;
    ret->name = name;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_value_type, ret, ret_found, err);
}

bool cv_mail_state_text(cv_call *call, cv_str owner, cv_str name, cv_str *ret_json, cv_err *err)
{
    cv_mail_value row;
    bool found;
    if (!get(call->record, call->arena, owner, name, &row, &found, err))
        return false;
    *ret_json = found ? row.value : (cv_str){NULL, 0};
    return true;
}

static void tell(cv_call *call, setting *s, const cv_mail_value *row)
{
    s->value = row->value;
    s->version = row->version;
    s->set_by = row->set_by;
    s->set_at = row->set_at;
    s->path = cv_str_of(cv_mail_file(call, path_of(call, s)).path);
}

bool cv_mail_state_equal(cv_arena *a, cv_str one, cv_str other)
{
    cv_json x, y;
    cv_err ignored = {.arena = a};
    return cv_json_parse(a, one, &x, &ignored) && cv_json_parse(a, other, &y, &ignored) && cv_json_is_equal(a, &x, &y);
}

/* What may be overwritten: the value before this one, and what was taken in. */
typedef struct {
    cv_arena *arena;
    cv_str before, taken;
} replaced;

static bool is_ours(void *ctx, cv_str bytes, bool unmarked)
{
    const replaced *r = ctx;
    (void)unmarked;
    return (r->taken.p && cv_str_eq(bytes, r->taken)) ||
           (r->before.p && cv_mail_state_equal(r->arena, bytes, r->before));
}

/* The mark says that nobody else wrote the file: a value that was replaced a moment ago is not taken for an edit. */
static bool write_value(cv_call *call, const setting *s, cv_where where, cv_err *err)
{
    cv_err unread = {.arena = call->arena};
    replaced r = {.arena = call->arena, .before = s->before};
    const struct timespec mark = cv_door_mark_time(cv_mail_now(call));
    cv_file_rules rules = {.arena = call->arena, .is_ours = is_ours, .ctx = &r, .gives_way = true, .time = &mark};
    cv_json value;
    cv_buf text = {0};
    cv_str there;
    struct stat st;
    bool marked = cv_where_look(where, &st) && cv_door_is_marked(&st);
    if (cv_file_read_at(call->arena, where, CV_MAX_FILE_BYTES, &there, &unread)) {
        if (cv_mail_state_equal(call->arena, there, s->value))
            return true;
        r.taken = marked ? there : (cv_str){NULL, 0};
    }
    if (!cv_json_parse(call->arena, s->value, &value, err))
        return false;
    cv_json_value(&(cv_json_writer){.out = &text, .indent = 2}, &value);
    cv_buf_add_char(&text, '\n');
    cv_str bytes = cv_buf_take(&text, call->arena);
    if (cv_file_write_at(where, bytes, &rules, err))
        return true;
    if (err->code != CV_ERR_FILE_CHANGED)
        return false;
    cv_err_clear(err);
    return true;
}

/* The file shows the state. What somebody else has written there since stays: it is the next value. The value is read
 * under a lock on the folder: of two who have set it, the slower one must not show the older value. */
static bool show(cv_call *call, const setting *s, cv_err *err)
{
    setting now = *s;
    cv_where where = cv_mail_file(call, path_of(call, s)), folder = cv_where_folder(call->arena, where);
    int lock = -1;
    bool ok = cv_folder_make_at(folder, err) && cv_folder_lock(folder, false, true, &lock, err) &&
              cv_mail_state_text(call, s->owner, s->name, &now.value, err) &&
              (!now.value.p || write_value(call, &now, where, err));
    if (lock >= 0)
        close(lock);
    return ok;
}

bool cv_mail_state_show(cv_call *call, cv_str owner, cv_str agent_id, cv_str name, cv_err *err)
{
    const setting s = {.owner = owner, .agent_id = agent_id, .name = name};
    return show(call, &s, err);
}

/* ---- set --------------------------------------------------------------------------------------------------------- */

/* Is it what the caller expects? null expects that there is none. */
static bool as_expected(cv_mail_writing *o, const setting *s, const cv_mail_value *row, bool found)
{
    cv_json value = {.type = CV_JSON_NULL};
    if (found && !cv_json_parse(o->arena, row->value, &value, &o->err))
        return cv_mail_fail(o);
    bool same = !s->expect || cv_json_is_equal(o->arena, s->expect, &value);
    bool version = s->expect_version == CV_ABSENT || s->expect_version == (found ? row->version : 0);
    if (same && version)
        return true;
    const char *field = same ? "expect_version" : "expect";
    cv_err *fault = found ? cv_refuse(o->call, CV_ERR_STATE_CHANGED, CV_STR(""), field, s->name,
                                      "'%.*s' is at version %lld, set at %.*s, and not what was expected",
                                      CV_FMT(s->name), (long long)row->version, CV_FMT(row->set_at))
                          : cv_refuse(o->call, CV_ERR_STATE_CHANGED, CV_STR(""), field, s->name,
                                      "there is no state '%.*s', and one was expected", CV_FMT(s->name));
    cv_err_operation(fault, CV_STR("mail state"));
    cv_err_suggest(fault, CV_STR("with 'get' shows what it is now"));
    return false;
}

/* Members of the new value take the place of those with the same name. */
static cv_str merged(cv_arena *a, const cv_json *old, const cv_json *given)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    for (uint32_t i = 0; i < old->count; i++)
        if (!cv_json_get(given, old->members[i].key)) {
            cv_json_key(&w, old->members[i].key);
            cv_json_value(&w, &old->members[i].value);
        }
    for (uint32_t i = 0; i < given->count; i++) {
        cv_json_key(&w, given->members[i].key);
        cv_json_value(&w, &given->members[i].value);
    }
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

static bool new_value(cv_mail_writing *o, setting *s, const cv_mail_value *row, bool found, cv_str *ret)
{
    cv_json old;
    *ret = cv_mail_compact(o->arena, cv_mail_raw(o->call, s->given));
    if (!s->merge || !found)
        return true;
    if (!cv_json_parse(o->arena, row->value, &old, &o->err))
        return cv_mail_fail(o);
    if (old.type == CV_JSON_OBJECT && s->given->type == CV_JSON_OBJECT) {
        *ret = merged(o->arena, &old, s->given);
        return true;
    }
    cv_refuse(o->call, CV_ERR_INVALID_VALUE, CV_STR(""), "merge", s->name, "only objects can be merged");
    return false;
}

static bool set(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    getting *g = ctx;
    setting *s = &g->one;
    cv_mail_value row;
    bool found;
    if (!get(o->record, o->arena, s->owner, s->name, &row, &found, &o->err))
        return cv_mail_fail(o);
    cv_str value;
    if (!as_expected(o, s, &row, found) || !new_value(o, s, &row, found, &value))
        return false;
    s->before = found ? row.value : (cv_str){NULL, 0};
    row.version = found ? row.version + 1 : 1;
    row.value = value;
    row.set_by = o->call->who.name;
    row.set_at = o->now;
    cv_mail_value *put = cv_writing_put(o->w, &cv_mail_value_type, &row);
    cv_str subject = cv_arena_printf(o->arena, "%.*s/%.*s", CV_FMT(s->owner), CV_FMT(s->name));
    cv_writing_covers(o->w, cv_mail_event(o, CV_STR("state"), subject, "set"), &cv_mail_value_type, put);
    tell(o->call, s, &row);
    g->is_one = s;
    *ret_result = cv_shape_text(o->arena, cv_mail_state_shape, g);
    return true;
}

static bool op_set(cv_call *call, getting *g)
{
    cv_err err = {.arena = call->arena};
    setting *s = &g->one;
    s->given = cv_json_get(call->input, CV_STR("value"));
    s->expect = cv_json_get(call->input, CV_STR("expect"));
    s->expect_version = cv_json_get_int(call->input, "expect_version", CV_ABSENT);
    s->merge = cv_json_get_true(call->input, "merge");
    if (s->given)
        cv_mail_check_length(call, "value", cv_mail_raw(call, s->given), CV_MAIL_MAX_TEXT);
    if (!s->name.p)
        cv_fault_missing(&(cv_spot){.call = call, .field = CV_STR("name")});
    if (!s->given)
        cv_fault_missing(&(cv_spot){.call = call, .field = CV_STR("value")});
    if (call->errs->count > 0 || !cv_mail_write(call, "mail state", set, g))
        return false;
    return cv_json_get_true(call->input, "dry_run") || show(call, s, &err) || cv_mail_files_behind(&err);
}

/* ---- get --------------------------------------------------------------------------------------------------------- */

static bool list(cv_call *call, getting *g, cv_err *err)
{
    cv_row_list rows = {0};
    cv_mail_value like;
    cv_row_clear(&cv_mail_value_type, &like);
    like.owner = g->one.owner;
    const cv_find find = {.type = &cv_mail_value_type,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = CV_MAX_PAGE,
                          .outline = true};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        const cv_mail_value *row = rows.items[i];
        *CV_PUSH(call->arena, &g->states) = (listed){row->name, g->one.agent_id, row->set_at, row->version};
    }
    g->is_list = g;
    return true;
}

static bool op_get(cv_call *call, getting *g, cv_err *err)
{
    setting *s = &g->one;
    cv_mail_value row;
    bool found;
    if (!s->name.p) {
        cv_fault_missing(&(cv_spot){.call = call, .field = CV_STR("name")});
        return true;
    }
    if (!get(call->record, call->arena, s->owner, s->name, &row, &found, err))
        return false;
    if (!found) {
        cv_err *fault = cv_refuse(call, CV_ERR_STATE_NOT_FOUND, CV_STR(""), "name", s->name, "there is no state '%.*s'",
                                  CV_FMT(s->name));
        cv_err_operation(fault, CV_STR("mail state"));
        cv_err_suggest(fault, CV_STR("shows all names when its action is 'list'"));
        return true;
    }
    tell(call, s, &row);
    g->is_one = s;
    if (!show(call, s, err)) {
        cv_mail_files_behind(err);
        cv_err_clear(err);
    }
    return true;
}

bool cv_mail_op_state(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_str action = cv_json_get_text(call->input, "action");
    getting g = {0};
    if (!read_name(call, &g.one))
        return false;
    if (cv_str_eq(action, CV_STR("set")))
        return op_set(call, &g);
    if (!(cv_str_eq(action, CV_STR("list")) ? list(call, &g, &err) : op_get(call, &g, &err)))
        return cv_call_fail(call, &err);
    if (call->errs->count > 0)
        return false;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_state_shape, &g);
    return true;
}
