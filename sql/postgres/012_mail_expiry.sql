-- 012_mail_expiry.sql - messages whose time is over, and that nobody has settled, are found without looking at the others.

CREATE INDEX mail_deliveries_expiry ON $schema.mail_deliveries (scope, mailbox, open, expires_ms, seq)
    WHERE open IS NOT NULL AND expires_ms IS NOT NULL;
