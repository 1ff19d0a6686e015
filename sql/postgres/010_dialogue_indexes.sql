-- 010_dialogue_indexes.sql - the rows of which a round makes hundreds have the index of their key alone.
--
-- A dialogue has a limited number of them, and almost every reading wants all of them: the few that do not pass over the
-- rest of the dialogue. Every row that is written would pay for each index: a full round takes a sixth longer with these.

DROP INDEX $schema.entities_rev;
DROP INDEX $schema.origins_rev;
DROP INDEX $schema.origins_display;
DROP INDEX $schema.refs_target;
