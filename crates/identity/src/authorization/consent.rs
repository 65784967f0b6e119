//! The consent page, on which a member decides what an agent may do.

use serde::Serialize;

use super::{
    AtIssuer, PRIVACY_PATH, mcp_endpoint_url,
    offer::{self, Offer, is_chosen_separately},
    pages, password, redirect,
    request::Request,
    workdays::{Workday, workdays_for},
};
use crate::returning;
use domain::{Capabilities, Capability, Level, Member, time::brasilia_day};
use gateway::{Context, Principal, Reply, Result};
use store::agents::{self, Agent, clients::Client};

/// The path of the consent form, below the public URL.
pub(super) const DECIDE: &str = "/authorize";
/// The path of the sign-in form, below the public URL.
pub(super) const SIGN_IN: &str = "/authorize/entrar";

const OWN_LEVEL_OFF: &str = "O seu acesso por API está desligado, e você pode ligá-lo.";

const NOTHING: &str = "O seu acesso por API está desligado, ou não alcança o que este aplicativo pede. \
    Fale com um admin da equipe.";

#[derive(Serialize)]
struct Consent<'a> {
    client_name: &'a str,
    client_host: String,
    redirect_host: String,
    is_local: bool,
    member_name: &'a str,
    member_email: &'a str,
    problem: Option<&'a str>,
    can_allow: bool,
    /// The URL of the page on which the member can raise their own API level. It is set only if the
    /// member can grant no capability.
    own_level_at: Option<String>,
    action: String,
    sealed: String,
    sign_in_again: String,
    privacy_at: String,
    levels: Vec<LevelChoice>,
    extends: Option<Extended>,
    /// Capabilities for money and personal data, which no level includes.
    sensitive: Vec<Item>,
    publishing: Vec<Item>,
    /// The number of active agents that the member has connected with this client. The page shows the
    /// number unless the decision extends one of these agents.
    others: usize,
    open: bool,
    mcp_url: String,
    workdays: Vec<Workday>,
}

#[derive(Serialize)]
struct LevelChoice {
    name: &'static str,
    title: &'static str,
    text: &'static str,
    chosen: bool,
    items: Vec<Item>,
}

/// An existing agent that would get more capabilities.
#[derive(Serialize)]
struct Extended {
    id: String,
    /// The date on which the agent was connected.
    since: String,
    new: Vec<Item>,
    before: Vec<Item>,
    /// The number of agents that have the same capabilities as this agent, including itself.
    alike: usize,
    replaced: bool,
}

#[derive(Serialize)]
struct Item {
    name: &'static str,
    label: &'static str,
    chosen: bool,
}

/// Loads the capabilities that the page offers to this member for this request.
pub(super) async fn load_offer(
    ctx: &Context<'_>,
    request: &Request,
    caller: &Principal,
) -> Result<Offer> {
    let may = caller.member.token_capabilities();
    let active = active_agents(ctx, request, caller).await?;
    Ok(Offer::for_scope(request.scope.as_deref(), may, active))
}

/// Returns the active agents that the member has connected with this client, for this service's URL.
async fn active_agents(
    ctx: &Context<'_>,
    request: &Request,
    caller: &Principal,
) -> Result<Vec<Agent>> {
    let (member, client) = (&caller.member.id, &request.client_id);
    let mut active = agents::list_active_of_client(&ctx.db(), member, client, ctx.now).await?;
    let ours = mcp_endpoint_url(&ctx.services.public_url);
    active.retain(|agent| agent.resource == ours);
    Ok(active)
}

/// Renders the consent page. `problem` is the reason why the last submission was rejected.
pub(super) async fn render_page(
    ctx: &Context<'_>,
    request: Request,
    client: &Client,
    caller: &Principal,
    session: String,
    problem: Option<&str>,
) -> Result<Reply> {
    let request = Request {
        session: Some(session),
        at: ctx.now,
        ..request
    };
    let active = active_agents(ctx, &request, caller).await?;
    let others = active.len();
    let may = caller.member.token_capabilities();
    let offer = Offer::for_scope(request.scope.as_deref(), may, active);
    let grantable = offer.grantable();
    let url = &ctx.services.public_url;
    let host = url::Url::parse(client.id.as_str()).ok();
    let host = host.and_then(|url| Some(url.host_str()?.to_owned()));
    let items_outside_levels = |which: fn(Capability) -> bool| match &offer {
        Offer::Levels(all) => capability_items(*all, Capabilities::default(), which),
        Offer::More(_) => vec![],
    };
    let may_raise = grantable.is_empty() && may_raise_own_level(&caller.member);
    let nothing = match may_raise {
        true => Some(OWN_LEVEL_OFF),
        false => grantable.is_empty().then_some(NOTHING),
    };
    let shown = Consent {
        client_name: &client.name,
        client_host: host.unwrap_or_else(|| "registrou-se sozinho nesta Pauta".into()),
        redirect_host: redirect::display_host(&request.redirect_uri),
        is_local: redirect::is_local_uri(&request.redirect_uri),
        member_name: &caller.member.name,
        member_email: &caller.member.email,
        problem: problem.or(nothing),
        can_allow: !grantable.is_empty(),
        own_level_at: may_raise.then(|| format!("{url}/agentes")),
        action: format!("{url}{DECIDE}"),
        sealed: request.to_signed_text(ctx)?,
        sign_in_again: request.authorization_url(url) + "&prompt=login",
        privacy_at: format!("{url}{PRIVACY_PATH}"),
        levels: level_choices(&offer),
        extends: extended_agent(&offer),
        sensitive: items_outside_levels(Capability::is_sensitive),
        publishing: items_outside_levels(|capability| {
            is_chosen_separately(capability) && !capability.is_sensitive()
        }),
        others,
        open: problem.is_some(),
        mcp_url: mcp_endpoint_url(url),
        workdays: workdays_for(grantable),
    };
    pages::render_template(
        "consent",
        shown,
        Some(&redirect::csp_source(&request.redirect_uri)),
    )
}

/// True if the API level of the member is off and the member may change it.
fn may_raise_own_level(member: &Member) -> bool {
    let is_off = member.effective_api_level() == Level::Nenhum;
    is_off
        && member
            .session_capabilities()
            .contains(Capability::TeamAdmin)
}

fn level_choices(offer: &Offer) -> Vec<LevelChoice> {
    let Offer::Levels(grantable) = offer else {
        return vec![];
    };
    let offered = offer::levels_adding_capabilities(*grantable);
    let proposed = offer::default_level(&offered);
    let choice = |level: Level| {
        let list = offer::capabilities_listed_for_level(*grantable, level);
        LevelChoice {
            name: level.as_str(),
            title: level_title(level),
            text: level_description(level),
            chosen: Some(level) == proposed,
            items: capability_items(list, list, |_| true),
        }
    };
    let mut choices: Vec<LevelChoice> = offered.into_iter().map(choice).collect();
    // The proposed level comes first on the page.
    choices.sort_by_key(|choice| !choice.chosen);
    choices
}

fn extended_agent(offer: &Offer) -> Option<Extended> {
    let Offer::More(step_up) = offer else {
        return None;
    };
    let marked = step_up.default_selection();
    let since = brasilia_day(step_up.agent.created_at);
    Some(Extended {
        id: step_up.agent.id.to_string(),
        since: since.strftime("%d/%m/%Y").to_string(),
        new: capability_items(step_up.new, marked, |_| true),
        before: capability_items(step_up.before, marked, |_| true),
        alike: step_up.alike,
        replaced: step_up.replaceable_agent().is_some(),
    })
}

fn capability_items(
    capabilities: Capabilities,
    chosen: Capabilities,
    which: impl Fn(Capability) -> bool,
) -> Vec<Item> {
    let item = |capability: Capability| Item {
        name: capability.as_str(),
        label: capability.label(),
        chosen: chosen.contains(capability),
    };
    let shown = capabilities.iter().filter(|capability| which(*capability));
    shown.map(item).collect()
}

fn level_title(level: Level) -> &'static str {
    match level {
        Level::Nenhum => "Nada",
        Level::Leitor => "Só ler",
        Level::Criador => "Ler e criar",
        Level::Lider => "Ler, criar e coordenar",
        Level::Admin => "Tudo, também administrar",
    }
}

fn level_description(level: Level) -> &'static str {
    match level {
        Level::Nenhum => "",
        Level::Leitor => "Agenda, projetos, rascunhos, resultados e a base de conhecimento.",
        Level::Criador => "Também escreve, gera imagens e vídeos, e envia para aprovação.",
        Level::Lider => "Também aprova, recusa, atribui e apaga.",
        Level::Admin => "Também muda a configuração da equipe.",
    }
}

/// Renders the sign-in page: with a form, or with a link to the hosted issuer. If `again` is set,
/// the issuer asks for a sign-in even if it has a session.
pub(super) fn render_sign_in_page(
    ctx: &Context<'_>,
    request: Request,
    client: &Client,
    email: &str,
    problem: Option<&str>,
    again: bool,
) -> Result<Reply> {
    #[derive(Serialize)]
    struct SignIn<'a> {
        client_name: &'a str,
        action: String,
        sealed: String,
        email: &'a str,
        problem: Option<&'a str>,
        issuer: Option<AtIssuer>,
        password_at: Option<String>,
        invitation_at: Option<String>,
        privacy_at: String,
    }
    let request = Request {
        session: None,
        at: ctx.now,
        ..request
    };
    let url = &ctx.services.public_url;
    let back = request.authorization_path(url);
    let issuer = match AtIssuer::create_link(ctx, &back, again) {
        Ok(issuer) => issuer,
        Err(error) => return pages::render_error(&error),
    };
    let own = ctx.services.identity.issuer().is_none();
    let by_way_of =
        |page: &str| own.then(|| returning::page_url_with_return_path(ctx, page, &back));
    let shown = SignIn {
        client_name: &client.name,
        action: format!("{url}{SIGN_IN}"),
        sealed: request.to_signed_text(ctx)?,
        email,
        problem,
        issuer,
        password_at: by_way_of(password::CHANGE),
        invitation_at: by_way_of(password::REDEEM),
        privacy_at: format!("{url}{PRIVACY_PATH}"),
    };
    pages::render_template("sign_in", shown, None)
}
