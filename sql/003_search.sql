-- 003_search.sql - finding words in the record.
--
-- The index is made from the record and can be thrown away: it is brought up to date when somebody searches, never when
-- something is written. No text is kept twice: search_index has postings only, search_texts fetches the texts by key.
--
--     ops            every write, in the order of commits      search_progress says how far the index has seen them
--     search_state   one row per dialogue                      … up to which rev, and its number in the index
--     search_rows    one row per thing that can be found       its id is the rowid in the index
--     search_old     texts that have changed since             the postings of a text can only be taken back with it
--
-- Kinds are the letters of events: P R T E C, D dialogue, O round, S response, V verdict.

CREATE TABLE search_progress (
    only_row  INT NOT NULL PRIMARY KEY CHECK (only_row = 1),
    op        INT NOT NULL                          -- number of the last write that the index has seen
) STRICT;
INSERT INTO search_progress (only_row, op) VALUES (1, 0);

CREATE TABLE search_state (
    number       INTEGER PRIMARY KEY,
    dialogue_id  TEXT NOT NULL UNIQUE,
    rev          INT  NOT NULL
) STRICT;

CREATE TABLE search_rows (
    id      INTEGER PRIMARY KEY,
    number  INT  NOT NULL,                          -- the dialogue's in search_state
    kind    TEXT NOT NULL,
    round   INT  NOT NULL,                          -- 0 where there is none, like seq
    seq     INT  NOT NULL,
    name    TEXT NOT NULL,                          -- the expert of a response, the id of a verdict
    ids     TEXT NOT NULL,                          -- of an entity: 'P0101 muffinp0101 sconep0102', each one word
    UNIQUE (number, kind, round, seq, name)
) STRICT;

CREATE TABLE search_old (
    id      INTEGER PRIMARY KEY,
    number  INT  NOT NULL,
    title   TEXT NOT NULL,
    body    TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE search_index USING fts5 (
    ids, title, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Every word of the index with its place, to compare it with the texts.
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search_index, instance);

-- What stands behind a row of the index, fetched by its key. (Of JSON only its tables are used: older SQLite does not
-- trust its functions in a schema.) `people` is a JSON list of slugs; the status of a verdict
-- is its type.
CREATE VIEW search_texts (id, number, dialogue_id, kind, round, seq, name, ids, title, body, status, people) AS
SELECT r.id, r.number, s.dialogue_id, r.kind, r.round, r.seq, r.name, r.ids,
    coalesce(CASE r.kind
        WHEN 'P' THEN (SELECT label FROM perspectives WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'R' THEN (SELECT label FROM recommendations
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'T' THEN (SELECT label FROM tensions WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'E' THEN (SELECT label FROM evidence WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'C' THEN (SELECT label FROM claims WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'D' THEN (SELECT title FROM dialogues WHERE dialogue_id = s.dialogue_id)
        WHEN 'O' THEN (SELECT title FROM rounds WHERE dialogue_id = s.dialogue_id AND round = r.round)
        WHEN 'V' THEN (SELECT recommendation FROM verdicts WHERE dialogue_id = s.dialogue_id AND verdict_id = r.name)
    END, ''),
    coalesce(CASE r.kind
        WHEN 'P' THEN (SELECT content FROM perspectives
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'R' THEN (SELECT content FROM recommendations
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'T' THEN (SELECT description FROM tensions
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'E' THEN (SELECT content FROM evidence WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'C' THEN (SELECT content FROM claims WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'D' THEN (SELECT coalesce(question, '') || coalesce((SELECT group_concat(char(10) || atom, '')
                       FROM json_tree(coalesce(background, '[]')) WHERE type = 'text'), '')
                       FROM dialogues WHERE dialogue_id = s.dialogue_id)
        WHEN 'O' THEN (SELECT summary FROM rounds WHERE dialogue_id = s.dialogue_id AND round = r.round)
        WHEN 'S' THEN (SELECT content FROM responses
                       WHERE (dialogue_id, round, expert_slug) = (s.dialogue_id, r.round, r.name))
        WHEN 'V' THEN (SELECT coalesce(description, '') || coalesce((SELECT group_concat(char(10) || atom, '')
                       FROM json_tree(coalesce(conditions, '[]')) WHERE type = 'text'), '')
                       FROM verdicts WHERE dialogue_id = s.dialogue_id AND verdict_id = r.name)
    END, ''),
    CASE r.kind
        WHEN 'P' THEN (SELECT status FROM perspectives
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'R' THEN (SELECT status FROM recommendations
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'T' THEN (SELECT status FROM tensions WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'E' THEN (SELECT status FROM evidence WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'C' THEN (SELECT status FROM claims WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'D' THEN (SELECT status FROM dialogues WHERE dialogue_id = s.dialogue_id)
        WHEN 'O' THEN (SELECT status FROM rounds WHERE dialogue_id = s.dialogue_id AND round = r.round)
        WHEN 'V' THEN (SELECT verdict_type FROM verdicts WHERE dialogue_id = s.dialogue_id AND verdict_id = r.name)
    END,
    coalesce(CASE r.kind
        WHEN 'P' THEN (SELECT contributors FROM perspectives
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'R' THEN (SELECT contributors FROM recommendations
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'T' THEN (SELECT contributors FROM tensions
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'E' THEN (SELECT contributors FROM evidence
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'C' THEN (SELECT contributors FROM claims
                       WHERE (dialogue_id, round, seq) = (s.dialogue_id, r.round, r.seq))
        WHEN 'S' THEN '["' || r.name || '"]'
        WHEN 'V' THEN (SELECT (SELECT '["' || group_concat(slug, '","') || '"]'
                               FROM (SELECT coalesce(author_expert, 'judge') AS slug
                                     UNION SELECT value FROM json_each(coalesce(supporting_experts, '[]'))))
                       FROM verdicts WHERE dialogue_id = s.dialogue_id AND verdict_id = r.name)
    END, '[]')
FROM search_rows r JOIN search_state s ON s.number = r.number;

-- What should be in search_rows of the dialogues that the index knows. `due`: the index has seen the write that last
-- changed it; otherwise it may be there or not.
CREATE VIEW search_wanted (number, kind, round, seq, name, due) AS
SELECT number, 'D', 0, 0, '', rev > 0 FROM search_state
UNION ALL
SELECT s.number, 'O', t.round, 0, '', t.rev <= s.rev
FROM search_state s JOIN rounds t ON t.dialogue_id = s.dialogue_id
UNION ALL
SELECT s.number, 'S', t.round, 0, t.expert_slug, t.rev <= s.rev
FROM search_state s JOIN responses t ON t.dialogue_id = s.dialogue_id
UNION ALL
SELECT s.number, 'V', t.round, 0, t.verdict_id, t.rev <= s.rev
FROM search_state s JOIN verdicts t ON t.dialogue_id = s.dialogue_id
UNION ALL
SELECT s.number, 'P', t.round, t.seq, '', t.rev <= s.rev
FROM search_state s JOIN perspectives t ON t.dialogue_id = s.dialogue_id
UNION ALL
SELECT s.number, 'R', t.round, t.seq, '', t.rev <= s.rev
FROM search_state s JOIN recommendations t ON t.dialogue_id = s.dialogue_id
UNION ALL
SELECT s.number, 'T', t.round, t.seq, '', t.rev <= s.rev
FROM search_state s JOIN tensions t ON t.dialogue_id = s.dialogue_id
UNION ALL
SELECT s.number, 'E', t.round, t.seq, '', t.rev <= s.rev
FROM search_state s JOIN evidence t ON t.dialogue_id = s.dialogue_id
UNION ALL
SELECT s.number, 'C', t.round, t.seq, '', t.rev <= s.rev
FROM search_state s JOIN claims t ON t.dialogue_id = s.dialogue_id;

-- A text that is corrected: what the index has of it is kept until the index is brought up to date. Verdicts never
-- change, and a status is not in the index.

CREATE TRIGGER perspectives_search BEFORE UPDATE OF label, content ON perspectives
WHEN new.label IS NOT old.label OR new.content IS NOT old.content
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'P' AND round = old.round AND seq = old.seq
    ON CONFLICT (id) DO NOTHING;
END;

CREATE TRIGGER recommendations_search BEFORE UPDATE OF label, content ON recommendations
WHEN new.label IS NOT old.label OR new.content IS NOT old.content
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'R' AND round = old.round AND seq = old.seq
    ON CONFLICT (id) DO NOTHING;
END;

CREATE TRIGGER tensions_search BEFORE UPDATE OF label, description ON tensions
WHEN new.label IS NOT old.label OR new.description IS NOT old.description
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'T' AND round = old.round AND seq = old.seq
    ON CONFLICT (id) DO NOTHING;
END;

CREATE TRIGGER evidence_search BEFORE UPDATE OF label, content ON evidence
WHEN new.label IS NOT old.label OR new.content IS NOT old.content
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'E' AND round = old.round AND seq = old.seq
    ON CONFLICT (id) DO NOTHING;
END;

CREATE TRIGGER claims_search BEFORE UPDATE OF label, content ON claims
WHEN new.label IS NOT old.label OR new.content IS NOT old.content
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'C' AND round = old.round AND seq = old.seq
    ON CONFLICT (id) DO NOTHING;
END;

CREATE TRIGGER dialogues_search BEFORE UPDATE OF title, question, background ON dialogues
WHEN new.title IS NOT old.title OR new.question IS NOT old.question OR new.background IS NOT old.background
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'D'
    ON CONFLICT (id) DO NOTHING;
END;

CREATE TRIGGER rounds_search BEFORE UPDATE OF title, summary ON rounds
WHEN new.title IS NOT old.title OR new.summary IS NOT old.summary
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'O' AND round = old.round
    ON CONFLICT (id) DO NOTHING;
END;

CREATE TRIGGER responses_search BEFORE UPDATE OF content ON responses
WHEN new.content IS NOT old.content
BEGIN
    INSERT INTO search_old (id, number, title, body)
    SELECT id, number, title, body FROM search_texts
    WHERE dialogue_id = old.dialogue_id AND kind = 'S' AND round = old.round AND name = old.expert_slug
    ON CONFLICT (id) DO NOTHING;
END;
