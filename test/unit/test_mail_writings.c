/* test_mail_writings.c - the two writings of a message become each other and back; names and words of the wild. */
#include "testing.h"

#include "base/clock.h"
#include "base/file.h"
#include "kit/schema.h"
#include "mail/text/message.h"
#include "mail/text/place.h"
#include "mail/text/spelling.h"
#include "mail/text/task.h"

/* ---- two writings ------------------------------------------------------------------------------------------------ */

static cv_mtext_message read_message(cv_arena *a, cv_str bytes, cv_mtext_notes *notes)
{
    cv_err err = {.arena = a};
    cv_mtext text;
    cv_mtext_message message;
    assert_ok(cv_mtext_read(a, bytes, &text, &err), &err);
    assert_ok(cv_mtext_message_read(a, text.text, &text.value, notes, &message, &err), &err);
    return message;
}

static cv_str converted(cv_arena *a, cv_str bytes, cv_mtext_writing to, int indent)
{
    cv_mtext_notes notes = {0};
    cv_mtext_message message = read_message(a, bytes, &notes);
    cv_buf out = {0};
    cv_mtext_message_print(&out, &message, to, indent);
    return cv_buf_take(&out, a);
}

/* checklist 28, 29, 31: the printed envelopes, as mailbox messages and back */
static void printed_examples_become_the_other_writing(void **state)
{
    (void)state;
    static const struct {
        const char *envelope, *mailbox;
    } cases[] = {
        {"{\"type\":\"GENERATE_TASK_SEQUENCE\",\"source_id\":\"Agent_0\",\"target_id\":\"PlanningAgent\",\"data\":{"
         "\"task_id\":\"plan-001\",\"params\":{\"goal\":\"Refactor the legacy utils directory and remove unused "
         "code.\"}}}",
         "{\"sender_agent_id\":\"Agent_0\",\"command\":\"GENERATE_TASK_SEQUENCE\",\"params\":{\"goal\":\"Refactor the "
         "legacy utils directory and remove unused code.\"},\"task_id\":\"plan-001\",\"target_id\":\"PlanningAgent\"}"},
        {"{\"type\":\"TASK_COMPLETED\",\"source_id\":\"PlanningAgent\",\"target_id\":\"TaskExecutorAgent\",\"data\":{"
         "\"correlation_id\":\"plan-001\",\"task_id\":\"plan-001\",\"results\":[{\"task_id\":\"task-001\"}]}}",
         "{\"sender_agent_id\":\"PlanningAgent\",\"command\":\"TASK_COMPLETED\",\"task_id\":\"plan-001\",\"target_id\":"
         "\"TaskExecutorAgent\",\"correlation_id\":\"plan-001\",\"data\":{\"results\":[{\"task_id\":\"task-001\"}]}}"},
        {"{\"type\":\"run_test\",\"source_id\":\"A\",\"target_id\":\"B\",\"data\":{\"why\":\"red\"},\"colour\":7}",
         "{\"sender_agent_id\":\"A\",\"command\":\"run_test\",\"target_id\":\"B\",\"data\":{\"why\":\"red\"},"
         "\"colour\":7}"},
        {"{\"type\":\"x\",\"source_id\":\"A\",\"target_id\":\"B\",\"data\":{}}",
         "{\"sender_agent_id\":\"A\",\"command\":\"x\",\"target_id\":\"B\"}"},
        {"{\"type\":\"x\",\"source_id\":\"A\",\"target_id\":\"B\",\"data\":\"only words\"}",
         "{\"sender_agent_id\":\"A\",\"command\":\"x\",\"target_id\":\"B\",\"data\":\"only words\"}"},
        {"{\"type\":\"x\",\"source_id\":\"A\",\"target_id\":\"B\",\"data\":{},\"mailbox:type\":1,\"mailbox:data\":{}}",
         "{\"sender_agent_id\":\"A\",\"command\":\"x\",\"target_id\":\"B\",\"type\":1,\"envelope:data\":{}}"},
        {"{\"type\":\"x\",\"source_id\":\"A\",\"target_id\":\"B\",\"data\":{},\"params\":[1]}",
         "{\"sender_agent_id\":\"A\",\"command\":\"x\",\"target_id\":\"B\",\"envelope:params\":[1]}"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        assert_str_eq(converted(&a, cv_str_of(cases[i].envelope), CV_MTEXT_MAILBOX, 0), cases[i].mailbox);
        assert_str_eq(converted(&a, cv_str_of(cases[i].mailbox), CV_MTEXT_ENVELOPE, 0), cases[i].envelope);
        cv_arena_release(&a);
    }
}

/* ---- generated messages ------------------------------------------------------------------------------------------ */

static const char *const values[] = {"1.0",
                                     "\"\\u00e9\\/\"",
                                     "null",
                                     "[1, 2 ,3]",
                                     "{\"a\": {\"b\": []}}",
                                     "-0.0e-0",
                                     "\"\"",
                                     "true",
                                     "\"}\\\"{\"",
                                     "12345678901234567890",
                                     "{\"params\": 1}",
                                     "{}"};
static const char *const names[] = {"colour",          "type", "source_id", "command", "x y",  "id",   "mailbox:type",
                                    "envelope:params", "body", "k\\u0041",  "status",  "from", "data", "mailbox:data",
                                    "correlation_id"};

static void put_value(cv_test_random *r, cv_buf *out)
{
    cv_buf_add_z(out, values[cv_test_below(r, CV_COUNT(values))]);
}

/* Members with names that mean nothing in `taken`, each once. */
static void put_unknown(cv_test_random *r, cv_buf *out, const char *const *taken)
{
    uint64_t used = 0;
    for (size_t n = cv_test_below(r, 5); n > 0; n--) {
        size_t at = cv_test_below(r, CV_COUNT(names));
        bool is_taken = (used >> at) & 1;
        for (size_t t = 0; taken[t]; t++)
            is_taken |= strcmp(taken[t], names[at]) == 0;
        if (is_taken)
            continue;
        used |= UINT64_C(1) << at;
        cv_buf_printf(out, ",\"%s\":", names[at]);
        put_value(r, out);
    }
}

static void put_mailbox(cv_test_random *r, cv_buf *out)
{
    static const char *const taken[] = {"command", "data", "correlation_id", NULL};
    cv_buf_add_char(out, '{');
    if (cv_test_below(r, 2))
        cv_buf_add_z(out, "\"message_id\":\"m\\u0031\",");
    cv_buf_add_z(out, "\"sender_agent_id\":\"A\",");
    if (cv_test_below(r, 2))
        cv_buf_add_z(out, "\"timestamp_dispatched\":\"2026-01-01T00:00:00Z\",");
    cv_buf_add_z(out, "\"command\":\"run\"");
    static const char *const more[] = {"params", "task_id", "target_id", "correlation_id", "reply_to", "priority"};
    bool in_data = false;
    for (size_t i = 0; i < CV_COUNT(more); i++)
        if (cv_test_below(r, 3) == 0) {
            cv_buf_printf(out, ",\"%s\":", more[i]);
            put_value(r, out);
            in_data |= i != 2 && i < 4;
        }
    switch (cv_test_below(r, 4)) {
    case 0:
        cv_buf_add_z(out, ",\"data\":{\"results\":[1]}");
        break;
    case 1:
        if (!in_data)
            cv_buf_add_z(out, ",\"data\":\"words\"");
    }
    put_unknown(r, out, taken);
    cv_buf_add_char(out, '}');
}

static void put_envelope(cv_test_random *r, cv_buf *out)
{
    static const char *const taken[] = {"type", "source_id", "data", "command", NULL};
    static const char *const in_data[] = {"correlation_id", NULL};
    cv_buf_add_z(out, "{\"type\":\"run\",\"source_id\":\"A\",\"target_id\":");
    put_value(r, out);
    cv_buf_add_z(out, ",\"data\":");
    if (cv_test_below(r, 8) == 0) {
        cv_buf_add_z(out, "[\"words\"]");
    } else {
        cv_buf data = {0};
        if (cv_test_below(r, 2))
            cv_buf_add_z(&data, ",\"correlation_id\":\"c\"");
        if (cv_test_below(r, 2))
            cv_buf_add_z(&data, ",\"task_id\":null");
        if (cv_test_below(r, 2))
            cv_buf_add_z(&data, ",\"params\":"), put_value(r, &data);
        put_unknown(r, &data, in_data);
        cv_buf_add_char(out, '{');
        cv_buf_add(out, cv_str_from(cv_buf_str(&data), 1));
        cv_buf_add_char(out, '}');
        cv_buf_release(&data);
    }
    if (cv_test_below(r, 2))
        cv_buf_add_z(out, ",\"message_id\":\"m\"");
    if (cv_test_below(r, 2))
        cv_buf_add_z(out, ",\"expires_at\":5");
    put_unknown(r, out, taken);
    cv_buf_add_char(out, '}');
}

static void every_message_converts_and_comes_back_byte_equal(void **state)
{
    (void)state;
    cv_test_random r = {cv_test_seed()};
    for (int turn = 0; turn < (cv_test_soak() ? 200000 : 5000); turn++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_buf out = {0};
        cv_mtext_writing from = cv_test_below(&r, 2) ? CV_MTEXT_MAILBOX : CV_MTEXT_ENVELOPE;
        cv_mtext_writing to = from == CV_MTEXT_MAILBOX ? CV_MTEXT_ENVELOPE : CV_MTEXT_MAILBOX;
        if (from == CV_MTEXT_MAILBOX)
            put_mailbox(&r, &out);
        else
            put_envelope(&r, &out);
        cv_str text = cv_buf_take(&out, &a);
        cv_mtext_notes notes = {0};
        cv_mtext_message message = read_message(&a, text, &notes), again = {0};
        assert_int_equal(message.writing, from);
        cv_str other = converted(&a, text, to, 0);
        assert_int_equal(read_message(&a, other, &notes).writing, to);
        assert_view_eq(converted(&a, other, from, 0), text);
        cv_str spread = converted(&a, text, to, 2);
        assert_view_eq(converted(&a, spread, from, 0), text);
        /* … and through what a record keeps of it: fields, and the rest as one object */
        memcpy(again.fields, message.fields, sizeof again.fields);
        assert_ok(cv_mtext_extra_read(&a, cv_mtext_extra_print(&a, &message), &again, &err), &err);
        cv_mtext_message_print(&out, &again, from, 0);
        assert_view_eq(cv_buf_take(&out, &a), text);
        cv_arena_release(&a);
    }
}

/* ---- the wild ---------------------------------------------------------------------------------------------------- */

/* One of each set of keys that was found: what it is as a mailbox message. */
static void names_of_the_wild_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *mailbox;
        size_t synonyms;
    } cases[] = {
        {"{\"id\":\"swarm-1\",\"timestamp_utc\":\"t\",\"content\":\"RESUME\"}",
         "{\"message_id\":\"swarm-1\",\"timestamp_dispatched\":\"t\",\"command\":\"message\",\"params\":{\"body\":"
         "\"RESUME\"}}",
         3},
        {"{\"content\":\"do "
         "it\",\"status\":\"PENDING\",\"task_id\":\"t1\",\"timestamp\":\"x\",\"type\":\"task_assignment\"}",
         "{\"timestamp_dispatched\":\"x\",\"command\":\"task_assignment\",\"params\":{\"body\":\"do it\"},\"task_id\":"
         "\"t1\",\"status\":\"PENDING\"}",
         2},
        {"{\"command\":\"initial_onboarding\",\"message_id\":\"m\",\"params\":{\"a\": "
         "1},\"sender\":\"S\",\"timestamp_utc\":\"t\"}",
         "{\"message_id\":\"m\",\"sender_agent_id\":\"S\",\"timestamp_dispatched\":\"t\",\"command\":\"initial_"
         "onboarding\",\"params\":{\"a\": 1}}",
         2},
        {"{\"type\":\"task\",\"from\":\"A\",\"to\":\"B\",\"timestamp\":\"t\",\"topic\":\"T\",\"summary\":\"s\","
         "\"details\":{}}",
         "{\"sender_agent_id\":\"A\",\"timestamp_dispatched\":\"t\",\"command\":\"task\",\"params\":{},\"target_id\":"
         "\"B\","
         "\"topic\":\"T\",\"summary\":\"s\"}",
         4},
        {"{\"source\":\"A\",\"message_type\":\"GENERATE_TASK_SEQUENCE\",\"content\":{\"goal\":\"g\"}}",
         "{\"sender_agent_id\":\"A\",\"command\":\"GENERATE_TASK_SEQUENCE\",\"params\":{\"goal\":\"g\"}}", 3},
        {"{\"type\":\"X\",\"source\":\"A\",\"data\":{\"task_id\":\"t\",\"params\":{},\"k\":1}}",
         "{\"sender_agent_id\":\"A\",\"command\":\"X\",\"params\":{},\"task_id\":\"t\",\"data\":{\"k\":1}}", 2},
        {"{\"event_type\":\"E\",\"agent_id\":\"A\",\"recipient\":\"B\",\"payload\":[1],\"created_at\":\"t\"}",
         "{\"sender_agent_id\":\"A\",\"timestamp_dispatched\":\"t\",\"command\":\"E\",\"params\":{\"body\":[1]},"
         "\"target_id\":\"B\"}",
         5},
        {"{\"from\":\"A\",\"sender\":\"B\",\"body\":\"x\",\"content\":\"y\"}",
         "{\"sender_agent_id\":\"B\",\"command\":\"message\",\"params\":{\"body\":\"x\"},\"from\":\"A\",\"content\":"
         "\"y\"}",
         2},
        {"{\"type \":\"X\",\"sourceId\":\"A\",\"target-id\":\"B\",\"Data\":{\"k\":1}}",
         "{\"sender_agent_id\":\"A\",\"command\":\"X\",\"params\":{\"k\":1},\"target_id\":\"B\"}", 4},
        {"{\"command\":\"X\",\"params\":\"{\\\"k\\\": 1}\"}", "{\"command\":\"X\",\"params\":{\"k\": 1}}", 1},
        {"{\"command\":\"X\",\"params\":\"run\"}", "{\"command\":\"X\",\"params\":{\"body\":\"run\"}}", 1},
        /* an envelope in an outbox need not say who sends it; another name for that makes it another writing */
        {"{\"type\":\"X\",\"target_id\":\"B\",\"data\":{\"k\":1},\"colour\":7}",
         "{\"command\":\"X\",\"target_id\":\"B\",\"data\":{\"k\":1},\"colour\":7}", 0},
        {"{\"type\":\"X\",\"target_id\":\"B\",\"data\":{\"k\":1},\"from\":\"A\"}",
         "{\"sender_agent_id\":\"A\",\"command\":\"X\",\"params\":{\"k\":1},\"target_id\":\"B\"}", 2},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_mtext_notes notes = {0};
        cv_buf out = {0};
        cv_mtext_message message = read_message(&a, cv_str_of(cases[i].text), &notes);
        cv_mtext_message_print(&out, &message, CV_MTEXT_MAILBOX, 0);
        assert_str_eq(cv_buf_take(&out, &a), cases[i].mailbox);
        assert_int_equal(notes.count, cases[i].synonyms);
        cv_arena_release(&a);
    }
}

static void what_is_no_message_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "[]", "1", "{}", "{\"a\":1}", "{\"from\":\"A\",\"to\":\"B\"}", "{\"to\":\"B\",\"data\":{ }}"};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_mtext text;
        cv_mtext_notes notes = {0};
        cv_mtext_message message;
        assert_ok(cv_mtext_read(&a, cv_str_of(cases[i]), &text, &err), &err);
        assert_fails(cv_mtext_message_read(&a, text.text, &text.value, &notes, &message, &err), &err,
                     CV_ERR_INVALID_VALUE);
        assert_true(err.suggestion.n > 0);
        cv_arena_release(&a);
    }
}

static void a_message_is_taken_out_of_what_it_stands_in(void **state)
{
    (void)state;
    static const struct {
        const char *text, *inside;
        size_t layers;
    } cases[] = {
        {"{\"type\":\"X\"}", "{\"type\":\"X\"}", 0},
        {"[{\"type\":\"X\"}]", "{\"type\":\"X\"}", 1},
        {"\"{\\\"type\\\":\\\"X\\\"}\"", "{\"type\":\"X\"}", 1},
        {"[\"[{}]\"]", "{}", 3},
        {"[{},{}]", "[{},{}]", 0},
        {"\"hello\"", "\"hello\"", 0},
        {"\"5\"", "\"5\"", 0},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_mtext text;
        assert_ok(cv_mtext_read(&a, cv_str_of(cases[i].text), &text, &err), &err);
        cv_mtext_message_unwrap(&a, &text);
        assert_str_eq(text.text, cases[i].inside);
        assert_int_equal(text.notes.count, cases[i].layers);
        assert_int_equal(text.state, cases[i].layers ? CV_MTEXT_REPAIRED : CV_MTEXT_VALID);
        cv_arena_release(&a);
    }
}

static void fields_are_read_as_text(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_mtext_notes notes = {0};
    cv_mtext_message m = read_message(
        &a, CV_STR("{\"message_id\":\"m\\u0031\",\"sender_agent_id\":4,\"command\":\"x\",\"task_id\":null}"), &notes);
    assert_str_eq(cv_mtext_field_text(&a, &m, CV_MTEXT_MESSAGE_ID), "m1");
    assert_str_eq(cv_mtext_field_text(&a, &m, CV_MTEXT_SENDER), "4");
    assert_null(cv_mtext_field_text(&a, &m, CV_MTEXT_TASK).p);
    assert_null(cv_mtext_field_text(&a, &m, CV_MTEXT_REPLY).p);
    assert_str_eq(cv_mtext_one_line(&a, CV_STR("{\n  \"a b\": \"c\\\" d\",\n \"e\": 1 }")),
                  "{\"a b\":\"c\\\" d\",\"e\":1}");
    cv_arena_release(&a);
}

/* ---- words and times --------------------------------------------------------------------------------------------- */

static void spellings_of_statuses_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *found;
        int status;
    } cases[] = {
        {"PENDING", CV_MTEXT_TASK_PENDING},
        {"pending", CV_MTEXT_TASK_PENDING},
        {"Pending", CV_MTEXT_TASK_PENDING},
        {"BLOCKED", CV_MTEXT_TASK_PENDING},
        {"REOPENED", CV_MTEXT_TASK_PENDING},
        {"UNCLAIMED", CV_MTEXT_TASK_PENDING},
        {"CLAIMED", CV_MTEXT_TASK_RUNNING},
        {"claimed", CV_MTEXT_TASK_RUNNING},
        {"IN_PROGRESS", CV_MTEXT_TASK_RUNNING},
        {"in progress", CV_MTEXT_TASK_RUNNING},
        {"In-Progress", CV_MTEXT_TASK_RUNNING},
        {"WORKING", CV_MTEXT_TASK_RUNNING},
        {"ACTIVE", CV_MTEXT_TASK_RUNNING},
        {"assigned", CV_MTEXT_TASK_RUNNING},
        {"needs_review", CV_MTEXT_TASK_RUNNING},
        {"needs_manual_review", CV_MTEXT_TASK_RUNNING},
        {"in_progress_captain_masterpiece", CV_MTEXT_TASK_RUNNING},
        {"COMPLETED", CV_MTEXT_TASK_COMPLETED},
        {"completed", CV_MTEXT_TASK_COMPLETED},
        {"COMPLETE", CV_MTEXT_TASK_COMPLETED},
        {"DONE", CV_MTEXT_TASK_COMPLETED},
        {"ARCHIVED", CV_MTEXT_TASK_COMPLETED},
        {"FAILED", CV_MTEXT_TASK_FAILED},
        {"CANCELLED", CV_MTEXT_TASK_FAILED},
        {"OBSOLETE", CV_MTEXT_TASK_FAILED},
        {" done ", CV_MTEXT_TASK_COMPLETED},
        {"masterpiece", -1},
        {"", -1},
        {"donut", -1},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        bool exact;
        assert_int_equal(cv_mtext_status_of(cv_str_of(cases[i].found), &exact), cases[i].status);
        assert_int_equal(exact, cases[i].status >= 0 && cv_str_eq(cv_mtext_task_statuses.items[cases[i].status],
                                                                  cv_str_of(cases[i].found)));
    }
}

static void priorities_are_numbers_and_words(void **state)
{
    (void)state;
    static const struct {
        const char *found;
        int priority;
    } cases[] = {{"1", 1},   {"10", 10}, {"CRITICAL", 1}, {"urgent", 1}, {"High", 2}, {"MEDIUM", 3},
                 {"low", 4}, {"0", 0},   {"-1", 0},       {"soon", 0},   {"", 0},     {"P1", 1}};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        bool exact;
        assert_int_equal(cv_mtext_priority_of(cv_str_of(cases[i].found), &exact), cases[i].priority);
    }
}

static void times_of_every_form_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *found, *time; /* NULL: it is none */
        bool exact;
    } cases[] = {
        {"2025-04-23T21:07:59.802Z", "2025-04-23T21:07:59.802Z", true},
        {"2025-04-23T21:07:59Z", "2025-04-23T21:07:59.000Z", true},
        {"2025-04-23T21:07:59.802420+00:00", "2025-04-23T21:07:59.802Z", true},
        {"2025-04-23T23:07:59+02:00", "2025-04-23T21:07:59.000Z", true},
        {"2025-04-23T21:07:59.802420+00:00Z", "2025-04-23T21:07:59.802Z", false},
        {"2025-04-23T21:07:59.8024209Z", "2025-04-23T21:07:59.802Z", true},
        {"2025-04-23T21:07:59", "2025-04-23T21:07:59.000Z", false},
        {"2025-04-23 21:07:59.5", "2025-04-23T21:07:59.500Z", false},
        {"2025-04-23T21:07:59-0530", "2025-04-24T02:37:59.000Z", false},
        {"20250423T210759Z", "2025-04-23T21:07:59.000Z", false},
        {"2025-02-30T00:00:00Z", NULL, false},
        {"2025-04-23", NULL, false},
        {"D:\\Agent_CellPhone", NULL, false},
        {"$(date --iso-8601=seconds)", NULL, false},
        {"", NULL, false},
        {"2025-04-23T21:07:59+25:00", NULL, false},
        {"2025-04-23T21:07:59.", NULL, false},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        int64_t ms;
        bool exact = false;
        char text[CV_TIME_LEN + 1];
        bool ok = cv_mtext_time_of(cv_str_of(cases[i].found), &ms, &exact);
        assert_int_equal(ok, cases[i].time != NULL);
        if (!ok)
            continue;
        cv_time_print(ms, text);
        assert_string_equal(text, cases[i].time);
        assert_int_equal(exact, cases[i].exact);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* checklist 32, 38: the printed tasks come back as they are; other names and words are read, the rest is kept */
static void tasks_are_read_whatever_their_fields_are_called(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
        size_t notes;
    } cases[] = {
        {"{\"task_id\":\"task-001\",\"action\":\"REFACTOR_IMPORTS\",\"params\":{ \"target_file\": \"p.py\" },"
         "\"target_agent\":\"RefactorAgent\",\"status\":\"PENDING\",\"priority\":3,\"depends_on\":[]}",
         "{\"task_id\":\"task-001\",\"action\":\"REFACTOR_IMPORTS\",\"params\":{ \"target_file\": \"p.py\" },"
         "\"target_agent\":\"RefactorAgent\",\"status\":\"PENDING\",\"priority\":3,\"depends_on\":[]}",
         0},
        {"{\"id\":\"t2\",\"title\":\"Mend "
         "it\",\"assigned_to\":\"Agent-3\",\"status\":\"in_progress\",\"priority\":\"HIGH\","
         "\"dependencies\":\"t1, t0\",\"claimed_by\":\"Agent-4\",\"x\": 1.0}",
         "{\"task_id\":\"t2\",\"action\":\"Mend it\",\"params\":{},\"target_agent\":\"Agent-3\",\"status\":\"RUNNING\","
         "\"priority\":2,\"depends_on\":[\"t1\",\"t0\"],\"claimed_by\":\"Agent-4\",\"x\":1.0}",
         7},
        {"{\"task_id\":7,\"action\":\"a\",\"blocking_task_id\":\"t1\",\"parent_task_id\":\"p\",\"params\":null,"
         "\"status\":{}}",
         "{\"task_id\":\"7\",\"action\":\"a\",\"params\":{},\"depends_on\":[\"t1\"],\"parent_task_id\":\"p\","
         "\"status\":{}}",
         2},
        {"{\"task_id\":\"t\",\"depends_on\":[{\"task_id\":\"a\"},{\"x\":1,\"taskId\":\" b \"},3]}",
         "{\"task_id\":\"t\",\"params\":{},\"status\":\"PENDING\",\"depends_on\":[\"a\",\"b\",\"3\"]}", 0},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json v;
        cv_mtext_notes notes = {0};
        cv_mtext_task task;
        cv_buf out = {0};
        cv_str text = cv_str_of(cases[i].text);
        assert_ok(cv_json_parse(&a, text, &v, &err), &err);
        assert_ok(cv_mtext_task_read(&a, text, &v, &notes, &task, &err), &err);
        cv_mtext_task_print(&out, &task);
        cv_str printed = cv_buf_take(&out, &a);
        assert_str_eq(printed, cases[i].printed);
        assert_int_equal(notes.count, cases[i].notes);
        assert_ok(cv_json_parse(&a, printed, &v, &err), &err);
        cv_arena_release(&a);
    }
}

/* checklist 37: the published schema fits what is written, and the printed tasks fit it */
static void the_published_schema_of_task_lists_fits(void **state)
{
    (void)state;
    static const struct {
        const char *tasks;
        size_t faults;
    } cases[] = {
        {"[{\"task_id\":\"task-001\",\"action\":\"REFACTOR_IMPORTS\",\"params\":{\"target_file\":\"p.py\"},"
         "\"target_agent\":\"RefactorAgent\",\"status\":\"PENDING\",\"priority\":3,\"depends_on\":[]},"
         "{\"task_id\":\"task-002\",\"action\":\"REMOVE_DEAD_CODE\",\"params\":{\"target_directory\":\"a/\"},"
         "\"target_agent\":\"RefactorAgent\",\"status\":\"PENDING\",\"priority\":2,\"depends_on\":[\"task-001\"]}]",
         0},
        {"[{\"id\":\"t2\",\"title\":\"Mend it\",\"assigned_to\":\"A\",\"status\":\"in_progress\",\"priority\":\"HIGH\","
         "\"dependencies\":\"t1\",\"note\":1}]",
         0},
        {"[{\"task_id\":\"t\",\"action\":\"a\",\"target_agent\":\"A\",\"status\":\"masterpiece\",\"priority\":1}]", 1},
        {"[{\"action\":\"a\"}]", 3},
    };
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str file;
    cv_json schema, v;
    assert_ok(cv_file_read(&a, "schemas/published/task_list.schema.json", 1 << 20, &file, &err), &err);
    assert_ok(cv_json_parse(&a, file, &schema, &err), &err);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_str text = cv_str_of(cases[i].tasks);
        cv_buf out = {0};
        cv_errs errs = {0};
        assert_ok(cv_json_parse(&a, text, &v, &err), &err);
        const cv_json *tasks = &v;
        cv_buf_add_z(&out, "{\"tasks\":[");
        for (uint32_t t = 0; t < tasks->count; t++) {
            cv_mtext_notes notes = {0};
            cv_mtext_task task;
            assert_ok(cv_mtext_task_read(&a, text, &tasks->items[t], &notes, &task, &err), &err);
            cv_buf_add_z(&out, t ? "," : "");
            cv_mtext_task_print(&out, &task);
        }
        cv_buf_add_z(&out, "]}");
        cv_str list = cv_buf_take(&out, &a);
        assert_ok(cv_json_parse(&a, list, &v, &err), &err);
        cv_schema_check(&a, &schema, list, &v, &errs);
        if (errs.count != cases[i].faults)
            print_error("%s\n", list.p);
        assert_int_equal(errs.count, cases[i].faults);
    }
    cv_arena_release(&a);
}

/* checklist 4: paths of old data map to the root, and never lead out of it */
static void paths_of_old_data_map_to_the_root(void **state)
{
    (void)state;
    static const struct {
        const char *path, *below; /* NULL: it is none */
    } cases[] = {
        {"/d:/Dream.os/runtime/AgentX/inbox/task_1.json", "runtime/AgentX/inbox/task_1.json"},
        {"/d:/Dream.os/runtime/AgentX/outbox/msg_1.json", "runtime/AgentX/outbox/msg_1.json"},
        {"/d:/Dream.os/templates/x.j2", "templates/x.j2"},
        {"/d:/Dream.os/temp/cursor_input.txt", "temp/cursor_input.txt"},
        {"D:\\Dream.os\\analysis\\a.md", "analysis/a.md"},
        {"/d:/Dream.os/governance_memory.jsonl", "governance_memory.jsonl"},
        {"/d:/Dream.os/_agent_coordination/A/reflection/r.md", "_agent_coordination/A/reflection/r.md"},
        {"/d:/Dream.os/runtime/", "runtime"},
        {"/d:/Dream.os", ""},
        {"/d:/Dream.os/../etc/passwd", NULL},
        {"/d:/Dream.os/a//b", NULL},
        {"/d:/Dream.osx/a", NULL},
        {"/etc/passwd", NULL},
        {"runtime/A", NULL},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_str below;
        bool ok = cv_mtext_place_of(&a, cv_str_of(cases[i].path), &below);
        assert_int_equal(ok, cases[i].below != NULL);
        if (ok)
            assert_str_eq(below, cases[i].below);
        cv_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_examples_become_the_other_writing),
        cmocka_unit_test(every_message_converts_and_comes_back_byte_equal),
        cmocka_unit_test(names_of_the_wild_are_read),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(a_message_is_taken_out_of_what_it_stands_in),
        cmocka_unit_test(fields_are_read_as_text),
        cmocka_unit_test(spellings_of_statuses_are_known),
        cmocka_unit_test(priorities_are_numbers_and_words),
        cmocka_unit_test(times_of_every_form_are_read),
        cmocka_unit_test(tasks_are_read_whatever_their_fields_are_called),
        cmocka_unit_test(the_published_schema_of_task_lists_fits),
        cmocka_unit_test(paths_of_old_data_map_to_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
