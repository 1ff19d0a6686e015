/* resources.c - what there is to read about chats, under URIs; see kit/room.h.
 *
 *     conclave://chats              which there are
 *     conclave://chat/ID            one of them, with its messages
 *
 * Others write to chat files, too: so a resource has changed when its file is another one, whatever the record knows.
 */
#include <fcntl.h>

#include "chat/all_chats.h"
#include "chat/lock.h"
#include "chat/room.h"

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* A number of the file as it is now; the lock's name does not matter, a pointer or a flag does. */
static int64_t rev_of_file(cv_call *call, const cv_chat_place *p)
{
    struct stat st;
    for (int tries = 0; tries < 4; tries++)
        if (cv_where_look(cv_where_in(call->arena, p->folder.where, tries % 2 ? p->editing : p->name), &st))
            return (int64_t)(cv_str_hash(cv_arena_printf(call->arena, "%llx:%llx:%llx.%lx",
                                                         (unsigned long long)st.st_ino, (unsigned long long)st.st_size,
                                                         (unsigned long long)st.st_mtim.tv_sec,
                                                         (unsigned long)st.st_mtim.tv_nsec)) >>
                             2);
    return 0;
}

/* The sum over all chats, or that of one; -1: it is not known. */
static int64_t rev(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    cv_errs errs = {0};
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_call call = {.arena = a, .record = record, .root = root, .confined = true, .input = &input, .errs = &errs};
    cv_chat_entries all;
    uint64_t sum = 0;
    if (!cv_chat_each(&call, &all))
        return -1;
    for (size_t i = 0; i < all.count; i++)
        if (!all.items[i].foreign.p && (!values || cv_str_eq(all.items[i].place.id, values[0])))
            sum += (uint64_t)rev_of_file(&call, &all.items[i].place);
    return (int64_t)(sum >> 1);
}

static int64_t rev_of_all(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    (void)values;
    return rev(record, a, root, NULL);
}

const cv_resource cv_chat_resources[] = {
    {.uri = "conclave://chats",
     .name = "chats",
     .about = "Which chats there are",
     .type = "application/json",
     .operation = "chat list",
     .rev = rev_of_all},
    {.uri = "conclave://chat/{id}",
     .name = "chat",
     .about = "One chat with its messages",
     .type = "application/json",
     .operation = "chat show",
     .field = "chat_id",
     .rev = rev,
     .listed = true},
    {0},
};
