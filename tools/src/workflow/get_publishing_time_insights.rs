use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hours_of_results::{ENOUGH_IN_HOUR, SeenHour, compare_hours};
use domain::{
    Capability, ReadingAge,
    channels::channel_key,
    text_enum,
    time::{DAY, weekday_and_hour, weekday_name},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{events, post_results};

/// The minimum number of posts with figures for times from results, and of publications for times from
/// the team's history.
const ENOUGH: usize = 20;
/// The minimum number of hours with enough posts for a comparison of hours.
const HOURS: usize = 2;
/// The age beyond which publications are ignored.
const HORIZON: i64 = 365 * DAY;
/// Times that suit Brazilian audiences in general, as (weekday with Sunday as 0, hour, score).
const STANDARD: [(i8, i8, f64); 10] = [
    (2, 12, 1.0),
    (3, 12, 0.95),
    (4, 12, 0.95),
    (2, 18, 0.9),
    (3, 18, 0.9),
    (4, 18, 0.85),
    (1, 12, 0.8),
    (5, 12, 0.75),
    (0, 19, 0.7),
    (6, 11, 0.6),
];

/// Sugere os melhores horários para postar: dias e horas de Brasília.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetPublishingTimeInsights {
    /// Só este canal.
    #[schemars(length(min = 1, max = 60))]
    channel: Option<String>,
}

text_enum! {
    /// The source of the figures.
    pub enum Source {
        Results = "resultados",
        History = "historico",
        Standard = "padrao",
    }
}

/// Horários sugeridos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublishingTimes {
    /// `resultados`: quando 20 ou mais posts do último ano foram mais vistos; `historico`: quando a
    /// equipe mais publicou; `padrao`: uma tabela geral.
    fonte: Source,
    fuso: &'static str,
    /// Publicações, ou posts com números, que contaram.
    amostra: usize,
    horarios: Vec<PublishingTime>,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

/// Um horário.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublishingTime {
    /// 0 é domingo.
    dia_semana: i8,
    /// O dia por extenso: `terça-feira`.
    dia: &'static str,
    /// De 0 a 23.
    hora: i8,
    /// De 0 a 1, relativa ao melhor horário.
    pontuacao: f64,
    publicacoes: usize,
}

impl Operation for GetPublishingTimeInsights {
    const SPEC: Spec = Spec::new(
        "get_publishing_time_insights",
        "Sugerir horários",
        Verb::Get,
        "/api/insights/horarios",
    )
    .access(Access::Member(Capability::Analytics))
    .tool();
    type Output = PublishingTimes;

    async fn run(self, ctx: &Context<'_>) -> Result<PublishingTimes> {
        let (db, since) = (ctx.db(), ctx.now - HORIZON);
        let network = self.channel.as_deref().map(channel_key);
        // The reading after a day is used, because stories have this reading too.
        let age = ReadingAge::Day;
        let seen = post_results::list_posts_with_views(&db, network.as_deref(), age, since).await?;
        let (hours, compared) = compare_hours(&seen);
        if compared >= ENOUGH && hours.len() >= HOURS {
            return Ok(PublishingTimes::from_results(&hours, compared));
        }
        let channel = self.channel.as_deref();
        let published = events::list_published_due_times(&db, channel, since).await?;
        let amostra = published.len();
        let mut avisos = vec![];
        let (fonte, horarios) = if amostra < ENOUGH {
            avisos.push(standard_times_warning(amostra, self.channel.as_deref()));
            (Source::Standard, standard_times())
        } else {
            (Source::History, score_times(&published))
        };
        Ok(PublishingTimes {
            fonte,
            fuso: "America/Sao_Paulo",
            amostra,
            horarios,
            avisos,
        })
    }
}

impl PublishingTimes {
    /// Builds the answer from the compared hours. `posts` is the number of compared posts.
    fn from_results(hours: &[SeenHour], posts: usize) -> Self {
        let best = hours
            .first()
            .map_or(1.0, |hour| hour.seen.max(f64::MIN_POSITIVE));
        let times = hours.iter().map(|hour| {
            let score = (hour.seen / best * 100.0).round() / 100.0;
            PublishingTime::new(hour.weekday, hour.hour, score, hour.posts)
        });
        Self {
            fonte: Source::Results,
            fuso: "America/Sao_Paulo",
            amostra: posts,
            horarios: times.collect(),
            avisos: vec![format!(
                "Vem do que {posts} posts deram um dia depois, cada um comparado com os da mesma rede e \
                 formato; só entram horários com {ENOUGH_IN_HOUR} posts ou mais."
            )],
        }
    }
}

impl PublishingTime {
    fn new(dia_semana: i8, hora: i8, pontuacao: f64, publicacoes: usize) -> Self {
        Self {
            dia_semana,
            dia: weekday_name(dia_semana),
            hora,
            pontuacao,
            publicacoes,
        }
    }
}

/// Returns the warning that the times do not come from the team's history.
fn standard_times_warning(published: usize, channel: Option<&str>) -> String {
    let channel = channel.map_or_else(String::new, |channel| format!(" em `{channel}`"));
    format!(
        "No último ano a equipe publicou {published} peças{channel}, menos de {ENOUGH}: estes horários são \
         uma tabela geral, não o histórico da equipe."
    )
}

fn standard_times() -> Vec<PublishingTime> {
    let row =
        |&(weekday, hour, score): &(i8, i8, f64)| PublishingTime::new(weekday, hour, score, 0);
    STANDARD.iter().map(row).collect()
}

/// Scores weekdays and hours by their number of publications, the most used first; ties are in weekly
/// order.
fn score_times(published: &[i64]) -> Vec<PublishingTime> {
    let mut counts: HashMap<(i8, i8), usize> = HashMap::new();
    for instant in published {
        *counts.entry(weekday_and_hour(*instant)).or_default() += 1;
    }
    let best = counts.values().copied().max().unwrap_or(1);
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let score = |count: usize| (count as f64 / best as f64 * 100.0).round() / 100.0;
    let mut times: Vec<PublishingTime> = counts
        .into_iter()
        .map(|((weekday, hour), count)| PublishingTime::new(weekday, hour, score(count), count))
        .collect();
    times.sort_by_key(|t| (std::cmp::Reverse(t.publicacoes), t.dia_semana, t.hora));
    times
}
