//! The setting `aprovacao`: which values are refused, and to which pieces a rule applies.

use serde_json::{Value, json};

use super::{Fixture, load_approval, publish};

fn field_faults(body: &Value) -> Vec<(String, String)> {
    let faults = body["details"]["fields"].as_array().expect("faults").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    faults
        .map(|fault| (text(&fault["field"]), text(&fault["rule"])))
        .collect()
}

#[tokio::test]
async fn every_fault_of_a_value_is_reported_with_its_field_over_both_interfaces() {
    let team = Fixture::new().await;
    team.remove_member(&team.bia_id).await;
    let unknown = "0198c0de-0000-7000-8000-000000000000";
    let value = json!({
        "agendar_ao_aprovar": true,
        "regras": [
            {
                "nome": "Blog",
                "projetos": [unknown],
                "etapas": [
                    { "nome": "Sem ninguém" },
                    { "nome": "Quem não aprova", "membros": [team.caio_id, team.ana_id] },
                    { "nome": "Quem saiu", "membros": [team.bia_id, unknown, "x"] },
                    { "nome": "Avisa quem não vê", "papel": "lider", "prazo_horas_uteis": 1,
                      "avisar": [team.caio_id], "ao_vencer": "escalar" },
                    { "nome": "Papel", "papel": "criador", "exige": "dois" },
                ],
            },
            { "nome": "Sem etapas" },
        ],
    });
    let stage = |field: &str| format!("value.regras.0.etapas.{field}");
    let expected = [
        (
            "value.agendar_ao_aprovar".to_owned(),
            "additionalProperties",
        ),
        (stage("0"), "required"),
        (stage("4.papel"), "enum"),
        (stage("4.exige"), "enum"),
        ("value.regras.1.etapas".into(), "required"),
        ("value.regras.0.projetos.0".into(), "exists"),
        (stage("1.membros.0"), "capability"),
        (stage("2.membros.0"), "exists"),
        (stage("2.membros.1"), "exists"),
        (stage("2.membros.2"), "exists"),
        (stage("3.avisar.0"), "capability"),
    ];
    let expected = expected.map(|(field, rule)| (field, rule.to_owned()));
    let answer = publish(&team.admin, value.clone()).await;
    let answer = answer.expect_refusal(400, "INVALID_INPUT").body;
    assert_eq!(field_faults(&answer), expected);
    let tool = team
        .admin
        .call_tool(
            "publish_config_version",
            json!({ "key": "aprovacao", "value": value }),
        )
        .await;
    assert!(tool.is_error);
    // The text of a tool result names the first five faults.
    for (field, _) in &expected[..5] {
        assert!(tool.text.contains(field), "{field}: {}", tool.text);
    }
    assert_eq!(team.app.count_rows("config_log").await, 0);
}

#[tokio::test]
async fn only_members_who_may_configure_the_team_set_the_rules() {
    let team = Fixture::new().await;
    publish(&team.ana, json!({}))
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    publish(&team.caio, json!({}))
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
}

#[tokio::test]
async fn the_first_rule_that_matches_channel_and_type_applies() {
    let team = Fixture::new().await;
    let rule = |name: &str, match_on: Value| {
        let mut rule =
            json!({ "nome": name, "etapas": [{ "nome": name, "membros": [team.ana_id] }] });
        let fields = match_on.as_object().expect("an object").clone();
        rule.as_object_mut().expect("an object").extend(fields);
        rule
    };
    team.configure(json!({ "regras": [
        rule("receita no blog", json!({ "canais": ["Blog"], "tipos": ["RECEITA"] })),
        rule("vídeos", json!({ "canais": ["tiktok", "youtube"] })),
        rule("notícias", json!({ "tipos": ["notícia"] })),
    ]}))
    .await;
    for (channel, tag, stage) in [
        ("blog", Some("receita"), json!("receita no blog")),
        ("blog", Some("nota"), Value::Null),
        ("YouTube", None, json!("vídeos")),
        ("instagram", Some("noticia"), json!("notícias")),
        ("instagram", None, Value::Null),
    ] {
        let mut fields = json!({ "channel": channel });
        if let Some(tag) = tag {
            fields["tipo"] = tag.into();
        }
        let id = team.submit(fields).await;
        let approval = load_approval(&team.ana, &id).await;
        assert_eq!(approval["etapa"], stage, "{channel} {tag:?}");
    }
}

#[tokio::test]
async fn a_rule_of_a_project_applies_to_the_pieces_linked_to_it() {
    let team = Fixture::new().await;
    let created = team
        .ana
        .post("/api/projects", json!({ "name": "Natal" }))
        .await;
    let project = created.expect(201).body["project"].clone();
    let project = project["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/projects/{project}/operations");
    let mut revision = 1;
    let mut apply = async |kind: &str, payload: Value| {
        let body = json!({ "type": kind, "payload": payload, "expected_revision": revision });
        revision += 1;
        team.ana.post(&path, body).await.expect(200).body["changed"].clone()
    };
    let section = apply("section.add", json!({ "title": "Posts" })).await["section"]["id"].clone();
    let item = json!({ "section_id": section, "title": "Primeiro" });
    let item = apply("item.add", item).await["item"]["id"].clone();
    let fields = json!({ "assignee_id": team.caio_id });
    let linked = team.admin.create_demand(fields).await;
    let mentioned = team.submit_piece().await;
    let link = json!({ "item_id": item, "event_id": linked });
    apply("item.link_event", link).await;
    let note = json!({ "item_id": item, "notes": format!("veja \"{mentioned}\"") });
    apply("item.update", note).await;
    team.configure(json!({ "regras": [
        { "nome": "Natal", "projetos": [project], "etapas": [{ "nome": "Cliente", "papel": "lider" }] },
    ]}))
    .await;
    team.resubmit(&linked, 1).await;
    assert_eq!(load_approval(&team.ana, &linked).await["etapa"], "Cliente");
    let withdraw = json!({ "expected_revision": 2 });
    let path = format!("/api/eventos/{mentioned}/reabrir");
    team.caio.post(&path, withdraw).await.expect(200);
    team.resubmit(&mentioned, 3).await;
    assert_eq!(load_approval(&team.ana, &mentioned).await, Value::Null);
}

#[tokio::test]
async fn without_a_matching_rule_a_piece_has_no_stages_and_any_approver_decides() {
    let team = Fixture::new().await;
    for value in [Value::Null, json!({ "regras": [] })] {
        team.configure(value).await;
        let id = team.submit_piece().await;
        let event = team.ana.load_event(&id).await;
        assert_eq!(event.get("aprovacao"), None);
        assert_eq!(team.app.count_rows("approvals").await, 0);
        let decided = super::approve(&team.ana, &id, 2).await.expect(200).body;
        assert_eq!(decided["status"], "aprovado");
        assert_eq!(decided.get("aprovacao"), None);
    }
}

#[tokio::test]
async fn a_value_stored_before_rules_existed_is_ignored() {
    let team = Fixture::new().await;
    team.configure(json!({})).await;
    let sql = "UPDATE config_entries SET value = '\"livre\"' WHERE key = 'aprovacao'";
    team.app.execute_statement(sql, []).await;
    let id = team.submit_piece().await;
    assert_eq!(load_approval(&team.ana, &id).await, Value::Null);
}
