#!/bin/sh
# conclave notes install-hook: git refuses a change without a new header dialog; hooks of others stay. Checklist 26, 53.
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || skip_all "git hooks" "there is no git"
needs_sqlite "git hooks"
project
export HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b
mkdir -p bin && ln -s "$conclave" bin/conclave && PATH=$PWD/bin:$PATH && export PATH

# commit NAME STATUS ARGUMENT...: git commits, or refuses.
commit() {
    commit_name=$1 commit_wants=$2
    shift 2
    git commit -q "$@" >"$out" 2>"$err"
    [ $? -eq "$commit_wants" ] && ! grep -E '^.{81}' "$err"
    ok $? "$commit_name"
}

run "there is no repository" 1 notes install-hook
has "git init" err
git init -q . && printf '.conclave/\nbin/\n' >.gitignore
cat >a.md <<'END'
---
wolfie.headers.version: 4.0.1
dialog:
  speaker: KIRO
  target: "@everyone"
  message: "Begins."
---
# A
END
run "installed" 0 notes install-hook --json
is '.outcome == "installed"'
[ -x .git/hooks/pre-commit ]
ok $? "git can run it"
run "again" 0 notes install-hook --json
is '.outcome == "unchanged"'

git add .
commit "the first commit: every file has its header" 0 -m first
echo more >>a.md && git add a.md
commit "a change without a new dialog is refused" 1 -m change
has "a.md" err
has "conclave notes header" err
sed -i 's/Begins\./Adds a line./' a.md
commit "… also when only the file on disk has one" 1 -m change
git add a.md
commit "with a new dialog it goes" 0 -m change
echo again >>a.md
commit "a commit of all changes is judged by what it commits" 1 -am again
sed -i 's/Adds a line\./Adds another./' a.md
commit "… and goes with a new dialog" 0 -am again
printf '# B\n' >b.md && git add b.md
commit "a new file without a header is refused" 1 -m new
git rm -q --cached b.md && rm b.md
printf 'text\n' >LICENSE && printf '\0\1' >x.bin && printf '{}\n' >x.json && git add .
commit "what cannot or need not have one goes" 0 -m others
git rm -q x.bin
commit "so does what is removed" 0 -m less
mkdir -p sub && (cd sub && echo more >>../a.md && git add ../a.md && ! git commit -qm below >/dev/null 2>&1)
ok $? "from a folder below, too"
commit "whoever wants it all the same" 0 --no-verify -m forced

run "removed" 0 notes install-hook --remove --json
is '.outcome == "removed"'
[ ! -e .git/hooks/pre-commit ]
ok $? "it is gone"
run "there is none to remove" 0 notes install-hook --remove --json
is '.outcome == "absent"'

printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-commit && cp .git/hooks/pre-commit own
run "somebody's own hook is not overwritten" 1 notes install-hook
has "conclave notes stale --staged || exit 1" err
run "nor removed" 1 notes install-hook --remove
cmp -s own .git/hooks/pre-commit
ok $? "… it is as it was"
rm .git/hooks/pre-commit && ln -s ../../own .git/hooks/pre-commit
run "nor through a link" 1 notes install-hook
[ -L .git/hooks/pre-commit ] && [ "$(cat own)" = "$(printf '#!/bin/sh\nexit 0')" ]
ok $? "… link and file are as they were"
rm .git/hooks/pre-commit
git config core.hooksPath .githooks
run "a folder that the repository has configured" 0 notes install-hook --json
is '.path | endswith(".githooks/pre-commit")'
[ -x .githooks/pre-commit ] && [ ! -e .git/hooks/pre-commit ]
ok $? "… is where it goes"
finish
