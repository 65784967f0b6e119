//! What a calendar says about a piece.

use domain::{Role, time::DAY};
use serde_json::json;

use super::{
    create_calendar, create_piece, list_pieces, list_summaries, parse_pieces, read_calendar,
    submit, update_piece,
};
use crate::support::TestApp;

#[tokio::test]
async fn a_piece_keeps_its_uid_and_its_sequence_grows_with_the_revision() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({ "nome": "Minha agenda" })).await;
    let id = create_piece(&session, "Bolo", 25, 8, json!({ "channel": "instagram" })).await;
    let text = read_calendar(&app, &made).await.text;
    assert!(text.contains("\r\nX-WR-CALNAME:Minha agenda\r\n"));
    let first = parse_pieces(&text).remove(0);
    assert_eq!(first["UID"], id);
    assert_eq!(first["SEQUENCE"], "1");
    assert_eq!(first["DTSTART"], "20260825T130000Z");
    assert_eq!(first["DTEND"], "20260825T133000Z");
    assert_eq!(first["DTSTAMP"], first["LAST-MODIFIED"]);
    assert_eq!(first["DTSTAMP"], "20260822T150000Z");
    assert_eq!(first["SUMMARY"], "Bolo (a fazer)");
    assert_eq!(first["CATEGORIES"], "instagram");
    assert!(first["URL"].ends_with(&format!("/eventos/{id}")));
    assert!(first["DESCRIPTION"].ends_with(&first["URL"]));
    app.advance_clock(60_000);
    update_piece(&session, &id, json!({ "title": "Bolo de fubá" })).await;
    let second = list_pieces(&app, &made).await.remove(0);
    assert_eq!(second["UID"], id);
    assert_eq!(second["SEQUENCE"], "2");
    assert_eq!(second["SUMMARY"], "Bolo de fubá (a fazer)");
    assert_eq!(second["LAST-MODIFIED"], "20260822T150100Z");
    assert_eq!(second["CREATED"], first["CREATED"]);
}

#[tokio::test]
async fn a_piece_is_tentative_until_it_is_approved_and_cancelled_when_it_is_archived() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let id = create_piece(&session, "Bolo", 25, 8, json!({})).await;
    let status = async |summary: &str, status: &str| {
        let piece = list_pieces(&app, &made).await.remove(0);
        assert_eq!(
            (piece["SUMMARY"].as_str(), piece["STATUS"].as_str()),
            (summary, status)
        );
        assert_eq!(piece["UID"], id);
    };
    status("Bolo (a fazer)", "TENTATIVE").await;
    submit(&session, &id, "Legenda").await;
    status("Bolo (em aprovação)", "TENTATIVE").await;
    let approve = json!({ "event_id": id, "action": "aprovar" });
    session.post("/api/aprovar", approve).await.expect(200);
    status("Bolo (aprovada)", "CONFIRMED").await;
    update_piece(&session, &id, json!({ "status": "arquivado" })).await;
    status("Bolo (arquivada)", "CANCELLED").await;
    update_piece(&session, &id, json!({ "status": "a fazer" })).await;
    status("Bolo (a fazer)", "TENTATIVE").await;
}

#[tokio::test]
async fn a_briefing_is_in_no_calendar_and_a_caption_is_cut() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let fields = json!({ "description": "briefing interno, segredo" });
    let id = create_piece(&session, "Bolo", 25, 8, fields).await;
    let text = read_calendar(&app, &made).await.text;
    assert!(!text.replace("\r\n ", "").contains("briefing interno"));
    submit(&session, &id, &format!("Começo {}fim", "ção ".repeat(200))).await;
    let piece = list_pieces(&app, &made).await.remove(0);
    let description = &piece["DESCRIPTION"];
    assert!(description.contains("Começo ção"));
    assert!(description.contains('…') && !description.contains("fim"));
    assert!(!description.contains("briefing interno"));
}

#[tokio::test]
async fn any_text_arrives_unchanged_and_begins_no_property() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({ "nome": "A, b; c\\ 🍞" })).await;
    let title = "Bolo, café; pão \\ 🍞\u{202e}שלום\u{200f} 👩🏽‍🍳";
    let id = create_piece(&session, title, 25, 8, json!({ "tipo": "doce, salgado" })).await;
    let caption = format!("Uma\nduas\nEND:VEVENT\nBEGIN:VALARM\n{}", "é🎂".repeat(150));
    submit(&session, &id, &caption).await;
    let text = read_calendar(&app, &made).await.text;
    assert!(
        text.contains("\r\nX-WR-CALNAME:A\\, b\\; c\\\\ 🍞\r\n"),
        "{text}"
    );
    let pieces = parse_pieces(&text);
    assert_eq!(pieces.len(), 1);
    let piece = &pieces[0];
    let escaped = title
        .replace('\\', "\\\\")
        .replace(',', "\\,")
        .replace(';', "\\;");
    assert_eq!(piece["SUMMARY"], format!("{escaped} (em aprovação)"));
    assert!(piece["CATEGORIES"].ends_with("doce\\, salgado"));
    let body = caption.replace('\n', "\\n");
    assert!(
        piece["DESCRIPTION"].contains(&body),
        "{}",
        piece["DESCRIPTION"]
    );
}

#[tokio::test]
async fn the_file_has_the_dated_pieces_from_90_days_ago_to_400_days_ahead() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    // Today is 22 August.
    create_piece(&session, "Ontem", 21, 8, json!({})).await;
    session.create_demand(json!({ "title": "Sem data" })).await;
    let moved = create_piece(&session, "Movida", 26, 9, json!({})).await;
    let days = async |offset: i64| {
        let day = app.now() + offset * DAY;
        let sql = "UPDATE events SET due_at = {}, agenda_at = {} WHERE id = $1";
        let sql = sql.replace("{}", &day.to_string());
        app.execute_statement(&sql, [moved.clone()]).await;
        list_summaries(&app, &made).await.len()
    };
    for (offset, shown) in [(-91, 1), (-90, 2), (0, 2), (400, 2), (401, 1)] {
        assert_eq!(days(offset).await, shown, "{offset} days");
    }
}

#[tokio::test]
async fn a_file_has_2000_pieces_at_most_and_leaves_out_the_latest() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let id = create_piece(&session, "Primeira", 21, 8, json!({})).await;
    let copy = |from: usize, count: usize| {
        format!(
            "INSERT INTO events (id, api_revision, title, channel, status, due_at, agenda_at,
                 created_by, created_at, updated_at)
             WITH RECURSIVE n (i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n
                 WHERE i < {from} + {count} - 1)
             SELECT 'copia-' || n.i, 1, 'Cópia ' || n.i, e.channel, e.status,
                 e.due_at + n.i * 1000, e.due_at + n.i * 1000, e.created_by, e.created_at,
                 e.updated_at
             FROM n CROSS JOIN events e WHERE e.id = $1"
        )
    };
    app.execute_statement(&copy(1, 1999), [id.clone()]).await;
    let answer = read_calendar(&app, &made).await;
    assert!(!answer.text.contains("no máximo"));
    let summaries = list_summaries(&app, &made).await;
    assert_eq!(summaries.len(), 2000);
    app.execute_statement(&copy(2000, 1), [id]).await;
    let cut = list_summaries(&app, &made).await;
    assert_eq!(cut, summaries);
    assert!(cut[0].starts_with("Primeira"));
    let text = read_calendar(&app, &made).await.text.replace("\r\n ", "");
    assert!(text.contains("X-WR-CALDESC:Peças da Pauta. O calendário mostra no máximo 2000"));
}
