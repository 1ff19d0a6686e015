/* import_script.c - a script becomes part of the record; see import_script.h. */
#include "dialogue/import/import_script.h"

#include "base/utf8.h"
#include "dialogue/import/dates.h"
#include "dialogue/import/importing.h"
#include "dialogue/operations.h"
#include "dialogue/text/doc.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"
#include "record/hash.h"

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static cv_str op_id(const cv_importing *p, const char *step)
{
    return cv_arena_printf(p->s->arena, "import-%.*s-%s", 24, p->identity.p, step);
}

static void keep_failure(cv_importing *p, const char *step, const cv_reply *reply)
{
    for (size_t i = 0; i < reply->errs.count; i++) {
        const cv_err *err = &reply->errs.items[i];
        bool conflict = err->code == CV_ERR_OP_CONFLICT || err->code == CV_ERR_ROUND_REGISTERED ||
                        err->code == CV_ERR_VERDICT_EXISTS || err->code == CV_ERR_DIALOGUE_CLOSED ||
                        err->code == CV_ERR_PANEL_EXISTS;
        cv_str why =
            err->code == CV_ERR_OP_CONFLICT ? CV_STR("was imported before with other content") : cv_err_text(err);
        *CV_PUSH(p->s->arena, conflict ? &p->imported->conflicts : &p->imported->failures) =
            (cv_remark){CV_NO_SHEET, 0, cv_str_of(step), cv_arena_copy(p->s->arena, why)};
        p->failed |= !conflict;
    }
}

cv_json_writer cv_importing_begin_bare(cv_importing *p, cv_buf *text, const char *step)
{
    *text = (cv_buf){0};
    cv_json_writer w = {.out = text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "op_id", op_id(p, step));
    return w;
}

cv_json_writer cv_importing_begin(cv_importing *p, cv_buf *text, const char *step)
{
    cv_json_writer w = cv_importing_begin_bare(p, text, step);
    if (p->imported->dialogue_id.n)
        cv_json_key_str(&w, "dialogue_id", p->imported->dialogue_id);
    return w;
}

bool cv_importing_send(cv_importing *p, cv_json_writer *w, const char *step, cv_handler run, cv_reply *ret_reply)
{
    cv_reply ignored;
    ret_reply = ret_reply ? ret_reply : &ignored;
    cv_json_end_object(w);
    cv_invoke_handler(p->call, p->s->arena, p->record, p->s->date_ms, run, cv_buf_take(w->out, p->s->arena), ret_reply);
    if (!ret_reply->done) {
        keep_failure(p, step, ret_reply);
        return false;
    }
    p->imported->rev = cv_json_get_int(&ret_reply->json, "rev", 0);
    if (cv_json_get_true(&ret_reply->json, "replayed"))
        p->imported->replayed++;
    else
        p->imported->written++;
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

static void settle_head(cv_importing *p)
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
        cv_script_decide(s, CV_NO_SHEET, 0, "no date is given: it gets the time of this import");
    cv_importing_identify(p);
}

void cv_importing_identify(cv_importing *p)
{
    cv_arena *a = p->s->arena;
    cv_str slug = cv_slug_of_title(a, p->s->title);
    p->identity = cv_hash_text(a, cv_arena_printf(a, "%.*s\n%.*s", CV_FMT(p->s->key), CV_FMT(slug)));
}

void cv_importing_pool(const cv_script *s, cv_json_writer *w)
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
static bool find_earlier(cv_importing *p)
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
            p->imported->dialogue_id = id;
            return true;
        }
    }
    return false;
}

bool cv_importing_create(cv_importing *p, cv_json_writer *w)
{
    cv_reply reply;
    if (cv_importing_send(p, w, "create", cv_dialogue_create, &reply)) {
        p->imported->dialogue_id = cv_json_get_text(&reply.json, "dialogue_id");
        return true;
    }
    return p->imported->conflicts.count > 0 && find_earlier(p);
}

static bool create(cv_importing *p)
{
    cv_buf text;
    cv_json_writer w = cv_importing_begin(p, &text, "create");
    cv_json_key_str(&w, "title", p->s->title);
    if (p->s->question.n)
        cv_json_key_str(&w, "question", p->s->question);
    cv_importing_pool(p->s, &w);
    write_background(p->s, &w);
    return cv_importing_create(p, &w);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool cv_script_import(const cv_call *call, cv_record *record, cv_script *s, cv_imported *ret_imported)
{
    cv_importing p = {.call = call, .record = record, .s = s, .imported = ret_imported};
    *ret_imported = (cv_imported){0};
    cv_script_finish(s);
    cv_script_find_verdicts(s);
    settle_head(&p);
    cv_threads_find(s, &ret_imported->threads);
    if (!create(&p))
        return false;
    for (size_t round = 0; round < s->act_count && !p.failed; round++)
        cv_importing_round(&p, (int)round);
    for (size_t i = 0; i < p.verdicts.count && !p.failed; i++)
        cv_importing_verdict(&p, &p.verdicts.items[i]);
    if (!p.failed)
        cv_importing_endings(&p);
    return !p.failed;
}
