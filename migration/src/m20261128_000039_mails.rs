//! E-mails to members, links to set a new password, and notifications by e-mail.
//!
//! `mails` has a row for each e-mail, without its text: the text is composed when the e-mail is sent.
//! Data that cannot be composed again (a link, or an address that a person typed) is in the table
//! `secrets` until the e-mail has ended. `sending_since` is when the state became `enviando`. `reply` is
//! the code of the server's last reply.
//!
//! `password_resets` has the links for setting a new password, as SHA-256. Using one link deletes the
//! other links of the account.
//!
//! `mail_due_at` of a notification is when it may be sent by e-mail; `mail_id` is the e-mail that
//! contains it. The hours in `notification_settings` are in Brasilia time.

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
