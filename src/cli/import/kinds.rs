//! The kinds of rows: their columns, and the conversion of records to rows.

use domain::{
    sales::{
        AdSpend, CrmStage, Dispatch, Purchase, PurchaseStatus, Subscription, SubscriptionStatus,
        Utm,
    },
    time::{Millis, start_of_day},
};
use gateway::Pepper;
use store::{Conn, sales};

use super::{
    columns::{Column, optional_column, required_column},
    fields::Values,
};

pub(super) trait RowKind: 'static {
    /// The name of the subcommand.
    const NAME: &'static str;
    const COLUMNS: &'static [Column];
    type Row: Send + 'static;

    fn read_row(values: Values, pepper: &Pepper) -> Result<Self::Row, Vec<String>>;

    /// Returns the time of the row. The import stores the latest time of all rows as the freshness of
    /// the imported data.
    fn row_instant(row: &Self::Row) -> Option<Millis>;

    /// Saves the rows and returns how many changed.
    async fn save_rows(db: &Conn<'_>, rows: Vec<Self::Row>, now: Millis) -> store::Result<usize>;
}

const WHEN: &str = "data e hora, em Brasília se não tiver fuso";
const MONEY: &str = "valor decimal, como 1234,56 ou 1.234,56";
const CURRENCY: Column = optional_column("moeda", "três letras (vazia: BRL)", "BRL");
const LAUNCH: Column = optional_column("lancamento", "código do lançamento", "vera-2026");

pub(super) struct PurchaseRows;

impl RowKind for PurchaseRows {
    const NAME: &'static str = "purchases";
    const COLUMNS: &'static [Column] = &[
        required_column("loja", "nome da loja", "hotmart"),
        required_column("transacao", "código da compra; única na loja", "HP0001"),
        required_column("ocorreu_em", WHEN, "22/08/2026 14:30"),
        required_column(
            "status",
            "aprovada, pendente, cancelada, reembolsada, parcial ou chargeback",
            "aprovada",
        ),
        required_column("produto_id", "código do produto", "curso-1"),
        required_column("produto", "nome do produto", "Curso de pães"),
        required_column("valor", MONEY, "1.234,56"),
        optional_column(
            "reembolsado",
            "obrigatório em parcial; em reembolsada e chargeback, vazio é o valor todo",
            "",
        ),
        CURRENCY,
        optional_column(
            "email",
            "de quem comprou; só o hash fica guardado",
            "ana@exemplo.com.br",
        ),
        optional_column("vendedor", "quem vendeu", "Rita Prado"),
        LAUNCH,
        optional_column("utm_source", "origem da venda", "instagram"),
        optional_column("utm_medium", "", "social"),
        optional_column("utm_campaign", "", "vera-2026-lote-1"),
        optional_column("utm_content", "", ""),
        optional_column("utm_term", "", ""),
    ];
    type Row = Purchase;

    fn read_row(mut values: Values, pepper: &Pepper) -> Result<Purchase, Vec<String>> {
        let status = values.required_choice::<PurchaseStatus>("status", || {
            list_names(PurchaseStatus::ALL, PurchaseStatus::as_str)
        });
        let amount = values.required_cents("valor");
        let refunded = values.optional_cents("reembolsado");
        let refunded = check_refunded_cents(&mut values, status, amount, refunded);
        let (store, transaction_id) = (
            values.required_key("loja"),
            values.required_key("transacao"),
        );
        let (occurred_at, currency) = (
            values.required_instant("ocorreu_em"),
            values.currency_or_default(),
        );
        let (product_id, product) = (
            values.required_key("produto_id"),
            values.required_text("produto"),
        );
        let person = values.optional_person(pepper);
        let (seller, launch) = (
            values.optional_key("vendedor"),
            values.optional_key("lancamento"),
        );
        let utm = Utm {
            source: values.optional_text("utm_source"),
            medium: values.optional_text("utm_medium"),
            campaign: values.optional_text("utm_campaign"),
            content: values.optional_text("utm_content"),
            term: values.optional_text("utm_term"),
        };
        let row = || {
            Some(Purchase {
                store: store?,
                transaction_id: transaction_id?,
                occurred_at: occurred_at?,
                status: status?,
                person,
                severed: false,
                product_id: product_id?,
                product: product?,
                amount_cents: amount?,
                refunded_cents: refunded?,
                currency: currency?,
                seller,
                launch,
                utm,
            })
        };
        values.finish(row())
    }

    fn row_instant(row: &Purchase) -> Option<Millis> {
        Some(row.occurred_at)
    }

    async fn save_rows(db: &Conn<'_>, rows: Vec<Purchase>, now: Millis) -> store::Result<usize> {
        sales::save_purchases(db, rows, now).await
    }
}

/// Checks that the refunded amount agrees with the status, and returns it.
fn check_refunded_cents(
    values: &mut Values,
    status: Option<PurchaseStatus>,
    amount: Option<i64>,
    refunded: Option<i64>,
) -> Option<i64> {
    let (status, amount) = (status?, amount?);
    match status {
        PurchaseStatus::Refunded | PurchaseStatus::Chargeback => {
            let refunded = refunded.unwrap_or(amount);
            if refunded != amount {
                let rule = format!("deve ser o valor todo, ou vazio, em {status}");
                values.add_fault("reembolsado", rule);
            }
            Some(amount)
        }
        PurchaseStatus::PartlyRefunded => match refunded {
            Some(part) if 0 < part && part < amount => Some(part),
            _ => {
                values.add_fault(
                    "reembolsado",
                    "em parcial, é maior que zero e menor que o valor",
                );
                None
            }
        },
        PurchaseStatus::Approved | PurchaseStatus::Pending | PurchaseStatus::Canceled => {
            if refunded.unwrap_or(0) != 0 {
                let rule = format!("deve estar vazio em {status}; use parcial ou reembolsada");
                values.add_fault("reembolsado", rule);
            }
            Some(0)
        }
    }
}

pub(super) struct SubscriptionRows;

impl RowKind for SubscriptionRows {
    const NAME: &'static str = "subscriptions";
    const COLUMNS: &'static [Column] = &[
        required_column("loja", "nome da loja", "hotmart"),
        required_column(
            "assinatura_id",
            "código da assinatura; única na loja",
            "S-0001",
        ),
        required_column("plano", "nome do plano", "Mensal"),
        required_column("status", "ativa, em_atraso ou cancelada", "ativa"),
        required_column("inicio", WHEN, "01/03/2026"),
        optional_column("fim", "quando terminou", ""),
        required_column("valor", "por mês: valor decimal, como 49,90", "49,90"),
        CURRENCY,
        optional_column(
            "email",
            "de quem assina; só o hash fica guardado",
            "ana@exemplo.com.br",
        ),
    ];
    type Row = Subscription;

    fn read_row(mut values: Values, pepper: &Pepper) -> Result<Subscription, Vec<String>> {
        let status = values.required_choice("status", || {
            list_names(SubscriptionStatus::ALL, SubscriptionStatus::as_str)
        });
        let (store, subscription_id) = (
            values.required_key("loja"),
            values.required_key("assinatura_id"),
        );
        let (plan, amount) = (
            values.required_text("plano"),
            values.required_cents("valor"),
        );
        let (started_at, ended_at) = (
            values.required_instant("inicio"),
            values.optional_instant("fim"),
        );
        if let (Some(start), Some(end)) = (started_at, ended_at)
            && end < start
        {
            values.add_fault("fim", "é antes do início");
        }
        let (currency, person) = (values.currency_or_default(), values.optional_person(pepper));
        let row = || {
            Some(Subscription {
                store: store?,
                subscription_id: subscription_id?,
                plan: plan?,
                status: status?,
                started_at: started_at?,
                ended_at,
                amount_cents: amount?,
                currency: currency?,
                person,
                severed: false,
            })
        };
        values.finish(row())
    }

    fn row_instant(row: &Subscription) -> Option<Millis> {
        row.ended_at.or(Some(row.started_at))
    }

    async fn save_rows(
        db: &Conn<'_>,
        rows: Vec<Subscription>,
        now: Millis,
    ) -> store::Result<usize> {
        sales::save_subscriptions(db, rows, now).await
    }
}

pub(super) struct AdSpendRows;

impl RowKind for AdSpendRows {
    const NAME: &'static str = "ad-spend";
    const COLUMNS: &'static [Column] = &[
        required_column("data", "dia", "22/08/2026"),
        required_column("plataforma", "onde se anunciou", "meta"),
        required_column("campanha_id", "código da campanha", "120210"),
        required_column("campanha", "nome da campanha", "vera-2026-lote-1"),
        required_column("gasto", MONEY, "350,00"),
        required_column("impressoes", "número inteiro", "41200"),
        required_column("cliques", "número inteiro", "830"),
        CURRENCY,
    ];
    type Row = AdSpend;

    fn read_row(mut values: Values, _: &Pepper) -> Result<AdSpend, Vec<String>> {
        let (platform, campaign_id) = (
            values.required_key("plataforma"),
            values.required_key("campanha_id"),
        );
        let (day, campaign) = (
            values.required_day("data"),
            values.required_text("campanha"),
        );
        let (spend, currency) = (values.required_cents("gasto"), values.currency_or_default());
        let (impressions, clicks) = (
            values.required_count("impressoes"),
            values.required_count("cliques"),
        );
        let row = || {
            Some(AdSpend {
                platform: platform?,
                campaign_id: campaign_id?,
                day: day?,
                campaign: campaign?,
                spend_cents: spend?,
                impressions: impressions?,
                clicks: clicks?,
                currency: currency?,
            })
        };
        values.finish(row())
    }

    fn row_instant(row: &AdSpend) -> Option<Millis> {
        Some(start_of_day(row.day))
    }

    async fn save_rows(db: &Conn<'_>, rows: Vec<AdSpend>, now: Millis) -> store::Result<usize> {
        sales::save_ad_spend(db, rows, now).await
    }
}

pub(super) struct CrmRows;

impl RowKind for CrmRows {
    const NAME: &'static str = "crm";
    const COLUMNS: &'static [Column] = &[
        required_column(
            "email",
            "da pessoa; só o hash fica guardado",
            "ana@exemplo.com.br",
        ),
        required_column("etapa", "nome da etapa", "proposta"),
        required_column("ocorreu_em", WHEN, "22/08/2026 14:30"),
        LAUNCH,
    ];
    type Row = CrmStage;

    fn read_row(mut values: Values, pepper: &Pepper) -> Result<CrmStage, Vec<String>> {
        let (person, stage) = (values.required_person(pepper), values.required_key("etapa"));
        let (occurred_at, launch) = (
            values.required_instant("ocorreu_em"),
            values.optional_key("lancamento"),
        );
        let row = || {
            Some(CrmStage {
                person: person?,
                stage: stage?,
                occurred_at: occurred_at?,
                launch,
            })
        };
        values.finish(row())
    }

    fn row_instant(row: &CrmStage) -> Option<Millis> {
        Some(row.occurred_at)
    }

    async fn save_rows(db: &Conn<'_>, rows: Vec<CrmStage>, now: Millis) -> store::Result<usize> {
        sales::save_crm_stages(db, rows, now).await
    }
}

pub(super) struct DispatchRows;

impl RowKind for DispatchRows {
    const NAME: &'static str = "dispatches";
    const COLUMNS: &'static [Column] = &[
        required_column(
            "disparo_id",
            "código do disparo; o mesmo da etiqueta `disparo` do e-mail",
            "d-12",
        ),
        required_column("nome", "nome do disparo", "Abertura do carrinho"),
        required_column("canal", "por onde foi enviado", "email"),
        required_column("enviado_em", WHEN, "22/08/2026 09:00"),
        required_column("enviados", "número inteiro", "1800"),
        LAUNCH,
    ];
    type Row = Dispatch;

    fn read_row(mut values: Values, _: &Pepper) -> Result<Dispatch, Vec<String>> {
        let (id, name) = (
            values.required_key("disparo_id"),
            values.required_text("nome"),
        );
        let (channel, sent_at) = (
            values.required_key("canal"),
            values.required_instant("enviado_em"),
        );
        let (sent, launch) = (
            values.required_count("enviados"),
            values.optional_key("lancamento"),
        );
        let row = || {
            Some(Dispatch {
                id: id?,
                name: name?,
                channel: channel?,
                sent_at: sent_at?,
                sent: sent?,
                launch,
            })
        };
        values.finish(row())
    }

    fn row_instant(row: &Dispatch) -> Option<Millis> {
        Some(row.sent_at)
    }

    async fn save_rows(db: &Conn<'_>, rows: Vec<Dispatch>, now: Millis) -> store::Result<usize> {
        sales::save_dispatches(db, rows, now).await
    }
}

fn list_names<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> String {
    let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
    names.join(", ")
}
