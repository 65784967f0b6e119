//! The commands for admins, invitations and passwords.

use domain::Role;
use serde_json::json;

use super::{assert_portuguese, output_text, run_pauta, run_pauta_with_input};
use crate::{
    sign_in::{BETTER, PASSWORD, redeem_invitation, sign_in},
    support::{SECRET, TestApp},
};

/// Returns the token of the printed invitation.
fn invitation_token(text: &str) -> String {
    let link = text.lines().find(|line| line.contains("/convite#"));
    let link = link.unwrap_or_else(|| panic!("{text}"));
    link.split_once('#').expect("a fragment").1.to_owned()
}

#[test]
fn admin_create_refuses_the_people_that_invite_member_refuses() {
    let directory = tempfile::tempdir().expect("a directory");
    let long = "a".repeat(121);
    for (name, email, field) in [
        ("Ana", "sem arroba", "email"),
        ("Ana", "ana@", "email"),
        ("Ana", "ana lima@exemplo.test", "email"),
        ("Ana", "ana@exemplo@test", "email"),
        ("Ana", "joão@exemplo.test", "email"),
        (" ", "ana@exemplo.test", "name"),
        (&long, "ana@exemplo.test", "name"),
    ] {
        let arguments = ["admin", "create", "--name", name, "--email", email];
        let output = run_pauta(directory.path(), &[], &arguments);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{email}: {text}");
        assert!(text.contains(field), "{text}");
        assert_portuguese(&text);
    }
}

#[tokio::test]
async fn the_operator_replaces_a_lost_invitation_or_password() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let directory = tempfile::tempdir().expect("a directory");
    let settings = [
        ("PAUTA_DATABASE_URL", app.database_url()),
        ("PAUTA_SECRET", SECRET),
    ];
    let email = "ana@equipe.test";
    let create = ["admin", "create", "--name", "Ana Lima", "--email", email];
    let lost = invitation_token(&output_text(&run_pauta(
        directory.path(),
        &settings,
        &create,
    )));

    let invite = ["admin", "invite", "--email", email];
    let found = invitation_token(&output_text(&run_pauta(
        directory.path(),
        &settings,
        &invite,
    )));
    redeem_invitation(&app, &lost, PASSWORD)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    // The invitation was created by the system clock, which is ahead of the test clock, so it is
    // still valid.
    redeem_invitation(&app, &found, PASSWORD).await.expect(200);

    let password = ["admin", "password", "--email", email];
    let weak = run_pauta_with_input(directory.path(), &settings, &password, "senha123\n");
    assert_eq!(weak.status.code(), Some(1));
    assert!(!output_text(&weak).contains("senha123"));
    assert_portuguese(&output_text(&weak));
    sign_in(&app, email, PASSWORD).await.expect(200);
    let set = run_pauta_with_input(
        directory.path(),
        &settings,
        &password,
        &format!("{BETTER}\n"),
    );
    assert_eq!(set.status.code(), Some(0), "{}", output_text(&set));
    sign_in(&app, email, PASSWORD)
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    sign_in(&app, email, BETTER).await.expect(200);

    for action in ["create_admin", "reissue_invitation", "set_member_password"] {
        let path = format!("/api/access/audit?action={action}");
        let rows = admin.get(&path).await.expect(200).body;
        assert_eq!(
            rows["audit"][0]["auth_method"], "system",
            "{action}: {rows}"
        );
        assert_eq!(rows["audit"][0]["resource_type"], "member");
    }
    let nobody = ["admin", "invite", "--email", "ninguem@equipe.test"];
    let output = run_pauta(directory.path(), &settings, &nobody);
    assert_eq!(output.status.code(), Some(1));
    assert_portuguese(&output_text(&output));
}

#[tokio::test]
async fn a_password_that_the_operator_sets_ends_the_calendars_of_the_member() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let mut made = vec![];
    for name in ["Uma", "Outra"] {
        let feed = session.post("/api/calendarios", json!({ "nome": name }));
        made.push(feed.await.expect(201).body);
    }
    let directory = tempfile::tempdir().expect("a directory");
    let settings = [
        ("PAUTA_DATABASE_URL", app.database_url()),
        ("PAUTA_SECRET", SECRET),
    ];
    let command = ["admin", "password", "--email", &member.email];
    let input = format!("{BETTER}\n");
    let set = run_pauta_with_input(directory.path(), &settings, &command, &input);
    let text = output_text(&set);
    assert_eq!(set.status.code(), Some(0), "{text}");
    assert!(text.contains("calendários revogados: 2"), "{text}");
    for feed in &made {
        let url = feed["url"].as_str().expect("a URL");
        let (_, path) = url.split_once("8080").expect("a path");
        let read = app.anonymous().get(path).await;
        read.expect_refusal(404, "NOT_FOUND");
    }
    let path = "/api/access/audit?action=revoke_calendar_feed";
    let rows = admin.get(path).await.expect(200).body;
    let rows = rows["audit"].as_array().expect("a list");
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(row["auth_method"], "system");
        assert_eq!(row["resource_type"], "calendar_feed");
        assert_eq!(row["metadata"]["cause"], "set_member_password");
    }
}
