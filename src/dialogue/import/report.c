/* report.c - what an import reports; see report.h. */
#include "dialogue/import/report.h"

#include <assert.h>

#include "dialogue/text/mark.h"

enum { MOST_TOLD = 8 }; /* remarks of a kind, for people; the JSON has all of them */

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void add(cv_import_tally *to, const cv_import_tally *from)
{
    to->rounds += from->rounds;
    to->agents += from->agents;
    to->responses += from->responses;
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        to->entities[kind] += from->entities[kind];
    to->references += from->references;
    to->moves += from->moves;
    to->scores += from->scores;
    to->tracked += from->tracked;
    to->updates += from->updates;
    to->verdicts += from->verdicts;
}

#define CV_THIS_TYPE cv_import_tally
#define COUNTED(member, about) CV_NUMBER(ALWAYS, #member, member, 0, CV_NO_LIMIT, about)
const cv_shape cv_tally_shape[] = {
    COUNTED(rounds, ""),
    COUNTED(agents, ""),
    COUNTED(responses, ""),
#define KIND(id, letter, word, plural, purpose) CV_NUMBER(ALWAYS, plural, entities[CV_KIND_##id], 0, CV_NO_LIMIT, ""),
#include "dialogue/words/kinds.def"
#undef KIND
    COUNTED(references, ""),
    COUNTED(moves, ""),
    COUNTED(scores, ""),
    COUNTED(tracked, "rows of tension trackers"),
    COUNTED(updates, "statuses that a tracker gave"),
    COUNTED(verdicts, ""),
    {0},
};
#undef COUNTED
#undef CV_THIS_TYPE

/* As it was counted from the record; what was not written is not counted. */
static cv_import_tally tally_of(const cv_script *s, const cv_imported *imported)
{
    cv_import_tally all = {0};
    if (imported->counted)
        return imported->tally;
    for (size_t i = 0; i < s->sheets.count; i++)
        add(&all, &s->sheets.items[i].tally);
    return all;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Where something stands: files have names here, not numbers. */
typedef struct {
    cv_str file, text, why;
    size_t line;
} told_remark;

typedef struct {
    told_remark *items;
    size_t count;
} told_remarks;

typedef struct {
    cv_str file, what, says, derives, why;
    size_t line;
} told_difference;

typedef struct {
    cv_str name, outcome, why, dialogue_id, title;
    int64_t rev; /* CV_ABSENT: it is not in the record */
    cv_import_tally tally;
    const cv_sheet *sheets;
    const cv_meant *meanings;
    told_difference *differences;
    size_t sheet_count, meaning_count, difference_count;
    told_remarks decided, not_understood, conflicts, failures;
} told_dialogue;

#define PLACE CV_FIELD(IF_ANY, file, ""), CV_NUMBER(IF_ANY, "line", line, 1, CV_NO_LIMIT, "")

#define CV_THIS_TYPE told_remark
static const cv_shape remark_shape[] = {PLACE, CV_FIELD(IF_ANY, text, ""), CV_FIELD(ALWAYS, why, ""), {0}};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told_difference
static const cv_shape difference_shape[] = {
    PLACE,
    CV_FIELD(ALWAYS, what, ""),
    CV_FIELD(ALWAYS, says, ""),
    CV_FIELD(ALWAYS, derives, ""),
    CV_FIELD(IF_ANY, why, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_sheet
static const cv_shape sheet_shape[] = {
    CV_FIELD_AS(ALWAYS, "file", name, ""),
    CV_FIELD(ALWAYS, role, ""),
    CV_FIELD(IF_ANY, why, "why nothing was taken from it"),
    CV_SPREAD(tally, cv_tally_shape),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_meant
static const cv_shape meaning_shape[] = {CV_FIELD(ALWAYS, written, ""), CV_FIELD(ALWAYS, id, ""), {0}};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told_dialogue
#define REMARKS(member, about) CV_LIST(#member, member.items, member.count, remark_shape, about)
const cv_shape cv_import_dialogue_shape[] = {
    CV_FIELD(ALWAYS, name, "of its folder or file"),
    CV_WORD(ALWAYS, "outcome", outcome, &cv_import_outcomes, ""),
    CV_FIELD(IF_ANY, why, ""),
    CV_FIELD(IF_ANY, dialogue_id, ""),
    CV_FIELD(IF_ANY, title, ""),
    CV_NUMBER(IF_ANY, "rev", rev, 1, CV_NO_LIMIT, ""),
    CV_SPREAD(tally, cv_tally_shape),
    CV_LIST("files", sheets, sheet_count, sheet_shape, ""),
    CV_LIST("meanings", meanings, meaning_count, meaning_shape, "which tension each id of a tracker is"),
    REMARKS(decided, "how it was read where files leave a choice"),
    REMARKS(not_understood, "texts outside of items, with the reason"),
    CV_LIST("differences", differences, difference_count, difference_shape,
            "where boards and trackers differ from the record"),
    REMARKS(conflicts, "steps that differ from the record"),
    REMARKS(failures, "what could not be read or recorded"),
    {0},
};
#undef REMARKS
#undef CV_THIS_TYPE

static cv_str file_of(const cv_script *s, size_t sheet)
{
    assert(sheet < s->sheets.count || sheet == CV_NO_SHEET);
    return sheet == CV_NO_SHEET ? (cv_str){NULL, 0} : s->sheets.items[sheet].name;
}

static told_remarks remarks_of(const cv_script *s, const cv_remarks *remarks)
{
    told_remarks told = {CV_NEW_ARRAY(s->arena, remarks->count, told_remark), remarks->count};
    for (size_t i = 0; i < remarks->count; i++) {
        const cv_remark *r = &remarks->items[i];
        told.items[i] = (told_remark){.file = file_of(s, r->sheet), .line = r->line, .text = r->text, .why = r->why};
    }
    return told;
}

static told_difference *differences_of(const cv_script *s)
{
    told_difference *told = CV_NEW_ARRAY(s->arena, s->differences.count, told_difference);
    for (size_t i = 0; i < s->differences.count; i++) {
        const cv_difference *d = &s->differences.items[i];
        told[i] = (told_difference){.file = file_of(s, d->sheet),
                                    .line = d->line,
                                    .what = d->what,
                                    .says = d->says,
                                    .derives = d->derives,
                                    .why = d->why};
    }
    return told;
}

static told_dialogue dialogue_of(const cv_script *s, const cv_imported *imported, cv_import_outcome outcome, cv_str why)
{
    return (told_dialogue){.name = s->key,
                           .outcome = cv_import_outcomes.items[outcome],
                           .why = why,
                           .dialogue_id = imported->dialogue_id,
                           .title = s->title,
                           .rev = imported->rev > 0 ? imported->rev : CV_ABSENT,
                           .tally = tally_of(s, imported),
                           .sheets = s->sheets.items,
                           .sheet_count = s->sheets.count,
                           .meanings = imported->meanings.items,
                           .meaning_count = imported->meanings.count,
                           .differences = differences_of(s),
                           .difference_count = s->differences.count,
                           .decided = remarks_of(s, &s->decided),
                           .not_understood = remarks_of(s, &s->not_understood),
                           .conflicts = remarks_of(s, &imported->conflicts),
                           .failures = remarks_of(s, &imported->failures)};
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void tell_place(cv_report *r, const cv_script *s, size_t sheet, size_t line)
{
    if (sheet < s->sheets.count)
        cv_buf_printf(r->import->text, "%.*s", CV_FMT(s->sheets.items[sheet].brief));
    if (sheet < s->sheets.count && line > 0)
        cv_buf_printf(r->import->text, ":%zu", line);
    cv_buf_add_z(r->import->text, sheet < s->sheets.count ? ": " : "");
}

static void tell_rest(cv_report *r, size_t count)
{
    if (count > MOST_TOLD)
        cv_buf_printf(r->import->text, "    … and %zu more (--json lists them)\n", count - MOST_TOLD);
}

static void tell_remarks(cv_report *r, const cv_script *s, const char *title, const cv_remarks *remarks)
{
    if (remarks->count > 0)
        cv_buf_printf(r->import->text, "  %s: %zu\n", title, remarks->count);
    for (size_t i = 0; i < remarks->count && i < MOST_TOLD; i++) {
        const cv_remark *remark = &remarks->items[i];
        cv_buf_add_z(r->import->text, "    ");
        tell_place(r, s, remark->sheet, remark->line);
        if (remark->text.n)
            cv_buf_printf(r->import->text, "%.*s: ", CV_FMT(cv_squeeze(s->arena, remark->text)));
        cv_buf_printf(r->import->text, "%.*s\n", CV_FMT(remark->why));
    }
    tell_rest(r, remarks->count);
}

static void tell_differences(cv_report *r, const cv_script *s)
{
    if (s->differences.count > 0)
        cv_buf_printf(r->import->text, "  differences: %zu\n", s->differences.count);
    for (size_t i = 0; i < s->differences.count && i < MOST_TOLD; i++) {
        const cv_difference *d = &s->differences.items[i];
        cv_buf_add_z(r->import->text, "    ");
        tell_place(r, s, d->sheet, d->line);
        cv_buf_printf(r->import->text, "%.*s: says %.*s, the record %.*s", CV_FMT(d->what), CV_FMT(d->says),
                      CV_FMT(d->derives));
        cv_buf_printf(r->import->text, d->why.n ? " (%.*s)\n" : "\n%.*s", CV_FMT(d->why));
    }
    tell_rest(r, s->differences.count);
}

/* The files from which nothing was taken, those with the same reason together; what failed is told elsewhere. */
static bool is_unused(const cv_sheet *sheet)
{
    return sheet->why.n > 0 && !sheet->failed;
}

static size_t tell_unused_alike(cv_report *r, const cv_script *s, size_t from)
{
    const cv_sheet *sheets = s->sheets.items;
    size_t end = from;
    for (; end < s->sheets.count && cv_str_eq(sheets[end].why, sheets[from].why); end++)
        if (end - from < MOST_TOLD)
            cv_buf_printf(r->import->text, "%s%.*s", end == from ? "    " : ", ", CV_FMT(sheets[end].brief));
    if (end - from > MOST_TOLD)
        cv_buf_printf(r->import->text, " and %zu more", end - from - MOST_TOLD);
    cv_buf_printf(r->import->text, ": %.*s\n", CV_FMT(sheets[from].why));
    return end;
}

static void tell_unused(cv_report *r, const cv_script *s)
{
    size_t unused = 0, told = 0, groups = 0;
    for (size_t i = 0; i < s->sheets.count; i++)
        unused += is_unused(&s->sheets.items[i]);
    if (unused > 0)
        cv_buf_printf(r->import->text, "  not used: %zu\n", unused);
    for (size_t i = 0; i < s->sheets.count && groups < MOST_TOLD;) {
        size_t end = is_unused(&s->sheets.items[i]) ? tell_unused_alike(r, s, i) : i;
        told += end - i;
        groups += end > i;
        i = end > i ? end : i + 1;
    }
    if (told < unused)
        cv_buf_printf(r->import->text, "    … and %zu more (--json lists them)\n", unused - told);
}

static void tell_dialogue(cv_report *r, const cv_script *s, const cv_imported *imported, cv_import_outcome outcome,
                          cv_str why)
{
    cv_import_tally all = tally_of(s, imported);
    cv_buf_printf(r->import->text, "%-9.*s  %.*s%s%.*s\n", CV_FMT(cv_import_outcomes.items[outcome]), CV_FMT(s->key),
                  imported->dialogue_id.n ? " -> " : "", CV_FMT(imported->dialogue_id));
    if (why.n)
        cv_buf_printf(r->import->text, "  %.*s\n", CV_FMT(why));
    if (outcome == CV_OUTCOME_SKIPPED) {
        if (s->sheets.count > 1) /* the reason of a single one is that of the dialogue */
            tell_unused(r, s);
        return;
    }
    cv_buf_printf(r->import->text, "  %zu file%s, %zu round%s, %zu agent%s, %zu response%s, ", s->sheets.count,
                  CV_PLURAL(s->sheets.count), all.rounds, CV_PLURAL(all.rounds), all.agents, CV_PLURAL(all.agents),
                  all.responses, CV_PLURAL(all.responses));
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        if (all.entities[kind])
            cv_buf_printf(r->import->text, "%zu %.*s, ", all.entities[kind],
                          CV_FMT(all.entities[kind] == 1 ? cv_kinds[kind].word : cv_kinds[kind].plural));
    cv_buf_printf(r->import->text, "%zu reference%s, %zu move%s, %zu score%s, %zu verdict%s\n", all.references,
                  CV_PLURAL(all.references), all.moves, CV_PLURAL(all.moves), all.scores, CV_PLURAL(all.scores),
                  all.verdicts, CV_PLURAL(all.verdicts));
    tell_remarks(r, s, "conflicts", &imported->conflicts);
    tell_remarks(r, s, "failures", &imported->failures);
    tell_remarks(r, s, "decided", &s->decided);
    tell_remarks(r, s, "not understood", &s->not_understood);
    tell_differences(r, s);
    tell_unused(r, s);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void cv_report_dialogue(cv_report *r, const cv_script *s, const cv_imported *imported, cv_import_outcome outcome,
                        cv_str why)
{
    const told_dialogue told = dialogue_of(s, imported, outcome, why);
    add(&r->total, &told.tally);
    cv_import_add(r->import, outcome, &told);
    if (r->import->text)
        tell_dialogue(r, s, imported, outcome, why);
}

void cv_report_end(cv_report *r)
{
    cv_import *import = r->import;
    cv_import_tally *total = CV_NEW(import->call->arena, cv_import_tally);
    *total = r->total;
    import->counted = total;
    if (import->text && import->ignored > 0)
        cv_buf_printf(import->text, "skipped: %zu (neither markdown nor JSON)\n", import->ignored);
}
