use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CONNECTION, Connections, OAUTH_STATE_INVALID, callback_page, connections::grant_validity,
    html::Sheet, provider_name::ProviderName, state,
};
use domain::{Capabilities, Capability, ConnectionStatus, Error, Member, time::Millis};
use gateway::{
    Access, Code, Content, Context, Entry, Outcome, OutputForm, Page, Reply, Result, Spec, Verb,
    actorless_row,
};
use ports::{Authorization, Grant, Network, NetworkAccount, NetworkTokens};
use store::{
    audit,
    connections::{self, Connected, Connection},
    members,
};

/// Serves the OAuth callback, to which a network redirects the browser of the user.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CompleteOauthConnection {
    /// Rede registrada.
    provider: ProviderName,
    /// Código da autorização; a rede o envia quando a pessoa autoriza.
    #[schemars(length(min = 1, max = 4000), extend("examples" = ["exemplo"]))]
    code: Option<String>,
    /// O `state` que a conexão levou à rede.
    #[schemars(length(min = 1, max = 200), extend("examples" = ["exemplo"]))]
    state: Option<String>,
    /// Código do erro, quando a pessoa ou a rede não autoriza.
    #[schemars(length(max = 200))]
    error: Option<String>,
}

const CALLBACK: Spec = Spec::new(
    "complete_o_auth_connection",
    "Concluir a conexão com uma rede social",
    Verb::Get,
    "/oauth/{provider}/callback",
)
.access(Access::Public)
.serves(OutputForm::Html)
.fails(&[400, 404, 500])
.faulty_as(OAUTH_STATE_INVALID)
.needs_provider(Code::NOT_FOUND);

/// The entry of the callback page in the table of areas.
pub const COMPLETE_OAUTH_CONNECTION: Entry = Entry::for_page::<CompleteOauthConnection>(
    CALLBACK,
    "Para onde a rede devolve a pessoa, no navegador em que a conexão começou. Pede `state` e \
     `code`; o `state` vale uma vez, por 10 minutos.",
);

impl Page for CompleteOauthConnection {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let network = ctx
            .services
            .parts
            .get::<Connections>()
            .require_network(&self.provider.0)?;
        let name = network.name();
        let redirect_uri = callback_page::redirect_uri(&ctx.services.public_url, name);
        let cookie = callback_page::find_cookie(ctx.origin.head.cookie.as_deref(), name);
        let state = self.state.as_deref().unwrap_or_default();
        let member = state::consume_state(ctx, name, state, cookie).await?;
        // The state is used up now, so each response from here on deletes the cookie.
        let verifier = state::pkce_verifier(&ctx.services.keys, state);
        let asked = Authorization {
            state,
            redirect_uri: &redirect_uri,
            verifier: &verifier,
        };
        let completed = match (self.error, self.code) {
            (None, Some(code)) => complete_connection(ctx, &**network, &code, asked, member).await,
            _ => Err(audit_denied_authorization(ctx, &**network, &member).await),
        };
        // `?` must not return the error here, because the error response must delete the cookie too.
        let reply = match completed {
            Ok(sheet) => sheet.into_reply(),
            Err(error) => {
                if let Some(source) = std::error::Error::source(&error) {
                    tracing::error!(network = name, error = %source, "uma conexão com rede social não foi gravada");
                }
                Reply::new(Content::Text(format!("{}\n", error.message()).into()))
                    .with_status(error.status())
                    .with_header("content-type", "text/plain; charset=utf-8")
            }
        };
        Ok(reply.with_header(
            "set-cookie",
            callback_page::delete_cookie_header(&redirect_uri, name),
        ))
    }
}

/// Writes an audit row: the person or the network denied the authorization. Returns the error (400).
async fn audit_denied_authorization(
    ctx: &Context<'_>,
    network: &dyn Network,
    member: &Member,
) -> Error {
    let title = network.title();
    match audit_failure(ctx, member, network.name(), 400, "access_denied").await {
        Ok(()) => Error::new(OAUTH_STATE_INVALID)
            .because(format!("{title} não autorizou a conexão. Nada mudou.")),
        Err(error) => error,
    }
}

/// Exchanges the authorization code and stores the connection.
async fn complete_connection(
    ctx: &Context<'_>,
    network: &dyn Network,
    code: &str,
    asked: Authorization<'_>,
    member: Member,
) -> Result<Sheet> {
    require_connect_right(&member)?;
    let title = network.title();
    let granted = async {
        let grant = network.exchange_code(code, asked).await?;
        let account = network.fetch_account(&grant.tokens).await?;
        Ok::<_, ports::GrantFailure>((grant, account))
    };
    let (grant, account) = match granted.await {
        Ok(granted) => granted,
        Err(failure) => {
            let code = failure.code();
            audit_failure(ctx, &member, network.name(), 500, code).await?;
            return Err(Error::new(Code::PROVIDER_FAILED).because(format!(
                "{title} não concluiu a conexão ({code}). O que estava conectado continua; comece \
                 de novo."
            )));
        }
    };
    let now = ctx.services.clock.now();
    let before = store_connection(ctx, network, &grant, &account, &member, now).await?;
    let mut sheet = Sheet {
        title: format!("{title} conectado"),
        paragraphs: vec![],
        facts: vec![("Conta", account.display_name.clone())],
    };
    if let Some((before, tokens)) = before.filter(|(before, _)| before.account_id != account.id) {
        let mut told = format!("A conta {} deixou de ser usada.", before.display_name);
        if !matches!(network.revoke_tokens(&tokens).await, Ok(true)) {
            told += &format!(" Retire o acesso dela nas configurações do próprio {title}.");
        }
        sheet.paragraphs.push(told);
    }
    sheet
        .paragraphs
        .push("Você já pode fechar esta página.".into());
    Ok(sheet)
}

/// Stores the connection. Returns the previous connection with its tokens.
async fn store_connection(
    ctx: &Context<'_>,
    network: &dyn Network,
    grant: &Grant,
    account: &NetworkAccount,
    member: &Member,
    now: Millis,
) -> Result<Option<(Connection, NetworkTokens)>> {
    let connections = ctx.services.parts.get::<Connections>();
    let name = network.name();
    let tx = ctx.begin().await?;
    let db = tx.conn();
    members::lock_active_members(&db, [&member.id]).await?;
    let holder = members::find(&db, &member.id).await?;
    require_connect_right(&holder.ok_or_else(|| Error::new(OAUTH_STATE_INVALID))?)?;
    let before = connections::find(&db, name).await?;
    let tokens = before
        .as_ref()
        .map(|before| connections.decrypt_tokens(before));
    let tokens = tokens.transpose()?.flatten();
    let mut grant = grant.clone();
    // A network may send a refresh token only at the first consent. If the account is the same, the
    // stored token is kept.
    let kept = before.as_ref().filter(|before| {
        before.account_id == account.id && before.status == ConnectionStatus::Active
    });
    if let (None, Some(_), Some(tokens)) = (&grant.tokens.refresh, kept, &tokens) {
        grant.tokens.refresh = tokens.refresh.clone();
    }
    let asked = network.scopes().iter().map(|scope| (*scope).to_owned());
    let scopes = grant.scopes.clone().unwrap_or_else(|| asked.collect());
    let until = kept.and_then(|kept| kept.renewable_until);
    let validity = grant_validity(network, &grant, &scopes, until, now);
    let connected = Connected {
        provider: name,
        account_id: &account.id,
        display_name: &account.display_name,
        avatar_url: account.avatar_url.as_deref(),
        by: &member.id,
    };
    connections::save_connection(&db, &connected, &validity, now).await?;
    connections.store_tokens(&db, name, &grant.tokens).await?;
    audit::insert(
        &db,
        connection_audit_row(ctx, member, name).with_outcome(Outcome::Succeeded, 200),
    )
    .await?;
    tx.commit().await?;
    Ok(before.zip(tokens))
}

/// Refuses (400) a member who has left or lost the right to connect accounts since the OAuth flow
/// started.
fn require_connect_right(member: &Member) -> Result<()> {
    if member.active
        && Capabilities::of_level(member.role.level(), false).contains(Capability::Connections)
    {
        return Ok(());
    }
    Err(Error::new(OAUTH_STATE_INVALID)
        .because("Quem começou esta conexão não pode mais fazê-la. Nada mudou."))
}

fn connection_audit_row(ctx: &Context<'_>, member: &Member, provider: &str) -> gateway::AuditRow {
    let mut row = actorless_row(CALLBACK.name, ctx.origin, ctx.now).with_actor(member);
    row.auth_method = "session";
    row.capability = Some(Capability::Connections.as_str());
    row.resource_type = Some(CONNECTION.kind);
    row.resource_id = Some(provider.to_owned());
    row
}

/// Writes the audit row of a failed connection.
async fn audit_failure(
    ctx: &Context<'_>,
    member: &Member,
    provider: &str,
    status: u16,
    code: &str,
) -> Result<()> {
    let mut row = connection_audit_row(ctx, member, provider);
    row.metadata.insert("provider_code".into(), code.into());
    let tx = ctx.begin().await?;
    audit::insert(&tx.conn(), row.with_outcome(Outcome::Failed, status)).await?;
    Ok(tx.commit().await?)
}
