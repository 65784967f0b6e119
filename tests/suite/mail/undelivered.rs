//! The list of e-mails that did not arrive, for admins.

use domain::{Role, time::DAY};
use serde_json::Value;

use super::{Fixture, Manner};

const LIST: &str = "/api/emails-nao-entregues";

async fn list(team: &Fixture) -> Vec<Value> {
    let admin = team.app.session_client(&team.members[0]).await;
    let listed = admin.get(LIST).await.expect(200);
    assert!(!listed.text.contains('@'), "{}", listed.text);
    listed.body["emails"].as_array().expect("a list").clone()
}

/// Sends an e-mail to Caio through a server with this behaviour, and lets these days pass. Returns
/// the entry of the e-mail in the list, or `None` if the list does not have it.
async fn find_undelivered_after(manner: Manner, days: i64) -> Option<Value> {
    let team = Fixture::new().await;
    team.smtp.behave(manner);
    team.queue().await;
    team.run_due_jobs().await;
    if days > 0 {
        team.app.advance_clock(days * DAY);
        team.run_due_jobs().await;
    }
    let mut listed = list(&team).await;
    assert!(listed.len() < 2, "{listed:?}");
    let told = listed.pop()?;
    assert_eq!(told["member_id"], team.caio().id.as_str());
    assert_eq!(told["member_name"], team.caio().name.as_str());
    assert_eq!(told["tipo"], "senha_trocada");
    Some(told)
}

#[tokio::test]
async fn an_admin_sees_why_an_e_mail_did_not_arrive_and_what_to_do() {
    for (manner, days, state, reason, next) in [
        (
            Manner::UnknownRecipient,
            0,
            "devolvido",
            "O servidor respondeu que o endereço não existe ou não recebe (550).",
            "Confira o endereço com a pessoa.",
        ),
        (
            Manner::RefusedText,
            0,
            "recusado",
            "O servidor recusou o e-mail (554).",
            "Mostre o motivo a quem cuida do servidor de e-mail.",
        ),
        (
            Manner::Greylisting,
            4,
            "vencido",
            "Por três dias, nenhum servidor de e-mail o aceitou (450).",
            "Peça a quem opera a Pauta que confira o envio com `pauta doctor`.",
        ),
        (
            Manner::Silent,
            0,
            "incerto",
            "A conexão ou o processo terminou durante o envio: não se sabe se saiu.",
            "Avise a pessoa de que a senha dela foi trocada.",
        ),
    ] {
        let told = find_undelivered_after(manner, days)
            .await
            .expect("an e-mail");
        assert_eq!(told["estado"], state);
        assert_eq!(told["motivo"], reason);
        assert_eq!(told["proximo_passo"], next);
    }
}

#[tokio::test]
async fn an_e_mail_that_arrived_waits_or_was_dropped_is_not_in_the_list() {
    assert!(find_undelivered_after(Manner::Accepting, 0).await.is_none());
    assert!(
        find_undelivered_after(Manner::Greylisting, 0)
            .await
            .is_none()
    );
    let team = Fixture::new().await;
    team.smtp.behave(Manner::Closed);
    team.queue().await;
    let path = format!("/api/membros/{}", team.caio().id);
    team.admin.delete(&path).await.expect(200);
    team.run_due_jobs().await;
    assert_eq!(team.states().await, ["descartado"]);
    assert!(list(&team).await.is_empty());
}

#[tokio::test]
async fn the_list_has_the_newest_fifty_and_is_for_admins_in_a_session() {
    let team = Fixture::new().await;
    team.smtp.behave(Manner::UnknownRecipient);
    for _ in 0..51 {
        team.queue().await;
        team.app.advance_clock(1_000);
    }
    team.run_due_jobs().await;
    let listed = list(&team).await;
    assert_eq!(listed.len(), 50);
    let times: Vec<&str> = listed
        .iter()
        .filter_map(|one| one["criado_em"].as_str())
        .collect();
    assert!(
        times.is_sorted_by(|newer, older| newer > older),
        "{times:?}"
    );
    for role in [Role::Criador, Role::Lider] {
        let session = team.app.as_member(role).await;
        session.get(LIST).await.expect(403);
    }
    let token = team.app.token_client(&team.members[0]).await;
    token.get(LIST).await.expect(403);
}
