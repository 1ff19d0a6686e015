/* transfer.c - chat files that come from elsewhere, and chats that go elsewhere.
 *
 *     import    a file with a header of CHAT v3 -> temp_chat_ID.txt in the folder of chats, nothing overwritten
 *     export    text: the file as it is; markdown: to read; json: field by field
 *
 * A chat file is enough to continue a chat: one that is simply put into the folder is seen by the next call, too.
 */
#include "base/file.h"
#include "base/path.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/room.h"
#include "chat/words/errors.h"
#include "kit/destination.h"
#include "kit/fault.h"
#include "kit/intent.h"
#include "kit/invoke.h"

/* ---- import ------------------------------------------------------------------------------------------------------ */

static const cv_str outcome_list[] = {CV_STR_INIT("imported"), CV_STR_INIT("unchanged")};
static const cv_words outcomes = {outcome_list, CV_COUNT(outcome_list)};

typedef struct {
    cv_str chat_id, path, outcome;
    int64_t messages;
} imported;

#define CV_THIS_TYPE imported
const cv_shape cv_chat_import_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, path, "where it is now"),
    CV_WORD(ALWAYS, "outcome", outcome, &outcomes, "unchanged: the same file is there already"),
    CV_FIELD(ALWAYS, messages, ""),
    CV_WRITTEN_FROM(0, "chat"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

typedef struct {
    cv_chat_place place;
    cv_str bytes;
    cv_chat_header header;
    imported told;
} carrying;

static bool read_file(cv_call *call, carrying *c)
{
    cv_err err = {.arena = call->arena};
    cv_where from;
    cv_chat_messages messages;
    if (!cv_path_allowed(call->arena, call->root, call->confined, cv_json_get_text(call->input, "path"), &from, &err) ||
        !cv_file_read_text_at(call->arena, from, &c->bytes, &err) ||
        !cv_chat_header_parse(call->arena, c->bytes, &c->header, &err) || !cv_chat_header_check(&c->header, &err)) {
        cv_err_field(&err, CV_STR("path"));
        return cv_call_fail(call, &err);
    }
    if (!cv_chat_id_valid(c->header.id)) {
        cv_refuse(call, CV_ERR_CHAT_HEADER, CV_STR(""), "path", c->header.id,
                  "the Chat ID in the header is not a valid id");
        return false;
    }
    cv_chat_messages_parse(call->arena, cv_str_from(c->bytes, c->header.text.n), 0, NULL, NULL, &messages);
    c->told.messages = (int64_t)messages.all.count;
    return true;
}

static bool work(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    carrying *c = ctx;
    cv_err err = {.arena = call->arena};
    cv_where file = cv_where_in(call->arena, c->place.folder.where, c->place.name);
    struct stat st;
    cv_str there = {NULL, 0};
    bool found = cv_where_look(file, &st) ||
                 cv_where_look(cv_where_in(call->arena, c->place.folder.where, c->place.editing), &st);
    bool same = found && cv_file_read_at(call->arena, file, c->bytes.n + 1, &there, &err) && cv_str_eq(there, c->bytes);
    if ((found && !same) || (!found && w->at.rev > 0)) {
        cv_err *fault = cv_refuse(call, CV_ERR_CHAT_EXISTS, CV_STR(""), "path", c->place.id,
                                  "there is another chat '%.*s' already", CV_FMT(c->place.id));
        cv_err_suggest(fault, CV_STR("import it into another folder (dir), or give it another Chat ID"));
        return false;
    }
    c->told.outcome = outcomes.items[same];
    if (!same) {
        cv_chat_view view = {.call = call, .place = &c->place, .arena = call->arena, .fd = -1};
        cv_chat_row_put(w, &view, &c->header, 0, CV_STR(""));
        cv_intent_keep(w, &cv_chat_intent_type, c->place.scope.name, (cv_str){NULL, 0}, c->bytes);
        cv_writing_event(w, CV_STR("chat"), c->place.id, CV_STR("imported"));
    }
    *ret_result = cv_shape_text(call->arena, cv_chat_import_shape, &c->told);
    return true;
}

bool cv_chat_import(cv_call *call)
{
    carrying c = {0};
    cv_chat_folders folders;
    cv_err err = {.arena = call->arena};
    if (!read_file(call, &c) || !cv_chat_folders_of(call, &folders))
        return false;
    c.place = cv_chat_place_in(call, &folders.items[0], c.header.id);
    c.told.chat_id = c.place.id;
    c.told.path = c.place.scope.name;
    bool ok = cv_request_locked(call, CV_STR("chat import"), c.place.scope, work, &c);
    if (!ok || cv_json_get_true(call->input, "dry_run"))
        return ok;
    if (cv_chat_make_file(call, &c.place, &err) != CV_INTENT_DONE) {
        cv_intent_suggest(&err);
        return cv_call_fail(call, &err);
    }
    cv_chat_settle(call, &c.place);
    return true;
}

/* ---- conclave import --------------------------------------------------------------------------------------------- */

cv_import_fit cv_chat_import_fit(cv_arena *a, cv_where path)
{
    cv_str id;
    (void)a;
    return cv_chat_name_of(cv_str_of(cv_where_name(path)), &id) == CV_NAME_CHAT ? CV_FIT_OWN : CV_FIT_NONE;
}

static cv_str import_input(cv_import *im, cv_where path)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "path", cv_str_of(cv_where_path(im->call->arena, path)));
    if (cv_json_get_true(im->call->input, "dry_run"))
        cv_json_key_bool(&w, "dry_run", true);
    cv_json_end_object(&w);
    return cv_buf_take(&out, im->call->arena);
}

typedef struct {
    int64_t messages;
} counted;

#define CV_THIS_TYPE counted
const cv_shape cv_chat_import_counts[] = {CV_NUMBER(ALWAYS, "chat_messages", messages, 0, CV_NO_LIMIT, ""), {0}};
#undef CV_THIS_TYPE

bool cv_chat_import_files(cv_import *im)
{
    counted *counts = CV_NEW(im->call->arena, counted);
    for (size_t i = 0; i < im->count; i++) {
        cv_reply reply;
        cv_import_file(im, im->paths[i], cv_chat_import, import_input(im, im->paths[i]), &reply);
        counts->messages += reply.done ? cv_json_get_int(&reply.json, "messages", 0) : 0;
    }
    im->counted = counts;
    return true;
}

/* ---- export ------------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str chat_id, format, path, content;
} exported;

static const cv_str format_list[] = {CV_STR_INIT("text"), CV_STR_INIT("markdown"), CV_STR_INIT("json")};
static const cv_words formats = {format_list, CV_COUNT(format_list)};

#define CV_THIS_TYPE exported
const cv_shape cv_chat_export_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_WORD(ALWAYS, "format", format, &formats, ""),
    CV_FIELD(IF_ANY, path, "the file that was written"),
    CV_DOCUMENT(content, "the chat, unless it went into a file"),
    {0},
};
#undef CV_THIS_TYPE

static cv_str print_markdown(cv_call *call, const cv_chat_view *v, const cv_chat_tellings *list)
{
    cv_buf out = {0};
    const cv_chat_header *h = &v->header;
    cv_buf_printf(&out, "# Chat %.*s\n\n%.*s\n\n- Status: %.*s\n- Participants:", CV_FMT(v->place->id),
                  CV_FMT(h->title), CV_FMT(h->status));
    for (size_t i = 0; i < h->people.count; i++)
        cv_buf_printf(&out, "%s %.*s", i ? "," : "", CV_FMT(h->people.items[i]));
    cv_buf_add_char(&out, '\n');
    for (size_t i = 0; i < list->count; i++) {
        const cv_chat_shown *t = &list->items[i];
        cv_str body = t->body, line;
        cv_str whom = t->tag_count ? cv_arena_list(call->arena, t->tags, t->tag_count) : CV_STR("@All");
        cv_buf_printf(&out, "\n## %.*s %.*s: %.*s to %.*s\n\n", CV_FMT(t->id), CV_FMT(t->type), CV_FMT(t->from),
                      CV_FMT(whom));
        while (cv_str_split(&body, '\n', &line)) { /* a quotation: nothing in it is taken for structure */
            cv_buf_add_z(&out, "> ");
            cv_buf_add(&out, line);
            cv_buf_add_char(&out, '\n');
        }
    }
    return cv_buf_take(&out, call->arena);
}

#define CV_THIS_TYPE cv_chat_tellings
static const cv_shape messages_shape[] = {CV_LIST("messages", items, count, cv_chat_message_shape, ""), {0}};
#undef CV_THIS_TYPE

static cv_str print_json(cv_call *call, const cv_chat_view *v, const cv_chat_tellings *list)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out, .indent = 2};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "chat_id", v->place->id);
    cv_json_key_str(&w, "status", v->header.status);
    cv_json_key_str(&w, "purpose", v->header.title);
    cv_json_key_strs(&w, "participants", v->header.people.items, v->header.people.count);
    cv_shape_write_members(&w, messages_shape, list);
    cv_json_end_object(&w);
    cv_buf_add_char(&out, '\n');
    return cv_buf_take(&out, call->arena);
}

static bool write_file(cv_call *call, cv_str text, exported *e)
{
    cv_str path = cv_json_get_text(call->input, "output_path");
    cv_err err = {.arena = call->arena};
    cv_where to;
    cv_file_rules rules = {.arena = call->arena};
    if (!path.p) {
        e->content = text;
        return true;
    }
    if (!cv_destination_where(call, path, &to, &err) || !cv_file_write_at(to, text, &rules, &err)) {
        cv_err_field(&err, CV_STR("output_path"));
        return cv_call_fail(call, &err);
    }
    e->path = cv_str_of(cv_where_path(call->arena, to));
    return true;
}

bool cv_chat_export(cv_call *call)
{
    cv_chat_place place;
    cv_chat_view view;
    cv_notices warnings = {0};
    cv_chat_tellings list = {0};
    cv_err err = {.arena = call->arena};
    cv_str format = cv_json_get_text(call->input, "format");
    if (!cv_chat_find(call, &place) || !cv_chat_look(call, &place, &view, &warnings))
        return false;
    exported e = {.chat_id = place.id, .format = format.p ? format : CV_STR("text")};
    bool ok = (cv_chat_view_read_all(&view, &err) && cv_text_check(view.text, &err)) || cv_call_fail(call, &err);
    for (size_t i = 0; ok && i < view.messages.all.count; i++)
        cv_chat_tell(call->arena, &list, &view.messages.all.items[i]);
    if (ok)
        ok = write_file(call,
                        cv_str_eq(e.format, CV_STR("markdown")) ? print_markdown(call, &view, &list)
                        : cv_str_eq(e.format, CV_STR("json"))   ? print_json(call, &view, &list)
                                                                : view.text,
                        &e);
    if (ok)
        cv_shape_write(&(cv_json_writer){.out = call->out}, cv_chat_export_shape, &e);
    cv_chat_view_close(&view);
    return ok;
}
