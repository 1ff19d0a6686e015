/* handover.c - from an expert's file into the record, and from there into its own file; see handover.h. */
#include "dialogue/intake/handover.h"

#include "base/file.h"
#include "base/path.h"
#include "dialogue/faults.h"
#include "dialogue/files.h"
#include "dialogue/words/limits.h"
#include "record/hash.h"

static const cv_str content_key = CV_STR_INIT("content");
static const char path_key[] = "content_path";

/* ---- what is sent ------------------------------------------------------------------------------------------------ */

static bool read_file(cv_call *call, cv_str path, cv_str *ret_text)
{
    cv_err err = {.arena = call->arena};
    cv_where allowed;
    if (cv_path_allowed(call->arena, call->root, call->confined, path, &allowed, &err) &&
        cv_file_read_at(call->arena, allowed, CV_MAX_RESPONSE, ret_text, &err) && cv_text_check(*ret_text, &err))
        return true;
    cv_err_field(&err, cv_str_of(path_key));
    return cv_call_fail(call, &err);
}

/* A text that is nothing but the name of a file, as --content takes it. What leads out of the caller's reach is not
 * looked for, but as one word it is a path, too. */
static bool is_path(const cv_call *call, cv_str content)
{
    cv_err err = {.arena = call->arena};
    cv_str text = cv_str_trim(content);
    cv_where allowed;
    if (text.n < 2 || text.p[0] != '@' || cv_str_find_char(text, '\n') != SIZE_MAX)
        return false;
    if (cv_path_allowed(call->arena, call->root, call->confined, cv_str_from(text, 1), &allowed, &err))
        return cv_where_is_regular(allowed);
    return cv_str_find_char(text, ' ') == SIZE_MAX;
}

bool cv_handover_input(cv_call *call, cv_json *ret_input)
{
    cv_str path = cv_json_get_text(call->input, path_key), content = cv_json_get_text(call->input, content_key.p);
    *ret_input = *call->input;
    if (path.p && content.p)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), path_key, path,
                                 "'content' and 'content_path' exclude each other"),
                       CV_STR("Give one of them"));
    else if (content.p && is_path(call, content))
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), content_key.p, content,
                                 "the response is only the name of a file"),
                       CV_STR("Nothing was stored. Give the file's path, without the @, as 'content_path'"));
    else if (path.p && read_file(call, path, &content)) {
        ret_input->members = CV_NEW_ARRAY(call->arena, call->input->count, cv_json_member);
        for (size_t i = 0; i < call->input->count; i++) {
            ret_input->members[i] = call->input->members[i];
            if (cv_str_eq(ret_input->members[i].key, cv_str_of(path_key)))
                ret_input->members[i] = (cv_json_member){content_key, {.type = CV_JSON_STRING, .text = content}};
        }
    }
    return call->errs->count == 0;
}

/* ---- what is at its place ---------------------------------------------------------------------------------------- */

/* What was replaced is kept by its event, with its hash (respond.c). */
static bool is_recorded(cv_call *call, const cv_state *s, int64_t round, cv_str expert, cv_str sha256, bool *ret_is,
                        cv_err *err)
{
    cv_state known;
    cv_str subject = cv_turn_key(call->arena, round, expert);
    cv_wanted wanted = {
        .kinds = CV_REC_BIT(RESPONSE) | CV_REC_BIT(EVENT), .no_content = true, .about = &subject, .about_count = 1};
    *ret_is = false;
    if (!cv_state_load(call, s->id, &wanted, &known, err))
        return false;
    for (size_t i = 0; i < known.responses.count; i++) {
        const cv_rec_response *row = &known.responses.items[i];
        *ret_is =
            *ret_is || (row->round == round && cv_str_eq(row->expert_slug, expert) && cv_str_eq(row->sha256, sha256));
    }
    for (size_t i = 0; i < known.events.count && !*ret_is; i++) {
        cv_json data;
        if (known.events.items[i].data.n == 0)
            continue;
        if (!cv_stored_json(call->arena, known.events.items[i].data, "an event of a response", &data, err))
            return false;
        *ret_is = cv_str_eq(cv_json_get_text(&data, "sha256"), sha256);
    }
    return true;
}

/* A file of blanks is a place kept free. What the record cannot say anything about is not ours. */
bool cv_handover_is_ours(cv_call *call, const cv_state *s, int64_t round, cv_str expert, cv_str sha256, cv_str text,
                         cv_err *err)
{
    bool recorded;
    cv_str found = cv_hash_text(call->arena, text);
    return cv_str_trim(text).n == 0 || cv_str_eq(found, sha256) ||
           (is_recorded(call, s, round, expert, found, &recorded, err) && recorded);
}

/* A file that cannot be read is not ours to overwrite; what is not a file at all, or lies behind a link, is refused by
 * a process that tries to write there. */
bool cv_handover_look(cv_call *call, const cv_state *s, int64_t round, cv_str expert, cv_str sha256,
                      cv_where *ret_where, bool *ret_foreign, cv_err *err)
{
    cv_err unread = {.arena = call->arena};
    cv_where folder;
    cv_str text;
    *ret_foreign = false;
    err->code = CV_ERR_NONE;
    if (!cv_dialogue_folder(call, s, &folder, err))
        return false;
    *ret_where = cv_round_file_where(call->arena, folder, round, CV_FILE_RESPONSE, expert);
    if (!cv_where_is_regular(*ret_where))
        return true;
    *ret_foreign = !cv_file_read_at(call->arena, *ret_where, CV_MAX_RESPONSE, &text, &unread) ||
                   !cv_handover_is_ours(call, s, round, expert, sha256, text, err);
    return err->code == CV_ERR_NONE;
}
