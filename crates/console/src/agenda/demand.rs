use domain::{
    MOST_TAG,
    time::{month_name, parse_day},
};
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use jiff::civil::Date;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::page_spec,
    forms::operation_form,
    shell,
    teammates::{Teammate, list_teammates},
    view::View,
};

/// The page with the form of a new demand.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NewDemand {
    /// O dia (AAAA-MM-DD) que o formulário já traz.
    dia: Option<String>,
    /// A hora (HH:mm) que o formulário já traz.
    hora: Option<String>,
    canal: Option<String>,
}

const ROUTE: Spec = page_spec("console_new_demand", "Nova demanda", "/demandas/nova");

pub(super) const NEW: Entry =
    Entry::for_page::<NewDemand>(ROUTE, "O formulário que cria uma demanda, com dia e hora.");

/// The suggested channels. The field also accepts other channels.
const CHANNELS: [&str; 7] = [
    "instagram",
    "tiktok",
    "youtube",
    "linkedin",
    "facebook",
    "blog",
    "newsletter",
];
const KINDS: [&str; 6] = ["post", "carrossel", "reel", "story", "vídeo", "artigo"];

impl Page for NewDemand {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let may_make = view.may_call("create_demand");
        let team = match may_make {
            true => list_teammates(&view).await?,
            false => vec![],
        };
        let body = html! {
            h1 { "Nova demanda" }
            @if may_make {
                p class="soft" { "Uma peça a fazer, que depois recebe legenda, mídia e aprovação." }
                (operation_form(&view, "create_demand", "/eventos/{/event_id}", &self.draw_fields(&team)))
            } @else {
                p class="notice" {
                    "Só líderes e admins criam demandas. Peça acesso a um admin da equipe; veja quem são em “Equipe”."
                }
            }
            p { a href=(view.href_to("/agenda")) { "Voltar à agenda" } }
        };
        Ok(shell::console_page(&view, "Nova demanda", &body))
    }
}

impl NewDemand {
    fn draw_fields(&self, team: &[Teammate]) -> Markup {
        let day = self.dia.as_deref().and_then(parse_day);
        let hour = self.hora.as_deref().unwrap_or_default();
        let channel = self.canal.as_deref().unwrap_or("instagram");
        html! {
            div class="stack new-demand" {
                label class="field" {
                    span { "Título" }
                    input name="title" maxlength="300" required autofocus dir="auto";
                }
                div class="demand-pair" {
                    label class="field" {
                        span { "Canal" }
                        input name="channel" value=(channel) maxlength="60" list="canais" required;
                    }
                    label class="field" {
                        span { "Tipo" }
                        input name="tipo" maxlength=(MOST_TAG) list="tipos" placeholder="post, carrossel, reel…";
                    }
                }
                (date_fields(day, hour, false))
                label class="field" {
                    span { "Responsável" }
                    select name="assignee_id" {
                        option value="" { "Ninguém por enquanto" }
                        @for person in team { option value=(person.id) { (person.name) } }
                    }
                }
                label class="field" {
                    span { "O que se pede (briefing)" }
                    textarea id="briefing" name="description" rows="6" maxlength="20000" dir="auto" {}
                }
                datalist id="canais" { @for name in CHANNELS { option value=(name) {} } }
                datalist id="tipos" { @for name in KINDS { option value=(name) {} } }
                button type="submit" { "Criar demanda" }
            }
        }
    }
}

/// Draws the fields of a date: day, month, year and hour, with the names of the operation's input
/// fields.
pub(super) fn date_fields(day: Option<Date>, hour: &str, is_required: bool) -> Markup {
    let number = |part: fn(Date) -> String| day.map(part);
    html! {
        fieldset class="date-fields" {
            legend { "Data, no horário de Brasília" @if !is_required { small { " (opcional)" } } }
            label class="field" {
                span { "Dia" }
                input type="number" name="day" min="1" max="31" value=[number(|day| day.day().to_string())] required[is_required];
            }
            label class="field" {
                span { "Mês" }
                select name="month" required[is_required] {
                    @if !is_required { option value="" { "–" } }
                    @for month in 1..=12_i8 {
                        option value=(month) selected[day.is_some_and(|day| day.month() == month)] { (month_name(month)) }
                    }
                }
            }
            label class="field" {
                span { "Ano" }
                input type="number" name="year" min="2000" max="9999" value=[number(|day| day.year().to_string())];
            }
            label class="field" {
                span { "Hora" }
                input type="time" name="hour" value=[(!hour.is_empty()).then_some(hour)];
            }
        }
    }
}
