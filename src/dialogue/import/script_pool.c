/* script_pool.c - expert-pool.json and panel.json become part of a script; see script.h.
 *
 * Real pools carry other keys as well and write tiers in any case; upstream wrote panels in two shapes, and by hand in
 * others. What create would refuse is mended here and told.
 */
#include "dialogue/import/script.h"
#include "dialogue/text/line.h"
#include "dialogue/words/limits.h"

cv_str cv_tier_or_usual(cv_str tier, bool *ret_ok)
{
    int found = cv_words_find(cv_tier_words, tier);
    *ret_ok = found >= 0;
    return cv_tier_words.items[found >= 0 ? found : CV_TIER_ADJACENT];
}

cv_str cv_relevance_or_usual(cv_str relevance, bool *ret_ok)
{
    cv_json number = {.type = CV_JSON_NUMBER, .text = relevance};
    double value;
    *ret_ok = relevance.n > 0 && (relevance.p[0] == '0' || relevance.p[0] == '1') && relevance.n != 2 &&
              (relevance.n == 1 || relevance.p[1] == '.');
    for (size_t i = 2; *ret_ok && i < relevance.n; i++)
        *ret_ok = cv_is_digit(relevance.p[i]);
    *ret_ok = *ret_ok && cv_json_to_double(&number, &value) && value <= 1;
    return *ret_ok ? relevance : CV_STR("0.7");
}

static cv_str relevance_text(const cv_json *expert)
{
    const cv_json *value = cv_json_get(expert, CV_STR("relevance"));
    return value && value->type == CV_JSON_NUMBER ? value->text : CV_STR("");
}

/* A member on one line, as long as the record takes it. */
static cv_str phrase_of(cv_script *s, size_t sheet, const cv_json *object, const char *key)
{
    return cv_script_fit(s, sheet, 0, key, cv_squeeze(s->arena, cv_json_get_text(object, key)), CV_MAX_PHRASE);
}

static bool is_list(const cv_json *value)
{
    return value && value->type == CV_JSON_ARRAY;
}

void cv_script_read_pool(cv_script *s, size_t sheet, const cv_json *json)
{
    const cv_json *experts = cv_json_get(json, CV_STR("experts"));
    cv_map roles = {0};
    if (!is_list(experts)) {
        s->sheets.items[sheet].why = CV_STR("it is not a pool: it has no list of experts");
        return;
    }
    s->domain = phrase_of(s, sheet, json, "domain");
    if (!s->question.n)
        s->question = cv_json_get_text(json, "question");
    for (uint32_t i = 0; i < experts->count && s->pool.count < CV_MAX_EXPERTS; i++) {
        const cv_json *e = &experts->items[i];
        cv_str role = phrase_of(s, sheet, e, "role");
        bool is_new, tier_ok, relevance_ok;
        cv_map_put(&roles, s->arena, cv_agent_key(s->arena, role), &is_new);
        if (!is_new || role.n == 0) {
            cv_script_misunderstand(s, sheet, 0, role, role.n ? "the pool has this role twice" : "no role");
            continue;
        }
        cv_member m = {.role = role,
                       .tier = cv_tier_or_usual(cv_json_get_text(e, "tier"), &tier_ok),
                       .relevance = cv_relevance_or_usual(relevance_text(e), &relevance_ok),
                       .focus = phrase_of(s, sheet, e, "focus")};
        if (!tier_ok || !relevance_ok)
            cv_script_decide(s, sheet, 0, "%.*s: tier or relevance is not given, taken as %.*s, %.*s", CV_FMT(role),
                             CV_FMT(m.tier), CV_FMT(m.relevance));
        *CV_PUSH(s->arena, &s->pool) = m;
    }
}

void cv_script_read_panel(cv_script *s, size_t sheet, int round, const cv_json *json)
{
    static const char *const keys[] = {"agents", "panel", "experts", "members"};
    const cv_json *list = json->type == CV_JSON_OBJECT ? NULL : json;
    for (size_t i = 0; json->type == CV_JSON_OBJECT && !is_list(list) && i < CV_COUNT(keys); i++)
        list = cv_json_get(json, cv_str_of(keys[i]));
    cv_import_act *act = is_list(list) ? cv_script_act(s, round, sheet, 0) : NULL;
    if (!act) {
        s->sheets.items[sheet].why = CV_STR("it is not a panel: it has no list of agents");
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const cv_json *e = &list->items[i];
        cv_str name = cv_json_get_text(e, "name");
        name = cv_plain_name(s->arena, name.n ? name : cv_json_get_text(e, "slug"));
        size_t participant = name.n ? cv_script_participant(s, name, CV_STR(""), sheet, 0) : CV_NOBODY;
        if (participant >= s->participants.count)
            continue;
        cv_script_role(s, participant, cv_json_get_text(e, "role"), CV_ROLE_OF_PANEL, sheet, 0);
        s->has_panels = true;
        cv_participant *p = &s->participants.items[participant];
        cv_script_tier(s, participant, cv_json_get_text(e, "tier"), sheet, 0);
        p->relevance = p->relevance.n ? p->relevance : relevance_text(e);
        p->focus = p->focus.n ? p->focus : phrase_of(s, sheet, e, "focus");
        *CV_PUSH(s->arena, &act->panel) = participant;
    }
}
