/* test_deviations.c - what experts write instead of marks: understood, repaired or diagnosed, never silent.
 *
 * A table of forms with what becomes of each; then generated responses, of which every word must be found again in what
 * is kept: an item, a reference, a move, a verdict, the position of the round, or the lines of a diagnostic.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#include "dialogue/intake/diagnosis.h"
#include "dialogue/words/limits.h"

static const char *const experts[] = {"muffin", "cupcake", "donut", "juergen", "kim", "dr-no", NULL};

/* A dialogue with one registered round: P0001 T0001 of muffin, R0001 of donut. */
static void open_world(cv_world *w)
{
    cv_world_open(w);
    cv_world_dialogue(w, "bread", experts, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 1,"
                " 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'Mandate', 'content': 'It must be rye.'}],"
                " 'recommendations': [{'local_id': 'DONUT-R0001', 'label': 'Collar', 'content': 'x'}],"
                " 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'Growth', 'description': 'x'}]}");
}

static void add_one_line(cv_arena *a, cv_buf *b, cv_str text)
{
    text = cv_str_trim(text);
    for (size_t i = 0; i < text.n; i++)
        cv_buf_add_char(b, text.p[i] == '\n' ? '/' : text.p[i]);
    (void)a;
}

static void add_refs(cv_buf *b, const cv_extracted_ref *ref)
{
    cv_buf_printf(b, " %s%.*s>%.*s", ref->pending ? "?" : "", CV_FMT(cv_ref_words.items[ref->type]),
                  CV_FMT(ref->target));
    if (ref->reason.n) {
        cv_buf_add_z(b, "(");
        add_one_line(NULL, b, ref->reason);
        cv_buf_add_z(b, ")");
    }
}

/* "MUFFIN-P0101 Cheap=It is. support>P0001(why); move; position: …| lower_case/repaired" */
static cv_str gist(cv_arena *a, const cv_extract *h)
{
    cv_buf b = {0};
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_extracted_entity *e = &h->entities.items[i];
        cv_buf_printf(&b, "%.*s ", CV_FMT(e->local_id));
        add_one_line(a, &b, e->label);
        if (!cv_str_eq(e->label, e->content)) {
            cv_buf_add_char(&b, '=');
            add_one_line(a, &b, e->content);
        }
        for (size_t k = 0; k < e->refs.count; k++)
            add_refs(&b, &e->refs.items[k]);
        cv_buf_add_z(&b, "; ");
    }
    for (size_t i = 0; i < h->links.count; i++) {
        cv_buf_printf(&b, "@%.*s", CV_FMT(h->links.items[i].expert));
        add_refs(&b, &h->links.items[i].ref);
        cv_buf_add_z(&b, "; ");
    }
    for (size_t i = 0; i < h->moves.count; i++) {
        const cv_extracted_move *m = &h->moves.items[i];
        cv_buf_printf(&b, "%s%.*s", m->pending ? "?" : "", CV_FMT(cv_move_words.items[m->type]));
        for (size_t k = 0; k < m->targets.count; k++)
            cv_buf_printf(&b, " %.*s", CV_FMT(m->targets.items[k]));
        for (size_t k = 0; k < m->waiting.count; k++)
            cv_buf_printf(&b, " ?%.*s", CV_FMT(m->waiting.items[k]));
        if (m->context.n) {
            cv_buf_add_z(&b, " (");
            add_one_line(a, &b, m->context);
            cv_buf_add_z(&b, ")");
        }
        cv_buf_add_z(&b, "; ");
    }
    for (size_t i = 0; i < h->verdicts.count; i++) {
        cv_buf_printf(&b, "%.*s ", CV_FMT(h->verdicts.items[i].verdict_id));
        add_one_line(a, &b, h->verdicts.items[i].text);
        cv_buf_add_z(&b, "; ");
    }
    for (size_t i = 0; i < h->proposals.count; i++)
        cv_buf_printf(&b, "proposed %.*s; ", CV_FMT(h->proposals.items[i].verdict_id));
    for (size_t i = 0; i < h->positions.count; i++) {
        cv_buf_add_z(&b, "position: ");
        add_one_line(a, &b, h->positions.items[i].text);
        cv_buf_add_z(&b, "; ");
    }
    cv_diagnostics all = {0};
    cv_buf_add_z(&b, "|");
    for (size_t i = 0; i < h->response_count; i++)
        cv_diagnose(a, h, i, &all);
    for (size_t i = 0; i < all.count; i++)
        cv_buf_printf(&b, " %.*s/%.*s", CV_FMT(all.items[i].type), CV_FMT(all.items[i].severity));
    return cv_buf_take(&b, a);
}

static const struct {
    const char *expert, *text, *gist;
} cases[] = {
#include "deviations.inc"
};

static void no_deviation_is_silent(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_state s = cv_world_state(&w, "bread");
    size_t failed = 0;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_extract h;
        cv_extract_responses(&w.turn, &s, 1, &(cv_response_text){cv_str_of(cases[i].expert), cv_str_of(cases[i].text)},
                             1, &h);
        cv_str found = gist(&w.turn, &h);
        if (cv_str_eq(found, cv_str_of(cases[i].gist)))
            continue;
        failed++;
        print_error("case %zu: %s\n  found    %.*s\n  expected %s\n", i, cases[i].text, CV_FMT(found), cases[i].gist);
    }
    assert_int_equal(failed, 0);
    assert_true(CV_COUNT(cases) >= 60);
    cv_world_close(&w);
}

/* ---- every word is found again ------------------------------------------------------------------------------------
 */

/* Random text from pieces, in which every word of the expert's is a word of its own: w1, w2, … */
typedef struct {
    uint64_t state;
    cv_buf text;
    unsigned words;
    unsigned items[CV_KIND_COUNT];
} writer;

static unsigned draw(writer *w, unsigned below)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->state >> 33) % below;
}

static void add_words(writer *w)
{
    for (unsigned n = 1 + draw(w, 4); n > 0; n--)
        cv_buf_printf(&w->text, "w%u%s", ++w->words, n > 1 ? " " : "");
}

static void add_id(writer *w)
{
    static const char *const ids[] = {"P0001",       "T0001", "R0001", "@donut",      "p0001",
                                      "DONUT-P0101", "T01",   "P0099", "MUFFIN-P0101"};
    cv_buf_add_z(&w->text, ids[draw(w, CV_COUNT(ids))]);
}

/* What is between the brackets of a mark, in one of its spellings. */
static void add_head(writer *w)
{
    static const char *const heads[] = {"MUFFIN-%c01%02u",  "muffin-%c01%02u", "Muffin %c%u",    "MUFFIN_%c01%02u",
                                        "PERSPECTIVE %c%u", "%c%02u",          "DONUT-%c01%02u", "NOBODY-%c01%02u"};
    unsigned kind = draw(w, CV_KIND_COUNT);
    switch (draw(w, 4)) {
    case 0:
        cv_buf_printf(&w->text, "%s%s ",
                      draw(w, 2)   ? "RE:"
                      : draw(w, 2) ? "re-"
                                   : "",
                      draw(w, 2)   ? "SUPPORT"
                      : draw(w, 2) ? "resolve"
                                   : "ADORE");
        add_id(w);
        break;
    case 1:
        cv_buf_printf(&w->text, "%s%s ", draw(w, 2) ? "MOVE:" : "",
                      draw(w, 2)   ? "CHALLENGE"
                      : draw(w, 2) ? "Bridge"
                                   : "CONVERGE");
        add_id(w);
        break;
    case 2: {
        static const char *const words[] = {"RESOLVED", "CONCESSION", "Refinement", "ACCEPTED UNRESOLVED",
                                            "DEFER",    "CONFIRM"};
        cv_buf_printf(&w->text, "%s ", words[draw(w, CV_COUNT(words))]);
        add_id(w);
        break;
    }
    default: {
        char c = cv_kinds[kind].letter;
        const char *head = heads[draw(w, CV_COUNT(heads))];
        cv_buf room = {0};
        for (const char *p = head; *p; p++) {
            if (*p != '%')
                cv_buf_add_char(&room, *p);
            else if (p[1] == 'c')
                cv_buf_add_char(&room, c), p++;
            else if (p[1] == 'u')
                cv_buf_printf(&room, "%u", w->items[kind] + 1), p++;
            else
                cv_buf_printf(&room, "%02u", w->items[kind] + 1), p += 3;
        }
        w->items[kind] = (w->items[kind] + draw(w, 2)) % 90;
        cv_buf_add(&w->text, cv_buf_str(&room));
        cv_buf_release(&room);
    }
    }
}

static void add_mark(writer *w)
{
    static const struct {
        const char *open, *close;
    } forms[] = {{"[", "]"},     {"[", "]"}, {"[", "]"},   {"[", ""},    {"【", "】"},       {"[[", "]]"},
                 {"(", ")"},     {"", ""},   {"`[", "]`"}, {"{", "}"},   {"\\[", "\\]"},     {"**", "**"},
                 {"**[", "]**"}, {"`", "`"}, {"<", ">"},   {"\\[", "]"}, {"<!-- [", "] -->"}};
    unsigned form = draw(w, CV_COUNT(forms));
    cv_buf_add_z(&w->text, forms[form].open);
    add_head(w);
    if (draw(w, 4)) {
        static const char *const joints[] = {": ", ": ", ": ", ": ", " - ", "] ", "](", " (", "]: ", "\n", ", ", "/"};
        cv_buf_add_z(&w->text, joints[draw(w, CV_COUNT(joints))]);
        add_words(w);
    }
    cv_buf_add_z(&w->text, forms[form].close);
    if (draw(w, 4) == 0) {
        cv_buf_add_char(&w->text, ' ');
        add_words(w);
    }
}

static void add_line(writer *w)
{
    static const char *const leads[] = {"",   "",   "",     "",      "> ",     ">> ", "- ",  "1. ", "### ", "## ", "# ",
                                        "**", "| ", "    ", "🧁 ", "- [ ] ", "<b>", "a) ", "\\",  "* * ", "\t"};
    static const char *const whole[] = {"",    "",        "",          "---",   "```", "```md",
                                        "~~~", "```json", "|---|---|", "=====", "***", "<!--",
                                        "-->", "<b>",     "</b>",      "codex", "+",   "| Id | Label |"};
    if (draw(w, 4) == 0) {
        cv_buf_add_z(&w->text, whole[draw(w, CV_COUNT(whole))]);
    } else {
        const char *lead = leads[draw(w, CV_COUNT(leads))];
        cv_buf_add_z(&w->text, lead);
        if (draw(w, 2))
            add_mark(w);
        else
            add_words(w);
        if (lead[0] == '|') {
            cv_buf_add_z(&w->text, " | ");
            if (draw(w, 3))
                add_words(w);
            else
                add_mark(w);
            cv_buf_add_z(&w->text, " |");
        } else if (draw(w, 5) == 0) {
            cv_buf_add_char(&w->text, ' ');
            add_mark(w);
        }
    }
    cv_buf_add_z(&w->text, draw(w, 8) ? "\n" : "\r\n");
}

static cv_str write_response(writer *w)
{
    unsigned frame = draw(w, 6);
    w->text.n = 0;
    w->words = 0;
    memset(w->items, 0, sizeof w->items);
    cv_buf_add_z(&w->text, frame == 0   ? "[Subagent hand-back]\n"
                           : frame == 1 ? "<result>\n"
                           : frame == 2 ? "```markdown\n"
                                        : "");
    for (unsigned n = 1 + draw(w, 14); n > 0; n--)
        add_line(w);
    cv_buf_add_z(&w->text, frame == 0   ? "agentId: x1\n<usage>tokens: 5</usage>\n"
                           : frame == 1 ? "</result>\n"
                           : frame == 2 ? "```\n"
                                        : "");
    return cv_buf_str(&w->text);
}

/* What programs do to a whole text: numbers or lines before every line, or JSON around it. */
static cv_str wrap(writer *w, cv_str text, cv_buf *out)
{
    unsigned form = draw(w, 12), line = 0;
    cv_json_writer json = {.out = out};
    cv_buf_clear(out);
    if (form == 0) {
        cv_json_begin_object(&json);
        cv_json_key_str(&json, "type", CV_STR("result"));
        cv_json_key_str(&json, "result", text);
        cv_json_end_object(&json);
        return cv_buf_str(out);
    }
    if (form > 3)
        return text;
    for (cv_str one; cv_str_split(&text, '\n', &one);)
        if (form == 1)
            cv_buf_printf(out, "%6u\t%.*s\n", ++line, CV_FMT(one));
        else
            cv_buf_printf(out, "%s%.*s\n", form == 2 ? "│ " : "+", CV_FMT(one));
    return cv_buf_str(out);
}

static bool has(cv_str text, const char *word)
{
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= text.n; at++)
        if (memcmp(text.p + at, word, n) == 0 && (at + n == text.n || !cv_is_digit(text.p[at + n])))
            return true;
    return false;
}

static bool is_kept(const cv_extract *h, const char *word)
{
    bool kept = false;
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_extracted_entity *e = &h->entities.items[i];
        kept = kept || has(e->label, word) || has(e->content, word);
        for (size_t k = 0; k < e->refs.count; k++)
            kept = kept || (!e->refs.items[k].pending && has(e->refs.items[k].reason, word));
    }
    for (size_t i = 0; i < h->links.count; i++)
        kept = kept || (!h->links.items[i].ref.pending && has(h->links.items[i].ref.reason, word));
    for (size_t i = 0; i < h->moves.count; i++)
        kept = kept || (!h->moves.items[i].pending && has(h->moves.items[i].context, word));
    for (size_t i = 0; i < h->verdicts.count; i++)
        kept = kept || has(h->verdicts.items[i].label, word) || has(h->verdicts.items[i].text, word);
    for (size_t i = 0; i < h->positions.count; i++)
        kept = kept || has(h->positions.items[i].text, word);
    return kept;
}

/* The head of a table whose rows are marks is all that may go, and that is reported. */
static bool is_told(const cv_diagnostics *all, cv_str text, const char *word)
{
    size_t line = 1;
    for (cv_str one; cv_str_split(&text, '\n', &one); line++)
        for (size_t i = 0; has(one, word) && i < all->count; i++) {
            const cv_diagnostic *d = &all->items[i];
            bool covers = d->line <= line && line <= (d->last ? d->last : d->line);
            if (covers && cv_str_eq(d->type, CV_STR("in_table")))
                return true;
        }
    return false;
}

/* Marks lie in the text, in order, and each within what belongs to it. */
static void check_places(const cv_parsed_response *response)
{
    size_t at = 0;
    for (size_t i = 0; i < response->count; i++) {
        const cv_mark *m = response->items[i].mark;
        assert_true(m->start >= at && m->start <= m->end && m->end <= response->text.n);
        assert_true(m->body_end <= response->text.n);
        at = m->start;
    }
    for (size_t i = 0; i < response->unmarked.count; i++)
        assert_true(response->unmarked.items[i].line >= 1 &&
                    response->unmarked.items[i].line <= response->unmarked.items[i].last);
}

static void every_word_is_kept_or_told(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_state s = cv_world_state(&w, "bread");
    unsigned long runs = getenv("CV_SOAK") ? 200000 : 3000;
    writer it = {.state = cv_test_seed()};
    cv_buf wrapped = {0};
    for (unsigned long run = 0; run < runs; run++) {
        cv_arena a = {0};
        cv_str text = wrap(&it, write_response(&it), &wrapped);
        cv_extract h;
        cv_diagnostics all = {0};
        cv_extract_responses(&a, &s, 1, &(cv_response_text){CV_STR("muffin"), text}, 1, &h);
        cv_diagnose(&a, &h, 0, &all);
        check_places(&h.responses[0]);
        for (unsigned i = 1; i <= it.words; i++) {
            char word[16];
            snprintf(word, sizeof word, "w%u", i);
            if (!is_kept(&h, word) && !is_told(&all, text, word))
                fail_msg("%s is gone, run %lu:\n%.*s\n--\n%.*s", word, run, CV_FMT(text), CV_FMT(gist(&a, &h)));
        }
        cv_arena_release(&a);
    }
    cv_buf_release(&it.text);
    cv_buf_release(&wrapped);
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_deviation_is_silent),
        cmocka_unit_test(every_word_is_kept_or_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
