/* conditions.c - what people want to hear of mail; see kit/room.h. */
#include "base/utf8.h"
#include "mail/room.h"

enum { MOST = 1000, FIRST_WORDS = 120 };

/* The reply of an operation: about one mailbox, or about all of them. */
static bool ask(const cv_asker *asker, const char *operation, cv_str agent, cv_json *ret, cv_err *err)
{
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_str reply;
    cv_json_begin_object(&w);
    if (agent.p) {
        cv_json_key_str(&w, "agent", agent);
        cv_json_key_int(&w, "limit", MOST);
    }
    cv_json_end_object(&w);
    return cv_ask(asker, operation, cv_buf_take(&input, asker->arena), &reply, err) &&
           cv_json_parse(asker->arena, reply, ret, err);
}

/* The first line of a text that was sent, or the command. */
static cv_str first_words(const cv_json *message)
{
    const cv_json *params = cv_json_get(message, CV_STR("params"));
    cv_str body = params && params->type == CV_JSON_OBJECT ? cv_json_get_text(params, "body") : (cv_str){0}, line;
    cv_str text = body.n ? body : cv_json_get_text(message, "command");
    return cv_str_split(&text, '\n', &line) ? cv_utf8_limit(line, FIRST_WORDS) : CV_STR("");
}

/* What a mailbox has is told message by message: those that were never taken, or those that were given up. */
static bool look_in(const cv_asker *asker, const char *operation, const char *state, cv_str agent, cv_held_list *ret,
                    cv_err *err)
{
    cv_json reply;
    if (!ask(asker, operation, agent, &reply, err))
        return false;
    const cv_json *messages = cv_json_get(&reply, CV_STR("messages"));
    for (uint32_t i = 0; messages && i < messages->count; i++) {
        const cv_json *m = &messages->items[i];
        if (state && !cv_str_eq(cv_json_get_text(m, "state"), cv_str_of(state)))
            continue;
        *CV_PUSH(asker->arena, ret) = (cv_held){
            .key = cv_arena_printf(asker->arena, "%.*s %.*s", CV_FMT(agent), CV_FMT(cv_json_get_text(m, "message_id"))),
            .who = agent,
            .text = cv_arena_printf(asker->arena, "%s %.*s from %.*s: %.*s", state ? "mail for" : "given up by",
                                    CV_FMT(agent), CV_FMT(cv_json_get_text(m, "from")), CV_FMT(first_words(m)))};
    }
    return true;
}

/* Only mailboxes that have some are opened. */
static bool look_at_all(const cv_asker *asker, const char *count, const char *operation, const char *state,
                        cv_held_list *ret, cv_err *err)
{
    cv_json stats;
    bool fine = ask(asker, "mail stats", (cv_str){0}, &stats, err);
    const cv_json *boxes = fine ? cv_json_get(&stats, CV_STR("mailboxes")) : NULL;
    for (uint32_t i = 0; fine && boxes && i < boxes->count; i++)
        if (cv_json_get_int(&boxes->items[i], count, 0) > 0)
            fine = look_in(asker, operation, state, cv_json_get_text(&boxes->items[i], "agent"), ret, err);
    return fine;
}

static bool look_mail(const cv_asker *asker, cv_str scope, cv_held_list *ret, cv_err *err)
{
    (void)scope;
    return look_at_all(asker, "waiting", "mail inbox", "new", ret, err);
}

static bool look_dead(const cv_asker *asker, cv_str scope, cv_held_list *ret, cv_err *err)
{
    (void)scope;
    return look_at_all(asker, "dead", "mail dead", NULL, ret, err);
}

const cv_condition cv_mail_conditions[] = {
    {"mail", "a message waits for an agent that has not claimed it", look_mail, false},
    {"dead-letter", "a message was given up", look_dead, false},
    {0},
};
