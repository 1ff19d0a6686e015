/* config.c - what a project has chosen for itself; see config.h. */
#include "project/config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/outlet.h"

static const char *const config_name = "config";
static const char *const seen_name = "seen";

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

static bool refuse(cv_err *err, size_t line, const char *what)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "line %zu: %s", line, what);
    cv_err_suggest(err, CV_STR("write it as: store = \"postgresql://HOST/DATABASE\""));
    return false;
}

static cv_str trim(cv_str s)
{
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = cv_str_from(s, 1);
    while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r'))
        s.n--;
    return s;
}

/* `name = "value"`; nothing in a value needs an escape. */
static bool parse_line(cv_str line, size_t number, cv_config *ret, cv_err *err)
{
    size_t equal = cv_str_find(line, CV_STR("="));
    cv_str name = equal == SIZE_MAX ? line : trim(cv_str_head(line, equal));
    cv_str value = equal == SIZE_MAX ? CV_STR("") : trim(cv_str_from(line, equal + 1));
    if (!cv_str_eq(name, CV_STR("store")))
        return refuse(err, number, "a setting that is not known; there is 'store'");
    if (ret->store.p)
        return refuse(err, number, "'store' is set twice");
    if (value.n < 2 || value.p[0] != '"' || value.p[value.n - 1] != '"')
        return refuse(err, number, "a value stands in double quotes");
    value = (cv_str){value.p + 1, value.n - 2};
    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.p[i] < ' ' || value.p[i] == '"' || value.p[i] == '\\')
            return refuse(err, number, "a value has no quotes, backslashes and control characters in it");
    ret->store = value;
    return true;
}

bool cv_config_parse(cv_arena *a, cv_str text, cv_config *ret_config, cv_err *err)
{
    cv_config config = {0};
    for (size_t number = 1; text.n > 0; number++) {
        size_t end = cv_str_find(text, CV_STR("\n"));
        cv_str line = trim(cv_str_head(text, end < text.n ? end : text.n));
        text = end < text.n ? cv_str_from(text, end + 1) : (cv_str){NULL, 0};
        if (line.n > 0 && line.p[0] != '#' && !parse_line(line, number, &config, err))
            return false;
    }
    config.store = cv_arena_copy(a, config.store);
    *ret_config = config;
    return true;
}

const char *cv_config_path(cv_arena *a, const char *root)
{
    return cv_record_path(a, root, config_name);
}

bool cv_config_read(cv_arena *a, const char *root, cv_config *ret_config, cv_err *err)
{
    const cv_where where = {root, cv_record_path(a, "", config_name)};
    struct stat st;
    cv_str text;
    *ret_config = (cv_config){0};
    if (!cv_where_look(where, &st))
        return true;
    if (cv_file_read_text_at(a, where, &text, err) && cv_config_parse(a, text, ret_config, err))
        return true;
    cv_err_file(err, cv_str_of(cv_config_path(a, root)));
    return false;
}

cv_str cv_config_print(cv_arena *a, const cv_config *config)
{
    return cv_arena_printf(a, "# Where the record of this project is kept.\nstore = \"%.*s\"\n", CV_FMT(config->store));
}

bool cv_config_write(cv_arena *a, const char *root, const cv_config *config, cv_err *err)
{
    const cv_where where = {root, cv_record_path(a, "", config_name)};
    const char *path = cv_config_path(a, root);
    if (config->store.n == 0) /* nothing is chosen */
        return unlink(path) == 0 || errno == ENOENT ||
               cv_err_set(err, CV_ERR_IO, "cannot remove '%s': %s", path, strerror(errno));
    return cv_file_write_private(where, cv_config_print(a, config), err);
}

bool cv_project_store(cv_arena *a, const char *root, cv_store *ret_store, cv_err *err)
{
    cv_config config;
    if (!cv_config_read(a, root, &config, err))
        return false;
    if (config.store.n && !cv_store_check(a, config.store, err)) {
        cv_err_file(err, cv_str_of(cv_config_path(a, root)));
        return false;
    }
    *ret_store = (cv_store){.address = config.store,
                            .path = cv_record_path(a, root, cv_record_database),
                            .seen = cv_record_path(a, root, seen_name)};
    return true;
}

bool cv_project_check_address(cv_arena *a, const char *root, const cv_store *store, cv_err *err)
{
    struct stat st;
    if (store->address.n > 0 || stat(store->path, &st) == 0 || stat(store->seen, &st) != 0)
        return true;
    const char *config = cv_config_path(a, root);
    cv_err_set(err, CV_ERR_NOT_FOUND, "the record of this project was on a server, and %s",
               stat(config, &st) == 0 ? "this file does not name it any more" : "the file that names it is gone");
    cv_err_file(err, cv_str_of(config));
    cv_err_suggest(err, cv_arena_printf(a,
                                        "name it again: conclave init --store postgresql://HOST/DATABASE; for a new "
                                        "record in a file instead, remove '%s'",
                                        store->seen));
    return false;
}
