/* approval.c - what a project would run on this machine, approved by its user; see approval.h. */
#include "kit/reach/approval.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/plain.h"
#include "kit/reach/presets.h"
#include "record/hash.h"

enum {
    MAX_KEPT = 2 << 20,  /* bytes of what is kept: ten thousand commands */
    MAX_FILE = 64 << 20, /* bytes of a file among the words that is looked at */
};

/* ---- what is approved -------------------------------------------------------------------------------------------- */

static void add_part(cv_hash *hash, const char *name, cv_str value)
{
    cv_hash_add(hash, (cv_str){name, strlen(name) + 1});
    cv_hash_add(hash, value);
    cv_hash_add(hash, (cv_str){"", 1});
}

/* The content of a file of the project that a word names: it is as much a part of the command as the word. */
static bool add_file(cv_arena *a, cv_hash *hash, const char *root, const char *folder, cv_str word, cv_err *err)
{
    char real[PATH_MAX], top[PATH_MAX];
    struct stat st;
    cv_str bytes;
    const char *path =
        word.n && word.p[0] == '/' ? cv_arena_copy_z(a, word) : cv_arena_printf(a, "%s/%.*s", folder, CV_FMT(word)).p;
    if (!word.n || !realpath(root, top) || !realpath(path, real) || stat(real, &st) != 0 || !S_ISREG(st.st_mode) ||
        strncmp(real, top, strlen(top)) != 0 || real[strlen(top)] != '/')
        return true;
    if (!cv_file_read(a, real, MAX_FILE, &bytes, err))
        return false;
    add_part(hash, "content", bytes);
    return true;
}

/* "--config=agent.json", "cat - | ./agent.sh": a part of a word may name one, too. */
static bool add_files(cv_arena *a, cv_hash *hash, const char *root, const char *folder, cv_str word, cv_err *err)
{
    bool ok = add_file(a, hash, root, folder, word, err);
    for (size_t begin = 0, end; ok && begin < word.n; begin = end + 1) {
        for (end = begin; end < word.n && !strchr(" \t\n=:,;|&<>()$`'\"", word.p[end]); end++)
            continue;
        if (end > begin && end - begin < word.n)
            ok = add_file(a, hash, root, folder, cv_str_head(cv_str_from(word, begin), end - begin), err);
    }
    return ok;
}

static bool hash_of(cv_arena *a, const char *root, const cv_reach *reach, cv_str *ret_hash, cv_err *err)
{
    cv_hash hash;
    cv_hash_begin(&hash);
    const char *folder = !reach->folder.n            ? root
                         : reach->folder.p[0] == '/' ? cv_arena_copy_z(a, reach->folder)
                                                     : cv_arena_printf(a, "%s/%.*s", root, CV_FMT(reach->folder)).p;
    add_part(&hash, "way", cv_reach_words.items[reach->way]);
    add_part(&hash, "folder", reach->folder);
    add_part(&hash, "url", reach->url);
    add_part(&hash, "protocol", cv_protocol_words.items[reach->protocol]);
    add_part(&hash, "key", reach->key_env);
    for (size_t i = 0; i < reach->env.count; i++)
        add_part(&hash, "variable", reach->env.items[i]);
    for (size_t i = 0; i < reach->argv.count; i++) {
        add_part(&hash, "word", reach->argv.items[i]);
        if (!add_files(a, &hash, root, folder, reach->argv.items[i], err))
            return false;
    }
    *ret_hash = cv_hash_end(&hash, a);
    return true;
}

/* What the user reads before saying yes: the whole command, where it runs, which of the user's variables it gets. */
static cv_str text_of(cv_arena *a, const cv_approval *item)
{
    const cv_reach *reach = item->reach;
    cv_buf text = {0}, plain = {0};
    cv_buf_printf(&text, "%.*s: ", CV_FMT(item->agent));
    cv_buf_add(&text, cv_reach_text(a, reach));
    if (reach->folder.n)
        cv_buf_printf(&text, "; in %.*s", CV_FMT(reach->folder));
    if (reach->key_env.n)
        cv_buf_printf(&text, "; sends the key in %.*s", CV_FMT(reach->key_env));
    if (reach->preset)
        cv_buf_printf(&text, "; gets %.*s", CV_FMT(reach->preset->keys));
    for (size_t i = 0; i < reach->env.count; i++)
        cv_buf_printf(&text, "%s%.*s", i || reach->preset ? " " : "; gets ", CV_FMT(reach->env.items[i]));
    cv_plain_add(&plain, cv_buf_str(&text));
    cv_buf_release(&text);
    return cv_buf_take(&plain, a);
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* $XDG_CONFIG_HOME/conclave/approved */
static bool kept_at(cv_arena *a, const char **ret_path, cv_err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && config[0] == '/')
        *ret_path = cv_arena_printf(a, "%s/conclave/approved", config).p;
    else if (home && home[0] == '/')
        *ret_path = cv_arena_printf(a, "%s/.config/conclave/approved", home).p;
    else
        return cv_err_set(err, CV_ERR_IO, "neither XDG_CONFIG_HOME nor HOME says where your configuration is");
    return true;
}

/* Lines "HASH what it was", the newest last; empty when there is no such file. */
static bool read_kept(cv_arena *a, cv_str *ret_text, cv_err *err)
{
    const char *path = NULL;
    struct stat st;
    *ret_text = (cv_str){NULL, 0};
    return kept_at(a, &path, err) &&
           (!cv_where_look(cv_where_named(path), &st)
                ? errno == ENOENT || errno == ENOTDIR || cv_system_fail(err, path, "read what you approved", errno)
                : cv_file_read(a, path, MAX_KEPT * 2, ret_text, err));
}

static bool is_kept(cv_str kept, cv_str hash)
{
    for (cv_str line; cv_str_split(&kept, '\n', &line);)
        if (cv_str_starts(line, hash))
            return true;
    return false;
}

typedef struct {
    struct {
        cv_str hash, text;
    } * items;
    size_t count, capacity;
} list;

/* "HASH text", or "  text", one line each. */
static cv_str lines_of(cv_arena *a, const list *all, bool hashed)
{
    cv_buf out = {0};
    for (size_t i = 0; i < all->count; i++) {
        cv_buf_add(&out, hashed ? all->items[i].hash : CV_STR(" "));
        cv_buf_add_char(&out, ' ');
        cv_buf_add(&out, all->items[i].text);
        cv_buf_add_char(&out, '\n');
    }
    return cv_buf_take(&out, a);
}

/* The oldest lines go when there are too many. */
static bool keep(cv_arena *a, cv_str kept, const list *more, cv_err *err)
{
    cv_str lines = lines_of(a, more, true), line;
    const char *path = NULL;
    while (kept.n + lines.n > MAX_KEPT && cv_str_split(&kept, '\n', &line))
        continue;
    return kept_at(a, &path, err) && cv_folder_make(cv_folder_of(a, path), err) &&
           cv_file_write_private(cv_where_named(path), cv_arena_join(a, kept, lines), err);
}

/* Adds it to those that are still to be approved, unless it is. */
static bool look_up(cv_arena *a, const char *root, const cv_approval *item, cv_str kept, list *open, cv_err *err)
{
    cv_str hash;
    if (item->reach->way > CV_REACH_ENDPOINT)
        return true;
    if (!hash_of(a, root, item->reach, &hash, err))
        return false;
    bool known = is_kept(kept, hash);
    for (size_t i = 0; i < open->count; i++)
        known = known || cv_str_eq(open->items[i].hash, hash);
    if (known)
        return true;
    CV_PUSH(a, open);
    open->items[open->count - 1].hash = hash;
    open->items[open->count - 1].text = text_of(a, item);
    return true;
}

bool cv_approval_keep(cv_arena *a, const char *root, const cv_reach *reach, cv_err *err)
{
    const cv_approval item = {CV_STR("typed"), reach};
    list open = {0};
    cv_str kept;
    return read_kept(a, &kept, err) && look_up(a, root, &item, kept, &open, err) &&
           (open.count == 0 || keep(a, kept, &open, err));
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* At the terminal itself: standard input and output may be something else. */
static bool ask(cv_arena *a, const list *open)
{
    FILE *terminal = fopen("/dev/tty", "r+e");
    char answer[16] = "";
    if (!terminal)
        return false;
    cv_str what = lines_of(a, open, false);
    fprintf(terminal, "This project wants to use, on your machine and with your variables:\n\n");
    fwrite(what.p, 1, what.n, terminal);
    fprintf(terminal, "\nIs that what you want? You are asked again when %s changes. [y/N] ",
            open->count == 1 ? "it" : "one of them");
    fflush(terminal);
    bool yes = fgets(answer, sizeof answer, terminal) && cv_lower(answer[0]) == 'y';
    fclose(terminal);
    return yes;
}

bool cv_approval_check(cv_arena *a, const cv_approval_way *way, const cv_approval *all, size_t count, cv_err *err)
{
    list open = {0};
    cv_str kept;
    if (way->yes)
        return true;
    if (!read_kept(a, &kept, err))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!look_up(a, way->root, &all[i], kept, &open, err))
            return false;
    if (open.count == 0)
        return true;
    if (way->at_terminal && ask(a, &open))
        return keep(a, kept, &open, err);
    cv_buf text = {0};
    for (size_t i = 0; i < open.count; i++)
        cv_buf_printf(&text, "%s%.*s", i ? " | " : "", CV_FMT(open.items[i].text));
    cv_err_set(err, CV_ERR_NOT_APPROVED, "this project brings %s that you have not approved: %.*s",
               open.count == 1 ? "a command or an endpoint" : "commands or endpoints", CV_FMT(cv_buf_str(&text)));
    cv_buf_release(&text);
    cv_err_suggest(err,
                   CV_STR("read it; then run the same command at a terminal, where you are asked once, or add --yes"));
    return false;
}
