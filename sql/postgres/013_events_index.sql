-- 013_events_index.sql - events have the index of their key alone.
--
-- Every write adds events and pays for each index: a full round takes a tenth longer with this one. Events of one subject
-- are asked for seldom; the server then reads the events of the scope.

DROP INDEX $schema.events_subject;
