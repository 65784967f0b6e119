//! Changed variants of an approved piece: who has to decide them, and the sentences of the
//! notifications.

use serde_json::{Value, json};

use super::{ADMIN, ANA, BIA, CAIO, Fixture, list, list_texts};

impl Fixture {
    /// Creates an approved piece of Caio; its revision is 3. Returns its id.
    async fn create_approved_piece(&self, title: &str) -> String {
        let id = self.submit(title).await;
        let approval = json!({ "event_id": id, "action": "aprovar" });
        self.admin.post("/api/aprovar", approval).await.expect(200);
        id
    }

    /// Writes a variant of the piece as Caio, with this expected revision.
    async fn write_variant_as_caio(&self, id: &str, revision: i64, caption: &str) {
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
async fn changed_channels_notify_the_deciders_until_they_are_decided() {
    let team = Fixture::new().await;
    let id = team.create_approved_piece("Feira").await;
    team.run_outbox_readers().await;
    team.write_variant_as_caio(&id, 3, "Outra").await;
    team.write_variant_as_caio(&id, 4, "Mais uma").await;
    team.run_outbox_readers().await;
    let waits = "“Feira” tem mudanças nos canais que esperam sua decisão.";
    for client in [&team.ana, &team.bia] {
        assert_eq!(list_texts(client, "decisao").await[0], waits);
    }
    team.decide_channels(&id, 5, "aprovar").await;
    let decided = "“Feira” tinha mudanças nos canais, que já não esperam sua decisão.";
    assert_eq!(list_texts(&team.bia, "decisao").await[0], decided);
    team.run_outbox_readers().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} aprovou mudanças nos canais de “Feira”.")];
    assert_eq!(list_texts(&team.caio, "decidida").await[..1], expected);
}

#[tokio::test]
async fn a_refusal_of_channels_is_not_reported_as_a_refusal_of_the_piece() {
    let team = Fixture::new().await;
    let id = team.create_approved_piece("Feira").await;
    team.write_variant_as_caio(&id, 3, "Outra").await;
    team.decide_channels(&id, 4, "recusar").await;
    team.run_outbox_readers().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} recusou mudanças nos canais de “Feira”.")];
    assert_eq!(list_texts(&team.caio, "ajustes").await, expected);
    let path = format!("/api/eventos/{id}");
    let piece = team.caio.get(&path).await.expect(200).body;
    assert_eq!(piece["evento"]["status"], "aprovado");
    // The variants were decided before the job ran, so no notification says that they wait.
    assert!(
        !list_texts(&team.bia, "decisao")
            .await
            .iter()
            .any(|text| text.contains("canais"))
    );
}

#[tokio::test]
async fn changed_channels_notify_only_the_deciders_of_the_last_stage() {
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
    team.run_outbox_readers().await;
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
    team.run_outbox_readers().await;
    let of_channels = async |client| {
        let all = list(client).await.into_iter();
        all.filter(|one| one["texto"].to_string().contains("nos canais"))
            .count()
    };
    assert_eq!(of_channels(&ana).await, 1);
    assert_eq!(of_channels(&bia).await, 0);
    assert_eq!(of_channels(&admin).await, 0);
}
