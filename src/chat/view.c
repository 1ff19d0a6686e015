/* view.c - a chat as it is now; see chat.h. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/move.h"
#include "base/os.h"
#include "chat/chat.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"

enum { MAX_READINGS = 50, MAX_QUESTIONS = 1000 };

/* ---- what the record has ----------------------------------------------------------------------------------------- */

static bool take_chat(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_chat_view *v = ctx;
    (void)scope, (void)err;
    v->row = *(const cv_chat_row *)cv_row_copy(v->arena, &cv_chat_row_type, row);
    v->has_row = true;
    return true;
}

static bool take_seen(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_chat_view *v = ctx;
    (void)scope, (void)err;
    v->seen = cv_arena_copy(v->arena, ((const cv_chat_seen_row *)row)->file);
    return true;
}

static bool take_pointer(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_chat_view *v = ctx;
    (void)scope, (void)err;
    *CV_PUSH(v->arena, &v->pointers) =
        *(const cv_chat_pointer_row *)cv_row_copy(v->arena, &cv_chat_pointer_row_type, row);
    return true;
}

static bool take_queued(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_chat_view *v = ctx;
    (void)scope, (void)err;
    *CV_PUSH(v->arena, &v->queue) = *(const cv_chat_queued_row *)cv_row_copy(v->arena, &cv_chat_queued_row_type, row);
    return true;
}

static bool take_alteration(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_chat_view *v = ctx;
    const cv_chat_alteration_row *x = row;
    (void)scope, (void)err;
    if (cv_str_eq(x->state, CV_STR("open")))
        *CV_PUSH(v->arena, &v->alterations) =
            *(const cv_chat_alteration_row *)cv_row_copy(v->arena, &cv_chat_alteration_row_type, row);
    return true;
}

/* A store that is far away is asked once. */
static bool load_rows(cv_chat_view *v, cv_err *err)
{
    cv_scope_id scope = v->place->scope;
    const cv_chat_queued_row waiting = {.state = CV_STR("queued")};
    const cv_lookup lookups[] = {
        {{.type = &cv_chat_row_type, .scope = scope}, take_chat, v},
        {{.type = &cv_chat_seen_row_type, .scope = scope}, take_seen, v},
        {{.type = &cv_chat_pointer_row_type, .scope = scope}, take_pointer, v},
        {{.type = &cv_chat_queued_row_type,
          .scope = scope,
          .index = cv_chat_queued_by_state,
          .like = &waiting,
          .equal = 1},
         take_queued,
         v},
        {{.type = &cv_chat_alteration_row_type, .scope = scope}, take_alteration, v},
    };
    return v->call->record->calls->find_all(v->call->record, lookups, CV_COUNT(lookups), err);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool fail_file(const cv_chat_view *v, const char *what, int number, cv_err *err)
{
    cv_where file = cv_where_in(err->arena, v->place->folder.where, v->place->name);
    return cv_system_fail(err, cv_where_path(err->arena, file), what, number);
}

/* Something else has the name of a chat. */
static bool refuse_kind(const cv_chat_view *v, const char *kind, cv_err *err)
{
    cv_err_set(err, CV_ERR_NOT_A_FILE, "this is %s, not a chat file", kind);
    cv_err_file(err, v->place->scope.name);
    cv_err_suggest(err, CV_STR("put the file itself there, or remove it; nothing was changed"));
    return false;
}

static bool read_part(cv_chat_view *v, size_t at, size_t n, cv_str *ret, cv_err *err)
{
    char *bytes = cv_arena_alloc(v->arena, n + 1);
    ssize_t got = cv_read_bytes(v->fd, (off_t)at, bytes, n);
    if (got < 0)
        return fail_file(v, "read the chat", errno, err);
    v->bytes_read += (size_t)got;
    *ret = (cv_str){bytes, (size_t)got};
    const char *nul = memchr(bytes, '\0', (size_t)got);
    if (!nul)
        return true;
    cv_err_set(err, CV_ERR_NOT_TEXT, "byte %zu of the chat is NUL: this is not text", at + (size_t)(nul - bytes) + 1);
    cv_err_file(err, v->place->scope.name);
    cv_err_suggest(err, CV_STR("take it out with an editor; nothing was changed"));
    return false;
}

static bool read_header(cv_chat_view *v, cv_err *err)
{
    size_t size = (size_t)v->st.st_size;
    for (size_t n = CV_HEADER_GUESS;; n *= 4) {
        cv_str text = {0};
        size_t part = n < size ? n : size;
        if (!read_part(v, 0, part, &text, err))
            return false;
        if (!cv_chat_header_parse(v->arena, text, &v->header, err)) {
            cv_err_file(err, v->place->scope.name);
            return false;
        }
        if (v->header.whole || text.n == size)
            break;
        if (n > CV_MAX_CHAT_HEADER) {
            cv_err_set(err, CV_ERR_TOO_LARGE, "the header is longer than %d bytes", CV_MAX_CHAT_HEADER);
            return false;
        }
    }
    v->header.whole = true;
    if (cv_chat_header_check(&v->header, err))
        return true;
    cv_err_file(err, v->place->scope.name);
    return false;
}

/* ---- heads that the record has seen ---- */

typedef struct {
    cv_chat_view *view;
    size_t asked;
} asking;

/* The same head, except for its flag. */
static bool is_same_head(cv_arena *a, cv_str one, cv_str other)
{
    cv_chat_message x, y;
    return cv_chat_head_parse(one, &x) && cv_chat_head_parse(other, &y) &&
           cv_str_eq(cv_chat_lasting(a, &x), cv_chat_lasting(a, &y));
}

static bool is_known_head(void *ctx, int64_t number, cv_str head)
{
    asking *ask = ctx;
    cv_chat_view *v = ask->view;
    cv_chat_message_row row = {.number = number};
    cv_err err = {.arena = v->arena};
    bool found = false;
    if (!v->has_row || number > v->row.messages || ask->asked++ >= MAX_QUESTIONS)
        return false;
    return cv_record_get(v->call->record, v->arena, v->place->scope, &cv_chat_message_row_type, &row, &found, &err) &&
           found && is_same_head(v->arena, head, row.head);
}

bool cv_chat_view_read_all(cv_chat_view *v, cv_err *err)
{
    asking ask = {.view = v};
    if (v->text.p)
        return true;
    if ((size_t)v->st.st_size > CV_MAX_FILE_BYTES) {
        cv_err_set(err, CV_ERR_TOO_LARGE, "the chat has %lld bytes, at most %zu are read", (long long)v->st.st_size,
                   CV_MAX_FILE_BYTES);
        cv_err_file(err, v->place->scope.name);
        return false;
    }
    if (!read_part(v, 0, (size_t)v->st.st_size, &v->text, err) ||
        !cv_chat_header_parse(v->arena, v->text, &v->header, err))
        return false;
    cv_chat_messages_parse(v->arena, cv_str_from(v->text, v->header.text.n), 0, is_known_head, &ask, &v->messages);
    return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void begin(cv_call *call, const cv_chat_place *place, cv_chat_view *v)
{
    *v = (cv_chat_view){.call = call, .place = place, .arena = call->arena, .fd = -1};
}

/* One of the two names is there at every moment, but not at the moment of each look. When both are, the locked one is
 * the chat, and the other was made while it was locked. */
static bool open_file(cv_chat_view *v, int folder, cv_err *err)
{
    for (int tries = 0; tries < MAX_READINGS; tries++) {
        const char *const names[] = {v->place->editing, v->place->name};
        for (size_t i = 0; i < CV_COUNT(names); i++) {
            v->fd = openat(folder, names[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
            v->own = v->fd >= 0;
            v->locked = i == 0;
            if (v->fd < 0 && errno != ENOENT)
                return errno == ELOOP ? refuse_kind(v, "a symbolic link", err)
                                      : fail_file(v, "open the chat", errno, err);
            if (v->fd >= 0)
                return true;
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    cv_err_set(err, CV_ERR_CHAT_NOT_FOUND, "there is no chat '%.*s' any more", CV_FMT(v->place->id));
    cv_err_file(err, v->place->scope.name);
    return false;
}

/* `seen_as`: what it was when others could see it; NULL: it is that now. */
static bool read_file(cv_chat_view *v, const struct stat *seen_as, cv_err *err)
{
    if (fstat(v->fd, &v->st) != 0)
        return fail_file(v, "look at the chat", errno, err);
    if (!S_ISREG(v->st.st_mode))
        return refuse_kind(v, S_ISDIR(v->st.st_mode) ? "a folder" : "a device or a pipe", err);
    v->known = v->has_row && v->seen.n && cv_str_eq(v->seen, cv_chat_fingerprint(v->arena, seen_as ? seen_as : &v->st));
    return read_header(v, err) && (v->known || cv_chat_view_read_all(v, err));
}

/* Nobody wrote while it was read. */
static bool is_unchanging(const cv_chat_view *v)
{
    struct stat st;
    return fstat(v->fd, &st) == 0 && st.st_size == v->st.st_size && st.st_mtim.tv_sec == v->st.st_mtim.tv_sec &&
           st.st_mtim.tv_nsec == v->st.st_mtim.tv_nsec;
}

bool cv_chat_view_open(cv_call *call, const cv_chat_place *place, cv_chat_view *v, cv_err *err)
{
    begin(call, place, v);
    int folder = cv_where_open_folder(place->folder.where, CV_OS_HANDLE, false, "open the folder of the chat", err);
    if (folder < 0)
        return false;
    bool ok = false;
    for (int tries = 0; tries < MAX_READINGS; tries++) {
        begin(call, place, v);
        cv_err_clear(err);
        ok = load_rows(v, err) && open_file(v, folder, err) && read_file(v, NULL, err);
        if (v->fd < 0 || v->locked || is_unchanging(v))
            break;
        cv_chat_view_close(v);
        ok = false;
    }
    close(folder);
    if (!ok && !err->code)
        cv_err_set(err, CV_ERR_CHAT_LOCKED, "the chat '%.*s' is being written all the time", CV_FMT(place->id));
    return ok;
}

bool cv_chat_view_locked(cv_call *call, const cv_chat_lock *lock, cv_chat_view *v, cv_err *err)
{
    begin(call, lock->place, v);
    v->fd = lock->file;
    return load_rows(v, err) && read_file(v, &lock->before, err);
}

void cv_chat_view_close(cv_chat_view *v)
{
    if (v->own && v->fd >= 0)
        close(v->fd);
    v->fd = -1;
    v->own = false;
}

int64_t cv_chat_next_number(const cv_chat_view *v)
{
    int64_t last = v->has_row ? v->row.messages : 0, there = 0;
    if (v->messages.all.count)
        there = v->messages.all.items[v->messages.all.count - 1].number;
    return (there > last ? there : last) + 1;
}

/* ---- what is new ------------------------------------------------------------------------------------------------- */

/* Where the record says that the pointer is; NULL: it does not know. */
static const cv_chat_pointer_row *known_place(const cv_chat_view *v, cv_str who, int64_t line)
{
    for (size_t i = 0; v->known && i < v->pointers.count; i++)
        if (cv_str_eq(v->pointers.items[i].participant, who) && v->pointers.items[i].line == line &&
            v->pointers.items[i].place >= 0)
            return &v->pointers.items[i];
    return NULL;
}

int64_t cv_chat_read_before(const cv_chat_view *v, const cv_chat_pointer *pointer)
{
    for (size_t i = 0; pointer && i < v->pointers.count; i++) {
        const cv_chat_pointer_row *row = &v->pointers.items[i];
        if (cv_str_eq(row->participant, pointer->who) && row->line == pointer->line - v->header.lines)
            return row->number;
    }
    return -1;
}

/* The first message whose head is behind this line of the body, and all that follow. Where history was altered, the
 * line may be another one now: what follows the message that was read last is new in any case. */
static void cut_behind(cv_chat_view *v, int64_t line, cv_chat_region *r)
{
    int64_t last = v->altered || v->alterations.count ? cv_chat_read_before(v, r->read) : -1;
    size_t header = v->header.text.n;
    cv_str body = cv_str_from(v->text, header);
    size_t i = 0;
    while (i < v->messages.all.count && v->messages.all.items[i].line <= line &&
           (last < 0 || v->messages.all.items[i].number <= last))
        i++;
    bool any = i < v->messages.all.count;
    size_t start = any ? v->messages.all.items[i].start : body.n;
    r->at = header + start;
    r->text = cv_str_from(body, start);
    r->line = v->header.lines + (any ? v->messages.all.items[i].line - 1 : v->messages.lines);
    r->last = i ? v->messages.all.items[i - 1].number : 0;
    for (; i < v->messages.all.count; i++) {
        cv_chat_message m = v->messages.all.items[i];
        m.start -= start;
        m.end -= start;
        m.line -= r->line - v->header.lines;
        *CV_PUSH(v->arena, &r->messages.all) = m;
    }
    r->messages.lines = cv_chat_line_count(r->text);
}

bool cv_chat_region_of(cv_chat_view *v, cv_str who, cv_chat_region *r, cv_err *err)
{
    *r = (cv_chat_region){.read = cv_chat_pointer_of(&v->header, who)};
    int64_t line = r->read && r->read->line > v->header.lines ? r->read->line - v->header.lines : 0;
    const cv_chat_pointer_row *place = v->text.p ? NULL : known_place(v, who, line);
    static const cv_chat_pointer_row first = {.line = 0};
    if (!place && !v->text.p && line == 0)
        place = &first;
    if (!place) {
        if (!cv_chat_view_read_all(v, err))
            return false;
        r->read = cv_chat_pointer_of(&v->header, who); /* the header was read again */
        cut_behind(v, line, r);
        return true;
    }
    r->at = v->header.text.n + (size_t)place->place;
    r->line = v->header.lines + place->line;
    r->last = place->number;
    if (r->at > (size_t)v->st.st_size)
        r->at = (size_t)v->st.st_size;
    if (!read_part(v, r->at, (size_t)v->st.st_size - r->at, &r->text, err))
        return false;
    asking ask = {.view = v};
    cv_chat_messages_parse(v->arena, r->text, r->last, is_known_head, &ask, &r->messages);
    return true;
}

int64_t cv_chat_lines(const cv_chat_region *r)
{
    return r->line + r->messages.lines;
}

bool cv_chat_all_read(const cv_chat_header *h, const cv_chat_message *m, int64_t line, cv_str but)
{
    for (size_t i = 0; i < h->people.count; i++) {
        cv_str who = h->people.items[i];
        const cv_chat_pointer *p = cv_chat_pointer_of(h, who);
        if (!cv_str_eq(who, but) && cv_chat_is_for(m->from, m->tags, who) && (!p || p->line < line))
            return false;
    }
    return true;
}
