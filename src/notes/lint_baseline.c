/* lint_baseline.c - findings that are known already; see lint_baseline.h. */
#include "notes/lint_baseline.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/limits.h"
#include "notes/text/reading.h"
#include "record/hash.h"

#define TITLE "# conclave notes lint: findings that are known\n"
enum { DIGEST = 12 };

static cv_str line_of(cv_arena *a, const cv_rule_row *rules, cv_str path, cv_str text, const cv_finding *f)
{
    cv_str line = cv_str_trim(cv_line_text(text, cv_line_at(text, cv_line_start(text, f->start))));
    return cv_arena_printf(a, "%.*s %.*s %.*s", CV_FMT(rules[f->rule].word),
                           CV_FMT(cv_str_head(cv_hash_text(a, line), DIGEST)), CV_FMT(path));
}

/* "rule digest number path" -> the same without its number, and the number. */
static bool split_line(cv_arena *a, cv_str line, cv_str *ret_name, int *ret_count)
{
    cv_str rest = line, rule, digest, count;
    if (!cv_str_split(&rest, ' ', &rule) || !cv_str_split(&rest, ' ', &digest) || !cv_str_split(&rest, ' ', &count) ||
        !rest.n || digest.n != DIGEST || !cv_str_to_int(count, ret_count) || *ret_count < 1)
        return false;
    *ret_name = cv_arena_printf(a, "%.*s %.*s %.*s", CV_FMT(rule), CV_FMT(digest), CV_FMT(rest));
    return true;
}

bool cv_notes_baseline_read(cv_arena *a, cv_where where, cv_notes_baseline *ret, cv_err *err)
{
    cv_str text, line, name;
    size_t number = 0;
    int count;
    if (!cv_file_read_text_at(a, where, &text, err))
        return false;
    while (cv_str_split(&text, '\n', &line)) {
        number++;
        line = cv_str_trim_right(line);
        if (!line.n || line.p[0] == '#')
            continue;
        if (!split_line(a, line, &name, &count)) {
            cv_err_at(err, CV_ERR_INVALID_VALUE, number, 1, "this line is not of a baseline");
            cv_err_file(err, cv_str_of(cv_where_path(a, where)));
            cv_err_suggest(err, CV_STR("let lint write the baseline again"));
            return false;
        }
        *cv_map_put(&ret->counts, a, name, NULL) += (uintptr_t)count;
    }
    return true;
}

size_t cv_notes_baseline_filter(cv_arena *a, cv_notes_baseline *known, const cv_rule_row *rules, cv_str path,
                                cv_str text, cv_findings *findings)
{
    size_t kept = 0, count = findings->count;
    for (size_t i = 0; i < count; i++) {
        uintptr_t *left = cv_map_get(&known->counts, line_of(a, rules, path, text, &findings->items[i]));
        if (left && *left)
            --*left;
        else
            findings->items[kept++] = findings->items[i];
    }
    findings->count = kept;
    return count - kept;
}

static int by_text(const void *x, const void *y)
{
    return cv_str_order(*(const cv_str *)x, *(const cv_str *)y);
}

void cv_notes_baseline_add(cv_arena *a, cv_notes_baseline *to, const cv_rule_row *rules, cv_str path, cv_str text,
                           const cv_findings *findings)
{
    cv_str *lines = CV_NEW_ARRAY(a, findings->count, cv_str);
    for (size_t i = 0; i < findings->count; i++)
        lines[i] = line_of(a, rules, path, text, &findings->items[i]);
    if (findings->count)
        qsort(lines, findings->count, sizeof *lines, by_text);
    for (size_t i = 0, n; i < findings->count; i += n) {
        for (n = 1; i + n < findings->count && cv_str_eq(lines[i], lines[i + n]);)
            n++;
        size_t head = cv_str_find_char(lines[i], ' ') + 1 + DIGEST;
        cv_buf_printf(&to->lines, "%.*s %zu%.*s\n", CV_FMT(cv_str_head(lines[i], head)), n,
                      CV_FMT(cv_str_from(lines[i], head)));
    }
}

bool cv_notes_baseline_write(cv_arena *a, cv_where where, cv_notes_baseline *all, cv_err *err)
{
    cv_str text = cv_arena_join(a, CV_STR(TITLE), cv_buf_take(&all->lines, a));
    return cv_file_write_at(where, text, NULL, err);
}
