//! Writing variants. The next write accepts the fields in the form in which a read returns them.

use domain::{Level, Role};
use serde_json::{Value, json};

use super::{Team, load_piece, put_variants};
use crate::support::Answer;

#[tokio::test]
async fn missing_fields_of_a_variant_come_from_the_piece() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([
        { "canal": "LinkedIn ", "legenda": "Leia: {link}", "link": "https://exemplo.com/pao",
          "day": 21, "month": 9, "hour": "08:30", "publicacao": "automatica" },
        { "canal": "threads" },
    ]);
    let answer = put_variants(&team.writer, &id, 2, stated)
        .await
        .expect(200)
        .body;
    assert_eq!(answer["api_revision"], 3);
    let read = load_piece(&team.writer, &id).await;
    assert_eq!(read["variantes"], answer["variantes"]);
    let [linkedin, threads] = read["variantes"].as_array().expect("two").as_slice() else {
        panic!("two variants");
    };
    assert_eq!(linkedin["canal"], "linkedin");
    assert_eq!(linkedin["formato"], "post");
    assert_eq!(linkedin["publicacao"], "automatica");
    assert_eq!(linkedin["due_at"], "2026-09-21T11:30:00.000Z");
    let link = linkedin["link_final"].as_str().expect("a link");
    assert!(
        link.contains("utm_source=linkedin&utm_medium=social"),
        "{link}"
    );
    assert!(link.contains(&format!("utm_content=post-{id}")), "{link}");
    assert_eq!(threads["legenda"], Value::Null);
    assert_eq!(threads["due_at"], read["evento"]["due_at"]);
    assert_eq!(threads["aprovada"], false);
    let changes = &read["historico"][0]["changes"]["variantes"];
    assert_eq!(changes["before"], json!([]));
    assert_eq!(changes["after"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_variant_is_replaced_as_a_whole_and_the_others_stay() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([{ "canal": "linkedin", "legenda": "Uma" }, { "canal": "threads" }]);
    put_variants(&team.writer, &id, 2, stated).await.expect(200);
    let stated = json!([{ "canal": "linkedin", "primeiro_comentario": "Oi" }]);
    let answer = put_variants(&team.writer, &id, 3, stated.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(answer["variantes"][0]["legenda"], Value::Null);
    assert_eq!(answer["variantes"][0]["primeiro_comentario"], "Oi");
    assert_eq!(answer["variantes"][0]["revisao"], 2);
    assert_eq!(answer["variantes"][1]["revisao"], 1);
    // Writing the same content again changes nothing.
    let answer = put_variants(&team.writer, &id, 4, stated)
        .await
        .expect(200)
        .body;
    assert_eq!(answer["api_revision"], 4);
    let removed = json!([{ "canal": "linkedin", "remover": true }]);
    let answer = put_variants(&team.writer, &id, 4, removed.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(answer["variantes"].as_array().map(Vec::len), Some(1));
    put_variants(&team.writer, &id, 5, removed)
        .await
        .expect(400);
}

#[tokio::test]
async fn one_channel_has_a_variant_for_each_format() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([
        { "canal": "instagram" },
        { "canal": "instagram", "formato": "story" },
    ]);
    let answer = put_variants(&team.writer, &id, 2, stated)
        .await
        .expect(200)
        .body;
    let formats: Vec<&Value> = answer["variantes"]
        .as_array()
        .expect("two")
        .iter()
        .map(|variant| &variant["formato"])
        .collect();
    assert_eq!(formats, ["feed", "story"]);
}

fn fields(answer: &Answer) -> Vec<(String, String)> {
    let faults = answer.body["details"]["fields"].as_array();
    let faults = faults.expect("faults").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    faults
        .map(|fault| (text(&fault["field"]), text(&fault["rule"])))
        .collect()
}

#[tokio::test]
async fn wrong_variants_are_refused_and_nothing_is_stored() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let other = "01990000-0000-7000-8000-0000000000ff";
    for (stated, field, rule) in [
        (
            json!({ "canal": "linkedin", "formato": "reel" }),
            "formato",
            "enum",
        ),
        (
            json!({ "canal": "gazeta", "formato": "feed" }),
            "formato",
            "enum",
        ),
        (
            json!({ "canal": "linkedin", "link": "http://exemplo.com" }),
            "link",
            "format",
        ),
        (
            json!({ "canal": "linkedin", "link": "https:///x" }),
            "link",
            "format",
        ),
        (
            json!({ "canal": "instagram", "formato": "reel", "capa": other }),
            "capa",
            "media",
        ),
        (
            json!({ "canal": "linkedin", "midias": [{ "media_id": other }] }),
            "midias.0.media_id",
            "media",
        ),
        (
            json!({ "canal": "threads", "titulo": "Não há" }),
            "titulo",
            "not",
        ),
        (
            json!({ "canal": "threads", "privacidade": "PUBLIC" }),
            "privacidade",
            "enum",
        ),
        (
            json!({ "canal": "linkedin", "remover": true }),
            "remover",
            "variant",
        ),
    ] {
        let answer = put_variants(&team.writer, &id, 2, json!([stated]))
            .await
            .expect(400);
        let wanted = (format!("variantes.0.{field}"), rule.to_owned());
        assert_eq!(fields(&answer), [wanted], "{stated}");
    }
    let twice = json!([{ "canal": "linkedin" }, { "canal": "LINKEDIN" }]);
    let answer = put_variants(&team.writer, &id, 2, twice).await.expect(400);
    assert_eq!(
        fields(&answer),
        [("variantes.1.canal".into(), "uniqueItems".into())]
    );
    let impossible = json!([{ "canal": "linkedin", "day": 31, "month": 2 }]);
    put_variants(&team.writer, &id, 2, impossible)
        .await
        .expect(400);
    let unknown = json!([{ "canal": "linkedin", "caption": "x" }]);
    put_variants(&team.writer, &id, 2, unknown)
        .await
        .expect(400);
    let many: Vec<Value> = (0..20)
        .map(|n| json!({ "canal": format!("canal {n}") }))
        .collect();
    put_variants(&team.writer, &id, 2, many.clone().into())
        .await
        .expect(200);
    let more = json!([{ "canal": "mais um" }]);
    let answer = put_variants(&team.writer, &id, 3, more).await.expect(400);
    assert_eq!(fields(&answer), [("variantes".into(), "maxItems".into())]);
}

#[tokio::test]
async fn a_stale_writer_does_not_overwrite_and_a_repeated_key_writes_once() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let input = json!({ "expected_revision": 2, "idempotency_key": "variantes-da-peca-1",
        "variantes": [{ "canal": "linkedin", "legenda": "Uma" }] });
    let path = format!("/api/eventos/{id}/variantes");
    let first = team.writer.put(&path, input.clone()).await.expect(200).body;
    let again = team.writer.put(&path, input).await.expect(200).body;
    assert_eq!(first, again);
    let stale = put_variants(&team.lead, &id, 2, json!([{ "canal": "linkedin" }]))
        .await
        .expect(409);
    assert_eq!(stale.body["code"], "STALE_REVISION");
    assert_eq!(
        load_piece(&team.lead, &id).await["variantes"][0]["legenda"],
        "Uma"
    );
}

#[tokio::test]
async fn of_two_simultaneous_writers_only_one_succeeds() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let write = |text: &'static str| {
        put_variants(
            &team.lead,
            &id,
            2,
            json!([{ "canal": "x", "legenda": text }]),
        )
    };
    let (one, other) = tokio::join!(write("uma"), write("outra"));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(
        load_piece(&team.lead, &id).await["evento"]["api_revision"],
        3
    );
}

#[tokio::test]
async fn only_members_who_may_edit_a_piece_write_its_variants() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([{ "canal": "linkedin" }]);
    put_variants(&team.app.anonymous(), &id, 2, stated.clone())
        .await
        .expect(401);
    let stranger = team.app.add_member(Role::Criador).await;
    let stranger = team.app.session_client(&stranger).await;
    put_variants(&stranger, &id, 2, stated.clone())
        .await
        .expect(404);
    let reader = team
        .app
        .add_member_with(Role::Criador, Level::Leitor, false)
        .await;
    let reader = team.app.token_client(&reader).await;
    put_variants(&reader, &id, 2, stated).await.expect(403);
}
