/* bench_text.c - how fast dialogues are parsed: lines, marks and document.
 *
 * The text is made here, always the same: documents and responses of the size and proportions of real ones (a third of
 * the lines blank, a tenth table rows, a tenth with brackets, 60 bytes a line on average), 100 MB of them. Each
 * document is parsed for itself, as the program does it. The floor is a walk that finds the ends of the lines with
 * memchr; the rival is md4c parsing the same documents with empty callbacks. The best of several rounds counts.
 */
#include "bench_text.h"

#include <md4c.h>
#include <stdio.h>
#include <time.h>

#include "dialogue/lint/lint.h"

enum { TOTAL = 100 << 20, ROUNDS = 5, MOST_DOCUMENTS = 20000 };

static unsigned state = 20260203;

static unsigned random_below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static const char *const names[] = {"Muffin", "Cupcake", "Scone", "Eclair", "Donut", "Brioche", "Croissant", "Macaron"};
static const char *const sentences[] = {
    "Round 0 established near-unanimous agreement that the record is ground truth; what if somebody edits elsewhere? ",
    "I refine my position: the default should be `drift: warn`, which is progressive and not gatekeeping. ",
    "This avoids modelling the whole state machine and keeps the comparison scoped to the fields that are owned here. ",
    "The adapter answers within the time a person waits — no more is needed. ",
    "See [the earlier note](notes.md) for the figures. ",
    "Three of the seven experts measured it, two of them twice, and the figures agree to within the noise. ",
};
static const char *const bullets[] = {
    "- **Overwrite**: the push replaces what stands there\n",
    "- Joins happen on an immutable identifier, never on a key that people can edit\n",
    "1. Environment variable first\n",
    "- costs nothing\n",
};

static void prose(cv_buf *b)
{
    for (unsigned left = 2 + random_below(3); left > 0; left--)
        cv_buf_add_z(b, sentences[random_below(CV_COUNT(sentences))]);
    cv_buf_add_z(b, "\n\n");
    if (random_below(3) == 0) {
        for (unsigned left = 2 + random_below(3); left > 0; left--)
            cv_buf_add_z(b, bullets[random_below(CV_COUNT(bullets))]);
        cv_buf_add_char(b, '\n');
    }
    if (random_below(12) == 0)
        cv_buf_add_z(b, "```yaml\nrealm: aperture\nrepos:\n  - name: fungal\n    path: ../fungal\n```\n\n");
}

static void response(cv_buf *b)
{
    for (unsigned i = 1; i <= 1 + random_below(3); i++) {
        cv_buf_printf(b, "[PERSPECTIVE P%02u: Ownership of fields decides the direction]\n\n", i);
        for (int paragraphs = 0; paragraphs < 3; paragraphs++)
            prose(b);
    }
    cv_buf_add_z(b, "[TENSION T01: Drift policy against visibility]\n\n");
    prose(b);
    cv_buf_add_z(b, "---\n\n[REFINEMENT: The policy is per domain]\n\n");
    prose(b);
    cv_buf_add_z(b, random_below(2) ? "[RESOLVED T01]\n\n" : "[RE:SUPPORT P0001]\nIt holds.\n\n[MOVE:CONVERGE]\n\n");
}

static void tables(cv_buf *b)
{
    cv_buf_add_z(b,
                 "## Expert Panel\n\n| Agent | Role | Tier | Relevance | Emoji |\n|-------|------|------|-----|---|\n");
    for (size_t i = 0; i < 8; i++)
        cv_buf_printf(b, "| 🧁 %s | Systems Thinker | Core | 0.%u | 🧁 |\n", names[i], 30 + random_below(60));
    cv_buf_add_z(b, "\n## Alignment Scoreboard\n\n| Agent | R0 | R1 | **Total** |\n|-------|----|----|-----|\n");
    for (size_t i = 0; i < 8; i++)
        cv_buf_printf(b, "| 🧁 %s | 11 | 13 | **24** |\n", names[i]);
    cv_buf_add_z(b, "\n**Total ALIGNMENT**: 192\n\n## Tensions Tracker\n\n| ID | Tension | Status | Raised "
                    "|\n|----|---|---|---|\n");
    for (unsigned i = 1; i < 9; i++)
        cv_buf_printf(b, "| T%02u | Configuration sprawl against one source of truth | **Resolved** | 🧁 Scone |\n",
                      i);
    cv_buf_add_char(b, '\n');
}

static void document(cv_buf *b)
{
    cv_buf_add_z(
        b,
        "# Alignment Dialogue: Architecture of the configuration\n\n**Draft**: Dialogue 2033\n**Status**: Converged\n"
        "**Participants**: 💙 Judge, 🧁 Muffin, 🧁 Cupcake\n\n");
    tables(b);
    for (unsigned round = 0; round < 2; round++) {
        cv_buf_printf(b, "## Round %u: Arguments\n\n", round);
        for (size_t i = 0; i < 8; i++) {
            cv_buf_printf(b, "### %s 🧁\n\n", names[i]);
            response(b);
        }
        cv_buf_printf(b, "## 💙 Judge: Round %u Assessment\n\n", round);
        prose(b);
    }
}

/* ---- what is measured ------------------------------------------------------------------------------------------- */

static cv_str documents[MOST_DOCUMENTS];
static size_t document_count, total_bytes, total_lines, total_marks, arena_chunks, arena_bytes;

static size_t walk(cv_str s)
{
    size_t lines = 0;
    for (const char *p = s.p, *end = s.p + s.n; p < end; lines++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        p = nl ? nl + 1 : end;
    }
    return lines;
}

static void run_walk(void)
{
    total_lines = 0;
    for (size_t i = 0; i < document_count; i++)
        total_lines += walk(documents[i]);
}

static int ignore_block(MD_BLOCKTYPE type, void *detail, void *to)
{
    (void)type, (void)detail, (void)to;
    return 0;
}
static int ignore_span(MD_SPANTYPE type, void *detail, void *to)
{
    (void)type, (void)detail, (void)to;
    return 0;
}
static int ignore_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *to)
{
    (void)type, (void)text, (void)size, (void)to;
    return 0;
}

static void run_md4c(void)
{
    MD_PARSER parser = {.flags = MD_FLAG_TABLES,
                        .enter_block = ignore_block,
                        .leave_block = ignore_block,
                        .enter_span = ignore_span,
                        .leave_span = ignore_span,
                        .text = ignore_text};
    for (size_t i = 0; i < document_count; i++)
        md_parse(documents[i].p, (MD_SIZE)documents[i].n, &parser, NULL);
}

static void run_parse(void)
{
    cv_arena a = {0};
    total_marks = arena_chunks = arena_bytes = 0;
    for (size_t i = 0; i < document_count; i++) {
        cv_doc doc;
        cv_findings findings = {0};
        cv_lint_parse(&a, documents[i], &doc, &findings);
        total_marks += doc.mark_count;
        arena_chunks += a.chunks;
        arena_bytes += a.bytes - (size_t)(a.end - a.free);
        cv_arena_reset(&a);
    }
    cv_arena_release(&a);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* GB/s of the best round. */
static double best(void (*run)(void))
{
    double least = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double from = seconds();
        run();
        double took = seconds() - from;
        least = took < least ? took : least;
    }
    return (double)total_bytes / least / 1e9;
}

void bench_text(void)
{
    static cv_buf text;
    size_t starts[MOST_DOCUMENTS];
    while (text.n < TOTAL && document_count < MOST_DOCUMENTS) {
        starts[document_count++] = text.n;
        if (random_below(4))
            response(&text);
        else
            document(&text);
    }
    total_bytes = text.n;
    for (size_t i = 0; i < document_count; i++)
        documents[i] = cv_str_range(text.p + starts[i], text.p + (i + 1 < document_count ? starts[i + 1] : text.n));

    double floor = best(run_walk), md4c = best(run_md4c), ours = best(run_parse);
    double megabytes = (double)total_bytes / 1e6;
    printf("parsing %.0f MB of dialogues: %zu documents, %zu lines of %.0f bytes, %zu marks\n", megabytes,
           document_count, total_lines, (double)total_bytes / (double)total_lines, total_marks);
    printf("  walk over the lines   %6.2f GB/s\n", floor);
    printf("  md4c                  %6.2f GB/s\n", md4c);
    printf("  full parse            %6.2f GB/s   %.2f of the walk (goal 0.20), %.1f times md4c (goal 4)\n", ours,
           ours / floor, ours / md4c);
    printf("  from the arena        %6.2f allocations and %.0f KB per MB of text\n", (double)arena_chunks / megabytes,
           (double)arena_bytes / 1e3 / megabytes);
    cv_buf_release(&text);
}
