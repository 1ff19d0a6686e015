#!/bin/sh
# portable - src/base without what only Linux has (CV_OS_PORTABLE): it compiles without a warning, finds and writes files as
# its tests say. POSIX cannot do two things: keep a mark on a file, and say whether another process has a file open for writing.
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
build_test where && [ "$(failed where)" = "another_writers_bytes_are_kept " ]
ok $? "paths below the root are found without links"
build_test file && [ "$(failed file)" = "another_text_keeps_its_name " ]
ok $? "files are written whole or not at all"
build_test os && [ -z "$(failed os)" ]
ok $? "threads are woken, files without a name and children work"
# only_linux FOLDER: lines with calls, flags, headers and files that only Linux has
only_linux() {
    grep -rnE 'renameat2|openat2\([^)]|inotify_|fanotify_|epoll_(create|ctl|wait)|SYS_|syncfs|sync_file_range|getrandom|[sg]etxattr|copy_file_range|eventfd|signalfd|timerfd|O_TMPFILE|O_PATH|AT_EMPTY_PATH|memfd_|prctl|prlimit|statfs|statx|fallocate|pidfd_(open|send)|gettid|F_SETLEASE|F_SETSIG|F_NOTIFY|sendfile|splice\(|unshare|SO_PEERCRED|CLOCK_BOOTTIME|<linux/|"/(proc|sys)/' \
        "$1" --include=*.[ch] | grep -vE '/base/os(_linux\.c|\.h):'
}
found=$(only_linux src)
[ -z "$found" ] || echo "$found" | sed 's/^/# /'
[ -z "$found" ]
ok $? "what only Linux has is in src/base/os_linux.c"
echo 'fcntl(fd, F_SETLEASE, F_RDLCK);' >"$work/leased.c"
[ -n "$(only_linux "$work")" ]
ok $? "a call that only Linux has is found elsewhere"
echo "1..$n"
