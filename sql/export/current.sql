-- conclave notes: lupo_dialog_messages

CREATE TABLE IF NOT EXISTS lupo_dialog_messages (
    dialog_message_id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    dialog_thread_id bigint,
    channel_id bigint,
    from_actor_id bigint,
    to_actor_id bigint,
    message_text varchar(1000) NOT NULL,
    message_type enum('text','command','system','error') DEFAULT 'text',
    metadata_json json,
    mood_rgb char(6),
    mood_framework varchar(32) DEFAULT 'western_analytical',
    created_ymdhis bigint NOT NULL,
    updated_ymdhis bigint NOT NULL,
    is_deleted tinyint NOT NULL DEFAULT 0,
    deleted_ymdhis bigint,
    message_body mediumtext
);
-- each message
INSERT INTO lupo_dialog_messages (dialog_message_id, dialog_thread_id, channel_id, from_actor_id, to_actor_id, message_text, message_type, metadata_json, mood_rgb, mood_framework, created_ymdhis, updated_ymdhis, is_deleted, deleted_ymdhis, message_body) VALUES (:number, :thread, NULL, NULL, NULL, :text, :type, :metadata, :mood, 'western_analytical', :created, :created, 0, NULL, :body);
