#!/bin/sh
# dist.sh - the same commit gives the same archive, byte for byte, with its checksum and the name of the commit. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
if ! [ -s build/web/app.js ] || ! git rev-parse -q --verify HEAD >/dev/null; then
    echo "ok 1 - the archive # SKIP the dashboard is not built, or this is not a clone"
    echo "1..1"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
ok() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
export LEVEL=0
tools/dist 1 "$work/a" >/dev/null 2>&1
ok $? "the archive is made"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C tools/dist 1 "$work/b" >/dev/null 2>&1)
cmp -s "$work/a/conclave-1.tar.xz" "$work/b/conclave-1.tar.xz"
ok $? "with another umask and time zone it has the same bytes"
(cd "$work/a" && sha256sum -c SHA256SUMS >/dev/null 2>&1)
ok $? "its checksum is right"
[ "$(tar -xOf "$work/a/conclave-1.tar.xz" conclave-1/COMMIT)" = "$(git rev-parse --short=12 HEAD)" ]
ok $? "it names its commit"
echo "1..$number"
