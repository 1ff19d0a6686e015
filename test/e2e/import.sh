#!/bin/sh
# import.sh - dialogues from files: the examples, what is done twice, what has changed, what is broken, and exports that
# come back byte for byte. The real dialogues in CONCLAVE_CORPUS are imported when they are there.
. "$(dirname "$0")/lib.sh"
corpus=${CONCLAVE_CORPUS-}
project
cp -r "$root/examples/dialogues" .
cp "$root/examples/decision.dialogue.md" .

# ---- the examples ----
run "dry run" 0 import dialogues decision.dialogue.md --dry-run
golden import/examples.txt
run "dry run as JSON" 0 import dialogues decision.dialogue.md --dry-run --json
command jq 'del(.dry_run)' "$out" >"$work/dry"
command jq 'del(.report)' "$work/dry" >"$out"
golden import/examples.json
run "nothing was written" 0 dialogue list --json
is '.dialogues == []'
run "import" 0 import dialogues decision.dialogue.md --json
is '.counts.imported == 2'
command jq 'del(.dry_run)' "$out" | cmp -s - "$work/dry"
ok $? "a dry run reports what is done"
run "the record" 0 dialogue get oven-size --json
is '.dialogue.created_at == "2026-02-02T09:00:00.000Z" and .dialogue.status == "converged" and .dialogue.total_alignment == 36'
is '[.experts[] | {(.expert_slug): .role}] | add == {"muffin": "Head Baker", "cupcake": "Bookkeeper"}'
run "verify" 0 verify --json
is '[.scopes[].name] == ["nvidia-investment-decision", "oven-size"]'
"$conclave" dialogue export oven-size --output-path - >before.json
jq -e '[.tensions[] | {(.label): .status}] | add == {"Floor space": "resolved", "The loan": "resolved"}' before.json >/dev/null
ok $? "the tracker's statuses are the record's"
jq -e '[.rounds[].experts[].raw] | all(type == "string")' before.json >/dev/null
ok $? "every response is kept"

# ---- dialogue.json as the specification prints it, byte for byte ----
mkdir printed && cp "$root"/test/golden/import/printed/*.json printed
run "the printed shapes" 0 import printed/rounds_data.json printed/rounds.json
golden import/printed.txt

# ---- again, more, other ----
run "again" 0 import dialogues decision.dialogue.md --json
is '.counts.unchanged == 2 and .counts.imported == 0'
"$conclave" dialogue export oven-size --output-path - | cmp -s - before.json
ok $? "importing twice changes nothing"
folder=dialogues/2026-02-02T0900Z-oven-size
echo "More." >>"$folder/round-0/muffin.md"
run "a changed file" 1 import "$folder" --json
is '.status == "partial" and .dialogues[0].outcome == "conflict" and ([.dialogues[0].conflicts[].text] == ["round-0"])'
"$conclave" dialogue export oven-size --output-path - | cmp -s - before.json
ok $? "a conflict changes nothing"

cd "$work" && project growing
mkdir -p x/round-0
printf '[PERSPECTIVE P01: One]\nText.\n' >x/round-0/muffin.md
run "one round" 0 import x --json
is '.dialogues[0] | .outcome == "imported" and .responses == 1 and .dialogue_id == "x"'
mkdir x/round-1
printf '[PERSPECTIVE P01: Two]\n[MOVE:CONVERGE]\n' >x/round-1/muffin.md
printf '[TENSION T01: New here]\nText.\n' >x/round-1/scone.md
run "another round" 0 import x --json
is '.dialogues[0].outcome == "continued"'
run "both are there" 0 dialogue get x --json
is '.dialogue.total_rounds == 2 and .dialogue.status == "converging" and (.experts | length) == 2'

# ---- exports ----
cd "$work/project" || exit 1
"$conclave" dialogue export nvidia-investment-decision --output-path other.json >/dev/null
cd "$work" && project elsewhere
cp ../project/before.json ../project/other.json .
run "import exports" 0 import before.json other.json --json
is '.counts.imported == 2 and .dialogues[0].dialogue_id == "oven-size"'
for id in oven-size:before nvidia-investment-decision:other; do
    "$conclave" dialogue export "${id%:*}" --output-path - | cmp -s - "${id#*:}.json"
    ok $? "${id%:*} is exported again byte for byte"
done
run "verify" 0 verify
run "the same exports again" 0 import before.json other.json --json
is '.counts.unchanged == 2'
run "the dialogue goes on" 0 dialogue verdict-register nvidia-investment-decision --verdict-id late --verdict-type dissent --author-expert muffin \
    --recommendation No --description "Not yet."
run "an export of an earlier state" 1 import other.json --json
is '.dialogues[0].outcome == "conflict"'
cd "$work" && project tampered
sed 's/Floor space/Floor spice/' ../project/before.json >label.json
sed '0,/"score": 20/s//"score": 21/' ../project/before.json >score.json
head -c 3000 ../project/before.json >cut.json
command jq 'del(.record.rows)' ../project/before.json >bare.json
command jq '.record.rows.expert.rows[0][2] = "first" | .record.rows.move.rows[0] |= .[1:]' ../project/before.json >rows.json
run "exports that were changed" 1 import . --json
is '.counts.failed == 5 and .counts.imported == 0'
is '[.dialogues[] | {(.name): [.failures[].text]}] | add | (.score[0] == "rounds[0].score") and (.bare == ["record.rows"]) and (.rows == ["record.rows.expert.rows[0].position", "record.rows.move.rows[0]"])'
is '[.dialogues[] | select(.name == "label") | .failures[].why | select(test("[a-z]+/[^ ]+: the row was changed after event [0-9]+: expected digest"))] | length == 1'
run "nothing came of them" 0 dialogue list --json
is '.dialogues == []'

# ---- what is not used ----
cd "$work" && project unused
mkdir -p oven/round-0 drafts/round-0
cp ../project/before.json oven/dialogue.json
cp "$root"/examples/dialogues/*/round-0/*.md oven/round-0
cp ../project/before.json oven/notes.txt
run "files beside an export" 0 import oven
golden import/beside.txt
cp -r "$root/examples/deliberation" .
n=0
while [ $n -lt 10 ]; do
    cp "$root/README.md" "deliberation/round-0/$n.prompt.md"
    n=$((n + 1))
done
run "requests beside a dialogue" 0 import deliberation
golden import/requests.txt
run "requests, as JSON" 0 import deliberation --json
is '[.dialogues[0].files[] | select(.why) | .why | select(startswith("a request for"))] | length == 6'
rm -r deliberation/round-?/*.md
run "requests only" 1 import deliberation
has "not a file of a dialogue"
printf '# Nothing\n' >drafts/round-0/summary.md
printf '{"experts": "none"}\n' >drafts/expert-pool.json
printf '{"a": 1}\n' >drafts/data.json
run "a folder without a dialogue says why for each file" 1 import drafts
golden import/drafts.txt

# ---- transcripts ----
cd "$work" && project transcripts
"$conclave" dialogue create --json --data @"$root/test/golden/story/create.request.json" >/dev/null
for n in 0 1; do
    "$conclave" dialogue round-register --json --data @"$root/test/golden/story/round-$n.request.json" >/dev/null
done
"$conclave" dialogue transcript nvidia-decision >"$work/story.dialogue.md"
"$conclave" dialogue export nvidia-decision --output-path "$work/story.json" >/dev/null
cd "$work" && project from-transcript
run "a transcript" 0 import "$work/story.dialogue.md" --json
is '.dialogues[0].not_understood == []'
run "what it holds" 0 dialogue export nvidia-decision --output-path -
filter='[.perspectives, .recommendations, .tensions, .evidence, .claims | .[] | {id, "label": .label, contributors, status, references}] + [.moves[] | {expert, round, type, targets}] + [.rounds[] | {round, title, score, openTensions, velocity}]'
jq -S "$filter" "$out" >"$work/got"
jq -S "$filter" "$work/story.json" >"$work/wanted"
diff "$work/wanted" "$work/got" | head -n 20 | sed 's/^/# /'
cmp -s "$work/wanted" "$work/got"
ok $? "ids, labels, contributors, statuses, references, moves and tempo are those of the record"

# ---- killed in between ----
cd "$work" && project killed
n=0
while [ $n -lt 12 ]; do
    mkdir -p "many/d$n/round-0" "many/d$n/round-1"
    for who in muffin scone eclair; do
        printf '[PERSPECTIVE P01: %s]\nText.\n\n[TENSION T01: %s against]\nText.\n' "$who" "$who" >"many/d$n/round-0/$who.md"
        printf '[RESOLVED T01: done]\n\n[MOVE:CONVERGE]\n' >"many/d$n/round-1/$who.md"
    done
    n=$((n + 1))
done
for pause in 0.05 0.1 0.2 0.3; do
    "$conclave" import many >/dev/null 2>&1 &
    pid=$!
    sleep "$pause"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
done
run "after four kills" 0 import many --json
is '.counts.failed == 0 and .counts.conflict == 0 and (.counts.imported + .counts.continued + .counts.unchanged) == 12'
run "all is there, once" 0 dialogue list --json
is '(.dialogues | length) == 12 and ([.dialogues[].total_rounds] | all(. == 2))'
run "verify" 0 verify

# ---- what is broken ----
cd "$work" && project hostile
mkdir -p empty binary/round-0 loop/round-0 pool/round-0 notes
head -c 4096 /dev/urandom >binary/round-0/muffin.md
printf '[PERSPECTIVE P01: Fine]\nText.\n' >loop/round-0/muffin.md
ln -s ../loop loop/again
printf '[PERSPECTIVE P01: Fine]\nText.\n' >pool/round-0/muffin.md
printf '{"domain": "x", "experts": [' >pool/expert-pool.json
printf '# Shopping\n\nMilk.\n' >notes/list.md
printf '{"a": 1}\n' >notes/data.json
: >notes/nothing.md
run "an empty folder" 1 import empty --json
is '.dialogues == [] and .status == "partial" and (.reason | startswith("there is nothing to import"))'
run "an empty folder, for people" 1 import empty
has "there is nothing to import: no file is of a kind that a room reads"
run "a folder that is not there" 2 import missing
silent
has "missing: --path [0]: cannot find the file or folder" err
run "a folder that is not there, as JSON" 2 import missing --json
is '.status == "error" and .error_code == "not_found" and .file == "missing"'
run "some are not there" 1 import loop missing notes gone --json
is '[.errors[] | {(.field): .file}] | add == {"path[1]": "missing", "path[3]": "gone"}'
run "nothing was imported" 0 dialogue list --json
is '.dialogues == []'
run "all of them at once" 1 import empty binary loop pool notes --json
is '[.dialogues[] | {(.name): .outcome}] | add == {"binary": "failed", "loop": "imported", "pool": "failed", "list": "skipped", "data": "skipped", "nothing": "skipped"}'
run "what could be read of them is there" 0 dialogue list --json
is '[.dialogues[].dialogue_id] == ["loop", "pool"]'
run "no path" 1 import
run "a title for two" 1 import loop notes --title "Both"
has "dialogues would get this title" err
run "a title" 0 import loop --title "Another one" --json
is '.dialogues[0].dialogue_id == "another-one"'

# ---- the real dialogues ----
if [ -n "$corpus" ]; then
    cd "$work" && project corpus
    here=$PWD
    cd "$corpus" || exit 1
    run "the corpus" 0 import . --root "$here" --json
    cp "$out" "$work/corpus.json"
    is '.counts.failed == 0 and .counts.conflict == 0'
    jq -r '.dialogues[] | (["", .outcome, .name, .dialogue_id // "-"] | @tsv),
        ([.rounds, .agents, .responses, .perspectives, .tensions, .references, .moves, .scores, .tracked, .updates, .verdicts,
          (.decided | length), (.not_understood | length), (.differences | length), "all of it"] | @tsv),
        (.files[] | [.rounds, .agents, .responses, .perspectives, .tensions, .references, .moves, .scores, .tracked, .updates, .verdicts,
          "", "", "", (.file | split("/") | .[-2:] | join("/")) + " (" + .role + ")" + (if .why then ": " + .why else "" end)] | @tsv)' \
        "$work/corpus.json" >"$work/table"
    { printf 'R\tA\tresp\tP\tT\trefs\tmoves\tscores\ttracked\tupdates\tverdicts\tdecided\tunclear\tdiffer\n'; cat "$work/table"; } >"$out"
    golden import/corpus.txt
    run "the corpus again" 0 import . --root "$here" --json
    is '.counts.imported == 0 and .counts.conflict == 0 and .counts.failed == 0'
    cd "$here" || exit 1
    mkdir -p "$work/exports"
    for id in $("$conclave" dialogue list --json | jq -r '.dialogues[].dialogue_id'); do
        "$conclave" dialogue export "$id" --output-path "$work/exports/$id.json" >/dev/null
    done
    cd "$work" && project corpus-again
    run "the corpus from its exports" 0 import "$work/exports" --json
    same=0
    for file in "$work"/exports/*.json; do
        "$conclave" dialogue export "$(basename "$file" .json)" --output-path - | cmp -s - "$file" || same=1
    done
    ok $same "every one of them is exported again byte for byte"
    run "verify" 0 verify
fi
finish
