-- 015_fewer_pages.sql - a write changes fewer pages.
--
-- One index of the commits makes an op_id unique in its scope and finds it across scopes. Deliveries have no table beside
-- their key.

CREATE TEMP TABLE old_commits AS SELECT * FROM commits;
DROP TABLE commits;
CREATE TABLE commits (
    number      INTEGER PRIMARY KEY,
    scope       INT  NOT NULL REFERENCES scopes (number),
    rev         INT  NOT NULL CHECK (rev >= 1),
    op_id       TEXT NOT NULL,
    operation   TEXT,                                -- "room verb"
    digest      TEXT,                                -- SHA-256 of the request
    created_at  TEXT NOT NULL,
    head        TEXT NOT NULL,                       -- hash of the last event of the write
    result      TEXT                                 -- what a replay answers, JSON
) STRICT;
INSERT INTO commits SELECT number, scope, rev, op_id, operation, digest, created_at, head, result FROM old_commits;
DROP TABLE old_commits;
CREATE UNIQUE INDEX commits_rev ON commits (scope, rev);
CREATE UNIQUE INDEX commits_op ON commits (op_id, scope);

CREATE TRIGGER commits_no_update BEFORE UPDATE OF number, scope, rev, op_id, operation, digest, created_at, head
    ON commits
BEGIN SELECT RAISE(ABORT, 'commits are only added, never changed'); END;
CREATE TRIGGER commits_redacted BEFORE UPDATE OF result ON commits
WHEN coalesce(new.result NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'commits are only added, never changed'); END;
CREATE TRIGGER commits_no_delete BEFORE DELETE ON commits
BEGIN SELECT RAISE(ABORT, 'commits are never deleted'); END;

CREATE TEMP TABLE old_deliveries AS SELECT * FROM mail_deliveries;
DROP TABLE mail_deliveries;
CREATE TABLE mail_deliveries (
    scope          INT  NOT NULL REFERENCES scopes (number),
    mailbox        TEXT NOT NULL,
    seq            INT  NOT NULL,
    rev            INT  NOT NULL CHECK (rev >= 1),
    message_id     TEXT NOT NULL,
    state          TEXT NOT NULL,
    open           INT,
    dead           INT,
    turn           INT,
    priority       INT,
    attempts       INT,
    token          INT,
    lease_until    INT,
    expires_ms     INT,
    session        TEXT,
    claimed_at     TEXT,
    settled_at     TEXT,
    superseded_by  TEXT,
    reason         TEXT,
    output         TEXT,
    error          TEXT,
    PRIMARY KEY (scope, mailbox, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO mail_deliveries SELECT scope, mailbox, seq, rev, message_id, state, open, dead, turn, priority, attempts,
    token, lease_until, expires_ms, session, claimed_at, settled_at, superseded_by, reason, output, error
    FROM old_deliveries;
DROP TABLE old_deliveries;
CREATE INDEX mail_deliveries_turn ON mail_deliveries (scope, mailbox, turn, seq)
    WHERE turn IS NOT NULL;
CREATE INDEX mail_deliveries_open ON mail_deliveries (scope, mailbox, open, seq)
    WHERE open IS NOT NULL;
CREATE INDEX mail_deliveries_lease ON mail_deliveries (scope, mailbox, lease_until, seq)
    WHERE lease_until IS NOT NULL;
CREATE INDEX mail_deliveries_expiry ON mail_deliveries (scope, mailbox, open, expires_ms, seq)
    WHERE open IS NOT NULL AND expires_ms IS NOT NULL;
CREATE INDEX mail_deliveries_message ON mail_deliveries (scope, message_id, mailbox, seq);
CREATE INDEX mail_deliveries_dead ON mail_deliveries (scope, dead, mailbox, seq)
    WHERE dead IS NOT NULL;

CREATE TRIGGER mail_deliveries_same_key BEFORE UPDATE OF scope, mailbox, seq ON mail_deliveries
BEGIN SELECT RAISE(ABORT, 'keys of mail_deliveries never change'); END;
CREATE TRIGGER mail_deliveries_no_delete BEFORE DELETE ON mail_deliveries
BEGIN SELECT RAISE(ABORT, 'mail_deliveries are never deleted'); END;
