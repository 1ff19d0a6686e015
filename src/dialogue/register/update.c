/* update.c - correcting what is registered: statuses, labels, contents, scores, summaries.
 *
 * Each correction is an event that keeps the old value in its data; a status change is the judge's act, as in a round.
 * Ids never change, and verdicts and responses cannot be corrected.
 */
#include "dialogue/dynamics.h"
#include "dialogue/faults.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/register/corrections.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

static cv_spot spot(cv_update *u, const char *item_type, const char *list, size_t index)
{
    cv_spot at = {.call = u->ids.call, .item_type = cv_str_of(item_type), .field = cv_str_of(list)};
    return cv_spot_at(&at, index);
}

static cv_spot member_of(const cv_spot *at, const char *member)
{
    return cv_spot_in(at, cv_str_of(member));
}

/* ---- parse ----------------------------------------------------------------------------------- */

static const cv_json *list_of(const cv_update *u, const char *key)
{
    static const cv_json none = {.type = CV_JSON_ARRAY};
    const cv_json *list = cv_json_get(u->ids.call->input, cv_str_of(key));
    return list && list->type == CV_JSON_ARRAY ? list : &none;
}

static cv_edit read_edit(cv_update *u, const cv_json *value)
{
    cv_arena *a = u->ids.call->arena;
    const cv_json *by = cv_json_get(value, CV_STR("by"));
    cv_edit edit = {.target.text = cv_json_get_text(value, "id"),
                    .via.text = cv_json_get_text(value, "via"),
                    .status_word = cv_json_get_text(value, "status"),
                    .label = cv_str_trim(cv_json_get_text(value, "label")),
                    .content = cv_json_get_text(value, "content"),
                    .reason = cv_json_get_text(value, "reason"),
                    .status = -1};
    if (!edit.content.p)
        edit.content = cv_json_get_text(value, "description");
    edit.by = by && by->type != CV_JSON_NULL ? cv_people_read(a, by) : cv_judge_alone;
    cv_target_resolve(&u->ids, &edit.target);
    cv_target_resolve(&u->ids, &edit.via);
    if (edit.target.subject)
        edit.status = cv_status_find(edit.target.subject->kind, edit.status_word);
    return edit;
}

static void parse(cv_update *u)
{
    cv_arena *a = u->ids.call->arena;
    const cv_json *edits = list_of(u, "updates"), *scores = list_of(u, "scores"), *texts = list_of(u, "summaries");
    for (size_t i = 0; i < edits->count; i++)
        *CV_PUSH(a, &u->edits) = read_edit(u, &edits->items[i]);
    for (size_t i = 0; i < scores->count; i++) {
        const cv_json *value = &scores->items[i];
        *CV_PUSH(a, &u->scores) =
            (cv_score_edit){.round = cv_json_get_int(value, "round", -1),
                            .expert = cv_arena_lower(a, cv_json_get_text(value, "expert")),
                            .score = cv_json_get_int(value, "score", 0),
                            .components = cv_components_read(a, cv_json_get(value, CV_STR("score_components"))),
                            .reason = cv_json_get_text(value, "reason")};
    }
    for (size_t i = 0; i < texts->count; i++) {
        const cv_json *value = &texts->items[i];
        *CV_PUSH(a, &u->texts) = (cv_text_edit){cv_json_get_int(value, "round", -1), cv_json_get_text(value, "title"),
                                                cv_json_get_text(value, "summary"), cv_json_get_text(value, "reason")};
    }
}

/* ---- check ----------------------------------------------------------------------------------- */

static void check_filled(const cv_spot *at, const char *member, cv_str text)
{
    cv_spot in = member_of(at, member);
    if (text.p && cv_str_trim(text).n == 0)
        cv_fault_missing(&in);
}

static void check_target(const cv_spot *at, const cv_state *s, const char *member, const cv_target *target, bool entity)
{
    cv_spot in = member_of(at, member);
    char letter;
    if (target->text.n == 0 || target->subject || (target->letter && !entity))
        return;
    if (cv_id_bad_letter(target->text, &letter))
        cv_fault_letter(&in, CV_STR("target"), letter);
    else
        cv_fault_not_found(&in, s, target->text);
}

static void check_status(cv_update *u, const cv_spot *at, const cv_edit *edit)
{
    cv_subject *subject = edit->target.subject;
    cv_spot in = member_of(at, "status");
    if (!subject || !edit->status_word.p)
        return;
    cv_str *words = CV_NEW_ARRAY(u->ids.call->arena, CV_STATUS_COUNT, cv_str);
    size_t count = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (cv_statuses[status].kind == subject->kind)
            words[count++] = cv_statuses[status].word;
    if (edit->status < 0)
        cv_fault_word(&in, CV_ERR_INVALID_VALUE, CV_STR("status_enum"), CV_STR("status"), edit->status_word,
                      (cv_words){words, count});
    else if (cv_status_may_become(subject->planned, (cv_status)edit->status))
        subject->planned = (cv_status)edit->status;
    else
        cv_fault_transition(&in, subject->id, subject->planned, (cv_status)edit->status);
}

/* A decided dialogue keeps its statuses, and what is corrected in it must say why. */
static void check_decided(const cv_update *u, const cv_spot *at, cv_str status, cv_str reason)
{
    cv_spot word = member_of(at, "status"), why = member_of(at, "reason");
    if (!cv_state_is_closed(&u->state))
        return;
    if (status.p)
        cv_err_suggest(cv_fault(&word, CV_ERR_DIALOGUE_CLOSED, CV_STR("lifecycle"), status,
                                "the final verdict has been given: statuses no longer change"),
                       CV_STR("Begin a new dialogue, or register a minority or dissent verdict"));
    if (cv_str_trim(reason).n == 0)
        cv_fault_missing(&why);
}

static void check_edit(cv_update *u, const cv_edit *edit, size_t index)
{
    cv_spot at = spot(u, "update", "updates", index), id = member_of(&at, "id"), label = member_of(&at, "label");
    if (edit->target.text.n == 0)
        cv_fault_missing(&id);
    check_target(&at, &u->state, "id", &edit->target, true);
    check_target(&at, &u->state, "via", &edit->via, false);
    check_filled(&at, "label", edit->label);
    cv_fault_unless_line(&label, edit->label, CV_MAX_LABEL);
    check_filled(&at, "content", edit->content);
    if (!cv_state_is_closed(&u->state))
        check_status(u, &at, edit);
    check_decided(u, &at, edit->status_word, edit->reason);
    for (size_t i = 0; i < edit->by.count; i++) {
        cv_spot list = member_of(&at, "by"), in = cv_spot_at(&list, i);
        if (!cv_str_eq(edit->by.items[i], cv_judge_slug) && !cv_state_expert(&u->state, edit->by.items[i]))
            cv_fault_expert(&in, &u->state, edit->by.items[i]);
    }
    if (!edit->status_word.p && !edit->label.p && !edit->content.p)
        cv_err_suggest(cv_fault(&at, CV_ERR_MISSING_FIELD, CV_STR("required"), edit->target.text,
                                "%.*s changes nothing", CV_FMT(at.field)),
                       CV_STR("Give a status, a label or a content"));
}

static void check_round(cv_update *u, const cv_spot *at, int64_t round)
{
    cv_spot in = member_of(at, "round");
    if (!cv_state_round(&u->state, round))
        cv_err_suggest(cv_fault(&in, CV_ERR_INVALID_VALUE, CV_STR("referential"),
                                cv_arena_printf(u->ids.call->arena, "%lld", (long long)round),
                                "round %lld is not registered", (long long)round),
                       CV_STR("Only registered rounds can be corrected"));
}

static bool check(cv_update *u)
{
    cv_spot whole = {.call = u->ids.call, .item_type = CV_STR("update"), .field = CV_STR("updates")};
    for (size_t i = 0; i < u->edits.count; i++)
        check_edit(u, &u->edits.items[i], i);
    for (size_t i = 0; i < u->scores.count; i++) {
        cv_spot at = spot(u, "score", "scores", i), expert = member_of(&at, "expert");
        check_round(u, &at, u->scores.items[i].round);
        check_decided(u, &at, (cv_str){NULL, 0}, u->scores.items[i].reason);
        if (u->scores.items[i].expert.p && !cv_state_expert(&u->state, u->scores.items[i].expert))
            cv_fault_expert(&expert, &u->state, u->scores.items[i].expert);
    }
    for (size_t i = 0; i < u->texts.count; i++) {
        cv_spot at = spot(u, "summary", "summaries", i), title = member_of(&at, "title");
        check_round(u, &at, u->texts.items[i].round);
        check_decided(u, &at, (cv_str){NULL, 0}, u->texts.items[i].reason);
        check_filled(&at, "title", u->texts.items[i].title);
        cv_fault_unless_line(&title, u->texts.items[i].title, CV_MAX_TITLE);
        check_filled(&at, "summary", u->texts.items[i].summary);
    }
    if (u->edits.count + u->scores.count + u->texts.count == 0)
        cv_fault_missing(&whole);
    return u->ids.call->errs->count == 0;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool load(cv_update *u)
{
    cv_call *call = u->ids.call;
    cv_err err = {.arena = call->arena};
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(ROUND) | CV_REC_BIT(SCORE) |
                                 CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN)};
    cv_state *s = &u->state;
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, s, &err))
        return cv_call_fail(call, &err);
    u->ids.state = s;
    u->ids.subjects = (cv_subjects){.arena = call->arena, .state = s};
    u->dialogue = s->dialogue;
    u->rounds = cv_arena_dup(call->arena, s->rounds.items, s->rounds.count * sizeof *s->rounds.items);
    u->experts = cv_arena_dup(call->arena, s->experts.items, s->experts.count * sizeof *s->experts.items);
    for (size_t i = 0; i < s->scores.count; i++)
        *cv_update_score(u, s->scores.items[i].round, s->scores.items[i].expert_slug) = s->scores.items[i];
    return cv_journal_open(call, s, true);
}

#define CV_THIS_TYPE cv_update
const cv_shape cv_update_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", state.id, ""),
    CV_TEXTS("updated", updated.items, updated.count, "ids of the entities"),
    CV_SPREAD(changes, cv_changes_shape),
    CV_NUMBER(ALWAYS, "corrections", corrections, 1, CV_NO_LIMIT, ""),
    CV_WARNINGS(warnings, CV_TO_BE_KNOWN),
    CV_WRITTEN("dialogue"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static cv_str answer(cv_update *u)
{
    cv_arena *a = u->ids.call->arena;
    const cv_subjects *subjects = &u->ids.subjects;
    for (size_t i = 0; i < subjects->all.count; i++)
        if (subjects->all.items[i]->written || subjects->all.items[i]->ruled)
            *CV_PUSH(a, &u->updated) = subjects->all.items[i]->id;
    u->changes = cv_subjects_changes(subjects);
    u->corrections = u->edits.count + u->scores.count + u->texts.count;
    return cv_shape_text(a, cv_update_shape, u);
}

static bool work(cv_call *call, cv_outcome *outcome)
{
    cv_update *u = CV_NEW(call->arena, cv_update);
    cv_journal journal;
    u->ids.call = call;
    if (!load(u))
        return false;
    parse(u);
    if (!check(u))
        return false;
    cv_journal_begin(&journal, call, &u->state);
    cv_update_enter(u, &journal);
    return cv_journal_commit(&journal, answer(u), outcome);
}

bool cv_dialogue_update(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue update"), work);
}
