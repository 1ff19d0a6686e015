/* prompt_rounds.c - what was said in the rounds before, in full, or with what a cut leaves of it; see prompt.h.
 *
 *     ### Round 0 — Opening Arguments (Score: 117)
 *     #### Muffin (You) — Value Analyst
 *     [P0001: Income mandate mismatch] (muffin) — refined
 *     NVIDIA's zero dividend …
 *     [RE:SUPPORT R0001]
 *
 * After a mark, on its line, there is only what we know about the item; its text begins below. A thematic break ends
 * each speaker's part, so that to the parser no text reaches into the next heading.
 */
#include "dialogue/brief/prompt.h"

#include "dialogue/brief/story.h"
#include "dialogue/text/doc.h"

enum { LEAST_BODY = 64 }; /* bytes; leaving out a shorter text would save no more than saying so costs */

/* ---- what is left out -------------------------------------------------------------------------------------------- */

static bool is_kept(const cv_prompt *p, const cv_view_item *item)
{
    return cv_view_is_open(item) && (item->kind == CV_KIND_TENSION || cv_view_has_by(item->by, p->member->slug));
}

static bool is_gone(const cv_prompt *p, const cv_view_item *item)
{
    return item->row->round < p->cut.items && !is_kept(p, item) &&
           (item->kind == CV_KIND_EVIDENCE || item->kind == CV_KIND_CLAIM);
}

static bool is_bodiless(const cv_prompt *p, uint32_t i)
{
    const cv_view_item *item = &p->v->items.items[i];
    return item->row->round < p->cut.bodies && !is_kept(p, item) && cv_prompt_item(p, i)->body.n >= LEAST_BODY;
}

void cv_prompt_find_left(cv_prompt *p)
{
    p->left = (cv_prompt_left){.syntheses = p->cut.syntheses};
    for (uint32_t i = 0; p->cut.bodies > 0 && i < p->v->items.count; i++) {
        if (is_gone(p, &p->v->items.items[i]))
            *CV_PUSH(p->v->a, &p->left.items) = i;
        else if (is_bodiless(p, i))
            *CV_PUSH(p->v->a, &p->left.bodies) = i;
    }
}

static void list_ids(const cv_prompt *p, const char *before, const uint32_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(p->out, "%s%.*s", i ? ", " : before, CV_FMT(p->v->items.items[items[i]].id));
    cv_buf_add_z(p->out, count ? ".\n" : "");
}

cv_str cv_prompt_how_to_read(const cv_prompt *p)
{
    static const cv_argument one[] = {{NULL, CV_STR_INIT("ID"), CV_ARGUMENT_COMMAND},
                                      {"ids", CV_STR_INIT("[\"ID\"]"), CV_ARGUMENT_TOOL}};
    return cv_name_call(p->v->name, p->v->a, CV_STR("dialogue expand"), p->v->s.id, one, CV_COUNT(one));
}

static void write_left(const cv_prompt *p)
{
    const cv_prompt_left *left = &p->left;
    if (left->bodies.count + left->items.count == 0 && left->syntheses == 0)
        return;
    cv_buf_add_z(p->out, "> **Shortened** to fit a token budget.\n");
    list_ids(p, "> Only the labels are shown of ", left->bodies.items, left->bodies.count);
    list_ids(p, "> Evidence and claims left out: ", left->items.items, left->items.count);
    if (left->syntheses > 0)
        cv_buf_printf(p->out, "> The judge's syntheses are left out of the rounds before round %lld.\n",
                      (long long)left->syntheses);
    cv_buf_printf(p->out, "> Read any of it with `%.*s`, a synthesis with `round-N` as the id.\n\n",
                  CV_FMT(cv_prompt_how_to_read(p)));
}

/* ---- one item ---------------------------------------------------------------------------------------------------- */

/* Tensions are written with their word and without contributors, as the specification does. */
static void write_mark(const cv_view *v, const cv_view_item *item, cv_buf *out)
{
    bool tension = item->kind == CV_KIND_TENSION;
    cv_str *by = CV_NEW_ARRAY(v->a, item->by->count, cv_str);
    for (size_t i = 0; i < item->by->count; i++)
        by[i] = cv_view_slug(v, item->by->items[i]);
    cv_mark mark = {.type = (cv_mark_type)item->kind,
                    .style = tension ? CV_STYLE_CLASSIC : CV_STYLE_GLOBAL,
                    .sub = -1,
                    .colon = true,
                    .id = item->id,
                    .label = cv_squeeze(v->a, item->row->label),
                    .by = tension ? (cv_str){NULL, 0} : cv_arena_list(v->a, by, item->by->count)};
    cv_mark_print(out, &mark);
}

/* What we know about an item beyond its text. */
static void write_note(const cv_view *v, const cv_view_item *item, bool bodiless, cv_buf *out)
{
    const char *joint = " — ";
    if (item->kind == CV_KIND_TENSION && item->by->count > 1) {
        cv_buf_printf(out, "%sraised by ", joint);
        cv_story_names(v, item->by, (cv_str){NULL, 0}, out);
        joint = ", ";
    }
    if (!cv_str_eq(item->status, cv_statuses[cv_status_first(item->kind)].word)) {
        cv_buf_printf(out, "%s%.*s", joint, CV_FMT(item->status));
        joint = ", ";
    }
    cv_str correction = cv_correction_text(v->a, item->row);
    if (correction.n) {
        cv_buf_printf(out, "%s%.*s", joint, CV_FMT(cv_prompt_line(v->a, correction)));
        joint = ", ";
    }
    if (bodiless)
        cv_buf_printf(out, "%stext left out", joint);
    cv_buf_add_char(out, '\n');
}

static void write_tie(const cv_view *v, const cv_view_tie *tie, const char *before, cv_buf *out)
{
    cv_mark mark = {.type = CV_MARK_REFERENCE,
                    .style = CV_STYLE_CLASSIC,
                    .sub = (int)tie->type,
                    .word = cv_ref_words.items[tie->type],
                    .targets = cv_view_slug(v, tie->target)};
    cv_buf_add_z(out, before);
    cv_mark_print(out, &mark);
}

static void write_body(const cv_view *v, const cv_rec_entity *row, cv_buf *out)
{
    cv_json parameters = {.type = CV_JSON_NULL};
    cv_err ignored = {.arena = v->a};
    size_t begin = out->n;
    cv_prompt_text(v->a, out, row->content);
    if (row->parameters.n && cv_json_parse(v->a, row->parameters, &parameters, &ignored) &&
        parameters.type == CV_JSON_OBJECT && parameters.count) {
        cv_buf_add_z(out, out->n > begin ? "\n" : "");
        cv_prompt_table(v->a, out, "Parameter", "Value", false, &parameters);
    }
}

/* What is said of a reference is below its mark. */
static bool write_reason(const cv_view *v, const cv_view_tie *tie, cv_buf *out)
{
    if (!tie->row->reason.n)
        return false;
    cv_buf_add_char(out, '\n');
    cv_prompt_text(v->a, out, tie->row->reason);
    return true;
}

/* References are behind a blank line: a table must not go on over them. */
static void write_ties(const cv_view *v, uint32_t item, bool whole, cv_buf *out)
{
    const uint32_t *tie = cv_group_begin(&v->ties_from, item), *end = cv_group_end(&v->ties_from, item);
    bool told = false;
    for (const char *before = "\n"; tie < end; tie++, before = told ? "\n" : " ") {
        write_tie(v, &v->ties.items[*tie], before, out);
        told = whole && write_reason(v, &v->ties.items[*tie], out);
    }
    cv_buf_add_z(out, cv_group_is_empty(&v->ties_from, item) || told ? "\n" : "\n\n");
}

const cv_prompt_block *cv_prompt_item(const cv_prompt *p, uint32_t i)
{
    const cv_view *v = p->v;
    cv_prompt_block *block = &p->blocks[i];
    cv_buf text = {0};
    if (block->whole.p)
        return block;
    write_mark(v, &v->items.items[i], &text);
    write_note(v, &v->items.items[i], false, &text);
    size_t begin = text.n;
    write_body(v, v->items.items[i].row, &text);
    size_t end = text.n;
    write_ties(v, i, true, &text);
    block->whole = cv_buf_take(&text, v->a);
    block->body = (cv_str){block->whole.p + begin, end - begin};
    return block;
}

static void write_item(const cv_prompt *p, uint32_t i)
{
    const cv_view_item *item = &p->v->items.items[i];
    if (is_gone(p, item))
        return;
    if (!is_bodiless(p, i)) {
        cv_buf_add(p->out, cv_prompt_item(p, i)->whole);
        return;
    }
    write_mark(p->v, item, p->out);
    write_note(p->v, item, true, p->out);
    write_ties(p->v, i, false, p->out);
}

/* ---- one speaker ------------------------------------------------------------------------------------------------- */

static void write_move(const cv_prompt *p, const cv_view_move *move)
{
    cv_str *targets = CV_NEW_ARRAY(p->v->a, move->target_count, cv_str);
    for (size_t i = 0; i < move->target_count; i++)
        targets[i] = cv_view_slug(p->v, move->targets[i]);
    cv_mark mark = {.type = CV_MARK_MOVE,
                    .style = CV_STYLE_CLASSIC,
                    .sub = (int)move->type,
                    .word = cv_move_words.items[move->type],
                    .targets = cv_arena_list(p->v->a, targets, move->target_count)};
    cv_mark_print(p->out, &mark);
    cv_buf_add_char(p->out, '\n');
    cv_prompt_text(p->v->a, p->out, move->row->context);
    cv_buf_add_char(p->out, '\n');
}

static void write_shared(const cv_prompt *p, size_t key)
{
    const cv_view *v = p->v;
    const char *before = "Also contributed to ";
    for (const uint32_t *i = cv_group_begin(&v->shared_of, key); i < cv_group_end(&v->shared_of, key); i++) {
        const cv_view_item *item = &v->items.items[v->shares.items[*i].a];
        cv_buf_printf(p->out, "%s%.*s (under %.*s)", before, CV_FMT(item->id),
                      CV_FMT(cv_view_name(v, item->by->items[0])));
        before = ", ";
    }
    cv_buf_add_z(p->out, cv_group_is_empty(&v->shared_of, key) ? "" : ".\n\n");
}

/* What was said before any item, from the speaker's whole position. */
static void write_loose(const cv_prompt *p, size_t key)
{
    const cv_view *v = p->v;
    const uint32_t *i = cv_group_begin(&v->loose_of, key), *end = cv_group_end(&v->loose_of, key);
    bool told = false;
    for (const char *before = ""; i < end; i++, before = told ? "\n" : " ") {
        const cv_view_tie *tie = &v->ties.items[v->loose.items[*i].a];
        write_tie(v, tie, before, p->out);
        told = tie->row->round >= p->cut.bodies && write_reason(v, tie, p->out);
    }
    cv_buf_add_z(p->out, cv_group_is_empty(&v->loose_of, key) ? "" : told ? "\n" : "\n\n");
}

static void write_voice(const cv_prompt *p, int64_t round, size_t speaker)
{
    const cv_view *v = p->v;
    const cv_view_speaker *who = &v->speakers.items[speaker];
    size_t key = cv_view_key(v, round, speaker);
    cv_buf_printf(p->out, "#### %.*s%s", CV_FMT(who->name), speaker == p->member->speaker ? " (You)" : "");
    if (who->expert && (!v->anonymous || speaker == p->member->speaker)) {
        cv_buf_add_z(p->out, " — ");
        cv_buf_add(p->out, cv_prompt_line(v->a, who->role));
    }
    cv_buf_add_char(p->out, '\n');
    write_shared(p, key);
    write_loose(p, key);
    for (const uint32_t *i = cv_group_begin(&v->items_of, key); i < cv_group_end(&v->items_of, key); i++)
        write_item(p, *i);
    for (const uint32_t *i = cv_group_begin(&v->moves_of, key); i < cv_group_end(&v->moves_of, key); i++)
        write_move(p, &v->moves.items[*i]);
    cv_buf_add_z(p->out, "---\n\n");
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* **Verdict V01 (interim):** Continue … */
static void write_verdict(const cv_prompt *p, const cv_rec_verdict *verdict)
{
    cv_buf_printf(p->out, "\n**Verdict %.*s (%.*s", CV_FMT(verdict->verdict_id), CV_FMT(verdict->verdict_type));
    if (verdict->author_expert.n)
        cv_buf_printf(p->out, ", by %.*s", CV_FMT(cv_view_name(p->v, verdict->author_expert)));
    cv_buf_add_z(p->out, "):** ");
    cv_buf_add(p->out, cv_prompt_line(p->v->a, verdict->recommendation));
    cv_buf_add_char(p->out, '\n');
    cv_prompt_text(p->v->a, p->out, verdict->description);
}

static void write_synthesis(const cv_prompt *p, const cv_view_round *round)
{
    bool told = round->row->summary.n && round->row->round >= p->cut.syntheses;
    if (!told && round->verdict_count == 0)
        return;
    cv_buf_printf(p->out, "### Judge Synthesis — Round %lld\n", (long long)round->row->round);
    if (told)
        cv_prompt_text(p->v->a, p->out, round->row->summary);
    for (size_t i = 0; i < round->verdict_count; i++)
        write_verdict(p, round->verdicts[i]);
    cv_buf_add_z(p->out, "\n---\n\n");
}

static void write_round(const cv_prompt *p, const cv_view_round *round)
{
    const cv_view *v = p->v;
    const cv_rec_round *row = round->row;
    cv_buf_printf(p->out, "### Round %lld", (long long)row->round);
    if (row->title.n) {
        cv_buf_add_z(p->out, " — ");
        cv_buf_add(p->out, cv_prompt_line(v->a, row->title));
    }
    cv_buf_printf(p->out, " (Score: %lld)\n\n", (long long)(row->score == CV_ABSENT ? 0 : row->score));
    for (size_t i = 0; i < round->voice_count; i++)
        write_voice(p, row->round, round->voices[i]);
    for (size_t i = 0; i < round->silent_count; i++)
        cv_buf_printf(p->out, "%s%.*s",
                      i ? ", " : "*Said nothing in this round: ", CV_FMT(v->speakers.items[round->silent[i]].name));
    cv_buf_add_z(p->out, round->silent_count ? ".*\n\n---\n\n" : "");
    write_synthesis(p, round);
}

void cv_prompt_rounds(cv_prompt *p)
{
    cv_buf_add_z(p->out, "## Prior Rounds\n\n");
    write_left(p);
    for (size_t i = 0; i < p->v->rounds.count; i++)
        write_round(p, &p->v->rounds.items[i]);
}
