use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    alerts::{Alert, AlertSubject, format_percent},
    scope::{require_launch_and_days, sales_selection},
};
use crate::figures::{self, Period, Span, rounded_ratio};
use domain::{
    Capability, ProjectId,
    time::{DAY, Millis, Timestamp},
    timeline::DeliveryKind,
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{
    figures::{Kind, list_dispatches, list_touches, load_mail_counts},
    launches::Launch,
    sales,
};

/// The age from which the data of a source cause an alert.
const OLD: Millis = DAY;
/// The share of sales without an origin above which there is an alert.
const UNKNOWN: f64 = 0.3;
/// The share of bounced e-mails above which there is an alert.
const BOUNCES: f64 = 0.05;
/// The share of e-mails with a complaint above which there is an alert.
const COMPLAINTS: f64 = 0.001;
/// Maximum dispatches of a launch that are counted.
const MOST: i64 = 1_000;

/// Diz se os números de um lançamento merecem confiança: idade de cada fonte, vendas sem origem,
/// devoluções e reclamações de e-mail, alertas. Fonte velha: `synchronize_timeline`. Sem período, o
/// do lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchHealth {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
}

/// Saúde dos dados.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchHealth {
    #[serde(flatten)]
    span: Span,
    fontes: Vec<SourceLine>,
    /// De 0 a 1; nulo sem venda.
    vendas_sem_origem: Option<f64>,
    /// Devolvidos sobre enviados; nulo sem envio.
    taxa_devolucao: Option<f64>,
    /// Reclamações sobre enviados; nulo sem envio.
    taxa_reclamacao: Option<f64>,
    alertas: Vec<Alert>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Uma fonte de dados: uma loja, uma plataforma ou uma importação.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SourceLine {
    fonte: String,
    /// Até quando os dados dela são conhecidos; nulo enquanto nenhuma leitura foi até o fim.
    atualizada_em: Option<Timestamp>,
    /// O código do erro da última vez; nulo se deu certo.
    erro: Option<String>,
}

impl Operation for GetLaunchHealth {
    const SPEC: Spec = Spec::new(
        "get_launch_health",
        "Conferir dados do lançamento",
        Verb::Get,
        "/api/lancamentos/{projetoId}/saude",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchHealth;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchHealth> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let db = ctx.db();
        let sources = sales::sources(&db).await?;
        let origins = list_touches(
            &db,
            &sales_selection(&launch),
            span.first_and_last_day(),
            false,
        )
        .await?;
        let all = origins.iter().map(|one| one.sales).sum();
        let unknown = origins.iter().filter(|one| one.channel.is_none());
        let unknown = rounded_ratio(unknown.map(|one| one.sales).sum(), all);
        let (bounces, complaints) = load_mail_rates(ctx, &launch, span).await?;
        let mut alertas = vec![];
        for source in &sources {
            alertas.extend(source_alert(source, ctx.now));
        }
        let (origin, emails) = (AlertSubject::Origin, AlertSubject::Emails);
        for (subject, share, most, what) in [
            (
                origin,
                unknown,
                UNKNOWN,
                "das vendas não têm origem conhecida",
            ),
            (emails, bounces, BOUNCES, "dos e-mails foram devolvidos"),
            (
                emails,
                complaints,
                COMPLAINTS,
                "dos e-mails tiveram reclamação",
            ),
        ] {
            if let Some(share) = share.filter(|share| *share > most) {
                let text = format!("{} {what}.", format_percent(share));
                alertas.push(Alert::attention(subject, text));
            }
        }
        let kinds = [
            Kind::Sales,
            Kind::Journey,
            Kind::Deliveries,
            Kind::AdSpend,
            Kind::Crm,
        ];
        Ok(LaunchHealth {
            span,
            fontes: sources.into_iter().map(SourceLine::from).collect(),
            vendas_sem_origem: unknown,
            taxa_devolucao: bounces,
            taxa_reclamacao: complaints,
            alertas,
            atualizado_em: figures::updated_at(ctx, &kinds).await?,
        })
    }
}

/// Loads the rates of bounces and complaints over the launch's dispatches.
async fn load_mail_rates(
    ctx: &Context<'_>,
    launch: &Launch,
    span: Span,
) -> Result<(Option<f64>, Option<f64>)> {
    let Some(code) = &launch.code else {
        return Ok((None, None));
    };
    let db = ctx.db();
    let found = list_dispatches(&db, code, span.start_and_end(), None, MOST).await?;
    let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
    let counts = load_mail_counts(&db, &ids).await?;
    let count = |kind: DeliveryKind, of: Option<&str>| -> i64 {
        let of_kind = counts
            .iter()
            .filter(|(id, one, _)| *one == kind.as_str() && of.is_none_or(|of| of == id));
        of_kind.map(|(.., mails)| mails).sum()
    };
    let sent = found.iter().map(|one| {
        let known = count(DeliveryKind::Sent, Some(&one.id));
        one.sent.max(known)
    });
    let sent = sent.sum();
    Ok((
        rounded_ratio(count(DeliveryKind::Bounced, None), sent),
        rounded_ratio(count(DeliveryKind::Complained, None), sent),
    ))
}

/// Returns the alert about a data source, if its data are old. Only a source with a cursor is read
/// repeatedly and can become old; an import runs once.
fn source_alert(source: &sales::Source, now: Millis) -> Option<Alert> {
    let name = &source.source;
    if source.error_code.is_some() {
        let text = format!("A última leitura de {name} falhou.");
        return Some(Alert::critical(AlertSubject::Source, text));
    }
    let is_read_again = source.cursor.is_some();
    let is_old = source.fresh_until.is_some_and(|until| until < now - OLD);
    let text = format!("Os dados de {name} têm mais de um dia.");
    (is_read_again && is_old).then(|| Alert::attention(AlertSubject::Source, text))
}

impl From<sales::Source> for SourceLine {
    fn from(source: sales::Source) -> Self {
        Self {
            fonte: source.source,
            atualizada_em: source.fresh_until.map(Timestamp),
            erro: source.error_code,
        }
    }
}
