-- 008_run.sql - the tables of runs (src/run/types.h).
--
-- A run is the scope ('run', dialogue). The last table is volatile.

CREATE TABLE $schema.runs (
    scope        uuid NOT NULL,
    dialogue_id  text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    state        text COLLATE "C" NOT NULL,
    reason       text COLLATE "C",
    message      text COLLATE "C",
    judge        text COLLATE "C",
    settings     text COLLATE "C",   -- JSON
    settled      bigint,
    stopping     bigint,
    started_at   text COLLATE "C" NOT NULL,
    changed_at   text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, dialogue_id)
) /*partitioned*/;
CREATE INDEX runs_rev ON $schema.runs (scope, rev, dialogue_id);

CREATE TABLE $schema.run_attempts (
    scope           uuid NOT NULL,
    round           bigint NOT NULL,
    who             text COLLATE "C" NOT NULL,
    attempt         bigint NOT NULL,
    rev             bigint NOT NULL CHECK (rev >= 1),
    task            text COLLATE "C" NOT NULL,
    agent           text COLLATE "C" NOT NULL,
    reach           text COLLATE "C" NOT NULL,
    model           text COLLATE "C",
    state           text COLLATE "C" NOT NULL,
    message         text COLLATE "C",
    started_at      text COLLATE "C" NOT NULL,
    ended_at        text COLLATE "C",
    duration_ms     bigint,
    markers         bigint,
    exit_status     bigint,
    http_status     bigint,
    retry_after_ms  bigint,
    tokens_in       bigint,
    tokens_out      bigint,
    cost            bigint,
    prompt_bytes    bigint,
    answer_bytes    bigint,
    prompt_sha256   text COLLATE "C",
    answer_sha256   text COLLATE "C",
    output          text COLLATE "C",
    message_id      text COLLATE "C",
    tail            text COLLATE "C",
    faults          text COLLATE "C",
    answer          text COLLATE "C",
    PRIMARY KEY (scope, round, who, attempt)
) /*partitioned*/;

CREATE TABLE $schema.run_leases (
    scope        uuid NOT NULL,
    dialogue_id  text COLLATE "C" NOT NULL,
    host         text COLLATE "C",
    pid          bigint,
    since        text COLLATE "C",
    until_ms     bigint,
    PRIMARY KEY (scope, dialogue_id)
) /*partitioned*/;

CREATE TRIGGER runs_same_key BEFORE UPDATE OF scope, dialogue_id ON $schema.runs FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of runs never change');
CREATE TRIGGER runs_no_delete BEFORE DELETE ON $schema.runs FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('runs are never deleted');
CREATE TRIGGER run_attempts_same_key BEFORE UPDATE OF scope, round, who, attempt ON $schema.run_attempts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of run_attempts never change');
CREATE TRIGGER run_attempts_no_delete BEFORE DELETE ON $schema.run_attempts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('run_attempts are never deleted');

-- ---- long texts leave no samples in the server's statistics, where nobody could redact them ----------------------------

ALTER TABLE $schema.run_attempts ALTER COLUMN tail SET STATISTICS 0;
ALTER TABLE $schema.run_attempts ALTER COLUMN faults SET STATISTICS 0;
ALTER TABLE $schema.run_attempts ALTER COLUMN answer SET STATISTICS 0;
