//! Compares the responses with plain SQL over the rows, and incremental figures with a single full
//! computation.

use domain::time::{DAY as DAY_MILLIS, HOUR, LocalDay};
use sea_orm::QueryResult;
use serde_json::{Value, json};
use store::Conn;

use super::{
    create_launch, financial_client,
    generate::{Dice, random_ad_spend, random_events, random_purchases},
    get, instant_millis, pick_fields, settle_figures,
};
use crate::support::{Client, TestApp};

/// The numbers of purchases, events and reports of paid media.
const SIZE: (usize, usize, usize) = (320, 600, 400);

/// Periods: the first and last day in days since the epoch, and the same days as a query string.
const PERIODS: [(i64, i64, &str); 5] = [
    (20_635, 20_680, "?inicio=2026-07-01&fim=2026-08-15"),
    (20_654, 20_696, "?inicio=2026-07-20&fim=2026-08-31"),
    (20_675, 20_675, "?inicio=2026-08-10&fim=2026-08-10"),
    (20_675, 20_690, "?inicio=2026-08-10&fim=2026-08-25"),
    (20_740, 20_750, "?inicio=2026-10-14&fim=2026-10-24"),
];

/// Saves all rows in small batches, in random order, and updates the figures now and then.
async fn save_in_random_order(app: &TestApp, seed: u64) {
    let mut dice = Dice(seed);
    let mut sold = random_purchases(app, &mut dice, SIZE.0);
    let mut visited = random_events(app, &mut dice, SIZE.1);
    let mut spent = random_ad_spend(&mut dice, SIZE.2);
    while !sold.is_empty() || !visited.is_empty() || !spent.is_empty() {
        let tx = app.begin().await;
        let db: Conn<'_> = tx.conn();
        let some = usize::try_from(dice.random_below(60)).expect("small");
        let kind = dice.random_below(3);
        if kind == 0 {
            let some: Vec<_> = spent.drain(..some.min(spent.len())).collect();
            store::sales::save_ad_spend(&db, some, app.now())
                .await
                .expect("saves");
        } else if kind == 1 {
            let some: Vec<_> = sold.drain(..some.min(sold.len())).collect();
            store::sales::save_purchases(&db, some, app.now())
                .await
                .expect("saves");
        } else {
            let some: Vec<_> = visited.drain(..some.min(visited.len())).collect();
            store::timeline::record_events(&db, &some, app.now())
                .await
                .expect("records");
        }
        tx.commit().await.expect("commits");
        if dice.random_below(3) == 0 {
            settle_figures(app).await;
        }
    }
    settle_figures(app).await;
}

/// Returns the rows of a query, each as numbers and texts.
async fn query_rows(app: &TestApp, sql: String, columns: &[&str]) -> Vec<Vec<Value>> {
    let read = |row: &QueryResult| {
        let value = |name: &&str| match row.try_get::<i64>("", name) {
            Ok(number) => json!(number),
            Err(_) => json!(row.try_get::<Option<String>>("", name).expect("text")),
        };
        columns.iter().map(value).collect()
    };
    app.query_rows(sql).await.iter().map(read).collect()
}

const PAID: &str = "status NOT IN ('pendente', 'cancelada')";
/// SQL for the day in Brasilia, which is three hours behind UTC in 2026.
const DAY: &str = "((occurred_at - 10800000) / 86400000)";
const BACK: &str = "(CASE WHEN refunded_cents > 0 THEN refunded_cents
    WHEN status IN ('reembolsada', 'chargeback') THEN amount_cents ELSE 0 END)";
const IS_SALE: &str = "(status IN ('aprovada', 'parcial') AND
    NOT (refunded_cents > 0 AND refunded_cents >= amount_cents))";

fn period_condition((first, last, _): (i64, i64, &str)) -> String {
    format!("{DAY} BETWEEN {first} AND {last}")
}

const SUMS: [&str; 5] = ["gross", "net", "sales", "refunds", "refunded"];

fn sum_columns() -> String {
    format!(
        "CAST(COALESCE(SUM(amount_cents), 0) AS BIGINT) AS gross,
         CAST(COALESCE(SUM(amount_cents - {BACK}), 0) AS BIGINT) AS net,
         CAST(COALESCE(SUM(CASE WHEN {IS_SALE} THEN 1 ELSE 0 END), 0) AS BIGINT) AS sales,
         CAST(COALESCE(SUM(CASE WHEN {BACK} > 0 OR status IN
            ('parcial', 'reembolsada', 'chargeback') THEN 1 ELSE 0 END), 0) AS BIGINT) AS refunds,
         CAST(COALESCE(SUM({BACK}), 0) AS BIGINT) AS refunded"
    )
}

fn pick_figures(of: &Value) -> Vec<Value> {
    let fields = [
        "receita_bruta_centavos",
        "receita_centavos",
        "vendas",
        "reembolsos",
        "reembolsos_centavos",
    ];
    fields.iter().map(|field| of[*field].clone()).collect()
}

fn sorted_lines(of: &Value, key: &str) -> Vec<Vec<Value>> {
    let lines = of.as_array().expect("lines").iter();
    let mut lines: Vec<Vec<Value>> = lines
        .map(|line| [vec![line[key].clone()], pick_figures(line)].concat())
        .collect();
    lines.sort_by_key(|line| line[0].to_string());
    lines
}

async fn compare_sales(app: &TestApp, client: &Client) {
    for period in PERIODS {
        let answer = get(client, &format!("/api/vendas/resumo{}", period.2)).await;
        let of = format!(
            "FROM purchases WHERE {PAID} AND {}",
            period_condition(period)
        );
        let own = format!("{of} AND currency = 'BRL'");
        let totals = query_rows(app, format!("SELECT {} {own}", sum_columns()), &SUMS).await;
        assert_eq!(pick_figures(&answer["totais"]), totals[0], "{period:?}");
        for (list, key, column) in [
            ("por_loja", "loja", "store"),
            ("por_produto", "produto_id", "product_id"),
        ] {
            let sql = format!(
                "SELECT {column} AS k, {} {own} GROUP BY {column} ORDER BY {column}",
                sum_columns()
            );
            let columns = [&["k"], &SUMS[..]].concat();
            assert_eq!(
                sorted_lines(&answer[list], key),
                query_rows(app, sql, &columns).await,
                "{list}"
            );
        }
        let sql = format!(
            "SELECT {}, {DAY} AS d {own} GROUP BY {DAY} ORDER BY {DAY}",
            sum_columns()
        );
        let days: Vec<_> = sorted_lines(&answer["por_dia"], "dia")
            .into_iter()
            .map(|line| line[1..].to_vec())
            .collect();
        assert_eq!(days, query_rows(app, sql, &SUMS).await, "{period:?}");
        let sql = format!("SELECT {} {of} AND currency = 'USD'", sum_columns());
        let dollars = query_rows(app, sql, &SUMS).await.remove(0);
        let apart = answer["outras_moedas"].as_array().expect("currencies");
        let apart = apart.first().map_or(vec![json!(0); 5], pick_figures);
        assert_eq!(apart, dollars);
        let team = get(client, &format!("/api/vendas/comercial{}", period.2)).await;
        let sql = format!(
            "SELECT seller AS k, {} {own} AND seller IS NOT NULL GROUP BY seller ORDER BY seller",
            sum_columns()
        );
        let sellers = team["por_vendedor"].as_array().expect("sellers").iter();
        let mut sellers: Vec<_> = sellers
            .map(|one| {
                ["vendedor", "receita_centavos", "vendas"]
                    .map(|f| one[f].clone())
                    .to_vec()
            })
            .collect();
        sellers.sort_by_key(|one| one[0].to_string());
        assert_eq!(sellers, query_rows(app, sql, &["k", "net", "sales"]).await);
    }
}

async fn compare_launch(app: &TestApp, client: &Client, launch: &str) {
    let path = |panel: &str, period: &str| format!("/api/lancamentos/{launch}/{panel}{period}");
    let belongs = "(launch = 'L' OR (launch IS NULL AND product_id IN ('p1', 'p3')))";
    for period in PERIODS {
        let summary = get(client, &path("resumo", period.2)).await;
        let own = format!(
            "FROM purchases WHERE {PAID} AND currency = 'BRL' AND {belongs} AND {}",
            period_condition(period)
        );
        let totals = query_rows(app, format!("SELECT {} {own}", sum_columns()), &SUMS).await;
        assert_eq!(pick_figures(&summary["totais"]), totals[0], "{period:?}");

        let journey = get(client, &path("jornada", period.2)).await;
        let steps = journey["etapas"].as_array().expect("steps");
        for step in &steps[..4] {
            let kind = step["etapa"].as_str().expect("a step");
            let (first, last, _) = period;
            for (field, who) in [("sessoes", "e.session_id"), ("pessoas", "s.person")] {
                let sql = format!(
                    "SELECT COUNT(*) AS n FROM (
                        SELECT {who} AS who, COALESCE('l' || e.launch, 'p' || e.product) AS place,
                            MIN(e.occurred_at) AS at
                        FROM timeline_events e JOIN timeline_sessions s ON s.id = e.session_id
                        WHERE e.kind = '{kind}' AND {who} IS NOT NULL
                            AND (e.launch = 'L' OR (e.launch IS NULL AND e.product = 'p1'))
                        GROUP BY {who}, COALESCE('l' || e.launch, 'p' || e.product)) firsts
                     WHERE (at - 10800000) / 86400000 BETWEEN {first} AND {last}"
                );
                let counted = query_rows(app, sql, &["n"]).await;
                assert_eq!(step[field], counted[0][0], "{kind} {field} {period:?}");
            }
        }
        let sql = format!(
            "SELECT COUNT(*) AS n FROM purchases WHERE {IS_SALE} AND person IS NOT NULL
                AND {belongs} AND {} AND NOT EXISTS (SELECT 1 FROM purchases q
                    WHERE q.person = purchases.person AND q.product_id = purchases.product_id
                    AND COALESCE(q.launch, '') = COALESCE(purchases.launch, '')
                    AND q.status IN ('aprovada', 'parcial') AND
                    NOT (q.refunded_cents > 0 AND q.refunded_cents >= q.amount_cents)
                    AND (q.occurred_at < purchases.occurred_at
                        OR (q.occurred_at = purchases.occurred_at
                            AND q.store || q.transaction_id
                                < purchases.store || purchases.transaction_id)))",
            period_condition(period)
        );
        assert_eq!(
            steps[4]["pessoas"],
            query_rows(app, sql, &["n"]).await[0][0],
            "{period:?}"
        );

        let origin = get(client, &path("origem", period.2)).await;
        for (field, order) in [("primeiro_toque", "ASC"), ("ultimo_toque", "DESC")] {
            let touch = format!(
                "(SELECT e.channel FROM timeline_events e
                    JOIN timeline_sessions s ON s.id = e.session_id
                    WHERE s.person = purchases.person AND e.channel IS NOT NULL
                        AND e.occurred_at <= purchases.occurred_at
                        AND e.occurred_at >= purchases.occurred_at - 7776000000
                    ORDER BY e.occurred_at {order}, e.id {order}, s.session {order} LIMIT 1)"
            );
            let sql = format!(
                "SELECT k, CAST(SUM(net) AS BIGINT) AS net, CAST(SUM(sales) AS BIGINT) AS sales
                 FROM (SELECT COALESCE({touch},
                        CASE WHEN utm_medium IS NOT NULL THEN 'pago' ELSE 'sem_origem' END) AS k,
                    amount_cents - {BACK} AS net, CASE WHEN {IS_SALE} THEN 1 ELSE 0 END AS sales
                    {own}) touched
                 GROUP BY k ORDER BY k"
            );
            let mut sums = std::collections::BTreeMap::<String, (i64, i64)>::new();
            for line in origin[field].as_array().expect("origins") {
                let channel = line["canal"].as_str().expect("a channel");
                let sum = sums.entry(channel.to_owned()).or_default();
                sum.0 += line["receita_centavos"].as_i64().expect("cents");
                sum.1 += line["vendas"].as_i64().expect("a count");
            }
            let told: Vec<_> = sums
                .into_iter()
                .map(|(channel, (net, sales))| vec![json!(channel), json!(net), json!(sales)])
                .collect();
            assert_eq!(
                told,
                query_rows(app, sql, &["k", "net", "sales"]).await,
                "{field} {period:?}"
            );
        }
    }
}

async fn compare_media(app: &TestApp, client: &Client, launch: &str) {
    for (first, last, parameters) in PERIODS {
        let path = format!("/api/lancamentos/{launch}/midia{parameters}");
        let media = get(client, &path).await;
        let days = |day: i64| LocalDay::from_instant(day * DAY_MILLIS + 12 * HOUR).0;
        let within = format!("day BETWEEN '{}' AND '{}'", days(first), days(last));
        let own = format!(
            "FROM ad_spend WHERE {within} AND (platform, campaign_id) IN (SELECT platform, campaign_id
                FROM ad_spend WHERE {within} AND campaign LIKE 'pao%')"
        );
        let sums = "CAST(COALESCE(SUM(spend_cents), 0) AS BIGINT) AS spent,
            CAST(COALESCE(SUM(impressions), 0) AS BIGINT) AS shown,
            CAST(COALESCE(SUM(clicks), 0) AS BIGINT) AS clicked";
        let names = ["gasto_centavos", "impressoes", "cliques"];
        let columns = ["spent", "shown", "clicked"];
        let sql = format!("SELECT {sums} {own} AND currency = 'BRL'");
        let totals = query_rows(app, sql, &columns).await;
        assert_eq!(
            pick_fields(&media["totais"], &names),
            totals[0],
            "{parameters}"
        );
        for (list, keys, group) in [
            ("por_dia", &["dia"][..], "day AS k1"),
            (
                "por_campanha",
                &["plataforma", "campanha_id"],
                "platform AS k1, campaign_id AS k2",
            ),
        ] {
            let sql = format!(
                "SELECT {group}, {sums} {own} AND currency = 'BRL' GROUP BY {}",
                group.replace(" AS k1", "").replace(" AS k2", "")
            );
            let columns = [&["k1", "k2"][..keys.len()], &columns].concat();
            let mut expected = query_rows(app, sql, &columns).await;
            let lines = media[list].as_array().expect("lines").iter();
            let mut told: Vec<_> = lines
                .map(|line| [pick_fields(line, keys), pick_fields(line, &names)].concat())
                .collect();
            for rows in [&mut told, &mut expected] {
                rows.sort_by_key(|row| json!(row).to_string());
            }
            assert_eq!(told, expected, "{list} {parameters}");
        }
        let sql = format!("SELECT {sums} {own} AND currency = 'USD'");
        let dollars = query_rows(app, sql, &["spent"]).await.remove(0);
        let apart = media["outras_moedas"].as_array().expect("currencies");
        let apart = apart
            .first()
            .map_or(json!(0), |one| one["gasto_centavos"].clone());
        assert_eq!(vec![apart], dollars, "{parameters}");
    }
}

/// Reads small pages, so that a page is full long before the last product of the launch is read.
async fn compare_buyers(app: &TestApp, client: &Client, launch: &str) {
    let belongs = "(launch = 'L' OR (launch IS NULL AND product_id IN ('p1', 'p3')))";
    for period in PERIODS {
        let path = format!("/api/lancamentos/{launch}/compradores{}&limit=7", period.2);
        let (mut told, mut next) = (vec![], String::new());
        loop {
            let page = get(client, &format!("{path}{next}")).await;
            for buyer in page["compradores"].as_array().expect("buyers") {
                let latest = buyer["ultima_compra_em"].as_str().expect("an instant");
                let bought = buyer["produtos"].as_array().expect("purchases").len();
                told.push(vec![json!(instant_millis(latest)), json!(bought)]);
            }
            let Some(cursor) = page["next_cursor"].as_str() else {
                break;
            };
            next = format!("&cursor={cursor}");
        }
        let sql = format!(
            "SELECT MAX(occurred_at) AS latest, COUNT(*) AS n FROM purchases
             WHERE {PAID} AND person IS NOT NULL AND {belongs} AND {} GROUP BY person",
            period_condition(period)
        );
        let mut expected = query_rows(app, sql, &["latest", "n"]).await;
        let instants: Vec<_> = told.iter().map(|one| one[0].as_i64()).collect();
        assert!(instants.is_sorted_by(|a, b| a >= b), "{period:?}");
        for rows in [&mut told, &mut expected] {
            rows.sort_by_key(|row| json!(row).to_string());
        }
        assert_eq!(told, expected, "{period:?}");
    }
}

#[tokio::test]
async fn every_answer_equals_the_result_of_plain_sql_over_the_rows() {
    for seed in [1, 2] {
        let app = TestApp::new().await;
        let client = financial_client(&app).await;
        let launch = create_launch(
            &app,
            json!({ "produtos": ["p1", "p3"], "campanhas": ["pao*"] }),
        )
        .await;
        save_in_random_order(&app, seed).await;
        compare_sales(&app, &client).await;
        compare_launch(&app, &client, &launch).await;
        compare_media(&app, &client, &launch).await;
        compare_buyers(&app, &client, &launch).await;
    }
}

const FIGURES: [&str; 10] = [
    "figure_media",
    "figure_sales",
    "figure_days",
    "figure_sellers",
    "figure_touches",
    "figure_touch_months",
    "figure_people",
    "figure_origins",
    "figure_products",
    "timeline_sessions",
];

async fn dump_figures(app: &TestApp) -> Vec<Vec<String>> {
    let mut all = vec![];
    for table in FIGURES {
        let mut rows = app.table_texts(table, &["stale"]).await;
        rows.sort();
        all.push(rows);
    }
    // A journey row whose counts are zero is equivalent to a missing row.
    let sql = "SELECT concat(scope, ' ', step, ' ', day, ' ', sessions, ' ', people) AS told
        FROM figure_journey WHERE sessions <> 0 OR people <> 0 ORDER BY 1";
    let rows = app.query_rows(sql.into()).await;
    all.push(
        rows.iter()
            .map(|row| row.try_get("", "told").expect("text"))
            .collect(),
    );
    all
}

#[tokio::test]
async fn incremental_figures_equal_one_full_count_of_all_rows() {
    for seed in [3, 4, 5] {
        let app = TestApp::new().await;
        save_in_random_order(&app, seed).await;
        let grown = dump_figures(&app).await;
        for table in [
            "figure_media",
            "figure_sales",
            "figure_days",
            "figure_sellers",
            "figure_touches",
            "figure_touch_months",
            "figure_people",
            "figure_journey",
            "figure_origins",
            "figure_products",
        ] {
            app.execute_statement(&format!("DELETE FROM {table}"), [])
                .await;
        }
        let sessions = "UPDATE timeline_sessions SET stale = 1, counted = NULL, counted_for = NULL";
        app.execute_statement(sessions, []).await;
        let purchases = "UPDATE purchases SET stale = 1, counted_day = NULL, first_origin = NULL,
            first_touch_at = NULL, last_origin = NULL, last_touch_at = NULL";
        app.execute_statement(purchases, []).await;
        let media = "INSERT INTO figure_media (month, platform, campaign_id, campaign, currency,
                spend_cents, impressions, clicks)
            SELECT substr(day, 1, 7), platform, campaign_id, campaign, currency,
                CAST(SUM(spend_cents) AS BIGINT), CAST(SUM(impressions) AS BIGINT),
                CAST(SUM(clicks) AS BIGINT)
            FROM ad_spend GROUP BY substr(day, 1, 7), platform, campaign_id, campaign, currency";
        app.execute_statement(media, []).await;
        settle_figures(&app).await;
        let counted = dump_figures(&app).await;
        for ((table, grown), counted) in FIGURES.iter().zip(&grown).zip(&counted) {
            // Origins and names that no purchase uses any more are kept.
            if ["figure_origins", "figure_products"].contains(table) {
                assert!(counted.iter().all(|row| grown.contains(row)), "{table}");
            } else {
                assert!(grown == counted, "{table}");
            }
        }
        assert_eq!(grown.last(), counted.last());
    }
}
