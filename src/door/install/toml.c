/* toml.c - one table in somebody else's TOML file; see toml.h. */
#include "door/install/toml.h"

#include "base/buf.h"
#include "door/install/edit.h"
#include "door/install/toml_scan.h"

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Where our table is: its header, the values of its keys, and all of it with the tables below. */
typedef struct {
    cv_toml_path table;
    bool found;
    size_t body; /* behind the header */
    struct {
        cv_edit_range *items;
        size_t count, capacity;
    } ranges;
    cv_str key; /* that is looked for in it */
    bool has_key;
    cv_edit_range value;
} search;

static bool begins(const cv_toml_path *whole, const cv_toml_path *prefix)
{
    for (size_t i = 0; i < prefix->count; i++)
        if (i >= whole->count || !cv_str_eq(whole->parts[i], prefix->parts[i]))
            return false;
    return true;
}

/* What stands where our table has its place: the table itself in a form that has no room for another key, or one above
 * it that is a value or a list, and so has no room for another table. */
static bool in_the_way(cv_toml_scanner *s, const cv_toml_statement *st, bool ours)
{
    s->at = st->start;
    cv_toml_bad(s, ours ? "the entry 'conclave' is written here in another form"
                        : "this has no place for another table: it is a value or a list itself");
    cv_err_suggest(s->err, ours ? CV_STR("make it a table of its own, or remove it; nothing was changed")
                                : CV_STR("write its servers as tables, [mcp_servers.NAME]; nothing was changed"));
    return false;
}

static bool see_header(cv_toml_scanner *s, cv_arena *a, const cv_toml_statement *st, search *ret, bool *inside)
{
    bool ours = begins(&st->path, &ret->table), same = ours && st->path.count == ret->table.count;
    if (st->kind == CV_TOML_LIST && (ours ? same : begins(&ret->table, &st->path)))
        return in_the_way(s, st, ours);
    if (same && ret->found) {
        s->at = st->start;
        return cv_toml_bad(s, "this table is there twice");
    }
    if (same) {
        ret->found = true;
        ret->body = st->end;
    }
    *inside = ours;
    if (ours)
        *CV_PUSH(a, &ret->ranges) = (cv_edit_range){st->start, st->end};
    return true;
}

static bool see_entry(cv_toml_scanner *s, const cv_toml_path *table, const cv_toml_statement *st, search *ret,
                      bool inside)
{
    cv_toml_path whole = *table;
    for (size_t i = 0; i < st->path.count && whole.count < CV_TOML_MAX_PARTS; i++)
        whole.parts[whole.count++] = st->path.parts[i];
    if (!inside && (begins(&whole, &ret->table) || begins(&ret->table, &whole)))
        return in_the_way(s, st, begins(&whole, &ret->table));
    if (inside)
        ret->ranges.items[ret->ranges.count - 1].end = st->end;
    if (inside && table->count == ret->table.count && st->path.count == 1 && cv_str_eq(st->path.parts[0], ret->key)) {
        ret->has_key = true;
        ret->value = (cv_edit_range){st->value, st->value_end};
    }
    return true;
}

static bool find(cv_arena *a, cv_str text, cv_str table, cv_str key, search *ret, cv_err *err)
{
    cv_toml_scanner name = {table, 0, err}, s = {text, cv_edit_begin(text), err};
    cv_toml_path current = {.count = 0};
    bool inside = false, ok = true;
    cv_toml_statement st;
    *ret = (search){.key = key};
    if (!cv_toml_read_path(&name, &ret->table))
        return false;
    while (ok && s.at < text.n) {
        ok = cv_toml_read(&s, &st);
        size_t next = s.at;
        if (ok && (st.kind == CV_TOML_TABLE || st.kind == CV_TOML_LIST)) {
            ok = see_header(&s, a, &st, ret, &inside);
            current = st.path;
        } else if (ok && st.kind == CV_TOML_ENTRY) {
            ok = see_entry(&s, &current, &st, ret, inside);
        }
        s.at = ok ? next : s.at;
    }
    return ok;
}

bool cv_toml_find(cv_arena *a, cv_str text, cv_str table, cv_str key, cv_edit_found *ret, cv_err *err)
{
    search found;
    if (!find(a, text, table, key, &found, err))
        return false;
    *ret = (cv_edit_found){found.found, found.has_key, found.value};
    return true;
}

/* ---- changing --------------------------------------------------------------------------------------------------- */

/* A file whose last line has no end keeps that. */
static cv_str append(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count)
{
    cv_str nl = cv_edit_line_break(text);
    bool open = text.n > cv_edit_begin(text) && text.p[text.n - 1] != '\n';
    cv_buf out = {0};
    cv_buf_add(&out, text);
    if (open)
        cv_buf_add(&out, nl);
    if (text.n > cv_edit_begin(text))
        cv_buf_add(&out, nl);
    cv_buf_printf(&out, "[%.*s]", CV_FMT(table));
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(&out, "%.*s%.*s = %.*s", CV_FMT(nl), CV_FMT(entries[i].key), CV_FMT(entries[i].value));
    if (!open)
        cv_buf_add(&out, nl);
    return cv_buf_take(&out, a);
}

static cv_str add_entry(cv_arena *a, cv_str text, const search *found, const cv_toml_entry *e)
{
    cv_str nl = cv_edit_line_break(text);
    bool open = text.p[found->body - 1] != '\n'; /* the header is all there is */
    cv_str line = cv_arena_printf(a, "%.*s%.*s = %.*s%.*s", CV_FMT(open ? nl : CV_STR("")), CV_FMT(e->key),
                                  CV_FMT(e->value), CV_FMT(open ? CV_STR("") : nl));
    return cv_edit_replace(a, text, found->body, found->body, line);
}

bool cv_toml_set(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count, cv_str *ret_text,
                 cv_err *err)
{
    search found;
    if (!find(a, text, table, (cv_str){NULL, 0}, &found, err))
        return false;
    *ret_text = found.found ? text : append(a, text, table, entries, count);
    for (size_t i = count; i-- > 0 && found.found;) {
        if (!find(a, *ret_text, table, entries[i].key, &found, err))
            return false;
        *ret_text = found.has_key ? cv_edit_replace(a, *ret_text, found.value.start, found.value.end, entries[i].value)
                                  : add_entry(a, *ret_text, &found, &entries[i]);
    }
    return true;
}

/* How long the line break that ends at `at` is. */
static size_t break_before(cv_str text, size_t at)
{
    if (at == 0 || text.p[at - 1] != '\n')
        return 0;
    return at > 1 && text.p[at - 2] == '\r' ? 2 : 1;
}

/* With the empty line in front of it, and the end of the line before that when it was the last without one: what set
 * has put there. */
static cv_edit_range widen(cv_str text, cv_edit_range r)
{
    size_t start = r.start, empty = break_before(text, start);
    size_t end = r.end < text.n ? r.end : text.n; /* its last line break may have gone with the table behind it */
    bool open = end == text.n && text.p[end - 1] != '\n';
    bool is_empty_line = empty && (start == empty + cv_edit_begin(text) || break_before(text, start - empty));
    if (is_empty_line)
        start -= empty;
    if (is_empty_line && open)
        start -= break_before(text, start);
    return (cv_edit_range){start, end};
}

/* From the last to the first: what stands at the end of the file depends on what is gone behind it. */
static void widen_all(cv_str text, cv_edit_range *ranges, size_t count)
{
    bool ends = true; /* nothing is left behind the ranges so far */
    for (size_t i = count, stop = text.n; i-- > 0; stop = ranges[i].start) {
        ranges[i] = widen(ends ? cv_str_head(text, stop) : text, ranges[i]);
        ends = ends && ranges[i].end == stop;
    }
}

bool cv_toml_remove(cv_arena *a, cv_str text, cv_str table, cv_str *ret_text, cv_err *err)
{
    search found;
    if (!find(a, text, table, (cv_str){NULL, 0}, &found, err))
        return false;
    cv_buf out = {0};
    size_t at = 0;
    widen_all(text, found.ranges.items, found.ranges.count);
    for (size_t i = 0; i < found.ranges.count; i++) {
        cv_buf_add(&out, cv_str_range(text.p + at, text.p + found.ranges.items[i].start));
        at = found.ranges.items[i].end;
    }
    cv_buf_add(&out, cv_str_from(text, at));
    *ret_text = cv_buf_take(&out, a);
    return true;
}
