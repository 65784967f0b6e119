//! Notifications: the kinds, and what a member wants to be told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{EventId, text_enum};

text_enum! {
    /// What a notification is about.
    pub enum NotificationKind {
        /// The member was assigned to a piece.
        Assigned = "atribuicao",
        /// A remark mentions the member.
        Mentioned = "mencao",
        /// A piece waits for the member's decision.
        Awaited = "decisao",
        /// A piece of the member was approved or refused.
        Decided = "decidida",
        /// A piece of the member was published.
        Published = "publicada",
        /// A publication failed, or its outcome is unknown.
        Failed = "falha",
        /// The connection to a network ends soon or has ended.
        Connection = "conexao",
        /// An agent was connected to the member's account.
        Agent = "agente",
        /// A webhook of the member no longer sends.
        Webhook = "webhook",
        /// A guest link of the member was ended after too many wrong codes.
        GuestLink = "convidado",
        /// It is the hour of a post that a person publishes by hand.
        Reminder = "lembrete",
    }
}

impl NotificationKind {
    /// True for what is of no use later: it is sent at once, also in quiet hours, and waits neither for
    /// further changes nor for the hour of a digest.
    #[must_use]
    pub const fn is_for_now(self) -> bool {
        matches!(self, Self::Reminder)
    }
}

/// The subject of the reminders of one format of a channel of a piece.
#[must_use]
pub fn reminder_subject(event_id: &EventId, channel: &str, format: &str) -> String {
    format!("event:{event_id}/{channel}/{format}")
}

/// The channel of the list in the console and in the tools.
const INBOX: &str = "console";
/// The channel by e-mail.
const EMAIL: &str = "email";
/// The channel to the devices of the member.
const PUSH: &str = "push";

/// What a member wants to be told: by kind, each channel that is not as by default. Later versions
/// may know more kinds and channels, so unknown ones are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Choices(BTreeMap<String, BTreeMap<String, bool>>);

impl Choices {
    /// True if the member wants notifications of this kind in the list. By default they want all.
    #[must_use]
    pub fn wants(&self, kind: NotificationKind) -> bool {
        let channels = self.0.get(kind.as_str());
        channels
            .and_then(|channels| channels.get(INBOX))
            .copied()
            .unwrap_or(true)
    }

    /// True if the member wants notifications of this kind by e-mail too. By default they want those
    /// that ask something of them. What is not in the list is not sent by e-mail.
    #[must_use]
    pub fn wants_email(&self, kind: NotificationKind) -> bool {
        self.wants_also(kind, EMAIL)
    }

    /// True if the member wants notifications of this kind on their devices too. The defaults are those
    /// of e-mail.
    #[must_use]
    pub fn wants_push(&self, kind: NotificationKind) -> bool {
        self.wants_also(kind, PUSH)
    }

    fn wants_also(&self, kind: NotificationKind, channel: &str) -> bool {
        let channels = self.0.get(kind.as_str());
        let chosen = channels.and_then(|channels| channels.get(channel)).copied();
        let by_default = !matches!(
            kind,
            NotificationKind::Decided | NotificationKind::Published
        );
        self.wants(kind) && chosen.unwrap_or(by_default)
    }

    /// Sets whether the member wants notifications of this kind by e-mail.
    pub fn set_email(&mut self, kind: NotificationKind, wanted: bool) {
        let channels = self.0.entry(kind.as_str().to_owned()).or_default();
        channels.insert(EMAIL.to_owned(), wanted);
    }

    /// Sets whether the member wants notifications of this kind on their devices.
    pub fn set_push(&mut self, kind: NotificationKind, wanted: bool) {
        let channels = self.0.entry(kind.as_str().to_owned()).or_default();
        channels.insert(PUSH.to_owned(), wanted);
    }

    /// Sets whether the member wants notifications of this kind in the list.
    pub fn set(&mut self, kind: NotificationKind, wanted: bool) {
        let channels = self.0.entry(kind.as_str().to_owned()).or_default();
        channels.insert(INBOX.to_owned(), wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_keep_what_a_later_version_stored() {
        let stored = r#"{"mencao":{"console":false,"email":true},"nova":{"console":false}}"#;
        let mut choices: Choices = serde_json::from_str(stored).expect("choices");
        assert!(!choices.wants(NotificationKind::Mentioned));
        assert!(choices.wants(NotificationKind::Assigned));
        assert!(!choices.wants_email(NotificationKind::Mentioned));
        assert!(choices.wants_email(NotificationKind::Assigned));
        assert!(!choices.wants_email(NotificationKind::Published));
        assert!(choices.wants_push(NotificationKind::Assigned));
        assert!(!choices.wants_push(NotificationKind::Mentioned));
        choices.set(NotificationKind::Mentioned, true);
        let text = serde_json::to_string(&choices).expect("text");
        assert_eq!(
            text,
            r#"{"mencao":{"console":true,"email":true},"nova":{"console":false}}"#
        );
    }
}
