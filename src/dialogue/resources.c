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

static bool read_spec(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    cv_buf spec = {0};
    (void)values;
    (void)err;
    cv_spec_print(&spec);
    *ret_text = cv_buf_take(&spec, asker->arena);
    return true;
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

/* ---- the rows --------------------------------------------------------------------------------------------------- */

const cv_resource cv_dialogue_resources[] = {
    {.uri = "conclave://dialogues",
     .name = "dialogues",
     .about = "Which dialogues there are",
     .type = JSON_TYPE,
     .operation = "dialogue list",
     .changes = CV_CHANGES_WITH_ROOM},
    {.uri = "conclave://spec",
     .name = "spec",
     .about = "How dialogues and responses are written",
     .type = MARKDOWN,
     .read = read_spec},
    {.uri = "conclave://dialogue/{id}",
     .name = "dialogue",
     .about = "One dialogue: experts, panel, rounds, open tensions",
     .type = JSON_TYPE,
     .operation = "dialogue get",
     .field = "dialogue_id",
     .changes = CV_CHANGES_WITH_SCOPE},
    {.uri = "conclave://dialogue/{id}/transcript",
     .name = "transcript",
     .about = "A dialogue to read",
     .type = MARKDOWN,
     .read = read_transcript,
     .changes = CV_CHANGES_WITH_SCOPE,
     .listed = true},
    {.uri = "conclave://dialogue/{id}/round/{n}",
     .name = "round",
     .about = "What one round brought",
     .type = MARKDOWN,
     .read = read_round,
     .changes = CV_CHANGES_WITH_SCOPE},
    {.uri = "conclave://dialogue/{id}/{item}",
     .name = "citation",
     .about = "A perspective, recommendation, tension, evidence, claim or verdict by its id, with what refers to it",
     .type = JSON_TYPE,
     .read = read_item,
     .changes = CV_CHANGES_WITH_SCOPE},
    {0},
};
