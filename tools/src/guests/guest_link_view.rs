//! A link as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{
    EventId, GuestLinkId, GuestRight, MemberId, ProjectId, text_enum,
    time::{Millis, Timestamp},
};
use store::guest_links::GuestLink;

text_enum! {
    /// The state of a link.
    pub enum GuestLinkState {
        Active = "ativo",
        Expired = "vencido",
        Revoked = "revogado",
    }
}

/// Um link de convidado, sem o segredo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestLinkView {
    id: GuestLinkId,
    /// A pessoa convidada.
    nome: String,
    /// E-mail ou telefone dela.
    contato: String,
    direito: GuestRight,
    estado: GuestLinkState,
    /// Se o link pede um código de seis números.
    pede_codigo: bool,
    /// As peças escolhidas; vazio num link de projeto.
    pecas: Vec<EventId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<ProjectId>,
    /// O mês das peças do projeto: `2026-11`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mes: Option<String>,
    /// Quem fez o link.
    member_id: MemberId,
    member_name: String,
    created_at: Timestamp,
    expires_at: Timestamp,
    /// A última abertura, que pode ser a prévia de um aplicativo de conversa; nulo quando ninguém abriu.
    opened_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Timestamp>,
    /// Ausente quando o link foi encerrado por códigos errados.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_by_name: Option<String>,
    /// Quantas vezes erraram o código, sem os enganos de quem o acertou logo depois; com 50, o link é
    /// encerrado.
    codigos_errados: i64,
}

impl GuestLinkView {
    pub(super) fn id(&self) -> &str {
        self.id.as_str()
    }

    pub(super) fn from_link(link: GuestLink, pecas: Vec<EventId>, now: Millis) -> Self {
        let estado = match link.revoked_at {
            Some(_) => GuestLinkState::Revoked,
            None if link.expires_at <= now => GuestLinkState::Expired,
            None => GuestLinkState::Active,
        };
        Self {
            id: link.id,
            nome: link.guest_name,
            contato: link.contact,
            direito: link.right,
            estado,
            pede_codigo: link.code_mac.is_some(),
            pecas,
            project_id: link.project_id,
            mes: link.month,
            member_id: link.member_id,
            member_name: link.member_name,
            created_at: Timestamp(link.created_at),
            expires_at: Timestamp(link.expires_at),
            opened_at: link.opened_at.map(Timestamp),
            revoked_at: link.revoked_at.map(Timestamp),
            revoked_by_name: link.revoked_by_name,
            codigos_errados: link.wrong_codes,
        }
    }
}
