/* cascade.h - what a reference, a move or a verdict does to the status of its target.
 *
 *     cause                          target   by          the target becomes
 *     reference  refine              P        anyone      refined, with the source as result
 *     reference  resolve             T        its author  resolved
 *     verdict    key_claims          C        anyone      adopted
 *
 * A pure table. Whether the lifecycle allows the change is asked here, too: a cause that may not have its effect is
 * told as a comment and a warning, never as an error. What is written because of it is subject.h's business.
 */
#ifndef CV_DIALOGUE_REGISTER_CASCADE_H
#define CV_DIALOGUE_REGISTER_CASCADE_H

#include "dialogue/types.h"
#include "dialogue/words/words.h"

/* The lists of a verdict that change what they name, and the one that only cites. */
typedef enum {
    CV_LIST_TENSIONS_RESOLVED,
    CV_LIST_TENSIONS_ACCEPTED,
    CV_LIST_RECOMMENDATIONS_ADOPTED,
    CV_LIST_KEY_EVIDENCE,
    CV_LIST_KEY_CLAIMS,
    CV_LIST_COUNT
} cv_verdict_list;

typedef struct {
    cv_str word; /* "tensions_resolved" */
    cv_kind kind;
} cv_verdict_list_row;

extern const cv_verdict_list_row cv_verdict_lists[CV_LIST_COUNT];

/* The ids on one of a verdict's lists, as JSON. */
cv_str cv_verdict_list_json(const cv_rec_verdict *verdict, cv_verdict_list list);

typedef enum { CV_CAUSE_REFERENCE, CV_CAUSE_MOVE, CV_CAUSE_VERDICT, CV_CAUSE_COUNT } cv_cause_type;

typedef struct {
    cv_cause_type type;
    int word; /* a cv_ref, cv_move or cv_verdict_list */
} cv_cause;

cv_words cv_cause_words(cv_cause_type type);

/* Who acts, seen from the target; several at once are possible. */
enum { CV_BY_AUTHOR = 1, CV_BY_JUDGE = 2, CV_BY_OTHER = 4, CV_BY_ANYONE = 7 };

typedef enum {
    CV_EFFECT_NONE,    /* nothing happens to the target */
    CV_EFFECT_COMMENT, /* it is reported, no status changes */
    CV_EFFECT_STATUS,  /* the target becomes, or stays, `status` */
    CV_EFFECT_REFUSED  /* it would become `status`, but its lifecycle forbids it: told with a warning */
} cv_effect_type;

typedef struct {
    cv_effect_type type;
    cv_status status;
    bool is_result;    /* the source is what became of the target; otherwise what it is referred from */
    bool needs_author; /* it would have been more, had the author done it */
} cv_effect;

cv_effect cv_cascade(cv_cause cause, cv_kind target, cv_status from, unsigned by);

#endif
