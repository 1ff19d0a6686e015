/* test_extract.c - responses as the judge would register them: every kind of mark, every style, every doubt. */
#include "world.h"

#include "dialogue/intake/duplicates.h"
#include "dialogue/intake/extract.h"
#include "dialogue/words/limits.h"

static const char *const experts[] = {"muffin", "cupcake", "donut", NULL};

/* A dialogue with one registered round: P0001 T0001 of muffin, T0002 of cupcake, R0001 of donut. */
static void open_world(cv_world *w)
{
    cv_world_open(w);
    cv_world_dialogue(w, "bread", experts, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 1,"
                " 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'Mandate', 'content': 'x'}],"
                " 'recommendations': [{'local_id': 'DONUT-R0001', 'label': 'Collar', 'content': 'x'}],"
                " 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'Growth', 'description': 'x'},"
                "              {'local_id': 'CUPCAKE-T0002', 'label': 'Timing', 'description': 'x'}]}");
}

static cv_extract extract(cv_world *w, int64_t round, const cv_response_text *texts, size_t count)
{
    cv_state *s = CV_NEW(&w->a, cv_state);
    *s = cv_world_state(w, "bread");
    cv_extract h;
    cv_extract_responses(&w->turn, s, round, texts, count, &h);
    return h;
}

static cv_extract extract_one(cv_world *w, const char *expert, const char *text)
{
    return extract(w, 1, &(cv_response_text){cv_str_of(expert), cv_str_of(text)}, 1);
}

/* "MUFFIN-P0101 support>P0001 …; @muffin …", and behind a bar the types of the notes. */
static cv_str gist(cv_world *w, const cv_extract *h)
{
    cv_buf b = {0};
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_extracted_entity *e = &h->entities.items[i];
        cv_buf_printf(&b, "%.*s", CV_FMT(e->local_id));
        for (size_t k = 0; k < e->refs.count; k++)
            cv_buf_printf(&b, " %.*s>%.*s", CV_FMT(cv_ref_words.items[e->refs.items[k].type]),
                          CV_FMT(e->refs.items[k].target));
        cv_buf_add_z(&b, "; ");
    }
    for (size_t i = 0; i < h->links.count; i++)
        cv_buf_printf(&b, "@%.*s %.*s>%.*s; ", CV_FMT(h->links.items[i].expert),
                      CV_FMT(cv_ref_words.items[h->links.items[i].ref.type]), CV_FMT(h->links.items[i].ref.target));
    for (size_t i = 0; i < h->moves.count; i++) {
        const cv_extracted_move *m = &h->moves.items[i];
        cv_buf_printf(&b, "%.*s %.*s", CV_FMT(m->expert), CV_FMT(cv_move_words.items[m->type]));
        for (size_t k = 0; k < m->targets.count; k++)
            cv_buf_printf(&b, " %.*s", CV_FMT(m->targets.items[k]));
        cv_buf_add_z(&b, "; ");
    }
    for (size_t i = 0; i < h->updates.count; i++)
        cv_buf_printf(&b, "%.*s=%.*s; ", CV_FMT(h->updates.items[i].id),
                      CV_FMT(cv_statuses[h->updates.items[i].status].word));
    for (size_t i = 0; i < h->verdicts.count; i++)
        cv_buf_printf(&b, "%.*s; ", CV_FMT(h->verdicts.items[i].verdict_id));
    cv_buf_add_z(&b, "|");
    for (size_t i = 0; i < h->notes.count; i++)
        cv_buf_printf(&b, " %.*s", CV_FMT(h->notes.items[i].type));
    return cv_buf_take(&b, &w->turn);
}

/* What one response in round 1 comes to. */
static const struct {
    const char *expert, *text, *gist;
} cases[] = {
    /* local ids and what follows them */
    {"muffin", "[MUFFIN-P0101: Viable]\nbody\n[RE:REFINE P0001]\nmy own\n[RE:ADDRESS T0001]\n",
     "MUFFIN-P0101 refine>P0001 address>T0001; |"},
    {"muffin", "[RE:SUPPORT R0001]\nyes\n[MUFFIN-P0101: Viable]\n[RE:DEPEND MUFFIN-E0101]\n[MUFFIN-E0101: Data]",
     "MUFFIN-P0101 depend>MUFFIN-E0101; MUFFIN-E0101; @muffin support>R0001; |"},
    {"muffin", "[MUFFIN-P0101: Viable] as donut says [RE:SUPPORT R0001]", "MUFFIN-P0101 support>R0001; |"},
    {"muffin", "[MUFFIN-P0101: Viable] as [RE:SUPPORT R0001] says", "MUFFIN-P0101; | quoted_mark"},
    {"muffin", "[MUFFIN-P0101: A]\n[RE:SUPPORT R0001]\n[RE:SUPPORT R0001]\n", "MUFFIN-P0101 support>R0001; |"},
    {"muffin", "[muffin-P0101: lower]", "MUFFIN-P0101; |"},
    {"muffin", "[RE:OPPOSE @donut]", "@muffin oppose>@donut; |"},
    {"muffin", "[RE:SUPPORT DONUT-R0001]", "@muffin support>DONUT-R0001; |"},
    /* classic marks */
    {"muffin", "[PERSPECTIVE P01: A]\n[PERSPECTIVE P02: B]\n[TENSION T1: C]",
     "MUFFIN-P0101; MUFFIN-P0102; MUFFIN-T0101; |"},
    {"muffin", "[PERSPECTIVE P01: A]\n[PERSPECTIVE P01: B]\n[PERSPECTIVE P02: C]",
     "MUFFIN-P0101; MUFFIN-P0103; MUFFIN-P0102; | duplicate_id"},
    {"muffin", "[PERSPECTIVE P01: A]\n[MUFFIN-P0101: B]", "MUFFIN-P0102; MUFFIN-P0101; | duplicate_id"},
    {"muffin", "[PERSPECTIVE P01: A]\nbody\n[PERSPECTIVE P01: a]", "MUFFIN-P0101; |"},
    {"muffin", "[TENSION T-NEW: A]\n[TENSION T1.1: B]\n[TENSION T01: C]",
     "MUFFIN-T0102; MUFFIN-T0103; MUFFIN-T0101; | renumbered renumbered"},
    {"muffin", "[PERSPECTIVE: no id]", "MUFFIN-P0101; | renumbered"},
    {"muffin", "[PERSPECTIVE P01]", "| empty_mark"},
    {"muffin", "[PERSPECTIVE P01]\nonly text", "MUFFIN-P0101; | no_label"},
    {"muffin", "[PERSPECTIVE T01: odd]", "| wrong_kind"},
    {"muffin", "[REFINEMENT P01: Cheaper]\ntext", "MUFFIN-P0101 refine>P0001; | renumbered short_target"},
    {"muffin", "[REFINEMENT R0001: Longer]\ntext", "MUFFIN-R0101 refine>R0001; | renumbered"},
    {"muffin", "[REFINEMENT on T01]\ntext", "MUFFIN-P0101; | renumbered no_label short_target invalid_reference"},
    {"muffin", "[REFINEMENT]", "| unregistered_mark"},
    {"muffin", "[CONCESSION: they are right]", "MUFFIN-P0101; | renumbered"},
    {"muffin", "[CONCESSION P0001: they are right]", "muffin concede P0001; |"},
    {"muffin", "[CONCESSION to Donut on T01]\ntext", "muffin concede @donut T0001; | short_target"},
    {"muffin", "[CONCESSION]", "| unregistered_mark"},
    /* resolutions go through references: who may resolve is asked when they are registered */
    {"muffin", "[RESOLVED T01: by collar]", "@muffin resolve>T0001; | short_target"},
    {"muffin", "[MUFFIN-P0101: A]\n[RESOLVED T0001, T0002]", "MUFFIN-P0101 resolve>T0001 resolve>T0002; |"},
    {"cupcake", "[RESOLVED T02]", "@cupcake resolve>T0002; | short_target"},
    {"cupcake", "[TENSION T02: new]\n[RESOLVED T02]", "CUPCAKE-T0102; | self_reference"},
    {"muffin", "[RESOLVED -- accepting]", "| no_target"},
    {"muffin", "[ACCEPTED UNRESOLVED T0001]", "| needs_judge"},
    {"judge", "[RESOLVED T0001: it is]\n[RE:ADDRESS T0002]\n[RE:RESOLVE T0002]",
     "T0001=resolved; T0002=addressed; T0002=resolved; |"},
    {"judge", "[ACCEPTED UNRESOLVED T0001]\n[RESOLVED T0001]", "T0001=accepted; | invalid_update"},
    {"judge", "[ACCEPTED UNRESOLVED T0001, T0001, T0001: so be it]\nfor now", "T0001=accepted; |"},
    {"judge", "[RE:SUPPORT P0001]", "| unregistered_mark"},
    /* moves */
    {"muffin", "[MOVE:CONVERGE]", "muffin converge; |"},
    {"muffin", "[CONVERGENCE CONFIRMED]\nready", "muffin converge; |"},
    {"muffin", "[CONVERGENCE PROPOSAL]\nready", "| unregistered_mark"},
    {"muffin", "[MOVE:BRIDGE P0001 R0001]\nboth", "muffin bridge P0001 R0001; |"},
    {"muffin", "[MOVE:BRIDGE P0001 R0099]", "muffin bridge P0001; | unknown_target"},
    {"muffin", "[MOVE:DEFEND R0099]", "| unknown_target move_without_target"},
    {"muffin", "[MOVE:REQUEST tax view]", "muffin request; |"},
    {"muffin", "[MOVE:DANCE P0001]", "| unknown_move"},
    {"muffin", "[CHALLENGE P0001: why]", "muffin challenge P0001; |"},
    /* verdicts */
    {"muffin", "[DISSENT]\nno", "dissent-muffin; |"},
    {"muffin", "[DISSENT]\nno\n[DISSENT]\nnever", "dissent-muffin; dissent-muffin-2; |"},
    {"muffin", "[MINORITY VERDICT: wait]", "minority-muffin; |"},
    {"muffin", "[DISSENT]", "| unregistered_mark"},
    {"muffin", "[VERDICT:FINAL]\nbuy", "| verdict_proposed"},
    /* whose is it */
    {"muffin", "[DONUT-R0101: theirs]", "| foreign_id"},
    {"muffin", "[MUFFIN-P0001: Mandate]", "| other_round"},
    {"muffin", "[MUFFIN-P0007: wrong round]\n[RE:SUPPORT R0001]", "MUFFIN-P0101 support>R0001; | renumbered"},
    {"muffin", "[KETTLE-P0101: made-up name]\n[MUFFIN-T0101: t]\n[RE:DEPEND KETTLE-P0101]",
     "MUFFIN-P0101; MUFFIN-T0101 depend>MUFFIN-P0101; | renumbered"},
    {"muffin", "[P0001: Mandate] (muffin)\nx", "|"},
    {"muffin", "[P0001: Mandate] (muffin)\nanother text", "| restatement"},
    {"muffin", "[TENSION T0001: Growth]\nx", "|"},
    {"muffin", "[P0009: nothing]", "| unknown_quotation"},
    {"muffin", "[P0101: as prompts print it]", "MUFFIN-P0101; |"},
    {"muffin", "[P0101: theirs] (donut)", "| unknown_quotation"},
    /* what cannot be registered */
    {"muffin", "[RE: DONUT-R0001]\nI support adoption", "| untyped_reference"},
    {"muffin", "[RE:ADORE P0001]", "| unknown_reference_type"},
    {"muffin", "[RE:SUPPORT]", "| no_target"},
    {"muffin", "[RE:SUPPORT P0099]", "| unknown_target"},
    {"muffin", "[RE:SUPPORT @nobody]", "| unknown_target"},
    {"muffin", "[RE:SUPPORT P0101]", "| unknown_target"},
    {"muffin", "[RE:SUPPORT T01.2]", "| unknown_target"},
    {"muffin", "[RE:RESOLVE P0001]", "| invalid_reference"},
    {"muffin", "[MUFFIN-T0101: t]\n[RE:REFINE P0001]", "MUFFIN-T0101; | invalid_reference"},
    {"muffin", "[RE:REFINE P0001]", "| invalid_reference"},
    {"muffin", "[RE:SUPPORT DONUT-R0101]", "@muffin support>DONUT-R0101; | pending_target"},
    {"muffin", "[FINAL POSITION]\nhere I stand", "| kept_in_position"},
    {"muffin", "no mark at all", "| no_marks"},
    {"muffin", "`[MUFFIN-P0101: quoted]` and\n```json\n[MUFFIN-P0102: code]\n```", "| no_marks"},
};

static void every_mark_is_heard(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_extract h = extract_one(&w, cases[i].expert, cases[i].text);
        cv_str found = gist(&w, &h);
        if (!cv_str_eq(found, cv_str_of(cases[i].gist)))
            print_error("%s\n", cases[i].text);
        assert_str_eq(found, cases[i].gist);
    }
    cv_world_close(&w);
}

/* A label is one line of a request, whatever an expert wrote between the brackets. */
static void labels_become_one_line(void **state)
{
    cv_world w;
    (void)state;
    open_world(&w);
    cv_extract h = extract_one(&w, "muffin",
                               "[PERSPECTIVE P01: tab\tbed \x01 and \x7f bell\a]\nIt is so.\n\n"
                               "[TENSION T01]\nfirst\x1bline\nsecond line\n");
    assert_int_equal(h.entities.count, 2);
    assert_str_eq(h.entities.items[0].label, "tab bed and bell");
    assert_str_eq(h.entities.items[1].label, "first line");
    cv_world_close(&w);
}

/* ---- texts and places ------------------------------------------------------------------------------ */

static void an_item_has_its_text(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_extract h = extract_one(&w, "muffin",
                               "[MUFFIN-P0101: Mine]\n[MUFFIN-P0102: Two]\nbody of two\n\n[MUFFIN-P0101: Mine]\nlater\n"
                               "[MUFFIN-T0101]\nfirst line of it\nsecond\n[MOVE:REQUEST tax view]\nsoon\n");
    assert_int_equal(h.entities.count, 3);
    assert_str_eq(h.entities.items[0].content, "later"); /* what was said first without a text */
    assert_str_eq(h.entities.items[1].content, "body of two");
    assert_str_eq(h.entities.items[2].label, "first line of it");
    assert_str_eq(h.entities.items[2].content, "first line of it\nsecond");
    assert_int_equal(h.entities.items[2].line, 7);
    assert_str_eq(h.moves.items[0].context, "tax view\n\nsoon");
    h = extract_one(&w, "muffin", "[RE: P0001]\nbecause it is\n");
    assert_str_eq(h.notes.items[0].text, "[RE: P0001]\nbecause it is");
    assert_str_eq(h.notes.items[0].expert, "muffin");
    assert_int_equal(h.notes.items[0].line, 1);
    cv_world_close(&w);
}

static void names_lead_to_ids(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_state s = cv_world_state(&w, "bread");
    cv_map names = {0};
    cv_str tension = CV_STR("T0002"), perspective = CV_STR("P0001");
    cv_extract h;
    *cv_map_put(&names, &w.turn, CV_STR("T09"), NULL) = (uintptr_t)&tension;
    *cv_map_put(&names, &w.turn, CV_STR("STRUDEL-P0101"), NULL) = (uintptr_t)&perspective;
    cv_response_text text = {CV_STR("muffin"), CV_STR("[RESOLVED T9: x]\n[MOVE:DEFEND STRUDEL R1-P01]\n")};
    cv_extract_files(&w.turn, &s, 1, &text, 1, &names, &h);
    assert_str_eq(gist(&w, &h), "@muffin resolve>T0002; muffin defend P0001; |");
    cv_world_close(&w);
}

/* Local ids across texts; a number of the dialogue's that two items may mean is left alone. */
static void voices_hear_each_other(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_response_text texts[] = {
        {CV_STR("donut"), CV_STR("[DONUT-R0101: R]\n[RE:ADDRESS CUPCAKE-T0101]\n[RE:SUPPORT CUPCAKE-P0101]\n")},
        {CV_STR("cupcake"), CV_STR("[TENSION T01: Later]\n[RE:SUPPORT MUFFIN-P0101]\n[RESOLVED T02]\n")},
    };
    cv_extract h = extract(&w, 1, texts, 2);
    assert_str_eq(gist(&w, &h), "DONUT-R0101 address>CUPCAKE-T0101; CUPCAKE-T0101 support>MUFFIN-P0101 resolve>T0002; |"
                                " unknown_target pending_target short_target");
    cv_world_do(&w, "round-register",
                "{'dialogue_id': 'bread', 'round': 1, 'score': 1,"
                " 'tensions': [{'local_id': 'CUPCAKE-T0101', 'label': 'x', 'description': 'x'}]}");
    h = extract(&w, 2, &(cv_response_text){CV_STR("cupcake"), CV_STR("[RESOLVED T01]")}, 1);
    assert_str_eq(gist(&w, &h), "| ambiguous_target");
    cv_world_close(&w);
}

static void beyond_the_ceiling_it_is_noted(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_buf one = {0}, two = {0};
    for (int i = 1; i <= CV_MAX_SEQ; i++)
        cv_buf_printf(&one, "[PERSPECTIVE P%02d: item %d]\n", i, i);
    cv_buf_add_z(&one, "[PERSPECTIVE: one more]\n");
    cv_buf_add_z(&two,
                 "[CUPCAKE-P0101: too late]\n[RE:SUPPORT R0001]\n[CUPCAKE-T0101: fits]\n[RE:DEPEND CUPCAKE-P0101]");
    cv_response_text texts[] = {{CV_STR("muffin"), cv_buf_str(&one)}, {CV_STR("cupcake"), cv_buf_str(&two)}};
    cv_extract h = extract(&w, 1, texts, 2);
    assert_int_equal(h.entities.count, CV_MAX_SEQ + 1);
    assert_int_equal(h.notes.count, 3);
    assert_str_eq(h.notes.items[0].type, "too_many");
    assert_str_eq(h.notes.items[0].text, "[PERSPECTIVE: one more]");
    assert_str_eq(h.notes.items[1].type, "too_many");
    assert_str_eq(h.notes.items[1].id, "CUPCAKE-P0101");
    assert_str_eq(h.notes.items[2].type, "unknown_target");
    assert_int_equal(h.links.count, 1);
    cv_buf_release(&one);
    cv_buf_release(&two);
    cv_world_close(&w);
}

/* A mark with very many targets has its text in one note, not in thousands. */
static void notes_stay_linear(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    cv_buf text = {0};
    cv_buf_add_z(&text, "[RE:SUPPORT");
    for (int i = 0; i < 2000; i++)
        cv_buf_printf(&text, " P%04d", 9000 + i % 100);
    cv_buf_add_z(&text, "]\nlong body\n");
    cv_extract h = extract(&w, 1, &(cv_response_text){CV_STR("muffin"), cv_buf_str(&text)}, 1);
    size_t bytes = 0;
    for (size_t i = 0; i < h.notes.count; i++)
        bytes += h.notes.items[i].text.n;
    assert_int_equal(h.notes.count, 2000);
    assert_true(bytes < 2 * text.n);
    cv_buf_release(&text);
    cv_world_close(&w);
}

/* ---- what seems to be the same ------------------------------------------------------------------- */

static const struct {
    const char *muffin, *donut, *found; /* "ids why similarity" */
} twins[] = {
    {"[MUFFIN-P0101: Income Mandate]\none", "[DONUT-P0101: income -- mandate!]\ntwo",
     "MUFFIN-P0101 DONUT-P0101 same 50"},
    {"[MUFFIN-P0101: A b c d e f g]", "[DONUT-P0101: a b c d e f h]", "MUFFIN-P0101 DONUT-P0101 similar 75"},
    {"[MUFFIN-P0101: a b c d e]", "[DONUT-P0101: a b c d e f]", ""}, /* too few words */
    {"[MUFFIN-P0101: a b c d e f g h]", "[DONUT-P0101: a b c d w x y z]", ""},
    {"[MUFFIN-P0101: Same]", "[DONUT-R0101: Same]", ""},                    /* of different kinds */
    {"[MUFFIN-P0101: Same]\n[MUFFIN-P0102: Same]", "[DONUT-T0101: x]", ""}, /* of one expert */
    {"[MUFFIN-P0101: Same]", "[DONUT-P0101: Same]\n[DONUT-P0102: same]",
     "MUFFIN-P0101 DONUT-P0101 DONUT-P0102 same 100"},
    {"[MUFFIN-P0101: \xe8\xb2\xa1\xe5\x8b\x99\xe3\x81\xae\xe9\x81\x8b\xe7\x94\xa8\xe6\x96\xb9\xe9\x87\x9d]",
     "[DONUT-P0101: \xe8\xb2\xa1\xe5\x8b\x99\xe3\x81\xae\xe9\x81\x8b\xe7\x94\xa8\xe6\x96\xb9\xe6\xb3\x95]",
     "MUFFIN-P0101 DONUT-P0101 similar 75"},           /* a script without blanks */
    {"[MUFFIN-P0101: ???]", "[DONUT-P0101: !!!]", ""}, /* no words at all */
};

static void twins_are_found(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    for (size_t i = 0; i < CV_COUNT(twins); i++) {
        cv_response_text texts[] = {{CV_STR("muffin"), cv_str_of(twins[i].muffin)},
                                    {CV_STR("donut"), cv_str_of(twins[i].donut)}};
        cv_extract h = extract(&w, 1, texts, 2);
        cv_duplicate_groups groups;
        cv_buf b = {0};
        cv_duplicates_find(&w.turn, &h, &groups);
        for (size_t g = 0; g < groups.count; g++) {
            for (size_t k = 0; k < groups.items[g].count; k++)
                cv_buf_printf(&b, "%.*s ", CV_FMT(groups.items[g].items[k]->local_id));
            cv_buf_printf(&b, "%s %d", groups.items[g].same_label ? "same" : "similar", groups.items[g].similarity);
        }
        if (!cv_str_eq(cv_buf_str(&b), cv_str_of(twins[i].found)))
            print_error("%s / %s\n", twins[i].muffin, twins[i].donut);
        assert_str_eq(cv_buf_take(&b, &w.turn), twins[i].found);
    }
    cv_world_close(&w);
}

/* However many items there are, all of them are compared. */
static void no_twin_is_overlooked(void **state)
{
    enum { MANY = 3 * CV_MAX_SEQ };
    cv_arena a = {0};
    cv_extract h = {0};
    cv_duplicate_groups groups;
    (void)state;
    for (int i = 0; i < MANY; i++)
        *CV_PUSH(&a, &h.entities) = (cv_extracted_entity){.kind = CV_KIND_CLAIM,
                                                          .local_id = cv_arena_printf(&a, "X-C%d", i),
                                                          .expert = i < MANY / 2 ? CV_STR("muffin") : CV_STR("donut"),
                                                          .label = cv_arena_printf(&a, "label%d", i % (MANY - 1)),
                                                          .content = cv_arena_printf(&a, "content%d", i)};
    cv_duplicates_find(&a, &h, &groups);
    assert_int_equal(groups.count, 1);
    assert_str_eq(groups.items[0].items[0]->local_id, "X-C0");
    assert_view_eq(groups.items[0].items[1]->local_id, cv_arena_printf(&a, "X-C%d", MANY - 1));
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_become_one_line), cmocka_unit_test(every_mark_is_heard),
        cmocka_unit_test(an_item_has_its_text),   cmocka_unit_test(names_lead_to_ids),
        cmocka_unit_test(voices_hear_each_other), cmocka_unit_test(beyond_the_ceiling_it_is_noted),
        cmocka_unit_test(notes_stay_linear),      cmocka_unit_test(twins_are_found),
        cmocka_unit_test(no_twin_is_overlooked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
