//! The sums by month, compared with the sums by day.

use domain::time::Month;
use tools::timeline::privacy;

use super::{
    generate::{Dice, random_events, random_purchases},
    instant_millis, record_events, save_purchases, settle_figures,
};
use crate::support::TestApp;

async fn sorted_texts(app: &TestApp, sql: &str) -> Vec<String> {
    let rows = app.query_rows(sql.into()).await;
    let told = rows.iter().map(|row| row.try_get("", "told"));
    let mut told: Vec<String> = told.collect::<Result<_, _>>().expect("texts");
    told.sort();
    told
}

async fn assert_months_are_sums_of_days(app: &TestApp) {
    let months = "SELECT concat(scope, ' ', month, ' ', currency, ' ', origin, ' ', days, ' ',
            first_sales, ' ', first_gross_cents, ' ', first_refunded_cents, ' ',
            last_sales, ' ', last_gross_cents, ' ', last_refunded_cents) AS told
        FROM figure_touch_months";
    let days = "SELECT concat(scope, ' ', substr(day, 1, 7), ' ', currency, ' ', origin, ' ',
            COUNT(*), ' ', SUM(first_sales), ' ', SUM(first_gross_cents), ' ',
            SUM(first_refunded_cents), ' ', SUM(last_sales), ' ', SUM(last_gross_cents), ' ',
            SUM(last_refunded_cents)) AS told
        FROM figure_touches GROUP BY scope, substr(day, 1, 7), currency, origin";
    assert_eq!(
        sorted_texts(app, months).await,
        sorted_texts(app, days).await
    );
}

/// Deletes the events before August.
async fn delete_events_before_august(app: &TestApp) {
    let before = Month::from_instant(instant_millis("2026-08-15T12:00:00Z")).first_instant();
    loop {
        let tx = app.begin().await;
        let deleted = store::timeline::delete_old_data(&tx.conn(), before, 50).await;
        let deleted = deleted.expect("deletes");
        tx.commit().await.expect("commits");
        if deleted == 0 {
            return;
        }
    }
}

#[tokio::test]
async fn the_figures_of_a_month_equal_the_sums_of_its_days_after_every_change() {
    for seed in [6, 7, 8] {
        let app = TestApp::new().await;
        let mut dice = Dice(seed);
        let mut sold = random_purchases(&app, &mut dice, 200);
        let mut visited = random_events(&app, &mut dice, 300);
        while !sold.is_empty() || !visited.is_empty() {
            let some = usize::try_from(dice.random_below(40)).expect("small");
            match dice.random_below(8) {
                0 => {
                    let email = format!("pessoa{}@exemplo.com.br", dice.random_below(40));
                    let erased = privacy::erase_person(&app.app.gateway, &email).await;
                    erased.expect("the person is erased");
                }
                1 => delete_events_before_august(&app).await,
                2..5 => {
                    let some = sold.drain(..some.min(sold.len())).collect();
                    save_purchases(&app, some).await;
                }
                _ => {
                    let some: Vec<_> = visited.drain(..some.min(visited.len())).collect();
                    record_events(&app, &some).await;
                }
            }
            if dice.random_below(3) == 0 {
                settle_figures(&app).await;
                assert_months_are_sums_of_days(&app).await;
            }
        }
        settle_figures(&app).await;
        assert_months_are_sums_of_days(&app).await;
        assert!(app.count_rows("figure_touch_months").await > 10);
        // Cancels every purchase.
        app.execute_statement("UPDATE purchases SET status = 'cancelada', stale = 1", [])
            .await;
        settle_figures(&app).await;
        assert_eq!(app.count_rows("figure_touch_months").await, 0);
    }
}

/// The tables of an earlier version, in which a row had the sums of only one kind of touch.
const TABLES_BY_TOUCH: [&str; 5] = [
    "CREATE TABLE by_touch (day TEXT NOT NULL, scope TEXT NOT NULL, touch TEXT NOT NULL,
        currency TEXT NOT NULL, origin TEXT NOT NULL, sales BIGINT NOT NULL,
        gross_cents BIGINT NOT NULL, refunded_cents BIGINT NOT NULL)",
    "INSERT INTO by_touch SELECT day, scope, 'primeiro', currency, origin, first_sales,
        first_gross_cents, first_refunded_cents FROM figure_touches WHERE first_gross_cents <> 0",
    "INSERT INTO by_touch SELECT day, scope, 'ultimo', currency, origin, last_sales,
        last_gross_cents, last_refunded_cents FROM figure_touches WHERE last_gross_cents <> 0",
    "DROP TABLE figure_touches",
    "ALTER TABLE by_touch RENAME TO figure_touches",
];

#[tokio::test]
async fn the_migration_that_joins_both_touches_keeps_their_sums() {
    let app = TestApp::new().await;
    let mut dice = Dice(9);
    let visited = random_events(&app, &mut dice, 300);
    record_events(&app, &visited).await;
    let sold = random_purchases(&app, &mut dice, 200);
    save_purchases(&app, sold).await;
    settle_figures(&app).await;
    let tables = ["figure_touches", "figure_touch_months"];
    let mut counted = vec![];
    for table in tables {
        counted.push(app.table_texts(table, &[]).await);
    }
    let of_one_touch = "figure_touches WHERE first_gross_cents = 0 OR last_gross_cents = 0";
    assert!(app.count_rows(of_one_touch).await > 0);

    for statement in TABLES_BY_TOUCH {
        app.execute_statement(statement, []).await;
    }
    let undone =
        "DELETE FROM seaql_migrations WHERE version = 'm20261125_000026_touches_by_origin'";
    app.execute_statement(undone, []).await;
    app.app
        .gateway
        .services
        .db
        .migrate()
        .await
        .expect("migrates");
    for (table, mut before) in tables.into_iter().zip(counted) {
        let mut after = app.table_texts(table, &[]).await;
        before.sort();
        after.sort();
        assert_eq!(after, before, "{table}");
    }
    assert_months_are_sums_of_days(&app).await;
}
