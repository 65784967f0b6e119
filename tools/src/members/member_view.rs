//! A member as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{
    Level, MemberId, Role, UserId,
    time::{Millis, Timestamp},
};
use store::members::Member;

/// Membro da equipe.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MemberView {
    pub(super) id: MemberId,
    /// Id da conta.
    user_id: UserId,
    name: String,
    email: String,
    /// Papel na equipe.
    access_level: Role,
    /// Nível dos tokens pessoais.
    api_access_level: Level,
    /// Se a pessoa vê os painéis de vendas.
    financeiro: bool,
    active: bool,
    created_at: Timestamp,
    /// Quando o último e-mail a esta pessoa voltou, porque o endereço não existe ou não recebe.
    #[serde(skip_serializing_if = "Option::is_none")]
    email_devolvido_em: Option<Timestamp>,
}

impl MemberView {
    /// Builds the view of a member. `at` is when the last e-mail to the member was returned.
    pub(super) fn with_bounce(member: Member, at: Option<Millis>) -> Self {
        Self {
            email_devolvido_em: at.map(Timestamp),
            ..member.into()
        }
    }
}

impl From<Member> for MemberView {
    fn from(member: Member) -> Self {
        Self {
            id: member.id,
            user_id: member.user_id,
            name: member.name,
            email: member.email,
            access_level: member.role,
            api_access_level: member.api_access_level,
            financeiro: member.financeiro,
            active: member.active,
            created_at: Timestamp(member.created_at),
            email_devolvido_em: None,
        }
    }
}
