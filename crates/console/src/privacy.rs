//! The public page that says which data this installation stores, for how long, and who receives them.
//!
//! The page gets values that depend on the configuration or on constants of other crates from
//! `PrivacyNotice`, so that the page always matches the service. The page shows no configuration value
//! that could be a secret: it names providers, but not their addresses and credentials.

use gateway::{Context, Entry, Page, Reply, Result, Spec, Verb};
use identity::authorization::PRIVACY_PATH;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::public_spec,
    links,
    privacy_notice::{Contact, PrivacyNotice},
    shell,
};

/// The page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PrivacyPage {}

const ROUTE: Spec = public_spec("console_privacy", "Privacidade", Verb::Get, PRIVACY_PATH);

pub(crate) const PAGE: Entry = Entry::for_page::<PrivacyPage>(
    ROUTE,
    "O que esta Pauta guarda, por quanto tempo, quem vê e o que sai para outros serviços.",
);

impl Page for PrivacyPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let notice = ctx.services.parts.get::<PrivacyNotice>();
        let body = html! {
            div class="reading privacy" {
                h1 { "Privacidade" }
                p {
                    "Esta página vale para a Pauta em " code { (ctx.services.public_url) }
                    ". A equipe que a usa decide o que entra nela, e quem a opera cuida do servidor."
                }
                (draw_stored(notice))
                (draw_readers())
                (draw_recipients(notice))
                (draw_erasure(notice))
                p { a href=(links::href_to(ctx.services, "/entrar")) { "Entrar na Pauta" } }
            }
        };
        Ok(shell::bare_page(ctx.services, "Privacidade", &body))
    }
}

fn draw_stored(notice: &PrivacyNotice) -> Markup {
    html! {
        h2 { "O que fica guardado, e por quanto tempo" }
        ul { @for place in &notice.places { li { (place) } } }
        dl class="kept" {
            @for stored in &notice.stored {
                div {
                    dt { (stored.what) }
                    dd { (stored.content) }
                    dd { strong { "Por quanto tempo: " } (stored.kept) }
                }
            }
        }
        p {
            "No navegador ficam cookies desta Pauta, que a entrada, a autorização de um agente, os avisos de um formulário e a forma da agenda usam, e, "
            "só nele, rascunhos ainda não salvos e a escolha das teclas. As páginas não carregam nada de outros servidores e não "
            "medem audiência."
        }
    }
}

fn draw_readers() -> Markup {
    html! {
        h2 { "Quem vê" }
        ul {
            li { "Os membros da equipe, cada um só o que o papel dele permite. Vendas e dados de compradores, só quem tem essa marca." }
            li { "Os admins, que veem também os membros, os acessos e a trilha de auditoria." }
            li { "Os convidados de fora da equipe que recebem um link: as peças que ele abre, com a legenda, as mídias, a data e o que a equipe lhes escreve. Quem o recebe comenta ou decide, se o link permite, até a validade dele ou até alguém o revogar." }
            li { "Quem tem o endereço de um calendário assinado: o título, a data, o canal, a situação e o começo da legenda das peças que o membro que o criou pode ver, até alguém o revogar." }
            li { "Os agentes que uma pessoa liga: no máximo o que ela permitiu, até a data que ela escolheu. O que um agente lê vai para o fornecedor dele, nos termos que a pessoa tem com esse fornecedor." }
            li { "Quem opera o servidor, que tem acesso ao banco de dados, aos arquivos e às cópias de segurança." }
            li { "Quem tem um link assinado de uma mídia, enquanto ele vale." }
        }
    }
}

fn draw_recipients(notice: &PrivacyNotice) -> Markup {
    html! {
        h2 { "O que sai para outros serviços" }
        @if notice.recipients.is_empty() {
            p { "Nesta instalação nenhum serviço de fora está ligado." }
        } @else {
            p { "Estes serviços estão ligados nesta instalação:" }
            dl class="kept" {
                @for recipient in &notice.recipients {
                    div { dt { (recipient.name) } dd { (recipient.receives) } }
                }
            }
        }
        p {
            "Além disso, quando um membro manda trazer uma mídia de um endereço, o servidor desse endereço recebe o pedido; "
            "quando alguém assina um calendário, o serviço de calendário que a pessoa usa (como Google, Apple ou Microsoft) o busca de tempos em tempos e guarda a cópia dele; "
            "quando um membro liga avisos em um aparelho, o serviço de avisos do navegador (como Google, Mozilla, Apple ou Microsoft) "
            "recebe a hora de cada aviso e para que aparelho é, e o texto só cifrado; e quando "
            "um aplicativo pede acesso, a Pauta pode ler a ficha que ele publica. A Pauta não vende dados nem treina modelos com eles."
        }
    }
}

fn draw_erasure(notice: &PrivacyNotice) -> Markup {
    html! {
        h2 { "Como ver, corrigir e apagar" }
        ul {
            li { "Membros encerram as próprias sessões, e veem e encerram os próprios agentes e tokens, em “Minha conta” e “Agentes”. Nome, e-mail e saída da equipe, com um admin." }
            li { "Convidados pedem a quem lhes mandou o link, ou a um admin da equipe, que o revogue; o nome e o contato ficam no registro do link." }
            li { "Leads e compradores: quem opera a Pauta exporta tudo o que há sobre um e-mail e apaga a pessoa de todas as linhas. As somas ficam, sem a pessoa." }
            li { "Cópias de segurança feitas antes guardam o que havia até que quem opera as apague." }
        }
        h2 { "Contato" }
        @match &notice.contact {
            Some(Contact::Email(email)) => { p { a href={ "mailto:" (email) } { (email) } } }
            Some(Contact::Page(page)) => { p { a href=(page) rel="noopener" { (page) } } }
            None => { p { "Fale com um admin da equipe que usa esta Pauta." } }
        }
    }
}
