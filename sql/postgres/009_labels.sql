-- 009_labels.sql - how people find a dialogue again: what is put away, and tags.

ALTER TABLE $schema.dialogues ADD COLUMN archived bigint;
ALTER TABLE $schema.dialogues ADD COLUMN tags text COLLATE "C";   -- JSON
CREATE INDEX dialogues_archived ON $schema.dialogues (archived, id, scope) WHERE archived IS NOT NULL;
