/* config.c - what a project has chosen for itself; see config.h. */
#include "project/config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/destination.h"
#include "kit/settings.h"

static const char *const seen_name = "seen";

const char *cv_config_path(cv_arena *a, const char *root)
{
    return cv_where_path(a, cv_settings_where(a, root));
}

bool cv_config_write_store(cv_arena *a, const char *root, cv_str address, cv_err *err)
{
    cv_settings settings;
    const char *path = cv_config_path(a, root);
    if (!cv_settings_read(a, root, &settings, err))
        return false;
    cv_settings_set(a, &settings, CV_STR("store"), address);
    if (settings.count == 0) /* nothing is chosen */
        return unlink(path) == 0 || errno == ENOENT || cv_system_fail(err, path, "remove the file", errno);
    return cv_file_write_private(cv_settings_where(a, root), cv_settings_print(a, &settings), err);
}

bool cv_project_store(cv_arena *a, const char *root, cv_store *ret_store, cv_err *err)
{
    cv_settings settings;
    if (!cv_settings_read(a, root, &settings, err))
        return false;
    cv_str address = cv_settings_get(&settings, CV_STR("store"));
    if (address.n && !cv_store_check(a, address, err)) {
        cv_err_file(err, cv_str_of(cv_config_path(a, root)));
        return false;
    }
    *ret_store = (cv_store){.address = address,
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
