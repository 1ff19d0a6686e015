/* script.c - what the files of one dialogue say; see script.h. */
#include "dialogue/import/script.h"

#include "base/utf8.h"
#include "dialogue/lint/lint.h"
#include "dialogue/people.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/limits.h"

/* ---- participants ------------------------------------------------------------------------------------------------ */

bool cv_script_is_judge(cv_str name)
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
        slug = n ? (cv_str){kept, n} : cv_arena_printf(a, "expert-%zu", s->participants.count + 1);
    }
    cv_str wanted = slug;
    for (int i = 2; cv_map_get(&s->slug_at, slug) || cv_str_eq(slug, cv_judge_slug); i++)
        slug = cv_arena_printf(a, "%.*s-%d", CV_FMT(cv_str_head(wanted, CV_MAX_SLUG - 4)), i);
    if (!cv_str_eq_nocase(slug, name))
        cv_script_decide(s, sheet, line, "%.*s is called %.*s", CV_FMT(cv_excerpt(a, name)), CV_FMT(slug));
    return slug;
}

static size_t find_exactly(const cv_script *s, cv_str name)
{
    const uintptr_t *at = cv_map_get(&s->participant_at, cv_agent_key(s->arena, name));
    return at && *at ? (size_t)*at - 1 : CV_NOBODY;
}

static cv_str first_name(cv_str name)
{
    size_t end = cv_str_find_char(name, ' ');
    return end == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_head(name, end);
}

static cv_str last_name(cv_str name)
{
    size_t start = name.n;
    while (start > 0 && name.p[start - 1] != ' ')
        start--;
    return start ? cv_str_from(name, start) : (cv_str){NULL, 0};
}

size_t cv_script_known(const cv_script *s, cv_str name)
{
    enum { LEAST = 3 };
    size_t found = find_exactly(s, name), alike = 0, first = CV_NOBODY;
    cv_str given = first_name(name);
    if (found != CV_NOBODY || name.n < LEAST)
        return found;
    if (given.n >= LEAST && (found = find_exactly(s, given)) != CV_NOBODY)
        return found;
    for (size_t i = 0; i < s->participants.count; i++)
        if (cv_str_eq_nocase(first_name(s->participants.items[i].name), name) ||
            cv_str_eq_nocase(last_name(s->participants.items[i].name), name)) {
            first = i;
            alike++;
        }
    return alike == 1 ? first : CV_NOBODY;
}

bool cv_script_next_named(const cv_script *s, cv_str *rest, size_t *ret_participant)
{
    if (!rest->n)
        return false;
    *ret_participant = find_exactly(s, cv_plain_name(s->arena, *rest)); /* "UI/UX" may be one */
    if (*ret_participant != CV_NOBODY)
        *rest = (cv_str){NULL, 0};
    else
        *ret_participant = cv_script_known(s, cv_plain_name(s->arena, cv_script_cut_name(rest)));
    return true;
}

void cv_script_state_text(cv_script *s, cv_says what, cv_str agent, cv_str text, size_t sheet, size_t line)
{
    *CV_PUSH(s->arena, &s->statements) = (cv_statement){
        .what = what, .agent = agent, .round = -1, .number = CV_ABSENT, .text = text, .sheet = sheet, .line = line};
}

cv_str cv_script_stated(const cv_script *s, cv_says what)
{
    for (size_t i = 0; i < s->statements.count; i++)
        if (s->statements.items[i].what == what)
            return s->statements.items[i].text;
    return (cv_str){NULL, 0};
}

static bool is_dash(cv_str cell)
{
    return cell.n == 0 || cv_str_eq(cell, CV_STR("—")) || cv_str_eq(cell, CV_STR("-"));
}

void cv_script_role(cv_script *s, size_t participant, cv_str role, cv_role_rank rank, size_t sheet, size_t line)
{
    cv_participant *p = &s->participants.items[participant];
    role = cv_squeeze(s->arena, role);
    if (is_dash(role))
        return;
    role = cv_script_fit(s, sheet, line, "a role", role, CV_MAX_PHRASE);
    cv_script_state_text(s, CV_SAYS_ROLE, p->name, role, sheet, line);
    if (rank <= p->role_rank)
        return;
    p->role = role;
    p->role_rank = rank;
}

void cv_script_tier(cv_script *s, size_t participant, cv_str tier, size_t sheet, size_t line)
{
    cv_participant *p = &s->participants.items[participant];
    if (is_dash(tier))
        return;
    cv_script_state_text(s, CV_SAYS_TIER, p->name, tier, sheet, line);
    p->tier = p->tier.n ? p->tier : tier;
}

size_t cv_script_participant(cv_script *s, cv_str name, cv_str role, size_t sheet, size_t line)
{
    cv_arena *a = s->arena;
    bool is_new;
    name = cv_squeeze(a, name);
    if (cv_script_is_judge(name))
        return CV_THE_JUDGE;
    cv_str key = cv_agent_key(a, name);
    if (s->participants.count >= CV_MAX_EXPERTS && !cv_map_get(&s->participant_at, key)) {
        cv_script_misunderstand(s, sheet, line, name, "a dialogue has at most %d experts", CV_MAX_EXPERTS);
        return CV_NOBODY;
    }
    uintptr_t *at = cv_map_put(&s->participant_at, a, key, &is_new);
    if (is_new) {
        *at = s->participants.count + 1;
        cv_str slug = slug_for(s, name, sheet, line);
        cv_map_put(&s->slug_at, a, slug, NULL);
        *CV_PUSH(a, &s->participants) =
            (cv_participant){.name = name, .slug = slug, .sheet = sheet, .line = line, .first = -1, .last = -1};
    }
    cv_script_role(s, *at - 1, role, CV_ROLE_OF_HEADING, sheet, line);
    return *at - 1;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

cv_import_act *cv_script_act(cv_script *s, int round, size_t sheet, size_t line)
{
    if (round < 0 || round > CV_MAX_ROUND) {
        cv_script_misunderstand(s, sheet, line, CV_STR(""), "round %d: rounds go up to %d", round, CV_MAX_ROUND);
        return NULL;
    }
    for (; s->act_count <= (size_t)round; s->act_count++)
        s->acts[s->act_count].written = -1;
    cv_import_act *act = &s->acts[round];
    if (act->written < 0) {
        act->written = round + s->base;
        act->sheet = sheet;
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

cv_str cv_script_without_rule(cv_str text)
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

static cv_import_part *part_of(cv_script *s, cv_import_act *act, size_t participant, size_t sheet)
{
    for (size_t i = 0; i < act->parts.count; i++)
        if (act->parts.items[i].participant == participant)
            return &act->parts.items[i];
    cv_import_part *part = CV_PUSH(s->arena, &act->parts);
    *part = (cv_import_part){.participant = participant, .sheet = sheet};
    return part;
}

void cv_script_say(cv_script *s, cv_import_act *act, size_t participant, size_t sheet, size_t line, cv_str text)
{
    cv_str said = cv_script_without_rule(text), name = s->participants.items[participant].name;
    while (said.n > 0 && cv_is_space(said.p[0])) {
        line += said.p[0] == '\n';
        said = cv_str_from(said, 1);
    }
    if (said.n == 0 || cv_is_placeholder(said)) {
        cv_script_decide(s, sheet, line, "%.*s has not answered in round %d", CV_FMT(name), act->written);
        return;
    }
    cv_import_part *part = part_of(s, act, participant, sheet);
    if (part->sheet == sheet)
        *CV_PUSH(s->arena, &part->pieces) = (cv_piece){said, line, 0};
    else if (part->pieces.count != 1 || !cv_str_eq(part->pieces.items[0].text, said))
        cv_script_decide(s, sheet, line, "what %.*s says in round %d is taken from %.*s", CV_FMT(name), act->written,
                         CV_FMT(s->sheets.items[part->sheet].name));
}

static void join(cv_script *s, cv_import_part *part)
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

/* Those who take part, before there is a dialogue: names in marks are known by them. */
static void find_people(const cv_script *s, cv_state *ret_people)
{
    *ret_people = (cv_state){0};
    for (size_t i = 0; i < s->participants.count; i++) {
        *CV_PUSH(s->arena, &ret_people->experts) = (cv_rec_expert){.expert_slug = s->participants.items[i].slug};
        *cv_map_put(&ret_people->expert_at, s->arena, s->participants.items[i].slug, NULL) = i + 1;
    }
}

/* "### T01: Sync direction", "**T02** — Cost": not in brackets, a number of the tracker's is spoken of. */
static bool speaks_of_number(cv_str line)
{
    cv_id id;
    size_t length;
    while (line.n > 0 && strchr("#*-+_> ", line.p[0]))
        line = cv_str_from(line, 1);
    return cv_id_at(line, &id, &length) && id.form == CV_ID_SHORT;
}

/* The response of an expert raises T01 by such a line; in files it is the heading of what is said about a tension that
 * is there. Those lines stay as they are written, one for one: the lines of the text lead back to the same places. */
static void leave_spoken_of(cv_script *s, cv_import_part *part)
{
    cv_buf text = {0};
    cv_str source = part->text, rest = part->plain.text, written = {NULL, 0}, line;
    cv_plain kept = {0};
    cv_map left = {0};
    size_t at = 0, number = 0;
    while (cv_str_split(&rest, '\n', &line)) {
        size_t from = cv_plain_line(&part->plain, ++number);
        while (at < from && cv_str_split(&source, '\n', &written))
            at++;
        bool leave = at == from && !cv_str_eq(line, written) && speaks_of_number(written);
        if (leave)
            cv_map_put(&left, s->arena, cv_arena_printf(s->arena, "%zu", from), NULL);
        cv_buf_add(&text, leave ? written : line);
        cv_buf_add_char(&text, '\n');
    }
    if (left.count == 0) {
        cv_buf_release(&text);
        return;
    }
    for (size_t i = 0; i < part->plain.remarks.count; i++)
        if (!cv_map_get(&left, cv_arena_printf(s->arena, "%zu", part->plain.remarks.items[i].line)))
            *CV_PUSH(s->arena, &kept.remarks) = part->plain.remarks.items[i];
    part->plain.text = cv_buf_take(&text, s->arena);
    part->plain.remarks.items = kept.remarks.items;
    part->plain.remarks.count = kept.remarks.count;
}

void cv_script_finish(cv_script *s)
{
    cv_state *people = CV_NEW(s->arena, cv_state);
    find_people(s, people);
    for (size_t i = 0; i < s->act_count; i++)
        for (size_t k = 0; k < s->acts[i].parts.count; k++) {
            cv_import_part *part = &s->acts[i].parts.items[k];
            const cv_speaker who = {s->arena, people, s->participants.items[part->participant].slug, (int)i};
            join(s, part);
            cv_plain_read(&who, part->text, &part->plain);
            leave_spoken_of(s, part);
        }
}

size_t cv_part_line(const cv_import_part *part, size_t line)
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

size_t cv_part_read_line(const cv_import_part *part, size_t line)
{
    return cv_part_line(part, cv_plain_line(&part->plain, line));
}

void cv_script_note(cv_script *s, cv_import_act *act, cv_str text)
{
    text = cv_text_tidy(s->arena, cv_script_without_rule(text));
    if (text.n == 0 || cv_is_placeholder(text))
        return;
    bool is_new;
    cv_map_put(&act->noted, s->arena, text, &is_new);
    if (is_new)
        *CV_PUSH(s->arena, &act->notes) = text;
}

/* ---- what is stated ---------------------------------------------------------------------------------------------- */

void cv_script_state(cv_script *s, cv_says what, cv_str agent, int round, int64_t number, size_t sheet, size_t line)
{
    if (number != CV_ABSENT)
        *CV_PUSH(s->arena, &s->statements) = (cv_statement){
            .what = what, .agent = agent, .round = round, .number = number, .sheet = sheet, .line = line};
}

/* Words that are before a number of the whole dialogue. */
static int stated_by(cv_arena *a, cv_str key)
{
    static const struct {
        const char *words;
        cv_says what;
    } keys[] = {
        {"rounds", CV_SAYS_ROUNDS},
        {"total rounds", CV_SAYS_ROUNDS},
        {"number of rounds", CV_SAYS_ROUNDS},
        {"rounds completed", CV_SAYS_ROUNDS},
        {"alignment this round", CV_SAYS_SCORE},
        {"score this round", CV_SAYS_SCORE},
        {"round score", CV_SAYS_SCORE},
        {"final", CV_SAYS_SCORE},
        {"total alignment", CV_SAYS_SCORE},
        {"alignment", CV_SAYS_SCORE},
        {"alignment total", CV_SAYS_SCORE},
        {"total score", CV_SAYS_SCORE},
        {"final score", CV_SAYS_SCORE},
        {"final alignment", CV_SAYS_SCORE},
        {"cumulative alignment", CV_SAYS_SCORE},
        {"total", CV_SAYS_SCORE},
        {"tensions", CV_SAYS_TENSIONS},
        {"total tensions", CV_SAYS_TENSIONS},
        {"number of tensions", CV_SAYS_TENSIONS},
        {"tensions raised", CV_SAYS_TENSIONS},
        {"open tensions", CV_SAYS_OPEN},
        {"tensions open", CV_SAYS_OPEN},
        {"unresolved tensions", CV_SAYS_OPEN},
        {"tensions resolved", CV_SAYS_CLOSED},
        {"resolved tensions", CV_SAYS_CLOSED},
        {"closed tensions", CV_SAYS_CLOSED},
        {"perspectives", CV_SAYS_PERSPECTIVES},
        {"total perspectives", CV_SAYS_PERSPECTIVES},
        {"number of perspectives", CV_SAYS_PERSPECTIVES},
        {"number of open tensions", CV_SAYS_OPEN},
        {"number of resolved tensions", CV_SAYS_CLOSED},
        {"number of agents", CV_SAYS_EXPERTS},
        {"experts", CV_SAYS_EXPERTS},
        {"agents", CV_SAYS_EXPERTS},
        {"number of experts", CV_SAYS_EXPERTS},
        {"panel size", CV_SAYS_EXPERTS},
    };
    cv_str plain = cv_squeeze(a, key);
    for (size_t i = 0; i < CV_COUNT(keys); i++)
        if (cv_str_eq_nocase(plain, cv_str_of(keys[i].words)))
            return (int)keys[i].what;
    return -1;
}

/* Is a total one of points? "17", "17/20", "17 points", "17 → 40" are, "7 weeks" is not. */
static bool is_of_points(cv_str value)
{
    static const cv_str units[] = {CV_STR_INIT("points"),    CV_STR_INIT("point"), CV_STR_INIT("pts"),
                                   CV_STR_INIT("alignment"), CV_STR_INIT("of"),    CV_STR_INIT("r")};
    cv_str word = {NULL, 0};
    for (size_t i = 0; i < value.n && word.n == 0; i++)
        for (size_t n = 0; i + n < value.n && cv_is_alpha(value.p[i + n]); n++)
            word = (cv_str){value.p + i, n + 1};
    return word.n == 0 || cv_words_find((cv_words){units, CV_COUNT(units)}, word) >= 0;
}

/* A number at the beginning of a value: "17", "**17**", "427 points", "12/12" for 12 of 12. */
static int64_t leading_number(cv_str value)
{
    size_t from = 0, end;
    int number;
    while (from < value.n &&
           (value.p[from] == '*' || value.p[from] == ' ' || value.p[from] == '~' || value.p[from] == '+'))
        from++;
    for (end = from; end < value.n && cv_is_digit(value.p[end]);)
        end++;
    if (end == from || end - from > 8 || (end + 1 < value.n && value.p[end] == '.' && cv_is_digit(value.p[end + 1])) ||
        (end < value.n && (cv_is_alpha(value.p[end]) || value.p[end] == '%' || value.p[end] == '-')) ||
        !cv_str_to_int(cv_str_head(cv_str_from(value, from), end - from), &number))
        return CV_ABSENT;
    return number;
}

/* "5 open", "3 resolved" in a value about tensions. */
static int64_t number_before(cv_str value, const char *word)
{
    for (size_t i = 1; i < value.n; i++) {
        size_t begin = i - 1;
        int number;
        if (!cv_str_starts_nocase(cv_str_from(value, i), cv_str_of(word)) || value.p[i - 1] != ' ')
            continue;
        while (begin > 0 && cv_is_digit(value.p[begin - 1]))
            begin--;
        if (begin < i - 1 && cv_str_to_int(cv_str_range(value.p + begin, value.p + i - 1), &number))
            return number;
    }
    return CV_ABSENT;
}

/* "2 of 5": the number behind the word. */
static int64_t number_behind(cv_str value, const char *word)
{
    size_t at = cv_str_find_nocase(value, cv_str_of(word));
    return at == SIZE_MAX ? CV_ABSENT : leading_number(cv_str_from(value, at + strlen(word)));
}

/* What a list of rounds calls the first one: mostly what the files do; but it may count from 0 where they count from 1,
 * and the other way round. */
static int base_of_list(const cv_script *s, int least, int most)
{
    if (least < s->base)
        return 0;
    return s->base == 0 && least == 1 && most == (int)s->act_count ? 1 : s->base;
}

static int base_of_pairs(const cv_script *s, const cv_round_numbers *pairs)
{
    int least = CV_MAX_ROUND, most = -1;
    for (size_t i = 0; i < pairs->count; i++) {
        least = pairs->items[i].round < least ? pairs->items[i].round : least;
        most = pairs->items[i].round > most ? pairs->items[i].round : most;
    }
    return base_of_list(s, least, most);
}

static void state_value(cv_script *s, cv_says what, cv_str value, size_t sheet, size_t line, int round)
{
    cv_round_numbers pairs = what == CV_SAYS_SCORE ? cv_grid_pairs(s->arena, value) : (cv_round_numbers){0};
    int base = base_of_pairs(s, &pairs);
    for (size_t i = 0; i < pairs.count; i++) {
        cv_board_row row = cv_board_row_empty(line);
        row.round = pairs.items[i].round;
        row.points.total = pairs.items[i].number;
        cv_import_act *act = cv_script_act(s, row.round - base, sheet, line);
        if (act && act->said.line == 0) {
            act->said = row;
            act->said_sheet = sheet;
        }
        cv_script_state(s, CV_SAYS_SCORE, (cv_str){NULL, 0}, row.round - base, row.points.total, sheet, line);
    }
    if (pairs.count)
        return;
    size_t before = s->statements.count;
    cv_script_state(s, what, (cv_str){NULL, 0}, round, leading_number(value), sheet, line);
    if (s->statements.count > before)
        s->statements.items[before].so_far = true;
    if (what == CV_SAYS_OPEN || what == CV_SAYS_CLOSED)
        cv_script_state(s, CV_SAYS_TENSIONS, (cv_str){NULL, 0}, round, number_behind(value, "of "), sheet, line);
    if (what != CV_SAYS_TENSIONS)
        return;
    cv_script_state(s, CV_SAYS_OPEN, (cv_str){NULL, 0}, round, number_before(value, "open"), sheet, line);
    cv_script_state(s, CV_SAYS_CLOSED, (cv_str){NULL, 0}, round, number_before(value, "resolved"), sheet, line);
}

/* "**Key**: value", "- Key: value", "| **Key** | value |", "Key: value". */
static bool key_and_value(const cv_line *line, cv_str *ret_key, cv_str *ret_value)
{
    cv_str s = line->trimmed, cell, rest;
    if (line->kind == CV_LINE_METADATA) {
        *ret_key = line->name;
        *ret_value = line->value;
        return true;
    }
    if (line->kind == CV_LINE_TABLE_ROW) {
        rest = cv_row_inside(s);
        if (!cv_cell_next(&rest, ret_key) || !cv_cell_next(&rest, ret_value) || (rest.p && cv_cell_next(&rest, &cell)))
            return false;
    } else {
        while (s.n > 0 && (s.p[0] == '-' || s.p[0] == '*' || s.p[0] == ' ' || s.p[0] == '+'))
            s = cv_str_from(s, 1);
        size_t colon = cv_str_find_char(cv_str_head(s, 40), ':');
        if (colon == SIZE_MAX)
            return false;
        *ret_key = cv_str_head(s, colon);
        *ret_value = cv_str_trim(cv_str_from(s, colon + 1));
    }
    while (ret_key->n > 0 && strchr("*_ :", ret_key->p[ret_key->n - 1]))
        ret_key->n--;
    while (ret_key->n > 0 && strchr("*_ ", ret_key->p[0]))
        *ret_key = cv_str_from(*ret_key, 1);
    return ret_key->n > 0;
}

/* "Open Tensions (2)": a heading that counts what is below it. */
static void read_counting_heading(cv_script *s, const cv_line *line, size_t sheet, size_t at, int round)
{
    cv_str title = cv_str_trim(cv_str_from(line->trimmed, (size_t)line->level));
    size_t open = cv_str_find_char(title, '(');
    int what = open == SIZE_MAX ? -1 : stated_by(s->arena, cv_str_head(title, open));
    cv_str inside = open == SIZE_MAX ? title : cv_str_from(title, open + 1);
    size_t close = cv_str_find_char(inside, ')');
    int number;
    if (what >= 0 && what != CV_SAYS_SCORE && close != SIZE_MAX &&
        cv_str_to_int(cv_str_trim(cv_str_head(inside, close)), &number))
        cv_script_state(s, (cv_says)what, (cv_str){NULL, 0}, round, number, sheet, at);
}

/* "2 of 5 tensions are open" */
static void read_counting_sentence(cv_script *s, const cv_line *line, size_t sheet, size_t at, int round)
{
    cv_str text = line->trimmed;
    size_t of = cv_str_find(text, CV_STR(" of ")), from = of == SIZE_MAX ? 0 : of;
    int64_t all = of == SIZE_MAX ? CV_ABSENT : leading_number(cv_str_from(text, of + 4));
    size_t tensions = all == CV_ABSENT ? SIZE_MAX : cv_str_find_nocase(cv_str_from(text, of), CV_STR(" tensions "));
    int some;
    while (from > 0 && cv_is_digit(text.p[from - 1]))
        from--;
    if (tensions == SIZE_MAX || tensions > 12 || !cv_str_to_int(cv_str_range(text.p + from, text.p + of), &some))
        return;
    cv_str said = cv_str_head(cv_str_from(text, of + tensions + 10), 24);
    bool open = cv_str_find_nocase(said, CV_STR("open")) != SIZE_MAX ||
                cv_str_find_nocase(said, CV_STR("unresolved")) != SIZE_MAX;
    bool closed = !open && (cv_str_find_nocase(said, CV_STR("resolved")) != SIZE_MAX ||
                            cv_str_find_nocase(said, CV_STR("closed")) != SIZE_MAX);
    if (!open && !closed)
        return;
    cv_script_state(s, open ? CV_SAYS_OPEN : CV_SAYS_CLOSED, (cv_str){NULL, 0}, round, some, sheet, at);
    cv_script_state(s, CV_SAYS_TENSIONS, (cv_str){NULL, 0}, round, all, sheet, at);
}

static void keep_score(cv_script *s, const cv_board_row *row, size_t sheet, int round);

/* "**Muffin** R0: 5 → R1: 12": whose numbers are they? CV_NOBODY: all of the panel's. */
static size_t whose_pairs(const cv_script *s, cv_str line)
{
    size_t from = 0, end;
    while (from < line.n && strchr("-*+_ ", line.p[from]))
        from++;
    for (end = from; end < line.n && !strchr("*:_→", line.p[end]);)
        end++;
    cv_str name = cv_str_trim(cv_str_range(line.p + from, line.p + end));
    return name.n ? cv_script_known(s, cv_plain_name(s->arena, name)) : CV_NOBODY;
}

static bool keep_pairs_of_participant(cv_script *s, cv_str line, const cv_round_numbers *pairs, size_t sheet, size_t at)
{
    size_t participant = whose_pairs(s, line);
    int base = base_of_pairs(s, pairs);
    for (size_t i = 0; participant < s->participants.count && i < pairs->count; i++) {
        const cv_board_row row = {.agent = s->participants.items[participant].name,
                                  .points = {pairs->items[i].number, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}},
                                  .line = at};
        keep_score(s, &row, sheet, pairs->items[i].round - base);
    }
    return participant < s->participants.count;
}

/* "- Round 1: 99 points" on a board. */
static bool read_round_line(cv_script *s, cv_str key, cv_str value, size_t sheet, size_t at)
{
    cv_str before, after;
    int round;
    bool says = cv_find_round(key, &round, &before, &after) && cv_str_trim(before).n == 0 &&
                cv_str_trim(after).n == 0 && is_of_points(value) && round >= s->base;
    if (says)
        cv_script_state(s, CV_SAYS_SCORE, (cv_str){NULL, 0}, round - s->base, leading_number(value), sheet, at);
    return says;
}

/* Further statements on a line: "Rounds: 3 | Open tensions: 2". */
static void read_further(cv_script *s, cv_str line, size_t sheet, size_t at, int round)
{
    for (size_t i = 0; i + 1 < line.n; i++) {
        if (!strchr("|;,.", line.p[i]) || line.p[i + 1] != ' ')
            continue;
        cv_str rest = cv_str_from(line, i + 1);
        size_t colon = cv_str_find_char(cv_str_head(rest, 48), ':');
        if (colon == SIZE_MAX)
            continue;
        cv_str key = cv_str_head(rest, colon), value = cv_str_from(rest, colon + 1);
        while (key.n > 0 && strchr("*_ ", key.p[0]))
            key = cv_str_from(key, 1);
        while (key.n > 0 && strchr("*_ ", key.p[key.n - 1]))
            key.n--;
        int what = stated_by(s->arena, key);
        if (what >= 0 && what != CV_SAYS_SCORE)
            state_value(s, (cv_says)what, cv_str_head(value, 40), sheet, at, round);
    }
}

void cv_script_lines(cv_script *s, cv_str text, size_t sheet, size_t first, int round)
{
    cv_lines lines = {.text = text};
    bool scoreboard = cv_str_eq(s->sheets.items[sheet].role, CV_STR("scoreboard"));
    for (cv_line line; cv_lines_next(&lines, &line);) {
        cv_str key = {NULL, 0}, value = {NULL, 0};
        size_t at = first + line.number - 1;
        if (line.fenced || line.trimmed.n == 0)
            continue;
        if (line.level > 0)
            read_counting_heading(s, &line, sheet, at, round);
        bool pair = line.level == 0 && key_and_value(&line, &key, &value);
        int what = pair ? stated_by(s->arena, key) : -1;
        bool row = line.kind == CV_LINE_TABLE_ROW;
        if (!row && what < 0 && cv_str_find(line.trimmed, CV_STR("→")) != SIZE_MAX) {
            cv_round_numbers pairs = cv_grid_pairs(s->arena, line.trimmed);
            if (pairs.count > 1 && keep_pairs_of_participant(s, line.trimmed, &pairs, sheet, at))
                continue;
            if (pairs.count > 1) { /* "## Scores: R0: 99 → R1: 202" */
                what = CV_SAYS_SCORE;
                value = line.trimmed;
            }
        }
        if (pair && what < 0 && scoreboard && !row && read_round_line(s, key, value, sheet, at))
            continue;
        bool board = line.kind == CV_LINE_METADATA || scoreboard;
        bool vague = cv_str_eq_nocase(key, CV_STR("total")) || cv_str_eq_nocase(key, CV_STR("final"));
        if (what == CV_SAYS_SCORE && vague && !(board && is_of_points(value)))
            what = -1; /* "- Total: 12 hours" */
        if (what >= 0)
            state_value(s, (cv_says)what, value, sheet, at, round);
        if (!row && line.level == 0) {
            read_counting_sentence(s, &line, sheet, at, round);
            read_further(s, line.trimmed, sheet, at, round);
        }
    }
}

/* ---- boards and trackers ----------------------------------------------------------------------------------------- */

/* Boards of the whole dialogue are written again at its end: the last one counts. */
static void keep_sum(cv_script *s, const cv_part_score *score)
{
    for (size_t i = 0; i < s->sums.count; i++)
        if (s->sums.items[i].participant == score->participant) {
            s->sums.items[i] = *score;
            return;
        }
    *CV_PUSH(s->arena, &s->sums) = *score;
}

static void keep_score(cv_script *s, const cv_board_row *row, size_t sheet, int round)
{
    size_t participant = cv_script_known(s, row->agent);
    cv_script_state(s, CV_SAYS_SCORE, row->agent, round, row->points.total, sheet, row->line);
    for (int i = 0; i < CV_SCORE_PARTS && round >= 0; i++)
        if (row->points.parts[i] != CV_ABSENT) {
            cv_script_state(s, CV_SAYS_PART, row->agent, round, row->points.parts[i], sheet, row->line);
            s->statements.items[s->statements.count - 1].part = i;
        }
    if (participant >= s->participants.count)
        return; /* somebody who never spoke: the comparison tells */
    cv_script_role(s, participant, row->role, CV_ROLE_OF_BOARD, sheet, row->line);
    cv_part_score score = {participant, sheet, row->line, row->points};
    cv_import_act *act = round >= 0 ? cv_script_act(s, round, sheet, row->line) : NULL;
    for (size_t i = 0; act && i < act->scores.count; i++)
        if (act->scores.items[i].participant == score.participant) {
            bool bare = act->scores.items[i].points.parts[0] == CV_ABSENT && act->scores.items[i].sheet == sheet;
            if (bare && act->scores.items[i].points.total == score.points.total)
                act->scores.items[i].points = score.points; /* the same with its parts */
            return;                                         /* the first board counts */
        }
    if (act)
        *CV_PUSH(s->arena, &act->scores) = score;
    else if (round < 0)
        keep_sum(s, &score);
}

/* Boards of all rounds are written again and again: later ones know more. */
static void keep_round(cv_script *s, const cv_board_row *row, size_t sheet)
{
    int round = row->round - s->base;
    cv_import_act *act = cv_script_act(s, round, sheet, row->line);
    const cv_str all = {NULL, 0};
    if (!act)
        return;
    cv_script_state(s, CV_SAYS_SCORE, all, round, row->points.total, sheet, row->line);
    cv_script_state(s, CV_SAYS_SUM, all, round, row->sum, sheet, row->line);
    cv_script_state(s, CV_SAYS_OPEN, all, round, row->open, sheet, row->line);
    cv_script_state(s, CV_SAYS_FRESH, all, round, row->fresh, sheet, row->line);
    cv_script_state(s, CV_SAYS_VELOCITY, all, round, row->velocity, sheet, row->line);
    cv_script_state(s, CV_SAYS_CONVERGE, all, round, row->converge, sheet, row->line);
    if (act->said.line > 0 && act->said_sheet != sheet)
        return;
    act->said = *row;
    act->said_sheet = sheet;
}

/* A row of totals: what the rounds, or all of them, come to. */
static void keep_total(cv_script *s, const cv_board_row *row, size_t sheet, int round)
{
    int at = row->round >= 0 ? row->round - s->base : round;
    cv_import_act *act = at >= 0 ? cv_script_act(s, at, sheet, row->line) : NULL;
    cv_script_state(s, CV_SAYS_SCORE, (cv_str){NULL, 0}, at, row->points.total, sheet, row->line);
    if (!act || act->said.line > 0)
        return;
    act->said = *row;
    act->said_sheet = sheet;
}

static bool is_untouched(const cv_board_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].points.total != 0 || rows->items[i].odd.n)
            return false;
    return true;
}

void cv_script_track(cv_script *s, const cv_tracked *row, size_t sheet, int round)
{
    cv_tracked_row kept = {*row, sheet, round};
    kept.row.raised -= row->raised >= s->base ? s->base : 0;
    kept.row.closed -= row->closed >= s->base ? s->base : 0;
    *CV_PUSH(s->arena, &s->tracker) = kept;
}

/* Rounds of a board as the files call them. */
static void shift_rounds(const cv_script *s, cv_board_rows *board)
{
    int least = CV_MAX_ROUND, most = -1;
    for (size_t i = 0; i < board->count; i++) {
        int round = board->items[i].round;
        least = round >= 0 && round < least ? round : least;
        most = round > most ? round : most;
    }
    int shift = s->base - base_of_list(s, least, most);
    for (size_t i = 0; i < board->count; i++)
        board->items[i].round += board->items[i].round >= 0 ? shift : 0;
}

static void keep_board(cv_script *s, cv_board_rows *board, size_t sheet, int round)
{
    shift_rounds(s, board);
    for (size_t i = 0; i < board->count; i++) {
        const cv_board_row *row = &board->items[i];
        if (row->odd.n)
            cv_script_misunderstand(s, sheet, row->line, row->odd, "a score is a whole number");
        else if (row->total)
            keep_total(s, row, sheet, round);
        else if (!row->agent.n)
            keep_round(s, row, sheet);
        else
            keep_score(s, row, sheet, row->round >= 0 ? row->round - s->base : round);
    }
}

/* | Round | Muffin | Scone | Total |: experts as columns. */
static bool read_columns_of_participants(cv_script *s, const cv_grid *grid, size_t sheet)
{
    static const char *const rounds[] = {"round", "rd", NULL};
    enum { MOST = 64 };
    cv_board_rows rows = {0};
    int column = cv_grid_column(s->arena, grid, rounds);
    for (size_t k = 0; column >= 0 && k < grid->head.count && k < MOST; k++) {
        cv_str name = cv_plain_name(s->arena, cv_grid_cell(s->arena, &grid->head, (int)k));
        size_t participant = (int)k != column && name.n ? cv_script_known(s, name) : CV_NOBODY;
        for (size_t i = 0; participant < s->participants.count && i < grid->rows.count; i++) {
            cv_str cell = cv_grid_cell(s->arena, &grid->rows.items[i], column), before, after;
            int64_t at = cv_grid_number(s->arena, cell);
            cv_board_row row = {
                .agent = s->participants.items[participant].name,
                .round = at >= 0 && at <= CV_MAX_ROUND ? (int)at : cv_grid_round(cell),
                .points = {cv_grid_number(s->arena, cv_grid_cell(s->arena, &grid->rows.items[i], (int)k)),
                           {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}},
                .line = grid->rows.items[i].line};
            if (row.round < 0 && !cv_find_round(cell, &row.round, &before, &after))
                continue;
            if (row.points.total != CV_ABSENT)
                *CV_PUSH(s->arena, &rows) = row;
        }
    }
    keep_board(s, &rows, sheet, -1);
    return rows.count > 0;
}

bool cv_script_table(cv_script *s, const cv_grid *grid, size_t sheet, int round)
{
    cv_board_rows board = {0};
    cv_tracker tracker = {0};
    if (cv_tracker_read(s->arena, grid, &tracker)) {
        for (size_t i = 0; i < tracker.count; i++)
            cv_script_track(s, &tracker.items[i], sheet, round);
        if (cv_tracker_has_more(s->arena, grid))
            cv_script_keep_table(s, grid, sheet, "has more columns than a tension has");
        return true;
    }
    bool columns = read_columns_of_participants(s, grid, sheet);
    if (!cv_board_read(s->arena, grid, &board))
        return columns;
    if (is_untouched(&board))
        cv_script_decide(s, sheet, grid->head.line,
                         "the board has nothing but zeros: it was not filled in and says nothing");
    else
        keep_board(s, &board, sheet, round);
    return true;
}

static bool states_something(const cv_script *s, const cv_grid_row *row)
{
    return row->count == 2 && stated_by(s->arena, cv_grid_cell(s->arena, row, 0)) >= 0;
}

/* Pairs of key and value are read line by line. */
static bool is_read_elsewhere(const cv_script *s, const cv_grid *grid)
{
    bool any = states_something(s, &grid->head);
    for (size_t i = 0; i < grid->rows.count; i++)
        any = any || states_something(s, &grid->rows.items[i]);
    return grid->head.count == 2 && any;
}

/* … and those whose key nobody knows state a number that is compared with nothing. */
static void tell_unknown_pair(cv_script *s, const cv_grid_row *row, size_t sheet)
{
    cv_str key = cv_grid_cell(s->arena, row, 0), value = cv_grid_cell(s->arena, row, 1);
    if (states_something(s, row) || !key.n || cv_grid_number(s->arena, value) == CV_ABSENT)
        return;
    cv_difference *d = cv_script_differ(s, sheet, row->line, key);
    d->says = value;
    d->derives = CV_STR("nothing");
    d->why = CV_STR("the record has no such number: the row is not read");
}

void cv_script_unread(cv_script *s, const cv_grid *grid, size_t sheet)
{
    if (is_read_elsewhere(s, grid)) {
        tell_unknown_pair(s, &grid->head, sheet);
        for (size_t i = 0; i < grid->rows.count; i++)
            tell_unknown_pair(s, &grid->rows.items[i], sheet);
    } else if (grid->rows.count > 0) {
        cv_script_misunderstand(
            s, sheet, grid->head.line, grid->head.raw,
            "this table is not read: its columns are neither those of a board, a tracker nor a panel");
    }
}

bool cv_script_tables(cv_script *s, cv_str text, size_t sheet, int round)
{
    cv_grids grids = cv_grids_find(s->arena, text, 1);
    bool any = false;
    cv_script_lines(s, text, sheet, 1, round);
    for (size_t i = 0; i < grids.count; i++) {
        bool read = cv_script_table(s, &grids.items[i], sheet, round);
        any |= read;
        if (!read)
            cv_script_unread(s, &grids.items[i], sheet);
    }
    return any;
}
