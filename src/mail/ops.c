/* ops.c - what can be asked in the mail room: every operation exactly once; see kit/room.h. */
#include "mail/files.h"
#include "mail/operations.h"
#include "mail/room.h"

enum {
    READS = CV_OP_STORE | CV_OP_IDEMPOTENT,
    ADDS = CV_OP_STORE | CV_OP_WRITES,
    WRITES = ADDS | CV_OP_IDEMPOTENT,
    UNASKED = CV_OP_UNASKED,
};

/* Every operation goes through what happens around it (files.h). */
#define AROUND(name)                                                                                                   \
    static bool name(cv_call *call)                                                                                    \
    {                                                                                                                  \
        return cv_mail_run(call, cv_mail_op_##name);                                                                   \
    }
AROUND(send)
AROUND(inbox)
AROUND(read)
AROUND(wait)
AROUND(claim)
AROUND(done)
AROUND(fail)
AROUND(complete)
AROUND(requeue)
AROUND(dead)
AROUND(outbox)
AROUND(thread)
AROUND(stats)
AROUND(slot)
AROUND(plan)
AROUND(ready)
AROUND(graph)
AROUND(render)
AROUND(stage)
AROUND(take)
AROUND(answer)
AROUND(fetch)
AROUND(governance)
AROUND(report)
AROUND(reflect)
AROUND(reports)
AROUND(state)
static bool log_event(cv_call *call) /* log() is a function of C */
{
    return cv_mail_run(call, cv_mail_op_log);
}

const cv_operation cv_mail_ops[] = {
    /* ---- messages ---- */
    {.room = "mail",
     .verb = "send",
     .tool = "conclave_mail_send",
     .summary = "send a message to an agent, several, a capability, or everybody",
     .details = "--to takes ids and aliases, 'capability:WORD' (the agent with this capability and the least to do),\n"
                "'all:WORD' (all agents with it) and 'broadcast' (everybody except the sender). Send a text, or a\n"
                "--command with --params, or a --type with --data-value. The text is an argument, @FILE, or - for\n"
                "standard input. When the answer comes, the message is on disk and in every mailbox. The same\n"
                "--message-id with the same content is one message; with other content it is refused.\n",
     .examples = "  conclave mail send --from muffin --to Planner-1 --message-id oven \"The oven is free\"\n"
                 "  conclave mail send --from muffin --to Planner-1 --message-id test-7 --command run_test --params "
                 "'{\"path\": \"test/\"}'\n"
                 "  conclave mail send --from User --to broadcast \"Stop at noon\" --expires-in 3600\n",
     .schema = "mail_send",
     .flags = ADDS | UNASKED,
     .run = send,
     .answer = cv_mail_send_shape},
    {.room = "mail",
     .verb = "inbox",
     .tool = "conclave_mail_inbox",
     .summary = "list what waits in a mailbox, the oldest first",
     .details =
         "Messages that are settled (done, dead, expired or superseded) are left out unless --all is given. One\n"
         "whose time is over is shown as expired until the next 'claim' of the mailbox settles it. Looking\n"
         "changes nothing: 'claim' takes a message.\n",
     .examples = "  conclave mail inbox Planner-1\n"
                 "  conclave mail inbox Planner-1 --all --limit 10\n",
     .schema = "mail_inbox",
     .flags = READS | UNASKED,
     .run = inbox,
     .answer = cv_mail_inbox_shape},
    {.room = "mail",
     .verb = "read",
     .tool = "conclave_mail_read",
     .summary = "show a whole message, and what became of it in each mailbox",
     .details = "Receipts: accepted, delivered (the recipient has seen it), claimed, done, failed, expired,\n"
                "superseded, dead.\n",
     .examples = "  conclave mail read oven\n",
     .schema = "mail_read",
     .flags = READS | UNASKED,
     .run = read,
     .answer = cv_mail_read_shape},
    {.room = "mail",
     .verb = "wait",
     .tool = "conclave_mail_wait",
     .summary = "wait until something new is in a mailbox",
     .details =
         "Returns at once if there is something new. Only one wait returns a message, even after a restart.\n"
         "It claims nothing. When the time is over and nothing came, the list is empty, and the exit status is 0.\n"
         "A message that failed, lost its lease or was requeued is not new, but 'claimable' counts it. So a worker\n"
         "claims until there is nothing, then waits, then claims again.\n",
     .examples = "  conclave mail wait Planner-1 --timeout-seconds 1\n",
     .schema = "mail_wait",
     .flags = ADDS | UNASKED,
     .run = wait,
     .answer = cv_mail_wait_shape},
    {.room = "mail",
     .verb = "claim",
     .tool = "conclave_mail_claim",
     .summary = "take the most urgent message of a mailbox, or a named one",
     .details =
         "The answer has the message, a token, and the time when the lease is over; until then nobody else gets it.\n"
         "After that anybody can claim it again. 'done' and 'fail' need the token. When there is nothing to claim,\n"
         "'message' is null, and the exit status is 0.\n",
     .examples = "  conclave mail claim Planner-1\n"
                 "  conclave mail claim Planner-1 --lease-seconds 60 --json\n",
     .schema = "mail_claim",
     .flags = ADDS | UNASKED,
     .run = claim,
     .answer = cv_mail_claim_shape},
    {.room = "mail",
     .verb = "done",
     .tool = "conclave_mail_done",
     .summary = "finish a claimed message or task",
     .details =
         "For whatever you have claimed: a message, or a task by its message or its id. Needs the token of the claim,\n"
         "before the lease is over; later it is refused. This completes the task of the message, and delivers the\n"
         "tasks that waited for it.\n",
     .examples = "  conclave mail done Planner-1 --message-id oven --token 3 --output \"The bread is in it\"\n",
     .schema = "mail_done",
     .flags = WRITES | UNASKED,
     .run = done,
     .answer = cv_mail_settled_shape},
    {.room = "mail",
     .verb = "fail",
     .tool = "conclave_mail_fail",
     .summary = "say that a message could not be done, and why",
     .details =
         "It can be claimed again until it was claimed three times; then it is a dead letter ('mail dead').\n"
         "--final makes it one at once. A task of a plan is one after its first failure: who planned it decides,\n"
         "and 'requeue' puts it back.\n",
     .examples = "  conclave mail fail Planner-1 --message-id test-7 --token 4 --error-details '{\"code\": "
                 "\"AssertionError\"}'\n",
     .schema = "mail_fail",
     .flags = WRITES | UNASKED,
     .run = fail,
     .answer = cv_mail_settled_shape},
    {.room = "mail",
     .verb = "requeue",
     .tool = "conclave_mail_requeue",
     .summary = "make a dead, failed or expired message new again",
     .details = "Its attempts are counted from 0 again, and it does not expire unless --expires-in says so.\n",
     .examples = "  conclave mail requeue test-7\n",
     .schema = "mail_requeue",
     .flags = ADDS,
     .run = requeue,
     .answer = cv_mail_requeue_shape},
    {.room = "mail",
     .verb = "dead",
     .tool = "conclave_mail_dead",
     .summary = "list dead letters: what was given up, and why",
     .details = "Messages that failed or lost their lease three times or failed with --final, and chains of answers "
                "that were\n"
                "stopped. 'requeue' gives one another chance.\n",
     .examples = "  conclave mail dead\n",
     .schema = "mail_dead",
     .flags = READS,
     .run = dead,
     .answer = cv_mail_dead_shape},
    {.room = "mail",
     .verb = "outbox",
     .tool = "conclave_mail_outbox",
     .summary = "list what an agent has sent, the newest first, and what became of it",
     .details = "Each recipient has one receipt.\n",
     .examples = "  conclave mail outbox muffin\n",
     .schema = "mail_outbox",
     .flags = READS,
     .run = outbox,
     .answer = cv_mail_outbox_shape},
    {.room = "mail",
     .verb = "thread",
     .tool = "conclave_mail_thread",
     .summary = "show a message with all answers to it, and answers to these",
     .details = "Name any message of the thread.\n",
     .examples = "  conclave mail thread oven\n",
     .schema = "mail_thread",
     .flags = READS,
     .run = thread,
     .answer = cv_mail_thread_shape},
    {.room = "mail",
     .verb = "stats",
     .tool = "conclave_mail_stats",
     .summary = "count what waits, is done and is dead in every mailbox, and who is there",
     .details =
         "An agent is offline without a sign of life for five minutes, busy while it holds a lease, idle while it\n"
         "waits and nothing is there, else online.\n",
     .examples = "  conclave mail stats\n",
     .schema = "mail_stats",
     .flags = READS,
     .run = stats,
     .answer = cv_mail_stats_shape},
    {.room = "mail",
     .verb = "slot",
     .tool = "conclave_mail_slot",
     .summary = "list, claim or release the numbers of mailboxes",
     .details = "The number is the N of mailbox_N.json. A new mailbox gets the lowest free number; a number belongs to "
                "one agent\n"
                "at a time.\n",
     .examples = "  conclave mail slot list\n"
                 "  conclave mail slot claim Planner-1\n",
     .schema = "mail_slot",
     .flags = WRITES,
     .run = slot,
     .answer = cv_mail_slot_shape},

    /* ---- tasks ---- */
    {.room = "mail",
     .verb = "plan",
     .tool = "conclave_mail_plan",
     .summary = "send a list of tasks; those that wait for nothing are delivered",
     .details =
         "A task has task_id, action, params, target_agent, status, priority (1 is the most urgent) and depends_on;\n"
         "other fields are kept. The answer names all faults at once: ids, agents, dependencies, cycles. A task that\n"
         "waits for others is delivered by the write that completes the last of them. --parent and --parent-plan\n"
         "say which task the list is a part of.\n",
     .examples = "  conclave mail plan --from muffin --plan bread --tasks '[{\"task_id\":\"t1\",\"action\":\"KNEAD\","
                 "\"target_agent\":\"Planner-1\"}]'\n",
     .schema = "mail_plan",
     .flags = WRITES | CV_OP_BATCH | UNASKED,
     .run = plan,
     .answer = cv_mail_plan_shape},
    {.room = "mail",
     .verb = "ready",
     .tool = "conclave_mail_ready",
     .summary = "list tasks that can begin, the most urgent first",
     .details =
         "A task can begin if its dependencies are completed and nobody has claimed it. The default is all agents.\n",
     .examples = "  conclave mail ready\n"
                 "  conclave mail ready Planner-1\n",
     .schema = "mail_ready",
     .flags = READS | UNASKED,
     .run = ready,
     .answer = cv_mail_ready_shape},
    {.room = "mail",
     .verb = "complete",
     .tool = "conclave_mail_complete",
     .summary = "finish a claimed task by its id; 'done' does it, too",
     .details =
         "For those who know the id of the task and not its message; 'done' finishes messages and tasks. Tasks that\n"
         "waited for this one alone are delivered by it.\n",
     .examples = "  conclave mail complete Planner-1 --task-id t1 --token 9\n",
     .schema = "mail_complete",
     .flags = WRITES,
     .run = complete,
     .answer = cv_mail_settled_shape},
    {.room = "mail",
     .verb = "graph",
     .tool = "conclave_mail_graph",
     .summary = "show the tasks of a plan and what they wait for: as text, Mermaid or DOT",
     .details = "The tasks are in the order in which they came.\n",
     .examples = "  conclave mail graph bread\n"
                 "  conclave mail graph bread --format mermaid\n",
     .schema = "mail_graph",
     .flags = READS,
     .run = graph,
     .answer = cv_mail_graph_shape},

    /* ---- files ---- */
    {.room = "mail",
     .verb = "watch",
     .summary = "read in files as soon as they are dropped, moved or edited",
     .details = "Every operation of this room does so once; a server and 'wait' do so while they run. See\n"
                "docs/mail-files.md for what can be done with files alone.\n",
     .examples = "  conclave mail watch 0\n",
     .schema = "mail_watch",
     .flags = CV_OP_STORE | CV_OP_WRITES | CV_OP_IDEMPOTENT | CV_OP_FILES | CV_OP_TAKES_IN,
     .run = cv_mail_op_watch,
     .answer = cv_mail_watch_shape},
    /* ---- prompts ---- */
    {.room = "mail",
     .verb = "render",
     .tool = "conclave_mail_render",
     .summary = "make a text from a template and a context",
     .details =
         "Templates are files in .conclave/mail/templates, in Jinja's language (docs/templates.md). A name that the\n"
         "context does not have is an empty text; with --strict it is an error that names them all. The supervisor's "
         "state is\n"
         "there as supervisor_state.\n",
     .examples = "  conclave mail render greeting --context '{\"name\": \"Ada\"}'\n",
     .schema = "mail_render",
     .flags = READS,
     .run = render,
     .answer = cv_mail_render_shape},
    {.room = "mail",
     .verb = "stage",
     .tool = "conclave_mail_stage",
     .summary = "stage a prompt for the program that runs a model: temp/cursor_input.txt",
     .details = "Give a template with its context, or a text. One prompt at a time has the slot, until its answer is "
                "fetched:\n"
                "another one is refused, or with --queue waits behind it. Its request id is in temp/cursor_input.id.\n",
     .examples = "  conclave mail stage --text \"Which tasks are open?\"\n"
                 "  conclave mail stage --text \"And which are late?\" --queue\n",
     .schema = "mail_stage",
     .flags = ADDS | CV_OP_FILES,
     .run = stage,
     .answer = cv_mail_stage_shape},
    {.room = "mail",
     .verb = "take",
     .tool = "conclave_mail_take",
     .summary = "take the prompt that is staged, to answer it",
     .details = "One reader gets it, once. A program that reads the file needs no 'take'.\n",
     .examples = "  conclave mail take\n",
     .schema = "mail_take",
     .flags = ADDS | CV_OP_FILES,
     .run = take,
     .answer = cv_mail_take_shape},
    {.room = "mail",
     .verb = "answer",
     .tool = "conclave_mail_answer",
     .summary = "send the answer of a model to a prompt",
     .details = "The answer is JSON. An answer with a command (or type) and a target_id is sent to that agent when it "
                "is fetched.\n"
                "A program that cannot call this writes temp/cursor_output.json.\n",
     .examples = "  conclave mail answer '{\"open\": 3}'\n",
     .schema = "mail_answer",
     .flags = WRITES | CV_OP_FILES,
     .run = answer,
     .answer = cv_mail_answer_shape},
    {.room = "mail",
     .verb = "fetch",
     .tool = "conclave_mail_fetch",
     .summary = "get the answer to the prompt, once; a command in it goes to its target",
     .details = "The answer comes from temp/cursor_output.json, which goes to the archive, or from 'answer'. Then the "
                "slot is free, and the\n"
                "next prompt of the queue is staged. Each answer is returned once; --request-id shows it again.\n",
     .examples = "  conclave mail fetch\n"
                 "  conclave mail fetch --timeout-seconds 1\n",
     .schema = "mail_fetch",
     .flags = ADDS | CV_OP_FILES,
     .run = fetch,
     .answer = cv_mail_fetch_shape},

    /* ---- logs and states ---- */
    {.room = "mail",
     .verb = "log",
     .tool = "conclave_mail_log",
     .summary = "add an event to the governance log",
     .details =
         "Entries are only added; every line has the hash of the one before it. governance_memory.jsonl shows it.\n",
     .examples = "  conclave mail log POLICY_CHANGED --agent-source User --details '{\"quota\": 100}'\n",
     .schema = "mail_log",
     .flags = ADDS | CV_OP_FILES,
     .run = log_event,
     .answer = cv_mail_log_shape},
    {.room = "mail",
     .verb = "governance",
     .tool = "conclave_mail_governance",
     .summary = "list the governance log, the newest first",
     .details = "The log has the entries of 'mail log', and plans, outcomes and dead letters.\n",
     .examples = "  conclave mail governance --limit 10\n",
     .schema = "mail_governance",
     .flags = READS,
     .run = governance,
     .answer = cv_mail_governance_shape},
    {.room = "mail",
     .verb = "report",
     .tool = "conclave_mail_report",
     .summary = "write a report or a log entry as markdown",
     .details = "analysis/NAME.md is one text; logs/NAME.md gets one more section, with its time. Both are searched.\n",
     .examples = "  conclave mail report week-46 --title \"Week 46\" --text \"All ovens are free.\"\n",
     .schema = "mail_report",
     .flags = WRITES | CV_OP_FILES,
     .run = report,
     .answer = cv_mail_report_shape},
    {.room = "mail",
     .verb = "reflect",
     .tool = "conclave_mail_reflect",
     .summary = "add a reflection of an agent on its own work",
     .details = "It becomes a markdown file in _agent_coordination/AGENT/reflection/, named by its time.\n",
     .examples = "  conclave mail reflect \"I asked too late.\" --agent muffin\n",
     .schema = "mail_reflect",
     .flags = ADDS | CV_OP_FILES,
     .run = reflect,
     .answer = cv_mail_report_shape},
    {.room = "mail",
     .verb = "reports",
     .tool = "conclave_mail_reports",
     .summary = "list reports, logs and reflections",
     .details = "They are ordered by their paths.\n",
     .examples = "  conclave mail reports --kind analysis\n",
     .schema = "mail_reports",
     .flags = READS,
     .run = reports,
     .answer = cv_mail_reports_shape},
    {.room = "mail",
     .verb = "state",
     .tool = "conclave_mail_state",
     .summary = "get, set or list states that are kept under names",
     .details =
         "temp/NAME.json, or runtime/AGENT/NAME.json with --agent; supervisor_state is runtime/supervisor_state.json.\n"
         "--expect and --expect-version set it only if it is what the caller has seen: compare and set.\n",
     .examples = "  conclave mail state set current_focus '{\"purpose\": \"bread\"}'\n"
                 "  conclave mail state get current_focus\n",
     .schema = "mail_state",
     .flags = WRITES | CV_OP_FILES,
     .run = state,
     .answer = cv_mail_state_shape},
    {0},
};
