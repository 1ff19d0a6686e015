#!/bin/sh
# upgrade - records of earlier versions: opened, brought up to date, verified with the heads that they had, written to.
. "$(dirname "$0")/lib.sh"
needs_sqlite upgrade

for stored in "$root"/test/upgrade/*.db.gz; do
    version=$(basename "$stored" .db.gz)
    rm -rf "$work/$version" && mkdir "$work/$version" && cd "$work/$version" || exit 1
    mkdir -m 700 .conclave && gunzip -c "$stored" >.conclave/conclave.db && chmod 600 .conclave/conclave.db
    run "$version: verify" 0 verify --json
    jq '[.scopes[] | {room, name, rev, head}]' "$out" >heads
    diff -u "$root/test/upgrade/$version.json" heads | sed 's/^/#   /'
    cmp -s "$root/test/upgrade/$version.json" heads
    ok $? "$version: every scope has the head that it had"
    run "$version: search" 0 search "supply chain" --json
    is '.count > 0'
    run "$version: a write" 0 dialogue create "After the upgrade" --json
    run "$version: verify again" 0 verify --json
    is '.status == "success"'
done
finish
