/* doc_json.c - a document as JSON; see doc.h. The keys are documented in docs/parse.md. */
#include "dialogue/text/doc.h"

static void range(cv_json_writer *w, const char *key, size_t start, size_t end)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    cv_json_int(w, (int64_t)start);
    cv_json_int(w, (int64_t)end);
    cv_json_end_array(w);
}

/* A list of words separated by commas, as an array. */
static void key_list(cv_json_writer *w, const char *key, cv_str list)
{
    cv_str item;
    if (list.n == 0)
        return;
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    while (cv_str_split(&list, ',', &item))
        cv_json_str(w, cv_str_trim(item));
    cv_json_end_array(w);
}

static void mark_members(const cv_mark *m, bool places, cv_json_writer *w)
{
    cv_json_key_str(w, "mark", cv_mark_names.items[m->type]);
    cv_json_key_str(w, "style", cv_style_words.items[m->style]);
    cv_json_key_str_if(w, m->style == CV_STYLE_BRACE ? "word" : "type", m->word);
    cv_json_key_str_if(w, "id", m->id);
    key_list(w, "targets", m->targets);
    cv_json_key_str_if(w, "label", m->label);
    key_list(w, "by", m->by);
    cv_json_key_str_if(w, "body", m->body);
    if (places) {
        cv_json_key_int(w, "line", (int64_t)m->line);
        range(w, "range", m->start, m->end);
        range(w, "body_range", m->body_start, m->body_end);
    }
}

void cv_mark_print_json(const cv_mark *m, bool places, cv_json_writer *w)
{
    cv_json_begin_object(w);
    mark_members(m, places, w);
    cv_json_end_object(w);
}

static void print_table(const cv_table *t, cv_json_writer *w)
{
    cv_json_key_strs(w, "columns", t->items[0].cells, t->items[0].count);
    cv_json_key(w, CV_STR("rows"));
    cv_json_begin_array(w);
    for (size_t i = 1; i < t->count; i++)
        cv_json_strs(w, t->items[i].cells, t->items[i].count);
    cv_json_end_array(w);
}

static void print_block(const cv_block *b, bool places, cv_json_writer *w)
{
    cv_json_begin_object(w);
    if (b->kind == CV_BLOCK_MARK)
        mark_members(b->mark, places, w);
    else if (b->kind == CV_BLOCK_TABLE)
        print_table(b->table, w);
    else
        cv_json_key_str(w, "text", b->text);
    if (places && b->kind != CV_BLOCK_MARK)
        cv_json_key_int(w, "line", (int64_t)b->line);
    if (b->inline_marks.count) {
        cv_json_key(w, CV_STR("inline"));
        cv_json_begin_array(w);
        for (size_t i = 0; i < b->inline_marks.count; i++)
            cv_mark_print_json(&b->inline_marks.items[i], places, w);
        cv_json_end_array(w);
    }
    cv_json_end_object(w);
}

static void print_blocks(const char *key, const cv_blocks *blocks, bool places, cv_json_writer *w)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = 0; i < blocks->count; i++)
        print_block(&blocks->items[i], places, w);
    cv_json_end_array(w);
}

static void print_agent(const cv_agent *agent, bool places, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "name", agent->name);
    cv_json_key_str(w, "emoji", agent->emoji);
    cv_json_key_str_if(w, "role", agent->role);
    if (places)
        cv_json_key_int(w, "line", (int64_t)agent->line);
    print_blocks("content", &agent->content, places, w);
    cv_json_end_object(w);
}

static void print_section(const cv_section *s, bool places, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "kind", cv_section_words.items[s->kind]);
    if (s->round >= 0 && (s->kind == CV_SECTION_ROUND || s->kind == CV_SECTION_JUDGE))
        cv_json_key_int(w, "round", s->round);
    cv_json_key_str_if(w, "label", s->label);
    if (places)
        cv_json_key_int(w, "line", (int64_t)s->line);
    print_blocks("content", &s->content, places, w);
    if (s->kind == CV_SECTION_ROUND) {
        cv_json_key(w, CV_STR("agents"));
        cv_json_begin_array(w);
        for (size_t i = 0; i < s->agents.count; i++)
            print_agent(&s->agents.items[i], places, w);
        cv_json_end_array(w);
    }
    cv_json_end_object(w);
}

void cv_doc_print_json(const cv_doc *doc, bool places, cv_json_writer *w)
{
    cv_json_key_str(w, "title", doc->title);
    cv_json_key(w, CV_STR("metadata"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < doc->metadata.count; i++) {
        const cv_meta *m = &doc->metadata.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "key", m->key);
        cv_json_key_str(w, "value", m->value);
        if (places)
            cv_json_key_int(w, "line", (int64_t)m->line);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    print_blocks("intro", &doc->intro, places, w);
    cv_json_key(w, CV_STR("sections"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < doc->sections.count; i++)
        print_section(&doc->sections.items[i], places, w);
    cv_json_end_array(w);
}
