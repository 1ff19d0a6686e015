/* bench_notes.c - the dialogs of a tree of 10,000 files, about 100 MB, against grep and ripgrep, each a process of its
 * own.
 *
 * One file of seven has a header, some of these have notes, and many have the word in their prose, as real trees do.
 * The tree is warm. `scan` reads and parses everything; the second `log` finds a tree that has not changed.
 */
#include "bench_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "benching.h"

enum { FILES = 10000, FOLDERS = 100, BYTES = 10000, TRIES = 7 };

static const char prose[] =
    "The garden has beds for herbs, and a pond. Whoever waters it writes down when, and how much.\n";

static void add_header(cv_buf *out, const char *lead, int i)
{
    cv_buf_printf(
        out,
        "%s---\n%swolfie.headers: explicit architecture with structured clarity for every file.\n%sdialog:\n"
        "%s  speaker: AGENT_%d\n%s  target: @everyone\n%s  mood_RGB: \"00CC88\"\n%s  message: \"Change %d of the "
        "garden: beds, herbs and water.\"\n%s---\n",
        lead, lead, lead, lead, i % 30, lead, lead, lead, i, lead);
}

static void add_body(cv_buf *out, const char *lead, int i)
{
    while (out->n < BYTES) {
        cv_buf_printf(out, "%s%s", lead, prose);
        if (i % 5 == 0 && out->n % 3 == 0)
            cv_buf_printf(out, "%sA dialog about it, and what a rule is:\n", lead);
        if (i % 35 == 0 && out->n > BYTES / 2 && out->n < BYTES / 2 + 120)
            cv_buf_printf(out, "\n---\nDIALOG:\n  speaker: A\n  target: @B\n  message: \"Note %d\"\n---\n\n", i);
    }
}

static void write_file(cv_arena *a, const char *top, int i)
{
    static const char *const endings[] = {"md", "php", "sql", "py", "js"};
    cv_buf out = {0};
    int kind = i % 5;
    bool has_header = i % 7 == 0;
    if (kind == 1)
        cv_buf_add_z(&out, "<?php\n");
    if (kind == 1 || kind == 4)
        cv_buf_add_z(&out, "/*\n");
    const char *lead = kind == 0 ? "" : kind == 2 ? "-- " : kind == 3 ? "# " : " * ";
    if (has_header)
        add_header(&out, lead, i);
    add_body(&out, lead, kind == 0 ? i : i + 1);
    if (kind == 1 || kind == 4)
        cv_buf_add_z(&out, " */\n");
    const char *path = cv_arena_printf(a, "%s/d%02d/file%d.%s", top, i % FOLDERS, i, endings[kind]).p;
    FILE *f = fopen(path, "w");
    if (!f || fwrite(out.p, 1, out.n, f) != out.n || fclose(f) != 0) {
        fprintf(stderr, "bench: notes: cannot write %s\n", path);
        exit(1);
    }
    cv_buf_release(&out);
}

static void make_tree(const char *top)
{
    cv_arena a = {0};
    for (int i = 0; i < FOLDERS; i++)
        mkdir(cv_arena_printf(&a, "%s/d%02d", top, i).p, 0755);
    for (int i = 0; i < FILES; i++)
        write_file(&a, top, i);
    cv_arena_release(&a);
}

static bool can_run(const char *command)
{
    return system(command) == 0;
}

/* Milliseconds of the quickest try. */
static double measure(const char *command)
{
    double best = 1e12;
    for (int i = 0; i < TRIES; i++) {
        double begin = cv_bench_seconds();
        if (!can_run(command)) {
            fprintf(stderr, "bench: notes: '%s' fails\n", command);
            exit(1);
        }
        double took = (cv_bench_seconds() - begin) * 1e3;
        best = took < best ? took : best;
    }
    return best;
}

void bench_notes(void)
{
    char top[] = "/tmp/conclave-bench-XXXXXX", root[4096], command[9000];
    if (!mkdtemp(top) || !getcwd(root, sizeof root))
        exit(1);
    make_tree(top);
    printf("notes: %d files, %d MB\n", FILES, FILES / 1000 * BYTES / 1000);
    snprintf(command, sizeof command, "grep -rIl dialog '%s' >/dev/null", top);
    double grep = measure(command);
    printf("  grep -rIl dialog            %7.1f ms\n", grep);
    if (can_run("command -v rg >/dev/null")) {
        snprintf(command, sizeof command, "rg -l dialog '%s' >/dev/null", top);
        printf("  rg -l dialog                %7.1f ms\n", measure(command));
    } else {
        printf("  rg -l dialog                ripgrep is not installed\n");
    }
    snprintf(command, sizeof command, "cd '%s' && '%s/build/conclave' notes scan --json >/dev/null", top, root);
    double scan = measure(command);
    printf("  notes scan                  %7.1f ms  %.2f x grep (goal: at most 3)\n", scan, scan / grep);
    snprintf(command, sizeof command,
             "cd '%s' && '%s/build/conclave' init >/dev/null && '%s/build/conclave' notes log >/dev/null", top, root,
             root);
    double begin = cv_bench_seconds();
    bool ok = can_run(command);
    printf("  notes log, the first        %7.1f ms\n", (cv_bench_seconds() - begin) * 1e3);
    snprintf(command, sizeof command, "cd '%s' && '%s/build/conclave' notes log >/dev/null", top, root);
    double again = ok ? measure(command) : 0;
    printf("  notes log, nothing changed  %7.1f ms  %.2f x grep (goal: at most 1.5)\n", again, again / grep);
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    can_run(command);
}
