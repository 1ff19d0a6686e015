/* log.c - the governance log; see log.h. */
#include "mail/log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/move.h"
#include "kit/shape.h"
#include "mail/files.h"
#include "mail/operations.h"
#include "mail/prompt_files.h"
#include "record/hash.h"

enum { WINDOW = 8192, LINES_AT_ONCE = 500 };
static const char file_name[] = "governance_memory.jsonl", id_prefix[] = "event-";
static const char no_line[] = "0000000000000000000000000000000000000000000000000000000000000000";

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static cv_str line_of(cv_arena *a, const cv_mail_entry *e)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "event_id", e->event_id);
    cv_json_key_str(&w, "timestamp", e->timestamp);
    cv_json_key_str(&w, "event_type", e->event_type);
    cv_json_key_word(&w, CV_STR("agent_source"));
    if (e->agent_source.p)
        cv_json_str(&w, e->agent_source);
    else
        cv_json_null(&w);
    cv_json_key_word(&w, CV_STR("details"));
    cv_json_raw(&w, e->details.p ? e->details : CV_STR("null"));
    cv_json_key_str(&w, "prev", e->prev);
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

static bool last_entry(cv_mail_writing *o, cv_mail_entry *ret, bool *ret_found)
{
    cv_row_list rows = {0};
    const cv_find find = {
        .type = &cv_mail_entry_type, .scope = cv_mail_scope(), .limit = 1, .descending = true, .outline = true};
    if (!cv_record_rows(o->record, o->arena, &find, &rows, &o->err))
        return cv_mail_fail(o);
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret = *(const cv_mail_entry *)rows.items[0];
    return true;
}

/* A line, in this write. `details` is JSON, or absent. NULL: o->err says why. */
static cv_mail_entry *add_line(cv_mail_writing *o, cv_str event_type, cv_str agent_source, cv_str details)
{
    cv_mail_entry row, last = {0};
    bool found = false;
    if (o->last_entry) {
        last = *(const cv_mail_entry *)o->last_entry;
        found = true;
    } else if (!last_entry(o, &last, &found))
        return NULL;
    cv_row_clear(&cv_mail_entry_type, &row);
    row.number = found ? last.number + 1 : 1;
    row.event_id = cv_arena_printf(o->arena, "%s%010lld", id_prefix, (long long)row.number);
    row.timestamp = o->now;
    row.event_type = event_type;
    row.agent_source = agent_source;
    row.prev = found ? last.hash : cv_str_of(no_line);
    row.details = details;
    row.hash = cv_hash_text(o->arena, line_of(o->arena, &row));
    cv_mail_entry *put = cv_writing_put(o->w, &cv_mail_entry_type, &row);
    o->last_entry = put;
    return put;
}

void cv_mail_significant_add(cv_mail_writing *o, const char *event_type, cv_str source, const cv_mail_detail *details,
                             size_t count)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    for (size_t i = 0; i < count; i++)
        if (details[i].value.p)
            cv_json_key_str(&w, details[i].key, details[i].value);
    cv_json_end_object(&w);
    *CV_PUSH(o->arena, &o->significant) = (cv_mail_significant){event_type, source, cv_buf_take(&text, o->arena)};
}

bool cv_mail_log_significant(cv_mail_writing *o)
{
    for (size_t i = 0; i < o->significant.count; i++) {
        const cv_mail_significant *s = &o->significant.items[i];
        const cv_mail_entry *e = add_line(o, cv_str_of(s->event_type), s->source, s->details);
        if (!e)
            return false;
        cv_mail_event(o, CV_STR("entry"), e->event_id, "logged");
    }
    return true;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int fd;
    int64_t last; /* the number of the last line that is whole; 0: none */
    cv_str torn;  /* what is behind the last line end */
} shown;

/* The number of a line of ours; 0: it is somebody else's. */
static int64_t number_of(cv_str line)
{
    static const cv_str begin = CV_STR_INIT("{\"event_id\":\"event-");
    int64_t number = 0;
    if (!cv_str_starts(line, begin))
        return 0;
    for (size_t i = begin.n; i < line.n && i < begin.n + 18 && cv_is_digit(line.p[i]); i++)
        number = number * 10 + (line.p[i] - '0');
    return number;
}

/* The last whole line of ours in the end of the file; 0: not in this part. */
static int64_t last_in(cv_str text, bool whole_file, cv_str *ret_torn)
{
    size_t end = text.n;
    while (end > 0 && text.p[end - 1] != '\n')
        end--;
    *ret_torn = cv_str_from(text, end);
    while (end > 0) {
        size_t begin = end - 1;
        while (begin > 0 && text.p[begin - 1] != '\n')
            begin--;
        int64_t number = begin > 0 || whole_file ? number_of(cv_str_range(text.p + begin, text.p + end)) : 0;
        if (number > 0)
            return number;
        end = begin;
    }
    return 0;
}

static bool fail(cv_call *call, const char *what, int number, cv_err *err)
{
    return cv_system_fail(err, cv_where_path(call->arena, cv_mail_file(call, file_name)), what, number);
}

/* Reads the end of the file, and more of it until a line is found. */
static bool read_end(cv_call *call, shown *s, cv_err *err)
{
    struct stat st;
    if (fstat(s->fd, &st) != 0)
        return fail(call, "look at it", errno, err);
    for (size_t window = WINDOW;; window *= 4) {
        size_t size = (size_t)st.st_size, part = window < size ? window : size;
        char *bytes = cv_arena_alloc(call->arena, part);
        ssize_t n = cv_read_bytes(s->fd, (off_t)(size - part), bytes, part);
        if (n != (ssize_t)part)
            return fail(call, "read it", n < 0 ? errno : EIO, err);
        s->last = last_in((cv_str){bytes, part}, part == size, &s->torn);
        if (part == size || (s->last > 0 && s->torn.n < part))
            return true;
    }
}

/* What is behind the last line: the rest of the torn one first, if it is one of ours. */
static bool append_missing(cv_call *call, shown *s, cv_err *err)
{
    for (bool more = true; more;) {
        cv_row_list rows = {0};
        cv_mail_entry after;
        cv_row_clear(&cv_mail_entry_type, &after);
        after.number = s->last;
        const cv_find find = {
            .type = &cv_mail_entry_type, .scope = cv_mail_scope(), .after = &after, .limit = LINES_AT_ONCE};
        if (!cv_record_rows(call->record, call->arena, &find, &rows, err))
            return false;
        cv_buf text = {0};
        for (size_t i = 0; i < rows.count; i++) {
            const cv_mail_entry *e = rows.items[i];
            cv_str line = line_of(call->arena, e);
            if (s->torn.n > 0 && cv_str_starts(line, s->torn))
                line = cv_str_from(line, s->torn.n);
            else if (s->torn.n > 0)
                cv_buf_add_char(&text, '\n');
            s->torn.n = 0;
            cv_buf_add(&text, line);
            cv_buf_add_char(&text, '\n');
            s->last = e->number;
        }
        bool ok = cv_write_bytes(s->fd, cv_buf_str(&text)) || fail(call, "add to it", errno, err);
        cv_buf_release(&text);
        if (!ok)
            return false;
        more = rows.count == LINES_AT_ONCE;
    }
    return true;
}

bool cv_mail_log_show(cv_call *call, cv_err *err)
{
    cv_where where = cv_mail_file(call, file_name);
    int folder = cv_where_open_folder(cv_where_folder(call->arena, where), O_RDONLY, true, "open its folder", err);
    if (folder < 0)
        return false;
    shown s = {.fd =
                   openat(folder, file_name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666)};
    int number = errno;
    close(folder);
    if (s.fd < 0)
        return fail(call, "open it", number, err);
    bool locked;
    bool ok = cv_folder_lock_open(s.fd, cv_where_path(err->arena, where), true, &locked, err);
    ok = ok && read_end(call, &s, err) && append_missing(call, &s, err);
    close(s.fd);
    return ok;
}

/* ---- log --------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_agent source;
    cv_str event_type, details;
    /* the answer */
    cv_str event_id, timestamp, prev, hash, path;
} logging;

#define CV_THIS_TYPE logging
const cv_shape cv_mail_log_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, event_id, ""),
    CV_FIELD(ALWAYS, timestamp, ""),
    CV_FIELD(ALWAYS, prev, "SHA-256 of the line before"),
    CV_FIELD(ALWAYS, hash, "SHA-256 of this line"),
    CV_FIELD(ALWAYS, path, "the file that shows the log"),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static bool log_event(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    logging *x = ctx;
    cv_mail_acts(o, x->source.id);
    cv_mail_entry *e = add_line(o, x->event_type, x->source.id, x->details);
    if (!e)
        return false;
    cv_mail_event(o, CV_STR("entry"), e->event_id, "logged");
    x->event_id = e->event_id;
    x->timestamp = e->timestamp;
    x->prev = e->prev;
    x->hash = e->hash;
    x->path = cv_str_of(cv_mail_file(o->call, file_name).path);
    *ret_result = cv_shape_text(o->arena, cv_mail_log_shape, x);
    return true;
}

bool cv_mail_op_log(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    const cv_json *details = cv_json_get(call->input, CV_STR("details"));
    logging x = {.event_type = cv_json_get_text(call->input, "event_type"),
                 .details = details ? cv_mail_compact(call->arena, cv_mail_raw(call, details)) : (cv_str){NULL, 0}};
    cv_mail_check_length(call, "details", x.details, CV_MAIL_SIZE);
    if (!cv_mail_actor(call, "agent_source", &x.source) || call->errs->count > 0 ||
        !cv_mail_write(call, "mail log", log_event, &x))
        return false;
    return cv_json_get_true(call->input, "dry_run") || cv_mail_log_show(call, &err) || cv_mail_files_behind(&err);
}

/* ---- governance -------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t number;
    cv_str event_id, timestamp, event_type, agent_source, details;
} line;

typedef struct {
    struct {
        line *items;
        size_t count, capacity;
    } events;
    int64_t next;
    cv_str path;
} page;

#define CV_THIS_TYPE line
static const cv_shape line_shape[] = {
    CV_FIELD(ALWAYS, event_id, ""),
    CV_FIELD(ALWAYS, timestamp, ""),
    CV_FIELD(ALWAYS, event_type, ""),
    CV_FIELD(OR_NULL, agent_source, ""),
    CV_JSON_AS(OR_NULL, ANY, "details", details, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE page
const cv_shape cv_mail_governance_shape[] = {
    CV_SUCCESS,
    CV_LIST("events", events.items, events.count, line_shape, "the newest first"),
    CV_MORE("next", next, "before", "only when there are more: give it as `before`"),
    CV_FIELD(ALWAYS, path, "the file that shows the log"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_mail_op_governance(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", CV_MAIL_PAGE);
    cv_row_list rows = {0};
    cv_mail_entry before;
    cv_row_clear(&cv_mail_entry_type, &before);
    before.number = cv_json_get_int(call->input, "before", INT64_C(1) << 52);
    const cv_find find = {.type = &cv_mail_entry_type,
                          .scope = cv_mail_scope(),
                          .after = &before,
                          .limit = limit + 1,
                          .descending = true};
    page p = {.next = CV_ABSENT, .path = cv_str_of(cv_mail_file(call, file_name).path)};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < rows.count && i < limit; i++) {
        const cv_mail_entry *e = rows.items[i];
        *CV_PUSH(call->arena, &p.events) =
            (line){e->number, e->event_id, e->timestamp, e->event_type, e->agent_source, e->details};
    }
    assert(limit > 0 && "the schema says so");
    if (rows.count > limit)
        p.next = p.events.items[limit - 1].number;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_governance_shape, &p);
    return true;
}
