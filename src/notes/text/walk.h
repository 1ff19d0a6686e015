/* walk.h - one walk over the text of a file, which says how things are where chosen lines begin. Not for others.
 *
 *     walk.c      code of any language, as a cv_lexis describes its strings and comments
 *     states.c    the languages, and what is not code: Markdown, HTML, YAML, TeX
 *     markup.c    JavaScript with tags in it
 *
 * Everything is passed once, from the beginning to the end: the state of a stretch is the state of the lines that begin
 * in it.
 */
#ifndef CV_NOTES_TEXT_WALK_H
#define CV_NOTES_TEXT_WALK_H

#include "notes/text/reading.h"

enum { CV_MOST_NESTED = 32 }; /* templates in templates */

typedef struct {
    cv_str text;
    size_t at;
    const size_t *offsets;
    size_t count, next;
    cv_at *ret;
    cv_at last;    /* how the text ends */
    size_t failed; /* searches for an end that is not there: after a few of them no more are made */
    bool loose;    /* "/" behind ")" begins a pattern */
    size_t braces[CV_MOST_NESTED],
        depth; /* "${" of templates that are open, each with the braces that are open in it */
} cv_notes_walk;

/* How quotes end: a backslash or a backtick takes the meaning from a quote, two of them stand for one, lines go on. */
enum { CV_ESCAPES = 1, CV_DOUBLES = 2, CV_GOES_ON = 4, CV_BACKTICKS = 8 };

/* What strings and comments a language has. */
typedef struct {
    const char *line;         /* a comment to the end of the line */
    const char *open, *close; /* block comments */
    const char *quotes;       /* one line each */
    const char *long_quotes;  /* these go on over lines */
    const char *plain_quotes; /* these, too, and nothing escapes in them */
    const char *text;         /* begins and ends a text of many lines */
    unsigned escape;          /* of quotes */
    bool triple;              /* """ and ''' */
    bool heredoc;             /* <<EOT */
    bool pattern;             /* /x/ */
    bool dollar;              /* $tag$ of PostgreSQL */
    bool template;            /* `${ }` */
    bool raw;                 /* R"(…)", r#"…"#, @"…" */
    bool brackets;            /* [[…]], [==[…]==] */
    bool braces;              /* {…} may be data */
    bool here;                /* @" … "@ */
    bool shell; /* "#" begins a comment where a word could begin; "\\" takes the meaning from any character */
    bool perl;  /* %q(…), __END__, =pod */
} cv_lexis;

/* Everything up to `to` is of this state: lines that begin there or before get this state. */
void cv_walk_on(cv_notes_walk *w, size_t to, cv_at state);

/* The same, but a line that begins at `to` exactly is not in it any more. */
void cv_walk_pass(cv_notes_walk *w, size_t to, cv_at state);

void cv_walk_code(cv_notes_walk *w, size_t to);

bool cv_walk_starts(const cv_notes_walk *w, const char *z);
size_t cv_walk_line_end(const cv_notes_walk *w, size_t from);

/* Behind the next occurrence of `end`, or at the end of the text, which then ends in this state. */
size_t cv_walk_behind(cv_notes_walk *w, size_t from, const char *end, cv_at state);

/* The quoted text that begins here. */
void cv_walk_quoted(cv_notes_walk *w, unsigned how);

/* <<EOT, <<<EOT up to the line that is the word, and of several on one line the last. False: it is not one. */
bool cv_walk_heredoc(cv_notes_walk *w, size_t angles);

/* The next string, comment or character. */
void cv_walk_step(cv_notes_walk *w, const cv_lexis *l);

#endif
