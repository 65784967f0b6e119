//! A mixed load that records the acknowledged writes.

use std::{collections::BTreeMap, sync::Mutex, thread};

use serde_json::{Value, json};

use super::shim::Shim;
use crate::support::{Given, exchange_request, http_request};

/// The path of the e-mail draft that the load rewrites; its HTML is long enough for overflow pages.
const TEMPLATE: &str = "/api/email-drafts/falhas";

/// The acknowledged writes.
#[derive(Default)]
pub struct Kept {
    /// The title of each event, by id.
    events: BTreeMap<String, String>,
    /// The highest revision of the event whose draft the load rewrites.
    revision: u64,
    /// Values in the configuration log.
    values: Vec<u64>,
    /// The last number that was written into the e-mail draft.
    mail: u64,
    revoked: Vec<String>,
}

/// The credentials of the writer, and the acknowledged writes.
pub struct Load {
    pub address: String,
    pub token: String,
    pub session: String,
    /// Tokens to revoke: id and secret.
    pub spare: Mutex<Vec<(String, String)>>,
    /// The id of the event whose draft the load rewrites.
    pub drafted: String,
    pub kept: Mutex<Kept>,
    pub acknowledged: Mutex<usize>,
}

impl Load {
    fn send_request(&self, method: &str, path: &str, token: &str, body: &Value) -> Option<Given> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        exchange_request(&self.address, &http_request(method, path, token, "", &body))
    }

    fn send_write(&self, method: &str, path: &str, body: &Value) -> Option<Value> {
        let given = self.send_request(method, path, &self.token, body)?;
        if given.status >= 300 {
            return None;
        }
        *self.acknowledged.lock().expect("no panic") += 1;
        serde_json::from_str(&given.text).ok()
    }

    pub fn read_json(&self, path: &str) -> Value {
        let given = self.send_request("GET", path, &self.token, &Value::Null);
        let given = given.expect("an answer");
        assert_eq!(given.status, 200, "{path}: {}", given.text);
        serde_json::from_str(&given.text).expect("JSON")
    }

    /// Returns the status of a read with this credential.
    pub fn read_status(&self, path: &str, token: &str) -> Option<u16> {
        Some(self.send_request("GET", path, token, &Value::Null)?.status)
    }

    /// Runs three writers until a call fails. Each writes at most `most` times.
    pub fn write_until_failure(&self, shim: &Shim, round: usize, most: usize) {
        thread::scope(|scope| {
            for writer in 0..3 {
                scope.spawn(move || {
                    for n in 0..most {
                        match writer {
                            0 => drop(self.create_demand(&format!("rodada {round} n {n}"))),
                            1 => self.save_draft_and_publish_value(round, n),
                            _ => self.save_mail_and_revoke_token(n),
                        }
                        if shim.failed_calls() > 0 {
                            break;
                        }
                    }
                });
            }
        });
    }

    /// Creates an event; returns `true` if the service acknowledged it.
    pub fn create_demand(&self, title: &str) -> bool {
        let made = self.send_write("POST", "/api/demanda", &json!({ "title": title }));
        let id = made.as_ref().and_then(|made| made["event_id"].as_str());
        let Some(id) = id else { return false };
        let mut kept = self.kept.lock().expect("no panic");
        kept.events.insert(id.to_owned(), title.to_owned());
        true
    }

    fn save_draft_and_publish_value(&self, round: usize, n: usize) {
        // Reads the current revision: an earlier draft may have been saved although its answer was
        // lost.
        let shown = self.send_request("GET", &self.event_path(), &self.token, &Value::Null);
        let shown = shown.and_then(|given| serde_json::from_str::<Value>(&given.text).ok());
        let revision = shown.and_then(|shown| shown["evento"]["api_revision"].as_u64());
        if let Some(revision) = revision {
            let caption = format!("rodada {round} n {n}");
            let draft = json!({ "event_id": self.drafted, "expected_revision": revision, "caption": caption });
            if self.send_write("POST", "/api/draft", &draft).is_some() {
                let mut kept = self.kept.lock().expect("no panic");
                kept.revision = kept.revision.max(revision + 1);
            }
        }
        let value = (round * 1000 + n) as u64;
        let published = json!({ "key": "falhas", "value": value });
        if self.send_write("POST", "/api/config", &published).is_some() {
            self.kept.lock().expect("no panic").values.push(value);
        }
    }

    fn event_path(&self) -> String {
        format!("/api/eventos/{}", self.drafted)
    }

    fn save_mail_and_revoke_token(&self, n: usize) {
        let before = self.send_request("GET", TEMPLATE, &self.token, &Value::Null);
        let before = before.and_then(|given| serde_json::from_str::<Value>(&given.text).ok());
        if let Some(before) = before {
            let next = self.kept.lock().expect("no panic").mail + 1;
            let html = format!("<p>{next}</p>{}", "x".repeat(20_000));
            let token = &before["draft"]["updated_at"];
            let mail =
                json!({ "html": html, "metadata": { "n": next }, "expected_updated_at": token });
            if self.send_write("PUT", TEMPLATE, &mail).is_some() {
                self.kept.lock().expect("no panic").mail = next;
            }
        }
        if n.is_multiple_of(4) {
            self.revoke_one_token();
        }
    }

    pub fn revoke_one_token(&self) {
        let Some((id, secret)) = self.spare.lock().expect("no panic").pop() else {
            return;
        };
        let path = format!("/api/access/tokens/{id}");
        let given = self.send_request("DELETE", &path, &self.session, &Value::Null);
        if given.is_some_and(|given| given.status == 200) {
            self.kept.lock().expect("no panic").revoked.push(secret);
        }
    }

    /// Asserts that every acknowledged write exists. Skips writes that were already verified.
    pub fn verify_writes(&self) {
        let mut kept = self.kept.lock().expect("no panic");
        for (id, title) in std::mem::take(&mut kept.events) {
            let shown = self.read_json(&format!("/api/eventos/{id}"));
            assert_eq!(shown["evento"]["title"], title.as_str());
        }
        let shown = self.read_json(&self.event_path());
        let revision = shown["evento"]["api_revision"].as_u64().expect("a number");
        assert!(revision >= kept.revision, "{revision} < {}", kept.revision);
        let mut logged = vec![];
        let mut cursor = String::new();
        while !kept.values.is_empty() {
            let page = self.read_json(&format!("/api/config/log?key=falhas&limit=200{cursor}"));
            let versions = page["log"].as_array().expect("a list").iter();
            logged.extend(versions.filter_map(|version| version["value"].as_u64()));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        for value in kept.values.drain(..) {
            assert!(logged.contains(&value), "{value} is not in the log");
        }
        if kept.mail > 0 {
            let mail = self.read_json(TEMPLATE);
            let stored = mail["draft"]["metadata"]["n"].as_u64().expect("a number");
            assert!(stored >= kept.mail, "{stored} < {}", kept.mail);
        }
        for secret in &kept.revoked {
            assert_eq!(self.read_status("/api/me", secret), Some(401), "revoked");
        }
    }
}
