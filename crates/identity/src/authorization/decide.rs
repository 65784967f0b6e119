use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    AGENT, INVALID_CLIENT, browser, clients, consent, mcp_endpoint_url, offer::Choice, pages,
    redirect, request::Request, scopes,
};
use crate::signed_in_at;
use domain::{
    AgentId, Capabilities, Capability, Error, Level, random_text, sha256_hex,
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

/// The lifetime of an authorization code.
const CODE_LIFETIME: Millis = MINUTE;
/// The choices for the lifetime of the authorization, in days.
const DAYS: [u16; 4] = [1, 7, 30, 90];

domain::text_enum! {
    /// The decision on the consent page.
    pub enum Decision {
        Allow = "permitir",
        Deny = "negar",
    }
}

domain::text_enum! {
    /// The choice whether the new authorization revokes the earlier agent of the same client.
    pub enum Replace {
        Yes = "sim",
    }
}

/// The consent form, with which a member grants or denies access to a client.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Decide {
    /// O pedido do cliente, da página de autorização.
    #[schemars(length(max = 12000))]
    pedido: Option<String>,
    /// A decisão da pessoa.
    decisao: Option<Decision>,
    /// Até onde o agente pode ir.
    nivel: Option<Level>,
    /// As permissões marcadas na lista de `nivel` = `leitor`; o campo se repete, como os outros.
    #[schemars(length(max = 64))]
    leitor: Option<Vec<Capability>>,
    /// As marcadas na lista de `criador`.
    #[schemars(length(max = 64))]
    criador: Option<Vec<Capability>>,
    /// As marcadas na lista de `lider`.
    #[schemars(length(max = 64))]
    lider: Option<Vec<Capability>>,
    /// As marcadas na lista de `admin`.
    #[schemars(length(max = 64))]
    admin: Option<Vec<Capability>>,
    /// As marcadas fora dos níveis: publicar, vendas e, quando o agente pede mais, todas.
    #[schemars(length(max = 64))]
    capacidades: Option<Vec<Capability>>,
    /// O agente que ganha mais permissões, se a página era sobre um.
    #[schemars(length(max = 100))]
    amplia: Option<String>,
    /// Se o acesso anterior dele acaba quando o novo começa.
    substitui: Option<Replace>,
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
.fails(&[400, 403, 413, 415, 429, 500, 503])
.extension()
.outside()
.unkeyed();

/// The table entry of the form.
pub(super) const DECIDE: Entry = Entry::for_page::<Decide>(
    ROUTE,
    "O formulário da decisão, na página de autorização. Só vale no navegador e na sessão em que a \
     página foi aberta; leva de volta ao cliente, com um código de 60 segundos ou com a recusa.",
);

impl Page for Decide {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let sealed = self.pedido.as_deref().unwrap_or_default();
        let request = match Request::verify(ctx, sealed, browser::browser_id(ctx)) {
            Ok(request) => request,
            Err(error) => return pages::render_error(&error),
        };
        let url = &ctx.services.public_url;
        if self.decisao != Some(Decision::Allow) {
            let parameters = [
                ("error", "access_denied"),
                ("error_description", "a pessoa nao permitiu"),
            ];
            return Ok(redirect_to(request.response_url(url, &parameters)));
        }
        let client = match require_client(ctx, &request).await {
            Ok(client) => client,
            Err(error) if error.status() < 500 => return pages::render_error(&error),
            Err(error) => return Err(error),
        };
        let Some((caller, session)) = browser::find_signed_in_member(ctx).await else {
            let problem = Some("Entre de novo.");
            return consent::render_sign_in_page(ctx, request, &client, "", problem, false);
        };
        if request.session.as_ref() != Some(&session) {
            // Another session has begun since the page was rendered, so the page is rendered again.
            return consent::render_page(ctx, request, &client, &caller, session, None).await;
        }
        let offer = consent::load_offer(ctx, &request, &caller).await?;
        let granted = offer.capabilities_for(&self.submitted_choice());
        let days = self.dias.unwrap_or(30);
        let problem = if self.amplia.as_deref() != offer.extended_agent_id().map(AgentId::as_str) {
            Some(
                "Os acessos deste aplicativo mudaram enquanto a página estava aberta. Confira de novo.",
            )
        } else if granted.is_empty() {
            Some("Marque ao menos uma permissão, ou escolha “Não permitir”.")
        } else if !offer.adds_capability(granted) {
            Some("Marque o que é novo, ou escolha “Não permitir”.")
        } else if !DAYS.contains(&days) {
            Some("Escolha uma das durações.")
        } else {
            None
        };
        if problem.is_some() {
            let page =
                consent::render_page(ctx, request, &client, &caller, session, problem).await?;
            return Ok(page.with_status(400));
        }
        let grant = Grant {
            scopes: granted,
            days,
            replaces: offer
                .replaceable_agent_id()
                .filter(|_| self.substitui.is_some()),
        };
        match issue_authorization_code(ctx, &request, &client, &caller, grant).await {
            Ok(code) => Ok(redirect_to(request.response_url(url, &[("code", &code)]))),
            Err(error) if error.status() < 500 => pages::render_error(&error),
            Err(error) => Err(error),
        }
    }
}

impl Decide {
    fn submitted_choice(&self) -> Choice {
        let marked = |field: &Option<Vec<Capability>>| field.iter().flatten().copied().collect();
        Choice {
            level: self.nivel,
            lists: [&self.leitor, &self.criador, &self.lider, &self.admin].map(marked),
            marked: marked(&self.capacidades),
        }
    }
}

/// The access that the member grants.
struct Grant {
    scopes: Capabilities,
    days: u16,
    replaces: Option<AgentId>,
}

fn redirect_to(address: String) -> Reply {
    Reply::new(Content::Redirect(address)).with_status(302)
}

/// Returns the client if the redirect URI is still registered for it.
async fn require_client(ctx: &Context<'_>, request: &Request) -> Result<Client> {
    let client = clients::resolve_client(ctx, &request.client_id).await?;
    if redirect::is_registered_uri(&client.redirect_uris, &request.redirect_uri) {
        Ok(client)
    } else {
        Err(Error::new(INVALID_CLIENT))
    }
}

/// Stores the grant and returns the authorization code.
async fn issue_authorization_code(
    ctx: &Context<'_>,
    request: &Request,
    client: &Client,
    caller: &Principal,
    grant: Grant,
) -> Result<String> {
    let code = random_text::<32>();
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let member_id = &caller.member.id;
    members::lock_member(&db, member_id).await?;
    // The session may have ended since it was authenticated, through a new password or offboarding.
    signed_in_at(&db, caller).await?;
    let member = members::require(&db, member_id).await?;
    if !member.active {
        return Err(Error::new(Code::NOT_A_MEMBER));
    }
    let scopes = grant.scopes.intersection(member.token_capabilities());
    if scopes.is_empty() {
        return Err(Error::new(Code::API_ACCESS_DISABLED));
    }
    let given = AuthorizationCode {
        code_sha256: sha256_hex(code.as_bytes()),
        client_id: client.id.clone(),
        member_id: member.id.clone(),
        family_id: caller.session_id().cloned(),
        redirect_uri: request.redirect_uri.clone(),
        challenge: request.challenge.clone(),
        resource: mcp_endpoint_url(&ctx.services.public_url),
        scopes,
        replaces: grant.replaces.clone(),
        agent_expires_at: ctx.now + i64::from(grant.days) * DAY,
        created_at: ctx.now,
        expires_at: ctx.now + CODE_LIFETIME,
        used_at: None,
        agent_id: None,
    };
    codes::insert(&db, &given).await?;
    agents::clients::record_authorization(&db, client, ctx.now).await?;
    let mut row = audit_row(&ROUTE, caller, ctx.origin, ctx.now);
    row.resource_type = Some(AGENT.kind);
    row.metadata
        .insert("agent".into(), client.name.as_str().into());
    row.metadata
        .insert("client_id".into(), client.id.as_str().into());
    row.metadata
        .insert("scope".into(), scopes::shortest_scope(scopes).into());
    row.metadata.insert("days".into(), grant.days.into());
    if let Some(replaced) = grant.replaces {
        let replaced = replaced.to_string();
        row.metadata.insert("replaces".into(), replaced.into());
    }
    audit::insert(&db, row.with_outcome(Outcome::Succeeded, 302)).await?;
    tx.commit().await?;
    Ok(code)
}
