/* prompt_files.c - the files between the prompt slot and the program that runs a model; see prompt_files.h. */
#include "mail/prompt_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/limits.h"
#include "kit/destination.h"
#include "kit/settings.h"
#include "mail/files/door.h"
#include "mail/text/repair.h"
#include "mail/writing.h"

enum { QUIET_SECONDS = 2 }; /* an answer that cannot be read, and was not changed for so long, is whole */

static const char input_name[] = "temp/cursor_input.txt", id_name[] = "temp/cursor_input.id",
                  output_name[] = "temp/cursor_output.json";

static cv_where root_folder(const cv_call *call)
{
    return cv_room_place(call->arena, call->root, CV_STR("mail"));
}

cv_where cv_mail_file(const cv_call *call, const char *path)
{
    return cv_where_in(call->arena, root_folder(call), path);
}

bool cv_prompt_open(cv_prompt_door *door, cv_call *call, cv_err *err)
{
    *door = (cv_prompt_door){.call = call, .root = root_folder(call), .lock = -1};
    cv_where temp = cv_mail_file(call, "temp");
    if (!cv_folder_make_at(cv_mail_file(call, "archive"), err))
        return false;
    if (!cv_folder_lock(temp, true, true, &door->lock, err))
        return false;
    cv_folder_sweep(call->arena, cv_where_path(call->arena, temp));
    return true;
}

void cv_prompt_close(cv_prompt_door *door)
{
    if (door->lock >= 0)
        close(door->lock);
    door->lock = -1;
}

/* ---- moving and looking ------------------------------------------------------------------------------------------ */

static bool is_there(const cv_prompt_door *door, const char *path)
{
    struct stat st;
    return cv_where_look(cv_mail_file(door->call, path), &st);
}

/* Another name for a file, durably and never over another one. *ret_gone: it is not there. */
static bool move(const cv_prompt_door *door, const char *from, const char *to, bool *ret_gone, cv_err *err)
{
    cv_where target = cv_mail_file(door->call, to);
    *ret_gone = false;
    return cv_folder_make_at(cv_where_folder(err->arena, target), err) &&
           cv_door_move(cv_mail_file(door->call, from), target, true, ret_gone, err);
}

/* To the archive, under a name that nobody has. */
static bool archive(const cv_prompt_door *door, const char *from, const char *what, cv_str id, const char *ending,
                    cv_err *err)
{
    cv_arena *a = door->call->arena;
    bool gone;
    const char *to = cv_arena_printf(a, "archive/%s-%.*s%s", what, CV_FMT(id), ending).p;
    if (is_there(door, to))
        to = cv_arena_printf(a, "archive/%s-%.*s-%s%s", what, CV_FMT(id), cv_file_unique(a), ending).p;
    return move(door, from, to, &gone, err);
}

/* The id of the prompt whose text was shown last; empty: none. */
static cv_str shown_id(const cv_prompt_door *door)
{
    cv_err ignored = {.arena = door->call->arena};
    cv_str id;
    bool ok = cv_file_read_at(door->call->arena, cv_mail_file(door->call, id_name), 4096, &id, &ignored);
    return ok ? cv_str_trim(id) : CV_STR("");
}

/* ---- prompts ----------------------------------------------------------------------------------------------------- */

static const char *private_name(const cv_prompt_door *door, cv_str request_id)
{
    return cv_arena_printf(door->call->arena, "temp/.input-%.*s", CV_FMT(request_id)).p;
}

/* Private file, id, rename: a reader sees the whole text or none. */
static bool show(cv_prompt_door *door, const cv_mail_prompt *prompt, cv_err *err)
{
    const char *own = private_name(door, prompt->request_id);
    cv_str id = cv_arena_printf(door->call->arena, "%.*s\n", CV_FMT(prompt->request_id));
    bool gone;
    return cv_file_write_at(cv_mail_file(door->call, own), prompt->text, NULL, err) &&
           cv_file_write_at(cv_mail_file(door->call, id_name), id, NULL, err) &&
           move(door, own, input_name, &gone, err);
}

/* A text that is not the one that is staged: of an earlier prompt, or of somebody else. */
static bool clear_input(cv_prompt_door *door, cv_str id, cv_prompt_shown *ret, cv_err *err)
{
    cv_mail_prompt earlier;
    bool known = false;
    if (!is_there(door, input_name))
        return true;
    cv_row_clear(&cv_mail_prompt_type, &earlier);
    earlier.request_id = id;
    if (id.n > 0 && !cv_record_get(door->call->record, door->call->arena, cv_mail_scope(), &cv_mail_prompt_type,
                                   &earlier, &known, err))
        return false;
    ret->foreign = !known;
    return !known || archive(door, input_name, "cursor_input", id, ".txt", err);
}

bool cv_prompt_show(cv_prompt_door *door, const cv_mail_prompt *current, cv_prompt_shown *ret, cv_err *err)
{
    cv_str id = shown_id(door);
    bool staged = current && cv_str_eq(current->state, CV_STR("staged"));
    *ret = (cv_prompt_shown){0};
    if (staged && cv_str_eq(id, current->request_id) && !is_there(door, private_name(door, id))) {
        ret->taken_away = !is_there(door, input_name);
        return true;
    }
    if (staged && cv_str_eq(id, current->request_id)) { /* somebody was killed before the rename, or behind it */
        if (!is_there(door, input_name))
            return show(door, current, err);
        cv_where_unlink(cv_mail_file(door->call, private_name(door, id)));
        return true;
    }
    if (!clear_input(door, id, ret, err))
        return false;
    if (!staged && id.n > 0) /* else it would name a file that is put there later */
        cv_where_unlink(cv_mail_file(door->call, id_name));
    return !staged || ret->foreign || show(door, current, err);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* An answer that somebody took and could not finish with. */
static const char *find_private(const cv_prompt_door *door, cv_err *err)
{
    cv_folder_entries entries;
    if (!cv_folder_list(door->call->arena, cv_mail_file(door->call, "temp"), &entries, err))
        return NULL;
    for (size_t i = 0; i < entries.count; i++)
        if (!entries.items[i].is_folder && cv_str_starts(cv_str_of(entries.items[i].name), CV_STR(".answer-")))
            return cv_arena_printf(door->call->arena, "temp/%s", entries.items[i].name).p;
    return NULL;
}

static bool quarantine(const cv_prompt_door *door, const char *from, const cv_err *why, cv_err *err)
{
    cv_arena *a = door->call->arena;
    const char *to = cv_arena_printf(a, "quarantine/cursor_output-%s.json", cv_file_unique(a)).p;
    const char *reason = cv_arena_printf(a, "%s.reason.txt", to).p;
    cv_str text = cv_arena_printf(a, "%.*s\n", CV_FMT(cv_err_text(why)));
    bool gone;
    if (!cv_folder_make_at(cv_mail_file(door->call, "quarantine"), err) || !move(door, from, to, &gone, err) ||
        !cv_file_write_at(cv_mail_file(door->call, reason), text, NULL, err))
        return false;
    cv_err_set(err, CV_ERR_ANSWER_DAMAGED, "temp/cursor_output.json is not an answer: %.*s", CV_FMT(why->message));
    cv_err_value(err, cv_str_of(to));
    cv_err_suggest(err, cv_arena_printf(a, "it was moved to %s; write it again as JSON", to));
    return false;
}

/* Reads what lies under a name; *ret_whole false: it may still grow. */
static bool read_answer(const cv_prompt_door *door, const char *name, cv_mtext *ret, bool *ret_whole, cv_err *why)
{
    cv_where where = cv_mail_file(door->call, name);
    struct stat st;
    cv_str bytes;
    *ret_whole = true;
    if (!cv_file_read_at(door->call->arena, where, (size_t)CV_MAIL_MAX_TEXT, &bytes, why))
        return false;
    if (cv_mtext_read(door->call->arena, bytes, ret, why))
        return true;
    *ret_whole = !cv_where_look(where, &st) || st.st_mtime + QUIET_SECONDS <= time(NULL);
    return false;
}

bool cv_prompt_take_answer(cv_prompt_door *door, const char **ret_name, cv_str *ret_text, cv_str *ret_notes,
                           cv_err *err)
{
    cv_arena *a = door->call->arena;
    cv_err why = {.arena = a};
    cv_mtext read;
    bool whole, gone = false;
    const char *name = find_private(door, err);
    *ret_name = NULL;
    if (!name && err->code != CV_ERR_NONE)
        return false;
    if (!name && !is_there(door, output_name))
        return true;
    if (!read_answer(door, name ? name : output_name, &read, &whole, &why))
        return why.code == CV_ERR_IO || why.code == CV_ERR_NOT_A_FILE ? (cv_err_copy(err, &why), false)
               : !whole && !name                                      ? true
                                 : quarantine(door, name ? name : output_name, &why, err);
    if (!name) {
        name = cv_arena_printf(a, "temp/.answer-%s", cv_file_unique(a)).p;
        if (!move(door, output_name, name, &gone, err))
            return false;
        /* Whatever was moved counts: somebody may have written another one since it was read. */
        if (!gone && !read_answer(door, name, &read, &whole, &why))
            return quarantine(door, name, &why, err);
    }
    *ret_name = gone ? NULL : name;
    *ret_text = read.text;
    *ret_notes = read.notes.count > 0 ? cv_mtext_notes_text(a, &read.notes) : (cv_str){NULL, 0};
    return true;
}

bool cv_prompt_archive_answer(cv_prompt_door *door, const char *name, cv_str request_id, cv_err *err)
{
    return archive(door, name, "cursor_output", request_id, ".json", err);
}
