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

everything >"$work/nothing"
for scope in project user; do
    for client in claude cursor vscode codex; do
        config=$(config_of $client $scope)
        run "$client, $scope, dry run" 0 install $client --scope $scope --dry-run
        has "Nothing is written"
        has "conclave"
        same "$work/nothing" "$client, $scope: the dry run wrote nothing"
        run "$client, $scope" 0 install $client --scope $scope
        [ "$(grep -c added "$out")" -eq 3 ]
        ok $? "$client, $scope: a configuration and two skills"
        grep -qF '"mcp"' "$config"
        ok $? "$client, $scope: the server is in $(basename "$config")"
        everything >"$work/installed"
        run "$client, $scope, again" 0 install $client --scope $scope --json
        is '.status == "success" and .client == "'$client'" and .dry_run == false and [.files[].action] == ["unchanged", "unchanged", "unchanged"]'
        same "$work/installed" "$client, $scope: the second time changed nothing"
        run "$client, $scope, undo" 0 install $client --scope $scope --undo
        same "$work/nothing" "$client, $scope: nothing is left over"
        [ "$(find . "$HOME" -mindepth 1 -type d ! -path '*/.conclave*' | wc -l)" -eq 0 ]
        ok $? "$client, $scope: no folder either"
        run "$client, $scope, undo again" 0 install $client --scope $scope --undo
    done
done

# What a client starts is the server: it answers.
run "what is entered" 0 install claude
command=$(jq -r .mcpServers.conclave.command .mcp.json)
printf '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' | "$command" "$(jq -r '.mcpServers.conclave.args[0]' .mcp.json)" >"$out"
is '.id == 1 and .result == {}'
run "undo" 0 install claude --undo

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
has "make it a table of its own" err
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

run "an unknown client" 2 install cluade
has "claude" err
run "no client" 2 install
has "vscode" err
run "two clients" 2 install claude codex
run "an unknown scope" 2 install claude --scope world
HOME='' run "no home" 2 install claude --scope user
finish
