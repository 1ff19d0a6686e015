/* protocol.c - the judge's instructions; see protocol.h. */
#include "dialogue/protocol.h"

static const char names[] =
    "# Judge protocol\n"
    "\n"
    "You are the judge 💙. You lead the dialogue and decide at its end; the experts 🧁 argue. What you register\n"
    "is checked, numbered and kept; a refused request comes back with the field and a suggestion, and nothing\n"
    "of it was written.\n"
    "\n"
    "Every operation below takes `dialogue_id`. All of them are commands of `conclave` and tools of its server; some\n"
    "are tools only when it is started with `--tools all`.\n";

/* {round-context} is that operation as the caller calls it. */
static const char steps[] =
    "   Before a later round decide who sits: `{panel-sample}` proposes, `{evolve-panel}` records (`retained`,\n"
    "   `pool` or `created` for each). Otherwise the last panel stays. `{expert-create}` adds an expert\n"
    "   that the pool lacks: give role, tier and the reason.\n"
    "1. **Context.** `{round-context}` shows everything that was said and what is open. Read it before you ask.\n"
    "2. **Prompts.** `{round-prompts}` writes one prompt for every expert of the panel, with a brief for each who is\n"
    "   new. Frame those who need it with `overrides`.\n"
    "3. **Ask.** Start all experts at once, not one after the other, each with its prompt. Each writes its\n"
    "   response with local ids (`MUFFIN-P0101`) and sees none of the others.\n"
    "4. **Collect.** Send every response, word for word, with `{respond}`. An expert with nothing to say sends\n"
    "   `no_contribution`. `{round-verify}` shows who is missing and what is not understood. Never invent a\n"
    "   contribution for an expert.\n"
    "5. **Register.** `{draft}` shows what all responses say. Score each expert by what the contribution adds "
    "(wisdom,\n"
    "   consistency, truth, relationships; never before it is read), write a summary, and send both with\n"
    "   `{round-register}` and `use_draft`, and only what you change: `also` merges what several said, `remove`\n"
    "   leaves out. It is registered as a whole or not at all, and the answer has the global ids.\n"
    "6. **Converged?** `{progress}` names the blockers. If there are any, make them the task of the next round.\n"
    "   Otherwise register the final verdict with `{verdict-register}`; minority and dissent verdicts may follow\n"
    "   it, and `{export}` writes everything down. A dialogue that leads nowhere ends with `{abandon}`.\n";

static const char convergence[] =
    "\n"
    "## Convergence\n"
    "\n"
    "The velocity of a round is the number of tensions still open after it plus the perspectives new in it. A\n"
    "dialogue has converged when every tension is resolved or accepted and every expert of the panel stands by\n"
    "`[MOVE:CONVERGE]`: having written it, and nothing against it in a later round (a tension, `oppose`,\n"
    "`challenge`, a dissent). `no_contribution` keeps it.\n";

static const char tensions[] =
    "\n"
    "A tension is closed when it is resolved, or accepted as one that need not block. Ask those who raised it\n"
    "whether an answer settles it. Do not close one to be done, and do not raise one to go on.\n";

static const char graduated[] =
    "Retain the experts who move the open tensions. Bring in a fresh view from the pool when the panel agrees too\n"
    "early or repeats itself, and create an expert when a tension needs knowledge that nobody has. The size\n"
    "may change. Names stay with their experts from round to round.\n";

static const char calibrated[] =
    "\n"
    "## Calibration\n"
    "\n"
    "This dialogue is calibrated: `{round-prompts}` puts its calibration into every prompt. Report\n"
    "`ethos_compliance` in the verdict.\n";

static void print_named(cv_buf *out, const cv_call *call, cv_str text)
{
    cv_str plain, verb;
    while (cv_str_split(&text, '{', &plain)) {
        cv_buf_add(out, plain);
        if (!cv_str_split(&text, '}', &verb))
            return;
        cv_str operation = cv_arena_join(call->arena, CV_STR("dialogue "), verb);
        cv_buf_add(out, cv_call_name(call, operation, CV_STR(""), NULL, 0));
    }
}

static void print_files(cv_buf *out, cv_str folder)
{
    cv_buf_printf(out, "\n## Files\n\nBelow `%.*s`, one folder per round:\n\n", CV_FMT(folder));
    cv_buf_add_z(out, "- `round-N/prompt-SLUG.md` and `round-N/context-SLUG.json`: what an expert is given\n"
                      "- `round-N/response-SLUG.md`: what the expert wrote\n");
}

static cv_str target_of(const cv_rec_dialogue *d)
{
    return d->convergence_target.p ? d->convergence_target : CV_STR("1");
}

static void print_convergence(cv_buf *out, const cv_rec_dialogue *d)
{
    cv_str target = target_of(d);
    cv_buf_add_z(out, convergence);
    cv_buf_printf(out, "\nThe target share of closed tensions and of converging experts is %.*s (1: all).",
                  CV_FMT(target));
    cv_buf_add_z(out,
                 d->strict_convergence == 1
                     ? " It is strict: a final verdict before that is refused unless it is forced with a warning.\n"
                     : " A final verdict before that is accepted, with warnings.\n");
    cv_buf_printf(out, "Stop and decide after %d rounds at the latest.\n", CV_PROTOCOL_ROUNDS);
    cv_buf_add_z(out, tensions);
}

static void print_rotation(cv_buf *out, const cv_rec_dialogue *d)
{
    int rotation = cv_words_find(cv_rotation_words, d->rotation);
    cv_buf_printf(out, "\n## Rotation: %.*s\n\n", CV_FMT(d->rotation));
    if (rotation >= 0)
        cv_buf_printf(out, "%.*s\n", CV_FMT(cv_rotation_meanings[rotation]));
    if (rotation == CV_ROTATION_GRADUATED)
        cv_buf_add_z(out, graduated);
}

static void print_calibration(cv_buf *out, const cv_call *call, const cv_rec_dialogue *d)
{
    if (d->calibrated == 1)
        print_named(out, call, CV_STR(calibrated));
}

static void print_instructions(cv_buf *out, const cv_call *call, const cv_rec_dialogue *d, const cv_pool *pool)
{
    cv_buf_add_z(out, names);
    cv_buf_add_z(out, "\n## Each round\n\n0. **Panel.** ");
    print_named(out, call,
                pool->count > 0 && d->panel_size > 0
                    ? CV_STR("Round 0 has its panel.\n")
                    : CV_STR("There is no panel yet: seat round 0 with `{evolve-panel}`.\n"));
    print_named(out, call, CV_STR(steps));
    print_files(out, d->output_dir);
    print_convergence(out, d);
    print_rotation(out, d);
    print_calibration(out, call, d);
    cv_buf_add_z(out,
                 "\nWhat experts write is in their skill, in `conclave spec` and in the resource conclave://spec.\n");
}

/* ---- as data ----------------------------------------------------------------------------------------------------- */

static cv_str round_file(cv_arena *a, cv_str folder, const char *name)
{
    return cv_arena_printf(a, "%.*s/round-{round}/%s", CV_FMT(folder), name);
}

cv_protocol cv_protocol_of(const cv_call *call, const cv_rec_dialogue *d, const cv_pool *pool)
{
    cv_arena *a = call->arena;
    cv_buf text = {0};
    print_instructions(&text, call, d, pool);
    return (cv_protocol){.instructions = cv_buf_take(&text, a),
                         .target = target_of(d),
                         .strict = d->strict_convergence == 1,
                         .max_rounds = CV_PROTOCOL_ROUNDS,
                         .tension_gate = true,
                         .output_dir = d->output_dir,
                         .rotation = d->rotation,
                         .files = {.prompt = round_file(a, d->output_dir, "prompt-{slug}.md"),
                                   .context = round_file(a, d->output_dir, "context-{slug}.json"),
                                   .response = round_file(a, d->output_dir, "response-{slug}.md")},
                         .pool = pool};
}

#define CV_THIS_TYPE cv_protocol
static const cv_shape convergence_shape[] = {
    CV_JSON_AS(ALWAYS, NUMBER, "target", target, ""),
    CV_FIELD(ALWAYS, strict, ""),
    CV_FIELD(ALWAYS, max_rounds, ""),
    CV_FIELD_AS(ALWAYS, "tension_resolution_gate", tension_gate, ""),
    CV_FIXED("velocity_formula", "open_tensions + new_perspectives"),
    CV_FIXED("convergence_formula", "min(closed_tensions / tensions, converge_signals / panel_size) >= target"),
    {0},
};
static const cv_shape files_shape[] = {
    CV_FIELD_AS(ALWAYS, "prompt", files.prompt, ""),
    CV_FIELD_AS(ALWAYS, "context", files.context, ""),
    CV_FIELD_AS(ALWAYS, "response", files.response, ""),
    {0},
};
static const cv_shape pool_shape[] = {
    CV_FIELD_OF(IF_ANY, pool, domain, ""),
    CV_FIELD_OF(IF_ANY, pool, question, ""),
    CV_FIELD_OF_AS(ALWAYS, "total_experts", pool, count, ""),
    {0},
};
const cv_shape cv_protocol_shape[] = {
    CV_FIELD(ALWAYS, instructions, "markdown: how to lead the dialogue"),
    CV_GROUP("convergence", convergence_shape, ""),
    CV_FIELD(ALWAYS, output_dir, ""),
    CV_GROUP("files", files_shape, ""),
    CV_FIELD(ALWAYS, rotation, ""),
    CV_GROUP("expert_pool", pool_shape, ""),
    {0},
};
#undef CV_THIS_TYPE
