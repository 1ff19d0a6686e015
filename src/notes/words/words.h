/* words.h - the words of the notes room as tables: languages, containers, fields, moods, kinds; see the .def files. */
#ifndef CV_NOTES_WORDS_WORDS_H
#define CV_NOTES_WORDS_WORDS_H

#include "base/arena.h"

enum {
    CV_NOTES_MAX_MESSAGE = 272,      /* characters; the specification's limit */
    CV_NOTES_MAX_NAME = 200,         /* bytes of a speaker, and of each target */
    CV_NOTES_MAX_TARGET = 1000,      /* bytes of all targets together */
    CV_NOTES_MAX_HEADER_COMMENTS = 8 /* comments at the top of a file in which a header is looked for */
};
/* A file that is read for notes; larger ones are reported and skipped. */
#define CV_NOTES_MAX_FILE ((size_t)64 << 20)

/* ---- what a note is in --------------------------------------------------------------------------------------- */

typedef enum {
#define CONTAINER(id, word, open, prefix, close, never, why) CV_IN_##id,
#include "notes/words/containers.def"
#undef CONTAINER
    CV_IN_COUNT
} cv_notes_container;

typedef struct {
    cv_str word, open, prefix, close;
    cv_str never; /* what a value in it must not have, with blanks between */
    cv_str why;
} cv_notes_container_row;
extern const cv_notes_container_row cv_notes_containers[CV_IN_COUNT];

/* ---- languages --------------------------------------------------------------------------------------------------- */

typedef enum {
    CV_READ_MARKDOWN,
    CV_READ_PHP,
    CV_READ_SQL,
    CV_READ_LUA,
    CV_READ_HASKELL,
    CV_READ_SCRIPT,
    CV_READ_GO,
    CV_READ_C,
    CV_READ_CSS,
    CV_READ_HTML,
    CV_READ_PYTHON,
    CV_READ_TOML,
    CV_READ_SHELL,
    CV_READ_RUBY,
    CV_READ_TRIPLE,
    CV_READ_TCL,
    CV_READ_POWERSHELL,
    CV_READ_YAML,
    CV_READ_MAKE,
    CV_READ_CMAKE,
    CV_READ_HEREDOC,
    CV_READ_NIX,
    CV_READ_ENV,
    CV_READ_LISP,
    CV_READ_TEX,
    CV_READ_LINES,
    CV_READ_COUNT
} cv_notes_reader;

typedef enum {
#define LANGUAGE(id, reader, note, header, endings, files, programs) CV_LANG_##id,
#include "notes/words/languages.def"
#undef LANGUAGE
    CV_LANG_COUNT
} cv_notes_language;

typedef struct {
    cv_str word;                     /* "PHP" */
    cv_str endings, files, programs; /* with blanks between */
    cv_notes_reader reader;
    cv_notes_container note, header;
} cv_notes_language_row;
extern const cv_notes_language_row cv_notes_languages[CV_LANG_COUNT];

/* By its name; OTHER: it says nothing. */
cv_notes_language cv_notes_language_of(cv_str path);

/* Of a file whose name says nothing, by how it begins: "#!/usr/bin/env python3", "<?php". */
cv_notes_language cv_notes_language_by(cv_str text);

/* ---- fields ------------------------------------------------------------------------------------------------------ */

typedef enum {
#define FIELD(id, key, also, column, required, rule) CV_NOTE_##id,
#include "notes/words/fields.def"
#undef FIELD
    CV_NOTE_FIELDS
} cv_note_field_id;

typedef struct {
    cv_str key, also, column;
    bool required;
    cv_str rule;
} cv_note_field_row;
extern const cv_note_field_row cv_note_fields[CV_NOTE_FIELDS];

/* The field that a key stands for, without regard to case; -1: another one. */
int cv_note_field_of(cv_str key);

/* ---- kinds and moods --------------------------------------------------------------------------------------------- */

typedef enum { CV_NOTE_KIND_HEADER, CV_NOTE_KIND_INLINE, CV_NOTE_KIND_MARKDOWN, CV_NOTE_KIND_COUNT } cv_note_kind;
extern const cv_str cv_note_kind_list[CV_NOTE_KIND_COUNT]; /* header, inline, markdown */
extern const cv_words cv_note_kinds;

extern const cv_str cv_mood_default; /* 666666 */
bool cv_mood_valid(cv_str mood);     /* six hex digits */
cv_str cv_mood_name(cv_str mood);    /* of the table; empty: it has none */

/* The names of the table, for those who teach them. */
typedef struct {
    cv_str hex, name;
} cv_mood_row;
extern const cv_mood_row cv_moods[];
extern const size_t cv_mood_count;

/* Is `word` one of `list`, which has blanks between its words? Without regard to case. */
bool cv_notes_listed(cv_str list, cv_str word);

/* A date of the calendar as YYYYMMDDHHMMSS. */
bool cv_notes_date_valid(cv_str date);

#endif
