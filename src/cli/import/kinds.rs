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
    columns::{Column, optional, required},
    fields::Values,
};

pub(super) trait RowKind: 'static {
    /// The name of the subcommand.
    const NAME: &'static str;
    const COLUMNS: &'static [Column];
    type Row: Send + 'static;

    fn read(values: Values, pepper: &Pepper) -> Result<Self::Row, Vec<String>>;

    /// The time of the row. The import records the latest time as the freshness of its data.
    fn instant(row: &Self::Row) -> Option<Millis>;

    /// Saves the rows and returns how many changed.
    async fn save(db: &Conn<'_>, rows: Vec<Self::Row>, now: Millis) -> store::Result<usize>;
}

const WHEN: &str = "data e hora, em Brasília se não tiver fuso";
const MONEY: &str = "valor decimal, como 1234,56 ou 1.234,56";
const CURRENCY: Column = optional("moeda", "três letras (vazia: BRL)", "BRL");
const LAUNCH: Column = optional("lancamento", "código do lançamento", "vera-2026");

pub(super) struct PurchaseRows;

impl RowKind for PurchaseRows {
    const NAME: &'static str = "purchases";
    const COLUMNS: &'static [Column] = &[
        required("loja", "nome da loja", "hotmart"),
        required("transacao", "código da compra; única na loja", "HP0001"),
        required("ocorreu_em", WHEN, "22/08/2026 14:30"),
        required(
            "status",
            "aprovada, pendente, cancelada, reembolsada, parcial ou chargeback",
            "aprovada",
        ),
        required("produto_id", "código do produto", "curso-1"),
        required("produto", "nome do produto", "Curso de pães"),
        required("valor", MONEY, "1.234,56"),
        optional(
            "reembolsado",
            "obrigatório em parcial; em reembolsada e chargeback, vazio é o valor todo",
            "",
        ),
        CURRENCY,
        optional(
            "email",
            "de quem comprou; só o hash fica guardado",
            "ana@exemplo.com.br",
        ),
        optional("vendedor", "quem vendeu", "Rita Prado"),
        LAUNCH,
        optional("utm_source", "origem da venda", "instagram"),
        optional("utm_medium", "", "social"),
        optional("utm_campaign", "", "vera-2026-lote-1"),
        optional("utm_content", "", ""),
        optional("utm_term", "", ""),
    ];
    type Row = Purchase;

    fn read(mut values: Values, pepper: &Pepper) -> Result<Purchase, Vec<String>> {
        let status = values.one_of::<PurchaseStatus>("status", || {
            list_names(PurchaseStatus::ALL, PurchaseStatus::as_str)
        });
        let amount = values.money("valor");
        let refunded = values.money_if_any("reembolsado");
        let refunded = check_refunded_cents(&mut values, status, amount, refunded);
        let (store, transaction_id) = (values.key("loja"), values.key("transacao"));
        let (occurred_at, currency) = (values.instant("ocorreu_em"), values.currency());
        let (product_id, product) = (values.key("produto_id"), values.text("produto"));
        let person = values.person_if_any(pepper);
        let (seller, launch) = (
            values.key_if_any("vendedor"),
            values.key_if_any("lancamento"),
        );
        let utm = Utm {
            source: values.text_if_any("utm_source"),
            medium: values.text_if_any("utm_medium"),
            campaign: values.text_if_any("utm_campaign"),
            content: values.text_if_any("utm_content"),
            term: values.text_if_any("utm_term"),
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

    fn instant(row: &Purchase) -> Option<Millis> {
        Some(row.occurred_at)
    }

    async fn save(db: &Conn<'_>, rows: Vec<Purchase>, now: Millis) -> store::Result<usize> {
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
        required("loja", "nome da loja", "hotmart"),
        required(
            "assinatura_id",
            "código da assinatura; única na loja",
            "S-0001",
        ),
        required("plano", "nome do plano", "Mensal"),
        required("status", "ativa, em_atraso ou cancelada", "ativa"),
        required("inicio", WHEN, "01/03/2026"),
        optional("fim", "quando terminou", ""),
        required("valor", "por mês: valor decimal, como 49,90", "49,90"),
        CURRENCY,
        optional(
            "email",
            "de quem assina; só o hash fica guardado",
            "ana@exemplo.com.br",
        ),
    ];
    type Row = Subscription;

    fn read(mut values: Values, pepper: &Pepper) -> Result<Subscription, Vec<String>> {
        let status = values.one_of("status", || {
            list_names(SubscriptionStatus::ALL, SubscriptionStatus::as_str)
        });
        let (store, subscription_id) = (values.key("loja"), values.key("assinatura_id"));
        let (plan, amount) = (values.text("plano"), values.money("valor"));
        let (started_at, ended_at) = (values.instant("inicio"), values.instant_if_any("fim"));
        if let (Some(start), Some(end)) = (started_at, ended_at)
            && end < start
        {
            values.add_fault("fim", "é antes do início");
        }
        let (currency, person) = (values.currency(), values.person_if_any(pepper));
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

    fn instant(row: &Subscription) -> Option<Millis> {
        row.ended_at.or(Some(row.started_at))
    }

    async fn save(db: &Conn<'_>, rows: Vec<Subscription>, now: Millis) -> store::Result<usize> {
        sales::save_subscriptions(db, rows, now).await
    }
}

pub(super) struct AdSpendRows;

impl RowKind for AdSpendRows {
    const NAME: &'static str = "ad-spend";
    const COLUMNS: &'static [Column] = &[
        required("data", "dia", "22/08/2026"),
        required("plataforma", "onde se anunciou", "meta"),
        required("campanha_id", "código da campanha", "120210"),
        required("campanha", "nome da campanha", "vera-2026-lote-1"),
        required("gasto", MONEY, "350,00"),
        required("impressoes", "número inteiro", "41200"),
        required("cliques", "número inteiro", "830"),
        CURRENCY,
    ];
    type Row = AdSpend;

    fn read(mut values: Values, _: &Pepper) -> Result<AdSpend, Vec<String>> {
        let (platform, campaign_id) = (values.key("plataforma"), values.key("campanha_id"));
        let (day, campaign) = (values.day("data"), values.text("campanha"));
        let (spend, currency) = (values.money("gasto"), values.currency());
        let (impressions, clicks) = (values.count("impressoes"), values.count("cliques"));
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

    fn instant(row: &AdSpend) -> Option<Millis> {
        Some(start_of_day(row.day))
    }

    async fn save(db: &Conn<'_>, rows: Vec<AdSpend>, now: Millis) -> store::Result<usize> {
        sales::save_ad_spend(db, rows, now).await
    }
}

pub(super) struct CrmRows;

impl RowKind for CrmRows {
    const NAME: &'static str = "crm";
    const COLUMNS: &'static [Column] = &[
        required(
            "email",
            "da pessoa; só o hash fica guardado",
            "ana@exemplo.com.br",
        ),
        required("etapa", "nome da etapa", "proposta"),
        required("ocorreu_em", WHEN, "22/08/2026 14:30"),
        LAUNCH,
    ];
    type Row = CrmStage;

    fn read(mut values: Values, pepper: &Pepper) -> Result<CrmStage, Vec<String>> {
        let (person, stage) = (values.person(pepper), values.key("etapa"));
        let (occurred_at, launch) = (
            values.instant("ocorreu_em"),
            values.key_if_any("lancamento"),
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

    fn instant(row: &CrmStage) -> Option<Millis> {
        Some(row.occurred_at)
    }

    async fn save(db: &Conn<'_>, rows: Vec<CrmStage>, now: Millis) -> store::Result<usize> {
        sales::save_crm_stages(db, rows, now).await
    }
}

pub(super) struct DispatchRows;

impl RowKind for DispatchRows {
    const NAME: &'static str = "dispatches";
    const COLUMNS: &'static [Column] = &[
        required(
            "disparo_id",
            "código do disparo; o mesmo da etiqueta `disparo` do e-mail",
            "d-12",
        ),
        required("nome", "nome do disparo", "Abertura do carrinho"),
        required("canal", "por onde foi enviado", "email"),
        required("enviado_em", WHEN, "22/08/2026 09:00"),
        required("enviados", "número inteiro", "1800"),
        LAUNCH,
    ];
    type Row = Dispatch;

    fn read(mut values: Values, _: &Pepper) -> Result<Dispatch, Vec<String>> {
        let (id, name) = (values.key("disparo_id"), values.text("nome"));
        let (channel, sent_at) = (values.key("canal"), values.instant("enviado_em"));
        let (sent, launch) = (values.count("enviados"), values.key_if_any("lancamento"));
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

    fn instant(row: &Dispatch) -> Option<Millis> {
        Some(row.sent_at)
    }

    async fn save(db: &Conn<'_>, rows: Vec<Dispatch>, now: Millis) -> store::Result<usize> {
        sales::save_dispatches(db, rows, now).await
    }
}

fn list_names<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> String {
    let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
    names.join(", ")
}
