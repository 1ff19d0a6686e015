/* full_transcript.c - a transcript is read back; see full_dialogue.h. The inverse of dialogue/transcript.
 *
 *     **Record**: rev 12, head …          it is one
 *     ## Expert Panel                     who, and in which rounds
 *     ## Alignment Scoreboard             scores by round, by expert, with their parts
 *     ## Tensions Tracker, …              statuses, how they came about, parameters
 *     ## Round 1: …, ### Muffin 🧁        the position; items with ids, references with reasons, moves
 *     ## 💙 Judge: Round 1 Assessment     the summary, interim verdicts, the statuses of tensions then
 *     ## 💙 Judge: Final Verdict, …       verdicts
 *     ## Corrections                      whose text is not the experts' own any more
 *
 * Texts were quoted (text/doc.h) and are unquoted here.
 */
#include "dialogue/import/dates.h"
#include "dialogue/import/full_dialogue.h"
#include "dialogue/transcript/transcript.h"

#include "base/clock.h"

static const cv_str dash = CV_STR_INIT("—");

bool cv_full_is_transcript(cv_arena *a, cv_str text)
{
    cv_doc head;
    cv_doc_parse(a, cv_str_head(text, cv_str_find(text, CV_STR("\n## "))), &head, NULL);
    return cv_str_starts(cv_doc_meta(&head, cv_transcript_record_key), CV_STR("rev ")) &&
           cv_str_starts(cv_doc_meta(&head, CV_STR("Draft")), CV_STR("Dialogue ")) &&
           !cv_doc_meta(&head, CV_STR("Part of")).n;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_arena *a;
    const cv_row *head, *rows;
    size_t count;
} table;

static cv_row *row_of(cv_arena *a, const cv_grid_row *raw)
{
    cv_row *row = CV_NEW(a, cv_row);
    *row = (cv_row){CV_NEW_ARRAY(a, raw->count, cv_str), raw->count, 0, 0};
    for (size_t i = 0; i < raw->count; i++)
        row->cells[i] = cv_cell_text(a, raw->cells[i]);
    return row;
}

/* The n-th table of a section: one of the document, or one in its text. */
static bool table_at(cv_arena *a, const cv_section *section, size_t n, table *ret)
{
    for (size_t i = 0; i < section->content.count; i++) {
        const cv_block *b = &section->content.items[i];
        cv_grids grids = b->kind == CV_BLOCK_TEXT ? cv_grids_find(a, b->text, b->line) : (cv_grids){0};
        if (b->kind == CV_BLOCK_TABLE && n-- == 0) {
            *ret = (table){a, &b->table->items[0], &b->table->items[1], b->table->count - 1};
            return true;
        }
        if (b->kind != CV_BLOCK_TEXT || n >= grids.count) {
            n -= b->kind == CV_BLOCK_TEXT ? grids.count : 0;
            continue;
        }
        const cv_grid *grid = &grids.items[n];
        cv_row *rows = CV_NEW_ARRAY(a, grid->rows.count, cv_row);
        for (size_t k = 0; k < grid->rows.count; k++)
            rows[k] = *row_of(a, &grid->rows.items[k]);
        *ret = (table){a, row_of(a, &grid->head), rows, grid->rows.count};
        return true;
    }
    return false;
}

static int column(const table *t, const char *name)
{
    for (size_t i = 0; i < t->head->count; i++)
        if (cv_str_eq(t->head->cells[i], cv_str_of(name)))
            return (int)i;
    return -1;
}

/* What a cell says, unquoted; nothing when there is a dash. */
static cv_str cell(const table *t, size_t row, const char *name)
{
    int at = column(t, name);
    if (at < 0 || (size_t)at >= t->rows[row].count || cv_str_eq(t->rows[row].cells[at], dash))
        return (cv_str){NULL, 0};
    return cv_line_unquote(t->a, t->rows[row].cells[at]);
}

static int64_t number(cv_str text)
{
    cv_json value = {.type = CV_JSON_NUMBER, .text = text};
    int64_t n;
    return text.n && cv_json_to_int(&value, &n) ? n : CV_ABSENT;
}

/* "🧁 Muffin" is muffin. */
static cv_str slug_of(cv_arena *a, cv_str face)
{
    return cv_arena_lower(a, cv_plain_name(a, face));
}

static cv_points points_in(const table *t, size_t row)
{
    cv_points points = {.total = number(cell(t, row, "Score"))};
    for (size_t i = 0; i < CV_SCORE_PARTS; i++)
        points.parts[i] = number(cell(t, row, cv_score_letters[i]));
    return points;
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void read_head(cv_full_dialogue *t, const cv_doc *doc)
{
    cv_script *s = t->s;
    cv_arena *a = s->arena;
    cv_buf intro = {0};
    s->title = doc->title;
    s->status = cv_doc_meta(doc, CV_STR("Status"));
    s->date_ms = cv_date_find(a, cv_doc_meta(doc, CV_STR("Date")));
    s->question = cv_doc_meta(doc, CV_STR("Question"));
    t->id = cv_str_from(cv_doc_meta(doc, CV_STR("Draft")), CV_STR("Dialogue ").n);
    for (size_t i = 0; i < doc->intro.count; i++)
        if (doc->intro.items[i].kind == CV_BLOCK_TEXT)
            cv_buf_add(&intro, doc->intro.items[i].text);
    cv_str text = cv_buf_take(&intro, a);
    if (!s->question.n && text.n)
        s->question = cv_text_unquote(a, text);
    for (int64_t i = number(cv_doc_meta(doc, CV_STR("Rounds"))); i > 0; i--)
        cv_full_round_at(t, i - 1, 1);
}

/* The JSON between the fences. */
static void read_background(cv_full_dialogue *t, const cv_section *section)
{
    cv_str text = section->content.count ? section->content.items[0].text : (cv_str){NULL, 0};
    cv_err ignored = {.arena = t->s->arena};
    cv_json value;
    size_t begin = cv_str_find_char(text, '\n');
    if (begin == SIZE_MAX || !cv_str_starts(text, CV_STR("```json\n")))
        return;
    cv_str json = cv_str_from(text, begin + 1);
    json = cv_str_trim(cv_str_head(json, cv_str_find(json, CV_STR("\n```"))));
    if (cv_json_parse(t->s->arena, json, &value, &ignored) && value.type == CV_JSON_OBJECT)
        t->background = json;
    else
        cv_script_misunderstand(t->s, t->sheet, section->line, json, "the background is not a JSON object");
}

/* ---- the panel --------------------------------------------------------------------------------------------------- */

/* "0–2, 4" */
static void read_rounds(cv_full_expert *e, cv_str cell)
{
    for (cv_str part; cv_str_split(&cell, ',', &part);) {
        size_t at = cv_str_find(part, CV_STR("–"));
        int64_t first = number(cv_str_trim(cv_str_head(part, at)));
        int64_t last = at == SIZE_MAX ? first : number(cv_str_trim(cv_str_from(part, at + 3)));
        for (int64_t round = first; first != CV_ABSENT && round <= last && round <= CV_MAX_ROUND; round++)
            e->sits[round] = e->sits_somewhere = true;
    }
}

static void read_panel(cv_full_dialogue *t, const cv_section *section)
{
    table panel;
    if (!table_at(t->s->arena, section, 0, &panel))
        return;
    for (size_t i = 0; i < panel.count; i++) {
        cv_str slug = slug_of(panel.a, cell(&panel, i, "Agent"));
        cv_full_expert *e = slug.n ? cv_full_expert_at(t, slug) : NULL;
        if (!e)
            continue;
        e->role = cell(&panel, i, "Role");
        e->tier = cell(&panel, i, "Tier");
        e->relevance = cell(&panel, i, "Relevance");
        e->source = cell(&panel, i, "Source");
        e->focus = cell(&panel, i, "Focus");
        e->reason = cell(&panel, i, "Created for");
        e->line = section->line;
        read_rounds(e, cell(&panel, i, "Rounds"));
    }
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

static cv_full_score *score_at(cv_full_dialogue *t, cv_str expert, int round)
{
    for (size_t i = 0; i < t->scores.count; i++)
        if (t->scores.items[i].round == round && cv_str_eq(t->scores.items[i].expert, expert))
            return &t->scores.items[i];
    cv_full_score *score = CV_PUSH(t->s->arena, &t->scores);
    *score = (cv_full_score){round, expert, {CV_ABSENT, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}}};
    return score;
}

static void read_scores(cv_full_dialogue *t, const cv_section *section)
{
    cv_arena *a = t->s->arena;
    table by_round, by_expert, by_both;
    for (size_t i = 0; table_at(a, section, 0, &by_round) && i < by_round.count; i++) {
        int64_t round = number(cell(&by_round, i, "Round"));
        if (round >= 0 && round < (int64_t)t->round_count)
            t->rounds[round].points = points_in(&by_round, i);
    }
    for (size_t i = 0; table_at(a, section, 1, &by_expert) && i < by_expert.count; i++)
        for (size_t round = 0; round < t->round_count; round++) {
            int64_t total = number(cell(&by_expert, i, cv_arena_printf(a, "R%zu", round).p));
            if (total != CV_ABSENT)
                score_at(t, slug_of(a, cell(&by_expert, i, "Agent")), (int)round)->points.total = total;
        }
    for (size_t i = 0; table_at(a, section, 2, &by_both) && i < by_both.count; i++) {
        int64_t round = number(cell(&by_both, i, "Round"));
        if (round >= 0 && round < (int64_t)t->round_count)
            score_at(t, slug_of(a, cell(&by_both, i, "Agent")), (int)round)->points = points_in(&by_both, i);
    }
}

/* ---- how things came about --------------------------------------------------------------------------------------- */

/* Cuts "word rest" off a list of parts; false when it begins otherwise. The part ends at ", " or ": " or the end. */
static bool take_part(cv_str *rest, const char *word, cv_str *ret_part)
{
    cv_str name = cv_str_of(word);
    if (!cv_str_starts(*rest, name))
        return false;
    cv_str part = cv_str_from(*rest, name.n);
    size_t end = 0;
    while (end < part.n && part.p[end] != ',' && part.p[end] != ':')
        end++;
    *ret_part = cv_str_head(part, end);
    *rest = cv_str_from(part, end);
    if (cv_str_starts(*rest, CV_STR(", ")))
        *rest = cv_str_from(*rest, 2);
    return true;
}

/* "Round 2, by muffin and scone, via P0101, now P0102: reason"; without a round: that of the section. */
static bool read_how(cv_arena *a, cv_str text, int round, cv_full_turn *ret)
{
    cv_str rest = text, part, name;
    CV_STATE_LIST(cv_str) by = {0};
    *ret = (cv_full_turn){.round = round};
    if (take_part(&rest, "Round ", &part)) {
        int64_t n = number(part);
        ret->round = n >= 0 && n <= CV_MAX_ROUND ? (int)n : -1;
    }
    if (take_part(&rest, "by ", &part))
        for (size_t at; part.n; part = at == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(part, at + 5)) {
            at = cv_str_find(part, CV_STR(" and "));
            name = cv_str_trim(cv_str_head(part, at));
            *CV_PUSH(a, &by) = name;
        }
    take_part(&rest, "via ", &ret->via);
    take_part(&rest, "now ", &ret->result);
    if (cv_str_starts(rest, CV_STR(": ")))
        ret->reason = cv_str_from(rest, 2);
    ret->by = by.count ? cv_people_of(a, by.items, by.count) : cv_judge_alone;
    return ret->round >= 0 && (rest.n == 0 || ret->reason.n > 0);
}

static void read_inventory(cv_full_dialogue *t, const cv_section *section)
{
    table list;
    if (!table_at(t->s->arena, section, 0, &list))
        return;
    for (size_t i = 0; i < list.count; i++) {
        cv_full_item *item = cv_full_find(t, cell(&list, i, "ID"));
        cv_str outcome = cell(&list, i, "Outcome");
        cv_full_turn turn;
        if (!item)
            continue;
        item->status = cv_status_find(item->kind, cell(&list, i, "Status"));
        item->parameters = cell(&list, i, "Parameters");
        if (!outcome.n || item->status < 0)
            continue;
        if (read_how(t->s->arena, outcome, -1, &turn)) {
            turn.status = (cv_status)item->status;
            cv_full_turn_add(t, item, &turn);
        } else {
            cv_script_misunderstand(t->s, t->sheet, section->line, outcome, "%.*s: how it got its status",
                                    CV_FMT(item->id));
        }
    }
}

/* ---- what was said ----------------------------------------------------------------------------------------------- */

typedef struct {
    cv_full_dialogue *t;
    int round;
    cv_str expert;
    cv_str last; /* the id of the item that references belong to */
} telling;

static void read_item(telling *w, const cv_mark *m)
{
    cv_arena *a = w->t->s->arena;
    cv_id id;
    bool is_new;
    CV_STATE_LIST(cv_str) by = {0};
    w->last = (cv_str){NULL, 0};
    if (!cv_id_parse(m->id, &id) || id.form != CV_ID_DISPLAY || id.round != w->round) {
        cv_script_misunderstand(w->t->s, w->t->sheet, m->line, m->id, "not an id of round %d", w->round);
        return;
    }
    uintptr_t *at = cv_map_put(&w->t->item_at, a, m->id, &is_new);
    if (!is_new) {
        cv_script_misunderstand(w->t->s, w->t->sheet, m->line, m->id, "this id is in the transcript twice");
        return;
    }
    cv_str names = m->by, name;
    while (m->by.n && cv_str_split(&names, ',', &name))
        *CV_PUSH(a, &by) = cv_str_trim(name);
    if (by.count == 0)
        *CV_PUSH(a, &by) = w->expert;
    cv_full_item *item = CV_PUSH(a, &w->t->items);
    *item = (cv_full_item){.id = m->id,
                           .kind = id.kind,
                           .round = id.round,
                           .number = id.number,
                           .label = m->label,
                           .content = cv_text_unquote(a, m->body),
                           .by = cv_people_of(a, by.items, by.count),
                           .status = -1,
                           .line = m->line};
    *at = w->t->items.count;
    w->last = item->id;
}

static void read_reference(telling *w, const cv_mark *m)
{
    cv_str rest = m->targets;
    cv_arena *a = w->t->s->arena;
    for (cv_id id; m->sub >= 0 && cv_target_next(&rest, &id);) {
        cv_full_ref ref = {(cv_ref)m->sub, cv_id_print(a, &id), cv_text_unquote(a, m->body)};
        cv_full_item *item = w->last.n ? cv_full_find(w->t, w->last) : NULL;
        if (item)
            *CV_PUSH(a, &item->refs) = ref;
        else
            *CV_PUSH(a, &w->t->links) = (cv_full_link){w->round, w->expert, ref, m->line};
    }
}

/* "P0001, P0002: what"; a colon in front: no ids. */
static void read_request(cv_arena *a, cv_str label, cv_full_move *move)
{
    cv_str rest = label;
    cv_id id;
    if (label.n && label.p[0] == ':') {
        move->context = cv_str_trim_left(cv_str_from(label, 1));
        return;
    }
    while (cv_target_next(&rest, &id))
        *CV_PUSH(a, &move->targets) = cv_id_print(a, &id);
    move->context = move->targets.count && rest.n && rest.p[0] == ':' ? cv_str_trim_left(cv_str_from(rest, 1)) : label;
}

static void read_move(telling *w, const cv_mark *m)
{
    cv_arena *a = w->t->s->arena;
    cv_full_move move = {.round = w->round, .expert = w->expert, .line = m->line};
    cv_str rest = m->targets;
    if (m->sub < 0) {
        cv_script_misunderstand(w->t->s, w->t->sheet, m->line, m->word, "there is no such move");
        return;
    }
    move.type = (cv_move)m->sub;
    if (move.type == CV_MOVE_REQUEST)
        read_request(a, m->label, &move);
    else
        move.context = cv_text_unquote(a, m->body);
    for (cv_id id; cv_target_next(&rest, &id);)
        *CV_PUSH(a, &move.targets) = cv_id_print(a, &id);
    *CV_PUSH(a, &w->t->moves) = move;
}

static void read_marks(telling *w, const cv_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        const cv_mark *m = blocks->items[i].kind == CV_BLOCK_MARK ? blocks->items[i].mark : NULL;
        if (!m)
            continue;
        if (m->type < (cv_mark_type)CV_KIND_COUNT)
            read_item(w, m);
        else if (m->type == CV_MARK_REFERENCE)
            read_reference(w, m);
        else if (m->type == CV_MARK_MOVE)
            read_move(w, m);
        else
            cv_script_misunderstand(w->t->s, w->t->sheet, m->line, m->label, "a transcript has no such mark here");
    }
}

/* What is before the first mark. */
static void read_position(cv_full_dialogue *t, cv_full_round *round, cv_str expert, const cv_blocks *blocks)
{
    cv_arena *a = t->s->arena;
    if (blocks->count && blocks->items[0].kind == CV_BLOCK_TEXT)
        *CV_PUSH(a, &round->positions) = (cv_full_speech){expert, cv_text_unquote(a, blocks->items[0].text)};
}

static void read_silent(cv_full_dialogue *t, cv_full_round *round, const cv_section *section)
{
    static const cv_str before = CV_STR_INIT("Silent in this round: ");
    cv_str text = section->content.count ? section->content.items[0].text : (cv_str){NULL, 0}, face;
    if (!cv_str_starts(text, before))
        return;
    for (text = cv_str_from(text, before.n); cv_str_split(&text, ',', &face);)
        *CV_PUSH(t->s->arena, &round->silent) = slug_of(t->s->arena, face);
}

/* Up to the next heading of the document, `end`. */
static void read_agent(cv_full_dialogue *t, cv_full_round *round, int number_of_round, const cv_agent *agent,
                       const char *end)
{
    cv_arena *a = t->s->arena;
    cv_str text = cv_text_tidy(a, cv_str_range(cv_str_end(agent->heading), end));
    telling w = {.t = t, .round = number_of_round, .expert = cv_arena_lower(a, agent->name)};
    read_marks(&w, &agent->content);
    if (cv_str_eq(w.expert, cv_judge_slug))
        return;
    *CV_PUSH(a, &round->spoke) = w.expert;
    read_position(t, round, w.expert, &agent->content);
    if (text.n)
        *CV_PUSH(a, &round->responses) = (cv_full_speech){w.expert, text};
}

static void read_round(cv_full_dialogue *t, const cv_section *section, const char *end)
{
    cv_full_round *round = cv_full_round_at(t, section->round, section->line);
    if (!round)
        return;
    round->title = section->label;
    read_silent(t, round, section);
    for (size_t i = 0; i < section->agents.count; i++)
        read_agent(t, round, section->round, &section->agents.items[i],
                   i + 1 < section->agents.count ? section->agents.items[i + 1].heading.p : end);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* "- Tensions resolved: T0001" is the field tensions_resolved. */
static const cv_type_field *field_of(cv_arena *a, cv_str title)
{
    char *name = cv_arena_copy_z(a, title);
    for (size_t i = 0; i < title.n; i++)
        name[i] = title.p[i] == ' ' ? '_' : cv_lower(title.p[i]);
    const cv_type *type = &cv_rec_verdict_type;
    for (size_t i = 0; i < type->field_count; i++)
        if (cv_str_eq(type->fields[i].name, cv_str_of(name)))
            return &type->fields[i];
    return NULL;
}

static cv_str list_json(cv_arena *a, cv_str text)
{
    CV_STATE_LIST(cv_str) items = {0};
    for (cv_str item; cv_str_split(&text, ',', &item);)
        *CV_PUSH(a, &items) = cv_str_trim(item);
    return cv_json_texts(a, items.items, items.count);
}

/* One line of the list below a verdict; false: it is none. */
static bool read_detail(cv_full_dialogue *t, cv_str line, cv_rec_verdict *row, cv_words *conditions)
{
    cv_arena *a = t->s->arena;
    size_t colon = cv_str_find(line, CV_STR(": "));
    if (!cv_str_starts(line, CV_STR("- ")) || colon == SIZE_MAX)
        return false;
    cv_str name = cv_str_from(cv_str_head(line, colon), 2), value = cv_line_unquote(a, cv_str_from(line, colon + 2));
    if (cv_str_eq(name, CV_STR("Condition"))) {
        cv_str *items = CV_NEW_ARRAY(a, conditions->count + 1, cv_str);
        if (conditions->count)
            memcpy(items, conditions->items, conditions->count * sizeof *items);
        items[conditions->count] = value;
        *conditions = (cv_words){items, conditions->count + 1};
        return true;
    }
    const cv_type_field *field = field_of(a, name);
    if (!field)
        return false;
    char *to = (char *)row + field->offset;
    if (cv_field_is_int(field)) {
        int64_t n = number(value);
        memcpy(to, &n, sizeof n);
        return n != CV_ABSENT;
    }
    bool object = field->type == CV_JSON && value.n && value.p[0] == '{';
    cv_str text = field->type == CV_JSON && !object ? list_json(a, value) : value;
    memcpy(to, &text, sizeof text);
    return true;
}

/* The last paragraph is the list; what is before it is the description. */
static void read_verdict(cv_full_dialogue *t, const cv_mark *m, cv_verdict type)
{
    cv_arena *a = t->s->arena;
    cv_words conditions = {0};
    cv_rec_verdict row = {.verdict_type = cv_verdict_words.items[type], .recommendation = m->label, .round = CV_ABSENT};
    cv_str rest = m->body, line;
    const char *start = cv_str_end(m->body);
    while (start > m->body.p && !(start[-1] == '\n' && (start - 1 == m->body.p || start[-2] == '\n')))
        start--;
    row.description = cv_text_unquote(a, cv_str_trim_right(cv_str_range(m->body.p, start)));
    rest = cv_str_range(start, cv_str_end(m->body));
    while (cv_str_split(&rest, '\n', &line))
        if (!read_detail(t, line, &row, &conditions))
            cv_script_misunderstand(t->s, t->sheet, m->line, line, "not a line that transcripts have below a verdict");
    if (conditions.count)
        row.conditions = cv_json_texts(a, conditions.items, conditions.count);
    *CV_PUSH(a, &t->verdicts) = (cv_full_verdict){.row = row, .line = m->line};
}

/* [RESOLVED T0001: by muffin], [ACCEPTED UNRESOLVED T0002: …], [RE:REOPEN T0003: …], [RE:ADDRESS T0004: …] */
static bool read_standing(cv_full_dialogue *t, const cv_mark *m, int round)
{
    cv_full_item *item = cv_full_find(t, m->targets);
    cv_full_turn turn;
    int status = m->type == CV_MARK_RESOLVED                                     ? CV_STATUS_TENSION_RESOLVED
                 : m->type == CV_MARK_ACCEPTED_UNRESOLVED                        ? CV_STATUS_TENSION_ACCEPTED
                 : m->type == CV_MARK_REFERENCE && m->sub == (int)CV_REF_REOPEN  ? CV_STATUS_TENSION_REOPENED
                 : m->type == CV_MARK_REFERENCE && m->sub == (int)CV_REF_ADDRESS ? CV_STATUS_TENSION_ADDRESSED
                                                                                 : -1;
    if (status < 0 || !item || item->kind != CV_KIND_TENSION || !read_how(t->s->arena, m->label, round, &turn))
        return false;
    turn.status = (cv_status)status;
    cv_full_turn_add(t, item, &turn);
    return true;
}

/* The judge's part of a round, and the sections of verdicts. */
static void read_judge(cv_full_dialogue *t, const cv_section *section)
{
    cv_arena *a = t->s->arena;
    cv_full_round *round = section->round >= 0 ? cv_full_round_at(t, section->round, section->line) : NULL;
    for (size_t i = 0; i < section->content.count; i++) {
        const cv_block *b = &section->content.items[i];
        cv_verdict type;
        if (b->kind == CV_BLOCK_TEXT && round)
            round->summary = cv_text_unquote(a, b->text);
        else if (b->kind == CV_BLOCK_MARK && cv_mark_verdict(b->mark, &type))
            read_verdict(t, b->mark, type);
        else if (b->kind != CV_BLOCK_MARK || !round || !read_standing(t, b->mark, section->round))
            cv_script_misunderstand(t->s, t->sheet, b->line, b->mark ? b->mark->label : b->text,
                                    "a transcript has nothing like this here");
    }
}

/* ---- corrections ------------------------------------------------------------------------------------------------- */

/* "P0001: corrected by judge, muffin: a typo"; false: it says something else. */
static bool read_correction(cv_full_dialogue *t, cv_str line)
{
    static const cv_str said = CV_STR_INIT("corrected"), by = CV_STR_INIT(" by ");
    cv_arena *a = t->s->arena;
    size_t colon = cv_str_find(line, CV_STR(": "));
    cv_full_item *item = colon == SIZE_MAX ? NULL : cv_full_find(t, cv_str_head(line, colon));
    cv_str rest = item ? cv_str_from(line, colon + 2) : (cv_str){NULL, 0}, name;
    CV_STATE_LIST(cv_str) names = {0};
    if (!item || !cv_str_starts(rest, said))
        return false;
    rest = cv_str_from(rest, said.n);
    colon = cv_str_find(rest, CV_STR(": "));
    cv_str people = cv_str_head(rest, colon);
    if (people.n && !cv_str_starts(people, by))
        return false;
    for (people = cv_str_from(people, people.n ? by.n : 0); people.n && cv_str_split(&people, ',', &name);)
        *CV_PUSH(a, &names) = cv_str_trim(name);
    item->correction = (cv_full_correction){.told = true, .by = cv_people_of(a, names.items, names.count)};
    if (colon != SIZE_MAX)
        item->correction.reason = cv_str_from(rest, colon + 2);
    return true;
}

static void read_corrections(cv_full_dialogue *t, const cv_section *section)
{
    cv_arena *a = t->s->arena;
    cv_str text = section->content.count ? cv_text_unquote(a, section->content.items[0].text) : CV_STR(""), line;
    while (text.n && cv_str_split(&text, '\n', &line))
        if (!cv_str_starts(line, CV_STR("- ")) || !read_correction(t, cv_str_from(line, 2)))
            cv_script_misunderstand(t->s, t->sheet, section->line, line, "not a correction of an item");
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_inventory(const cv_section *section)
{
    if (section->kind == CV_SECTION_PERSPECTIVES || section->kind == CV_SECTION_TENSIONS)
        return true;
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        if (section->kind == CV_SECTION_OTHER && cv_str_eq_nocase(section->label, cv_kinds[kind].plural))
            return true;
    return false;
}

static bool is_corrections(const cv_section *section)
{
    return section->kind == CV_SECTION_OTHER && cv_str_eq(section->label, cv_transcript_corrections);
}

static bool has_verdict(const cv_section *section)
{
    cv_verdict type;
    for (size_t i = 0; i < section->content.count; i++)
        if (section->content.items[i].kind == CV_BLOCK_MARK && cv_mark_verdict(section->content.items[i].mark, &type))
            return true;
    return false;
}

static void read_section(cv_full_dialogue *t, const cv_section *section, const char *end)
{
    if (section->kind == CV_SECTION_ROUND)
        read_round(t, section, end);
    else if (section->kind == CV_SECTION_PANEL)
        read_panel(t, section);
    else if (section->kind == CV_SECTION_SCOREBOARD)
        read_scores(t, section);
    else if (cv_str_eq(section->label, CV_STR("Background")))
        read_background(t, section);
    else if (!is_inventory(section) && !is_corrections(section))
        cv_script_misunderstand(t->s, t->sheet, section->line, section->heading, "a transcript has no such section");
}

/* Items first, then what the tables and the judge say of them. */
void cv_full_read_transcript(cv_full_dialogue *t, cv_str text)
{
    cv_doc *doc = CV_NEW(t->s->arena, cv_doc);
    cv_doc_parse(t->s->arena, text, doc, NULL);
    t->exact = t->positions = true;
    read_head(t, doc);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < doc->sections.count; i++) {
            const cv_section *section = &doc->sections.items[i];
            bool judge = section->kind == CV_SECTION_JUDGE || has_verdict(section);
            if (pass == 0 && !judge)
                read_section(t, section, i + 1 < doc->sections.count ? section[1].heading.p : cv_str_end(doc->text));
            else if (pass == 1 && judge)
                read_judge(t, section);
            else if (pass == 1 && is_inventory(section))
                read_inventory(t, section);
            else if (pass == 1 && is_corrections(section))
                read_corrections(t, section);
        }
}
