/* walk_judge.c - the judge: asked, checked, registered, carried out; see walk.h. */
#include "kit/frame.h"
#include "run/walk.h"

static cv_str inside(cv_arena *a, cv_buf *object)
{
    cv_str all = cv_buf_take(object, a);
    return cv_str_head(cv_str_from(all, 1), all.n - 2);
}

/* ---- asking --------------------------------------------------------------------------------------------------------
 */

static cv_str transcript(cv_walk *w)
{
    cv_reply reply;
    cv_facts_ask(w->call, &w->step, "transcript", w->facts.dialogue_id, CV_STR(""), &reply);
    if (!reply.done)
        cv_walk_fail(w, &reply.errs);
    return cv_json_get_text(&reply.json, "markdown");
}

cv_str cv_walk_judge_prompt(cv_walk *w, cv_run_task task, const cv_attempt_row *last)
{
    int64_t round = task == CV_TASK_ROUND ? w->facts.next_round : w->facts.next_round - 1;
    cv_reply draft;
    cv_facts_ask(w->call, &w->step, "draft", w->facts.dialogue_id,
                 cv_arena_printf(&w->step, "\"round\":%lld", (long long)round), &draft);
    if (!draft.done) {
        cv_walk_fail(w, &draft.errs);
        return (cv_str){NULL, 0};
    }
    const cv_judge_matter matter = {.so_far = transcript(w),
                                    .draft = &draft.json,
                                    .blockers = w->facts.blockers,
                                    .round = round,
                                    .last = w->settings->rounds - 1,
                                    .faults = last && last->faults.p ? last->faults : CV_STR(""),
                                    .answer = last && last->faults.p ? cv_walk_output(w, last) : CV_STR("")};
    if (w->call->errs->count)
        return (cv_str){NULL, 0};
    return (task == CV_TASK_ROUND ? cv_judge_prompt_round : cv_judge_prompt_verdict)(&w->step, &matter);
}

/* ---- checking ------------------------------------------------------------------------------------------------------
 */

/* A request to register the round: the judge's part, and what only the runner says. */
static cv_str round_members(cv_walk *w, const cv_judgement *judgement, cv_str op_id, bool dry_run)
{
    cv_buf out = {0};
    cv_json_writer json = {.out = &out};
    cv_json_begin_object(&json);
    cv_json_key_int(&json, "round", w->facts.next_round);
    cv_json_key_bool(&json, "use_draft", true);
    cv_json_key_str(&json, "op_id", op_id);
    if (!judgement)
        cv_json_key_int(&json, "score", 0);
    if (dry_run)
        cv_json_key_bool(&json, "dry_run", true);
    if (judgement && judgement->round.n)
        cv_buf_printf(&out, ",%.*s", CV_FMT(judgement->round));
    cv_json_end_object(&json);
    return inside(&w->step, &out);
}

/* Contributions of experts who said no such thing: nobody is written for. */
static void refuse_invented(const cv_reply *reply, cv_arena *a, cv_errs *errs)
{
    const cv_json *warnings = cv_json_get(&reply->json, CV_STR("warnings"));
    for (uint32_t i = 0; warnings && i < warnings->count; i++) {
        const cv_json *one = &warnings->items[i];
        if (cv_str_eq(cv_json_get_text(one, "type"), CV_STR("unsourced")))
            cv_errs_add(errs, a, CV_ERR_NOT_ALLOWED, "%.*s: take it out", CV_FMT(cv_json_get_text(one, "message")));
    }
}

static void check_round(cv_walk *w, const cv_judgement *judgement, cv_errs *errs)
{
    cv_reply reply;
    cv_facts_ask(w->call, &w->step, "round-register", w->facts.dialogue_id,
                 round_members(w, judgement, CV_STR("check"), true), &reply);
    for (size_t i = 0; i < reply.errs.count; i++)
        cv_errs_keep(errs, &w->step, &reply.errs.items[i]);
    if (reply.done)
        refuse_invented(&reply, &w->step, errs);
}

static void check_verdicts(cv_walk *w, const cv_judgement *judgement, cv_errs *errs)
{
    if (!judgement->final && !judgement->undecided.n)
        cv_errs_add(errs, &w->step, CV_ERR_MISSING_FIELD,
                    "verdicts has none of the type final, and undecided does not say why");
    for (size_t i = 0; i < judgement->verdicts.count; i++) {
        cv_reply reply;
        cv_facts_ask(w->call, &w->step, "verdict-register", w->facts.dialogue_id,
                     cv_arena_printf(&w->step, "\"dry_run\":true,%.*s", CV_FMT(judgement->verdicts.items[i])), &reply);
        for (size_t k = 0; k < reply.errs.count; k++) {
            cv_err *err = cv_errs_keep(errs, &w->step, &reply.errs.items[k]);
            cv_err_field(
                err, cv_arena_printf(&w->step, "verdicts[%zu]%s%.*s", i, err->field.n ? "." : "", CV_FMT(err->field)));
        }
    }
}

bool cv_walk_judge_check(cv_walk *w, cv_run_task task, cv_str answer, cv_str *ret_json, cv_str *ret_faults)
{
    cv_json object;
    cv_judgement judgement;
    cv_errs errs = {0};
    cv_err err = {.arena = &w->step};
    cv_buf text = {0};
    if (!cv_judge_extract(&w->step, answer, &object, &err)) {
        cv_errs_keep(&errs, &w->step, &err);
    } else if (cv_judge_read(&w->step, &object, &judgement, &errs)) {
        if (task == CV_TASK_ROUND)
            check_round(w, &judgement, &errs);
        else
            check_verdicts(w, &judgement, &errs);
    }
    *ret_faults = cv_walk_faults(&w->step, &errs);
    if (errs.count)
        return false;
    cv_json_value(&(cv_json_writer){.out = &text}, &object);
    *ret_json = cv_buf_take(&text, &w->step);
    return true;
}

/* ---- registering ---------------------------------------------------------------------------------------------------
 */

/* What the judge has decided about a round; NULL: nobody was asked, or nothing came. */
static const cv_judgement *judgement_of(cv_walk *w, int64_t round, cv_run_task task, int64_t *ret_attempt)
{
    cv_attempts all = cv_run_rows_of(&w->run_rows, round, CV_STR("judge"), task);
    cv_judgement *judgement = CV_NEW(&w->step, cv_judgement);
    cv_json object;
    cv_errs errs = {0};
    cv_err ignored = {.arena = &w->step};
    const cv_attempt_row *last = all.count ? &all.items[all.count - 1] : NULL;
    *ret_attempt = last ? last->attempt : 0;
    bool sound = last && cv_str_eq(last->state, cv_attempt_words.items[CV_ATTEMPT_ANSWERED]) && last->answer.n &&
                 cv_json_parse(&w->step, last->answer, &object, &ignored) &&
                 cv_judge_read(&w->step, &object, judgement, &errs);
    return sound ? judgement : NULL;
}

static void tell_judge_failed(cv_walk *w, const cv_attempt_row *last)
{
    cv_str why = last && last->message.n ? last->message : CV_STR("");
    cv_str quoted = cv_walk_json_text(w, why);
    cv_walk_tell(
        w, "judge_failed",
        cv_arena_printf(&w->step, "\"round\":%lld,\"message\":%.*s", (long long)w->facts.next_round, CV_FMT(quoted)),
        "the judge gave no answer that could be registered%s%.*s\nround %lld is registered as it was drafted, "
        "without scores",
        why.n ? ": " : "", CV_FMT(why), (long long)w->facts.next_round);
}

bool cv_walk_register(cv_walk *w)
{
    int64_t attempt = 0, round = w->facts.next_round;
    const cv_judgement *judgement =
        w->settings->judge == CV_JUDGE_AGENT ? judgement_of(w, round, CV_TASK_ROUND, &attempt) : NULL;
    cv_str op_id = judgement ? cv_walk_op(w, round, CV_STR("judge"), attempt, "")
                             : cv_walk_op(w, round, CV_STR("mechanical"), 1, "");
    cv_reply reply;
    if (w->settings->judge == CV_JUDGE_AGENT && !judgement)
        tell_judge_failed(w, cv_walk_row(w, round, CV_STR("judge"), attempt));
    cv_facts_ask(w->call, &w->step, "round-register", w->facts.dialogue_id, round_members(w, judgement, op_id, false),
                 &reply);
    bool taken = !reply.done && reply.errs.count &&
                 cv_str_eq(cv_err_word(reply.errs.items[0].code), CV_STR("round_already_registered"));
    if (!reply.done && !taken)
        return cv_walk_fail(w, &reply.errs);
    w->stale = true;
    const cv_json *convergence = cv_json_get(&reply.json, CV_STR("convergence"));
    if (reply.done) {
        cv_str summary = judgement ? judgement->summary : CV_STR("");
        cv_walk_draw(w, true);
        cv_walk_tell(w, "round_registered",
                     cv_arena_printf(&w->step, "\"round\":%lld,\"velocity\":%lld,\"percentage\":%lld", (long long)round,
                                     (long long)cv_json_get_int(&reply.json, "velocity", 0),
                                     (long long)cv_json_get_int(convergence, "percentage", 0)),
                     "round %lld is registered: %lld %% converged%s%.*s", (long long)round,
                     (long long)cv_json_get_int(convergence, "percentage", 0), summary.n ? "\n  " : "",
                     CV_FMT(summary));
    }
    return true;
}

/* ---- carrying out --------------------------------------------------------------------------------------------------
 */

/* What is refused here is told and left out: the round stands. */
static void tell_refusal(cv_walk *w, const char *what, const cv_reply *reply)
{
    cv_str faults = cv_walk_faults(&w->step, &reply->errs);
    cv_str quoted = cv_walk_json_text(w, faults);
    cv_walk_tell(w, "refused", cv_arena_printf(&w->step, "\"what\":\"%s\",\"faults\":%.*s", what, CV_FMT(quoted)),
                 "%s was refused: %.*s", what, CV_FMT(cv_str_trim(faults)));
}

static bool is_fatal(const cv_reply *reply)
{
    return !reply->done && !cv_err_is_refusal(reply->errs.items[0].code);
}

/* New experts, then who comes and who goes. */
static bool change_panel(cv_walk *w, const cv_judgement *judgement, int64_t round, int64_t attempt)
{
    cv_buf added = {0}, out = {0};
    cv_reply reply;
    cv_str names = judgement->add.n ? cv_str_head(cv_str_from(judgement->add, 1), judgement->add.n - 2) : CV_STR("");
    cv_buf_add(&added, names);
    for (size_t i = 0; i < judgement->experts.count; i++) {
        cv_str op_id = cv_walk_op(w, round, CV_STR("judge"), attempt, cv_arena_printf(&w->step, "expert-%zu", i).p);
        cv_facts_ask(
            w->call, &w->step, "expert-create", w->facts.dialogue_id,
            cv_arena_printf(&w->step, "\"op_id\":\"%.*s\",%.*s", CV_FMT(op_id), CV_FMT(judgement->experts.items[i])),
            &reply);
        if (is_fatal(&reply))
            return cv_walk_fail(w, &reply.errs);
        if (!reply.done)
            tell_refusal(w, "an expert of the judge's", &reply);
        else
            cv_buf_printf(&added, "%s\"%.*s\"", added.n ? "," : "",
                          CV_FMT(cv_json_get_text(cv_json_get(&reply.json, CV_STR("expert")), "expert_slug")));
    }
    cv_str who = cv_buf_take(&added, &w->step);
    if (!who.n && !judgement->drop.n)
        return true;
    cv_buf_printf(&out, "\"round\":%lld,\"op_id\":\"%.*s\"", (long long)round + 1,
                  CV_FMT(cv_walk_op(w, round, CV_STR("judge"), attempt, "panel")));
    if (who.n)
        cv_buf_printf(&out, ",\"add\":[%.*s]", CV_FMT(who));
    if (judgement->drop.n)
        cv_buf_printf(&out, ",\"drop\":%.*s", CV_FMT(judgement->drop));
    cv_facts_ask(w->call, &w->step, "evolve-panel", w->facts.dialogue_id, cv_buf_take(&out, &w->step), &reply);
    if (is_fatal(&reply))
        return cv_walk_fail(w, &reply.errs);
    if (!reply.done)
        tell_refusal(w, "a change of the panel", &reply);
    return true;
}

/* `strict`: a refusal ends the walk. */
static bool register_verdict(cv_walk *w, cv_str members, cv_str op_id, bool strict)
{
    cv_reply reply;
    cv_facts_ask(w->call, &w->step, "verdict-register", w->facts.dialogue_id,
                 cv_arena_printf(&w->step, "\"op_id\":\"%.*s\",%.*s", CV_FMT(op_id), CV_FMT(members)), &reply);
    if (is_fatal(&reply) || (!reply.done && strict))
        return cv_walk_fail(w, &reply.errs);
    cv_str id = cv_json_get_text(&reply.json, "verdict_id");
    if (!reply.done)
        tell_refusal(w, "a verdict", &reply);
    else
        cv_walk_tell(w, "verdict_registered", cv_arena_printf(&w->step, "\"verdict_id\":\"%.*s\"", CV_FMT(id)),
                     "the verdict %.*s is registered", CV_FMT(id));
    return true;
}

static bool register_verdicts(cv_walk *w, const cv_judgement *judgement, int64_t round, int64_t attempt, bool strict)
{
    bool ok = true;
    for (size_t i = 0; ok && i < judgement->verdicts.count; i++)
        ok = register_verdict(
            w, judgement->verdicts.items[i],
            cv_walk_op(w, round, CV_STR("judge"), attempt, cv_arena_printf(&w->step, "verdict-%zu", i).p), strict);
    return ok;
}

/* The members of an object but the dialogue's id, which every request has. */
static cv_str without_id(cv_arena *a, const cv_json *object)
{
    cv_buf out = {0};
    cv_json_writer json = {.out = &out};
    cv_json_begin_object(&json);
    for (uint32_t k = 0; k < object->count; k++) {
        if (cv_str_eq(object->members[k].key, CV_STR("dialogue_id")))
            continue;
        cv_json_key(&json, object->members[k].key);
        cv_json_value(&json, &object->members[k].value);
    }
    cv_json_end_object(&json);
    return inside(a, &out);
}

/* Dissent that experts have written, as the draft has it: their own words, so they are registered with any judge. */
static bool register_dissent(cv_walk *w, int64_t round)
{
    cv_reply draft;
    bool ok = true;
    if (w->facts.undecided.count == 0)
        return true;
    cv_facts_ask(w->call, &w->step, "draft", w->facts.dialogue_id,
                 cv_arena_printf(&w->step, "\"round\":%lld", (long long)round), &draft);
    if (!draft.done)
        return cv_walk_fail(w, &draft.errs);
    const cv_json *all = cv_json_get(cv_json_get(&draft.json, CV_STR("notes")), CV_STR("verdicts"));
    for (uint32_t i = 0; ok && all && i < all->count; i++) {
        cv_str author = cv_json_get_text(&all->items[i], "author_expert");
        if (cv_words_find(w->facts.undecided, author) >= 0)
            ok = register_verdict(w, without_id(&w->step, &all->items[i]), cv_walk_op(w, round, author, 0, "dissent"),
                                  false);
    }
    return ok;
}

static bool note_settled(cv_walk *w)
{
    cv_err err = {.arena = w->call->arena};
    w->run_rows.run.settled = w->facts.next_round;
    w->stale = true;
    return cv_run_rows_change(&w->run_rows, "settled", &err) || cv_call_fail(w->call, &err);
}

bool cv_walk_settle(cv_walk *w)
{
    int64_t round = w->facts.next_round - 1, attempt;
    const cv_judgement *judgement = judgement_of(w, round, CV_TASK_ROUND, &attempt);
    bool open = !w->facts.decided && !w->facts.abandoned;
    if (judgement && !register_verdicts(w, judgement, round, attempt, false))
        return false;
    if (judgement && open && !judgement->final && !change_panel(w, judgement, round, attempt))
        return false;
    if (w->settings->judge != CV_JUDGE_HUMAN && !w->facts.abandoned && !register_dissent(w, round))
        return false;
    return note_settled(w);
}

bool cv_walk_decide(cv_walk *w)
{
    int64_t round = w->facts.next_round - 1, attempt;
    const cv_judgement *judgement = judgement_of(w, round, CV_TASK_VERDICT, &attempt);
    w->stale = true;
    return !judgement || register_verdicts(w, judgement, round, attempt, true);
}

/* ---- to compare with -----------------------------------------------------------------------------------------------
 */

cv_str cv_walk_control_prompt(cv_walk *w)
{
    cv_reply get;
    cv_buf out = {0};
    cv_spent spent = cv_spent_of(&w->run_rows.attempts, CV_SPENT_PANEL);
    cv_facts_ask(w->call, &w->step, "get", w->facts.dialogue_id, CV_STR(""), &get);
    if (!get.done) {
        cv_walk_fail(w, &get.errs);
        return (cv_str){NULL, 0};
    }
    const cv_json *dialogue = cv_json_get(&get.json, CV_STR("dialogue"));
    cv_str question = cv_json_get_text(dialogue, "question"),
           background = cv_json_get_json(&w->step, dialogue, "background");
    cv_buf_printf(&out, "# %.*s\n\n", CV_FMT(cv_json_get_text(dialogue, "title")));
    cv_buf_add(&out, question.n ? question : cv_json_get_text(dialogue, "title"));
    cv_buf_add_z(&out, "\n\n");
    if (background.n)
        cv_buf_printf(&out, "What is known: %.*s\n\n", CV_FMT(background));
    cv_buf_printf(
        &out,
        "Decide this alone. Look at it from every side that matters, name what is in tension, and answer with the "
        "decision in one line, its reasons, its conditions, and what speaks against it. You may use up to %lld "
        "tokens.\n",
        (long long)spent.tokens_in + spent.tokens_out + spent.estimated);
    return cv_buf_take(&out, &w->step);
}
