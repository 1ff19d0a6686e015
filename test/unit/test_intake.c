/* test_intake.c - responses come in, rounds are looked at, drafts are made: and what the record holds afterwards. */
#include "world.h"

#include <string.h>
#include <sys/stat.h>

#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

static const char *const experts[] = {"muffin", "cupcake", "donut", NULL};

static void open_world(cv_world *w)
{
    cv_world_open(w);
    cv_world_dialogue(w, "bread", experts, false);
}

/* ---- requests and answers ----------------------------------------------------------------------- */

/* {"dialogue_id": "bread", "expert": …, "content": …, more}; the text may hold anything. */
static bool respond(cv_world *w, const char *expert, cv_str content, const char *more)
{
    cv_buf text = {0};
    cv_json_writer j = {.out = &text};
    cv_json_begin_object(&j);
    cv_json_key_str(&j, "dialogue_id", CV_STR("bread"));
    cv_json_key_str(&j, "expert", cv_str_of(expert));
    if (content.p)
        cv_json_key_str(&j, "content", content);
    cv_json_end_object(&j);
    text.n--;
    cv_buf_add_z(&text, more);
    cv_buf_add_char(&text, '}');
    bool done = cv_world_call_json(w, "respond", cv_buf_str(&text));
    cv_buf_release(&text);
    return done;
}

static void assert_responds(cv_world *w, const char *expert, const char *content, const char *more)
{
    if (!respond(w, expert, cv_str_of(content), more))
        fail_msg("%.*s", CV_FMT(cv_err_text(&w->errs.items[0])));
}

static void assert_refused(cv_world *w, const char *expert, const char *content, const char *more, cv_err_code code)
{
    cv_str before = cv_world_position(w, "bread").head;
    assert_false(respond(w, expert, cv_str_of(content), more));
    assert_view_eq(cv_err_word(w->errs.items[0].code), cv_err_word(code));
    assert_view_eq(cv_world_position(w, "bread").head, before);
}

static cv_json answer(cv_world *w)
{
    cv_json tree;
    cv_err err = {.arena = &w->turn};
    assert_ok(cv_json_parse(&w->turn, cv_arena_copy(&w->turn, cv_buf_str(&w->out)), &tree, &err), &err);
    return tree;
}

static const cv_json *get(const cv_json *tree, const char *key)
{
    const cv_json *value = cv_json_get(tree, cv_str_of(key));
    if (!value)
        fail_msg("no member '%s'", key);
    return value;
}

/* Does a list of objects have one whose `type` is this? */
static bool has_type(const cv_json *list, const char *type)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (cv_str_eq(cv_json_get_text(&list->items[i], "type"), cv_str_of(type)))
            return true;
    return false;
}

static bool warns(cv_world *w, const char *type)
{
    cv_json tree = answer(w);
    return has_type(get(&tree, "warnings"), type);
}

static const cv_rec_response *stored(const cv_state *s, int64_t round, const char *expert)
{
    for (size_t i = 0; i < s->responses.count; i++)
        if (s->responses.items[i].round == round && cv_str_eq(s->responses.items[i].expert_slug, cv_str_of(expert)))
            return &s->responses.items[i];
    return NULL;
}

static cv_str file_path(cv_world *w, const char *name)
{
    return cv_arena_printf(&w->a, "%s/.conclave/dialogues/bread/%s", w->folder, name);
}

static void assert_file(cv_world *w, const char *name, const char *text)
{
    assert_str_eq(cv_test_read(&w->a, file_path(w, name).p), text);
}

static void write_file(cv_world *w, const char *name, const char *text)
{
    cv_err err = {.arena = &w->a};
    assert_ok(cv_file_write(file_path(w, name).p, cv_str_of(text), &err), &err);
}

static void verify(cv_world *w)
{
    cv_call call = cv_world_begin(w);
    cv_json input = {.type = CV_JSON_OBJECT};
    call.input = &input;
    if (!cv_op_call(cv_op_find(CV_STR(""), CV_STR("verify")), &call))
        fail_msg("%.*s", CV_FMT(cv_err_text(&w->errs.items[0])));
}

/* ---- respond -------------------------------------------------------------------------------------- */

static void a_response_is_kept_as_it_is(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    const char *text = "\xEF\xBB\xBF# Müffin 🧁\r\n[MUFFIN-P0001: \"It's\" viable]\r\n\tbody \\ `x`\n\n";
    assert_responds(&w, "Muffin", text, "");
    cv_json tree = answer(&w);
    assert_str_eq(cv_json_get_text(&tree, "expert_slug"), "muffin");
    assert_int_equal(cv_json_get_int(&tree, "bytes", -1), (int64_t)strlen(text));
    assert_str_has(cv_json_get_text(&tree, "response_path"), "/.conclave/dialogues/bread/round-0/response-muffin.md");
    assert_file(&w, "round-0/response-muffin.md", text);
    cv_state s = cv_world_state(&w, "bread");
    assert_str_eq(stored(&s, 0, "muffin")->content, text);
    assert_str_eq(s.events.items[s.events.count - 1].subject_type, "S");
    assert_str_eq(s.events.items[s.events.count - 1].subject_id, "0/muffin");
    assert_str_eq(s.events.items[s.events.count - 1].actors, "[\"muffin\"]");
    verify(&w);
    cv_world_close(&w);
}

static void the_same_again_is_replayed(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "one", "");
    cv_str head = cv_world_position(&w, "bread").head;
    assert_responds(&w, "MUFFIN", "one", ",\"round\":0");
    cv_json tree = answer(&w);
    assert_true(cv_json_get_true(&tree, "replayed"));
    assert_int_equal(cv_json_get_int(&tree, "rev", 0), 2);
    assert_view_eq(cv_world_position(&w, "bread").head, head);
    /* Once the round is registered, the same text is one of the next round, unless it names its own. */
    cv_world_do(&w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 1}");
    assert_responds(&w, "muffin", "one", ",\"round\":0");
    tree = answer(&w);
    assert_true(cv_json_get_true(&tree, "replayed"));
    assert_false(warns(&w, "late_response"));
    assert_false(warns(&w, "repeated_response"));
    assert_responds(&w, "muffin", "one", "");
    tree = answer(&w);
    assert_false(cv_json_get_true(&tree, "replayed"));
    assert_int_equal(cv_json_get_int(&tree, "round", -1), 1);
    assert_true(warns(&w, "repeated_response"));
    cv_state s = cv_world_state(&w, "bread");
    assert_non_null(stored(&s, 1, "muffin"));
    cv_world_close(&w);
}

static void another_text_replaces_only_when_asked(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "one", "");
    assert_refused(&w, "muffin", "two", "", CV_ERR_RESPONSE_EXISTS);
    assert_responds(&w, "muffin", "two", ",\"replace\":true");
    assert_file(&w, "round-0/response-muffin.md", "two");
    cv_state s = cv_world_state(&w, "bread");
    const cv_rec_event *event = &s.events.items[s.events.count - 1];
    assert_str_eq(event->event_type, "replaced");
    assert_str_has(event->data, "\"content\":\"one\"");
    /* There and back: each is a request of its own. */
    assert_responds(&w, "muffin", "one", ",\"replace\":true");
    assert_responds(&w, "muffin", "two", ",\"replace\":true");
    assert_file(&w, "round-0/response-muffin.md", "two");
    assert_responds(&w, "muffin", NULL, ",\"no_contribution\":true,\"replace\":true");
    assert_responds(&w, "muffin", "three", ",\"replace\":true,\"op_id\":\"x\"");
    assert_responds(&w, "muffin", "four", ",\"replace\":true");
    assert_responds(&w, "muffin", "three", ",\"replace\":true,\"op_id\":\"x\"");
    assert_true(warns(&w, "superseded"));
    assert_file(&w, "round-0/response-muffin.md", "four");
    s = cv_world_state(&w, "bread");
    assert_str_eq(stored(&s, 0, "muffin")->content, "four");
    verify(&w);
    cv_world_do(&w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 1}");
    assert_refused(&w, "muffin", "five", ",\"round\":0,\"replace\":true", CV_ERR_RESPONSE_EXISTS);
    assert_responds(&w, "donut", "late", ",\"round\":0");
    assert_true(warns(&w, "late_response"));
    verify(&w);
    cv_world_close(&w);
}

static void requests_are_refused_with_reasons(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_refused(&w, "mufin", "x", "", CV_ERR_UNKNOWN_EXPERT);
    assert_str_has(w.errs.items[0].suggestion, "muffin");
    assert_refused(&w, "judge", "x", "", CV_ERR_INVALID_VALUE);
    assert_refused(&w, "muffin", " \n\t", "", CV_ERR_MISSING_FIELD);
    assert_str_has(w.errs.items[0].suggestion, "no_contribution");
    assert_refused(&w, "muffin", NULL, "", CV_ERR_MISSING_FIELD);
    assert_refused(&w, "muffin", "x", ",\"no_contribution\":true", CV_ERR_INVALID_VALUE);
    assert_refused(&w, "muffin", "x", ",\"round\":1", CV_ERR_ROUND_ORDER);
    assert_refused(&w, "muffin", "x", ",\"round\":100", CV_ERR_TOO_LARGE);
    assert_refused(&w, "muffin", "x", ",\"expect_rev\":9", CV_ERR_REV_CONFLICT);
    assert_refused(&w, "muffin", "x", ",\"round\":\"0\"", CV_ERR_INVALID_VALUE);
    assert_false(cv_world_call(&w, "respond", "{'dialogue_id': 'bred', 'expert': 'muffin', 'content': 'x'}"));
    assert_int_equal(w.errs.items[0].code, CV_ERR_DIALOGUE_NOT_FOUND);
    /* All faults at once. */
    assert_false(respond(&w, "nobody", CV_STR(""), ",\"round\":5"));
    assert_int_equal(w.errs.count, 3);
    cv_world_do(&w, "abandon", "{'dialogue_id': 'bread', 'reason': 'stale'}");
    assert_refused(&w, "muffin", "x", "", CV_ERR_DIALOGUE_CLOSED);
    cv_world_close(&w);
}

static void a_decided_dialogue_hears_nobody(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "one", "");
    cv_world_do(&w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 1}");
    cv_world_do(&w, "verdict-register",
                "{'dialogue_id': 'bread', 'verdict_id': 'final', 'verdict_type': 'final',"
                " 'recommendation': 'r', 'description': 'd'}");
    assert_refused(&w, "donut", "x", "", CV_ERR_DIALOGUE_CLOSED);
    assert_responds(&w, "muffin", "one", ",\"round\":0"); /* the answer of the first time */
    cv_world_close(&w);
}

static void large_responses_are_whole_or_refused(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    char *large = cv_arena_alloc(&w.a, CV_MAX_RESPONSE + 2);
    memset(large, 'x', CV_MAX_RESPONSE + 1);
    assert_false(respond(&w, "muffin", (cv_str){large, CV_MAX_RESPONSE + 1}, ""));
    assert_int_equal(w.errs.items[0].code, CV_ERR_TOO_LARGE);
    assert_true(respond(&w, "muffin", (cv_str){large, CV_MAX_RESPONSE}, ""));
    assert_true(respond(&w, "donut", (cv_str){large, 411846}, ""));
    cv_state s = cv_world_state(&w, "bread");
    assert_int_equal(stored(&s, 0, "muffin")->content.n, CV_MAX_RESPONSE);
    assert_int_equal(stored(&s, 0, "donut")->content.n, 411846);
    cv_world_close(&w);
}

/* ---- an expert's own file ------------------------------------------------------------------------ */

static void what_an_expert_wrote_itself_is_not_overwritten(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "donut", "first", ""); /* makes the folders */
    write_file(&w, "round-0/response-muffin.md", "My own words.");
    assert_refused(&w, "muffin", "I am done.", "", CV_ERR_RESPONSE_EXISTS);
    assert_str_has(w.errs.items[0].message, "round-0/response-muffin.md has another text");
    assert_str_has(w.errs.items[0].suggestion, "content_path");
    assert_refused(&w, "muffin", "I am done.", ",\"dry_run\":true", CV_ERR_RESPONSE_EXISTS);
    assert_file(&w, "round-0/response-muffin.md", "My own words.");
    assert_responds(&w, "muffin", "My own words.", "");
    /* Written once more since: the same text again does not undo it, whether or not it is known by its op_id. */
    write_file(&w, "round-0/response-muffin.md", "My better words.");
    assert_refused(&w, "muffin", "My own words.", "", CV_ERR_RESPONSE_EXISTS);
    assert_responds(&w, "cupcake", "known", ",\"op_id\":\"x\"");
    write_file(&w, "round-0/response-cupcake.md", "better known");
    assert_responds(&w, "cupcake", "known", ",\"op_id\":\"x\"");
    assert_true(warns(&w, "file_not_written"));
    assert_file(&w, "round-0/response-cupcake.md", "better known");
    cv_world_close(&w);
}

static void a_replaced_file_is_kept_beside(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "donut", "first", "");
    write_file(&w, "round-0/response-muffin.md", "My own words.");
    assert_responds(&w, "muffin", "one", ",\"replace\":true");
    assert_true(warns(&w, "file_kept_aside"));
    assert_file(&w, "round-0/response-muffin.md", "one");
    assert_file(&w, "round-0/response-muffin.md.before-1", "My own words.");
    write_file(&w, "round-0/response-muffin.md", "no \xff text");
    assert_responds(&w, "muffin", "two", ",\"replace\":true");
    assert_file(&w, "round-0/response-muffin.md.before-1", "My own words.");
    assert_file(&w, "round-0/response-muffin.md.before-2", "no \xff text");
    /* What the history keeps, and what holds nothing, is not in the way: a writer may have died before its file. */
    write_file(&w, "round-0/response-muffin.md", "one");
    assert_responds(&w, "muffin", "two", "");
    assert_file(&w, "round-0/response-muffin.md", "two");
    write_file(&w, "round-0/response-cupcake.md", " \n");
    assert_responds(&w, "cupcake", "three", "");
    assert_file(&w, "round-0/response-cupcake.md", "three");
    assert_false(warns(&w, "file_kept_aside"));
    verify(&w);
    cv_world_close(&w);
}

static bool respond_confined(cv_world *w, cv_str input)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json tree;
    assert_ok(cv_json_parse(&w->turn, input, &tree, &err), &err);
    call.input = &tree;
    call.confined = true;
    return cv_op_call(cv_op_find(CV_STR("dialogue"), CV_STR("respond")), &call);
}

static void a_file_can_be_handed_in(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "donut", "first", "");
    write_file(&w, "round-0/response-muffin.md", "[MUFFIN-P0001: Mine]\r\nAs it is.");
    static const char head[] = "{\"dialogue_id\":\"bread\",\"expert\":\"muffin\",";
    static const char own[] = ".conclave/dialogues/bread/round-0/response-muffin.md";
    static const struct {
        const char *rest;
        cv_err_code code;
        const char *field;
    } wrong[] = {
        {"\"content_path\":\"../muffin.md\"}", CV_ERR_INVALID_VALUE, "content_path"},
        {"\"content_path\":\"/etc/passwd\"}", CV_ERR_INVALID_VALUE, "content_path"},
        {"\"content_path\":\"nothing.md\"}", CV_ERR_NOT_FOUND, "content_path"},
        {"\"content_path\":\".conclave\"}", CV_ERR_NOT_A_FILE, "content_path"},
        {"\"content_path\":\"x\",\"content\":\"y\"}", CV_ERR_INVALID_VALUE, "content_path"},
        {"\"content\":\"@.conclave/dialogues/bread/round-0/response-muffin.md\\n\"}", CV_ERR_INVALID_VALUE, "content"},
        {"\"content\":\"@/somewhere/else.md\"}", CV_ERR_INVALID_VALUE, "content"},
    };
    for (size_t i = 0; i < CV_COUNT(wrong); i++) {
        assert_false(respond_confined(&w, cv_arena_printf(&w.a, "%s%s", head, wrong[i].rest)));
        assert_int_equal(w.errs.items[0].code, wrong[i].code);
        assert_str_eq(w.errs.items[0].field, wrong[i].field);
    }
    assert_true(respond_confined(&w, cv_arena_printf(&w.a, "%s\"content_path\":\"%s\"}", head, own)));
    cv_state s = cv_world_state(&w, "bread");
    assert_str_eq(stored(&s, 0, "muffin")->content, "[MUFFIN-P0001: Mine]\r\nAs it is.");
    assert_true(respond_confined(&w, cv_arena_printf(&w.a, "%s\"content_path\":\"%s\"}", head, own)));
    cv_json tree = answer(&w);
    assert_true(cv_json_get_true(&tree, "replayed"));
    /* A name in a greeting is not a file. */
    assert_responds(&w, "cupcake", "@muffin is right.", "");
    cv_world_close(&w);
}

static void without_its_file_the_record_holds_it(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "donut", "first", ""); /* makes the folders */
    assert_int_equal(mkdir(file_path(&w, "round-0/response-muffin.md").p, 0777), 0);
    assert_responds(&w, "muffin", "one", "");
    assert_true(warns(&w, "file_not_written"));
    cv_json tree = answer(&w);
    assert_int_equal(get(&tree, "response_path")->type, CV_JSON_NULL);
    cv_state s = cv_world_state(&w, "bread");
    assert_str_eq(stored(&s, 0, "muffin")->content, "one");
    assert_int_equal(rmdir(file_path(&w, "round-0/response-muffin.md").p), 0);
    assert_responds(&w, "muffin", "one", "");
    assert_false(warns(&w, "file_not_written"));
    assert_file(&w, "round-0/response-muffin.md", "one");
    cv_world_close(&w);
}

static void a_dry_run_writes_nothing(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_str head = cv_world_position(&w, "bread").head;
    assert_responds(&w, "muffin", "[MUFFIN-P0001: A]", ",\"dry_run\":true");
    assert_str_has(cv_buf_str(&w.out), "\"perspectives\":[\"MUFFIN-P0001\"]");
    assert_view_eq(cv_world_position(&w, "bread").head, head);
    assert_false(cv_file_is_folder(file_path(&w, "round-0").p));
    cv_world_close(&w);
}

static void without_a_seat_it_is_told(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_world_do(&w, "expert-create",
                "{'dialogue_id': 'bread', 'slug': 'scone', 'role': 'Baker', 'tier': 'Core', 'reason': 'need'}");
    assert_responds(&w, "scone", "[SCONE-P0001: A]", "");
    assert_true(warns(&w, "no_seat"));
    assert_responds(&w, "muffin", "[MUFFIN-P0001: A]", "");
    assert_false(warns(&w, "no_seat"));
    cv_world_do(&w, "round-verify", "{'dialogue_id': 'bread'}");
    assert_str_has(cv_buf_str(&w.out), "\"without_seat\":[\"scone\"]");
    cv_world_do(&w, "draft", "{'dialogue_id': 'bread'}");
    assert_true(warns(&w, "no_seat"));
    assert_str_has(cv_buf_str(&w.out), "\"local_id\":\"SCONE-P0001\"");
    cv_world_do(&w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'perspectives': ["
                "{'local_id': 'SCONE-P0001', 'label': 'A', 'content': 'A'}]}");
    assert_true(warns(&w, "no_seat"));
    cv_world_close(&w);
}

/* ---- round-verify ------------------------------------------------------------------------------------ */

static void a_round_is_complete_when_all_have_answered(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_str before = cv_world_position(&w, "bread").head;
    cv_world_do(&w, "round-verify", "{'dialogue_id': 'bread'}");
    assert_str_has(cv_buf_str(&w.out), "\"complete\":false");
    assert_str_has(cv_buf_str(&w.out), "\"missing\":[\"muffin\",\"cupcake\",\"donut\"]");
    assert_view_eq(cv_world_position(&w, "bread").head, before);
    assert_responds(&w, "muffin", "[RE:SUPPORT DONUT-P0001]\n[RE:SUPPORT DONUT-P0002]", "");
    assert_responds(&w, "cupcake", NULL, ",\"no_contribution\":true");
    cv_world_do(&w, "round-verify", "{'dialogue_id': 'bread', 'round': 0}");
    assert_str_has(cv_buf_str(&w.out), "\"type\":\"pending_target\",\"severity\":\"note\",\"line\":2");
    assert_responds(&w, "donut", "[DONUT-P0001: there]", "");
    cv_world_do(&w, "round-verify", "{'dialogue_id': 'bread'}");
    assert_str_has(cv_buf_str(&w.out), "\"complete\":true");
    assert_str_has(cv_buf_str(&w.out), "\"no_contribution\":[\"cupcake\"]");
    assert_str_has(cv_buf_str(&w.out), "\"type\":\"unknown_target\",\"severity\":\"lost\",\"line\":2");
    assert_false(cv_world_call(&w, "round-verify", "{'dialogue_id': 'bread', 'round': 7}"));
    assert_int_equal(w.errs.items[0].code, CV_ERR_ROUND_ORDER);
    assert_false(cv_world_call(&w, "round-verify", "{'dialogue_id': 'nope'}"));
    cv_world_close(&w);
}

static void files_are_held_against_the_record(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "one", "");
    write_file(&w, "round-0/response-muffin.md", "changed");
    write_file(&w, "round-0/cupcake.md", "[CUPCAKE-P0001: never handed in]");
    write_file(&w, "round-0/response-kettle.md", "invented");
    write_file(&w, "round-0/response-donut.md", "no \xff text");
    write_file(&w, "round-0/prompt-donut.md", "no response");
    write_file(&w, "round-0/summary.md", "no response");
    cv_world_do(&w, "round-verify", "{'dialogue_id': 'bread'}");
    cv_json tree = answer(&w);
    const cv_json *files = get(&tree, "files");
    assert_int_equal(files->count, 4);
    assert_str_eq(cv_json_get_text(&files->items[0], "state"), "not_in_record");
    assert_str_has(cv_json_get_text(&files->items[0], "command"),
                   "conclave dialogue respond bread --round 0 --expert cupcake --content @");
    assert_str_eq(cv_json_get_text(&files->items[1], "state"), "unreadable");
    assert_str_eq(cv_json_get_text(&files->items[2], "state"), "unknown_expert");
    assert_str_eq(cv_json_get_text(&files->items[3], "state"), "differs");
    assert_true(cv_str_ends(cv_json_get_text(&files->items[3], "command"), CV_STR("response-muffin.md --replace")));
    assert_file(&w, "round-0/response-muffin.md", "changed");
    cv_world_close(&w);
}

/* ---- draft: accepted as it is ----------------------------------------------------------------------- */

/* The payload of the last draft, with a score. */
static cv_str scored(cv_world *w, cv_arena *a)
{
    cv_json tree = answer(w);
    cv_buf text = {0};
    cv_json_writer j = {.out = &text};
    cv_json_value(&j, get(&tree, "payload"));
    text.n--;
    cv_buf_add_z(&text, ",\"score\":7}");
    return cv_buf_take(&text, a);
}

static void assert_takes(cv_world *w, const char *verb, cv_str request)
{
    if (cv_world_call_json(w, verb, request))
        return;
    for (size_t i = 0; i < w->errs.count; i++)
        print_error("%.*s\n", CV_FMT(cv_err_text(&w->errs.items[i])));
    print_error("%.*s\n", CV_FMT(request));
    fail();
}

/* Draft, dry run, round, verdicts; nothing is unsourced, and the draft is the same each time. */
static void assert_draft_is_taken(cv_world *w)
{
    cv_arena a = {0};
    cv_world_do(w, "draft", "{'dialogue_id': 'bread'}");
    cv_str first = cv_arena_copy(&a, cv_buf_str(&w->out));
    cv_world_do(w, "draft", "{'dialogue_id': 'bread'}");
    assert_view_eq(cv_buf_str(&w->out), first);
    cv_json draft = answer(w);
    const cv_json *verdicts = get(get(&draft, "notes"), "verdicts");
    cv_str *requests = CV_NEW_ARRAY(&a, verdicts->count, cv_str);
    for (uint32_t i = 0; i < verdicts->count; i++) {
        cv_buf text = {0};
        cv_json_writer j = {.out = &text};
        cv_json_value(&j, &verdicts->items[i]);
        requests[i] = cv_buf_take(&text, &a);
    }
    size_t verdict_count = verdicts->count;
    cv_str request = scored(w, &a);
    cv_str dry = cv_arena_printf(&a, "%.*s,\"dry_run\":true}", (int)request.n - 1, request.p);
    assert_takes(w, "round-register", dry);
    assert_takes(w, "round-register", request);
    assert_false(warns(w, "unsourced"));
    assert_false(warns(w, "differs_from_response"));
    assert_false(warns(w, "not_registered"));
    assert_false(warns(w, "self_reference"));
    for (size_t i = 0; i < verdict_count; i++)
        assert_takes(w, "verdict-register", requests[i]);
    cv_arena_release(&a);
}

static void a_draft_of_all_marks_is_taken(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "[PERSPECTIVE P01: A]\nbody\n[TENSION T1: B]\nb\n[RE:SUPPORT DONUT-R0001]\n", "");
    assert_responds(&w, "donut", "[DONUT-R0001: Collar]\n[RE:ADDRESS MUFFIN-T0001]\n[MOVE:CONVERGE]\n", "");
    assert_draft_is_taken(&w);
    assert_responds(&w, "muffin",
                    "[RE:OPPOSE @donut]\n[PERSPECTIVE P01: A]\n[PERSPECTIVE P01: B]\n[TENSION T-NEW: C]\n"
                    "[REFINEMENT P0001: D]\nd\n[CONCESSION: E]\n[RESOLVED T01: by it]\n[RESOLVED T0001]\n"
                    "[MUFFIN-E0101: F]\n[MUFFIN-C0101: G]\n[RE:DEPEND MUFFIN-E0101]\n[P0001: A] (muffin)\n"
                    "[KETTLE-P0101: H]\n[MUFFIN-P0009: I]\n[MOVE:BRIDGE P0001 R0001]\nboth\n[DISSENT]\nno\n"
                    "[MINORITY VERDICT: wait]\nyes\n[RE: R0001]\n[ACCEPTED UNRESOLVED T0001]\n",
                    "");
    assert_responds(&w, "cupcake", "[DISSENT: never]\n", "");
    assert_draft_is_taken(&w);
    verify(&w);
    cv_world_close(&w);
}

/* Pieces of marks in any order: whatever comes of them must be taken. */
static void any_response_makes_a_draft_that_is_taken(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "[MUFFIN-P%02d01: One]\ntext\n",
        "[CUPCAKE-T%02d01: Two]\n",
        "[DONUT-R%02d02: Three]\nmore\n",
        "[PERSPECTIVE P01: Four]\n",
        "[PERSPECTIVE P1: Five]\n",
        "[TENSION T-NEW: Six]\n",
        "[RECOMMENDATION R01: Seven]\n",
        "[E%02d01: Eight]\n",
        "[CLAIM: Nine]\n",
        "[RE:SUPPORT P0001]\n",
        "[RE:REFINE P01]\n",
        "[RE:RESOLVE T0001 T01]\n",
        "[RE:OPPOSE @cupcake]\n",
        "[RE:DEPEND P%02d01]\n",
        "[RE: T0001]\n",
        "[RESOLVED T01: so]\n",
        "[REOPEN]\n",
        "[RE:REOPEN T0001]\n",
        "[MOVE:CONCEDE P0001]\n",
        "[MOVE:CONVERGE]\n",
        "[MOVE:BRIDGE P01 T01]\n",
        "[REFINEMENT R0001: Ten]\nx\n",
        "[REFINEMENT on T01]\ny\n",
        "[CONCESSION: Eleven]\n",
        "[CONCESSION to Donut on P01]\n",
        "[DISSENT]\nbecause\n",
        "[MINORITY VERDICT: Twelve]\n",
        "plain text\n",
        "\n",
        "## Round 2\n### Muffin\n",
        "| a | [PERSPECTIVE P03: x] |\n",
        "```\n[P01]\n",
        "- [MUFFIN-C%02d01: in a list] tail\n",
    };
    cv_test_random random = {77};
    int worlds = cv_test_soak() ? 400 : 8;
    for (int i = 0; i < worlds; i++) {
        cv_world w;
        open_world(&w);
        for (int round = 0; round < 4; round++) {
            for (int k = 0; experts[k]; k++) {
                cv_buf text = {0};
                for (size_t n = cv_test_below(&random, 12); n > 0; n--) {
                    const char *piece = pieces[cv_test_below(&random, CV_COUNT(pieces))];
                    const char *number = strstr(piece, "%02d");
                    if (number)
                        cv_buf_printf(&text, "%.*s%02d%s", (int)(number - piece), piece, round, number + 4);
                    else
                        cv_buf_add_z(&text, piece);
                }
                if (cv_str_trim(cv_buf_str(&text)).n)
                    assert_true(
                        respond(&w, experts[k], cv_buf_str(&text), cv_arena_printf(&w.a, ",\"round\":%d", round).p));
                cv_buf_release(&text);
            }
            assert_draft_is_taken(&w);
        }
        verify(&w);
        cv_world_close(&w);
    }
}

/* ---- real responses ------------------------------------------------------------------------------- */

static const char *const pastries[] = {"muffin",      "cupcake", "scone",   "eclair",  "donut",   "brioche",
                                       "croissant",   "macaron", "cannoli", "strudel", "beignet", "churro",
                                       "profiterole", "tartlet", "galette", "palmier", NULL};

typedef struct {
    cv_world w;
    cv_str dialogue, round; /* the folders that we are in */
    size_t responses, rounds;
    bool open;
} reading;

static void end_round(reading *r)
{
    if (r->round.n) {
        assert_draft_is_taken(&r->w);
        r->rounds++;
    }
    r->round = (cv_str){NULL, 0};
}

static void end_dialogue(reading *r)
{
    end_round(r);
    if (!r->open)
        return;
    verify(&r->w);
    cv_world_close(&r->w);
    r->open = false;
}

static cv_str folder_of(cv_str path)
{
    while (path.n > 0 && path.p[path.n - 1] != '/')
        path.n--;
    return cv_str_head(path, path.n ? path.n - 1 : 0);
}

static bool hand_in(void *ctx, const char *path, cv_err *err)
{
    reading *r = ctx;
    cv_str file = cv_str_of(path), round = folder_of(file), name = cv_str_from(file, round.n + 1);
    cv_str slug = cv_str_head(name, name.n - 3), dialogue = folder_of(round);
    size_t k = 0;
    (void)err;
    while (pastries[k] && !cv_str_eq(slug, cv_str_of(pastries[k])))
        k++;
    if (!pastries[k] || cv_str_find(cv_str_from(round, dialogue.n), CV_STR("/round-")) != 0)
        return true;
    if (!cv_str_eq(dialogue, r->dialogue)) {
        end_dialogue(r);
        cv_world_open(&r->w);
        cv_world_dialogue(&r->w, "bread", pastries, false);
        r->open = true;
        r->dialogue = cv_arena_copy(&r->w.a, dialogue);
    }
    if (!cv_str_eq(round, r->round))
        end_round(r);
    r->round = cv_arena_copy(&r->w.a, round);
    assert_true(respond(&r->w, pastries[k], cv_test_read(&r->w.a, path), ""));
    r->responses++;
    return true;
}

static void real_responses_make_drafts_that_are_taken(void **state)
{
    (void)state;
    reading r = {0};
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    const char *corpus = cv_test_corpus();
    assert_ok(cv_file_walk(&a, corpus, CV_STR(".md"), hand_in, &r, &err), &err);
    end_dialogue(&r);
    assert_true(r.responses >= 50 && r.rounds >= 6);
    cv_arena_release(&a);
}

/* ---- what is registered, and what was said -------------------------------------------------------- */

/* Tries a round with these lists; nothing is written. */
static cv_json try_round(cv_world *w, const char *lists)
{
    cv_world_do(w, "round-register",
                cv_arena_printf(&w->a, "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'dry_run': true%s}", lists).p);
    return answer(w);
}

static void an_item_that_says_something_else_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *label, *content;
        bool differs;
    } tries[] = {
        {"Deploy now", "It is safe.", true},
        {"Do not deploy", "It is safe.", false},
        {"do  not **deploy**!", "It is safe.", false},
        {"Deploy now", "it will *lose* data", false},
        {"Deploy now", "will lose", false},
        {"Deploy now", "will los", true},
        {"Do not", "\u2026", true},
        {"Deploy", "all of it will lose data", true},
    };
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "[MUFFIN-P0001: Do not deploy]\nIt will\n**lose** data.", "");
    for (size_t i = 0; i < CV_COUNT(tries); i++) {
        cv_json tree = try_round(
            &w,
            cv_arena_printf(&w.a, ", 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': '%s', 'content': '%s'}]",
                            tries[i].label, tries[i].content)
                .p);
        const cv_json *warnings = get(&tree, "warnings");
        if (has_type(warnings, "differs_from_response") != tries[i].differs)
            fail_msg("'%s', '%s'", tries[i].label, tries[i].content);
        if (tries[i].differs)
            assert_str_eq(cv_json_get_text(&warnings->items[0], "id"), "MUFFIN-P0001");
    }
    cv_world_close(&w);
}

static void a_merged_item_agrees_with_one_of_its_sources(void **state)
{
    (void)state;
    static const char rest[] = ", 'perspectives': [{'local_id': 'MUFFIN-P0001', 'also': ['DONUT-P0001'], "
                               "'contributors': ['muffin', 'donut'], 'content': 'both', 'label': ";
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "[MUFFIN-P0001: Rye]\nDark.", "");
    assert_responds(&w, "donut", "[DONUT-P0001: Spelt]\nLight.", "");
    cv_json tree = try_round(&w, cv_arena_printf(&w.a, "%s'Spelt'}]", rest).p);
    assert_int_equal(get(&tree, "warnings")->count, 2);
    assert_true(has_type(get(&tree, "warnings"), "no_response"));      /* of cupcake */
    assert_true(has_type(get(&tree, "warnings"), "changed_by_judge")); /* the text is neither's */
    tree = try_round(&w, cv_arena_printf(&w.a, "%s'Wheat'}]", rest).p);
    assert_true(has_type(get(&tree, "warnings"), "differs_from_response"));
    assert_false(has_type(get(&tree, "warnings"), "not_registered"));
    cv_world_close(&w);
}

static void what_is_left_out_is_told(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_json tree = try_round(&w, "");
    const cv_json *first = &get(&tree, "warnings")->items[0];
    assert_str_eq(cv_json_get_text(first, "type"), "no_response");
    assert_int_equal(get(first, "ids")->count, 3);
    first = &get(&tree, "warnings")->items[1];
    assert_str_eq(cv_json_get_text(first, "type"), "empty_round");
    assert_str_has(cv_json_get_text(first, "message"), "nothing is registered in round 0");
    assert_responds(&w, "muffin", "[MOVE:CONVERGE]\n[MUFFIN-P0001: Rye]\nDark.\n[MUFFIN-T0001: Price]\nHigh.", "");
    tree = try_round(&w, ", 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'Rye', 'content': 'Dark.'}]");
    first = &get(&tree, "warnings")->items[0];
    assert_int_equal(get(&tree, "warnings")->count, 2);
    assert_true(has_type(get(&tree, "warnings"), "no_response"));
    assert_str_eq(cv_json_get_text(first, "type"), "not_registered");
    assert_int_equal(get(first, "ids")->count, 1);
    assert_str_eq(get(first, "ids")->items[0].text, "MUFFIN-T0001");
    assert_str_has(cv_json_get_text(first, "message"), "items: 1, moves: 1");
    tree = try_round(&w, ", 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'Rye', 'content': 'Dark.'}], "
                         "'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'Price', 'content': 'High.'}], "
                         "'moves': [{'expert': 'muffin', 'type': 'converge'}]");
    assert_int_equal(get(&tree, "warnings")->count, 1);
    cv_world_close(&w);
}

/* References, resolutions among them, dissent, and scores of those who said nothing. */
static void what_else_is_left_out_is_told(void **state)
{
    (void)state;
    static const char *const types[] = {"references_not_registered", "dissent_not_registered", "score_without_response",
                                        "no_response"};
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin",
                    "[RE:SUPPORT @donut]\nYes.\n\n[MUFFIN-P0001: Rye]\nDark.\n[RE:SUPPORT @donut]\n\n[DISSENT]\nNo.",
                    "");
    cv_json tree =
        try_round(&w, ", 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'Rye', 'content': 'Dark.'}], "
                      "'expert_scores': {'muffin': 1, 'donut': 0}");
    const cv_json *warnings = get(&tree, "warnings");
    for (size_t i = 0; i < CV_COUNT(types); i++)
        assert_true(has_type(warnings, types[i]));
    assert_str_has(cv_json_get_text(&warnings->items[0], "message"),
                   "2 (MUFFIN-P0001 support @donut, @muffin support @donut)");
    cv_world_close(&w);
}

/* ---- nearly a mark ---------------------------------------------------------------------------------- */

static void what_looks_like_a_mark_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *type;
        int64_t line;
    } tries[] = {
        {"[re:support donut-p0001]\n", "lower_case", 1},
        {"- [move:converge]\n", "lower_case", 1},
        {"- **[muffin-p0002: small]**\n", "lower_case", 1},
        {"text\n\n[CONVERGE]\n", "move_without_word", 3},
        {"### [P02: In a heading]\n", "short_id", 1},
        {"[T02: Alone]\n", "short_id", 1},
        {"[MUFFIN-P0002] no label\n", "closed_too_early", 1},
        {"**MUFFIN-P0002: bold**\n", "no_brackets", 1},
        {"MUFFIN-P0002: plain\n", "no_brackets", 1},
        {"[Perspective P09: nearly]\n", "lower_case", 1},
        {"```\n[CONVERGE]\n```\n", "mark_in_code", 1},
        /* what is none */
        {"[MUFFIN-P0001] was said already\n", NULL, 0},
        {"DONUT-P0001: somebody else's\n", NULL, 0},
        {"[converge](https://example.org)\n", NULL, 0},
        {"[see below]\n[x] done\n[]\n[\n", NULL, 0},
        {"In a sentence [CONVERGE] is none.\n", NULL, 0},
    };
    cv_world w;
    open_world(&w);
    for (size_t i = 0; i < CV_COUNT(tries); i++) {
        cv_str text = cv_arena_printf(&w.a, "%s\n[MUFFIN-P0001: Valid]\nBeside it.\n", tries[i].text);
        assert_true(respond(&w, "muffin", text, ",\"dry_run\":true"));
        cv_json tree = answer(&w);
        const cv_json *told = get(&tree, "diagnostics");
        if ((told->count > 0) != (tries[i].type != NULL))
            fail_msg("%u diagnostics: %s", (unsigned)told->count, tries[i].text);
        if (!tries[i].type)
            continue;
        assert_str_eq(cv_json_get_text(&told->items[0], "type"), tries[i].type);
        assert_int_equal(cv_json_get_int(&told->items[0], "line", 0), tries[i].line);
        assert_true(get(get(&tree, "summary"), "perspectives")->count > 0);
    }
    cv_world_close(&w);
}

static void a_response_in_a_code_block_is_told(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    assert_responds(&w, "muffin", "\n```markdown\n[MUFFIN-P0001: Fenced]\ntext\n```\n\n", "");
    cv_json tree = answer(&w);
    assert_true(has_type(get(&tree, "diagnostics"), "in_code_block"));
    cv_world_do(&w, "draft", "{'dialogue_id': 'bread'}");
    tree = answer(&w);
    const cv_json *unread = get(get(&tree, "notes"), "unread");
    assert_int_equal(unread->count, 1);
    assert_str_eq(cv_json_get_text(&unread->items[0], "type"), "in_code_block");
    assert_str_eq(cv_json_get_text(&unread->items[0], "expert"), "muffin");
    assert_responds(&w, "donut", "```\ncode\n```\nNo, only a part of it.", "");
    tree = answer(&w);
    assert_false(has_type(get(&tree, "diagnostics"), "in_code_block"));
    cv_world_close(&w);
}

/* ---- what it costs ------------------------------------------------------------------------------- */

typedef struct {
    int readings, writes, rows;
} costs;

static void count(void *ctx, const char *call, cv_scope_id scope, size_t rows, cv_write_result result)
{
    costs *c = ctx;
    (void)scope, (void)result;
    c->readings += strcmp(call, "begin") == 0 && rows == 0;
    c->writes += strcmp(call, "lock") == 0;
    c->rows += (int)rows;
}

/* One reading of the dialogue, one commit, then the file, and one look whether somebody has written meanwhile. */
static void a_response_is_one_reading_and_one_commit(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    costs c = {0};
    cv_record_tracing tracing = {.trace = count, .ctx = &c};
    cv_record *real = w.record;
    w.record = cv_record_traced(&w.a, real, &tracing);
    assert_responds(&w, "muffin", "[MUFFIN-P0001: Viable] It is.", "");
    assert_int_equal(c.readings, 2);
    assert_int_equal(c.writes, 1);
    c = (costs){0};
    assert_responds(&w, "muffin", "[MUFFIN-P0001: Viable] It is.", ""); /* what stands is only looked at */
    assert_int_equal(c.readings, 2);
    assert_int_equal(c.writes, 0);
    w.record = real;
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_response_is_kept_as_it_is),
        cmocka_unit_test(the_same_again_is_replayed),
        cmocka_unit_test(another_text_replaces_only_when_asked),
        cmocka_unit_test(requests_are_refused_with_reasons),
        cmocka_unit_test(a_decided_dialogue_hears_nobody),
        cmocka_unit_test(large_responses_are_whole_or_refused),
        cmocka_unit_test(without_its_file_the_record_holds_it),
        cmocka_unit_test(what_an_expert_wrote_itself_is_not_overwritten),
        cmocka_unit_test(a_replaced_file_is_kept_beside),
        cmocka_unit_test(a_file_can_be_handed_in),
        cmocka_unit_test(a_dry_run_writes_nothing),
        cmocka_unit_test(without_a_seat_it_is_told),
        cmocka_unit_test(a_round_is_complete_when_all_have_answered),
        cmocka_unit_test(files_are_held_against_the_record),
        cmocka_unit_test(a_draft_of_all_marks_is_taken),
        cmocka_unit_test(an_item_that_says_something_else_is_told),
        cmocka_unit_test(a_merged_item_agrees_with_one_of_its_sources),
        cmocka_unit_test(what_is_left_out_is_told),
        cmocka_unit_test(what_else_is_left_out_is_told),
        cmocka_unit_test(what_looks_like_a_mark_is_told),
        cmocka_unit_test(a_response_in_a_code_block_is_told),
        cmocka_unit_test(a_response_is_one_reading_and_one_commit),
        cmocka_unit_test(any_response_makes_a_draft_that_is_taken),
        cmocka_unit_test(real_responses_make_drafts_that_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
