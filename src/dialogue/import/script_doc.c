/* script_doc.c - an assembled document becomes part of a script; see script.h.
 *
 *     # Title, **Key**: value     title, status, question, date; all of it is kept as background
 *     ## Expert Panel             participants
 *     ## Round 1: …               an agent's heading begins what the agent says; so does a bold name of the panel
 *                                 (**DS (Distributed Systems):** …), and so does a row of a table of experts
 *     ## Judge: Round 1 …         a note of the judge
 *     any table                   boards and trackers, wherever they are
 *     anything else               background, and the verdict if its heading says that it is one
 *
 * What was said is taken as it is written, from the line behind the heading to the next one.
 */
#include "dialogue/import/dates.h"
#include "dialogue/import/script.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_script *s;
    size_t sheet;
    cv_doc doc;
    const char **starts; /* of every line, and the end of the text */
    int last_round;
    bool has_panel;        /* or participants, or agents' headings */
    size_t named_speakers; /* names with roles in bold, in all rounds */
    cv_str title;          /* the heading of the section under way */
    cv_map strangers;      /* bold names that nobody has -> below whom they stand, plus one; SIZE_MAX: below several */
    cv_map speakers;       /* names in headings and in bold in the rounds, and of files: whom a panel may name */
} reading;

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void find_lines(reading *r)
{
    cv_str text = r->doc.text;
    r->starts = CV_NEW_ARRAY(r->s->arena, r->doc.lines + 2, const char *);
    size_t line = 1;
    r->starts[1] = text.p;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\n' && line < r->doc.lines)
            r->starts[++line] = text.p + i + 1;
    r->doc.lines = line;
}

/* The lines from `from` up to `to`, which is not one of them. */
static cv_str lines_between(const reading *r, size_t from, size_t to)
{
    const char *end = cv_str_end(r->doc.text);
    if (from > r->doc.lines || from >= to)
        return (cv_str){end, 0};
    return cv_str_range(r->starts[from], to <= r->doc.lines ? r->starts[to] : end);
}

static size_t section_end(const reading *r, size_t i)
{
    return i + 1 < r->doc.sections.count ? r->doc.sections.items[i + 1].line : r->doc.lines + 1;
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

/* "Alignment Dialogue: X" and "Dialogue 0012: X" are called X. */
static cv_str plain_title(cv_str title)
{
    static const cv_str first[] = {CV_STR_INIT("Alignment Dialogue"), CV_STR_INIT("Dialogue")};
    for (size_t i = 0; i < CV_COUNT(first); i++) {
        if (title.n <= first[i].n || !cv_str_starts_nocase(title, first[i]))
            continue;
        cv_str rest = cv_str_trim_left(cv_str_from(title, first[i].n));
        while (rest.n > 0 && cv_is_digit(rest.p[0]))
            rest = cv_str_from(rest, 1);
        rest = cv_str_trim_left(rest);
        if (rest.n > 1 && rest.p[0] == ':')
            return cv_str_trim(cv_str_from(rest, 1));
    }
    return title;
}

static cv_str first_meta(const reading *r, const char *const *keys)
{
    for (; *keys; keys++) {
        cv_str value = cv_doc_meta(&r->doc, cv_str_of(*keys));
        if (value.n)
            return value;
    }
    return CV_STR("");
}

/* The next of "🧁 Muffin (Platform Architect) | 🧁 Cupcake"; an empty name: it is something else. */
static bool next_participant(const reading *r, cv_str *list, cv_str *ret_name, cv_str *ret_role)
{
    char parting = cv_str_find_char(*list, '|') != SIZE_MAX ? '|' : ',';
    cv_str item;
    if (!cv_str_split(list, parting, &item))
        return false;
    size_t open = cv_str_find_char(item, '(');
    *ret_name = cv_plain_name(r->s->arena, cv_str_head(item, open));
    *ret_role = (cv_str){NULL, 0};
    if (open != SIZE_MAX) {
        *ret_role = cv_str_from(item, open + 1);
        *ret_role = cv_str_head(*ret_role, cv_str_find_char(*ret_role, ')'));
    }
    if (ret_name->n && !cv_is_alpha(ret_name->p[0]))
        ret_name->n = 0;
    return true;
}

static cv_str participants(const reading *r)
{
    static const char *const keys[] = {"Participants", "Agents", "Experts", NULL};
    return first_meta(r, keys);
}

/* For documents without a panel. */
static void read_participants(reading *r)
{
    cv_str list = participants(r), name, role;
    while (next_participant(r, &list, &name, &role))
        if (name.n)
            cv_script_participant(r->s, name, role, r->sheet, 1);
}

static size_t line_of_participants(const reading *r)
{
    cv_str list = participants(r);
    for (size_t i = 0; i < r->doc.metadata.count; i++)
        if (r->doc.metadata.items[i].value.p == list.p)
            return r->doc.metadata.items[i].line;
    return 1;
}

/* Where most of them are known, the others are compared with the record as well. */
static void state_participants(reading *r)
{
    size_t known = 0, all = 0;
    cv_str list = participants(r), name, role;
    while (next_participant(r, &list, &name, &role))
        if (name.n && !cv_script_is_judge(name)) {
            known += cv_script_known(r->s, name) != CV_NOBODY;
            all++;
        }
    for (list = participants(r); 2 * known > all && next_participant(r, &list, &name, &role);)
        if (name.n && !cv_script_is_judge(name))
            cv_script_state_text(r->s, CV_SAYS_EXPERT, (cv_str){NULL, 0}, name, r->sheet, line_of_participants(r));
}

static void read_head(reading *r)
{
    static const char *const dates[] = {"Date", "Started", "Created", NULL};
    static const char *const questions[] = {"Question", "Topic", "Goal", NULL};
    static const char *const states[] = {"Status", NULL};
    cv_script *s = r->s;
    cv_str status = first_meta(r, states);
    if (!s->title.n)
        s->title = cv_squeeze(s->arena, plain_title(r->doc.title));
    if (!s->question.n)
        s->question = first_meta(r, questions);
    if (status.n)
        s->status = status;
    if (s->date_ms == CV_ABSENT)
        s->date_ms = cv_date_find(s->arena, first_meta(r, dates));
    for (size_t i = 0; i < r->doc.metadata.count; i++)
        if (!cv_str_eq_nocase(r->doc.metadata.items[i].key,
                              CV_STR("Status"))) /* the record has its own, and it changes */
            *CV_PUSH(s->arena, &s->metadata) = (cv_fact){r->doc.metadata.items[i].key, r->doc.metadata.items[i].value};
    cv_buf intro = {0};
    cv_script_lines(s, lines_between(r, 1, r->doc.sections.count ? r->doc.sections.items[0].line : r->doc.lines + 1),
                    r->sheet, 1, -1);
    for (size_t i = 0; i < r->doc.intro.count; i++)
        if (r->doc.intro.items[i].kind == CV_BLOCK_TEXT)
            cv_buf_printf(&intro, "%s%.*s", intro.n ? "\n\n" : "", CV_FMT(r->doc.intro.items[i].text));
    cv_script_keep(s, CV_STR("Introduction"), cv_buf_take(&intro, s->arena));
}

/* ---- the panel --------------------------------------------------------------------------------------------------- */

/* `sure`: the section is about the panel; else only tables that look like one are read. */
static void read_panel(reading *r, cv_str text, size_t line, bool sure)
{
    cv_script *s = r->s;
    cv_grids grids = cv_grids_find(s->arena, text, line);
    for (size_t i = 0; i < grids.count; i++) {
        cv_panelists panel = {0};
        if (sure || cv_panel_fits(s->arena, &grids.items[i], &r->speakers))
            cv_panel_read(s->arena, &grids.items[i], &r->speakers, &panel);
        for (size_t k = 0; k < panel.count; k++) {
            const cv_panelist *p = &panel.items[k];
            size_t participant = cv_script_participant(s, p->name, CV_STR(""), r->sheet, p->line);
            if (participant >= s->participants.count)
                continue;
            cv_script_state_text(s, CV_SAYS_EXPERT, (cv_str){NULL, 0}, s->participants.items[participant].name,
                                 r->sheet, p->line);
            cv_script_role(s, participant, p->role, CV_ROLE_OF_PANEL, r->sheet, p->line);
            cv_participant *known = &s->participants.items[participant];
            known->on_panel = true;
            known->first = p->first >= r->s->base ? p->first - r->s->base : p->first;
            known->last = p->last >= r->s->base ? p->last - r->s->base : p->last;
            cv_script_tier(s, participant, p->tier, r->sheet, p->line);
            known->relevance = known->relevance.n ? known->relevance : p->relevance;
            known->focus =
                known->focus.n ? known->focus : cv_script_fit(s, r->sheet, p->line, "a focus", p->focus, CV_MAX_PHRASE);
        }
    }
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* Text that is going to somebody: piece by piece while its lines are walked. */
typedef struct {
    reading *r;
    cv_import_act *act;
    size_t who; /* a participant, or CV_THE_JUDGE */
    const char *from;
    size_t line;
} speaking;

static void end_speech(speaking *sp, const char *end)
{
    cv_str text = cv_str_range(sp->from, end);
    if (sp->who < sp->r->s->participants.count)
        cv_script_say(sp->r->s, sp->act, sp->who, sp->r->sheet, sp->line, text);
    else
        cv_script_note(sp->r->s, sp->act, text);
}

/* "**Ada (Systems):** We should.", "**Ada (Systems)** — We should.", "**Ada**": who begins to speak, and what is said
 * in this line. "**Ada** agrees." is a sentence. */
static bool read_speaker(const cv_line *line, cv_str *ret_key, cv_str *ret_said)
{
    static const cv_str signs[] = {CV_STR_INIT("—"), CV_STR_INIT("–"), CV_STR_INIT("-"), CV_STR_INIT(":"),
                                   CV_STR_INIT("→")};
    cv_str s = line->trimmed;
    *ret_key = line->name;
    *ret_said = line->value;
    if (line->fenced || line->level > 0 || line->kind == CV_LINE_METADATA)
        return !line->fenced && line->kind == CV_LINE_METADATA;
    size_t close = cv_str_starts(s, CV_STR("**")) ? cv_str_find(cv_str_from(s, 2), CV_STR("**")) : SIZE_MAX;
    if (close == SIZE_MAX || close == 0)
        return false;
    *ret_key = cv_str_head(cv_str_from(s, 2), close);
    *ret_said = cv_str_trim(cv_str_from(s, close + 4));
    bool parted = ret_said->n == 0;
    for (size_t i = 0; !parted && i < CV_COUNT(signs); i++)
        if ((parted = cv_str_starts(*ret_said, signs[i])))
            *ret_said = cv_str_trim_left(cv_str_from(*ret_said, signs[i].n));
    return parted;
}

/* What is said begins behind the speaker's name; the judge's keys are part of the text. */
static const char *speech_in(const reading *r, const cv_line *line, size_t who)
{
    cv_str key, said;
    if (who < r->s->participants.count && line->level > 0)
        return cv_str_end(line->text);
    bool speaks = who < r->s->participants.count && read_speaker(line, &key, &said) && said.n;
    return speaks ? said.p : line->text.p;
}

static void begin_speech(speaking *sp, size_t who, const char *end, const char *from, size_t line)
{
    end_speech(sp, end);
    sp->who = who;
    sp->from = from;
    sp->line = line;
}

/* A bold key that speaks for the whole panel, not for the one before. */
static bool is_common(cv_str key)
{
    static const cv_str keys[] = {CV_STR_INIT("alignment"), CV_STR_INIT("emerging consensus"), CV_STR_INIT("consensus"),
                                  CV_STR_INIT("convergence"), CV_STR_INIT("result")};
    for (size_t i = 0; i < CV_COUNT(keys); i++)
        if (cv_str_eq_nocase(key, keys[i]))
            return true;
    return false;
}

/* "Expert 3", "Agent 12" */
static bool is_numbered(cv_str name)
{
    static const cv_str words[] = {CV_STR_INIT("expert "), CV_STR_INIT("agent "),   CV_STR_INIT("panelist "),
                                   CV_STR_INIT("member "), CV_STR_INIT("speaker "), CV_STR_INIT("participant ")};
    int number;
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_starts_nocase(name, words[i]) && cv_str_to_int(cv_str_from(name, words[i].n), &number))
            return true;
    return false;
}

/* One to four words that begin with capitals. */
static bool is_full_name(cv_str name)
{
    size_t words = 0;
    for (cv_str word; cv_str_split(&name, ' ', &word); words++)
        if (word.n == 0 || !(cv_is_upper(word.p[0]) || (unsigned char)word.p[0] >= 0x80))
            return false;
    return words >= 1 && words <= 4;
}

/* The parts of "Ada Lovelace (Systems)". */
static cv_str split_speaker(const reading *r, cv_str key, cv_str *ret_role)
{
    size_t open = cv_str_find_char(key, '(');
    *ret_role = (cv_str){NULL, 0};
    if (open != SIZE_MAX) {
        *ret_role = cv_str_from(key, open + 1);
        *ret_role = cv_str_trim(cv_str_head(*ret_role, cv_str_find_char(*ret_role, ')')));
    }
    return cv_plain_name(r->s->arena, cv_str_trim(cv_str_head(key, open)));
}

/* "### Ada Lovelace (Systems)", "### @Ada — Systems" */
static cv_str name_of_heading(const reading *r, const cv_line *line, cv_str *ret_role)
{
    static const cv_str signs[] = {CV_STR_INIT(":"), CV_STR_INIT(" — "), CV_STR_INIT(" – "), CV_STR_INIT(" - ")};
    cv_str name = split_speaker(r, cv_str_trim(cv_str_from(line->trimmed, (size_t)line->level)), ret_role);
    for (size_t i = 0; i < CV_COUNT(signs); i++)
        name = cv_str_trim(cv_str_head(name, cv_str_find(name, signs[i])));
    return name.n > 1 && name.p[0] == '@' ? cv_str_from(name, 1) : name;
}

static bool is_guest(cv_str role)
{
    static const char *const words[] = {"guest", "visitor", "invited", "observer", "external"};
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_find_nocase(role, cv_str_of(words[i])) != SIZE_MAX)
            return true;
    return false;
}

/* Whose heading is it? A guest is an expert of its own. CV_NOBODY: it names nobody. */
static size_t who_is_headed(const reading *r, const cv_line *line, size_t at)
{
    cv_str role, name = name_of_heading(r, line, &role);
    size_t known = name.n ? cv_script_known(r->s, name) : CV_NOBODY;
    if (known != CV_NOBODY || !name.n || !is_guest(role) || !is_full_name(name))
        return known;
    cv_script_decide(r->s, r->sheet, at, "%.*s is not on the panel and speaks as a guest", CV_FMT(name));
    return cv_script_participant(r->s, name, role, r->sheet, at);
}

/* Somebody whom no panel names: numbered, or, where there is no panel at all, a name with a role behind it that is not
 * the only one of its kind. */
static bool is_new_speaker(const reading *r, cv_str name, cv_str role)
{
    return is_numbered(name) || (!r->has_panel && r->named_speakers > 1 && role.n > 0 && is_full_name(name));
}

/* Who begins to speak in this line? False: nobody new. */
static bool who_speaks(const reading *r, const cv_line *line, size_t at, size_t *ret_who)
{
    cv_script *s = r->s;
    if (line->level > 0) {
        size_t headed = who_is_headed(r, line, at);
        *ret_who = headed < s->participants.count ? headed : CV_THE_JUDGE;
        return true;
    }
    cv_str key, said, role;
    if (!read_speaker(line, &key, &said))
        return false;
    cv_str name = split_speaker(r, key, &role);
    size_t known = cv_script_known(s, name);
    if (known == CV_NOBODY && role.n)
        known = cv_script_known(s, role); /* **Expert 1 (Architect):**, and the panel has an Architect */
    bool judge =
        is_common(name) || cv_str_eq_nocase(name, CV_STR("judge")) || cv_str_eq_nocase(name, CV_STR("facilitator"));
    if (!judge && known == CV_NOBODY && is_new_speaker(r, name, role))
        known = cv_script_participant(s, name, role, r->sheet, at);
    *ret_who = judge ? CV_THE_JUDGE : known;
    return judge || known != CV_NOBODY;
}

/* Different names with roles in bold at the beginning of lines of rounds: **Ada Lovelace (Systems):** */
static size_t count_speakers(reading *r, cv_str text)
{
    cv_lines lines = {.text = text};
    cv_map names = {0};
    for (cv_line line; cv_lines_next(&lines, &line);) {
        cv_str key, said, role, name = {NULL, 0};
        if (read_speaker(&line, &key, &said))
            name = split_speaker(r, key, &role);
        if (name.n && role.n && is_full_name(name))
            cv_map_put(&names, r->s->arena, name, NULL);
    }
    return names.count;
}

/* "**Mallory (Guest):** …", "**Mallory:**": it looks like a speaker, and nobody knows the name. Empty: it does not. */
static cv_str stranger_in(const reading *r, const cv_line *line)
{
    cv_str key, said, role;
    if (line->fenced || line->level > 0 || !read_speaker(line, &key, &said))
        return CV_STR("");
    cv_str name = split_speaker(r, key, &role);
    bool colon = cv_str_ends(cv_str_trim(key), CV_STR(":")) || line->kind == CV_LINE_METADATA;
    bool known = cv_script_known(r->s, name) != CV_NOBODY || (role.n && cv_script_known(r->s, role) != CV_NOBODY);
    return !known && is_full_name(name) && (role.n || (colon && cv_str_find_char(name, ' ') == SIZE_MAX))
               ? cv_agent_key(r->s->arena, name)
               : CV_STR("");
}

/* What is in bold below two experts is a part of what each says ("**Position:**"), not a third one. */
static void find_strangers(reading *r, cv_str text)
{
    cv_lines lines = {.text = text};
    size_t who = CV_NOBODY;
    for (cv_line line; cv_lines_next(&lines, &line);) {
        cv_str key, said, role, name = stranger_in(r, &line);
        if (name.n) {
            uintptr_t *below = cv_map_put(&r->strangers, r->s->arena, name, NULL);
            *below = *below && *below != who + 1 ? SIZE_MAX : who + 1;
        } else if (!line.fenced && line.level == 0 && read_speaker(&line, &key, &said)) {
            size_t known = cv_script_known(r->s, split_speaker(r, key, &role));
            who = known == CV_NOBODY ? who : known;
        }
    }
}

/* The text of a stranger stays with the one who speaks; the report says so. */
static void tell_of_stranger(reading *r, const speaking *sp, const cv_line *line, size_t at)
{
    cv_str name = sp->who < r->s->participants.count ? stranger_in(r, line) : CV_STR("");
    const uintptr_t *below = name.n ? cv_map_get(&r->strangers, name) : NULL;
    if (!below || *below == SIZE_MAX)
        return;
    cv_str before = r->s->participants.items[sp->who].name;
    cv_script_misunderstand(r->s, r->sheet, at, line->trimmed,
                            "it looks like a speaker, but nobody of this name takes part: the text below is kept as "
                            "what %.*s says",
                            CV_FMT(before));
}

/* What is under no agent's heading: the judge's, or that of those whose names are there in bold. */
static void read_free_text(reading *r, cv_import_act *act, cv_str text, size_t first)
{
    speaking sp = {r, act, CV_THE_JUDGE, text.p, first};
    cv_lines lines = {.text = text};
    for (cv_line line; cv_lines_next(&lines, &line);) {
        size_t who;
        if (!line.fenced && who_speaks(r, &line, first + line.number - 1, &who))
            begin_speech(&sp, who, line.text.p, speech_in(r, &line, who), first + line.number - 1);
        else
            tell_of_stranger(r, &sp, &line, first + line.number - 1);
    }
    end_speech(&sp, cv_str_end(text));
}

/* A table of what each expert said, as some documents sum a round up. Each is given the head once: a table may have
 * more rows than experts, and a head as long as all of them. */
static bool read_speaking_table(reading *r, cv_import_act *act, const cv_grid *grid)
{
    bool any = false;
    static const char *const names[] = {"expert", "agent", "pastry", "member", "persona", "who", "panelist", NULL};
    cv_script *s = r->s;
    bool has_head[CV_MAX_EXPERTS] = {false};
    int name = cv_grid_column(s->arena, grid, names);
    for (size_t i = 0; name >= 0 && grid->head.count > 1 && i < grid->rows.count; i++) {
        const cv_grid_row *row = &grid->rows.items[i];
        cv_str who = cv_plain_name(s->arena, cv_grid_cell(s->arena, row, name));
        size_t participant =
            who.n && cv_is_alpha(who.p[0]) ? cv_script_participant(s, who, CV_STR(""), r->sheet, row->line) : CV_NOBODY;
        if (participant >= s->participants.count)
            continue;
        cv_script_say(s, act, participant, r->sheet, row->line,
                      has_head[participant]
                          ? row->raw
                          : cv_arena_printf(s->arena, "%.*s\n%.*s", CV_FMT(grid->head.raw), CV_FMT(row->raw)));
        has_head[participant] = any = true;
    }
    return any;
}

/* Boards, trackers and panels wherever they stand; in a round also what each expert said. */
static bool read_tables(reading *r, cv_import_act *act, cv_str text, size_t line, int round)
{
    cv_grids grids = cv_grids_find(r->s->arena, text, line);
    bool any = false;
    cv_script_lines(r->s, text, r->sheet, line, round);
    for (size_t i = 0; i < grids.count; i++) {
        cv_grid *grid = &grids.items[i];
        grid->title = grid->title.n ? grid->title : r->title;
        if (cv_script_table(r->s, grid, r->sheet, round))
            any = true;
        else if (!(act && read_speaking_table(r, act, grid)) && !cv_panel_fits(r->s->arena, grid, &r->speakers))
            cv_script_unread(r->s, grid, r->sheet);
    }
    return any;
}

/* The text without what agents say in it: their own tables are theirs. */
static void read_own_tables(reading *r, cv_import_act *act, const cv_section *section, size_t end)
{
    size_t own_end = section->agents.count ? section->agents.items[0].line : end;
    read_tables(r, section->agents.count ? NULL : act, lines_between(r, section->line + 1, own_end), section->line + 1,
                section->round);
}

/* What is below an agent's heading is that agent's, up to a heading as high that names another one. */
static void read_turns(reading *r, cv_import_act *act, size_t participant, cv_str text, size_t first)
{
    enum { AGENTS_LEVEL = 3 };
    speaking sp = {r, act, participant, text.p, first};
    cv_lines lines = {.text = text};
    for (cv_line line; cv_lines_next(&lines, &line);) {
        size_t at = first + line.number - 1;
        size_t who =
            !line.fenced && line.level > 0 && line.level <= AGENTS_LEVEL ? who_is_headed(r, &line, at) : CV_NOBODY;
        if (who < r->s->participants.count && who != sp.who)
            begin_speech(&sp, who, line.text.p, cv_str_end(line.text), at);
    }
    end_speech(&sp, cv_str_end(text));
}

static void read_agent(reading *r, cv_import_act *act, const cv_agent *agent, size_t end)
{
    cv_script *s = r->s;
    cv_str text = lines_between(r, agent->line + 1, end);
    size_t participant = cv_script_participant(s, agent->name, agent->role, r->sheet, agent->line);
    read_turns(r, act, participant, text, agent->line + 1);
    if (participant < s->participants.count)
        return;
    cv_script_endings(r->s, r->sheet, text, agent->line + 1);
    read_tables(r, NULL, text, agent->line + 1, r->last_round);
}

static void read_round(reading *r, const cv_section *section, size_t end)
{
    cv_import_act *act = cv_script_act(r->s, section->round, r->sheet, section->line);
    if (!act)
        return;
    r->last_round = section->round;
    if (!act->title.n)
        act->title = cv_script_fit(r->s, r->sheet, section->line, "the round's title", section->label, CV_MAX_TITLE);
    size_t own_end = section->agents.count ? section->agents.items[0].line : end;
    cv_str own = lines_between(r, section->line + 1, own_end);
    read_free_text(r, act, own, section->line + 1);
    read_own_tables(r, act, section, end);
    cv_script_endings(r->s, r->sheet, own, section->line + 1);
    for (size_t i = 0; i < section->agents.count; i++)
        read_agent(r, act, &section->agents.items[i],
                   i + 1 < section->agents.count ? section->agents.items[i + 1].line : end);
}

static void read_judge(reading *r, const cv_section *section, cv_str text)
{
    int round = section->round >= 0 ? section->round : r->last_round;
    cv_import_act *act = round >= 0 ? cv_script_act(r->s, round, r->sheet, section->line) : NULL;
    if (act)
        cv_script_note(r->s, act, text);
    else
        cv_script_keep(r->s, section->heading, text);
    read_tables(r, NULL, text, section->line + 1, round);
    cv_str heading = section->heading;
    while (heading.n && (heading.p[0] == '#' || cv_is_blank(heading.p[0])))
        heading = cv_str_from(heading, 1);
    if (cv_script_opinion_type(heading) == CV_VERDICT_INTERIM)
        cv_script_opinion(r->s, heading, text, r->sheet, section->line, round);
    cv_script_ending(r->s, heading, text, r->sheet, section->line, false);
    cv_script_endings(r->s, r->sheet, text, section->line + 1);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* An inventory of perspectives says how many there are. */
static bool read_inventory(reading *r, const cv_section *section, cv_str text)
{
    static const char *const ids[] = {"id", "#", NULL};
    cv_grids grids = cv_grids_find(r->s->arena, text, section->line + 1);
    int64_t count = 0;
    for (size_t i = 0; i < grids.count; i++) {
        int column = cv_grid_column(r->s->arena, &grids.items[i], ids);
        for (size_t k = 0; column >= 0 && k < grids.items[i].rows.count; k++) {
            cv_id id;
            count += cv_id_parse(cv_grid_cell(r->s->arena, &grids.items[i].rows.items[k], column), &id) &&
                     id.form != CV_ID_EXPERT && id.kind == CV_KIND_PERSPECTIVE;
        }
        if (column < 0)
            return false;
    }
    if (count > 0)
        cv_script_state(r->s, CV_SAYS_PERSPECTIVES, (cv_str){NULL, 0}, -1, count, r->sheet, section->line);
    return grids.count > 0;
}

/* Boards, trackers and verdicts have places of their own in the record; everything else is kept as background. */
static void read_other(reading *r, const cv_section *section, cv_str text)
{
    cv_str label = section->label.n ? section->label : cv_section_titles.items[section->kind];
    if (!r->s->question.n && (cv_str_eq_nocase(label, CV_STR("Question")) || cv_str_eq_nocase(label, CV_STR("Topic")) ||
                              cv_str_eq_nocase(label, CV_STR("Problem Statement"))))
        r->s->question = cv_text_tidy(r->s->arena, cv_str_trim(text));
    bool inventory = section->kind == CV_SECTION_PERSPECTIVES && read_inventory(r, section, text);
    if (inventory)
        cv_script_lines(r->s, text, r->sheet, section->line + 1, -1);
    bool understood =
        !inventory && read_tables(r, NULL, text, section->line + 1, -1) && section->kind != CV_SECTION_OTHER;
    if (!understood && section->kind == CV_SECTION_TENSIONS)
        understood = cv_script_list(r->s, text, r->sheet, section->line + 1, -1);
    bool closing = r->last_round >= 0 && cv_script_is_closing(label);
    bool opinion = !understood && cv_script_opinion(r->s, label, text, r->sheet, section->line, r->last_round);
    if (!understood && !opinion && !closing && !cv_script_is_ending(label))
        cv_script_keep(r->s, label, text);
    if (closing || cv_script_is_ending(label))
        cv_script_ending(r->s, label, text, r->sheet, section->line, true);
    cv_script_endings(r->s, r->sheet, text, section->line + 1);
}

/* "Expert Panel", "The Panel", "Participants": a section about who takes part. */
static bool is_panel(const cv_section *section)
{
    static const cv_str titles[] = {
        CV_STR_INIT("panel"),         CV_STR_INIT("the panel"),   CV_STR_INIT("participants"), CV_STR_INIT("experts"),
        CV_STR_INIT("panel members"), CV_STR_INIT("agents"),      CV_STR_INIT("members"),      CV_STR_INIT("roster"),
        CV_STR_INIT("panelists"),     CV_STR_INIT("the experts"), CV_STR_INIT("expert pool")};
    return section->kind == CV_SECTION_PANEL ||
           (section->kind == CV_SECTION_OTHER &&
            cv_words_find((cv_words){titles, CV_COUNT(titles)}, section->label) >= 0);
}

/* What a panel's section says besides: numbers, and tables that are not panels. */
static void read_panel_rest(reading *r, const cv_section *section, cv_str text)
{
    cv_grids grids = cv_grids_find(r->s->arena, text, section->line + 1);
    cv_script_lines(r->s, text, r->sheet, section->line + 1, -1);
    for (size_t i = 0; i < grids.count; i++) {
        cv_panelists panel = {0};
        if (!cv_panel_read(r->s->arena, &grids.items[i], &r->speakers, &panel) &&
            !cv_script_table(r->s, &grids.items[i], r->sheet, -1))
            cv_script_unread(r->s, &grids.items[i], r->sheet);
        else if (panel.count)
            cv_script_table(r->s, &grids.items[i], r->sheet, -1); /* it may have scores, too */
    }
}

/* "Interim Verdict (Round 0)" is about a round; "Round 2: Final Verdict" is one. */
static bool is_verdict_of_round(const cv_section *section)
{
    int round;
    cv_str before, after;
    return section->agents.count == 0 && cv_find_round(section->heading, &round, &before, &after) &&
           (cv_script_is_ending(before) || cv_script_opinion_type(before) == CV_VERDICT_INTERIM);
}

static void read_section(reading *r, size_t i)
{
    const cv_section *section = &r->doc.sections.items[i];
    size_t end = section_end(r, i);
    cv_str text = lines_between(r, section->line + 1, end);
    r->title = section->heading;
    if (section->kind == CV_SECTION_ROUND && !is_verdict_of_round(section))
        read_round(r, section, end);
    else if (section->kind == CV_SECTION_ROUND || section->kind == CV_SECTION_JUDGE)
        read_judge(r, section, text);
    else if (!is_panel(section))
        read_other(r, section, text);
    else
        read_panel_rest(r, section, text);
}

/* The names before what somebody says. */
static void find_speakers(reading *r)
{
    cv_arena *a = r->s->arena;
    for (size_t i = 0; i < r->s->participants.count; i++)
        cv_map_put(&r->speakers, a, cv_agent_key(a, r->s->participants.items[i].name), NULL);
    for (size_t i = 0; i < r->doc.sections.count; i++) {
        const cv_section *section = &r->doc.sections.items[i];
        cv_lines lines = {.text = lines_between(r, section->line + 1, section_end(r, i))};
        for (cv_line line; section->kind == CV_SECTION_ROUND && cv_lines_next(&lines, &line);) {
            cv_str key, said, role, name = {NULL, 0};
            if (!line.fenced && line.level > 0)
                name = name_of_heading(r, &line, &role);
            else if (read_speaker(&line, &key, &said))
                name = split_speaker(r, key, &role);
            if (name.n && is_full_name(name))
                cv_map_put(&r->speakers, a, cv_agent_key(a, name), NULL);
        }
    }
}

/* A panel whose people never speak while others do is not theirs. */
static void compare_panel(const reading *r)
{
    cv_script *s = r->s;
    cv_buf says = {0}, speak = {0};
    size_t line = 0;
    bool meet = false;
    for (size_t i = 0; i < s->participants.count; i++) {
        const cv_participant *p = &s->participants.items[i];
        bool speaks = false;
        for (size_t round = 0; round < s->act_count; round++)
            for (size_t k = 0; k < s->acts[round].parts.count; k++)
                speaks |= s->acts[round].parts.items[k].participant == i;
        meet |= speaks && p->on_panel;
        line = p->on_panel && !line ? p->line : line;
        if (p->on_panel || speaks)
            cv_buf_printf(p->on_panel ? &says : &speak, "%s%.*s", (p->on_panel ? &says : &speak)->n ? ", " : "",
                          CV_FMT(p->name));
    }
    cv_str on_panel = cv_buf_take(&says, s->arena), others = cv_buf_take(&speak, s->arena);
    if (meet || !on_panel.n || !others.n)
        return;
    cv_difference *d = cv_script_differ(s, r->sheet, line, CV_STR("people of the panel"));
    d->says = on_panel;
    d->derives = others;
    d->why = CV_STR("nobody of the panel speaks in a round, and others do");
}

/* What the document calls its first round. */
static int base_of(const cv_doc *doc)
{
    for (size_t i = 0; i < doc->sections.count; i++) {
        const cv_section *section = &doc->sections.items[i];
        int written;
        cv_str before, after;
        if (section->kind == CV_SECTION_ROUND && cv_find_round(section->heading, &written, &before, &after))
            return written - section->round;
    }
    return 0;
}

static size_t first_round(const reading *r)
{
    for (size_t i = 0; i < r->doc.sections.count; i++)
        if (r->doc.sections.items[i].kind == CV_SECTION_ROUND)
            return r->doc.sections.items[i].line;
    return r->doc.lines + 1;
}

void cv_script_read_doc(cv_script *s, size_t sheet, cv_str text)
{
    reading r = {.s = s, .sheet = sheet, .last_round = -1};
    cv_doc_parse(s->arena, text, &r.doc, NULL);
    find_lines(&r);
    s->base = base_of(&r.doc);
    if (s->base)
        cv_script_decide(s, sheet, 0, "its rounds are numbered from %d: round %d is recorded as round 0", s->base,
                         s->base);
    read_head(&r);
    find_speakers(&r);
    size_t before = s->participants.count;
    for (size_t i = 0; i < r.doc.sections.count; i++) {
        const cv_section *section = &r.doc.sections.items[i];
        if (is_panel(section))
            read_panel(&r, lines_between(&r, section->line + 1, section_end(&r, i)), section->line + 1, true);
    }
    if (s->participants.count == before) /* a table without a heading of its own */
        read_panel(&r, lines_between(&r, 1, first_round(&r)), 1, false);
    if (s->participants.count == 0)
        read_participants(&r);
    for (size_t i = 0; s->participants.count == 0 && i < r.doc.sections.count; i++)
        if (r.doc.sections.items[i].kind == CV_SECTION_SCOREBOARD)
            read_panel(&r, lines_between(&r, r.doc.sections.items[i].line + 1, section_end(&r, i)),
                       r.doc.sections.items[i].line + 1, true);
    r.has_panel = s->participants.count > 0;
    for (size_t i = 0; i < r.doc.sections.count; i++) {
        r.has_panel |= r.doc.sections.items[i].agents.count > 0;
        if (r.doc.sections.items[i].kind == CV_SECTION_ROUND)
            r.named_speakers +=
                count_speakers(&r, lines_between(&r, r.doc.sections.items[i].line + 1, section_end(&r, i)));
    }
    for (size_t i = 0; i < r.doc.sections.count; i++)
        if (r.doc.sections.items[i].kind == CV_SECTION_ROUND)
            find_strangers(&r, lines_between(&r, r.doc.sections.items[i].line + 1, section_end(&r, i)));
    for (size_t i = 0; i < r.doc.sections.count; i++)
        read_section(&r, i);
    state_participants(&r);
    compare_panel(&r);
}
