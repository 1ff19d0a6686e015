/* receipts.c - where in an expert's response an entity came from; see batch.h.
 *
 * A receipt is the SHA-256 of the response and the bytes of the mark with its text. Which mark of a response makes
 * which local id is told by intake/speech.h, for all styles of marks.
 */
#include "dialogue/intake/speech.h"
#include "dialogue/register/batch.h"
#include "dialogue/register/tally.h"
#include "record/chain.h"

typedef struct {
    cv_str sha256;
    size_t start, end;
} receipt;

typedef struct {
    cv_batch *batch;
    cv_map receipts; /* local id -> receipt * */
    cv_map heard;    /* experts with a response */
} finding;

static void read_response(finding *f, cv_str expert, cv_str text, cv_str sha256)
{
    cv_arena *a = f->batch->call->arena;
    cv_speech speech;
    if (!text.p)
        return; /* the expert said that there is nothing to say */
    cv_map_put(&f->heard, a, expert, NULL);
    cv_speech_read(a, f->batch->state, f->batch->round, expert, text, &speech);
    for (size_t i = 0; i < speech.count; i++) {
        const cv_said *said = &speech.items[i];
        if (!said->first)
            continue; /* the first one made it, later ones speak of it */
        size_t start = said->mark->start;
        receipt *found = CV_NEW(a, receipt);
        *found = (receipt){sha256, start, start + cv_said_text(&speech, said).n};
        *cv_map_put(&f->receipts, a, said->local_id, NULL) = (uintptr_t)found;
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

static void warn_unsourced(finding *f, const cv_tally_row *list)
{
    cv_batch *b = f->batch;
    bool heard = cv_map_get(&f->heard, list->expert) != NULL;
    cv_notice *warning = cv_notice_add(&b->warnings, b->call->arena, CV_STR("unsourced"),
                                       heard ? "%.*s, round %lld: items that do not stand in the response: %zu"
                                             : "%.*s, round %lld: there is no response; items without a source: %zu",
                                       CV_FMT(list->expert), (long long)b->round, list->ids.count);
    warning->expert = list->expert;
    warning->ids = cv_json_texts(b->call->arena, list->ids.items, list->ids.count);
}

void cv_receipts_find(cv_batch *b, cv_rec_origin *origins, size_t count)
{
    finding f = {.batch = b};
    read_responses(&f);
    cv_arena *a = b->call->arena;
    cv_tally unsourced = {0};
    for (size_t i = 0; i < count; i++) {
        const uintptr_t *place = cv_map_get(&f.receipts, origins[i].local_id);
        const receipt *found = place ? (const receipt *)*place : NULL;
        if (found) {
            origins[i].response_sha256 = found->sha256;
            origins[i].range_start = (int64_t)found->start;
            origins[i].range_end = (int64_t)found->end;
        } else if (!cv_str_eq(origins[i].expert_slug, cv_judge_slug)) { /* the judge writes no response */
            cv_tally_add(a, &unsourced, origins[i].expert_slug, origins[i].local_id);
        }
    }
    for (size_t i = 0; i < unsourced.rows.count; i++)
        warn_unsourced(&f, &unsourced.rows.items[i]);
}
