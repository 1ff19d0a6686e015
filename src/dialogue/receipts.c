/* receipts.c - where in an expert's response an entity came from; see batch.h.
 *
 * A receipt is the SHA-256 of the response and the bytes of the mark with its text. Marks with a local id say whose
 * they are; the short ids of the classic style ([PERSPECTIVE P01: …]) are taken as those of the response's expert and
 * round.
 */
#include "base/limits.h"
#include "dialogue/batch.h"
#include "record/chain.h"
#include "text/doc.h"

typedef struct {
    cv_str sha256;
    size_t start, end;
} receipt;

typedef struct {
    cv_batch *batch;
    cv_map receipts; /* local id -> receipt * */
    cv_map heard;    /* experts with a response */
} finding;

/* The local id that a mark in this expert's response stands for; empty: none. */
static cv_str local_id_of(const finding *f, const cv_mark *mark, cv_str expert)
{
    cv_id id;
    if (mark->type >= (cv_mark_type)CV_KIND_COUNT || !cv_id_parse(mark->id, &id))
        return (cv_str){NULL, 0};
    if (id.form == CV_ID_SHORT && id.suffix.n == 0 && id.number > 0 && id.number <= CV_MAX_SEQ)
        id = (cv_id){CV_ID_LOCAL, id.kind, (int)f->batch->round, id.number, expert, {NULL, 0}};
    return id.form == CV_ID_LOCAL ? cv_id_print(f->batch->call->arena, &id) : (cv_str){NULL, 0};
}

static void read_response(finding *f, cv_str expert, cv_str text, cv_str sha256)
{
    cv_arena *a = f->batch->call->arena;
    cv_doc doc;
    if (!text.p)
        return; /* the expert said that there is nothing to say */
    cv_map_put(&f->heard, a, expert, NULL);
    cv_doc_parse(a, text, &doc, NULL);
    cv_marks marks = cv_doc_marks(a, &doc);
    for (size_t i = 0; i < marks.count; i++) {
        const cv_mark *mark = &marks.items[i];
        cv_str local_id = local_id_of(f, mark, expert);
        bool is_new;
        if (local_id.n == 0)
            continue;
        uintptr_t *place = cv_map_put(&f->receipts, a, local_id, &is_new);
        if (!is_new)
            continue; /* the first one made it, later ones speak of it */
        receipt *found = CV_NEW(a, receipt);
        *found = (receipt){sha256, mark->start, mark->body_end > mark->end ? mark->body_end : mark->end};
        *place = (uintptr_t)found;
    }
}

static void read_responses(finding *f)
{
    cv_batch *b = f->batch;
    for (size_t i = 0; i < b->responses.count; i++) {
        const cv_draft_response *response = &b->responses.items[i];
        read_response(f, response->expert, response->content, cv_sha256(b->call->arena, response->content));
    }
    for (size_t i = 0; i < b->state->responses.count; i++) {
        const cv_rec_response *stored = &b->state->responses.items[i];
        if (stored->round == b->round && !cv_map_get(&f->heard, stored->expert_slug))
            read_response(f, stored->expert_slug, stored->content, stored->sha256);
    }
}

/* ---- what has no source ---------------------------------------------------------------------- */

typedef struct {
    cv_str expert;
    cv_str *items;
    size_t count, capacity;
} unsourced;

static void add_unsourced(cv_arena *a, cv_map *at, unsourced **lists, size_t *count, const cv_rec_origin *origin)
{
    bool is_new;
    uintptr_t *place = cv_map_put(at, a, origin->expert_slug, &is_new);
    if (is_new) {
        (*lists)[*count] = (unsourced){.expert = origin->expert_slug};
        *place = (*count)++;
    }
    *CV_PUSH(a, &(*lists)[*place]) = origin->local_id;
}

static void warn_unsourced(finding *f, const unsourced *list)
{
    cv_batch *b = f->batch;
    bool heard = cv_map_get(&f->heard, list->expert) != NULL;
    cv_notice *warning = cv_notice_add(&b->warnings, b->call->arena, CV_STR("unsourced"),
                                       heard ? "%.*s, round %lld: items that do not stand in the response: %zu"
                                             : "%.*s, round %lld: there is no response; items without a source: %zu",
                                       CV_FMT(list->expert), (long long)b->round, list->count);
    warning->expert = list->expert;
    warning->ids = cv_json_texts(b->call->arena, list->items, list->count);
}

void cv_receipts_find(cv_batch *b, cv_rec_origin *origins, size_t count)
{
    finding f = {.batch = b};
    read_responses(&f);
    cv_arena *a = b->call->arena;
    unsourced *lists = CV_NEW_ARRAY(a, b->state->experts.count + 1, unsourced);
    size_t list_count = 0;
    cv_map list_at = {0};
    for (size_t i = 0; i < count; i++) {
        const uintptr_t *place = cv_map_get(&f.receipts, origins[i].local_id);
        const receipt *found = place ? (const receipt *)*place : NULL;
        if (found) {
            origins[i].response_sha256 = found->sha256;
            origins[i].range_start = (int64_t)found->start;
            origins[i].range_end = (int64_t)found->end;
        } else if (!cv_str_eq(origins[i].expert_slug, cv_judge_slug)) { /* the judge writes no response */
            add_unsourced(a, &list_at, &lists, &list_count, &origins[i]);
        }
    }
    for (size_t i = 0; i < list_count; i++)
        warn_unsourced(&f, &lists[i]);
}
