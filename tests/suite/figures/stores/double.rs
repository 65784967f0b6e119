//! Servers that follow the documentation of the Hotmart API and of Meta's Marketing API: they
//! refuse what the real ones refuse, and record the requests.
//!
//! <https://developers.hotmart.com/docs/en/v1/sales/sales-history/>,
//! <https://developers.facebook.com/docs/marketing-api/insights>

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::figures::instant_millis;

const ID: &str = "cliente-de-teste";
const SECRET: &str = "segredo-da-hotmart";
const META_TOKEN: &str = "token-da-meta";

/// An accepted request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub query: HashMap<String, String>,
}

impl Asked {
    /// Returns true if the request is for the history of approved sales.
    pub fn is_sales(&self) -> bool {
        self.path.ends_with("/sales/history") && !self.query.contains_key("transaction_status")
    }

    pub fn page_token(&self) -> &str {
        self.query.get("page_token").map_or("", String::as_str)
    }
}

type Script = Arc<dyn Fn(&Asked) -> Option<Response> + Send + Sync>;

/// Both APIs at one base URL.
pub struct Stores {
    base: String,
    desk: Arc<Desk>,
}

struct Desk {
    base: String,
    script: Mutex<Script>,
    asked: Mutex<Vec<Asked>>,
    /// The number of issued tokens. Only the newest token is accepted.
    tokens: AtomicUsize,
    revoked: AtomicUsize,
}

impl Stores {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let desk = Arc::new(Desk {
            base: base.clone(),
            script: Mutex::new(Arc::new(|_| None)),
            asked: Mutex::default(),
            tokens: AtomicUsize::new(0),
            revoked: AtomicUsize::new(0),
        });
        let router = Router::new()
            .fallback(handle_request)
            .with_state(desk.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { base, desk }
    }

    /// Settings for this double.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PAUTA_HOTMART_CLIENT_ID", ID.into()),
            ("PAUTA_HOTMART_CLIENT_SECRET", SECRET.into()),
            ("PAUTA_HOTMART_BASE_URL", self.base.clone()),
            ("PAUTA_HOTMART_AUTH_BASE_URL", self.base.clone()),
            ("PAUTA_META_ACCESS_TOKEN", META_TOKEN.into()),
            ("PAUTA_META_ACCOUNT_ID", "act_42".into()),
            ("PAUTA_META_BASE_URL", self.base.clone()),
        ]
    }

    /// Replaces the responses from now on; where `script` returns `None`, the double responds as
    /// documented.
    pub fn set_script(&self, script: impl Fn(&Asked) -> Option<Response> + Send + Sync + 'static) {
        *self.desk.script.lock().expect("no panic") = Arc::new(script);
    }

    /// Returns the requests since the last call.
    pub fn take_requests(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.desk.asked.lock().expect("no panic"))
    }

    /// Returns the number of issued tokens.
    pub fn issued_token_count(&self) -> usize {
        self.desk.tokens.load(Ordering::SeqCst)
    }

    /// Revokes every token issued so far.
    pub fn revoke_tokens(&self) {
        self.desk
            .revoked
            .store(self.issued_token_count(), Ordering::SeqCst);
    }
}

pub fn json_response(status: StatusCode, body: &Value) -> Response {
    let typed = [("content-type", "application/json")];
    (status, typed, body.to_string()).into_response()
}

async fn handle_request(
    State(desk): State<Arc<Desk>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let url = reqwest::Url::parse(&format!("{}{uri}", desk.base)).expect("a URL");
    let asked = Asked {
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
    };
    let authorization = headers.get("authorization");
    let authorization = authorization.and_then(|value| value.to_str().ok());
    let authorization = authorization.unwrap_or_default();
    if asked.path == "/security/oauth/token" {
        return serve_token(&desk, &method, &asked, authorization);
    }
    if method != Method::GET {
        return json_response(StatusCode::METHOD_NOT_ALLOWED, &json!({}));
    }
    let is_hotmart = asked.path.starts_with("/payments/api/v1/");
    let latest = desk.tokens.load(Ordering::SeqCst);
    let accepted = match is_hotmart {
        true => {
            latest > desk.revoked.load(Ordering::SeqCst)
                && authorization == format!("Bearer token-{latest}")
        }
        false => authorization == format!("Bearer {META_TOKEN}"),
    };
    if !accepted {
        return json_response(
            StatusCode::UNAUTHORIZED,
            &json!({ "error": "invalid_token" }),
        );
    }
    desk.asked.lock().expect("no panic").push(asked.clone());
    let script = desk.script.lock().expect("no panic").clone();
    if let Some(response) = script(&asked) {
        return response;
    }
    match asked.path.as_str() {
        "/payments/api/v1/sales/history" => sales_response(&asked),
        "/payments/api/v1/subscriptions" => subscriptions_response(&asked),
        "/v25.0/act_42/insights" => insights_response(&desk, &asked),
        _ => json_response(StatusCode::NOT_FOUND, &json!({})),
    }
}

fn serve_token(desk: &Desk, method: &Method, asked: &Asked, authorization: &str) -> Response {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let basic = format!("Basic {}", STANDARD.encode(format!("{ID}:{SECRET}")));
    let is = |name: &str, value: &str| asked.query.get(name).is_some_and(|given| given == value);
    let granted = method == Method::POST
        && authorization == basic
        && is("grant_type", "client_credentials")
        && is("client_id", ID)
        && is("client_secret", SECRET);
    if !granted {
        return json_response(
            StatusCode::UNAUTHORIZED,
            &json!({ "error": "invalid_client" }),
        );
    }
    let number = desk.tokens.fetch_add(1, Ordering::SeqCst) + 1;
    let token = format!("token-{number}");
    let body = json!({ "access_token": token, "token_type": "bearer", "expires_in": 86_400 });
    json_response(StatusCode::OK, &body)
}

/// Returns a sale on a day of August 2026.
pub fn sale_item(transaction: &str, day: i64, value: f64, status: &str) -> Value {
    json!({
        "product": { "id": 123_456, "name": "Pão em Casa" },
        "buyer": { "name": "Ana", "email": " Ana@Exemplo.com ", "ucode": "u" },
        "purchase": {
            "transaction": transaction,
            "status": status,
            "approved_date": instant_millis("2026-07-31T12:00:00Z") + day * 86_400_000,
            "price": { "value": value, "currency_code": "BRL" },
            "tracking": { "source_sck": "meta|cpc|fria|video|" },
            "hotmart_fee": { "total": 10.0 },
        },
    })
}

fn query_number(asked: &Asked, name: &str) -> Option<i64> {
    asked.query.get(name)?.parse().ok()
}

fn sales_response(asked: &Asked) -> Response {
    let (Some(from), Some(until), Some(_)) = (
        query_number(asked, "start_date"),
        query_number(asked, "end_date"),
        query_number(asked, "max_results").filter(|rows| (1..=500).contains(rows)),
    ) else {
        return json_response(
            StatusCode::BAD_REQUEST,
            &json!({ "error": "invalid_parameter" }),
        );
    };
    let status = asked.query.get("transaction_status").map(String::as_str);
    let (sales, next) = match (status, asked.page_token()) {
        (None, "") => (
            vec![
                sale_item("HP1", 1, 497.0, "APPROVED"),
                sale_item("HP2", 2, 497.5, "COMPLETE"),
            ],
            Some("p2"),
        ),
        (None, "p2") => (
            vec![
                sale_item("HP3", 20, 497.0, "APPROVED"),
                sale_item("HP4", 21, 497.0, "COMPLETE"),
            ],
            None,
        ),
        (Some("REFUNDED"), "") => (vec![sale_item("HP5", 3, 497.0, "REFUNDED")], None),
        (Some("CHARGEBACK" | "PARTIALLY_REFUNDED"), "") => (vec![], None),
        _ => return json_response(StatusCode::BAD_REQUEST, &json!({ "error": "invalid_page" })),
    };
    let within = |sale: &Value| {
        let at = sale["purchase"]["approved_date"].as_i64();
        at.is_some_and(|at| (from..until).contains(&at))
    };
    let sales: Vec<Value> = sales.into_iter().filter(within).collect();
    let info = json!({ "next_page_token": next.unwrap_or_default(), "results_per_page": 2 });
    json_response(
        StatusCode::OK,
        &json!({ "items": sales, "page_info": info }),
    )
}

fn subscriptions_response(asked: &Asked) -> Response {
    if query_number(asked, "accession_date").is_none()
        || query_number(asked, "end_accession_date").is_none()
    {
        return json_response(
            StatusCode::BAD_REQUEST,
            &json!({ "error": "invalid_parameter" }),
        );
    }
    let subscription = |code: &str, status: &str, period: i64, value: f64, end: Option<&str>| {
        json!({
            "subscriber_code": code, "subscription_id": 1, "status": status,
            "accession_date": instant_millis("2026-03-01T12:00:00Z"),
            "end_accession_date": end.map(instant_millis),
            "plan": { "name": "Clube", "id": 1, "recurrency_period": period },
            "price": { "value": value, "currency_code": "BRL" },
            "subscriber": { "name": "Ana", "email": "ana@exemplo.com", "ucode": "u" },
        })
    };
    let items = json!([
        subscription("S1", "ACTIVE", 365, 480.0, None),
        subscription(
            "S2",
            "CANCELLED_BY_CUSTOMER",
            30,
            40.0,
            Some("2026-08-02T12:00:00Z")
        ),
    ]);
    json_response(StatusCode::OK, &json!({ "items": items, "page_info": {} }))
}

fn insights_response(desk: &Desk, asked: &Asked) -> Response {
    let is = |name: &str, value: &str| asked.query.get(name).is_some_and(|given| given == value);
    let range = asked.query.get("time_range");
    let range: Option<Value> = range.and_then(|range| serde_json::from_str(range).ok());
    let Some(range) = range.filter(|_| is("level", "campaign") && is("time_increment", "1")) else {
        return json_response(
            StatusCode::BAD_REQUEST,
            &json!({ "error": { "code": 100 } }),
        );
    };
    let row = |day: &str, campaign: &str| {
        json!({
            "date_start": day, "date_stop": day, "campaign_id": campaign,
            "campaign_name": format!("campanha {campaign}"), "spend": "12.34",
            "impressions": "1000", "clicks": "30", "reach": "900", "account_currency": "BRL",
        })
    };
    let within = |row: &Value| {
        let day = row["date_start"].as_str();
        range["since"].as_str() <= day && day <= range["until"].as_str()
    };
    let is_last = is("after", "b");
    let rows = match is_last {
        false => vec![row("2026-08-20", "1"), row("2026-08-21", "1")],
        true => vec![row("2026-08-21", "2")],
    };
    let rows: Vec<Value> = rows.into_iter().filter(within).collect();
    let paging = match is_last {
        true => json!({}),
        false => {
            let mut next =
                reqwest::Url::parse(&format!("{}{}", desk.base, asked.path)).expect("a URL");
            next.query_pairs_mut()
                .extend_pairs(&asked.query)
                .append_pair("access_token", META_TOKEN)
                .append_pair("after", "b");
            json!({ "next": next.as_str(), "cursors": { "after": "b" } })
        }
    };
    json_response(StatusCode::OK, &json!({ "data": rows, "paging": paging }))
}
