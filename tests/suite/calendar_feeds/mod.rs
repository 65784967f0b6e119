//! Calendars: the agenda at a secret address, as a program for calendars reads it.

mod addresses;
mod contents;
mod guessing;
mod pages;
mod reading;
mod seen;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

/// The properties of one piece in a calendar, with their escaped values.
type Piece = BTreeMap<String, String>;

/// Creates a calendar with these fields; returns the answer.
async fn create_calendar(session: &Client, mut fields: Value) -> Value {
    if fields["nome"].is_null() {
        fields["nome"] = "Agenda".into();
    }
    let made = session.post("/api/calendarios", fields).await;
    made.expect(201).body
}

/// Returns the path of the secret address in the answer to the creation of a calendar.
fn calendar_path(made: &Value) -> String {
    let url = made["url"].as_str().expect("a URL");
    let at = url.find("/calendario/").expect("the path");
    url[at..].to_owned()
}

/// Returns the secret from the address in the answer to the creation of a calendar.
fn calendar_secret(made: &Value) -> String {
    let path = calendar_path(made);
    path.split('/').nth(2).expect("a secret").to_owned()
}

/// Creates a piece on a day of this year at 10:00; returns the id of the piece.
async fn create_piece(
    client: &Client,
    title: &str,
    day: i8,
    month: i8,
    mut fields: Value,
) -> String {
    fields["title"] = title.into();
    fields["day"] = day.into();
    fields["month"] = month.into();
    fields["year"] = 2026.into();
    fields["hour"] = "10:00".into();
    client.create_demand(fields).await
}

async fn read_calendar(app: &TestApp, made: &Value) -> Answer {
    app.anonymous().get(&calendar_path(made)).await.expect(200)
}

/// Checks the format of a calendar, and returns its pieces.
fn parse_pieces(text: &str) -> Vec<Piece> {
    assert!(text.ends_with("\r\n"), "{text}");
    let lines: Vec<&str> = text.split("\r\n").collect();
    for line in &lines {
        assert!(line.len() <= 75, "{} bytes: {line}", line.len());
        assert!(!line.contains(['\r', '\n']), "{line:?}");
    }
    let unfolded = text.replace("\r\n ", "");
    let mut pieces = vec![];
    let mut open: Vec<String> = vec![];
    let mut piece = Piece::new();
    for line in unfolded.split_terminator("\r\n") {
        let (name, value) = line.split_once(':').expect("a property");
        match name {
            "BEGIN" => open.push(value.to_owned()),
            "END" => {
                assert_eq!(open.pop().as_deref(), Some(value));
                if value == "VEVENT" {
                    pieces.push(std::mem::take(&mut piece));
                }
            }
            _ if open.last().is_some_and(|kind| kind == "VEVENT") => {
                let earlier = piece.insert(name.to_owned(), value.to_owned());
                assert_eq!(earlier, None, "{name} is there twice");
            }
            _ => {}
        }
    }
    assert!(open.is_empty());
    pieces
}

async fn list_pieces(app: &TestApp, made: &Value) -> Vec<Piece> {
    parse_pieces(&read_calendar(app, made).await.text)
}

/// Returns the summaries of the pieces in a calendar.
async fn list_summaries(app: &TestApp, made: &Value) -> Vec<String> {
    let pieces = list_pieces(app, made).await.into_iter();
    pieces.map(|piece| piece["SUMMARY"].clone()).collect()
}

/// Updates a piece at its current revision.
async fn update_piece(client: &Client, id: &str, mut fields: Value) {
    fields["expected_revision"] = client.load_event(id).await["api_revision"].clone();
    let path = format!("/api/eventos/{id}");
    client.patch(&path, fields).await.expect(200);
}

/// Submits a piece with this caption, and keeps the date of the piece.
async fn submit(client: &Client, id: &str, caption: &str) {
    let revision = client.load_event(id).await["api_revision"].clone();
    let input = json!({ "event_id": id, "expected_revision": revision, "caption": caption });
    client.post("/api/enviar", input).await.expect(200);
}
