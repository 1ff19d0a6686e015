#!/bin/sh
# limits.sh - no room for what is written: a limit for the size of files, and a full disk. A write of any room is done, or
# it is refused with a word about the reason and the record is as it was; the same command succeeds when there is room.
# Each write with one size, drawn by CV_SEED; CV_SOAK=1 tries all sizes.
[ -n "${CV_OWN_MOUNTS-}" ] || ! unshare -rm true 2>/dev/null || CV_OWN_MOUNTS=1 exec unshare -rm sh "$0"
. "$(dirname "$0")/lib.sh"
needs_sqlite "no room for what is written"

# ---- a project with something in every room, and a write of each kind ----
project begun
"$conclave" dialogue create "Full" --expert "One: a" --expert "Two: b" >/dev/null
"$conclave" agent add writer >/dev/null && "$conclave" agent add reader >/dev/null
"$conclave" mail send "Hello" --from writer --to reader --message-id m1 >/dev/null
"$conclave" chat open "first" --participants A@x,B@y --id c1 >/dev/null
"$conclave" notes create a.md --speaker KIRO --target @everyone --message "Begins." --content "# A" >/dev/null
printf '[PERSPECTIVE P01: A]\nText.\n' >response.md
yes 'A long line of a text that is much larger than a page of the database.' | head -c 40000 >long.txt
cp "$root/examples/decision.dialogue.md" .
cat >"$work/writes" <<'WRITES'
init --dir other
dialogue create Another --expert One:a
dialogue respond full --round 0 --expert muffin --content @response.md
dialogue round-prompts full --write
dialogue export full --output-path export.json
dialogue transcript full --write
mail send --body @long.txt --from writer --to reader
mail claim reader
agent add third
chat send c1 --from A@x --type QUESTION --body @long.txt
chat open second --participants A@x --id c2
notes header a.md --speaker KIRO --target @everyone --message More. --force
notes create b.md --speaker KIRO --target @everyone --message Begins. --content @long.txt
import decision.dialogue.md
export-scope dialogue full --output scope.json
backup copy.db
dialogue tag full word
WRITES
"$conclave" verify >/dev/null
ok $? "a project with something in every room"

# state: every commit, and every file but those of the record and of mail, which says there who was seen when.
state() {
    "$conclave" feed --after start --limit 1000 --json | jq -r '.entries[]? | "\(.room) \(.scope) \(.rev) \(.operation)"'
    find . -type f ! -path '*/.conclave/conclave.db*' ! -path './other/*' ! -name '*.lock' ! -path './.conclave/mail/*' ! -name filler | LC_ALL=C sort | xargs sha256sum
}
# limited SIZE COMMAND...: files of at most SIZE blocks of 512 bytes.
limited() { (ulimit -f "$1" && shift && "$@"); }
# crowded SIZE COMMAND...: a disk with so many kilobytes left; stands in a file system of its own.
crowded() {
    head -c 100000000 /dev/zero >filler 2>/dev/null
    [ "$1" -eq 0 ] || truncate -s -"$1"K filler
    shift
    "$@"
}
# attempt WAY SIZE COMMAND...: in a fresh copy. Prints what is wrong.
attempt() {
    way=$1 size=$2
    shift 2
    rm -rf now && cp -r "$work/begun" now && cd now || return
    state >../before
    "$way" "$size" "$conclave" "$@" >/dev/null 2>"$err"
    status=$?
    rm -f filler
    state >../after
    case "$* $status" in
    "import "*1) ;; # a step after the other: its report has the one that failed, and the same import goes on
    *0) ;;
    *2)
        [ -s "$err" ] || echo "$way $size: $*: not a word"
        cmp -s ../before ../after || grep -q "the change is in the record" "$err" ||
            echo "$way $size: $*: something was written: $(diff ../before ../after | head -n 3)"
        ;;
    *) echo "$way $size: $*: status $status: $(cat "$err")" ;;
    esac
    [ $status -eq 0 ] || echo refused >>../refused
    [ $status -eq 0 ] || "$conclave" "$@" >"$out" 2>"$err" || echo "$way $size: $*: not done afterwards: $(cat "$err")"
    "$conclave" verify >"$out" 2>&1 || echo "$way $size: $*: $(head -n 2 "$out")"
    cd ..
}

# every WAY SIZE...: every write with one of the sizes; with all of them in the soak.
every() {
    way=$1
    shift
    random=${CV_SEED:-$(git -C "$root" rev-parse HEAD 2>/dev/null | cut -c 1-6 | sed 's/^/0x/')}
    random=$((${random:-1} + $(printf %d "'$way")))
    : >refused
    while read -r line; do
        random=$(((random * 1103515245 + 12345) % 2147483648))
        at=$((random / 65536 % $#)) chosen=0
        for size; do
            # shellcheck disable=SC2086
            [ -z "${CV_SOAK-}" ] && [ $chosen -ne $at ] || attempt $way "$size" $line </dev/null
            chosen=$((chosen + 1))
        done
    done <"$work/writes" >wrong
    sed 's/^/# /' wrong
    [ ! -s wrong ] && [ "$(wc -l <refused)" -ge 4 ]
}
mkdir "$work/limited" && cd "$work/limited" || exit 1
every limited 2 16 64 80 160 1200
ok $? "files of a limited size: done or refused whole ($(wc -l <refused) refused)"

mkdir "$work/disk" && cd "$work/disk" || exit 1
if [ -n "${CV_OWN_MOUNTS-}" ] && mount -t tmpfs -o size=6m none "$work/disk" && cd "$work/disk"; then
    every crowded 0 4 16 64 128
    ok $? "a full disk: done or refused whole ($(wc -l <refused) refused)"
    cd "$work" && umount "$work/disk"
else
    skip "a full disk: done or refused whole" "no right to mount a file system"
fi
finish
