/* mailbox.c - mailbox_N.json: written from the record, and taken in when somebody has edited it; see show.h.
 *
 *     {"status": "online", "assigned_agent_id": "A", "last_seen_utc": …, "messages": […], "processed_message_ids": […]}
 *
 * N is the slot of the agent. The file holds the first open messages and the last ids that were processed. A file of
 * many rows is not written for each change: it may be some time behind, and is then written by a later call. What
 * somebody writes into it at the moment in which it is replaced is displaced, not lost: it is taken in like every file.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "mail/files/show.h"
#include "mail/files/take.h"

enum {
    SMALL = 16 * 1024, /* bytes: a file that is not larger is written at once */
    PAUSE_MS = 1000,   /* between two writes of a larger one */
    PROCESSED = 1000,
};

static const char *name_of(cv_arena *a, int64_t slot)
{
    return cv_arena_printf(a, "mailbox_%lld.json", (long long)slot).p;
}

/* "mailbox_3.json", and what was displaced by a process that was killed before it could take it in. */
static bool slot_of(const char *name, int64_t *ret_slot, bool *ret_displaced)
{
    cv_str s = cv_str_of(name);
    int slot;
    size_t before = cv_str_find(s, CV_STR(".before-"));
    *ret_displaced = before != SIZE_MAX;
    s = cv_str_head(s, before);
    if (!cv_str_starts(s, CV_STR("mailbox_")) || !cv_str_ends(s, CV_STR(".json")))
        return false;
    bool ok = cv_str_to_int(cv_str_head(cv_str_from(s, 8), s.n - 13), &slot) && slot > 0;
    *ret_slot = slot;
    return ok;
}

/* ---- the view ---------------------------------------------------------------------------------------------------- */

static bool find_rows(cv_mail_door *door, cv_str mailbox, bool open, cv_row_list *ret, cv_err *err)
{
    cv_mail_delivery like;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = mailbox;
    like.open = 1;
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = open ? cv_deliveries_open : NULL,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = open ? 2 : 1,
                          .limit = open ? CV_DOOR_WINDOW : PROCESSED + CV_DOOR_WINDOW,
                          .descending = !open,
                          .outline = true};
    return cv_record_rows(door->record, door->arena, &find, ret, err);
}

static bool put_messages(cv_mail_door *door, const cv_mail_mailbox *box, cv_json_writer *w, cv_err *err)
{
    cv_row_list rows;
    if (!find_rows(door, box->agent, true, &rows, err))
        return false;
    cv_json_key(w, CV_STR("messages"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < rows.count; i++) {
        const cv_mail_delivery *d = rows.items[i];
        cv_mail_message m;
        cv_str text;
        bool found;
        if (!cv_mail_states[cv_mail_state_at(d, door->now_ms)].open)
            continue; /* it has expired */
        if (!cv_mail_message_get(door->record, door->arena, d->message_id, &m, &found, err) ||
            (found && !cv_door_print(door, &m, box->agent_id, CV_MTEXT_MAILBOX, 0, &text, err)))
            return false;
        if (found)
            cv_json_raw(w, cv_mtext_one_line(door->arena, text));
    }
    cv_json_end_array(w);
    return true;
}

static bool put_processed(cv_mail_door *door, const cv_mail_mailbox *box, cv_json_writer *w, cv_err *err)
{
    cv_row_list rows;
    size_t count = 0;
    if (!find_rows(door, box->agent, false, &rows, err))
        return false;
    const cv_mail_delivery **settled = CV_NEW_ARRAY(door->arena, rows.count, const cv_mail_delivery *);
    for (size_t i = 0; i < rows.count && count < PROCESSED; i++) {
        const cv_mail_delivery *d = rows.items[i];
        if (!cv_mail_states[cv_mail_state_of(d->state)].open)
            settled[count++] = d;
    }
    cv_json_key(w, CV_STR("processed_message_ids"));
    cv_json_begin_array(w);
    while (count > 0)
        cv_json_str(w, settled[--count]->message_id);
    cv_json_end_array(w);
    return true;
}

/* Of a slot that nobody has. */
static const char free_view[] = "{\n"
                                "  \"status\": \"offline\",\n"
                                "  \"assigned_agent_id\": null,\n"
                                "  \"last_seen_utc\": null,\n"
                                "  \"messages\": [],\n"
                                "  \"processed_message_ids\": []\n"
                                "}\n";

static bool print_rows(cv_mail_door *door, const cv_mail_mailbox *box, cv_str *ret_text, cv_err *err)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out, .indent = 2};
    cv_mail_life life;
    if (!cv_mail_life_of(door->record, door->arena, box->agent, door->now_ms, &life, err))
        return false;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", life.status);
    cv_json_key_str(&w, "assigned_agent_id", box->agent_id);
    cv_json_key(&w, CV_STR("last_seen_utc"));
    if (life.last_seen.p)
        cv_json_str(&w, life.last_seen);
    else
        cv_json_null(&w);
    bool ok = put_messages(door, box, &w, err) && put_processed(door, box, &w, err);
    if (ok) {
        cv_json_end_object(&w);
        cv_buf_add_char(&out, '\n');
        *ret_text = cv_buf_take(&out, door->arena);
    }
    cv_buf_release(&out);
    return ok;
}

/* All rows of one moment, and with one lock. */
static bool print_view(cv_mail_door *door, const cv_mail_mailbox *box, cv_str *ret_text, cv_err *err)
{
    cv_record *record = door->record;
    cv_scope_position at;
    if (!record->calls->begin(record, door->arena, cv_mail_scope(), &at, err))
        return false;
    bool ok = print_rows(door, box, ret_text, err);
    record->calls->end(record);
    return ok;
}

/* A large file is written once in a second at most. */
static bool is_due(const cv_mail_door *door, const char *name)
{
    struct stat st;
    if (fstatat(door->lock, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_size <= SMALL)
        return true;
    int64_t age = door->now_ms - cv_timespec_ns(st.st_mtim) / 1000000;
    return age < -PAUSE_MS || age > PAUSE_MS; /* its mark may be some milliseconds ahead */
}

/* Whose slot is it? Absent: nobody's. */
static bool mailbox_of_slot(cv_mail_door *door, int64_t number, cv_str *ret_mailbox, cv_err *err)
{
    cv_mail_slot slot;
    bool found;
    cv_row_clear(&cv_mail_slot_type, &slot);
    slot.slot = number;
    if (!cv_record_get(door->record, door->arena, cv_mail_scope(), &cv_mail_slot_type, &slot, &found, err))
        return false;
    *ret_mailbox = found ? slot.agent : (cv_str){NULL, 0};
    return true;
}

static bool is_ours(void *ctx, cv_str bytes, bool unmarked)
{
    (void)ctx, (void)bytes;
    return unmarked; /* without marks, edits are found before, by the time of the file */
}

bool cv_door_mailbox_write(cv_mail_door *door, cv_str mailbox, bool *ret_late, cv_err *err)
{
    cv_mail_mailbox box;
    cv_door_agent *agent;
    bool found, waits;
    cv_str text;
    *ret_late = false;
    if (!cv_door_reader_of(door, mailbox, &agent, err) || !agent)
        return !err->code;
    if (!cv_door_mailbox_get(door, mailbox, &box, &found, err) || !found || box.slot == CV_ABSENT)
        return !err->code;
    const char *name = name_of(door->arena, box.slot);
    cv_where where = cv_where_in(door->arena, cv_door_root(door), name);
    *ret_late = !is_due(door, name);
    if (*ret_late)
        return true;
    cv_file_rules rules = {.arena = door->arena, .is_ours = is_ours};
    if (!print_view(door, &box, &text, err) || !cv_door_replace(door, where, text, &rules, err))
        return false;
    for (size_t i = 0; i < rules.kept.count; i++)
        if (!cv_door_take(door, agent, CV_DOOR_FROM_MAILBOX, (cv_where){where.root, rules.kept.items[i]}, name, &waits,
                          err))
            return false;
    door->written++;
    return true;
}

bool cv_door_slot_show(cv_mail_door *door, int64_t slot, cv_str *ret_mailbox, cv_err *err)
{
    const char *name = name_of(door->arena, slot);
    cv_file_rules rules = {.arena = door->arena, .is_ours = is_ours};
    if (!mailbox_of_slot(door, slot, ret_mailbox, err))
        return false;
    if (ret_mailbox->p)
        return true;
    if (!cv_door_replace(door, cv_where_in(door->arena, cv_door_root(door), name), cv_str_of(free_view), &rules, err))
        return false;
    door->written++;
    return true;
}

/* ---- edits ------------------------------------------------------------------------------------------------------- */

static bool agent_of_slot(cv_mail_door *door, int64_t number, cv_door_agent **ret_agent, cv_err *err)
{
    cv_str mailbox;
    *ret_agent = NULL;
    return mailbox_of_slot(door, number, &mailbox, err) &&
           (!mailbox.p || cv_door_agent_of(door, mailbox, ret_agent, err));
}

static bool take_file(cv_mail_door *door, const char *name, int64_t slot, cv_err *err)
{
    cv_door_agent *agent;
    cv_where file = cv_where_in(door->arena, cv_door_root(door), name);
    bool late, waits, is_file;
    cv_str why;
    if (!agent_of_slot(door, slot, &agent, err))
        return false;
    if (!agent)
        return true;
    if (!cv_door_check_file(door, agent, file, name, &is_file, err))
        return false;
    if (is_file && cv_door_look(door, file, &why) != CV_DOOR_WHOLE) {
        cv_door_tell(door, agent, name, CV_DOOR_WAITING, why);
        return true;
    }
    return (!is_file ||
            cv_door_take(door, agent, CV_DOOR_FROM_MAILBOX, file, name_of(door->arena, slot), &waits, err)) &&
           cv_door_mailbox_write(door, agent->name, &late, err);
}

bool cv_door_mailboxes_take(cv_mail_door *door, cv_err *err)
{
    cv_door_list names;
    int64_t slot;
    bool displaced;
    if (!cv_door_read(door, cv_door_root(door), false, &names, err))
        return false;
    for (size_t i = names.count; i-- > 0;) { /* what was displaced is older than what is there */
        if (!slot_of(names.items[i], &slot, &displaced) || (!displaced && cv_door_is_as_written(door, names.items[i])))
            continue;
        if (door->looking)
            return door->found = true;
        if (!take_file(door, names.items[i], slot, err) && !cv_door_pass_over_place(err))
            return false;
    }
    return true;
}
