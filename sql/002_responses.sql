-- 002_responses.sql - a response may be replaced until its round is registered.
--
-- The row holds what is valid now; the event about the change keeps the earlier text, so nothing that was handed in is
-- lost. Who may replace when is the program's business. Keys never change, rows never go.

DROP TRIGGER responses_no_update;
CREATE TRIGGER responses_same_key BEFORE UPDATE OF dialogue_id, round, expert_slug ON responses
BEGIN SELECT RAISE(ABORT, 'keys of responses never change'); END;
