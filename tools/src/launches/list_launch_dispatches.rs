use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    scope::{require_launch_and_days, sales_selection},
};
use crate::figures::{self, Period, Span};
use domain::{
    BrasiliaTime, Capability, Cursor, Limit, ListPage, ProjectId, time::Timestamp,
    timeline::DeliveryKind,
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{DispatchFigure, Kind, list_dispatches, list_touches, load_mail_counts};

/// Lista os disparos de e-mail e mensagem de um lançamento, os novos antes: enviados, entregues,
/// abertos, clicados, devolvidos, reclamações, e vendas pelo último toque. Sem período, o do
/// lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListLaunchDispatches {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Disparos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchDispatches {
    #[serde(flatten)]
    span: Span,
    moeda: String,
    disparos: Vec<DispatchLine>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Um disparo. Cada mensagem conta uma vez por situação.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DispatchLine {
    disparo_id: String,
    nome: String,
    canal: String,
    enviado_em: Timestamp,
    enviado_em_brasilia: BrasiliaTime,
    enviados: i64,
    entregues: i64,
    abertos: i64,
    clicados: i64,
    devolvidos: i64,
    reclamacoes: i64,
    /// Compras pagas no período cujo último toque tem o `disparo_id` em `utm_content`.
    vendas: i64,
    receita_centavos: i64,
}

impl Operation for ListLaunchDispatches {
    const SPEC: Spec = Spec::new(
        "list_launch_dispatches",
        "Listar disparos",
        Verb::Get,
        "/api/lancamentos/{projetoId}/disparos",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchDispatches;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchDispatches> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let (db, probe) = (ctx.db(), self.limit.fetch_limit());
        let rows = match &launch.code {
            Some(code) => list_dispatches(&db, code, span.start_and_end(), before, probe).await?,
            None => vec![],
        };
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.sent_at, row.id.clone()));
        let page = page.map(DispatchLine::from);
        let mut lines = page.rows;
        let ids: Vec<&str> = lines.iter().map(|line| line.disparo_id.as_str()).collect();
        let counts = load_mail_counts(&db, &ids).await?;
        // Loads the sales of the whole period, because a sale may follow its message by days.
        let sold = list_touches(
            &db,
            &sales_selection(&launch),
            span.first_and_last_day(),
            false,
        )
        .await?;
        for line in &mut lines {
            for (id, kind, mails) in &counts {
                if *id == line.disparo_id {
                    line.set_count(kind, *mails);
                }
            }
            let of_line = sold.iter().filter(|one| {
                one.currency == launch.currency && one.content.as_ref() == Some(&line.disparo_id)
            });
            for figure in of_line {
                line.vendas += figure.sales;
                line.receita_centavos += figure.gross_cents - figure.refunded_cents;
            }
        }
        Ok(LaunchDispatches {
            span,
            moeda: launch.currency,
            disparos: lines,
            next_cursor: page.next_cursor,
            atualizado_em: figures::updated_at(ctx, &[Kind::Deliveries]).await?,
        })
    }
}

impl From<DispatchFigure> for DispatchLine {
    fn from(row: DispatchFigure) -> Self {
        Self {
            disparo_id: row.id,
            nome: row.name,
            canal: row.channel,
            enviado_em: Timestamp(row.sent_at),
            enviado_em_brasilia: BrasiliaTime(row.sent_at),
            enviados: row.sent,
            entregues: 0,
            abertos: 0,
            clicados: 0,
            devolvidos: 0,
            reclamacoes: 0,
            vendas: 0,
            receita_centavos: 0,
        }
    }
}

impl DispatchLine {
    fn set_count(&mut self, kind: &str, mails: i64) {
        match kind.parse() {
            // The import contains the number of sent e-mails, but the delivery events may contain more.
            Ok(DeliveryKind::Sent) => self.enviados = self.enviados.max(mails),
            Ok(DeliveryKind::Delivered) => self.entregues = mails,
            Ok(DeliveryKind::Opened) => self.abertos = mails,
            Ok(DeliveryKind::Clicked) => self.clicados = mails,
            Ok(DeliveryKind::Bounced) => self.devolvidos = mails,
            Ok(DeliveryKind::Complained) => self.reclamacoes = mails,
            _ => {}
        }
    }
}
