/* plan.c - lists of tasks: read, checked, stored; see plan.h. */
#include "mail/plan.h"

#include "mail/log.h"
#include "mail/operations.h"

enum { MAX_ID = 200, MAX_ACTION = 1000, MAX_NEEDS = 1000 };

static const cv_str absent = {NULL, 0};

/* ---- form -------------------------------------------------------------------------------------------------------- */

/* A member by the name that the caller has given it. */
static cv_spot spot_in(const cv_mail_new_task *t, const char *member)
{
    return cv_spot_in(&t->at, cv_mtext_task_called(t->at.call->arena, t->read, cv_str_of(member)));
}

static cv_err *fault(cv_mail_new_task *t, const char *member, cv_err_code code, cv_str value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static cv_err *fault(cv_mail_new_task *t, const char *member, cv_err_code code, cv_str value, const char *format, ...)
{
    cv_spot at = spot_in(t, member);
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(t->at.call->arena, format, args);
    va_end(args);
    return cv_fault(&at, code, CV_STR(""), value, "%.*s", CV_FMT(message));
}

static void check_line(cv_mail_new_task *t, const char *member, cv_str text, size_t most)
{
    cv_spot at = spot_in(t, member);
    if (text.n == 0)
        cv_fault_missing(&at);
    else
        cv_fault_unless_line(&at, text, most);
}

/* A member that has the wrong type was left beside the others; so was one that says something else than another name of
 * the same field. */
static void check_unread(cv_mail_new_task *t)
{
    for (size_t i = 0; i < t->read->unread.count; i++) {
        const cv_mtext_member *m = &t->read->unread.items[i];
        cv_spot at = cv_spot_in(&t->at, m->name);
        cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR(""), m->raw, "%.*s is %s", CV_FMT(m->name),
                 cv_mtext_task_wanted(m->name));
    }
    for (size_t i = 0; i < t->read->contrary.count; i++) {
        const cv_mtext_member *m = &t->read->contrary.items[i];
        cv_str other = cv_mtext_task_beside(t->read, m->name);
        cv_spot at = cv_spot_in(&t->at, m->name);
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR(""), m->raw,
                                "'%.*s' and '%.*s' mean the same field, and say different things", CV_FMT(other),
                                CV_FMT(m->name)),
                       CV_STR("leave one of them out"));
    }
}

static cv_str extra_of(cv_arena *a, const cv_mtext_task *read)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    for (size_t i = 0; i < read->extra.count; i++) {
        cv_json_key(&w, read->extra.items[i].name);
        cv_json_raw(&w, cv_mail_compact(a, read->extra.items[i].raw));
    }
    cv_json_end_object(&w);
    cv_str all = cv_buf_take(&text, a);
    return read->extra.count ? all : absent;
}

static cv_str list_of(cv_arena *a, cv_words words)
{
    cv_buf text = {0};
    cv_json_strs(&(cv_json_writer){.out = &text}, words.items, words.count);
    return cv_buf_take(&text, a);
}

/* One task: its row, as far as the request tells. */
static void read_task(cv_call *call, cv_mail_new_task *t)
{
    const cv_mtext_task *read = t->read;
    cv_mail_task *row = &t->row;
    cv_row_clear(&cv_mail_task_type, row);
    row->task_id = cv_str_trim(read->task_id);
    row->action = cv_str_trim(read->action);
    row->target_agent = cv_str_trim(read->target_agent);
    row->params = read->params.p ? read->params : CV_STR("{}");
    row->priority = read->priority > 0 ? read->priority : 3;
    row->depends_on = list_of(call->arena, read->depends_on);
    row->extra = extra_of(call->arena, read);
    t->needs = read->depends_on;
    t->at.item_type = CV_STR("task");
    t->at.item_key = CV_STR("task_id");
    t->at.item_id = row->task_id;
    check_unread(t);
    check_line(t, "task_id", row->task_id, MAX_ID);
    check_line(t, "action", row->action, MAX_ACTION);
    if (row->target_agent.n == 0)
        check_line(t, "target_agent", row->target_agent, CV_MAX_AGENT_ID);
    if ((int64_t)(row->params.n + row->extra.n) > CV_MAIL_SIZE)
        fault(t, "params", CV_ERR_TOO_LARGE, absent, "the task has more than %lld bytes", (long long)CV_MAIL_SIZE);
    if (read->priority < 0)
        cv_refuse_words(fault(t, "priority", CV_ERR_INVALID_VALUE, absent,
                              "the priority is a number (1 is the most urgent), or a word"),
                        cv_mail_priority_words.items, cv_mail_priority_words.count);
    if (t->needs.count > MAX_NEEDS)
        fault(t, "depends_on", CV_ERR_TOO_LARGE, absent, "a task waits for at most %d others", MAX_NEEDS);
    if (read->status < 0)
        cv_refuse_words(fault(t, "status", CV_ERR_INVALID_VALUE, read->status_found, "this is not a status of a task"),
                        cv_mtext_task_statuses.items, cv_mtext_task_statuses.count);
    else /* nobody works on it yet, whatever its list says */
        row->status =
            cv_mtext_task_statuses.items[read->status == CV_MTEXT_TASK_RUNNING ? CV_MTEXT_TASK_PENDING : read->status];
}

/* ---- agents, ids, dependencies ----------------------------------------------------------------------------------- */

static void check_agent(cv_call *call, cv_map *known, cv_mail_new_task *t)
{
    cv_err err = {.arena = call->arena};
    bool is_new;
    if (t->row.target_agent.n == 0)
        return;
    uintptr_t *slot = cv_map_put(known, call->arena, t->row.target_agent, &is_new);
    if (is_new) {
        cv_mail_agent *agent = CV_NEW(call->arena, cv_mail_agent);
        if (cv_agent_get(call->record, call->arena, t->row.target_agent, &agent->row, &err)) {
            agent->name = agent->row.name;
            agent->id = agent->row.id;
            *slot = (uintptr_t)agent;
        } else {
            cv_err *kept = cv_errs_keep(call->errs, call->arena, &err);
            cv_err_field(kept, spot_in(t, "target_agent").field);
            cv_err_item_type(kept, CV_STR("task"));
            cv_err_item(kept, t->at.item_key, t->at.item_id);
        }
    } else if (!*slot) {
        fault(t, "target_agent", CV_ERR_UNKNOWN_AGENT, t->row.target_agent, "no agent is called '%.*s'",
              CV_FMT(cv_excerpt(call->arena, t->row.target_agent)));
    }
    if (!*slot)
        return;
    t->target = *(cv_mail_agent *)*slot;
    t->row.target_agent = t->target.id;
}

static void check_id(cv_call *call, cv_mail_tasks *all, size_t index)
{
    bool is_new;
    cv_mail_new_task *t = &all->items[index];
    if (t->row.task_id.n == 0)
        return;
    uintptr_t *slot = cv_map_put(&all->by_id, call->arena, t->row.task_id, &is_new);
    if (is_new)
        *slot = index + 1;
    else
        fault(t, "task_id", CV_ERR_TASK_EXISTS, t->row.task_id, "another task of the list has the id '%.*s'",
              CV_FMT(cv_excerpt(call->arena, t->row.task_id)));
}

/* Reads a list, which is the text of `field` of the request; faults go to call->errs. False: it has too many tasks. */
static bool read_tasks(cv_call *call, const char *field, cv_str text, cv_mail_tasks *ret)
{
    cv_err err = {.arena = call->arena};
    cv_json *again = CV_NEW(call->arena, cv_json);
    cv_mtext_notes notes = {0};
    cv_map agents = {0};
    if (!cv_json_parse(call->arena, text, again, &err))
        return cv_call_fail(call, &err);
    if (again->count > CV_MAIL_MAX_TASKS) {
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), field, absent, "the list has %u tasks, at most %d are allowed",
                  again->count, CV_MAIL_MAX_TASKS);
        return false;
    }
    cv_spot whole = {.call = call, .field = cv_str_of(field)};
    for (uint32_t i = 0; i < again->count; i++) {
        cv_mail_new_task *t = CV_PUSH(call->arena, ret);
        cv_mtext_task *read = CV_NEW(call->arena, cv_mtext_task);
        *t = (cv_mail_new_task){.at = cv_spot_at(&whole, i), .read = read};
        if (!cv_mtext_task_read(call->arena, text, &again->items[i], &notes, read, &err)) {
            cv_err_field(&err, t->at.field);
            cv_call_fail(call, &err);
            continue;
        }
        read_task(call, t);
        check_agent(call, &agents, t);
        check_id(call, ret, i);
    }
    return true;
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

enum { UNSEEN, ON_THE_WAY, FINISHED };

typedef struct {
    size_t task, next; /* the next of its needs to look at */
} step;

typedef struct {
    step *items;
    size_t count, capacity;
} path;

static void tell_cycle(cv_call *call, const cv_mail_tasks *all, const path *way, size_t from)
{
    cv_buf text = {0};
    for (size_t i = from; i < way->count; i++)
        cv_buf_printf(&text, "%.*s -> ", CV_FMT(all->items[way->items[i].task].row.task_id));
    cv_mail_new_task *first = &all->items[way->items[from].task];
    cv_buf_printf(&text, "%.*s", CV_FMT(first->row.task_id));
    cv_str shown = cv_buf_take(&text, call->arena);
    cv_err_suggest(fault(first, "depends_on", CV_ERR_DEPENDENCY_CYCLE, absent, "tasks wait for each other: %.*s",
                         CV_FMT(cv_utf8_excerpt(call->arena, shown, 400))),
                   CV_STR("take one of these dependencies out"));
}

/* Follows dependencies with a stack of its own: a list may be one chain of ten thousand. */
static void find_cycles(cv_call *call, cv_mail_tasks *all)
{
    path way = {0};
    for (size_t start = 0; start < all->count; start++) {
        if (all->items[start].visited != UNSEEN)
            continue;
        all->items[start].visited = ON_THE_WAY;
        *CV_PUSH(call->arena, &way) = (step){start, 0};
        while (way.count > 0) {
            step *top = &way.items[way.count - 1];
            cv_mail_new_task *t = &all->items[top->task];
            if (top->next == t->needs.count) {
                t->visited = FINISHED;
                way.count--;
                continue;
            }
            const uintptr_t *other = cv_map_get(&all->by_id, t->needs.items[top->next++]);
            cv_mail_new_task *needed = other ? &all->items[*other - 1] : NULL;
            if (!needed || needed->visited == FINISHED)
                continue;
            if (needed->visited == ON_THE_WAY) {
                size_t from = way.count;
                while (from > 0 && way.items[from - 1].task != *other - 1)
                    from--;
                tell_cycle(call, all, &way, from ? from - 1 : 0);
                continue;
            }
            needed->visited = ON_THE_WAY;
            *CV_PUSH(call->arena, &way) = (step){*other - 1, 0};
        }
    }
}

/* Is the task there already? As it is: it stands. Otherwise its id is taken. */
static bool compare_stored(cv_call *call, cv_mail_new_task *t, cv_str plan, cv_err *err)
{
    cv_mail_task old;
    if (!cv_mail_task_get(call->record, call->arena, plan, t->row.task_id, &old, &t->stands, err))
        return false;
    if (t->stands && (!cv_str_eq(old.action, t->row.action) || !cv_str_eq(old.params, t->row.params) ||
                      !cv_str_eq_nocase(old.target_agent, t->row.target_agent) || old.priority != t->row.priority ||
                      !cv_str_eq(old.depends_on, t->row.depends_on)))
        cv_err_suggest(fault(t, "task_id", CV_ERR_TASK_EXISTS, t->row.task_id,
                             "the plan '%.*s' has a task '%.*s' with other content", CV_FMT(plan),
                             CV_FMT(t->row.task_id)),
                       CV_STR("give it another id, or the list another plan"));
    if (t->stands)
        t->row = old;
    return true;
}

/* How many of its dependencies are not completed: those of the list, and those that the plan has from before. */
static bool count_needs(cv_call *call, cv_mail_tasks *all, cv_mail_new_task *t, cv_err *err)
{
    t->row.waits_for = 0;
    for (size_t i = 0; i < t->needs.count; i++) {
        const uintptr_t *other = cv_map_get(&all->by_id, t->needs.items[i]);
        const char *member = cv_arena_printf(call->arena, "depends_on[%zu]", i).p;
        cv_mail_task stored;
        bool found = other != NULL;
        if (other)
            stored = all->items[*other - 1].row;
        else if (all->plan.p &&
                 !cv_mail_task_get(call->record, call->arena, all->plan, t->needs.items[i], &stored, &found, err))
            return false;
        for (size_t k = 0; k < i; k++)
            if (cv_str_eq(t->needs.items[k], t->needs.items[i])) {
                fault(t, member, CV_ERR_INVALID_VALUE, t->needs.items[i], "this dependency is named twice");
                break;
            }
        if (!found && !all->plan.p)
            cv_err_suggest(fault(t, member, CV_ERR_UNKNOWN_DEPENDENCY, t->needs.items[i], "the list has no task '%.*s'",
                                 CV_FMT(cv_excerpt(call->arena, t->needs.items[i]))),
                           CV_STR("a task depends on tasks of its own plan"));
        else if (!found)
            cv_err_suggest(fault(t, member, CV_ERR_UNKNOWN_DEPENDENCY, t->needs.items[i],
                                 "the plan '%.*s' has no task '%.*s'", CV_FMT(all->plan),
                                 CV_FMT(cv_excerpt(call->arena, t->needs.items[i]))),
                           CV_STR("a task depends on tasks of its own plan"));
        else if (!cv_str_eq(stored.status, CV_STR("COMPLETED")))
            t->row.waits_for++;
    }
    return true;
}

/* A list that is refused anyway: what else is wrong with it, as the record stands now. */
static void check_rest(cv_call *call, cv_mail_tasks *all)
{
    cv_err err = {.arena = call->arena};
    bool ok = true;
    for (size_t i = 0; ok && all->plan.p && i < all->count; i++)
        ok = compare_stored(call, &all->items[i], all->plan, &err);
    for (size_t i = 0; ok && i < all->count; i++)
        ok = all->items[i].stands || count_needs(call, all, &all->items[i], &err);
    if (!ok)
        cv_call_fail(call, &err);
    find_cycles(call, all);
}

/* ---- storing ----------------------------------------------------------------------------------------------------- */

static bool check_stored(cv_mail_writing *o, cv_mail_tasks *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (!compare_stored(o->call, &all->items[i], all->plan, &o->err))
            return cv_mail_fail(o);
    for (size_t i = 0; i < all->count; i++)
        if (!all->items[i].stands && !count_needs(o->call, all, &all->items[i], &o->err))
            return cv_mail_fail(o);
    find_cycles(o->call, all);
    return o->call->errs->count == 0;
}

bool cv_mail_task_deliver(cv_mail_writing *o, cv_mail_task *task, bool is_owed, cv_mail_receipts *ret)
{
    cv_mail_draft d = {.expires_ms = CV_ABSENT, .is_owed = is_owed};
    cv_mail_agent target = {0};
    bool found = false;
    if (is_owed ? !cv_agent_find(o->record, o->arena, task->target_agent, &target.row, &found, &o->err)
                : !cv_agent_get(o->record, o->arena, task->target_agent, &target.row, &o->err))
        return cv_mail_fail(o);
    if (is_owed && !found)
        target.row = (cv_agent_row){.name = task->mailbox, .id = task->target_agent};
    if (is_owed && (!found || cv_agent_is_removed(&target.row)))
        cv_notice_add(&o->warnings, o->arena, CV_STR("agent_gone"),
                      "the task '%.*s' is for '%.*s', which was removed: it waits in its mailbox",
                      CV_FMT(task->task_id), CV_FMT(task->target_agent));
    target.name = target.row.name;
    target.id = target.row.id;
    *CV_PUSH(o->arena, &d.to) = target;
    cv_row_clear(&cv_mail_message_type, &d.message);
    if (!cv_mail_new_id(o->arena, o->now_ms, &d.message.message_id, &o->err))
        return cv_mail_fail(o);
    if (!cv_mail_is_word(task->created_by, &d.sender))
        d.sender.id = task->created_by;
    d.message.sender = d.sender.name = cv_agent_name(o->arena, task->created_by);
    d.message.addressed = list_of(o->arena, (cv_words){&target.id, 1});
    d.message.command = task->action;
    d.message.writing = CV_STR("mailbox");
    d.message.plan = task->plan;
    d.message.task_id = task->task_id;
    d.message.priority = task->priority;
    d.message.content = task->params;
    d.message.size = (int64_t)task->params.n;
    size_t before = ret->count;
    if (!cv_mail_post(o, &d, ret))
        return false;
    task->message_id = d.message.message_id;
    task->mailbox = target.name;
    task->seq = ret->items[before].seq;
    task->ready = task->priority;
    task->updated_at = o->now;
    return true;
}

/* Where the plan hangs: below a task, one deeper than it. */
static bool find_parent(cv_mail_writing *o, cv_mail_tasks *all, int64_t *ret_depth)
{
    cv_mail_task parent;
    bool found;
    *ret_depth = 0;
    if (!all->parent.p)
        return true;
    if (!cv_mail_task_get(o->record, o->arena, all->parent_plan, all->parent, &parent, &found, &o->err))
        return cv_mail_fail(o);
    if (!found) {
        cv_refuse(o->call, CV_ERR_TASK_NOT_FOUND, CV_STR(""), "parent", all->parent,
                  "there is no task '%.*s' in '%.*s'", CV_FMT(cv_excerpt(o->arena, all->parent)),
                  CV_FMT(all->parent_plan));
        return false;
    }
    *ret_depth = parent.depth + 1;
    if (*ret_depth > CV_MAIL_MAX_DEPTH)
        cv_refuse(o->call, CV_ERR_TOO_LARGE, CV_STR(""), "parent", all->parent,
                  "this would be plan number %lld within plans, %d are allowed", (long long)*ret_depth,
                  CV_MAIL_MAX_DEPTH);
    return o->call->errs->count == 0;
}

static bool put_plan(cv_mail_writing *o, cv_mail_tasks *all, int64_t depth, size_t added)
{
    cv_mail_plan plan;
    bool found;
    cv_row_clear(&cv_mail_plan_type, &plan);
    plan.plan = all->plan;
    if (!cv_record_get(o->record, o->arena, cv_mail_scope(), &cv_mail_plan_type, &plan, &found, &o->err))
        return cv_mail_fail(o);
    if (!found)
        plan = (cv_mail_plan){.plan = all->plan,
                              .created_by = all->from.id,
                              .request_id = all->request_id,
                              .parent_plan = all->parent_plan,
                              .parent = all->parent,
                              .depth = depth,
                              .created_at = o->now,
                              .goal = all->goal};
    plan.tasks += (int64_t)added;
    for (size_t i = 0; i < all->count; i++) {
        plan.completed += !all->items[i].stands && cv_str_eq(all->items[i].row.status, CV_STR("COMPLETED"));
        plan.failed += !all->items[i].stands && cv_str_eq(all->items[i].row.status, CV_STR("FAILED"));
    }
    cv_writing_put(o->w, &cv_mail_plan_type, &plan);
    return true;
}

/* The rows of one task, and its message if it can begin. */
static bool put_task(cv_mail_writing *o, cv_mail_tasks *all, size_t index, int64_t depth, cv_mail_receipts *ret)
{
    cv_mail_new_task *t = &all->items[index];
    t->row.plan = all->plan;
    t->row.number = (o->w->at.rev + 1) * (CV_MAIL_MAX_TASKS * 10) + (int64_t)index;
    t->row.parent_plan = all->parent_plan;
    t->row.parent = all->parent;
    t->row.depth = depth;
    t->row.created_by = all->from.id;
    t->row.created_at = o->now;
    t->row.mailbox = t->target.name;
    for (size_t i = 0; i < t->needs.count; i++) {
        const cv_mail_need need = {.plan = all->plan, .needs = t->needs.items[i], .task_id = t->row.task_id};
        cv_writing_put(o->w, &cv_mail_need_type, &need);
    }
    if (cv_str_eq(t->row.status, CV_STR("PENDING")) && t->row.waits_for == 0 &&
        !cv_mail_task_deliver(o, &t->row, false, ret))
        return false;
    cv_writing_put(o->w, &cv_mail_task_type, &t->row);
    return true;
}

/* Puts them into this write; *ret: those that are delivered by it, *ret_waiting: those that wait for others. */
static bool store_tasks(cv_mail_writing *o, cv_mail_tasks *all, cv_mail_receipts *ret, size_t *ret_waiting)
{
    size_t added = 0;
    int64_t depth;
    *ret_waiting = 0;
    if (!check_stored(o, all) || !find_parent(o, all, &depth))
        return false;
    for (size_t i = 0; i < all->count; i++)
        added += !all->items[i].stands;
    if (added == 0)
        return true;
    cv_mail_event(o, CV_STR("plan"), all->plan, "planned")->step = (int64_t)added;
    for (size_t i = 0; i < all->count; i++) {
        if (!all->items[i].stands && !put_task(o, all, i, depth, ret))
            return false;
        *ret_waiting += all->items[i].row.waits_for > 0 && cv_str_eq(all->items[i].row.status, CV_STR("PENDING"));
    }
    cv_mail_significant_add(o, "PLAN_ADDED", all->from.id,
                            (cv_mail_detail[]){{"plan", all->plan},
                                               {"tasks", cv_arena_printf(o->arena, "%zu", added)},
                                               {"goal", all->goal}},
                            3);
    return put_plan(o, all, depth, added);
}

/* ---- mail plan --------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_tasks tasks;
    cv_str plan;
    size_t count, waiting;
    cv_mail_receipts receipts;
    cv_notices warnings;
} planning;

#define CV_THIS_TYPE planning
const cv_shape cv_mail_plan_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, plan, "its id: (plan, task_id) names a task"),
    CV_FIELD(ALWAYS, count, "tasks in the list"),
    CV_FIELD(ALWAYS, waiting, "tasks that wait for others"),
    CV_LIST("delivered", receipts.items, receipts.count, cv_mail_receipt_shape, "tasks that can begin"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static bool plan(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    planning *p = ctx;
    if (!p->tasks.plan.p && !cv_mail_new_id(o->arena, o->now_ms, &p->tasks.plan, &o->err))
        return cv_mail_fail(o);
    p->plan = p->tasks.plan;
    if (!store_tasks(o, &p->tasks, &p->receipts, &p->waiting))
        return false;
    cv_mail_sign(o, &p->tasks.from, "plan");
    p->warnings = o->warnings;
    *ret_result = cv_shape_text(o->arena, cv_mail_plan_shape, p);
    return true;
}

bool cv_mail_op_plan(cv_call *call)
{
    planning p = {0};
    const cv_json *tasks = cv_json_get(call->input, CV_STR("tasks"));
    cv_mail_actor(call, "from", &p.tasks.from);
    if (!read_tasks(call, "tasks", tasks ? cv_mail_raw(call, tasks) : CV_STR("[]"), &p.tasks))
        return false;
    p.tasks.plan = cv_json_get_text(call->input, "plan");
    p.tasks.goal = cv_json_get_text(call->input, "goal");
    p.tasks.parent = cv_json_get_text(call->input, "parent");
    p.tasks.parent_plan = cv_json_get_text(call->input, "parent_plan");
    p.count = p.tasks.count;
    if (!!p.tasks.parent.p != !!p.tasks.parent_plan.p)
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), p.tasks.parent.p ? "parent_plan" : "parent", absent,
                  "'parent' and 'parent_plan' name a task together");
    if (call->errs->count)
        check_rest(call, &p.tasks);
    return call->errs->count == 0 && cv_mail_write(call, "mail plan", plan, &p);
}

/* ---- the types of the specification ------------------------------------------------------------------------------ */

static const cv_json *content_of(cv_call *call, const cv_mail_draft *d, bool *ret_envelope)
{
    cv_json *content = CV_NEW(call->arena, cv_json);
    cv_err ignored = {.arena = call->arena};
    *ret_envelope = cv_str_eq(d->message.writing, CV_STR("envelope"));
    return d->message.content.p && cv_json_parse(call->arena, d->message.content, content, &ignored) ? content : NULL;
}

void cv_mail_special_read(cv_call *call, const cv_mail_draft *d, cv_mail_special *ret)
{
    bool envelope;
    const cv_json *content = content_of(call, d, &envelope);
    *ret = (cv_mail_special){.asks = cv_str_eq(d->message.command, CV_STR("GENERATE_TASK_SEQUENCE")),
                             .answers = cv_str_eq(d->message.command, CV_STR("TASK_COMPLETED"))};
    if (ret->asks) {
        const cv_json *params = envelope && content ? cv_json_get(content, CV_STR("params")) : content;
        if (!params || cv_str_trim(cv_json_get_text(params, "goal")).n == 0)
            cv_fault_missing(
                &(cv_spot){.call = call, .field = envelope ? CV_STR("data.params.goal") : CV_STR("params.goal")});
    }
    if (!ret->answers)
        return;
    if (!d->message.correlation_id.p)
        cv_fault_missing(
            &(cv_spot){.call = call, .field = envelope ? CV_STR("data.correlation_id") : CV_STR("correlation_id")});
    const cv_json *results = content ? cv_json_get(content, CV_STR("results")) : NULL;
    if (!results || results->type != CV_JSON_ARRAY)
        return;
    ret->results.from = d->sender;
    ret->result_count = results->count;
    ret->results.plan = d->message.correlation_id;
    if (read_tasks(call, envelope ? "data.results" : "params.results", cv_mtext_raw(d->message.content, results),
                   &ret->results) &&
        call->errs->count)
        check_rest(call, &ret->results);
}

/* The request that a correlation id names: a message, or the task that one is about. */
static bool find_request(cv_mail_writing *o, cv_str id, cv_mail_message *ret, bool *ret_found)
{
    cv_row_list rows = {0};
    if (!cv_mail_message_get(o->record, o->arena, id, ret, ret_found, &o->err))
        return cv_mail_fail(o);
    if (*ret_found)
        return true;
    cv_row_clear(&cv_mail_message_type, ret);
    ret->task_id = id;
    const cv_find find = {.type = &cv_mail_message_type,
                          .index = cv_messages_by_task,
                          .scope = cv_mail_scope(),
                          .like = ret,
                          .equal = 1,
                          .limit = 1};
    if (!cv_record_rows(o->record, o->arena, &find, &rows, &o->err))
        return cv_mail_fail(o);
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret = *(const cv_mail_message *)rows.items[0];
    return true;
}

static bool take_results(cv_mail_writing *o, const cv_mail_draft *d, cv_mail_special *s)
{
    cv_mail_message request;
    cv_mail_receipts receipts = {0};
    size_t waiting;
    bool found;
    if (!find_request(o, d->message.correlation_id, &request, &found))
        return false;
    if (!found) {
        cv_err_suggest(cv_refuse(o->call, CV_ERR_UNKNOWN_REQUEST, CV_STR(""), "correlation_id",
                                 d->message.correlation_id, "no message and no task is called '%.*s'",
                                 CV_FMT(cv_excerpt(o->arena, d->message.correlation_id))),
                       CV_STR("correlation_id is the message_id or the task_id of the request"));
        return false;
    }
    if (s->result_count == 0)
        return true;
    s->results.plan = d->message.correlation_id;
    s->results.request_id = request.message_id;
    if (request.plan.p && request.task_id.p) {
        s->results.parent_plan = request.plan;
        s->results.parent = request.task_id;
    }
    return store_tasks(o, &s->results, &receipts, &waiting);
}

bool cv_mail_special_take(cv_mail_writing *o, const cv_mail_draft *d, cv_mail_special *s)
{
    for (size_t i = 0; s->asks && i < d->to.count; i++)
        if (!cv_agent_can(o->arena, &d->to.items[i].row, CV_STR("planning")))
            cv_notice_add(&o->warnings, o->arena, CV_STR("cannot_plan"),
                          "'%.*s' does not have the capability 'planning': it may not be able to handle this",
                          CV_FMT(d->to.items[i].id));
    return !s->answers || take_results(o, d, s);
}
