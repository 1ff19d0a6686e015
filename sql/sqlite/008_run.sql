-- 008_run.sql - the tables of runs (src/run/types.h).
--
-- A run is the scope ('run', dialogue). The last table is volatile.

CREATE TABLE runs (
    scope        INT  NOT NULL REFERENCES scopes (number),
    dialogue_id  TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    state        TEXT NOT NULL,
    reason       TEXT,
    message      TEXT,
    judge        TEXT,
    settings     TEXT,   -- JSON
    settled      INT,
    stopping     INT,
    started_at   TEXT NOT NULL,
    changed_at   TEXT NOT NULL,
    PRIMARY KEY (scope, dialogue_id)
) STRICT;
CREATE INDEX runs_rev ON runs (scope, rev, dialogue_id);

CREATE TABLE run_attempts (
    scope           INT  NOT NULL REFERENCES scopes (number),
    round           INT  NOT NULL,
    who             TEXT NOT NULL,
    attempt         INT  NOT NULL,
    rev             INT  NOT NULL CHECK (rev >= 1),
    task            TEXT NOT NULL,
    agent           TEXT NOT NULL,
    reach           TEXT NOT NULL,
    model           TEXT,
    state           TEXT NOT NULL,
    message         TEXT,
    started_at      TEXT NOT NULL,
    ended_at        TEXT,
    duration_ms     INT,
    markers         INT,
    exit_status     INT,
    http_status     INT,
    retry_after_ms  INT,
    tokens_in       INT,
    tokens_out      INT,
    cost            INT,
    prompt_bytes    INT,
    answer_bytes    INT,
    prompt_sha256   TEXT,
    answer_sha256   TEXT,
    output          TEXT,
    message_id      TEXT,
    tail            TEXT,
    faults          TEXT,
    answer          TEXT,
    PRIMARY KEY (scope, round, who, attempt)
) STRICT;

CREATE TABLE run_leases (
    scope        INT  NOT NULL REFERENCES scopes (number),
    dialogue_id  TEXT NOT NULL,
    host         TEXT,
    pid          INT,
    since        TEXT,
    until_ms     INT,
    PRIMARY KEY (scope, dialogue_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER runs_same_key BEFORE UPDATE OF scope, dialogue_id ON runs
BEGIN SELECT RAISE(ABORT, 'keys of runs never change'); END;
CREATE TRIGGER runs_no_delete BEFORE DELETE ON runs
BEGIN SELECT RAISE(ABORT, 'runs are never deleted'); END;
CREATE TRIGGER run_attempts_same_key BEFORE UPDATE OF scope, round, who, attempt ON run_attempts
BEGIN SELECT RAISE(ABORT, 'keys of run_attempts never change'); END;
CREATE TRIGGER run_attempts_no_delete BEFORE DELETE ON run_attempts
BEGIN SELECT RAISE(ABORT, 'run_attempts are never deleted'); END;
