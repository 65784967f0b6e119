//! The approval of variants: together with their piece, and separately after a change.

use serde_json::{Value, json};

use super::{Team, decide_variants, list_approvals, load_piece, put_variants, submit_piece};

#[tokio::test]
async fn an_approval_does_not_announce_posts_of_a_network_without_account() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([
        { "canal": "linkedin", "publicacao": "automatica",
          "day": 21, "month": 8, "year": 2027, "hour": "09:00" },
        { "canal": "threads" },
    ]);
    put_variants(&team.writer, &id, 2, stated).await.expect(200);
    submit_piece(&team.writer, &id, 3).await.expect(200);
    let decision = json!({ "event_id": id, "action": "aprovar", "expected_revision": 4 });
    let decided = team.lead.post("/api/aprovar", decision).await.expect(200);
    assert_eq!(
        load_piece(&team.lead, &id).await["evento"]["status"],
        "aprovado"
    );
    assert_eq!(decided.body["avisos"], Value::Null);
}

#[tokio::test]
async fn an_approval_approves_all_variants_and_a_changed_variant_needs_another() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([{ "canal": "linkedin" }, { "canal": "threads" }]);
    put_variants(&team.writer, &id, 2, stated).await.expect(200);
    assert_eq!(
        list_approvals(&team.lead, &id).await,
        [("linkedin".into(), false), ("threads".into(), false)]
    );
    team.approve(&id, 3).await;
    assert_eq!(
        list_approvals(&team.lead, &id).await,
        [("linkedin".into(), true), ("threads".into(), true)]
    );

    let change = json!([{ "canal": "threads", "legenda": "Outra" }]);
    let answer = put_variants(&team.writer, &id, 5, change)
        .await
        .expect(200)
        .body;
    assert_eq!(answer["esperam"], json!([answer["variantes"][1]["id"]]));
    assert_eq!(
        load_piece(&team.lead, &id).await["evento"]["status"],
        "aprovado"
    );
    assert_eq!(
        list_approvals(&team.lead, &id).await,
        [("linkedin".into(), true), ("threads".into(), false)]
    );

    // A member without the permission cannot approve, and an approval of a stale revision is refused.
    decide_variants(&team.writer, &id, 6, json!({ "action": "aprovar" }))
        .await
        .expect(403);
    decide_variants(&team.lead, &id, 5, json!({ "action": "aprovar" }))
        .await
        .expect(409);
    let refused = json!({ "action": "recusar", "motivo": "Curta demais" });
    decide_variants(&team.lead, &id, 6, refused)
        .await
        .expect(200);
    assert_eq!(
        list_approvals(&team.lead, &id).await[1],
        ("threads".into(), false)
    );
    assert_eq!(
        load_piece(&team.lead, &id).await["historico"][0]["reason"],
        "Curta demais"
    );
    // A refused variant no longer waits. An approval of all waiting variants skips it; an approval with
    // its id approves it.
    let all = decide_variants(&team.lead, &id, 7, json!({ "action": "aprovar" })).await;
    assert_eq!(all.expect(200).body["api_revision"], 7);
    let refused = load_piece(&team.lead, &id).await["variantes"][1]["id"].clone();
    let by_name = json!({ "action": "aprovar", "variantes": [refused] });
    let decided = decide_variants(&team.lead, &id, 7, by_name)
        .await
        .expect(200)
        .body;
    assert_eq!(decided["api_revision"], 8);
    assert_eq!(
        list_approvals(&team.lead, &id).await,
        [("linkedin".into(), true), ("threads".into(), true)]
    );
    // No variant waits, so another approval changes nothing.
    let again = decide_variants(&team.lead, &id, 8, json!({ "action": "aprovar" }))
        .await
        .expect(200)
        .body;
    assert_eq!(again["api_revision"], 8);
}

#[tokio::test]
async fn a_reopened_piece_loses_the_approval_of_its_variants() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    put_variants(&team.writer, &id, 2, json!([{ "canal": "linkedin" }]))
        .await
        .expect(200);
    team.approve(&id, 3).await;
    let reopen = json!({ "expected_revision": 5, "motivo": "Refazer" });
    team.lead
        .post(&format!("/api/eventos/{id}/reabrir"), reopen)
        .await
        .expect(200);
    assert_eq!(
        list_approvals(&team.lead, &id).await,
        [("linkedin".into(), false)]
    );
    decide_variants(&team.lead, &id, 6, json!({ "action": "aprovar" }))
        .await
        .expect(409);
}

#[tokio::test]
async fn variants_of_a_piece_in_approval_do_not_change() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    super::submit_piece(&team.writer, &id, 2).await.expect(200);
    let refused = put_variants(&team.writer, &id, 3, json!([{ "canal": "linkedin" }]))
        .await
        .expect(409);
    assert_eq!(refused.body["code"], "EVENT_NOT_EDITABLE");
}

#[tokio::test]
async fn variants_of_other_pieces_are_not_decided() {
    let team = Team::new().await;
    let [one, other] = [
        team.create_piece("Uma").await,
        team.create_piece("Outra").await,
    ];
    for id in [&one, &other] {
        team.approve(id, 2).await;
        put_variants(&team.writer, id, 4, json!([{ "canal": "linkedin" }]))
            .await
            .expect(200);
    }
    let foreign = load_piece(&team.lead, &other).await["variantes"][0]["id"].clone();
    let input = json!({ "action": "aprovar", "variantes": [foreign] });
    decide_variants(&team.lead, &one, 5, input)
        .await
        .expect(400);
    assert_eq!(
        list_approvals(&team.lead, &other).await,
        [("linkedin".into(), false)]
    );
}

#[tokio::test]
async fn the_deciders_of_the_last_stage_decide_changed_variants() {
    let team = Team::new().await;
    let admin = team.app.add_member(domain::Role::Admin).await;
    let admin = team.app.session_client(&admin).await;
    let other = team.app.add_member(domain::Role::Lider).await;
    let other = team.app.session_client(&other).await;
    let stages = json!([{ "nome": "Direção", "membros": [team.lead_id] }]);
    let value = json!({ "regras": [{ "nome": "Tudo", "etapas": stages }] });
    let version = json!({ "key": "aprovacao", "value": value });
    admin.post("/api/config", version).await.expect(200);
    let id = team.create_piece("Pão quente").await;
    team.approve(&id, 2).await;
    put_variants(&team.writer, &id, 4, json!([{ "canal": "linkedin" }]))
        .await
        .expect(200);
    let refused = decide_variants(&other, &id, 5, json!({ "action": "aprovar" }))
        .await
        .expect(403);
    assert_eq!(refused.body["code"], "NOT_YOUR_STAGE");
    decide_variants(&team.lead, &id, 5, json!({ "action": "aprovar" }))
        .await
        .expect(200);
}

#[tokio::test]
async fn the_deciders_are_notified_of_changed_variants_and_the_owner_of_the_decision() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    team.approve(&id, 2).await;
    put_variants(&team.writer, &id, 4, json!([{ "canal": "linkedin" }]))
        .await
        .expect(200);
    team.run_jobs_soon().await;
    let kinds = |list: serde_json::Value| -> Vec<String> {
        let rows = list["avisos"]
            .as_array()
            .or(list["notificacoes"].as_array())
            .cloned();
        let rows = rows.expect("notifications").into_iter();
        rows.map(|row| row["tipo"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let told = team.lead.get("/api/notificacoes").await.expect(200).body;
    assert!(kinds(told).contains(&"decisao".to_owned()));
    decide_variants(&team.lead, &id, 5, json!({ "action": "aprovar" }))
        .await
        .expect(200);
    team.run_jobs_soon().await;
    let told = team.writer.get("/api/notificacoes").await.expect(200).body;
    assert!(kinds(told).contains(&"decidida".to_owned()));
}

#[tokio::test]
async fn nobody_approves_a_variant_that_they_changed_themselves() {
    let team = Team::new().await;
    let admin = team.app.add_member(domain::Role::Admin).await;
    let admin = team.app.session_client(&admin).await;
    let other = team.app.add_member(domain::Role::Lider).await;
    let other = team.app.session_client(&other).await;
    let stages = json!([{ "nome": "Direção", "papel": "lider" }]);
    let rules = json!({ "sem_autoaprovacao": true,
        "regras": [{ "nome": "Tudo", "etapas": stages }] });
    let version = json!({ "key": "aprovacao", "value": rules });
    admin.post("/api/config", version).await.expect(200);
    // The admin creates the piece for the criador, the criador writes the variant, and a lead changes
    // it.
    let fields = json!({ "assignee_id": team.writer_member.id, "channel": "instagram" });
    let id = admin.create_demand(fields).await;
    put_variants(&team.writer, &id, 1, json!([{ "canal": "linkedin" }]))
        .await
        .expect(200);
    team.approve(&id, 2).await;
    let change = json!([{ "canal": "linkedin", "legenda": "Outra" }]);
    put_variants(&team.lead, &id, 4, change).await.expect(200);
    let approve = json!({ "action": "aprovar" });
    let refused = decide_variants(&team.lead, &id, 5, approve.clone())
        .await
        .expect(403);
    assert_eq!(refused.body["code"], "OWN_PIECE");
    decide_variants(&other, &id, 5, approve).await.expect(200);
}

#[tokio::test]
async fn a_refusal_withdraws_the_approval_of_the_given_variant() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    put_variants(&team.writer, &id, 2, json!([{ "canal": "linkedin" }]))
        .await
        .expect(200);
    team.approve(&id, 3).await;
    let variant = load_piece(&team.lead, &id).await["variantes"][0]["id"].clone();
    let refuse = json!({ "action": "recusar", "variantes": [variant] });
    decide_variants(&team.lead, &id, 5, refuse)
        .await
        .expect(200);
    assert_eq!(
        list_approvals(&team.lead, &id).await,
        [("linkedin".into(), false)]
    );
}
