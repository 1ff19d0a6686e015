#!/bin/sh
# cite.sh - expand, history and graph on a whole deliberation, through the command line.
. "$(dirname "$0")/lib.sh"
project
nvidia

# Hashes cover times: they differ in every run.
no_hashes() {
    sed -e 's/"hash": *"[0-9a-f]*"/"hash": "HASH"/g' -e 's/  \[[0-9a-f]\{8\}\]$/  [HASH]/' \
        -e 's/[0-9]\{4\}-[0-9][0-9]-[0-9][0-9] [0-9:]\{8\}/DATE TIME/g' "$out" >"$work/no_hashes"
    cp "$work/no_hashes" "$out"
}

# ---- expand --------------------------------------------------------------------------------------
run "entities, an expert, a round, a verdict" 0 dialogue expand nvidia-decision P0101 R0001 muffin-t0001 @muffin round-1 final
no_hashes
golden cite/expand.txt
silent err
run "the same as data" 0 dialogue expand nvidia-decision --json P0101 R0001 muffin-t0001 @muffin round-1 final
command jq . "$out" >"$work/pretty" && cp "$work/pretty" "$out"
no_hashes
golden cite/expand.json
run "what is not there" 1 dialogue expand nvidia-decision P0101 P0199 @mufin finl nonsense panel-0 T0505 --json
is '[.items[].id] == ["P0101"] and [.errors[].id] == ["P0199", "@mufin", "finl", "nonsense", "panel-0", "T0505"]'
is '[.errors[].error_code] == ["target_not_found", "unknown_expert", "invalid_value", "invalid_value", "invalid_value", "target_not_found"]'
run "a role is not a name" 1 dialogue expand nvidia-decision P0101 "value analyst" @Value-Analyst --json
is '[.errors[].suggestion] == ["did you mean '"'@muffin'"', the Value Analyst?", "did you mean '"'@muffin'"', the Value Analyst?"]'
run "what is not there, in words" 1 dialogue expand nvidia-decision P0101 P0199 @mufin
has "did you mean '@muffin'? [unknown_expert]" err
run "nothing of it is there" 1 dialogue expand nvidia-decision P0199 @mufin finl nonsense panel-0 T0505
silent
golden cite/not-there.txt err
run "nothing of it is there, as JSON" 1 dialogue expand nvidia-decision P0199 @mufin --json
is '.error_code == "batch_validation_failed" and ([.errors[] | [.field, .value, .error_code]] == [["ids[0]", "P0199", "target_not_found"], ["ids[1]", "@mufin", "unknown_expert"]])'
run "the only one is not there" 1 dialogue expand nvidia-decision P0199 --json
is '.status == "error" and .error_code == "target_not_found" and .field == "ids[0]"'
run "ids with and without their flag" 0 dialogue expand nvidia-decision --ids P0002 --json P0001
is '[.items[].id] == ["P0002", "P0001"]'
run "ids in the data" 0 dialogue expand --json --data '{"dialogue_id": "nvidia-decision", "ids": ["E0101", "e0101", "MUFFIN-E0101"]}'
is '[.items[] | [.id, (.asked | length)]] == [["E0101", 3]]'
run "no ids" 1 dialogue expand nvidia-decision
has "ids" err
run "another dialogue" 1 dialogue expand nvidia-decison P0001
has "did you mean" err
run "too many arguments elsewhere" 2 dialogue get nvidia-decision P0001
has "unexpected argument 'P0001'" err

# ---- history -------------------------------------------------------------------------------------
run "of a tension" 0 dialogue history nvidia-decision T0002
no_hashes
golden cite/history-tension.txt
run "of a correction" 0 dialogue history nvidia-decision DONUT-R0001
no_hashes
golden cite/history-correction.txt
run "of everything" 0 dialogue history nvidia-decision
no_hashes
golden cite/history.txt
run "as data" 0 dialogue history nvidia-decision T0002 --json
is '[.events[] | [.type, .from, .to, .via]] == [["created", null, "open", null], ["resolved", "open", "resolved", "P0102"], ["reopened", "resolved", "reopened", "P0201"], ["resolved", "reopened", "resolved", "verdict-final"]]'
is '.events | all(.hash | length == 64)'
is 'has("text") | not'
run "a page" 0 dialogue history nvidia-decision --limit 5 --after 10 --json
is '[.events[].event] == [11, 12, 13, 14, 15] and .next == 15'
for id in final @palmier round-2 panel-2 dialogue; do
    run "of $id" 0 dialogue history nvidia-decision "$id" --json
    is '.count == 1'
done
run "of nothing" 1 dialogue history nvidia-decision P0707 --json
is '.error_code == "target_not_found" and .field == "id"'

# ---- graph ---------------------------------------------------------------------------------------
run "as Mermaid" 0 dialogue graph nvidia-decision --format mermaid
golden cite/graph.mmd
run "as DOT" 0 dialogue graph nvidia-decision --format dot --experts --moves
golden cite/graph.dot
run "as data" 0 dialogue graph nvidia-decision --json
is '(.nodes | map(.id)) as $ids | .edges | length > 20 and all(.source as $s | .target as $t | ($ids | index($s)) and ($ids | index($t)))'
is '.nodes == (.nodes | sort_by(.type as $t | ["perspective", "recommendation", "tension", "evidence", "claim", "verdict", "expert"] | index($t)))'
run "around one" 0 dialogue graph nvidia-decision --focus T0003 --json
is '[.nodes[].id] == ["P0202", "T0003", "verdict-final"]'
run "only tensions that are resolved" 0 dialogue graph nvidia-decision --kinds tension --status resolved --no-verdicts --json
is '[.nodes[].id] == ["T0001", "T0002", "T0101"]'
run "for people" 0 dialogue graph nvidia-decision --focus T0003
golden cite/graph.txt

# ---- labels that would like to be something else ---------------------------------------------------
run "a hostile dialogue" 0 dialogue create --json --data '{"title": "Hostile", "expert_pool": {"domain": "d", "experts": [{"role": "\"]; drop", "tier": "Core", "relevance": 0.5, "slug": "muffin"}]}, "panel_size": 1}'
jq -n '{dialogue_id: "hostile", round: 0, score: 1, perspectives: [
    "\" -> \"x", "]]]", "a\\", "\\\"", "<b>&amp;&#34;</b>", "\n\r\t", "%%{init: {}}%%", "`x`", "end", "; }", "{{x}}", "\u001b[31m", "漢字 🧁 \u202e", "#quot;", "a|b", "\\N\\G\\l"
  ] | to_entries | map({local_id: "MUFFIN-P00\(if .key < 9 then "0" else "" end)\(.key + 1)", label: ("x" + (.value | gsub("[[:cntrl:]]"; ""))), content: ("c " + .value), contributors: ["muffin"]})}' >hostile.json
run "its labels" 0 dialogue round-register --json --data @hostile.json
run "as Mermaid" 0 dialogue graph hostile --format mermaid --experts
golden cite/hostile.mmd
run "as DOT" 0 dialogue graph hostile --format dot --experts
golden cite/hostile.dot
for graph in nvidia-decision hostile; do
    if command -v dot >/dev/null; then
        "$conclave" dialogue graph "$graph" --format dot --experts --moves >"$work/graph.dot"
        dot -Tplain "$work/graph.dot" >"$work/plain" 2>"$err"
        ok $? "Graphviz draws $graph"
        name="Graphviz on $graph"
        silent err
        nodes=$("$conclave" dialogue graph "$graph" --experts --moves --json | jq .node_count)
        [ "$(grep -c '^node ' "$work/plain")" -eq "$nodes" ]
        ok $? "Graphviz finds all $nodes nodes of $graph"
    else
        skip "Graphviz draws $graph" "there is no dot"
    fi
done
run "cards" 0 dialogue expand hostile P0001 P0006 P0012
no_hashes
golden cite/hostile.txt

# On a terminal every line fits; elsewhere none is broken.
if command -v script >/dev/null; then
    script -qec "stty cols 60; '$conclave' dialogue history nvidia-decision R0001" /dev/null 2>&1 </dev/null | tr -d '\r' >"$out"
    [ "$(wc -L <"$out")" -le 60 ] && grep -q '^        .*\[[0-9a-f]*\]$' "$out"
    ok $? "a history on a terminal goes on below its line"
    run "a history in a pipe" 0 dialogue history nvidia-decision R0001
    [ "$(wc -L <"$out")" -gt 60 ]
    ok $? "a history in a pipe is not broken"
fi

# Ids that are shortened or left out.
run "the beginning of an id" 0 dialogue history nvidi T0001 --json
is '.dialogue_id == "nvidia-decision" and .events[0].id == "T0001"'
run "another dialogue" 0 dialogue create "NVIDIA decided" --json
run "a beginning of two" 1 dialogue show nvidia-deci
has "conclave: --dialogue-id: 2 dialogues begin with 'nvidia-deci': nvidia-decided, nvidia-decision; write more" err
run "a whole id that is also a beginning" 0 dialogue create "NVIDIA" --json
run "… is that one" 0 dialogue progress nvidia --json
is '.dialogue_id == "nvidia"'
run "one of several left out" 1 dialogue show --json
is '.error_code == "missing_field" and .field == "dialogue_id"'
CONCLAVE_DIALOGUE=nvidia-decision run "one that a variable names" 0 dialogue show --json
is '.dialogue_id == "nvidia-decision"'
CONCLAVE_DIALOGUE=nvidia-decision run "… before other arguments" 0 dialogue expand T0001 P0001 --json
is '[.items[].id] == ["T0001", "P0001"]'
CONCLAVE_DIALOGUE=nvidia-decision run "… does not hide a mistake" 1 dialogue show nvidai --json
is '.error_code == "dialogue_not_found"'
CONCLAVE_DIALOGUE=gone run "a variable that names none" 1 dialogue show --json
is '.error_code == "dialogue_not_found" and (.message | contains("gone"))'
run "whole ids in data" 1 dialogue show --json --data '{"dialogue_id": "nvidia-decis"}'
is '.error_code == "dialogue_not_found"'
printf '{"since_rev": 1\n}\n' >"$work/get.json"
CONCLAVE_DIALOGUE=nvidia-decision run "an id left out of data" 0 dialogue get --json --data @"$work/get.json"
is '.changed'
project alone
"$conclave" dialogue create "Only one" --question "Which?" >/dev/null
run "the only dialogue" 0 dialogue show
has "only-one: open"
run "… is corrected" 0 dialogue abandon --reason "a test" --json
is '.dialogue_id == "only-one"'
finish
