/* story.c - what became of an expert's contributions, in sentences; see story.h. */
#include "dialogue/brief/story.h"

#include "base/utf8.h"
#include "dialogue/text/doc.h"

/* What somebody did with an item, by the kind of the item, of the reference, of the move. */
static const char *const said[] = {
    [CV_KIND_PERSPECTIVE] = "put forward", [CV_KIND_RECOMMENDATION] = "proposed", [CV_KIND_TENSION] = "raised",
    [CV_KIND_EVIDENCE] = "cited",          [CV_KIND_CLAIM] = "claimed",
};
static const char *const answered[] = {
    [CV_REF_SUPPORT] = "supported",   [CV_REF_OPPOSE] = "opposed",   [CV_REF_REFINE] = "refined",
    [CV_REF_ADDRESS] = "addressed",   [CV_REF_RESOLVE] = "resolved", [CV_REF_REOPEN] = "reopened",
    [CV_REF_QUESTION] = "questioned", [CV_REF_DEPEND] = "built on",
};
static const char *const moved[] = {
    [CV_MOVE_DEFEND] = "defended",     [CV_MOVE_CHALLENGE] = "challenged", [CV_MOVE_BRIDGE] = "built a bridge from",
    [CV_MOVE_REQUEST] = "asked about", [CV_MOVE_CONCEDE] = "conceded to",  [CV_MOVE_CONVERGE] = "converged on",
};
_Static_assert(CV_COUNT(said) == CV_KIND_COUNT && CV_COUNT(answered) == CV_REF_COUNT &&
                   CV_COUNT(moved) == CV_MOVE_COUNT,
               "a word for each");

typedef struct {
    const cv_view *v;
    const cv_view_member *self;
    cv_buf out;
} story;

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* What somebody wrote, within a sentence of ours. */
static cv_str quoted(const cv_view *v, cv_str text)
{
    return cv_line_quote(v->a, cv_squeeze(v->a, text));
}

void cv_story_item(const cv_view *v, const cv_view_item *item, cv_buf *out)
{
    cv_buf_add(out, item->id);
    cv_buf_add_z(out, " (");
    cv_buf_add(out, quoted(v, item->row->label));
    cv_buf_add_char(out, ')');
}

/* Between the parts of a list: commas, and a word before the last. */
static void add_joint(cv_buf *out, size_t i, size_t count)
{
    if (i > 0)
        cv_buf_add_z(out, i + 1 == count ? " and " : ", ");
}

void cv_story_names(const cv_view *v, const cv_people *people, cv_str self, cv_buf *out)
{
    for (size_t i = 0; i < people->count; i++) {
        add_joint(out, i, people->count);
        bool me = self.n > 0 && cv_str_eq(people->items[i], self);
        cv_buf_add(out, me ? CV_STR("you") : cv_view_name(v, people->items[i]));
    }
}

static void begin_sentence(story *t)
{
    if (t->out.n > 0)
        cv_buf_add_char(&t->out, ' ');
}

static void capital(story *t, size_t at)
{
    t->out.p[at] = cv_upper(t->out.p[at]);
}

static bool is_mine(const story *t, const cv_people *people)
{
    return cv_view_has_by(people, t->self->slug);
}

/* Does a reference of this type change what it points to, so that it is news even from the expert's own hand? */
static bool changes_target(cv_ref type)
{
    return cv_refs[type].targets != CV_TARGETS_ANY;
}

/* What an expert alone says in support of itself is not an answer. */
static bool is_answer(const story *t, const cv_view_tie *tie)
{
    return changes_target(tie->type) || tie->by->count > 1 || !is_mine(t, tie->by);
}

/* ---- answers to one item ----------------------------------------------------------------------------------------- */

/* "Donut addressed it in round 1 with R0101 (Amended collar)." */
static void tell_answer(story *t, const cv_view_item *item, const cv_view_tie *tie)
{
    begin_sentence(t);
    size_t at = t->out.n;
    cv_story_names(t->v, tie->by, t->self->slug, &t->out);
    cv_buf_printf(&t->out, " %s it", answered[tie->type]);
    if (tie->row->round != item->row->round)
        cv_buf_printf(&t->out, " in round %lld", (long long)tie->row->round);
    if (tie->from != CV_NO_ITEM) {
        cv_buf_add_z(&t->out, " with ");
        cv_story_item(t->v, &t->v->items.items[tie->from], &t->out);
    }
    cv_buf_add_char(&t->out, '.');
    capital(t, at);
}

/* "Supported by P0102 (Cupcake), R0101 (Donut and you)." */
static void tell_answers(story *t, uint32_t item, cv_ref type, size_t count)
{
    const cv_view *v = t->v;
    size_t i = 0;
    begin_sentence(t);
    size_t at = t->out.n;
    cv_buf_printf(&t->out, "%s by ", answered[type]);
    for (const uint32_t *k = cv_group_begin(&v->ties_to, item); k < cv_group_end(&v->ties_to, item); k++) {
        const cv_view_tie *tie = &v->ties.items[*k];
        if (tie->type != type || !is_answer(t, tie))
            continue;
        add_joint(&t->out, i++, count);
        if (tie->from != CV_NO_ITEM)
            cv_buf_printf(&t->out, "%.*s (", CV_FMT(v->items.items[tie->from].id));
        cv_story_names(v, tie->by, t->self->slug, &t->out);
        if (tie->from != CV_NO_ITEM)
            cv_buf_add_char(&t->out, ')');
    }
    cv_buf_add_char(&t->out, '.');
    capital(t, at);
}

static void tell_all_answers(story *t, uint32_t item)
{
    const cv_view *v = t->v;
    size_t counts[CV_REF_COUNT] = {0};
    for (const uint32_t *k = cv_group_begin(&v->ties_to, item); k < cv_group_end(&v->ties_to, item); k++)
        counts[v->ties.items[*k].type] += is_answer(t, &v->ties.items[*k]);
    for (const uint32_t *k = cv_group_begin(&v->ties_to, item); k < cv_group_end(&v->ties_to, item); k++) {
        const cv_view_tie *tie = &v->ties.items[*k];
        if (!is_answer(t, tie) || counts[tie->type] == 0)
            continue;
        if (counts[tie->type] == 1)
            tell_answer(t, &v->items.items[item], tie);
        else
            tell_answers(t, item, tie->type, counts[tie->type]);
        counts[tie->type] = 0;
    }
}

/* "Donut challenged it: “Liquidity supports execution”." What the expert did itself is not news. */
static void tell_move(story *t, const cv_view_move *move, const char *object)
{
    if (cv_str_eq(move->row->expert_slug, t->self->slug))
        return;
    begin_sentence(t);
    cv_buf_add(&t->out, cv_view_name(t->v, move->row->expert_slug));
    cv_buf_printf(&t->out, " %s %s", moved[move->type], object);
    if (move->row->context.n)
        cv_buf_printf(&t->out, ": “%.*s”",
                      CV_FMT(quoted(t->v, cv_excerpt(t->v->a, cv_squeeze(t->v->a, move->row->context)))));
    cv_buf_add_char(&t->out, '.');
}

/* ---- the expert's items ------------------------------------------------------------------------------------------ */

static void tell_item(story *t, uint32_t at, bool first_of_round)
{
    const cv_view *v = t->v;
    const cv_view_item *item = &v->items.items[at];
    bool plain = item->kind != CV_KIND_TENSION && cv_view_is_open(item);
    begin_sentence(t);
    size_t begin = t->out.n;
    if (first_of_round)
        cv_buf_printf(&t->out, "In round %lld ", (long long)item->row->round);
    cv_story_names(v, item->by, t->self->slug, &t->out);
    cv_buf_printf(&t->out, " %s%s ", first_of_round || item->by->count > 1 ? "" : "also ", said[item->kind]);
    cv_story_item(v, item, &t->out);
    if (!plain)
        cv_buf_printf(&t->out, ", which is %.*s", CV_FMT(item->status));
    cv_buf_add_char(&t->out, '.');
    capital(t, begin);
    tell_all_answers(t, at);
    for (const uint32_t *k = cv_group_begin(&v->moves_to, at); k < cv_group_end(&v->moves_to, at); k++)
        tell_move(t, &v->moves.items[v->aims.items[*k].a], "it");
}

/* Was it answered or changed in the last round or since? */
static bool has_news(const story *t, uint32_t item)
{
    const cv_view *v = t->v;
    for (const uint32_t *k = cv_group_begin(&v->ties_to, item); k < cv_group_end(&v->ties_to, item); k++)
        if (v->ties.items[*k].row->round == v->round - 1 && is_answer(t, &v->ties.items[*k]))
            return true;
    for (const uint32_t *k = cv_group_begin(&v->moves_to, item); k < cv_group_end(&v->moves_to, item); k++)
        if (v->moves.items[v->aims.items[*k].a].row->round == v->round - 1)
            return true;
    return v->items.items[item].touched;
}

/* The items that the expert contributed to in a round, in their order: its own and those it shares. */
static size_t items_in(const story *t, int64_t round, uint32_t *to)
{
    const cv_view *v = t->v;
    size_t key = cv_view_key(v, round, t->self->speaker), n = 0;
    const uint32_t *own = cv_group_begin(&v->items_of, key), *own_end = cv_group_end(&v->items_of, key);
    const uint32_t *with = cv_group_begin(&v->shared_of, key), *with_end = cv_group_end(&v->shared_of, key);
    while (own < own_end || with < with_end) {
        uint32_t shared = with < with_end ? v->shares.items[*with].a : CV_NO_ITEM;
        if (own < own_end && *own < shared) {
            to[n++] = *own++;
        } else {
            to[n++] = shared;
            with++;
        }
    }
    return n;
}

static void tell_round(story *t, int64_t round, bool latest, uint32_t *room)
{
    size_t count = items_in(t, round, room);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const cv_view_item *item = &t->v->items.items[room[i]];
        bool open_tension = item->kind == CV_KIND_TENSION && cv_view_is_open(item);
        if (!latest && !open_tension && !has_news(t, room[i]))
            continue;
        tell_item(t, room[i], first);
        first = false;
    }
}

/* ---- what concerns the expert as a whole ------------------------------------------------------------------------- */

static bool is_target(const story *t, cv_str target)
{
    return cv_str_starts(target, CV_STR("@")) && cv_str_eq(cv_str_from(target, 1), t->self->slug);
}

static void tell_position(story *t)
{
    const cv_view *v = t->v;
    size_t rest = v->items.count;
    for (const uint32_t *k = cv_group_begin(&v->ties_to, rest); k < cv_group_end(&v->ties_to, rest); k++) {
        const cv_view_tie *tie = &v->ties.items[*k];
        if (!is_target(t, tie->target) || is_mine(t, tie->by))
            continue;
        begin_sentence(t);
        cv_story_names(v, tie->by, (cv_str){NULL, 0}, &t->out);
        cv_buf_printf(&t->out, " %s your overall position in round %lld.", answered[tie->type],
                      (long long)tie->row->round);
    }
    for (const uint32_t *k = cv_group_begin(&v->moves_to, rest); k < cv_group_end(&v->moves_to, rest); k++) {
        const cv_view_move *move = &v->moves.items[v->aims.items[*k].a];
        for (size_t i = 0; i < move->target_count; i++)
            if (is_target(t, move->targets[i])) {
                tell_move(t, move, "your overall position");
                break;
            }
    }
}

/* What the panel was asked for in the last round. */
static void tell_requests(story *t)
{
    const cv_view *v = t->v;
    for (size_t i = v->moves.count; i > 0 && v->moves.items[i - 1].row->round == v->round - 1; i--) {
        const cv_view_move *move = &v->moves.items[i - 1];
        if (move->type != CV_MOVE_REQUEST || move->row->context.n == 0 ||
            cv_str_eq(move->row->expert_slug, t->self->slug))
            continue;
        begin_sentence(t);
        cv_buf_add(&t->out, cv_view_name(v, move->row->expert_slug));
        cv_buf_add_z(&t->out, " asked the panel: “");
        cv_buf_add(&t->out, quoted(v, move->row->context));
        cv_buf_add_z(&t->out, "”.");
    }
}

/* The last round in which the expert spoke, or -1. */
static int64_t latest_round(const cv_view *v, const cv_view_member *member)
{
    int64_t round = v->round - 1;
    while (round >= 0 && !cv_view_spoke(v, round, member->speaker))
        round--;
    return round;
}

cv_str cv_story_context(const cv_view *v, const cv_view_member *member)
{
    story t = {.v = v, .self = member};
    if (member->source != CV_SOURCE_RETAINED)
        return (cv_str){NULL, 0};
    int64_t latest = latest_round(v, member);
    uint32_t *room = CV_NEW_ARRAY(v->a, v->items.count, uint32_t);
    for (int64_t round = 0; round <= latest; round++)
        tell_round(&t, round, round == latest, room);
    if (latest < 0)
        cv_buf_add_z(&t.out, "You have been on the panel and have not contributed yet.");
    else if (latest < v->round - 1)
        cv_buf_printf(&t.out, "%sYou have not contributed since round %lld.", t.out.n ? " " : "", (long long)latest);
    tell_position(&t);
    tell_requests(&t);
    if (t.out.n == 0)
        cv_buf_printf(&t.out, "In round %lld you spoke to what others had said.", (long long)latest);
    return cv_buf_take(&t.out, v->a);
}

/* ---- the task ---------------------------------------------------------------------------------------------------- */

static bool is_answer_to_tension(cv_ref type)
{
    return cv_refs[type].targets == CV_TARGETS_TENSION && type != CV_REF_REOPEN;
}

/* The last item that addresses or resolves the tension, or CV_NO_ITEM. */
static uint32_t last_answer(const cv_view *v, uint32_t tension)
{
    for (const uint32_t *k = cv_group_end(&v->ties_to, tension); k > cv_group_begin(&v->ties_to, tension); k--) {
        const cv_view_tie *tie = &v->ties.items[k[-1]];
        if (is_answer_to_tension(tie->type) && tie->from != CV_NO_ITEM)
            return tie->from;
    }
    return CV_NO_ITEM;
}

/* Open tensions: the expert's own with (or without) an answer, or all of them. */
typedef enum { OWN_ANSWERED, OWN_UNANSWERED, ANY } tension_choice;

static bool is_chosen(const story *t, uint32_t i, tension_choice choice)
{
    const cv_view_item *item = &t->v->items.items[i];
    if (item->kind != CV_KIND_TENSION || !cv_view_is_open(item))
        return false;
    bool answer = choice != ANY && last_answer(t->v, i) != CV_NO_ITEM;
    return choice == ANY || (is_mine(t, item->by) && answer == (choice == OWN_ANSWERED));
}

static bool task_tensions(story *t, tension_choice choice, const char *before, const char *after)
{
    size_t count = 0, n = 0;
    for (uint32_t i = 0; i < t->v->items.count; i++)
        count += is_chosen(t, i, choice);
    for (uint32_t i = 0; count > 0 && i < t->v->items.count; i++) {
        if (!is_chosen(t, i, choice))
            continue;
        if (n == 0)
            cv_buf_add_z(&t->out, before);
        add_joint(&t->out, n++, count);
        if (choice == OWN_ANSWERED)
            cv_buf_printf(&t->out, "%.*s settles ", CV_FMT(t->v->items.items[last_answer(t->v, i)].id));
        cv_story_item(t->v, &t->v->items.items[i], &t->out);
    }
    if (count > 0)
        cv_buf_add_z(&t->out, after);
    return count > 0;
}

cv_str cv_story_task(const cv_view *v, const cv_view_member *member)
{
    story t = {.v = v, .self = member};
    cv_buf_add_z(&t.out, "Your task this round: ");
    if (v->round == 0) {
        cv_buf_add_z(&t.out, "answer the question from your role, and name the tensions that you see.");
    } else {
        bool own = task_tensions(&t, OWN_ANSWERED, "say whether ", ", or where it falls short.");
        own = task_tensions(&t, OWN_UNANSWERED, own ? " Say also what would settle " : "say what would settle ", ".") ||
              own;
        if (!own && !task_tensions(&t, ANY, "help to settle ", "."))
            cv_buf_add_z(&t.out, "say whether anything speaks against a conclusion; if nothing does, signal it with "
                                 "`[MOVE:CONVERGE]`.");
    }
    return cv_buf_take(&t.out, v->a);
}

/* ---- involvement ------------------------------------------------------------------------------------------------- */

/* "addressed it (P0101, R0101)" */
static void add_deeds(const cv_view *v, uint32_t tension, cv_str slug, cv_ref type, cv_buf *out)
{
    bool first = true, ids = false;
    for (const uint32_t *k = cv_group_begin(&v->ties_to, tension); k < cv_group_end(&v->ties_to, tension); k++) {
        const cv_view_tie *tie = &v->ties.items[*k];
        if (tie->type != type || !cv_view_has_by(tie->by, slug))
            continue;
        if (first)
            cv_buf_printf(out, "%s%s it", out->n ? ", " : "", answered[type]);
        if (tie->from != CV_NO_ITEM)
            cv_buf_printf(out, "%s%.*s", ids ? ", " : " (", CV_FMT(v->items.items[tie->from].id));
        ids = ids || tie->from != CV_NO_ITEM;
        first = false;
    }
    cv_buf_add_z(out, ids ? ")" : "");
}

cv_str cv_story_involvement(const cv_view *v, uint32_t tension, cv_str slug)
{
    const cv_view_item *item = &v->items.items[tension];
    cv_buf out = {0};
    if (cv_str_eq(item->by->items[0], slug))
        cv_buf_add_z(&out, "originator");
    else if (cv_view_has_by(item->by, slug))
        cv_buf_add_z(&out, "contributor");
    for (size_t type = 0; type < CV_REF_COUNT; type++)
        add_deeds(v, tension, slug, (cv_ref)type, &out);
    for (const uint32_t *k = cv_group_begin(&v->moves_to, tension); k < cv_group_end(&v->moves_to, tension); k++) {
        const cv_view_move *move = &v->moves.items[v->aims.items[*k].a];
        if (cv_str_eq(move->row->expert_slug, slug))
            cv_buf_printf(&out, "%s%s it", out.n ? ", " : "", moved[move->type]);
    }
    return out.n ? cv_buf_take(&out, v->a) : CV_STR("—");
}
