/* shelf.c - what a project has to read, as resources of an MCP server; see tools.h.
 *
 *     conclave://dialogues                        which there are
 *     conclave://dialogue/ID                      one of them
 *     conclave://dialogue/ID/transcript           … as markdown
 *     conclave://dialogue/ID/round/N              what one round brought
 *     conclave://dialogue/ID/P0101                a citation
 *     conclave://spec                             how dialogues and responses are written
 */
#include "base/limits.h"
#include "base/utf8.h"
#include "door/tools.h"
#include "text/spec.h"
#include "vocab/id.h"

#define SCHEME "conclave://"
#define JSON_TYPE "application/json"
#define MARKDOWN "text/markdown"

const cv_str cv_shelf_templates[] = {
    CV_STR_INIT("{\"uriTemplate\":\"" SCHEME "dialogue/{id}\",\"name\":\"dialogue\",\"description\":\"One dialogue: "
                "experts, panel, rounds, open tensions\",\"mimeType\":\"" JSON_TYPE "\"}"),
    CV_STR_INIT("{\"uriTemplate\":\"" SCHEME "dialogue/{id}/transcript\",\"name\":\"transcript\",\"description\":\"A "
                "dialogue to read\",\"mimeType\":\"" MARKDOWN "\"}"),
    CV_STR_INIT("{\"uriTemplate\":\"" SCHEME "dialogue/{id}/round/{n}\",\"name\":\"round\",\"description\":\"What one "
                "round brought\",\"mimeType\":\"" MARKDOWN "\"}"),
    CV_STR_INIT("{\"uriTemplate\":\"" SCHEME "dialogue/{id}/{item}\",\"name\":\"citation\",\"description\":\"A "
                "perspective, recommendation, tension, evidence, claim or verdict by its id, with what refers to "
                "it\",\"mimeType\":\"" JSON_TYPE "\"}"),
};
const size_t cv_shelf_template_count = CV_COUNT(cv_shelf_templates);

/* ---- URIs ------------------------------------------------------------------------------------------------------- */

typedef enum { DIALOGUES, SPEC, DIALOGUE, TRANSCRIPT, ROUND, ITEM } what;

typedef struct {
    what what;
    cv_str id;   /* of the dialogue */
    cv_str item; /* number of the round, or id of the item */
} place;

static int hex(char c)
{
    return cv_is_digit(c) ? c - '0' : cv_lower(c) >= 'a' && cv_lower(c) <= 'f' ? cv_lower(c) - 'a' + 10 : -1;
}

/* %C3%A9 is é. What is no escape stays. */
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

static bool read_uri(cv_arena *a, cv_str uri, place *ret)
{
    static const cv_str dialogue = CV_STR_INIT(SCHEME "dialogue/");
    cv_str rest, word;
    if (cv_str_eq(uri, CV_STR(SCHEME "dialogues")))
        return *ret = (place){.what = DIALOGUES}, true;
    if (cv_str_eq(uri, CV_STR(SCHEME "spec")))
        return *ret = (place){.what = SPEC}, true;
    if (!cv_str_starts(uri, dialogue))
        return false;
    rest = cv_str_from(uri, dialogue.n);
    if (!cv_str_split(&rest, '/', &word) || word.n == 0)
        return false;
    *ret = (place){.what = DIALOGUE, .id = decode(a, word)};
    if (!cv_str_split(&rest, '/', &word))
        return true;
    ret->what = cv_str_eq(word, CV_STR("transcript")) ? TRANSCRIPT : cv_str_eq(word, CV_STR("round")) ? ROUND : ITEM;
    ret->item = decode(a, word);
    if (ret->what == ROUND) {
        int number;
        if (!cv_str_split(&rest, '/', &ret->item) || !cv_str_to_int(ret->item, &number))
            return false;
    }
    return rest.n == 0 && ret->item.n > 0;
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

static cv_str quoted(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_array(&w);
    cv_json_str(&w, text);
    cv_json_end_array(&w);
    return cv_buf_take(&out, a);
}

static cv_str ask(cv_mcp_request *r, const place *p, bool *ret_failed)
{
    cv_arena *a = r->arena;
    switch (p->what) {
    case DIALOGUES:
        return cv_tools_run_named(r, "dialogue", "list", CV_STR("{}"), ret_failed);
    case TRANSCRIPT:
        return cv_tools_run_named(r, "dialogue", "transcript", cv_tools_input(a, p->id, NULL, p->item), ret_failed);
    case ROUND:
        return cv_tools_run_named(r, "dialogue", "transcript", cv_tools_input(a, p->id, "round", p->item), ret_failed);
    case ITEM:
        return cv_tools_run_named(r, "dialogue", "expand", cv_tools_input(a, p->id, "ids", quoted(a, p->item)),
                                  ret_failed);
    default:
        return cv_tools_run_named(r, "dialogue", "get", cv_tools_input(a, p->id, NULL, p->item), ret_failed);
    }
}

bool cv_shelf_read(cv_mcp_request *r, cv_str uri)
{
    place p;
    bool failed = false;
    if (!read_uri(r->arena, uri, &p))
        return not_there(r, uri, CV_STR("see resources/templates/list"));
    if (p.what == SPEC) {
        cv_buf spec = {0};
        cv_spec_print(&spec);
        put(r, uri, MARKDOWN, cv_buf_take(&spec, r->arena));
        return true;
    }
    cv_str reply = ask(r, &p, &failed);
    if (failed)
        return not_there(r, uri, cv_tools_text(r->arena, reply, NULL, "message"));
    bool text = p.what == TRANSCRIPT || p.what == ROUND;
    put(r, uri, text ? MARKDOWN : JSON_TYPE, text ? cv_tools_text(r->arena, reply, NULL, "markdown") : reply);
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

static const cv_json *list_dialogues(cv_mcp_request *r, cv_str after, cv_str *ret_next)
{
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_json *tree = CV_NEW(r->arena, cv_json);
    cv_err err = {.arena = r->arena};
    bool failed = false;
    cv_json_begin_object(&w);
    if (after.n)
        cv_json_key_str(&w, "after", after);
    cv_json_end_object(&w);
    cv_str reply = cv_tools_run_named(r, "dialogue", "list", cv_buf_take(&input, r->arena), &failed);
    if (failed || !cv_json_parse(r->arena, reply, tree, &err))
        return NULL;
    *ret_next = cv_json_get_text(tree, "next");
    return cv_json_get(tree, CV_STR("dialogues"));
}

/* Without a project there is still the format. */
bool cv_shelf_list(cv_mcp_request *r)
{
    const cv_json *dialogues = list_dialogues(r, r->cursor, &r->next);
    if (r->cursor.n == 0) {
        offer(r, CV_STR(SCHEME "dialogues"), CV_STR("dialogues"), CV_STR("Which dialogues there are"), JSON_TYPE);
        offer(r, CV_STR(SCHEME "spec"), CV_STR("spec"), CV_STR("How dialogues and responses are written"), MARKDOWN);
    }
    for (uint32_t i = 0; dialogues && i < dialogues->count; i++) {
        cv_str id = cv_json_get_text(&dialogues->items[i], "dialogue_id");
        offer(r, cv_arena_printf(r->arena, SCHEME "dialogue/%.*s/transcript", CV_FMT(id)), id,
              cv_json_get_text(&dialogues->items[i], "title"), MARKDOWN);
    }
    return true;
}

bool cv_shelf_complete(cv_mcp_request *r, const cv_json *params, cv_str argument, cv_str value)
{
    enum { MOST = 100 };
    cv_str next;
    (void)params;
    if (!cv_str_eq(argument, CV_STR("id")) && !cv_str_eq(argument, CV_STR("dialogue_id")))
        return true;
    const cv_json *dialogues = list_dialogues(r, (cv_str){NULL, 0}, &next);
    for (uint32_t i = 0, count = 0; dialogues && i < dialogues->count && count < MOST; i++) {
        cv_str id = cv_json_get_text(&dialogues->items[i], "dialogue_id");
        if (!cv_str_starts_nocase(id, value))
            continue;
        cv_json_str(&r->w, id);
        count++;
    }
    return true;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

static bool add_rev(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    int64_t *sum = ctx;
    (void)id;
    (void)row;
    (void)err;
    *sum += rev;
    return true;
}

/* A number that rises with every change of what the URI shows; below zero: it shows nothing that changes. */
static int64_t rev_of(cv_store *store, cv_arena *a, cv_str uri)
{
    place p;
    int64_t sum = 0;
    cv_position position;
    bool found;
    cv_err err = {.arena = a};
    const cv_list_query all = {0};
    if (!read_uri(a, uri, &p) || p.what == SPEC)
        return -1;
    if (p.what == DIALOGUES)
        return store->calls->list(store, a, &all, add_rev, &sum, &err) ? sum : -1;
    return store->calls->position(store, a, p.id, &position, &found, &err) ? (found ? position.rev : 0) : -1;
}

/* What is seen now takes the place of what was seen before: nothing is kept of what nobody asks for any more. A rev
 * that cannot be read is the one that was last. Before there is a project, dialogues have the rev 0. */
void cv_shelf_watch(void *ctx, cv_mcp_host *host, const cv_str *uris, size_t count)
{
    cv_tools *tools = ctx;
    cv_arena a = {0}, now_arena = {0};
    cv_map now = {0};
    cv_err err = {.arena = &a};
    bool open = cv_desk_open(&tools->watcher, tools->options.root, &err);
    for (size_t i = 0; i < count; i++) {
        int64_t rev = open ? rev_of(tools->watcher.store, &a, uris[i]) : 0;
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
