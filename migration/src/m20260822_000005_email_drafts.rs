//! E-mail drafts.
//!
//! The HTML has a separate table, so that a list of drafts does not read it. A deleted draft keeps
//! its row without HTML (`html_length` is NULL). A new draft with the same name starts after the
//! last token, so a stale writer cannot overwrite it.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20260822_000005_email_drafts",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE email_drafts (
    template_id TEXT PRIMARY KEY,
    metadata TEXT NOT NULL,
    html_length BIGINT,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL REFERENCES members (id)
);
CREATE INDEX email_drafts_time ON email_drafts (updated_at DESC, template_id)
    WHERE html_length IS NOT NULL;

CREATE TABLE email_draft_html (
    template_id TEXT PRIMARY KEY REFERENCES email_drafts (template_id),
    html TEXT NOT NULL
);
";
