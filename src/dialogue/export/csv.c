/* csv.c - a dialogue as one table; see csv.h. */
#include "dialogue/export/csv.h"

#include "dialogue/components.h"
#include "dialogue/people.h"

static const char head[] =
    "dialogue_id,type,round,id,experts,label,status,score,W,C,T,R,references,content,created_at\r\n";

/* One line; what is absent is an empty cell. */
typedef struct {
    cv_str type;
    int64_t round;
    cv_str id, experts, label, status;
    int64_t score;
    const cv_components *components; /* NULL: none */
    cv_str references, content, created_at;
} line;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Would a spreadsheet take the text for a formula? */
static bool looks_like_formula(cv_str text)
{
    static const cv_str signs[] = {CV_STR_INIT("="),  CV_STR_INIT("+"),  CV_STR_INIT("-"),  CV_STR_INIT("@"),
                                   CV_STR_INIT("\t"), CV_STR_INIT("\r"), CV_STR_INIT("\n"), CV_STR_INIT("＝"),
                                   CV_STR_INIT("＋"), CV_STR_INIT("－"), CV_STR_INIT("＠")};
    for (size_t i = 0; i < CV_COUNT(signs); i++)
        if (cv_str_starts(text, signs[i]))
            return true;
    return false;
}

static bool needs_quotes(cv_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (strchr(",\"\r\n;", text.p[i]) && text.p[i])
            return true;
    return text.n > 0 && (cv_is_space(text.p[0]) || cv_is_space(text.p[text.n - 1]));
}

void cv_csv_text(cv_buf *out, cv_str text)
{
    bool guarded = looks_like_formula(text), quoted = guarded || needs_quotes(text);
    cv_buf_add_z(out, quoted ? "\"" : "");
    cv_buf_add_z(out, guarded ? "'" : "");
    while (text.n > 0) {
        size_t quote = cv_str_find_char(text, '"');
        cv_buf_add(out, cv_str_head(text, quote == SIZE_MAX ? text.n : quote));
        if (quote == SIZE_MAX)
            break;
        cv_buf_add_z(out, "\"\"");
        text = cv_str_from(text, quote + 1);
    }
    cv_buf_add_z(out, quoted ? "\"" : "");
}

static void add_text(cv_buf *out, cv_str text)
{
    cv_buf_add_char(out, ',');
    cv_csv_text(out, text);
}

static void add_number(cv_buf *out, int64_t number)
{
    cv_buf_add_char(out, ',');
    if (number != CV_ABSENT)
        cv_buf_printf(out, "%lld", (long long)number);
}

static void add_line(const cv_export *x, cv_buf *out, const line *l)
{
    const cv_components *parts = l->components ? l->components : &cv_no_components;
    cv_csv_text(out, x->s.id);
    add_text(out, l->type);
    add_number(out, l->round);
    add_text(out, l->id);
    add_text(out, l->experts);
    add_text(out, l->label);
    add_text(out, l->status);
    add_number(out, l->score);
    for (size_t i = 0; i < CV_COMPONENT_COUNT; i++)
        add_number(out, parts->of[i]);
    add_text(out, l->references);
    add_text(out, l->content);
    add_text(out, l->created_at);
    cv_buf_add_z(out, "\r\n");
}

/* ["muffin","scone"]: muffin; scone */
static cv_str list_of(cv_arena *a, cv_str json)
{
    cv_words all = cv_json_list(a, json);
    cv_buf text = {0};
    for (size_t i = 0; i < all.count; i++)
        cv_buf_printf(&text, "%s%.*s", i ? "; " : "", CV_FMT(all.items[i]));
    return cv_buf_take(&text, a);
}

/* ---- what is short ----------------------------------------------------------------------------------------------- */

static void add_rounds(const cv_export *x, cv_buf *out)
{
    cv_arena *a = x->call->arena;
    for (size_t i = 0; i < x->s.rounds.count; i++) {
        const cv_rec_round *r = &x->s.rounds.items[i];
        cv_components parts = cv_components_parse(a, r->score_components);
        add_line(x, out,
                 &(line){.type = CV_STR("round"),
                         .round = r->round,
                         .label = r->title,
                         .status = r->status,
                         .score = r->score,
                         .components = &parts,
                         .content = r->summary,
                         .created_at = r->created_at});
    }
    for (size_t i = 0; i < x->s.scores.count; i++) {
        const cv_rec_score *s = &x->s.scores.items[i];
        cv_components parts = cv_components_parse(a, s->score_components);
        add_line(x, out,
                 &(line){.type = CV_STR("score"),
                         .round = s->round,
                         .experts = s->expert_slug,
                         .score = s->score,
                         .components = &parts});
    }
}

static void add_moves(const cv_export *x, cv_buf *out)
{
    for (size_t i = 0; i < x->s.moves.count; i++) {
        const cv_rec_move *m = &x->s.moves.items[i];
        add_line(x, out,
                 &(line){.type = CV_STR("move"),
                         .round = m->round,
                         .experts = m->expert_slug,
                         .label = m->move_type,
                         .score = CV_ABSENT,
                         .references = list_of(x->call->arena, m->targets),
                         .content = m->context,
                         .created_at = m->created_at});
    }
}

/* What an expert said besides, and what that refers to: no entity is its source. */
static void add_positions(const cv_export *x, cv_buf *out)
{
    cv_arena *a = x->call->arena;
    const cv_graph *g = &x->g;
    for (size_t i = 0; i < x->s.positions.count; i++) {
        const cv_rec_position *p = &x->s.positions.items[i];
        add_line(x, out,
                 &(line){.type = CV_STR("position"),
                         .round = p->round,
                         .experts = p->expert_slug,
                         .score = CV_ABSENT,
                         .content = p->content,
                         .created_at = p->created_at});
    }
    for (uint32_t i = g->links_from.starts[CV_PLACES]; i < g->links_from.starts[CV_PLACES + 1]; i++) {
        const cv_link *link = &g->links.items[g->links_from.order[i]];
        char source[6], target[6];
        cv_str who = cv_name_text(g, link->source, source), to = cv_name_text(g, link->target, target);
        add_line(
            x, out,
            &(line){.type = CV_STR("reference"),
                    .round = link->round,
                    .experts = cv_str_starts(who, CV_STR("@")) ? cv_str_from(who, 1) : who,
                    .score = CV_ABSENT,
                    .references = cv_arena_printf(a, "%.*s %.*s", CV_FMT(cv_ref_words.items[link->type]), CV_FMT(to))});
    }
}

static cv_str who_decided(cv_arena *a, const cv_rec_verdict *v)
{
    cv_str others = list_of(a, v->supporting_experts);
    bool both = v->author_expert.n > 0 && others.n > 0;
    return cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(v->author_expert), both ? "; " : "", CV_FMT(others));
}

static void add_verdicts(const cv_export *x, cv_buf *out)
{
    for (size_t i = 0; i < x->s.verdicts.count; i++) {
        const cv_rec_verdict *v = &x->s.verdicts.items[i];
        add_line(x, out,
                 &(line){.type = CV_STR("verdict"),
                         .round = v->round,
                         .id = v->verdict_id,
                         .experts = who_decided(x->call->arena, v),
                         .label = v->recommendation,
                         .status = v->verdict_type,
                         .score = CV_ABSENT,
                         .content = v->description,
                         .created_at = v->created_at});
    }
}

/* ---- entities, as they come -------------------------------------------------------------------------------------- */

typedef struct {
    cv_export *x;
    cv_buf *out;
    cv_arena row; /* for one line */
} streaming;

/* "refine P0001; support @scone" */
static cv_str references_of(const streaming *st, uint32_t place, cv_arena *a)
{
    const cv_graph *g = &st->x->g;
    cv_buf text = {0};
    for (uint32_t i = g->links_from.starts[place]; i < g->links_from.starts[place + 1]; i++) {
        const cv_link *link = &g->links.items[g->links_from.order[i]];
        char id[6];
        cv_buf_printf(&text, "%s%.*s %.*s", text.n ? "; " : "", CV_FMT(cv_ref_words.items[link->type]),
                      CV_FMT(cv_name_text(g, link->target, id)));
    }
    return cv_buf_take(&text, a);
}

static bool add_entity(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    streaming *st = ctx;
    const cv_rec_entity *e = row;
    if (!cv_row_check(kind, row, err))
        return false;
    int of = cv_kind_of_letter(e->kind.p[0]);
    cv_arena_reset(&st->row);
    st->x->counts[of]++;
    add_line(st->x, st->out,
             &(line){.type = cv_kinds[of].word,
                     .round = e->round,
                     .id = cv_entity_id(&st->row, e),
                     .experts = list_of(&st->row, e->contributors),
                     .label = e->label,
                     .status = e->status,
                     .score = CV_ABSENT,
                     .references = references_of(st, cv_place_of_entity(e), &st->row),
                     .content = e->content,
                     .created_at = e->created_at});
    return cv_buf_ok(st->out) || cv_err_set(err, CV_ERR_IO, "cannot write the export");
}

bool cv_csv_print(cv_export *x, cv_buf *out, cv_position *ret_position, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(ENTITY)};
    streaming st = {.x = x, .out = out};
    bool found;
    cv_buf_add_z(out, head);
    add_rounds(x, out);
    bool ok = cv_snapshot(x->call, x->s.id, &wanted, add_entity, &st, ret_position, &found, err);
    cv_arena_release(&st.row);
    add_positions(x, out);
    add_moves(x, out);
    add_verdicts(x, out);
    return ok;
}

bool cv_csv_is_one(cv_str bytes)
{
    return cv_str_starts(bytes, CV_STR(head));
}
