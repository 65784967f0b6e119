//! The forms of the agenda.

use domain::Role;
use serde_json::{Value, json};

use super::{card_markup, has_card, plan_event};
use crate::{
    console::{hidden_value, submit_operation, visible_text},
    support::TestApp,
};

const KEY: (&str, &str) = ("idempotency_key", "console-agenda-0001");

#[tokio::test]
async fn the_quick_view_has_the_forms_that_move_an_event() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let more = json!({ "description": "Legenda <i>crua</i>" });
    let id = plan_event(&lead, "Para mover", (25, 8), "10:30", more).await;
    let path = format!("/agenda/eventos/{id}");
    let page = browser.get(&path).await.expect(200);
    assert!(visible_text(&page).contains("ter 25 ago, 10:30"));
    assert!(page.text.contains("Legenda &lt;i&gt;crua&lt;/i&gt;"));
    assert!(page.text.contains(&format!("href=\"/eventos/{id}\"")));
    let part = browser.get(&format!("{path}?parte=sim")).await.expect(200);
    assert!(!part.text.contains("<html") && !part.text.contains("<h1"));
    let fields = [
        ("eventId", id.as_str()),
        (
            "expected_revision",
            &hidden_value(&page, "expected_revision"),
        ),
        ("day", "27"),
        ("month", "8"),
        ("year", "2026"),
        ("hour", "09:15"),
        ("_volta", &hidden_value(&page, "_volta")),
        ("idempotency_key", &hidden_value(&page, "idempotency_key")),
    ];
    for _ in 0..2 {
        let answer = submit_operation(&browser, "update_event", &fields)
            .await
            .expect(303);
        assert_eq!(
            answer.headers["location"],
            "/agenda?dia=2026-8-27&feito=update_event"
        );
    }
    let event = lead.load_event(&id).await;
    assert_eq!(
        (&event["day"], &event["hour"]),
        (&json!(27), &json!("09:15"))
    );
    assert_eq!(event["api_revision"], 2);
    // A stale form is refused, and nothing changes.
    let mut late = fields;
    late[7].1 = KEY.1;
    let page = submit_operation(&browser, "update_event", &late)
        .await
        .expect(409);
    assert!(visible_text(&page).contains("Não foi feito"));
    assert_eq!(lead.load_event(&id).await["api_revision"], 2);
}

#[tokio::test]
async fn the_date_of_an_event_is_removed_and_set_again_from_the_tray() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let id = plan_event(&lead, "Vai e volta", (25, 8), "10:30", json!({})).await;
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision", "1"),
        ("sem_data", "true"),
        KEY,
    ];
    submit_operation(&browser, "update_event", &fields)
        .await
        .expect(303);
    assert_eq!(lead.load_event(&id).await["due_at"], Value::Null);
    for form in ["mes", "semana", "sem-data"] {
        let page = browser
            .get(&format!("/agenda?ver={form}"))
            .await
            .expect(200);
        assert!(
            card_markup(&page.text, &id).contains("data-on=\"\""),
            "{form}"
        );
    }
    let page = browser
        .get("/agenda?ver=dia&dia=2026-08-25&q=outra")
        .await
        .expect(200);
    assert!(
        !has_card(&page.text, &id),
        "the page shows an event that the search does not match"
    );
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision", "2"),
        ("day", "28"),
        ("month", "8"),
        ("idempotency_key", "console-agenda-0002"),
    ];
    submit_operation(&browser, "update_event", &fields)
        .await
        .expect(303);
    assert_eq!(lead.load_event(&id).await["hour"], "12:00");
}

#[tokio::test]
async fn an_empty_hour_links_to_a_new_demand_at_that_hour() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let page = browser
        .get("/agenda?ver=semana&dia=2026-08-24")
        .await
        .expect(200);
    let link = "/demandas/nova?dia=2026-08-28&amp;hora=12:00";
    assert!(page.text.contains(link));
    let page = browser.get(&link.replace("&amp;", "&")).await.expect(200);
    for field in [
        "name=\"day\"",
        "name=\"hour\"",
        "name=\"assignee_id\"",
        "name=\"tipo\"",
    ] {
        assert!(page.text.contains(field), "{field}");
    }
    assert!(page.text.contains("value=\"28\"") && page.text.contains("value=\"12:00\""));
    assert!(page.text.contains("<option value=\"8\" selected>"));
    assert!(visible_text(&page).contains(&member.name));
    let fields = [
        ("title", "Nova pauta"),
        ("channel", "blog"),
        ("assignee_id", member.id.as_str()),
        ("day", "28"),
        ("month", "8"),
        ("year", "2026"),
        ("hour", "12:00"),
        ("tipo", ""),
        ("_volta", &hidden_value(&page, "_volta")),
        ("idempotency_key", &hidden_value(&page, "idempotency_key")),
    ];
    let answer = submit_operation(&browser, "create_demand", &fields)
        .await
        .expect(303);
    let to = answer.headers["location"].to_str().expect("text");
    assert!(to.starts_with("/eventos/"), "{to}");
    // Without a valid date the fields are empty.
    for address in ["/demandas/nova", "/demandas/nova?dia=31/02/2026&hora="] {
        let page = browser.get(address).await.expect(200);
        assert!(!page.text.contains("selected"), "{address}");
    }
}

#[tokio::test]
async fn a_member_who_may_not_plan_sees_whom_to_ask() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&author).await;
    let page = browser.get("/demandas/nova").await.expect(200);
    let text = visible_text(&page);
    assert!(
        text.contains("Só líderes e admins criam demandas") && text.contains("admin da equipe")
    );
    assert!(!page.text.contains("/acao/create_demand"));
    let own = json!({ "assignee_id": author.id });
    let own = plan_event(&lead, "Dela", (25, 8), "10:30", own).await;
    let page = browser
        .get(&format!("/agenda/eventos/{own}"))
        .await
        .expect(200);
    assert!(!page.text.contains("/acao/update_event"));
    let fields = [
        ("eventId", own.as_str()),
        ("expected_revision", "1"),
        ("sem_data", "true"),
        KEY,
    ];
    submit_operation(&browser, "update_event", &fields)
        .await
        .expect(403);
    let hidden = plan_event(&lead, "De outros", (25, 8), "10:30", json!({})).await;
    for id in [hidden.as_str(), "nada"] {
        let page = browser
            .get(&format!("/agenda/eventos/{id}"))
            .await
            .expect(404);
        assert!(!visible_text(&page).contains("De outros"));
    }
}
