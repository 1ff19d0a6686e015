/* diagnosis.c - what is not understood, and what is; see diagnosis.h. */
#include "dialogue/intake/diagnosis.h"

#include <stdlib.h>

#include "dialogue/intake/lookalike.h"

/* The parser finds more, but the rest is still read, noted by the extract, or about whole dialogues. */
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
    CV_WORD(ALWAYS, "severity", severity, &cv_diagnosis_words, ""),
    CV_NUMBER(ALWAYS, "line", line, 1, CV_NO_LIMIT, ""),
    CV_NUMBER(IF_ANY, "end_line", last, 1, CV_NO_LIMIT, ""),
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

static void add(const report *r, cv_diagnosis_severity severity, cv_str type, size_t line, size_t last, cv_str message,
                cv_str suggestion)
{
    *CV_PUSH(r->a, r->all) = (cv_diagnostic){r->expert,
                                             type,
                                             cv_diagnosis_words.items[severity],
                                             message,
                                             suggestion,
                                             line ? line : 1,
                                             last > line ? last : 0};
}

static void add_findings(const report *r, const cv_parsed_response *response)
{
    for (size_t i = 0; i < response->findings.count; i++) {
        const cv_finding *f = &response->findings.items[i];
        bool unclosed = f->rule == CV_RULE_MARKER_UNCLOSED, fence = f->rule == CV_RULE_UNCLOSED_FENCE;
        if (is_for_writer(f))
            add(r,
                unclosed ? CV_DIAGNOSIS_REPAIRED
                : fence  ? CV_DIAGNOSIS_NOTE
                         : CV_DIAGNOSIS_LOST,
                cv_rules[f->rule].word, f->line, 0, f->message, f->hint);
    }
}

static void add_unread(const report *r, const cv_parsed_response *response)
{
    cv_lookalikes likes;
    size_t from = r->all->count;
    for (size_t i = 0; i < response->plain.remarks.count; i++) {
        const cv_plain_remark *remark = &response->plain.remarks.items[i];
        add(r, remark->severity, remark->type, remark->line, remark->last, remark->message, remark->suggestion);
    }
    add_findings(r, response);
    cv_lookalikes_find(r->a, response, &likes);
    cv_map told = {0};
    for (size_t i = from; i < r->all->count; i++)
        if (r->all->items[i].last == 0)
            cv_map_put(&told, r->a, cv_arena_printf(r->a, "%zu", r->all->items[i].line), NULL);
    for (size_t i = 0; i < likes.count; i++)
        if (!cv_map_get(&told, cv_arena_printf(r->a, "%zu", likes.items[i].line)) ||
            cv_str_eq(likes.items[i].type, CV_STR("mark_in_label")) ||
            cv_str_eq(likes.items[i].type, CV_STR("unmade_id")))
            add(r, likes.items[i].severity, likes.items[i].type, likes.items[i].line, 0, likes.items[i].message,
                likes.items[i].suggestion);
}

static int by_line(const void *x, const void *y)
{
    const cv_diagnostic *a = x, *b = y;
    if (a->line != b->line)
        return CV_ORDER(a->line, b->line);
    return a->type.p == b->type.p ? 0 : cv_str_order(a->type, b->type);
}

static void sort_from(cv_diagnostics *all, size_t from)
{
    if (all->count - from > 1)
        qsort(all->items + from, all->count - from, sizeof *all->items, by_line);
}

void cv_diagnose(cv_arena *a, const cv_extract *h, size_t index, cv_diagnostics *all)
{
    const cv_parsed_response *response = &h->responses[index];
    const report r = {a, response->expert, all};
    size_t from = all->count;
    add_unread(&r, response);
    for (size_t i = response->first_note; i < response->first_note + response->note_count; i++) {
        const cv_extracted_note *note = &h->notes.items[i];
        bool pending = cv_str_eq(note->type, CV_STR("pending_target"));
        add(&r, pending ? CV_DIAGNOSIS_NOTE : note->severity, note->type, note->line, note->last, note->message,
            note->suggestion);
    }
    sort_from(all, from);
}

void cv_diagnose_unread(cv_arena *a, const cv_extract *h, size_t index, cv_diagnostics *all)
{
    const cv_parsed_response *response = &h->responses[index];
    size_t from = all->count;
    add_unread(&(report){a, response->expert, all}, response);
    sort_from(all, from);
}

/* ---- what is under no mark --------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE struct cv_line_range
static const cv_shape range_shape[] = {
    CV_NUMBER(ALWAYS, "line", line, 1, CV_NO_LIMIT, ""),
    CV_NUMBER(ALWAYS, "end_line", last, 1, CV_NO_LIMIT, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_unmarked
const cv_shape cv_unmarked_shape[] = {
    CV_FIELD(ALWAYS, paragraphs, "kept as the position of the round"),
    CV_LIST("lines", ranges, range_count, range_shape, ""),
    {0},
};
const cv_shape cv_named_unmarked_shape[] = {
    CV_FIELD(ALWAYS, expert, ""),
    CV_SPREAD_SAME(cv_unmarked_shape),
    {0},
};
#undef CV_THIS_TYPE

cv_unmarked cv_unmarked_of(cv_arena *a, const cv_extract *h, size_t index)
{
    const cv_parsed_response *response = &h->responses[index];
    CV_STATE_LIST(struct cv_line_range) ranges = {0};
    cv_unmarked all = {.expert = response->expert};
    for (size_t i = 0; i < response->unmarked.count; i++) {
        const cv_unmarked_piece *piece = &response->unmarked.items[i];
        all.paragraphs += piece->paragraphs;
        *CV_PUSH(a, &ranges) = (struct cv_line_range){piece->line, piece->last};
    }
    all.ranges = ranges.items;
    all.range_count = ranges.count;
    return all;
}

static size_t count_understood(const cv_extract *h, cv_str expert)
{
    size_t n = 0;
    for (size_t i = 0; i < h->entities.count; i++)
        n += cv_str_eq(h->entities.items[i].expert, expert);
    for (size_t i = 0; i < h->links.count; i++)
        n += cv_str_eq(h->links.items[i].expert, expert);
    for (size_t i = 0; i < h->moves.count; i++)
        n += cv_str_eq(h->moves.items[i].expert, expert);
    for (size_t i = 0; i < h->verdicts.count; i++)
        n += cv_str_eq(h->verdicts.items[i].expert, expert);
    return n;
}

void cv_warn_of_reading(cv_arena *a, cv_str expert, size_t understood, size_t lost, cv_notices *warnings)
{
    if (understood == 0)
        cv_notice_expert(
            cv_notice_add(warnings, a, CV_STR("nothing_understood"),
                          "the response of %.*s contains no item, reference, move or verdict; its text is kept "
                          "as a position",
                          CV_FMT(expert)),
            expert);
    else if (lost)
        cv_notice_expert(cv_notice_add(warnings, a, CV_STR("partly_understood"),
                                       "the response of %.*s has %zu diagnostic%s with severity lost", CV_FMT(expert),
                                       lost, CV_PLURAL(lost)),
                         expert);
}

void cv_diagnostics_warn(cv_arena *a, const cv_extract *h, const cv_diagnostics *all, cv_notices *warnings)
{
    for (size_t i = 0; i < h->response_count; i++) {
        cv_str expert = h->responses[i].expert;
        size_t lost = 0;
        for (size_t k = 0; k < all->count; k++)
            lost += cv_str_eq(all->items[k].expert, expert) &&
                    cv_str_eq(all->items[k].severity, cv_diagnosis_words.items[CV_DIAGNOSIS_LOST]);
        cv_warn_of_reading(a, expert, count_understood(h, expert), lost, warnings);
    }
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
    CV_LIST_(TEXTS, CV_IF_ANY, false, "waiting", waiting, waiting_count, NULL,
             "targets of others who have not responded"),
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

static void add_reference(cv_arena *a, cv_summary *s, cv_str from, const cv_extracted_ref *ref)
{
    *CV_PUSH(a, &s->references) = (cv_told_reference){cv_ref_words.items[ref->type], from, ref->target};
}

static void add_references(cv_arena *a, const cv_extract *h, cv_str expert, cv_summary *s)
{
    cv_str position = cv_arena_join(a, CV_STR("@"), expert);
    for (size_t i = 0; i < h->links.count; i++)
        if (cv_str_eq(h->links.items[i].expert, expert))
            add_reference(a, s, position, &h->links.items[i].ref);
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_extracted_entity *entity = &h->entities.items[i];
        for (size_t k = 0; cv_str_eq(entity->expert, expert) && k < entity->refs.count; k++)
            add_reference(a, s, entity->local_id, &entity->refs.items[k]);
    }
}

void cv_summarize(cv_arena *a, const cv_extract *h, cv_str expert, cv_summary *ret)
{
    *ret = (cv_summary){0};
    for (size_t i = 0; i < h->entities.count; i++)
        if (cv_str_eq(h->entities.items[i].expert, expert))
            *CV_PUSH(a, &ret->ids[h->entities.items[i].kind]) = h->entities.items[i].local_id;
    add_references(a, h, expert, ret);
    for (size_t i = 0; i < h->moves.count; i++) {
        const cv_extracted_move *move = &h->moves.items[i];
        if (cv_str_eq(move->expert, expert))
            *CV_PUSH(a, &ret->moves) = (cv_told_move){cv_move_words.items[move->type], move->targets.items,
                                                      move->waiting.items, move->targets.count, move->waiting.count};
    }
    for (size_t i = 0; i < h->verdicts.count; i++)
        if (cv_str_eq(h->verdicts.items[i].expert, expert))
            *CV_PUSH(a, &ret->verdicts) = cv_verdict_words.items[h->verdicts.items[i].type];
}
