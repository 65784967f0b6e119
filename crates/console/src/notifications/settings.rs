//! The page on which a member says what they want to be told.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{area::page_spec, bell::PATH, forms::operation_form, shell, view::View};

/// The page with the settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SettingsPage {}

const AT: &str = "/notificacoes/preferencias";
const ROUTE: Spec = page_spec(
    "console_notification_settings",
    "Preferências de notificação",
    AT,
)
.fails(&[403]);

pub(super) const SETTINGS: Entry = Entry::for_page::<SettingsPage>(
    ROUTE,
    "De que quem vê quer ser notificado, e quando por e-mail.",
);

#[derive(Deserialize)]
struct Settings {
    revision: i64,
    ligados: Vec<String>,
    desligados: Vec<String>,
    por_email: Vec<String>,
    silencio_de: Option<i8>,
    silencio_ate: Option<i8>,
    resumo: Option<i8>,
    envia_email: bool,
}

/// The kinds in the order of the page, in words.
const KINDS: [(&str, &str); 10] = [
    ("atribuicao", "Quando me atribuem uma peça"),
    ("mencao", "Quando me mencionam em um comentário"),
    ("decisao", "Quando uma peça espera minha decisão"),
    ("decidida", "Quando decidem sobre uma peça minha"),
    ("publicada", "Quando uma peça minha é publicada"),
    ("falha", "Quando uma publicação falha"),
    ("conexao", "Quando a conexão com uma rede vai terminar"),
    ("agente", "Quando um agente é conectado à minha conta"),
    ("webhook", "Quando um webhook deixa de enviar"),
    ("convidado", "Quando erram demais o código de um link meu"),
];

impl Page for SettingsPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let settings: Settings = view.read("get_notification_settings", json!({})).await?;
        let is_on = |kind: &str| settings.ligados.iter().any(|one| one == kind);
        let is_known =
            |kind: &str| is_on(kind) || settings.desligados.iter().any(|one| one == kind);
        let is_by_email = |kind: &str| settings.por_email.iter().any(|one| one == kind);
        let kinds = KINDS.iter().filter(|(kind, _)| is_known(kind));
        let fields = html! {
            input type="hidden" name="expected_revision" value=(settings.revision);
            fieldset {
                legend { "Avisar" }
                @for (kind, words) in kinds.clone() {
                    label class="choice" {
                        input type="checkbox" name="ligados" value=(kind) checked[is_on(kind)];
                        " " (words)
                    }
                }
            }
            @if settings.envia_email {
                fieldset {
                    legend { "Mandar também por e-mail" }
                    @for (kind, words) in kinds {
                        label class="choice" {
                            input type="checkbox" name="por_email" value=(kind) checked[is_by_email(kind)];
                            " " (words)
                        }
                    }
                }
                (draw_times(&settings))
            } @else {
                (keep_email_settings(&settings))
            }
            p { button type="submit" { "Salvar" } }
        };
        let body = html! {
            p { a href=(view.href_to(PATH)) { "Notificações" } }
            h1 { "Preferências de notificação" }
            p class="soft" { "O que já foi notificado continua na lista." }
            @if !settings.envia_email { p class="soft" { "Esta Pauta não envia e-mails: os avisos ficam aqui." } }
            (operation_form(&view, "set_notification_settings", AT, &fields))
        };
        Ok(shell::reading_page(
            &view,
            "Preferências de notificação",
            &body,
        ))
    }
}

/// The hours of e-mails, in Brasilia.
fn draw_times(settings: &Settings) -> Markup {
    html! {
        fieldset {
            legend { "Quando mandar e-mails" }
            label class="field" {
                span { "Frequência" }
                (hours("resumo", "Logo depois de cada aviso", settings.resumo, |hour| format!("Um por dia, às {hour}h")))
            }
            label class="field" {
                span { "Nenhum e-mail a partir das" }
                (hours("silencio_de", "Sem horário de silêncio", settings.silencio_de, |hour| format!("{hour}h")))
            }
            label class="field" {
                span { "E-mails de novo a partir das" }
                (hours("silencio_ate", "Sem horário de silêncio", settings.silencio_ate, |hour| format!("{hour}h")))
            }
            p class="soft" { "Horas de Brasília. Um aviso espera dez minutos antes de ir por e-mail, e não vai se você já o leu." }
        }
    }
}

fn hours(name: &str, none: &str, chosen: Option<i8>, words: fn(i8) -> String) -> Markup {
    html! {
        select name=(name) {
            option value="" { (none) }
            @for hour in 0..24 {
                option value=(hour) selected[chosen == Some(hour)] { (words(hour)) }
            }
        }
    }
}

/// The settings that the page does not show while no e-mails are sent.
fn keep_email_settings(settings: &Settings) -> Markup {
    let hours = [
        ("silencio_de", settings.silencio_de),
        ("silencio_ate", settings.silencio_ate),
        ("resumo", settings.resumo),
    ];
    html! {
        @for kind in &settings.por_email { input type="hidden" name="por_email" value=(kind); }
        @for (name, hour) in hours {
            @if let Some(hour) = hour { input type="hidden" name=(name) value=(hour); }
        }
    }
}
