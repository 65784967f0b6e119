use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MEMBER_CALENDAR;
use domain::{CalendarFeedId, Capability, MemberId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::calendar_feeds;

/// Revoga o endereço de um calendário de um membro, já na próxima leitura.
///
/// Repetir não muda mais nada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeMemberCalendarFeed {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Identificador do calendário.
    #[serde(rename = "calendarId")]
    calendar_id: CalendarFeedId,
}

/// Calendário revogado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberCalendarFeedRevoked {
    ok: bool,
    member_id: MemberId,
    id: CalendarFeedId,
}

impl Operation for RevokeMemberCalendarFeed {
    const SPEC: Spec = Spec::new(
        "revoke_member_calendar_feed",
        "Revogar calendário de um membro",
        Verb::Delete,
        "/api/access/members/{memberId}/calendarios/{calendarId}",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(MEMBER_CALENDAR, "calendarId")
    .fails(&[404])
    .extension();
    type Output = MemberCalendarFeedRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<MemberCalendarFeedRevoked> {
        let db = ctx.db();
        let found = calendar_feeds::find_for_member(&db, &self.member_id, &self.calendar_id);
        let absent = || Error::not_found_in("calendário", "list_access_members");
        let feed = found.await?.ok_or_else(absent)?;
        calendar_feeds::revoke(&db, &feed.id, ctx.now).await?;
        Ok(MemberCalendarFeedRevoked {
            ok: true,
            member_id: feed.member_id,
            id: feed.id,
        })
    }
}
