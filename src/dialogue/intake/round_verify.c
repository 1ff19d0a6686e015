/* round_verify.c - is a round ready to be registered: who has responded, what will not be understood, which files were
 * never handed in. Reads only. */
#include "dialogue/intake/diagnosis.h"
#include "dialogue/intake/response_files.h"
#include "dialogue/operations.h"

typedef struct {
    cv_state state;
    int64_t round;
    cv_attendance attendance;
    cv_hearing hearing; /* of all who have spoken */
    cv_response_files files;
    cv_notices warnings;
} check;

static cv_str state_word(const cv_attendee *who)
{
    return !who->response                      ? CV_STR("missing")
           : cv_response_speaks(who->response) ? CV_STR("responded")
                                               : CV_STR("no_contribution");
}

/* Everybody on the panel has said something, or that there is nothing to say. */
static bool is_complete(const check *c)
{
    bool any = false;
    for (size_t i = 0; i < c->attendance.count; i++) {
        if (c->attendance.items[i].seated && !c->attendance.items[i].response)
            return false;
        any = any || c->attendance.items[i].seated;
    }
    return any;
}

static void look_at_files(cv_call *call, check *c)
{
    cv_err err = {.arena = call->arena};
    if (!cv_response_files_look(call, &c->state, c->round, &c->attendance, &c->files, &err))
        cv_notice_add(&c->warnings, call->arena, CV_STR("files_not_read"),
                      "the dialogue's folder was not looked at: %.*s", CV_FMT(cv_err_text(&err)));
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void print_experts(const check *c, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("experts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < c->attendance.count; i++) {
        const cv_attendee *who = &c->attendance.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "expert", who->expert);
        cv_json_key_bool(w, "seated", who->seated);
        cv_json_key_str(w, "state", state_word(who));
        if (cv_response_speaks(who->response)) {
            cv_json_key_int(w, "bytes", (int64_t)who->response->content.n);
            cv_json_key_str(w, "sha256", who->response->sha256);
        }
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_slugs(const check *c, const char *key, bool seated, cv_str state, cv_json_writer *w)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = 0; i < c->attendance.count; i++) {
        const cv_attendee *who = &c->attendance.items[i];
        if (who->seated == seated && (state.n == 0 || cv_str_eq(state_word(who), state)))
            cv_json_str(w, who->expert);
    }
    cv_json_end_array(w);
}

static void print_files(const check *c, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("files"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < c->files.count; i++) {
        const cv_response_file *file = &c->files.items[i];
        if (file->state == CV_RESPONSE_FILE_SAME)
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "expert", file->expert);
        cv_json_key_str(w, "state", cv_response_file_words.items[file->state]);
        cv_json_key_str(w, "path", file->path);
        cv_json_key_str_if(w, "message", file->message);
        cv_json_key_str_if(w, "command", file->command);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print(cv_call *call, const check *c)
{
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "dialogue_id", c->state.id);
    cv_json_key_int(&w, "rev", c->state.position.rev);
    cv_json_key_int(&w, "round", c->round);
    cv_json_key_bool(&w, "registered", c->round < cv_state_next_round(&c->state));
    cv_json_key_bool(&w, "complete", is_complete(c));
    print_experts(c, &w);
    print_slugs(c, "missing", true, CV_STR("missing"), &w);
    print_slugs(c, "no_contribution", true, CV_STR("no_contribution"), &w);
    print_slugs(c, "without_seat", false, (cv_str){NULL, 0}, &w);
    cv_json_key(&w, CV_STR("diagnostics"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < c->hearing.speech_count; i++)
        cv_diagnosis_print(call->arena, &c->hearing, i, true, &w);
    cv_json_end_array(&w);
    print_files(c, &w);
    cv_notices_answer(&c->warnings, &w);
    cv_json_end_object(&w);
}

bool cv_dialogue_round_verify(cv_call *call)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                                 CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(VERDICT)};
    cv_err err = {.arena = call->arena};
    check c = {0};
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &c.state, &err))
        return cv_call_fail(call, &err);
    if (!cv_attendance_round(call, &c.state, &c.round))
        return false;
    cv_attendance_of(call->arena, &c.state, c.round, &c.attendance);
    cv_attendance_hear(call->arena, &c.state, c.round, &c.attendance, &c.hearing);
    look_at_files(call, &c);
    cv_attendance_warn(call->arena, &c.attendance, c.round, &c.warnings);
    if (c.attendance.count == 0 || !c.attendance.items[0].seated)
        cv_notice_add(&c.warnings, call->arena, CV_STR("no_panel"), "nobody sits in round %lld", (long long)c.round);
    print(call, &c);
    return true;
}
