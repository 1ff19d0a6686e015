/* snapshot.h - rows of a dialogue at one moment, and which dialogues there are.
 *
 *     cv_snapshot(call, id, &wanted, visit, ctx, &position, &found, err)     rows at one rev, in a fixed order
 *
 * Rows come by kinds, in the order of types.h, and of each kind in the order of their keys; entities P R T E C.
 */
#ifndef CV_DIALOGUE_SNAPSHOT_H
#define CV_DIALOGUE_SNAPSHOT_H

#include "dialogue/types.h"
#include "kit/call.h"

typedef cv_scope_position cv_position;

#define CV_REC_BIT(kind) (1u << CV_REC_##kind)

typedef struct {
    int64_t since_rev; /* only rows with a higher rev; 0: all */
    uint32_t kinds;    /* CV_REC_BIT(ROUND) | …; 0: all */
    bool no_content;  /* leave ENTITY.content, RESPONSE.content out (absent): for checks that need ids and statuses only
                       */
    bool no_proofs;   /* leave EVENT.covers, EVENT.hash out (absent): for callers that only show what happened */
    uint32_t outline; /* of rows of these kinds the outline is enough (types.h): other fields may be absent */
    const char *letters; /* only ENTITYs of these kinds, like "T"; NULL: of all */
    /* Only what is about these ids, unless there are none: the ENTITY itself (P0101), each ORIGIN that leads to it or
     * is called so (MUFFIN-P0101), each REFERENCE from it or to it (@muffin, too), each EVENT with it as subject. Rows
     * of other kinds come as ever. */
    const cv_str *about;
    size_t about_count;
    bool *imported; /* true when the dialogue was put here from an export: then its folders are those of another
                     * project. NULL: nobody asks */
} cv_wanted;

/* Called for every row; the row and its texts live until the call returns. False ends the walk with the visitor's
 * error. It must not call the record. */
typedef bool (*cv_visit)(void *ctx, cv_rec_kind kind, const void *row, cv_err *err);

/* Where a call holds its turn (call->holds), the rows are those that it sees there. *ret_position is in the call's
 * arena. */
bool cv_snapshot(const cv_call *call, cv_str dialogue_id, const cv_wanted *wanted, cv_visit visit, void *ctx,
                 cv_position *ret_position, bool *ret_found, cv_err *err);

bool cv_position_of(cv_record *record, cv_arena *a, cv_str dialogue_id, cv_position *ret_position, bool *ret_found,
                    cv_err *err);

typedef struct {
    cv_str status; /* empty: any */
    cv_str since;  /* created then or later; empty: any time */
    cv_str after;  /* the last id of the page before; empty: from the beginning */
    size_t limit;  /* 0: all */
    bool names;    /* only the ids are wanted: no row, no rev */
    bool archived; /* only those that are put away; then `status` and `since` do not count */
} cv_list_query;

/* Called for every dialogue of a list with its rev; of its row only the outline is there. It may call the record. */
typedef bool (*cv_list_visit)(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err);

bool cv_list_dialogues(cv_record *record, cv_arena *a, const cv_list_query *query, cv_list_visit visit, void *ctx,
                       cv_err *err);

#endif
