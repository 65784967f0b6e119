//! How the connections to the database are used.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The connections of this process to its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    pub open: usize,
    pub in_use: usize,
    /// Callers that wait for one.
    pub waiting: usize,
}

/// Counts those who hold or want something.
#[derive(Debug, Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

/// One of them, until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Count);

impl Count {
    pub fn enter(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
