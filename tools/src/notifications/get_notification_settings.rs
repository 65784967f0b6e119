use schemars::JsonSchema;
use serde::Deserialize;

use super::settings_view::SettingsView;
use domain::Capability;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::notifications;

/// Lê de que quem chama é notificado, e quando por e-mail.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetNotificationSettings {}

impl Operation for GetNotificationSettings {
    const SPEC: Spec = Spec::new(
        "get_notification_settings",
        "Ler preferências de notificação",
        Verb::Get,
        "/api/notificacoes/preferencias",
    )
    .access(Access::Member(Capability::TasksView))
    .extension();
    type Output = SettingsView;

    async fn run(self, ctx: &Context<'_>) -> Result<SettingsView> {
        let member = &ctx.caller()?.member;
        let settings = notifications::find_settings(&ctx.db(), &member.id).await?;
        SettingsView::from_settings(&settings, ctx)
    }
}
