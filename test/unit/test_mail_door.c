/* test_mail_door.c - the folders of the mail room against the record: whatever commands and hands do, each open
 * delivery has one file, in the folder of its state, and nothing is lost or done twice.
 */
#include "mail.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/ptrace.h>

#include "interpose.h"
#include "mail/files/door.h"

static const char *at(cv_world *w, const char *path)
{
    return cv_arena_printf(&w->turn, "%s/.conclave/mail/%s", w->folder, path).p;
}

static void pass(cv_world *w)
{
    actor_do(w, NOBODY, "mail watch", "{'seconds': 0}");
}

typedef struct {
    char names[2000][256];
    size_t count;
} listing;

static void list(cv_world *w, const char *path, listing *ret)
{
    DIR *dir = opendir(at(w, path));
    assert_non_null(dir);
    ret->count = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        if (e->d_name[0] != '.' && ret->count < CV_COUNT(ret->names))
            snprintf(ret->names[ret->count++], sizeof ret->names[0], "%s", e->d_name);
    closedir(dir);
}

static bool stands(cv_world *w, const char *folder, int64_t seq)
{
    struct stat st;
    return stat(at(w, cv_arena_printf(&w->turn, "runtime/hub/%s/task_%010lld.json", folder, (long long)seq).p), &st) ==
           0;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_world *w;
    size_t open, closed;
} checking;

static bool check_delivery(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    static const char *const folders[] = {"inbox", "claimed", "done", "failed"};
    checking *c = ctx;
    const cv_mail_delivery *d = row;
    (void)scope, (void)err;
    bool open = cv_mail_states[cv_mail_state_of(d->state)].open;
    const char *wanted = !open ? "" : cv_mail_state_of(d->state) == CV_MAIL_CLAIMED ? "claimed" : "inbox";
    c->open += open;
    c->closed += !open;
    for (size_t i = 0; i < CV_COUNT(folders); i++)
        if (stands(c->w, folders[i], d->seq) != (strcmp(folders[i], wanted) == 0)) {
            print_error("%lld is %.*s, and %s in %s/\n", (long long)d->seq, CV_FMT(d->state),
                        stands(c->w, folders[i], d->seq) ? "stands" : "does not stand", folders[i]);
            return cv_err_set(err, CV_ERR_IO, "a file is not where it should be");
        }
    return true;
}

static void check(cv_world *w, size_t messages)
{
    cv_err err = {.arena = &w->turn};
    cv_mail_delivery like;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = CV_STR("hub");
    checking c = {.w = w};
    const cv_find find = {
        .type = &cv_mail_delivery_type, .scope = cv_mail_scope(), .like = &like, .equal = 1, .outline = true};
    assert_ok(w->record->calls->find(w->record, &find, check_delivery, &c, &err), &err);
    assert_int_equal(c.open + c.closed, messages);
}

static void move_some(cv_world *w, cv_test_random *r, const char *from, const char *to)
{
    static listing l;
    list(w, cv_arena_printf(&w->turn, "runtime/hub/%s", from).p, &l);
    if (l.count == 0)
        return;
    const char *name = l.names[cv_test_below(r, l.count)];
    const char *old = at(w, cv_arena_printf(&w->turn, "runtime/hub/%s/%s", from, name).p);
    if (*to)
        assert_int_equal(rename(old, at(w, cv_arena_printf(&w->turn, "runtime/hub/%s/%s", to, name).p)), 0);
    else
        assert_int_equal(unlink(old), 0);
}

static void drop(cv_world *w, int n)
{
    const char *whole = at(w, cv_arena_printf(&w->turn, "runtime/a/outbox/.drop-%d", n).p);
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    fprintf(f, "{\"command\": \"c\", \"sender_agent_id\": \"a\", \"target_id\": \"hub\", \"params\": {\"n\": %d}}\n",
            n);
    fclose(f);
    assert_int_equal(rename(whole, at(w, cv_arena_printf(&w->turn, "runtime/a/outbox/d%d.json", n).p)), 0);
}

/* A command claims and finishes what it gets; a hand may have the rest. */
static void work(cv_world *w, cv_test_random *r)
{
    cv_json reply = actor_do(w, NOBODY, "mail claim", "{'agent': 'hub', 'session': 'c'}");
    const cv_json *message = cv_json_get(&reply, CV_STR("message"));
    if (!message || message->type != CV_JSON_OBJECT || cv_test_below(r, 3) == 0)
        return;
    cv_str id = cv_arena_copy(&w->a, cv_json_get_text(message, "message_id"));
    long long token = (long long)cv_json_get_int(&reply, "token", 0);
    bool failed = cv_test_below(r, 4) == 0;
    actor_do(w, NOBODY, failed ? "mail fail" : "mail done",
             cv_arena_printf(&w->a, "{'agent': 'hub', 'message_id': '%.*s', 'token': %lld%s}", CV_FMT(id), token,
                             failed ? ", 'error_details': {'code': 'x'}" : "")
                 .p);
}

static void set_up_agents(cv_world *w)
{
    static const char *const ids[] = {"hub", "a"};
    mail_set_clock(w);
    mail_agents(w, ids, CV_COUNT(ids));
    pass(w);
}

static void files_follow_the_record_whatever_is_done(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed()};
    size_t messages = 0;
    set_up_agents(w);
    for (int step = 0; step < (cv_test_soak() ? 20000 : 250); step++) {
        switch (cv_test_below(&r, 9)) {
        case 0:
        case 1:
            actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c', 'params': {'k': 1.0}}");
            messages++;
            break;
        case 2:
            drop(w, step);
            messages++;
            break;
        case 3:
            work(w, &r);
            break;
        case 4:
            move_some(w, &r, "inbox", "claimed");
            break;
        case 5:
            move_some(w, &r, "claimed", cv_test_below(&r, 3) ? "done" : "failed");
            break;
        case 6:
            move_some(w, &r, "inbox", cv_test_below(&r, 3) ? "done" : "failed");
            break;
        case 7:
            move_some(w, &r, "inbox", "");
            break;
        case 8:
            mail_clock += 1000 * (int64_t)cv_test_below(&r, 100);
            break;
        }
        if (cv_test_below(&r, 3) == 0) {
            pass(w);
            check(w, messages);
        }
    }
    pass(w);
    check(w, messages);
    mail_verify(w);
}

/* ---- what only happens sometimes --------------------------------------------------------------------------------- */

/* Files are not synced: after another boot of the machine, and for another store, they are gone through. */
static void another_boot_brings_back_what_is_missing(void **state)
{
    cv_world *w = *state;
    cv_err err = {.arena = &w->a};
    cv_str text;
    set_up_agents(w);
    for (int i = 0; i < 3; i++)
        actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c'}");
    const char *position = cv_arena_copy_z(&w->a, cv_str_of(at(w, ".position")));
    assert_ok(cv_file_read(&w->a, position, 4096, &text, &err), &err);
    static const char *const others[] = {"{\"position\":\"%s\",\"boot\":\"another\"}",
                                         "{\"position\":\"of-another-store\",\"boot\":\"x\"}", "{\"posi", ""};
    cv_json v;
    assert_ok(cv_json_parse(&w->a, text, &v, &err), &err);
    for (size_t i = 0; i < CV_COUNT(others); i++) {
        FILE *f = fopen(position, "w");
        fprintf(f, i == 0 ? "{\"position\":\"%.*s\",\"boot\":\"another\"}" : others[i],
                CV_FMT(cv_json_get_text(&v, "position")));
        fclose(f);
        assert_int_equal(unlink(at(w, "runtime/hub/inbox/task_0000000002.json")), 0);
        const char *left = at(w, "runtime/hub/inbox/.conclave-999999999-0-0.tmp"); /* of a process that was killed */
        fclose(fopen(left, "w"));
        pass(w);
        check(w, 3);
        assert_int_not_equal(access(at(w, "runtime/hub/inbox/.conclave-999999999-0-0.tmp"), F_OK), 0);
    }
}

/* An inbox holds so many files; the next ones come when some are finished. */
static void an_inbox_has_a_window(void **state)
{
    cv_world *w = *state;
    static listing l;
    set_up_agents(w);
    for (int i = 0; i < CV_DOOR_WINDOW + 5; i++) {
        cv_arena_reset(&w->turn);
        actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c'}");
    }
    list(w, "runtime/hub/inbox", &l);
    assert_int_equal(l.count, CV_DOOR_WINDOW);
    for (int64_t seq = 1; seq <= 8; seq++) {
        const char *name = cv_arena_printf(&w->turn, "task_%010lld.json", (long long)seq).p;
        assert_int_equal(rename(at(w, cv_arena_printf(&w->turn, "runtime/hub/inbox/%s", name).p),
                                at(w, cv_arena_printf(&w->turn, "runtime/hub/done/%s", name).p)),
                         0);
    }
    pass(w);
    list(w, "runtime/hub/inbox", &l);
    assert_int_equal(l.count, CV_DOOR_WINDOW - 3);
    check(w, CV_DOOR_WINDOW + 5);
}

/* A message that comes in goes out in the same bytes: writing, numbers, unknown fields. */
static void a_dropped_message_arrives_as_it_was_written(void **state)
{
    static const char *const texts[] = {
        "{\"command\":\"run\",\"sender_agent_id\":\"a\",\"target_id\":\"hub\",\"params\":{\"x\": 1.50, \"y\":[ ]},"
        "\"message_id\":\"m1\",\"from\":\"elsewhere\",\"data\":{\"k\":1},\"type\":7}",
        "{\"type\":\"run\",\"source_id\":\"a\",\"target_id\":\"hub\",\"data\":{\"task_id\":\"t\", \"params\" : {\"x\": "
        "1E5}, "
        "\"more\": null},\"message_id\":\"m2\",\"body\":\"b\",\"colour\":[7]}",
    };
    static const char *const parts[][4] = {
        {"\"params\": {\"x\": 1.50, \"y\":[ ]}", "\"from\": \"elsewhere\"", "\"k\": 1", "\"type\": 7"},
        {"\"data\": {\"task_id\":\"t\", \"params\" : {\"x\": 1E5}, \"more\": null}", "\"body\": \"b\"",
         "\"colour\": [7]", "\"target_id\": \"hub\""},
    };
    cv_world *w = *state;
    cv_err err = {.arena = &w->a};
    set_up_agents(w);
    for (size_t i = 0; i < CV_COUNT(texts); i++) {
        FILE *f = fopen(at(w, "runtime/a/outbox/m.json"), "w");
        fputs(texts[i], f);
        fclose(f);
        pass(w);
        cv_str text;
        const char *name = cv_arena_printf(&w->turn, "runtime/hub/inbox/task_%010zu.json", i + 1).p;
        assert_ok(cv_file_read(&w->a, at(w, name), 1 << 20, &text, &err), &err);
        for (size_t p = 0; p < 4; p++)
            assert_str_has(text, parts[i][p]);
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static cv_test_random busy_random;

/* A record that has no time for every second write. */
static bool busy_lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                      cv_err *err)
{
    return cv_test_below(&busy_random, 2) ? cv_err_set(err, CV_ERR_BUSY, "others held the record for too long")
                                          : mail_lock(record, a, scope, op_id, ret_at, err);
}

/* Three more messages in the mailbox file of hub, the first to be registered: as an editor writes it, in place. */
static void edit_mailbox(cv_world *w, int n)
{
    FILE *f = fopen(at(w, "mailbox_1.json"), "w");
    assert_non_null(f);
    fprintf(f, "{\"messages\": [");
    for (int i = n; i < n + 3; i++)
        fprintf(f,
                "%s{\"message_id\": \"e%d\", \"sender_agent_id\": \"User\", \"command\": \"e\", "
                "\"params\": {\"n\": %d}}",
                i == n ? "" : ", ", i, i);
    fprintf(f, "], \"processed_message_ids\": []}\n");
    fclose(f);
}

/* One that could not be sent yet holds up those behind it; files of one moment go by the numbers in their names. */
static void files_are_sent_in_their_order_by_a_busy_record(void **state)
{
    cv_world *w = *state;
    cv_err err = {.arena = &w->a};
    int dropped = 0, edited = 0, rounds = cv_test_soak() ? 400 : 12, next[2] = {0};
    set_up_agents(w);
    actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'first', 'params': {'n': 0}}");
    busy_random = (cv_test_random){cv_test_seed()};
    for (int round = 0; round < rounds; round++) {
        cv_arena_reset(&w->turn);
        for (size_t i = cv_test_below(&busy_random, 5); i > 0; i--)
            drop(w, dropped++);
        if (cv_test_below(&busy_random, 2)) {
            edit_mailbox(w, edited);
            edited += 3;
        }
        mail_calls.lock = busy_lock;
        pass(w);
        mail_calls.lock = mail_lock;
    }
    for (int i = 0; i < 3; i++)
        pass(w);
    for (int64_t seq = 2; seq <= 1 + dropped + edited; seq++) {
        cv_mail_delivery d;
        cv_mail_message m;
        cv_json params;
        bool found;
        assert_ok(cv_mail_delivery_get(w->record, &w->a, CV_STR("hub"), seq, &d, &found, &err) && found, &err);
        assert_ok(cv_mail_message_get(w->record, &w->a, d.message_id, &m, &found, &err) && found, &err);
        assert_ok(cv_json_parse(&w->a, m.content, &params, &err), &err);
        assert_int_equal(cv_json_get_int(&params, "n", -1), next[cv_str_eq(m.command, CV_STR("e"))]++);
    }
    assert_int_equal(next[0], dropped);
    assert_int_equal(next[1], edited);
    mail_verify(w);
}

/* ---- a handle that is used again and again ----------------------------------------------------------------------- */

static void put_into_inbox(cv_world *w, int n)
{
    FILE *f = fopen(at(w, cv_arena_printf(&w->turn, "runtime/hub/inbox/note-%d.json", n).p), "w");
    assert_non_null(f);
    fprintf(f, "{\"command\": \"c\", \"source_id\": \"a\", \"params\": {\"n\": %d}}\n", n);
    fclose(f);
}

static size_t count_messages(cv_world *w)
{
    cv_mail_mailbox hub;
    bool found;
    cv_err err = {.arena = &w->turn};
    assert_ok(cv_mail_mailbox_get(w->record, &w->turn, CV_STR("hub"), &hub, &found, &err) && found, &err);
    return (size_t)hub.next_seq - 1;
}

/* It is told what changes, and finds it in its next operation, whatever it is. */
static void a_busy_handle_finds_what_hands_do(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed()};
    int edited = 0;
    set_up_agents(w);
    for (int i = 0; i < 20; i++)
        actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c'}");
    size_t messages = 20;
    for (int i = 0; i < 60; i++) {
        cv_arena_reset(&w->turn);
        switch (i % 6) {
        case 0:
            drop(w, i);
            messages++;
            break;
        case 1:
            put_into_inbox(w, i);
            messages++;
            break;
        case 2:
            edit_mailbox(w, edited);
            edited += 3;
            messages += 3;
            break;
        case 3:
            move_some(w, &r, "inbox", "done");
            break;
        case 4:
            move_some(w, &r, "inbox", "claimed");
            break;
        case 5:
            move_some(w, &r, "inbox", "");
            break;
        }
        actor_do(w, NOBODY, "mail inbox", "{'agent': 'hub', 'limit': 1}");
        check(w, messages);
    }
    mail_verify(w);
}

static int meanwhile; /* files that are to be dropped */

static void drop_meanwhile(void *ctx, bool to_write)
{
    if (!to_write && meanwhile > 0)
        drop(ctx, 1000 + meanwhile--);
}

/* The program marks a folder as its own after it has written there. A file that came in that moment is not seen by the
 * time of the folder; a handle that is told of it takes it in with its next operation. One that is not busy enough, on
 * a slow machine, finds it some seconds later. */
static void a_file_that_comes_with_one_of_ours_is_found(void **state)
{
    enum { ROUNDS = 10 };
    cv_world *w = *state;
    cv_interposed x;
    size_t messages = 0, at_once = 0;
    set_up_agents(w);
    for (int i = 0; i < ROUNDS * 4; i++, messages++) {
        bool with_file = i % 4 == 3;
        meanwhile = with_file;
        cv_interpose(&x, w->record, drop_meanwhile, w);
        actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c'}");
        cv_interpose_end(&x);
        assert_int_equal(meanwhile, 0);
        actor_do(w, NOBODY, "mail inbox", "{'agent': 'hub', 'limit': 1}");
        messages += with_file;
        at_once += with_file && count_messages(w) == messages + 1;
        w->now += 3000;
        actor_do(w, NOBODY, "mail inbox", "{'agent': 'hub', 'limit': 1}");
        assert_int_equal(count_messages(w), messages + 1);
    }
    assert_true(at_once > 0);
}

static int removals; /* of a folder, once it was looked at */

static void remove_inbox(void *ctx, bool to_write)
{
    if (!to_write && removals > 0 && rmdir(at(ctx, "runtime/hub/inbox")) == 0)
        removals--;
}

static void a_folder_that_is_removed_meanwhile_is_made_again(void **state)
{
    cv_world *w = *state;
    cv_interposed x;
    set_up_agents(w);
    removals = 1;
    cv_interpose(&x, w->record, remove_inbox, w);
    actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c'}");
    cv_interpose_end(&x);
    assert_int_equal(removals, 0);
    assert_true(stands(w, "inbox", 1));
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static size_t count_watches(void)
{
    char path[64], what[64];
    size_t count = 0;
    for (int fd = 0; fd < 256; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(path, what, sizeof what - 1);
        what[n > 0 ? n : 0] = '\0';
        count += strstr(what, "inotify") != NULL;
    }
    return count;
}

/* To end a watch takes the kernel longer than all else that a wait does. */
static void who_waits_again_has_the_same_watch(void **state)
{
    cv_world *w = *state;
    set_up_agents(w);
    size_t before = count_watches();
    for (int i = 0; i < 3; i++) {
        actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c'}");
        actor_do(w, NOBODY, "mail wait", "{'agent': 'hub', 'timeout_seconds': 5}");
        actor_do(w, NOBODY, "mail fetch", "{'timeout_seconds': 1}");
        assert_int_equal(count_watches(), before + 1);
    }
}

/* ---- what a send costs ------------------------------------------------------------------------------------------- */

enum { COUNTED_SENDS = 20 };

static _Noreturn void send_traced(cv_world *w)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    cv_world_return(w);
    for (int i = 0; i < 3 * COUNTED_SENDS; i++) {
        if (i % COUNTED_SENDS == 0)
            syscall(SYS_getppid);
        actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c', 'params': {'k': 1}}");
    }
    syscall(SYS_getppid);
    _exit(0);
}

/* System calls of so many sends: the fewest of three series, since a look at everything may fall into one. */
static long count_calls(pid_t pid)
{
    long fewest = LONG_MAX, calls = -1;
    for (int status; waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);) {
        struct ptrace_syscall_info info = {0};
        if (WSTOPSIG(status) == SIGSTOP)
            ptrace(PTRACE_SETOPTIONS, pid, NULL, (long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
        ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
        bool begins = info.op == PTRACE_SYSCALL_INFO_ENTRY;
        if (begins && info.entry.nr == SYS_getppid) {
            fewest = calls > 0 && calls < fewest ? calls : fewest;
            calls = 0;
        } else if (begins && calls >= 0) {
            calls++;
        }
        ptrace(PTRACE_SYSCALL, pid, NULL, 0);
    }
    return fewest;
}

/* With files, whatever the number of agents. What a killed process leaves in the log tells the pages that it wrote. */
static void a_send_makes_few_system_calls(void **state)
{
    enum { AGENTS = 20, MOST = 122, MOST_PAGES = 23, PAGE = 24 + 4096 };
    cv_world *w = *state;
    struct stat log;
    set_up_agents(w);
    for (int i = 0; i < AGENTS; i++)
        actor_do(w, NOBODY, "agent add", cv_arena_printf(&w->a, "{'agent_id': 'other-%d'}", i).p);
    cv_world_leave(w);
    pid_t pid = fork();
    if (pid == 0)
        send_traced(w);
    long calls = count_calls(pid) / COUNTED_SENDS;
    assert_int_equal(stat(cv_arena_printf(&w->a, "%s/conclave.db-wal", w->folder).p, &log), 0);
    long pages = (long)log.st_size / PAGE / (3 * COUNTED_SENDS);
    cv_world_return(w);
    print_message("# a send with files: %ld system calls, %ld pages in the log\n", calls, pages);
    assert_in_range(calls, 1, MOST);
    assert_in_range(pages, 1, MOST_PAGES);
}

/* What is written then could not be read again. */
static void a_clock_before_1970_claims_nothing(void **state)
{
    cv_world *w = *state;
    const int64_t before = mail_clock;
    set_up_agents(w);
    actor_do(w, NOBODY, "mail send", "{'from': 'a', 'to': 'hub', 'command': 'c', 'params': {}}");
    mail_clock = -1000000;
    actor_refused(w, NOBODY, "mail claim", "{'agent': 'hub'}", CV_ERR_IO);
    mail_clock = before;
    actor_do(w, NOBODY, "mail claim", "{'agent': 'hub'}");
    mail_verify(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_follow_the_record_whatever_is_done, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(another_boot_brings_back_what_is_missing, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_busy_handle_finds_what_hands_do, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_comes_with_one_of_ours_is_found, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_is_removed_meanwhile_is_made_again, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(who_waits_again_has_the_same_watch, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_send_makes_few_system_calls, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(an_inbox_has_a_window, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(files_are_sent_in_their_order_by_a_busy_record, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_clock_before_1970_claims_nothing, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_dropped_message_arrives_as_it_was_written, cv_world_set_up,
                                        cv_world_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
