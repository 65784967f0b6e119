use crate::{Metrics, Services};

/// The host of the jobs: the gateway.
pub trait Host: Send + Sync {
    fn services(&self) -> &Services;
    fn metrics(&self) -> &Metrics;
    /// The name of a job's area; `None` for a job outside the table.
    fn area_of(&self, job: &str) -> Option<&'static str>;
}
