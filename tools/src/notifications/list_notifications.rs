use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{due_in_list::DuePosts, notification_view::NotificationView};
use domain::{Capability, Cursor, Limit, ListPage, NotificationId, NotificationKind, time::Millis};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::notifications::{self, Filter};

/// Lista as suas notificações.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListNotifications {
    /// E as lidas.
    #[serde(default)]
    todas: bool,
    /// Só este.
    tipo: Option<NotificationKind>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de notificações.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Notifications {
    notificacoes: Vec<NotificationView>,
    /// Quantas não foram lidas, na lista toda; 100 quer dizer 100 ou mais.
    #[schemars(range(min = 0, max = 100))]
    nao_lidas: i64,
    /// A enviar a `mark_notifications_read` para marcar tudo até aqui; nulo se a página é vazia.
    ate: Option<i64>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListNotifications {
    const SPEC: Spec = Spec::new(
        "list_notifications",
        "Listar notificações",
        Verb::Get,
        "/api/notificacoes",
    )
    .access(Access::Member(Capability::TasksView))
    .extension()
    .tool()
    .quotes();
    type Output = Notifications;

    async fn run(self, ctx: &Context<'_>) -> Result<Notifications> {
        let member = &ctx.caller()?.member;
        let after = self.cursor.as_ref();
        let after = after.map(Cursor::decode_position::<(Millis, NotificationId)>);
        let after = after.transpose()?;
        let mut kinds = NotificationKind::all_of(member);
        kinds.retain(|kind| self.tipo.is_none_or(|only| only == *kind));
        let (db, sees_all) = (ctx.db(), member.sees_all_events());
        let unread = notifications::count_unread(&db, member).await?;
        let rows = match kinds.is_empty() {
            true => vec![],
            false => {
                let filter = Filter {
                    member_id: &member.id,
                    sees_all,
                    only_unread: !self.todas,
                    only_listed: true,
                    kinds: &kinds,
                    mail_id: None,
                    push_id: None,
                    after,
                };
                notifications::list(&db, filter, self.limit.fetch_limit()).await?
            }
        };
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.occurred_at, row.id.clone()));
        let ate = page.rows.iter().map(|row| row.last_position).max();
        let due = DuePosts::load(&db, &page.rows).await?;
        let shown = page.rows.into_iter();
        let shown = shown.map(|row| (due.is_current(&row), row));
        let views = shown.filter(|(is_current, _)| *is_current || self.todas);
        let views = views.map(|(current, row)| NotificationView::from_listed(row, current, ctx));
        Ok(Notifications {
            notificacoes: views.collect::<Result<_>>()?,
            nao_lidas: unread,
            ate,
            next_cursor: page.next_cursor,
        })
    }
}
