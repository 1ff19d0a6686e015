-- 009_labels.sql - how people find a dialogue again: what is put away, and tags.

ALTER TABLE dialogues ADD COLUMN archived INT;
ALTER TABLE dialogues ADD COLUMN tags TEXT;   -- JSON
CREATE INDEX dialogues_archived ON dialogues (archived, id, scope) WHERE archived IS NOT NULL;
