#!/bin/sh
# install.sh - clients are set up and left as they were: every client, both scopes, files that are somebody else's.
. "$(dirname "$0")/lib.sh"
HOME=$work/home
export HOME
mkdir "$HOME"
project
config_of() {
    case $1:$2 in
    claude:project) echo .mcp.json ;;
    claude:user) echo "$HOME/.claude.json" ;;
    cursor:project) echo .cursor/mcp.json ;;
    cursor:user) echo "$HOME/.cursor/mcp.json" ;;
    vscode:project) echo .vscode/mcp.json ;;
    vscode:user) echo "$HOME/.config/Code/User/mcp.json" ;;
    codex:project) echo .codex/config.toml ;;
    codex:user) echo "$HOME/.codex/config.toml" ;;
    esac
}
# everything: all files below the project and the home folder, with their bytes
everything() { (cd "$work" && find home project -type f ! -path '*/.conclave/*' -exec md5sum {} + | sort -k 2); }
same() {
    everything >"$work/now"
    diff "$1" "$work/now" | sed 's/^/#   /'
    cmp -s "$1" "$work/now"
    ok $? "$2"
}

# How many skills the rooms have: those of the program's own list, one file each.
run "which skills there are" 0 install claude --dry-run --json
skills=$(jq '[.files[] | select(.path | endswith("SKILL.md"))] | length' "$out")
[ "$skills" -ge 2 ]
ok $? "there are skills"
everything >"$work/nothing"
for scope in project user; do
    for client in claude cursor vscode codex; do
        config=$(config_of $client $scope)
        run "$client, $scope, dry run" 0 install $client --scope $scope --dry-run
        has "Nothing is written"
        has "conclave"
        same "$work/nothing" "$client, $scope: the dry run wrote nothing"
        run "$client, $scope" 0 install $client --scope $scope
        [ "$(grep -c added "$out")" -eq $((skills + 1)) ]
        ok $? "$client, $scope: a configuration and all skills"
        grep -qF '"mcp"' "$config"
        ok $? "$client, $scope: the server is in $(basename "$config")"
        everything >"$work/installed"
        run "$client, $scope, again" 0 install $client --scope $scope --json
        is '.status == "success" and .client == "'$client'" and .dry_run == false and ([.files[].action] | unique) == ["unchanged"]'
        same "$work/installed" "$client, $scope: the second time changed nothing"
        run "$client, $scope, undo" 0 install $client --scope $scope --undo
        has "(nothing else was in it)"
        [ "$(grep -c "^removed " "$out")" -eq $((skills + 1)) ]
        ok $? "$client, $scope: the configuration and the skills are removed"
        same "$work/nothing" "$client, $scope: nothing is left over"
        run "$client, $scope, undo again" 0 install $client --scope $scope --undo
        [ "$(grep -c "nothing to undo" "$out")" -eq $((skills + 1)) ]
        ok $? "$client, $scope: there is nothing to undo"
        same "$work/nothing" "$client, $scope: and nothing is made"
    done
done

# What a client starts is the server: it answers.
run "what is entered" 0 install claude
command=$(jq -r .mcpServers.conclave.command .mcp.json)
printf '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' | "$command" "$(jq -r '.mcpServers.conclave.args[0]' .mcp.json)" >"$out"
is '.id == 1 and .result == {}'
run "undo" 0 install claude --undo

# The name alone is entered where every program finds it; what is on the path of one shell has its own.
mkdir -p "$HOME/.local/bin" "$work/bin"
ln -s "$program" "$HOME/.local/bin/conclave" && ln -s "$program" "$work/bin/conclave"
PATH=$HOME/.local/bin:$PATH run "in a standard place" 0 install claude
[ "$(jq -r .mcpServers.conclave.command .mcp.json)" = conclave ]
ok $? "$name: by name"
PATH=$work/bin:$HOME/.local/bin:$PATH run "on the path of a shell" 0 install claude
[ "$(jq -r .mcpServers.conclave.command .mcp.json)" = "$(realpath "$program")" ]
ok $? "$name: by path"
rm -r "$HOME/.local" .mcp.json .claude

# What somebody has made of the entry stays.
printf '{"mcpServers": {"conclave": {"command": "conclave", "args": ["mcp", "--tools", "all"], "env": {"A": "1"}}}}' >.mcp.json
cp .mcp.json "$work/custom.json"
run "a customised entry" 0 install claude
has "unchanged   ./.mcp.json (customised; --force replaces it by ours)"
cmp -s .mcp.json "$work/custom.json"
ok $? "$name: stays"
run "a customised entry, undo" 0 install claude --undo
has "unchanged   ./.mcp.json (customised; --force removes it)"
cmp -s .mcp.json "$work/custom.json"
ok $? "$name: stays"
run "a customised entry, undo --force --dry-run" 0 install claude --undo --force --dry-run
cmp -s .mcp.json "$work/custom.json"
ok $? "$name: stays"
run "a customised entry, undo --force" 0 install claude --undo --force
[ ! -e .mcp.json ]
ok $? "$name: is gone"
cp "$work/custom.json" .mcp.json
mkdir -p .codex
run "codex" 0 install codex
sed 's/^args = .*/args = ["mcp", "--tools", "all"]/' .codex/config.toml >"$work/own.toml" && cp "$work/own.toml" .codex/config.toml
run "a customised block, undo" 0 install codex --undo
has "customised; --force removes it"
cmp -s .codex/config.toml "$work/own.toml"
ok $? "$name: stays"
run "a customised block, undo --force" 0 install codex --undo --force
[ ! -e .codex ]
ok $? "$name: is gone"
run "a customised entry, --force" 0 install claude --force
has "changed     ./.mcp.json"
[ "$(jq -c '.mcpServers.conclave | [.args, .env]' .mcp.json)" = '[["mcp"],null]' ]
ok $? "$name: is ours"
run "undo" 0 install claude --undo

# Hooks that somebody has put beside ours, into our entry or around it, are theirs; so is what they changed in it.
settings=.claude/settings.json
run "hooks, dry run" 0 install claude --hooks --dry-run
has "./$settings:"
has '"command":"'"$(realpath "$program")"' chat gate --format hook"'
run "hooks" 0 install claude --hooks
run "hooks, undo" 0 install claude --undo
[ ! -e .claude ]
ok $? "$name: none is left"
run "hooks again" 0 install claude --hooks
command jq '.hooks.PreToolUse[0].hooks += [{"type": "command", "command": "mine --check"}] | .hooks.PreToolUse[0].hooks[0].timeout = 5 |
    .hooks.PreToolUse = [{"matcher": "Bash", "hooks": [{"type": "command", "command": "other"}]}] + .hooks.PreToolUse |
    .model = "opus"' $settings >"$work/hooks.json" && cp "$work/hooks.json" $settings
run "hooks, with others beside them" 0 install claude --hooks
cmp -s $settings "$work/hooks.json"
ok $? "$name: nothing changes"
run "hooks with others, undo --dry-run" 0 install claude --undo --dry-run
cmp -s $settings "$work/hooks.json"
ok $? "$name: nothing changes"
run "hooks with others, undo" 0 install claude --undo
[ "$(jq -c '[.model, [.hooks.PreToolUse[].hooks[].command]]' $settings)" = '["opus",["other","mine --check"]]' ]
ok $? "$name: what is theirs stays"
cp $settings "$work/hooks.json"
run "hooks with others, undo again" 0 install claude --undo
cmp -s $settings "$work/hooks.json"
ok $? "$name: nothing changes"
rm -r .claude

# A file goes with our entry if nothing else is in it; a comment is something else, and a link stays a link.
for text in '{"mcpServers":{"other":{}}}' '{"mcpServers":[]}' '{"a":{}}' '{"mcpServers":{},"a":1}' '{} // mine'; do
    printf '%s' "$text" >.mcp.json
    "$conclave" install claude >"$out" 2>&1 && "$conclave" install claude --undo >"$out" 2>&1
    [ -f .mcp.json ]
    ok $? "a file that holds '$text' stays"
done
for text in '' '{}' '{"mcpServers":{}}'; do
    printf '%s' "$text" >.mcp.json
    run "'$text', undo before our entry is in it" 0 install claude --undo
    [ -f .mcp.json ] && [ "$(cat .mcp.json)" = "$text" ]
    ok $? "$name: stays"
    run "a file that holds '$text'" 0 install claude
    run "$name, undo" 0 install claude --undo
    [ ! -e .mcp.json ]
    ok $? "$name: is gone"
done
mkdir real && echo '{}' >real/m.json && ln -s real/m.json .mcp.json
run "a link" 0 install claude
run "a link, undo" 0 install claude --undo
[ -L .mcp.json ] && [ "$(jq -c .mcpServers real/m.json)" = '{}' ]
ok $? "$name: stays, and its target is without our entry"
rm -r real .mcp.json

# The project's folder, wherever one stands in it.
mkdir -p below/further
(cd below/further && "$conclave" install claude) >"$out" 2>"$err"
ok $? "below the project's folder"
name="below the project's folder"
has "The project is $PWD."
[ -f .mcp.json ] && [ -z "$(find below -type f)" ]
ok $? "$name: everything goes into that"
(cd below && "$conclave" install claude --undo) >"$out" 2>"$err"
rm -r below
mkdir "$work/elsewhere"
run "a folder that is no project" 0 install claude --root "$work/elsewhere"
has "There is no project in $work/elsewhere yet: 'conclave init' makes one."
run "a folder that is no project, --json" 0 install claude --root "$work/elsewhere" --json
is '.is_project == false and .folder == "'"$work/elsewhere"'"'
rm -r "$work/elsewhere"
run "no folder at all" 2 install claude --root "$work/elsewhere"
run "a root for all projects" 2 install claude --scope user --root .
has "--root goes with --scope project" err
same "$work/nothing" "nothing is left over"

# Somebody else's files: every byte comes back, and the permissions stay.
printf '{\n\t// servers of the team\n\t"servers": {\n\t\t"other": {"command": "x"}, // keep\n\t},\n}\n' >"$work/theirs.json"
mkdir .vscode && cp "$work/theirs.json" .vscode/mcp.json && chmod 600 .vscode/mcp.json
run "comments and trailing commas" 0 install vscode
grep -qF '// servers of the team' .vscode/mcp.json && grep -qF '// keep' .vscode/mcp.json
ok $? "$name: stay"
[ "$(stat -c %a .vscode/mcp.json)" = 600 ]
ok $? "$name: and so do the permissions"
run "$name, undo" 0 install vscode --undo
cmp -s "$work/theirs.json" .vscode/mcp.json
ok $? "$name: every byte is as it was"
rm -r .vscode
printf 'model = "m" # mine\n[mcp_servers.other]\ncommand = "x"' >"$work/theirs.toml"
mkdir .codex && cp "$work/theirs.toml" .codex/config.toml
run "TOML without an end of its last line" 0 install codex
grep -q "only in a project that it trusts" "$out"
ok $? "$name: the project must be trusted"
run "$name, undo" 0 install codex --undo
cmp -s "$work/theirs.toml" .codex/config.toml
ok $? "$name: every byte is as it was"
mv .codex/config.toml "$work/elsewhere.toml" && ln -s "$work/elsewhere.toml" .codex/config.toml
run "a symbolic link" 0 install codex
[ -L .codex/config.toml ] && grep -q conclave "$work/elsewhere.toml"
ok $? "$name: is followed and stays"
rm -r .codex

# Files that cannot be changed stay as they are, and nothing else is done.
everything >"$work/before"
printf '{\n  "mcpServers": {\n    "a": 1\n    "b": 2\n  }\n}\n' >.mcp.json
everything >"$work/broken"
run "broken JSON" 2 install claude
has ".mcp.json:4:5: a comma or } is expected here" err
has "nothing was changed" err
run "broken JSON, --json" 2 install claude --json
jq -e '.error_code == "invalid_json" and .line == 4' "$out" >/dev/null 2>&1 || jq -e '.error_code == "invalid_json"' "$err" >/dev/null 2>&1
ok $? "$name: with its code"
run "broken JSON, undo" 2 install claude --undo
same "$work/broken" "broken JSON: nothing was changed"
rm .mcp.json
mkdir .codex && printf '[mcp_servers]\nconclave = {command = "mine"}\n' >.codex/config.toml
everything >"$work/inline"
run "an entry in another form" 2 install codex
has ".codex/config.toml:2:1" err
has 'write command = "' err
printf 'mcp_servers = {a = {command = "theirs"}}\n' >.codex/config.toml
run "servers in another form" 2 install codex
has ".codex/config.toml:1:1: this has no place for another table" err
has "write its servers as tables" err
printf '# >>> conclave\n[mcp_servers.conclave]\ncommand = "mine"\n' >.codex/config.toml
cp .codex/config.toml "$work/half.toml"
for how in "" --force --undo; do
    run "half a block $how" 2 install codex $how
    has ".codex/config.toml:1:1: our lines begin here, but the comment at their end is missing" err
    cmp -s "$work/half.toml" .codex/config.toml
    ok $? "$name: nothing was changed"
done
printf 'model = "m"\nbroken = = \n' >.codex/config.toml
run "broken TOML" 2 install codex
has ".codex/config.toml:2:10: a value is expected here" err
[ "$(tail -n 1 .codex/config.toml)" = "broken = = " ]
ok $? "$name: is as it was"
printf '[mcp_servers]\nconclave = {command = "mine"}\n' >.codex/config.toml
same "$work/inline" "an entry in another form: nothing was changed"
rm -r .codex
if [ "$(id -u)" -ne 0 ]; then
    printf '{}' >.mcp.json && chmod 400 .mcp.json
    run "a file that may not be written" 2 install claude
    [ "$(cat .mcp.json)" = "{}" ]
    ok $? "$name: is as it was"
    rm -f .mcp.json && rm -rf .claude
fi
mkdir .mcp.json
run "a folder in its place" 2 install claude
rmdir .mcp.json

mkdir .claude && echo file >.claude/skills
everything >"$work/way"
for how in "" --dry-run; do
    run "a file in the way of a folder $how" 2 install claude $how
    has "'./.claude/skills' is in the way: it is not a folder" err
    same "$work/way" "$name: nothing was written"
done
rm -r .claude

# Skills that somebody has changed are theirs.
run "install" 0 install cursor
echo "mine" >>.cursor/skills/alignment-play/SKILL.md
run "a changed skill" 0 install cursor
has "left alone"
has "--force"
tail -n 1 .cursor/skills/alignment-play/SKILL.md | grep -qx mine
ok $? "$name: stays"
run "a changed skill, undo" 0 install cursor --undo
[ -f .cursor/skills/alignment-play/SKILL.md ] && [ ! -e .cursor/skills/alignment-expert ]
ok $? "$name: stays, the other goes"
run "a changed skill, --force" 0 install cursor --force
grep -qx mine .cursor/skills/alignment-play/SKILL.md && ok 1 "$name: is replaced" || ok 0 "$name: is replaced"
run "undo" 0 install cursor --undo
same "$work/before" "nothing is left over"

COLUMNS=60 run "at 60 columns" 0 install claude --hooks
sed 's/…/./g' "$out" | awk 'length > 60 { long = 1 } END { exit long }'
ok $? "$name: no line is longer"
tr '\n' ' ' <"$out" >"$work/line" && cp "$work/line" "$out"
has "Set CONCLAVE_AGENT to the name of the agent where you start claude."
run "undo" 0 install claude --undo
mkdir "$work/named"
(cd "$work/named" && CONCLAVE_ROOT=$OLDPWD "$conclave" install claude --dry-run) >"$out" 2>"$err"
name="a project that the variable names"
has "The project is $PWD, because CONCLAVE_ROOT says so."
same "$work/before" "nothing is left over"

run "an unknown client" 2 install cluade
has "claude" err
run "no client" 2 install
has "vscode" err
run "two clients" 2 install claude codex
run "an unknown scope" 2 install claude --scope world
HOME='' run "no home" 2 install claude --scope user
finish
