/* cli_print.c - a reply for people: lines, lists and tables; see cli_parts.h.
 *
 *     id:     nvidia-decision
 *     status: open
 *     experts:
 *       slug     role            tier
 *       muffin   Value Analyst   Core
 *
 * Any JSON object can be shown: nothing here knows an operation. Members of a row that the schema calls x-below stand
 * below their row, and one that it calls x-more is shown as the option that gives the next page. Hits that a text marks
 * as ⟦hit⟧ are bold where there are colours. What is null is left out. On a terminal tables are cut to its width and
 * long texts after some lines, both with an ellipsis; elsewhere nothing is cut. Text is shown without control
 * characters.
 */
#include "base/clock.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "door/cli_parts.h"
#include "door/layout.h"

enum {
    STEP = 2,          /* columns that an inner level is moved in */
    GAP = 2,           /* between the columns of a table */
    MOST_COLUMNS = 12, /* more are shown as lines */
    MOST_KEYS = 48,    /* of the rows of a table, empty columns included */
    MOST_LINES = 12,   /* of one text */
    LEAST_COLUMN = 12, /* narrower is not read any more: columns are left out instead */
    MOST_KEY = 24,     /* columns that keys are aligned to */
    CELL = 400,        /* bytes of a text that a cell looks at, on a terminal */
    PIPE_WIDTH = 120,  /* what is longer than that gets lines of its own where there is no terminal */
    MOST_WHOLE = 40,   /* of an id that is not cut */
    MOST_PADDING = 80, /* columns are aligned to, where there is no terminal: longer cells stand out */
};

typedef struct {
    cv_buf *out;
    cv_arena *arena;
    bool colour;
    size_t width;
    bool whole;            /* cut nothing */
    const cv_json *schema; /* of the object that is shown; NULL: not known */
    const cv_json *row;    /* properties of the rows that are shown; NULL: not known */
} printer;

static void print_object(const printer *p, const cv_json *object, size_t indent);
static void print_member(const printer *p, const cv_json_member *member, size_t indent, size_t key_width);
static void print_lines(const printer *p, cv_str text, size_t indent);

/* ---- small things ----------------------------------------------------------------------------------------------- */

static void spaces(const printer *p, size_t count)
{
    while (count-- > 0)
        cv_buf_add_char(p->out, ' ');
}

static bool is_scalar(const cv_json *value)
{
    return value->type < CV_JSON_ARRAY;
}

static bool all_scalars(const cv_json *array)
{
    for (uint32_t i = 0; i < array->count; i++)
        if (!is_scalar(&array->items[i]))
            return false;
    return true;
}

static bool all_objects(const cv_json *array)
{
    for (uint32_t i = 0; i < array->count; i++)
        if (array->items[i].type != CV_JSON_OBJECT)
            return false;
    return true;
}

static bool is_empty(const cv_json *value)
{
    return value->type == CV_JSON_NULL || (value->type == CV_JSON_STRING ? value->text.n == 0 : false) ||
           (!is_scalar(value) && value->count == 0);
}

static cv_str scalar_text(const printer *p, const cv_json *value)
{
    switch (value->type) {
    case CV_JSON_NULL:
        return CV_STR("-");
    case CV_JSON_FALSE:
        return CV_STR("no");
    case CV_JSON_TRUE:
        return CV_STR("yes");
    default:
        return cv_time_short(p->arena, value->text);
    }
}

/* ---- colours ---------------------------------------------------------------------------------------------------- */

static const char *const bold = "\033[1m", *const reset = "\033[0m";

/* The colour of a status, or of a colour; NULL for other texts. */
static const char *colour_of(const printer *p, cv_str key, cv_str value)
{
    if (p->colour && cv_str_ends(key, CV_STR("_rgb")))
        return cv_layout_colour(p->arena, value);
    return p->colour && cv_str_ends(key, CV_STR("status")) ? cv_layout_status(p->arena, value) : NULL;
}

static void print_painted(const printer *p, const char *colour, cv_str text)
{
    cv_buf_add_z(p->out, colour ? colour : "");
    cv_plain_add(p->out, text);
    cv_buf_add_z(p->out, colour ? reset : "");
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* The value on one line, without control characters; the beginning of it when it is long. */
static cv_str cell_text(const printer *p, const cv_json *value)
{
    cv_buf raw = {0};
    size_t most = p->whole ? SIZE_MAX : CELL + 1;
    if (is_scalar(value)) {
        cv_buf_add(&raw, cv_str_head(scalar_text(p, value), most));
    } else if (value->type == CV_JSON_ARRAY && all_scalars(value)) {
        for (uint32_t i = 0; i < value->count && raw.n < most; i++) {
            cv_buf_add_z(&raw, i ? ", " : "");
            cv_buf_add(&raw, cv_str_head(scalar_text(p, &value->items[i]), most));
        }
    } else {
        cv_json_writer w = {.out = &raw};
        cv_json_value(&w, value);
    }
    bool cut = raw.n >= most;
    cv_str text = cv_str_head(cv_buf_str(&raw), cut ? CELL : raw.n);
    if (cut)
        text = cv_str_head(text, cv_utf8_valid(text)); /* it may have split a character */
    cv_buf clean = {0};
    for (size_t i = 0; i < text.n; i++)
        cv_buf_add_char(&clean, cv_is_space(text.p[i]) ? ' ' : text.p[i]);
    cv_buf_add_z(&clean, cut ? "…" : "");
    cv_str kept = cv_arena_copy(p->arena, cv_buf_str(&clean));
    cv_buf_release(&clean);
    cv_buf_release(&raw);
    return kept;
}

/* `text` in exactly `columns`, or less when it is the last of its row. */
static void print_cell(const printer *p, const char *colour, cv_str text, size_t columns, bool last)
{
    size_t width = cv_plain_width(text);
    if (width > columns && !p->whole) {
        text = cv_plain_fit(text, columns - 1);
        width = cv_plain_width(text) + 1;
        text = cv_arena_join(p->arena, text, CV_STR("…"));
    }
    print_painted(p, colour, text);
    if (!last)
        spaces(p, (width < columns ? columns - width : 0) + GAP);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str names[MOST_KEYS];
    size_t widths[MOST_KEYS]; /* 0: nothing is in it */
    bool whole[MOST_KEYS];    /* nothing of it is cut */
    size_t count;
    bool cut; /* some on the right are left out */
} columns;

/* The column called `name`, made when it is new; SIZE_MAX: there are too many. */
static size_t column_at(columns *c, cv_str name)
{
    for (size_t i = 0; i < c->count; i++)
        if (cv_str_eq(c->names[i], name))
            return i;
    if (c->count == MOST_KEYS)
        return SIZE_MAX;
    c->names[c->count] = name;
    return c->count++;
}

static void drop_empty(columns *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->widths[i] == 0)
            continue;
        size_t name = cv_plain_width(c->names[i]);
        c->names[kept] = c->names[i];
        c->whole[kept] = c->whole[i] && c->widths[i] <= MOST_WHOLE;
        c->widths[kept++] = c->widths[i] > name ? c->widths[i] : name;
    }
    c->count = kept;
}

static bool is_below(const printer *p, cv_str name)
{
    const cv_json *property = p->row ? cv_json_get(p->row, name) : NULL;
    return property && cv_json_get(property, CV_STR("x-below"));
}

/* A part of an id names nothing. */
static bool is_name(cv_str key)
{
    return cv_str_eq(key, CV_STR("id")) || cv_str_ends(key, CV_STR("_id")) || cv_str_eq(key, CV_STR("scope"));
}

/* 2026-11-16 21:56:16 */
static bool is_time(cv_str text)
{
    return text.n == 19 && text.p[4] == '-' && text.p[7] == '-' && text.p[10] == ' ' && text.p[13] == ':';
}

/* The keys of all rows that have a value somewhere, with the widths they need; false: too many for a table. */
static bool columns_of(const printer *p, const cv_json *rows, columns *c)
{
    *c = (columns){0};
    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t k = 0; k < rows->items[i].count; k++) {
            const cv_json_member *member = &rows->items[i].members[k];
            if (is_below(p, member->key))
                continue;
            size_t at = column_at(c, member->key);
            if (at == SIZE_MAX)
                return false;
            cv_str text = is_empty(&member->value) ? CV_STR("") : cell_text(p, &member->value);
            size_t width = cv_plain_width(text);
            c->widths[at] = width > c->widths[at] ? width : c->widths[at];
            c->whole[at] = c->whole[at] || is_name(member->key) || is_time(text);
        }
    drop_empty(c);
    return c->count > 0 && c->count <= MOST_COLUMNS;
}

/* `most`: of columns that may be cut. */
static size_t row_width(const columns *c, size_t most)
{
    size_t total = 0;
    for (size_t i = 0; i < c->count; i++)
        total += (c->widths[i] < most || c->whole[i] ? c->widths[i] : most) + GAP;
    return total + (c->cut ? 1 : 0) - (c->cut ? 0 : GAP);
}

/* Leaves columns out until the rest can be read, then takes from the widest until the row fits. Ids and times are
 * shown whole, if that leaves room for two columns. */
static void squeeze(columns *c, size_t room)
{
    size_t all = c->count;
    c->count = all < 2 ? all : 2;
    if (row_width(c, LEAST_COLUMN) > room)
        memset(c->whole, 0, sizeof c->whole);
    c->count = all;
    while (c->count > 1 && row_width(c, LEAST_COLUMN) > room) {
        c->count--;
        c->cut = true;
    }
    while (row_width(c, SIZE_MAX) > room) {
        size_t widest = c->count;
        for (size_t i = 0; i < c->count; i++)
            if (!c->whole[i] && (widest == c->count || c->widths[i] > c->widths[widest]))
                widest = i;
        if (widest == c->count || c->widths[widest] <= LEAST_COLUMN)
            return;
        c->widths[widest]--;
    }
}

/* Nothing is cut, but one long cell does not make every row as long. */
static void limit_padding(columns *c)
{
    for (size_t i = 0; i < c->count; i++)
        c->widths[i] = c->widths[i] < MOST_PADDING ? c->widths[i] : MOST_PADDING;
}

/* NULL for an empty cell. */
static const cv_json *cell_of(const cv_json *row, cv_str name)
{
    const cv_json *value = cv_json_get(row, name);
    return value && !is_empty(value) ? value : NULL;
}

/* `row` NULL: the names. Of two columns the second is broken into lines, not cut: it explains the first. */
static void print_row(const printer *p, const columns *c, const cv_json *row, size_t indent)
{
    size_t last = c->count;
    while (row && last > 0 && !cell_of(row, c->names[last - 1]))
        last--;
    spaces(p, last > 0 ? indent : 0);
    for (size_t i = 0; i < last; i++) {
        const cv_json *value = row ? cell_of(row, c->names[i]) : NULL;
        cv_str text = !row ? c->names[i] : value ? cell_text(p, value) : CV_STR("");
        const char *colour = !row && p->colour ? bold : colour_of(p, c->names[i], text);
        if (row && i == 1 && c->count == 2 && !c->cut && !p->whole) {
            size_t at = indent + c->widths[0] + GAP;
            cv_plain_wrap(p->out, text, p->width, at, at);
            continue;
        }
        print_cell(p, colour, text, c->widths[i], i + 1 == last && (row || !c->cut));
    }
    cv_buf_add_z(p->out, row || !c->cut ? "\n" : "…\n");
}

/* A text with hits in it; behind the last one it is broken where the terminal ends. */
static void print_marked(const printer *p, cv_str text, size_t indent)
{
    static const cv_str begins = CV_STR_INIT("⟦"), ends = CV_STR_INIT("⟧");
    size_t from, to, at = indent;
    while (p->colour && (from = cv_str_find(text, begins)) != SIZE_MAX &&
           (to = cv_str_find(cv_str_from(text, from), ends)) != SIZE_MAX) {
        cv_str hit = cv_str_head(cv_str_from(text, from + begins.n), to - begins.n);
        cv_plain_add(p->out, cv_str_head(text, from));
        print_painted(p, bold, hit);
        at += cv_plain_width(cv_str_head(text, from)) + cv_plain_width(hit);
        text = cv_str_from(text, from + to + ends.n);
    }
    cv_plain_wrap(p->out, text, p->whole ? SIZE_MAX : p->width, at, indent);
    cv_buf_add_char(p->out, '\n');
}

static void print_below(const printer *p, const cv_json *row, size_t indent)
{
    printer inner = *p;
    inner.row = inner.schema = NULL;
    for (uint32_t i = 0; i < row->count; i++) {
        const cv_json_member *member = &row->members[i];
        if (!is_below(p, member->key) || is_empty(&member->value))
            continue;
        if (member->value.type != CV_JSON_STRING) {
            print_member(&inner, member, indent, 0);
            continue;
        }
        if (cv_str_find_char(member->value.text, '\n') != SIZE_MAX) {
            print_lines(p, member->value.text, indent);
            continue;
        }
        spaces(p, indent);
        print_marked(p, member->value.text, indent);
    }
}

static void print_rows(const printer *p, const cv_json *rows, size_t indent)
{
    columns c;
    if (columns_of(p, rows, &c)) {
        if (p->whole)
            limit_padding(&c);
        else
            squeeze(&c, p->width > indent ? p->width - indent : 1);
        print_row(p, &c, NULL, indent);
        for (uint32_t i = 0; i < rows->count; i++) {
            print_row(p, &c, &rows->items[i], indent);
            print_below(p, &rows->items[i], indent + 2 * STEP);
        }
        return;
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        spaces(p, indent);
        cv_buf_printf(p->out, "[%u]\n", (unsigned)i);
        print_object(p, &rows->items[i], indent + STEP);
    }
}

/* ---- members ---------------------------------------------------------------------------------------------------- */

/* Text of several lines, each moved in. */
static void print_lines(const printer *p, cv_str text, size_t indent)
{
    cv_str rest = cv_str_trim_right(text), line;
    for (size_t i = 0; (p->whole || i < MOST_LINES) && cv_str_split(&rest, '\n', &line); i++) {
        if (line.n > 0) {
            spaces(p, indent);
            cv_plain_add(p->out, line);
        }
        cv_buf_add_char(p->out, '\n');
    }
    size_t more = 0;
    while (cv_str_split(&rest, '\n', &line))
        more++;
    if (more > 0) {
        spaces(p, indent);
        cv_buf_printf(p->out, "… %zu more line%s: --json has them\n", more, CV_PLURAL(more));
    }
}

static void print_items(const printer *p, const cv_json *items, size_t indent)
{
    for (uint32_t i = 0; i < items->count; i++) {
        spaces(p, indent);
        cv_buf_add_z(p->out, "- ");
        cv_plain_add(p->out, cell_text(p, &items->items[i]));
        cv_buf_add_char(p->out, '\n');
    }
}

/* The value behind its key on the same line, when it has room there; a NULL view when it has not. */
static cv_str inline_text(const printer *p, const cv_json *value, size_t room)
{
    if (value->type == CV_JSON_STRING && cv_str_find_char(value->text, '\n') != SIZE_MAX)
        return (cv_str){NULL, 0};
    if (is_scalar(value))
        return scalar_text(p, value);
    if (value->count == 0)
        return CV_STR("none");
    cv_str text = value->type == CV_JSON_ARRAY && all_scalars(value) ? cell_text(p, value) : (cv_str){NULL, 0};
    return text.p && cv_plain_width(text) <= room && text.n <= CELL ? text : (cv_str){NULL, 0};
}

/* What the schema says of a member; NULL: nothing. */
static const cv_json *property_of(const printer *p, cv_str key)
{
    const cv_json *properties = p->schema ? cv_json_get(p->schema, CV_STR("properties")) : NULL;
    return properties ? cv_json_get(properties, key) : NULL;
}

/* What is known of a member, and of the rows in it. */
static printer for_rows(const printer *p, cv_str key)
{
    printer rows = *p;
    const cv_json *property = property_of(p, key);
    const cv_json *items = property ? cv_json_get(property, CV_STR("items")) : NULL;
    rows.row = items ? cv_json_get(items, CV_STR("properties")) : NULL;
    rows.schema = property;
    return rows;
}

/* "more: --after 20": where the next page begins, as the option that asks for it. False: the member is not such a
 * place. */
static bool print_more(const printer *p, const cv_json_member *member, size_t key_width)
{
    static const cv_str key = CV_STR_INIT("more");
    const cv_json *property = property_of(p, member->key);
    cv_str option = property ? cv_json_get_text(property, "x-more") : (cv_str){NULL, 0};
    if (!option.n)
        return false;
    print_painted(p, p->colour ? bold : NULL, key);
    cv_buf_add_char(p->out, ':');
    spaces(p, (key_width > key.n ? key_width - key.n : 0) + 1);
    cv_buf_printf(p->out, "--%.*s ", CV_FMT(option));
    cv_plain_add(p->out, scalar_text(p, &member->value));
    cv_buf_add_char(p->out, '\n');
    return true;
}

static void print_member(const printer *p, const cv_json_member *member, size_t indent, size_t key_width)
{
    if (print_more(p, member, key_width))
        return;
    printer inner = for_rows(p, member->key);
    const cv_json *value = &member->value;
    size_t width = cv_plain_width(member->key), taken = indent + key_width + 2;
    cv_str text = inline_text(p, value, p->width > taken ? p->width - taken : 0);
    spaces(p, indent);
    print_painted(p, p->colour ? bold : NULL, member->key);
    cv_buf_add_char(p->out, ':');
    if (text.p) {
        spaces(p, (key_width > width ? key_width - width : 0) + 1);
        print_painted(p, colour_of(p, member->key, text), text);
        cv_buf_add_char(p->out, '\n');
        return;
    }
    cv_buf_add_char(p->out, '\n');
    if (value->type == CV_JSON_STRING)
        print_lines(p, value->text, indent + STEP);
    else if (value->type == CV_JSON_OBJECT)
        print_object(&inner, value, indent + STEP);
    else if (all_objects(value))
        print_rows(&inner, value, indent + STEP);
    else
        print_items(p, value, indent + STEP);
}

static void print_object(const printer *p, const cv_json *object, size_t indent)
{
    size_t key_width = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        const cv_json_member *member = &object->members[i];
        size_t width = cv_plain_width(member->key);
        bool counts = member->value.type != CV_JSON_NULL && inline_text(p, &member->value, p->width).p;
        key_width = counts && width <= MOST_KEY && width > key_width ? width : key_width;
    }
    for (uint32_t i = 0; i < object->count; i++)
        if (object->members[i].value.type != CV_JSON_NULL)
            print_member(p, &object->members[i], indent, key_width);
}

void cv_cli_print_reply(cv_buf *out, cv_arena *a, const cv_json *reply, const cv_json *schema, bool colour,
                        size_t width)
{
    printer p = {.out = out,
                 .arena = a,
                 .colour = colour,
                 .width = width ? width : PIPE_WIDTH,
                 .whole = width == 0,
                 .schema = schema};
    if (reply->type == CV_JSON_OBJECT) {
        print_object(&p, reply, 0);
        return;
    }
    cv_json_writer w = {.out = out, .indent = 2};
    cv_json_value(&w, reply);
    cv_buf_add_char(out, '\n');
}
