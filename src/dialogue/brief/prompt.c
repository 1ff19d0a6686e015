/* prompt.c - a prompt: its head, the role, what is open, the instructions; see prompt.h. */
#include "dialogue/brief/prompt.h"

#include "dialogue/brief/story.h"
#include "dialogue/text/doc.h"
#include "dialogue/text/spec.h"
#include "kit/frame.h"

static const cv_map nobody = {0}; /* prompts have no panel section: agents are not told by name */

int64_t cv_prompt_tokens(size_t bytes)
{
    return (int64_t)((bytes + 3) / 4);
}

/* Is an expert new: does it get a brief? In the opening round everybody is, and nobody needs one but those who were
 * created for a reason. */
static bool is_fresh(const cv_prompt *p)
{
    return p->member->source == CV_SOURCE_CREATED || (p->member->source == CV_SOURCE_POOL && p->v->round > 0);
}

/* ---- quoting ----------------------------------------------------------------------------------------------------- */

void cv_prompt_text(cv_arena *a, cv_buf *out, cv_str text)
{
    text = cv_text_quote(a, cv_text_tidy(a, text));
    if (text.n)
        cv_text_print(out, text, CV_IN_BODY | CV_QUOTED, &nobody);
}

cv_str cv_prompt_line(cv_arena *a, cv_str text)
{
    return cv_line_quote(a, cv_squeeze(a, text));
}

static void quote(const cv_prompt *p, cv_str text)
{
    cv_prompt_text(p->v->a, p->out, text);
}

/* "income_mandate" -> "Income mandate". */
static cv_str spoken_key(cv_arena *a, cv_str key)
{
    char *text = cv_arena_copy_z(a, key);
    for (size_t i = 0; i < key.n; i++)
        text[i] = i == 0 ? cv_upper(text[0]) : text[i] == '_' ? ' ' : text[i];
    return (cv_str){text, key.n};
}

/* A value as it is in a cell or on a line. */
static void add_value(cv_arena *a, cv_buf *out, const cv_json *value)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    if (value->type == CV_JSON_STRING)
        cv_buf_add(&text, value->text);
    else
        cv_json_value(&w, value);
    cv_cell_print(out, cv_prompt_line(a, cv_buf_take(&text, a)));
}

void cv_prompt_table(cv_arena *a, cv_buf *out, const char *first, const char *second, bool spoken,
                     const cv_json *object)
{
    cv_buf_printf(out, "| %s | %s |\n|---|---|\n", first, second);
    for (uint32_t i = 0; i < object->count; i++) {
        cv_str key = object->members[i].key;
        cv_json name = {.type = CV_JSON_STRING, .text = spoken ? spoken_key(a, key) : key};
        cv_buf_add_z(out, "| ");
        add_value(a, out, &name);
        cv_buf_add_z(out, " | ");
        add_value(a, out, &object->members[i].value);
        cv_buf_add_z(out, " |\n");
    }
}

static void line(const cv_prompt *p, cv_str text)
{
    cv_buf_add(p->out, cv_prompt_line(p->v->a, text));
}

/* The judge's own words: as they are, with their last fence closed. */
static void own_words(const cv_prompt *p, cv_str text)
{
    cv_buf_add(p->out, cv_fence_closed(p->v->a, cv_text_tidy(p->v->a, text)));
    cv_buf_add_char(p->out, '\n');
}

static void rule(const cv_prompt *p)
{
    cv_buf_add_z(p->out, "\n---\n\n");
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void write_head(const cv_prompt *p)
{
    const cv_view *v = p->v;
    cv_str question = cv_text_tidy(v->a, v->s.dialogue.question);
    cv_buf_add_z(p->out, "# Dialogue: ");
    line(p, v->s.dialogue.title);
    cv_buf_add_z(p->out, "\n");
    if (cv_str_find_char(question, '\n') != SIZE_MAX) {
        cv_buf_add_z(p->out, "**Question:**\n\n");
        cv_text_print(p->out, cv_text_quote(v->a, question), CV_IN_BODY | CV_QUOTED | CV_IN_INTRO, &nobody);
        cv_buf_add_char(p->out, '\n');
    } else if (question.n) {
        cv_buf_add_z(p->out, "**Question:** ");
        line(p, question);
        cv_buf_add_char(p->out, '\n');
    }
    cv_buf_printf(p->out, "**Round:** %lld of ? | **Status:** %.*s | **Total ALIGNMENT:** %lld\n", (long long)v->round,
                  CV_FMT(v->status), (long long)v->total);
    rule(p);
}

/* The members that the specification names have their own form; others follow as they are called. */
static void write_situation(const cv_prompt *p, const cv_json *situation)
{
    cv_buf_add_z(p->out, "**Current situation:**\n");
    if (situation->type == CV_JSON_STRING)
        quote(p, situation->text);
    for (uint32_t i = 0; situation->type == CV_JSON_ARRAY && i < situation->count; i++) {
        cv_buf_add_z(p->out, "- ");
        add_value(p->v->a, p->out, &situation->items[i]);
        cv_buf_add_char(p->out, '\n');
    }
    cv_buf_add_char(p->out, '\n');
}

static void write_other(const cv_prompt *p, const cv_json_member *member)
{
    cv_buf_add_z(p->out, "**");
    line(p, spoken_key(p->v->a, member->key));
    cv_buf_add_z(p->out, ":**\n");
    if (member->value.type == CV_JSON_STRING) {
        quote(p, member->value.text);
    } else {
        add_value(p->v->a, p->out, &member->value);
        cv_buf_add_char(p->out, '\n');
    }
    cv_buf_add_char(p->out, '\n');
}

void cv_prompt_background(const cv_prompt *p, const char *heading)
{
    static const cv_str known[] = {CV_STR_INIT("subject"), CV_STR_INIT("description"), CV_STR_INIT("constraints"),
                                   CV_STR_INIT("situation")};
    cv_json all = {.type = CV_JSON_NULL};
    cv_err ignored = {.arena = p->v->a};
    cv_str background = p->v->s.dialogue.background;
    if (background.n && !cv_json_parse(p->v->a, background, &all, &ignored))
        all.type = CV_JSON_NULL;
    cv_str subject = cv_prompt_line(p->v->a, cv_json_get_text(&all, "subject"));
    const cv_json *constraints = cv_json_get(&all, CV_STR("constraints")),
                  *now = cv_json_get(&all, CV_STR("situation"));
    cv_buf_printf(p->out, "%s\n\n", heading);
    if (all.type != CV_JSON_OBJECT || all.count == 0)
        cv_buf_add_z(p->out, "None was given.\n\n");
    if (subject.n) {
        cv_str description = cv_prompt_line(p->v->a, cv_json_get_text(&all, "description"));
        cv_buf_printf(p->out, "**%.*s**%s", CV_FMT(subject), description.n ? " — " : "");
        cv_buf_add(p->out, description);
        cv_buf_add_z(p->out, "\n\n");
    }
    if (constraints && constraints->type == CV_JSON_OBJECT && constraints->count) {
        cv_prompt_table(p->v->a, p->out, "Constraint", "Requirement", true, constraints);
        cv_buf_add_char(p->out, '\n');
    }
    if (now)
        write_situation(p, now);
    for (uint32_t i = 0; all.type == CV_JSON_OBJECT && i < all.count; i++) {
        bool told = cv_words_find((cv_words){known, CV_COUNT(known)}, all.members[i].key) >= 0;
        bool odd = told && constraints == &all.members[i].value && constraints->type != CV_JSON_OBJECT;
        bool lone = !subject.n && cv_str_eq(all.members[i].key, CV_STR("description"));
        if (!told || odd || lone)
            write_other(p, &all.members[i]);
    }
}

/* What binds the experts: the text that was made for prompts, or the rules themselves. */
static void write_calibration(const cv_prompt *p)
{
    const cv_rec_dialogue *row = &p->v->s.dialogue;
    cv_json all;
    cv_err ignored = {.arena = p->v->a};
    if (row->calibrated != 1 || row->calibration.n == 0 || !cv_json_parse(p->v->a, row->calibration, &all, &ignored))
        return;
    cv_str injection = cv_json_get_text(&all, "prompt_injection");
    const cv_json *rules = cv_json_get(&all, CV_STR("rules"));
    if (injection.n) {
        own_words(p, injection);
        rule(p);
        return;
    }
    cv_buf_add_z(p->out, "## Calibration: ");
    line(p, cv_json_get_text(&all, "domain"));
    cv_buf_add_z(p->out, "\n\n");
    for (uint32_t i = 0; rules && i < rules->count; i++) {
        cv_buf_add_z(p->out, "- ");
        add_value(p->v->a, p->out, &rules->items[i]);
        cv_buf_add_char(p->out, '\n');
    }
    rule(p);
}

/* ---- the role ---------------------------------------------------------------------------------------------------- */

static void write_task(const cv_prompt *p)
{
    cv_buf_add_z(p->out, "\n### Your Task This Round\n\n");
    if (p->words.round_context.n) {
        own_words(p, p->words.round_context);
    } else {
        cv_buf_add(p->out, p->context);
        cv_buf_add_z(p->out, p->context.n ? "\n\n" : "");
        cv_buf_add(p->out, is_fresh(p) ? CV_STR("You are new to this dialogue: your mandate is in the "
                                                "Context Brief below.")
                                       : cv_story_task(p->v, p->member));
        cv_buf_add_char(p->out, '\n');
    }
    if (p->words.mandate.n && !is_fresh(p)) {
        cv_buf_add_z(p->out, "\n### Your Mandate\n\n");
        own_words(p, p->words.mandate);
    }
}

static void write_role(const cv_prompt *p)
{
    const cv_view_member *m = p->member;
    cv_buf_printf(p->out, "## Your Role\n\n**%.*s** %.*s | ", CV_FMT(m->name), CV_FMT(cv_expert_emoji));
    line(p, m->expert->role);
    cv_buf_printf(p->out, " | %.*s\n", CV_FMT(m->expert->tier));
    if (m->focus.n) {
        cv_buf_add_z(p->out, "Focus: ");
        line(p, m->focus);
        cv_buf_add_char(p->out, '\n');
    }
    cv_buf_printf(p->out, "Your score: %lld | Source: %.*s\n", (long long)m->score,
                  CV_FMT(cv_source_words.items[m->source]));
    if (m->expert->description.n) {
        cv_buf_add_char(p->out, '\n');
        quote(p, m->expert->description);
    }
    write_task(p);
    rule(p);
}

static void write_brief(const cv_prompt *p)
{
    if (p->words.brief.n) {
        if (!cv_str_starts(cv_str_trim_left(p->words.brief), CV_STR("## ")))
            cv_buf_printf(p->out, "## Context Brief (You are joining in Round %lld)\n\n", (long long)p->v->round);
        own_words(p, p->words.brief);
    } else if (is_fresh(p)) {
        cv_prompt_brief(p);
    } else {
        return;
    }
    rule(p);
}

/* ---- what is open, how to answer --------------------------------------------------------------------------------- */

static void write_active(const cv_prompt *p)
{
    const cv_view *v = p->v;
    cv_buf_add_z(p->out, "## Active Tensions\n\n");
    if (v->open_tensions == 0)
        cv_buf_add_z(p->out, "None: every tension so far is resolved or accepted.\n");
    else
        cv_buf_add_z(p->out, "| ID | Description | Origin | Status | Your Involvement |\n"
                             "|----|-------------|--------|--------|------------------|\n");
    for (uint32_t i = 0; i < v->items.count; i++) {
        const cv_view_item *item = &v->items.items[i];
        if (item->kind != CV_KIND_TENSION || !cv_view_is_open(item))
            continue;
        cv_buf_printf(p->out, "| %.*s | ", CV_FMT(item->id));
        cv_cell_print(p->out, cv_prompt_line(v->a, item->row->label));
        cv_buf_add_z(p->out, " | ");
        cv_story_names(v, item->by, (cv_str){NULL, 0}, p->out);
        cv_buf_printf(p->out, " | %.*s | ", CV_FMT(item->status));
        cv_buf_add(p->out, cv_story_involvement(v, i, p->member->slug));
        cv_buf_add_z(p->out, " |\n");
    }
    rule(p);
}

/* MUFFIN-P0101: the first local id of a kind in the round. */
static void local_id(const cv_prompt *p, cv_kind kind)
{
    cv_id id = {.form = CV_ID_LOCAL, .kind = kind, .round = (int)p->v->round, .number = 1, .expert = p->member->slug};
    cv_buf_printf(p->out, "`%.*s`", CV_FMT(cv_id_print(p->v->a, &id)));
}

static void print_words(cv_buf *out, cv_words words)
{
    for (size_t i = 0; i < words.count; i++) {
        cv_buf_add_char(out, ' ');
        for (size_t k = 0; k < words.items[i].n; k++)
            cv_buf_add_char(out, cv_upper(words.items[i].p[k]));
    }
}

static void write_short_spec(const cv_prompt *p)
{
    cv_id id = {.form = CV_ID_LOCAL, .round = (int)p->v->round, .number = 1, .expert = p->member->slug};
    cv_buf_add_z(p->out, "An item is a line of its own, with its text below:\n\n");
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        id.kind = (cv_kind)kind;
        cv_buf_printf(p->out, "- `[%.*s: label]` %.*s\n", CV_FMT(cv_id_print(p->v->a, &id)),
                      CV_FMT(cv_kinds[kind].word));
    }
    cv_buf_add_z(p->out, "\nBelow an item, what it does to others: `[RE:SUPPORT P0001]`, with one of");
    print_words(p->out, cv_ref_words);
    cv_buf_add_z(p->out, ". What you do as a whole: `[MOVE:CHALLENGE P0001]`, `[MOVE:CONVERGE]`, with one of");
    print_words(p->out, cv_move_words);
    cv_buf_add_z(p->out, ".\n\n");
}

static void write_markers(const cv_prompt *p)
{
    cv_buf_add_z(p->out, "Structure your response using the markers from your skill (P, R, T, E, C for perspectives, "
                         "recommendations, tensions, evidence, claims; plus cross-references and moves). Use your "
                         "expert slug in local IDs: ");
    local_id(p, CV_KIND_PERSPECTIVE);
    cv_buf_add_z(p->out, ", ");
    local_id(p, CV_KIND_RECOMMENDATION);
    cv_buf_add_z(p->out, ", ");
    local_id(p, CV_KIND_TENSION);
    cv_buf_add_z(p->out, ", etc. Refer to what others said by its global ID. `conclave spec` prints the markers; as a "
                         "resource they are conclave://spec.\n\n");
    if (p->spec == CV_SPEC_SHORT)
        write_short_spec(p);
    if (p->spec == CV_SPEC_FULL) {
        cv_spec_print_marks(p->out);
        cv_buf_add_char(p->out, '\n');
    }
}

/* How the expert sends a response, with content or without. */
static cv_str hand_in(const cv_prompt *p, bool content)
{
    const cv_view *v = p->v;
    const cv_argument arguments[] = {
        {"round", cv_arena_printf(v->a, "%lld", (long long)v->round), CV_ARGUMENT_JSON},
        {"expert", p->member->slug, CV_ARGUMENT_TEXT},
        {content ? "content" : "no_contribution", content ? CV_STR("@FILE") : CV_STR("true"), CV_ARGUMENT_COMMAND},
        {content ? "content" : "no_contribution", content ? CV_STR("\"…\"") : CV_STR("true"), CV_ARGUMENT_TOOL},
    };
    return cv_name_call(v->name, v->a, CV_STR("dialogue respond"), v->s.id, arguments, CV_COUNT(arguments));
}

/* Agents may have files, tools, both or neither; or somebody takes what they answer. */
static void write_way_back(const cv_prompt *p)
{
    if (p->answer_only) {
        cv_buf_add_z(p->out,
                     "Your answer is your response, word for word: answer with the response and nothing else. Write no "
                     "files and call no commands to send it.\n\n"
                     "If you have nothing to add, answer `NO CONTRIBUTION` and nothing else.\n");
        return;
    }
    cv_str respond = hand_in(p, true), nothing = hand_in(p, false);
    if (p->response_path)
        cv_buf_printf(p->out, "Write your response to `%s`, or send", p->response_path);
    else
        cv_buf_add_z(p->out, "Send");
    cv_buf_printf(p->out, " it with `%.*s`. If you can do neither, answer with the response alone.\n\n",
                  CV_FMT(respond));
    cv_buf_printf(p->out, "If you have nothing to add, say so: `%.*s`.\n", CV_FMT(nothing));
}

static void write_instructions(const cv_prompt *p)
{
    const cv_view_member *m = p->member;
    cv_str role = cv_prompt_line(p->v->a, m->expert->role);
    bool vowel = role.n && strchr("AEIO", cv_upper(role.p[0]));
    long long round = (long long)p->v->round;
    cv_buf_printf(p->out, "## Instructions\n\nYou are %.*s %.*s, a%s ", CV_FMT(m->name), CV_FMT(cv_expert_emoji),
                  vowel ? "n" : "");
    cv_buf_add(p->out, role);
    cv_buf_printf(p->out,
                  " participating in round %lld of this ALIGNMENT dialogue.\n\n"
                  "Your contribution is scored on PRECISION, not volume. One sharp insight beats ten paragraphs.\n\n",
                  round);
    write_markers(p);
    if (round > 0)
        cv_buf_printf(p->out, "Focus on: What has changed since round %lld? Which tensions can you help resolve?\n\n",
                      round - 1);
    else
        cv_buf_add_z(p->out, "Focus on: What is your answer to the question? Which tensions do you see?\n\n");
    write_way_back(p);
}

void cv_prompt_write(cv_prompt *p)
{
    cv_prompt_find_left(p);
    write_head(p);
    if (p->words.brief.n || !is_fresh(p)) {
        cv_prompt_background(p, "## Background");
        cv_buf_add_z(p->out, "---\n\n");
    }
    write_calibration(p);
    write_role(p);
    if (p->v->round > 0) {
        cv_buf_add_z(p->out, cv_frame_rule);
        rule(p);
    }
    write_brief(p);
    if (p->v->round > 0) {
        size_t frame = cv_frame_begin(p->out);
        cv_buf_add_char(p->out, '\n');
        cv_prompt_rounds(p);
        write_active(p);
        cv_frame_end(p->out, frame);
        cv_buf_add_char(p->out, '\n');
    }
    write_instructions(p);
}

/* ---- a budget of tokens ------------------------------------------------------------------------------------------ */

/* The cut after so many steps; `old` rounds can be shortened. */
static cv_prompt_cut cut_after(int64_t steps, int64_t old)
{
    int64_t taken[3];
    for (int i = 0; i < 3; i++) {
        taken[i] = steps < old ? steps : old;
        steps -= taken[i];
    }
    return (cv_prompt_cut){taken[0], taken[1], taken[2]};
}

static int64_t write_cut(cv_prompt *p, int64_t steps, int64_t old)
{
    p->cut = cut_after(steps, old);
    cv_buf_clear(p->out);
    cv_prompt_write(p);
    return cv_prompt_tokens(p->out->n);
}

bool cv_budget_fit(cv_prompt *p, int64_t *ret_least)
{
    int64_t old = p->v->rounds.count > 1 ? (int64_t)p->v->rounds.count - 1 : 0;
    int64_t too_few = 0, enough = 3 * old, tried = 0;
    *ret_least = write_cut(p, 0, old);
    if (p->token_budget == 0 || *ret_least <= p->token_budget)
        return true;
    *ret_least = write_cut(p, tried = enough, old);
    if (*ret_least > p->token_budget)
        return false;
    while (enough - too_few > 1) {
        tried = (too_few + enough) / 2;
        if (write_cut(p, tried, old) <= p->token_budget)
            enough = tried;
        else
            too_few = tried;
    }
    if (tried != enough)
        write_cut(p, enough, old);
    return true;
}
