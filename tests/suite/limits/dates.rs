//! The validation of dates and times in tool input.

use domain::Role;
use serde_json::json;

use super::{input_properties, minimal_input, send_over_rest, tool_entries};
use crate::support::TestApp;

#[tokio::test]
async fn impossible_dates_are_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let impossible = [
        (31, 2, 2026),
        (30, 2, 2028),
        (29, 2, 2026),
        (29, 2, 2027),
        (29, 2, 2100),
        (31, 4, 2026),
        (31, 6, 2026),
        (31, 9, 2026),
        (31, 11, 2026),
        (31, 12, 9999),
    ];
    for (day, month, year) in impossible {
        let date = json!({ "title": "A", "day": day, "month": month, "year": year });
        assert_eq!(
            lead.post("/api/demanda", date).await.invalid_fields(),
            ["day"],
            "{day}/{month}/{year}"
        );
    }
    let out_of_range = [
        ("day", 0),
        ("day", 32),
        ("day", -1),
        ("month", 0),
        ("month", 13),
        ("year", 1999),
        ("year", 10_000),
        ("year", 0),
        ("year", 26),
    ];
    for (field, value) in out_of_range {
        let mut date = json!({ "title": "A", "day": 1, "month": 1, "year": 2026 });
        date[field] = value.into();
        assert_eq!(
            lead.post("/api/demanda", date).await.invalid_fields(),
            [field],
            "{field} {value}"
        );
    }
    let possible = [
        (29, 2, 2028),
        (29, 2, 2000),
        (31, 1, 2026),
        (1, 1, 2000),
        (30, 12, 9999),
    ];
    for (day, month, year) in possible {
        let date = json!({ "title": "A", "day": day, "month": month, "year": year });
        let event = lead.post("/api/demanda", date).await.expect(200).body["event"].clone();
        assert_eq!(
            (
                &event["day"],
                &event["month"],
                &event["year"],
                &event["hour"]
            ),
            (&json!(day), &json!(month), &json!(year), &json!("12:00"))
        );
    }
    assert_eq!(app.count_rows("events").await, 5);
}

#[tokio::test]
async fn a_date_needs_its_day_and_month_on_every_operation() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let partial = [
        (json!({ "day": 1 }), "month"),
        (json!({ "month": 1 }), "day"),
        (json!({ "day": 1, "year": 2026, "hour": "10:00" }), "month"),
        (json!({ "month": 1, "year": 2026 }), "day"),
        (json!({ "year": 2026 }), "day"),
        (json!({ "hour": "10:00" }), "day"),
        (json!({ "year": 2026, "hour": "10:00" }), "day"),
    ];
    for entry in tool_entries().filter(|entry| input_properties(entry).contains_key("day")) {
        for (date, missing) in &partial {
            let mut input = minimal_input(entry.spec.name);
            for (name, value) in date.as_object().expect("an object") {
                input[name] = value.clone();
            }
            let answer = send_over_rest(&lead, entry, input.clone()).await;
            assert_eq!(
                answer.status, 400,
                "{} {input}: {}",
                entry.spec.name, answer.text
            );
            assert!(
                answer.invalid_fields().contains(missing),
                "{input}: {}",
                answer.text
            );
            assert!(
                lead.call_tool(entry.spec.name, input)
                    .await
                    .text
                    .starts_with("INVALID_INPUT")
            );
        }
    }
    assert_eq!(app.count_rows("events").await, 0);
}

#[tokio::test]
async fn an_hour_has_the_format_hh_mm_and_is_below_24() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let at =
        |hour: &str| json!({ "title": "A", "day": 24, "month": 8, "year": 2026, "hour": hour });
    let bad = [
        "24:00",
        "9:30",
        "09:60",
        "0930",
        "09:30:00",
        " 09:30",
        "09:30 ",
        "09:30\n",
        "",
        "12h",
        "-1:00",
        "１２:００",
        "12:0",
        "99:99",
    ];
    for hour in bad {
        assert_eq!(
            lead.post("/api/demanda", at(hour)).await.invalid_fields(),
            ["hour"],
            "{hour:?}"
        );
    }
    for (hour, due_at) in [
        ("00:00", "2026-08-24T03:00:00.000Z"),
        ("09:30", "2026-08-24T12:30:00.000Z"),
        ("23:59", "2026-08-25T02:59:00.000Z"),
    ] {
        let created = lead.post("/api/demanda", at(hour)).await.expect(200).body;
        assert_eq!(created["due_at"], due_at);
        let event = lead
            .load_event(created["event_id"].as_str().expect("an id"))
            .await;
        assert_eq!((&event["day"], &event["hour"]), (&json!(24), &json!(hour)));
    }
}

#[tokio::test]
async fn the_next_date_with_a_day_and_month_is_chosen_in_brasilia_time() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    // 2026-12-31T23:59:59.999 in Brasilia; in UTC it is already 2027.
    let new_year = 1_798_772_400_000;
    app.advance_clock(new_year - 1 - app.now());
    let lead = app.session_client(&member).await;
    let date = json!({ "title": "A", "day": 31, "month": 12 });
    let before = lead
        .post("/api/demanda", date.clone())
        .await
        .expect(200)
        .body;
    app.advance_clock(1);
    let after = lead.post("/api/demanda", date).await.expect(200).body;
    assert_eq!(before["due_at"], "2026-12-31T15:00:00.000Z");
    assert_eq!(after["due_at"], "2027-12-31T15:00:00.000Z");
}
