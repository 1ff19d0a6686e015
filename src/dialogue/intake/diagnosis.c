/* diagnosis.c - what is not understood, and what is; see diagnosis.h. */
#include "dialogue/intake/diagnosis.h"

#include "dialogue/intake/lookalike.h"

/* The parser finds more, but the rest is heard all the same, noted by the hearing, or about whole dialogues. */
static bool is_for_writer(const cv_finding *finding)
{
    static const cv_rule rules[] = {CV_RULE_UNCLOSED_FENCE, CV_RULE_MARKER_SPELLING, CV_RULE_MARKER_UNCLOSED};
    for (size_t i = 0; i < CV_COUNT(rules); i++)
        if (finding->rule == rules[i])
            return true;
    return false;
}

#define CV_THIS_TYPE cv_diagnostic
const cv_shape cv_diagnostic_shape[] = {
    CV_FIELD(ALWAYS, type, "with dashes: a rule, see docs/rules"),
    CV_NUMBER(ALWAYS, "line", line, 1, CV_NO_LIMIT, ""),
    CV_FIELD(ALWAYS, message, ""),
    CV_BELOW(IF_ANY, suggestion, ""),
    {0},
};
const cv_shape cv_named_diagnostic_shape[] = {
    CV_FIELD(ALWAYS, expert, ""),
    CV_SPREAD_SAME(cv_diagnostic_shape),
    {0},
};
#undef CV_THIS_TYPE

/* Where what is found goes. */
typedef struct {
    cv_arena *a;
    cv_str expert;
    cv_diagnostics *all;
} report;

static void add(const report *r, cv_str type, size_t line, cv_str message, cv_str suggestion)
{
    *CV_PUSH(r->a, r->all) = (cv_diagnostic){r->expert, type, message, suggestion, line};
}

/* What could not be read, by line: the parser's findings and, on lines that have none, what looks like a mark. */
typedef struct {
    const cv_findings *findings;
    cv_lookalikes lookalikes;
    size_t next_finding, next_lookalike;
    size_t told; /* the last line with a finding */
} unread;

static unread unread_of(cv_arena *a, const cv_speech *speech)
{
    unread u = {.findings = &speech->findings};
    cv_lookalikes_find(a, speech, &u.lookalikes);
    return u;
}

static void add_finding(const report *r, unread *u)
{
    const cv_finding *f = &u->findings->items[u->next_finding++];
    if (!is_for_writer(f))
        return;
    u->told = f->line;
    add(r, cv_rules[f->rule].word, f->line, f->message, f->hint);
}

/* … up to this line. */
static void add_unread(const report *r, unread *u, size_t line)
{
    for (;;) {
        const cv_lookalike *like =
            u->next_lookalike < u->lookalikes.count ? &u->lookalikes.items[u->next_lookalike] : NULL;
        size_t until = like && like->line < line ? like->line : line;
        while (u->next_finding < u->findings->count && u->findings->items[u->next_finding].line <= until)
            add_finding(r, u);
        if (!like || like->line > line)
            return;
        if (like->line != u->told)
            add(r, like->type, like->line, like->message, like->suggestion);
        u->next_lookalike++;
    }
}

void cv_diagnose(cv_arena *a, const cv_hearing *h, size_t voice, cv_diagnostics *all)
{
    const cv_speech *speech = &h->speeches[voice];
    const report r = {a, speech->expert, all};
    unread u = unread_of(a, speech);
    for (size_t i = speech->first_note; i < speech->first_note + speech->note_count; i++) {
        const cv_heard_note *note = &h->notes.items[i];
        add_unread(&r, &u, note->line);
        if (!cv_str_eq(note->type, CV_STR("pending_target")))
            add(&r, note->type, note->line, note->message, note->suggestion);
    }
    add_unread(&r, &u, SIZE_MAX);
}

void cv_diagnose_unread(cv_arena *a, const cv_hearing *h, size_t voice, cv_diagnostics *all)
{
    const cv_speech *speech = &h->speeches[voice];
    unread u = unread_of(a, speech);
    add_unread(&(report){a, speech->expert, all}, &u, SIZE_MAX);
}

/* ---- what is understood ------------------------------------------------------------------------------------------ */

#define CV_THIS_TYPE cv_told_reference
static const cv_shape reference_shape[] = {
    CV_FIELD(ALWAYS, type, ""),
    CV_FIELD(ALWAYS, from, "a local id, or @expert"),
    CV_FIELD(ALWAYS, target, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_told_move
static const cv_shape move_shape[] = {
    CV_FIELD(ALWAYS, type, ""),
    CV_TEXTS("targets", targets, target_count, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_summary
#define IDS(name, kind) CV_TEXTS(name, ids[CV_KIND_##kind].items, ids[CV_KIND_##kind].count, "")
const cv_shape cv_summary_shape[] = {
    IDS("perspectives", PERSPECTIVE),
    IDS("recommendations", RECOMMENDATION),
    IDS("tensions_raised", TENSION),
    IDS("evidence", EVIDENCE),
    IDS("claims", CLAIM),
    CV_LIST("references", references.items, references.count, reference_shape, ""),
    CV_LIST("moves", moves.items, moves.count, move_shape, ""),
    CV_TEXTS("verdicts", verdicts.items, verdicts.count, "dissent, minority"),
    {0},
};
_Static_assert(CV_KIND_COUNT == 5, "a row per kind");
#undef IDS
#undef CV_THIS_TYPE

static void add_reference(cv_arena *a, cv_summary *s, cv_str from, const cv_heard_ref *ref)
{
    *CV_PUSH(a, &s->references) = (cv_told_reference){cv_ref_words.items[ref->type], from, ref->target};
}

static void add_references(cv_arena *a, const cv_hearing *h, cv_str expert, cv_summary *s)
{
    cv_str position = cv_arena_join(a, CV_STR("@"), expert);
    for (size_t i = 0; i < h->links.count; i++)
        if (cv_str_eq(h->links.items[i].expert, expert))
            add_reference(a, s, position, &h->links.items[i].ref);
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_heard_entity *entity = &h->entities.items[i];
        for (size_t k = 0; cv_str_eq(entity->expert, expert) && k < entity->refs.count; k++)
            add_reference(a, s, entity->local_id, &entity->refs.items[k]);
    }
}

void cv_summarize(cv_arena *a, const cv_hearing *h, cv_str expert, cv_summary *ret)
{
    *ret = (cv_summary){0};
    for (size_t i = 0; i < h->entities.count; i++)
        if (cv_str_eq(h->entities.items[i].expert, expert))
            *CV_PUSH(a, &ret->ids[h->entities.items[i].kind]) = h->entities.items[i].local_id;
    add_references(a, h, expert, ret);
    for (size_t i = 0; i < h->moves.count; i++) {
        const cv_heard_move *move = &h->moves.items[i];
        if (cv_str_eq(move->expert, expert))
            *CV_PUSH(a, &ret->moves) =
                (cv_told_move){cv_move_words.items[move->type], move->targets.items, move->targets.count};
    }
    for (size_t i = 0; i < h->verdicts.count; i++)
        if (cv_str_eq(h->verdicts.items[i].expert, expert))
            *CV_PUSH(a, &ret->verdicts) = cv_verdict_words.items[h->verdicts.items[i].type];
}
