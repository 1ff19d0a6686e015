/* cascade.c - what happens to a target; see cascade.h. The first row that fits decides. */
#include "dialogue/register/cascade.h"

#include <assert.h>

const cv_verdict_list_row cv_verdict_lists[] = {
    [CV_LIST_TENSIONS_RESOLVED] = {CV_STR_INIT("tensions_resolved"), CV_KIND_TENSION},
    [CV_LIST_TENSIONS_ACCEPTED] = {CV_STR_INIT("tensions_accepted"), CV_KIND_TENSION},
    [CV_LIST_RECOMMENDATIONS_ADOPTED] = {CV_STR_INIT("recommendations_adopted"), CV_KIND_RECOMMENDATION},
    [CV_LIST_KEY_EVIDENCE] = {CV_STR_INIT("key_evidence"), CV_KIND_EVIDENCE},
    [CV_LIST_KEY_CLAIMS] = {CV_STR_INIT("key_claims"), CV_KIND_CLAIM},
};
_Static_assert(CV_COUNT(cv_verdict_lists) == CV_LIST_COUNT, "a row per list");

cv_str cv_verdict_list_json(const cv_rec_verdict *v, cv_verdict_list list)
{
    assert((unsigned)list < CV_LIST_COUNT);
    const cv_str lists[CV_LIST_COUNT] = {[CV_LIST_TENSIONS_RESOLVED] = v->tensions_resolved,
                                         [CV_LIST_TENSIONS_ACCEPTED] = v->tensions_accepted,
                                         [CV_LIST_RECOMMENDATIONS_ADOPTED] = v->recommendations_adopted,
                                         [CV_LIST_KEY_EVIDENCE] = v->key_evidence,
                                         [CV_LIST_KEY_CLAIMS] = v->key_claims};
    return lists[list];
}

static const cv_str list_words[] = {
    CV_STR_INIT("tensions_resolved"), CV_STR_INIT("tensions_accepted"), CV_STR_INIT("recommendations_adopted"),
    CV_STR_INIT("key_evidence"),      CV_STR_INIT("key_claims"),
};
_Static_assert(CV_COUNT(list_words) == CV_LIST_COUNT, "a word per list");

cv_words cv_cause_words(cv_cause_type type)
{
    assert((unsigned)type < CV_CAUSE_COUNT);
    const cv_words words[CV_CAUSE_COUNT] = {cv_ref_words, cv_move_words, {list_words, CV_LIST_COUNT}};
    return words[type];
}

enum { COMMENT = -1 };
typedef enum { AS_REFERENCE, AS_RESULT, NEEDS_AUTHOR } manner;
#define REF(word) CV_CAUSE_REFERENCE, CV_REF_##word
#define MOVE(word) CV_CAUSE_MOVE, CV_MOVE_##word
#define LIST(word) CV_CAUSE_VERDICT, CV_LIST_##word
#define ON(kind) CV_KIND_##kind
#define TO(status) CV_STATUS_##status

static const struct {
    cv_cause_type cause;
    int word;
    cv_kind target;
    unsigned by;
    int becomes;
    manner how;
} rows[] = {
    {REF(REFINE), ON(PERSPECTIVE), CV_BY_ANYONE, TO(PERSPECTIVE_REFINED), AS_RESULT},
    {REF(REFINE), ON(RECOMMENDATION), CV_BY_ANYONE, TO(RECOMMENDATION_AMENDED), AS_RESULT},
    {REF(REFINE), ON(TENSION), CV_BY_ANYONE, COMMENT, AS_RESULT},
    {REF(REFINE), ON(EVIDENCE), CV_BY_ANYONE, COMMENT, AS_RESULT},
    {REF(REFINE), ON(CLAIM), CV_BY_ANYONE, COMMENT, AS_RESULT},

    {REF(ADDRESS), ON(TENSION), CV_BY_ANYONE, TO(TENSION_ADDRESSED), AS_REFERENCE},
    {REF(RESOLVE), ON(TENSION), CV_BY_AUTHOR | CV_BY_JUDGE, TO(TENSION_RESOLVED), AS_REFERENCE},
    {REF(RESOLVE), ON(TENSION), CV_BY_OTHER, TO(TENSION_ADDRESSED), NEEDS_AUTHOR},
    {REF(REOPEN), ON(TENSION), CV_BY_ANYONE, TO(TENSION_REOPENED), AS_REFERENCE},

    {REF(SUPPORT), ON(CLAIM), CV_BY_ANYONE, TO(CLAIM_SUPPORTED), AS_REFERENCE},
    {REF(OPPOSE), ON(CLAIM), CV_BY_ANYONE, TO(CLAIM_OPPOSED), AS_REFERENCE},
    {REF(SUPPORT), ON(EVIDENCE), CV_BY_OTHER | CV_BY_JUDGE, TO(EVIDENCE_CONFIRMED), AS_REFERENCE},
    {REF(OPPOSE), ON(EVIDENCE), CV_BY_ANYONE, TO(EVIDENCE_CHALLENGED), AS_REFERENCE},
    {REF(QUESTION), ON(EVIDENCE), CV_BY_ANYONE, TO(EVIDENCE_CHALLENGED), AS_REFERENCE},

    {MOVE(CONCEDE), ON(PERSPECTIVE), CV_BY_AUTHOR, TO(PERSPECTIVE_CONCEDED), AS_REFERENCE},
    {MOVE(CONCEDE), ON(PERSPECTIVE), CV_BY_ANYONE, COMMENT, AS_REFERENCE},

    {LIST(TENSIONS_RESOLVED), ON(TENSION), CV_BY_ANYONE, TO(TENSION_RESOLVED), AS_REFERENCE},
    {LIST(TENSIONS_ACCEPTED), ON(TENSION), CV_BY_ANYONE, TO(TENSION_ACCEPTED), AS_REFERENCE},
    {LIST(RECOMMENDATIONS_ADOPTED), ON(RECOMMENDATION), CV_BY_ANYONE, TO(RECOMMENDATION_ADOPTED), AS_REFERENCE},
    {LIST(KEY_CLAIMS), ON(CLAIM), CV_BY_ANYONE, TO(CLAIM_ADOPTED), AS_REFERENCE},
};

cv_effect cv_cascade(cv_cause cause, cv_kind target, cv_status from, unsigned by)
{
    assert(target < CV_KIND_COUNT && from < CV_STATUS_COUNT && cv_statuses[from].kind == target);
    assert(cause.type < CV_CAUSE_COUNT);
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        if (rows[i].cause != cause.type || rows[i].word != cause.word || rows[i].target != target || !(rows[i].by & by))
            continue;
        cv_effect effect = {CV_EFFECT_COMMENT, from, rows[i].how == AS_RESULT, rows[i].how == NEEDS_AUTHOR};
        if (rows[i].becomes != COMMENT) {
            effect.status = (cv_status)rows[i].becomes;
            assert(cv_statuses[effect.status].kind == target && "a row moves its target within its own lifecycle");
            effect.type = cv_status_may_become(from, effect.status) ? CV_EFFECT_STATUS : CV_EFFECT_REFUSED;
        }
        return effect;
    }
    return (cv_effect){CV_EFFECT_NONE, from, false, false};
}
