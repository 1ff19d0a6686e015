-- 005_chat.sql - the tables of the chat room (src/chat/types.h).
--
-- One chat file is the scope ('chat', path). Messages are only ever added: they are the witness of what the file said. The
-- last three tables are volatile: they can be made again from the file.

CREATE TABLE chats (
    scope         INT  NOT NULL REFERENCES scopes (number),
    chat_id       TEXT NOT NULL,
    rev           INT  NOT NULL CHECK (rev >= 1),
    status        TEXT NOT NULL,
    purpose       TEXT,
    participants  TEXT,   -- JSON
    messages      INT  NOT NULL,
    chain         TEXT,
    created_at    TEXT NOT NULL,
    closed_at     TEXT,
    PRIMARY KEY (scope, chat_id)
) STRICT;
CREATE INDEX chats_rev ON chats (scope, rev, chat_id);

CREATE TABLE chat_messages (
    scope     INT  NOT NULL REFERENCES scopes (number),
    number    INT  NOT NULL,
    rev       INT  NOT NULL CHECK (rev >= 1),
    sender    TEXT NOT NULL,
    type      TEXT NOT NULL,
    tags      TEXT,
    sent_at   TEXT,
    reply_to  INT,
    behalf    TEXT,
    sha256    TEXT NOT NULL,
    chain     TEXT NOT NULL,
    origin    TEXT NOT NULL,
    standing  TEXT,
    seen_at   TEXT NOT NULL,
    head      TEXT,
    body      TEXT,
    PRIMARY KEY (scope, number)
) STRICT;
CREATE INDEX chat_messages_rev ON chat_messages (scope, rev, number);
CREATE INDEX chat_messages_type ON chat_messages (scope, type, number);

CREATE TABLE chat_queued (
    scope     INT  NOT NULL REFERENCES scopes (number),
    seq       INT  NOT NULL,
    rev       INT  NOT NULL CHECK (rev >= 1),
    state     TEXT NOT NULL,
    sender    TEXT NOT NULL,
    type      TEXT NOT NULL,
    tags      TEXT,
    reply_to  INT,
    behalf    TEXT,
    sent_at   TEXT NOT NULL,
    standing  TEXT,
    number    INT,
    reason    TEXT,
    body      TEXT,
    PRIMARY KEY (scope, seq)
) STRICT;
CREATE INDEX chat_queued_state ON chat_queued (scope, state, seq);

CREATE TABLE chat_alterations (
    scope     INT  NOT NULL REFERENCES scopes (number),
    number    INT  NOT NULL,
    rev       INT  NOT NULL CHECK (rev >= 1),
    kind      TEXT NOT NULL,
    state     TEXT NOT NULL,
    found_at  TEXT NOT NULL,
    head      TEXT,
    body      TEXT,
    PRIMARY KEY (scope, number)
) STRICT;

CREATE TABLE chat_seen (
    scope    INT  NOT NULL REFERENCES scopes (number),
    chat_id  TEXT NOT NULL,
    file     TEXT,
    PRIMARY KEY (scope, chat_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE chat_pointers (
    scope        INT  NOT NULL REFERENCES scopes (number),
    participant  TEXT NOT NULL,
    line         INT,
    place        INT,
    number       INT,
    PRIMARY KEY (scope, participant)
) STRICT, WITHOUT ROWID;

CREATE TABLE chat_intents (
    scope       INT  NOT NULL REFERENCES scopes (number),
    path        TEXT NOT NULL,
    old_sha256  TEXT,
    new_sha256  TEXT,
    bytes       TEXT,
    created_at  TEXT,
    PRIMARY KEY (scope, path)
) STRICT, WITHOUT ROWID;

-- ---- nothing is rewritten, nothing goes; only a text can be redacted ------------------------------------------------

CREATE TRIGGER chats_same_key BEFORE UPDATE OF scope, chat_id ON chats
BEGIN SELECT RAISE(ABORT, 'keys of chats never change'); END;
CREATE TRIGGER chats_no_delete BEFORE DELETE ON chats
BEGIN SELECT RAISE(ABORT, 'chats are never deleted'); END;
CREATE TRIGGER chat_messages_no_update BEFORE UPDATE OF scope, number, rev, sender, type, tags, sent_at, reply_to, behalf, sha256, chain, origin, standing, seen_at, head ON chat_messages
BEGIN SELECT RAISE(ABORT, 'chat_messages are only added, never changed'); END;
CREATE TRIGGER chat_messages_redacted BEFORE UPDATE OF body ON chat_messages
WHEN new.body IS NOT old.body AND coalesce(new.body NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'chat_messages are only added, never changed'); END;
CREATE TRIGGER chat_messages_no_delete BEFORE DELETE ON chat_messages
BEGIN SELECT RAISE(ABORT, 'chat_messages are never deleted'); END;
CREATE TRIGGER chat_queued_same_key BEFORE UPDATE OF scope, seq ON chat_queued
BEGIN SELECT RAISE(ABORT, 'keys of chat_queued never change'); END;
CREATE TRIGGER chat_queued_no_delete BEFORE DELETE ON chat_queued
BEGIN SELECT RAISE(ABORT, 'chat_queued are never deleted'); END;
CREATE TRIGGER chat_alterations_same_key BEFORE UPDATE OF scope, number ON chat_alterations
BEGIN SELECT RAISE(ABORT, 'keys of chat_alterations never change'); END;
CREATE TRIGGER chat_alterations_no_delete BEFORE DELETE ON chat_alterations
BEGIN SELECT RAISE(ABORT, 'chat_alterations are never deleted'); END;
