//! The number at the bell icon equals the number of unread notifications in the list, and summaries
//! state their number in words.

use serde_json::json;

use super::{ADMIN, ANA, CAIO, Fixture, list};

#[tokio::test]
async fn the_bell_counts_only_kinds_that_the_list_shows() {
    let team = Fixture::new().await;
    for kind in ["conexao", "webhook", "convidado", "lembrete", "decisao"] {
        insert(&team, CAIO, kind, "x:1").await;
        insert(&team, ADMIN, kind, "x:1").await;
    }
    for (client, count) in [(&team.caio, 0), (&team.admin, 5)] {
        let listed = client.get("/api/notificacoes").await.expect(200).body;
        assert_eq!(listed["nao_lidas"], count);
        let waiting = client.get("/api/espera").await.expect(200).body;
        assert_eq!(waiting["notificacoes"], count);
    }
}

#[tokio::test]
async fn an_admin_who_becomes_a_criador_has_no_unread_notifications() {
    let team = Fixture::new().await;
    insert(&team, ANA, "convidado", "guest_link:1").await;
    let waiting = team.ana.get("/api/espera").await.expect(200).body;
    assert_eq!(waiting["notificacoes"], 1);
    let change = json!({ "member_id": team.id(ANA), "access_level": "criador" });
    team.admin.patch("/api/membros", change).await.expect(200);
    let ana = team.app.session_client(&team.members[ANA]).await;
    let waiting = ana.get("/api/espera").await.expect(200).body;
    assert_eq!(waiting["notificacoes"], 0);
}

#[tokio::test]
async fn many_failed_publications_are_counted_in_one_sentence() {
    let team = Fixture::new().await;
    insert(&team, CAIO, "falha", "").await;
    let more = "UPDATE notifications SET changes = 25";
    team.app.execute_statement(more, []).await;
    let told = list(&team.caio).await;
    assert_eq!(told[0]["texto"], "25 publicações que falharam.");
}

async fn insert(team: &Fixture, person: usize, kind: &str, subject: &str) {
    let sql = "INSERT INTO notifications (id, member_id, kind, subject, auth_method, details,
            changes, begun_at, occurred_at, first_position, last_position)
        VALUES ($1, $2, $3, $4, 'system', '{}', 1, 1, 1, 1, 1)";
    let id = format!("{person}-{kind}");
    let values = [&*id, team.id(person), kind, subject].map(str::to_owned);
    team.app.execute_statement(sql, values).await;
}
