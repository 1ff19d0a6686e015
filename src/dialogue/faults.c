/* faults.c - what is wrong with a request about a dialogue; see faults.h. */
#include "dialogue/faults.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "dialogue/people.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"

static const cv_str type_enum = CV_STR_INIT("type_enum"), type_consistency = CV_STR_INIT("type_consistency"),
                    referential = CV_STR_INIT("referential"), semantic = CV_STR_INIT("semantic"),
                    lifecycle = CV_STR_INIT("lifecycle");

static const cv_str letters[] = {
#define KIND(id, letter, word, plural, purpose) {(const char[]){letter}, 1},
#include "dialogue/words/kinds.def"
#undef KIND
};
_Static_assert(CV_COUNT(letters) == CV_KIND_COUNT, "a letter per kind");

void cv_fault_letter(const cv_spot *at, cv_str side, char letter)
{
    cv_arena *a = at->call->arena;
    cv_str value = cv_arena_copy(a, (cv_str){&letter, 1});
    cv_fault_word(at, CV_ERR_ENTITY_TYPE, type_enum, cv_arena_join(a, side, CV_STR("_type")), value,
                  (cv_words){letters, CV_KIND_COUNT});
    cv_err *err = &at->call->errs->items[at->call->errs->count - 1];
    cv_err_suggest(err, CV_STR("Ids begin with P, R, T, E or C, in capitals"));
}

/* The expert with this role, or the only one with it in the role. */
static const cv_rec_expert *expert_of_role(cv_arena *a, const cv_state *s, cv_str text)
{
    const cv_rec_expert *part = NULL;
    size_t parts = 0;
    char *spoken = cv_arena_copy_z(a, cv_str_trim(text));
    for (char *c = spoken; *c; c++)
        *c = *c == '-' || *c == '_' ? ' ' : *c;
    cv_str role = cv_str_of(spoken);
    for (size_t i = 0; role.n && i < s->experts.count; i++) {
        const cv_rec_expert *expert = &s->experts.items[i];
        if (cv_str_eq_nocase(expert->role, role))
            return expert;
        bool within = false;
        for (size_t k = 0; role.n > 2 && !within && k < expert->role.n; k++)
            within = cv_str_starts_nocase(cv_str_from(expert->role, k), role);
        parts += within;
        part = within ? expert : part;
    }
    return parts == 1 ? part : NULL;
}

/* Who may be meant by a name that no expert has: the one with this role ("Value Analyst", "value-analyst"), the only
 * one with it in the role ("analyst"), else the nearest name or role: "'muffin', the Value Analyst", with `before` in
 * front of the name. Empty: nobody. */
static cv_str expert_meant(cv_arena *a, const cv_state *s, cv_str name, const char *before)
{
    cv_str *slugs, *roles = CV_NEW_ARRAY(a, s->experts.count, cv_str);
    size_t count = cv_state_slugs(a, s, &slugs);
    cv_str near = cv_str_nearest(name, slugs, count);
    const cv_rec_expert *meant = expert_of_role(a, s, name);
    for (size_t i = 0; i < s->experts.count; i++)
        roles[i] = s->experts.items[i].role;
    if (!meant && !near.n)
        meant = expert_of_role(a, s, cv_str_nearest(name, roles, s->experts.count));
    if (meant)
        return cv_arena_printf(a, "'%s%.*s', the %.*s", before, CV_FMT(meant->expert_slug),
                               CV_FMT(cv_excerpt(a, meant->role)));
    return near.n ? cv_arena_printf(a, "'%s%.*s'", before, CV_FMT(near)) : near;
}

bool cv_suggest_expert(cv_err *err, const cv_state *s, cv_str name, const char *before)
{
    cv_str meant = expert_meant(err->arena, s, name, before);
    if (meant.n)
        cv_err_suggest(err, cv_arena_printf(err->arena, "did you mean %.*s?", CV_FMT(meant)));
    return meant.n > 0;
}

void cv_fault_expert(const cv_spot *at, const cv_state *s, cv_str slug)
{
    cv_arena *a = at->call->arena;
    cv_str *slugs;
    size_t count = cv_state_slugs(a, s, &slugs);
    cv_err *err = cv_fault(at, CV_ERR_UNKNOWN_EXPERT, referential, slug, "expert '%.*s' does not take part in '%.*s'",
                           CV_FMT(cv_excerpt(a, slug)), CV_FMT(s->id));
    cv_err_options(err, slugs, count);
    cv_str meant = expert_meant(a, s, slug, "");
    cv_err_operation(err, meant.n ? (cv_str){NULL, 0} : CV_STR("dialogue expert-create"));
    cv_err_suggest(err, meant.n ? cv_arena_printf(a, "Did you mean %.*s?", CV_FMT(meant))
                                : CV_STR("creates an expert; or name one who takes part"));
}

static bool keep_expert(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    cv_state *all = ctx;
    if (kind == CV_REC_EXPERT)
        *CV_PUSH(err->arena, &all->experts) = *(const cv_rec_expert *)cv_row_copy(err->arena, &cv_rec_expert_type, row);
    return true;
}

typedef struct {
    cv_call *call;
    cv_state all;
} everybody;

static bool take_experts(void *ctx, cv_str id, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(EXPERT)};
    everybody *e = ctx;
    cv_position at;
    bool found;
    return cv_snapshot(e->call, id, &wanted, keep_expert, &e->all, &at, &found, err);
}

bool cv_require_known(cv_call *call, cv_str slug)
{
    cv_err err = {.arena = call->arena};
    everybody e = {.call = call};
    if (!cv_state_each(call, take_experts, &e, &err))
        return cv_call_fail(call, &err);
    cv_state_index(call->arena, &e.all);
    if (cv_state_expert(&e.all, slug) || cv_str_eq(slug, cv_judge_slug))
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_UNKNOWN_EXPERT, CV_STR(""), "expert", slug,
                              "no dialogue has an expert '%.*s'", CV_FMT(cv_excerpt(call->arena, slug)));
    if (!cv_suggest_expert(fault, &e.all, slug, "")) {
        cv_err_operation(fault, CV_STR("dialogue experts"));
        cv_err_suggest(fault, CV_STR("shows all experts"));
    }
    return false;
}

/* The entities of the same kind and round, else of the same kind: what could have been meant. */
static size_t near_ids(cv_arena *a, const cv_state *s, cv_str id, cv_str *ids, size_t most)
{
    cv_id parts;
    size_t count = 0;
    if (!cv_id_parse(id, &parts) || parts.form == CV_ID_EXPERT)
        return 0;
    for (size_t i = 0; i < s->entities.count && count < most; i++) {
        const cv_rec_entity *entity = &s->entities.items[i];
        if (entity->kind.p[0] == cv_kinds[parts.kind].letter &&
            (parts.form == CV_ID_SHORT || entity->round == parts.round))
            ids[count++] = cv_entity_id(a, entity);
    }
    return count;
}

/* Items of a batch have a target; in a list of ids, which a verdict has, an id is nothing but an id. */
static bool is_target(const cv_spot *at)
{
    return !cv_str_ends(at->field, CV_STR("]")) || cv_str_find(at->field, CV_STR(".targets[")) != SIZE_MAX;
}

void cv_refuse_unless_status(cv_call *call, const char *field, cv_str status, cv_words known)
{
    if (cv_words_find(known, status) < 0)
        cv_refuse_words(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), field, status, "'%.*s' is not a status",
                                  CV_FMT(cv_excerpt(call->arena, status))),
                        known.items, known.count);
}

void cv_fault_not_found(const cv_spot *at, const cv_state *s, cv_str id)
{
    enum { MOST = 12, HELPED = 100 }; /* a batch with more faults than that is not helped by lists */
    cv_arena *a = at->call->arena;
    cv_str *ids = CV_NEW_ARRAY(a, MOST, cv_str);
    cv_err *err = cv_fault(at, CV_ERR_TARGET_NOT_FOUND, referential, id, "%s'%.*s' not found in dialogue '%.*s'",
                           is_target(at) ? "target_id " : "", CV_FMT(cv_excerpt(a, id)), CV_FMT(s->id));
    cv_err_options(err, ids, at->call->errs->count <= HELPED ? near_ids(a, s, id, ids, MOST) : 0);
    cv_err_suggest(err, is_target(at) ? CV_STR("Use the id of a registered item, a local id of this batch, or @expert")
                                      : CV_STR("Use the id of a registered item"));
}

void cv_fault_kind(const cv_spot *at, cv_str side, cv_kind wanted, cv_str id)
{
    char letter = cv_kinds[wanted].letter;
    cv_str shown = cv_excerpt(at->call->arena, id);
    cv_err *err = is_target(at) ? cv_fault(at, CV_ERR_TYPE_MISMATCH, type_consistency, id,
                                           "%.*s_type '%c' does not match %.*s_id '%.*s' (expected prefix '%c')",
                                           CV_FMT(side), letter, CV_FMT(side), CV_FMT(shown), letter)
                                : cv_fault(at, CV_ERR_TYPE_MISMATCH, type_consistency, id,
                                           "'%.*s' is not the id of a %.*s (expected prefix '%c')", CV_FMT(shown),
                                           CV_FMT(cv_kinds[wanted].word), letter);
    cv_err_options(err, &letters[wanted], 1);
    cv_err_suggest(err,
                   cv_arena_printf(at->call->arena, "Use the id of a %.*s, or move the item to the list of its kind",
                                   CV_FMT(cv_kinds[wanted].word)));
}

static cv_str context_of(cv_arena *a, cv_str source_id, cv_str target_id, char target)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "source_id", source_id);
    cv_json_key_str(&w, "target_id", target_id);
    cv_json_key_str(&w, "target_type", (cv_str){&target, 1});
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

void cv_fault_reference(const cv_spot *at, cv_ref ref, cv_str source_id, char source, cv_str target_id, char target)
{
    bool same = cv_refs[ref].targets == CV_TARGETS_SAME;
    cv_str word = cv_ref_words.items[ref];
    int kind = same ? cv_kind_of_letter(source) : CV_KIND_TENSION, found = cv_kind_of_letter(target);
    cv_err *err =
        same
            ? cv_fault(at, CV_ERR_REFINE_MISMATCH, semantic, word,
                       "ref_type '%.*s' requires same source and target type (got %c→%c)", CV_FMT(word), source, target)
            : cv_fault(at, CV_ERR_REF_TARGET, semantic, word,
                       "ref_type '%.*s' can only target Tensions (T), but target_type is '%c'", CV_FMT(word), target);
    cv_err_options(err, kind >= 0 ? &letters[kind] : NULL, kind >= 0);
    cv_str what = found >= 0 ? cv_kinds[found].word : CV_STR("expert");
    cv_err_suggest(err, cv_arena_printf(at->call->arena,
                                        "Use 'support' or 'oppose' for %.*s targets, or change target to a %.*s ID",
                                        CV_FMT(what), CV_FMT(cv_kinds[kind >= 0 ? kind : CV_KIND_TENSION].word)));
    cv_err_context(err, context_of(at->call->arena, source_id, target_id, target));
}

void cv_fault_transition(const cv_spot *at, cv_str id, cv_status from, cv_status to)
{
    cv_arena *a = at->call->arena;
    cv_str *valid = CV_NEW_ARRAY(a, CV_STATUS_COUNT, cv_str);
    size_t count = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (status != (int)from && cv_status_may_become(from, (cv_status)status))
            valid[count++] = cv_statuses[status].word;
    cv_str all = count ? cv_arena_list(a, valid, count) : CV_STR("none");
    cv_err *err = cv_fault(at, CV_ERR_TRANSITION, lifecycle, cv_statuses[to].word,
                           "Cannot transition %.*s from '%.*s' to '%.*s' (valid transitions: %.*s)", CV_FMT(id),
                           CV_FMT(cv_statuses[from].word), CV_FMT(cv_statuses[to].word), CV_FMT(all));
    cv_err_options(err, valid, count);
    cv_err_suggest(err, count ? CV_STR("Use one of the valid transitions, or leave the update out")
                              : CV_STR("Leave the update out: this status is final"));
}

bool cv_id_bad_letter(cv_str id, char *ret_letter)
{
    if (id.n < 5 || (id.n > 5 && id.p[id.n - 6] != '-'))
        return false;
    const char *p = id.p + id.n - 5;
    for (int i = 1; i < 5; i++)
        if (!cv_is_digit(p[i]))
            return false;
    *ret_letter = p[0];
    return cv_is_alpha(p[0]) && cv_kind_of_letter(p[0]) < 0;
}
