#!/bin/sh
# portable - src/base without what only Linux has (CV_OS_PORTABLE): it compiles without a warning, finds and writes files as
# its tests say. What POSIX cannot keep, a mark on a file, is the one difference.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
flags="-std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O0 -Isrc -Itest -D_GNU_SOURCE -DCV_OS_PORTABLE"

n=0
ok() {
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

failed() { CMOCKA_MESSAGE_OUTPUT=TAP "$work/test_$1" 2>&1 | sed -n 's/^not ok [0-9]* - //p' | tr '\n' ' '; }
build_test() {
    gcc $flags -o "$work/test_$1" "test/unit/test_$1.c" "$work"/*.o -lutf8proc -lnettle -lcmocka -lm -pthread 2>&1 | sed 's/^/# /'
    [ -x "$work/test_$1" ]
}

for source in src/base/*.c; do
    gcc $flags -c -o "$work/$(basename "$source" .c).o" "$source" 2>&1 | sed 's/^/# /'
    [ -f "$work/$(basename "$source" .c).o" ] || ok 1 "$source compiles"
done
ok 0 "src/base compiles"
build_test where && [ -z "$(failed where)" ]
ok $? "paths below the root are found without links"
build_test file && [ "$(failed file)" = "another_text_keeps_its_name " ]
ok $? "files are written whole or not at all"
build_test os && [ -z "$(failed os)" ]
ok $? "threads are woken, files without a name and children work"
if grep -rnE 'renameat2|inotify_|SYS_|sync_file_range|getrandom|setxattr|copy_file_range|eventfd|O_TMPFILE|memfd_|prctl|statfs|signalfd|timerfd|fallocate|"/proc/' src --include=*.[ch] | grep -v '^src/base/os_linux\.c' | sed 's/^/# /' | grep .; then false; else true; fi
ok $? "what only Linux has is in src/base/os_linux.c"
echo "1..$n"
