/* ops.c - what can be asked in the notes room: every operation exactly once; see kit/room.h. */
#include "notes/operations.h"
#include "notes/room.h"

enum {
    READS = CV_OP_STORE | CV_OP_IDEMPOTENT,
    CACHEABLE = READS | CV_OP_CACHEABLE,
    WRITES = CV_OP_STORE | CV_OP_WRITES | CV_OP_FILES,
    UNASKED = CV_OP_UNASKED,
};

const cv_operation cv_notes_ops[] = {
    /* ---- files ---- */
    {.room = "notes",
     .verb = "scan",
     .tool = "conclave_notes_scan",
     .summary = "find the dialogs in files: header dialogs and margin notes",
     .details = "Reads files and whole trees; skips what .gitignore names, vendored folders and binary files. Dialogs\n"
                "are read in front matter and in the comments of each language. Examples in code fences, strings and\n"
                "block scalars, and those with placeholders, are not dialogs; --include-fenced shows them. Nothing is\n"
                "kept: 'log' does that; so it needs no project.\n",
     .examples = "  conclave notes scan README.md\n"
                 "  conclave notes scan docs --include-fenced --json\n",
     .schema = "notes_scan",
     .flags = CV_OP_IDEMPOTENT | CV_OP_LARGE | UNASKED,
     .run = cv_notes_op_scan,
     .answer = cv_notes_scan_shape},
    {.room = "notes",
     .verb = "header",
     .tool = "conclave_notes_header",
     .summary = "say in a file's header what you changed; content makes the change as well",
     .details =
         "The dialog of the WOLFIE header is replaced: only the bytes of its values change. The previous dialog is\n"
         "archived and the new one logged, together with the file or not at all. A header that is missing is\n"
         "made, in the comment syntax of the language. Notes of others are kept: content that lacks one is\n"
         "refused. On a file that has not changed since its header dialog it needs --force. The same dialog\n"
         "again changes nothing.\n",
     .examples =
         "  conclave notes header docs/garden.md --speaker KIRO --target @everyone --message \"Adds herbs.\" --force\n",
     .schema = "notes_header",
     .flags = WRITES | CV_OP_IDEMPOTENT | UNASKED,
     .run = cv_notes_op_header,
     .answer = cv_notes_edit_shape},
    {.room = "notes",
     .verb = "add",
     .tool = "conclave_notes_add",
     .summary = "leave a note at a line or before a heading of a file",
     .details =
         "A note is a question, warning, observation or suggestion, in the comment syntax of the language. The header\n"
         "stays byte for byte, and so does every other note. A place where the note would change what the file\n"
         "means (in a string, a code fence, a comment, a table) is refused.\n",
     .examples = "  conclave notes add docs/garden.md --before \"## Herbs\" --speaker LILITH --target @KIRO --message "
                 "\"And basil?\"\n",
     .schema = "notes_add",
     .flags = WRITES | UNASKED,
     .run = cv_notes_op_add,
     .answer = cv_notes_edit_shape},
    {.room = "notes",
     .verb = "create",
     .tool = "conclave_notes_create",
     .summary = "make a file with its WOLFIE header, content and notes",
     .details = "Makes the file in one step, and logs it. The header has the signature, wolfie.headers.version and the "
                "first dialog, in the\n"
                "comment syntax of the language.\n",
     .examples = "  conclave notes create docs/pond.md --speaker KIRO --target @everyone --message \"Begins the "
                 "pond.\" --content "
                 "\"# Pond\"\n",
     .schema = "notes_create",
     .flags = WRITES,
     .run = cv_notes_op_create,
     .answer = cv_notes_edit_shape},

    /* ---- the log ---- */
    {.room = "notes",
     .verb = "log",
     .tool = "conclave_notes_log",
     .summary = "enter the dialogs of files into dialog_messages, once",
     .details =
         "Logs everything that 'scan' finds. A file that has not changed adds nothing. A message that returns after\n"
         "another one gets a new row, and so does a message that is in a file twice. Notes that vanished are marked, "
         "not\n"
         "removed. Files are never changed.\n",
     .examples = "  conclave notes log\n"
                 "  conclave notes log docs --json\n",
     .schema = "notes_log",
     .flags = CV_OP_STORE | CV_OP_WRITES | CV_OP_IDEMPOTENT,
     .run = cv_notes_op_log,
     .answer = cv_notes_log_shape},
    {.room = "notes",
     .verb = "list",
     .tool = "conclave_notes_list",
     .summary = "list what the log has: for an agent, of a speaker, in a file",
     .details =
         "Lists the dialogs that are in their files now, the newest first. --for NAME lists what is addressed to an\n"
         "agent, by any of its names or with @everyone. --all adds dialogs that were replaced or have vanished.\n",
     .examples = "  conclave notes list --for KIRO\n"
                 "  conclave notes list --speaker LILITH --kind inline\n",
     .schema = "notes_list",
     .flags = READS | UNASKED,
     .run = cv_notes_op_list,
     .answer = cv_notes_list_shape},
    {.room = "notes",
     .verb = "show",
     .tool = "conclave_notes_show",
     .summary = "show one message of the log with all of its columns",
     .details = "The columns of dialog_messages: those of the specification, and where the message comes from.\n",
     .examples = "  conclave notes show 1\n",
     .schema = "notes_show",
     .flags = READS,
     .run = cv_notes_op_show,
     .answer = cv_notes_show_shape},
    {.room = "notes",
     .verb = "history",
     .tool = "conclave_notes_history",
     .summary = "show the history of a file or of a speaker, oldest first",
     .details = "Shows every header dialog that the file had and every note in it. For those that somebody deleted or "
                "changed\n"
                "it says when, and who did it if git knows.\n",
     .examples = "  conclave notes history docs/garden.md\n"
                 "  conclave notes history --speaker KIRO\n",
     .schema = "notes_history",
     .flags = READS,
     .run = cv_notes_op_history,
     .answer = cv_notes_history_shape},
    {.room = "notes",
     .verb = "stale",
     .tool = "conclave_notes_stale",
     .summary = "list files that were changed without a new header dialog",
     .details =
         "Compares the files with a commit of git (--since, by default the last one), and with the log. The exit\n"
         "status is 1 if there are any.\n",
     .examples = "  conclave notes stale\n",
     .schema = "notes_stale",
     .flags = READS,
     .run = cv_notes_op_stale,
     .answer = cv_notes_stale_shape},
    {.room = "notes",
     .verb = "threads",
     .tool = "conclave_notes_threads",
     .summary = "list the threads with their moods, or the messages of one",
     .details = "A note is given to a thread with --thread. The mood of a thread is the mean of its messages' moods.\n",
     .examples = "  conclave notes threads\n",
     .schema = "notes_threads",
     .flags = CACHEABLE,
     .run = cv_notes_op_threads,
     .answer = cv_notes_threads_shape},
    {.room = "notes",
     .verb = "repair",
     .tool = "conclave_notes_repair",
     .summary = "finish changes of files that were interrupted",
     .details =
         "A change that was logged and did not reach its file yet is put there; where somebody else has changed the\n"
         "file meanwhile it is withdrawn. Every other command does this for the files that it uses.\n",
     .examples = "  conclave notes repair\n",
     .schema = "notes_repair",
     .flags = WRITES | CV_OP_IDEMPOTENT,
     .run = cv_notes_op_repair,
     .answer = cv_notes_repair_shape},

    /* ---- checking, taking out ---- */
    {.room = "notes",
     .verb = "lint",
     .tool = "conclave_notes_lint",
     .summary = "check the headers and dialogs of files, and fix what can be fixed",
     .details =
         "Every finding has its file, line, column, rule and hint. Profiles: core (a dialog can be read and changed\n"
         "safely), spec (what the specification demands), strict (good YAML, and what the wider doctrine wants).\n"
         "--fix quotes targets, names the mood mood_RGB and writes dates and moods in their form; nothing else of\n"
         "a file changes. --baseline FILE shows only new findings. The exit status is 1 when there are errors or\n"
         "warnings. docs/notes-lint.md has the rules.\n",
     .examples = "  conclave notes lint docs\n"
                 "  conclave notes lint docs --fix --dry-run\n"
                 "  conclave notes lint --format sarif\n",
     .schema = "notes_lint",
     .flags = CV_OP_FILES | CV_OP_IDEMPOTENT | CV_OP_LARGE,
     .run = cv_notes_op_lint,
     .answer = cv_notes_lint_shape},
    {.room = "notes",
     .verb = "extract",
     .tool = "conclave_notes_extract",
     .summary = "extract the dialogs of files, or of a thread, into one document",
     .details =
         "Prints Markdown (each with its source), JSON or YAML, the newest first, or writes it to a file. --to-db\n"
         "logs them and gives them to a thread, which must be named. Malformed and missing dialogs are reported\n"
         "and skipped. In a folder as --output, the file is called changelog_dialog.md, dialog_file_FILE.md or\n"
         "dialog_thread_NAME.md.\n",
     .examples = "  conclave notes extract --dir docs --recursive\n"
                 "  conclave notes extract docs --speaker KIRO --format yaml\n",
     .schema = "notes_extract",
     .flags = WRITES | CV_OP_IDEMPOTENT | CV_OP_LARGE,
     .run = cv_notes_op_extract,
     .answer = cv_notes_extract_shape},
    {.room = "notes",
     .verb = "export",
     .tool = "conclave_notes_export",
     .summary = "write the log for others: JSON, Markdown or SQL",
     .details =
         "Writes everything that was ever logged, in the order of its numbers. --format sql has two dialects: spec\n"
         "(dialog_messages as the specification maps it) and current (lupo_dialog_messages of MySQL; names and\n"
         "sources are in its metadata_json). Nothing is cut.\n",
     .examples = "  conclave notes export\n"
                 "  conclave notes export --format sql --dialect current\n",
     .schema = "notes_export",
     .flags = READS | CV_OP_FILES | CV_OP_LARGE,
     .run = cv_notes_op_export,
     .answer = cv_notes_export_shape},
    {.room = "notes",
     .verb = "atoms",
     .tool = "conclave_notes_atoms",
     .summary = "say what the atoms in headers stand for",
     .details =
         "Atoms are names in a header (header_atoms, values that begin with FILE_, DIR_, DIRR_, MODULE_, GLOBAL_).\n"
         "They are looked up in the header, in _dir_atoms.yaml, module_atoms.yaml and config/global_atoms.yaml, and\n"
         "never expanded in files.\n",
     .examples = "  conclave notes atoms\n",
     .schema = "notes_atoms",
     .flags = CV_OP_PROJECT | CV_OP_IDEMPOTENT | CV_OP_LARGE,
     .run = cv_notes_op_atoms,
     .answer = cv_notes_atoms_shape},
    {.room = "notes",
     .verb = "install-hook",
     .summary = "set up git to demand a new header dialog with every change",
     .details = "Sets up a pre-commit hook that runs 'notes stale --staged'. A hook of your own is never overwritten: "
                "then the\n"
                "message says which line to put into it. --remove removes ours.\n",
     .examples = "  conclave notes install-hook\n",
     .schema = "notes_install_hook",
     .flags = CV_OP_PROJECT | CV_OP_FILES | CV_OP_IDEMPOTENT,
     .run = cv_notes_op_install_hook,
     .answer = cv_notes_install_hook_shape},
    {0},
};
