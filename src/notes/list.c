/* list.c - `notes list`, `notes show`, `notes history`: what the log has.
 *
 *     list      newest first, a page at a time, by one index: addressees, speaker, path, or all
 *     show      one message with everything that is known about it
 *     history   of a file or of a speaker, oldest first: also what was replaced, deleted and altered, and by whom
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"
#include "kit/agents.h"
#include "kit/fault.h"
#include "notes/git.h"
#include "notes/log.h"
#include "notes/operations.h"
#include "notes/words/errors.h"

/* ---- one message ------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_note_row row;
    cv_str mood, message;
    int64_t altered_to;
    cv_str commit, commit_author, commit_time;
} told;

#define CV_THIS_TYPE told
static const cv_shape told_shape[] = {
    CV_NUMBER(ALWAYS, "number", row.dialog_message_id, 1, CV_NO_LIMIT, "dialog_message_id"),
    CV_WORD(ALWAYS, "kind", row.source_kind, &cv_note_kinds, ""),
    CV_FIELD_AS(ALWAYS, "speaker", row.agent_name, ""),
    CV_FIELD_AS(ALWAYS, "target", row.target, ""),
    CV_FIELD_AS(ALWAYS, "mood_rgb", row.mood_rgb, ""),
    CV_WORD(ALWAYS, "status", row.status, &cv_note_statuses, "current: it is in its file"),
    CV_FIELD_AS(ALWAYS, "path", row.path, ""),
    CV_FIELD_AS(ALWAYS, "line", row.line_start, "its line when it was logged"),
    CV_FIELD_AS(ALWAYS, "created_ymdhis", row.created_ymdhis, ""),
    CV_FIELD_AS(IF_ANY, "thread", row.dialog_threads_id, "dialog_threads_id"),
    CV_FIELD_AS(IF_ANY, "gone_at", row.gone_at, "since when it is not current"),
    CV_FIELD(IF_ANY, altered_to, "the number of the note of the same speaker that replaced it"),
    CV_FIELD(IF_ANY, commit, "of git, which took it out"),
    CV_FIELD(IF_ANY, commit_author, ""),
    CV_FIELD(IF_ANY, commit_time, ""),
    CV_BELOW(ALWAYS, message, ""),
    {0},
};
#undef CV_THIS_TYPE

typedef struct {
    cv_call *call;
    told *items;
    size_t count, capacity;
    size_t limit;
    int64_t next;
    cv_str path, kind, status, speaker;
    int64_t since, after;
    cv_notices warnings;
} page;

static bool is_wanted(const page *p, const cv_note_row *r)
{
    bool all = cv_json_get_true(p->call->input, "all");
    return (!p->path.p || cv_str_eq(r->path, p->path)) && (!p->kind.p || cv_str_eq(r->source_kind, p->kind)) &&
           (!p->speaker.p || cv_str_eq(r->speaker, p->speaker)) &&
           (p->since == CV_ABSENT || r->created_ymdhis >= p->since) &&
           (p->status.p ? cv_str_eq(r->status, p->status) : all || cv_str_eq(r->status, cv_note_current));
}

static void keep(page *p, const cv_note_row *row)
{
    told *t = CV_PUSH(p->call->arena, p);
    *t = (told){.altered_to = CV_ABSENT};
    memcpy(&t->row, cv_row_copy(p->call->arena, &cv_note_row_type, row), sizeof t->row);
    t->mood = cv_mood_name(t->row.mood_rgb);
    t->message = t->row.message_text;
}

static bool collect_any(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)err;
    keep(ctx, row);
    return true;
}

/* ---- list -------------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE page
const cv_shape cv_notes_list_shape[] = {
    CV_LIST("notes", items, count, told_shape, "the newest first"),
    CV_MORE("next", next, "after", "there are more: give it as `after`"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings"),
    {0},
};
#undef CV_THIS_TYPE

static int newest_first(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return CV_ORDER(b, a);
}

typedef struct {
    cv_arena *arena;
    int64_t *items;
    size_t count, capacity;
} numbers;

static bool take_number(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    numbers *n = ctx;
    (void)scope, (void)err;
    *CV_PUSH(n->arena, n) = ((const cv_note_addressee *)row)->number;
    return true;
}

/* An agent is addressed by each of its names, and with everyone. */
static bool names_of(cv_call *call, cv_str name, bool with_everyone, cv_note_names *ret, cv_err *err)
{
    cv_agent_row agent;
    cv_words aliases;
    bool found;
    cv_note_addressees(call->arena, name, ret);
    if (!with_everyone)
        return true;
    *CV_PUSH(call->arena, ret) = CV_STR("everyone");
    if (!cv_agent_find(call->record, call->arena, ret->items[0], &agent, &found, err))
        return false;
    if (!found)
        return true;
    *CV_PUSH(call->arena, ret) = agent.name;
    if (!cv_agent_aliases(call->record, call->arena, agent.name, &aliases, err))
        return false;
    for (size_t i = 0; i < aliases.count; i++)
        *CV_PUSH(call->arena, ret) = cv_arena_lower(call->arena, aliases.items[i]);
    return true;
}

static bool visit_one(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    page *p = ctx;
    const cv_note_row *r = row;
    (void)scope, (void)err;
    if (is_wanted(p, r) && p->next == CV_ABSENT) {
        if (p->count == p->limit)
            p->next = p->items[p->count - 1].row.dialog_message_id;
        else
            keep(p, r);
    }
    return true;
}

static bool find_number(cv_record *record, int64_t number, cv_row_visit visit, void *ctx, cv_err *err)
{
    const cv_note_row like = {.dialog_message_id = number};
    const cv_find find = {.type = &cv_note_row_type,
                          .index = cv_notes_by_number,
                          .scope = cv_notes_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = 1};
    return record->calls->find(record, &find, visit, ctx, err);
}

static bool list_addressed(page *p, cv_str name, bool with_everyone, cv_err *err)
{
    cv_call *call = p->call;
    cv_note_names names = {0};
    numbers all = {.arena = call->arena};
    if (!names_of(call, name, with_everyone, &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const cv_note_addressee like = {.name = names.items[i]};
        const cv_find find = {.type = &cv_note_addressee_type, .scope = cv_notes_scope(), .like = &like, .equal = 1};
        if (!call->record->calls->find(call->record, &find, take_number, &all, err))
            return false;
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, newest_first);
    for (size_t i = 0; i < all.count && p->next == CV_ABSENT; i++)
        if ((i == 0 || all.items[i] != all.items[i - 1]) && (p->after == 0 || all.items[i] < p->after) &&
            !find_number(call->record, all.items[i], visit_one, p, err))
            return false;
    return true;
}

static bool visit_after(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    page *p = ctx;
    return (p->after != 0 && ((const cv_note_row *)row)->dialog_message_id >= p->after) ||
           visit_one(ctx, scope, row, err);
}

static int by_number_down(const void *x, const void *y)
{
    return CV_ORDER(((const told *)y)->row.dialog_message_id, ((const told *)x)->row.dialog_message_id);
}

static bool collect(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    page *p = ctx;
    const cv_note_row *r = row;
    (void)scope, (void)err;
    if ((p->after == 0 || r->dialog_message_id < p->after) && is_wanted(p, r))
        keep(p, r);
    return true;
}

/* The messages of a file are few: all of them are read, then put in order. */
static bool list_path(page *p, cv_err *err)
{
    const cv_note_row like = {.path = p->path};
    const cv_find find = {.type = &cv_note_row_type, .scope = cv_notes_scope(), .like = &like, .equal = 1};
    if (!p->call->record->calls->find(p->call->record, &find, collect, p, err))
        return false;
    if (p->count)
        qsort(p->items, p->count, sizeof *p->items, by_number_down);
    if (p->count > p->limit) {
        p->count = p->limit;
        p->next = p->items[p->count - 1].row.dialog_message_id;
    }
    return true;
}

static bool list_by(page *p, const cv_index *index, const cv_note_row *like, cv_err *err)
{
    const cv_find find = {.type = &cv_note_row_type,
                          .index = index,
                          .scope = cv_notes_scope(),
                          .like = like,
                          .equal = like ? 1 : 0,
                          .descending = true};
    return p->call->record->calls->find(p->call->record, &find, visit_after, p, err);
}

/* `path` of the input as the log has it. */
static bool read_path(page *p, cv_err *err)
{
    cv_str given = cv_json_get_text(p->call->input, "path");
    cv_where where;
    p->path = (cv_str){NULL, 0};
    if (!given.p)
        return true;
    if (!cv_notes_where(p->call, given, &where, err)) {
        cv_err_field(err, CV_STR("path"));
        return false;
    }
    p->path = cv_str_of(where.path);
    return true;
}

static page begin(cv_call *call)
{
    const cv_json *in = call->input;
    cv_str since = cv_json_get_text(in, "since"), speaker = cv_json_get_text(in, "speaker");
    page p = {.call = call,
              .next = CV_ABSENT,
              .since = CV_ABSENT,
              .limit = (size_t)cv_json_get_int(in, "limit", 50),
              .after = cv_json_get_int(in, "after", 0),
              .kind = cv_json_get_text(in, "kind"),
              .status = cv_json_get_text(in, "status")};
    if (speaker.p)
        p.speaker = cv_arena_lower(call->arena, speaker);
    if (since.p) {
        p.since = 0;
        for (size_t i = 0; i < since.n; i++)
            p.since = p.since * 10 + (since.p[i] - '0');
    }
    return p;
}

static bool check_since(cv_call *call)
{
    cv_str since = cv_json_get_text(call->input, "since");
    if (!since.p || cv_notes_date_valid(since))
        return true;
    cv_err *err = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "since", since, "it is not a time");
    cv_err_suggest(err, CV_STR("write YYYYMMDDHHMMSS, in UTC: 20260106120000"));
    return false;
}

/* A caller that asks for a name which is nearly an agent's may have misspelt it. */
static void warn_names(page *p)
{
    static const char *const fields[] = {"for", "target", "speaker"};
    cv_call *call = p->call;
    for (size_t i = 0; i < CV_COUNT(fields); i++) {
        cv_note_names names = {0};
        cv_str given = cv_json_get_text(call->input, fields[i]);
        if (given.p)
            cv_note_addressees(call->arena, given, &names);
        for (size_t k = 0; k < names.count; k++)
            cv_agents_warn_like(call->record, call->arena, names.items[k], cv_str_of(fields[i]), &p->warnings);
    }
}

bool cv_notes_op_list(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    if (!check_since(call))
        return false;
    page p = begin(call);
    cv_str whom = cv_json_get_text(call->input, "for"), target = cv_json_get_text(call->input, "target");
    const cv_note_row like = {.speaker = p.speaker};
    bool ok = read_path(&p, &err) && (whom.p        ? list_addressed(&p, whom, true, &err)
                                      : target.p    ? list_addressed(&p, target, false, &err)
                                      : p.path.p    ? list_path(&p, &err)
                                      : p.speaker.p ? list_by(&p, cv_notes_by_speaker, &like, &err)
                                                    : list_by(&p, cv_notes_by_number, NULL, &err));
    if (!ok)
        return cv_call_fail(call, &err);
    warn_names(&p);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_list_shape, &p);
    return true;
}

/* ---- show -------------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE told
const cv_shape cv_notes_show_shape[] = {
    CV_ROW(row, &cv_note_row_type, NONE),
    CV_FIELD(IF_ANY, mood, "the name of the mood, if it has one"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_notes_op_show(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    page p = {.call = call, .next = CV_ABSENT, .limit = 1, .since = CV_ABSENT};
    int64_t number = cv_json_get_int(call->input, "number", 0);
    if (!find_number(call->record, number, collect_any, &p, &err))
        return cv_call_fail(call, &err);
    if (!p.count) {
        cv_err_set(&err, CV_ERR_NOTES_MESSAGE, "the log has no note with the number %lld", (long long)number);
        cv_err_field(&err, CV_STR("number"));
        cv_err_operation(&err, CV_STR("notes list"));
        cv_err_suggest(&err, CV_STR("lists them with their numbers"));
        return cv_call_fail(call, &err);
    }
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_show_shape, &p.items[0]);
    return true;
}

/* ---- history ----------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE page
const cv_shape cv_notes_history_shape[] = {
    CV_FIELD(IF_ANY, path, ""),
    CV_FIELD(IF_ANY, speaker, ""),
    CV_LIST("notes", items, count, told_shape, "the oldest first"),
    CV_MORE("next", next, "after", "there are more: give it as `after`"),
    {0},
};
#undef CV_THIS_TYPE

enum { MOST_ASKED = 50 }; /* of git, in one answer */

static int by_number_up(const void *x, const void *y)
{
    return by_number_down(y, x);
}

/* What went when another of the same speaker came was altered, as far as anybody can tell. */
static void find_altered(page *p)
{
    cv_map came = {0};
    for (size_t i = p->count; i > 0; i--) {
        const cv_note_row *r = &p->items[i - 1].row;
        cv_str key = cv_arena_printf(p->call->arena, "%.*s\n%.*s\n%.*s\n%.*s", CV_FMT(r->path), CV_FMT(r->source_kind),
                                     CV_FMT(r->speaker), CV_FMT(r->logged_at));
        *cv_map_put(&came, p->call->arena, key, NULL) = (uintptr_t)r->dialog_message_id;
    }
    for (size_t i = 0; i < p->count; i++) {
        told *t = &p->items[i];
        if (!cv_str_eq(t->row.status, cv_note_gone))
            continue;
        cv_str key = cv_arena_printf(p->call->arena, "%.*s\n%.*s\n%.*s\n%.*s", CV_FMT(t->row.path),
                                     CV_FMT(t->row.source_kind), CV_FMT(t->row.speaker), CV_FMT(t->row.gone_at));
        const uintptr_t *other = cv_map_get(&came, key);
        t->altered_to = other ? (int64_t)*other : CV_ABSENT;
    }
}

/* The commit that took a note out: the last one that changed how often its text occurs in the file. */
static void ask_git(cv_call *call, told *t)
{
    cv_arena *a = call->arena;
    cv_str line = t->row.message_text, out, part;
    size_t end = cv_str_find_char(line, '\n');
    const char *search = cv_arena_printf(a, "-S%.*s", CV_FMT(cv_str_head(line, end == SIZE_MAX ? line.n : end))).p;
    const char *const ask[] = {
        "log", "-n", "1", "--format=%H%x09%an%x09%aI", search, "--", cv_arena_copy_z(a, t->row.path), NULL};
    cv_err none = {.arena = a};
    if (!line.n || !cv_git_run(call, ask, &out, &none) || !cv_str_trim(out).n)
        return;
    cv_str rest = cv_str_trim(out);
    cv_str *to[] = {&t->commit, &t->commit_author, &t->commit_time};
    for (size_t i = 0; i < CV_COUNT(to) && cv_str_split(&rest, '\t', &part); i++)
        *to[i] = part;
}

static void find_culprits(page *p)
{
    size_t asked = 0;
    bool any = false;
    for (size_t i = 0; i < p->count; i++)
        any |= cv_str_eq(p->items[i].row.status, cv_note_gone);
    if (!any || !cv_git_is_there(p->call))
        return;
    for (size_t i = 0; i < p->count && asked < MOST_ASKED; i++)
        if (cv_str_eq(p->items[i].row.status, cv_note_gone)) {
            ask_git(p->call, &p->items[i]);
            asked++;
        }
}

static bool read_history(page *p, cv_err *err)
{
    const cv_note_row like = {.path = p->path, .speaker = p->speaker};
    const cv_find of_file = {.type = &cv_note_row_type, .scope = cv_notes_scope(), .like = &like, .equal = 1};
    const cv_find of_speaker = {
        .type = &cv_note_row_type, .index = cv_notes_by_speaker, .scope = cv_notes_scope(), .like = &like, .equal = 1};
    return p->call->record->calls->find(p->call->record, p->path.p ? &of_file : &of_speaker, collect_any, p, err);
}

/* The page behind `after`, of what was put in order. */
static void cut_page(page *p)
{
    size_t from = 0;
    if (p->count)
        qsort(p->items, p->count, sizeof *p->items, by_number_up);
    find_altered(p);
    while (from < p->count && p->items[from].row.dialog_message_id <= p->after)
        from++;
    p->items += from;
    p->count -= from;
    if (p->count > p->limit) {
        p->count = p->limit;
        p->next = p->items[p->count - 1].row.dialog_message_id;
    }
}

bool cv_notes_op_history(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    page p = begin(call);
    if (!read_path(&p, &err))
        return cv_call_fail(call, &err);
    if (!p.path.p == !p.speaker.p) {
        cv_err *fault =
            cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "path", CV_STR(""),
                      "a history is that of a file or of a speaker: %s", p.path.p ? "both are given" : "none is given");
        cv_err_suggest(fault, CV_STR("give `path` or `speaker`"));
        return false;
    }
    if (!read_history(&p, &err))
        return cv_call_fail(call, &err);
    p.limit = (size_t)cv_json_get_int(call->input, "limit", 200);
    cut_page(&p);
    find_culprits(&p);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_history_shape, &p);
    return true;
}
