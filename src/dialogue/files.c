/* files.c - the files of a dialogue; see files.h. */
#include "dialogue/files.h"

#include "base/folder.h"
#include "kit/destination.h"

static const struct {
    const char *name, *suffix;
} round_files[] = {
    [CV_FILE_PROMPT] = {"prompt", "md"},
    [CV_FILE_CONTEXT] = {"context", "json"},
    [CV_FILE_RESPONSE] = {"response", "md"},
};

bool cv_dialogue_folder(const cv_call *call, const cv_state *s, cv_where *ret_where, cv_err *err)
{
    cv_str folder = s->dialogue.output_dir;
    if (folder.n == 0 || s->imported)
        folder = cv_arena_printf(call->arena, CV_DIALOGUES_FOLDER "/%.*s", CV_FMT(s->id));
    return cv_destination_folder(call, folder, ret_where, err);
}

cv_where cv_round_file_where(cv_arena *a, cv_where folder, int64_t round, cv_round_file file, cv_str slug)
{
    return cv_where_printf(a, folder, "round-%lld/%s-%.*s.%s", (long long)round, round_files[file].name, CV_FMT(slug),
                           round_files[file].suffix);
}

/* Asking for the size first keeps the usual case, another text, cheap. */
static bool holds(cv_arena *a, cv_where where, cv_str bytes)
{
    cv_err err = {.arena = a};
    cv_str found;
    struct stat st;
    return cv_where_look(where, &st) && S_ISREG(st.st_mode) && (size_t)st.st_size == bytes.n &&
           cv_file_read_at(a, where, bytes.n, &found, &err) && cv_str_eq(found, bytes);
}

bool cv_dialogue_file_write(cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err)
{
    cv_arena *a = err->arena;
    return holds(a, where, bytes) ||
           (cv_folder_make_at(cv_where_folder(a, where), err) && cv_file_write_at(where, bytes, rules, err));
}

void cv_dialogue_file_warn(cv_call *call, const cv_file_rules *rules, cv_str expert, cv_notices *warnings)
{
    for (size_t i = 0; i < rules->kept.count; i++)
        cv_notice_expert(cv_notice_add(warnings, call->arena, CV_STR("file_kept_aside"),
                                       "somebody else wrote or edited this file: it is kept as %s",
                                       rules->kept.items[i]),
                         expert);
}
