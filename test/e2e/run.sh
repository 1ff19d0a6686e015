#!/bin/sh
# run.sh - whole deliberations with scripted agents (test/run/play.sh): what is registered, what fails and how, what is
# asked again, what stops a run, and who is awaited.
. "$(dirname "$0")/lib.sh"
examples=$root/examples/deliberation
id=nvidia-investment-decision
play="sh $root/test/run/play.sh $examples"

# begin NAME: a project with the dialogue of the examples, and a stage for the agents.
begin() {
    project "$1"
    stage=$PWD/stage
    mkdir -p "$stage/act"
    "$conclave" dialogue create --data @"$examples/dialogue.json" >/dev/null || ok 1 "the dialogue can be created"
}
# act NAME: what the agent does instead of its part, from standard input.
act() { cat >"$stage/act/$1"; }
calls() { grep -c "${1:-.}" "$stage/calls" 2>/dev/null; }
# told NUMBER PATTERN: so many calls were made.
called() {
    [ "$(calls "$2")" = "$1" ] || sed 's/^/#   /' "$stage/calls"
    [ "$(calls "$2")" = "$1" ]
    ok $? "$name: $1 calls like '$2'"
}
answer() { tail -n 1 "$out" >"$work/last" && mv "$work/last" "$out"; }
attempts() { "$conclave" run status $id --attempts --json >"$out"; name="$name, attempts"; }
. "$root/test/run/record.sh"

# ---- the same as a judge's own script ---------------------------------------------------------------------------------
(project judge && PATH=$(dirname "$conclave"):$PATH && export PATH && sh "$root/docs/judge.sh" "$examples" >/dev/null && record $id) >"$work/wanted"
begin whole
run "a whole deliberation" 0 run $id --agent "$play $stage" --json
cp "$out" "$work/events"
answer
is '.state == "ended" and .reason == "decided" and .decided and .next_round == 3 and .spent.calls == 20'
is '[.rounds[] | .registered] == [true, true, true]'
called 5 "response 0 1"
called 6 "response 2 1"
called 4 "judge"
record $id >"$work/found"
diff "$work/wanted" "$work/found" | head -20 | sed 's/^/# /'
cmp -s "$work/wanted" "$work/found"
ok $? "the record is the one that a judge's own script makes"
jq -e -s 'length > 60 and all(.[:-1][]; .event and .time and .dialogue_id)' "$work/events" >/dev/null
ok $? "every event is a line of JSON"
jq -e -s '[.[] | select(.event == "attempt" and .state == "answered" and .who == "muffin")] |
    length == 3 and all(.[]; .prompt_sha256 and .answer_sha256 and .duration_ms >= 0 and .exit_status == 0 and .agent and .markers > 0)' "$work/events" >/dev/null
ok $? "an attempt tells its agent, duration, exit status and hashes"
run "what it wrote verifies" 0 verify
run "doctor" 0 doctor
run "the same command again" 0 run $id --agent "$play $stage" --json
is '.reason == "decided"'
called 20 .
run "people read" 0 run status $id
has "Decision"
has "REJECT the full swap"
run "the feed" 0 feed --room run --json
is '[.entries[].operation] | index("run attempt") != null'
run "search" 0 search "$id" --room run --json
is '.results[0].kind == "run"'
run "put away" 0 dialogue archive $id
run "search after that" 0 search "$id" --room run --json
is '.results == []'
run "search in what was put away" 0 search "$id" --room run --archived --json
is '.results[0].kind == "run"'
run "brought back" 0 dialogue unarchive $id
grep -q "BEGIN WORDS OF OTHERS" "$stage/prompts/muffin-response-1-1.md" && ! grep -q "WORDS OF OTHERS" "$stage/prompts/muffin-response-0-1.md"
ok $? "prompts frame the words of others; in round 0 there are none"

# ---- nothing is written in a dry run ----------------------------------------------------------------------------------
begin dry
before=$(find . -type f ! -name '*-wal' ! -name '*-shm' | sort | xargs sha256sum)
run "a dry run" 0 run $id --agent "$play $stage" --dry-run
has "play.sh"
has "You are Muffin"
has "Next: ask the panel"
run "a dry run of a question" 0 ask "Rye or wheat?" --expert "Baker: crumb" --agent "$play $stage" --dry-run --json
is '.dry_run and .calls[0].expert == "muffin" and (.calls[0].prompt | contains("Rye or wheat"))'
[ "$(find . -type f ! -name '*-wal' ! -name '*-shm' | sort | xargs sha256sum)" = "$before" ]
ok $? "a dry run writes nothing"

# ---- the mechanical judge ---------------------------------------------------------------------------------------------
begin mechanical
run "a mechanical judge" 0 run $id --agent "$play $stage" --judge mechanical --rounds 2 --json
answer
is '.reason == "rounds" and .next_round == 2 and (.decided | not)'
called 0 judge
run "it scores nothing and decides nothing" 0 dialogue show $id --json
is '.decision == null and all(.rounds[]; .score == 0)'
run "more rounds" 0 run $id --agent "$play $stage" --judge mechanical --rounds 3 --json
answer
is '.next_round == 3 and (.decided | not)'

# ---- a question from one command --------------------------------------------------------------------------------------
project ask
stage=$PWD/stage && mkdir -p stage/act
act judge </dev/null
cat >stage/act/muffin <<'END'
printf '[MUFFIN-P0%s01: Rye keeps]\nA week.\n\n[MOVE:CONVERGE]\n' "$round"
END
cat >stage/act/cupcake <<'END'
printf '[CUPCAKE-P0%s01: Wheat sells]\nTwice as well.\n\n[MOVE:CONVERGE]\n' "$round"
END
cat >stage/act/judge <<'END'
case $task in
round) echo '{"expert_scores": {"muffin": 5, "cupcake": 4}, "summary": "Both."}' ;;
verdict) echo 'So: {"verdicts": [{"verdict_id": "final", "verdict_type": "final", "recommendation": "Bake both", "description": "Half and half."}]}' ;;
esac
END
run "a question" 0 ask "Should we bake rye, or wheat?" --expert "Baker: crumb" --expert "Miller: flour" --agent "$play $stage" --json
answer
is '.decision == "Bake both" and .title == "Should we bake rye, or wheat" and .dialogue_id == "should-we-bake-rye-or-wheat"'
called 4 .
run "the same question is answered again" 0 ask "Should we bake rye, or wheat?" --expert "Baker: crumb" --expert "Miller: flour" --agent "$play $stage" --json
answer
is '.dialogue_id == "should-we-bake-rye-or-wheat" and .decided'
called 4 .
run "asked anew" 0 ask "Should we bake rye, or wheat?" --expert "Baker: crumb" --expert "Miller: flour" --agent "$play $stage" --again --json
answer
is '.dialogue_id == "should-we-bake-rye-or-wheat-2" and .decided'
run "nobody is asked" 1 ask "Rye?" --agent "$play $stage"
has "panel-list" err
run "nobody answers" 1 ask "Rye?" --expert "Baker: crumb"
has "no agent answers for the panel" err
run "nothing was created for it" 0 dialogue list --json
is '[.dialogues[].dialogue_id] == ["should-we-bake-rye-or-wheat", "should-we-bake-rye-or-wheat-2"]'
"$conclave" dialogue create "Oats" --expert "Baker: crumb" --expert "Miller: flour" >/dev/null
run "nobody answers for two experts" 1 run oats --json
is '.message == "no agent answers for the experts muffin, cupcake" and (.errors | length) <= 1 and (.suggestion | startswith("give --agent"))'
run "agents that fail" 1 run oats --agent false
run "nobody answers for those who were asked" 1 run oats
has "no agent answers for the experts muffin, cupcake; 'conclave run status oats' has the whole command that continues; or give" err
[ "$(wc -l <"$err")" -eq 1 ]
ok $? "nobody answers for those who were asked: said once"
run "the command that it names" 0 run status oats
has "conclave run oats --agent false"

# What is not there: nothing was opened that could be released.
for how in "" --dry-run --background; do
    run "a dialogue that is not there $how" 1 run none --agent "$play $stage" $how
    has "dialogue_not_found" err
done
run "every fault at once" 1 ask "Rye?"
has "nobody is asked" err
has "no agent answers for the panel" err
printf '[agents.a]\ncomand = "x"\n' >bad.toml
run "a file with an unknown field" 1 ask "Rye?" --expert "Baker: crumb" --agents bad.toml
has "bad.toml:2:10: agents.a.comand: unknown field 'comand'; did you mean 'command'?" err
printf '[seats]\n"*" = "bob"\njudge = "mechanical"\n' >bad.toml
run "a seat of nobody" 1 ask "Rye?" --expert "Baker: crumb" --expert "Miller: flour" --agents bad.toml
has "bad.toml:2:7: the seat '*' names 'bob', who is neither in the file nor in the project" err
[ "$(wc -l <"$err")" -eq 1 ]
ok $? "$name: told once"
run "nothing was created for these, either" 0 dialogue list --json
is '.dialogues | length == 3'

# A question that is asked again continues where it was interrupted, too.
again() { run "$1" "$2" ask "Should we bake rye, or wheat?" --expert "Baker: crumb" --expert "Miller: flour" --again --json --agent "$3"; answer; }
printf '#!/bin/sh\nexit 3\n' >broken.sh && chmod +x broken.sh
again "asked anew, and nobody answers" 1 ./broken.sh
is '.dialogue_id == "should-we-bake-rye-or-wheat-3" and .state == "stopped" and .reason == "quorum"'
again "the same question goes on" 0 "$play $stage"
is '.dialogue_id == "should-we-bake-rye-or-wheat-3" and .decided'

# A key that the shell has put into the command.
export BAKERS_TOKEN=tok-12345678
run "a key in a command" 1 run oats --agent "./broken.sh --key tok-12345678"
has "broken.sh --key [BAKERS_TOKEN]"
run "a key in the name of a program" 1 run oats --agent "./tok-12345678"
has "[BAKERS_TOKEN]" err
! grep -rqaF tok-12345678 .conclave "$out" "$err"
ok $? "$name: is in no file"
unset BAKERS_TOKEN

position=$("$conclave" feed --limit 0 --json | jq -r .position)
run "nothing runs" 0 run stop should-we-bake-rye-or-wheat --json
is '.stopping == false and .state == "ended"'
[ "$("$conclave" feed --limit 0 --json | jq -r .position)" = "$position" ]
ok $? "nothing runs: nothing is written"
"$conclave" dialogue create "Barley" --expert "Baker: crumb" >/dev/null
run "what was never run" 1 run stop barley
has "run_not_found" err

# ---- without a decision -----------------------------------------------------------------------------------------------
project without
stage=$PWD/stage && mkdir -p stage/act
asks() { run "$1" "$2" ask "$3" --expert "Baker: crumb" --expert "Miller: flour" --json --agent "$4"; answer; }
asks "nobody can be understood" 1 "Bread?" "echo hello"
is '.reason == "unmarked" and .state == "stopped" and .next_round == 1 and .spent.calls == 6'
is '(.message | contains("the answer has no JSON object")) and (.advice | contains("docs/responses.md") and contains("conclave spec"))'
is '[.rounds[0].experts[].expert] == ["cupcake", "muffin", "judge"]'
run "people read why" 1 run bread --agent "echo hello"
has "no answer of the round has marks"
has "judge: its answers were refused"
has "docs/responses.md"
asks "the same with an agent that can, goes on" 0 "Bread?" "sh $root/test/run/agent.sh"
is '.decided'
run "a mechanical judge makes no sense of it, either" 1 ask "Cake?" --expert Baker --agent "echo hello" --judge mechanical --json
answer
is '.reason == "unmarked" and .next_round == 1'
run "one round of it was asked for" 0 ask "Tart?" --expert Baker --agent "echo hello" --judge mechanical --rounds 1 --json
answer
is '.reason == "rounds" and .next_round == 1'
cat >expert.sh <<'END'
#!/bin/sh
case $CONCLAVE_TASK in
response) printf '[PERSPECTIVE P01: %s]\nOne.\n\n[MOVE:CONVERGE]\n' "$CONCLAVE_EXPERT" ;;
verdict) cat verdict.json ;;
*) echo '{"expert_scores": {"muffin": 1, "cupcake": 1}, "summary": "s"}' ;;
esac
END
chmod +x expert.sh
echo 'Rye.' >verdict.json
asks "no verdict that can be registered" 1 "Rye?" ./expert.sh
is '.reason == "judge" and .state == "stopped" and .converged and (.decided | not) and (.message | contains("no JSON object")) and (.advice | contains("--judge"))'
echo '{"undecided": "Nobody weighed it."}' >verdict.json
asks "nothing can be decided" 1 "Rye?" ./expert.sh
is '.reason == "undecided" and .state == "ended" and .message == "judge: Nobody weighed it."'
run "and it says so again" 1 run rye --agent ./expert.sh
has "Nobody weighed it."

# A judge's program that fails is to be corrected, not taught another form; the command that continues is said.
printf '#!/bin/sh\ncat >/dev/null\necho "reading" >&2\necho "quota exceeded" >&2\nexit 1\n' >judge.sh && chmod +x judge.sh
run "the judge's program fails" 1 ask "Oats?" --expert Baker --expert Miller --agent ./expert.sh --judge ./judge.sh --json
answer
is '.reason == "judge" and .message == "judge: the command ended with status 1: quota exceeded"'
is '(.advice | startswith("correct what failed, then the same command continues")) and (.next | contains("conclave run oats") and contains("--judge ./judge.sh"))'
echo '{"verdicts": [{"verdict_id": "final", "verdict_type": "final", "recommendation": "Oats", "description": "They are there.", "vote": "1-1", "confidence": "strong", "conditions": ["Bake them today"]}, {"verdict_id": "less", "verdict_type": "minority", "author_expert": "muffin", "recommendation": "Rye keeps longer, and the mill that grinds it is in the next village, so it costs less", "description": "d"}]}' >verdict.json
run "the same command, with a judge that works" 0 run oats --agent ./expert.sh --judge ./expert.sh --json
answer
is '.decision == "Oats" and .vote == "1-1" and .confidence == "strong" and .conditions == ["Bake them today"]'
is '.dissents == [{"verdict_type": "minority", "expert": "muffin", "recommendation": "Rye keeps longer, and the mill that grinds it is in the next village, so it costs less"}]'
run "people read the vote and who disagrees" 0 run oats --agent ./expert.sh --judge ./expert.sh
has "Decision (1-1, strong)"
has "1. Bake them today"
has "Minority, muffin"
[ "$(LC_ALL=C.UTF-8 wc -L <"$out")" -le 80 ]
ok $? "$name: at most 80 columns"

# What cannot be started is said before anything is written.
before=$("$conclave" dialogue list --json | jq '.dialogues | length')
touch plain.txt
mkdir gone.d
printf '[agents.a]\ncommand = "./gone"\n[seats]\n"*" = "a"\njudge = "a"\n' >gone.toml
# cannot NAME FAULT OPTION...
cannot() {
    told=$2
    name=$1
    shift 2
    run "$name" 1 ask "Oat?" --expert Baker "$@"
    has "$told" err
    has "program_not_found" err
}
cannot "a program that is not installed" "--agent: there is no program 'no-such-agent'" --agent "no-such-agent -p"
cannot "a path that is not there" "--agent: there is no program './gone' in '$PWD', where it would run: give its whole path" --agent ./gone
cannot "an address" "--agent: 'http://127.0.0.1:1/v1' is an address, not a program: name an agent" --agent http://127.0.0.1:1/v1
cannot "a file that is no program" "--agent: './plain.txt' is not a file that may be executed: allow it with 'chmod +x'" --agent ./plain.txt
cannot "a folder" "--agent: './gone.d' is not a file, so it cannot be executed" --agent ./gone.d
cannot "a judge that is not there" "--judge: there is no program './gone'" --agent ./expert.sh --judge "./gone -x"
cannot "a seat whose program is not there" "gone.toml:4:7: the seat '*': there is no program './gone'" --agents gone.toml --yes
cannot "the judge's seat" "gone.toml:5:9: the seat 'judge': there is no program './gone'" --agents gone.toml --yes
run "in the background, too" 1 run rye --agent ./gone --background
has "program_not_found" err
run "a dry run needs no program" 0 ask "Oat?" --expert Baker --agent ./gone --dry-run
[ "$("$conclave" dialogue list --json | jq '.dialogues | length')" = "$before" ]
ok $? "none of them left a dialogue"

# Seats that fit nobody.
printf '[agents.a]\ncommand = "./expert.sh"\n[seats]\nmufin = "a"\nbakr = "a"\nwildcard = "a"\nBaker = "a"\n"*" = "a"\njudge = "mechanical"\n' >seats.toml
run "seats that fit nobody" 0 ask "Spelt?" --expert "Baker: crumb" --agents seats.toml --yes --rounds 1
has "seats.toml:4: the seat 'mufin' fits no expert of this dialogue; did you mean 'muffin'?" err
has "seats.toml:5: the seat 'bakr' fits no expert of this dialogue; did you mean 'Baker'?" err
has "warning: seats.toml:4: the seat 'mufin' fits no expert"
[ "$(grep -c "fits no expert" "$err")" -eq 2 ]
ok $? "$name: and those that fit are not told"

# Events that quote somebody are JSON, too.
printf '[agents.worker]\ncommand = "./expert.sh"\n[agents.boss]\nreach = "mailbox"\n[seats]\n"*" = "worker"\njudge = "boss"\n' >mailbox.toml
run "a judge without a mailbox" 1 ask "Rice?" --expert Baker --agents mailbox.toml --yes
has "mailbox.toml:7:9: the seat 'judge': 'boss' has no mailbox, because it is not registered: 'conclave agent import' registers" err
run "nothing was begun for it" 1 dialogue get rice
run "a person is awaited" 1 ask "Millet?" --expert Baker --agent ./expert.sh --judge human --max-time 1 --json
jq -e -s 'any(.[]; .event == "waiting" and (.type | contains("round-register")))' "$out" >/dev/null
ok $? "$name: the event says what to type"

# ---- is the panel worth it? -------------------------------------------------------------------------------------------
begin control
run "a control" 0 run $id --agent "$play $stage" --control --json
answer
is '.decided and .control.state == "answered" and (.control.answer | startswith("I would swap a third"))'
is '.control.spent.calls == 1 and .control.panel_spent.calls == 20 and .control.dynamics.dissent_kept == 1 and .control.dynamics.changes_with_new_evidence == 3'
called 1 control
grep -q "You may use up to [1-9][0-9]* tokens" "$stage/prompts/control-control-0-1.md"
ok $? "the control gets the same budget"
run "both answers side by side" 0 run status $id
has "Is the panel worth it?"
has "I would swap a third"
has "Opinions of the panel changed 3 times with new evidence"
run "the same numbers" 0 dialogue dynamics $id --json
is '.opinion_changes.with_new_evidence == 3 and .dissent.kept == 1 and .collapses == []'

finish
