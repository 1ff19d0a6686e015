/* import_round.c - one round of a script becomes a panel and a registered round; see import_script.h.
 *
 *     who spoke, who sits              -> evolve-panel, when that is somebody else than before
 *     what was said                    -> cv_extract_files: items, references, moves
 *     what only the tracker knows      -> tensions of the judge, and updates of tensions by the judge
 *     boards                           -> scores; a round whose score nobody gives has 0, and that is reported
 */
#include "dialogue/import/importing.h"
#include "dialogue/intake/diagnosis.h"

#include <stdlib.h>

#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/panel/pool.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_importing *p;
    cv_state state;
    cv_import_act *act;
    int round;
    cv_extract extract;
} scene;

/* ---- the panel --------------------------------------------------------------------------------------------------- */

static bool read_state(cv_importing *p, uint32_t kinds, cv_state *ret_state)
{
    const cv_wanted wanted = {.kinds = kinds, .no_content = true};
    cv_call own = *p->call;
    cv_err err = {.arena = p->s->arena};
    own.arena = p->s->arena;
    own.record = p->record;
    if (cv_state_load(&own, p->imported->dialogue_id, &wanted, ret_state, &err))
        return true;
    *CV_PUSH(p->s->arena, &p->imported->failures) = (cv_remark){CV_NO_SHEET, 0, CV_STR("read"), cv_err_text(&err)};
    p->failed = true;
    return false;
}

/* Keeps those of a list that were there before the round. */
#define KEEP_BEFORE(list, is_before)                                                                                   \
    do {                                                                                                               \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < (list)->count; i++)                                                                     \
            if (is_before(&(list)->items[i], round))                                                                   \
                (list)->items[kept++] = (list)->items[i];                                                              \
        (list)->count = kept;                                                                                          \
    } while (0)

static bool expert_is_before(const cv_rec_expert *row, int64_t round)
{
    return row->first_round == CV_ABSENT || row->first_round <= round;
}

static bool entity_is_before(const cv_rec_entity *row, int64_t round)
{
    return row->round < round;
}

static bool origin_is_before(const cv_rec_origin *row, int64_t round)
{
    return row->round < round;
}

/* A round that is registered already is asked for once more as it was then: only what came before it is known. So the
 * same files make the same request, and the record answers that it has it. */
static void look_back(cv_arena *a, cv_state *s, int64_t round)
{
    for (size_t i = 0; i < s->entities.count; i++) {
        cv_kind kind = (cv_kind)cv_kind_of_letter(s->entities.items[i].kind.p[0]);
        s->entities.items[i].status = cv_statuses[cv_status_first(kind)].word;
    }
    for (size_t i = 0; i < s->events.count; i++) {
        const cv_rec_event *event = &s->events.items[i];
        cv_rec_entity *row = event->step < round ? cv_state_entity(s, event->subject_id) : NULL;
        if (row && cv_status_find((cv_kind)cv_kind_of_letter(row->kind.p[0]), event->event_type) >= 0)
            row->status = event->event_type;
    }
    KEEP_BEFORE(&s->experts, expert_is_before);
    KEEP_BEFORE(&s->entities, entity_is_before);
    KEEP_BEFORE(&s->origins, origin_is_before);
    s->verdicts.count = 0;
    cv_state_index(a, s);
}

bool cv_importing_load(cv_importing *p, int round, cv_state *ret_state)
{
    const uint32_t kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                           CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN);
    if (!read_state(p, kinds, ret_state))
        return false;
    if (round >= cv_state_next_round(ret_state))
        return true;
    if (!read_state(p, kinds | CV_REC_BIT(EVENT), ret_state))
        return false;
    look_back(p->s->arena, ret_state, round);
    return true;
}

static void seat(const scene *sc, bool *seated, size_t participant)
{
    if (participant < sc->p->s->participants.count)
        seated[participant] = true;
}

/* Who sits: as a panel file says; else everybody of the document's panel; and everybody who speaks. Without a panel of
 * its own a round has those who speak. */
static size_t seat_all(const scene *sc, bool *seated)
{
    const cv_script *s = sc->p->s;
    size_t count = 0;
    for (size_t i = 0; i < sc->act->panel.count; i++)
        seat(sc, seated, sc->act->panel.items[i]);
    for (size_t i = 0; sc->act->panel.count == 0 && i < s->participants.count; i++)
        seated[i] = s->participants.items[i].on_panel &&
                    (s->participants.items[i].first < 0 ||
                     (s->participants.items[i].first <= sc->round && sc->round <= s->participants.items[i].last));
    for (size_t i = 0; i < sc->act->parts.count; i++)
        seat(sc, seated, sc->act->parts.items[i].participant);
    for (size_t i = 0; i < s->participants.count; i++)
        count += seated[i];
    return count;
}

static bool sits_already(const scene *sc, const bool *seated, size_t count)
{
    const cv_rec_seat *seats;
    size_t sitting = cv_state_panel(&sc->state, sc->round, &seats), same = 0;
    cv_map at = {0};
    for (size_t i = 0; i < sitting; i++)
        cv_map_put(&at, sc->p->s->arena, seats[i].expert_slug, NULL);
    for (size_t i = 0; i < sc->p->s->participants.count; i++)
        same += seated[i] && cv_map_get(&at, sc->p->s->participants.items[i].slug) != NULL;
    return sitting == count && same == count;
}

/* The member of the pool with this role who has no name yet. */
static bool is_in_pool(const scene *sc, const cv_participant *participant, bool *taken)
{
    const cv_script *s = sc->p->s;
    for (size_t i = 0; participant->role.n && i < s->pool.count; i++)
        if (!taken[i] && cv_str_eq_nocase(s->pool.items[i].role, participant->role)) {
            for (size_t k = 0; k < sc->state.experts.count; k++)
                if (cv_str_eq_nocase(sc->state.experts.items[k].role, participant->role))
                    return false;
            taken[i] = true;
            return true;
        }
    return false;
}

static void write_newcomer(const scene *sc, const cv_participant *participant, cv_json_writer *w)
{
    bool tier_ok, relevance_ok;
    cv_str tier = cv_tier_or_usual(participant->tier, &tier_ok),
           relevance = cv_relevance_or_usual(participant->relevance, &relevance_ok);
    cv_json_key_str(w, "source", cv_source_words.items[CV_SOURCE_CREATED]);
    cv_json_key_str(w, "role", participant->role.n ? participant->role : participant->name);
    cv_json_key_str(w, "tier", tier);
    cv_json_key_str(w, "reason", cv_arena_printf(sc->p->s->arena, "takes part in round %d", sc->round));
    if (relevance_ok) {
        cv_json_key(w, CV_STR("relevance"));
        cv_json_raw(w, relevance);
    }
    if (participant->focus.n)
        cv_json_key_str(w, "focus", participant->focus);
}

static void write_seat(const scene *sc, const cv_participant *participant, bool *taken, cv_json_writer *w)
{
    const cv_rec_expert *known = cv_state_expert(&sc->state, participant->slug);
    cv_json_begin_object(w);
    cv_json_key_str(w, "slug", participant->slug);
    if (known && cv_person_sat_before(&sc->state, participant->slug, sc->round)) {
        cv_json_key_str(w, "source", cv_source_words.items[CV_SOURCE_RETAINED]);
    } else if (known) {
        cv_json_key_str(w, "source", known->source);
    } else if (is_in_pool(sc, participant, taken)) {
        cv_json_key_str(w, "source", cv_source_words.items[CV_SOURCE_POOL]);
        cv_json_key_str(w, "role", participant->role);
    } else {
        write_newcomer(sc, participant, w);
    }
    cv_json_end_object(w);
}

static void evolve(scene *sc)
{
    cv_script *s = sc->p->s;
    bool *seated = CV_NEW_ARRAY(s->arena, s->participants.count, bool),
         *taken = CV_NEW_ARRAY(s->arena, s->pool.count, bool);
    size_t count = seat_all(sc, seated);
    cv_buf text;
    const char *step = cv_arena_printf(s->arena, "panel-%d", sc->round).p;
    if (count == 0 || sc->round < cv_state_next_round(&sc->state) || sits_already(sc, seated, count))
        return;
    cv_json_writer w = cv_importing_begin(sc->p, &text, step);
    cv_json_key_int(&w, "round", sc->round);
    cv_json_key(&w, CV_STR("panel"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < s->participants.count; i++)
        if (seated[i])
            write_seat(sc, &s->participants.items[i], taken, &w);
    cv_json_end_array(&w);
    if (cv_importing_send(sc->p, &w, step, cv_dialogue_evolve_panel, NULL))
        cv_importing_load(sc->p, sc->round, &sc->state);
}

/* ---- what was said ----------------------------------------------------------------------------------------------- */

static const cv_import_part *part_of(const scene *sc, cv_str slug)
{
    for (size_t i = 0; i < sc->act->parts.count; i++)
        if (cv_str_eq(sc->p->s->participants.items[sc->act->parts.items[i].participant].slug, slug))
            return &sc->act->parts.items[i];
    return NULL;
}

/* The lines of a text, asked for in their order. */
typedef struct {
    cv_str rest, line;
    size_t number;
} line_walk;

static cv_str line_of(line_walk *walk, size_t number)
{
    while (walk->number < number && cv_str_split(&walk->rest, '\n', &walk->line))
        walk->number++;
    return walk->line;
}

/* Notes about what was understood anyway are decisions; the rest was not understood. */
static void keep_notes(const scene *sc)
{
    static const cv_str understood[] = {CV_STR_INIT("short_target"), CV_STR_INIT("no_label"),
                                        CV_STR_INIT("long_label"),   CV_STR_INIT("no_marks"),
                                        CV_STR_INIT("renumbered"),   CV_STR_INIT("duplicate_id")};
    cv_script *s = sc->p->s;
    for (size_t i = 0; i < sc->extract.notes.count; i++) {
        const cv_extracted_note *note = &sc->extract.notes.items[i];
        const cv_import_part *part = part_of(sc, note->expert);
        size_t sheet = part ? part->sheet : CV_NO_SHEET, line = part ? cv_part_read_line(part, note->line) : 0;
        if (cv_str_eq(note->expert, cv_judge_slug))
            continue; /* all of it is kept in the summary, and verdicts are found by their headings */
        if (cv_words_find((cv_words){understood, CV_COUNT(understood)}, note->type) >= 0)
            cv_script_decide(s, sheet, line, "%.*s: %.*s", CV_FMT(note->expert), CV_FMT(note->message));
        else
            cv_script_misunderstand(s, sheet, line, note->text, "%.*s", CV_FMT(note->message));
    }
}

/* What was read as it was meant is a decision, and so is what was taken off; the rest was not understood. */
static void keep_reading(const scene *sc, size_t index)
{
    cv_script *s = sc->p->s;
    const cv_import_part *part = &sc->act->parts.items[index];
    cv_str expert = s->participants.items[part->participant].slug;
    line_walk source = {.rest = part->text}, text = {.rest = part->plain.text};
    cv_diagnostics unread = {0};
    for (size_t i = 0; i < part->plain.remarks.count; i++) {
        const cv_plain_remark *remark = &part->plain.remarks.items[i];
        size_t line = cv_part_line(part, remark->line);
        if (remark->severity == CV_DIAGNOSIS_LOST)
            cv_script_misunderstand(s, part->sheet, line, line_of(&source, remark->line), "%.*s",
                                    CV_FMT(remark->message));
        else
            cv_script_decide(s, part->sheet, line, "%.*s: %.*s", CV_FMT(expert), CV_FMT(remark->message));
    }
    cv_diagnose_unread(s->arena, &sc->extract, index, &unread);
    for (size_t i = 0; i < unread.count; i++)
        if (cv_str_eq(unread.items[i].severity, cv_diagnosis_words.items[CV_DIAGNOSIS_LOST])) {
            cv_str line = line_of(&text, unread.items[i].line);
            if (cv_str_starts(line, CV_STR("\\**"))) /* the backslash is the reader's (intake/plain.h) */
                line = cv_str_from(line, 1);
            cv_script_misunderstand(s, part->sheet, cv_part_read_line(part, unread.items[i].line), line, "%.*s",
                                    CV_FMT(unread.items[i].message));
        }
}

static int by_number(const void *x, const void *y)
{
    const cv_extracted_entity *a = x, *b = y;
    cv_id left, right;
    if (a->kind != b->kind)
        return CV_ORDER(a->kind, b->kind);
    if (!cv_id_parse(a->local_id, &left) || !cv_id_parse(b->local_id, &right) || left.number == right.number)
        return cv_str_order(a->local_id, b->local_id);
    return CV_ORDER(left.number, right.number);
}

static cv_str summary_of(const scene *sc)
{
    cv_buf text = {0};
    for (size_t i = 0; i < sc->act->notes.count; i++) {
        cv_buf_add_z(&text, i ? "\n\n" : "");
        cv_buf_add(&text, sc->act->notes.items[i]);
    }
    return cv_buf_take(&text, sc->p->s->arena);
}

/* Where items are written as they are registered (transcripts), the judge's marks mean what they say as well. */
static void extract(scene *sc)
{
    cv_script *s = sc->p->s;
    bool in_full = sc->p->imported->threads.in_full[sc->round];
    size_t count = sc->act->parts.count;
    cv_response_text *texts = CV_NEW_ARRAY(s->arena, count + 1, cv_response_text);
    cv_map names;
    for (size_t i = 0; i < count; i++)
        texts[i] = (cv_response_text){s->participants.items[sc->act->parts.items[i].participant].slug,
                                      sc->act->parts.items[i].plain.text};
    cv_threads_names(&sc->p->imported->threads, s, &sc->state, sc->round, &names);
    if (in_full)
        texts[count++] = (cv_response_text){cv_judge_slug, summary_of(sc)};
    cv_extract_files(s->arena, &sc->state, sc->round, texts, count, &names, &sc->extract);
    if (in_full)
        qsort(sc->extract.entities.items, sc->extract.entities.count, sizeof *sc->extract.entities.items, by_number);
    keep_notes(sc);
    for (size_t i = 0; i < sc->act->parts.count; i++)
        keep_reading(sc, i);
}

/* ---- what the tracker says --------------------------------------------------------------------------------------- */

/* Those whom the row names and who take part; else the judge. */
static void find_raisers(const scene *sc, const cv_tracked *row, cv_extracted_entity *entity)
{
    const cv_script *s = sc->p->s;
    cv_str names = row->by;
    for (size_t participant; cv_script_next_named(s, &names, &participant);) {
        cv_str slug = participant < s->participants.count ? s->participants.items[participant].slug : CV_STR("");
        bool again = cv_str_eq(slug, entity->expert);
        for (size_t i = 0; i < entity->others.count; i++)
            again = again || cv_str_eq(slug, entity->others.items[i]);
        if (!slug.n || again || !cv_state_expert(&sc->state, slug))
            continue;
        if (entity->expert.n)
            *CV_PUSH(s->arena, &entity->others) = slug;
        else
            entity->expert = slug;
    }
    if (!entity->expert.n)
        entity->expert = cv_judge_slug;
}

/* Items stand by kind; the judge's come behind those of the experts. */
static void add_judges_tension(scene *sc, const cv_thread *thread)
{
    cv_script *s = sc->p->s;
    const cv_tracked *row = &thread->from->row;
    cv_str label = row->label.n ? row->label : row->id;
    size_t tensions = 0, at;
    for (at = 0; at < sc->extract.entities.count && sc->extract.entities.items[at].kind <= CV_KIND_TENSION; at++)
        tensions += sc->extract.entities.items[at].kind == CV_KIND_TENSION;
    if (tensions >= CV_MAX_SEQ) {
        cv_script_misunderstand(s, thread->from->sheet, row->line, row->label, "more than %d tensions in one round",
                                CV_MAX_SEQ);
        return;
    }
    *CV_PUSH(s->arena, &sc->extract.entities) = (cv_extracted_entity){0};
    cv_extracted_entity *place = &sc->extract.entities.items[at];
    memmove(place + 1, place, (sc->extract.entities.count - at - 1) * sizeof *place);
    *place = (cv_extracted_entity){
        .kind = CV_KIND_TENSION,
        .local_id = thread->local_id,
        .label = cv_script_fit(s, thread->from->sheet, row->line, "the label", label, CV_MAX_LABEL),
        .content = label};
    find_raisers(sc, row, place);
}

static bool is_made(const scene *sc, cv_str local_id)
{
    if (cv_state_origin(&sc->state, local_id))
        return true;
    for (size_t i = 0; i < sc->extract.entities.count; i++)
        if (cv_str_eq(sc->extract.entities.items[i].local_id, local_id))
            return true;
    return false;
}

static cv_status status_before(const scene *sc, cv_str local_id)
{
    const cv_rec_origin *origin = cv_state_origin(&sc->state, local_id);
    const cv_rec_entity *row = origin ? cv_state_entity(&sc->state, origin->display_id) : NULL;
    int status = row ? cv_status_find(CV_KIND_TENSION, row->status) : -1;
    return status >= 0 ? (cv_status)status : cv_status_first(CV_KIND_TENSION);
}

static void add_update(scene *sc, const cv_thread *thread, cv_status to)
{
    const cv_tracked *row = &thread->from->row;
    cv_arena *a = sc->p->s->arena;
    cv_str reason = row->resolution.n > 2 ? cv_arena_printf(a, "%.*s: %.*s", CV_FMT(row->word), CV_FMT(row->resolution))
                                          : row->word;
    *CV_PUSH(a, &sc->extract.updates) =
        (cv_extracted_update){.expert = cv_judge_slug, .id = thread->local_id, .reason = reason, .status = to};
}

/* What is closed is opened again before it gets another status. */
static void rule(scene *sc, cv_thread *thread)
{
    cv_status to = (cv_status)thread->from->row.status, from = status_before(sc, thread->local_id);
    if (to == from || to == cv_status_first(CV_KIND_TENSION) || !is_made(sc, thread->local_id))
        return;
    if (!cv_status_may_become(from, to) && cv_status_may_become(from, CV_STATUS_TENSION_REOPENED)) {
        add_update(sc, thread, CV_STATUS_TENSION_REOPENED);
        from = CV_STATUS_TENSION_REOPENED;
    }
    if (!cv_status_may_become(from, to))
        return; /* the comparison tells */
    add_update(sc, thread, to);
    thread->given = true;
}

/* Does another row say last what becomes of the tension in the round? Those of the whole dialogue have the last word.
 */
static bool is_ruled(const cv_threads *threads, size_t at, int round)
{
    const cv_thread *thread = &threads->threads.items[at];
    for (size_t i = 0; i < threads->threads.count; i++) {
        const cv_thread *other = &threads->threads.items[i];
        if (i != at && other->rules && other->closed == round && cv_str_eq(other->local_id, thread->local_id) &&
            (other->from->as_of < 0 ? thread->from->as_of >= 0 : thread->from->as_of >= 0 && i > at))
            return true;
    }
    return false;
}

static void add_threads(scene *sc)
{
    cv_threads *threads = &sc->p->imported->threads;
    for (size_t i = 0; i < threads->threads.count; i++) {
        cv_thread *thread = &threads->threads.items[i];
        if (thread->by_judge && thread->raised == sc->round)
            add_judges_tension(sc, thread);
        if (thread->rules && thread->closed == sc->round && !is_ruled(threads, i, sc->round))
            rule(sc, thread);
    }
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

static int64_t write_expert_scores(const scene *sc, const cv_part_score *scores, size_t count, cv_json_writer *w)
{
    int64_t sum = 0;
    cv_json_key(w, CV_STR("expert_scores"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < count; i++) {
        cv_str slug = sc->p->s->participants.items[scores[i].participant].slug;
        if (!cv_state_expert(&sc->state, slug))
            continue;
        cv_json_key(w, slug);
        cv_json_begin_object(w);
        cv_json_key_int(w, "score", scores[i].points.total);
        cv_points_write(w, &scores[i].points);
        cv_json_end_object(w);
        sum += scores[i].points.total;
    }
    cv_json_end_object(w);
    return sum;
}

/* Sums over the dialogue are those of the round when there is only one. */
static void write_scores(scene *sc, cv_json_writer *w)
{
    cv_script *s = sc->p->s;
    bool only = s->act_count == 1 && sc->act->scores.count == 0 && s->sums.count > 0;
    const cv_part_score *scores = only ? s->sums.items : sc->act->scores.items;
    size_t count = only ? s->sums.count : sc->act->scores.count;
    int64_t sum = count ? write_expert_scores(sc, scores, count, w) : CV_ABSENT;
    if (sc->act->said.line > 0) {
        cv_json_key_int(w, "score", sc->act->said.points.total);
        cv_points_write(w, &sc->act->said.points);
        return;
    }
    if (sum == CV_ABSENT)
        cv_script_decide(s, CV_NO_SHEET, 0, "round %d: score not given, recorded as 0", sc->round);
    cv_json_key_int(w, "score", sum == CV_ABSENT ? 0 : sum);
}

/* ---- the round --------------------------------------------------------------------------------------------------- */

static void write_round(scene *sc, cv_json_writer *w)
{
    cv_extract_print_members(&sc->extract, w);
    cv_str summary = summary_of(sc);
    if (sc->act->title.n)
        cv_json_key_str(w, "title", sc->act->title);
    if (summary.n)
        cv_json_key_str(w, "summary", summary);
    write_scores(sc, w);
    cv_json_key(w, CV_STR("responses"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < sc->act->parts.count; i++) {
        cv_json_key(w, sc->p->s->participants.items[sc->act->parts.items[i].participant].slug);
        cv_json_str(w, sc->act->parts.items[i].text);
    }
    cv_json_end_object(w);
}

static void keep_meanings(const scene *sc, const cv_json *mapping)
{
    const cv_threads *threads = &sc->p->imported->threads;
    for (size_t i = 0; i < threads->threads.count; i++) {
        const cv_thread *thread = &threads->threads.items[i];
        const cv_json *id = thread->raised == sc->round ? cv_json_get(mapping, thread->local_id) : NULL;
        if (id)
            *CV_PUSH(sc->p->s->arena, &sc->p->imported->meanings) = (cv_meant){thread->from->row.id, id->text};
    }
}

/* A round that no file has, or in which nothing was said, is registered only when another one follows it. */
static bool is_empty(const scene *sc)
{
    bool empty = true;
    for (size_t i = (size_t)sc->round; i < sc->p->s->act_count; i++) {
        const cv_import_act *act = &sc->p->s->acts[i];
        empty &= act->parts.count == 0 && act->notes.count == 0 && act->said.line == 0 && act->scores.count == 0;
    }
    return empty;
}

/* [VERDICT:INTERIM: Go on] in what the judge noted about the round. */
static void register_interims(scene *sc)
{
    cv_script *s = sc->p->s;
    size_t number = 0;
    for (size_t i = 0; i < s->interims.count && !sc->p->failed; i++) {
        const cv_ending *interim = &s->interims.items[i];
        cv_buf text;
        if (interim->rank != sc->round)
            continue;
        cv_str id = cv_proposal_id(s->arena, CV_VERDICT_INTERIM, sc->round, ++number);
        const char *step = cv_arena_copy_z(s->arena, id);
        cv_json_writer w = cv_importing_begin(sc->p, &text, step);
        cv_json_key_str(&w, "verdict_id", id);
        cv_json_key_str(&w, "verdict_type", cv_verdict_words.items[CV_VERDICT_INTERIM]);
        cv_json_key_int(&w, "round", sc->round);
        cv_json_key_str(&w, "recommendation", interim->heading);
        cv_json_key_str(&w, "description", interim->text);
        if (cv_importing_send(sc->p, &w, step, cv_dialogue_verdict_register, NULL))
            *cv_map_put(&s->verdict_at, s->arena, id, NULL) = interim->sheet + 1;
    }
}

void cv_importing_round(cv_importing *p, int round)
{
    scene *sc = CV_NEW(p->s->arena, scene);
    cv_buf text;
    cv_reply reply;
    const char *step = cv_arena_printf(p->s->arena, "round-%d", round).p;
    *sc = (scene){.p = p, .act = &p->s->acts[round], .round = round};
    if (!cv_importing_load(p, round, &sc->state))
        return;
    evolve(sc);
    if (!p->failed && is_empty(sc)) {
        if (sc->act->written >= 0)
            cv_script_decide(p->s, sc->act->sheet, 0, "round %d has nothing but its panel: it is not registered",
                             round + p->s->base);
        return;
    }
    if (p->failed)
        return;
    if (sc->act->written < 0)
        cv_script_decide(p->s, CV_NO_SHEET, 0, "round %d is in no file and is recorded empty", round + p->s->base);
    extract(sc);
    add_threads(sc);
    cv_json_writer w = cv_importing_begin_bare(p, &text, step);
    write_round(sc, &w);
    if (!cv_importing_send(p, &w, step, cv_dialogue_round_register, &reply))
        return;
    keep_meanings(sc, cv_json_get(&reply.json, CV_STR("id_mapping")));
    for (size_t i = 0; i < sc->extract.verdicts.count; i++)
        *CV_PUSH(p->s->arena, &p->verdicts) = (cv_late_verdict){sc->extract, i};
    register_interims(sc);
}

/* An expert may dissent in several rounds: the later ones are told apart by their rounds. */
void cv_importing_verdict(cv_importing *p, const cv_late_verdict *late)
{
    cv_extracted_verdict verdict = late->extract.verdicts.items[late->which];
    cv_buf text;
    bool is_new;
    cv_map_put(&p->verdict_ids, p->s->arena, verdict.verdict_id, &is_new);
    if (!is_new)
        verdict.verdict_id =
            cv_arena_printf(p->s->arena, "%.*s-r%lld", CV_FMT(verdict.verdict_id), (long long)late->extract.round);
    const char *step = cv_arena_copy_z(p->s->arena, verdict.verdict_id);
    cv_json_writer w = cv_importing_begin_bare(p, &text, step);
    cv_extracted_verdict_print_members(&late->extract, &verdict, &w);
    cv_importing_send(p, &w, step, cv_dialogue_verdict_register, NULL);
}
