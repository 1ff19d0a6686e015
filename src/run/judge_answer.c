/* judge_answer.c - the judge's answer, from text to requests; see judge.h. */
#include <assert.h>

#include "base/utf8.h"
#include "run/judge.h"

/* ---- the object ----------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *a;
    cv_str text;
    cv_json found;
    size_t count;
    cv_err first; /* what was wrong with the first that is none */
} search;

/* The error in the text as a whole. */
static void keep_error(search *s, cv_str part, const cv_err *err)
{
    if (s->first.code)
        return;
    size_t line = 1, column = 1;
    cv_utf8_advance(cv_str_range(s->text.p, part.p), &line, &column);
    cv_err_copy(&s->first, err);
    s->first.column = err->line > 1 ? err->column : column + err->column - 1;
    s->first.line = line + err->line - 1;
}

static bool try_part(search *s, cv_str part)
{
    cv_json value;
    cv_err err = {.arena = s->a};
    part = cv_str_trim(part);
    if (part.n == 0 || part.p[0] != '{')
        return false;
    if (!cv_json_parse(s->a, part, &value, &err)) {
        keep_error(s, part, &err);
        return false;
    }
    s->found = value;
    s->count++;
    return true;
}

/* Where the object that begins here ends, by its braces; 0: it does not. */
static size_t object_end(cv_str s)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '{')
            depth++;
        else if (!quoted && c == '}' && --depth == 0)
            return i + 1;
    }
    return 0;
}

static size_t fence_at(cv_str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == '`')
        n++;
    return n >= 3 ? n : 0;
}

/* Every block between fences that is an object. */
static void try_fences(search *s)
{
    cv_str rest = s->text, line;
    const char *begin = NULL;
    size_t open = 0;
    while (cv_str_split(&rest, '\n', &line)) {
        cv_str trimmed = cv_str_trim(line);
        size_t ticks = fence_at(trimmed);
        if (!open && ticks) {
            open = ticks;
            begin = cv_str_end(line);
        } else if (open && ticks >= open && trimmed.n == ticks) {
            try_part(s, cv_str_range(begin, line.p));
            open = 0;
        }
    }
}

/* Every object in prose, one behind the other. Nothing within one that is broken is taken for it: what it misses is
 * told instead. */
static void try_prose(search *s)
{
    for (cv_str at = s->text; at.n > 0;) {
        size_t brace = cv_str_find_char(at, '{');
        if (brace == SIZE_MAX)
            return;
        at = cv_str_from(at, brace);
        size_t n = object_end(at);
        try_part(s, n ? cv_str_head(at, n) : at);
        at = n ? cv_str_from(at, n) : CV_STR("");
    }
}

static bool no_object(const search *s, cv_err *err)
{
    if (s->count > 1)
        return cv_err_set(err, CV_ERR_JSON, "the answer has %zu JSON objects: it must have one", s->count);
    if (!s->first.code)
        return cv_err_set(err, CV_ERR_JSON, "the answer has no JSON object");
    cv_err_copy(err, &s->first);
    return false;
}

bool cv_judge_extract(cv_arena *a, cv_str text, cv_json *ret_object, cv_err *err)
{
    search s = {.a = a, .text = text, .first = {.arena = a}};
    void (*const ways[])(search *) = {try_fences, try_prose};
    bool whole = try_part(&s, text);
    for (size_t i = 0; !whole && s.count == 0 && i < CV_COUNT(ways); i++)
        ways[i](&s);
    if (s.count != 1)
        return no_object(&s, err);
    *ret_object = s.found;
    return true;
}

/* ---- its parts -----------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *a;
    cv_errs *errs;
    cv_judgement *to;
    cv_buf round;
    cv_json_writer w;
    const cv_json *merges;
} reading;

static cv_err *fault(const reading *r, cv_err_code code, cv_str field, const char *message)
{
    cv_err *err = cv_errs_add(r->errs, r->a, code, "%s", message);
    cv_err_field(err, field);
    return err;
}

static bool is_type(const reading *r, cv_str field, const cv_json *value, cv_json_type type)
{
    if (value->type == type)
        return true;
    cv_err *err = cv_errs_add(r->errs, r->a, CV_ERR_INVALID_VALUE, "%.*s is a value of type %.*s, not %.*s",
                              CV_FMT(field), CV_FMT(cv_json_type_word(type)), CV_FMT(cv_json_type_word(value->type)));
    cv_err_field(err, field);
    return false;
}

/* The members of an object, without its braces. */
static cv_str members_of(cv_arena *a, const cv_json *object)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_value(&w, object);
    cv_str all = cv_buf_take(&out, a);
    return cv_str_trim(cv_str_head(cv_str_from(all, 1), all.n - 2));
}

static void read_list(reading *r, cv_str field, const cv_json *list, cv_requests *to)
{
    if (!is_type(r, field, list, CV_JSON_ARRAY))
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        cv_str place = cv_arena_printf(r->a, "%.*s[%u]", CV_FMT(field), i);
        if (is_type(r, place, &list->items[i], CV_JSON_OBJECT))
            *CV_PUSH(r->a, to) = members_of(r->a, &list->items[i]);
    }
}

static void read_verdicts(reading *r, const cv_json *value)
{
    read_list(r, CV_STR("verdicts"), value, &r->to->verdicts);
    for (uint32_t i = 0; value->type == CV_JSON_ARRAY && i < value->count; i++)
        if (cv_str_eq_nocase(cv_json_get_text(&value->items[i], "verdict_type"), CV_STR("final")))
            r->to->final = true;
}

static void read_undecided(reading *r, const cv_json *value)
{
    if (is_type(r, CV_STR("undecided"), value, CV_JSON_STRING))
        r->to->undecided = cv_str_trim(value->text);
}

static void read_mandate(reading *r, const cv_json *value)
{
    if (value->type != CV_JSON_NULL && is_type(r, CV_STR("mandate"), value, CV_JSON_STRING))
        r->to->mandate = cv_str_trim(value->text);
}

static void read_mandates(reading *r, const cv_json *value)
{
    if (!is_type(r, CV_STR("mandates"), value, CV_JSON_OBJECT))
        return;
    for (uint32_t i = 0; i < value->count; i++)
        is_type(r, cv_arena_printf(r->a, "mandates.%.*s", CV_FMT(value->members[i].key)), &value->members[i].value,
                CV_JSON_STRING);
    r->to->mandates = *value;
}

static cv_str names_in(reading *r, cv_str field, const cv_json *list)
{
    if (!is_type(r, field, list, CV_JSON_ARRAY) || list->count == 0)
        return CV_STR("");
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_value(&w, list);
    return cv_buf_take(&out, r->a);
}

static void read_panel(reading *r, const cv_json *value)
{
    if (value->type == CV_JSON_NULL || !is_type(r, CV_STR("panel"), value, CV_JSON_OBJECT))
        return;
    for (uint32_t i = 0; i < value->count; i++) {
        cv_str key = value->members[i].key, field = cv_arena_join(r->a, CV_STR("panel."), key);
        if (cv_str_eq(key, CV_STR("add")))
            r->to->add = names_in(r, field, &value->members[i].value);
        else if (cv_str_eq(key, CV_STR("drop")))
            r->to->drop = names_in(r, field, &value->members[i].value);
        else if (cv_str_eq(key, CV_STR("create")))
            read_list(r, field, &value->members[i].value, &r->to->experts);
        else
            fault(r, CV_ERR_UNKNOWN_FIELD, field, "panel has the members add, drop and create");
    }
}

static void read_merges(reading *r, const cv_json *value)
{
    if (is_type(r, CV_STR("merges"), value, CV_JSON_ARRAY))
        r->merges = value;
}

static void read_scores(reading *r, const cv_json *value)
{
    cv_json_key(&r->w, CV_STR("expert_scores"));
    cv_json_value(&r->w, value);
    r->to->scores = true;
}

static void refuse_words(reading *r, const cv_json *value)
{
    (void)value;
    fault(r, CV_ERR_NOT_ALLOWED, CV_STR("responses"), "the judge does not write what experts say");
}

/* What the runner itself says in a request. */
static void pass_over(reading *r, const cv_json *value)
{
    (void)r, (void)value;
}

static const struct {
    cv_str name;
    void (*read)(reading *r, const cv_json *value);
} parts[] = {
    {CV_STR_INIT("verdicts"), read_verdicts}, {CV_STR_INIT("undecided"), read_undecided},
    {CV_STR_INIT("mandate"), read_mandate},   {CV_STR_INIT("mandates"), read_mandates},
    {CV_STR_INIT("panel"), read_panel},       {CV_STR_INIT("merges"), read_merges},
    {CV_STR_INIT("scores"), read_scores},     {CV_STR_INIT("expert_scores"), read_scores},
    {CV_STR_INIT("responses"), refuse_words}, {CV_STR_INIT("dialogue_id"), pass_over},
    {CV_STR_INIT("round"), pass_over},        {CV_STR_INIT("use_draft"), pass_over},
    {CV_STR_INIT("op_id"), pass_over},        {CV_STR_INIT("expect_rev"), pass_over},
    {CV_STR_INIT("dry_run"), pass_over},
};

/* ---- merges ---- */

/* What items are in, by the letter of their ids. */
static const struct {
    char letter;
    cv_str list;
} kinds[] = {{'P', CV_STR_INIT("perspectives")},
             {'R', CV_STR_INIT("recommendations")},
             {'T', CV_STR_INIT("tensions")},
             {'E', CV_STR_INIT("evidence")},
             {'C', CV_STR_INIT("claims")}};

/* The list of a request that items with such a local id are in; empty: it is not a local id. */
static cv_str list_of(cv_str local_id)
{
    size_t dash = local_id.n;
    while (dash > 0 && local_id.p[dash - 1] != '-')
        dash--;
    for (size_t i = 0; dash > 0 && dash < local_id.n && i < CV_COUNT(kinds); i++)
        if (cv_upper(local_id.p[dash]) == kinds[i].letter)
            return kinds[i].list;
    return CV_STR("");
}

/* ["A", "B", "C"] and {"local_id": "A", "also": ["B", "C"]} say the same. */
static bool merge_at(const reading *r, uint32_t i, cv_str *ret_first, const cv_json **ret_also, uint32_t *ret_from)
{
    const cv_json *one = &r->merges->items[i];
    bool list = one->type == CV_JSON_ARRAY;
    *ret_also = list ? one : cv_json_get(one, CV_STR("also"));
    *ret_from = list ? 1 : 0;
    *ret_first = list && one->count > 0 && one->items[0].type == CV_JSON_STRING ? one->items[0].text
                                                                                : cv_json_get_text(one, "local_id");
    bool sound =
        list_of(*ret_first).n && *ret_also && (*ret_also)->type == CV_JSON_ARRAY && (*ret_also)->count > *ret_from;
    for (uint32_t k = *ret_from; sound && k < (*ret_also)->count; k++)
        sound = (*ret_also)->items[k].type == CV_JSON_STRING;
    return sound;
}

static void add_merge(reading *r, cv_str first, const cv_json *also, uint32_t from)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "local_id", first);
    cv_json_key(&r->w, CV_STR("also"));
    cv_json_begin_array(&r->w);
    for (uint32_t k = from; k < also->count; k++)
        cv_json_str(&r->w, also->items[k].text);
    cv_json_end_array(&r->w);
    cv_json_end_object(&r->w);
}

static void check_merges(const reading *r)
{
    cv_str first;
    const cv_json *also;
    uint32_t from;
    for (uint32_t i = 0; r->merges && i < r->merges->count; i++)
        if (!merge_at(r, i, &first, &also, &from))
            fault(r, CV_ERR_INVALID_VALUE, cv_arena_printf(r->a, "merges[%u]", i),
                  "a merge is a list of two or more local ids of the draft, the one that stays first");
}

/* A list of the request: the items that the judge gave in it, then those that only merge. */
static void add_items(reading *r, cv_str list, const cv_json *given)
{
    cv_str first;
    const cv_json *also;
    uint32_t from;
    given = given && given->type == CV_JSON_NULL ? NULL : given;
    bool any = given;
    for (uint32_t i = 0; !any && r->merges && i < r->merges->count; i++)
        any = merge_at(r, i, &first, &also, &from) && cv_str_eq(list_of(first), list);
    if (!any)
        return;
    cv_json_key(&r->w, list);
    if (given && given->type != CV_JSON_ARRAY) {
        cv_json_value(&r->w, given); /* the operation says what is wrong with it */
        return;
    }
    cv_json_begin_array(&r->w);
    for (uint32_t i = 0; given && i < given->count; i++)
        cv_json_value(&r->w, &given->items[i]);
    for (uint32_t i = 0; r->merges && i < r->merges->count; i++)
        if (merge_at(r, i, &first, &also, &from) && cv_str_eq(list_of(first), list))
            add_merge(r, first, also, from);
    cv_json_end_array(&r->w);
}

/* ---- all of it ---- */

/* null is said of what is not there. */
static void read_member(reading *r, const cv_json_member *member)
{
    if (member->value.type == CV_JSON_NULL)
        return;
    for (size_t i = 0; i < CV_COUNT(parts); i++)
        if (cv_str_eq(member->key, parts[i].name)) {
            parts[i].read(r, &member->value);
            return;
        }
    for (size_t i = 0; i < CV_COUNT(kinds); i++)
        if (cv_str_eq(member->key, kinds[i].list))
            return; /* with the merges, below */
    r->to->scores = r->to->scores || cv_str_eq(member->key, CV_STR("score"));
    if (cv_str_eq(member->key, CV_STR("summary")) && member->value.type == CV_JSON_STRING)
        r->to->summary = cv_str_trim(member->value.text);
    cv_json_key(&r->w, member->key);
    cv_json_value(&r->w, &member->value);
}

bool cv_judge_read(cv_arena *a, const cv_json *object, cv_judgement *ret, cv_errs *errs)
{
    size_t before = errs->count;
    assert(object->type == CV_JSON_OBJECT);
    *ret = (cv_judgement){.mandates = {.type = CV_JSON_OBJECT}};
    reading r = {.a = a, .errs = errs, .to = ret};
    r.w.out = &r.round;
    cv_json_begin_object(&r.w);
    if (cv_json_get(object, CV_STR("scores")) && cv_json_get(object, CV_STR("expert_scores")))
        fault(&r, CV_ERR_INVALID_VALUE, CV_STR("scores"), "scores and expert_scores are the same: give one of them");
    else
        for (uint32_t i = 0; i < object->count; i++)
            read_member(&r, &object->members[i]);
    if (ret->final && ret->undecided.n)
        fault(&r, CV_ERR_INVALID_VALUE, CV_STR("undecided"),
              "verdicts has a final one, and undecided says that there is none: give one of them");
    check_merges(&r);
    for (size_t i = 0; i < CV_COUNT(kinds); i++)
        add_items(&r, kinds[i].list, cv_json_get(object, kinds[i].list));
    cv_json_end_object(&r.w);
    cv_str all = cv_buf_take(&r.round, a);
    ret->round = cv_str_trim(cv_str_head(cv_str_from(all, 1), all.n - 2));
    return errs->count == before;
}
