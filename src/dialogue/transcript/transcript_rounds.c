/* transcript_rounds.c - the rounds of a transcript: who said what, and what the judge made of it; then the verdicts;
 * see transcript.h.
 *
 *     ### Muffin 🧁
 *     I like rye.                           muffin's position of the round
 *     [RE:OPPOSE P0002]                     what muffin says of others, before anything of muffin's own
 *     [P0101: label] (muffin, cupcake)      muffin's entities, each with its text
 *     [RE:REFINE P0001]                     and its references
 *     [MOVE:CONVERGE]                       muffin's moves
 */
#include <stdlib.h>

#include "dialogue/transcript/parts.h"
#include "dialogue/transcript/transcript.h"

/* ---- marks ------------------------------------------------------------------------------------------------------ */

static void add_reference(cv_transcript *t, cv_blocks *into, const cv_link *link)
{
    char id[6];
    cv_mark *mark = cv_part_add_mark(t->arena, into, CV_MARK_REFERENCE, link->type);
    mark->targets = cv_arena_copy(t->arena, cv_name_text(&t->g, link->target, id));
    if (link->reason != CV_NO_NAME)
        mark->body = cv_part_text(t->arena, cv_name_text(&t->g, link->reason, id));
}

static void add_entity(cv_transcript *t, cv_blocks *into, const cv_written_entity *told)
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

/* What is asked for is in the mark of a request, behind the ids that it is about, if any; other moves say why below
 * it. A colon in front keeps what is asked for from being taken for ids. */
static cv_str request_label(cv_arena *a, cv_str targets, cv_str context)
{
    cv_id id;
    cv_str rest = context;
    if (targets.n > 0)
        return cv_squeeze(a, cv_arena_printf(a, "%.*s: %.*s", CV_FMT(targets), CV_FMT(context)));
    bool guard = cv_target_next(&rest, &id) || (context.n > 0 && context.p[0] == ':');
    return cv_squeeze(a, guard ? cv_arena_join(a, CV_STR(": "), context) : context);
}

static void add_move(cv_transcript *t, cv_blocks *into, const cv_rec_move *move)
{
    int type = cv_words_find(cv_move_words, move->move_type);
    cv_str targets = cv_part_list(t->arena, move->targets, ", ");
    if (type < 0)
        return;
    cv_mark *mark = cv_part_add_mark(t->arena, into, CV_MARK_MOVE, type);
    if (type == CV_MOVE_REQUEST) {
        mark->label = request_label(t->arena, targets, cv_squeeze(t->arena, move->context));
    } else {
        mark->targets = targets;
        mark->body = cv_part_text(t->arena, move->context);
    }
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* A mark, the description, and a list of everything else that the record keeps:
 *
 *     [VERDICT:FINAL: REJECT full swap.]
 *     The panel rejected a full swap …
 *
 *     - Condition: Execute 60-90 days post-refinancing
 *     - Vote: 5-0
 *     - Tensions resolved: T0002, T0101
 */

static const struct {
    cv_mark_type type;
    int sub;
    const char *title; /* of the section, before the author's name */
} forms[CV_VERDICT_COUNT] = {
    [CV_VERDICT_INTERIM] = {CV_MARK_VERDICT, CV_VERDICT_INTERIM, "Interim Verdict"},
    [CV_VERDICT_FINAL] = {CV_MARK_VERDICT, CV_VERDICT_FINAL, "Final Verdict"},
    [CV_VERDICT_MINORITY] = {CV_MARK_MINORITY_VERDICT, -1, "Minority Verdict"},
    [CV_VERDICT_DISSENT] = {CV_MARK_DISSENT, -1, "Dissent"},
};

/* What the mark itself says, and what is of no use to a reader. */
static bool is_told_elsewhere(cv_str name)
{
    static const cv_str names[] = {CV_STR_INIT("position"), CV_STR_INIT("verdict_type"), CV_STR_INIT("recommendation"),
                                   CV_STR_INIT("description")};
    return cv_words_find((cv_words){names, CV_COUNT(names)}, name) >= 0;
}

static void add_line(cv_arena *a, cv_buf *out, cv_str name, cv_str value)
{
    value = cv_squeeze(a, value);
    if (value.n == 0)
        return;
    cv_buf_add_z(out, "- ");
    cv_buf_add(out, cv_part_title(a, name));
    cv_buf_add_z(out, ": ");
    cv_buf_add(out, cv_line_quote(a, value));
    cv_buf_add_char(out, '\n');
}

/* Lists of ids and names on one line, sentences on one each, objects as they are. */
static void add_json(cv_arena *a, cv_buf *out, cv_str name, cv_str json)
{
    cv_json value;
    cv_err ignored = {.arena = a};
    bool sentences = cv_str_eq(name, CV_STR("conditions"));
    if (json.n == 0 || !cv_json_parse(a, json, &value, &ignored))
        return;
    if (value.type != CV_JSON_ARRAY)
        add_line(a, out, name, json);
    else if (!sentences)
        add_line(a, out, name, cv_part_list(a, json, ", "));
    for (uint32_t i = 0; sentences && i < value.count; i++)
        if (value.items[i].type == CV_JSON_STRING)
            add_line(a, out, CV_STR("condition"), value.items[i].text);
}

static cv_str details(cv_arena *a, const cv_rec_verdict *v)
{
    const cv_type *type = &cv_rec_verdict_type;
    cv_buf out = {0};
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        const char *at = (const char *)v + field->offset;
        if (is_told_elsewhere(field->name))
            continue;
        if (field->type == CV_TEXT)
            add_line(a, &out, field->name, *(const cv_str *)at);
        else if (field->type == CV_JSON)
            add_json(a, &out, field->name, *(const cv_str *)at);
        else if (*(const int64_t *)at != CV_ABSENT)
            add_line(a, &out, field->name, cv_arena_printf(a, "%lld", (long long)*(const int64_t *)at));
    }
    return cv_buf_take(&out, a);
}

static void add_verdict(cv_transcript *t, cv_blocks *into, const cv_rec_verdict *verdict)
{
    cv_arena *a = t->arena;
    int type = cv_words_find(cv_verdict_words, verdict->verdict_type);
    if (type < 0)
        return;
    cv_mark *mark = cv_part_add_mark(a, into, forms[type].type, forms[type].sub);
    mark->label = cv_squeeze(a, verdict->recommendation);
    cv_str description = cv_part_text(a, verdict->description);
    mark->body = cv_str_trim_right(cv_part_join(a, description, "\n\n", details(a, verdict)));
}

static int by_position(const void *x, const void *y)
{
    const cv_rec_verdict *a = *(const cv_rec_verdict *const *)x, *b = *(const cv_rec_verdict *const *)y;
    return CV_ORDER(a->position, b->position);
}

/* Interim and final verdicts are the judge's; the others are those of experts. */
static cv_section *open_section(cv_transcript *t, cv_doc *doc, const cv_rec_verdict *v, int type)
{
    bool judge = forms[type].type == CV_MARK_VERDICT;
    cv_section *section = cv_part_add_section(t->arena, doc, judge ? CV_SECTION_JUDGE : CV_SECTION_OTHER);
    section->label = cv_str_of(forms[type].title);
    if (!judge && v->author_expert.n > 0)
        section->label = cv_arena_printf(t->arena, "%s: %.*s", forms[type].title,
                                         CV_FMT(t->names[cv_transcript_speaker(t, v->author_expert)]));
    return section;
}

/* Interim ones are with the judge of their round, if it is shown. */
static bool stands_elsewhere(const cv_transcript *t, const cv_rec_verdict *v, int type)
{
    return type == CV_VERDICT_INTERIM && v->round >= 0 && v->round <= t->last;
}

void cv_transcript_add_verdicts(cv_transcript *t, cv_doc *doc, bool all)
{
    size_t count = t->s.verdicts.count;
    const cv_rec_verdict **order = CV_NEW_ARRAY(t->arena, count, const cv_rec_verdict *);
    for (size_t i = 0; i < count; i++)
        order[i] = &t->s.verdicts.items[i];
    if (count > 1)
        qsort(order, count, sizeof *order, by_position);
    for (size_t i = 0; i < count; i++) {
        int type = cv_words_find(cv_verdict_words, order[i]->verdict_type);
        if (type >= 0 && (all || !stands_elsewhere(t, order[i], type)))
            add_verdict(t, &open_section(t, doc, order[i], type)->content, order[i]);
    }
}

/* ---- agents ----------------------------------------------------------------------------------------------------- */

static bool is_silent(const cv_transcript *t, size_t group)
{
    return cv_group_is_empty(&t->told_by, group) && cv_group_is_empty(&t->moves_by, group) &&
           cv_group_is_empty(&t->links_by, group) && cv_group_is_empty(&t->positions_by, group);
}

static void add_agent(cv_transcript *t, cv_section *section, int64_t round, size_t speaker)
{
    size_t group = cv_transcript_group(t, round, speaker);
    cv_agent *agent = CV_PUSH(t->arena, &section->agents);
    bool judge = speaker + 1 == t->speakers;
    *agent = (cv_agent){.name = t->names[speaker], .emoji = judge ? cv_judge_emoji : cv_expert_emoji, .known = true};
    for (const uint32_t *i = cv_group_begin(&t->positions_by, group); i < cv_group_end(&t->positions_by, group); i++)
        cv_part_add_text(t->arena, &agent->content, t->s.positions.items[*i].content);
    for (const uint32_t *i = cv_group_begin(&t->links_by, group); i < cv_group_end(&t->links_by, group); i++)
        add_reference(t, &agent->content, &t->g.links.items[*i]);
    for (const uint32_t *i = cv_group_begin(&t->told_by, group); i < cv_group_end(&t->told_by, group); i++)
        add_entity(t, &agent->content, &t->told.items[*i]);
    for (const uint32_t *i = cv_group_begin(&t->moves_by, group); i < cv_group_end(&t->moves_by, group); i++)
        add_move(t, &agent->content, &t->s.moves.items[*i]);
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* The panel in its order, then others who spoke. Those of the panel who said nothing are named, not given a part. */
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
    cv_part_add_own(t->arena, &section->content, said);
    if (said.n == 0 && section->agents.count == 0)
        cv_part_add_own(t->arena, &section->content, CV_STR("Nothing was said in this round."));
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
    {CV_STATUS_TENSION_ADDRESSED, CV_MARK_REFERENCE, CV_REF_ADDRESS},
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
            add_verdict(t, &section.content, v);
    }
    size_t at = (size_t)round->round;
    for (const uint32_t *i = cv_group_begin(in, at); i < cv_group_end(in, at); i++)
        add_standing(t, &section.content, t->settled.items[*i]);
    if (section.content.count > 0)
        *CV_PUSH(t->arena, &doc->sections) = section;
}

/* ---- corrections ------------------------------------------------------------------------------------------------ */

const cv_str cv_transcript_corrections = CV_STR_INIT("Corrections");

/* Texts that are not those of their experts any more: "- P0001: corrected by judge: a typo". */
void cv_transcript_add_corrections(cv_transcript *t, cv_doc *doc)
{
    cv_buf text = {0};
    for (size_t i = 0; i < t->told.count; i++) {
        cv_str how = cv_correction_text(t->arena, t->told.items[i].row);
        if (how.n)
            cv_buf_printf(&text, "- %.*s: %.*s\n", CV_FMT(t->told.items[i].id), CV_FMT(cv_squeeze(t->arena, how)));
    }
    if (text.n == 0)
        return;
    cv_section *section = cv_part_add_section(t->arena, doc, CV_SECTION_OTHER);
    section->label = cv_transcript_corrections;
    cv_part_add_text(t->arena, &section->content, cv_buf_take(&text, t->arena));
}
