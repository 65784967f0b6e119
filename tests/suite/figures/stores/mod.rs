//! Synchronising with doubles of the stores and ad platforms.

mod double;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::http::StatusCode;
use domain::{
    Level, Role,
    time::{HOUR, MINUTE},
};
use serde_json::{Value, json};

use super::{financial_client, get};
use crate::support::{Client, TestApp};
use double::{Asked, Stores, json_response, sale_item};

const SYNC: &str = "/api/jornada/sincronizar";

async fn service_with_stores(stores: &Stores) -> (TestApp, Client) {
    let app = TestApp::with_settings(stores.settings()).await;
    let admin = app.add_member(Role::Admin).await;
    let admin = app.token_client(&admin).await;
    (app, admin)
}

async fn synchronize(admin: &Client, input: Value) -> Value {
    admin.post(SYNC, input).await.expect(200).body
}

fn find_source<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let sources = answer["fontes"].as_array().expect("sources");
    let found = sources.iter().find(|source| source["fonte"] == name);
    found.expect("the source was read")
}

#[tokio::test]
async fn sales_refunds_subscriptions_and_media_are_pulled_once() {
    let stores = Stores::new().await;
    let (app, admin) = service_with_stores(&stores).await;
    let member = app
        .add_member_with(Role::Criador, Level::Leitor, true)
        .await;
    let client = app.token_client(&member).await;
    let first = synchronize(&admin, json!({})).await;
    assert_eq!(first["ok"], true, "{first}");
    let hotmart = find_source(&first, "hotmart");
    // Four sales in two pages, one refund, two subscriptions.
    assert_eq!(
        (&hotmart["lidos"], &hotmart["gravados"]),
        (&json!(7), &json!(7))
    );
    let meta = find_source(&first, "meta");
    assert_eq!((&meta["lidos"], &meta["gravados"]), (&json!(3), &json!(3)));
    let path = "/api/vendas/resumo?inicio=2026-08-01&fim=2026-08-22";
    let totals = get(&client, path).await["totais"].clone();
    assert_eq!(
        (&totals["vendas"], &totals["receita_bruta_centavos"]),
        (&json!(4), &json!(248_550))
    );
    assert_eq!(totals["reembolsos_centavos"], 49_700);
    let summary = get(&client, "/api/subs/resumo").await;
    assert_eq!(
        (&summary["ativos"], &summary["mrr_centavos"]),
        (&json!(1), &json!(4_000))
    );
    assert_eq!(app.count_rows("ad_spend").await, 3);
    assert!(
        !app.contains_text("exemplo.com").await,
        "an e-mail address is stored in plain text"
    );
    // The second synchronisation reads only the overlap, which contains nothing new.
    app.advance_clock(HOUR);
    let tokens = stores.issued_token_count();
    stores.take_requests();
    let second = synchronize(&admin, json!({})).await;
    assert_eq!(find_source(&second, "hotmart")["gravados"], 0);
    assert_eq!(
        stores.issued_token_count(),
        tokens,
        "the stored token must be used again"
    );
    let asked = stores.take_requests();
    let sales = asked
        .iter()
        .find(|asked| asked.is_sales())
        .expect("the sales were requested");
    let from: i64 = sales.query["start_date"].parse().expect("an instant");
    assert_eq!(from, app.now() - HOUR - 3 * 24 * HOUR);
}

#[tokio::test]
async fn a_failed_source_is_reported_and_the_others_are_read() {
    let stores = Stores::new().await;
    let (app, admin) = service_with_stores(&stores).await;
    type Fault = fn(&Asked) -> Option<axum::response::Response>;
    let faults: [(Fault, &str); 5] = [
        (
            |_| Some(json_response(StatusCode::INTERNAL_SERVER_ERROR, &json!({}))),
            "falha",
        ),
        (
            |_| Some(json_response(StatusCode::OK, &json!("nada"))),
            "não é a esperada",
        ),
        (
            |_| {
                Some(json_response(
                    StatusCode::OK,
                    &json!({ "items": [{ "purchase": 1 }] }),
                ))
            },
            "esperada",
        ),
        (
            |asked| {
                let next = json!({ "next_page_token": format!("{}x", asked.page_token()) });
                Some(json_response(
                    StatusCode::OK,
                    &json!({ "items": [], "page_info": next }),
                ))
            },
            "se repetem",
        ),
        (
            |_| {
                let next = json!({ "next_page_token": "a" });
                let items = json!([sale_item("HPX", 1, 100.0, "APPROVED")]);
                Some(json_response(
                    StatusCode::OK,
                    &json!({ "items": items, "page_info": next }),
                ))
            },
            "se repetem",
        ),
    ];
    for (fault, told) in faults {
        stores.set_script(move |asked| asked.is_sales().then(|| fault(asked)).flatten());
        let failed = synchronize(&admin, json!({})).await;
        let error = find_source(&failed, "hotmart")["erro"]
            .as_str()
            .expect("an error");
        assert!(error.contains(told), "{error}");
        assert_eq!(failed["ok"], false);
        assert!(find_source(&failed, "meta").get("erro").is_none());
        app.advance_clock(MINUTE);
    }
    let client = financial_client(&app).await;
    let launch = super::create_launch(&app, json!({})).await;
    let health = get(&client, &format!("/api/lancamentos/{launch}/saude")).await;
    let hotmart = health["fontes"].as_array().expect("sources").iter();
    let hotmart = hotmart
        .clone()
        .find(|one| one["fonte"] == "hotmart")
        .expect("the source is listed");
    assert_eq!(
        (&hotmart["erro"], &hotmart["atualizada_em"]),
        (&json!("PROVIDER_FAILED"), &json!(null)),
        "a source that was never read completely must have no date"
    );
    assert_eq!(health["alertas"][0]["nivel"], "critico");
    stores.set_script(|_| None);
    let recovered = synchronize(&admin, json!({ "fonte": "hotmart" })).await;
    assert_eq!(
        (
            &recovered["ok"],
            recovered["fontes"].as_array().map(Vec::len)
        ),
        (&json!(true), Some(1))
    );
    assert_eq!(
        app.count_rows("purchases").await,
        6,
        "the valid sale of the faulty page must be saved too"
    );
    // After a later failure, the data keep the date of the last success.
    let read_at = domain::time::Timestamp(app.now()).to_string();
    app.advance_clock(MINUTE);
    stores.set_script(|asked| {
        asked
            .is_sales()
            .then(|| json_response(StatusCode::INTERNAL_SERVER_ERROR, &json!({})))
    });
    synchronize(&admin, json!({ "fonte": "hotmart" })).await;
    let health = get(&client, &format!("/api/lancamentos/{launch}/saude")).await;
    let sources = health["fontes"].as_array().expect("sources");
    let hotmart = sources.iter().find(|one| one["fonte"] == "hotmart");
    let hotmart = hotmart.expect("the source is listed");
    assert_eq!(
        (&hotmart["erro"], &hotmart["atualizada_em"]),
        (&json!("PROVIDER_FAILED"), &json!(read_at))
    );
}

#[tokio::test]
async fn a_token_that_is_no_longer_accepted_is_replaced_once() {
    let stores = Stores::new().await;
    let (app, admin) = service_with_stores(&stores).await;
    synchronize(&admin, json!({ "fonte": "hotmart" })).await;
    let tokens = stores.issued_token_count();
    stores.revoke_tokens();
    app.advance_clock(HOUR);
    let again = synchronize(&admin, json!({ "fonte": "hotmart" })).await;
    assert_eq!(again["ok"], true, "{again}");
    assert_eq!(stores.issued_token_count(), tokens + 1);
    stores.set_script(|asked| {
        asked
            .is_sales()
            .then(|| json_response(StatusCode::UNAUTHORIZED, &json!({})))
    });
    app.advance_clock(HOUR);
    let refused = synchronize(&admin, json!({ "fonte": "hotmart" })).await;
    let error = find_source(&refused, "hotmart")["erro"]
        .as_str()
        .expect("an error")
        .to_owned();
    assert!(error.contains("PAUTA_HOTMART_CLIENT_ID"), "{error}");
    assert_eq!(
        stores.issued_token_count(),
        tokens + 2,
        "a refused token must be replaced only once"
    );
}

#[tokio::test]
async fn a_rate_limit_delays_the_job_which_resumes_where_it_stopped() {
    let stores = Stores::new().await;
    let (app, _) = service_with_stores(&stores).await;
    let limited = Arc::new(AtomicUsize::new(0));
    let count = limited.clone();
    stores.set_script(move |asked| {
        let second_page = asked.is_sales() && !asked.page_token().is_empty();
        (second_page && count.fetch_add(1, Ordering::SeqCst) == 0).then(|| {
            let mut limited = json_response(StatusCode::TOO_MANY_REQUESTS, &json!({}));
            let wait = "120".parse().expect("a header");
            limited.headers_mut().insert("retry-after", wait);
            limited
        })
    });
    let mut worker = app.app.worker();
    worker.drain().await.expect("the jobs run");
    assert_eq!(limited.load(Ordering::SeqCst), 1);
    app.advance_clock(MINUTE);
    worker.drain().await.expect("the jobs run");
    assert_eq!(
        limited.load(Ordering::SeqCst),
        1,
        "the provider was called before the allowed time"
    );
    app.advance_clock(2 * MINUTE);
    worker.drain().await.expect("the jobs run");
    assert_eq!(app.count_rows("purchases").await, 5);
    assert_eq!(
        app.count_rows("sales_sources WHERE error_code IS NULL")
            .await,
        2
    );
}

#[tokio::test]
async fn two_instances_do_not_read_a_source_at_once() {
    let stores = Stores::new().await;
    let (app, admin) = service_with_stores(&stores).await;
    let held = app.now() + HOUR;
    let claim = "INSERT INTO sales_sources (source, rows_read, rows_written, lease, lease_until)
        VALUES ('hotmart', 0, 0, 'another', ";
    app.execute_statement(&format!("{claim}{held})"), []).await;
    let busy = synchronize(&admin, json!({})).await;
    let error = find_source(&busy, "hotmart")["erro"]
        .as_str()
        .expect("an error");
    assert_eq!(error, "Outra sincronização desta fonte está em andamento.");
    assert_eq!(find_source(&busy, "meta")["gravados"], 3);
    // The lease of the other synchronisation, whose process died, expires.
    app.advance_clock(2 * HOUR);
    assert_eq!(synchronize(&admin, json!({})).await["ok"], true);
}

#[tokio::test]
async fn a_next_page_url_on_another_host_is_not_followed() {
    let stores = Stores::new().await;
    let (_app, admin) = service_with_stores(&stores).await;
    stores.set_script(|asked| {
        asked.path.contains("/insights").then(|| {
            let next = "http://169.254.169.254/latest/meta-data";
            json_response(
                StatusCode::OK,
                &json!({ "data": [], "paging": { "next": next } }),
            )
        })
    });
    let failed = synchronize(&admin, json!({ "fonte": "meta" })).await;
    let error = find_source(&failed, "meta")["erro"]
        .as_str()
        .expect("an error");
    assert!(error.contains("outro servidor"), "{error}");
}

#[tokio::test]
async fn requested_days_are_read_again_and_the_cursor_stays() {
    let stores = Stores::new().await;
    let (app, admin) = service_with_stores(&stores).await;
    synchronize(&admin, json!({})).await;
    let mut cursors = app
        .table_texts(
            "sales_sources",
            &[
                "lease",
                "lease_until",
                "finished_at",
                "rows_read",
                "rows_written",
            ],
        )
        .await;
    stores.take_requests();
    app.advance_clock(HOUR);
    let days = json!({ "inicio": "2026-08-01", "fim": "2026-08-02" });
    synchronize(&admin, days).await;
    for asked in stores
        .take_requests()
        .iter()
        .filter(|asked| asked.is_sales())
    {
        assert_eq!(
            asked.query["start_date"],
            super::instant_millis("2026-08-01T03:00:00Z").to_string()
        );
        assert_eq!(
            asked.query["end_date"],
            super::instant_millis("2026-08-03T03:00:00Z").to_string()
        );
    }
    let mut after = app
        .table_texts(
            "sales_sources",
            &[
                "lease",
                "lease_until",
                "finished_at",
                "rows_read",
                "rows_written",
            ],
        )
        .await;
    cursors.sort();
    after.sort();
    assert_eq!(cursors, after);
    let backwards = json!({ "inicio": "2026-08-02", "fim": "2026-08-01" });
    assert_eq!(admin.post(SYNC, backwards).await.invalid_fields(), ["fim"]);
    let plain = TestApp::new().await;
    let admin = plain.as_member(Role::Admin).await;
    assert_eq!(
        synchronize(&admin, json!({})).await,
        json!({ "ok": true, "fontes": [] })
    );
    let missing = admin.post(SYNC, json!({ "fonte": "meta" })).await;
    missing.expect_refusal(404, "NOT_FOUND");
}
