/* report.c - markdown for people: reports, logs, reflections; see report.h.
 *
 *     analysis/NAME.md                                    a report: text, or a template
 *     logs/NAME.md                                        a log: every entry is a section with its time
 *     _agent_coordination/AGENT/reflection/TIME.md        what an agent thinks of its own work
 *
 * The record keeps the text, so that it is searched; the file shows it. What somebody else wrote there is kept beside
 * it.
 */
#include "mail/report.h"

#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "mail/files.h"
#include "mail/operations.h"
#include "mail/prompt_files.h"
#include "mail/render.h"
#include "mail/writing.h"

typedef struct {
    cv_mail_agent agent; /* id absent: nobody is named */
    cv_str kind, name, title, text, template;
    bool replace, adds;
    /* the answer */
    cv_str path, created_at, kept; /* path: below the mail root, then below the project */
    cv_mail_paper row;
} paper;

#define CV_THIS_TYPE paper
const cv_shape cv_mail_report_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, path, "the file, in the project"),
    CV_FIELD(ALWAYS, kind, "analysis, log or reflection"),
    CV_FIELD(IF_ANY, title, ""),
    CV_FIELD(IF_ANY, template, ""),
    CV_FIELD_AS(ALWAYS, "bytes", row.text.n, "of the file"),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* One line end at the end. */
static void add_text(cv_buf *out, cv_str text)
{
    cv_str trimmed = cv_str_trim_right(text);
    cv_buf_add(out, trimmed);
    cv_buf_add_char(out, '\n');
}

static cv_str whole_text(cv_arena *a, const paper *p, cv_str before, cv_str now)
{
    cv_buf out = {0};
    if (p->adds) {
        if (before.n > 0)
            cv_buf_add(&out, before);
        else
            cv_buf_printf(&out, "# %.*s\n", CV_FMT(p->name));
        cv_buf_printf(&out, "\n## %.*s%s%.*s\n\n", CV_FMT(now), p->title.n ? " " : "", CV_FMT(p->title));
        if (p->agent.id.p)
            cv_buf_printf(&out, "By %.*s.\n\n", CV_FMT(p->agent.id));
    } else if (p->title.n > 0)
        cv_buf_printf(&out, "# %.*s\n\n", CV_FMT(p->title));
    add_text(&out, p->text);
    return cv_buf_take(&out, a);
}

static bool get(cv_record *record, cv_arena *a, cv_str path, cv_mail_paper *ret, bool *ret_found, cv_err *err)
{
    cv_row_clear(&cv_mail_paper_type, ret);
    ret->path = path;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_paper_type, ret, ret_found, err);
}

/* A reflection gets a name of its own: its time, and a number when that is taken. */
static bool find_free(cv_mail_writing *o, paper *p)
{
    bool found = true;
    char *time = cv_arena_copy_z(o->arena, cv_str_head(o->now, 19));
    time[13] = time[16] = '-';
    for (int i = 1; found; i++) {
        cv_str path = cv_arena_printf(o->arena, "_agent_coordination/%.*s/reflection/%s", CV_FMT(p->agent.id), time);
        p->path = i == 1 ? cv_arena_printf(o->arena, "%.*s.md", CV_FMT(path))
                         : cv_arena_printf(o->arena, "%.*s-%d.md", CV_FMT(path), i);
        if (!get(o->record, o->arena, p->path, &p->row, &found, &o->err))
            return cv_mail_fail(o);
    }
    return true;
}

static bool write_paper(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    paper *p = ctx;
    bool found = false;
    cv_mail_acts(o, p->agent.id);
    if (!p->path.p && !find_free(o, p))
        return false;
    if (!get(o->record, o->arena, p->path, &p->row, &found, &o->err))
        return cv_mail_fail(o);
    cv_str before = found ? p->row.text : CV_STR(""), text = whole_text(o->arena, p, before, o->now);
    if (found && !p->adds && !p->replace && !cv_str_eq(before, text)) {
        cv_err_suggest(cv_refuse(o->call, CV_ERR_REPORT_EXISTS, CV_STR(""), "name", p->name,
                                 "there is a report '%.*s' of %.*s with another text", CV_FMT(p->name),
                                 CV_FMT(p->row.updated_at.p ? p->row.updated_at : p->row.created_at)),
                       CV_STR("give 'replace': true, or another 'name'"));
        return false;
    }
    p->row.kind = p->kind;
    p->row.agent = p->agent.name;
    p->row.title = p->title.n > 0 ? p->title : p->row.title;
    p->row.created_at = found ? p->row.created_at : o->now;
    p->row.updated_at = found ? o->now : (cv_str){NULL, 0};
    p->row.text = text;
    cv_mail_paper *put = cv_writing_put(o->w, &cv_mail_paper_type, &p->row);
    cv_writing_covers(o->w, cv_mail_event(o, CV_STR("paper"), p->path, "written"), &cv_mail_paper_type, put);
    paper told = *p;
    told.path = cv_str_of(cv_mail_file(o->call, cv_arena_copy_z(o->arena, p->path)).path);
    *ret_result = cv_shape_text(o->arena, cv_mail_report_shape, &told);
    return true;
}

static bool write_text(cv_call *call, cv_where where, cv_str text, cv_err *err)
{
    cv_err unread = {.arena = call->arena};
    cv_file_rules rules = {.arena = call->arena};
    cv_str there;
    return (cv_file_read_at(call->arena, where, CV_MAX_FILE_BYTES, &there, &unread) && cv_str_eq(there, text)) ||
           cv_file_write_at(where, text, &rules, err);
}

/* The text is read under a lock on the folder: of two who add to a log, the slower one must not show the older text. */
bool cv_mail_report_show(cv_call *call, cv_str path, cv_err *err)
{
    cv_where where = cv_mail_file(call, cv_arena_copy_z(call->arena, path)),
             folder = cv_where_folder(call->arena, where);
    cv_mail_paper row;
    bool found;
    int lock = -1;
    bool ok = cv_folder_make_at(folder, err) && cv_folder_lock(folder, false, true, &lock, err) &&
              get(call->record, call->arena, path, &row, &found, err) &&
              (!found || !row.text.p || write_text(call, where, row.text, err));
    if (lock >= 0)
        close(lock);
    return ok;
}

static bool write_and_show(cv_call *call, const char *operation, paper *p)
{
    cv_err err = {.arena = call->arena};
    if (!cv_mail_write(call, operation, write_paper, p))
        return false;
    return !p->row.text.p || cv_json_get_true(call->input, "dry_run") || cv_mail_report_show(call, p->path, &err) ||
           cv_mail_files_behind(&err);
}

/* ---- the operations ---------------------------------------------------------------------------------------------- */

static bool read_common(cv_call *call, paper *p)
{
    p->title = cv_json_get_text(call->input, "title");
    bool named = cv_json_get(call->input, CV_STR("agent")) || call->who.name.p;
    bool good = !named || cv_mail_actor(call, "agent", &p->agent);
    if (p->title.n > 0 && cv_str_has_control(p->title)) {
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "title", p->title, "a title must be on one line");
        good = false;
    }
    return cv_mail_text_of(call, &p->text, &p->template) && good;
}

static bool is_file_name(cv_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!cv_is_alnum(name.p[i]) && (i == 0 || !strchr("._-", name.p[i])))
            return false;
    return name.n > 0 && name.n <= 100 && cv_str_find(name, CV_STR("..")) == SIZE_MAX;
}

bool cv_mail_op_report(cv_call *call)
{
    cv_str kind = cv_json_get_text(call->input, "kind");
    paper p = {.kind = kind.p ? kind : CV_STR("analysis"),
               .name = cv_json_get_text(call->input, "name"),
               .replace = cv_json_get_true(call->input, "replace")};
    p.adds = cv_str_eq(p.kind, CV_STR("log"));
    if (cv_str_ends(p.name, CV_STR(".md")))
        p.name.n -= strlen(".md");
    bool good = is_file_name(p.name);
    if (!good)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "name", p.name,
                                 "this is not a name for a report: up to 100 letters, digits, '.', '_' and '-'"),
                       CV_STR("use a name like week-46"));
    if (!read_common(call, &p) || !good)
        return false;
    p.path = cv_arena_printf(call->arena, "%s/%.*s.md", p.adds ? "logs" : "analysis", CV_FMT(p.name));
    return write_and_show(call, "mail report", &p);
}

bool cv_mail_op_reflect(cv_call *call)
{
    paper p = {.kind = CV_STR("reflection")};
    if (!cv_mail_actor(call, "agent", &p.agent) || !read_common(call, &p))
        return false;
    return write_and_show(call, "mail reflect", &p);
}

/* ---- a list ------------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str path, kind, agent, title, written_at;
} listed;

typedef struct {
    struct {
        listed *items;
        size_t count, capacity;
    } reports;
    cv_str next;
} page;

#define CV_THIS_TYPE listed
static const cv_shape listed_shape[] = {
    CV_FIELD(ALWAYS, path, "below the folder of the mail"),
    CV_FIELD(ALWAYS, kind, ""),
    CV_FIELD(IF_ANY, agent, ""),
    CV_FIELD(IF_ANY, title, ""),
    CV_FIELD(ALWAYS, written_at, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE page
const cv_shape cv_mail_reports_shape[] = {
    CV_SUCCESS,
    CV_LIST("reports", reports.items, reports.count, listed_shape, "by path"),
    CV_MORE("next", next, "after", "only when there are more: give it as `after`"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_mail_op_reports(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", CV_MAIL_PAGE);
    cv_str kind = cv_json_get_text(call->input, "kind"), after = cv_json_get_text(call->input, "after");
    cv_row_list rows = {0};
    cv_mail_paper like;
    page p = {0};
    cv_row_clear(&cv_mail_paper_type, &like);
    like.kind = kind;
    like.path = after.p ? after : CV_STR("");
    const cv_find find = {.type = &cv_mail_paper_type,
                          .index = kind.p ? cv_papers_by_kind : NULL,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = kind.p ? 1 : 0,
                          .after = &like,
                          .limit = limit + 1,
                          .outline = true};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < rows.count && i < limit; i++) {
        const cv_mail_paper *row = rows.items[i];
        *CV_PUSH(call->arena, &p.reports) = (listed){row->path, row->kind, row->agent, row->title,
                                                     row->updated_at.p ? row->updated_at : row->created_at};
    }
    assert(limit > 0 && "the schema says so");
    if (rows.count > limit)
        p.next = p.reports.items[limit - 1].path;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_reports_shape, &p);
    return true;
}
