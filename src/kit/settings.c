/* settings.c - what a project has chosen; see settings.h. */
#include "kit/settings.h"

#include "base/file.h"
#include "kit/destination.h"
#include "kit/room.h"

/* ---- which there are --------------------------------------------------------------------------------------------- */

/* The room whose folder this setting names; NULL: it is another setting. */
static const cv_room *moved_room(cv_str name)
{
    for (size_t i = 0; cv_rooms[i]; i++) {
        cv_str room = cv_str_of(cv_rooms[i]->name);
        if (cv_rooms[i]->folder_moves && cv_str_starts(name, room) &&
            cv_str_eq(cv_str_from(name, room.n), CV_STR(".root")))
            return cv_rooms[i];
    }
    return NULL;
}

static bool is_known(cv_str name)
{
    return cv_str_eq(name, CV_STR("store")) || moved_room(name);
}

static bool refuse(cv_err *err, cv_arena *a, size_t line, cv_str name, const char *what)
{
    cv_buf known = {0};
    cv_err_set(err, CV_ERR_INVALID_VALUE, "line %zu: %s", line, what);
    cv_buf_add_z(&known, "store = \"postgresql://HOST/DATABASE\"");
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->folder_moves)
            cv_buf_printf(&known, ", or %s.root = \"FOLDER\"", cv_rooms[i]->name);
    cv_str forms = cv_buf_take(&known, a);
    cv_err_suggest(err, moved_room(name)
                            ? CV_STR("name a folder below the project's, like \"bus\"; \".\" is that itself")
                            : cv_arena_printf(a, "write it as: %.*s", CV_FMT(forms)));
    return false;
}

/* "bus", "var/bus", or "." alone. */
static bool is_below(cv_str path)
{
    cv_str name, rest = path;
    if (cv_str_eq(path, CV_STR(".")))
        return true;
    while (cv_str_split(&rest, '/', &name))
        if (name.n == 0 || cv_str_eq(name, CV_STR(".")) || cv_str_eq(name, CV_STR("..")))
            return false;
    return path.n > 0 && path.p[path.n - 1] != '/';
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static cv_str trim(cv_str s)
{
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = cv_str_from(s, 1);
    while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r'))
        s.n--;
    return s;
}

/* `name = "value"`; nothing in a value needs an escape. */
static bool parse_line(cv_arena *a, cv_str line, size_t number, cv_settings *ret, cv_err *err)
{
    size_t equal = cv_str_find(line, CV_STR("="));
    cv_str name = equal == SIZE_MAX ? line : trim(cv_str_head(line, equal));
    cv_str value = equal == SIZE_MAX ? CV_STR("") : trim(cv_str_from(line, equal + 1));
    if (!is_known(name))
        return refuse(err, a, number, name, "an unknown setting");
    if (cv_settings_get(ret, name).p)
        return refuse(err, a, number, name, "a setting that is there twice");
    if (value.n < 2 || value.p[0] != '"' || value.p[value.n - 1] != '"')
        return refuse(err, a, number, name, "a value must be in double quotes");
    value = (cv_str){value.p + 1, value.n - 2};
    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.p[i] < ' ' || value.p[i] == '"' || value.p[i] == '\\')
            return refuse(err, a, number, name, "a value must not have quotes, backslashes or control characters");
    if (moved_room(name) && !is_below(value))
        return refuse(err, a, number, name, "a folder that is not below the project's");
    *CV_PUSH(a, ret) = (cv_setting){cv_arena_copy(a, name), cv_arena_copy(a, value)};
    return true;
}

bool cv_settings_parse(cv_arena *a, cv_str text, cv_settings *ret, cv_err *err)
{
    cv_settings read = {0};
    for (size_t number = 1; text.n > 0; number++) {
        size_t end = cv_str_find(text, CV_STR("\n"));
        cv_str line = trim(cv_str_head(text, end < text.n ? end : text.n));
        text = end < text.n ? cv_str_from(text, end + 1) : (cv_str){NULL, 0};
        if (line.n > 0 && line.p[0] != '#' && !parse_line(a, line, number, &read, err))
            return false;
    }
    *ret = read;
    return true;
}

cv_where cv_settings_where(cv_arena *a, const char *root)
{
    return (cv_where){root, cv_record_path(a, "", "config")};
}

bool cv_settings_read(cv_arena *a, const char *root, cv_settings *ret, cv_err *err)
{
    cv_where where = cv_settings_where(a, root);
    struct stat st;
    cv_str text;
    *ret = (cv_settings){0};
    if (!cv_where_look(where, &st))
        return true;
    if (cv_file_read_text_at(a, where, &text, err) && cv_settings_parse(a, text, ret, err))
        return true;
    cv_err_file(err, cv_str_of(cv_where_path(a, where)));
    return false;
}

/* ---- using ------------------------------------------------------------------------------------------------------- */

cv_str cv_settings_get(const cv_settings *settings, cv_str name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (cv_str_eq(settings->items[i].name, name))
            return settings->items[i].value;
    return (cv_str){NULL, 0};
}

void cv_settings_set(cv_arena *a, cv_settings *settings, cv_str name, cv_str value)
{
    size_t kept = 0;
    for (size_t i = 0; i < settings->count; i++)
        if (!cv_str_eq(settings->items[i].name, name))
            settings->items[kept++] = settings->items[i];
    settings->count = kept;
    if (value.n)
        *CV_PUSH(a, settings) = (cv_setting){name, value};
}

cv_str cv_settings_print(cv_arena *a, const cv_settings *settings)
{
    cv_buf out = {0};
    cv_buf_add_z(&out, "# What this project has chosen: where its record is kept, where rooms have their files.\n");
    for (size_t i = 0; i < settings->count; i++)
        cv_buf_printf(&out, "%.*s = \"%.*s\"\n", CV_FMT(settings->items[i].name), CV_FMT(settings->items[i].value));
    return cv_buf_take(&out, a);
}

/* A config that cannot be read has stopped the call before: it is read when the record is opened. */
cv_where cv_room_place(cv_arena *a, const char *root, cv_str room)
{
    cv_settings settings;
    cv_err err = {.arena = a};
    cv_str chosen = root && cv_settings_read(a, root, &settings, &err)
                        ? cv_settings_get(&settings, cv_arena_printf(a, "%.*s.root", CV_FMT(room)))
                        : (cv_str){NULL, 0};
    return (cv_where){root, chosen.p ? cv_arena_copy_z(a, chosen) : cv_record_path(a, "", cv_arena_copy_z(a, room))};
}
