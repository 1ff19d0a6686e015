-- 006_mail.sql - the tables of the mail room (src/mail/types.h).
--
-- A post office is the scope ('mail', name of its folder). A message is only ever added; deliveries, mailboxes, slots,
-- plans and tasks have a present state and never go; signs of life come and go.

CREATE TABLE mail_messages (
    scope           INT  NOT NULL REFERENCES scopes (number),
    message_id      TEXT NOT NULL,
    rev             INT  NOT NULL CHECK (rev >= 1),
    sender          TEXT NOT NULL,
    addressed       TEXT,                            -- JSON
    command         TEXT NOT NULL,
    writing         TEXT NOT NULL,
    thread_id       TEXT,
    correlation_id  TEXT,
    reply_to        TEXT,
    plan            TEXT,
    task_id         TEXT,
    priority        INT,
    expires_at      TEXT,
    supersedes      TEXT,
    hops            INT,
    sent_at         TEXT NOT NULL,
    accepted_at     TEXT NOT NULL,
    size            INT,
    standing        TEXT,
    digest          TEXT,
    content         TEXT,
    extra           TEXT,
    PRIMARY KEY (scope, message_id)
) STRICT;
CREATE INDEX mail_messages_rev ON mail_messages (scope, rev, message_id);
CREATE INDEX mail_messages_sender ON mail_messages (scope, sender, rev, message_id);
CREATE INDEX mail_messages_thread ON mail_messages (scope, thread_id, rev, message_id)
    WHERE thread_id IS NOT NULL;
CREATE INDEX mail_messages_task ON mail_messages (scope, task_id, rev, message_id)
    WHERE task_id IS NOT NULL;

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
) STRICT;
CREATE INDEX mail_deliveries_turn ON mail_deliveries (scope, mailbox, turn, seq)
    WHERE turn IS NOT NULL;
CREATE INDEX mail_deliveries_open ON mail_deliveries (scope, mailbox, open, seq)
    WHERE open IS NOT NULL;
CREATE INDEX mail_deliveries_lease ON mail_deliveries (scope, mailbox, lease_until, seq)
    WHERE lease_until IS NOT NULL;
CREATE INDEX mail_deliveries_message ON mail_deliveries (scope, message_id, mailbox, seq);
CREATE INDEX mail_deliveries_dead ON mail_deliveries (scope, dead, mailbox, seq)
    WHERE dead IS NOT NULL;

CREATE TABLE mail_mailboxes (
    scope        INT  NOT NULL REFERENCES scopes (number),
    agent        TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    agent_id     TEXT NOT NULL,
    slot         INT,
    next_seq     INT  NOT NULL,
    seen         INT,
    waiting      INT,
    done         INT,
    dead         INT,
    expired      INT,
    superseded   INT,
    sent         INT,
    last_digest  TEXT,
    minute       INT,
    in_minute    INT,
    created_at   TEXT NOT NULL,
    PRIMARY KEY (scope, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE mail_slots (
    scope       INT  NOT NULL REFERENCES scopes (number),
    slot        INT  NOT NULL,
    rev         INT  NOT NULL CHECK (rev >= 1),
    agent       TEXT,
    free        INT,
    changed_at  TEXT NOT NULL,
    PRIMARY KEY (scope, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_slots_free ON mail_slots (scope, free, slot)
    WHERE free IS NOT NULL;

CREATE TABLE mail_presence (
    scope      INT  NOT NULL REFERENCES scopes (number),
    agent      TEXT NOT NULL,
    last_seen  INT  NOT NULL,
    session    TEXT,
    act        TEXT,
    PRIMARY KEY (scope, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE mail_plans (
    scope        INT  NOT NULL REFERENCES scopes (number),
    plan         TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    created_by   TEXT,
    request_id   TEXT,
    parent_plan  TEXT,
    parent       TEXT,
    depth        INT,
    tasks        INT,
    completed    INT,
    failed       INT,
    created_at   TEXT NOT NULL,
    goal         TEXT,
    PRIMARY KEY (scope, plan)
) STRICT;

CREATE TABLE mail_tasks (
    scope         INT  NOT NULL REFERENCES scopes (number),
    plan          TEXT NOT NULL,
    task_id       TEXT NOT NULL,
    rev           INT  NOT NULL CHECK (rev >= 1),
    number        INT  NOT NULL,
    action        TEXT NOT NULL,
    target_agent  TEXT NOT NULL,
    status        TEXT NOT NULL,
    priority      INT,
    depends_on    TEXT,                              -- JSON
    waits_for     INT,
    ready         INT,
    parent_plan   TEXT,
    parent        TEXT,
    depth         INT,
    message_id    TEXT,
    mailbox       TEXT,
    seq           INT,
    created_by    TEXT,
    created_at    TEXT NOT NULL,
    updated_at    TEXT,
    params        TEXT,
    extra         TEXT,
    PRIMARY KEY (scope, plan, task_id)
) STRICT;
CREATE INDEX mail_tasks_rev ON mail_tasks (scope, rev, plan, task_id);
CREATE INDEX mail_tasks_ready ON mail_tasks (scope, ready, number, plan, task_id)
    WHERE ready IS NOT NULL;
CREATE INDEX mail_tasks_ready_for ON mail_tasks (scope, mailbox, ready, number, plan, task_id)
    WHERE mailbox IS NOT NULL AND ready IS NOT NULL;
CREATE INDEX mail_tasks_id ON mail_tasks (scope, task_id, plan);
CREATE INDEX mail_tasks_number ON mail_tasks (scope, plan, number, task_id);
CREATE INDEX mail_tasks_parent ON mail_tasks (scope, parent_plan, parent, number, plan, task_id)
    WHERE parent_plan IS NOT NULL AND parent IS NOT NULL;

CREATE TABLE mail_needs (
    scope    INT  NOT NULL REFERENCES scopes (number),
    plan     TEXT NOT NULL,
    needs    TEXT NOT NULL,
    task_id  TEXT NOT NULL,
    rev      INT  NOT NULL CHECK (rev >= 1),
    PRIMARY KEY (scope, plan, needs, task_id)
) STRICT, WITHOUT ROWID;

-- ---- what never changes, and never goes ------------------------------------------------------------------------------

CREATE TRIGGER mail_deliveries_same_key BEFORE UPDATE OF scope, mailbox, seq ON mail_deliveries
BEGIN SELECT RAISE(ABORT, 'keys of mail_deliveries never change'); END;
CREATE TRIGGER mail_mailboxes_same_key BEFORE UPDATE OF scope, agent ON mail_mailboxes
BEGIN SELECT RAISE(ABORT, 'keys of mail_mailboxes never change'); END;
CREATE TRIGGER mail_slots_same_key BEFORE UPDATE OF scope, slot ON mail_slots
BEGIN SELECT RAISE(ABORT, 'keys of mail_slots never change'); END;
CREATE TRIGGER mail_plans_same_key BEFORE UPDATE OF scope, plan ON mail_plans
BEGIN SELECT RAISE(ABORT, 'keys of mail_plans never change'); END;
CREATE TRIGGER mail_tasks_same_key BEFORE UPDATE OF scope, plan, task_id ON mail_tasks
BEGIN SELECT RAISE(ABORT, 'keys of mail_tasks never change'); END;
CREATE TRIGGER mail_messages_no_update BEFORE UPDATE OF scope, message_id, rev, sender, addressed, command,
    writing, thread_id, correlation_id, reply_to, plan, task_id, priority, expires_at, supersedes, hops, sent_at,
    accepted_at, size, standing, digest ON mail_messages
BEGIN SELECT RAISE(ABORT, 'mail_messages are only added, never changed'); END;
CREATE TRIGGER mail_messages_redacted_content BEFORE UPDATE OF content ON mail_messages
WHEN new.content IS NOT old.content AND coalesce(new.content NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'mail_messages are only added, never changed'); END;
CREATE TRIGGER mail_messages_redacted_extra BEFORE UPDATE OF extra ON mail_messages
WHEN new.extra IS NOT old.extra AND coalesce(new.extra NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'mail_messages are only added, never changed'); END;
CREATE TRIGGER mail_needs_no_update BEFORE UPDATE ON mail_needs
BEGIN SELECT RAISE(ABORT, 'mail_needs are only added, never changed'); END;

CREATE TRIGGER mail_messages_no_delete BEFORE DELETE ON mail_messages
BEGIN SELECT RAISE(ABORT, 'mail_messages are never deleted'); END;
CREATE TRIGGER mail_deliveries_no_delete BEFORE DELETE ON mail_deliveries
BEGIN SELECT RAISE(ABORT, 'mail_deliveries are never deleted'); END;
CREATE TRIGGER mail_mailboxes_no_delete BEFORE DELETE ON mail_mailboxes
BEGIN SELECT RAISE(ABORT, 'mail_mailboxes are never deleted'); END;
CREATE TRIGGER mail_slots_no_delete BEFORE DELETE ON mail_slots
BEGIN SELECT RAISE(ABORT, 'mail_slots are never deleted'); END;
CREATE TRIGGER mail_plans_no_delete BEFORE DELETE ON mail_plans
BEGIN SELECT RAISE(ABORT, 'mail_plans are never deleted'); END;
CREATE TRIGGER mail_tasks_no_delete BEFORE DELETE ON mail_tasks
BEGIN SELECT RAISE(ABORT, 'mail_tasks are never deleted'); END;
CREATE TRIGGER mail_needs_no_delete BEFORE DELETE ON mail_needs
BEGIN SELECT RAISE(ABORT, 'mail_needs are never deleted'); END;

-- ---- prompts, the governance log, reports, states (src/mail/prompt_types.h) --------------------------------------------

CREATE TABLE mail_prompts (
    scope        INT  NOT NULL REFERENCES scopes (number),
    request_id   TEXT NOT NULL,
    rev          INT  NOT NULL CHECK (rev >= 1),
    number       INT  NOT NULL,
    state        TEXT NOT NULL,
    current      INT,
    turn         INT,
    template     TEXT,
    staged_by    TEXT,
    staged_at    TEXT NOT NULL,
    taken_by     TEXT,
    taken_at     TEXT,
    answered_at  TEXT,
    fetched_at   TEXT,
    source       TEXT,
    message_id   TEXT,
    text         TEXT,
    answer       TEXT,
    PRIMARY KEY (scope, request_id)
) STRICT;
CREATE INDEX mail_prompts_current ON mail_prompts (scope, current, request_id)
    WHERE current IS NOT NULL;
CREATE INDEX mail_prompts_turn ON mail_prompts (scope, turn, request_id)
    WHERE turn IS NOT NULL;
CREATE INDEX mail_prompts_number ON mail_prompts (scope, number, request_id);
CREATE INDEX mail_prompts_source ON mail_prompts (scope, source, request_id)
    WHERE source IS NOT NULL;

CREATE TABLE mail_log (
    scope         INT  NOT NULL REFERENCES scopes (number),
    number        INT  NOT NULL,
    rev           INT  NOT NULL CHECK (rev >= 1),
    event_id      TEXT NOT NULL,
    timestamp     TEXT NOT NULL,
    event_type    TEXT NOT NULL,
    agent_source  TEXT,
    prev          TEXT NOT NULL,
    hash          TEXT NOT NULL,
    details       TEXT,
    PRIMARY KEY (scope, number)
) STRICT;
CREATE INDEX mail_log_rev ON mail_log (scope, rev, number);

CREATE TABLE mail_papers (
    scope       INT  NOT NULL REFERENCES scopes (number),
    path        TEXT NOT NULL,
    rev         INT  NOT NULL CHECK (rev >= 1),
    kind        TEXT NOT NULL,
    agent       TEXT,
    title       TEXT,
    created_at  TEXT NOT NULL,
    updated_at  TEXT,
    text        TEXT,
    PRIMARY KEY (scope, path)
) STRICT;
CREATE INDEX mail_papers_rev ON mail_papers (scope, rev, path);
CREATE INDEX mail_papers_kind ON mail_papers (scope, kind, path);

CREATE TABLE mail_values (
    scope    INT  NOT NULL REFERENCES scopes (number),
    owner    TEXT NOT NULL,
    name     TEXT NOT NULL,
    rev      INT  NOT NULL CHECK (rev >= 1),
    version  INT  NOT NULL,
    set_by   TEXT,
    set_at   TEXT NOT NULL,
    value    TEXT,
    PRIMARY KEY (scope, owner, name)
) STRICT;
CREATE TRIGGER mail_prompts_same_key BEFORE UPDATE OF scope, request_id ON mail_prompts
BEGIN SELECT RAISE(ABORT, 'keys of mail_prompts never change'); END;
CREATE TRIGGER mail_prompts_no_delete BEFORE DELETE ON mail_prompts
BEGIN SELECT RAISE(ABORT, 'mail_prompts are never deleted'); END;
CREATE TRIGGER mail_log_no_update BEFORE UPDATE OF scope, number, rev, event_id, timestamp, event_type, agent_source, prev, hash ON mail_log
BEGIN SELECT RAISE(ABORT, 'mail_log are only added, never changed'); END;
CREATE TRIGGER mail_log_redacted_details BEFORE UPDATE OF details ON mail_log
WHEN new.details IS NOT old.details AND coalesce(new.details NOT GLOB '{"redacted_sha256":"*"}', 1)
BEGIN SELECT RAISE(ABORT, 'mail_log are only added, never changed'); END;
CREATE TRIGGER mail_log_no_delete BEFORE DELETE ON mail_log
BEGIN SELECT RAISE(ABORT, 'mail_log are never deleted'); END;
CREATE TRIGGER mail_papers_same_key BEFORE UPDATE OF scope, path ON mail_papers
BEGIN SELECT RAISE(ABORT, 'keys of mail_papers never change'); END;
CREATE TRIGGER mail_papers_no_delete BEFORE DELETE ON mail_papers
BEGIN SELECT RAISE(ABORT, 'mail_papers are never deleted'); END;
CREATE TRIGGER mail_values_same_key BEFORE UPDATE OF scope, owner, name ON mail_values
BEGIN SELECT RAISE(ABORT, 'keys of mail_values never change'); END;
CREATE TRIGGER mail_values_no_delete BEFORE DELETE ON mail_values
BEGIN SELECT RAISE(ABORT, 'mail_values are never deleted'); END;
