/* response_files.c - the response files of a round; see response_files.h. */
#include "dialogue/intake/response_files.h"

#include "base/file.h"
#include "base/folder.h"
#include "dialogue/files.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"
#include "record/hash.h"

static const cv_str words[] = {
    [CV_RESPONSE_FILE_SAME] = CV_STR_INIT("same"),
    [CV_RESPONSE_FILE_NOT_IN_RECORD] = CV_STR_INIT("not_in_record"),
    [CV_RESPONSE_FILE_DIFFERS] = CV_STR_INIT("differs"),
    [CV_RESPONSE_FILE_UNKNOWN_EXPERT] = CV_STR_INIT("unknown_expert"),
    [CV_RESPONSE_FILE_UNREADABLE] = CV_STR_INIT("unreadable"),
};
_Static_assert(CV_COUNT(words) == CV_RESPONSE_FILE_STATE_COUNT, "a word per state");
const cv_words cv_response_file_words = {words, CV_RESPONSE_FILE_STATE_COUNT};
const cv_words cv_response_file_faults = {words + 1, CV_RESPONSE_FILE_STATE_COUNT - 1};

typedef struct {
    cv_call *call;
    const cv_state *s;
    int64_t round;
    cv_where folder;  /* round-N */
    cv_map responses; /* expert -> const cv_rec_response * */
    cv_response_files *files;
} looking;

/* Whose response the file is: response-SLUG.md, or SLUG.md when that is an expert. Empty: another file. */
static cv_str expert_of(const looking *l, cv_str name)
{
    static const cv_str prefix = CV_STR_INIT("response-"), suffix = CV_STR_INIT(".md");
    cv_str stem = cv_arena_lower(l->call->arena, cv_str_head(name, name.n - suffix.n));
    if (cv_str_starts(stem, prefix))
        return cv_str_from(stem, prefix.n);
    return cv_state_expert(l->s, stem) ? stem : (cv_str){NULL, 0};
}

cv_str cv_response_hand_in(const cv_call *call, cv_str dialogue_id, int64_t round, cv_str expert, cv_str path,
                           bool replace)
{
    const cv_argument arguments[] = {
        {"round", cv_arena_printf(call->arena, "%lld", (long long)round), CV_ARGUMENT_JSON},
        {"expert", expert, CV_ARGUMENT_TEXT},
        {"content", path, CV_ARGUMENT_FILE},
        {"replace", CV_STR("true"), CV_ARGUMENT_JSON},
    };
    return cv_call_name(call, CV_STR("dialogue respond"), dialogue_id, arguments, CV_COUNT(arguments) - !replace);
}

/* What is registered stays as it is: there a file can only be sent where nothing is. */
static cv_str command_for(const looking *l, const cv_response_file *file)
{
    bool differs = file->state == CV_RESPONSE_FILE_DIFFERS;
    if (file->state != CV_RESPONSE_FILE_NOT_IN_RECORD && !(differs && l->round >= cv_state_next_round(l->s)))
        return (cv_str){NULL, 0};
    return cv_response_hand_in(l->call, l->s->id, l->round, file->expert, file->path, differs);
}

static cv_response_file_state compare(const looking *l, cv_where where, cv_str expert, cv_str *ret_message)
{
    cv_err err = {.arena = l->call->arena};
    cv_str text;
    const uintptr_t *stored = cv_map_get(&l->responses, expert);
    if (!cv_state_expert(l->s, expert))
        return CV_RESPONSE_FILE_UNKNOWN_EXPERT;
    if (!cv_file_read_at(l->call->arena, where, CV_MAX_RESPONSE, &text, &err) || !cv_text_check(text, &err)) {
        *ret_message = err.message;
        return CV_RESPONSE_FILE_UNREADABLE;
    }
    if (!stored)
        return CV_RESPONSE_FILE_NOT_IN_RECORD;
    const cv_rec_response *row = (const cv_rec_response *)*stored;
    return cv_str_eq(cv_hash_text(l->call->arena, text), row->sha256) ? CV_RESPONSE_FILE_SAME
                                                                      : CV_RESPONSE_FILE_DIFFERS;
}

/* A link counts as a file, whatever it leads to; opening it gives the error. */
static void see_file(looking *l, const cv_folder_entry *entry)
{
    cv_str name = cv_str_of(entry->name);
    bool is_text = (entry->is_regular || entry->is_link) && cv_str_ends(name, CV_STR(".md"));
    cv_str expert = is_text ? expert_of(l, name) : CV_STR("");
    cv_where where = cv_where_in(l->call->arena, l->folder, entry->name);
    if (expert.n == 0)
        return;
    cv_response_file file = {.path = cv_str_of(cv_where_path(l->call->arena, where)), .expert = expert};
    file.state = compare(l, where, expert, &file.message);
    file.command = command_for(l, &file);
    *CV_PUSH(l->call->arena, l->files) = file;
}

/* The server that keeps the answer has to know of every change in the folder; a folder that may not be used, such as a
 * link, can become another one unseen. */
static bool find_folder(cv_call *call, const cv_state *s, int64_t round, cv_where *ret_folder, cv_err *err)
{
    cv_where folder;
    bool found = cv_dialogue_folder(call, s, &folder, err);
    if (found)
        *ret_folder = cv_where_printf(call->arena, folder, "round-%lld", (long long)round);
    if (found && call->seen)
        cv_seen_add(call->seen, call->arena, *ret_folder);
    else if (call->seen)
        call->seen->unknown = true;
    return found;
}

bool cv_response_files_look(cv_call *call, const cv_state *s, int64_t round, const cv_attendance *attendance,
                            cv_response_files *ret_files, cv_err *err)
{
    cv_arena *a = call->arena;
    looking l = {.call = call, .s = s, .round = round, .files = ret_files};
    cv_folder_entries entries = {0};
    struct stat st;
    *ret_files = (cv_response_files){0};
    if (!find_folder(call, s, round, &l.folder, err))
        return false;
    for (size_t i = 0; i < attendance->count; i++)
        if (attendance->items[i].response)
            *cv_map_put(&l.responses, a, attendance->items[i].expert, NULL) = (uintptr_t)attendance->items[i].response;
    if (!cv_where_look(l.folder, &st))
        return cv_where_check(l.folder, err);
    if (!S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
        return true;
    if (!cv_where_check(l.folder, err) || !cv_folder_list(a, l.folder, &entries, err))
        return false;
    for (size_t i = 0; i < entries.count; i++)
        see_file(&l, &entries.items[i]);
    return true;
}

/* What is registered is over; but where nothing is kept, a response may still come late. */
static cv_str advice(const cv_call *call, const cv_response_file *file, bool registering)
{
    bool over = registering && !cv_json_get_true(call->input, "dry_run");
    if (file->command.n == 0 || (over && file->state != CV_RESPONSE_FILE_NOT_IN_RECORD))
        return CV_STR("");
    return cv_arena_printf(call->arena, "; %s: %.*s", over ? "keep it anyway" : "send it", CV_FMT(file->command));
}

void cv_response_files_warn(cv_call *call, const cv_state *s, int64_t round, const cv_attendance *attendance,
                            bool registering, cv_notices *warnings)
{
    cv_response_files files;
    cv_err err = {.arena = call->arena};
    if (!cv_response_files_look(call, s, round, attendance, &files, &err))
        return;
    for (size_t i = 0; i < files.count; i++) {
        const cv_response_file *file = &files.items[i];
        if (file->state == CV_RESPONSE_FILE_NOT_IN_RECORD || file->state == CV_RESPONSE_FILE_DIFFERS)
            cv_notice_expert(cv_notice_add(warnings, call->arena, CV_STR("file_not_handed_in"),
                                           "%.*s is not what the record has of %.*s%s%.*s", CV_FMT(file->path),
                                           CV_FMT(file->expert), registering ? ": nothing of it is registered" : "",
                                           CV_FMT(advice(call, file, registering))),
                             file->expert);
    }
}
