//! Agents, tokens, team, audit trail, account and the first access.

mod account;
mod agents;
mod audit;
mod entry;
mod first_access;
mod team;

use domain::Member;

use crate::support::{Answer, Client, TestApp};

/// A text that pages must escape: markup, and a mark that reverses the direction.
const ODD: &str = "<b>Bia</b> & \u{202e}Zé";
const ODD_SHOWN: &str = "&lt;b&gt;Bia&lt;/b&gt; &amp; \u{202e}Zé";

/// Returns the `name=value` of the cookie that an answer sets.
fn cookie_pair(answer: &Answer) -> String {
    let set = answer.headers["set-cookie"].to_str().expect("text");
    set.split(';').next().unwrap_or_default().to_owned()
}

/// Returns a browser of this member with an additional cookie.
async fn browser_with_cookie(app: &TestApp, member: &Member, cookie: &str) -> Client {
    let (name, value) = app.session_cookie(member).await;
    app.anonymous()
        .with_header("cookie", format!("{name}={value}; {cookie}"))
        .with_header("sec-fetch-site", "same-origin")
}

/// Returns a client without a session that sends the origin of this service.
fn visitor_client(app: &TestApp) -> Client {
    app.anonymous().with_header("sec-fetch-site", "same-origin")
}
