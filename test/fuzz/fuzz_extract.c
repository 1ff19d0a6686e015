/* fuzz_extract.c - any text as the responses of two experts: what is extracted is a request that round-register takes.
 *
 *     text of muffin, ====, text of cupcake  ->  payload     valid JSON, fits the schema, sound by the batch's check
 *                                                verdicts    fit theirs
 *
 * … and the same each time, with its notes and merge candidates.
 *
 * They speak in round 1 of a dialogue whose round 0 has P0001 and T0001 of muffin, R0001 of donut, T0002 of cupcake.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "dialogue/intake/diagnosis.h"
#include "dialogue/intake/duplicates.h"
#include "dialogue/register/batch.h"
#include "kit/schema.h"
#include "ops/op.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static _Noreturn void give_up(const char *what, cv_str text, cv_str why)
{
    fprintf(stderr, "== %s: %.*s\n%.*s\n==\n", what, CV_FMT(why), CV_FMT(text));
    abort();
}

/* ---- the dialogue ------------------------------------------------------------------------------- */

static void add_expert(cv_arena *a, cv_state *s, const char *slug)
{
    *CV_PUSH(a, &s->experts) = (cv_rec_expert){.expert_slug = cv_str_of(slug)};
    *cv_map_put(&s->expert_at, a, cv_str_of(slug), NULL) = s->experts.count;
}

static void add_entity(cv_arena *a, cv_state *s, const char *id, const char *local_id)
{
    cv_id parts;
    cv_id_parse(cv_str_of(id), &parts);
    const cv_kind_row *kind = &cv_kinds[parts.kind];
    *CV_PUSH(a, &s->entities) = (cv_rec_entity){.kind = {&kind->letter, 1},
                                                .round = parts.round,
                                                .seq = parts.number,
                                                .label = CV_STR("Label"),
                                                .content = CV_STR("Content"),
                                                .contributors = CV_STR("[\"muffin\"]"),
                                                .status = cv_statuses[cv_status_first(parts.kind)].word};
    *cv_map_put(&s->entity_at, a, cv_str_of(id), NULL) = s->entities.count;
    *CV_PUSH(a, &s->origins) = (cv_rec_origin){.local_id = cv_str_of(local_id), .display_id = cv_str_of(id)};
    *cv_map_put(&s->origin_at, a, cv_str_of(local_id), NULL) = s->origins.count;
}

static void make_dialogue(cv_arena *a, cv_state *s)
{
    *s = (cv_state){.id = CV_STR("bread"), .position.rev = 2};
    s->dialogue.status = CV_STR("open");
    add_expert(a, s, "muffin");
    add_expert(a, s, "cupcake");
    add_expert(a, s, "donut");
    add_entity(a, s, "P0001", "MUFFIN-P0001");
    add_entity(a, s, "R0001", "DONUT-R0001");
    add_entity(a, s, "T0001", "MUFFIN-T0001");
    add_entity(a, s, "T0002", "CUPCAKE-T0001");
    *CV_PUSH(a, &s->rounds) = (cv_rec_round){.round = 0};
}

/* ---- what is extracted -------------------------------------------------------------------------------- */

static void extract(cv_arena *a, const cv_state *s, cv_str text, cv_extract *ret_extract)
{
    static const cv_str between = CV_STR_INIT("\n====\n");
    size_t at = cv_str_find(text, between);
    cv_response_text texts[] = {
        {CV_STR("muffin"), cv_str_head(text, at)},
        {CV_STR("cupcake"), at == SIZE_MAX ? CV_STR("") : cv_str_from(text, at + between.n)},
    };
    cv_extract_responses(a, s, 1, texts, at == SIZE_MAX ? 1 : 2, ret_extract);
}

static cv_str payload_of(cv_arena *a, const cv_extract *h)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_extract_print_members(h, &w);
    cv_json_key_int(&w, "score", 1);
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

static cv_str notes_of(cv_arena *a, const cv_extract *h)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_duplicate_groups groups;
    cv_diagnostics diagnostics = {0};
    cv_duplicates_find(a, h, &groups);
    cv_json_begin_array(&w);
    for (size_t i = 0; i < h->notes.count; i++)
        cv_extracted_note_print(&h->notes.items[i], &w);
    for (size_t i = 0; i < groups.count; i++)
        cv_duplicates_print(&groups.items[i], &w);
    for (size_t i = 0; i < h->response_count; i++) {
        cv_summary summary;
        cv_diagnose(a, h, i, &diagnostics);
        cv_summarize(a, h, h->responses[i].expert, &summary);
        cv_shape_write(&w, cv_summary_shape, &summary);
    }
    for (size_t i = 0; i < diagnostics.count; i++)
        cv_shape_write(&w, cv_named_diagnostic_shape, &diagnostics.items[i]);
    cv_json_end_array(&w);
    return cv_buf_take(&text, a);
}

/* ---- what must hold --------------------------------------------------------------------------------- */

static const cv_json *parse(cv_arena *a, cv_str text)
{
    cv_err err = {.arena = a};
    cv_json *tree = CV_NEW(a, cv_json);
    if (!cv_json_parse(a, text, tree, &err))
        give_up("no JSON", text, err.message);
    return tree;
}

static void check_schema(cv_arena *a, const char *verb, cv_str text, const cv_json *tree)
{
    cv_errs errs = {0};
    const cv_operation *op = cv_op_find(CV_STR("dialogue"), cv_str_of(verb));
    if (!cv_schema_check(a, cv_op_schema(op).input, text, tree, &errs))
        give_up(verb, text, cv_err_text(&errs.items[0]));
}

static void check_batch(cv_arena *a, const cv_state *s, cv_str text, const cv_json *tree)
{
    cv_errs errs = {0};
    cv_call call = {.arena = a, .input = tree, .input_text = text, .errs = &errs};
    cv_batch batch;
    cv_batch_parse(&call, call.input, &batch);
    cv_batch_resolve(&batch, s);
    if (!cv_batch_check(&batch))
        give_up("not sound", text, cv_err_text(&errs.items[0]));
}

static void check_verdicts(cv_arena *a, const cv_extract *h)
{
    for (size_t i = 0; i < h->verdicts.count; i++) {
        cv_buf out = {0};
        cv_json_writer w = {.out = &out};
        cv_extracted_verdict_print(h, &h->verdicts.items[i], &w);
        cv_str text = cv_buf_take(&out, a);
        check_schema(a, "verdict-register", text, parse(a, text));
        if (!cv_slug_ok(h->verdicts.items[i].verdict_id) || cv_str_trim(h->verdicts.items[i].label).n == 0)
            give_up("verdict", text, h->verdicts.items[i].verdict_id);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size};
    if (cv_text_check(text, &err)) {
        cv_state s;
        cv_extract h, again;
        make_dialogue(&a, &s);
        extract(&a, &s, text, &h);
        extract(&a, &s, text, &again);
        cv_str payload = payload_of(&a, &h), notes = notes_of(&a, &h);
        const cv_json *tree = parse(&a, payload);
        check_schema(&a, "round-register", payload, tree);
        check_batch(&a, &s, payload, tree);
        check_verdicts(&a, &h);
        parse(&a, notes);
        if (!cv_str_eq(payload, payload_of(&a, &again)) || !cv_str_eq(notes, notes_of(&a, &again)))
            give_up("not the same again", payload, notes);
    }
    cv_arena_release(&a);
    return 0;
}
