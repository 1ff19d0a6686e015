#!/bin/sh
# notes_mcp.sh - the notes room for MCP clients: the size of its tools, calls, its resource, its skill (point 51).
. "$(dirname "$0")/lib.sh"
project
# ask METHOD PARAMS: the result of one request.
ask() {
    printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}\n' "$1" "$2" | "$conclave" mcp --rooms notes --tools "${3:-usual}" >"$out" 2>"$err"
    name="$1 $(echo "$2" | head -c 60)"
}
call() { ask tools/call "{\"name\":\"$1\",\"arguments\":$2}" all; }

ask tools/list '{}'
size=$(jq -c .result "$out" | wc -c)
[ "$size" -le 6000 ]
ok $? "the tools of the room: at most 6,000 bytes ($size)"
is '[.result.tools[] | .name] | index("conclave_notes_list") != null and index("conclave_notes_add") != null'
ask tools/list '{}' all
is '[.result.tools[] | .name | select(startswith("conclave_notes_"))] | length >= 11'

call conclave_notes_create '{"path": "docs/a.md", "speaker": "KIRO", "target": "@everyone", "message": "Begins.", "content": "# A\n\ntext\n"}'
is '.result.isError | not'
call conclave_notes_add '{"path": "docs/a.md", "before": "text", "speaker": "LILITH", "target": "@KIRO", "message": "A question?"}'
is '.result.isError | not'
call conclave_notes_list '{"for": "KIRO"}'
is '.result.content[0].text | fromjson | [.notes[].message] == ["A question?", "Begins."]'
call conclave_notes_scan '{"paths": ["docs"]}'
is '.result.content[0].text | fromjson | .notes | length == 2'
call conclave_notes_add '{"path": "../../etc/passwd", "line": 1, "speaker": "X", "target": "@e", "message": "x"}'
is '.result.isError'
call conclave_notes_header '{"path": "docs/a.md", "speaker": "X", "target": "everyone", "message": ""}'
is '.result.isError and (.result.content[0].text | test("target") and test("message"))'
call conclave_notes_scan '{"paths": ["/etc"]}'
is '.result.isError'
ask resources/read '{"uri": "conclave://notes/for/KIRO"}'
is '.result.contents[0].text | fromjson | .notes | length == 2'
run "the skill" 0 install claude --json
grep -q "at most 272 characters" .claude/skills/conclave-notes/SKILL.md && grep -q "^name: conclave-notes" .claude/skills/conclave-notes/SKILL.md
ok $? "the skill is printed from the tables of the checker"
finish
