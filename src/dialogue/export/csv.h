/* csv.h - a dialogue as one table, for spreadsheets and statistics: a line for each thing that can be counted.
 *
 *     dialogue_id,type,round,id,experts,label,status,score,W,C,T,R,references,content,created_at
 *     bread,round,0,,,Opening,completed,41,14,9,10,8,,The panel agrees on rye,2026-…
 *     bread,score,0,,muffin,,,12,4,3,3,2,,,
 *     bread,tension,0,T0001,muffin; scone,Price,resolved,,,,,,depend P0001,Rye costs more,2026-…
 *     bread,position,0,,muffin,,,,,,,,,What was said without a mark,2026-…
 *     bread,reference,0,,muffin,,,,,,,,oppose P0002,,
 *     bread,move,1,,muffin,converge,,,,,,,,,2026-…
 *     bread,verdict,2,final,,Bake rye,final,,,,,,,It keeps longer,2026-…
 *
 * RFC 4180: CRLF behind every line, quotes where they are needed, UTF-8 without a byte order mark. Lists have
 * semicolons between their items.
 *
 * What people and agents have said must not become a formula where the table is opened: a text that begins with one of
 * = + - @, a tab or a line break, or with the wide forms of those signs, gets an apostrophe before it. Numbers stay
 * numbers. The JSON has every byte.
 */
#ifndef CV_DIALOGUE_EXPORT_CSV_H
#define CV_DIALOGUE_EXPORT_CSV_H

#include "dialogue/export/exporter.h"

/* Rounds, scores, entities by kind, positions and what they refer to, moves, verdicts; of the rev that *ret_position
 * tells. */
bool cv_csv_print(cv_export *x, cv_buf *out, cv_position *ret_position, cv_err *err);

bool cv_csv_is_one(cv_str bytes); /* a file that begins so is a table of ours */

/* One cell, as above. */
void cv_csv_text(cv_buf *out, cv_str text);

#endif
