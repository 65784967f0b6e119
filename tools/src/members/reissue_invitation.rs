use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{INVITATION_REDEEMED, by_email::Delivery, keep, link_and_warnings};
use crate::visibility::MEMBER;
use domain::{Capability, MemberId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use ports::Invited;
use store::{accounts, members};

/// Faz um convite novo para quem ainda não aceitou o seu; o anterior deixa de valer.
///
/// O link aparece só nesta resposta e vale 72 horas, ou vai por e-mail. Recusado quando a pessoa já definiu a senha.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReissueInvitation {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Se o link vai por e-mail à pessoa, em vez de aparecer na resposta; assim vale 7 dias.
    #[serde(default)]
    por_email: bool,
}

/// Convite refeito.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InvitationReissued {
    ok: bool,
    member_id: MemberId,
    /// Link de uso único; ausente quando a Pauta ou o provedor de identidade escreve à pessoa.
    #[serde(skip_serializing_if = "Option::is_none")]
    convite_url: Option<String>,
    /// Por onde o link chega à pessoa, se o e-mail foi pedido.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<&'static str>,
}

impl Operation for ReissueInvitation {
    const SPEC: Spec = Spec::new(
        "reissue_invitation",
        "Refazer convite",
        Verb::Post,
        "/api/membros/{memberId}/convite",
    )
    .access(Access::Session(Capability::Members))
    .about(MEMBER, "memberId")
    .success(201)
    .fails(&[404, 409])
    .extension()
    .outside()
    .unkeyed();
    type Output = InvitationReissued;

    async fn run(self, ctx: &Context<'_>) -> Result<InvitationReissued> {
        let member = members::require_active(&ctx.db(), &self.member_id).await?;
        let services = ctx.services;
        let invited = services.identity.invite(&member, ctx.now).await?;
        if let Invited::OnSignIn(remains) = invited {
            // A member with an account at the issuer has no invitation to reissue.
            return Err(Error::new(INVITATION_REDEEMED).because(remains));
        }
        let (delivery, sent) = Delivery::choose(services, Some(&invited), self.por_email);
        let invited = delivery.extend_validity(invited, ctx.now);
        let tx = ctx.begin().await?;
        let db = tx.conn();
        members::lock_member(&db, &member.id).await?;
        let member = members::require_active(&db, &member.id).await?;
        if accounts::find_password_hash(&db, &member.user_id)
            .await?
            .is_some()
        {
            return Err(Error::new(INVITATION_REDEEMED));
        }
        keep(services, &db, &member, &invited, ctx.now).await?;
        delivery
            .queue(services, &db, &member, &invited, ctx.now)
            .await?;
        tx.commit().await?;
        Ok(InvitationReissued {
            ok: true,
            member_id: member.id,
            convite_url: link_and_warnings(invited)
                .0
                .filter(|_| delivery == Delivery::Answer),
            avisos: sent.into_iter().collect(),
        })
    }
}
