-- 005_chat.sql - the tables of the chat room (src/chat/types.h).
--
-- One chat file is the scope ('chat', path). Messages are only ever added: they are the witness of what the file said. The
-- last three tables are volatile: they can be made again from the file.

CREATE TABLE $schema.chats (
    scope         uuid NOT NULL,
    chat_id       text COLLATE "C" NOT NULL,
    rev           bigint NOT NULL CHECK (rev >= 1),
    status        text COLLATE "C" NOT NULL,
    purpose       text COLLATE "C",
    participants  text COLLATE "C",   -- JSON
    messages      bigint NOT NULL,
    chain         text COLLATE "C",
    created_at    text COLLATE "C" NOT NULL,
    closed_at     text COLLATE "C",
    PRIMARY KEY (scope, chat_id)
) /*partitioned*/;
CREATE INDEX chats_rev ON $schema.chats (scope, rev, chat_id);

CREATE TABLE $schema.chat_messages (
    scope     uuid NOT NULL,
    number    bigint NOT NULL,
    rev       bigint NOT NULL CHECK (rev >= 1),
    sender    text COLLATE "C" NOT NULL,
    type      text COLLATE "C" NOT NULL,
    tags      text COLLATE "C",
    sent_at   text COLLATE "C",
    reply_to  bigint,
    behalf    text COLLATE "C",
    sha256    text COLLATE "C" NOT NULL,
    chain     text COLLATE "C" NOT NULL,
    origin    text COLLATE "C" NOT NULL,
    standing  text COLLATE "C",
    seen_at   text COLLATE "C" NOT NULL,
    head      text COLLATE "C",
    body      text COLLATE "C",
    PRIMARY KEY (scope, number)
) /*partitioned*/;
CREATE INDEX chat_messages_rev ON $schema.chat_messages (scope, rev, number);
CREATE INDEX chat_messages_type ON $schema.chat_messages (scope, type, number);

CREATE TABLE $schema.chat_queued (
    scope     uuid NOT NULL,
    seq       bigint NOT NULL,
    rev       bigint NOT NULL CHECK (rev >= 1),
    state     text COLLATE "C" NOT NULL,
    sender    text COLLATE "C" NOT NULL,
    type      text COLLATE "C" NOT NULL,
    tags      text COLLATE "C",
    reply_to  bigint,
    behalf    text COLLATE "C",
    sent_at   text COLLATE "C" NOT NULL,
    standing  text COLLATE "C",
    number    bigint,
    reason    text COLLATE "C",
    body      text COLLATE "C",
    PRIMARY KEY (scope, seq)
) /*partitioned*/;
CREATE INDEX chat_queued_state ON $schema.chat_queued (scope, state, seq);

CREATE TABLE $schema.chat_alterations (
    scope     uuid NOT NULL,
    number    bigint NOT NULL,
    rev       bigint NOT NULL CHECK (rev >= 1),
    kind      text COLLATE "C" NOT NULL,
    state     text COLLATE "C" NOT NULL,
    found_at  text COLLATE "C" NOT NULL,
    head      text COLLATE "C",
    body      text COLLATE "C",
    PRIMARY KEY (scope, number)
) /*partitioned*/;

CREATE TABLE $schema.chat_seen (
    scope    uuid NOT NULL,
    chat_id  text COLLATE "C" NOT NULL,
    file     text COLLATE "C",
    PRIMARY KEY (scope, chat_id)
) /*partitioned*/;

CREATE TABLE $schema.chat_pointers (
    scope        uuid NOT NULL,
    participant  text COLLATE "C" NOT NULL,
    line         bigint,
    place        bigint,
    number       bigint,
    PRIMARY KEY (scope, participant)
) /*partitioned*/;

CREATE TABLE $schema.chat_intents (
    scope       uuid NOT NULL,
    path        text COLLATE "C" NOT NULL,
    old_sha256  text COLLATE "C",
    new_sha256  text COLLATE "C",
    bytes       text COLLATE "C",
    created_at  text COLLATE "C",
    PRIMARY KEY (scope, path)
) /*partitioned*/;

-- ---- nothing is rewritten, nothing goes; only a text can be redacted ------------------------------------------------

CREATE TRIGGER chats_same_key BEFORE UPDATE OF scope, chat_id ON $schema.chats FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of chats never change');
CREATE TRIGGER chats_no_delete BEFORE DELETE ON $schema.chats FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('chats are never deleted');
CREATE TRIGGER chat_messages_no_update BEFORE UPDATE OF scope, number, rev, sender, type, tags, sent_at, reply_to, behalf, sha256, chain, origin, standing, seen_at, head ON $schema.chat_messages FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('chat_messages are only added, never changed');
CREATE TRIGGER chat_messages_redacted BEFORE UPDATE OF body ON $schema.chat_messages FOR EACH ROW
WHEN (new.body IS DISTINCT FROM old.body AND NOT $schema.is_redaction(new.body))
EXECUTE FUNCTION $schema.refuse_change('chat_messages are only added, never changed');
CREATE TRIGGER chat_messages_no_delete BEFORE DELETE ON $schema.chat_messages FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('chat_messages are never deleted');
CREATE TRIGGER chat_queued_same_key BEFORE UPDATE OF scope, seq ON $schema.chat_queued FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of chat_queued never change');
CREATE TRIGGER chat_queued_no_delete BEFORE DELETE ON $schema.chat_queued FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('chat_queued are never deleted');
CREATE TRIGGER chat_alterations_same_key BEFORE UPDATE OF scope, number ON $schema.chat_alterations FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of chat_alterations never change');
CREATE TRIGGER chat_alterations_no_delete BEFORE DELETE ON $schema.chat_alterations FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('chat_alterations are never deleted');

-- ---- long texts leave no samples in the server's statistics, where nobody could redact them ----------------------------

ALTER TABLE $schema.chat_messages ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE $schema.chat_queued ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE $schema.chat_alterations ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE $schema.chat_intents ALTER COLUMN bytes SET STATISTICS 0;
