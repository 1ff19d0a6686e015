-- 011_positions.sql - what experts said besides items is searched: positions are read by their revs, and the search index
-- is made from nothing by the next search.

CREATE INDEX positions_rev ON positions (scope, rev, round, expert_slug);
INSERT INTO search_index (search_index) VALUES ('delete-all');
DELETE FROM search_texts;
DELETE FROM readers WHERE reader = 'search';
