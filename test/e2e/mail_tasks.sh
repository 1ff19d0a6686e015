#!/bin/sh
# mail_tasks.sh - plans and tasks: the specification's own examples, dependencies that deliver, graphs, everything that
# can be wrong with a list. Numbers are those of the room's checklist.
. "$(dirname "$0")/lib.sh"
project
"$conclave" agent add PlanningAgent --capabilities planning >/dev/null
for agent in Agent_0 TaskExecutorAgent RefactorAgent; do "$conclave" agent add $agent >/dev/null; done

# ---- the messages of the specification, as they are printed (without their comments) -----------------------------------
cat >request.json <<'END'
{
  "type": "GENERATE_TASK_SEQUENCE",
  "source_id": "Agent_0",
  "target_id": "PlanningAgent",
  "data": {
    "task_id": "plan-001",
    "params": {
      "goal": "Refactor the legacy utils directory and remove unused code."
    }
  }
}
END
cat >answer.json <<'END'
{
  "type": "TASK_COMPLETED",
  "source_id": "PlanningAgent",
  "target_id": "TaskExecutorAgent",
  "data": {
    "correlation_id": "plan-001",
    "task_id": "plan-001",
    "results": [
      {
        "task_id": "task-001",
        "action": "REFACTOR_IMPORTS",
        "params": { "target_file": "core/utils/legacy_parser.py" },
        "target_agent": "RefactorAgent",
        "status": "PENDING",
        "priority": 3,
        "depends_on": []
      },
      {
        "task_id": "task-002",
        "action": "REMOVE_DEAD_CODE",
        "params": { "target_directory": "agents/social/" },
        "target_agent": "RefactorAgent",
        "status": "PENDING",
        "priority": 2,
        "depends_on": ["task-001"]
      }
    ]
  }
}
END
run "an answer before its request" 1 mail send --data @answer.json --json
is '.error_code == "unknown_request" and .value == "plan-001"'
run "GENERATE_TASK_SEQUENCE" 0 mail send --data @request.json --json # checklist 26, 29
is '.receipts[0].to == "PlanningAgent" and ([.warnings[]?.type] | contains(["cannot_plan"]) | not)'
command jq '.target_id = "Agent_0"' request.json >other.json
run "to somebody who cannot plan" 0 mail send --data @other.json --json # checklist 30
is '[.warnings[].type] | contains(["cannot_plan"])'
command jq 'del(.data.params.goal)' request.json >other.json
run "without a goal" 1 mail send --data @other.json --json # checklist 29
is '.error_code == "missing_field" and .field == "data.params.goal"'
run "TASK_COMPLETED" 0 mail send --data @answer.json --json # checklist 31, 32
run "the plan" 0 mail graph plan-001 --json
is '[.tasks[] | [.task_id, .action, .target_agent, .status, .priority, .depends_on, .params]] == [
    ["task-001", "REFACTOR_IMPORTS", "RefactorAgent", "PENDING", 3, [], {"target_file": "core/utils/legacy_parser.py"}],
    ["task-002", "REMOVE_DEAD_CODE", "RefactorAgent", "PENDING", 2, ["task-001"], {"target_directory": "agents/social/"}]]'
run "only the first is delivered" 0 mail inbox RefactorAgent --json # checklist 35, 36
is '[.messages[] | [.task_id, .command, .plan]] == [["task-001", "REFACTOR_IMPORTS", "plan-001"]]'
run "ready for people: with its plan" 0 mail ready
has "plan-001/task-001"
run "the only plan" 0 mail graph --json
is '.plan == "plan-001"'
run "a plan that is misspelt" 1 mail graph plan-01 --json
is '.error_code == "task_not_found" and (.valid_options | contains(["plan-001"])) and (.suggestion | contains("plan-001"))'
run "ready" 0 mail ready --json
is '[.tasks[].task_id] == ["task-001"]'
run "the second waits" 1 mail claim RefactorAgent --task-id task-002 --json
is '.error_code == "invalid_task_status" and (.suggestion | endswith("shows the plan \u0027plan-001\u0027 and what each task waits for"))'
run "claim" 0 mail claim RefactorAgent --task-id task-001 --json
token=$(jq .token "$out")
run "it runs" 0 mail graph plan-001 --json # checklist 33
is '.tasks[0].status == "RUNNING"'
run "complete" 0 mail complete RefactorAgent --task-id task-001 --token "$token" --output '{"files_changed": 1}' --json
is '.state == "done" and [.delivered[] | [.to, .state, .seq]] == [["RefactorAgent", "accepted", 2]]'
run "the second is ready" 0 mail ready RefactorAgent --json
is '[.tasks[].task_id] == ["task-002"]'
run "claim" 0 mail claim RefactorAgent --json
token=$(jq .token "$out")
run "a task that fails" 0 mail fail RefactorAgent --task-id task-002 --token "$token" --error-details '{"code": "AssertionError", "message": "Test failed..."}' --json
[ "$(tail -1 .conclave/mail/completed_tasks.json | jq -c '[.status, .output, .error_details]')" = '["FAILED",null,{"code":"AssertionError","message":"Test failed..."}]' ]
ok $? "its line is the printed one"
run "has failed" 0 mail graph plan-001 --json
is '[.tasks[].status] == ["COMPLETED", "FAILED"] and .completed == 1 and .failed == 1'
run "what waits for it" 0 mail plan --from Agent_0 --plan plan-001 --tasks '[{"task_id": "task-003", "action": "C", "target_agent": "RefactorAgent", "depends_on": ["task-002"]}]' --json
run "is blocked" 0 mail graph plan-001 --json
is '[.tasks[].waits_for_failed] == [null, null, ["task-002"]]'
run "is blocked" 0 mail graph plan-001
has "  blocked:"
run "it is not claimed again" 1 mail claim RefactorAgent --task-id task-002 --json # checklist 33
is '.error_code == "message_settled"'
run "until it is put back" 0 mail requeue "$("$conclave" mail graph plan-001 --json | jq -r '.tasks[1].message_id')"
run "then it is ready" 0 mail ready --json
is '[.tasks[].task_id] == ["task-002"]'

# ---- lists ------------------------------------------------------------------------------------------------------------
run "priorities" 0 mail plan --from Agent_0 --plan p --tasks '[
    {"id": "a", "action": "A", "assigned_to": "RefactorAgent", "priority": "LOW", "status": "todo"},
    {"task_id": "b", "action": "B", "target_agent": "refactoragent", "priority": 1, "colour": {"x": [1]}},
    {"task_id": "c", "action": "C", "target_agent": "RefactorAgent", "dependsOn": ["a", "b"]},
    {"task_id": "d", "action": "D", "target_agent": "RefactorAgent", "status": "DONE"},
    {"task_id": "e", "action": "E", "target_agent": "RefactorAgent", "depends_on": ["d"], "priority": "critical"}]' --json
is '.count == 5 and .waiting == 1 and (.delivered | length) == 3'
run "the most urgent first, then the oldest" 0 mail ready --json # checklist 34
is '[.tasks[] | select(.plan == "p") | .task_id] == ["b", "e", "a"]'
run "metadata survives" 0 mail graph p --json # checklist 38
is '.tasks[1].extra == {"colour": {"x": [1]}}'
run "the same list again changes nothing" 0 mail plan --from Agent_0 --plan p --tasks '[{"task_id": "b", "action": "B", "target_agent": "refactoragent", "priority": 1, "colour": {"x": [1]}}]' --json
is '.replayed and .delivered == []'
run "no list" 1 mail plan --from Agent_0 --json
is '[.errors[]?, .] | any(.error_code == "missing_field" and .field == "tasks")'
run "all faults at once" 1 mail plan --from Agent_0 --plan p --tasks '[
    {"task_id": "b", "action": "OTHER", "target_agent": "RefactorAgent"},
    {"task_id": "x", "target_agent": "RefactorAgnt", "action": "X", "status": "flying", "priority": "soon"},
    {"task_id": "y", "action": "Y", "target_agent": "RefactorAgent", "depends_on": ["z"], "params": 5},
    {"task_id": "z", "action": "Z", "target_agent": "RefactorAgent", "depends_on": ["y"]},
    {"task_id": "z", "action": "Z", "target_agent": "RefactorAgent"}, 7]' --json
is '[.errors[] | [.field, .error_code]] | sort == [["tasks[0].task_id", "task_exists"], ["tasks[1].priority", "invalid_value"], ["tasks[1].status", "invalid_value"], ["tasks[1].target_agent", "unknown_agent"], ["tasks[2].depends_on", "dependency_cycle"], ["tasks[2].params", "invalid_value"], ["tasks[4].task_id", "task_exists"], ["tasks[5]", "invalid_value"]]'
# A dependency that is not understood would let the task go before its time.
jq -nc '[("depends_on", "dependencies", "blocked_by", "blocking_task_id", "prerequisites", "deps") as $name
    | ({"b": 1}, [{"ref": "b"}], [["b"]], [true], [null], [""], ["b", {}], true) as $value | {$name, $value}] | to_entries
    | map({task_id: "n\(.key)", action: "N", owner: "RefactorAgent", (.value.name): .value.value})' >"$work/unread"
run "dependencies that are none" 1 mail plan --from Agent_0 --plan p --tasks @"$work/unread" --json
is "([.errors[] | [.field, .error_code]]) == ($(jq -c '[to_entries[] | ["tasks[\(.key)]." + (.value | keys_unsorted[3]), "invalid_value"]]' "$work/unread"))"
run "in the words of the list" 1 mail plan --from Agent_0 --plan p --tasks '[
    {"id": "q", "title": "Q", "owner": "RefactorAgnt", "deps": ["b"], "state": null},
    {"id": "r", "title": "R", "owner": "RefactorAgent", "deps": [" b ", "nowhere"], "parent": [1]},
    {"id": "t", "title": {}, "owner": "RefactorAgent", "parameters": "x", "depends_on": null}]' --json
is '[.errors[] | [.field, .error_code]] | sort == [["tasks[0].owner", "unknown_agent"], ["tasks[1].deps[1]", "unknown_dependency"], ["tasks[1].parent", "invalid_value"], ["tasks[2].action", "missing_field"], ["tasks[2].parameters", "invalid_value"], ["tasks[2].title", "invalid_value"]]'
# Two names of one field that say different things: the task would go before its time, or to another agent.
names() { jq -nc --argjson members "$1" '[{task_id: "twice", action: "A", target_agent: "RefactorAgent"} + $members]'; }
for pair in '{"depends_on": [], "blocked_by": ["b"]}' '{"prerequisites": "a, b", "deps": ["a"]}' '{"dependsOn": ["a"], "depends_on": ["b"]}' \
    '{"id": "b"}' '{"assigned_to": "Agent_0"}' '{"params": {"n": 1}, "parameters": {"n": 2}}' '{"status": "todo", "state": "done"}' \
    '{"parent_task_id": "a", "parent": "b"}' '{"priority": "LOW", "Priority": 1}'; do
    run "names that say different things: $pair" 1 mail plan --from Agent_0 --plan p --tasks "$(names "$pair")" --json
    is ".errors | length == 1 and (.[0] | .error_code == \"invalid_value\" and (.message | contains(\"\u0027$(echo "$pair" | jq -r 'keys_unsorted[-1]')\u0027\")) and (.message | contains(\"$(echo "$pair" | jq -r 'if length == 2 then keys_unsorted[0] elif .id then "task_id" else "target_agent" end')\")))"
done
run "names that say the same, or something else" 0 mail plan --from Agent_0 --plan names --tasks "$(names '{"id": " twice", "assigned_to": "refactor-agent", "owner": "Agent_0", "title": "B", "depends_on": ["y", "x"],
    "deps": "x, y", "params": {"n": [1], "m": 2}, "parameters": {"m": 2, "n": [1]}, "status": "todo", "state": "of the art", "priority": 2, "Priority": "HIGH", "blocked_by": null}' | jq -c '. + [{task_id: "x", action: "A", target_agent: "Agent_0"}, {task_id: "y", action: "B", target_agent: "Agent_0"}]')" --json
is '.waiting == 1'
run "an agent, a dependency and a cycle" 1 mail plan --from Agent_0 --plan new --tasks '[
    {"task_id": "a", "action": "A", "target_agent": "nobody", "depends_on": ["b"]},
    {"task_id": "b", "action": "B", "target_agent": "RefactorAgent", "depends_on": ["a", "nowhere"]}]' --json
is '[.errors[].error_code] | sort == ["dependency_cycle", "unknown_agent", "unknown_dependency"]'
run "what they mean to each other" 1 mail plan --from Agent_0 --plan p --tasks '[
    {"task_id": "b", "action": "OTHER", "target_agent": "RefactorAgent"},
    {"task_id": "y", "action": "Y", "target_agent": "RefactorAgent", "depends_on": ["z", "nowhere"]},
    {"task_id": "z", "action": "Z", "target_agent": "RefactorAgent", "depends_on": ["y"]},
    {"task_id": "s", "action": "S", "target_agent": "RefactorAgent", "depends_on": ["s"]}]' --json # checklist 35
is '[.errors[] | .error_code] | sort == ["dependency_cycle", "dependency_cycle", "task_exists", "unknown_dependency"]'
is '[.errors[] | select(.error_code == "dependency_cycle") | .message] | sort == ["tasks wait for each other: s -> s", "tasks wait for each other: y -> z -> y"]'
run "nothing of it was written" 0 mail graph p --json
is '.count == 5'

# ---- plans within plans -----------------------------------------------------------------------------------------------
run "a part of a task" 0 mail plan --from RefactorAgent --plan q --parent b --parent-plan p --tasks '[{"task_id": "b", "action": "B1", "target_agent": "RefactorAgent"}]' --json
run "one of several plans" 1 mail graph --json
is '.error_code == "missing_field" and .field == "plan" and (.valid_options | contains(["plan-001", "q"]))'
run "shows where it belongs" 0 mail graph q --json # checklist 39
is '.tasks[0].depth == 1 and .tasks[0].parent == "b" and .parent_plan == "p"'
run "an id that two plans have" 1 mail claim RefactorAgent --task-id b --json
is '.error_code == "ambiguous_task" and .valid_options == ["p", "q"]'
run "with its plan" 0 mail claim RefactorAgent --task-id b --plan q --json
run "a task that asks for tasks" 0 mail plan --from Agent_0 --plan r --tasks '[{"task_id": "deep", "action": "GENERATE_TASK_SEQUENCE", "params": {"goal": "More"}, "target_agent": "PlanningAgent"}]' --json
command jq '.data.correlation_id = "deep" | .data.results = [.data.results[0]]' answer.json >deeper.json
run "and its answer" 0 mail send --data @deeper.json --json
run "hangs below it" 0 mail graph deep --json # checklist 39
is '.tasks[0].depth == 1 and .tasks[0].parent == "deep" and .tasks[0].parent_plan == "r"'

# ---- whoever completes a task is not stopped by the next one --------------------------------------------------------------
"$conclave" agent add full --limits '{"quota": 1}' >/dev/null
"$conclave" agent add gone >/dev/null
"$conclave" mail send --from Agent_0 --to full "Busy" >/dev/null
run "two that wait for one" 0 mail plan --from Agent_0 --plan s --tasks '[{"task_id": "one", "action": "ONE", "target_agent": "Agent_0"},
    {"task_id": "two", "action": "TWO", "target_agent": "full", "depends_on": ["one"]},
    {"task_id": "three", "action": "THREE", "target_agent": "gone", "depends_on": ["one"]}]' --json
run "an agent that a task waits for is not removed" 1 agent remove gone --json
is '.error_code == "agent_needed" and (.message | test("1 task for it waits for others"))'
run "unless it has to be" 0 agent remove gone --force --json
is '[.warnings[].type] == ["left_undone"]'
run "the first" 0 mail claim Agent_0 --task-id one --json
token=$(jq .token "$out")
run "a full mailbox and a removed agent do not stop it" 0 mail complete Agent_0 --task-id one --token "$token" --json
is '[.delivered[].to] | sort == ["full", "gone"]'
is '[.warnings[].type] == ["agent_gone"]'

for command in TASK_COMPLETED GENERATE_TASK_SEQUENCE; do
    run "$command without its content" 1 mail send --from Agent_0 --to PlanningAgent --command $command --json
    is '[.. | .error_code? // empty] | index("missing_field")'
done

# ---- for people -------------------------------------------------------------------------------------------------------
run "as text" 0 mail graph plan-001 --format text
has "COMPLETED task-001  RefactorAgent  REFACTOR_IMPORTS  (3)"
has "PENDING   task-002  RefactorAgent  REMOVE_DEAD_CODE  (2; after task-001)"
run "as Mermaid" 0 mail graph plan-001 --format mermaid
has '  t1["task-001: REFACTOR_IMPORTS (COMPLETED)"]'
has '  t1 --> t2'
run "as DOT" 0 mail graph plan-001 --format dot
has '  t1 -> t2;'
if command -v dot >/dev/null; then
    dot -Tsvg <"$out" >/dev/null
    ok $? "dot draws it"
fi
run "what is found by its task" 0 search task-002 --json # checklist 51
is '[.results[] | .kind] | unique == ["event", "message", "task"]'
run "the record agrees with its history" 0 verify
# checklist 12: what is significant is in the governance log by itself, one line each, and a send is not
log=.conclave/mail/governance_memory.jsonl
[ "$(jq -r .event_type $log | grep -c PLAN_ADDED)" -ge 1 ] && [ "$(jq -r .event_type $log | grep -c TASK_COMPLETED)" -ge 1 ] &&
    [ "$(jq -r .event_type $log | grep -c TASK_FAILED)" -ge 1 ] && [ "$(jq -r .event_type $log | grep -c OVERRIDE)" -ge 1 ]
ok $? "plans, outcomes and overrides are logged"
prev=$(printf '%064d' 0) broken=0
while read -r line; do
    [ "$(printf '%s' "$line" | jq -r .prev)" = "$prev" ] || broken=1
    prev=$(printf '%s' "$line" | sha256sum | cut -d' ' -f1)
done <$log
[ $broken -eq 0 ] && [ "$(wc -l <$log)" = "$("$conclave" mail governance --limit 1000 --json | jq '.events | length')" ]
ok $? "as one chain, every line of the record once"
# checklist 37: task_list.json shows the tasks of all plans, in the form of the published schema
list=.conclave/mail/task_list.json
plans=$(jq -r '.tasks[].plan' $list | sort -u)
for plan in $plans; do "$conclave" mail graph "$plan" --json; done | jq -s '[.[].tasks[] | {plan, task_id, action, params: (.params // {}), target_agent, status, priority, depends_on}] | sort_by(.plan, .task_id)' >"$work/graphs"
jq '[.tasks[] | {plan, task_id, action, params, target_agent, status, priority, depends_on}] | sort_by(.plan, .task_id)' $list | cmp -s - "$work/graphs"
ok $? "the view has the tasks as the record has them"
jq -e '(.tasks | length) > 3 and (.tasks[0] | keys_unsorted)[:7] == ["task_id", "action", "params", "target_agent", "status", "priority", "depends_on"]' $list >/dev/null
ok $? "with the members of the specification"
echo '{"tasks": []}' >$list
run "another plan" 0 mail plan --from Agent_0 --plan shown --tasks '[{"id": "s1", "action": "A", "assigned_to": "RefactorAgent", "colour": "red", "plan": "else"}]' --json
jq -e 'any(.tasks[]; .task_id == "s1" and .plan == "shown" and .colour == "red") and (.tasks | length) > 3' $list >/dev/null && [ "$(cat .conclave/mail/task_list.json.before-*)" = '{"tasks": []}' ]
ok $? "it is written anew, and what somebody wrote there is kept beside it"
seq 100 | jq -s '[.[] | {task_id: "m\(.)", action: "A", target_agent: "RefactorAgent"}]' >many.json
run "many tasks" 0 mail plan --from Agent_0 --plan many --tasks @many.json --json
run "one of them" 0 mail claim RefactorAgent --task-id m7 --json
sleep 1.1 && "$conclave" mail watch 0 >/dev/null
jq -e '[.tasks[] | select(.plan == "many")] | length == 100 and ([.[] | select(.status == "RUNNING").task_id] == ["m7"])' $list >/dev/null
ok $? "a long list comes up to date a second later"

# What a plan delivers is sent by whoever made the plan: now, and when the task before it is done.
project counted
for agent in planner baker; do "$conclave" agent add $agent >/dev/null; done
"$conclave" mail send --from planner --to baker "A list follows" >/dev/null
run "a plan of two" 0 mail plan --from planner --data '{"tasks": [
    {"task_id": "a", "action": "MIX", "target_agent": "baker"}, {"task_id": "b", "action": "BAKE", "target_agent": "baker", "depends_on": ["a"]}]}' --json
run "its first task" 0 mail claim baker --task-id a --json
run "is done, and delivers the second" 0 mail done baker --task-id a --token "$(jq .token "$out")" --json
run "all of them" 0 mail outbox planner --json
is '.count == 3'
run "are counted as sent" 0 mail stats --json
is '([.mailboxes[] | select(.agent == "planner") | .sent] == [3]) and .sent == 3'
run "and the record agrees with its history" 0 verify

# ---- an id of the other kind ---------------------------------------------------------------------------------------
project kinds
for agent in boss baker; do "$conclave" agent add $agent >/dev/null; done
"$conclave" mail send "No task" --to baker --from boss --message-id letter >/dev/null
"$conclave" mail plan --from boss --tasks '[{"task_id": "knead", "action": "KNEAD", "target_agent": "baker"}]' >/dev/null
run "an id of a message where one of a task is wanted" 1 mail complete baker --task-id letter --token 1
has "there is no task 'letter'; 'conclave mail done' finishes a message by its message_id" err
run "the same for those who take both" 1 mail done baker --task-id letter --token 1
has "this is the id of a message: give it as --message-id" err
run "an id of a task where one of a message is wanted" 1 mail done baker --message-id knead --token 1
has "this is the id of a task: give it as --task-id" err
run "an id of neither" 1 mail complete baker --task-id nowhere --token 1
has "there is no task 'nowhere'; 'conclave mail ready' lists the tasks that can begin" err
token=$("$conclave" mail claim baker --message-id letter --json | jq .token)
run "'done' finishes a message" 0 mail done baker --message-id letter --token "$token"
token=$("$conclave" mail claim baker --task-id knead --json | jq .token)
run "and a task" 0 mail done baker --task-id knead --token "$token"
finish
