-- 014_panels.sql - the panel of a round is replaced as a whole until somebody has responded: its seats are put again.

DROP TRIGGER panels_no_update ON $schema.panels;
CREATE TRIGGER panels_same_key BEFORE UPDATE OF scope, round, expert_slug ON $schema.panels FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of panels never change');
