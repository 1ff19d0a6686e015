/* calling.h - calls of agents in a folder of their own: what the tests of commands and endpoints share. */
#ifndef CV_TEST_CALLING_H
#define CV_TEST_CALLING_H

#include "testing.h"

#include <dirent.h>

#include "run/calls.h"

typedef struct {
    cv_arena arena;
    const char *folder;
    cv_calls *calls;
} place;

static const char *const variables[][2] = {
    {"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", "/nowhere"},   {"SECRET_OF_OTHERS", "do-not-hand-on"},
    {"MY_API_KEY", "sk-very-secret-1234"},    {"MY_SETTING", "blue"},
};

static inline const char *variable(void *ctx, const char *name)
{
    (void)ctx;
    for (size_t i = 0; i < CV_COUNT(variables); i++)
        if (strcmp(variables[i][0], name) == 0)
            return variables[i][1];
    return NULL;
}

static const cv_calls_world world = {.variable = variable, .kill_after_ms = 300, .stall_ms = 300};

static inline int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->folder = cv_test_folder(&p->arena);
    p->calls = cv_calls_open(&world);
    *state = p;
    return 0;
}

static inline int tear_down(void **state)
{
    place *p = *state;
    cv_calls_close(p->calls);
    cv_test_remove(p->folder);
    cv_arena_release(&p->arena);
    free(p);
    return 0;
}

static inline const char *output(place *p, const char *name)
{
    return cv_arena_printf(&p->arena, "%s/%s", p->folder, name).p;
}

static inline cv_reach *reach_of(place *p, const char *command)
{
    cv_err err = {.arena = &p->arena};
    cv_reach *reach = CV_NEW(&p->arena, cv_reach);
    if (!cv_reach_of_command(&p->arena, cv_str_of(command), reach, &err))
        fail_msg("%s", cv_err_text(&err).p);
    return reach;
}

static const cv_variable told[] = {{CV_STR_INIT("CONCLAVE_EXPERT"), CV_STR_INIT("muffin")}};

static inline void start(place *p, const cv_reach *reach, cv_str prompt, const char *name)
{
    cv_calls_start(p->calls, &(cv_calls_request){.reach = reach,
                                                 .prompt = prompt,
                                                 .output = output(p, name),
                                                 .root = p->folder,
                                                 .variables = told,
                                                 .variable_count = CV_COUNT(told),
                                                 .tag = (void *)name});
}

static inline cv_calls_result finish(place *p)
{
    cv_calls_result result;
    while (cv_calls_running(p->calls))
        if (cv_calls_step(p->calls, &p->arena, 1000, &result))
            return result;
    fail();
    return result;
}

static inline cv_calls_result call_reach(place *p, const cv_reach *reach, const char *prompt)
{
    start(p, reach, cv_str_of(prompt), "answer");
    return finish(p);
}

#define assert_outcome(result, wanted)                                                                                 \
    do {                                                                                                               \
        if ((result).outcome != (wanted))                                                                              \
            print_error("%.*s: %.*s | %.*s\n", CV_FMT(cv_outcome_words.items[(result).outcome]),                       \
                        CV_FMT((result).message), CV_FMT((result).tail));                                              \
        assert_int_equal((result).outcome, (wanted));                                                                  \
    } while (0)

/* Files in the folder, hidden ones too. */
static inline size_t count_files(const char *folder)
{
    DIR *all = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; all && (entry = readdir(all));)
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(all);
    return count;
}

#endif
