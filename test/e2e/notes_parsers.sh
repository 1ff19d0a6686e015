#!/bin/sh
# notes_parsers.sh - an annotated file stays valid for its own parser (points 20 and 28), and a message that tries to leave
# its comment is refused, in every language.
. "$(dirname "$0")/lib.sh"
project
fixtures=$root/test/notes/fixtures
k="--speaker KIRO --target @everyone"

# valid FILE: what the language itself says of it.
valid() {
    case $1 in
    *.php) php -l "$1" >/dev/null 2>&1 ;;
    *.sql) sqlite3 :memory: ".read $1" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] ;;
    *.js) node --check "$1" >/dev/null 2>&1 ;;
    *.py) python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$1" >/dev/null 2>&1 ;;
    *.html | *.htm) python3 - "$1" <<'X' ;;
import html.parser, sys
class Page(html.parser.HTMLParser):
    tags, text = [], ""
    def handle_starttag(self, tag, attrs): self.tags.append(tag)
    def handle_data(self, data): self.text += data
page = Page()
page.feed(open(sys.argv[1]).read())
sys.exit("DIALOG" in page.text or "alert" in page.tags)
X
    esac
}
has_parser() {
    case $1 in *.php) php -v ;; *.sql) sqlite3 -version ;; *.js) node --version ;; *) python3 --version ;; esac >/dev/null 2>&1
}
# what the program prints or means, to be the same before and after
meaning() {
    case $1 in
    *.php) php "$1" ;;
    *.sql) sqlite3 :memory: ".read $1" ;;
    *.js) node "$1" ;;
    *.py) python3 "$1" ;;
    esac 2>&1
}

printf '<?php\nnamespace A;\n\nfunction f()\n{\n    return "a\nb";\n}\n\necho f(), <<<X\n  text\n  X;\n' >a.php
printf '<p>page</p>\n<?php echo 1; ?>\n<p>end</p>\n' >b.php
printf 'CREATE TABLE t (a TEXT);\nINSERT INTO t\nVALUES ('"'"'it'"''"'s\nlong'"'"');\nSELECT a\nFROM t;\n' >a.sql
printf '#!/usr/bin/env node\n"use strict";\nconst a = `x\ny`, r = /[`"]/;\nfunction f() {\n  return a;\n}\nconsole.log(f(), r.test("`"));\n' >a.js
printf '#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nimport sys\n\ndef f(x):\n    """Doc\n    string."""\n    return (x +\n            1)\n\nprint(f(1))\n' >a.py
printf '<!DOCTYPE html>\n<html>\n<body>\n<script>\nvar x = 1;\n</script>\n<p>text</p>\n</body>\n</html>\n' >a.html
for f in a.php b.php a.sql a.js a.py a.html; do
    if ! has_parser $f; then
        skip "$f" "its parser is not installed"
        continue
    fi
    meaning $f >before
    lines=$(($(wc -l <$f) + 1)) put=0
    # a note before every line that takes one, from the last to the first
    while [ $lines -gt 0 ]; do
        # shellcheck disable=SC2086
        "$conclave" notes add $f --line $lines $k --message "Line $lines: it's \"quoted\" & <b> \\ here" >/dev/null 2>&1 && put=$((put + 1))
        lines=$((lines - 1))
    done
    # shellcheck disable=SC2086
    run "$f: a header" 0 notes header $f $k --message "Has a header: it's \"quoted\"."
    valid $f
    ok $? "$f: valid with $put notes and a header"
    meaning $f | cmp -s - before
    ok $? "$f: it does what it did"
    [ $put -ge 1 ] || [ $f = b.php ] # where no line begins in PHP code
    ok $? "$f: there are notes in it"
    # shellcheck disable=SC2086
    run "$f: another header" 0 notes header $f $k --message "Changed." --force
    valid $f
    ok $? "$f: still valid"
done

# The fixtures that their languages accept are accepted after an update, too.
for f in h05_flat_keys.php h06_banner.php h08_unstarred_list.php h07_no_dialog.php i02_comments.php h05_flat_keys.js i06_comments.js \
    h11_hash.py h12_docstring.py h12_docstring_rules.py i05_comments.py i03_comments.sql h10_comment.htm i04_comments.html; do
    cp "$fixtures/$f" . && has_parser $f && valid $f || continue
    # shellcheck disable=SC2086
    run "$f" 0 notes header $f $k --message "Updated: it's \"quoted\"." --force
    valid $f
    ok $? "$f: valid after an update"
done

# What would leave the comment is refused, and no byte is changed.
refuse() {
    cp "$1" before
    # shellcheck disable=SC2086
    run "$1: $2" 1 notes header "$1" $k --message "$2" --force
    # shellcheck disable=SC2086
    run "$1: $2" 1 notes add "$1" --line "$(($(wc -l <"$1") + 1))" $k --message "$2"
    cmp -s before "$1"
    ok $? "$1: no byte is changed"
}
refuse a.php '*/ system("id"); /*'
refuse a.php '?><script>alert(1)</script>'
refuse a.js '*/ alert(1); /*'
refuse a.html '--> <script>alert(1)</script>'
refuse a.sql "$(printf 'x\nDROP TABLE t;')"
refuse a.py "$(printf 'x\nimport os')"
cp h12_docstring_rules.py before
# shellcheck disable=SC2086
run "a docstring" 1 notes header h12_docstring_rules.py $k --message '""" + os.system("id") + """' --force
cmp -s before h12_docstring_rules.py
ok $? "no byte is changed"
finish
