use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    AGENT, INVALID_CLIENT, browser, clients, consent, pages, redirect, request::Request, resource,
    scopes,
};
use crate::signed_in_at;
use domain::{
    Capabilities, Capability, Error, Level, random_text, sha256_hex,
    time::{DAY, MINUTE, Millis},
};
use gateway::{
    Access, Code, Content, Context, Entry, InputForm, Outcome, OutputForm, Page, Principal, Reply,
    Result, Spec, Verb, audit_row,
};
use store::{
    agents::{
        self,
        clients::Client,
        codes::{self, AuthorizationCode},
    },
    audit, members,
};

/// How long a code is valid.
const CODE_LIFETIME: Millis = MINUTE;
/// For how many days a person may allow access.
const DAYS: [u16; 4] = [1, 7, 30, 90];

domain::text_enum! {
    /// What the person decides.
    pub enum Decision {
        Allow = "permitir",
        Deny = "negar",
    }
}

/// The form with which a person decides.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Decide {
    /// O pedido do cliente, da página de autorização.
    #[schemars(length(max = 12000))]
    pedido: Option<String>,
    /// A decisão da pessoa.
    decisao: Option<Decision>,
    /// Até onde o agente pode ir.
    nivel: Option<Level>,
    /// As permissões marcadas; o campo se repete.
    #[schemars(length(max = 64))]
    capacidades: Option<Vec<Capability>>,
    /// Por quantos dias: 1, 7, 30 ou 90.
    #[schemars(range(min = 1, max = 90))]
    dias: Option<u16>,
}

const ROUTE: Spec = Spec::new(
    "authorize_agent",
    "Decidir o que um agente pode fazer",
    Verb::Post,
    consent::DECIDE,
)
.access(Access::Public)
.takes(InputForm::UrlEncoded)
.serves(OutputForm::Html)
.partial(&[302])
.fails(&[400, 403, 413, 415, 500, 503])
.extension()
.outside()
.unkeyed();

/// The row of the form.
pub(super) const DECIDE: Entry = Entry::page::<Decide>(
    ROUTE,
    "O formulário da decisão, na página de autorização. Só vale no navegador e na sessão em que a \
     página foi aberta; leva de volta ao cliente, com um código de 60 segundos ou com a recusa.",
);

impl Page for Decide {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let sealed = self.pedido.as_deref().unwrap_or_default();
        let request = match Request::open(ctx, sealed, browser::known(ctx)) {
            Ok(request) => request,
            Err(error) => return pages::refused(&error),
        };
        let url = &ctx.services.public_url;
        if self.decisao != Some(Decision::Allow) {
            let told = [
                ("error", "access_denied"),
                ("error_description", "a pessoa não permitiu"),
            ];
            return Ok(to(request.answer(url, &told)));
        }
        let client = match known(ctx, &request).await {
            Ok(client) => client,
            Err(error) if error.status() < 500 => return pages::refused(&error),
            Err(error) => return Err(error),
        };
        let Some((caller, session)) = browser::signed_in(ctx).await else {
            let problem = Some("Entre de novo.");
            return consent::sign_in_page(ctx, request, &client, "", problem, false);
        };
        if request.session.as_ref() != Some(&session) {
            // Somebody else has signed in since: they have not seen this page.
            return consent::page(ctx, request, &client, &caller, session, None);
        }
        let granted = self.granted(&request, &caller);
        let days = self.dias.unwrap_or(30);
        let problem = if granted.is_empty() {
            Some("Marque ao menos uma permissão, ou escolha “Não permitir”.")
        } else if !DAYS.contains(&days) {
            Some("Escolha uma das durações.")
        } else {
            None
        };
        if problem.is_some() {
            let page = consent::page(ctx, request, &client, &caller, session, problem)?;
            return Ok(page.status(400));
        }
        match allow(ctx, &request, &client, &caller, granted, days).await {
            Ok(code) => Ok(to(request.answer(url, &[("code", &code)]))),
            Err(error) if error.status() < 500 => pages::refused(&error),
            Err(error) => Err(error),
        }
    }
}

impl Decide {
    /// What was chosen, within what the client asks for and the person may allow now.
    fn granted(&self, request: &Request, caller: &Principal) -> Capabilities {
        let level = self.nivel.unwrap_or(Level::Nenhum);
        let chosen: Capabilities = self.capacidades.iter().flatten().copied().collect();
        let within = |capability: &Capability| {
            capability.min_level().is_none_or(|least| least <= level)
                && chosen.contains(*capability)
        };
        consent::grantable(request, caller)
            .iter()
            .filter(within)
            .collect()
    }
}

fn to(address: String) -> Reply {
    Reply::new(Content::Redirect(address)).status(302)
}

/// The client, unless it has ceased to be one whose address this is.
async fn known(ctx: &Context<'_>, request: &Request) -> Result<Client> {
    let client = clients::resolve(ctx, &request.client_id).await?;
    if redirect::is_one_of(&client.redirect_uris, &request.redirect_uri) {
        Ok(client)
    } else {
        Err(Error::new(INVALID_CLIENT))
    }
}

/// Stores the decision, and returns the code.
async fn allow(
    ctx: &Context<'_>,
    request: &Request,
    client: &Client,
    caller: &Principal,
    granted: Capabilities,
    days: u16,
) -> Result<String> {
    let code = random_text::<32>();
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let member_id = &caller.member.id;
    members::queue_for_member(&db, member_id).await?;
    // A new password or offboarding may have ended the session since it was checked.
    signed_in_at(&db, caller).await?;
    let member = members::require(&db, member_id).await?;
    if !member.active {
        return Err(Error::new(Code::NOT_A_MEMBER));
    }
    let scopes = granted.intersection(member.token_capabilities());
    if scopes.is_empty() {
        return Err(Error::new(Code::API_ACCESS_DISABLED));
    }
    let given = AuthorizationCode {
        code_sha256: sha256_hex(code.as_bytes()),
        client_id: client.id.clone(),
        member_id: member.id.clone(),
        redirect_uri: request.redirect_uri.clone(),
        challenge: request.challenge.clone(),
        resource: resource(&ctx.services.public_url),
        scopes,
        agent_expires_at: ctx.now + i64::from(days) * DAY,
        created_at: ctx.now,
        expires_at: ctx.now + CODE_LIFETIME,
        used_at: None,
        agent_id: None,
    };
    codes::insert(&db, &given).await?;
    agents::clients::used(&db, client, ctx.now).await?;
    let mut row = audit_row(&ROUTE, caller, ctx.origin, ctx.now);
    row.resource_type = Some(AGENT.kind);
    row.metadata
        .insert("agent".into(), client.name.as_str().into());
    row.metadata
        .insert("client_id".into(), client.id.as_str().into());
    row.metadata
        .insert("scope".into(), scopes::text(scopes).into());
    row.metadata.insert("days".into(), days.into());
    audit::insert(&db, row.ended(Outcome::Succeeded, 302)).await?;
    tx.commit().await?;
    Ok(code)
}
