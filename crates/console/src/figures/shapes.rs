//! The parts of operations' answers that the dashboards read.

use domain::{Revision, time::LocalDay};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Launches {
    pub lancamentos: Vec<Launch>,
    pub next_cursor: Option<String>,
    pub atualizado_em: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Launch {
    pub projeto_id: String,
    pub nome: String,
    pub inicio: LocalDay,
    pub fim: LocalDay,
    pub moeda: String,
    pub meta_centavos: i64,
    pub receita_centavos: i64,
    pub vendas: i64,
}

/// The answer of `get_launch_dashboard`.
#[derive(Deserialize)]
pub(super) struct Saved {
    pub lancamento: Panel,
}

/// A launch as it was saved.
#[derive(Deserialize)]
pub(super) struct Panel {
    pub projeto_id: String,
    pub revision: Revision,
    pub nome: String,
    pub inicio: LocalDay,
    pub fim: LocalDay,
    pub meta_centavos: i64,
    pub moeda: String,
    pub produtos: Vec<String>,
    pub campanhas: Vec<String>,
    pub lancamento: Option<String>,
    pub updated_at: String,
    pub updated_by_name: Option<String>,
}

/// The totals of sales in one currency.
#[derive(Deserialize)]
pub(super) struct Totals {
    pub moeda: String,
    pub receita_bruta_centavos: i64,
    pub receita_centavos: i64,
    pub vendas: i64,
    pub reembolsos: i64,
    pub reembolsos_centavos: i64,
    pub ticket_medio_centavos: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct Day {
    pub dia: LocalDay,
    pub receita_bruta_centavos: i64,
    pub receita_centavos: i64,
    pub vendas: i64,
    pub reembolsos: i64,
}

#[derive(Deserialize)]
pub(super) struct Summary {
    pub nome: String,
    pub inicio: LocalDay,
    pub fim: LocalDay,
    pub totais: Totals,
    pub visitas: i64,
    pub conversao: Option<f64>,
    pub por_dia: Vec<Day>,
    pub outras_moedas: Vec<Totals>,
    pub atualizado_em: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Alert {
    pub assunto: String,
    pub nivel: String,
    pub texto: String,
}

#[derive(Deserialize)]
pub(super) struct Decision {
    pub alertas: Vec<Alert>,
}

#[derive(Deserialize)]
pub(super) struct Journey {
    pub etapas: Vec<JourneyStep>,
}

#[derive(Deserialize)]
pub(super) struct JourneyStep {
    pub etapa: String,
    pub sessoes: Option<i64>,
    pub pessoas: i64,
}

#[derive(Deserialize)]
pub(super) struct Crm {
    pub etapas: Vec<CrmStep>,
}

#[derive(Deserialize)]
pub(super) struct CrmStep {
    pub etapa: String,
    pub pessoas: i64,
}

#[derive(Deserialize)]
pub(super) struct Media {
    pub moeda: String,
    pub totais: Spent,
    pub por_campanha: Vec<Campaign>,
}

#[derive(Deserialize)]
pub(super) struct Spent {
    pub gasto_centavos: i64,
    pub impressoes: i64,
    pub cliques: i64,
    pub ctr: Option<f64>,
    pub cpc_centavos: Option<i64>,
    pub vendas: i64,
    pub receita_centavos: i64,
    pub cpa_centavos: Option<i64>,
    pub roas: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Campaign {
    pub plataforma: String,
    pub campanha: Option<String>,
    #[serde(flatten)]
    pub spent: Spent,
}

#[derive(Deserialize)]
pub(super) struct Origin {
    pub moeda: String,
    pub primeiro_toque: Vec<Touched>,
    pub ultimo_toque: Vec<Touched>,
}

#[derive(Deserialize)]
pub(super) struct Touched {
    pub canal: Option<String>,
    pub utm_source: Option<String>,
    pub utm_medium: Option<String>,
    pub utm_campaign: Option<String>,
    pub vendas: i64,
    pub receita_centavos: i64,
}

#[derive(Deserialize)]
pub(super) struct Dispatches {
    pub moeda: String,
    pub disparos: Vec<Dispatch>,
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Dispatch {
    pub nome: Option<String>,
    pub canal: Option<String>,
    pub enviado_em: Option<String>,
    pub enviados: i64,
    pub entregues: i64,
    pub abertos: i64,
    pub clicados: i64,
    pub devolvidos: i64,
    pub vendas: i64,
    pub receita_centavos: i64,
}

#[derive(Deserialize)]
pub(super) struct Profiles {
    pub enquetes: Vec<Poll>,
}

#[derive(Deserialize)]
pub(super) struct Poll {
    pub votacao: String,
    pub respondentes: i64,
    pub respostas: Vec<Answered>,
}

#[derive(Deserialize)]
pub(super) struct Answered {
    pub opcao: String,
    pub pessoas: i64,
}

#[derive(Deserialize)]
pub(super) struct Health {
    pub fontes: Vec<Source>,
    pub vendas_sem_origem: Option<f64>,
    pub taxa_devolucao: Option<f64>,
    pub taxa_reclamacao: Option<f64>,
    pub alertas: Vec<Alert>,
}

#[derive(Deserialize)]
pub(super) struct Source {
    pub fonte: String,
    pub atualizada_em: Option<String>,
    pub erro: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Buyers {
    pub inicio: LocalDay,
    pub fim: LocalDay,
    pub moeda: String,
    pub compradores: Vec<Buyer>,
    pub next_cursor: Option<String>,
    pub atualizado_em: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Buyer {
    pub comprador: String,
    pub valor_centavos: i64,
    pub produtos: Vec<Bought>,
    pub primeiro_toque: Option<Touch>,
    pub ultimo_toque: Option<Touch>,
    pub ultima_compra_em: String,
}

#[derive(Deserialize)]
pub(super) struct Bought {
    pub produto_id: String,
    pub produto: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Touch {
    pub canal: Option<String>,
    pub utm_campaign: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Sales {
    pub inicio: LocalDay,
    pub fim: LocalDay,
    pub totais: Totals,
    pub por_dia: Vec<Day>,
    pub por_produto: Vec<Product>,
    pub outros_produtos: Option<Totals>,
    pub por_loja: Vec<Store>,
    pub outras_moedas: Vec<Totals>,
    pub atualizado_em: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Product {
    pub produto_id: String,
    pub produto: Option<String>,
    #[serde(flatten)]
    pub totals: Totals,
}

#[derive(Deserialize)]
pub(super) struct Store {
    pub loja: String,
    #[serde(flatten)]
    pub totals: Totals,
}

#[derive(Deserialize)]
pub(super) struct Team {
    pub totais: TeamTotals,
    pub por_vendedor: Vec<Seller>,
}

#[derive(Deserialize)]
pub(super) struct TeamTotals {
    pub moeda: String,
}

#[derive(Deserialize)]
pub(super) struct Seller {
    pub vendedor: String,
    pub vendas: i64,
    pub receita_centavos: i64,
    pub taxa: Option<f64>,
    pub comissao_centavos: i64,
}

#[derive(Deserialize)]
pub(super) struct Subscriptions {
    pub inicio: LocalDay,
    pub fim: LocalDay,
    #[serde(flatten)]
    pub totals: PlanTotals,
    pub por_plano: Vec<Plan>,
    pub outras_moedas: Vec<PlanTotals>,
    pub atualizado_em: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PlanTotals {
    pub moeda: String,
    pub ativos: i64,
    pub novos: i64,
    pub cancelados: i64,
    pub churn: Option<f64>,
    pub mrr_centavos: i64,
    pub em_atraso: i64,
}

#[derive(Deserialize)]
pub(super) struct Plan {
    pub plano: String,
    #[serde(flatten)]
    pub totals: PlanTotals,
}

#[derive(Deserialize)]
pub(super) struct Leaving {
    pub saidas: Vec<Left>,
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Left {
    pub assinatura_id: String,
    pub plano: Option<String>,
    pub inicio: Option<String>,
    pub saida: String,
    pub motivo: Option<String>,
    pub valor_centavos: i64,
    pub moeda: String,
}
