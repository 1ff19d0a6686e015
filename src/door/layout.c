/* layout.c - marked text as lines for a person; see layout.h.
 *
 *     text -> pieces     runs of characters without a blank, each with its paint; may be glued to the one before
 *          -> lines      as many pieces as fit, by words
 *          -> columns    of the cells of lines that are together
 */
#include "door/layout.h"

#include <assert.h>

#include "base/plain.h"
#include "ops/op.h"

enum { GAP = 2, STEP = 2, MOST_CELLS = 16 };

static const char reset[] = "\033[0m", bold[] = "\033[1m";

/* ---- paint ------------------------------------------------------------------------------------------------------- */

static bool is_among(const char *words, cv_str word)
{
    return words && cv_str_find(cv_str_of(words), word) != SIZE_MAX;
}

const char *cv_layout_status(cv_arena *a, cv_str value)
{
    cv_str word = cv_arena_printf(a, " %.*s ", CV_FMT(cv_str_head(value, 40)));
    if (value.n == 0)
        return NULL;
    for (size_t i = 0; i < cv_room_count(); i++) {
        const cv_room *room = cv_room_at(i);
        if (is_among(room->statuses.good, word) || is_among(" success ok complete completed ", word))
            return "\033[32m";
        if (is_among(room->statuses.pending, word) || is_among(" open warning ", word))
            return "\033[33m";
        if (is_among(room->statuses.bad, word) || is_among(" error failed ", word))
            return "\033[31m";
    }
    return NULL;
}

static int hex_digit(char c)
{
    return cv_is_digit(c) ? c - '0' : cv_lower(c) >= 'a' && cv_lower(c) <= 'f' ? cv_lower(c) - 'a' + 10 : -1;
}

const char *cv_layout_colour(cv_arena *a, cv_str value)
{
    int channels[3];
    for (size_t i = 0; i < 3; i++) {
        int high = value.n == 6 ? hex_digit(value.p[2 * i]) : -1,
            low = value.n == 6 ? hex_digit(value.p[2 * i + 1]) : -1;
        if (high < 0 || low < 0)
            return NULL;
        channels[i] = high * 16 + low;
    }
    return cv_arena_printf(a, "\033[38;2;%d;%d;%dm", channels[0], channels[1], channels[2]).p;
}

/* What a mark at the beginning of `text` paints with; NULL: nothing. */
static const char *paint_of(cv_arena *a, cv_str text)
{
    cv_str rest = cv_str_from(text, 1);
    cv_str word = cv_str_trim(cv_str_head(rest, cv_str_find_char(rest, CV_PAINT_END[0])));
    if (text.p[0] == CV_PAINT_BOLD[0])
        return bold;
    if (text.p[0] == CV_PAINT_DIM[0])
        return "\033[2m";
    if (text.p[0] == CV_PAINT_COLOUR[0])
        return cv_layout_colour(a, word);
    return text.p[0] == CV_PAINT_STATUS[0] ? cv_layout_status(a, word) : NULL;
}

/* ---- text that is in lines already ----------------------------------------------------------------------------
 */

static size_t visible_width(cv_str text)
{
    size_t width = 0;
    for (size_t i = 0, end; i < text.n; i = end + 1) {
        for (end = i; end < text.n && !cv_plain_is_paint(text.p[end]); end++)
            ;
        width += cv_plain_width((cv_str){text.p + i, end - i});
    }
    return width;
}

/* Where the lines begin that a long one is broken into: below its last column, which two blanks part from the others,
 * or a little further in than the line itself. */
static size_t hang_of(cv_str text, size_t width)
{
    size_t indent = text.n - cv_str_trim_left(text).n, at = text.n;
    while (at > indent + 2 && !(text.p[at - 1] == ' ' && text.p[at - 2] == ' '))
        at--;
    size_t column = at > indent + 2 ? visible_width(cv_str_head(text, at)) : 0;
    return column > 0 && column <= width / 2 ? column : indent + STEP;
}

/* A command, or "Next:" and one. */
static bool is_command(cv_str text)
{
    static const cv_str next = CV_STR_INIT("next:");
    text = cv_str_trim_left(text);
    if (cv_str_starts_nocase(text, next))
        text = cv_str_trim_left(cv_str_from(text, next.n));
    return cv_str_starts(text, CV_STR("conclave "));
}

static void add_broken(cv_buf *out, cv_str text, size_t width)
{
    size_t hang = hang_of(text, width), column = 0, indent = text.n - cv_str_trim_left(text).n;
    for (; column < indent; column++)
        cv_buf_add_char(out, ' ');
    for (size_t from = indent, end; from < text.n; from = end) {
        bool blank = text.p[from] == ' ';
        for (end = from + 1; end < text.n && !cv_plain_may_break(text, end);)
            end++;
        cv_str word = cv_str_from(cv_str_head(text, end), from + blank);
        size_t wide = visible_width(word);
        if (from > indent && word.n > 0 && column + blank + wide > width) {
            while (out->n > 0 && out->p[out->n - 1] == ' ')
                out->n--;
            cv_buf_add_char(out, '\n');
            for (column = 0; column < hang; column++)
                cv_buf_add_char(out, ' ');
        } else if (blank) {
            cv_buf_add_char(out, ' ');
            column++;
        }
        cv_buf_add(out, word);
        column += wide;
    }
}

cv_str cv_layout_wrapped(cv_arena *a, cv_str text, size_t width)
{
    cv_buf out = {0};
    cv_str line;
    while (text.n > 0 && cv_str_split(&text, '\n', &line)) {
        if (visible_width(line) > width && !is_command(line))
            add_broken(&out, line, width);
        else
            cv_buf_add(&out, line);
        cv_buf_add_char(&out, '\n');
    }
    return cv_buf_take(&out, a);
}

static bool add_to(void *out, cv_str bytes)
{
    cv_buf_add(out, bytes);
    return true;
}

cv_str cv_layout_painted(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_plain_flow flow = {.sink = add_to, .to = &out};
    bool painting = false;
    for (size_t i = 0, end; i < text.n; i = end) {
        for (end = i; end < text.n && !cv_plain_is_paint(text.p[end]); end++)
            ;
        cv_plain_sink(&flow, cv_str_range(text.p + i, text.p + end));
        if (end == text.n)
            break;
        const char *paint = paint_of(a, cv_str_from(text, end++));
        cv_buf_add_z(&out, painting ? reset : "");
        cv_buf_add_z(&out, paint ? paint : "");
        painting = paint != NULL;
    }
    cv_buf_add_z(&out, painting ? reset : "");
    return cv_buf_take(&out, a);
}

/* ---- pieces and lines -------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str text;
    const char *paint; /* NULL: none */
    size_t width;
    bool glued;    /* no blank before it */
    bool loose;    /* … but a line may begin with it */
    bool breaks;   /* a new line begins with it */
    size_t indent; /* … so far in */
} piece;

typedef struct {
    piece *items;
    size_t count, capacity;
} pieces;

typedef struct {
    size_t from, to, indent; /* pieces */
} line;

typedef struct {
    line *items;
    size_t count, capacity;
} lines;

/* `paint`: of what no mark paints. */
static pieces take_apart(cv_arena *a, cv_str text, const char *paint)
{
    pieces all = {0};
    const char *now = paint;
    bool glued = true, breaks = false;
    size_t blanks = 0;
    for (size_t i = 0, end; i < text.n; i = end) {
        end = i + 1;
        if (text.p[i] == ' ') {
            blanks++;
            glued = false;
        } else if (text.p[i] == CV_MARK_BREAK) {
            if (breaks) /* an empty line */
                *CV_PUSH(a, &all) = (piece){.breaks = true, .text = CV_STR("")};
            breaks = true;
            blanks = 0;
        } else if (cv_plain_is_paint(text.p[i])) {
            const char *next = paint_of(a, cv_str_from(text, i));
            now = next ? next : paint;
        } else {
            while (end < text.n && text.p[end] != CV_MARK_BREAK && !cv_plain_is_paint(text.p[end]) &&
                   !cv_plain_may_break(text, end))
                end++;
            cv_str run = {text.p + i, end - i};
            *CV_PUSH(a, &all) = (piece){.text = run,
                                        .paint = now,
                                        .width = cv_plain_width(run),
                                        .glued = glued && !breaks,
                                        .loose = i > 0 && cv_plain_may_break(text, i),
                                        .breaks = breaks,
                                        .indent = breaks ? blanks : 0};
            glued = true;
            breaks = false;
            blanks = 0;
        }
    }
    return all;
}

/* Columns of the word that begins with piece i; *ret_next is the first piece behind it. */
static size_t word_width(const pieces *p, size_t i, size_t *ret_next)
{
    size_t width = p->items[i].width;
    for (i++; i < p->count && p->items[i].glued && !p->items[i].loose; i++)
        width += p->items[i].width;
    *ret_next = i;
    return width;
}

static lines wrap(cv_arena *a, const pieces *p, size_t width)
{
    lines all = {0};
    size_t used = 0;
    for (size_t i = 0, next; i < p->count; i = next) {
        size_t word = word_width(p, i, &next), indent = p->items[i].indent;
        line *last = all.count ? &all.items[all.count - 1] : NULL;
        size_t blank = p->items[i].glued ? 0 : 1;
        if (last && !p->items[i].breaks && used + blank + word <= width) {
            last->to = next;
            used += blank + word;
            continue;
        }
        if (last && !p->items[i].breaks)
            indent = last->indent;
        indent = indent + CV_LAYOUT_LEAST > width ? 0 : indent;
        *CV_PUSH(a, &all) = (line){.from = i, .to = next, .indent = indent};
        used = indent + word;
    }
    return all;
}

static void blanks(cv_buf *out, size_t count)
{
    while (count-- > 0)
        cv_buf_add_char(out, ' ');
}

/* Returns the columns that it took. */
static size_t print_line(cv_buf *out, const pieces *p, const line *l, bool colour)
{
    size_t used = l->indent;
    const char *paint = NULL;
    blanks(out, l->indent);
    for (size_t i = l->from; i < l->to; i++) {
        const piece *one = &p->items[i];
        bool parted = i > l->from && !one->glued;
        const char *wanted = colour ? one->paint : NULL;
        if (paint && paint != wanted)
            cv_buf_add_z(out, reset);
        cv_buf_add_z(out, parted ? " " : "");
        if (wanted && paint != wanted)
            cv_buf_add_z(out, wanted);
        paint = wanted;
        cv_plain_add(out, one->text);
        used += one->width + parted;
    }
    cv_buf_add_z(out, paint ? reset : "");
    return used;
}

static void print_at(cv_buf *out, size_t indent, const pieces *p, const line *l, bool colour)
{
    if (p->items[l->from].width > 0) {
        blanks(out, indent);
        print_line(out, p, l, colour);
    }
    cv_buf_add_char(out, '\n');
}

/* ---- paragraphs -------------------------------------------------------------------------------------------------- */

static size_t indent_of(cv_str text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] == ' ')
        n++;
    return n;
}

/* Takes "# " away. */
static bool is_head(cv_str *text)
{
    if (!cv_str_starts(*text, CV_STR("# ")))
        return false;
    *text = cv_str_from(*text, 2);
    return true;
}

/* Columns of "- " or "12. ", which the lines of an item are behind. */
static size_t marker_of(cv_str text)
{
    size_t n = 0;
    while (n < text.n && cv_is_digit(text.p[n]))
        n++;
    if (cv_str_starts(text, CV_STR("- ")))
        return 2;
    return n > 0 && n < 4 && cv_str_starts(cv_str_from(text, n), CV_STR(". ")) ? n + 2 : 0;
}

static void print_paragraph(cv_buf *out, cv_arena *a, cv_str text, size_t width, bool colour)
{
    size_t indent = indent_of(text);
    text = cv_str_from(text, indent);
    bool head = is_head(&text);
    size_t hang = indent + marker_of(text);
    pieces p = take_apart(a, text, head ? bold : NULL);
    if (is_command(text)) /* to be copied */
        width = SIZE_MAX / 2;
    lines all = wrap(a, &p, width > hang + CV_LAYOUT_LEAST ? width - hang : CV_LAYOUT_LEAST);
    for (size_t i = 0; i < all.count; i++)
        print_at(out, i == 0 ? indent : hang, &p, &all.items[i], colour);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

typedef struct {
    pieces cells[MOST_CELLS];
    size_t count;
    bool head;
} row;

typedef struct {
    row *items;
    size_t count, capacity;
} rows;

typedef struct {
    size_t width, least;
    bool right;
} column;

static row split_cells(cv_arena *a, cv_str text)
{
    row one = {.head = is_head(&text)};
    while (one.count < MOST_CELLS) {
        size_t end = one.count + 1 < MOST_CELLS ? cv_str_find_char(text, CV_MARK_CELL) : SIZE_MAX;
        one.cells[one.count++] = take_apart(a, cv_str_trim(cv_str_head(text, end)), one.head ? bold : NULL);
        if (end == SIZE_MAX)
            break;
        text = cv_str_from(text, end + 1);
    }
    return one;
}

/* Columns of the longest line of a cell, and of its longest word. */
static void measure(cv_arena *a, const pieces *cell, size_t *ret_width, size_t *ret_least)
{
    lines all = wrap(a, cell, SIZE_MAX / 2);
    *ret_width = *ret_least = 0;
    for (size_t i = 0; i < all.count; i++) {
        size_t used = all.items[i].indent;
        for (size_t k = all.items[i].from, next; k < all.items[i].to; k = next) {
            size_t word = word_width(cell, k, &next);
            used += word + (k > all.items[i].from && !cell->items[k].glued);
            *ret_least = all.items[i].indent + word > *ret_least ? all.items[i].indent + word : *ret_least;
        }
        *ret_width = used > *ret_width ? used : *ret_width;
    }
}

/* 12, -3, 4.5, 70% */
static bool is_number(const pieces *cell)
{
    if (cell->count != 1)
        return false;
    cv_str text = cell->items[0].text;
    size_t at = text.p[0] == '-' || text.p[0] == '+', digits = 0;
    for (; at < text.n && (cv_is_digit(text.p[at]) || text.p[at] == '.' || text.p[at] == ','); at++)
        digits += cv_is_digit(text.p[at]);
    return digits > 0 && (at == text.n || (at + 1 == text.n && text.p[at] == '%'));
}

static size_t columns_of(cv_arena *a, const rows *t, column columns[MOST_CELLS])
{
    size_t count = 0;
    for (size_t i = 0; i < MOST_CELLS; i++) {
        bool any = false;
        columns[i] = (column){.right = true};
        for (size_t r = 0; r < t->count; r++) {
            if (i >= t->items[r].count)
                continue;
            const pieces *cell = &t->items[r].cells[i];
            size_t width, least;
            measure(a, cell, &width, &least);
            columns[i].width = width > columns[i].width ? width : columns[i].width;
            columns[i].least = least > columns[i].least ? least : columns[i].least;
            if (t->items[r].head || cell->count == 0)
                continue;
            any = true;
            columns[i].right = columns[i].right && (is_number(cell) || cv_str_eq(cell->items[0].text, CV_STR("—")));
        }
        columns[i].right = columns[i].right && any;
        count = columns[i].width > 0 ? i + 1 : count;
    }
    return count;
}

/* Columns where no row has anything take no place. */
static size_t total(const column *columns, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += columns[i].width ? columns[i].width + (sum > 0 ? GAP : 0) : 0;
    return sum;
}

/* Takes from the widest until the row fits; false: it cannot. */
static bool squeeze(column *columns, size_t count, size_t room)
{
    for (size_t sum = total(columns, count); sum > room; sum--) {
        column *widest = NULL;
        for (size_t i = 0; i < count; i++)
            if (columns[i].width > columns[i].least && (!widest || columns[i].width > widest->width))
                widest = &columns[i];
        if (!widest)
            return false;
        widest->width--;
    }
    return true;
}

static void print_row(cv_buf *out, cv_arena *a, const row *r, const column *columns, size_t indent, bool colour)
{
    lines cells[MOST_CELLS];
    size_t most = 0;
    assert(r->count <= MOST_CELLS);
    for (size_t i = 0; i < r->count; i++) {
        cells[i] = wrap(a, &r->cells[i], columns[i].width);
        most = cells[i].count > most ? cells[i].count : most;
    }
    for (size_t k = 0; k < most; k++) {
        size_t at = 0, begin = indent;
        for (size_t i = 0; i < r->count; begin += columns[i].width ? columns[i].width + GAP : 0, i++) {
            if (k >= cells[i].count || r->cells[i].items[cells[i].items[k].from].width == 0)
                continue;
            size_t width, least;
            measure(a, &r->cells[i], &width, &least);
            size_t from = begin + (columns[i].right && width < columns[i].width ? columns[i].width - width : 0);
            blanks(out, from > at ? from - at : 0);
            at = (from > at ? from : at) + print_line(out, &r->cells[i], &cells[i].items[k], colour);
        }
        cv_buf_add_char(out, '\n');
    }
}

/* Every cell on lines of its own, behind the name of its column. */
static void print_stacked(cv_buf *out, cv_arena *a, const rows *t, size_t indent, size_t width, bool colour)
{
    assert(t->count > 0 && "a table has a row");
    const row *head = t->items[0].head && t->count > 1 ? &t->items[0] : NULL;
    for (size_t r = head ? 1 : 0; r < t->count; r++)
        for (size_t i = 0, shown = 0; i < t->items[r].count; i++) {
            const pieces *cell = &t->items[r].cells[i];
            pieces named = {0};
            if (cell->count == 0)
                continue;
            if (shown > 0 && head && i < head->count && head->cells[i].count > 0) {
                for (size_t k = 0; k < head->cells[i].count; k++)
                    *CV_PUSH(a, &named) = head->cells[i].items[k];
                *CV_PUSH(a, &named) = (piece){.text = CV_STR(":"), .width = 1, .glued = true};
            }
            for (size_t k = 0; k < cell->count; k++) {
                *CV_PUSH(a, &named) = cell->items[k];
                if (k == 0)
                    named.items[named.count - 1].glued = false;
            }
            size_t at = indent + (shown++ ? STEP : 0);
            lines all = wrap(a, &named, width > at + CV_LAYOUT_LEAST ? width - at : CV_LAYOUT_LEAST);
            for (size_t k = 0; k < all.count; k++)
                print_at(out, at, &named, &all.items[k], colour);
        }
}

/* Lines with cells from `*text` on, as long as they are moved in alike. */
static void print_table(cv_buf *out, cv_arena *a, cv_str *text, size_t width, bool colour)
{
    rows t = {0};
    column columns[MOST_CELLS];
    size_t indent = indent_of(*text);
    while (text->n > 0) {
        cv_str rest = *text, one;
        if (!cv_str_split(&rest, '\n', &one) || indent_of(one) != indent ||
            cv_str_find_char(one, CV_MARK_CELL) == SIZE_MAX)
            break;
        *CV_PUSH(a, &t) = split_cells(a, cv_str_from(one, indent));
        *text = rest;
    }
    size_t count = columns_of(a, &t, columns), room = width > indent ? width - indent : 1;
    if (!squeeze(columns, count, room)) {
        print_stacked(out, a, &t, indent, width, colour);
        return;
    }
    for (size_t i = 0; i < t.count; i++)
        print_row(out, a, &t.items[i], columns, indent, colour);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Nouns behind numbers: "2 message<+>" are messages, "1 message<+>" is one. */
static cv_str with_plurals(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_str number = CV_STR("");
    for (size_t i = 0, n; i < text.n; i += n) {
        for (n = 0; i + n < text.n && cv_is_digit(text.p[i + n]); n++)
            ;
        number = n > 0 ? (cv_str){text.p + i, n} : number;
        n += n == 0;
        if (text.p[i] != CV_MARK_PLURAL)
            cv_buf_add(&out, (cv_str){text.p + i, n});
        else if (!cv_str_eq(number, CV_STR("1")))
            cv_buf_add_char(&out, 's');
    }
    return cv_buf_take(&out, a);
}

void cv_layout_print(cv_buf *out, cv_arena *a, cv_str marked, size_t width, bool colour)
{
    cv_str text = with_plurals(a, marked);
    bool any = false, empty = false;
    while (text.n > 0) {
        cv_str rest = text, one;
        cv_str_split(&rest, '\n', &one);
        if (cv_str_trim(one).n == 0) {
            empty = any;
            text = rest;
            continue;
        }
        cv_buf_add_z(out, empty ? "\n" : "");
        empty = false;
        any = true;
        if (cv_str_find_char(one, CV_MARK_CELL) != SIZE_MAX) {
            print_table(out, a, &text, width, colour);
            continue;
        }
        print_paragraph(out, a, one, width, colour);
        text = rest;
    }
}
