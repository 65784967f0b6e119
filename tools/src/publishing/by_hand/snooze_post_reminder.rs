use domain::{
    Capability, EventId, Format, VISIBLE, reminder_subject,
    time::{HOUR, Millis, Timestamp},
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{
    notifications, post_reminders,
    post_snoozes::{self, Snooze},
};

use crate::{
    publishing::PUBLICATION_STATE,
    visibility::{self, EVENT},
};

/// The time by which a reminder is snoozed.
const PAUSE: Millis = HOUR;

/// Lembra quem chama, daqui a uma hora, do post que espera ser publicado à mão.
///
/// Quem chama não é lembrado se até lá o post for registrado, mudar ou tiver outra hora.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SnoozePostReminder {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O canal.
    #[schemars(length(min = 1, max = 60), regex(pattern = *VISIBLE))]
    canal: String,
    /// O formato.
    formato: Format,
}

/// Lembrete adiado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PostReminderSnoozed {
    ok: bool,
    /// Quando vem o próximo.
    lembra_em: Timestamp,
}

impl Operation for SnoozePostReminder {
    const SPEC: Spec = Spec::new(
        "snooze_post_reminder",
        "Lembrar de novo em 1 h",
        Verb::Post,
        "/api/eventos/{eventId}/lembrete",
    )
    .access(Access::Member(Capability::Publish))
    .about(EVENT, "eventId")
    .fails(&[404])
    .extension()
    .idempotent()
    .announces_nothing();
    type Output = PostReminderSnoozed;

    async fn run(self, ctx: &Context<'_>) -> Result<PostReminderSnoozed> {
        let (db, now) = (ctx.db(), ctx.now);
        let piece = visibility::require_event(ctx, &self.event_id).await?;
        let unposted = post_reminders::find_unposted_of_pieces(&db, &[&piece.id].into()).await?;
        let mut due = unposted.into_iter().filter(|post| post.due_at <= now);
        let post = due.find(|post| post.channel == self.canal && post.format == self.formato);
        let post = post.ok_or_else(|| {
            Error::new(PUBLICATION_STATE).because(
                "Este canal da peça não espera ser publicado à mão: a hora dele não passou, ou ele não \
                 está aprovado, já foi publicado ou é publicado pelo serviço.",
            )
        })?;
        let member_id = &ctx.caller()?.member.id;
        let snooze = Snooze {
            member_id: member_id.clone(),
            event_id: piece.id,
            channel: post.channel,
            format: post.format,
            due_at: post.due_at,
        };
        let remind_at = now + PAUSE;
        post_snoozes::save(&db, &snooze, remind_at).await?;
        let format = snooze.format.as_str();
        let subject = reminder_subject(&snooze.event_id, &snooze.channel, format);
        notifications::end_reminders_of_member(&db, member_id, &subject, now).await?;
        Ok(PostReminderSnoozed {
            ok: true,
            lembra_em: Timestamp(remind_at),
        })
    }
}
