/* words.c - texts and queries as FTS5's tokenizer sees them; see words.h. */
#include "record/sqlite/words.h"

#include "base/limits.h"
#include "base/utf8.h"

/* ---- scripts without spaces -------------------------------------------------------------------- */

/* Cuts the next piece off: one character that is a word, or the text up to the next such. */
static bool next_piece(cv_str *rest, cv_str *ret_piece, bool *ret_alone)
{
    const char *from = rest->p;
    if (rest->n == 0)
        return false;
    *ret_alone = false;
    while (rest->n > 0) {
        cv_str after = *rest;
        uint32_t code = (unsigned char)rest->p[0];
        if (code < 0xE0 || !cv_utf8_next(&after, &code)) {
            rest->p++;
            rest->n--;
            continue;
        }
        *ret_alone = cv_utf8_is_unspaced(code);
        if (*ret_alone && rest->p > from) {
            *ret_alone = false;
            break;
        }
        *rest = after;
        if (*ret_alone)
            break;
    }
    *ret_piece = cv_str_range(from, rest->p);
    return true;
}

static void add_spaced(cv_buf *out, cv_str text)
{
    cv_str piece;
    bool alone, before = false;
    for (bool first = true; next_piece(&text, &piece, &alone); first = false, before = alone) {
        if (!first && (alone || before))
            cv_buf_add_char(out, ' ');
        cv_buf_add(out, piece);
    }
}

static void spaced(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    (void)count;
    const char *p = (const char *)sqlite3_value_text(values[0]);
    cv_str text = {p, p ? (size_t)sqlite3_value_bytes(values[0]) : 0}, rest = text, piece;
    bool alone;
    if (!p || (next_piece(&rest, &piece, &alone) && rest.n == 0)) {
        sqlite3_result_value(ctx, values[0]);
        return;
    }
    cv_buf out = {0};
    add_spaced(&out, text);
    sqlite3_result_text64(ctx, out.p, out.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    cv_buf_release(&out);
}

bool cv_sqlite_words_define(sqlite3 *db)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    return sqlite3_create_function_v2(db, "spaced", 1, flags, NULL, spaced, NULL, NULL, NULL) == SQLITE_OK;
}

/* ---- expressions ------------------------------------------------------------------------------- */

static void add_quoted(cv_buf *out, cv_str text)
{
    cv_buf plain = {0};
    add_spaced(&plain, text);
    cv_buf_add_char(out, '"');
    for (size_t i = 0; i < plain.n; i++) {
        cv_buf_add_char(out, plain.p[i] ? plain.p[i] : ' ');
        if (plain.p[i] == '"')
            cv_buf_add_char(out, '"');
    }
    cv_buf_add_char(out, '"');
    cv_buf_release(&plain);
}

/* The shortest beginning of a prefix that counts as it. Only stems of words in plain letters are shortened, and only
 * single words are tried. */
static size_t shortest_prefix(cv_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!cv_is_alpha(text.p[i]))
            return text.n;
    size_t half = (text.n + 1) / 2;
    return half > 3 ? half : text.n > 3 ? 3 : text.n;
}

void cv_sqlite_alternatives_of(cv_arena *a, const cv_search_term *term, cv_sqlite_alternatives *ret)
{
    *ret = (cv_sqlite_alternatives){0};
    *CV_PUSH(a, ret) = (cv_sqlite_alternative){.text = term->text, .prefix = term->prefix};
    for (size_t n = term->text.n; term->prefix && n > shortest_prefix(term->text); n--)
        *CV_PUSH(a, ret) = (cv_sqlite_alternative){.text = cv_str_head(term->text, n - 1)};
    if (term->id.n) {
        cv_buf id = {0};
        for (size_t i = 0; i < term->id.n; i++)
            if (cv_is_alnum(term->id.p[i]))
                cv_buf_add_char(&id, term->id.p[i]);
        *CV_PUSH(a, ret) = (cv_sqlite_alternative){.text = cv_buf_take(&id, a), .id = true};
    }
}

static void add_term(cv_buf *out, const cv_search_term *term)
{
    cv_arena scratch = {0};
    cv_sqlite_alternatives all;
    cv_sqlite_alternatives_of(&scratch, term, &all);
    for (size_t i = 0; i < all.count; i++) {
        cv_buf_add_z(out, i ? " OR " : "(");
        cv_buf_add_z(out, all.items[i].id ? "ids : " : "");
        add_quoted(out, all.items[i].text);
        cv_buf_add_z(out, all.items[i].prefix ? " *" : "");
    }
    cv_buf_add_char(out, ')');
    cv_arena_release(&scratch);
}

/* ((a OR b) AND (c)), or with `any` ((a) OR (b) OR (c)). False when no term is wanted. */
static bool add_wanted(cv_buf *out, const cv_search_words *query)
{
    size_t done = 0;
    for (size_t i = 0; i < query->count; i++) {
        const cv_search_term *term = &query->terms[i];
        if (term->exclude)
            continue;
        bool joins = done > 0 && (term->either || query->any);
        cv_buf_add_z(out, done == 0 ? "((" : joins ? " OR " : ") AND (");
        add_term(out, term);
        done++;
    }
    cv_buf_add_z(out, done ? "))" : "");
    return done > 0;
}

static void add_excluded(cv_buf *out, const cv_search_words *query)
{
    size_t done = 0;
    for (size_t i = 0; i < query->count; i++)
        if (query->terms[i].exclude) {
            cv_buf_add_z(out, done++ ? " OR " : " NOT (");
            add_term(out, &query->terms[i]);
        }
    cv_buf_add_z(out, done ? ")" : "");
}

cv_str cv_sqlite_expression(cv_arena *a, const cv_search_words *query)
{
    cv_buf out = {0};
    if (add_wanted(&out, query))
        add_excluded(&out, query);
    return cv_buf_take(&out, a);
}

/* ---- the tokenizer ------------------------------------------------------------------------------ */

bool cv_sqlite_tokenizer_open(fts5_api *api, cv_sqlite_tokenizer *ret_tokenizer)
{
    const char *arguments[] = {"unicode61", "remove_diacritics", "2"};
    void *user;
    return api && api->xFindTokenizer(api, "porter", &user, &ret_tokenizer->calls) == SQLITE_OK &&
           ret_tokenizer->calls.xCreate(user, arguments, (int)CV_COUNT(arguments), &ret_tokenizer->handle) == SQLITE_OK;
}

void cv_sqlite_tokenizer_close(cv_sqlite_tokenizer *tokenizer)
{
    if (tokenizer->handle)
        tokenizer->calls.xDelete(tokenizer->handle);
    tokenizer->handle = NULL;
}

/* Called for every word: its stem and where it stands. False ends the walk. */
typedef bool (*visit_word)(void *ctx, cv_str stem, size_t start, size_t end);

typedef struct {
    visit_word visit;
    void *ctx;
    size_t before; /* bytes of the text before this piece */
} walking;

static int on_token(void *ctx, int flags, const char *token, int length, int start, int end)
{
    walking *w = ctx;
    (void)flags;
    bool more = w->visit(w->ctx, (cv_str){token, (size_t)length}, w->before + (size_t)start, w->before + (size_t)end);
    return more ? SQLITE_OK : SQLITE_DONE;
}

static void walk_words(cv_sqlite_tokenizer *t, cv_str text, int flags, visit_word visit, void *ctx)
{
    cv_str rest = text, piece;
    bool alone;
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && next_piece(&rest, &piece, &alone)) {
        walking w = {visit, ctx, (size_t)(piece.p - text.p)};
        rc = t->calls.xTokenize(t->handle, &w, flags, piece.p, (int)piece.n, on_token);
    }
}

typedef struct {
    cv_sqlite_see_word see;
    void *ctx;
} seeing;

static bool see_word(void *ctx, cv_str stem, size_t start, size_t end)
{
    const seeing *s = ctx;
    (void)start, (void)end;
    s->see(s->ctx, stem);
    return true;
}

void cv_sqlite_words_of(cv_sqlite_tokenizer *t, cv_str text, cv_sqlite_see_word see, void *ctx)
{
    walk_words(t, text, FTS5_TOKENIZE_DOCUMENT, see_word, &(seeing){see, ctx});
}

/* ---- patterns and marks ------------------------------------------------------------------------- */

/* The stems of a term by their hashes. The text of the last one is kept for prefixes. */
struct cv_sqlite_pattern {
    uint64_t words[CV_MAX_QUERY_WORDS];
    size_t count;
    size_t term;
    bool prefix;
    cv_str last;
    size_t shortest; /* of the last stem, when it is a prefix */
};

typedef struct {
    cv_arena *a;
    cv_sqlite_pattern *pattern;
} learning;

static bool learn_word(void *ctx, cv_str stem, size_t start, size_t end)
{
    learning *l = ctx;
    (void)start, (void)end;
    if (l->pattern->count == CV_MAX_QUERY_WORDS)
        return false;
    l->pattern->words[l->pattern->count++] = cv_str_hash(stem);
    l->pattern->last = cv_arena_copy(l->a, stem);
    return true;
}

void cv_sqlite_patterns_of(cv_sqlite_tokenizer *t, cv_arena *a, const cv_search_words *query,
                           cv_sqlite_patterns *ret_patterns)
{
    *ret_patterns = (cv_sqlite_patterns){0};
    for (size_t i = 0; i < query->count; i++) {
        const cv_search_term *term = &query->terms[i];
        if (term->exclude)
            continue;
        cv_sqlite_pattern *pattern = CV_PUSH(a, ret_patterns);
        *pattern = (cv_sqlite_pattern){.term = i, .prefix = term->prefix, .shortest = shortest_prefix(term->text)};
        learning l = {a, pattern};
        walk_words(t, term->text, FTS5_TOKENIZE_QUERY | (term->prefix ? FTS5_TOKENIZE_PREFIX : 0), learn_word, &l);
        if (pattern->count == 0)
            ret_patterns->count--;
    }
}

typedef struct {
    cv_arena *a;
    const cv_sqlite_patterns *patterns;
    cv_search_marks *marks;
    size_t words;                      /* so far */
    uint64_t seen[CV_MAX_QUERY_WORDS]; /* the last ones, by number modulo the size */
    size_t starts[CV_MAX_QUERY_WORDS];
} matching;

static bool last_fits(const cv_sqlite_pattern *p, cv_str stem, uint64_t hash)
{
    if (p->words[p->count - 1] == hash)
        return true;
    if (!p->prefix)
        return false;
    return cv_str_starts(stem, p->last) || (stem.n >= p->shortest && cv_str_starts(p->last, stem));
}

static bool fits(const matching *m, const cv_sqlite_pattern *p, cv_str stem, uint64_t hash)
{
    if (m->words < p->count || !last_fits(p, stem, hash))
        return false;
    for (size_t i = 1; i < p->count; i++)
        if (m->seen[(m->words - 1 - i) % CV_MAX_QUERY_WORDS] != p->words[p->count - 1 - i])
            return false;
    return true;
}

static bool match_word(void *ctx, cv_str stem, size_t start, size_t end)
{
    matching *m = ctx;
    uint64_t hash = cv_str_hash(stem);
    m->seen[m->words % CV_MAX_QUERY_WORDS] = hash;
    m->starts[m->words % CV_MAX_QUERY_WORDS] = start;
    m->words++;
    for (size_t i = 0; i < m->patterns->count && m->marks->count < CV_MAX_MARKS; i++) {
        const cv_sqlite_pattern *p = &m->patterns->items[i];
        if (fits(m, p, stem, hash))
            *CV_PUSH(m->a, m->marks) =
                (cv_search_mark){m->starts[(m->words - p->count) % CV_MAX_QUERY_WORDS], end, p->term};
    }
    return m->marks->count < CV_MAX_MARKS;
}

void cv_sqlite_marks(cv_sqlite_tokenizer *t, cv_arena *a, const cv_sqlite_patterns *patterns, cv_str text,
                     cv_search_marks *ret_marks)
{
    *ret_marks = (cv_search_marks){0};
    matching m = {.a = a, .patterns = patterns, .marks = ret_marks};
    walk_words(t, text, FTS5_TOKENIZE_AUX, match_word, &m);
}
