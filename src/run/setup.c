/* setup.c - what a run was asked for, and who answers for whom; see setup.h. */
#include "run/setup.h"

#include "base/file.h"
#include "kit/destination.h"
#include "kit/fault.h"
#include "kit/reach/approval.h"
#include "kit/reach/words.h"
#include "run/calls.h"

_Static_assert(CV_CALLS_MOST == 180, "the schemas of run and ask say so");

enum { USUAL_ROUNDS = 4, USUAL_PARALLEL = 16, MILLIONTHS = 1000000 };

/* ---- agents --------------------------------------------------------------------------------------------------------
 */

static const cv_run_agent *keep(cv_setup *s, cv_str name, cv_str key, const cv_reach *reach, bool typed)
{
    cv_arena *a = s->call->arena;
    cv_run_agent *agent = CV_NEW(a, cv_run_agent);
    *agent = (cv_run_agent){.name = cv_arena_copy(a, cv_secrets_hide(a, &s->secrets, name)),
                            .key = cv_arena_copy(a, key),
                            .text = cv_secrets_hide(a, &s->secrets, cv_reach_text(a, reach)),
                            .reach = *reach,
                            .typed = typed};
    *CV_PUSH(a, &s->agents) = agent;
    return agent;
}

/* An agent of the file or of the project, by its name; *ret NULL: there is none. False: it is there, but faulty. */
static bool find_named(cv_setup *s, cv_str name, const cv_run_agent **ret, cv_err *err)
{
    const cv_file_agent *in_file = cv_agents_file_find(&s->file, name);
    cv_agent_row row;
    cv_reach reach;
    bool found = false;
    *ret = NULL;
    for (size_t i = 0; i < s->agents.count; i++)
        if (cv_str_eq(s->agents.items[i]->key, name)) {
            *ret = s->agents.items[i];
            return true;
        }
    if (in_file) {
        *ret = keep(s, name, name, &in_file->reach, false);
        return true;
    }
    if (!cv_agent_id_valid(name))
        return true;
    if (!cv_agent_find(s->call->record, s->call->arena, name, &row, &found, err))
        return false;
    if (!found || cv_agent_is_removed(&row))
        return true;
    if (!cv_reach_of_agent(s->call->arena, &row, &reach, err))
        return false;
    *ret = keep(s, row.id, name, &reach, false);
    return true;
}

/* "sh agents/play.sh" is the agent "sh play.sh": enough to be told from others in a line. */
static cv_str short_name(cv_arena *a, cv_str command)
{
    cv_buf out = {0};
    for (cv_str rest = command, word; cv_str_split(&rest, ' ', &word);) {
        size_t begin = word.n;
        while (begin > 0 && word.p[begin - 1] != '/')
            begin--;
        cv_buf_printf(&out, "%s%.*s", out.n ? " " : "", CV_FMT(begin < word.n ? cv_str_from(word, begin) : word));
    }
    return cv_excerpt(a, cv_buf_take(&out, a));
}

static bool is_command(cv_str text)
{
    return cv_str_find_char(text, ' ') != SIZE_MAX || cv_str_find_char(text, '/') != SIZE_MAX;
}

/* --agent and --judge: a name, or else a command. `bare`: a single word may be a command, too. */
static const cv_run_agent *find_given(cv_setup *s, const char *field, bool bare)
{
    cv_str given = cv_str_trim(cv_json_get_text(s->call->input, field));
    const cv_run_agent *agent;
    cv_reach reach;
    cv_err err = {.arena = s->call->arena};
    bool ok = find_named(s, given, &agent, &err);
    if (ok && agent)
        return agent;
    if (ok && !bare && !is_command(given)) {
        cv_err_set(&err, CV_ERR_UNKNOWN_AGENT, "there is no agent '%.*s', in the file or in the project",
                   CV_FMT(cv_excerpt(s->call->arena, given)));
        cv_agents_advise(s->call->record, s->call->arena, given, &err);
        ok = false;
    }
    if (ok && cv_reach_of_command(s->call->arena, given, &reach, &err))
        return keep(s, short_name(s->call->arena, cv_secrets_hide(s->call->arena, &s->secrets, given)), given, &reach,
                    !s->call->confined);
    cv_err_field(&err, cv_str_of(field));
    cv_call_fail(s->call, &err);
    return NULL;
}

static bool read_file(cv_setup *s)
{
    cv_call *call = s->call;
    cv_arena *a = call->arena;
    cv_str given = cv_json_get_text(call->input, "agents"), text;
    cv_where where = {call->root, cv_record_path(a, "", "agents.toml")};
    cv_err err = {.arena = a};
    if (given.p && !cv_destination_where(call, given, &where, &err)) {
        cv_err_field(&err, CV_STR("agents"));
        return cv_call_fail(call, &err);
    }
    if (!given.p && (cv_json_get(call->input, CV_STR("agent")) || !cv_where_is_regular(where)))
        return true;
    if (!cv_file_read_text_at(a, where, &text, &err)) {
        cv_err_field(&err, CV_STR("agents"));
        return cv_call_fail(call, &err);
    }
    return cv_agents_file_parse(a, text, given.p ? given : cv_str_of(where.path), &s->file, call->errs);
}

static bool is_judges(const cv_agents_place *place)
{
    return cv_str_eq_nocase(place->name, CV_STR("judge"));
}

/* The agent of a seat must be known: reported once, whether or not this panel has the seat. */
static void check_place(cv_setup *s, const cv_agents_place *place)
{
    cv_agent_row row;
    cv_err err = {.arena = s->call->arena};
    bool found = false, judges = is_judges(place) && cv_words_find(cv_judge_words, place->agent) >= 0;
    if (judges || cv_agents_file_find(&s->file, place->agent))
        return;
    if (cv_agent_id_valid(place->agent) &&
        !cv_agent_find(s->call->record, s->call->arena, place->agent, &row, &found, &err)) {
        cv_call_fail(s->call, &err);
        return;
    }
    if (found && !cv_agent_is_removed(&row))
        return;
    cv_err_set(&err, CV_ERR_UNKNOWN_AGENT,
               "the seat '%.*s' names '%.*s', who is neither in the file nor in the project",
               CV_FMT(cv_excerpt(s->call->arena, place->name)), CV_FMT(cv_excerpt(s->call->arena, place->agent)));
    cv_err_file(&err, s->file.path);
    err.line = place->line;
    err.column = place->column;
    cv_agents_advise(s->call->record, s->call->arena, place->agent, &err);
    cv_call_fail(s->call, &err);
}

static const cv_run_agent *seat_of(cv_setup *s, cv_str place)
{
    cv_str name = place.n ? cv_agents_file_place(&s->file, place) : CV_STR("");
    const cv_run_agent *agent = NULL;
    cv_err err = {.arena = s->call->arena};
    if (name.n && !find_named(s, name, &agent, &err))
        cv_call_fail(s->call, &err);
    return agent;
}

const cv_run_agent *cv_setup_agent(cv_setup *s, cv_str slug, cv_str role, cv_str tier)
{
    size_t before = s->call->errs->count;
    const cv_str places[] = {slug, role, cv_arena_lower(s->call->arena, tier), CV_STR("*")};
    const cv_run_agent *agent = NULL;
    cv_err err = {.arena = s->call->arena};
    for (size_t i = 0; !agent && s->call->errs->count == before && i < CV_COUNT(places); i++)
        agent = seat_of(s, places[i]);
    if (!agent && s->call->errs->count == before)
        agent = s->agent;
    if (!agent && s->call->errs->count == before && !find_named(s, slug, &agent, &err))
        cv_call_fail(s->call, &err);
    return agent;
}

/* A seat that is not for everybody, a tier, or the judge is for an expert by name. */
static bool fits(cv_str place, cv_words experts)
{
    static const cv_str others[] = {CV_STR_INIT("*"), CV_STR_INIT("judge"), CV_STR_INIT("core"),
                                    CV_STR_INIT("adjacent"), CV_STR_INIT("wildcard")};
    for (size_t i = 0; i < CV_COUNT(others); i++)
        if (cv_str_eq_nocase(place, others[i]))
            return true;
    for (size_t i = 0; i < experts.count; i++)
        if (cv_str_eq_nocase(place, experts.items[i]))
            return true;
    return false;
}

void cv_setup_warn(const cv_setup *s, cv_words experts, cv_notices *warnings)
{
    for (size_t i = 0; i < s->file.seats.count; i++) {
        const cv_agents_place *place = &s->file.seats.items[i];
        cv_err near = {.arena = s->call->arena};
        if (fits(place->name, experts))
            continue;
        bool found = cv_err_nearest(&near, place->name, experts.items, experts.count);
        cv_notice_add(warnings, s->call->arena, CV_STR("seat_unused"),
                      "%.*s:%zu: the seat '%.*s' fits no expert of this dialogue%s%.*s", CV_FMT(s->file.path),
                      place->line, CV_FMT(cv_excerpt(s->call->arena, place->name)), found ? "; " : "",
                      CV_FMT(found ? near.suggestion : CV_STR("")));
    }
}

/* ---- the judge -----------------------------------------------------------------------------------------------------
 */

static void read_judge(cv_setup *s)
{
    cv_str given = cv_str_trim(cv_json_get_text(s->call->input, "judge"));
    s->judge_named = given.n || cv_agents_file_place(&s->file, CV_STR("judge")).n;
    if (!s->judge_named)
        return;
    cv_str word = given.n ? given : cv_agents_file_place(&s->file, CV_STR("judge"));
    if (cv_words_find(cv_judge_words, word) >= 0) {
        s->judge = (cv_judge)cv_words_find(cv_judge_words, word);
        return;
    }
    s->judge_agent = given.n ? find_given(s, "judge", false) : seat_of(s, CV_STR("judge"));
    s->judge = s->judge_agent && s->judge_agent->reach.way == CV_REACH_HUMAN ? CV_JUDGE_HUMAN : CV_JUDGE_AGENT;
}

void cv_setup_choose_judge(cv_setup *s)
{
    bool calls = s->agents.count == 1 && s->agents.items[0]->reach.way != CV_REACH_HUMAN;
    if (s->judge_named)
        return;
    s->judge = calls ? CV_JUDGE_AGENT : CV_JUDGE_MECHANICAL;
    s->judge_agent = calls ? s->agents.items[0] : NULL;
}

/* ---- programs ------------------------------------------------------------------------------------------------------
 */

/* Why nobody can be started for this seat; empty: somebody can, or it is not for us to say. */
static cv_str missing_at(cv_setup *s, const cv_agents_place *place)
{
    const cv_file_agent *in_file = cv_agents_file_find(&s->file, place->agent);
    cv_agent_row row;
    cv_reach reach;
    bool found = false;
    cv_err ignored = {.arena = s->call->arena};
    if (in_file && in_file->reach.way != CV_REACH_MAILBOX)
        return cv_calls_missing(s->call->arena, &in_file->reach, s->call->root);
    if (!cv_agent_id_valid(place->agent) ||
        !cv_agent_find(s->call->record, s->call->arena, place->agent, &row, &found, &ignored))
        return CV_STR("");
    if (in_file) { /* only who is registered has a mailbox */
        cv_str import = cv_name_call(s->call->name, s->call->arena, CV_STR("agent import"), CV_STR(""), NULL, 0);
        return found && !cv_agent_is_removed(&row)
                   ? CV_STR("")
                   : cv_arena_printf(s->call->arena,
                                     "'%.*s' has no mailbox, because it is not registered: '%.*s' registers the agents "
                                     "of a file",
                                     CV_FMT(place->agent), CV_FMT(import));
    }
    if (!found || !cv_reach_of_agent(s->call->arena, &row, &reach, &ignored))
        return CV_STR("");
    return cv_calls_missing(s->call->arena, &reach, s->call->root);
}

static void refuse_program(cv_setup *s, const char *field, const cv_agents_place *place, cv_str why)
{
    cv_err err = {.arena = s->call->arena};
    if (!why.n)
        return;
    cv_err_set(&err, CV_ERR_RUN_PROGRAM, "%.*s", CV_FMT(cv_secrets_hide(s->call->arena, &s->secrets, why)));
    cv_err_field(&err, cv_str_of(field));
    if (place) {
        cv_err_message(&err, "the seat '%.*s': %.*s", CV_FMT(place->name), CV_FMT(why));
        cv_err_file(&err, s->file.path);
        err.line = place->line;
        err.column = place->column;
    }
    cv_call_fail(s->call, &err);
}

bool cv_setup_find_programs(cv_setup *s)
{
    cv_arena *a = s->call->arena;
    size_t before = s->call->errs->count, seats = 0, missing = 0;
    bool judge_typed = cv_json_get(s->call->input, CV_STR("judge")) && s->judge_agent;
    if (s->agent)
        refuse_program(s, "agent", NULL, cv_calls_missing(a, &s->agent->reach, s->call->root));
    if (judge_typed && s->judge_agent != s->agent)
        refuse_program(s, "judge", NULL, cv_calls_missing(a, &s->judge_agent->reach, s->call->root));
    for (size_t i = 0; i < s->file.seats.count; i++) {
        seats += !is_judges(&s->file.seats.items[i]);
        missing += !is_judges(&s->file.seats.items[i]) && missing_at(s, &s->file.seats.items[i]).n > 0;
    }
    for (size_t i = 0; i < s->file.seats.count; i++) {
        const cv_agents_place *place = &s->file.seats.items[i];
        bool needed = is_judges(place) ? !judge_typed : missing == seats && !s->agent;
        if (needed)
            refuse_program(s, "", place, missing_at(s, place));
    }
    return s->call->errs->count == before;
}

/* ---- approval ------------------------------------------------------------------------------------------------------
 */

bool cv_setup_approve(cv_setup *s)
{
    cv_call *call = s->call;
    cv_approval *all = CV_NEW_ARRAY(call->arena, s->agents.count, cv_approval);
    size_t count = 0;
    cv_err err = {.arena = call->arena};
    const cv_approval_way way = {.root = call->root,
                                 .yes = !call->confined && cv_json_get_true(call->input, "yes"),
                                 .at_terminal = call->who.at_terminal};
    for (size_t i = 0; i < s->agents.count; i++)
        if (!s->agents.items[i]->typed)
            all[count++] = (cv_approval){s->agents.items[i]->name, &s->agents.items[i]->reach};
    return count == 0 || cv_approval_check(call->arena, &way, all, count, &err) || cv_call_fail(call, &err);
}

/* ---- the rest ------------------------------------------------------------------------------------------------------
 */

static int64_t cost_of(const cv_json *input)
{
    const cv_json *given = cv_json_get(input, CV_STR("max_cost"));
    double dollars;
    if (!given || !cv_json_to_double(given, &dollars) || dollars > 1e9)
        return CV_ABSENT;
    return (int64_t)(dollars * MILLIONTHS + 0.5);
}

static int64_t times(int64_t value, int64_t by)
{
    return value == CV_ABSENT ? CV_ABSENT : value * by;
}

bool cv_setup_check_quorum(cv_call *call, size_t quorum, size_t experts)
{
    if (quorum <= experts)
        return true;
    cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "quorum",
                             cv_arena_printf(call->arena, "%zu", quorum),
                             "the panel has %zu expert%s, so %zu cannot answer", experts, CV_PLURAL(experts), quorum),
                   CV_STR("give at most as many as there are experts, or leave it out: then all must answer"));
    return false;
}

bool cv_setup_read(cv_call *call, cv_str dialogue_id, cv_setup *ret)
{
    const cv_json *input = call->input;
    cv_str until = cv_json_get_text(input, "until"), spec = cv_json_get_text(input, "spec");
    size_t before = call->errs->count;
    *ret = (cv_setup){
        .dialogue_id = dialogue_id,
        .rounds = cv_json_get_int(input, "rounds", USUAL_ROUNDS),
        .parallel = (size_t)cv_json_get_int(input, "parallel", USUAL_PARALLEL),
        .quorum = (size_t)cv_json_get_int(input, "quorum", 0),
        .until = until.n ? (cv_until)cv_words_find(cv_until_words, until) : CV_UNTIL_VERDICT,
        .step = cv_json_get_true(input, "step"),
        .blind = cv_json_get_true(input, "blind"),
        .control = cv_json_get_true(input, "control"),
        .timeout_ms = cv_json_get_int(input, "timeout", 0) * 1000,
        .budget = {.cost = cost_of(input),
                   .tokens = cv_json_get_int(input, "max_tokens", CV_ABSENT),
                   .time_ms = times(cv_json_get_int(input, "max_time", CV_ABSENT), 1000)},
        .spec = spec.n ? spec : CV_STR("short"),
        .call = call,
    };
    cv_secrets_of_environment(call->arena, &ret->secrets);
    if (!read_file(ret))
        return false;
    for (size_t i = 0; i < ret->file.seats.count; i++)
        check_place(ret, &ret->file.seats.items[i]);
    if (cv_json_get(input, CV_STR("agent")))
        ret->agent = find_given(ret, "agent", true);
    read_judge(ret);
    return call->errs->count == before;
}

/* The options that make the same command again: all but those for one time, and what only `ask` has. */
static void write_given(cv_arena *a, const cv_setup *s, cv_json_writer *w)
{
    static const cv_str kept[] = {CV_STR_INIT("agents"), CV_STR_INIT("agent"),      CV_STR_INIT("judge"),
                                  CV_STR_INIT("rounds"), CV_STR_INIT("until"),      CV_STR_INIT("parallel"),
                                  CV_STR_INIT("quorum"), CV_STR_INIT("timeout"),    CV_STR_INIT("max_cost"),
                                  CV_STR_INIT("spec"),   CV_STR_INIT("max_tokens"), CV_STR_INIT("blind"),
                                  CV_STR_INIT("control")};
    cv_json_begin_object(w);
    for (size_t i = 0; i < CV_COUNT(kept); i++) {
        const cv_json *value = cv_json_get(s->call->input, kept[i]);
        if (!value)
            continue;
        cv_json_key(w, kept[i]);
        if (value->type == CV_JSON_STRING)
            cv_json_str(w, cv_secrets_hide(a, &s->secrets, value->text));
        else
            cv_json_value(w, value);
    }
    cv_json_end_object(w);
}

cv_str cv_setup_json(cv_arena *a, const cv_setup *s)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_int(&w, "rounds", s->rounds);
    cv_json_key_int(&w, "parallel", (int64_t)s->parallel);
    if (s->quorum)
        cv_json_key_int(&w, "quorum", (int64_t)s->quorum);
    cv_json_key_str(&w, "until", cv_until_words.items[s->until]);
    if (s->timeout_ms)
        cv_json_key_int(&w, "timeout", s->timeout_ms / 1000);
    if (s->budget.cost != CV_ABSENT)
        cv_json_key_int(&w, "max_cost_millionths", s->budget.cost);
    if (s->budget.tokens != CV_ABSENT)
        cv_json_key_int(&w, "max_tokens", s->budget.tokens);
    cv_json_key_bool(&w, "blind", s->blind);
    cv_json_key_bool(&w, "control", s->control);
    if (s->since_rev)
        cv_json_key_int(&w, "tries_since_rev", s->since_rev);
    cv_json_key(&w, CV_STR("agents"));
    cv_json_begin_object(&w);
    for (size_t i = 0; i < s->agents.count; i++)
        cv_json_key_str(&w, cv_arena_copy_z(a, s->agents.items[i]->name), s->agents.items[i]->text);
    cv_json_end_object(&w);
    cv_json_key(&w, CV_STR("given"));
    write_given(a, s, &w);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}
