/* words.c - the tables of words.h, from the .def files. */
#include "notes/words/words.h"

#include <assert.h>
#include <stddef.h>

#include "base/clock.h"

const cv_notes_container_row cv_notes_containers[CV_IN_COUNT] = {
#define CONTAINER(id, word, open, prefix, close, never, why)                                                           \
    {CV_STR_INIT(word),  CV_STR_INIT(open),  CV_STR_INIT(prefix),                                                      \
     CV_STR_INIT(close), CV_STR_INIT(never), CV_STR_INIT(why)},
#include "notes/words/containers.def"
#undef CONTAINER
};

const cv_notes_language_row cv_notes_languages[CV_LANG_COUNT] = {
#define LANGUAGE(id, reader, note, header, endings, files, programs)                                                   \
    {CV_STR_INIT(#id), CV_STR_INIT(endings), CV_STR_INIT(files), CV_STR_INIT(programs),                                \
     CV_READ_##reader, CV_IN_##note,         CV_IN_##header},
#include "notes/words/languages.def"
#undef LANGUAGE
};

const cv_note_field_row cv_note_fields[CV_NOTE_FIELDS] = {
#define FIELD(id, key, also, column, required, rule)                                                                   \
    {CV_STR_INIT(key), CV_STR_INIT(also), CV_STR_INIT(column), required, CV_STR_INIT(rule)},
#include "notes/words/fields.def"
#undef FIELD
};

const cv_mood_row cv_moods[] = {
#define MOOD(hex, name) {CV_STR_INIT(hex), CV_STR_INIT(name)},
#include "notes/words/moods.def"
#undef MOOD
};
const size_t cv_mood_count = CV_COUNT(cv_moods);

const cv_str cv_note_kind_list[CV_NOTE_KIND_COUNT] = {CV_STR_INIT("header"), CV_STR_INIT("inline"),
                                                      CV_STR_INIT("markdown")};
const cv_words cv_note_kinds = {cv_note_kind_list, CV_NOTE_KIND_COUNT};
const cv_str cv_mood_default = CV_STR_INIT("666666");

bool cv_notes_listed(cv_str list, cv_str word)
{
    cv_str one;
    while (cv_str_split(&list, ' ', &one))
        if (one.n && cv_str_eq_nocase(one, word))
            return true;
    return false;
}

/* Behind the last of these characters. */
static cv_str behind_last(cv_str text, const char *any)
{
    size_t at = text.n;
    while (at > 0 && !strchr(any, text.p[at - 1]))
        at--;
    return cv_str_from(text, at);
}

/* The first language with the word in one of its lists: `list` is where that is in a row. */
static cv_notes_language find_language(size_t list, cv_str word)
{
    assert(list + sizeof(cv_str) <= sizeof(cv_notes_language_row));
    for (int i = 0; word.n && i < CV_LANG_COUNT; i++)
        if (cv_notes_listed(*(const cv_str *)((const char *)&cv_notes_languages[i] + list), word))
            return (cv_notes_language)i;
    return CV_LANG_OTHER;
}

/* CMakeLists.txt, .bashrc; then main.py; then Dockerfile.dev, README.de. */
cv_notes_language cv_notes_language_of(cv_str path)
{
    cv_str name = behind_last(path, "/"), ending = behind_last(name, ".");
    name = cv_str_starts(name, CV_STR(".")) ? cv_str_from(name, 1) : name;
    cv_notes_language found = find_language(offsetof(cv_notes_language_row, files), name);
    if (found == CV_LANG_OTHER && ending.n < name.n)
        found = find_language(offsetof(cv_notes_language_row, endings), ending);
    size_t dot = cv_str_find_char(name, '.');
    return found == CV_LANG_OTHER && dot != SIZE_MAX
               ? find_language(offsetof(cv_notes_language_row, files), cv_str_head(name, dot))
               : found;
}

/* "#!/usr/bin/env -S python3.11 -u" -> "python" */
static cv_str program_of(cv_str line)
{
    cv_str rest = cv_str_trim(cv_str_from(line, 2)), word;
    while (cv_str_split(&rest, ' ', &word)) {
        word = behind_last(word, "/");
        while (word.n && (cv_is_digit(word.p[word.n - 1]) || word.p[word.n - 1] == '.'))
            word.n--;
        if (word.n && word.p[0] != '-' && !cv_str_eq(word, CV_STR("env")))
            return word;
    }
    return CV_STR("");
}

cv_notes_language cv_notes_language_by(cv_str text)
{
    cv_str line = cv_str_head(text, cv_str_find_char(text, '\n') == SIZE_MAX ? text.n : cv_str_find_char(text, '\n'));
    if (cv_str_starts(line, CV_STR("#!")))
        return find_language(offsetof(cv_notes_language_row, programs), program_of(line));
    return cv_str_starts(line, CV_STR("<?php"))              ? CV_LANG_PHP
           : cv_str_starts(line, CV_STR("<?xml"))            ? CV_LANG_XML
           : cv_str_starts_nocase(line, CV_STR("<!doctype")) ? CV_LANG_HTML
                                                             : CV_LANG_OTHER;
}

int cv_note_field_of(cv_str key)
{
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        if (cv_str_eq_nocase(cv_note_fields[i].key, key) || cv_notes_listed(cv_note_fields[i].also, key))
            return i;
    return -1;
}

bool cv_mood_valid(cv_str mood)
{
    for (size_t i = 0; i < mood.n; i++)
        if (!cv_is_digit(mood.p[i]) && !(cv_lower(mood.p[i]) >= 'a' && cv_lower(mood.p[i]) <= 'f'))
            return false;
    return mood.n == 6;
}

cv_str cv_mood_name(cv_str mood)
{
    for (size_t i = 0; i < cv_mood_count; i++)
        if (cv_str_eq_nocase(cv_moods[i].hex, mood))
            return cv_moods[i].name;
    return CV_STR("");
}

bool cv_notes_date_valid(cv_str date)
{
    char iso[CV_TIME_LEN];
    int64_t ms;
    if (date.n != 14)
        return false;
    for (size_t i = 0; i < date.n; i++)
        if (!cv_is_digit(date.p[i]))
            return false;
    static const char form[] = "....-..-..T..:..:..Z";
    _Static_assert(sizeof form - 1 <= sizeof iso, "the date fits");
    size_t from = 0, n = sizeof form - 1;
    for (size_t i = 0; i < n; i++)
        iso[i] = form[i] == '.' ? date.p[from++] : form[i];
    assert(from == date.n);
    return cv_time_parse((cv_str){iso, n}, &ms);
}
