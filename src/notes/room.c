/* room.c - the notes room's descriptor: what its other tables do not say; see kit/room.h. */
#include "notes/room.h"

#include "kit/scopes.h"
#include "notes/skill.h"
#include "notes/types.h"
#include "notes/words/errors.h"

static const cv_topic topics[] = {{"dialogs", cv_notes_print_topic}, {0}};
static const cv_skill skills[] = {{"conclave-notes", cv_notes_print_skill}, {0}};

/* ---- what can be read under a URI -------------------------------------------------------------------------------- */

static const cv_resource resources[] = {
    {.uri = "conclave://notes/for/{name}",
     .name = "notes for",
     .about = "The notes that are addressed to an agent, or to everyone",
     .type = "application/json",
     .operation = "notes list",
     .field = "for",
     .changes = CV_CHANGES_WITH_ROOM},
    {0},
};

/* ---- files that are behind the log ------------------------------------------------------------------------------- */

static bool count_intent(void *ctx, const cv_intent *intent, cv_err *err)
{
    (void)intent, (void)err;
    ++*(size_t *)ctx;
    return true;
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
                      CV_PLURAL(left))
            ->remedy = CV_STR("conclave notes repair");
    else if (cv_scope_rev(d->call.record, d->call.arena, cv_notes_scope()) > 0)
        cv_doctor_say(d, "notes", CV_DOCTOR_OK, "every change that was logged is in its file");
}

/* ---- the annotated files ----------------------------------------------------------------------------------------- */

typedef struct {
    cv_call *call;
    cv_room_files *files;
    cv_str last; /* path */
} listing;

static bool add_file(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    listing *l = ctx;
    (void)scope, (void)err;
    cv_arena *a = l->call->arena;
    const cv_note_row *note = row;
    if (cv_str_eq(l->last, note->path)) /* rows of one file follow each other */
        return true;
    l->last = cv_arena_copy(a, note->path);
    *CV_PUSH(a, l->files) = (cv_room_file){{l->call->root, cv_arena_copy_z(a, l->last)}, .only_named = true};
    return true;
}

/* Every file of which the log has a message. They are source files and texts of people. */
static bool files_of(cv_call *call, cv_str scope, cv_room_files *files, cv_err *err)
{
    const cv_find find = {.type = &cv_note_row_type, .scope = {CV_STR("notes"), scope}, .outline = true};
    listing l = {.call = call, .files = files};
    return call->record->calls->find(call->record, &find, add_file, &l, err);
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
        "step. Never change or remove notes of others.",
    .examples = "  conclave notes list --for KIRO\n",
    .ops = cv_notes_ops,
    .records = &cv_notes_records,
    .codes = cv_notes_codes,
    .resources = resources,
    .skills = skills,
    .topics = topics,
    .scope = {.one = "log of notes", .many = "logs of notes"},
    .statuses = {.good = " current ", .pending = " replaced ", .bad = " gone withdrawn "},
    .doctor = examine,
    .scope_files = files_of,
    .files_are_truth = true,
};
