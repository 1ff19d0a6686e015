/* chat.h - a chat as it is now: the file, what the record has seen of it, and what is new for whom.
 *
 *     cv_chat_view_open      the file as anybody may read it        cv_chat_view_locked    … while we hold its lock
 *       header               always read
 *       known                nobody has written to the file since the record saw it last: the rest need not be read
 *       text, messages       else: all of it
 *     cv_chat_region_of      what a participant has not read yet: header and new bytes are all that is read for it
 *
 *     cv_chat_compare        is what the record knows still there? What is new, what was done to history
 *     cv_chat_witness_put    rows and events of that, in a write
 */
#ifndef CV_CHAT_CHAT_H
#define CV_CHAT_CHAT_H

#include "chat/lock.h"
#include "chat/types.h"
#include "kit/notice.h"

typedef struct {
    cv_call *call;
    const cv_chat_place *place;
    cv_arena *arena;
    int fd;
    bool own; /* fd is ours to close */
    struct stat st;
    bool locked; /* somebody else holds the lock: what is read may be in the middle of an edit */
    cv_chat_header header;
    bool known;
    cv_str text; /* the whole file, if it was read */
    cv_chat_messages messages;
    /* what the record has */
    bool has_row;
    cv_chat_row row;
    cv_str seen;
    struct {
        cv_chat_pointer_row *items;
        size_t count, capacity;
    } pointers;
    struct {
        cv_chat_queued_row *items; /* that wait */
        size_t count, capacity;
    } queue;
    struct {
        cv_chat_alteration_row *items; /* that are open */
        size_t count, capacity;
    } alterations;
    bool altered;      /* the file was compared, and history is not as the record has it */
    size_t bytes_read; /* of the file */
} cv_chat_view;

/* False: err says what is wrong. The view is closed in any case, also after a failure. */
bool cv_chat_view_open(cv_call *call, const cv_chat_place *place, cv_chat_view *ret, cv_err *err);
bool cv_chat_view_locked(cv_call *call, const cv_chat_lock *lock, cv_chat_view *ret, cv_err *err);
void cv_chat_view_close(cv_chat_view *view);

/* Reads the rest of the file, too, if it was not read yet. */
bool cv_chat_view_read_all(cv_chat_view *view, cv_err *err);

/* The number of the next message. */
int64_t cv_chat_next_number(const cv_chat_view *view);

/* ---- what is new ------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str text;                 /* from there to the end of the file */
    size_t at;                   /* its place in the file */
    int64_t line;                /* line breaks before it */
    int64_t last;                /* number of the message before it */
    cv_chat_messages messages;   /* all of them, for whomever they are */
    const cv_chat_pointer *read; /* the participant's line in the header; NULL: there is none */
} cv_chat_region;

bool cv_chat_region_of(cv_chat_view *view, cv_str who, cv_chat_region *ret, cv_err *err);

/* Line breaks of the whole file: what wc -l says. */
int64_t cv_chat_lines(const cv_chat_region *region);

/* Has every participant to whom the message goes read beyond this line? `but` counts as having done so. */
bool cv_chat_all_read(const cv_chat_header *header, const cv_chat_message *m, int64_t line, cv_str but);

/* ---- the witness ------------------------------------------------------------------------------------------------- */

typedef struct {
    struct {
        cv_chat_message_row *items; /* messages that the record has not seen yet */
        size_t count, capacity;
    } fresh;
    struct {
        cv_chat_alteration_row *items; /* all that is wrong with history now */
        size_t count, capacity;
    } wrong;
    int64_t messages; /* the highest number that the record has then */
    cv_str chain;
    bool whole; /* it was compared; else the file is known, and the alterations of the view are used */
} cv_chat_compared;

/* Reads the file whole unless it is known. */
bool cv_chat_compare(cv_chat_view *view, bool even_if_known, cv_chat_compared *ret, cv_err *err);

/* A message as a row of the record; the chain goes on. */
cv_chat_message_row cv_chat_message_row_of(cv_chat_view *view, const cv_chat_message *m, cv_str *chain, cv_str now);

/* Puts what was found into the write: fresh messages, alterations, the row of the chat. Messages that waited in the
 * queue and are in the file are delivered by it. False: there is nothing to write. */
bool cv_chat_witness_put(cv_writing *w, cv_chat_view *view, cv_chat_compared *found);

/* The row of the chat as this header has it; true: it is another one than before. */
bool cv_chat_row_put(cv_writing *w, cv_chat_view *view, const cv_chat_header *header, int64_t messages, cv_str chain);

/* Where the pointers of all participants are in the file. */
typedef struct {
    cv_chat_pointer_row *items;
    size_t count, capacity;
} cv_chat_pointer_rows;
/* The last message that was read when the pointer got where it is, as the record has it; -1: it does not know. */
int64_t cv_chat_read_before(const cv_chat_view *view, const cv_chat_pointer *pointer);

void cv_chat_pointers_of(cv_chat_view *view, cv_chat_pointer_rows *ret);

/* Says in the answer what is wrong with history. */
void cv_chat_warn(cv_chat_view *view, const cv_chat_compared *found, cv_notices *warnings);
cv_str cv_chat_alteration_text(cv_chat_view *view, const cv_chat_alteration_row *x);

#endif
