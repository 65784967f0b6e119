use crate::{Metrics, Services};

/// What runs the jobs: the gateway.
pub trait Host: Send + Sync {
    fn services(&self) -> &Services;
    fn metrics(&self) -> &Metrics;
}
