/* test_chat_cost.c - what finding new messages costs: the header and the new bytes, however long the chat is. Counted.
 */
#include "actors.h"

#include <sys/stat.h>

#include "chat/change.h"

static void write_chat(cv_world *w, const char *id, int messages)
{
    cv_buf text = {0};
    cv_err err = {.arena = &w->a};
    const char *folder = cv_arena_printf(&w->a, "%s/.conclave/chat", w->folder).p;
    mkdir(cv_arena_printf(&w->a, "%s/.conclave", w->folder).p, 0700);
    mkdir(folder, 0700);
    cv_buf_printf(&text,
                  "# CHAT v3\n# Chat ID: %s\n# Status: OPEN\n# Participants:\n# - A@x\n# - B@y\n# Last read:\n"
                  "# - A@x: 0\n# - B@y: 0\n# Purpose: p\n",
                  id);
    for (int i = 1; i <= messages; i++)
        cv_buf_printf(&text, "[M%04d] FROM:A@x | TYPE:T | FLAG:UNREAD\nmessage %d of many, with some text\n", i, i);
    assert_ok(cv_file_write(cv_arena_printf(&w->a, "%s/temp_chat_%s.txt", folder, id).p, cv_buf_str(&text), &err),
              &err);
    cv_buf_release(&text);
}

/* Bytes of the file that finding one new message reads; the file's size. */
static size_t bytes_read(cv_world *w, const char *id, size_t *ret_size)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_chat_folder folder = {.where = {w->folder, ".conclave/chat"}};
    cv_chat_view view;
    cv_chat_region region;
    call.input = &input;
    cv_chat_place place = cv_chat_place_in(&call, &folder, cv_str_of(id));
    assert_ok(cv_chat_view_open(&call, &place, &view, &err), &err);
    assert_true(view.known);
    assert_ok(cv_chat_region_of(&view, CV_STR("B@y"), &region, &err), &err);
    assert_int_equal(region.messages.all.count, 1);
    assert_str_eq(region.messages.all.items[0].body, "the new one");
    *ret_size = (size_t)view.st.st_size;
    size_t bytes = view.bytes_read;
    cv_chat_view_close(&view);
    return bytes;
}

static size_t cost_in(cv_world *w, const char *id, int messages)
{
    size_t size;
    write_chat(w, id, messages);
    actor_do(w, NOBODY, "chat read", cv_arena_printf(&w->a, "{'chat_id': '%s', 'as': 'B@y'}", id).p);
    actor_do(w, NOBODY, "chat send",
             cv_arena_printf(&w->a, "{'chat_id': '%s', 'from': 'A@x', 'type': 'T', 'body': 'the new one'}", id).p);
    size_t bytes = bytes_read(w, id, &size);
    print_message("# %d messages, %zu bytes: %zu bytes were read\n", messages, size, bytes);
    return bytes;
}

static void new_messages_cost_what_is_new(void **state)
{
    cv_world *w = *state;
    int many = cv_test_soak() ? 100000 : 20000;
    size_t few = cost_in(w, "few", 1000), lots = cost_in(w, "many", many);
    /* The header is read in one piece of CV_HEADER_GUESS bytes; the new message has a longer number. */
    assert_true(lots <= few + 8);
    assert_true(few <= (16 << 10) + 200);
}

/* Our own lock changes a time of the file: it is still known, and only its header is read. */
static void a_change_reads_the_header_only(void **state)
{
    cv_world *w = *state;
    cost_in(w, "c", 1000);
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_chat_folder folder = {.where = {w->folder, ".conclave/chat"}};
    cv_chat_change change;
    call.input = &input;
    cv_chat_place place = cv_chat_place_in(&call, &folder, CV_STR("c"));
    assert_int_equal(cv_chat_change_begin(&call, &place, 0, &change, &err), CV_LOCK_HELD);
    assert_true(change.view.known);
    assert_true(change.view.bytes_read <= 16 << 10);
    cv_chat_change_end(&change);
}

/* Calls of read(2) and its kind so far; what is asked here costs one of them each time. */
static long reads_so_far(void)
{
    long count = -1;
    char line[128];
    FILE *f = fopen("/proc/self/io", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "syscr: %ld", &count) == 1)
            break;
    if (f)
        fclose(f);
    return count;
}

/* Boot and machine are read once for a lock, not whenever it says in which state it is. */
static void a_lock_reads_little(void **state)
{
    cv_world *w = *state;
    cost_in(w, "c", 10);
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_chat_folder folder = {.where = {w->folder, ".conclave/chat"}};
    cv_chat_lock lock;
    call.input = &input;
    cv_chat_place place = cv_chat_place_in(&call, &folder, CV_STR("c"));
    long before = reads_so_far();
    if (before < 0)
        cv_test_skip("the kernel does not count reads");
    assert_int_equal(cv_chat_lock_take(&call, &place, 0, &lock, &err), CV_LOCK_HELD);
    cv_chat_lock_end(&lock);
    long reads = reads_so_far() - before;
    print_message("# a lock: %ld reads\n", reads);
    assert_true(reads <= 4); /* the owner before, boot, machine; and the question itself */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lock_reads_little, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_change_reads_the_header_only, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(new_messages_cost_what_is_new, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
