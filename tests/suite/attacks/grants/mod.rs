//! The grants of agents, and everything that ends them.

mod blame;
mod consent;
mod endings;
mod renewal;
mod step_up;
mod streams;

use domain::Member;
use identity::browser::adopt;

use crate::{
    authorization::{Browser, CALLBACK, Request, ask_token, exchange, location, parameters},
    support::{Answer, Client, TestApp},
};

/// A person with a browser and an API client, both in one session.
struct Person {
    browser: Browser,
    session: Client,
}

impl Person {
    async fn of(app: &TestApp, member: &Member) -> Self {
        let session = app.session(member).await;
        let cookie = adopt(&app.app.gateway.services, session.credential()).expect("a cookie");
        let pair = cookie.split(';').next().expect("a pair");
        let (name, value) = pair.split_once('=').expect("a value");
        let mut browser = Browser::new(app);
        browser.cookies.insert(name.into(), value.into());
        Self { browser, session }
    }

    /// Allows this client in this session; returns the code.
    async fn allow(&mut self, client_id: &str) -> String {
        let request = Request::of(client_id, CALLBACK);
        let page = self.browser.get(&request.path()).await.expect(200);
        self.decide(&page, &[]).await
    }

    /// Submits a decision; returns the code.
    async fn decide(&mut self, page: &Answer, changes: &[(&str, &str)]) -> String {
        let sent = self.browser.decide(page, "permitir", changes).await;
        let answered = parameters(&location(&sent.expect(302)));
        answered["code"].as_str().expect("a code").to_owned()
    }
}

async fn exchanged(app: &TestApp, client_id: &str, code: &str) -> Answer {
    ask_token(&app.anonymous(), &exchange(client_id, CALLBACK, code)).await
}

/// How many sequences test a property, unless `PAUTA_TEST_SEQUENCES` sets another number.
fn sequences(usual: u64) -> u64 {
    let asked = std::env::var("PAUTA_TEST_SEQUENCES").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(usual)
}
