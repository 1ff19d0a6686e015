/* skill.c - what agents are taught about notes: printed from the tables that check them; see room.h. */
#include "notes/skill.h"

#include "notes/words/words.h"

static void print_fields(cv_buf *out)
{
    cv_buf_add_z(out, "| field | | what it is |\n|---|---|---|\n");
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        cv_buf_printf(out, "| `%.*s` | %s | %.*s |\n", CV_FMT(cv_note_fields[i].key),
                      cv_note_fields[i].required ? "required" : "optional", CV_FMT(cv_note_fields[i].rule));
}

static void print_moods(cv_buf *out)
{
    cv_buf_add_z(out, "Moods with names: ");
    for (size_t i = 0; i < cv_mood_count; i++)
        cv_buf_printf(out, "%s`%.*s` %.*s", i ? ", " : "", CV_FMT(cv_moods[i].hex), CV_FMT(cv_moods[i].name));
    cv_buf_add_z(out, ".\n");
}

/* What a value must not have, in each kind of comment. */
static void print_escapes(cv_buf *out)
{
    cv_buf_add_z(out, "| in a comment of kind | a value must not have |\n|---|---|\n");
    for (int i = 0; i < CV_IN_COUNT; i++)
        if (cv_notes_containers[i].never.n)
            cv_buf_printf(out, "| %.*s (`%.*s`) | `%.*s` |\n", CV_FMT(cv_notes_containers[i].word),
                          CV_FMT(cv_notes_containers[i].open), CV_FMT(cv_notes_containers[i].never));
}

static void print_format(cv_buf *out)
{
    cv_buf_add_z(out,
                 "A dialog is between two lines `---`. In the WOLFIE header at the top of a file its key is\n"
                 "`dialog:`, anywhere else `DIALOG:`.\n\n"
                 "```yaml\n---\nDIALOG:\n  speaker: LILITH\n  target: @everyone\n"
                 "  message: \"Question: should this be documented?\"\n  date_ymdhis: 20260106120000\n---\n```\n\n");
    print_fields(out);
    cv_buf_add_z(out, "\n");
    print_moods(out);
    cv_buf_add_z(out, "\nNo value may be a line `---`, or have a line break. Nothing is ever cut.\n\n");
    print_escapes(out);
}

/* The same as a page of the help: a line that begins with a blank stands for itself. */
void cv_notes_print_topic(cv_buf *out)
{
    cv_buf_add_z(out,
                 "A dialog is between two lines '---'. In the WOLFIE header at the top of a file its key is\n"
                 "'dialog:', anywhere else 'DIALOG:'.\n\n"
                 "  ---\n  DIALOG:\n    speaker: LILITH\n    target: @everyone\n"
                 "    message: \"Question: should this be documented?\"\n    date_ymdhis: 20260106120000\n  ---\n\n");
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        cv_buf_printf(out, "  %-12.*s  %s  %.*s\n", CV_FMT(cv_note_fields[i].key),
                      cv_note_fields[i].required ? "required" : "optional", CV_FMT(cv_note_fields[i].rule));
    cv_buf_add_z(out, "\nMoods with names:\n\n");
    for (size_t i = 0; i < cv_mood_count; i++)
        cv_buf_printf(out, "  %.*s  %.*s\n", CV_FMT(cv_moods[i].hex), CV_FMT(cv_moods[i].name));
    cv_buf_add_z(out,
                 "\nNo value may be a line '---', or have a line break. Nothing is ever cut. In comments of these\n"
                 "kinds a value must not have:\n\n");
    for (int i = 0; i < CV_IN_COUNT; i++)
        if (cv_notes_containers[i].never.n)
            cv_buf_printf(out, "  %-10.*s %-5.*s  %.*s\n", CV_FMT(cv_notes_containers[i].word),
                          CV_FMT(cv_notes_containers[i].open), CV_FMT(cv_notes_containers[i].never));
}

void cv_notes_print_skill(cv_buf *out)
{
    cv_buf_add_z(
        out,
        "---\nname: conclave-notes\n"
        "description: Read header dialogs and margin notes in files (WOLFIE headers, DIALOG blocks), leave notes and "
        "say what was changed. Use before changing files of a project that has them.\n---\n\n"
        "# Notes in files\n\n"
        "The header dialog of a file says what was changed last. Inline dialogs are notes of agents in the margin. "
        "You are not\n"
        "the only one who works on these files.\n\n"
        "## When you begin\n\n"
        "`conclave_notes_list` with `for` = your name shows what is addressed to you and to everyone.\n\n"
        "## When you read a file\n\n"
        "You may leave a note: `conclave_notes_add` with `path`, `line` or `before`, `target`, `message`. Do not "
        "touch the\n"
        "header, and never change or remove the notes of others.\n\n"
        "## When you change a file\n\n"
        "Say what you changed in its header: `conclave_notes_header` with `path`, `target`, `message`, and the "
        "new `content`\n"
        "to do both in one step. Further `notes` may come along. All notes of the file must be in the content.\n\n"
        "## When you make a file\n\n"
        "`conclave notes create` writes its header, content and notes; it is a tool with `--tools all`.\n\n"
        "## Worked\n\n"
        "```\n"
        "conclave notes create docs/oven.md --speaker CLAUDE --target @everyone --message \"A page on the oven.\" "
        "--content \"# The oven\"\n"
        "conclave_notes_list {\"for\": \"CLAUDE\"}\n"
        "conclave_notes_header {\"path\": \"docs/oven.md\", \"speaker\": \"CLAUDE\", \"target\": \"@everyone\", "
        "\"message\": \"Say how hot it is.\",\n"
        "  \"content\": \"# The oven\\n\\nIt is 250 degrees hot.\\n\"}\n"
        "conclave_notes_add {\"path\": \"docs/oven.md\", \"before\": \"It is 250 degrees hot.\", \"speaker\": "
        "\"CLAUDE\", \"target\": \"@LILITH\",\n"
        "  \"message\": \"Question: in all corners?\"}\n"
        "```\n\n"
        "## The format\n\n");
    print_format(out);
    cv_buf_add_z(
        out, "\nAfter an edit by hand, `conclave notes log` enters the dialogs into the log, `conclave notes stale`\n"
             "lists files that were changed without a new header dialog.\n");
}
