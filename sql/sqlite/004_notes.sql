-- 004_notes.sql - the tables of the notes room (src/notes/types.h): what was found in files, once.
--
-- dialog_messages has the columns of the Inline Dialog Specification (agent_name, target, message_text, created_ymdhis,
-- mood_rgb, node_id, dialog_threads_id, message_type, is_broadcast) and where each message comes from. All rows belong to
-- the scope ('notes', 'log').

CREATE TABLE dialog_messages (
    scope              INT  NOT NULL REFERENCES scopes (number),
    path               TEXT NOT NULL,
    digest             TEXT NOT NULL,
    occurrence         INT  NOT NULL CHECK (occurrence >= 1),
    rev                INT  NOT NULL CHECK (rev >= 1),
    dialog_message_id  INT  NOT NULL CHECK (dialog_message_id >= 1),
    agent_name         TEXT NOT NULL,
    target             TEXT NOT NULL,
    created_ymdhis     INT  NOT NULL,
    mood_rgb           TEXT NOT NULL CHECK (length(mood_rgb) = 6),
    node_id            INT  NOT NULL,
    dialog_threads_id  INT,
    message_type       TEXT NOT NULL,
    is_broadcast       INT  NOT NULL CHECK (is_broadcast IN (0, 1)),
    source_kind        TEXT NOT NULL CHECK (source_kind IN ('header', 'inline', 'markdown')),
    line_start         INT  NOT NULL,
    line_end           INT  NOT NULL,
    container          TEXT NOT NULL,
    content_sha256     TEXT,
    ts_source          TEXT NOT NULL,
    status             TEXT NOT NULL,
    gone_at            TEXT,
    speaker            TEXT NOT NULL,                -- agent_name in lower case
    encoding           TEXT,                         -- 'escaped': bytes that are not UTF-8 stand as \xNN
    logged_at          TEXT NOT NULL,
    metadata_json      TEXT,                         -- JSON
    message_text       TEXT NOT NULL,
    PRIMARY KEY (scope, path, digest, occurrence)
) STRICT;
CREATE INDEX dialog_messages_rev ON dialog_messages (scope, rev, path, digest, occurrence);
CREATE INDEX dialog_messages_status ON dialog_messages (scope, path, status, digest, occurrence);
CREATE INDEX dialog_messages_number ON dialog_messages (scope, dialog_message_id, path, digest, occurrence);
CREATE INDEX dialog_messages_speaker ON dialog_messages (scope, speaker, dialog_message_id, path, digest, occurrence);
CREATE INDEX dialog_messages_thread ON dialog_messages (scope, dialog_threads_id, dialog_message_id, path, digest, occurrence)
WHERE dialog_threads_id IS NOT NULL;

CREATE TABLE dialog_addressees (
    scope   INT  NOT NULL REFERENCES scopes (number),
    name    TEXT NOT NULL,
    number  INT  NOT NULL,
    rev     INT  NOT NULL CHECK (rev >= 1),
    PRIMARY KEY (scope, name, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE dialog_threads (
    scope       INT  NOT NULL REFERENCES scopes (number),
    number      INT  NOT NULL CHECK (number >= 1),
    rev         INT  NOT NULL CHECK (rev >= 1),
    name        TEXT NOT NULL,
    status      TEXT NOT NULL,
    created_by  TEXT,
    created_at  TEXT NOT NULL,
    PRIMARY KEY (scope, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX dialog_threads_name ON dialog_threads (scope, name, number);

-- Volatile: what a file was when it was logged.
CREATE TABLE dialog_files (
    scope        INT  NOT NULL REFERENCES scopes (number),
    path         TEXT NOT NULL,
    sha256       TEXT,
    body_sha256  TEXT,
    logged_at    TEXT,
    PRIMARY KEY (scope, path)
) STRICT, WITHOUT ROWID;

-- Volatile: a change of a file that is under way.
CREATE TABLE dialog_intents (
    scope       INT  NOT NULL REFERENCES scopes (number),
    path        TEXT NOT NULL,
    old_sha256  TEXT,
    new_sha256  TEXT,
    created_at  TEXT,
    bytes       TEXT,
    PRIMARY KEY (scope, path)
) STRICT;

-- ---- what never changes, and never goes ------------------------------------------------------------------------------

CREATE TRIGGER dialog_messages_same_key BEFORE UPDATE OF scope, path, digest, occurrence ON dialog_messages
BEGIN SELECT RAISE(ABORT, 'keys of dialog_messages never change'); END;
CREATE TRIGGER dialog_threads_same_key BEFORE UPDATE OF scope, number ON dialog_threads
BEGIN SELECT RAISE(ABORT, 'keys of dialog_threads never change'); END;
CREATE TRIGGER dialog_addressees_no_update BEFORE UPDATE ON dialog_addressees
BEGIN SELECT RAISE(ABORT, 'dialog_addressees are only added, never changed'); END;

CREATE TRIGGER dialog_messages_no_delete BEFORE DELETE ON dialog_messages
BEGIN SELECT RAISE(ABORT, 'dialog_messages are never deleted'); END;
CREATE TRIGGER dialog_addressees_no_delete BEFORE DELETE ON dialog_addressees
BEGIN SELECT RAISE(ABORT, 'dialog_addressees are never deleted'); END;
CREATE TRIGGER dialog_threads_no_delete BEFORE DELETE ON dialog_threads
BEGIN SELECT RAISE(ABORT, 'dialog_threads are never deleted'); END;
