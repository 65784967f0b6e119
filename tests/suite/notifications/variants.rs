//! Changed variants of an approved piece: whom they wait for, and in which words.

use serde_json::{Value, json};

use super::{ADMIN, ANA, BIA, CAIO, Fixture, list, of_kind};

impl Fixture {
    /// An approved piece of Caio; its revision is 3.
    async fn approved(&self, title: &str) -> String {
        let id = self.submit(title).await;
        let approval = json!({ "event_id": id, "action": "aprovar" });
        self.admin.post("/api/aprovar", approval).await.expect(200);
        id
    }

    /// Caio writes a variant of a piece that was read at this revision.
    async fn change_channel(&self, id: &str, revision: i64, caption: &str) {
        let variant = json!({ "canal": "linkedin", "legenda": caption });
        let input = json!({ "expected_revision": revision, "variantes": [variant] });
        let path = format!("/api/eventos/{id}/variantes");
        self.caio.put(&path, input).await.expect(200);
    }

    async fn decide_channels(&self, id: &str, revision: i64, action: &str) {
        let input = json!({ "expected_revision": revision, "action": action });
        let path = format!("/api/eventos/{id}/variantes/decisao");
        self.ana.post(&path, input).await.expect(200);
    }

    async fn set_rules(&self, stages: Value) {
        let rules = json!({ "regras": [{ "nome": "Tudo", "etapas": stages }] });
        let config = json!({ "key": "aprovacao", "value": rules });
        self.admin.post("/api/config", config).await.expect(200);
    }
}

#[tokio::test]
async fn changed_channels_wait_for_those_who_decide_and_say_so_until_they_are_decided() {
    let team = Fixture::new().await;
    let id = team.approved("Feira").await;
    team.tell().await;
    team.change_channel(&id, 3, "Outra").await;
    team.change_channel(&id, 4, "Mais uma").await;
    team.tell().await;
    let waits = "“Feira” tem mudanças nos canais que esperam sua decisão.";
    for client in [&team.ana, &team.bia] {
        assert_eq!(of_kind(client, "decisao").await[0], waits);
    }
    team.decide_channels(&id, 5, "aprovar").await;
    let decided = "“Feira” tinha mudanças nos canais, que já não esperam sua decisão.";
    assert_eq!(of_kind(&team.bia, "decisao").await[0], decided);
    team.tell().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} aprovou mudanças nos canais de “Feira”.")];
    assert_eq!(of_kind(&team.caio, "decidida").await[..1], expected);
}

#[tokio::test]
async fn a_refusal_of_channels_does_not_say_that_the_piece_was_refused() {
    let team = Fixture::new().await;
    let id = team.approved("Feira").await;
    team.change_channel(&id, 3, "Outra").await;
    team.decide_channels(&id, 4, "recusar").await;
    team.tell().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} recusou mudanças nos canais de “Feira”.")];
    assert_eq!(of_kind(&team.caio, "ajustes").await, expected);
    let path = format!("/api/eventos/{id}");
    let piece = team.caio.get(&path).await.expect(200).body;
    assert_eq!(piece["evento"]["status"], "aprovado");
    // They were decided before anybody was told that they wait.
    assert!(
        !of_kind(&team.bia, "decisao")
            .await
            .iter()
            .any(|text| text.contains("canais"))
    );
}

#[tokio::test]
async fn changed_channels_wait_only_for_the_last_stage_of_their_rule() {
    let team = Fixture::new().await;
    team.set_rules(json!([
        { "nome": "Revisão", "membros": [team.id(BIA)] },
        { "nome": "Direção", "membros": [team.id(ANA)] },
    ]))
    .await;
    let id = team.submit("Feira").await;
    for (client, revision) in [(&team.bia, 2), (&team.ana, 3)] {
        let approval =
            json!({ "event_id": id, "action": "aprovar", "expected_revision": revision });
        client.post("/api/aprovar", approval).await.expect(200);
    }
    team.tell().await;
    team.app.advance_clock(domain::time::HOUR);
    let [ana, bia, admin] = [ANA, BIA, ADMIN].map(|one| &team.members[one]);
    let ana = team.app.session_client(ana).await;
    let bia = team.app.session_client(bia).await;
    let admin = team.app.session_client(admin).await;
    let caio = team.app.session_client(&team.members[CAIO]).await;
    let variant = json!({ "canal": "linkedin", "legenda": "Outra" });
    let input = json!({ "expected_revision": 4, "variantes": [variant] });
    let path = format!("/api/eventos/{id}/variantes");
    caio.put(&path, input).await.expect(200);
    team.tell().await;
    let of_channels = async |client| {
        let all = list(client).await.into_iter();
        all.filter(|one| one["texto"].to_string().contains("nos canais"))
            .count()
    };
    assert_eq!(of_channels(&ana).await, 1);
    assert_eq!(of_channels(&bia).await, 0);
    assert_eq!(of_channels(&admin).await, 0);
}
