/* transcript_rounds.c - the rounds of a transcript: who said what, and what the judge made of it; see transcript.h.
 *
 *     ### Muffin 🧁
 *     [RE:OPPOSE P0002]                     what muffin says of others, before anything of muffin's own
 *     [P0101: label] (muffin, cupcake)      muffin's entities, each with its text
 *     [RE:REFINE P0001]                     and its references
 *     [MOVE:CONVERGE]                       muffin's moves
 */
#include "dialogue/transcript/parts.h"
#include "dialogue/transcript/transcript.h"

/* ---- marks ------------------------------------------------------------------------------------------------------ */

static void add_reference(cv_transcript *t, cv_blocks *into, const cv_link *link)
{
    char id[6];
    cv_mark *mark = cv_part_add_mark(t->arena, into, CV_MARK_REFERENCE, link->type);
    mark->targets = cv_arena_copy(t->arena, cv_name_text(&t->g, link->target, id));
}

static void add_entity(cv_transcript *t, cv_blocks *into, const cv_told *told)
{
    const cv_groups *from = &t->g.links_from;
    cv_mark *mark = cv_part_add_mark(t->arena, into, (cv_mark_type)told->kind, -1);
    mark->style = CV_STYLE_GLOBAL;
    mark->id = told->id;
    mark->label = cv_squeeze(t->arena, told->row->label);
    mark->by = told->by;
    mark->body = cv_part_text(t->arena, told->row->content);
    for (const uint32_t *i = cv_group_begin(from, told->place); i < cv_group_end(from, told->place); i++)
        if (t->g.links.items[*i].round <= t->last)
            add_reference(t, into, &t->g.links.items[*i]);
}

/* What is asked for stands in the mark of a request; other moves say why below it. */
static void add_move(cv_transcript *t, cv_blocks *into, const cv_rec_move *move)
{
    int type = cv_words_find(cv_move_words, move->move_type);
    cv_str targets = cv_part_list(t->arena, move->targets, ", ");
    if (type < 0)
        return;
    cv_mark *mark = cv_part_add_mark(t->arena, into, CV_MARK_MOVE, type);
    if (type == CV_MOVE_REQUEST) {
        mark->label = cv_squeeze(t->arena, cv_part_join(t->arena, targets, ": ", move->context));
    } else {
        mark->targets = targets;
        mark->body = cv_part_text(t->arena, move->context);
    }
}

/* ---- agents ----------------------------------------------------------------------------------------------------- */

static bool is_silent(const cv_transcript *t, size_t group)
{
    return cv_group_is_empty(&t->told_by, group) && cv_group_is_empty(&t->moves_by, group) &&
           cv_group_is_empty(&t->links_by, group);
}

static void add_agent(cv_transcript *t, cv_section *section, int64_t round, size_t speaker)
{
    size_t group = cv_transcript_group(t, round, speaker);
    cv_agent *agent = CV_PUSH(t->arena, &section->agents);
    bool judge = speaker + 1 == t->speakers;
    *agent = (cv_agent){.name = t->names[speaker], .emoji = judge ? cv_judge_emoji : cv_expert_emoji, .known = true};
    for (const uint32_t *i = cv_group_begin(&t->links_by, group); i < cv_group_end(&t->links_by, group); i++)
        add_reference(t, &agent->content, &t->g.links.items[*i]);
    for (const uint32_t *i = cv_group_begin(&t->told_by, group); i < cv_group_end(&t->told_by, group); i++)
        add_entity(t, &agent->content, &t->told.items[*i]);
    for (const uint32_t *i = cv_group_begin(&t->moves_by, group); i < cv_group_end(&t->moves_by, group); i++)
        add_move(t, &agent->content, &t->s.moves.items[*i]);
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* The panel in its order, then whoever else spoke. Those of the panel who said nothing are named, not given a part. */
void cv_transcript_add_round(cv_transcript *t, cv_doc *doc, const cv_rec_round *round)
{
    cv_section *section = cv_part_add_section(t->arena, doc, CV_SECTION_ROUND);
    bool *seen = CV_NEW_ARRAY(t->arena, t->speakers, bool);
    const cv_rec_seat *seats;
    size_t panel = cv_state_panel(&t->s, round->round, &seats);
    cv_buf silent = {0};
    section->round = (int)round->round;
    section->label = cv_squeeze(t->arena, round->title);
    for (size_t i = 0; i < panel; i++) {
        size_t speaker = cv_transcript_speaker(t, seats[i].expert_slug);
        seen[speaker] = true;
        if (is_silent(t, cv_transcript_group(t, round->round, speaker)))
            cv_buf_printf(&silent, "%s%.*s", silent.n ? ", " : "Silent in this round: ", CV_FMT(t->faces[speaker]));
        else
            add_agent(t, section, round->round, speaker);
    }
    for (size_t speaker = 0; speaker < t->speakers; speaker++)
        if (!seen[speaker] && !is_silent(t, cv_transcript_group(t, round->round, speaker)))
            add_agent(t, section, round->round, speaker);
    cv_str said = cv_buf_take(&silent, t->arena);
    cv_part_add_text(t->arena, &section->content, said);
    if (said.n == 0 && section->agents.count == 0)
        cv_part_add_text(t->arena, &section->content, CV_STR("Nothing was said in this round."));
}

/* ---- the judge -------------------------------------------------------------------------------------------------- */

static const struct {
    cv_status status;
    cv_mark_type type;
    int sub;
} standings[] = {
    {CV_STATUS_TENSION_RESOLVED, CV_MARK_RESOLVED, -1},
    {CV_STATUS_TENSION_ACCEPTED, CV_MARK_ACCEPTED_UNRESOLVED, -1},
    {CV_STATUS_TENSION_REOPENED, CV_MARK_REFERENCE, CV_REF_REOPEN},
};

static void add_standing(cv_transcript *t, cv_blocks *into, uint32_t event)
{
    const cv_happening *h = &t->g.events.items[event];
    char id[6];
    int status = cv_status_find(CV_KIND_TENSION, cv_name_text(&t->g, h->type, id));
    for (size_t i = 0; i < CV_COUNT(standings); i++) {
        if (status != (int)standings[i].status)
            continue;
        cv_mark *mark = cv_part_add_mark(t->arena, into, standings[i].type, standings[i].sub);
        mark->targets = cv_arena_copy(t->arena, cv_name_text(&t->g, h->subject, id));
        mark->label = cv_transcript_how(t, event, false);
    }
}

void cv_transcript_add_judge(cv_transcript *t, cv_doc *doc, const cv_rec_round *round)
{
    cv_section section = {.kind = CV_SECTION_JUDGE, .round = (int)round->round, .label = CV_STR("Assessment")};
    const cv_groups *in = &t->settled_in;
    cv_part_add_text(t->arena, &section.content, round->summary);
    for (size_t i = 0; i < t->s.verdicts.count; i++) {
        const cv_rec_verdict *v = &t->s.verdicts.items[i];
        if (v->round == round->round && cv_str_eq(v->verdict_type, cv_verdict_words.items[CV_VERDICT_INTERIM]))
            cv_transcript_add_verdict(t, &section.content, v);
    }
    size_t at = (size_t)round->round;
    for (const uint32_t *i = cv_group_begin(in, at); i < cv_group_end(in, at); i++)
        add_standing(t, &section.content, t->settled.items[*i]);
    if (section.content.count > 0)
        *CV_PUSH(t->arena, &doc->sections) = section;
}
