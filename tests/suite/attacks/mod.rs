//! The service under attack, by class. Each test names what an attacker tries.

mod costs;
mod documents;
mod forged;
mod forms;
mod grants;
mod redirects;
mod strangers;
