//! What the workflow and configuration operations take as input, field by field.

use serde_json::{Map, Value, json};
use tools::{
    OPERATIONS,
    domain::Role,
    registry::{Area, Entry},
};

use crate::support::{Answer, Client, TestApp};

/// An event that nobody made: input is judged before existence.
const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

/// A token that no draft has.
const NO_TOKEN: &str = "2020-01-01T00:00:00.000Z";

/// The least input that each operation takes.
fn least(name: &str) -> Value {
    match name {
        "create_demand" => json!({ "title": "A" }),
        "save_draft" | "submit_for_approval" => {
            json!({ "event_id": NO_EVENT, "expected_revision": 1 })
        }
        "decide_approval" => json!({ "event_id": NO_EVENT, "action": "aprovar" }),
        "update_event" => json!({ "eventId": NO_EVENT, "expected_revision": 1 }),
        "get_event" => json!({ "eventId": NO_EVENT }),
        "generate_art" => json!({ "prompt": "A" }),
        "generate_carousel" => json!({ "cards": [{ "text": "A" }] }),
        "update_event_media" => json!({ "eventId": NO_EVENT, "expected_revision": 1 }),
        "get_email_draft" => json!({ "templateId": "a" }),
        "put_email_draft" => {
            json!({ "templateId": "a", "html": "A", "expected_updated_at": NO_TOKEN })
        }
        "replace_in_email_draft" => json!({
            "templateId": "a", "procurar": "A", "trocar_por": "B", "expected_updated_at": NO_TOKEN,
        }),
        "delete_email_draft" => json!({ "templateId": "a", "expected_updated_at": NO_TOKEN }),
        "publish_skill_version" => json!({ "name": "a", "description": "A", "content": "A" }),
        "publish_config_version" => json!({ "key": "k", "value": 1 }),
        "create_project" => json!({ "name": "A" }),
        "get_project" | "list_project_operations" => json!({ "projectId": NO_EVENT }),
        "apply_project_operation" => json!({
            "projectId": NO_EVENT, "type": "project.archive", "payload": {},
            "expected_revision": 1,
        }),
        _ => json!({}),
    }
}

fn operations() -> impl Iterator<Item = &'static Entry> {
    let covered = |entry: &&Entry| {
        let areas = [
            Area::Workflow,
            Area::Media,
            Area::Config,
            Area::EmailDrafts,
            Area::Skills,
            Area::Projects,
        ];
        areas.contains(&entry.spec.area) && entry.spec.tool
    };
    OPERATIONS.iter().filter(covered)
}

fn properties(entry: &Entry) -> Map<String, Value> {
    entry.input_schema()["properties"]
        .as_object()
        .expect("properties")
        .clone()
}

/// Sends the input where it belongs: path, then body or query.
async fn rest(client: &Client, entry: &Entry, mut input: Value) -> Answer {
    let fields = input.as_object_mut().expect("an object");
    let mut path = entry.spec.path.to_owned();
    for name in entry.spec.placeholders() {
        let value = fields.remove(name).expect("the placeholder");
        path = path.replace(&format!("{{{name}}}"), value.as_str().expect("text"));
    }
    if entry.spec.has_body() {
        let method = entry.spec.verb.as_str().parse().expect("a method");
        return client
            .send(method, &path, Some(input.to_string().into()))
            .await;
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields {
        let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
        query.append_pair(name, &text);
    }
    let method = entry.spec.verb.as_str().parse().expect("a method");
    client
        .send(method, &format!("{path}?{}", query.finish()), None)
        .await
}

/// Refused with 400 at both doors, naming exactly this field.
async fn refused_by_name(client: &Client, entry: &Entry, field: &str, input: &Value) {
    let name = entry.spec.name;
    let answer = rest(client, entry, input.clone()).await;
    assert_eq!(answer.status, 400, "{name} {input}: {}", answer.text);
    let mut fields = answer.fields();
    fields.dedup();
    assert_eq!(fields, [field], "{name} {input}: {}", answer.text);
    let tool = client.call(name, input.clone()).await;
    assert!(
        tool.is_error && tool.text.starts_with("INVALID_INPUT"),
        "{name} {input}"
    );
    assert!(
        tool.text.contains(&format!("`{field}`")),
        "{name} {input}: {}",
        tool.text
    );
}

async fn with(entry: &Entry, field: &str, value: Value) -> Value {
    let mut input = least(entry.spec.name);
    input[field] = value;
    // Days and months only come together.
    for (one, other) in [
        ("day", "month"),
        ("month", "day"),
        ("year", "day"),
        ("hour", "day"),
    ] {
        if field == one {
            input[other] = 1.into();
        }
    }
    if matches!(field, "year" | "hour") {
        input["month"] = 1.into();
    }
    input
}

#[tokio::test]
async fn every_field_refuses_every_other_type_by_name() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let samples = [
        json!(null),
        json!(true),
        json!("1"),
        json!(1.5),
        json!(7),
        json!([7]),
        json!({}),
    ];
    let mut judged = 0;
    for entry in operations().filter(|entry| entry.spec.has_body()) {
        for (field, schema) in properties(entry) {
            // A field that may be null has its type before it.
            let nullable = schema["type"].is_array();
            let kind = if nullable {
                &schema["type"][0]
            } else {
                &schema["type"]
            };
            let Some(kind) = kind.as_str() else {
                assert_eq!(
                    (entry.spec.name, &*field),
                    ("publish_config_version", "value")
                );
                continue;
            };
            if entry.spec.placeholders().any(|name| name == field) {
                continue;
            }
            for sample in &samples {
                let fits = match kind {
                    "string" => sample.is_string(),
                    "integer" => sample.is_i64(),
                    "array" => sample.is_array(),
                    "object" => sample.is_object(),
                    "boolean" => sample.is_boolean(),
                    other => panic!("{field} is a {other}"),
                };
                if !(fits || nullable && sample.is_null()) {
                    let input = with(entry, &field, sample.clone()).await;
                    refused_by_name(&admin, entry, &field, &input).await;
                    judged += 1;
                }
            }
        }
    }
    assert!(judged > 200, "{judged}");
    assert_eq!(app.count("events").await + app.count("config_log").await, 0);
    assert_eq!(
        app.count("email_drafts").await + app.count("skills").await,
        0
    );
}

#[tokio::test]
async fn every_missing_required_field_is_named() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for entry in operations().filter(|entry| entry.spec.has_body()) {
        let schema = entry.input_schema();
        for field in schema["required"].as_array().expect("a list") {
            let field = field.as_str().expect("a name");
            if entry.spec.placeholders().any(|name| name == field) {
                continue;
            }
            let mut input = least(entry.spec.name);
            input.as_object_mut().expect("an object").remove(field);
            if schema["properties"][field]["type"].is_array() {
                // In a tool its absence is null.
                assert_eq!(rest(&admin, entry, input).await.fields(), [field]);
                continue;
            }
            refused_by_name(&admin, entry, field, &input).await;
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_an_unknown_field_by_name() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for entry in operations() {
        for field in [
            "estranho",
            "Title",
            "event_id ",
            "__proto__",
            "evento.título",
        ] {
            let mut input = least(entry.spec.name);
            input[field] = "segredo".into();
            let answer = rest(&admin, entry, input.clone()).await;
            assert!(!answer.text.contains("segredo"), "{}", answer.text);
            refused_by_name(&admin, entry, field, &input).await;
        }
    }
}

#[tokio::test]
async fn an_unknown_name_is_printed_back_without_control_characters_and_cut() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let name = format!("a\r\nb\u{1b}[31m{}", "x".repeat(500));
    let answer = lead
        .post("/api/demanda", json!({ "title": "A", name: 1 }))
        .await;
    assert_eq!(answer.fields(), [format!("ab[31m{}", "x".repeat(74))]);
}

#[tokio::test]
async fn every_text_refuses_nul_by_name() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let mut judged = 0;
    for entry in operations() {
        for (field, schema) in properties(entry) {
            if schema["type"] != "string" || entry.spec.placeholders().any(|name| name == field) {
                continue;
            }
            for text in ["\u{0}", "a\u{0}b", "ab\u{0}"] {
                refused_by_name(
                    &admin,
                    entry,
                    &field,
                    &with(entry, &field, text.into()).await,
                )
                .await;
                judged += 1;
            }
        }
    }
    assert!(judged > 60, "{judged}");
}

/// Texts of exactly `length` characters, of one to four bytes each.
fn texts(length: usize) -> [String; 4] {
    ["a", "ã", "한", "🎉"].map(|character| character.repeat(length))
}

#[tokio::test]
async fn a_demand_takes_each_text_up_to_its_limit_counted_in_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let limits = [
        ("title", 300, "title"),
        ("channel", 60, "channel"),
        ("description", 20_000, "briefing"),
        ("tipo", 80, "editorial_tag"),
    ];
    for (field, limit, stored) in limits {
        for text in texts(limit) {
            let mut demand = json!({ "title": "A" });
            demand[field] = text.as_str().into();
            let created = lead
                .post("/api/demanda", demand.clone())
                .await
                .expect(200)
                .body;
            let id = created["event_id"].as_str().expect("an id");
            assert!(lead.event(id).await[stored] == text.as_str(), "{field}");

            demand[field] = format!("{text}a").into();
            assert_eq!(
                lead.post("/api/demanda", demand.clone()).await.fields(),
                [field]
            );
            let tool = lead.call("create_demand", demand).await;
            assert!(
                tool.text.contains(&format!("no máximo {limit} caracteres")),
                "{}",
                tool.text
            );
        }
    }
    for field in ["title", "channel", "tipo"] {
        let mut demand = json!({ "title": "A" });
        demand[field] = "".into();
        assert_eq!(lead.post("/api/demanda", demand).await.fields(), [field]);
    }
}

#[tokio::test]
async fn a_caption_takes_20000_characters_wherever_it_is_written() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for text in texts(20_000) {
        let id = lead.demand(json!({})).await;
        let longer = format!("{text}a");
        let writes = [
            ("/api/draft", json!({ "expected_revision": 1 })),
            ("/api/enviar", json!({ "expected_revision": 2 })),
            ("/api/aprovar", json!({ "action": "aprovar" })),
        ];
        for (path, mut input) in writes {
            input["event_id"] = id.as_str().into();
            input["caption"] = longer.as_str().into();
            assert_eq!(lead.post(path, input.clone()).await.fields(), ["caption"]);
            input["caption"] = text.as_str().into();
            lead.post(path, input).await.expect(200);
        }
        let event = lead.event(&id).await;
        assert!(event["description"] == text.as_str() && event["status"] == "aprovado");
    }
}

#[tokio::test]
async fn a_reason_takes_2000_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for text in texts(2_000) {
        let id = lead.demand(json!({})).await;
        let sent = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", sent).await.expect(200);
        let refuse =
            |reason: String| json!({ "event_id": id, "action": "recusar", "motivo": reason });
        let answer = lead.post("/api/aprovar", refuse(format!("{text}a"))).await;
        assert_eq!(answer.fields(), ["motivo"]);
        lead.post("/api/aprovar", refuse(text.clone()))
            .await
            .expect(200);
        let event = lead
            .get(&format!("/api/eventos/{id}"))
            .await
            .expect(200)
            .body;
        assert!(event["historico"][0]["reason"] == text.as_str());
    }
}

#[tokio::test]
async fn an_update_takes_each_text_up_to_its_limit() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (field, limit, stored) in [
        ("title", 300, "title"),
        ("channel", 60, "channel"),
        ("tipo", 80, "editorial_tag"),
    ] {
        for text in texts(limit) {
            let path = format!("/api/eventos/{}", lead.demand(json!({})).await);
            let patch = |text: &str| {
                let mut patch = json!({ "expected_revision": 1 });
                patch[field] = text.into();
                patch
            };
            for bad in [&format!("{text}a"), ""] {
                assert_eq!(lead.patch(&path, patch(bad)).await.fields(), [field]);
            }
            let updated = lead.patch(&path, patch(&text)).await.expect(200).body;
            assert_eq!(updated["evento"][stored], text);
        }
    }
}

#[tokio::test]
async fn a_configuration_key_takes_200_characters() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for key in texts(200) {
        let longer = json!({ "key": format!("{key}a"), "value": 1 });
        assert_eq!(admin.post("/api/config", longer).await.fields(), ["key"]);
        admin
            .post("/api/config", json!({ "key": key, "value": 1 }))
            .await
            .expect(200);
    }
    assert_eq!(
        admin
            .post("/api/config", json!({ "key": "", "value": 1 }))
            .await
            .fields(),
        ["key"]
    );
    let config = admin.get("/api/config").await.expect(200).body["config"].clone();
    assert_eq!(config.as_object().expect("an object").len(), 4);
}

#[tokio::test]
async fn a_page_has_1_to_200_rows() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.demand(json!({})).await;
    let project = admin
        .post("/api/projects", json!({ "name": "A" }))
        .await
        .expect(201)
        .body;
    let mut lists = 0;
    for entry in operations().filter(|entry| properties(entry).contains_key("limit")) {
        lists += 1;
        let mut input = least(entry.spec.name);
        if entry.spec.name == "get_event" {
            input["eventId"] = id.as_str().into();
        }
        if input.get("projectId").is_some() {
            input["projectId"] = project["project"]["id"].clone();
        }
        for limit in [
            json!(0),
            json!(201),
            json!(-1),
            json!(1.5),
            json!("muitos"),
            json!(""),
        ] {
            input["limit"] = limit;
            refused_by_name(&admin, entry, "limit", &input).await;
        }
        for limit in [1, 200] {
            input["limit"] = limit.into();
            rest(&admin, entry, input.clone()).await.expect(200);
            assert!(!admin.call(entry.spec.name, input.clone()).await.is_error);
        }
        input["limit"] = "1".into();
        assert!(
            admin.call(entry.spec.name, input).await.is_error,
            "text is no number in a tool"
        );
    }
    assert_eq!(lists, 13);
}

#[tokio::test]
async fn a_revision_is_a_whole_number_from_0_to_2_to_the_53() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let fields = [
        "save_draft",
        "submit_for_approval",
        "update_event",
        "decide_approval",
        "apply_project_operation",
    ];
    for entry in operations().filter(|entry| fields.contains(&entry.spec.name)) {
        let mut input = least(entry.spec.name);
        for revision in [
            "-1",
            "9007199254740992",
            "1e300",
            "0.5",
            "18446744073709551616",
        ] {
            input["expected_revision"] = serde_json::from_str(revision).expect("a number");
            refused_by_name(&lead, entry, "expected_revision", &input).await;
        }
        for revision in ["0", "9007199254740991", "1.0", "1e0"] {
            input["expected_revision"] = serde_json::from_str(revision).expect("a number");
            rest(&lead, entry, input.clone())
                .await
                .refused(404, "NOT_FOUND");
        }
    }
}

#[tokio::test]
async fn dates_that_no_calendar_has_are_refused() {
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
            lead.post("/api/demanda", date).await.fields(),
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
            lead.post("/api/demanda", date).await.fields(),
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
    assert_eq!(app.count("events").await, 5);
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
    for entry in operations().filter(|entry| properties(entry).contains_key("day")) {
        for (date, missing) in &partial {
            let mut input = least(entry.spec.name);
            for (name, value) in date.as_object().expect("an object") {
                input[name] = value.clone();
            }
            let answer = rest(&lead, entry, input.clone()).await;
            assert_eq!(
                answer.status, 400,
                "{} {input}: {}",
                entry.spec.name, answer.text
            );
            assert!(
                answer.fields().contains(missing),
                "{input}: {}",
                answer.text
            );
            assert!(
                lead.call(entry.spec.name, input)
                    .await
                    .text
                    .starts_with("INVALID_INPUT")
            );
        }
    }
    assert_eq!(app.count("events").await, 0);
}

#[tokio::test]
async fn an_hour_has_two_digits_twice_and_24_hours() {
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
            lead.post("/api/demanda", at(hour)).await.fields(),
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
            .event(created["event_id"].as_str().expect("an id"))
            .await;
        assert_eq!((&event["day"], &event["hour"]), (&json!(24), &json!(hour)));
    }
}

#[tokio::test]
async fn the_year_of_a_date_is_the_current_one_in_brasilia() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    // 2026-12-31T23:59:59.999 in Brasilia, when it is 2027 in Greenwich.
    let new_year = 1_798_772_400_000;
    app.pass(new_year - 1 - app.now());
    let lead = app.session(&member).await;
    let date = json!({ "title": "A", "day": 10, "month": 1 });
    let before = lead
        .post("/api/demanda", date.clone())
        .await
        .expect(200)
        .body;
    app.pass(1);
    let after = lead.post("/api/demanda", date).await.expect(200).body;
    assert_eq!(before["due_at"], "2026-01-10T15:00:00.000Z");
    assert_eq!(after["due_at"], "2027-01-10T15:00:00.000Z");
}

/// Texts that break what is not careful with text.
pub const TEXTS: [&str; 16] = [
    "Ação e reação",
    "Ac\u{327}a\u{303}o decomposta",
    "👩‍👩‍👧‍👦 família 🏳️‍🌈 🇧🇷",
    "مرحبا \u{202e}ao contrário\u{202c} שלום",
    "Z\u{351}\u{36b}\u{343}\u{36a}\u{302}\u{36b}\u{33d}a\u{34f}\u{334}l\u{323}go",
    "\u{feff}com BOM",
    "largura\u{200b}zero\u{2060}",
    "\u{10ffff}\u{fffd}\u{e000}",
    "separador\u{2028}de\u{2029}linha",
    "\u{1}\u{8}\u{b}\u{1f}\u{7f}\u{85} controles",
    "\t recuo\r\nlinha \r\n",
    "aspas \" ' ` e \\ barra \\u0041 \\\" fim\\",
    "'; DROP TABLE events; -- $1 ?1 :x",
    "100% _ \\% [a-z]* {0} %s",
    "<script>alert('&amp;')</script>",
    "ﬁ ŉ ẞ İ ı ǅ",
];

#[tokio::test]
async fn text_comes_back_byte_for_byte_from_every_operation() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.member(Role::Criador).await;
    let agent = app.token(&author).await;
    for text in TEXTS {
        let demand = json!({
            "title": text, "channel": text, "description": text, "tipo": text,
            "assignee_id": author.id,
        });
        let created = lead.post("/api/demanda", demand).await.expect(200).body;
        let id = created["event_id"].as_str().expect("an id");
        let same = |event: &Value, place: &str| {
            for field in [
                "title",
                "channel",
                "description",
                "briefing",
                "editorial_tag",
            ] {
                assert_eq!(event[field], text, "{field} in {place}");
            }
        };
        same(&created["event"], "the answer");
        same(&lead.event(id).await, "the event");
        let listed = agent.call("list_my_tasks", json!({})).await.structured;
        let tasks = listed["tarefas"].as_array().expect("a list");
        let task = tasks
            .iter()
            .find(|task| task["id"] == id)
            .expect("the task");
        same(task, "the tasks");

        let marked = format!("{text}|");
        let draft = json!({ "event_id": id, "expected_revision": 1, "caption": marked });
        assert!(!agent.call("save_draft", draft).await.is_error);
        let sent = json!({ "event_id": id, "expected_revision": 2 });
        agent.post("/api/enviar", sent).await.expect(200);
        let refused = json!({ "event_id": id, "action": "recusar", "motivo": text });
        lead.post("/api/aprovar", refused).await.expect(200);
        let event = lead
            .get(&format!("/api/eventos/{id}"))
            .await
            .expect(200)
            .body;
        assert_eq!(event["historico"][0]["reason"], text);
        let change = &event["historico"][2]["changes"]["description"];
        assert_eq!(
            (&change["before"], &change["after"]),
            (&json!(text), &json!(marked))
        );
    }
}

#[tokio::test]
async fn half_of_a_surrogate_pair_is_not_json() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for title in [r"\ud83c", r"\udf89", r"\udf89\ud83c", r"\ud83cx", r"\u12"] {
        let body = format!(r#"{{"title":"{title}"}}"#);
        let answer = lead
            .send(axum::http::Method::POST, "/api/demanda", Some(body.into()))
            .await;
        assert_eq!(answer.fields(), ["corpo"], "{title}");
    }
    let body = r#"{"title":"\ud83c\udf89"}"#;
    let answer = lead
        .send(axum::http::Method::POST, "/api/demanda", Some(body.into()))
        .await;
    assert_eq!(answer.expect(200).body["event"]["title"], "🎉");
}
