use futures::try_join;
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    amounts, chart, days,
    funnel::{self, Step},
    launch_sheets as sheets, period,
    shapes::{Crm, Decision, Dispatches, Health, Journey, Media, Origin, Profiles, Spent, Summary},
    sheet::{Cell, Sheet},
    standing::Standing,
    sums, verdict,
};
use crate::{area::page, text, view::View};

/// The dashboard of a launch.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Launch {
    projeto_id: String,
    /// Primeiro dia.
    inicio: Option<String>,
    /// Último dia.
    fim: Option<String>,
    /// A tabela a baixar.
    csv: Option<String>,
}

const ROUTE: Spec = page("console_launch", "Lançamento", "/lancamentos/{projeto_id}").fails(&[404]);

pub(crate) const LAUNCH: Entry = Entry::page::<Launch>(
    ROUTE,
    "Um lançamento: meta, vendas, jornada, mídia, origem, e-mails e saúde dos dados.",
);

impl Page for Launch {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let id = self.projeto_id.as_str();
        let mut input = period::input(self.inicio.as_deref(), self.fim.as_deref());
        input["projetoId"] = id.into();
        let whole = json!({ "projetoId": id });
        let (
            standing,
            summary,
            decision,
            journey,
            crm,
            media,
            origin,
            dispatches,
            profiles,
            health,
        ) = try_join!(
            Standing::load(&view, id),
            view.read::<Summary>("get_launch_summary", input.clone()),
            view.read::<Decision>("get_launch_decision_panel", whole),
            view.read::<Journey>("get_launch_timeline_funnel", input.clone()),
            view.read::<Crm>("get_launch_crm_funnel", input.clone()),
            view.read::<Media>("get_launch_paid_media", input.clone()),
            view.read::<Origin>("get_launch_sales_origin", input.clone()),
            view.read::<Dispatches>("list_launch_dispatches", input.clone()),
            view.read::<Profiles>("get_launch_profiles", input.clone()),
            view.read::<Health>("get_launch_health", input.clone()),
        )?;
        let currency = summary.totais.moeda.clone();
        let today = standing.today;
        let bars = days::complete(&summary.por_dia, summary.inicio, summary.fim, today);
        let more_dispatches = dispatches.next_cursor.is_some();
        let spending = spending(&media.totais, &media.moeda);
        let health_sheet = sheets::health(&health);
        let [first, last] = sheets::origin(origin);
        let by_day = sums::day_sheet(summary.por_dia, &currency);
        let curve = standing.curve();
        let growth = curve.sheet();
        let (steps, stages) = (journey_steps(journey), crm_steps(crm));
        let steps_sheet = funnel::sheet("jornada", "Passos da jornada", &steps);
        let stages_sheet = funnel::sheet("funil-comercial", "Etapas do funil comercial", &stages);
        let media = sheets::media(media);
        let dispatches = sheets::dispatches(dispatches);
        let polls = sheets::polls(profiles.enquetes);
        let all = [
            &growth,
            &by_day,
            &steps_sheet,
            &stages_sheet,
            &media,
            &first,
            &last,
            &dispatches,
            &polls,
            &health_sheet,
        ];
        if let Some(name) = self.csv {
            let sheet = all.into_iter().find(|sheet| sheet.name == name);
            return sheet
                .map(Sheet::file)
                .ok_or_else(|| Error::not_found("tabela"));
        }
        let path = view.at(&format!("/lancamentos/{id}"));
        let shown_days = format!("inicio={}&fim={}", summary.inicio.0, summary.fim.0);
        let address = format!("{path}?{shown_days}");
        let progress = standing.progress();
        // The verdict already covers the goal, so the alerts about it are left out.
        let mut alerts = decision.alertas;
        alerts.retain(|alert| alert.assunto != "meta");
        alerts.extend(health.alertas);
        let is_whole =
            summary.inicio == progress.pace.starts_on && summary.fim == progress.pace.ends_on;
        let whole_bars = standing.bars();
        let mut facts: Vec<String> = standing.comparison().into_iter().collect();
        facts.extend(sums::describe_days(whole_bars, today, &currency));
        let body = html! {
            p class="crumbs" { a href=(view.at("/lancamentos")) { "Lançamentos" } }
            div class="spread" {
                h1 dir="auto" { (summary.nome) }
                @if view.may_call("update_launch_dashboard") {
                    a class="button quiet" href=(format!("{path}/painel")) { "Mudar meta e produtos" }
                }
            }
            (period::describe_period(progress.pace.starts_on, progress.pace.ends_on, summary.atualizado_em.as_deref()))
            (verdict::launch(&progress).draw(&facts))
            (sums::alerts(&alerts))
            section aria-labelledby="meta" {
                h2 id="meta" { "Receita e meta" }
                @if progress.pace.goal_cents > 0 {
                    (chart::goal(progress.pace.done_cents, progress.pace.goal_cents, progress.pace.forecast(), progress.currency))
                } @else {
                    p { "Este lançamento não tem meta." }
                }
                (period::figures(&standing.figures()))
                (curve.draw("Receita acumulada, com a meta e o lançamento anterior"))
                details { summary { "Tabela da receita acumulada" } (growth.shown(&address)) }
            }
            div class="spread" {
                h2 id="vendas" { "Vendas" }
                (period::form(&path, summary.inicio, summary.fim))
            }
            @if !is_whole {
                p class="soft" { "Daqui para baixo, só " (amounts::day(summary.inicio)) " a " (amounts::day(summary.fim)) "." }
            }
            (sums::compared_totals(&summary.totais, None))
            p class="soft" {
                (amounts::count(summary.visitas)) " visitas"
                @if let Some(rate) = summary.conversao { ", " (amounts::rate(rate)) " viraram venda" }
                ". " a href=(format!("{path}/compradores?{shown_days}")) { "Ver compradores" }
            }
            (sums::others(&summary.outras_moedas))
            (sums::days(&bars, today, &currency))
            details class="printed" { summary { "Tabela por dia" } (by_day.shown(&address)) }
            div class="pair" {
                section aria-labelledby="jornada" {
                    h2 id="jornada" { "Jornada no site" }
                    (funnel::draw("Sessões em cada passo da jornada; na compra, pessoas", &steps))
                    details { summary { "Tabela da jornada" } (steps_sheet.shown(&address)) }
                }
                section aria-labelledby="funil" {
                    h2 id="funil" { "Funil comercial" }
                    (funnel::draw("Pessoas em cada etapa do funil", &stages))
                    details { summary { "Tabela do funil comercial" } (stages_sheet.shown(&address)) }
                }
            }
            section aria-labelledby="midia" {
                h2 id="midia" { "Mídia paga" }
                (spending)
                (media.shown(&address))
            }
            section aria-labelledby="origem" {
                h2 id="origem" { "Origem das vendas" }
                (first.shown(&address))
                (last.shown(&address))
            }
            section aria-labelledby="disparos" {
                h2 id="disparos" { "E-mails e mensagens" }
                (dispatches.shown(&address))
                @if more_dispatches { p class="soft" { "Estes são os mais recentes." } }
            }
            section aria-labelledby="publico" { h2 id="publico" { "Público" } (polls.shown(&address)) }
            section aria-labelledby="saude" {
                h2 id="saude" { "Saúde dos dados" }
                (period::numbers(&[
                    ("Vendas sem origem", Cell::rate(health.vendas_sem_origem).shown()),
                    ("E-mails devolvidos", Cell::rate(health.taxa_devolucao).shown()),
                    ("Reclamações", Cell::rate(health.taxa_reclamacao).shown()),
                ]))
                (health_sheet.shown(&address))
            }
        };
        Ok(period::report_page(&view, &summary.nome, &body))
    }
}

fn spending(spent: &Spent, currency: &str) -> Markup {
    period::numbers(&[
        ("Gasto", amounts::money(spent.gasto_centavos, currency)),
        ("Vendas atribuídas", amounts::count(spent.vendas)),
        (
            "Custo por venda",
            Cell::money(spent.cpa_centavos, currency).shown(),
        ),
        (
            "Retorno",
            spent.roas.map_or_else(|| "–".into(), amounts::times),
        ),
    ])
}

/// The steps of the site. They count sessions, except a purchase: it has no session and counts
/// people.
fn journey_steps(journey: Journey) -> Vec<Step> {
    let steps = journey.etapas.into_iter().map(|step| {
        let (name, counted) = match step.etapa.as_str() {
            "visitou_pagina" => ("Visitou a página", "sessões"),
            "identificou" => ("Deixou o contato", "contatos"),
            "abriu_checkout" => ("Abriu o checkout", "checkouts"),
            "etapa_checkout" => ("Avançou no checkout", "pagamentos começados"),
            "compra" => ("Comprou", "compradores"),
            other => (other, "sessões"),
        };
        Step {
            name: name.to_owned(),
            counted: counted.to_owned(),
            number: step.sessoes.unwrap_or(step.pessoas),
        }
    });
    steps.collect()
}

fn crm_steps(crm: Crm) -> Vec<Step> {
    let steps = crm.etapas.into_iter().map(|stage| {
        let name = stage_name(&stage.etapa);
        Step {
            counted: format!("em “{name}”"),
            number: stage.pessoas,
            name,
        }
    });
    steps.collect()
}

/// The CRM's name of a stage, capitalized.
fn stage_name(stage: &str) -> String {
    let name = text::capitalize(&stage.replace('_', " "));
    match name.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}
