//! Export and erasure of all data about one person.
//!
//! Each new table that refers to a person must be added to the lists in this module.

use domain::PersonId;
use sea_orm::Value;
use serde_json::{Map, Value as Json};

use crate::{
    Bind, Conn, Result, figures,
    turns::{Turn, is_postgres, take_turn},
};

/// A list of the export: its name, its columns (name in the export, column), and its source.
type Listed = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

const EXPORTED: &[Listed] = &[
    (
        "compras",
        &[
            ("loja", "store"),
            ("transacao", "transaction_id"),
            ("ocorreu_em", "occurred_at"),
            ("status", "status"),
            ("produto_id", "product_id"),
            ("produto", "product"),
            ("valor_centavos", "amount_cents"),
            ("reembolsado_centavos", "refunded_cents"),
            ("moeda", "currency"),
            ("vendedor", "seller"),
            ("lancamento", "launch"),
            ("utm_source", "utm_source"),
            ("utm_medium", "utm_medium"),
            ("utm_campaign", "utm_campaign"),
            ("utm_content", "utm_content"),
            ("utm_term", "utm_term"),
        ],
        "purchases WHERE person = $1 ORDER BY occurred_at, store, transaction_id",
    ),
    (
        "assinaturas",
        &[
            ("loja", "store"),
            ("assinatura_id", "subscription_id"),
            ("plano", "plan"),
            ("status", "status"),
            ("inicio", "started_at"),
            ("fim", "ended_at"),
            ("valor_centavos", "amount_cents"),
            ("moeda", "currency"),
        ],
        "subscriptions WHERE person = $1 ORDER BY started_at, store, subscription_id",
    ),
    (
        "cancelamentos",
        &[
            ("assinatura_id", "subscription_id"),
            ("motivo", "reason"),
            ("texto", "note"),
            ("registrado_em", "recorded_at"),
        ],
        "subscription_cancellations WHERE subscription_id IN
            (SELECT subscription_id FROM subscriptions WHERE person = $1)
         ORDER BY recorded_at, id",
    ),
    (
        "crm",
        &[
            ("etapa", "stage"),
            ("ocorreu_em", "occurred_at"),
            ("lancamento", "launch"),
        ],
        "crm_stages WHERE person = $1 ORDER BY occurred_at, id",
    ),
    (
        "emails",
        &[
            ("acontecimento", "kind"),
            ("ocorreu_em", "occurred_at"),
            ("disparo_id", "dispatch_id"),
            ("lancamento", "launch"),
            ("devolucao", "bounce_type"),
            ("link", "link"),
        ],
        "email_deliveries WHERE person = $1 ORDER BY occurred_at, message_id, position",
    ),
    (
        "sessoes",
        &[
            ("sessao", "session"),
            ("identificada_em", "identified_at"),
            ("primeiro_evento_em", "first_at"),
            ("ultimo_evento_em", "last_at"),
        ],
        "timeline_sessions WHERE person = $1 ORDER BY first_at, id",
    ),
    (
        "eventos",
        &[
            ("sessao", "session"),
            ("id", "id"),
            ("evento", "kind"),
            ("ocorreu_em", "occurred_at"),
            ("produto", "product"),
            ("lancamento", "launch"),
            ("detalhe", "detail"),
        ],
        "(SELECT s.session, e.id, e.kind, e.occurred_at, e.product, e.launch, e.detail
            FROM timeline_sessions s JOIN timeline_events e ON e.session_id = s.id
            WHERE s.person = $1 AND (e.person IS NULL OR e.person = $1)
          UNION
          SELECT s.session, e.id, e.kind, e.occurred_at, e.product, e.launch, e.detail
            FROM timeline_events e JOIN timeline_sessions s ON e.session_id = s.id
            WHERE e.person = $1) own
         ORDER BY occurred_at, session, id",
    ),
];

/// Exports all data about a person: the rows of each list. Instants are in milliseconds.
pub async fn export_person(db: &Conn<'_>, person: &PersonId) -> Result<Map<String, Json>> {
    let mut lists = Map::new();
    for (list, columns, from) in EXPORTED {
        let names = columns.iter().map(|(_, column)| *column);
        let names = names.collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT {names} FROM {from}");
        let mut rows = vec![];
        for row in db.fetch_all(&sql, [person.value()]).await? {
            let mut shown = Map::new();
            for (name, column) in *columns {
                let is_number = column.ends_with("_at") || column.ends_with("_cents");
                let value = if is_number {
                    row.try_get::<Option<i64>>("", column)?.into()
                } else {
                    row.try_get::<Option<String>>("", column)?.into()
                };
                shown.insert((*name).to_owned(), value);
            }
            rows.push(Json::Object(shown));
        }
        lists.insert((*list).to_owned(), rows.into());
    }
    Ok(lists)
}

/// For each table that refers to a person, except the timeline: its name, the SET clause of the erasure,
/// and the condition that finds the rows of a person. The rows stay, so that all sums remain correct.
const SEVERED: &[(&str, &str, &str)] = &[
    (
        "subscription_cancellations",
        "note = NULL",
        "note IS NOT NULL AND subscription_id IN
            (SELECT subscription_id FROM subscriptions WHERE person = $1)",
    ),
    ("purchases", "person = NULL, severed = 1", "person = $1"),
    ("subscriptions", "person = NULL, severed = 1", "person = $1"),
    ("crm_stages", "person = NULL", "person = $1"),
    (
        "email_deliveries",
        "person = NULL, link = NULL",
        "person = $1",
    ),
];

/// Finds any row of a person. Each of these tables has an index that starts with the person.
const OF_PERSON: &str = "
SELECT 1 AS n WHERE EXISTS (SELECT 1 FROM timeline_sessions WHERE person = $1)
    OR EXISTS (SELECT 1 FROM timeline_events WHERE person = $1)
    OR EXISTS (SELECT 1 FROM purchases WHERE person = $1)
    OR EXISTS (SELECT 1 FROM subscriptions WHERE person = $1)
    OR EXISTS (SELECT 1 FROM email_deliveries WHERE person = $1)
    OR EXISTS (SELECT 1 FROM crm_stages WHERE person = $1)";

/// Returns whether anything is stored about a person.
pub async fn has_data(db: &Conn<'_>, person: &PersonId) -> Result<bool> {
    Ok(db.fetch_one(OF_PERSON, [person.value()]).await?.is_some())
}

/// Removes the person from every row. Returns the number of changed rows per table.
///
/// Replaces the session id of the browser, so that a later visit cannot be linked to the earlier
/// ones. Also removes the click ids of advertisers.
pub async fn erase_person(db: &Conn<'_>, person: &PersonId) -> Result<Vec<(&'static str, u64)>> {
    take_turn(db, Turn::Sales).await?;
    figures::forget_person(db, person).await?;
    let mut erased = vec![];
    for (table, set, rows) in SEVERED {
        let sql = format!("UPDATE {table} SET {set} WHERE {rows}");
        let values: [Value; 1] = [person.value()];
        erased.push((*table, db.run(&sql, values).await?));
    }
    let without_clicks = if is_postgres(db) {
        "CAST(CAST(detail AS JSONB) - 'gclid' - 'fbclid' - 'referencia' AS TEXT)"
    } else {
        "json_remove(detail, '$.gclid', '$.fbclid', '$.referencia')"
    };
    let sql = format!(
        "UPDATE timeline_events SET person = NULL, detail = {without_clicks}
         WHERE person = $1 OR (person IS NULL AND session_id IN
            (SELECT id FROM timeline_sessions WHERE person = $1))"
    );
    erased.push(("timeline_events", db.run(&sql, [person.value()]).await?));
    let sql = "UPDATE timeline_sessions SET person = NULL, identified_at = NULL,
        session = 'apagada-' || id WHERE person = $1";
    erased.push(("timeline_sessions", db.run(sql, [person.value()]).await?));
    Ok(erased)
}
