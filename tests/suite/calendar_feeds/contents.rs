//! The contents of a calendar: which pieces it has, and the properties of each piece.

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
async fn any_text_arrives_unchanged_and_injects_no_property() {
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
    // The test clock shows 22 August.
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

/// Inserts `count` copies of a piece. The first copy is `first` minutes later than the piece, and
/// each further copy is a minute later than the previous one.
async fn copy_piece(app: &TestApp, id: &str, first: i64, count: i64) {
    let sql = format!(
        "INSERT INTO events (id, api_revision, title, channel, status, due_at, agenda_at,
             created_by, created_at, updated_at)
         WITH RECURSIVE n (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n
             WHERE i < {first} + {count} - 1)
         SELECT 'copia' || n.i, 1, 'Cópia ' || n.i, e.channel, e.status, e.due_at + CAST(n.i AS BIGINT) * 60000,
             e.due_at + CAST(n.i AS BIGINT) * 60000, e.created_by, e.created_at, e.updated_at
         FROM n CROSS JOIN events e WHERE e.id = $1"
    );
    app.execute_statement(&sql, [id.to_owned()]).await;
    let sql = "INSERT INTO event_texts (event_id, searched, pending)
               SELECT e.id, 'copia', TRUE FROM events e WHERE e.id LIKE 'copia%'
               AND NOT EXISTS (SELECT 1 FROM event_texts t WHERE t.event_id = e.id)";
    app.execute_statement(sql, []).await;
}

#[tokio::test]
async fn a_calendar_with_more_than_2000_pieces_leaves_out_the_oldest_first() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    // The test clock shows 22 August. All copies of "Ontem" are in the past, and all copies of
    // "Hoje" are in the future.
    create_piece(&session, "Mais antiga", 19, 8, json!({})).await;
    let past = create_piece(&session, "Ontem", 21, 8, json!({})).await;
    let today = create_piece(&session, "Hoje", 22, 8, json!({})).await;
    copy_piece(&app, &past, 1, 500).await;
    copy_piece(&app, &today, 1001, 400).await;
    copy_piece(&app, &today, 20_001, 1097).await;
    let read = async || {
        let text = read_calendar(&app, &made).await.text.replace("\r\n ", "");
        let (_, description) = text.split_once("X-WR-CALDESC:").expect("a description");
        let description = description.lines().next().expect("a line").to_owned();
        let summaries = list_summaries(&app, &made).await;
        (summaries, description)
    };
    let (summaries, description) = read().await;
    assert_eq!(summaries.len(), 2000);
    assert!(summaries[0].starts_with("Mais antiga"), "{}", summaries[0]);
    assert!(summaries[1].starts_with("Ontem"));
    assert!(summaries[502].starts_with("Hoje"));
    assert_eq!(description, "Peças da Pauta.");
    // One more future piece displaces the oldest piece.
    copy_piece(&app, &today, 30_001, 1).await;
    let (summaries, description) = read().await;
    assert_eq!(summaries.len(), 2000);
    assert!(summaries[0].starts_with("Ontem"));
    assert!(summaries[1999].starts_with("Cópia 30001"));
    assert!(description.contains("no máximo 2000 peças: faltam as mais antigas"));
    // A calendar with a search leaves out the oldest pieces too.
    let searching = create_calendar(&session, json!({ "q": "cópia" })).await;
    copy_piece(&app, &past, 501, 100).await;
    let summaries = list_summaries(&app, &searching).await;
    assert_eq!(summaries.len(), 2000);
    assert!(summaries[0].starts_with("Cópia 99 "), "{}", summaries[0]);
    // With more than 2000 pieces from today on, the calendar has the earliest of these, and none
    // from before today.
    copy_piece(&app, &today, 40_001, 600).await;
    let (summaries, description) = read().await;
    assert_eq!(summaries.len(), 2000);
    assert!(summaries[0].starts_with("Hoje"));
    assert!(
        summaries[1999].starts_with("Cópia 40501"),
        "{}",
        summaries[1999]
    );
    assert!(description.contains("faltam todas as de antes de hoje e as de data mais distante"));
}

#[tokio::test]
async fn a_channel_with_its_own_hour_is_a_separate_calendar_event() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let id = create_piece(&session, "Bolo", 25, 8, json!({ "channel": "instagram" })).await;
    let put = async |revision: i64, variants: serde_json::Value| {
        let input = json!({ "expected_revision": revision, "variantes": variants });
        let path = format!("/api/eventos/{id}/variantes");
        session.put(&path, input).await.expect(200).body
    };
    let own = json!({ "canal": "linkedin", "legenda": "Texto", "day": 26, "month": 8,
        "year": 2026, "hour": "14:30" });
    let same = json!({ "canal": "threads", "legenda": "Texto" });
    let answer = put(1, json!([own, same])).await;
    let linkedin = answer["variantes"].as_array().expect("a list").iter();
    let linkedin = { linkedin }.find(|one| one["canal"] == "linkedin");
    let linkedin = linkedin.expect("the variant")["id"].clone();
    let pieces = list_pieces(&app, &made).await;
    assert_eq!(pieces.len(), 2, "{pieces:?}");
    assert_eq!(pieces[0]["UID"], id);
    let post = &pieces[1];
    assert_eq!(json!(post["UID"]), linkedin);
    assert_eq!(post["DTSTART"], "20260826T173000Z");
    assert_eq!(post["SUMMARY"], "Bolo: LinkedIn (post) (a fazer)");
    assert_eq!(post["SEQUENCE"], "2");
    assert_eq!(post["CATEGORIES"], "linkedin");
    assert!(post["DESCRIPTION"].starts_with("Canal: linkedin"));
    // After the hour of the channel has changed, its calendar event has the next sequence number
    // and the same UID.
    let later = json!({ "canal": "linkedin", "legenda": "Texto", "day": 27, "month": 8,
        "year": 2026, "hour": "09:00" });
    put(2, json!([later])).await;
    let post = list_pieces(&app, &made).await.remove(1);
    assert_eq!(json!(post["UID"]), linkedin);
    assert_eq!(
        (&*post["SEQUENCE"], &*post["DTSTART"]),
        ("3", "20260827T120000Z")
    );
    update_piece(&session, &id, json!({ "status": "arquivado" })).await;
    let post = list_pieces(&app, &made).await.remove(1);
    assert_eq!(post["STATUS"], "CANCELLED");
    update_piece(&session, &id, json!({ "status": "a fazer" })).await;
    // A channel without its own hour has no separate calendar event.
    put(5, json!([{ "canal": "linkedin", "legenda": "Texto" }])).await;
    assert_eq!(list_pieces(&app, &made).await.len(), 1);
}

#[tokio::test]
async fn a_changed_channel_of_an_approved_piece_is_tentative_until_it_is_decided() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let id = create_piece(&session, "Bolo", 25, 8, json!({})).await;
    submit(&session, &id, "Legenda").await;
    let approve = json!({ "event_id": id, "action": "aprovar" });
    session.post("/api/aprovar", approve).await.expect(200);
    let path = format!("/api/eventos/{id}");
    let piece = session.get(&path).await.expect(200).body;
    let revision = &piece["evento"]["api_revision"];
    let own = json!({ "canal": "linkedin", "legenda": "Texto", "day": 26, "month": 8,
        "year": 2026, "hour": "14:30" });
    let input = json!({ "expected_revision": revision, "variantes": [own] });
    let put = session.put(&format!("{path}/variantes"), input).await;
    let revision = put.expect(200).body["api_revision"].clone();
    let pieces = list_pieces(&app, &made).await;
    let status = |n: usize| (&*pieces[n]["SUMMARY"], &*pieces[n]["STATUS"]);
    assert_eq!(status(0), ("Bolo (aprovada)", "CONFIRMED"));
    assert_eq!(
        status(1),
        ("Bolo: LinkedIn (post) (espera aprovação)", "TENTATIVE")
    );
    let decide = json!({ "expected_revision": revision, "action": "aprovar" });
    let path = format!("{path}/variantes/decisao");
    session.post(&path, decide).await.expect(200);
    let post = list_pieces(&app, &made).await.remove(1);
    assert_eq!(post["STATUS"], "CONFIRMED");
}
