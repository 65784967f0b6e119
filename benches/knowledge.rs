//! Measures searches in a knowledge base of 20,000 chunks, by words only and with search by
//! meaning, and the time it takes to fill the base.
//!
//! `cargo bench --bench knowledge`. For PostgreSQL, set `PAUTA_BENCH_DATABASE_URL=postgres://…/db`
//! to a database that may be filled. The documents consist of sentences from the demo's documents
//! and of rare words; the queries come from the quality test. The vectors are as long as those of
//! `text-embedding-3-small`. This process computes them, so the time of a provider is not measured.

#[path = "support/config.rs"]
mod config;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use async_trait::async_trait;
use pauta::{
    app::{self, App, SystemClock},
    cli::demo::knowledge::DOCUMENTS,
};
use ports::{Embedded, Embedder};
use search::{Document, prepare_for_index, words::stems};
use serde_json::{Value, json};
use tools::{
    knowledge::Semantics,
    operator::{self, NewAdmin},
};

const CHUNKS: i64 = 20_000;
/// Sections per document.
const SECTIONS: usize = 40;
const ROUNDS: usize = 20;
const EMAIL: &str = "ana@example.org";
/// The maximum 99th percentile.
const TARGET: Duration = Duration::from_millis(30);

#[tokio::main]
async fn main() -> Result<()> {
    // `cargo test --benches` runs this program without the flag.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let config = config::config(directory.path())?;
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let clock = Arc::new(SystemClock);
    let mut app = app::assemble(&config, db, "http://127.0.0.1:8080".into(), clock).await?;
    let admin = NewAdmin {
        name: "Ana".into(),
        email: EMAIL.into(),
        financeiro: false,
        password: None,
    };
    operator::create_admin(&app.gateway, admin).await?;
    let began = Instant::now();
    let chunks = fill_base(&app).await?;
    println!("{chunks} chunks in {:.1?}", began.elapsed());
    measure_searches("by words", &app).await?;

    let mut gateway = Arc::into_inner(app.gateway).context("the gateway is still shared")?;
    let semantics = Semantics::new(Arc::new(Hashes), TARGET);
    gateway.services.parts = std::mem::take(&mut gateway.services.parts).with(semantics);
    app.gateway = Arc::new(gateway);
    let services = &app.gateway.services;
    let semantics = services
        .parts
        .find::<Semantics>()
        .context("the parts have no `Semantics`")?;
    let began = Instant::now();
    while !semantics.embed_missing(services, None).await? {}
    println!("vectors kept and loaded in {:.1?}", began.elapsed());
    measure_searches("also by sense", &app).await
}

async fn measure_searches(how: &str, app: &App) -> Result<()> {
    let caller = operator::principal_by_email(&app.gateway, EMAIL).await?;
    let asked: Value = serde_json::from_str(include_str!("../tests/knowledge/questions.json"))?;
    let asked = asked.as_array().context("questions")?;
    let mut times = vec![];
    for round in 0..=ROUNDS {
        for question in asked {
            let input = json!({ "pergunta": question["pergunta"] });
            let began = Instant::now();
            operator::run_operation(&app.gateway, &caller, "search_knowledge", input).await?;
            // The first round only warms the caches.
            if round > 0 {
                times.push(began.elapsed());
            }
        }
    }
    times.sort();
    let at = |part: f64| -> Duration { times[((times.len() - 1) as f64 * part) as usize] };
    let (p50, p95, p99, max) = (at(0.50), at(0.95), at(0.99), at(1.0));
    let judged = if p99 <= TARGET { "met" } else { "MISSED" };
    println!(
        "{how}, {} questions: p50 {p50:.1?}, p95 {p95:.1?}, p99 {p99:.1?}, max {max:.1?}; \
         target p99 {TARGET:.0?} {judged}",
        times.len()
    );
    Ok(())
}

/// An embedder whose vectors count hashed words.
struct Hashes;

#[async_trait]
impl Embedder for Hashes {
    fn model_name(&self) -> &'static str {
        "hashes"
    }

    fn least_similarity(&self) -> f64 {
        0.1
    }

    async fn embed(&self, texts: &[String]) -> gateway::Result<Vec<Embedded>> {
        let vectors = texts.iter().map(|text| {
            let mut vector = vec![0.001; 1_536];
            for word in stems(text) {
                let hash = word.bytes().fold(5_381_usize, |hash, byte| {
                    hash.wrapping_mul(33) ^ usize::from(byte)
                });
                vector[hash % 1_536] += 1.0;
            }
            Ok(vector)
        });
        Ok(vectors.collect())
    }
}

async fn fill_base(app: &App) -> Result<i64> {
    let sentences: Vec<&str> = DOCUMENTS
        .iter()
        .flat_map(|(_, text)| text.split(['\n', '.']))
        .map(str::trim)
        .filter(|sentence| sentence.len() > 30)
        .collect();
    let mut dice = 1_u64;
    let mut roll = |sides: usize| {
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % sides
    };
    let mut chunks = 0;
    for number in 0.. {
        let mut text = format!("# Documento {number}\n");
        for section in 0..SECTIONS {
            text.push_str(&format!("\n## Seção {section}\n\n"));
            let mut length = 0;
            while length < 850 {
                let sentence = sentences[roll(sentences.len())];
                length += sentence.len();
                text.push_str(sentence);
                text.push_str(". ");
            }
            // Adds words that only few documents contain.
            text.push_str(&format!(
                "Termo palavra{} nome{}.\n",
                roll(30_000),
                roll(3_000)
            ));
        }
        let source = format!("{number}.md");
        let document = prepare_for_index(&source, &source, &Document::from_markdown(&text), None);
        let document = document.context("a document")?;
        chunks += document.chunks.len() as i64;
        operator::add_knowledge(&app.gateway, document).await?;
        if chunks >= CHUNKS {
            break;
        }
    }
    Ok(chunks)
}
