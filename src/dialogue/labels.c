/* labels.c - how people find a dialogue again: its title, its tags, and whether it is put away.
 *
 *     archive, unarchive    lists and searches leave it out, unless they are asked; and back
 *     rename                another title; the id stays, so that links, files and references hold
 *     tag                   words by which `list` filters
 *
 * Labels do not belong to the deliberation: they change after the verdict, too, and when the dialogue was abandoned.
 * Each change is an event that keeps the old value. A label that is set already is not written again.
 */
#include "dialogue/labels.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/journal.h"
#include "dialogue/notices.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/person.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_str id, title, before; /* before: the title that it had */
    bool archived;
    cv_str tags; /* JSON */
    cv_texts added, removed;
    cv_notices warnings;
} labels;

#define CV_THIS_TYPE labels
static const cv_shape head[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, "it never changes"),
    CV_FIELD(ALWAYS, title, ""),
    {0},
};
const cv_shape cv_archive_shape[] = {
    CV_SPREAD_SAME(head),
    CV_FIELD(ALWAYS, archived, "lists and searches leave it out by default"),
    CV_WRITTEN("dialogue"),
    {0},
};
const cv_shape cv_rename_shape[] = {
    CV_SPREAD_SAME(head),
    CV_FIELD_AS(IF_ANY, "old_title", before, ""),
    CV_WRITTEN("dialogue"),
    {0},
};
const cv_shape cv_tag_shape[] = {
    CV_SPREAD_SAME(head),
    CV_JSON_AS(ALWAYS, NAMES, "tags", tags, "all that it has now, in the order of the alphabet"),
    CV_TEXTS("added", added.items, added.count, "those that are new"),
    CV_TEXTS("removed", removed.items, removed.count, "those that it had"),
    CV_WARNINGS(warnings, CV_TO_BE_KNOWN),
    CV_WRITTEN("dialogue"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- one change -------------------------------------------------------------------------------------------------- */

static bool load(cv_call *call, cv_state *s, labels *l)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE)};
    cv_err err = {.arena = call->arena};
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, s, &err))
        return cv_call_fail(call, &err);
    *l = (labels){.id = s->id, .title = s->dialogue.title};
    return true;
}

/* {"old": {"title": "…"}} */
static cv_str old_value(cv_arena *a, const char *key, cv_str json)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("old"));
    cv_json_begin_object(&w);
    cv_json_key(&w, cv_str_of(key));
    cv_json_raw(&w, json);
    cv_json_end_object(&w);
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

/* `row` NULL: nothing changes. */
static bool enter(cv_call *call, const cv_state *s, const cv_rec_dialogue *row, cv_event what, cv_str data,
                  cv_str answer, cv_outcome *outcome)
{
    cv_journal j;
    cv_journal_begin(&j, call, s);
    if (row) {
        cv_journal_put(&j, CV_REC_DIALOGUE, row);
        cv_rec_event *event =
            cv_journal_event(&j, 'D', s->id, cv_event_words.items[what], CV_ABSENT, cv_judge_alone.json);
        event->reason = cv_json_get_text(call->input, "reason");
        event->data = data;
        cv_journal_covers(&j, event, CV_REC_DIALOGUE, row);
    }
    return cv_journal_commit(&j, answer, outcome);
}

/* ---- archive, unarchive ------------------------------------------------------------------------------------------ */

static bool put_away(cv_call *call, bool archived, cv_outcome *outcome)
{
    cv_state s;
    labels l;
    if (!load(call, &s, &l))
        return false;
    cv_rec_dialogue row = s.dialogue;
    l.archived = archived;
    row.archived = archived ? 1 : CV_ABSENT;
    cv_text_read(call, call->input, CV_STR(""), "reason", CV_MAX_PROSE, CV_TEXT_PROSE);
    return call->errs->count == 0 && enter(call, &s, cv_dialogue_is_archived(&s.dialogue) != archived ? &row : NULL,
                                           archived ? CV_EVENT_ARCHIVED : CV_EVENT_UNARCHIVED, (cv_str){NULL, 0},
                                           cv_shape_text(call->arena, cv_archive_shape, &l), outcome);
}

static bool archive(cv_call *call, cv_outcome *outcome)
{
    return put_away(call, true, outcome);
}

static bool unarchive(cv_call *call, cv_outcome *outcome)
{
    return put_away(call, false, outcome);
}

bool cv_dialogue_archive(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue archive"), archive);
}

bool cv_dialogue_unarchive(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue unarchive"), unarchive);
}

static bool take_name(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    cv_json_writer *w = ctx;
    (void)row, (void)rev;
    cv_json_str(w, cv_arena_printf(err->arena, "dialogue/%.*s", CV_FMT(id)));
    return true;
}

bool cv_archived_name(const cv_call *call, cv_json_writer *w, cv_err *err)
{
    const cv_list_query query = {.archived = true, .names = true};
    return cv_list_dialogues(call->record, call->arena, &query, take_name, w, err);
}

bool cv_archived_left_out(cv_call *call, const cv_json *others, cv_str *ret_ids, cv_err *err)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_array(&w);
    for (uint32_t i = 0; others && i < others->count; i++)
        cv_json_str(&w, cv_arena_printf(call->arena, "dialogue/%.*s", CV_FMT(others->items[i].text)));
    bool ok = cv_json_get_true(call->input, "archived") || cv_archived_name(call, &w, err);
    cv_json_end_array(&w);
    *ret_ids = text.n > 2 ? cv_buf_take(&text, call->arena) : (cv_str){NULL, 0};
    cv_buf_release(&text);
    return ok;
}

/* ---- rename ------------------------------------------------------------------------------------------------------ */

static bool rename_it(cv_call *call, cv_outcome *outcome)
{
    cv_state s;
    labels l;
    cv_buf old = {0};
    if (!load(call, &s, &l))
        return false;
    cv_str title = cv_text_read(call, call->input, CV_STR(""), "title", CV_MAX_TITLE, CV_TEXT_LINE);
    if (call->errs->count > 0)
        return false;
    bool changes = !cv_str_eq(title, s.dialogue.title);
    cv_rec_dialogue row = s.dialogue;
    row.title = l.title = title;
    l.before = changes ? s.dialogue.title : (cv_str){NULL, 0};
    cv_json_str(&(cv_json_writer){.out = &old}, s.dialogue.title);
    cv_str data = old_value(call->arena, "title", cv_buf_take(&old, call->arena));
    return enter(call, &s, changes ? &row : NULL, CV_EVENT_RENAMED, data,
                 cv_shape_text(call->arena, cv_rename_shape, &l), outcome);
}

bool cv_dialogue_rename(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue rename"), rename_it);
}

/* ---- tag --------------------------------------------------------------------------------------------------------- */

static cv_str read_tag(cv_call *call, const char *list, size_t index, cv_str given)
{
    cv_str at = cv_arena_printf(call->arena, "%s[%zu]", list, index);
    cv_str tag = cv_arena_lower(call->arena, cv_str_trim(given));
    while (tag.n > 0 && tag.p[0] == '#')
        tag = cv_str_from(tag, 1);
    bool word = tag.n > 0 && cv_utf8_count(tag) <= CV_MAX_TAG && !cv_str_has_control(tag);
    for (size_t i = 0; i < tag.n && word; i++)
        word = tag.p[i] != ' ' && tag.p[i] != ',' && tag.p[i] != '"';
    if (!word) {
        cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), list, given, "'%.*s' is not a tag",
                                  CV_FMT(cv_excerpt(call->arena, given)));
        cv_err_field(fault, at);
        cv_err_suggest(fault, cv_arena_printf(call->arena,
                                              "write one word without blanks and commas, at most %d characters: %s",
                                              CV_MAX_TAG, "job-queue"));
    }
    return tag;
}

static size_t place_of(const cv_str *tags, size_t count, cv_str tag)
{
    size_t i = 0;
    while (i < count && !cv_str_eq(tags[i], tag))
        i++;
    return i;
}

cv_words cv_tags_read(cv_call *call, const char *key)
{
    const cv_json *list = cv_json_get(call->input, cv_str_of(key));
    cv_str *tags = CV_NEW_ARRAY(call->arena, list ? list->count : 0, cv_str);
    size_t count = 0;
    for (uint32_t i = 0; list && i < list->count; i++) {
        cv_str tag = read_tag(call, key, i, list->items[i].text);
        if (place_of(tags, count, tag) == count)
            tags[count++] = tag;
    }
    return (cv_words){tags, count};
}

static void refuse_tags(cv_call *call, const cv_words *add, const cv_words *remove)
{
    for (size_t i = 0; i < remove->count; i++)
        if (place_of(add->items, add->count, remove->items[i]) < add->count)
            cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "remove", remove->items[i],
                                     "'%.*s' is both added and removed", CV_FMT(remove->items[i])),
                           CV_STR("name it in one of the two"));
    if (add->count + remove->count == 0)
        cv_err_suggest(cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "add", (cv_str){NULL, 0}, "no tag is given"),
                       CV_STR("give tags in 'add' or in 'remove'"));
}

static int by_name(const void *x, const void *y)
{
    return cv_str_order(*(const cv_str *)x, *(const cv_str *)y);
}

/* Those that it has, without the removed ones, with the added ones. */
static void change_tags(cv_call *call, cv_str has, const cv_words *add, const cv_words *remove, labels *l)
{
    cv_words old = cv_json_list(call->arena, has);
    cv_str *tags = CV_NEW_ARRAY(call->arena, old.count + add->count, cv_str);
    size_t count = 0;
    for (size_t i = 0; i < old.count; i++)
        if (place_of(remove->items, remove->count, old.items[i]) == remove->count)
            tags[count++] = old.items[i];
        else
            *CV_PUSH(call->arena, &l->removed) = old.items[i];
    for (size_t i = 0; i < remove->count; i++)
        if (place_of(old.items, old.count, remove->items[i]) == old.count)
            cv_notice_add(&l->warnings, call->arena, CV_STR("unknown_tag"), "the dialogue has no tag '%.*s'",
                          CV_FMT(remove->items[i]));
    for (size_t i = 0; i < add->count; i++)
        if (place_of(tags, count, add->items[i]) == count)
            *CV_PUSH(call->arena, &l->added) = tags[count++] = add->items[i];
    if (count > CV_MAX_TAGS)
        cv_err_suggest(cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), "add", (cv_str){NULL, 0},
                                 "the dialogue would have %zu tags, at most %d are allowed", count, CV_MAX_TAGS),
                       CV_STR("remove some"));
    if (count > 1)
        qsort(tags, count, sizeof *tags, by_name);
    l->tags = cv_json_texts(call->arena, tags, count);
}

static bool tag_it(cv_call *call, cv_outcome *outcome)
{
    cv_state s;
    labels l;
    if (!load(call, &s, &l))
        return false;
    cv_words add = cv_tags_read(call, "add"), remove = cv_tags_read(call, "remove");
    refuse_tags(call, &add, &remove);
    change_tags(call, s.dialogue.tags, &add, &remove, &l);
    if (call->errs->count > 0)
        return false;
    cv_rec_dialogue row = s.dialogue;
    row.tags = l.tags.n > 2 ? l.tags : (cv_str){NULL, 0};
    cv_str data = old_value(call->arena, "tags", s.dialogue.tags.p ? s.dialogue.tags : CV_STR("null"));
    return enter(call, &s, l.added.count + l.removed.count ? &row : NULL, CV_EVENT_TAGGED, data,
                 cv_shape_text(call->arena, cv_tag_shape, &l), outcome);
}

bool cv_dialogue_tag(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue tag"), tag_it);
}
