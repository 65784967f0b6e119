//! The part of the settings that switches on notifications for a device, and lists and removes the
//! devices that receive notifications.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{forms::operation_form, text, view::View};

/// The answer of `list_push_devices`.
#[derive(Deserialize)]
pub(super) struct Devices {
    pub aparelhos: Vec<Device>,
    chave: String,
}

#[derive(Deserialize)]
pub(super) struct Device {
    id: String,
    nome: String,
    criado_em: String,
    ultimo_aviso_em: Option<String>,
}

/// The path of the page with the settings.
pub(super) const AT: &str = "/notificacoes/preferencias";
/// The address to which the form redirects. It contains the id of the new device.
const REGISTERED: &str = "/notificacoes/preferencias?aparelho={/aparelho/id}";

pub(super) fn draw_devices(view: &View<'_>, devices: &Devices) -> Markup {
    let fields = html! {
        @for name in ["endpoint", "p256dh", "auth", "nome"] { input type="hidden" name=(name); }
        button type="button" data-switch-on hidden { "Receber avisos neste aparelho" }
    };
    html! {
        section id="aparelhos" data-module="push" data-key=(devices.chave) {
            h2 { "Avisos no celular e no computador" }
            p class="soft" { "O aviso aparece mesmo com a Pauta fechada, com a mesma frase da lista. Quem vê a tela do aparelho a lê." }
            p data-state role="status" { "Para ligar os avisos neste aparelho, o navegador precisa de JavaScript." }
            (operation_form(view, "add_push_device", REGISTERED, &fields))
            @if devices.aparelhos.is_empty() {
                p class="soft" { "Nenhum aparelho recebe avisos." }
            } @else {
                ul class="plain-list" {
                    @for device in &devices.aparelhos { li data-device=(device.id) { (draw_device(view, device)) } }
                }
            }
        }
    }
}

fn draw_device(view: &View<'_>, device: &Device) -> Markup {
    let fields = html! {
        input type="hidden" name="deviceId" value=(device.id);
        button type="submit" class="quiet" aria-label={ "Remover " (device.nome) } { "Remover" }
    };
    html! {
        div class="spread" {
            div {
                strong { (device.nome) } span data-this hidden { " (este aparelho)" }
                br;
                small class="soft" {
                    "Desde " (text::format_iso_day(&device.criado_em)) ", " (text::format_iso_hour(&device.criado_em))
                    @if let Some(last) = &device.ultimo_aviso_em {
                        ". Último aviso: " (text::format_iso_day(last)) ", " (text::format_iso_hour(last))
                    }
                }
            }
            (operation_form(view, "remove_push_device", AT, &fields))
        }
    }
}
