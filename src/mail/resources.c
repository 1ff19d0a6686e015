/* resources.c - what there is to read about mail, under URIs; see kit/room.h.
 *
 *     conclave://mail/AGENT/inbox     what waits for an agent; who subscribed hears of every change of it
 */
#include "mail/room.h"
#include "mail/writing.h"

/* Whatever happens to a delivery changes the counters of its mailbox: the rev of that row tells. */
static int64_t rev_of_inbox(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    cv_err err = {.arena = a};
    cv_agent_row agent;
    cv_mail_mailbox mailbox;
    bool found;
    (void)root;
    if (!cv_agent_find(record, a, values[0], &agent, &found, &err) || !found)
        return -1;
    if (!cv_mail_mailbox_get(record, a, agent.name, &mailbox, &found, &err))
        return -1;
    return found ? mailbox.rev : 0;
}

static bool list_inboxes(const cv_asker *asker, cv_str after, cv_resource_page *ret_page, cv_err *err)
{
    cv_arena *a = asker->arena;
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_json *tree = CV_NEW(a, cv_json);
    cv_str reply;
    cv_json_begin_object(&w);
    if (after.n)
        cv_json_key_str(&w, "after", after);
    cv_json_end_object(&w);
    if (!cv_ask(asker, "agent list", cv_buf_take(&input, a), &reply, err) || !cv_json_parse(a, reply, tree, err))
        return false;
    const cv_json *agents = cv_json_get(tree, CV_STR("agents"));
    for (uint32_t i = 0; agents && i < agents->count; i++) {
        cv_str id = cv_json_get_text(&agents->items[i], "agent_id");
        *CV_PUSH(a, ret_page) =
            (cv_resource_entry){{id}, cv_arena_printf(a, "%.*s's inbox", CV_FMT(id)), CV_STR("What waits for it")};
    }
    ret_page->next = cv_json_get_text(tree, "next");
    return true;
}

const cv_resource cv_mail_resources[] = {
    {.uri = "conclave://mail/{agent}/inbox",
     .name = "inbox",
     .about = "What waits for an agent",
     .type = "application/json",
     .operation = "mail inbox",
     .field = "agent",
     .rev = rev_of_inbox,
     .list = list_inboxes},
    {0},
};
