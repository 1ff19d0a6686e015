/* moved.c - files that were moved by hand: claimed, done, failed; see door.h.
 *
 *     mv inbox/task_0000000007.json claimed/      a claim for the usual time, by the session "files"
 *     mv … done/                                  done; a member "output" that was added to the file is kept
 *     mv … failed/                                failed; so is "error_details"
 *
 * Moving to done/ or failed/ without a claim is both in one. What another session has claimed (by a command, with a
 * token) is not finished by a file: it goes back to claimed/. A claim whose time is over goes back to the inbox; an
 * agent that moves it again claims it again. So of several hands one has a file, and what is late is refused.
 */
#include "mail/files/show.h"
#include "mail/files/take.h"

static const cv_str by_hand = CV_STR_INIT("files");

/* ---- claiming ---------------------------------------------------------------------------------------------------- */

static bool claim(cv_mail_door *door, const cv_door_agent *agent, const cv_mail_delivery *d, int64_t *ret_token,
                  bool *ret_again, cv_str *ret_why)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json answer;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "agent", agent->id);
    cv_json_key_str(&w, "message_id", d->message_id);
    cv_json_key_str(&w, "session", by_hand);
    cv_json_end_object(&w);
    if (!cv_door_call(door, "claim", cv_buf_take(&out, door->arena), &answer, ret_again, ret_why))
        return false;
    *ret_token = cv_json_get_int(&answer, "token", 0);
    return true;
}

/* ---- finishing --------------------------------------------------------------------------------------------------- */

static cv_str finish_request(cv_mail_door *door, const cv_door_agent *agent, const cv_mail_delivery *d, int64_t token,
                             bool failed, cv_str output, cv_str op_id)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "agent", agent->id);
    cv_json_key_str(&w, "message_id", d->message_id);
    cv_json_key_int(&w, "token", token);
    if (failed) {
        cv_json_key(&w, CV_STR("error_details"));
        cv_json_raw(&w, output.p ? output : CV_STR("{\"message\":\"the file was moved to failed/\"}"));
    } else if (output.p) {
        cv_json_key(&w, CV_STR("output"));
        cv_json_raw(&w, output);
    }
    cv_json_key_str(&w, "session", by_hand);
    cv_json_key_str_if(&w, "op_id", op_id);
    cv_json_end_object(&w);
    return cv_buf_take(&out, door->arena);
}

bool cv_door_finish(cv_mail_door *door, const cv_door_agent *agent, const cv_mail_delivery *d, bool failed,
                    cv_str output, cv_str op_id, bool *ret_again, cv_str *ret_why)
{
    cv_json answer;
    int64_t token = d->token;
    cv_mail_state state = cv_mail_state_at(d, door->now_ms);
    *ret_again = false;
    if (state == CV_MAIL_CLAIMED && !cv_str_eq(d->session, by_hand)) {
        *ret_why = cv_arena_printf(door->arena,
                                   "a command has claimed it until %.*s; only the holder of its token can finish it",
                                   CV_FMT(cv_mail_time(door->arena, d->lease_until)));
        return false;
    }
    if (state != CV_MAIL_CLAIMED && !claim(door, agent, d, &token, ret_again, ret_why))
        return false;
    return cv_door_call(door, failed ? "fail" : "done", finish_request(door, agent, d, token, failed, output, op_id),
                        &answer, ret_again, ret_why);
}

cv_str cv_door_added(cv_arena *a, const cv_mtext *text, bool failed)
{
    static const char *const names[2][4] = {{"output", "result", "results", NULL},
                                            {"error_details", "error", "reason", NULL}};
    for (size_t i = 0; names[failed][i]; i++) {
        const cv_json *v = cv_json_get(&text->value, cv_str_of(names[failed][i]));
        cv_str raw = v ? cv_mtext_raw(text->text, v) : (cv_str){0};
        if (v && v->type == CV_JSON_OBJECT)
            return raw;
        if (v && v->type != CV_JSON_NULL)
            return cv_arena_printf(a, "{\"message\":%.*s}", CV_FMT(raw));
    }
    return (cv_str){0};
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

static bool read_file(cv_mail_door *door, cv_where file, cv_mtext *ret, cv_err *why)
{
    cv_str bytes;
    *ret = (cv_mtext){0};
    return cv_file_read_at(door->arena, file, (size_t)CV_MAIL_MAX_SIZE, &bytes, why) &&
           cv_mtext_read(door->arena, bytes, ret, why);
}

/* Is it the file of another message, which has the same number in another mailbox? */
static bool is_other(const cv_mtext *text, const cv_mail_delivery *d)
{
    const cv_json *id = cv_json_get(&text->value, CV_STR("message_id"));
    return id && id->type == CV_JSON_STRING && !cv_str_eq(id->text, d->message_id);
}

static bool refuse_other(cv_mail_door *door, cv_door_agent *agent, cv_where file, const cv_mail_delivery *d,
                         cv_err *err)
{
    cv_str why = cv_arena_printf(door->arena, "it is another message: number %lld of %.*s is %.*s", (long long)d->seq,
                                 CV_FMT(agent->id), CV_FMT(d->message_id));
    return cv_door_quarantine(door, agent, file, cv_where_name(file), why, err);
}

static bool put_back(cv_mail_door *door, cv_door_agent *agent, cv_where file, cv_door_folder to, cv_str why,
                     cv_err *err)
{
    bool gone;
    const char *name = cv_where_name(file);
    cv_door_log(door, agent, "%s went back to %s/: %.*s", name, cv_door_names[to], CV_FMT(why));
    if (cv_door_move(file, cv_door_in(door, agent, to, name), false, &gone, err)) {
        cv_door_tell(door, agent, name, CV_DOOR_RETURNED, why);
        return true;
    }
    cv_err_clear(err); /* one of this name is there already */
    return cv_door_quarantine(door, agent, file, name, why, err);
}

static void count_claim(cv_mail_door *door, int64_t lease_until)
{
    door->lease_until = door->claims++ == 0 || lease_until < door->lease_until ? lease_until : door->lease_until;
}

/* In claimed/: is it a claim that the record does not have yet, or one whose time is over? */
static bool take_claim(cv_mail_door *door, cv_door_agent *agent, cv_where file, const cv_mail_delivery *d, cv_err *err)
{
    struct stat st;
    bool again;
    int64_t token;
    cv_str why;
    cv_mail_state state = cv_mail_state_at(d, door->now_ms);
    if (state == CV_MAIL_CLAIMED || !cv_where_look(file, &st)) {
        count_claim(door, d->lease_until);
        return true;
    }
    if (!cv_mail_states[state].claimable)
        return cv_door_archive(door, agent, file, cv_where_name(file), err);
    int64_t moved_ms = cv_timespec_ns(st.st_ctim) / 1000000;
    bool over = cv_str_eq(d->state, cv_mail_states[CV_MAIL_CLAIMED].word);
    if (over && moved_ms <= d->lease_until)
        return put_back(door, agent, file, CV_DOOR_INBOX, CV_STR("the time of its claim is over"), err);
    cv_mtext text;
    cv_err unread = {.arena = door->arena};
    if (read_file(door, file, &text, &unread) && is_other(&text, d))
        return refuse_other(door, agent, file, d, err);
    if (claim(door, agent, d, &token, &again, &why)) {
        cv_door_tell(door, agent, cv_where_name(file), CV_DOOR_TAKEN, (cv_str){0});
        count_claim(door, door->now_ms);
        return true;
    }
    if (again)
        cv_door_tell(door, agent, cv_where_name(file), CV_DOOR_WAITING, why);
    return again || put_back(door, agent, file, CV_DOOR_INBOX, why, err);
}

/* Finished: to the archive; failed with tries left: back to the inbox. */
static bool put_away(cv_mail_door *door, cv_door_agent *agent, int64_t seq, cv_where file, cv_err *err)
{
    cv_mail_delivery d;
    bool found, gone;
    const char *name = cv_where_name(file);
    if (!cv_mail_delivery_get(door->record, door->arena, agent->name, seq, &d, &found, err))
        return false;
    if (found && cv_mail_states[cv_mail_state_of(d.state)].open)
        return cv_door_move(file, cv_door_in(door, agent, CV_DOOR_INBOX, name), false, &gone, err);
    return cv_door_archive(door, agent, file, name, err);
}

static bool take_end(cv_mail_door *door, cv_door_agent *agent, cv_where file, const cv_mail_delivery *d, bool failed,
                     cv_err *err)
{
    cv_mail_state state = cv_mail_state_at(d, door->now_ms);
    bool again;
    cv_str why, output = {0}, lost = {0};
    cv_err unread = {.arena = door->arena};
    cv_mtext text;
    if (!cv_mail_states[state].open)
        return cv_door_archive(door, agent, file, cv_where_name(file), err);
    cv_door_state whole = cv_door_look(door, file, &why);
    if (whole != CV_DOOR_WHOLE) {
        if (whole != CV_DOOR_OPEN)
            why = cv_arena_printf(door->arena,
                                  "it may still be written to: it is finished when nobody has changed it "
                                  "for %d s",
                                  CV_DOOR_QUIET_MS / 1000);
        cv_door_tell(door, agent, cv_where_name(file), CV_DOOR_WAITING, why);
        return true;
    }
    if (!read_file(door, file, &text, &unread)) {
        lost = cv_arena_printf(door->arena, "%.*s; it is finished without an output", CV_FMT(unread.message));
        cv_door_log(door, agent, "%s: %.*s", cv_where_name(file), CV_FMT(lost));
    } else if (is_other(&text, d))
        return refuse_other(door, agent, file, d, err);
    else
        output = cv_door_added(door->arena, &text, failed);
    if (cv_door_finish(door, agent, d, failed, output, (cv_str){0}, &again, &why)) {
        cv_door_tell(door, agent, cv_where_name(file), CV_DOOR_TAKEN, lost);
        return put_away(door, agent, d->seq, file, err);
    }
    if (again)
        cv_door_tell(door, agent, cv_where_name(file), CV_DOOR_WAITING, why);
    return again || put_back(door, agent, file, state == CV_MAIL_CLAIMED ? CV_DOOR_CLAIMED : CV_DOOR_INBOX, why, err);
}

bool cv_door_take_moves(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, cv_err *err)
{
    cv_door_list names;
    if (!cv_door_read(door, cv_door_in(door, agent, folder, ""), false, &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        cv_where file = cv_door_in(door, agent, folder, names.items[i]);
        cv_mail_delivery d;
        int64_t seq;
        bool found = false;
        if (cv_door_seq_of(names.items[i], &seq) &&
            !cv_mail_delivery_get(door->record, door->arena, agent->name, seq, &d, &found, err))
            return false;
        bool ok = !found
                      ? cv_door_quarantine(door, agent, file, names.items[i],
                                           CV_STR("only files of the inbox can be moved here, with their names"), err)
                  : folder == CV_DOOR_CLAIMED ? take_claim(door, agent, file, &d, err)
                                              : take_end(door, agent, file, &d, folder == CV_DOOR_FAILED, err);
        if (!ok)
            return false;
    }
    return true;
}
