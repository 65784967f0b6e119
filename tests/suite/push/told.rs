//! The content and the time of messages to devices.

use domain::time::{DAY, HOUR, MINUTE, SECOND, parse_instant};
use serde_json::json;

use super::{DEVICES, Fixture, SETTINGS};
use crate::reminders::{approve, dated, write_piece};

#[tokio::test]
async fn a_device_gets_its_message_at_once_and_only_its_browser_can_decrypt_it() {
    let (team, browser) = Fixture::with_device().await;
    let id = team.assign("Feira").await;
    team.make_and_send_notifications().await;
    let received = team.push.take_one();
    let told = received.open(&browser);
    assert_eq!(told["titulo"], "Pauta");
    let text = told["texto"].as_str().expect("a text");
    assert!(text.contains("atribuiu “Feira” a você."), "{text}");
    let path = told["caminho"].as_str().expect("a path");
    assert!(path.starts_with("/notificacoes/abrir?id="), "{path}");
    assert!(
        path.ends_with(&format!("&para=%2Feventos%2F{}", id.replace('-', "%2D"))),
        "{path}"
    );
    assert_eq!(told["etiqueta"], received.header("topic"));
    assert_eq!(told.as_object().expect("an object").len(), 4);
    assert_eq!(received.header("content-encoding"), "aes128gcm");
    assert_eq!(received.header("urgency"), "high");
    assert_eq!(received.header("topic").len(), 32);
    let ttl: i64 = received.header("ttl").parse().expect("a number");
    assert!((1..=DAY / SECOND).contains(&ttl), "{ttl}");
    assert!(received.body.len() <= 4_096);
    let key = team.caio.get(DEVICES).await.expect(200).body["chave"].clone();
    let claims = received.verify(key.as_str().expect("a key"));
    assert_eq!(claims["aud"], team.push.origin.as_str());
    assert_eq!(claims["sub"], "mailto:ti@pauta.test");
    let left = claims["exp"].as_i64().expect("a time") - team.app.now() / SECOND;
    assert!((1..=DAY / SECOND).contains(&left), "{left}");
    team.pass_time(HOUR).await;
    assert_eq!(team.push.take().len(), 0);
    let device = &team
        .list_devices(&team.app.session_client(team.caio()).await)
        .await[0];
    assert!(device["ultimo_aviso_em"].is_string(), "{device}");
}

#[tokio::test]
async fn a_message_about_a_remark_does_not_contain_its_text() {
    let (team, browser) = Fixture::with_device().await;
    let id = team.assign("Feira").await;
    team.make_and_send_notifications().await;
    team.push.take();
    let remark = json!({ "texto": "A senha é rapadura", "mencoes": [team.caio().id] });
    let path = format!("/api/eventos/{id}/comentarios");
    let admin = team.app.session_client(&team.members[0]).await;
    admin.post(&path, remark).await.expect(200);
    team.make_and_send_notifications().await;
    let received = team.push.take_one();
    let told = received.open(&browser).to_string();
    assert!(told.contains("mencionou você em “Feira”"), "{told}");
    assert!(!told.contains("rapadura"), "{told}");
}

#[tokio::test]
async fn devices_get_only_the_kinds_that_the_member_wants_there() {
    let (team, _) = Fixture::with_device().await;
    let by_push = async || {
        let caio = team.app.session_client(team.caio()).await;
        caio.get(SETTINGS).await.expect(200).body["por_push"].clone()
    };
    let before = by_push().await;
    assert!(before.to_string().contains("atribuicao") && !before.to_string().contains("publicada"));
    team.change_settings(json!({ "por_push": ["mencao"] }))
        .await;
    // A change without `por_push` keeps the stored kinds.
    team.change_settings(json!({})).await;
    assert_eq!(by_push().await, json!(["mencao"]));
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    team.pass_time(HOUR).await;
    assert_eq!(team.push.take().len(), 0);
    team.change_settings(json!({ "por_push": ["atribuicao"] }))
        .await;
    team.assign("Missa").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 1);
    // A kind that is switched off (not in `ligados`) is not sent to devices either.
    team.change_settings(json!({ "ligados": [] })).await;
    assert_eq!(by_push().await, json!([]));
    team.assign("Bolo").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 0);
}

#[tokio::test]
async fn quiet_hours_delay_a_message_but_a_digest_does_not() {
    let team = Fixture::new().await;
    let night = parse_instant("2036-08-22T22:30:00-03:00").expect("an instant");
    team.app.advance_clock(night - team.app.now());
    let caio = team.app.session_client(team.caio()).await;
    let browser = team.push.open_browser();
    team.register(&caio, &browser).await;
    team.change_settings(json!({ "silencio_de": 22, "silencio_ate": 7, "resumo": 9 }))
        .await;
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    team.pass_time(8 * HOUR).await;
    assert_eq!(team.push.take().len(), 0);
    team.pass_time(31 * MINUTE).await;
    let told = team.push.take_one().open(&browser);
    assert!(told["texto"].to_string().contains("Feira"));
}

#[tokio::test]
async fn a_reminder_is_pushed_on_time_even_in_quiet_hours() {
    let team = Fixture::new().await;
    let night = parse_instant("2036-08-22T22:30:00-03:00").expect("an instant");
    team.app.advance_clock(night - HOUR - team.app.now());
    let lead = team.app.add_member(domain::Role::Lider).await;
    let client = team.app.session_client(&lead).await;
    let browser = team.push.open_browser();
    team.register(&client, &browser).await;
    let read = client.get(SETTINGS).await.expect(200).body;
    let quiet = json!({ "expected_revision": read["revision"], "ligados": read["ligados"],
        "silencio_de": 21, "silencio_ate": 7, "resumo": 9 });
    client.put(SETTINGS, quiet).await.expect(200);
    let variant = dated(json!({ "canal": "whatsapp" }), night);
    let id = write_piece(&client, "Feira", &[&lead], &[variant]).await;
    approve(&client, &id).await;
    // A notification of another kind waits until the end of the quiet hours.
    let admin = team.app.session_client(&team.members[0]).await;
    let other = json!({ "title": "Missa", "assignee_id": lead.id });
    admin.create_demand(other).await;
    team.pass_time(HOUR - 2 * MINUTE).await;
    assert_eq!(team.push.take().len(), 0);
    team.pass_time(4 * MINUTE).await;
    let received = team.push.take_one();
    assert_eq!(received.header("urgency"), "high");
    let told = received.open(&browser);
    let text = told["texto"].as_str().expect("a text");
    assert!(text.contains("É hora de publicar “Feira”"), "{text}");
    let path = told["caminho"].as_str().expect("a path");
    assert!(path.contains("%2Fpostar"), "{path}");
    team.pass_time(8 * HOUR).await;
    assert_eq!(team.push.take().len(), 0);
    team.pass_time(HOUR).await;
    let told = team.push.take_one().open(&browser);
    assert!(told["texto"].to_string().contains("Missa"), "{told}");
}

#[tokio::test]
async fn a_repeated_reminder_ignores_quiet_hours_and_is_dropped_after_the_post() {
    let team = Fixture::new().await;
    let night = parse_instant("2036-08-22T22:30:00-03:00").expect("an instant");
    team.app.advance_clock(night - HOUR - team.app.now());
    let lead = team.app.add_member(domain::Role::Lider).await;
    let client = team.app.session_client(&lead).await;
    let browser = team.push.open_browser();
    team.register(&client, &browser).await;
    let read = client.get(SETTINGS).await.expect(200).body;
    let quiet = json!({ "expected_revision": read["revision"], "ligados": read["ligados"],
        "silencio_de": 22, "silencio_ate": 7 });
    client.put(SETTINGS, quiet).await.expect(200);
    let mut ids = vec![];
    for title in ["Feira", "Missa"] {
        let variant = dated(json!({ "canal": "whatsapp" }), night);
        let id = write_piece(&client, title, &[&lead], &[variant]).await;
        approve(&client, &id).await;
        ids.push(id);
    }
    team.push.answer(503);
    team.pass_time(HOUR + 2 * MINUTE).await;
    assert!(team.push.take().len() >= 2);
    // One of the two pieces is posted before the retry: its message is dropped, and the message of the
    // other piece is sent.
    let client = team.app.session_client(&lead).await;
    let variant = client
        .get(&format!("/api/eventos/{}", ids[0]))
        .await
        .expect(200);
    let input = json!({
        "expected_revision": variant.body["evento"]["api_revision"],
        "variant_id": variant.body["variantes"][0]["id"],
    });
    let path = format!("/api/eventos/{}/post", ids[0]);
    client.post(&path, input).await.expect(200);
    team.push.answer(201);
    team.pass_time(HOUR).await;
    let told = team.push.take_one().open(&browser);
    assert!(told["texto"].to_string().contains("Missa"), "{told}");
    let mut states = team.message_states().await;
    states.sort();
    assert_eq!(states, ["descartado", "enviado"]);
}

#[tokio::test]
async fn messages_about_hidden_pieces_or_read_notifications_are_dropped() {
    let (team, _) = Fixture::with_device().await;
    let night = parse_instant("2036-08-22T22:30:00-03:00").expect("an instant");
    team.app.advance_clock(night - team.app.now());
    team.change_settings(json!({ "silencio_de": 22, "silencio_ate": 7 }))
        .await;
    let hidden = team.assign("Segredo da feira").await;
    team.assign("Missa").await;
    team.make_and_send_notifications().await;
    team.unassign(&hidden).await;
    let caio = team.app.session_client(team.caio()).await;
    let told = caio.get("/api/notificacoes").await.expect(200).body;
    let told = told["notificacoes"].as_array().expect("a list").clone();
    let read = told.iter().find(|one| one["titulo"] == "Missa");
    let ids = json!({ "ids": [read.expect("it")["id"]] });
    caio.post("/api/notificacoes/lidas", ids).await.expect(200);
    team.pass_time(10 * HOUR).await;
    assert_eq!(team.push.take().len(), 0);
    let states = team.message_states().await;
    assert!(
        states.iter().all(|state| state == "descartado"),
        "{states:?}"
    );
}

#[tokio::test]
async fn a_repeated_message_about_a_hidden_piece_is_dropped() {
    let (team, _) = Fixture::with_device().await;
    team.push.answer(503);
    let id = team.assign("Segredo da feira").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 1);
    team.unassign(&id).await;
    team.push.answer(201);
    team.pass_time(HOUR).await;
    assert_eq!(team.push.take().len(), 0);
    assert_eq!(team.message_states().await, ["descartado"]);
}

#[tokio::test]
async fn simultaneous_notifications_are_one_message_and_later_changes_a_second_one() {
    let (team, browser) = Fixture::with_device().await;
    for number in 0..4 {
        team.assign(&format!("Peça {number}")).await;
    }
    team.make_and_send_notifications().await;
    let told = team.push.take_one().open(&browser);
    assert_eq!(told["texto"], "4 avisos novos.");
    assert_eq!(told["caminho"], "/notificacoes");
    team.pass_time(15 * MINUTE).await;
    assert_eq!(team.push.take().len(), 0);

    let id = team.assign("Feira").await;
    team.make_and_send_notifications().await;
    let first = team.push.take_one();
    let admin = team.app.session_client(&team.members[0]).await;
    let path = format!("/api/eventos/{id}");
    for (revision, people) in [
        (1, json!([])),
        (2, json!([team.caio().id])),
        (3, json!([])),
        (4, json!([team.caio().id])),
    ] {
        let input = json!({ "expected_revision": revision, "assignee_ids": people });
        admin.patch(&path, input).await.expect(200);
        team.make_and_send_notifications().await;
    }
    assert_eq!(team.push.take().len(), 0);
    team.pass_time(11 * MINUTE).await;
    let second = team.push.take_one();
    assert_eq!(first.header("topic"), second.header("topic"));
    assert!(second.open(&browser)["texto"].to_string().contains("Feira"));
}
