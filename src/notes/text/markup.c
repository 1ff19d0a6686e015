/* markup.c - JavaScript with markup in it: is a line in code, in a tag, in text, or between two tags? See reading.h.
 *
 *     const a = (           code
 *       <ul                 code; from here on a tag
 *         className="b">    in the tag
 *         {c}               between tags: {/+ a comment in braces +/} may be here
 *         text              between a brace and text: it may not, because it would part the text
 *       </ul>
 *     );
 *
 * Tags must close each other by name, and everything must be closed at the end: else the answer is that we do not know.
 */
#include "notes/text/walk.h"

static const cv_lexis script = {.line = "//",
                                .open = "/*",
                                .close = "*/",
                                .quotes = "\"'",
                                .escape = CV_ESCAPES,
                                .pattern = true,
                                .template = true};

enum { MOST_TAGS = 64 };

typedef struct {
    enum { IN_CODE, IN_TAG, IN_TEXT } in;
    size_t braces, depth; /* IN_CODE: braces that are open, and templates that were open before */
    cv_str name;          /* IN_TAG, IN_TEXT: of the element; empty: a fragment */
} frame;

typedef struct {
    cv_notes_walk *w;
    frame frames[MOST_TAGS];
    size_t count;
    bool lost; /* this is not JSX as we know it */
} markup;

static void open_frame(markup *m, frame f)
{
    m->lost |= m->count == MOST_TAGS;
    if (!m->lost)
        m->frames[m->count++] = f;
}

static cv_str tag_name(cv_str s)
{
    size_t n = 0;
    while (n < s.n && (cv_is_alnum(s.p[n]) || strchr("_$.:-", s.p[n])))
        n++;
    return cv_str_head(s, n);
}

/* Does a "<" in code begin an element? It does where a value could begin; "<T,>" and "<T extends" are types. */
static bool begins_element(const cv_notes_walk *w)
{
    static const cv_str words[] = {CV_STR_INIT("return"), CV_STR_INIT("default"), CV_STR_INIT("yield")};
    cv_str s = cv_str_from(w->text, w->at + 1), name = tag_name(s), rest = cv_str_trim_left(cv_str_from(s, name.n));
    cv_str before = cv_str_trim_right(cv_str_head(w->text, w->at));
    bool is_type = cv_str_starts(rest, CV_STR(",")) || cv_str_starts(rest, CV_STR("extends "));
    if (is_type || (name.n ? cv_is_digit(name.p[0]) : !cv_str_starts(s, CV_STR(">"))))
        return false;
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_ends(before, words[i]))
            return true;
    return before.n == 0 || strchr("(,=:[!&|?{};>", before.p[before.n - 1]);
}

static void walk_in_code(markup *m, frame *f)
{
    cv_notes_walk *w = m->w;
    char c = w->text.p[w->at];
    bool own = w->depth == f->depth;
    if (c == '<' && begins_element(w)) {
        cv_str name = tag_name(cv_str_from(w->text, w->at + 1));
        cv_walk_pass(w, w->at + 1 + name.n, CV_AT_STRING);
        open_frame(m, (frame){.in = IN_TAG, .name = name});
    } else if (own && c == '}' && f->braces == 0 && m->count > 1) {
        m->count--;
        cv_walk_pass(w, w->at + 1, CV_AT_STRING);
    } else if (own && (c == '{' || c == '}')) {
        m->lost |= c == '}' && f->braces == 0;
        f->braces += c == '{' ? 1 : (size_t)-1;
        cv_walk_code(w, w->at + 1);
    } else {
        cv_walk_step(w, &script);
    }
}

static void walk_in_tag(markup *m, frame *f)
{
    cv_notes_walk *w = m->w;
    char c = w->text.p[w->at];
    if (c == '{') {
        cv_walk_pass(w, w->at + 1, CV_AT_STRING);
        open_frame(m, (frame){.in = IN_CODE, .depth = w->depth});
    } else if (c == '"' || c == '\'') {
        cv_walk_quoted(w, CV_GOES_ON);
    } else if (cv_walk_starts(w, "/>")) {
        m->count--;
        cv_walk_pass(w, w->at + 2, CV_AT_STRING);
    } else {
        m->lost |= c == '<';
        if (c == '>')
            f->in = IN_TEXT;
        cv_walk_pass(w, w->at + 1, CV_AT_STRING);
    }
}

/* Blank lines between tags are none of the text: a comment in braces may be there. */
static void walk_in_text(markup *m, frame *f)
{
    cv_notes_walk *w = m->w;
    size_t end = w->at;
    while (end < w->text.n && w->text.p[end] != '<' && w->text.p[end] != '{')
        end++;
    if (end > w->at || (w->next < w->count && w->offsets[w->next] == end))
        cv_walk_on(w, end, cv_notes_is_blank(cv_span_of(w->text, (cv_span){w->at, end})) ? CV_AT_MARKUP : CV_AT_STRING);
    if (end == w->text.n)
        return;
    if (w->text.p[end] == '{') {
        cv_walk_pass(w, end + 1, CV_AT_STRING);
        open_frame(m, (frame){.in = IN_CODE, .depth = w->depth});
        return;
    }
    bool closes = cv_walk_starts(w, "</");
    cv_str name = tag_name(cv_str_from(w->text, end + (closes ? 2 : 1)));
    cv_walk_pass(w, end + (closes ? 2 : 1) + name.n, CV_AT_STRING);
    if (!closes) {
        open_frame(m, (frame){.in = IN_TAG, .name = name});
        return;
    }
    m->lost |= !cv_str_eq(name, f->name);
    m->count--;
    cv_walk_pass(w, cv_walk_behind(w, w->at, ">", CV_AT_STRING), CV_AT_STRING);
}

cv_at cv_notes_markup_at(cv_str text, size_t offset)
{
    static void (*const walks[])(markup * m, frame * f) = {walk_in_code, walk_in_tag, walk_in_text};
    cv_at found = CV_AT_CODE;
    cv_notes_walk w = {.text = text, .offsets = &offset, .count = 1, .ret = &found};
    markup m = {.w = &w};
    open_frame(&m, (frame){.in = IN_CODE});
    while (w.at < text.n && !m.lost)
        walks[m.frames[m.count - 1].in](&m, &m.frames[m.count - 1]);
    bool whole = !m.lost && m.count == 1 && m.frames[0].braces == 0 && w.depth == 0;
    return whole ? found : CV_AT_UNSURE;
}
