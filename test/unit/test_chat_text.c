/* test_chat_text.c - the bytes of chat files: what is read, what is written, what stays. */
#include "testing.h"

#include "chat/place.h"
#include "chat/text/chat_write.h"
#include "chat/text/fields.h"
#include "chat/words/errors.h"

#define HEADER                                                                                                         \
    "# CHAT v3\n# Chat ID: c\n# Status: OPEN\n# Participants:\n# - A@x\n# - B+C@y\n# Last read:\n# - A@x: 10\n"        \
    "# - B+C@y: 0\n# Purpose: p\n"

static cv_arena a;

/* ---- heads ------------------------------------------------------------------------------------------------------- */

static void a_head_has_exactly_this_grammar(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is;
    } cases[] = {
        {"[M0001] FROM:A@x | TYPE:T | FLAG:UNREAD", true},
        {"[M0001] FROM:A@x | TYPE:T | FLAG:UNREAD | TAG:@All | AT:now | RE:M0001 | COLOR:red", true},
        {"[M0001]  FROM:A@x|TYPE:any string at all|FLAG:READ  ", true},
        {"[M12345] FROM:A+B@x | TYPE:T | FLAG:READ", true},
        {"[M0001] FROM:A@x | TYPE:T | FLAG:READ | ", true},
        {" [M0001] FROM:A@x | TYPE:T | FLAG:READ", false},
        {"[M001] FROM:A@x | TYPE:T | FLAG:READ", false},
        {"[M01234] FROM:A@x | TYPE:T | FLAG:READ", false},
        {"[M0000] FROM:A@x | TYPE:T | FLAG:READ", false},
        {"[M0001]FROM:A@x | TYPE:T | FLAG:READ", false},
        {"[m0001] FROM:A@x | TYPE:T | FLAG:READ", false},
        {"[M0001] FROM:A | TYPE:T | FLAG:READ", false},
        {"[M0001] FROM:@x | TYPE:T | FLAG:READ", false},
        {"[M0001] FROM:A@x y | TYPE:T | FLAG:READ", false},
        {"[M0001] FROM:A@x | TYPE: | FLAG:READ", false},
        {"[M0001] FROM:A@x | FLAG:READ | TYPE:T", false},
        {"[M0001] FROM:A@x | TYPE:T", false},
        {"[M0001] FROM:A@x | TYPE:T | FLAG:MAYBE", false},
        {"[M99999999999999999999] FROM:A@x | TYPE:T | FLAG:READ", false},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_chat_message m;
        if (cv_chat_head_parse(cv_str_of(cases[i].line), &m) != cases[i].is)
            print_error("%s\n", cases[i].line);
        assert_int_equal(cv_chat_head_parse(cv_str_of(cases[i].line), &m), cases[i].is);
    }
}

static void the_fields_of_a_head(void **state)
{
    (void)state;
    cv_chat_message m;
    assert_true(cv_chat_head_parse(
        CV_STR("[M0007] FROM:A@x | TYPE:A B | FLAG:READ | TAG:@B, @C | @D | AT:t | RE:M0003 | ON_BEHALF_OF:z"), &m));
    assert_int_equal(m.number, 7);
    assert_str_eq(m.from, "A@x");
    assert_str_eq(m.type, "A B");
    assert_str_eq(m.tags, "@B, @C | @D");
    assert_str_eq(m.at, "t");
    assert_str_eq(m.re, "M0003");
    assert_str_eq(m.behalf, "z");
}

static void tags_match_whole_roles(void **state)
{
    (void)state;
    assert_true(cv_chat_is_for(CV_STR("A@x"), CV_STR(""), CV_STR("B@y")));
    assert_false(cv_chat_is_for(CV_STR("A@x"), CV_STR(""), CV_STR("A@x")));
    assert_true(cv_chat_is_tagged(CV_STR("@Validator"), CV_STR("Validator@y")));
    assert_false(cv_chat_is_tagged(CV_STR("@Validator2"), CV_STR("Validator@y")));
    assert_false(cv_chat_is_tagged(CV_STR("@validator"), CV_STR("Validator@y")));
    assert_false(cv_chat_is_tagged(CV_STR("@Valid"), CV_STR("Validator@y")));
    assert_true(cv_chat_is_tagged(CV_STR("@A, @All"), CV_STR("Validator@y")));
    assert_true(cv_chat_is_tagged(CV_STR("@Specifier"), CV_STR("Specifier+Validator@y")));
    assert_true(cv_chat_is_tagged(CV_STR("@A | @Validator@y"), CV_STR("Validator@y")));
    assert_false(cv_chat_is_tagged(CV_STR("@Validator@z"), CV_STR("Validator@y")));
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void a_header_is_read_and_checked(void **state)
{
    (void)state;
    cv_chat_header h;
    cv_err err = {.arena = &a};
    assert_ok(cv_chat_header_parse(&a, CV_STR(HEADER "[M0001] FROM:A@x"), &h, &err), &err);
    assert_ok(cv_chat_header_check(&h, &err), &err);
    assert_int_equal(h.lines, 10);
    assert_int_equal(h.people.count, 2);
    assert_int_equal(cv_chat_pointer_of(&h, CV_STR("A@x"))->line, 10);
    assert_str_eq(h.title, "p");
    static const char *const lines[] = {"# Chat ID: c\n", "# Status: OPEN\n", "# Participants:\n", "# Last read:\n",
                                        "# Purpose: p\n"};
    for (size_t i = 0; i < CV_COUNT(lines); i++) {
        size_t at = cv_str_find(CV_STR(HEADER), cv_str_of(lines[i]));
        cv_str text =
            cv_arena_join(&a, cv_str_head(CV_STR(HEADER), at), cv_str_from(CV_STR(HEADER), at + strlen(lines[i])));
        assert_ok(cv_chat_header_parse(&a, text, &h, &err), &err);
        assert_fails(cv_chat_header_check(&h, &err), &err, CV_ERR_CHAT_HEADER);
    }
    assert_fails(cv_chat_header_parse(&a, CV_STR("# CHAT v2\n"), &h, &err), &err, CV_ERR_CHAT_HEADER);
    assert_str_has(err.message, "# CHAT v2");
}

static bool knows_five(void *ctx, int64_t number, cv_str head)
{
    (void)ctx, (void)head;
    return number == 5;
}

static void only_the_next_number_makes_a_message(void **state)
{
    (void)state;
    cv_chat_messages all;
    cv_str text = CV_STR("[M0001] FROM:A@x | TYPE:T | FLAG:READ\none\n[M0003] FROM:A@x | TYPE:T | FLAG:READ\n"
                         "[M0001] FROM:A@x | TYPE:T | FLAG:READ\n[M0002] FROM:A@x | TYPE:T | FLAG:READ\n"
                         "[M0005] FROM:A@x | TYPE:T | FLAG:READ\nfive\n");
    cv_chat_messages_parse(&a, text, 0, NULL, NULL, &all);
    assert_int_equal(all.all.count, 2);
    assert_int_equal(all.odd.count, 3);
    cv_chat_messages_parse(&a, text, 0, knows_five, NULL, &all);
    assert_int_equal(all.all.count, 3);
    assert_int_equal(all.all.items[2].number, 5);
}

/* Whatever a body is made of, it stays one message, and the rest of the file stays as it is. */
static void any_body_stays_text(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[M0002] FROM:A@x | TYPE:T | FLAG:UNREAD",
                                         "[M0003]",
                                         "# Status: CLOSED",
                                         "# CHAT v3",
                                         "# - Evil@x",
                                         "# Last read:",
                                         "#status: closed",
                                         "\n",
                                         "\r\n",
                                         "\r",
                                         " ",
                                         "word",
                                         "\x1b[31m",
                                         "| FLAG:READ",
                                         "\xe2\x80\xa8",
                                         "[M",
                                         "0002]",
                                         "FROM:"};
    cv_test_random r = {cv_test_seed()};
    for (size_t turn = 0; turn < 20000; turn++) {
        cv_arena turn_arena = {0};
        cv_buf body = {0}, out = {0};
        cv_chat_messages all;
        cv_chat_header h;
        cv_err err = {.arena = &turn_arena};
        for (size_t i = cv_test_below(&r, 12); i > 0; i--)
            cv_buf_add_z(&body, pieces[cv_test_below(&r, CV_COUNT(pieces))]);
        const cv_chat_draft draft = {.from = CV_STR("A@x"), .type = CV_STR("T"), .body = cv_buf_str(&body)};
        cv_buf_add_z(&out, HEADER);
        cv_chat_message_print(&out, 1, &draft);
        cv_chat_message_print(&out, 2, &draft);
        assert_ok(cv_chat_header_parse(&turn_arena, cv_buf_str(&out), &h, &err), &err);
        assert_str_eq(h.text, HEADER);
        cv_chat_messages_parse(&turn_arena, cv_str_from(cv_buf_str(&out), h.text.n), 0, NULL, NULL, &all);
        assert_int_equal(all.all.count, 2);
        assert_int_equal(all.odd.count, 0);
        assert_view_eq(all.all.items[0].body, all.all.items[1].body);
        cv_buf_release(&body);
        cv_buf_release(&out);
        cv_arena_release(&turn_arena);
    }
}

static void changes_move_what_stands_behind_them(void **state)
{
    (void)state;
    cv_chat_edits edits = {0};
    cv_chat_edit_add(&edits, &a, 6, 3, CV_STR("seven"));
    cv_chat_edit_add(&edits, &a, 2, 0, CV_STR("++"));
    cv_chat_edit_add(&edits, &a, 0, 1, CV_STR(""));
    assert_str_eq(cv_chat_edit_apply(&a, &edits, CV_STR("0123456789")), "1++2345seven9");
    assert_int_equal(cv_chat_edit_moved(&edits, 9), 12);
    assert_int_equal(cv_chat_edit_moved(&edits, 2), 3);
    assert_int_equal(cv_chat_edit_moved(&edits, 0), 0);
}

static void line_breaks_do_not_change_what_was_said(void **state)
{
    (void)state;
    cv_chat_messages x, y, z;
    cv_chat_messages_parse(&a, CV_STR("[M0001] FROM:A@x | TYPE:T | FLAG:READ\none\ntwo\n\n"), 0, NULL, NULL, &x);
    cv_chat_messages_parse(&a, CV_STR("[M0001] FROM:A@x | TYPE:T | FLAG:UNREAD\r\none\r\ntwo\r\n"), 0, NULL, NULL, &y);
    cv_chat_messages_parse(&a, CV_STR("[M0001] FROM:A@x | TYPE:T | FLAG:READ\none\ntoo\n"), 0, NULL, NULL, &z);
    assert_view_eq(cv_chat_lasting(&a, &x.all.items[0]), cv_chat_lasting(&a, &y.all.items[0]));
    assert_false(cv_str_eq(cv_chat_lasting(&a, &x.all.items[0]), cv_chat_lasting(&a, &z.all.items[0])));
}

/* ---- names, fields, file systems ----------------------------------------------------------------------------------
 */

static void names_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        cv_chat_name kind;
    } cases[] = {{"temp_chat_a.txt", CV_NAME_CHAT},         {"temp_chat_a_editing.txt", CV_NAME_EDITING},
                 {"temp_chat_.txt", CV_NAME_FOREIGN},       {"temp_chat_a (1).txt", CV_NAME_FOREIGN},
                 {"temp_chat_a.sync.txt", CV_NAME_FOREIGN}, {"temp_chat_a_editing_editing.txt", CV_NAME_FOREIGN},
                 {"temp_chat_a.txt~", CV_NAME_OTHER},       {"chat_a.txt", CV_NAME_OTHER},
                 {".temp_chat_a.txt.swp", CV_NAME_OTHER},   {"temp_chat_261116_1723-PC.txt", CV_NAME_CHAT}};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_str id;
        assert_int_equal(cv_chat_name_of(cv_str_of(cases[i].name), &id), cases[i].kind);
    }
}

static void fields_in_either_spelling(void **state)
{
    (void)state;
    cv_str body = CV_STR(
        "- CONSULT_REQUEST\n  - requester_role: Implementer\n* **Risks/unknowns** (if any): off\n   targets\n"
        "requested review scope (what feedback is desired): all\nassumptions:\nOK_TO_PROCEED: Yes, but: slowly\n");
    assert_str_eq(cv_consult_get(CV_CONSULT_REQUEST, body, "requester_role"), "Implementer");
    assert_str_eq(cv_consult_get(CV_CONSULT_REQUEST, body, "risks_unknowns"), "off\n   targets");
    assert_str_eq(cv_consult_get(CV_CONSULT_REQUEST, body, "requested_review"), "all");
    assert_null(cv_consult_get(CV_CONSULT_REQUEST, body, "assumptions").p);
    unsigned of;
    assert_int_equal(cv_consult_batch(CV_STR("(1/3) a (3/3) b (4/3) (x/2)"), &of), 5);
    assert_int_equal(of, 3);
}

/* Only a plain yes lets pass. */
static void the_answer_of_a_consultant(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        cv_consult_answer answer;
    } cases[] = {
        {"OK_TO_PROCEED: yes", CV_ANSWER_YES},
        {"  - **OK_TO_PROCEED:** Yes, but: slowly", CV_ANSWER_YES},
        {"* OK_TO_PROCEED: **YES**", CV_ANSWER_YES},
        {"OK TO PROCEED: yes (after 62C)", CV_ANSWER_YES},
        {"OK_TO_PROCEED: no", CV_ANSWER_NO},
        {"OK_TO_PROCEED: No, yes only after a fix", CV_ANSWER_NO},
        {"OK_TO_PROCEED: yes/no", CV_ANSWER_UNCLEAR},
        {"OK_TO_PROCEED: yes | no", CV_ANSWER_UNCLEAR},
        {"OK_TO_PROCEED: yes or no", CV_ANSWER_UNCLEAR},
        {"OK_TO_PROCEED: yesterday", CV_ANSWER_UNCLEAR},
        {"OK_TO_PROCEED: maybe", CV_ANSWER_UNCLEAR},
        {"OK_TO_PROCEED:", CV_ANSWER_NONE},
        {"OK_TO_PROCEED: yes\nOK_TO_PROCEED: no", CV_ANSWER_UNCLEAR},
        {"> OK_TO_PROCEED: yes\nOK_TO_PROCEED: no", CV_ANSWER_NO},
        {"> OK_TO_PROCEED: yes", CV_ANSWER_NONE},
        {"it is ok to proceed, yes", CV_ANSWER_NONE},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        if (cv_consult_answer_of(cv_str_of(cases[i].body)) != cases[i].answer)
            print_error("%s\n", cases[i].body);
        assert_int_equal(cv_consult_answer_of(cv_str_of(cases[i].body)), cases[i].answer);
    }
}

/* The word of the rules counts before others like it, and what is quoted does not count. */
static void which_line_is_a_field(void **state)
{
    (void)state;
    cv_str body = CV_STR("> CONSULT_DOMAIN: chemist\ndomain: of numbers\nCONSULT_DOMAIN: biologist\n  (as asked)\n");
    cv_str domain = cv_consult_get(CV_CONSULT_RESPONSE, body, "CONSULT_DOMAIN");
    assert_str_eq(domain, "biologist\n  (as asked)");
    assert_str_eq(cv_field_line(domain), "biologist");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_has_exactly_this_grammar),
        cmocka_unit_test(the_fields_of_a_head),
        cmocka_unit_test(tags_match_whole_roles),
        cmocka_unit_test(a_header_is_read_and_checked),
        cmocka_unit_test(only_the_next_number_makes_a_message),
        cmocka_unit_test(any_body_stays_text),
        cmocka_unit_test(changes_move_what_stands_behind_them),
        cmocka_unit_test(line_breaks_do_not_change_what_was_said),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test(fields_in_either_spelling),
        cmocka_unit_test(the_answer_of_a_consultant),
        cmocka_unit_test(which_line_is_a_field),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cv_arena_release(&a);
    return failed;
}
