# Conclave. `make run` shows it, `make test` proves it, `make help` lists the rest.
#
#   build/conclave   the program, optimised            (CC, default gcc)
#   build/asan/      the same sources, the tests and the replay of the fuzz corpora with AddressSanitizer and UBSan
#   build/fuzz/      the fuzz targets, for make fuzz and make soak (clang, libFuzzer)
#   build/tsan/      the sources and the server of the MCP tests with ThreadSanitizer
#   build/steps/     the sources that the tests which count steps need
#   build/gen/       sources made from others: the SQL, the schemas, the dashboard
#
# Every target installs the packages it needs when they are missing (tools/need).

VERSION  := 0.1.0
PREFIX   ?= /usr/local
CC       := gcc
CLANG    := clang
T        ?=
S        ?= 60

# One short line per step; V=1 shows the commands.
V        ?=
Q        := $(if $(V),,@)
say       = $(if $(V),,$(info $()  $(1)	$@))
# No rule that make brings along fits here; looking for one takes most of the time of a make with nothing to do.
# One job more than processors: one of them installs packages, or waits for them.
MAKEFLAGS += -rR -j$(shell expr $$(nproc) + 1) --no-print-directory

WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
# libpq is loaded when a record is on a server: only its header is needed. The other path is where tools/need puts it.
CPPFLAGS += -I$(shell pg_config --includedir 2>/dev/null || echo /usr/include/postgresql)
CPPFLAGS += -Isrc -D_GNU_SOURCE -DCV_VERSION='"$(VERSION)"'
CFLAGS   ?= -O3 -g1
THREADS  := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
# Reports name functions and lines; for a debugger, which wants more: make asan DEBUG=-g.
DEBUG    ?= -g1
# Undefined behaviour ends the program where it happens (tools/test has a stack printed). For a message, which costs every
# start of the program more than the check does: make asan UNDEFINED=-fno-sanitize-recover=all.
UNDEFINED ?= -fsanitize-undefined-trap-on-error
# Scripts start the sanitized program thousands of times: at a fixed address it has no 320,000 places to correct first.
# It is compiled in each run of the tests: more than -Og takes longer than it saves.
SANITIZE := -Og $(DEBUG) -fno-pie -fno-omit-frame-pointer -fsanitize=address,undefined $(UNDEFINED)
LINKER    = $(if $(shell command -v ld.lld),-fuse-ld=lld)
LINK_ASAN = $(CC) $(SANITIZE) -no-pie $(LINKER)
# What scripts start thousands of times has its libraries inside: to find and bind them was an eighth of a short command.
STATIC_ASAN = -static-libasan -static-libubsan -static-libgcc
LIBS_INSIDE = $(foreach lib,utf8proc sqlite3 nettle,$(or $(wildcard $(shell $(CC) -print-file-name=lib$(lib).a)),-l$(lib))) -ldl -lm -pthread
LIBS     := -lutf8proc -lsqlite3 -lnettle -ldl -lm -pthread

SRC      := $(sort $(wildcard src/*/*.c src/*/*/*.c) src/rooms.c)
# Data only, the same for every build: the SQL in sql/ and the schemas in schemas/, as C.
GEN_O    := build/gen/sql_sqlite.o build/gen/sql_postgres.o build/gen/schemas.o build/gen/api.o build/gen/skills.o build/gen/panels.o build/gen/pages.o build/gen/exports.o build/gen/web.o
# A build of its own list of sources has it as SRC_<build>.
lib_o     = $(patsubst src/%.c,build/$(1)/%.o,$(or $(SRC_$(1)),$(SRC))) $(GEN_O)
UNIT     := $(patsubst test/unit/test_%.c,%,$(sort $(wildcard test/unit/test_*.c)))
SHELLS   := bash zsh fish
FUZZERS  := $(patsubst test/fuzz/fuzz_%.c,%,$(sort $(wildcard test/fuzz/fuzz_*.c)))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all run shots images test asan tsan fuzz fuzz-build bench lint format update soak install uninstall dist deb try-deb clean help

all: build/conclave

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 16

# ---- the program -----------------------------------------------------------------------------

COMPILE  := -std=c17 $(WARN) $(CPPFLAGS) -MMD -MP

build/conclave: build/release/main.o build/gen/commit.o build/release/lib.a
	$(call say,link)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

build/asan/conclave: build/asan/main.o build/asan/sqlite_memory.o build/gen/commit.o build/asan/lib.a
	$(call say,link)
	$(Q)$(LINK_ASAN) $(STATIC_ASAN) -o $@ $^ $(LIBS_INSIDE)

.SECONDEXPANSION:
build/%/lib.a: $$(call lib_o,$$*)
	$(call say,ar)
	$(Q)rm -f $@ && ar rcs $@ $^

build/release/%.o: src/%.c | build/.need
	$(call say,cc)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) $(CFLAGS) -c -o $@ $<

build/asan/%.o: src/%.c | build/.need
	$(call say,cc)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror $(SANITIZE) -c -o $@ $<

build/tsan/%.o: src/%.c | build/.need
	$(call say,cc)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror $(THREADS) -c -o $@ $<

build/fuzz/%.o: src/%.c | build/.need-test
	$(call say,clang)
	$(Q)mkdir -p $(@D) && $(CLANG) $(COMPILE) -Werror $(SANITIZE) -fsanitize=fuzzer-no-link -c -o $@ $<

build/gen/sql_%.c: tools/embed sql/%/statements.sql $$(wildcard sql/$$*/[0-9]*.sql)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed -n $* sql/$*/statements.sql $(sort $(wildcard sql/$*/[0-9]*.sql)) >$@

build/gen/schemas.c: tools/embed-files $(wildcard schemas/*.json)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed-files cv_schema_files .json $(sort $(wildcard schemas/*.json)) >$@

build/gen/api.c: tools/embed-files schemas/api/openapi.json
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed-files cv_api_files .json schemas/api/openapi.json >$@

SKILLS   := skills/alignment-play/SKILL.md skills/conclave-chat/SKILL.md skills/conclave-mail/SKILL.md
build/gen/skills.c: tools/embed-files $(SKILLS)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed-files cv_skill_files .md $(SKILLS) >$@

build/gen/panels.c: tools/embed-files $(wildcard panels/*.json)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed-files cv_panel_files .json $(sort $(wildcard panels/*.json)) >$@

build/gen/exports.c: tools/embed-files $(wildcard sql/export/*.sql)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed-files cv_export_files .sql $(sort $(wildcard sql/export/*.sql)) >$@

build/gen/pages.c: tools/embed-files $(wildcard pages/*.page)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed-files cv_page_files .page $(sort $(wildcard pages/*.page)) >$@

# The dashboard: checked, bundled and compressed. Without npm the program has a page that says so.
WEB      := $(wildcard web/*.json web/*.html web/src/*.ts web/src/*.tsx web/src/*.css web/src/*/*.tsx web/src/*/*.ts web/src/*/*/*.tsx web/src/*/*/*.ts)
build/.need-web: web/package-lock.json tools/need
	@mkdir -p build
ifneq ($(wildcard web/bundle),)
	@touch $@
else
	$(call say,npm)
	$(Q)if tools/npm-ci web; then touch $@; else \
	    echo "npm failed: the program has no dashboard, which fails where CI is set" >&2; \
	    case "$${CI-}" in ""|0|false) touch $@ ;; *) exit 1 ;; esac; fi
endif

build/gen/web.c: tools/embed-files tools/web $(WEB) build/.need-web
	$(call say,web)
	$(Q)mkdir -p $(@D) && tools/web build/web && tools/embed-files cv_web_files "" $$(ls build/web/*) >$@

# The commit that the program shows: an archive of 'make dist' has it in a file. Written only when it is another one.
COMMIT   := $(shell cat COMMIT 2>/dev/null || git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || echo unknown)
$(shell mkdir -p build/gen; grep -qsF '"$(COMMIT)"' build/gen/commit.c || \
    printf '\043include "base/embedded.h"\n\nconst char cv_built_from[] = "%s";\n' '$(COMMIT)' >build/gen/commit.c)

build/gen/%.o: build/gen/%.c | build/.need
	$(call say,cc)
	$(Q)$(CC) $(COMPILE) -Werror $(CFLAGS) -c -o $@ $<

# Manual pages and completions are what the program prints.
build/man/.made: build/conclave
	$(call say,man)
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && build/conclave man --all $(@D) && touch $@

build/completion/%: build/conclave
	$(call say,shell)
	$(Q)mkdir -p $(@D) && build/conclave completion $* >$@

run: build/conclave ## build, fill a sample project in every room, and serve it
	@tools/need show
	@tools/show

shots: build/conclave build/.need-npm build/.need-browser ## pictures of the dashboard's main views, in build/shots
	@tools/need show
	@tools/shots build/shots

images: build/conclave build/.need-npm build/.need-browser ## the pictures of the documentation: the dashboard, and `conclave ask` and `lint` on a terminal
	@tools/need show
	@tools/shots build/shots/docs 1440-light
	@cp build/shots/docs/decided-1440-light.png docs/images/dashboard.png
	@cp build/shots/docs/home-1440-light.png docs/images/home.png
	@cp build/shots/docs/graph-1440-light.png docs/images/graph.png
	@cp build/shots/docs/mail-1440-light.png docs/images/mail.png
	@tools/shot-ask >docs/images/ask.svg
	@tools/shot-lint >docs/images/lint.svg

# The README, and what it links to.
PAGES := README.md CHANGELOG.md SECURITY.md ARCHITECTURE.md CONTRIBUTING.md LICENSE $(wildcard docs/*.* docs/*/*.* examples/run/*.* examples/run/*/*.*)

install: build/conclave build/man/.made $(SHELLS:%=build/completion/%) ## program, manual, completions, documentation under PREFIX
	install -D build/conclave $(DESTDIR)$(PREFIX)/bin/conclave
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 build/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -D -m 644 build/completion/bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/conclave
	install -D -m 644 build/completion/zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_conclave
	install -D -m 644 build/completion/fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/conclave.fish
	for file in $(PAGES); do \
	    install -D -m $$([ -x $$file ] && echo 755 || echo 644) $$file $(DESTDIR)$(PREFIX)/share/doc/conclave/$$file || exit 1; done

uninstall: build/man/.made ## remove what 'make install' put under the same PREFIX
	rm -f $(DESTDIR)$(PREFIX)/bin/conclave $(patsubst build/man/%,$(DESTDIR)$(PREFIX)/share/man/man1/%,$(wildcard build/man/*.1)) \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/conclave $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_conclave \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/conclave.fish
	for file in $(PAGES); do rm -f $(DESTDIR)$(PREFIX)/share/doc/conclave/$$file || exit 1; done
	[ ! -d $(DESTDIR)$(PREFIX)/share/doc/conclave ] || find $(DESTDIR)$(PREFIX)/share/doc/conclave -depth -type d -empty -delete

# ---- packages --------------------------------------------------------------------------------

dist: build/gen/web.c ## build/dist: the archive of the last commit with its checksum; the same commit gives the same bytes
	@tools/need package
	@tools/dist $(VERSION)

deb: dist ## build/deb: the Debian package, checked by lintian
	@tools/deb $(VERSION)

try-deb: deb ## install the package in a fresh Debian, boot it, use the service, remove it (as root, some minutes)
	@tools/need try
	@test/packages/try-deb build/deb/conclave_$(VERSION)_*.deb

# ---- tests -----------------------------------------------------------------------------------

# A test is compiled when it has changed and linked again when the sources have.
build/asan/test_%.o: test/unit/test_%.c | build/.need-test
	$(call say,cc)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror -Itest $(SANITIZE) -O0 -c -o $@ $<

build/asan/sqlite_memory.o: test/sqlite_memory.c | build/.need
	$(call say,cc)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror $(SANITIZE) -c -o $@ $<

build/asan/%.o: test/fuzz/%.c | build/.need-test
	$(call say,cc)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror -Itest $(SANITIZE) -c -o $@ $<

# Tests do not depend on the commit: another one links none of them again.
build/asan/test_%: build/asan/test_%.o build/asan/sqlite_memory.o build/asan/lib.a | build/gen/commit.o
	$(call say,test)
	$(Q)$(LINK_ASAN) -o $@ $(filter %.o %.a,$^) build/gen/commit.o $(LIBS) -lcmocka -ljansson

# The corpora are replayed without libFuzzer, by a main that calls the target for each file.
build/asan/fuzz_%: build/asan/fuzz_%.o build/asan/replay.o build/asan/lib.a | build/gen/commit.o
	$(call say,test)
	$(Q)$(LINK_ASAN) -o $@ $^ build/gen/commit.o $(LIBS)

# Steps, not seconds: every basic block of these objects reports to the test, their memory calls are counted by the byte.
# Only the readers of outside bytes and what they need; what is missing here does not link.
SRC_steps := $(sort $(wildcard $(addprefix src/,$(addsuffix .c,base/* dialogue/words/* dialogue/text/* dialogue/import/script* \
    dialogue/import/dates dialogue/import/grid dialogue/import/threads dialogue/intake/* dialogue/lint/* \
    door/install/edit door/install/jsonc door/install/toml_block kit/template/*))) \
    $(addprefix src/,kit/findings.c kit/notice.c kit/query.c kit/shape.c kit/snippet.c dialogue/people.c dialogue/place.c \
    dialogue/snapshot.c dialogue/state.c dialogue/types.c project/phrases.c record/hash.c record/record.c record/stored.c record/type.c))
COUNTED := memchr memcmp memcpy memset vsnprintf
build/steps/%.o: src/%.c | build/.need
	$(call say,cc)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror -O1 -fno-builtin -fsanitize-coverage=trace-pc -c -o $@ $<

STEPPED := linear openers
$(STEPPED:%=build/asan/test_%): build/asan/test_%: test/unit/test_%.c build/steps/lib.a | build/.need-test
	$(call say,test)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror -Itest -O1 -g -MF $@.d -o $@ $(filter %.c %.a,$^) \
	    $(COUNTED:%=-Wl,--wrap=%) $(LIBS) -lcmocka

build/fuzz/fuzz_%: test/fuzz/fuzz_%.c build/fuzz/lib.a | build/gen/commit.o
	$(call say,fuzz)
	$(Q)$(CLANG) $(COMPILE) -Werror -Itest $(SANITIZE) -fsanitize=fuzzer -MF $@.d -o $@ $(filter %.c %.a,$^) build/gen/commit.o $(LIBS)

TEST_PROGRAMS := $(UNIT:%=build/asan/test_%)
REPLAYS  := $(FUZZERS:%=build/asan/fuzz_%)
fuzz-build: $(FUZZERS:%=build/fuzz/fuzz_%)

# $(call npm_ci,FOLDER): the packages of its lock file.
define npm_ci
	$(call say,npm)
	$(Q)if tools/npm-ci $(1); then touch $@; else \
	    echo "npm failed: what needs its packages is skipped, which fails where CI is set" >&2; \
	    case "$${CI-}" in ""|0|false) ;; *) exit 1 ;; esac; fi
endef

# The protocol's conformance suite and its own clients; also what `make bench` is compared with.
build/.need-npm: test/mcp/package-lock.json tools/need
	$(call npm_ci,test/mcp)

# Agents that people use: Claude Code and Codex, 330 MB to fetch.
build/.need-clients: test/clients/package-lock.json tools/need
	$(call npm_ci,test/clients)

# Both are fetched while the compilers work: what is listed first begins first, and the tests wait for the end of it.
build/.begun-npm: test/mcp/package-lock.json test/clients/package-lock.json tools/need
	$(Q)mkdir -p build
	$(Q)[ build/.need-clients -nt test/clients/package-lock.json ] || tools/npm-ci --begin test/clients
	$(Q)[ build/.need-npm -nt test/mcp/package-lock.json ] || tools/npm-ci --begin test/mcp
	$(Q)touch $@

# Real servers, which the tests start (test/postgres/server), and the proxy in front of them.
build/.need-postgres: tools/need
	@mkdir -p build
	@if tools/need postgres; then touch $@; else \
	    echo "no PostgreSQL: what needs a server is skipped, which fails where CI is set" >&2; \
	    case "$${CI-}" in ""|0|false) ;; *) exit 1 ;; esac; fi

build/postgres/proxy: test/postgres/proxy.c | build/.need
	$(call say,test)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror $(CFLAGS) -MF $@.d -o $@ $<

# A real browser, for the tests of the dashboard.
build/.need-browser: tools/need
	@mkdir -p build
	@if tools/need browser; then touch $@; else \
	    echo "no browser: what needs one is skipped, which fails where CI is set" >&2; \
	    case "$${CI-}" in ""|0|false) ;; *) exit 1 ;; esac; fi

build/kill_at: test/kill_at.c | build/.need
	$(call say,test)
	$(Q)mkdir -p $(@D) && $(CC) $(COMPILE) -Werror $(CFLAGS) -MF $@.d -o $@ $<

build/asan/mcp_fixture: test/mcp/fixture.c test/mcp/ask.h build/asan/sqlite_memory.o build/asan/lib.a
	$(call say,test)
	$(Q)$(LINK_ASAN) $(COMPILE) -Werror -Itest -MF $@.d -o $@ $(filter %.c %.o %.a,$^) $(LIBS)

# The program with one room more: its own list of rooms replaces src/rooms.c, its own migrations follow those
# of the program.
TOY      ?= test/toy
build/gen/sql_toy.c: tools/embed $(wildcard sql/sqlite/*.sql $(TOY)/*.sql)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed -n sqlite sql/sqlite/statements.sql $(sort $(wildcard sql/sqlite/[0-9]*.sql)) \
	    $(sort $(wildcard $(TOY)/[0-9]*.sql)) >$@

build/gen/sql_toy_postgres.c: tools/embed $(wildcard sql/postgres/*.sql $(TOY)/postgres/*.sql)
	$(call say,embed)
	$(Q)mkdir -p $(@D) && tools/embed -n postgres sql/postgres/statements.sql $(sort $(wildcard sql/postgres/[0-9]*.sql)) \
	    $(sort $(wildcard $(TOY)/postgres/[0-9]*.sql)) >$@

build/asan/conclave_toy: $(wildcard $(TOY)/*.c) build/gen/sql_toy.o build/gen/sql_toy_postgres.o build/gen/commit.o build/asan/main.o build/asan/sqlite_memory.o build/asan/lib.a
	$(call say,test)
	$(Q)$(LINK_ASAN) $(STATIC_ASAN) $(COMPILE) -Werror -Itest -MF $@.d -o $@ $(filter %.c %.o %.a,$^) $(LIBS_INSIDE)

# What tools/test runs: of one module only its own programs, and what scripts of servers need only if it has a script.
PROGRAMS := build/conclave build/asan/conclave build/kill_at build/postgres/proxy
SERVED   := build/asan/mcp_fixture build/asan/conclave_toy build/.need-browser build/.need-npm
ifeq ($(T),)
TESTED   := build/.begun-npm $(PROGRAMS) $(TEST_PROGRAMS) $(REPLAYS) $(SERVED) build/.need-postgres build/.need-clients
else
TESTED   := $(PROGRAMS) build/.need-postgres $(if $(wildcard test/e2e/$(T).sh test/checks/$(T).sh),$(SERVED)) $(if $(filter clients%,$(T)),build/.need-clients) \
    $(filter %/test_$(T) %/fuzz_$(T),$(TEST_PROGRAMS) $(REPLAYS))
endif

test: $(TESTED) ## everything that can fail; T=module for one, TIMES=1 for what each costs
	@TIMES="$(TIMES)" tools/test $(T)

asan: build/asan/conclave $(TEST_PROGRAMS) ## the sanitized program and unit tests

# Only what has threads: the servers, by the scripts that press them, watch, and the scan of notes. A race ends its program with
# status 66.
build/tsan/conclave: build/tsan/main.o build/gen/commit.o build/tsan/lib.a
	$(call say,link)
	$(Q)$(CC) $(THREADS) -o $@ $^ $(LIBS)

build/tsan/mcp_fixture: test/mcp/fixture.c test/mcp/ask.h build/tsan/lib.a
	$(call say,test)
	$(Q)$(CC) $(COMPILE) -Werror -Itest $(THREADS) -MF $@.d -o $@ $(filter %.c %.a,$^) $(LIBS)

tsan: build/tsan/conclave build/tsan/mcp_fixture build/conclave build/.need-npm ## what has threads with ThreadSanitizer: the servers, the scan of notes
	@for t in api feed mcp_edges mcp_sessions mcp_tools mcp_conformance mcp_hostile mcp_pressed notes_threads; do \
	    CONCLAVE=build/tsan/conclave MCP_FIXTURE=build/tsan/mcp_fixture tools/test $$t || exit 1; done

soak: $(TESTED) fuzz-build ## the long versions of what test runs short
	CV_SOAK=1 tools/test $(T)
	$(if $(T),,CV_SOAK=1 CONCLAVE_TEST_STORE=postgres tools/test)
	for t in $(FUZZERS); do tools/fuzz $$t 1800 || exit 1; done

fuzz: fuzz-build ## fuzz one target: make fuzz T=marker S=60
	tools/fuzz "$(T)" "$(S)"

update: $(filter-out $(SERVED) build/.begun-npm build/.need-clients $(REPLAYS),$(TESTED)) ## rewrite golden files; read the diff
	CV_UPDATE=1 tools/test $(T)

# ---- speed and style ---------------------------------------------------------------------------

build/bench: $(wildcard test/bench/*.c) build/release/lib.a | $(wildcard test/bench/*.h) build/gen/commit.o build/.need-test
	$(call say,link)
	$(Q)$(CC) -std=c17 $(WARN) $(CPPFLAGS) -Itest $(CFLAGS) -o $@ $^ build/gen/commit.o $(LIBS) -lmd4c -lcjson

bench: build/bench build/conclave build/postgres/proxy ## the promised ratios, each against its rival in the same run; T=section for one
	@$(MAKE) build/.need-postgres || echo "without PostgreSQL, its sections are skipped"
	@$(MAKE) build/.need-npm || echo "without npm, the MCP servers are measured without their rivals"
	@build/bench $(T)

lint: | build/.need-test ## both compilers without a warning, clang-tidy, formatting
	tools/lint

format: | build/.need-test ## clang-format over everything
	clang-format -i $$(git ls-files '*.c' '*.h')

build/.need: tools/need
	@mkdir -p build
	@tools/need build && touch $@

# For all tests at once, beside the compilers: each call of the installer takes seconds.
ALL_TESTS := $(if $(T),,$(if $(filter test soak,$(MAKECMDGOALS)),postgres browser))
build/.need-test: tools/need
	@mkdir -p build
	@tools/need build test $(ALL_TESTS) || tools/need build test
	@touch $@

clean: ## forget everything built
	rm -rf build

-include $(wildcard build/*/*.d build/*/*/*.d build/*/*/*/*.d)
