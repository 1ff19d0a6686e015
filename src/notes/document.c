/* document.c - messages as documents; see document.h. */
#include "notes/document.h"

#include <stdio.h>

#include "base/file.h"
#include "kit/destination.h"
#include "notes/words/words.h"

#define MARK "conclave notes"

cv_note_entry cv_note_entry_of(const cv_note_row *row)
{
    return (cv_note_entry){.speaker = row->agent_name,
                           .target = row->target,
                           .mood_rgb = row->mood_rgb,
                           .message = row->message_text,
                           .source = row->path,
                           .date = row->created_ymdhis,
                           .line = row->line_start,
                           .last_line = row->line_end};
}

static void add_value(cv_buf *out, const char *lead, const char *key, cv_str value)
{
    cv_buf_printf(out, "%s%s: ", lead, key);
    cv_json_str(&(cv_json_writer){.out = out}, value);
    cv_buf_add_char(out, '\n');
}

static void add_fields(cv_buf *out, const char *first, const cv_note_entry *e)
{
    static const char lead[] = "  ";
    add_value(out, first, "speaker", e->speaker);
    add_value(out, lead, "target", e->target);
    add_value(out, lead, "mood_RGB", e->mood_rgb);
    add_value(out, lead, "message", e->message);
    if (e->date != CV_ABSENT)
        cv_buf_printf(out, "%sdate_ymdhis: %lld\n", lead, (long long)e->date);
}

void cv_notes_print_md(cv_buf *out, cv_str title, const cv_note_entries *all)
{
    cv_buf_printf(out, "# %.*s\n\n<!-- " MARK " -->\n", CV_FMT(title));
    for (size_t i = 0; i < all->count; i++) {
        const cv_note_entry *e = &all->items[i];
        cv_buf_add_z(out, "\n---\ndialog:\n");
        add_fields(out, "  ", e);
        cv_buf_printf(out, "---\nSource: %.*s (lines %lld-%lld)\n", CV_FMT(e->source), (long long)e->line,
                      (long long)e->last_line);
    }
}

void cv_notes_print_yaml(cv_buf *out, const cv_note_entries *all)
{
    cv_buf_add_z(out, "# " MARK "\n");
    if (!all->count)
        cv_buf_add_z(out, "[]\n");
    for (size_t i = 0; i < all->count; i++) {
        const cv_note_entry *e = &all->items[i];
        add_fields(out, "- ", e);
        add_value(out, "  ", "source", e->source);
        cv_buf_printf(out, "  source_lines: \"%lld-%lld\"\n", (long long)e->line, (long long)e->last_line);
    }
}

void cv_notes_print_json(cv_buf *out, const cv_note_entries *all)
{
    cv_json_writer w = {.out = out, .indent = 2};
    char lines[48];
    cv_json_begin_array(&w);
    for (size_t i = 0; i < all->count; i++) {
        const cv_note_entry *e = &all->items[i];
        int n = snprintf(lines, sizeof lines, "%lld-%lld", (long long)e->line, (long long)e->last_line);
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "speaker", e->speaker);
        cv_json_key_str(&w, "target", e->target);
        cv_json_key_str(&w, "mood_RGB", e->mood_rgb);
        cv_json_key_str(&w, "message", e->message);
        cv_json_key(&w, CV_STR("date_ymdhis"));
        if (e->date == CV_ABSENT)
            cv_json_null(&w);
        else
            cv_json_int(&w, e->date);
        cv_json_key_str(&w, "source", e->source);
        cv_json_key_str(&w, "source_lines", (cv_str){lines, (size_t)n});
        cv_json_end_object(&w);
    }
    cv_json_end_array(&w);
    cv_buf_add_char(out, '\n');
}

bool cv_notes_since(cv_str text, int64_t *ret_since, cv_err *err)
{
    bool valid = cv_notes_date_valid(text);
    *ret_since = 0;
    for (size_t i = 0; valid && i < text.n; i++)
        *ret_since = *ret_since * 10 + (text.p[i] - '0');
    if (valid)
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "this is not a date of the form YYYYMMDDHHMMSS");
    cv_err_field(err, CV_STR("since"));
    cv_err_value(err, text);
    cv_err_suggest(err, CV_STR("write fourteen digits in UTC, like 20260106120000"));
    return false;
}

/* ---- to a file --------------------------------------------------------------------------------------------------- */

static bool is_ours(void *ctx, cv_str bytes, bool unmarked)
{
    (void)unmarked;
    return cv_destination_forced(ctx) || cv_str_find(cv_str_head(bytes, 400), CV_STR(MARK)) != SIZE_MAX;
}

bool cv_notes_write_document(cv_call *call, cv_where where, cv_str text, cv_err *err)
{
    cv_file_rules rules = {.arena = call->arena, .is_ours = is_ours, .ctx = call, .gives_way = true};
    if (cv_file_write_at(where, text, &rules, err))
        return true;
    if (err->code == CV_ERR_FILE_CHANGED) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "there is another file of this name");
        cv_err_value(err, cv_str_of(cv_where_path(call->arena, where)));
        cv_err_suggest(err, cv_destination_advice(call));
    }
    return false;
}
