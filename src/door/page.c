/* page.c - the page that a person gets for an answer; see page.h. */
#include "door/page.h"

#include "base/clock.h"
#include "base/embedded.h"
#include "base/log.h"
#include "base/plain.h"
#include "door/cli_parts.h"
#include "door/layout.h"
#include "kit/template.h"

/* Longer lines are not read well. */
enum { USUAL_WIDTH = 80, MOST_WIDTH = 120 };

/* ---- templates --------------------------------------------------------------------------------------------------- */

static cv_str file_called(cv_str name)
{
    for (size_t i = 0; i < cv_page_files_count; i++)
        if (cv_str_eq(cv_str_of(cv_page_files[i].name), name))
            return cv_page_files[i].text;
    return (cv_str){NULL, 0};
}

/* "<|>" and the like as the marks that they stand for. */
static cv_str with_marks(cv_arena *a, cv_str source)
{
    static const struct {
        cv_str tag;
        char mark;
    } tags[] = {
        {CV_STR_INIT("<|>"), CV_MARK_CELL},      {CV_STR_INIT("<br>"), CV_MARK_BREAK},
        {CV_STR_INIT("<b>"), CV_PAINT_BOLD[0]},  {CV_STR_INIT("<s>"), CV_PAINT_STATUS[0]},
        {CV_STR_INIT("<dim>"), CV_PAINT_DIM[0]}, {CV_STR_INIT("<c>"), CV_PAINT_COLOUR[0]},
        {CV_STR_INIT("</>"), CV_PAINT_END[0]},   {CV_STR_INIT("<+>"), CV_MARK_PLURAL},
    };
    cv_buf out = {0};
    for (size_t at = 0, used; at < source.n; at += used) {
        cv_str rest = cv_str_from(source, at);
        char c = source.p[at];
        used = 1;
        for (size_t i = 0; c == '<' && i < CV_COUNT(tags); i++)
            if (cv_str_starts(rest, tags[i].tag)) {
                c = tags[i].mark;
                used = tags[i].tag.n;
            }
        cv_buf_add_char(&out, c);
    }
    return cv_buf_take(&out, a);
}

static bool load(void *ctx, cv_arena *a, cv_str name, cv_str *ret_source, cv_err *err)
{
    (void)ctx;
    cv_str text = file_called(name);
    if (!text.p) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "there is no page '%.*s'", CV_FMT(name));
        return false;
    }
    *ret_source = with_marks(a, text);
    return true;
}

cv_str cv_page_source(cv_arena *a, const cv_operation *op)
{
    cv_buf name = {0};
    cv_buf_printf(&name, "%s%s%s", op->room, *op->room ? "_" : "", op->verb);
    for (size_t i = 0; i < name.n; i++)
        name.p[i] = name.p[i] == '-' ? '_' : name.p[i];
    cv_str text = file_called(cv_buf_take(&name, a));
    return text.p ? with_marks(a, text) : text;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static cv_str harmless(cv_arena *a, cv_str text)
{
    cv_str rest = cv_time_short(a, text), one;
    cv_buf out = {0};
    for (bool first = true; rest.n > 0 && cv_str_split(&rest, '\n', &one); first = false) {
        if (!first)
            cv_buf_add_char(&out, CV_MARK_BREAK);
        cv_plain_add(&out, cv_str_ends(one, CV_STR("\r")) ? cv_str_head(one, one.n - 1) : one);
    }
    return cv_buf_take(&out, a);
}

/* Changed in place: the tree is ours. */
static void make_harmless(cv_arena *a, cv_json *value)
{
    if (value->type == CV_JSON_STRING)
        value->text = harmless(a, value->text);
    for (uint32_t i = 0; value->type == CV_JSON_ARRAY && i < value->count; i++)
        make_harmless(a, &value->items[i]);
    for (uint32_t i = 0; value->type == CV_JSON_OBJECT && i < value->count; i++) {
        value->members[i].key = harmless(a, value->members[i].key);
        make_harmless(a, &value->members[i].value);
    }
}

/* A copy of the answer, with what every page may ask besides. */
static bool context_of(cv_arena *a, const cv_json *reply, bool colour, cv_json *ret_context, cv_err *err)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_bool(&w, "colour", colour);
    for (uint32_t i = 0; i < reply->count; i++) {
        cv_json_key(&w, reply->members[i].key);
        cv_json_value(&w, &reply->members[i].value);
    }
    cv_json_end_object(&w);
    if (!cv_json_parse(a, cv_buf_take(&text, a), ret_context, err))
        return false;
    make_harmless(a, ret_context);
    return true;
}

bool cv_page_print(cv_buf *out, cv_arena *a, const cv_operation *op, const cv_json *reply, size_t width, bool colour,
                   bool strict, cv_err *err)
{
    cv_json context;
    cv_template_made made;
    cv_template_rules rules = {.load = load, .strict = strict};
    cv_str source = cv_arena_printf(a, "%.*s\n{%% include \"warnings\" %%}\n", CV_FMT(cv_page_source(a, op)));
    if (!context_of(a, reply, colour, &context, err) ||
        !cv_template_render(a, cv_str_of(op->verb), source, &context, &rules, &made, err))
        return false;
    cv_layout_print(out, a, made.text, width, colour);
    return true;
}

/* ---- whatever there is ------------------------------------------------------------------------------------------- */

const cv_json *cv_page_text(const cv_operation *op, const cv_json *reply, bool *ret_document)
{
    const cv_json *members = cv_json_get(cv_op_schema(op).output, CV_STR("properties"));
    for (uint32_t i = 0; members && i < members->count; i++) {
        const cv_json *text = cv_json_get(reply, members->members[i].key), *said = &members->members[i].value;
        *ret_document = cv_json_get(said, CV_STR("x-document"));
        if ((*ret_document || cv_json_get(said, CV_STR("x-print"))) && text && text->type == CV_JSON_STRING)
            return text;
    }
    return NULL;
}

static void print_text(cv_buf *out, cv_str text)
{
    cv_buf_add(out, text);
    if (text.n > 0 && text.p[text.n - 1] != '\n')
        cv_buf_add_char(out, '\n');
}

/* False: there is none, or it could not be made. */
static bool print_page(cv_buf *out, cv_arena *a, const cv_operation *op, const cv_json *reply, size_t terminal,
                       bool colour)
{
    cv_err err = {.arena = a};
    cv_buf page = {0};
    size_t width = terminal == 0 ? USUAL_WIDTH : terminal < MOST_WIDTH ? terminal : MOST_WIDTH;
    if (!cv_page_source(a, op).p)
        return false;
    bool made = cv_page_print(&page, a, op, reply, width, colour, false, &err);
    if (made)
        cv_buf_add(out, cv_buf_str(&page));
    else
        cv_log_line("the page of this answer could not be made: %.*s", CV_FMT(err.message));
    cv_buf_release(&page);
    return made;
}

void cv_page_answer(cv_buf *out, cv_arena *a, const cv_operation *op, const cv_json *reply, size_t terminal,
                    bool colour)
{
    bool document;
    const cv_json *text = cv_page_text(op, reply, &document);
    if (text) {
        cv_str shown = document || terminal == 0 ? text->text : cv_layout_wrapped(a, text->text, terminal);
        print_text(out, colour ? cv_layout_painted(a, shown) : shown);
    } else if (!print_page(out, a, op, reply, terminal, colour)) {
        cv_cli_print_reply(out, a, reply, cv_op_schema(op).output, colour, terminal);
        return;
    }
    if (cv_json_get_true(reply, "replayed")) {
        static const cv_str said = CV_STR_INIT("nothing was written now: the record has this already (replayed)\n");
        cv_buf_add(out, terminal ? cv_layout_wrapped(a, said, terminal) : said);
    }
    if (cv_json_get_true(reply, "dry_run"))
        cv_buf_add_z(out, "dry run: nothing was written\n");
}
