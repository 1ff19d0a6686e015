/* conditions.c - what people want to hear of a dialogue; see kit/room.h. */
#include "dialogue/asking.h"
#include "dialogue/room.h"

enum { PATIENCE_ROUNDS = 2 }; /* a tension that nobody takes up for so long holds everything up */

static bool ask(const cv_asker *asker, const char *operation, cv_str id, cv_json *ret, cv_err *err)
{
    cv_str reply;
    return cv_ask(asker, operation, cv_dialogue_input(asker->arena, id, NULL, CV_STR("")), &reply, err) &&
           cv_json_parse(asker->arena, reply, ret, err);
}

static bool is_decided(const cv_json *page)
{
    return cv_json_get(page, CV_STR("decision"))->type == CV_JSON_OBJECT;
}

static bool is_over(const cv_json *page)
{
    return is_decided(page) || cv_str_eq(cv_json_get_text(page, "dialogue_status"), CV_STR("abandoned"));
}

static bool look_complete(const cv_asker *asker, cv_str id, cv_held_list *ret, cv_err *err)
{
    cv_json round;
    if (!ask(asker, "dialogue round-verify", id, &round, err))
        return false;
    long long number = cv_json_get_int(&round, "round", 0);
    if (cv_json_get_true(&round, "complete") && !cv_json_get_true(&round, "registered"))
        *CV_PUSH(asker->arena, ret) =
            (cv_held){.key = cv_arena_printf(asker->arena, "%lld", number),
                      .text = cv_arena_printf(asker->arena, "round %lld is complete: it can be registered", number)};
    return true;
}

static bool look_missing(const cv_asker *asker, cv_str id, cv_held_list *ret, cv_err *err)
{
    cv_json page, round;
    if (!ask(asker, "dialogue show", id, &page, err))
        return false;
    if (is_over(&page))
        return true;
    if (!ask(asker, "dialogue round-verify", id, &round, err))
        return false;
    const cv_json *missing = cv_json_get(&round, CV_STR("missing"));
    long long number = cv_json_get_int(&round, "round", 0);
    for (uint32_t i = 0; missing && i < missing->count; i++) {
        cv_str expert = missing->items[i].text;
        *CV_PUSH(asker->arena, ret) =
            (cv_held){.key = cv_arena_printf(asker->arena, "%lld %.*s", number, CV_FMT(expert)),
                      .who = expert,
                      .text = cv_arena_printf(asker->arena, "round %lld is waiting for %.*s", number, CV_FMT(expert))};
    }
    return true;
}

static bool look_converged(const cv_asker *asker, cv_str id, cv_held_list *ret, cv_err *err)
{
    cv_json page;
    if (!ask(asker, "dialogue show", id, &page, err))
        return false;
    const cv_json *convergence = cv_json_get(&page, CV_STR("convergence"));
    if (convergence && cv_json_get_true(convergence, "converged"))
        *CV_PUSH(asker->arena, ret) =
            (cv_held){.key = CV_STR("converged"),
                      .text = is_decided(&page) ? CV_STR("the panel has converged")
                                                : CV_STR("the panel has converged: the final verdict can be given")};
    return true;
}

static bool look_decided(const cv_asker *asker, cv_str id, cv_held_list *ret, cv_err *err)
{
    cv_json page;
    if (!ask(asker, "dialogue show", id, &page, err))
        return false;
    if (is_decided(&page))
        *CV_PUSH(asker->arena, ret) =
            (cv_held){.key = CV_STR("decided"),
                      .text = cv_arena_printf(
                          asker->arena, "decided: %.*s",
                          CV_FMT(cv_json_get_text(cv_json_get(&page, CV_STR("decision")), "recommendation")))};
    return true;
}

static bool look_blocked(const cv_asker *asker, cv_str id, cv_held_list *ret, cv_err *err)
{
    cv_json page;
    if (!ask(asker, "dialogue show", id, &page, err))
        return false;
    const cv_json *tensions = cv_json_get(&page, CV_STR("tensions")), *rounds = cv_json_get(&page, CV_STR("rounds"));
    for (uint32_t i = 0; !is_over(&page) && i < tensions->count; i++) {
        const cv_json *tension = &tensions->items[i];
        int64_t last = (int64_t)rounds->count - 1, age = last - cv_json_get_int(tension, "since", last);
        cv_str name = cv_json_get_text(tension, "id"), label = cv_json_get_text(tension, "label");
        if (cv_str_eq(cv_json_get_text(tension, "status"), CV_STR("open")) && age >= PATIENCE_ROUNDS)
            *CV_PUSH(asker->arena, ret) =
                (cv_held){.key = name,
                          .text = cv_arena_printf(asker->arena, "nobody has answered %.*s for %lld round%s: %.*s",
                                                  CV_FMT(name), (long long)age, CV_PLURAL(age), CV_FMT(label))};
    }
    return true;
}

const cv_condition cv_dialogue_conditions[] = {
    {"round-complete", "every expert has answered the round: it can be registered", look_complete, false},
    {"expert-missing", "a round waits for an expert, and nothing has happened for a while", look_missing, true},
    {"converged", "the panel has converged", look_converged, false},
    {"decided", "the final verdict was given", look_decided, false},
    {"blocked", "a tension is open for two rounds, and nobody has answered it", look_blocked, false},
    {0},
};
