/* draft.c - the responses of a round as a request to round-register, for the judge to edit; see extract.h.
 *
 * The score is left out, never guessed. What cannot be registered, what may say the same, verdicts and who is silent
 * are in the notes. Nothing is written.
 */
#include "base/plain.h"
#include "dialogue/dynamics.h"
#include "dialogue/intake/diagnosis.h"
#include "dialogue/intake/duplicates.h"
#include "dialogue/intake/response_files.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/words/errors.h"

typedef struct {
    cv_call *call;
    cv_state state;
    int64_t round;
    cv_attendance attendance;
    cv_extract extract;
    cv_duplicate_groups duplicates;
    cv_diagnostics unread, all;
    cv_extract judge; /* of the summary of the last round that is registered, up to this one */
    cv_notices warnings;
    cv_str obstacle; /* why it cannot be registered; empty: it can */
} draft;

static bool load(cv_call *call, draft *d)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                                 CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(VERDICT)};
    cv_err err = {.arena = call->arena};
    *d = (draft){.call = call};
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &d->state, &err))
        return cv_call_fail(call, &err);
    return cv_attendance_round(call, &d->state, &d->round);
}

static bool is_empty(const cv_extract *h)
{
    return h->entities.count + h->links.count + h->moves.count + h->updates.count + h->positions.count == 0;
}

/* Why the draft cannot be registered as it is; empty: it can. */
static cv_str find_obstacle(const draft *d)
{
    size_t responses = 0;
    for (size_t i = 0; i < d->attendance.count; i++)
        responses += d->attendance.items[i].response != NULL;
    if (cv_state_is_closed(&d->state) || cv_state_is_abandoned(&d->state))
        return CV_STR("the dialogue is closed: no more rounds can be registered");
    if (!is_empty(&d->extract))
        return CV_STR("");
    return cv_arena_printf(d->call->arena,
                           responses ? "the responses of round %lld say nothing that could be registered"
                                     : "round %lld has no response yet",
                           (long long)d->round);
}

static void compose(draft *d)
{
    cv_arena *a = d->call->arena;
    cv_attendance_of(a, &d->state, d->round, &d->attendance);
    cv_attendance_extract(a, &d->state, d->round, &d->attendance, &d->extract);
    cv_duplicates_find(a, &d->extract, &d->duplicates);
    for (size_t i = 0; i < d->extract.response_count; i++) {
        cv_diagnose_unread(a, &d->extract, i, &d->unread);
        cv_diagnose(a, &d->extract, i, &d->all);
    }
    cv_diagnostics_warn(a, &d->extract, &d->all, &d->warnings);
    cv_attendance_warn(a, &d->attendance, d->round, &d->warnings);
    cv_response_files_warn(d->call, &d->state, d->round, &d->attendance, false, &d->warnings);
    if (d->round < cv_state_next_round(&d->state))
        cv_notice_add(&d->warnings, a, CV_STR("round_registered"), "round %lld is registered already",
                      (long long)d->round);
    d->obstacle = find_obstacle(d);
    if (d->obstacle.n && d->round >= cv_state_next_round(&d->state))
        cv_notice_add(&d->warnings, a, CV_STR("nothing_to_register"), "%.*s", CV_FMT(d->obstacle));
}

/* Verdicts that the judge's own summary proposes and the record does not have. */
static void hear_judge(draft *d)
{
    const cv_rec_round *last = NULL;
    for (size_t i = 0; i < d->state.rounds.count; i++)
        if (d->state.rounds.items[i].round <= d->round)
            last = &d->state.rounds.items[i];
    if (last && last->summary.n)
        cv_extract_files(d->call->arena, &d->state, last->round, &(cv_response_text){cv_judge_slug, last->summary}, 1,
                         NULL, &d->judge);
}

static void print_proposals(const draft *d, const cv_extract *h, cv_json_writer *w)
{
    for (size_t i = 0; i < h->proposals.count; i++)
        if (!cv_state_verdict(&d->state, h->proposals.items[i].verdict_id))
            cv_extracted_verdict_print(h, &h->proposals.items[i], w);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void print_who(const draft *d, const char *key, bool said_nothing, cv_json_writer *w)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = 0; i < d->attendance.count; i++) {
        const cv_attendee *who = &d->attendance.items[i];
        if (said_nothing ? who->response && !cv_response_speaks(who->response) : !who->response)
            cv_json_str(w, who->expert);
    }
    cv_json_end_array(w);
}

static void print_notes(const draft *d, cv_json_writer *w)
{
    const cv_extract *h = &d->extract;
    const cv_diagnostics *unread = &d->unread;
    cv_json_begin_object(w);
    print_who(d, "silent", false, w);
    print_who(d, "no_contribution", true, w);
    cv_json_key(w, CV_STR("marks"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->notes.count; i++)
        cv_extracted_note_print(&h->notes.items[i], w);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("unread"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < unread->count; i++)
        cv_shape_write(w, cv_named_diagnostic_shape, &unread->items[i]);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("unmarked"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->response_count; i++) {
        cv_unmarked unmarked = cv_unmarked_of(d->call->arena, h, i);
        cv_shape_write(w, cv_named_unmarked_shape, &unmarked);
    }
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("merge_candidates"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < d->duplicates.count; i++)
        cv_duplicates_print(&d->duplicates.items[i], w);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("verdicts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->verdicts.count; i++)
        cv_extracted_verdict_print(h, &h->verdicts.items[i], w);
    print_proposals(d, h, w);
    print_proposals(d, &d->judge, w);
    cv_json_end_array(w);
    cv_json_end_object(w);
}

static void print_answer(const draft *d)
{
    cv_json_writer w = {.out = d->call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", d->state.id);
    cv_json_key_int(&w, "rev", d->state.position.rev);
    cv_json_key_int(&w, "round", d->round);
    cv_json_key(&w, CV_STR("notes"));
    print_notes(d, &w);
    cv_json_key(&w, CV_STR("payload"));
    cv_extract_print_payload(&d->extract, &w);
    cv_notices_answer(&d->warnings, &w);
    cv_json_end_object(&w);
}

/* ---- the payload alone ------------------------------------------------------------------------------------------- */

/* What the request does not say, for the person who edits it. */
static void tell_notes(const draft *d, cv_buf *out)
{
    const cv_extract *h = &d->extract;
    for (size_t i = 0; i < h->notes.count; i++) {
        const cv_extracted_note *note = &h->notes.items[i];
        cv_buf_printf(out, "note: %.*s, line %zu: ", CV_FMT(note->expert), note->line);
        cv_plain_add(out, note->message);
        cv_buf_add_char(out, '\n');
    }
    for (size_t i = 0; i < d->duplicates.count; i++) {
        const cv_duplicates *same = &d->duplicates.items[i];
        cv_buf_add_z(out, "note: these may say the same:");
        for (size_t k = 0; k < same->count; k++)
            cv_buf_printf(out, "%s %.*s", k ? "," : "", CV_FMT(same->items[k]->local_id));
        cv_buf_add_char(out, '\n');
    }
    for (size_t i = 0; i < h->verdicts.count; i++)
        cv_buf_printf(out, "note: %.*s gives a verdict, which verdict-register takes: %.*s\n",
                      CV_FMT(h->verdicts.items[i].expert), CV_FMT(h->verdicts.items[i].verdict_id));
    for (size_t i = 0; i < d->warnings.count; i++) {
        cv_buf_add_z(out, "note: ");
        cv_plain_add(out, d->warnings.items[i].message);
        cv_buf_add_char(out, '\n');
    }
}

/* A request that says nothing is a mistake of the caller. */
static bool refuse_empty(const draft *d)
{
    cv_call *call = d->call;
    cv_err err = {.arena = call->arena};
    cv_err_set(&err, CV_ERR_EMPTY_DRAFT, "%.*s", CV_FMT(d->obstacle));
    cv_err_suggest(&err,
                   cv_arena_printf(call->arena, "'%.*s' shows who is missing and what was not understood",
                                   CV_FMT(cv_call_name(call, CV_STR("dialogue round-verify"), d->state.id, NULL, 0))));
    return cv_call_fail(call, &err);
}

static bool print_payload(const draft *d)
{
    const cv_extract *h = &d->extract;
    cv_json_writer w = {.out = d->call->out, .indent = 2};
    if (d->round >= cv_state_next_round(&d->state) && !cv_journal_open(d->call, &d->state, false))
        return false;
    if (is_empty(h))
        return refuse_empty(d);
    cv_extract_print_payload(h, &w);
    d->call->verbatim = true;
    if (d->call->aside)
        tell_notes(d, d->call->aside);
    return true;
}

bool cv_dialogue_draft(cv_call *call)
{
    draft d;
    if (!load(call, &d))
        return false;
    compose(&d);
    hear_judge(&d);
    if (cv_json_get_true(call->input, "payload_only"))
        return print_payload(&d);
    print_answer(&d);
    return true;
}
