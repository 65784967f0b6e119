use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    by_email::Delivery, find_subject, hints, keep, link_and_warnings, member_view::MemberView,
};
use crate::visibility::MEMBER;
use domain::{
    Capability, EMAIL_IN_USE, Email, Level, MemberId, Role, UserId, VISIBLE, time::Millis,
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use ports::Invited;
use store::{
    accounts,
    members::{self, Member},
};

/// Convida uma pessoa para a equipe; o link do convite aparece só nesta resposta e vale 72 horas, ou
/// vai por e-mail.
///
/// Quem já foi desligado volta com o mesmo identificador, papel novo e convite novo. O acesso por
/// API começa em `nenhum`. Recusado quando um membro ativo já tem este e-mail.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct InviteMember {
    /// Nome da pessoa.
    #[schemars(length(min = 1, max = 120), regex(pattern = *VISIBLE))]
    name: String,
    /// E-mail com que ela entra.
    email: Email,
    /// Papel na equipe.
    access_level: Role,
    /// Se a pessoa vê os painéis de vendas.
    #[serde(default)]
    financeiro: bool,
    /// Se o link vai por e-mail à pessoa, em vez de aparecer na resposta; assim vale 7 dias.
    #[serde(default)]
    por_email: bool,
}

/// Membro convidado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberInvited {
    ok: bool,
    membro: MemberView,
    /// Link de uso único; ausente quando a Pauta ou o provedor de identidade escreve à pessoa.
    #[serde(skip_serializing_if = "Option::is_none")]
    convite_url: Option<String>,
    /// O que falta fazer para a pessoa entrar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<&'static str>,
}

const REOPENED: &str = "A conta que a pessoa já tinha no provedor de identidade voltou a valer, e \
    nenhum convite foi enviado: avise-a de que pode entrar.";

impl Operation for InviteMember {
    const SPEC: Spec = Spec::new(
        "invite_member",
        "Convidar membro",
        Verb::Post,
        "/api/membros",
    )
    .access(Access::Session(Capability::Members))
    .makes(MEMBER)
    .success(201)
    .fails(&[409])
    .outside()
    .unkeyed()
    .hints(hints::INVITE);
    type Output = MemberInvited;

    fn affected_ids(output: &MemberInvited) -> Vec<&str> {
        vec![output.membro.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<MemberInvited> {
        let in_use = || Error::new(EMAIL_IN_USE);
        let former = members::find_by_email(&ctx.db(), self.email.as_str()).await?;
        if former.as_ref().is_some_and(|member| member.active) {
            return Err(in_use());
        }
        let (returns, by_email) = (former.is_some(), self.por_email);
        let member = self.build_member(former, ctx.now)?;
        let services = ctx.services;
        let account = match returns {
            true => find_subject(services, &ctx.db(), &member.id).await?,
            false => None,
        };
        // A reopened account is still bound to the member, so the member needs no invitation.
        let reopened = match &account {
            Some(subject) => services.identity.reopen_account(subject).await?,
            None => false,
        };
        let invited = match account.filter(|_| reopened) {
            Some(_) => None,
            None => Some(services.identity.invite(&member, ctx.now).await?),
        };
        let (delivery, sent) = Delivery::choose(services, invited.as_ref(), by_email);
        let invited = invited.map(|invited| delivery.extend_validity(invited, ctx.now));
        let tx = ctx.begin().await?;
        let db = tx.conn();
        if !returns {
            members::insert(&db, &member).await?;
        } else if !members::reactivate(&db, &member).await? {
            return Err(in_use());
        }
        if let Some(invited) = &invited {
            if let Invited::Link(_) = invited {
                accounts::set_password(&db, &member.user_id, None, ctx.now).await?;
            }
            keep(services, &db, &member, invited, ctx.now).await?;
            delivery
                .queue(services, &db, &member, invited, ctx.now)
                .await?;
        }
        tx.commit().await?;
        let (convite_url, mut avisos) = invited.map_or((None, vec![REOPENED]), link_and_warnings);
        avisos.extend(sent);
        let convite_url = convite_url.filter(|_| delivery == Delivery::Answer);
        Ok(MemberInvited {
            ok: true,
            membro: member.into(),
            convite_url,
            avisos,
        })
    }
}

impl InviteMember {
    fn build_member(self, former: Option<Member>, now: Millis) -> Result<Member> {
        let name = self.name.trim();
        let (id, user_id, created_at) = match former {
            Some(former) => (former.id, former.user_id, former.created_at),
            None => (MemberId::new(now), UserId::new(now), now),
        };
        Ok(Member {
            id,
            user_id,
            name: name.into(),
            email: self.email.into_string(),
            role: self.access_level,
            api_access_level: Level::Nenhum,
            financeiro: self.financeiro,
            active: true,
            cleanup_pending: false,
            sessions_valid_after: 0,
            created_at,
        })
    }
}
