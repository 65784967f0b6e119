//! Notifications: the kinds, and the choices of a member about them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Capability, EventId, Member, text_enum};

text_enum! {
    /// The subject of a notification.
    pub enum NotificationKind {
        /// The member was assigned to a piece.
        Assigned = "atribuicao",
        /// A remark mentions the member.
        Mentioned = "mencao",
        /// A piece waits for the member's decision.
        Awaited = "decisao",
        /// A piece of the member, or a change in its channels, was refused, or changes were asked for.
        ChangesAsked = "ajustes",
        /// A piece of the member, or a change in its channels, was approved.
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
        /// The planned time of a post that a person publishes by hand has come.
        Reminder = "lembrete",
    }
}

impl NotificationKind {
    /// True if notifications of this kind are useless later. They are sent at once, also in quiet
    /// hours, and wait neither for further changes nor for the hour of a digest.
    #[must_use]
    pub const fn is_for_now(self) -> bool {
        matches!(self, Self::Reminder)
    }

    /// True if notifications of this kind can concern a member with these capabilities.
    #[must_use]
    pub fn concerns(self, member: &Member) -> bool {
        let capabilities = member.session_capabilities();
        match self {
            Self::Connection => capabilities.contains(Capability::Connections),
            Self::Reminder => capabilities.contains(Capability::Publish),
            Self::Webhook => capabilities.contains(Capability::Config),
            Self::Awaited | Self::GuestLink => capabilities.contains(Capability::Approve),
            _ => true,
        }
    }

    /// Returns the kinds that can concern a member with these capabilities.
    #[must_use]
    pub fn all_of(member: &Member) -> Vec<Self> {
        let kinds = Self::ALL.iter().copied();
        kinds.filter(|kind| kind.concerns(member)).collect()
    }
}

/// Returns the text that identifies all reminders about one piece, channel and format.
#[must_use]
pub fn reminder_subject(event_id: &EventId, channel: &str, format: &str) -> String {
    format!("event:{event_id}/{channel}/{format}")
}

/// The key that is stored as false for a kind that the member does not want at all. In earlier
/// versions, this was the name of the only channel.
const ENABLED: &str = "console";
/// The channel of the list in the console and in the tools.
const LIST: &str = "lista";
/// The channel by e-mail.
const EMAIL: &str = "email";
/// The channel to the devices of the member.
const PUSH: &str = "push";

/// The choices of a member about notifications: for each kind, the channels that differ from the
/// default. Unknown kinds and channels are kept, because a later version may have stored them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Choices(BTreeMap<String, BTreeMap<String, bool>>);

impl Choices {
    /// True if the member wants notifications of this kind at all. By default, a member wants all
    /// kinds.
    #[must_use]
    pub fn wants(&self, kind: NotificationKind) -> bool {
        self.find_choice(kind, ENABLED).unwrap_or(true)
    }

    /// True if the member wants notifications of this kind in the list. By default, the list has
    /// all kinds that the member wants at all.
    #[must_use]
    pub fn wants_listed(&self, kind: NotificationKind) -> bool {
        self.wants(kind) && self.find_choice(kind, LIST).unwrap_or(true)
    }

    /// True if the member wants notifications of this kind by e-mail. By default, a member wants
    /// all kinds except decided and published pieces.
    #[must_use]
    pub fn wants_email(&self, kind: NotificationKind) -> bool {
        self.wants_on_channel(kind, EMAIL)
    }

    /// True if the member wants notifications of this kind on their devices. The defaults are the
    /// same as for e-mail.
    #[must_use]
    pub fn wants_push(&self, kind: NotificationKind) -> bool {
        self.wants_on_channel(kind, PUSH)
    }

    fn find_choice(&self, kind: NotificationKind, channel: &str) -> Option<bool> {
        self.0.get(kind.as_str())?.get(channel).copied()
    }

    fn wants_on_channel(&self, kind: NotificationKind, channel: &str) -> bool {
        let chosen = self.find_choice(kind, channel);
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
    pub fn set_listed(&mut self, kind: NotificationKind, wanted: bool) {
        let channels = self.0.entry(kind.as_str().to_owned()).or_default();
        channels.insert(LIST.to_owned(), wanted);
    }

    /// Sets whether the member wants notifications of this kind at all.
    pub fn set(&mut self, kind: NotificationKind, wanted: bool) {
        let channels = self.0.entry(kind.as_str().to_owned()).or_default();
        channels.insert(ENABLED.to_owned(), wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_keep_unknown_kinds_and_channels() {
        let stored = r#"{"mencao":{"console":false,"email":true},"nova":{"console":false}}"#;
        let mut choices: Choices = serde_json::from_str(stored).expect("choices");
        assert!(!choices.wants(NotificationKind::Mentioned));
        assert!(choices.wants(NotificationKind::Assigned));
        assert!(!choices.wants_email(NotificationKind::Mentioned));
        assert!(choices.wants_email(NotificationKind::Assigned));
        assert!(!choices.wants_email(NotificationKind::Published));
        assert!(choices.wants_push(NotificationKind::Assigned));
        assert!(!choices.wants_push(NotificationKind::Mentioned));
        assert!(choices.wants_listed(NotificationKind::Assigned));
        choices.set_listed(NotificationKind::Assigned, false);
        assert!(!choices.wants_listed(NotificationKind::Assigned));
        assert!(choices.wants_email(NotificationKind::Assigned));
        choices.set_listed(NotificationKind::Assigned, true);
        choices.set(NotificationKind::Mentioned, true);
        let text = serde_json::to_string(&choices).expect("text");
        assert_eq!(
            text,
            r#"{"atribuicao":{"lista":true},"mencao":{"console":true,"email":true},"nova":{"console":false}}"#
        );
    }
}
