/* put_export.c - an export put into the record; see put_export.h. */
#include "dialogue/import/put_export.h"

#include "base/utf8.h"
#include "dialogue/export/exporter.h"
#include "dialogue/import/rows.h"
#include "dialogue/operations.h"
#include "dialogue/place.h"
#include "dialogue/state.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/limits.h"
#include "kit/invoke.h"
#include "kit/scopes.h"
#include "record/hash.h"
#include "record/scope.h"

enum { MOST_DIFFERENCES = 20 };

static const cv_str format_key = CV_STR_INIT("format");

bool cv_put_export_fits(const cv_json *document)
{
    return cv_json_get(document, CV_STR("id")) && cv_json_get(document, CV_STR("rounds_data")) &&
           cv_json_get(document, CV_STR("record"));
}

/* ---- the long texts ---------------------------------------------------------------------------------------------- */

/* The texts of the document by the row they belong to: "P0101", "1/muffin". */
static void learn_entities(cv_arena *a, const cv_json *document, cv_map *texts)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        const cv_json *list = cv_json_get(document, cv_kinds[kind].plural);
        cv_str member = kind == CV_KIND_TENSION ? CV_STR("description") : CV_STR("content");
        for (uint32_t i = 0; list && list->type == CV_JSON_ARRAY && i < list->count; i++)
            *cv_map_put(texts, a, cv_json_get_text(&list->items[i], "id"), NULL) =
                (uintptr_t)cv_json_get(&list->items[i], member);
    }
}

static void learn_responses(cv_arena *a, const cv_json *document, cv_map *texts)
{
    const cv_json *rounds = cv_json_get(document, CV_STR("rounds"));
    for (uint32_t i = 0; rounds && rounds->type == CV_JSON_ARRAY && i < rounds->count; i++) {
        int64_t round = cv_json_get_int(&rounds->items[i], "round", -1);
        const cv_json *experts = cv_json_get(&rounds->items[i], CV_STR("experts"));
        for (uint32_t k = 0; experts && experts->type == CV_JSON_OBJECT && k < experts->count; k++)
            *cv_map_put(texts, a, cv_turn_key(a, round, experts->members[k].key), NULL) =
                (uintptr_t)cv_json_get(&experts->members[k].value, CV_STR("raw"));
    }
}

static void put_back(const cv_map *texts, cv_str key, cv_str *to)
{
    const uintptr_t *found = cv_map_get(texts, key);
    const cv_json *text = found ? (const cv_json *)*found : NULL;
    if (!to->p && text && text->type == CV_JSON_STRING)
        *to = text->text.p ? text->text : CV_STR("");
}

/* What was corrected, by id: the JSON of a row's correction. */
static void learn_corrections(cv_arena *a, const cv_json *document, cv_map *corrections)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        const cv_json *list = cv_json_get(document, cv_kinds[kind].plural);
        for (uint32_t i = 0; list && list->type == CV_JSON_ARRAY && i < list->count; i++)
            if (cv_json_get(&list->items[i], CV_STR("correction")))
                *cv_map_put(corrections, a, cv_json_get_text(&list->items[i], "id"), NULL) = (uintptr_t)&list->items[i];
    }
}

static void put_texts_back(cv_arena *a, const cv_json *document, cv_import_changes *rows)
{
    cv_map texts = {0}, corrections = {0};
    learn_entities(a, document, &texts);
    learn_corrections(a, document, &corrections);
    learn_responses(a, document, &texts);
    cv_rec_entity *entities = rows->items[CV_REC_ENTITY];
    cv_rec_response *responses = rows->items[CV_REC_RESPONSE];
    for (size_t i = 0; i < rows->counts[CV_REC_ENTITY]; i++) {
        if (cv_place_of_entity(&entities[i]) == CV_NO_PLACE)
            continue;
        cv_str id = cv_entity_id(a, &entities[i]);
        const uintptr_t *corrected = cv_map_get(&corrections, id);
        put_back(&texts, id, &entities[i].content);
        if (corrected && !entities[i].correction.p)
            entities[i].correction = cv_json_get_json(a, (const cv_json *)*corrected, "correction");
    }
    for (size_t i = 0; i < rows->counts[CV_REC_RESPONSE]; i++)
        put_back(&texts, cv_turn_key(a, responses[i].round, responses[i].expert_slug), &responses[i].content);
}

static cv_str shown(cv_arena *a, const cv_json *value)
{
    cv_buf text = {0};
    if (!value)
        return CV_STR("nothing");
    cv_json_value(&(cv_json_writer){.out = &text}, value);
    return cv_excerpt(a, cv_buf_take(&text, a));
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool is_sound_id(cv_arena *a, cv_str id)
{
    return id.n > 0 && id.n <= CV_MAX_DIALOGUE_ID && cv_str_eq(id, cv_slug_of_title(a, id));
}

/* The row of the dialogue and the events about it carry its id. */
static bool is_of_this_dialogue(const cv_import_changes *rows, cv_str id)
{
    const cv_rec_event *events = rows->items[CV_REC_EVENT];
    const cv_rec_dialogue *dialogue = rows->items[CV_REC_DIALOGUE];
    for (size_t i = 0; i < rows->counts[CV_REC_EVENT]; i++)
        if (cv_str_eq(events[i].subject_type, CV_STR("D")) && !cv_str_eq(events[i].subject_id, id))
            return false;
    return cv_str_eq(dialogue->id, id);
}

static bool read_document(cv_arena *a, const cv_json *document, cv_put_dialogue *ret, cv_errs *errs)
{
    const cv_json *record = cv_json_get(document, CV_STR("record")), *rows = cv_json_get(record, CV_STR("rows"));
    const cv_json *format = cv_json_get(document, format_key);
    size_t before = errs->count;
    *ret = (cv_put_dialogue){.dialogue_id = cv_json_get_text(document, "id"), .rev = cv_json_get_int(record, "rev", 0)};
    if (!rows) {
        cv_err *err = cv_errs_add(errs, a, CV_ERR_MISSING_FIELD, "the export does not carry its record");
        cv_err_field(err, CV_STR("record.rows"));
        cv_err_suggest(err, CV_STR("export the dialogue again without 'plain'"));
        return false;
    }
    if (format && (format->type != CV_JSON_STRING || !cv_str_eq(format->text, cv_export_format))) {
        cv_err *err = cv_errs_add(errs, a, CV_ERR_INVALID_VALUE, "this version reads '%.*s' only, the export is '%.*s'",
                                  CV_FMT(cv_export_format), CV_FMT(shown(a, format)));
        cv_err_field(err, format_key);
        cv_err_suggest(err, CV_STR("import it with the version of conclave that made it, or a later one"));
        return false;
    }
    if (!is_sound_id(a, ret->dialogue_id))
        cv_err_field(cv_errs_add(errs, a, CV_ERR_INVALID_VALUE, "this cannot be the id of a dialogue"), CV_STR("id"));
    if (ret->rev < 1)
        cv_err_field(cv_errs_add(errs, a, CV_ERR_INVALID_VALUE, "must be a whole number above 0"),
                     CV_STR("record.rev"));
    if (!cv_rows_read(a, rows, &ret->rows, errs) || errs->count > before)
        return false;
    if (!is_of_this_dialogue(&ret->rows, ret->dialogue_id)) {
        cv_err_field(cv_errs_add(errs, a, CV_ERR_VERIFY, "the events are those of another dialogue"), CV_STR("id"));
        return false;
    }
    const cv_rec_dialogue *row = ret->rows.items[CV_REC_DIALOGUE];
    ret->title = row->title;
    ret->created_at = row->created_at;
    put_texts_back(a, document, &ret->rows);
    return true;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The head of the chain: the hash of the last event. */
static cv_str head_of(const cv_import_changes *rows)
{
    const cv_rec_event *events = rows->items[CV_REC_EVENT];
    size_t count = rows->counts[CV_REC_EVENT];
    return count ? events[count - 1].hash : CV_STR("");
}

/* The rows, and the mark that they came from an export: its author does not decide where this project writes. */
static bool write_rows(const cv_call *call, cv_arena *a, cv_record *record, cv_str text, const cv_put_dialogue *r,
                       cv_err *err)
{
    char now[CV_TIME_LEN + 1];
    cv_rows items[CV_ROWS_COUNT + 1];
    if (!cv_time_print(call->clock.now_ms(call->clock.ctx), now))
        return cv_clock_fail(err);
    const cv_rec_imported mark = {.digest = cv_hash_text(a, text), .created_at = {now, CV_TIME_LEN}};
    for (int kind = 0; kind < CV_ROWS_COUNT; kind++)
        items[kind] = (cv_rows){cv_rows_type(kind), r->rows.items[kind], r->rows.counts[kind]};
    items[CV_ROWS_COUNT] = (cv_rows){&cv_rec_imported_type, &mark, 1};
    const cv_scope_rows rows = {
        .scope = cv_dialogue_scope(r->dialogue_id),
        .at = {.rev = r->rev, .head = head_of(&r->rows), .event_count = (int64_t)r->rows.counts[CV_REC_EVENT]},
        .items = items,
        .count = CV_COUNT(items)};
    return cv_scope_restore(record, a, &rows, false, err) == CV_WRITE_DONE;
}

/* ---- does it agree with itself? ---------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *arena;
    cv_errs *errs;
    size_t count;
} differing;

static void differ(differing *d, cv_str at, const cv_json *says, const cv_json *derives)
{
    if (d->count++ >= MOST_DIFFERENCES)
        return;
    cv_str x = shown(d->arena, says), y = shown(d->arena, derives);
    cv_err *err = cv_errs_add(d->errs, d->arena, CV_ERR_VERIFY, "the document says %.*s, its own record %.*s",
                              CV_FMT(x), CV_FMT(y));
    cv_err_field(err, at);
    cv_err_suggest(err, CV_STR("the file was changed after the export: export the dialogue again"));
}

static void compare(differing *d, cv_str at, const cv_json *says, const cv_json *derives);

static void compare_members(differing *d, cv_str at, const cv_json *says, const cv_json *derives)
{
    for (uint32_t i = 0; i < derives->count; i++) {
        cv_str key = derives->members[i].key;
        cv_str below = cv_arena_printf(d->arena, "%.*s%s%.*s", CV_FMT(at), at.n ? "." : "", CV_FMT(key));
        const cv_json *other = cv_json_get(says, key);
        if (other)
            compare(d, below, other, &derives->members[i].value);
        else if (at.n || !cv_str_eq(key, format_key)) /* exports of earlier versions do not name their format */
            differ(d, below, NULL, &derives->members[i].value);
    }
    for (uint32_t i = 0; i < says->count; i++)
        if (!cv_json_get(derives, says->members[i].key))
            differ(d,
                   cv_arena_printf(d->arena, "%.*s%s%.*s", CV_FMT(at), at.n ? "." : "", CV_FMT(says->members[i].key)),
                   &says->members[i].value, NULL);
}

static void compare(differing *d, cv_str at, const cv_json *says, const cv_json *derives)
{
    if (says->type != derives->type ||
        (says->type == CV_JSON_ARRAY ? says->count != derives->count
                                     : says->type != CV_JSON_OBJECT && !cv_str_eq(says->text, derives->text))) {
        differ(d, at, says, derives);
        return;
    }
    if (says->type == CV_JSON_OBJECT)
        compare_members(d, at, says, derives);
    for (uint32_t i = 0; says->type == CV_JSON_ARRAY && i < says->count; i++)
        compare(d, cv_arena_printf(d->arena, "%.*s[%u]", CV_FMT(at), (unsigned)i), &says->items[i], &derives->items[i]);
}

static void keep_errs(cv_arena *a, const cv_errs *from, cv_errs *to)
{
    for (size_t i = 0; i < from->count; i++)
        cv_errs_keep(to, a, &from->items[i]);
}

static cv_str request_for(cv_arena *a, cv_str id)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", id);
    cv_json_key_str(&w, "output_path", CV_STR("-"));
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

/* As `conclave verify` asks. */
static bool verify(cv_arena *a, cv_record *scratch, cv_str id, cv_errs *errs)
{
    cv_scope_position position;
    cv_err err = {.arena = a};
    if (scratch->calls->check(scratch, a, &err) &&
        cv_scopes_verify(scratch, a, cv_dialogue_scope(id), &position, &err) &&
        scratch->calls->search_check(scratch, a, &err))
        return true;
    cv_errs_keep(errs, a, &err);
    return false;
}

static bool agrees(const cv_call *call, cv_arena *a, cv_record *scratch, cv_str text, const cv_json *document,
                   const cv_put_dialogue *r, cv_errs *errs)
{
    cv_reply exported;
    differing d = {a, errs, 0};
    bool verified = verify(a, scratch, r->dialogue_id, errs);
    cv_invoke_handler(call, a, scratch, CV_ABSENT, cv_dialogue_export, request_for(a, r->dialogue_id), &exported);
    keep_errs(a, &exported.errs, errs);
    if (exported.done && !cv_str_eq(cv_str_trim(text), cv_str_trim(exported.text)))
        compare(&d, (cv_str){NULL, 0}, document, &exported.json);
    return verified && exported.done && d.count == 0;
}

/* Tries it where nothing can be harmed. */
static bool check(const cv_call *call, cv_arena *a, cv_str text, const cv_json *document, const cv_put_dialogue *r,
                  cv_errs *errs)
{
    cv_record *scratch = NULL;
    cv_err err = {.arena = a};
    bool ok = call->record->calls->scratch(call->record, a, true, &scratch, &err) &&
              write_rows(call, a, scratch, text, r, &err);
    if (ok)
        ok = agrees(call, a, scratch, text, document, r, errs);
    else
        cv_errs_keep(errs, a, &err);
    cv_record_close(scratch);
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static cv_put_result taken(cv_arena *a, const cv_put_dialogue *r, const cv_position *position, cv_errs *errs)
{
    if (cv_str_eq(position->head, head_of(&r->rows)) && position->rev == r->rev)
        return CV_PUT_THERE;
    cv_err *err = cv_errs_add(errs, a, CV_ERR_REV_CONFLICT,
                              "the record has a dialogue '%.*s' already, at rev %lld; the document's is at rev %lld",
                              CV_FMT(r->dialogue_id), (long long)position->rev, (long long)r->rev);
    cv_err_field(err, CV_STR("id"));
    cv_err_suggest(err, CV_STR("import it into another project"));
    return CV_PUT_CONFLICT;
}

cv_put_result cv_put_export(const cv_call *call, cv_arena *a, cv_str text, const cv_json *document,
                            cv_put_dialogue *ret_dialogue, cv_errs *errs)
{
    cv_err err = {.arena = a};
    cv_position position;
    bool found = false;
    if (!read_document(a, document, ret_dialogue, errs) || !check(call, a, text, document, ret_dialogue, errs))
        return CV_PUT_REFUSED;
    if (!cv_position_of(call->record, a, ret_dialogue->dialogue_id, &position, &found, &err) ||
        (!found && !write_rows(call, a, call->record, text, ret_dialogue, &err))) {
        cv_errs_keep(errs, a, &err);
        return err.code == CV_ERR_REV_CONFLICT ? CV_PUT_CONFLICT : CV_PUT_REFUSED;
    }
    return found ? taken(a, ret_dialogue, &position, errs) : CV_PUT_DONE;
}
