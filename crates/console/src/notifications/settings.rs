//! The page on which a member chooses the notifications to receive.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::devices::{AT, Devices, draw_devices};
use crate::{area::page_spec, bell::PATH, forms::operation_form, shell, view::View};

/// The page with the settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SettingsPage {}

const ROUTE: Spec = page_spec(
    "console_notification_settings",
    "Preferências de notificação",
    AT,
)
.fails(&[403]);

pub(super) const SETTINGS: Entry = Entry::for_page::<SettingsPage>(
    ROUTE,
    "De que quem vê quer ser notificado, quando por e-mail e em que aparelhos.",
);

#[derive(Deserialize)]
struct Settings {
    revision: i64,
    ligados: Vec<String>,
    desligados: Vec<String>,
    por_email: Vec<String>,
    por_push: Vec<String>,
    fora_da_lista: Vec<String>,
    silencio_de: Option<i8>,
    silencio_ate: Option<i8>,
    resumo: Option<i8>,
    envia_email: bool,
}

/// A kind of notification: its API value and its label.
type Kind = (&'static str, &'static str);

/// The kinds in the order of the page.
const KINDS: [Kind; 12] = [
    ("atribuicao", "Quando me atribuem uma peça"),
    (
        "mencao",
        "Quando me mencionam ou respondem, ou um convidado comenta",
    ),
    ("decisao", "Quando uma peça espera minha decisão"),
    (
        "ajustes",
        "Quando recusam ou pedem ajustes em uma peça minha",
    ),
    ("decidida", "Quando aprovam uma peça minha"),
    ("publicada", "Quando uma peça minha é publicada"),
    ("falha", "Quando uma publicação falha"),
    ("lembrete", "Quando é hora de publicar um post à mão"),
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
        let devices: Devices = view.read("list_push_devices", json!({})).await?;
        let has_devices = !devices.aparelhos.is_empty();
        let kinds: Vec<Kind> = KINDS
            .into_iter()
            .filter(|(kind, _)| is_known(kind))
            .collect();
        let fields = html! {
            input type="hidden" name="expected_revision" value=(settings.revision);
            (draw_kinds("Avisar", "ligados", &kinds, &settings.ligados))
            @if settings.envia_email {
                (draw_kinds("Mandar por e-mail", "por_email", &kinds, &settings.por_email))
            }
            @if has_devices {
                (draw_kinds("Mandar aos aparelhos", "por_push", &kinds, &settings.por_push))
            }
            @if settings.envia_email || has_devices || !settings.fora_da_lista.is_empty() {
                (draw_kinds("Não deixar na lista de notificações", "fora_da_lista", &kinds, &settings.fora_da_lista))
            }
            @if settings.envia_email || has_devices {
                (draw_times(&settings, has_devices))
            } @else {
                (draw_hidden_times(&settings))
            }
            p { button type="submit" { "Salvar" } }
        };
        let body = html! {
            p { a href=(view.href_to(PATH)) { "Notificações" } }
            h1 { "Preferências de notificação" }
            p class="soft" { "O que já foi notificado continua na lista." }
            @if !settings.envia_email { p class="soft" { "Esta Pauta não envia e-mails: os avisos ficam aqui e nos aparelhos que você ligar." } }
            (operation_form(&view, "set_notification_settings", AT, &fields))
            (draw_devices(&view, &devices))
        };
        Ok(shell::reading_page(
            &view,
            "Preferências de notificação",
            &body,
        ))
    }
}

/// Draws the checkboxes of one channel. The hidden field `[]` makes the list empty if no box is checked.
/// Without that field, the list would be absent from the input.
fn draw_kinds(legend: &str, name: &str, kinds: &[Kind], chosen: &[String]) -> Markup {
    html! {
        fieldset {
            legend { (legend) }
            input type="hidden" name={ (name) "[]" };
            @for (kind, words) in kinds {
                label class="choice" {
                    input type="checkbox" name=(name) value=(kind) checked[chosen.iter().any(|one| one == kind)];
                    " " (words)
                }
            }
        }
    }
}

/// Draws the fields for the hours of e-mails and of messages to devices, in Brasília time.
fn draw_times(settings: &Settings, has_devices: bool) -> Markup {
    let (none, again) = match (settings.envia_email, has_devices) {
        (true, true) => (
            "Nada por e-mail nem no aparelho a partir das",
            "De novo a partir das",
        ),
        (true, false) => ("Nenhum e-mail a partir das", "E-mails de novo a partir das"),
        _ => (
            "Nenhum aviso no aparelho a partir das",
            "Avisos de novo a partir das",
        ),
    };
    html! {
        fieldset {
            legend { @if settings.envia_email { "Quando mandar e-mails" } @else { "Quando avisar" } }
            @if settings.envia_email {
                label class="field" {
                    span { "Frequência" }
                    (draw_hour_select("resumo", "Logo depois de cada aviso", settings.resumo, |hour| format!("Um por dia, às {hour}h")))
                }
            } @else if let Some(hour) = settings.resumo {
                input type="hidden" name="resumo" value=(hour);
            }
            label class="field" {
                span { (none) }
                (draw_hour_select("silencio_de", "Sem horário de silêncio", settings.silencio_de, |hour| format!("{hour}h")))
            }
            label class="field" {
                span { (again) }
                (draw_hour_select("silencio_ate", "Sem horário de silêncio", settings.silencio_ate, |hour| format!("{hour}h")))
            }
            p class="soft" {
                "Horas de Brasília."
                @if settings.envia_email { " Um aviso espera dez minutos antes de ir por e-mail, e não vai se você já o leu." }
                @if has_devices { " Nos aparelhos, um aviso aparece logo." }
                " O lembrete de publicar à mão chega na hora do post, mesmo no silêncio: depois dela não serve."
            }
        }
    }
}

fn draw_hour_select(name: &str, none: &str, chosen: Option<i8>, words: fn(i8) -> String) -> Markup {
    html! {
        select name=(name) {
            option value="" { (none) }
            @for hour in 0..24 {
                option value=(hour) selected[chosen == Some(hour)] { (words(hour)) }
            }
        }
    }
}

/// Draws the hours as hidden fields, which keep their values while the page does not show them because
/// nothing is sent by e-mail or to devices.
fn draw_hidden_times(settings: &Settings) -> Markup {
    let hours = [
        ("silencio_de", settings.silencio_de),
        ("silencio_ate", settings.silencio_ate),
        ("resumo", settings.resumo),
    ];
    html! {
        @for (name, hour) in hours {
            @if let Some(hour) = hour { input type="hidden" name=(name) value=(hour); }
        }
    }
}
