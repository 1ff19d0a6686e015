/* test_hearing.c - responses as the judge would register them: every kind of mark, every style, every doubt. */
#include "world.h"

#include "dialogue/intake/hearing.h"

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

static cv_hearing hear(cv_world *w, int64_t round, const cv_voice *voices, size_t count)
{
    cv_state *s = CV_NEW(&w->a, cv_state);
    *s = cv_world_state(w, "bread");
    cv_hearing h;
    cv_hear(&w->turn, s, round, voices, count, NULL, &h);
    return h;
}

static cv_hearing hear_one(cv_world *w, const char *expert, const char *text)
{
    return hear(w, 1, &(cv_voice){cv_str_of(expert), cv_str_of(text)}, 1);
}

/* "MUFFIN-P0101 support>P0001 …; @muffin …", and behind a bar the types of the notes. */
static cv_str gist(cv_world *w, const cv_hearing *h)
{
    cv_buf b = {0};
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_heard_entity *e = &h->entities.items[i];
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
        const cv_heard_move *m = &h->moves.items[i];
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
    {"muffin", "[MUFFIN-P0101: Viable] as [RE:SUPPORT R0001] says", "MUFFIN-P0101 support>R0001; |"},
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
    {"muffin", "[VERDICT:FINAL]\nbuy", "| unregistered_mark"},
    /* whose is it */
    {"muffin", "[DONUT-R0101: theirs]", "| foreign_id"},
    {"muffin", "[MUFFIN-P0001: Mandate]", "| other_round"},
    {"muffin", "[MUFFIN-P0007: wrong round]\n[RE:SUPPORT R0001]", "MUFFIN-P0101 support>R0001; | renumbered"},
    {"muffin", "[KETTLE-P0101: made-up name]\n[MUFFIN-T0101: t]\n[RE:DEPEND KETTLE-P0101]",
     "MUFFIN-P0101; MUFFIN-T0101 depend>MUFFIN-P0101; | renumbered"},
    {"muffin", "[P0001: Mandate] (muffin)\nquoted", "|"},
    {"muffin", "[TENSION T0001: Growth]\nquoted", "|"},
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
    {"muffin", "[FINAL POSITION]\nhere I stand", "| unregistered_mark"},
    {"muffin", "no mark at all", "| no_marks"},
    {"muffin", "`[MUFFIN-P0101: quoted]` and\n```\n[MUFFIN-P0102: code]\n```", "| no_marks"},
};

static void test_marks(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_hearing h = hear_one(&w, cases[i].expert, cases[i].text);
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
    cv_hearing h = hear_one(&w, "muffin",
                            "[PERSPECTIVE P01: tab\tbed \x01 and \x7f bell\a]\nIt is so.\n\n"
                            "[TENSION T01]\nfirst\x1bline\nsecond line\n");
    assert_int_equal(h.entities.count, 2);
    assert_str_eq(h.entities.items[0].label, "tab bed and bell");
    assert_str_eq(h.entities.items[1].label, "first line");
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(labels_become_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
