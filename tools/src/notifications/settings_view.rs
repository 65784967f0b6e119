//! What a member is told, in answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::kinds_of;
use domain::{Member, MemberId, NotificationKind, Revision};
use store::notifications::Settings;

/// De que quem chama é notificado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsView {
    /// A enviar em `expected_revision`.
    revision: Revision,
    ligados: Vec<NotificationKind>,
    desligados: Vec<NotificationKind>,
    #[serde(skip)]
    #[schemars(skip)]
    member_id: MemberId,
}

impl SettingsView {
    pub(super) fn from_settings(settings: &Settings, member: &Member) -> Self {
        let kinds = kinds_of(member).into_iter();
        let (ligados, desligados) = kinds.partition(|kind| settings.choices.wants(*kind));
        Self {
            revision: settings.revision,
            ligados,
            desligados,
            member_id: member.id.clone(),
        }
    }

    pub(super) fn member_id(&self) -> &str {
        self.member_id.as_str()
    }
}
