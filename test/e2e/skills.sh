#!/bin/sh
# skills.sh - the skills that 'conclave install' gives to clients, followed to the letter by a scripted agent that knows nothing
# else (test/clients/follow.mjs): with the tools and with the commands, in projects of their own.
. "$(dirname "$0")/lib.sh"
needs_npm "skills"
# agent NAME STATUS ARGUMENT...: as run, for the agent; what it said last is $said
agent() {
    name=$1 wanted=$2
    shift 2
    timeout 120 "$node" "$root/test/clients/follow.mjs" "$program" "$@" >"$out" 2>"$err"
    status=$?
    [ "$status" -eq "$wanted" ] || tail -n 3 "$out" "$err" | cut -c 1-600 | sed 's/^/#   /'
    [ "$status" -eq "$wanted" ]
    ok $? "$name: exit status $wanted"
}
told() {
    jq -es "$1" "$out" >/dev/null
    judged=$?
    [ $judged -eq 0 ] || jq -c . "$out" | tail -n 2 | cut -c 1-600 | sed 's/^/#   /'
    ok $judged "$name: $2"
}
fresh() {
    project "$1"
    "$conclave" install claude >/dev/null
}

# ---- what they say
fresh texts
"$conclave" mcp >"$work/list" 2>/dev/null <<'END'
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
END
jq -r '.result.tools[].name' "$work/list" >"$work/offered"
for skill in .claude/skills/*; do
    name=${skill##*/}
    file=$skill/SKILL.md
    # As strict readers of YAML want it: one line each, no colon and blank in a text without quotes.
    awk 'NR == 1 { head = $0 == "---"; next } $0 == "---" { exit !(head && keys == 2) }
        /^(name|description): [^"'"'"'\[{>|*&!%#@`]/ && substr($0, index($0, ": ") + 2) !~ /: | #/ && length($0) < 1024 { keys++; next } { exit 1 }' "$file"
    ok $? "$name: its head is plain YAML"
    grep -qx "name: $name" "$file"
    ok $? "$name: has the name of its folder"
    # Codex cuts what a command prints there, when it does not know the model.
    bytes=$(wc -c <"$file")
    [ "$bytes" -le 10000 ]
    ok $? "$name: at most 10000 bytes ($bytes)"
    grep -v -- '--tools all' "$file" | grep -oE '\b(blue_dialogue|conclave)_[a-z][a-z_]*[a-z]\b' | sort -u >"$work/named"
    astray=$(grep -vxF -f "$work/offered" "$work/named")
    [ -z "$astray" ] || echo "#   $astray"
    [ -z "$astray" ]
    ok $? "$name: names tools that are offered ($(wc -l <"$work/named"))"
    grep -oE '(`|^)conclave [a-z]+ [a-z-]+' "$file" | sed 's/`//' | sort -u >"$work/commands"
    while read -r _ room verb; do
        "$conclave" "$room" "$verb" --help >/dev/null 2>&1 || echo "conclave $room $verb"
    done <"$work/commands" >"$work/unknown"
    sed 's/^/#   no such command: /' "$work/unknown"
    [ ! -s "$work/unknown" ]
    ok $? "$name: names commands that exist ($(wc -l <"$work/commands"))"
done

# ---- their examples
for way in mcp command; do
    fresh "play-$way"
    agent "alignment-play, $way" 0 $way example alignment-play
    told 'map(.answer.warnings // [] | .[].type) | . == ["small_pool"]' "nothing is warned of but the small pool"
    told 'map(select(.tool == "blue_dialogue_progress") | .answer.convergence.converged) == [false, true]' "converged after the second round"
    run "alignment-play, $way: what it returns" 0 dialogue show rye-or-wheat
    returned=$(sed -n '/^And what you return:/,/^You may/p' .claude/skills/alignment-play/SKILL.md | sed -n 's/^> //p' | tr '\n' ' ')
    for fact in "Bake both: wheat at six, rye at eight" "2-0" "unanimous" "T0001" "R0101" "22" "2 rounds"; do
        has "$fact"
        case $returned in *"$fact"*) true ;; *) false ;; esac
        ok $? "$name: so does the skill"
    done
    [ -f .conclave/dialogues/rye-or-wheat/dialogue.json ]
    ok $? "$name: the export is there"
    run "alignment-play, $way: verify" 0 verify

    fresh "others-$way"
    agent "conclave-mail, $way" 0 $way example conclave-mail
    told 'map(select(.tool == "conclave_mail_claim") | .answer.message.command) == ["BUILD_DOCS", "WRITE", "CHECK"]' "each claim gets what the example says"
    agent "conclave-chat, $way" 0 $way example conclave-chat
    told 'map(select(.tool == "conclave_chat_gate") | .answer.clear) == [false, true]' "the gate is shut, then clear"
    run "$name: closed" 0 chat list --json
    is '[.chats[].status] == ["CLOSED"]'
    agent "conclave-notes, $way" 0 $way example conclave-notes
    run "$name: what was left" 0 notes list --for LILITH --json
    is '[.notes[].message] == ["Question: in all corners?", "Say how hot it is."]'
    run "$name: verify" 0 verify
done

# The experts' example is understood whole, and what they return is what the answer has.
fresh expert
skill=.claude/skills/alignment-expert/SKILL.md
d() { "$conclave" dialogue "$@" --json >"$out" 2>"$err" || ok 1 "$*"; }
d create --title "Rye or wheat" --expert "Baker: heat"
printf '[MUFFIN-P0001: a]\nA.\n\n[MUFFIN-R0001: b]\nB.\n\n[MUFFIN-T0001: c]\nC.\n' >answer.md
d respond rye-or-wheat --expert muffin --content @answer.md
d round-register rye-or-wheat --round 0 --use-draft --expert-scores '{"muffin": 1}'
sed -n '/^```markdown$/,/^```$/p' "$skill" | sed '1d;$d' >answer.md
sed -n '/^```json$/,/^```$/p' "$skill" | sed '1d;$d' >returned.json
run "the experts' example" 0 dialogue respond rye-or-wheat --expert muffin --content @answer.md --json
is '.diagnostics == [] and .warnings == []'
jq -e --slurpfile r returned.json '$r[0] as $r | .expert_slug == $r.expert_slug and .round == $r.round
    and (.response_path | endswith($r.response_path | ltrimstr("…"))) and $r.summary == (.summary | del(.verdicts))' "$out" >/dev/null
ok $? "$name: is returned as the skill says"

# ---- a judge and five experts, who hand in as they can, with the skill or with what their prompt says
for way in mcp command; do
    for spec in none short full; do
        fresh "judge-$way-$spec"
        agent "a judge, $way, --spec $spec" 0 $way play $spec
        told '.[-1].said == "DECIDED in job-queue: Move the queue to PostgreSQL (5-0)"' "decides"
        told 'map(select(.tool == "blue_dialogue_round_verify") | .answer.diagnostics[]) == []' "everything is understood"
        [ $spec != none ] || told 'map(select(.tool == "blue_dialogue_round_verify") | .answer.files[].expert) | length >= 2' "files are found"
        run "$name: the record" 0 dialogue get job-queue --json
        is '.dialogue.status == "converged" and .open_tensions == []'
        run "$name: verify" 0 verify
    done
done

# ---- it knows nothing else: with one instruction spoiled it reaches no verdict
# played SCRIPT: the judge with its skills changed by this script of sed; two rounds are enough
played() {
    fresh spoiled
    sed -i -e 's/at most 10 |$/at most 2 |/' -e "$1" .claude/skills/alignment-*/SKILL.md
    timeout 60 "$node" "$root/test/clients/follow.mjs" "$program" mcp play none >"$out" 2>"$err"
    status=$?
    cd "$work" && rm -rf spoiled
    [ $status -eq 0 ] && tail -n 1 "$out" | grep -q '"said":"DECIDED'
}
played 's/nothing/nothing/'
ok $? "the skills as they are: a verdict"
{
    sed -n '/^## Begin/,/^## Parameters/p' "$root/skills/alignment-play/SKILL.md" | grep -v '^0\.' | grep -oE '`blue_dialogue_[a-z_]+`' | sort -u |
        grep -v expert_create | sed 's#.*#1,/^. Parameters/s/&/`blue_dialogue_no_such_tool`/#;s/\^\. P/^## P/'
    for n in 2 3 4 5 6; do echo "/^## Each round/,/^## End/{/^$n\\./,/^\\([0-9]\\.\\|\$\\)/{/^$n\\./d;/^   /d}}"; done
    for words in include_prompts use_draft RE:RESOLVE MOVE:CONVERGE '`files`' 'Spawn all'; do echo "s/$words/no_such_word/"; done
} >"$work/spoilings"
some=4
[ -z "${CV_SOAK-}" ] || some=100
awk -v seed="${CV_SEED:-1}" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$work/spoilings" | sort -n | head -n $some | cut -f 2 >"$work/drawn"
while IFS= read -r script; do
    ! played "$script" </dev/null
    ok $? "spoiled, no verdict: $script"
done <"$work/drawn"
[ "$(wc -l <"$work/spoilings")" -ge 20 ]
ok $? "there are instructions to spoil ($(wc -l <"$work/spoilings"))"
finish
