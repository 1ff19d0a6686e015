/* sample.h - a small dialogue with everything in it, written through the journal.
 *
 * For tests of what reads the record: two rounds, four experts (one joins late), all kinds of entities, references from
 * entities and from an expert, moves, two verdicts, and some oddities that an export should warn about. Its times come
 * from a clock that stands still during a write and moves on by a minute between writes.
 */
#ifndef CV_TEST_SAMPLE_H
#define CV_TEST_SAMPLE_H

#include "testing.h"

#include "dialogue/journal.h"
#include "kit/room.h"
#include "record/hash.h"
#include "record/sql.h"

typedef struct {
    cv_arena arena;
    const char *folder;
    const char *path; /* of the database */
    cv_str id;
    cv_record *record;
    cv_buf out;
    cv_errs errs;
    cv_call call;
    cv_json input;
    cv_state state;
    cv_journal journal;
    int64_t now;
    int writes;
} cv_sample;

static inline int64_t cv_sample_now(void *ctx)
{
    return ((cv_sample *)ctx)->now;
}

static inline void cv_sample_open(cv_sample *s)
{
    *s = (cv_sample){.id = CV_STR("nvidia-decision"), .now = INT64_C(1770026400000)}; /* 2026-02-02T10:00:00Z */
    s->folder = cv_test_folder(&s->arena);
    s->path = cv_arena_printf(&s->arena, "%s/conclave.db", s->folder).p;
    cv_err err = {.arena = &s->arena};
    assert_ok(cv_record_open(&s->arena, s->path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &s->record,
                             &err),
              &err);
    s->call = (cv_call){.arena = &s->arena,
                        .record = s->record,
                        .clock = {cv_sample_now, s},
                        .root = s->folder,
                        .input = &s->input,
                        .out = &s->out,
                        .errs = &s->errs};
}

static inline void cv_sample_close(cv_sample *s)
{
    cv_record_close(s->record);
    cv_buf_release(&s->out);
    cv_test_remove(s->folder);
    cv_arena_release(&s->arena);
}

/* The input of the next call, as JSON. */
static inline void cv_sample_input(cv_sample *s, const char *json)
{
    cv_err err = {.arena = &s->arena};
    s->call.input_text = cv_arena_copy(&s->arena, cv_str_of(json));
    assert_ok(cv_json_parse(&s->arena, s->call.input_text, &s->input, &err), &err);
    cv_buf_clear(&s->out);
    s->errs.count = 0;
}

/* ---- one write ------------------------------------------------------------------------------- */

static inline cv_journal *cv_sample_begin(cv_sample *s)
{
    cv_err err = {.arena = &s->arena};
    cv_wanted everything = {0};
    cv_sample_input(s, cv_arena_printf(&s->arena, "{\"op_id\":\"op-%d\"}", ++s->writes).p);
    s->now += 60000;
    s->state = (cv_state){.id = s->id};
    if (s->writes > 1)
        assert_ok(cv_state_load(&s->call, s->id, &everything, &s->state, &err), &err);
    cv_journal_begin(&s->journal, &s->call, &s->state);
    return &s->journal;
}

static inline void cv_sample_commit(cv_sample *s)
{
    cv_outcome outcome;
    assert_true(cv_journal_commit(&s->journal, CV_STR("{\"status\":\"success\"}"), &outcome));
    assert_false(outcome.conflict || outcome.replayed);
}

static inline cv_str cv_sample_list(cv_sample *s, const char *slugs)
{
    cv_str rest = cv_str_of(slugs), slug, list = CV_STR("[");
    while (cv_str_split(&rest, ' ', &slug))
        list = cv_arena_printf(&s->arena, "%.*s%s\"%.*s\"", CV_FMT(list), list.n > 1 ? "," : "", CV_FMT(slug));
    return cv_arena_join(&s->arena, list, CV_STR("]"));
}

static inline cv_rec_event *cv_sample_event(cv_sample *s, const char *id, const char *type, int64_t round,
                                            const char *actors)
{
    return cv_journal_event(&s->journal, id[0], cv_str_of(id), cv_str_of(type), round, cv_sample_list(s, actors));
}

/* Puts a row and has an event cover it. */
static inline void cv_sample_put(cv_sample *s, cv_rec_event *event, cv_rec_kind kind, const void *row)
{
    void *kept = cv_journal_put(&s->journal, kind, row);
    if (cv_kind_types[kind]->life == CV_REPLACED)
        cv_journal_covers(&s->journal, event, kind, kept);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static inline void cv_sample_expert(cv_sample *s, int64_t position, const char *slug, const char *role,
                                    const char *tier, const char *reason, int64_t first_round)
{
    cv_rec_expert row = {.expert_slug = cv_str_of(slug),
                         .position = position,
                         .role = cv_str_of(role),
                         .tier = cv_str_of(tier),
                         .source = reason ? CV_STR("created") : CV_STR("pool"),
                         .relevance = CV_STR("0.9"),
                         .creation_reason = cv_str_of(reason),
                         .color = reason ? (cv_str){NULL, 0} : CV_STR("#3B82F6"),
                         .first_round = first_round,
                         .created_at = s->journal.now};
    cv_rec_event *event =
        cv_journal_event(&s->journal, 'X', row.expert_slug, CV_STR("created"), first_round, CV_STR("[\"judge\"]"));
    event->reason = row.creation_reason;
    cv_sample_put(s, event, CV_REC_EXPERT, &row);
}

static inline void cv_sample_seat(cv_sample *s, int64_t round, int64_t position, const char *slug, const char *source)
{
    cv_rec_seat row = {.round = round,
                       .position = position,
                       .expert_slug = cv_str_of(slug),
                       .source = cv_str_of(source),
                       .focus = CV_STR("risk")};
    cv_sample_put(s, NULL, CV_REC_SEAT, &row);
}

static inline void cv_sample_response(cv_sample *s, cv_rec_event *event, int64_t round, const char *slug,
                                      const char *content)
{
    cv_rec_response row = {.round = round,
                           .expert_slug = cv_str_of(slug),
                           .content = cv_str_of(content),
                           .sha256 = cv_hash_text(&s->arena, cv_str_of(content)),
                           .created_at = s->journal.now};
    cv_sample_put(s, event, CV_REC_RESPONSE, &row);
}

/* A new entity, its first event and its local ids ("MUFFIN-P0001 CUPCAKE-P0001"; those of experts with a response have
 * a range in it). */
static inline cv_rec_entity *cv_sample_entity(cv_sample *s, const char *id, const char *label, const char *content,
                                              const char *contributors, const char *locals)
{
    cv_kind kind = (cv_kind)cv_kind_of_letter(id[0]);
    int64_t round = (id[1] - '0') * 10 + id[2] - '0';
    cv_rec_entity row = {.kind = cv_str_head(cv_str_of(id), 1),
                         .round = round,
                         .seq = (id[3] - '0') * 10 + id[4] - '0',
                         .label = cv_str_of(label),
                         .content = cv_str_of(content),
                         .contributors = cv_sample_list(s, contributors),
                         .status = cv_statuses[cv_status_first(kind)].word,
                         .parameters =
                             kind == CV_KIND_RECOMMENDATION ? CV_STR("{\"dte\":\"30-45\"}") : (cv_str){NULL, 0},
                         .created_at = s->journal.now};
    const char *first = kind == CV_KIND_EVIDENCE ? "cited" : kind == CV_KIND_CLAIM ? "asserted" : "created";
    cv_rec_entity *kept = cv_journal_put(&s->journal, CV_REC_ENTITY, &row);
    cv_journal_covers(&s->journal, cv_sample_event(s, id, first, round, contributors), CV_REC_ENTITY, kept);
    cv_str rest = cv_str_of(locals), local;
    while (cv_str_split(&rest, ' ', &local) && local.n > 0) {
        cv_str slug = cv_str_head(local, cv_str_find_char(local, '-'));
        char *lower = cv_arena_copy_z(&s->arena, slug);
        for (size_t i = 0; i < slug.n; i++)
            lower[i] = cv_lower(lower[i]);
        cv_rec_origin origin = {.local_id = local,
                                .display_id = cv_str_of(id),
                                .expert_slug = {lower, slug.n},
                                .round = round,
                                .response_sha256 = cv_hash_text(&s->arena, local),
                                .range_start = 3,
                                .range_end = 40};
        cv_sample_put(s, NULL, CV_REC_ORIGIN, &origin);
    }
    return kept;
}

/* Changes a stored entity: its status becomes `type` when that is one of its kind's. */
static inline cv_rec_event *cv_sample_change(cv_sample *s, const char *id, const char *type, int64_t round,
                                             const char *actors)
{
    cv_rec_event *event = cv_sample_event(s, id, type, round, actors);
    cv_rec_entity row = *cv_state_entity(&s->state, cv_str_of(id));
    int status = cv_status_find((cv_kind)cv_kind_of_letter(id[0]), cv_str_of(type));
    if (status < 0)
        return event;
    row.status = cv_statuses[status].word;
    cv_rec_entity *kept = cv_journal_put(&s->journal, CV_REC_ENTITY, &row);
    cv_journal_covers(&s->journal, event, CV_REC_ENTITY, kept);
    if (cv_str_eq(row.status, CV_STR("adopted")))
        kept->adopted_in_verdict = CV_STR("final");
    return event;
}

static inline void cv_sample_reference(cv_sample *s, int64_t position, const char *source, const char *type,
                                       const char *target, int64_t round)
{
    cv_rec_reference row = {.source_id = cv_str_of(source),
                            .ref_type = cv_str_of(type),
                            .target_id = cv_str_of(target),
                            .source_type = cv_str_head(cv_str_of(source), 1),
                            .target_type = cv_str_head(cv_str_of(target), 1),
                            .round = round,
                            .position = position,
                            .created_at = s->journal.now};
    cv_sample_put(s, NULL, CV_REC_REFERENCE, &row);
}

static inline void cv_sample_move(cv_sample *s, int64_t position, int64_t round, const char *slug, const char *type,
                                  const char *targets, const char *context)
{
    cv_rec_move row = {.round = round,
                       .expert_slug = cv_str_of(slug),
                       .seq = position + 1,
                       .position = position,
                       .move_type = cv_str_of(type),
                       .targets = *targets ? cv_sample_list(s, targets) : CV_STR("[]"),
                       .context = cv_str_of(context),
                       .created_at = s->journal.now};
    cv_sample_put(s, NULL, CV_REC_MOVE, &row);
}

static inline void cv_sample_position(cv_sample *s, int64_t round, const char *slug, const char *content)
{
    cv_rec_position row = {
        .round = round, .expert_slug = cv_str_of(slug), .content = cv_str_of(content), .created_at = s->journal.now};
    cv_sample_put(s, NULL, CV_REC_POSITION, &row);
}

/* Scores ("muffin=12 donut=15"), the round, and the totals that follow from them. */
static inline void cv_sample_round(cv_sample *s, int64_t round, const char *title, int64_t score, const char *scores)
{
    cv_rec_event *event = cv_journal_event(&s->journal, 'O', cv_arena_printf(&s->arena, "%lld", (long long)round),
                                           CV_STR("registered"), round, CV_STR("[\"judge\"]"));
    cv_rec_round row = {.round = round,
                        .title = cv_str_of(title),
                        .score = score,
                        .score_components = CV_STR("{\"W\":10,\"C\":9,\"T\":8,\"R\":10}"),
                        .summary = CV_STR("Options overlay gains traction"),
                        .status = CV_STR("completed"),
                        .created_at = s->journal.now,
                        .completed_at = s->journal.now};
    cv_sample_put(s, event, CV_REC_ROUND, &row);
    cv_str rest = cv_str_of(scores), piece;
    while (cv_str_split(&rest, ' ', &piece)) {
        size_t at = cv_str_find_char(piece, '=');
        int value = 0;
        assert_true(cv_str_to_int(cv_str_from(piece, at + 1), &value));
        cv_rec_score points = {.round = round,
                               .expert_slug = cv_str_head(piece, at),
                               .score = value,
                               .score_components = CV_STR("{\"W\":3}")};
        cv_sample_put(s, event, CV_REC_SCORE, &points);
        cv_rec_expert expert = *cv_state_expert(&s->state, points.expert_slug);
        expert.total_score += value;
        cv_sample_put(s, event, CV_REC_EXPERT, &expert);
    }
    cv_rec_dialogue dialogue = s->state.dialogue;
    dialogue.total_rounds = round + 1;
    dialogue.total_alignment += score;
    cv_sample_put(s, event, CV_REC_DIALOGUE, &dialogue);
}

/* ---- the dialogue ---------------------------------------------------------------------------- */

static inline void cv_sample_create(cv_sample *s)
{
    cv_journal *j = cv_sample_begin(s);
    cv_rec_dialogue row = {
        .title = CV_STR("NVIDIA Investment Decision"),
        .question = CV_STR("Should Acme Trust add NVIDIA?"),
        .status = CV_STR("open"),
        .created_at = j->now,
        .output_dir = CV_STR(".conclave/dialogues/nvidia-decision"),
        .calibrated = 1,
        .domain_id = CV_STR("fiduciary-investment"),
        .ethos_id = CV_STR("ethos-nvidia-001"),
        .calibration = CV_STR("{\"domain\":\"fiduciary-investment\",\"rules\":[\"a\",\"b\"]}"),
        .background = CV_STR("{\"subject\":\"Acme\"}"),
        .expert_pool = CV_STR("{\"domain\":\"Investment Analysis\",\"experts\":[{\"role\":\"Value Analyst\","
                              "\"tier\":\"Core\",\"relevance\":0.95}]}"),
        .panel_size = 3,
        .rotation = CV_STR("graduated"),
        .seed = 7,
        .convergence_target = CV_STR("0.8"),
        .strict_convergence = 0,
        .archived = CV_ABSENT,
    };
    cv_sample_put(s, cv_journal_event(j, 'D', s->id, CV_STR("created"), 0, CV_STR("[\"judge\"]")), CV_REC_DIALOGUE,
                  &row);
    cv_sample_expert(s, 0, "muffin", "Value Analyst", "Core", NULL, 0);
    cv_sample_expert(s, 1, "cupcake", "Risk Manager", "Core", NULL, 0);
    cv_sample_expert(s, 2, "donut", "Options Strategist", "Wildcard", NULL, 0);
    cv_sample_seat(s, 0, 0, "muffin", "pool");
    cv_sample_seat(s, 0, 1, "cupcake", "pool");
    cv_sample_seat(s, 0, 2, "donut", "pool");
    cv_sample_commit(s);
}

static inline void cv_sample_respond(cv_sample *s, int64_t round, const char *slug, const char *content)
{
    cv_journal *j = cv_sample_begin(s);
    cv_rec_event *event = cv_journal_event(j, 'S', cv_arena_printf(&s->arena, "%lld/%s", (long long)round, slug),
                                           CV_STR("created"), round, cv_sample_list(s, slug));
    cv_sample_response(s, event, round, slug, content);
    cv_sample_commit(s);
}

static inline void cv_sample_round_0(cv_sample *s)
{
    cv_sample_begin(s);
    cv_sample_entity(s, "P0001", "Income mandate mismatch", "NVIDIA's zero dividend conflicts with \"4%\" income.",
                     "muffin cupcake", "MUFFIN-P0001 CUPCAKE-P0001");
    cv_sample_entity(s, "P0002", "Concentration risk", "One stock, one country.\nOne foundry.", "cupcake",
                     "CUPCAKE-P0002");
    cv_sample_entity(s, "R0001", "Income Collar Structure", "Strike selection framework.", "donut", "DONUT-R0001");
    cv_sample_entity(s, "T0001", "Growth vs income obligation", "Zero dividend against 4 % income.", "muffin",
                     "MUFFIN-T0001");
    cv_sample_entity(s, "T0002", "Timing", "Entry before or after refinancing?", "cupcake ghost", "");
    cv_sample_entity(s, "E0001", "Historical premium data", "30-day IV averaged 45 %.", "muffin", "MUFFIN-E0001");
    cv_sample_entity(s, "C0001", "Income mandate resolved", "Met by covered calls.", "muffin", "MUFFIN-C0001");
    cv_sample_reference(s, 0, "R0001", "address", "T0001", 0);
    cv_sample_reference(s, 1, "R0001", "depend", "P0001", 0);
    cv_sample_reference(s, 2, "T0001", "depend", "P0001", 0);
    cv_sample_reference(s, 3, "E0001", "support", "P0001", 0);
    cv_sample_reference(s, 4, "E0001", "support", "T0001", 0);
    cv_sample_reference(s, 5, "C0001", "depend", "E0001", 0);
    cv_sample_reference(s, 6, "@cupcake", "oppose", "P0001", 0);
    cv_sample_round(s, 0, "Opening Arguments", 37, "muffin=12 cupcake=10 donut=15");
    cv_sample_commit(s);
}

static inline void cv_sample_round_1(cv_sample *s)
{
    cv_sample_begin(s);
    cv_sample_expert(s, 3, "palmier", "Geopolitical Risk Analyst", "Adjacent", "T0001 requires geopolitics", 1);
    cv_sample_seat(s, 1, 0, "muffin", "retained");
    cv_sample_seat(s, 1, 1, "donut", "retained");
    cv_sample_seat(s, 1, 2, "palmier", "created");
    cv_sample_commit(s);
    cv_sample_begin(s);
    cv_sample_entity(s, "P0101", "Options viability confirmed", "18-34% annualised income.", "muffin", "MUFFIN-P0101");
    cv_sample_entity(s, "R0101", "Income Collar, 45 days", "Longer expiry.", "donut muffin", "DONUT-R0101");
    cv_sample_reference(s, 0, "P0101", "refine", "P0001", 1);
    cv_sample_reference(s, 1, "P0101", "address", "T0001", 1);
    cv_sample_reference(s, 2, "R0101", "refine", "R0001", 1);
    cv_sample_change(s, "P0001", "refined", 1, "muffin")->result_id = CV_STR("P0101");
    cv_sample_change(s, "R0001", "amended", 1, "donut muffin")->result_id = CV_STR("R0101");
    cv_sample_change(s, "T0001", "addressed", 1, "muffin")->reference = CV_STR("P0101");
    cv_sample_change(s, "E0001", "confirmed", 1, "donut")->reference = CV_STR("R0101");
    cv_sample_change(s, "C0001", "supported", 1, "donut cupcake")->reason = CV_STR("the premium covers it");
    cv_sample_change(s, "P0002", "commented", 1, "palmier")->data = CV_STR("{\"note\":1}");
    cv_sample_position(s, 1, "muffin", "Income first.");
    cv_sample_move(s, 0, 1, "muffin", "bridge", "P0002 R0001", "Phased entry reconciles both");
    cv_sample_move(s, 1, 1, "donut", "defend", "R0001", NULL);
    cv_sample_move(s, 2, 1, "muffin", "converge", "", "Ready to conclude");
    cv_sample_round(s, 1, "Refinement", 30, "muffin=8 palmier=14");
    cv_sample_commit(s);
}

static inline void cv_sample_verdicts(cv_sample *s)
{
    cv_journal *j = cv_sample_begin(s);
    cv_rec_verdict row = {.verdict_id = CV_STR("final"),
                          .position = 0,
                          .verdict_type = CV_STR("final"),
                          .round = 1,
                          .recommendation = CV_STR("APPROVE conditional partial trim."),
                          .description = CV_STR("The panel rejected a full swap."),
                          .conditions = CV_STR("[\"After refinancing\"]"),
                          .vote = CV_STR("3-0"),
                          .confidence = CV_STR("unanimous"),
                          .tensions_resolved = CV_STR("[\"T0001\"]"),
                          .tensions_accepted = CV_STR("[\"T0002\"]"),
                          .recommendations_adopted = CV_STR("[\"R0101\"]"),
                          .key_evidence = CV_STR("[\"E0001\"]"),
                          .key_claims = CV_STR("[\"C0001\"]"),
                          .ethos_compliance =
                              CV_STR("{\"fully_compliant\":false,\"exceptions\":[\"x\"],\"violations\":[]}"),
                          .created_at = j->now};
    cv_rec_event *event = cv_journal_event(j, 'V', CV_STR("final"), CV_STR("registered"), 1, CV_STR("[\"judge\"]"));
    cv_sample_put(s, event, CV_REC_VERDICT, &row);
    cv_rec_dialogue dialogue = s->state.dialogue;
    dialogue.status = CV_STR("converged");
    dialogue.converged_at = j->now;
    cv_sample_put(s, event, CV_REC_DIALOGUE, &dialogue);
    cv_sample_change(s, "T0001", "resolved", 1, "judge")->reference = CV_STR("final");
    cv_sample_change(s, "T0002", "accepted", 1, "judge")->reference = CV_STR("final");
    cv_sample_change(s, "R0101", "adopted", 1, "judge")->reference = CV_STR("final");
    cv_sample_change(s, "C0001", "adopted", 1, "judge")->reference = CV_STR("final");
    cv_sample_commit(s);
    j = cv_sample_begin(s);
    row = (cv_rec_verdict){.verdict_id = CV_STR("minority-timing"),
                           .position = 1,
                           .verdict_type = CV_STR("minority"),
                           .round = 1,
                           .recommendation = CV_STR("WAIT."),
                           .description = CV_STR("Refinancing first."),
                           .supporting_experts = CV_STR("[\"palmier\"]"),
                           .warning = CV_STR("late"),
                           .created_at = j->now};
    event = cv_journal_event(j, 'V', row.verdict_id, CV_STR("registered"), 1, CV_STR("[\"palmier\"]"));
    cv_sample_put(s, event, CV_REC_VERDICT, &row);
    cv_sample_commit(s);
}

/* All of it. */
static inline void cv_sample_make(cv_sample *s)
{
    cv_sample_open(s);
    cv_sample_create(s);
    cv_sample_respond(s, 0, "muffin", "[MUFFIN-P0001: Income mandate mismatch]\nNVIDIA's zero dividend…");
    cv_sample_respond(s, 0, "donut", "[DONUT-R0001: Income Collar Structure]");
    cv_sample_round_0(s);
    cv_sample_round_1(s);
    cv_sample_respond(s, 2, "muffin", "Waiting for round 2.");
    cv_sample_verdicts(s);
}

#endif
