-- 014_panels.sql - the panel of a round is replaced as a whole until somebody has responded: its seats are put again.

DROP TRIGGER panels_no_update;
