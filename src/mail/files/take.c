/* take.c - files that were dropped; see take.h. */
#include "mail/files/take.h"

#include <stdlib.h>

#include "kit/invoke.h"
#include "mail/files/show.h"
#include "mail/text/mailbox.h"
#include "mail/text/spelling.h"

static const size_t MOST_BYTES = (size_t)CV_MAIL_MAX_SIZE + (1 << 20);

enum { NUMBER_LEN = 10 }; /* digits of the number of a file that was taken */

/* ---- is it whole? ------------------------------------------------------------------------------------------------ */

/* Why a file was not read, without the name that it has for the moment. */
static cv_str unread_reason(cv_err *err)
{
    cv_err_file(err, CV_STR(""));
    return cv_err_text(err);
}

static bool is_old(cv_mail_door *door, cv_where file)
{
    struct stat st;
    if (!cv_where_look(file, &st))
        return false;
    int64_t age = door->now_ms - cv_timespec_ns(st.st_mtim) / 1000000;
    return age > CV_DOOR_QUIET_MS || age < -CV_DOOR_QUIET_MS;
}

bool cv_door_check_file(cv_mail_door *door, const cv_door_agent *agent, cv_where file, const char *name,
                        bool *ret_is_file, cv_err *err)
{
    struct stat st;
    bool there = cv_where_look(file, &st);
    *ret_is_file = there && S_ISREG(st.st_mode);
    return !there || *ret_is_file ||
           cv_door_quarantine(door, agent, file, name, CV_STR("it is a link or a device: put the file itself here"),
                              err);
}

cv_door_state cv_door_look(cv_mail_door *door, cv_where file, cv_str *ret_why)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str bytes;
    cv_mtext text = {0};
    *ret_why = (cv_str){0};
    if (cv_file_is_being_written(file)) {
        *ret_why = CV_STR("a program has it open for writing");
        return CV_DOOR_OPEN;
    }
    if (is_old(door, file))
        return CV_DOOR_WHOLE;
    bool readable = cv_file_read_at(&a, file, MOST_BYTES, &bytes, &err) && cv_mtext_read(&a, bytes, &text, &err);
    bool valid = readable && text.state == CV_MTEXT_VALID;
    cv_str flaw = readable ? cv_mtext_notes_text(&a, &text.notes) : unread_reason(&err);
    if (!valid)
        *ret_why = cv_arena_printf(
            door->arena, "it may still be written to: %s when nobody has changed it for %d s: %.*s",
            readable ? "it is then sent with repairs" : "it goes to quarantine", CV_DOOR_QUIET_MS / 1000, CV_FMT(flaw));
    cv_arena_release(&a);
    return valid ? CV_DOOR_WHOLE : readable ? CV_DOOR_REPAIRABLE : CV_DOOR_UNREADABLE;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* Is the request wrong, or has the record no time for it now, or the sender sent too much in this minute? What is wrong
 * stays so, and must not hold up others. */
static bool is_refused(cv_err_code code)
{
    const cv_err_code wrong[] = {CV_ERR_JSON, CV_ERR_DUPLICATE_KEY, CV_ERR_NOT_UTF8, CV_ERR_NOT_TEXT};
    for (size_t i = 0; i < CV_COUNT(wrong); i++)
        if (code == wrong[i])
            return true;
    return code != CV_ERR_RATE_EXCEEDED && cv_err_is_refusal(code);
}

/* A fault in the words of a file: it has no places in the request, and other names for its fields. */
static cv_str reason_of(cv_mail_door *door, cv_err *fault)
{
    static const struct {
        cv_str field, in_file;
    } names[] = {
        {CV_STR_INIT("to"), CV_STR_INIT("target_id")},
        {CV_STR_INIT("from"), CV_STR_INIT("source_id")},
        {CV_STR_INIT("sent_at"), CV_STR_INIT("timestamp_dispatched")},
    };
    fault->line = fault->column = 0;
    for (size_t i = 0; i < CV_COUNT(names); i++)
        if (cv_str_starts(fault->field, names[i].field) &&
            (fault->field.n == names[i].field.n || fault->field.p[names[i].field.n] == '['))
            cv_err_field(fault,
                         cv_arena_join(door->arena, names[i].in_file, cv_str_from(fault->field, names[i].field.n)));
    cv_err_advise(fault, door->call->name);
    return cv_err_text(fault);
}

bool cv_door_call(cv_mail_door *door, const char *verb, cv_str input, cv_json *ret_answer, bool *ret_again,
                  cv_str *ret_why)
{
    cv_reply reply;
    cv_call own = *door->call;
    own.who = (cv_who){0};
    own.taking_in = true;
    cv_invoke(&own, CV_STR("mail"), cv_str_of(verb), input, &reply);
    *ret_again = false;
    *ret_answer = reply.json;
    if (reply.done)
        return true;
    cv_buf why = {0};
    for (size_t i = 0; i < reply.errs.count; i++) {
        *ret_again |= !is_refused(reply.errs.items[i].code);
        cv_buf_printf(&why, "%s%.*s", i ? "; " : "", CV_FMT(reason_of(door, &reply.errs.items[i])));
    }
    *ret_why = cv_buf_take(&why, door->arena);
    return false;
}

/* ---- a message --------------------------------------------------------------------------------------------------- */

/* What `mail send` has fields of its own for: a member of this name that means something else gets another one. */
static bool is_input(cv_str name)
{
    static const cv_str words[] = {
        CV_STR_INIT("body"),
        CV_STR_INIT("from"),
        CV_STR_INIT("to"),
        CV_STR_INIT("command"),
        CV_STR_INIT("params"),
        CV_STR_INIT("type"),
        CV_STR_INIT("data"),
        CV_STR_INIT("task_id"),
        CV_STR_INIT("reply_to"),
        CV_STR_INIT("thread_id"),
        CV_STR_INIT("priority"),
        CV_STR_INIT("correlation_id"),
        CV_STR_INIT("expires_at"),
        CV_STR_INIT("expires_in"),
        CV_STR_INIT("plan"),
        CV_STR_INIT("supersedes"),
        CV_STR_INIT("message_id"),
        CV_STR_INIT("sent_at"),
        CV_STR_INIT("op_id"),
        CV_STR_INIT("expect_rev"),
        CV_STR_INIT("dry_run"),
        CV_STR_INIT("source_id"),
        CV_STR_INIT("target_id"),
        CV_STR_INIT("sender_agent_id"),
        CV_STR_INIT("timestamp_dispatched"),
    };
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_eq(name, words[i]))
            return true;
    return false;
}

static void put_raw(cv_json_writer *w, const char *key, cv_str raw)
{
    if (!raw.p || cv_str_eq(raw, CV_STR("null")))
        return;
    cv_json_key(w, cv_str_of(key));
    cv_json_raw(w, raw);
}

/* A time as the record writes it. A value that cannot be read as one stays beside it; but as an `expires_at` it goes to
 * `mail send`, which refuses it: without it, the message would be valid for ever. */
static void put_time(cv_mail_door *door, cv_json_writer *w, const char *key, const cv_mtext_message *m,
                     cv_mtext_field field, cv_mtext_notes *notes)
{
    cv_str found = cv_mtext_field_text(door->arena, m, field);
    int64_t ms;
    bool exact;
    bool readable = found.p && cv_mtext_time_of(found, &ms, &exact);
    bool is_empty = found.p && cv_str_trim(found).n == 0;
    if (readable)
        cv_json_key_str(w, key, cv_mail_time(door->arena, ms));
    else if (field == CV_MTEXT_EXPIRES && !is_empty)
        put_raw(w, key, m->fields[field]);
    else
        put_raw(w, cv_arena_printf(door->arena, "also:%s", key).p, m->fields[field]);
    if (found.p && (!readable || !exact))
        cv_mtext_note_add(notes, door->arena, CV_MTEXT_REPAIR_TIME, 0, found);
}

static void put_priority(cv_mail_door *door, cv_json_writer *w, const cv_mtext_message *m, cv_mtext_notes *notes)
{
    bool exact;
    cv_str found = cv_mtext_field_text(door->arena, m, CV_MTEXT_PRIORITY);
    int priority = found.p ? cv_mtext_priority_of(found, &exact) : 0;
    if (priority > 0)
        cv_json_key_int(w, "priority", priority);
    else
        put_raw(w, "also:priority", m->fields[CV_MTEXT_PRIORITY]);
    if (found.p && priority == 0)
        cv_mtext_note_add(notes, door->arena, CV_MTEXT_REPAIR_SPELLING, 0, found);
}

/* An id that nobody filled in is none: the message gets a new one. */
static void put_id(cv_mail_door *door, cv_json_writer *w, const cv_mtext_message *m, cv_mtext_notes *notes)
{
    cv_str id = cv_mtext_field_text(door->arena, m, CV_MTEXT_MESSAGE_ID);
    if (!id.n)
        return;
    if (cv_mtext_has_placeholder(id))
        cv_mtext_note_add(notes, door->arena, CV_MTEXT_REPAIR_PLACEHOLDER, 0, id);
    else
        cv_json_key_str(w, "message_id", id);
}

static void put_extra(cv_arena *a, cv_json_writer *w, const cv_mtext_message *m)
{
    for (size_t i = 0; i < m->extra.count; i++) {
        const cv_mtext_member *e = &m->extra.items[i];
        cv_json_key(w, is_input(e->name) ? cv_arena_join(a, CV_STR("also:"), e->name) : e->name);
        cv_json_raw(w, e->raw);
    }
}

/* The content in its own writing. */
static void put_content(cv_json_writer *w, const cv_mtext_message *m)
{
    bool envelope = m->writing == CV_MTEXT_ENVELOPE && !m->data_raw.p;
    put_raw(w, envelope ? "type" : "command", m->fields[CV_MTEXT_COMMAND]);
    if (envelope) {
        put_raw(w, "data", m->data_whole);
        return;
    }
    put_raw(w, "params", m->fields[CV_MTEXT_PARAMS]);
    put_raw(w, "task_id", m->fields[CV_MTEXT_TASK]);
    put_raw(w, "correlation_id", m->fields[CV_MTEXT_CORRELATION]);
    put_raw(w, "also:data", m->data_raw);
    if (!m->data.count)
        return;
    cv_json_key(w, CV_STR("also:data"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < m->data.count; i++) {
        cv_json_key(w, m->data.items[i].name);
        cv_json_raw(w, m->data.items[i].raw);
    }
    cv_json_end_object(w);
}

typedef struct {
    cv_str from; /* who sends it, as the place of the file says; absent: as it says itself */
    cv_str to;   /* the same of the recipient */
    cv_str op_id;
} route;

static cv_str request_of(cv_mail_door *door, const cv_mtext_message *m, const route *r, cv_mtext_notes *notes)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    if (r->from.p)
        cv_json_key_str(&w, "from", r->from);
    else
        put_raw(&w, "from", m->fields[CV_MTEXT_SENDER]);
    if (r->to.p)
        cv_json_key_str(&w, "to", r->to);
    else
        put_raw(&w, "to", m->fields[CV_MTEXT_TARGET]);
    put_content(&w, m);
    put_id(door, &w, m, notes);
    put_time(door, &w, "sent_at", m, CV_MTEXT_TIME, notes);
    put_time(door, &w, "expires_at", m, CV_MTEXT_EXPIRES, notes);
    put_raw(&w, "expires_in", m->fields[CV_MTEXT_EXPIRES_IN]);
    put_priority(door, &w, m, notes);
    put_raw(&w, "reply_to", m->fields[CV_MTEXT_REPLY]);
    put_raw(&w, "thread_id", m->fields[CV_MTEXT_THREAD]);
    put_raw(&w, "supersedes", m->fields[CV_MTEXT_SUPERSEDES]);
    put_extra(door->arena, &w, m);
    cv_json_key_str(&w, "op_id", r->op_id);
    cv_json_end_object(&w);
    return cv_buf_take(&out, door->arena);
}

/* Is this name the agent's own? */
static bool is_same(cv_mail_door *door, const cv_door_agent *agent, cv_str name)
{
    cv_agent_row row;
    bool found = false;
    cv_err ignored = {.arena = door->arena};
    return cv_agent_find(door->record, door->arena, name, &row, &found, &ignored) && found &&
           cv_str_eq(row.name, agent->name);
}

/* What became of a file, or of one message in it. */
typedef enum { DONE, REFUSED, AGAIN } outcome;

static outcome send(cv_mail_door *door, const cv_mtext_message *m, const route *r, cv_mtext_notes *notes,
                    cv_str *ret_why)
{
    cv_json answer;
    bool again;
    if (cv_door_call(door, "send", request_of(door, m, r, notes), &answer, &again, ret_why))
        return DONE;
    return again ? AGAIN : REFUSED;
}

/* From an outbox: its owner sends, and nobody else in its name. */
static outcome send_from(cv_mail_door *door, const cv_door_agent *agent, const cv_mtext_message *m, cv_str op_id,
                         cv_mtext_notes *notes, cv_str *ret_why)
{
    cv_str sender = cv_mtext_field_text(door->arena, m, CV_MTEXT_SENDER);
    if (sender.n && !cv_mtext_is_placeholder(sender) && !is_same(door, agent, sender)) {
        *ret_why = cv_arena_printf(door->arena, "it names '%.*s' as its sender, but it is in the outbox of '%.*s'",
                                   CV_FMT(cv_excerpt(door->arena, sender)), CV_FMT(agent->id));
        return REFUSED;
    }
    if (!m->fields[CV_MTEXT_TARGET].p || cv_str_eq(m->fields[CV_MTEXT_TARGET], CV_STR("null"))) {
        *ret_why = CV_STR("it does not say to whom: write \"target_id\": an agent, or \"broadcast\"");
        return REFUSED;
    }
    return send(door, m, &(route){.from = agent->id, .op_id = op_id}, notes, ret_why);
}

/* Into an inbox: the sender is the one that it names. */
static outcome send_to(cv_mail_door *door, const cv_door_agent *agent, const cv_mtext_message *m, cv_str op_id,
                       cv_mtext_notes *notes, cv_str *ret_why)
{
    cv_str sender = cv_mtext_field_text(door->arena, m, CV_MTEXT_SENDER);
    if (!sender.n || cv_mtext_is_placeholder(sender)) {
        *ret_why = CV_STR("it does not say from whom: write \"source_id\": an agent, \"System\" or \"User\"");
        return REFUSED;
    }
    return send(door, m, &(route){.to = agent->id, .op_id = op_id}, notes, ret_why);
}

/* ---- an edited mailbox ------------------------------------------------------------------------------------------- */

/* A message that the mailbox does not have is sent to its agent; an id that was added as processed is finished. What is
 * refused is reported, and does not hold up the others; what the record has no time for does: they come in their
 * order. */
static outcome take_mailbox(cv_mail_door *door, cv_door_agent *agent, const cv_mtext *text, cv_str op_id,
                            cv_str *ret_why)
{
    cv_mtext_mailbox box;
    cv_err err = {.arena = door->arena};
    if (!cv_mtext_mailbox_read(&text->value, &box, &err)) {
        *ret_why = cv_err_text(&err);
        return REFUSED;
    }
    size_t refused = 0, again = 0;
    for (uint32_t i = 0; box.messages && i < box.messages->count; i++) {
        cv_mtext_message m;
        cv_mtext_notes notes = {0};
        cv_mail_delivery d;
        bool found = false;
        cv_str why;
        if (!cv_mtext_message_read(door->arena, text->text, &box.messages->items[i], &notes, &m, &err) ||
            !cv_mtext_message_settle(door->arena, &m, &err)) {
            cv_door_log(door, agent, "messages[%u]: %.*s", i, CV_FMT(cv_err_text(&err)));
            cv_err_clear(&err);
            refused++;
            continue;
        }
        cv_str id = cv_mtext_field_text(door->arena, &m, CV_MTEXT_MESSAGE_ID);
        if (id.n && !cv_mail_delivery_find(door->record, door->arena, agent->name, id, &d, &found, &err))
            return AGAIN;
        if (found)
            continue;
        cv_str own = cv_arena_printf(door->arena, "%.*s-%u", CV_FMT(op_id), i);
        outcome what = send_to(door, agent, &m, own, &notes, &why);
        if (what == AGAIN)
            return AGAIN;
        refused += what == REFUSED;
        if (what == REFUSED)
            cv_door_log(door, agent, "messages[%u]: %.*s", i, CV_FMT(why));
    }
    for (uint32_t i = 0; box.processed && i < box.processed->count; i++) {
        cv_mail_delivery d;
        bool found, busy = false;
        cv_str id = box.processed->items[i].text, why = {0};
        if (box.processed->items[i].type != CV_JSON_STRING) {
            cv_door_log(door, agent, "processed_message_ids[%u]: an id is a text", i);
            continue;
        }
        if (!cv_mail_delivery_find(door->record, door->arena, agent->name, id, &d, &found, &err))
            return AGAIN;
        if (!found)
            cv_door_log(door, agent, "processed '%.*s': there is no such message in this mailbox", CV_FMT(id));
        if (!found || !cv_mail_states[cv_mail_state_of(d.state)].open)
            continue;
        if (!cv_door_finish(door, agent, &d, false, (cv_str){0}, (cv_str){0}, &busy, &why))
            cv_door_log(door, agent, "processed '%.*s': %.*s", CV_FMT(id), CV_FMT(why.p ? why : err.message));
        again += busy;
    }
    *ret_why = cv_arena_printf(door->arena, "%zu of its messages could not be taken in: files.log says why", refused);
    return again ? AGAIN : refused ? REFUSED : DONE;
}

/* ---- a taken file ------------------------------------------------------------------------------------------------ */

/* ".taking/NUMBER-UNIQUE~KIND~NAME": the order in which they were taken, with it the op_id, where it stood, and what it
 * was called. */
typedef struct {
    cv_str op_id;
    char kind; /* cv_door_kind */
    const char *name;
} taken;

/* Behind all that were taken before and are still there. */
static const char *taken_name(cv_arena *a, const cv_door_list *before, char kind, const char *name)
{
    cv_str own = cv_utf8_head(cv_str_of(name), 100);
    long long last = before->count ? strtoll(before->items[before->count - 1], NULL, 10) : 0;
    return cv_arena_printf(a, "%0*lld-%s~%c~%.*s", NUMBER_LEN, last + 1, cv_file_unique(a), kind, CV_FMT(own)).p;
}

static bool read_name(cv_arena *a, const char *name, taken *ret)
{
    cv_str s = cv_str_of(name);
    size_t at = cv_str_find_char(s, '~');
    if (at == SIZE_MAX || at + 3 > s.n || s.p[at + 2] != '~')
        return false;
    *ret = (taken){cv_arena_printf(a, "files-%.*s", CV_FMT(cv_str_head(s, at))), s.p[at + 1], name + at + 3};
    return true;
}

static outcome run(cv_mail_door *door, cv_door_agent *agent, const taken *t, cv_str bytes, cv_str *ret_why)
{
    cv_err err = {.arena = door->arena};
    cv_mtext text;
    cv_mtext_message m;
    if (!cv_mtext_read(door->arena, bytes, &text, &err)) {
        *ret_why = cv_err_text(&err);
        return REFUSED;
    }
    if (t->kind == CV_DOOR_FROM_MAILBOX)
        return take_mailbox(door, agent, &text, t->op_id, ret_why);
    cv_mtext_message_unwrap(door->arena, &text);
    if (!cv_mtext_message_read(door->arena, text.text, &text.value, &text.notes, &m, &err) ||
        !cv_mtext_message_settle(door->arena, &m, &err)) {
        *ret_why = cv_err_text(&err);
        return REFUSED;
    }
    if (text.state == CV_MTEXT_VALID)
        cv_mtext_place_notes(bytes, &text.notes); /* names of fields: in what was repaired they have no place */
    outcome what = t->kind == CV_DOOR_FROM_INBOX ? send_to(door, agent, &m, t->op_id, &text.notes, ret_why)
                                                 : send_from(door, agent, &m, t->op_id, &text.notes, ret_why);
    if (what == DONE && text.notes.count)
        cv_door_log(door, agent, "%s was repaired and sent; the original is in archive/: %.*s", t->name,
                    CV_FMT(cv_mtext_notes_text(door->arena, &text.notes)));
    return what;
}

/* A file in .taking/, be it of this process or of one that was killed. *ret_waits: it has to be done before any other
 * of its kind, and could not be done yet. */
static bool work_off(cv_mail_door *door, cv_door_agent *agent, const char *name, bool *ret_waits, cv_err *err)
{
    cv_where file = cv_door_in(door, agent, CV_DOOR_TAKING, name);
    cv_err trouble = {.arena = door->arena};
    cv_str bytes, why = {0};
    taken t;
    struct stat st;
    *ret_waits = false;
    if (!read_name(door->arena, name, &t))
        return cv_door_quarantine(door, agent, file, name, CV_STR("files must not be put into this folder"), err);
    cv_door_state state = cv_door_look(door, file, &why);
    if (state != CV_DOOR_WHOLE) {
        cv_door_tell(door, agent, t.name, CV_DOOR_WAITING, why);
        *ret_waits = state == CV_DOOR_REPAIRABLE;
        return true;
    }
    if (!cv_file_read_at(door->arena, file, MOST_BYTES, &bytes, &trouble)) {
        if (!cv_where_look(file, &st))
            return true; /* another process was quicker */
        return cv_door_quarantine(door, agent, file, t.name, unread_reason(&trouble), err);
    }
    outcome what = run(door, agent, &t, bytes, &why);
    if (what != REFUSED)
        cv_door_tell(door, agent, t.name, what == DONE ? CV_DOOR_TAKEN : CV_DOOR_WAITING,
                     what == DONE ? (cv_str){0} : why);
    *ret_waits = what == AGAIN;
    if (what == REFUSED)
        return cv_door_quarantine(door, agent, file, t.name, why, err);
    return what == AGAIN || cv_door_archive(door, agent, file, t.name, err);
}

/* What was taken and is not done, in the order in which it was taken: of each kind up to the first that waits.
 * *ret_waits: one of `kind` does. */
static bool work_off_all(cv_mail_door *door, cv_door_agent *agent, char kind, bool *ret_waits, cv_err *err)
{
    cv_door_list names;
    char waiting[4] = ""; /* kinds */
    if (!cv_door_read(door, cv_door_in(door, agent, CV_DOOR_TAKING, ""), false, &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        taken t = {0};
        bool waits;
        if (read_name(door->arena, names.items[i], &t) && strchr(waiting, t.kind))
            continue;
        if (!work_off(door, agent, names.items[i], &waits, err))
            return false;
        if (waits && strlen(waiting) + 1 < sizeof waiting)
            waiting[strlen(waiting)] = t.kind;
    }
    *ret_waits = strchr(waiting, kind) != NULL;
    return true;
}

bool cv_door_take(cv_mail_door *door, cv_door_agent *agent, cv_door_kind kind, cv_where file, const char *name,
                  bool *ret_waits, cv_err *err)
{
    cv_door_list before;
    bool gone;
    if (!cv_door_read(door, cv_door_in(door, agent, CV_DOOR_TAKING, ""), false, &before, err))
        return false;
    const char *own = taken_name(door->arena, &before, (char)kind, name);
    return cv_door_move(file, cv_door_in(door, agent, CV_DOOR_TAKING, own), true, &gone, err) &&
           work_off_all(door, agent, (char)kind, ret_waits, err);
}

/* ---- all folders ------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    struct timespec at;
    bool early; /* it was there when the folder was read for the first time */
} dropped;

typedef struct {
    dropped *items;
    size_t count, capacity;
} drops;

/* Names as people count: d_9 before d_10. */
static int by_name(const char *a, const char *b)
{
    while (*a && *a == *b && !cv_is_digit(*a))
        a++, b++;
    if (cv_is_digit(*a) && cv_is_digit(*b)) {
        char *a_end, *b_end;
        unsigned long long x = strtoull(a, &a_end, 10), y = strtoull(b, &b_end, 10);
        return x != y                   ? CV_ORDER(x, y)
               : a_end - a != b_end - b ? CV_ORDER(a_end - a, b_end - b)
                                        : by_name(a_end, b_end);
    }
    return CV_ORDER((unsigned char)*a, (unsigned char)*b);
}

/* A clock of files shows the same time for some milliseconds; names decide then. */
static int by_time(const void *x, const void *y)
{
    const dropped *a = x, *b = y;
    int order = CV_ORDER(a->at.tv_sec, b->at.tv_sec);
    order = order ? order : CV_ORDER(a->at.tv_nsec, b->at.tv_nsec);
    return order ? order : by_name(a->name, b->name);
}

/* Is it put there by others? The program's own files are views of what the record has. */
static bool is_dropped(cv_mail_door *door, const cv_door_agent *agent, cv_door_folder folder, const char *name)
{
    int64_t seq;
    if (folder == CV_DOOR_INBOX)
        return !cv_door_seq_of(name, &seq);
    return !cv_str_starts(cv_str_of(name), CV_STR("msg_")) || !cv_door_is_sent(door, agent, name);
}

static bool read_dropped(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, bool early, cv_map *known,
                         drops *all, cv_err *err)
{
    cv_door_list names;
    cv_where here = cv_door_in(door, agent, folder, "");
    if (!cv_door_read(door, here, false, &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        struct stat st;
        bool is_new;
        if (!is_dropped(door, agent, folder, names.items[i]) ||
            !cv_where_look(cv_where_in(door->arena, here, names.items[i]), &st))
            continue;
        cv_map_put(known, door->arena, cv_str_of(names.items[i]), &is_new);
        if (is_new)
            *CV_PUSH(door->arena, all) = (dropped){names.items[i], st.st_mtim, early};
    }
    return true;
}

/* What was dropped into a folder, in the order in which it was finished. A folder is not read at one moment: a file may
 * be seen and the one that was put there before it not. That one is there when the folder is read again, so the list is
 * what both readings found, up to the last of the first one. */
static bool list_dropped(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, drops *ret, cv_err *err)
{
    cv_map known = {0};
    *ret = (drops){0};
    if (!read_dropped(door, agent, folder, true, &known, ret, err) ||
        (ret->count > 0 && !read_dropped(door, agent, folder, false, &known, ret, err)))
        return false;
    if (ret->count > 1)
        qsort(ret->items, ret->count, sizeof *ret->items, by_time);
    while (ret->count > 0 && !ret->items[ret->count - 1].early)
        ret->count--;
    return true;
}

/* One that is to be sent with repairs holds up those behind it until it is: for two quiet seconds. One that is being
 * written, or cannot be read, is not finished, and holds up nobody. */
static bool take_dropped(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, cv_err *err)
{
    drops files;
    bool waits = false;
    cv_door_kind kind = folder == CV_DOOR_INBOX ? CV_DOOR_FROM_INBOX : CV_DOOR_FROM_OUTBOX;
    if (!list_dropped(door, agent, folder, &files, err))
        return false;
    for (size_t i = 0; i < files.count && !waits; i++) {
        cv_where file = cv_door_in(door, agent, folder, files.items[i].name);
        bool is_file;
        if (!cv_door_check_file(door, agent, file, files.items[i].name, &is_file, err))
            return false;
        if (!is_file)
            continue;
        cv_str why;
        cv_door_state state = cv_door_look(door, file, &why);
        waits = state == CV_DOOR_REPAIRABLE;
        if (state != CV_DOOR_WHOLE)
            cv_door_tell(door, agent, files.items[i].name, CV_DOOR_WAITING, why);
        else if (!cv_door_take(door, agent, kind, file, files.items[i].name, &waits, err))
            return false;
    }
    return true;
}

/* Looked at in this order: what a killed process had begun comes first, and a claim before its end. */
static const cv_door_folder folders[] = {CV_DOOR_TAKING, CV_DOOR_OUTBOX, CV_DOOR_CLAIMED,
                                         CV_DOOR_DONE,   CV_DOOR_FAILED, CV_DOOR_INBOX};

static const char *path_of(cv_mail_door *door, const char *agent, cv_door_folder folder)
{
    return cv_arena_printf(door->arena, "runtime/%s/%s", agent, cv_door_names[folder]).p;
}

static bool look_into(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, cv_err *err)
{
    bool waits;
    switch (folder) {
    case CV_DOOR_TAKING:
        return work_off_all(door, agent, CV_DOOR_FROM_OUTBOX, &waits, err);
    case CV_DOOR_OUTBOX:
        return take_dropped(door, agent, folder, err);
    case CV_DOOR_INBOX:
        return take_dropped(door, agent, folder, err) && (agent->alias || cv_door_refill(door, agent, false, err));
    default:
        return agent->alias || cv_door_take_moves(door, agent, folder, err);
    }
}

/* One folder, if something has changed in it. When nothing is left to wait for it gets the mark, and then is looked at
 * once more: what came in between is found. While there are claims whose time is not over soon, it gets the mark for a
 * moment. */
static bool take_folder(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, cv_err *err)
{
    const char *path = path_of(door, agent->folder, folder);
    size_t before = door->waiting, claims = door->claims;
    if (cv_door_is_quiet(door, path))
        return true;
    if (!look_into(door, agent, folder, err))
        return false;
    bool is_claimed = door->claims > claims;
    if (door->waiting > before || (is_claimed && door->lease_until - door->now_ms <= CV_DOOR_BRIEF_MS))
        return true;
    if (is_claimed)
        cv_door_mark_briefly(door, path);
    else
        cv_door_mark(door, path);
    claims = door->claims;
    bool ok = look_into(door, agent, folder, err);
    if (!ok || door->waiting > before || (door->claims > claims) != is_claimed)
        cv_door_unmark(door, path);
    return ok;
}

static bool is_quiet(cv_mail_door *door, const char *agent)
{
    for (size_t f = 0; f < CV_COUNT(folders); f++)
        if (!cv_door_is_quiet(door, path_of(door, agent, folders[f])))
            return false;
    return true;
}

bool cv_door_is_settled(cv_mail_door *door, bool *ret_settled, cv_err *err)
{
    door->looking = true;
    door->found = door->touched.count > 0;
    bool ok = door->found || cv_door_take_in(door, err);
    door->looking = false;
    *ret_settled = !door->found && cv_door_marks_hold(door);
    return ok;
}

static bool take_agent(cv_mail_door *door, const char *name, cv_err *err)
{
    cv_door_agent *agent = NULL;
    if (!cv_door_agent_at(door, name, &agent, err))
        return false;
    for (size_t f = 0; agent && f < CV_COUNT(folders); f++)
        if (!take_folder(door, agent, folders[f], err))
            return false;
    return true;
}

/* A folder that cannot be used, because somebody has put a link in its place or taken away a right, is reported, and
 * does not hold up the other agents. */
bool cv_door_take_in(cv_mail_door *door, cv_err *err)
{
    cv_door_list names;
    bool quiet = cv_door_is_quiet(door, "runtime");
    if (!quiet && door->looking)
        return door->found = true;
    if (!quiet)
        cv_door_mark(door, "runtime");
    if (!cv_door_folders(door, cv_where_in(door->arena, cv_door_root(door), "runtime"), &names, err) ||
        (!quiet && !cv_door_restore(door, &names, err) && !cv_door_pass_over_place(err)))
        return false;
    for (size_t i = 0; i < door->touched.count && !door->looking; i++)
        cv_door_unmark(door, door->touched.items[i]);
    for (size_t i = 0; i < names.count; i++) {
        if (!cv_agent_id_valid(cv_str_of(names.items[i])) || is_quiet(door, names.items[i]))
            continue;
        if (door->looking)
            return door->found = true;
        if (take_agent(door, names.items[i], err))
            continue;
        door->waiting++; /* it is looked at again */
        cv_door_pass_over(err);
    }
    return cv_door_expire(door, &names, err) && cv_door_mailboxes_take(door, err) &&
           cv_door_states_take(door, &names, err) && cv_door_reports_take(door, err);
}
