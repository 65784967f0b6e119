use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::synchronize::{Connectors, Reader, Report};
use crate::figures::{Period, count_marked_rows};
use domain::{Capability, text_enum};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use ports::TimeRange;

/// The maximum time for which the sources are read. The answer marks the sources that were not read to
/// the end.
const LASTS: Duration = Duration::from_secs(150);

text_enum! {
    pub enum SourceName {
        Hotmart = "hotmart",
        Meta = "meta",
    }
}

/// Busca nas lojas e plataformas o que há de novo em vendas, assinaturas e mídia paga, e liga
/// visitas a pessoas. Repetir não duplica nada. Com `inicio` ou `fim`, relê esses dias.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SynchronizeTimeline {
    /// Só esta fonte; ausente, todas.
    fonte: Option<SourceName>,
    #[serde(flatten)]
    period: Period,
}

/// Fontes lidas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimelineSynchronized {
    /// Nenhuma fonte falhou.
    ok: bool,
    fontes: Vec<SourceRead>,
}

/// O que veio de uma fonte.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SourceRead {
    fonte: &'static str,
    lidos: i64,
    /// Registros novos ou mudados.
    gravados: i64,
    /// Não houve tempo para tudo: chame de novo, ou espere a próxima sincronização.
    continua: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    erro: Option<String>,
}

impl Operation for SynchronizeTimeline {
    const SPEC: Spec = Spec::new(
        "synchronize_timeline",
        "Sincronizar jornada",
        Verb::Post,
        "/api/jornada/sincronizar",
    )
    .access(Access::Member(Capability::Config))
    .fails(&[404])
    .outside()
    .tool();
    type Output = TimelineSynchronized;

    async fn run(self, ctx: &Context<'_>) -> Result<TimelineSynchronized> {
        let days = self.period.requested_span(ctx.now)?;
        let span = days.map(|days| {
            let (from, until) = days.start_and_end();
            TimeRange { from, until }
        });
        let connectors = ctx.services.parts.get::<Connectors>();
        let asked = connectors.sources.iter().filter(|source| {
            let fonte = self.fonte.map(SourceName::as_str);
            fonte.is_none_or(|fonte| fonte == source.name())
        });
        let asked: Vec<_> = asked.collect();
        if let Some(fonte) = self.fonte.filter(|_| asked.is_empty()) {
            let because = format!("A fonte {fonte} não está configurada.");
            let next =
                "Peça a quem opera o serviço que configure a fonte, ou sincronize sem `fonte`.";
            return Err(Error::not_found("fonte")
                .because(because)
                .with_detail("next", next.into()));
        }
        let reader = Reader::with_time_limit(ctx.services, span, LASTS);
        let mut fontes = vec![];
        for source in asked {
            fontes.push(SourceRead::from_report(reader.read_source(&**source).await));
        }
        count_marked_rows(&ctx.services.db, ctx.now).await?;
        Ok(TimelineSynchronized {
            ok: fontes.iter().all(|source| source.erro.is_none()),
            fontes,
        })
    }
}

impl SourceRead {
    fn from_report(report: Report) -> Self {
        Self {
            fonte: report.source,
            lidos: report.read,
            gravados: report.written,
            continua: report.is_cut,
            erro: report.error.map(|error| error.message().to_owned()),
        }
    }
}
