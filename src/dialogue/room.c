/* room.c - the dialogue room's descriptor: what its other tables do not say; see kit/room.h. */
#include "dialogue/room.h"

#include "base/embedded.h"
#include "dialogue/files.h"
#include "dialogue/import/report.h"
#include "dialogue/intake/fill_in.h"
#include "dialogue/labels.h"
#include "dialogue/search/found.h"
#include "dialogue/text/spec.h"
#include "dialogue/verifier.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/words.h"

static void print_ids(cv_buf *out)
{
    cv_buf_add_z(out, "An id has a letter, two digits for the round and two digits for the number:\n\n"
                      "  P0102            the dialogue's second perspective of round 1\n"
                      "  MUFFIN-P0102     Muffin's own second perspective of round 1: a local id, used until the round "
                      "is registered; references can use it later, too\n"
                      "  @muffin          the overall position of an expert\n"
                      "  nvidia-decision  a dialogue: the slug of its title, with -2, -3 ... when it is taken\n\n"
                      "On the command line you can shorten the id of a dialogue if no other id begins like it. You can "
                      "leave it out if there is one dialogue, or if CONCLAVE_DIALOGUE names it. Tools and "
                      "HTTP requests take whole ids.\n\n"
                      "Letters:\n");
    for (size_t i = 0; i < CV_KIND_COUNT; i++)
        cv_buf_printf(out, "  %c  %-15.*s %.*s\n", cv_kinds[i].letter, CV_FMT(cv_kinds[i].word),
                      CV_FMT(cv_kinds[i].purpose));
}

static void print_play(cv_buf *out)
{
    for (size_t i = 0; i < cv_skill_files_count; i++)
        if (strcmp(cv_skill_files[i].name, "alignment-play") == 0)
            cv_buf_add(out, cv_skill_files[i].text);
}

static const cv_topic topics[] = {{"ids", print_ids}, {0}};

static const cv_cli_command *const commands[] = {&cv_cmd_lint, &cv_cmd_parse, &cv_cmd_render, &cv_cmd_spec, NULL};

static const cv_skill skills[] = {{"alignment-expert", cv_skill_print_expert}, {"alignment-play", print_play}, {0}};

static const cv_completion completions[] = {
    {"DIALOGUE", "dialogue_id id", "dialogue list", "\"limit\":1000", false, "dialogues", "dialogue_id", "title"},
    {"EXPERT", NULL, "dialogue get", NULL, true, "experts", "expert_slug", "role"},
    {"WHO", NULL, "dialogue experts", "\"limit\":1000", false, "experts", "expert_slug", "role"},
    {"PANEL", NULL, "dialogue panel-list", NULL, false, "panels", "name", "domain"},
    {"ID", NULL, "dialogue graph", "\"experts\":true", true, "nodes", "id", "label"},
    {0},
};

/* Where its prompts, responses and transcripts are. */
static bool folder_of(cv_call *call, cv_str scope, cv_where *ret_where, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE), .no_content = true};
    cv_state *state = CV_NEW(call->arena, cv_state);
    return cv_state_load(call, scope, &wanted, state, err) && cv_dialogue_folder(call, state, ret_where, err);
}

const cv_room cv_room_dialogue = {
    .name = "dialogue",
    .summary = "a judge and a panel of experts deliberate in rounds until they converge",
    .details =
        "A dialogue has a question, a panel and rounds. The judge registers what each round brought: perspectives,\n"
        "recommendations, tensions, evidence, claims, moves and scores; at the end verdicts. Everything is checked "
        "when it\n"
        "arrives and kept as a history that nobody can rewrite unseen ('conclave verify').\n",
    .instructions = "Deliberations of a judge and a panel of experts, kept in a record. As judge: "
                    "blue_dialogue_create, then per round blue_dialogue_evolve_panel (if the panel changes), "
                    "blue_dialogue_round_prompts (files; include_prompts: the texts, experts: of whom), one agent per "
                    "prompt in parallel, blue_dialogue_respond for each answer, blue_dialogue_draft, add your scores, "
                    "blue_dialogue_round_register, "
                    "blue_dialogue_progress; when converged blue_dialogue_verdict_register and "
                    "blue_dialogue_export. As expert: read your prompt, answer with the markers in "
                    "conclave://spec, and send it with blue_dialogue_respond.",
    .examples = "  conclave dialogue create \"NVIDIA decision\"\n"
                "  conclave import dialogues --dry-run\n"
                "  conclave import decision.dialogue.md\n"
                "  conclave search hedging --room dialogue --kind tension --status open\n"
                "  conclave feed --room dialogue --json\n"
                "  conclave redact dialogue nvidia-decision tension T0001 --reason \"a name in it\" --dry-run\n"
                "  conclave export-scope dialogue nvidia-decision --output scope.json\n"
                "  conclave verify --room dialogue --scope nvidia-decision\n"
                "  conclave agent limit opus --rooms dialogue\n"
                "  conclave token add muffin --rooms dialogue --read-only\n",
    .ops = cv_dialogue_ops,
    .records = &cv_dialogue_records,
    .codes = cv_dialogue_codes,
    .resources = cv_dialogue_resources,
    .prompts = cv_dialogue_prompts,
    .conditions = cv_dialogue_conditions,
    .completions = completions,
    .skills = skills,
    .topics = topics,
    .commands = commands,
    .scope = {.field = "dialogue_id",
              .value = "DIALOGUE",
              .show = "dialogue show",
              .one = "dialogue",
              .many = "dialogues",
              .abbreviated = true},
    .folder = CV_DIALOGUES,
    .verify = cv_verify_facts,
    .doctor = cv_dialogue_doctor,
    .import = {.fit = cv_dialogue_import_fit,
               .run = cv_dialogue_import,
               .about =
                   "Dialogues: folders with expert-pool.json and round-N/NAME.md, documents (*.dialogue.md) and\n"
                   "exports. What every expert wrote is kept as a response, marks become items, references and\n"
                   "moves, boards become scores, trackers become statuses, each with the dialogue's own date. The\n"
                   "report also says where boards and trackers differ from what the record derives. An export is\n"
                   "restored as it was, events and hashes included.\n",
               .found = cv_import_dialogue_shape,
               .counts = cv_tally_shape},
    .statuses = {.good = " resolved accepted adopted converged confirmed supported ",
                 .pending = " addressed converging proposed amended refined cited challenged asserted ",
                 .bad = " reopened rejected refuted opposed abandoned withdrawn conceded "},
    .scope_folder = folder_of,
    .edits = cv_dialogue_edits,
    .archived = cv_archived_name,
    .changed = cv_found_corrected,
};
