/* transcript_doc.c - the documents of a dialogue: their heads, and which sections they have; see transcript.h. */
#include "dialogue/transcript/parts.h"
#include "dialogue/transcript/transcript.h"

const cv_str cv_transcript_record_key = CV_STR_INIT("Record");

/* ---- the head --------------------------------------------------------------------------------------------------- */

static size_t open_tensions(const cv_transcript *t)
{
    size_t open = 0;
    for (size_t i = 0; i < t->told.count; i++) {
        const cv_rec_entity now = {.status = t->told.items[i].status};
        open += t->told.items[i].kind == CV_KIND_TENSION && cv_tension_is_open(&now);
    }
    return open;
}

/* A final verdict closes a dialogue whatever is still open; but then it has not converged. */
static cv_str status_text(cv_transcript *t)
{
    cv_str title = cv_part_title(t->arena, t->whole ? t->s.dialogue.status : cv_dialogue_words.items[CV_DIALOGUE_OPEN]);
    size_t count = open_tensions(t);
    if (!t->whole)
        return cv_arena_printf(t->arena, "%.*s, as of round %lld", CV_FMT(title), (long long)t->last);
    if (cv_str_eq(t->s.dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_CONVERGED]) && count > 0)
        return cv_arena_printf(t->arena, "Decided with %zu open %.*s", count,
                               CV_FMT(count == 1 ? cv_kinds[CV_KIND_TENSION].word : cv_kinds[CV_KIND_TENSION].plural));
    return title;
}

static cv_str participants(cv_transcript *t)
{
    cv_buf text = {0};
    cv_buf_add(&text, t->faces[t->speakers - 1]);
    for (size_t i = 0; i + 1 < t->speakers; i++) {
        cv_buf_add_z(&text, ", ");
        cv_buf_add(&text, t->faces[i]);
    }
    return cv_buf_take(&text, t->arena);
}

static cv_str number(cv_transcript *t, int64_t n)
{
    return cv_arena_printf(t->arena, "%lld", (long long)n);
}

static int64_t alignment(const cv_transcript *t)
{
    int64_t sum = 0;
    for (int64_t i = 0; i <= t->last; i++)
        sum += t->s.rounds.items[i].score == CV_ABSENT ? 0 : t->s.rounds.items[i].score;
    return sum;
}

static void add_record(cv_transcript *t, cv_doc *doc)
{
    cv_part_add_meta(
        t->arena, doc, cv_transcript_record_key.p,
        cv_arena_printf(t->arena, "rev %lld, head %.*s", (long long)t->s.position.rev, CV_FMT(t->s.position.head)));
}

static void add_head(cv_transcript *t, cv_doc *doc)
{
    const cv_rec_dialogue *d = &t->s.dialogue;
    cv_arena *a = t->arena;
    doc->title = cv_squeeze(a, d->title);
    cv_part_add_meta(a, doc, "Draft", cv_arena_printf(a, "Dialogue %.*s", CV_FMT(t->s.id)));
    cv_str question = cv_text_tidy(a, d->question);
    bool said = cv_part_add_meta(a, doc, "Question", question);
    cv_part_add_meta(a, doc, "Status", status_text(t));
    cv_part_add_meta(a, doc, "Date", cv_str_head(d->created_at, 10));
    if (t->whole)
        cv_part_add_meta(a, doc, "Concluded", cv_str_head(d->converged_at, 10));
    cv_part_add_meta(a, doc, "Participants", participants(t));
    cv_part_add_meta(a, doc, "Rounds", number(t, t->last + 1));
    cv_part_add_meta(a, doc, "Total ALIGNMENT", number(t, alignment(t)));
    add_record(t, doc);
    if (!said)
        cv_part_add_text(a, &doc->intro, question);
}

/* What the experts were told beforehand: any JSON. */
static void add_background(cv_transcript *t, cv_doc *doc)
{
    cv_json value;
    cv_err ignored = {.arena = t->arena};
    cv_buf text = {0};
    cv_json_writer w = {.out = &text, .indent = 2};
    if (t->s.dialogue.background.n == 0 || !cv_json_parse(t->arena, t->s.dialogue.background, &value, &ignored))
        return;
    cv_section *section = cv_part_add_section(t->arena, doc, CV_SECTION_OTHER);
    section->label = CV_STR("Background");
    cv_buf_add_z(&text, "```json\n");
    cv_json_value(&w, &value);
    cv_buf_add_z(&text, "\n```");
    cv_part_add_own(t->arena, &section->content, cv_buf_take(&text, t->arena));
}

/* ---- the panel -------------------------------------------------------------------------------------------------- */

/* "0–2, 4": the rounds in which somebody sat. */
static cv_str ranges(cv_arena *a, const bool *sat, int64_t last)
{
    cv_buf text = {0};
    for (int64_t round = 0; round <= last; round++) {
        int64_t first = round;
        if (!sat[round])
            continue;
        while (round < last && sat[round + 1])
            round++;
        cv_buf_printf(&text, "%s%lld", text.n ? ", " : "", (long long)first);
        if (round > first)
            cv_buf_printf(&text, "–%lld", (long long)round);
    }
    return cv_buf_take(&text, a);
}

/* By speaker and round; before the first round the panel that waits for it. */
static const bool *seating(cv_transcript *t, int64_t last)
{
    bool *sat = CV_NEW_ARRAY(t->arena, t->speakers * (size_t)(last + 1), bool);
    for (int64_t round = 0; round <= last; round++) {
        const cv_rec_seat *seats;
        size_t count = cv_state_panel(&t->s, round, &seats);
        for (size_t i = 0; i < count; i++)
            sat[cv_transcript_speaker(t, seats[i].expert_slug) * (size_t)(last + 1) + (size_t)round] = true;
    }
    return sat;
}

/* Columns that are empty for all experts are left out. */
static void panel_header(const cv_transcript *t, cv_part_table *table, bool *ret_focus, bool *ret_reason)
{
    *ret_focus = *ret_reason = false;
    for (size_t i = 0; i < t->s.experts.count; i++) {
        *ret_focus = *ret_focus || t->s.experts.items[i].focus.n > 0;
        *ret_reason = *ret_reason || t->s.experts.items[i].creation_reason.n > 0;
    }
    cv_part_cells(table, "Agent|Role|Tier|Relevance|Source|Rounds");
    if (*ret_focus)
        cv_part_cells(table, "Focus");
    if (*ret_reason)
        cv_part_cells(table, "Created for");
    cv_part_row(table);
}

static void add_panel(cv_transcript *t, cv_doc *doc)
{
    int64_t last = t->last < 0 ? 0 : t->last;
    const bool *sat = seating(t, last);
    cv_part_table table = cv_part_table_begin(t->arena);
    bool focus, reason;
    panel_header(t, &table, &focus, &reason);
    for (size_t i = 0; i < t->s.experts.count; i++) {
        const cv_rec_expert *e = &t->s.experts.items[i];
        cv_part_cell(&table, t->faces[i]);
        cv_part_cell(&table, e->role);
        cv_part_cell(&table, e->tier);
        cv_part_cell(&table, e->relevance);
        cv_part_cell(&table, e->source);
        cv_part_cell(&table, ranges(t->arena, sat + i * (size_t)(last + 1), last));
        if (focus)
            cv_part_cell(&table, e->focus);
        if (reason)
            cv_part_cell(&table, e->creation_reason);
        cv_part_row(&table);
    }
    cv_part_add_table(&table, &cv_part_add_section(t->arena, doc, CV_SECTION_PANEL)->content);
}

/* ---- the documents ---------------------------------------------------------------------------------------------- */

void cv_transcript_doc(cv_transcript *t, cv_doc *doc)
{
    *doc = (cv_doc){0};
    add_head(t, doc);
    add_background(t, doc);
    add_panel(t, doc);
    cv_transcript_add_boards(t, doc);
    cv_transcript_add_perspectives(t, doc);
    cv_transcript_add_tensions(t, doc);
    cv_transcript_add_others(t, doc);
    for (int64_t i = 0; i <= t->last; i++) {
        cv_transcript_add_round(t, doc, &t->s.rounds.items[i]);
        cv_transcript_add_judge(t, doc, &t->s.rounds.items[i]);
    }
    if (t->whole)
        cv_transcript_add_verdicts(t, doc, false);
    cv_transcript_add_corrections(t, doc);
}

/* The head of a part says of what: so nobody takes it for a whole dialogue. */
static void begin_part(cv_transcript *t, cv_doc *doc)
{
    *doc = (cv_doc){.title = cv_squeeze(t->arena, t->s.dialogue.title)};
    cv_part_add_meta(t->arena, doc, "Part of", t->s.id);
    add_record(t, doc);
}

void cv_transcript_scoreboard(cv_transcript *t, cv_doc *doc)
{
    begin_part(t, doc);
    cv_transcript_add_boards(t, doc);
}

void cv_transcript_tensions(cv_transcript *t, cv_doc *doc)
{
    begin_part(t, doc);
    cv_transcript_add_tensions(t, doc);
}

void cv_transcript_summary(cv_transcript *t, int64_t round, cv_doc *doc)
{
    begin_part(t, doc);
    cv_transcript_add_judge(t, doc, &t->s.rounds.items[round]);
    if (doc->sections.count == 0)
        cv_part_add_own(t->arena, &doc->intro, CV_STR("The judge left no summary."));
}

void cv_transcript_verdicts(cv_transcript *t, cv_doc *doc)
{
    begin_part(t, doc);
    cv_transcript_add_verdicts(t, doc, true);
}
