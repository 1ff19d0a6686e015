/* resources.c - what the rooms have to read, as resources of an MCP server; see tools.h.
 *
 *     conclave://NAME              without names in braces: listed, and read
 *     conclave://NAME/{id}/PART    with them: a template; listed as often as its room says
 */
#include <assert.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "door/tools.h"
#include "kit/scopes.h"

/* ---- URIs ------------------------------------------------------------------------------------------------------- */

static int hex(char c)
{
    return cv_is_digit(c) ? c - '0' : cv_lower(c) >= 'a' && cv_lower(c) <= 'f' ? cv_lower(c) - 'a' + 10 : -1;
}

/* %C3%A9 is é. Everything else stays. */
static cv_str decode(cv_arena *a, cv_str text)
{
    char *to = cv_arena_alloc(a, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool escape = text.p[i] == '%' && i + 2 < text.n && hex(text.p[i + 1]) >= 0 && hex(text.p[i + 2]) >= 0;
        to[n++] = escape ? (char)(hex(text.p[i + 1]) * 16 + hex(text.p[i + 2])) : text.p[i];
        i += escape ? 2 : 0;
    }
    return (cv_str){to, n};
}

/* Is this URI one of those? Then the values are what is in the places of the names. */
static bool matches(cv_arena *a, const char *form, cv_str uri, cv_str *values)
{
    size_t at = 0, count = 0;
    for (const char *f = form; *f; f++) {
        if (*f != '{') {
            if (at >= uri.n || uri.p[at++] != *f)
                return false;
            continue;
        }
        cv_str rest = cv_str_from(uri, at), value = cv_str_head(rest, cv_str_find_char(rest, '/'));
        if (value.n == 0)
            return false;
        assert(count < CV_MAX_URI_VALUES && "a form has few names");
        values[count++] = decode(a, value);
        at += value.n;
        f = strchr(f, '}');
    }
    return at == uri.n;
}

/* The URI of this form with these values. */
static cv_str uri_of(cv_arena *a, const char *form, const cv_str *values)
{
    cv_buf uri = {0};
    for (const char *f = form; *f; f++)
        if (*f == '{') {
            cv_buf_add(&uri, *values++);
            f = strchr(f, '}');
        } else {
            cv_buf_add_char(&uri, *f);
        }
    return cv_buf_take(&uri, a);
}

static bool is_form(const cv_resource *resource)
{
    return strchr(resource->uri, '{');
}

/* The first that this URI fits, and its room; NULL: none. */
static const cv_resource *find(const cv_tools *tools, cv_arena *a, cv_str uri, cv_str *values, const cv_room **ret_room)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_resource *row = cv_rooms[i]->resources; row && row->uri; row++)
            if (cv_tools_offers(tools, cv_rooms[i]->name) && matches(a, row->uri, uri, values)) {
                *ret_room = cv_rooms[i];
                return row;
            }
    return NULL;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void put(cv_mcp_request *r, cv_str uri, const char *type, cv_str text)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "uri", uri);
    cv_json_key_str(&r->w, "mimeType", cv_str_of(type));
    cv_json_key_str(&r->w, "text", text);
    cv_json_end_object(&r->w);
}

static bool not_there(cv_mcp_request *r, cv_str uri, cv_str why)
{
    int code = r->era == CV_MCP_MODERN ? CV_RPC_PARAMS : CV_RPC_NO_RESOURCE;
    return cv_mcp_fail(r, code, "Resource not found: %.*s%s%.*s",
                       CV_FMT(cv_utf8_excerpt(r->arena, uri, CV_MAX_EXCERPT)), why.n ? ": " : "", CV_FMT(why));
}

/* The answer of the operation that the row names, or what its function makes. */
static bool read_text(const cv_resource *resource, const cv_asker *asker, const cv_str *values, cv_str *ret_text,
                      cv_err *err)
{
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    assert((resource->read != NULL) != (resource->operation != NULL) && "a row says how it is read, once");
    if (resource->read)
        return resource->read(asker, values, ret_text, err);
    cv_json_begin_object(&w);
    if (resource->field)
        cv_json_key_str(&w, resource->field, values[0]);
    cv_json_end_object(&w);
    return cv_ask(asker, resource->operation, cv_buf_take(&input, asker->arena), ret_text, err);
}

static bool read_resource(cv_mcp_request *r, cv_str uri)
{
    cv_str values[CV_MAX_URI_VALUES], text;
    const cv_room *room;
    cv_err err = {.arena = r->arena};
    cv_asker asker = cv_tools_asker(r);
    const cv_resource *resource = find(r->server->ctx, r->arena, uri, values, &room);
    if (!resource)
        return not_there(r, uri, CV_STR("see resources/templates/list"));
    if (!read_text(resource, &asker, values, &text, &err))
        return not_there(r, uri, err.message);
    put(r, uri, resource->type, text);
    return true;
}

/* ---- listing ---------------------------------------------------------------------------------------------------- */

static void offer(cv_mcp_request *r, cv_str uri, cv_str name, cv_str about, const char *type)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "uri", uri);
    cv_json_key_str(&r->w, "name", name);
    cv_json_key_str(&r->w, "description", about);
    cv_json_key_str(&r->w, "mimeType", cv_str_of(type));
    cv_json_end_object(&r->w);
}

static void offer_page(cv_mcp_request *r, const cv_resource *resource, const cv_resource_page *page)
{
    for (size_t i = 0; i < page->count; i++)
        offer(r, uri_of(r->arena, resource->uri, page->items[i].values), page->items[i].name, page->items[i].about,
              resource->type);
}

static bool is_among(const char *words, cv_str wanted)
{
    cv_str rest = cv_str_of(words), word;
    while (words && cv_str_split(&rest, ' ', &word))
        if (cv_str_eq(word, wanted))
            return true;
    return false;
}

/* The completion of the name in braces. */
static const cv_completion *completion_of(const cv_room *room, const cv_resource *resource)
{
    cv_str name = cv_str_of(strchr(resource->uri, '{') + 1);
    const cv_completion *row = room->completions;
    name = cv_str_head(name, cv_str_find_char(name, '}'));
    while (row->value && !is_among(row->arguments, name))
        row++;
    assert(row->value && !row->in_scope && "what is listed can be completed");
    return row;
}

/* A page of the operation by which the room completes the name. */
static bool list_known(const cv_room *room, const cv_resource *resource, const cv_asker *asker, cv_str after,
                       cv_resource_page *ret_page, cv_err *err)
{
    const cv_completion *known = completion_of(room, resource);
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_json tree;
    cv_str reply;
    cv_json_begin_object(&w);
    cv_json_key_str_if(&w, "after", after);
    cv_json_end_object(&w);
    if (!cv_ask(asker, known->operation, cv_buf_take(&input, asker->arena), &reply, err) ||
        !cv_json_parse(asker->arena, reply, &tree, err))
        return false;
    const cv_json *list = cv_json_get(&tree, cv_str_of(known->list));
    for (uint32_t i = 0; list && i < list->count; i++) {
        cv_str word = cv_json_get_text(&list->items[i], known->word);
        *CV_PUSH(asker->arena, ret_page) =
            (cv_resource_entry){{word}, word, cv_json_get_text(&list->items[i], known->about)};
    }
    ret_page->next = cv_json_get_text(&tree, "next");
    return true;
}

/* Forms that list what they stand for have numbers; a cursor is one, a colon and where its list goes on. Without a
 * project there is still what every room has. */
static bool list_resources(cv_mcp_request *r)
{
    const cv_tools *tools = r->server->ctx;
    cv_asker asker = cv_tools_asker(r);
    size_t colon = cv_str_find_char(r->cursor, ':');
    int from = 0, number = 0;
    if (r->cursor.n && (colon == SIZE_MAX || !cv_str_to_int(cv_str_head(r->cursor, colon), &from)))
        return cv_mcp_fail(r, CV_RPC_PARAMS, "the cursor is not one of ours");
    for (size_t i = 0; cv_rooms[i] && !r->next.n; i++)
        for (const cv_resource *row = cv_rooms[i]->resources; row && row->uri && !r->next.n; row++) {
            cv_resource_page page = {0};
            cv_err err = {.arena = r->arena};
            if (!cv_tools_offers(tools, cv_rooms[i]->name))
                break;
            if (r->cursor.n == 0 && !is_form(row))
                offer(r, cv_str_of(row->uri), cv_str_of(row->name), cv_str_of(row->about), row->type);
            if ((!row->list && !row->listed) || number++ < from)
                continue;
            bool resumed = r->cursor.n && number - 1 == from;
            cv_str after = resumed ? cv_str_from(r->cursor, colon + 1) : CV_STR("");
            if (row->list ? row->list(&asker, after, &page, &err)
                          : list_known(cv_rooms[i], row, &asker, after, &page, &err))
                offer_page(r, row, &page);
            if (page.next.n)
                r->next = cv_arena_printf(r->arena, "%d:%.*s", number - 1, CV_FMT(page.next));
        }
    return true;
}

static cv_str define(cv_arena *a, const cv_resource *resource)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "uriTemplate", cv_str_of(resource->uri));
    cv_json_key_str(&w, "name", cv_str_of(resource->name));
    cv_json_key_str(&w, "description", cv_str_of(resource->about));
    cv_json_key_str(&w, "mimeType", cv_str_of(resource->type));
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* ---- completing ------------------------------------------------------------------------------------------------- */

/* Has the room the prompt or the form that a client completes an argument of? */
static bool has_reference(const cv_room *room, const cv_json *params)
{
    const cv_json *ref = cv_json_get(params, CV_STR("ref"));
    cv_str name = ref ? cv_json_get_text(ref, "name") : (cv_str){NULL, 0};
    cv_str uri = ref ? cv_json_get_text(ref, "uri") : (cv_str){NULL, 0};
    for (const cv_room_prompt *row = room->prompts; name.n && row && row->name; row++)
        if (cv_str_eq(name, cv_str_of(row->name)))
            return true;
    for (const cv_resource *row = room->resources; uri.n && row && row->uri; row++)
        if (cv_str_eq(uri, cv_str_of(row->uri)))
            return true;
    return false;
}

static void offer_values(cv_mcp_request *r, const cv_completion *completion, cv_str value)
{
    enum { MOST = 100 };
    cv_asker asker = cv_tools_asker(r);
    cv_err err = {.arena = r->arena};
    cv_json tree;
    cv_str reply;
    cv_str input = cv_arena_printf(r->arena, "{%s}", completion->input ? completion->input : "");
    if (!cv_ask(&asker, completion->operation, input, &reply, &err) || !cv_json_parse(r->arena, reply, &tree, &err))
        return;
    const cv_json *list = cv_json_get(&tree, cv_str_of(completion->list));
    for (uint32_t i = 0, count = 0; list && i < list->count && count < MOST; i++) {
        cv_str word = cv_json_get_text(&list->items[i], completion->word);
        if (!cv_str_starts_nocase(word, value))
            continue;
        cv_json_str(&r->w, word);
        count++;
    }
}

static bool complete(cv_mcp_request *r, const cv_json *params, cv_str argument, cv_str value)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_tools_offers(r->server->ctx, cv_rooms[i]->name) && has_reference(cv_rooms[i], params))
            for (const cv_completion *row = cv_rooms[i]->completions; row && row->value; row++)
                if (is_among(row->arguments, argument))
                    offer_values(r, row, value);
    return true;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

/* A number that differs after every change of what the URI shows; below zero: it shows nothing that changes. */
static int64_t rev_of(const cv_tools *tools, cv_arena *a, cv_str uri)
{
    cv_str values[CV_MAX_URI_VALUES];
    cv_record *record = tools->watcher.record;
    const cv_room *room;
    const cv_resource *resource = find(tools, a, uri, values, &room);
    if (resource && resource->rev)
        return resource->rev(record, a, tools->watcher.root, values);
    if (!resource || resource->changes == CV_CHANGES_NEVER)
        return -1;
    assert(room->records && "what changes with a room is kept by it");
    return resource->changes == CV_CHANGES_WITH_ROOM
               ? cv_scopes_rev(record, a, room->records->room)
               : cv_scope_rev(record, a, (cv_scope_id){room->records->room, values[0]});
}

/* What is seen now takes the place of what was seen before: nothing is kept of what nobody asks for any more. A rev
 * that cannot be read is the one that was last. Before there is a project, everything has the rev 0. */
void cv_resources_watch(void *ctx, cv_mcp_host *host, const cv_str *uris, size_t count)
{
    cv_tools *tools = ctx;
    cv_arena a = {0}, now_arena = {0};
    cv_map now = {0};
    cv_err err = {.arena = &a};
    bool open = cv_record_handle_open(&tools->watcher, tools->service.root, &err);
    if (open)
        cv_service_take_in(&tools->watcher, &tools->complaint);
    for (size_t i = 0; i < count; i++) {
        int64_t rev = open ? rev_of(tools, &a, uris[i]) : 0;
        const uintptr_t *seen = cv_map_get(&tools->seen, uris[i]);
        if (rev < 0 && !seen)
            continue;
        *cv_map_put(&now, &now_arena, cv_arena_copy(&now_arena, uris[i]), NULL) = rev < 0 ? *seen : (uintptr_t)rev;
        if (seen && rev >= 0 && *seen != (uintptr_t)rev)
            cv_mcp_changed(host, CV_MCP_RESOURCE_UPDATED, uris[i]);
    }
    cv_arena_release(&a);
    cv_arena_release(&tools->seen_arena);
    tools->seen_arena = now_arena;
    tools->seen = now;
}

/* What a client may not read it does not hear of either. */
static bool refuses(void *ctx, cv_str bearer, cv_str uri)
{
    cv_tools *tools = ctx;
    cv_arena a = {0};
    cv_str values[CV_MAX_URI_VALUES];
    const cv_room *room;
    bool refused =
        find(tools, &a, uri, values, &room) && cv_service_refuses(&tools->service, bearer, cv_str_of(room->name));
    cv_arena_release(&a);
    return refused;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

void cv_resources_offer(cv_arena *a, const cv_tools *tools, cv_mcp_server *server)
{
    cv_texts forms = {0};
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_resource *row = cv_rooms[i]->resources; row && row->uri; row++)
            if (is_form(row) && cv_tools_offers(tools, cv_rooms[i]->name))
                *CV_PUSH(a, &forms) = define(a, row);
    server->templates = forms.items;
    server->template_count = forms.count;
    server->list_resources = list_resources;
    server->read_resource = read_resource;
    server->refuses = refuses;
    server->complete = complete;
}
