/* lists.c - which dialogues there are, what one of them looks like, and the end of one that leads nowhere. */
#include <assert.h>

#include "base/plain.h"
#include "dialogue/answer.h"
#include "dialogue/dynamics.h"
#include "dialogue/journal.h"
#include "dialogue/labels.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/person.h"
#include "dialogue/view/progress.h"
#include "dialogue/words/id.h"
#include "dialogue/words/limits.h"

/* ---- list -------------------------------------------------------------------------------------------------------- */

enum { USUAL_PAGE = 50 };

typedef struct {
    cv_str id, title, status, created_at;
    int64_t total_rounds, total_alignment, rev;
    bool archived;
    cv_str tags; /* JSON */
} listed;

typedef struct {
    cv_call *call;
    cv_arena *a;
    size_t limit;
    cv_str status;         /* empty: any */
    bool decided;          /* only those of them whose verdict did not wait for the target */
    cv_words tags;         /* all of which it must have */
    bool all, archived;    /* what is put away, too; only that */
    size_t seen, put_away; /* of a batch; archived ones that are not shown */
    cv_str last;           /* id of the last one that was seen */
    CV_STATE_LIST(listed) dialogues;
    cv_str next; /* empty: there is no next page */
    cv_str text; /* for people, if they have asked */
} page;

#define CV_THIS_TYPE listed
static const cv_shape listed_shape[] = {
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_FIELD(ALWAYS, title, ""),
    CV_FIELD(ALWAYS, status, ""),
    CV_FIELD(ALWAYS, created_at, ""),
    CV_FIELD(OR_ZERO, total_rounds, ""),
    CV_FIELD(OR_ZERO, total_alignment, ""),
    CV_FIELD(ALWAYS, rev, ""),
    CV_FIELD(IF_ANY, archived, ""),
    CV_JSON_AS(IF_ANY, NAMES, "tags", tags, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE page
const cv_shape cv_list_shape[] = {
    CV_SUCCESS,
    CV_LIST("dialogues", dialogues.items, dialogues.count, listed_shape, "by id"),
    CV_FIELD_AS(ALWAYS, "count", dialogues.count, ""),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

/* Of a status and with tags that are asked for. */
static bool is_wanted(const page *p, const cv_rec_dialogue *row)
{
    cv_words has = p->tags.count ? cv_json_list(p->a, row->tags) : (cv_words){0};
    for (size_t i = 0; i < p->tags.count; i++)
        if (cv_words_find(has, p->tags.items[i]) < 0)
            return false;
    return !p->status.n || cv_str_eq(p->status, row->status);
}

/* With memory of its own: many may be looked at for a page. */
static bool is_decided(const page *p, cv_str id, bool *ret_decided, cv_err *err)
{
    cv_arena a = {0};
    cv_err own_err = {.arena = &a};
    cv_call own = *p->call;
    own.arena = &a;
    cv_overview *overview = CV_NEW(&a, cv_overview);
    bool ok = cv_overview_load(&own, id, 0, overview, &own_err);
    *ret_decided = ok && cv_str_eq(cv_overview_status(overview), cv_status_decided);
    if (!ok)
        cv_err_copy(err, &own_err);
    cv_arena_release(&a);
    return ok;
}

static bool list_one(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    page *p = ctx;
    bool archived = cv_dialogue_is_archived(row), decided = true;
    p->seen++;
    p->last = cv_arena_copy(p->a, id);
    if (!is_wanted(p, row))
        return true;
    if (p->decided && !is_decided(p, id, &decided, err))
        return false;
    if (!decided)
        return true;
    if (!p->all && archived != p->archived)
        p->put_away += archived;
    else if (p->dialogues.count == p->limit)
        p->next = p->dialogues.items[p->limit - 1].id;
    else
        *CV_PUSH(p->a, &p->dialogues) = (listed){p->last,
                                                 cv_arena_copy(p->a, row->title),
                                                 cv_arena_copy(p->a, row->status),
                                                 cv_arena_copy(p->a, row->created_at),
                                                 row->total_rounds,
                                                 row->total_alignment,
                                                 rev,
                                                 archived,
                                                 row->tags.p ? cv_arena_copy(p->a, row->tags) : row->tags};
    return true;
}

/* In batches of a page, until the page is full or nothing is left: what is not wanted makes no page shorter. */
static bool fill_page(cv_call *call, page *p, cv_err *err)
{
    cv_list_query query = {.status = p->status,
                           .archived = p->archived && !p->all,
                           .after = cv_json_get_text(call->input, "after"),
                           .limit = p->limit + 1};
    do {
        p->seen = 0;
        if (!cv_list_dialogues(call->record, call->arena, &query, list_one, p, err))
            return false;
        query.after = p->last;
    } while (p->seen == query.limit && !p->next.n);
    return true;
}

/* "3 d ago": the largest unit that fits. */
static cv_str age_of(const cv_call *call, cv_str created_at)
{
    static const struct {
        int64_t seconds;
        const char *word;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    int64_t then, seconds = 0;
    if (cv_time_parse(created_at, &then))
        seconds = (call->clock.now_ms(call->clock.ctx) - then) / 1000;
    for (size_t i = 0; i < CV_COUNT(units); i++)
        if (seconds >= units[i].seconds)
            return cv_arena_printf(call->arena, "%lld %s ago", (long long)(seconds / units[i].seconds), units[i].word);
    return CV_STR("now");
}

/* A line of its own, cut at the end of a terminal and nowhere else. */
static void say_line(const cv_call *call, cv_chart *c, cv_str text)
{
    cv_chart_say(c, "  ");
    cv_chart_text(c, text, call->width ? cv_chart_line_width(c) - 2 : text.n);
    cv_chart_line(c);
}

/*     nvidia-decision                         converged, 3 rounds, 2 d ago
 *       Title: Sell the income fund?            when the id no longer says it
 *       Swap NVAI for NVDA?
 *       Decision: REJECT full swap.
 *       Tags: income, investing
 */
static bool say_listed(cv_call *call, cv_chart *c, const listed *row, cv_progress *p, cv_err *err)
{
    size_t width = cv_chart_line_width(c), id = cv_plain_width(row->id);
    if (!cv_progress_load(call, row->id, CV_REC_BIT(DIALOGUE), p, err))
        return false;
    const cv_rec_verdict *final = cv_overview_final(&p->overview);
    cv_str question = p->overview.s.dialogue.question;
    cv_str facts = cv_arena_printf(call->arena, "%s%.*s, %lld round%s, %.*s", row->archived ? "archived, " : "",
                                   CV_FMT(cv_overview_status(&p->overview)), (long long)row->total_rounds,
                                   CV_PLURAL(row->total_rounds), CV_FMT(age_of(call, row->created_at)));
    cv_chart_paint(c, CV_PAINT_BOLD);
    cv_chart_say(c, "%.*s", CV_FMT(row->id));
    cv_chart_paint(c, CV_PAINT_END);
    if (id + 2 + cv_plain_width(facts) > width) {
        cv_chart_line(c);
        cv_chart_say(c, "  %.*s", CV_FMT(facts));
    } else {
        cv_chart_cell(c, facts, width - id, CV_CHART_RIGHT);
    }
    cv_chart_line(c);
    cv_str slug = cv_slug_of_title(call->arena, row->title);
    if (question.n && !cv_str_starts(row->id, slug) && !cv_str_starts(slug, row->id))
        say_line(call, c, cv_arena_printf(call->arena, "Title: %.*s", CV_FMT(row->title)));
    say_line(call, c, question.n ? question : row->title);
    cv_str last = cv_arena_printf(call->arena, "%s: %.*s", final ? "Decision" : "Next",
                                  CV_FMT(final ? final->recommendation : p->next.text));
    say_line(call, c, last);
    if (row->tags.n)
        say_line(call, c, cv_arena_printf(call->arena, "Tags: %.*s", CV_FMT(cv_people_list(call->arena, row->tags))));
    return true;
}

static bool say_page(cv_call *call, page *p, cv_err *err)
{
    cv_chart c = cv_chart_for(call);
    cv_progress *progress = CV_NEW(call->arena, cv_progress);
    for (size_t i = 0; i < p->dialogues.count; i++) {
        cv_chart_say(&c, "%s", i ? "\n" : "");
        if (!say_listed(call, &c, &p->dialogues.items[i], progress, err)) {
            cv_buf_release(&c.out);
            return false;
        }
    }
    if (p->dialogues.count == 0)
        cv_chart_say(&c, p->archived || p->status.n || p->tags.count ? "no such dialogues\n" : "no dialogues\n");
    if (p->put_away > 0)
        cv_chart_say(&c, "%s%zu archived, not shown: --all, --archived\n", p->dialogues.count ? "\n" : "", p->put_away);
    if (p->next.n > 0)
        cv_chart_say(&c, "\nmore: --after %.*s\n", CV_FMT(p->next));
    p->text = cv_chart_take(&c);
    return true;
}

bool cv_dialogue_list(cv_call *call)
{
    int64_t limit = cv_json_get_int(call->input, "limit", USUAL_PAGE);
    assert(limit > 0 && limit <= CV_MAX_PAGE); /* the schema's bounds */
    page p = {.call = call,
              .a = call->arena,
              .limit = (size_t)limit,
              .status = cv_json_get_text(call->input, "status"),
              .tags = cv_tags_read(call, "tag"),
              .all = cv_json_get_true(call->input, "all"),
              .archived = cv_json_get_true(call->input, "archived")};
    cv_err err = {.arena = call->arena};
    cv_json_writer w = {.out = call->out};
    if (call->errs->count > 0)
        return false;
    p.decided = cv_str_eq(p.status, cv_status_decided);
    if (p.decided)
        p.status = cv_dialogue_words.items[CV_DIALOGUE_CONVERGED];
    if (!fill_page(call, &p, &err) || (call->for_people && !say_page(call, &p, &err)))
        return cv_call_fail(call, &err);
    cv_shape_write(&w, cv_list_shape, &p);
    return true;
}

/* ---- get --------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str id;
    const cv_rec_entity *entity;
} open_tension;

typedef struct {
    cv_state s;
    bool changed;
    const cv_state *whole; /* NULL: nothing has changed, and no more is told */
    CV_STATE_LIST(cv_shown_seat) panel;
    int64_t next_round;
    CV_STATE_LIST(open_tension) open;
    cv_convergence convergence;
    size_t counts[CV_KIND_COUNT];
} look;

/* The panel of the round that comes next: its own, or the last one, which stands. */
static void find_panel(cv_arena *a, look *l)
{
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(&l->s, CV_MAX_ROUND, &seats);
    for (size_t i = 0; i < count; i++)
        *CV_PUSH(a, &l->panel) = cv_seat_shown(a, cv_state_expert(&l->s, seats[i].expert_slug), &seats[i]);
}

static void count_entities(cv_arena *a, look *l)
{
    for (size_t i = 0; i < l->s.entities.count; i++) {
        const cv_rec_entity *entity = &l->s.entities.items[i];
        int kind = cv_kind_of_letter(entity->kind.p[0]);
        l->counts[kind]++;
        if (kind == CV_KIND_TENSION && cv_tension_is_open(entity))
            *CV_PUSH(a, &l->open) = (open_tension){cv_entity_id(a, entity), entity};
    }
}

#define CV_THIS_TYPE cv_rec_round
static const cv_shape round_shape[] = {
    CV_ROW_SAYS(ALWAYS, INT, "score", NULL, ""),   CV_ROW_SAYS(OR_NULL, MAP, "score_components", NULL, ""),
    CV_ROW_SAYS(ALWAYS, TEXT, "status", NULL, ""), CV_ROW_SAYS(ALWAYS, TEXT, "created_at", NULL, ""),
    CV_ROW(rev, &cv_rec_round_type, NONE),         {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE open_tension
static const cv_shape tension_shape[] = {
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD_OF(ALWAYS, entity, label, ""),
    CV_FIELD_OF(ALWAYS, entity, status, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_position
static const cv_shape position_shape[] = {
    CV_FIELD(ALWAYS, rev, ""),
    CV_FIELD(ALWAYS, head, "hash of the last event"),
    CV_FIELD(ALWAYS, event_count, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE look
static const cv_shape counts_shape[] = {
#define KIND(id, letter, word, plural, purpose) CV_FIELD_AS(ALWAYS, plural, counts[CV_KIND_##id], ""),
#include "dialogue/words/kinds.def"
#undef KIND
    CV_FIELD_AS(ALWAYS, "open_tensions", open.count, ""),
    CV_FIELD_AS(ALWAYS, "references", s.references.count, ""),
    CV_FIELD_AS(ALWAYS, "moves", s.moves.count, ""),
    CV_FIELD_AS(ALWAYS, "verdicts", s.verdicts.count, ""),
    CV_FIELD_AS(ALWAYS, "events", s.position.event_count, ""),
    {0},
};

static const cv_shape whole_shape[] = {
    CV_OBJECT(ALWAYS, "dialogue", s, cv_dialogue_shape, ""),
    CV_LIST("experts", s.experts.items, s.experts.count, cv_expert_shape, ""),
    CV_LIST("panel", panel.items, panel.count, cv_seat_shape, "the panel of the next round"),
    CV_LIST("rounds", s.rounds.items, s.rounds.count, round_shape, ""),
    CV_FIELD(ALWAYS, next_round, ""),
    CV_LIST("open_tensions", open.items, open.count, tension_shape, ""),
    CV_OBJECT(ALWAYS, "convergence", convergence, cv_convergence_shape, "progress, and who and what is missing"),
    CV_GROUP("counts", counts_shape, ""),
    CV_OBJECT(ALWAYS, "position", s.position, position_shape, ""),
    {0},
};

const cv_shape cv_get_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", s.id, ""),
    CV_FIELD_AS(ALWAYS, "rev", s.position.rev, ""),
    CV_FIELD(ALWAYS, changed, "false: nothing happened since since_rev, the rest is left out"),
    CV_MAYBE(whole, whole_shape),
    {0},
};
#undef CV_THIS_TYPE

bool cv_dialogue_get(cv_call *call)
{
    const uint32_t kinds = (1u << CV_REC_COUNT) - 1;
    const uint32_t unasked = CV_REC_BIT(EVENT) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(RESPONSE) | CV_REC_BIT(SCORE);
    cv_wanted wanted = {.kinds = kinds & ~unasked,
                        .outline = CV_REC_BIT(ENTITY) | CV_REC_BIT(MOVE) | CV_REC_BIT(VERDICT)};
    cv_err err = {.arena = call->arena};
    cv_json_writer w = {.out = call->out};
    look *l = CV_NEW(call->arena, look);
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &l->s, &err))
        return cv_call_fail(call, &err);
    l->changed = cv_json_get_int(call->input, "since_rev", CV_ABSENT) != l->s.position.rev;
    if (l->changed) {
        l->whole = &l->s;
        l->next_round = cv_state_next_round(&l->s);
        find_panel(call->arena, l);
        count_entities(call->arena, l);
        cv_convergence_of(call->arena, &l->s, &l->convergence);
    }
    cv_shape_write(&w, cv_get_shape, l);
    return true;
}

/* ---- abandon ----------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str id, reason;
} abandoned;

#define CV_THIS_TYPE abandoned
const cv_shape cv_abandon_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_FIXED("dialogue_status", "abandoned"),
    CV_FIELD(ALWAYS, reason, ""),
    CV_WRITTEN("dialogue"),
    {0},
};
#undef CV_THIS_TYPE

static bool enter_abandoned(cv_call *call, const cv_state *s, cv_str reason, cv_outcome *outcome)
{
    cv_journal j;
    cv_rec_dialogue row = s->dialogue;
    row.status = cv_event_words.items[CV_EVENT_ABANDONED];
    cv_journal_begin(&j, call, s);
    cv_journal_put(&j, CV_REC_DIALOGUE, &row);
    cv_rec_event *event = cv_journal_event(&j, 'D', s->id, row.status, CV_ABSENT, cv_judge_alone.json);
    event->reason = reason;
    cv_journal_covers(&j, event, CV_REC_DIALOGUE, &row);
    return cv_journal_commit(&j, cv_shape_text(call->arena, cv_abandon_shape, &(abandoned){s->id, reason}), outcome);
}

static bool abandon(cv_call *call, cv_outcome *outcome)
{
    cv_str id = cv_json_get_text(call->input, "dialogue_id");
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE), .no_content = true};
    cv_err err = {.arena = call->arena};
    cv_state s;
    if (!cv_state_load(call, id, &wanted, &s, &err))
        return cv_call_fail(call, &err);
    /* Nothing follows it: the last write abandoned the dialogue. */
    if (cv_state_is_abandoned(&s)) {
        if (!cv_request_made(call, cv_dialogue_scope(id), s.position.rev, outcome, &err))
            return cv_call_fail(call, &err);
        if (outcome->replayed)
            return true;
    }
    cv_str reason = cv_text_read(call, call->input, CV_STR(""), "reason", CV_MAX_PROSE, CV_TEXT_PROSE);
    return cv_journal_open(call, &s, false) && call->errs->count == 0 && enter_abandoned(call, &s, reason, outcome);
}

bool cv_dialogue_abandon(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue abandon"), abandon);
}
