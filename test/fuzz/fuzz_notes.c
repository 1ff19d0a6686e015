/* fuzz_notes.c - any bytes as a file of any language: reading, setting a header and adding notes agree.
 *
 * The first byte chooses the language. What is read lies inside of the text; a header that may be set is read back as
 * it was set, the same update again changes nothing; a note that may be added is read back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "notes/text/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds, const char *what, cv_str x, cv_str y)
{
    if (holds)
        return;
    fprintf(stderr, "== %s\n-- one (%zu bytes)\n%.*s\n-- other (%zu bytes)\n%.*s\n==\n", what, x.n, CV_FMT(x), y.n,
            CV_FMT(y));
    abort();
}

static void check_places(const cv_notes_file *file)
{
    cv_str text = file->text;
    for (size_t i = 0; i < file->count; i++) {
        const cv_note *n = &file->items[i];
        need(n->at.start <= n->at.end && n->at.end <= text.n, "a note lies in the text", text, text);
        need(n->line >= 1 && n->line <= n->last_line, "its lines are in order", text, text);
        for (size_t k = 0; k < n->field_count; k++) {
            const cv_note_field *f = &n->fields[k];
            need(f->value_at.start <= f->value_at.end && f->value_at.end <= text.n, "a value lies in the text", text,
                 text);
            need(cv_str_eq(f->key, cv_span_of(text, f->key_at)), "a key is where it says", f->key, text);
        }
    }
    need(file->header.at.end <= text.n && file->header.whole.end <= text.n, "the header lies in the text", text, text);
}

static void check_set(cv_arena *a, const cv_notes_file *file, const cv_note_values *v)
{
    cv_err err = {.arena = a};
    cv_notes_file now;
    cv_str text, again;
    if (!cv_notes_set_header(a, file, v, &text, &err))
        return;
    cv_notes_read(a, text, file->language, 0, &now);
    bool ok = cv_notes_set_header(a, &now, v, &again, &err);
    need(ok, "what was set can be set again", text, ok ? text : err.message);
    need(cv_str_eq(text, again), "the same update twice is one", text, again);
    need(cv_notes_header_dialog(file) == NULL ||
             cv_str_eq(cv_notes_body_digest(a, file), cv_notes_body_digest(a, &now)) ||
             cv_notes_header_dialog(file)->at.start > file->text.n ||
             cv_notes_header_dialog(file)->of[CV_NOTE_MOOD] != NULL,
         "the rest stays", file->text, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_notes_file file;
    cv_note_insertion note = {.line = 2};
    cv_str text;
    cv_err err = {.arena = &a};
    size_t bad;
    if (size == 0)
        return 0;
    cv_str bytes = {(const char *)data + 1, size - 1};
    note.values.of[CV_NOTE_SPEAKER] = CV_STR("FUZZ");
    note.values.of[CV_NOTE_TARGET] = CV_STR("@everyone");
    note.values.of[CV_NOTE_MESSAGE] = CV_STR("It's \"quoted\": # and \\ so on");
    cv_notes_read(&a, bytes, (cv_notes_language)(data[0] % CV_LANG_COUNT), CV_NOTES_MARKDOWN, &file);
    check_places(&file);
    cv_notes_read(&a, bytes, (cv_notes_language)(data[0] % CV_LANG_COUNT), 0, &file);
    check_set(&a, &file, &note.values);
    for (note.line = 1; note.line < 12; note.line++)
        cv_notes_insert(&a, &file, &note, 1, &text, &bad, &err);
    cv_arena_release(&a);
    return 0;
}
