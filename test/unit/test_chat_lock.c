/* test_chat_lock.c - a lock that others do not respect: what somebody writes without having it is kept, and a lock is
 * given back by force only from the holder that was looked at.
 */
#include "actors.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "chat/change.h"

/* Before the program gives the chat its name back, somebody else may act. */
static void (*before_naming)(void);

int renameat2(int folder, const char *from, int to_folder, const char *to, unsigned flags);
int renameat2(int folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    void (*act)(void) = strcmp(to, "temp_chat_c.txt") == 0 ? before_naming : NULL;
    before_naming = act ? NULL : before_naming;
    if (act)
        act();
    return (int)syscall(SYS_renameat2, folder, from, to_folder, to, flags);
}

typedef struct {
    cv_call call;
    cv_json input;
    cv_chat_folder folder;
    cv_chat_place place;
    cv_chat_lock lock;
    const char *file, *editing;
    cv_err err;
} scene;

static void set(cv_world *w, scene *s)
{
    actor_do(w, NOBODY, "chat open", "{'purpose': 'p', 'participants': ['A@x', 'B@y'], 'id': 'c'}");
    actor_do(w, NOBODY, "chat send", "{'chat_id': 'c', 'from': 'A@x', 'type': 'T', 'body': 'one'}");
    *s = (scene){.call = cv_world_begin(w),
                 .input = {.type = CV_JSON_OBJECT},
                 .folder = {.where = {w->folder, ".conclave/chat"}},
                 .file = cv_arena_printf(&w->a, "%s/.conclave/chat/temp_chat_c.txt", w->folder).p,
                 .editing = cv_arena_printf(&w->a, "%s/.conclave/chat/temp_chat_c_editing.txt", w->folder).p,
                 .err = {.arena = &w->a}};
    s->call.input = &s->input;
    s->place = cv_chat_place_in(&s->call, &s->folder, CV_STR("c"));
}

static cv_str content(cv_world *w, const char *path)
{
    cv_str text;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_file_read(&w->a, path, 1 << 20, &text, &err), &err);
    return text;
}

static void put(const char *path, const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#define OURS "[M0002] FROM:A@x | TYPE:T | FLAG:UNREAD\nours\n"

/* `write` is done by somebody else while we have the lock. */
static void is_kept_when(cv_world *w, void (*write)(const scene *s))
{
    scene s;
    set(w, &s);
    assert_int_equal(cv_chat_lock_take(&s.call, &s.place, 0, &s.lock, &s.err), CV_LOCK_HELD);
    assert_ok(cv_chat_lock_write(&s.lock, &(cv_chat_edits){0}, CV_STR(OURS), &s.err), &s.err);
    write(&s);
    assert_int_equal(cv_chat_lock_publish(&s.lock, &s.err), CV_LOCK_HELD);
    assert_non_null(s.lock.late);
    const char *late = cv_arena_printf(&w->a, "%s/.conclave/chat/%s", w->folder, s.lock.late).p;
    assert_true(cv_str_ends(content(w, late), CV_STR("theirs\n")));
    assert_true(cv_str_ends(content(w, s.file), CV_STR("one\n" OURS)));
    cv_chat_lock_end(&s.lock);
    cv_json reply = actor_do(w, NOBODY, "chat check", "{'chat_id': 'c'}");
    const cv_json *findings = cv_json_get(&reply, CV_STR("findings"));
    assert_int_equal(findings->count, 1);
    assert_str_eq(cv_json_get_text(&findings->items[0], "code"), "late_text");
}

static void append(const scene *s)
{
    put(s->editing, "a", "theirs\n");
}

/* As sed -i and most editors do. */
static void replace(const scene *s)
{
    const char *other = cv_arena_printf(s->err.arena, "%s.sed", s->editing).p;
    put(other, "w", "theirs\n");
    assert_int_equal(rename(other, s->editing), 0);
}

static const scene *hand;

static void hand_gives_our_lock_back(void)
{
    assert_int_equal(rename(hand->editing, hand->file), 0);
}

static void append_and_mean_to_give_back(const scene *s)
{
    append(s);
    hand = s;
    before_naming = hand_gives_our_lock_back;
}

static void what_is_appended_without_the_lock_is_kept(void **state)
{
    is_kept_when(*state, append);
}

static void what_is_written_by_a_rename_without_the_lock_is_kept(void **state)
{
    is_kept_when(*state, replace);
}

/* The new version is the chat, whichever process renamed it. */
static void a_lock_that_somebody_else_gives_back_was_given_back(void **state)
{
    is_kept_when(*state, append_and_mean_to_give_back);
    assert_null(before_naming);
}

/* ---- force ------------------------------------------------------------------------------------------------------- */

static void hand_takes(const scene *s)
{
    assert_int_equal(rename(s->file, s->editing), 0);
}

static void hand_gives_back(const scene *s)
{
    assert_int_equal(rename(s->editing, s->file), 0);
}

static bool force(scene *s, const cv_chat_holder *seen)
{
    const char *kept;
    cv_err_clear(&s->err);
    return cv_chat_lock_break(&s->call, &s->place, seen, false, &kept, &s->err);
}

static void force_takes_only_what_was_looked_at(void **state)
{
    cv_world *w = *state;
    scene s;
    cv_chat_holder seen;
    set(w, &s);
    hand_takes(&s);
    assert_ok(cv_chat_lock_holder(&s.call, &s.place, &seen, &s.err), &s.err);
    assert_int_equal(seen.kind, CV_HOLDER_HAND);
    usleep(20000); /* the clock of files ticks */
    hand_gives_back(&s);
    hand_takes(&s); /* another one */
    assert_false(force(&s, &seen));
    assert_ok(cv_chat_lock_holder(&s.call, &s.place, &seen, &s.err), &s.err);
    usleep(20000);
    append(&s); /* it lives */
    assert_false(force(&s, &seen));
    assert_int_equal(access(s.editing, F_OK), 0);
    assert_ok(cv_chat_lock_holder(&s.call, &s.place, &seen, &s.err), &s.err);
    assert_ok(force(&s, &seen), &s.err);
    assert_int_equal(access(s.file, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_appended_without_the_lock_is_kept, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(what_is_written_by_a_rename_without_the_lock_is_kept, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_lock_that_somebody_else_gives_back_was_given_back, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(force_takes_only_what_was_looked_at, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
