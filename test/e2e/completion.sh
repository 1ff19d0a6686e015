#!/bin/sh
# completion.sh - what the shells are told, and bash driven for real.
. "$(dirname "$0")/lib.sh"
mkdir "$work/bin" && ln -s "$conclave" "$work/bin/conclave"
PATH=$work/bin:$PATH
export PATH
project
nvidia
mkdir folder && echo '{}' >round.json && echo '{}' >"two words.json"

# words NAME EXPECTED WORD...: the words offered, without what they mean, on one line.
words() {
    name=$1 wanted=$2
    shift 2
    "$conclave" completion words -- "$@" 2>"$err" | cut -f 1 | tr '\n' ' ' | sed 's/ *$//' >"$out"
    [ "$(cat "$out")" = "$wanted" ] || { echo "#   wanted: $wanted"; echo "#   found:  $(cat "$out")"; }
    [ "$(cat "$out")" = "$wanted" ] && [ ! -s "$err" ]
    ok $? "words: $name"
}
words "a room" "dialogue" dial
words "a verb" "expand" dialogue expa
words "an option" "--format --focus" dialogue graph nvidia-decision --fo
words "both sides of a switch" "--no-verdicts --no-experts --no-moves" dialogue graph --no-
words "choices" "json mermaid dot text" dialogue graph nvidia-decision --format ""
words "a choice behind =" "--format=mermaid" dialogue graph --format=m
words "dialogues" "nvidia-decision" dialogue get ""
words "dialogues behind their option" "nvidia-decision" dialogue get --dialogue-id nv
words "ids" "R0001 R0101" dialogue expand nvidia-decision P0001 R
words "experts as ids" "@muffin @macaron" dialogue history nvidia-decision @m
words "ids with the dialogue behind its option" "T0001 T0002 T0003 T0101" dialogue graph --dialogue-id=nvidia-decision --focus T
words "files for data" ":files 0 @" dialogue create --data ""
words "files behind @" ":files 1" dialogue create --data @ro
words "files behind = and @" ":files 8" dialogue create --data=@ro
words "a text that may be a file" ":files 1" dialogue respond nvidia-decision --content @r
words "folders" ":folders 0" dialogue list --root ""
words "a path" ":files 0" backup ""
words "files of commands on files" ":files 0" lint ""
words "options behind -- are none" "" dialogue get -- --js
words "nothing more to say" "" dialogue get nvidia-decision ""
words "a command that is none" "" sing ""
words "help" "errors" help err
words "shells" "bash zsh fish" completion ""
words "clients" "claude cursor vscode codex" install ""
words "a client" "cursor" install --dry-run cu
words "one client only" "" install cursor ""
words "an expert" "muffin macaron" dialogue respond nvidia-decision --expert m
words "an expert behind =" "--expert=donut" dialogue respond --dialogue-id nvidia-decision --expert=do
words "several experts" "donut" dialogue panel-sample nvidia-decision --retain muffin --retain do
words "no expert of no dialogue" "" dialogue respond --expert m
words "tensions of a verdict" "T0001 T0002 T0003 T0101" dialogue verdict-register nvidia-decision --tensions-resolved T
words "all that are compared" "nvidia-decision" dialogue compare nvidia-decision nv
words "dialogues to leave out" "nvidia-decision" dialogue similar "Swap?" --exclude n
words "a text is no id" "" dialogue expert-create nvidia-decision --focus T
words "a switch that says no" "--no-contribution" dialogue respond nvidia-decision --no-co
words "pages" "expand" man dialogue expan
words "a command behind options" "dialogue" --json --root "$PWD" dial
words "folders before the command" ":folders 0" --root ""
words "what is in the project before the command" "nvidia-decision" --root "$PWD" dialogue get nv
words "options before the command" "--root" --ro
words "hostile" "" dialogue get '"'
words "nothing" "" dialogue expand "no such" "P"
(cd / && "$conclave" completion words -- dialogue get "") >"$out" 2>"$err"
ok $? "no project: no complaint"
name="no project"
silent
silent err
words "another project" "nvidia-decision" dialogue get --root "$work/project" ""

# ---- all commands and options -------------------------------------------------------------------------
"$conclave" help --json >help.json
jq -r '.commands[] | [.room, .verb] | map(select(. != "")) | join(" ")' help.json >commands
missing=0
while read -r command; do
    "$conclave" completion words -- $command -- | cut -f 1 | sort >"$work/offered"
    jq -r --arg c "$command" '.commands[] | select(([.room, .verb] | map(select(. != "")) | join(" ")) == $c) | .options[]
        | "--" + .name, (if .negatable then "--no-" + .name else empty end)' help.json | sort >"$work/options"
    cmp -s "$work/options" "$work/offered" || { echo "#   $command"; diff "$work/options" "$work/offered" | sed 's/^/#   /'; missing=1; }
done <commands
ok "$missing" "the options of all $(wc -l <commands) commands are those of the help"
{ jq -r '.commands[] | select(.room == "") | .verb' help.json; jq -r '[.commands[].room | select(. != "")] | unique[]' help.json; echo help; } | sort >"$work/top"
"$conclave" completion words -- "" | cut -f 1 | sort >"$work/offered"
cmp -s "$work/top" "$work/offered"
ok $? "all commands and rooms are offered first"

# ---- the scripts ---------------------------------------------------------------------------------------
run "a misspelt shell" 2 completion bsh
has "did you mean 'bash'?" err
run "which shell" 2 completion
has "which shell? (valid: bash, zsh, fish)" err
run "no such shell" 2 completion tcsh
for shell in bash zsh fish; do
    run "$shell" 0 completion $shell
    cp "$out" "$work/script.$shell"
    if command -v $shell >/dev/null; then
        $shell -n "$work/script.$shell" >"$err" 2>&1
        ok $? "$shell reads its script"
    else
        skip "$shell reads its script" "there is no $shell"
    fi
done

# bash_says NAME EXPECTED LINE WORD...: what bash puts in the place of the last word, as it splits the line itself.
bash_says() {
    name=$1 wanted=$2 line=$3
    shift 3
    bash -c 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _conclave
        printf "%s|" "${COMPREPLY[@]}"' - "$work/script.bash" "$line" "$@" >"$out" 2>"$err"
    [ "$(cat "$out")" = "$wanted" ] || { echo "#   wanted: $wanted"; echo "#   found:  $(cat "$out")"; sed 's/^/#   /' "$err"; }
    [ "$(cat "$out")" = "$wanted" ] && [ ! -s "$err" ]
    ok $? "bash: $name"
}
bash_says "a verb" "expand|" "conclave dialogue expa" conclave dialogue expa
bash_says "the next word" "nvidia-decision|" "conclave dialogue get " conclave dialogue get ""
bash_says "an option" "--format|--focus|" "conclave dialogue graph --fo" conclave dialogue graph --fo
bash_says "a choice" "mermaid|" "conclave dialogue graph --format m" conclave dialogue graph --format m
bash_says "a choice behind =" "mermaid|" "conclave dialogue graph --format=m" conclave dialogue graph --format = m
bash_says "all choices behind =" "json|mermaid|dot|text|" "conclave dialogue graph --format=" conclave dialogue graph --format =
bash_says "an expert" "muffin|" "conclave dialogue history nvidia-decision @mu" conclave dialogue history nvidia-decision @ mu
bash_says "a file behind @" "round.json|" "conclave dialogue create --data @ro" conclave dialogue create --data @ ro
bash_says "a file behind = and @" "round.json|" "conclave dialogue create --data=@ro" conclave dialogue create --data = @ ro
bash_says "a file with a blank" "two words.json|" "conclave lint two" conclave lint two
mkdir "$work/other" && cd "$work/other" && echo '{}' >only.json
bash_says "files for data" "@only.json|" "conclave dialogue create --data " conclave dialogue create --data ""
cd "$work/project" || exit 1
bash_says "folders only" "folder|" "conclave dialogue list --root f" conclave dialogue list --root f
bash_says "a client" "claude|cursor|vscode|codex|" "conclave install " conclave install ""
bash_says "an expert of the dialogue" "muffin|macaron|" "conclave dialogue respond nvidia-decision --expert m" \
    conclave dialogue respond nvidia-decision --expert m
bash_says "nothing" "|" "conclave sing " conclave sing ""

# fish_says NAME EXPECTED LINE: what fish offers for the line, without what it means.
fish_says() {
    name=$1 wanted=$2
    if ! command -v fish >/dev/null; then
        skip "fish: $name" "there is no fish"
        return
    fi
    HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$work/script.fish" "$3" 2>"$err" |
        cut -f 1 | tr '\n' '|' >"$out"
    [ "$(cat "$out")" = "$wanted" ] || { echo "#   wanted: $wanted"; echo "#   found:  $(cat "$out")"; sed 's/^/#   /' "$err"; }
    [ "$(cat "$out")" = "$wanted" ]
    ok $? "fish: $name"
}
fish_says "a verb" "expand|" "conclave dialogue expa"
fish_says "dialogues" "nvidia-decision|" "conclave dialogue get "
fish_says "a choice" "mermaid|" "conclave dialogue graph --format m"
fish_says "clients, as fish sorts them" "claude|codex|cursor|vscode|" "conclave install "
fish_says "an expert" "donut|" "conclave dialogue respond nvidia-decision --expert do"
fish_says "ids" "R0001|R0101|" "conclave dialogue expand nvidia-decision R"
fish_says "a file behind @" "@round.json|" "conclave dialogue create --data @ro"
finish
