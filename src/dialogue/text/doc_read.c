/* doc_read.c - a document from the JSON that parse prints; see doc.h.
 *
 * What would not survive being written and read again is refused here, each fault with the path of its field: a
 * heading that reads as something else, an id that is none, a key that nobody knows. Places and inline marks are
 * accepted and ignored, because they follow from the text.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/text/doc.h"

/* The way from the root to a value: only spelt out when something is wrong there. */
typedef struct path {
    const struct path *up;
    cv_str key; /* empty: an index */
    size_t index;
} path;

typedef struct {
    cv_arena *a;
    cv_str text; /* the JSON itself, for lines and columns */
    cv_errs *errs;
    size_t first; /* faults of this reading begin here in errs */
    unsigned where;
} reader;

static cv_str path_text(cv_arena *a, const path *p)
{
    if (!p)
        return (cv_str){NULL, 0};
    cv_str up = path_text(a, p->up);
    if (p->key.n == 0)
        return cv_arena_printf(a, "%.*s[%zu]", CV_FMT(up), p->index);
    return cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(up), up.n ? "." : "", CV_FMT(cv_excerpt(a, p->key)));
}

static cv_err *fault(reader *r, cv_err_code code, const path *p, const cv_json *at, const char *message)
{
    cv_err *err = cv_errs_add(r->errs, r->a, code, "%s", message);
    cv_err_field(err, path_text(r->a, p));
    err->column = at->offset; /* until place_faults() */
    return err;
}

static int by_offset(const void *x, const void *y)
{
    const cv_err *a = *(const cv_err *const *)x, *b = *(const cv_err *const *)y;
    return CV_ORDER(a->column, b->column);
}

/* Lines and columns for all faults in one walk over the JSON. */
static void place_faults(reader *r)
{
    size_t count = r->errs->count - r->first, line = 1, column = 1, at = 0;
    cv_err **order = CV_NEW_ARRAY(r->a, count, cv_err *);
    for (size_t i = 0; i < count; i++)
        order[i] = &r->errs->items[r->first + i];
    if (count > 1)
        qsort(order, count, sizeof *order, by_offset);
    for (size_t i = 0; i < count; i++) {
        size_t to = order[i]->column;
        for (const char *nl; at < to && (nl = memchr(r->text.p + at, '\n', to - at));) {
            line++;
            column = 1;
            at = (size_t)(nl - r->text.p) + 1;
        }
        column += cv_utf8_count((cv_str){r->text.p + at, to - at});
        at = to;
        order[i]->line = line;
        order[i]->column = column;
    }
}

static bool wants(reader *r, const path *p, const cv_json *value, cv_json_type type)
{
    if (value->type == type)
        return true;
    cv_err *err = fault(r, CV_ERR_INVALID_VALUE, p, value, "");
    cv_err_message(err, "expected %.*s, found %.*s", CV_FMT(cv_json_type_word(type)),
                   CV_FMT(cv_json_type_word(value->type)));
    return false;
}

static bool is_one_of(const cv_str *words, size_t count, cv_str key)
{
    for (size_t i = 0; i < count; i++)
        if (cv_str_eq(words[i], key))
            return true;
    return false;
}

/* Every key of `object` must be one of `keys` (a list with blanks between). */
static void known_keys(reader *r, const path *p, const cv_json *object, const char *keys)
{
    cv_str words[24];
    size_t count = 0;
    for (cv_str rest = cv_str_of(keys); cv_str_split(&rest, ' ', &words[count]);)
        count++;
    for (uint32_t i = 0; i < object->count; i++) {
        const cv_json_member *m = &object->members[i];
        if (is_one_of(words, count, m->key))
            continue;
        path here = {p, m->key, 0};
        cv_err *err = fault(r, CV_ERR_INVALID_VALUE, &here, &m->value, "there is no such key here");
        cv_str *options = CV_NEW_ARRAY(r->a, count, cv_str);
        memcpy(options, words, count * sizeof *options);
        cv_err_options(err, options, count);
        cv_str near = cv_str_nearest(m->key, words, count);
        if (near.n)
            cv_err_suggest(err, cv_arena_printf(r->a, "did you mean '%.*s'?", CV_FMT(near)));
    }
}

static bool without_nul(reader *r, const path *p, const cv_json *string)
{
    if (cv_str_find_char(string->text, '\0') == SIZE_MAX)
        return true;
    fault(r, CV_ERR_INVALID_VALUE, p, string, "a NUL character cannot be written into a text file");
    return false;
}

/* A string member, empty when absent and not required. */
static cv_str string(reader *r, const path *p, const cv_json *object, const char *key, bool required)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    path here = {p, cv_str_of(key), 0};
    cv_str none = {NULL, 0};
    if (!value) {
        if (required)
            fault(r, CV_ERR_MISSING_FIELD, &here, object, "the field is missing");
        return none;
    }
    if (!wants(r, &here, value, CV_JSON_STRING))
        return none;
    if (!without_nul(r, &here, value))
        return none;
    if (required && cv_str_trim(value->text).n == 0)
        fault(r, CV_ERR_MISSING_FIELD, &here, value, "the field is empty");
    return value->text;
}

static cv_str line_of(reader *r, const path *p, const cv_json *object, const char *key, bool required)
{
    return cv_squeeze(r->a, string(r, p, object, key, required));
}

static const cv_json *array(reader *r, const path *p, const cv_json *object, const char *key)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    path here = {p, cv_str_of(key), 0};
    return value && wants(r, &here, value, CV_JSON_ARRAY) ? value : NULL;
}

/* One of a vocabulary's words, as its index; -1 with a fault. */
static int word(reader *r, const path *p, const cv_json *object, const char *key, cv_words words)
{
    cv_str s = string(r, p, object, key, true);
    int index = s.n ? cv_words_find(words, s) : -1;
    if (s.n && index < 0) {
        path here = {p, cv_str_of(key), 0};
        cv_err *err = fault(r, CV_ERR_INVALID_VALUE, &here, cv_json_get(object, cv_str_of(key)), "");
        cv_err_message(err, "'%.*s' is not known", CV_FMT(cv_excerpt(r->a, s)));
        cv_err_value(err, s);
        cv_err_options(err, words.items, words.count);
    }
    return index;
}

/* ---- marks ---------------------------------------------------------------------------------------------------- */

static bool is_id(cv_str s)
{
    cv_id id;
    return cv_id_parse(s, &id);
}

/* An array of strings that all pass `ok`, as one list with commas. */
static cv_str string_list(reader *r, const path *p, const cv_json *object, const char *key, bool (*ok)(cv_str),
                          const char *wanted)
{
    const cv_json *list = array(r, p, object, key);
    path here = {p, cv_str_of(key), 0};
    cv_buf b = {0};
    for (uint32_t i = 0; list && i < list->count; i++) {
        path item = {&here, {NULL, 0}, i};
        if (!wants(r, &item, &list->items[i], CV_JSON_STRING))
            continue;
        if (!ok(list->items[i].text))
            fault(r, CV_ERR_INVALID_VALUE, &item, &list->items[i], wanted);
        cv_buf_add_z(&b, b.n ? ", " : "");
        cv_buf_add(&b, list->items[i].text);
    }
    cv_str text = cv_arena_copy(r->a, cv_buf_str(&b));
    cv_buf_release(&b);
    return text;
}

static cv_mark_style style_for(cv_str id)
{
    cv_id parsed;
    return cv_id_parse(id, &parsed) && parsed.form == CV_ID_LOCAL ? CV_STYLE_LOCAL : CV_STYLE_CLASSIC;
}

/* Written and read again, the mark must be the same. */
static void check_mark(reader *r, const path *p, const cv_json *json, const cv_mark *m)
{
    cv_buf b = {0};
    cv_mark back;
    cv_mark_print(&b, m);
    bool same = cv_mark_at(cv_buf_str(&b), true, &back) && back.end == b.n;
    if (same) {
        cv_mark_settle(r->a, &back);
        same = back.type == m->type && back.style == m->style && back.sub == m->sub && cv_str_eq(back.word, m->word) &&
               cv_str_eq(back.id, m->id) && cv_str_eq(back.targets, m->targets) && cv_str_eq(back.label, m->label) &&
               cv_str_eq(back.by, m->by);
    }
    if (!same) {
        cv_err *err = fault(r, CV_ERR_INVALID_VALUE, p, json, "");
        cv_err_message(err, "the mark would be written as '%.*s' and not read back as it is",
                       CV_FMT(cv_excerpt(r->a, cv_buf_str(&b))));
        cv_err_suggest(err, CV_STR("check id, type, targets and by against its kind and style"));
    }
    cv_buf_release(&b);
}

static bool read_mark(reader *r, const path *p, const cv_json *json, cv_mark *m)
{
    size_t before = r->errs->count;
    known_keys(r, p, json, "mark style type word id targets label by body line range body_range inline");
    int type = word(r, p, json, "mark", cv_mark_names);
    if (type < 0)
        return false;
    *m = (cv_mark){.type = (cv_mark_type)type, .sub = -1};
    m->id = line_of(r, p, json, "id", false);
    int style = cv_json_get(json, CV_STR("style")) ? word(r, p, json, "style", cv_style_words) : (int)style_for(m->id);
    m->style = style < 0 ? CV_STYLE_CLASSIC : (cv_mark_style)style;
    m->word = line_of(r, p, json, m->style == CV_STYLE_BRACE ? "word" : "type", false);
    if (m->style != CV_STYLE_BRACE)
        m->sub = cv_words_find(cv_mark_sub_words(m->type), m->word);
    m->label = line_of(r, p, json, "label", false);
    m->targets = string_list(r, p, json, "targets", is_id, "a target is an id: P0001, MUFFIN-P0101, T01 or @muffin");
    m->by = string_list(r, p, json, "by", cv_slug_ok, "a contributor is a slug: letters, digits and dashes");
    m->body = cv_fence_closed(r->a, cv_text_tidy(r->a, string(r, p, json, "body", false)));
    cv_str label = m->label; /* it is what it is: only ids and words are settled */
    cv_mark_settle(r->a, m);
    m->label = label;
    if (r->errs->count == before)
        check_mark(r, p, json, m);
    return r->errs->count == before;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------- */

static bool read_row(reader *r, const path *p, const cv_json *json, cv_row *row)
{
    if (!wants(r, p, json, CV_JSON_ARRAY))
        return false;
    if (json->count == 0) {
        fault(r, CV_ERR_INVALID_VALUE, p, json, "a row needs at least one cell");
        return false;
    }
    *row = (cv_row){.cells = CV_NEW_ARRAY(r->a, json->count, cv_str)};
    for (uint32_t i = 0; i < json->count; i++) {
        path cell = {p, {NULL, 0}, i};
        if (wants(r, &cell, &json->items[i], CV_JSON_STRING) && without_nul(r, &cell, &json->items[i]))
            row->cells[row->count++] = cv_squeeze(r->a, json->items[i].text);
    }
    return row->count == json->count;
}

static void read_table(reader *r, const path *p, const cv_json *json, cv_block *block)
{
    known_keys(r, p, json, "columns rows line inline");
    block->kind = CV_BLOCK_TABLE;
    block->table = CV_NEW(r->a, cv_table);
    if (!(r->where & CV_IN_TABLES))
        cv_err_suggest(fault(r, CV_ERR_INVALID_VALUE, p, json,
                             "tables are kept apart only in the sections panel, scoreboard, perspectives and tensions"),
                       CV_STR("write it as text here"));
    cv_row row;
    path columns = {p, CV_STR("columns"), 0};
    if (read_row(r, &columns, cv_json_get(json, CV_STR("columns")), &row))
        *CV_PUSH(r->a, block->table) = row;
    const cv_json *rows = array(r, p, json, "rows");
    path list = {p, CV_STR("rows"), 0};
    for (uint32_t i = 0; rows && i < rows->count; i++) {
        path item = {&list, {NULL, 0}, i};
        if (read_row(r, &item, &rows->items[i], &row))
            *CV_PUSH(r->a, block->table) = row;
    }
}

static void read_block(reader *r, const path *p, const cv_json *json, cv_blocks *into)
{
    cv_block block = {0};
    if (!wants(r, p, json, CV_JSON_OBJECT))
        return;
    if (cv_json_get(json, CV_STR("mark"))) {
        block.kind = CV_BLOCK_MARK;
        block.mark = CV_NEW(r->a, cv_mark);
        if (!read_mark(r, p, json, block.mark))
            return;
    } else if (cv_json_get(json, CV_STR("columns"))) {
        read_table(r, p, json, &block);
    } else {
        known_keys(r, p, json, "text line inline");
        block.text = cv_fence_closed(r->a, cv_text_tidy(r->a, string(r, p, json, "text", true)));
        if (block.text.n == 0)
            return;
    }
    *CV_PUSH(r->a, into) = block;
}

static void read_blocks(reader *r, const path *p, const cv_json *object, const char *key, cv_blocks *into)
{
    const cv_json *list = array(r, p, object, key);
    path here = {p, cv_str_of(key), 0};
    for (uint32_t i = 0; list && i < list->count; i++) {
        path item = {&here, {NULL, 0}, i};
        read_block(r, &item, &list->items[i], into);
    }
    cv_blocks_merge(r->a, into);
}

/* ---- agents, sections, the document ------------------------------------------------------------------------------ */

static void read_agent(reader *r, const path *p, const cv_json *json, cv_agents *into)
{
    cv_agent agent = {0};
    cv_line line;
    if (!wants(r, p, json, CV_JSON_OBJECT))
        return;
    known_keys(r, p, json, "name emoji role line content");
    agent.name = line_of(r, p, json, "name", true);
    agent.emoji = line_of(r, p, json, "emoji", false);
    agent.role = line_of(r, p, json, "role", false);
    if (agent.emoji.n == 0)
        agent.emoji = cv_str_starts_nocase(agent.name, cv_judge_name) ? cv_judge_emoji : cv_expert_emoji;
    cv_str heading = cv_arena_printf(r->a, "### %.*s %.*s%s%.*s%s", CV_FMT(agent.name), CV_FMT(agent.emoji),
                                     agent.role.n ? " (" : "", CV_FMT(agent.role), agent.role.n ? ")" : "");
    cv_line_classify(heading, NULL, &line);
    if (agent.name.n && (line.kind != CV_LINE_AGENT || !cv_str_eq(line.name, agent.name) ||
                         !cv_str_eq(line.value, agent.emoji) || !cv_str_eq(line.role, agent.role)))
        cv_err_suggest(
            fault(r, CV_ERR_INVALID_VALUE, p, json, "name, emoji and role do not make a heading that reads back"),
            CV_STR("keep emoji out of the name and brackets away from its beginning"));
    read_blocks(r, p, json, "content", &agent.content);
    *CV_PUSH(r->a, into) = agent;
}

/* Headings are read with up to nine digits; that the record stops at 99 is the linter's and the store's business. */
enum { MAX_WRITTEN_ROUND = 999999999 };

static void read_round_number(reader *r, const path *p, const cv_json *json, cv_section *s)
{
    const cv_json *value = cv_json_get(json, CV_STR("round"));
    path here = {p, CV_STR("round"), 0};
    int64_t round = -1;
    s->round = -1;
    if (!value) {
        if (s->kind == CV_SECTION_ROUND)
            fault(r, CV_ERR_MISSING_FIELD, &here, json, "a round needs its number");
        return;
    }
    if (!cv_json_to_int(value, &round) || round < 0 || round > MAX_WRITTEN_ROUND)
        fault(r, CV_ERR_INVALID_VALUE, &here, value, "a round number is a whole number of at most nine digits");
    else
        s->round = (int)round;
}

static void read_section(reader *r, const path *p, const cv_json *json, cv_sections *into)
{
    cv_section s = {.round = -1};
    if (!wants(r, p, json, CV_JSON_OBJECT))
        return;
    known_keys(r, p, json, "kind round label line content agents");
    int kind = word(r, p, json, "kind", cv_section_words);
    if (kind < 0)
        return;
    s.kind = (cv_section_kind)kind;
    s.label = line_of(r, p, json, "label", s.kind == CV_SECTION_OTHER);
    if (s.kind == CV_SECTION_ROUND || s.kind == CV_SECTION_JUDGE)
        read_round_number(r, p, json, &s);
    r->where = s.kind <= CV_SECTION_TENSIONS ? CV_IN_TABLES : 0;
    read_blocks(r, p, json, "content", &s.content);
    const cv_json *agents = array(r, p, json, "agents");
    path list = {p, CV_STR("agents"), 0};
    if (agents && agents->count > 0 && s.kind != CV_SECTION_ROUND)
        fault(r, CV_ERR_INVALID_VALUE, &list, agents, "only rounds have agents");
    for (uint32_t i = 0; agents && i < agents->count; i++) {
        path item = {&list, {NULL, 0}, i};
        read_agent(r, &item, &agents->items[i], &s.agents);
    }
    *CV_PUSH(r->a, into) = s;
}

static void read_metadata(reader *r, const path *p, const cv_json *json, cv_metas *into)
{
    if (!wants(r, p, json, CV_JSON_OBJECT))
        return;
    known_keys(r, p, json, "key value line");
    cv_meta m = {.key = line_of(r, p, json, "key", true), .value = line_of(r, p, json, "value", false)};
    if (m.key.n && !cv_meta_reads_back(r->a, m.key, m.value))
        cv_err_suggest(fault(r, CV_ERR_INVALID_VALUE, p, json, "the key does not make a line that reads back"),
                       CV_STR("use at most 64 bytes without brackets, bold marks or a colon at the end"));
    *CV_PUSH(r->a, into) = m;
}

static void each(reader *r, const cv_json *json, const char *key, cv_doc *doc,
                 void (*read)(reader *, const path *, const cv_json *, cv_doc *))
{
    const cv_json *list = array(r, NULL, json, key);
    path here = {NULL, cv_str_of(key), 0};
    for (uint32_t i = 0; list && i < list->count; i++) {
        path item = {&here, {NULL, 0}, i};
        read(r, &item, &list->items[i], doc);
    }
}

static void metadata_item(reader *r, const path *p, const cv_json *json, cv_doc *doc)
{
    read_metadata(r, p, json, &doc->metadata);
}

static void section_item(reader *r, const path *p, const cv_json *json, cv_doc *doc)
{
    read_section(r, p, json, &doc->sections);
}

static void read_document(reader *r, const cv_json *json, cv_doc *doc)
{
    known_keys(r, NULL, json, "file title metadata intro sections diagnostics dropped_diagnostics");
    doc->title = line_of(r, NULL, json, "title", false);
    each(r, json, "metadata", doc, metadata_item);
    read_blocks(r, NULL, json, "intro", &doc->intro);
    each(r, json, "sections", doc, section_item);
    cv_rounds_rebase(doc);
}

bool cv_doc_read_json(cv_arena *a, cv_str text, const cv_json *json, cv_doc *ret_doc, cv_errs *errs)
{
    reader r = {.a = a, .text = text, .errs = errs, .first = errs->count};
    cv_doc doc = {0};
    if (wants(&r, NULL, json, CV_JSON_OBJECT))
        read_document(&r, json, &doc);
    place_faults(&r);
    *ret_doc = doc;
    return errs->count == r.first;
}
