/* hash.c - the hashes that make the history of a scope tamper-evident; see hash.h. */
#include "record/hash.h"

#include <assert.h>

static void hash_waiting(cv_hash *h)
{
    sha256_update(&h->sha, h->waiting, (const uint8_t *)h->bytes);
    h->waiting = 0;
}

static void add(cv_hash *h, cv_str bytes)
{
    assert(h->waiting <= sizeof h->bytes);
    if (bytes.n > sizeof h->bytes - h->waiting)
        hash_waiting(h);
    if (bytes.n > sizeof h->bytes) {
        sha256_update(&h->sha, bytes.n, (const uint8_t *)bytes.p);
    } else if (bytes.n > 0) {
        memcpy(h->bytes + h->waiting, bytes.p, bytes.n);
        h->waiting += bytes.n;
    }
}

/* A number as eight bytes, most significant first, so that lengths cannot be confused with text. */
static void add_number(cv_hash *h, uint64_t n)
{
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(n >> (56 - 8 * i));
    add(h, (cv_str){bytes, sizeof bytes});
}

static void add_text(cv_hash *h, cv_str s)
{
    add_number(h, s.n);
    add(h, s);
}

_Static_assert(2 * SHA256_DIGEST_SIZE == CV_HASH_DIGITS, "two digits for a byte");

static void hex(struct sha256_ctx *sha, char to[CV_HASH_DIGITS])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t raw[SHA256_DIGEST_SIZE];
    sha256_digest(sha, sizeof raw, raw);
    for (size_t i = 0; i < sizeof raw; i++) {
        to[2 * i] = digits[raw[i] >> 4];
        to[2 * i + 1] = digits[raw[i] & 15];
    }
}

/* A long text enters by its hash; one that is redacted has nothing else. */
static void add_long(cv_hash *h, cv_str text)
{
    char own[CV_HASH_DIGITS];
    cv_str hash = {own, CV_HASH_DIGITS};
    if (!cv_is_redacted(text, &hash)) {
        struct sha256_ctx sha;
        sha256_init(&sha);
        sha256_update(&sha, text.n, (const uint8_t *)text.p);
        hex(&sha, own);
    }
    add_text(h, hash);
}

static void add_field(cv_hash *h, const cv_type_field *field, const void *row)
{
    assert(cv_row_has(field, row) && "absent fields are not in the bytes");
    assert((field->role != CV_LONG || !cv_field_is_int(field)) && "a long text is a text");
    add_text(h, field->name);
    if (cv_field_is_int(field)) {
        add_text(h, CV_STR("i"));
        add_number(h, (uint64_t)cv_row_int(row, field->offset));
        return;
    }
    cv_str text = cv_row_text(row, field->offset);
    add_text(h, field->role == CV_LONG ? CV_STR("h") : CV_STR("t"));
    if (field->role == CV_LONG)
        add_long(h, text);
    else
        add_text(h, text);
}

/* `without`: the offset of a field that is left out; 0: none is. */
static void add_row(cv_hash *h, const cv_type *type, const void *row, size_t without)
{
    assert(type->life != CV_VOLATILE && "no event covers volatile rows");
    add_text(h, type->name);
    for (size_t i = 0; i < type->field_count; i++)
        if (cv_row_has(&type->fields[i], row) && (!without || type->fields[i].offset != without))
            add_field(h, &type->fields[i], row);
    add_text(h, CV_STR("")); /* fields end here: what follows is another row */
}

void cv_hash_begin(cv_hash *h)
{
    sha256_init(&h->sha);
    h->waiting = 0;
}

bool cv_hash_add(void *hash, cv_str bytes)
{
    add(hash, bytes);
    return true;
}

void cv_hash_row(cv_hash *h, const cv_type *type, const void *row)
{
    add_row(h, type, row, 0);
}

cv_str cv_hash_end(cv_hash *h, cv_arena *a)
{
    char *text = cv_arena_alloc(a, CV_HASH_DIGITS + 1);
    hash_waiting(h);
    hex(&h->sha, text);
    return (cv_str){text, CV_HASH_DIGITS};
}

cv_str cv_hash_text(cv_arena *a, cv_str bytes)
{
    cv_hash h;
    cv_hash_begin(&h);
    add(&h, bytes);
    return cv_hash_end(&h, a);
}

cv_str cv_hash_one(cv_arena *a, const cv_type *type, const void *row)
{
    cv_hash h;
    cv_hash_begin(&h);
    add_row(&h, type, row, 0);
    return cv_hash_end(&h, a);
}

cv_str cv_hash_commit(cv_arena *a, const cv_commit_row *row)
{
    cv_hash h;
    cv_hash_begin(&h);
    add_row(&h, &cv_commit_row_type, row, offsetof(cv_commit_row, head));
    return cv_hash_end(&h, a);
}

cv_str cv_hash_scope(cv_arena *a, cv_str room, cv_str name)
{
    cv_hash h;
    cv_hash_begin(&h);
    add_text(&h, room);
    add_text(&h, name);
    return cv_hash_end(&h, a);
}

cv_str cv_hash_event(cv_arena *a, cv_str before, const cv_event_row *event)
{
    cv_hash h;
    cv_hash_begin(&h);
    add_text(&h, before);
    add_row(&h, &cv_event_row_type, event, offsetof(cv_event_row, hash));
    return cv_hash_end(&h, a);
}

/* ---- redaction --------------------------------------------------------------------------------------------------- */

#define REDACTED_HEAD "{\"redacted_sha256\":\""
#define REDACTED_TAIL "\"}"
_Static_assert(sizeof REDACTED_HEAD + sizeof REDACTED_TAIL - 2 + CV_HASH_DIGITS == CV_REDACTED_LEN,
               "the form's length");

cv_str cv_redacted(cv_arena *a, cv_str text)
{
    return cv_arena_printf(a, REDACTED_HEAD "%.*s" REDACTED_TAIL, CV_FMT(cv_hash_text(a, text)));
}

bool cv_is_redacted(cv_str text, cv_str *ret_hash)
{
    cv_str head = CV_STR(REDACTED_HEAD);
    if (text.n != CV_REDACTED_LEN || !cv_str_starts(text, head) || !cv_str_ends(text, CV_STR(REDACTED_TAIL)))
        return false;
    cv_str hash = cv_str_head(cv_str_from(text, head.n), CV_HASH_DIGITS);
    for (size_t i = 0; i < hash.n; i++)
        if (!cv_is_digit(hash.p[i]) && !(hash.p[i] >= 'a' && hash.p[i] <= 'f'))
            return false;
    if (ret_hash)
        *ret_hash = hash;
    return true;
}

cv_str cv_redacted_name(cv_arena *a, const cv_type *type, const void *row, const cv_type_field *field)
{
    return cv_arena_printf(a, "redacted/%.*s/%.*s", CV_FMT(cv_row_name(a, type, row)), CV_FMT(field->name));
}
