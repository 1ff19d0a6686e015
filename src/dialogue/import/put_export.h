/* put_export.h - an export put into the record: the same rows, the same events, the same hashes.
 *
 *     dialogue.json -> rows            every value of the right kind, or all faults
 *     rows          -> scratch store   verified as `conclave verify` does, and exported again
 *     the export    <-> the document   what the two say must be the same, member by member
 *     rows          -> the record      one write: all of it or nothing
 *
 * A document that was changed, cut or made up fails one of these and is refused with what does not agree.
 */
#ifndef CV_DIALOGUE_IMPORT_PUT_EXPORT_H
#define CV_DIALOGUE_IMPORT_PUT_EXPORT_H

#include "dialogue/import/rows.h"
#include "kit/call.h"

typedef enum { CV_PUT_DONE, CV_PUT_THERE, CV_PUT_CONFLICT, CV_PUT_REFUSED } cv_put_result;

typedef struct {
    cv_str dialogue_id, title, created_at;
    cv_import_changes rows;
    int64_t rev;
} cv_put_dialogue;

/* Does the document look like an export of ours? */
bool cv_put_export_fits(const cv_json *document);

/* Puts the dialogue into call->record. THERE: it is in the record already, as it is in the document. CONFLICT: another
 * one has its id, or it has gone on. For these two and REFUSED `errs` says more. */
cv_put_result cv_put_export(const cv_call *call, cv_arena *a, cv_str text, const cv_json *document,
                            cv_put_dialogue *ret_dialogue, cv_errs *errs);

#endif
