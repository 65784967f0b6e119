use crate::{Metrics, Services};

/// The parts of the gateway that the worker uses.
pub trait Host: Send + Sync {
    fn services(&self) -> &Services;
    fn metrics(&self) -> &Metrics;
    /// Returns the name of the job's area; `None` for a job that no area lists.
    fn area_of_job(&self, job: &str) -> Option<&'static str>;
}
