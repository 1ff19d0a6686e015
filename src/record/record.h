/* record.h - where the record is kept: one interface for every room, several engines.
 *
 *     scope   everything that changes together: (room, name) -> rev, head of the event chain, number of events
 *     type    a table of fields that a room has defined (type.h)
 *
 *     begin(scope)          find … find                 end        one moment of a scope, whatever others write
 *     lock(scope)           find … commit(rows)         [end]      the lock first, then reading, then writing
 *     find(across scopes)   feed   search                          of the whole store
 *
 * An engine stores and returns rows; it knows no room. Ids, times, numbers, hashes, validation and formats are the
 * caller's business, so all engines give byte-identical exports. No write touches two scopes.
 *
 * There are two ways to write. *Locked*: `lock` waits for its turn and returns the position, the room reads the
 * few rows it needs and commits; there is nothing to repeat. *Optimistic*: the room computes from an earlier reading
 * and writes against its rev with cv_record_write(), which refuses with CONFLICT when the scope has moved on. Every
 * write has an op_id: one that was committed before is REPLAYED with the stored result. So a caller may always try
 * again: nothing is written twice. Whatever is neither DONE nor REPLAYED comes with an error.
 *
 * A handle is for one thread at a time; other handles and processes may use the same store meanwhile. A visitor must
 * not call the record that calls it; what it is shown lives until it returns, and false ends the walk with its error.
 */
#ifndef CV_RECORD_RECORD_H
#define CV_RECORD_RECORD_H

#include "record/search.h"
#include "record/type.h"
#include "record/watermark.h"

typedef struct cv_record cv_record;
struct cv_sql_migrations; /* sql.h */

typedef struct {
    cv_str room, name;
} cv_scope_id;

typedef struct {
    int64_t rev;         /* of the last write; 0: there is no such scope yet */
    cv_str head;         /* hash of the last event */
    int64_t event_count; /* the last event's number */
    int64_t clock_ms;    /* what the store's clock showed when it was locked: all who write agree on it. Else 0 */
    cv_str moved_to;     /* where the record went, if it is locked; empty: it is here */
} cv_scope_position;

/* What became of a write. */
typedef enum {
    CV_WRITE_DONE,     /* committed and durable */
    CV_WRITE_REPLAYED, /* this op_id was committed before: the stored result is returned */
    CV_WRITE_CONFLICT, /* certainly not written: the scope is at another rev */
    CV_WRITE_BUSY,     /* certainly not written: others held the store for too long */
    CV_WRITE_FAILED,   /* certainly not written: err says why */
    CV_WRITE_UNKNOWN   /* it may or may not be there: ask again with the same op_id */
} cv_write_result;

/* Rows of one type, side by side. */
typedef struct {
    const cv_type *type;
    const void *rows;
    size_t count;
} cv_rows;

/* The text of one field of a stored row is replaced by what stands for it (hash.h); the row's rev stays. */
typedef struct {
    const cv_type *type;
    const void *row; /* its key */
    const cv_type_field *field;
    cv_str text; /* {"redacted_sha256":"…"} */
} cv_redaction;

/* One write. Rows of a REPLACED type take the place of those with the same key, rows of an ADDED type must be new; the
 * engine sets their rev. With `restored` a whole scope of another store is put here as it was there: the scope must not
 * exist yet, rows keep the revs they carry, `rows` holds the commits too (in the order of their revs), and `commit` is
 * not looked at. */
typedef struct cv_write cv_write;
struct cv_write {
    cv_commit_row commit; /* op_id, operation, digest, created_at, result, head */
    cv_scope_position at; /* after the write; its head is the commit's */
    const cv_rows *rows;  /* events included, in any order; volatile ones are kept with the write, or not at all */
    size_t count;
    uint64_t fresh; /* those of the first 64 of which no row is stored yet, a bit each: they need not be looked for */
    const cv_redaction *redactions;
    size_t redaction_count;
    bool restored;
    bool copied; /* from another store: it may be written to one that the record has left (cv_record_note_moved) */
    /* Computes the rows of the events and the head; until then both are empty. It takes as long as to send everything
     * else, so a store that is far away can work meanwhile. NULL: they are there. */
    void (*finish)(void *ctx, cv_write *write);
    void *finish_ctx;
};

/* Computes what is not there yet. */
static inline void cv_write_finish(cv_write *write)
{
    if (write->finish)
        write->finish(write->finish_ctx, write);
    write->finish = NULL;
}

/* Rows in the order of an index or of the key. Rows given as examples hold the fields that are compared. */
typedef struct {
    const cv_type *type;
    const cv_index *index; /* NULL: the key */
    cv_scope_id scope;     /* of an index across scopes: only the room */
    const void *like;      /* the first `equal` fields of the index (of the key) are those of this row */
    size_t equal;
    const void *after;  /* begin behind this row: index fields and key; NULL: at the first one */
    cv_str after_scope; /* … which is a row of this scope, across scopes */
    int64_t since_rev;  /* only rows with a higher rev. By an index on the rev this costs what is found, by
                         * others what is skipped, too */
    size_t limit;       /* 0: all */
    bool descending;
    bool outline;     /* only KEY and OUTLINE fields and those of the index are wanted: others may be absent */
    uint64_t without; /* fields that are not wanted, a bit each (cv_type_bit); those of the key and the index come */
    bool flat;        /* there may be any number of rows: none is kept when it was seen, even if that takes longer */
} cv_find;

typedef bool (*cv_row_visit)(void *ctx, cv_scope_id scope, const void *row, cv_err *err);

/* A find and who sees its rows. */
typedef struct {
    cv_find find;
    cv_row_visit visit;
    void *ctx;
} cv_lookup;

/* What a request reads (cv_record_look) to write against the position of what it has read. */
typedef struct {
    bool may_be_kept; /* the handle need not ask a store that is far away for rows that it has kept: the write finds out
                       * whether they are still those, and nothing but what became of the write may be answered */
    bool was_kept;    /* set by the engine: some were not asked for */
    bool is_mixed;    /* … and others, which were, are of another position: nothing can be written */
} cv_reading_to_write;

typedef bool (*cv_scope_visit)(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err);

/* One commit, as the feed reports it. */
typedef struct {
    cv_str position; /* opaque; give it back to go on behind this commit */
    cv_scope_id scope;
    int64_t rev;
    cv_str op_id, operation, created_at;
    cv_str head; /* hash of the last event of the write */
} cv_feed_entry;

typedef bool (*cv_feed_visit)(void *ctx, const cv_feed_entry *entry, cv_err *err);

/* Words that are looked for (record/search.h has terms and marks), and which things count. */
typedef struct {
    const cv_search_term *terms; /* at most CV_MAX_QUERY_WORDS words in all */
    size_t count;
    bool any;        /* one of the terms suffices; excluded ones stay excluded */
    cv_str room;     /* empty: all */
    cv_str scope;    /* name, with a room; empty: all */
    cv_str without;  /* JSON list of scopes as "ROOM/NAME"; empty: none */
    cv_str kinds;    /* JSON list of words; empty: all */
    cv_str statuses; /* JSON list; empty: all */
    cv_str person;   /* one of the people; empty: anybody */
    size_t limit, offset;
} cv_word_query;

typedef struct {
    cv_scope_id scope;
    cv_str kind, id, title, body;
    cv_str status; /* absent: it has none */
    cv_str people; /* JSON list */
    double score;  /* above 0, higher is better; comparable within one answer only */
    cv_search_marks in_title, in_body;
} cv_word_hit;

typedef bool (*cv_word_visit)(void *ctx, const cv_word_hit *hit, cv_err *err);

/* What keeps the rows, for people. */
typedef struct {
    cv_str engine;  /* "SQLite 3.40.1" */
    int64_t schema; /* number of the last migration */
    cv_str beyond;  /* what may keep a text after `scrub`, for people; empty: nothing of the engine's */
    cv_str store;   /* which one: handles of one and the same store have the same text now; empty: it is not known */
} cv_record_about;

/* What an engine finds about the place where it keeps the record; the levels are those of kit/doctor.h. */
typedef enum { CV_EXAMINED_OK, CV_EXAMINED_NOTE, CV_EXAMINED_WARNING, CV_EXAMINED_ERROR } cv_examined_level;

typedef struct {
    const char *check; /* "standbys" */
    cv_examined_level level;
    cv_str message;
    cv_str remedy; /* empty: there is nothing to do */
} cv_examined;

typedef void (*cv_examined_visit)(void *ctx, const cv_examined *finding);

/* What an engine does. Fallible functions follow the house rule: bool, err last. */
typedef struct {
    cv_str name;
    void (*close)(cv_record *record);

    /* Is it still the record that is found under its address, and would one that is opened now do no more? A record can
     * be replaced, or become writable, while a handle is open. Asked before every use by who keeps a handle. */
    bool (*is_current)(const cv_record *record);

    /* ---- one scope ----
     * Between begin and end all readings are of one moment. `lock` waits for its turn (CV_ERR_BUSY when it does not
     * come) and nobody else writes until commit or end; at rev 0 the first commit makes the scope. It gets the op_id
     * of the write that follows (empty: not known yet): a store that is far away brings along what the question whether
     * it was done before wants to know. `commit` gets a finished write and ends the transaction, whatever becomes of
     * it; `end` takes back what was not committed and may always be called. Without a write, `commit` keeps what `keep`
     * and `drop` did under the lock: the scope stays where it is. */
    bool (*begin)(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err);
    bool (*lock)(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                 cv_err *err);
    cv_write_result (*commit)(cv_record *record, cv_arena *a, const cv_write *write, cv_err *err);
    /* cv_record_write() in one, of a store that is far away: it is asked once. False: it does not go in one, and
     * nothing was written; then lock and commit decide and say why. NULL: there is no such way. */
    bool (*write)(cv_record *record, cv_scope_id scope, const cv_scope_position *expect, cv_write *write,
                  cv_write_result *ret_result, cv_err *err);
    void (*end)(cv_record *record);

    /* Inside of a transaction its moment is seen, outside of one the present. A scope that does not exist has no
     * rows. */
    bool (*find)(cv_record *record, const cv_find *find, cv_row_visit visit, void *ctx, cv_err *err);
    /* Several, one after the other. A store that is far away is asked once for all of them. */
    bool (*find_all)(cv_record *record, const cv_lookup *lookups, size_t count, cv_err *err);
    /* begin, find_all and end in one, of a store that is far away: it is asked once. Asked by cv_record_look(); NULL:
     * the three are called. */
    bool (*look)(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_lookup *lookups, size_t count,
                 cv_scope_position *ret_at, cv_err *err);

    /* Volatile rows: put by their keys, removed by them. Under a lock they belong to the write; outside of a
     * transaction they are written at once, and a power failure may lose them. The scope must exist. */
    bool (*keep)(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err);
    bool (*drop)(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err);

    /* ---- all scopes ---- */
    /* Those of a room by name, behind `after` (empty: all). limit 0: all. */
    bool (*scopes)(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                   cv_err *err);

    /* Each commit once, in one order that is the same for every reader; behind `after` (empty: from the first). Commits
     * of a scope come by rev. A position that was not made by this store is an error. */
    bool (*feed)(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err);
    /* The position before the last `back` commits; 0: after the newest. Empty: there are no more. */
    bool (*newest)(cv_record *record, cv_arena *a, size_t back, cv_str *ret_position, cv_err *err);

    /* May something have been committed, by anybody, since *seen was set here? Costs a few microseconds. True without a
     * commit is possible, false after one is not, also when another file was put in the place of the record. *seen
     * begins at 0, and is 0 again when the engine cannot say; else the same number means the same record, as long as
     * the handle is open. Any thread may ask. */
    bool (*changed)(cv_record *record, uint64_t *seen);

    /* How far a reader of the feed has come (feed.h); empty: nowhere. It moves on from `from` only: false in *ret_moved
     * when another has moved it meanwhile. Inside of a transaction of the engine's own it belongs to it. */
    bool (*reader_at)(cv_record *record, cv_arena *a, cv_str reader, cv_str *ret_position, cv_err *err);
    bool (*reader_move)(cv_record *record, cv_str reader, cv_str from, cv_str to, bool *ret_moved, cv_err *err);

    /* Nobody else writes to any scope or makes one, and all may read, from `hold` until `release`. This handle is used
     * for nothing but the two calls above meanwhile: with `keep` what they have moved stays. */
    bool (*hold)(cv_record *record, cv_err *err);
    bool (*release)(cv_record *record, bool keep, cv_err *err);

    /* Hits in order, the best first; equals in the order of room, scope, kind, id. The index is brought up to date
     * before. Where that is not possible (the store is busy, or cannot be written) the search sees less: *ret_behind
     * commits have been made since. A query without a wanted term has no hits. */
    bool (*search)(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                   size_t *ret_behind, cv_err *err);
    bool (*search_rebuild)(cv_record *record, cv_arena *a, cv_err *err); /* the index from nothing again */

    /* Has the index the words of the rows that it has seen? One that has not seen everything yet is sound. */
    bool (*search_check)(cv_record *record, cv_arena *a, cv_err *err);

    /* ---- what was acknowledged ----
     * Commits have numbers: 1, 2, 3 … in the order of the feed, without gaps. */
    bool (*last_commit)(cv_record *record, cv_commit *ret_commit, cv_err *err); /* number 0: there is none */
    /* Has the record what was acknowledged here: the commit that its watermark names (watermark.h), or all that the
     * project has seen of a server? One of which nothing is known has. False: store_regressed. */
    bool (*acknowledged)(cv_record *record, cv_arena *a, cv_watermark_state *ret_state, cv_err *err);
    /* No more is expected of the record than it has: the watermark is set to its last commit, what was seen of a server
     * is forgotten. *ret_commit: the last one. */
    bool (*accept)(cv_record *record, cv_arena *a, cv_commit *ret_commit, cv_err *err);

    /* ---- the whole store ---- */
    void (*about)(cv_record *record, cv_arena *a, cv_record_about *ret_about);
    /* Nothing is damaged, the schema is the one that the migrations make and that the types want, and no commit is
     * missing. */
    bool (*check)(cv_record *record, cv_arena *a, cv_err *err);
    /* Who may do what at the place where it is kept, and what can be lost there: settings, copies, people who are in
     * the way. What cannot be looked at is a finding, too. NULL: the place has nothing to say. */
    void (*examine)(cv_record *record, cv_arena *a, cv_examined_visit visit, void *ctx);
    /* A whole copy of all scopes of one moment, on disk, in a file of SQLite that is new (then its owner's alone) or
     * empty. From a server its commits are in another order of the feed. */
    bool (*backup)(cv_record *record, const char *path, cv_err *err);
    /* Nothing of what was replaced or removed is left in the files of the store: they are written again. Where others
     * read an older moment it cannot be done (CV_ERR_BUSY); it can be asked for again at any time. */
    bool (*scrub)(cv_record *record, cv_arena *a, cv_err *err);
    /* A store in memory, to try things on: empty, or with all that this one holds. */
    bool (*scratch)(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err);
} cv_record_calls;

/* What somebody keeps as long as the handle is open, and gives back when it is closed. */
typedef struct cv_record_companion {
    void (*close)(struct cv_record_companion *c); /* also says whose it is */
    struct cv_record_companion *next;
} cv_record_companion;

/* Engines put this first in their own struct. */
struct cv_record {
    const cv_record_calls *calls;
    const cv_types *types;
    cv_record_companion *companions;
    /* What is looked at now is read to write; the caller that sets it takes it back. NULL: for its own sake. */
    cv_reading_to_write *to_write;
};

void cv_record_join(cv_record *record, cv_record_companion *c);
cv_record_companion *cv_record_companion_of(const cv_record *record, void (*close)(cv_record_companion *c));

/* ---- opening ----------------------------------------------------------------------------------------------------- */

typedef enum {
    CV_RECORD_EXISTING, /* a record that is missing or empty is an error which says what to do */
    CV_RECORD_CREATE,   /* … is made, for its owner alone, with a watermark beside it */
    CV_RECORD_COPY      /* a database that nobody else uses, like a backup: it can be read, and nothing is written in
                         * or beside it */
} cv_record_mode;

/* The record in a file of SQLite; store.h opens the record of a project, wherever it is kept. An older schema is
 * migrated, a newer one refused, and so is a database that is not a record. Every commit raises the watermark; a record
 * that has less than its watermark says is opened: its user asks `acknowledged`. One that cannot be written is read
 * without leaving anything behind. `schema`: the migrations of the program, the first of which is 001_record.sql. Types
 * and migrations live as long as the handle. */
bool cv_record_open(cv_arena *a, const char *path, cv_record_mode mode, const cv_types *types,
                    const struct cv_sql_migrations *schema, cv_record **ret_record, cv_err *err);

/* The same in memory, empty: to try things on. */
bool cv_record_open_memory(cv_arena *a, const cv_types *types, const struct cv_sql_migrations *schema,
                           cv_record **ret_record, cv_err *err);

void cv_record_close(cv_record *record); /* NULL is fine */

/* Passes every call on to `inner` and tells `trace` about it. With `fail_at` n > 0 the n-th call that can fail does so
 * instead (certainly not written), for tests. Closing it closes `inner`. */
typedef struct {
    void (*trace)(void *ctx, const char *call, cv_scope_id scope, size_t rows, cv_write_result result);
    void *ctx;
    size_t fail_at;
    size_t calls; /* how many so far */
} cv_record_tracing;
cv_record *cv_record_traced(cv_arena *a, cv_record *inner, cv_record_tracing *tracing);

/* ---- above the engines ------------------------------------------------------------------------------------------- */

/* For engines: is the write one that the caller may ask for, of a scope that is here now? Its own mistakes are reported
 * before anything is tried. */
bool cv_record_check_write(const cv_scope_position *at, const cv_write *write, cv_err *err);

/* For engines: volatile rows are kept in a scope that there is. Always false. */
bool cv_record_no_scope(cv_scope_id scope, cv_err *err);

/* For engines: `find_all` of a store that is near. */
bool cv_record_find_each(cv_record *record, const cv_lookup *lookups, size_t count, cv_err *err);

/* Where a scope is, and rows of it, all of one moment. A scope that does not exist (rev 0) has no rows. */
bool cv_record_look(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_lookup *lookups, size_t count,
                    cv_scope_position *ret_at, cv_err *err);

/* Scopes with their positions, in the arena: those of a room, or (empty) of all rooms in the order of the types; each
 * room's by name. */
typedef struct {
    cv_scope_id scope;
    cv_scope_position at;
} cv_scope_place;

typedef struct {
    cv_arena *arena;
    cv_scope_place *items;
    size_t count, capacity;
} cv_scope_list;

bool cv_record_scopes(cv_record *record, cv_arena *a, cv_str room, cv_scope_list *ret_list, cv_err *err);

/* Where the record went when it was moved to another store, for people; empty: it is here. Noted while it is held: a
 * write that waited meanwhile is refused (record_moved), so nothing is written that nobody would look for any more. */
bool cv_record_moved_to(cv_record *record, cv_arena *a, cv_str *ret_to, cv_err *err);
bool cv_record_note_moved(cv_record *held, cv_arena *a, cv_str to, cv_err *err);

/* A commit by its op_id. ret_row is copied to the arena. */
bool cv_record_op(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_commit_row *ret_row,
                  bool *ret_found, cv_err *err);

/* The commit that made this rev, the same way. */
bool cv_record_commit_at(cv_record *record, cv_arena *a, cv_scope_id scope, int64_t rev, cv_commit_row *ret_row,
                         bool *ret_found, cv_err *err);

/* The scope of a room that was made by this op_id; *ret_found false: none was. */
bool cv_record_op_first(cv_record *record, cv_arena *a, cv_str room, cv_str op_id, cv_str *ret_scope,
                        cv_commit_row *ret_row, bool *ret_found, cv_err *err);

/* Decides whether a write was done before, inside of its transaction: DONE means no, go on. REPLAYED fills *ret_row;
 * FAILED: the op_id was used for another request (op_id_conflict), here or, at rev 0, to make another scope; or the
 * record could not be read, which may be BUSY, too. */
cv_write_result cv_record_replayed(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_scope_position *at,
                                   cv_str op_id, cv_str digest, cv_commit_row *ret_row, cv_err *err);

/* The optimistic write: lock, has it been done, is the scope where it was read, commit. `expect`: the position that was
 * read; another history of the same length is refused like another rev, unless its head is empty. *ret_row is the
 * stored commit: this one, or that of the first time. */
cv_write_result cv_record_write(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_scope_position *expect,
                                cv_write *write, cv_commit_row *ret_row, cv_err *err);

/* Rows that a find visits, each copied into the arena. cv_row_list_add is the visitor, cv_record_rows the whole find.
 */
typedef struct {
    cv_arena *arena;
    const cv_type *type;
    void **items;
    size_t count, capacity;
} cv_row_list;
bool cv_row_list_add(void *list, cv_scope_id scope, const void *row, cv_err *err);
bool cv_record_rows(cv_record *record, cv_arena *a, const cv_find *find, cv_row_list *ret_list, cv_err *err);

/* The first row of a find, with its texts in the arena; *ret_found false: there is none, and *ret_row stays. */
bool cv_record_first(cv_record *record, cv_arena *a, const cv_find *find, void *ret_row, bool *ret_found, cv_err *err);

/* Is there a row with the key of *row? Then *row is it, with its texts in the arena. */
bool cv_record_get(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_type *type, void *row, bool *ret_found,
                   cv_err *err);

#endif
