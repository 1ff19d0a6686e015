/* find.c - which dialogues lie below some paths; see find.h.
 *
 * First all files are listed, then it is known which folders are those of a dialogue, then every file gets its role.
 */
#include "dialogue/import/find.h"

#include <limits.h>
#include <stdlib.h>

#include "base/file.h"
#include "dialogue/import/dates.h"

#define X(id, word) CV_STR_INIT(word),
static const cv_str role_words[] = {CV_FILE_ROLES(X)};
_Static_assert(CV_COUNT(role_words) == CV_ROLE_COUNT, "a word per role");
#undef X
const cv_words cv_file_roles = {role_words, CV_ROLE_COUNT};

typedef struct {
    const char *path;
    cv_where where;
    cv_str folder, name; /* of the path without links */
} listed;

typedef struct {
    cv_arena *arena;
    cv_finds *finds;
    const char *root; /* of the path that is looked into; NULL: none */
    CV_STATE_LIST(listed) files;
    cv_map seen;    /* a file that is named twice counts once */
    cv_map folders; /* those of dialogues */
    cv_map names;   /* … and their names -> the first folder that has it, a cv_str * */
    cv_map at;      /* which dialogue -> index + 1 */
} finding;

/* ---- names ------------------------------------------------------------------------------------------------------- */

static cv_str last_of(cv_str path, cv_str *ret_before)
{
    size_t i = path.n;
    while (i > 0 && path.p[i - 1] != '/')
        i--;
    *ret_before = cv_str_head(path, i > 1 ? i - 1 : i);
    return cv_str_from(path, i);
}

/* The number behind one of these words, and what follows it; -1: it does not begin like this. */
static int number_behind(cv_str name, const cv_str *prefixes, size_t count, cv_str *ret_rest)
{
    for (size_t i = 0; i < count; i++) {
        size_t end = prefixes[i].n;
        int round;
        while (end < name.n && cv_is_digit(name.p[end]))
            end++;
        if (!cv_str_starts_nocase(name, prefixes[i]) ||
            !cv_str_to_int(cv_str_from(cv_str_head(name, end), prefixes[i].n), &round))
            continue;
        *ret_rest = cv_str_from(name, end);
        return round;
    }
    return -1;
}

/* "round-12.summary.md" */
static int round_of(cv_str name, cv_str *ret_rest)
{
    static const cv_str prefixes[] = {CV_STR_INIT("round-"), CV_STR_INIT("round_")};
    return number_behind(name, prefixes, CV_COUNT(prefixes), ret_rest);
}

static bool is_round_folder(cv_str name, int *ret_round)
{
    static const cv_str prefixes[] = {CV_STR_INIT("round-"), CV_STR_INIT("round_"), CV_STR_INIT("round "),
                                      CV_STR_INIT("round"), CV_STR_INIT("r")};
    cv_str rest;
    int round = number_behind(name, prefixes, CV_COUNT(prefixes), &rest);
    if (round < 0 || rest.n > 0)
        return false;
    *ret_round = round;
    return true;
}

static bool is_round_summary(cv_str name, int *ret_round)
{
    cv_str rest;
    int round = round_of(name, &rest);
    if (round < 0 || !(cv_str_eq_nocase(rest, CV_STR(".summary.md")) || cv_str_eq_nocase(rest, CV_STR("-summary.md")) ||
                       cv_str_eq_nocase(rest, CV_STR(".md"))))
        return false;
    *ret_round = round;
    return true;
}

static cv_str without(cv_str name, const char *suffix)
{
    cv_str end = cv_str_of(suffix);
    bool ends = name.n > end.n && cv_str_eq_nocase(cv_str_from(name, name.n - end.n), end);
    return ends ? cv_str_head(name, name.n - end.n) : name;
}

static bool ends(cv_str name, const char *suffix)
{
    return without(name, suffix).n < name.n;
}

static cv_str stem_of(cv_str name)
{
    return without(without(without(without(name, ".md"), ".json"), ".recorded"), ".dialogue");
}

bool cv_is_document_name(cv_str name)
{
    return ends(name, ".dialogue.md") || ends(name, ".recorded.md") || cv_str_eq_nocase(name, CV_STR("dialogue.md"));
}

/* Files that make their folder that of a dialogue, and the role they have there. */
static const struct {
    const char *name;
    cv_file_role role;
} known_names[] = {
    {"expert-pool.json", CV_ROLE_POOL}, {"scoreboard.md", CV_ROLE_BOARD}, {"tensions.md", CV_ROLE_TENSIONS},
    {"verdict.md", CV_ROLE_VERDICT},    {"panel.json", CV_ROLE_PANEL},    {"summary.md", CV_ROLE_SUMMARY},
    {"dialogue.json", CV_ROLE_EXPORT},
};

static int known_role(cv_str name)
{
    for (size_t i = 0; i < CV_COUNT(known_names); i++)
        if (cv_str_eq_nocase(name, cv_str_of(known_names[i].name)))
            return (int)known_names[i].role;
    return -1;
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

static bool list_file(void *ctx, const char *path, cv_err *err)
{
    finding *f = ctx;
    char real[PATH_MAX];
    bool is_new;
    (void)err;
    cv_where where = {f->root, cv_arena_copy_z(f->arena, cv_str_of(path))};
    const char *known = cv_where_path(f->arena, where), *whole = !f->root && realpath(path, real) ? real : known;
    cv_str kept = cv_arena_copy(f->arena, cv_str_of(whole)), name, folder;
    cv_map_put(&f->seen, f->arena, kept, &is_new);
    if (!is_new)
        return true;
    name = last_of(kept, &folder);
    *CV_PUSH(f->arena, &f->files) = (listed){known, where, folder, name};
    return true;
}

static void list_trouble(void *ctx, const cv_err *err)
{
    finding *f = ctx;
    cv_errs_keep(&f->finds->troubles, f->arena, err);
}

/* The folder of the dialogue that a file would belong to: its own, or the one above a round's. A round may have its
 * responses in a folder of their own. */
static cv_str dialogue_folder(const listed *file, int *ret_round)
{
    cv_str above, folder = last_of(file->folder, &above);
    *ret_round = -1;
    if (cv_str_eq_nocase(folder, CV_STR("responses")))
        folder = last_of(above, &above);
    return is_round_folder(folder, ret_round) ? above : file->folder;
}

/* What a round's folder has as plain text is read like the rest. */
static bool is_text(const listed *file, int round)
{
    return ends(file->name, ".md") || (round >= 0 && ends(file->name, ".txt"));
}

static void learn_folders(finding *f)
{
    for (size_t i = 0; i < f->files.count; i++) {
        const listed *file = &f->files.items[i];
        int round, summary;
        cv_str folder = dialogue_folder(file, &round);
        int role = known_role(file->name);
        bool tells = (round >= 0 && is_text(file, round)) || role == CV_ROLE_POOL ||
                     is_round_summary(file->name, &summary) || role == CV_ROLE_BOARD || role == CV_ROLE_TENSIONS;
        if (!tells)
            continue;
        cv_str above, *kept = cv_arena_dup(f->arena, &folder, sizeof folder);
        bool is_new;
        cv_map_put(&f->folders, f->arena, folder, NULL);
        uintptr_t *first = cv_map_put(&f->names, f->arena, last_of(folder, &above), &is_new);
        if (is_new)
            *first = (uintptr_t)kept;
    }
}

/* ---- roles ------------------------------------------------------------------------------------------------------- */

/* "response-bob", "bob-response": bob. */
static cv_str speaker_in(cv_str stem)
{
    static const char *const endings[] = {"-response", "_response", ".response"};
    if (stem.n > 9 &&
        (cv_str_starts_nocase(stem, CV_STR("response-")) || cv_str_starts_nocase(stem, CV_STR("response_"))))
        return cv_str_from(stem, 9);
    for (size_t i = 0; i < CV_COUNT(endings); i++)
        stem = without(stem, endings[i]);
    return stem;
}

static cv_import_source of_round(const listed *file, int round)
{
    cv_import_source found = {.path = file->path, .where = file->where, .role = CV_ROLE_RESPONSE, .round = round};
    int role = known_role(file->name);
    cv_str stem = without(without(file->name, ".md"), ".txt");
    if (role < 0 && ends(file->name, ".txt") && cv_str_eq_nocase(stem, CV_STR("summary")))
        role = CV_ROLE_SUMMARY;
    if (role >= 0)
        found.role = (cv_file_role)role;
    else if (ends(file->name, ".json"))
        found.role = cv_str_starts_nocase(file->name, CV_STR("context-")) ? CV_ROLE_CONTEXT : CV_ROLE_DATA;
    else if (ends(file->name, ".prompt.md") || cv_str_starts_nocase(file->name, CV_STR("prompt-")))
        found.role = CV_ROLE_PROMPT;
    else
        found.speaker = speaker_in(stem);
    return found;
}

static cv_import_source of_folder(const listed *file)
{
    cv_import_source found = {.path = file->path, .where = file->where, .role = CV_ROLE_BACKGROUND, .round = -1};
    int role = known_role(file->name);
    if (is_round_summary(file->name, &found.round))
        found.role = CV_ROLE_SUMMARY;
    else if (role >= 0)
        found.role = (cv_file_role)role;
    else if (cv_is_document_name(file->name))
        found.role = CV_ROLE_DOCUMENT;
    else if (ends(file->name, ".json"))
        found.role = CV_ROLE_DATA;
    return found;
}

/* Names that begin with a date are unique; others only where they stand. */
static cv_import_found *dialogue_of(finding *f, cv_str key, cv_str where, bool is_folder)
{
    bool is_new;
    uintptr_t *at = cv_map_put(&f->at, f->arena, cv_date_prefix(key) ? key : where, &is_new);
    if (is_new) {
        *CV_PUSH(f->arena, &f->finds->dialogues) = (cv_import_found){.key = key};
        *at = f->finds->dialogues.count;
    }
    cv_import_found *found = &f->finds->dialogues.items[*at - 1];
    found->is_folder |= is_folder;
    return found;
}

static void sort_out(finding *f, const listed *file)
{
    int round;
    cv_str folder = dialogue_folder(file, &round), above;
    bool is_markdown = is_text(file, round), is_json = ends(file->name, ".json");
    if (!is_markdown && !is_json && f->files.count > 1) {
        f->finds->ignored++;
        return;
    }
    if (cv_map_get(&f->folders, folder)) {
        cv_import_found *found = dialogue_of(f, last_of(folder, &above), folder, true);
        *CV_PUSH(f->arena, &found->files) = round >= 0 ? of_round(file, round) : of_folder(file);
        return;
    }
    cv_str stem = stem_of(file->name);
    const uintptr_t *twin = cv_map_get(&f->names, stem);
    cv_str where =
        twin ? *(const cv_str *)*twin : cv_arena_printf(f->arena, "%.*s/%.*s", CV_FMT(file->folder), CV_FMT(stem));
    cv_import_found *found = dialogue_of(f, stem, where, false);
    *CV_PUSH(f->arena, &found->files) = (cv_import_source){
        .path = file->path, .where = file->where, .role = is_json ? CV_ROLE_DATA : CV_ROLE_DOCUMENT, .round = -1};
}

static int by_role(const void *x, const void *y)
{
    const cv_import_source *a = x, *b = y;
    int order = CV_ORDER(a->role, b->role);
    order = order ? order : CV_ORDER(a->round, b->round);
    return order ? order : strcmp(a->path, b->path);
}

void cv_find_dialogues(cv_arena *a, const cv_where *paths, size_t count, cv_finds *ret_finds)
{
    finding f = {.arena = a, .finds = ret_finds};
    cv_err err = {.arena = a};
    *ret_finds = (cv_finds){0};
    for (size_t i = 0; i < count; i++) {
        f.root = paths[i].root;
        cv_file_walk_on(a, paths[i], list_file, list_trouble, &f, &err);
    }
    learn_folders(&f);
    for (size_t i = 0; i < f.files.count; i++)
        sort_out(&f, &f.files.items[i]);
    for (size_t i = 0; i < ret_finds->dialogues.count; i++) {
        cv_import_found *found = &ret_finds->dialogues.items[i];
        qsort(found->files.items, found->files.count, sizeof *found->files.items, by_role);
    }
}
