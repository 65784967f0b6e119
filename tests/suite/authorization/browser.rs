//! A person's browser: it keeps cookies, and sends the forms of pages.

use std::collections::BTreeMap;

use domain::Member;

use crate::support::{Answer, Client, TestApp};

pub struct Browser {
    client: Client,
    pub cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn new(app: &TestApp) -> Self {
        Self {
            client: app.anonymous(),
            cookies: BTreeMap::new(),
        }
    }

    /// Returns a browser in which this member has signed in.
    pub async fn with_session(app: &TestApp, member: &Member) -> Self {
        let mut browser = Self::new(app);
        browser.add_session(app, member).await;
        browser
    }

    /// Signs this member in.
    pub async fn add_session(&mut self, app: &TestApp, member: &Member) {
        let (name, value) = app.session_cookie(member).await;
        self.cookies.insert(name, value);
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        let answer = self.client_with_cookies().get(path).await;
        self.store_cookies(&answer);
        answer
    }

    pub async fn post(&mut self, path: &str, fields: &[(String, String)]) -> Answer {
        let client = self.client_with_cookies().with_header("origin", super::URL);
        let answer = client.post_form(path, fields).await;
        self.store_cookies(&answer);
        answer
    }

    /// Sends the form of the consent page with these fields changed. A field with an empty value is
    /// left out.
    pub async fn submit_decision(
        &mut self,
        page: &Answer,
        decision: &str,
        changes: &[(&str, &str)],
    ) -> Answer {
        let fields = decision_fields(page, decision, changes);
        self.post("/authorize", &fields).await
    }

    /// Signs in with the form of the page.
    pub async fn sign_in(&mut self, page: &Answer, email: &str, password: &str) -> Answer {
        let fields = [
            ("pedido".to_owned(), signed_request(page)),
            ("email".to_owned(), email.to_owned()),
            ("password".to_owned(), password.to_owned()),
        ];
        self.post("/authorize/entrar", &fields).await
    }

    fn client_with_cookies(&self) -> Client {
        let pairs = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let cookies = pairs.collect::<Vec<_>>().join("; ");
        match cookies.is_empty() {
            true => self.client.clone(),
            false => self.client.with_header("cookie", cookies),
        }
    }

    fn store_cookies(&mut self, answer: &Answer) {
        for cookie in answer.headers.get_all("set-cookie") {
            let cookie = cookie.to_str().expect("text");
            for rule in ["Path=/", "HttpOnly", "SameSite=Lax"] {
                assert!(cookie.contains(rule), "{cookie}");
            }
            let (pair, _) = cookie.split_once(';').expect("rules");
            let (name, value) = pair.split_once('=').expect("a value");
            match value {
                "" => self.cookies.remove(name),
                value => self.cookies.insert(name.into(), value.into()),
            };
        }
    }
}

/// Returns the signed authorization request in the form of a page.
pub fn signed_request(page: &Answer) -> String {
    value_after(&page.text, "name=\"pedido\" value=\"")
        .unwrap_or_else(|| panic!("the page has no signed request: {}", page.text))
}

/// Returns the fields that a browser sends from the consent page.
pub fn decision_fields(
    page: &Answer,
    decision: &str,
    changes: &[(&str, &str)],
) -> Vec<(String, String)> {
    let mut fields = vec![
        ("pedido".to_owned(), signed_request(page)),
        ("decisao".to_owned(), decision.to_owned()),
        ("dias".to_owned(), "30".to_owned()),
    ];
    for input in page.text.split("<input ").skip(1) {
        let (tag, _) = input.split_once('>').expect("an end");
        let is_hidden = tag.contains("type=\"hidden\"") && !tag.contains("name=\"pedido\"");
        if is_hidden || tag.ends_with(" checked") {
            let name = value_after(tag, "name=\"").expect("a name");
            fields.push((name, value_after(tag, "value=\"").expect("a value")));
        }
    }
    for (name, value) in changes {
        fields.retain(|(given, _)| given != name);
        if !value.is_empty() {
            let values = value.split(' ').map(|v| ((*name).to_owned(), v.to_owned()));
            fields.extend(values);
        }
    }
    fields
}

fn value_after(text: &str, before: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once('"')?.0.replace("&#x2f;", "/"))
}
