/* ignore.c - patterns of .gitignore; see ignore.h. */
#include "notes/ignore.h"

#include "notes/words/words.h"

typedef struct cv_ignore_pattern {
    cv_str glob;
    bool keeps;        /* "!": not ignored after all */
    bool folders_only; /* it ended in "/" */
    bool anchored;     /* it has a "/": of the path below the folder, else of any name */
} pattern;

/* ---- globs ------------------------------------------------------------------------------------------------------- */

/* "[a-c]", "[!x]": does it have `c`? Its length, or 0: it is not closed. */
static size_t match_class(cv_str p, char c, bool *ret_has)
{
    size_t i = 1;
    bool negated = i < p.n && (p.p[i] == '!' || p.p[i] == '^'), has = false;
    i += negated;
    for (size_t first = i; i < p.n && (p.p[i] != ']' || i == first); i++) {
        if (i + 2 < p.n && p.p[i + 1] == '-' && p.p[i + 2] != ']') {
            has |= c >= p.p[i] && c <= p.p[i + 2];
            i += 2;
        } else {
            has |= p.p[i] == c;
        }
    }
    *ret_has = has != negated && c != '/';
    return i < p.n ? i + 1 : 0;
}

/* One step of the pattern against one character; 0: it does not match, else how much of the pattern it took. */
static size_t match_one(cv_str p, char c)
{
    bool has;
    if (p.p[0] == '?')
        return c != '/';
    if (p.p[0] == '[') {
        size_t n = match_class(p, c, &has);
        return n ? (has ? n : 0) : c == '[';
    }
    if (p.p[0] == '\\' && p.n > 1)
        return p.p[1] == c ? 2 : 0;
    return p.p[0] == c;
}

/* Does the glob match the whole text? '*' and '?' stop at '/', "**" does not.
 *
 * Each star remembers where it can take one more character; only the last one is ever asked again, and the last "**"
 * behind it, so that the cost is the product of both lengths at most. */
static bool glob_matches(cv_str glob, cv_str text)
{
    size_t p = 0, t = 0, star_p = SIZE_MAX, star_t = 0, deep_p = SIZE_MAX, deep_t = 0;
    while (t < text.n || p < glob.n) {
        size_t took;
        if (p + 1 < glob.n && glob.p[p] == '*' && glob.p[p + 1] == '*') {
            p += 2;
            p += p < glob.n && glob.p[p] == '/'; /* "a / ** / b" has nothing between, too */
            deep_p = p;
            deep_t = t;
            star_p = SIZE_MAX;
        } else if (p < glob.n && glob.p[p] == '*') {
            star_p = ++p;
            star_t = t;
        } else if (t < text.n && p < glob.n && (took = match_one(cv_str_from(glob, p), text.p[t])) > 0) {
            p += took;
            t++;
        } else if (star_p != SIZE_MAX && star_t < text.n && text.p[star_t] != '/') {
            p = star_p;
            t = ++star_t;
        } else if (deep_p != SIZE_MAX && deep_t < text.n) {
            p = deep_p;
            t = ++deep_t;
            star_p = SIZE_MAX;
        } else {
            return false;
        }
    }
    return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void add_pattern(cv_arena *a, cv_str line, cv_ignores *ret)
{
    pattern one = {0};
    while (line.n && (line.p[line.n - 1] == '\r' || (line.p[line.n - 1] == ' ' && !cv_str_ends(line, CV_STR("\\ ")))))
        line.n--;
    if (!line.n || line.p[0] == '#')
        return;
    one.keeps = line.p[0] == '!';
    line = cv_str_from(line, one.keeps);
    one.folders_only = cv_str_ends(line, CV_STR("/"));
    line.n -= one.folders_only;
    one.anchored = line.n && cv_str_find_char(line, '/') != SIZE_MAX;
    one.glob = line.n && line.p[0] == '/' ? cv_str_from(line, 1) : line;
    if (one.glob.n)
        *CV_PUSH(a, ret) = one;
}

void cv_ignores_parse(cv_arena *a, cv_str text, cv_str folder, const cv_ignores *above, cv_ignores *ret)
{
    cv_str line;
    *ret = (cv_ignores){.above = above, .folder = folder};
    while (cv_str_split(&text, '\n', &line))
        add_pattern(a, line, ret);
}

static cv_str name_of(cv_str path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/')
        at--;
    return cv_str_from(path, at);
}

bool cv_ignores_has(const cv_ignores *ignores, cv_str path, bool is_folder)
{
    for (; ignores; ignores = ignores->above) {
        cv_str below = ignores->folder.n ? cv_str_from(path, ignores->folder.n + 1) : path;
        for (size_t i = ignores->count; i > 0; i--) {
            const pattern *one = &ignores->items[i - 1];
            if ((is_folder || !one->folders_only) && glob_matches(one->glob, one->anchored ? below : name_of(path)))
                return !one->keeps;
        }
    }
    return false;
}

bool cv_ignores_vendored(cv_str name, bool is_folder)
{
    static const cv_str folders =
        CV_STR_INIT(".git .hg .svn .conclave node_modules bower_components vendor storage backups "
                    "third_party __pycache__ .venv venv .idea .cache");
    if (is_folder)
        return cv_notes_listed(folders, name);
    return cv_str_ends(name, CV_STR(".min.js")) || cv_str_ends(name, CV_STR(".min.css")) ||
           cv_str_ends(name, CV_STR(".map"));
}
