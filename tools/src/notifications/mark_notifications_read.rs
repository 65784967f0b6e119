use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::INBOX;
use domain::{Capability, MemberId, NotificationId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::notifications::{self, Marked};

/// Marca as notificações como lidas.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("x-exactly-one" = ["ids", "ate"]))]
pub struct MarkNotificationsRead {
    /// Ou `ate`.
    #[schemars(length(min = 1, max = 200))]
    ids: Option<Vec<NotificationId>>,
    /// Da lista.
    #[schemars(range(min = 1, max = 9007199254740991i64))]
    ate: Option<i64>,
}

/// Marcadas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotificationsMarked {
    ok: bool,
    /// Quantas não estavam lidas.
    marcadas: u64,
    #[serde(skip)]
    #[schemars(skip)]
    member_id: MemberId,
}

impl Operation for MarkNotificationsRead {
    const SPEC: Spec = Spec::new(
        "mark_notifications_read",
        "Marcar notificações como lidas",
        Verb::Post,
        "/api/notificacoes/lidas",
    )
    .access(Access::Member(Capability::TasksView))
    .makes(INBOX)
    .extension()
    .idempotent()
    .tool();
    type Output = NotificationsMarked;

    fn affected_ids(output: &NotificationsMarked) -> Vec<&str> {
        vec![output.member_id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<NotificationsMarked> {
        let marked = match (&self.ids, self.ate) {
            (None, Some(position)) => Marked::Until(position),
            (None, None) => {
                let message = "informe `ids` ou `ate`";
                return Err(Error::invalid_field("ids", "required", message));
            }
            (Some(ids), None) => Marked::These(ids),
            (Some(_), Some(_)) => {
                let message = "não combina com `ids`";
                return Err(Error::invalid_field("ate", "not", message));
            }
        };
        let member_id = &ctx.caller()?.member.id;
        let count = notifications::mark_read(&ctx.db(), member_id, marked, ctx.now).await?;
        Ok(NotificationsMarked {
            ok: true,
            marcadas: count,
            member_id: member_id.clone(),
        })
    }
}
