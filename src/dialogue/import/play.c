/* play.c - a script becomes part of the record; see play.h. */
#include "dialogue/import/play.h"

#include "base/utf8.h"
#include "dialogue/import/dates.h"
#include "dialogue/import/playing.h"
#include "dialogue/operations.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"
#include "record/hash.h"

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static cv_str op_id(const cv_playing *p, const char *step)
{
    return cv_arena_printf(p->s->arena, "import-%.*s-%s", 24, p->identity.p, step);
}

static void keep_failure(cv_playing *p, const char *step, const cv_reply *reply)
{
    for (size_t i = 0; i < reply->errs.count; i++) {
        const cv_err *err = &reply->errs.items[i];
        bool conflict = err->code == CV_ERR_OP_CONFLICT || err->code == CV_ERR_ROUND_REGISTERED ||
                        err->code == CV_ERR_VERDICT_EXISTS || err->code == CV_ERR_DIALOGUE_CLOSED ||
                        err->code == CV_ERR_PANEL_EXISTS;
        cv_str why =
            err->code == CV_ERR_OP_CONFLICT ? CV_STR("was imported before with other content") : cv_err_text(err);
        *CV_PUSH(p->s->arena, conflict ? &p->played->conflicts : &p->played->failures) =
            (cv_remark){CV_NO_SHEET, 0, cv_str_of(step), cv_arena_copy(p->s->arena, why)};
        p->failed |= !conflict;
    }
}

cv_json_writer cv_playing_begin_bare(cv_playing *p, cv_buf *text, const char *step)
{
    *text = (cv_buf){0};
    cv_json_writer w = {.out = text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "op_id", op_id(p, step));
    return w;
}

cv_json_writer cv_playing_begin(cv_playing *p, cv_buf *text, const char *step)
{
    cv_json_writer w = cv_playing_begin_bare(p, text, step);
    if (p->played->dialogue_id.n)
        cv_json_key_str(&w, "dialogue_id", p->played->dialogue_id);
    return w;
}

bool cv_playing_send(cv_playing *p, cv_json_writer *w, const char *step, cv_handler run, cv_reply *ret_reply)
{
    cv_reply ignored;
    ret_reply = ret_reply ? ret_reply : &ignored;
    cv_json_end_object(w);
    cv_invoke_handler(p->call, p->s->arena, p->record, p->s->date_ms, run, cv_buf_take(w->out, p->s->arena), ret_reply);
    if (!ret_reply->done) {
        keep_failure(p, step, ret_reply);
        return false;
    }
    p->played->rev = cv_json_get_int(&ret_reply->json, "rev", 0);
    if (cv_json_get_true(&ret_reply->json, "replayed"))
        p->played->replayed++;
    else
        p->played->written++;
    return true;
}

/* ---- create ------------------------------------------------------------------------------------------------------ */

/* "jira-cloud-integration" is called "Jira cloud integration". */
static cv_str title_of_key(cv_arena *a, cv_str key)
{
    char *title = cv_arena_copy_z(a, cv_str_from(key, cv_date_prefix(key)));
    for (char *c = title; *c; c++)
        *c = *c == '-' || *c == '_' ? ' ' : *c;
    title[0] = cv_upper(title[0]);
    return cv_squeeze(a, cv_str_of(title));
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

static void settle_head(cv_playing *p)
{
    cv_script *s = p->s;
    if (!s->title.n)
        s->title = title_of_key(s->arena, s->key);
    if (!s->title.n)
        s->title = CV_STR("Imported dialogue");
    s->title = cv_script_fit(s, CV_NO_SHEET, 0, "its title", s->title, CV_MAX_TITLE);
    if (cv_utf8_count(s->question) > CV_MAX_PROSE) {
        cv_script_keep(s, CV_STR("Question"), s->question);
        s->question = CV_STR("");
    }
    if (s->date_ms == CV_ABSENT)
        cv_script_decide(s, CV_NO_SHEET, 0, "no date is given: it bears the time of this import");
    cv_playing_identify(p);
}

void cv_playing_identify(cv_playing *p)
{
    cv_arena *a = p->s->arena;
    cv_str slug = cv_slug_of_title(a, p->s->title);
    p->identity = cv_hash_text(a, cv_arena_printf(a, "%.*s\n%.*s", CV_FMT(p->s->key), CV_FMT(slug)));
}

void cv_playing_pool(const cv_script *s, cv_json_writer *w)
{
    if (s->pool.count == 0)
        return;
    cv_json_key(w, CV_STR("expert_pool"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "domain", s->domain.n ? s->domain : s->title);
    cv_json_key(w, CV_STR("experts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->pool.count; i++) {
        const cv_member *m = &s->pool.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "role", m->role);
        cv_json_key_str(w, "tier", m->tier);
        cv_json_key(w, CV_STR("relevance"));
        cv_json_raw(w, m->relevance);
        if (m->focus.n)
            cv_json_key_str(w, "focus", m->focus);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    cv_json_end_object(w);
    cv_json_key_int(w, "panel_size", 0);
}

static void write_facts(cv_json_writer *w, const char *key, const char *name, const char *value, const cv_fact *facts,
                        size_t count)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        cv_json_begin_object(w);
        cv_json_key_str(w, name, facts[i].key);
        cv_json_key_str(w, value, facts[i].value);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

/* What has no other place in the record. */
static void write_background(cv_script *s, cv_json_writer *w)
{
    cv_buf text = {0};
    cv_json_writer inner = {.out = &text};
    cv_json_begin_object(&inner);
    cv_json_key_str(&inner, "imported_from", s->key);
    write_facts(&inner, "metadata", "key", "value", s->metadata.items, s->metadata.count);
    write_facts(&inner, "sections", "heading", "text", s->background.items, s->background.count);
    cv_json_end_object(&inner);
    cv_str whole = cv_buf_take(&text, s->arena);
    if (whole.n > CV_MAX_BACKGROUND) {
        cv_script_misunderstand(s, CV_NO_SHEET, 0, CV_STR("background"),
                                "sections without a place of their own have %zu bytes, at most %d are kept", whole.n,
                                CV_MAX_BACKGROUND);
        return;
    }
    cv_json_key(w, CV_STR("background"));
    cv_json_raw(w, whole);
}

/* The dialogue that an earlier import made of these files. */
static bool find_earlier(cv_playing *p)
{
    cv_arena *a = p->s->arena;
    cv_str slug = cv_slug_of_title(a, p->s->title);
    cv_commit_row made;
    cv_err err = {.arena = a};
    for (int n = 1; n <= CV_MAX_SAME_TITLE; n++) {
        cv_str id = cv_dialogue_nth_id(a, slug, n);
        bool found = false;
        if (!cv_record_op(p->record, a, cv_dialogue_scope(id), op_id(p, "create"), &made, &found, &err))
            return false;
        if (found) {
            p->played->dialogue_id = id;
            return true;
        }
    }
    return false;
}

bool cv_playing_create(cv_playing *p, cv_json_writer *w)
{
    cv_reply reply;
    if (cv_playing_send(p, w, "create", cv_dialogue_create, &reply)) {
        p->played->dialogue_id = cv_json_get_text(&reply.json, "dialogue_id");
        return true;
    }
    return p->played->conflicts.count > 0 && find_earlier(p);
}

static bool create(cv_playing *p)
{
    cv_buf text;
    cv_json_writer w = cv_playing_begin(p, &text, "create");
    cv_json_key_str(&w, "title", p->s->title);
    if (p->s->question.n)
        cv_json_key_str(&w, "question", p->s->question);
    cv_playing_pool(p->s, &w);
    write_background(p->s, &w);
    return cv_playing_create(p, &w);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

enum { OF_A_MARK = 5 }; /* the rank of an ending that is [VERDICT:FINAL: …] */

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
        CV_STR_INIT("confidence"), CV_STR_INIT("round"),  CV_STR_INIT("question")};
    return cv_words_find((cv_words){keys, CV_COUNT(keys)}, key) >= 0;
}

/* The decision in one line: what "Recommendation" or "Decision" says, else the first sentence, else what the heading
 * has behind its colon. */
static cv_str short_form(cv_arena *a, const cv_ending *ending)
{
    static const cv_str best[] = {CV_STR_INIT("recommendation"),
                                  CV_STR_INIT("decision"),
                                  CV_STR_INIT("verdict"),
                                  CV_STR_INIT("ruling"),
                                  CV_STR_INIT("final recommendation"),
                                  CV_STR_INIT("final decision")};
    cv_lines lines = {.text = ending->text};
    cv_str first = {NULL, 0}, said = {NULL, 0};
    bool below = false;
    for (cv_line line; !said.n && cv_lines_next(&lines, &line);) {
        if (line.trimmed.n == 0)
            continue;
        cv_str title = cv_str_trim(cv_str_from(line.trimmed, (size_t)line.level)), text = sentence_in(a, &line);
        bool key = line.kind == CV_LINE_METADATA && cv_words_find((cv_words){best, CV_COUNT(best)}, line.name) >= 0;
        if ((below || key) && text.n)
            said = text;
        if (line.level > 0 || (key && !text.n))
            below = key || cv_words_find((cv_words){best, CV_COUNT(best)}, title) >= 0;
        if (!first.n && text.n && !(line.kind == CV_LINE_METADATA && is_about(line.name)))
            first = text;
    }
    size_t colon = cv_str_find_char(ending->heading, ':');
    cv_str tail = colon == SIZE_MAX ? CV_STR("") : cv_str_trim(cv_str_from(ending->heading, colon + 1));
    if (ending->rank == OF_A_MARK)
        said = ending->heading;
    else if (!said.n)
        said = first.n ? first : tail.n ? tail : cv_squeeze(a, ending->text);
    return cv_excerpt(a, said);
}

static void register_ending(cv_playing *p)
{
    cv_script *s = p->s;
    cv_buf text;
    if (s->ending.text.n == 0)
        return;
    cv_json_writer w = cv_playing_begin(p, &text, "final");
    cv_json_key_str(&w, "verdict_id", CV_STR("final"));
    cv_json_key_str(&w, "verdict_type", cv_verdict_words.items[CV_VERDICT_FINAL]);
    cv_json_key_str(&w, "recommendation", short_form(s->arena, &s->ending));
    cv_json_key_str(&w, "description", s->ending.text);
    if (!cv_playing_send(p, &w, "final verdict", cv_dialogue_verdict_register, NULL))
        return;
    cv_script_decide(s, s->ending.sheet, s->ending.line,
                     s->ending.rank == OF_A_MARK ? "the final verdict is the judge's mark: '%.*s'"
                                                 : "the final verdict is what stands under '%.*s'",
                     CV_FMT(cv_excerpt(s->arena, s->ending.heading)));
}

/* What stands in a section of the judge and in its verdict is one. */
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

/* The judge's marks in a text: interim verdicts, and the last final one, which is handed back. */
static bool find_verdicts(cv_script *s, cv_str text, size_t sheet, int round, cv_ending *ret_final)
{
    cv_doc doc;
    bool any = false;
    cv_doc_parse(s->arena, text, &doc, NULL);
    cv_marks marks = cv_doc_marks(s->arena, &doc);
    for (size_t i = 0; i < marks.count; i++) {
        cv_heard_verdict v;
        if (!cv_heard_verdict_read(s->arena, &marks.items[i], &v))
            continue;
        cv_ending found = {v.label, v.text, sheet, 0, round};
        if (v.type == CV_VERDICT_INTERIM) {
            add_interim(s, &found);
        } else if (v.type == CV_VERDICT_FINAL && !v.untyped) {
            found.rank = OF_A_MARK;
            *ret_final = found;
            any = true;
        } else {
            cv_script_misunderstand(
                s, sheet, 0, v.label,
                "a verdict in the judge's words of round %d: of which type, or whose it is, is not said", round);
        }
    }
    return any;
}

/* In what is the verdict already, which keeps all of its text; and in what was noted about a round, which no heading
 * outdoes. */
static void find_all_verdicts(cv_script *s)
{
    cv_ending final;
    if (s->ending.text.n && s->act_count &&
        find_verdicts(s, s->ending.text, s->ending.sheet, (int)s->act_count - 1, &final)) {
        s->ending.heading = final.heading;
        s->ending.rank = OF_A_MARK;
    }
    for (size_t round = 0; round < s->act_count; round++) {
        const cv_act *act = &s->acts[round];
        for (size_t i = 0; i < act->notes.count; i++)
            if (find_verdicts(s, act->notes.items[i], act->sheet, (int)round, &final))
                s->ending = final;
    }
}

bool cv_play(const cv_call *call, cv_record *record, cv_script *s, cv_played *ret_played)
{
    cv_playing p = {.call = call, .record = record, .s = s, .played = ret_played};
    *ret_played = (cv_played){0};
    cv_script_finish(s);
    find_all_verdicts(s);
    settle_ending(s);
    settle_head(&p);
    cv_threads_find(s, &ret_played->threads);
    if (!create(&p))
        return false;
    for (size_t round = 0; round < s->act_count && !p.failed; round++)
        cv_playing_round(&p, (int)round);
    for (size_t i = 0; i < p.verdicts.count && !p.failed; i++)
        cv_playing_verdict(&p, &p.verdicts.items[i]);
    if (!p.failed)
        register_ending(&p);
    return !p.failed;
}
