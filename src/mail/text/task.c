/* task.c - reading and writing tasks; see task.h. */
#include "mail/text/task.h"

#include <assert.h>

#include "base/map.h"

typedef enum {
#define TASK(id, name, wanted) TASK_##id,
#include "mail/text/fields.def"
    TASK_FIELD_COUNT
} task_field;

static const cv_str names[TASK_FIELD_COUNT] = {
#define TASK(id, name, wanted) [TASK_##id] = CV_STR_INIT(name),
#include "mail/text/fields.def"
};

static const char *const wanted_values[TASK_FIELD_COUNT] = {
#define TASK(id, name, wanted) [TASK_##id] = wanted,
#include "mail/text/fields.def"
};

static const struct {
    task_field field;
    cv_str name;
    bool near; /* it may say something else beside another name */
} also[] = {
#define TASK_ALSO(id, name) {TASK_##id, CV_STR_INIT(name), false},
#define TASK_NEAR(id, name) {TASK_##id, CV_STR_INIT(name), true},
#include "mail/text/fields.def"
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static size_t rank_of(cv_str name, task_field *ret_field)
{
    for (size_t i = 0; i < CV_COUNT(also); i++)
        if (cv_mtext_is_same_name(name, also[i].name)) {
            *ret_field = also[i].field;
            return i;
        }
    return SIZE_MAX;
}

static cv_str text_of(const cv_json *value)
{
    return value && (value->type == CV_JSON_STRING || value->type == CV_JSON_NUMBER) ? value->text : (cv_str){0};
}

/* An id, or an object with one, under the name of it that comes first. */
static cv_str id_of(const cv_json *item)
{
    size_t best = SIZE_MAX;
    cv_str id = text_of(item);
    for (uint32_t i = 0; item->type == CV_JSON_OBJECT && i < item->count; i++) {
        task_field field = TASK_ACTION;
        size_t rank = rank_of(item->members[i].key, &field);
        if (rank < best && field == TASK_ID) {
            best = rank;
            id = text_of(&item->members[i].value);
        }
    }
    return cv_str_trim(id);
}

static bool are_ids(const cv_json *value)
{
    bool all = value->type == CV_JSON_ARRAY;
    for (uint32_t i = 0; all && i < value->count; i++)
        all = id_of(&value->items[i]).n > 0;
    return all;
}

/* Is the value one that this field can hold? What is not stays beside the fields, as it was written. */
static bool suits(task_field field, const cv_json *value)
{
    if (field == TASK_PARAMS)
        return value->type == CV_JSON_OBJECT;
    return text_of(value).p || (field == TASK_DEPENDS && are_ids(value));
}

/* A list of ids, or one text with commas between them. */
static cv_words ids_of(cv_arena *a, const cv_json *value)
{
    cv_texts ids = {0};
    cv_str rest = text_of(value), piece;
    for (uint32_t i = 0; value->type == CV_JSON_ARRAY && i < value->count; i++)
        *CV_PUSH(a, &ids) = id_of(&value->items[i]);
    while (rest.n && cv_str_split(&rest, ',', &piece))
        if (cv_str_trim(piece).n)
            *CV_PUSH(a, &ids) = cv_str_trim(piece);
    return (cv_words){ids.items, ids.count};
}

static void set_words(cv_arena *a, const cv_json *const found[], cv_mtext_notes *notes, cv_mtext_task *ret)
{
    bool exact = true;
    const cv_json *status = found[TASK_STATUS], *priority = found[TASK_PRIORITY], *depends = found[TASK_DEPENDS];
    ret->status_found = text_of(status);
    ret->status = ret->status_found.p ? cv_mtext_status_of(ret->status_found, &exact) : CV_MTEXT_TASK_PENDING;
    if (!exact)
        cv_mtext_note_add(notes, a, CV_MTEXT_REPAIR_SPELLING, status->offset, ret->status_found);
    exact = true;
    ret->priority = text_of(priority).p ? cv_mtext_priority_of(text_of(priority), &exact) : 0;
    if (text_of(priority).p && ret->priority == 0)
        ret->priority = -1;
    if (!exact)
        cv_mtext_note_add(notes, a, CV_MTEXT_REPAIR_SPELLING, priority->offset, text_of(priority));
    if (!depends)
        return;
    ret->depends_on = ids_of(a, depends);
    if (depends->type != CV_JSON_ARRAY)
        cv_mtext_note_add(notes, a, CV_MTEXT_REPAIR_SHAPE, depends->offset, names[TASK_DEPENDS]);
}

/* A value that its field cannot hold is not skipped: the field would be taken for absent. Under another name than
 * its own the field may have been given beside it. */
static bool is_unread(const cv_mtext_member *m, task_field field, const cv_json *value, bool given)
{
    return !suits(field, value) && (!given || cv_str_eq(m->name, names[field]));
}

static bool has_all(cv_arena *a, cv_words all, cv_words some)
{
    cv_map known = {0};
    bool has = true;
    for (size_t i = 0; i < all.count; i++)
        cv_map_put(&known, a, all.items[i], NULL);
    for (size_t i = 0; has && i < some.count; i++)
        has = cv_map_get(&known, some.items[i]) != NULL;
    return has;
}

static bool are_same_ids(cv_arena *a, cv_words x, cv_words y)
{
    return has_all(a, x, y) && has_all(a, y, x);
}

/* Does the field mean the same with both values? An unknown word for a status says nothing. */
static bool are_equal(cv_arena *a, task_field field, const cv_json *x, const cv_json *y)
{
    bool exact;
    cv_str one = cv_str_trim(text_of(x)), other = cv_str_trim(text_of(y));
    switch (field) {
    case TASK_DEPENDS:
        return are_same_ids(a, ids_of(a, x), ids_of(a, y));
    case TASK_PARAMS:
        return cv_json_is_equal(a, x, y);
    case TASK_AGENT:
        return cv_mtext_is_same_name(one, other);
    case TASK_PRIORITY:
        return cv_mtext_priority_of(one, &exact) == cv_mtext_priority_of(other, &exact);
    case TASK_STATUS:
        return cv_mtext_status_of(other, &exact) < 0 ||
               cv_mtext_status_of(one, &exact) == cv_mtext_status_of(other, &exact);
    default:
        return cv_str_eq(one, other);
    }
}

bool cv_mtext_task_read(cv_arena *a, cv_str text, const cv_json *value, cv_mtext_notes *notes, cv_mtext_task *ret,
                        cv_err *err)
{
    *ret = (cv_mtext_task){0};
    if (value->type != CV_JSON_OBJECT)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "a task is an object, this is '%.*s'",
                          CV_FMT(cv_json_type_word(value->type)));
    cv_mtext_members members;
    const cv_json *found[TASK_FIELD_COUNT] = {0};
    cv_str *called = CV_NEW_ARRAY(a, TASK_FIELD_COUNT, cv_str);
    size_t ranks[TASK_FIELD_COUNT], best[TASK_FIELD_COUNT], rank;
    for (size_t f = 0; f < TASK_FIELD_COUNT; f++)
        ranks[f] = best[f] = SIZE_MAX;
    cv_mtext_members_of(a, text, value, &members);
    for (size_t i = 0; i < members.count; i++) {
        task_field field = TASK_ID;
        rank = rank_of(members.items[i].name, &field);
        if (rank < ranks[field] && suits(field, &value->members[i].value)) {
            ranks[field] = rank;
            best[field] = i;
        }
    }
    for (size_t i = 0; i < members.count; i++) {
        task_field field = TASK_ID;
        const cv_mtext_member *m = &members.items[i];
        const cv_json *v = &value->members[i].value;
        bool has_field = (rank = rank_of(m->name, &field)) != SIZE_MAX;
        if (has_field && v->type == CV_JSON_NULL)
            continue;                         /* it is not there */
        if (!has_field || best[field] != i) { /* another name of it, or none */
            bool given = has_field && best[field] != SIZE_MAX;
            *CV_PUSH(a, &ret->extra) = *m;
            if (has_field && is_unread(m, field, v, given))
                *CV_PUSH(a, &ret->unread) = *m;
            else if (given && suits(field, v) && !also[rank].near && !also[ranks[field]].near &&
                     !are_equal(a, field, &value->members[best[field]].value, v))
                *CV_PUSH(a, &ret->contrary) = *m;
            continue;
        }
        found[field] = v;
        called[field] = m->name;
        if (!cv_str_eq(m->name, names[field]))
            cv_mtext_note_add(notes, a, CV_MTEXT_REPAIR_SYNONYM, found[field]->offset, m->name);
        if (field == TASK_PARAMS)
            ret->params = m->raw;
    }
    ret->task_id = text_of(found[TASK_ID]);
    ret->action = text_of(found[TASK_ACTION]);
    ret->target_agent = text_of(found[TASK_AGENT]);
    ret->parent = text_of(found[TASK_PARENT]);
    ret->called = called;
    set_words(a, found, notes, ret);
    return true;
}

cv_str cv_mtext_task_called(cv_arena *a, const cv_mtext_task *task, cv_str field)
{
    size_t bracket = cv_str_find_char(field, '[');
    cv_str name = cv_str_head(field, bracket), index = cv_str_from(field, name.n);
    for (size_t f = 0; f < TASK_FIELD_COUNT; f++)
        if (cv_str_eq(name, names[f]) && task->called[f].n > 0)
            return cv_arena_join(a, task->called[f], index);
    return field;
}

cv_str cv_mtext_task_beside(const cv_mtext_task *task, cv_str name)
{
    task_field field = TASK_ID;
    size_t rank = rank_of(name, &field);
    assert(rank != SIZE_MAX && "it is a field");
    return task->called[field];
}

const char *cv_mtext_task_wanted(cv_str name)
{
    task_field field = TASK_ID;
    size_t rank = rank_of(name, &field);
    assert(rank != SIZE_MAX && "it is a field");
    return wanted_values[field];
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool is_extra(const cv_mtext_task *task, cv_str name)
{
    for (size_t i = 0; i < task->extra.count; i++)
        if (cv_str_eq(task->extra.items[i].name, name))
            return true;
    return false;
}

void cv_mtext_task_print(cv_buf *out, const cv_mtext_task *task)
{
    cv_json_writer w = {.out = out};
    cv_json_begin_object(&w);
    cv_json_key_str_if(&w, "task_id", task->task_id);
    cv_json_key_str_if(&w, "action", task->action);
    if (!is_extra(task, names[TASK_PARAMS]))
        cv_json_key_raw_if(&w, "params", task->params.p ? task->params : CV_STR("{}"));
    cv_json_key_str_if(&w, "target_agent", task->target_agent);
    if (task->status >= 0 && !is_extra(task, names[TASK_STATUS]))
        cv_json_key_str(&w, "status", cv_mtext_task_statuses.items[task->status]);
    if (task->priority > 0)
        cv_json_key_int(&w, "priority", task->priority);
    if (!is_extra(task, names[TASK_DEPENDS]))
        cv_json_key_strs(&w, "depends_on", task->depends_on.items, task->depends_on.count);
    cv_json_key_str_if(&w, "parent_task_id", task->parent);
    for (size_t i = 0; i < task->extra.count; i++) {
        cv_json_key(&w, task->extra.items[i].name);
        cv_json_raw(&w, task->extra.items[i].raw);
    }
    cv_json_end_object(&w);
}
