/* prompts.c - how to begin, for the people who choose a prompt in their client: judge, expert, reviewer; see
 * tools.h. */
#include "door/tools.h"

static void say(cv_mcp_request *r, cv_str text)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "role", CV_STR("user"));
    cv_json_key(&r->w, CV_STR("content"));
    cv_mcp_text(r, text);
    cv_json_end_object(&r->w);
}

/* A prompt that cannot be made is no text to begin with: the client's user is told why. */
static bool refuse(cv_mcp_request *r, cv_str reply)
{
    cv_str suggestion = cv_tools_text(r->arena, reply, "errors", "suggestion");
    cv_str message = cv_tools_text(r->arena, reply, "errors", "message");
    bool told = suggestion.p != reply.p;
    return cv_mcp_fail(r, CV_RPC_PARAMS, "%.*s%s%.*s", CV_FMT(message), told ? "; " : "",
                       CV_FMT(told ? suggestion : CV_STR("")));
}

static const char workflow[] =
    "You are the judge of an ALIGNMENT dialogue. The experts deliberate, you moderate, score and decide; you never "
    "write an expert's contribution yourself.\n\n"
    "For each round:\n"
    "1. Decide who sits on the panel (blue_dialogue_evolve_panel, blue_dialogue_expert_create) where the last round "
    "left a gap.\n"
    "2. blue_dialogue_round_prompts gives one prompt per expert. Start all experts in ONE message, each as an agent of "
    "its own with its prompt.\n"
    "3. Hand every answer in with blue_dialogue_respond, word for word; an expert with nothing to say: "
    "no_contribution.\n"
    "4. blue_dialogue_draft makes a request of all answers. Check it, merge what is the same, score each expert and "
    "the round (precision, not volume), write a summary, and send it with blue_dialogue_round_register.\n"
    "5. blue_dialogue_progress says what still blocks convergence. Go on until every tension is closed and every "
    "expert has signalled, then blue_dialogue_verdict_register: the final verdict, and a minority verdict for those "
    "who dissent. blue_dialogue_export writes it down.\n\n"
    "A refused request lists every fault of form (types, fields), and once its form is right every fault of meaning, "
    "each with its field and what would be valid: mend all of them and send the whole request again.\n";

static bool judge(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    cv_str question = cv_json_get_text(arguments, "question"), id = cv_json_get_text(arguments, "dialogue_id");
    bool failed = false;
    (void)prompt;
    say(r, CV_STR(workflow));
    if (id.n) {
        cv_str where =
            cv_tools_run_named(r, "dialogue", "progress", cv_tools_input(r->arena, id, NULL, (cv_str){0}), &failed);
        if (failed)
            return refuse(r, where);
        say(r, cv_arena_printf(r->arena, "Continue the dialogue '%.*s'. This is where it stands:\n\n%.*s", CV_FMT(id),
                               CV_FMT(where)));
    } else {
        say(r, question.n ? cv_arena_printf(r->arena, "Begin a dialogue about this question: %.*s", CV_FMT(question))
                          : CV_STR("Ask me for the question, then begin a dialogue about it."));
    }
    return true;
}

static bool expert(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    cv_str id = cv_json_get_text(arguments, "dialogue_id"), slug = cv_json_get_text(arguments, "expert");
    bool failed = false;
    (void)prompt;
    if (!id.n || !slug.n)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "the arguments dialogue_id and expert are needed");
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", id);
    cv_json_key(&w, CV_STR("experts"));
    cv_json_begin_array(&w);
    cv_json_str(&w, slug);
    cv_json_end_array(&w);
    cv_json_key_bool(&w, "write", false);
    cv_json_end_object(&w);
    cv_str reply = cv_tools_run_named(r, "dialogue", "round-prompts", cv_buf_take(&input, r->arena), &failed);
    if (failed)
        return refuse(r, reply);
    say(r, cv_tools_text(r->arena, reply, "prompts", "prompt"));
    return true;
}

static const char review[] =
    "Review the verdicts of this dialogue as somebody who was not on the panel. For every verdict: does it follow from "
    "what was said? Which perspective, evidence or claim does each part of it rest on (cite the ids)? Which tension "
    "was closed without an answer, which objection was never met? Is the minority's case stated as strongly as it was "
    "made? End with: uphold, uphold with conditions, or reopen, and why.\n";

static bool reviewer(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    cv_str id = cv_json_get_text(arguments, "dialogue_id");
    bool failed = false;
    (void)prompt;
    if (!id.n)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "the argument dialogue_id is needed");
    say(r, CV_STR(review));
    cv_str reply =
        cv_tools_run_named(r, "dialogue", "transcript", cv_tools_input(r->arena, id, NULL, (cv_str){0}), &failed);
    if (failed)
        return refuse(r, reply);
    say(r, cv_tools_text(r->arena, reply, NULL, "markdown"));
    return true;
}

#define ARGUMENT(argument, what, required)                                                                             \
    "{\"name\":\"" argument "\",\"description\":\"" what "\",\"required\":" required "}"
#define PROMPT(prompt, title, what, arguments, function)                                                               \
    {                                                                                                                  \
        CV_STR_INIT(prompt),                                                                                           \
            CV_STR_INIT("{\"name\":\"" prompt "\",\"title\":\"" title "\",\"description\":\"" what                     \
                        "\",\"arguments\":[" arguments "]}"),                                                          \
            function, NULL                                                                                             \
    }

const cv_mcp_prompt cv_prompts[] = {
    PROMPT("judge", "Judge a deliberation", "Start a deliberation, or continue one",
           ARGUMENT("question", "what is to be decided", "false") "," ARGUMENT("dialogue_id", "continue this dialogue",
                                                                               "false"),
           judge),
    PROMPT("expert", "Take part as an expert", "The prompt of one expert for the next round",
           ARGUMENT("dialogue_id", "which dialogue", "true") "," ARGUMENT("expert", "the expert's slug", "true"),
           expert),
    PROMPT("reviewer", "Review a verdict", "Does the verdict follow from what was said?",
           ARGUMENT("dialogue_id", "which dialogue", "true"), reviewer),
};
const size_t cv_prompt_count = CV_COUNT(cv_prompts);
