/* transcript.c - the operation `transcript`: a dialogue as markdown, printed or as files; see transcript.h.
 *
 *     ID.dialogue.md          all of it
 *     scoreboard.md           the scores alone
 *     tensions.md             the tracker alone
 *     round-N.summary.md      what the judge said about a round
 *     verdict.md              the verdicts, once there are any
 *
 * Each file names the state of the record that it was made from. One that does not was written by somebody else and is
 * left alone, unless `force` is given; one that was edited since is kept beside the new one. All of them are looked at
 * before the first one is written.
 */
#include "dialogue/transcript/transcript.h"
#include "dialogue/files.h"
#include "dialogue/notices.h"
#include "dialogue/operations.h"
#include "kit/destination.h"

typedef struct {
    cv_str name;
    cv_where where;
    cv_str text;
} output;

typedef struct {
    cv_call *call;
    cv_transcript *t;
    cv_where folder;
    CV_STATE_LIST(output) outputs;
    cv_notices warnings;
} files;

static bool render(cv_transcript *t, const cv_doc *doc, cv_str *ret_text, cv_err *err)
{
    cv_buf text = {0};
    cv_doc_render(t->arena, doc, &text);
    if (!cv_buf_ok(&text)) {
        cv_buf_release(&text);
        cv_err_set(err, CV_ERR_TOO_LARGE, "the transcript is larger than a text may be");
        return false;
    }
    *ret_text = cv_buf_take(&text, t->arena);
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool add_file(files *f, const cv_doc *doc, cv_str name, cv_err *err)
{
    cv_str text;
    if (!render(f->t, doc, &text, err))
        return false;
    cv_where where = cv_where_printf(f->call->arena, f->folder, "%.*s", CV_FMT(name));
    *CV_PUSH(f->call->arena, &f->outputs) = (output){name, where, text};
    return true;
}

static bool add_files(files *f, cv_err *err)
{
    cv_arena *a = f->call->arena;
    cv_transcript *t = f->t;
    cv_doc doc;
    cv_transcript_doc(t, &doc);
    if (!add_file(f, &doc, cv_arena_printf(a, "%.*s.dialogue.md", CV_FMT(t->s.id)), err))
        return false;
    cv_transcript_scoreboard(t, &doc);
    if (!add_file(f, &doc, CV_STR("scoreboard.md"), err))
        return false;
    cv_transcript_tensions(t, &doc);
    if (!add_file(f, &doc, CV_STR("tensions.md"), err))
        return false;
    for (int64_t round = 0; round <= t->last; round++) {
        cv_transcript_summary(t, round, &doc);
        if (!add_file(f, &doc, cv_arena_printf(a, "round-%lld.summary.md", (long long)round), err))
            return false;
    }
    cv_transcript_verdicts(t, &doc);
    return doc.sections.count == 0 || add_file(f, &doc, CV_STR("verdict.md"), err);
}

/* It names the state of the record that it was made from. */
static bool is_transcript(cv_arena *a, cv_str text)
{
    cv_doc doc;
    cv_doc_parse(a, cv_str_head(text, cv_str_find(text, CV_STR("\n## "))), &doc, NULL);
    return cv_str_starts(cv_doc_meta(&doc, cv_transcript_record_key), CV_STR("rev "));
}

static bool is_ours(void *ctx, cv_str text, bool unmarked)
{
    const files *f = ctx;
    return cv_destination_forced(f->call) || (unmarked && is_transcript(f->call->arena, text));
}

/* Ours, or nobody's. */
static bool may_replace(const files *f, cv_where where, cv_err *err)
{
    cv_arena *a = f->call->arena;
    struct stat st;
    cv_str found;
    if (!cv_where_look(where, &st) || !S_ISREG(st.st_mode) || st.st_size == 0)
        return true; /* nothing there, or the writer will say why it cannot be written */
    if (cv_destination_forced(f->call))
        return true;
    if (!cv_file_read_at(a, where, CV_MAX_FILE_BYTES, &found, err))
        return false;
    if (is_transcript(a, found))
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "'%s' was written by somebody else", cv_where_path(a, where));
    cv_err_value(err, cv_str_of(cv_where_path(a, where)));
    cv_err_suggest(err, f->call->confined ? cv_destination_advice(f->call)
                                          : CV_STR("keep it under another name, or replace it with 'force'"));
    return false;
}

static bool write_files(files *f, cv_err *err)
{
    cv_file_rules rules = {.arena = f->call->arena, .is_ours = is_ours, .ctx = f};
    bool ok = true;
    for (size_t i = 0; i < f->outputs.count; i++)
        if (!may_replace(f, f->outputs.items[i].where, err))
            return false;
    for (size_t i = 0; ok && i < f->outputs.count; i++)
        ok = cv_dialogue_file_write(f->outputs.items[i].where, f->outputs.items[i].text, &rules, err);
    cv_dialogue_file_warn(f->call, &rules, (cv_str){NULL, 0}, &f->warnings);
    return ok;
}

/* A folder that a user named is a root for the files that go into it. */
static bool choose_folder(files *f, cv_err *err)
{
    cv_str given = cv_json_get_text(f->call->input, "output_dir");
    if (!given.p)
        return cv_dialogue_folder(f->call, &f->t->s, &f->folder, err);
    if (cv_destination_where(f->call, given, &f->folder, err)) {
        if (!f->folder.root)
            f->folder = (cv_where){f->folder.path, ""};
        return true;
    }
    cv_err_field(err, CV_STR("output_dir"));
    return false;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str id;
    int64_t rev, rounds;
    cv_str markdown;
    cv_str folder, *names;
    size_t count;
    cv_notices warnings;
} transcript_answer;

#define CV_THIS_TYPE transcript_answer
const cv_shape cv_transcript_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_NUMBER(ALWAYS, "rev", rev, 1, CV_NO_LIMIT, "the state of the record that it shows"),
    CV_NUMBER(ALWAYS, "rounds", rounds, 0, 100, "how many it shows"),
    CV_DOCUMENT(markdown, "the document, when no files are written"),
    CV_FIELD(IF_ANY, folder, "where the files are"),
    CV_LIST_(TEXTS, CV_IF_ANY, false, "files", names, count, NULL, "their names"),
    CV_WARNINGS_IF_ANY(warnings, "files of others, kept under another name"),
    {0},
};
#undef CV_THIS_TYPE

static void write_answer(cv_call *call, const cv_transcript *t, transcript_answer answer)
{
    answer.id = t->s.id;
    answer.rev = t->s.position.rev;
    answer.rounds = t->last + 1;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_transcript_shape, &answer);
}

static bool answer_text(cv_call *call, cv_transcript *t, cv_err *err)
{
    cv_doc doc;
    transcript_answer answer = {0};
    cv_transcript_doc(t, &doc);
    if (!render(t, &doc, &answer.markdown, err))
        return false;
    write_answer(call, t, answer);
    return true;
}

static bool answer_files(cv_call *call, cv_transcript *t, cv_err *err)
{
    files f = {.call = call, .t = t};
    if (!choose_folder(&f, err) || !add_files(&f, err) || !write_files(&f, err))
        return false;
    cv_str *names = CV_NEW_ARRAY(call->arena, f.outputs.count, cv_str);
    for (size_t i = 0; i < f.outputs.count; i++)
        names[i] = f.outputs.items[i].name;
    write_answer(call, t,
                 (transcript_answer){.folder = cv_str_of(cv_where_path(call->arena, f.folder)),
                                     .names = names,
                                     .count = f.outputs.count,
                                     .warnings = f.warnings});
    return true;
}

/* A part of a dialogue under the name of the whole would mislead a reader. */
static bool check_wish(bool write, int64_t round, cv_err *err)
{
    if (!write || round == CV_ABSENT)
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "files are written of the whole dialogue only");
    cv_err_field(err, CV_STR("round"));
    cv_err_suggest(err, CV_STR("leave out write and output_dir, or round"));
    return false;
}

bool cv_dialogue_transcript(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_transcript *t = CV_NEW(call->arena, cv_transcript);
    int64_t round = cv_json_get_int(call->input, "round", CV_ABSENT);
    bool write = cv_json_get_true(call->input, "write") || cv_json_get(call->input, CV_STR("output_dir"));
    bool done = check_wish(write, round, &err) &&
                cv_transcript_load(call, cv_json_get_text(call->input, "dialogue_id"), round, t, &err) &&
                (write ? answer_files(call, t, &err) : answer_text(call, t, &err));
    return done || cv_call_fail(call, &err);
}
