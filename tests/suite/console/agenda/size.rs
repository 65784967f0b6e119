//! Tests the size of the agenda pages of a month with many events, and the number of their calls.

use domain::Role;
use serde_json::json;

use crate::support::TestApp;

const EVENTS: usize = 500;
const CHANNELS: [&str; 5] = ["instagram", "blog", "youtube", "linkedin", "tiktok"];
const DISHES: [&str; 4] = ["pão", "canjica", "molho", "tapioca"];
/// The maximum size of a compressed page, in bytes. The styles and scripts of the page may have the same
/// size, so that page, styles and scripts stay below 100 kB.
const MOST: usize = 50_000;

#[tokio::test]
async fn a_month_of_500_events_needs_few_calls_and_at_most_50_kb() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    for batch in 0..EVENTS / 50 {
        let demands: Vec<_> = (0..50)
            .map(|number| {
                let n = batch * 50 + number;
                json!({
                    "title": format!("Peça {n}: {}", DISHES[n % 4]),
                    "channel": CHANNELS[n % 5],
                    "assignee_id": member.id, "day": 1 + n % 31, "month": 8, "year": 2026,
                    "hour": format!("{:02}:{:02}", 8 + n / 31 % 12, n * 7 % 60),
                    "description": format!("Legenda {} sobre a receita {}. ", n * 7919, n * 104_729).repeat(8),
                })
            })
            .collect();
        let input = json!({ "demandas": demands });
        lead.post("/api/demandas", input).await.expect(200);
    }
    let media =
        "INSERT INTO media (id, sha256, media_type, bytes, kind, origin, created_by, created_at)
        SELECT id, 'a', 'image/png', 1, 'imagem', 'upload', created_by, created_at FROM events";
    app.execute_statement(media, []).await;
    let attached = "INSERT INTO event_media (event_id, media_id, slide_index, kind, media_type)
        SELECT id, id, 0, 'imagem', 'image/png' FROM events";
    app.execute_statement(attached, []).await;

    let browser = app
        .browser_client(&member)
        .await
        .with_header("accept-encoding", "gzip");
    let mut pages = 0;
    for form in ["mes", "semana", "lista"] {
        let page = browser
            .get(&format!("/agenda?ver={form}"))
            .await
            .expect(200);
        assert_eq!(page.headers["content-encoding"], "gzip");
        assert!(
            page.bytes.len() <= MOST,
            "{form}: {} bytes",
            page.bytes.len()
        );
        pages += 1;
    }
    let metrics = app.app.gateway.render_metrics().await;
    let calls = |operation: &str| {
        let line = format!(
            r#"pauta_calls_total{{operation="{operation}",door="console",status="200",code="OK"}} "#
        );
        let line = metrics.lines().find_map(|text| text.strip_prefix(&line));
        line.and_then(|count| count.parse::<usize>().ok())
            .unwrap_or(0)
    };
    // The month and the list each read three pages of events, and the week reads one page. Each of these
    // views also reads the tray and the best hours.
    assert_eq!(calls("list_events"), (3 + 1) + (1 + 1) + (3 + 1));
    assert_eq!(calls("get_publishing_time_insights"), pages);
}
