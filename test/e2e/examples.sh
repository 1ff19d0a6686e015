#!/bin/sh
# examples.sh - the examples in the help of every operation run, in the order of the help, in one project with the files
# of examples/.
. "$(dirname "$0")/lib.sh"
mkdir "$work/bin" && ln -s "$conclave" "$work/bin/conclave"
PATH=$work/bin:$PATH
export PATH
project
cp -r "$root"/examples/nvidia-decision/* "$root/examples/dialogues" "$root/examples/decision.dialogue.md" "$root/examples/agents.json" .
mkdir -p decisions docs
echo "# Readme" >README.md && printf '# Garden\n\n## Herbs\n\nMint.\n' >docs/garden.md
git init -q . 2>/dev/null

"$conclave" dialogue create --data @dialogue.json >"$out" 2>"$err"
ok $? "the dialogue of the examples"

# The project's commands: init first, then who can act, the others after all that is written.
"$conclave" help --json | jq -r '[.commands[] | select(.operation)] |
    (map(select(.verb == "init")) + map(select(.room == "agent")) + map(select(.room != "" and .room != "agent")) + map(select(.room == "" and .verb != "init")))[] | .examples | rtrimstr("\n")' \
    >"$work/examples"
# A server of the tests stands for the one of the examples; another schema for each project.
server=$root/test/postgres/server
! "$server" available 2>/dev/null || fresh_store
while read -r line; do
    case $line in
    *postgresql://*)
        [ -n "${store-}" ] || { skip "$line" "no PostgreSQL" && continue; }
        case $line in *init*) there=${store}_team ;; *) there=$store ;; esac
        line=$(echo "$line" | sed "s|postgresql://[^ ]*|'$(echo "$there" | sed 's/&/\\&/g')'|")
        ;;
    esac
    sh -c "$line" >"$out" 2>"$err" </dev/null
    status=$?
    [ "$status" -eq 0 ] || sed 's/^/#   /' "$out" "$err"
    ok "$status" "$line"
done <"$work/examples"
finish
