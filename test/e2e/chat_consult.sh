#!/bin/sh
# chat_consult.sh - the consultant overlay, the gate, and what a policy file changes.
. "$(dirname "$0")/lib.sh"
project
run "a chat" 0 chat open "primers" --participants Implementer@claude,Validator@ada,Consultant@bio --id c1 --json

# ---- both printed examples of the protocol, verbatim ---- checklist 28
cat >request <<'EOF'
- CONSULT_REQUEST
  - requester_role: Implementer
  - CONSULT_DOMAIN: biologist
  - context: designing PCR primers for gene X
  - plan_or_questions: draft primer pair attached
  - assumptions: reference genome GRCh38
  - risks_unknowns: possible off-targets
  - requested_review: orientation, Tm, amplicon size
EOF
cat >response <<'EOF'
- CONSULT_RESPONSE
  - CONSULT_DOMAIN: biologist
  - key_constraints: forward/reverse orientation ok; amplicon 520 bp; GC clamp ok
  - actions: raise annealing temp to 62C; adjust reverse primer to reduce hairpin
  - questions: (1/1) Is polymerase high-fidelity?
  - OK_TO_PROCEED: yes
EOF
mkdir -p .workflow/roles/consultants
echo "# Biologist" >.workflow/roles/consultants/biologist.md # checklist 29
run "the request of 3.3" 0 chat send c1 --from Implementer@claude --type CONSULT_REQUEST --tag @Consultant --body @request --json
is '.state == "sent" and .warnings == null'
run "its requester is held up" 1 chat gate --as Implementer@claude --json # checklist 23
is '.clear == false and [.blockers[] | [.message, .type, .domain]] == [["M0001", "CONSULT_REQUEST", "biologist"]] and (.blockers[0].cleared_by | contains("OK_TO_PROCEED: yes"))'
run "others are not" 0 chat gate --as Validator@ada --json
is '.clear'
run "the consultant has it to read" 1 chat gate --as Consultant@bio --json # checklist 33
is '[.pending[].message] == ["M0001"] and .blockers == []'
run "by role" 1 chat gate --as Consultant --json
run "somebody who does not take part" 2 chat gate --as Tester@tim --json
is '.error_code == "unknown_participant"'

# ---- each field, left out, is reported by name ---- checklist 24, 25, 27
for field in requester_role CONSULT_DOMAIN context plan_or_questions assumptions risks_unknowns requested_review; do
    grep -v "$field" request >faulty
    run "a request without $field" 1 chat send c1 --from Implementer@claude --type CONSULT_REQUEST --tag @Consultant --body @faulty --json
    is ".error_code == \"consult_field\" and (.message | startswith(\"$field is missing\"))"
done
for field in CONSULT_DOMAIN key_constraints actions questions OK_TO_PROCEED; do
    grep -v "$field" response >faulty
    run "a response without $field" 1 chat send c1 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @faulty --json
    is ".error_code == \"consult_field\" and (.message | startswith(\"$field is missing\"))"
done
run "an alert without anything" 1 chat send c1 --from Consultant@bio --type CONSULT_ALERT --body "careful" --json
is '[.errors[].message | split(" ")[0]] == ["what_is_wrong", "why_it_matters", "next_steps"]'
run "an alert without a domain" 0 chat send c1 --from Consultant@bio --type CONSULT_ALERT --tag @Validator --body "what is wrong: the primer
why it matters in this domain: it binds elsewhere
actionable next steps / what to change: another one" --json # checklist 22
is '[.warnings[].message] | any(contains("CONSULT_DOMAIN"))'
run "the words of 3.2" 0 chat send c1 --from Implementer@claude --type CONSULT_REQUEST --tag @Consultant --body "requester_role: Implementer
CONSULT_DOMAIN: none
context summary (what we are doing right now): x
* **proposed plan**: y
assumptions: z
risks/unknowns: u
requested review scope (what feedback is desired): v" --json # checklist 28, 30
is '.message == "M0003"'
run "to another role" 1 chat send c1 --from Implementer@claude --type CONSULT_REQUEST --tag @Validator --body @request --json # checklist 20
is '.error_code == "consult_role"'
run "by another role" 1 chat send c1 --from Validator@ada --type CONSULT_RESPONSE --tag @Implementer --body @response --json # checklist 21
is '.error_code == "consult_role"'
sed 's/biologist/..\/x/' request >faulty
run "a domain that is a path" 1 chat send c1 --from Implementer@claude --type CONSULT_REQUEST --tag @Consultant --body @faulty --json # checklist 29
is '.error_code == "consult_field" and (.message | contains("../x"))'

# ---- only the right yes clears it ----
sed 's/yes/no/' response >no
run "no" 0 chat send c1 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @no --json
run "does not clear it" 1 chat gate --as Implementer@claude --json
is '[.blockers[].message] == ["M0001", "M0003"]'
sed 's/biologist/chemist/' response >other
run "of another domain" 0 chat send c1 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @other --json
is '[.warnings[].message] | any(contains("fallback"))' # checklist 31
run "does not clear it either" 1 chat gate --as Implementer@claude --json
is '[.blockers[].message] == ["M0001", "M0003"]'
run "a reply with another domain than the request's" 1 chat send c1 --from Consultant@bio --type CONSULT_RESPONSE --reply-to M0001 --body @other --json # checklist 25
is '.error_code == "consult_field" and (.message | contains("M0001"))'
run "the response of 3.3" 0 chat send c1 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @response --json # checklist 21
is '.warnings == null'
run "clears it" 1 chat gate --as Implementer@claude --json
is '[.blockers[].message] == ["M0003"]'
sed 's/biologist/none/' response >none
run "for a sub-agent" 0 chat send c1 --from Validator@ada --type CONSULT_RESPONSE --tag @Implementer --on-behalf-of bio-helper --body @none --json # checklist 35
run "marked so" 0 chat show c1 --json
is '.messages[-1].on_behalf_of == "bio-helper"'
run "reads what is new" 0 chat read c1 --as Implementer@claude --json
run "clear" 0 chat gate --as Implementer@claude --json
is '.clear and .pending == [] and .blockers == []'

# ---- blockers ----
cat >blocker <<'EOF'
CONSULT_DOMAIN: biologist
what is wrong: the amplicon
why it matters: it is too long
next steps: shorten it
EOF
run "a blocker" 0 chat send c1 --from Consultant@bio --type CONSULT_BLOCKER --tag @Validator --body @blocker --json
blocker=$(jq -r .message "$out")
run "read, it still blocks" 0 chat read c1 --as Validator@ada --json
run "says by which message, and what clears it" 1 chat gate --as Validator@ada # checklist 23
has "blocked  c1 $blocker  CONSULT_BLOCKER of Consultant@bio"
has "cleared by a CONSULT_RESPONSE of CONSULT_DOMAIN biologist with OK_TO_PROCEED: yes"
run "only whom it goes to" 0 chat gate --as Implementer@claude --json
run "an override by nobody" 1 chat send c1 --from Validator@ada --type USER_OVERRIDE --reply-to "$blocker" --body "go on" --json
is '.error_code == "not_verified"'
printf '[M%04d] FROM:Validator@ada | TYPE:USER_OVERRIDE | FLAG:UNREAD | RE:%s\ngo on\n' "$(($(grep -c '^\[M' .conclave/chat/temp_chat_c1.txt) + 1))" "$blocker" >>.conclave/chat/temp_chat_c1.txt
run "nor one that was written by hand" 1 chat gate --as Validator@ada --json
is "[.blockers[].message] == [\"$blocker\"]"
if command -v script >/dev/null; then
    run "a person" 0 agent add ada --kind human --json
    script -qec "'$conclave' chat send c1 --from Validator@ada --as ada --type USER_OVERRIDE --reply-to $blocker --body 'go on'" /dev/null >"$out" 2>&1 </dev/null
    run "a verified person's override clears it" 0 chat gate --as Validator@ada --json
    is '.clear'
    run "and shows" 0 chat show c1 --original --json
    is '.messages[-1].verified'
    run "an agent that is limited to chats" 0 agent add bio --rooms chat --json # checklist 34
    CONCLAVE_AGENT=bio run "cannot write anything else" 1 dialogue create X --json
    is '.error_code == "not_allowed"'
    CONCLAVE_AGENT=bio run "speaks for itself" 0 chat send c1 --type NOTE --body hello --json
    CONCLAVE_AGENT=bio run "and for nobody else" 1 chat send c1 --from Validator@ada --type NOTE --body hello --json
    is '.error_code == "identity_mismatch"'
else
    skip "a verified person's override clears it" "there is no script"
fi

# ---- what clears nothing ----
run "a chat with a request" 0 chat open "answers" --participants Implementer@claude,Consultant@bio --id c9 --json
run "the request" 0 chat send c9 --from Implementer@claude --type CONSULT_REQUEST --tag @Consultant --body @request --json
held_up() {
    "$conclave" chat read c9 --as Implementer@claude >/dev/null
    run "$1 does not clear it" 1 chat gate --as Implementer@claude --json
    is '[.blockers[] | select(.chat_id == "c9") | .message] == ["M0001"]'
}
for answer in yes/no "yes or no" yesterday; do
    sed "s,OK_TO_PROCEED: yes,OK_TO_PROCEED: $answer," response >faulty
    run "an answer that was not filled in: $answer" 1 chat send c9 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @faulty --json
    is '.error_code == "consult_field" and (.message | contains("yes or no"))'
done
{
    echo '[M0002] FROM:Consultant@bio | TYPE:CONSULT_RESPONSE | FLAG:UNREAD | TAG:@Implementer'
    sed 's,OK_TO_PROCEED: yes,OK_TO_PROCEED: yes/no,' response
} >>.conclave/chat/temp_chat_c9.txt
held_up "the same by hand"
{ echo '> OK_TO_PROCEED: yes' && sed 's,OK_TO_PROCEED: yes,OK_TO_PROCEED: no,' response; } >quoted
run "a no below a quoted yes" 0 chat send c9 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @quoted --json
held_up "a quoted yes"
sed 's,biologist,chemist,' response >faulty
run "the yes of another domain" 0 chat send c9 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @faulty --json
held_up "another domain"
sed -i 's,^# CHAT v3,# CHAT v4,' .conclave/chat/temp_chat_c9.txt
run "nor a file that nobody can read" 1 chat gate --as Implementer@claude --json
is '[.unreadable[] | [.chat_id, .path]] == [["c9", ".conclave/chat/temp_chat_c9.txt"]] and (.unreadable[0].problem | contains("# CHAT v3"))'
run "it holds up nobody else" 1 chat gate --as Validator@ada --json
is '[.warnings[].type] == ["chat_unreadable"] and .unreadable == null'
"$conclave" agent add claude >/dev/null
CONCLAVE_AGENT=claude run "the hook refuses" 0 chat gate --format hook
is '.hookSpecificOutput.permissionDecision == "deny" and (.hookSpecificOutput.permissionDecisionReason | contains("broken"))'
sed -i 's,^# CHAT v4,# CHAT v3,' .conclave/chat/temp_chat_c9.txt
run "the yes of its domain" 0 chat send c9 --from Consultant@bio --type CONSULT_RESPONSE --tag @Implementer --body @response --json
"$conclave" chat read c9 --as Implementer@claude >/dev/null
"$conclave" chat read c9 --as Consultant@bio >/dev/null
run "clears it" 1 chat gate --as Implementer --json
is '[.blockers[] | select(.chat_id == "c9")] == []'

# ---- what only check sees ----
run "another chat" 0 chat open "by hand" --participants Implementer@claude,Consultant@bio --id c2 --json
cat >>.conclave/chat/temp_chat_c2.txt <<'EOF'
[M0001] FROM:Implementer@claude | TYPE:CONSULT_REQUEST | FLAG:UNREAD | TAG:@Consultant
requester_role: Implementer
context: x
plan: y
assumptions: z
risks: u
review scope: v
[M0002] FROM:Consultant@bio | TYPE:CONSULT_RESPONSE | FLAG:UNREAD | TAG:@Implementer
CONSULT_DOMAIN: biologist
constraints: c
actions: a
questions: (1/2) which genome?
OK_TO_PROCEED: no
EOF
run "what hands have left out" 1 chat check c2 --json # checklist 26, 32
is '[.findings[] | [.code, .message_id]] == [["consult_domain_missing", "M0001"], ["consult_unmatched", "M0002"], ["question_missing", "M0002"]]'
is '.findings[0].message | contains("asks for it (one question") and contains("infers it and labels it as an inference with its risk")'
run "the second half comes later" 0 chat send c2 --from Consultant@bio --type CONSULT_RESPONSE --reply-to M0001 --tag @Implementer --body "CONSULT_DOMAIN: biologist
constraints: c
actions: a
questions: (2/2) which polymerase?
OK_TO_PROCEED: yes" --json
run "complete" 1 chat check c2 --json
is '[.findings[].code] | index("question_missing") | not'
run "all open chats are looked at" 1 chat gate --as Consultant@bio --json # checklist 52
is '[.pending[].chat_id] | unique == ["c1", "c2"]'

# ---- a policy ---- checklist 1
echo '{"types": ["PING", "PONG"], "roles": ["Implementer", "Validator", "Consultant", "Specifier"], "combos": ["Specifier+Validator"], "consult": "warn", "archive": false}' >.conclave/chat/chat_policy.json
run "a type that is not on the list" 1 chat send c2 --from Implementer@claude --type QUESTION --body x --json
is '.error_code == "chat_policy" and .valid_options == ["PING", "PONG"]'
run "one that is" 0 chat send c2 --from Implementer@claude --type PING --body x --json
run "consults are only warned of" 0 chat send c2 --from Implementer@claude --type CONSULT_REQUEST --tag @Consultant --body x --json
is '(.warnings | length) == 7'
run "a role that is not on the list" 1 chat join c2 Cook@eve --json
is '.error_code == "chat_policy"'
run "joined roles that are not allowed" 1 chat join c2 Implementer+Validator@eve --json
run "joined roles that are" 0 chat join c2 Validator+Specifier@eve --json
run "get what goes to either" 0 chat send c2 --from Implementer@claude --type PING --tag @Specifier --body y --json
run "get what goes to either" 0 chat peek c2 --as Validator+Specifier@eve --json
is '.messages[-1].body == "y"'
echo '{"types": "PING"}' >.conclave/chat/chat_policy.json
run "a policy that is none" 1 chat send c2 --from Implementer@claude --type PING --body x --json
is '.error_code == "chat_policy" and (.file | endswith("chat_policy.json"))'
echo '{' >.conclave/chat/chat_policy.json
run "not even JSON" 2 chat send c2 --from Implementer@claude --type PING --body x --json
is '.error_code == "invalid_json" and .line'
rm .conclave/chat/chat_policy.json

# ---- as a hook ----
run "a hook refuses with the reason" 0 chat gate --as Consultant@bio --format hook
is '.hookSpecificOutput.permissionDecision == "deny" and (.hookSpecificOutput.permissionDecisionReason | contains("unread   c1"))'
COLUMNS=40 run "a hook whatever the width is" 0 chat gate --as Consultant@bio --format hook
is '.hookSpecificOutput.permissionDecision == "deny"'
run "a folder that is not there is not one without chats" 2 chat gate Consultant --dir nowhere --json
is '.error_code == "not_found" and .field == "dir"'
run "a hook lets pass" 0 chat gate --as Nobody@x --format hook
is '. == {}'
run "a hook of nobody lets pass" 0 chat gate --format hook
is '. == {}'
run "a hook says how to read" 0 chat gate --as Consultant@bio --format hook
is '.hookSpecificOutput.permissionDecisionReason | contains("conclave_chat_read {\"chat_id\": \"c1\", \"as\": \"Consultant@bio\"}, or in a shell: conclave chat read c1 --as Consultant@bio\n")'
# Who opens a chat chooses the names in it; an agent gives the command to a shell.
odd='V@$(touch${IFS}pasted)'
"$conclave" chat open "Odd names" --participants "A@x,$odd" --id odd >/dev/null
"$conclave" chat send odd "x" --from A@x --type QUESTION --tag @V >/dev/null
run "a hook whose command has a name with signs of the shell" 0 chat gate --as "$odd" --format hook
eval "set -- $(jq -r '.hookSpecificOutput.permissionDecisionReason' "$out" | sed -n 's/.* in a shell: conclave //p')"
[ ! -e pasted ]
ok $? "$name: nothing but the command runs"
run "$name: it reads the chat" 0 "$@"
# A client takes 2 for a refusal, and any other failure of a hook for a yes.
CONCLAVE_AGENT="no name" run "a hook that cannot look refuses" 2 chat gate --format hook
has "byte 3 of the name" err
CONCLAVE_AGENT="no name" run "the same without a hook" 1 chat gate

# ---- entered into a client ----
run "offered" 0 install claude --dry-run
has "With --hooks claude runs 'conclave chat gate --format hook' before it writes"
mkdir -p .claude
cat >.claude/settings.json <<'EOF'
{
  "model": "opus", // theirs
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "theirs"}]}
    ]
  }
}
EOF
cp .claude/settings.json before
run "entered" 0 install claude --hooks --json
sed 's|//.*||' .claude/settings.json >plain.json
jq -e '.hooks.PreToolUse | length == 2 and .[0].hooks[0].command == "theirs" and .[1].matcher == "Write|Edit|MultiEdit|NotebookEdit"' plain.json >/dev/null
ok $? "beside what was there"
cp .claude/settings.json once
run "again" 0 install claude --hooks --json
cmp -s once .claude/settings.json
ok $? "nothing changes"
command=$(jq -r '.hooks.PreToolUse[1].hooks[0].command' plain.json)
echo '{"tool_name": "Write"}' | CONCLAVE_AGENT=bio sh -c "$command" >"$out" 2>"$err"
ok $? "the hook runs"
name="the hook"
is '.hookSpecificOutput.permissionDecision == "deny"'
run "taken out" 0 install claude --undo --json
cmp -s before .claude/settings.json
ok $? "as it was before"
rm .claude/settings.json
run "into nothing" 0 install claude --hooks --json
jq -e '.hooks.PreToolUse | length == 1' .claude/settings.json >/dev/null
ok $? "a file of its own"
printf '{"hooks": {"PreToolUse": [ // a comment\n]}}' >.claude/settings.json
run "a list with comments" 2 install claude --hooks --json
is '.suggestion | contains("by hand")'
finish
