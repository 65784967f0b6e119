//! Insights computed from the team's own history.

use domain::Role;
use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn publishing_times_come_from_the_history_if_it_is_long_enough() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let standard = lead.get("/api/insights/horarios").await.expect(200).body;
    assert_eq!(
        (&standard["fonte"], &standard["amostra"]),
        (&json!("padrao"), &json!(0))
    );
    let notice = standard["avisos"][0].as_str().expect("a notice");
    assert!(notice.contains("tabela geral"), "{notice}");
    let first = &standard["horarios"][0];
    assert_eq!(
        (&first["dia_semana"], &first["dia"]),
        (&json!(2), &json!("terça-feira"))
    );
    for day in 1..=20 {
        let hour = if day <= 12 { "09:30" } else { "18:00" };
        let channel = if day <= 12 { "instagram" } else { "Blog" };
        let demand = json!({
            "title": "x", "day": day, "month": 7, "year": 2026, "hour": hour, "channel": channel,
        });
        let id = lead.post("/api/demanda", demand).await.expect(200).body["event_id"].clone();
        let sent = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", sent).await.expect(200);
        lead.post(
            "/api/aprovar",
            json!({ "event_id": id, "action": "aprovar" }),
        )
        .await
        .expect(200);
        let path = format!("/api/eventos/{}", id.as_str().expect("an id"));
        let published = json!({ "expected_revision": 3, "status": "publicado" });
        lead.patch(&path, published).await.expect(200);
    }
    let known = lead.get("/api/insights/horarios").await.expect(200).body;
    assert_eq!(
        (&known["fonte"], &known["amostra"]),
        (&json!("historico"), &json!(20))
    );
    assert_eq!(known.get("avisos"), None);
    assert_eq!(known["horarios"][0]["hora"], 9);
    assert_eq!(known["horarios"][0]["pontuacao"], 1.0);
    let counted: u64 = known["horarios"]
        .as_array()
        .expect("times")
        .iter()
        .map(|time| time["publicacoes"].as_u64().expect("a count"))
        .sum();
    assert_eq!(counted, 20);
    // One channel, spelled in any case, has too few publications; an unknown channel has none.
    for (channel, published) in [("BLOG", 8), ("rádio", 0)] {
        let input = json!({ "channel": channel });
        let tool = lead.call_tool("get_publishing_time_insights", input).await;
        assert_eq!(tool.structured["amostra"], published);
        let notice = tool.structured["avisos"][0].as_str().expect("a notice");
        assert!(
            notice.contains(&format!("{published} peças em `{channel}`")),
            "{notice}"
        );
    }
}
