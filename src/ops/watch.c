/* watch.c - what the test suite sees of every call; see watch.h. */
#include "ops/watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "kit/schema.h"

/* One write per line, appended: several processes may share the file. */
void cv_watch_call(const char *room, const char *verb)
{
    const char *path = getenv("CV_CALL_LOG");
    if (!path || !*path)
        return;
    char line[128];
    int n = snprintf(line, sizeof line, "%s%s%s\n", room, *room ? " " : "", verb);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || n < 0 || (size_t)n >= sizeof line || write(fd, line, (size_t)n) != n)
        cv_log_line("cannot write to CV_CALL_LOG '%s'", path);
    if (fd >= 0)
        close(fd);
}

static _Noreturn void give_up(const cv_operation *op, const cv_errs *errs, cv_str reply)
{
    cv_log_line("the reply of '%s %s' does not fit its schema:", op->room, op->verb);
    for (size_t i = 0; i < errs->count; i++) {
        cv_str text = cv_err_text(&errs->items[i]);
        cv_log_line("  %.*s", CV_FMT(text));
    }
    fprintf(stderr, "%.*s\n", CV_FMT(reply));
    abort();
}

void cv_watch_reply(const cv_operation *op, const cv_call *call)
{
    cv_watch_call(op->room, op->verb);
    const char *wanted = getenv("CV_CHECK_REPLIES");
    if (!wanted || !*wanted)
        return;
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_err err = {.arena = &a};
    cv_json reply;
    cv_str text = cv_buf_str(call->out);
    if (!cv_json_parse(&a, text, &reply, &err))
        cv_errs_keep(&errs, &a, &err);
    else
        cv_schema_check(&a, cv_op_schema(op).output, text, &reply, &errs);
    if (errs.count > 0)
        give_up(op, &errs, text);
    cv_arena_release(&a);
}
