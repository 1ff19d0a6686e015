/* receipts.c - where in an expert's response an entity came from; see batch.h.
 *
 * A receipt is the SHA-256 of the response and the bytes of the mark with its text. intake/parse.h says which mark of a
 * response makes which local id, for all styles of marks.
 */
#include "dialogue/register/tally.h"
#include "dialogue/register/wording.h"
#include "record/hash.h"

typedef struct {
    cv_batch *batch;
    CV_STATE_LIST(cv_response_text) texts;
    CV_STATE_LIST(cv_str) hashes; /* of what they say */
    cv_map responded;             /* experts with a response */
    cv_extract extract;
    cv_map sources; /* local id -> cv_receipt * */
} finding;

/* Without a text the expert said that there is nothing to say. */
static void add_voice(finding *f, cv_str expert, cv_str text, cv_str sha256)
{
    cv_arena *a = f->batch->call->arena;
    bool is_new;
    if (!text.p)
        return;
    cv_map_put(&f->responded, a, expert, &is_new);
    if (!is_new)
        return;
    *CV_PUSH(a, &f->texts) = (cv_response_text){expert, text};
    *CV_PUSH(a, &f->hashes) = sha256;
}

/* The first mark made an item, later ones speak of it. */
static void read_response(finding *f, const cv_parsed_response *response, cv_str sha256)
{
    cv_arena *a = f->batch->call->arena;
    for (size_t i = 0; i < response->count; i++) {
        if (!response->items[i].first)
            continue;
        cv_receipt *source = CV_NEW(a, cv_receipt);
        *source = (cv_receipt){sha256, response, &response->items[i]};
        *cv_map_put(&f->sources, a, source->item->local_id, NULL) = (uintptr_t)source;
    }
}

/* What the request brings along counts before what is stored. */
static void read_responses(finding *f)
{
    cv_batch *b = f->batch;
    cv_arena *a = b->call->arena;
    for (size_t i = 0; i < b->responses.count; i++) {
        const cv_draft_response *response = &b->responses.items[i];
        add_voice(f, response->expert, response->content, cv_hash_text(a, response->content));
    }
    for (size_t i = 0; i < b->state->responses.count; i++) {
        const cv_rec_response *stored = &b->state->responses.items[i];
        if (stored->round == b->round)
            add_voice(f, stored->expert_slug, stored->content, stored->sha256);
    }
    cv_extract_responses(a, b->state, b->round, f->texts.items, f->texts.count, &f->extract);
    for (size_t i = 0; i < f->extract.response_count; i++)
        read_response(f, &f->extract.responses[i], f->hashes.items[i]);
}

/* ---- what has no source ---------------------------------------------------------------------- */

static void warn_unsourced(finding *f, const cv_tally_row *list)
{
    cv_batch *b = f->batch;
    bool has_response = cv_map_get(&f->responded, list->expert) != NULL;
    cv_notice *warning =
        cv_notice_add(&b->warnings, b->call->arena, CV_STR("unsourced"),
                      has_response ? "%.*s, round %lld: items that are not in the response: %zu"
                                   : "%.*s, round %lld: there is no response; items without a source: %zu",
                      CV_FMT(list->expert), (long long)b->round, list->ids.count);
    cv_notice_expert(warning, list->expert);
    warning->ids = cv_json_texts(b->call->arena, list->ids.items, list->ids.count);
}

/* A request that says nothing of positions has those of the responses. */
static void add_positions(finding *f)
{
    cv_batch *b = f->batch;
    for (size_t i = 0; !b->positions_given && i < f->extract.positions.count; i++) {
        const cv_extracted_position *extracted = &f->extract.positions.items[i];
        *CV_PUSH(b->call->arena, &b->positions) = (cv_draft_position){extracted->expert, extracted->text};
    }
}

void cv_receipts_find(cv_batch *b, cv_rec_origin *origins, size_t count)
{
    finding f = {.batch = b};
    read_responses(&f);
    cv_arena *a = b->call->arena;
    cv_tally unsourced = {0};
    for (size_t i = 0; i < count; i++) {
        const uintptr_t *place = cv_map_get(&f.sources, origins[i].local_id);
        const cv_receipt *source = place ? (const cv_receipt *)*place : NULL;
        if (source) {
            const cv_mark *m = source->item->mark;
            const char *text = source->response->text.p;
            cv_str said =
                cv_str_trim_right(cv_str_range(text + m->start, text + (m->body_end > m->end ? m->body_end : m->end)));
            origins[i].response_sha256 = source->sha256;
            origins[i].range_start = (int64_t)m->start;
            origins[i].range_end = (int64_t)(m->start + said.n);
        } else if (!cv_str_eq(origins[i].expert_slug, cv_judge_slug)) { /* the judge writes no response */
            cv_tally_add(a, &unsourced, origins[i].expert_slug, origins[i].local_id);
        }
    }
    for (size_t i = 0; i < unsourced.rows.count; i++)
        warn_unsourced(&f, &unsourced.rows.items[i]);
    add_positions(&f);
    cv_map differing = {0};
    cv_agreement_warn(b, &f.sources, &differing);
    cv_wording_warn(b, &f.extract, &f.responded, &differing);
    cv_agreement_warn_left_out(b, &f.extract, &f.responded);
}
