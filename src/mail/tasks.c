/* tasks.c - tasks that exist: they follow their deliveries; which are ready; the graph of a plan; see tasks.h. */
#include "mail/tasks.h"

#include <assert.h>

#include "base/plain.h"
#include "mail/answer.h"
#include "mail/log.h"
#include "mail/operations.h"
#include "mail/plan.h"

/* ---- following --------------------------------------------------------------------------------------------------- */

/* The task of a delivery; *ret_found false: it has none, or another message by now. */
static bool task_of(cv_mail_writing *o, const cv_mail_delivery *d, cv_mail_task *ret, bool *ret_found)
{
    cv_mail_message m;
    if (!cv_mail_message_get(o->record, o->arena, d->message_id, &m, ret_found, &o->err))
        return cv_mail_fail(o);
    if (!*ret_found || !m.plan.p || !m.task_id.p) {
        *ret_found = false;
        return true;
    }
    if (!cv_mail_task_get(o->record, o->arena, m.plan, m.task_id, ret, ret_found, &o->err))
        return cv_mail_fail(o);
    *ret_found = *ret_found && cv_str_eq(ret->message_id, d->message_id);
    return true;
}

bool cv_mail_is_task(cv_mail_writing *o, const cv_mail_delivery *d, bool *ret_is)
{
    cv_mail_task task;
    return task_of(o, d, &task, ret_is);
}

/* The last of its dependencies is completed: its turn has come. */
static bool release(cv_mail_writing *o, cv_str plan, cv_str task_id, cv_mail_receipts *ret)
{
    cv_mail_task t;
    bool found;
    if (!cv_mail_task_get(o->record, o->arena, plan, task_id, &t, &found, &o->err))
        return cv_mail_fail(o);
    if (!found || t.waits_for <= 0 || !cv_str_eq(t.status, CV_STR("PENDING")))
        return true;
    t.waits_for--;
    assert(t.waits_for >= 0);
    t.updated_at = o->now;
    if (t.waits_for == 0 && !cv_mail_task_deliver(o, &t, true, ret))
        return false;
    cv_writing_put(o->w, &cv_mail_task_type, &t);
    return true;
}

static bool release_all(cv_mail_writing *o, const cv_mail_task *done, cv_mail_receipts *ret)
{
    assert(cv_str_eq(done->status, cv_mail_states[CV_MAIL_DONE].task));
    cv_row_list needs = {0};
    const cv_mail_need like = {.plan = done->plan, .needs = done->task_id};
    const cv_find find = {.type = &cv_mail_need_type, .scope = cv_mail_scope(), .like = &like, .equal = 2};
    if (!cv_record_rows(o->record, o->arena, &find, &needs, &o->err))
        return cv_mail_fail(o);
    for (size_t i = 0; i < needs.count; i++)
        if (!release(o, done->plan, ((const cv_mail_need *)needs.items[i])->task_id, ret))
            return false;
    return true;
}

/* How far the plan is. */
static bool count_outcome(cv_mail_writing *o, const cv_mail_task *t, cv_str before)
{
    cv_mail_plan plan;
    bool found;
    cv_row_clear(&cv_mail_plan_type, &plan);
    plan.plan = t->plan;
    if (!cv_record_get(o->record, o->arena, cv_mail_scope(), &cv_mail_plan_type, &plan, &found, &o->err))
        return cv_mail_fail(o);
    plan.completed += cv_str_eq(t->status, CV_STR("COMPLETED")) - cv_str_eq(before, CV_STR("COMPLETED"));
    plan.failed += cv_str_eq(t->status, CV_STR("FAILED")) - cv_str_eq(before, CV_STR("FAILED"));
    if (found)
        cv_writing_put(o->w, &cv_mail_plan_type, &plan);
    return true;
}

bool cv_mail_task_follow(cv_mail_writing *o, const cv_mail_delivery *d, cv_mail_receipts *ret)
{
    cv_mail_state state = cv_mail_state_of(d->state);
    cv_mail_receipts aside = {0};
    cv_mail_task t = {0};
    bool found;
    assert(state < CV_MAIL_STATE_COUNT && "it went to its state in this write");
    if (!task_of(o, d, &t, &found))
        return false;
    cv_str before = t.status, status = cv_mail_states[state].task;
    if (!found || cv_str_eq(status, before))
        return true;
    t.status = status;
    t.ready = cv_mail_states[state].claimable ? t.priority : CV_ABSENT;
    t.updated_at = o->now;
    cv_writing_put(o->w, &cv_mail_task_type, &t);
    cv_event_row *event =
        cv_mail_event(o, CV_STR("task"), cv_arena_printf(o->arena, "%.*s/%.*s", CV_FMT(t.plan), CV_FMT(t.task_id)),
                      cv_arena_copy_z(o->arena, cv_arena_lower(o->arena, status)));
    event->reference = d->message_id;
    if (!count_outcome(o, &t, before))
        return false;
    bool completed = cv_str_eq(status, CV_STR("COMPLETED"));
    if (completed || cv_str_eq(status, CV_STR("FAILED")))
        cv_mail_significant_add(
            o, completed ? "TASK_COMPLETED" : "TASK_FAILED", t.target_agent,
            (cv_mail_detail[]){{"plan", t.plan}, {"task_id", t.task_id}, {"message_id", d->message_id}}, 3);
    return !cv_str_eq(status, CV_STR("COMPLETED")) || release_all(o, &t, ret ? ret : &aside);
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

static bool refuse_task(cv_call *call, cv_str id)
{
    cv_err err = {.arena = call->arena};
    cv_mail_message m;
    bool is_message;
    if (!cv_mail_message_get(call->record, call->arena, id, &m, &is_message, &err))
        return cv_call_fail(call, &err);
    cv_err *fault = cv_refuse(call, CV_ERR_TASK_NOT_FOUND, CV_STR(""), "task_id", id, "there is no task '%.*s'",
                              CV_FMT(cv_excerpt(call->arena, id)));
    if (is_message) {
        cv_err_suggest(fault, CV_STR("this is the id of a message: give it as message_id"));
        return false;
    }
    cv_err_operation(fault, CV_STR("mail ready"));
    cv_err_suggest(fault, CV_STR("lists the tasks that can begin"));
    return false;
}

/* Several plans have a task of this id: which one is meant? */
static bool refuse_ambiguous(cv_call *call, cv_str id, const cv_row_list *rows)
{
    cv_str *plans = CV_NEW_ARRAY(call->arena, rows->count, cv_str);
    for (size_t i = 0; i < rows->count; i++)
        plans[i] = ((const cv_mail_task *)rows->items[i])->plan;
    cv_err *fault = cv_refuse(call, CV_ERR_TASK_AMBIGUOUS, CV_STR(""), "task_id", id, "%zu plans have a task '%.*s'",
                              rows->count, CV_FMT(cv_excerpt(call->arena, id)));
    cv_err_options(fault, plans, rows->count);
    cv_err_suggest(fault, CV_STR("give the plan, too"));
    return false;
}

/* The tasks of all plans that have this id. */
static bool tasks_called(cv_call *call, cv_str id, size_t limit, cv_row_list *ret_rows, cv_err *err)
{
    cv_mail_task like;
    cv_row_clear(&cv_mail_task_type, &like);
    like.task_id = id;
    const cv_find find = {.type = &cv_mail_task_type,
                          .index = cv_tasks_by_id,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = limit};
    return cv_record_rows(call->record, call->arena, &find, ret_rows, err);
}

bool cv_mail_has_task(cv_call *call, cv_str id)
{
    cv_err ignored = {.arena = call->arena};
    cv_row_list rows = {0};
    return tasks_called(call, id, 1, &rows, &ignored) && rows.count > 0;
}

static bool find_task(cv_call *call, cv_str id, cv_mail_task *ret)
{
    enum { CANDIDATES = 20 };
    cv_err err = {.arena = call->arena};
    cv_str plan = cv_json_get_text(call->input, "plan");
    cv_row_list rows = {0};
    bool found;
    if (plan.p) {
        if (!cv_mail_task_get(call->record, call->arena, plan, id, ret, &found, &err))
            return cv_call_fail(call, &err);
        return found || refuse_task(call, id);
    }
    if (!tasks_called(call, id, CANDIDATES, &rows, &err))
        return cv_call_fail(call, &err);
    if (rows.count != 1)
        return rows.count ? refuse_ambiguous(call, id, &rows) : refuse_task(call, id);
    *ret = *(const cv_mail_task *)rows.items[0];
    return true;
}

bool cv_mail_named_message(cv_call *call, cv_str *ret)
{
    cv_str task_id = cv_json_get_text(call->input, "task_id");
    cv_mail_task task = {0};
    *ret = cv_json_get_text(call->input, "message_id");
    if (ret->p || !task_id.p)
        return cv_mail_whole_id(call, "message_id", ret);
    if (!find_task(call, task_id, &task))
        return false;
    *ret = task.message_id;
    if (ret->p)
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_TASK_STATUS, CV_STR(""), "task_id", task_id, "the task '%.*s' %s",
                              CV_FMT(task_id), task.waits_for > 0 ? "waits for others" : "was given as finished");
    cv_err_operation(fault, CV_STR("mail graph"));
    cv_err_suggest(
        fault, cv_arena_printf(call->arena, "shows the plan '%.*s' and what each task waits for", CV_FMT(task.plan)));
    return false;
}

/* ---- ready, graph ------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_mail_task row;
    cv_str params, extra, depends_on;
    cv_str waits_for_failed; /* JSON; absent: nothing, or that was not asked for */
} task_told;

typedef struct {
    struct {
        task_told *items;
        size_t count, capacity;
    } tasks;
    cv_str plan, format, text;
    cv_mail_plan row;
    bool more;
} task_list;

#define CV_THIS_TYPE task_told
static const cv_shape task_shape[] = {
    CV_FIELD_AS(ALWAYS, "plan", row.plan, ""),
    CV_FIELD_AS(ALWAYS, "task_id", row.task_id, ""),
    CV_FIELD_AS(ALWAYS, "action", row.action, ""),
    CV_FIELD_AS(ALWAYS, "target_agent", row.target_agent, ""),
    CV_FIELD_AS(ALWAYS, "status", row.status, "PENDING, RUNNING, COMPLETED, FAILED"),
    CV_FIELD_AS(ALWAYS, "priority", row.priority, "1 is the most urgent"),
    CV_JSON_AS(OR_EMPTY, NAMES, "depends_on", depends_on, ""),
    CV_FIELD_AS(OR_ZERO, "waits_for", row.waits_for, "how many of these are not completed"),
    CV_JSON_AS(IF_ANY, NAMES, "waits_for_failed", waits_for_failed,
               "of a plan: those of these that failed; requeue puts one back"),
    CV_FIELD_AS(IF_ANY, "parent_plan", row.parent_plan, ""),
    CV_FIELD_AS(IF_ANY, "parent", row.parent, "the task that this one is a part of"),
    CV_FIELD_AS(OR_ZERO, "depth", row.depth, ""),
    CV_FIELD_AS(IF_ANY, "message_id", row.message_id, "by which it was delivered"),
    CV_JSON_AS(IF_ANY, MAP, "params", params, ""),
    CV_JSON_AS(IF_ANY, MAP, "extra", extra, "members that mail does not know"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE task_list
const cv_shape cv_mail_ready_shape[] = {
    CV_SUCCESS,
    CV_LIST("tasks", tasks.items, tasks.count, task_shape, "the most urgent first"),
    CV_FIELD_AS(ALWAYS, "count", tasks.count, ""),
    CV_FIELD(IF_ANY, more, "there are more than were asked for"),
    {0},
};
const cv_shape cv_mail_graph_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, plan, ""),
    CV_FIELD_AS(IF_ANY, "created_by", row.created_by, ""),
    CV_FIELD_AS(IF_ANY, "goal", row.goal, ""),
    CV_FIELD_AS(IF_ANY, "parent_plan", row.parent_plan, ""),
    CV_FIELD_AS(IF_ANY, "parent", row.parent, "the task that this plan is a part of"),
    CV_FIELD_AS(OR_ZERO, "completed", row.completed, ""),
    CV_FIELD_AS(OR_ZERO, "failed", row.failed, ""),
    CV_LIST("tasks", tasks.items, tasks.count, task_shape, "in the order in which they came"),
    CV_FIELD_AS(ALWAYS, "count", tasks.count, ""),
    CV_FIELD_AS(IF_ANY, "graph", format, "the drawing, when a format was asked for"),
    CV_DOCUMENT(text, "for people; not with --json"),
    {0},
};
#undef CV_THIS_TYPE

static void tell_tasks(cv_arena *a, const cv_row_list *rows, task_list *ret)
{
    for (size_t i = 0; i < rows->count; i++) {
        const cv_mail_task *t = rows->items[i];
        *CV_PUSH(a, &ret->tasks) = (task_told){.row = *t,
                                               .params = t->params.p ? cv_mail_compact(a, t->params) : t->params,
                                               .extra = t->extra.p ? cv_mail_compact(a, t->extra) : t->extra,
                                               .depends_on = t->depends_on};
    }
}

/* Which of the tasks that a task waits for have failed. A list of ids, or an absent view. */
static cv_str failed_needs(cv_arena *a, const cv_mail_task *t, const cv_map *failed)
{
    cv_json needs;
    cv_err ignored = {.arena = a};
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    bool any = false;
    if (!cv_str_eq(t->status, CV_STR("PENDING")) || t->waits_for == 0 ||
        !cv_json_parse(a, t->depends_on, &needs, &ignored))
        return (cv_str){NULL, 0};
    cv_json_begin_array(&w);
    for (uint32_t i = 0; i < needs.count; i++)
        if (cv_map_get(failed, needs.items[i].text)) {
            cv_json_str(&w, needs.items[i].text);
            any = true;
        }
    cv_json_end_array(&w);
    cv_str list = cv_buf_take(&out, a);
    return any ? list : (cv_str){NULL, 0};
}

/* A task that waits for one that failed does not begin by itself. */
static void tell_failed_needs(cv_arena *a, task_list *l)
{
    cv_map failed = {0};
    for (size_t i = 0; i < l->tasks.count; i++)
        if (cv_str_eq(l->tasks.items[i].row.status, CV_STR("FAILED")))
            cv_map_put(&failed, a, l->tasks.items[i].row.task_id, NULL);
    for (size_t i = 0; i < l->tasks.count; i++)
        l->tasks.items[i].waits_for_failed = failed_needs(a, &l->tasks.items[i].row, &failed);
}

/* "  task-002  PENDING  RefactorAgent  REMOVE_DEAD_CODE  (after task-001)" */
static void add_line(cv_buf *out, cv_arena *a, const task_told *t, size_t width)
{
    cv_buf line = {0};
    cv_json needs;
    cv_err ignored = {.arena = a};
    cv_buf_printf(&line, "%-9.*s ", CV_FMT(t->row.status));
    cv_plain_add(&line, t->row.task_id);
    cv_buf_add_z(&line, "  ");
    cv_plain_add(&line, t->row.target_agent);
    cv_buf_add_z(&line, "  ");
    cv_plain_add(&line, t->row.action);
    cv_buf_printf(&line, "  (%lld%s", (long long)t->row.priority, t->row.priority == 1 ? ", urgent" : "");
    if (t->row.depends_on.p && cv_json_parse(a, t->row.depends_on, &needs, &ignored))
        for (uint32_t i = 0; i < needs.count; i++) {
            cv_buf_add_z(&line, i ? ", " : "; after ");
            cv_plain_add(&line, needs.items[i].text);
        }
    cv_buf_add_z(&line, ")");
    assert(width > 0);
    cv_str fit = cv_plain_fit(cv_buf_str(&line), width - 1);
    cv_buf_add(out, fit);
    cv_buf_add_z(out, fit.n < line.n ? "…\n" : "\n");
    cv_buf_release(&line);
}

static cv_str as_text(cv_call *call, const task_list *l)
{
    cv_buf out = {0};
    size_t width = call->width >= 40 ? call->width : 80;
    for (size_t i = 0; i < l->tasks.count; i++)
        add_line(&out, call->arena, &l->tasks.items[i], width);
    return cv_buf_take(&out, call->arena);
}

bool cv_mail_op_ready(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", CV_MAIL_PAGE);
    bool one = cv_json_get(call->input, CV_STR("agent"));
    cv_mail_agent agent = {0};
    cv_mail_task like;
    cv_row_list rows = {0};
    task_list l = {0};
    if (one && !cv_mail_whose(call, &agent))
        return false;
    cv_row_clear(&cv_mail_task_type, &like);
    like.mailbox = agent.name;
    const cv_find find = {.type = &cv_mail_task_type,
                          .index = one ? cv_tasks_ready_for : cv_tasks_ready,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = one ? 1 : 0,
                          .limit = limit + 1};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    l.more = rows.count > limit;
    rows.count = l.more ? limit : rows.count;
    tell_tasks(call->arena, &rows, &l);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_ready_shape, &l);
    return true;
}

/* ---- drawings ---------------------------------------------------------------------------------------------------- */

/* Text between quotes of a drawing: nothing in it ends it, or steers a terminal. */
static void add_label(cv_buf *out, cv_str text)
{
    cv_buf plain = {0};
    cv_plain_add(&plain, cv_utf8_limit(text, 60));
    for (size_t i = 0; i < plain.n; i++) {
        char c = plain.p[i];
        cv_buf_add_char(out, c == '"' || c == '\\' ? '\'' : c == '<' ? '(' : c == '>' ? ')' : c);
    }
    cv_buf_release(&plain);
}

typedef struct {
    const char *head, *opens, *closes, *arrow, *ends, *foot;
} drawing;

static const drawing mermaid = {"flowchart TD\n", "[\"", "\"]\n", " --> ", "\n", ""};
static const drawing dot = {"digraph plan {\n", " [label=\"", "\"];\n", " -> ", ";\n", "}\n"};

static cv_str draw(cv_arena *a, const task_list *l, const drawing *d)
{
    cv_buf out = {0};
    cv_map places = {0};
    cv_json needs;
    cv_err ignored = {.arena = a};
    cv_buf_add_z(&out, d->head);
    for (size_t i = 0; i < l->tasks.count; i++) {
        const cv_mail_task *t = &l->tasks.items[i].row;
        *cv_map_put(&places, a, t->task_id, NULL) = i + 1;
        cv_buf_printf(&out, "  t%zu%s", i + 1, d->opens);
        add_label(&out, t->task_id);
        cv_buf_add_z(&out, ": ");
        add_label(&out, t->action);
        cv_buf_printf(&out, " (%.*s)%s", CV_FMT(t->status), d->closes);
    }
    for (size_t i = 0; i < l->tasks.count; i++) {
        if (!cv_json_parse(a, l->tasks.items[i].row.depends_on, &needs, &ignored))
            continue;
        for (uint32_t k = 0; k < needs.count; k++) {
            const uintptr_t *from = cv_map_get(&places, needs.items[k].text);
            if (from)
                cv_buf_printf(&out, "  t%zu%st%zu%s", (size_t)*from, d->arrow, i + 1, d->ends);
        }
    }
    cv_buf_add_z(&out, d->foot);
    return cv_buf_take(&out, a);
}

enum { MOST_PLANS = 1000 }; /* that an error looks through */

/* With the plans that there are. An absent view: none is named. */
static bool refuse_plan(cv_call *call, cv_str plan, const cv_row_list *rows)
{
    cv_err *fault = plan.p ? cv_refuse(call, CV_ERR_TASK_NOT_FOUND, CV_STR(""), "plan", plan, "there is no plan '%.*s'",
                                       CV_FMT(cv_excerpt(call->arena, plan)))
                           : cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "plan", plan, "'plan' is missing");
    if (rows->count == 0) {
        cv_err_operation(fault, CV_STR("mail plan"));
        cv_err_suggest(fault, CV_STR("sends one; there are no plans yet"));
        return false;
    }
    cv_str *plans = CV_NEW_ARRAY(call->arena, rows->count, cv_str);
    for (size_t i = 0; i < rows->count; i++)
        plans[i] = ((const cv_mail_plan *)rows->items[i])->plan;
    cv_refuse_words(fault, plans, rows->count);
    return false;
}

/* The plan that is named, or the only one. */
static bool find_plan(cv_call *call, cv_str plan, cv_mail_plan *ret)
{
    cv_err err = {.arena = call->arena};
    cv_row_list rows = {0};
    const cv_find find = {.type = &cv_mail_plan_type, .scope = cv_mail_scope(), .limit = MOST_PLANS, .outline = true};
    bool found = false;
    cv_row_clear(&cv_mail_plan_type, ret);
    ret->plan = plan;
    if (plan.p && !cv_record_get(call->record, call->arena, cv_mail_scope(), &cv_mail_plan_type, ret, &found, &err))
        return cv_call_fail(call, &err);
    if (found)
        return true;
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    if (!plan.p && rows.count == 1)
        return find_plan(call, ((const cv_mail_plan *)rows.items[0])->plan, ret);
    return refuse_plan(call, plan, &rows);
}

bool cv_mail_op_graph(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_str format = cv_json_get_text(call->input, "format");
    cv_row_list rows = {0};
    task_list l = {0};
    cv_mail_task like;
    if (!find_plan(call, cv_json_get_text(call->input, "plan"), &l.row))
        return false;
    cv_row_clear(&cv_mail_task_type, &like);
    like.plan = l.plan = l.row.plan;
    const cv_find find = {.type = &cv_mail_task_type,
                          .index = cv_tasks_by_number,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = CV_MAIL_MAX_TASKS * 10};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    tell_tasks(call->arena, &rows, &l);
    tell_failed_needs(call->arena, &l);
    bool drawn = cv_str_eq(format, CV_STR("mermaid")) || cv_str_eq(format, CV_STR("dot"));
    if (drawn)
        l.format = draw(call->arena, &l, cv_str_eq(format, CV_STR("dot")) ? &dot : &mermaid);
    else if (format.p)
        l.format = as_text(call, &l);
    if (call->for_people)
        l.text = l.format; /* else its page */
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_graph_shape, &l);
    return true;
}
