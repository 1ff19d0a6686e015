/* parse.c - the marks of one response and what they make; see parse.h. */
#include "dialogue/intake/parse.h"

#include <assert.h>

#include "base/utf8.h"
#include "dialogue/intake/mention.h"
#include "dialogue/intake/opening.h"
#include "dialogue/lint/lint.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

/* Who is served first: ids in full, short ids, ids without a usable number. */
typedef enum { IN_FULL, SHORT, NUMBERED, TURN_COUNT } turn;

typedef struct {
    cv_arena *a;
    const cv_state *s;
    int round;
    cv_parsed_response *response;
    turn *turns;     /* of the marks that make something */
    int *numbers;    /* that they ask for */
    cv_str *written; /* their ids, in the one spelling */
    cv_parsed_mark *slots[CV_KIND_COUNT][CV_MAX_SEQ + 1];
    int free[CV_KIND_COUNT]; /* no number below it is free */
} reading;

cv_str cv_mark_headline(cv_arena *a, const cv_mark *mark)
{
    cv_str label = cv_one_line(a, mark->label), rest = mark->body, line;
    if (label.n)
        return label;
    while (label.n == 0 && cv_str_split(&rest, '\n', &line))
        label = cv_one_line(a, line);
    return cv_excerpt(a, label);
}

static void remark(cv_parsed_mark *item, cv_str note, cv_str message, cv_str suggestion)
{
    item->note = note;
    item->message = message;
    item->suggestion = suggestion;
}

/* ---- what kind of thing, and which number it asks for ------------------------------------------------------------ */

static bool is_usable(int number)
{
    return number > 0 && number <= CV_MAX_SEQ;
}

static void ask(reading *r, size_t i, turn whose, int number)
{
    assert(whose < TURN_COUNT && !r->response->items[i].makes);
    r->response->items[i].makes = true;
    r->turns[i] = is_usable(number) ? whose : NUMBERED;
    r->numbers[i] = is_usable(number) ? number : 0;
}

/* An id in full: the expert's own, another's, or one that names nobody. */
static void ask_local(reading *r, size_t i, const cv_id *id)
{
    cv_parsed_mark *item = &r->response->items[i];
    const cv_rec_expert *owner = cv_state_expert(r->s, id->expert);
    bool own = cv_str_eq_nocase(id->expert, r->response->expert);
    const cv_rec_origin *origin = cv_state_origin(r->s, r->written[i]);
    if (origin && !(own && id->round == r->round))
        item->quoted = origin->display_id;
    if (own && id->round == r->round)
        ask(r, i, IN_FULL, id->number);
    else if (own && origin)
        remark(item, CV_STR("other_round"),
               cv_arena_printf(r->a, "%.*s was registered before: read as a quotation", CV_FMT(r->written[i])),
               CV_STR("refer to it with [RE:…]; what is new needs a number of this round"));
    else if (!own && owner)
        remark(item, CV_STR("foreign_id"),
               cv_arena_printf(r->a, "%.*s is an id of %.*s: read as a quotation", CV_FMT(r->written[i]),
                               CV_FMT(owner->expert_slug)),
               CV_STR("refer to it with [RE:…]; what is new needs an id of your own"));
    else
        ask(r, i, NUMBERED, 0);
}

bool cv_parsed_mark_is_by(const cv_parsed_mark *item, cv_str expert)
{
    cv_str rest = item->mark->by, name;
    while (cv_str_split(&rest, ',', &name))
        if (cv_str_eq_nocase(cv_str_trim(name), expert))
            return true;
    return false;
}

/* P0101 as prompts print it: what is registered is quoted; what is not, and would be of this round, is new. */
static void ask_display(reading *r, size_t i, const cv_id *id)
{
    cv_parsed_mark *item = &r->response->items[i];
    bool by_others = item->mark->by.n && !cv_parsed_mark_is_by(item, r->response->expert);
    if (cv_state_entity(r->s, r->written[i])) {
        item->quoted = r->written[i];
        return;
    }
    if (id->round == r->round && !by_others)
        ask(r, i, SHORT, id->number);
    else
        remark(item, CV_STR("unknown_quotation"),
               cv_arena_printf(r->a, "%.*s is not registered: nothing is quoted", CV_FMT(r->written[i])),
               CV_STR("look the id up; what is new needs an id of your own"));
}

static void ask_entity(reading *r, size_t i)
{
    cv_parsed_mark *item = &r->response->items[i];
    cv_id id = {0};
    item->kind = (cv_kind)item->mark->type;
    r->written[i] = item->mark->id;
    bool has_id = item->mark->id.n && cv_id_parse(item->mark->id, &id);
    if (cv_says_none(item->mark->label) && !(has_id && id.form == CV_ID_DISPLAY))
        remark(item, CV_STR("says_none"), CV_STR("the mark says that there is nothing"), CV_STR("leave the mark out"));
    else if (cv_mark_headline(r->a, item->mark).n == 0)
        remark(item, CV_STR("empty_mark"), CV_STR("the mark has neither label nor text"),
               CV_STR("write a label after the id, and the text below it"));
    else if (!has_id)
        ask(r, i, NUMBERED, 0);
    else if (id.kind != item->kind)
        remark(item, CV_STR("wrong_kind"),
               cv_arena_printf(r->a, "%.*s is the id of a %.*s, the mark is a %.*s", CV_FMT(item->mark->id),
                               CV_FMT(cv_kinds[id.kind].word), CV_FMT(cv_kinds[item->kind].word)),
               cv_arena_printf(r->a, "write an id with %c", cv_kinds[item->kind].letter));
    else if (id.form == CV_ID_LOCAL)
        ask_local(r, i, &id);
    else if (id.form == CV_ID_DISPLAY)
        ask_display(r, i, &id);
    else
        ask(r, i, SHORT, id.suffix.n ? 0 : id.number);
}

/* [REFINEMENT P01: …] is a position in the place of another and of its kind; about a tension, a perspective. */
static cv_kind kind_of_refinement(const cv_mark *m)
{
    cv_str rest = m->targets;
    cv_id id;
    while (cv_target_next(&rest, &id))
        if (id.form != CV_ID_EXPERT && id.kind != CV_KIND_TENSION)
            return id.kind;
    return CV_KIND_PERSPECTIVE;
}

static void ask_all(reading *r)
{
    for (size_t i = 0; i < r->response->count; i++) {
        cv_parsed_mark *item = &r->response->items[i];
        const cv_mark *m = item->mark;
        if (m->type < (cv_mark_type)CV_KIND_COUNT) {
            ask_entity(r, i);
        } else if (!item->mentioned &&
                   (m->type == CV_MARK_REFINEMENT || (m->type == CV_MARK_CONCESSION && !m->targets.n)) &&
                   cv_mark_headline(r->a, m).n) {
            item->kind = kind_of_refinement(m);
            if (cv_says_none(m->label))
                remark(item, CV_STR("says_none"), CV_STR("the mark says that there is nothing"),
                       CV_STR("leave the mark out"));
            else
                ask(r, i, NUMBERED, 0);
        }
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static bool same_label(cv_str x, cv_str y)
{
    return x.n == 0 || y.n == 0 || cv_str_eq_nocase(x, y);
}

/* The same id with the same label, or in passing, speaks of what was said before. */
static bool speaks_of(const cv_parsed_mark *item, const cv_parsed_mark *known)
{
    return item->in_passing || same_label(item->mark->label, known->mark->label);
}

static cv_parsed_mark *known_as(const reading *r, size_t i)
{
    const uintptr_t *at = r->written[i].n ? cv_map_get(&r->response->ids, r->written[i]) : NULL;
    return at ? (cv_parsed_mark *)*at : r->slots[r->response->items[i].kind][r->numbers[i]];
}

static int next_free(reading *r, cv_kind kind)
{
    int *free = &r->free[kind];
    while (*free <= CV_MAX_SEQ && r->slots[kind][*free])
        ++*free;
    return *free;
}

static void take(reading *r, size_t i, int number)
{
    cv_parsed_mark *item = &r->response->items[i];
    cv_id id = {CV_ID_LOCAL, item->kind, r->round, number, r->response->expert, {NULL, 0}};
    bool is_new;
    assert(is_usable(number) && !r->slots[item->kind][number] && !item->first);
    item->local_id = cv_id_print(r->a, &id);
    item->first = true;
    r->slots[item->kind][number] = item;
    *cv_map_put(&r->response->ids, r->a, item->local_id, NULL) = (uintptr_t)item;
    if (r->written[i].n == 0)
        return;
    uintptr_t *place = cv_map_put(&r->response->ids, r->a, r->written[i], &is_new);
    if (is_new)
        *place = (uintptr_t)item;
}

static void number_anew(reading *r, size_t i, bool taken)
{
    cv_parsed_mark *item = &r->response->items[i];
    cv_str was = r->written[i].n ? r->written[i] : cv_marks_table[item->mark->type].word;
    int number = next_free(r, item->kind);
    if (number > CV_MAX_SEQ) {
        remark(
            item, CV_STR("too_many"),
            cv_arena_printf(r->a, "more than %d %.*s in one response", CV_MAX_SEQ, CV_FMT(cv_kinds[item->kind].plural)),
            CV_STR("merge what says the same, or leave the lesser ones out"));
        return;
    }
    take(r, i, number);
    remark(item, taken ? CV_STR("duplicate_id") : CV_STR("renumbered"),
           cv_arena_printf(r->a, "%.*s %s; it is read as %.*s", CV_FMT(was),
                           taken             ? "is used for something else"
                           : r->written[i].n ? "is not an id of this expert and round"
                                             : "has no id of its own",
                           CV_FMT(item->local_id)),
           cv_arena_printf(r->a, "write [%.*s: label]", CV_FMT(item->local_id)));
}

static void number_one(reading *r, size_t i)
{
    cv_parsed_mark *item = &r->response->items[i], *known = known_as(r, i);
    if (known && speaks_of(item, known)) {
        item->local_id = known->local_id;
        item->kind = known->kind;
    } else if (!known && is_usable(r->numbers[i])) {
        take(r, i, r->numbers[i]);
    } else {
        number_anew(r, i, known);
    }
    assert((item->local_id.n > 0 || item->note.n > 0) && "what has no number says why");
}

/* What is named in a sentence waits for a mark of its own with the same id. */
static bool is_named_in_passing(const cv_parsed_mark *item)
{
    return item->in_passing && item->mark->inlined;
}

static void number_all(reading *r)
{
    for (int step = 0; step < 2 * TURN_COUNT; step++)
        for (size_t i = 0; i < r->response->count; i++) {
            turn whose = (turn)(step / 2);
            cv_parsed_mark *item = &r->response->items[i];
            if (!item->makes || r->turns[i] != whose || is_named_in_passing(item) != (step % 2 == 1))
                continue;
            /* Of two that ask for one number the second waits until all others have theirs. */
            const cv_parsed_mark *known = whose < NUMBERED ? known_as(r, i) : NULL;
            if (known && !speaks_of(item, known))
                r->turns[i] = NUMBERED;
            else
                number_one(r, i);
        }
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Are there words before the mark on its line? A list's dash and bold are none. */
static bool is_in_passing(cv_str text, size_t start)
{
    const char *at = text.p + start;
    while (at > text.p && at[-1] != '\n' && !cv_is_alnum(at[-1]) && (unsigned char)at[-1] < 0x80)
        at--;
    return at > text.p && at[-1] != '\n';
}

/* From the text as it is read to the text as it came. */
static void lead_back(const cv_plain *plain, cv_mark *m)
{
    m->start = cv_plain_start(plain, m->start);
    m->end = cv_plain_end(plain, m->end);
    m->body_start = cv_plain_start(plain, m->body_start);
    m->body_end = cv_plain_end(plain, m->body_end);
    m->line = cv_plain_line(plain, m->line);
}

/* From the text in a JSON value to the JSON. */
static void lead_out(const cv_plain *plain, cv_mark *m)
{
    m->start = cv_plain_source(plain, m->start);
    m->end = cv_plain_source(plain, m->end);
    m->body_start = cv_plain_source(plain, m->body_start);
    m->body_end = cv_plain_source(plain, m->body_end);
}

/* A comment over several lines: it begins a line, and is closed. */
typedef struct {
    size_t start, end;
} comment;

/* Does this place lie in one? `c` is the one looked at last: places come in their order. */
static bool is_in_comment(cv_str text, size_t at, comment *c)
{
    while (c->end <= at && c->end < text.n) {
        size_t open = cv_str_find(cv_str_from(text, c->end), CV_STR("<!--")), start = c->end + open;
        size_t length = open == SIZE_MAX ? SIZE_MAX : cv_str_find(cv_str_from(text, start), CV_STR("-->"));
        size_t line = start;
        while (length != SIZE_MAX && line > c->end && cv_is_blank(text.p[line - 1]))
            line--;
        *c = length == SIZE_MAX                      ? (comment){text.n, text.n}
             : line == 0 || text.p[line - 1] == '\n' ? (comment){start, start + length}
                                                     : (comment){start, start + 1};
    }
    return c->start < at && at < c->end;
}

/* Which marks are only mentioned, in the order of the text as it came. */
static void find_mentions(cv_parsed_response *response)
{
    cv_mark_place place = {0};
    comment around = {0};
    for (size_t i = 0; i < response->count; i++) {
        cv_parsed_mark *item = &response->items[i];
        const cv_mark *m = item->mark;
        place = (cv_mark_place){.who = &response->who,
                                .type = m->type,
                                .label = m->label,
                                .body = m->body,
                                .start = m->start,
                                .end = m->end,
                                .line_start = cv_plain_begin(&response->plain, m->line),
                                .hidden = is_in_comment(response->plain.inner, m->start, &around) ||
                                          cv_plain_is_quoted(&response->plain, m->start),
                                .before = place.end,
                                .is_mention = place.is_mention};
        place.is_mention = item->mentioned = cv_is_mention(response->plain.inner, &place);
    }
}

static bool leads_on(const cv_mark *m, const cv_mark *next)
{
    return next->line == m->line && !next->inlined &&
           (next->type == CV_MARK_REFERENCE || next->type == CV_MARK_MOVE || next->type == CV_MARK_RESOLVED);
}

/* [MUFFIN-P0101: Cheap] [RE:SUPPORT P0001] and the text below: it is the item's, not a reason of the last reference. */
static void give_bodies_back(const cv_parsed_response *response, cv_marks *marks)
{
    cv_str text = response->plain.text;
    for (size_t i = 0; i < marks->count; i++) {
        cv_mark *item = &marks->items[i];
        size_t k = i;
        if (item->type >= (cv_mark_type)CV_KIND_COUNT || item->inlined || !cv_only_signs(item->body))
            continue;
        while (k + 1 < marks->count && leads_on(item, &marks->items[k + 1]) && cv_only_signs(marks->items[k].body))
            k++;
        cv_mark *last = &marks->items[k];
        cv_str between = cv_str_range(text.p + last->end, text.p + (k > i ? last->body_start : last->end));
        if (cv_str_find_char(between, '\n') == SIZE_MAX)
            continue;
        item->body = last->body;
        item->body_start = last->body_start;
        item->body_end = last->body_end;
        last->body = (cv_str){NULL, 0};
        last->body_start = last->body_end = last->end;
    }
}

static void lead_all_back(cv_parsed_response *response, cv_marks *marks)
{
    const cv_plain *plain = &response->plain;
    for (size_t i = 0; i < marks->count; i++) {
        cv_parsed_mark *item = &response->items[i];
        const cv_mark *m = &marks->items[i];
        item->mark = m;
        item->in_passing = is_in_passing(plain->text, m->start);
        item->text = cv_str_trim_right(
            cv_str_range(plain->text.p + m->start, plain->text.p + (m->body_end > m->end ? m->body_end : m->end)));
        lead_back(plain, &marks->items[i]);
    }
    for (size_t i = 0; i < response->unmarked.count; i++) {
        response->unmarked.items[i].line = cv_plain_line(plain, response->unmarked.items[i].line);
        response->unmarked.items[i].last = cv_plain_line(plain, response->unmarked.items[i].last);
    }
    for (size_t i = 0; i < response->findings.count; i++)
        response->findings.items[i].line = cv_plain_line(plain, response->findings.items[i].line);
}

void cv_response_parse(cv_arena *a, const cv_state *s, int64_t round, cv_str expert, cv_str text, bool lenient,
                       cv_parsed_response *ret_response)
{
    cv_doc *doc = CV_NEW(a, cv_doc);
    const cv_speaker who = {a, s, expert, (int)round};
    *ret_response = (cv_parsed_response){.expert = expert,
                                         .text = text,
                                         .round = (int)round,
                                         .who = who,
                                         .plain = {.source = text, .text = text, .inner = text}};
    if (lenient)
        cv_plain_read(&who, text, &ret_response->plain);
    cv_lint_parse_apart(a, ret_response->plain.text, doc, &ret_response->findings);
    cv_unmarked_find(&who, doc, !lenient, &ret_response->unmarked);
    cv_marks marks = cv_doc_marks(a, doc);
    ret_response->count = marks.count;
    ret_response->items = CV_NEW_ARRAY(a, marks.count, cv_parsed_mark);
    reading *r = CV_NEW(a, reading);
    *r = (reading){.a = a, .s = s, .round = (int)round, .response = ret_response};
    r->turns = CV_NEW_ARRAY(a, marks.count, turn);
    r->numbers = CV_NEW_ARRAY(a, marks.count, int);
    r->written = CV_NEW_ARRAY(a, marks.count, cv_str);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        r->free[kind] = 1;
    give_bodies_back(ret_response, &marks);
    lead_all_back(ret_response, &marks);
    if (lenient)
        find_mentions(ret_response);
    for (size_t i = 0; i < marks.count; i++)
        lead_out(&ret_response->plain, &marks.items[i]);
    ask_all(r);
    number_all(r);
}
