//! A child process that does not outlive its owner.

use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

/// Sends SIGTERM when dropped and waits for the end, so that the process can write a profile of
/// itself.
pub struct Stopped(pub Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        kill_process(Pid::from_child(&self.0), Signal::TERM).ok();
        self.0.wait().ok();
    }
}
