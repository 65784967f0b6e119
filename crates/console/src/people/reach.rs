//! The sections of a member's page that list the member's calendars and devices, to which the service
//! sends data outside the console.

use maud::{Markup, html};

use super::{
    team::{AccessRow, Calendar, Device},
    words::last_use_text,
};
use crate::{forms::operation_form, text, view::View};

pub(super) fn draw_calendars(view: &View<'_>, access: &AccessRow, back: &str) -> Markup {
    let back = format!("{back}#calendarios");
    html! {
        @if access.calendarios.is_empty() { p class="soft" { "Nenhum." } }
        ul class="plain-list" {
            @for calendar in &access.calendarios { li { (draw_calendar(view, access, calendar, &back)) } }
        }
    }
}

fn draw_calendar(view: &View<'_>, access: &AccessRow, calendar: &Calendar, back: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="memberId" value=(access.id);
        input type="hidden" name="calendarId" value=(calendar.id);
        button type="submit" class="danger" aria-label={ "Revogar o endereço de " (calendar.nome) } { "Revogar o endereço" }
    };
    html! {
        div class="spread" {
            div {
                strong dir="auto" { (calendar.nome) }
                br;
                small class="soft" {
                    "Desde " (text::format_iso_day(&calendar.created_at))
                    ". Última leitura: " (last_use_text(calendar.last_read_at.as_deref()))
                }
            }
            (operation_form(view, "revoke_member_calendar_feed", back, &fields))
        }
    }
}

pub(super) fn draw_devices(view: &View<'_>, access: &AccessRow, back: &str) -> Markup {
    let back = format!("{back}#aparelhos");
    html! {
        @if access.aparelhos.is_empty() { p class="soft" { "Nenhum." } }
        ul class="plain-list" {
            @for device in &access.aparelhos { li { (draw_device(view, access, device, &back)) } }
        }
    }
}

fn draw_device(view: &View<'_>, access: &AccessRow, device: &Device, back: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="memberId" value=(access.id);
        input type="hidden" name="deviceId" value=(device.id);
        button type="submit" class="danger" aria-label={ "Remover o aparelho " (device.nome) } { "Remover" }
    };
    html! {
        div class="spread" {
            div {
                strong dir="auto" { (device.nome) }
                br;
                small class="soft" {
                    "Desde " (text::format_iso_day(&device.criado_em))
                    ", registrado pela última vez em " (text::format_iso_day(&device.renovado_em))
                    ". Último aviso: " (last_use_text(device.ultimo_aviso_em.as_deref()))
                }
            }
            (operation_form(view, "remove_member_push_device", back, &fields))
        }
    }
}
