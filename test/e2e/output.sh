#!/bin/sh
# output.sh - what is printed, whatever was given: JSON is valid UTF-8 without raw control characters, no text steers a
# terminal, and an answer that cannot be written says what was done. Commands and options come from the help: a
# sixteenth of the options and one of the ways in which an answer is lost, drawn by CV_SEED; CV_SOAK tries all of them and
# more bytes.
. "$(dirname "$0")/lib.sh"
project
nvidia
for i in 1 2 3; do printf 'What is said\n\n[MUFFIN-P0101: Label %s]\nContent\n' "$i" >"response-$i.md"; done
cp "$root/examples/decision.dialogue.md" .

# is_json: the last output is JSON (any number of documents), and UTF-8.
is_json() { iconv -f UTF-8 -t UTF-8 "$out" >/dev/null 2>&1 && [ -s "$out" ] && jq -r . "$out" >/dev/null 2>&1; }

# "room verb" or "command", one per line.
"$conclave" help --json >"$work/help.json"
jq -r '.commands[] | [.room, .verb // .name] | map(select(. and . != "")) | join(" ")' "$work/help.json" >"$work/commands"
# "command: option", one per line.
jq -r '.commands[] | ([.room, .verb // .name] | map(select(. and . != "")) | join(" ")) + ": " + .options[].name' \
    "$work/help.json" >"$work/options"

# usual COMMAND: arguments with which it does its work here.
usual() {
    case $1 in
    init) echo "--dir made" ;;
    import) echo "decision.dialogue.md" ;;
    backup) echo "copy-$made.db" ;;
    verify | doctor | spec | man | "dialogue list" | "dialogue stats") ;;
    "dialogue create") echo "Another-$made" ;;
    "dialogue search" | "dialogue similar") echo "collar" ;;
    "dialogue compare") echo "nvidia-decision nvidia-decision" ;;
    "dialogue expand") echo "nvidia-decision P0001" ;;
    "dialogue abandon") echo "another-1" ;;
    "dialogue export") echo "nvidia-decision --output-path export-$made.json" ;;
    "dialogue "*) echo "nvidia-decision" ;;
    lint | parse) echo "decision.dialogue.md" ;;
    render) echo "parsed.json" ;;
    mcp) ;;
    serve) echo "--port 99999" ;;
    install) echo "claude --dry-run" ;;
    completion) echo "bash" ;;
    *) ok 1 "no arguments are known here for '$1'" ;;
    esac
}
"$conclave" parse decision.dialogue.md >parsed.json

# ---- bytes that are not UTF-8 -------------------------------------------------------------------------------------
# drawn [N]: true for one in N (16), always in the soak.
random=${CV_SEED:-1}
drawn() {
    random=$(((random * 1103515245 + 12345) % 2147483648))
    [ -n "${CV_SOAK-}" ] || [ $((random / 65536 % ${1:-16})) -eq 0 ]
}
faults="" tried=0
bad=$(printf 'a\377b')
set -- "$bad"
[ -z "${CV_SOAK-}" ] || set -- "$bad" "$(printf '\300\257')" "$(printf '\355\240\200')" "$(printf '\365\200')" "$(printf 'x\342\202')" "$(printf '@\377')"
for value; do
    while read -r command; do
        for option in "" argument $(sed -n "s/^$command: //p" "$work/options"); do
            case "$command $option" in
            "serve "*) more="--port 99999" ;;
            "watch " | "watch argument" | "open " | "open argument") more="" ;;
            "watch "* | "open "*) continue ;; # they go on until they are ended
            *) more="" ;;
            esac
            case $option in
            help | schema | json) continue ;;
            "") set -- "$value" ;;
            argument)
                drawn || continue
                set -- x "$value"
                ;;
            *)
                drawn || continue
                set -- "--$option=$value"
                ;;
            esac
            tried=$((tried + 1))
            # shellcheck disable=SC2086
            "$conclave" $command "$@" $more --json >"$out" 2>"$err" </dev/null
            status=$?
            [ "$status" -lt 3 ] || faults="$faults; $command --$option: status $status"
            { [ "$status" -eq 0 ] && [ ! -s "$out" ]; } || [ "$command" = completion ] || [ "$command" = man ] || is_json ||
                faults="$faults; $command --$option: no JSON"
            iconv -f UTF-8 -t UTF-8 "$err" >/dev/null 2>&1 || faults="$faults; $command --$option: stderr"
        done
    done <"$work/commands"
done
[ -z "$faults" ] || echo "#   $faults"
[ -z "$faults" ] && [ "$tried" -gt "$(wc -l <"$work/commands")" ]
ok $? "every command and option answers bytes that are not UTF-8 with JSON ($tried tried)"

# A folder and files with such names, as the project, the current folder, an argument, a variable.
odd=$(printf '%s/odd\377\033[31m\302\233' "$work")
mkdir "$odd" && cp decision.dialogue.md "$odd/$(printf 'bad\376.dialogue.md')"
mkdir "$odd/deeper"
cd "$odd" || exit 1
name="a project in a folder that is not UTF-8"
faults=""
for line in "init" "dialogue create Odd" "dialogue list" "import ." "doctor" "verify" "lint ." "parse $(printf 'bad\376.dialogue.md')" \
    "backup $(printf 'b\376.db')" "dialogue export odd" "dialogue transcript odd --write" "dialogue get no" "install claude" \
    "install codex" "install claude --undo" "lint --format=sarif ." "lint missing" "import missing" "dialogue round-prompts odd --write"; do
    # shellcheck disable=SC2086
    "$conclave" $line --json >"$out" 2>"$err"
    status=$?
    { [ "$status" -lt 3 ] && is_json; } || faults="$faults; $line: status $status, $(head -c 200 "$out")"
    ! LC_ALL=C grep -q "$(printf '[\033\377\376]')" "$out" "$err" || faults="$faults; $line: raw bytes"
    # shellcheck disable=SC2086
    "$conclave" $line >/dev/null 2>"$err"
    ! LC_ALL=C grep -q "$(printf '[\033\377\376]')" "$err" || faults="$faults; $line: raw bytes for people"
done
[ -z "$faults" ] || echo "#   $faults"
[ -z "$faults" ]
ok $? "$name: every answer is JSON"
cd "$work/project" || exit 1
CONCLAVE_ROOT=$odd "$conclave" dialogue list --json >"$out" 2>"$err"
is_json
ok $? "$name: named by CONCLAVE_ROOT"
CONCLAVE_ROOT=$odd-none "$conclave" dialogue list --json >"$out" 2>"$err"
is_json
ok $? "$name: one that is not there"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"conclave_doctor","arguments":{}}}' \
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"blue_dialogue_get","arguments":{"dialogue_id":"none"}}}' >"$work/calls"
for folder in "$odd" "$odd/deeper"; do
    "$conclave" mcp --tools all --root "$folder" <"$work/calls" >"$out" 2>"$err"
    is_json
    ok $? "$name: over MCP"
done

# ---- control characters -------------------------------------------------------------------------------------------
# Every code point of C0, DEL, C1 and those that turn the direction of writing.
controls=$(jq -nr '[range(1;32), range(127;160), range(8234;8239), range(8294;8298)] - [10, 13, 9] | map(.) | implode')
jq -n --arg c "$controls" '{title: "Controls", question: "x\($c)y"}' >"$work/create.json"
run "control characters" 0 dialogue create --data @"$work/create.json" --json
run "control characters, read" 0 dialogue get "$(jq -r .dialogue_id "$out")" --json
is_raw() { LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]' "$1"; }
! is_raw "$out"
ok $? "$name: escaped in JSON"
jq -e --arg c "$controls" '[.. | strings | select(. == "x\($c)y")] | length > 0' "$out" >/dev/null
ok $? "$name: the same text, once the JSON is read"
"$conclave" dialogue export controls --output-path - >"$work/export.json"
"$conclave" dialogue export controls --output-path "$work/file.json" >/dev/null
cmp -s "$work/export.json" "$work/file.json"
ok $? "$name: an export through a pipe has the bytes of the file"
printf '# Controls\n\n## Round 1\n\n### MUFFIN\n\nx%sy\n' "$controls" >controls.dialogue.md
if command -v script >/dev/null; then
    faults=""
    while read -r line; do
        script -qec "env TERM=dumb '$conclave' $line" /dev/null </dev/null 2>&1 | tr -d '\r' >"$out"
        ! is_raw "$out" || faults="$faults; $line"
    done <<-LINES
	dialogue get controls
	dialogue get controls --json
	dialogue export controls --output-path -
	dialogue transcript controls
	dialogue transcript controls --json
	dialogue round-prompts controls
	parse controls.dialogue.md
	lint controls.dialogue.md
	lint --json controls.dialogue.md
	lint --fix --dry-run controls.dialogue.md
	render '$work/controls.json'
	dialogue get '$(printf 'no\302\233such')'
	'$(printf 'no\302\233such')'
	dialogue list --root '$(printf 'no\302\233such')'
	LINES
    [ -z "$faults" ] || echo "#   $faults"
    [ -z "$faults" ]
    ok $? "control characters: none reaches a terminal"
    for line in "lint nowhere.dialogue.md" "parse nowhere.dialogue.md" "notes lint nowhere.dialogue.md"; do
        COLUMNS=80 script -qec "'$conclave' $line" /dev/null </dev/null 2>&1 | tr -d '\r' >"$out"
        grep -q nowhere "$out" && ! grep -E '^.{81}' "$out"
        ok $? "$line: an error fits the terminal"
    done
    printf '# D\n\n## Alignment Scoreboard\n\n| Agent | Wisdom | Consistency | Truth | Relationships | Total | %s |\n|---|---|\n\n## Expert Panel\n\nRound 1\n[RE:NOTHING P01]\n[TENSION T1: %s]\n' \
        "$(printf 'long %060d' 1)" "$(printf 'far too long %090d' 1)" >long.dialogue.md
    "$conclave" lint long.dialogue.md >"$work/piped"
    for columns in 60 80; do
        COLUMNS=$columns script -qec "'$conclave' lint long.dialogue.md" /dev/null </dev/null 2>&1 | tr -d '\r' |
            sed 's/\x1b\[[0-9;]*m//g' >"$out"
        grep -q '^long.dialogue.md:[0-9]*:[0-9]*: ' "$out" && grep -q '^        [^ ]' "$out" &&
            ! LC_ALL=C.UTF-8 grep -E "^.{$((columns + 1))}" "$out"
        ok $? "lint: findings fit $columns columns"
    done
    COLUMNS=40 "$conclave" lint long.dialogue.md | cmp -s - "$work/piped"
    ok $? "lint: a pipe gets each finding as one line"
    COLUMNS=80 script -qec "'$conclave' lint --rules" /dev/null </dev/null 2>&1 | tr -d '\r' >"$out"
    grep -q '^converged-open  ' "$out" && ! grep -E '^.{81}' "$out"
    ok $? "lint --rules: the rules fit the terminal"
fi
"$conclave" parse controls.dialogue.md >"$work/controls.json"
"$conclave" render "$work/controls.json" | LC_ALL=C grep -qF "$controls"
ok $? "control characters: a document goes through a pipe as it is"

# ---- an answer that cannot be written -----------------------------------------------------------------------------
# Standard output is full; a pipe that nobody reads; closed.
made=0
mkfifo "$work/pipe"
exec 3<>"$work/pipe" 4>"$work/pipe" 3<&-
for way in full pipe closed; do
    [ "$way" != full ] || [ -w /dev/full ] || continue
    faults=""
    while read -r command; do
        drawn 3 || continue
        made=$((made + 1))
        # shellcheck disable=SC2046,SC2086
        set -- $command $(usual "$command")
        case $way in
        full) "$conclave" "$@" >/dev/full 2>"$err" </dev/null ;;
        pipe) "$conclave" "$@" >&4 2>"$err" </dev/null ;;
        closed) "$conclave" "$@" >&- 2>"$err" </dev/null ;;
        esac
        status=$?
        # A reader who leaves is no fault of a command that only reads.
        { [ "$way" = pipe ] && [ "$status" -eq 141 ] && [ ! -s "$err" ]; } || { [ "$command" = mcp ] && [ "$status" -eq 0 ]; } || { [ "$status" -eq 1 ] || [ "$status" -eq 2 ] && [ -s "$err" ]; } ||
            faults="$faults; $command: status $status, $(head -c 200 "$err")"
    done <"$work/commands"
    [ -z "$faults" ] || echo "#   $faults"
    [ -z "$faults" ]
    ok $? "standard output is $way: every command says so, or ends with the status of a closed pipe"

    name="standard output is $way, after a write"
    case $way in
    full) "$conclave" dialogue create "Lost $way" --json >/dev/full 2>"$err" ;;
    pipe) "$conclave" dialogue create "Lost $way" --json >&4 2>"$err" ;;
    closed) "$conclave" dialogue create "Lost $way" --json >&- 2>"$err" ;;
    esac
    [ $? -eq 2 ]
    ok $? "$name: exit status 2"
    has "the request was carried out (" err
    has "dialogue_id lost-$way" err
    has "rev 1" err
    has "could not be written" err
    run "$name: it is there" 0 dialogue get "lost-$way" --json

    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"blue_dialogue_create\",\"arguments\":{\"title\":\"Told $way\"}}}" >"$work/calls"
    name="standard output is $way, over MCP"
    case $way in
    full) "$conclave" mcp <"$work/calls" >/dev/full 2>"$err" ;;
    pipe) "$conclave" mcp <"$work/calls" >&4 2>"$err" ;;
    closed) "$conclave" mcp <"$work/calls" >&- 2>"$err" ;;
    esac
    [ $? -eq 2 ]
    ok $? "$name: exit status 2"
    has "cannot write to standard output" err
    if "$conclave" dialogue get "told-$way" >/dev/null 2>&1; then
        has "told-$way" err
    fi
done
exec 4>&-
finish
