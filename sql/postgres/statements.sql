-- statements.sql - the statements of the record in PostgreSQL, by name.
--
--     -- name: scope         the text up to the next name is the statement "scope"
--
-- $schema is the schema of the address. Parameters are $1, $2 …; where one is neither text nor bigint it is cast.

-- ---- transactions -------------------------------------------------------------------------------------------------

-- name: begin_read
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: begin_write
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE

-- For this transaction only: how long it waits for a lock, and how long it may stand still. The server needs no plan for
-- them, as it would for one SELECT of both.

-- name: lock_timeout
SET LOCAL lock_timeout = $ms

-- name: idle_timeout
SET LOCAL idle_in_transaction_session_timeout = $ms

-- For the functions, which say no schema.

-- name: search_path
SET LOCAL search_path = $schema, pg_temp

-- name: may_be_lost
SET LOCAL synchronous_commit = off

-- name: commit
COMMIT

-- name: rollback
ROLLBACK

-- name: begin_migration
BEGIN ISOLATION LEVEL READ COMMITTED

-- name: migration_wait
SET LOCAL lock_timeout = '60s'

-- ---- made for every type ------------------------------------------------------------------------------------------
-- The engine puts names and parameters in the place of the words that begin with $ (src/record/postgres/statements.c).

-- name: put_added
INSERT INTO $schema.$table (scope, rev, $fields) SELECT $1, $2, $columns

-- name: put_replaced
INSERT INTO $schema.$table (scope, rev, $fields) SELECT $1, $2, $columns
ON CONFLICT (scope, $keys) DO UPDATE SET rev = excluded.rev$updates

-- The same for many rows. ON CONFLICT would look twice for every row, in case that somebody else puts it at this moment;
-- the scope is locked, so nobody does.

-- name: put_many_replaced
WITH given ($fields) AS (SELECT $columns),
    changed AS (UPDATE $schema.$table AS t SET rev = $2$changes FROM given WHERE t.scope = $1 AND $same RETURNING $named)
INSERT INTO $schema.$table (scope, rev, $fields) SELECT $1, $2, * FROM given
WHERE NOT EXISTS (SELECT 1 FROM changed AS t WHERE $same)

-- Each with its own rev, as they were in another store.

-- name: put_restored
INSERT INTO $schema.$table (scope, rev, $fields) SELECT $1, * FROM unnest($2::bigint[], $arrays)

-- name: put_restored_commit
INSERT INTO $schema.commits (scope, era, rev, $fields)
SELECT $1, (SELECT max(era) FROM $schema.eras), * FROM unnest($2::bigint[], $arrays)

-- Of rows with the same key the last one counts. Only where there is such a scope. No field has a name with a blank.

-- name: put_volatile
INSERT INTO $schema.$table (scope, $fields)
SELECT DISTINCT ON ($keys) $1::uuid, $fields FROM unnest($arrays) WITH ORDINALITY AS r ($fields, "put as")
WHERE EXISTS (SELECT 1 FROM $schema.scopes WHERE scope = $1 AND rev > 0)
ORDER BY $keys, "put as" DESC
ON CONFLICT (scope, $keys) DO UPDATE SET scope = excluded.scope$updates

-- name: remove
DELETE FROM $schema.$table WHERE (scope, $keys) = ($1, $values)

-- name: redact
UPDATE $schema.$table SET $field = $2 WHERE (scope, $keys) = ($1, $values)

-- A scope that is not of this room, or that is not there, and has rows of this type.

-- name: strays
SELECT s.room, s.name, t.scope FROM $schema.$table AS t LEFT JOIN $schema.scopes AS s ON s.scope = t.scope AND s.rev > 0
WHERE s.room IS DISTINCT FROM $1 LIMIT 1

-- Rows in the order of an index (src/record/postgres/find.c); across scopes those of a room.

-- name: find
SELECT $columns FROM $schema.$table AS t WHERE t.scope = $1$conditions ORDER BY $order LIMIT $limit

-- The condition that keeps a find of the events of one rev from reading all events: revs rise with the numbers of the
-- events, so the first and the last one are found by halving.

-- name: find_in_rev
 AND t.seq >= (WITH RECURSIVE halves (low, high) AS (SELECT 1::bigint, event_count FROM $schema.scopes WHERE scope = $1
    UNION ALL SELECT CASE WHEN e.rev < $2 THEN e.seq + 1 ELSE low END, CASE WHEN e.rev < $2 THEN high ELSE e.seq END
    FROM halves JOIN $schema.events AS e ON e.scope = $1 AND e.seq = (low + high) / 2 WHERE low < high)
    SELECT max(low) FROM halves)
 AND t.seq <= (WITH RECURSIVE halves (low, high) AS (SELECT 1::bigint, event_count FROM $schema.scopes WHERE scope = $1
    UNION ALL SELECT CASE WHEN e.rev <= $2 THEN e.seq + 1 ELSE low END, CASE WHEN e.rev <= $2 THEN high ELSE e.seq END
    FROM halves JOIN $schema.events AS e ON e.scope = $1 AND e.seq = (low + high) / 2 WHERE low < high)
    SELECT min(high) FROM halves)

-- name: find_across
SELECT $columns, s.name FROM $schema.$table AS t JOIN $schema.scopes AS s ON s.scope = t.scope
WHERE s.room = $1$conditions ORDER BY $order LIMIT $limit

-- ---- scopes, commits, the feed ------------------------------------------------------------------------------------

-- name: scope
SELECT rev, head, event_count FROM $schema.scopes WHERE scope = $1

-- What every write does is in functions (015_functions.sql).

-- name: scope_lock
SELECT * FROM $schema.lock_scope($1, $2, $3, $4)

-- name: scope_lock_at
SELECT $schema.lock_scope_at($1, $2, $3)

-- name: write_end
SELECT $schema.end_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
    $22, $23, $24)

-- name: scope_there
SELECT 1 FROM $schema.scopes WHERE scope = $1 AND rev > 0

-- Something to lock; where there is a row already nothing is written.

-- name: scope_add
INSERT INTO $schema.scopes (scope, room, name, rev, head, event_count) SELECT $1, $2, $3, 0, '', 0
WHERE NOT EXISTS (SELECT 1 FROM $schema.scopes WHERE scope = $1) ON CONFLICT (scope) DO NOTHING

-- name: scope_move
UPDATE $schema.scopes SET rev = $2, head = $3, event_count = $4 WHERE scope = $1

-- name: scopes
SELECT name, rev, head, event_count FROM $schema.scopes WHERE room = $1 AND name > $2 AND rev > 0 ORDER BY name LIMIT $3

-- name: scope_rooms
SELECT room, min(name) FROM $schema.scopes WHERE rev > 0 GROUP BY room ORDER BY room

-- name: commit_head
SELECT head FROM $schema.commits WHERE scope = $1 AND rev = $2

-- name: commit_first_by_op
SELECT c.rev, c.operation, c.digest, c.created_at, c.result, c.head, s.name
FROM $schema.commits AS c JOIN $schema.scopes AS s ON s.scope = c.scope
WHERE s.room = $1 AND c.op_id = $2 AND c.rev = 1 ORDER BY c.scope LIMIT 1

-- A commit is in the feed when nothing can come before it any more: all transactions with a smaller number have ended.

-- name: feed_at
SELECT head FROM $schema.commits WHERE (era, xid, rev) = ($1, $2::text::xid8, $3)

-- name: feed
SELECT c.era, c.xid::text, c.rev, c.head, s.room, s.name, c.op_id, c.operation, c.created_at
FROM $schema.commits AS c JOIN $schema.scopes AS s ON s.scope = c.scope
WHERE (c.era, c.xid, c.rev) > ($1, $2::text::xid8, $3)
    AND (c.era < (SELECT max(era) FROM $schema.eras) OR c.xid < pg_snapshot_xmin(pg_current_snapshot()))
ORDER BY c.era, c.xid, c.rev LIMIT $4

-- name: feed_last
SELECT c.era, c.xid::text, c.rev, c.head FROM $schema.commits AS c
WHERE c.era < (SELECT max(era) FROM $schema.eras) OR c.xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY c.era DESC, c.xid DESC, c.rev DESC LIMIT 1 OFFSET $1

-- name: feed_count
SELECT count(*) FROM $schema.commits AS c
WHERE c.era < (SELECT max(era) FROM $schema.eras) OR c.xid < pg_snapshot_xmin(pg_current_snapshot())

-- Commits that this server cannot have made: its transactions have not come to their numbers. The tables came from another
-- one, and what is written now belongs to a new era.

-- name: era_is_over
SELECT 1 FROM $schema.commits
WHERE era = (SELECT max(era) FROM $schema.eras) AND xid >= pg_snapshot_xmax(pg_current_snapshot()) LIMIT 1

-- name: era_add
INSERT INTO $schema.eras (era) SELECT max(era) + 1 FROM $schema.eras
WHERE EXISTS (SELECT 1 FROM $schema.commits
    WHERE era = (SELECT max(era) FROM $schema.eras) AND xid >= pg_snapshot_xmax(pg_current_snapshot()))
ON CONFLICT (era) DO NOTHING

-- A commit behind which one of the same scope with the next rev stands in the feed; a scope whose commits are not all its
-- revs.

-- name: commit_order
SELECT s.room, s.name, c.rev FROM $schema.commits AS c
JOIN $schema.commits AS d ON d.scope = c.scope AND d.rev = c.rev + 1
LEFT JOIN $schema.scopes AS s ON s.scope = c.scope
WHERE (d.era, d.xid, d.rev) < (c.era, c.xid, c.rev) LIMIT 1

-- name: commit_gap
SELECT s.room, s.name, s.rev FROM $schema.scopes AS s
LEFT JOIN (SELECT scope, count(*) AS commits FROM $schema.commits GROUP BY scope) AS c ON c.scope = s.scope
WHERE s.rev <> coalesce(c.commits, 0) LIMIT 1

-- name: commit_strays
SELECT c.op_id FROM $schema.commits AS c
WHERE NOT EXISTS (SELECT 1 FROM $schema.scopes AS s WHERE s.scope = c.scope AND s.rev > 0) LIMIT 1

-- Those of a list of revs and heads that are not there.

-- name: seen_missing
SELECT m.scope::text, m.rev, s.room, s.name, s.rev FROM unnest($1::text[], $2::bigint[], $3::text[]) AS m (scope, rev, head)
LEFT JOIN $schema.scopes AS s ON s.scope = m.scope::uuid
WHERE NOT EXISTS (SELECT 1 FROM $schema.commits AS c
    WHERE c.scope = m.scope::uuid AND c.rev = m.rev AND c.head = m.head)
ORDER BY m.scope LIMIT 1

-- name: reader
SELECT position FROM $schema.readers WHERE reader = $1

-- name: reader_add
INSERT INTO $schema.readers (reader, position) VALUES ($1, $3)
ON CONFLICT (reader) DO UPDATE SET position = $3 WHERE readers.position = '' AND $2 = ''

-- name: reader_move
UPDATE $schema.readers SET position = $3 WHERE reader = $1 AND position = $2

-- ---- search -------------------------------------------------------------------------------------------------------

-- Something to lock: whoever indexes or redacts is alone.

-- name: reader_there
INSERT INTO $schema.readers (reader, position) SELECT $1, ''
WHERE NOT EXISTS (SELECT 1 FROM $schema.readers WHERE reader = $1) ON CONFLICT (reader) DO NOTHING

-- name: reader_lock
SELECT position FROM $schema.readers WHERE reader = $1 FOR UPDATE

-- name: search_known
SELECT k.place, t.ids, t.more_ids, t.title, t.body, t.status, t.people
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k (scope, kind, thing, place)
JOIN $schema.search_texts AS t ON t.scope = k.scope::uuid AND t.kind = k.kind AND t.thing = k.thing

-- name: search_put
INSERT INTO $schema.search_texts (scope, kind, thing, ids, more_ids, status, people, title, body, words)
SELECT n.scope::uuid, n.kind, n.thing, n.ids, n.more_ids, n.status, n.people, n.title, n.body, n.words::tsvector
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[]) AS n (scope, kind, thing, ids, more_ids, status, people, title, body, words)
ON CONFLICT (scope, kind, thing) DO UPDATE SET ids = excluded.ids, more_ids = excluded.more_ids,
    status = excluded.status, people = excluded.people, title = excluded.title, body = excluded.body,
    words = excluded.words

-- name: search_clear_texts
DELETE FROM $schema.search_texts

-- name: search_clear_reader
UPDATE $schema.readers SET position = '' WHERE reader = $1

-- Is the reader's position one of the feed; is there more in the feed; how many commits are behind it, in the feed or not
-- yet?

-- name: search_progress
WITH at AS (
    SELECT position, split_part(position, '.', 1)::bigint AS era, split_part(position, '.', 2)::xid8 AS xid,
        split_part(split_part(position, '-', 1), '.', 3)::bigint AS rev, split_part(position, '-', 2) AS head
    FROM (SELECT coalesce(nullif((SELECT position FROM $schema.readers WHERE reader = $1), ''), '0.0.0-')) AS r (position))
SELECT at.position = '0.0.0-' OR EXISTS (SELECT 1 FROM $schema.commits AS c
        WHERE (c.era, c.xid, c.rev) = (at.era, at.xid, at.rev) AND left(c.head, 12) = at.head),
    EXISTS (SELECT 1 FROM $schema.commits AS c WHERE (c.era, c.xid, c.rev) > (at.era, at.xid, at.rev)
        AND (c.era < (SELECT max(era) FROM $schema.eras) OR c.xid < pg_snapshot_xmin(pg_current_snapshot()))),
    (SELECT count(*) FROM $schema.commits AS c WHERE (c.era, c.xid, c.rev) > (at.era, at.xid, at.rev))
FROM at

-- An id weighs more than any number of words, a title as much as four words of a body; a word counts less the more texts
-- have it, and the longer the text is. Equals stand in the order of their names, so that the same record always gives the
-- same order.

-- name: search
WITH terms AS MATERIALIZED (
    SELECT e.query, CASE WHEN cardinality($10::text[]) > 1
        THEN 1 / ln(2 + (SELECT count(*) FROM $schema.search_texts AS t WHERE t.words @@ e.query)) ELSE 1 END AS weight
    FROM (SELECT one::tsquery FROM unnest($10::text[]) AS one) AS e (query))
SELECT s.room, s.name, t.kind, t.thing,
    0.000001 + CASE WHEN t.words @@ $2::tsquery THEN 10000 ELSE 0 END
        + (SELECT sum(r.weight * ts_rank('{0.25, 0.25, 1, 1}', t.words, r.query, 1)) FROM terms AS r) AS score,
    t.title, t.body, t.status, t.people, t.ids, t.more_ids, t.words @@ $3::tsquery
FROM $schema.search_texts AS t JOIN $schema.scopes AS s ON s.scope = t.scope
WHERE t.words @@ $1::tsquery
    AND ($4::text IS NULL OR s.room = $4)
    AND ($5::text IS NULL OR s.name = $5)
    AND ($6::text IS NULL OR s.room || '/' || s.name NOT IN (SELECT json_array_elements_text($6::json)))
    AND ($7::text IS NULL OR t.kind IN (SELECT json_array_elements_text($7::json)))
    AND ($8::text IS NULL OR t.status IN (SELECT json_array_elements_text($8::json)))
    AND ($9::text IS NULL OR position($9 IN t.people) > 0)
ORDER BY score DESC, s.room, s.name, t.kind, t.thing LIMIT $11 OFFSET $12

-- The texts of a scope, in the order of kind and thing; the rev of a scope at a position.

-- name: search_texts_of
SELECT kind, thing, ids, more_ids, title, body, status, people FROM $schema.search_texts WHERE scope = $1
ORDER BY kind, thing

-- name: search_seen_rev
SELECT coalesce(max(rev), 0) FROM $schema.commits
WHERE scope = $1 AND (era, xid, rev) <= (split_part($2, '.', 1)::bigint, split_part($2, '.', 2)::xid8,
    split_part(split_part($2, '-', 1), '.', 3)::bigint)

-- All texts, some at a time; those whose words are not these; those that belong to no scope.

-- name: search_texts_behind
SELECT scope, kind, thing, ids, more_ids, title, body FROM $schema.search_texts
WHERE (scope, kind, thing) > ($1::uuid, $2, $3) ORDER BY scope, kind, thing LIMIT $4

-- name: search_other_words
SELECT t.kind, t.thing, 'other words of' FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    AS n (scope, kind, thing, words)
JOIN $schema.search_texts AS t ON t.scope = n.scope::uuid AND t.kind = n.kind AND t.thing = n.thing
WHERE t.words <> n.words::tsvector LIMIT 1

-- name: search_strays
SELECT t.kind, t.thing, 'without a scope' FROM $schema.search_texts AS t
WHERE NOT EXISTS (SELECT 1 FROM $schema.scopes AS s WHERE s.scope = t.scope AND s.rev > 0) LIMIT 1

-- ---- the whole store ----------------------------------------------------------------------------------------------

-- Who may write the tables anew, and the number that the next transaction gets.

-- name: scrub_look
SELECT count(*) FILTER (WHERE NOT pg_catalog.pg_has_role(c.relowner, 'USAGE') AND NOT pg_catalog.pg_has_role(d.datdba, 'USAGE')),
    min(pg_catalog.pg_get_userbyid(c.relowner)::text), pg_snapshot_xmax(pg_current_snapshot())::text, min(current_user::text)
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_database AS d ON d.datname = pg_catalog.current_database()
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')

-- Whoever may still read what was replaced before that number: a table that is written anew keeps it for them.

-- name: scrub_readers
SELECT who FROM (
    SELECT 'process ' || pid AS who, backend_xmin AS number FROM pg_catalog.pg_stat_activity
    WHERE pid <> pg_catalog.pg_backend_pid() AND (datname = pg_catalog.current_database() OR backend_type = 'walsender')
        AND pid NOT IN (SELECT v.pid FROM pg_catalog.pg_stat_progress_vacuum AS v)
    UNION ALL
    SELECT 'process ' || pid, backend_xid FROM pg_catalog.pg_stat_activity
    WHERE pid <> pg_catalog.pg_backend_pid() AND datname = pg_catalog.current_database()
    UNION ALL
    SELECT 'the prepared transaction ' || quote_literal(gid), transaction FROM pg_catalog.pg_prepared_xacts
    WHERE database = pg_catalog.current_database()
    UNION ALL
    SELECT 'the replication slot ' || slot_name, xmin FROM pg_catalog.pg_replication_slots
) AS readers WHERE number IS NOT NULL AND age(number) > age($1::text::xid8::xid) ORDER BY age(number) DESC LIMIT 1

-- Nobody stands in the way now.

-- name: scrub_free
LOCK TABLE $schema.$table IN ACCESS EXCLUSIVE MODE

-- name: vacuum
VACUUM (FULL) $schema.$table

-- ---- a backup in the place of the record ------------------------------------------------------------------------------
-- $restoring is the schema that is filled from the backup, $kept the name that the present one gets.

-- What there is, and what we may do: the schema, our table in it, the table that is locked, things in it, its parts; who
-- we are, whose it is, may we replace it and make schemas; a schema of the name that is filled, and is it one of ours;
-- what gives the right to make schemas.
-- name: swap_look
SELECT n.oid IS NOT NULL,
    (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid AND c.relname = 'schema_migrations'),
    (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid AND c.relname = 'scopes'),
    (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid),
    (SELECT count(*) FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhparent
     WHERE c.relnamespace = n.oid AND c.relname = 'scopes'),
    current_user::text, pg_catalog.pg_get_userbyid(n.nspowner)::text,
    n.oid IS NULL OR pg_catalog.pg_has_role(n.nspowner, 'USAGE'),
    pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'), pg_catalog.current_database()::text,
    r.oid IS NOT NULL, pg_catalog.obj_description(r.oid, 'pg_namespace') = 'made by conclave restore',
    'GRANT CREATE ON DATABASE ' || pg_catalog.quote_ident(pg_catalog.current_database()::text) || ' TO '
        || pg_catalog.quote_ident(current_user::text)
FROM (SELECT 1) AS one LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = $1
LEFT JOIN pg_catalog.pg_namespace AS r ON r.nspname = $2

-- name: swap_drop
DROP SCHEMA $restoring CASCADE

-- name: swap_make
CREATE SCHEMA $restoring

-- By this it is known as one that may be removed.
-- name: swap_mark
COMMENT ON SCHEMA $restoring IS 'made by conclave restore'

-- name: swap_unmark
COMMENT ON SCHEMA $restoring IS NULL

-- As long as this is held nobody else removes the schema or fills it.
-- name: swap_hold
LOCK TABLE $restoring.schema_migrations IN SHARE ROW EXCLUSIVE MODE

-- Writers out, then everybody.
-- name: hold
LOCK TABLE $schema.scopes IN EXCLUSIVE MODE

-- name: swap_lock_all
LOCK TABLE $schema.scopes IN ACCESS EXCLUSIVE MODE

-- name: swap_keep
ALTER SCHEMA $schema RENAME TO $kept

-- name: swap_place
ALTER SCHEMA $restoring RENAME TO $schema

-- The statements that give the things of the schema $2 the owner and the rights of those of the schema $1.
-- name: swap_rights
WITH old AS (SELECT * FROM pg_catalog.pg_namespace WHERE nspname = $1),
    new AS (SELECT * FROM pg_catalog.pg_namespace WHERE nspname = $2)
SELECT text FROM (
    SELECT 1 AS place, format('ALTER SCHEMA %I OWNER TO %I', new.nspname, pg_get_userbyid(old.nspowner)) AS text
    FROM old, new WHERE old.nspowner <> new.nspowner
    UNION ALL
    SELECT 2, format('ALTER TABLE %I.%I OWNER TO %I', new.nspname, c.relname, pg_get_userbyid(old.nspowner))
    FROM old, new JOIN pg_catalog.pg_class AS c ON c.relnamespace = new.oid AND c.relkind IN ('r', 'p', 'v')
    WHERE c.relowner <> old.nspowner
    UNION ALL
    SELECT 3, format('ALTER FUNCTION %s OWNER TO %I', p.oid::regprocedure, pg_get_userbyid(old.nspowner))
    FROM old, new JOIN pg_catalog.pg_proc AS p ON p.pronamespace = new.oid WHERE p.proowner <> old.nspowner
    UNION ALL
    SELECT 4, format('GRANT %s ON SCHEMA %I TO %s%s', a.privilege_type, new.nspname,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM new, old CROSS JOIN LATERAL aclexplode(old.nspacl) AS a WHERE a.grantee <> old.nspowner
    UNION ALL
    SELECT 5, format('GRANT %s ON TABLE %I.%I TO %s%s', a.privilege_type, new.nspname, c.relname,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM old JOIN pg_catalog.pg_class AS c ON c.relnamespace = old.oid AND c.relkind IN ('r', 'p', 'v')
    CROSS JOIN LATERAL aclexplode(c.relacl) AS a
    CROSS JOIN new JOIN pg_catalog.pg_class AS d ON d.relnamespace = new.oid AND d.relname = c.relname
    WHERE a.grantee <> c.relowner
    UNION ALL
    SELECT 6, format('GRANT %s ON FUNCTION %s TO %s%s', a.privilege_type, q.oid::regprocedure,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM old JOIN pg_catalog.pg_proc AS p ON p.pronamespace = old.oid CROSS JOIN LATERAL aclexplode(p.proacl) AS a
    CROSS JOIN new JOIN pg_catalog.pg_proc AS q ON q.pronamespace = new.oid AND q.proname = p.proname
    WHERE a.grantee <> p.proowner
    UNION ALL
    SELECT 7, format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT %s ON %s TO %s', pg_get_userbyid(f.defaclrole),
        new.nspname, a.privilege_type,
        CASE f.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
    FROM new, old JOIN pg_catalog.pg_default_acl AS f ON f.defaclnamespace = old.oid
    CROSS JOIN LATERAL aclexplode(f.defaclacl) AS a WHERE a.grantee <> f.defaclrole
) AS all_of_them ORDER BY place, text

-- ---- the server, for `conclave doctor` ------------------------------------------------------------------------------

-- Who we are, whose the schema is, what is safe when it is acknowledged; names as a statement has them.
-- name: exam_server
SELECT current_user::text, pg_catalog.pg_get_userbyid(n.nspowner)::text, pg_catalog.pg_has_role(n.nspowner, 'USAGE'),
    pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('synchronous_commit'), pg_catalog.current_setting('fsync'),
    pg_catalog.current_setting('full_page_writes'), pg_catalog.current_setting('synchronous_standby_names'),
    pg_catalog.quote_ident(current_user::text), pg_catalog.quote_ident(n.nspname::text)
FROM pg_catalog.pg_namespace AS n WHERE n.nspname = $1

-- name: exam_rights
SELECT c.relname, pg_catalog.has_table_privilege(c.oid, 'SELECT'), pg_catalog.has_table_privilege(c.oid, 'INSERT'),
    pg_catalog.has_table_privilege(c.oid, 'UPDATE'), pg_catalog.has_table_privilege(c.oid, 'DELETE')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
UNION ALL SELECT p.proname || '()', pg_catalog.has_function_privilege(p.oid, 'EXECUTE'), true, true, true
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = $1 AND p.prorettype <> 'pg_catalog.trigger'::pg_catalog.regtype ORDER BY 1

-- Who receives what is written; a base backup that runs is no standby. Others see no more than that there is one.
-- name: exam_standbys
SELECT application_name, client_addr::text, state, sync_state,
    pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), replay_lsn)::bigint,
    (extract(epoch FROM replay_lag) * 1000)::bigint
FROM pg_catalog.pg_stat_replication WHERE state IS DISTINCT FROM 'backup' ORDER BY application_name, pid LIMIT 20

-- Transactions with a number that have not ended, of any database: commits behind the oldest one are not in the feed.
-- name: exam_open
SELECT pid, who, program, database, state, (extract(epoch FROM clock_timestamp() - since) * 1000)::bigint, waits
FROM (
    SELECT pid, usename::text AS who, application_name AS program, datname::text AS database, state, backend_xid AS number,
        xact_start AS since, wait_event AS waits
    FROM pg_catalog.pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_catalog.pg_backend_pid()
    UNION ALL
    SELECT NULL, owner::text, gid, database::text, 'prepared', transaction, prepared, NULL FROM pg_catalog.pg_prepared_xacts
) AS open ORDER BY age(number) DESC, pid LIMIT 3

-- One and the same store now: no two servers have begun at the same microsecond.

-- name: identity
SELECT pg_postmaster_start_time()::text || ' ' || current_database()

-- name: exam_delayed
SELECT count(*) FROM $schema.commits
WHERE era = (SELECT max(era) FROM $schema.eras) AND xid >= pg_snapshot_xmin(pg_current_snapshot())

-- ---- migrations ---------------------------------------------------------------------------------------------------

-- What is there: the schema; our table in it; things in it altogether; may we look into it; parts of each table. Its name
-- and ours as a statement has them.
-- name: schema_there
SELECT n.oid IS NOT NULL,
    (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid AND c.relname = 'schema_migrations' AND c.relkind = 'r'),
    (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid),
    n.oid IS NULL OR pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
    (SELECT count(*) FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhparent
     WHERE c.relnamespace = n.oid AND c.relname = 'scopes'),
    pg_catalog.quote_ident($1), pg_catalog.quote_ident(current_user::text)
FROM (SELECT 1) AS one LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = $1

-- name: schema_make
CREATE SCHEMA IF NOT EXISTS $schema

-- name: migrations
SELECT version, name, checksum, program FROM $schema.schema_migrations ORDER BY version

-- Whoever migrates is alone; those who only look at the table do not wait.
-- name: migrations_lock
LOCK TABLE $schema.schema_migrations IN SHARE ROW EXCLUSIVE MODE

-- name: migration_put
INSERT INTO $schema.schema_migrations (version, name, checksum, program) VALUES ($1, $2, $3, $4)

-- name: partitioned
PARTITION BY HASH (scope)

-- name: partition
CREATE TABLE $part PARTITION OF $table FOR VALUES WITH (MODULUS $count, REMAINDER $number)

-- ---- the live schema ----------------------------------------------------------------------------------------------

-- Every column of every table, those of partitions left out.
-- name: schema_columns
SELECT c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, o.collname
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_collation AS o ON o.oid = a.attcollation
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY c.relname, a.attnum

-- Every index with its columns in their order, and the condition of a partial one.
-- name: schema_indexes
SELECT c.relname, i.relname, x.indisunique, x.indisprimary, x.indisvalid, pg_catalog.pg_get_expr(x.indpred, x.indrelid),
    pg_catalog.array_to_string(ARRAY(
        SELECT a.attname FROM pg_catalog.unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, place)
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number ORDER BY k.place), ',')
FROM pg_catalog.pg_index AS x
JOIN pg_catalog.pg_class AS c ON c.oid = x.indrelid
JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY c.relname, i.relname

-- name: schema_functions
SELECT p.proname, p.prosrc FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = $1

-- A trigger that somebody has switched off: rows could be rewritten.
-- name: schema_triggers_off
SELECT c.relname, t.tgname FROM pg_catalog.pg_trigger AS t
JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND NOT t.tgisinternal AND t.tgenabled NOT IN ('O', 'A')
ORDER BY c.relname, t.tgname LIMIT 1
