/* methods.c - what can be called: methods of texts, lists, dicts, loops and times, and the functions that every
 * template has. None of them changes a value. What Python's objects have besides these is distinguished from a missing
 * key. */
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "kit/template/parts.h"

/* ---- arguments --------------------------------------------------------------------------------------- */

static bool text_argument(cv_run *run, const cv_tv *v, const char *name, cv_str *ret)
{
    *ret = v->text;
    if (v->kind == CV_TV_STR)
        return true;
    *ret = (cv_str){NULL, 0};
    if (v->kind == CV_TV_UNDEFINED && run->rules->strict)
        return cv_run_missing(run, v, true);
    return cv_run_fail(run, "'%s' is a text, not a value of type %.*s", name, CV_FMT(cv_tv_word(v)));
}

/* A text that becomes a part of self: escaped when self is. */
static bool own_text(cv_run *run, const cv_tv *self, const cv_tv *v, const char *name, cv_str *ret)
{
    return text_argument(run, v, name, ret) && (!self->markup || v->markup || cv_t_escape(run, *ret, ret));
}

static bool is_given(const cv_tv *v)
{
    return cv_targ_given(v) && v->kind != CV_TV_NONE;
}

static bool answer(const cv_tv *self, cv_str text, cv_tv *ret)
{
    *ret = cv_tv_str(text);
    ret->markup = self->markup;
    return true;
}

/* ---- texts ------------------------------------------------------------------------------------------- */

static bool recase(cv_run *run, const cv_tv *self, cv_t_case way, cv_tv *ret)
{
    cv_str text;
    return cv_t_recase(run, self->text, way, &text) && answer(self, text, ret);
}

static bool str_upper(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return recase(run, args, CV_T_UPPER, ret);
}

static bool str_lower(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return recase(run, args, CV_T_LOWER, ret);
}

static bool str_capitalize(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return recase(run, args, CV_T_CAPITAL, ret);
}

static bool str_title(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return recase(run, args, CV_T_TITLE, ret);
}

static bool strip(cv_run *run, cv_tv *args, bool left, bool right, cv_tv *ret)
{
    cv_str set = {NULL, 0};
    if (is_given(&args[1]) && !own_text(run, &args[0], &args[1], "chars", &set))
        return false;
    return answer(&args[0], cv_t_strip(args[0].text, is_given(&args[1]) ? &set : NULL, left, right), ret);
}

static bool str_strip(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return strip(run, args, true, true, ret);
}

static bool str_lstrip(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return strip(run, args, true, false, ret);
}

static bool str_rstrip(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return strip(run, args, false, true, ret);
}

static bool add_piece(cv_run *run, const cv_tv *self, cv_str piece, cv_tv *list)
{
    cv_tv item;
    answer(self, piece, &item);
    cv_tv_add(run, list, item);
    return cv_run_step(run, 1);
}

/* At white space: as many pieces as there are words. */
static bool split_words(cv_run *run, const cv_tv *self, int64_t most, cv_tv *ret)
{
    cv_str rest = cv_t_strip(self->text, NULL, true, false);
    while (rest.n > 0) {
        size_t n = 0;
        while (n < rest.n && cv_t_space_first(cv_str_from(rest, n)) == 0)
            n += cv_utf8_first(cv_str_from(rest, n));
        if (most == 0)
            return add_piece(run, self, cv_t_strip(rest, NULL, false, true), ret);
        if (!add_piece(run, self, cv_str_head(rest, n), ret))
            return false;
        most -= most > 0;
        rest = cv_t_strip(cv_str_from(rest, n), NULL, true, false);
    }
    return true;
}

static bool str_split(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str by, rest = args[0].text;
    int64_t most;
    *ret = cv_tv_new_list(run, CV_TV_LIST, 0);
    if (!cv_targ_int(run, &args[2], "maxsplit", -1, &most))
        return false;
    if (!is_given(&args[1]))
        return split_words(run, &args[0], most, ret);
    if (!text_argument(run, &args[1], "sep", &by))
        return false;
    if (by.n == 0)
        return cv_run_fail(run, "'sep' must not be empty");
    for (;; most -= most > 0) {
        size_t found = most != 0 ? cv_str_find(rest, by) : SIZE_MAX;
        if (!add_piece(run, &args[0], cv_str_head(rest, found), ret))
            return false;
        if (found == SIZE_MAX)
            return true;
        rest = cv_str_from(rest, found + by.n);
    }
}

static bool str_splitlines(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool keep;
    cv_str rest = args[0].text, line;
    *ret = cv_tv_new_list(run, CV_TV_LIST, 0);
    if (!cv_targ_truth(run, &args[1], &keep))
        return false;
    for (const char *from = rest.p; cv_t_next_line(&rest, &line); from = rest.p)
        if (!add_piece(run, &args[0], keep ? cv_str_range(from, rest.p) : line, ret))
            return false;
    return true;
}

/* One text, or a tuple of several. */
static bool touches(cv_run *run, cv_tv *args, bool end, cv_tv *ret)
{
    const cv_tv *tries = &args[1];
    size_t count = 1;
    if (args[1].kind == CV_TV_TUPLE) {
        tries = args[1].list->items;
        count = args[1].list->count;
    }
    *ret = cv_tv_bool(false);
    for (size_t i = 0; i < count && !ret->truth; i++) {
        cv_str part;
        if (!text_argument(run, &tries[i], end ? "suffix" : "prefix", &part))
            return false;
        ret->truth = end ? cv_str_ends(args[0].text, part) : cv_str_starts(args[0].text, part);
    }
    return true;
}

static bool str_startswith(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return touches(run, args, false, ret);
}

static bool str_endswith(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return touches(run, args, true, ret);
}

static bool str_removeprefix(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str part, text = args[0].text;
    return text_argument(run, &args[1], "prefix", &part) &&
           answer(&args[0], cv_str_starts(text, part) ? cv_str_from(text, part.n) : text, ret);
}

static bool str_removesuffix(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str part, text = args[0].text;
    return text_argument(run, &args[1], "suffix", &part) &&
           answer(&args[0], cv_str_ends(text, part) ? cv_str_head(text, text.n - part.n) : text, ret);
}

static bool str_replace(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str old, new_, text;
    int64_t most;
    return own_text(run, &args[0], &args[1], "old", &old) && own_text(run, &args[0], &args[2], "new", &new_) &&
           cv_targ_int(run, &args[3], "count", -1, &most) && cv_t_replace(run, args[0].text, old, new_, most, &text) &&
           answer(&args[0], text, ret);
}

/* Every item is a text. */
static bool str_join(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_titer iter;
    cv_tv item;
    cv_buf out = {0};
    bool more = true, good = cv_t_iterate(run, &args[1], &iter);
    for (size_t i = 0; good && more; i++) {
        cv_str text = {NULL, 0};
        size_t from = out.n;
        good = cv_t_next(run, &iter, &item, &more) && (!more || own_text(run, &args[0], &item, "item", &text));
        if (!good || !more)
            break;
        if (i > 0)
            cv_buf_add(&out, args[0].text);
        cv_buf_add(&out, text);
        good = cv_run_grown(run, &out, from);
    }
    cv_str text = cv_buf_take(&out, &run->arena);
    return good && answer(&args[0], text, ret);
}

static bool str_find(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str part;
    if (!text_argument(run, &args[1], "sub", &part))
        return false;
    size_t found = cv_str_find(args[0].text, part);
    cv_tv before = cv_tv_str(cv_str_head(args[0].text, found));
    int64_t at = -1;
    if (found != SIZE_MAX && !cv_tv_length(run, &before, &at))
        return false;
    *ret = cv_tv_int(at);
    return cv_run_step(run, args[0].text.n / CV_T_BYTES_A_STEP);
}

static bool str_count(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str part, rest = args[0].text;
    int64_t count = 0;
    if (!text_argument(run, &args[1], "sub", &part))
        return false;
    if (part.n == 0) {
        if (!cv_tv_length(run, &args[0], &count))
            return false;
        count++;
    }
    for (size_t found; part.n > 0 && (found = cv_str_find(rest, part)) != SIZE_MAX; count++) {
        rest = cv_str_from(rest, found + part.n);
        if (!cv_run_step(run, 1))
            return false;
    }
    *ret = cv_tv_int(count);
    return true;
}

static bool is_all(const cv_tv *self, bool (*is)(uint32_t code), cv_tv *ret)
{
    cv_str rest = self->text;
    uint32_t code;
    bool all = rest.n > 0;
    while (all && cv_utf8_next(&rest, &code))
        all = is(code);
    *ret = cv_tv_bool(all);
    return true;
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

static bool str_isdigit(cv_run *run, cv_tv *args, cv_tv *ret)
{
    for (size_t i = 0; i < args[0].text.n; i++)
        if ((unsigned char)args[0].text.p[i] >= 0x80)
            return cv_run_unsupported(run, "isdigit() of a text that is not ASCII");
    return is_all(&args[0], is_digit, ret);
}

static bool str_islower(cv_run *run, cv_tv *args, cv_tv *ret)
{
    (void)run;
    *ret = cv_tv_bool(cv_t_is_cased(args[0].text, false));
    return true;
}

static bool str_isupper(cv_run *run, cv_tv *args, cv_tv *ret)
{
    (void)run;
    *ret = cv_tv_bool(cv_t_is_cased(args[0].text, true));
    return true;
}

/* ---- lists and dicts --------------------------------------------------------------------------------- */

static bool list_count(cv_run *run, cv_tv *args, cv_tv *ret)
{
    int64_t count = 0;
    for (size_t i = 0; i < args[0].list->count; i++) {
        bool equal;
        if (!cv_tv_equal(run, &args[0].list->items[i], &args[1], &equal))
            return false;
        count += equal;
    }
    *ret = cv_tv_int(count);
    return true;
}

static bool list_index(cv_run *run, cv_tv *args, cv_tv *ret)
{
    for (size_t i = 0; i < args[0].list->count; i++) {
        bool equal;
        if (!cv_tv_equal(run, &args[0].list->items[i], &args[1], &equal))
            return false;
        *ret = cv_tv_int((int64_t)i);
        if (equal)
            return true;
    }
    return cv_run_fail(run, "the list does not have the item");
}

static bool dict_get(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool hashable;
    const cv_tv *value = cv_tv_get(run, args[0].dict, &args[1], &hashable);
    if (!hashable)
        return cv_run_fail(run, "a value of type %.*s cannot be a key", CV_FMT(cv_tv_word(&args[1])));
    *ret = value ? *value : cv_targ_given(&args[2]) ? args[2] : cv_tv_none();
    return true;
}

static bool view(cv_run *run, const cv_tv *self, char part, cv_tv *ret)
{
    cv_tview *of = CV_NEW(&run->arena, cv_tview);
    *of = (cv_tview){.dict = self->dict, .part = part};
    *ret = (cv_tv){.kind = CV_TV_VIEW, .view = of};
    return true;
}

static bool dict_items(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return view(run, args, 'i', ret);
}

static bool dict_keys(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return view(run, args, 'k', ret);
}

static bool dict_values(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return view(run, args, 'v', ret);
}

/* ---- loops and times --------------------------------------------------------------------------------- */

static bool loop_cycle(cv_run *run, const cv_tv *self, const cv_targs *args, cv_tv *ret)
{
    if (args->count == 0 || args->positional < args->count)
        return cv_run_fail(run, "cycle() needs the values to choose from");
    *ret = args->items[(size_t)self->loop->index0 % args->count];
    return true;
}

static bool loop_changed(cv_run *run, const cv_tv *self, const cv_targs *args, cv_tv *ret)
{
    cv_tloop *loop = self->loop;
    cv_tv now = cv_tv_new_list(run, CV_TV_TUPLE, args->count);
    bool equal = false;
    if (args->positional < args->count)
        return cv_run_fail(run, "changed() takes no arguments with names");
    for (size_t i = 0; i < args->count; i++)
        cv_tv_add(run, &now, args->items[i]);
    if (loop->was_called && !cv_tv_equal(run, &loop->changed, &now, &equal))
        return false;
    loop->changed = now;
    loop->was_called = true;
    *ret = cv_tv_bool(!equal);
    return true;
}

static bool time_strftime(cv_run *run, cv_tv *args, cv_tv *ret)
{
    static const char known[] = "YmdHMSyBbAajIpFTDReZz%";
    cv_str format;
    cv_buf out = {0};
    if (!text_argument(run, &args[1], "format", &format))
        return false;
    time_t seconds = (time_t)((args[0].number - (args[0].number % 1000 + 1000) % 1000) / 1000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    for (size_t i = 0; i < format.n; i++) {
        char letter = i + 1 < format.n ? format.p[i + 1] : '\0', one[] = {'%', letter, '\0'}, text[64];
        if (format.p[i] != '%') {
            cv_buf_add_char(&out, format.p[i]);
            continue;
        }
        i++;
        if (letter == 'f')
            cv_buf_printf(&out, "%03d000", (int)((args[0].number % 1000 + 1000) % 1000));
        else if (letter == 'Z' || letter == 'z')
            cv_buf_add_z(&out, letter == 'Z' ? "UTC" : "+0000");
        else if (letter == '\0' || !strchr(known, letter)) {
            cv_str rest = cv_str_from(format, i);
            cv_buf_release(&out);
            return cv_run_unsupported(run, "%%%.*s in strftime()",
                                      CV_FMT(cv_str_head(rest, rest.n > 0 ? cv_utf8_first(rest) : 0)));
        } else
            cv_buf_add(&out, (cv_str){text, strftime(text, sizeof text, one, &tm)});
    }
    *ret = cv_tv_str(cv_buf_take(&out, &run->arena));
    return true;
}

static bool time_isoformat(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str text;
    if (!cv_tv_text(run, &args[0], &text))
        return false;
    char *own = cv_arena_copy_z(&run->arena, text);
    own[10] = 'T';
    *ret = cv_tv_str((cv_str){own, text.n});
    return true;
}

/* ---- functions of every template --------------------------------------------------------------------- */

static bool make_range(cv_run *run, cv_tv *args, cv_tv *ret)
{
    int64_t from, to, step;
    if (!cv_targ_int(run, &args[1], "start", 0, &from) || !cv_targ_int(run, &args[2], "stop", 0, &to) ||
        !cv_targ_int(run, &args[3], "step", 1, &step))
        return false;
    if (!cv_targ_given(&args[2])) {
        to = from;
        from = 0;
    }
    if (step == 0)
        return cv_run_fail(run, "the step of a range is not zero");
    int64_t most = INT64_MAX / 4;
    if (from > most || from < -most || to > most || to < -most || step > most || step < -most)
        return cv_run_limit(run, "a range with numbers this large");
    cv_trange *range = CV_NEW(&run->arena, cv_trange);
    int64_t count =
        step > 0 ? (to > from ? (to - from - 1) / step + 1 : 0) : (from > to ? (from - to - 1) / -step + 1 : 0);
    *range = (cv_trange){.start = from, .stop = to, .step = step, .count = count};
    *ret = (cv_tv){.kind = CV_TV_RANGE, .range = range};
    return true;
}

/* From another dict, then from the arguments with names. */
static bool fill_dict(cv_run *run, const cv_targs *args, cv_tv *ret)
{
    if (args->positional > 1 || (args->positional == 1 && args->items[0].kind != CV_TV_DICT))
        return cv_run_unsupported(run, "a dict from something else than a dict");
    *ret = cv_tv_new_dict(run);
    for (size_t i = 0; args->positional && i < args->items[0].dict->keys.count; i++)
        cv_tv_put(run, ret->dict, args->items[0].dict->keys.items[i], args->items[0].dict->values.items[i]);
    for (size_t i = args->positional; i < args->count; i++)
        cv_tv_put(run, ret->dict, cv_tv_str(args->names[i - args->positional]), args->items[i]);
    return true;
}

static bool make_dict(cv_run *run, const cv_tv *self, const cv_targs *args, cv_tv *ret)
{
    (void)self;
    return fill_dict(run, args, ret);
}

static bool make_namespace(cv_run *run, const cv_tv *self, const cv_targs *args, cv_tv *ret)
{
    (void)self;
    if (!fill_dict(run, args, ret))
        return false;
    ret->kind = CV_TV_SPACE;
    return true;
}

static bool make_now(cv_run *run, cv_tv *args, cv_tv *ret)
{
    (void)args;
    *ret = (cv_tv){.kind = CV_TV_TIME, .number = run->rules->now_ms};
    return true;
}

static bool unsupported(cv_run *run, const cv_tv *self, const cv_targs *args, cv_tv *ret)
{
    (void)self, (void)args, (void)ret;
    return cv_run_unsupported(run, "this function of Jinja");
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static const cv_tmethod methods[] = {
    {CV_TV_STR, "upper", {NULL}, 0, str_upper, NULL},
    {CV_TV_STR, "lower", {NULL}, 0, str_lower, NULL},
    {CV_TV_STR, "title", {NULL}, 0, str_title, NULL},
    {CV_TV_STR, "capitalize", {NULL}, 0, str_capitalize, NULL},
    {CV_TV_STR, "strip", {"chars"}, 0, str_strip, NULL},
    {CV_TV_STR, "lstrip", {"chars"}, 0, str_lstrip, NULL},
    {CV_TV_STR, "rstrip", {"chars"}, 0, str_rstrip, NULL},
    {CV_TV_STR, "split", {"sep", "maxsplit"}, 0, str_split, NULL},
    {CV_TV_STR, "splitlines", {"keepends"}, 0, str_splitlines, NULL},
    {CV_TV_STR, "startswith", {"prefix"}, 1, str_startswith, NULL},
    {CV_TV_STR, "endswith", {"suffix"}, 1, str_endswith, NULL},
    {CV_TV_STR, "removeprefix", {"prefix"}, 1, str_removeprefix, NULL},
    {CV_TV_STR, "removesuffix", {"suffix"}, 1, str_removesuffix, NULL},
    {CV_TV_STR, "replace", {"old", "new", "count"}, 2, str_replace, NULL},
    {CV_TV_STR, "join", {"iterable"}, 1, str_join, NULL},
    {CV_TV_STR, "find", {"sub"}, 1, str_find, NULL},
    {CV_TV_STR, "count", {"sub"}, 1, str_count, NULL},
    {CV_TV_STR, "isdigit", {NULL}, 0, str_isdigit, NULL},
    {CV_TV_STR, "islower", {NULL}, 0, str_islower, NULL},
    {CV_TV_STR, "isupper", {NULL}, 0, str_isupper, NULL},
    {CV_TV_LIST, "count", {"value"}, 1, list_count, NULL},
    {CV_TV_LIST, "index", {"value"}, 1, list_index, NULL},
    {CV_TV_TUPLE, "count", {"value"}, 1, list_count, NULL},
    {CV_TV_TUPLE, "index", {"value"}, 1, list_index, NULL},
    {CV_TV_DICT, "get", {"key", "default"}, 1, dict_get, NULL},
    {CV_TV_DICT, "items", {NULL}, 0, dict_items, NULL},
    {CV_TV_DICT, "keys", {NULL}, 0, dict_keys, NULL},
    {CV_TV_DICT, "values", {NULL}, 0, dict_values, NULL},
    {CV_TV_LOOP, "cycle", {NULL}, 0, NULL, loop_cycle},
    {CV_TV_LOOP, "changed", {NULL}, 0, NULL, loop_changed},
    {CV_TV_TIME, "strftime", {"format"}, 1, time_strftime, NULL},
    {CV_TV_TIME, "isoformat", {NULL}, 0, time_isoformat, NULL},
};

static const cv_tmethod globals[] = {
    {CV_TV_CALLABLE, "range", {"start", "stop", "step"}, 1, make_range, NULL},
    {CV_TV_CALLABLE, "dict", {NULL}, 0, NULL, make_dict},
    {CV_TV_CALLABLE, "namespace", {NULL}, 0, NULL, make_namespace},
    {CV_TV_CALLABLE, "now", {NULL}, 0, make_now, NULL},
    {CV_TV_CALLABLE, "self", {NULL}, 0, NULL, unsupported},
    {CV_TV_CALLABLE, "lipsum", {NULL}, 0, NULL, unsupported},
    {CV_TV_CALLABLE, "cycler", {NULL}, 0, NULL, unsupported},
    {CV_TV_CALLABLE, "joiner", {NULL}, 0, NULL, unsupported},
};

/* Attributes of Python's objects, those of the table above among them. */
static const struct {
    cv_tv_kind of;
    const char *names;
} attributes[] = {
    {CV_TV_STR, "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum "
                "isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper "
                "join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust "
                "rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill"},
    {CV_TV_LIST, "append clear copy count extend index insert pop remove reverse sort"},
    {CV_TV_TUPLE, "count index"},
    {CV_TV_DICT, "clear copy fromkeys get items keys pop popitem setdefault update values"},
    {CV_TV_INT, "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes"},
    {CV_TV_BOOL, "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes"},
    {CV_TV_FLOAT, "as_integer_ratio conjugate fromhex hex imag is_integer real"},
    {CV_TV_RANGE, "count index start step stop"},
    {CV_TV_VIEW, "isdisjoint mapping"},
    {CV_TV_GENERATOR, "close gi_code gi_frame gi_running gi_suspended gi_yieldfrom send throw"},
    {CV_TV_TIME, "astimezone combine ctime date day dst fold fromisocalendar fromisoformat fromordinal fromtimestamp "
                 "hour isocalendar isoweekday max microsecond min minute month now replace second "
                 "strptime time timestamp timetuple timetz today toordinal tzinfo tzname utcfromtimestamp utcnow "
                 "utcoffset utctimetuple weekday year"},
};

static const cv_tmethod *find(const cv_tmethod *rows, size_t count, cv_tv_kind of, cv_str name)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].of == of && cv_str_eq(name, cv_str_of(rows[i].name)))
            return &rows[i];
    return NULL;
}

const cv_tmethod *cv_tmethod_find(cv_tv_kind of, cv_str name)
{
    return find(methods, CV_COUNT(methods), of, name);
}

const cv_tmethod *cv_tglobal_find(cv_str name)
{
    return find(globals, CV_COUNT(globals), CV_TV_CALLABLE, name);
}

bool cv_t_python_has(const cv_tv *of, cv_str name)
{
    if (cv_str_starts(name, CV_STR("__")) && cv_str_ends(name, CV_STR("__")))
        return true;
    for (size_t i = 0; i < CV_COUNT(attributes); i++) {
        cv_str rest = cv_str_of(attributes[i].names), one;
        while (attributes[i].of == of->kind && cv_str_split(&rest, ' ', &one))
            if (cv_str_eq(one, name))
                return true;
    }
    return false;
}

bool cv_tmethod_call(cv_run *run, const cv_tcallable *callable, const cv_targs *args, cv_tv *ret)
{
    const cv_tmethod *row = callable->row;
    if (row->raw)
        return row->raw(run, callable->self, args, ret);
    bool by_name = row->work == str_split || row->work == str_splitlines || row->work == time_strftime;
    if (args->positional < args->count && !by_name)
        return cv_run_fail(run, "'%s' takes no arguments with names", row->name);
    cv_tv all[CV_T_PARAMS + 1] = {callable->self ? *callable->self : cv_tv_none()};
    return cv_t_fit(run, row->name, row->params, row->required, args, all + 1) && row->work(run, all, ret);
}
