/* full_dialogue.c - what a file says in full, and what the record says about it afterwards; see full_dialogue.h. */
#include "dialogue/import/full_dialogue.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/import/full_importing.h"

/* ---- what is told ------------------------------------------------------------------------------------------------ */

cv_full_round *cv_full_round_at(cv_full_dialogue *t, int64_t round, size_t line)
{
    static const cv_points nothing = {CV_ABSENT, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}};
    if (round < 0 || round > CV_MAX_ROUND) {
        cv_script_misunderstand(t->s, t->sheet, line, CV_STR(""), "round %lld: rounds go from 0 to %d",
                                (long long)round, CV_MAX_ROUND);
        return NULL;
    }
    for (; t->round_count <= (size_t)round; t->round_count++)
        t->rounds[t->round_count].points = nothing;
    t->rounds[round].told = true;
    return &t->rounds[round];
}

cv_full_expert *cv_full_expert_at(cv_full_dialogue *t, cv_str slug)
{
    for (size_t i = 0; i < t->experts.count; i++)
        if (cv_str_eq(t->experts.items[i].slug, slug))
            return &t->experts.items[i];
    if (!cv_slug_ok(slug) || cv_str_eq(slug, cv_judge_slug) || t->experts.count >= CV_MAX_EXPERTS) {
        cv_script_misunderstand(t->s, t->sheet, 0, slug, "this cannot be the name of an expert");
        return NULL;
    }
    cv_full_expert *e = CV_PUSH(t->s->arena, &t->experts);
    *e = (cv_full_expert){.slug = slug};
    return e;
}

cv_full_item *cv_full_find(const cv_full_dialogue *t, cv_str id)
{
    const uintptr_t *at = id.n ? cv_map_get(&t->item_at, id) : NULL;
    return at && *at ? &t->items.items[*at - 1] : NULL;
}

void cv_full_turn_add(cv_full_dialogue *t, cv_full_item *item, const cv_full_turn *turn)
{
    size_t i = 0;
    while (i < item->turns.count && item->turns.items[i].round < turn->round)
        i++;
    if (i == item->turns.count || item->turns.items[i].round != turn->round) {
        CV_PUSH(t->s->arena, &item->turns);
        memmove(&item->turns.items[i + 1], &item->turns.items[i], (item->turns.count - i - 1) * sizeof *turn);
    }
    item->turns.items[i] = *turn;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const cv_full_item *a = x, *b = y;
    int order = CV_ORDER(a->round, b->round);
    order = order ? order : CV_ORDER(a->kind, b->kind);
    order = order ? order : CV_ORDER(a->number, b->number);
    return order ? order : cv_str_order(a->id, b->id);
}

/* Items are numbered through in each round, as the record will; an id that comes out otherwise is reported. */
void cv_full_settle(cv_full_dialogue *t, cv_imported *imported)
{
    cv_arena *a = t->s->arena;
    int number = 0;
    if (t->items.count > 1)
        qsort(t->items.items, t->items.count, sizeof *t->items.items, by_place);
    for (size_t i = 0; i < t->items.count; i++) {
        cv_full_item *item = &t->items.items[i];
        number = i && item[-1].round == item->round && item[-1].kind == item->kind ? number + 1 : 1;
        cv_id id = {.form = CV_ID_DISPLAY, .kind = item->kind, .round = item->round, .number = number}, local = id;
        local.form = CV_ID_LOCAL;
        local.expert = item->by.count ? item->by.items[0] : cv_judge_slug;
        item->known = cv_id_print(a, &id);
        if (!item->local_id.n)
            item->local_id = cv_id_print(a, &local);
        *cv_map_put(&t->item_at, a, item->id, NULL) = i + 1;
        if (cv_str_eq(item->known, item->id))
            continue;
        *CV_PUSH(a, &imported->meanings) = (cv_meant){item->id, item->known};
        cv_difference *d = cv_script_differ(t->s, t->sheet, item->line,
                                            cv_arena_printf(a, "id of %.*s", CV_FMT(cv_excerpt(a, item->label))));
        d->says = item->id;
        d->derives = item->known;
        d->why = CV_STR("ids have the round and a number without gaps");
    }
}

/* ---- what the record tells now ------------------------------------------------------------------------------------
 */

static cv_words lines_of(cv_arena *a, cv_str text)
{
    CV_STATE_LIST(cv_str) lines = {0};
    for (cv_str line; cv_str_split(&text, '\n', &line);)
        *CV_PUSH(a, &lines) = cv_str_trim_right(line);
    return (cv_words){lines.items, lines.count};
}

/* How far to look for the place where two texts go on alike. */
static size_t find_again(const cv_words *in, size_t from, cv_str line)
{
    enum { FAR = 64 };
    for (size_t i = from; line.n && i < in->count && i < from + FAR; i++)
        if (cv_str_eq(in->items[i], line))
            return i - from;
    return SIZE_MAX;
}

static void differ(cv_full_dialogue *t, size_t line, cv_str says, cv_str derives)
{
    cv_arena *a = t->s->arena;
    cv_difference *d = cv_script_differ(t->s, t->sheet, line, CV_STR("the transcript"));
    d->says = says.n ? cv_excerpt(a, says) : CV_STR("nothing");
    d->derives = derives.n ? cv_excerpt(a, derives) : CV_STR("nothing");
}

/* Line by line; which state of the record they tell differs by its nature. */
static void compare_lines(cv_full_dialogue *t, const cv_words *said, const cv_words *told)
{
    cv_str record = cv_arena_printf(t->s->arena, "**%.*s**: ", CV_FMT(cv_transcript_record_key));
    for (size_t i = 0, k = 0; i < said->count || k < told->count;) {
        cv_str x = i < said->count ? said->items[i] : CV_STR("");
        cv_str y = k < told->count ? told->items[k] : CV_STR("");
        size_t ahead = cv_str_eq(x, y) ? 0 : find_again(told, k, x),
               behind = cv_str_eq(x, y) ? 0 : find_again(said, i, y);
        bool same = cv_str_eq(x, y) || (cv_str_starts(x, record) && cv_str_starts(y, record));
        if (!same && ahead != SIZE_MAX && ahead <= behind) {
            assert(k + ahead < told->count && "find_again() found it there");
            for (; ahead > 0; ahead--, k++)
                if (told->items[k].n)
                    differ(t, i + 1, (cv_str){NULL, 0}, told->items[k]);
        } else if (!same && behind != SIZE_MAX) {
            assert(i + behind < said->count && "find_again() found it there");
            for (; behind > 0; behind--, i++)
                if (said->items[i].n)
                    differ(t, i + 1, said->items[i], (cv_str){NULL, 0});
        } else {
            if (!same && x.n + y.n > 0)
                differ(t, i + 1, x, y);
            i += i < said->count;
            k += k < told->count;
        }
    }
}

/* What the record has of it: all of it comes from one file. */
static bool count_items(const cv_call *call, cv_record *record, cv_full_dialogue *t, cv_imported *imported)
{
    cv_state *state = CV_NEW(t->s->arena, cv_state);
    if (!cv_script_count(call, record, t->s, imported, state))
        return false;
    t->s->sheets.items[t->sheet].tally = imported->tally;
    return true;
}

bool cv_full_compare_json(const cv_call *call, cv_record *record, cv_full_dialogue *t, cv_imported *imported)
{
    cv_state *state = CV_NEW(t->s->arena, cv_state);
    if (!cv_script_statements(call, record, t->s, imported, state))
        return false;
    t->s->sheets.items[t->sheet].tally = imported->tally;
    for (size_t i = 0; i < t->items.count; i++) {
        const cv_full_item *item = &t->items.items[i];
        const cv_rec_entity *row = cv_state_entity(state, item->known);
        if (item->status < 0 || (row && cv_str_eq(row->status, cv_statuses[item->status].word)))
            continue;
        cv_difference *d = cv_script_differ(t->s, t->sheet, item->line,
                                            cv_arena_printf(t->s->arena, "status of %.*s", CV_FMT(item->id)));
        d->says = cv_statuses[item->status].word;
        d->derives = row ? row->status : CV_STR("nothing");
    }
    return true;
}

bool cv_full_compare(const cv_call *call, cv_record *record, cv_full_dialogue *t, cv_str text, cv_imported *imported)
{
    cv_full_importing p = {.p = {.call = call, .record = record, .s = t->s, .imported = imported}, .t = t};
    cv_transcript *now = CV_NEW(t->s->arena, cv_transcript);
    cv_doc *doc = CV_NEW(t->s->arena, cv_doc);
    cv_buf out = {0};
    if (!cv_full_load(&p, CV_ABSENT, now))
        return false;
    cv_transcript_doc(now, doc);
    cv_doc_render(t->s->arena, doc, &out);
    imported->rev = now->s.position.rev;
    cv_words said = lines_of(t->s->arena, cv_str_trim_right(text)),
             told = lines_of(t->s->arena, cv_str_trim_right(cv_buf_take(&out, t->s->arena)));
    compare_lines(t, &said, &told);
    return count_items(call, record, t, imported);
}

/* What was there cannot be told from a transcript: so that nobody takes its absence for a loss. */
void cv_full_tell_limits(cv_full_dialogue *t)
{
    static const char *const limits[] = {
        "responses as they were sent: the text under an expert's heading is kept as the response",
        "the experts' own ids (MUFFIN-P0101) and the place of an item in its response: items get new ids",
        "what corrected texts said before: they are marked as corrected, by whom and why",
        "how a status changed within a round: the last word of each round counts",
        "the domain and question of the pool: the dialogue's title is the domain",
        "line breaks in the reason of a status, in a condition and in what MOVE:REQUEST asks for",
        "members of the pool who never took part, descriptions and colours of experts",
        "calibration, seed and target, why it was abandoned",
        "times: everything except verdicts gets the dialogue's date",
    };
    for (size_t i = 0; i < CV_COUNT(limits); i++)
        cv_script_decide(t->s, t->sheet, 0, "a transcript does not have %s", limits[i]);
}
