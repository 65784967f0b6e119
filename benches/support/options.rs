//! The options that benchmarks of the release binary share.

use std::{path::PathBuf, time::Duration};

use anyhow::Result;
use clap::Args;

/// The options of every measurement.
#[derive(Args)]
pub struct Measurement {
    /// The number of measurements of each scenario; medians are reported.
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// The duration of each measurement, in seconds.
    #[arg(long, default_value_t = 2)]
    seconds: u64,
    /// The service to measure; by default the one just built.
    #[arg(long, default_value = env!("CARGO_BIN_EXE_pauta"), hide_default_value = true)]
    pub binary: PathBuf,
    /// Set by `cargo bench`. Without it (`cargo test --all-targets`), nothing is measured.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Measurement {
    /// Returns the duration of each measurement.
    pub fn length(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// Runs the benchmark on one thread, which generates all the load. One thread needs the least
    /// CPU time, and the same amount for every server.
    pub fn run(&self, bench: &str, measure: impl Future<Output = Result<()>>) -> Result<()> {
        if !self.bench {
            println!("measured by `cargo bench --bench {bench}`");
            return Ok(());
        }
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(measure)
    }
}
