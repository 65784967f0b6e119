//! Usage of the database connections.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The usage of this process's database connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    pub open: usize,
    pub in_use: usize,
    /// Callers waiting for a connection.
    pub waiting: usize,
}

/// A shared counter of callers or connections.
#[derive(Debug, Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

/// A guard. It increases the counter until it is dropped.
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
