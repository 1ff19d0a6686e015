-- 001_record.sql - the record of any room, first version.
--
-- A scope is what changes together. Its key (16 bytes of the SHA-256 of room and name) is the partition: it comes first in
-- every key and index of every table, and nothing is unique across scopes. No table refers to another: `conclave verify`
-- finds rows without a scope. `rev` is the write that made or last changed a row.
--
-- A room's tables have the columns scope, rev and the fields of their type (src/record/type.h); volatile ones have no
-- rev. The key is (scope, key fields), an index T_NAME is (scope, fields, rest of the key) or, across scopes, (fields,
-- scope, key); where a field of it may be NULL it is for the rows that have it (WHERE … IS NOT NULL). An index by the rev of
-- rows that are not searched is not made: it would cost every write more than it saves those few who read what is new.
-- `conclave verify` holds the live schema against the types. Texts are ordered by their bytes, whatever the server's language is.
--
-- $schema is the schema of the address; every name says it, for the session has no search_path of ours. Where a table has
-- the comment partitioned it is made in parts, if the address asks for that.
--
-- Migrations are never edited once released: their checksums are kept in the database and compared when it is opened.

CREATE TABLE $schema.schema_migrations (
    version   bigint NOT NULL PRIMARY KEY,
    name      text COLLATE "C" NOT NULL,
    checksum  text COLLATE "C" NOT NULL,                 -- SHA-256 of the file
    program   text COLLATE "C" NOT NULL                  -- version of the program that applied it
);

-- ---- scopes and their history -------------------------------------------------------------------------------------

-- Whoever writes locks this row first. With rev 0 it is only there to be locked: the scope does not exist yet.
CREATE TABLE $schema.scopes (
    scope        uuid NOT NULL PRIMARY KEY,
    room         text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 0),       -- the last write,
    head         text COLLATE "C" NOT NULL,              --   hash of the last event
    event_count  bigint NOT NULL CHECK (event_count >= 0) --   and its number
) /*partitioned*/;
CREATE INDEX scopes_name ON $schema.scopes (room, name);

CREATE TABLE $schema.events (
    scope         uuid NOT NULL,
    seq           bigint NOT NULL CHECK (seq >= 1),
    rev           bigint NOT NULL CHECK (rev >= 1),
    subject_type  text COLLATE "C" NOT NULL,
    subject_id    text COLLATE "C" NOT NULL,
    event_type    text COLLATE "C" NOT NULL,
    step          bigint,                                -- a room's own number
    actors        text COLLATE "C",                      -- JSON
    agent         text COLLATE "C",
    standing      text COLLATE "C" CHECK (standing IN ('verified', 'claimed')),
    result_id     text COLLATE "C",
    reference     text COLLATE "C",
    created_at    text COLLATE "C" NOT NULL,
    hash          text COLLATE "C" NOT NULL,
    covers        text COLLATE "C" NOT NULL,             -- JSON
    reason        text COLLATE "C",
    data          text COLLATE "C",                      -- JSON
    PRIMARY KEY (scope, seq)
) /*partitioned*/;
CREATE INDEX events_subject ON $schema.events (scope, subject_id, seq);

-- Every write. `xid` is the transaction that made it, or that of the scope's commit before, if that one is higher. Below
-- the oldest transaction that is still open nothing is added any more, so (era, xid, rev) is an order that is the same for
-- every reader: the feed. An era ends when the tables come to another
-- server, whose transactions have other numbers.
CREATE TABLE $schema.commits (
    scope       uuid NOT NULL,
    rev         bigint NOT NULL CHECK (rev >= 1),
    op_id       text COLLATE "C" NOT NULL,
    operation   text COLLATE "C",                        -- "room verb"
    digest      text COLLATE "C",                        -- SHA-256 of the request
    created_at  text COLLATE "C" NOT NULL,
    head        text COLLATE "C" NOT NULL,               -- hash of the last event of the write
    result      text COLLATE "C",                        -- what a replay answers, JSON
    era         bigint NOT NULL CHECK (era >= 1),
    xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (scope, op_id)
) /*partitioned*/;
CREATE UNIQUE INDEX commits_rev ON $schema.commits (scope, rev);
CREATE INDEX commits_op ON $schema.commits (op_id, scope);
CREATE INDEX commits_feed ON $schema.commits (era, xid, rev);

CREATE TABLE $schema.eras (
    era       bigint NOT NULL PRIMARY KEY,
    began_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO $schema.eras (era) VALUES (1);

-- How far the readers of the feed have come.
CREATE TABLE $schema.readers (
    reader    text COLLATE "C" NOT NULL PRIMARY KEY,
    position  text COLLATE "C" NOT NULL
);

-- ---- nothing is rewritten, nothing goes; only a text can be redacted ----------------------------------------------

CREATE FUNCTION $schema.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0];
END $$;

-- What stands for a text that was redacted: {"redacted_sha256":"…"}
CREATE FUNCTION $schema.is_redaction(x text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(starts_with(x, '{"redacted_sha256":"') AND right(x, 2) = '"}' AND length(x) >= 22, false)
$$;

CREATE TRIGGER scopes_rev BEFORE UPDATE OF rev ON $schema.scopes FOR EACH ROW
WHEN (new.rev <> old.rev + 1 AND old.rev <> 0)
EXECUTE FUNCTION $schema.refuse_change('the rev of a scope rises by one with every write');
CREATE TRIGGER scopes_same BEFORE UPDATE OF scope, room, name ON $schema.scopes FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('the name of a scope never changes');

CREATE TRIGGER events_no_update BEFORE UPDATE OF scope, seq, rev, subject_type, subject_id, event_type, step, actors,
    agent, standing, result_id, reference, created_at, hash, covers ON $schema.events FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('events are only added, never changed');
CREATE TRIGGER events_redacted BEFORE UPDATE OF reason, data ON $schema.events FOR EACH ROW
WHEN ((new.reason IS DISTINCT FROM old.reason AND NOT $schema.is_redaction(new.reason))
    OR (new.data IS DISTINCT FROM old.data AND NOT $schema.is_redaction(new.data)))
EXECUTE FUNCTION $schema.refuse_change('events are only added, never changed');

CREATE TRIGGER commits_no_update BEFORE UPDATE OF scope, rev, op_id, operation, digest, created_at, head, era,
    xid ON $schema.commits FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('commits are only added, never changed');
CREATE TRIGGER commits_redacted BEFORE UPDATE OF result ON $schema.commits FOR EACH ROW
WHEN (NOT $schema.is_redaction(new.result))
EXECUTE FUNCTION $schema.refuse_change('commits are only added, never changed');

CREATE TRIGGER scopes_no_delete BEFORE DELETE ON $schema.scopes FOR EACH ROW WHEN (old.rev > 0)
EXECUTE FUNCTION $schema.refuse_change('scopes are never deleted');
CREATE TRIGGER events_no_delete BEFORE DELETE ON $schema.events FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('events are never deleted');
CREATE TRIGGER commits_no_delete BEFORE DELETE ON $schema.commits FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('commits are never deleted');
CREATE TRIGGER schema_migrations_no_delete BEFORE DELETE ON $schema.schema_migrations FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('schema_migrations are never deleted');

-- ---- search -------------------------------------------------------------------------------------------------------
-- Made from the record and brought up to date from the feed when somebody searches, never when something is written. The
-- words are made by the program, as for every other store, so no dictionary of the server has a say in what is found.

CREATE TABLE $schema.search_texts (
    scope     uuid NOT NULL,
    kind      text COLLATE "C" NOT NULL,
    thing     text COLLATE "C" NOT NULL,                 -- its id in scope and kind
    ids       text COLLATE "C" NOT NULL,                 -- further words by which it is found: its own,
    more_ids  text COLLATE "C" NOT NULL,                 --   and those that other rows give it
    status    text COLLATE "C",
    people    text COLLATE "C" NOT NULL,                 -- JSON list of names
    title     text COLLATE "C" NOT NULL,
    body      text COLLATE "C" NOT NULL,
    words     tsvector NOT NULL,
    PRIMARY KEY (scope, kind, thing)
) /*partitioned*/;
CREATE INDEX search_words ON $schema.search_texts USING gin (words);

-- ---- answers are kept as they are: to compress them would take longer than to write them --------------------------------

ALTER TABLE $schema.commits ALTER COLUMN result SET STORAGE EXTERNAL;

-- ---- long texts leave no samples in the server's statistics, where nobody could redact them ----------------------------

ALTER TABLE $schema.events ALTER COLUMN reason SET STATISTICS 0;
ALTER TABLE $schema.events ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE $schema.commits ALTER COLUMN result SET STATISTICS 0;
ALTER TABLE $schema.search_texts ALTER COLUMN title SET STATISTICS 0;
ALTER TABLE $schema.search_texts ALTER COLUMN body SET STATISTICS 0;
