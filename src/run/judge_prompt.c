/* judge_prompt.c - what a judge that is an agent is asked; see judge.h. */
#include "kit/frame.h"
#include "run/judge.h"

static const char head[] =
    "# You are the judge of a deliberation\n\n"
    "A panel of experts argues in rounds; you score, register and decide. You never write, complete or "
    "improve what an expert said: what was not said was not said.\n\n";

static const char round_task[] =
    "## Your task: round %lld\n\n"
    "The draft below has everything that the experts said in this round. It is registered as it is; you add your "
    "part. Answer with ONE JSON object and nothing else:\n\n"
    "```\n"
    "{\"expert_scores\": {\"slug\": 7},          one whole number from 0 for each expert who answered: precision, not "
    "volume\n"
    " \"summary\": \"your synthesis, a few sentences\",\n"
    " \"merges\": [[\"LOCAL-ID\", \"LOCAL-ID\"]],  items that say the same, the one that stays first\n"
    " \"remove\": [\"LOCAL-ID\"],                items to leave out\n"
    " \"tension_updates\": [{\"id\": \"T0001\", \"status\": \"resolved\", \"reason\": \"…\"}],\n"
    "                                         open, addressed, resolved, reopened or accepted\n"
    " \"panel\": {\"drop\": [\"slug\"], \"add\": [\"role or slug of the pool\"],\n"
    "           \"create\": [{\"role\": \"…\", \"tier\": \"Adjacent\", \"focus\": \"…\", \"reason\": \"…\"}]},\n"
    " \"mandate\": \"the task of all experts in the next round\",\n"
    " \"mandates\": {\"slug\": \"the task of this expert\"},\n"
    " \"verdicts\": []}\n"
    "```\n\n"
    "Only expert_scores and summary are required; leave out what you do not change.\n\n";

static const char verdict_form[] =
    "```\n"
    "{\"verdict_id\": \"final\", \"verdict_type\": \"final\",\n"
    " \"recommendation\": \"the decision in one line\", \"description\": \"the reasoning in two or three sentences\",\n"
    " \"conditions\": [\"…\"], \"vote\": \"4-1\", \"confidence\": \"unanimous, strong, split or contested\",\n"
    " \"recommendations_adopted\": [\"R0001\"], \"key_claims\": [], \"key_evidence\": [],\n"
    " \"tensions_resolved\": [\"T0001\"], \"tensions_accepted\": [\"T0002\"], \"supporting_experts\": [\"slug\"]}\n"
    "```\n\n"
    "A tension that stays is accepted in tensions_accepted, never forgotten. Add a verdict of the type minority or "
    "dissent, "
    "with author_expert, for each expert who does not agree and has said so.\n\n";

static void write_so_far(cv_buf *out, const cv_judge_matter *m)
{
    cv_buf_add_z(out, cv_frame_rule);
    cv_buf_add_z(out, "\n## The dialogue so far\n\n");
    cv_frame_add(out, m->so_far);
    if (m->blockers.n)
        cv_buf_printf(out, "\nWhat keeps it from convergence: `%.*s`\n", CV_FMT(m->blockers));
    cv_buf_add_char(out, '\n');
}

static void write_json(cv_buf *out, const char *title, const cv_json *value)
{
    cv_buf text = {0};
    if (!value)
        return;
    cv_json_value(&(cv_json_writer){.out = &text, .indent = 1}, value);
    cv_buf_printf(out, "## %s\n\n", title);
    cv_frame_add(out, cv_buf_str(&text));
    cv_buf_add_char(out, '\n');
    cv_buf_release(&text);
}

static void write_faults(cv_buf *out, const cv_judge_matter *m)
{
    if (!m->faults.n)
        return;
    cv_buf_add_z(out,
                 "## Your answer was refused\n\nNothing of it was registered. Correct every fault and answer again, "
                 "with the whole object:\n\n");
    cv_buf_add(out, m->faults);
    cv_buf_add_z(out, "\nThis was your answer:\n\n");
    cv_frame_add(out, m->answer);
    cv_buf_add_char(out, '\n');
}

cv_str cv_judge_prompt_round(cv_arena *a, const cv_judge_matter *m)
{
    cv_buf out = {0};
    cv_buf_add_z(&out, head);
    write_so_far(&out, m);
    write_json(&out, "The draft of this round", cv_json_get(m->draft, CV_STR("payload")));
    write_json(&out, "Notes on the draft: what could not be read, what may say the same, dissent",
               cv_json_get(m->draft, CV_STR("notes")));
    cv_buf_printf(&out, round_task, (long long)m->round);
    if (m->round >= m->last)
        cv_buf_add_z(&out, "This is the last round. You will be asked for the verdicts when it is registered.\n\n");
    else
        cv_buf_add_z(&out,
                     "If the experts disagree, make what blocks them the task of the next round (mandate). Do not "
                     "close a tension to be done.\n\n");
    write_faults(&out, m);
    return cv_buf_take(&out, a);
}

cv_str cv_judge_prompt_verdict(cv_arena *a, const cv_judge_matter *m)
{
    cv_buf out = {0};
    cv_buf_add_z(&out, head);
    write_so_far(&out, m);
    write_json(&out, "Dissent that experts have written, ready to be registered",
               cv_json_get(cv_json_get(m->draft, CV_STR("notes")), CV_STR("verdicts")));
    cv_buf_add_z(
        &out, "## Your task: the verdicts\n\nThe deliberation is over. Answer with ONE JSON object and nothing else: "
              "{\"verdicts\": […]}, with exactly one of the type final. If nothing can be decided, answer "
              "{\"undecided\": \"why\"} instead. A verdict:\n\n");
    cv_buf_add_z(&out, verdict_form);
    write_faults(&out, m);
    return cv_buf_take(&out, a);
}
