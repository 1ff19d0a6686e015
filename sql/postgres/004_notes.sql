-- 004_notes.sql - the tables of the notes room (src/notes/types.h): what was found in files, once.
--
-- dialog_messages has the columns of the Inline Dialog Specification (agent_name, target, message_text, created_ymdhis,
-- mood_rgb, node_id, dialog_threads_id, message_type, is_broadcast) and where each message comes from. All rows belong to
-- the scope ('notes', 'log').

CREATE TABLE $schema.dialog_messages (
    scope              uuid NOT NULL,
    path               text COLLATE "C" NOT NULL,
    digest             text COLLATE "C" NOT NULL,
    occurrence         bigint NOT NULL CHECK (occurrence >= 1),
    rev                bigint NOT NULL CHECK (rev >= 1),
    dialog_message_id  bigint NOT NULL CHECK (dialog_message_id >= 1),
    agent_name         text COLLATE "C" NOT NULL,
    target             text COLLATE "C" NOT NULL,
    created_ymdhis     bigint NOT NULL,
    mood_rgb           text COLLATE "C" NOT NULL CHECK (length(mood_rgb) = 6),
    node_id            bigint NOT NULL,
    dialog_threads_id  bigint,
    message_type       text COLLATE "C" NOT NULL,
    is_broadcast       bigint NOT NULL CHECK (is_broadcast IN (0, 1)),
    source_kind        text COLLATE "C" NOT NULL CHECK (source_kind IN ('header', 'inline', 'markdown')),
    line_start         bigint NOT NULL,
    line_end           bigint NOT NULL,
    container          text COLLATE "C" NOT NULL,
    content_sha256     text COLLATE "C",
    ts_source          text COLLATE "C" NOT NULL,
    status             text COLLATE "C" NOT NULL,
    gone_at            text COLLATE "C",
    speaker            text COLLATE "C" NOT NULL,                -- agent_name in lower case
    encoding           text COLLATE "C",                         -- 'escaped': bytes that are not UTF-8 stand as \xNN
    logged_at          text COLLATE "C" NOT NULL,
    metadata_json      text COLLATE "C",                         -- JSON
    message_text       text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, path, digest, occurrence)
) /*partitioned*/;
CREATE INDEX dialog_messages_rev ON $schema.dialog_messages (scope, rev, path, digest, occurrence);
CREATE INDEX dialog_messages_status ON $schema.dialog_messages (scope, path, status, digest, occurrence);
CREATE INDEX dialog_messages_number ON $schema.dialog_messages (scope, dialog_message_id, path, digest, occurrence);
CREATE INDEX dialog_messages_speaker ON $schema.dialog_messages (scope, speaker, dialog_message_id, path, digest, occurrence);
CREATE INDEX dialog_messages_thread ON $schema.dialog_messages (scope, dialog_threads_id, dialog_message_id, path, digest, occurrence)
WHERE dialog_threads_id IS NOT NULL;

CREATE TABLE $schema.dialog_addressees (
    scope   uuid NOT NULL,
    name    text COLLATE "C" NOT NULL,
    number  bigint NOT NULL,
    rev     bigint NOT NULL CHECK (rev >= 1),
    PRIMARY KEY (scope, name, number)
) /*partitioned*/;

CREATE TABLE $schema.dialog_threads (
    scope       uuid NOT NULL,
    number      bigint NOT NULL CHECK (number >= 1),
    rev         bigint NOT NULL CHECK (rev >= 1),
    name        text COLLATE "C" NOT NULL,
    status      text COLLATE "C" NOT NULL,
    created_by  text COLLATE "C",
    created_at  text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, number)
) /*partitioned*/;
CREATE INDEX dialog_threads_name ON $schema.dialog_threads (scope, name, number);

-- Volatile: what a file was when it was logged.
CREATE TABLE $schema.dialog_files (
    scope        uuid NOT NULL,
    path         text COLLATE "C" NOT NULL,
    sha256       text COLLATE "C",
    body_sha256  text COLLATE "C",
    logged_at    text COLLATE "C",
    PRIMARY KEY (scope, path)
) /*partitioned*/;

-- Volatile: a change of a file that is under way.
CREATE TABLE $schema.dialog_intents (
    scope       uuid NOT NULL,
    path        text COLLATE "C" NOT NULL,
    old_sha256  text COLLATE "C",
    new_sha256  text COLLATE "C",
    created_at  text COLLATE "C",
    bytes       text COLLATE "C",
    PRIMARY KEY (scope, path)
) /*partitioned*/;

-- ---- what never changes, and never goes ------------------------------------------------------------------------------

CREATE TRIGGER dialog_messages_same_key BEFORE UPDATE OF scope, path, digest, occurrence ON $schema.dialog_messages FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of dialog_messages never change');
CREATE TRIGGER dialog_threads_same_key BEFORE UPDATE OF scope, number ON $schema.dialog_threads FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of dialog_threads never change');
CREATE TRIGGER dialog_addressees_no_update BEFORE UPDATE ON $schema.dialog_addressees FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('dialog_addressees are only added, never changed');

CREATE TRIGGER dialog_messages_no_delete BEFORE DELETE ON $schema.dialog_messages FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('dialog_messages are never deleted');
CREATE TRIGGER dialog_addressees_no_delete BEFORE DELETE ON $schema.dialog_addressees FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('dialog_addressees are never deleted');
CREATE TRIGGER dialog_threads_no_delete BEFORE DELETE ON $schema.dialog_threads FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('dialog_threads are never deleted');

-- ---- long texts leave no samples in the server's statistics, where nobody could redact them ----------------------------

ALTER TABLE $schema.dialog_messages ALTER COLUMN message_text SET STATISTICS 0;
ALTER TABLE $schema.dialog_messages ALTER COLUMN metadata_json SET STATISTICS 0;
ALTER TABLE $schema.dialog_intents ALTER COLUMN bytes SET STATISTICS 0;
