/* verdict.c - a verdict into the record: what it adopts and closes, and the end of the dialogue when it is final.
 *
 * Verdicts never change: the same one again is the same answer, another one under the same id is refused. There is at
 * most one final verdict; minority and dissent verdicts may follow it. Interim and final ones are the judge's and
 * change what they list; minority and dissent are an expert's. A minority cannot adopt for the panel, so its lists are
 * kept and change nothing. Dissent is in the way of convergence (dynamics.h).
 */
#include "dialogue/dynamics.h"
#include "dialogue/faults.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/register/batch.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"
#include "record/hash.h"

typedef struct {
    cv_batch ids; /* no drafts: it resolves what the lists name */
    cv_state state;
    int type; /* a cv_verdict, or -1 */
    cv_people author, supporting;
    cv_target *lists[CV_LIST_COUNT];
    size_t counts[CV_LIST_COUNT];
    cv_rec_verdict row;
    cv_notices warnings;
    bool forced;
    /* as the write leaves it */
    cv_str dialogue_status;
    cv_changes changes;
    cv_convergence after;
} verdict;

static bool is_judges(const verdict *v)
{
    return v->type == CV_VERDICT_INTERIM || v->type == CV_VERDICT_FINAL;
}

static cv_spot spot(verdict *v, const char *field)
{
    return (cv_spot){.call = v->ids.call, .item_type = CV_STR("verdict"), .field = cv_str_of(field)};
}

/* ---- parse ----------------------------------------------------------------------------------- */

static cv_str read_list(verdict *v, cv_verdict_list which)
{
    cv_arena *a = v->ids.call->arena;
    const cv_json *list = cv_json_get(v->ids.call->input, cv_verdict_lists[which].word);
    if (!list || list->type != CV_JSON_ARRAY)
        return (cv_str){NULL, 0};
    cv_str *ids = CV_NEW_ARRAY(a, list->count, cv_str);
    cv_map seen = {0};
    size_t count = 0;
    v->lists[which] = CV_NEW_ARRAY(a, list->count, cv_target);
    v->counts[which] = list->count;
    for (size_t i = 0; i < list->count; i++) {
        cv_target *target = &v->lists[which][i];
        bool is_new;
        target->text = list->items[i].text;
        cv_target_resolve(&v->ids, target);
        cv_str id = target->id.n ? target->id : target->text;
        cv_map_put(&seen, a, id, &is_new);
        if (is_new)
            ids[count++] = id;
        else
            target->subject = NULL; /* named before */
    }
    return cv_json_texts(a, ids, count);
}

static cv_str word_or_text(cv_words words, int found, cv_str text)
{
    return found >= 0 ? words.items[found] : text;
}

static void parse(verdict *v)
{
    const cv_json *in = v->ids.call->input, *supporting = cv_json_get(in, CV_STR("supporting_experts"));
    cv_arena *a = v->ids.call->arena;
    cv_str type = cv_json_get_text(in, "verdict_type"), confidence = cv_json_get_text(in, "confidence");
    cv_str author = cv_arena_lower(a, cv_json_get_text(in, "author_expert"));
    int64_t last = cv_state_next_round(&v->state) - 1;
    if (cv_str_eq(author, cv_judge_slug))
        author = (cv_str){NULL, 0};
    v->type = cv_words_find(cv_verdict_words, type);
    v->author = author.p ? cv_people_of(a, &author, 1) : cv_judge_alone;
    v->supporting = cv_people_read(a, supporting);
    bool supported = supporting && supporting->type != CV_JSON_NULL;
    v->row = (cv_rec_verdict){
        .verdict_id = cv_json_get_text(in, "verdict_id"),
        .verdict_type = word_or_text(cv_verdict_words, v->type, type),
        .round = cv_json_get_int(in, "round", last > 0 ? last : 0),
        .author_expert = author,
        .recommendation = cv_json_get_text(in, "recommendation"),
        .description = cv_json_get_text(in, "description"),
        .conditions = cv_json_get_json(a, in, "conditions"),
        .vote = cv_json_get_text(in, "vote"),
        .confidence = word_or_text(cv_confidence_words, cv_words_find(cv_confidence_words, confidence), confidence),
        .tensions_resolved = read_list(v, CV_LIST_TENSIONS_RESOLVED),
        .tensions_accepted = read_list(v, CV_LIST_TENSIONS_ACCEPTED),
        .recommendations_adopted = read_list(v, CV_LIST_RECOMMENDATIONS_ADOPTED),
        .key_evidence = read_list(v, CV_LIST_KEY_EVIDENCE),
        .key_claims = read_list(v, CV_LIST_KEY_CLAIMS),
        .supporting_experts = supported ? v->supporting.json : (cv_str){NULL, 0},
        .ethos_compliance = cv_json_get_json(a, in, "ethos_compliance"),
        .warning = cv_json_get_text(in, "warning"),
    };
}

/* ---- is it there already, is there room for it ----------------------------------------------- */

/* The digest of what the caller said; place and time are the record's. */
static cv_str content_digest(cv_arena *a, cv_rec_verdict row)
{
    row.position = 0;
    row.created_at = (cv_str){NULL, 0};
    return cv_hash_one(a, &cv_rec_verdict_type, &row);
}

static bool exists(verdict *v, const cv_rec_verdict *stored, const char *why)
{
    cv_spot at = spot(v, cv_str_eq(stored->verdict_id, v->row.verdict_id) ? "verdict_id" : "verdict_type");
    cv_err_suggest(cv_fault(&at, CV_ERR_VERDICT_EXISTS, CV_STR("unique"), stored->verdict_id, "verdict '%.*s' %s",
                            CV_FMT(stored->verdict_id), why),
                   CV_STR("Verdicts never change; register another one under an id of its own, as minority or dissent "
                          "once there is a final one"));
    return false;
}

static bool has_room(verdict *v)
{
    for (size_t i = 0; v->type == CV_VERDICT_FINAL && i < v->state.verdicts.count; i++)
        if (cv_str_eq(v->state.verdicts.items[i].verdict_type, cv_verdict_words.items[CV_VERDICT_FINAL]))
            return exists(v, &v->state.verdicts.items[i], "is the final one already");
    return cv_journal_open(v->ids.call, &v->state, v->type < 0 || !is_judges(v)); /* an unknown type is another fault */
}

/* ---- check ----------------------------------------------------------------------------------- */

static void check_text(verdict *v, const char *field, cv_str text)
{
    cv_spot at = spot(v, field);
    if (cv_str_trim(text).n == 0)
        cv_fault_missing(&at);
}

static void check_words(verdict *v)
{
    cv_spot id = spot(v, "verdict_id"), type = spot(v, "verdict_type"), confidence = spot(v, "confidence");
    check_text(v, "verdict_id", v->row.verdict_id);
    if (v->row.verdict_id.n && !cv_slug_ok(v->row.verdict_id))
        cv_err_suggest(cv_fault(&id, CV_ERR_INVALID_VALUE, CV_STR("slug"), v->row.verdict_id,
                                "verdict_id '%.*s' is not a short name",
                                CV_FMT(cv_excerpt(v->ids.call->arena, v->row.verdict_id))),
                       CV_STR("Use up to 32 letters, digits and dashes, like final, V01 or minority-esg"));
    if (v->type < 0)
        cv_fault_word(&type, CV_ERR_INVALID_VALUE, CV_STR("verdict_enum"), CV_STR("verdict_type"), v->row.verdict_type,
                      cv_verdict_words);
    if (v->row.confidence.p && cv_words_find(cv_confidence_words, v->row.confidence) < 0)
        cv_fault_word(&confidence, CV_ERR_INVALID_VALUE, CV_STR("confidence_enum"), CV_STR("confidence"),
                      v->row.confidence, cv_confidence_words);
    check_text(v, "recommendation", v->row.recommendation);
    check_text(v, "description", v->row.description);
}

static void check_round(verdict *v)
{
    int64_t next = cv_state_next_round(&v->state);
    cv_spot at = spot(v, "round");
    if (v->row.round < 0 || v->row.round > next || v->row.round > CV_MAX_ROUND)
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("order"),
                                cv_arena_printf(v->ids.call->arena, "%lld", (long long)v->row.round),
                                "round %lld has not begun: the next one is %lld", (long long)v->row.round,
                                (long long)next),
                       CV_STR("Name the round in which the verdict was issued, or leave it out"));
}

static void check_people(verdict *v)
{
    cv_spot author = spot(v, "author_expert"), list = spot(v, "supporting_experts");
    if (v->row.author_expert.p && !cv_state_expert(&v->state, v->row.author_expert))
        cv_fault_expert(&author, &v->state, v->row.author_expert);
    if (v->row.author_expert.p && is_judges(v))
        cv_err_suggest(cv_fault(&author, CV_ERR_INVALID_VALUE, CV_STR("authority"), v->row.author_expert,
                                "a verdict of type '%.*s' is the judge's: '%.*s' cannot be its author",
                                CV_FMT(v->row.verdict_type), CV_FMT(v->row.author_expert)),
                       CV_STR("Leave author_expert out, or register it as minority or dissent"));
    if (!v->row.author_expert.p && v->type >= 0 && !is_judges(v))
        cv_err_suggest(cv_fault(&author, CV_ERR_MISSING_FIELD, CV_STR("required"), (cv_str){NULL, 0},
                                "a verdict of type '%.*s' is an expert's: author_expert is missing",
                                CV_FMT(v->row.verdict_type)),
                       CV_STR("Name the expert who wrote it, or the first of several"));
    for (size_t i = 0; i < v->supporting.count; i++) {
        cv_spot at = cv_spot_at(&list, i);
        if (!cv_state_expert(&v->state, v->supporting.items[i]))
            cv_fault_expert(&at, &v->state, v->supporting.items[i]);
    }
}

static void check_list(verdict *v, int which)
{
    cv_kind kind = cv_verdict_lists[which].kind;
    cv_spot list = spot(v, cv_verdict_lists[which].word.p);
    for (size_t i = 0; i < v->counts[which]; i++) {
        const cv_target *target = &v->lists[which][i];
        cv_spot at = cv_spot_at(&list, i);
        cv_id id;
        char letter;
        if (target->letter == cv_kinds[kind].letter)
            continue;
        if (cv_id_bad_letter(target->text, &letter))
            cv_fault_letter(&at, CV_STR("target"), letter);
        else if (target->letter || (cv_id_parse(target->text, &id) && id.form != CV_ID_EXPERT && id.kind != kind))
            cv_fault_kind(&at, CV_STR("target"), kind, target->text);
        else
            cv_fault_not_found(&at, &v->state, target->text);
    }
}

static bool check(verdict *v)
{
    check_words(v);
    check_round(v);
    check_people(v);
    for (int which = 0; which < CV_LIST_COUNT; which++)
        check_list(v, which);
    return v->ids.call->errs->count == 0;
}

/* ---- is the dialogue converged? -------------------------------------------------------------- */

/* As it will be: what the verdict itself resolves or accepts is closed, and a dissent counts. */
static void measure(verdict *v)
{
    cv_state after;
    cv_arena *a = v->ids.call->arena;
    cv_subjects_after(&v->ids.subjects, &after);
    after.verdicts.items = CV_NEW_ARRAY(a, after.verdicts.count + 1, cv_rec_verdict);
    if (after.verdicts.count)
        memcpy(after.verdicts.items, v->state.verdicts.items, after.verdicts.count * sizeof *after.verdicts.items);
    after.verdicts.items[after.verdicts.count++] = v->row;
    cv_convergence_of(a, &after, &v->after);
}

static void warn_open(verdict *v, const cv_convergence *c)
{
    cv_arena *a = v->ids.call->arena;
    for (size_t i = 0; i < c->open_count; i++)
        cv_notice_add(&v->warnings, a, CV_STR("unresolved_tension"), "%.*s is open at the final verdict",
                      CV_FMT(c->open[i]))
            ->id = c->open[i];
    for (size_t i = 0; i < c->missing_count; i++)
        cv_notice_expert(cv_notice_add(&v->warnings, a, CV_STR("missing_signal"), "%.*s has no MOVE:CONVERGE in force",
                                       CV_FMT(c->missing[i])),
                         c->missing[i]);
    for (size_t i = 0; i < c->dissenting_count; i++)
        cv_notice_expert(cv_notice_add(&v->warnings, a, CV_STR("dissent"), "%.*s dissents", CV_FMT(c->dissenting[i])),
                         c->dissenting[i]);
}

/* A calibrated dialogue says how its decision keeps to the rules. */
static void warn_ethos(verdict *v)
{
    if (v->type == CV_VERDICT_FINAL && v->state.dialogue.calibrated == 1 && !v->row.ethos_compliance.p)
        cv_notice_add(&v->warnings, v->ids.call->arena, CV_STR("no_ethos_compliance"),
                      "the dialogue is calibrated, and the final verdict does not say how it complies")
            ->field = CV_STR("ethos_compliance");
}

static cv_str text_of(cv_arena *a, const cv_convergence *c, cv_str open, cv_str missing)
{
    cv_buf text = {0};
    for (size_t i = 0; i < c->open_count; i++)
        cv_buf_printf(&text, "%s%.*s", i ? ", " : open.p, CV_FMT(c->open[i]));
    for (size_t i = 0; i < c->missing_count; i++)
        cv_buf_printf(&text, "%s%s%.*s", i == 0 && c->open_count ? "; " : "", i ? ", " : missing.p,
                      CV_FMT(c->missing[i]));
    for (size_t i = 0; i < c->dissenting_count; i++)
        cv_buf_printf(&text, "%s%.*s", i ? ", " : text.n ? "; dissent of " : "dissent of ", CV_FMT(c->dissenting[i]));
    return cv_buf_take(&text, a);
}

static bool blocked(verdict *v, const cv_convergence *c)
{
    cv_arena *a = v->ids.call->arena;
    cv_spot at = spot(v, "verdict_type");
    cv_str blockers = text_of(a, c, CV_STR("open tensions "), CV_STR("no MOVE:CONVERGE from "));
    cv_err *err = cv_fault(&at, CV_ERR_NOT_CONVERGED, CV_STR("convergence"), v->row.verdict_type,
                           "the dialogue is not converged (%d%%): %.*s", c->reached, CV_FMT(blockers));
    cv_convergence now = *c; /* the verdict is refused, and closes nothing */
    now.percentage = c->reached;
    now.converged = c->enough;
    now.before = CV_ABSENT;
    cv_err_context(err, cv_shape_text(a, cv_convergence_shape, &now));
    cv_err_suggest(err, CV_STR("Go on with another round, or give 'force': true and give the reason in 'warning'"));
    return false;
}

/* A dialogue in which nothing was said decides nothing. */
static bool nothing_said(verdict *v)
{
    cv_spot at = spot(v, "verdict_type");
    cv_err_suggest(
        cv_fault(&at, CV_ERR_NOT_CONVERGED, CV_STR("convergence"), v->row.verdict_type, "no round has been registered"),
        CV_STR("Register a round first, or give 'force': true and give the reason in 'warning'"));
    return false;
}

static bool may_be_final(verdict *v, const cv_convergence *c)
{
    bool silent = v->state.rounds.count == 0;
    warn_ethos(v);
    if (v->type != CV_VERDICT_FINAL || (c->enough && !silent))
        return true;
    v->forced = cv_json_get_true(v->ids.call->input, "force") && cv_str_trim(v->row.warning).n > 0;
    if (silent && !v->forced)
        return nothing_said(v);
    if (v->state.dialogue.strict_convergence == 1 && !v->forced)
        return blocked(v, c);
    warn_open(v, c);
    return true;
}

/* ---- enter ----------------------------------------------------------------------------------- */

/* The first verdict that adopts a recommendation is named in it; the final one takes over from an interim one. */
static void name_verdict(verdict *v, cv_status_writer *writer, cv_subject *subject, cv_rec_event *issued)
{
    if (v->type == CV_VERDICT_FINAL || !subject->row->adopted_in_verdict.p)
        cv_subject_write(writer, subject, issued)->adopted_in_verdict = v->row.verdict_id;
}

static void touch_lists(verdict *v, cv_status_writer *writer, cv_rec_event *issued)
{
    cv_str reference = cv_arena_join(v->ids.call->arena, CV_STR("verdict-"), v->row.verdict_id);
    for (int which = 0; which < CV_LIST_COUNT; which++)
        for (size_t i = 0; i < v->counts[which]; i++) {
            cv_subject *subject = v->lists[which][i].subject;
            if (!subject)
                continue;
            cv_effect effect = cv_subject_touch(writer, (cv_cause){CV_CAUSE_VERDICT, which}, subject, &v->author,
                                                reference, (cv_str){NULL, 0});
            if (effect.type == CV_EFFECT_STATUS && which == CV_LIST_RECOMMENDATIONS_ADOPTED)
                name_verdict(v, writer, subject, issued);
        }
}

static void enter(verdict *v, cv_journal *j)
{
    cv_status_writer writer = {j, &v->warnings, v->row.round};
    v->row.position = (int64_t)v->state.verdicts.count + 1;
    v->row.created_at = j->now;
    cv_rec_event *event = cv_journal_event(j, 'V', v->row.verdict_id, cv_event_words.items[CV_EVENT_CREATED],
                                           v->row.round, v->author.json);
    cv_journal_covers(j, event, CV_REC_VERDICT, cv_journal_put(j, CV_REC_VERDICT, &v->row));
    if (v->type == CV_VERDICT_FINAL) {
        cv_rec_dialogue dialogue = v->state.dialogue;
        dialogue.status = cv_dialogue_words.items[CV_DIALOGUE_CONVERGED];
        dialogue.converged_at = j->now;
        event->data = CV_STR("{\"dialogue_status\":\"converged\"}");
        cv_journal_covers(j, event, CV_REC_DIALOGUE, cv_journal_put(j, CV_REC_DIALOGUE, &dialogue));
    }
    if (is_judges(v))
        touch_lists(v, &writer, event);
}

#define CV_THIS_TYPE verdict
const cv_shape cv_verdict_register_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", state.id, ""),
    CV_FIELD_AS(ALWAYS, "verdict_id", row.verdict_id, ""),
    CV_FIELD_AS(ALWAYS, "verdict_type", row.verdict_type, ""),
    CV_NUMBER(ALWAYS, "round", row.round, 0, CV_MAX_ROUND, ""),
    CV_FIELD(ALWAYS, dialogue_status, ""),
    CV_SPREAD(changes, cv_changes_shape),
    CV_OBJECT(ALWAYS, "convergence", after, cv_convergence_shape, ""),
    CV_FIELD(IF_ANY, forced, ""),
    CV_WARNINGS(warnings, CV_TO_BE_KNOWN),
    CV_WRITTEN("dialogue"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static cv_str answer(verdict *v)
{
    bool final = v->type == CV_VERDICT_FINAL;
    v->dialogue_status = final ? cv_dialogue_words.items[CV_DIALOGUE_CONVERGED] : v->state.dialogue.status;
    v->changes = cv_subjects_changes(&v->ids.subjects);
    return cv_shape_text(v->ids.call->arena, cv_verdict_register_shape, v);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool load(verdict *v)
{
    cv_call *call = v->ids.call;
    cv_err err = {.arena = call->arena};
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                                 CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(REFERENCE) | CV_REC_BIT(MOVE) |
                                 CV_REC_BIT(VERDICT)};
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &v->state, &err))
        return cv_call_fail(call, &err);
    v->ids.state = &v->state;
    v->ids.subjects = (cv_subjects){.arena = call->arena, .state = &v->state};
    return true;
}

/* The id is taken. The same request is answered as the first time, though the round that it leaves out may be another
 * one by now; other words for the same verdict are answered as it looks now. */
static bool answer_again(verdict *v, const cv_rec_verdict *stored, cv_outcome *outcome)
{
    cv_arena *a = v->ids.call->arena;
    cv_err err = {.arena = a};
    if (!cv_request_made(v->ids.call, cv_dialogue_scope(v->state.id), stored->rev, outcome, &err))
        return cv_call_fail(v->ids.call, &err);
    if (outcome->replayed)
        return true;
    if (!cv_str_eq(content_digest(a, *stored), content_digest(a, v->row)))
        return exists(v, stored, "exists with other content");
    measure(v);
    *outcome = (cv_outcome){.replayed = true, .rev = stored->rev, .result = answer(v)};
    return true;
}

static bool work(cv_call *call, cv_outcome *outcome)
{
    verdict *v = CV_NEW(call->arena, verdict);
    cv_journal journal;
    v->ids.call = call;
    if (!load(v))
        return false;
    parse(v);
    const cv_rec_verdict *stored = cv_state_verdict(&v->state, v->row.verdict_id);
    if (stored)
        return answer_again(v, stored, outcome);
    if (!has_room(v) || !check(v))
        return false;
    cv_journal_begin(&journal, call, &v->state);
    enter(v, &journal);
    measure(v);
    return may_be_final(v, &v->after) && cv_journal_commit(&journal, answer(v), outcome);
}

bool cv_dialogue_verdict_register(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue verdict-register"), work);
}
