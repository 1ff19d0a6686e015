/* ops.c - what can be asked about runs, and their descriptors; see room.h. */
#include "run/operations.h"
#include "run/plan.h"
#include "run/room.h"
#include "run/run_rows.h"

enum { RUNS = CV_OP_STORE | CV_OP_WRITES | CV_OP_FILES | CV_OP_IDEMPOTENT | CV_OP_LARGE | CV_OP_STARTS };

static const cv_operation top[] = {
    {.room = "",
     .verb = "ask",
     .tool = "conclave_ask",
     .summary = "ask a panel of agents a question: a whole deliberation, from the question to the verdict",
     .details =
         "Creates a dialogue and runs it, as 'run' does. The panel is a template (--panel, see 'dialogue panel-list')\n"
         "or --expert \"Role: focus\", as often as you like. The same command continues where an earlier one was\n"
         "interrupted; if the question is answered, it shows that answer. --again asks the question once more.\n",
     .examples = "  conclave ask \"Redis or PostgreSQL for our jobs?\" --panel architecture-review --agent 'claude -p' "
                 "--dry-run\n",
     .schema = "ask",
     .flags = RUNS,
     .run = cv_run_op_ask,
     .answer = cv_status_shape},
    {.room = "",
     .verb = "run",
     .tool = "conclave_run",
     .summary = "run a dialogue with real agents: prompts, answers, registration, verdicts",
     .details =
         "In each round Conclave writes the prompts, asks all experts at the same time, keeps their answers, asks the\n"
         "judge, and registers the round. This goes on until the panel has converged or --rounds is reached. Then the\n"
         "judge gives the verdicts, and Conclave writes an export. Agents\n"
         "are commands, endpoints, mailboxes or people (--agent, --agents, 'agent add'). The judge is an agent, "
         "human,\n"
         "or mechanical: that one registers what was said, scores nothing and never gives a verdict.\n"
         "\n"
         "After Ctrl-C, a kill or a lost connection, the same command continues: an answer that was complete is\n"
         "used, anything else is asked again, and nothing is registered twice. An expert that fails is absent,\n"
         "and nobody writes in its place. Budgets (--max-cost, --max-tokens, --max-time) stop it between two calls.\n"
         "\n"
         "On a terminal every expert has a line; with --json each event is a line of JSON, and the last line is the\n"
         "answer. Commands and endpoints that the project names are shown and approved once. The exit status is 1\n"
         "when it stopped before it reached what you asked for. See docs/run.md.\n",
     .examples = "  conclave run nvidia-decision --agent 'claude -p' --dry-run\n"
                 "  conclave run nvidia-decision --agents agents.toml --judge opus --max-cost 5 --quorum 3\n"
                 "  conclave run nvidia-decision --agent ./expert.sh --judge mechanical --rounds 2\n",
     .schema = "run",
     .flags = RUNS,
     .run = cv_run_op_run,
     .answer = cv_status_shape},
    {0},
};

static const cv_operation rows[] = {
    {.room = "run",
     .verb = "status",
     .tool = "conclave_run_status",
     .summary = "show a run: who has answered, what it has cost, why it has stopped",
     .details = "The run may still be active, here or elsewhere, or be over. --attempts lists every attempt with\n"
                "its agent, model, duration, exit status, tokens, cost, hashes, and the end of its standard error.\n",
     .examples = "  conclave run status nvidia-decision\n"
                 "  conclave run status nvidia-decision --attempts --json\n",
     .schema = "run_status",
     .flags = CV_OP_STORE | CV_OP_IDEMPOTENT | CV_OP_LARGE,
     .run = cv_run_op_status,
     .answer = cv_status_shape},
    {.room = "run",
     .verb = "stop",
     .tool = "conclave_run_stop",
     .summary = "ask a run to stop; 'run' continues it later",
     .details = "Its runner ends its calls within a moment. Answers that are in the record stay there.\n",
     .examples = "  conclave run stop nvidia-decision\n",
     .schema = "run_stop",
     .flags = CV_OP_STORE | CV_OP_WRITES | CV_OP_IDEMPOTENT,
     .run = cv_run_op_stop,
     .answer = cv_run_stop_shape},
    {0},
};

static void print_reasons(cv_buf *out)
{
    cv_buf_add_z(
        out, "Why a run has stopped. 'ended': there is nothing left to do; 'stopped': the same command continues. The\n"
             "exit status is 1 if the run did not reach what you asked for; 130 after Ctrl-C.\n\n");
    for (size_t i = 0; i < CV_REASON_COUNT; i++) {
        cv_buf_printf(out, "  %-12.*s %-8.*s ", CV_FMT(cv_reasons[i].word),
                      CV_FMT(cv_run_words.items[cv_reasons[i].state]));
        cv_reason_say(out, cv_reasons[i].meaning, true);
        cv_buf_add_z(out, cv_reasons[i].fine ? "\n" : i == CV_REASON_INTERRUPTED ? " (status 130)\n" : " (status 1)\n");
    }
}

static void print_attempts(cv_buf *out)
{
    static const struct {
        const char *word, *meaning;
    } states[] = {
#define STATE(id, word, meaning) {word, meaning},
#include "run/attempts.def"
#undef STATE
#define OUTCOME(id, word, again, meaning) {word, meaning},
#include "run/outcomes.def"
#undef OUTCOME
    };
    cv_buf_add_z(out, "The states of an attempt to get an answer:\n\n");
    for (size_t i = 0; i < CV_COUNT(states); i++)
        cv_buf_printf(out, "  %-14s %s\n", states[i].word, states[i].meaning);
}

static const cv_topic topics[] = {{"run-reasons", print_reasons}, {"run-attempts", print_attempts}, {0}};

const cv_room cv_room_running = {
    .name = "",
    .examples = "  conclave ask \"Which queue?\" --panel architecture-review --agent 'claude -p'\n",
    .ops = top,
};

const cv_room cv_room_run = {
    .name = "run",
    .summary = "show and stop runs of dialogues with real agents",
    .of_project = true,
    .details = "'conclave run DIALOGUE' runs a dialogue. See docs/run.md.\n",
    .ops = rows,
    .records = &cv_run_records,
    .codes = cv_run_codes,
    .topics = topics,
    .conditions = cv_run_conditions,
    .scope = {.one = "run", .many = "runs"},
    .about_room = "dialogue",
    .statuses = {.good = " ended answered ", .pending = " running waiting started ", .bad = " stopped interrupted "},
    .folder = "runs",
};
