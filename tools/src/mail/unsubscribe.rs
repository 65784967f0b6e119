//! The pages on which a member unsubscribes from the e-mails of one kind of notification, without a
//! session.
//!
//! GET shows a page with a button and changes nothing, because programs that check e-mails open their
//! links. The button sends POST to the same address; so does a mail program that supports the header
//! `List-Unsubscribe-Post` (RFC 8058).

use domain::NotificationKind;
use gateway::{
    Access, Code, Content, Context, Entry, InputForm, OutputForm, Page, Reply, Result, Spec, Verb,
};
use identity::mail::unsubscribing::{self, Ended};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use schemars::JsonSchema;
use serde::Deserialize;

const PATH: &str = "/avisos/cancelar/{membro}/{tipo}/{segredo}";
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";
const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1d2327;--paper:#fbfaf7;--accent:#8f2d1e;--on:#fff}\
@media (prefers-color-scheme:dark){:root{--ink:#ece9e2;--paper:#17191b;--accent:#e59a86;--on:#17191b}}\
body{margin:0;padding:clamp(1.5rem,10vh,6rem) 1.5rem 2rem;background:var(--paper);color:var(--ink);\
font:1.0625rem/1.5 system-ui,sans-serif}\
main{max-width:28rem;margin:0 auto}h1{font:700 2rem/1.15 Georgia,serif;margin:0 0 .75rem}\
button{font:inherit;font-weight:600;border:0;border-radius:.35rem;padding:.75rem 1.25rem;\
background:var(--accent);color:var(--on);cursor:pointer}\
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}a{color:var(--accent)}";

/// Shows the page with the button.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UnsubscribePage {
    /// Id do membro.
    #[schemars(extend("examples" = ["01990000-0000-7000-8000-000000000001"]))]
    membro: String,
    /// O tipo de notificação, ou `todas`.
    #[schemars(extend("examples" = ["atribuicao"]))]
    tipo: String,
    /// O segredo do endereço.
    #[schemars(extend("examples" = ["segredo-de-exemplo"]))]
    segredo: String,
}

/// Unsubscribes the member from the e-mails.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Unsubscribe {
    /// Id do membro.
    #[schemars(extend("examples" = ["01990000-0000-7000-8000-000000000001"]))]
    membro: String,
    /// O tipo de notificação, ou `todas`.
    #[schemars(extend("examples" = ["atribuicao"]))]
    tipo: String,
    /// O segredo do endereço.
    #[schemars(extend("examples" = ["segredo-de-exemplo"]))]
    segredo: String,
}

const FAILS: &[u16] = &[404, 429, 500, 503];

pub(super) const PAGE: Entry = Entry::for_page::<UnsubscribePage>(
    Spec::new(
        "unsubscribe_page",
        "Abrir a página de cancelar e-mails",
        Verb::Get,
        PATH,
    )
    .access(Access::Public)
    .serves(OutputForm::Html)
    .extension()
    .fails(FAILS)
    .faulty_as(Code::NOT_FOUND),
    "A página do endereço secreto que vai em cada e-mail de avisos: um botão para não recebê-los mais.",
);

pub(super) const UNSUBSCRIBE: Entry = Entry::for_page::<Unsubscribe>(
    Spec::new(
        "unsubscribe",
        "Cancelar os e-mails de um tipo de aviso",
        Verb::Post,
        PATH,
    )
    .access(Access::Public)
    // The body is ignored: RFC 8058 requires a form or multipart/form-data, but the secret in the
    // address alone authorizes the request.
    .takes(InputForm::Ignored)
    .serves(OutputForm::Html)
    .extension()
    .outside()
    .unkeyed()
    .announces_nothing()
    .fails(&[404, 413, 415, 429, 500, 503])
    .faulty_as(Code::NOT_FOUND),
    "Cancela os e-mails de um tipo de aviso com um clique, sem entrar (RFC 8058). Isto muda só os \
     e-mails.",
);

impl Page for UnsubscribePage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let address = unsubscribing::check(ctx, &self.membro, &self.tipo, &self.segredo).await?;
        let question = match address.ended() {
            Ended::All => "Não receber mais nenhum aviso por e-mail?".to_owned(),
            Ended::Kind(kind) => format!("Não receber mais e-mails {}?", describe_kind(kind)),
        };
        Ok(draw_page(
            "E-mails de avisos",
            &html! {
                p { (question) }
                p { "Isto muda só os e-mails. O resto se escolhe nas preferências de notificações." }
                form method="post" { button { "Não receber mais" } }
            },
        ))
    }
}

impl Page for Unsubscribe {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let address = unsubscribing::check(ctx, &self.membro, &self.tipo, &self.segredo).await?;
        address.unsubscribe(ctx).await?;
        let settings = format!("{}/notificacoes/preferencias", ctx.services.public_url);
        Ok(draw_page(
            "Pronto",
            &html! {
                p { "Você não recebe mais estes e-mails." }
                p { "Mudou de ideia? Ligue-os de novo nas " a href=(settings) { "preferências" } "." }
            },
        ))
    }
}

fn describe_kind(kind: NotificationKind) -> &'static str {
    match kind {
        NotificationKind::Assigned => "quando lhe atribuem uma peça",
        NotificationKind::Mentioned => "quando mencionam você, respondem ou um convidado comenta",
        NotificationKind::Awaited => "quando uma peça espera sua decisão",
        NotificationKind::Decided => "quando aprovam uma peça sua",
        NotificationKind::ChangesAsked => "quando recusam ou pedem ajustes em uma peça sua",
        NotificationKind::Published => "quando uma peça sua é publicada",
        NotificationKind::Failed => "quando uma publicação falha",
        NotificationKind::Connection => "quando uma conexão vai terminar",
        NotificationKind::Agent => "quando um agente é conectado à sua conta",
        NotificationKind::Webhook => "quando um webhook deixa de enviar",
        NotificationKind::GuestLink => "quando um link de convidado é encerrado",
        NotificationKind::Reminder => "quando é hora de publicar um post à mão",
    }
}

fn draw_page(title: &str, body: &Markup) -> Reply {
    let page = html! {
        (DOCTYPE)
        html lang="pt-BR" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " · Pauta" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 { (title) } (body) } }
        }
    };
    Reply::new(Content::Text(page.into_string().into()))
        .with_header("content-security-policy", POLICY)
        .with_header("referrer-policy", "no-referrer")
        .with_header("x-robots-tag", "noindex")
}
