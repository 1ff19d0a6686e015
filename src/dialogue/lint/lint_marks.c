/* lint_marks.c - what a mark says, judged by itself and by the item that it follows; and the headings of rounds.
 *
 *     [TENSON T01: …]            not here: the parser says what is nearly a mark
 *     [PERSPECTIVE: …]           no id
 *     [RE:ADDRESS P0001]         only tensions can be addressed
 *     [RE:REFINE R0001]          behind a perspective: another kind
 *
 * A reference follows the last item of its agent's part, or of its section.
 */
#include <assert.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "dialogue/lint/lint.h"

typedef struct {
    cv_arena *a;
    const cv_doc *doc;
    cv_findings *findings;
    int last_kind; /* kind of the item that a reference follows, or -1 */
} judge;

static cv_finding *find(judge *j, cv_str where, unsigned rule, const char *message)
{
    return cv_finding_add(j->findings, j->a, j->doc->text, where, rule, "%s", message);
}

/* ---- marks --------------------------------------------------------------------------------------------------------
 */

static void check_reference(judge *j, const cv_mark *m, cv_str where)
{
    cv_id id;
    if (m->targets.n == 0)
        find(j, where, CV_RULE_REF_NO_TARGET, "the reference names no target")->hint =
            CV_STR("name an id: [RE:SUPPORT P0001]");
    if (m->word.n == 0) {
        find(j, where, CV_RULE_REF_UNTYPED, "the reference has no type")->hint =
            CV_STR("name one: [RE:SUPPORT id], or oppose, refine, address, resolve, reopen, question, depend");
        return;
    }
    if (m->sub < 0) {
        cv_str near = cv_str_nearest(m->word, cv_ref_words.items, cv_ref_words.count);
        cv_finding *f = cv_finding_add(j->findings, j->a, j->doc->text, where, CV_RULE_REF_TYPE,
                                       "there is no reference type '%.*s'", CV_FMT(cv_excerpt(j->a, m->word)));
        f->hint =
            cv_arena_printf(j->a, "%s%.*s%suse support, oppose, refine, address, resolve, reopen, question or depend",
                            near.n ? "did you mean '" : "", CV_FMT(near), near.n ? "'? otherwise " : "");
        return;
    }
    for (cv_str rest = m->targets; cv_target_next(&rest, &id);) {
        cv_kind source = j->last_kind < 0 ? id.kind : (cv_kind)j->last_kind;
        bool to_expert = id.form == CV_ID_EXPERT && cv_refs[m->sub].targets != CV_TARGETS_ANY;
        if (to_expert || (id.form != CV_ID_EXPERT && !cv_ref_fits((cv_ref)m->sub, source, id.kind))) {
            cv_finding *f =
                cv_finding_add(j->findings, j->a, j->doc->text, where, CV_RULE_REF_TARGET, "'%.*s' cannot go to %.*s",
                               CV_FMT(cv_ref_words.items[m->sub]), CV_FMT(cv_id_print(j->a, &id)));
            f->hint =
                cv_refs[m->sub].targets == CV_TARGETS_TENSION
                    ? CV_STR("only tensions (T) can be addressed, resolved or reopened; use support or oppose")
                    : CV_STR("refine goes to an item of the same kind as the one it follows; use support or depend");
        }
    }
}

static void check_entity(judge *j, const cv_mark *m, cv_str where)
{
    cv_id id;
    j->last_kind = (int)m->type;
    if (m->id.n == 0) {
        cv_finding *f = find(j, where, CV_RULE_MARKER_NO_ID, "the marker has no id");
        f->hint = cv_arena_printf(j->a, "write [%.*s %c01: label]", CV_FMT(cv_marks_table[m->type].word),
                                  cv_kinds[m->type].letter);
        return;
    }
    if (m->id.n == 3 && m->id.p[0] == cv_kinds[m->type].letter && cv_is_digit(m->id.p[1]) && cv_is_digit(m->id.p[2]))
        return; /* nearly all of them */
    if (!cv_id_parse(m->id, &id))
        return;
    if (id.kind != (cv_kind)m->type) {
        cv_finding *f = cv_finding_add(j->findings, j->a, j->doc->text, m->id, CV_RULE_MARKER_WRONG_KIND,
                                       "'%.*s' is the id of a %.*s", CV_FMT(m->id), CV_FMT(cv_kinds[id.kind].word));
        f->hint = cv_arena_printf(j->a, "ids of this marker begin with %c", cv_kinds[m->type].letter);
    }
    cv_str normal = cv_id_normal(j->a, m->id);
    if (id.form == CV_ID_SHORT && !cv_str_eq(normal, m->id)) {
        cv_finding *f = cv_finding_add(j->findings, j->a, j->doc->text, m->id, CV_RULE_ID_WIDTH,
                                       "'%.*s' is written '%.*s'", CV_FMT(m->id), CV_FMT(normal));
        f->hint = cv_arena_printf(j->a, "write %.*s", CV_FMT(normal));
        f->has_fix = true;
        f->fix = normal;
    }
}

static void check_alias(judge *j, const cv_mark *m, cv_str where)
{
    const char *word = where.p + 1;
    size_t length = 0;
    bool alias;
    cv_mark_word_at(cv_str_from(where, 1), &length, &alias);
    cv_str known = cv_marks_table[m->type].word;
    cv_finding *f = cv_finding_add(j->findings, j->a, j->doc->text, (cv_str){word, length}, CV_RULE_MARKER_ALIAS,
                                   "'%.*s' is read as '%.*s'", (int)length, word, CV_FMT(known));
    f->hint = cv_arena_printf(j->a, "write %.*s", CV_FMT(known));
    f->has_fix = true;
    f->fix = known;
}

/* The mark as it is written: what the document keeps is canonical, and of a table's cell perhaps a copy. */
static void check_mark(judge *j, const cv_mark *kept)
{
    cv_str where = cv_str_range(j->doc->text.p + kept->start, j->doc->text.p + kept->end);
    cv_mark read, *m = &read;
    assert(kept->start < kept->end && kept->end <= j->doc->text.n);
    if (!cv_mark_at(where, true, m) || m->end != where.n)
        return;
    if (m->unclosed)
        find(j, where, CV_RULE_MARKER_UNCLOSED, "the marker has no closing bracket")->hint =
            CV_STR("close it with ] on the same line");
    if (m->alias)
        check_alias(j, m, where);
    switch (cv_marks_table[m->type].shape) {
    case CV_SHAPE_ENTITY:
        check_entity(j, m, where);
        break;
    case CV_SHAPE_REF:
        check_reference(j, m, where);
        break;
    case CV_SHAPE_MOVE:
        if (m->sub < 0)
            cv_finding_add(j->findings, j->a, j->doc->text, where, CV_RULE_MOVE_TYPE, "there is no move '%.*s'",
                           CV_FMT(cv_excerpt(j->a, m->word)))
                ->hint = CV_STR("use defend, challenge, bridge, request, concede or converge");
        break;
    case CV_SHAPE_VERDICT:
        if (m->sub != CV_VERDICT_INTERIM && m->sub != CV_VERDICT_FINAL)
            find(j, where, CV_RULE_VERDICT_TYPE, "the verdict does not say of which type it is")->hint = CV_STR(
                "write [VERDICT:INTERIM] or [VERDICT:FINAL]; experts write [DISSENT] or [MINORITY VERDICT: label]");
        break;
    case CV_SHAPE_TARGETS:
    case CV_SHAPE_LABEL:
        break;
    }
}

static void check_blocks(judge *j, const cv_blocks *blocks)
{
    j->last_kind = -1;
    for (size_t i = 0; i < blocks->count; i++) {
        const cv_block *b = &blocks->items[i];
        if (b->kind == CV_BLOCK_MARK)
            check_mark(j, b->mark);
        for (size_t k = 0; k < b->inline_marks.count; k++)
            check_mark(j, &b->inline_marks.items[k]);
    }
}

/* ---- headings of rounds -------------------------------------------------------------------------------------------
 */

/* The heading is read again: the document counts rounds from 0, whatever the text does. */
static void check_round_heading(judge *j, const cv_section *s)
{
    cv_lines lines = {.text = s->heading, .agents = &j->doc->agents};
    cv_line line;
    cv_str label;
    int round;
    if (s->kind != CV_SECTION_ROUND || !cv_lines_next(&lines, &line) || (line.kind == CV_LINE_ROUND && !line.deviant))
        return;
    if (line.kind == CV_LINE_ROUND) {
        round = line.round;
        label = cv_squeeze(j->a, line.name);
    } else {
        cv_section_read(j->a, line.name, &round, &label);
    }
    cv_finding *f = find(j, s->heading, CV_RULE_ROUND_HEADING, "the round heading has an unusual form");
    f->fix = label.n ? cv_arena_printf(j->a, "## Round %d: %.*s", round, CV_FMT(label))
                     : cv_arena_printf(j->a, "## Round %d", round);
    f->has_fix = true;
    f->hint = cv_arena_printf(j->a, "write '%.*s'", CV_FMT(cv_excerpt(j->a, f->fix)));
}

/* ---- the whole ----------------------------------------------------------------------------------------------------
 */

static void check_doc(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings)
{
    judge j = {.a = a, .doc = ret_doc, .findings = findings};
    check_blocks(&j, &ret_doc->intro);
    for (size_t i = 0; i < ret_doc->sections.count; i++) {
        const cv_section *s = &ret_doc->sections.items[i];
        check_round_heading(&j, s);
        check_blocks(&j, &s->content);
        for (size_t k = 0; k < s->agents.count; k++)
            check_blocks(&j, &s->agents.items[k].content);
    }
    cv_findings_place(findings, text);
}

void cv_lint_parse(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings)
{
    cv_doc_parse(a, text, ret_doc, findings);
    check_doc(a, text, ret_doc, findings);
}

void cv_lint_parse_apart(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings)
{
    cv_doc_parse_apart(a, text, ret_doc, findings);
    check_doc(a, text, ret_doc, findings);
}
