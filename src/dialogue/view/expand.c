/* expand.c - citations with their whole context: the operation; what is known about each is cite.h's business. */
#include "base/err_json.h"
#include "base/json.h"
#include "dialogue/operations.h"
#include "dialogue/view/cite.h"

/* The ids of the request. */
static cv_str *read_ids(cv_call *call, size_t *ret_count)
{
    const cv_json *given = cv_json_get(call->input, CV_STR("ids"));
    cv_str *ids = CV_NEW_ARRAY(call->arena, given->count, cv_str);
    for (uint32_t i = 0; i < given->count; i++)
        ids[i] = given->items[i].text;
    *ret_count = given->count;
    return ids;
}

static cv_str tell(const cv_citations *c)
{
    cv_buf out = {0};
    for (size_t i = 0; i < c->list.count; i++) {
        cv_buf_add_z(&out, i ? "\n" : "");
        cv_citation_tell(c, c->list.items[i], &out);
    }
    return cv_buf_take(&out, c->call->arena);
}

/* None of the ids is one: then there is no answer, only faults, each in the place of its id. */
static bool refuse(const cv_citations *c, cv_call *call)
{
    for (size_t i = 0; i < c->errs.count; i++) {
        cv_err *err = cv_errs_keep(call->errs, call->arena, &c->errs.items[i]);
        cv_err_field(err, cv_arena_printf(call->arena, "ids[%zu]", i));
    }
    return false;
}

#define CV_THIS_TYPE cv_err
static const cv_shape error[] = {
    CV_FIELD_AS(ALWAYS, "id", value, "as it was asked for"),
    CV_FIELD_OF_AS(ALWAYS, "error_code", code, word, ""),
    CV_FIELD(ALWAYS, message, ""),
    CV_FIELD(IF_ANY, suggestion, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_citations
const cv_shape cv_expand_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", names.id, ""),
    CV_FIELD_AS(ALWAYS, "rev", names.position.rev, ""),
    CV_LIST_AT("items", list.items, list.count, cv_citation_shape, "each id once, in the order of the request"),
    CV_LIST("errors", errs.items, errs.count, error, "ids that are malformed or unknown"),
    CV_PRINTED(text, "the items as cards, for people"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_dialogue_expand(cv_call *call)
{
    size_t count;
    cv_str *ids = read_ids(call, &count);
    cv_citations c;
    if (!cv_citations_load(call, cv_json_get_text(call->input, "dialogue_id"), ids, count, &c))
        return false;
    if (c.list.count == 0)
        return refuse(&c, call);
    cv_json_writer w = {.out = call->out};
    if (call->for_people)
        c.text = tell(&c);
    call->unwell = c.errs.count > 0;
    cv_shape_write(&w, cv_expand_shape, &c);
    return true;
}
