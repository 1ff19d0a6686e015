/* report.c - what an import tells; see report.h. */
#include "dialogue/import/report.h"

#include "dialogue/text/mark.h"

enum { MOST_TOLD = 8 }; /* remarks of a kind, for people; the JSON has all of them */

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void add(cv_tally *to, const cv_tally *from)
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

static void print_tally(cv_json_writer *w, const cv_tally *t)
{
    cv_json_key_int(w, "rounds", (int64_t)t->rounds);
    cv_json_key_int(w, "agents", (int64_t)t->agents);
    cv_json_key_int(w, "responses", (int64_t)t->responses);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_int(w, (int64_t)t->entities[kind]);
    }
    cv_json_key_int(w, "references", (int64_t)t->references);
    cv_json_key_int(w, "moves", (int64_t)t->moves);
    cv_json_key_int(w, "scores", (int64_t)t->scores);
    cv_json_key_int(w, "tracked", (int64_t)t->tracked);
    cv_json_key_int(w, "updates", (int64_t)t->updates);
    cv_json_key_int(w, "verdicts", (int64_t)t->verdicts);
}

/* As it was counted from the record; what was not written is not counted. */
static cv_tally tally_of(const cv_script *s, const cv_played *played)
{
    cv_tally all = {0};
    if (played->counted)
        return played->tally;
    for (size_t i = 0; i < s->sheets.count; i++)
        add(&all, &s->sheets.items[i].tally);
    return all;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void key_sheet(cv_json_writer *w, const cv_script *s, size_t sheet, size_t line)
{
    if (sheet < s->sheets.count)
        cv_json_key_str(w, "file", s->sheets.items[sheet].name);
    if (line > 0)
        cv_json_key_int(w, "line", (int64_t)line);
}

static void print_files(cv_json_writer *w, const cv_script *s)
{
    cv_json_key(w, CV_STR("files"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->sheets.count; i++) {
        const cv_sheet *sheet = &s->sheets.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "file", sheet->name);
        cv_json_key_str(w, "role", sheet->role);
        if (sheet->why.n)
            cv_json_key_str(w, "why", sheet->why);
        print_tally(w, &sheet->tally);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_remarks(cv_json_writer *w, const cv_script *s, const char *key, const cv_remarks *remarks)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = 0; i < remarks->count; i++) {
        const cv_remark *remark = &remarks->items[i];
        cv_json_begin_object(w);
        key_sheet(w, s, remark->sheet, remark->line);
        if (remark->text.n)
            cv_json_key_str(w, "text", remark->text);
        cv_json_key_str(w, "why", remark->why);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_differences(cv_json_writer *w, const cv_script *s)
{
    cv_json_key(w, CV_STR("differences"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->differences.count; i++) {
        const cv_difference *d = &s->differences.items[i];
        cv_json_begin_object(w);
        key_sheet(w, s, d->sheet, d->line);
        cv_json_key_str(w, "what", d->what);
        cv_json_key_str(w, "says", d->says);
        cv_json_key_str(w, "derives", d->derives);
        if (d->why.n)
            cv_json_key_str(w, "why", d->why);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_meanings(cv_json_writer *w, const cv_played *played)
{
    cv_json_key(w, CV_STR("meanings"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < played->meanings.count; i++) {
        cv_json_begin_object(w);
        cv_json_key_str(w, "written", played->meanings.items[i].written);
        cv_json_key_str(w, "id", played->meanings.items[i].id);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_dialogue(cv_json_writer *w, const cv_script *s, const cv_played *played, cv_import_outcome outcome,
                           cv_str why)
{
    cv_tally all = tally_of(s, played);
    cv_json_begin_object(w);
    cv_json_key_str(w, "name", s->key);
    cv_json_key_str(w, "outcome", cv_import_outcomes.items[outcome]);
    if (why.n)
        cv_json_key_str(w, "why", why);
    if (played->dialogue_id.n)
        cv_json_key_str(w, "dialogue_id", played->dialogue_id);
    if (s->title.n)
        cv_json_key_str(w, "title", s->title);
    if (played->rev > 0)
        cv_json_key_int(w, "rev", played->rev);
    print_tally(w, &all);
    print_files(w, s);
    print_meanings(w, played);
    print_remarks(w, s, "decided", &s->decided);
    print_remarks(w, s, "not_understood", &s->not_understood);
    print_differences(w, s);
    print_remarks(w, s, "conflicts", &played->conflicts);
    print_remarks(w, s, "failures", &played->failures);
    cv_json_end_object(w);
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

static void tell_dialogue(cv_report *r, const cv_script *s, const cv_played *played, cv_import_outcome outcome,
                          cv_str why)
{
    cv_tally all = tally_of(s, played);
    cv_buf_printf(r->import->text, "%-9.*s  %.*s%s%.*s\n", CV_FMT(cv_import_outcomes.items[outcome]), CV_FMT(s->key),
                  played->dialogue_id.n ? " -> " : "", CV_FMT(played->dialogue_id));
    if (why.n)
        cv_buf_printf(r->import->text, "  %.*s\n", CV_FMT(why));
    if (outcome == CV_OUTCOME_SKIPPED) {
        if (s->sheets.count > 1) /* the reason of a single one is that of the dialogue */
            tell_unused(r, s);
        return;
    }
    cv_buf_printf(r->import->text, "  %zu files, %zu rounds, %zu agents, %zu responses, ", s->sheets.count, all.rounds,
                  all.agents, all.responses);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        if (all.entities[kind])
            cv_buf_printf(r->import->text, "%zu %.*s, ", all.entities[kind], CV_FMT(cv_kinds[kind].plural));
    cv_buf_printf(r->import->text, "%zu references, %zu moves, %zu scores, %zu verdicts\n", all.references, all.moves,
                  all.scores, all.verdicts);
    tell_remarks(r, s, "conflicts", &played->conflicts);
    tell_remarks(r, s, "failures", &played->failures);
    tell_remarks(r, s, "decided", &s->decided);
    tell_remarks(r, s, "not understood", &s->not_understood);
    tell_differences(r, s);
    tell_unused(r, s);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void cv_report_dialogue(cv_report *r, const cv_script *s, const cv_played *played, cv_import_outcome outcome,
                        cv_str why)
{
    cv_tally all = tally_of(s, played);
    r->import->outcomes[outcome]++;
    add(&r->total, &all);
    print_dialogue(r->import->w, s, played, outcome, why);
    if (r->import->text)
        tell_dialogue(r, s, played, outcome, why);
}

void cv_report_end(cv_report *r)
{
    cv_import *import = r->import;
    print_tally(&import->counts, &r->total);
    if (import->text && import->ignored > 0)
        cv_buf_printf(import->text, "passed over: %zu (neither markdown nor JSON)\n", import->ignored);
}
