/* lint_ids.c - ids that are used twice, and marks that say nothing.
 *
 * Every agent counts from P01 in every round, so the same id at two agents, or in two rounds, is as it should be. It
 * is wrong twice in one agent's part of one round. Outside of agents' parts only ids that name their expert or
 * their round can be compared: the speakers there are unknown.
 */
#include "dialogue/lint/linter.h"

static bool is_entity(const cv_mark *m)
{
    return cv_marks_table[m->type].shape == CV_SHAPE_ENTITY;
}

static size_t line_of(const cv_linter *l, uintptr_t index)
{
    return l->marks.items[index].mark->line;
}

static void check_unique(cv_linter *l, size_t index, bool fragment, cv_map *seen)
{
    const cv_lint_mark *m = &l->marks.items[index];
    cv_id id;
    if (!m->leads || m->mark->id.n == 0 || !cv_id_parse(m->mark->id, &id))
        return;
    if (m->agent.n == 0 && !fragment && id.form == CV_ID_SHORT)
        return;
    cv_str who = cv_arena_printf(l->a, "%d %.*s", m->round, CV_FMT(m->agent));
    bool is_new;
    uintptr_t *first = cv_map_put(seen, l->a, cv_lint_key(l->a, who, m->mark->id), &is_new);
    if (is_new) {
        *first = index;
        return;
    }
    cv_finding *f = CV_LINT(l, cv_mark_where(l, m->mark), CV_RULE_ID_DUPLICATE, "%.*s is used again; line %zu has it",
                            CV_FMT(m->mark->id), line_of(l, *first));
    f->hint = CV_STR("give the second one the next free number, or write [REFINEMENT: ...] if it is the same item");
}

static void check_label(cv_linter *l, const cv_lint_mark *m)
{
    if (!m->leads || m->mark->id.n == 0 || m->mark->label.n > 0 || m->mark->body.n > 0)
        return;
    cv_finding *f = CV_LINT(l, cv_mark_where(l, m->mark), CV_RULE_MARKER_NO_LABEL, "%.*s has neither label nor text",
                            CV_FMT(m->mark->id));
    f->hint = CV_STR("say in a few words what it is about, behind a colon");
}

void cv_lint_ids(cv_linter *l)
{
    bool fragment = !cv_doc_section(l->doc, CV_SECTION_ROUND); /* one expert speaks */
    cv_map seen = {0};
    for (size_t i = 0; i < l->marks.count; i++) {
        if (!is_entity(l->marks.items[i].mark))
            continue;
        check_unique(l, i, fragment, &seen);
        check_label(l, &l->marks.items[i]);
    }
}
