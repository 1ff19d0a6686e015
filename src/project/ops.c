/* ops.c - what can be asked about a project and its record as a whole; see room.h. */
#include "project/operations.h"
#include "project/project.h"
#include "project/room.h"

enum {
    READS = CV_OP_STORE | CV_OP_IDEMPOTENT,
    WRITES = CV_OP_STORE | CV_OP_WRITES | CV_OP_IDEMPOTENT,
    LOOKS = READS | CV_OP_REGRESSED,
    FILES = CV_OP_FILES,
};

static const cv_operation rows[] = {
    {.room = "",
     .verb = "init",
     .summary = "make a project: the folder .conclave with its record",
     .details = "Makes what is missing and leaves the rest alone, so you can run it again at any time. All other\n"
                "commands find the project from any folder below it. The record is left out of git by a .gitignore\n"
                "inside .conclave.\n",
     .examples = "  conclave init\n"
                 "  conclave init decisions\n"
                 "  conclave init team --store postgresql://db.example/work\n",
     .schema = "init",
     .flags = CV_OP_IDEMPOTENT | CV_OP_FILES,
     .run = cv_project_init,
     .answer = cv_init_shape},

    /* ---- from elsewhere ---- */
    {.room = "",
     .verb = "import",
     .tool = "conclave_import",
     .summary = "import files into the record: folders, documents, exports",
     .details = "Each room takes the files that are its own. The report says what was understood of every file, what\n"
                "was not and why, and which files were not used. The same files again change nothing; files that have\n"
                "changed are a conflict. The exit status is 1 when something failed or conflicts, or when there was\n"
                "nothing to import. See docs/import.md.\n",
     .room_details = cv_import_about,
     .schema = "import",
     .answer = cv_import_shape,
     .flags = WRITES,
     .run = cv_project_import},

    /* ---- what is in it ---- */
    {.room = "",
     .verb = "search",
     .tool = "conclave_search",
     .summary = "find words in everything that is kept, in all rooms",
     .details =
         "All words must occur, as they are or in another form (hedge, hedging). \"several words\" are a phrase,\n"
         "hedg* finds words that begin with it, -tax leaves out texts with the word, and OR between two words\n"
         "finds either. A hit names its room, scope, kind and id. When nothing has all the words, texts with any of\n"
         "them are shown. A room's own search may have more filters. See docs/search.md.\n",
     .examples = "  conclave search \"income collar\"\n",
     .schema = "search",
     .flags = READS | CV_OP_OF_ROOM,
     .run = cv_project_search,
     .answer = cv_search_shape},
    {.room = "",
     .verb = "feed",
     .tool = "conclave_feed",
     .summary = "list every commit of all rooms once, in the order of the record",
     .details = "A line has time, room, scope, rev, operation and who acted. The answer ends with a position: give it\n"
                "back with --after, and no commit comes twice or is left out. --wait waits until there is something,\n"
                "so a loop of 'feed --after POSITION --wait 60' follows the record. --limit 0 prints the present\n"
                "position alone. See docs/feed.md.\n",
     .examples = "  conclave feed --limit 5\n",
     .schema = "feed",
     .flags = READS | CV_OP_OF_ROOM,
     .run = cv_project_feed,
     .answer = cv_feed_shape},

    {.room = "",
     .verb = "redact",
     .summary = "replace a long text with its hash, wherever it is kept; the history still verifies",
     .details =
         "For texts that must not be kept. Name the text by room, scope, kind and id, as 'conclave search' shows them, "
         "and\n"
         "the field where there are several. Every long text of the scope that holds it is replaced, and so are\n"
         "answers and events that repeat a line of it, files below .conclave, the search index and the freed pages\n"
         "of the database. An event says who did it, when and why. The answer names what still holds the text and\n"
         "cannot be replaced. Backups are not touched. --dry-run changes nothing. See docs/redact.md.\n",
     .schema = "redact",
     .flags = WRITES | FILES,
     .run = cv_project_redact,
     .answer = cv_redact_shape},

    {.room = "",
     .verb = "export-scope",
     .summary = "write one scope of any room to a file: rows, events, hashes",
     .details =
         "The file holds everything that the record has of it, so 'conclave import-scope' puts it back in another\n"
         "project as it was. Rooms may have exports of their own for readers; this one is exact.\n",
     .schema = "export_scope",
     .flags = READS | FILES | CV_OP_LARGE,
     .run = cv_project_export_scope,
     .answer = cv_export_scope_shape},
    {.room = "",
     .verb = "import-scope",
     .summary = "put a scope back from a file of export-scope, as it was",
     .details =
         "It is verified first, in a store of its own. A scope that is here with the same history is unchanged; with\n"
         "another history it is a conflict, and nothing is written.\n",
     .examples = "  conclave import-scope scope.json\n",
     .schema = "import_scope",
     .flags = WRITES,
     .run = cv_project_import_scope,
     .answer = cv_import_scope_shape},

    /* ---- the record as a whole ---- */
    {.room = "",
     .verb = "verify",
     .tool = "conclave_verify",
     .summary = "prove that the record is whole: rows, operations, statuses, chain of events, schema",
     .details =
         "Recomputes every hash and every status from the history, in all rooms, and compares the schema, the search\n"
         "index and the last acknowledged commit. It names everything that somebody changed or cut off. If somebody\n"
         "rewrote the history with all its hashes, only a seal that you kept elsewhere shows it:\n"
         "--seal takes the line of 'conclave seal', a file with it, or - for standard input.\n"
         "--room verifies one room only, --room and --scope one of the things that it keeps.\n",
     .examples = "  conclave verify\n"
                 "  conclave verify --seal \"$(conclave seal)\"\n",
     .schema = "record_verify",
     .flags = LOOKS,
     .run = cv_record_verify,
     .answer = cv_verify_shape},
    {.room = "",
     .verb = "seal",
     .tool = "conclave_seal",
     .summary = "print one line that stands for everything written so far",
     .details =
         "Keep the line where nobody can change it together with the record: a git commit, a ticket, a letter. Later\n"
         "'conclave verify --seal' proves that nothing that was written before it has been changed, cut off or\n"
         "removed, however much was written since. Run 'conclave verify' first: a seal stands for what is there.\n",
     .examples = "  conclave seal\n"
                 "  conclave seal --json\n",
     .schema = "record_seal",
     .flags = READS,
     .run = cv_record_seal,
     .answer = cv_seal_shape},
    {.room = "",
     .verb = "accept",
     .summary = "continue with a record that has lost writes",
     .details =
         "For a record that is refused with store_regressed, when no newer copy can be put back: what was\n"
         "acknowledged and is missing is given up. --commit names the last commit that the record has, as the error\n"
         "says. Nothing in the record changes; only the watermark beside it is set. Without --commit, and where\n"
         "nothing is missing, it makes a missing watermark.\n",
     .examples = "  conclave accept\n"
                 "  conclave accept --commit 2 || echo \"the record does not end there\"\n",
     .schema = "record_accept",
     .flags = CV_OP_STORE | CV_OP_REGRESSED | FILES,
     .run = cv_record_accept,
     .answer = cv_accept_shape},
    {.room = "",
     .verb = "doctor",
     .tool = "conclave_doctor",
     .summary = "check the project: permissions, record, history, files; and say what to do",
     .details =
         "It also works if the record is damaged, locked, missing or newer than the program. Every finding says\n"
         "what to do. The exit status is 1 if there are errors. --repair does only what is safe: it removes\n"
         "leftovers of interrupted writes, writes missing files again and rebuilds the search index.\n",
     .examples = "  conclave doctor\n"
                 "  conclave doctor --repair\n",
     .schema = "record_doctor",
     .flags = CV_OP_PROJECT | CV_OP_REGRESSED | CV_OP_IDEMPOTENT | FILES,
     .run = cv_record_doctor,
     .answer = cv_doctor_shape},
    {.room = "",
     .verb = "backup",
     .tool = "conclave_backup",
     .summary = "copy the record, whole and consistent, while it is in use",
     .details = "The copy is one SQLite file, also if the record is on PostgreSQL. 'conclave restore' puts it back.\n",
     .examples = "  conclave backup backup.db\n",
     .schema = "record_backup",
     .flags = LOOKS | FILES,
     .run = cv_record_backup,
     .answer = cv_backup_shape},
    {.room = "",
     .verb = "copy",
     .summary = "copy the record to another store, and switch the project to it",
     .details = "Copies everything that the record holds, with its events and hashes, to a PostgreSQL server or back "
                "into the project's own file (the word sqlite), and verifies it there.\n"
                "A copy that is there is brought up to date: an interrupted copy continues, and the same command again "
                "keeps a\n"
                "mirror current. With --switch the project keeps its record there from then on;\n"
                "the old one stays as it was and takes no more writes. A seal of the record does not hold for the\n"
                "copy: the copy's feed has another order.\n",
     .examples = "  conclave copy --to postgresql://db.example/work\n"
                 "  conclave copy --to postgresql://db.example/work --switch\n"
                 "  conclave copy --to sqlite --switch\n",
     .schema = "record_copy",
     .flags = CV_OP_STORE | CV_OP_IDEMPOTENT | FILES,
     .run = cv_record_copy_to,
     .answer = cv_copy_shape},
    {.room = "",
     .verb = "restore",
     .summary = "replace the record with a backup; the old record is kept",
     .details = "Checks the backup first: it must open and verify. Keeps the present record, whole or damaged, as\n"
                "conclave.db.before-restore-TIME; restore that file to undo the restore. The answer names what the\n"
                "kept record has and the backup does not. You can run it while others use the record, and also when "
                "the record is missing or damaged.\n",
     .examples = "  conclave restore backup.db\n",
     .schema = "record_restore",
     .flags = CV_OP_PROJECT | FILES,
     .run = cv_record_restore,
     .answer = cv_restore_shape},
    {0},
};

enum { FOLDER_WIDTH = 19 };

static void print_files(cv_buf *out)
{
    cv_buf_add_z(out, "A project is a folder with .conclave in it ('conclave init'):\n\n"
                      "  .conclave/conclave.db          the record: everything that was said\n"
                      "  .conclave/.gitignore           leaves the record out of git\n");
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->folder)
            cv_buf_printf(out, "  .conclave/%s/%*s files of the room '%s'\n", cv_rooms[i]->folder,
                          (int)(FOLDER_WIDTH - strlen(cv_rooms[i]->folder)), "", cv_rooms[i]->name);
    cv_buf_add_z(out,
                 "\nThe project is the folder given with --root, else the one in CONCLAVE_ROOT, else the nearest one\n"
                 "from the current folder upwards. Several processes may use it at once. Files are written whole:\n"
                 "a reader sees the old one or the new one, never a part.\n");
}

static const cv_topic topics[] = {{"files", print_files}, {0}};

const cv_room cv_room_project = {
    .name = "",
    .examples = "  conclave init\n",
    .ops = rows,
    .records = &cv_project_records,
    .scope = {.one = "registry", .many = "registries"},
    .topics = topics,
};
