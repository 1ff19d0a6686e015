/* address.c - what can be cited of a dialogue; see address.h. */
#include "dialogue/view/address.h"

#include "base/utf8.h"
#include "dialogue/faults.h"
#include "dialogue/people.h"
#include "dialogue/place.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* What is before the name of a thing, its letter in events, and the word for it. */
static const struct {
    cv_str before;
    char letter;
    cv_str word;
} things[CV_THING_COUNT] = {
    [CV_THING_ENTITY] = {CV_STR_INIT(""), 0, CV_STR_INIT("entity")},
    [CV_THING_EXPERT] = {CV_STR_INIT("@"), 'X', CV_STR_INIT("expert")},
    [CV_THING_VERDICT] = {CV_STR_INIT("verdict-"), 'V', CV_STR_INIT("verdict")},
    [CV_THING_ROUND] = {CV_STR_INIT("round-"), 'O', CV_STR_INIT("round")},
    [CV_THING_PANEL] = {CV_STR_INIT("panel-"), 'N', CV_STR_INIT("panel")},
    [CV_THING_RESPONSE] = {CV_STR_INIT("response-"), 'S', CV_STR_INIT("response")},
    [CV_THING_DIALOGUE] = {CV_STR_INIT("dialogue"), 'D', CV_STR_INIT("dialogue")},
};

cv_str cv_address_kind(const cv_address *address)
{
    return address->thing == CV_THING_ENTITY ? cv_kinds[cv_kind_of_letter(address->subject_type)].word
                                             : things[address->thing].word;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static cv_str spelled(cv_arena *a, cv_thing thing, cv_str name)
{
    return cv_arena_join(a, things[thing].before, name);
}

static cv_str upper(cv_arena *a, cv_str text)
{
    char *p = cv_arena_dup(a, text.p, text.n);
    for (size_t i = 0; i < text.n; i++)
        p[i] = cv_upper(p[i]);
    return (cv_str){p, text.n};
}

static bool read_entity(cv_arena *a, cv_str text, cv_address *ret)
{
    cv_id id;
    cv_str big = text.n <= CV_MAX_SLUG + 6 ? upper(a, text) : CV_STR("");
    if (!cv_id_parse(big, &id) || (id.form != CV_ID_DISPLAY && id.form != CV_ID_LOCAL))
        return false;
    cv_str spelling = cv_id_print(a, &id);
    *ret = (cv_address){.thing = CV_THING_ENTITY,
                        .id = spelling,
                        .subject_id = spelling,
                        .subject_type = cv_kinds[id.kind].letter,
                        .is_local = id.form == CV_ID_LOCAL};
    return true;
}

/* The number at the beginning of `*rest`, one or two digits without a leading zero; the rest behind it. */
static bool take_round(cv_str *rest, int *ret_round)
{
    size_t n = 0;
    while (n < rest->n && cv_is_digit(rest->p[n]))
        n++;
    if (n == 0 || n > 2 || (n == 2 && rest->p[0] == '0') || !cv_str_to_int(cv_str_head(*rest, n), ret_round))
        return false;
    *rest = cv_str_from(*rest, n);
    return true;
}

static bool read_numbered(cv_arena *a, cv_thing thing, cv_str text, cv_address *ret)
{
    cv_str name = cv_str_from(text, things[thing].before.n), rest = name;
    int round;
    if (!cv_str_starts_nocase(text, things[thing].before) || !take_round(&rest, &round))
        return false;
    bool of_expert = thing == CV_THING_RESPONSE;
    cv_str expert = of_expert && rest.n ? cv_arena_lower(a, cv_str_from(rest, 1)) : CV_STR("");
    if (of_expert ? rest.n < 2 || rest.p[0] != '-' || !cv_slug_ok(expert) : rest.n > 0)
        return false;
    cv_str id = of_expert ? cv_turn_key(a, round, expert) : name;
    *ret = (cv_address){.thing = thing,
                        .id = spelled(a, thing, cv_arena_lower(a, name)),
                        .subject_id = id,
                        .subject_type = things[thing].letter,
                        .round = round,
                        .expert = expert};
    return true;
}

static bool read_named(cv_arena *a, cv_thing thing, cv_str name, cv_address *ret)
{
    if (!cv_slug_ok(name))
        return false;
    *ret = (cv_address){
        .thing = thing, .id = spelled(a, thing, name), .subject_id = name, .subject_type = things[thing].letter};
    return true;
}

bool cv_address_parse(cv_arena *a, cv_str text, cv_address *ret)
{
    text = cv_str_trim(text);
    if (read_entity(a, text, ret) || read_numbered(a, CV_THING_ROUND, text, ret) ||
        read_numbered(a, CV_THING_PANEL, text, ret) || read_numbered(a, CV_THING_RESPONSE, text, ret))
        return true;
    if (cv_str_eq_nocase(text, things[CV_THING_DIALOGUE].before)) {
        *ret = (cv_address){.thing = CV_THING_DIALOGUE,
                            .id = things[CV_THING_DIALOGUE].before,
                            .subject_type = things[CV_THING_DIALOGUE].letter};
        return true;
    }
    if (cv_str_starts(text, things[CV_THING_EXPERT].before))
        return read_named(a, CV_THING_EXPERT, cv_arena_lower(a, cv_str_from(text, 1)), ret);
    return read_named(a, CV_THING_VERDICT, text, ret);
}

cv_str cv_address_of_subject(cv_arena *a, const cv_rec_event *event)
{
    for (size_t thing = 0; thing < CV_THING_COUNT; thing++) {
        if (event->subject_type.n != 1 || things[thing].letter != event->subject_type.p[0])
            continue;
        if (thing == CV_THING_DIALOGUE)
            return things[thing].before;
        cv_str id = spelled(a, (cv_thing)thing, event->subject_id);
        size_t slash = cv_str_find_char(id, '/');
        return slash == SIZE_MAX ? id
                                 : cv_arena_printf(a, "%.*s-%.*s", CV_FMT(cv_str_head(id, slash)),
                                                   CV_FMT(cv_str_from(id, slash + 1)));
    }
    return event->subject_id;
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static cv_words verdict_names(cv_arena *a, const cv_state *s)
{
    cv_str *names = CV_NEW_ARRAY(a, s->verdicts.count, cv_str);
    for (size_t i = 0; i < s->verdicts.count; i++)
        names[i] = s->verdicts.items[i].verdict_id;
    return (cv_words){names, s->verdicts.count};
}

static bool not_there(const cv_address *address, cv_err_code code, cv_str word, cv_err *err)
{
    cv_err_set(err, code, "there is no %.*s '%.*s'", CV_FMT(word), CV_FMT(address->id));
    cv_err_value(err, address->id);
    return false;
}

static bool find_expert(const cv_state *names, const cv_address *address, cv_str slug, cv_err *err)
{
    if (cv_state_expert(names, slug))
        return true;
    not_there(address, CV_ERR_UNKNOWN_EXPERT, things[CV_THING_EXPERT].word, err);
    cv_suggest_expert(err, names, slug, "@");
    return false;
}

/* As it is written, in any case, and then without "verdict-" before it. */
static const cv_rec_verdict *verdict_called(const cv_state *names, cv_str name)
{
    for (int shorter = 0; shorter < 2; shorter++) {
        for (size_t i = 0; i < names->verdicts.count; i++)
            if (cv_str_eq_nocase(names->verdicts.items[i].verdict_id, name))
                return &names->verdicts.items[i];
        if (!cv_str_starts_nocase(name, things[CV_THING_VERDICT].before))
            return NULL;
        name = cv_str_from(name, things[CV_THING_VERDICT].before.n);
    }
    return NULL;
}

static bool find_verdict(cv_arena *a, const cv_state *names, cv_address *address, cv_err *err)
{
    const cv_rec_verdict *verdict = cv_state_verdict(names, address->subject_id);
    verdict = verdict ? verdict : verdict_called(names, address->subject_id);
    if (!verdict)
        return cv_address_invalid(names, address->subject_id, err);
    address->subject_id = verdict->verdict_id;
    address->id = spelled(a, CV_THING_VERDICT, verdict->verdict_id);
    return true;
}

static bool find_round(const cv_state *names, const cv_address *address, cv_err *err)
{
    if (cv_state_round(names, address->round))
        return true;
    not_there(address, CV_ERR_TARGET_NOT_FOUND, cv_address_kind(address), err);
    int64_t last = cv_state_next_round(names) - 1;
    cv_err_suggest(err, last < 0 ? CV_STR("no round is registered yet")
                                 : cv_arena_printf(err->arena, "the last one is round-%lld", (long long)last));
    return false;
}

static bool find_panel(const cv_state *names, const cv_address *address, cv_err *err)
{
    for (size_t i = 0; i < names->seats.count; i++)
        if (names->seats.items[i].round == address->round)
            return true;
    not_there(address, CV_ERR_TARGET_NOT_FOUND, cv_address_kind(address), err);
    cv_err_suggest(err, CV_STR("a round without one has the panel of the round before"));
    return false;
}

/* VERDICT-P0001 reads as a local id, too: when no expert has raised it, a verdict may be called p0001. */
static bool find_local(cv_arena *a, const cv_state *names, cv_address *address, cv_err *err)
{
    const cv_rec_origin *origin = cv_state_origin(names, address->id);
    cv_address verdict;
    if (!origin && read_named(a, CV_THING_VERDICT, address->id, &verdict) &&
        verdict_called(names, verdict.subject_id)) {
        *address = verdict;
        return find_verdict(a, names, address, err);
    }
    if (!origin) {
        not_there(address, CV_ERR_TARGET_NOT_FOUND, CV_STR("local id"), err);
        cv_err_operation(err, CV_STR("dialogue expand"));
        cv_err_suggest(err, CV_STR("of @expert lists everything that the expert has raised"));
        return false;
    }
    *address = (cv_address){.thing = CV_THING_ENTITY,
                            .id = cv_arena_copy(a, origin->display_id),
                            .subject_id = origin->display_id,
                            .subject_type = origin->display_id.p[0]};
    return true;
}

bool cv_address_find(cv_arena *a, const cv_state *names, cv_address *address, cv_err *err)
{
    switch (address->thing) {
    case CV_THING_EXPERT:
        return find_expert(names, address, address->subject_id, err);
    case CV_THING_VERDICT:
        return find_verdict(a, names, address, err);
    case CV_THING_ROUND:
        return find_round(names, address, err);
    case CV_THING_RESPONSE:
        return find_expert(names, address, address->expert, err);
    case CV_THING_PANEL:
        return find_panel(names, address, err);
    case CV_THING_DIALOGUE:
        address->subject_id = names->id;
        return true;
    default:
        return !address->is_local || find_local(a, names, address, err);
    }
}

/* ---- what is not there ------------------------------------------------------------------------------------------- */

/* The last one of the same kind and round, or NULL. */
static const cv_rec_entity *last_of_round(const cv_state *all, uint32_t place)
{
    const cv_rec_entity *last = NULL;
    for (size_t i = 0; i < all->entities.count; i++)
        if (cv_place_of_entity(&all->entities.items[i]) / 100 == place / 100)
            last = &all->entities.items[i];
    return last;
}

bool cv_address_missing(const cv_state *all, const cv_address *address, cv_err *err)
{
    uint32_t place = cv_place_of(address->id);
    const cv_rec_entity *last = last_of_round(all, place);
    cv_str word = cv_address_kind(address);
    not_there(address, CV_ERR_TARGET_NOT_FOUND, word, err);
    if (place == CV_NO_PLACE) {
        cv_err_suggest(err, CV_STR("the numbers of a round begin with 01"));
        return false;
    }
    if (last) {
        cv_err_suggest(err, cv_arena_printf(err->arena, "the last %.*s of round %lld is '%.*s'", CV_FMT(word),
                                            (long long)last->round, CV_FMT(cv_entity_id(err->arena, last))));
        return false;
    }
    cv_str *ids = CV_NEW_ARRAY(err->arena, all->entities.count, cv_str);
    for (size_t i = 0; i < all->entities.count; i++)
        ids[i] = cv_entity_id(err->arena, &all->entities.items[i]);
    if (!cv_err_nearest(err, address->id, ids, all->entities.count))
        cv_err_suggest(err, cv_arena_printf(err->arena, "that round has no %.*s",
                                            CV_FMT(cv_kinds[cv_kind_of_letter(address->subject_type)].plural)));
    return false;
}

bool cv_address_invalid(const cv_state *names, cv_str text, cv_err *err)
{
    cv_str shown = cv_excerpt(err->arena, text);
    cv_err_set(err, CV_ERR_INVALID_VALUE, "'%.*s' is neither an id nor a verdict of this dialogue", CV_FMT(shown));
    cv_err_value(err, shown);
    cv_words verdicts = verdict_names(err->arena, names);
    if (!cv_err_nearest(err, text, verdicts.items, verdicts.count) && !cv_suggest_expert(err, names, text, "@"))
        cv_err_suggest(err, CV_STR("write P0101, MUFFIN-P0101, @muffin, round-1 or the name of a verdict"));
    return false;
}
