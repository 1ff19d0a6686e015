/* status.c - the HTTP status of a fault; see api.h.
 *
 * Of the codes that every room shares each has its row. A room's own code is 404 when it says that something was not
 * found, 422 when the request was refused, 500 when something below failed: as its exit status tells.
 */
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
    {CV_ERR_REDACTED, 410},      {CV_ERR_CANCELLED, 503},     {CV_ERR_BUSY, 503},          {CV_ERR_REGRESSED, 503},
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
