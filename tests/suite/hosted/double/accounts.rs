//! The admin interface of Supabase Auth.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, Method, Uri, header},
    response::Response,
};
use domain::{is_id, new_id};
use serde_json::{Value, json};

use super::{ADMIN_KEY, Issued, Issuer, OLD_ADMIN_KEY, json_response, lock};

/// An account.
#[derive(Clone)]
pub struct Person {
    pub email: String,
    pub confirmed: bool,
    pub banned: bool,
    pub password: Option<String>,
}

impl Issuer {
    /// Adds an account; returns its id.
    pub fn add_account(&self, email: &str, confirmed: bool) -> String {
        let id = new_id(1);
        let person = Person {
            email: email.to_lowercase(),
            confirmed,
            banned: false,
            password: None,
        };
        lock(&self.state.people).insert(id.clone(), person);
        id
    }

    pub fn find_account(&self, id: &str) -> Option<Person> {
        lock(&self.state.people).get(id).cloned()
    }

    /// Returns the id of the account with this e-mail.
    pub fn find_account_id(&self, email: &str) -> Option<String> {
        let people = lock(&self.state.people);
        let mut found = people.iter().filter(|(_, person)| person.email == email);
        found.next().map(|(id, _)| id.clone())
    }

    pub fn confirm_email(&self, id: &str) {
        let mut people = lock(&self.state.people);
        people.get_mut(id).expect("an account").confirmed = true;
    }

    /// Deletes an account, as its owner or an operator can.
    pub fn delete_account(&self, id: &str) {
        lock(&self.state.people).remove(id);
    }
}

fn error_response(status: u16, code: &str) -> Response {
    let body = json!({ "code": status, "error_code": code, "msg": "Something was wrong." });
    json_response(status, &body)
}

/// Checks the key of a request; returns the fields of its body. A secret key is not a JWT, so it
/// must not be sent as a bearer token. A key of the older kind must also be sent as a bearer token.
fn check_request(
    issued: &Issued,
    (method, uri): (Method, Uri),
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Value, Box<Response>> {
    let key = headers.get("apikey").map(HeaderValue::as_bytes);
    let bearer = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    let old = format!("Bearer {OLD_ADMIN_KEY}");
    match (key, bearer) {
        (Some(key), None) if key == ADMIN_KEY.as_bytes() => {}
        (Some(key), Some(_)) if key == ADMIN_KEY.as_bytes() => {
            return Err(Box::new(error_response(403, "bad_jwt")));
        }
        (Some(key), Some(bearer))
            if key == OLD_ADMIN_KEY.as_bytes() && bearer == old.as_bytes() => {}
        _ => return Err(Box::new(error_response(401, "no_authorization"))),
    }
    let fields = match method {
        Method::GET => Value::Null,
        _ if headers
            .get(header::CONTENT_TYPE)
            .is_none_or(|t| t != "application/json") =>
        {
            return Err(Box::new(error_response(400, "bad_json")));
        }
        _ => serde_json::from_slice(body).map_err(|_| Box::new(error_response(400, "bad_json")))?,
    };
    let asked = (format!("{method} {}", uri.path()), fields.clone());
    lock(&issued.asked).push(asked);
    Ok(fields)
}

fn account_json(id: &str, person: &Person) -> Value {
    json!({
        "id": id, "aud": "authenticated", "role": "authenticated", "email": person.email,
        "email_confirmed_at": person.confirmed.then_some("2026-08-22T12:00:00Z"),
        "banned_until": person.banned.then_some("2126-07-29T12:00:00Z"),
        "user_metadata": {}, "identities": [],
    })
}

pub async fn invite_account(
    State(issued): State<Arc<Issued>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match check_request(&issued, (method, uri), &headers, &body) {
        Ok(fields) => fields,
        Err(refusal) => return *refusal,
    };
    let email = fields["email"].as_str().unwrap_or_default().to_lowercase();
    if !email.contains('@') {
        return error_response(400, "validation_failed");
    }
    let mut people = lock(&issued.people);
    let known = people.iter().find(|(_, person)| person.email == email);
    if let Some((id, person)) = known {
        return match person.confirmed {
            true => error_response(422, "email_exists"),
            false => json_response(200, &account_json(id, person)),
        };
    }
    let (id, person) = (
        new_id(1),
        Person {
            email,
            confirmed: false,
            banned: false,
            password: None,
        },
    );
    people.insert(id.clone(), person.clone());
    json_response(200, &account_json(&id, &person))
}

pub async fn list_accounts(
    State(issued): State<Arc<Issued>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match check_request(&issued, (method, uri), &headers, b"") {
        Ok(_) => json_response(200, &json!({ "users": [], "aud": "authenticated" })),
        Err(refusal) => *refusal,
    }
}

pub async fn get_account(
    State(issued): State<Arc<Issued>>,
    Path(id): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = check_request(&issued, (method, uri), &headers, b"") {
        return *refusal;
    }
    match lock(&issued.people).get(&id) {
        Some(person) => json_response(200, &account_json(&id, person)),
        None => error_response(404, "user_not_found"),
    }
}

pub async fn change_account(
    State(issued): State<Arc<Issued>>,
    Path(id): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match check_request(&issued, (method, uri), &headers, &body) {
        Ok(fields) => fields,
        Err(refusal) => return *refusal,
    };
    if !is_id(&id) {
        return error_response(404, "validation_failed");
    }
    let mut people = lock(&issued.people);
    let Some(person) = people.get_mut(&id) else {
        return error_response(404, "user_not_found");
    };
    if let Some(password) = fields["password"].as_str() {
        if password.len() < 6 || password.contains("vazada") {
            return error_response(422, "weak_password");
        }
        person.password = Some(password.into());
    }
    match fields["ban_duration"].as_str() {
        None => {}
        Some("none") => person.banned = false,
        Some(span) => {
            let hours = span.strip_suffix('h').and_then(|n| n.parse::<u32>().ok());
            if hours.is_none() {
                return error_response(400, "validation_failed");
            }
            person.banned = true;
        }
    }
    json_response(200, &account_json(&id, person))
}
