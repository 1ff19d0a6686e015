/* chat_file.h - the bytes of a chat file ("CHAT v3"), as what they mean.
 *
 *     # CHAT v3                                       the header: the lines from the top that begin with #
 *     # Chat ID: 261116_1723
 *     # Status: OPEN
 *     # Participants:
 *     # - Implementer@claude
 *     # Last read:
 *     # - Implementer@claude: 12                      how many lines of the whole file this participant has read
 *     # Purpose: primers for gene X
 *     [M0001] FROM:Implementer@claude | TYPE:QUESTION | FLAG:UNREAD | TAG:@Validator | AT:… | RE:M0001
 *     the body, up to the next head
 *
 * Reading is lenient where nothing can be forged by it: a byte order mark, CRLF, no TAG, further fields, more than four
 * digits. It is strict about what makes a message: a head is at the beginning of a line, has exactly the grammar above,
 * and its number is the next one. Everything else that looks like a head is text of the message before it, and is
 * reported (`odd`). Only a head that `known` has seen before, behind messages that are gone now, is accepted with its
 * number.
 *
 * Everything is a view into the caller's bytes; nothing is copied, and no byte is outside of header, preamble and
 * messages. Both walks are linear.
 */
#ifndef CV_CHAT_TEXT_CHAT_FILE_H
#define CV_CHAT_TEXT_CHAT_FILE_H

#include "base/err.h"

/* ---- the header -------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str who;    /* Role@Identity */
    int64_t line;  /* Last read: -1 when the number cannot be read */
    cv_str number; /* its digits, as they are written */
} cv_chat_pointer;

typedef struct {
    cv_str text;              /* all of it, the last line break included */
    cv_str id, status, title; /* title: the purpose. Absent: there is no such line */
    cv_texts people;
    struct {
        cv_chat_pointer *items;
        size_t count, capacity;
    } pointers;
    size_t people_end,
        pointers_end;             /* behind the last line of each list, where another one goes; 0: there is no list */
    int64_t lines;                /* line breaks in it */
    size_t statuses, ids, titles; /* how often each line is there: the first one counts */
    bool whole;                   /* the bytes end with it, or something else follows: it is all there */
} cv_chat_header;

/* False: the first line is not "# CHAT v3" (chat_header, with what was found). `text` may end anywhere. */
bool cv_chat_header_parse(cv_arena *a, cv_str text, cv_chat_header *ret, cv_err *err);

/* Are all lines there that a chat needs, each with a valid value? False: chat_header, with the first that is not. */
bool cv_chat_header_check(const cv_chat_header *header, cv_err *err);

bool cv_chat_is_open(const cv_chat_header *header);
bool cv_chat_has_person(const cv_chat_header *header, cv_str who);
const cv_chat_pointer *cv_chat_pointer_of(const cv_chat_header *header, cv_str who); /* NULL: none */

/* ---- people ------------------------------------------------------------------------------------------------------ */

/* Role@Identity: both without blanks, control characters and any of @ | , : " \\; roles may be joined by '+'. */
bool cv_chat_person_valid(cv_str who);
cv_str cv_chat_role_of(cv_str who);
cv_str cv_chat_identity_of(cv_str who);

/* Has the participant this role, alone or joined with others? Token by token, case counts. */
bool cv_chat_has_role(cv_str who, cv_str role);

/* Is this participant meant by Role@Identity, one of its roles, or its identity alone? */
bool cv_chat_is_called(cv_str who, cv_str name);

/* Is one of the tags @All, a role of the participant or the participant itself? No tags at all: everybody is meant. */
bool cv_chat_is_tagged(cv_str tags, cv_str who);

/* Does the message go to the participant? Nobody gets what they sent themselves. */
bool cv_chat_is_for(cv_str from, cv_str tags, cv_str who);

/* Cuts the next tag off, without its '@'. */
bool cv_chat_next_tag(cv_str *rest, cv_str *ret_tag);

/* ---- messages ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t number;
    cv_str head;                 /* the line, without its break */
    cv_str from, type, flag;     /* flag: UNREAD or READ */
    cv_str tags, at, behalf, re; /* as written; absent: not there */
    cv_str body;                 /* without line breaks and blank lines at its end */
    size_t start, end;           /* bytes of it in the text, line breaks included */
    int64_t line;                /* of the head in the text, from 1 */
} cv_chat_message;

/* A line that looks like a head and is none. */
typedef struct {
    cv_str line;
    int64_t number;   /* 0: it has none that could be read */
    int64_t expected; /* the number that a head would have had there */
    bool grammar;     /* it has the grammar of a head, but another number */
} cv_chat_odd;

typedef struct {
    struct {
        cv_chat_message *items;
        size_t count, capacity;
    } all;
    struct {
        cv_chat_odd *items;
        size_t count, capacity;
    } odd;
    int64_t lines; /* line breaks in the text */
} cv_chat_messages;

/* Was this head, with this number, a message before? */
typedef bool (*cv_chat_known)(void *ctx, int64_t number, cv_str head);

/* The messages of what follows the header, or of a part of it that begins with a head; `last`: the number before it.
 * `known` may be NULL. */
void cv_chat_messages_parse(cv_arena *a, cv_str text, int64_t last, cv_chat_known known, void *ctx,
                            cv_chat_messages *ret);

/* Is the line a head? Fills in what is in it. */
bool cv_chat_head_parse(cv_str line, cv_chat_message *ret);

/* "M0042" -> 42; false: not a message id. */
bool cv_chat_number_parse(cv_str id, int64_t *ret_number);
cv_str cv_chat_number_print(cv_arena *a, int64_t number);

/* What must never change of a message: its head except the flag, and its body, in LF; its hash is taken of this. */
cv_str cv_chat_lasting(cv_arena *a, const cv_chat_message *m);

int64_t cv_chat_line_count(cv_str text); /* line breaks: what wc -l says */

#endif
