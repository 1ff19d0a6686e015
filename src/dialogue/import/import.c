/* import.c - dialogues from files; see find.h, script.h, import_script.h, put_export.h and report.h for the steps.
 *
 *     paths -> dialogues and their files -> scripts -> requests -> report
 *
 * One dialogue after the other, each in memory of its own; what fails in one does not touch the next. A dry run does
 * all of it on a copy of the record in memory (kit/import.h): so its report is the report.
 */
#include "base/file.h"
#include "dialogue/faults.h"
#include "dialogue/files.h"
#include "dialogue/import/dates.h"
#include "dialogue/import/find.h"
#include "dialogue/import/full_dialogue.h"
#include "dialogue/import/import_script.h"
#include "dialogue/import/put_export.h"
#include "dialogue/import/report.h"
#include "dialogue/room.h"
#include "dialogue/text/mark.h"

typedef struct {
    cv_call *call;
    cv_record *record; /* the record, or a copy of it */
    cv_str title;      /* asked for; empty: as the files say */
    cv_report report;
} importing;

/* ---- reading the files of a dialogue ----------------------------------------------------------------------------- */

typedef struct {
    cv_script *s;
    const cv_import_source *file;
    size_t sheet;
    cv_str text;
    cv_json json;
} reading;

static cv_str base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return cv_str_of(slash ? slash + 1 : path);
}

/* "# Muffin - Round 2 (Data Modeling Specialist)": the role, when the heading is about the speaker. */
static cv_str role_in_heading(cv_arena *a, cv_str text, cv_str speaker)
{
    cv_str rest = text, line;
    cv_str_split(&rest, '\n', &line);
    size_t open = cv_str_find_char(line, '('), close = cv_str_find_char(line, ')');
    cv_str lower = cv_agent_key(a, cv_str_head(line, open));
    if (!cv_str_starts(line, CV_STR("#")) || open == SIZE_MAX || close == SIZE_MAX || close < open ||
        cv_str_find(lower, cv_agent_key(a, speaker)) == SIZE_MAX)
        return CV_STR("");
    static const cv_str others[] = {CV_STR_INIT("round"),   CV_STR_INIT("converge"), CV_STR_INIT("final"),
                                    CV_STR_INIT("opening"), CV_STR_INIT("closing"),  CV_STR_INIT("response"),
                                    CV_STR_INIT("revised"), CV_STR_INIT("position"), CV_STR_INIT("continued"),
                                    CV_STR_INIT("refine")};
    cv_str role = cv_str_head(cv_str_from(line, open + 1), close - open - 1);
    for (size_t i = 0; i < CV_COUNT(others); i++)
        if (cv_str_starts_nocase(role, others[i])) /* "(Convergence)" is what the response is, not who wrote it */
            return CV_STR("");
    return role;
}

/* Files beside the responses that are nobody's, in folders without a panel file. */
static bool is_nobodys(cv_str stem)
{
    static const cv_str names[] = {CV_STR_INIT("context-brief"), CV_STR_INIT("context"),      CV_STR_INIT("brief"),
                                   CV_STR_INIT("background"),    CV_STR_INIT("notes"),        CV_STR_INIT("readme"),
                                   CV_STR_INIT("agenda"),        CV_STR_INIT("instructions"), CV_STR_INIT("questions"),
                                   CV_STR_INIT("convergence"),   CV_STR_INIT("index")};
    return cv_words_find((cv_words){names, CV_COUNT(names)}, stem) >= 0;
}

/* Panel files decide: that of the round, else any. */
static bool is_expert(const cv_script *s, const cv_import_act *act, cv_str speaker)
{
    size_t participant = cv_script_known(s, speaker);
    if (!s->has_panels)
        return !is_nobodys(speaker);
    for (size_t i = 0; act->panel.count && i < act->panel.count; i++)
        if (act->panel.items[i] == participant)
            return true;
    return act->panel.count == 0 && participant < s->participants.count;
}

static void read_response(reading *r)
{
    cv_script *s = r->s;
    cv_import_act *act = cv_script_act(s, r->file->round - s->base, r->sheet, 0);
    if (act && !cv_script_is_judge(r->file->speaker) && !is_expert(s, act, r->file->speaker)) {
        cv_script_decide(s, r->sheet, 0, "'%.*s' is not on the panel: kept as background",
                         CV_FMT(cv_excerpt(s->arena, r->file->speaker)));
        cv_script_keep(s, base_name(r->file->path), r->text);
        cv_script_tables(s, r->text, r->sheet, r->file->round - s->base);
        return;
    }
    size_t known = cv_script_known(s, r->file->speaker);
    cv_str name = s->has_panels && known < s->participants.count ? s->participants.items[known].name : r->file->speaker;
    size_t participant =
        cv_script_participant(s, name, role_in_heading(s->arena, r->text, r->file->speaker), r->sheet, 1);
    if (act && participant < s->participants.count)
        cv_script_say(s, act, participant, r->sheet, 1, r->text);
    else if (act)
        cv_script_note(s, act, r->text);
}

static void read_summary(reading *r)
{
    int round = r->file->round - r->s->base;
    cv_import_act *act = cv_script_act(r->s, round, r->sheet, 0);
    if (!act)
        return;
    cv_script_note(r->s, act, r->text);
    cv_script_tables(r->s, r->text, r->sheet, round);
    cv_script_endings(r->s, r->sheet, r->text, 1);
}

/* Does a file of tables say something beside them? */
static bool has_prose(cv_str text)
{
    cv_lines lines = {.text = text};
    for (cv_line line; cv_lines_next(&lines, &line);)
        if (line.trimmed.n > 0 && line.kind != CV_LINE_TABLE_ROW && line.level == 0 && !line.rule)
            return true;
    return false;
}

static void read_tables(reading *r)
{
    int round = r->file->round < 0 ? -1 : r->file->round - r->s->base;
    bool read = cv_script_tables(r->s, r->text, r->sheet, round) ||
                (r->file->role == CV_ROLE_TENSIONS && cv_script_list(r->s, r->text, r->sheet, 1, round));
    if (!read)
        cv_script_decide(r->s, r->sheet, 0, "no table in it is a scoreboard or a tracker: kept as background");
    if (!read || has_prose(r->text))
        cv_script_keep(r->s, base_name(r->file->path), r->text);
}

static void read_verdict(reading *r)
{
    cv_script_ending(r->s, CV_STR("Verdict"), r->text, r->sheet, 1, true);
    cv_script_tables(r->s, r->text, r->sheet, -1);
}

static void read_background(reading *r)
{
    cv_script_keep(r->s, base_name(r->file->path), r->text);
    cv_script_tables(r->s, r->text, r->sheet, -1);
}

static void read_document(reading *r)
{
    cv_script_read_doc(r->s, r->sheet, r->text);
}

static void read_pool(reading *r)
{
    cv_script_read_pool(r->s, r->sheet, &r->json);
}

static void read_panel(reading *r)
{
    cv_script_read_panel(r->s, r->sheet, r->file->round < 0 ? 0 : r->file->round - r->s->base, &r->json);
}

/* JSON beside a dialogue's files that is none of them: what it is instead. Only the names of members are looked at: the
 * answer is told to people, nothing is decided by it. */
#define REQUEST(verb)                                                                                                  \
    CV_STR_INIT("a request for 'conclave dialogue " verb "', not a file of a dialogue: give it to that command with "  \
                "--data")

/* What has all of these members is this; the first row that fits counts. */
static const struct {
    const char *members[2];
    cv_str why;
} known[] = {
    {{"experts", NULL}, CV_STR_INIT("an expert pool without a dialogue")},
    {{"expert_pool", NULL}, REQUEST("create")},
    {{"verdict_id", "verdict_type"}, REQUEST("verdict-register")},
    {{"round", "score"}, REQUEST("round-register")},
    {{"score", "expert_scores"}, REQUEST("round-register")},
    {{"expert_slug", "role"}, REQUEST("expert-create")},
    {{"role", "tier"}, REQUEST("expert-create")},
    {{"updates", NULL}, REQUEST("update")},
    {{"panel", NULL}, REQUEST("evolve-panel")},
    {{"title", "question"}, REQUEST("create")},
};

static bool has(const cv_json *document, const char *member)
{
    return !member || cv_json_get(document, cv_str_of(member));
}

static cv_str why_foreign(const cv_json *document)
{
    for (size_t i = 0; i < CV_COUNT(known); i++)
        if (has(document, known[i].members[0]) && has(document, known[i].members[1]))
            return known[i].why;
    return CV_STR("JSON of another kind");
}

static void pass_over(reading *r)
{
    r->s->sheets.items[r->sheet].why =
        r->file->role >= CV_ROLE_PROMPT ? CV_STR("counted only: it has no contribution") : why_foreign(&r->json);
}

static const struct {
    void (*read)(reading *r);
    bool is_json;
} readers[CV_ROLE_COUNT] = {
    [CV_ROLE_EXPORT] = {pass_over, true},
    [CV_ROLE_POOL] = {read_pool, true},
    [CV_ROLE_PANEL] = {read_panel, true},
    [CV_ROLE_RESPONSE] = {read_response, false},
    [CV_ROLE_SUMMARY] = {read_summary, false},
    [CV_ROLE_BOARD] = {read_tables, false},
    [CV_ROLE_TENSIONS] = {read_tables, false},
    [CV_ROLE_VERDICT] = {read_verdict, false},
    [CV_ROLE_BACKGROUND] = {read_background, false},
    [CV_ROLE_DOCUMENT] = {read_document, false},
    [CV_ROLE_DATA] = {pass_over, true},
    [CV_ROLE_PROMPT] = {pass_over, false},
    [CV_ROLE_CONTEXT] = {pass_over, true},
};

static size_t add_sheet(cv_script *s, const cv_import_source *file)
{
    cv_str name = cv_str_of(file->path), folder = cv_arena_printf(s->arena, "%.*s/", CV_FMT(s->key));
    size_t at = cv_str_find(name, folder);
    *CV_PUSH(s->arena, &s->sheets) =
        (cv_sheet){.name = name,
                   .brief = at == SIZE_MAX ? base_name(file->path) : cv_str_from(name, at + folder.n),
                   .role = cv_file_roles.items[file->role]};
    return s->sheets.count - 1;
}

/* JSON as documentation prints it has comments: blanks in their place. False: there are none. */
static bool without_comments(cv_arena *a, cv_str text, cv_str *ret_text)
{
    char *to = cv_arena_copy_z(a, text);
    bool quoted = false, any = false;
    for (size_t i = 0; i < text.n; i++) {
        if (quoted && to[i] == '\\')
            i++;
        else if (to[i] == '"')
            quoted = !quoted;
        else if (!quoted && to[i] == '/' && i + 1 < text.n && to[i + 1] == '/')
            for (any = true; i < text.n && to[i] != '\n'; i++)
                to[i] = ' ';
    }
    *ret_text = (cv_str){to, text.n};
    return any;
}

/* The bytes, and the JSON that they are; false: the sheet says why not. */
static bool open_file(reading *r, cv_err *err)
{
    cv_err first = {.arena = r->s->arena};
    cv_str plain;
    if (!cv_file_read_text_at(r->s->arena, r->file->where, &r->text, err))
        return false;
    if (!readers[r->file->role].is_json || cv_json_parse(r->s->arena, r->text, &r->json, err))
        return true;
    return without_comments(r->s->arena, r->text, &plain) && cv_json_parse(r->s->arena, plain, &r->json, &first);
}

/* Rounds of a folder may be numbered from 1. */
static int base_of(const cv_import_found *found)
{
    int first = -1;
    for (size_t i = 0; i < found->files.count; i++) {
        int round = found->files.items[i].round;
        if (round >= 0 && (first < 0 || round < first))
            first = round;
    }
    return first == 1 ? 1 : 0;
}

static void read_files(const cv_import_found *found, cv_script *s, cv_remarks *failures)
{
    s->base = base_of(found);
    if (s->base)
        cv_script_decide(s, CV_NO_SHEET, 0, "its rounds begin with 1: round 1 is recorded as round 0");
    for (size_t i = 0; i < found->files.count; i++) {
        reading r = {.s = s, .file = &found->files.items[i], .sheet = add_sheet(s, &found->files.items[i])};
        cv_err err = {.arena = s->arena};
        if (open_file(&r, &err)) {
            readers[r.file->role].read(&r);
            continue;
        }
        s->sheets.items[r.sheet].why = cv_err_text(&err);
        s->sheets.items[r.sheet].failed = true;
        *CV_PUSH(s->arena, failures) = (cv_remark){r.sheet, err.line, CV_STR(""), err.message};
    }
}

/* ---- exports ----------------------------------------------------------------------------------------------------- */

static void tally_rows(const cv_import_changes *rows, cv_import_tally *tally)
{
    const cv_rec_entity *entities = rows->items[CV_REC_ENTITY];
    tally->agents = rows->counts[CV_REC_EXPERT];
    tally->rounds = rows->counts[CV_REC_ROUND];
    tally->responses = rows->counts[CV_REC_RESPONSE];
    tally->references = rows->counts[CV_REC_REFERENCE];
    tally->moves = rows->counts[CV_REC_MOVE];
    tally->scores = rows->counts[CV_REC_SCORE];
    tally->verdicts = rows->counts[CV_REC_VERDICT];
    for (size_t i = 0; i < rows->counts[CV_REC_ENTITY]; i++) {
        int kind = entities[i].kind.n == 1 ? cv_kind_of_letter(entities[i].kind.p[0]) : -1;
        if (kind >= 0)
            tally->entities[kind]++;
    }
}

/* The author of an export does not decide where this project writes (dialogue/files.h). */
static void note_output_dir(cv_script *s, const reading *r, const cv_put_dialogue *put)
{
    const cv_rec_dialogue *row = put->rows.items[CV_REC_DIALOGUE];
    cv_str usual = cv_arena_printf(s->arena, CV_DIALOGUES_FOLDER "/%.*s", CV_FMT(put->dialogue_id));
    if (row->output_dir.n && !cv_str_eq(row->output_dir, usual))
        cv_script_decide(s, r->sheet, 0, "its output_dir '%.*s' is not used here: its files go to %.*s",
                         CV_FMT(cv_excerpt(s->arena, row->output_dir)), CV_FMT(usual));
}

static void put_one(importing *im, cv_script *s, reading *r)
{
    static const cv_import_outcome outcomes[] = {[CV_PUT_DONE] = CV_OUTCOME_IMPORTED,
                                                 [CV_PUT_THERE] = CV_OUTCOME_UNCHANGED,
                                                 [CV_PUT_CONFLICT] = CV_OUTCOME_CONFLICT,
                                                 [CV_PUT_REFUSED] = CV_OUTCOME_FAILED};
    cv_call own = *im->call;
    cv_put_dialogue put;
    cv_errs errs = {0};
    cv_imported imported = {0};
    own.record = im->record;
    cv_put_result result = cv_put_export(&own, s->arena, r->text, &r->json, &put, &errs);
    for (size_t i = 0; i < errs.count; i++)
        *CV_PUSH(s->arena, result == CV_PUT_CONFLICT ? &imported.conflicts : &imported.failures) =
            (cv_remark){r->sheet, 0, errs.items[i].field, errs.items[i].message};
    s->title = put.title;
    if (result == CV_PUT_DONE)
        note_output_dir(s, r, &put);
    imported.dialogue_id = put.dialogue_id;
    imported.rev = result <= CV_PUT_THERE ? put.rev : 0;
    if (result <= CV_PUT_THERE)
        tally_rows(&put.rows, &s->sheets.items[r->sheet].tally);
    cv_report_dialogue(&im->report, s, &imported, outcomes[result], (cv_str){NULL, 0});
}

/* An export holds all that the other files of its folder hold. */
static bool import_export(importing *im, const cv_import_found *found, cv_script *s)
{
    for (size_t i = 0; i < found->files.count; i++) {
        const cv_import_source *file = &found->files.items[i];
        reading r = {.s = s, .file = file};
        cv_err err = {.arena = s->arena};
        if ((file->role != CV_ROLE_EXPORT && file->role != CV_ROLE_DATA) || !open_file(&r, &err) ||
            !cv_put_export_fits(&r.json))
            continue;
        for (size_t k = 0; k < found->files.count; k++) {
            size_t sheet = add_sheet(s, &found->files.items[k]);
            if (k == i)
                r.sheet = sheet;
            else
                s->sheets.items[sheet].why = CV_STR("the export beside it has the whole dialogue");
        }
        put_one(im, s, &r);
        return true;
    }
    return false;
}

/* ---- one dialogue ------------------------------------------------------------------------------------------------ */

static cv_import_outcome outcome_of(const cv_imported *imported, bool imported_well)
{
    if (!imported_well || imported->failures.count)
        return CV_OUTCOME_FAILED;
    if (imported->conflicts.count)
        return CV_OUTCOME_CONFLICT;
    if (imported->written == 0)
        return CV_OUTCOME_UNCHANGED;
    return imported->replayed ? CV_OUTCOME_CONTINUED : CV_OUTCOME_IMPORTED;
}

static void import_files(importing *im, const cv_import_found *found, cv_script *s)
{
    cv_remarks failures = {0};
    cv_imported imported = {0};
    s->date_ms = cv_date_find(s->arena, cv_str_head(found->key, cv_date_prefix(found->key)));
    read_files(found, s, &failures);
    if (im->title.n)
        s->title = im->title;
    if (s->participants.count == 0) {
        cv_str why = s->sheets.count == 1 ? s->sheets.items[0].why : (cv_str){NULL, 0};
        imported.failures = failures;
        cv_report_dialogue(&im->report, s, &imported, failures.count ? CV_OUTCOME_FAILED : CV_OUTCOME_SKIPPED,
                           why.n ? why : CV_STR("nobody takes part in it: not a dialogue, or an empty template"));
        return;
    }
    bool well = cv_script_import(im->call, im->record, s, &imported);
    well = (!imported.dialogue_id.n || cv_script_compare(im->call, im->record, s, &imported)) && well;
    for (size_t i = 0; i < failures.count; i++)
        *CV_PUSH(s->arena, &imported.failures) = failures.items[i];
    cv_report_dialogue(&im->report, s, &imported, outcome_of(&imported, well), (cv_str){NULL, 0});
}

/* ---- files that tell everything ---------------------------------------------------------------------------------- */

static bool tells_everything(reading *r)
{
    cv_err err = {.arena = r->s->arena};
    bool document = r->file->role == CV_ROLE_DOCUMENT || r->file->role == CV_ROLE_BACKGROUND;
    bool json = r->file->role == CV_ROLE_EXPORT || r->file->role == CV_ROLE_DATA;
    if (!(document || json) || !open_file(r, &err))
        return false;
    return json ? cv_full_is_json(&r->json) : cv_full_is_transcript(r->s->arena, r->text);
}

/* A transcript, or a dialogue.json without a record, holds what the other files of its folder hold. */
static bool import_full(importing *im, const cv_import_found *found, cv_script *s)
{
    for (size_t i = 0; i < found->files.count; i++) {
        reading r = {.s = s, .file = &found->files.items[i]};
        if (!tells_everything(&r))
            continue;
        bool transcript = !readers[r.file->role].is_json;
        cv_full_dialogue *t = CV_NEW(s->arena, cv_full_dialogue);
        cv_imported imported = {0};
        *t = (cv_full_dialogue){.s = s};
        for (size_t k = 0; k < found->files.count; k++) {
            size_t sheet = add_sheet(s, &found->files.items[k]);
            if (k == i)
                t->sheet = sheet;
            else
                s->sheets.items[sheet].why = transcript ? CV_STR("the transcript beside it has the whole dialogue")
                                                        : CV_STR("the dialogue.json beside it has the whole dialogue");
        }
        if (transcript)
            cv_full_read_transcript(t, r.text);
        else
            cv_full_read_json(t, &r.json);
        s->title = im->title.n ? im->title : s->title;
        bool well = cv_full_import(im->call, im->record, t, &imported);
        if (imported.dialogue_id.n && transcript)
            well = cv_full_compare(im->call, im->record, t, r.text, &imported) && well;
        else if (imported.dialogue_id.n)
            well = cv_full_compare_json(im->call, im->record, t, &imported) && well;
        if (transcript)
            cv_full_tell_limits(t);
        cv_report_dialogue(&im->report, s, &imported, outcome_of(&imported, well), (cv_str){NULL, 0});
        return true;
    }
    return false;
}

static void import_one(importing *im, const cv_import_found *found)
{
    cv_arena arena = {0};
    cv_script *s = CV_NEW(&arena, cv_script);
    s->arena = &arena;
    s->key = found->key;
    s->date_ms = CV_ABSENT;
    if (!import_export(im, found, s) && !import_full(im, found, s))
        import_files(im, found, s);
    cv_arena_release(&arena);
}

static void report_trouble(importing *im, const cv_err *err)
{
    cv_arena arena = {0};
    cv_script *s = CV_NEW(&arena, cv_script);
    cv_imported nothing = {0};
    s->arena = &arena;
    s->key = err->file;
    cv_report_dialogue(&im->report, s, &nothing, CV_OUTCOME_FAILED, err->message);
    cv_arena_release(&arena);
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

static bool run(importing *im, const cv_finds *finds, cv_err *err)
{
    for (size_t i = 0; i < finds->dialogues.count; i++) {
        if (!cv_call_tell(im->call, i, finds->dialogues.count, finds->dialogues.items[i].key, err))
            return false;
        import_one(im, &finds->dialogues.items[i]);
    }
    for (size_t i = 0; i < finds->troubles.count; i++)
        report_trouble(im, &finds->troubles.items[i]);
    cv_report_end(&im->report);
    return true;
}

bool cv_dialogue_import(cv_import *import)
{
    cv_call *call = import->call;
    importing im = {.call = call,
                    .record = import->record,
                    .title = cv_json_get_text(call->input, "title"),
                    .report = {.import = import}};
    cv_finds finds;
    cv_err err = {.arena = call->arena};
    cv_find_dialogues(call->arena, import->paths, import->count, &finds);
    if (im.title.n && finds.dialogues.count > 1) {
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "title", im.title,
                                 "%zu dialogues would get this title", finds.dialogues.count),
                       CV_STR("name one dialogue, or leave the title out"));
        return false;
    }
    import->ignored = finds.ignored;
    return run(&im, &finds, &err) || cv_call_fail(call, &err);
}

/* ---- is it ours? ------------------------------------------------------------------------------------------------- */

static bool is_export(cv_arena *a, const cv_import_source *file)
{
    cv_err not_ours = {.arena = a};
    cv_str text;
    cv_json json;
    if (file->role != CV_ROLE_DATA || !cv_file_read_text_at(a, file->where, &text, &not_ours))
        return false;
    bool parsed = cv_json_parse(a, text, &json, &not_ours) ||
                  (without_comments(a, text, &text) && cv_json_parse(a, text, &json, &not_ours));
    return parsed && (cv_put_export_fits(&json) || cv_full_is_json(&json));
}

/* Folders and documents are known by their names, a file that is named also by what an export says of itself. Any other
 * markdown may be a dialogue. */
cv_import_fit cv_dialogue_import_fit(cv_arena *a, cv_where path)
{
    cv_finds finds;
    cv_find_dialogues(a, &path, 1, &finds);
    for (size_t i = 0; i < finds.dialogues.count; i++) {
        const cv_import_found *found = &finds.dialogues.items[i];
        if (found->is_folder || (finds.dialogues.count == 1 && is_export(a, &found->files.items[0])))
            return CV_FIT_OWN;
        for (size_t k = 0; k < found->files.count; k++)
            if (cv_is_document_name(base_name(found->files.items[k].path)))
                return CV_FIT_OWN;
    }
    return CV_FIT_PERHAPS;
}
