//! The page on which a person decides what an agent may do.

use serde::Serialize;

use super::{AtIssuer, pages, password, redirect, request::Request, scopes};
use crate::returning;
use domain::{Capabilities, Capability, Level};
use gateway::{Context, Principal, Reply, Result};
use store::agents::clients::Client;

/// Where the forms lead, below the public address.
pub(super) const DECIDE: &str = "/authorize";
pub(super) const SIGN_IN: &str = "/authorize/entrar";

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
    action: String,
    sealed: String,
    sign_in_again: String,
    levels: Vec<LevelChoice>,
    groups: Vec<Group>,
    offers_publishing: bool,
    open: bool,
}

#[derive(Serialize)]
struct LevelChoice {
    name: &'static str,
    title: &'static str,
    text: &'static str,
    chosen: bool,
}

#[derive(Serialize)]
struct Group {
    title: &'static str,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    name: &'static str,
    label: &'static str,
    chosen: bool,
}

/// What the client asks for, within what the person may allow now.
pub(super) fn grantable(request: &Request, caller: &Principal) -> Capabilities {
    scopes::asked(request.scope.as_deref()).intersection(caller.member.token_capabilities())
}

/// Asks for the decision. `problem` says why the last one did not hold.
pub(super) fn page(
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
    let grantable = grantable(&request, caller);
    let publishes = grantable.contains(Capability::Publish);
    let url = &ctx.services.public_url;
    let host = url::Url::parse(client.id.as_str()).ok();
    let host = host.and_then(|url| Some(url.host_str()?.to_owned()));
    let shown = Consent {
        client_name: &client.name,
        client_host: host.unwrap_or_else(|| "registrou-se sozinho nesta Pauta".into()),
        redirect_host: redirect::host(&request.redirect_uri),
        is_local: redirect::is_local(&request.redirect_uri),
        member_name: &caller.member.name,
        member_email: &caller.member.email,
        problem: problem.or(grantable.is_empty().then_some(NOTHING)),
        can_allow: !grantable.is_empty(),
        action: format!("{url}{DECIDE}"),
        sealed: request.sealed(ctx)?,
        sign_in_again: request.address(url) + "&prompt=login",
        levels: levels(grantable),
        groups: groups(grantable),
        offers_publishing: publishes,
        open: problem.is_some(),
    };
    pages::page(
        "consent",
        shown,
        Some(&redirect::source(&request.redirect_uri)),
    )
}

/// The levels that make a difference. What only administrators do is not chosen beforehand.
fn levels(grantable: Capabilities) -> Vec<LevelChoice> {
    let adds = |level: &Level| {
        let of_level = grantable.iter().filter(|c| c.min_level() == Some(*level));
        of_level.count() > 0
    };
    let offered: Vec<Level> = Level::ALL.iter().copied().filter(adds).collect();
    let usual = offered.iter().copied().filter(|l| *l <= Level::Lider).max();
    let chosen = usual.or(offered.first().copied());
    let choice = |level: &Level| LevelChoice {
        name: level.as_str(),
        title: title(*level),
        text: text(*level),
        chosen: Some(*level) == chosen,
    };
    offered.iter().map(choice).collect()
}

fn title(level: Level) -> &'static str {
    match level {
        Level::Nenhum => "Nada",
        Level::Leitor => "Só ler",
        Level::Criador => "Ler e criar",
        Level::Lider => "Ler, criar e coordenar",
        Level::Admin => "Tudo, também administrar",
    }
}

fn text(level: Level) -> &'static str {
    match level {
        Level::Nenhum => "",
        Level::Leitor => "Agenda, projetos, rascunhos e a base de conhecimento.",
        Level::Criador => "Também escreve, gera imagens e envia para aprovação.",
        Level::Lider => "Também aprova, recusa, atribui e apaga.",
        Level::Admin => "Também muda a configuração da equipe.",
    }
}

/// The capabilities by level. Publishing is not chosen beforehand.
fn groups(grantable: Capabilities) -> Vec<Group> {
    let places = [
        Some(Level::Leitor),
        Some(Level::Criador),
        Some(Level::Lider),
        Some(Level::Admin),
        None,
    ];
    let group = |place: Option<Level>| {
        let of_place = grantable.iter().filter(|c| c.min_level() == place);
        let items: Vec<Item> = of_place
            .map(|capability| Item {
                name: capability.as_str(),
                label: scopes::label(capability),
                chosen: capability != Capability::Publish,
            })
            .collect();
        let title = place.map_or("Vendas", title);
        (!items.is_empty()).then_some(Group { title, items })
    };
    places.into_iter().filter_map(group).collect()
}

/// Asks the person to sign in, here or at the hosted issuer. With `again`, even if the issuer knows who
/// it is.
pub(super) fn sign_in_page(
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
    }
    let request = Request {
        session: None,
        at: ctx.now,
        ..request
    };
    let url = &ctx.services.public_url;
    let back = request.path(url);
    let issuer = match AtIssuer::of(ctx, &back, again) {
        Ok(issuer) => issuer,
        Err(error) => return pages::refused(&error),
    };
    let own = ctx.services.identity.issuer().is_none();
    let by_way_of = |page: &str| own.then(|| returning::by_way_of(ctx, page, &back));
    let shown = SignIn {
        client_name: &client.name,
        action: format!("{url}{SIGN_IN}"),
        sealed: request.sealed(ctx)?,
        email,
        problem,
        issuer,
        password_at: by_way_of(password::CHANGE),
        invitation_at: by_way_of(password::REDEEM),
    };
    pages::page("sign_in", shown, None)
}
