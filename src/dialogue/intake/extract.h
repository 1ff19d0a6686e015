/* extract.h - what the responses of a round say, as the judge would register it.
 *
 *     response-muffin.md          becomes
 *     [MUFFIN-P0101: Viable]      perspectives: MUFFIN-P0101, its label, its body
 *     [RE:ADDRESS T0001]          a reference of MUFFIN-P0101, which it follows; before any item: of @muffin
 *     [MOVE:CONVERGE]             a move; [CONCESSION P01], [CHALLENGE P01], [CONVERGENCE CONFIRMED] are moves as well
 *     [RESOLVED T01: by collar]   a reference of type resolve: who may resolve a tension is asked when it is registered
 *     [REFINEMENT P01: Cheaper]   a perspective of its own that refines P01
 *     [DISSENT] …                 a verdict, for verdict-register; [VERDICT:FINAL: …] one that the judge may take up
 *     text under no mark          the expert's position of the round, with the text of marks that say nothing else
 *
 * The judge, in texts that hold the judge's part too, is not an expert and nothing refers from there: what resolves,
 * addresses, reopens or accepts a tension becomes an update of it.
 *
 * Pure: texts and a state in, lists out; the same texts give the same lists. Nothing is guessed: what cannot be said in
 * a request to round-register (a reference without a type, an unknown move, a target that is nowhere) becomes a note
 * with its expert, line and text, never lost. So the request is always accepted, unless the record has moved on.
 */
#ifndef CV_DIALOGUE_INTAKE_EXTRACT_H
#define CV_DIALOGUE_INTAKE_EXTRACT_H

#include "dialogue/intake/parse.h"

typedef struct {
    cv_str expert; /* slug */
    cv_str text;   /* what the expert wrote */
} cv_response_text;

typedef struct {
    cv_ref type;
    cv_str target; /* as round-register takes it: P0001, DONUT-R0101, @muffin */
    size_t line;
    bool pending;  /* an id of this round by an expert who is not among the texts: in no request, but in a note */
    cv_str reason; /* what is said of it, or absent */
} cv_extracted_ref;

typedef struct {
    cv_kind kind;
    cv_str local_id, expert, label, content;
    CV_STATE_LIST(cv_str) others; /* who contributed, too: [P0101: …] (muffin, scone) */
    CV_STATE_LIST(cv_extracted_ref) refs;
    CV_STATE_LIST(cv_str) more; /* what is said of it again: in the content, too */
    size_t line;
} cv_extracted_entity;

typedef struct {
    cv_str expert;
    cv_extracted_ref ref;
} cv_extracted_link; /* a reference whose source is @expert */

typedef struct {
    cv_str expert, context;
    cv_move type;
    CV_STATE_LIST(cv_str) targets;
    CV_STATE_LIST(cv_str) waiting; /* further ones, of experts who are not among the texts: in no request */
    bool pending;                  /* it needs one of those: in no request itself */
    size_t line;
} cv_extracted_move;

typedef struct {
    cv_str expert, id, reason; /* id: T0001, or a local id of the round */
    cv_status status;
    size_t line;
} cv_extracted_update;

typedef struct {
    cv_str expert, label, text;
    cv_str verdict_id; /* free in the dialogue and among the others */
    cv_verdict type;   /* dissent or minority; of the judge's, those that are proposed: interim or final */
    bool untyped;      /* the mark does not say which: taken for a final one */
    size_t line;
} cv_extracted_verdict;

typedef struct {
    cv_str expert, text;
} cv_extracted_position;

typedef struct {
    cv_str type;   /* "untyped_reference", "unknown_target", … */
    cv_str expert; /* who wrote it */
    cv_str id;     /* the item or target that it is about, or empty */
    cv_str text;   /* as it is written */
    cv_str message, suggestion;
    cv_diagnosis_severity severity;
    size_t line, last;
} cv_extracted_note;

typedef struct {
    cv_str dialogue_id;
    int64_t round;
    CV_STATE_LIST(cv_extracted_entity) entities; /* by kind, then in the order of the texts and of their texts */
    CV_STATE_LIST(cv_extracted_link) links;
    CV_STATE_LIST(cv_extracted_move) moves;
    CV_STATE_LIST(cv_extracted_update) updates;
    CV_STATE_LIST(cv_extracted_verdict) verdicts;
    CV_STATE_LIST(cv_extracted_verdict) proposals; /* for the judge: they have no author */
    CV_STATE_LIST(cv_extracted_position) positions;
    CV_STATE_LIST(cv_extracted_note) notes; /* in the order of the texts and of their texts */
    bool needs_content;                     /* something is quoted whose text the state does not have */
    bool needs_others;             /* something of an expert is named who has responded and does not speak here */
    cv_parsed_response *responses; /* one for each text */
    size_t response_count;
} cv_extract;

/* Hears the texts in their order; each expert has one. `names`, when not NULL, leads from an id in its one spelling
 * (cv_id_print: T01, MUFFIN-T0101 for "MUFFIN R1-T01") to a const cv_str * with the id that it means in the dialogue,
 * for texts that number in their own way; what it means for one expert only is under cv_extract_own_name and counts
 * first. The state needs dialogue, experts, entities, origins and verdicts. */
cv_str cv_extract_own_name(cv_arena *a, cv_str expert, cv_str id);
void cv_extract_files(cv_arena *a, const cv_state *s, int64_t round, const cv_response_text *texts, size_t count,
                      const cv_map *names, cv_extract *ret_extract);

/* Takes what experts send, and reads it leniently (plain.h). The other function is for files, in which marks are as the
 * format says. */
void cv_extract_responses(cv_arena *a, const cv_state *s, int64_t round, const cv_response_text *texts, size_t count,
                          cv_extract *ret_extract);

/* A request to round-register as one JSON object: everything but the score, which only the judge can give. The same
 * without its braces, as members of an open object. */
void cv_extract_print_payload(const cv_extract *h, cv_json_writer *w);
void cv_extract_print_members(const cv_extract *h, cv_json_writer *w);

/* A mark as a verdict, without its expert and id; false: it is none, or says nothing. Responses, summaries and files
 * are all read so. */
bool cv_extracted_verdict_read(cv_arena *a, const cv_mark *mark, cv_extracted_verdict *ret_verdict);

/* What a verdict of the judge's is called that a text proposes: final; interim-0, then interim-0-2. */
cv_str cv_proposal_id(cv_arena *a, cv_verdict type, int64_t round, size_t number);

/* A request to verdict-register, and the same as members of an open object. */
void cv_extracted_verdict_print(const cv_extract *h, const cv_extracted_verdict *verdict, cv_json_writer *w);
void cv_extracted_verdict_print_members(const cv_extract *h, const cv_extracted_verdict *verdict, cv_json_writer *w);

/* {"type", "severity", "expert", "line", "id", "text", "message", "suggestion"} */
void cv_extracted_note_print(const cv_extracted_note *note, cv_json_writer *w);

#endif
