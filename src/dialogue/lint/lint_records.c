/* lint_records.c - do the tracker and the inventory say what the marks say? Is an id used twice?
 *
 * Real files number in two ways, and both are right:
 *
 *     own      every agent counts from T01; the table repeats ids and has a column for the agent
 *     common   ids run through the whole dialogue; an id stands for one thing
 *
 * A judge may also gather the agents' own T01, T01, T01 into a common T1 to T13: then marks and rows cannot be compared
 * by id, and nothing is said. Ids are only compared with ids of the same form (T01, T0101, MUFFIN-T0101).
 */
#include "base/utf8.h"
#include "dialogue/lint/linter.h"

typedef struct {
    cv_str id;    /* canonical */
    cv_str agent; /* lower case, or empty */
    const cv_lint_row *row;
    cv_str where;
} entry;

typedef struct {
    entry *items;
    size_t count, capacity;
} entries;

/* One kind of entity, as the table of a section lists it and as the text marks it. */
typedef struct {
    cv_linter *l;
    cv_kind kind;
    const cv_section *section;
    entries rows;
    cv_map by_id;       /* rows: "form id" */
    cv_map by_agent;    /* rows: "agent id" */
    bool own;           /* the table repeats ids for different agents */
    bool repeated;      /* two agents mark the same id */
    bool forms[8];      /* rows: which forms of ids occur, by cv_id_form */
    bool mark_forms[8]; /* marks */
    size_t marked;      /* marks that lead */
    cv_map marks;       /* ids of all marks of the kind */
    cv_map cited;       /* ids that any mark is about: [RESOLVED T06] */
    cv_map mark_agents; /* "agent id" of all marks of the kind */
    int status;         /* column, or -1 */
} record;

/* ---- statuses --------------------------------------------------------------------------------------------------- */

/* The status that a cell begins with, or -1: a word further on may be about something else. */
static int status_of(cv_str cell)
{
    size_t at;
    const cv_tracked_word *word = cv_tracked_find(cv_cell_plain(cell), &at);
    return word && word->is_clear && at == 0 ? (int)word->status : -1;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static void add_entry(record *r, const cv_lint_row *row, cv_str where, cv_str agent, const cv_id *id)
{
    cv_arena *a = r->l->a;
    bool is_new;
    cv_str name = cv_id_print(a, id);
    cv_str key = cv_lint_key(a, agent, name);
    uintptr_t *first = cv_map_put(&r->by_id, a, name, &is_new);
    if (is_new)
        *first = r->rows.count;
    else if (!cv_str_eq(r->rows.items[*first].agent, agent))
        r->own = true;
    cv_map_put(&r->by_agent, a, key, NULL);
    *CV_PUSH(a, &r->rows) = (entry){name, agent, row, where};
    r->forms[id->form] = true;
}

/* "T01", "**T1**", "T3/T6", "MUFFIN-T01 (R0)"; a word that is not an id of the kind is not an entry. */
static void read_row(record *r, const cv_lint_row *row, int id_column, int agent_column)
{
    cv_str rest = cv_cell_plain(cv_row_cell(row, id_column)), where = rest;
    cv_str agent = cv_lint_agent(r->l->a, cv_plain_name(r->l->a, cv_cell_plain(cv_row_cell(row, agent_column))));
    cv_id id;
    if (rest.n > 0 && rest.p[0] == '[')
        rest = cv_str_from(rest, 1);
    while (cv_target_next(&rest, &id))
        if (id.form != CV_ID_EXPERT && id.kind == r->kind && (id.form != CV_ID_SHORT || id.number >= 0))
            add_entry(r, row, where, agent, &id);
}

static void read_table(record *r, const cv_lint_table *table)
{
    static const cv_str ids[] = {CV_STR_INIT("id"), CV_STR_INIT("#")};
    static const cv_str agents[] = {CV_STR_INIT("agent"),       CV_STR_INIT("expert"), CV_STR_INIT("raised by"),
                                    CV_STR_INIT("surfaced by"), CV_STR_INIT("owner"),  CV_STR_INIT("by")};
    static const cv_str statuses[] = {CV_STR_INIT("status"), CV_STR_INIT("state")};
    int id = cv_lint_column(table, ids, CV_COUNT(ids)), agent = cv_lint_column(table, agents, CV_COUNT(agents));
    r->status = cv_lint_column(table, statuses, CV_COUNT(statuses));
    for (size_t i = 1; i < table->count; i++)
        read_row(r, &table->items[i], id < 0 ? 0 : id, agent);
}

/* ---- the marks -------------------------------------------------------------------------------------------------- */

static void read_marks(record *r)
{
    cv_arena *a = r->l->a;
    cv_id id;
    for (size_t i = 0; i < r->l->marks.count; i++) {
        const cv_lint_mark *m = &r->l->marks.items[i];
        if (m->mark->type != (cv_mark_type)r->kind || !cv_id_parse(m->mark->id, &id))
            continue;
        bool is_new;
        uintptr_t *first = cv_map_put(&r->marks, a, m->mark->id, &is_new);
        if (is_new)
            *first = i;
        else if (m->leads && !cv_str_eq(r->l->marks.items[*first].agent, m->agent))
            r->repeated = true;
        cv_map_put(&r->mark_agents, a, cv_lint_key(a, m->agent, m->mark->id), NULL);
        r->mark_forms[id.form] = true;
        r->marked += m->leads;
    }
}

static void read_cited(record *r)
{
    cv_id id;
    for (size_t i = 0; i < r->l->marks.count; i++)
        for (cv_str rest = r->l->marks.items[i].mark->targets; cv_target_next(&rest, &id);)
            if (id.form != CV_ID_EXPERT && id.kind == r->kind)
                cv_map_put(&r->cited, r->l->a, cv_id_print(r->l->a, &id), NULL);
}

/* Own ids in the marks, common ones in the table: the judge has renumbered. */
static bool is_renumbered(const record *r)
{
    return r->repeated && !r->own;
}

static void read_record(cv_linter *l, cv_kind kind, cv_section_kind section, record *r)
{
    *r = (record){.l = l, .kind = kind, .section = cv_doc_section(l->doc, section), .status = -1};
    for (size_t i = 0; i < l->tables.count; i++)
        if (r->section && l->tables.items[i].section && l->tables.items[i].section->kind == section)
            read_table(r, &l->tables.items[i]);
    read_marks(r);
    read_cited(r);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static bool has_row(const record *r, const cv_lint_mark *m)
{
    return r->own ? cv_map_get(&r->by_agent, cv_lint_key(r->l->a, m->agent, m->mark->id)) != NULL
                  : cv_map_get(&r->by_id, m->mark->id) != NULL;
}

/* Every mark has its row. A table without any is one finding, not one per mark. */
static void check_missing(const record *r, unsigned rule, const char *table)
{
    cv_id id;
    cv_str word = cv_kinds[r->kind].word;
    if (!r->section || r->marked == 0)
        return;
    if (r->rows.count == 0) {
        cv_finding *f = CV_LINT(r->l, r->section->heading, rule, "the %s lists nothing; %zu %.*s in the text", table,
                                r->marked, CV_FMT(r->marked == 1 ? word : cv_kinds[r->kind].plural));
        f->hint = cv_arena_printf(r->l->a, "add a row for each %.*s marker", CV_FMT(word));
        return;
    }
    for (size_t i = 0; !is_renumbered(r) && i < r->l->marks.count; i++) {
        const cv_lint_mark *m = &r->l->marks.items[i];
        if (!m->leads || m->mark->type != (cv_mark_type)r->kind || !cv_id_parse(m->mark->id, &id) ||
            !r->forms[id.form] || has_row(r, m))
            continue;
        cv_finding *f =
            CV_LINT(r->l, cv_mark_where(r->l, m->mark), rule, "%.*s has no row in the %s", CV_FMT(m->mark->id), table);
        f->hint = cv_arena_printf(r->l->a, "add it to '%.*s'", CV_FMT(cv_excerpt(r->l->a, r->section->heading)));
    }
}

/* Every row of the tracker has its mark, or one that is about it, if the text marks tensions at all. */
static void check_unmarked(const record *r)
{
    cv_id id;
    if (r->marked == 0 || is_renumbered(r))
        return;
    for (size_t i = 0; i < r->rows.count; i++) {
        const entry *e = &r->rows.items[i];
        bool found = r->own && e->agent.n ? cv_map_get(&r->mark_agents, cv_lint_key(r->l->a, e->agent, e->id)) != NULL
                                          : cv_map_get(&r->marks, e->id) != NULL;
        if (found || cv_map_get(&r->cited, e->id) || !cv_id_parse(e->id, &id) || !r->mark_forms[id.form])
            continue;
        CV_LINT(r->l, e->where, CV_RULE_TRACKER_UNKNOWN, "no marker in the text raises %.*s", CV_FMT(e->id))->hint =
            cv_arena_printf(r->l->a, "add [TENSION %.*s: ...] where it was raised, or correct the id", CV_FMT(e->id));
    }
}

/* What the marks make of every tension: the last one that closes or reopens it. */
typedef struct {
    cv_map last; /* id -> 1 + 2 * line + closed */
} outcome;

static bool closes(const cv_mark *m)
{
    return m->type == CV_MARK_RESOLVED || m->type == CV_MARK_ACCEPTED_UNRESOLVED || m->type == CV_MARK_ACCEPT ||
           m->type == CV_MARK_ACKNOWLEDGED || m->type == CV_MARK_DEFER ||
           (m->type == CV_MARK_REFERENCE && m->sub == CV_REF_RESOLVE);
}

static bool reopens(const cv_mark *m)
{
    return m->type == CV_MARK_REFERENCE && m->sub == CV_REF_REOPEN;
}

static outcome read_outcome(cv_linter *l)
{
    outcome o = {0};
    for (size_t i = 0; i < l->marks.count; i++) {
        const cv_mark *m = l->marks.items[i].mark;
        cv_id id;
        if (!closes(m) && !reopens(m))
            continue;
        for (cv_str rest = m->targets; cv_target_next(&rest, &id);)
            if (id.form != CV_ID_EXPERT && id.kind == CV_KIND_TENSION)
                *cv_map_put(&o.last, l->a, cv_id_print(l->a, &id), NULL) = 1 + 2 * m->line + closes(m);
    }
    return o;
}

static void check_status(const record *r, const outcome *o)
{
    if (r->repeated || r->own || r->status < 0) /* whose T01 is settled? */
        return;
    for (size_t i = 0; i < r->rows.count; i++) {
        const entry *e = &r->rows.items[i];
        uintptr_t *last = cv_map_get(&o->last, e->id);
        cv_str cell = cv_row_cell(e->row, r->status);
        int found = status_of(cell);
        if (!last || found < 0 || found == CV_STATUS_TENSION_ADDRESSED)
            continue;
        bool closed = (*last - 1) % 2;
        size_t line = (*last - 1) / 2;
        if (closed == !cv_tension_status_is_open((cv_status)found))
            continue;
        cv_finding *f = CV_LINT(r->l, cell, CV_RULE_TRACKER_STATUS, "the tracker says '%.*s', line %zu %s %.*s",
                                CV_FMT(cv_excerpt(r->l->a, cv_cell_plain(cell))), line, closed ? "settles" : "reopens",
                                CV_FMT(e->id));
        f->hint = closed ? CV_STR("write Resolved, or reopen it in the text") : CV_STR("write Reopened, or settle it");
    }
}

/* ---- converged -------------------------------------------------------------------------------------------------- */

static void open_row(const record *r, const entry *e)
{
    cv_str cell = cv_row_cell(e->row, r->status);
    cv_finding *f = CV_LINT(r->l, cell, CV_RULE_CONVERGED_OPEN, "the dialogue has converged, but %.*s is '%.*s'",
                            CV_FMT(e->id), CV_FMT(cv_excerpt(r->l->a, cv_cell_plain(cell))));
    f->hint = CV_STR("resolve, accept or defer the tension, or change **Status**");
}

/* Without a tracker the marks decide. Every id is reported once, however many agents use it. */
static void open_marks(const record *r, const outcome *o)
{
    cv_map seen = {0};
    for (size_t i = 0; i < r->l->marks.count; i++) {
        const cv_lint_mark *m = &r->l->marks.items[i];
        bool is_new;
        if (!m->leads || m->mark->type != CV_MARK_TENSION || m->mark->id.n == 0)
            continue;
        uintptr_t *last = cv_map_get(&o->last, m->mark->id);
        cv_map_put(&seen, r->l->a, m->mark->id, &is_new);
        if (!is_new || (last && (*last - 1) % 2))
            continue;
        CV_LINT(r->l, cv_mark_where(r->l, m->mark), CV_RULE_CONVERGED_OPEN,
                "the dialogue has converged, but nothing resolves %.*s", CV_FMT(m->mark->id))
            ->hint = cv_arena_printf(r->l->a, "add [RESOLVED %.*s: ...] where it was settled, or a tracker",
                                     CV_FMT(m->mark->id));
    }
}

static void check_converged(const record *r, const outcome *o)
{
    cv_str status = cv_cell_plain(cv_doc_meta(r->l->doc, CV_STR("Status")));
    if (!cv_str_starts_nocase(status, cv_dialogue_words.items[CV_DIALOGUE_CONVERGED]))
        return;
    if (r->rows.count == 0) {
        open_marks(r, o);
        return;
    }
    for (size_t i = 0; i < r->rows.count; i++) {
        int found = status_of(cv_row_cell(r->rows.items[i].row, r->status));
        if (found >= 0 && cv_tension_status_is_open((cv_status)found))
            open_row(r, &r->rows.items[i]);
    }
}

void cv_lint_records(cv_linter *l)
{
    record tensions, perspectives;
    read_record(l, CV_KIND_TENSION, CV_SECTION_TENSIONS, &tensions);
    read_record(l, CV_KIND_PERSPECTIVE, CV_SECTION_PERSPECTIVES, &perspectives);
    outcome o = read_outcome(l);
    check_missing(&tensions, CV_RULE_TRACKER_MISSING, "tracker");
    check_missing(&perspectives, CV_RULE_INVENTORY_MISSING, "inventory");
    check_unmarked(&tensions);
    check_status(&tensions, &o);
    check_converged(&tensions, &o);
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* Every agent counts from P01 in every round, so the same id at two agents, or in two rounds, is as it should be. It
 * is wrong twice in one agent's part of one round. Outside of agents' parts only ids that name their expert or
 * their round can be compared: the speakers there are unknown. */

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
    f->hint = CV_STR("write a colon and a few words about it");
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
