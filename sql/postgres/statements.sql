-- statements.sql - the statements of the record in PostgreSQL, by name.
--
--     -- name: scope         the text up to the next name is the statement "scope"
--
-- $schema is the schema of the address. Parameters are $1, $2 …; where one is neither text nor bigint it is cast.

-- ---- transactions -------------------------------------------------------------------------------------------------

-- name: commit
COMMIT

-- name: rollback
ROLLBACK

-- name: begin_migration
BEGIN ISOLATION LEVEL READ COMMITTED

-- name: migration_wait
SET LOCAL lock_timeout = '60s'

-- ---- migrations ---------------------------------------------------------------------------------------------------

-- What is there: the schema; our table in it; things in it altogether; may we look into it; parts of each table.
-- name: schema_there
SELECT n.oid IS NOT NULL,
    (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid AND c.relname = 'schema_migrations' AND c.relkind = 'r'),
    (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid),
    n.oid IS NULL OR pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
    (SELECT count(*) FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhparent
     WHERE c.relnamespace = n.oid AND c.relname = 'scopes')
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

-- A trigger that somebody has switched off: rows could be rewritten.
-- name: schema_triggers_off
SELECT c.relname, t.tgname FROM pg_catalog.pg_trigger AS t
JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND NOT t.tgisinternal AND t.tgenabled NOT IN ('O', 'A')
ORDER BY c.relname, t.tgname LIMIT 1
