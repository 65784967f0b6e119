//! The grants of agents, and everything that ends them.

mod blame;
mod consent;
mod endings;
mod renewal;
mod step_up;
mod streams;

use domain::Member;
use identity::browser::cookie_for_session_token;

use crate::{
    authorization::{
        Browser, CALLBACK, Request, exchange_fields, query_parameters, redirect_location,
        request_token,
    },
    support::{Answer, Client, TestApp, count_from},
};

/// A person with a browser and an API client, both in one session.
struct Person {
    browser: Browser,
    session: Client,
}

impl Person {
    async fn sign_in(app: &TestApp, member: &Member) -> Self {
        let session = app.session_client(member).await;
        let cookie = cookie_for_session_token(&app.app.gateway.services, session.credential())
            .expect("a cookie");
        let pair = cookie.split(';').next().expect("a pair");
        let (name, value) = pair.split_once('=').expect("a value");
        let mut browser = Browser::new(app);
        browser.cookies.insert(name.into(), value.into());
        Self { browser, session }
    }

    /// Grants this client access in this session; returns the authorization code.
    async fn allow_client(&mut self, client_id: &str) -> String {
        let request = Request::for_client(client_id, CALLBACK);
        let page = self
            .browser
            .get(&request.authorization_path())
            .await
            .expect(200);
        self.submit_consent(&page, &[]).await
    }

    /// Submits the consent form with these changes; returns the authorization code.
    async fn submit_consent(&mut self, page: &Answer, changes: &[(&str, &str)]) -> String {
        let sent = self
            .browser
            .submit_decision(page, "permitir", changes)
            .await;
        let answered = query_parameters(&redirect_location(&sent.expect(302)));
        answered["code"].as_str().expect("a code").to_owned()
    }
}

async fn exchange_code(app: &TestApp, client_id: &str, code: &str) -> Answer {
    request_token(
        &app.anonymous(),
        &exchange_fields(client_id, CALLBACK, code),
    )
    .await
}

/// Returns the number of sequences that test a property: `usual`, or the value of
/// `PAUTA_TEST_SEQUENCES`.
fn sequence_count(usual: u64) -> u64 {
    count_from("PAUTA_TEST_SEQUENCES", usual)
}
