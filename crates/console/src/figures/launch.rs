use futures::try_join;
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    amounts, chart, launch_sheets as sheets, period,
    shapes::{Crm, Decision, Dispatches, Health, Journey, Media, Origin, Profiles, Spent, Summary},
    sheet::{Cell, Sheet},
    sums,
};
use crate::{area::page, shell, view::View};

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
        let (summary, decision, journey, crm, media, origin, dispatches, profiles, health) = try_join!(
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
        let days = sums::days(&summary.por_dia, &currency);
        let more_dispatches = dispatches.next_cursor.is_some();
        let spending = spending(&media.totais, &media.moeda);
        let health_sheet = sheets::health(&health);
        let [first, last] = sheets::origin(origin);
        let by_day = sums::day_sheet(summary.por_dia, &currency);
        let media = sheets::media(media);
        let dispatches = sheets::dispatches(dispatches);
        let polls = sheets::polls(profiles.enquetes);
        let all = [
            &by_day,
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
        let address = format!("{path}?inicio={}&fim={}", summary.inicio, summary.fim);
        let steps = journey
            .etapas
            .iter()
            .map(|step| (step_name(&step.etapa), step.pessoas));
        let stages = crm
            .etapas
            .iter()
            .map(|stage| (stage_name(&stage.etapa), stage.pessoas));
        let body = html! {
            p class="crumbs" { a href=(view.at("/lancamentos")) { "Lançamentos" } }
            h1 dir="auto" { (summary.nome) }
            (period::describe_period(&summary.inicio, &summary.fim, summary.atualizado_em.as_deref()))
            (sums::alerts(&decision.alertas))
            (sums::alerts(&health.alertas))
            section class="card" aria-labelledby="meta" { (goal(&decision)) }
            div class="spread" {
                h2 id="vendas" { "Vendas" }
                (period::form(&path, &summary.inicio, &summary.fim))
            }
            (sums::totals(&summary.totais))
            p class="soft" {
                (amounts::count(summary.visitas)) " visitas"
                @if let Some(rate) = summary.conversao { ", " (amounts::rate(rate)) " viraram venda" }
                ". " a href=(format!("{path}/compradores?inicio={}&fim={}", summary.inicio, summary.fim)) { "Ver compradores" }
            }
            (sums::others(&summary.outras_moedas))
            (days)
            details { summary { "Tabela por dia" } (by_day.shown(&address)) }
            div class="pair" {
                section aria-labelledby="jornada" {
                    h2 id="jornada" { "Jornada no site" }
                    (chart::funnel("Pessoas em cada passo da jornada", &steps.collect::<Vec<_>>()))
                }
                section aria-labelledby="funil" {
                    h2 id="funil" { "Funil comercial" }
                    (chart::funnel("Pessoas em cada etapa do funil", &stages.collect::<Vec<_>>()))
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
        Ok(shell::page(&view, &summary.nome, &body))
    }
}

fn goal(decision: &Decision) -> Markup {
    let currency = decision.moeda.as_str();
    let share = |cents: i64| {
        #[expect(clippy::cast_precision_loss, reason = "a place on a chart")]
        let share = cents as f64 / decision.meta_centavos as f64;
        share
    };
    html! {
        div class="spread" {
            h2 id="meta" { "Meta" }
            span class="soft" { "dia " (decision.dias_decorridos) " de " (decision.dias) }
        }
        @match decision.alcancado {
            Some(reached) => {
                p class="figure" {
                    strong { (amounts::rate(reached)) } " de " (amounts::money(decision.meta_centavos, currency))
                }
                (chart::goal(reached, decision.projecao_centavos.map(share)))
            }
            None => p { "Este lançamento não tem meta." },
        }
        (period::numbers(&[
            ("Realizado", amounts::money(decision.realizado_centavos, currency)),
            ("Ritmo por dia", Cell::money(decision.ritmo_centavos, currency).shown()),
            ("Projeção", Cell::money(decision.projecao_centavos, currency).shown()),
            ("Necessário por dia", Cell::money(decision.necessario_por_dia_centavos, currency).shown()),
        ]))
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

fn step_name(step: &str) -> String {
    let name = match step {
        "visitou_pagina" => "Visitou a página",
        "identificou" => "Deixou o contato",
        "abriu_checkout" => "Abriu o checkout",
        "etapa_checkout" => "Avançou no checkout",
        "compra" => "Comprou",
        other => other,
    };
    name.to_owned()
}

/// The CRM's name of a stage, capitalized.
fn stage_name(stage: &str) -> String {
    let text = stage.replace('_', " ");
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    let name = first.unwrap_or_default() + letters.as_str();
    match name.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}
