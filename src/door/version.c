/* version.c - which program this is; see version.h.
 *
 *     conclave 0.1.0 (1a2b3c4d5e6f)
 *       SQLite          3.40.1
 *       libpq           not installed (needed for a record on PostgreSQL)
 *
 * Some libraries are linked, others are loaded only when they are needed. dlopen() finds both, so each is one row. A
 * library tells its version in one of three forms: a text, a number, or two numbers.
 */
#include "door/version.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/json.h"

enum { MAX_VERSION = 64 };

typedef struct {
    const char *name;
    const char *file;
    const char *symbol; /* the function to call; of two numbers the first one */
    const char *minor;  /* the function of the second number; NULL: there is none */
    bool is_number;     /* libpq's: 150004 is 15.4 */
    const char *needed; /* for what; NULL: always */
} library;

static const library libraries[] = {
    {"SQLite", "libsqlite3.so.0", "sqlite3_libversion", NULL, false, NULL},
    {"nettle", "libnettle.so.8", "nettle_version_major", "nettle_version_minor", false, NULL},
    {"utf8proc", "libutf8proc.so.2", "utf8proc_version", NULL, false, NULL},
    {"libmicrohttpd", "libmicrohttpd.so.12", "MHD_get_version", NULL, false, "to serve HTTP"},
    {"libpq", "libpq.so.5", "PQlibVersion", NULL, true, "for a record on PostgreSQL"},
    {"libcurl", "libcurl.so.4", "curl_version", NULL, false, "to call models over HTTP"},
};

/* The first version number of a text: "libcurl/7.88.1 OpenSSL/3.0" has 7.88.1. */
static void keep_number(const char *text, char *ret_version)
{
    text += strcspn(text, "0123456789");
    size_t n = strcspn(text, " ");
    n = n < MAX_VERSION ? n : MAX_VERSION - 1;
    memcpy(ret_version, text, n);
    ret_version[n] = 0;
}

/* False: the library is not installed, or it does not tell its version. */
static bool ask(const library *l, char *ret_version)
{
    union {
        void *found;
        int (*number)(void);
        const char *(*text)(void);
    } first, second = {NULL};
    void *handle = dlopen(l->file, RTLD_LAZY | RTLD_LOCAL);
    first.found = handle ? dlsym(handle, l->symbol) : NULL;
    if (l->minor)
        second.found = handle ? dlsym(handle, l->minor) : NULL;
    if (!first.found || (l->minor && !second.found))
        return false;
    if (l->minor)
        snprintf(ret_version, MAX_VERSION, "%d.%d", first.number(), second.number());
    else if (l->is_number)
        snprintf(ret_version, MAX_VERSION, "%d.%d", first.number() / 10000, first.number() % 10000);
    else
        keep_number(first.text(), ret_version);
    return true;
}

static void print_json(cv_buf *out)
{
    cv_json_writer w = {.out = out};
    char version[MAX_VERSION];
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "version", CV_STR(CV_VERSION));
    cv_json_key_str(&w, "commit", cv_str_of(cv_built_from));
    cv_json_key(&w, CV_STR("libraries"));
    cv_json_begin_object(&w);
    for (size_t i = 0; i < CV_COUNT(libraries); i++)
        if (ask(&libraries[i], version))
            cv_json_key_str(&w, libraries[i].name, cv_str_of(version));
    cv_json_end_object(&w);
    cv_json_end_object(&w);
    cv_buf_add_z(out, "\n");
}

void cv_version_print(cv_buf *out, bool json)
{
    if (json) {
        print_json(out);
        return;
    }
    cv_buf_printf(out, "conclave %s (%s)\n", CV_VERSION, cv_built_from);
    for (size_t i = 0; i < CV_COUNT(libraries); i++) {
        const library *l = &libraries[i];
        char version[MAX_VERSION];
        if (ask(l, version))
            cv_buf_printf(out, "  %-15s %s\n", l->name, version);
        else
            cv_buf_printf(out, "  %-15s not installed (needed %s)\n", l->name, l->needed ? l->needed : "always");
    }
}
