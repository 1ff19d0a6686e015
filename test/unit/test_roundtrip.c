/* test_roundtrip.c - what is written is read back: over thousands of generated documents and texts.
 *
 *     x     a document from generated JSON, as `conclave render` reads it (or refuses it, with the place)
 *     (a)   parse(render(x)) == x                     as JSON without places and inline marks
 *     (b)   render(parse(render(x))) == render(x)     byte for byte
 *     (c)   read(print(x)) == x                       as JSON, and rendered to the same bytes
 *
 *     t     any text; d = parse(t)
 *     (d)   parse(render(d)) == d                     inline marks included
 *     (e)   render is stable, and the JSON of d is accepted and renders to the same bytes
 *
 * A failure prints the seed and the smallest case that shrinking finds. CV_SEED=n begins with that case.
 */
#include "document.h"
#include "testing.h"

#include "base/utf8.h"
#include "dialogue/text/doc.h"

/* ---- the properties ---------------------------------------------------------------------------- */

static bool read_json(cv_arena *a, cv_str json, cv_doc *ret_doc, cv_errs *errs)
{
    cv_json tree;
    cv_err err = {.arena = a};
    if (!cv_json_parse(a, json, &tree, &err)) {
        *CV_PUSH(a, errs) = err;
        return false;
    }
    return cv_doc_read_json(a, json, &tree, ret_doc, errs);
}

static void forget_inline_in(cv_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        blocks->items[i].inline_marks.count = 0;
}

/* Inline marks follow from the text: JSON that was not parsed from one has none. */
static void forget_inline(cv_doc *doc)
{
    forget_inline_in(&doc->intro);
    for (size_t i = 0; i < doc->sections.count; i++) {
        cv_section *s = &doc->sections.items[i];
        forget_inline_in(&s->content);
        for (size_t k = 0; k < s->agents.count; k++)
            forget_inline_in(&s->agents.items[k].content);
    }
}

/* Which property a case breaks, and the two texts that should be equal; NULL: all hold. */
typedef struct {
    const char *what;
    cv_str one, other;
    bool refused;
} verdict;

static verdict differ(const char *what, cv_str one, cv_str other)
{
    return (verdict){cv_str_eq(one, other) ? NULL : what, one, other, false};
}

static verdict through_json(cv_arena *a, cv_str json, cv_str markdown)
{
    cv_doc back;
    cv_errs errs = {0};
    if (!read_json(a, json, &back, &errs))
        return (verdict){"the JSON of a document is accepted", json, cv_err_text(&errs.items[0]), false};
    verdict v = differ("through JSON to the same markdown", markdown, cv_document_rendered(a, &back));
    return v;
}

static verdict check_json(cv_arena *a, cv_str source)
{
    cv_doc x, y, z;
    cv_errs errs = {0};
    if (!read_json(a, source, &x, &errs)) {
        bool told = errs.count > 0 && errs.items[0].message.n > 0 && errs.items[0].line > 0;
        return (verdict){told ? NULL : "a refusal says why and where", source, source, true};
    }
    cv_str json = cv_document_json(a, &x, false), markdown = cv_document_rendered(a, &x);
    cv_doc_parse(a, markdown, &y, NULL);
    verdict v = differ("(b) render(parse(render(x))) == render(x)", markdown, cv_document_rendered(a, &y));
    if (v.what)
        return v;
    forget_inline(&y);
    v = differ("(a) parse(render(x)) == x", json, cv_document_json(a, &y, false));
    if (v.what)
        return v;
    v = through_json(a, json, markdown);
    if (v.what)
        return v;
    errs.count = 0;
    read_json(a, json, &z, &errs);
    return differ("(c) read(print(x)) == x", json, cv_document_json(a, &z, false));
}

static verdict check_text(cv_arena *a, cv_str text)
{
    cv_doc d, again;
    if (cv_utf8_valid(text) < text.n)
        return (verdict){0};
    cv_doc_parse(a, text, &d, NULL);
    cv_str json = cv_document_json(a, &d, false), markdown = cv_document_rendered(a, &d);
    cv_doc_parse(a, markdown, &again, NULL);
    verdict v = differ("(d) parse(render(d)) == d", json, cv_document_json(a, &again, false));
    if (v.what)
        return v;
    v = differ("(e) render(parse(render(d))) == render(d)", markdown, cv_document_rendered(a, &again));
    return v.what ? v : through_json(a, json, markdown);
}

typedef verdict (*property)(cv_arena *a, cv_str source);

static bool breaks(property check, cv_str source)
{
    cv_arena a = {0};
    bool broken = check(&a, source).what != NULL;
    cv_arena_release(&a);
    return broken;
}

/* Takes pieces out as long as the property stays broken: halves, quarters … single bytes. Cutting JSON anywhere mostly
 * makes it no JSON, which breaks nothing; what is left is small enough to read. */
static cv_str shrink(cv_arena *a, property check, cv_str source)
{
    char *best = cv_arena_copy_z(a, source);
    size_t n = source.n, tries = 0;
    for (size_t piece = n / 2; piece > 0 && tries<20000; piece = piece> 1 ? (piece + 1) / 2 : 0)
        for (size_t at = 0; at + piece <= n && tries < 20000; tries++) {
            char *less = cv_arena_copy_z(a, (cv_str){best, n});
            memmove(less + at, less + at + piece, n - at - piece);
            if (breaks(check, (cv_str){less, n - piece})) {
                best = less;
                n -= piece;
            } else {
                at += piece;
            }
            if (piece == 1 && at + piece > n)
                break;
        }
    return (cv_str){best, n};
}

static void report(property check, cv_str source, uint64_t seed)
{
    cv_arena a = {0};
    cv_str small = shrink(&a, check, source);
    verdict v = check(&a, small);
    if (!v.what)
        v = check(&a, small = source);
    print_error("CV_SEED=%llu breaks %s\n---- case\n%.*s\n---- found\n%.*s\n---- instead of\n%.*s\n----\n",
                (unsigned long long)seed, v.what, CV_FMT(small), CV_FMT(v.other), CV_FMT(v.one));
    cv_arena_release(&a);
    fail();
}

/* ---- words and lines --------------------------------------------------------------------------- */

typedef struct {
    cv_test_random random;
    cv_buf out;
    cv_json_writer w;
} maker;

static size_t below(maker *m, size_t limit)
{
    return cv_test_below(&m->random, limit);
}

static bool one_in(maker *m, size_t n)
{
    return below(m, n) == 0;
}

#define PICK(m, list) ((list)[below((m), sizeof(list) / sizeof *(list))])

static const char *const scraps[] = {
    "[",
    "]",
    "[]",
    "[x]",
    "\\",
    "\\\\",
    "`",
    "``",
    ":",
    "-",
    "--",
    "—",
    "–",
    "→",
    "|",
    "\\|",
    "🧁",
    "💙",
    "é",
    "Ж",
    "日本",
    "T01",
    "T1",
    "P0101",
    "T-NEW",
    "and",
    "on",
    "to",
    "final",
    "{",
    "}",
    "(x)",
    "(",
    ")",
    "*",
    "**",
    "_",
    "#",
    "##",
    "Round",
    "0",
    "1",
    "Judge",
    "/",
    ",",
    "&",
    " ",
    "  ",
    "\t",
    "\f",
    "word",
    "a",
    "Z",
    "@muffin",
    "Muffin",
    "Final",
    "INTERIM",
    "SUPPORT",
    "MUFFIN",
    "R1-T01",
    "\u00a0",
    "e\u0301",
    "\U0001F468\u200D\U0001F373",
    ".",
    "!",
    "x",
    "MUFFIN-P0101",
    "[RESOLVED T01]",
    "[P0001: x]",
    "[RE:SUPPORT P0001]",
    "Round 2",
    "\\[",
    "~~~",
    "```",
    "---",
    "Strudel",
};

static const char *const structures[] = {
    "# Title",
    "## Round 2",
    "## Round 1: Label",
    "## Expert Panel",
    "## Scoreboard (Final)",
    "## Anything",
    "## 💙 Judge: Round 0 Assessment",
    "### Muffin 🧁",
    "### 🧁 Muffin (Role)",
    "### Judge 💙",
    "### Plain",
    "#### Four",
    "---",
    "***",
    "___",
    "- - -",
    "| a | b |",
    "|---|---|",
    "| **Key** | value |",
    "| | |",
    "**Key**: v",
    "**Key:** v",
    "**Status**:",
    "[RESOLVED T01]",
    "[PERSPECTIVE P01: label]",
    "- [RESOLVED T02]: why",
    "**[TENSION T03: x]**",
    "[MUFFIN-P0101]",
    "[P0001: x] (muffin)",
    "{DESCENT: down}",
    "[RESOLVED T01",
    "```",
    "```c",
    "~~~",
    "~~~~",
    "````",
    "- item",
    "* item",
    "1. item",
    "> quote",
    "text",
    "text [RESOLVED T01] more",
    "`[RESOLVED T01]`",
    "\\",
    "\\\\",
    "\\[RESOLVED T01]",
    "\\\\[RESOLVED T01] x [RESOLVED T02]",
    "\\---",
    "\\```",
    "\\# Title",
    "[link](x)",
    "[x] done",
    "**Move**: [ACCEPT] T03 closed",
    "## [MOVE:CONVERGE]",
    "1. [CLAIM C01: x]",
    "| [P0001: a \\| b] | \\\\[x] |",
    "—",
    "text `code",
    "code` [RESOLVED T03]",
    "[RESOLVED T01] ```",
    "[A] [RESOLVED T01] [RESOLVED T02]: x",
    "\ufeff# x",
};

static void add_scraps(maker *m, cv_buf *b, size_t most)
{
    for (size_t n = below(m, most + 1); n > 0; n--) {
        cv_buf_add_z(b, PICK(m, scraps));
        if (one_in(m, 2))
            cv_buf_add_char(b, ' ');
    }
}

/* A line of anything; mostly harmless words, sometimes scraps of syntax. */
static void add_line(maker *m, cv_buf *b)
{
    static const char *const plain[] = {"Income mandate", "Opening Arguments", "a simple line", "Größe", "x", "Final"};
    if (one_in(m, 3))
        cv_buf_add_z(b, PICK(m, plain));
    else
        add_scraps(m, b, 7);
}

static void add_text(maker *m, cv_buf *b)
{
    for (size_t lines = 1 + below(m, 7); lines > 0; lines--) {
        static const char *const indents[] = {"", "", "", "", " ", "    ", "\t", "\f", "\\", "\\\\", " \\", "> "};
        static const char *const ends[] = {"\n",   "\n",  "\n",   "\n",     "\n",   "\n\n",
                                           "\n\n", " \n", "\r\n", "\r\r\n", "  \n", "\n \n"};
        cv_buf_add_z(b, PICK(m, indents));
        if (one_in(m, 2))
            cv_buf_add_z(b, PICK(m, structures));
        else
            add_line(m, b);
        cv_buf_add_z(b, lines > 1 || one_in(m, 4) ? PICK(m, ends) : "");
    }
}

/* ---- documents as JSON --------------------------------------------------------------------------- */

static void put(maker *m, const char *key, void (*add)(maker *, cv_buf *))
{
    cv_buf b = {0};
    add(m, &b);
    cv_json_key_str(&m->w, key, cv_buf_str(&b));
    cv_buf_release(&b);
}

static void put_word(maker *m, const char *key, const char *word)
{
    cv_json_key_str(&m->w, key, cv_str_of(word));
}

static const char *const ids[] = {"P01",       "T01",   "P1",     "T001",         "P100",
                                  "T1.1",      "T1-S",  "T04-R1", "T01-RESPONSE", "T-NEW",
                                  "P01-M",     "P0101", "T9999",  "MUFFIN-P0101", "muffin-t0102",
                                  "A-B-R0001", "E01",   "C07",    "R2",           "MUFFIN R1-T01"};
static const char *const targets[] = {"P01",      "T1",   "P0001", "MUFFIN-R0101",  "@muffin",
                                      "@Donut-2", "T1.1", "T-NEW", "STRUDEL R1-T01"};

static void put_list(maker *m, const char *key, const char *const *words, size_t count, size_t most)
{
    size_t n = below(m, most + 1);
    if (n == 0)
        return;
    cv_json_key(&m->w, cv_str_of(key));
    cv_json_begin_array(&m->w);
    while (n-- > 0)
        cv_json_str(&m->w, cv_str_of(words[below(m, count)]));
    cv_json_end_array(&m->w);
}

/* A mark that mostly fits its kind; sometimes none that could be written. */
static void put_mark(maker *m)
{
    static const char *const by[] = {"muffin", "Cupcake", "x-1"};
    static const char *const letters = "PRTEC";
    size_t type = below(m, CV_MARK_COUNT);
    bool other = type == CV_MARK_OTHER, entity = type < CV_KIND_COUNT;
    cv_mark_shape shape = cv_marks_table[type].shape;
    put_word(m, "mark", cv_mark_names.items[type].p);
    if (other) {
        static const char *const words[] = {"DESCENT", "ASCENT-TWO", "A B C", "DESCENT  X"};
        put_word(m, "style", "brace");
        put_word(m, "word", PICK(m, words));
    } else if (entity && one_in(m, 3)) {
        char id[16];
        bool local = one_in(m, 2);
        snprintf(id, sizeof id, "%s%c%02zu%02zu", local ? "MUFFIN-" : "", letters[type], below(m, 100), below(m, 100));
        put_word(m, "style", local ? "local" : "global");
        put_word(m, "id", id);
        if (!local)
            put_list(m, "by", by, 3, 3);
    } else if (entity && !one_in(m, 8)) {
        put_word(m, "id", PICK(m, ids));
        if (one_in(m, 2))
            put_word(m, "style", "classic");
    } else if (shape == CV_SHAPE_REF || shape == CV_SHAPE_MOVE) {
        static const char *const types[] = {
            "support", "SUPPORT", "bridge", "request", "converge", "other", "conditional-converge"};
        if (!one_in(m, 6))
            put_word(m, "type", PICK(m, types));
    } else if (shape == CV_SHAPE_VERDICT && one_in(m, 2)) {
        static const char *const types[] = {"interim", "FINAL", "minority"};
        put_word(m, "type", PICK(m, types));
    }
    if (shape == CV_SHAPE_TARGETS || shape == CV_SHAPE_REF || shape == CV_SHAPE_MOVE)
        put_list(m, "targets", targets, sizeof targets / sizeof *targets, 3);
    if (!one_in(m, 4))
        put(m, "label", add_line);
    if (!one_in(m, 3))
        put(m, "body", add_text);
}

static void put_row(maker *m)
{
    cv_json_begin_array(&m->w);
    for (size_t n = 1 + below(m, 4); n > 0; n--) {
        cv_buf b = {0};
        if (!one_in(m, 6))
            add_line(m, &b);
        cv_json_str(&m->w, cv_buf_str(&b));
        cv_buf_release(&b);
    }
    cv_json_end_array(&m->w);
}

static void put_table(maker *m)
{
    cv_json_key(&m->w, CV_STR("columns"));
    put_row(m);
    cv_json_key(&m->w, CV_STR("rows"));
    cv_json_begin_array(&m->w);
    for (size_t n = below(m, 4); n > 0; n--)
        put_row(m);
    cv_json_end_array(&m->w);
}

static void put_blocks(maker *m, const char *key, bool tables)
{
    cv_json_key(&m->w, cv_str_of(key));
    cv_json_begin_array(&m->w);
    for (size_t n = below(m, 4); n > 0; n--) {
        cv_json_begin_object(&m->w);
        if (tables && one_in(m, 2))
            put_table(m);
        else if (one_in(m, 2))
            put_mark(m);
        else
            put(m, "text", add_text);
        cv_json_end_object(&m->w);
    }
    cv_json_end_array(&m->w);
}

static void put_agent(maker *m)
{
    static const char *const names[] = {"Muffin", "Donut", "Pain au chocolat", "Judge", "Éclair", "plain"};
    static const char *const emoji[] = {"🧁", "💙", "🍩", "👩\u200D🍳", "♥\uFE0F"};
    cv_json_begin_object(&m->w);
    if (one_in(m, 12))
        put(m, "name", add_line);
    else
        put_word(m, "name", PICK(m, names));
    if (one_in(m, 2))
        put_word(m, "emoji", PICK(m, emoji));
    if (one_in(m, 3))
        put(m, "role", add_line);
    put_blocks(m, "content", false);
    cv_json_end_object(&m->w);
}

static void put_section(maker *m, int *round)
{
    size_t kind = one_in(m, 2) ? CV_SECTION_ROUND : below(m, CV_SECTION_KIND_COUNT);
    cv_json_begin_object(&m->w);
    cv_json_key_str(&m->w, "kind", cv_section_words.items[kind]);
    if (kind == CV_SECTION_ROUND || (kind == CV_SECTION_JUDGE && one_in(m, 2)))
        cv_json_key_int(&m->w, "round", one_in(m, 10) ? (int64_t)below(m, 120) : (*round)++);
    if (kind == CV_SECTION_OTHER || one_in(m, 2))
        put(m, "label", add_line);
    put_blocks(m, "content", kind <= CV_SECTION_TENSIONS);
    if (kind == CV_SECTION_ROUND) {
        cv_json_key(&m->w, CV_STR("agents"));
        cv_json_begin_array(&m->w);
        for (size_t n = below(m, 3); n > 0; n--)
            put_agent(m);
        cv_json_end_array(&m->w);
    }
    cv_json_end_object(&m->w);
}

static void put_metadata(maker *m)
{
    static const char *const keys[] = {"Status", "Participants", "Key two", "Draft", "Größe", "a:b", "x*y"};
    cv_json_key(&m->w, CV_STR("metadata"));
    cv_json_begin_array(&m->w);
    for (size_t n = below(m, 4); n > 0; n--) {
        cv_json_begin_object(&m->w);
        if (one_in(m, 20))
            put(m, "key", add_line);
        else
            put_word(m, "key", PICK(m, keys));
        if (!one_in(m, 4))
            put(m, "value", add_line);
        cv_json_end_object(&m->w);
    }
    cv_json_end_array(&m->w);
}

static cv_str make_document(cv_arena *a, uint64_t seed)
{
    maker m = {.random = {seed}};
    m.w = (cv_json_writer){.out = &m.out, .indent = 1};
    cv_json_begin_object(&m.w);
    if (!one_in(&m, 4))
        put(&m, "title", add_line);
    put_metadata(&m);
    put_blocks(&m, "intro", false);
    cv_json_key(&m.w, CV_STR("sections"));
    cv_json_begin_array(&m.w);
    int round = one_in(&m, 4) ? 1 : 0;
    for (size_t n = below(&m, 4); n > 0; n--)
        put_section(&m, &round);
    cv_json_end_array(&m.w);
    cv_json_end_object(&m.w);
    return cv_buf_take(&m.out, a);
}

/* ---- texts ------------------------------------------------------------------------------------- */

static const char *const documents[] = {"test/golden/text/spec-response.md", "test/golden/doc/canonical.md",
                                        "test/golden/doc/deviant.md"};

/* Replaces, removes or doubles a piece. */
static cv_str mutate(cv_arena *a, maker *m, cv_str s)
{
    size_t at = below(m, s.n + 1), n = below(m, 12);
    cv_buf b = {0};
    cv_buf_add(&b, cv_str_head(s, at));
    if (one_in(m, 2))
        cv_buf_add_z(&b, one_in(m, 2) ? PICK(m, scraps) : PICK(m, structures));
    cv_buf_add(&b, cv_str_from(s, one_in(m, 2) ? at + n : at > n ? at - n : at));
    return cv_buf_take(&b, a);
}

static cv_str make_text(cv_arena *a, uint64_t seed, const cv_str *files)
{
    maker m = {.random = {seed}};
    if (one_in(&m, 2)) {
        cv_str s = files[below(&m, sizeof documents / sizeof *documents)];
        size_t from = below(&m, s.n), most = 600;
        s = one_in(&m, 2) ? cv_str_head(cv_str_from(s, from), most) : s;
        for (size_t n = 1 + below(&m, 8); n > 0; n--)
            s = mutate(a, &m, s);
        return s;
    }
    for (size_t n = 1 + below(&m, 5); n > 0; n--)
        add_text(&m, &m.out);
    return cv_buf_take(&m.out, a);
}

/* Mutations cut characters apart; bytes that are not text cannot come from a file. */
static cv_str without_ruins(cv_arena *a, cv_str s)
{
    char *p = cv_arena_copy_z(a, s);
    for (size_t valid; (valid = cv_utf8_valid((cv_str){p, s.n})) < s.n;)
        p[valid] = '?';
    return (cv_str){p, s.n};
}

/* ---- the tests --------------------------------------------------------------------------------- */

static void test_documents(void **state)
{
    (void)state;
    size_t count = cv_test_soak() ? 600000 : 6000, refused = 0, total = count;
    uint64_t seed = cv_test_seed();
    for (; count > 0; count--, seed++) {
        cv_arena a = {0};
        cv_str source = make_document(&a, seed);
        verdict v = check_json(&a, source);
        refused += v.refused;
        if (v.what)
            report(check_json, source, seed);
        cv_arena_release(&a);
    }
    assert_true(refused < total / 2); /* a generator that is mostly refused shows nothing */
}

static void test_texts(void **state)
{
    (void)state;
    cv_arena files_arena = {0};
    cv_str files[sizeof documents / sizeof *documents];
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        files[i] = cv_test_read(&files_arena, documents[i]);
    size_t count = cv_test_soak() ? 3000000 : 30000;
    for (uint64_t seed = cv_test_seed(); count > 0; count--, seed++) {
        cv_arena a = {0};
        cv_str text = without_ruins(&a, make_text(&a, seed, files));
        if (check_text(&a, text).what)
            report(check_text, text, seed);
        cv_arena_release(&a);
    }
    cv_arena_release(&files_arena);
}

/* Found by the above and by fuzzing; each is one rule of the format. */
static const char *const regressions[] = {
    "a\r\r\nb\n",                                       /* several carriage returns at the end of a line */
    "```\n[RESOLVED T01] x\nsee [RESOLVED T02]\n",      /* an unclosed fence is closed, not escaped */
    "\\```\nsee [RESOLVED T02]\n```\nx\n```\n",         /* an escaped fence is none */
    "[CLAIM C01: x] ```json\n## Round 2\n```\nafter\n", /* a fence behind a mark begins its text */
    "[CLAIM C01] ``` [CLAIM C02]\nx\n",                 /* … between two marks it is one line of text */
    "[CLAIM C01: x] \\[RESOLVED T02]\n",                /* an escaped mark behind a mark */
    "\\\\[RESOLVED T02]\n",                             /* a line with two backslashes */
    "## Scoreboard\n| [P0001: \\\\x] | a  [RESOLVED  T01:  b]  c |\n", /* marks in cells, behind their escapes */
    "## Scoreboard\n| [P0001: a \\| b] tail | [MINORITY  VERDICT: x] |\n",
    "| **A [x]** | v |\n", /* metadata in a table that no line could hold */
    "| **Moves** | [MOVE:CONVERGE] |\n",
    "## Round 0\n### 🧁 🍩 Muffin\n### 🧁 Muffin 🧁\n", /* emoji inside names */
    "## Expert Panel\n| Muffin\f🧁 |\n|---|\n| Muffin\f🧁 |\n## Round 0\n### Muffin\f🧁\n",
    "[CLAIM C01: \\ x]\n",            /* a backslash before a blank */
    "[P0001: x] (muffin ,cupcake)\n", /* contributors */
    "{DESCENT  TWO : x}\n{AB : x}\n", /* words of brace marks */
    "# \\\n[RESOLVED T01]\n# Foo\n",  /* a title of one backslash */
    "## \\\n",
    "\ufeff\ufeff# x\n",            /* two byte order marks */
    "## 💙 Judge: \\: Round 0  x\n", /* a guarded label is one line too */
    "[RE: DONUT-R0001]``````und [RE:SUPPORT P0001] 20`\n",
    "## Round 0\n### 🧁 [MOVE:\n",                         /* a name that would be a mark */
    "\n\ufeff\n",                                            /* a byte order mark that is text */
    "\\ [P0001:]\n",                                         /* a backslash before a blank escapes nothing */
    "\f**Move**:[ACCEPT\n",                                  /* all white space counts */
    "```\nx\n\v```\ny\n",                                    /* a fence closed behind other white space */
    "x\n\r\ny\n",                                            /* a carriage return on a blank line */
    "**Statu*:** x\n",                                       /* a key that ends in a star */
    "[MOVE:T-N[\n",                                          /* a target where the move's word is missing */
    "**Move\t**:[ACCEPT\n",                                  /* white space inside the bold word */
    "[MOVE:T-s\n",                                           /* … and what would be one in capitals */
    "## Round 2026: x\n",                                    /* more rounds than ids can name */
    "## Round 1: a\n## 💙 Judge: Round 1 x\n## Round 2: b\n", /* rounds from 1 */
    "**Participants**:\n- 🧁 Muffin\n- Donut\n## Round 0\n### Muffin\n### Donut (x)\n",
};

static void test_regressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof regressions / sizeof *regressions; i++) {
        cv_arena a = {0};
        if (check_text(&a, cv_str_of(regressions[i])).what)
            report(check_text, cv_str_of(regressions[i]), i);
        cv_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regressions),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
