#!/bin/sh
# cli.sh - the command line from the outside: help, suggestions, flags, --data, errors, projects, exit status.
. "$(dirname "$0")/lib.sh"

# ---- help --------------------------------------------------------------------------------------------

mkdir "$work/nowhere" && cd "$work/nowhere" || exit 1

run "help" 0 help
golden cli/help.txt
silent err
run "help as an option" 0 --help
golden cli/help.txt
run "no command" 2
golden cli/first.txt err
silent out
run "version" 0 --version
has "conclave "
has "  SQLite "
run "version for programs" 0 --version --json
is '.version and .commit and (.libraries.SQLite | startswith("3."))'

run "help on a room" 0 help dialogue
golden cli/help-dialogue.txt
run "help on a room as an option" 0 dialogue --help
golden cli/help-dialogue.txt
run "a room without a verb" 2 dialogue
golden cli/help-dialogue.txt err

run "help on a verb" 0 help dialogue create
golden cli/help-create.txt
run "help on a verb as an option" 0 dialogue create --help
golden cli/help-create.txt
run "help on a verb that takes lists: their fields" 0 dialogue round-register --help
golden cli/help-round-register.txt
run "the schemas of a verb" 0 dialogue round-register --schema
is '.input.properties.perspectives.items.properties.local_id.type == "string" and .output.properties.rev'
command jq .input "$root/schemas/dialogue_round_register.json" >"$work/schema" && command jq .input "$out" | cmp -s - "$work/schema"
ok $? "the schemas of a verb: the input is that of schemas/"
run "the schemas of a verb that writes its answer by hand" 0 dialogue draft --schema
command jq . "$root/schemas/dialogue_draft.json" >"$work/schema" && command jq . "$out" | cmp -s - "$work/schema"
ok $? "the schemas of a verb that writes its answer by hand: those of schemas/"
run "the schemas of a verb whose answer is a table" 0 dialogue progress --schema
is '.input.required == ["dialogue_id"] and .output.properties.rev.minimum == 1 and .output.additionalProperties == false'
run "help wins over other options" 0 dialogue create --title x -h
golden cli/help-create.txt
run "help on a command" 0 help init
golden cli/help-init.txt
run "help on a command for files" 0 help spec
golden cli/help-spec.txt

run "help on a switch that says no itself" 0 help dialogue respond
has "  --no-contribution "
! grep -qF "[no-]no-" "$out"
ok $? "help on a switch that says no itself: no double negation"
run "it is not turned off" 2 dialogue respond x --expert y --no-no-contribution
has "unknown option '--no-no-contribution'; did you mean '--no-contribution'?" err

run "help names options, not fields" 0 mail send --help
has "by default that of --reply-to"
run "help on an option with a default" 0 notes lint --help
has "the form of the report; default: findings (findings,"
run "an option whose name is taken" 0 mail send --help
has "--data-value. The text is an argument"

run "help on ids" 0 help ids
golden cli/help-ids.txt
run "help on reasons of runs" 0 help run-reasons
has "it was interrupted (status 130)"
run "help on files" 0 help files
golden cli/help-files.txt
run "help on errors" 0 help errors
codes=$(sed -n 's/^ERR([A-Z0-9_]*, *"\([a-z0-9_]*\)".*/\1/p' "$root/src/base/err.def")
missing=$(for code in $codes; do grep -q "^  $code " "$out" || echo "$code"; done)
[ -n "$codes" ] && [ -z "$missing" ]
ok $? "help on errors: names every code $missing"
# what goes on below the last column belongs to the line before
awk '/^                              / { sub(/^ +/, ""); line = line " " $0; next } { if (NR > 1) print line; line = $0 } END { print line }' "$out" |
    sed -n 's/^  \([a-z0-9_]*\)  *\([0-9]\)  *\(.*\)/| `\1` | \2 | \3 |/p' | grep -v '^| `ok`' >"$work/codes"
missing=$(grep -vxF -f "$root/docs/errors.md" "$work/codes")
[ -z "$missing" ] || echo "$missing" | sed 's/^/#   /'
[ -s "$work/codes" ] && [ -z "$missing" ]
ok $? "help on errors: docs/errors.md has the same table"

run "help for programs" 0 help --json
is '[.commands[] | select(.room == "dialogue") | .verb] | index("round-register")'
is '.commands[] | select(.verb == "create") | .options[] | select(.name == "panel-size") | .value == "N"'
is '.commands[] | select(.verb == "create") | .options[] | select(.name == "strict-convergence") | .negatable'
is '[.commands[] | select(.verb == "lint" and .room != "notes")][0].operation | not'
for command in $(jq -r '.commands[] | .room + "/" + .verb' "$out"); do
    "$conclave" help $(echo "$command" | tr '/' ' ') >"$work/help" 2>&1 && grep -q '^Examples:' "$work/help"
    ok $? "help on $command"
done

# ---- suggestions ---------------------------------------------------------------------------------------

run "a misspelt command" 2 lnit
golden cli/unknown-command.txt err
run "a misspelt room" 2 dialoge list
has "unknown command 'dialoge'; did you mean 'dialogue'?" err
run "a misspelt verb" 2 dialogue round-regster
golden cli/unknown-verb.txt err
run "a verb without its room" 2 verdict-register
has "did you mean 'dialogue verdict-register'?" err
run "nothing like a command" 2 qqqqqq
has "'conclave --help' lists the commands" err
run "nothing like a verb" 2 dialogue qqqqqq
has "'conclave dialogue --help' lists the verbs" err
run "a command of another name" 2 dashboard
has "unknown command 'dashboard'; try 'conclave serve', 'conclave open'" err
run "several of them, in another number" 2 mail task
has "try 'conclave mail done', 'conclave mail plan', 'conclave mail ready', 'conclave mail complete', …; 'conclave mail --help' lists" err
run "more than are named" 2 mail list
has "'conclave mail slot', …; 'conclave mail --help' lists the verbs" err
run "a verb of another name" 2 dialogue dissent
has "try 'conclave dialogue verdict-register', 'conclave dialogue show'" err
run "a word of many operations that is spelt like a command" 2 task
has "unknown command 'task'; try 'conclave mail done', 'conclave mail plan', 'conclave mail ready', 'conclave mail complete', …" err
run "a word that only the help has" 2 lease
has "try 'conclave mail wait', 'conclave mail claim'" err
run "the beginning of a verb" 2 dialogue evolve
has "try 'conclave dialogue evolve-panel'" err
run "a room in another number" 2 note
has "did you mean 'notes'?" err
# Every word of every summary, alone: what is named has that word in its name or its summary.
"$conclave" help --json >"$work/help"
jq -r '.commands[] | "conclave \(.room)\(if .room == "" then "" else " " end)\(.verb)\t\(.verb) \(.summary)"' "$work/help" >"$work/spoken"
jq -r '.commands[] | select(.room != "") | "\(.verb) \(.summary)"' "$work/help" | tr 'A-Z' 'a-z' | tr -cs 'a-z' '\n' |
    awk 'length >= 4' | sort -u >"$work/words"
jq -r '.commands[] | .room, .verb' "$work/help" | sort -u >"$work/known"
# leads_to WORD: does the last message name something that has it?
leads_to() {
    case $(cat "$err") in
    *"did you mean '"*"${1%??}"* | *"try 'conclave $1 "*) return 0 ;;
    esac
    grep -o "'conclave [^']*'" "$err" | tr -d "'" | while read -r named; do
        grep -F "$named$(printf '\t')" "$work/spoken" | cut -f 2
    done | grep -qi "${1%s}"
}
grep -vxFf "$work/known" "$work/words" | while read -r word; do
    "$conclave" "$word" </dev/null >"$out" 2>"$err"
    leads_to "$word" || sed "s/^/#   /" "$err"
done >"$work/silent"
head -n 20 "$work/silent"
[ "$(wc -l <"$work/words")" -gt 200 ] && [ ! -s "$work/silent" ]
ok $? "each word of each operation leads to operations that speak of it"
run "a part of a word" 2 dialogue spons
has "'dialogue' has no verb 'spons'; 'conclave dialogue --help' lists the verbs" err
run "a topic of another name" 2 help templates
has "unknown topic 'templates'; try 'conclave dialogue panel-list'" err
run "a misspelt version" 2 --verison
has "did you mean '--version'?" err
run "the version as a command" 2 version
has "did you mean '--version'?" err
run "a misspelt option" 2 dialogue create --titel x
golden cli/unknown-option.txt err
run "the beginning of an option" 2 mail wait --timeout 3
has "unknown option '--timeout'; did you mean '--timeout-seconds'?" err
run "an argument and its option" 2 mail requeue kim --message-id m1
has "'--message-id' is given twice: 'kim' was taken for it, too" err
run "nothing like an option" 2 dialogue create --qqqqqq
has "see 'conclave dialogue create --help'" err
run "one dash" 2 dialogue create -title x
has "options begin with two dashes" err
run "a text that begins with a dash" 2 mail send --from lee --to kim "- buy milk"
has "before a value that begins with a dash, write --" err
run "a text that begins with two dashes" 2 mail send --from lee --to kim "--- buy milk"
has "unknown option '--- buy milk'; options begin with two dashes: see 'conclave mail send --help'; before a value" err
run "all options that are wrong, and values beside them" 2 dialogue create A --titel x --panel-size ten --qestion=y --json=1 --draft
printf '%s\n' "conclave: unknown option '--titel'; did you mean '--title'?" "conclave: unknown option '--qestion'; did you mean '--question'?" \
    "conclave: option '--json' takes no value" "conclave: unknown option '--draft'; see 'conclave dialogue create --help'" >"$work/wrong"
head -4 "$err" | cmp -s "$work/wrong" -
ok $? "… each with its suggestion"
has "conclave: --panel-size: " err
run "a word of an option" 2 dialogue verdict-register x --type final
has "unknown option '--type'; did you mean '--verdict-type'?" err
run "standard input is not waited for" 2 dialogue respond x --contnt y --content -
run "all values that cannot be read" 1 mail send --from lee --to kim --data-value '{' --params '['
has "conclave: line 1:2: --data-value: expected a key" err
has "'--data-value' takes JSON or @FILE" err
has "conclave: line 1:2: --params: expected a value" err
run "all options that are wrong, of a command on files" 2 lint --fx --profile none x.md
has "did you mean '--fix'?" err
has "'none' is not a valid value of '--profile'" err
run "a misspelt topic" 2 help erors
has "did you mean 'errors'?" err
run "an unknown verb in help" 2 help dialogue exprt
has "did you mean 'export'?" err
run "an unknown option at the top" 2 --verbose
has "unknown option '--verbose'" err
run "an option of one command before it" 2 --limit 3 dialogue list
has "option '--limit' goes after the command; write: conclave dialogue list --limit 3" err
run "an option of one verb before it" 2 dialogue --limit=3 list
has "option '--limit=3' goes after the verb; write: conclave dialogue list --limit=3" err
run "an option of all commands, misspelt" 2 --jsno dialogue list
has "unknown option '--jsno'; did you mean '--json'?" err
run "options before the command, without one" 2 --root /tmp --json
is '.error_code == "usage" and (.message | contains("no command after")) and (.suggestion | contains("conclave --help"))'
run "an option before a command that has no such option" 2 --root /tmp man ask
has "unknown option '--root'" err
run "an option before the version" 0 --json --version
is '.version'
run "a misspelt option, as JSON" 2 dialogue create --titel x --json
silent err
is '.status == "error" and .error_code == "usage" and .suggestion == "did you mean '"'--title'"'?"'

# ---- projects ------------------------------------------------------------------------------------------

run "no project" 2 dialogue list
golden cli/no-project.txt err
mkdir -p in-the-way/below && : >in-the-way/.conclave
run "a file in the place of .conclave" 2 dialogue list --root in-the-way
has "in-the-way/.conclave' is not a folder; move it away" err
(cd in-the-way/below && "$conclave" dialogue list 2>&1) | grep -q "in-the-way/below' is not in a project: '.*in-the-way/.conclave' is not a folder"
ok $? "… from below it"
run "no project, as JSON" 2 dialogue list --json
is '.error_code == "not_found" and (.suggestion | contains("conclave init"))'
run "a root without a project" 2 dialogue list --root "$work"
has "is not a project: it has no .conclave; go to the project's folder" err
run "a root that is not there" 2 dialogue list --root "$work/none"
has "$work/none" err
run "a root without a name" 2 dialogue list --root ""
has "'' is not a project" err
for command in "dialogue list" watch serve "install claude"; do
    # shellcheck disable=SC2086 # a command has several words
    CONCLAVE_ROOT=$work/none run "$command: the variable names a folder that is not there" 2 $command
    has "CONCLAVE_ROOT names this folder: correct it" err
done

mkdir "$work/project" && cd "$work/project" || exit 1
run "init" 0 init
! on_sqlite || golden cli/init.txt
run "init again" 0 init --json
is '.status == "success" and .created == false and .root == "'"$work/project"'"'
run "init elsewhere" 0 init "$work/new/folder" --json
if on_sqlite; then
    is '.created and (.record | endswith("/new/folder/.conclave/conclave.db"))'
    [ -f "$work/new/folder/.conclave/conclave.db" ] && grep -qx 'conclave.db' "$work/new/folder/.conclave/.gitignore"
    ok $? "init elsewhere: a record that git ignores"
else
    skip "init elsewhere: a record that git ignores" "not with this engine"
fi
mkdir -p inner/folder
run "init in a project" 0 init inner/folder --json
is '.created and .warnings[0].type == "project_in_project" and (.warnings[0].message | contains("'"'$work/project'"'"))'
run "init in a project, again" 0 init inner/folder --json
is '.created == false and (has("warnings") | not)'
rm -r inner
echo "mine" >.conclave/.gitignore
run "init leaves what is there" 0 init
[ "$(cat .conclave/.gitignore)" = mine ]
ok $? "init leaves what is there: .gitignore is untouched"
echo file >"$work/file"
run "init on a file" 2 init "$work/file"
has "$work/file" err
run "init twice over" 2 init a b
has "unexpected argument 'b'" err

mkdir -p deep/er && cd deep/er || exit 1
run "a project above" 0 dialogue list --json
cd "$work/nowhere" || exit 1
run "a root as an option" 0 dialogue list --json --root "$work/project"
run "options before the command" 0 --json --root "$work/project" dialogue list
is '.dialogues == []'
run "options before the verb" 0 --json dialogue --root="$work/project" list
is '.dialogues == []'
run "options before the command, and text behind --" 1 --root "$work/project" --json dialogue show -- --root
is '.error_code == "scope_not_found" or .error_code == "dialogue_not_found"'
run "the option behind the command counts" 0 --root "$work/nowhere" dialogue list --root "$work/project"
CONCLAVE_ROOT=$work/project
export CONCLAVE_ROOT
run "a root in the environment" 0 dialogue list --json
run "the option wins" 2 dialogue list --root "$work/nowhere"
run "init where the variable says" 0 init
has "the folder is $work/project, because CONCLAVE_ROOT says so" err
run "init where an option says" 0 init --root "$work/project"
silent err
run "init where an argument says" 0 init "$work/project"
silent err
unset CONCLAVE_ROOT

# ---- flags ---------------------------------------------------------------------------------------------

cd "$work/project" || exit 1
run "flags" 0 dialogue create --title "Flags" --question="What for?" --panel-size 0 --strict-convergence --json
is '.status == "success" and .dialogue_id == "flags"'
run "the first field as an argument" 0 dialogue create "An argument" --json
is '.dialogue_id == "an-argument"'
run "a title that looks like an option" 0 dialogue create --json -- "--dashes--"
is '.dialogue_id == "dashes"'
run "an argument and its flag" 2 dialogue create "A" --title "B"
has "'--title' is given twice" err
run "two arguments" 2 dialogue create An argument
has "unexpected argument 'argument'; 'An' was taken for --title: put quotes around a text with spaces" err
run "no arguments at all" 2 chat list x
has "all values are given with options here" err
run "behind a text" 2 dialogue create "A text" more
has "all values after --title are given with options" err
run "an argument in the place of the one before" 1 dialogue expand T0001
has "--ids is required: items: P0101, MUFFIN-P0101, @muffin, round-1, final; 'T0001' was taken for --dialogue-id" err
run "a member is named once" 1 mail plan --from nobody --tasks '[{"task_id": "a"}]'
has "--tasks [0].action is missing or empty" err
run "a flag twice" 2 dialogue create A --panel-size 1 --panel-size 2
has "'--panel-size' is given twice" err
has "it takes one value" err
mkdir -p "$work/lists" && cd "$work/lists" && "$conclave" init >/dev/null && nvidia
run "a list with commas" 0 dialogue search collar --kinds "tension, recommendation,," --statuses open,proposed,amended,adopted --json
cp "$out" "$work/commas"
run "the same list, repeated" 0 dialogue search collar --kinds tension --kinds recommendation --statuses open --statuses proposed --statuses amended,adopted --json
is '.count > 0'
cmp -s "$out" "$work/commas"
ok $? "both forms are one"
run "ids with commas" 0 dialogue expand nvidia-decision P0001,T0001 R0001 --json
is '[.items[].id] == ["P0001", "T0001", "R0001"]'
run "nothing but commas" 1 dialogue search collar --kinds ,, --json
is '.field == "kinds[0]"'
"$conclave" dialogue create Texts >/dev/null
run "texts may have commas" 0 dialogue verdict-register texts --verdict-id final --verdict-type final --recommendation r --description d --conditions "first, second" --conditions third --force --warning w --json
run "they are kept" 0 dialogue export texts --output-path -
is '.verdicts[0].conditions == ["first, second", "third"]'
cd "$work/project" || exit 1
run "a flag without its value" 2 dialogue create --title
has "option '--title' needs a value: --title TEXT" err
run "a switch with a value" 2 dialogue create A --strict-convergence=yes
has "option '--strict-convergence' takes no value" err
run "a switch turned off" 0 dialogue create "Off" --no-strict-convergence --json
run "only switches can be turned off" 2 dialogue create A --no-title
has "unknown option '--no-title'" err
run "numbers and words are checked together" 1 dialogue create A --panel-size eight --rotation ful --seed 1.5
golden cli/bad-flags.txt err
run "one expert twice" 1 dialogue create Pool --expert "Baker: rye" --expert "Baker: wheat"
has "--expert [1].role: the pool has this role twice" err
run "more answers than experts" 1 ask "Rye?" --expert Baker --agent true --quorum 5
has "--quorum: the panel has 1 expert, so 5 cannot answer" err
run "more answers than a panel has" 1 ask "Rye?" --panel architecture-review --expert Baker --agent true --quorum 9
has "--quorum: the panel has 8 experts, so 9 cannot answer" err
run "an empty question" 1 ask "" --expert Baker --agent true
! grep -q -e "--title" "$work/err"
ok $? "an empty question: the title, which was not given, is not told"
run "a file that is there" 0 backup there.db
run "a file that is there: how to replace it" 1 backup there.db
has "replace it with --force" err
run "an object as JSON" 0 dialogue create "Background" --background '{"subject":"S"}' --json
echo '{"subject":"from a file"}' >background.json
run "an object from a file" 0 dialogue create "From a file" --background @background.json --json
run "an object that is none" 2 dialogue create A --background '{subject}'
golden cli/bad-json-flag.txt err
run "a file that is not there" 2 dialogue create A --background @none.json
has "none.json" err
run "text that is no UTF-8" 2 dialogue create "$(printf 'a\377')"
has "title: " err

# ---- --data --------------------------------------------------------------------------------------------

echo '{"title": "Data from a file", "question": "Q"}' >data.json
run "data from a file" 0 dialogue create --data @data.json --json
is '.dialogue_id == "data-from-a-file"'
run "data as text" 0 dialogue create --data '{"title": "Data as text"}' --json
is '.dialogue_id == "data-as-text"'
run "flags over data" 0 dialogue create "Over data" --data @data.json --json
is '.dialogue_id == "over-data"'
echo '{"title": "Data from a pipe"}' | "$conclave" dialogue create --data - --json >"$out"
name="data from standard input"
is '.dialogue_id == "data-from-a-pipe"'

cat >bad.json <<'END'
{
  "titel": "x",
  "panel_size": -1,
  "expert_pool": {"domain": 7, "experts": [{"role": "R", "tier": "Core", "relevance": 2, "moood": 1}]}
}
END
run "faults" 1 dialogue create --data @bad.json
golden cli/faults.txt err
silent out
run "faults, as JSON" 1 dialogue create --data @bad.json --json
golden cli/faults.json
silent err
run "faults with flags have no place" 1 dialogue create "T" --data @bad.json
has "conclave: titel: unknown field" err
run "one fault, as JSON" 1 dialogue create --data '{"question": "x"}' --json
golden cli/fault.json
run "a fault of a batch" 1 dialogue round-register x --round many --json
is '.error_code == "batch_validation_failed" and any(.errors[]; .field == "round" and .error_code == "invalid_value") and (.suggestion | test("resubmit"))'
run "data that is no JSON" 2 dialogue create --data '{"title": }'
golden cli/bad-data.txt err
run "data that is no object" 1 dialogue create --data '[1]'
has "--data must be a JSON object, found: array" err
echo '{"title": "a", "title": "b"}' >twice.json
run "a field twice" 2 dialogue create --data @twice.json
has "twice.json:1:" err
run "a NUL" 1 dialogue create --data '{"title": "a\u0000b"}'
has "title: the text has a NUL character" err
run "a number that is not whole" 1 dialogue round-register x --round 1.0
has "round: expected a whole number, found 1.0" err
run "too deep" 2 dialogue create A --background "$(printf '[%.0s' $(seq 200))"
has "deeper than 128 levels" err

# ---- replies -------------------------------------------------------------------------------------------

run "a reply for people" 0 dialogue list
has "data-from-a-file"
long=$(printf 'very long title %.0s' $(seq 12))
run "a long title" 0 dialogue create "$long"
run "a reply in a pipe is not cut" 0 dialogue list
has "$(echo $long)"
grep -q "…" "$out"
[ $? -eq 1 ]
ok $? "a reply in a pipe is not cut: no ellipsis"
if command -v script >/dev/null; then
    TERM=dumb script -qec "'$conclave' dialogue list" /dev/null >"$out" 2>&1 </dev/null
    grep -q "$(printf '\033')" "$out"
    [ $? -eq 1 ]
    ok $? "a dumb terminal: no colours"
fi
run "a reply for programs" 0 dialogue list --json
is '.dialogues | length > 5'
if [ -w /dev/full ]; then
    "$conclave" dialogue list >/dev/full 2>"$err"
    [ $? -eq 2 ]
    ok $? "a full disk: exit status 2"
    name="a full disk"
    has "cannot write to standard output" err
    "$conclave" --version >/dev/full 2>"$err"
    [ $? -eq 2 ]
    ok $? "a full disk: the version too"

    "$conclave" dialogue create "Full" >/dev/full 2>"$err"
    [ $? -eq 2 ]
    ok $? "a full disk after a write: exit status 2"
    name="a full disk after a write"
    has "the request was carried out (dialogue_id full, title Full, " err
    has "rev 1), but its answer could not be written: No space left on device" err
    has "'conclave dialogue show full' shows it" err
    "$conclave" dialogue round-register full --round 0 --score 1 --dry-run >/dev/full 2>"$err"
    name="a full disk after a check"
    has "cannot write to standard output" err
    "$conclave" dialogue round-register full --round 0 --score 1 --json >/dev/full 2>"$err"
    name="a full disk after a round"
    has "the request was carried out (dialogue_id full, round 0, " err
    has "rev 2), but" err
    has "send the same request again to see the answer" err
    run "a full disk after a round: asked again" 0 dialogue round-register full --round 0 --score 1 --json
    is '.rev == 2 and .replayed'
fi
finish
