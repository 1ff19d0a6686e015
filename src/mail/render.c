/* render.c - a template and a context as text; see render.h. */
#include "mail/render.h"

#include "base/folder.h"
#include "kit/fault.h"
#include "kit/template.h"
#include "mail/operations.h"
#include "mail/prompt_files.h"
#include "mail/state.h"
#include "mail/text/place.h"
#include "mail/writing.h"

/* ---- the context ------------------------------------------------------------------------------------------------- */

/* The caller's members, and the supervisor's state where the caller has none. */
static bool make_context(cv_call *call, cv_json *ret, cv_err *err)
{
    static const cv_str name = CV_STR_INIT("supervisor_state");
    const cv_json *given = cv_json_get(call->input, CV_STR("context"));
    cv_str state;
    *ret = given ? *given : (cv_json){.type = CV_JSON_OBJECT};
    if (cv_json_get(ret, name))
        return true;
    cv_json value = {.type = CV_JSON_OBJECT};
    if (!cv_mail_state_text(call, CV_STR("-"), name, &state, err) ||
        (state.p && !cv_json_parse(call->arena, state, &value, err)))
        return false;
    cv_json_member *members = CV_NEW_ARRAY(call->arena, ret->count + 1u, cv_json_member);
    if (ret->count > 0)
        memcpy(members, ret->members, ret->count * sizeof *members);
    members[ret->count] = (cv_json_member){name, value};
    ret->members = members;
    ret->count++;
    return true;
}

/* ---- templates --------------------------------------------------------------------------------------------------- */

/* By its name, with or without ".j2". Old data names the whole path: /d:/Dream.os/templates/plan.j2. */
static bool load(cv_call *call, cv_where *folder, cv_str *name, cv_str *ret_source, cv_err *err)
{
    static const cv_str templates = CV_STR_INIT("templates/");
    cv_str below;
    if (cv_mtext_place_of(call->arena, *name, &below) && cv_str_starts(below, templates))
        *name = cv_str_from(below, templates.n);
    if (cv_template_load(folder, call->arena, *name, ret_source, err))
        return true;
    if (err->code != CV_ERR_NOT_FOUND || cv_str_ends(*name, CV_STR(".j2")))
        return false;
    cv_err second = {.arena = call->arena};
    cv_str with = cv_arena_join(call->arena, *name, CV_STR(".j2"));
    if (!cv_template_load(folder, call->arena, with, ret_source, &second))
        return false;
    cv_err_clear(err);
    *name = with;
    return true;
}

/* Which templates there are; a sentence in the place of a name is a text. */
static void tell_templates(cv_call *call, cv_where folder, cv_str name, cv_err *err)
{
    cv_folder_entries entries;
    cv_err unread = {.arena = call->arena};
    cv_texts names = {0};
    if (cv_folder_list(call->arena, folder, &entries, &unread))
        for (size_t i = 0; i < entries.count && names.count < 100; i++)
            if (entries.items[i].name[0] != '.')
                *CV_PUSH(call->arena, &names) = cv_str_of(entries.items[i].name);
    cv_err_message(err, "there is no template '%.*s' in %s%s", CV_FMT(cv_excerpt(call->arena, name)), folder.path,
                   names.count ? "" : ", which has none");
    cv_err_value(err, name);
    bool is_text = cv_str_find_char(name, ' ') != SIZE_MAX &&
                   cv_json_get(cv_json_get(call->schema, CV_STR("properties")), CV_STR("text"));
    if (is_text)
        cv_err_suggest(err, CV_STR("give 'text' for a prompt that is not a template"));
    else if (names.count)
        cv_refuse_words(err, names.items, names.count);
    else
        cv_err_suggest(err, CV_STR("put one there; docs/templates.md shows the language"));
}

/* Every missing name is a fault of its own. */
static bool refuse_names(cv_call *call, const cv_template_made *made)
{
    for (size_t i = 0; i < made->missing_count; i++) {
        const cv_template_name *one = &made->missing[i];
        cv_err fault = {.arena = call->arena};
        cv_err_at(&fault, CV_ERR_TEMPLATE_NAMES, one->line, one->column, "the context has no '%.*s'",
                  CV_FMT(cv_excerpt(call->arena, one->name)));
        cv_err_file(&fault, one->file);
        cv_err_field(&fault, CV_STR("context"));
        cv_err_value(&fault, one->name);
        cv_err_suggest(&fault, CV_STR("put it into the context, or give it a value with |default(...)"));
        cv_call_fail(call, &fault);
    }
    return false;
}

static bool render(cv_call *call, cv_str *name, cv_str *ret_text)
{
    cv_err err = {.arena = call->arena};
    cv_where folder = cv_mail_file(call, "templates");
    cv_template_rules rules = {.load = cv_template_load,
                               .load_ctx = &folder,
                               .strict = cv_json_get_true(call->input, "strict"),
                               .now_ms = call->clock.now_ms(call->clock.ctx)};
    cv_template_made made = {0};
    cv_json context;
    cv_str source;
    if (load(call, &folder, name, &source, &err) && make_context(call, &context, &err) &&
        cv_template_render(call->arena, *name, source, &context, &rules, &made, &err)) {
        *ret_text = made.text;
        return true;
    }
    if (err.code == CV_ERR_TEMPLATE_NAMES)
        return refuse_names(call, &made);
    cv_err_field(&err, CV_STR("template"));
    if (err.code == CV_ERR_NOT_FOUND)
        tell_templates(call, folder, *name, &err);
    return cv_call_fail(call, &err);
}

bool cv_mail_text_of(cv_call *call, cv_str *ret_text, cv_str *ret_template)
{
    const cv_json *text = cv_json_get(call->input, CV_STR("text"));
    *ret_template = cv_json_get_text(call->input, "template");
    if (!text && !ret_template->p) {
        cv_err_suggest(cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "template", CV_STR(""),
                                 "there is nothing to write: 'template' and 'text' are missing"),
                       CV_STR("give a 'template' (a file in templates/ of the mail), or the 'text' itself"));
        return false;
    }
    if (text && ret_template->p) {
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "text", CV_STR(""),
                  "'template' and 'text' exclude each other");
        return false;
    }
    if (ret_template->p)
        return render(call, ret_template, ret_text);
    *ret_text = text->text;
    return cv_mail_check_length(call, "text", *ret_text, CV_MAIL_MAX_TEXT);
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str template, text;
} rendered;

#define CV_THIS_TYPE rendered
const cv_shape cv_mail_render_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, template, ""),
    CV_MARKED("x-document", ALWAYS, text, "what the template gives"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_mail_op_render(cv_call *call)
{
    rendered r;
    if (!cv_mail_text_of(call, &r.text, &r.template))
        return false;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_render_shape, &r);
    return true;
}
