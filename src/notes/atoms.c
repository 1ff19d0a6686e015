/* atoms.c - `notes atoms`: the names in headers that stand for values, and what they stand for.
 *
 *     header_atoms:                 FILE_…     file_atoms: of the same header
 *       - GLOBAL_CURRENT_VERSION    DIR_…      _dir_atoms.yaml in the folder of the file
 *     file:                         DIRR_…     the same in it or any folder above, the nearest first
 *       version: GLOBAL_CURRENT_…   MODULE_…   modules/NAME/module_atoms.yaml, for files in that folder
 *                                   GLOBAL_…   config/GLOBAL_IMPORTANT_ATOMS.yaml, config/global_atoms.yaml
 *
 * A name without such a beginning is looked for in all of them, in this order. Values are shown, and never put into a
 * file. A value that is an atom itself is followed, a few steps at most.
 */
#include "base/file.h"
#include "base/map.h"
#include "base/utf8.h"
#include "notes/found.h"
#include "notes/operations.h"
#include "notes/text/reading.h"

enum { MOST_STEPS = 16 };

typedef struct {
    cv_str path, name, value, scope, source;
    size_t line;
    bool resolved;
    cv_str problem;
} atom;

typedef struct {
    atom *items;
    size_t count, capacity;
} atoms;

typedef struct {
    cv_call *call;
    atoms all;
    size_t resolved, unresolved;
    cv_map texts; /* path -> cv_str *: what was read, NULL: there is none */
} answer;

#define CV_THIS_TYPE atom
static const cv_shape atom_shape[] = {
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(ALWAYS, line, "where the header has the name"),
    CV_FIELD(ALWAYS, name, ""),
    CV_FIELD(OR_NULL, value, "null: nothing says what it stands for"),
    CV_FIELD(IF_ANY, scope, "file, dir, dirr, module, global"),
    CV_FIELD(IF_ANY, source, "the file that says it"),
    CV_FIELD(IF_ANY, problem, "not_found, cycle"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE answer
const cv_shape cv_notes_atoms_shape[] = {
    CV_FIELD(ALWAYS, resolved, "atoms that have a value"),
    CV_FIELD(ALWAYS, unresolved, "atoms that have none"),
    CV_LIST("atoms", all.items, all.count, atom_shape, "in the order of paths and lines, each once for a file"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const struct {
    cv_str prefix, word;
} scopes[] = {
    {CV_STR_INIT("FILE_"), CV_STR_INIT("file")},     {CV_STR_INIT("DIR_"), CV_STR_INIT("dir")},
    {CV_STR_INIT("DIRR_"), CV_STR_INIT("dirr")},     {CV_STR_INIT("MODULE_"), CV_STR_INIT("module")},
    {CV_STR_INIT("GLOBAL_"), CV_STR_INIT("global")},
};
enum { FILE_SCOPE, DIR_SCOPE, DIRR_SCOPE, MODULE_SCOPE, GLOBAL_SCOPE, SCOPES };
_Static_assert(CV_COUNT(scopes) == SCOPES, "a row per scope");

/* -1: it has no such beginning. */
static int scope_of(cv_str name)
{
    for (int i = 0; i < SCOPES; i++)
        if (cv_str_starts(name, scopes[i].prefix))
            return i;
    return -1;
}

static bool is_name(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!cv_is_alnum(s.p[i]) && s.p[i] != '_' && s.p[i] != '.')
            return false;
    return s.n > 0 && (cv_is_alpha(s.p[0]) || s.p[0] == '_');
}

static cv_str unquoted(cv_str s)
{
    s = cv_str_trim(s);
    bool quoted = s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
    return quoted ? (cv_str){s.p + 1, s.n - 2} : s;
}

static void add_name(answer *ans, atoms *to, cv_str name, size_t line)
{
    name = unquoted(name);
    if (!is_name(name))
        return;
    for (size_t i = 0; i < to->count; i++)
        if (cv_str_eq(to->items[i].name, name))
            return;
    if (to->count < 1000)
        *CV_PUSH(ans->call->arena, to) = (atom){.name = cv_arena_copy(ans->call->arena, name), .line = line};
}

/* Items below "header_atoms:", and values anywhere in the header that begin like atoms. */
static void collect_names(answer *ans, const cv_notes_file *file, atoms *to)
{
    const cv_notes_header *h = &file->header;
    cv_cursor c = cv_cursor_at(ans->call->arena, file->text, h->container, h->inside, h->line);
    bool in_list = false;
    for (; !cv_cursor_ended(&c); cv_cursor_next(&c)) {
        cv_str s = cv_str_trim(c.content), key, rest, one;
        bool is_item = cv_str_starts(s, CV_STR("- "));
        bool is_key = cv_notes_split_key(c.content, true, &key, &rest);
        if (is_key && !is_item && cv_str_eq(key, CV_STR("header_atoms"))) {
            in_list = true;
            rest = cv_str_trim(rest);
            if (rest.n >= 2 && rest.p[0] == '[' && rest.p[rest.n - 1] == ']')
                for (cv_str list = {rest.p + 1, rest.n - 2}; cv_str_split(&list, ',', &one);)
                    add_name(ans, to, one, c.number);
            continue;
        }
        in_list = in_list && (is_item || !s.n);
        if (in_list && is_item)
            add_name(ans, to, cv_str_from(s, 2), c.number);
        else if (is_key && scope_of(unquoted(rest)) >= 0)
            add_name(ans, to, rest, c.number);
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The lines below a key, without their common indentation. */
static cv_str lines_below(cv_cursor *c, size_t indent)
{
    cv_buf out = {0};
    size_t inner = SIZE_MAX;
    for (; !cv_cursor_ended(c); cv_cursor_next(c)) {
        size_t own = cv_notes_indent(c->content);
        if (!cv_notes_is_blank(c->content) && own <= indent)
            break;
        inner = inner == SIZE_MAX ? own : inner;
        cv_buf_add(&out, cv_str_trim_right(cv_str_from(c->content, own < inner ? own : inner)));
        cv_buf_add_char(&out, '\n');
    }
    cv_str text = cv_str_trim_right(cv_buf_str(&out));
    text = cv_arena_copy(c->arena, text);
    cv_buf_release(&out);
    return text;
}

/* The value of a key in a text of keys; "A.b.c" goes down. Absent: it has none. */
static cv_str value_in(cv_arena *a, cv_str text, cv_notes_container container, cv_span range, cv_str name)
{
    cv_cursor c = cv_cursor_at(a, text, container, range, 1);
    size_t dot = cv_str_find_char(name, '.'), at_least = 0;
    cv_str first = cv_str_head(name, dot == SIZE_MAX ? name.n : dot);
    while (!cv_cursor_ended(&c)) {
        cv_str key, rest;
        size_t own = cv_notes_indent(c.content);
        if (!cv_notes_split_key(c.content, false, &key, &rest) || own < at_least || !cv_str_eq(key, first)) {
            cv_cursor_next(&c);
            continue;
        }
        if (first.n < name.n) { /* one level further down */
            name = cv_str_from(name, first.n + 1);
            dot = cv_str_find_char(name, '.');
            first = cv_str_head(name, dot == SIZE_MAX ? name.n : dot);
            at_least = own + 1;
            cv_cursor_next(&c);
            continue;
        }
        cv_note_field f = cv_notes_read_field(&c, key, rest, own);
        return f.value.n ? f.value : lines_below(&c, own);
    }
    return (cv_str){NULL, 0};
}

/* The text of a file of atoms; NULL: there is none. Each is read once. */
static const cv_str *text_of(answer *ans, cv_str path)
{
    cv_arena *a = ans->call->arena;
    bool is_new;
    uintptr_t *slot = cv_map_put(&ans->texts, a, path, &is_new);
    if (!is_new)
        return (const cv_str *)*slot; /* NOLINT: a pointer of ours */
    cv_err none = {.arena = a};
    cv_where where = {ans->call->root, cv_arena_copy_z(a, path)};
    cv_str *text = CV_NEW(a, cv_str);
    bool ok = cv_file_read_at(a, where, CV_NOTES_MAX_FILE, text, &none) && !cv_notes_is_binary(*text);
    *slot = ok ? (uintptr_t)text : 0;
    return ok ? text : NULL;
}

static bool look_in(answer *ans, cv_str path, cv_str name, int scope, atom *ret)
{
    const cv_str *text = text_of(ans, path);
    cv_str value =
        text ? value_in(ans->call->arena, *text, CV_IN_BARE, (cv_span){0, text->n}, name) : (cv_str){NULL, 0};
    if (!value.p)
        return false;
    ret->value = value;
    ret->scope = scopes[scope].word;
    ret->source = path;
    return true;
}

static cv_str folder_of(cv_str path)
{
    size_t n = path.n;
    while (n > 0 && path.p[n - 1] != '/')
        n--;
    return cv_str_head(path, n ? n - 1 : 0);
}

static cv_str in_folder(cv_arena *a, cv_str folder, const char *name)
{
    return folder.n ? cv_arena_printf(a, "%.*s/%s", CV_FMT(folder), name) : cv_str_of(name);
}

static bool look_up(answer *ans, cv_str path, cv_str name, int scope, bool above, atom *ret)
{
    for (cv_str folder = folder_of(path);; folder = folder_of(folder)) {
        if (look_in(ans, in_folder(ans->call->arena, folder, "_dir_atoms.yaml"), name, scope, ret))
            return true;
        if (!above || !folder.n)
            return false;
    }
}

static bool look_in_module(answer *ans, cv_str path, cv_str name, atom *ret)
{
    for (cv_str folder = folder_of(path); folder.n; folder = folder_of(folder)) {
        cv_str parent = folder_of(folder);
        bool is_module = cv_str_eq(parent, CV_STR("modules")) || cv_str_ends(parent, CV_STR("/modules"));
        if (is_module)
            return look_in(ans, in_folder(ans->call->arena, folder, "module_atoms.yaml"), name, MODULE_SCOPE, ret);
    }
    return false;
}

static bool look_in_file(answer *ans, const cv_notes_file *file, cv_str path, cv_str name, atom *ret)
{
    const cv_notes_header *h = &file->header;
    const cv_note_field *own = cv_header_key(h, CV_STR("file_atoms"));
    if (!own)
        return false;
    cv_str value = value_in(ans->call->arena, file->text, h->container, (cv_span){own->lines.end, h->inside.end}, name);
    if (!value.p)
        return false;
    ret->value = value;
    ret->scope = scopes[FILE_SCOPE].word;
    ret->source = path;
    return true;
}

static bool look_for(answer *ans, const cv_notes_file *file, cv_str path, cv_str name, atom *ret)
{
    int scope = scope_of(name);
    bool any = scope < 0;
    return ((any || scope == FILE_SCOPE) && look_in_file(ans, file, path, name, ret)) ||
           ((any || scope == DIR_SCOPE) && look_up(ans, path, name, DIR_SCOPE, false, ret)) ||
           ((any || scope == DIRR_SCOPE) && look_up(ans, path, name, DIRR_SCOPE, true, ret)) ||
           ((any || scope == MODULE_SCOPE) && look_in_module(ans, path, name, ret)) ||
           ((any || scope == GLOBAL_SCOPE) &&
            (look_in(ans, CV_STR("config/GLOBAL_IMPORTANT_ATOMS.yaml"), name, GLOBAL_SCOPE, ret) ||
             look_in(ans, CV_STR("config/global_atoms.yaml"), name, GLOBAL_SCOPE, ret)));
}

static void resolve(answer *ans, const cv_notes_file *file, cv_str path, atom *one)
{
    cv_str name = one->name;
    int steps = 0;
    one->problem = CV_STR("not_found");
    while (look_for(ans, file, path, name, one)) {
        one->problem = (cv_str){NULL, 0};
        if (scope_of(one->value) < 0 || !is_name(one->value))
            break;
        name = one->value;
        if (++steps == MOST_STEPS) {
            one->problem = CV_STR("cycle");
            one->value = (cv_str){NULL, 0};
            break;
        }
    }
    one->resolved = one->value.p != NULL;
    if (one->value.p && cv_utf8_valid(one->value) < one->value.n)
        one->value = cv_str_head(one->value, cv_utf8_valid(one->value));
    ans->resolved += one->resolved;
    ans->unresolved += !one->resolved;
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

static void read_file(answer *ans, const cv_notes_file_found *f)
{
    cv_arena *a = ans->call->arena;
    cv_err none = {.arena = a};
    cv_str text;
    cv_notes_file file;
    atoms own = {0};
    if (f->trouble.p || f->header == CV_HEADER_NONE || !cv_notes_load(a, f->where, &text, &none))
        return;
    cv_notes_read(a, text, cv_notes_language_of(f->path), 0, &file);
    if (!file.header.is_wolfie)
        return;
    collect_names(ans, &file, &own);
    for (size_t i = 0; i < own.count; i++) {
        own.items[i].path = f->path;
        resolve(ans, &file, f->path, &own.items[i]);
        *CV_PUSH(a, &ans->all) = own.items[i];
    }
}

bool cv_notes_op_atoms(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    answer ans = {.call = call};
    cv_notes_found found;
    if (!cv_notes_find(call, CV_FIND_IN_PROJECT, &found, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < found.count; i++)
        read_file(&ans, &found.items[i]);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_atoms_shape, &ans);
    return true;
}
