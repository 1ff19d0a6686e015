/* phrases.c - does a file still hold something of a text, in whatever form? See phrases.h. */
#include "project/phrases.h"

#include "base/json.h"

enum {
    READINGS = 3, /* as it is, a string of JSON, JSON in a string of JSON */
    STEP = 4,     /* of a text every fourth window is kept, in a file all are looked up: a quarter of the memory */
    WINDOW = CV_PHRASE - STEP + 1 /* letters: STEP windows in a row are a phrase, and one of them is kept */
};

_Static_assert(WINDOW < 32, "a length is a bit of 32");

static const uint64_t base = 0x9e3779b97f4a7c15u;

/* ---- a set of hashes ----------------------------------------------------------------------------------------------
 */

/* Where the hash stands, or the free place for it. */
static uint64_t *slot_of(const cv_phrases *p, uint64_t hash)
{
    size_t at = (size_t)((hash ^ (hash >> 32)) * base >> 32) & (p->capacity - 1);
    while (p->slots[at] && p->slots[at] != hash)
        at = (at + 1) & (p->capacity - 1);
    return &p->slots[at];
}

/* Room for so many more, at most half full. */
static void make_room(cv_arena *a, cv_phrases *p, size_t more)
{
    cv_phrases grown = *p;
    grown.capacity = grown.capacity ? grown.capacity : 64;
    while (grown.capacity / 2 < p->count + more)
        grown.capacity *= 2;
    if (grown.capacity == p->capacity)
        return;
    grown.slots = CV_NEW_ARRAY(a, grown.capacity, uint64_t);
    for (size_t i = 0; i < p->capacity; i++)
        if (p->slots[i])
            *slot_of(&grown, p->slots[i]) = p->slots[i];
    *p = grown;
}

static void add(cv_phrases *p, uint64_t hash)
{
    uint64_t *slot = slot_of(p, hash);
    p->count += *slot == 0;
    *slot = hash;
}

/* ---- letters ------------------------------------------------------------------------------------------------------
 */

/* Letters and digits alone. Every byte of a character outside of ASCII is one. */
static cv_str letters_of(cv_arena *a, cv_str text)
{
    char *to = cv_arena_alloc(a, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        if (cv_is_alnum(text.p[i]) || (unsigned char)text.p[i] >= 0x80)
            to[n++] = text.p[i];
    return (cv_str){to, n};
}

/* With the escapes of JSON undone; the same view when there are none. */
static cv_str unescaped(cv_arena *a, cv_str text)
{
    size_t n = 0, used;
    bool any = false;
    if (cv_str_find_char(text, '\\') == SIZE_MAX)
        return text;
    char *to = cv_arena_alloc(a, text.n + 4);
    for (size_t i = 0; i < text.n; i += used) {
        size_t made = text.p[i] == '\\' ? cv_json_escape(cv_str_from(text, i), to + n, &used) : 0;
        any = any || made;
        if (made == 0) {
            to[n] = text.p[i];
            made = used = 1;
        }
        n += made;
    }
    return any ? (cv_str){to, n} : text;
}

/* ---- phrases ------------------------------------------------------------------------------------------------------
 */

/* A window of `length` letters that moves on by one letter. */
typedef struct {
    cv_str letters;
    size_t length, at;   /* `at`: behind the window */
    uint64_t sum, first; /* `first`: what the letter that falls out weighs */
} window;

static window window_over(cv_str letters, size_t length)
{
    window w = {.letters = letters, .length = length, .first = 1};
    for (size_t i = 0; i <= length; i++)
        w.first *= base;
    return w;
}

static bool next(window *w, uint64_t *ret_hash)
{
    const unsigned char *p = (const unsigned char *)w->letters.p;
    size_t end = w->at < w->length ? w->length : w->at + 1;
    if (w->length == 0 || end > w->letters.n)
        return false;
    for (; w->at < end; w->at++)
        w->sum = (w->sum + p[w->at] + 1) * base - (w->at >= w->length ? w->first * (p[w->at - w->length] + 1u) : 0);
    *ret_hash = w->sum ? w->sum : 1;
    return true;
}

static void add_letters(cv_arena *a, cv_phrases *p, cv_str letters)
{
    size_t length = letters.n < WINDOW ? letters.n : WINDOW;
    window w = window_over(letters, length);
    uint64_t hash;
    make_room(a, p, (letters.n - length) / STEP + 1);
    p->lengths |= UINT32_C(1) << length;
    while (next(&w, &hash))
        if ((w.at - length) % STEP == 0)
            add(p, hash);
}

void cv_phrases_add(cv_arena *a, cv_phrases *strong, cv_phrases *weak, cv_str line, size_t strong_bytes)
{
    cv_arena scratch = {0};
    cv_str reading = line, before = {NULL, 0};
    for (int i = 0; i < READINGS && reading.p != before.p; i++) {
        cv_str letters = letters_of(&scratch, reading);
        if (line.n >= strong_bytes && letters.n >= CV_PHRASE_STRONG)
            add_letters(a, strong, letters);
        else if (letters.n >= CV_PHRASE_FEWEST)
            add_letters(a, weak, letters);
        before = reading;
        reading = unescaped(&scratch, reading);
    }
    cv_arena_release(&scratch);
}

static bool is_in_letters(const cv_phrases *p, cv_str letters)
{
    uint64_t hash;
    for (size_t length = 1; length <= WINDOW; length++) {
        window w = window_over(letters, length);
        while ((p->lengths >> length & 1) && next(&w, &hash))
            if (*slot_of(p, hash))
                return true;
    }
    return false;
}

bool cv_phrases_in(cv_arena *a, const cv_phrases *p, cv_str bytes)
{
    cv_str before = {NULL, 0};
    bool found = false;
    for (int i = 0; p->count && !found && i < READINGS && bytes.p != before.p; i++) {
        found = is_in_letters(p, letters_of(a, bytes));
        before = bytes;
        bytes = unescaped(a, bytes);
    }
    return found;
}
