#!/bin/sh
# skips.sh - what does not run is not green: tools/test on small jobs, with CI set and without.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL CV_SOAK CV_UPDATE CV_CALL_LOG
number=0
ok() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# job NAME: makes an executable job of standard input, $job.
job() {
    job=$work/$1
    { echo '#!/bin/sh' && cat; } >"$job"
    chmod +x "$job"
}

# sums CI JOB WANTED NAME: "passed failed skipped" of the job, where CI has this value.
sums() {
    CI=$1 CV_TEST_LIMIT=${limit:-20} tools/test --job "$2" "$work" >"$work/said" 2>&1
    found=$(head -n 1 "$work/$(echo "$2" | tr '/' '_').sum" | cut -d ' ' -f 1-3)
    [ "$found" = "$3" ] || { echo "#   $found, not $3" && sed 's/^/#   /' "$work/said"; }
    [ "$found" = "$3" ]
    ok $? "$4, CI='$1'"
}

# both JOB WITHOUT WITH NAME
both() {
    sums "" "$1" "$2" "$4"
    sums false "$1" "$2" "$4"
    sums true "$1" "$3" "$4"
    sums 1 "$1" "$3" "$4"
}

job passes <<'S'
echo "ok 1 - a"
echo "1..1"
S
both "$job" "1 0 0" "1 0 0" "a job that passes"

job allowed <<'S'
echo "ok 1 - a"
echo "ok 2 - b # SKIP running as root"
echo "1..2"
S
both "$job" "1 0 1" "1 0 1" "a skip that is allowed"

job refused <<'S'
echo "ok 1 - a"
echo "ok 2 - b # SKIP there is no fish"
echo "1..2"
S
both "$job" "1 0 1" "1 1 0" "a skip that is not"

job all <<'S'
echo "ok 1 - a # SKIP npm has not installed its packages"
echo "1..1"
S
both "$job" "0 0 1" "0 1 0" "a script that skips everything"

job similar <<'S'
echo "ok 1 - a # SKIP running as root or not"
echo "ok 2 - b # SKIP running"
S
both "$job" "0 0 2" "0 2 0" "reasons that are nearly allowed"

job silent <<'S'
echo "ok 1 - a"
echo "ok 2 - b # SKIP"
S
both "$job" "1 1 0" "1 1 0" "a skip without a reason"

job unit <<'S'
echo "# skip: no corpus"
echo "# skip: there is no user without rights"
echo "not ok 1 # SKIP with_a_corpus"
echo "not ok 2 # SKIP as_somebody_else"
echo "1..2"
S
both "$job" "0 0 2" "0 1 1" "skips of a unit program"

job unit_silent <<'S'
echo "# skip: no corpus"
echo "not ok 1 # SKIP with_a_corpus"
echo "not ok 2 # SKIP without_a_reason"
S
both "$job" "0 1 1" "0 1 1" "a skip of a unit program without a reason"

job short <<'S'
echo "1..3"
echo "ok 1 - a"
S
both "$job" "1 1 0" "1 1 0" "fewer results than planned"

job nothing <<'S'
S
both "$job" "0 1 0" "0 1 0" "a job without results"

job slow <<'S'
echo "ok 1 - a"
echo "1..1"
sleep 30
S
limit=1
sums "" "$job" "1 1 0" "a job that is stopped"
sums true "$job" "1 1 0" "a job that is stopped"
unset limit

both build/asan/test_that_is_not_built "0 1 0" "0 1 0" "a unit program that is not built"
both build/asan/fuzz_that_is_not_built "0 1 0" "0 1 0" "a fuzz target that is not built"

# ---- npm: the suites that need it ----

for module in mcp_conformance mcp_clients mcp_hostile; do
    CV_NODE_MODULES=$work/none
    export CV_NODE_MODULES
    both test/e2e/$module.sh "0 0 1" "0 1 0" "$module without node"
    CI="" tools/test $module >"$work/said" 2>&1 && grep -q "^skipped, .*: $module.sh (1)$" "$work/said"
    ok $? "$module is skipped on a desk, and the end says so"
    CI=true tools/test $module >"$work/said" 2>&1
    [ $? -eq 1 ]
    ok $? "$module fails the run in CI"
    unset CV_NODE_MODULES
done

# npm CI STATUS: make with an npm that fails.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/npm"
chmod +x "$work/bin/npm"
npm() {
    CI=$1 PATH=$work/bin:$PATH make -W test/mcp/package-lock.json build/.need-npm >"$work/said" 2>&1
    [ $? -eq "$2" ]
    ok $? "npm fails, CI='$1': make says $2"
}
npm "" 0
npm false 0
npm true 2

# ---- packages that cannot be installed ----

# Nothing is installed, nobody may install, and there is no npm: all other programs are those of the machine.
mkdir "$work/bare" && ln -s /usr/bin/* "$work/bare" 2>/dev/null
rm -f "$work/bare/npm" "$work/bare/node"
for stub in "dpkg-query exit 1" "sudo exit 1" "id echo 1000"; do
    rm -f "$work/bare/${stub%% *}"
    printf '#!/bin/sh\n%s\n' "${stub#* }" >"$work/bare/${stub%% *}"
    chmod +x "$work/bare/${stub%% *}"
done
# lacks WHAT SAYS: make goes on without it on a desk and says so, and fails in CI.
lacks() {
    CI="" TMPDIR=$work PATH=$work/bare make -W tools/need "build/.need-$1" >"$work/said" 2>&1 && grep -q "$2" "$work/said"
    found=$?
    [ $found -eq 0 ] || sed 's/^/#   /' "$work/said"
    ok $found "without $1, make says: $2"
    CI=true TMPDIR=$work PATH=$work/bare make -W tools/need "build/.need-$1" >"$work/said" 2>&1
    [ $? -eq 2 ]
    ok $? "without $1, make fails in CI"
}
lacks npm "what needs its packages is skipped"
lacks clients "what needs its packages is skipped"
lacks web "the program has no dashboard"
lacks postgres "what needs a server is skipped"
lacks browser "what needs one is skipped"

# ---- every skip of the suite has its reason ----

missing=$(grep -rnE '# SKIP *("|$)' test/e2e test/checks test/last | grep -v 'checks/skips.sh'; grep -nE '(^|[^_a-z])skip\(\)' test/unit/*.c)
[ -z "$missing" ] || echo "$missing" | sed 's/^/#   /'
[ -z "$missing" ]
ok $? "no test skips without a reason"
echo "1..$number"
