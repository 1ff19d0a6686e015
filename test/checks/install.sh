#!/bin/sh
# install.sh - make install puts the program, its manual and its pages under a folder, and make uninstall leaves no file there. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
ok() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
unset MAKEFLAGS MFLAGS MAKELEVEL T
mkdir -p "$work/bin" && echo mine >"$work/bin/other"
make -s install PREFIX="$work" >"$work.log" 2>&1 || sed 's/^/#   /' "$work.log"
[ "$("$work/bin/conclave" --version | cut -d ' ' -f 1)" = conclave ]
ok $? "the program runs where it was installed"
[ -s "$work/share/man/man1/conclave-verify.1" ] && [ -s "$work/share/bash-completion/completions/conclave" ]
ok $? "its manual and completions are there"
missing=$(grep -o '](\([^)#]*\))' "$work/share/doc/conclave/README.md" | sed 's/^](\(.*\))$/\1/' | grep -v '^[a-z]*:' | while read -r link; do
    [ -e "$work/share/doc/conclave/$link" ] || echo "$link"
done)
[ -z "$missing" ] || echo "#   not installed: $missing"
[ -z "$missing" ]
ok $? "every file that the README links to is installed"
make -s uninstall PREFIX="$work" >"$work.log" 2>&1 || sed 's/^/#   /' "$work.log"
[ "$(find "$work" -type f)" = "$work/bin/other" ] && [ ! -e "$work/share/doc/conclave" ]
ok $? "uninstalled, nothing but a file of somebody else is left"
rm -f "$work.log"
echo "1..$number"
