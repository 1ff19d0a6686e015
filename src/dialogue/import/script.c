/* script.c - what the files of one dialogue say; see script.h. */
#include "dialogue/import/script.h"

#include "base/utf8.h"
#include "dialogue/lint/lint.h"
#include "dialogue/people.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/limits.h"

/* ---- the report -------------------------------------------------------------------------------------------------- */

void cv_script_decide(cv_script *s, size_t sheet, size_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *CV_PUSH(s->arena, &s->decided) =
        (cv_remark){.sheet = sheet, .line = line, .why = cv_arena_vprintf(s->arena, format, args)};
    va_end(args);
}

cv_str cv_script_fit(cv_script *s, size_t sheet, size_t line, const char *what, cv_str text, size_t most)
{
    cv_str kept = cv_utf8_limit(text, most);
    if (kept.n < text.n)
        cv_script_decide(s, sheet, line, "%s is longer than %zu characters and cut there", what, most);
    return kept;
}

void cv_script_misunderstand(cv_script *s, size_t sheet, size_t line, cv_str text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *CV_PUSH(s->arena, &s->not_understood) =
        (cv_remark){sheet, line, cv_excerpt(s->arena, cv_str_trim(text)), cv_arena_vprintf(s->arena, format, args)};
    va_end(args);
}

cv_difference *cv_script_differ(cv_script *s, size_t sheet, size_t line, cv_str what)
{
    cv_difference *d = CV_PUSH(s->arena, &s->differences);
    *d = (cv_difference){.sheet = sheet, .line = line, .what = what};
    return d;
}

/* ---- players ----------------------------------------------------------------------------------------------------- */

static bool is_judge(cv_str name)
{
    static const cv_str names[] = {CV_STR_INIT("judge"), CV_STR_INIT("facilitator"), CV_STR_INIT("moderator"),
                                   CV_STR_INIT("orchestrator")};
    for (size_t i = 0; i < CV_COUNT(names); i++)
        if (cv_str_eq_nocase(name, names[i]))
            return true;
    return false;
}

/* Letters, digits and dashes of the name; what has none of them is called by its number. */
static cv_str slug_for(cv_script *s, cv_str name, size_t sheet, size_t line)
{
    cv_arena *a = s->arena;
    cv_str slug = cv_arena_lower(a, name);
    if (!cv_slug_ok(slug)) {
        cv_str title = cv_slug_of_title(a, name);
        char *kept = cv_arena_alloc(a, title.n + 1);
        size_t n = 0;
        for (size_t i = 0; i < title.n && n < CV_MAX_SLUG; i++)
            if (cv_is_alnum(title.p[i]) || (title.p[i] == '-' && n > 0))
                kept[n++] = cv_lower(title.p[i]);
        while (n > 0 && kept[n - 1] == '-')
            n--;
        slug = n ? (cv_str){kept, n} : cv_arena_printf(a, "expert-%zu", s->players.count + 1);
    }
    cv_str wanted = slug;
    for (int i = 2; cv_map_get(&s->slug_at, slug) || cv_str_eq(slug, cv_judge_slug); i++)
        slug = cv_arena_printf(a, "%.*s-%d", CV_FMT(cv_str_head(wanted, CV_MAX_SLUG - 4)), i);
    if (!cv_str_eq_nocase(slug, name))
        cv_script_decide(s, sheet, line, "%.*s is called %.*s", CV_FMT(cv_excerpt(a, name)), CV_FMT(slug));
    return slug;
}

size_t cv_script_player(cv_script *s, cv_str name, cv_str role, size_t sheet, size_t line)
{
    cv_arena *a = s->arena;
    bool is_new;
    name = cv_squeeze(a, name);
    if (is_judge(name))
        return CV_THE_JUDGE;
    cv_str key = cv_agent_key(a, name);
    if (s->players.count >= CV_MAX_EXPERTS && !cv_map_get(&s->player_at, key)) {
        cv_script_misunderstand(s, sheet, line, name, "a dialogue has at most %d experts", CV_MAX_EXPERTS);
        return CV_NOBODY;
    }
    uintptr_t *at = cv_map_put(&s->player_at, a, key, &is_new);
    if (is_new) {
        *at = s->players.count + 1;
        cv_str slug = slug_for(s, name, sheet, line);
        cv_map_put(&s->slug_at, a, slug, NULL);
        *CV_PUSH(a, &s->players) =
            (cv_player){.name = name, .slug = slug, .sheet = sheet, .line = line, .first = -1, .last = -1};
        s->sheets.items[sheet].tally.agents++;
    }
    cv_player *player = &s->players.items[*at - 1];
    if (!player->role.n)
        player->role = cv_script_fit(s, sheet, line, "a role", cv_squeeze(a, role), CV_MAX_PHRASE);
    return *at - 1;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

cv_act *cv_script_act(cv_script *s, int round, size_t sheet, size_t line)
{
    if (round < 0 || round > CV_MAX_ROUND) {
        cv_script_misunderstand(s, sheet, line, CV_STR(""), "round %d: rounds go up to %d", round, CV_MAX_ROUND);
        return NULL;
    }
    for (; s->act_count <= (size_t)round; s->act_count++)
        s->acts[s->act_count].written = -1;
    cv_act *act = &s->acts[round];
    if (act->written < 0) {
        act->written = round + s->base;
        s->sheets.items[sheet].tally.rounds++;
    }
    return act;
}

static size_t lines_in(cv_str text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.n; i++)
        count += text.p[i] == '\n';
    return count;
}

/* A thematic break at the end parts the text from the next one and belongs to neither. */
static cv_str without_rule(cv_str text)
{
    for (;;) {
        cv_str trimmed = cv_str_trim_right(text);
        const char *start = cv_str_end(trimmed);
        while (start > trimmed.p && start[-1] != '\n')
            start--;
        cv_line line;
        cv_line_classify(cv_str_range(start, cv_str_end(trimmed)), NULL, &line);
        if (!line.rule || trimmed.n == 0)
            return trimmed;
        text = cv_str_range(trimmed.p, start);
    }
}

static cv_part *part_of(cv_script *s, cv_act *act, size_t player, size_t sheet)
{
    for (size_t i = 0; i < act->parts.count; i++)
        if (act->parts.items[i].player == player)
            return &act->parts.items[i];
    cv_part *part = CV_PUSH(s->arena, &act->parts);
    *part = (cv_part){.player = player, .sheet = sheet};
    s->sheets.items[sheet].tally.responses++;
    return part;
}

void cv_script_say(cv_script *s, cv_act *act, size_t player, size_t sheet, size_t line, cv_str text)
{
    cv_str said = without_rule(text), name = s->players.items[player].name;
    while (said.n > 0 && cv_is_space(said.p[0])) {
        line += said.p[0] == '\n';
        said = cv_str_from(said, 1);
    }
    if (said.n == 0 || cv_is_placeholder(said)) {
        cv_script_decide(s, sheet, line, "%.*s has not answered in round %d", CV_FMT(name), act->written);
        return;
    }
    cv_part *part = part_of(s, act, player, sheet);
    if (part->sheet == sheet)
        *CV_PUSH(s->arena, &part->pieces) = (cv_piece){said, line, 0};
    else if (part->pieces.count != 1 || !cv_str_eq(part->pieces.items[0].text, said))
        cv_script_decide(s, sheet, line, "what %.*s says in round %d is taken from %.*s", CV_FMT(name), act->written,
                         CV_FMT(s->sheets.items[part->sheet].name));
}

static void join(cv_script *s, cv_part *part)
{
    cv_buf text = {0};
    size_t line = 1;
    if (part->pieces.count == 1) {
        part->pieces.items[0].in_text = 1;
        part->text = part->pieces.items[0].text;
        return;
    }
    for (size_t i = 0; i < part->pieces.count; i++) {
        cv_piece *piece = &part->pieces.items[i];
        cv_buf_add_z(&text, i ? "\n\n" : "");
        cv_buf_add(&text, piece->text);
        piece->in_text = line;
        line += lines_in(piece->text) + 1;
    }
    part->text = cv_buf_take(&text, s->arena);
}

void cv_script_finish(cv_script *s)
{
    for (size_t i = 0; i < s->act_count; i++)
        for (size_t k = 0; k < s->acts[i].parts.count; k++)
            join(s, &s->acts[i].parts.items[k]);
}

size_t cv_part_line(const cv_part *part, size_t line)
{
    size_t low = 0, high = part->pieces.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (part->pieces.items[middle].in_text <= line)
            low = middle;
        else
            high = middle;
    }
    const cv_piece *piece = &part->pieces.items[low];
    return piece->line + (line > piece->in_text ? line - piece->in_text : 0);
}

void cv_script_note(cv_script *s, cv_act *act, cv_str text)
{
    text = cv_text_tidy(s->arena, without_rule(text));
    if (text.n == 0 || cv_is_placeholder(text))
        return;
    bool is_new;
    cv_map_put(&act->noted, s->arena, text, &is_new);
    if (is_new)
        *CV_PUSH(s->arena, &act->notes) = text;
}

/* ---- boards and trackers ----------------------------------------------------------------------------------------- */

/* Boards of the whole dialogue are written again at its end: the last one counts. */
static void keep_sum(cv_script *s, const cv_part_score *score)
{
    for (size_t i = 0; i < s->sums.count; i++)
        if (s->sums.items[i].player == score->player) {
            s->sums.items[i] = *score;
            return;
        }
    *CV_PUSH(s->arena, &s->sums) = *score;
    s->sheets.items[score->sheet].tally.scores++;
}

static void keep_score(cv_script *s, const cv_board_row *row, size_t sheet, int round)
{
    const uintptr_t *at = cv_map_get(&s->player_at, cv_agent_key(s->arena, row->agent));
    if (!at)
        return; /* "Total", or somebody who never spoke: the comparison tells */
    cv_part_score score = {(size_t)*at - 1, sheet, row->line, row->points};
    cv_act *act = round >= 0 ? cv_script_act(s, round, sheet, row->line) : NULL;
    for (size_t i = 0; act && i < act->scores.count; i++)
        if (act->scores.items[i].player == score.player)
            return; /* the first board counts */
    if (act) {
        *CV_PUSH(s->arena, &act->scores) = score;
        s->sheets.items[sheet].tally.scores++;
    } else if (round < 0) {
        keep_sum(s, &score);
    }
}

/* Boards of all rounds are written again and again: later ones know more. */
static void keep_round(cv_script *s, const cv_board_row *row, size_t sheet)
{
    cv_act *act = cv_script_act(s, row->round - s->base, sheet, row->line);
    if (!act || (act->said.line > 0 && act->said_sheet != sheet))
        return;
    s->sheets.items[sheet].tally.scores += act->said.line == 0;
    act->said = *row;
    act->said_sheet = sheet;
}

static bool is_untouched(const cv_board_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].points.total != 0)
            return false;
    return true;
}

/* Folders are read first, and their tracker is the living one; another one may know what it leaves out. */
static void keep_tracked(cv_script *s, const cv_tracked *row, size_t sheet)
{
    cv_tracked_row kept = {*row, sheet};
    kept.row.raised -= row->raised >= s->base ? s->base : 0;
    kept.row.closed -= row->closed >= s->base ? s->base : 0;
    uintptr_t *first = cv_map_put(&s->tracked, s->arena, row->id, NULL);
    if (!*first || s->tracker.items[*first - 1].sheet == sheet) {
        *CV_PUSH(s->arena, &s->tracker) = kept;
        *first = *first ? *first : s->tracker.count;
        s->sheets.items[sheet].tally.tracked++;
        return;
    }
    cv_tracked *known = &s->tracker.items[*first - 1].row;
    known->raised = known->raised >= 0 ? known->raised : kept.row.raised;
    known->closed = known->closed >= 0 ? known->closed : kept.row.closed;
    known->by = known->by.n ? known->by : kept.row.by;
}

bool cv_script_table(cv_script *s, const cv_grid *grid, size_t sheet, int round)
{
    cv_board_rows board = {0};
    cv_tracker tracker = {0};
    if (cv_tracker_read(s->arena, grid, &tracker)) {
        for (size_t i = 0; i < tracker.count; i++)
            keep_tracked(s, &tracker.items[i], sheet);
        return true;
    }
    if (!cv_board_read(s->arena, grid, &board))
        return false;
    for (size_t i = 0; !is_untouched(&board) && i < board.count; i++) {
        const cv_board_row *row = &board.items[i];
        if (!row->agent.n)
            keep_round(s, row, sheet);
        else
            keep_score(s, row, sheet, row->round >= 0 ? row->round - s->base : round);
    }
    return true;
}

bool cv_script_tables(cv_script *s, cv_str text, size_t sheet, size_t line, int round)
{
    cv_grids grids = cv_grids_find(s->arena, text, line);
    bool any = false;
    for (size_t i = 0; i < grids.count; i++)
        any |= cv_script_table(s, &grids.items[i], sheet, round);
    return any;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

void cv_script_keep(cv_script *s, cv_str heading, cv_str text)
{
    text = cv_text_tidy(s->arena, without_rule(text));
    if (text.n > 0 && !cv_is_placeholder(text))
        *CV_PUSH(s->arena, &s->background) = (cv_fact){cv_squeeze(s->arena, heading), text};
}

/* Headings that announce how it ended, the strongest words first. */
static int rank_of(cv_str heading)
{
    static const struct {
        const char *words;
        int rank;
    } ranks[] = {
        {"verdict", 4},
        {"final converged recommendation", 3},
        {"converged recommendation", 3},
        {"final recommendation", 3},
        {"final decision", 3},
        {"converged amendments", 3},
        {"convergence declaration", 2},
        {"convergence achieved", 2},
        {"final convergence", 1},
    };
    for (size_t i = 0; i < CV_COUNT(ranks); i++)
        for (size_t k = 0; k < heading.n; k++)
            if (cv_str_starts_nocase(cv_str_from(heading, k), cv_str_of(ranks[i].words)))
                return ranks[i].rank;
    return 0;
}

bool cv_script_is_ending(cv_str heading)
{
    return rank_of(heading) > 0;
}

void cv_script_ending(cv_script *s, cv_str heading, cv_str text, size_t sheet, size_t line)
{
    int rank = rank_of(heading);
    text = cv_text_tidy(s->arena, without_rule(text));
    if (rank > 0 && rank >= s->ending.rank && text.n > 0 && !cv_is_placeholder(text) &&
        (s->ending.rank < rank || s->ending.sheet == sheet))
        s->ending = (cv_ending){cv_squeeze(s->arena, heading), text, sheet, line, rank};
}

void cv_script_endings(cv_script *s, size_t sheet, cv_str text, size_t first)
{
    cv_lines lines = {.text = text};
    cv_str heading = {NULL, 0};
    const char *from = NULL;
    int level = 0;
    size_t at = 0;
    for (cv_line line; cv_lines_next(&lines, &line);) {
        cv_str name = cv_str_trim(cv_str_from(line.trimmed, (size_t)line.level));
        if (line.fenced || line.level == 0)
            continue;
        if (from && line.level <= level) {
            cv_script_ending(s, heading, cv_str_range(from, line.text.p), sheet, at);
            from = NULL;
        }
        if (!from && cv_script_is_ending(name)) {
            heading = name;
            from = cv_str_end(line.text);
            level = line.level;
            at = first + line.number - 1;
        }
    }
    if (from)
        cv_script_ending(s, heading, cv_str_range(from, cv_str_end(text)), sheet, at);
}
