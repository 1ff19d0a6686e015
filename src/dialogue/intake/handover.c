/* handover.c - from an expert's file into the record, and from there into its own file; see handover.h. */
#include "dialogue/intake/handover.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "dialogue/fault.h"
#include "dialogue/files.h"
#include "record/chain.h"

static const cv_str content_key = CV_STR_INIT("content");
static const char path_key[] = "content_path";

static bool is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- what is handed in ------------------------------------------------------------------------------------------- */

static bool read_file(cv_call *call, cv_str path, cv_str *ret_text)
{
    cv_err err = {.arena = call->arena};
    const char *allowed;
    if (cv_path_allowed(call->arena, call->root, call->confined, path, &allowed, &err) &&
        cv_file_read(call->arena, allowed, CV_MAX_RESPONSE, ret_text, &err) && cv_text_check(*ret_text, &err))
        return true;
    cv_err_field(&err, cv_str_of(path_key));
    return cv_call_fail(call, &err);
}

/* A text that is nothing but the name of a file, as --content takes it. What leads out of the caller's reach is not
 * looked for, but as one word it is no less a path. */
static bool is_path(const cv_call *call, cv_str content)
{
    cv_err err = {.arena = call->arena};
    cv_str text = cv_str_trim(content);
    const char *allowed;
    if (text.n < 2 || text.p[0] != '@' || cv_str_find_char(text, '\n') != SIZE_MAX)
        return false;
    if (cv_path_allowed(call->arena, call->root, call->confined, cv_str_from(text, 1), &allowed, &err))
        return is_regular(allowed);
    return cv_str_find_char(text, ' ') == SIZE_MAX;
}

bool cv_handover_input(cv_call *call, cv_json *ret_input)
{
    cv_str path = cv_json_get_text(call->input, path_key), content = cv_json_get_text(call->input, content_key.p);
    *ret_input = *call->input;
    if (path.p && content.p)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), path_key, path,
                                 "content and content_path exclude each other"),
                       CV_STR("Give one of them"));
    else if (content.p && is_path(call, content))
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), content_key.p, content,
                                 "the response is only the name of a file"),
                       CV_STR("Nothing was stored. Give the file's path, without the @, as content_path"));
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

/* ---- what stands at its place ------------------------------------------------------------------------------------ */

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

/* A file of blanks is a place kept free. One that cannot be read is nobody's to overwrite; what is no file at all is
 * refused by whoever tries to write there. */
bool cv_handover_look(cv_call *call, const cv_state *s, int64_t round, cv_str expert, cv_str sha256,
                      const char **ret_path, bool *ret_foreign, cv_err *err)
{
    cv_err unread = {.arena = call->arena};
    const char *folder;
    cv_str text;
    bool recorded;
    *ret_foreign = false;
    if (!cv_dialogue_folder(call, s, &folder, err))
        return false;
    *ret_path = cv_round_file_path(call->arena, folder, round, CV_FILE_RESPONSE, expert);
    if (!is_regular(*ret_path))
        return true;
    *ret_foreign = true;
    if (!cv_file_read(call->arena, *ret_path, CV_MAX_RESPONSE, &text, &unread))
        return true;
    cv_str found = cv_sha256(call->arena, text);
    if (cv_str_trim(text).n == 0 || cv_str_eq(found, sha256)) {
        *ret_foreign = false;
        return true;
    }
    if (!is_recorded(call, s, round, expert, found, &recorded, err))
        return false;
    *ret_foreign = !recorded;
    return true;
}

/* A second name for the same bytes: of two who do so at once none takes the other's, and whatever is written to the
 * first name from here on leaves them alone. */
bool cv_handover_keep(cv_arena *a, const char *path, const char **ret_kept, cv_err *err)
{
    enum { MOST_KEPT = 1000 };
    for (int i = 1; i <= MOST_KEPT; i++) {
        *ret_kept = cv_arena_printf(a, "%s.before-%d", path, i).p;
        if (link(path, *ret_kept) == 0)
            return true;
        if (errno == EEXIST)
            continue;
        cv_err_set(err, CV_ERR_IO, "cannot keep the file as %s: %s", *ret_kept, strerror(errno));
        cv_err_file(err, cv_str_of(path));
        return false;
    }
    cv_err_set(err, CV_ERR_IO, "%s.before-%d is the last one kept: take some of them away", path, (int)MOST_KEPT);
    return false;
}
