/* registry.c - one agent on its way into the registry; see registry.h. */
#include "project/registry.h"

#include <assert.h>

#include "base/limits.h"
#include "kit/room.h"

#define CV_ERR_ROWS "project/err.def"
#define CV_ERR_LIST cv_registry_codes
#include "base/err_table.def"

static const cv_str entry_words[] = {CV_STR_INIT("added"), CV_STR_INIT("changed"), CV_STR_INIT("unchanged")};
_Static_assert(CV_COUNT(entry_words) == CV_ENTRY_COUNT, "a word per outcome");
const cv_words cv_entry_words = {entry_words, CV_ENTRY_COUNT};

static const cv_str human = CV_STR_INIT("human"), mailbox = CV_STR_INIT("mailbox");

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The words of a list, each once without regard to case. */
static cv_words read_words(cv_call *call, const cv_json *input, cv_str at, const char *field)
{
    const cv_json *list = cv_json_get(input, cv_str_of(field));
    cv_spot spot = {.call = call, .item_type = CV_STR("agent"), .field = at}, in = cv_spot_in(&spot, cv_str_of(field));
    cv_str *words = CV_NEW_ARRAY(call->arena, list ? list->count : 0, cv_str);
    size_t count = 0;
    for (uint32_t i = 0; list && i < list->count; i++) {
        cv_spot item = cv_spot_at(&in, i);
        cv_str word = cv_str_trim(list->items[i].text);
        if (word.n == 0)
            cv_fault_missing(&item);
        else
            cv_fault_unless_line(&item, word, CV_MAX_AGENT_ID);
        if (cv_words_find((cv_words){words, count}, word) < 0)
            words[count++] = word;
    }
    return (cv_words){words, count};
}

static cv_str print_words(cv_arena *a, cv_words words)
{
    cv_buf text = {0};
    cv_json_strs(&(cv_json_writer){.out = &text}, words.items, words.count);
    return cv_buf_take(&text, a);
}

cv_str cv_registry_rooms(cv_call *call, const cv_json *input, cv_str at)
{
    size_t count = 0, most = 0;
    while (cv_rooms[most])
        most++;
    cv_str *known = CV_NEW_ARRAY(call->arena, most, cv_str);
    cv_spot spot = {.call = call, .item_type = CV_STR("agent"), .field = at}, in = cv_spot_in(&spot, CV_STR("rooms"));
    if (!cv_json_get(input, CV_STR("rooms")))
        return (cv_str){NULL, 0};
    for (size_t i = 0; i < most; i++)
        if (*cv_rooms[i]->name && !cv_rooms[i]->of_project)
            known[count++] = cv_str_of(cv_rooms[i]->name);
    cv_words given = read_words(call, input, at, "rooms"), rooms = {known, count};
    cv_str *named = CV_NEW_ARRAY(call->arena, given.count, cv_str);
    for (size_t i = 0; i < given.count; i++) {
        int room = cv_words_find(rooms, given.items[i]);
        cv_spot item = cv_spot_at(&in, i);
        if (room < 0)
            cv_fault_word(&item, CV_ERR_INVALID_VALUE, CV_STR("enum"), CV_STR("a room"), given.items[i], rooms);
        named[i] = room < 0 ? given.items[i] : known[room];
    }
    return print_words(call->arena, (cv_words){named, given.count});
}

/* Canonical JSON; absent where there is nothing in it. */
static cv_str print_object(cv_arena *a, const cv_json *object)
{
    cv_buf text = {0};
    if (!object || object->count == 0)
        return (cv_str){NULL, 0};
    cv_json_canonical(&(cv_json_writer){.out = &text}, a, object);
    return cv_buf_take(&text, a);
}

/* A text that is there and not empty, else an absent one. */
static cv_str read_text(const cv_json *input, const char *field)
{
    cv_str text = cv_json_get_text(input, field);
    return text.n ? text : (cv_str){NULL, 0};
}

/* Who is reached by mailbox alone finds its mail in files, unless told otherwise. */
static int64_t read_files(const cv_json *input, cv_str reach)
{
    const cv_json *files = cv_json_get(input, CV_STR("files"));
    return files ? files->type == CV_JSON_TRUE : cv_str_eq(reach, mailbox);
}

/* How it is reached: kept as it was given, whatever a preset makes of it. */
static void read_reach(cv_call *call, const cv_json *input, cv_str at, cv_registration *ret)
{
    cv_agent_row *row = &ret->row;
    const cv_reach_faults faults = {.arena = call->arena, .errs = call->errs, .at = at};
    const cv_json *details = cv_reach_gather(&faults, input, cv_str_eq(row->kind, human), &row->reach);
    cv_reach_read(&faults, row->reach, details, &ret->reach);
    row->reach_details = print_object(call->arena, details);
    if (row->reach_details.n > CV_MAX_REACH_DETAILS)
        cv_refuse(call, CV_ERR_INVALID_VALUE, at, "reach_details", CV_STR(""),
                  "reach_details has %zu bytes as JSON, at most %d are allowed", row->reach_details.n,
                  CV_MAX_REACH_DETAILS);
}

void cv_registration_read(cv_call *call, const cv_json *input, cv_str at, cv_str now, cv_registration *ret)
{
    cv_spot spot = {.call = call, .field = at}, line = cv_spot_in(&spot, CV_STR("summary"));
    cv_str kind = cv_json_get_text(input, "kind");
    *ret = (cv_registration){0};
    cv_row_clear(&cv_agent_row_type, &ret->row);
    cv_agent_row *row = &ret->row;
    row->id = cv_json_get_text(input, "agent_id");
    row->name = cv_agent_name(call->arena, row->id);
    row->kind = kind.p ? kind : CV_STR("agent");
    row->summary = read_text(input, "summary");
    cv_fault_unless_line(&line, row->summary, CV_MAX_EXCERPT);
    row->description = read_text(input, "description");
    cv_words capabilities = read_words(call, input, at, "capabilities");
    if (capabilities.count)
        row->capabilities = print_words(call->arena, capabilities);
    row->rooms = cv_registry_rooms(call, input, at);
    read_reach(call, input, at, ret);
    row->limits = print_object(call->arena, cv_json_get(input, CV_STR("limits")));
    row->files = read_files(input, row->reach);
    row->status = CV_STR("active");
    row->created_at = now;
    ret->aliases = read_words(call, input, at, "aliases");
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void refuse_name(cv_call *call, cv_str at, const char *field, cv_str given, const cv_agent_row *other)
{
    bool is_id = cv_str_eq_nocase(given, other->id);
    cv_err *fault = cv_refuse(call, CV_ERR_AGENT_EXISTS, at, field, given, "'%.*s' is %s the agent '%.*s'%s",
                              CV_FMT(given), is_id ? "the id of" : "an alias of", CV_FMT(other->id),
                              cv_agent_is_removed(other) ? ", which was removed" : "");
    cv_err_item_type(fault, CV_STR("agent"));
    cv_err_suggest(fault, is_id && strcmp(field, "agent_id") == 0
                              ? CV_STR("choose another id, or take this one over with 'replace': true")
                          : is_id ? CV_STR("choose another name")
                                  : CV_STR("choose another name, or remove it from that agent first"));
}

/* Names that mean somebody else: the program, its user, everybody. */
static bool is_reserved(cv_call *call, cv_str at, const char *field, cv_str given)
{
    static const cv_str reserved[] = {CV_STR_INIT("System"), CV_STR_INIT("User"), CV_STR_INIT("broadcast"),
                                      CV_STR_INIT("all")};
    if (cv_words_find((cv_words){reserved, CV_COUNT(reserved)}, given) < 0)
        return false;
    cv_err *fault =
        cv_refuse(call, CV_ERR_INVALID_VALUE, at, field, given, "the name '%.*s' is reserved", CV_FMT(given));
    cv_err_item_type(fault, CV_STR("agent"));
    cv_err_suggest(fault, CV_STR("System, User, broadcast and all are not names of agents: choose another name"));
    return true;
}

bool cv_registry_check_name(cv_call *call, cv_str at, const char *field, cv_str given, cv_str owner, cv_err *err)
{
    cv_agent_row other;
    bool found;
    if (is_reserved(call, at, field, given))
        return true;
    if (!cv_agent_id_valid(given)) {
        cv_err why = {.arena = call->arena};
        cv_agent_id_refuse(given, &why);
        bool secret = cv_str_starts_nocase(given, CV_STR(CV_TOKEN_PREFIX));
        cv_err *fault = cv_refuse(call, why.code, at, field, secret ? CV_STR("") : given, "%.*s", CV_FMT(why.message));
        cv_err_item_type(fault, CV_STR("agent"));
        cv_err_suggest(fault, why.suggestion);
        return true;
    }
    if (!cv_agent_find(call->record, call->arena, given, &other, &found, err))
        return false;
    if (found && !cv_str_eq(other.name, owner))
        refuse_name(call, at, field, given, &other);
    return true;
}

/* The same name twice in one request. */
static void reserve(cv_call *call, cv_str at, const char *field, cv_str given, cv_map *taken, size_t index)
{
    bool is_new;
    uintptr_t *owner = cv_map_put(taken, call->arena, cv_agent_name(call->arena, given), &is_new);
    if (is_new) {
        *owner = index + 1;
        return;
    }
    cv_str name = cv_excerpt(call->arena, given);
    cv_err *fault = *owner == index + 1 ? cv_refuse(call, CV_ERR_AGENT_EXISTS, at, field, given,
                                                    "'%.*s' is the agent's name already", CV_FMT(name))
                                        : cv_refuse(call, CV_ERR_AGENT_EXISTS, at, field, given,
                                                    "'%.*s' is a name of the agent at index %zu of this list, too",
                                                    CV_FMT(name), (size_t)*owner - 1);
    cv_err_item_type(fault, CV_STR("agent"));
    cv_err_suggest(fault, CV_STR("leave it out, or choose another name"));
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* The same except for its times. */
static bool is_same(const cv_agent_row *x, const cv_agent_row *y)
{
    for (size_t i = 0; i < cv_agent_row_type.field_count; i++) {
        const cv_type_field *field = &cv_agent_row_type.fields[i];
        if (field->offset != offsetof(cv_agent_row, created_at) && cv_row_compare_field(field, x, y) != 0)
            return false;
    }
    return true;
}

static bool check_standing(cv_call *call, cv_registration *r, cv_str at, bool replace, cv_err *err)
{
    cv_agent_row *other = &r->standing;
    bool found;
    if (!cv_agent_find(call->record, call->arena, r->row.id, other, &found, err))
        return false;
    found = found && cv_str_eq(other->name, r->row.name);
    if (!found)
        other->name = (cv_str){NULL, 0};
    else if (is_same(&r->row, other))
        r->outcome = CV_ENTRY_UNCHANGED;
    else if (replace)
        r->outcome = CV_ENTRY_CHANGED;
    else
        refuse_name(call, at, "agent_id", r->row.id, other);
    if (found && !cv_agent_is_removed(other))
        r->row.created_at = other->created_at;
    return true;
}

/* Aliases that are new to it. Above the ceiling is a fault. */
static bool check_aliases(cv_call *call, cv_registration *r, cv_str at, cv_err *err)
{
    cv_words known = {0};
    cv_str *fresh = CV_NEW_ARRAY(call->arena, r->aliases.count, cv_str);
    size_t count = 0;
    if (r->standing.name.p && !cv_agent_aliases(call->record, call->arena, r->row.name, &known, err))
        return false;
    for (size_t i = 0; i < r->aliases.count; i++)
        if (cv_words_find(known, r->aliases.items[i]) < 0)
            fresh[count++] = r->aliases.items[i];
    r->new_aliases = (cv_words){fresh, count};
    if (known.count + count > CV_MAX_ALIASES)
        cv_refuse(call, CV_ERR_INVALID_VALUE, at, "aliases", CV_STR(""), "an agent has at most %d aliases, not %zu",
                  CV_MAX_ALIASES, known.count + count);
    if (count > 0 && r->outcome == CV_ENTRY_UNCHANGED)
        r->outcome = CV_ENTRY_CHANGED;
    cv_str *all = CV_NEW_ARRAY(call->arena, known.count + count, cv_str);
    for (size_t i = 0; i < known.count + count; i++)
        all[i] = i < known.count ? known.items[i] : fresh[i - known.count];
    r->aliases = (cv_words){all, known.count + count};
    return true;
}

bool cv_registration_check(cv_call *call, cv_registration *r, cv_str at, bool replace, cv_map *taken, size_t index,
                           cv_err *err)
{
    if (!cv_registry_check_name(call, at, "agent_id", r->row.id, r->row.name, err))
        return false;
    reserve(call, at, "agent_id", r->row.id, taken, index);
    for (size_t i = 0; i < r->aliases.count; i++) {
        const char *field = cv_arena_printf(call->arena, "aliases[%zu]", i).p;
        reserve(call, at, field, r->aliases.items[i], taken, index);
        if (!cv_registry_check_name(call, at, field, r->aliases.items[i], r->row.name, err))
            return false;
    }
    return check_standing(call, r, at, replace, err) && check_aliases(call, r, at, err);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void cv_registry_put_alias(cv_writing *w, cv_event_row *event, cv_str given, cv_str agent)
{
    cv_alias_row row = {.name = cv_agent_name(w->arena, given), .alias = given, .agent = agent, .created_at = w->now};
    cv_writing_covers(w, event, &cv_alias_row_type, cv_writing_put(w, &cv_alias_row_type, &row));
}

bool cv_registration_enter(cv_call *call, cv_writing *w, cv_registration *r, cv_err *err)
{
    if (r->outcome == CV_ENTRY_UNCHANGED)
        return true;
    bool is_new = r->outcome == CV_ENTRY_ADDED;
    assert(is_new == !r->standing.name.p && "what is changed was there");
    cv_event_row *event =
        cv_writing_event(w, CV_STR("agent"), r->row.id, is_new ? CV_STR("created") : CV_STR("changed"));
    if (!is_new)
        event->data = cv_agent_replaced(w->arena, &r->standing, true);
    cv_writing_covers(w, event, &cv_agent_row_type, cv_writing_put(w, &cv_agent_row_type, &r->row));
    for (size_t i = 0; i < r->new_aliases.count; i++)
        cv_registry_put_alias(w, event, r->new_aliases.items[i], r->row.name);
    return is_new || cv_str_eq(r->row.kind, r->standing.kind) ||
           cv_tokens_revoke_all(call, w, r->row.name, CV_STR("its agent is of another kind now"), err);
}

/* ---- for all operations ------------------------------------------------------------------------------------------ */

bool cv_registry_agent(cv_call *call, cv_agent_row *ret_agent)
{
    cv_err err = {.arena = call->arena};
    if (cv_agent_get(call->record, call->arena, cv_json_get_text(call->input, "agent_id"), ret_agent, &err))
        return true;
    cv_err_field(&err, CV_STR("agent_id"));
    return cv_call_fail(call, &err);
}

bool cv_registry_may_change(cv_call *call)
{
    if (!call->who.token.p || call->who.is_human)
        return true;
    cv_err *fault =
        cv_errs_add(call->errs, call->arena, CV_ERR_NOT_ALLOWED,
                    "'%.*s' is an agent: with its token it cannot change who can act", CV_FMT(call->who.name));
    cv_err_suggest(fault, CV_STR("ask a person to do it"));
    return false;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static const cv_str kind_words[] = {CV_STR_INIT("agent"), CV_STR_INIT("human")};
static const cv_str status_words[] = {CV_STR_INIT("active"), CV_STR_INIT("removed")};
static const cv_words kinds = {kind_words, CV_COUNT(kind_words)}, statuses = {status_words, CV_COUNT(status_words)};

#define CV_THIS_TYPE cv_shown_agent
const cv_shape cv_shown_agent_shape[] = {
    CV_FIELD_AS(ALWAYS, "agent_id", row.id, ""),
    CV_WORD(ALWAYS, "kind", row.kind, &kinds, ""),
    CV_FIELD_AS(IF_ANY, "summary", row.summary, ""),
    CV_BELOW(IF_ANY, description, ""),
    CV_TEXTS("aliases", aliases.items, aliases.count, ""),
    CV_JSON_AS(IF_ANY, NAMES, "capabilities", row.capabilities, ""),
    CV_JSON_AS(IF_ANY, NAMES, "rooms", row.rooms, "absent: all"),
    CV_FIELD_AS(ALWAYS, "reach", row.reach, ""),
    CV_JSON_AS(IF_ANY, MAP, "reach_details", reach_details, ""),
    CV_JSON_AS(IF_ANY, MAP, "limits", row.limits, ""),
    CV_FIELD(ALWAYS, files, ""),
    CV_WORD(ALWAYS, "status", row.status, &statuses, ""),
    CV_FIELD_AS(ALWAYS, "created_at", row.created_at, ""),
    CV_FIELD_AS(IF_ANY, "removed_at", row.removed_at, ""),
    {0},
};
const cv_shape cv_agent_shape[] = {CV_SUCCESS, CV_GROUP("agent", cv_shown_agent_shape, ""), {0}};
const cv_shape cv_agent_written_shape[] = {
    CV_SPREAD_SAME(cv_agent_shape),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings about what was done"),
    CV_REGISTERED,
    {0},
};
static const cv_shape stored_shape[] = {
    CV_SPREAD_SAME(cv_agent_shape),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings about what was done"),
    {0},
};
static const cv_shape replaced_shape[] = {CV_GROUP("old", cv_shown_agent_shape, ""), {0}};
#undef CV_THIS_TYPE

cv_shown_agent cv_agent_shown(const cv_agent_row *agent, cv_words aliases, bool whole)
{
    cv_shown_agent told = {.row = *agent, .aliases = aliases, .files = agent->files == 1};
    if (whole) {
        told.description = agent->description;
        told.reach_details = agent->reach_details;
    }
    return told;
}

cv_str cv_agent_answer(cv_arena *a, const cv_agent_row *agent, cv_words aliases, cv_notices warnings)
{
    cv_shown_agent told = cv_agent_shown(agent, aliases, true);
    told.warnings = warnings;
    return cv_shape_text(a, stored_shape, &told);
}

cv_str cv_agent_replaced(cv_arena *a, const cv_agent_row *old, bool whole)
{
    const cv_shown_agent told = cv_agent_shown(old, (cv_words){0}, whole);
    return cv_shape_text(a, replaced_shape, &told);
}
