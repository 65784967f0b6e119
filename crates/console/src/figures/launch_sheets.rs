//! The tables of a launch.

use super::{
    shapes::{Dispatches, Health, Media, Origin, Poll, Spent, Touched},
    sheet::{Cell, Sheet},
};
use crate::figures::amounts;

pub(super) fn media_sheet(media: Media) -> Sheet {
    let currency = media.moeda;
    let figures = |spent: Spent| {
        vec![
            Cell::Money(spent.gasto_centavos, currency.clone()),
            Cell::Count(spent.impressoes),
            Cell::Count(spent.cliques),
            Cell::from_rate(spent.ctr),
            Cell::from_money(spent.cpc_centavos, &currency),
            Cell::Count(spent.vendas),
            Cell::Money(spent.receita_centavos, currency.clone()),
            Cell::from_money(spent.cpa_centavos, &currency),
            spent.roas.map_or(Cell::Nothing, Cell::Times),
        ]
    };
    let mut rows = vec![];
    let has_rows = !media.por_campanha.is_empty();
    for campaign in media.por_campanha {
        let name = campaign.campanha.unwrap_or_else(|| "sem nome".into());
        let mut row = vec![Cell::from_text(name), Cell::from_text(campaign.plataforma)];
        row.extend(figures(campaign.spent));
        rows.push(row);
    }
    if has_rows {
        let mut row = vec![Cell::from_text("Todas"), Cell::from_text("")];
        row.extend(figures(media.totais));
        rows.push(row);
    }
    Sheet {
        name: "midia",
        title: "Por campanha",
        columns: &[
            "Campanha",
            "Plataforma",
            "Gasto",
            "Impressões",
            "Cliques",
            "CTR",
            "CPC",
            "Vendas",
            "Receita",
            "CPA",
            "ROAS",
        ],
        rows,
    }
}

pub(super) fn origin_sheets(origin: Origin) -> [Sheet; 2] {
    let currency = origin.moeda;
    let sheet = |name, title, touched: Vec<Touched>| Sheet {
        name,
        title,
        columns: &["Canal", "Fonte", "Meio", "Campanha", "Vendas", "Receita"],
        rows: touched
            .into_iter()
            .map(|touched| touch_row(touched, &currency))
            .collect(),
    };
    [
        sheet(
            "primeiro-toque",
            "Pelo primeiro toque",
            origin.primeiro_toque,
        ),
        sheet("ultimo-toque", "Pelo último toque", origin.ultimo_toque),
    ]
}

fn touch_row(touched: Touched, currency: &str) -> Vec<Cell> {
    let text_cell = |text: Option<String>| text.map_or(Cell::from_text("–"), Cell::from_text);
    vec![
        Cell::from_text(channel_label(touched.canal.as_deref())),
        text_cell(touched.utm_source),
        text_cell(touched.utm_medium),
        text_cell(touched.utm_campaign),
        Cell::Count(touched.vendas),
        Cell::Money(touched.receita_centavos, currency.into()),
    ]
}

/// Returns the label of an acquisition channel.
pub(super) fn channel_label(name: Option<&str>) -> String {
    let word = match name {
        Some("pago") => "Mídia paga",
        Some("email") => "E-mail",
        Some("social") => "Social",
        Some("mensagem") => "Mensagem",
        Some("busca") => "Busca",
        Some("referencia") => "Outro site",
        Some("direto") => "Direto",
        None | Some("sem_origem") => "Sem origem",
        Some(other) => other,
    };
    word.to_owned()
}

pub(super) fn dispatch_sheet(dispatches: Dispatches) -> Sheet {
    let currency = dispatches.moeda;
    let rows = dispatches.disparos.into_iter().map(|dispatch| {
        vec![
            Cell::from_text(dispatch.nome.unwrap_or_else(|| "sem nome".into())),
            Cell::from_text(match dispatch.canal.as_deref() {
                Some("email") => "E-mail",
                Some("whatsapp") => "WhatsApp",
                Some("sms") => "SMS",
                other => other.unwrap_or("–"),
            }),
            dispatch.enviado_em.map_or(Cell::Nothing, Cell::Moment),
            Cell::Count(dispatch.enviados),
            Cell::Count(dispatch.entregues),
            Cell::Count(dispatch.abertos),
            Cell::Count(dispatch.clicados),
            Cell::Count(dispatch.devolvidos),
            Cell::Count(dispatch.vendas),
            Cell::Money(dispatch.receita_centavos, currency.clone()),
        ]
    });
    Sheet {
        name: "disparos",
        title: "Por disparo",
        columns: &[
            "Disparo",
            "Canal",
            "Enviado em",
            "Enviados",
            "Entregues",
            "Abertos",
            "Cliques",
            "Devolvidos",
            "Vendas",
            "Receita",
        ],
        rows: rows.collect(),
    }
}

pub(super) fn poll_sheet(polls: Vec<Poll>) -> Sheet {
    let mut rows = vec![];
    for poll in polls {
        for answer in poll.respostas {
            rows.push(vec![
                Cell::from_text(poll.votacao.clone()),
                Cell::from_text(answer.opcao),
                Cell::Count(answer.pessoas),
                Cell::from_text(format!("de {}", amounts::format_count(poll.respondentes))),
            ]);
        }
    }
    Sheet {
        name: "enquetes",
        title: "Respostas das enquetes",
        columns: &["Enquete", "Resposta", "Pessoas", "Respondentes"],
        rows,
    }
}

pub(super) fn health_sheet(health: &Health) -> Sheet {
    let rows = health.fontes.iter().map(|source| {
        let at = source.atualizada_em.clone();
        vec![
            Cell::from_text(source_name(&source.fonte)),
            at.map_or(Cell::Nothing, Cell::Moment),
            Cell::from_text(source.erro.clone().unwrap_or_else(|| "Em ordem".into())),
        ]
    });
    Sheet {
        name: "fontes",
        title: "Fontes dos dados",
        columns: &["Fonte", "Atualizada em", "Estado"],
        rows: rows.collect(),
    }
}

/// Returns the name of a source of sales, as pages show it.
fn source_name(source: &str) -> String {
    let name = match source {
        "importacao:purchases" => "Importação de compras",
        "importacao:subscriptions" => "Importação de assinaturas",
        "importacao:ad-spend" => "Importação de gastos com anúncios",
        "importacao:crm" => "Importação do funil comercial",
        "importacao:dispatches" => "Importação de disparos",
        other => other,
    };
    name.to_owned()
}
