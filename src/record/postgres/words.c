/* words.c - texts as tsvectors, queries as tsqueries; see words.h. */
#include "record/postgres/words.h"

#include "base/map.h"
#include "base/utf8.h"
#include "record/hash.h"

enum {
    LONGEST = 1024,           /* bytes of a word that are in the index as they are; the server takes 2046 */
    LONGEST_STEM = 64,        /* bytes; longer words are their own */
    SAME = 32768,             /* FTS5 compares no more of a word */
    LAST_PLACE = 16383,       /* of a tsvector */
    MOST_PLACES = 255,        /* of one word */
    MOST_BYTES = 1000 * 1000, /* of a tsvector */
    WORD_BYTES = 4,           /* for each word besides its own: alignment, number of places */
    PLACE_BYTES = 2,
};

/* No word has such a character. */
#define UNPLACED "\x01"
#define CUT "\x02"

const cv_str cv_postgres_marked = CV_STR_INIT("'" UNPLACED "' | '" CUT "'");

/* ---- words --------------------------------------------------------------------------------------------------------
 */

static cv_str beginning_of(cv_str word)
{
    size_t n = word.n < LONGEST ? word.n : LONGEST;
    while (n < word.n && n > 0 && cv_utf8_continues(word.p[n]))
        n--;
    return cv_str_head(word, n);
}

/* A word as the server keeps it; words that differ stay different, and begin alike where they did. */
static cv_str lexeme_of(cv_arena *a, cv_str word)
{
    word = cv_str_head(word, SAME);
    if (word.n <= LONGEST)
        return word;
    return cv_arena_printf(a, "%.*s" UNPLACED "%.*s", CV_FMT(beginning_of(word)), CV_FMT(cv_hash_text(a, word)));
}

static void add_quoted(cv_buf *out, cv_str word)
{
    cv_buf_add_char(out, '\'');
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '\'' || word.p[i] == '\\')
            cv_buf_add_char(out, word.p[i]);
        cv_buf_add_char(out, word.p[i]);
    }
    cv_buf_add_char(out, '\'');
}

/* ---- texts --------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_str lexeme;
    uint32_t *items; /* its places: position and weight */
    size_t count, capacity;
} entry;

typedef struct {
    cv_arena *arena;
    cv_map by_lexeme;
    struct {
        entry *items;
        size_t count, capacity;
    } entries;
    uint32_t position;
    char weight; /* 'A', 'B', 'D' */
    bool unplaced;
    size_t bytes; /* with all places */
} indexing;

static void index_word(void *ctx, cv_str word)
{
    indexing *x = ctx;
    cv_str lexeme = lexeme_of(x->arena, word);
    uintptr_t *at = cv_map_get(&x->by_lexeme, lexeme);
    if (!at) {
        lexeme = cv_arena_copy(x->arena, lexeme);
        at = cv_map_put(&x->by_lexeme, x->arena, lexeme, NULL);
        *at = x->entries.count;
        *CV_PUSH(x->arena, &x->entries) = (entry){.lexeme = lexeme};
        x->bytes += lexeme.n + WORD_BYTES;
    }
    entry *e = &x->entries.items[*at];
    uint32_t position = x->position < LAST_PLACE ? x->position : LAST_PLACE;
    x->unplaced = x->unplaced || x->position >= LAST_PLACE || e->count == MOST_PLACES;
    x->position++;
    if (e->count < MOST_PLACES) {
        *CV_PUSH(x->arena, e) = position << 8 | (unsigned char)x->weight;
        x->bytes += PLACE_BYTES;
    }
}

static void index_column(indexing *x, cv_sqlite_tokenizer *t, cv_str text, char weight)
{
    x->weight = weight;
    cv_sqlite_words_of(t, text, index_word, x);
}

static void add_entry(cv_buf *out, const entry *e, size_t places)
{
    add_quoted(out, e->lexeme);
    for (size_t i = 0; i < e->count && i < places; i++) {
        char weight = (char)(e->items[i] & 0xff);
        cv_buf_printf(out, "%c%u", i ? ',' : ':', (unsigned)(e->items[i] >> 8));
        if (weight != 'D')
            cv_buf_add_char(out, weight);
    }
    cv_buf_add_char(out, ' ');
}

/* What does not fit is left out from the end: places first, all but the first of each word, which has its greatest
 * weight; then words. */
static cv_str print_words(cv_arena *a, const indexing *x)
{
    cv_buf out = {0};
    bool few = x->bytes > MOST_BYTES, cut = false;
    size_t bytes = 0;
    for (size_t i = 0; i < x->entries.count; i++) {
        const entry *e = &x->entries.items[i];
        size_t places = few ? 1 : e->count;
        bytes += e->lexeme.n + WORD_BYTES + places * PLACE_BYTES;
        cut = bytes > MOST_BYTES;
        if (cut)
            break;
        add_entry(&out, e, places);
    }
    if (x->unplaced || few)
        cv_buf_add_z(&out, "'" UNPLACED "' ");
    if (cut)
        cv_buf_add_z(&out, "'" CUT "'");
    return cv_search_text_or_empty(cv_buf_take(&out, a));
}

cv_str cv_postgres_words(cv_sqlite_tokenizer *t, cv_arena *a, const cv_search_entry *e)
{
    cv_arena scratch = {0};
    indexing x = {.arena = &scratch, .position = 1};
    index_column(&x, t, e->ids, 'A');
    index_column(&x, t, e->more_ids, 'A');
    x.position++; /* no phrase goes on in the next column */
    index_column(&x, t, e->title, 'B');
    x.position++;
    index_column(&x, t, e->body, 'D');
    cv_str words = print_words(a, &x);
    cv_arena_release(&scratch);
    return words;
}

/* ---- queries ------------------------------------------------------------------------------------------------------
 */

/* One of the alternatives that a term is met by. */
struct cv_postgres_phrase {
    size_t term;
    bool prefix, id;
    cv_str *items;
    size_t count, capacity;
    cv_str wide;     /* the server is asked for words that begin so instead of the last one: they may be too many */
    bool is_covered; /* … which it is not asked for, as another phrase of the term brings it, too */
};

typedef struct {
    cv_arena *arena;
    cv_postgres_phrase *phrase;
} learning;

static void learn_word(void *ctx, cv_str word)
{
    const learning *l = ctx;
    *CV_PUSH(l->arena, l->phrase) = cv_arena_copy(l->arena, cv_str_head(word, SAME));
}

/* A beginning that is longer than what is kept of words. And a long one has many beginnings of its own that count as it
 * (words.h of SQLite): from twice the length on that stems have, all of them begin with the shortest, the last one. */
static void widen(cv_postgres_phrase *phrases, size_t count)
{
    cv_postgres_phrase *whole = &phrases[0];
    if (count == 0 || !whole->prefix)
        return;
    if (whole->items[whole->count - 1].n > LONGEST)
        whole->wide = beginning_of(whole->items[whole->count - 1]);
    while (count > 1 && phrases[count - 1].id)
        count--;
    if (count == 1 || whole->count > 1 || whole->items[0].n <= 2 * (size_t)LONGEST_STEM)
        return;
    whole->wide = beginning_of(phrases[count - 1].items[0]);
    for (size_t i = 1; i < count; i++)
        phrases[i].is_covered = true;
}

/* What has no word is met by nothing. */
static void learn_phrases(cv_sqlite_tokenizer *t, cv_arena *a, cv_postgres_question *q)
{
    for (size_t i = 0; i < q->words->count; i++) {
        cv_sqlite_alternatives all;
        size_t first = q->phrases.count;
        cv_sqlite_alternatives_of(a, &q->words->terms[i], &all);
        for (size_t k = 0; k < all.count; k++) {
            cv_postgres_phrase phrase = {.term = i, .prefix = all.items[k].prefix, .id = all.items[k].id};
            cv_sqlite_words_of(t, all.items[k].text, learn_word, &(learning){a, &phrase});
            if (phrase.count > 0)
                *CV_PUSH(a, &q->phrases) = phrase;
            q->longest = phrase.count > q->longest ? phrase.count : q->longest;
        }
        widen(q->phrases.items + first, q->phrases.count - first);
    }
}

static void add_word(cv_buf *out, const cv_postgres_phrase *p, size_t i, const char *weight)
{
    cv_arena scratch = {0};
    bool prefix = p->prefix && i == p->count - 1;
    add_quoted(out, !prefix ? lexeme_of(&scratch, p->items[i]) : p->wide.n ? p->wide : p->items[i]);
    if (prefix || *weight || p->id)
        cv_buf_printf(out, ":%s%s", prefix ? "*" : "", p->id ? "A" : weight);
    cv_arena_release(&scratch);
}

static void add_words(cv_buf *out, const cv_postgres_phrase *p, const char *between)
{
    for (size_t i = 0; i < p->count; i++) {
        cv_buf_add_z(out, i ? between : "(");
        add_word(out, p, i, "");
    }
    cv_buf_add_char(out, ')');
}

/* What is wanted: everything that may meet it. What is excluded: only what certainly does. */
static void add_phrase(cv_buf *out, const cv_postgres_phrase *p, bool excluded)
{
    cv_buf_add_char(out, '(');
    add_words(out, p, " <-> ");
    if (p->count > 1 && excluded)
        cv_buf_add_z(out, " & !'" UNPLACED "'");
    if (p->count > 1 && !excluded) {
        cv_buf_add_z(out, " | '" UNPLACED "' & ");
        add_words(out, p, " & ");
    }
    cv_buf_add_char(out, ')');
}

/* The phrases of a term, as alternatives. False: it has none. */
static bool add_term(cv_buf *out, cv_postgres_question *q, size_t term, bool excluded)
{
    bool any = false;
    for (size_t i = 0; i < q->phrases.count; i++) {
        const cv_postgres_phrase *p = &q->phrases.items[i];
        if (p->term != term || p->is_covered)
            continue;
        q->is_inexact = q->is_inexact || p->wide.n > 0;
        if (excluded && p->wide.n > 0)
            continue;
        cv_buf_add_z(out, any ? " | " : "");
        add_phrase(out, p, excluded);
        any = true;
    }
    return any;
}

/* Does a term that is wanted begin another group? One term of each group must be met. */
static bool begins_group(const cv_search_words *words, size_t term, bool first)
{
    return first || !(words->terms[term].either || words->any);
}

/* ((a | b) & (c)); false: a group has nothing that it could be met by. */
static bool add_wanted(cv_buf *out, cv_postgres_question *q)
{
    bool first = true, any = false;
    for (size_t i = 0; i < q->words->count; i++) {
        if (q->words->terms[i].exclude)
            continue;
        if (begins_group(q->words, i, first)) {
            if (!first && !any)
                return false;
            cv_buf_add_z(out, first ? "((" : ") & (");
            any = false;
        }
        first = false;
        cv_buf term = {0};
        if (add_term(&term, q, i, false)) {
            cv_buf_add_z(out, any ? " | " : "");
            cv_buf_add(out, cv_buf_str(&term));
            any = true;
        }
        cv_buf_release(&term);
    }
    cv_buf_add_z(out, "))");
    return any;
}

static void add_excluded(cv_buf *out, cv_postgres_question *q)
{
    for (size_t i = 0; i < q->words->count; i++) {
        cv_buf term = {0};
        if (q->words->terms[i].exclude && add_term(&term, q, i, true)) {
            cv_buf_add_z(out, " & !(");
            cv_buf_add(out, cv_buf_str(&term));
            cv_buf_add_char(out, ')');
        }
        cv_buf_release(&term);
    }
}

/* What hits are put in order by. */
static void add_ranks(cv_arena *a, cv_postgres_question *q)
{
    cv_buf ids = {0};
    q->ranked = CV_NEW_ARRAY(a, q->words->count, cv_str);
    for (size_t i = 0; i < q->words->count; i++) {
        cv_buf weighed = {0};
        for (size_t k = 0; k < q->phrases.count; k++) {
            const cv_postgres_phrase *p = &q->phrases.items[k];
            if (p->term != i || p->is_covered || q->words->terms[i].exclude)
                continue;
            cv_buf_add_z(&weighed, weighed.n ? " | " : "");
            add_words(&weighed, p, " | ");
            if (p->count == 1) {
                cv_buf_add_z(&ids, ids.n ? " | " : "");
                add_word(&ids, p, 0, "A");
            }
        }
        if (weighed.n)
            q->ranked[q->ranked_count++] = cv_buf_take(&weighed, a);
    }
    q->ids = ids.n ? cv_buf_take(&ids, a) : (cv_str){NULL, 0};
}

bool cv_postgres_question_of(cv_sqlite_tokenizer *t, cv_arena *a, const cv_search_words *words,
                             cv_postgres_question *ret)
{
    cv_buf out = {0};
    *ret = (cv_postgres_question){.words = words};
    learn_phrases(t, a, ret);
    bool ok = add_wanted(&out, ret);
    if (ok) {
        add_excluded(&out, ret);
        cv_buf_add_z(&out, " | '" CUT "'");
        add_ranks(a, ret);
        ret->query = cv_buf_take(&out, a);
    }
    cv_buf_release(&out);
    return ok;
}

/* ---- looking into a text ------------------------------------------------------------------------------------------
 */

typedef struct {
    const cv_postgres_question *q;
    bool *met;      /* each phrase */
    cv_map by_word; /* of phrases that are a single word, the number of the first, and one more */
    size_t *next;   /* phrases that are the same word, or that are not such: each, the next one and one more; 0: none */
    size_t others;  /* the first that is not such, and one more */
    bool in_ids;
    uint64_t *recent; /* hashes of the last words, by number modulo q->longest */
    size_t words;     /* of this column so far */
} looking;

static void sort_phrases(looking *l, cv_arena *a)
{
    for (size_t i = l->q->phrases.count; i > 0; i--) {
        const cv_postgres_phrase *p = &l->q->phrases.items[i - 1];
        if (p->count == 1 && !p->prefix) {
            uintptr_t *first = cv_map_put(&l->by_word, a, p->items[0], NULL);
            l->next[i - 1] = *first;
            *first = i;
        } else {
            l->next[i - 1] = l->others;
            l->others = i;
        }
    }
}

static bool last_fits(const cv_postgres_phrase *p, cv_str word)
{
    cv_str last = p->items[p->count - 1];
    return p->prefix ? cv_str_starts(word, last) : cv_str_eq(word, last);
}

static bool ends_phrase(const looking *l, const cv_postgres_phrase *p, cv_str word)
{
    if (l->words < p->count || (p->id && !l->in_ids) || !last_fits(p, word))
        return false;
    for (size_t i = 1; i < p->count; i++)
        if (l->recent[(l->words - 1 - i) % l->q->longest] != cv_str_hash(p->items[p->count - 1 - i]))
            return false;
    return true;
}

static void look_at(void *ctx, cv_str word)
{
    looking *l = ctx;
    word = cv_str_head(word, SAME);
    const uintptr_t *same = cv_map_get(&l->by_word, word);
    l->recent[l->words++ % l->q->longest] = cv_str_hash(word);
    for (size_t i = same ? *same : 0; i > 0; i = l->next[i - 1])
        l->met[i - 1] = l->met[i - 1] || !l->q->phrases.items[i - 1].id || l->in_ids;
    for (size_t i = l->others; i > 0; i = l->next[i - 1])
        l->met[i - 1] = l->met[i - 1] || ends_phrase(l, &l->q->phrases.items[i - 1], word);
}

static bool is_met(const looking *l, size_t term)
{
    bool met = false;
    for (size_t i = 0; i < l->q->phrases.count; i++)
        met = met || (l->met[i] && l->q->phrases.items[i].term == term);
    return met;
}

static bool decide(const looking *l)
{
    const cv_search_words *words = l->q->words;
    bool first = true, group = false;
    for (size_t i = 0; i < words->count; i++) {
        bool met = is_met(l, i);
        if (words->terms[i].exclude) {
            if (met)
                return false;
            continue;
        }
        if (begins_group(words, i, first)) {
            if (!first && !group)
                return false;
            group = false;
        }
        first = false;
        group = group || met;
    }
    return group;
}

bool cv_postgres_meets(cv_sqlite_tokenizer *t, const cv_postgres_question *q, const cv_search_entry *e)
{
    cv_arena scratch = {0};
    looking l = {.q = q,
                 .met = CV_NEW_ARRAY(&scratch, q->phrases.count, bool),
                 .next = CV_NEW_ARRAY(&scratch, q->phrases.count, size_t),
                 .recent = CV_NEW_ARRAY(&scratch, q->longest, uint64_t),
                 .in_ids = true};
    sort_phrases(&l, &scratch);
    cv_sqlite_words_of(t, e->ids, look_at, &l);
    cv_sqlite_words_of(t, e->more_ids, look_at, &l);
    l.in_ids = false;
    l.words = 0;
    cv_sqlite_words_of(t, e->title, look_at, &l);
    l.words = 0;
    cv_sqlite_words_of(t, e->body, look_at, &l);
    bool met = decide(&l);
    cv_arena_release(&scratch);
    return met;
}
