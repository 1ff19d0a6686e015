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

const cv_operation cv_mail_ops[] = {
    /* ---- messages ---- */
    {.room = "mail",
     .verb = "send",
     .tool = "conclave_mail_send",
     .summary = "send a message to an agent, several, a capability, or everybody",
     .details =
         "--to takes ids and aliases, 'capability:WORD' (of those who have it, whoever has the least to do),\n"
         "'all:WORD' (all who have it) and 'broadcast' (everybody but the sender). What is sent is a text, or a\n"
         "--command with --params, or a --type with --data. A text is given as it is, as @FILE, or as - for\n"
         "standard input. When the answer comes, the message is on disk and in every mailbox. The same\n"
         "--message-id with the same content is one message; with other content it is refused.\n",
     .examples =
         "  conclave mail send --from muffin --to Planner-1 \"The oven is free\"\n"
         "  conclave mail send --from muffin --to Planner-1 --command run_test --params '{\"path\": \"test/\"}'\n"
         "  conclave mail send --from User --to broadcast \"Stop at noon\" --expires-in 3600\n",
     .schema = "mail_send",
     .flags = ADDS | UNASKED,
     .run = send,
     .answer = cv_mail_send_shape},
    {.room = "mail",
     .verb = "inbox",
     .tool = "conclave_mail_inbox",
     .summary = "list what waits in a mailbox, the oldest first",
     .details = "Messages that are done, dead, expired or superseded are left out unless --all is given. One whose\n"
                "time is over is shown as expired. Looking changes nothing: 'claim' takes a message.\n",
     .examples = "  conclave mail inbox Planner-1\n"
                 "  conclave mail inbox Planner-1 --all --limit 10\n",
     .schema = "mail_inbox",
     .flags = READS | UNASKED,
     .run = inbox,
     .answer = cv_mail_inbox_shape},
    {.room = "mail",
     .verb = "read",
     .tool = "conclave_mail_read",
     .summary = "show a message whole, and what became of it in each mailbox",
     .details = "Receipts: accepted, delivered (the recipient has seen it), claimed, done, failed, expired,\n"
                "superseded, dead.\n",
     .examples = "  conclave mail read 019a8c3e-1f2a-7b6c-8d9e-0a1b2c3d4e5f || conclave mail inbox Planner-1\n",
     .schema = "mail_read",
     .flags = READS | UNASKED,
     .run = read,
     .answer = cv_mail_read_shape},
    {.room = "mail",
     .verb = "wait",
     .tool = "conclave_mail_wait",
     .summary = "wait until something new is in a mailbox",
     .details =
         "Returns at once when there is, and what one wait has returned no other returns, after a restart neither.\n"
         "Nothing is claimed by it.\n",
     .examples = "  conclave mail wait Planner-1 --timeout-seconds 1\n",
     .schema = "mail_wait",
     .flags = ADDS | UNASKED,
     .run = wait,
     .answer = cv_mail_wait_shape},
    {.room = "mail",
     .verb = "claim",
     .tool = "conclave_mail_claim",
     .summary = "take the most urgent message of a mailbox, or a certain one, to work on it",
     .details =
         "The answer has the message, a token, and the time when the lease is over; until then nobody else gets it.\n"
         "After that it can be claimed again, by anybody. 'done' and 'fail' want the token.\n",
     .examples = "  conclave mail claim Planner-1\n"
                 "  conclave mail claim Planner-1 --lease-seconds 60 --json\n",
     .schema = "mail_claim",
     .flags = ADDS | UNASKED,
     .run = claim,
     .answer = cv_mail_claim_shape},
    {.room = "mail",
     .verb = "done",
     .tool = "conclave_mail_done",
     .summary = "finish a message that was claimed: it is done",
     .details =
         "With the token of the claim, before the lease is over; who comes late is refused. A task is completed\n"
         "by this, and those that waited for it are delivered.\n",
     .examples = "  conclave mail done Planner-1 --message-id x --token 3 || conclave mail inbox Planner-1\n",
     .schema = "mail_done",
     .flags = WRITES | UNASKED,
     .run = done,
     .answer = cv_mail_settled_shape},
    {.room = "mail",
     .verb = "fail",
     .tool = "conclave_mail_fail",
     .summary = "say that a message could not be done, and why",
     .details = "It can be claimed again until it was claimed three times; then it is a dead letter ('mail dead').\n"
                "--final makes it one at once.\n",
     .examples =
         "  conclave mail fail Planner-1 --message-id x --token 3 --error-details '{\"code\": \"AssertionError\"}' "
         "|| conclave mail inbox Planner-1\n",
     .schema = "mail_fail",
     .flags = WRITES | UNASKED,
     .run = fail,
     .answer = cv_mail_settled_shape},
    {.room = "mail",
     .verb = "requeue",
     .tool = "conclave_mail_requeue",
     .summary = "make a dead, failed or expired message new again",
     .details = "Its attempts begin anew, and it does not expire unless --expires-in says so.\n",
     .examples = "  conclave mail requeue 019a8c3e-1f2a-7b6c-8d9e-0a1b2c3d4e5f || conclave mail dead\n",
     .schema = "mail_requeue",
     .flags = ADDS,
     .run = requeue,
     .answer = cv_mail_requeue_shape},
    {.room = "mail",
     .verb = "dead",
     .tool = "conclave_mail_dead",
     .summary = "list dead letters: what was given up, and why",
     .details =
         "What failed or lost its lease three times, what was said to be final, and chains of answers that were\n"
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
     .details = "One receipt for each recipient.\n",
     .examples = "  conclave mail outbox muffin\n",
     .schema = "mail_outbox",
     .flags = READS,
     .run = outbox,
     .answer = cv_mail_outbox_shape},
    {.room = "mail",
     .verb = "thread",
     .tool = "conclave_mail_thread",
     .summary = "show a message with all answers to it, and answers to these",
     .details = "Any message of the thread will do.\n",
     .examples = "  conclave mail thread 019a8c3e-1f2a-7b6c-8d9e-0a1b2c3d4e5f || conclave mail outbox muffin\n",
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
     .details =
         "The N of mailbox_N.json. A mailbox gets the lowest free number when it is made; a number is one agent's\n"
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
     .summary = "hand in a list of tasks; those that wait for nothing are delivered",
     .details =
         "A task has task_id, action, params, target_agent, status, priority (1 is the most urgent) and depends_on;\n"
         "whatever else it has is kept. All faults are told at once: ids, agents, dependencies, cycles. A task that\n"
         "waits for others is delivered by the write that completes the last of them. --parent and --parent-plan\n"
         "say which task the list is a part of.\n",
     .examples =
         "  conclave mail plan --from muffin --plan bread --tasks '[{\"task_id\": \"t1\", \"action\": \"KNEAD\", "
         "\"target_agent\": \"Planner-1\"}]'\n",
     .schema = "mail_plan",
     .flags = WRITES | CV_OP_BATCH | UNASKED,
     .run = plan,
     .answer = cv_mail_plan_shape},
    {.room = "mail",
     .verb = "ready",
     .tool = "conclave_mail_ready",
     .summary = "list tasks that can begin, the most urgent first",
     .details = "Of all agents, or of one: those whose dependencies are completed, and that nobody has claimed.\n",
     .examples = "  conclave mail ready\n"
                 "  conclave mail ready Planner-1\n",
     .schema = "mail_ready",
     .flags = READS | UNASKED,
     .run = ready,
     .answer = cv_mail_ready_shape},
    {.room = "mail",
     .verb = "complete",
     .tool = "conclave_mail_complete",
     .summary = "finish a task that was claimed: it is completed",
     .details = "The same as 'done', by --task-id. Tasks that waited for this one alone are delivered by it.\n",
     .examples = "  conclave mail complete Planner-1 --task-id t1 --token 9 || conclave mail ready\n",
     .schema = "mail_complete",
     .flags = WRITES,
     .run = complete,
     .answer = cv_mail_settled_shape},
    {.room = "mail",
     .verb = "graph",
     .tool = "conclave_mail_graph",
     .summary = "show the tasks of a plan and what they wait for: as text, Mermaid or DOT",
     .details = "In the order in which they came.\n",
     .examples = "  conclave mail graph bread\n"
                 "  conclave mail graph bread --format mermaid\n",
     .schema = "mail_graph",
     .flags = READS,
     .run = graph,
     .answer = cv_mail_graph_shape},

    /* ---- files ---- */
    {.room = "mail",
     .verb = "watch",
     .summary = "take in files as soon as they are dropped, moved or edited",
     .details = "Every operation of this room does so once; a server and 'wait' do so while they run. See\n"
                "docs/mail-files.md for what can be done with files alone.\n",
     .examples = "  conclave mail watch 0\n",
     .schema = "mail_watch",
     .flags = CV_OP_STORE | CV_OP_WRITES | CV_OP_IDEMPOTENT | CV_OP_FILES,
     .run = cv_mail_op_watch,
     .answer = cv_mail_watch_shape},
    {0},
};
