//! Sessions, members and accounts with a hosted issuer.

mod attacks;
mod binding;
mod browser;
pub mod double;
mod ending;
mod issuer_away;
mod keys;
mod people;
mod surface;

use domain::Role;
use serde_json::Value;
use store::members::Member;

use crate::support::{Client, TestApp};
use double::{Issuer, Signer};

const ME: &str = "/api/me";

/// Creates a service that accepts sessions of Supabase Auth, with a key for its admin interface.
async fn service_with_admin_key() -> (TestApp, Issuer) {
    let issuer = Issuer::new().await;
    let app = TestApp::with_settings(issuer.admin_settings()).await;
    (app, issuer)
}

/// Creates a service that accepts sessions of an OpenID Connect issuer.
async fn service_with_oidc() -> (TestApp, Issuer) {
    let issuer = Issuer::new().await;
    let app = TestApp::with_settings(issuer.oidc_settings()).await;
    (app, issuer)
}

/// Creates a service with a short timeout, for an issuer that hangs. The timeout is long enough for
/// an answer under load.
async fn service_with_short_timeout(mut settings: Vec<(&'static str, String)>) -> TestApp {
    settings.push(("PAUTA_IDENTITY_TIMEOUT", "4".into()));
    TestApp::with_settings(settings).await
}

/// Creates a member with a confirmed account at Supabase Auth; returns the member, the id of the
/// account and a session.
async fn add_member_with_account(
    app: &TestApp,
    issuer: &Issuer,
    role: Role,
) -> (Member, String, Client) {
    let member = app.add_member(role).await;
    let id = issuer.add_account(&member.email, true);
    let claims = issuer.session_claims(&id, &member.email, app.now());
    let client = session_client(app, &claims);
    client.get(ME).await.expect(200);
    (member, id, client)
}

/// Returns a client with a session that has these claims.
fn session_client(app: &TestApp, claims: &Value) -> Client {
    app.bearer(Signer::first_key().sign_claims(claims))
}

/// Returns the number of this member's denials in the audit trail.
async fn count_denials(app: &TestApp, member: &Member) -> i64 {
    app.app.write_all_reads().await;
    let of = format!("actor_member_id = '{}' AND outcome = 'denied'", member.id);
    app.count_rows(&format!("audit_events WHERE {of}")).await
}
