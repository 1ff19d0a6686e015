/* hook.c - a command that a client runs before its tools write; see hook.h. */
#include "door/install/hook.h"

#include "base/json.h"
#include "door/install/jsonc.h"

static const cv_str hooks_key = CV_STR_INIT("hooks");

/* The words as one word of a shell. */
static cv_str quoted(cv_arena *a, cv_str path)
{
    for (size_t i = 0; i < path.n; i++)
        if (!cv_is_alnum(path.p[i]) && !strchr("/._-+", path.p[i]))
            return cv_arena_printf(a, "'%.*s'", CV_FMT(path));
    return path;
}

static cv_str command_of(cv_arena *a, const cv_client_hook *hook)
{
    return cv_arena_printf(a, "%.*s %.*s", CV_FMT(quoted(a, hook->program)), CV_FMT(hook->words));
}

static cv_str print_entry(cv_arena *a, const cv_client_hook *hook)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "matcher", hook->matcher);
    cv_json_key(&w, hooks_key);
    cv_json_begin_array(&w);
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "type", CV_STR("command"));
    cv_json_key_str(&w, "command", command_of(a, hook));
    cv_json_end_object(&w);
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* The hooks of an entry of the list; NULL: it has none. */
static const cv_json *hooks_of(const cv_json *entry)
{
    const cv_json *list = entry->type == CV_JSON_OBJECT ? cv_json_get(entry, hooks_key) : NULL;
    return list && list->type == CV_JSON_ARRAY ? list : NULL;
}

/* Which of them is ours; SIZE_MAX: none. Others may be beside it, which somebody else has written there. */
static size_t our_hook(const cv_json *entry, cv_str words)
{
    const cv_json *list = hooks_of(entry);
    for (uint32_t i = 0; list && i < list->count; i++)
        if (list->items[i].type == CV_JSON_OBJECT && cv_str_ends(cv_json_get_text(&list->items[i], "command"), words))
            return i;
    return SIZE_MAX;
}

/* Where the value that begins at `from` ends; the text is JSON. */
static size_t end_of(cv_str text, size_t from)
{
    size_t depth = 0, i = from;
    for (; i < text.n; i++) {
        char c = text.p[i];
        if (c == '"')
            for (i++; i < text.n && text.p[i] != '"'; i++)
                i += text.p[i] == '\\';
        else if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth--;
        if (depth == 0)
            break;
    }
    return i + 1;
}

/* The list of hooks at the event, if there is one, and which of them is ours: SIZE_MAX, none. */
typedef struct {
    bool found;
    cv_edit_range range;
    cv_str text;
    cv_json list;
    size_t ours;
} place;

static bool find(cv_arena *a, const cv_client_hook *hook, cv_str text, place *ret, cv_err *err)
{
    cv_err strict = {.arena = a};
    *ret = (place){.ours = SIZE_MAX};
    if (!cv_jsonc_value(text, hooks_key, hook->event, &ret->found, &ret->range, err))
        return false;
    if (!ret->found)
        return true;
    ret->text = cv_str_range(text.p + ret->range.start, text.p + ret->range.end);
    if (!cv_json_parse(a, ret->text, &ret->list, &strict) || ret->list.type != CV_JSON_ARRAY) {
        cv_edit_fail(err, text, ret->range.start, "the list of hooks has comments, or is not a list");
        cv_err_suggest(
            err, cv_arena_printf(a, "enter %.*s there by hand; nothing was changed", CV_FMT(print_entry(a, hook))));
        return false;
    }
    for (uint32_t i = 0; i < ret->list.count; i++)
        if (our_hook(&ret->list.items[i], hook->words) != SIZE_MAX)
            ret->ours = i;
    return true;
}

/* The text with our command as it is now; what else is in the entry stays. */
static cv_str with_command(cv_arena *a, const cv_client_hook *hook, cv_str text, const place *p)
{
    const cv_json *entry = &p->list.items[p->ours];
    const cv_json *command = cv_json_get(&hooks_of(entry)->items[our_hook(entry, hook->words)], CV_STR("command"));
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_str(&w, command_of(a, hook));
    return cv_edit_replace(a, text, p->range.start + command->offset, p->range.start + end_of(p->text, command->offset),
                           cv_buf_take(&out, a));
}

/* The text without one of several items, and without the comma beside it. */
static cv_str without_item(cv_arena *a, cv_str text, const place *p, const cv_json *list, size_t item)
{
    size_t first = item ? end_of(p->text, list->items[item - 1].offset) : list->items[0].offset;
    size_t end = item ? end_of(p->text, list->items[item].offset) : list->items[1].offset;
    return cv_edit_replace(a, text, p->range.start + first, p->range.start + end, (cv_str){NULL, 0});
}

bool cv_client_hook_set(cv_arena *a, const cv_client_hook *hook, cv_str text, cv_str *ret_text, cv_err *err)
{
    place p;
    cv_str entry = print_entry(a, hook);
    if (!find(a, hook, text, &p, err))
        return false;
    if (!p.found)
        return cv_jsonc_set(a, text, hooks_key, hook->event, cv_arena_printf(a, "[%.*s]", CV_FMT(entry)), ret_text,
                            err);
    if (p.ours != SIZE_MAX) {
        *ret_text = with_command(a, hook, text, &p);
        return true;
    }
    if (p.list.count == 0) {
        *ret_text = cv_edit_replace(a, text, p.range.start, p.range.end, cv_arena_printf(a, "[%.*s]", CV_FMT(entry)));
        return true;
    }
    size_t last = p.range.start + end_of(p.text, p.list.items[p.list.count - 1].offset);
    *ret_text = cv_edit_replace(a, text, last, last, cv_arena_printf(a, ", %.*s", CV_FMT(entry)));
    return true;
}

bool cv_client_hook_remove(cv_arena *a, const cv_client_hook *hook, cv_str text, cv_str *ret_text, cv_err *err)
{
    place p;
    *ret_text = text;
    if (cv_str_trim(text).n == 0)
        return true;
    if (!find(a, hook, text, &p, err))
        return false;
    if (p.ours == SIZE_MAX)
        return true;
    const cv_json *entry = &p.list.items[p.ours], *hooks = hooks_of(entry);
    if (hooks->count == 1 && p.list.count == 1)
        return cv_jsonc_remove(a, text, hooks_key, hook->event, ret_text, err);
    *ret_text = hooks->count > 1 ? without_item(a, text, &p, hooks, our_hook(entry, hook->words))
                                 : without_item(a, text, &p, &p.list, p.ours);
    return true;
}
