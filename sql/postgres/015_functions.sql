-- 015_functions.sql - what every write does, as functions: a session plans their statements once, where it plans a
-- statement that is sent each time it is used.
--
-- They say no schema, because a schema that is renamed keeps its functions as they were written: whoever calls them has
-- SET LOCAL search_path before. Nothing else outlives a transaction in a session but those plans, so poolers may give every
-- transaction another one.

-- Locks the scope's row and returns its position. `op`: the op_id of the write that follows; returns the commit that has
-- it. `seen_scope`, `seen_rev`: a commit that was seen before; returns its head. Whoever moves the record to another store
-- holds the table of scopes: the note is there when the wait for that has ended.

CREATE FUNCTION $schema.lock_scope(key uuid, op text, seen_scope uuid, seen_rev bigint, OUT is_there boolean,
    OUT rev bigint, OUT head text, OUT event_count bigint, OUT clock_ms bigint, OUT moved_to text, OUT done_rev bigint,
    OUT done_operation text, OUT done_digest text, OUT done_at text, OUT done_result text, OUT done_head text,
    OUT seen_head text) LANGUAGE plpgsql AS $$
BEGIN
    SELECT s.rev, s.head, s.event_count INTO rev, head, event_count FROM scopes AS s WHERE s.scope = key FOR UPDATE;
    is_there := FOUND;
    clock_ms := date_part('epoch', clock_timestamp()) * 1000;
    SELECT r.position INTO moved_to FROM readers AS r WHERE r.reader = 'moved to';
    IF op IS NOT NULL THEN
        SELECT c.rev, c.operation, c.digest, c.created_at, c.result, c.head
        INTO done_rev, done_operation, done_digest, done_at, done_result, done_head
        FROM commits AS c WHERE c.scope = key AND c.op_id = op;
    END IF;
    IF seen_rev IS NOT NULL THEN
        SELECT c.head INTO seen_head FROM commits AS c WHERE c.scope = seen_scope AND c.rev = seen_rev;
    END IF;
END $$;

-- The same for who has read already and wants to write at once: what comes behind this is not done when the scope is not
-- at that rev with that head, or the record has moved.

CREATE FUNCTION $schema.lock_scope_at(key uuid, read_rev bigint, read_head text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM scopes AS s WHERE s.scope = key AND s.rev = read_rev AND s.head = read_head FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the scope is not at rev % any more', read_rev;
    END IF;
    PERFORM FROM readers AS r WHERE r.reader = 'moved to' AND r.position <> '';
    IF FOUND THEN
        RAISE EXCEPTION 'the record has moved';
    END IF;
END $$;

-- The end of a write: its events (their columns as arrays; empty: no event has one), the scope's new position, the commit.
--
-- The commit's number in the feed is that of its transaction, but never below the one of the scope's commit before: a
-- transaction that waits for the lock may have its number already while one with a higher number takes the lock. Until it
-- has ended no reader of the feed comes as far as its number. Without an era it fails: a scope never moves without its
-- commit.

CREATE FUNCTION $schema.end_write(key uuid, new_rev bigint, new_head text, new_event_count bigint, new_op_id text,
    new_operation text, new_digest text, new_created_at text, new_result text, seqs bigint[], subject_types text[],
    subject_ids text[], event_types text[], steps bigint[], actor_lists text[], agents text[], standings text[],
    reasons text[], result_ids text[], refs text[], datas text[], cover_lists text[], times text[], hashes text[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    newest bigint;
    before xid8;
BEGIN
    INSERT INTO events (scope, rev, seq, subject_type, subject_id, event_type, step, actors, agent, standing, reason,
        result_id, reference, data, covers, created_at, hash)
    SELECT key, new_rev, unnest(seqs), unnest(subject_types), unnest(subject_ids), unnest(event_types), unnest(steps),
        unnest(actor_lists), unnest(agents), unnest(standings), unnest(reasons), unnest(result_ids), unnest(refs),
        unnest(datas), unnest(cover_lists), unnest(times), unnest(hashes);
    UPDATE scopes AS s SET rev = new_rev, head = new_head, event_count = new_event_count WHERE s.scope = key;
    SELECT e.era INTO newest FROM eras AS e ORDER BY e.era DESC LIMIT 1;
    SELECT c.xid INTO before FROM commits AS c WHERE c.scope = key AND c.rev = new_rev - 1 AND c.era = newest;
    INSERT INTO commits (scope, rev, era, xid, op_id, operation, digest, created_at, head, result)
    VALUES (key, new_rev, newest, greatest(pg_current_xact_id(), before), new_op_id, new_operation, new_digest,
        new_created_at, new_head, new_result);
END $$;
