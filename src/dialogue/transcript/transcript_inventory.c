/* transcript_inventory.c - everything that was said, in tables: one per kind; see transcript.h. */
#include "dialogue/transcript/parts.h"
#include "dialogue/transcript/transcript.h"

cv_str cv_transcript_how(cv_transcript *t, uint32_t event, bool whole)
{
    const cv_happening *h = &t->g.events.items[event];
    cv_arena *a = t->arena;
    char unused[6];
    cv_str how = whole ? cv_arena_printf(a, "Round %d", (int)t->happened[event]) : (cv_str){NULL, 0};
    cv_str actors = cv_part_list(a, cv_name_text(&t->g, h->actors, unused), " and ");
    cv_str via = cv_arena_copy(a, cv_name_text(&t->g, h->reference, unused));
    cv_str result = cv_name_text(&t->g, h->result, unused);
    if (actors.n > 0)
        how = cv_part_join(a, how, ", ", cv_arena_printf(a, "by %.*s", CV_FMT(actors)));
    if (via.n > 0)
        how = cv_part_join(a, how, ", ", cv_arena_printf(a, "via %.*s", CV_FMT(via)));
    if (result.n > 0)
        how = cv_part_join(a, how, ", ", cv_arena_printf(a, "now %.*s", CV_FMT(result)));
    return cv_part_join(a, how, ": ", cv_squeeze(a, cv_name_text(&t->g, h->reason, unused)));
}

/* ---- one row ---------------------------------------------------------------------------------------------------- */

static bool has_parameters(const cv_transcript *t, cv_kind kind)
{
    for (size_t i = 0; i < t->told.count; i++)
        if (t->told.items[i].kind == kind && t->told.items[i].row->parameters.n > 0)
            return true;
    return false;
}

/* ID, what, status, by whom, round; how it came to its status; parameters when any have some. */
static bool make_table(cv_transcript *t, cv_kind kind, const char *by, cv_part_table *table)
{
    bool any = false, parameters = has_parameters(t, kind);
    *table = cv_part_table_begin(t->arena);
    cv_part_cells(table, "ID");
    cv_part_cell(table, cv_part_title(t->arena, cv_kinds[kind].word));
    cv_part_cells(table, "Status");
    cv_part_cells(table, by);
    cv_part_cells(table, parameters ? "Round|Outcome|Parameters" : "Round|Outcome");
    cv_part_row(table);
    for (size_t i = 0; i < t->told.count; i++) {
        const cv_told *told = &t->told.items[i];
        if (told->kind != kind)
            continue;
        cv_part_cell(table, told->id);
        cv_part_cell(table, told->row->label);
        cv_part_cell(table, cv_part_title(t->arena, told->status));
        cv_part_cell(table, told->faces);
        cv_part_number(table, told->row->round);
        cv_part_cell(table, told->became ? cv_transcript_how(t, told->became - 1, true) : (cv_str){NULL, 0});
        if (parameters)
            cv_part_cell(table, told->row->parameters);
        cv_part_row(table);
        any = true;
    }
    return any;
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

void cv_transcript_add_perspectives(cv_transcript *t, cv_doc *doc)
{
    cv_part_table table;
    make_table(t, CV_KIND_PERSPECTIVE, "Agent", &table);
    cv_part_add_table(&table, &cv_part_add_section(t->arena, doc, CV_SECTION_PERSPECTIVES)->content);
}

void cv_transcript_add_tensions(cv_transcript *t, cv_doc *doc)
{
    cv_part_table table;
    make_table(t, CV_KIND_TENSION, "Raised by", &table);
    cv_part_add_table(&table, &cv_part_add_section(t->arena, doc, CV_SECTION_TENSIONS)->content);
}

/* Sections that the format does not know: their tables are text to it. */
void cv_transcript_add_others(cv_transcript *t, cv_doc *doc)
{
    static const cv_kind kinds[] = {CV_KIND_RECOMMENDATION, CV_KIND_EVIDENCE, CV_KIND_CLAIM};
    for (size_t i = 0; i < CV_COUNT(kinds); i++) {
        cv_part_table table;
        if (!make_table(t, kinds[i], "Agent", &table))
            continue;
        cv_section *section = cv_part_add_section(t->arena, doc, CV_SECTION_OTHER);
        section->label = cv_part_title(t->arena, cv_kinds[kinds[i]].plural);
        cv_part_add_table_text(&table, &section->content);
    }
}
