/* type.h - record types: what a room keeps, as tables of fields.
 *
 * A room defines a type with one line per field and one line for the type. The struct, the canonical bytes that hashes
 * cover, the statements of every engine, export and import all come from the table; only CREATE TABLE is written by
 * hand, and a check holds the live schema against the table.
 *
 *     #define CARD_FIELDS(F)                                            board.h
 *         F(INT, KEY, number)
 *         F(TEXT, OUTLINE, title)
 *         F(JSON, PLAIN, labels)
 *         F(TEXT, LONG, body)
 *     CV_TYPE_STRUCT(card, CARD_FIELDS)                                 struct card, extern const cv_type card_type
 *
 *     static const cv_index card_indexes[] = {                          in one source
 *         CV_INDEX("status", SCOPE, CV_AT(card, status)),
 *     };
 *     CV_TYPE_TABLE(card, "card", "cards", CARD_FIELDS, REPLACED, card_search, CV_INDEXES(card_indexes));
 *
 *     TEXT     UTF-8 without NUL; a NULL view is absent    KEY      part of the key: never absent; these come first
 *     DECIMAL  a text: a number as it was written          OUTLINE  enough for lists and for a view from above
 *     JSON     compact JSON text; absent as above          PLAIN    whatever else
 *     INT      within ±2^53; CV_ABSENT is absent           LONG     a long text: hashed by itself, can be redacted
 *     FLAG     an integer: 0 or 1
 *
 * DECIMAL and FLAG are kept, hashed and exported as TEXT and INT are; answers show them as a number and a boolean.
 *
 * Names, types and the order of fields stay, once released, and a field does not become LONG or stop being so: hashes
 * depend on them. A new field goes anywhere behind the key; rows from before do not have it, and their hashes stay.
 *
 * Every row belongs to one scope and carries the `rev` of the write that made or last changed it, as its first member.
 */
#ifndef CV_RECORD_TYPE_H
#define CV_RECORD_TYPE_H

#include "base/buf.h"
#include "base/err.h"

#define CV_ABSENT INT64_MIN

/* The largest number of a row, and with a minus the smallest: what JSON's readers keep exactly. */
#define CV_ROW_MOST (INT64_C(1) << 53)

typedef enum { CV_TEXT, CV_DECIMAL, CV_JSON, CV_INT, CV_FLAG } cv_value_type;
typedef enum { CV_KEY, CV_OUTLINE, CV_PLAIN, CV_LONG } cv_field_role;

typedef struct {
    cv_str name;
    cv_value_type type;
    cv_field_role role;
    uint16_t offset; /* in the struct */
} cv_type_field;

/* Is it an int64_t in the struct? The others are a cv_str. */
static inline bool cv_field_is_int(const cv_type_field *field)
{
    return field->type == CV_INT || field->type == CV_FLAG;
}

/* What may become of a row. */
typedef enum {
    CV_ADDED,    /* it never changes */
    CV_REPLACED, /* a row with the same key takes its place */
    CV_GROUPED,  /* added with others; a later write can put all of them again, together (hash.h) */
    CV_VOLATILE  /* replaced in place or removed, without event, rev, feed, hash and export */
} cv_life;

/* Is there one digest of all rows that a write puts, rather than one of each? */
static inline bool cv_life_in_groups(cv_life life)
{
    return life == CV_ADDED || life == CV_GROUPED;
}

enum {
    CV_MAX_INDEX_FIELDS = 4,
    CV_MAX_KEY_FIELDS = 4,
    CV_MAX_TYPE_FIELDS = 64, /* far above any row that people can read */
    CV_MAX_TYPES = 128       /* of all rooms together */
};

/* An index orders rows by its fields, then by the key; rows that lack one of its fields are not in it. `across`: over
 * all scopes of the room; then the order is fields, scope, key. A field is named by its offset; 0 is the rev. */
typedef struct {
    const char *name;
    bool across;
    uint8_t count;
    uint16_t at[CV_MAX_INDEX_FIELDS];
} cv_index;

#define CV_AT(type, field) ((uint16_t)offsetof(type, field))
#define CV_INDEX_SCOPE false
#define CV_INDEX_ACROSS true
#define CV_INDEX(word, where, ...)                                                                                     \
    {                                                                                                                  \
        .name = (word), .across = CV_INDEX_##where, .count = sizeof((uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t),     \
        .at = {                                                                                                        \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define CV_INDEXES(list) .indexes = (list), .index_count = CV_COUNT(list)

/* What a search sees of a row. With title and body both absent, `ids` are added to those of the thing with this kind
 * and id, which another row describes. */
typedef struct {
    cv_str kind; /* one word for people: "card" */
    cv_str id;   /* names the thing within its scope and kind */
    cv_str ids;  /* words by which it is found besides its texts, separated by spaces; others than letters and digits
                  * in them do not count */
    cv_str title, body;
    cv_str status; /* absent: it has none */
    cv_str people; /* JSON list of names; absent: none */
} cv_search_text;

/* False: there is nothing to find in this row; kind and id are set anyway if there may have been before. */
typedef bool (*cv_search_of)(cv_arena *a, const void *row, cv_search_text *ret_text);

typedef struct {
    cv_str name;       /* "card": in keys, exports and messages; [a-z_] */
    const char *table; /* "cards" */
    cv_life life;
    const cv_type_field *fields;
    uint8_t field_count, key_count;
    uint16_t size;       /* of the struct */
    cv_search_of search; /* NULL: not searched. Else there is an index that begins with the rev */
    const cv_index *indexes;
    size_t index_count;
    /* What no write of this program can have stored, as the end of "a card …"; NULL: nothing is wrong with the row. The
     * member is NULL where every row is possible. */
    const char *(*fault)(const void *row);
    bool whole;   /* a scope has a limited number of them, which are mostly read together: an engine that pays much for
                 * an index within a scope may pass over the rest of the scope's rows instead */
    bool lasting; /* volatile rows that are put when their scope is made, or never: what was read of them stays true */
} cv_type;

#define CV_CTYPE_OF_TEXT cv_str
#define CV_CTYPE_OF_DECIMAL cv_str
#define CV_CTYPE_OF_JSON cv_str
#define CV_CTYPE_OF_INT int64_t
#define CV_CTYPE_OF_FLAG int64_t
#define CV_TYPE_MEMBER(type, role, name) CV_CTYPE_OF_##type name;
#define CV_TYPE_STRUCT(word, list)                                                                                     \
    typedef struct word word;                                                                                          \
    struct word {                                                                                                      \
        int64_t rev;                                                                                                   \
        list(CV_TYPE_MEMBER)                                                                                           \
    };                                                                                                                 \
    extern const cv_type word##_type;

/* The table behind a struct, in a source; the type is named once more, for the offsets:
 *
 *     #define CV_THIS_TYPE card
 *     CV_TYPE_TABLE(card, "card", "cards", CARD_FIELDS, REPLACED, card_search, CV_INDEXES(card_indexes));
 *     #undef CV_THIS_TYPE
 */
#define CV_TYPE_FIELD_(ftype, frole, fname)                                                                            \
    {CV_STR_INIT(#fname), CV_##ftype, CV_##frole, (uint16_t)offsetof(CV_THIS_TYPE, fname)},
#define CV_TYPE_ONE_(ftype, frole, fname) 1,
#define CV_TYPE_ONE_IF_KEY_(ftype, frole, fname) CV_TYPE_ONE_IF_##frole
#define CV_TYPE_ONE_IF_KEY 1,
#define CV_TYPE_ONE_IF_OUTLINE
#define CV_TYPE_ONE_IF_PLAIN
#define CV_TYPE_ONE_IF_LONG
#define CV_TYPE_TABLE(word, name_, table_, list, life_, search_, ...)                                                  \
    _Static_assert(offsetof(word, rev) == 0 && sizeof(word) <= UINT16_MAX, "the rev comes first");                     \
    _Static_assert(sizeof((char[]){list(CV_TYPE_ONE_)}) <= CV_MAX_TYPE_FIELDS, "too many fields");                     \
    _Static_assert(sizeof((char[]){list(CV_TYPE_ONE_IF_KEY_)}) <= CV_MAX_KEY_FIELDS, "too many fields in the key");    \
    const cv_type word##_type = {.name = CV_STR_INIT(name_),                                                           \
                                 .table = (table_),                                                                    \
                                 .life = CV_##life_,                                                                   \
                                 .fields = (const cv_type_field[]){list(CV_TYPE_FIELD_)},                              \
                                 .field_count = sizeof((char[]){list(CV_TYPE_ONE_)}),                                  \
                                 .key_count = sizeof((char[]){list(CV_TYPE_ONE_IF_KEY_)}),                             \
                                 .size = sizeof(word),                                                                 \
                                 .search = (search_),                                                                  \
                                 __VA_ARGS__}

/* ---- the common types ------------------------------------------------------------------------------------------- */

/* One history for everything: who did what to which thing. `step` is a room's own number, like that of a page or a
 * turn; `standing` says whether the agent was verified or only claimed to be who it is. `covers` names rows and their
 * digests (hash.h); `hash` covers the hash before it and all other fields. */
#define CV_EVENT_ROW_FIELDS(F)                                                                                         \
    F(INT, KEY, seq)                                                                                                   \
    F(TEXT, OUTLINE, subject_type)                                                                                     \
    F(TEXT, OUTLINE, subject_id)                                                                                       \
    F(TEXT, OUTLINE, event_type)                                                                                       \
    F(INT, OUTLINE, step)                                                                                              \
    F(JSON, PLAIN, actors)                                                                                             \
    F(TEXT, PLAIN, agent)                                                                                              \
    F(TEXT, PLAIN, standing)                                                                                           \
    F(TEXT, LONG, reason)                                                                                              \
    F(TEXT, PLAIN, result_id)                                                                                          \
    F(TEXT, PLAIN, reference)                                                                                          \
    F(JSON, LONG, data)                                                                                                \
    F(JSON, PLAIN, covers)                                                                                             \
    F(TEXT, OUTLINE, created_at)                                                                                       \
    F(TEXT, PLAIN, hash)

/* One row per write: by its op_id a request is done once, by its rev the scope's history has no gaps. */
#define CV_COMMIT_ROW_FIELDS(F)                                                                                        \
    F(TEXT, KEY, op_id)                                                                                                \
    F(TEXT, OUTLINE, operation)                                                                                        \
    F(TEXT, OUTLINE, digest)                                                                                           \
    F(TEXT, OUTLINE, created_at)                                                                                       \
    F(JSON, LONG, result)                                                                                              \
    F(TEXT, PLAIN, head)

CV_TYPE_STRUCT(cv_event_row, CV_EVENT_ROW_FIELDS)
CV_TYPE_STRUCT(cv_commit_row, CV_COMMIT_ROW_FIELDS)

/* Their indexes, for find. */
extern const cv_index *const cv_events_by_subject; /* subject_id, seq */
extern const cv_index *const cv_events_by_rev;
extern const cv_index *const cv_commits_by_rev;
extern const cv_index *const cv_commits_by_op; /* across scopes: which of them did this op_id write to? */

/* ---- all types of a program -------------------------------------------------------------------------------------- */

typedef struct {
    cv_str room;
    const cv_type *const *types; /* without the common ones */
    size_t count;
} cv_room_types;

struct cv_sql_migrations; /* sql.h */

typedef struct {
    const cv_room_types *const *rooms;
    size_t count;
    const struct cv_sql_migrations *sqlite, *postgres; /* the tables that hold them, in each engine; NULL: not there */
} cv_types;

/* The types of a room in their order; NULL: there is no such room. */
const cv_room_types *cv_types_of(const cv_types *types, cv_str room);

/* Do the tables say what they may? Asserted once where they are taken: names, keys, indexes. */
void cv_types_check(const cv_types *types);

/* ---- fields of a row --------------------------------------------------------------------------------------------- */

static inline int64_t cv_row_int(const void *row, size_t offset)
{
    int64_t value;
    memcpy(&value, (const char *)row + offset, sizeof value);
    return value;
}

static inline cv_str cv_row_text(const void *row, size_t offset)
{
    cv_str text;
    memcpy(&text, (const char *)row + offset, sizeof text);
    return text;
}

static inline int64_t cv_row_rev(const void *row)
{
    return cv_row_int(row, 0);
}

/* The field at this offset; NULL: the rev. */
const cv_type_field *cv_type_at(const cv_type *type, size_t offset);
const cv_type_field *cv_type_field_named(const cv_type *type, cv_str name); /* NULL: none */
const cv_index *cv_type_index(const cv_type *type, const char *name);       /* NULL: none */

/* One bit for a field, by its place in the table. */
uint64_t cv_type_bit(const cv_type *type, size_t offset);

bool cv_row_has(const cv_type_field *field, const void *row); /* it is not absent */
void cv_row_clear(const cv_type *type, void *row);            /* all fields absent, rev 0 */

/* A copy whose texts are in the arena. */
void *cv_row_copy(cv_arena *a, const cv_type *type, const void *row);

/* Compares by one field, by the key: numbers by value, texts by their bytes, what is absent first. */
int cv_row_compare_field(const cv_type_field *field, const void *x, const void *y);
int cv_row_order(const cv_type *type, const void *x, const void *y);

/* "card/3": the type and the key fields; '/' and '%' in texts are written as %2F and %25. */
cv_str cv_row_name(cv_arena *a, const cv_type *type, const void *row);

/* May this row be written? The key is there, texts have no NUL, numbers are within ±2^53, no long text has the form of
 * a redaction. The error names type, key and field. */
bool cv_row_valid(const cv_type *type, const void *row, cv_err *err);

#endif
