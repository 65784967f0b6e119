//! E-mails to members, links to set a new password, and notifications by e-mail.
//!
//! `mails` has a row for each e-mail, without its text: that is made when it is sent. What it carries
//! that cannot be made again (a link, or the address that somebody typed) is in the table `secrets`
//! until it has ended. `sending_since` is when the state became `enviando`. `reply` is the code of
//! the server's last reply.
//!
//! `password_resets` has the links of accounts, as their SHA-256. A used one ends the others.
//!
//! `mail_due_at` of a notification is when it may be sent by e-mail; `mail_id` is the e-mail that has
//! it. Hours are of Brasilia.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000039_mails",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE mails (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    member_id TEXT REFERENCES members (id),
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    first_attempt_at BIGINT,
    due_at BIGINT NOT NULL,
    sending_since BIGINT,
    ended_at BIGINT,
    reply BIGINT
);
CREATE INDEX mails_due ON mails (due_at) WHERE state = 'pendente';
CREATE INDEX mails_sending ON mails (sending_since) WHERE state = 'enviando';
CREATE INDEX mails_of_member ON mails (member_id, kind, created_at);
CREATE INDEX mails_ended ON mails (member_id, ended_at) WHERE state IN ('enviado', 'devolvido');
CREATE INDEX mails_old ON mails (created_at);

CREATE TABLE password_resets (
    token_sha256 TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX password_resets_of_account ON password_resets (user_id);

ALTER TABLE notifications ADD COLUMN mail_due_at BIGINT;
ALTER TABLE notifications ADD COLUMN mail_id TEXT;
CREATE INDEX notifications_to_mail ON notifications (mail_due_at, member_id)
    WHERE mail_due_at IS NOT NULL;
CREATE INDEX notifications_of_mail ON notifications (mail_id) WHERE mail_id IS NOT NULL;

ALTER TABLE notification_settings ADD COLUMN quiet_from BIGINT;
ALTER TABLE notification_settings ADD COLUMN quiet_until BIGINT;
ALTER TABLE notification_settings ADD COLUMN digest_hour BIGINT;
";
