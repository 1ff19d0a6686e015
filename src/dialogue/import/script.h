/* script.h - what the files of one dialogue say, in order: who takes part, who said what in which round, what the judge
 * noted; and the report of how they were read.
 *
 *     muffin.md, scoreboard.md, x.dialogue.md …  ->  script  ->  requests (import_script.h)
 *
 * Reading believes nothing and drops nothing: what has no place of its own is kept as background, what cannot be
 * understood is listed with file, line and reason. The first file that speaks for somebody in a round counts; folders
 * are read before the assembled document, which mostly sums them up.
 */
#ifndef CV_DIALOGUE_IMPORT_SCRIPT_H
#define CV_DIALOGUE_IMPORT_SCRIPT_H

#include "dialogue/import/grid.h"
#include "dialogue/intake/plain.h"
#include "dialogue/state.h"
#include "dialogue/words/limits.h"

/* What was counted, of one file or of all. */
typedef struct {
    size_t rounds, agents, responses, entities[CV_KIND_COUNT], references, moves, scores, tracked, updates, verdicts;
} cv_import_tally;

typedef struct {
    cv_str name;  /* as the report names it */
    cv_str brief; /* … to people: without the folders above the dialogue */
    cv_str role;  /* "response", "scoreboard", … */
    cv_str why;   /* empty; else why nothing was taken from it */
    bool failed;  /* it could not be read: the failures report it */
    cv_import_tally tally;
} cv_sheet;

/* Something that the report tells: a decision, a text that was not understood, a figure that differs. */
typedef struct {
    size_t sheet; /* CV_NO_SHEET: about no file */
    size_t line;
    cv_str text;
    cv_str why;
} cv_remark;
typedef CV_STATE_LIST(cv_remark) cv_remarks;

typedef struct {
    size_t sheet, line;
    cv_str what, says, derives, why;
} cv_difference;

/* Where a role was read: the panel knows better than a board, a board better than a heading. */
typedef enum { CV_ROLE_OF_NOTHING, CV_ROLE_OF_HEADING, CV_ROLE_OF_BOARD, CV_ROLE_OF_PANEL } cv_role_rank;

typedef struct {
    cv_str name, slug, role, tier, relevance, focus;
    cv_role_rank role_rank;
    size_t sheet, line;
    bool on_panel;   /* of the document: sits in every round */
    int first, last; /* … from one to the other, when the panel says so; -1 */
} cv_participant;

typedef struct {
    cv_str role, tier, relevance, focus;
} cv_member; /* of the pool, as create takes it */

typedef struct {
    cv_str text;
    size_t line;    /* of the file */
    size_t in_text; /* … and of the joined text */
} cv_piece;

typedef struct {
    size_t participant, sheet;
    CV_STATE_LIST(cv_piece) pieces;
    cv_str text;    /* all of them, set by cv_script_finish */
    cv_plain plain; /* … and as it is read: as leniently as what experts send (intake/plain.h) */
} cv_import_part;

typedef struct {
    size_t participant, sheet, line;
    cv_points points;
} cv_part_score;

/* What files state and the record derives: compared with each other when all is written (compare.c). */
#define CV_STATEMENTS(X)                                                                                               \
    X(SCORE, "score")                                                                                                  \
    X(PART, "part of the score")                                                                                       \
    X(SUM, "score so far")                                                                                             \
    X(OPEN, "open tensions")                                                                                           \
    X(FRESH, "new perspectives")                                                                                       \
    X(VELOCITY, "velocity")                                                                                            \
    X(CONVERGE, "convergence in percent")                                                                              \
    X(ROUNDS, "number of rounds")                                                                                      \
    X(TENSIONS, "number of tensions")                                                                                  \
    X(CLOSED, "number of closed tensions")                                                                             \
    X(PERSPECTIVES, "number of perspectives")                                                                          \
    X(EXPERTS, "number of experts")                                                                                    \
    X(ROLE, "role")                                                                                                    \
    X(TIER, "tier")                                                                                                    \
    X(EXPERT, "expert")                                                                                                \
    X(DECISION, "decision")                                                                                            \
    X(VOTE, "vote")                                                                                                    \
    X(CONFIDENCE, "confidence")

typedef enum {
#define X(id, word) CV_SAYS_##id,
    CV_STATEMENTS(X)
#undef X
        CV_SAYS_COUNT
} cv_says;

typedef struct {
    cv_says what;
    cv_str agent;   /* as written; empty: all */
    int round;      /* from 0; -1: the whole dialogue */
    int part;       /* of PART: which */
    bool so_far;    /* a score in the text of a round: of the round, or of all up to it */
    int64_t number; /* … or `text` */
    cv_str text;
    size_t sheet, line;
} cv_statement;

typedef struct {
    int written;  /* its number in the files; -1: no file has it */
    size_t sheet; /* that has it first */
    cv_str title;
    CV_STATE_LIST(cv_str) notes; /* the judge's texts */
    cv_map noted;
    CV_STATE_LIST(cv_import_part) parts;
    CV_STATE_LIST(size_t) panel; /* participants as a panel file seats them; empty: not said */
    CV_STATE_LIST(cv_part_score) scores;
    cv_board_row said; /* what a board says of the round; line 0: nothing */
    size_t said_sheet;
} cv_import_act;

typedef struct {
    cv_tracked row;
    size_t sheet;
    int as_of; /* the round whose summary has it; -1: it is about the whole dialogue */
} cv_tracked_row;

typedef struct {
    cv_str heading, text; /* text empty: there is none */
    size_t sheet, line;
    int rank;
    bool alone; /* its text is kept nowhere else */
} cv_ending;

/* A section with a verdict that is not the final one. */
typedef struct {
    cv_verdict type; /* interim, minority, dissent */
    cv_str heading, text;
    size_t sheet, line;
    int round;          /* the last one before it; -1: there is none */
    size_t authors[12]; /* participants, the first of them its author */
    size_t author_count;
} cv_opinion;

typedef struct {
    cv_str key, value;
} cv_fact;

typedef struct {
    cv_arena *arena;
    cv_str key;                     /* which dialogue it is: its name without folders and endings */
    cv_str title, question, status; /* status: as written */
    int64_t date_ms;                /* CV_ABSENT: not known */
    cv_str domain;
    CV_STATE_LIST(cv_member) pool;
    CV_STATE_LIST(cv_sheet) sheets;
    CV_STATE_LIST(cv_participant) participants;
    cv_map participant_at; /* name in lower case -> index + 1 */
    cv_map slug_at;
    cv_import_act acts[CV_MAX_ROUND + 1];
    size_t act_count;
    int base;        /* what the files call the first round */
    bool has_panels; /* panel files say who is an expert */
    CV_STATE_LIST(cv_tracked_row) tracker;
    CV_STATE_LIST(cv_statement) statements;
    CV_STATE_LIST(cv_part_score) sums; /* scores over the whole dialogue */
    CV_STATE_LIST(cv_fact) metadata, background;
    cv_ending ending;
    CV_STATE_LIST(cv_ending) interims; /* [VERDICT:INTERIM: …] of the judge; `rank` is the round */
    CV_STATE_LIST(cv_opinion) opinions;
    cv_map verdict_at; /* verdict id -> the sheet that has it + 1 */
    cv_remarks decided, not_understood;
    CV_STATE_LIST(cv_difference) differences;
} cv_script;

/* ---- while reading ----------------------------------------------------------------------------------------------- */

#define CV_NO_SHEET SIZE_MAX
#define CV_THE_JUDGE SIZE_MAX
#define CV_NOBODY (SIZE_MAX - 1)

/* The participant of this name, made when it is new; CV_THE_JUDGE; CV_NOBODY when there are too many. What is known
 * already is not changed. */
size_t cv_script_participant(cv_script *s, cv_str name, cv_str role, size_t sheet, size_t line);

bool cv_script_is_judge(cv_str name);

/* The participant of this name or of a part of it ("Ada", "Lovelace" for "Ada Lovelace"), or CV_NOBODY. */
size_t cv_script_known(const cv_script *s, cv_str name);

/* One after the other of the names in a cell: "Rust & SQL", "Muffin, Scone", "Ada and Bob". CV_NOBODY: that one does
 * not take part. False: there are no more. */
cv_str cv_script_cut_name(cv_str *rest); /* up to ',', '/', '&', '+', ';' or the word "and" */
bool cv_script_next_named(const cv_script *s, cv_str *rest, size_t *ret_participant);

/* A role that is read somewhere: the best place counts, all are compared with the record. */
void cv_script_role(cv_script *s, size_t participant, cv_str role, cv_role_rank rank, size_t sheet, size_t line);

/* A tier that a panel gives: the first one counts, all are compared with the record. */
void cv_script_tier(cv_script *s, size_t participant, cv_str tier, size_t sheet, size_t line);

/* … in words. */
void cv_script_state_text(cv_script *s, cv_says what, cv_str agent, cv_str text, size_t sheet, size_t line);

/* What was stated first; empty: nothing. */
cv_str cv_script_stated(const cv_script *s, cv_says what);

/* Something that a file states; CV_ABSENT states nothing. */
void cv_script_state(cv_script *s, cv_says what, cv_str agent, int round, int64_t number, size_t sheet, size_t line);

/* "**Total ALIGNMENT**: 92", "- Rounds: 3": what the lines of a text state. */
void cv_script_lines(cv_script *s, cv_str text, size_t sheet, size_t line, int round);

/* The round with this number (from 0); NULL above the ceiling, which is reported. */
cv_import_act *cv_script_act(cv_script *s, int round, size_t sheet, size_t line);

/* What a participant said: the first source counts, texts of one source are joined. */
void cv_script_say(cv_script *s, cv_import_act *act, size_t participant, size_t sheet, size_t line, cv_str text);

/* `text` as far as the record takes it; what is longer is cut, and that is reported. */
cv_str cv_script_fit(cv_script *s, size_t sheet, size_t line, const char *what, cv_str text, size_t most);

/* What the judge noted about a round. */
void cv_script_note(cv_script *s, cv_import_act *act, cv_str text);

/* What a table says, when it is a board or a tracker. `round` -1: it is in no round. One that is not read is reported.
 */
bool cv_script_table(cv_script *s, const cv_grid *grid, size_t sheet, int round);
bool cv_script_tables(cv_script *s, cv_str text, size_t sheet, int round);          /* was there any? */
void cv_script_track(cv_script *s, const cv_tracked *row, size_t sheet, int round); /* a row of a tracker */

/* A tracker that is a list or has headings (script_list.c); false: there is none. */
bool cv_script_list(cv_script *s, cv_str text, size_t sheet, size_t line, int round);
/* The table as it is written, as background; the report says why. */
void cv_script_keep_table(cv_script *s, const cv_grid *grid, size_t sheet, const char *why);
void cv_script_unread(cv_script *s, const cv_grid *grid, size_t sheet);

void cv_script_keep(cv_script *s, cv_str heading, cv_str text); /* as background */

/* Keys under which a verdict says what was decided: "Recommendation", "Ruling". */
extern const cv_words cv_script_decisions;

/* Does a heading announce how it ended? What is under it is the verdict, unless a better one is there. `alone`: it
 * is kept nowhere else, so the lesser one is kept as background. */
bool cv_script_is_ending(cv_str heading);
void cv_script_ending(cv_script *s, cv_str heading, cv_str text, size_t sheet, size_t line, bool alone);
void cv_script_end_with(cv_script *s, const cv_ending *ending); /* … in the place of any other */

/* "Decision", "Outcome": a heading that announces how it ended where it is behind the rounds. */
bool cv_script_is_closing(cv_str heading);

/* "Interim Verdict", "Minority View", "Dissent": a cv_verdict, or -1. A section with such a verdict is kept for later.
 */
int cv_script_opinion_type(cv_str heading);
bool cv_script_opinion(cv_script *s, cv_str heading, cv_str text, size_t sheet, size_t line, int round);

/* The same for all headings inside a text: each up to the next one that is as high. */
void cv_script_endings(cv_script *s, size_t sheet, cv_str text, size_t line);

void cv_script_decide(cv_script *s, size_t sheet, size_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cv_script_misunderstand(cv_script *s, size_t sheet, size_t line, cv_str text, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
cv_difference *cv_script_differ(cv_script *s, size_t sheet, size_t line, cv_str what);

/* When all is read: joins the pieces of every part, and reads it. */
void cv_script_finish(cv_script *s);

/* The line of the file that a line of somebody's text is; the same for the text as it is read. */
size_t cv_part_line(const cv_import_part *part, size_t line);
size_t cv_part_read_line(const cv_import_part *part, size_t line);

/* ---- readers ----------------------------------------------------------------------------------------------------- */

/* An assembled document (script_doc.c). */
void cv_script_read_doc(cv_script *s, size_t sheet, cv_str text);

/* A pool; the panel of a round, as a list or as {"agents": [...]} (script_pool.c). */
void cv_script_read_pool(cv_script *s, size_t sheet, const cv_json *json);
void cv_script_read_panel(cv_script *s, size_t sheet, int round, const cv_json *json);

/* What create and evolve-panel take: a tier in its one spelling, a number from 0 to 1. What is none becomes the usual
 * one, and *ret_ok says so. */
cv_str cv_tier_or_usual(cv_str tier, bool *ret_ok);
cv_str cv_relevance_or_usual(cv_str relevance, bool *ret_ok);

/* A thematic break at the end parts the text from the next one and belongs to neither. */
cv_str cv_script_without_rule(cv_str text);

#endif
