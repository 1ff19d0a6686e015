/* document.h - messages as documents for others: Markdown, JSON, YAML.
 *
 *     ---                                      - speaker: "KIRO"
 *     dialog:                                    target: "@everyone"
 *       speaker: "KIRO"                          mood_RGB: "666666"
 *       target: "@everyone"                      message: "…"
 *       mood_RGB: "666666"                       date_ymdhis: 20260106120000
 *       message: "…"                             source: "docs/garden.md"
 *       date_ymdhis: 20260106120000              source_lines: "3-7"
 *     ---
 *     Source: docs/garden.md (lines 3-7)
 *
 * Every value is in quotes as JSON and YAML both read them; nothing is cut.
 */
#ifndef CV_NOTES_DOCUMENT_H
#define CV_NOTES_DOCUMENT_H

#include "base/embedded.h"
#include "base/where.h"
#include "kit/call.h"
#include "notes/types.h"

/* sql/export/NAME.sql: the statements of a dialect. */
extern const cv_embedded cv_export_files[];
extern const size_t cv_export_files_count;

typedef struct {
    cv_str speaker, target, mood_rgb, message, source;
    int64_t date; /* YYYYMMDDHHMMSS; CV_ABSENT: it is not known */
    int64_t line, last_line;
    cv_str path, digest; /* of the row that it is in the log; may be absent */
} cv_note_entry;

/* The texts are those of the row. */
cv_note_entry cv_note_entry_of(const cv_note_row *row);

typedef struct {
    cv_note_entry *items;
    size_t count, capacity;
} cv_note_entries;

void cv_notes_print_md(cv_buf *out, cv_str title, const cv_note_entries *all);
void cv_notes_print_yaml(cv_buf *out, const cv_note_entries *all);
void cv_notes_print_json(cv_buf *out, const cv_note_entries *all);

/* The field `since`: YYYYMMDDHHMMSS. */
bool cv_notes_since(cv_str text, int64_t *ret_since, cv_err *err);

/* A document whose text is made already, to a file that the caller named: one that is not ours is replaced with `force`
 * only. */
bool cv_notes_write_document(cv_call *call, cv_where where, cv_str text, cv_err *err);

#endif
