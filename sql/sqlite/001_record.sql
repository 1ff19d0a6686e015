-- 001_record.sql - the record of any room, first version.
--
-- A scope is what changes together. Its number is the partition: it comes first in every key and index of every table,
-- and nothing is unique across scopes. `rev` is the write that made or last changed a row.
--
-- A room's tables have the columns scope, rev and the fields of their type (src/record/type.h); volatile ones have no
-- rev. The key is (scope, key fields), an index T_NAME is (scope, fields, rest of the key) or, across scopes, (fields,
-- scope, key); where a field of it may be NULL it is for the rows that have it (WHERE … IS NOT NULL). `conclave verify`
-- holds the live schema against the types. Everything is STRICT. Tables with short rows are WITHOUT ROWID; others have
-- their long texts last, so that reading the rest of a row does not touch the pages of the texts.
--
-- Migrations are never edited once released: their checksums are kept in the database and compared when it is opened.

CREATE TABLE schema_migrations (
    version   INT  NOT NULL PRIMARY KEY,
    name      TEXT NOT NULL,
    checksum  TEXT NOT NULL,             -- SHA-256 of the file
    program   TEXT NOT NULL              -- version of the program that applied it
) STRICT, WITHOUT ROWID;

-- ---- scopes and their history -------------------------------------------------------------------------------------

CREATE TABLE scopes (
    number       INTEGER PRIMARY KEY,
    room         TEXT NOT NULL,
    name         TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),      -- the last write,
    head         TEXT NOT NULL,                       --   hash of the last event
    event_count  INT  NOT NULL CHECK (event_count >= 1), --   and its number
    UNIQUE (room, name)
) STRICT;

CREATE TABLE events (
    scope         INT  NOT NULL REFERENCES scopes (number),
    seq           INT  NOT NULL CHECK (seq >= 1),
    rev           INT  NOT NULL CHECK (rev >= 1),
    subject_type  TEXT NOT NULL,
    subject_id    TEXT NOT NULL,
    event_type    TEXT NOT NULL,
    step          INT,                               -- a room's own number
    actors        TEXT,                              -- JSON
    agent         TEXT,
    standing      TEXT CHECK (standing IN ('verified', 'claimed')),
    result_id     TEXT,
    reference     TEXT,
    created_at    TEXT NOT NULL,
    hash          TEXT NOT NULL,
    covers        TEXT NOT NULL,                     -- JSON
    reason        TEXT,
    data          TEXT,                              -- JSON
    PRIMARY KEY (scope, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_subject ON events (scope, subject_id, seq);
CREATE INDEX events_rev ON events (scope, rev, seq);

-- Every write. Rows are never deleted, so the numbers are 1, 2, 3 … in the order of commits: they are the feed.
CREATE TABLE commits (
    number      INTEGER PRIMARY KEY,
    scope       INT  NOT NULL REFERENCES scopes (number),
    rev         INT  NOT NULL CHECK (rev >= 1),
    op_id       TEXT NOT NULL,
    operation   TEXT,                                -- "room verb"
    digest      TEXT,                                -- SHA-256 of the request
    created_at  TEXT NOT NULL,
    head        TEXT NOT NULL,                       -- hash of the last event of the write
    result      TEXT,                                -- what a replay answers, JSON
    UNIQUE (scope, op_id)
) STRICT;
CREATE UNIQUE INDEX commits_rev ON commits (scope, rev);
CREATE INDEX commits_op ON commits (op_id, scope);

-- How far the readers of the feed have come.
CREATE TABLE readers (
    reader    TEXT NOT NULL PRIMARY KEY,
    position  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- ---- nothing is rewritten, nothing goes; only a text can be redacted ----------------------------------------------

CREATE TRIGGER scopes_rev BEFORE UPDATE OF rev ON scopes WHEN new.rev <> old.rev + 1
BEGIN SELECT RAISE(ABORT, 'the rev of a scope rises by one with every write'); END;
CREATE TRIGGER scopes_same BEFORE UPDATE OF number, room, name ON scopes
BEGIN SELECT RAISE(ABORT, 'the name of a scope never changes'); END;

CREATE TRIGGER events_no_update BEFORE UPDATE OF scope, seq, rev, subject_type, subject_id, event_type, step, actors,
    agent, standing, result_id, reference, created_at, hash, covers ON events
BEGIN SELECT RAISE(ABORT, 'events are only added, never changed'); END;
CREATE TRIGGER events_redacted BEFORE UPDATE OF reason, data ON events
WHEN (new.reason IS NOT old.reason AND coalesce(new.reason NOT GLOB '{"redacted_sha256":"*"}', 1))
    OR (new.data IS NOT old.data AND coalesce(new.data NOT GLOB '{"redacted_sha256":"*"}', 1))
BEGIN SELECT RAISE(ABORT, 'events are only added, never changed'); END;

CREATE TRIGGER commits_no_update BEFORE UPDATE OF number, scope, rev, op_id, operation, digest, created_at, head
    ON commits
BEGIN SELECT RAISE(ABORT, 'commits are only added, never changed'); END;
CREATE TRIGGER commits_redacted BEFORE UPDATE OF result ON commits
WHEN coalesce(new.result NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'commits are only added, never changed'); END;

CREATE TRIGGER scopes_no_delete BEFORE DELETE ON scopes
BEGIN SELECT RAISE(ABORT, 'scopes are never deleted'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER commits_no_delete BEFORE DELETE ON commits
BEGIN SELECT RAISE(ABORT, 'commits are never deleted'); END;
CREATE TRIGGER schema_migrations_no_delete BEFORE DELETE ON schema_migrations
BEGIN SELECT RAISE(ABORT, 'schema_migrations are never deleted'); END;

-- ---- search -------------------------------------------------------------------------------------------------------
-- Made from the record and brought up to date from the feed when somebody searches, never when something is written.
-- The texts are kept here as they were indexed: the postings of a text can only be taken back with it.

CREATE TABLE search_texts (
    id        INTEGER PRIMARY KEY,                   -- rowid in search_index
    scope     INT  NOT NULL REFERENCES scopes (number),
    kind      TEXT NOT NULL,
    thing     TEXT NOT NULL,                         -- its id in scope and kind
    ids       TEXT NOT NULL,                         -- further words by which it is found: its own,
    more_ids  TEXT NOT NULL,                         --   and those that other rows give it
    status    TEXT,
    people    TEXT NOT NULL,                         -- JSON list of names
    title     TEXT NOT NULL,
    body      TEXT NOT NULL,
    UNIQUE (scope, kind, thing)
) STRICT;
-- What a search asks of every hit, side by side: without the texts, a hundred of them are on one page.
CREATE INDEX search_things ON search_texts (id, scope, kind, thing, status, people);

CREATE VIRTUAL TABLE search_index USING fts5 (
    ids, title, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Every word of the index at its place, to hold it against the texts.
CREATE VIRTUAL TABLE search_words USING fts5vocab (search_index, instance);
