use crate::{Metrics, Services};

/// What the worker needs from the gateway.
pub trait Host: Send + Sync {
    fn services(&self) -> &Services;
    fn metrics(&self) -> &Metrics;
    /// The name of the job's area; `None` for a job that no area lists.
    fn area_of_job(&self, job: &str) -> Option<&'static str>;
}
