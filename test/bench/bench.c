/* bench.c - the ratios the project promises, each against its rival in the same run.
 *
 *     build/bench [SECTION …]     all sections, or those that are named
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "bench_chat.h"
#include "bench_context.h"
#include "bench_export.h"
#include "bench_import.h"
#include "bench_json.h"
#include "bench_mail.h"
#include "bench_mcp.h"
#include "bench_notes.h"
#include "bench_postgres.h"
#include "bench_record.h"
#include "bench_register.h"
#include "bench_run.h"
#include "bench_search.h"
#include "bench_text.h"
#include "bench_views.h"
#include "bench_web.h"

typedef struct {
    const char *name;
    void (*run)(void);
} section;

static const section sections[] = {
    {"text", bench_text},     {"json", bench_json},       {"register", bench_register}, {"search", bench_search},
    {"export", bench_export}, {"context", bench_context}, {"views", bench_views},       {"import", bench_import},
    {"mcp", bench_mcp},       {"record", bench_record},   {"postgres", bench_postgres}, {"chat", bench_chat},
    {"mail", bench_mail},     {"notes", bench_notes},     {"run", bench_run},           {"web", bench_web},
};

static const section *find(const char *name)
{
    for (size_t i = 0; i < CV_COUNT(sections); i++)
        if (strcmp(sections[i].name, name) == 0)
            return &sections[i];
    return NULL;
}

/* All names are looked at before anything runs: a wrong one is reported at once. */
static bool know_all(int count, char **names)
{
    bool known = true;
    for (int i = 0; i < count; i++)
        if (!find(names[i])) {
            fprintf(stderr, "bench: there is no section '%s'\n", names[i]);
            known = false;
        }
    if (known)
        return true;
    fprintf(stderr, "sections:");
    for (size_t i = 0; i < CV_COUNT(sections); i++)
        fprintf(stderr, " %s", sections[i].name);
    fprintf(stderr, "\n");
    return false;
}

int main(int argc, char **argv)
{
    if (!know_all(argc - 1, argv + 1))
        return 2;
    for (int i = 1; i < argc; i++)
        find(argv[i])->run();
    for (size_t i = 0; argc == 1 && i < CV_COUNT(sections); i++)
        sections[i].run();
    return 0;
}
