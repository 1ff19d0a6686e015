/* cite_text.c - citations as cards for people; see cite.h.
 *
 *     P0101  perspective, round 1, open
 *     Options viability confirmed
 *       by muffin; MUFFIN-P0101
 *
 *       The 30-delta covered call strategy …
 *
 *       refine  -> P0001  Income mandate mismatch
 */
#include "base/json.h"
#include "base/plain.h"
#include "dialogue/people.h"
#include "dialogue/view/cite.h"

static void line(cv_buf *out, cv_arena *a, const char *before, cv_str text)
{
    cv_buf_add_z(out, before);
    cv_tell_text(out, a, text);
    cv_buf_add_char(out, '\n');
}

/* A text of several lines, moved in, between empty ones. */
static void paragraph(cv_buf *out, cv_str text)
{
    cv_str rest = cv_str_trim(text), one;
    if (rest.n == 0)
        return;
    cv_buf_add_char(out, '\n');
    while (cv_str_split(&rest, '\n', &one)) {
        one = cv_str_trim_right(one);
        cv_buf_add_z(out, one.n ? "  " : "");
        cv_plain_add(out, one);
        cv_buf_add_char(out, '\n');
    }
    cv_buf_add_char(out, '\n');
}

static void tell_round_number(cv_buf *out, int64_t round)
{
    if (round != CV_ABSENT)
        cv_buf_printf(out, ", round %lld", (long long)round);
}

/* ---- the head: what it is, and by whom --------------------------------------------------------------------------- */

static void tell_receipts(cv_buf *out, const cv_citation *one)
{
    for (size_t i = 0; i < one->origins.count; i++) {
        const cv_rec_origin *o = one->origins.items[i];
        cv_buf_printf(out, "; %.*s", CV_FMT(o->local_id));
        if (o->response_sha256.p)
            cv_buf_printf(out, " (bytes %lld to %lld of the response %.*s)", (long long)o->range_start,
                          (long long)o->range_end, CV_FMT(cv_str_head(o->response_sha256, 12)));
    }
}

static void tell_entity(const cv_citations *c, const cv_citation *one, cv_buf *out)
{
    const cv_rec_entity *e = one->entity;
    tell_round_number(out, e->round);
    cv_buf_printf(out, ", %.*s", CV_FMT(e->status));
    if (e->adopted_in_verdict.p)
        cv_buf_printf(out, " in verdict-%.*s", CV_FMT(e->adopted_in_verdict));
    cv_buf_add_char(out, '\n');
    line(out, c->call->arena, "", e->label);
    cv_buf_add_z(out, "  by ");
    cv_tell_list(out, c->call->arena, e->contributors);
    tell_receipts(out, one);
    cv_buf_add_char(out, '\n');
    paragraph(out, e->content);
    cv_str correction = cv_correction_text(c->call->arena, e);
    if (correction.n)
        line(out, c->call->arena, "  ", correction);
    if (e->parameters.p)
        line(out, c->call->arena, "  parameters ", e->parameters);
}

static void tell_expert(const cv_citations *c, const cv_rec_expert *e, cv_buf *out)
{
    cv_arena *a = c->call->arena;
    long long total = e->total_score == CV_ABSENT ? 0 : (long long)e->total_score;
    cv_buf_printf(out, ", %.*s, %.*s, score %lld\n", CV_FMT(e->tier), CV_FMT(e->source), total);
    line(out, a, "", e->role);
    if (e->focus.p)
        line(out, a, "  focus: ", e->focus);
    if (e->creation_reason.p)
        line(out, a, "  because: ", e->creation_reason);
    if (e->description.p)
        paragraph(out, e->description);
}

static void tell_verdict(const cv_citations *c, const cv_rec_verdict *v, cv_buf *out)
{
    cv_arena *a = c->call->arena;
    cv_str author = v->author_expert.p ? v->author_expert : cv_judge_slug;
    cv_buf_printf(out, ", %.*s", CV_FMT(v->verdict_type));
    tell_round_number(out, v->round);
    if (v->vote.p) {
        cv_buf_add_z(out, ", ");
        cv_tell_text(out, a, v->vote);
    }
    if (v->confidence.p)
        cv_buf_printf(out, ", %.*s", CV_FMT(v->confidence));
    cv_buf_add_char(out, '\n');
    line(out, a, "", v->recommendation);
    line(out, a, "  by ", author);
    paragraph(out, v->description);
    if (v->supporting_experts.p) {
        cv_buf_add_z(out, "  supported by ");
        cv_tell_list(out, a, v->supporting_experts);
        cv_buf_add_char(out, '\n');
    }
    cv_words conditions = cv_json_list(a, v->conditions);
    for (size_t i = 0; i < conditions.count; i++)
        line(out, a, "  condition: ", conditions.items[i]);
}

static void tell_round(const cv_citations *c, const cv_rec_round *r, cv_buf *out)
{
    cv_buf_printf(out, ", %.*s, score %lld\n", CV_FMT(r->status), (long long)r->score);
    if (r->title.p)
        line(out, c->call->arena, "", r->title);
    if (r->summary.p)
        paragraph(out, r->summary);
}

/* ---- what surrounds it ------------------------------------------------------------------------------------------- */

static void tell_link(cv_buf *out, cv_arena *a, const char *arrow, const cv_cite_link *link)
{
    cv_buf_printf(out, "  %-9.*s%s %.*s  ", CV_FMT(link->type), arrow, CV_FMT(link->id));
    cv_tell_text(out, a, link->label);
    if (link->reason.n) {
        cv_buf_add_z(out, ": ");
        cv_tell_text(out, a, link->reason);
    }
}

static void tell_references(const cv_citations *c, const cv_citation *one, cv_buf *out)
{
    cv_arena *a = c->call->arena;
    for (size_t i = 0; i < one->from.count; i++) {
        tell_link(out, a, "->", &one->from.items[i]);
        cv_buf_add_char(out, '\n');
    }
    for (size_t i = 0; i < one->to.count; i++) {
        tell_link(out, a, "<-", &one->to.items[i]);
        cv_buf_add_z(out, " (");
        cv_tell_list(out, a, one->to.items[i].by);
        cv_buf_add_z(out, ")\n");
    }
}

static void tell_moves(const cv_citations *c, const cv_citation *one, cv_buf *out)
{
    cv_arena *a = c->call->arena;
    for (size_t i = 0; i < one->moves.count; i++) {
        const cv_rec_move *move = one->moves.items[i];
        cv_buf_printf(out, "  move     %.*s %.*s", CV_FMT(move->expert_slug), CV_FMT(move->move_type));
        cv_buf_add_z(out, move->targets.n > 2 ? " " : ""); /* more than [] */
        cv_tell_list(out, a, move->targets);
        tell_round_number(out, move->round);
        if (move->context.p) {
            cv_buf_add_z(out, ": ");
            cv_tell_text(out, a, move->context);
        }
        cv_buf_add_char(out, '\n');
    }
}

static void tell_verdicts(const cv_citations *c, const cv_citation *one, cv_buf *out)
{
    for (size_t i = 0; i < one->mentions.count; i++) {
        const cv_mention *mention = &one->mentions.items[i];
        cv_buf_printf(out, "  verdict-%.*s: %.*s\n", CV_FMT(mention->verdict->verdict_id), CV_FMT(mention->list));
    }
    for (size_t i = 0; i < one->names.count; i++) {
        const cv_named *named = &one->names.items[i];
        cv_buf_printf(out, "  %.*s: %.*s  ", CV_FMT(named->list), CV_FMT(named->id));
        line(out, c->call->arena, "", named->label);
    }
}

static void tell_raised(const cv_citations *c, const cv_citation *one, cv_buf *out)
{
    cv_arena *a = c->call->arena;
    for (size_t i = 0; i < one->raised.count; i++) {
        const cv_rec_entity *entity = one->raised.items[i].entity;
        cv_buf_printf(out, "  raised   %.*s  ", CV_FMT(one->raised.items[i].id));
        cv_tell_text(out, a, entity->label);
        cv_buf_printf(out, " (%.*s)\n", CV_FMT(entity->status));
    }
    for (size_t i = 0; i < one->positions.count; i++) {
        const cv_rec_position *row = one->positions.items[i];
        if (one->round)
            cv_buf_printf(out, "  position %.*s: ", CV_FMT(row->expert_slug));
        else
            cv_buf_printf(out, "  position round %lld: ", (long long)row->round);
        line(out, a, "", row->content);
    }
    for (size_t i = 0; i < one->scores.count; i++) {
        const cv_rec_score *score = one->scores.items[i];
        if (one->round)
            cv_buf_printf(out, "  score    %.*s %lld\n", CV_FMT(score->expert_slug), (long long)score->score);
        else
            cv_buf_printf(out, "  score    round %lld: %lld\n", (long long)score->round, (long long)score->score);
    }
}

static void tell_last(const cv_citations *c, const cv_citation *one, cv_buf *out)
{
    cv_arena *a = c->call->arena;
    if (!one->last)
        return;
    cv_str at = cv_time_short(a, one->last->event.created_at);
    cv_buf_printf(out, "  last     #%lld  %.*s  ", (long long)one->last->event.seq, CV_FMT(at));
    cv_moment_tell(out, a, one->last);
    cv_buf_printf(out, " (of %zu event%s)\n", one->event_count, CV_PLURAL(one->event_count));
}

void cv_citation_tell(const cv_citations *c, const cv_citation *one, cv_buf *out)
{
    cv_buf_printf(out, "%.*s  %.*s", CV_FMT(one->what.id), CV_FMT(one->kind));
    if (one->entity)
        tell_entity(c, one, out);
    else if (one->expert)
        tell_expert(c, one->expert, out);
    else if (one->verdict)
        tell_verdict(c, one->verdict, out);
    else
        tell_round(c, one->round, out);
    tell_references(c, one, out);
    tell_moves(c, one, out);
    tell_verdicts(c, one, out);
    tell_raised(c, one, out);
    tell_last(c, one, out);
}
