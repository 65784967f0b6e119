//! A child process that is stopped with its owner.

use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

/// On drop, sends SIGTERM and waits until the process has ended, so that it can still write a
/// profile.
pub struct Stopped(pub Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        kill_process(Pid::from_child(&self.0), Signal::TERM).ok();
        self.0.wait().ok();
    }
}
