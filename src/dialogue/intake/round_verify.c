/* round_verify.c - is a round ready to be registered: who has responded, what will not be understood, which files were
 * never sent. Reads only. */
#include "dialogue/dynamics.h"
#include "dialogue/intake/diagnosis.h"
#include "dialogue/intake/response_files.h"
#include "dialogue/operations.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_str expert, state;
    bool seated;
    const cv_rec_response *spoken; /* NULL: nothing was said */
} told;

typedef struct {
    const cv_response_file *file;
    cv_str state, command;
} told_file;

typedef CV_STATE_LIST(cv_str) slugs;

typedef struct {
    cv_state state;
    int64_t round;
    bool registered, complete, abandoned;
    cv_attendance attendance;
    cv_extract extract; /* of all who have spoken */
    cv_response_files files;
    cv_notices warnings;
    CV_STATE_LIST(told) experts;
    slugs missing, no_contribution, without_seat;
    cv_diagnostics diagnostics;
    CV_STATE_LIST(cv_unmarked) unmarked;
    CV_STATE_LIST(told_file) told_files;
} check;

enum { RESPONDED, NO_CONTRIBUTION, MISSING };
static const cv_str state_words[] = {CV_STR_INIT("responded"), CV_STR_INIT("no_contribution"), CV_STR_INIT("missing")};
static const cv_words states = {state_words, CV_COUNT(state_words)};
_Static_assert(CV_COUNT(state_words) == MISSING + 1, "a word for each");

#define CV_THIS_TYPE told
static const cv_shape spoken_shape[] = {
    CV_NUMBER_OF(ALWAYS, "bytes", spoken, content.n, 0, CV_NO_LIMIT, ""),
    CV_FIELD_OF(ALWAYS, spoken, sha256, ""),
    {0},
};
static const cv_shape told_shape[] = {
    CV_FIELD(ALWAYS, expert, ""),
    CV_FIELD(ALWAYS, seated, ""),
    CV_WORD(ALWAYS, "state", state, &states, ""),
    CV_MAYBE(spoken, spoken_shape),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told_file
static const cv_shape file_shape[] = {
    CV_FIELD_OF(ALWAYS, file, expert, ""),
    CV_WORD(ALWAYS, "state", state, &cv_response_file_faults, ""),
    CV_FIELD_OF(ALWAYS, file, path, ""),
    CV_FIELD_OF(IF_ANY, file, message, ""),
    CV_BELOW(IF_ANY, command, "hands the file in"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE check
const cv_shape cv_round_verify_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", state.id, ""),
    CV_NUMBER(ALWAYS, "rev", state.position.rev, 1, CV_NO_LIMIT, ""),
    CV_NUMBER(ALWAYS, "round", round, 0, CV_MAX_ROUND, ""),
    CV_FIELD(ALWAYS, registered, ""),
    CV_FIELD(IF_ANY, abandoned, "nobody waits for this round any more: the dialogue was abandoned before it"),
    CV_FIELD(ALWAYS, complete, "all experts of the panel have responded or have nothing to say"),
    CV_LIST("experts", experts.items, experts.count, told_shape,
            "the panel in its order, then experts who responded without a seat"),
    CV_TEXTS("missing", missing.items, missing.count, ""),
    CV_TEXTS("no_contribution", no_contribution.items, no_contribution.count, ""),
    CV_TEXTS("without_seat", without_seat.items, without_seat.count, ""),
    CV_LIST("unmarked", unmarked.items, unmarked.count, cv_named_unmarked_shape, "text under no mark"),
    CV_LIST("diagnostics", diagnostics.items, diagnostics.count, cv_named_diagnostic_shape,
            "what is not understood, or not as it is written"),
    CV_LIST("files", told_files.items, told_files.count, file_shape, "response files that differ from the record"),
    CV_WARNINGS(warnings, ""),
    {0},
};
#undef CV_THIS_TYPE

/* Everybody on the panel has said something, or that there is nothing to say. */
static bool is_complete(const check *c)
{
    bool any = false;
    for (size_t i = 0; i < c->attendance.count; i++) {
        if (c->attendance.items[i].seated && !c->attendance.items[i].response)
            return false;
        any = any || c->attendance.items[i].seated;
    }
    return any;
}

static void look_at_files(cv_call *call, check *c)
{
    cv_err err = {.arena = call->arena};
    if (!cv_response_files_look(call, &c->state, c->round, &c->attendance, &c->files, &err))
        cv_notice_add(&c->warnings, call->arena, CV_STR("files_not_read"),
                      "the dialogue's folder was not checked: %.*s", CV_FMT(cv_err_text(&err)));
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void tell_expert(cv_arena *a, check *c, const cv_attendee *who)
{
    bool speaks = cv_response_speaks(who->response);
    int state = !who->response ? MISSING : speaks ? RESPONDED : NO_CONTRIBUTION;
    *CV_PUSH(a, &c->experts) = (told){who->expert, state_words[state], who->seated, speaks ? who->response : NULL};
    if (!who->seated)
        *CV_PUSH(a, &c->without_seat) = who->expert;
    else if (state == MISSING)
        *CV_PUSH(a, &c->missing) = who->expert;
    else if (state == NO_CONTRIBUTION)
        *CV_PUSH(a, &c->no_contribution) = who->expert;
}

static void complete(cv_arena *a, check *c)
{
    c->registered = c->round < cv_state_next_round(&c->state);
    c->complete = is_complete(c);
    c->abandoned = !c->registered && cv_state_is_abandoned(&c->state);
    for (size_t i = 0; i < c->attendance.count; i++)
        tell_expert(a, c, &c->attendance.items[i]);
    for (size_t i = 0; i < c->extract.response_count; i++) {
        *CV_PUSH(a, &c->unmarked) = cv_unmarked_of(a, &c->extract, i);
        cv_diagnose(a, &c->extract, i, &c->diagnostics);
    }
    cv_diagnostics_warn(a, &c->extract, &c->diagnostics, &c->warnings);
    for (size_t i = 0; i < c->files.count; i++) {
        const cv_response_file *file = &c->files.items[i];
        if (file->state != CV_RESPONSE_FILE_SAME)
            *CV_PUSH(a, &c->told_files) = (told_file){file, cv_response_file_words.items[file->state], file->command};
    }
}

/* After the final verdict nobody waits for the next round: if no round is named and nobody has responded in the next
 * one, the last one is meant. */
static void look_back(cv_call *call, check *c)
{
    bool answered = false;
    for (size_t i = 0; i < c->attendance.count; i++)
        answered |= c->attendance.items[i].response != NULL;
    if (answered || c->round == 0 || cv_json_get(call->input, CV_STR("round")) || !cv_state_is_closed(&c->state))
        return;
    c->round--;
    cv_attendance_of(call->arena, &c->state, c->round, &c->attendance);
}

bool cv_dialogue_round_verify(cv_call *call)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                                 CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(VERDICT)};
    cv_err err = {.arena = call->arena};
    check c = {0};
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &c.state, &err))
        return cv_call_fail(call, &err);
    if (!cv_attendance_round(call, &c.state, &c.round))
        return false;
    cv_attendance_of(call->arena, &c.state, c.round, &c.attendance);
    look_back(call, &c);
    cv_attendance_extract(call->arena, &c.state, c.round, &c.attendance, &c.extract);
    look_at_files(call, &c);
    cv_attendance_warn(call->arena, &c.attendance, c.round, &c.warnings);
    if ((c.attendance.count == 0 || !c.attendance.items[0].seated) && !cv_state_is_abandoned(&c.state))
        cv_notice_add(&c.warnings, call->arena, CV_STR("no_panel"),
                      "round %lld has no panel; '%.*s' names the command that seats one", (long long)c.round,
                      CV_FMT(cv_call_name(call, CV_STR("dialogue progress"), c.state.id, NULL, 0)));
    complete(call->arena, &c);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_round_verify_shape, &c);
    return true;
}
