//! Who is reminded, and when.

use domain::time::{DAY, HOUR, MINUTE};
use serde_json::json;

use super::{Team, approve, dated, put, record, revision, write_piece};

#[tokio::test]
async fn the_responsible_person_who_may_publish_is_reminded_once_at_the_hour() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("Feira", &[&team.caio, &team.bia]).await;
    team.pass(hour - 10 * MINUTE).await;
    assert!(team.reminders(&team.bia).await.is_empty());
    team.pass(hour).await;
    let told = team.reminders(&team.bia).await;
    assert_eq!(told.len(), 1, "{told:?}");
    let text = told[0]["texto"].as_str().expect("a text");
    let date = domain::time::LocalDate::from_instant(hour);
    let expected = format!("É hora de publicar “Feira” à mão: WhatsApp, {date}.");
    assert_eq!(text, expected);
    let link = told[0]["link"].as_str().expect("a link");
    let path = format!("/eventos/{id}/canais/whatsapp/post/postar");
    assert!(link.ends_with(&path), "{link}");
    team.pass(hour + 2 * HOUR).await;
    team.pass(hour + DAY).await;
    team.pass(hour + 3 * DAY).await;
    assert_eq!(team.reminders(&team.bia).await.len(), 1);
    // Ana created the piece, so she is responsible too. A criador may not publish.
    assert_eq!(team.reminders(&team.ana).await.len(), 1);
    assert!(team.reminders(&team.caio).await.is_empty());
    assert!(team.reminders(&team.davi).await.is_empty());
    assert_eq!(team.app.count_rows("post_reminders").await, 1);
}

#[tokio::test]
async fn without_a_responsible_person_who_may_publish_all_who_may_are_reminded() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("Feira", &[&team.caio]).await;
    // The creator may no longer publish.
    let sql = "UPDATE members SET role = 'criador' WHERE id = $1";
    let ana = team.ana.id.as_str().to_owned();
    team.app.execute_statement(sql, [ana]).await;
    team.pass(hour).await;
    assert!(team.reminders(&team.ana).await.is_empty());
    assert_eq!(team.reminders(&team.bia).await.len(), 1);
    assert!(team.reminders(&team.caio).await.is_empty());
    let stranger = team.client(&team.davi).await;
    stranger
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(404);
    assert!(team.reminders(&team.davi).await.is_empty());
}

#[tokio::test]
async fn nobody_is_reminded_of_what_is_not_to_be_posted() {
    let team = Team::new().await;
    let hour = team.hour();
    let ana = team.client(&team.ana).await;
    let mut pieces = vec![];
    for title in [
        "reaberta",
        "mudada",
        "tirada",
        "postada",
        "arquivada",
        "publicada",
    ] {
        pieces.push(team.post(title, &[]).await);
    }
    let waiting = {
        let variant = dated(json!({ "canal": "whatsapp" }), hour);
        write_piece(&ana, "não aprovada", &[], &[variant]).await
    };
    let undated = write_piece(&ana, "sem hora", &[], &[json!({ "canal": "whatsapp" })]).await;
    approve(&ana, &undated).await;
    let [reopened, changed, removed, posted, archived, published] = &pieces[..] else {
        panic!("six pieces")
    };
    let reopen =
        json!({ "expected_revision": revision(&ana, reopened).await, "motivo": "Refazer" });
    let path = format!("/api/eventos/{reopened}/reabrir");
    ana.post(&path, reopen).await.expect(200);
    let other = dated(json!({ "canal": "whatsapp", "legenda": "Outra" }), hour);
    put(&ana, changed, &[other]).await.expect(200);
    let gone = json!({ "canal": "whatsapp", "remover": true });
    put(&ana, removed, &[gone]).await.expect(200);
    record(&ana, posted, "whatsapp", None).await.expect(200);
    for (piece, status) in [(archived, "arquivado"), (published, "publicado")] {
        let input = json!({ "expected_revision": revision(&ana, piece).await, "status": status });
        let path = format!("/api/eventos/{piece}");
        ana.patch(&path, input).await.expect(200);
    }
    team.pass(hour).await;
    let told = team.reminders(&team.ana).await;
    assert!(told.is_empty(), "{told:?}");
    // A changed post that is approved after its hour is told then.
    let ana = team.client(&team.ana).await;
    let decision =
        json!({ "expected_revision": revision(&ana, changed).await, "action": "aprovar" });
    let path = format!("/api/eventos/{changed}/variantes/decisao");
    ana.post(&path, decision).await.expect(200);
    approve(&ana, &waiting).await;
    team.pass(hour + HOUR).await;
    let told = team.reminders(&team.ana).await;
    let titles: Vec<_> = told.iter().map(|one| one["titulo"].as_str()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(titles.contains(&Some("mudada")) && titles.contains(&Some("não aprovada")));
}

#[tokio::test]
async fn another_hour_is_another_reminder_and_the_same_hour_is_not() {
    let team = Team::new().await;
    let first = team.hour();
    let id = team.post("Feira", &[]).await;
    let write = async |at: i64, remove: bool| {
        let ana = team.client(&team.ana).await;
        if remove {
            let gone = json!({ "canal": "whatsapp", "remover": true });
            put(&ana, &id, &[gone]).await.expect(200);
        }
        let variant = dated(json!({ "canal": "whatsapp" }), at);
        put(&ana, &id, &[variant]).await.expect(200);
        let decision =
            json!({ "expected_revision": revision(&ana, &id).await, "action": "aprovar" });
        let path = format!("/api/eventos/{id}/variantes/decisao");
        ana.post(&path, decision).await.expect(200);
    };
    // Moved before its hour: nothing is told at the earlier one.
    let moved = first + 2 * HOUR;
    write(moved, false).await;
    team.pass(first).await;
    assert!(team.reminders(&team.ana).await.is_empty());
    team.pass(moved).await;
    assert_eq!(team.reminders(&team.ana).await.len(), 1);
    // Removed and stated again with the same hour.
    write(moved, true).await;
    team.pass(moved + HOUR).await;
    assert_eq!(team.reminders(&team.ana).await.len(), 1);
    write(moved + 4 * HOUR, false).await;
    team.pass(moved + 4 * HOUR).await;
    assert_eq!(team.reminders(&team.ana).await.len(), 2);
    // The earlier hour may be told again: its reminder ended unread when the post was moved.
    assert_eq!(team.app.count_rows("post_reminders").await, 1);
}

#[tokio::test]
async fn the_hour_of_the_piece_counts_and_one_of_the_day_before_does_not() {
    let team = Team::new().await;
    let hour = team.hour();
    let ana = team.client(&team.ana).await;
    let id = write_piece(&ana, "Feira", &[], &[json!({ "canal": "threads" })]).await;
    let date = domain::time::LocalDate::from_instant(hour);
    let input = json!({ "expected_revision": revision(&ana, &id).await, "day": date.day,
        "month": date.month, "year": date.year, "hour": date.hour });
    ana.patch(&format!("/api/eventos/{id}"), input)
        .await
        .expect(200);
    approve(&ana, &id).await;
    let late = write_piece(
        &ana,
        "Tarde",
        &[],
        &[dated(json!({ "canal": "threads" }), hour)],
    )
    .await;
    team.pass(hour).await;
    let told = team.reminders(&team.ana).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["titulo"], "Feira");
    team.app.advance_clock(DAY);
    let ana = team.client(&team.ana).await;
    approve(&ana, &late).await;
    team.pass(hour + DAY + HOUR).await;
    assert_eq!(team.reminders(&team.ana).await.len(), 1);
    let ana = team.app.browser_client(&team.ana).await;
    let page = ana.get(&format!("/eventos/{late}")).await.expect(200);
    assert!(page.text.contains("atrasada"));
}

#[tokio::test]
async fn two_channels_at_one_hour_are_two_reminders() {
    let team = Team::new().await;
    let hour = team.hour();
    let ana = team.client(&team.ana).await;
    let channels = ["whatsapp", "bluesky"].map(|key| dated(json!({ "canal": key }), hour));
    let id = write_piece(&ana, "Feira", &[], &channels).await;
    approve(&ana, &id).await;
    team.pass(hour).await;
    let told = team.reminders(&team.ana).await;
    assert_eq!(told.len(), 2, "{told:?}");
    // The reminder of what was posted meanwhile is no longer unread.
    let ana = team.client(&team.ana).await;
    record(&ana, &id, "whatsapp", None).await.expect(200);
    let told = team.reminders(&team.ana).await;
    let read = |channel: &str| {
        let mut told = told.iter();
        let one = told.find(|one| {
            one["texto"]
                .as_str()
                .is_some_and(|text| text.contains(channel))
        });
        one.expect("a reminder")["lida"].clone()
    };
    assert_eq!(
        (read("WhatsApp"), read("Bluesky")),
        (json!(true), json!(false))
    );
}

#[tokio::test]
async fn who_turned_reminders_off_gets_none() {
    let team = Team::new().await;
    let hour = team.hour();
    team.post("Feira", &[]).await;
    let ana = team.client(&team.ana).await;
    let path = "/api/notificacoes/preferencias";
    let read = ana.get(path).await.expect(200).body;
    assert!(read["ligados"].to_string().contains("lembrete"));
    let others = read["ligados"].as_array().expect("a list").iter();
    let others: Vec<_> = others.filter(|kind| **kind != "lembrete").collect();
    let input = json!({ "expected_revision": read["revision"], "ligados": others });
    ana.put(path, input).await.expect(200);
    team.pass(hour).await;
    assert!(team.reminders(&team.ana).await.is_empty());
    // A criador has no such choice.
    let caio = team.client(&team.caio).await;
    let read = caio.get(path).await.expect(200).text;
    assert!(!read.contains("lembrete"), "{read}");
}
