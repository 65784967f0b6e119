//! The service under attack, by class. Each test names what an attacker tries.

mod addresses;
mod costs;
mod documents;
mod forged;
mod forms;
mod grants;
mod hosts;
mod redirects;
mod strangers;
