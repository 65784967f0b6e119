//! The content of the agenda.

use domain::Role;
use serde_json::json;

use super::{card_markup, has_card, plan_event};
use crate::{
    console::{submit_operation, visible_text},
    support::TestApp,
};

#[tokio::test]
async fn a_card_shows_time_channel_title_status_and_assignees() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let odd = format!("<b>Festa</b> \u{202e}avesso {}", "x".repeat(250));
    let more = json!({ "channel": "Newsletter", "assignee_id": member.id });
    let id = plan_event(&lead, &odd, (25, 8), "10:30", more).await;
    for form in ["mes", "semana", "lista", "dia"] {
        let address = format!("/agenda?ver={form}&dia=2026-08-25");
        let page = browser.get(&address).await.expect(200);
        let card = card_markup(&page.text, &id);
        for part in [
            ">10:30</time>",
            ">Newsletter<",
            "A fazer",
            "dir=\"auto\">&lt;b&gt;Festa&lt;/b&gt;",
            "draft",
            "data-rev=\"1\"",
            "data-on=\"2026-08-25\"",
            "draggable=\"true\"",
        ] {
            assert!(
                card.contains(part),
                "{form}: {card} does not contain {part}"
            );
        }
        assert!(card.contains(&format!("title=\"Responsável: {}\"", member.name)));
        assert!(!page.text.contains("<b>Festa"));
        assert!(!page.text.contains(" style="));
        // A month shows the first words of the caption. A list shows the whole caption and the
        // author.
        let is_whole = card.contains(&"x".repeat(250));
        let is_list = matches!(form, "lista" | "dia");
        assert_eq!(
            (is_whole, card.contains("de ")),
            (is_list, is_list),
            "{form}"
        );
    }
}

#[tokio::test]
async fn past_events_are_muted_and_readers_cannot_move_events() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let over = plan_event(&lead, "Ontem", (21, 8), "10:00", json!({})).await;
    let today = plan_event(&lead, "Mais tarde", (22, 8), "18:00", json!({})).await;
    let page = app
        .browser_client(&member)
        .await
        .get("/agenda")
        .await
        .expect(200);
    let muted = |id: &str| {
        let class = card_markup(&page.text, id)
            .split("class=\"")
            .nth(1)
            .expect("a class");
        class
            .split('"')
            .next()
            .expect("the end of the class")
            .contains("past")
    };
    assert!(muted(&over) && !muted(&today));
    assert!(page.text.contains("data-now=\"2026-08-22T12:00\""));
    let author = app.add_member(Role::Criador).await;
    let own = plan_event(
        &lead,
        "De quem cria",
        (25, 8),
        "10:00",
        json!({ "assignee_id": author.id }),
    )
    .await;
    let page = app
        .browser_client(&author)
        .await
        .get("/agenda")
        .await
        .expect(200);
    assert!(!card_markup(&page.text, &own).contains("draggable=\"true\""));
    assert!(!page.text.contains("/demandas/nova"));
    assert!(
        !has_card(&page.text, &over),
        "the page shows an event that the viewer may not see"
    );
}

#[tokio::test]
async fn the_layout_of_the_agenda_is_remembered() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let page = browser.get("/agenda").await.expect(200);
    assert!(page.text.contains("lay-mes") && !page.headers.contains_key("set-cookie"));
    let page = browser.get("/agenda?ver=semana").await.expect(200);
    let cookie = page.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.starts_with("pauta_agenda=semana; Path=/; ") && cookie.contains("HttpOnly"));
    let (name, value) = app.session_cookie(&member).await;
    let again = |layout: &str| {
        let cookies = format!("{name}={value}; pauta_agenda={layout}");
        app.anonymous().with_header("cookie", cookies)
    };
    let page = again("semana").get("/agenda").await.expect(200);
    assert!(page.text.contains("lay-semana"));
    for other in ["dia", "outra", ""] {
        let page = again(other).get("/agenda").await.expect(200);
        assert!(page.text.contains("lay-mes"), "{other}");
    }
    // The day view is not stored, so the next visit does not open it.
    let page = browser.get("/agenda?ver=dia").await.expect(200);
    assert!(!page.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn filters_are_in_the_address_and_are_counted() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let other = app.add_member(Role::Criador).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let mine = json!({ "channel": "blog", "assignee_id": member.id });
    let mine = plan_event(&lead, "Minha pauta", (25, 8), "10:00", mine).await;
    let theirs = json!({ "channel": "instagram", "assignee_id": other.id });
    let theirs = plan_event(&lead, "Peça dela", (26, 8), "10:00", theirs).await;
    let sent = json!({ "event_id": theirs, "expected_revision": 1 });
    lead.post("/api/enviar", sent).await.expect(200);
    let gone = plan_event(&lead, "Guardada", (27, 8), "10:00", json!({})).await;
    let archive = json!({ "expected_revision": 1, "status": "arquivado" });
    lead.patch(&format!("/api/eventos/{gone}"), archive)
        .await
        .expect(200);
    let cases = [
        ("", true, true, false),
        ("&status=em%20aprova%C3%A7%C3%A3o", false, true, false),
        ("&status=arquivado", false, false, true),
        ("&canal=blog", true, false, false),
        ("&q=minha", true, false, false),
        // `espera=sim` shows events that wait for the assignee's work or for the approver's
        // decision.
        ("&espera=sim", true, true, false),
        ("&status=&canal=&pessoa=&q=", true, true, false),
        ("&status=nenhum", true, true, false),
    ];
    for (filter, is_mine, is_theirs, is_gone) in cases {
        let page = browser
            .get(&format!("/agenda?ver=mes{filter}"))
            .await
            .expect(200);
        let found = [&mine, &theirs, &gone].map(|id| has_card(&page.text, id));
        assert_eq!(found, [is_mine, is_theirs, is_gone], "{filter}");
    }
    let page = browser
        .get(&format!("/agenda?pessoa={}", other.id))
        .await
        .expect(200);
    assert!(!has_card(&page.text, &mine) && has_card(&page.text, &theirs));
    assert!(visible_text(&page).contains("Limpar filtros"));
    let page = app
        .browser_client(&other)
        .await
        .get("/agenda?espera=sim")
        .await
        .expect(200);
    assert!(
        !has_card(&page.text, &theirs),
        "the event waits for an approver, not for the viewer"
    );
    let page = browser.get("/agenda?q=nada+disso").await.expect(200);
    assert!(visible_text(&page).contains("Nada planejado"));
}

#[tokio::test]
async fn a_full_day_links_to_all_its_events() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let mut ids = vec![];
    for hour in 13..20 {
        let title = format!("Às {hour}");
        let channel = json!({ "channel": format!("canal {hour}") });
        ids.push(plan_event(&lead, &title, (25, 8), &format!("{hour}:00"), channel).await);
    }
    let page = browser.get("/agenda?ver=mes").await.expect(200);
    assert!(page.text.contains(">+3<"));
    assert!(!has_card(&page.text, &ids[6]));
    let page = browser
        .get(&format!("/agenda?ver=mes&foco={}", ids[6]))
        .await
        .expect(200);
    assert!(has_card(&page.text, &ids[6]) && page.text.contains(">+3<"));
    let page = browser
        .get("/agenda?ver=dia&dia=2026-08-25")
        .await
        .expect(200);
    assert!(ids.iter().all(|id| has_card(&page.text, id)));
}

#[tokio::test]
async fn gaps_clashes_commemorative_dates_and_good_hours_are_shown() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let page = browser.get("/agenda?ver=mes").await.expect(200);
    assert!(
        visible_text(&page).contains("Nada planejado de  sáb 22 ago")
            || visible_text(&page).contains("Nada planejado de sáb 22 ago")
    );
    // The page of the tray does not read events with a date.
    let tray = browser.get("/agenda?ver=sem-data").await.expect(200);
    assert!(!visible_text(&tray).contains("Nada planejado de"));
    let first = plan_event(&lead, "Uma", (25, 8), "10:00", json!({})).await;
    let second = plan_event(&lead, "Outra", (25, 8), "10:59", json!({})).await;
    plan_event(
        &lead,
        "Noutro canal",
        (25, 8),
        "10:30",
        json!({ "channel": "blog" }),
    )
    .await;
    let page = browser.get("/agenda?ver=mes").await.expect(200);
    assert!(visible_text(&page).contains("Choque em Instagram"));
    assert!(card_markup(&page.text, &first).contains("choque"));
    assert!(card_markup(&page.text, &second).contains("choque"));
    assert_eq!(page.text.matches("class=\"clash\"").count(), 2);
    // Tuesday at 12:00 is a suggested hour. The suggested hour on 18 August has passed.
    assert!(
        page.text
            .contains("/demandas/nova?dia=2026-08-25&amp;hora=12:00")
    );
    assert!(!page.text.contains("/demandas/nova?dia=2026-08-18"));
    assert!(visible_text(&page).contains("Dia do Folclore"));
    let page = browser
        .get("/agenda?ver=mes&datas=nao&horarios=nao")
        .await
        .expect(200);
    assert!(!visible_text(&page).contains("Dia do Folclore"));
    assert!(!visible_text(&page).contains("bom horário livre"));
    let page = browser
        .get("/agenda?ver=mes&dia=2026-11-15")
        .await
        .expect(200);
    assert!(visible_text(&page).contains("Black Friday"));
}

/// Returns the markup of a half-hour slot.
fn slot_markup<'p>(page: &'p str, day: &str, hour: &str) -> &'p str {
    let mark = format!("data-day=\"{day}\"");
    let mut columns = page.split("<section ").skip(1);
    let column = columns.find(|part| part.contains(&mark));
    let mark = format!("data-hour=\"{hour}\"");
    let slots = column.expect("the day").split("<div class=\"slot");
    slots
        .into_iter()
        .find(|slot| slot.contains(&mark))
        .expect("the hour")
}

#[tokio::test]
async fn a_week_shows_events_at_their_hours_and_links_that_create_demands() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let plan = |title, hour| plan_event(&lead, title, (25, 8), hour, json!({ "channel": title }));
    let first = plan("Uma", "10:00").await;
    let second = plan("Outra", "10:29").await;
    let third = plan("Meia hora depois", "10:30").await;
    let page = browser
        .get("/agenda?ver=semana&dia=2026-08-25")
        .await
        .expect(200);
    let at = |hour: &str| slot_markup(&page.text, "2026-08-25", hour);
    assert!(has_card(at("10:00"), &first) && has_card(at("10:00"), &second));
    assert!(has_card(at("10:30"), &third) && !has_card(at("11:00"), &third));
    assert!(at("15:30").contains("/demandas/nova?dia=2026-08-25&amp;hora=15:30"));
    // Tuesday at 12:00 is a suggested hour.
    assert!(at("12:00").contains(" good") && at("12:00").contains("bom horário livre"));
    assert!(!at("13:00").contains(" good"));
    assert_eq!(
        page.text.matches("class=\"now\"").count(),
        0,
        "another week must not show the current time"
    );
    assert!(page.text.contains("week h15"), "from 7 to 21 h");
    plan_event(&lead, "Madrugada", (28, 8), "04:45", json!({})).await;
    let page = browser
        .get("/agenda?ver=semana&dia=2026-08-25")
        .await
        .expect(200);
    assert!(page.text.contains("week h18"), "from 4 to 21 h");
    assert!(slot_markup(&page.text, "2026-08-28", "04:30").contains("Madrugada"));

    // The test clock shows Saturday, 12:00.
    let page = browser
        .get("/agenda?ver=semana&dia=2026-08-22")
        .await
        .expect(200);
    let at = |hour: &str| slot_markup(&page.text, "2026-08-22", hour);
    assert!(at("12:00").contains("class=\"now\"") && at("12:00").contains("y1=\"0%\""));
    for over in ["11:30", "12:00"] {
        assert!(!at(over).contains("/demandas/nova"), "{over}");
    }
    assert!(at("11:30").contains(" past") && at("12:30").contains("/demandas/nova"));
    assert!(!slot_markup(&page.text, "2026-08-21", "20:00").contains("/demandas/nova"));
}

#[tokio::test]
async fn the_links_above_a_week_lead_to_each_of_its_days() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let page = browser
        .get("/agenda?ver=semana&dia=2026-08-25&canal=blog")
        .await
        .expect(200);
    let (_, links) = page.text.split_once("class=\"day-switch\"").expect("links");
    let links = links.split("</nav>").next().expect("the end of the links");
    assert_eq!(links.matches("ver=semana&amp;dia=").count(), 7);
    assert_eq!(links.matches("canal=blog").count(), 7);
    assert_eq!(links.matches("aria-current=\"true\"").count(), 1);
    assert!(page.text.contains("chosen\" data-day=\"2026-08-25\""));
    assert!(
        !page.text.contains("class=\"open\""),
        "a reader must not get links to new demands"
    );
    assert!(
        !page.text.contains("data-keys"),
        "a reader must not get the keys that move events"
    );
}

#[tokio::test]
async fn an_invalid_address_shows_the_agenda() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    for address in [
        "/agenda?dia=2026-02-30",
        "/agenda?dia=0000-01-01",
        "/agenda?dia=9999-12-31",
        "/agenda?ver=x&espera=&datas=sim",
        "/agenda?foco=%22%3E%3Cscript%3E",
        "/agenda?q=%00",
    ] {
        let page = browser.get(address).await;
        assert!(
            matches!(page.status, 200 | 400),
            "{address}: {}",
            page.status
        );
        assert!(!page.text.contains("<script>"));
    }
    let long = format!("/agenda?q={}&canal={}", "x".repeat(500), "y".repeat(500));
    browser.get(&long).await.expect(200);
    app.anonymous().get("/agenda").await.expect(303);
    submit_operation(&browser, "console_agenda_look", &[])
        .await
        .expect(404);
}
