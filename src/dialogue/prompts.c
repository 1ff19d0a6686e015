/* prompts.c - how to begin, for the people who choose a prompt in their client: judge, expert, reviewer; see
 * kit/room.h. */
#include "dialogue/asking.h"
#include "dialogue/room.h"
#include "dialogue/words/errors.h"

static void say(const cv_asker *asker, cv_prompt_texts *texts, cv_str text)
{
    *CV_PUSH(asker->arena, texts) = text;
}

static const char workflow[] =
    "You are the judge of an ALIGNMENT dialogue. The experts deliberate, you moderate, score and decide; you never "
    "write an expert's contribution yourself.\n\n"
    "For each round:\n"
    "1. Decide who sits on the panel (blue_dialogue_evolve_panel, blue_dialogue_expert_create) where the last round "
    "left a gap.\n"
    "2. blue_dialogue_round_prompts gives one prompt per expert. Start all experts in ONE message, each as an agent of "
    "its own with its prompt.\n"
    "3. Send every answer with blue_dialogue_respond, word for word; an expert with nothing to say: "
    "no_contribution.\n"
    "4. blue_dialogue_draft shows what all answers say. Register it with blue_dialogue_round_register and use_draft: "
    "true: "
    "send expert_scores (precision, not volume), a summary, and only what you change (`also` merges, `remove` leaves "
    "out).\n"
    "5. blue_dialogue_progress says what still blocks convergence. Go on until every tension is closed and every "
    "expert has signalled, then blue_dialogue_verdict_register: the final verdict, and a minority verdict for those "
    "who dissent. blue_dialogue_export writes it down.\n\n"
    "A refused request lists every fault of form (types, fields), and once its form is right every fault of meaning, "
    "each with its field and what would be valid: correct all of them and send the whole request again.\n";

/* Some clients cut what is typed at blanks and hand over the first words only: "Should", "we". */
static cv_str begin(cv_arena *a, cv_str question, cv_str more)
{
    if (!question.n)
        return CV_STR("Ask me for the question, then begin a dialogue about it.");
    if (!more.n && cv_str_find_char(question, ' ') != SIZE_MAX)
        return cv_arena_printf(a, "Begin a dialogue about this question: %.*s", CV_FMT(question));
    return cv_arena_printf(
        a,
        "Begin a dialogue about the question that begins '%.*s%s%.*s'. If your client cut it off, take the "
        "whole of it from what I typed, or ask me for it.",
        CV_FMT(question), more.n ? " " : "", CV_FMT(more));
}

/* A single word may be the first one of a question that was cut: "Should bread …", where there is a dialogue 'bread'.
 */
static cv_str go_on(cv_arena *a, cv_str question, cv_str id, cv_str where)
{
    cv_str typed = CV_STR("");
    if (question.n && cv_str_find_char(question, ' ') == SIZE_MAX)
        typed = cv_arena_printf(a,
                                " If I typed a question that begins '%.*s %.*s', your client cut it off: take the "
                                "whole of it, or ask me, and begin a dialogue about it instead.",
                                CV_FMT(question), CV_FMT(id));
    return cv_arena_printf(a, "Continue the dialogue '%.*s'.%.*s Its present state:\n\n%.*s", CV_FMT(id), CV_FMT(typed),
                           CV_FMT(where));
}

/* An argument as it was meant: people type quotes around it, and name=value, which clients hand on as they are. */
static cv_str typed(const cv_json *arguments, const char *name)
{
    cv_str text = cv_str_trim(cv_json_get_text(arguments, name));
    size_t n = strlen(name);
    if (text.n > n && text.p[n] == '=' && cv_str_eq(cv_str_head(text, n), cv_str_of(name)))
        text = cv_str_from(text, n + 1);
    if (text.n && text.p[0] == '"')
        text = cv_str_from(text, 1);
    if (text.n && text.p[text.n - 1] == '"')
        text = cv_str_head(text, text.n - 1);
    return text;
}

static bool judge(const cv_asker *asker, const cv_json *arguments, cv_prompt_texts *texts, cv_err *err)
{
    cv_arena *a = asker->arena;
    cv_str question = typed(arguments, "question"), id = typed(arguments, "dialogue_id"), where;
    if (!id.n && cv_str_starts(question, CV_STR("dialogue_id=")))
        question = cv_str_from(question, sizeof "dialogue_id=" - 1);
    cv_str named = id.n ? id : question; /* the first argument is the question: people type an id there, too */
    say(asker, texts, CV_STR(workflow));
    if (named.n && cv_ask(asker, "dialogue progress", cv_dialogue_input(a, named, NULL, (cv_str){0}), &where, err)) {
        say(asker, texts, go_on(a, id.n ? question : CV_STR(""), named, where));
        return true;
    }
    if (id.n && (!question.n || err->code != CV_ERR_DIALOGUE_NOT_FOUND))
        return false;
    say(asker, texts, begin(a, question, id));
    return true;
}

static bool expert(const cv_asker *asker, const cv_json *arguments, cv_prompt_texts *texts, cv_err *err)
{
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_str reply;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", cv_json_get_text(arguments, "dialogue_id"));
    cv_json_key(&w, CV_STR("experts"));
    cv_json_begin_array(&w);
    cv_json_str(&w, cv_json_get_text(arguments, "expert"));
    cv_json_end_array(&w);
    cv_json_key_bool(&w, "write", false);
    cv_json_end_object(&w);
    if (!cv_ask(asker, "dialogue round-prompts", cv_buf_take(&input, asker->arena), &reply, err))
        return false;
    say(asker, texts, cv_dialogue_text(asker->arena, reply, "prompts", "prompt"));
    return true;
}

static const char review[] =
    "Review the verdicts of this dialogue as somebody who was not on the panel. For every verdict: does it follow from "
    "what was said? Which perspective, evidence or claim does each part of it rest on (cite the ids)? Which tension "
    "was closed without an answer, which objection was never met? Is the minority's case stated as strongly as it was "
    "made? End with: uphold, uphold with conditions, or reopen, and why.\n";

static bool reviewer(const cv_asker *asker, const cv_json *arguments, cv_prompt_texts *texts, cv_err *err)
{
    cv_arena *a = asker->arena;
    cv_str id = cv_json_get_text(arguments, "dialogue_id"), reply;
    if (!cv_ask(asker, "dialogue transcript", cv_dialogue_input(a, id, NULL, (cv_str){0}), &reply, err))
        return false;
    say(asker, texts, CV_STR(review));
    say(asker, texts, cv_dialogue_text(a, reply, NULL, "markdown"));
    return true;
}

static const cv_prompt_argument for_judges[] = {
    {"question", "the question to decide", false}, {"dialogue_id", "continue this dialogue", false}, {0}};
static const cv_prompt_argument for_experts[] = {
    {"dialogue_id", "which dialogue", true}, {"expert", "the expert's slug", true}, {0}};
static const cv_prompt_argument for_reviewers[] = {{"dialogue_id", "which dialogue", true}, {0}};

const cv_room_prompt cv_dialogue_prompts[] = {
    {"judge", "Judge a deliberation", "Start a deliberation, or continue one", for_judges, judge},
    {"expert", "Take part as an expert", "The prompt of one expert for the next round", for_experts, expert},
    {"reviewer", "Review a verdict", "Does the verdict follow from what was said?", for_reviewers, reviewer},
    {0},
};
