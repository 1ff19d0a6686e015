/* cli_edit.c - an answer that a person edits and sends on: conclave ROOM VERB --edit; see cli_parts.h.
 *
 *     the answer  ->  a file in the folder of its scope, with comments  ->  $VISUAL or $EDITOR  ->  the request
 *                          ^                                                                            |
 *                          +------------------------ faults, as comments above the text ----------------+
 *
 * The file is the person's: below our comments not a byte of it is changed, and it goes only when the request was
 * carried out or when nobody has written into it. Whatever else happens, it is said where the file is. No record is
 * open while somebody edits; what others wrote meanwhile is found by the rev that the request names.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/plain.h"
#include "door/cli_parts.h"
#include "project/project.h"

extern char **environ;

enum { MOST_FILES = 99 };

typedef struct {
    cv_cli *cli;
    const cv_room *room;
    const cv_room_edit *edit;
    const char *root;
    cv_str scope;
    cv_where file;
    cv_str shown; /* what the editor was given last */
    bool touched; /* somebody has written into it */
} editing;

const cv_room_edit *cv_cli_edit_of(const cv_operation *op)
{
    const cv_room *room = cv_room_find(cv_str_of(op->room));
    for (const cv_room_edit *e = room ? room->edits : NULL; e && e->verb; e++)
        if (strcmp(e->verb, op->verb) == 0)
            return e;
    return NULL;
}

/* ---- comments ---------------------------------------------------------------------------------------------------- */

static bool is_comment(cv_str line)
{
    return cv_str_starts(cv_str_trim(line), CV_STR("#"));
}

/* Faults are in lines of their own kind, so that those of the last time can be taken away. */
static const cv_str fault_mark = CV_STR_INIT("#! ");

static void add_comment(cv_buf *out, cv_str mark, cv_str text)
{
    cv_str line;
    while (cv_str_split(&text, '\n', &line)) {
        if (line.n == 0)
            continue;
        cv_buf_add(out, mark);
        cv_plain_add(out, line);
        cv_buf_add_char(out, '\n');
    }
}

/* The text without comments, each an empty line: places in it are places in the file. */
static cv_str without_comments(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_str line;
    while (text.n > 0 && cv_str_split(&text, '\n', &line)) {
        cv_buf_add(&out, is_comment(line) ? CV_STR("") : line);
        cv_buf_add_char(&out, '\n');
    }
    return cv_buf_take(&out, a);
}

/* … without the faults of the last time. */
static cv_str without_faults(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    for (cv_str line, rest = text; rest.n > 0 && cv_str_split(&rest, '\n', &line);) {
        bool last = line.p + line.n == text.p + text.n; /* it has no line break */
        if (cv_str_starts(line, fault_mark))
            continue;
        cv_buf_add(&out, line);
        cv_buf_add_z(&out, last ? "" : "\n");
    }
    return cv_buf_take(&out, a);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static int64_t rev_of(const editing *e, const cv_call *call, cv_err *err)
{
    cv_scope_position at;
    const cv_record_calls *calls = call->record->calls;
    if (!calls->begin(call->record, e->cli->arena, (cv_scope_id){cv_str_of(e->room->name), e->scope}, &at, err))
        return -1;
    calls->end(call->record);
    return at.rev;
}

static void print_request(const editing *e, const cv_json *request, int64_t rev, cv_buf *out)
{
    cv_buf filled = {0};
    cv_json tree;
    cv_err err = {.arena = e->cli->arena};
    e->edit->prepare(e->cli->arena, request, &(cv_json_writer){.out = &filled});
    if (!cv_json_parse(e->cli->arena, cv_buf_take(&filled, e->cli->arena), &tree, &err))
        tree = *request;
    cv_json_writer w = {.out = out, .indent = 2};
    cv_json_begin_object(&w);
    cv_json_key_int(&w, "expect_rev", rev); /* first: its line can be taken away, and JSON is left */
    for (uint32_t i = 0; i < tree.count; i++) {
        cv_json_key(&w, tree.members[i].key);
        cv_json_value(&w, &tree.members[i].value);
    }
    cv_json_end_object(&w);
    cv_buf_add_char(out, '\n');
}

static cv_str first_text(const editing *e, const cv_json *request, cv_str notes, int64_t rev)
{
    static const cv_str mark = CV_STR_INIT("# ");
    cv_buf out = {0};
    add_comment(
        &out, mark,
        cv_arena_printf(e->cli->arena,
                        "Edit this request, save it and leave the editor: 'conclave %s %s' gets it.\n"
                        "Lines that begin with # are left out, and so are members that stay null or \"\".\n"
                        "An empty file, or one that was not changed, is not sent.\n"
                        "expect_rev: the request is refused if somebody has written meanwhile. Remove the line to\n"
                        "send it anyway, or begin again to see what is new.\n",
                        e->room->name, e->edit->then));
    add_comment(&out, mark, cv_str_of(e->edit->about));
    add_comment(&out, mark, notes);
    print_request(e, request, rev, &out);
    return cv_buf_take(&out, e->cli->arena);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* A new one: what somebody has left there is not touched. */
static bool make_file(editing *e, cv_call *call, cv_err *err)
{
    cv_where folder;
    if (!e->room->scope_folder(call, e->scope, &folder, err) || !cv_folder_make_at(folder, err))
        return false;
    for (int i = 1; i <= MOST_FILES; i++) {
        const char *number = i == 1 ? "" : cv_arena_printf(e->cli->arena, "-%d", i).p;
        e->file = cv_where_in(e->cli->arena, folder,
                              cv_arena_printf(e->cli->arena, "%s-edit%s.json", e->edit->then, number).p);
        struct stat st;
        if (!cv_where_look(e->file, &st))
            return cv_file_write_private(e->file, e->shown, err);
    }
    cv_err_set(err, CV_ERR_IO, "there are %d files that were edited and not sent", MOST_FILES);
    cv_err_file(err, cv_str_of(cv_where_path(e->cli->arena, folder)));
    cv_err_suggest(err, CV_STR("remove those that you do not need"));
    return false;
}

static const char *path_of(const editing *e)
{
    return cv_where_path(e->cli->arena, e->file);
}

/* It goes when nobody has written into it, or when what was written is in the record. */
static void give_up_file(const editing *e, bool keep)
{
    if (keep)
        cv_log_line("what you wrote is in %s; to send it: conclave %s %s --data @%s", path_of(e), e->room->name,
                    e->edit->then, path_of(e));
    else
        cv_where_unlink(e->file);
}

/* ---- the editor -------------------------------------------------------------------------------------------------- */

static const char *editor_of(void)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    return visual && *visual ? visual : editor && *editor ? editor : "vi";
}

/* The variable may hold options: a shell reads it. An interrupt is the editor's. */
static bool run_editor(const editing *e, cv_err *err)
{
    const char *editor = editor_of();
    char *line = cv_arena_copy_z(e->cli->arena, cv_arena_printf(e->cli->arena, "%s \"$1\"", editor));
    char *path = cv_arena_copy_z(e->cli->arena, cv_str_of(path_of(e)));
    char *arguments[] = {(char[]){"sh"}, (char[]){"-c"}, line, (char[]){"sh"}, path, NULL};
    struct sigaction ignored = {.sa_handler = SIG_IGN}, interrupt, quit;
    pid_t child;
    int status = 0;
    int number =
        cv_child_spawn(&child, "sh", NULL, arguments, environ); /* first: what is ignored here stays so there */
    sigaction(SIGINT, &ignored, &interrupt);
    sigaction(SIGQUIT, &ignored, &quit);
    while (number == 0 && waitpid(child, &status, 0) < 0)
        number = errno == EINTR ? 0 : errno;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (number == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    cv_err_set(err, CV_ERR_IO, "the editor '%s' failed, so nothing was sent", editor);
    cv_err_suggest(err, CV_STR("name another one in VISUAL or EDITOR"));
    return false;
}

/* ---- what was saved ---------------------------------------------------------------------------------------------- */

static bool is_blank(const cv_json *value)
{
    return value->type == CV_JSON_NULL || (value->type == CV_JSON_STRING && cv_str_trim(value->text).n == 0);
}

/* What was not filled in is left out: at the top, and one level below it in objects. */
static void write_filled(cv_json_writer *w, const cv_json *object, int level)
{
    cv_json_begin_object(w);
    for (uint32_t i = 0; i < object->count; i++) {
        const cv_json_member *m = &object->members[i];
        if (is_blank(&m->value))
            continue;
        cv_json_key(w, m->key);
        if (level == 0 && m->value.type == CV_JSON_OBJECT)
            write_filled(w, &m->value, 1);
        else
            cv_json_value(w, &m->value);
    }
    cv_json_end_object(w);
}

bool cv_cli_edited(cv_arena *a, cv_str text, cv_str *ret_text, cv_err *err)
{
    cv_json tree;
    cv_buf filled = {0};
    *ret_text = text;
    if (!is_comment(cv_str_head(text, cv_str_find_char(text, '\n'))))
        return true;
    if (!cv_json_parse(a, without_comments(a, text), &tree, err))
        return false;
    if (tree.type == CV_JSON_OBJECT)
        write_filled(&(cv_json_writer){.out = &filled}, &tree, 0);
    else
        cv_json_value(&(cv_json_writer){.out = &filled}, &tree);
    *ret_text = cv_buf_take(&filled, a);
    return true;
}

/* Calls the operation with it. False: faults, in `errs`. */
static bool send_request(editing *e, cv_str text, cv_call *call)
{
    cv_arena *a = e->cli->arena;
    cv_json tree, *input = CV_NEW(a, cv_json); /* the answer is printed with it */
    cv_buf filled = {0};
    cv_err err = {.arena = a};
    if (!cv_json_parse(a, without_comments(a, text), &tree, &err))
        return cv_call_fail(call, &err);
    if (tree.type != CV_JSON_OBJECT) {
        cv_err_set(&err, CV_ERR_INVALID_VALUE, "the request must be a JSON object");
        return cv_call_fail(call, &err);
    }
    write_filled(&(cv_json_writer){.out = &filled}, &tree, 0);
    call->input_text = cv_buf_take(&filled, a);
    if (!cv_json_parse(a, call->input_text, input, &err) || !cv_project_open(a, e->root, &call->record, &err))
        return cv_call_fail(call, &err);
    call->input = input;
    bool done = cv_op_call(cv_op_find(cv_str_of(e->room->name), cv_str_of(e->edit->then)), call);
    cv_record_close(call->record);
    call->record = NULL;
    return done;
}

/* The faults above the text that somebody has saved. A place in it moves down by their lines; one in the request that
 * was made of it says nothing. */
static bool show_faults(editing *e, cv_str saved, const cv_errs *errs, bool read, cv_err *err)
{
    cv_arena *a = e->cli->arena;
    cv_str own = without_faults(a, saved);
    size_t before = 0, after = errs->count + 1;
    for (cv_str line, rest = saved; rest.n > 0 && cv_str_split(&rest, '\n', &line);)
        before += cv_str_starts(line, fault_mark);
    cv_buf out = {0};
    add_comment(&out, fault_mark, CV_STR("It was not sent. Correct this and save it; leave it as it is to give up."));
    for (size_t i = 0; i < errs->count; i++) {
        cv_err fault = errs->items[i];
        bool placed = !read && fault.line > 0;
        fault.line = placed ? fault.line - before + after : 0;
        fault.column = placed ? fault.column : 0;
        cv_buf line = {0};
        cv_plain_add(&line, cv_err_text(&fault)); /* one line each: the places above count on it */
        cv_log_line("%.*s", CV_FMT(cv_buf_str(&line)));
        add_comment(&out, fault_mark, cv_buf_take(&line, a));
    }
    cv_buf_add(&out, own);
    e->shown = cv_buf_take(&out, a);
    return cv_file_write_private(e->file, e->shown, err);
}

/* Is there nothing but comments and blanks? */
static bool is_empty(cv_arena *a, cv_str text)
{
    return cv_str_trim(without_comments(a, text)).n == 0;
}

/* Is it what the editor was given, or with other faults above it the text that was refused? Then there is nothing new
 * to send. */
static bool is_same(const editing *e, cv_str saved)
{
    cv_arena *a = e->cli->arena;
    return cv_str_eq(without_faults(a, saved), without_faults(a, e->shown));
}

/* One turn: the editor, and what was saved. True: it is over, *ret_status says how. */
static bool take_turn(editing *e, cv_call *call, cv_buf *reply, int *ret_status)
{
    cv_cli *cli = e->cli;
    cv_err err = {.arena = cli->arena};
    cv_errs errs = {0};
    cv_str saved;
    *ret_status = 0;
    cv_err unread = {.arena = cli->arena};
    bool ended = run_editor(e, &err);
    bool there = cv_file_read_at(cli->arena, e->file, CV_MAX_JSON_BYTES, &saved, ended ? &err : &unread);
    e->touched = e->touched || (there && !cv_str_eq(saved, e->shown));
    if (!there && ended) {
        cv_err_set(&err, CV_ERR_IO, "the editor removed the file, so nothing was sent");
        cv_err_file(&err, cv_str_of(path_of(e)));
    }
    if (!ended || !there) {
        if (there)
            give_up_file(e, e->touched);
        *ret_status = cv_cli_fail(cli, &err);
        return true;
    }
    bool empty = is_empty(cli->arena, saved), faulty = cv_str_starts(e->shown, fault_mark);
    if (is_same(e, saved) || empty) {
        cv_log_line("nothing was sent: the file is %s", empty ? "empty" : "as it was");
        if (empty && faulty && !cv_file_write_private(e->file, e->shown, &err)) { /* what was refused, once more */
            *ret_status = cv_cli_fail(cli, &err);
            return true;
        }
        give_up_file(e, faulty);
        *ret_status = faulty;
        return true;
    }
    call->errs = &errs;
    call->input_text = (cv_str){NULL, 0};
    if (send_request(e, saved, call)) {
        cv_where_unlink(e->file);
        return true;
    }
    reply->n = 0;
    if (show_faults(e, saved, &errs, call->input_text.p != NULL, &err))
        return false;
    *ret_status = cv_cli_fail(cli, &err);
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void write_member(cv_json_writer *w, const cv_json_member *m)
{
    cv_json_key(w, m->key);
    cv_json_value(w, &m->value);
}

static bool ask_for_answer(editing *e, cv_call *call, cv_json *ret_request, cv_str *ret_notes, int64_t *ret_rev)
{
    cv_arena *a = e->cli->arena;
    cv_json *input = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    cv_buf text = {0}, answer = {0}, notes = {0};
    cv_json own; /* what the operation must be asked for, whatever was typed */
    cv_json_writer w = {.out = &text};
    if (!cv_json_parse(a, cv_arena_printf(a, "{%s}", e->edit->input), &own, &err))
        return cv_call_fail(call, &err);
    cv_json_begin_object(&w);
    for (uint32_t i = 0; i < call->input->count; i++)
        if (!cv_json_get(&own, call->input->members[i].key))
            write_member(&w, &call->input->members[i]);
    for (uint32_t i = 0; i < own.count; i++)
        write_member(&w, &own.members[i]);
    cv_json_end_object(&w);
    call->input_text = cv_buf_take(&text, a);
    call->out = &answer;
    call->aside = &notes;
    call->input = input;
    bool done = (cv_json_parse(a, call->input_text, input, &err) || cv_call_fail(call, &err)) &&
                cv_op_call(e->cli->command->op, call);
    *ret_notes = cv_buf_take(&notes, a);
    if (done)
        done = cv_json_parse(a, cv_arena_copy(a, cv_buf_str(&answer)), ret_request, &err) &&
               (*ret_rev = rev_of(e, call, &err)) >= 0;
    cv_buf_release(&answer);
    return done || (call->errs->count == 0 && cv_call_fail(call, &err));
}

int cv_cli_edit(cv_cli *cli, cv_call *call)
{
    editing e = {.cli = cli, .root = call->root, .edit = cv_cli_edit_of(cli->command->op)};
    cv_err err = {.arena = cli->arena};
    cv_json request;
    cv_str notes;
    int64_t rev;
    int status = 0;
    assert(e.edit && "cli_op.c has asked for it");
    e.room = cv_room_find(cv_str_of(cli->command->op->room));
    e.scope = cv_json_get_text(call->input, e.room->scope.field);
    bool ready = ask_for_answer(&e, call, &request, &notes, &rev);
    if (ready) {
        e.shown = first_text(&e, &request, notes, rev);
        ready = make_file(&e, call, &err) || cv_call_fail(call, &err);
    }
    cv_record_close(call->record);
    call->record = NULL;
    if (!ready)
        return cv_cli_fail_all(cli, call->errs->items, call->errs->count);
    cv_buf reply = {0};
    call->out = &reply;
    call->aside = NULL;
    call->verbatim = false;
    bool over = false;
    while (!over)
        over = take_turn(&e, call, &reply, &status);
    if (reply.n > 0) {
        cv_cli_command then = *cli->command;
        then.op = cv_op_find(cv_str_of(e.room->name), cv_str_of(e.edit->then));
        cli->command = &then;
        status = cv_cli_print_answer(cli, cv_buf_str(&reply), call);
    }
    cv_buf_release(&reply);
    return status;
}
