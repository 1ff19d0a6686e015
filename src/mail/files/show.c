/* show.c - what the record has, as files; see door.h.
 *
 *     position -> commits behind it -> the deliveries that they changed -> each file where the state wants it
 *
 *     new, failed             inbox/
 *     claimed                 claimed/
 *     done, dead, expired …   archive/
 *
 * A file is written once and then moved: its message never changes. What is done with it follows from the row as it is
 * now, not from the event, so a commit may be seen twice. When the position is not known (a new folder, another store,
 * another boot of the machine) the open deliveries of all agents are gone through instead.
 */
#include "mail/files/show.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/projection.h"
#include "mail/log.h"
#include "mail/report.h"
#include "mail/state.h"
#include "record/hash.h"

/* ---- a message as text ------------------------------------------------------------------------------------------- */

static cv_str quoted(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    if (!text.p)
        return text;
    cv_json_str(&(cv_json_writer){.out = &out}, text);
    return cv_buf_take(&out, a);
}

/* The id of the sender, as it was registered. */
static cv_str sender_id(cv_mail_door *door, cv_str name)
{
    cv_door_agent *agent;
    cv_err ignored = {.arena = door->arena};
    if (cv_str_eq(name, CV_STR("system")) || cv_str_eq(name, CV_STR("user")))
        return cv_str_eq(name, CV_STR("user")) ? CV_STR("User") : CV_STR("System");
    return cv_door_find_agent(door, name, &agent, &ignored) && agent->id.p ? agent->id : name;
}

/* What take.c gave another name, because `mail send` has one of its own, gets its name back. */
static void restore_names(cv_arena *a, cv_mtext_message *m)
{
    static const cv_str also = CV_STR_INIT("\"also:");
    size_t kept = 0;
    for (size_t i = 0; i < m->extra.count; i++) {
        cv_mtext_member e = m->extra.items[i];
        cv_json v;
        cv_err ignored = {.arena = a};
        bool renamed = cv_str_starts(e.key, also);
        if (renamed) {
            e.key = cv_arena_printf(a, "\"%.*s", CV_FMT(cv_str_from(e.key, also.n)));
            e.name = cv_str_from(e.name, also.n - 1);
        }
        if (renamed && cv_str_eq(e.name, CV_STR("data")) && cv_json_parse(a, e.raw, &v, &ignored)) {
            if (v.type == CV_JSON_OBJECT && v.count > 0)
                cv_mtext_members_of(a, e.raw, &v, &m->data);
            else
                m->data_raw = e.raw;
            continue;
        }
        m->extra.items[kept++] = e;
    }
    m->extra.count = kept;
}

/* The other writing of a text. */
static bool rewrite(cv_arena *a, cv_str text, cv_mtext_writing writing, cv_buf *out, cv_err *err)
{
    cv_json value;
    cv_mtext_notes notes = {0};
    cv_mtext_message m;
    if (!cv_json_parse(a, text, &value, err) || !cv_mtext_message_read(a, text, &value, &notes, &m, err))
        return false;
    cv_mtext_message_print(out, &m, writing, 0);
    return true;
}

/* `target`: JSON; absent: it is not written. */
static bool print(cv_mail_door *door, const cv_mail_message *row, cv_str target, cv_mtext_writing writing, int indent,
                  cv_str *ret_text, cv_err *err)
{
    cv_arena *a = door->arena;
    bool envelope = cv_str_eq(row->writing, CV_STR("envelope"));
    cv_mtext_message m = {.writing = envelope ? CV_MTEXT_ENVELOPE : CV_MTEXT_MAILBOX};
    m.fields[CV_MTEXT_MESSAGE_ID] = quoted(a, row->message_id);
    m.fields[CV_MTEXT_SENDER] = quoted(a, sender_id(door, row->sender));
    m.fields[CV_MTEXT_TIME] = quoted(a, row->sent_at.p ? row->sent_at : row->accepted_at);
    m.fields[CV_MTEXT_COMMAND] = quoted(a, row->command);
    m.fields[CV_MTEXT_TARGET] = target;
    m.fields[CV_MTEXT_REPLY] = quoted(a, row->reply_to);
    m.fields[CV_MTEXT_THREAD] = quoted(a, row->thread_id);
    m.fields[CV_MTEXT_EXPIRES] = quoted(a, row->expires_at);
    m.fields[CV_MTEXT_SUPERSEDES] = quoted(a, row->supersedes);
    if (row->priority != CV_ABSENT && row->priority != 3)
        m.fields[CV_MTEXT_PRIORITY] = cv_arena_printf(a, "%lld", (long long)row->priority);
    if (envelope) {
        m.data_raw = row->content;
    } else {
        m.fields[CV_MTEXT_PARAMS] = row->content;
        m.fields[CV_MTEXT_TASK] = quoted(a, row->task_id);
        m.fields[CV_MTEXT_CORRELATION] = quoted(a, row->correlation_id);
    }
    if (!cv_mtext_extra_read(a, row->extra, &m, err))
        return false;
    restore_names(a, &m);
    cv_buf out = {0};
    cv_mtext_message_print(&out, &m, m.writing, indent);
    if (indent)
        cv_buf_add_char(&out, '\n');
    *ret_text = cv_buf_take(&out, a);
    if (writing == CV_MTEXT_LOOSE || writing == m.writing)
        return true;
    bool ok = rewrite(a, *ret_text, writing, &out, err);
    *ret_text = cv_buf_take(&out, a);
    return ok;
}

bool cv_door_print(cv_mail_door *door, const cv_mail_message *row, cv_str recipient, cv_mtext_writing writing,
                   int indent, cv_str *ret_text, cv_err *err)
{
    bool envelope = cv_str_eq(row->writing, CV_STR("envelope"));
    return print(door, row, envelope ? quoted(door->arena, recipient) : (cv_str){0}, writing, indent, ret_text, err);
}

/* ---- the file of one delivery ------------------------------------------------------------------------------------ */

/* As the record has it; what has expired, though nobody has written it, does not wait any more. */
static cv_door_folder folder_of(const cv_mail_door *door, const cv_mail_delivery *d)
{
    cv_mail_state state = cv_mail_state_of(d->state);
    if (state != CV_MAIL_CLAIMED && !cv_mail_states[cv_mail_state_at(d, door->now_ms)].open)
        return CV_DOOR_ARCHIVE;
    if (state == CV_MAIL_CLAIMED)
        return CV_DOOR_CLAIMED;
    return cv_mail_states[state].open ? CV_DOOR_INBOX : CV_DOOR_ARCHIVE;
}

static bool stands_in(cv_mail_door *door, const cv_door_agent *agent, cv_door_folder folder, const char *name)
{
    struct stat st;
    const char *path = cv_arena_printf(door->arena, "runtime/%s/%s/%s", agent->folder, cv_door_names[folder], name).p;
    return fstatat(door->lock, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The message of a delivery. The last one is kept: it is shown to its sender and to all recipients. */
static bool message_of(cv_mail_door *door, const cv_mail_delivery *d, cv_mail_message *ret, bool *ret_found,
                       cv_err *err)
{
    *ret_found = door->message && cv_str_eq(door->message->message_id, d->message_id);
    if (*ret_found) {
        *ret = *door->message;
        return true;
    }
    if (!cv_mail_message_get(door->record, door->arena, d->message_id, ret, ret_found, err))
        return false;
    if (*ret_found) {
        door->message = CV_NEW(door->arena, cv_mail_message);
        *door->message = *ret;
    }
    return true;
}

static bool write_message(cv_mail_door *door, cv_door_agent *agent, cv_door_folder to, const cv_mail_delivery *d,
                          const char *name, cv_err *err)
{
    cv_mail_message row;
    cv_str text;
    bool found;
    if (!message_of(door, d, &row, &found, err) || !found)
        return !err->code;
    if (!cv_door_print(door, &row, agent->id, CV_MTEXT_LOOSE, 2, &text, err))
        return false;
    if (!cv_door_write_message(door, agent, to, name, text, false, err)) {
        if (err->code != CV_ERR_FILE_CHANGED)
            return false;
        cv_err_clear(err); /* somebody put a file of this name there: it is theirs, and is looked at when taking in */
    }
    door->written++;
    return true;
}

bool cv_door_mailbox_get(cv_mail_door *door, cv_str agent, cv_mail_mailbox *ret, bool *ret_found, cv_err *err)
{
    *ret_found = door->mailbox && cv_str_eq(door->mailbox->agent, agent);
    if (*ret_found) {
        *ret = *door->mailbox;
        return true;
    }
    if (!cv_mail_mailbox_get(door->record, door->arena, agent, ret, ret_found, err))
        return false;
    if (*ret_found && door->one_moment)
        door->mailbox = cv_arena_dup(door->arena, ret, sizeof *ret);
    return true;
}

/* Is it new, and are there more open ones than an inbox shows? Then it comes when some of these are settled. */
static bool is_beyond(cv_mail_door *door, const cv_mail_delivery *d, cv_door_folder to, bool *ret_beyond, cv_err *err)
{
    cv_mail_mailbox mailbox;
    bool found;
    *ret_beyond = false;
    if (to != CV_DOOR_INBOX || d->attempts > 0)
        return true;
    if (!cv_door_mailbox_get(door, d->mailbox, &mailbox, &found, err))
        return false;
    *ret_beyond = found && mailbox.waiting > CV_DOOR_WINDOW;
    return true;
}

/* It stands nowhere. */
static bool write_new(cv_mail_door *door, cv_door_agent *agent, const cv_mail_delivery *d, cv_door_folder to,
                      bool again, bool listed, cv_err *err)
{
    const char *name = cv_door_name_of(door->arena, d->seq);
    bool beyond = false;
    if (to == CV_DOOR_ARCHIVE)
        return true;
    if (!listed && !is_beyond(door, d, to, &beyond, err))
        return false;
    if (beyond)
        return true;
    if (again)
        cv_door_log(door, agent, "%s was removed, but is not done: it was written again; move it to done/ or failed/",
                    name);
    return write_message(door, agent, to, d, name, err);
}

/* Files in done/ and failed/ wait to be taken in; they go when the delivery is settled. */
static bool move_from(cv_mail_door *door, const cv_door_agent *agent, const char *name, cv_door_folder from,
                      cv_door_folder to, cv_err *err)
{
    bool gone;
    cv_where file = cv_door_in(door, agent, from, name);
    if (to == CV_DOOR_ARCHIVE)
        return cv_door_archive(door, agent, file, name, err);
    return from >= CV_DOOR_DONE || cv_door_move(file, cv_door_in(door, agent, to, name), false, &gone, err);
}

/* `listed`: it is one of the first that are open. */
static bool move_or_write(cv_mail_door *door, cv_door_agent *agent, const cv_mail_delivery *d, cv_door_folder to,
                          bool again, bool listed, cv_err *err)
{
    const char *name = cv_door_name_of(door->arena, d->seq);
    cv_door_change changes[2];
    size_t count = 0;
    int from = CV_DOOR_INBOX;
    if (to != CV_DOOR_ARCHIVE && stands_in(door, agent, to, name))
        return true; /* the archive may have it from the time before a requeue: what stands elsewhere joins it */
    while (from <= CV_DOOR_FAILED && (from == (int)to || !stands_in(door, agent, (cv_door_folder)from, name)))
        from++;
    if (to <= CV_DOOR_CLAIMED)
        changes[count++] = cv_door_change_begin(door, agent, to);
    if (from <= CV_DOOR_CLAIMED)
        changes[count++] = cv_door_change_begin(door, agent, (cv_door_folder)from);
    bool ok = from <= CV_DOOR_FAILED ? move_from(door, agent, name, (cv_door_folder)from, to, err)
                                     : write_new(door, agent, d, to, again, listed, err);
    while (count > 0)
        cv_door_change_end(door, &changes[--count], name);
    return ok;
}

/* ---- what an agent has sent -------------------------------------------------------------------------------------- */

/* "msg_ID.json"; an id that is not a name in a folder is told by its hash. */
static const char *sent_name(cv_arena *a, cv_str id)
{
    bool plain = id.n <= 100;
    for (size_t i = 0; i < id.n && plain; i++)
        plain = cv_is_alnum(id.p[i]) || strchr("._-", id.p[i]);
    if (plain)
        return cv_arena_printf(a, "msg_%.*s.json", CV_FMT(id)).p;
    return cv_arena_printf(a, "msg_%.*s.json", CV_FMT(cv_hash_text(a, id))).p;
}

static bool print_sent(cv_mail_door *door, const cv_mail_message *m, cv_str *ret_text, cv_err *err)
{
    return print(door, m, m->addressed, CV_MTEXT_LOOSE, 2, ret_text, err);
}

bool cv_door_is_sent(cv_mail_door *door, const cv_door_agent *agent, const char *name)
{
    const char *path =
        cv_arena_printf(door->arena, "runtime/%s/%s/%s", agent->folder, cv_door_names[CV_DOOR_OUTBOX], name).p;
    cv_err ignored = {.arena = door->arena};
    cv_str bytes, text;
    cv_json value;
    cv_mail_message m;
    bool found;
    return cv_door_is_as_written(door, path) ||
           (cv_file_read_at(door->arena, cv_door_in(door, agent, CV_DOOR_OUTBOX, name), (size_t)CV_MAIL_MAX_SIZE,
                            &bytes, &ignored) &&
            cv_json_parse(door->arena, bytes, &value, &ignored) && value.type == CV_JSON_OBJECT &&
            cv_mail_message_get(door->record, door->arena, cv_json_get_text(&value, "message_id"), &m, &found,
                                &ignored) &&
            found && cv_str_eq(m.sender, agent->name) && strcmp(sent_name(door->arena, m.message_id), name) == 0 &&
            print_sent(door, &m, &text, &ignored) && cv_str_eq(text, bytes));
}

static bool write_sent(cv_mail_door *door, cv_door_agent *agent, const cv_mail_message *m, const char *name,
                       cv_err *err)
{
    cv_str text;
    const cv_door_change outbox = cv_door_change_begin(door, agent, CV_DOOR_OUTBOX);
    if (!print_sent(door, m, &text, err))
        return false;
    if (!cv_door_write_message(door, agent, CV_DOOR_OUTBOX, name, text, true, err) && err->code != CV_ERR_FILE_CHANGED)
        return false;
    cv_err_clear(err); /* somebody put a file of this name there: it is theirs, and is looked at when taking in */
    cv_door_change_end(door, &outbox, name);
    return true;
}

/* When nobody has anything to do with it any more. */
static bool archive_sent(cv_mail_door *door, const cv_door_agent *agent, const cv_mail_message *m, const char *name,
                         cv_err *err)
{
    cv_row_list rows;
    if (!stands_in(door, agent, CV_DOOR_OUTBOX, name))
        return true;
    if (!cv_mail_deliveries_of(door->record, door->arena, m->message_id, &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (cv_mail_states[cv_mail_state_of(((const cv_mail_delivery *)rows.items[i])->state)].open)
            return true;
    const cv_door_change outbox = cv_door_change_begin(door, agent, CV_DOOR_OUTBOX);
    bool ok = cv_door_archive(door, agent, cv_door_in(door, agent, CV_DOOR_OUTBOX, name), name, err);
    cv_door_change_end(door, &outbox, name);
    return ok;
}

/* outbox/msg_ID.json of the sender: from the send until all recipients are finished with it. An agent that takes it
 * away has picked it up: it is not written again. */
static bool show_sent(cv_mail_door *door, const cv_mail_delivery *d, cv_err *err)
{
    cv_mail_state state = cv_mail_state_of(d->state);
    cv_mail_message m;
    cv_door_agent *agent;
    bool found, beyond, is_new = state == CV_MAIL_NEW && d->attempts == 0;
    if (cv_mail_states[state].open && !is_new)
        return true;
    if (!message_of(door, d, &m, &found, err) || !found)
        return !err->code;
    if (!cv_door_reader_of(door, m.sender, &agent, err) || !agent)
        return !err->code;
    const char *name = sent_name(door->arena, m.message_id);
    if (!is_new)
        return archive_sent(door, agent, &m, name, err);
    if (stands_in(door, agent, CV_DOOR_OUTBOX, name) || !is_beyond(door, d, CV_DOOR_INBOX, &beyond, err))
        return !err->code;
    return beyond || write_sent(door, agent, &m, name, err);
}

bool cv_door_pass_over_place(cv_err *err)
{
    bool one = err->code == CV_ERR_INVALID_VALUE || err->code == CV_ERR_NO_ACCESS || err->code == CV_ERR_NOT_A_FILE ||
               err->code == CV_ERR_NOT_FOUND;
    return one && cv_door_pass_over(err);
}

/* Puts the file of a delivery where its state wants it. */
static bool place_delivery(cv_mail_door *door, cv_str mailbox, int64_t seq, cv_err *err)
{
    cv_door_agent *agent;
    cv_mail_delivery d;
    bool found;
    if (!cv_mail_delivery_get(door->record, door->arena, mailbox, seq, &d, &found, err) || !found)
        return !err->code;
    if (!show_sent(door, &d, err) && !cv_door_pass_over_place(err))
        return false;
    bool ok = cv_door_reader_of(door, mailbox, &agent, err) &&
              (!agent || move_or_write(door, agent, &d, folder_of(door, &d), false, false, err));
    return ok || cv_door_pass_over_place(err);
}

/* ---- what is remembered ------------------------------------------------------------------------------------------ */

/* What is being written, and which mailboxes are to be. */
typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} names;

typedef struct {
    cv_mail_door *door;
    cv_door_kept at;
    cv_map boxes;
    names touched;
} showing;

static cv_door_kept recall(cv_arena *a, const cv_json *kept)
{
    cv_door_kept at = {.completed = cv_json_get_int(kept, "completed", 0),
                       .tasks_late = cv_json_get_true(kept, "tasks_late"),
                       .rev = cv_json_get_int(kept, "rev", 0),
                       .expired = cv_json_get_int(kept, "expired", 0)};
    const cv_json *late = cv_json_get(kept, CV_STR("late"));
    cv_str *items = CV_NEW_ARRAY(a, late ? late->count : 0, cv_str);
    for (uint32_t i = 0; late && late->type == CV_JSON_ARRAY && i < late->count; i++)
        items[at.late.count++] = late->items[i].text;
    at.late.items = items;
    return at;
}

static void keep(const cv_projection *p, cv_json_writer *w)
{
    const showing *s = p->ctx;
    cv_json_key_int(w, "completed", s->at.completed);
    if (s->at.late.count)
        cv_json_key_strs(w, "late", s->at.late.items, s->at.late.count);
    if (s->at.tasks_late)
        cv_json_key_bool(w, "tasks_late", true);
    cv_json_key_int(w, "rev", s->at.rev);
    if (s->at.expired)
        cv_json_key_int(w, "expired", s->at.expired);
}

/* The files in the feed, as they were left. */
static cv_projection open_projection(cv_mail_door *door, const cv_json **ret_kept)
{
    cv_projection p = {.record = door->record, .arena = door->arena, .folder = cv_door_root(door)};
    cv_projection_open(&p, ret_kept);
    return p;
}

bool cv_door_completed_at(cv_mail_door *door, int64_t *ret_at)
{
    const cv_json *kept;
    open_projection(door, &kept);
    *ret_at = kept ? recall(door->arena, kept).completed : 0;
    return kept != NULL;
}

/* Has everything that was committed been written here? */
static bool is_all_shown(cv_mail_door *door, bool *ret_shown, cv_err *err)
{
    const cv_json *kept;
    const cv_projection p = open_projection(door, &kept);
    return cv_projection_is_new(&p, ret_shown, err);
}

/* Of what is open at the beginning only inboxes are written: its senders may have picked up their views of it. */
bool cv_door_begin_taking(cv_mail_door *door, cv_err *err)
{
    const cv_json *kept;
    open_projection(door, &kept);
    return kept || door->record->calls->newest(door->record, door->arena, 0, &door->since, err);
}

bool cv_door_has_shown(cv_mail_door *door, int64_t rev)
{
    const cv_json *kept;
    open_projection(door, &kept);
    return kept && recall(door->arena, kept).rev >= rev;
}

bool cv_door_is_shown(cv_mail_door *door, bool *ret_shown, cv_err *err)
{
    const cv_json *kept;
    const cv_projection p = open_projection(door, &kept);
    cv_door_kept at = kept ? recall(door->arena, kept) : (cv_door_kept){.tasks_late = true};
    *ret_shown = false;
    return at.late.count > 0 || at.tasks_late || cv_projection_is_new(&p, ret_shown, err);
}

/* ---- whole inboxes ----------------------------------------------------------------------------------------------- */

/* Files of open deliveries: their names, and the folder of each. */
static bool list_files(cv_mail_door *door, const cv_door_agent *agent, cv_map *ret, cv_err *err)
{
    cv_door_list there;
    int64_t seq;
    bool is_new;
    *ret = (cv_map){0};
    for (int f = CV_DOOR_INBOX; f <= CV_DOOR_FAILED; f++) {
        if (!cv_door_read(door, cv_door_in(door, agent, (cv_door_folder)f, ""), false, &there, err))
            return false;
        for (size_t i = 0; i < there.count; i++)
            if (cv_door_seq_of(there.items[i], &seq))
                *cv_map_put(ret, door->arena, cv_str_of(there.items[i]), &is_new) = (uintptr_t)f;
    }
    return true;
}

/* The first ones that are open, as many as a folder holds. */
bool cv_door_refill(cv_mail_door *door, cv_door_agent *agent, bool all, cv_err *err)
{
    cv_mail_mailbox mailbox;
    cv_mail_delivery like;
    bool found;
    cv_map there;
    cv_row_list rows = {0};
    if (!cv_mail_mailbox_get(door->record, door->arena, agent->name, &mailbox, &found, err) || !found)
        return !err->code;
    int64_t wanted = mailbox.waiting < CV_DOOR_WINDOW ? mailbox.waiting : CV_DOOR_WINDOW;
    if (!list_files(door, agent, &there, err))
        return false;
    if (!all && (int64_t)there.count >= wanted)
        return true;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = agent->name;
    like.open = 1;
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = cv_deliveries_open,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 2,
                          .limit = (size_t)CV_DOOR_WINDOW,
                          .outline = true};
    if (!cv_record_rows(door->record, door->arena, &find, &rows, err))
        return false;
    /* What was there before is missing; what was committed a moment ago, or comes into the window, never was. */
    bool shown = false;
    if (!all && mailbox.waiting <= CV_DOOR_WINDOW && !is_all_shown(door, &shown, err))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        const cv_mail_delivery *d = rows.items[i];
        cv_door_folder to = folder_of(door, d);
        const uintptr_t *stands = cv_map_get(&there, cv_str_of(cv_door_name_of(door->arena, d->seq)));
        if ((!stands || *stands != (uintptr_t)to) && !move_or_write(door, agent, d, to, shown, true, err))
            return false;
    }
    return true;
}

/* ---- what has expired -------------------------------------------------------------------------------------------- */

static bool expire_of(cv_mail_door *door, const char *folder, int64_t after, cv_err *err)
{
    cv_door_agent *agent;
    bool late, has;
    cv_str name = cv_agent_name(door->arena, cv_str_of(folder));
    if (!cv_mail_has_expired(door->record, name, after, door->now_ms, &has, err) || !has)
        return !err->code;
    if (door->looking)
        return door->found = true;
    door->expired_to = door->now_ms;
    return cv_door_agent_of(door, name, &agent, err) &&
           (!agent || (cv_door_refill(door, agent, true, err) && cv_door_mailbox_write(door, name, &late, err)));
}

bool cv_door_expire(cv_mail_door *door, const cv_door_list *agents, cv_err *err)
{
    const cv_json *kept;
    open_projection(door, &kept);
    int64_t after = kept ? recall(door->arena, kept).expired : 0;
    if (after > door->now_ms)
        after = 0; /* the clock was set back */
    for (size_t i = 0; i < agents->count; i++)
        if (cv_agent_id_valid(cv_str_of(agents->items[i])) && !expire_of(door, agents->items[i], after, err) &&
            !cv_door_pass_over_place(err))
            return false;
    return true;
}

/* ---- from nothing ------------------------------------------------------------------------------------------------ */

static void touch(cv_map *boxes, names *touched, cv_str mailbox)
{
    bool is_new;
    cv_str name = cv_arena_copy(touched->arena, mailbox);
    cv_map_put(boxes, touched->arena, name, &is_new);
    if (is_new)
        *CV_PUSH(touched->arena, touched) = name;
}

static bool add_agent(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    names *all = ctx;
    const cv_agent_row *agent = row;
    (void)scope, (void)err;
    if (!cv_agent_is_removed(agent) && agent->files == 1)
        *CV_PUSH(all->arena, all) = cv_arena_copy(all->arena, agent->name);
    return true;
}

bool cv_door_make_folders(cv_mail_door *door, cv_str id, cv_err *err)
{
    names all = {.arena = door->arena};
    cv_door_agent *agent;
    if (id.p)
        return cv_door_agent_of(door, id, &agent, err);
    if (!cv_agents_each(door->record, (cv_str){0}, 0, add_agent, &all, err))
        return false;
    for (size_t i = 0; i < all.count; i++)
        if (!cv_door_agent_of(door, all.items[i], &agent, err))
            return false;
    return true;
}

bool cv_door_restore(cv_mail_door *door, const cv_door_list *folders, cv_err *err)
{
    names all = {.arena = door->arena};
    cv_map there = {0};
    cv_door_agent *agent;
    bool is_new;
    for (size_t i = 0; i < folders->count; i++)
        cv_map_put(&there, door->arena, cv_str_of(folders->items[i]), &is_new);
    if (!cv_folder_make_at(cv_where_in(door->arena, cv_door_root(door), "runtime"), err) ||
        !cv_agents_each(door->record, (cv_str){0}, 0, add_agent, &all, err))
        return false;
    for (size_t i = 0; i < all.count; i++) {
        if (!cv_door_reader_of(door, all.items[i], &agent, err))
            return false;
        if (!agent || cv_map_get(&there, cv_str_of(agent->folder)))
            continue;
        if (!(cv_door_agent_of(door, all.items[i], &agent, err) && cv_door_refill(door, agent, true, err)) &&
            !cv_door_pass_over_place(err))
            return false;
    }
    return true;
}

/* Temporary files of processes that were killed. */
static void sweep(cv_mail_door *door, cv_where folder)
{
    cv_door_list there;
    cv_err ignored = {.arena = door->arena};
    if (!cv_door_read(door, folder, true, &there, &ignored))
        return;
    for (size_t i = 0; i < there.count; i++)
        if (cv_file_is_leftover(there.items[i]))
            cv_where_unlink(cv_where_in(door->arena, folder, there.items[i]));
}

/* Every agent that has files: its open deliveries, and the view of its mailbox. */
static bool show_all(cv_mail_door *door, cv_map *boxes, names *touched, cv_err *err)
{
    names all = {.arena = door->arena};
    cv_door_agent *agent;
    if (!cv_agents_each(door->record, (cv_str){0}, 0, add_agent, &all, err))
        return false;
    sweep(door, cv_door_root(door));
    for (size_t i = 0; i < all.count; i++) {
        agent = NULL;
        bool ok =
            cv_door_agent_of(door, all.items[i], &agent, err) && (!agent || cv_door_refill(door, agent, true, err));
        if (!ok && !cv_door_pass_over_place(err))
            return false;
        for (int f = 0; agent && f < CV_DOOR_FOLDERS; f++)
            sweep(door, cv_door_in(door, agent, (cv_door_folder)f, ""));
        if (agent)
            touch(boxes, touched, agent->name);
    }
    return true;
}

/* ---- commits ----------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_door *door;
    cv_door_outcomes changes;  /* in the order of the feed */
    cv_map seen;               /* each delivery once */
    bool agents;               /* the registry has changed */
    bool log;                  /* the governance log has more lines */
    bool tasks;                /* a plan, or what became of a task, is new */
    names states, reports;     /* that were set or written: "OWNER/NAME"; paths */
    cv_map is_set, is_written; /* … each once */
    int64_t rev;               /* of the last commit of the post office */
    struct {
        int64_t *items; /* slots that were claimed or released */
        size_t count, capacity;
    } slots;
} batch;

/* `redact` changes files itself, and names the row by its key, which is not a path. */
static bool see_event(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    batch *b = ctx;
    const cv_event_row *e = row;
    cv_arena *a = b->door->arena;
    cv_json data;
    cv_err ignored = {.arena = a};
    (void)scope, (void)err;
    b->log |= cv_str_eq(e->subject_type, CV_STR("entry"));
    if (cv_str_eq(e->subject_type, CV_STR("state")))
        touch(&b->is_set, &b->states, e->subject_id);
    if (cv_str_eq(e->subject_type, CV_STR("paper")) && !cv_str_eq(e->event_type, CV_STR("redacted")))
        touch(&b->is_written, &b->reports, e->subject_id);
    if (cv_str_eq(e->subject_type, CV_STR("mailbox")) && e->step != CV_ABSENT)
        *CV_PUSH(a, &b->slots) = e->step;
    b->tasks |= cv_str_eq(e->subject_type, CV_STR("plan")) || cv_str_eq(e->subject_type, CV_STR("task"));
    if (!e->data.p || !cv_json_parse(a, cv_arena_copy(a, e->data), &data, &ignored))
        return true; /* redacted, or an event that changes no delivery */
    const cv_json *list = cv_json_get(&data, CV_STR("deliveries"));
    for (uint32_t i = 0; list && list->type == CV_JSON_ARRAY && i < list->count; i++)
        *CV_PUSH(a, &b->changes) = (cv_door_outcome){.mailbox = cv_json_get_text(&list->items[i], "agent"),
                                                     .state = cv_json_get_text(&list->items[i], "state"),
                                                     .seq = cv_json_get_int(&list->items[i], "seq", 0),
                                                     .at = cv_arena_copy(a, e->created_at)};
    return true;
}

static bool gather(batch *b, const cv_feed_entries *list, cv_err *err)
{
    cv_record *record = b->door->record;
    for (size_t i = 0; i < list->count; i++) {
        const cv_feed_entry *entry = &list->items[i];
        cv_event_row like;
        if (cv_str_eq(entry->scope.room, cv_agents_scope().room) &&
            cv_str_eq(entry->scope.name, cv_agents_scope().name))
            b->agents = true;
        if (!cv_str_eq(entry->scope.room, cv_mail_scope().room) || !cv_str_eq(entry->scope.name, cv_mail_scope().name))
            continue;
        b->rev = entry->rev > b->rev ? entry->rev : b->rev;
        cv_row_clear(&cv_event_row_type, &like);
        like.rev = entry->rev;
        const cv_find find = {
            .type = &cv_event_row_type, .index = cv_events_by_rev, .scope = cv_mail_scope(), .like = &like, .equal = 1};
        if (!record->calls->find(record, &find, see_event, b, err))
            return false;
    }
    return true;
}

static bool show_batch(showing *s, batch *b, cv_err *err)
{
    cv_arena *a = s->door->arena;
    for (size_t i = 0; i < b->changes.count; i++) {
        const cv_door_outcome *c = &b->changes.items[i];
        bool is_new;
        cv_map_put(&b->seen, a, cv_arena_printf(a, "%.*s/%lld", CV_FMT(c->mailbox), (long long)c->seq), &is_new);
        if (is_new && !place_delivery(s->door, c->mailbox, c->seq, err))
            return false;
        touch(&s->boxes, &s->touched, c->mailbox);
    }
    s->at.tasks_late |= b->tasks;
    for (size_t i = 0; i < b->slots.count; i++) {
        cv_str mailbox = {0};
        if (!cv_door_slot_show(s->door, b->slots.items[i], &mailbox, err) && !cv_door_pass_over_place(err))
            return false;
        if (mailbox.p)
            touch(&s->boxes, &s->touched, mailbox);
    }
    return cv_door_complete(s->door, &b->changes, &s->at.completed, err) &&
           (!b->log || cv_mail_log_show(s->door->call, err)) &&
           (!b->agents || show_all(s->door, &s->boxes, &s->touched, err));
}

/* "OWNER/NAME"; the owner "-" is nobody. */
static bool show_state(cv_mail_door *door, cv_str subject, cv_err *err)
{
    cv_door_agent agent = {0}, *found = &agent;
    cv_str owner, name = subject;
    if (!cv_str_split(&name, '/', &owner) || name.n == 0)
        return true;
    bool is_general = cv_str_eq(owner, CV_STR("-"));
    if (!is_general && !cv_door_find_agent(door, owner, &found, err))
        return false;
    return (!is_general && !found->id.p) || cv_mail_state_show(door->call, owner, found->id, name, err);
}

/* They were shown when they were written, unless that went wrong or somebody was killed before it. */
static bool show_texts(cv_mail_door *door, const batch *b, cv_err *err)
{
    for (size_t i = 0; i < b->states.count; i++)
        if (!show_state(door, b->states.items[i], err) && !cv_door_pass_over_place(err))
            return false;
    for (size_t i = 0; i < b->reports.count; i++)
        if (!cv_mail_report_show(door->call, b->reports.items[i], err) && !cv_door_pass_over_place(err))
            return false;
    return true;
}

static bool show_views(showing *s, bool *ret_changed, cv_err *err)
{
    names late = {.arena = s->door->arena};
    bool tasks = s->at.tasks_late;
    if (tasks && !cv_door_task_list_write(s->door, &s->at.tasks_late, err))
        return false;
    for (size_t i = 0; i < s->at.late.count; i++)
        touch(&s->boxes, &s->touched, s->at.late.items[i]);
    for (size_t i = 0; i < s->touched.count; i++) {
        bool is_late, ok = cv_door_mailbox_write(s->door, s->touched.items[i], &is_late, err);
        if (!ok && !cv_door_pass_over_place(err))
            return false;
        if (is_late || !ok)
            *CV_PUSH(late.arena, &late) = s->touched.items[i];
    }
    *ret_changed = late.count != s->at.late.count || tasks;
    s->at.late = (cv_words){late.items, late.count};
    return true;
}

static bool write_all(cv_projection *p, bool from_nothing, cv_err *err)
{
    showing *s = p->ctx;
    struct stat st;
    cv_where completed = cv_where_in(s->door->arena, cv_door_root(s->door), "completed_tasks.json");
    if (from_nothing) {
        s->at.rev = 0;
        s->at.completed = cv_where_look(completed, &st) ? st.st_size : 0;
    }
    s->at.tasks_late = true;
    return show_all(s->door, &s->boxes, &s->touched, err) && (!from_nothing || cv_door_registry_log(s->door, err));
}

static bool write_commits(cv_projection *p, const cv_feed_entries *commits, cv_err *err)
{
    showing *s = p->ctx;
    cv_arena *a = s->door->arena;
    batch b = {.door = s->door, .states = {.arena = a}, .reports = {.arena = a}};
    cv_record *record = s->door->record;
    cv_scope_position at;
    if (!record->calls->begin(record, a, cv_mail_scope(), &at, err)) /* one lock for all that is read */
        return false;
    s->door->mailbox = NULL;
    s->door->one_moment = true;
    bool ok = gather(&b, commits, err) && show_batch(s, &b, err);
    s->door->one_moment = false;
    record->calls->end(record);
    s->at.rev = b.rev > s->at.rev ? b.rev : s->at.rev;
    p->again = b.agents; /* what was registered has made commits of its own */
    return ok && show_texts(s->door, &b, err) && (!b.agents || cv_door_registry_log(s->door, err));
}

bool cv_door_catch_up(cv_mail_door *door, cv_err *err)
{
    const cv_json *kept;
    showing s = {.door = door, .touched = {.arena = door->arena}};
    cv_projection p = open_projection(door, &kept);
    bool changed = false;
    p.since = door->since;
    p.write = write_commits;
    p.write_all = write_all;
    p.keep = keep;
    p.ctx = &s;
    if (kept)
        s.at = recall(door->arena, kept);
    int64_t before = s.at.completed;
    bool expired = door->expired_to >= 0;
    if (expired)
        s.at.expired = door->expired_to;
    if (door->reported_to >= 0)
        s.at.completed = door->reported_to;
    if (!cv_projection_catch_up(&p, err) || !show_views(&s, &changed, err) ||
        ((changed || expired || s.at.completed != before) && !cv_projection_keep(&p, err)))
        return false;
    if (door->reported_to >= 0)
        cv_door_complete_to(door, 0, &s.at.completed);
    return true;
}
