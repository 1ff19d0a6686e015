/* states.c - states that somebody has written by hand: temp/NAME.json, runtime/AGENT/NAME.json and
 * runtime/supervisor_state.json are taken in as `mail state set` would set them; see mail/state.h.
 *
 *     whole?  ->  another value than the record has?  ->  mail state set  ->  the mark
 *
 * The file stays as it was written. What is not JSON goes to the quarantine, and the record's value is written again.
 */
#include "base/file.h"
#include "base/limits.h"
#include "mail/files/show.h"
#include "mail/files/take.h"
#include "mail/state.h"

typedef struct {
    cv_door_agent *agent; /* NULL: a general one */
    const char *path;     /* below the mail root */
    cv_str name;
    cv_where file;
} state_file;

static cv_str owner_of(const state_file *s)
{
    return s->agent ? s->agent->name : CV_STR("-");
}

static cv_str request_of(cv_arena *a, const state_file *s, cv_str value)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "action", CV_STR("set"));
    cv_json_key_str(&w, "name", s->name);
    if (s->agent)
        cv_json_key_str(&w, "agent", s->agent->id);
    cv_json_key(&w, CV_STR("value"));
    cv_json_raw(&w, value);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* Away from where a state is read, with the reason beside it; what the record has comes back. */
static bool refuse(cv_mail_door *door, const state_file *s, cv_str why, cv_err *err)
{
    cv_arena *a = door->arena;
    bool gone;
    const char *file_name = cv_where_name(s->file);
    if (s->agent) {
        if (!cv_door_quarantine(door, s->agent, s->file, file_name, why, err))
            return false;
    } else {
        cv_where to = cv_where_printf(a, cv_door_root(door), "quarantine/%s-%s", cv_file_unique(a), file_name);
        cv_where reason = {to.root, cv_arena_printf(a, "%s.reason.txt", to.path).p};
        if (!cv_folder_make_at(cv_where_folder(a, to), err) || !cv_door_move(s->file, to, false, &gone, err) ||
            !cv_door_write(reason, cv_arena_printf(a, "%.*s\n", CV_FMT(why)), err))
            return false;
        cv_door_tell(door, NULL, file_name, CV_DOOR_REFUSED, why);
    }
    return cv_mail_state_show(door->call, owner_of(s), s->agent ? s->agent->id : (cv_str){NULL, 0}, s->name, err);
}

/* It was taken in as these bytes: whatever is written from now on takes the mark away. */
static void mark(cv_mail_door *door, const state_file *s, cv_str bytes)
{
    cv_err ignored = {.arena = door->arena};
    cv_str now;
    cv_door_mark(door, s->path);
    if (!cv_file_read_at(door->arena, s->file, (size_t)CV_MAIL_MAX_TEXT, &now, &ignored) || !cv_str_eq(now, bytes))
        cv_door_unmark(door, s->path);
}

static bool take_state(cv_mail_door *door, const state_file *s, cv_err *err)
{
    cv_err why = {.arena = door->arena};
    cv_str bytes, known, reason;
    cv_mtext text;
    cv_json answer;
    struct stat st;
    bool again;
    if (cv_door_is_quiet(door, s->path) || !cv_where_look(s->file, &st) || !S_ISREG(st.st_mode))
        return true;
    if (door->looking)
        return door->found = true;
    if (cv_door_look(door, s->file, &reason) != CV_DOOR_WHOLE) {
        cv_door_tell(door, s->agent, cv_where_name(s->file), CV_DOOR_WAITING, reason);
        return true;
    }
    if (!cv_file_read_at(door->arena, s->file, (size_t)CV_MAIL_MAX_TEXT, &bytes, &why) ||
        !cv_mtext_read(door->arena, bytes, &text, &why))
        return !cv_where_look(s->file, &st) || refuse(door, s, cv_err_text(&why), err);
    if (!cv_mail_state_text(door->call, owner_of(s), s->name, &known, err))
        return false;
    if (!known.p || !cv_mail_state_equal(door->arena, known, text.text)) {
        if (!cv_door_call(door, "state", request_of(door->arena, s, text.text), &answer, &again, &reason)) {
            if (again)
                cv_door_tell(door, s->agent, cv_where_name(s->file), CV_DOOR_WAITING, reason);
            return again || refuse(door, s, reason, err);
        }
        cv_door_tell(door, s->agent, cv_where_name(s->file), CV_DOOR_TAKEN, (cv_str){0});
    }
    mark(door, s, bytes);
    return true;
}

/* The state that a file shows; false: it shows none. */
static bool read_name(cv_mail_door *door, const char *folder, const char *name, state_file *ret)
{
    cv_str s = cv_str_of(name);
    if (!cv_str_ends(s, CV_STR(".json")))
        return false;
    *ret = (state_file){.path = cv_arena_printf(door->arena, "%s/%s", folder, name).p,
                        .name = cv_str_head(s, s.n - strlen(".json"))};
    ret->file = cv_where_in(door->arena, cv_door_root(door), ret->path);
    bool elsewhere = cv_str_eq(ret->name, CV_STR("supervisor_state")) && strcmp(folder, "temp") == 0;
    return cv_mail_state_is_name(ret->name) && !elsewhere;
}

static bool take_folder(cv_mail_door *door, const char *folder, const char *agent, cv_err *err)
{
    cv_door_list names;
    state_file s;
    if (!cv_door_read(door, cv_where_in(door->arena, cv_door_root(door), folder), false, &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        cv_door_agent *owner = NULL;
        if (!read_name(door, folder, names.items[i], &s) || cv_door_is_quiet(door, s.path))
            continue;
        if (door->looking)
            return door->found = true;
        if (agent && !cv_door_agent_at(door, agent, &owner, err))
            return false;
        s.agent = owner;
        if ((!agent || (owner && !owner->alias)) && !take_state(door, &s, err))
            return false;
    }
    return true;
}

bool cv_door_states_take(cv_mail_door *door, const cv_door_list *agents, cv_err *err)
{
    state_file supervisor;
    if (!take_folder(door, "temp", NULL, err) ||
        (read_name(door, "runtime", "supervisor_state.json", &supervisor) && !take_state(door, &supervisor, err)))
        return false;
    for (size_t i = 0; i < agents->count; i++)
        if (cv_agent_id_valid(cv_str_of(agents->items[i])) &&
            !take_folder(door, cv_arena_printf(door->arena, "runtime/%s", agents->items[i]).p, agents->items[i], err) &&
            !cv_door_pass_over_place(err))
            return false;
    return true;
}
