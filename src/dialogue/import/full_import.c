/* full_import.c - a dialogue that a file tells in full becomes part of the record; see full_dialogue.h.
 *
 *     create -> for every round: expert-create, evolve-panel, round-register, interim verdicts, update
 *            -> corrections -> verdicts
 *
 * References and moves have the same effects on statuses as they had before. What they do not explain was the judge's
 * word, and is given as such: with the round, or behind it when only then the record can say the same
 * (full_status.c).
 */
#include "base/clock.h"
#include "dialogue/import/full_importing.h"
#include "dialogue/operations.h"

/* The id under which a target is known in the record; empty: it is not there, and a finding says so. */
static cv_str known_id(cv_full_importing *p, cv_str target, int round, size_t line)
{
    const cv_full_item *item = cv_full_find(p->t, target);
    bool expert = target.n > 1 && target.p[0] == '@' && cv_state_expert(&p->state, cv_str_from(target, 1));
    if (expert)
        return target;
    if (item && item->round <= round)
        return item->known;
    cv_script_misunderstand(p->t->s, p->t->sheet, line, target,
                            item ? "it is of a later round" : "it is not in the file");
    return (cv_str){NULL, 0};
}

/* ---- one round --------------------------------------------------------------------------------------------------- */

static void write_refs(cv_full_importing *p, const cv_full_item *item, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < item->refs.count; i++) {
        const cv_full_ref *ref = &item->refs.items[i];
        const cv_full_item *target = cv_full_find(p->t, ref->target);
        cv_str known = known_id(p, ref->target, p->round, item->line);
        char letter = target ? cv_kinds[target->kind].letter : '@';
        if (known.n && !cv_ref_joins(ref->type, cv_kinds[item->kind].letter, letter)) {
            cv_script_misunderstand(p->t->s, p->t->sheet, item->line, ref->target, "'%.*s' cannot go from %.*s to it",
                                    CV_FMT(cv_ref_words.items[ref->type]), CV_FMT(item->id));
            continue;
        }
        if (!known.n)
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", cv_ref_words.items[ref->type]);
        cv_json_key_str(w, "target", target && target->round == p->round ? target->local_id : known);
        cv_json_key_str_if(w, "reason", ref->reason);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_people(cv_full_importing *p, const cv_full_item *item, cv_json_writer *w)
{
    bool any = false;
    cv_json_key(w, CV_STR("contributors"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < item->by.count; i++) {
        cv_str slug = item->by.items[i];
        if (!cv_str_eq(slug, cv_judge_slug) && !cv_state_expert(&p->state, slug)) {
            cv_script_misunderstand(p->t->s, p->t->sheet, item->line, slug, "%.*s: not on the panel", CV_FMT(item->id));
            continue;
        }
        cv_json_str(w, slug);
        any = true;
    }
    if (!any)
        cv_json_str(w, cv_judge_slug);
    cv_json_end_array(w);
}

static void write_items(cv_full_importing *p, cv_json_writer *w)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_begin_array(w);
        for (size_t i = 0; i < p->t->items.count; i++) {
            const cv_full_item *item = &p->t->items.items[i];
            if (item->round != p->round || (int)item->kind != kind)
                continue;
            cv_json_begin_object(w);
            cv_json_key_str(w, "local_id", item->local_id);
            cv_json_key_str(w, "label", item->label);
            cv_json_key_str(w, kind == CV_KIND_TENSION ? "description" : "content",
                            item->content.n ? item->content : item->label);
            write_people(p, item, w);
            if (item->parameters.n && kind == CV_KIND_RECOMMENDATION) {
                cv_json_key(w, CV_STR("parameters"));
                cv_json_raw(w, item->parameters);
            }
            write_refs(p, item, w);
            cv_json_end_object(w);
        }
        cv_json_end_array(w);
    }
}

static void write_links(cv_full_importing *p, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < p->t->links.count; i++) {
        const cv_full_link *link = &p->t->links.items[i];
        const cv_full_item *target = cv_full_find(p->t, link->ref.target);
        cv_str known =
            link->round == p->round ? known_id(p, link->ref.target, p->round, link->line) : (cv_str){NULL, 0};
        if (!known.n || !cv_ref_joins(link->ref.type, '@', target ? cv_kinds[target->kind].letter : '@'))
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "source", cv_arena_join(p->t->s->arena, CV_STR("@"), link->expert));
        cv_json_key_str(w, "type", cv_ref_words.items[link->ref.type]);
        cv_json_key_str(w, "target", target && target->round == p->round ? target->local_id : known);
        cv_json_key_str_if(w, "reason", link->ref.reason);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_moves(cv_full_importing *p, cv_json_writer *w)
{
    cv_arena *a = p->t->s->arena;
    cv_json_key(w, CV_STR("moves"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < p->t->moves.count; i++) {
        const cv_full_move *move = &p->t->moves.items[i];
        CV_STATE_LIST(cv_str) targets = {0};
        if (move->round != p->round)
            continue;
        for (size_t k = 0; k < move->targets.count; k++) {
            const cv_full_item *target = cv_full_find(p->t, move->targets.items[k]);
            cv_str known = known_id(p, move->targets.items[k], p->round, move->line);
            if (known.n)
                *CV_PUSH(a, &targets) = target && target->round == p->round ? target->local_id : known;
        }
        bool wants_id = cv_str_starts(cv_moves[move->type].argument, CV_STR("{id"));
        if (!cv_state_expert(&p->state, move->expert) || (wants_id && targets.count == 0)) {
            cv_script_misunderstand(p->t->s, p->t->sheet, move->line, move->context,
                                    "round %d: %.*s by %.*s refers to nothing in the file", p->round,
                                    CV_FMT(cv_move_words.items[move->type]), CV_FMT(move->expert));
            continue;
        }
        cv_json_begin_object(w);
        cv_json_key_str(w, "expert", move->expert);
        cv_json_key_str(w, "type", cv_move_words.items[move->type]);
        cv_json_key(w, CV_STR("targets"));
        cv_json_raw(w, cv_json_texts(a, targets.items, targets.count));
        cv_json_key_str_if(w, "context", move->context);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_scores(cv_full_importing *p, cv_json_writer *w)
{
    const cv_points *said = &p->t->rounds[p->round].points;
    int64_t sum = 0;
    bool any = false;
    cv_json_key(w, CV_STR("expert_scores"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < p->t->scores.count; i++) {
        const cv_full_score *score = &p->t->scores.items[i];
        if (score->round != p->round || score->points.total == CV_ABSENT || !cv_state_expert(&p->state, score->expert))
            continue;
        cv_json_key(w, score->expert);
        cv_json_begin_object(w);
        cv_json_key_int(w, "score", score->points.total);
        cv_points_write(w, &score->points);
        cv_json_end_object(w);
        sum += score->points.total;
        any = true;
    }
    cv_json_end_object(w);
    if (said->total == CV_ABSENT)
        cv_script_decide(p->t->s, p->t->sheet, 0, "round %d: score not given, recorded as %s", p->round,
                         any ? "the sum of the experts" : "0");
    cv_json_key_int(w, "score", said->total == CV_ABSENT ? sum : said->total);
    cv_points_write(w, said);
}

static void write_speeches(cv_full_importing *p, const char *key, const cv_full_speech *items, size_t count,
                           cv_json_writer *w)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_object(w);
    for (size_t i = 0; i < count; i++) {
        if (!cv_state_expert(&p->state, items[i].expert))
            continue;
        cv_json_key(w, items[i].expert);
        cv_json_str(w, items[i].text);
    }
    cv_json_end_object(w);
}

static void write_round(cv_full_importing *p, cv_json_writer *w)
{
    const cv_full_round *round = &p->t->rounds[p->round];
    cv_json_key_int(w, "round", p->round);
    cv_json_key_str_if(w, "title", round->title);
    cv_json_key_str_if(w, "summary", round->summary);
    write_scores(p, w);
    write_items(p, w);
    write_links(p, w);
    write_moves(p, w);
    cv_full_write_updates(p, w);
    if (p->t->positions)
        write_speeches(p, "positions", round->positions.items, round->positions.count, w);
    write_speeches(p, "responses", round->responses.items, round->responses.count, w);
}

/* ---- corrections ------------------------------------------------------------------------------------------------- */

/* Whose text is not the experts' own stays marked as such. The wording before is not told, so the one that there is is
 * corrected to itself: no text hangs on this step. */
static void write_correction(cv_full_importing *p, const cv_full_item *item, cv_json_writer *w)
{
    const cv_full_correction *c = &item->correction;
    CV_STATE_LIST(cv_str) by = {0};
    for (size_t i = 0; i < c->by.count; i++)
        if (cv_str_eq(c->by.items[i], cv_judge_slug) || cv_state_expert(&p->state, c->by.items[i]))
            *CV_PUSH(p->t->s->arena, &by) = c->by.items[i];
        else
            cv_script_misunderstand(p->t->s, p->t->sheet, item->line, c->by.items[i],
                                    "the expert who corrected %.*s is not on the panel", CV_FMT(item->id));
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", item->known);
    cv_json_key_str(w, "label", item->label);
    cv_json_key(w, CV_STR("by"));
    cv_json_raw(w, cv_json_texts(p->t->s->arena, by.items, by.count));
    cv_json_key_str_if(w, "reason", c->reason);
    cv_json_end_object(w);
}

static void correct(cv_full_importing *p)
{
    cv_script *s = p->t->s;
    cv_buf text;
    size_t count = 0;
    if (!cv_importing_load(&p->p, CV_MAX_ROUND + 1, &p->state))
        return;
    cv_json_writer w = cv_importing_begin(&p->p, &text, "corrections");
    cv_json_key(&w, CV_STR("updates"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < p->t->items.count; i++) {
        if (!p->t->items.items[i].correction.told)
            continue;
        write_correction(p, &p->t->items.items[i], &w);
        count++;
    }
    cv_json_end_array(&w);
    if (count == 0)
        cv_buf_release(&text);
    else if (cv_importing_send(&p->p, &w, "corrections", cv_dialogue_update, NULL))
        cv_script_decide(
            s, p->t->sheet, 0,
            "corrected texts: %zu; the file does not have the earlier wording, so the history has the present one "
            "in its place",
            count);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* The round behind which a verdict was registered: its own, or a later one that felt it. */
static int round_of_verdict(const cv_full_importing *p, const cv_full_verdict *v)
{
    cv_str name = cv_arena_join(p->t->s->arena, CV_STR("verdict-"), v->row.verdict_id);
    int64_t round = v->row.round == CV_ABSENT ? (int64_t)p->t->round_count - 1 : v->row.round;
    for (size_t i = 0; i < p->t->items.count; i++)
        for (size_t k = 0; k < p->t->items.items[i].turns.count; k++) {
            const cv_full_turn *turn = &p->t->items.items[i].turns.items[k];
            if (turn->round > round && cv_str_eq(turn->via, name))
                round = turn->round;
        }
    return (int)round;
}

/* The ids of a list that are there. */
static cv_str known_list(cv_full_importing *p, cv_str json, size_t line)
{
    cv_arena *a = p->t->s->arena;
    cv_words list = cv_json_list(a, json);
    CV_STATE_LIST(cv_str) ids = {0};
    for (size_t i = 0; i < list.count; i++) {
        cv_str id = known_id(p, list.items[i], CV_MAX_ROUND, line);
        if (id.n)
            *CV_PUSH(a, &ids) = id;
    }
    return cv_json_texts(a, ids.items, ids.count);
}

static cv_str known_people(cv_full_importing *p, cv_str json)
{
    cv_arena *a = p->t->s->arena;
    cv_words list = cv_json_list(a, json);
    CV_STATE_LIST(cv_str) slugs = {0};
    for (size_t i = 0; i < list.count; i++)
        if (cv_state_expert(&p->state, list.items[i]))
            *CV_PUSH(a, &slugs) = list.items[i];
        else
            cv_script_misunderstand(p->t->s, p->t->sheet, 0, list.items[i], "not on the panel");
    return cv_json_texts(a, slugs.items, slugs.count);
}

static void write_json(cv_json_writer *w, const char *key, cv_str json)
{
    if (!json.n)
        return;
    cv_json_key(w, cv_str_of(key));
    cv_json_raw(w, json);
}

static void write_verdict(cv_full_importing *p, const cv_full_verdict *v, cv_json_writer *w)
{
    const cv_rec_verdict *row = &v->row;
    const struct {
        const char *key;
        cv_str ids;
    } lists[] = {{"tensions_resolved", row->tensions_resolved},
                 {"tensions_accepted", row->tensions_accepted},
                 {"recommendations_adopted", row->recommendations_adopted},
                 {"key_evidence", row->key_evidence},
                 {"key_claims", row->key_claims}};
    cv_json_key_str(w, "verdict_id", row->verdict_id);
    cv_json_key_str(w, "verdict_type", row->verdict_type);
    if (row->round != CV_ABSENT)
        cv_json_key_int(w, "round", row->round);
    if (row->author_expert.n && cv_state_expert(&p->state, row->author_expert))
        cv_json_key_str(w, "author_expert", row->author_expert);
    cv_json_key_str(w, "recommendation", row->recommendation);
    cv_json_key_str(w, "description", row->description.n ? row->description : row->recommendation);
    write_json(w, "conditions", row->conditions);
    cv_json_key_str_if(w, "vote", row->vote);
    cv_json_key_str_if(w, "confidence", row->confidence);
    for (size_t i = 0; i < CV_COUNT(lists); i++)
        if (lists[i].ids.n)
            write_json(w, lists[i].key, known_list(p, lists[i].ids, v->line));
    if (row->supporting_experts.n)
        write_json(w, "supporting_experts", known_people(p, row->supporting_experts));
    write_json(w, "ethos_compliance", row->ethos_compliance);
    cv_json_key_str_if(w, "warning", row->warning);
    if (row->warning.n) {
        cv_json_key(w, CV_STR("force"));
        cv_json_bool(w, true);
    }
}

static void register_verdict(cv_full_importing *p, cv_full_verdict *v)
{
    cv_script *s = p->t->s;
    cv_buf text;
    int64_t now = s->date_ms;
    const char *step = cv_arena_printf(s->arena, "verdict-%.*s", CV_FMT(v->row.verdict_id)).p;
    if (v->done || !cv_importing_load(&p->p, CV_MAX_ROUND + 1, &p->state))
        return;
    v->done = true;
    cv_full_prepare(p, v);
    cv_json_writer w = cv_importing_begin(&p->p, &text, step);
    write_verdict(p, v, &w);
    if (v->row.created_at.n && cv_time_parse(v->row.created_at, &s->date_ms)) {
        cv_importing_send(&p->p, &w, step, cv_dialogue_verdict_register, NULL);
        s->date_ms = now;
        return;
    }
    s->date_ms = now;
    cv_importing_send(&p->p, &w, step, cv_dialogue_verdict_register, NULL);
}

static void register_interim(cv_full_importing *p)
{
    for (size_t i = 0; i < p->t->verdicts.count && !p->p.failed; i++) {
        cv_full_verdict *v = &p->t->verdicts.items[i];
        if (cv_str_eq(v->row.verdict_type, cv_verdict_words.items[CV_VERDICT_INTERIM]) &&
            round_of_verdict(p, v) == p->round)
            register_verdict(p, v);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void import_round(cv_full_importing *p, int round)
{
    cv_buf text;
    const char *step = cv_arena_printf(p->t->s->arena, "round-%d", round).p;
    p->round = round;
    if (!cv_importing_load(&p->p, round, &p->state))
        return;
    cv_full_create_unseated(p);
    cv_full_evolve(p);
    cv_full_create_unseated(p);
    if (p->p.failed)
        return;
    if (!p->t->rounds[round].told)
        cv_script_decide(p->t->s, p->t->sheet, 0, "round %d is not in the file and is recorded empty", round);
    cv_json_writer w = cv_importing_begin(&p->p, &text, step);
    write_round(p, &w);
    if (!cv_importing_send(&p->p, &w, step, cv_dialogue_round_register, NULL))
        return;
    register_interim(p);
    cv_full_mend(p);
}

static void abandon(cv_full_importing *p)
{
    cv_buf text;
    cv_json_writer w = cv_importing_begin(&p->p, &text, "abandon");
    cv_json_key_str(&w, "reason", CV_STR("it was abandoned before it was imported"));
    cv_importing_send(&p->p, &w, "abandon", cv_dialogue_abandon, NULL);
}

bool cv_full_import(const cv_call *call, cv_record *record, cv_full_dialogue *t, cv_imported *ret_imported)
{
    cv_full_importing p = {.p = {.call = call, .record = record, .s = t->s, .imported = ret_imported}, .t = t};
    *ret_imported = (cv_imported){0};
    cv_full_settle(t, ret_imported);
    cv_importing_identify(&p.p);
    if (!cv_full_create(&p))
        return false;
    if (t->round_count == 0 && cv_importing_load(&p.p, 0, &p.state)) {
        cv_full_create_unseated(&p);
        cv_full_evolve(&p);
        cv_full_create_unseated(&p);
    }
    for (size_t round = 0; round < t->round_count && !p.p.failed; round++)
        import_round(&p, (int)round);
    if (!p.p.failed)
        correct(&p);
    for (size_t i = 0; i < t->verdicts.count && !p.p.failed; i++)
        register_verdict(&p, &t->verdicts.items[i]);
    if (!p.p.failed && cv_str_eq_nocase(t->s->status, cv_dialogue_words.items[CV_DIALOGUE_ABANDONED]))
        abandon(&p);
    return !p.p.failed;
}
