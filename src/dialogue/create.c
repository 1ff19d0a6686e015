/* create.c - a new dialogue: checked, named, its first panel drawn, and the judge instructed.
 *
 *     request -> wish      what is asked for, every fault at once
 *     wish    -> id        the title's slug, or the first of -2 … -99 that is free
 *     id      -> panel     drawn with the given seed or the id's own; names dealt Core, Adjacent, Wildcard
 *     panel   -> record    one write against rev 0: the second one at an id goes on to the next id
 *
 * With an op_id the same request is answered again with the first dialogue. Without one it makes a new dialogue, unless
 * the one that it made before is still as it was made: nothing has been written to it since.
 * `expect_rev: 0` insists on the title's own slug: a taken one is a rev_conflict.
 */
#include "base/utf8.h"
#include "dialogue/answer.h"
#include "dialogue/files.h"
#include "dialogue/journal.h"
#include "dialogue/notices.h"
#include "dialogue/operations.h"
#include "dialogue/panel/template.h"
#include "dialogue/people.h"
#include "dialogue/protocol.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"
#include "kit/destination.h"

enum { FEWEST_EXPERTS = 3 };

typedef struct {
    cv_rec_dialogue row; /* all that does not depend on the id */
    cv_pool pool;
    bool named;   /* it has an op_id */
    bool insists; /* it has an expect_rev */
    cv_notices warnings;
} wish;

/* ---- the request ------------------------------------------------------------------------------------------------- */

static const cv_json *given(const cv_call *call, const char *key)
{
    return cv_json_get(call->input, cv_str_of(key));
}

static int depth_of(const cv_json *value)
{
    int deepest = 0;
    bool is_array = value->type == CV_JSON_ARRAY;
    if (!is_array && value->type != CV_JSON_OBJECT)
        return 0;
    for (uint32_t i = 0; i < value->count; i++) {
        int depth = depth_of(is_array ? &value->items[i] : &value->members[i].value);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* A member that is kept as JSON. */
static cv_str read_json(cv_call *call, const char *key)
{
    const cv_json *value = given(call, key);
    if (!value)
        return (cv_str){NULL, 0};
    cv_buf text = {0};
    int depth = depth_of(value);
    cv_json_value(&(cv_json_writer){.out = &text}, value);
    if (text.n > CV_MAX_BACKGROUND)
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), key, (cv_str){NULL, 0},
                  "%s has %zu bytes as JSON, at most %d are allowed", key, text.n, CV_MAX_BACKGROUND);
    if (depth > CV_MAX_BACKGROUND_DEPTH)
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), key, (cv_str){NULL, 0},
                  "%s is nested %d levels deep, at most %d are allowed", key, depth, CV_MAX_BACKGROUND_DEPTH);
    return cv_buf_take(&text, call->arena);
}

static bool leaves_root(cv_str path)
{
    cv_str piece;
    if (path.n > 0 && path.p[0] == '/')
        return true;
    while (cv_str_split(&path, '/', &piece))
        if (cv_str_eq(piece, CV_STR("..")))
            return true;
    return false;
}

static cv_str read_output_dir(cv_call *call)
{
    cv_str path = cv_text_read(call, call->input, CV_STR(""), "output_dir", CV_MAX_PATH, CV_TEXT_LINE);
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    cv_err err = {.arena = call->arena};
    cv_where folder;
    if (call->confined && leaves_root(path))
        cv_err_suggest(
            cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "output_dir", path, "the folder is outside the project"),
            CV_STR("give a path below the project's root, without '..', or leave it out"));
    else if (path.n && !cv_destination_folder(call, path, &folder, &err))
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "output_dir", path,
                                 "dialogues cannot write to the folder: %.*s", CV_FMT(err.message)),
                       err.suggestion);
    return path;
}

static cv_str read_target(cv_call *call)
{
    const cv_json *target = given(call, "convergence_target");
    return target ? target->text : (cv_str){NULL, 0};
}

static void read_calibration(cv_call *call, cv_rec_dialogue *row)
{
    const cv_json *calibrated = given(call, "calibrated"), *calibration = given(call, "calibration");
    row->domain_id = cv_text_read(call, call->input, CV_STR(""), "domain_id", CV_MAX_PHRASE, CV_TEXT_LINE);
    row->ethos_id = cv_text_read(call, call->input, CV_STR(""), "ethos_id", CV_MAX_PHRASE, CV_TEXT_LINE);
    row->calibration = read_json(call, "calibration");
    cv_str own = calibration
                     ? cv_text_read(call, calibration, CV_STR("calibration"), "ethos_id", CV_MAX_PHRASE, CV_TEXT_LINE)
                     : (cv_str){NULL, 0};
    if (own.p && row->ethos_id.p && !cv_str_eq(own, row->ethos_id))
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR("calibration"), "ethos_id", own,
                                 "the dialogue's ethos_id is '%.*s'", CV_FMT(row->ethos_id)),
                       CV_STR("give one of them"));
    if (!row->ethos_id.p)
        row->ethos_id = own;
    if (calibrated && calibrated->type == CV_JSON_FALSE && calibration)
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "calibrated", CV_STR("false"),
                  "a dialogue with a calibration is calibrated");
    row->calibrated =
        calibrated ? calibrated->type == CV_JSON_TRUE : calibration || row->ethos_id.p || row->domain_id.p;
}

/* "Role: focus" of --expert as a member of a pool. */
static void write_expert(cv_json_writer *w, cv_str text)
{
    size_t colon = cv_str_find_char(text, ':');
    cv_str focus = colon == SIZE_MAX ? CV_STR("") : cv_str_trim(cv_str_from(text, colon + 1));
    cv_json_begin_object(w);
    cv_json_key_str(w, "role", cv_str_trim(cv_str_head(text, colon)));
    cv_json_key_str(w, "tier", cv_tier_words.items[CV_TIER_CORE]);
    cv_json_key(w, CV_STR("relevance"));
    cv_json_raw(w, CV_STR("0.8"));
    if (focus.n > 0)
        cv_json_key_str(w, "focus", focus);
    cv_json_end_object(w);
}

/* The pool and the experts that are given one by one, as one pool. */
static const cv_json *with_experts(cv_call *call, const cv_json *pool, const cv_json *more)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json *both = CV_NEW(call->arena, cv_json);
    cv_err err = {.arena = call->arena};
    const cv_json *experts = pool ? cv_json_get(pool, CV_STR("experts")) : NULL;
    cv_str domain = pool ? cv_json_get_text(pool, "domain") : cv_json_get_text(call->input, "title");
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "domain", domain);
    if (pool && cv_json_get(pool, CV_STR("question")))
        cv_json_key_str(&w, "question", cv_json_get_text(pool, "question"));
    cv_json_key(&w, CV_STR("experts"));
    cv_json_begin_array(&w);
    for (uint32_t i = 0; experts && i < experts->count; i++)
        cv_json_value(&w, &experts->items[i]);
    for (uint32_t i = 0; i < more->count; i++)
        write_expert(&w, more->items[i].text);
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    bool ok = cv_json_parse(call->arena, cv_buf_take(&text, call->arena), both, &err) || cv_call_fail(call, &err);
    return ok ? both : NULL;
}

/* The pool that is given, or that of a template; and more experts. NULL: there is none, or the call has faults. */
static const cv_json *find_pool(cv_call *call)
{
    const cv_json *pool = given(call, "expert_pool"), *panel = given(call, "panel"), *more = given(call, "expert");
    cv_panel_template found;
    if (pool && panel) {
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "panel", panel->text,
                                 "a panel and a pool of experts are given"),
                       CV_STR("give one of them"));
        return NULL;
    }
    if (panel && !(pool = cv_template_pool(call, panel->text, "panel", &found)))
        return NULL;
    return more && more->count > 0 ? with_experts(call, pool, more) : pool;
}

static void read_pool(cv_call *call, wish *w)
{
    size_t before = call->errs->count, wildcards = 0;
    const cv_json *pool = find_pool(call);
    if (call->errs->count > before)
        return;
    if (!pool) {
        cv_notice_add(
            &w->warnings, call->arena, CV_STR("no_pool"),
            "the dialogue has no panel yet: add experts with expert-create, then seat them with evolve-panel");
        return;
    }
    const cv_json *more = given(call, "expert");
    size_t own = cv_json_get(pool, CV_STR("experts"))->count - (more ? more->count : 0);
    if (!cv_pool_read(call, pool, own, &w->pool))
        return;
    for (size_t i = 0; i < w->pool.count; i++)
        wildcards += w->pool.items[i].tier == CV_TIER_WILDCARD;
    if (w->pool.count < FEWEST_EXPERTS)
        cv_notice_add(&w->warnings, call->arena, CV_STR("small_pool"),
                      "fewer than three experts: a panel needs different views");
    else if (wildcards == 0)
        cv_notice_add(&w->warnings, call->arena, CV_STR("no_wildcard"),
                      "no Wildcard in the pool: nobody is there to challenge the usual view");
    w->row.expert_pool = cv_pool_print(call->arena, &w->pool);
}

/* How many sit in round 0: as asked, otherwise the whole pool up to the usual size. */
static int64_t read_panel_size(cv_call *call, const wish *w)
{
    int64_t pool = (int64_t)w->pool.count;
    int64_t size = cv_json_get_int(call->input, "panel_size", pool < CV_USUAL_PANEL ? pool : CV_USUAL_PANEL);
    if (w->pool.count && size > pool)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "panel_size",
                                 cv_arena_printf(call->arena, "%lld", (long long)size), "the pool has %lld expert%s",
                                 (long long)pool, CV_PLURAL(pool)),
                       CV_STR("make the pool larger or the panel smaller"));
    return w->pool.count || given(call, "panel_size") ? size : CV_ABSENT;
}

static bool read_wish(cv_call *call, wish *w)
{
    const cv_json *rotation = given(call, "rotation");
    *w = (wish){.named = given(call, "op_id"), .insists = given(call, "expect_rev")};
    w->row = (cv_rec_dialogue){
        .title = cv_text_read(call, call->input, CV_STR(""), "title", CV_MAX_TITLE, CV_TEXT_LINE),
        .question = cv_text_read(call, call->input, CV_STR(""), "question", CV_MAX_PROSE, CV_TEXT_PROSE),
        .status = cv_dialogue_words.items[CV_DIALOGUE_OPEN],
        .background = read_json(call, "background"),
        .output_dir = read_output_dir(call),
        .rotation = rotation ? rotation->text : cv_rotation_words.items[CV_ROTATION_GRADUATED],
        .seed = cv_json_get_int(call->input, "seed", CV_ABSENT),
        .convergence_target = read_target(call),
        .strict_convergence = cv_json_get_true(call->input, "strict_convergence"),
        .archived = CV_ABSENT,
    };
    read_calibration(call, &w->row);
    read_pool(call, w);
    w->row.panel_size = read_panel_size(call, w);
    return call->errs->count == 0;
}

/* ---- the first panel --------------------------------------------------------------------------------------------- */

typedef struct {
    cv_candidates candidates;
    cv_draws draws;
    cv_rec_expert *experts; /* in the order of the panel, */
    cv_rec_seat *seats;     /* … and where they sit */
    size_t count;
} cast;

static void draw_cast(cv_call *call, const wish *w, const cv_rec_dialogue *row, cast *c)
{
    cv_map taken;
    size_t *order;
    *c = (cast){0};
    for (size_t i = 0; i < w->pool.count; i++) {
        const cv_person *p = &w->pool.items[i];
        *CV_PUSH(call->arena, &c->candidates) = (cv_candidate){.role = p->role,
                                                               .relevance = p->relevance,
                                                               .tier = (cv_tier)p->tier,
                                                               .weight = cv_person_weight(p->relevance)};
    }
    if (w->pool.count == 0)
        return;
    cv_panel_open(call->arena, &c->candidates, (size_t)row->panel_size, row->seed, &c->draws);
    c->count = cv_panel_order(call->arena, &c->candidates, &c->draws, &order);
    c->experts = CV_NEW_ARRAY(call->arena, c->count, cv_rec_expert);
    c->seats = CV_NEW_ARRAY(call->arena, c->count, cv_rec_seat);
    cv_pool_taken(call->arena, &(cv_state){0}, &w->pool, &taken);
    for (size_t i = 0; i < c->count; i++) {
        const cv_person *p = &w->pool.items[order[i]];
        cv_str slug = p->slug.n ? p->slug : cv_panel_deal(call->arena, &taken);
        int64_t position = (int64_t)i + 1;
        c->experts[i] = cv_person_row(p, slug, CV_SOURCE_POOL, position, 0, row->created_at);
        c->seats[i] = (cv_rec_seat){.round = 0,
                                    .expert_slug = slug,
                                    .position = position,
                                    .source = cv_source_words.items[CV_SOURCE_POOL],
                                    .focus = p->focus};
    }
}

/* ---- the record -------------------------------------------------------------------------------------------------- */

static cv_selection selection_of(cv_arena *a, const cv_rec_dialogue *row, const cast *c)
{
    size_t size = row->panel_size == CV_ABSENT ? 0 : (size_t)row->panel_size;
    return cv_selection_shown(a, row->seed, size, CV_ROTATION_NONE, &c->candidates, &c->draws);
}

static void enter(cv_journal *j, const cv_rec_dialogue *row, const cast *c)
{
    cv_str created = cv_event_words.items[CV_EVENT_CREATED], judge = cv_judge_alone.json;
    cv_journal_put(j, CV_REC_DIALOGUE, row);
    cv_journal_covers(j, cv_journal_event(j, 'D', j->state->id, created, CV_ABSENT, judge), CV_REC_DIALOGUE, row);
    for (size_t i = 0; i < c->count; i++) {
        cv_journal_put(j, CV_REC_EXPERT, &c->experts[i]);
        cv_rec_event *event = cv_journal_event(j, 'X', c->experts[i].expert_slug, created, 0, judge);
        cv_journal_covers(j, event, CV_REC_EXPERT, &c->experts[i]);
        cv_journal_put(j, CV_REC_SEAT, &c->seats[i]);
    }
    if (c->count == 0)
        return;
    const cv_selection selection = selection_of(j->call->arena, row, c);
    cv_journal_event(j, 'N', CV_STR("0"), created, 0, judge)->data =
        cv_shape_text(j->call->arena, cv_selection_shape, &selection);
}

typedef struct {
    cv_state s;
    cv_shown_seat *panel;
    size_t count;
    cv_selection selection;
    cv_protocol protocol;
    cv_notices warnings;
} creation;

#define CV_THIS_TYPE creation
const cv_shape cv_create_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", s.id, ""),
    CV_FIELD_AS(ALWAYS, "title", s.dialogue.title, ""),
    CV_OBJECT(ALWAYS, "dialogue", s, cv_dialogue_brief, ""),
    CV_LIST("panel", panel, count, cv_seat_shape, "Core, Adjacent, Wildcard"),
    CV_OBJECT(ALWAYS, "selection", selection, cv_selection_shape, "how the panel was drawn"),
    CV_OBJECT(ALWAYS, "judge_protocol", protocol, cv_protocol_shape, ""),
    CV_WARNINGS(warnings, CV_TO_BE_KNOWN),
    CV_LATER_PRINTED("text", "the same in short, for people; not with --json"),
    CV_WRITTEN("dialogue"),
    {0},
};
#undef CV_THIS_TYPE

static cv_str print_result(cv_call *call, const wish *asked, cv_str id, const cv_rec_dialogue *row, const cast *c)
{
    cv_arena *a = call->arena;
    creation made = {.s = {.id = id, .dialogue = *row},
                     .panel = CV_NEW_ARRAY(a, c->count, cv_shown_seat),
                     .count = c->count,
                     .selection = selection_of(a, row, c),
                     .protocol = cv_protocol_of(call, row, &asked->pool),
                     .warnings = asked->warnings};
    for (size_t i = 0; i < c->count; i++)
        made.panel[i] = cv_seat_shown(a, &c->experts[i], &c->seats[i]);
    return cv_shape_text(a, cv_create_shape, &made);
}

/* ---- the id ------------------------------------------------------------------------------------------------------ */

cv_str cv_dialogue_nth_id(cv_arena *a, cv_str slug, int n)
{
    if (n == 1)
        return slug;
    cv_str suffix = cv_arena_printf(a, "-%d", n);
    cv_str head = cv_utf8_head(slug, CV_MAX_DIALOGUE_ID - suffix.n);
    while (cv_str_ends(head, CV_STR("-")))
        head.n--;
    return cv_arena_join(a, head, suffix);
}

/* Writes the dialogue under this id. True without an answer in `outcome`: the id is taken. */
static bool settle(cv_call *call, const wish *w, cv_str id, bool *ret_settled, cv_outcome *outcome)
{
    cv_state nothing = {.id = id};
    cv_journal j;
    cast c;
    cv_rec_dialogue row = w->row;
    cv_journal_begin(&j, call, &nothing);
    row.created_at = j.now;
    if (!row.output_dir.p)
        row.output_dir = cv_arena_printf(call->arena, CV_DIALOGUES_FOLDER "/%.*s", CV_FMT(id));
    if (row.seed == CV_ABSENT)
        row.seed = cv_panel_seed(id);
    draw_cast(call, w, &row, &c);
    enter(&j, &row, &c);
    if (!cv_journal_commit(&j, print_result(call, w, id, &row, &c), outcome))
        return false;
    *ret_settled = !outcome->conflict;
    return true;
}

static bool taken_slug(cv_call *call, cv_str id)
{
    cv_err_suggest(cv_refuse(call, CV_ERR_REV_CONFLICT, CV_STR(""), "expect_rev", CV_STR("0"),
                             "the dialogue '%.*s' exists", CV_FMT(id)),
                   CV_STR("leave expect_rev out to get the next free id"));
    return false;
}

/* Does the dialogue with this id answer the request? By the op_id, or because it was created so and has no round yet:
 * a caller that asks again means that one. */
static bool is_answer(cv_call *call, const wish *w, cv_str id, int64_t rev, cv_outcome *outcome, cv_err *err)
{
    *outcome = (cv_outcome){0};
    if (w->named)
        return cv_request_replayed(call, cv_dialogue_scope(id), outcome, err);
    if (w->insists || rev < 1)
        return true;
    if (!cv_request_made(call, cv_dialogue_scope(id), 1, outcome, err))
        return false;
    if (!outcome->replayed || rev == 1)
        return true;
    cv_state s;
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(ROUND), .outline = CV_REC_BIT(DIALOGUE)};
    if (!cv_state_load(call, id, &wanted, &s, err))
        return false;
    if (s.rounds.count || !cv_str_eq(s.dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_OPEN]))
        *outcome = (cv_outcome){0};
    return true;
}

/* Looks at one id after the other. One that a rival takes in this moment is looked at once more: the rival may have
 * made the same request. */
static bool find_place(cv_call *call, const wish *w, cv_outcome *outcome, cv_err *err)
{
    cv_str slug = cv_slug_of_title(call->arena, w->row.title);
    for (int n = 1; n <= CV_MAX_SAME_TITLE; n++) {
        cv_str id = cv_dialogue_nth_id(call->arena, slug, n);
        cv_position position = {0};
        bool used, settled = false;
        if (!cv_position_of(call->record, call->arena, id, &position, &used, err))
            return cv_call_fail(call, err);
        if (!used && !settle(call, w, id, &settled, outcome))
            return false;
        if (settled)
            return true;
        if (!used && !cv_position_of(call->record, call->arena, id, &position, &used, err))
            return cv_call_fail(call, err);
        if (!is_answer(call, w, id, position.rev, outcome, err))
            return cv_call_fail(call, err);
        if (outcome->replayed)
            return true;
        if (w->insists)
            return taken_slug(call, id);
    }
    cv_err_suggest(cv_refuse(call, CV_ERR_SIMILAR_TITLES, CV_STR(""), "title", w->row.title,
                             "%d dialogues have this title already", CV_MAX_SAME_TITLE),
                   CV_STR("choose a title that no other dialogue has"));
    return false;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

/*     dialogue: files
 *     title:    Files
 *     question: Where do generated files go?
 *     panel:    muffin, Value Analyst (Core)
 *               cupcake, Risk Manager (Core)
 *     next:     conclave dialogue round-prompts files
 *
 * The judge's protocol and how the panel was drawn are for programs: the answer as JSON has them. */

/* The answer may be one of the first time, as the record kept it. */
static uint32_t count_of(const cv_json *list)
{
    return list && list->type == CV_JSON_ARRAY ? list->count : 0;
}

static void print_panel(cv_buf *out, cv_arena *a, const cv_json *panel)
{
    for (uint32_t i = 0; i < count_of(panel); i++) {
        const cv_json *seat = &panel->items[i];
        cv_str slug = cv_json_get_text(seat, "slug"), role = cv_squeeze(a, cv_json_get_text(seat, "role"));
        cv_str tier = cv_json_get_text(seat, "tier");
        cv_buf_printf(out, "%s%.*s, %.*s (%.*s)\n", i ? "          " : "panel:    ", CV_FMT(slug), CV_FMT(role),
                      CV_FMT(tier));
    }
}

static void print_warnings(cv_buf *out, cv_arena *a, const cv_json *warnings)
{
    for (uint32_t i = 0; i < count_of(warnings); i++)
        cv_buf_printf(out, "note:     %.*s\n", CV_FMT(cv_squeeze(a, cv_json_get_text(&warnings->items[i], "message"))));
}

/* The panel is asked; where there is none it is seated, from the pool or with new experts. */
static cv_str next_of(const cv_call *call, const cv_json *answer, cv_str id)
{
    const cv_json *pool = cv_json_get(cv_json_get(answer, CV_STR("selection")), CV_STR("candidates"));
    const cv_argument seats[] = {{"round", CV_STR("0"), CV_ARGUMENT_JSON},
                                 {"add", cv_pool_roles(call->arena, pool), CV_ARGUMENT_COMMAND}};
    static const cv_argument whom[] = {{"tier", CV_STR_INIT("Core"), CV_ARGUMENT_TEXT}};
    if (count_of(cv_json_get(answer, CV_STR("panel"))))
        return cv_call_name(call, CV_STR("dialogue round-prompts"), id, NULL, 0);
    return count_of(pool) ? cv_call_name(call, CV_STR("dialogue evolve-panel"), id, seats, CV_COUNT(seats))
                          : cv_call_name(call, CV_STR("dialogue expert-create"), id, whom, CV_COUNT(whom));
}

/* `answer` is that of create, of now or of the first time. */
static cv_str text_of(const cv_call *call, const cv_json *answer)
{
    cv_arena *a = call->arena;
    const cv_json *panel = cv_json_get(answer, CV_STR("panel"));
    cv_str id = cv_json_get_text(answer, "dialogue_id");
    cv_str question = cv_json_get_text(cv_json_get(answer, CV_STR("dialogue")), "question");
    cv_str title = cv_json_get_text(answer, "title");
    cv_str next = next_of(call, answer, id);
    cv_buf out = {0};
    cv_buf_printf(&out, "dialogue: %.*s\ntitle:    %.*s\n", CV_FMT(id), CV_FMT(title));
    if (question.n)
        cv_buf_printf(&out, "question: %.*s\n", CV_FMT(cv_squeeze(a, question)));
    print_panel(&out, a, panel);
    print_warnings(&out, a, cv_json_get(answer, CV_STR("warnings")));
    cv_buf_printf(&out, "next:     %.*s\n", CV_FMT(next));
    return cv_buf_take(&out, a);
}

/* Behind what is kept: a text for people is no part of it. */
static void add_text(const cv_call *call, cv_outcome *outcome)
{
    cv_json answer;
    cv_err err = {.arena = call->arena};
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    if (!cv_json_parse(call->arena, outcome->result, &answer, &err))
        return;
    cv_buf_add(&out, cv_str_head(outcome->result, outcome->result.n - 1));
    cv_buf_add_z(&out, ",\"text\":");
    cv_json_str(&w, text_of(call, &answer));
    cv_buf_add_char(&out, '}');
    outcome->result = cv_buf_take(&out, call->arena);
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

bool cv_dialogue_create(cv_call *call)
{
    wish w;
    cv_outcome outcome = {0};
    cv_err err = {.arena = call->arena};
    cv_request_begin(call, CV_STR("dialogue create"));
    if (!read_wish(call, &w) || !find_place(call, &w, &outcome, &err))
        return false;
    if (call->for_people)
        add_text(call, &outcome);
    cv_request_answer(call, &outcome);
    return true;
}
