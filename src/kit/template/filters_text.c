/* filters_text.c - filters that make texts. */
#include "base/utf8.h"
#include "kit/template/parts.h"

static bool recase(cv_run *run, cv_tv *args, cv_t_case way, cv_tv *ret)
{
    return cv_tv_soft(run, &args[0], ret) && cv_t_recase(run, ret->text, way, &ret->text);
}

static bool do_upper(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return recase(run, args, CV_T_UPPER, ret);
}

static bool do_lower(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return recase(run, args, CV_T_LOWER, ret);
}

static bool do_capitalize(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return recase(run, args, CV_T_CAPITAL, ret);
}

/* Words begin behind white space, "-", "(", "{", "[" and "<". */
static bool divides(cv_str rest, size_t *ret_n)
{
    *ret_n = strchr("-({[<", rest.p[0]) && rest.p[0] ? 1 : cv_t_space_first(rest);
    return *ret_n > 0;
}

static bool do_title(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str text, part;
    cv_buf out = {0};
    if (!cv_tv_text(run, &args[0], &text) || !cv_run_bytes(run, text.n * 3))
        return false;
    while (text.n > 0) {
        size_t n = 0, one;
        while (n < text.n && !divides(cv_str_from(text, n), &one))
            n += cv_utf8_first(cv_str_from(text, n));
        if (n > 0) {
            cv_str word = cv_str_head(text, n);
            size_t first = cv_utf8_first(word);
            if (!cv_t_recase(run, cv_str_head(word, first), CV_T_UPPER, &part))
                return false;
            cv_buf_add(&out, part);
            if (!cv_t_recase(run, cv_str_from(word, first), CV_T_LOWER, &part))
                return false;
            cv_buf_add(&out, part);
        }
        text = cv_str_from(text, n);
        while (text.n > 0 && divides(text, &one)) {
            cv_buf_add(&out, cv_str_head(text, one));
            text = cv_str_from(text, one);
        }
    }
    *ret = cv_tv_str(cv_buf_take(&out, &run->arena));
    return true;
}

static bool do_trim(cv_run *run, cv_tv *args, cv_tv *ret)
{
    if (!cv_tv_soft(run, &args[0], ret))
        return false;
    bool set = cv_targ_given(&args[1]) && args[1].kind != CV_TV_NONE;
    if (set && args[1].kind != CV_TV_STR)
        return cv_run_fail(run, "'chars' is a text, not a value of type %.*s", CV_FMT(cv_tv_word(&args[1])));
    cv_str chars = args[1].text;
    if (set && ret->markup && !args[1].markup && !cv_t_escape(run, chars, &chars))
        return false;
    ret->text = cv_t_strip(ret->text, set ? &chars : NULL, true, true);
    return cv_run_step(run, 1 + ret->text.n / CV_T_BYTES_A_STEP);
}

static bool do_replace(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str text, old, new_;
    int64_t most = -1;
    if (!cv_tv_text(run, &args[0], &text) || !cv_tv_text(run, &args[1], &old) || !cv_tv_text(run, &args[2], &new_))
        return false;
    if (args[3].kind != CV_TV_NONE && !cv_targ_int(run, &args[3], "count", -1, &most))
        return false;
    if (!cv_t_replace(run, text, old, new_, most, &text))
        return false;
    *ret = cv_tv_str(text);
    return true;
}

static bool do_truncate(cv_run *run, cv_tv *args, cv_tv *ret)
{
    const cv_tv *text = &args[0];
    cv_tv end = cv_targ_given(&args[3]) ? args[3] : cv_tv_str(CV_STR("...")), head;
    int64_t most, leeway = 5, length, end_length;
    bool cut;
    if (!cv_targ_int(run, &args[1], "length", 255, &most) || !cv_targ_truth(run, &args[2], &cut) ||
        (args[4].kind != CV_TV_NONE && !cv_targ_int(run, &args[4], "leeway", 5, &leeway)) ||
        !cv_tv_length(run, &end, &end_length))
        return false;
    if (most < end_length)
        return cv_run_fail(run, "'length' is at least as long as 'end', which has %lld characters",
                           (long long)end_length);
    if (leeway < 0)
        return cv_run_fail(run, "'leeway' is not less than zero");
    if (!cv_tv_length(run, text, &length))
        return false;
    *ret = *text;
    if (length <= most || length - most <= leeway)
        return true;
    int64_t keep = most - end_length;
    if (!cv_t_slice(run, text, NULL, &keep, 1, &head))
        return false;
    if (!cut && head.kind != CV_TV_STR)
        return cv_run_fail(run, "a value of type %.*s cannot be truncated", CV_FMT(cv_tv_word(text)));
    for (size_t i = cut ? 0 : head.text.n; i > 0; i--)
        if (head.text.p[i - 1] == ' ') {
            head.text.n = i - 1;
            break;
        }
    return cv_t_add(run, &head, &end, ret);
}

static bool do_indent(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool first, blank;
    int64_t width = 4;
    cv_buf pad = {0}, out = {0};
    const cv_tv *text = &args[0];
    if (text->kind != CV_TV_STR)
        return text->kind == CV_TV_UNDEFINED
                   ? (*ret = cv_tv_noted(run->at), cv_run_missing(run, text, false))
                   : cv_run_fail(run, "a value of type %.*s cannot be indented", CV_FMT(cv_tv_word(text)));
    if (args[1].kind == CV_TV_STR)
        cv_buf_add(&pad, args[1].text);
    else if (!cv_targ_int(run, &args[1], "width", 4, &width) || !cv_run_bytes(run, width > 0 ? (size_t)width : 0))
        return false;
    else
        for (int64_t i = 0; i < width; i++)
            cv_buf_add_char(&pad, ' ');
    cv_str indent = cv_buf_take(&pad, &run->arena), line;
    if (!cv_targ_truth(run, &args[2], &first) || !cv_targ_truth(run, &args[3], &blank))
        return false;
    cv_str rest = cv_arena_join(&run->arena, text->text, CV_STR("\n"));
    bool good = true;
    for (size_t i = 0; good && cv_t_next_line(&rest, &line); i++) {
        size_t from = out.n;
        if (i > 0)
            cv_buf_add_char(&out, '\n');
        if (i == 0 ? first : line.n > 0 || blank)
            cv_buf_add(&out, indent);
        cv_buf_add(&out, line);
        good = cv_run_grown(run, &out, from);
    }
    *ret = cv_tv_str(cv_buf_take(&out, &run->arena));
    ret->markup = text->markup;
    return good && cv_run_bytes(run, ret->text.n);
}

static bool do_center(cv_run *run, cv_tv *args, cv_tv *ret)
{
    int64_t width, length;
    if (!cv_tv_soft(run, &args[0], ret) || !cv_targ_int(run, &args[1], "width", 80, &width) ||
        !cv_tv_length(run, ret, &length))
        return false;
    if (width <= length)
        return true;
    if (!cv_run_bytes(run, (size_t)(width - length) + ret->text.n))
        return false;
    int64_t spare = width - length, left = spare / 2 + (spare & width & 1);
    char *to = cv_arena_alloc(&run->arena, (size_t)spare + ret->text.n);
    memset(to, ' ', (size_t)spare + ret->text.n);
    memcpy(to + left, ret->text.p, ret->text.n);
    ret->text = (cv_str){to, (size_t)spare + ret->text.n};
    return true;
}

static bool do_escape(cv_run *run, cv_tv *args, cv_tv *ret)
{
    if (!cv_tv_soft(run, &args[0], ret) || (!ret->markup && !cv_t_escape(run, ret->text, &ret->text)))
        return false;
    ret->markup = true;
    return true;
}

static bool do_safe(cv_run *run, cv_tv *args, cv_tv *ret)
{
    if (!cv_tv_soft(run, &args[0], ret))
        return false;
    ret->markup = true;
    return true;
}

static bool do_string(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return cv_tv_soft(run, &args[0], ret);
}

static bool do_tojson(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_buf out = {0};
    bool good = cv_tv_json(run, &args[0], &args[1], &out);
    *ret = cv_tv_str(cv_buf_take(&out, &run->arena));
    ret->markup = true;
    return good;
}

static bool do_wordcount(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str text;
    uint32_t code;
    int64_t words = 0;
    bool inside = false;
    if (!cv_tv_text(run, &args[0], &text) || !cv_run_step(run, text.n / CV_T_BYTES_A_STEP))
        return false;
    while (cv_utf8_next(&text, &code)) {
        bool word = cv_t_is_word(code);
        words += word && !inside;
        inside = word;
    }
    *ret = cv_tv_int(words);
    return true;
}

const cv_tfilter cv_tfilters_text[] = {
    {"upper", {NULL}, 0, do_upper, NULL},
    {"lower", {NULL}, 0, do_lower, NULL},
    {"capitalize", {NULL}, 0, do_capitalize, NULL},
    {"title", {NULL}, 0, do_title, NULL},
    {"trim", {"chars"}, 0, do_trim, NULL},
    {"replace", {"old", "new", "count"}, 2, do_replace, NULL},
    {"truncate", {"length", "killwords", "end", "leeway"}, 0, do_truncate, NULL},
    {"indent", {"width", "first", "blank"}, 0, do_indent, NULL},
    {"center", {"width"}, 0, do_center, NULL},
    {"escape", {NULL}, 0, do_escape, NULL},
    {"e", {NULL}, 0, do_escape, NULL},
    {"safe", {NULL}, 0, do_safe, NULL},
    {"string", {NULL}, 0, do_string, NULL},
    {"tojson", {"indent"}, 0, do_tojson, NULL},
    {"wordcount", {NULL}, 0, do_wordcount, NULL},
    {NULL, {NULL}, 0, NULL, NULL},
};
