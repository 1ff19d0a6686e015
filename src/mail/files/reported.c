/* reported.c - outcomes that hands have appended to completed_tasks.json; see show.h.
 *
 *     {"message_id": "m1", "agent_id": "cupcake", "status": "COMPLETED", "output": {…}}\n
 *       -> the delivery in that agent's mailbox, by its message or its task  ->  claim, done or fail  ->  once
 *
 * Only whole lines behind the position count: one that is being written waits for its end. The lines stay where they
 * are, for the file is only ever added to. What is settled already is not settled again, so lines may be read twice:
 * those of the program itself, those that somebody appends again, and those behind a position that was not kept. A line
 * that says nothing that could be done is reported, with its reason, and a copy of it is kept in quarantine/.
 */
#include "base/file.h"
#include "mail/files/show.h"
#include "mail/files/take.h"
#include "mail/text/lines.h"
#include "mail/text/spelling.h"
#include "record/hash.h"

static const char file_name[] = "completed_tasks.json";

/* One line as it is meant. */
typedef struct {
    cv_str message_id, task_id, agent_id, plan; /* absent: not said */
    cv_str status, at;
    bool failed;
    cv_str output; /* or the error; absent: none */
    cv_str op_id;
} report;

/* The first member that has one of these names. */
static cv_str text_of(const cv_json *value, const char *const *names)
{
    for (; *names; names++)
        for (uint32_t i = 0; i < value->count; i++)
            if (cv_mtext_is_same_name(value->members[i].key, cv_str_of(*names)) &&
                (value->members[i].value.type == CV_JSON_STRING || value->members[i].value.type == CV_JSON_NUMBER))
                return value->members[i].value.text;
    return (cv_str){0};
}

static bool read_report(cv_arena *a, const cv_mtext_line *line, report *ret, cv_str *ret_why)
{
    static const char *const messages[] = {"message_id", "msg_id", NULL};
    static const char *const agents[] = {"agent_id", "agent", "completed_by", "sender_agent_id", NULL};
    static const char *const tasks[] = {"task_id", NULL}, *const plans[] = {"plan", NULL};
    static const char *const statuses[] = {"status", "state", NULL}, *const times[] = {"timestamp", NULL};
    const cv_json *v = &line->text.value;
    bool exact;
    if (line->text.state > CV_MTEXT_REPAIRED || v->type != CV_JSON_OBJECT) {
        *ret_why = line->reason.n ? line->reason : CV_STR("it is not a JSON object");
        return false;
    }
    *ret = (report){.message_id = text_of(v, messages),
                    .task_id = text_of(v, tasks),
                    .agent_id = text_of(v, agents),
                    .plan = text_of(v, plans),
                    .status = text_of(v, statuses),
                    .at = text_of(v, times),
                    .op_id = cv_arena_printf(a, "line-%.*s", CV_FMT(cv_hash_text(a, line->bytes)))};
    int status = ret->status.n ? cv_mtext_status_of(ret->status, &exact) : -1;
    ret->failed = status == CV_MTEXT_TASK_FAILED;
    ret->output = cv_door_added(a, &line->text, ret->failed);
    if (!ret->agent_id.n)
        *ret_why = CV_STR("it does not say whose outcome it is: write \"agent_id\"");
    else if (!ret->message_id.n && !ret->task_id.n)
        *ret_why = CV_STR("it does not say what is finished: write \"message_id\" or \"task_id\"");
    else if (!ret->failed && status != CV_MTEXT_TASK_COMPLETED)
        *ret_why = CV_STR("its status is neither COMPLETED nor FAILED");
    return !ret_why->p;
}

/* ---- what it is about -------------------------------------------------------------------------------------------- */

static cv_str unknown(cv_mail_door *door, const char *what, cv_str name, const cv_door_agent *agent)
{
    return cv_arena_printf(door->arena, "there is no %s '%.*s' in the mailbox of '%.*s'", what,
                           CV_FMT(cv_excerpt(door->arena, name)), CV_FMT(agent->id));
}

/* The message of a task of this agent. */
static bool find_by_task(cv_mail_door *door, const cv_door_agent *agent, const report *r, cv_str *ret_message,
                         cv_str *ret_why, cv_err *err)
{
    cv_mail_task like;
    cv_row_list rows = {0};
    size_t count = 0;
    cv_row_clear(&cv_mail_task_type, &like);
    like.task_id = r->task_id;
    const cv_find find = {
        .type = &cv_mail_task_type, .index = cv_tasks_by_id, .scope = cv_mail_scope(), .like = &like, .equal = 1};
    if (!cv_record_rows(door->record, door->arena, &find, &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        const cv_mail_task *t = rows.items[i];
        bool is_own =
            t->message_id.p ? cv_str_eq(t->mailbox, agent->name) : cv_str_eq_nocase(t->target_agent, agent->id);
        if (!is_own || (r->plan.p && !cv_str_eq(t->plan, r->plan)))
            continue;
        count++;
        *ret_message = t->message_id;
    }
    if (count == 0)
        *ret_why = unknown(door, "task", r->task_id, agent);
    else if (count > 1)
        *ret_why = CV_STR("several plans have this task: write \"message_id\" or \"plan\"");
    else if (!ret_message->p)
        *ret_why = CV_STR("the task was not delivered: it waits for others, or was given as finished");
    return true;
}

/* *ret_why: it is about nothing that this agent has. */
static bool find_delivery(cv_mail_door *door, const report *r, cv_door_agent **ret_agent, cv_mail_delivery *ret,
                          cv_str *ret_why, cv_err *err)
{
    cv_str message_id = r->message_id;
    bool found = false;
    cv_agent_row row;
    if (!cv_agent_find(door->record, door->arena, r->agent_id, &row, &found, err))
        return false;
    if (!found || cv_agent_is_removed(&row)) {
        *ret_why =
            cv_arena_printf(door->arena, "no agent is called '%.*s'", CV_FMT(cv_excerpt(door->arena, r->agent_id)));
        return true;
    }
    *ret_agent = CV_NEW(door->arena, cv_door_agent);
    **ret_agent =
        (cv_door_agent){.name = row.name, .id = row.id, .folder = cv_arena_copy_z(door->arena, row.id), .files = true};
    if (!message_id.n && !find_by_task(door, *ret_agent, r, &message_id, ret_why, err))
        return false;
    if (ret_why->p)
        return true;
    if (!cv_mail_delivery_find(door->record, door->arena, row.name, message_id, ret, &found, err))
        return false;
    if (!found)
        *ret_why = unknown(door, "message", message_id, *ret_agent);
    return true;
}

/* ---- one line ---------------------------------------------------------------------------------------------------- */

typedef enum { SETTLED, TAKEN, REFUSED, AGAIN } result;

/* Does it repeat a line of the program, which was killed before it could keep the position? Its time is that of the
 * event. */
static bool is_told(cv_mail_door *door, const cv_mail_delivery *d, const report *r, bool *ret_told, cv_err *err)
{
    cv_row_list events = {0};
    cv_event_row like;
    cv_row_clear(&cv_event_row_type, &like);
    like.subject_id = d->message_id;
    const cv_find find = {.type = &cv_event_row_type,
                          .index = cv_events_by_subject,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .outline = true};
    *ret_told = false;
    if (!cv_record_rows(door->record, door->arena, &find, &events, err))
        return false;
    for (size_t i = 0; i < events.count; i++) {
        const cv_event_row *e = events.items[i];
        *ret_told |=
            cv_str_eq(e->created_at, r->at) && cv_str_eq(e->event_type, r->failed ? CV_STR("failed") : CV_STR("done"));
    }
    return true;
}

static result settle(cv_mail_door *door, cv_door_agent *agent, const cv_mail_delivery *d, const report *r,
                     cv_str *ret_why, cv_err *err)
{
    cv_mail_state state = cv_mail_state_of(d->state);
    cv_commit_row done;
    bool before, again;
    if (!cv_mail_states[state].open) {
        bool is_same = r->failed ? state == CV_MAIL_DEAD : state == CV_MAIL_DONE;
        *ret_why =
            cv_arena_printf(door->arena, "the message '%.*s' is %.*s already", CV_FMT(d->message_id), CV_FMT(d->state));
        return is_same ? SETTLED : REFUSED;
    }
    if (!cv_record_op(door->record, door->arena, cv_mail_scope(), r->op_id, &done, &before, err) ||
        (!before && !is_told(door, d, r, &before, err)))
        return AGAIN;
    if (before)
        return SETTLED;
    if (cv_door_finish(door, agent, d, r->failed, r->output, r->op_id, &again, ret_why))
        return TAKEN;
    return again ? AGAIN : REFUSED;
}

/* The file stays as it is: a reader that looks for the refused line finds it in the quarantine, with its reason. */
static bool keep_refused(cv_mail_door *door, cv_str line, cv_str why, cv_err *err)
{
    cv_arena *a = door->arena;
    cv_where to = cv_where_printf(a, cv_door_root(door), "quarantine/%s-%s", cv_file_unique(a), file_name);
    cv_where reason = {to.root, cv_arena_printf(a, "%s.reason.txt", to.path).p};
    cv_door_tell(door, NULL, file_name, CV_DOOR_REFUSED,
                 cv_arena_printf(a, "the line '%.*s': %.*s", CV_FMT(cv_excerpt(a, line)), CV_FMT(why)));
    return cv_folder_make_at(cv_where_folder(a, to), err) &&
           cv_door_write(to, cv_arena_printf(a, "%.*s\n", CV_FMT(line)), err) &&
           cv_door_write(reason, cv_arena_printf(a, "%.*s\n", CV_FMT(why)), err);
}

/* *ret_waits: it could not be done yet, and those behind it are not to be. */
static bool take_line(cv_mail_door *door, const cv_mtext_line *line, bool *ret_waits, cv_err *err)
{
    report r;
    cv_str why = {0};
    cv_door_agent *agent = NULL;
    cv_mail_delivery d;
    result what = REFUSED;
    if (read_report(door->arena, line, &r, &why)) {
        if (!find_delivery(door, &r, &agent, &d, &why, err))
            return false;
        assert((agent || why.p) && "find_delivery() finds it, or says why not");
        if (!why.p)
            what = settle(door, agent, &d, &r, &why, err);
    }
    if (err->code)
        return false;
    *ret_waits = what == AGAIN;
    if (what == REFUSED)
        return keep_refused(door, line->bytes, why, err);
    if (what == AGAIN || what == TAKEN)
        cv_door_tell(door, agent, file_name, what == TAKEN ? CV_DOOR_TAKEN : CV_DOOR_WAITING,
                     what == TAKEN ? (cv_str){0} : why);
    if (what != AGAIN)
        *CV_PUSH(door->arena, &door->reported) =
            (cv_door_report){.message_id = d.message_id,
                             .agent_id = agent->id,
                             .status = r.failed ? CV_STR("FAILED") : CV_STR("COMPLETED")};
    return true;
}

/* A value that is whole, and only lacks the end of its line, gets it, unless somebody is still writing. */
static bool end_line(cv_where where, cv_str tail, cv_mtext_lines *lines, cv_err *err)
{
    bool is_value = lines->form == CV_MTEXT_LINES_UNFINISHED || lines->form == CV_MTEXT_LINES_ARRAY;
    if (!is_value || cv_file_is_being_written(where))
        return true;
    lines->sound = tail.n;
    if (tail.p[tail.n - 1] == '\n')
        return true;
    lines->sound++;
    return cv_door_append(where, CV_STR("\n"), err);
}

bool cv_door_reports_take(cv_mail_door *door, cv_err *err)
{
    cv_where where = cv_where_in(door->arena, cv_door_root(door), file_name);
    int64_t from;
    cv_str tail;
    cv_mtext_lines lines;
    bool waits = false;
    if (cv_door_is_quiet(door, file_name) || !cv_where_is_regular(where) || !cv_door_completed_at(door, &from))
        return true;
    if (door->looking)
        return door->found = true;
    if (!cv_door_read_tail(door, where, &from, &tail, err))
        return false;
    cv_mtext_lines_read(door->arena, tail, &lines);
    if (!end_line(where, tail, &lines, err))
        return false;
    for (size_t i = 0; i < lines.lines.count && !waits; i++) {
        const cv_mtext_line *line = &lines.lines.items[i];
        bool is_whole = lines.sound >= tail.n || (size_t)(line->bytes.p - tail.p) + line->bytes.n < lines.sound;
        if (is_whole && !take_line(door, line, &waits, err))
            return false;
    }
    door->reported_to = waits ? from : from + (int64_t)lines.sound;
    return true;
}
