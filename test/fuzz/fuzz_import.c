/* fuzz_import.c - any bytes as a document to import: the script that comes of it is sound.
 *
 * Players have slugs that the record takes, each its own; what they say is something, lies in a round below the ceiling
 * and on a line of the file; numbers of tables lie in their ranges; threads lead to rounds that are there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dialogue/import/full_dialogue.h"
#include "dialogue/import/threads.h"
#include "dialogue/words/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define need(holds)                                                                                                    \
    do {                                                                                                               \
        if (!(holds)) {                                                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, #holds);                                                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static size_t count_lines(cv_str text)
{
    size_t lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    return lines;
}

static void check_participants(cv_script *s)
{
    cv_map seen = {0};
    need(s->participants.count <= CV_MAX_EXPERTS);
    for (size_t i = 0; i < s->participants.count; i++) {
        bool is_new;
        need(cv_slug_ok(s->participants.items[i].slug));
        cv_map_put(&seen, s->arena, s->participants.items[i].slug, &is_new);
        need(is_new);
    }
}

static void check_part(const cv_script *s, const cv_import_part *part, size_t lines)
{
    need(part->participant < s->participants.count && part->text.n > 0 && part->pieces.count > 0);
    need(cv_part_line(part, 1) == part->pieces.items[0].line);
    for (size_t i = 0; i < part->pieces.count; i++)
        need(part->pieces.items[i].line >= 1 && part->pieces.items[i].line <= lines + 1);
}

static void check_acts(const cv_script *s, size_t lines)
{
    need(s->act_count <= CV_MAX_ROUND + 1);
    for (size_t i = 0; i < s->act_count; i++) {
        const cv_import_act *act = &s->acts[i];
        for (size_t k = 0; k < act->parts.count; k++)
            check_part(s, &act->parts.items[k], lines);
        for (size_t k = 0; k < act->scores.count; k++)
            need(act->scores.items[k].participant < s->participants.count &&
                 act->scores.items[k].points.total != CV_ABSENT);
    }
}

static void check_threads(cv_script *s)
{
    cv_threads threads;
    cv_map names;
    cv_threads_find(s, &threads);
    for (size_t i = 0; i < threads.threads.count; i++) {
        const cv_thread *thread = &threads.threads.items[i];
        need(thread->raised >= 0 && thread->raised <= thread->closed && (size_t)thread->closed < s->act_count);
        need(thread->local_id.n > 0);
    }
    static const cv_state nothing = {0};
    cv_threads_names(&threads, s, &nothing, CV_MAX_ROUND, &names);
    need(names.count <= 2 * threads.items.count + threads.threads.count);
}

/* The same text as a transcript: whatever it holds, what is told of it has its place. */
static void check_full(cv_arena *a, cv_str text)
{
    cv_script *s = CV_NEW(a, cv_script);
    cv_full_dialogue *t = CV_NEW(a, cv_full_dialogue);
    s->arena = a;
    s->key = CV_STR("fuzz");
    t->s = s;
    *CV_PUSH(a, &s->sheets) = (cv_sheet){.name = s->key, .brief = s->key, .role = s->key};
    cv_full_read_transcript(t, text);
    for (size_t i = 0; i < t->items.count; i++) {
        const cv_full_item *item = &t->items.items[i];
        need(cv_full_find(t, item->id) == item && item->by.count > 0 && (size_t)item->round < t->round_count);
        for (size_t k = 0; k < item->turns.count; k++)
            need(cv_statuses[item->turns.items[k].status].kind == item->kind && item->turns.items[k].round >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    char *copy = malloc(size ? size : 1); /* on the heap: a read past the end shows */
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    cv_script *s = CV_NEW(&a, cv_script);
    s->arena = &a;
    s->key = CV_STR("fuzz");
    s->date_ms = CV_ABSENT;
    *CV_PUSH(&a, &s->sheets) = (cv_sheet){.name = s->key, .brief = s->key, .role = s->key};
    cv_script_read_doc(s, 0, (cv_str){copy, size});
    cv_script_finish(s);
    check_participants(s);
    check_acts(s, count_lines((cv_str){copy, size}));
    check_threads(s);
    check_full(&a, (cv_str){copy, size});
    cv_arena_release(&a);
    free(copy);
    return 0;
}
