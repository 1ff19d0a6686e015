/* round_context.c - everything that the experts of a round are to know, for all of them in one answer.
 *
 * The judge builds prompts from it, or round-prompts does so. With since_rev the answer is an increment: the
 * members of "replace" take the place of those of the earlier answer, the rounds of "merge" are laid over the
 * earlier ones, item by item.
 */
#include "dialogue/brief/story.h"
#include "dialogue/faults.h"
#include "dialogue/operations.h"

static void print_increment(int64_t since, cv_json_writer *w)
{
    static const cv_str replaced[] = {CV_STR_INIT("dialogue"), CV_STR_INIT("active_tensions"), CV_STR_INIT("experts")};
    static const cv_str merged[] = {CV_STR_INIT("prior_rounds")};
    cv_json_key(w, CV_STR("increment"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "since_rev", since);
    cv_json_key_strs(w, "replace", replaced, CV_COUNT(replaced));
    cv_json_key_strs(w, "merge", merged, CV_COUNT(merged));
    cv_json_end_object(w);
}

static void print_experts(const cv_view *v, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("experts"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < v->members.count; i++) {
        const cv_view_member *member = &v->members.items[i];
        cv_json_key(w, member->slug);
        cv_json_begin_object(w);
        cv_view_print_member(member, cv_story_context(v, member), w);
        cv_json_end_object(w);
    }
    cv_json_end_object(w);
}

static void print_answer(cv_call *call, const cv_view *v, int64_t since)
{
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", v->s.id);
    cv_json_key_int(&w, "rev", v->s.position.rev);
    cv_json_key_int(&w, "round", v->round);
    cv_json_key_bool(&w, "changed", since < v->s.position.rev);
    if (since < v->s.position.rev) {
        if (since > 0)
            print_increment(since, &w);
        cv_view_print_shared(v, since, &w);
        print_experts(v, &w);
    }
    cv_json_end_object(&w);
}

bool cv_dialogue_round_context(cv_call *call)
{
    cv_view v;
    if (!cv_view_load(call, &v))
        return false;
    int64_t since = cv_json_get_int(call->input, "since_rev", 0);
    if (since > v.s.position.rev) {
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "since_rev",
                                 cv_arena_printf(call->arena, "%lld", (long long)since),
                                 "the dialogue has not reached rev %lld", (long long)since),
                       cv_arena_printf(call->arena, "it is at rev %lld", (long long)v.s.position.rev));
        return false;
    }
    print_answer(call, &v, since);
    return true;
}
