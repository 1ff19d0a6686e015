-- 002_dialogue.sql - the tables of the dialogue room (src/dialogue/types.h).
--
-- A dialogue is the scope ('dialogue', id). What is history is only ever added; what has a present state may change but
-- never goes. Which words, numbers and references are right is the program's business, and `conclave verify` asks it.

CREATE TABLE dialogues (
    scope               INT  NOT NULL REFERENCES scopes (number),
    id                  TEXT NOT NULL,
    rev                 INT  NOT NULL CHECK (rev >= 1),
    title               TEXT NOT NULL,
    status              TEXT NOT NULL,
    created_at          TEXT NOT NULL,
    converged_at        TEXT,
    total_rounds        INT,
    total_alignment     INT,
    output_dir          TEXT,
    calibrated          INT,
    domain_id           TEXT,
    ethos_id            TEXT,
    panel_size          INT,
    rotation            TEXT,
    seed                INT,
    convergence_target  TEXT,                    -- a decimal between 0 and 1, as written
    strict_convergence  INT,
    calibration         TEXT,                    -- JSON
    expert_pool         TEXT,                    -- JSON
    question            TEXT,
    background          TEXT,                    -- JSON
    PRIMARY KEY (scope, id)
) STRICT;
CREATE INDEX dialogues_rev ON dialogues (scope, rev, id);
CREATE INDEX dialogues_status ON dialogues (status, id, scope);
CREATE INDEX dialogues_created ON dialogues (created_at, scope, id);

CREATE TABLE experts (
    scope            INT  NOT NULL REFERENCES scopes (number),
    expert_slug      TEXT NOT NULL,
    rev              INT  NOT NULL CHECK (rev >= 1),
    position         INT,
    role             TEXT NOT NULL,
    focus            TEXT,
    tier             TEXT NOT NULL,
    source           TEXT NOT NULL,
    relevance        TEXT,                       -- a decimal between 0 and 1, as written
    creation_reason  TEXT,
    color            TEXT,
    total_score      INT,
    first_round      INT,
    created_at       TEXT NOT NULL,
    description      TEXT,
    PRIMARY KEY (scope, expert_slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE panels (
    scope        INT  NOT NULL REFERENCES scopes (number),
    round        INT  NOT NULL,
    expert_slug  TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    position     INT,
    source       TEXT NOT NULL,
    focus        TEXT,
    PRIMARY KEY (scope, round, expert_slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE rounds (
    scope             INT  NOT NULL REFERENCES scopes (number),
    round             INT  NOT NULL,
    rev               INT  NOT NULL CHECK (rev >= 1),
    title             TEXT,
    score             INT  NOT NULL,
    score_components  TEXT,                      -- JSON
    status            TEXT NOT NULL,
    created_at        TEXT NOT NULL,
    completed_at      TEXT,
    summary           TEXT,
    PRIMARY KEY (scope, round)
) STRICT, WITHOUT ROWID;
CREATE INDEX rounds_rev ON rounds (scope, rev, round);

CREATE TABLE scores (
    scope             INT  NOT NULL REFERENCES scopes (number),
    round             INT  NOT NULL,
    expert_slug       TEXT NOT NULL,
    rev               INT  NOT NULL CHECK (rev >= 1),
    score             INT  NOT NULL,
    score_components  TEXT,                      -- JSON
    PRIMARY KEY (scope, round, expert_slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE responses (
    scope        INT  NOT NULL REFERENCES scopes (number),
    round        INT  NOT NULL,
    expert_slug  TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    sha256       TEXT,
    created_at   TEXT NOT NULL,
    content      TEXT,                           -- NULL: there was nothing to say
    PRIMARY KEY (scope, round, expert_slug)
) STRICT;
CREATE INDEX responses_rev ON responses (scope, rev, round, expert_slug);

CREATE TABLE entities (
    scope               INT  NOT NULL REFERENCES scopes (number),
    kind                TEXT NOT NULL,           -- a letter
    round               INT  NOT NULL,
    seq                 INT  NOT NULL,
    rev                 INT  NOT NULL CHECK (rev >= 1),
    label               TEXT NOT NULL,
    contributors        TEXT NOT NULL,           -- JSON
    status              TEXT NOT NULL,
    adopted_in_verdict  TEXT,
    created_at          TEXT NOT NULL,
    parameters          TEXT,                    -- JSON
    content             TEXT NOT NULL,
    correction          TEXT,                    -- JSON: who changed label or content since, and why
    PRIMARY KEY (scope, kind, round, seq)
) STRICT;
CREATE INDEX entities_rev ON entities (scope, rev, kind, round, seq);

CREATE TABLE origins (
    scope            INT  NOT NULL REFERENCES scopes (number),
    local_id         TEXT NOT NULL,
    rev              INT  NOT NULL CHECK (rev >= 1),
    display_id       TEXT NOT NULL,
    expert_slug      TEXT,
    round            INT  NOT NULL,
    response_sha256  TEXT,
    range_start      INT,
    range_end        INT,
    PRIMARY KEY (scope, local_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX origins_rev ON origins (scope, rev, local_id);
CREATE INDEX origins_display ON origins (scope, display_id, local_id);

CREATE TABLE refs (
    scope        INT  NOT NULL REFERENCES scopes (number),
    source_id    TEXT NOT NULL,
    ref_type     TEXT NOT NULL,
    target_id    TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    source_type  TEXT NOT NULL,
    target_type  TEXT NOT NULL,
    round        INT  NOT NULL,
    position     INT,
    created_at   TEXT NOT NULL,
    reason       TEXT,                           -- what its expert said of it
    PRIMARY KEY (scope, source_id, ref_type, target_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX refs_rev ON refs (scope, rev, source_id, ref_type, target_id);
CREATE INDEX refs_target ON refs (scope, target_id, source_id, ref_type);

CREATE TABLE moves (
    scope        INT  NOT NULL REFERENCES scopes (number),
    round        INT  NOT NULL,
    expert_slug  TEXT NOT NULL,
    seq          INT  NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    position     INT,
    move_type    TEXT NOT NULL,
    targets      TEXT NOT NULL,                  -- JSON
    created_at   TEXT NOT NULL,
    context      TEXT,
    PRIMARY KEY (scope, round, expert_slug, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts (
    scope                    INT  NOT NULL REFERENCES scopes (number),
    verdict_id               TEXT NOT NULL,
    rev                      INT  NOT NULL CHECK (rev >= 1),
    position                 INT,
    verdict_type             TEXT NOT NULL,
    round                    INT  NOT NULL,
    author_expert            TEXT,               -- NULL: the judge
    recommendation           TEXT NOT NULL,
    conditions               TEXT,               -- JSON, like all lists below
    vote                     TEXT,
    confidence               TEXT,
    tensions_resolved        TEXT,
    tensions_accepted        TEXT,
    recommendations_adopted  TEXT,
    key_evidence             TEXT,
    key_claims               TEXT,
    supporting_experts       TEXT,
    ethos_compliance         TEXT,
    warning                  TEXT,
    created_at               TEXT NOT NULL,
    description              TEXT NOT NULL,
    PRIMARY KEY (scope, verdict_id)
) STRICT;
CREATE INDEX verdicts_rev ON verdicts (scope, rev, verdict_id);

-- What an expert said in a round besides items, references and moves.
CREATE TABLE positions (
    scope        INT  NOT NULL REFERENCES scopes (number),
    round        INT  NOT NULL,
    expert_slug  TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    created_at   TEXT NOT NULL,
    content      TEXT NOT NULL,
    PRIMARY KEY (scope, round, expert_slug)
) STRICT;

-- Volatile: a dialogue that was put here from an export.
CREATE TABLE imports (
    scope       INT  NOT NULL REFERENCES scopes (number),
    digest      TEXT NOT NULL,
    created_at  TEXT,
    PRIMARY KEY (scope, digest)
) STRICT, WITHOUT ROWID;

-- ---- nothing is rewritten, nothing goes; only a text can be redacted ----------------------------------------------

CREATE TRIGGER dialogues_same_key BEFORE UPDATE OF scope, id ON dialogues
BEGIN SELECT RAISE(ABORT, 'keys of dialogues never change'); END;
CREATE TRIGGER experts_same_key BEFORE UPDATE OF scope, expert_slug ON experts
BEGIN SELECT RAISE(ABORT, 'keys of experts never change'); END;
CREATE TRIGGER panels_no_update BEFORE UPDATE ON panels
BEGIN SELECT RAISE(ABORT, 'panels are only added, never changed'); END;
CREATE TRIGGER rounds_same_key BEFORE UPDATE OF scope, round ON rounds
BEGIN SELECT RAISE(ABORT, 'keys of rounds never change'); END;
CREATE TRIGGER scores_same_key BEFORE UPDATE OF scope, round, expert_slug ON scores
BEGIN SELECT RAISE(ABORT, 'keys of scores never change'); END;
CREATE TRIGGER responses_same_key BEFORE UPDATE OF scope, round, expert_slug ON responses
BEGIN SELECT RAISE(ABORT, 'keys of responses never change'); END;
CREATE TRIGGER entities_same_key BEFORE UPDATE OF scope, kind, round, seq ON entities
BEGIN SELECT RAISE(ABORT, 'keys of entities never change'); END;
CREATE TRIGGER origins_no_update BEFORE UPDATE ON origins
BEGIN SELECT RAISE(ABORT, 'origins are only added, never changed'); END;
CREATE TRIGGER refs_no_update BEFORE UPDATE OF scope, source_id, ref_type, target_id, rev, source_type, target_type,
    round, position, created_at ON refs
BEGIN SELECT RAISE(ABORT, 'refs are only added, never changed'); END;
CREATE TRIGGER refs_redacted BEFORE UPDATE OF reason ON refs
WHEN new.reason IS NOT old.reason AND coalesce(new.reason NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'refs are only added, never changed'); END;
CREATE TRIGGER positions_no_update BEFORE UPDATE OF scope, round, expert_slug, rev, created_at ON positions
BEGIN SELECT RAISE(ABORT, 'positions are only added, never changed'); END;
CREATE TRIGGER positions_redacted BEFORE UPDATE OF content ON positions
WHEN new.content IS NOT old.content AND coalesce(new.content NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'positions are only added, never changed'); END;
CREATE TRIGGER moves_no_update BEFORE UPDATE OF scope, round, expert_slug, seq, rev, position, move_type, targets,
    created_at ON moves
BEGIN SELECT RAISE(ABORT, 'moves are only added, never changed'); END;
CREATE TRIGGER moves_redacted BEFORE UPDATE OF context ON moves
WHEN new.context IS NOT old.context AND coalesce(new.context NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'moves are only added, never changed'); END;
CREATE TRIGGER verdicts_no_update BEFORE UPDATE OF scope, verdict_id, rev, position, verdict_type, round,
    author_expert, recommendation, conditions, vote, confidence, tensions_resolved, tensions_accepted,
    recommendations_adopted, key_evidence, key_claims, supporting_experts, ethos_compliance, warning, created_at ON
    verdicts
BEGIN SELECT RAISE(ABORT, 'verdicts are only added, never changed'); END;
CREATE TRIGGER verdicts_redacted BEFORE UPDATE OF description ON verdicts
WHEN new.description IS NOT old.description AND coalesce(new.description NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'verdicts are only added, never changed'); END;

CREATE TRIGGER dialogues_no_delete BEFORE DELETE ON dialogues
BEGIN SELECT RAISE(ABORT, 'dialogues are never deleted'); END;
CREATE TRIGGER experts_no_delete BEFORE DELETE ON experts
BEGIN SELECT RAISE(ABORT, 'experts are never deleted'); END;
CREATE TRIGGER panels_no_delete BEFORE DELETE ON panels
BEGIN SELECT RAISE(ABORT, 'panels are never deleted'); END;
CREATE TRIGGER rounds_no_delete BEFORE DELETE ON rounds
BEGIN SELECT RAISE(ABORT, 'rounds are never deleted'); END;
CREATE TRIGGER scores_no_delete BEFORE DELETE ON scores
BEGIN SELECT RAISE(ABORT, 'scores are never deleted'); END;
CREATE TRIGGER responses_no_delete BEFORE DELETE ON responses
BEGIN SELECT RAISE(ABORT, 'responses are never deleted'); END;
CREATE TRIGGER entities_no_delete BEFORE DELETE ON entities
BEGIN SELECT RAISE(ABORT, 'entities are never deleted'); END;
CREATE TRIGGER origins_no_delete BEFORE DELETE ON origins
BEGIN SELECT RAISE(ABORT, 'origins are never deleted'); END;
CREATE TRIGGER refs_no_delete BEFORE DELETE ON refs
BEGIN SELECT RAISE(ABORT, 'refs are never deleted'); END;
CREATE TRIGGER moves_no_delete BEFORE DELETE ON moves
BEGIN SELECT RAISE(ABORT, 'moves are never deleted'); END;
CREATE TRIGGER positions_no_delete BEFORE DELETE ON positions
BEGIN SELECT RAISE(ABORT, 'positions are never deleted'); END;
CREATE TRIGGER verdicts_no_delete BEFORE DELETE ON verdicts
BEGIN SELECT RAISE(ABORT, 'verdicts are never deleted'); END;

-- ---- the five kinds of entities by their names, for people who ask with sqlite3 -----------------------------------

CREATE VIEW perspectives AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM entities AS e JOIN scopes AS s ON s.number = e.scope WHERE e.kind = 'P';
CREATE VIEW recommendations AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM entities AS e JOIN scopes AS s ON s.number = e.scope WHERE e.kind = 'R';
CREATE VIEW tensions AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content AS description
FROM entities AS e JOIN scopes AS s ON s.number = e.scope WHERE e.kind = 'T';
CREATE VIEW evidence AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM entities AS e JOIN scopes AS s ON s.number = e.scope WHERE e.kind = 'E';
CREATE VIEW claims AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM entities AS e JOIN scopes AS s ON s.number = e.scope WHERE e.kind = 'C';
