/* files.c - the files of a dialogue; see files.h. */
#include "dialogue/files.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/folder.h"
#include "record/outlet.h"

static const struct {
    const char *name, *suffix;
} round_files[] = {
    [CV_FILE_PROMPT] = {"prompt", "md"},
    [CV_FILE_CONTEXT] = {"context", "json"},
    [CV_FILE_RESPONSE] = {"response", "md"},
};

bool cv_dialogue_folder(const cv_call *call, const cv_state *s, const char **ret_path, cv_err *err)
{
    cv_arena *a = call->arena;
    cv_str folder = s->dialogue.output_dir;
    if (folder.n == 0)
        folder = cv_arena_printf(a, ".conclave/dialogues/%.*s", CV_FMT(s->id));
    if (folder.p[0] != '/')
        folder = cv_arena_printf(a, "%s/%.*s", call->root, CV_FMT(folder));
    return cv_outlet_allowed(call, folder, ret_path, err);
}

const char *cv_round_file_path(cv_arena *a, const char *folder, int64_t round, cv_round_file file, cv_str slug)
{
    return cv_arena_printf(a, "%s/round-%lld/%s-%.*s.%s", folder, (long long)round, round_files[file].name,
                           CV_FMT(slug), round_files[file].suffix)
        .p;
}

/* Asking for the size first keeps the usual case, another text, cheap. */
static bool holds(cv_arena *a, const char *path, cv_str bytes)
{
    cv_err err = {.arena = a};
    cv_str found;
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == bytes.n &&
           cv_file_read(a, path, bytes.n, &found, &err) && cv_str_eq(found, bytes);
}

bool cv_dialogue_file_write(cv_arena *a, const char *path, cv_str bytes, cv_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? cv_arena_copy_z(a, cv_str_range(path, slash)) : ".";
    return cv_folder_make(folder, err) && (holds(a, path, bytes) || cv_file_write(path, bytes, err));
}

bool cv_round_file_write(cv_call *call, const char *folder, int64_t round, cv_round_file file, cv_str slug,
                         cv_str bytes, const char **ret_path, cv_err *err)
{
    *ret_path = cv_round_file_path(call->arena, folder, round, file, slug);
    return cv_dialogue_file_write(call->arena, *ret_path, bytes, err);
}
