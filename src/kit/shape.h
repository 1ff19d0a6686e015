/* shape.h - the form of an answer: one table from which its JSON is written and its schema is made.
 *
 *     typedef struct {
 *         int64_t rounds_left;
 *         cv_str reason;
 *     } cv_estimate;
 *
 *     #define CV_THIS_TYPE cv_estimate
 *     static const cv_shape estimate[] = {
 *         CV_FIELD(OR_NULL, rounds_left, "null: unknown"),
 *         CV_FIELD(ALWAYS, reason, ""),
 *         {0},
 *     };
 *     #undef CV_THIS_TYPE
 *
 *     cv_shape_write(w, estimate, &e)     {"rounds_left":2,"reason":"…"}
 *     cv_shape_schema(w, estimate)        {"type":"object","properties":{"rounds_left":{"type":["integer","null"], …
 *
 * A row says when its member is there:
 *
 *     ALWAYS    whatever the value is; an absent text is ""
 *     IF_ANY    left out when it is absent: an empty text, CV_ABSENT, false, a NULL pointer; a size_t of 0; no items
 *     OR_NULL   null when it is absent: a NULL text, CV_ABSENT, a NULL pointer to an object
 *     OR_ZERO   0 when it is CV_ABSENT
 *     OR_EMPTY  [] when the JSON is absent
 *
 * The C type of a scalar says what it is in JSON (cv_str, bool, int64_t, int, and size_t, which is never below 0). The
 * last argument of a row describes the member for people; "": its name says it.
 *
 * A shape is an array of rows, and behind the last one a row of zeroes. Its members are in the order of the rows; an
 * object has no others.
 */
#ifndef CV_KIT_SHAPE_H
#define CV_KIT_SHAPE_H

#include "base/json.h"
#include "record/type.h"

typedef enum { CV_ALWAYS, CV_IF_ANY, CV_OR_NULL, CV_OR_ZERO, CV_OR_EMPTY } cv_when;

typedef enum {
    CV_M_END,    /* behind the last row */
    CV_M_TEXT,   /* cv_str */
    CV_M_INT,    /* int64_t */
    CV_M_COUNT,  /* size_t */
    CV_M_SMALL,  /* int */
    CV_M_BOOL,   /* bool */
    CV_M_ANY,    /* cv_str, JSON: these are written as they are */
    CV_M_NUMBER, /* … a number */
    CV_M_MAP,    /* … an object */
    CV_M_NAMES,  /* … a list of texts */
    CV_M_TEXTS,  /* cv_str *, size_t */
    CV_M_INTS,   /* int64_t *, size_t: none of them absent */
    CV_M_OBJECT, /* another shape */
    CV_M_LIST,   /* of another shape: T *, size_t, or T **, size_t */
    CV_M_SPREAD, /* the members of another shape are here */
    CV_M_ROW,    /* the fields of a record type are here (record/type.h) */
    CV_M_CASE,   /* … when a pointer of this struct is not NULL: one of the cases that are together */
    CV_M_FIXED,  /* always the same text */
    CV_M_HAND,   /* a function writes it */
    CV_M_OTHERS, /* a function writes some members, and another one their schemas */
} cv_shape_kind;

enum { CV_NO_LIMIT = INT32_MIN };
enum { CV_WITHOUT_NONE, CV_WITHOUT_KEY = 1, CV_WITHOUT_JSON = 2, CV_WITHOUT_BOTH = 3 };

typedef struct cv_shape cv_shape;
struct cv_shape {
    cv_shape_kind kind;
    cv_str name;
    cv_when when;
    bool needs;             /* an object that is there when the text at `count` is */
    bool at;                /* the value is behind a pointer, or the list is one of pointers */
    bool later;             /* somebody else adds it to the answer */
    uint32_t behind;        /* the offset of a pointer to the struct that has the value, plus one; 0: it is this one */
    uint32_t offset, count; /* of the value, of the number of items */
    uint32_t stride;        /* of items */
    int32_t least, most;    /* of numbers, of the length of texts; CV_NO_LIMIT */
    const cv_shape *shape;
    const cv_type *type; /* ROW, and what is left out of it */
    unsigned without;
    const cv_words *words; /* the text is one of these */
    const char *text;      /* FIXED: it; HAND: the schema; a number or a text: x-more, the option that takes it */
    void (*write)(cv_json_writer *w, const void *value); /* HAND, OTHERS; LIST: writes the items */
    void (*schemas)(cv_json_writer *w);                  /* OTHERS */
    const char *mark;                                    /* a word of our own in the schema: "x-print" */
    const char *about;
};

/* One object; its members only, into an object that is open. */
void cv_shape_write(cv_json_writer *w, const cv_shape *shape, const void *value);
void cv_shape_write_members(cv_json_writer *w, const cv_shape *shape, const void *value);

/* The whole answer as one text. */
cv_str cv_shape_text(cv_arena *a, const cv_shape *shape, const void *value);

/* The JSON schema of what cv_shape_write writes; the properties only, into an object that is open. */
void cv_shape_schema(cv_json_writer *w, const cv_shape *shape);
void cv_shape_schema_properties(cv_json_writer *w, const cv_shape *shape);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

#define CV_M_OF(member) (((CV_THIS_TYPE *)0)->member)
#define CV_M_HEAD(name_, kind_, when_, about_)                                                                         \
    .name = CV_STR_INIT(name_), .kind = CV_M_##kind_, .when = CV_##when_, .least = CV_NO_LIMIT, .most = CV_NO_LIMIT,   \
    .about = (about_)
#define CV_M_AT(member) .offset = (uint32_t)offsetof(CV_THIS_TYPE, member)
/* 0, if the member has this C type; others do not compile. */
#define CV_M_IS(type, member) _Generic(CV_M_OF(member), type : 0U)

/* A scalar: under its own name, under another one, a number within limits. */
#define CV_FIELD(when_, member, about_) CV_FIELD_AS(when_, #member, member, about_)
#define CV_FIELD_AS(when_, name_, member, about_)                                                                      \
    CV_NUMBER(when_, name_, member, _Generic(CV_M_OF(member), size_t : 0, default : CV_NO_LIMIT), CV_NO_LIMIT, about_)
#define CV_NUMBER(when_, name_, member, least_, most_, about_)                                                         \
    {                                                                                                                  \
        .kind = CV_M_KIND(CV_M_OF(member)), .name = CV_STR_INIT(name_), .when = CV_##when_, CV_M_AT(member),           \
        .least = (least_), .most = (most_), .about = (about_)                                                          \
    }
#define CV_M_KIND(value) /* by its C type; others do not compile */                                                    \
    _Generic((value), cv_str : CV_M_TEXT, int64_t : CV_M_INT, size_t : CV_M_COUNT, int : CV_M_SMALL, bool : CV_M_BOOL)

/* A scalar of the struct that a pointer leads to. The pointer may be NULL if the member is IF_ANY. */
#define CV_FIELD_OF(when_, pointer, member, about_) CV_FIELD_OF_AS(when_, #member, pointer, member, about_)
#define CV_FIELD_OF_AS(when_, name_, pointer, member, about_)                                                          \
    CV_NUMBER_OF(when_, name_, pointer, member, CV_NO_LIMIT, CV_NO_LIMIT, about_)
#define CV_NUMBER_OF(when_, name_, pointer, member, least_, most_, about_)                                             \
    {                                                                                                                  \
        .kind = CV_M_KIND(CV_M_OF(pointer)->member), .name = CV_STR_INIT(name_), .when = CV_##when_,                   \
        .behind = (uint32_t)offsetof(CV_THIS_TYPE, pointer) + 1,                                                       \
        .offset = (uint32_t)offsetof(__typeof__(*CV_M_OF(pointer)), member), .least = (least_), .most = (most_),       \
        .about = (about_)                                                                                              \
    }
#define CV_JSON_OF_AS(when_, kind_, name_, pointer, member, about_)                                                    \
    {                                                                                                                  \
        CV_M_HEAD(name_, kind_, when_, about_),                                                                        \
            .behind = (uint32_t)offsetof(CV_THIS_TYPE, pointer) + 1,                                                   \
            .offset = (uint32_t)offsetof(__typeof__(*CV_M_OF(pointer)), member) + CV_M_IS(cv_str, pointer->member)     \
    }

/* A text that is JSON: ANY, NUMBER, MAP, NAMES. */
#define CV_JSON_AS(when_, kind_, name_, member, about_)                                                                \
    {                                                                                                                  \
        CV_M_HEAD(name_, kind_, when_, about_), CV_M_AT(member), .stride = CV_M_IS(cv_str, member)                     \
    }

/* A list of texts; of numbers; of structs; of pointers to structs. */
#define CV_LIST_(kind_, when_, at_, name_, items, number, shape_, about_)                                              \
    {                                                                                                                  \
        .kind = CV_M_##kind_, .name = CV_STR_INIT(name_), .when = (when_), CV_M_AT(items), .at = (at_),                \
        .shape = (shape_), .count = (uint32_t)offsetof(CV_THIS_TYPE, number) + CV_M_IS(size_t, number),                \
        .stride = (uint32_t)sizeof *CV_M_OF(items), .least = CV_NO_LIMIT, .most = CV_NO_LIMIT, .about = (about_)       \
    }
#define CV_TEXTS(name_, items, number, about_) CV_LIST_(TEXTS, CV_ALWAYS, false, name_, items, number, NULL, about_)
#define CV_INTS(name_, items, number, about_)                                                                          \
    CV_LIST_(INTS, CV_ALWAYS + CV_M_IS(int64_t *, items), false, name_, items, number, NULL, about_)
#define CV_LIST(name_, items, number, shape_, about_)                                                                  \
    CV_LIST_(LIST, CV_ALWAYS, false, name_, items, number, shape_, about_)
#define CV_LIST_AT(name_, items, number, shape_, about_)                                                               \
    CV_LIST_(LIST, CV_ALWAYS, true, name_, items, number, shape_, about_)
#define CV_LIST_WHEN(when_, name_, items, number, shape_, about_)                                                      \
    CV_LIST_(LIST, when_, false, name_, items, number, shape_, about_)

/* A list of structs that are not in memory together: a function writes one after the other, each in this shape. */
#define CV_LIST_BY(name_, write_, shape_, about_)                                                                      \
    {                                                                                                                  \
        CV_M_HEAD(name_, LIST, ALWAYS, about_), .write = (write_), .shape = (shape_)                                   \
    }

/* An object: a struct in this one, or behind a pointer, which may be NULL if it is IF_ANY or OR_NULL. */
#define CV_OBJECT(when_, name_, member, shape_, about_)                                                                \
    {                                                                                                                  \
        CV_M_HEAD(name_, OBJECT, when_, about_), CV_M_AT(member), .shape = (shape_)                                    \
    }
#define CV_OBJECT_AT(when_, name_, member, shape_, about_)                                                             \
    {                                                                                                                  \
        CV_M_HEAD(name_, OBJECT, when_, about_), CV_M_AT(member), .at = true, .shape = (shape_)                        \
    }

/* An object of further members of this struct; … that is there when one of its texts is. */
#define CV_GROUP(name_, shape_, about_)                                                                                \
    {                                                                                                                  \
        CV_M_HEAD(name_, OBJECT, ALWAYS, about_), .shape = (shape_)                                                    \
    }
#define CV_GROUP_IF(member, name_, shape_, about_)                                                                     \
    {                                                                                                                  \
        CV_M_HEAD(name_, OBJECT, IF_ANY, about_),                                                                      \
            .needs = true, .shape = (shape_),                                                                          \
            .count = (uint32_t)offsetof(CV_THIS_TYPE, member) + CV_M_IS(cv_str, member)                                \
    }

/* The members of a struct in this one, or behind a pointer, which is not NULL. */
#define CV_SPREAD(member, shape_)                                                                                      \
    {                                                                                                                  \
        CV_M_HEAD("", SPREAD, ALWAYS, ""), CV_M_AT(member), .shape = (shape_)                                          \
    }
#define CV_SPREAD_AT(member, shape_)                                                                                   \
    {                                                                                                                  \
        CV_M_HEAD("", SPREAD, ALWAYS, ""), CV_M_AT(member), .at = true, .shape = (shape_)                              \
    }

/* The fields of a row in this struct, which is of a record type, in the order of its table: absent ones are null, flags
 * are booleans, decimals are numbers. `without`: some of them are left out. */
#define CV_ROW(member, type_, without_)                                                                                \
    {                                                                                                                  \
        CV_M_HEAD("", ROW, ALWAYS, ""), CV_M_AT(member), .type = (type_), .without = CV_WITHOUT_##without_             \
    }

/* What is known of such a field besides: it is never absent (ALWAYS), its JSON is an object (MAP), it is one of some
 * words. These rows are for the schema alone; they are before CV_ROW, which writes the field. */
#define CV_ROW_SAYS(when_, kind_, name_, words_, about_)                                                               \
    {                                                                                                                  \
        CV_M_HEAD(name_, kind_, when_, about_), .later = true, .words = (words_)                                       \
    }

/* The members of this struct that another shape has. */
#define CV_SPREAD_SAME(shape_)                                                                                         \
    {                                                                                                                  \
        CV_M_HEAD("", SPREAD, ALWAYS, ""), .shape = (shape_)                                                           \
    }

/* … and all of them are marked x-below. */
#define CV_ALL_BELOW(shape_)                                                                                           \
    {                                                                                                                  \
        CV_M_HEAD("", SPREAD, ALWAYS, ""), .shape = (shape_), .mark = "x-below"                                        \
    }

/* Further members of this struct, when a pointer in it is not NULL. Of cases that are together there is one: what all
 * of them have is required. */
#define CV_CASE(member, shape_)                                                                                        \
    {                                                                                                                  \
        CV_M_HEAD("", CASE, ALWAYS, ""), CV_M_AT(member), .shape = (shape_)                                            \
    }

/* Further members of this struct, when a pointer in it is not NULL; else none of them. */
#define CV_MAYBE(member, shape_)                                                                                       \
    {                                                                                                                  \
        CV_M_HEAD("", CASE, IF_ANY, ""), CV_M_AT(member), .shape = (shape_)                                            \
    }

/* A text of some length. */
#define CV_LONG_AS(when_, name_, member, least_, most_, about_)                                                        \
    {                                                                                                                  \
        .name = CV_STR_INIT(name_), .kind = CV_M_TEXT, .when = CV_##when_, CV_M_AT(member),                            \
        .stride = CV_M_IS(cv_str, member), .least = (least_), .most = (most_), .about = (about_)                       \
    }

/* A text that is one of some words. */
#define CV_WORD(when_, name_, member, words_, about_)                                                                  \
    {                                                                                                                  \
        CV_M_HEAD(name_, TEXT, when_, about_), CV_M_AT(member), .words = (words_)                                      \
    }

#define CV_FIXED(name_, text_)                                                                                         \
    {                                                                                                                  \
        CV_M_HEAD(name_, FIXED, ALWAYS, ""), .text = (text_)                                                           \
    }
#define CV_SUCCESS CV_FIXED("status", "success")

/* A text with a mark (kit/schema.h): x-below; for people, when they have asked for it: x-print, x-document. */
#define CV_MARKED(mark_, when_, member, about_)                                                                        \
    {                                                                                                                  \
        CV_M_HEAD(#member, TEXT, when_, about_), CV_M_AT(member), .mark = (mark_)                                      \
    }
#define CV_BELOW(when_, member, about_) CV_MARKED("x-below", when_, member, about_)
#define CV_PRINTED(member, about_) CV_MARKED("x-print", IF_ANY, member, about_)
#define CV_DOCUMENT(member, about_) CV_MARKED("x-document", IF_ANY, member, about_)

/* Where the next page begins, when there is one; `option_` of the request takes it. */
#define CV_MORE(name_, member, option_, about_)                                                                        \
    {                                                                                                                  \
        .kind = CV_M_KIND(CV_M_OF(member)), .name = CV_STR_INIT(name_), .when = CV_IF_ANY, CV_M_AT(member),            \
        .least = CV_NO_LIMIT, .most = CV_NO_LIMIT, .text = (option_), .about = (about_)                                \
    }

/* What no row can say: a function writes the value of the struct, or of one member of it, and its schema is text. */
#define CV_BY_HAND(name_, write_, schema_)                                                                             \
    {                                                                                                                  \
        CV_M_HEAD(name_, HAND, ALWAYS, ""), .write = (write_), .text = (schema_)                                       \
    }
#define CV_BY_HAND_AT(name_, member, write_, schema_)                                                                  \
    {                                                                                                                  \
        CV_M_HEAD(name_, HAND, ALWAYS, ""), CV_M_AT(member), .write = (write_), .text = (schema_)                      \
    }

/* Members whose names are known when the program runs, none of them required: a function writes those that are there,
 * another one the schemas of all. */
#define CV_OTHERS(write_, schemas_)                                                                                    \
    {                                                                                                                  \
        CV_M_HEAD("", OTHERS, IF_ANY, ""), .write = (write_), .schemas = (schemas_)                                    \
    }

/* What somebody else adds to the answer: the members that kit/request.h gives to that of a write, and of a write that
 * may be tried. */
#define CV_LATER(when_, name_, kind_, least_, about_)                                                                  \
    {                                                                                                                  \
        .name = CV_STR_INIT(name_), .kind = CV_M_##kind_, .when = CV_##when_, .least = (least_), .most = CV_NO_LIMIT,  \
        .later = true, .about = (about_)                                                                               \
    }
#define CV_LATER_ALL(shape_) /* the members of another shape, of any struct */                                         \
    {                                                                                                                  \
        CV_M_HEAD("", SPREAD, ALWAYS, ""), .later = true, .shape = (shape_)                                            \
    }
#define CV_LATER_MARKED(mark_, name_, about_)                                                                          \
    {                                                                                                                  \
        CV_M_HEAD(name_, TEXT, IF_ANY, about_), .later = true, .mark = (mark_)                                         \
    }
#define CV_LATER_SECRET(name_, about_) CV_LATER_MARKED("x-secret", name_, about_)
#define CV_LATER_PRINTED(name_, about_) CV_LATER_MARKED("x-print", name_, about_)
#define CV_WRITTEN(scope) CV_WRITTEN_FROM(1, scope)
#define CV_WRITTEN_FROM(least_, scope) /* 0: it may be tried where nothing was written yet */                          \
    CV_LATER(ALWAYS, "rev", INT, least_, "of the " scope " after this write"),                                         \
        CV_LATER(IF_ANY, "replayed", BOOL, CV_NO_LIMIT, "the same request was done before: its answer again")
#define CV_TRIED CV_LATER(IF_ANY, "dry_run", BOOL, CV_NO_LIMIT, "nothing was written; rev is the present one")

#endif
