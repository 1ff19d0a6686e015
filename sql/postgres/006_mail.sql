-- 006_mail.sql - the tables of the mail room (src/mail/types.h).
--
-- A post office is the scope ('mail', name of its folder). A message is only ever added; deliveries, mailboxes, slots,
-- plans and tasks have a present state and never go; signs of life come and go.

CREATE TABLE $schema.mail_messages (
    scope           uuid NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    rev             bigint NOT NULL CHECK (rev >= 1),
    sender          text COLLATE "C" NOT NULL,
    addressed       text COLLATE "C",                       -- JSON
    command         text COLLATE "C" NOT NULL,
    writing         text COLLATE "C" NOT NULL,
    thread_id       text COLLATE "C",
    correlation_id  text COLLATE "C",
    reply_to        text COLLATE "C",
    plan            text COLLATE "C",
    task_id         text COLLATE "C",
    priority        bigint,
    expires_at      text COLLATE "C",
    supersedes      text COLLATE "C",
    hops            bigint,
    sent_at         text COLLATE "C" NOT NULL,
    accepted_at     text COLLATE "C" NOT NULL,
    size            bigint,
    standing        text COLLATE "C",
    digest          text COLLATE "C",
    content         text COLLATE "C",
    extra           text COLLATE "C",
    PRIMARY KEY (scope, message_id)
) /*partitioned*/;
CREATE INDEX mail_messages_rev ON $schema.mail_messages (scope, rev, message_id);
CREATE INDEX mail_messages_sender ON $schema.mail_messages (scope, sender, rev, message_id);
CREATE INDEX mail_messages_thread ON $schema.mail_messages (scope, thread_id, rev, message_id)
    WHERE thread_id IS NOT NULL;
CREATE INDEX mail_messages_task ON $schema.mail_messages (scope, task_id, rev, message_id)
    WHERE task_id IS NOT NULL;

CREATE TABLE $schema.mail_deliveries (
    scope          uuid NOT NULL,
    mailbox        text COLLATE "C" NOT NULL,
    seq            bigint NOT NULL,
    rev            bigint NOT NULL CHECK (rev >= 1),
    message_id     text COLLATE "C" NOT NULL,
    state          text COLLATE "C" NOT NULL,
    open           bigint,
    dead           bigint,
    turn           bigint,
    priority       bigint,
    attempts       bigint,
    token          bigint,
    lease_until    bigint,
    expires_ms     bigint,
    session        text COLLATE "C",
    claimed_at     text COLLATE "C",
    settled_at     text COLLATE "C",
    superseded_by  text COLLATE "C",
    reason         text COLLATE "C",
    output         text COLLATE "C",
    error          text COLLATE "C",
    PRIMARY KEY (scope, mailbox, seq)
) /*partitioned*/;
CREATE INDEX mail_deliveries_turn ON $schema.mail_deliveries (scope, mailbox, turn, seq)
    WHERE turn IS NOT NULL;
CREATE INDEX mail_deliveries_open ON $schema.mail_deliveries (scope, mailbox, open, seq)
    WHERE open IS NOT NULL;
CREATE INDEX mail_deliveries_lease ON $schema.mail_deliveries (scope, mailbox, lease_until, seq)
    WHERE lease_until IS NOT NULL;
CREATE INDEX mail_deliveries_message ON $schema.mail_deliveries (scope, message_id, mailbox, seq);
CREATE INDEX mail_deliveries_dead ON $schema.mail_deliveries (scope, dead, mailbox, seq)
    WHERE dead IS NOT NULL;

CREATE TABLE $schema.mail_mailboxes (
    scope        uuid NOT NULL,
    agent        text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    agent_id     text COLLATE "C" NOT NULL,
    slot         bigint,
    next_seq     bigint NOT NULL,
    seen         bigint,
    waiting      bigint,
    done         bigint,
    dead         bigint,
    expired      bigint,
    superseded   bigint,
    sent         bigint,
    last_digest  text COLLATE "C",
    minute       bigint,
    in_minute    bigint,
    created_at   text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, agent)
) /*partitioned*/;

CREATE TABLE $schema.mail_slots (
    scope       uuid NOT NULL,
    slot        bigint NOT NULL,
    rev         bigint NOT NULL CHECK (rev >= 1),
    agent       text COLLATE "C",
    free        bigint,
    changed_at  text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, slot)
) /*partitioned*/;
CREATE INDEX mail_slots_free ON $schema.mail_slots (scope, free, slot)
    WHERE free IS NOT NULL;

CREATE TABLE $schema.mail_presence (
    scope      uuid NOT NULL,
    agent      text COLLATE "C" NOT NULL,
    last_seen  bigint NOT NULL,
    session    text COLLATE "C",
    act        text COLLATE "C",
    PRIMARY KEY (scope, agent)
) /*partitioned*/;

CREATE TABLE $schema.mail_plans (
    scope        uuid NOT NULL,
    plan         text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    created_by   text COLLATE "C",
    request_id   text COLLATE "C",
    parent_plan  text COLLATE "C",
    parent       text COLLATE "C",
    depth        bigint,
    tasks        bigint,
    completed    bigint,
    failed       bigint,
    created_at   text COLLATE "C" NOT NULL,
    goal         text COLLATE "C",
    PRIMARY KEY (scope, plan)
) /*partitioned*/;

CREATE TABLE $schema.mail_tasks (
    scope         uuid NOT NULL,
    plan          text COLLATE "C" NOT NULL,
    task_id       text COLLATE "C" NOT NULL,
    rev           bigint NOT NULL CHECK (rev >= 1),
    number        bigint NOT NULL,
    action        text COLLATE "C" NOT NULL,
    target_agent  text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    priority      bigint,
    depends_on    text COLLATE "C",                         -- JSON
    waits_for     bigint,
    ready         bigint,
    parent_plan   text COLLATE "C",
    parent        text COLLATE "C",
    depth         bigint,
    message_id    text COLLATE "C",
    mailbox       text COLLATE "C",
    seq           bigint,
    created_by    text COLLATE "C",
    created_at    text COLLATE "C" NOT NULL,
    updated_at    text COLLATE "C",
    params        text COLLATE "C",
    extra         text COLLATE "C",
    PRIMARY KEY (scope, plan, task_id)
) /*partitioned*/;
CREATE INDEX mail_tasks_rev ON $schema.mail_tasks (scope, rev, plan, task_id);
CREATE INDEX mail_tasks_ready ON $schema.mail_tasks (scope, ready, number, plan, task_id)
    WHERE ready IS NOT NULL;
CREATE INDEX mail_tasks_ready_for ON $schema.mail_tasks (scope, mailbox, ready, number, plan, task_id)
    WHERE mailbox IS NOT NULL AND ready IS NOT NULL;
CREATE INDEX mail_tasks_id ON $schema.mail_tasks (scope, task_id, plan);
CREATE INDEX mail_tasks_number ON $schema.mail_tasks (scope, plan, number, task_id);
CREATE INDEX mail_tasks_parent ON $schema.mail_tasks (scope, parent_plan, parent, number, plan, task_id)
    WHERE parent_plan IS NOT NULL AND parent IS NOT NULL;

CREATE TABLE $schema.mail_needs (
    scope    uuid NOT NULL,
    plan     text COLLATE "C" NOT NULL,
    needs    text COLLATE "C" NOT NULL,
    task_id  text COLLATE "C" NOT NULL,
    rev      bigint NOT NULL CHECK (rev >= 1),
    PRIMARY KEY (scope, plan, needs, task_id)
) /*partitioned*/;

-- ---- what never changes, and never goes ------------------------------------------------------------------------------

CREATE TRIGGER mail_deliveries_same_key BEFORE UPDATE OF scope, mailbox, seq ON $schema.mail_deliveries FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_deliveries never change');
CREATE TRIGGER mail_mailboxes_same_key BEFORE UPDATE OF scope, agent ON $schema.mail_mailboxes FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_mailboxes never change');
CREATE TRIGGER mail_slots_same_key BEFORE UPDATE OF scope, slot ON $schema.mail_slots FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_slots never change');
CREATE TRIGGER mail_plans_same_key BEFORE UPDATE OF scope, plan ON $schema.mail_plans FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_plans never change');
CREATE TRIGGER mail_tasks_same_key BEFORE UPDATE OF scope, plan, task_id ON $schema.mail_tasks FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_tasks never change');
CREATE TRIGGER mail_messages_no_update BEFORE UPDATE OF scope, message_id, rev, sender, addressed, command,
    writing, thread_id, correlation_id, reply_to, plan, task_id, priority, expires_at, supersedes, hops, sent_at,
    accepted_at, size, standing, digest ON $schema.mail_messages FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_messages are only added, never changed');
CREATE TRIGGER mail_messages_redacted_content BEFORE UPDATE OF content ON $schema.mail_messages FOR EACH ROW
WHEN (new.content IS DISTINCT FROM old.content AND NOT $schema.is_redaction(new.content))
EXECUTE FUNCTION $schema.refuse_change('mail_messages are only added, never changed');
CREATE TRIGGER mail_messages_redacted_extra BEFORE UPDATE OF extra ON $schema.mail_messages FOR EACH ROW
WHEN (new.extra IS DISTINCT FROM old.extra AND NOT $schema.is_redaction(new.extra))
EXECUTE FUNCTION $schema.refuse_change('mail_messages are only added, never changed');
CREATE TRIGGER mail_needs_no_update BEFORE UPDATE ON $schema.mail_needs FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_needs are only added, never changed');

CREATE TRIGGER mail_messages_no_delete BEFORE DELETE ON $schema.mail_messages FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_messages are never deleted');
CREATE TRIGGER mail_deliveries_no_delete BEFORE DELETE ON $schema.mail_deliveries FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_deliveries are never deleted');
CREATE TRIGGER mail_mailboxes_no_delete BEFORE DELETE ON $schema.mail_mailboxes FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_mailboxes are never deleted');
CREATE TRIGGER mail_slots_no_delete BEFORE DELETE ON $schema.mail_slots FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_slots are never deleted');
CREATE TRIGGER mail_plans_no_delete BEFORE DELETE ON $schema.mail_plans FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_plans are never deleted');
CREATE TRIGGER mail_tasks_no_delete BEFORE DELETE ON $schema.mail_tasks FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_tasks are never deleted');
CREATE TRIGGER mail_needs_no_delete BEFORE DELETE ON $schema.mail_needs FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_needs are never deleted');

-- ---- long texts leave no samples in the server's statistics, where nobody could redact them ----------------------------

ALTER TABLE $schema.mail_messages ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE $schema.mail_messages ALTER COLUMN extra SET STATISTICS 0;
ALTER TABLE $schema.mail_deliveries ALTER COLUMN output SET STATISTICS 0;
ALTER TABLE $schema.mail_deliveries ALTER COLUMN error SET STATISTICS 0;
ALTER TABLE $schema.mail_plans ALTER COLUMN goal SET STATISTICS 0;
ALTER TABLE $schema.mail_tasks ALTER COLUMN params SET STATISTICS 0;
ALTER TABLE $schema.mail_tasks ALTER COLUMN extra SET STATISTICS 0;

-- ---- prompts, the governance log, reports, states (src/mail/prompt_types.h) --------------------------------------------

CREATE TABLE $schema.mail_prompts (
    scope        uuid NOT NULL,
    request_id   text COLLATE "C" NOT NULL,
    rev          bigint NOT NULL CHECK (rev >= 1),
    number       bigint NOT NULL,
    state        text COLLATE "C" NOT NULL,
    current      bigint,
    turn         bigint,
    template     text COLLATE "C",
    staged_by    text COLLATE "C",
    staged_at    text COLLATE "C" NOT NULL,
    taken_by     text COLLATE "C",
    taken_at     text COLLATE "C",
    answered_at  text COLLATE "C",
    fetched_at   text COLLATE "C",
    source       text COLLATE "C",
    message_id   text COLLATE "C",
    text         text COLLATE "C",
    answer       text COLLATE "C",
    PRIMARY KEY (scope, request_id)
) /*partitioned*/;
CREATE INDEX mail_prompts_current ON $schema.mail_prompts (scope, current, request_id)
    WHERE current IS NOT NULL;
CREATE INDEX mail_prompts_turn ON $schema.mail_prompts (scope, turn, request_id)
    WHERE turn IS NOT NULL;
CREATE INDEX mail_prompts_number ON $schema.mail_prompts (scope, number, request_id);
CREATE INDEX mail_prompts_source ON $schema.mail_prompts (scope, source, request_id)
    WHERE source IS NOT NULL;

CREATE TABLE $schema.mail_log (
    scope         uuid NOT NULL,
    number        bigint NOT NULL,
    rev           bigint NOT NULL CHECK (rev >= 1),
    event_id      text COLLATE "C" NOT NULL,
    timestamp     text COLLATE "C" NOT NULL,
    event_type    text COLLATE "C" NOT NULL,
    agent_source  text COLLATE "C",
    prev          text COLLATE "C" NOT NULL,
    hash          text COLLATE "C" NOT NULL,
    details       text COLLATE "C",
    PRIMARY KEY (scope, number)
) /*partitioned*/;
CREATE INDEX mail_log_rev ON $schema.mail_log (scope, rev, number);

CREATE TABLE $schema.mail_papers (
    scope       uuid NOT NULL,
    path        text COLLATE "C" NOT NULL,
    rev         bigint NOT NULL CHECK (rev >= 1),
    kind        text COLLATE "C" NOT NULL,
    agent       text COLLATE "C",
    title       text COLLATE "C",
    created_at  text COLLATE "C" NOT NULL,
    updated_at  text COLLATE "C",
    text        text COLLATE "C",
    PRIMARY KEY (scope, path)
) /*partitioned*/;
CREATE INDEX mail_papers_rev ON $schema.mail_papers (scope, rev, path);
CREATE INDEX mail_papers_kind ON $schema.mail_papers (scope, kind, path);

CREATE TABLE $schema.mail_values (
    scope    uuid NOT NULL,
    owner    text COLLATE "C" NOT NULL,
    name     text COLLATE "C" NOT NULL,
    rev      bigint NOT NULL CHECK (rev >= 1),
    version  bigint NOT NULL,
    set_by   text COLLATE "C",
    set_at   text COLLATE "C" NOT NULL,
    value    text COLLATE "C",
    PRIMARY KEY (scope, owner, name)
) /*partitioned*/;
CREATE TRIGGER mail_prompts_same_key BEFORE UPDATE OF scope, request_id ON $schema.mail_prompts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_prompts never change');
CREATE TRIGGER mail_prompts_no_delete BEFORE DELETE ON $schema.mail_prompts FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_prompts are never deleted');
CREATE TRIGGER mail_log_no_update BEFORE UPDATE OF scope, number, rev, event_id, timestamp, event_type, agent_source, prev, hash ON $schema.mail_log FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_log are only added, never changed');
CREATE TRIGGER mail_log_redacted_details BEFORE UPDATE OF details ON $schema.mail_log FOR EACH ROW
WHEN (new.details IS DISTINCT FROM old.details AND NOT $schema.is_redaction(new.details))
EXECUTE FUNCTION $schema.refuse_change('mail_log are only added, never changed');
CREATE TRIGGER mail_log_no_delete BEFORE DELETE ON $schema.mail_log FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_log are never deleted');
CREATE TRIGGER mail_papers_same_key BEFORE UPDATE OF scope, path ON $schema.mail_papers FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_papers never change');
CREATE TRIGGER mail_papers_no_delete BEFORE DELETE ON $schema.mail_papers FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_papers are never deleted');
CREATE TRIGGER mail_values_same_key BEFORE UPDATE OF scope, owner, name ON $schema.mail_values FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of mail_values never change');
CREATE TRIGGER mail_values_no_delete BEFORE DELETE ON $schema.mail_values FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('mail_values are never deleted');

ALTER TABLE $schema.mail_prompts ALTER COLUMN text SET STATISTICS 0;
ALTER TABLE $schema.mail_prompts ALTER COLUMN answer SET STATISTICS 0;
ALTER TABLE $schema.mail_log ALTER COLUMN details SET STATISTICS 0;
ALTER TABLE $schema.mail_papers ALTER COLUMN text SET STATISTICS 0;
ALTER TABLE $schema.mail_values ALTER COLUMN value SET STATISTICS 0;
