/* import_verdict.c - the verdicts of a script: found in what the judge wrote, settled, registered; see import_script.h.
 *
 *     [VERDICT:FINAL: …], [VERDICT: …]     the final one
 *     [VERDICT:INTERIM: …]                 with its round
 *     ## Final Ruling, ## Decision         the final one, if no mark says it
 *     ## Interim Verdict (Round 1)         with its round
 *     ## Minority View: Cupcake            cupcake's; so does ## Dissent. Whose it is must be said
 *     **Dissent (Cupcake):** …             the same in the final verdict's text
 *
 * What is not registered is kept as background, and named.
 */
#include "base/utf8.h"
#include "dialogue/import/importing.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/text/doc.h"

/* Ranks of an ending that is a mark of the judge; headings have lower ones. */
enum { OF_AN_UNTYPED_MARK = 5, OF_A_MARK = 6 };

/* ---- what a verdict says in one line ----------------------------------------------------------------------------- */

/* A line that says something: not a heading, a rule, a row of a table or a fence; without list marks and a bold label
 * ("**Recommendation**: Buy." says "Buy."). */
static cv_str sentence_in(cv_arena *a, const cv_line *line)
{
    cv_str s = line->trimmed;
    if (line->fenced || line->level > 0 || line->rule || line->kind == CV_LINE_TABLE_ROW)
        return (cv_str){NULL, 0};
    if (line->kind == CV_LINE_METADATA)
        s = line->value;
    else if (line->kind == CV_LINE_MARKER)
        s = line->mark.label;
    while (s.n > 1 && (s.p[0] == '-' || s.p[0] == '*' || s.p[0] == '>' || s.p[0] == '+') &&
           (cv_is_blank(s.p[1]) || s.p[0] == '>'))
        s = cv_str_trim_left(cv_str_from(s, 1));
    while (s.n > 4 && cv_str_starts(s, CV_STR("**")) && cv_str_ends(s, CV_STR("**")))
        s = (cv_str){s.p + 2, s.n - 4};
    return cv_squeeze(a, s);
}

/* Words that are about the verdict and do not say it. */
static bool is_about(cv_str key)
{
    static const cv_str keys[] = {
        CV_STR_INIT("date"),       CV_STR_INIT("status"), CV_STR_INIT("rounds"),   CV_STR_INIT("total alignment"),
        CV_STR_INIT("panel"),      CV_STR_INIT("judge"),  CV_STR_INIT("dialogue"), CV_STR_INIT("vote"),
        CV_STR_INIT("confidence"), CV_STR_INIT("round"),  CV_STR_INIT("question"), CV_STR_INIT("author"),
        CV_STR_INIT("authors"),    CV_STR_INIT("by"),     CV_STR_INIT("from"),     CV_STR_INIT("expert"),
        CV_STR_INIT("experts"),    CV_STR_INIT("agent"),  CV_STR_INIT("filed by")};
    return cv_words_find((cv_words){keys, CV_COUNT(keys)}, key) >= 0;
}

/* The decision in one line: what a mark says, which is nowhere else. Without a mark it is the beginning of what the
 * description has, too: of what "Recommendation" or "Decision" says, else of the first sentence, else of what the
 * heading has behind its colon. */
static cv_str short_form(cv_arena *a, const cv_ending *ending)
{
    cv_lines lines = {.text = ending->text};
    cv_str first = {NULL, 0}, said = {NULL, 0};
    bool below = false;
    if (ending->rank >= OF_AN_UNTYPED_MARK)
        return cv_squeeze(a, ending->heading);
    for (cv_line line; !said.n && cv_lines_next(&lines, &line);) {
        if (line.trimmed.n == 0)
            continue;
        cv_str title = cv_str_trim(cv_str_from(line.trimmed, (size_t)line.level)), text = sentence_in(a, &line);
        bool key = line.kind == CV_LINE_METADATA && cv_words_find(cv_script_decisions, line.name) >= 0;
        if ((below || key) && text.n)
            said = text;
        if (line.level > 0 || (key && !text.n))
            below = key || cv_words_find(cv_script_decisions, title) >= 0;
        if (!first.n && text.n && !(line.kind == CV_LINE_METADATA && is_about(line.name)))
            first = text;
    }
    size_t colon = cv_str_find_char(ending->heading, ':');
    cv_str tail = colon == SIZE_MAX ? CV_STR("") : cv_str_trim(cv_str_from(ending->heading, colon + 1));
    if (!said.n)
        said = first.n ? first : tail.n ? tail : cv_squeeze(a, ending->text);
    return cv_excerpt(a, said);
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

/* What is in a section of the judge and in its verdict is one. */
static void add_interim(cv_script *s, const cv_ending *found)
{
    for (size_t i = 0; i < s->interims.count; i++) {
        const cv_ending *known = &s->interims.items[i];
        if (known->rank == found->rank && cv_str_eq(known->heading, found->heading) &&
            cv_str_eq(known->text, found->text))
            return;
    }
    *CV_PUSH(s->arena, &s->interims) = *found;
}

/* The judge's marks in a text: interim verdicts, and the last final one, which is handed back. One without a type is
 * taken for a final one where no round follows and none is that says so. */
static void find_marks(cv_script *s, cv_str text, size_t sheet, int round, cv_ending *final)
{
    cv_doc doc;
    cv_doc_parse(s->arena, text, &doc, NULL);
    cv_marks marks = cv_doc_marks(s->arena, &doc);
    for (size_t i = 0; i < marks.count; i++) {
        cv_extracted_verdict v;
        if (!cv_extracted_verdict_read(s->arena, &marks.items[i], &v))
            continue;
        cv_ending found = {v.label, v.text, sheet, 0, round, false};
        int rank = !v.untyped ? OF_A_MARK : round + 1 == (int)s->act_count ? OF_AN_UNTYPED_MARK : -1;
        if (v.type == CV_VERDICT_INTERIM) {
            add_interim(s, &found);
        } else if (v.type == CV_VERDICT_FINAL && rank >= final->rank) {
            found.rank = rank;
            *final = found;
        } else {
            cv_script_misunderstand(s, sheet, 0, v.label,
                                    v.type == CV_VERDICT_FINAL
                                        ? "a verdict in the judge's words of round %d: it does not say its type, and "
                                          "rounds follow it or another final one is there"
                                        : "a verdict in the judge's words of round %d: it does not say whose it is",
                                    round);
        }
    }
}

/* In what is the verdict already, which keeps all of its text; and in what was noted about a round, which no heading
 * outdoes, unless the mark has no type. */
static void find_all_marks(cv_script *s)
{
    cv_ending final = {.rank = s->ending.rank};
    if (s->ending.text.n && s->act_count) {
        find_marks(s, s->ending.text, s->ending.sheet, (int)s->act_count - 1, &final);
        if (final.text.n) {
            s->ending.heading = final.heading;
            s->ending.rank = final.rank;
        }
    }
    final = (cv_ending){.rank = s->ending.text.n ? OF_A_MARK : 0};
    for (size_t round = 0; round < s->act_count; round++)
        for (size_t i = 0; i < s->acts[round].notes.count; i++)
            find_marks(s, s->acts[round].notes.items[i], s->acts[round].sheet, (int)round, &final);
    if (final.text.n)
        cv_script_end_with(s, &final);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* The experts whose names are in a text, in its order. */
static size_t find_named(const cv_script *s, cv_str text, size_t most, size_t *ret_participants)
{
    size_t count = 0;
    for (size_t at = 0; at < text.n && count < most; at++) {
        if (at > 0 && cv_is_alnum(text.p[at - 1]))
            continue;
        for (size_t i = 0; i < s->participants.count; i++) {
            cv_str name = s->participants.items[i].name, rest = cv_str_from(text, at);
            bool known = false;
            for (size_t k = 0; k < count; k++)
                known |= ret_participants[k] == i;
            if (!known && name.n && cv_str_starts_nocase(rest, name) &&
                (rest.n == name.n || !cv_is_alnum(rest.p[name.n]))) {
                ret_participants[count++] = i;
                break;
            }
        }
    }
    return count;
}

/* … or who are named by a part of their name, their role or their slug behind the colon or in parentheses. */
static size_t find_meant(const cv_script *s, cv_str heading, size_t *ret_participant)
{
    size_t at = 0;
    while (at < heading.n && !strchr(":(", heading.p[at]))
        at++;
    cv_str tail = cv_str_trim(cv_str_from(heading, at < heading.n ? at + 1 : at));
    tail = cv_str_trim(cv_str_head(tail, cv_str_find_char(tail, ')')));
    size_t participant = tail.n ? cv_script_known(s, tail) : CV_NOBODY;
    for (size_t i = 0; tail.n && participant == CV_NOBODY && i < s->participants.count; i++)
        if (cv_str_eq_nocase(s->participants.items[i].role, tail) ||
            cv_str_eq_nocase(s->participants.items[i].slug, tail))
            participant = i;
    *ret_participant = participant;
    return participant < s->participants.count;
}

/* "**Author**: Cupcake", "By Cupcake" in the first lines of a section. */
static cv_str author_line(cv_str text)
{
    static const cv_str keys[] = {CV_STR_INIT("author"), CV_STR_INIT("authors"), CV_STR_INIT("by"),
                                  CV_STR_INIT("from"),   CV_STR_INIT("expert"),  CV_STR_INIT("experts"),
                                  CV_STR_INIT("agent"),  CV_STR_INIT("filed by")};
    cv_lines lines = {.text = text};
    for (cv_line line; cv_lines_next(&lines, &line) && line.number < 6;) {
        if (line.kind == CV_LINE_METADATA && cv_words_find((cv_words){keys, CV_COUNT(keys)}, line.name) >= 0)
            return line.value;
        if (cv_str_starts_nocase(line.trimmed, CV_STR("by ")))
            return line.trimmed;
    }
    return (cv_str){NULL, 0};
}

static int round_of(const cv_script *s, const cv_opinion *o)
{
    int round;
    cv_str before, after;
    if (cv_find_round(o->heading, &round, &before, &after) && round >= s->base)
        round -= s->base;
    else
        round = o->round;
    return round < 0 ? 0 : round >= (int)s->act_count ? (int)s->act_count - 1 : round;
}

/* ---- verdicts inside the final one ------------------------------------------------------------------------------- */

/* Lines of the final verdict that are another one: below a heading of its own, up to the next one that is as high; or
 * a paragraph that begins with "**Dissent (Cupcake):**". */
typedef struct {
    cv_script *s;
    const cv_ending *whole;
    cv_buf rest; /* what stays the final verdict's */
    cv_str heading;
    const char *from, *said; /* where the other one begins with its heading, and where it says something; NULL: none */
    int level;               /* of its heading; 0: it is a paragraph */
    size_t line;
    bool any; /* a paragraph that has begun to say something */
} parting;

static void end_other(parting *p, const char *end)
{
    if (p->from && !cv_script_opinion(p->s, p->heading, cv_str_range(p->said, end), p->whole->sheet, p->line,
                                      (int)p->s->act_count - 1))
        cv_buf_add(&p->rest, cv_str_range(p->from, end));
    p->from = NULL;
}

static void begin_other(parting *p, const cv_line *line, cv_str heading, const char *said)
{
    end_other(p, line->text.p);
    p->heading = heading;
    p->from = line->text.p;
    p->said = said;
    p->level = line->level;
    p->line = p->whole->line + line->number - (p->whole->line == 1);
    p->any = line->level == 0 && line->value.n > 0;
}

static void part_line(parting *p, const cv_line *line, const char *next)
{
    cv_str title = cv_str_trim(cv_str_from(line->trimmed, (size_t)line->level));
    bool paragraph = p->from && p->level == 0, key = !line->fenced && line->kind == CV_LINE_METADATA;
    bool heads = !line->fenced && line->level > 0;
    if (p->from && (paragraph ? heads || key || (p->any && line->trimmed.n == 0) : heads && line->level <= p->level))
        end_other(p, line->text.p);
    p->any |= line->trimmed.n > 0;
    if (heads && cv_script_opinion_type(title) >= 0)
        begin_other(p, line, title, cv_str_end(line->text));
    else if (!p->from && key && cv_script_opinion_type(line->name) >= 0 && !is_about(line->name))
        begin_other(p, line, line->name, line->value.n ? line->value.p : cv_str_end(line->text));
    else if (!p->from)
        cv_buf_add(&p->rest, cv_str_range(line->text.p, next));
}

/* A file or a section with the final verdict may hold others: they are taken out of it. */
static void part_ending(cv_script *s)
{
    parting p = {.s = s, .whole = &s->ending};
    cv_lines lines = {.text = s->ending.text};
    if (!s->ending.text.n || !s->act_count)
        return;
    for (cv_line line; cv_lines_next(&lines, &line);)
        part_line(&p, &line, lines.text.p + (lines.at < lines.text.n ? lines.at : lines.text.n));
    end_other(&p, cv_str_end(s->ending.text));
    s->ending.text = cv_text_tidy(s->arena, cv_buf_take(&p.rest, s->arena));
}

/* Interim verdicts are registered with their rounds; whose the others are is looked up. What stays unknown is kept as
 * background. */
static void settle_opinions(cv_script *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->opinions.count; i++) {
        cv_opinion o = s->opinions.items[i];
        cv_ending as_ending = {o.heading, o.text, o.sheet, o.line, 0, false};
        o.author_count = find_named(s, o.heading, CV_COUNT(o.authors), o.authors);
        if (o.author_count == 0)
            o.author_count = find_named(s, author_line(o.text), CV_COUNT(o.authors), o.authors);
        if (o.author_count == 0)
            o.author_count = find_meant(s, o.heading, o.authors);
        if (s->act_count && o.type == CV_VERDICT_INTERIM) {
            add_interim(
                s, &(cv_ending){short_form(s->arena, &as_ending), o.text, o.sheet, o.line, round_of(s, &o), false});
        } else if (s->act_count && o.author_count) {
            o.round = round_of(s, &o);
            s->opinions.items[count++] = o;
        } else {
            cv_script_keep(s, o.heading, o.text);
            cv_script_misunderstand(s, o.sheet, o.line, o.heading,
                                    s->act_count ? "it does not say whose verdict it is: it is kept as background"
                                                 : "without a round there is no verdict: it is kept as background");
        }
    }
    s->opinions.count = count;
}

static bool has_rounds(const cv_script *s)
{
    for (size_t i = 0; i < s->act_count; i++)
        if (s->acts[i].parts.count || s->acts[i].notes.count || s->acts[i].said.line || s->acts[i].scores.count)
            return true;
    return false;
}

/* A verdict needs a round in which it was issued. */
static void settle_ending(cv_script *s)
{
    if (s->ending.text.n == 0 || has_rounds(s))
        return;
    cv_script_keep(s, s->ending.heading, s->ending.text);
    cv_script_decide(s, s->ending.sheet, s->ending.line,
                     "'%.*s' is kept as background: without a round there is no verdict",
                     CV_FMT(cv_excerpt(s->arena, s->ending.heading)));
    s->ending = (cv_ending){0};
}

void cv_script_find_verdicts(cv_script *s)
{
    find_all_marks(s);
    part_ending(s);
    settle_opinions(s);
    settle_ending(s);
}

/* ---- registering ------------------------------------------------------------------------------------------------- */

static void register_ending(cv_importing *p)
{
    cv_script *s = p->s;
    cv_buf text;
    if (s->ending.text.n == 0)
        return;
    cv_json_writer w = cv_importing_begin(p, &text, "final");
    cv_json_key_str(&w, "verdict_id", CV_STR("final"));
    cv_json_key_str(&w, "verdict_type", cv_verdict_words.items[CV_VERDICT_FINAL]);
    cv_json_key_str(&w, "recommendation", short_form(s->arena, &s->ending));
    cv_json_key_str(&w, "description", s->ending.text);
    cv_json_key_str_if(&w, "vote", cv_script_stated(s, CV_SAYS_VOTE));
    cv_json_key_str_if(&w, "confidence", cv_script_stated(s, CV_SAYS_CONFIDENCE));
    if (!cv_importing_send(p, &w, "final verdict", cv_dialogue_verdict_register, NULL))
        return;
    *cv_map_put(&s->verdict_at, s->arena, CV_STR("final"), NULL) = s->ending.sheet + 1;
    cv_script_decide(s, s->ending.sheet, s->ending.line,
                     s->ending.rank == OF_A_MARK ? "the final verdict is the judge's mark: '%.*s'"
                     : s->ending.rank == OF_AN_UNTYPED_MARK
                         ? "the final verdict is the judge's mark: '%.*s'; it does not say its type"
                         : "the final verdict is the text under '%.*s'",
                     CV_FMT(cv_excerpt(s->arena, s->ending.heading)));
}

/* The minority's and dissents in sections of their own. Who has said it in a response has said it. */
static void register_opinion(cv_importing *p, const cv_opinion *o)
{
    cv_script *s = p->s;
    cv_buf text;
    bool is_new;
    cv_str word = cv_verdict_words.items[o->type], author = s->participants.items[o->authors[0]].slug;
    cv_str id = cv_arena_printf(s->arena, "%.*s-%.*s", CV_FMT(word), CV_FMT(author));
    cv_map_put(&p->verdict_ids, s->arena, id, &is_new);
    if (!is_new) {
        cv_script_decide(s, o->sheet, o->line, "'%.*s' is not registered: %.*s has said it in a response",
                         CV_FMT(cv_excerpt(s->arena, o->heading)), CV_FMT(author));
        return;
    }
    const char *step = cv_arena_copy_z(s->arena, id);
    cv_ending as_ending = {o->heading, o->text, o->sheet, o->line, 0, false};
    cv_str *others = CV_NEW_ARRAY(s->arena, o->author_count, cv_str);
    for (size_t i = 1; i < o->author_count; i++)
        others[i - 1] = s->participants.items[o->authors[i]].slug;
    cv_json_writer w = cv_importing_begin(p, &text, step);
    cv_json_key_str(&w, "verdict_id", id);
    cv_json_key_str(&w, "verdict_type", word);
    cv_json_key_int(&w, "round", o->round);
    cv_json_key_str(&w, "author_expert", author);
    cv_json_key_str(&w, "recommendation", short_form(s->arena, &as_ending));
    cv_json_key_str(&w, "description", o->text);
    cv_json_key(&w, CV_STR("supporting_experts"));
    cv_json_raw(&w, cv_json_texts(s->arena, others, o->author_count - 1));
    if (!cv_importing_send(p, &w, step, cv_dialogue_verdict_register, NULL))
        return;
    *cv_map_put(&s->verdict_at, s->arena, id, NULL) = o->sheet + 1;
    cv_script_decide(s, o->sheet, o->line, "the text under '%.*s' is a verdict of %.*s",
                     CV_FMT(cv_excerpt(s->arena, o->heading)), CV_FMT(author));
}

void cv_importing_endings(cv_importing *p)
{
    for (size_t i = 0; i < p->s->opinions.count && !p->failed; i++)
        register_opinion(p, &p->s->opinions.items[i]);
    if (!p->failed)
        register_ending(p);
}
