/* prompt.c - the prompt slot: stage, take, answer; see prompt.h. */
#include "mail/prompt.h"

#include "mail/operations.h"
#include "mail/render.h"
#include "mail/text/repair.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool find_one(cv_record *record, cv_arena *a, const cv_find *find, cv_mail_prompt *ret, bool *ret_found,
                     cv_err *err)
{
    cv_row_list rows = {0};
    cv_row_clear(&cv_mail_prompt_type, ret);
    *ret_found = false;
    if (!cv_record_rows(record, a, find, &rows, err))
        return false;
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret = *(const cv_mail_prompt *)rows.items[0];
    return true;
}

bool cv_prompt_current(cv_record *record, cv_arena *a, cv_mail_prompt *ret, bool *ret_found, cv_err *err)
{
    cv_mail_prompt like;
    cv_row_clear(&cv_mail_prompt_type, &like);
    like.current = 1;
    const cv_find find = {.type = &cv_mail_prompt_type,
                          .index = cv_prompts_current,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = 1};
    return find_one(record, a, &find, ret, ret_found, err);
}

bool cv_prompt_get(cv_record *record, cv_arena *a, cv_str request_id, cv_mail_prompt *ret, bool *ret_found, cv_err *err)
{
    cv_row_clear(&cv_mail_prompt_type, ret);
    ret->request_id = request_id;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_prompt_type, ret, ret_found, err);
}

bool cv_prompt_of_file(cv_record *record, cv_arena *a, const char *name, cv_mail_prompt *ret, bool *ret_found,
                       cv_err *err)
{
    cv_mail_prompt like;
    cv_row_clear(&cv_mail_prompt_type, &like);
    like.source = cv_str_of(name);
    const cv_find find = {.type = &cv_mail_prompt_type,
                          .index = cv_prompts_by_source,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = 1};
    return find_one(record, a, &find, ret, ret_found, err);
}

/* The end of the queue or of all prompts: by the index on `turn` or `number`. */
static bool find_end(cv_mail_writing *o, const cv_index *index, bool last, cv_mail_prompt *ret, bool *ret_found)
{
    const cv_find find = {
        .type = &cv_mail_prompt_type, .index = index, .scope = cv_mail_scope(), .limit = 1, .descending = last};
    return find_one(o->record, o->arena, &find, ret, ret_found, &o->err) || cv_mail_fail(o);
}

cv_mail_prompt *cv_prompt_put(cv_mail_writing *o, const cv_mail_prompt *prompt, const char *state)
{
    static const cv_str with_slot[] = {CV_STR_INIT("staged"), CV_STR_INIT("taken"), CV_STR_INIT("answered")};
    cv_mail_prompt row = *prompt;
    row.state = cv_str_of(state);
    row.turn = strcmp(state, "queued") == 0 ? row.number : CV_ABSENT;
    row.current = cv_words_find((cv_words){with_slot, CV_COUNT(with_slot)}, row.state) >= 0 ? 1 : CV_ABSENT;
    cv_mail_prompt *put = cv_writing_put(o->w, &cv_mail_prompt_type, &row);
    cv_writing_covers(o->w, cv_mail_event(o, CV_STR("prompt"), row.request_id, state), &cv_mail_prompt_type, put);
    return put;
}

cv_mail_prompt *cv_prompt_add(cv_mail_writing *o, cv_str request_id, cv_str text, const char *state)
{
    cv_mail_prompt row, last;
    bool found;
    if (!find_end(o, cv_prompts_by_number, true, &last, &found))
        return NULL;
    cv_row_clear(&cv_mail_prompt_type, &row);
    row.request_id = request_id;
    row.number = found ? last.number + 1 : 1;
    row.staged_at = o->now;
    row.staged_by = o->call->who.name;
    row.text = text;
    return cv_prompt_put(o, &row, state);
}

bool cv_prompt_advance(cv_mail_writing *o)
{
    cv_mail_prompt next, whole;
    bool found;
    if (!find_end(o, cv_prompts_by_turn, false, &next, &found))
        return false;
    if (!found)
        return true;
    if (!cv_prompt_get(o->record, o->arena, next.request_id, &whole, &found, &o->err))
        return cv_mail_fail(o);
    cv_prompt_put(o, &whole, "staged");
    return true;
}

bool cv_prompt_settle(cv_prompt_door *door, cv_mail_prompt *ret_current, cv_prompt_shown *ret_shown, cv_err *err)
{
    bool found;
    return cv_prompt_current(door->call->record, door->call->arena, ret_current, &found, err) &&
           cv_prompt_show(door, found ? ret_current : NULL, ret_shown, err);
}

/* What was done stays done: the answer gets a warning. */
void cv_prompt_settle_after(cv_prompt_door *door, cv_notices *warnings)
{
    cv_call *call = door->call;
    cv_err err = {.arena = call->arena}, ignored = {.arena = call->arena};
    cv_mail_prompt current;
    cv_prompt_shown shown;
    cv_json answer;
    if (cv_prompt_settle(door, &current, &shown, &err))
        return;
    cv_notice_add(warnings, call->arena, CV_STR("file_not_written"),
                  "the record has it, but the files in temp/ do not show it yet: %.*s; the next call tries again",
                  CV_FMT(cv_err_text(&err)));
    cv_str text = cv_arena_copy(call->arena, cv_buf_str(call->out));
    if (!cv_json_parse(call->arena, text, &answer, &ignored))
        return;
    cv_buf_clear(call->out);
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    for (uint32_t i = 0; i < answer.count; i++)
        if (!cv_str_eq(answer.members[i].key, CV_STR("warnings"))) {
            cv_json_key(&w, answer.members[i].key);
            cv_json_raw(&w, cv_mtext_raw(text, &answer.members[i].value));
        }
    cv_notices_answer(warnings, &w);
    cv_json_end_object(&w);
}

/* ---- one act on the slot ----------------------------------------------------------------------------------------- */

typedef struct {
    cv_str text, template; /* stage */
    cv_str answer;         /* answer: JSON */
    bool taken_away;       /* the text that was staged has gone: somebody has read it */
    cv_str late;           /* why the files did not show the slot before; absent: they did */
    bool queue, replace;
    /* the answer */
    cv_str request_id, state, path, id_path, staged_at;
    cv_notices warnings;
} act;

#define CV_THIS_TYPE act
const cv_shape cv_mail_stage_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, request_id, "an answer that has it as request_id belongs to this prompt"),
    CV_FIELD(ALWAYS, state, "staged, or queued behind another prompt"),
    CV_FIELD(IF_ANY, path, "where the text is read"),
    CV_FIELD(IF_ANY, id_path, "where its request id is read"),
    CV_FIELD(IF_ANY, template, ""),
    CV_FIELD_AS(ALWAYS, "bytes", text.n, "of the text"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
const cv_shape cv_mail_take_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, state, "taken, or nothing: no prompt is staged"),
    CV_FIELD(IF_ANY, request_id, "name it in the answer"),
    CV_FIELD(IF_ANY, template, ""),
    CV_FIELD(IF_ANY, staged_at, ""),
    CV_MARKED("x-document", IF_ANY, text, "the prompt"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_PROMPT_WRITTEN,
    {0},
};
const cv_shape cv_mail_answer_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, request_id, ""),
    CV_FIELD(ALWAYS, state, "answered: 'mail fetch' hands it out"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

/* The prompt with the slot, as it is now: one whose text was taken away counts as taken. */
static bool hold(cv_mail_writing *o, const act *x, cv_mail_prompt *ret, bool *ret_found)
{
    if (!cv_prompt_current(o->record, o->arena, ret, ret_found, &o->err))
        return cv_mail_fail(o);
    if (*ret_found && x->taken_away && cv_str_eq(ret->state, CV_STR("staged"))) {
        ret->taken_at = o->now;
        ret->taken_by = CV_STR("a reader of the file");
        *ret = *cv_prompt_put(o, ret, "taken");
    }
    return true;
}

/* Files first: what others did there, what a killed writer left. Then the write, then the files again. A prompt is
 * staged in the record also while its files cannot be written. */
static bool run(cv_call *call, const char *operation, cv_mail_work work, act *x)
{
    cv_err err = {.arena = call->arena};
    cv_prompt_door door;
    cv_mail_prompt current;
    cv_prompt_shown shown = {0};
    if (!cv_prompt_open(&door, call, &err))
        return cv_call_fail(call, &err);
    bool ok = cv_prompt_settle(&door, &current, &shown, &err);
    if (!ok && x->text.p)
        x->late = cv_err_text(&err);
    ok = ok || x->late.p || cv_call_fail(call, &err);
    x->taken_away = ok && shown.taken_away;
    if (ok && shown.foreign && x->text.p && !x->queue) {
        cv_err *fault = cv_refuse(call, CV_ERR_PROMPT_WAITING, CV_STR(""), "text", CV_STR(""),
                                  "temp/cursor_input.txt has a prompt that nobody staged here, and nobody has read");
        cv_err_suggest(fault, CV_STR("move it away when it was read, or give 'queue': true"));
        ok = false;
    }
    if (ok && shown.foreign && x->text.p)
        cv_notice_add(&x->warnings, call->arena, CV_STR("foreign_prompt"),
                      "temp/cursor_input.txt has a prompt that nobody staged here: this one is shown after it");
    ok = ok && cv_mail_write(call, operation, work, x);
    if (ok && !cv_json_get_true(call->input, "dry_run"))
        cv_prompt_settle_after(&door, &x->warnings);
    cv_prompt_close(&door);
    return ok;
}

/* ---- stage ------------------------------------------------------------------------------------------------------- */

static bool refuse_waiting(cv_mail_writing *o, const act *x, const cv_mail_prompt *current)
{
    bool unread = cv_str_eq(current->state, CV_STR("staged")), answered = cv_str_eq(current->state, CV_STR("answered"));
    cv_err *fault = cv_refuse(o->call, CV_ERR_PROMPT_WAITING, CV_STR(""), "queue", current->request_id,
                              unread     ? "the prompt '%.*s' of %.*s was not read yet"
                              : answered ? "the answer to the prompt '%.*s' of %.*s was not fetched yet"
                                         : "the prompt '%.*s' of %.*s was read, and is not answered yet",
                              CV_FMT(current->request_id), CV_FMT(current->staged_at));
    if (unread && x->late.p)
        cv_err_message(fault, "the prompt '%.*s' of %.*s is staged, but its file cannot be written: %.*s",
                       CV_FMT(current->request_id), CV_FMT(current->staged_at), CV_FMT(x->late));
    cv_err_operation(fault, answered ? CV_STR("mail fetch") : CV_STR("mail stage"));
    cv_err_suggest(fault, unread     ? CV_STR("with 'queue': true waits behind it")
                          : answered ? CV_STR("hands it out and frees the slot")
                                     : CV_STR("with 'queue': true waits behind it, with 'replace': true gives it up"));
    return false;
}

static bool stage(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    act *x = ctx;
    cv_mail_prompt current;
    bool found;
    if (!hold(o, x, &current, &found))
        return false;
    if (found && x->replace && cv_str_eq(current.state, CV_STR("taken"))) {
        cv_prompt_put(o, &current, "dropped");
        found = false;
    }
    if (found && !x->queue)
        return refuse_waiting(o, x, &current);
    if (!cv_mail_new_id(o->arena, o->now_ms, &x->request_id, &o->err))
        return cv_mail_fail(o);
    cv_mail_prompt *row = cv_prompt_add(o, x->request_id, x->text, found ? "queued" : "staged");
    if (!row)
        return false;
    row->template = x->template;
    x->state = row->state;
    if (!found) {
        x->path = cv_str_of(cv_mail_file(o->call, "temp/cursor_input.txt").path);
        x->id_path = cv_str_of(cv_mail_file(o->call, "temp/cursor_input.id").path);
    }
    *ret_result = cv_shape_text(o->arena, cv_mail_stage_shape, x);
    return true;
}

bool cv_mail_op_stage(cv_call *call)
{
    act x = {.queue = cv_json_get_true(call->input, "queue"), .replace = cv_json_get_true(call->input, "replace")};
    if (!cv_mail_text_of(call, &x.text, &x.template))
        return false;
    if (x.text.n == 0) {
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), x.template.p ? "template" : "text", x.template,
                  "the prompt is empty: there is nothing to stage");
        return false;
    }
    return run(call, "mail stage", stage, &x);
}

/* ---- take -------------------------------------------------------------------------------------------------------- */

static bool take(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    act *x = ctx;
    cv_mail_prompt current;
    bool found;
    x->state = CV_STR("nothing");
    if (!hold(o, x, &current, &found))
        return false;
    if (found && cv_str_eq(current.state, CV_STR("staged"))) {
        current.taken_at = o->now;
        current.taken_by = o->call->who.name;
        cv_prompt_put(o, &current, "taken");
        x->state = CV_STR("taken");
        x->request_id = current.request_id;
        x->template = current.template;
        x->staged_at = current.staged_at;
        x->text = current.text;
    }
    *ret_result = cv_shape_text(o->arena, cv_mail_take_shape, x);
    return true;
}

/* Where nothing is staged, nothing is written. */
bool cv_mail_op_take(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    act x = {.state = CV_STR("nothing")};
    cv_mail_prompt current;
    bool found;
    if (!cv_prompt_current(call->record, call->arena, &current, &found, &err))
        return cv_call_fail(call, &err);
    if (found && cv_str_eq(current.state, CV_STR("staged")))
        return run(call, "mail take", take, &x);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_take_shape, &x);
    return true;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static bool refuse_prompt(cv_mail_writing *o, cv_err_code code, cv_str id, const char *why)
{
    cv_err *fault = cv_refuse(o->call, code, CV_STR(""), "request_id", id, "%s", why);
    cv_err_operation(fault, CV_STR("mail take"));
    cv_err_suggest(fault, CV_STR("hands out the prompt that is staged, with its request id"));
    return false;
}

static bool answer(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    act *x = ctx;
    cv_mail_prompt row;
    bool found;
    if (!hold(o, x, &row, &found))
        return false;
    if (x->request_id.p && !(found && cv_str_eq(row.request_id, x->request_id)) &&
        !cv_prompt_get(o->record, o->arena, x->request_id, &row, &found, &o->err))
        return cv_mail_fail(o);
    if (!found)
        return refuse_prompt(o, CV_ERR_PROMPT_NOT_FOUND, x->request_id,
                             x->request_id.p ? "there is no prompt with this request id" : "no prompt is staged");
    bool open = cv_str_eq(row.state, CV_STR("staged")) || cv_str_eq(row.state, CV_STR("taken"));
    bool same = !open && row.answer.p && cv_str_eq(row.answer, x->answer);
    if (!open && !same)
        return refuse_prompt(o, CV_ERR_PROMPT_SETTLED, row.request_id, "the prompt no longer waits for an answer");
    if (open) {
        row.answer = x->answer;
        row.answered_at = o->now;
        cv_prompt_put(o, &row, "answered");
    }
    x->request_id = row.request_id;
    x->state = open ? CV_STR("answered") : row.state;
    *ret_result = cv_shape_text(o->arena, cv_mail_answer_shape, x);
    return true;
}

bool cv_mail_op_answer(cv_call *call)
{
    const cv_json *given = cv_json_get(call->input, CV_STR("answer"));
    cv_str id = cv_json_get_text(call->input, "request_id");
    act x = {.answer = cv_mail_compact(call->arena, cv_mail_raw(call, given)),
             .request_id = id.p || given->type != CV_JSON_OBJECT ? id : cv_json_get_text(given, "request_id")};
    return cv_mail_check_length(call, "answer", x.answer, CV_MAIL_MAX_TEXT) && run(call, "mail answer", answer, &x);
}
