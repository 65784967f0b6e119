//! The readings of the figures of posts: their times, and the reasons why a reading fails.

use domain::{
    Format,
    time::{DAY, HOUR, MINUTE},
};
use serde_json::{Value, json};

use super::{
    Stage,
    double::{Call, Fault, Wording},
    plain,
};
use crate::publishing::jpeg_image;

impl Stage {
    /// Publishes a post of this format and waits some minutes; returns the id of its piece.
    async fn publish(&self, caption: &str, format: Format) -> String {
        let files = [jpeg_image(320, 320, 1)];
        let variants = [(format, plain())];
        let (piece, _) = self.create_approved(caption, &files, &variants).await;
        self.pass_minutes(64).await;
        assert_eq!(self.status(&piece).await, "publicado");
        piece
    }

    /// Moves the clock forward, and then runs the jobs minute by minute for some minutes.
    async fn pass_time(&self, time: i64) {
        self.app.advance_clock(time);
        self.pass_minutes(6).await;
    }

    /// Requests the readings of the only post of a piece, as a new lead.
    async fn load_readings(&self, piece: &str) -> Vec<Value> {
        let lead = self.app.as_member(domain::Role::Lider).await;
        let path = format!("/api/resultados?event_id={piece}");
        let all = lead.get(&path).await.expect(200).body["resultados"].clone();
        let all = all.as_array().expect("a list");
        assert_eq!(all.len(), 1, "{all:?}");
        all[0]["leituras"].as_array().expect("a list").clone()
    }

    /// Lets an hour pass after the publication, and returns the first reading.
    async fn load_first_reading(&self, piece: &str) -> Value {
        self.pass_time(HOUR).await;
        let readings = self.load_readings(piece).await;
        assert_eq!(readings.len(), 1, "{readings:?}");
        readings[0].clone()
    }
}

fn ages(readings: &[Value]) -> Vec<&str> {
    let ages = readings.iter().map(|one| one["idade"].as_str());
    ages.map(|age| age.expect("an age")).collect()
}

#[tokio::test]
async fn a_post_is_read_at_four_ages_and_each_time_once() {
    let stage = Stage::new().await;
    let piece = stage.publish("pão", Format::Feed).await;
    stage.pass_minutes(30).await;
    assert!(stage.load_readings(&piece).await.is_empty());
    let first = stage.load_first_reading(&piece).await;
    assert_eq!(first["idade"], "1h");
    assert_eq!(first["alcance"], 10);
    assert_eq!(first["salvos"], 15);
    assert!(first["lida_em"].is_string() && first.get("motivo").is_none());
    // Instagram does not report clicks of a post.
    assert!(first.get("cliques").is_none());
    stage.api.lock_world().insights.figures[0].1 = json!(90);
    stage.pass_time(DAY).await;
    stage.pass_time(6 * DAY).await;
    stage.pass_time(23 * DAY).await;
    stage.pass_time(30 * DAY).await;
    let readings = stage.load_readings(&piece).await;
    assert_eq!(ages(&readings), ["1h", "24h", "7d", "30d"]);
    assert_eq!(
        (&readings[0]["alcance"], &readings[3]["alcance"]),
        (&json!(10), &json!(90))
    );
    assert!(readings.iter().all(|one| one["lida_em"].is_string()));
    assert_eq!(stage.api.count_calls(Call::Insights), 4);
}

#[tokio::test]
async fn a_story_is_read_twice_before_it_ends() {
    let stage = Stage::new().await;
    let piece = stage.publish("", Format::Story).await;
    let first = stage.load_first_reading(&piece).await;
    assert_eq!(first["alcance"], 10);
    assert!(first.get("curtidas").is_none() && first.get("salvos").is_none());
    stage.pass_time(22 * HOUR).await;
    stage.pass_time(8 * DAY).await;
    stage.pass_time(30 * DAY).await;
    let readings = stage.load_readings(&piece).await;
    assert_eq!(ages(&readings), ["1h", "24h"]);
    assert!(readings[1]["lida_em"].is_string(), "{readings:?}");
    assert_eq!(stage.api.count_calls(Call::Insights), 2);
}

#[tokio::test]
async fn a_missing_or_invalid_figure_is_not_available() {
    let stage = Stage::new().await;
    let figures = vec![
        ("reach", json!(0)),
        ("views", json!(-4)),
        ("likes", json!("muitas")),
        ("shares", json!(7)),
    ];
    stage.api.lock_world().insights.figures = figures;
    let piece = stage.publish("pão", Format::Feed).await;
    let first = stage.load_first_reading(&piece).await;
    assert_eq!(first["alcance"], 0);
    assert_eq!(first["compartilhamentos"], 7);
    for absent in ["visualizacoes", "curtidas", "comentarios", "salvos"] {
        assert!(first.get(absent).is_none(), "{absent}: {first}");
    }
    let missing = "post_results WHERE comments IS NULL AND views IS NULL AND reach = 0";
    assert_eq!(stage.app.count_rows(missing).await, 1);
    let admin = stage.app.add_member(domain::Role::Admin).await;
    let page = stage.app.browser_client(&admin).await;
    let page = page
        .get(&format!("/eventos/{piece}"))
        .await
        .expect(200)
        .text;
    assert!(page.contains("não disponível") && page.contains("Resultados"));
}

#[tokio::test]
async fn an_unsupported_metric_is_omitted_and_the_others_are_read() {
    let stage = Stage::new().await;
    stage.api.lock_world().insights.unsupported = vec!["shares"];
    let piece = stage.publish("pão", Format::Feed).await;
    let first = stage.load_first_reading(&piece).await;
    assert_eq!(first["alcance"], 10);
    assert!(first.get("compartilhamentos").is_none());
    let asked = stage.api.lock_world().insights.asked.clone();
    assert_eq!(
        asked,
        [
            "reach,views,likes,comments,shares,saved",
            "reach,views,likes,comments,saved"
        ]
    );
}

#[tokio::test]
async fn after_a_refusal_that_names_several_metrics_only_the_unsupported_ones_are_omitted() {
    for (wording, requests) in [(Wording::ListsValid, 2), (Wording::NamesAll, 7)] {
        let stage = Stage::new().await;
        {
            let mut world = stage.api.lock_world();
            world.insights.unsupported = vec!["shares", "likes"];
            world.insights.wording = wording;
        }
        let piece = stage.publish("pão", Format::Feed).await;
        let first = stage.load_first_reading(&piece).await;
        let read = ["alcance", "visualizacoes", "comentarios", "salvos"];
        let read = read.map(|name| first[name].as_i64());
        assert_eq!(
            read,
            [Some(10), Some(11), Some(13), Some(15)],
            "{wording:?}: {first}"
        );
        assert!(first.get("curtidas").is_none() && first.get("compartilhamentos").is_none());
        assert_eq!(
            stage.api.count_calls(Call::Insights),
            requests,
            "{wording:?}"
        );
    }
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_before_the_reading_fails() {
    let stage = Stage::new().await;
    let piece = stage.publish("pão", Format::Feed).await;
    // The network refuses the old token once, as after a change of the password, and accepts the renewed
    // token.
    let is_first = std::sync::atomic::AtomicBool::new(true);
    stage.api.set_faults(move |call| {
        let refused = Fault::ErrorBefore(190, 463, false);
        let asks = call == Call::Insights;
        (asks && is_first.swap(false, std::sync::atomic::Ordering::SeqCst)).then_some(refused)
    });
    let first = stage.load_first_reading(&piece).await;
    assert_eq!(first["alcance"], 10, "{first}");
    assert!(first.get("motivo").is_none());
    assert_eq!(stage.api.count_calls(Call::Insights), 2);
    // If the network refuses the renewed token too, the reading ends after two requests and states the
    // reason.
    let stage = Stage::new().await;
    let piece = stage.publish("pão", Format::Feed).await;
    let refused = Fault::ErrorBefore(190, 463, false);
    stage
        .api
        .set_faults(move |call| (call == Call::Insights).then_some(refused));
    let first = stage.load_first_reading(&piece).await;
    let reason = first["motivo"].as_str().unwrap_or_default();
    assert!(reason.contains("desconectada"), "{reason}");
    assert_eq!(stage.api.count_calls(Call::Insights), 2);
}

#[tokio::test]
async fn a_failed_reading_states_its_reason_and_a_later_reading_succeeds() {
    type Prevent = fn(&Stage, &str);
    let forbid: Prevent = |stage, _| stage.api.lock_world().insights.forbidden = true;
    let few: Prevent = |stage, _| stage.api.lock_world().insights.few_viewers = true;
    let empty: Prevent = |stage, _| stage.api.lock_world().insights.figures.clear();
    let limit: Prevent = |stage, _| {
        let limited = Fault::ErrorBefore(4, 0, false);
        stage
            .api
            .set_faults(move |call| (call == Call::Insights).then_some(limited));
    };
    let lost: Prevent = |stage, _| {
        stage
            .api
            .set_faults(|call| (call == Call::Insights).then_some(Fault::Nonsense));
    };
    for (name, prevent, words) in [
        (
            "permission",
            forbid,
            "permissão para ler resultados; conecte de novo",
        ),
        ("viewers", few, "a partir de cinco"),
        ("nothing yet", empty, "ainda não tem números"),
        ("rate limit", limit, "limitou as chamadas"),
        ("nonsense", lost, "não respondeu"),
    ] {
        let stage = Stage::new().await;
        let piece = stage.publish("pão", Format::Feed).await;
        prevent(&stage, &piece);
        let first = stage.load_first_reading(&piece).await;
        assert!(
            first["lida_em"].is_null() && first.get("alcance").is_none(),
            "{name}"
        );
        let reason = first["motivo"].as_str().unwrap_or_default();
        assert!(reason.contains(words), "{name}: {reason}");
        let asked = stage.api.count_calls(Call::Insights);
        assert!((1..=3).contains(&asked), "{name}: {asked} requests");
        stage.api.clear_faults();
        stage.api.lock_world().insights = Default::default();
        stage.pass_time(HOUR).await;
        let readings = stage.load_readings(&piece).await;
        assert_eq!(readings.len(), 1, "{name}");
        assert_eq!(readings[0]["alcance"], 10, "{name}: {readings:?}");
        assert!(readings[0].get("motivo").is_none(), "{name}");
    }
}

#[tokio::test]
async fn a_broken_connection_to_the_network_is_not_read_as_a_figure() {
    for fault in [
        Fault::ResetBefore,
        Fault::GatewayBefore,
        Fault::Cut,
        Fault::HangBefore,
        Fault::ErrorBefore(2, 0, true),
    ] {
        let stage = Stage::new().await;
        let piece = stage.publish("pão", Format::Feed).await;
        stage
            .api
            .set_faults(move |call| (call == Call::Insights).then_some(fault));
        let first = stage.load_first_reading(&piece).await;
        assert!(first["lida_em"].is_null(), "{fault:?}: {first}");
        stage.api.clear_faults();
        stage.pass_time(HOUR).await;
        let readings = stage.load_readings(&piece).await;
        assert_eq!(readings[0]["alcance"], 10, "{fault:?}: {readings:?}");
    }
}

#[tokio::test]
async fn missed_figures_are_never_replaced_by_figures_of_another_age() {
    let stage = Stage::new().await;
    stage.api.lock_world().insights.forbidden = true;
    let piece = stage.publish("pão", Format::Feed).await;
    stage.pass_time(HOUR).await;
    stage.pass_time(5 * HOUR).await;
    stage.api.lock_world().insights.forbidden = false;
    stage.pass_time(HOUR).await;
    let readings = stage.load_readings(&piece).await;
    assert_eq!(ages(&readings), ["1h"]);
    assert!(readings[0]["lida_em"].is_null());
    stage.pass_time(20 * HOUR).await;
    let readings = stage.load_readings(&piece).await;
    assert_eq!(ages(&readings), ["1h", "24h"]);
    assert!(readings[0]["lida_em"].is_null() && readings[1]["alcance"] == 10);
}

#[tokio::test]
async fn the_reading_of_a_deleted_post_fails_with_the_reason() {
    let stage = Stage::new().await;
    let piece = stage.publish("pão", Format::Feed).await;
    stage.api.lock_world().posts.clear();
    let first = stage.load_first_reading(&piece).await;
    let reason = first["motivo"].as_str().expect("a reason");
    assert!(reason.contains("apagado"), "{reason}");
    // The service requests the figures of a deleted post a few times and then stops.
    stage.pass_time(4 * HOUR).await;
    let asked = stage.api.count_calls(Call::Insights);
    stage.pass_minutes(90).await;
    assert_eq!(stage.api.count_calls(Call::Insights), asked);
}

#[tokio::test]
async fn a_connection_without_the_insights_permission_publishes_and_asks_to_connect_again() {
    let stage = Stage::new().await;
    let old = r#"UPDATE connections SET scopes =
        '["instagram_business_basic","instagram_business_content_publish"]'"#;
    stage.app.execute_statement(old, []).await;
    let piece = stage.publish("pão", Format::Feed).await;
    let first = stage.load_first_reading(&piece).await;
    let reason = first["motivo"].as_str().expect("a reason");
    assert_eq!(
        reason,
        "A conta não deu permissão para ler resultados; conecte de novo."
    );
    assert_eq!(stage.api.count_calls(Call::Insights), 0);
    let says = async || {
        let admin = stage.app.add_member(domain::Role::Admin).await;
        let browser = stage.app.browser_client(&admin).await;
        let page = browser.get("/conexoes").await.expect(200).text;
        page.contains("permissão para ler resultados; conecte de novo")
    };
    assert!(says().await);
    stage.connect_account(super::double::ACCOUNT).await;
    assert!(!says().await);
    stage.pass_time(HOUR).await;
    assert_eq!(stage.load_readings(&piece).await[0]["alcance"], 10);
}

#[tokio::test]
async fn figures_are_not_requested_without_an_account_or_with_another_account() {
    let stage = Stage::new().await;
    let piece = stage.publish("pão", Format::Feed).await;
    stage.disconnect_account().await;
    let first = stage.load_first_reading(&piece).await;
    assert!(
        first["motivo"]
            .as_str()
            .expect("a reason")
            .contains("desconectada")
    );
    stage.connect_account("17841400000000002").await;
    stage.pass_time(HOUR).await;
    let readings = stage.load_readings(&piece).await;
    let reason = readings[0]["motivo"].as_str().expect("a reason");
    assert!(reason.contains("não é a que publicou"), "{reason}");
    assert_eq!(stage.api.count_calls(Call::Insights), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_make_one_reading() {
    let stage = Stage::new().await;
    let piece = stage.publish("pão", Format::Feed).await;
    let settings = super::stage::settings(&stage.api.base, []);
    let other = stage.app.second_instance_with(settings).await;
    stage.app.advance_clock(HOUR);
    for _ in 0..6 {
        stage.app.advance_clock(MINUTE);
        let (mut one, mut two) = (stage.app.app.worker(), other.app.worker());
        let (first, second) = tokio::join!(one.drain(), two.drain());
        first.expect("jobs");
        second.expect("jobs");
    }
    assert_eq!(stage.load_readings(&piece).await.len(), 1);
    assert_eq!(stage.api.count_calls(Call::Insights), 1);
}

#[tokio::test]
async fn a_post_made_by_hand_has_no_figures() {
    let stage = Stage::new().await;
    let piece = stage.create_piece("pão", &[jpeg_image(320, 320, 1)]).await;
    let id = stage.add_variant(&piece, Format::Feed, plain()).await;
    let manual = "UPDATE event_variants SET publish = 'manual' WHERE id = $1";
    stage
        .app
        .execute_statement(manual, [id.as_str().to_owned()])
        .await;
    stage.approve(&piece).await;
    let input = json!({
        "expected_revision": stage.lead.load_event(&piece).await["api_revision"],
        "variant_id": id, "post_url": "https://www.instagram.com/p/1/",
    });
    let path = format!("/api/eventos/{piece}/post");
    stage.lead.post(&path, input).await.expect(200);
    stage.pass_time(2 * HOUR).await;
    let lead = stage.app.as_member(domain::Role::Lider).await;
    let all = lead.get("/api/resultados").await.expect(200).body;
    assert_eq!(all["resultados"], json!([]));
    assert_eq!(stage.api.count_calls(Call::Insights), 0);
}
