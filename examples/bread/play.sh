#!/bin/sh
# play.sh FOLDER - makes a project there with a small dialogue of two rounds, for the examples of the documentation.
set -e
cd "$(dirname "$0")"
rm -rf "$1"
conclave init "$1" >/dev/null
conclave dialogue create --root "$1" --data @dialogue.json >/dev/null
for round in 0 1; do
    conclave dialogue round-register rye-or-wheat --root "$1" --data @round-$round.json >/dev/null
done
