-- 002_dialogue.sql - the tables of the dialogue room (src/dialogue/types.h).
--
-- A dialogue is the scope ('dialogue', id). What is history is only ever added; what has a present state may change but
-- never goes. Which words, numbers and references are right is the program's business, and `conclave verify` asks it.

CREATE TABLE $schema.dialogues (
    scope               uuid NOT NULL,
    id                  text COLLATE "C" NOT NULL,
    rev                 bigint NOT NULL CHECK (rev >= 1),
    title               text COLLATE "C" NOT NULL,
    status              text COLLATE "C" NOT NULL,
    created_at          text COLLATE "C" NOT NULL,
    converged_at        text COLLATE "C",
    total_rounds        bigint,
    total_alignment     bigint,
    output_dir          text COLLATE "C",
    calibrated          bigint,
    domain_id           text COLLATE "C",
    ethos_id            text COLLATE "C",
    panel_size          bigint,
    rotation            text COLLATE "C",
    seed                bigint,
    convergence_target  text COLLATE "C",                -- a decimal between 0 and 1, as written
    strict_convergence  bigint,
    calibration         text COLLATE "C",                -- JSON
    expert_pool         text COLLATE "C",                -- JSON
    question            text COLLATE "C",
    background          text COLLATE "C",                -- JSON
    PRIMARY KEY (scope, id)
) /*partitioned*/;
CREATE INDEX dialogues_rev ON $schema.dialogues (scope, rev, id);
CREATE INDEX dialogues_status ON $schema.dialogues (status, id, scope);
CREATE INDEX dialogues_created ON $schema.dialogues (created_at, scope, id);

CREATE TABLE $schema.experts (
    scope            uuid NOT NULL,
    expert_slug      text COLLATE "C" NOT NULL,
    rev              bigint NOT NULL CHECK (rev >= 1),
    position         bigint,
    role             text COLLATE "C" NOT NULL,
    focus            text COLLATE "C",
    tier             text COLLATE "C" NOT NULL,
    source           text COLLATE "C" NOT NULL,
    relevance        text COLLATE "C",                   -- a decimal between 0 and 1, as written
    creation_reason  text COLLATE "C",
    color            text COLLATE "C",
    total_score      bigint,
    first_round      bigint,
    created_at       text COLLATE "C" NOT NULL,
    description      text COLLATE "C",
    PRIMARY KEY (scope, expert_slug)
) /*partitioned*/;

CREATE TABLE $schema.panels (
    scope        uuid NOT NULL,
    round        bigint NOT NULL,
    expert_slug  text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    position     bigint,
    source       text COLLATE "C" NOT NULL,
    focus        text COLLATE "C",
    PRIMARY KEY (scope, round, expert_slug)
) /*partitioned*/;

CREATE TABLE $schema.rounds (
    scope             uuid NOT NULL,
    round             bigint NOT NULL,
    rev               bigint NOT NULL CHECK (rev >= 1),
    title             text COLLATE "C",
    score             bigint NOT NULL,
    score_components  text COLLATE "C",                  -- JSON
    status            text COLLATE "C" NOT NULL,
    created_at        text COLLATE "C" NOT NULL,
    completed_at      text COLLATE "C",
    summary           text COLLATE "C",
    PRIMARY KEY (scope, round)
) /*partitioned*/;
CREATE INDEX rounds_rev ON $schema.rounds (scope, rev, round);

CREATE TABLE $schema.scores (
    scope             uuid NOT NULL,
    round             bigint NOT NULL,
    expert_slug       text COLLATE "C" NOT NULL,
    rev               bigint NOT NULL CHECK (rev >= 1),
    score             bigint NOT NULL,
    score_components  text COLLATE "C",                  -- JSON
    PRIMARY KEY (scope, round, expert_slug)
) /*partitioned*/;

CREATE TABLE $schema.responses (
    scope        uuid NOT NULL,
    round        bigint NOT NULL,
    expert_slug  text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    sha256       text COLLATE "C",
    created_at   text COLLATE "C" NOT NULL,
    content      text COLLATE "C",                       -- NULL: there was nothing to say
    PRIMARY KEY (scope, round, expert_slug)
) /*partitioned*/;
CREATE INDEX responses_rev ON $schema.responses (scope, rev, round, expert_slug);

CREATE TABLE $schema.entities (
    scope               uuid NOT NULL,
    kind                text COLLATE "C" NOT NULL,       -- a letter
    round               bigint NOT NULL,
    seq                 bigint NOT NULL,
    rev                 bigint NOT NULL CHECK (rev >= 1),
    label               text COLLATE "C" NOT NULL,
    contributors        text COLLATE "C" NOT NULL,       -- JSON
    status              text COLLATE "C" NOT NULL,
    adopted_in_verdict  text COLLATE "C",
    created_at          text COLLATE "C" NOT NULL,
    parameters          text COLLATE "C",                -- JSON
    content             text COLLATE "C" NOT NULL,
    correction          text COLLATE "C",                -- JSON: who changed label or content since, and why
    PRIMARY KEY (scope, kind, round, seq)
) /*partitioned*/;
CREATE INDEX entities_rev ON $schema.entities (scope, rev, kind, round, seq);

CREATE TABLE $schema.origins (
    scope            uuid NOT NULL,
    local_id         text COLLATE "C" NOT NULL,
    rev              bigint NOT NULL CHECK (rev >= 1),
    display_id       text COLLATE "C" NOT NULL,
    expert_slug      text COLLATE "C",
    round            bigint NOT NULL,
    response_sha256  text COLLATE "C",
    range_start      bigint,
    range_end        bigint,
    PRIMARY KEY (scope, local_id)
) /*partitioned*/;
CREATE INDEX origins_rev ON $schema.origins (scope, rev, local_id);
CREATE INDEX origins_display ON $schema.origins (scope, display_id, local_id);

CREATE TABLE $schema.refs (
    scope        uuid NOT NULL,
    source_id    text COLLATE "C" NOT NULL,
    ref_type     text COLLATE "C" NOT NULL,
    target_id    text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    source_type  text COLLATE "C" NOT NULL,
    target_type  text COLLATE "C" NOT NULL,
    round        bigint NOT NULL,
    position     bigint,
    created_at   text COLLATE "C" NOT NULL,
    reason       text COLLATE "C",                       -- what its expert said of it
    PRIMARY KEY (scope, source_id, ref_type, target_id)
) /*partitioned*/;
CREATE INDEX refs_target ON $schema.refs (scope, target_id, source_id, ref_type);

CREATE TABLE $schema.moves (
    scope        uuid NOT NULL,
    round        bigint NOT NULL,
    expert_slug  text COLLATE "C" NOT NULL,
    seq          bigint NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    position     bigint,
    move_type    text COLLATE "C" NOT NULL,
    targets      text COLLATE "C" NOT NULL,              -- JSON
    created_at   text COLLATE "C" NOT NULL,
    context      text COLLATE "C",
    PRIMARY KEY (scope, round, expert_slug, seq)
) /*partitioned*/;

CREATE TABLE $schema.verdicts (
    scope                    uuid NOT NULL,
    verdict_id               text COLLATE "C" NOT NULL,
    rev                      bigint NOT NULL CHECK (rev >= 1),
    position                 bigint,
    verdict_type             text COLLATE "C" NOT NULL,
    round                    bigint NOT NULL,
    author_expert            text COLLATE "C",           -- NULL: the judge
    recommendation           text COLLATE "C" NOT NULL,
    conditions               text COLLATE "C",           -- JSON, like all lists below
    vote                     text COLLATE "C",
    confidence               text COLLATE "C",
    tensions_resolved        text COLLATE "C",
    tensions_accepted        text COLLATE "C",
    recommendations_adopted  text COLLATE "C",
    key_evidence             text COLLATE "C",
    key_claims               text COLLATE "C",
    supporting_experts       text COLLATE "C",
    ethos_compliance         text COLLATE "C",
    warning                  text COLLATE "C",
    created_at               text COLLATE "C" NOT NULL,
    description              text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, verdict_id)
) /*partitioned*/;
CREATE INDEX verdicts_rev ON $schema.verdicts (scope, rev, verdict_id);

-- What an expert said in a round besides items, references and moves.
CREATE TABLE $schema.positions (
    scope        uuid NOT NULL,
    round        bigint NOT NULL,
    expert_slug  text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    created_at   text COLLATE "C" NOT NULL,
    content      text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, round, expert_slug)
) /*partitioned*/;

-- Volatile: a dialogue that was put here from an export.
CREATE TABLE $schema.imports (
    scope       uuid NOT NULL,
    digest      text COLLATE "C" NOT NULL,
    created_at  text COLLATE "C",
    PRIMARY KEY (scope, digest)
) /*partitioned*/;

-- ---- nothing is rewritten, nothing goes; only a text can be redacted ----------------------------------------------

CREATE TRIGGER dialogues_same_key BEFORE UPDATE OF scope, id ON $schema.dialogues FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of dialogues never change');
CREATE TRIGGER experts_same_key BEFORE UPDATE OF scope, expert_slug ON $schema.experts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of experts never change');
CREATE TRIGGER panels_no_update BEFORE UPDATE ON $schema.panels FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('panels are only added, never changed');
CREATE TRIGGER rounds_same_key BEFORE UPDATE OF scope, round ON $schema.rounds FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of rounds never change');
CREATE TRIGGER scores_same_key BEFORE UPDATE OF scope, round, expert_slug ON $schema.scores FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of scores never change');
CREATE TRIGGER responses_same_key BEFORE UPDATE OF scope, round, expert_slug ON $schema.responses FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of responses never change');
CREATE TRIGGER entities_same_key BEFORE UPDATE OF scope, kind, round, seq ON $schema.entities FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of entities never change');
CREATE TRIGGER origins_no_update BEFORE UPDATE ON $schema.origins FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('origins are only added, never changed');
CREATE TRIGGER refs_no_update BEFORE UPDATE OF scope, source_id, ref_type, target_id, rev, source_type, target_type,
    round, position, created_at ON $schema.refs FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('refs are only added, never changed');
CREATE TRIGGER refs_redacted BEFORE UPDATE OF reason ON $schema.refs FOR EACH ROW
WHEN (new.reason IS DISTINCT FROM old.reason AND NOT $schema.is_redaction(new.reason))
EXECUTE FUNCTION $schema.refuse_change('refs are only added, never changed');
CREATE TRIGGER positions_no_update BEFORE UPDATE OF scope, round, expert_slug, rev, created_at
    ON $schema.positions FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('positions are only added, never changed');
CREATE TRIGGER positions_redacted BEFORE UPDATE OF content ON $schema.positions FOR EACH ROW
WHEN (new.content IS DISTINCT FROM old.content AND NOT $schema.is_redaction(new.content))
EXECUTE FUNCTION $schema.refuse_change('positions are only added, never changed');
CREATE TRIGGER moves_no_update BEFORE UPDATE OF scope, round, expert_slug, seq, rev, position, move_type, targets,
    created_at ON $schema.moves FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('moves are only added, never changed');
CREATE TRIGGER moves_redacted BEFORE UPDATE OF context ON $schema.moves FOR EACH ROW
WHEN (new.context IS DISTINCT FROM old.context AND NOT $schema.is_redaction(new.context))
EXECUTE FUNCTION $schema.refuse_change('moves are only added, never changed');
CREATE TRIGGER verdicts_no_update BEFORE UPDATE OF scope, verdict_id, rev, position, verdict_type, round,
    author_expert, recommendation, conditions, vote, confidence, tensions_resolved, tensions_accepted,
    recommendations_adopted, key_evidence, key_claims, supporting_experts, ethos_compliance, warning, created_at ON $schema.verdicts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('verdicts are only added, never changed');
CREATE TRIGGER verdicts_redacted BEFORE UPDATE OF description ON $schema.verdicts FOR EACH ROW
WHEN (new.description IS DISTINCT FROM old.description AND NOT $schema.is_redaction(new.description))
EXECUTE FUNCTION $schema.refuse_change('verdicts are only added, never changed');

CREATE TRIGGER dialogues_no_delete BEFORE DELETE ON $schema.dialogues FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('dialogues are never deleted');
CREATE TRIGGER experts_no_delete BEFORE DELETE ON $schema.experts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('experts are never deleted');
CREATE TRIGGER panels_no_delete BEFORE DELETE ON $schema.panels FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('panels are never deleted');
CREATE TRIGGER rounds_no_delete BEFORE DELETE ON $schema.rounds FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('rounds are never deleted');
CREATE TRIGGER scores_no_delete BEFORE DELETE ON $schema.scores FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('scores are never deleted');
CREATE TRIGGER responses_no_delete BEFORE DELETE ON $schema.responses FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('responses are never deleted');
CREATE TRIGGER entities_no_delete BEFORE DELETE ON $schema.entities FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('entities are never deleted');
CREATE TRIGGER origins_no_delete BEFORE DELETE ON $schema.origins FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('origins are never deleted');
CREATE TRIGGER refs_no_delete BEFORE DELETE ON $schema.refs FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('refs are never deleted');
CREATE TRIGGER moves_no_delete BEFORE DELETE ON $schema.moves FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('moves are never deleted');
CREATE TRIGGER positions_no_delete BEFORE DELETE ON $schema.positions FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('positions are never deleted');
CREATE TRIGGER verdicts_no_delete BEFORE DELETE ON $schema.verdicts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('verdicts are never deleted');

-- ---- the five kinds of entities by their names, for people who ask with psql -----------------------------------

CREATE VIEW $schema.perspectives AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM $schema.entities AS e JOIN $schema.scopes AS s ON s.scope = e.scope WHERE e.kind = 'P';
CREATE VIEW $schema.recommendations AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM $schema.entities AS e JOIN $schema.scopes AS s ON s.scope = e.scope WHERE e.kind = 'R';
CREATE VIEW $schema.tensions AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content AS description
FROM $schema.entities AS e JOIN $schema.scopes AS s ON s.scope = e.scope WHERE e.kind = 'T';
CREATE VIEW $schema.evidence AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM $schema.entities AS e JOIN $schema.scopes AS s ON s.scope = e.scope WHERE e.kind = 'E';
CREATE VIEW $schema.claims AS
SELECT s.name AS dialogue_id, e.round, e.seq, e.rev, e.label, e.contributors, e.status, e.adopted_in_verdict, e.created_at,
    e.parameters, e.content
FROM $schema.entities AS e JOIN $schema.scopes AS s ON s.scope = e.scope WHERE e.kind = 'C';

-- ---- long texts leave no samples in the server's statistics, where nobody could redact them ----------------------------

ALTER TABLE $schema.dialogues ALTER COLUMN question SET STATISTICS 0;
ALTER TABLE $schema.dialogues ALTER COLUMN background SET STATISTICS 0;
ALTER TABLE $schema.experts ALTER COLUMN description SET STATISTICS 0;
ALTER TABLE $schema.rounds ALTER COLUMN summary SET STATISTICS 0;
ALTER TABLE $schema.responses ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE $schema.entities ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE $schema.entities ALTER COLUMN correction SET STATISTICS 0;
ALTER TABLE $schema.refs ALTER COLUMN reason SET STATISTICS 0;
ALTER TABLE $schema.positions ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE $schema.moves ALTER COLUMN context SET STATISTICS 0;
ALTER TABLE $schema.verdicts ALTER COLUMN description SET STATISTICS 0;
