-- 014_panels.sql - the panel of a round is replaced as a whole until somebody has responded: its seats are put again.

DROP TRIGGER panels_no_update;
CREATE TRIGGER panels_same_key BEFORE UPDATE OF scope, round, expert_slug ON panels
BEGIN SELECT RAISE(ABORT, 'keys of panels never change'); END;
