/* err_json.c - errors as JSON; see err_json.h. */
#include "base/err_json.h"

/* "perspectives[0].references[1].target" is about a "reference": the innermost list, without its plural s. */
static cv_str item_type(const cv_err *err)
{
    cv_str path = err->field;
    if (err->item_type.n > 0)
        return err->item_type;
    while (path.n > 0 && path.p[path.n - 1] != '[')
        path.n--;
    if (path.n == 0)
        return path;
    path.n--;
    size_t from = path.n;
    while (from > 0 && path.p[from - 1] != '.' && path.p[from - 1] != ']')
        from--;
    path = cv_str_from(path, from);
    return cv_str_ends(path, CV_STR("s")) ? cv_str_head(path, path.n - 1) : path;
}

static void print_options(const cv_err *err, cv_json_writer *w)
{
    if (err->option_count > 0)
        cv_json_key_strs(w, "valid_options", err->options, err->option_count);
}

static void print_members(const cv_err *err, cv_json_writer *w)
{
    cv_json_key_str(w, "error_code", cv_err_word(err->code));
    cv_json_key_str(w, "message", err->message);
    cv_json_key_str_if(w, "item_type", item_type(err));
    if (err->item_id.n > 0) {
        cv_json_key(w, err->item_key);
        cv_json_str(w, err->item_id);
    }
    cv_json_key_str_if(w, "field", err->field);
    cv_json_key_str_if(w, "value", err->value);
    cv_json_key_str_if(w, "constraint", err->constraint);
    cv_json_key_raw_if(w, "context", err->context);
    print_options(err, w);
    cv_json_key_str_if(w, "suggestion", err->suggestion);
    cv_json_key_str_if(w, "file", err->file);
    if (err->line > 0) {
        cv_json_key_int(w, "line", (int64_t)err->line);
        cv_json_key_int(w, "column", (int64_t)err->column);
    }
}

void cv_err_print_json(const cv_err *err, cv_json_writer *w)
{
    cv_json_begin_object(w);
    print_members(err, w);
    cv_json_end_object(w);
}

static bool is_about_caller(cv_err_code code)
{
    return code == CV_ERR_NOT_ALLOWED || code == CV_ERR_TOKEN || code == CV_ERR_AGENT_REMOVED;
}

/* What could not run at all, or not for this caller, is not a fault of an item: it keeps its own shape. */
static bool is_batch(const cv_err *errs, size_t count, bool batch)
{
    return count > 1 || (batch && cv_err_is_refusal(errs[0].code) && !is_about_caller(errs[0].code));
}

cv_err_code cv_errs_code(const cv_err *errs, size_t count, bool batch)
{
    return is_batch(errs, count, batch) ? CV_ERR_BATCH : errs[0].code;
}

void cv_errs_print_json(const cv_err *errs, size_t count, bool batch, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "status", CV_STR("error"));
    if (is_batch(errs, count, batch)) {
        cv_buf message = {0};
        cv_buf_printf(&message, batch ? "%zu item%s failed validation" : "the request has %zu fault%s", count,
                      CV_PLURAL(count));
        cv_json_key_str(w, "error_code", cv_err_word(CV_ERR_BATCH));
        cv_json_key_str(w, "message", cv_buf_str(&message));
        cv_buf_release(&message);
        cv_json_key(w, CV_STR("errors"));
        cv_json_begin_array(w);
        for (size_t i = 0; i < count; i++)
            cv_err_print_json(&errs[i], w);
        cv_json_end_array(w);
        cv_json_key_str(w, "suggestion",
                        batch ? CV_STR("Fix all errors and resubmit the entire batch")
                              : CV_STR("correct them all and send the request again"));
    } else {
        print_members(&errs[0], w);
    }
    cv_json_end_object(w);
}
