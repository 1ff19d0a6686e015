/* task_list.c - task_list.json: the tasks of all plans as one list, in the form of the published schema; see show.h.
 *
 *     {"tasks": [
 *     {"task_id":"task-001","action":…,"params":{…},"target_agent":…,"status":…,"priority":…,"depends_on":[],"plan":…},
 *     …
 *     ]}
 *
 * Plans with tasks that are not finished come first. The file is a view: what somebody writes into it is kept beside
 * it, and is not taken in. A long list is not written for each change, but once in a second at most.
 */
#include "base/file.h"
#include "mail/files/show.h"
#include "mail/text/task.h"

enum {
    MOST_TASKS = 1000, /* in the file; more are in the record */
    FEW_TASKS = 64,    /* so many are written at once */
    PAUSE_MS = 1000,   /* between two writes of a file with more */
};

static const char file_name[] = "task_list.json";

/* What else a task has, and its plan, by which two tasks of one id are told apart. */
static bool read_extra(cv_arena *a, const cv_mail_task *row, cv_mtext_task *ret, cv_err *err)
{
    static const cv_str plan = CV_STR_INIT("plan");
    cv_json extra;
    cv_buf text = {0};
    cv_json_str(&(cv_json_writer){.out = &text}, row->plan);
    *CV_PUSH(a, &ret->extra) = (cv_mtext_member){.name = plan, .raw = cv_buf_take(&text, a)};
    if (!row->extra.p)
        return true;
    cv_mtext_members members = {0};
    if (!cv_json_parse(a, row->extra, &extra, err))
        return false;
    cv_mtext_members_of(a, row->extra, &extra, &members);
    for (size_t i = 0; i < members.count; i++)
        if (!cv_str_eq(members.items[i].name, plan))
            *CV_PUSH(a, &ret->extra) = members.items[i];
    return true;
}

static bool add_task(cv_arena *a, const cv_mail_task *row, cv_buf *out, cv_err *err)
{
    cv_json needs;
    cv_mtext_task task = {.task_id = row->task_id,
                          .action = row->action,
                          .target_agent = row->target_agent,
                          .parent = row->parent,
                          .params = row->params.p ? cv_mtext_one_line(a, row->params) : row->params,
                          .status = cv_words_find(cv_mtext_task_statuses, row->status),
                          .priority = (int)row->priority};
    if (!cv_json_parse(a, row->depends_on.p ? row->depends_on : CV_STR("[]"), &needs, err) ||
        !read_extra(a, row, &task, err))
        return false;
    cv_str *ids = CV_NEW_ARRAY(a, needs.count, cv_str);
    for (uint32_t i = 0; i < needs.count; i++)
        ids[i] = needs.items[i].text;
    task.depends_on = (cv_words){ids, needs.count};
    cv_mtext_task_print(out, &task);
    return true;
}

/* The tasks of a plan in the order in which they came. */
static bool add_plan(cv_mail_door *door, const cv_mail_plan *plan, size_t *count, cv_buf *out, cv_err *err)
{
    cv_row_list rows = {0};
    cv_mail_task like;
    cv_row_clear(&cv_mail_task_type, &like);
    like.plan = plan->plan;
    const cv_find find = {.type = &cv_mail_task_type,
                          .index = cv_tasks_by_number,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = MOST_TASKS - *count};
    if (!cv_record_rows(door->record, door->arena, &find, &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        cv_buf_add_z(out, (*count)++ ? ",\n" : "\n");
        if (!add_task(door->arena, rows.items[i], out, err))
            return false;
    }
    return true;
}

static bool print_view(cv_mail_door *door, const cv_row_list *plans, cv_str *ret_text, cv_err *err)
{
    cv_buf out = {0};
    size_t count = 0;
    bool ok = true;
    cv_buf_add_z(&out, "{\"tasks\": [");
    for (int finished = 0; finished < 2; finished++)
        for (size_t i = 0; ok && i < plans->count && count < MOST_TASKS; i++) {
            const cv_mail_plan *plan = plans->items[i];
            if ((plan->completed + plan->failed >= plan->tasks) == finished)
                ok = add_plan(door, plan, &count, &out, err);
        }
    cv_buf_add_z(&out, "\n]}\n");
    *ret_text = cv_buf_take(&out, door->arena);
    return ok;
}

static bool is_ours(void *ctx, cv_str bytes, bool unmarked)
{
    (void)ctx, (void)bytes;
    return unmarked; /* without marks nobody can tell: it is only a view */
}

bool cv_door_task_list_write(cv_mail_door *door, bool *ret_late, cv_err *err)
{
    struct stat st;
    cv_str text;
    int64_t tasks = 0;
    cv_row_list plans = {0};
    const cv_find find = {.type = &cv_mail_plan_type, .scope = cv_mail_scope(), .outline = true};
    cv_where where = cv_where_in(door->arena, cv_door_root(door), file_name);
    *ret_late = false;
    if (!cv_record_rows(door->record, door->arena, &find, &plans, err))
        return false;
    for (size_t i = 0; i < plans.count; i++)
        tasks += ((const cv_mail_plan *)plans.items[i])->tasks;
    if (tasks == 0)
        return true;
    if (tasks > FEW_TASKS && cv_where_look(where, &st)) {
        int64_t age = door->now_ms - cv_timespec_ns(st.st_mtim) / 1000000;
        *ret_late = age >= -PAUSE_MS && age <= PAUSE_MS; /* its mark may be some milliseconds ahead */
    }
    if (*ret_late)
        return true;
    cv_file_rules rules = {.arena = door->arena, .is_ours = is_ours};
    if (!print_view(door, &plans, &text, err) || !cv_door_replace(door, where, text, &rules, err))
        return false;
    door->written++;
    return true;
}
