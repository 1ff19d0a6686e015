-- 011_positions.sql - what experts said besides items is searched: positions are read by their revs, and the search index
-- is made from nothing by the next search.

CREATE INDEX positions_rev ON $schema.positions (scope, rev, round, expert_slug);
DELETE FROM $schema.search_texts;
UPDATE $schema.readers SET position = '' WHERE reader = 'search';
