/* reach.c - how an agent is reached; see reach.h.
 *
 *     an input, a row, a table of a file
 *       -> gather     one object of the fields that are there, and the way that they are for
 *       -> form       the types, compared with the schema of `agent add`
 *       -> meaning    words, URLs, names; what excludes each other; what is missing
 */
#include "kit/reach/reach.h"

#include "base/utf8.h"
#include "kit/reach/form.h"
#include "kit/reach/presets.h"
#include "kit/reach/url.h"
#include "kit/reach/words.h"
#include "kit/schema.h"

enum {
    USUAL_TIMEOUT = 600,        /* seconds: models that think take minutes */
    USUAL_TOKENS = 16 * 1024,   /* where a protocol wants a number: more than any answer should have */
    USUAL_OUTPUT = 1000 * 1000, /* bytes: the longest real response has 30,000 */
};

static const cv_str way_words[] = {CV_STR_INIT("command"), CV_STR_INIT("endpoint"), CV_STR_INIT("mailbox"),
                                   CV_STR_INIT("human")};
const cv_words cv_reach_words = {way_words, CV_COUNT(way_words)};
_Static_assert(CV_COUNT(way_words) == CV_REACH_HUMAN + 1, "a word for every way");

static const cv_str protocols[] = {CV_STR_INIT("openai"), CV_STR_INIT("anthropic"), CV_STR_INIT("ollama")};
const cv_words cv_protocol_words = {protocols, CV_COUNT(protocols)};
_Static_assert(CV_COUNT(protocols) == CV_PROTOCOL_OLLAMA + 1, "a word for every protocol");

enum { COMMAND = 1, ENDPOINT = 2, ASKED = 4 };
static const struct {
    cv_str name;
    unsigned ways;
} fields[] = {
#define FIELD(name, ways) {CV_STR_INIT(#name), ways},
#include "kit/reach/fields.def"
#undef FIELD
};

static unsigned ways_of(cv_str name)
{
    for (size_t i = 0; i < CV_COUNT(fields); i++)
        if (cv_str_eq(fields[i].name, name))
            return fields[i].ways;
    return 0;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The file and the place in it of what is at `offset`. */
static void place(const cv_reach_faults *f, cv_err *err, size_t offset)
{
    cv_err_file(err, f->file);
    if (!f->text.n)
        return;
    err->line = err->column = 1;
    cv_utf8_advance(cv_str_head(f->text, offset), &err->line, &err->column);
}

static cv_err *fault(const cv_reach_faults *f, const cv_json *details, cv_err_code code, const char *field,
                     const char *what, const char *instead)
{
    const cv_json *value = cv_json_get(details, cv_str_of(field));
    cv_err *err = cv_errs_add(f->errs, f->arena, code, "%s", what);
    cv_err_field(err, f->at.n ? cv_arena_printf(f->arena, "%.*s.%s", CV_FMT(f->at), field) : cv_str_of(field));
    place(f, err, (value ? value : details)->offset);
    cv_err_suggest(err, cv_str_of(instead));
    return err;
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

const cv_json *cv_reach_gather(const cv_reach_faults *f, const cv_json *input, bool human, cv_str *ret_way)
{
    static const char twice[] = "reach_details has it, too", once[] = "give it once";
    const cv_json *nested = cv_json_get(input, CV_STR("reach_details"));
    cv_json *all = CV_NEW(f->arena, cv_json);
    *all = (cv_json){.type = CV_JSON_OBJECT, .offset = input->offset};
    all->members = CV_NEW_ARRAY(f->arena, CV_COUNT(fields) + (nested ? nested->count : 0), cv_json_member);
    for (uint32_t i = 0; nested && i < nested->count; i++)
        all->members[all->count++] = nested->members[i];
    for (uint32_t i = 0; i < input->count; i++) {
        const cv_json_member *member = &input->members[i];
        if (!ways_of(member->key))
            continue;
        if (cv_json_get(nested, member->key))
            fault(f, input, CV_ERR_INVALID_VALUE, member->key.p ? cv_arena_copy_z(f->arena, member->key) : "", twice,
                  once);
        else
            all->members[all->count++] = *member;
    }
    cv_str way = cv_json_get_text(input, "reach");
    bool command =
        cv_json_get(all, CV_STR("command")) || cv_json_get(all, CV_STR("argv")) || cv_json_get(all, CV_STR("preset"));
    bool endpoint = cv_json_get(all, CV_STR("endpoint"));
    if (!way.p)
        way = way_words[command    ? CV_REACH_COMMAND
                        : endpoint ? CV_REACH_ENDPOINT
                        : human    ? CV_REACH_HUMAN
                                   : CV_REACH_MAILBOX];
    *ret_way = way;
    return all;
}

/* ---- form -------------------------------------------------------------------------------------------------------- */

/* The schema of an object with these fields: the properties of `agent add`. */
static const cv_json *form(cv_arena *a)
{
    const cv_json *all = cv_json_get(cv_form_of_adding(a), CV_STR("properties"));
    cv_json *schema = CV_NEW(a, cv_json);
    cv_json_member *known = CV_NEW_ARRAY(a, CV_COUNT(fields), cv_json_member);
    for (size_t i = 0; i < CV_COUNT(fields); i++) {
        const cv_json *property = cv_json_get(all, fields[i].name);
        assert(property);
        known[i] = (cv_json_member){fields[i].name, *property};
    }
    cv_json_member *parts = CV_NEW_ARRAY(a, 3, cv_json_member);
    parts[0] = (cv_json_member){CV_STR("type"), {.type = CV_JSON_STRING, .text = CV_STR("object")}};
    parts[1] =
        (cv_json_member){CV_STR("properties"), {.type = CV_JSON_OBJECT, .count = CV_COUNT(fields), .members = known}};
    parts[2] = (cv_json_member){CV_STR("additionalProperties"), {.type = CV_JSON_FALSE}};
    *schema = (cv_json){.type = CV_JSON_OBJECT, .count = 3, .members = parts};
    return schema;
}

void cv_reach_place(const cv_reach_faults *f, size_t from)
{
    for (size_t i = from; i < f->errs->count; i++) {
        cv_err *err = &f->errs->items[i];
        cv_err_file(err, f->file);
        if (f->at.n)
            cv_err_field(err, cv_arena_printf(f->arena, "%.*s.%.*s", CV_FMT(f->at), CV_FMT(err->field)));
    }
}

static bool check_form(const cv_reach_faults *f, const cv_json *details)
{
    size_t before = f->errs->count;
    if (cv_schema_check(f->arena, form(f->arena), f->text, details, f->errs))
        return true;
    cv_reach_place(f, before);
    return false;
}

/* What is said about another way than this one. */
static void check_ways(const cv_reach_faults *f, const cv_json *details, cv_reach_way way)
{
    unsigned bit = way == CV_REACH_COMMAND ? COMMAND : way == CV_REACH_ENDPOINT ? ENDPOINT : ASKED;
    for (uint32_t i = 0; i < details->count; i++) {
        cv_str name = details->members[i].key;
        if (ways_of(name) & bit)
            continue;
        fault(f, details, CV_ERR_INVALID_VALUE, cv_arena_copy_z(f->arena, name),
              cv_arena_printf(f->arena, "'%.*s' does not apply to an agent that is reached by %.*s", CV_FMT(name),
                              CV_FMT(way_words[way]))
                  .p,
              "leave it out, or reach the agent in another way");
    }
}

/* ---- a command --------------------------------------------------------------------------------------------------- */

static cv_words read_list(cv_arena *a, const cv_json *list)
{
    cv_str *items = CV_NEW_ARRAY(a, list ? list->count : 0, cv_str);
    for (uint32_t i = 0; list && i < list->count; i++)
        items[i] = list->items[i].text;
    return (cv_words){items, list ? list->count : 0};
}

/* [A-Za-z_][A-Za-z0-9_]* */
static bool is_variable_name(cv_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!cv_is_alpha(name.p[i]) && name.p[i] != '_' && !(i > 0 && cv_is_digit(name.p[i])))
            return false;
    return name.n > 0;
}

/* Whatever is not a name may be the secret itself: it is not repeated. */
static void check_variable(const cv_reach_faults *f, const cv_json *details, const char *field, cv_str name)
{
    if (!is_variable_name(name))
        fault(f, details, CV_ERR_INVALID_VALUE, field,
              "this is not the name of a variable: letters, digits and '_' (what was given is not shown: it may be a "
              "secret)",
              "give the name of a variable that holds the value, like EXAMPLE_API_KEY; values are never stored");
}

static cv_words with_word(cv_arena *a, cv_words words, cv_str more)
{
    cv_str *all = CV_NEW_ARRAY(a, words.count + 1, cv_str);
    for (size_t i = 0; i < words.count; i++)
        all[i] = words.items[i];
    all[words.count] = more;
    return (cv_words){all, words.count + 1};
}

/* A preset by its name: its words. */
static bool take_preset(const cv_reach_faults *f, const cv_json *details, cv_str name, cv_reach *ret)
{
    const cv_preset *preset = &cv_presets[cv_words_find(cv_preset_names, name)];
    cv_err err = {.arena = f->arena};
    if (!ret->model.n && !preset->model.n) {
        fault(f, details, CV_ERR_MISSING_FIELD, "model",
              cv_arena_printf(f->arena, "the preset '%.*s' needs a model", CV_FMT(preset->name)).p, "name one");
        return false;
    }
    return cv_command_split(f->arena, preset->words, &ret->argv, &err);
}

/* The words as they were given: in one of three forms. */
static bool take_words(const cv_reach_faults *f, const cv_json *details, cv_reach *ret)
{
    cv_str line = cv_json_get_text(details, "command"), preset = cv_json_get_text(details, "preset");
    const cv_json *argv = cv_json_get(details, CV_STR("argv"));
    cv_err err = {.arena = f->arena};
    int forms = (line.p != NULL) + (preset.p != NULL) + (argv != NULL);
    if (forms != 1) {
        fault(f, details, forms ? CV_ERR_INVALID_VALUE : CV_ERR_MISSING_FIELD, "command",
              forms ? "'command', 'argv' and 'preset' exclude each other" : "there is no command",
              "give one of: command, argv, preset");
        return false;
    }
    if (preset.p)
        return take_preset(f, details, preset, ret);
    if (argv) {
        ret->argv = read_list(f->arena, argv);
        if (ret->argv.count > 0 && ret->argv.items[0].n > 0)
            return true;
        fault(f, details, CV_ERR_INVALID_VALUE, "argv", "there is no command", "its first word names a program");
        return false;
    }
    if (cv_command_split(f->arena, line, &ret->argv, &err))
        return true;
    cv_err *refusal = fault(f, details, err.code, "command", cv_arena_copy_z(f->arena, err.message),
                            cv_arena_copy_z(f->arena, err.suggestion));
    cv_err_value(refusal, cv_excerpt(f->arena, line));
    return false;
}

/* {prompt_fil}: close to a name that is replaced, but not one of them. */
static void check_placeholders(const cv_reach_faults *f, const cv_json *details, cv_words argv)
{
    static const cv_str known[] = {CV_STR_INIT("{prompt_file}"), CV_STR_INIT("{output_file}"), CV_STR_INIT("{model}")};
    for (size_t i = 0; i < argv.count; i++) {
        cv_str word = argv.items[i];
        if (!cv_str_starts(word, CV_STR("{")) || !cv_str_ends(word, CV_STR("}")) ||
            cv_words_find((cv_words){known, CV_COUNT(known)}, word) >= 0)
            continue;
        cv_str near = cv_str_nearest(word, known, CV_COUNT(known));
        if (near.n)
            fault(f, details, CV_ERR_INVALID_VALUE, "command",
                  cv_arena_printf(f->arena, "'%.*s' is not a known placeholder", CV_FMT(word)).p,
                  cv_arena_printf(f->arena, "did you mean %.*s?", CV_FMT(near)).p);
    }
}

/* The model is a part of the command that is shown and approved. */
static void fill_model(const cv_reach_faults *f, const cv_json *details, cv_reach *ret)
{
    cv_str *words = CV_NEW_ARRAY(f->arena, ret->argv.count, cv_str);
    bool used = false;
    for (size_t i = 0; i < ret->argv.count; i++)
        words[i] = cv_command_fill(f->arena, ret->argv.items[i], CV_STR("{model}"), ret->model, &used);
    ret->argv.items = words;
    if (used && !ret->model.n)
        fault(f, details, CV_ERR_MISSING_FIELD, "model", "the command has {model}, but no model is named", "name one");
}

static bool has_option(cv_words argv, cv_str option)
{
    for (size_t i = 1; i < argv.count; i++)
        if (cv_str_eq(argv.items[i], option) ||
            (cv_str_starts(argv.items[i], option) && argv.items[i].p[option.n] == '='))
            return true;
    return false;
}

static void read_command(const cv_reach_faults *f, const cv_json *details, cv_reach *ret)
{
    ret->env = read_list(f->arena, cv_json_get(details, CV_STR("env")));
    ret->folder = cv_json_get_text(details, "folder");
    for (size_t i = 0; i < ret->env.count; i++)
        check_variable(f, details, "env", ret->env.items[i]);
    if (!take_words(f, details, ret))
        return;
    check_placeholders(f, details, ret->argv);
    fill_model(f, details, ret);
    bool by_name = cv_json_get(details, CV_STR("preset"));
    ret->preset = cv_preset_of(ret->argv);
    if (!ret->preset)
        return;
    if (ret->model.n && (by_name || !has_option(ret->argv, ret->preset->model))) {
        if (ret->preset->model.n)
            ret->argv = with_word(f->arena, ret->argv, ret->preset->model);
        if (by_name || ret->preset->model.n)
            ret->argv = with_word(f->arena, ret->argv, ret->model);
    }
    ret->argv = cv_preset_complete(f->arena, ret->preset, ret->argv);
}

/* ---- an endpoint ------------------------------------------------------------------------------------------------- */

static void read_endpoint(const cv_reach_faults *f, const cv_json *details, cv_reach *ret)
{
    cv_str url = cv_json_get_text(details, "endpoint"), protocol = cv_json_get_text(details, "protocol");
    cv_err err = {.arena = f->arena};
    ret->key_env = cv_json_get_text(details, "key_env");
    ret->max_tokens = cv_json_get_int(details, "max_tokens", 0);
    if (protocol.p)
        ret->protocol = (cv_reach_protocol)cv_words_find(cv_protocol_words, protocol);
    else
        cv_err_options(fault(f, details, CV_ERR_MISSING_FIELD, "protocol", "an endpoint needs a protocol", NULL),
                       protocols, CV_COUNT(protocols));
    if (!url.p)
        fault(f, details, CV_ERR_MISSING_FIELD, "endpoint", "there is no URL", "give the address of the server");
    else if (!cv_url_complete(f->arena, url, ret->protocol, cv_json_get_true(details, "plain_http"), &ret->url, &err))
        fault(f, details, err.code, "endpoint", cv_arena_copy_z(f->arena, err.message),
              cv_arena_copy_z(f->arena, err.suggestion));
    if (!ret->model.n)
        fault(f, details, CV_ERR_MISSING_FIELD, "model", "an endpoint needs a model", "name one that the server has");
    if (ret->key_env.p)
        check_variable(f, details, "key_env", ret->key_env);
    if (!ret->max_tokens && ret->protocol == CV_PROTOCOL_ANTHROPIC)
        ret->max_tokens = USUAL_TOKENS;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static double read_price(const cv_json *details, const char *field)
{
    const cv_json *value = cv_json_get(details, cv_str_of(field));
    double price;
    return value && cv_json_to_double(value, &price) ? price : -1;
}

bool cv_reach_read(const cv_reach_faults *f, cv_str way, const cv_json *details, cv_reach *ret)
{
    static const cv_json none = {.type = CV_JSON_OBJECT};
    size_t before = f->errs->count;
    int found = cv_words_find(cv_reach_words, way);
    assert(found >= 0);
    details = details ? details : &none;
    *ret = (cv_reach){.way = (cv_reach_way)found};
    if (!check_form(f, details))
        return false;
    check_ways(f, details, ret->way);
    ret->model = cv_json_get_text(details, "model");
    ret->timeout_ms = cv_json_get_int(details, "timeout", ret->way <= CV_REACH_ENDPOINT ? USUAL_TIMEOUT : 0) * 1000;
    ret->max_output = cv_json_get_int(details, "max_output", USUAL_OUTPUT);
    ret->price_in = read_price(details, "price_in");
    ret->price_out = read_price(details, "price_out");
    if (ret->way == CV_REACH_COMMAND)
        read_command(f, details, ret);
    else if (ret->way == CV_REACH_ENDPOINT)
        read_endpoint(f, details, ret);
    return f->errs->count == before;
}

/* The first of the faults, for those who want one. */
static bool read_one(cv_arena *a, cv_str way, const cv_json *details, cv_str at, cv_reach *ret, cv_err *err)
{
    cv_errs errs = {0};
    const cv_reach_faults faults = {.arena = a, .errs = &errs, .at = at};
    if (cv_reach_read(&faults, way, details, ret))
        return true;
    cv_err_copy(err, &errs.items[0]);
    return false;
}

bool cv_reach_of_agent(cv_arena *a, const cv_agent_row *agent, cv_reach *ret, cv_err *err)
{
    cv_json details = {.type = CV_JSON_OBJECT};
    if (agent->reach_details.n && !cv_json_parse(a, agent->reach_details, &details, err))
        return false;
    if (read_one(a, agent->reach, &details, CV_STR("reach_details"), ret, err))
        return true;
    cv_err_item(err, CV_STR("agent_id"), agent->id);
    return false;
}

bool cv_reach_of_command(cv_arena *a, cv_str command, cv_reach *ret, cv_err *err)
{
    cv_json_member *member = CV_NEW(a, cv_json_member);
    *member = (cv_json_member){CV_STR("command"), {.type = CV_JSON_STRING, .text = command}};
    const cv_json details = {.type = CV_JSON_OBJECT, .count = 1, .members = member};
    return read_one(a, way_words[CV_REACH_COMMAND], &details, CV_STR(""), ret, err);
}

cv_str cv_reach_text(cv_arena *a, const cv_reach *reach)
{
    if (reach->way == CV_REACH_COMMAND)
        return cv_command_join(a, reach->argv);
    if (reach->way == CV_REACH_ENDPOINT)
        return cv_arena_printf(a, "%.*s (%.*s, model %.*s)", CV_FMT(reach->url), CV_FMT(protocols[reach->protocol]),
                               CV_FMT(reach->model));
    return way_words[reach->way];
}
