-- conclave notes: dialog_messages

CREATE TABLE IF NOT EXISTS dialog_messages (
    dialog_message_id BIGINT PRIMARY KEY,
    agent_name VARCHAR(255) NOT NULL,
    target VARCHAR(1000) NOT NULL,
    message_text TEXT NOT NULL,
    created_ymdhis BIGINT NOT NULL,
    mood_rgb CHAR(6) NOT NULL DEFAULT '666666',
    node_id BIGINT NOT NULL DEFAULT 1,
    dialog_threads_id BIGINT,
    message_type VARCHAR(20) NOT NULL DEFAULT 'text',
    is_broadcast SMALLINT NOT NULL DEFAULT 0,
    metadata_json TEXT
);
-- each message
INSERT INTO dialog_messages (dialog_message_id, agent_name, target, message_text, created_ymdhis, mood_rgb, node_id, dialog_threads_id, message_type, is_broadcast, metadata_json) VALUES (:number, :agent, :target, :text, :created, :mood, :node, :thread, :type, :broadcast, :metadata);
