#!/bin/sh
# layers.sh - the ten-line checks that keep the house in shape. TAP on stdout.
set -u
cd "$(dirname "$0")/../.." || exit 1
number=0

# check NAME FUNCTION: passes when the function has nothing to say, otherwise shows it.
check() {
    number=$((number + 1))
    found=$($2 2>&1)
    if [ -z "$found" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        echo "$found" | sed 's/^/#   /'
    fi
}

# What belongs to the project, new files included.
files() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

# "file:line:code" of all C sources in src, without comments and without what stands in strings.
code() {
    files 'src/*.c' 'src/*.h' | xargs awk '
        FNR == 1 { inside = 0 }
        !inside && !/["\047\/]/ { print FILENAME ":" FNR ":" $0; next }
        {
            line = $0; out = ""
            while (line != "") {
                if (inside) {
                    at = index(line, "*/")
                    if (!at) break
                    line = substr(line, at + 2); inside = 0
                } else if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^\047([^\047\\]|\\.)*\047/)) {
                    out = out "\"\""; line = substr(line, RLENGTH + 1)
                } else if (substr(line, 1, 2) == "/*") { inside = 1; line = substr(line, 3)
                } else if (substr(line, 1, 2) == "//") { break
                } else { match(line, /^.[^"\047\/]*/); out = out substr(line, 1, RLENGTH); line = substr(line, RLENGTH + 1) }
            }
            print FILENAME ":" FNR ":" out
        }'
}

# Without files every other check would be content.
nothing_found() { [ -n "$(files 'src/base/*.c')" ] || echo "no sources: is this a git work tree?"; }
check "there is something to check" nothing_found

# A layer includes itself and the ones before it; rooms, and what works over all of them, share a number but not their
# headers. What serves every room knows them by their descriptors alone.
wrong_includes() {
    files 'src/*.c' 'src/*.h' 'src/*.def' | xargs -r awk '
    BEGIN {
        n = split("base record kit dialogue,mail,chat,notes,project,run ops door rooms.c,main.c", order, " ")
        for (i = 1; i <= n; i++) {
            k = split(order[i], same, ",")
            for (j = 1; j <= k; j++) level[same[j]] = i
        }
    }
    /^[ \t]*#[ \t]*include[ \t]*["<]/ {
        split(FILENAME, path, "/"); from = path[2]
        split($0, quoted, /["<>]/); split(quoted[2], parts, "/"); to = parts[1]
        if ($0 ~ /</ && !(to in level)) next
        if (!(from in level)) print FILENAME ":" FNR ": \"" from "\" is no layer"
        else if (!(to in level)) print FILENAME ":" FNR ": \"" quoted[2] "\" names no layer"
        else if (from != to && level[to] >= level[from]) print FILENAME ":" FNR ": " from " includes " to
        else if (from ~ /^(ops|door)$/ && to ~ /^(dialogue|mail|chat|notes|run)$/) print FILENAME ":" FNR ": " from " names a room"
    }'
}
check "includes point to earlier layers only" wrong_includes

# The library of the protocol and the HTTP server know nothing of the product.
nosy_includes() {
    files 'src/door/mcp/*.[ch]' 'src/door/http/*.[ch]' | xargs -r grep -n '#include "' |
        grep -vE '"(base/|door/mcp/|door/http/|door/workers\.h)' | grep -v '^src/door/http/.*"door/mcp/' || true
    files 'src/door/http/*.[ch]' | xargs -r grep -n '#include "door/mcp' || true
}
check "the protocol's library includes base, the workers and itself" nosy_includes

# A file that got another name has it in its head, too.
old_names() {
    files 'src/*.[ch]' 'test/*.[ch]' 'web/src/*.ts' 'web/src/*.tsx' | xargs awk '
        FNR == 1 && /^(\/\*|\/\/) [A-Za-z0-9_-]+\.[a-z]+ - / {
            own = FILENAME; sub(/.*\//, "", own)
            if ($2 != own) print FILENAME ": its head says " $2
        }'
}
check "the head of a file has its name" old_names

# clang-format does not break comments.
wide_lines() { files 'src/*.[ch]' | LC_ALL=C.UTF-8 xargs grep -nE '^.{121}' | cut -c 1-100; }
check "no line has more than 120 columns" wide_lines

libpq=$(pg_config --includedir 2>/dev/null || echo /usr/include/postgresql)
# One that its own source includes before anything else has been compiled alone by the build.
first_included() {
    files 'src/*.c' | xargs awk '/^#include/ { own = FILENAME; sub(/^src\//, "", own); sub(/c$/, "h", own)
        if ($2 == "\"" own "\"") print "src/" own
        nextfile }'
}
broken_headers() {
    for h in $({ files 'src/*.h'; first_included; } | sort | uniq -u); do
        echo "#include \"${h#src/}\"" |
            ${CC:-gcc} -std=c17 -Wall -Wextra -Wpedantic -Werror -Isrc -I"$libpq" -D_GNU_SOURCE -fsyntax-only -x c -
    done
}
check "every header compiles alone" broken_headers

source=$(code)
banned_calls() {
    banned='(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|regcomp|regexec)[ ]*\(|<regex\.h>'
    echo "$source" | grep -E "(^|[^A-Za-z0-9_])($banned)"
}
check "no banned calls" banned_calls

# Errors copy what they keep: with their fields sealed the compiler finds whoever assigns one, in the files that assign
# something of that name, or a whole error.
assigned_errors() {
    fields='message|field|value|options|suggestion|operation|file|item_type|local_id|constraint|context'
    files 'src/*.c' | grep -v '^src/base/err\.c$' |
        xargs grep -lE "(->|\.)($fields)(\.[pn])? *=[^=]|(err|errs|trouble)(\[.*\])? = [^{]|= \*.*(err|trouble)|mem(cpy|set)\(.*(err|trouble)" |
        xargs -P 2 -n 8 ${CC:-gcc} -std=c17 -Isrc -I"$libpq" -D_GNU_SOURCE -DCV_ERR_SEALED -DCV_VERSION='""' -fsyntax-only 2>&1 |
        grep 'read-only' | sort -u
    echo "$source" | grep -v '^src/base/err\.c:' | grep -E 'cv_err\)\{|cv_err [a-z]+ = \{' |
        grep -vE 'cv_err [a-z_]+ = \{\.arena = [^,{}]*\}'
}
check "errors are filled by their setters only" assigned_errors

memory_calls() {
    echo "$source" | grep -v '^src/base/' | grep -E '(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|free)[ ]*\('
}
check "memory is taken and given back in src/base only" memory_calls

long_files() {
    files 'src/*' | xargs awk 'FNR == 901 { print FILENAME ": more than 900 lines" }'
}
check "no file above 900 lines" long_files

# The words are written in two halves: this file is looked at, too.
leftovers() {
    words='(TO''DO|FIX''ME|XX''X)([^A-Za-z0-9_]|$)'
    paths='/(ho''me|ro''ot|wo''rk|Us''ers|op''t|mn''t)/'
    files '*.c' '*.h' '*.def' '*.sh' '*.sql' '*.ts' Makefile 'tools/*' '.ci/*' |
        xargs -r grep -nE "(^|[^A-Za-z0-9_])$words|(^|[^A-Za-z0-9_.])$paths"
}
check "no absolute paths and no notes about things to do" leftovers

# CV_FMT names its argument twice: what takes something must not stand in it.
taken_twice() { echo "$source" | grep 'CV_FMT(cv_buf_take'; }
check "nothing is taken twice by CV_FMT" taken_twice

headless_files() {
    files 'src/*.c' 'src/*.h' 'src/*.def' | while read -r f; do
        read -r first <"$f"
        case $first in
        "/* ${f##*/} - "*) ;;
        *) echo "$f:1: does not begin with \"/* ${f##*/} - what it is\"" ;;
        esac
    done
}
check "every file begins with what it is" headless_files

# A row of a drawing that was broken goes on at the margin, so an empty line is behind every drawing.
torn_drawings() {
    files 'src/*.c' 'src/*.h' 'src/*.def' | xargs -r awk '
    FNR == 1 { row = 0 }
    row && /^ \* [^ ]/ { print FILENAME ":" FNR ": " $0 }
    { row = /^ \*     +[^ ]/ }'
}
check "no row of a drawing goes on at the margin" torn_drawings

# What an answer may warn of is told in the documentation.
unknown_warnings() {
    files 'src/*.c' | xargs cat | tr '\n' ' ' | grep -o 'cv_notice_add([^;"]*CV_STR("[a-z_]*")' |
        sed 's/.*CV_STR("\(.*\)")/\1/' | sort -u | while read -r type; do
        grep -q "^| .$type. |" docs/errors.md || echo "docs/errors.md does not tell what the warning $type means"
    done
}
check "every type of warning is documented" unknown_warnings

echo "1..$number"
