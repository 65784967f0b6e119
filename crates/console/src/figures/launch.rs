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
use crate::{area::page_spec, text, view::View};

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

const ROUTE: Spec =
    page_spec("console_launch", "Lançamento", "/lancamentos/{projeto_id}").fails(&[404]);

pub(crate) const LAUNCH: Entry = Entry::for_page::<Launch>(
    ROUTE,
    "Um lançamento: meta, vendas, jornada, mídia, origem, e-mails e saúde dos dados.",
);

impl Page for Launch {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let id = self.projeto_id.as_str();
        let mut input = period::period_input(self.inicio.as_deref(), self.fim.as_deref());
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
        let bars = days::complete_bars(&summary.por_dia, summary.inicio, summary.fim, today);
        let more_dispatches = dispatches.next_cursor.is_some();
        let spending = draw_spending(&media.totais, &media.moeda);
        let health_sheet = sheets::health_sheet(&health);
        let [first, last] = sheets::origin_sheets(origin);
        let by_day = sums::day_sheet(summary.por_dia, &currency);
        let curve = standing.curve();
        let growth = curve.to_sheet();
        let (steps, stages) = (journey_steps(journey), crm_steps(crm));
        let steps_sheet = funnel::funnel_sheet("jornada", "Passos da jornada", &steps);
        let stages_sheet =
            funnel::funnel_sheet("funil-comercial", "Etapas do funil comercial", &stages);
        let media = sheets::media_sheet(media);
        let dispatches = sheets::dispatch_sheet(dispatches);
        let polls = sheets::poll_sheet(profiles.enquetes);
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
                .map(Sheet::csv_reply)
                .ok_or_else(|| Error::not_found("tabela"));
        }
        let path = view.href_to(&format!("/lancamentos/{id}"));
        let shown_days = format!("inicio={}&fim={}", summary.inicio.0, summary.fim.0);
        let address = format!("{path}?{shown_days}");
        let progress = standing.progress();
        // The verdict already mentions the goal, so alerts about the goal are left out.
        let mut alerts = decision.alertas;
        alerts.retain(|alert| alert.assunto != "meta");
        alerts.extend(health.alertas);
        let is_whole =
            summary.inicio == progress.pace.starts_on && summary.fim == progress.pace.ends_on;
        let whole_bars = standing.bars();
        let mut facts: Vec<String> = standing.describe_comparison().into_iter().collect();
        facts.extend(sums::describe_days(whole_bars, today, &currency));
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/lancamentos")) { "Lançamentos" } }
            div class="spread" {
                h1 dir="auto" { (summary.nome) }
                @if view.may_call("update_launch_dashboard") {
                    a class="button quiet" href=(format!("{path}/painel")) { "Mudar meta e produtos" }
                }
            }
            (period::describe_period(progress.pace.starts_on, progress.pace.ends_on, summary.atualizado_em.as_deref()))
            (verdict::judge_launch(&progress).draw(&facts))
            (sums::draw_alerts(&alerts))
            section aria-labelledby="meta" {
                h2 id="meta" { "Receita e meta" }
                @if progress.pace.goal_cents > 0 {
                    (chart::draw_goal(progress.pace.done_cents, progress.pace.goal_cents, progress.pace.expected_revenue(), progress.currency))
                } @else {
                    p { "Este lançamento não tem meta." }
                }
                (period::draw_figures(&standing.key_figures()))
                (curve.draw("Receita acumulada, com a meta e o lançamento anterior"))
                details { summary { "Tabela da receita acumulada" } (growth.draw_table(&address)) }
            }
            div class="spread" {
                h2 id="vendas" { "Vendas" }
                (period::period_form(&path, summary.inicio, summary.fim))
            }
            @if !is_whole {
                p class="soft" { "Daqui para baixo, só " (amounts::format_day(summary.inicio)) " a " (amounts::format_day(summary.fim)) "." }
            }
            (sums::compared_totals(&summary.totais, None))
            p class="soft" {
                (amounts::format_count(summary.visitas)) " visitas"
                @if let Some(rate) = summary.conversao { ", " (amounts::format_rate(rate)) " viraram venda" }
                ". " a class="screen-only" href=(format!("{path}/compradores?{shown_days}")) { "Ver compradores" }
            }
            (sums::draw_other_currencies(&summary.outras_moedas))
            (sums::revenue_chart(&bars, today, &currency))
            details class="printed" { summary { "Tabela por dia" } (by_day.draw_table(&address)) }
            div class="pair" {
                section aria-labelledby="jornada" {
                    h2 id="jornada" { "Jornada no site" }
                    (funnel::draw_funnel("Sessões em cada passo da jornada; na compra, pessoas", &steps))
                    details { summary { "Tabela da jornada" } (steps_sheet.draw_table(&address)) }
                }
                section aria-labelledby="funil" {
                    h2 id="funil" { "Funil comercial" }
                    (funnel::draw_funnel("Pessoas em cada etapa do funil", &stages))
                    details { summary { "Tabela do funil comercial" } (stages_sheet.draw_table(&address)) }
                }
            }
            section aria-labelledby="midia" {
                h2 id="midia" { "Mídia paga" }
                (spending)
                (media.draw_table(&address))
            }
            section aria-labelledby="origem" {
                h2 id="origem" { "Origem das vendas" }
                (first.draw_table(&address))
                (last.draw_table(&address))
            }
            section aria-labelledby="disparos" {
                h2 id="disparos" { "E-mails e mensagens" }
                (dispatches.draw_table(&address))
                @if more_dispatches { p class="soft" { "Estes são os mais recentes." } }
            }
            section aria-labelledby="publico" { h2 id="publico" { "Público" } (polls.draw_table(&address)) }
            section aria-labelledby="saude" {
                h2 id="saude" { "Saúde dos dados" }
                (period::draw_numbers(&[
                    ("Vendas sem origem", Cell::from_rate(health.vendas_sem_origem).display_text()),
                    ("E-mails devolvidos", Cell::from_rate(health.taxa_devolucao).display_text()),
                    ("Reclamações", Cell::from_rate(health.taxa_reclamacao).display_text()),
                ]))
                (health_sheet.draw_table(&address))
            }
        };
        Ok(period::report_page(&view, &summary.nome, &body))
    }
}

fn draw_spending(spent: &Spent, currency: &str) -> Markup {
    period::draw_numbers(&[
        (
            "Gasto",
            amounts::format_money(spent.gasto_centavos, currency),
        ),
        ("Vendas atribuídas", amounts::format_count(spent.vendas)),
        (
            "Custo por venda",
            Cell::from_money(spent.cpa_centavos, currency).display_text(),
        ),
        (
            "Retorno",
            spent.roas.map_or_else(|| "–".into(), amounts::format_ratio),
        ),
    ])
}

/// Returns the steps on the site. Each step counts sessions, except the purchase, which counts people
/// because purchases have no session.
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

/// Returns the name of a stage in the CRM, capitalized.
fn stage_name(stage: &str) -> String {
    let name = text::capitalize(&stage.replace('_', " "));
    match name.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}
