-- statements.sql - the statements of the record in SQLite, by name.
--
--     -- name: scope         the text up to the next name is the statement "scope"
--
-- Those of the first part are made for every type: the engine puts names and parameters in the place of the words that
-- begin with $ (src/record/sqlite/statements.c).

-- ---- made for every type ------------------------------------------------------------------------------------------

-- name: put_added
INSERT INTO $table (scope, rev, $fields) VALUES $rows;

-- name: put_replaced
INSERT INTO $table (scope, rev, $fields) VALUES $rows
ON CONFLICT (scope, $keys) DO UPDATE SET rev = excluded.rev$updates;

-- name: put_volatile
INSERT INTO $table (scope, $fields) VALUES $rows ON CONFLICT (scope, $keys) DO UPDATE SET scope = scope$updates;

-- name: remove
DELETE FROM $table WHERE (scope, $keys) = (?, $values);

-- name: redact
UPDATE $table SET $field = ? WHERE (scope, $keys) = (?, $values);

-- name: strays
SELECT s.room, s.name FROM scopes AS s WHERE s.room <> ? AND EXISTS (SELECT 1 FROM $table WHERE scope = s.number) LIMIT 1;

-- name: find
SELECT $columns FROM $table AS t $indexed WHERE ($equal) = ($equal_values)$conditions ORDER BY $order LIMIT ?;

-- name: find_across
SELECT $columns, s.name FROM $table AS t $indexed CROSS JOIN scopes AS s ON s.number = t.scope
WHERE s.room = ?$conditions ORDER BY $order LIMIT ?;

-- ---- scopes, feed -------------------------------------------------------------------------------------------------

-- name: scope
SELECT number, rev, head, event_count FROM scopes WHERE room = :room AND name = :name;

-- name: scope_add
INSERT INTO scopes (room, name, rev, head, event_count) VALUES (:room, :name, :rev, :head, :event_count);

-- name: scope_move
UPDATE scopes SET rev = :rev, head = :head, event_count = :event_count WHERE number = :scope;

-- name: scopes
SELECT name, rev, head, event_count FROM scopes WHERE room = :room AND name > :after ORDER BY name LIMIT :limit;

-- name: scope_rooms
SELECT room, min(name) FROM scopes GROUP BY room ORDER BY room;

-- name: feed
SELECT c.number, c.head, s.room, s.name, c.rev, c.op_id, c.operation, c.created_at
FROM commits AS c CROSS JOIN scopes AS s ON s.number = c.scope
WHERE c.number >= :from ORDER BY c.number LIMIT :limit;

-- name: commit_at
SELECT number, head FROM commits WHERE number = :number;

-- name: commit_last
SELECT number, head FROM commits ORDER BY number DESC LIMIT 1;

-- name: commit_back
SELECT number, head FROM commits WHERE number = (SELECT max(number) FROM commits) - :back;

-- The first number that is missing.

-- name: commit_gap
SELECT CASE WHEN first > 1 THEN 1 ELSE (SELECT min(number) + 1 FROM commits AS c
                                        WHERE NOT EXISTS (SELECT 1 FROM commits WHERE number = c.number + 1)) END
FROM (SELECT min(number) AS first, max(number) AS last, count(*) AS rows FROM commits)
WHERE rows > 0 AND (first <> 1 OR last <> rows);

-- A commit behind which one of the same scope with a smaller number has the next rev.

-- name: commit_order
SELECT c.number FROM commits AS c JOIN commits AS d ON d.scope = c.scope AND d.rev = c.rev + 1
WHERE d.number < c.number LIMIT 1;

-- name: reader
SELECT position FROM readers WHERE reader = :reader;

-- Where the record went; see cv_record_note_moved().

-- name: moved_to
SELECT position FROM readers WHERE reader = 'moved to';

-- name: reader_add
INSERT INTO readers (reader, position) VALUES (:reader, :to)
ON CONFLICT (reader) DO UPDATE SET position = :to WHERE position = '';

-- name: reader_move
UPDATE readers SET position = :to WHERE reader = :reader AND position = :from;

-- name: data_version
PRAGMA data_version;

-- name: synchronous_normal
PRAGMA synchronous = NORMAL;

-- name: synchronous
PRAGMA synchronous = FULL;

-- 8 MB of log: a page that many writes change goes to the database once. A write is cheaper when the log has its size: then
-- only its bytes are synced.
-- name: checkpoint_after
PRAGMA wal_autocheckpoint = 2000;

-- ---- search -------------------------------------------------------------------------------------------------------

-- name: search_text
SELECT id, ids, more_ids, title, body, status, people FROM search_texts
WHERE scope = :scope AND kind = :kind AND thing = :thing;

-- name: search_text_add
INSERT INTO search_texts (scope, kind, thing, ids, more_ids, status, people, title, body)
VALUES (:scope, :kind, :thing, :ids, :more_ids, :status, :people, :title, :body);

-- name: search_text_change
UPDATE search_texts
SET ids = :ids, more_ids = :more_ids, status = :status, people = :people, title = :title, body = :body
WHERE id = :id;

-- Words of one text, by its values: FTS5 gathers in memory what comes so. After an INSERT that selects it would write
-- what it has each time, to be able to take back that statement alone.

-- name: search_take_back
INSERT INTO search_index (search_index, rowid, ids, title, body)
VALUES ('delete', :id, :ids || ' ' || :more_ids, spaced(:title), spaced(:body));

-- name: search_enter
INSERT INTO search_index (rowid, ids, title, body)
VALUES (:id, :ids || ' ' || :more_ids, spaced(:title), spaced(:body));

-- name: search_clear_index
INSERT INTO search_index (search_index) VALUES ('delete-all');

-- name: search_clear_texts
DELETE FROM search_texts;

-- name: search_clear_reader
DELETE FROM readers WHERE reader = :reader;

-- An id weighs more than any number of words, a title as much as four words of a body. Equals stand in the order of
-- their names, so that the same record always gives the same order.

-- name: search
SELECT t.id, s.room, s.name, t.kind, t.thing, bm25(search_index, 10000.0, 4.0, 1.0) AS score
FROM search_index JOIN search_texts AS t INDEXED BY search_things ON t.id = search_index.rowid
    JOIN scopes AS s ON s.number = t.scope
WHERE search_index MATCH :expression
    AND (:room IS NULL OR s.room = :room)
    AND (:scope IS NULL OR s.name = :scope)
    AND (:without IS NULL OR s.room || '/' || s.name NOT IN (SELECT value FROM json_each(:without)))
    AND (:kinds IS NULL OR t.kind IN (SELECT value FROM json_each(:kinds)))
    AND (:statuses IS NULL OR t.status IN (SELECT value FROM json_each(:statuses)))
    AND (:person IS NULL OR instr(t.people, :person))
ORDER BY score, s.room, s.name, t.kind, t.thing LIMIT :limit OFFSET :offset;

-- name: search_hit
SELECT title, body, status, people FROM search_texts WHERE id = :id;

-- name: fts5_api
SELECT fts5(?1);

-- What the index has of each text, and how long the texts are for it.

-- name: search_seen_texts
SELECT t.id, t.ids || ' ' || t.more_ids, t.title, t.body, d.sz
FROM search_texts AS t LEFT JOIN search_index_docsize AS d ON d.id = t.id;

-- name: search_check_sizes
SELECT 'search_index counts other rows than there are'
WHERE (SELECT count(*) FROM search_index_docsize) <> (SELECT count(*) FROM search_texts);

-- name: search_all_words
SELECT term, doc, col, "offset" FROM search_words;

-- How often a word is found when it is looked for, as a search does it.
-- name: search_one_word
SELECT count(*) FROM search_words WHERE term = :term;

-- name: search_averages
SELECT block FROM search_index_data WHERE id = 1;

-- The texts of a scope, in the order of kind and thing; those that belong to no scope.

-- name: search_texts_of
SELECT kind, thing, ids, more_ids, title, body, status, people FROM search_texts WHERE scope = :scope
ORDER BY kind, thing;

-- name: search_seen_rev
SELECT coalesce(max(rev), 0) FROM commits WHERE scope = :scope AND number <= :number;

-- ---- the live schema ----------------------------------------------------------------------------------------------

-- name: schema_table
SELECT strict FROM pragma_table_list(:table) WHERE schema = 'main' AND type = 'table';

-- name: schema_columns
SELECT name, type, "notnull" FROM pragma_table_info(:table) ORDER BY cid;

-- name: schema_indexes
SELECT name, "unique", partial, origin FROM pragma_index_list(:table) ORDER BY name;

-- name: schema_index
SELECT name FROM pragma_index_info(:index) ORDER BY seqno;

-- name: schema_parent
SELECT count(*) FROM pragma_foreign_key_list(:table) WHERE "table" = 'scopes' AND "from" = 'scope' AND "to" = 'number';

-- ---- transactions and the file ------------------------------------------------------------------------------------

-- name: begin_read
BEGIN;

-- name: begin_write
BEGIN IMMEDIATE;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: journal_mode
PRAGMA journal_mode;

-- name: wal
PRAGMA journal_mode = WAL;

-- name: recursive_triggers
PRAGMA recursive_triggers = ON;

-- name: application
PRAGMA application_id;

-- name: application_set
PRAGMA application_id = 1129270851;

-- name: tables
SELECT count(*) FROM sqlite_schema;

-- name: migrations
SELECT version, name, checksum, program FROM schema_migrations ORDER BY version;

-- name: migration_put
INSERT INTO schema_migrations (version, name, checksum, program) VALUES (:version, :name, :checksum, :program);

-- What a program's migrations make, to compare two databases: the objects, the settings of the search index.

-- name: schema_objects
SELECT type || ' ' || name, coalesce(sql, '') || ' on ' || tbl_name FROM sqlite_schema ORDER BY type, name;

-- name: schema_settings
SELECT 'search_index_config ' || k, CAST(v AS TEXT) FROM search_index_config ORDER BY k;

-- name: schema_versions
SELECT 'schema_migrations ' || version, name || ' ' || checksum FROM schema_migrations ORDER BY version;

-- name: integrity
PRAGMA integrity_check (1);

-- name: foreign_keys
PRAGMA foreign_key_check;

-- name: backup
VACUUM INTO :path;

-- What was replaced or removed is gone from the segments of the search index, the free pages and the log.

-- name: search_optimize
INSERT INTO search_index (search_index) VALUES ('optimize');

-- name: vacuum
VACUUM;

-- name: empty_log
PRAGMA wal_checkpoint (TRUNCATE);
