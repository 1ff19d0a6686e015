/* room.c - the notes room's descriptor: what its other tables do not say; see kit/room.h. */
#include "notes/room.h"

#include "notes/skill.h"
#include "notes/types.h"
#include "notes/words/errors.h"

static const cv_topic topics[] = {{"dialogs", cv_notes_print_topic}, {0}};
static const cv_skill skills[] = {{"conclave-notes", cv_notes_print_skill}, {0}};

/* ---- what can be read under a URI -------------------------------------------------------------------------------- */

static cv_str quoted(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_json_str(&(cv_json_writer){.out = &out}, text);
    return cv_buf_take(&out, a);
}

static bool read_for(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    return cv_ask(asker, "notes list",
                  cv_arena_printf(asker->arena, "{\"for\":%.*s}", CV_FMT(quoted(asker->arena, values[0]))), ret_text,
                  err);
}

static int64_t rev_of_log(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    cv_err err = {.arena = a};
    cv_scope_position at = {0};
    (void)root, (void)values;
    bool ok = record->calls->begin(record, a, cv_notes_scope(), &at, &err);
    record->calls->end(record);
    return ok ? at.rev : -1;
}

static const cv_resource resources[] = {
    {"conclave://notes/for/{name}", "notes for", "The notes that are addressed to an agent, or to everyone",
     "application/json", read_for, rev_of_log, NULL},
    {0},
};

/* ---- files that are behind the log ------------------------------------------------------------------------------- */

static bool count_intent(void *ctx, const cv_intent *intent, cv_err *err)
{
    (void)intent, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static bool in_use(cv_record *record, cv_arena *a, const char *root)
{
    return rev_of_log(record, a, root, NULL) > 0;
}

static void examine(cv_doctor *d)
{
    size_t left = 0;
    cv_err err = {.arena = d->call.arena};
    if (!cv_intent_each(d->call.record, d->call.arena, cv_notes_scope(), &cv_note_intent_type, count_intent, &left,
                        &err))
        cv_doctor_fail(d, "notes", CV_DOCTOR_ERROR, &err);
    else if (left)
        cv_doctor_say(d, "notes", CV_DOCTOR_WARNING, "%zu change%s of files did not reach their files", left,
                      left == 1 ? "" : "s")
            ->remedy = CV_STR("conclave notes repair");
    else if (in_use(d->call.record, d->call.arena, d->call.root))
        cv_doctor_say(d, "notes", CV_DOCTOR_OK, "every change that was logged is in its file");
}

const cv_room cv_room_notes = {
    .name = "notes",
    .summary = "header dialogs and margin notes in files, checked and logged",
    .details =
        "Agents say in the header of a file what they changed, and leave notes in its margin: in front matter, or in\n"
        "comments. The files are the truth; the record is the log of everything that was said ('conclave help\n"
        "dialogs' has the format).\n",
    .instructions =
        "Notes in files: conclave_notes_list (for: your name) shows what is addressed to you; conclave_notes_add "
        "leaves a note in a file that you read; conclave_notes_header says what you changed, with content in one "
        "step; conclave_notes_create makes a file with its header. Never change or remove notes of others.",
    .example = "  conclave notes list --for KIRO\n",
    .ops = cv_notes_ops,
    .records = &cv_notes_records,
    .codes = cv_notes_codes,
    .resources = resources,
    .skills = skills,
    .topics = topics,
    .scope = {.one = "log of notes", .many = "logs of notes"},
    .statuses = {.good = " current ", .pending = " replaced ", .bad = " gone withdrawn "},
    .doctor = examine,
    .in_use = in_use,
};
