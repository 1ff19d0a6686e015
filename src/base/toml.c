/* toml.c - TOML in, as the tree that JSON gives; see toml.h.
 *
 * While the text is read a table is a map, because its parts may be anywhere; at the end it becomes a list of
 * members in the order in which they were first named.
 */
#include "base/toml.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/toml_scan.h"
#include "base/utf8.h"

/* How a table came about: that decides who may add to it. */
typedef enum {
    VALUE,    /* not a table: a text, a number …, or a list of values */
    NAMED,    /* on the way to another: [a] of [a.b]; it may still be opened once */
    OPENED,   /* by its header */
    DOTTED,   /* by a key like a.b = 1: only keys of the same kind add to it */
    INLINE,   /* {a = 1}: nobody does */
    REPEATED, /* [[a]]: a list of tables, the last of which is meant */
} origin;

typedef struct node node;
struct node {
    origin origin;
    size_t depth, offset;
    cv_str key;
    cv_json value; /* of a VALUE */
    cv_map names;  /* of a table */
    struct {
        node **items;
        size_t count, capacity;
    } below;       /* members of a table; tables of a list */
    node *section; /* of a DOTTED one: where it was made */
};

typedef struct {
    cv_toml_scan scan;
    node *root, *table; /* the one that entries go to */
} reader;

static bool bad(const reader *r, size_t at, const char *what)
{
    return cv_toml_bad(&r->scan, at, what);
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static node *new_node(reader *r, origin by, size_t depth, cv_str key, size_t offset)
{
    node *n = CV_NEW(r->scan.arena, node);
    *n = (node){.origin = by, .depth = depth, .key = key, .offset = offset};
    return n;
}

/* The member of a table; made when it is new, NULL with an error when that would be too deep. */
static node *member(reader *r, node *table, cv_str key, origin by, size_t at, bool *ret_new)
{
    uintptr_t *place = cv_map_put(&table->names, r->scan.arena, key, ret_new);
    if (!*ret_new)
        return (node *)*place;
    if (table->depth + 1 >= CV_MAX_JSON_DEPTH) {
        bad(r, at, "the nesting is too deep");
        return NULL;
    }
    node *made = new_node(r, by, table->depth + 1, key, at);
    *place = (uintptr_t)made;
    *CV_PUSH(r->scan.arena, &table->below) = made;
    return made;
}

static node *last_of(node *n)
{
    return n->origin == REPEATED ? n->below.items[n->below.count - 1] : n;
}

/* [a.b.c] and [[a.b.c]]: the table that the entries behind it go to. */
static bool open_table(reader *r, const cv_toml_path *path, size_t at, bool repeated)
{
    node *table = r->root;
    bool is_new;
    for (size_t i = 0; i + 1 < path->count; i++) {
        node *next = member(r, table, path->parts[i], NAMED, at, &is_new);
        if (!next)
            return false;
        table = last_of(next);
        if (table->origin == VALUE || table->origin == INLINE)
            return bad(r, at, "a part of this name is a value, not a table");
    }
    node *n = member(r, table, path->parts[path->count - 1], repeated ? REPEATED : OPENED, at, &is_new);
    if (!n)
        return false;
    if (!is_new && !repeated && n->origin == NAMED)
        n->origin = OPENED;
    else if (!is_new && !(repeated && n->origin == REPEATED))
        return bad(r, at, "this name is given twice");
    if (repeated) {
        if (n->depth + 1 >= CV_MAX_JSON_DEPTH)
            return bad(r, at, "the nesting is too deep");
        *CV_PUSH(r->scan.arena, &n->below) = new_node(r, OPENED, n->depth + 1, (cv_str){NULL, 0}, at);
    }
    r->table = last_of(n);
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool read_value(reader *r, node *into);
static bool read_entry(reader *r, node *table);

/* Digits of a base, with single underscores between them, as a number. */
static bool read_based(cv_str word, int base, cv_arena *a, cv_str *ret)
{
    uint64_t value = 0;
    bool digit = false;
    for (size_t i = 2; i < word.n; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *found = memchr(digits, cv_lower(word.p[i]), (size_t)base);
        if (word.p[i] == '_' && digit && i + 1 < word.n) {
            digit = false;
            continue;
        }
        if (!found || value > (uint64_t)INT64_MAX / (uint64_t)base - 1)
            return false;
        value = value * (uint64_t)base + (uint64_t)(found - digits);
        digit = true;
    }
    *ret = cv_arena_printf(a, "%llu", (unsigned long long)value);
    return digit;
}

/* 1_000, +5, 3.14, 1e6, 0xff -> a number as JSON writes it. False: it is none. */
static bool read_number(cv_arena *a, cv_str word, cv_str *ret)
{
    static const struct {
        const char *prefix;
        int base;
    } bases[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
    for (size_t i = 0; i < CV_COUNT(bases); i++)
        if (cv_str_starts(word, cv_str_of(bases[i].prefix)))
            return read_based(word, bases[i].base, a, ret);
    char *text = cv_arena_alloc(a, word.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++) {
        bool between = i > 0 && i + 1 < word.n && cv_is_digit(word.p[i - 1]) && cv_is_digit(word.p[i + 1]);
        if (word.p[i] == '_' && !between)
            return false;
        if (word.p[i] != '_' && !(i == 0 && word.p[i] == '+'))
            text[n++] = word.p[i];
    }
    *ret = (cv_str){text, n};
    return n > 0 && text[0] != '+' && cv_json_is_valid(*ret, 1) && (cv_is_digit(text[0]) || text[0] == '-');
}

static bool read_word(reader *r, cv_json *ret)
{
    cv_toml_scan *s = &r->scan;
    size_t start = s->at;
    while (cv_toml_is_bare(cv_toml_peek(s)) || (cv_toml_peek(s) && strchr("+.:", cv_toml_peek(s))))
        s->at++;
    cv_str word = cv_str_range(s->text.p + start, s->text.p + s->at);
    bool yes = cv_str_eq(word, CV_STR("true"));
    if (yes || cv_str_eq(word, CV_STR("false"))) {
        ret->type = yes ? CV_JSON_TRUE : CV_JSON_FALSE;
        return true;
    }
    ret->type = CV_JSON_NUMBER;
    if (read_number(s->arena, word, &ret->text))
        return true;
    bool timed = cv_str_find_char(word, ':') != SIZE_MAX || (word.n > 4 && word.p[4] == '-' && cv_is_digit(word.p[0]));
    return bad(r, start,
               word.n == 0 ? "a value is expected here"
               : timed     ? "dates and times are not supported here: put it in quotes"
                           : "this is neither a number nor true nor false: put texts in quotes");
}

/* Blanks, line breaks and comments. */
static void skip_space(cv_toml_scan *s)
{
    for (size_t before = SIZE_MAX; s->at != before;) {
        before = s->at;
        cv_toml_skip_blanks(s);
        cv_toml_skip_comment(s);
        s->at += cv_toml_break(s->text, s->at);
    }
}

static bool read_list(reader *r, node *into)
{
    cv_toml_scan *s = &r->scan;
    size_t start = s->at++;
    for (skip_space(s); cv_toml_peek(s) != ']'; skip_space(s)) {
        node *item = new_node(r, VALUE, into->depth + 1, (cv_str){NULL, 0}, s->at);
        if (!read_value(r, item))
            return false;
        *CV_PUSH(s->arena, &into->below) = item;
        skip_space(s);
        if (s->at >= s->text.n)
            return bad(r, start, "this list has no end");
        if (cv_toml_peek(s) == ',')
            s->at++;
        else if (cv_toml_peek(s) != ']')
            return bad(r, s->at, "a comma or ] is expected here");
    }
    s->at++;
    into->value.type = CV_JSON_ARRAY;
    return true;
}

static bool read_inline(reader *r, node *into)
{
    cv_toml_scan *s = &r->scan;
    s->at++;
    into->origin = DOTTED; /* for as long as it is open */
    into->section = into;
    cv_toml_skip_blanks(s);
    for (bool more = cv_toml_peek(s) != '}'; more;) {
        if (!read_entry(r, into))
            return false;
        cv_toml_skip_blanks(s);
        more = cv_toml_peek(s) == ',';
        if (!more && cv_toml_peek(s) != '}')
            return bad(r, s->at, "a comma or } is expected here, on the same line");
        s->at += more;
    }
    s->at++;
    into->origin = INLINE;
    return true;
}

static bool read_value(reader *r, node *into)
{
    cv_toml_scan *s = &r->scan;
    if (into->depth >= CV_MAX_JSON_DEPTH)
        return bad(r, s->at, "the nesting is too deep");
    switch (cv_toml_peek(s)) {
    case '[':
        return read_list(r, into);
    case '{':
        return read_inline(r, into);
    case '"':
    case '\'':
        into->value.type = CV_JSON_STRING;
        return cv_toml_read_string(s, &into->value.text);
    default:
        return read_word(r, &into->value);
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* a.b = 1: tables on the way are made here, or were made here before. */
static bool read_entry(reader *r, node *table)
{
    cv_toml_scan *s = &r->scan;
    cv_toml_path path;
    node *section = table;
    bool is_new;
    cv_toml_skip_blanks(s);
    size_t start = s->at;
    if (!cv_toml_read_path(s, &path))
        return false;
    for (size_t i = 0; i + 1 < path.count; i++) {
        table = member(r, table, path.parts[i], DOTTED, start, &is_new);
        if (!table)
            return false;
        if (is_new)
            table->section = section;
        if (table->origin != DOTTED || table->section != section)
            return bad(r, start, "this name is given twice");
    }
    node *entry = member(r, table, path.parts[path.count - 1], VALUE, start, &is_new);
    if (!entry)
        return false;
    if (!is_new)
        return bad(r, start, "this name is given twice");
    if (cv_toml_peek(s) != '=')
        return bad(r, s->at, "an equals sign is expected here");
    s->at++;
    cv_toml_skip_blanks(s);
    entry->offset = s->at;
    return read_value(r, entry);
}

static bool read_header(reader *r)
{
    cv_toml_scan *s = &r->scan;
    size_t start = s->at;
    bool repeated = cv_toml_comes(s, "[[");
    const char *close = repeated ? "]]" : "]";
    cv_toml_path path;
    s->at += strlen(close);
    if (!cv_toml_read_path(s, &path))
        return false;
    if (!cv_toml_comes(s, close))
        return bad(r, s->at, repeated ? "]] is expected here" : "] is expected here");
    s->at += strlen(close);
    return open_table(r, &path, start, repeated);
}

static bool read_statement(reader *r)
{
    cv_toml_scan *s = &r->scan;
    cv_toml_skip_blanks(s);
    if (cv_toml_peek(s) == '[') {
        if (!read_header(r))
            return false;
    } else if (!cv_toml_at_line_end(s) && cv_toml_peek(s) != '#' && !read_entry(r, r->table)) {
        return false;
    }
    cv_toml_skip_blanks(s);
    cv_toml_skip_comment(s);
    if (!cv_toml_at_line_end(s))
        return bad(r, s->at, "the end of the line is expected here");
    s->at += cv_toml_break(s->text, s->at);
    return true;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static cv_json to_json(cv_arena *a, const node *n)
{
    cv_json json = n->value;
    json.offset = (uint32_t)n->offset;
    if (n->origin == VALUE && json.type != CV_JSON_ARRAY)
        return json;
    json.count = (uint32_t)n->below.count;
    if (n->origin == VALUE || n->origin == REPEATED) {
        json.type = CV_JSON_ARRAY;
        json.items = CV_NEW_ARRAY(a, json.count, cv_json);
        for (uint32_t i = 0; i < json.count; i++)
            json.items[i] = to_json(a, n->below.items[i]);
        return json;
    }
    json.type = CV_JSON_OBJECT;
    json.members = CV_NEW_ARRAY(a, json.count, cv_json_member);
    for (uint32_t i = 0; i < json.count; i++)
        json.members[i] = (cv_json_member){n->below.items[i]->key, to_json(a, n->below.items[i])};
    return json;
}

bool cv_toml_parse(cv_arena *a, cv_str text, cv_json *ret_value, cv_err *err)
{
    static const cv_str mark = CV_STR_INIT("\xEF\xBB\xBF");
    reader r = {.scan = {a, text, cv_str_starts(text, mark) ? mark.n : 0, err}};
    if (text.n > CV_MAX_JSON_BYTES)
        return cv_err_set(err, CV_ERR_TOO_LARGE, "the text has %zu bytes, at most %zu are allowed", text.n,
                          CV_MAX_JSON_BYTES);
    if (cv_utf8_valid(text) < text.n)
        return bad(&r, cv_utf8_valid(text), "this is not valid UTF-8");
    r.root = r.table = new_node(&r, OPENED, 0, (cv_str){NULL, 0}, 0);
    while (r.scan.at < text.n)
        if (!read_statement(&r))
            return false;
    *ret_value = to_json(a, r.root);
    return true;
}
