/* status.c - the HTTP status of a fault; see api.h.
 *
 * Of the codes that every room shares each has its row. A room's own code is 404 when it says that something was not
 * found, 422 when the request was refused, 500 when something below failed: as its exit status tells. A file that
 * cannot be used is the caller's fault if the caller has named it, and ours otherwise. Several faults have the status
 * that each of them would have alone, or 422 if those differ.
 */
#include "base/err_json.h"
#include "door/api/parts.h"

static const struct {
    cv_err_code code;
    int status;
} rows[] = {
    {CV_ERR_USAGE, 400},         {CV_ERR_NOT_FOUND, 404},     {CV_ERR_TOO_LARGE, 413},     {CV_ERR_NOT_UTF8, 400},
    {CV_ERR_NOT_TEXT, 400},      {CV_ERR_JSON, 400},          {CV_ERR_DUPLICATE_KEY, 400}, {CV_ERR_MISSING_FIELD, 400},
    {CV_ERR_INVALID_VALUE, 400}, {CV_ERR_UNKNOWN_FIELD, 400}, {CV_ERR_BATCH, 422},         {CV_ERR_REV_CONFLICT, 409},
    {CV_ERR_OP_CONFLICT, 409},   {CV_ERR_FILE_CHANGED, 409},  {CV_ERR_UNKNOWN_AGENT, 404}, {CV_ERR_AGENT_REMOVED, 403},
    {CV_ERR_TOKEN, 401},         {CV_ERR_NOT_ALLOWED, 403},   {CV_ERR_NOT_VERIFIED, 403},  {CV_ERR_IDENTITY, 403},
    {CV_ERR_REDACTED, 410},      {CV_ERR_NOT_A_FILE, 400},    {CV_ERR_CANCELLED, 503},     {CV_ERR_BUSY, 503},
    {CV_ERR_REGRESSED, 503},
};

int cv_api_status(cv_err_code code)
{
    for (size_t i = 0; i < CV_COUNT(rows); i++)
        if (rows[i].code == code)
            return rows[i].status;
    if (cv_str_ends(cv_err_word(code), CV_STR("_not_found")))
        return 404;
    return cv_err_exit(code) == 1 ? 422 : 500;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* "a/b//" -> "b" */
static cv_str last_name(cv_str path)
{
    cv_str name, last = path;
    while (cv_str_split(&path, '/', &name))
        last = name.n ? name : last;
    return last;
}

/* Does a text lead to the file, or to a folder that it is in? */
static bool leads_to(cv_str text, cv_str file)
{
    cv_str wanted = last_name(text), name;
    while (wanted.n && cv_str_split(&file, '/', &name))
        if (cv_str_eq(name, wanted))
            return true;
    return false;
}

/* Does some text of the input do so? */
static bool is_named(const cv_json *input, cv_str file)
{
    bool named = input->type == CV_JSON_STRING && leads_to(input->text, file);
    for (uint32_t i = 0; !named && input->type == CV_JSON_ARRAY && i < input->count; i++)
        named = is_named(&input->items[i], file);
    for (uint32_t i = 0; !named && input->type == CV_JSON_OBJECT && i < input->count; i++)
        named = is_named(&input->members[i].value, file);
    return named;
}

static bool is_of_a_file(cv_err_code code)
{
    const cv_err_code codes[] = {CV_ERR_NO_ACCESS, CV_ERR_CORRUPT, CV_ERR_SCHEMA, CV_ERR_TOML};
    for (size_t i = 0; i < CV_COUNT(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

int cv_api_faults_status(const cv_json *input, const cv_errs *errs)
{
    const cv_err *first = &errs->items[0];
    int status = cv_api_status(first->code);
    for (size_t i = 1; i < errs->count; i++)
        if (cv_api_status(errs->items[i].code) != status)
            return cv_api_status(CV_ERR_BATCH);
    bool named = is_of_a_file(first->code) && first->file.n && is_named(input, first->file);
    return named ? 400 : status;
}
