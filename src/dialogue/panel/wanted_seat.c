/* wanted_seat.c - who the judge wants to sit where; see wanted_seat.h. */
#include "dialogue/panel/wanted_seat.h"

#include "base/utf8.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"

cv_err *cv_wanted_seat_refuse(const cv_evolution *e, const cv_wanted_seat *c, cv_err_code code, const char *field,
                              cv_str value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(e->call->arena, format, args);
    va_end(args);
    return cv_refuse(e->call, code, c->at, field, value, "%.*s", CV_FMT(message));
}

/* ---- who is meant ------------------------------------------------------------------------------------------------ */

/* By name, else by role; a role that two experts share says nothing. NULL: none, or a fault was added. */
static const cv_rec_expert *find_expert(const cv_evolution *e, const cv_wanted_seat *c)
{
    const cv_rec_expert *found = NULL;
    if (c->person.slug.n)
        return cv_state_expert(&e->s, c->person.slug);
    for (size_t i = 0; c->person.role.n && i < e->s.experts.count; i++) {
        const cv_rec_expert *expert = &e->s.experts.items[i];
        if (!cv_str_eq_nocase(expert->role, c->person.role))
            continue;
        if (found) {
            cv_err_suggest(
                cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "role", c->person.role, "two experts have this role"),
                cv_arena_printf(e->call->arena, "name one by its slug: '%.*s' or '%.*s'", CV_FMT(found->expert_slug),
                                CV_FMT(expert->expert_slug)));
            return NULL;
        }
        found = expert;
    }
    return found;
}

/* What is said about an expert who takes part already must fit. */
static void check_fits(const cv_evolution *e, const cv_wanted_seat *c, const cv_rec_expert *expert)
{
    if (c->person.role.n && !cv_str_eq_nocase(c->person.role, expert->role))
        cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "role", c->person.role, "'%.*s' is the %.*s",
                                             CV_FMT(expert->expert_slug), CV_FMT(expert->role)),
                       CV_STR("names stay with their experts: leave the role out, or leave the name out"));
    if (c->person.tier >= 0 && !cv_str_eq(cv_tier_words.items[c->person.tier], expert->tier))
        cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "tier", cv_tier_words.items[c->person.tier],
                                             "'%.*s' is %.*s", CV_FMT(expert->expert_slug), CV_FMT(expert->tier)),
                       CV_STR("tiers stay with their experts: leave it out"));
}

static void refuse_unknown(const cv_evolution *e, const cv_wanted_seat *c)
{
    cv_str *slugs;
    bool by_name = c->person.slug.n > 0;
    cv_str value = by_name ? c->person.slug : c->person.role;
    size_t count = cv_state_slugs(e->call->arena, &e->s, &slugs);
    cv_err *err =
        cv_wanted_seat_refuse(e, c, CV_ERR_UNKNOWN_EXPERT, by_name ? "slug" : "role", value,
                              "no expert of the dialogue is '%.*s'", CV_FMT(cv_excerpt(e->call->arena, value)));
    cv_refuse_words(err, slugs, count);
    cv_suggest_expert(err, &e->s, value, "");
}

/* ---- the three sources ------------------------------------------------------------------------------------------- */

static void take_known(cv_evolution *e, cv_wanted_seat *c, const cv_rec_expert *expert)
{
    c->row = *expert;
    check_fits(e, c, expert);
    if (c->source == CV_SOURCE_RETAINED || !cv_person_sat_before(&e->s, expert->expert_slug, e->round))
        return;
    c->source = CV_SOURCE_RETAINED;
    cv_notice_expert(cv_notice_add(&e->warnings, e->call->arena, CV_STR("sat_before"),
                                   "'%.*s' sat in an earlier round: recorded as retained", CV_FMT(expert->expert_slug)),
                     expert->expert_slug);
}

static void take_retained(cv_evolution *e, cv_wanted_seat *c)
{
    size_t before = e->call->errs->count;
    const cv_rec_expert *expert = find_expert(e, c);
    if (!expert) {
        if (e->call->errs->count == before)
            refuse_unknown(e, c);
        return;
    }
    take_known(e, c, expert);
    if (!cv_person_sat_before(&e->s, expert->expert_slug, e->round)) {
        cv_err *err =
            cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "source", cv_source_words.items[CV_SOURCE_RETAINED],
                                  "'%.*s' has had no seat yet", CV_FMT(expert->expert_slug));
        cv_err_suggest(err, cv_arena_printf(e->call->arena, "its source is '%.*s'", CV_FMT(expert->source)));
    }
}

static void refuse_not_in_pool(const cv_evolution *e, const cv_wanted_seat *c)
{
    cv_str *roles = CV_NEW_ARRAY(e->call->arena, e->pool.count, cv_str);
    for (size_t i = 0; i < e->pool.count; i++)
        roles[i] = e->pool.items[i].role;
    bool by_role = c->person.role.n > 0;
    cv_str value = by_role ? c->person.role : c->person.slug;
    cv_err *err = cv_wanted_seat_refuse(e, c, CV_ERR_UNKNOWN_EXPERT, by_role ? "role" : "slug", value,
                                        "the pool has no '%.*s'", CV_FMT(cv_excerpt(e->call->arena, value)));
    cv_refuse_words(err, roles, e->pool.count);
    if (!err->suggestion.n)
        cv_err_suggest(err, CV_STR("members of the pool are named by their role"));
}

/* Someone of the pool joins for the first time, under its own name, the judge's choice, or the next free one. */
static void take_member(cv_evolution *e, cv_wanted_seat *c, const cv_person *member)
{
    const cv_person *owner = cv_pool_by_slug(&e->pool, c->person.slug);
    if (member->slug.n && c->person.slug.n && owner != member) {
        cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "slug", c->person.slug, "the %.*s is '%.*s'",
                                             CV_FMT(member->role), CV_FMT(member->slug)),
                       CV_STR("leave the slug out"));
        return;
    }
    if (owner && owner != member) {
        cv_wanted_seat_refuse(e, c, CV_ERR_EXPERT_EXISTS, "slug", c->person.slug,
                              "'%.*s' is reserved for the %.*s of the pool", CV_FMT(c->person.slug),
                              CV_FMT(owner->role));
        return;
    }
    c->fresh = true;
    c->row = cv_person_row(member, member->slug.n ? member->slug : c->person.slug, CV_SOURCE_POOL, 0, e->round,
                           (cv_str){NULL, 0});
}

static void take_from_pool(cv_evolution *e, cv_wanted_seat *c)
{
    const cv_rec_expert *named = c->person.slug.n ? cv_state_expert(&e->s, c->person.slug) : NULL;
    const cv_person *member = cv_pool_by_role(&e->pool, c->person.role);
    if (!member && !c->person.role.n)
        member = cv_pool_by_slug(&e->pool, c->person.slug);
    const cv_rec_expert *joined = member ? cv_pool_expert(&e->s, member) : NULL;
    bool is_pool = named && cv_str_eq(named->source, cv_source_words.items[CV_SOURCE_POOL]);
    if (named && !is_pool)
        cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "source",
                                             cv_source_words.items[CV_SOURCE_POOL],
                                             "'%.*s' was created, it is not from the pool", CV_FMT(named->expert_slug)),
                       CV_STR("its source is 'created'"));
    else if (named)
        take_known(e, c, named);
    else if (joined && c->person.slug.n)
        cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "slug", c->person.slug, "the %.*s is '%.*s'",
                                             CV_FMT(joined->role), CV_FMT(joined->expert_slug)),
                       CV_STR("names stay with their experts: leave the slug out"));
    else if (joined)
        take_known(e, c, joined);
    else if (member)
        take_member(e, c, member);
    else
        refuse_not_in_pool(e, c);
}

/* Somebody whom neither the dialogue nor its pool knows yet. */
static void take_new(cv_evolution *e, cv_wanted_seat *c)
{
    static const char *const want[] = {"role", "tier", "reason"};
    const bool has[] = {c->person.role.n > 0, c->person.tier >= 0, c->person.reason.n > 0};
    bool sound = true;
    for (size_t i = 0; i < CV_COUNT(want); i++) {
        sound &= has[i];
        if (!has[i])
            cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_MISSING_FIELD, want[i], (cv_str){NULL, 0},
                                                 "a new expert needs a %s", want[i]),
                           CV_STR("give role, tier and reason, or use expert-create first"));
    }
    c->fresh = sound;
    if (sound)
        c->row = cv_person_row(&c->person, c->person.slug, CV_SOURCE_CREATED, 0, e->round, (cv_str){NULL, 0});
}

static void take_created(cv_evolution *e, cv_wanted_seat *c)
{
    size_t before = e->call->errs->count;
    const cv_rec_expert *expert = find_expert(e, c);
    const cv_person *owner = cv_pool_by_slug(&e->pool, c->person.slug);
    if (expert && cv_str_eq(expert->source, cv_source_words.items[CV_SOURCE_POOL])) {
        cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "source",
                                             cv_source_words.items[CV_SOURCE_CREATED], "'%.*s' is from the pool",
                                             CV_FMT(expert->expert_slug)),
                       CV_STR("its source is 'pool', or 'retained' once it has sat"));
    } else if (expert) {
        take_known(e, c, expert);
    } else if (owner) {
        cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_EXPERT_EXISTS, "slug", c->person.slug,
                                             "'%.*s' is the %.*s of the pool", CV_FMT(c->person.slug),
                                             CV_FMT(owner->role)),
                       CV_STR("choose another name, or take it from the pool"));
    } else if (e->call->errs->count == before) {
        take_new(e, c);
    }
}

/* Where an expert comes from if nobody says it: as the dialogue and its pool know it; who is in neither is new. */
static cv_source source_of(const cv_evolution *e, const cv_wanted_seat *c)
{
    const cv_rec_expert *expert = find_expert(e, c);
    if (expert && cv_person_sat_before(&e->s, expert->expert_slug, e->round))
        return CV_SOURCE_RETAINED;
    if (expert)
        return (cv_source)cv_words_find(cv_source_words, expert->source);
    bool in_pool = cv_pool_by_slug(&e->pool, c->person.slug) || cv_pool_by_role(&e->pool, c->person.role);
    bool described = c->person.role.n && c->person.tier >= 0;
    return in_pool ? CV_SOURCE_POOL : described ? CV_SOURCE_CREATED : CV_SOURCE_RETAINED;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

void cv_wanted_seat_read(cv_evolution *e, const cv_json *from, size_t i)
{
    static void (*const take[CV_SOURCE_COUNT])(cv_evolution *, cv_wanted_seat *) = {
        [CV_SOURCE_RETAINED] = take_retained, [CV_SOURCE_POOL] = take_from_pool, [CV_SOURCE_CREATED] = take_created};
    cv_wanted_seat *c = &e->seats_wanted[i];
    c->at = cv_arena_printf(e->call->arena, "panel[%zu]", i);
    c->source = (cv_source)cv_words_find(cv_source_words, cv_json_get_text(from, "source"));
    if (!cv_person_read(e->call, from, c->at, &c->person))
        return;
    size_t before = e->call->errs->count;
    if (!cv_json_get(from, CV_STR("source")))
        c->source = source_of(e, c);
    if (e->call->errs->count > before)
        return;
    if (c->source != CV_SOURCE_CREATED && !c->person.slug.n && !c->person.role.n)
        cv_wanted_seat_refuse(e, c, CV_ERR_MISSING_FIELD, "slug", (cv_str){NULL, 0}, "neither slug nor role is given");
    else
        take[c->source](e, c);
}
