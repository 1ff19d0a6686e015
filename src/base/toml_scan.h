/* toml_scan.h - the parts that TOML is made of: blanks, comments, strings, keys.
 *
 * For the reader (toml.h), and for those who change somebody else's file without reading its values.
 */
#ifndef CV_BASE_TOML_SCAN_H
#define CV_BASE_TOML_SCAN_H

#include "base/err.h"

typedef struct {
    cv_arena *arena;
    cv_str text;
    size_t at;
    cv_err *err;
} cv_toml_scan;

static inline char cv_toml_peek(const cv_toml_scan *s)
{
    return s->at < s->text.n ? s->text.p[s->at] : '\0';
}

/* An error at a byte of the text, with its line and column. Always false. */
bool cv_toml_bad(const cv_toml_scan *s, size_t at, const char *what);

bool cv_toml_comes(const cv_toml_scan *s, const char *word);
size_t cv_toml_break(cv_str text, size_t at); /* how long the line break there is; 0: there is none */
bool cv_toml_at_line_end(const cv_toml_scan *s);
void cv_toml_skip_blanks(cv_toml_scan *s);
void cv_toml_skip_comment(cv_toml_scan *s);

/* "…", '…' and both in three quotes, which may have line breaks: skipped, or decoded. */
bool cv_toml_skip_string(cv_toml_scan *s);
bool cv_toml_read_string(cv_toml_scan *s, cv_str *ret_text);

/* a."b c".d; what is deeper than any configuration is refused. */
enum { CV_TOML_PARTS = 32 };
typedef struct {
    cv_str parts[CV_TOML_PARTS];
    size_t count;
} cv_toml_path;

bool cv_toml_is_bare(char c); /* may be in a key without quotes */
bool cv_toml_read_path(cv_toml_scan *s, cv_toml_path *ret_path);

#endif
