//! The measurements and the printed table.

use std::{collections::BTreeMap, fmt, time::Duration};

use crate::{load::Measured, scenario::Scenario};

/// The maximum resident memory of an idle service, in bytes.
const IDLE_TARGET: u64 = 40_000_000;
/// The maximum startup time of the service.
const READY_TARGET: Duration = Duration::from_millis(20);

/// One measurement of one scenario.
pub struct Sample {
    rate: f64,
    p50: Duration,
    p99: Duration,
    /// CPU time per request in microseconds: of the server, and of the load generator.
    cpu: [Option<f64>; 2],
}

impl Sample {
    /// Creates a sample from one run. `before` and `after` are the CPU times of the server and of
    /// this process.
    pub fn from_run(
        measured: Measured,
        before: [Option<Duration>; 2],
        after: [Option<Duration>; 2],
    ) -> Self {
        let Measured { lasted, latencies } = measured;
        let count = latencies.len().max(1);
        let at = |percent: usize| latencies.get(count * percent / 100).copied();
        let cpu = [0, 1].map(|i| {
            let used = after[i]?.checked_sub(before[i]?)?;
            Some(used.as_secs_f64() * 1e6 / count as f64)
        });
        Self {
            rate: latencies.len() as f64 / lasted.as_secs_f64(),
            p50: at(50).unwrap_or_default(),
            p99: at(99).unwrap_or_default(),
            cpu,
        }
    }
}

/// All measurements. The first value of each pair is of the server written by hand, the second of
/// the service.
#[derive(Default)]
pub struct Report {
    samples: BTreeMap<Scenario, Vec<Sample>>,
    pub starts: Vec<Duration>,
    pub idle: [Option<u64>; 2],
    pub loaded: [Option<u64>; 2],
}

impl Report {
    pub fn add_sample(&mut self, scenario: Scenario, sample: Sample) {
        self.samples.entry(scenario).or_default().push(sample);
    }

    /// Returns the median over all rounds of the request rate of `scenario`, divided by that of `base`.
    /// Within a round, both run under the same machine load, so its effect cancels out.
    fn rate_ratio(&self, scenario: Scenario, base: Scenario) -> Option<f64> {
        self.median_ratio(scenario, base, |s, b| s.rate / b.rate)
    }

    /// Returns the median over all rounds of the CPU time per request of `base`, divided by that of
    /// `scenario`.
    fn cost_ratio(&self, scenario: Scenario, base: Scenario) -> Option<f64> {
        self.median_ratio(scenario, base, |s, b| {
            b.cpu[0].unwrap_or(f64::NAN) / s.cpu[0].unwrap_or(f64::NAN)
        })
    }

    fn median_ratio(
        &self,
        scenario: Scenario,
        base: Scenario,
        ratio: fn(&Sample, &Sample) -> f64,
    ) -> Option<f64> {
        let pairs = self.samples.get(&scenario)?.iter();
        let pairs = pairs.zip(self.samples.get(&base)?);
        Some(median(pairs.map(|(s, b)| ratio(s, b)).collect()))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<27} {:>8} {:>7} {:>7} {:>8} {:>8} {:>10} {:>9}",
            "", "req/s", "÷ bare", "÷ hand", "p50 ms", "p99 ms", "server µs", "client µs"
        )?;
        for (scenario, samples) in &self.samples {
            let of = |figure: fn(&Sample) -> f64| median(samples.iter().map(figure).collect());
            let hand = scenario
                .handwritten_counterpart()
                .and_then(|base| self.rate_ratio(*scenario, base));
            writeln!(
                f,
                "{:<27} {:>8.0} {:>7} {:>7} {:>8.2} {:>8.2} {:>10.0} {:>9.0}",
                scenario.title(),
                of(|s| s.rate),
                format_ratio(self.rate_ratio(*scenario, Scenario::Bare)),
                format_ratio(hand),
                of(|s| s.p50.as_secs_f64() * 1e3),
                of(|s| s.p99.as_secs_f64() * 1e3),
                of(|s| s.cpu[0].unwrap_or(f64::NAN)),
                of(|s| s.cpu[1].unwrap_or(f64::NAN)),
            )?;
        }
        writeln!(f)?;
        for scenario in self.samples.keys() {
            if let Some((least, base)) = scenario.minimum_ratio_and_baseline()
                && let Some(ratio) = self.rate_ratio(*scenario, base)
                && let Some(cost) = self.cost_ratio(*scenario, base)
            {
                let judged = verdict(ratio >= least);
                let (title, base) = (scenario.title(), base.title());
                write!(
                    f,
                    "{judged} {title} ÷ {base}: {ratio:.2} (at least {least}; "
                )?;
                writeln!(f, "by processor time {cost:.2})")?;
            }
        }
        if let [hand, Some(pauta)] = self.idle {
            let judged = verdict(pauta < IDLE_TARGET);
            write!(
                f,
                "{judged} resident when idle: {} MB (under ",
                format_megabytes(pauta)
            )?;
            writeln!(
                f,
                "{}; by hand {})",
                format_megabytes(IDLE_TARGET),
                hand.map_or_else(String::new, format_megabytes)
            )?;
        }
        if let [hand, Some(pauta)] = self.loaded {
            let hand = hand.map_or_else(String::new, format_megabytes);
            writeln!(
                f,
                "       resident after load: {} MB (by hand {hand})",
                format_megabytes(pauta)
            )?;
        }
        if !self.starts.is_empty() {
            let mut starts = self.starts.clone();
            starts.sort_unstable();
            let (ready, slowest) = (starts[starts.len() / 2], starts[starts.len() - 1]);
            writeln!(
                f,
                "{} ready after: {} ms (under {}; slowest of {}: {})",
                verdict(ready < READY_TARGET),
                ready.as_millis(),
                READY_TARGET.as_millis(),
                starts.len(),
                slowest.as_millis()
            )?;
        }
        Ok(())
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met   " } else { "MISSED" }
}

fn format_megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

fn format_ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "–".into(), |r| format!("{r:.2}"))
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
