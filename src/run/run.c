/* run.c - the operations `run`, `ask`, `run status` and `run stop`; see operations.h.
 *
 *     run    settings, facts -> the walk (walk.h) -> its state (status.h)
 *     ask    the dialogue is created, under an op_id that follows from the question; then as above
 *     stop   a word in the run's row: the process that walks sees it within a moment
 *
 * In the background the program starts itself once more, with the same request, in a session of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/monotonic.h"
#include "base/os.h"
#include "kit/fault.h"
#include "kit/request.h"
#include "record/hash.h"
#include "run/operations.h"
#include "run/status.h"

enum { INTERRUPTED = 130, BEGIN_MS = 20000, LOOK_MS = 20, MOST_TITLE = 80 };

/* ---- a dry run -----------------------------------------------------------------------------------------------------
 */

static bool add_call(cv_walk *w, cv_run_task task, size_t seat, cv_status_more *more, cv_status_call *calls)
{
    cv_walk_call asked;
    if (!cv_walk_prepare(w, task, seat, &asked))
        return false;
    if (asked.agent)
        calls[more->call_count++] = (cv_status_call){.who = asked.who,
                                                     .task = cv_task_words.items[task],
                                                     .agent = asked.agent->name,
                                                     .call = asked.agent->text,
                                                     .prompt = cv_arena_copy(w->call->arena, asked.prompt)};
    return true;
}

static bool describe_step(cv_walk *w, const cv_step *step, cv_status_more *more)
{
    static const char *const words[] = {"carry out what was decided",
                                        "ask the panel",
                                        "send an answer",
                                        "ask the judge",
                                        "register the round",
                                        "ask for the verdicts",
                                        "register the verdicts",
                                        "ask one agent alone",
                                        "wait",
                                        "nothing"};
    _Static_assert(CV_COUNT(words) == CV_STEP_END + 1, "a word for every step");
    cv_status_call *calls = CV_NEW_ARRAY(w->call->arena, w->facts.seat_count + 1, cv_status_call);
    bool ok = true;
    more->warnings = w->warnings;
    more->step = cv_str_of(words[step->kind]);
    if (step->kind == CV_STEP_ASK)
        for (size_t i = 0; ok && i < w->facts.seat_count; i++)
            ok = w->folded[i].state != CV_SEAT_OPEN || add_call(w, CV_TASK_RESPONSE, i, more, calls);
    else if (step->kind == CV_STEP_JUDGE || step->kind == CV_STEP_VERDICT)
        ok = add_call(w, step->kind == CV_STEP_JUDGE ? CV_TASK_ROUND : CV_TASK_VERDICT, 0, more, calls);
    more->calls = calls;
    return ok;
}

static bool try_run(cv_call *call, cv_setup *settings)
{
    cv_walk *w = CV_NEW(call->arena, cv_walk);
    cv_step step;
    cv_status_more more = {.dry_run = true};
    bool ok = cv_walk_look(w, call, settings, &step) && describe_step(w, &step, &more) &&
              cv_status_answer(call, &w->run_rows, &w->facts, &more);
    cv_walk_close(w);
    return ok;
}

/* ---- in the background ---------------------------------------------------------------------------------------------
 */

/* The request again, without what only the caller is told. */
static cv_str request_text(cv_call *call, cv_str dialogue_id)
{
    static const cv_str aside[] = {CV_STR_INIT("background"), CV_STR_INIT("dialogue_id"), CV_STR_INIT("question"),
                                   CV_STR_INIT("title"),      CV_STR_INIT("panel"),       CV_STR_INIT("expert"),
                                   CV_STR_INIT("again")};
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", dialogue_id);
    for (uint32_t i = 0; i < call->input->count; i++) {
        if (cv_words_find((cv_words){aside, CV_COUNT(aside)}, call->input->members[i].key) >= 0)
            continue;
        cv_json_key(&w, call->input->members[i].key);
        cv_json_value(&w, &call->input->members[i].value);
    }
    cv_json_end_object(&w);
    return cv_buf_take(&out, call->arena);
}

/* In a session of its own, and nobody's child: it reads the request, and what it prints goes to the log. */
static void become_runner(const char *program, int request, int log, int tell, char *const argv[])
{
    setsid();
    pid_t pid = fork();
    if (pid != 0) {
        ssize_t told = write(tell, &pid, sizeof pid);
        _exit(told == sizeof pid ? 0 : 1);
    }
    dup2(request, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    cv_child_close_from(STDERR_FILENO + 1, true); /* a caller that waits for the end of a pipe does not wait for us */
    cv_child_signals();
    execv(program, argv);
    _exit(127);
}

/* The request as a file without a name: in the words of a command every user of the machine could read it. -1 with
 * errno. */
static int open_request(cv_call *call, const char *folder, cv_str dialogue_id)
{
    cv_str text = request_text(call, dialogue_id);
    int fd = cv_os_open_unnamed(folder);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text.p, text.n);
    if (n == (ssize_t)text.n && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    int why = n < 0 ? errno : ENOSPC; /* a file takes less than all of it when the disk is full */
    close(fd);
    errno = why;
    return -1;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

static pid_t start_runner(cv_call *call, const char *log_path, cv_str dialogue_id, cv_err *err)
{
    const char *as = call->who.name.p ? cv_arena_copy_z(call->arena, call->who.name) : NULL;
    const char *const argv[] = {"conclave", "run",      "--data",           "-", "--json",
                                "--root",   call->root, as ? "--as" : NULL, as,  NULL};
    cv_str self = cv_os_program(call->arena);
    const char *program = self.p ? self.p : "conclave"; /* else it is looked for nowhere, and does not start */
    int request = open_request(call, cv_folder_of(call->arena, log_path), dialogue_id);
    int log = request < 0 ? -1 : open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int pipes[2] = {-1, -1};
    bool ready = log >= 0 && pipe2(pipes, O_CLOEXEC) == 0;
    if (!ready)
        cv_system_fail(err, log_path, "write the request and the log of the run", errno);
    pid_t runner = -1, pid = ready ? fork() : -1;
    if (pid == 0)
        become_runner(program, request, log, pipes[1], (char *const *)(uintptr_t)argv);
    close_if_open(pipes[1]);
    close_if_open(request);
    close_if_open(log);
    if (ready && (pid < 0 || read(pipes[0], &runner, sizeof runner) != sizeof runner || runner < 0)) {
        cv_err_set(err, CV_ERR_RUN_STARTS, "no process could be started");
        runner = -1;
    }
    close_if_open(pipes[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return runner;
}

/* The message of the error in the last line of the log behind what was in it before; that line itself if it is none. */
static cv_str last_words(cv_arena *a, const char *path, off_t before)
{
    enum { MOST = 600 };
    cv_str text, line = CV_STR("");
    cv_json json;
    cv_err none = {.arena = a};
    if (!cv_file_read_text(a, path, &text, &none))
        return line;
    text = cv_str_from(text, before < 0 || (size_t)before > text.n ? text.n : (size_t)before);
    for (cv_str rest = cv_str_trim(text); rest.n > 0 && cv_str_split(&rest, '\n', &line);)
        continue;
    cv_str message = cv_json_parse(a, line, &json, &none) ? cv_json_get_text(&json, "message") : CV_STR("");
    return message.n ? message : cv_str_from(line, line.n > MOST ? line.n - MOST : 0);
}

static bool is_running(const cv_run_rows *l)
{
    return cv_str_eq(l->run.state, cv_run_words.items[CV_RUN_RUNNING]) ||
           cv_str_eq(l->run.state, cv_run_words.items[CV_RUN_WAITING]);
}

/* Until this one, and nobody else, holds the lease, or has written how it ended; else it has failed. */
static bool await_begin(cv_call *call, cv_str dialogue_id, pid_t runner, const char *log_path, off_t log_size,
                        int64_t before, cv_run_rows *l, cv_err *err)
{
    int64_t until = cv_monotonic_ms() + BEGIN_MS;
    bool holds;
    for (bool gone = false; cv_monotonic_ms() < until; gone = kill(runner, 0) != 0 && errno == ESRCH) {
        if (!cv_run_rows_open(l, call, call->arena, dialogue_id, err) || !cv_run_rows_is_of(l, runner, &holds, err))
            return false;
        if (holds || (l->run.rev > before && !is_running(l)))
            return true;
        if (gone)
            break;
        poll(NULL, 0, LOOK_MS);
    }
    cv_err_set(err, CV_ERR_RUN_STARTS, "the run did not start: %.*s",
               CV_FMT(last_words(call->arena, log_path, log_size)));
    cv_err_suggest(err, cv_arena_printf(call->arena, "its log is '%s'", log_path));
    return false;
}

static bool run_behind(cv_call *call, cv_setup *settings)
{
    cv_walk *w = CV_NEW(call->arena, cv_walk);
    cv_step step;
    cv_err err = {.arena = call->arena};
    cv_run_rows l;
    bool ok = cv_walk_look(w, call, settings, &step) && cv_setup_approve(settings);
    int64_t before = w->run_rows.run.rev;
    if (ok && !cv_run_rows_check_free(&w->run_rows, &err))
        ok = cv_call_fail(call, &err);
    cv_where folder = cv_run_rows_where(call->arena, call->root, settings->dialogue_id, "");
    if (ok &&
        (!cv_folder_make_private(cv_where_folder(call->arena, folder), &err) || !cv_folder_make_private(folder, &err)))
        ok = cv_call_fail(call, &err);
    if (ok) {
        struct stat st;
        const char *log_path = cv_where_path(call->arena, cv_where_in(call->arena, folder, "log"));
        off_t log_size = stat(log_path, &st) == 0 ? st.st_size : 0;
        pid_t runner = start_runner(call, log_path, settings->dialogue_id, &err);
        ok = (runner > 0 && await_begin(call, settings->dialogue_id, runner, log_path, log_size, before, &l, &err)) ||
             cv_call_fail(call, &err);
    }
    ok = ok && cv_status_answer(call, &l, &w->facts, &(cv_status_more){.warnings = w->warnings});
    cv_walk_close(w);
    return ok;
}

/* ---- running -------------------------------------------------------------------------------------------------------
 */

static bool run_here(cv_call *call, cv_setup *settings)
{
    cv_walk *w = CV_NEW(call->arena, cv_walk);
    cv_reason reason = CV_REASON_COUNT;
    cv_errs errs = {0};
    bool ok = cv_walk_run(w, call, settings, &reason);
    if (ok) {
        cv_run_rows_release(&w->run_rows);
        ok = cv_facts_read(call, call->arena, settings->dialogue_id, &w->facts, &errs) || cv_walk_fail(w, &errs);
    }
    ok = ok && cv_status_answer(call, &w->run_rows, &w->facts,
                                &(cv_status_more){.exported = w->exported, .warnings = w->warnings});
    if (ok && !cv_reasons[reason].fine)
        call->exit = reason == CV_REASON_INTERRUPTED ? INTERRUPTED : 1;
    cv_walk_close(w);
    return ok;
}

static bool run_dialogue(cv_call *call, cv_str dialogue_id)
{
    cv_setup *settings = CV_NEW(call->arena, cv_setup);
    if (!cv_setup_read(call, dialogue_id, settings))
        return false;
    if (cv_json_get_true(call->input, "dry_run"))
        return try_run(call, settings);
    if (!cv_setup_find_programs(settings))
        return false;
    return (cv_json_get_true(call->input, "background") ? run_behind : run_here)(call, settings);
}

bool cv_run_op_run(cv_call *call)
{
    return run_dialogue(call, cv_json_get_text(call->input, "dialogue_id"));
}

/* ---- asking --------------------------------------------------------------------------------------------------------
 */

/* The first line of the question, as much of it as fits into a title, cut between words. */
static cv_str title_of(cv_arena *a, cv_str question)
{
    cv_str line = cv_str_trim(question);
    line = cv_str_trim(cv_str_head(line, cv_str_find_char(line, '\n')));
    cv_str head = cv_utf8_limit(line, MOST_TITLE);
    if (head.n < line.n) {
        size_t cut = head.n;
        while (cut > 0 && head.p[cut - 1] != ' ')
            cut--;
        head = cv_str_trim(cv_str_head(head, cut ? cut : head.n));
    }
    while (head.n > 1 && strchr("?!. ", head.p[head.n - 1]))
        head.n--;
    return cv_arena_copy(a, head);
}

/* The same words are the same question: a command that was interrupted goes on with its dialogue. */
static cv_str create_input(cv_call *call, int again)
{
    const cv_json *panel = cv_json_get(call->input, CV_STR("panel")),
                  *experts = cv_json_get(call->input, CV_STR("expert"));
    cv_str question = cv_json_get_text(call->input, "question"), title = cv_json_get_text(call->input, "title");
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "title", title.n ? title : title_of(call->arena, question));
    cv_json_key_str(&w, "question", cv_str_trim(question));
    if (panel)
        cv_json_key_str(&w, "panel", panel->text);
    if (experts) {
        cv_json_key(&w, CV_STR("expert"));
        cv_json_value(&w, experts);
    }
    cv_str digest = cv_hash_text(call->arena, cv_buf_str(&out));
    cv_json_key_str(&w, "op_id", cv_arena_printf(call->arena, "ask/%.*s/%d", CV_FMT(cv_str_head(digest, 32)), again));
    cv_json_end_object(&w);
    return cv_buf_take(&out, call->arena);
}

/* Was the dialogue run to its end? */
static bool is_ended(cv_call *call, cv_str dialogue_id, bool *ret_ended, cv_err *err)
{
    cv_run_rows l;
    if (!cv_run_rows_open(&l, call, call->arena, dialogue_id, err))
        return false;
    *ret_ended = cv_str_eq(l.run.state, cv_run_words.items[CV_RUN_ENDED]);
    return true;
}

/* With --again: the number after the last that was asked with these words; that one itself as long as it is under way,
 * so that the same command goes on here, too. */
static bool find_number(cv_call *call, int *ret_number)
{
    cv_err err = {.arena = call->arena};
    cv_commit_row row;
    cv_str scope, last = CV_STR("");
    bool found = cv_json_get_true(call->input, "again"), ended = true;
    for (*ret_number = 0; found; *ret_number += found) {
        cv_json input;
        last = *ret_number ? cv_arena_copy(call->arena, scope) : last;
        if (!cv_json_parse(call->arena, create_input(call, *ret_number), &input, &err) ||
            !cv_record_op_first(call->record, call->arena, CV_STR("dialogue"), cv_json_get_text(&input, "op_id"),
                                &scope, &row, &found, &err))
            return cv_call_fail(call, &err);
    }
    if (last.n && !is_ended(call, last, &ended, &err))
        return cv_call_fail(call, &err);
    *ret_number -= !ended;
    return true;
}

static bool create(cv_call *call, cv_record *record, cv_str *ret_id)
{
    int number;
    cv_reply reply;
    if (!find_number(call, &number))
        return false;
    cv_call own = *call;
    own.record = record;
    own.most = 0;
    cv_invoke(&own, CV_STR("dialogue"), CV_STR("create"), create_input(call, number), &reply);
    for (size_t i = 0; i < reply.errs.count; i++) {
        cv_err *fault = &reply.errs.items[i];
        if (!cv_json_get(call->input, CV_STR("title")) && cv_str_eq(fault->field, CV_STR("title")))
            cv_err_field(fault, CV_STR("question")); /* which the title is made from */
        cv_errs_keep(call->errs, call->arena, fault);
    }
    *ret_id = cv_json_get_text(&reply.json, "dialogue_id");
    return reply.done;
}

/* Created in a copy of the record, which is forgotten. */
static bool try_ask(cv_call *call)
{
    cv_record *record = call->record, *scratch;
    cv_err err = {.arena = call->arena};
    cv_str id;
    if (!record->calls->scratch(record, call->arena, false, &scratch, &err))
        return cv_call_fail(call, &err);
    call->record = scratch;
    bool ok = create(call, scratch, &id) && run_dialogue(call, id);
    call->record = record;
    cv_record_close(scratch);
    return ok;
}

static bool has_panel(cv_call *call)
{
    if (cv_json_get(call->input, CV_STR("panel")) || cv_json_get(call->input, CV_STR("expert")))
        return true;
    cv_err *fault =
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "panel", CV_STR(""), "nobody is asked: there is no panel");
    cv_err_operation(fault, CV_STR("dialogue panel-list"));
    cv_err_suggest(fault, CV_STR("lists panels for --panel; or give --expert \"Role: focus\", as often as you like"));
    return false;
}

/* Experts of a panel that has a name; 0: there is no such panel, and `create` says so. */
static size_t panel_size(cv_call *call, cv_str name)
{
    cv_reply reply;
    cv_call own = *call;
    own.most = 0;
    cv_invoke(&own, CV_STR("dialogue"), CV_STR("panel-list"), CV_STR("{}"), &reply);
    const cv_json *panels = reply.done ? cv_json_get(&reply.json, CV_STR("panels")) : NULL;
    for (uint32_t i = 0; panels && i < panels->count; i++)
        if (cv_str_eq(cv_json_get_text(&panels->items[i], "name"), name))
            return (size_t)cv_json_get_int(&panels->items[i], "expert_count", 0);
    return 0;
}

static bool has_quorum(cv_call *call, const cv_setup *setup)
{
    const cv_json *experts = cv_json_get(call->input, CV_STR("expert")),
                  *panel = cv_json_get(call->input, CV_STR("panel"));
    size_t seated = setup->quorum && panel ? panel_size(call, panel->text) : 0;
    return (panel && !seated) || !setup->quorum ||
           cv_setup_check_quorum(call, setup->quorum, seated + (experts ? experts->count : 0));
}

static bool somebody_answers(cv_call *call, const cv_setup *setup, bool sound)
{
    if (!sound || setup->agent || setup->file.seats.count)
        return true;
    cv_err *fault =
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "agent", CV_STR(""), "no agent answers for the panel");
    cv_err_suggest(fault, CV_STR("give --agent COMMAND, or --agents FILE with seats (docs/run.md)"));
    return false;
}

bool cv_run_op_ask(cv_call *call)
{
    cv_str id;
    cv_setup *settings = CV_NEW(call->arena, cv_setup);
    /* All faults of the request are reported before there is a dialogue. */
    bool panel = has_panel(call), sound = cv_setup_read(call, CV_STR(""), settings);
    bool quorum = !sound || has_quorum(call, settings);
    if (!somebody_answers(call, settings, sound) || !panel || !sound || !quorum)
        return false;
    if (cv_json_get_true(call->input, "dry_run"))
        return try_ask(call);
    return cv_setup_find_programs(settings) && create(call, call->record, &id) && run_dialogue(call, id);
}

/* ---- status and stop -----------------------------------------------------------------------------------------------
 */

static bool no_run(cv_call *call, cv_str id)
{
    cv_err *fault = cv_refuse(call, CV_ERR_RUN_NONE, CV_STR(""), "dialogue_id", id, "'%.*s' was never run", CV_FMT(id));
    cv_err_operation(fault, CV_STR("run"));
    cv_err_suggest(fault, CV_STR("runs it"));
    return false;
}

bool cv_run_op_status(cv_call *call)
{
    cv_str id = cv_json_get_text(call->input, "dialogue_id");
    cv_run_rows l;
    cv_facts facts;
    cv_err err = {.arena = call->arena};
    /* The rows first: what a run that has ended did is in the dialogue by then. */
    if (!cv_run_rows_open(&l, call, call->arena, id, &err))
        return cv_call_fail(call, &err);
    if (!cv_facts_read(call, call->arena, id, &facts, call->errs))
        return false;
    return l.exists ? cv_status_answer(call, &l, &facts, &(cv_status_more){0}) : no_run(call, id);
}

typedef struct {
    cv_run_row row;
    bool stopping;
} stopped;

#define CV_THIS_TYPE stopped
const cv_shape cv_run_stop_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", row.dialogue_id, ""),
    CV_FIELD_AS(ALWAYS, "state", row.state, ""),
    CV_FIELD(ALWAYS, stopping, "its runner will end it; false: nobody runs it"),
    CV_WRITTEN("run"),
    {0},
};
#undef CV_THIS_TYPE

static bool put_stop(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    stopped s = {.row = {.dialogue_id = w->scope.name}, .stopping = *(bool *)ctx};
    bool found;
    cv_err err = {.arena = call->arena};
    if (!cv_record_get(call->record, call->arena, w->scope, &cv_run_row_type, &s.row, &found, &err))
        return cv_call_fail(call, &err);
    if (!found)
        return no_run(call, w->scope.name);
    bool is_over = !s.stopping && (cv_str_eq(s.row.state, cv_run_words.items[CV_RUN_ENDED]) ||
                                   cv_str_eq(s.row.state, cv_run_words.items[CV_RUN_STOPPED]));
    if (is_over) {
        *ret_result = cv_shape_text(call->arena, cv_run_stop_shape, &s);
        return true; /* there is nothing to stop, and nothing is written */
    }
    if (s.stopping) {
        s.row.stopping = 1;
    } else {
        s.row.state = cv_run_words.items[CV_RUN_STOPPED];
        s.row.reason = cv_reason_words.items[CV_REASON_STOPPED];
        s.row.stopping = 0;
    }
    s.row.changed_at = w->now;
    cv_run_row *kept = cv_writing_put(w, &cv_run_row_type, &s.row);
    cv_event_row *event = cv_writing_event(w, CV_STR("run"), w->scope.name, CV_STR("stop_requested"));
    cv_writing_covers(w, event, &cv_run_row_type, kept);
    *ret_result = cv_shape_text(call->arena, cv_run_stop_shape, &s);
    return true;
}

bool cv_run_op_stop(cv_call *call)
{
    cv_str id = cv_json_get_text(call->input, "dialogue_id"), holder;
    cv_run_rows l;
    cv_err err = {.arena = call->arena};
    if (!cv_run_rows_open(&l, call, call->arena, id, &err) || !cv_run_rows_holder(&l, &holder, &err))
        return cv_call_fail(call, &err);
    bool runs = holder.n > 0;
    return cv_request_locked(call, CV_STR("run stop"), cv_run_scope(id), put_stop, &runs);
}
