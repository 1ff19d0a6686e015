/* intent.h - changing a file that is the truth, and that others edit by hand: said in the record, done, and forgotten.
 *
 *     in a locked write of the room    cv_intent_keep     path, hash of the bytes that were read, the new bytes
 *     commit                           the change is acknowledged: it survives a kill from here on
 *     after it, under the lock again   cv_intent_publish  the new bytes take the place of those that were read
 *       … in a write of the room, or   cv_intent_finish, which takes the lock itself and says nothing in the record
 *
 *     the file has the new bytes       DONE: the intent is forgotten (also what a killed process had begun)
 *     … those that were read           it is published, then DONE
 *     … neither                        CHANGED: the file stays as it is, and so does the intent. The room reads the
 *                                      file again and keeps another intent under the same path, or drops this one
 *
 * The lock of the scope is held from reading the intent to forgetting it: a newer intent about the same path comes
 * before that or after it, so it is never forgotten in the place of an older one, and an older one is never published
 * again.
 *
 * Nothing is ever overwritten that was not read before: base/file.h exchanges the files, looks at what it displaced and
 * gives way. Intents are volatile rows (record/type.h) of the room's own type; the room's events say what was meant.
 */
#ifndef CV_KIT_INTENT_H
#define CV_KIT_INTENT_H

#include "base/where.h"
#include "kit/writing.h"

/* A room has a type and a table of its own for them:
 *
 *     typedef cv_intent chat_intent;
 *     #define CV_THIS_TYPE chat_intent
 *     CV_TYPE_TABLE(chat_intent, "intent", "chat_intents", CV_INTENT_FIELDS, VOLATILE, NULL, .indexes = NULL);
 */
#define CV_INTENT_FIELDS(F)                                                                                            \
    F(TEXT, KEY, path)         /* below the project's root */                                                          \
    F(TEXT, PLAIN, old_sha256) /* absent: there was no file */                                                         \
    F(TEXT, PLAIN, new_sha256)                                                                                         \
    F(TEXT, LONG, bytes) /* base64 where they are not UTF-8 */                                                         \
    F(TEXT, PLAIN, created_at)

typedef struct {
    int64_t rev;
    CV_INTENT_FIELDS(CV_TYPE_MEMBER)
} cv_intent;

typedef enum {
    CV_INTENT_DONE,
    CV_INTENT_CHANGED, /* err: file_changed */
    CV_INTENT_FAILED   /* err: the file or the record could not be read or written; the intent stays */
} cv_intent_result;

/* Keeps the intent with the write. `old` is what was read, absent: there was no file. */
void cv_intent_keep(cv_writing *w, const cv_type *type, cv_str path, cv_str old, cv_str bytes);

/* Publishes the intent about this path, if there is one; without one it is DONE. The write is locked; the intent is
 * forgotten when it is committed. */
cv_intent_result cv_intent_publish(cv_writing *w, const cv_type *type, const char *root, cv_str path, cv_err *err);

/* The same outside of a write. Without an intent nothing is locked. */
cv_intent_result cv_intent_finish(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_type *type,
                                  const char *root, cv_str path, cv_err *err);

/* For the sender of the change: it is acknowledged, though `err` kept it from being finished now. */
void cv_intent_suggest(cv_err *err);

/* The intents of a scope that are left, by path: what a killed process had begun. */
typedef bool (*cv_intent_visit)(void *ctx, const cv_intent *intent, cv_err *err);
bool cv_intent_each(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_type *type, cv_intent_visit visit,
                    void *ctx, cv_err *err);

/* Forgets the intent about this path. */
bool cv_intent_drop(cv_record *record, cv_scope_id scope, const cv_type *type, cv_str path, cv_err *err);

#endif
