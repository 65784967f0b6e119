use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GUEST_LINK, MOST_LINKS, TOO_MANY_GUEST_LINKS, guest_link_view::GuestLinkView, hints};
use crate::visibility;
use domain::{
    Capability, EventId, Fault, GuestLinkId, GuestRight, LinkSecret, ProjectId, VISIBLE, time::DAY,
};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use identity::guest_link::{code_mac, generate_code, guest_path};
use store::{
    events,
    guest_links::{self, GuestLink},
    members, projects,
};

/// Cria um link para alguém de fora da equipe ver, comentar ou decidir peças.
///
/// Mostra as peças escolhidas, ou as de um projeto num mês, já enviadas para aprovação. Link e
/// código aparecem só nesta resposta.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateGuestLink {
    /// Nome da pessoa.
    #[schemars(length(min = 1, max = 120), regex(pattern = *VISIBLE))]
    nome: String,
    /// E-mail ou telefone dela.
    #[schemars(length(min = 3, max = 254), regex(pattern = *VISIBLE))]
    contato: String,
    /// O que ela pode; cada direito inclui o anterior.
    direito: GuestRight,
    /// Ids das peças; ou `project_id` e `mes`.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pecas: Vec<EventId>,
    /// Projeto cujas peças do mês ela vê.
    project_id: Option<ProjectId>,
    /// Mês do projeto: `2026-11`.
    #[schemars(regex(pattern = "^20[0-9]{2}-(0[1-9]|1[0-2])$"))]
    mes: Option<String>,
    /// Validade em dias; ausente, 14.
    #[schemars(range(min = 1, max = 90))]
    dias: Option<u8>,
    /// Pede um código de seis números, mandado por outro caminho.
    #[serde(default)]
    codigo: bool,
}

/// Link criado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestLinkCreated {
    ok: bool,
    /// O link inteiro: guarde agora, não aparece de novo.
    url: String,
    /// O código do link; ausente quando ele não pede nenhum.
    #[serde(skip_serializing_if = "Option::is_none")]
    codigo: Option<String>,
    link: GuestLinkView,
}

impl Operation for CreateGuestLink {
    const SPEC: Spec = Spec::new(
        "create_guest_link",
        "Criar link de convidado",
        Verb::Post,
        "/api/convidados",
    )
    .access(Access::Session(Capability::Approve))
    .makes(GUEST_LINK)
    .success(201)
    .fails(&[404, 409])
    .extension()
    .unkeyed()
    .hints(hints::CREATE);
    type Output = GuestLinkCreated;

    fn affected_ids(output: &GuestLinkCreated) -> Vec<&str> {
        vec![output.link.id()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<GuestLinkCreated> {
        let db = ctx.db();
        let pieces = self.require_scope(ctx).await?;
        let member_id = &ctx.caller()?.member.id;
        // Locks the team, so that only one call at a time counts the links, and the member cannot leave
        // meanwhile.
        members::lock_team(&db).await?;
        let member = members::require(&db, member_id).await?;
        if !member.active || !member.session_capabilities().contains(Capability::Approve) {
            return Err(Error::new(Code::NOT_A_MEMBER));
        }
        if guest_links::count_in_force(&db, ctx.now).await? >= MOST_LINKS {
            return Err(Error::new(TOO_MANY_GUEST_LINKS));
        }
        let (id, secret) = (GuestLinkId::new(ctx.now), LinkSecret::generate());
        let code = self.codigo.then(generate_code);
        let keys = &ctx.services.keys;
        let link = GuestLink {
            guest_name: self.nome.trim().to_owned(),
            contact: self.contato.trim().to_owned(),
            right: self.direito,
            code_mac: code.as_ref().map(|code| code_mac(keys, &id, code)),
            project_id: self.project_id,
            month: self.mes,
            member_id: member.id,
            member_name: member.name,
            created_at: ctx.now,
            expires_at: ctx.now + i64::from(self.dias.unwrap_or(14)) * DAY,
            opened_at: None,
            revoked_at: None,
            revoked_by_name: None,
            wrong_codes: 0,
            id,
        };
        guest_links::insert(&db, &link, &secret.digest(), &pieces).await?;
        let path = guest_path(&secret.reveal());
        Ok(GuestLinkCreated {
            ok: true,
            url: format!("{}{path}", ctx.services.public_url),
            codigo: code,
            link: GuestLinkView::from_link(link, pieces.into_iter().collect(), ctx.now),
        })
    }
}

impl CreateGuestLink {
    /// Returns the ids of the chosen pieces, without duplicates. Refuses (400) an input that names
    /// neither pieces nor a month of a project, and a piece that the caller may not see.
    async fn require_scope(&self, ctx: &Context<'_>) -> Result<BTreeSet<EventId>> {
        let of_project = self.project_id.is_some() || self.mes.is_some();
        let wrong = |field, message| Err(Error::invalid_field(field, "required", message));
        match (&self.project_id, &self.mes) {
            _ if of_project && !self.pecas.is_empty() => {
                return wrong("pecas", "vem sem `project_id` e `mes`: escolha um dos dois");
            }
            (Some(id), Some(_)) => projects::require_exists(&ctx.db(), id).await?,
            (Some(_), None) => return wrong("mes", "é obrigatório com `project_id`"),
            (None, Some(_)) => return wrong("project_id", "é obrigatório com `mes`"),
            (None, None) if self.pecas.is_empty() => {
                return wrong("pecas", "é obrigatório: as peças, ou `project_id` e `mes`");
            }
            (None, None) => {}
        }
        let member = &ctx.caller()?.member;
        let found = events::find_all(&ctx.db(), self.pecas.iter()).await?;
        let is_visible = |id: &EventId| {
            let mut found = found.iter();
            found.any(|event| event.id == *id && event.is_visible_to(member))
        };
        let hidden = self.pecas.iter().enumerate();
        let hidden = hidden.filter(|(_, id)| !is_visible(id));
        let faults: Vec<Fault> = hidden
            .map(|(place, _)| Fault {
                field: format!("pecas.{place}"),
                rule: visibility::EVENT.kind.into(),
                message: "não é de uma peça que você vê; veja `list_events`".into(),
            })
            .collect();
        match faults.is_empty() {
            true => Ok(self.pecas.iter().cloned().collect()),
            false => Err(Error::from_faults(faults)),
        }
    }
}
