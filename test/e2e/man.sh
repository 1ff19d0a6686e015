#!/bin/sh
# man.sh - manual pages: every command has one, every option is in it, and they render without a warning.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

run "a page" 0 man dialogue expand
sed 's/"conclave [^"]*"/"conclave VERSION"/' "$out" >"$work/page" && cp "$work/page" "$out"
golden man/expand.1
run "a room" 0 man dialogue
has ".SH VERBS"
run "all" 0 man
has 'conclave\-dialogue\-expand'
run "a command at the top" 0 man lint
has ".SH EXAMPLES"
cp "$out" "$work/lint.1"
run "by the name that it is installed under" 0 man conclave-lint
cmp -s "$out" "$work/lint.1"
ok $? "by the name that it is installed under: the same page"
"$conclave" man dialogue create >"$work/create.1"
for page in conclave-dialogue-create dialogue-create "conclave dialogue create"; do
    run "a verb as '$page'" 0 man $page
    cmp -s "$out" "$work/create.1"
    ok $? "a verb as '$page': the same page"
done
"$conclave" man >"$work/all.1"
run "the program by its name" 0 man conclave
cmp -s "$out" "$work/all.1"
ok $? "the program by its name: the page of all commands"
run "a room by its page" 0 man conclave-dialogue
has ".SH VERBS"
run "no such page" 2 man dialogue sing
has "there is no page 'conclave-dialogue-sing'; 'conclave --help' lists the commands" err
run "no such command" 2 man sing
has "there is no page 'conclave-sing'" err
run "a misspelt page" 2 man dialogue-crate
has "did you mean 'create'?" err
run "too much" 2 man lint lint lint
run "every page" 0 man --all pages
silent
run "every page into nowhere" 2 man --all no/such/folder

"$conclave" help --json >help.json
jq -r '.commands[] | "conclave" + (if .room == "" then "" else "-" + .room end) + "-" + .verb' help.json >wanted
{ cat wanted; echo conclave; jq -r '[.commands[].room | select(. != "")] | unique[] | "conclave-" + .' help.json; } | sort -u >names
ls pages | sed 's/\.1$//' | sort >found
diff names found >"$out"
ok $? "one page for every command, the rooms and the program"

# Options, as the pages write them, and the summaries of all commands.
jq -r '.commands[] | ("conclave" + (if .room == "" then "" else "-" + .room end) + "-" + .verb) as $page
    | .options[] | $page + " " + (if .negatable then "--[no-]" else "--" end) + .name' help.json >options
awk '{ page = "pages/" $1 ".1"; option = $2; gsub(/-/, "\\-", option)
    if (page != last) {
        text = ""
        while ((getline line <page) > 0) text = text line "\n"
        close(page); last = page
    }
    if (!index(text, "\\fB" option "\\fR")) print "#   " $1 " lacks " $2 }' options >missing
cat missing
[ ! -s missing ] && [ "$(wc -l <options)" -gt 100 ]
ok $? "every option of the help stands in its page"

check() { # check PROGRAM COMMAND...: it says nothing about any page
    if command -v "$1" >/dev/null; then
        "$@" pages/*.1 >"$out" 2>&1
        name="$*"
        silent
    else
        skip "$*" "there is no $1"
    fi
}
check groff -man -Tutf8 -ww -z
check mandoc -T lint -W error
if command -v mandoc >/dev/null; then
    mandoc -T utf8 pages/conclave-dialogue-expand.1 | sed 's/.\x08//g' >"$out"
    name="as it is read"
    has "--dialogue-id DIALOGUE"
    has "conclave dialogue expand nvidia-decision P0001 R0001"
fi
cp -r pages again && "$conclave" man --all again && diff -r pages again >"$out"
ok $? "the same program gives the same pages"
finish
