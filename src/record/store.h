/* store.h - where the record is kept: one interface, several engines.
 *
 *     read:   snapshot(dialogue, since_rev)  -> rows at one rev, in a fixed order
 *     write:  commit(op, changes)            -> rev + 1, all or nothing
 *
 * Ids, times, validation, statuses and formats are the caller's business: an engine only stores and returns rows, so
 * all engines give byte-identical exports. The partition is one dialogue; lists and counts across dialogues are a part
 * of their own, and so are the append-only streams of the other rooms.
 *
 * A write names the rev it was computed from (`expect_rev`) and an `op_id`. The engine refuses it with CONFLICT when
 * the dialogue has moved on, and answers REPLAYED with the stored result when the op_id has been committed before. So a
 * caller may always try again: nothing is written twice. Whatever is neither DONE nor REPLAYED comes with an error.
 * Whoever loses again and again takes a turn (`hold`): then nobody comes in between.
 *
 * A handle is for one thread at a time; other handles and processes may use the same store meanwhile. A visitor must
 * not call the store that calls it.
 */
#ifndef CV_RECORD_STORE_H
#define CV_RECORD_STORE_H

#include "base/err.h"
#include "base/stamp.h"
#include "record/records.h"
#include "record/search.h"
#include "record/watermark.h"

typedef struct cv_store cv_store;

/* What became of a write. */
typedef enum {
    CV_STORE_DONE,     /* committed and durable */
    CV_STORE_REPLAYED, /* this op_id was committed before: the stored result is returned */
    CV_STORE_CONFLICT, /* certainly not written: the dialogue is at another rev, or its id is taken */
    CV_STORE_BUSY,     /* certainly not written: others held the store for too long */
    CV_STORE_FAILED,   /* certainly not written: err tells why */
    CV_STORE_UNKNOWN   /* it may or may not be there: ask again with the same op_id */
} cv_store_result;

/* The rows of one write. Rows of DIALOGUE, EXPERT, ROUND, SCORE, RESPONSE and ENTITY that exist are replaced (their key
 * decides); all others are only added: adding one that exists is an error of the caller. The engine sets their `rev`:
 * what stands there is not looked at. */
typedef struct {
    const void *items[CV_REC_COUNT]; /* arrays of the structs, by cv_rec_kind; DIALOGUE: one */
    size_t counts[CV_REC_COUNT];
} cv_changes;

typedef struct {
    cv_str dialogue_id;
    cv_str op_id;
    cv_str op_digest;   /* SHA-256 of the request: the same op_id with another digest is refused, in the same dialogue
                         * and among those writes that make dialogues */
    int64_t expect_rev; /* 0: the dialogue must not exist yet */
    cv_str expect_head; /* of that rev: another history of the same length is refused like another rev; empty: any */
    cv_str now;         /* ISO-8601 */
    cv_str result;      /* JSON that a replay returns */
    cv_str head;        /* the chain's hash after this write */
    int64_t event_count;
    int64_t restored_rev; /* 0: an ordinary write. Else a whole dialogue of another store is put here as it was there:
                             it must not exist yet, its rows keep the revs they carry, and this is the last of them */
} cv_op;

/* A dialogue's position, kept beside its row. */
typedef struct {
    int64_t rev;
    cv_str head; /* hash of the last event */
    int64_t event_count;
    bool restored; /* it was put here from an export, not made here */
} cv_position;

/* What keeps the rows, for people. */
typedef struct {
    cv_str engine;  /* "SQLite 3.40.1" */
    int64_t schema; /* number of the last migration */
} cv_store_about;

#define CV_REC_BIT(kind) (1u << CV_REC_##kind)

typedef struct {
    int64_t since_rev; /* only rows with a higher rev; 0: all */
    uint32_t kinds;    /* CV_REC_BIT(ROUND) | …; 0: all */
    bool no_content;  /* leave ENTITY.content, RESPONSE.content out (absent): for checks that need ids and statuses only
                       */
    uint32_t outline; /* of rows of these kinds the outline is enough (records.h): other fields may be absent */
    const char *letters; /* only ENTITYs of these kinds, like "T"; NULL: of all */
    /* Only what is about these ids, unless there are none: the ENTITY itself (P0101), each ORIGIN that leads to it or
     * is called so (MUFFIN-P0101), each REFERENCE from it or to it (@muffin, too), each EVENT with it as subject. Rows
     * of other kinds come as ever. */
    const cv_str *about;
    size_t about_count;
} cv_wanted;

/* Called for every row; the row and its texts live until the call returns. False ends the walk with the visitor's
 * error. */
typedef bool (*cv_visit)(void *ctx, cv_rec_kind kind, const void *row, cv_err *err);

/* Called for every dialogue of a list with its rev; of its row only the outline is there. As above. */
typedef bool (*cv_list_visit)(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err);

typedef struct {
    cv_str status; /* empty: any */
    cv_str since;  /* created then or later; empty: any time */
    cv_str after;  /* the last id of the page before; empty: from the beginning */
    size_t limit;  /* 0: all */
    bool newest;   /* the newest first, instead of by id; there are no further pages */
} cv_list_query;

/* Which dialogues are counted, and how many experts are told. */
typedef struct {
    cv_str status, since; /* as above */
    size_t experts;       /* 0: all */
} cv_tally_query;

/* How many rows are alike. */
typedef struct {
    cv_rec_kind kind;
    char letter;    /* ENTITY: which kind of them */
    cv_str word;    /* DIALOGUE, ENTITY: the status; VERDICT: its type; SCORE: the expert */
    cv_str detail;  /* VERDICT: the confidence, absent when there is none */
    int64_t count;  /* SCORE: dialogues in which the expert was scored */
    int64_t begun;  /* DIALOGUE: those with a round */
    int64_t rounds; /* DIALOGUE: all their rounds */
    int64_t score;  /* DIALOGUE: all their alignment; SCORE: all the expert's scores */
} cv_tallied;

typedef bool (*cv_tally_visit)(void *ctx, const cv_tallied *tally, cv_err *err);

/* Called for every write; its texts live until the call returns. */
typedef bool (*cv_op_visit)(void *ctx, const cv_op_row *op, cv_err *err);

/* What an engine does. Fallible functions follow the house rule: bool, err last. */
typedef struct {
    cv_str name;
    void (*close)(cv_store *store);

    /* ---- one dialogue ---- */
    bool (*position)(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_position *ret_position, bool *ret_found,
                     cv_err *err);
    bool (*snapshot)(cv_store *store, cv_arena *a, cv_str dialogue_id, const cv_wanted *wanted, cv_visit visit,
                     void *ctx, cv_position *ret_position, bool *ret_found, cv_err *err);
    cv_store_result (*commit)(cv_store *store, cv_arena *a, const cv_op *op, const cv_changes *changes,
                              int64_t *ret_rev, cv_str *ret_result, cv_err *err);
    bool (*op_result)(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_str op_id, int64_t *ret_rev,
                      cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err);
    /* The write that made this rev: its op_id, the digest of its request, what it answered. */
    bool (*op_at)(cv_store *store, cv_arena *a, cv_str dialogue_id, int64_t rev, cv_str *ret_op_id, cv_str *ret_digest,
                  cv_str *ret_result, bool *ret_found, cv_err *err);
    /* Takes the turn to write: until the next commit, or let_go, nobody else writes to the store, so that what this
     * handle reads stays true. DONE, BUSY or FAILED. A turn is for short work: all other writers wait. */
    cv_store_result (*hold)(cv_store *store, cv_err *err);
    void (*let_go)(cv_store *store); /* harmless without a turn */

    /* ---- across dialogues ---- */
    bool (*list)(cv_store *store, cv_arena *a, const cv_list_query *query, cv_list_visit visit, void *ctx, cv_err *err);

    /* Counts of one moment: of dialogues, entities, verdicts and scores, in this order; the words of each in order, but
     * experts by score (the highest first) and then by name. The cost is that of counting, not of reading rows. */
    bool (*tally)(cv_store *store, cv_arena *a, const cv_tally_query *query, cv_tally_visit visit, void *ctx,
                  cv_err *err);

    /* Hits in order, the best first; equals in the order of their keys. The index is brought up to date before. Where
     * that is not possible (the store is busy, or cannot be written) the search sees less: *ret_behind dialogues have
     * been written to since. A query without a wanted term has no hits. */
    bool (*search)(cv_store *store, cv_arena *a, const cv_search_query *query, cv_search_visit visit, void *ctx,
                   size_t *ret_behind, cv_err *err);
    bool (*search_rebuild)(cv_store *store, cv_arena *a, cv_err *err); /* the index from nothing again */

    /* ---- commits ----
     * Every write has a number: 1, 2, 3 … in the order of commits, without gaps. */

    /* All writes by their numbers, or those of one dialogue (`dialogue_id` not empty) by their revs. */
    bool (*ops)(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_op_visit visit, void *ctx, cv_err *err);
    bool (*last_commit)(cv_store *store, cv_commit *ret_commit, cv_err *err);
    /* Has the record the commit that its watermark names (watermark.h)? A record without a watermark has. False:
     * store_regressed. */
    bool (*acknowledged)(cv_store *store, cv_arena *a, cv_watermark_state *ret_state, cv_err *err);
    /* Sets the watermark to the last commit, whatever it was; that commit. A store without a watermark changes nothing.
     */
    bool (*accept)(cv_store *store, cv_arena *a, cv_commit *ret_commit, cv_err *err);

    /* ---- append-only streams: mail, chat, notes ----
     * Numbers begin at 1, have no gaps and follow the order of commits. The same op_id with the same messages is
     * REPLAYED with their first number; an empty op_id is never a replay. `limit` 0: all. A cursor begins at 0 and only
     * moves forward: advancing to a smaller number changes nothing. */
    cv_store_result (*stream_append)(cv_store *store, cv_arena *a, cv_str stream, cv_str op_id, const cv_str *messages,
                                     size_t count, cv_str now, int64_t *ret_first_seq, cv_err *err);
    bool (*stream_read)(cv_store *store, cv_arena *a, cv_str stream, int64_t after, size_t limit,
                        bool (*visit)(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err),
                        void *ctx, cv_err *err);
    bool (*cursor_get)(cv_store *store, cv_str stream, cv_str reader, int64_t *ret_seq, cv_err *err);
    bool (*cursor_advance)(cv_store *store, cv_str stream, cv_str reader, int64_t seq, cv_str now, cv_err *err);

    /* ---- the whole store ---- */
    void (*about)(cv_store *store, cv_arena *a, cv_store_about *ret_about);
    /* Which commit is the last, whoever made it: the same stamp twice, nothing was committed in between. It costs next
     * to nothing, and any thread may ask while the handle is open. False: the engine cannot say. */
    bool (*stamp)(const cv_store *store, cv_stamp *ret_stamp);
    /* The engine's own checks. Nothing is damaged, the schema is the one that this program makes, and tables that no
     * operation writes are empty. The search index has the words of the rows that it has seen; one that has not seen
     * everything yet is sound. */
    bool (*check)(cv_store *store, cv_arena *a, cv_err *err);
    bool (*search_check)(cv_store *store, cv_arena *a, cv_err *err);
    /* A whole, consistent copy, on disk, in a file that is new (then its owner's alone) or empty. */
    bool (*backup)(cv_store *store, const char *path, cv_err *err);
    /* A store of the same kind in memory, to try things on: empty, or with all that this one holds. */
    bool (*scratch)(cv_store *store, cv_arena *a, bool empty, cv_store **ret_store, cv_err *err);
} cv_store_calls;

/* Engines put this first in their own struct. */
struct cv_store {
    const cv_store_calls *calls;
};

/* The embedded engine. `create` makes the file and its schema when it is missing; otherwise that is an error which
 * names `conclave init`. An older schema is migrated, a newer one refused. */
bool cv_sqlite_open(cv_arena *a, const char *path, bool create, cv_store **ret_store, cv_err *err);

/* The record of a project: the same with a watermark beside it, which every commit raises. `create` makes the
 * watermark, too, when it is missing. A record that has less than its watermark says is opened: who uses it asks
 * `acknowledged`. */
bool cv_sqlite_open_marked(cv_arena *a, const char *path, bool create, cv_store **ret_store, cv_err *err);
/* A database that nobody else uses, like a backup: it can be read, and nothing is written in or beside it. */
bool cv_sqlite_open_copy(cv_arena *a, const char *path, cv_store **ret_store, cv_err *err);

/* Can it be read, but not written, or its folder not? */
bool cv_sqlite_is_frozen(cv_arena *a, const char *path);

/* What to do where a record is expected and its file is not there, or empty; whoever finds it says the same. */
cv_str cv_sqlite_missing_advice(cv_arena *a, const char *path);

/* Passes every call on to `inner` and tells `trace` about it: name, dialogue, rows, result. With `fail_at` n > 0 the
 * n-th call fails instead (certainly not written), for tests. */
typedef struct {
    void (*trace)(void *ctx, const char *call, cv_str dialogue_id, size_t rows, cv_store_result result);
    void *ctx;
    size_t fail_at;
    size_t calls; /* how many so far */
} cv_tracing;
cv_store *cv_store_traced(cv_arena *a, cv_store *inner, cv_tracing *tracing);

static inline void cv_store_close(cv_store *store)
{
    if (store)
        store->calls->close(store);
}

#endif
