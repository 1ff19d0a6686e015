/* speech.c - the marks of one response and what they make; see speech.h. */
#include "dialogue/intake/speech.h"

#include <assert.h>

#include "base/utf8.h"
#include "dialogue/intake/mention.h"
#include "dialogue/lint/lint.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

/* Who is served first: ids in full, short ids, ids without a usable number. */
typedef enum { IN_FULL, SHORT, NUMBERED, TURN_COUNT } turn;

typedef struct {
    cv_arena *a;
    const cv_state *s;
    int round;
    cv_speech *speech;
    turn *turns;     /* of the marks that make something */
    int *numbers;    /* that they ask for */
    cv_str *written; /* their ids, in the one spelling */
    cv_said *slots[CV_KIND_COUNT][CV_MAX_SEQ + 1];
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

static void remark(cv_said *said, cv_str note, cv_str message, cv_str suggestion)
{
    said->note = note;
    said->message = message;
    said->suggestion = suggestion;
}

/* ---- what kind of thing, and which number it asks for ------------------------------------------------------------ */

static bool is_usable(int number)
{
    return number > 0 && number <= CV_MAX_SEQ;
}

static void ask(reading *r, size_t i, turn whose, int number)
{
    assert(whose < TURN_COUNT && !r->speech->items[i].makes);
    r->speech->items[i].makes = true;
    r->turns[i] = is_usable(number) ? whose : NUMBERED;
    r->numbers[i] = is_usable(number) ? number : 0;
}

/* An id in full: the expert's own, another's, or one that names nobody. */
static void ask_local(reading *r, size_t i, const cv_id *id)
{
    cv_said *said = &r->speech->items[i];
    const cv_rec_expert *owner = cv_state_expert(r->s, id->expert);
    bool own = cv_str_eq_nocase(id->expert, r->speech->expert);
    const cv_rec_origin *origin = cv_state_origin(r->s, r->written[i]);
    if (origin && !(own && id->round == r->round))
        said->quoted = origin->display_id;
    if (own && id->round == r->round)
        ask(r, i, IN_FULL, id->number);
    else if (own && origin)
        remark(said, CV_STR("other_round"),
               cv_arena_printf(r->a, "%.*s was registered before: read as a quotation", CV_FMT(r->written[i])),
               CV_STR("refer to it with [RE:…]; what is new needs a number of this round"));
    else if (!own && owner)
        remark(said, CV_STR("foreign_id"),
               cv_arena_printf(r->a, "%.*s is an id of %.*s: read as a quotation", CV_FMT(r->written[i]),
                               CV_FMT(owner->expert_slug)),
               CV_STR("refer to it with [RE:…]; what is new needs an id of your own"));
    else
        ask(r, i, NUMBERED, 0);
}

bool cv_said_is_by(const cv_said *said, cv_str expert)
{
    cv_str rest = said->mark->by, name;
    while (cv_str_split(&rest, ',', &name))
        if (cv_str_eq_nocase(cv_str_trim(name), expert))
            return true;
    return false;
}

/* P0101 as prompts print it: what is registered is quoted; what is not, and would be of this round, is new. */
static void ask_display(reading *r, size_t i, const cv_id *id)
{
    cv_said *said = &r->speech->items[i];
    bool by_others = said->mark->by.n && !cv_said_is_by(said, r->speech->expert);
    if (cv_state_entity(r->s, r->written[i])) {
        said->quoted = r->written[i];
        return;
    }
    if (id->round == r->round && !by_others)
        ask(r, i, SHORT, id->number);
    else
        remark(said, CV_STR("unknown_quotation"),
               cv_arena_printf(r->a, "%.*s is not registered: nothing is quoted", CV_FMT(r->written[i])),
               CV_STR("look the id up; what is new needs an id of your own"));
}

static void ask_entity(reading *r, size_t i)
{
    cv_said *said = &r->speech->items[i];
    cv_id id = {0};
    said->kind = (cv_kind)said->mark->type;
    r->written[i] = said->mark->id;
    if (cv_mark_headline(r->a, said->mark).n == 0)
        remark(said, CV_STR("empty_mark"), CV_STR("the mark has neither label nor text"),
               CV_STR("write a label behind the id, and the text below it"));
    else if (said->mark->id.n == 0 || !cv_id_parse(said->mark->id, &id))
        ask(r, i, NUMBERED, 0);
    else if (id.kind != said->kind)
        remark(said, CV_STR("wrong_kind"),
               cv_arena_printf(r->a, "%.*s is the id of a %.*s, the mark is a %.*s", CV_FMT(said->mark->id),
                               CV_FMT(cv_kinds[id.kind].word), CV_FMT(cv_kinds[said->kind].word)),
               cv_arena_printf(r->a, "write an id with %c", cv_kinds[said->kind].letter));
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
    for (size_t i = 0; i < r->speech->count; i++) {
        cv_said *said = &r->speech->items[i];
        const cv_mark *m = said->mark;
        if (m->type < (cv_mark_type)CV_KIND_COUNT) {
            ask_entity(r, i);
        } else if (!said->spoken_of &&
                   (m->type == CV_MARK_REFINEMENT || (m->type == CV_MARK_CONCESSION && !m->targets.n)) &&
                   cv_mark_headline(r->a, m).n) {
            said->kind = kind_of_refinement(m);
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
static bool speaks_of(const cv_said *said, const cv_said *known)
{
    return said->in_passing || same_label(said->mark->label, known->mark->label);
}

static cv_said *known_as(const reading *r, size_t i)
{
    const uintptr_t *at = r->written[i].n ? cv_map_get(&r->speech->meant, r->written[i]) : NULL;
    return at ? (cv_said *)*at : r->slots[r->speech->items[i].kind][r->numbers[i]];
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
    cv_said *said = &r->speech->items[i];
    cv_id id = {CV_ID_LOCAL, said->kind, r->round, number, r->speech->expert, {NULL, 0}};
    bool is_new;
    assert(is_usable(number) && !r->slots[said->kind][number] && !said->first);
    said->local_id = cv_id_print(r->a, &id);
    said->first = true;
    r->slots[said->kind][number] = said;
    *cv_map_put(&r->speech->meant, r->a, said->local_id, NULL) = (uintptr_t)said;
    if (r->written[i].n == 0)
        return;
    uintptr_t *place = cv_map_put(&r->speech->meant, r->a, r->written[i], &is_new);
    if (is_new)
        *place = (uintptr_t)said;
}

static void number_anew(reading *r, size_t i, bool taken)
{
    cv_said *said = &r->speech->items[i];
    cv_str was = r->written[i].n ? r->written[i] : cv_marks_table[said->mark->type].word;
    int number = next_free(r, said->kind);
    if (number > CV_MAX_SEQ) {
        remark(
            said, CV_STR("too_many"),
            cv_arena_printf(r->a, "more than %d %.*s in one response", CV_MAX_SEQ, CV_FMT(cv_kinds[said->kind].plural)),
            CV_STR("merge what says the same, or leave the lesser ones out"));
        return;
    }
    take(r, i, number);
    remark(said, taken ? CV_STR("duplicate_id") : CV_STR("renumbered"),
           cv_arena_printf(r->a, "%.*s %s; it is read as %.*s", CV_FMT(was),
                           taken             ? "stands for something else already"
                           : r->written[i].n ? "is not an id of this expert and round"
                                             : "has no id of its own",
                           CV_FMT(said->local_id)),
           cv_arena_printf(r->a, "write [%.*s: label]", CV_FMT(said->local_id)));
}

static void number_one(reading *r, size_t i)
{
    cv_said *said = &r->speech->items[i], *known = known_as(r, i);
    if (known && speaks_of(said, known)) {
        said->local_id = known->local_id;
        said->kind = known->kind;
    } else if (!known && is_usable(r->numbers[i])) {
        take(r, i, r->numbers[i]);
    } else {
        number_anew(r, i, known);
    }
    assert((said->local_id.n > 0 || said->note.n > 0) && "what has no number says why");
}

/* What is named in a sentence waits for a mark of its own with the same id. */
static bool is_named_in_passing(const cv_said *said)
{
    return said->in_passing && said->mark->inlined;
}

static void number_all(reading *r)
{
    for (int step = 0; step < 2 * TURN_COUNT; step++)
        for (size_t i = 0; i < r->speech->count; i++) {
            turn whose = (turn)(step / 2);
            cv_said *said = &r->speech->items[i];
            if (!said->makes || r->turns[i] != whose || is_named_in_passing(said) != (step % 2 == 1))
                continue;
            /* Of two that ask for one number the second waits until all others have theirs. */
            const cv_said *known = whose < NUMBERED ? known_as(r, i) : NULL;
            if (known && !speaks_of(said, known))
                r->turns[i] = NUMBERED;
            else
                number_one(r, i);
        }
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Do words stand before the mark on its line? A list's dash and bold are none. */
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

/* Which marks are only spoken of, in the order of the text as it came. */
static void find_mentions(cv_speech *speech)
{
    cv_mention_before before = {0};
    for (size_t i = 0; i < speech->count; i++) {
        cv_said *said = &speech->items[i];
        const cv_mark *m = said->mark;
        said->spoken_of = cv_is_mention(speech->text, m->type, m->start, m->end, before);
        before = (cv_mention_before){m->end, said->spoken_of};
    }
}

static void lead_all_back(cv_speech *speech, cv_marks *marks)
{
    const cv_plain *plain = &speech->plain;
    for (size_t i = 0; i < marks->count; i++) {
        cv_said *said = &speech->items[i];
        const cv_mark *m = &marks->items[i];
        said->mark = m;
        said->in_passing = is_in_passing(plain->text, m->start);
        said->text = cv_str_trim_right(
            cv_str_range(plain->text.p + m->start, plain->text.p + (m->body_end > m->end ? m->body_end : m->end)));
        lead_back(plain, &marks->items[i]);
    }
    for (size_t i = 0; i < speech->unmarked.count; i++) {
        speech->unmarked.items[i].line = cv_plain_line(plain, speech->unmarked.items[i].line);
        speech->unmarked.items[i].last = cv_plain_line(plain, speech->unmarked.items[i].last);
    }
    for (size_t i = 0; i < speech->findings.count; i++)
        speech->findings.items[i].line = cv_plain_line(plain, speech->findings.items[i].line);
}

void cv_speech_read(cv_arena *a, const cv_state *s, int64_t round, cv_str expert, cv_str text, bool lenient,
                    cv_speech *ret_speech)
{
    cv_doc *doc = CV_NEW(a, cv_doc);
    const cv_speaker who = {a, s, expert, (int)round};
    *ret_speech =
        (cv_speech){.expert = expert, .text = text, .round = (int)round, .plain = {.source = text, .text = text}};
    if (lenient)
        cv_plain_read(&who, text, &ret_speech->plain);
    cv_lint_parse_apart(a, ret_speech->plain.text, doc, &ret_speech->findings);
    cv_unmarked_find(&who, doc, !lenient, &ret_speech->unmarked);
    cv_marks marks = cv_doc_marks(a, doc);
    ret_speech->count = marks.count;
    ret_speech->items = CV_NEW_ARRAY(a, marks.count, cv_said);
    reading *r = CV_NEW(a, reading);
    *r = (reading){.a = a, .s = s, .round = (int)round, .speech = ret_speech};
    r->turns = CV_NEW_ARRAY(a, marks.count, turn);
    r->numbers = CV_NEW_ARRAY(a, marks.count, int);
    r->written = CV_NEW_ARRAY(a, marks.count, cv_str);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        r->free[kind] = 1;
    lead_all_back(ret_speech, &marks);
    if (lenient)
        find_mentions(ret_speech);
    ask_all(r);
    number_all(r);
}
