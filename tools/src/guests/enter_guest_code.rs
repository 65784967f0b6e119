use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::GUEST_LINK;
use crate::announcements::{GUEST_LINK_ENDED, MADE_BY};
use gateway::{Access, AuditRow, Context, Error, Operation, Outcome, Result, Spec, Verb};
use identity::guest_link;
use store::{audit, guest_links};

/// The number of wrong codes after which a link is revoked.
const MOST_WRONG_CODES: i64 = 50;

/// Confere o código de um link de convidado.
///
/// A `prova` vai depois do segredo e de um ponto, no mesmo bearer. Depois de oito códigos errados é
/// preciso esperar; depois de cinquenta, o link é encerrado. Um código certo desconta os errados que
/// vieram da mesma rede pouco antes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct EnterGuestCode {
    /// Os seis números.
    #[schemars(regex(pattern = "^[0-9]{6}$"))]
    codigo: String,
}

/// Código certo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestCodeEntered {
    ok: bool,
    prova: String,
}

impl Operation for EnterGuestCode {
    const SPEC: Spec = Spec::new(
        "enter_guest_code",
        "Informar código de convidado",
        Verb::Post,
        "/api/convidado/codigo",
    )
    .access(Access::Guest(None))
    .extension()
    .outside()
    .unkeyed();
    type Output = GuestCodeEntered;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestCodeEntered> {
        match guest_link::check_code(ctx, &self.codigo).await? {
            Some(prova) => Ok(GuestCodeEntered { ok: true, prova }),
            None => Err(refuse_wrong_code(ctx).await?),
        }
    }
}

/// Counts a wrong code, and revokes the link after too many wrong codes, because somebody who guesses
/// has the link but not the code. Notifies the creator of a revoked link.
async fn refuse_wrong_code(ctx: &Context<'_>) -> Result<Error> {
    let caller = ctx.caller()?;
    let guest = caller.guest();
    let guest = guest.ok_or_else(|| Error::internal("a member gave the code of a guest"))?;
    let id = &guest.link_id;
    let tx = ctx.services.db.begin().await?;
    let db = tx.conn();
    let is_revoked = guest_links::count_wrong_code(&db, id, MOST_WRONG_CODES, ctx.now).await?;
    if is_revoked {
        let maker = caller.member.id.as_str();
        let facts = Map::from_iter([(MADE_BY.to_owned(), maker.into())]);
        let row = AuditRow {
            occurred_at: ctx.now,
            request_id: None,
            actor_member_id: None,
            actor_user_id: None,
            token_id: None,
            auth_method: "system",
            capability: None,
            action: "end_guest_link",
            resource_type: Some(GUEST_LINK.kind),
            resource_id: Some(id.as_str().to_owned()),
            outcome: Outcome::Succeeded,
            status_code: None,
            metadata: facts.clone(),
        };
        audit::insert(&db, row).await?;
        let resource = (GUEST_LINK, id.as_str());
        GUEST_LINK_ENDED
            .record(ctx.services, &db, resource, facts)
            .await?;
    }
    tx.commit().await?;
    if is_revoked {
        return Ok(guest_link::ended_error());
    }
    let message = "não é o deste link; confira os seis números";
    Ok(Error::invalid_field("codigo", "const", message))
}
