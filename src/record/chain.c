/* chain.c - the hashes that make the history tamper-evident; see chain.h. */
#include "record/chain.h"

#include <nettle/sha2.h>

#include "vocab/vocab.h"

struct cv_digest {
    cv_arena *arena;
    struct sha256_ctx sha;
};

static void add(struct sha256_ctx *sha, cv_str bytes)
{
    sha256_update(sha, bytes.n, (const uint8_t *)bytes.p);
}

/* A number as eight bytes, most significant first, so that lengths cannot be confused with text. */
static void add_number(struct sha256_ctx *sha, uint64_t n)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(n >> (56 - 8 * i));
    sha256_update(sha, sizeof bytes, bytes);
}

static void add_text(struct sha256_ctx *sha, cv_str s)
{
    add_number(sha, s.n);
    add(sha, s);
}

static cv_str hex(cv_arena *a, struct sha256_ctx *sha)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t raw[SHA256_DIGEST_SIZE];
    char *text = cv_arena_alloc(a, CV_HASH_LEN + 1);
    sha256_digest(sha, sizeof raw, raw);
    for (size_t i = 0; i < sizeof raw; i++) {
        text[2 * i] = digits[raw[i] >> 4];
        text[2 * i + 1] = digits[raw[i] & 15];
    }
    return (cv_str){text, CV_HASH_LEN};
}

static int64_t int_field(const cv_field *field, const void *row)
{
    int64_t value;
    memcpy(&value, (const char *)row + field->offset, sizeof value);
    return value;
}

static cv_str text_field(const cv_field *field, const void *row)
{
    cv_str text;
    memcpy(&text, (const char *)row + field->offset, sizeof text);
    return text;
}

static void add_field(struct sha256_ctx *sha, const cv_field *field, const void *row)
{
    add_text(sha, field->name);
    if (field->type == CV_FIELD_INT) {
        int64_t value = int_field(field, row);
        add_text(sha, value == CV_ABSENT ? CV_STR("-") : CV_STR("i"));
        if (value != CV_ABSENT)
            add_number(sha, (uint64_t)value);
    } else {
        cv_str text = text_field(field, row);
        add_text(sha, text.p ? CV_STR("t") : CV_STR("-"));
        add_text(sha, text);
    }
}

static void add_row(struct sha256_ctx *sha, cv_rec_kind kind, const void *row, cv_str without)
{
    const cv_rec_type *type = &cv_rec_types[kind];
    add_text(sha, type->name);
    for (size_t i = 0; i < type->field_count; i++)
        if (!cv_str_eq(type->fields[i].name, without))
            add_field(sha, &type->fields[i], row);
}

/* How many of the first fields are the key, behind dialogue_id; and whether rows of the kind can change. */
static const struct {
    unsigned char keys;
    bool fixed;
} traits[CV_REC_COUNT] = {
    [CV_REC_DIALOGUE] = {0, false}, [CV_REC_EXPERT] = {1, false},  [CV_REC_SEAT] = {2, true},
    [CV_REC_ROUND] = {1, false},    [CV_REC_SCORE] = {2, false},   [CV_REC_RESPONSE] = {2, false},
    [CV_REC_ENTITY] = {3, false},   [CV_REC_ORIGIN] = {1, true},   [CV_REC_REFERENCE] = {3, true},
    [CV_REC_MOVE] = {3, true},      [CV_REC_VERDICT] = {1, false}, [CV_REC_EVENT] = {1, true},
};

bool cv_rec_is_fixed(cv_rec_kind kind)
{
    return traits[kind].fixed;
}

cv_str cv_row_key(cv_arena *a, cv_rec_kind kind, const void *row)
{
    const cv_rec_type *type = &cv_rec_types[kind];
    cv_str key = type->name;
    for (size_t i = 0; i < traits[kind].keys; i++) {
        const cv_field *f = &type->fields[i];
        if (f->type == CV_FIELD_INT)
            key = cv_arena_printf(a, "%.*s/%lld", CV_FMT(key), (long long)int_field(f, row));
        else
            key = cv_arena_printf(a, "%.*s/%.*s", CV_FMT(key), CV_FMT(text_field(f, row)));
    }
    return key;
}

/* Entities come in the order of the kinds, everything else by the bytes of its key. */
static int compare_kind_letters(cv_str x, cv_str y)
{
    return cv_kind_of_letter(x.p[0]) - cv_kind_of_letter(y.p[0]);
}

int cv_row_compare(cv_rec_kind kind, const void *x, const void *y)
{
    const cv_rec_type *type = &cv_rec_types[kind];
    for (size_t i = 0; i < traits[kind].keys; i++) {
        const cv_field *f = &type->fields[i];
        int order;
        if (f->type == CV_FIELD_INT) {
            int64_t m = int_field(f, x), n = int_field(f, y);
            order = m < n ? -1 : m > n;
        } else if (kind == CV_REC_ENTITY) {
            order = compare_kind_letters(text_field(f, x), text_field(f, y));
        } else {
            cv_str m = text_field(f, x), n = text_field(f, y);
            order = memcmp(m.p, n.p, m.n < n.n ? m.n : n.n);
            order = order ? order : m.n < n.n ? -1 : m.n > n.n;
        }
        if (order)
            return order;
    }
    return 0;
}

cv_str cv_sha256(cv_arena *a, cv_str bytes)
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    add(&sha, bytes);
    return hex(a, &sha);
}

cv_digest *cv_digest_begin(cv_arena *a)
{
    cv_digest *d = CV_NEW(a, cv_digest);
    d->arena = a;
    sha256_init(&d->sha);
    return d;
}

void cv_digest_row(cv_digest *d, cv_rec_kind kind, const void *row)
{
    add_row(&d->sha, kind, row, CV_STR(""));
}

cv_str cv_digest_end(cv_digest *d)
{
    return hex(d->arena, &d->sha);
}

cv_str cv_event_hash(cv_arena *a, cv_str before, const cv_rec_event *event)
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    add_text(&sha, before);
    add_row(&sha, CV_REC_EVENT, event, CV_STR("hash"));
    return hex(a, &sha);
}

/* No hash has a slash: an id cannot pass for one. */
cv_str cv_chain_root(cv_arena *a, cv_str dialogue_id)
{
    return cv_arena_join(a, CV_STR("dialogue/"), dialogue_id);
}

/* Absent is told from empty, as in rows. */
static void add_value(struct sha256_ctx *sha, cv_str text)
{
    add_text(sha, text.p ? CV_STR("t") : CV_STR("-"));
    add_text(sha, text);
}

cv_str cv_op_row_digest(cv_arena *a, const cv_op_row *op)
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    add_text(&sha, CV_STR("op"));
    add_value(&sha, op->op_id);
    add_number(&sha, (uint64_t)op->rev);
    add_value(&sha, op->digest);
    add_value(&sha, op->created_at);
    add_value(&sha, op->result);
    return hex(a, &sha);
}

bool cv_op_row_is_restore(const cv_op_row *op)
{
    cv_str word = CV_STR(CV_RESTORE_OP);
    return cv_str_starts(op->op_id, word) && op->digest.n == CV_HASH_LEN &&
           cv_str_eq(cv_str_from(op->op_id, word.n), op->digest) && cv_str_eq(op->result, CV_STR("{}"));
}

cv_str cv_seal_hash(cv_arena *a, cv_str before, const cv_op_row *op)
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    add_text(&sha, before);
    add_number(&sha, (uint64_t)op->number);
    add_text(&sha, op->dialogue_id);
    add_number(&sha, (uint64_t)op->rev);
    add_value(&sha, op->head);
    add_text(&sha, cv_op_row_digest(a, op));
    return hex(a, &sha);
}
