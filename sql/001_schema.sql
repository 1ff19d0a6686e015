-- 001_schema.sql - the record, first version.
--
-- One dialogue is one partition: dialogue_id comes first in every key, foreign keys stay inside it, nothing is unique
-- across dialogues but their ids. `rev` is the write that made or last changed a row.
--
-- What is history is only ever added: events, ops, verdicts, responses, panels, origins, refs, moves and the messages
-- of streams refuse UPDATE and DELETE. What has a present state may change but never goes: dialogues, experts, rounds,
-- scores (a registered score can be corrected, with an event that keeps the old one) and the five kinds of entities;
-- their keys stay.
--
-- Everything is STRICT. Tables with short rows are WITHOUT ROWID. Those with long texts are not, and have the long text
-- last, so that reading the rest of a row never touches its pages. There is no index but for what a statement asks.
--
-- Migrations are never edited once released: their checksums are kept in the database and compared when it is opened.

CREATE TABLE schema_migrations (
    version   INT  NOT NULL PRIMARY KEY,
    name      TEXT NOT NULL,
    checksum  TEXT NOT NULL,             -- SHA-256 of the file
    program   TEXT NOT NULL              -- version of the program that applied it
) STRICT, WITHOUT ROWID;

-- ---- dialogues and who takes part ---------------------------------------------------------------------------------

CREATE TABLE dialogues (
    dialogue_id         TEXT NOT NULL PRIMARY KEY,  -- slug of the title
    rev                 INT  NOT NULL CHECK (rev >= 1),
    last_rev            INT  NOT NULL DEFAULT 0,    -- the position: last write to any row of the dialogue,
    head                TEXT,                       --   hash of the last event
    event_count         INT  NOT NULL DEFAULT 0,    --   and how many there are
    title               TEXT NOT NULL,
    question            TEXT,
    status              TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'converging', 'converged', 'abandoned')),
    created_at          TEXT NOT NULL,
    converged_at        TEXT,
    total_rounds        INT  DEFAULT 0,
    total_alignment     INT  DEFAULT 0,
    output_dir          TEXT,
    calibrated          INT  DEFAULT 0 CHECK (calibrated IN (0, 1)),
    domain_id           TEXT,
    ethos_id            TEXT,
    panel_size          INT,
    rotation            TEXT,
    seed                INT,
    convergence_target  TEXT,                       -- a decimal between 0 and 1, as written
    strict_convergence  INT  DEFAULT 0 CHECK (strict_convergence IN (0, 1)),
    calibration         TEXT,                       -- JSON
    background          TEXT,                       -- JSON
    expert_pool         TEXT,                       -- JSON
    CHECK (length(CAST(dialogue_id AS BLOB)) BETWEEN 1 AND 80)
) STRICT;
CREATE INDEX dialogues_status ON dialogues (status, dialogue_id);

CREATE TRIGGER dialogues_rev BEFORE UPDATE OF last_rev ON dialogues WHEN new.last_rev <> old.last_rev + 1
BEGIN SELECT RAISE(ABORT, 'the rev of a dialogue rises by one with every write'); END;

CREATE TABLE experts (
    dialogue_id      TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    expert_slug      TEXT NOT NULL,
    rev              INT  NOT NULL CHECK (rev >= 1),
    position         INT,
    role             TEXT NOT NULL,
    description      TEXT,
    focus            TEXT,
    tier             TEXT NOT NULL CHECK (tier IN ('Core', 'Adjacent', 'Wildcard')),
    source           TEXT NOT NULL CHECK (source IN ('pool', 'created')),
    relevance        TEXT,                          -- a decimal between 0 and 1, as written
    creation_reason  TEXT,
    color            TEXT,
    total_score      INT  DEFAULT 0,
    first_round      INT  CHECK (first_round BETWEEN 0 AND 99),
    created_at       TEXT NOT NULL,
    PRIMARY KEY (dialogue_id, expert_slug),
    CHECK (expert_slug GLOB '[a-z0-9]*' AND expert_slug NOT GLOB '*[^a-z0-9-]*' AND length(expert_slug) <= 32
           AND expert_slug <> 'judge')
) STRICT, WITHOUT ROWID;

CREATE TABLE panels (
    dialogue_id  TEXT NOT NULL,
    round        INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    expert_slug  TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    position     INT,
    source       TEXT NOT NULL CHECK (source IN ('retained', 'pool', 'created')),
    focus        TEXT,
    PRIMARY KEY (dialogue_id, round, expert_slug),
    FOREIGN KEY (dialogue_id, expert_slug) REFERENCES experts (dialogue_id, expert_slug)
) STRICT, WITHOUT ROWID;

-- ---- rounds -------------------------------------------------------------------------------------------------------

CREATE TABLE rounds (
    dialogue_id       TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    round             INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    rev               INT  NOT NULL CHECK (rev >= 1),
    title             TEXT,
    score             INT  NOT NULL,
    score_components  TEXT,                         -- JSON
    summary           TEXT,
    status            TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_progress', 'completed')),
    created_at        TEXT NOT NULL,
    completed_at      TEXT,
    PRIMARY KEY (dialogue_id, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE scores (
    dialogue_id       TEXT NOT NULL,
    round             INT  NOT NULL,
    expert_slug       TEXT NOT NULL,
    rev               INT  NOT NULL CHECK (rev >= 1),
    score             INT  NOT NULL,
    score_components  TEXT,                         -- JSON
    PRIMARY KEY (dialogue_id, round, expert_slug),
    FOREIGN KEY (dialogue_id, round) REFERENCES rounds (dialogue_id, round),
    FOREIGN KEY (dialogue_id, expert_slug) REFERENCES experts (dialogue_id, expert_slug)
) STRICT, WITHOUT ROWID;

-- A response exists before its round is registered. Its content is NULL when the expert had nothing to say.
CREATE TABLE responses (
    dialogue_id  TEXT NOT NULL,
    round        INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    expert_slug  TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    sha256       TEXT,
    created_at   TEXT NOT NULL,
    content      TEXT,
    PRIMARY KEY (dialogue_id, round, expert_slug),
    FOREIGN KEY (dialogue_id, expert_slug) REFERENCES experts (dialogue_id, expert_slug)
) STRICT;

-- ---- the five kinds of entities: one shape, one table each --------------------------------------------------------
-- What an entity refers to stands in refs and nowhere else.

CREATE TABLE perspectives (
    dialogue_id         TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    round               INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    seq                 INT  NOT NULL CHECK (seq BETWEEN 1 AND 99),
    rev                 INT  NOT NULL CHECK (rev >= 1),
    label               TEXT NOT NULL,
    contributors        TEXT NOT NULL,              -- JSON
    status              TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'refined', 'conceded', 'merged')),
    adopted_in_verdict  TEXT,
    created_at          TEXT NOT NULL,
    parameters          TEXT,                       -- JSON
    content             TEXT NOT NULL,
    PRIMARY KEY (dialogue_id, round, seq)
) STRICT;
CREATE INDEX perspectives_rev ON perspectives (dialogue_id, rev);

CREATE TABLE recommendations (
    dialogue_id         TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    round               INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    seq                 INT  NOT NULL CHECK (seq BETWEEN 1 AND 99),
    rev                 INT  NOT NULL CHECK (rev >= 1),
    label               TEXT NOT NULL,
    contributors        TEXT NOT NULL,              -- JSON
    status              TEXT NOT NULL DEFAULT 'proposed'
                        CHECK (status IN ('proposed', 'amended', 'adopted', 'rejected')),
    adopted_in_verdict  TEXT,
    created_at          TEXT NOT NULL,
    parameters          TEXT,                       -- JSON
    content             TEXT NOT NULL,
    PRIMARY KEY (dialogue_id, round, seq)
) STRICT;
CREATE INDEX recommendations_rev ON recommendations (dialogue_id, rev);

CREATE TABLE tensions (
    dialogue_id         TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    round               INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    seq                 INT  NOT NULL CHECK (seq BETWEEN 1 AND 99),
    rev                 INT  NOT NULL CHECK (rev >= 1),
    label               TEXT NOT NULL,
    contributors        TEXT NOT NULL,              -- JSON
    status              TEXT NOT NULL DEFAULT 'open'
                        CHECK (status IN ('open', 'addressed', 'resolved', 'reopened', 'accepted')),
    adopted_in_verdict  TEXT,
    created_at          TEXT NOT NULL,
    parameters          TEXT,                       -- JSON
    description         TEXT NOT NULL,              -- what the other kinds call content
    PRIMARY KEY (dialogue_id, round, seq)
) STRICT;
CREATE INDEX tensions_rev ON tensions (dialogue_id, rev);

CREATE TABLE evidence (
    dialogue_id         TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    round               INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    seq                 INT  NOT NULL CHECK (seq BETWEEN 1 AND 99),
    rev                 INT  NOT NULL CHECK (rev >= 1),
    label               TEXT NOT NULL,
    contributors        TEXT NOT NULL,              -- JSON
    status              TEXT NOT NULL DEFAULT 'cited'
                        CHECK (status IN ('cited', 'challenged', 'confirmed', 'refuted')),
    adopted_in_verdict  TEXT,
    created_at          TEXT NOT NULL,
    parameters          TEXT,                       -- JSON
    content             TEXT NOT NULL,
    PRIMARY KEY (dialogue_id, round, seq)
) STRICT;
CREATE INDEX evidence_rev ON evidence (dialogue_id, rev);

CREATE TABLE claims (
    dialogue_id         TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    round               INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    seq                 INT  NOT NULL CHECK (seq BETWEEN 1 AND 99),
    rev                 INT  NOT NULL CHECK (rev >= 1),
    label               TEXT NOT NULL,
    contributors        TEXT NOT NULL,              -- JSON
    status              TEXT NOT NULL DEFAULT 'asserted'
                        CHECK (status IN ('asserted', 'supported', 'opposed', 'adopted', 'withdrawn')),
    adopted_in_verdict  TEXT,
    created_at          TEXT NOT NULL,
    parameters          TEXT,                       -- JSON
    content             TEXT NOT NULL,
    PRIMARY KEY (dialogue_id, round, seq)
) STRICT;
CREATE INDEX claims_rev ON claims (dialogue_id, rev);

-- ---- what connects them -------------------------------------------------------------------------------------------

-- Local ids and the bytes of a response that stand behind an entity. Several local ids may lead to one entity.
CREATE TABLE origins (
    dialogue_id      TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    local_id         TEXT NOT NULL,
    rev              INT  NOT NULL CHECK (rev >= 1),
    display_id       TEXT NOT NULL CHECK (display_id GLOB '[PRTEC][0-9][0-9][0-9][0-9]' AND display_id NOT GLOB '*00'),
    expert_slug      TEXT,
    round            INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    response_sha256  TEXT,
    range_start      INT  CHECK (range_start >= 0),
    range_end        INT  CHECK (range_end >= range_start),
    PRIMARY KEY (dialogue_id, local_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX origins_rev ON origins (dialogue_id, rev);

-- '@' stands for an expert's position as a whole: '@muffin'.
CREATE TABLE refs (
    dialogue_id  TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    source_id    TEXT NOT NULL,
    ref_type     TEXT NOT NULL,
    target_id    TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    source_type  TEXT NOT NULL CHECK (source_type IN ('P', 'R', 'T', 'E', 'C', '@')),
    target_type  TEXT NOT NULL CHECK (target_type IN ('P', 'R', 'T', 'E', 'C', '@')),
    round        INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    position     INT,
    created_at   TEXT NOT NULL,
    PRIMARY KEY (dialogue_id, source_id, ref_type, target_id),
    CHECK (ref_type IN ('support', 'oppose', 'refine', 'address', 'resolve', 'reopen', 'question', 'depend')),

    -- the id fits its type
    CHECK (substr(source_id, 1, 1) = source_type),
    CHECK (substr(target_id, 1, 1) = target_type),
    CHECK (source_id GLOB '[PRTEC][0-9][0-9][0-9][0-9]' AND source_id NOT GLOB '*00'
           OR source_id GLOB '@[a-z0-9]*' AND substr(source_id, 2) NOT GLOB '*[^a-z0-9-]*'),
    CHECK (target_id GLOB '[PRTEC][0-9][0-9][0-9][0-9]' AND target_id NOT GLOB '*00'
           OR target_id GLOB '@[a-z0-9]*' AND substr(target_id, 2) NOT GLOB '*[^a-z0-9-]*'),

    -- the type of reference fits what it connects
    CHECK (ref_type IN ('support', 'oppose', 'question', 'depend')
           OR ref_type IN ('resolve', 'reopen', 'address') AND target_type = 'T'
           OR ref_type = 'refine' AND source_type = target_type AND target_type <> '@')
) STRICT, WITHOUT ROWID;
CREATE INDEX refs_rev ON refs (dialogue_id, rev);

CREATE TABLE moves (
    dialogue_id  TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    round        INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    expert_slug  TEXT NOT NULL,
    seq          INT  NOT NULL CHECK (seq >= 1),
    rev          INT  NOT NULL CHECK (rev >= 1),
    position     INT,
    move_type    TEXT NOT NULL
                 CHECK (move_type IN ('defend', 'challenge', 'bridge', 'request', 'concede', 'converge')),
    targets      TEXT NOT NULL,                     -- JSON
    context      TEXT,
    created_at   TEXT NOT NULL,
    PRIMARY KEY (dialogue_id, round, expert_slug, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts (
    dialogue_id              TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    verdict_id               TEXT NOT NULL,
    rev                      INT  NOT NULL CHECK (rev >= 1),
    position                 INT,
    verdict_type             TEXT NOT NULL CHECK (verdict_type IN ('interim', 'final', 'minority', 'dissent')),
    round                    INT  NOT NULL CHECK (round BETWEEN 0 AND 99),
    author_expert            TEXT,                  -- NULL: the judge
    recommendation           TEXT NOT NULL,
    description              TEXT NOT NULL,
    conditions               TEXT,                  -- JSON, like all lists below
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
    PRIMARY KEY (dialogue_id, verdict_id)
) STRICT;
CREATE UNIQUE INDEX verdicts_final ON verdicts (dialogue_id) WHERE verdict_type = 'final';

-- ---- history ------------------------------------------------------------------------------------------------------

CREATE TABLE events (
    dialogue_id   TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    event_seq     INT  NOT NULL CHECK (event_seq >= 1),
    rev           INT  NOT NULL CHECK (rev >= 1),
    subject_type  TEXT NOT NULL
                  CHECK (subject_type IN ('P', 'R', 'T', 'E', 'C', 'D', 'X', 'N', 'O', 'S', 'V')),
    subject_id    TEXT NOT NULL,
    event_type    TEXT NOT NULL CHECK (event_type GLOB '[a-z]*' AND event_type NOT GLOB '*[^a-z_]*'),
    event_round   INT  CHECK (event_round BETWEEN 0 AND 99),
    actors        TEXT,                             -- JSON
    reason        TEXT,
    result_id     TEXT,
    reference     TEXT,
    data          TEXT,                             -- JSON
    covers        TEXT,                             -- JSON
    created_at    TEXT NOT NULL,
    hash          TEXT,
    PRIMARY KEY (dialogue_id, event_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_rev ON events (dialogue_id, rev);

-- Every write, by the key that makes it happen once. Rows are never deleted, so their numbers are 1, 2, 3 … in the
-- order of commits, in every copy of the database.
CREATE TABLE ops (
    number       INTEGER PRIMARY KEY,
    dialogue_id  TEXT NOT NULL REFERENCES dialogues (dialogue_id),
    op_id        TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    digest       TEXT,                              -- SHA-256 of the request
    created_at   TEXT,
    result       TEXT,                              -- what a replay answers
    UNIQUE (dialogue_id, op_id)
) STRICT;
CREATE UNIQUE INDEX ops_rev ON ops (dialogue_id, rev);
CREATE INDEX ops_first ON ops (op_id) WHERE rev = 1; -- what made the dialogues

-- ---- streams of the other rooms -----------------------------------------------------------------------------------

CREATE TABLE streams (
    stream    TEXT NOT NULL PRIMARY KEY,
    last_seq  INT  NOT NULL CHECK (last_seq >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE stream_messages (
    stream      TEXT NOT NULL REFERENCES streams (stream),
    seq         INT  NOT NULL CHECK (seq >= 1),     -- without gaps, in the order of commits
    op_id       TEXT,
    created_at  TEXT,
    message     TEXT NOT NULL,
    PRIMARY KEY (stream, seq)
) STRICT;
CREATE INDEX stream_messages_op ON stream_messages (stream, op_id, seq) WHERE op_id IS NOT NULL;

CREATE TABLE cursors (
    stream      TEXT NOT NULL,
    reader      TEXT NOT NULL,
    seq         INT  NOT NULL CHECK (seq >= 0),
    updated_at  TEXT,
    PRIMARY KEY (stream, reader)
) STRICT, WITHOUT ROWID;

-- ---- nothing is rewritten, nothing goes ---------------------------------------------------------------------------

CREATE TRIGGER panels_no_update BEFORE UPDATE ON panels
BEGIN SELECT RAISE(ABORT, 'panels are only added, never changed'); END;
CREATE TRIGGER responses_no_update BEFORE UPDATE ON responses
BEGIN SELECT RAISE(ABORT, 'responses are only added, never changed'); END;
CREATE TRIGGER origins_no_update BEFORE UPDATE ON origins
BEGIN SELECT RAISE(ABORT, 'origins are only added, never changed'); END;
CREATE TRIGGER refs_no_update BEFORE UPDATE ON refs
BEGIN SELECT RAISE(ABORT, 'refs are only added, never changed'); END;
CREATE TRIGGER moves_no_update BEFORE UPDATE ON moves
BEGIN SELECT RAISE(ABORT, 'moves are only added, never changed'); END;
CREATE TRIGGER verdicts_no_update BEFORE UPDATE ON verdicts
BEGIN SELECT RAISE(ABORT, 'verdicts are only added, never changed'); END;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are only added, never changed'); END;
CREATE TRIGGER ops_no_update BEFORE UPDATE ON ops
BEGIN SELECT RAISE(ABORT, 'ops are only added, never changed'); END;
CREATE TRIGGER stream_messages_no_update BEFORE UPDATE ON stream_messages
BEGIN SELECT RAISE(ABORT, 'stream_messages are only added, never changed'); END;

CREATE TRIGGER dialogues_same_key BEFORE UPDATE OF dialogue_id ON dialogues
BEGIN SELECT RAISE(ABORT, 'keys of dialogues never change'); END;
CREATE TRIGGER experts_same_key BEFORE UPDATE OF dialogue_id, expert_slug ON experts
BEGIN SELECT RAISE(ABORT, 'keys of experts never change'); END;
CREATE TRIGGER rounds_same_key BEFORE UPDATE OF dialogue_id, round ON rounds
BEGIN SELECT RAISE(ABORT, 'keys of rounds never change'); END;
CREATE TRIGGER scores_same_key BEFORE UPDATE OF dialogue_id, round, expert_slug ON scores
BEGIN SELECT RAISE(ABORT, 'keys of scores never change'); END;
CREATE TRIGGER perspectives_same_key BEFORE UPDATE OF dialogue_id, round, seq ON perspectives
BEGIN SELECT RAISE(ABORT, 'keys of perspectives never change'); END;
CREATE TRIGGER recommendations_same_key BEFORE UPDATE OF dialogue_id, round, seq ON recommendations
BEGIN SELECT RAISE(ABORT, 'keys of recommendations never change'); END;
CREATE TRIGGER tensions_same_key BEFORE UPDATE OF dialogue_id, round, seq ON tensions
BEGIN SELECT RAISE(ABORT, 'keys of tensions never change'); END;
CREATE TRIGGER evidence_same_key BEFORE UPDATE OF dialogue_id, round, seq ON evidence
BEGIN SELECT RAISE(ABORT, 'keys of evidence never change'); END;
CREATE TRIGGER claims_same_key BEFORE UPDATE OF dialogue_id, round, seq ON claims
BEGIN SELECT RAISE(ABORT, 'keys of claims never change'); END;
CREATE TRIGGER streams_same_key BEFORE UPDATE OF stream ON streams
BEGIN SELECT RAISE(ABORT, 'keys of streams never change'); END;

CREATE TRIGGER streams_forward BEFORE UPDATE OF last_seq ON streams WHEN new.last_seq <= old.last_seq
BEGIN SELECT RAISE(ABORT, 'streams only grow'); END;
CREATE TRIGGER cursors_forward BEFORE UPDATE ON cursors
WHEN new.stream <> old.stream OR new.reader <> old.reader OR new.seq < old.seq
BEGIN SELECT RAISE(ABORT, 'cursors only move forward'); END;

CREATE TRIGGER panels_no_delete BEFORE DELETE ON panels
BEGIN SELECT RAISE(ABORT, 'panels are never deleted'); END;
CREATE TRIGGER responses_no_delete BEFORE DELETE ON responses
BEGIN SELECT RAISE(ABORT, 'responses are never deleted'); END;
CREATE TRIGGER origins_no_delete BEFORE DELETE ON origins
BEGIN SELECT RAISE(ABORT, 'origins are never deleted'); END;
CREATE TRIGGER refs_no_delete BEFORE DELETE ON refs
BEGIN SELECT RAISE(ABORT, 'refs are never deleted'); END;
CREATE TRIGGER moves_no_delete BEFORE DELETE ON moves
BEGIN SELECT RAISE(ABORT, 'moves are never deleted'); END;
CREATE TRIGGER verdicts_no_delete BEFORE DELETE ON verdicts
BEGIN SELECT RAISE(ABORT, 'verdicts are never deleted'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER ops_no_delete BEFORE DELETE ON ops
BEGIN SELECT RAISE(ABORT, 'ops are never deleted'); END;
CREATE TRIGGER stream_messages_no_delete BEFORE DELETE ON stream_messages
BEGIN SELECT RAISE(ABORT, 'stream_messages are never deleted'); END;
CREATE TRIGGER dialogues_no_delete BEFORE DELETE ON dialogues
BEGIN SELECT RAISE(ABORT, 'dialogues are never deleted'); END;
CREATE TRIGGER experts_no_delete BEFORE DELETE ON experts
BEGIN SELECT RAISE(ABORT, 'experts are never deleted'); END;
CREATE TRIGGER rounds_no_delete BEFORE DELETE ON rounds
BEGIN SELECT RAISE(ABORT, 'rounds are never deleted'); END;
CREATE TRIGGER scores_no_delete BEFORE DELETE ON scores
BEGIN SELECT RAISE(ABORT, 'scores are never deleted'); END;
CREATE TRIGGER perspectives_no_delete BEFORE DELETE ON perspectives
BEGIN SELECT RAISE(ABORT, 'perspectives are never deleted'); END;
CREATE TRIGGER recommendations_no_delete BEFORE DELETE ON recommendations
BEGIN SELECT RAISE(ABORT, 'recommendations are never deleted'); END;
CREATE TRIGGER tensions_no_delete BEFORE DELETE ON tensions
BEGIN SELECT RAISE(ABORT, 'tensions are never deleted'); END;
CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence are never deleted'); END;
CREATE TRIGGER claims_no_delete BEFORE DELETE ON claims
BEGIN SELECT RAISE(ABORT, 'claims are never deleted'); END;
CREATE TRIGGER streams_no_delete BEFORE DELETE ON streams
BEGIN SELECT RAISE(ABORT, 'streams are never deleted'); END;
CREATE TRIGGER cursors_no_delete BEFORE DELETE ON cursors
BEGIN SELECT RAISE(ABORT, 'cursors are never deleted'); END;
CREATE TRIGGER schema_migrations_no_delete BEFORE DELETE ON schema_migrations
BEGIN SELECT RAISE(ABORT, 'schema_migrations are never deleted'); END;
