/* transcript_verdicts.c - the verdicts of a transcript: a mark, the description, and a list of everything else that the
 * record keeps about them; see transcript.h.
 *
 *     [VERDICT:FINAL: REJECT full swap.]
 *     The panel rejected a full swap …
 *
 *     - Condition: Execute 60-90 days post-refinancing
 *     - Vote: 5-0
 *     - Tensions resolved: T0002, T0101
 */
#include <stdlib.h>

#include "dialogue/transcript/parts.h"
#include "dialogue/transcript/transcript.h"

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
    cv_buf_add(out, value);
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

void cv_transcript_add_verdict(cv_transcript *t, cv_blocks *into, const cv_rec_verdict *verdict)
{
    cv_arena *a = t->arena;
    int type = cv_words_find(cv_verdict_words, verdict->verdict_type);
    if (type < 0)
        return;
    cv_mark *mark = cv_part_add_mark(a, into, forms[type].type, forms[type].sub);
    mark->label = cv_squeeze(a, verdict->recommendation);
    cv_str description = cv_part_text(a, verdict->description);
    mark->body = cv_part_text(a, cv_part_join(a, description, "\n\n", details(a, verdict)));
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

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

/* Interim ones stand with the judge of their round, if it is told. */
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
            cv_transcript_add_verdict(t, &open_section(t, doc, order[i], type)->content, order[i]);
    }
}
