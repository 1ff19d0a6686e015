/* chart.h - numbers and names as lines of text: cells that line up, and sparklines.
 *
 *     round   score  velocity
 *         0      45         9
 *         1       —         7        what is not known is a dash, never a 0
 *     score   ▁▅·█                   one column per value; a dot where there is none
 *
 * For texts that are read in a terminal, in a pipe and by agents alike: nothing is wider than the terminal, or
 * CV_CHART_WIDTH where there is none, and what is cut ends with an ellipsis; prose is broken instead. Texts of the
 * record are shown as plain.h does it, on one line.
 */
#ifndef CV_DIALOGUE_VIEW_CHART_H
#define CV_DIALOGUE_VIEW_CHART_H

#include "base/plain.h"
#include "kit/call.h"

enum { CV_CHART_WIDTH = 80, CV_CHART_LEAST = 60, CV_CHART_MOST = 120 };

typedef struct {
    cv_buf out;
    cv_arena *arena;
    size_t width; /* of tables; 0: CV_CHART_WIDTH */
    size_t lines; /* columns of lines of words on a terminal that is too narrow for tables; 0: the same */
    bool painted; /* with paint (base/plain.h) */
} cv_chart;

/* For the caller: as wide as the terminal, painted if that shows colours. */
cv_chart cv_chart_for(const cv_call *call);

size_t cv_chart_width(const cv_chart *c);
size_t cv_chart_line_width(const cv_chart *c); /* of a line outside a table */

typedef enum { CV_CHART_LEFT, CV_CHART_RIGHT } cv_chart_side;

/* CV_PAINT_BOLD and the like, for what comes next, until CV_PAINT_END; nothing where there are no colours. */
void cv_chart_paint(cv_chart *c, const char *paint);

/* A line in bold: the head of what comes below. */
void cv_chart_head(cv_chart *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A status in its colour, exactly so wide. */
void cv_chart_status(cv_chart *c, cv_str status, size_t columns);

/* Exactly `columns` wide; numbers are on the right and are not cut, CV_ABSENT is a dash. */
void cv_chart_cell(cv_chart *c, cv_str text, size_t columns, cv_chart_side side);
void cv_chart_int(cv_chart *c, int64_t value, size_t columns);
void cv_chart_signed(cv_chart *c, int64_t value, size_t columns); /* +7 */

/* At most `columns` wide. */
void cv_chart_text(cv_chart *c, cv_str text, size_t columns);

/* Names with commas between them behind `before`, in lines that are not too long and begin below each other. */
void cv_chart_names(cv_chart *c, const char *before, const cv_str *names, size_t count);

/* Text behind `before`, broken at blanks; its lines begin below each other. Empty lines are left out. */
void cv_chart_prose(cv_chart *c, const char *before, cv_str text);

/* What the program itself says, as it is. */
void cv_chart_say(cv_chart *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One column per value, or per group of neighbours when there are more values than columns: then their mean. All lines
 * of a table have one scale, so that they can be compared: ▁ is 0, or `low` when that is below it, █ is `high`. */
typedef struct {
    int64_t low, high;
} cv_chart_scale;
void cv_chart_measure(cv_chart_scale *scale, const int64_t *values, size_t count); /* of all that were added so far */
void cv_chart_spark(cv_chart *c, cv_chart_scale scale, const int64_t *values, size_t count, size_t columns);

/* A sparkline of its own scale, with its name before it and its lowest and highest value behind it; nothing when there
 * are not values. */
void cv_chart_trend(cv_chart *c, const char *name, size_t name_columns, const int64_t *values, size_t count);

/* Ends the line; blanks at its end are dropped. */
void cv_chart_line(cv_chart *c);

/* All of it, in the arena. */
cv_str cv_chart_take(cv_chart *c);

#endif
