/* operations.h - what the dialogue room does for others: one function per operation.
 *
 * The rows of ops.c name these functions, and an import calls some of them for each dialogue (kit/invoke.h).
 * Each finds its input checked against schemas/dialogue_VERB.json, writes one JSON object to call->out and returns
 * true; or it adds every fault to call->errs and returns false, and nothing was written (call.h).
 */
#ifndef CV_DIALOGUE_OPERATIONS_H
#define CV_DIALOGUE_OPERATIONS_H

#include "kit/call.h"
#include "kit/shape.h"

/* ---- a dialogue and its people ---------------------------------------------------------------------------------- */
bool cv_dialogue_create(cv_call *call);
bool cv_dialogue_list(cv_call *call);
bool cv_dialogue_get(cv_call *call);
bool cv_dialogue_abandon(cv_call *call);
bool cv_dialogue_expert_create(cv_call *call);
bool cv_dialogue_panel_sample(cv_call *call);
bool cv_dialogue_panel_list(cv_call *call);
bool cv_dialogue_panel_show(cv_call *call);
bool cv_dialogue_evolve_panel(cv_call *call);

/* ---- what experts are given ------------------------------------------------------------------------------------- */
bool cv_dialogue_round_context(cv_call *call);
bool cv_dialogue_round_prompts(cv_call *call);

/* ---- what is said ----------------------------------------------------------------------------------------------- */
bool cv_dialogue_respond(cv_call *call);
bool cv_dialogue_round_verify(cv_call *call);
bool cv_dialogue_draft(cv_call *call);
bool cv_dialogue_round_register(cv_call *call);
bool cv_dialogue_verdict_register(cv_call *call);
bool cv_dialogue_update(cv_call *call);

/* ---- how it is found again -------------------------------------------------------------------------------------- */
bool cv_dialogue_archive(cv_call *call);
bool cv_dialogue_unarchive(cv_call *call);
bool cv_dialogue_rename(cv_call *call);
bool cv_dialogue_tag(cv_call *call);

/* ---- what is known ---------------------------------------------------------------------------------------------- */
bool cv_dialogue_export(cv_call *call);
bool cv_dialogue_search(cv_call *call);
bool cv_dialogue_similar(cv_call *call);
bool cv_dialogue_transcript(cv_call *call);
bool cv_dialogue_show(cv_call *call);
bool cv_dialogue_progress(cv_call *call);
bool cv_dialogue_scoreboard(cv_call *call);
bool cv_dialogue_dynamics(cv_call *call);
bool cv_dialogue_stats(cv_call *call);
bool cv_dialogue_experts(cv_call *call);
bool cv_dialogue_compare(cv_call *call);
bool cv_dialogue_expand(cv_call *call);
bool cv_dialogue_history(cv_call *call);
bool cv_dialogue_graph(cv_call *call);

/* ---- the forms of their answers (kit/shape.h) -------------------------------------------------------------------- */
extern const cv_shape cv_abandon_shape[];
extern const cv_shape cv_archive_shape[];
extern const cv_shape cv_compare_shape[];
extern const cv_shape cv_create_shape[];
extern const cv_shape cv_dialogue_search_shape[];
extern const cv_shape cv_dynamics_shape[];
extern const cv_shape cv_evolve_panel_shape[];
extern const cv_shape cv_expand_shape[];
extern const cv_shape cv_expert_create_shape[];
extern const cv_shape cv_get_shape[];
extern const cv_shape cv_graph_shape[];
extern const cv_shape cv_history_shape[];
extern const cv_shape cv_list_shape[];
extern const cv_shape cv_panel_list_shape[];
extern const cv_shape cv_panel_sample_shape[];
extern const cv_shape cv_panel_show_shape[];
extern const cv_shape cv_progress_shape[];
extern const cv_shape cv_rename_shape[];
extern const cv_shape cv_respond_shape[];
extern const cv_shape cv_round_prompts_shape[];
extern const cv_shape cv_round_register_shape[];
extern const cv_shape cv_round_verify_shape[];
extern const cv_shape cv_scoreboard_shape[];
extern const cv_shape cv_show_shape[];
extern const cv_shape cv_similar_shape[];
extern const cv_shape cv_stats_shape[];
extern const cv_shape cv_experts_shape[];
extern const cv_shape cv_tag_shape[];
extern const cv_shape cv_transcript_shape[];
extern const cv_shape cv_update_shape[];
extern const cv_shape cv_verdict_register_shape[];

#endif
