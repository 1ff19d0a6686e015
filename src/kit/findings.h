/* findings.h - what was found wrong in a text, where, and how people and programs read it.
 *
 *     decision.dialogue.md:12:1: warning: 'TENSON' is nearly a marker [marker-spelling]
 *       12 | [TENSON T01: flour or rye]
 *          |  ^~~~~~
 *       hint: write 'TENSION', or put it in backticks if it is meant as text
 *
 * The rules are a room's: a table, and a finding has the number of its row. Readers add findings by byte offset;
 * cv_findings_place() sorts them and gives them lines and columns in one walk over the text. A finding may carry a fix:
 * the bytes from `start` to `end` replaced by `fix`.
 *
 * Text from files is shown as plain.h does it, so that no file can steer a terminal.
 */
#ifndef CV_KIT_FINDINGS_H
#define CV_KIT_FINDINGS_H

#include "base/arena.h"
#include "base/json.h"

typedef enum { CV_NOTE, CV_WARNING, CV_ERROR, CV_SEVERITY_COUNT } cv_severity;
extern const cv_str cv_severity_words[CV_SEVERITY_COUNT]; /* note, warning, error */

typedef struct {
    cv_str word;
    cv_severity severity;
    bool fixable;
    cv_str summary;
} cv_rule_row;

typedef struct {
    unsigned rule;       /* row of the room's table */
    size_t start, end;   /* bytes in the text */
    size_t line, column; /* 1-based, column in code points; set by cv_findings_place */
    cv_str message;
    cv_str hint; /* what to do */
    bool has_fix;
    cv_str fix;         /* replaces start..end */
    bool fixed_at_once; /* instead: all places of its kind are fixed together, and only the first is reported */
} cv_finding;

typedef struct {
    cv_finding *items;
    size_t count, capacity;
    size_t ceiling; /* 0: CV_MAX_FINDINGS */
    size_t dropped; /* beyond it: counted, not kept */
} cv_findings;

/* Adds a finding about `where`, which must be a view into `text`, and returns it for hint and fix.
 * Beyond the ceiling the finding is only counted and the returned one is forgotten. `list` may be NULL. */
cv_finding *cv_finding_add(cv_findings *list, cv_arena *a, cv_str text, cv_str where, unsigned rule, const char *format,
                           ...) __attribute__((format(printf, 6, 7)));

/* Sorts by place and fills in lines and columns. */
void cv_findings_place(cv_findings *list, cv_str text);

/* Can it be fixed without a person? */
bool cv_finding_fixable(const cv_finding *f);

/* Code points that the finding covers on its first line. */
size_t cv_finding_width(cv_str text, const cv_finding *f);

/* ---- for people and programs --------------------------------------------------------------------------------------
 */

/* One finding, like a compiler. `terminal`: columns of the terminal that shows it, so that no line is longer; 0: there
 * is none, and a finding is one line. */
void cv_finding_print(const cv_rule_row *rules, cv_buf *out, bool colour, size_t terminal, const char *file,
                      cv_str text, const cv_finding *f);

/* Text behind `at` columns of a line, and the end of the line. */
void cv_finding_print_text(cv_buf *out, cv_str text, size_t terminal, size_t at);

/* The line with the place, cut around it when it is long, and the carets below. */
void cv_finding_print_place(cv_buf *out, bool colour, size_t terminal, cv_str text, const cv_finding *f);

/* One finding as a JSON object. */
void cv_finding_print_json(const cv_rule_row *rules, cv_str text, const cv_finding *f, cv_json_writer *w);

#endif
