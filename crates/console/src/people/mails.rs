//! The section of the team page that lists undelivered e-mails.

use domain::{MailKind, MailState};
use gateway::Result;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::{text, view::View};

#[derive(Deserialize)]
struct Undelivered {
    emails: Vec<Mail>,
}

#[derive(Deserialize)]
struct Mail {
    tipo: MailKind,
    estado: MailState,
    member_id: Option<String>,
    member_name: Option<String>,
    criado_em: String,
    motivo: String,
    proximo_passo: String,
}

/// Draws the undelivered e-mails, for admins. Empty if all e-mails were delivered.
pub(super) async fn undelivered_section(view: &View<'_>) -> Result<Markup> {
    let listed: Undelivered = view.read("list_undelivered_mails", json!({})).await?;
    if listed.emails.is_empty() {
        return Ok(html! {});
    }
    Ok(html! {
        section id="emails" {
            h2 { "E-mails que não chegaram" }
            p class="soft" { "Os últimos 50, de até 30 dias atrás. Nenhum é enviado de novo sozinho." }
            table class="stacked" {
                thead { tr { th { "Pessoa" } th { "E-mail" } th { "Quando" } th { "O que houve" } th { "O que fazer" } } }
                tbody {
                    @for mail in &listed.emails { (draw_mail(view, mail)) }
                }
            }
        }
    })
}

fn draw_mail(view: &View<'_>, mail: &Mail) -> Markup {
    html! {
        tr {
            td data-label="Pessoa" dir="auto" {
                @match (&mail.member_id, &mail.member_name) {
                    (Some(id), Some(name)) => { a href=(view.href_to(&format!("/equipe/{id}"))) { (name) } },
                    _ => { "ninguém da equipe" },
                }
            }
            td data-label="E-mail" { (kind_text(mail.tipo)) }
            td data-label="Quando" { (text::format_iso_moment(&mail.criado_em)) }
            td data-label="O que houve" { strong { (state_text(mail.estado)) } ": " (mail.motivo) }
            td data-label="O que fazer" { (mail.proximo_passo) }
        }
    }
}

fn kind_text(kind: MailKind) -> &'static str {
    match kind {
        MailKind::PasswordReset => "Link para senha nova",
        MailKind::PasswordChanged => "Senha trocada",
        MailKind::Invitation => "Convite",
        MailKind::Notifications => "Avisos",
    }
}

fn state_text(state: MailState) -> &'static str {
    match state {
        MailState::Bounced => "Voltou",
        MailState::Refused => "Recusado",
        MailState::Expired => "Não saiu a tempo",
        MailState::Unknown => "Talvez tenha saído",
        MailState::Pending | MailState::Sending | MailState::Sent | MailState::Dropped => {
            "Encerrado"
        }
    }
}
