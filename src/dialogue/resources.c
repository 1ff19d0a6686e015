/* resources.c - what there is to read about dialogues, under URIs; see kit/room.h.
 *
 *     conclave://dialogues                        which there are
 *     conclave://spec                             how dialogues and responses are written
 *     conclave://dialogue/ID                      one of them
 *     conclave://dialogue/ID/transcript           … as markdown
 *     conclave://dialogue/ID/round/N              what one round brought
 *     conclave://dialogue/ID/P0101                a citation
 */
#include "dialogue/asking.h"
#include "dialogue/room.h"
#include "dialogue/text/spec.h"

#define JSON_TYPE "application/json"
#define MARKDOWN "text/markdown"

cv_str cv_dialogue_input(cv_arena *a, cv_str id, const char *more, cv_str value)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", id);
    if (more) {
        cv_json_key(&w, cv_str_of(more));
        cv_json_raw(&w, value);
    }
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

cv_str cv_dialogue_text(cv_arena *a, cv_str reply, const char *list, const char *member)
{
    cv_json *tree = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    if (!cv_json_parse(a, reply, tree, &err))
        return reply;
    const cv_json *items = list ? cv_json_get(tree, cv_str_of(list)) : NULL;
    const cv_json *in = items && items->type == CV_JSON_ARRAY && items->count ? &items->items[0] : tree;
    cv_str text = cv_json_get_text(in, member);
    return text.p ? text : reply;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static bool read_all(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    (void)values;
    return cv_ask(asker, "dialogue list", CV_STR("{}"), ret_text, err);
}

static bool read_spec(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    cv_buf spec = {0};
    (void)values;
    (void)err;
    cv_spec_print(&spec);
    *ret_text = cv_buf_take(&spec, asker->arena);
    return true;
}

static bool read_one(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    return cv_ask(asker, "dialogue get", cv_dialogue_input(asker->arena, values[0], NULL, values[0]), ret_text, err);
}

static bool read_markdown(const cv_asker *asker, cv_str input, cv_str *ret_text, cv_err *err)
{
    cv_str reply;
    if (!cv_ask(asker, "dialogue transcript", input, &reply, err))
        return false;
    *ret_text = cv_dialogue_text(asker->arena, reply, NULL, "markdown");
    return true;
}

static bool read_transcript(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    return read_markdown(asker, cv_dialogue_input(asker->arena, values[0], NULL, values[0]), ret_text, err);
}

static bool read_round(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    int number;
    if (!cv_str_to_int(values[1], &number))
        return cv_err_set(err, CV_ERR_NOT_FOUND, "see resources/templates/list");
    return read_markdown(asker, cv_dialogue_input(asker->arena, values[0], "round", values[1]), ret_text, err);
}

static bool read_item(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    cv_buf ids = {0};
    cv_json_writer w = {.out = &ids};
    cv_json_begin_array(&w);
    cv_json_str(&w, values[1]);
    cv_json_end_array(&w);
    cv_str input = cv_dialogue_input(asker->arena, values[0], "ids", cv_buf_take(&ids, asker->arena));
    return cv_ask(asker, "dialogue expand", input, ret_text, err);
}

/* ---- which there are -------------------------------------------------------------------------------------------- */

static bool list_transcripts(const cv_asker *asker, cv_str after, cv_resource_page *ret_page, cv_err *err)
{
    cv_arena *a = asker->arena;
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_json *tree = CV_NEW(a, cv_json);
    cv_str reply;
    cv_json_begin_object(&w);
    if (after.n)
        cv_json_key_str(&w, "after", after);
    cv_json_end_object(&w);
    if (!cv_ask(asker, "dialogue list", cv_buf_take(&input, a), &reply, err) || !cv_json_parse(a, reply, tree, err))
        return false;
    const cv_json *dialogues = cv_json_get(tree, CV_STR("dialogues"));
    for (uint32_t i = 0; dialogues && i < dialogues->count; i++) {
        cv_str id = cv_json_get_text(&dialogues->items[i], "dialogue_id");
        *CV_PUSH(a, ret_page) = (cv_resource_entry){{id}, id, cv_json_get_text(&dialogues->items[i], "title")};
    }
    ret_page->next = cv_json_get_text(tree, "next");
    return true;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

static bool add_rev(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    int64_t *sum = ctx;
    (void)scope;
    (void)err;
    *sum += at->rev;
    return true;
}

static int64_t rev_of_all(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    int64_t sum = 0;
    cv_err err = {.arena = a};
    (void)root;
    (void)values;
    return record->calls->scopes(record, CV_STR("dialogue"), CV_STR(""), 0, add_rev, &sum, &err) ? sum : -1;
}

static int64_t rev_of_one(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    cv_scope_position at;
    cv_err err = {.arena = a};
    (void)root;
    if (!record->calls->begin(record, a, (cv_scope_id){CV_STR("dialogue"), values[0]}, &at, &err))
        return -1;
    record->calls->end(record);
    return at.rev;
}

bool cv_dialogue_in_use(cv_record *record, cv_arena *a, const char *root)
{
    return rev_of_all(record, a, root, NULL) > 0;
}

/* ---- the rows --------------------------------------------------------------------------------------------------- */

const cv_resource cv_dialogue_resources[] = {
    {"conclave://dialogues", "dialogues", "Which dialogues there are", JSON_TYPE, read_all, rev_of_all, NULL},
    {"conclave://spec", "spec", "How dialogues and responses are written", MARKDOWN, read_spec, NULL, NULL},
    {"conclave://dialogue/{id}", "dialogue", "One dialogue: experts, panel, rounds, open tensions", JSON_TYPE, read_one,
     rev_of_one, NULL},
    {"conclave://dialogue/{id}/transcript", "transcript", "A dialogue to read", MARKDOWN, read_transcript, rev_of_one,
     list_transcripts},
    {"conclave://dialogue/{id}/round/{n}", "round", "What one round brought", MARKDOWN, read_round, rev_of_one, NULL},
    {"conclave://dialogue/{id}/{item}", "citation",
     "A perspective, recommendation, tension, evidence, claim or verdict by its id, with what refers to it", JSON_TYPE,
     read_item, rev_of_one, NULL},
    {0},
};
