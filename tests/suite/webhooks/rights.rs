//! Who manages webhooks, and whose rights decide what they send.

use domain::{Capability, Role};
use serde_json::json;

use super::{Fixture, Subscription};
use crate::support::{Answer, Client};

#[tokio::test]
async fn only_admins_manage_webhooks() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let lead = team.app.as_member(Role::Lider).await;
    let creator = team.app.as_member(Role::Criador).await;
    let guest = team
        .app
        .bearer("svc_guest_convidada-que-nao-existe-aqui-0000000000001");
    let stranger = team.app.anonymous();
    for (client, status) in [
        (&lead, 403),
        (&creator, 403),
        (&guest, 401),
        (&stranger, 401),
    ] {
        client.get("/api/webhooks").await.expect(status);
        client.get(&webhook.path("/mensagens")).await.expect(status);
        for of in ["/teste", "/pausa", "/reenvio"] {
            client
                .post(&webhook.path(of), json!({}))
                .await
                .expect(status);
        }
        for answer in send_changes(&team, &webhook, client).await {
            answer.expect(status);
        }
    }
    assert_eq!(team.app.count_rows("webhooks").await, 1);
}

/// A token cannot change webhooks, because a new URL or secret could send the team's data to somebody
/// else.
#[tokio::test]
async fn changes_of_a_webhook_need_a_session() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let token = team.app.token_client(&team.member).await;
    for answer in send_changes(&team, &webhook, &token).await {
        answer.expect_refusal(403, "SESSION_REQUIRED");
    }
    assert_eq!(team.app.count_rows("webhooks").await, 1);
}

/// Tries to create a webhook, and to change the given one in every way that needs a session; returns the
/// answers.
async fn send_changes(team: &Fixture, webhook: &Subscription, client: &Client) -> Vec<Answer> {
    let mut answers = vec![client.post("/api/webhooks", team.settings()).await];
    for of in ["/segredo", "/retomada"] {
        answers.push(client.post(&webhook.path(of), json!({})).await);
    }
    let mut moved = team.settings();
    moved["expected_revision"] = json!(1);
    answers.push(client.put(&webhook.path(""), moved).await);
    answers.push(client.delete(&webhook.path("")).await);
    answers
}

#[tokio::test]
async fn a_webhook_whose_owner_has_left_is_paused_and_sends_nothing() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let other = team.app.add_member(Role::Admin).await;
    let other_client = team.app.session_client(&other).await;
    team.assign("Feira").await;
    for demote in [
        "UPDATE members SET active = FALSE WHERE id = $1",
        "UPDATE members SET active = TRUE, role = 'lider' WHERE id = $1",
    ] {
        let id = team.member.id.to_string();
        team.app.execute_statement(demote, [id]).await;
        team.make_and_send_messages().await;
        assert_eq!(team.receiver.take().len(), 0);
        let listed = other_client.get("/api/webhooks").await.expect(200).body;
        assert_eq!(listed["webhooks"][0]["estado"], "pausado_sem_responsavel");
        let activate = "UPDATE webhooks SET state = 'ativo'";
        team.app.execute_statement(activate, []).await;
        team.app.advance_clock(60_000);
    }
    team.make_and_send_messages().await;
    // Another admin resumes the webhook and becomes its owner.
    let resumed = other_client
        .post(&webhook.path("/retomada"), json!({}))
        .await;
    let resumed = resumed.expect(200).body;
    assert_eq!(resumed["webhook"]["responsavel"]["id"], json!(other.id));
    team.make_and_send_messages().await;
    team.receiver.take_one();
}

#[tokio::test]
async fn a_message_about_a_resource_that_the_owner_no_longer_sees_is_dropped() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let id = team.assign("Feira").await;
    let pause = webhook.path("/pausa");
    team.admin.post(&pause, json!({})).await.expect(200);
    team.make_and_send_messages().await;
    let hide = "UPDATE webhook_messages SET resource_id = 'outro' WHERE resource_id = $1";
    team.app.execute_statement(hide, [id]).await;
    let resume = webhook.path("/retomada");
    team.admin.post(&resume, json!({})).await.expect(200);
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    assert_eq!(
        team.list_messages(&webhook).await[0]["estado"],
        "descartada"
    );
    assert_eq!(team.load_state(&webhook).await, "ativo");
}

#[tokio::test]
async fn the_actor_of_a_message_is_a_member_or_their_agent() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let (agent, token) = team
        .app
        .token_client_with(&team.member, Capability::ALL)
        .await;
    let input = json!({ "title": "Feira", "assignee_id": team.member.id });
    agent.create_demand(input).await;
    team.make_and_send_messages().await;
    let actor = team.receiver.take_one().body["data"]["actor"].clone();
    assert_eq!(actor["kind"], "agent");
    assert_eq!(actor["member_id"], json!(team.member.id));
    assert_eq!(actor["credential_id"], token.as_str());
}

#[tokio::test]
async fn an_agent_of_an_admin_reads_why_messages_fail_and_sends_them_again() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let (agent, _) = team
        .app
        .token_client_with(&team.member, Capability::ALL)
        .await;
    team.receiver.answer_status(500);
    let id = team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    let listed = agent.call_tool("list_webhooks", json!({})).await;
    assert!(!listed.text.contains(&webhook.secret), "{}", listed.text);
    assert_eq!(listed.structured["webhooks"][0]["esperando"], 1);
    let input = json!({ "webhookId": webhook.id });
    let log = agent
        .call_tool("list_webhook_messages", input.clone())
        .await;
    let message = &log.structured["mensagens"][0];
    assert_eq!(message["tentativas"][0]["status"], 500);
    // Only a session sees the path and the answer, which may contain a secret of the receiver.
    let origin = json!(team.receiver.origin);
    assert_eq!(listed.structured["webhooks"][0]["url"], origin);
    assert_eq!(message["tentativas"][0]["url"], origin);
    assert_eq!(message["tentativas"][0]["resposta"], "");
    team.receiver.answer_status(200);
    agent.call_tool("test_webhook", input.clone()).await;
    let again = json!({ "webhookId": webhook.id, "mensagem_id": message["id"] });
    agent.call_tool("replay_webhook_messages", again).await;
    team.run_due_jobs().await;
    let sent = team.receiver.take();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().any(|one| one.resource() == id));
    let paused = agent.call_tool("pause_webhook", input).await;
    assert_eq!(paused.structured["webhook"]["url"], origin);
    assert_eq!(team.load_state(&webhook).await, "pausado");
    let names = agent.tool_names().await;
    let own: Vec<&String> = names
        .iter()
        .filter(|name| name.contains("webhook"))
        .collect();
    assert_eq!(own.len(), 5, "{own:?}");
    let lead = team.app.add_member(Role::Lider).await;
    let lead = team.app.token_client(&lead).await;
    let names = lead.tool_names().await;
    assert!(!names.iter().any(|name| name.contains("webhook")));
}
