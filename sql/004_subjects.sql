-- 004_subjects.sql - what a thing is about, found by its id.
--
-- `expand` and `history` ask for the events, references and origins of a few entities. Without an index they walk along
-- all rows of the dialogue: the longer it is, the more they cost, whatever is asked for.

CREATE INDEX events_subject ON events (dialogue_id, subject_id);
CREATE INDEX refs_target ON refs (dialogue_id, target_id);
CREATE INDEX origins_display ON origins (dialogue_id, display_id);
