/* batch.c - request -> drafts; see batch.h. The types of all fields have been checked by the schema. */
#include "dialogue/register/batch.h"

/* A list under either of two names; *ret_name tells which. */
static const cv_json *list_of(const cv_json *object, cv_str name, cv_str also, cv_str *ret_name)
{
    const cv_json *list = cv_json_get(object, name);
    *ret_name = name;
    if (!list && also.n) {
        list = cv_json_get(object, also);
        *ret_name = also;
    }
    return list && list->type == CV_JSON_ARRAY ? list : NULL;
}

/* ---- entities and references ----------------------------------------------------------------- */

static cv_draft_ref read_ref(const cv_json *value)
{
    cv_draft_ref ref = {.word = cv_json_get_text(value, "type")};
    ref.type = cv_words_find(cv_ref_words, ref.word);
    ref.target.text = cv_json_get_text(value, "target");
    ref.reason = cv_json_get_text(value, "reason");
    return ref;
}

static void read_refs(cv_arena *a, const cv_json *list, cv_draft *draft)
{
    draft->ref_count = list && list->type == CV_JSON_ARRAY ? list->count : 0;
    draft->refs = CV_NEW_ARRAY(a, draft->ref_count, cv_draft_ref);
    for (size_t i = 0; i < draft->ref_count; i++)
        draft->refs[i] = read_ref(&list->items[i]);
}

static void read_also(cv_arena *a, const cv_json *list, cv_draft *draft)
{
    draft->also_count = list && list->type == CV_JSON_ARRAY ? list->count : 0;
    draft->also = CV_NEW_ARRAY(a, draft->also_count, cv_str);
    for (size_t i = 0; i < draft->also_count; i++)
        draft->also[i] = cv_id_normal(a, list->items[i].text);
}

static void read_draft(cv_arena *a, const cv_json *value, cv_draft *draft)
{
    cv_str local_id = cv_json_get_text(value, "local_id");
    if (!cv_id_parse(local_id, &draft->parts) || draft->parts.form != CV_ID_LOCAL)
        draft->parts = (cv_id){0};
    draft->local_id = draft->parts.form == CV_ID_LOCAL ? cv_id_print(a, &draft->parts) : local_id;
    draft->label = cv_str_trim(cv_json_get_text(value, "label"));
    draft->content = cv_json_get_text(value, "content");
    if (!draft->content.p)
        draft->content = cv_json_get_text(value, "description");
    const cv_json *by = cv_json_get(value, CV_STR("contributors"));
    if (by && by->type != CV_JSON_NULL)
        draft->by = cv_people_read(a, by);
    else if (draft->parts.form == CV_ID_LOCAL)
        draft->by = cv_people_of(a, &draft->parts.expert, 1);
    draft->parameters = cv_json_get_json(a, value, "parameters");
    read_also(a, cv_json_get(value, CV_STR("also")), draft);
    read_refs(a, cv_json_get(value, CV_STR("references")), draft);
}

static cv_str other_name(cv_kind kind)
{
    return kind == CV_KIND_RECOMMENDATION ? CV_STR("proposals") : (cv_str){NULL, 0};
}

static void read_entities(cv_batch *b, const cv_json *input)
{
    cv_arena *a = b->call->arena;
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_str name;
        const cv_json *list = list_of(input, cv_kinds[kind].plural, other_name((cv_kind)kind), &name);
        b->counts[kind] = list ? list->count : 0;
        for (size_t i = 0; i < b->counts[kind]; i++) {
            cv_draft *draft = CV_PUSH(a, &b->drafts);
            *draft = (cv_draft){.kind = (cv_kind)kind, .index = i, .list = name};
            read_draft(a, &list->items[i], draft);
        }
    }
}

static void read_links(cv_batch *b, const cv_json *input)
{
    cv_str name;
    const cv_json *list = list_of(input, CV_STR("references"), (cv_str){NULL, 0}, &name);
    for (size_t i = 0; list && i < list->count; i++)
        *CV_PUSH(b->call->arena, &b->links) = (cv_draft_link){
            .source.text = cv_json_get_text(&list->items[i], "source"), .ref = read_ref(&list->items[i])};
}

/* ---- moves, updates, scores, responses ------------------------------------------------------- */

/* Targets under `targets` or `target`, each a string or a list. */
static void read_targets(cv_arena *a, const cv_json *value, cv_draft_move *move)
{
    const cv_json *given = cv_json_get(value, CV_STR("targets"));
    if (!given || given->type == CV_JSON_NULL)
        given = cv_json_get(value, CV_STR("target"));
    bool list = given && given->type == CV_JSON_ARRAY, one = given && given->type == CV_JSON_STRING;
    move->target_count = list ? given->count : one;
    move->targets = CV_NEW_ARRAY(a, move->target_count, cv_target);
    for (size_t i = 0; i < move->target_count; i++)
        move->targets[i].text = list ? given->items[i].text : given->text;
}

static void read_moves(cv_batch *b, const cv_json *input)
{
    cv_arena *a = b->call->arena;
    cv_str name;
    const cv_json *list = list_of(input, CV_STR("moves"), (cv_str){NULL, 0}, &name);
    for (size_t i = 0; list && i < list->count; i++) {
        const cv_json *value = &list->items[i];
        cv_draft_move *move = CV_PUSH(a, &b->moves);
        *move = (cv_draft_move){.expert = cv_arena_lower(a, cv_json_get_text(value, "expert")),
                                .word = cv_json_get_text(value, "type"),
                                .context = cv_json_get_text(value, "context")};
        move->type = cv_words_find(cv_move_words, move->word);
        read_targets(a, value, move);
    }
}

static void read_updates(cv_batch *b, const cv_json *input)
{
    cv_arena *a = b->call->arena;
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_str name, key = cv_arena_join(a, cv_kinds[kind].word, CV_STR("_updates"));
        const cv_json *list = list_of(input, key, (cv_str){NULL, 0}, &name);
        for (size_t i = 0; list && i < list->count; i++) {
            const cv_json *value = &list->items[i], *by = cv_json_get(value, CV_STR("by"));
            cv_draft_update *update = CV_PUSH(a, &b->updates);
            *update = (cv_draft_update){.kind = (cv_kind)kind,
                                        .list = name,
                                        .index = i,
                                        .target.text = cv_json_get_text(value, "id"),
                                        .via.text = cv_json_get_text(value, "via"),
                                        .word = cv_json_get_text(value, "status"),
                                        .reason = cv_json_get_text(value, "reason")};
            update->by = by && by->type != CV_JSON_NULL ? cv_people_read(a, by) : cv_judge_alone;
            update->status = cv_status_find(update->kind, update->word);
        }
    }
}

/* {"muffin": 8} or {"muffin": {"score": 8, "score_components": {"W": 3, …}}} */
static void read_scores(cv_batch *b, const cv_json *scores)
{
    cv_arena *a = b->call->arena;
    for (size_t i = 0; scores && scores->type == CV_JSON_OBJECT && i < scores->count; i++) {
        const cv_json *value = &scores->members[i].value;
        cv_draft_score *score = CV_PUSH(a, &b->scores);
        *score = (cv_draft_score){.expert = cv_arena_lower(a, scores->members[i].key),
                                  .score = cv_json_get_int(value, "score", 0),
                                  .components = cv_components_read(a, cv_json_get(value, CV_STR("score_components")))};
        cv_json_to_int(value, &score->score);
    }
}

static void read_responses(cv_batch *b, const cv_json *responses)
{
    cv_arena *a = b->call->arena;
    for (size_t i = 0; responses && responses->type == CV_JSON_OBJECT && i < responses->count; i++)
        *CV_PUSH(a, &b->responses) =
            (cv_draft_response){cv_arena_lower(a, responses->members[i].key), responses->members[i].value.text, false};
}

static void read_positions(cv_batch *b, const cv_json *positions)
{
    cv_arena *a = b->call->arena;
    b->positions_given = positions && positions->type == CV_JSON_OBJECT;
    for (size_t i = 0; positions && positions->type == CV_JSON_OBJECT && i < positions->count; i++)
        *CV_PUSH(a, &b->positions) =
            (cv_draft_position){cv_arena_lower(a, positions->members[i].key), positions->members[i].value.text};
}

static int64_t sum_of(const cv_batch *b)
{
    int64_t sum = 0;
    for (size_t i = 0; i < b->scores.count; i++)
        sum += b->scores.items[i].score;
    return sum;
}

void cv_batch_parse(cv_call *call, const cv_json *input, cv_batch *ret_batch)
{
    *ret_batch =
        (cv_batch){.call = call,
                   .dialogue_id = cv_json_get_text(input, "dialogue_id"),
                   .title = cv_str_trim(cv_json_get_text(input, "title")),
                   .summary = cv_json_get_text(input, "summary"),
                   .round = cv_json_get_int(input, "round", 0),
                   .use_draft = cv_json_get_true(input, "use_draft"),
                   .components = cv_components_read(call->arena, cv_json_get(input, CV_STR("score_components"))),
                   .dry_run = cv_json_get_true(input, "dry_run")};
    read_entities(ret_batch, input);
    read_links(ret_batch, input);
    read_moves(ret_batch, input);
    read_updates(ret_batch, input);
    read_scores(ret_batch, cv_json_get(input, CV_STR("expert_scores")));
    ret_batch->score = cv_json_get_int(input, "score", sum_of(ret_batch));
    read_positions(ret_batch, cv_json_get(input, CV_STR("positions")));
    read_responses(ret_batch, cv_json_get(input, CV_STR("responses")));
}
